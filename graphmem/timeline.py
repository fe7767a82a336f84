"""What follows from a set of live statements: which ends which, which clash, which is finer.

Invariant: `conclude` is a pure function of the set, ordered by valid time, so it does not matter in which order things were
told or taken in, and leaving a statement out (retraction, erasure) revives what it had ended.  Rules T7-T12: presumptions
yield to later statements, known parts do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from graphmem.canonical import names_same, object_key, refines, words
from graphmem.model import TIER_RANK, Tier
from graphmem.ontology import relation
from graphmem.records import LinkKind, StatementRecord
from graphmem.rivals import contexts_meet, rivals, said, same_value
from graphmem.validity import BEGINNING, END, intersection, known_part, open_end, period_end, position

# An end is only taken over from another relation where both speak of using, having or liking a thing.
FIRM = frozenset(
    [
        "name",
        "lives_in",
        "works_at",
        "has_job",
        "studies_at",
        "married_to",
        "born_on",
        "blood_type",
        "allergic_to",
        "has_family",
        "speaks",
    ]
)
# Words of a task that say nothing of what is to be done.
LIGHT = frozenset(
    [
        "to",
        "it",
        "them",
        "be",
        "have",
        "get",
        "do",
        "need",
        "must",
        "should",
        "by",
        "on",
        "at",
        "for",
        "the",
        "of",
        "with",
        "and",
        "1",
    ]
)


class Conclusion(NamedTuple):
    """A link that follows from the set; `source` is the newer statement, or the lesser id of a contradiction."""

    kind: LinkKind
    source: str
    target: str
    rule: str
    at: datetime | None = None
    granularity: str | None = None
    overlap: tuple[datetime | None, datetime | None] | None = None


def conclude(records: Iterable[StatementRecord], tiers: Mapping[str, Tier]) -> list[Conclusion]:
    """All conclusions about a set of live statements, in a fixed order.

    Args:
        records: statements that are neither retracted nor corrected.
        tiers: the tier each of them has now (a confirmation may have lifted it).
    """
    found: list[Conclusion] = []
    by_subject: dict[str, list[StatementRecord]] = {}
    for record in records:
        by_subject.setdefault(record.subject_key, []).append(record)
    for group in by_subject.values():
        line = sorted(group, key=lambda record: (position(record), said(record)))
        found += _endings(line)
        found += _rivalry(line, tiers)
        found += _refinements(line)
    return sorted(found, key=lambda c: (c.kind, c.source, c.target, c.rule))


def _rivalry(line: list[StatementRecord], tiers: Mapping[str, Tier]) -> list[Conclusion]:
    found = []
    clashes: set[frozenset[str]] = set()
    pairs: dict[tuple[str, str], str] = {}
    for place, left in enumerate(line):
        for right in line[place + 1 :]:
            rule = rivals(left, right)
            if rule is None:
                continue
            pairs[left.id, right.id] = rule
            overlap = _clash(left, right, tiers)
            if overlap is not None:
                clashes.add(frozenset((left.id, right.id)))
                source, target = sorted((left.id, right.id))
                found.append(Conclusion("CONTRADICTS", source, target, rule, overlap=overlap))
    for place, older in enumerate(line):
        for newer in line[place + 1 :]:
            rule = pairs.get((older.id, newer.id))
            if rule is None or frozenset((older.id, newer.id)) in clashes:
                continue
            end = older.valid_to
            if end is None and older.temporal in ("past", "ended"):
                end = older.asserted_at
            if end is None or (position(newer) < end and open_end(older)):
                at, granularity = change_at(older, newer)
                found.append(Conclusion("SUPERSEDES", newer.id, older.id, rule, at, granularity))
            break
    return found


def _clash(
    left: StatementRecord, right: StatementRecord, tiers: Mapping[str, Tier]
) -> tuple[datetime | None, datetime | None] | None:
    """The time both vouch for, if they contradict; None if one simply follows the other."""
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


def _endings(line: list[StatementRecord]) -> list[Conclusion]:
    """Statements that something is over close the earlier ones that said it holds; deeds close their tasks."""
    found = []
    for ending in line:
        if ending.temporal != "ended" and ending.details.get("type") != "done":
            continue
        for older in line:
            if older.id == ending.id or said(ending) <= said(older):
                continue
            if ending.details.get("type") == "done":
                if older.kind == "open_item" and same_task(ending, older):
                    found.append(Conclusion("SUPERSEDES", ending.id, older.id, "done", ending.asserted_at, "day"))
            elif _ends(ending, older):
                at = ending.valid_to or ending.asserted_at
                granularity = ending.valid_granularity or "not_after"
                found.append(Conclusion("SUPERSEDES", ending.id, older.id, "ended", at, granularity))
    return found


def _ends(ending: StatementRecord, older: StatementRecord) -> bool:
    if older.temporal != "current" or older.polarity != ending.polarity or older.modality != "asserted":
        return False
    if older.kind not in ("fact", "preference") or not contexts_meet(ending, older):
        return False
    if "inferred" in (ending.tier, older.tier):
        return False
    if ending.predicate == older.predicate:
        whole = relation(ending.predicate).cardinality == "one" and not words(ending.object)
        return whole or same_value(ending, older)
    if ending.predicate in FIRM or older.predicate in FIRM:
        return False
    return names_same(ending.object_key, older.object_key)


def same_task(deed: StatementRecord, task: StatementRecord) -> bool:
    """Whether a deed is the doing of a task: most of the task's content words stand in the deed, in some form."""
    wanted = {word[:5] for word in object_key(task.object).split() if word not in LIGHT}
    given = {word[:5] for word in object_key(f"{deed.details.get('verb', '')} {deed.object}").split()}
    return bool(wanted) and len(wanted & given) >= max(1, round(0.6 * len(wanted)))


def _refinements(line: list[StatementRecord]) -> list[Conclusion]:
    found = []
    for fine in line:
        if fine.polarity != "positive" or fine.temporal != "current" or fine.kind != "fact":
            continue
        for coarse in line:
            same = (
                coarse.predicate == fine.predicate
                and coarse.id != fine.id
                and coarse.polarity == "positive"
                and coarse.temporal == "current"
                and coarse.kind == "fact"
            )
            if same and refines(fine.object_key, coarse.object_key):
                found.append(Conclusion("REFINES", fine.id, coarse.id, "narrower"))
    return found
