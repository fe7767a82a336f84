"""From a graph node to the public statement: status, tier and interval derived for one pair of clocks.

Invariant: nothing here is stored.  `at` is the instant in the world that is asked about, `known_at` the moment of the
memory's own knowledge; the same node gives the same answer for the same pair, whatever happened later.
"""

from __future__ import annotations

from datetime import datetime

from graphmem.graph.base import Node
from graphmem.model import TIER_RANK, Evidence, Statement, Status, Tier, TurnView, built
from graphmem.ontology import relation
from graphmem.records import QUARANTINE, EvidenceRecord, LinkRecord, StatementRecord, TurnRecord

ENDING_RULES = frozenset({"ended", "done", "off"})


def live_links(node: Node, known_at: datetime) -> list[LinkRecord]:
    """Links that the memory held at `known_at`."""
    return [link for link, retired in node.links if link.recorded_at <= known_at and (retired is None or retired > known_at)]


def tier_of(node: Node, evidence: list[EvidenceRecord], known_at: datetime) -> Tier:
    """The highest tier among the evidence known then; a confirmation lifts it to the top."""
    if any(confirmation.at <= known_at for confirmation in node.confirmations):
        return "confirmed"
    tiers: list[Tier] = [item.tier for item in evidence] or [node.record.tier]
    return max(tiers, key=TIER_RANK.__getitem__)


def bounds(
    record: StatementRecord, evidence: list[EvidenceRecord], ends: list[LinkRecord]
) -> tuple[datetime | None, datetime | None, str | None]:
    """Valid from, valid to and granularity: what the sources gave, and the end that a later statement implies."""
    start, end, granularity = record.valid_from, record.valid_to, record.valid_granularity
    for item in evidence:
        # A later source may give a bound that the first one left open.
        if start is None and item.valid_from is not None:
            start, granularity = item.valid_from, granularity or item.valid_granularity
        if end is None and item.valid_to is not None:
            end, granularity = item.valid_to, granularity or item.valid_granularity
    for link in ends:
        implied = link.at or link.said_at
        if end is None or implied < end:
            end = implied
    if start is not None and end is not None and end < start:
        end = start
    return start, end, granularity


def _status(
    node: Node,
    tier: Tier,
    links: list[LinkRecord],
    interval: tuple[datetime | None, datetime | None],
    at: datetime,
    known_at: datetime,
) -> Status:
    record = node.record
    if node.retirement is not None and node.retirement.at <= known_at:
        return "retracted"
    if any(link.kind == "CORRECTS" and link.target == record.id for link in links):
        return "corrected"
    if tier == "inferred" and QUARANTINE in record.details and not _of_user(node, known_at):
        return "quarantined"
    if tier == "inferred" or record.modality in ("possible", "hypothetical"):
        return "suggested"
    start, end = interval
    closing = [
        link for link in links if link.kind == "SUPERSEDES" and link.target == record.id and (link.at or link.said_at) <= at
    ]
    if closing:
        return "past" if all(link.rule in ENDING_RULES for link in closing) else "superseded"
    # The interval of a plan or task is its period; only a later statement says what became of it.  That of a
    # permanent relation is its value (a date of birth), not the time for which it holds.
    permanent = relation(record.predicate).permanence == "permanent" and record.temporal == "current"
    if record.modality == "intended" or permanent or record.kind == "open_item":
        return "current"
    if start is not None and start > at:
        return "planned"
    if end is not None and end <= at:
        return "past"
    if record.temporal in ("past", "ended"):
        return "past"
    return "current"


def _of_user(node: Node, known_at: datetime) -> bool:
    """Whether the user's own words say it too, however doubtfully."""
    return any(item.role == "user" and item.recorded_at <= known_at for item in node.evidence)


def waits(statement: Statement) -> bool:
    """Whether a statement is in quarantine, or was withdrawn there: it is shown to nobody who does not ask for it."""
    own = any(item.role == "user" for item in statement.evidence)
    return statement.tier == "inferred" and QUARANTINE in statement.details and not own


def stands(statement: Statement) -> bool:
    """Whether a statement can be a side of an open contradiction; what happened once stands for good."""
    return statement.status in ("current", "planned") or (statement.kind == "episode" and statement.status == "past")


