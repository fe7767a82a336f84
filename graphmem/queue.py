"""What waits for extraction: turns that are recorded and that no extractor has read to the end.

Invariant: the ledger alone knows.  An entry queues the turns of a session in the operation that records them, another one
takes them off in the operation that records what was found; so whatever stops an extraction, it is done once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphmem.graph.base import Graph
from graphmem.ledger import Draft, Entry, Ledger
from graphmem.model import Session, Turn
from graphmem.records import TurnRecord

QUEUED, DONE = "extraction queued", "extraction done"


def queued_draft(session: Session, turns: Sequence[TurnRecord], *, embedded: bool = True) -> Draft:
    """The entry that queues turns; it keeps what the records of a session and its turns do not.

    `embedded` is whether the turns have their vectors; where an embedder failed they get them when they are extracted.
    """
    ids = [turn.id for turn in turns]
    offsets = {id_: minutes for id_, minutes in session.turn_offsets.items() if id_ in ids}
    return Draft(QUEUED, (session.id,), {"turns": ids, "offsets": offsets} | ({} if embedded else {"embedded": False}))


def done_draft(session: str, turns: Collection[str], extractor: str) -> Draft:
    """The entry that takes turns off the queue."""
    return Draft(DONE, (session,), {"turns": sorted(turns)}, extractor, "system")


def waiting_turns(ledger: Ledger, session: str) -> frozenset[str]:
    """The ids of the turns of a session that wait."""
    if not ledger.has_type(QUEUED):
        return frozenset()
    return _left([entry for entry in ledger.about(session) if entry.type in (QUEUED, DONE)])


def bare_turns(ledger: Ledger, session: str) -> frozenset[str]:
    """The ids of those among them that have no vectors yet."""
    if not ledger.has_type(QUEUED):
        return frozenset()
    entries = [entry for entry in ledger.about(session) if entry.type in (QUEUED, DONE)]
    bare = {id_ for entry in entries if (entry.body or {}).get("embedded") is False for id_ in (entry.body or {})["turns"]}
    return _left(entries) & bare


def waiting_sessions(ledger: Ledger, graph: Graph) -> list[Session]:
    """The sessions with turns that wait, as they are recorded, oldest first."""
    queued: dict[str, list[Entry]] = {}
    for entry in sorted([*ledger.of_type(QUEUED), *ledger.of_type(DONE)], key=lambda entry: entry.seq):
        queued.setdefault(entry.subjects[0], []).append(entry)
    wanted = {session for session, entries in queued.items() if _left(entries)}
    if not wanted:
        return []
    turns: dict[str, list[TurnRecord]] = {}
    for turn in graph.turns():
        if turn.session in wanted:
            turns.setdefault(turn.session, []).append(turn)
    return [
        Session(
            id=record.id,
            started=record.started,
            ended=record.ended,
            topic=record.topic,
            channel=record.channel,
            turns=tuple(_turn(turn) for turn in sorted(turns[record.id], key=lambda turn: turn.position)),
            offset_minutes=record.offset_minutes,
            turn_offsets={id_: m for entry in queued[record.id] for id_, m in (entry.body or {}).get("offsets", {}).items()},
        )
        for record in graph.sessions()
        if record.id in turns
    ]


def _turn(record: TurnRecord) -> Turn:
    return Turn(id=record.id, role=record.role, speaker=record.speaker, text=record.text, time=record.time, spans=record.spans)


def _left(entries: Sequence[Entry]) -> frozenset[str]:
    left: set[str] = set()
    for entry in entries:
        turns = (entry.body or {}).get("turns", ())
        left = left | set(turns) if entry.type == QUEUED else left - set(turns)
    return frozenset(left)
