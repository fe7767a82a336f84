"""Reconciliation: what do new claims do to what we have?  Pure: admitted claims and live statements in, a plan out.

Invariant: nothing is overwritten and nothing is decided twice.  A claim corroborates an existing statement, corrects one,
or becomes a new statement; what ends or contradicts what then follows from the whole set (`timeline.conclude`), and the
difference to the links that already stand is the plan.  The links that stand follow from the statements as they were, so
only what a changed statement can bear on is concluded anew (`timeline.conclude_about`).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from graphmem.admission import Admitted, lasting
from graphmem.canonical import names_same, object_key
from graphmem.closing import closing as closing
from graphmem.closing import settles
from graphmem.graph.base import Node
from graphmem.model import TIER_RANK, Tier
from graphmem.pairing import Pairing
from graphmem.records import CONSOLIDATED, EvidenceRecord, LinkRecord, LinkRetired, StatementRecord, key
from graphmem.rivals import rivals, said
from graphmem.timeline import Conclusion, closings, conclude_about
from graphmem.validity import position, touching

DERIVED_KINDS = frozenset({"SUPERSEDES", "CONTRADICTS", "REFINES"})


class Outcome(NamedTuple):
    """What became of one claim: a new statement, another support for one, or nothing (with the reason)."""

    what: Literal["recorded", "corroborated", "repeated", "nothing_to_close"]
    statement: str
    claim: Admitted


class Plan(NamedTuple):
    """All that a session's claims change; applied by the caller, who alone writes."""

    statements: tuple[StatementRecord, ...]
    evidence: tuple[EvidenceRecord, ...]
    links: tuple[LinkRecord, ...]
    retired: tuple[LinkRetired, ...]
    outcomes: tuple[Outcome, ...]


class _Known:
    """A statement in the working set: what the graph knows of it plus what this plan adds."""

    def __init__(self, node: Node) -> None:
        self.record = node.record
        self.retired = node.retirement is not None
        self.tier: Tier = "confirmed" if node.confirmations else _top(node.record, node.evidence)
        self.turns = {item.turn_key for item in node.evidence}
        self.links = [link for link, gone in node.links if gone is None]
        self.all_links = [link for link, _ in node.links]

    @property
    def corrected(self) -> bool:
        return any(link.kind == "CORRECTS" and link.target == self.record.id for link in self.links)

    @property
    def live(self) -> bool:
        return not self.retired and not self.corrected


class _Working:
    """The working set: statements by id, in the order in which they came, and by what they can matter to."""

    def __init__(self, nodes: Iterable[Node], unseen: Collection[str] = ()) -> None:
        self.unseen = unseen
        self.known = {node.record.id: _Known(node) for node in nodes}
        self.tiers = {id_: item.tier for id_, item in self.known.items()}
        self.pairing = Pairing(item.record for item in self.known.values())

    def add(self, item: _Known) -> None:
        self.known[item.record.id] = item
        self.tiers[item.record.id] = item.tier
        self.pairing.add(item.record)

    def lift(self, item: _Known, tier: Tier) -> bool:
        """Give a statement a tier, if it is higher than the one it has."""
        if TIER_RANK[tier] <= TIER_RANK[item.tier]:
            return False
        item.tier = self.tiers[item.record.id] = tier
        return True

    def near(self, record: StatementRecord) -> list[_Known]:
        """The live statements that can matter to a record."""
        return [item for item in (self.known[id_] for id_ in self.pairing.near(record)) if item.live]

    def alike(self, record: StatementRecord) -> list[_Known]:
        """The live statements with its relation and object."""
        return [item for item in (self.known[id_] for id_ in self.pairing.alike(record)) if item.live]

    def current(self, id_: str) -> StatementRecord | None:
        """The live statement with an id, with the tier that it has now."""
        item = self.known.get(id_)
        if item is None or not item.live:
            return None
        return item.record if item.tier == item.record.tier else item.record.model_copy(update={"tier": item.tier})

    def now(self, item: _Known) -> StatementRecord:
        """A live statement with the tier that it has now."""
        return self.current(item.record.id) or item.record

    def raised(self, item: _Known, tier: Tier) -> StatementRecord:
        """A live statement as it would be with a support of some tier."""
        record = self.now(item)
        return record if TIER_RANK[tier] <= TIER_RANK[record.tier] else record.model_copy(update={"tier": tier})

    def settles(self, record: StatementRecord) -> bool:
        """Whether what was told only to settle something does so."""

        def closed(other: StatementRecord) -> bool:
            links = self.known[other.id].links
            given_way = any(
                link.kind == "SUPERSEDES" and link.target == other.id and (link.at or link.said_at) <= record.asserted_at
                for link in links
            )
            return given_way or self.closed_by(other, record.asserted_at)

        return settles(record, [self.now(item) for item in self.near(record) if item.record.id not in self.unseen], closed)

    def closed_by(self, record: StatementRecord, at: datetime) -> bool:
        """Whether a live statement, with the tier that it has in `record`, has ended or given way to another by then."""
        found = closings(record, self.current, ChainMap({record.id: record.tier}, self.tiers), self.pairing)
        return any(conclusion.at is not None and conclusion.at <= at for conclusion in found)


