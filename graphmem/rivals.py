"""Which two statements exclude each other, and by which rule.

Invariant: `rivals` is symmetric, looks only at the two records and the relation table, and says nothing about which of
them holds: that is decided by time (`timeline`).  Candidates share a subject, and a predicate or an object (R1);
similarity alone never makes rivals.
"""

from __future__ import annotations

from graphmem.canonical import counted, date_parts, names_same, object_key, refines, words
from graphmem.ontology import Relation, relation
from graphmem.records import TURN_STRIDE, StatementRecord

# Relations that say in different words that something is in use or liked; "switched from A to B" may cross them.
USE = frozenset({"uses_tool", "owns", "has_vehicle", "likes", "prefers", "favourite", "diet", "works_on"})
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

_ANY = frozenset(
    {"any", "ever", "all", "never", "before", "such", "either", "other", "ve", "i", "i've", "we", "just", "already"}
)
# Words after which a denial says what the things are about.
_LINKS = frozenset(
    ["of", "on", "in", "at", "to", "for", "with", "about", "by", "through", "via", "from", "related", "like", "during", "using"]
)


def rivals(left: StatementRecord, right: StatementRecord) -> str | None:
    """The rule by which the two cannot hold at the same time, or None if they can."""
    return None if "inferred" in (left.tier, right.tier) else exclusion(left, right)


def exclusion(left: StatementRecord, right: StatementRecord) -> str | None:
    """The same whatever the tiers are: what `rivals` would say of two stated ones."""
    if left.subject_key != right.subject_key:
        return None
    if undone(left) or undone(right):
        return "never" if _denied(left, right) else None
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


def member(record: StatementRecord, group: tuple[str, ...]) -> str | None:
    """The first word of the object that belongs to a group of which only one can hold."""
    return next((word for word in words(record.object) if word in group), None)


def same_value(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether two statements are about one value: equal keys, or one names the other with more words."""
    return left.object_key == right.object_key or names_same(left.object_key, right.object_key)


def contexts_meet(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether two scopes overlap; a statement without a scope holds in every one."""
    return not left.context_key or not right.context_key or left.context_key == right.context_key


def undone(record: StatementRecord) -> bool:
    """Whether it says that something never happened."""
    return record.details.get("type") == "never"


def happened(record: StatementRecord) -> bool:
    """Whether it tells of a deed that may be the one that something else denies."""
    plain = record.kind == "episode" and record.polarity == "positive" and record.modality == "asserted"
    return plain and record.details.get("type") != "session" and not undone(record)


def doing(record: StatementRecord) -> set[str]:
    """The beginnings of the words of a deed or of its denial, without those that any of them has."""
    told = record.object if undone(record) else record.text
    return {word[:5] for word in object_key(told).split() if word not in LIGHT | _ANY | _LINKS}


def _denied(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether one says that the other, a deed of the time before it was said, never happened.

    What was done only after the denial is no contradiction.  The verb has to be the same, one of the things that were
    never done has to be named in full, and what they are about in part.
    """
    denial, deed = (left, right) if undone(left) else (right, left)
    if undone(deed) or not happened(deed):
        return False
    before = deed.valid_from is not None and deed.valid_from < denial.asserted_at
    if said(deed) > said(denial) and deed.session != denial.session and not before:
        return False
    verb, *rest = object_key(denial.object).split()
    things: list[set[str]] = [set()]
    about: set[str] = set()
    inside = False
    for word in rest:
        if word == "or":
            things.append(set())
            inside = False
        elif word in _LINKS:
            inside = True
        elif word not in LIGHT and word not in _ANY:
            (about if inside else things[-1]).add(word[:5])
    have = doing(deed)
    named = any(thing and thing <= have for thing in things)
    return verb[:5] in have and named and (not about or bool(about & have))


def wanted(task: StatementRecord) -> set[str]:
    """What a task is about: the beginnings of its content words, so that "book" and "booked" are one."""
    return {word[:5] for word in object_key(task.object).split() if word not in LIGHT}


def given(deed: StatementRecord) -> set[str]:
    """What a deed is about, in the same form."""
    return {word[:5] for word in object_key(f"{deed.details.get('verb', '')} {deed.object}").split()}


def same_task(deed: StatementRecord, task: StatementRecord) -> bool:
    """Whether a deed is the doing of a task: most of the task's content words stand in the deed, in some form."""
    needed = wanted(task)
    return bool(needed) and len(needed & given(deed)) >= max(1, round(0.6 * len(needed)))


def said(record: StatementRecord) -> tuple[object, ...]:
    """The order of saying: by session, then by turn, then by id."""
    return (record.session_started, record.asserted_at, record.order, record.id)
