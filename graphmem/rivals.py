"""Which two statements exclude each other, and by which rule.

Invariant: `rivals` is symmetric, looks only at the two records and the relation table, and says nothing about which of
them holds: that is decided by time (`timeline`).  Candidates share a subject, and a predicate or an object (R1);
similarity alone never makes rivals.
"""

from __future__ import annotations

from graphmem.canonical import counted, date_parts, names_same, object_key, refines, words
from graphmem.deeds import denied, undone
from graphmem.fates import fate
from graphmem.ontology import Relation, relation
from graphmem.records import TURN_STRIDE, StatementRecord

# Relations that say in different words that something is in use or liked; "switched from A to B" may cross them.
USE = frozenset({"uses_tool", "owns", "has_vehicle", "likes", "prefers", "favourite", "diet", "works_on"})


def rivals(left: StatementRecord, right: StatementRecord) -> str | None:
    """The rule by which the two cannot hold at the same time, or None if they can."""
    return None if "inferred" in (left.tier, right.tier) else exclusion(left, right)


def exclusion(left: StatementRecord, right: StatementRecord) -> str | None:
    """The same whatever the tiers are: what `rivals` would say of two stated ones."""
    if left.subject_key != right.subject_key:
        return None
    if undone(left) or undone(right):
        return "never" if denied(left, right) else None
    if "ended" in (left.temporal, right.temporal):
        return None  # that something is over excludes no other value; it closes its own (`timeline`)
    if left.modality != "asserted" or right.modality != "asserted":
        return _plans(left, right)
    if "episode" in (left.kind, right.kind) or "procedure" in (left.kind, right.kind):
        return None
    if "open_item" in (left.kind, right.kind):
        return _plans(left, right)
    if left.predicate != right.predicate:
        return _across(left, right)
    row = relation(left.predicate)
    if left.polarity != right.polarity:
        return _polarity(left, right)
    if left.polarity == "negative":
        return None
    return _values(left, right, row)


def _plans(left: StatementRecord, right: StatementRecord) -> str | None:
    """A task with a moved deadline replaces the same task."""
    if left.kind != "open_item" or right.kind != "open_item":
        return None
    due = left.details.get("due"), right.details.get("due")
    if fate(max(left, right, key=said)) == "moved":
        return None  # what was moved closes its plan by itself (`timeline`)
    same = left.object_key == right.object_key
    return "deadline" if same and due[0] != due[1] else None


def _polarity(left: StatementRecord, right: StatementRecord) -> str | None:
    if not same_value(left, right) or not contexts_meet(left, right):
        return None
    return "polarity"


def _across(left: StatementRecord, right: StatementRecord) -> str | None:
    """Different predicates: registered opposites of one object, or a replacement that names the other."""
    if relation(left.predicate).opposite == right.predicate:
        same = left.object_key == right.object_key and left.polarity == right.polarity == "positive"
        return "opposite" if same and left.context_key == right.context_key else None
    newer, older = (left, right) if said(right) < said(left) else (right, left)
    if newer.replaces and {newer.predicate, older.predicate} <= USE and older.polarity == "positive":
        return "replaced" if names_same(object_key(newer.replaces), older.object_key) else None
    return None


def _values(left: StatementRecord, right: StatementRecord, row: Relation) -> str | None:
    """Two positive values of one relation."""
    newer, older = (left, right) if said(right) < said(left) else (right, left)
    if "about" in left.details and "about" in right.details:
        return _one_value(newer, older) if same_measure(newer, older) else None
    if newer.replaces and names_same(object_key(newer.replaces), older.object_key):
        return "replaced"
    if left.object_key == right.object_key:
        return None
    if row.value == "date":
        pairs = zip(date_parts(left.object), date_parts(right.object), strict=True)
        return "one_value" if any(None not in pair and pair[0] != pair[1] for pair in pairs) else None
    numbers = counted(left.object_key), counted(right.object_key)
    if row.counted and numbers[0] and numbers[1]:
        same_head = numbers[0][1] == numbers[1][1] and numbers[0][0] != numbers[1][0]
        return "count" if same_head else None
    for group in row.exclusive:
        chosen = member(left, group), member(right, group)
        if chosen[0] and chosen[1] and chosen[0] != chosen[1] and left.context_key == right.context_key:
            return "exclusive"
    if left.context_key != right.context_key:
        return None
    if (left.object_key in row.general and not _grouped(right, row)) or (
        right.object_key in row.general and not _grouped(left, row)
    ):
        return None
    if row.cardinality == "one" or left.predicate == "attribute":
        return _one_value(newer, older)
    # Several preferences live side by side; one that is said to be new takes the place of the one for the same use.
    if left.predicate == "prefers" and left.context_key and newer.cue == "change":
        return "replaced"
    return None


def _grouped(record: StatementRecord, row: Relation) -> bool:
    return any(member(record, group) for group in row.exclusive)


def _one_value(newer: StatementRecord, older: StatementRecord) -> str | None:
    if newer.cue == "addition" or older.cue == "addition":
        return None
    # Two values in one sentence are a list, not a contradiction ("a teacher and a referee").
    if newer.session == older.session and newer.order // TURN_STRIDE == older.order // TURN_STRIDE and newer.cue is None:
        return None
    if newer.cue is None and (refines(newer.object_key, older.object_key) or refines(older.object_key, newer.object_key)):
        return None
    return "one_value"


def same_measure(newer: StatementRecord, older: StatementRecord) -> bool:
    """Whether two figures are of one thing and differ; a change may name the thing with fewer words than before.

    What it leaves out is never a number ("the sprint deadline" is not that of "sprint 3"), nor all but the kind of figure.
    """
    one, other = newer.details, older.details
    if (one["head"], one["unit"]) != (other["head"], other["unit"]):
        return False
    if one["number"] == other["number"] or (one["unit"] == "date" and _same_day(str(one["number"]), str(other["number"]))):
        return False
    if "grows" in one and _amount(one["number"]) < _amount(other["number"]):
        return False  # fewer than before is another tally
    left, right = set(str(one["about"]).split()), set(str(other["about"]).split())
    if one["unit"] == "date" and newer.cue != "change":
        return False  # the next session is another one, unless it is said that it was moved
    if left == right:
        # There is more than one deadline or score, but the budget and the rent are one each.
        return len(left) > 1 or newer.cue == "change" or str(one["unit"]) in ("€", "$", "£")
    shorter = newer.cue == "change" and len(left) > 1 and left < right
    return shorter and not any(any(c.isdigit() for c in word) for word in right - left)


def _amount(number: object) -> float:
    return float(str(number).partition("/")[0])


def _same_day(one: str, other: str) -> bool:
    """Whether one of two days is told with its hour and the other without."""
    return len(one) != len(other) and one[:10] == other[:10]


def member(record: StatementRecord, group: tuple[str, ...]) -> str | None:
    """The first word of the object that belongs to a group of which only one can hold."""
    return next((word for word in words(record.object) if word in group), None)


def same_value(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether two statements are about one value: equal keys, or one names the other with more words."""
    return left.object_key == right.object_key or names_same(left.object_key, right.object_key)


def contexts_meet(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether two scopes overlap; a statement without a scope holds in every one."""
    return not left.context_key or not right.context_key or left.context_key == right.context_key


def said(record: StatementRecord) -> tuple[object, ...]:
    """The order of saying: by session, then by turn, then by id."""
    return (record.session_started, record.asserted_at, record.order, record.id)