def _top(record: StatementRecord, evidence: Iterable[EvidenceRecord]) -> Tier:
    return max([item.tier for item in evidence] or [record.tier], key=TIER_RANK.__getitem__)


def reconcile(
    claims: Sequence[Admitted],
    live: Iterable[Node],
    *,
    secret: str,
    now: datetime,
    corrects: str | None = None,
    unseen: Collection[str] = (),
) -> Plan:
    """Decide what a list of admitted claims, in the order they were said, does to the live statements.

    Args:
        claims: admitted claims of one session.
        live: the statements that may be concerned (`graphmem.vicinity` says which).
        secret: keys the ids of links.
        now: time of recording.
        corrects: id of a statement that the first claim replaces by the owner's own act.
        unseen: ids of live statements that whoever gives the claims may not know of: what is kept only because it settles
            something must not tell of them.
    """
    work = _Working(live, unseen)
    changed: dict[str, None] = {}
    new: list[_Known] = []
    evidence: list[EvidenceRecord] = []
    links: list[LinkRecord] = []
    outcomes: list[Outcome] = []
    for number, claim in enumerate(claims):
        target = corrects if number == 0 else None
        twin = None if target else _twin(claim, work)
        if twin is not None:
            if claim.evidence.turn_key in twin.turns:
                outcomes.append(Outcome("repeated", twin.record.id, claim))
                continue
            moved = claim.evidence.model_copy(
                update={
                    "statement": twin.record.id,
                    "id": key("e", secret, twin.record.id, claim.evidence.turn_key, str(claim.evidence.start)),
                }
            )
            twin.turns.add(moved.turn_key)
            if work.lift(twin, moved.tier):
                changed[twin.record.id] = None
            evidence.append(moved)
            outcomes.append(Outcome("corroborated", twin.record.id, claim))
            continue
        record = closing(claim.record) if claim.done else claim.record
        if claim.done and not work.settles(record):
            outcomes.append(Outcome("nothing_to_close", "", claim))
            continue
        wrongs = _corrected_by(record, work, target)
        if target is None:
            record = _in_the_place_of(record, [wrong.record for wrong in wrongs])
        item = _Known(Node(record, (claim.evidence,), (), None, ()))
        for wrong in wrongs:
            link = _link(
                Conclusion("CORRECTS", record.id, wrong.record.id, "owner" if target else "cue"),
                record, wrong, item, secret, now,
            )  # fmt: skip
            links.append(link)
            wrong.links.append(link)
            item.links.append(link)
            changed[wrong.record.id] = None
        work.add(item)
        new.append(item)
        changed[record.id] = None
        evidence.append(claim.evidence)
        outcomes.append(Outcome("recorded", record.id, claim))
    added, retired = _settle(work, changed, secret=secret, now=now, reason=new[0].record.id if new else "withdrawn")
    return Plan(tuple(item.record for item in new), tuple(evidence), (*links, *added), tuple(retired), tuple(outcomes))