def holds(statement: Statement, record: StatementRecord, at: datetime) -> bool:
    """Whether the statement is held to be true of the instant `at`.

    With an unknown start it is vouched for from the moment it was said (T3), a permanent relation at any time.
    """
    if statement.status not in ("current", "superseded", "past"):
        return False
    if relation(record.predicate).permanence == "permanent" and record.temporal == "current":
        return True
    if statement.valid_to is not None and statement.valid_to <= at:
        return False
    if statement.valid_from is not None:
        return statement.valid_from <= at
    if record.temporal in ("past", "ended"):
        return False
    return record.asserted_at <= at


def evidence_model(item: EvidenceRecord) -> Evidence:
    """The public form of a piece of evidence."""
    return built(
        Evidence,
        {
            "session": item.session,
            "turn": item.turn,
            "role": item.role,
            "speaker": item.speaker,
            "start": item.start,
            "end": item.end,
            "quote": item.quote,
            "said_at": item.said_at,
            "recorded_at": item.recorded_at,
            "tier": item.tier,
            "extractor": item.extractor,
        },
    )


def turn_view(turn: TurnRecord) -> TurnView:
    """The public form of a turn."""
    return TurnView.model_construct(
        id=turn.id,
        session=turn.session,
        position=turn.position,
        role=turn.role,
        speaker=turn.speaker,
        text=turn.text,
        time=turn.time,
    )


def view(node: Node, at: datetime, known_at: datetime) -> Statement | None:
    """The statement as it stood; None if no quote for it was known at `known_at`."""
    record = node.record
    if record.recorded_at > known_at:
        return None
    evidence = [item for item in node.evidence if item.recorded_at <= known_at]
    if not evidence:
        return None  # the quotes that it rested on then were erased
    links = live_links(node, known_at)
    tier = tier_of(node, evidence, known_at)
    ends = [link for link in links if link.kind == "SUPERSEDES" and link.target == record.id]
    start, end, granularity = bounds(record, evidence, ends)
    corrected = [link for link in links if link.kind == "CORRECTS" and link.target == record.id]
    retracted_at = None
    if node.retirement is not None and node.retirement.at <= known_at:
        retracted_at = node.retirement.at
    elif corrected:
        retracted_at = min(link.recorded_at for link in corrected)
    sessions = {item.session for item in evidence}
    # Repetition in further sessions adds confidence, but never certainty.
    confidence = 1 - (1 - record.confidence) * 0.6 ** (max(len(sessions), 1) - 1)
    return built(
        Statement,
        {
            "id": record.id,
            "kind": record.kind,
            "text": record.text,
            "subject": record.subject,
            "predicate": record.predicate,
            "object": record.object,
            "polarity": record.polarity,
            "modality": record.modality,
            "context": record.context,
            "valid_from": start,
            "valid_to": end,
            "valid_granularity": granularity,
            "asserted_at": record.asserted_at,
            "recorded_at": record.recorded_at,
            "retracted_at": retracted_at,
            "status": _status(node, tier, links, (start, end), at, known_at),
            "tier": tier,
            "confidence": round(0.99 if tier == "confirmed" else confidence, 4),
            "importance": record.importance,
            "sensitivity": record.sensitivity,
            "content_hash": record.content_hash,
            "evidence": tuple([evidence_model(item) for item in evidence]),
            "supersedes": _ends(links, "SUPERSEDES", record.id, outgoing=True),
            "superseded_by": _ends(links, "SUPERSEDES", record.id, outgoing=False),
            "corrects": _ends(links, "CORRECTS", record.id, outgoing=True),
            "contradicts": tuple(
                sorted(link.target if link.source == record.id else link.source for link in links if link.kind == "CONTRADICTS")
            )
            if links
            else (),
            "details": dict(record.details),
        },
    )


def settled_at(node: Node) -> datetime:
    """The last instant that a view of a node hangs on: for any two clocks at or after it the view is the same."""
    record = node.record
    times = [record.recorded_at, record.valid_from, record.valid_to]
    for item in node.evidence:
        times += (item.recorded_at, item.valid_from, item.valid_to)
    for link, retired in node.links:
        times += (link.recorded_at, link.at, link.said_at, retired)
    if node.retirement is not None:
        times.append(node.retirement.at)
    times += [confirmation.at for confirmation in node.confirmations]
    return max(time for time in times if time is not None)


def _ends(links: list[LinkRecord], kind: str, own: str, *, outgoing: bool) -> tuple[str, ...]:
    if not links:
        return ()
    return tuple(
        sorted(
            link.target if outgoing else link.source
            for link in links
            if link.kind == kind and (link.source if outgoing else link.target) == own
        )
    )
