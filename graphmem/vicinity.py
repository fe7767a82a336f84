"""Which statements a plan has to see, so that it need not see all of them.

Invariant: a plan made from the vicinity of its claims is the one made from all statements, given that the links that stand
are those that follow (every plan leaves them so, that of a confirmation too).  The vicinity is
found by marks, so its size is that of what the claims have to do with, whatever the size of the memory.

What a plan can change itself, beside adding the claims, are their twins and what they correct.  What
follows may then change for pairs with one of these, and for what takes the place of a statement that one of these
excludes, which depends on all of that statement's rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from graphmem.graph.base import Node
from graphmem.pairing import seeks
from graphmem.records import StatementRecord
from graphmem.rivals import exclusion

# Gives the statements that post at least one of these marks.
Fetch = Callable[[Collection[str]], Iterable[Node]]


def vicinity(about: Collection[StatementRecord], fetch: Fetch, *, named: Iterable[Node] = ()) -> list[Node]:
    """The statements that a plan about some records has to see, in the order of saying.

    Args:
        about: the records that are new or withdrawn; a deed in the form in which it closes a task.
        fetch: finds statements by marks.
        named: statements that the plan is about besides, such as one that an owner's correction names.
    """
    found = {node.record.id: node for node in named}
    turned = {record.id: record for record in (*about, *(node.record for node in found.values()))}
    asked: set[str] = set()

    def see(records: Iterable[StatementRecord]) -> None:
        marks = {mark for record in records for mark in seeks(record)} - asked
        asked.update(marks)
        for node in fetch(marks) if marks else ():
            found.setdefault(node.record.id, node)

    see(about)
    for node in list(found.values()):
        if any(_turns(record, node.record) for record in about):
            turned.setdefault(node.record.id, node.record)
    see(list(turned.values()))
    see([node.record for node in found.values() if any(exclusion(one, node.record) for one in turned.values())])
    return sorted(found.values(), key=lambda node: (node.record.asserted_at, node.record.order, node.record.id))


def _turns(record: StatementRecord, other: StatementRecord) -> bool:
    """Whether a new record could support the other or correct it."""
    return record.cue == "correction" or (record.predicate, record.object_key) == (other.predicate, other.object_key)
