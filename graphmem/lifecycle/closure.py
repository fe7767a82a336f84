"""What follows from a scope: the characters that go with a statement, and the statements that go with characters.

Invariant: a statement with other support keeps it; one that rests only on erased characters, or is derived from an erased
statement, goes.  Erased characters are replaced one for one, so the offsets of all other quotes stay right.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.graph.base import Node
from graphmem.lifecycle.scope import Scope
from graphmem.records import ERASED, summarises

Cuts = dict[str, list[tuple[int, int]]]


def closure(scope: Scope, nodes: Iterable[Node]) -> tuple[Scope, Cuts]:
    """The scope with all that follows from it, and the character ranges to erase by turn."""
    nodes = list(nodes)
    gone = set(scope.statements)
    cuts: Cuts = {turn: [] for turn in scope.turns}
    for turn, start, end in sorted(scope.passages):
        cuts.setdefault(turn, []).append((start, end))
    while True:
        before = len(gone), sum(map(len, cuts.values()))
        for node in nodes:
            if node.record.id in gone and not is_summary(node):
                for item in node.evidence:
                    span = item.start, item.end
                    if item.turn_key not in scope.turns and span not in cuts.setdefault(item.turn_key, []):
                        cuts[item.turn_key].append(span)
        for node in nodes:
            if node.record.id in gone:
                continue
            derived = any(
                link.kind == "DERIVED_FROM" and link.source == node.record.id and link.target in gone for link, _ in node.links
            )
            left = [e for e in node.evidence if not is_cut(e.turn_key, e.start, e.end, scope, cuts)]
            if derived or not left or (is_summary(node) and len(left) < len(node.evidence)):
                gone.add(node.record.id)
        if before == (len(gone), sum(map(len, cuts.values()))):
            return scope._replace(statements=frozenset(gone)), cuts


def is_summary(node: Node) -> bool:
    """Whether it is the record of a session itself."""
    return summarises(node.record.details)


def is_cut(turn: str, start: int, end: int, scope: Scope, cuts: Cuts) -> bool:
    """Whether any of these characters of a turn go."""
    return turn in scope.turns or any(low < end and start < high for low, high in cuts.get(turn, ()))


def blanked(text: str, spans: Iterable[tuple[int, int]] | None) -> str:
    """The text with these ranges (None: all of it) replaced one for one."""
    if spans is None:
        return ERASED * len(text)
    chars = list(text)
    for start, end in spans:
        end = min(end, len(chars))
        chars[start:end] = ERASED * (end - start)
    return "".join(chars)
