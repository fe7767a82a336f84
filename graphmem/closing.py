"""What is told only to settle something: a deed, an event that is off or moved, an end of which only a word is known.

Invariant: such a claim is recorded only if it plainly settles a statement that stood when it was said; of planned events it
has to be exactly one.  Otherwise nothing is recorded and what stood stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphmem.canonical import names_same, object_key
from graphmem.duties import same_task
from graphmem.fates import dated, fate, meant
from graphmem.records import StatementRecord
from graphmem.rivals import said, same_value


def closing(record: StatementRecord) -> StatementRecord:
    """A deed that closes a task is kept as an episode of its own, so that the closing has a quote; so is a calling off."""
    if record.kind != "open_item" or fate(record) == "moved":
        return record
    type_ = "called_off" if fate(record) == "off" else "done"
    return record.model_copy(update={"kind": "episode", "temporal": "past", "details": {**record.details, "type": type_}})


def settles(record: StatementRecord, near: Iterable[StatementRecord], closed: Callable[[StatementRecord], bool]) -> bool:
    """Whether a record, in the form in which it would be kept, settles something.

    Args:
        record: what was told, after `closing`.
        near: the live statements that can matter to it.
        closed: tells whether one of those had ended or given way when it was told.
    """
    before = [item for item in near if item.subject_key == record.subject_key and said(item) < said(record)]
    if fate(record) is not None:
        plans = [item for item in before if meant(record, item) and not closed(item)]
        told = [item for item in plans if not dated(item)] or plans
        return len(told) == 1
    if record.kind == "episode":
        return any(item.kind == "open_item" and same_task(record, item) for item in before)
    return any(_holds(record, item) and not closed(item) for item in before)


def _holds(record: StatementRecord, item: StatementRecord) -> bool:
    """Whether a statement says that the case is what the record ends, or puts something else in the place of."""
    if item.predicate != record.predicate or item.polarity != "positive" or item.temporal != "current":
        return False
    if item.modality != "asserted" or item.tier == "inferred":
        return False
    if record.temporal == "ended":
        return same_value(record, item)
    return bool(record.replaces) and names_same(object_key(record.replaces or ""), item.object_key)
