"""What follows from a set of live statements: which ends which, which clash, which is finer.

Invariant: `conclude` is a pure function of the set, ordered by valid time, so it does not matter in which order things were
told or taken in, and leaving a statement out (retraction, erasure) revives what it had ended.  Rules T7-T12: presumptions
yield to later statements, known parts do not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import NamedTuple

from graphmem.canonical import names_same, refines, words
from graphmem.deeds import undone
from graphmem.duties import same_task
from graphmem.fates import RULES as FATES
from graphmem.fates import fate, meant
from graphmem.model import TIER_RANK, Tier
from graphmem.ontology import relation
from graphmem.pairing import Pairing, seeks
from graphmem.records import LinkKind, LinkRecord, StatementRecord
from graphmem.rivals import contexts_meet, exclusion, rivals, said, same_value
from graphmem.validity import BEGINNING, END, intersection, known_part, open_end, over_before, period_end, position

# What gives the live statement with an id, with the tier it has now, or None.
Lookup = Callable[[str], StatementRecord | None]
OF_PAIRS = frozenset({"ended", "done", "off", "moved"})  # rules of SUPERSEDES that look at two statements only


class Conclusion(NamedTuple):
    """A link that follows from the set; `source` is the newer statement, or the lesser id of a contradiction."""

    kind: LinkKind
    source: str
    target: str
    rule: str
    at: datetime | None = None
    granularity: str | None = None
    overlap: tuple[datetime | None, datetime | None] | None = None


class Verdict(NamedTuple):
    """Conclusions, and how far they go: all about pairs with a `changed` statement, and all successions of `asked` ones."""

    found: list[Conclusion]
    changed: frozenset[str]
    asked: frozenset[str]

    def covers(self, link: LinkRecord) -> bool:
        """Whether the conclusion behind a link was drawn anew, so that the link falls if it is not among those found."""
        if link.source in self.changed or link.target in self.changed:
            return True
        return link.kind == "SUPERSEDES" and link.rule not in OF_PAIRS and link.target in self.asked


class _Line:
    """Live statements in the order of valid time, of which each is asked only about those that can matter to it."""

    def __init__(self, live: Lookup, pairing: Pairing) -> None:
        self.live, self._pairing = live, pairing
        self._keys: dict[str, tuple[object, ...]] = {}
        self._sorted: dict[str, list[tuple[object, ...]]] = {}

    def key(self, record: StatementRecord) -> tuple[object, ...]:
        """Where the statement stands: by valid time, then by the order of saying; it ends in the id."""
        found = self._keys.get(record.id)
        if found is None:
            found = self._keys[record.id] = (position(record), *said(record))
        return found

    def near(self, record: StatementRecord) -> Iterator[StatementRecord]:
        """The live statements that can matter to this one."""
        for id_ in self._pairing.near(record):
            other = self.live(id_)
            if other is not None:
                yield other

    def after(self, record: StatementRecord) -> Iterator[StatementRecord]:
        """Those that stand after it, in order; found one by one, because the first few mostly decide."""
        own = self.key(record)
        rows = [self._row(mark) for mark in seeks(record)]
        last = own
        for found in merge(*(map(row.__getitem__, range(bisect_right(row, own), len(row))) for row in rows)):
            if found != last:
                last = found
                other = self.live(str(found[-1]))
                if other is not None:
                    yield other

    def _row(self, mark: str) -> list[tuple[object, ...]]:
        row = self._sorted.get(mark)
        if row is None:
            found = (self.live(id_) for id_ in self._pairing.under(mark))
            row = self._sorted[mark] = sorted({self.key(record) for record in found if record is not None})
        return row


def conclude(records: Iterable[StatementRecord], tiers: Mapping[str, Tier]) -> list[Conclusion]:
    """All conclusions about a set of live statements, in a fixed order.

    Args:
        records: statements that are neither retracted nor corrected.
        tiers: the tier each of them has now (a confirmation may have lifted it).
    """
    live = {record.id: record for record in records}
    return conclude_about(live.values(), live.get, tiers, Pairing(live.values())).found


def conclude_about(changed: Iterable[StatementRecord], live: Lookup, tiers: Mapping[str, Tier], pairing: Pairing) -> Verdict:
    """The conclusions that a change of some statements can have changed, in a fixed order.

    All conclusions but one are about a pair alone, so only pairs with a changed statement need a look.  What takes the
    place of a statement is the first of its rivals that stands after it, so it is asked again for the changed ones and
    for all that they exclude, among all of the rivals of each.

    Args:
        changed: statements that are new, have another tier or are live again, and those that are no longer live.
        live: gives the live statement with an id, with the tier that it has now, or None.
        tiers: the tiers of the live statements.
        pairing: finds at least all statements that can matter to a changed one and to those that it excludes.
    """
    line = _Line(live, pairing)
    found: list[Conclusion] = []
    seen: set[str] = set()
    asked: dict[str, StatementRecord] = {}
    for record in changed:
        now = live(record.id)
        if now is not None:
            asked[now.id] = now
        for other in line.near(record):
            rule = exclusion(record, other)
            if rule is not None:
                asked[other.id] = other
            if now is not None and other.id not in seen:
                left, right = sorted((now, other), key=line.key)
                found += _about_pair(left, right, rule, tiers)
        seen.add(record.id)
    for older in asked.values():
        found += _succession(older, line, tiers)
    return Verdict(sorted(found, key=lambda c: (c.kind, c.source, c.target, c.rule)), frozenset(seen), frozenset(asked))


def closings(record: StatementRecord, live: Lookup, tiers: Mapping[str, Tier], pairing: Pairing) -> list[Conclusion]:
    """What ends a live statement, or takes its place, as things stand."""
    line = _Line(live, pairing)
    ended = [conclusion for other in line.near(record) for conclusion in _ending(other, record)]
    return [*ended, *_succession(record, line, tiers)]


def _about_pair(left: StatementRecord, right: StatementRecord, rule: str | None, tiers: Mapping[str, Tier]) -> list[Conclusion]:
    """What follows from two statements alone; `left` stands before `right`, and `rule` is that of their exclusion."""
    found = [*_ending(left, right), *_ending(right, left), *_refinement(left, right), *_refinement(right, left)]
    overlap = _clash(left, right, tiers) if rule and "inferred" not in (left.tier, right.tier) else None
    if rule and overlap is not None:
        source, target = sorted((left.id, right.id))
        found.append(Conclusion("CONTRADICTS", source, target, rule, overlap=overlap))
    return found


def _succession(older: StatementRecord, line: _Line, tiers: Mapping[str, Tier]) -> list[Conclusion]:
    """What takes the place of a statement: the first rival after it with which it does not clash, if its end is open."""
    for newer in line.after(older):
        rule = rivals(older, newer)
        if rule is None or _clash(older, newer, tiers) is not None:
            continue
        end = older.valid_to
        if end is None and older.temporal in ("past", "ended"):
            end = older.asserted_at
        if end is None or (position(newer) < end and open_end(older)):
            at, granularity = change_at(older, newer)
            return [Conclusion("SUPERSEDES", newer.id, older.id, rule, at, granularity)]
        break
    return []


def _clash(
    left: StatementRecord, right: StatementRecord, tiers: Mapping[str, Tier]
) -> tuple[datetime | None, datetime | None] | None:
    """The time both vouch for, if they contradict; None if one simply follows the other."""
    if undone(left) or undone(right):
        # What never happened did not happen at any time before that was said.
        return (None, (left if undone(left) else right).asserted_at)
    newer, older = (left, right) if said(right) < said(left) else (right, left)
    told_change = newer.cue == "change" or bool(newer.replaces) or newer.kind == "open_item"
    if told_change and position(older) <= position(newer):
        return None
    common = intersection(known_part(left), known_part(right))
    if common is not None:
        return (None if common[0] == BEGINNING else common[0], None if common[1] == END else common[1])
    # A lower tier never closes a higher one's interval without the owner saying that something changed.
    if TIER_RANK[tiers[right.id]] < TIER_RANK[tiers[left.id]]:
        return (right.valid_from or right.session_started, None)
    return None


def change_at(older: StatementRecord, newer: StatementRecord) -> tuple[datetime, str | None]:
    """When the newer statement took over, and how precisely that is known.

    The stated start, unless the older one was still vouched for within that period; else the time of saying ("by then").
    """
    if newer.valid_from is None:
        return newer.asserted_at, "not_after"
    start = newer.valid_from
    if start < older.asserted_at < period_end(start, newer.valid_granularity):
        start = older.asserted_at
    return start, newer.valid_granularity


def _ending(ending: StatementRecord, older: StatementRecord) -> list[Conclusion]:
    """A statement that something is over closes an earlier one that said it holds; so do deeds and fates."""
    done, told = ending.details.get("type") == "done", fate(ending)
    if (ending.temporal != "ended" and not done and told is None) or said(ending) <= said(older):
        return []
    if told is not None:
        if ending.tier == "inferred" or not meant(ending, older):
            return []
        return [Conclusion("SUPERSEDES", ending.id, older.id, FATES[told], ending.asserted_at, "day")]
    if done:
        if older.kind != "open_item" or ending.tier == "inferred" or not same_task(ending, older):
            return []
        return [Conclusion("SUPERSEDES", ending.id, older.id, "done", ending.asserted_at, "day")]
    if not _ends(ending, older):
        return []
    at = ending.valid_to or ending.asserted_at
    return [Conclusion("SUPERSEDES", ending.id, older.id, "ended", at, ending.valid_granularity or "not_after")]


def _ends(ending: StatementRecord, older: StatementRecord) -> bool:
    if older.temporal != "current" or older.polarity != ending.polarity or older.modality != "asserted":
        return False
    if older.kind not in ("fact", "preference") or not contexts_meet(ending, older):
        return False
    if "inferred" in (ending.tier, older.tier) or over_before(ending, older):
        return False
    if ending.predicate == older.predicate:
        whole = relation(ending.predicate).cardinality == "one" and not words(ending.object)
        return whole or same_value(ending, older)
    # An end is only taken over from another relation where both speak for a thing, or both against it.
    stances = {relation(ending.predicate).stance, relation(older.predicate).stance}
    return len(stances) == 1 and stances != {"none"} and names_same(ending.object_key, older.object_key)


def _refinement(fine: StatementRecord, coarse: StatementRecord) -> list[Conclusion]:
    if fine.predicate != coarse.predicate or not refines(fine.object_key, coarse.object_key):
        return []
    if "about" in fine.details or "about" in coarse.details:
        return []  # 3,200 is not a finer 200
    plain = all(
        record.polarity == "positive" and record.temporal == "current" and record.kind == "fact" for record in (fine, coarse)
    )
    return [Conclusion("REFINES", fine.id, coarse.id, "narrower")] if plain else []
