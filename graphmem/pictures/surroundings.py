"""What stands around one statement: the words it rests on, who and what it is about, and what ended or contradicts it.

Invariant: the picture is the part of the graph within so many steps of the statement, every edge as it stands in the
graph; where there is no room for all, the nearest are kept and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from graphmem.model import Statement

MOST_NODES = 60


class Point(NamedTuple):
    """A node of the picture."""

    id: str
    kind: str  # statement, turn, thing
    text: str
    status: str


class Line(NamedTuple):
    """An edge of the picture, from source to target."""

    source: str
    target: str
    kind: str


class Neighbourhood(NamedTuple):
    """A statement with what is near; `places` are coordinates in -1..1, `left_out` nodes had no room."""

    centre: str
    points: tuple[Point, ...]
    lines: tuple[Line, ...]
    places: dict[str, tuple[float, float]]
    left_out: int


def neighbourhood(
    statements: Iterable[Statement],
    centre: str,
    *,
    steps: int = 2,
    most: int = MOST_NODES,
) -> Neighbourhood:
    """Plan the picture of what is within `steps` of a statement.

    Args:
        statements: all statements as they stand.
        centre: id of the statement in the middle.
        steps: how far to go along the edges; a turn or a thing is a step of its own.
        most: how many nodes there are at most.
    """
    import networkx

    graph, known = networkx.MultiDiGraph(), list(statements)
    for one in known:
        graph.add_node(one.id, kind="statement", text=one.text, status=one.status)
    for one in known:
        subject = f"thing\t{one.subject.casefold()}"
        graph.add_node(subject, kind="thing", text=one.subject, status="")
        graph.add_edge(one.id, subject, "about")
        for proof in one.evidence:
            turn = f"turn\t{proof.session}\t{proof.turn}\t{proof.start}\t{proof.end}"
            graph.add_node(turn, kind="turn", text=proof.quote, status=proof.role)
            graph.add_edge(one.id, turn, "rests on")
        for kind, others in (("supersedes", one.supersedes), ("corrects", one.corrects)):
            for other in others:
                if other in graph:
                    graph.add_edge(one.id, other, kind)
        for other in one.contradicts:
            if other in graph and one.id < other:
                graph.add_edge(one.id, other, "contradicts")
    near = networkx.single_source_shortest_path_length(_without_hubs(graph, centre), centre, cutoff=steps)
    ranked = sorted(near, key=lambda name: (near[name], name))
    kept = graph.subgraph(ranked[:most])
    places = networkx.spring_layout(kept.to_undirected(), seed=1, iterations=200)
    points = tuple(Point(name, kept.nodes[name]["kind"], kept.nodes[name]["text"], kept.nodes[name]["status"])
                   for name in ranked[:most])  # fmt: skip
    lines = tuple(sorted(Line(source, target, kind) for source, target, kind in kept.edges(keys=True)))
    where = {name: (float(x), float(y)) for name, (x, y) in places.items()}
    return Neighbourhood(centre, points, lines, where, len(ranked) - len(points))


def _without_hubs(graph: Any, centre: str) -> Any:
    """The graph in which nobody is reached merely by being about the same person, the user above all."""
    import networkx

    plain = networkx.Graph(graph)
    hubs = [name for name in plain if name.startswith("thing\t") and plain.degree(name) > 1]
    plain.remove_edges_from([(hub, name) for hub in hubs for name in list(plain[hub]) if name != centre])
    return plain
