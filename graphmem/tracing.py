"""Tracing and verifying: the way back to the words, read from the ledger and not from the graph.

Invariant: a quote counts as verified only if the ledger's own copy of the turn has exactly these characters at exactly
this place.
"""

from __future__ import annotations

from datetime import datetime
from itertools import takewhile

from graphmem.folding import delta_of
from graphmem.graph.base import Graph, Node
from graphmem.ledger import Ledger
from graphmem.model import TIER_RANK, LedgerEntry, Statement, TierStep, Trace, TraceEvidence, VerifyReport
from graphmem.reading import Reader
from graphmem.records import EvidenceRecord
from graphmem.register_watch import fault
from graphmem.space import Space
from graphmem.views import turn_view

NEIGHBOURS = 2  # turns shown before and after the quoted one


class Transcript:
    """The turns of sessions as the ledger holds them now (an erasure may have replaced a text)."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._texts: dict[str, dict[str, str]] = {}

    def text(self, session: str, key: str) -> str | None:
        """The text of a turn, or None if the ledger does not have it."""
        if session not in self._texts:
            texts: dict[str, str] = {}
            for entry in self._ledger.about(session):
                for turn in (entry.body or {}).get("delta", {}).get("turns", ()):
                    texts[turn.get("key", "")] = turn.get("text", "")
            self._texts[session] = texts
        return self._texts[session].get(key)

    def verified(self, item: EvidenceRecord) -> bool:
        """Whether the quote stands where the evidence says."""
        text = self.text(item.session, item.turn_key)
        return text is not None and bool(item.quote) and text[item.start : item.end] == item.quote


def trace(space: Space, reader: Reader, id_: str) -> Trace:
    """The evidence of a statement with its turns and their neighbours, how its tier came about, and its history."""
    node, statement = reader.node(id_), reader.one(id_)
    transcript = Transcript(space.ledger)
    shown = []
    for item in node.evidence:
        around = space.graph.around(item.turn_key, NEIGHBOURS, NEIGHBOURS)
        place = next(number for number, turn in enumerate(around) if turn.key == item.turn_key)
        shown.append(
            TraceEvidence(
                evidence=next(
                    e for e in statement.evidence if (e.session, e.turn, e.start) == (item.session, item.turn, item.start)
                ),
                turn=turn_view(around[place]),
                before=tuple(turn_view(turn) for turn in around[:place]),
                after=tuple(turn_view(turn) for turn in around[place + 1 :]),
                verified=transcript.verified(item),
            )
        )
    history = tuple(
        LedgerEntry(
            seq=entry.seq,
            id=entry.id,
            at=entry.at,
            actor=entry.actor,
            role=entry.role,
            type=entry.type,
            subjects=entry.subjects,
            hash=entry.hash,
        )
        for entry in space.ledger.about(statement.id)
    )
    return Trace(
        statement=statement,
        evidence=tuple(shown),
        history=history,
        extractor=node.record.extractor,
        verified=tuple(item.verified for item in shown),
        same_as=reader.same_as(id_),
        rule=node.record.rule,
        steps=tier_steps(node, reader.known_at),
        related=tuple(reader.many(named_by(statement))),
    )


def named_by(statement: Statement) -> list[str]:
    """The statements that one names, each once."""
    named = (*statement.supersedes, *statement.superseded_by, *statement.corrects, *statement.contradicts)
    return list(dict.fromkeys(named))


def relation_of(statement: Statement, other: str) -> str:
    """What a statement has to do with another one, in words."""
    if other in statement.supersedes:
        return "Takes the place of"
    if other in statement.superseded_by:
        return "Replaced or ended by"
    return "Puts right" if other in statement.corrects else "Contradicts"


def tier_steps(node: Node, known_at: datetime) -> tuple[TierStep, ...]:
    """How a statement came to its tier: what gave it a higher one than it had, oldest first."""
    given = [
        TierStep(
            at=item.recorded_at,
            tier=item.tier,
            by=f"the words of {item.speaker or 'the ' + item.role}, found by {item.extractor}",
        )
        for item in node.evidence
    ]
    given += [
        TierStep(at=item.at, tier="confirmed", by=f"{item.actor} confirmed it word for word") for item in node.confirmations
    ]
    steps: list[TierStep] = []
    for step in sorted(given, key=lambda step: step.at):
        if step.at <= known_at and (not steps or TIER_RANK[step.tier] > TIER_RANK[steps[-1].tier]):
            steps.append(step)
    return tuple(steps)


def verify(space: Space) -> VerifyReport:
    """Check every quote against the ledger, the hash chain, and the graph against one built anew in memory.

    Others may write meanwhile.  A problem counts only if it is also there while nobody does: then it is looked for again.

    Raises:
        StoreLocked: a problem was seen, and another process kept writing for longer than the space waits.
    """
    report = _look(space)
    if not report.problems or space.ledger.damage or space.ledger.read_only:
        # A ledger that is damaged or may not be written was read once, into memory, where nobody changes it.
        return report
    with space.reading(alone=True):
        return _look(space)


def _look(space: Space) -> VerifyReport:
    """One look at the ledger and at the graph, each as it stands."""
    from graphmem.graph.reference import ReferenceGraph

    check = space.ledger.check()
    problems = list(check.problems)
    if problems:
        # Nothing can be held against a ledger that is itself damaged.
        return VerifyReport(
            quotes_checked=0,
            quotes_broken=(),
            ledger_ok=False,
            ledger_head=check.head,
            ledger_entries=check.entries,
            projection_equal=False,
            problems=(*problems, "restore the ledger from a backup; quotes and graph were not checked"),
        )
    graph: Graph = space.graph
    transcript = Transcript(space.ledger)
    broken: list[str] = []
    checked = 0
    for node in graph.nodes():
        if not node.evidence:
            problems.append(f"statement {node.record.id} has no evidence")
        for item in node.evidence:
            checked += 1
            if not transcript.verified(item):
                broken.append(item.id)
    fresh = ReferenceGraph(dimension=space.dimension)
    # The ledger may be ahead by now; both are held against each other at the entry where this graph stands.
    stood = graph.applied_seq()
    known = takewhile(lambda item: item[0].seq <= stood, space.ledger.history())
    fresh.load(delta_of(entry, vectors) for entry, vectors in known)
    here, there = graph.dump(), fresh.dump()
    differing = [table for table in sorted(here.keys() | there.keys()) if here.get(table, []) != there.get(table, [])]
    if differing:
        problems.append(
            f"the graph differs from the ledger in {', '.join(differing)}: run `graphmem rebuild` to build it again"
        )
    if (unfit := fault(space)) is not None:
        problems.append(unfit.text)
    if broken:
        problems.append(f"{len(broken)} quotes do not stand in their turns")
    return VerifyReport(
        quotes_checked=checked,
        quotes_broken=tuple(broken),
        ledger_ok=not check.problems,
        ledger_head=check.head,
        ledger_entries=check.entries,
        projection_equal=not differing,
        problems=tuple(problems),
    )
