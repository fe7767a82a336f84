"""Statements that the sessions before have seen, so that a long ingest does not read them from the graph again and again.

Invariant: what is remembered is what the graph holds.  It is kept for as long as nobody else writes: at another head of the
ledger than the one that this ingest left, all of it is dropped, and what a write of its own touches is dropped one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from graphmem.graph.base import Node
from graphmem.ledger import Draft
from graphmem.space import Space

# A statement with its quotes takes a few kilobytes.
MOST = 5_000
# Where a delta names the statements that it changes; links are looked at apart.
_STATEMENT_AT = {"statements": "id", "evidence": "statement", "retirements": "statement", "confirmations": "statement"}
_NO_STATEMENT = frozenset({"sessions", "turns", "entities", "mentions", "same_as"})


class Acquainted:
    """The statements of one space that an ingest has seen."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._head = -1
        self._nodes: dict[str, Node] = {}
        self._ends: dict[str, tuple[str, str]] = {}

    def nodes(self, ids: Collection[str]) -> list[Node]:
        """The statements with these ids, as `Graph.nodes` gives them, in any order; asked for under the space's lock."""
        head = self._space.ledger.head()[0]
        if head != self._head or len(self._nodes) > MOST:
            self._forget()
            self._head = head
        missing = [id_ for id_ in ids if id_ not in self._nodes]
        for node in self._space.graph.nodes(missing) if missing else ():
            self._nodes[node.record.id] = node
            self._ends |= {link.id: (link.source, link.target) for link, _ in node.links}
        return [self._nodes[id_] for id_ in ids if id_ in self._nodes]

    def wrote(self, drafts: Iterable[Draft], *, before: int) -> None:
        """Drop what this ingest has just changed by a write that found the ledger at the head `before`."""
        if before != self._head:
            return
        for draft in drafts:
            for id_ in self._touched((draft.body or {}).get("delta", {})):
                self._nodes.pop(id_, None)
        self._head = self._space.ledger.head()[0]

    def _touched(self, delta: Mapping[str, Any]) -> Iterator[str]:
        for name, items in delta.items():
            for item in items if name not in _NO_STATEMENT else ():
                if name == "links":
                    yield from (item["source"], item["target"])
                elif name == "links_retired":
                    yield from self._ends.get(item["link"], ())
                else:
                    yield item[_STATEMENT_AT[name]]

    def _forget(self) -> None:
        self._nodes.clear()
        self._ends.clear()