def withdraw(
    nodes: Iterable[Node], gone: str, *, secret: str, now: datetime, reason: str, confirmed: str | None = None
) -> Plan:
    """What follows when a statement is withdrawn: its links go, and what it had ended or corrected revives.

    With `confirmed` that statement is lifted to the highest tier in the same step.
    """
    work = _Working(nodes)
    lost = work.known[gone]
    lost.retired = True
    changed = {gone: None}
    if confirmed is not None and work.lift(work.known[confirmed], "confirmed"):
        changed[confirmed] = None
    retired = []
    for item in work.known.values():
        for link in [link for link in item.links if gone in (link.source, link.target)]:
            item.links.remove(link)
            if link.kind == "CORRECTS":
                changed[item.record.id] = None
            if item is lost:
                retired.append(LinkRetired(link=link.id, at=now, reason=reason))
    added, more = _settle(work, changed, secret=secret, now=now, reason="withdrawn")
    return Plan((), (), tuple(added), (*retired, *more), ())


def uplift(nodes: Iterable[Node], confirmed: str, *, secret: str, now: datetime) -> Plan:
    """What follows when the owner confirms a statement, which from then on has the highest tier."""
    work = _Working(nodes)
    work.lift(work.known[confirmed], "confirmed")
    added, retired = _settle(work, [confirmed], secret=secret, now=now, reason=confirmed)
    return Plan((), (), tuple(added), tuple(retired), ())


def reconsider(nodes: Iterable[Node], *, secret: str, now: datetime) -> Plan:
    """What follows now from the statements that are left, as a plan (after an erasure)."""
    work = _Working(nodes)
    added, retired = _settle(work, work.known, secret=secret, now=now, reason="withdrawn")
    return Plan((), (), tuple(added), tuple(retired), ())


def _settle(
    work: _Working, changed: Collection[str], *, secret: str, now: datetime, reason: str
) -> tuple[list[LinkRecord], list[LinkRetired]]:
    """The difference between the links that stand and those that follow, as far as the changed statements bear on it."""
    known = work.known
    verdict = conclude_about(
        [work.current(id_) or known[id_].record for id_ in changed],
        work.current,
        work.tiers,
        work.pairing,
    )
    standing: dict[tuple[str, str, str], LinkRecord] = {}
    for item in known.values():
        for link in item.links:
            if link.rule in CONSOLIDATED:
                continue
            if link.kind in DERIVED_KINDS and link.source in known and link.target in known and verdict.covers(link):
                standing[link.kind, link.source, link.target] = link
    added, kept = [], set()
    for conclusion in verdict.found:
        identity = conclusion.kind, conclusion.source, conclusion.target
        found = standing.get(identity)
        if found is not None and (found.at, found.rule) == (conclusion.at, conclusion.rule):
            kept.add(identity)
            continue
        source, target = known[conclusion.source], known[conclusion.target]
        added.append(_link(conclusion, source.record, target, source, secret, now))
    retired = [LinkRetired(link=link.id, at=now, reason=reason) for identity, link in standing.items() if identity not in kept]
    return added, retired


def _twin(claim: Admitted, work: _Working) -> _Known | None:
    """The live statement that says the same thing of a time that touches, with nothing else in between (T12)."""
    record = claim.record
    if record.kind == "open_item" and claim.done:
        return None
    for item in work.alike(record):
        other = item.record
        same = (
            (other.subject_key, other.predicate, other.object_key) == (
                record.subject_key, record.predicate, record.object_key
            )
            and (other.polarity, other.context_key, other.modality, other.temporal) == (
                record.polarity, record.context_key, record.modality, record.temporal
            )
            and _family(other.kind) == _family(record.kind)
            and other.details.get("due") == record.details.get("due")
        )  # fmt: skip
        if not same or not touching((other.valid_from, other.valid_to), (record.valid_from, record.valid_to)):
            continue
        if claim.evidence.turn_key in item.turns:
            return item  # this very turn was counted before
        # A suggestion has no rivals; what has to be free of them is the statement that this telling would make of it.
        supported = work.raised(item, claim.evidence.tier)
        low, high = sorted((position(other), position(record)))
        between = any(low < position(third.record) < high and rivals(work.now(third), supported) for third in work.near(other))
        # What is only going to end is still supported.
        ended = _told_before(other, record) and work.closed_by(supported, position(record))
        if not between and not ended:
            return item
    return None


