"""What of an export its own words bear: read again, where no ledger in the file proves that they were read so.

Invariant: a statement is borne only if words of the user that it quotes say it again, text and time and all: as the rules read
them, or the gate that agents go through.  A note of the owner is its own words, and a summary the texts of statements that
are borne.  Nothing that the file concludes is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from graphmem.admission import Admission
from graphmem.canonical import names_same
from graphmem.extractors.base import USER, Claim, Refusal, TimeValue
from graphmem.extractors.proposals import Proposal
from graphmem.grounding import ground
from graphmem.model import Frozen, Rejection, Session, Turn
from graphmem.reconcile import closing
from graphmem.records import SESSION, THEME, Delta, EvidenceRecord, StatementRecord, TurnRecord
from graphmem.themes import heading

ABOUT = ("predicate", "subject_key", "polarity")  # a quote that supports a statement shares these with it
ALIKE = (*ABOUT, "kind", "modality", "temporal", "context_key", "text")  # and the one that it was made from these too
NOTED = ("note", "event", "rule", "task")  # what words are kept as that no rule reads
OFFSET = timedelta(days=1)  # an export has the offset of a session, and not of each of its turns
SUGGESTED = 0.4
Record = TypeVar("Record", bound=Frozen)
Quoted = tuple[StatementRecord, EvidenceRecord]


class Unborne(NamedTuple):
    """Ids of stated statements that no words of the file say, and of evidence whose words do not."""

    statements: frozenset[str]
    evidence: frozenset[str]


def lowered(delta: Delta, lost: Unborne) -> Delta:
    """The records with these as suggestions, which end nothing, clash with nothing and make no two names one."""

    def suggested(items: Sequence[Record], ids: frozenset[str], name: str, **more: object) -> tuple[Record, ...]:
        update = {"tier": "inferred", **more}
        return tuple(item.model_copy(update=update) if getattr(item, name) in ids else item for item in items)

    gone = {
        link.id
        for link in delta.links
        if link.kind != "DERIVED_FROM" and (link.source in lost.statements or link.target in lost.statements)
    }
    return delta.model_copy(
        update={
            "statements": suggested(delta.statements, lost.statements, "id", confidence=SUGGESTED),
            "evidence": suggested(delta.evidence, lost.evidence, "id", confidence=SUGGESTED),
            "mentions": suggested(delta.mentions, lost.statements, "statement"),
            "same_as": suggested(delta.same_as, lost.statements, "statement"),
            "links": suggested([link for link in delta.links if link.id not in gone], lost.statements, "source"),
            "links_retired": tuple(item for item in delta.links_retired if item.link not in gone),
        }
    )


def unborne(delta: Delta, *, user: str) -> Unborne:
    """What an export calls stated, and its words do not say."""
    stated = {record.id: record for record in delta.statements if record.tier != "inferred"}
    summaries = {id_ for id_, record in stated.items() if record.predicate in (SESSION, THEME)}
    links: dict[tuple[str, str], list[str]] = {}
    for link in delta.links:
        links.setdefault((link.kind, link.source), []).append(link.target)
    noted = {id_ for id_, record in stated.items() if _may_be_note(record, links.get(("CORRECTS", id_), ()), stated)}

    quoted: dict[str, list[Quoted]] = {}
    for item in delta.evidence:
        if item.tier != "inferred" and item.statement in stated and item.statement not in summaries:
            quoted.setdefault(item.session, []).append((stated[item.statement], item))
    told = _sessions(delta)
    made, backed = set[str](), set[str]()
    for name in sorted(quoted):
        for record, item, whole in _read_again(told[name], quoted[name], noted, user):
            backed.add(item.id)
            if whole:
                made.add(record.id)

    lost = set(stated) - summaries - made
    borne = {id_: record for id_, record in stated.items() if id_ in made}
    lost |= {id_ for id_ in summaries if not _told_by(stated[id_], links.get(("DERIVED_FROM", id_), ()), borne)}
    empty = {
        item.id
        for item in delta.evidence
        if item.tier != "inferred" and (item.statement in lost or (item.statement in made and item.id not in backed))
    }
    return Unborne(frozenset(lost), frozenset(empty))


def _may_be_note(record: StatementRecord, wrong: Iterable[str], stated: Mapping[str, StatementRecord]) -> bool:
    """Whether it was noted as it was said: of itself, or as the value that puts another statement right."""
    if record.rule == "remember":
        return record.predicate in NOTED
    return record.rule == "correct" and any(id_ in stated and stated[id_].predicate == record.predicate for id_ in wrong)


def _told_by(record: StatementRecord, bases: Sequence[str], borne: Mapping[str, StatementRecord]) -> bool:
    """Whether a summary is the texts of what it was made from, and of nothing else."""
    made_from = [borne[base] for base in bases if base in borne]
    if len(made_from) < len(bases) or record.object != record.text:
        return False
    if record.predicate == THEME:
        return _sums_up(record, made_from)
    left = record.text.removeprefix(f"Session of {record.session_started.date().isoformat()}:")
    for base in made_from:
        text = f" {base.text.rstrip('.')}"
        if text not in left:
            return False
        left = left.replace(text, "", 1)
    return not left.strip(" ;.")


def _sums_up(record: StatementRecord, sources: Sequence[StatementRecord]) -> bool:
    """Whether the summary of a theme has a name that they share and their texts, and counts those it has no room for."""
    name = record.details.get("topics")
    said = " ".join(source.object for source in sources).casefold()
    if not sources or not isinstance(name, list) or not all(isinstance(word, str) and word.casefold() in said for word in name):
        return False
    head = heading(name, [source.asserted_at for source in sources])
    if not record.text.startswith(head):
        return False
    left, missing = record.text.removeprefix(head), 0
    for text in sorted((f" {source.text.rstrip('.')}" for source in sources), key=len, reverse=True):
        missing += text not in left
        left = left.replace(text, "", 1)
    return left.strip(" ;.") == (f"and {missing} more" if missing else "")


def _sessions(delta: Delta) -> dict[str, Session]:
    turns: dict[str, list[TurnRecord]] = {}
    for turn in sorted(delta.turns, key=lambda turn: turn.position):
        turns.setdefault(turn.session, []).append(turn)
    return {
        item.id: Session(
            id=item.id, started=item.started, ended=item.ended, channel=item.channel, offset_minutes=item.offset_minutes,
            turns=tuple(
                Turn(id=turn.id, role=turn.role, speaker=turn.speaker, text=turn.text, time=turn.time, spans=turn.spans)
                for turn in turns.get(item.id, ())
            ),
        )
        for item in delta.sessions
    }  # fmt: skip


def _read_again(
    session: Session, quoted: Sequence[Quoted], noted: set[str], user: str
) -> list[tuple[StatementRecord, EvidenceRecord, bool]]:
    """The quotes of a session that support their statements; True with one that says the whole statement."""
    from graphmem.extractors.gate import gate
    from graphmem.extractors.rules import RuleExtractor

    admission = Admission(session, user=user, secret="", extractor="", now=session.started)

    def admitted(claim: Claim) -> StatementRecord | None:
        there = ground(claim, session)
        found = there if isinstance(there, Rejection) else admission.admit(there)
        if isinstance(found, Rejection) or found.record.tier == "inferred":
            return None
        return closing(found.record) if claim.done else found.record

    read = [(claim, made) for claim in RuleExtractor().extract(session).claims if (made := admitted(claim)) is not None]
    found, rest = [], []
    for record, item in quoted:
        near = [made for claim, made in read if claim.turn == item.turn and claim.start < item.end and item.start < claim.end]
        if record.id in noted and (note := admitted(_note(record, item, session))) is not None:
            near.append(note)
        if any(_same(record, made) for made in near):
            found.append((record, item, True))
        else:
            rest.append((record, item, any(_supports(record, made) for made in near)))
    for (record, item, supported), result in zip(rest, gate(session, [_proposal(*pair[:2]) for pair in rest]), strict=True):
        made = None if isinstance(result, Refusal) else admitted(result)
        whole = made is not None and _same(record, made)
        if whole or supported or (made is not None and _supports(record, made)):
            found.append((record, item, whole))
    return found


def _same(record: StatementRecord, made: StatementRecord) -> bool:
    """Whether a record is what its words say: they may say more of the value, and not less."""
    return (
        all(getattr(record, name) == getattr(made, name) for name in ALIKE)
        and set(record.object_key.split()) <= set(made.object_key.split())
        and record.details.get("due") == made.details.get("due")
        and _near(record.valid_from, made.valid_from)
        and _near(record.valid_to, made.valid_to)
    )


def _supports(record: StatementRecord, made: StatementRecord) -> bool:
    """Whether words say what a statement says, be it in other words or of another time."""
    same = record.object_key == made.object_key or names_same(record.object_key, made.object_key)
    return same and all(getattr(record, name) == getattr(made, name) for name in ABOUT)


def _near(left: datetime | None, right: datetime | None) -> bool:
    return left == right or (left is not None and right is not None and abs(left - right) <= OFFSET)


def _note(record: StatementRecord, item: EvidenceRecord, session: Session) -> Claim:
    """A whole turn of the owner's as what it was noted as."""
    text = next((turn.text for turn in session.turns if turn.id == item.turn), "") if session.channel == record.rule else ""
    time = None
    if record.rule == "correct" and (record.valid_from or record.valid_to):  # it holds for the time of what it puts right
        time = TimeValue(text="", start=record.valid_from, end=record.valid_to, granularity=record.valid_granularity)
    return Claim(
        turn=item.turn, start=0, end=len(text), quote=text, kind=record.kind, subject=record.subject, rule=record.rule,
        predicate=record.predicate, object=text, polarity=record.polarity, modality=record.modality, context=record.context,
        temporal=record.temporal, details=record.details, time=time,
    )  # fmt: skip


def _proposal(record: StatementRecord, item: EvidenceRecord) -> Proposal:
    """What the file says, as somebody would propose it who is not believed."""
    return Proposal(
        turn=item.turn, quote=item.quote, start=item.start, kind=record.kind, predicate=record.predicate,
        subject=USER if record.subject_key == USER else record.subject, object=record.object, polarity=record.polarity,
        modality=record.modality, temporal=record.temporal, context=record.context, replaces=record.replaces,
        time=record.time_text or None,
    )  # fmt: skip