def _told_before(one: StatementRecord, other: StatementRecord) -> bool:
    """Whether one was told at an earlier moment; of two sessions of one moment neither was, although `said` orders them."""
    together = one.session == other.session
    first, second = ((record.session_started, record.asserted_at, record.order if together else 0) for record in (one, other))
    return first < second


def _family(kind: str) -> str:
    return "state" if kind in ("fact", "preference") else kind


def _corrected_by(record: StatementRecord, work: _Working, target: str | None) -> list[_Known]:
    """The statements that this one puts right."""
    if target is not None:
        wrong = work.known.get(target)
        return [wrong] if wrong is not None and wrong.live else []
    if record.cue != "correction" or record.tier == "inferred":
        return []
    earlier = [
        item
        for item in work.near(record)
        if item.record.subject_key == record.subject_key
        and said(item.record) < said(record)
        and item.record.kind == record.kind
        and item.record.polarity == "positive"
    ]
    if record.replaces:
        replaced = object_key(record.replaces)
        named = [item for item in earlier if names_same(replaced, item.record.object_key)]
        same = [item for item in named if item.record.predicate == record.predicate]
        return same or named
    same_relation = [item for item in earlier if item.record.predicate == record.predicate]
    if record.polarity == "negative":
        return [item for item in same_relation if names_same(record.object_key, item.record.object_key)]
    excluded = [item for item in same_relation if rivals(work.now(item), record)]
    if excluded:
        return [item for item in excluded if _of_its_time(record, item, work)]
    # A many-valued relation: only what was just said can be meant.
    recent = [
        item
        for item in same_relation
        if item.record.object_key != record.object_key
        and (item.record.session == record.session or record.predicate == "name")
        and item.record.context_key == record.context_key
    ]
    return [max(recent, key=lambda item: said(item.record))] if recent else []


def _of_its_time(record: StatementRecord, item: _Known, work: _Working) -> bool:
    """Whether a correction that names no wrong value can mean this one: what is over, if it speaks of the past (T13)."""
    other, at = item.record, record.asserted_at
    if record.temporal == "future":
        return other.temporal == "future" or (other.valid_from is not None and other.valid_from > at)
    over = other.temporal in ("past", "ended") or (other.valid_to is not None and other.valid_to <= at)
    return (over or work.closed_by(work.now(item), at)) == (record.temporal in ("past", "ended"))


def _in_the_place_of(record: StatementRecord, wrong: Sequence[StatementRecord]) -> StatementRecord:
    """The correction with the interval of what it corrects, unless it brings its own or only denies (T13)."""
    told = record.valid_from or record.valid_to
    timed = [old for old in wrong if old.temporal == record.temporal and (old.valid_from or old.valid_to)]
    if told or record.polarity == "negative" or not timed:
        return record
    old = max(timed, key=said)
    return lasting(record, old.valid_from, old.valid_to, old.valid_granularity)


def _link(
    conclusion: Conclusion,
    source: StatementRecord,
    target: _Known,
    holder: _Known,
    secret: str,
    now: datetime,
) -> LinkRecord:
    pair = conclusion.kind, conclusion.source, conclusion.target
    # A link that was retired and follows again is a new link.
    times = len({link.id for link in holder.all_links + target.all_links if (link.kind, link.source, link.target) == pair})
    newer = max((source, target.record), key=said)
    overlap = conclusion.overlap or (None, None)
    return LinkRecord(
        id=key("l", secret, *pair, str(times)),
        kind=conclusion.kind,
        source=conclusion.source,
        target=conclusion.target,
        rule=conclusion.rule,
        tier=min((source.tier, target.tier), key=TIER_RANK.__getitem__),
        recorded_at=now,
        said_at=newer.asserted_at,
        at=conclusion.at,
        granularity=conclusion.granularity,
        overlap_from=overlap[0],
        overlap_to=overlap[1],
    )
