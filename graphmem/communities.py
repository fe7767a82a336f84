"""Communities of statements: which belong together, by nearness and by what they share.

Invariant: the same input gives the same communities in every process, whatever it hashes how.  Those that were found before
stay together: what is new joins one of them or makes one with others, so that a memory that grows does not get other themes
every week; and communities that are given with nothing new give themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, TypeAlias

from graphmem.calibration import Calibration

if TYPE_CHECKING:
    import networkx
    import numpy as np
    from numpy.typing import NDArray

# Vectors of unit length, by statement.
Rows: TypeAlias = "Mapping[str, NDArray[np.float32]]"

LEAST, MOST = 3, 12  # statements of a theme; a larger one is parted, if it falls into parts
NEIGHBOURS = 6  # the statements that one is joined to, by nearness
NEAR = 0.5  # cosine, on the built-in model's scale, from which two statements have to do with each other
BASE = 0.35  # cosine of any two statements of one person: what is above it joins them
# Weight of the edges to an entity, a word and a session, each for the only two that have it: a theme is not what was said in
# one breath.
WEIGHTS = {"entity": 1.0, "word": 0.4, "session": 0.02}
COMMON = 0.3  # an entity or a word that more than this share of the statements have joins nothing
MANY = 50  # and one that so many have does not either
RESOLUTION, FINER, FINEST = 1.0, 1.6, 20.0
JOINS = 0.3  # the nearness, summed over a theme, at which a statement joins it


def joined(shared: Sequence[Iterable[tuple[str, str]]], pairs: Iterable[tuple[int, int, float]]) -> networkx.Graph:
    """Statements, by their places in a list, and what joins them.

    Args:
        shared: for each statement what it may share with others, as (what, name) with what among `WEIGHTS`.
        pairs: places of statements that are near, and how near (`near`).
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(shared)))
    # Numbers name the nodes, so that no order hangs on how a process hashes texts.
    joint: dict[tuple[str, str], list[int]] = {}
    for place, names in enumerate(shared):
        for name in names:
            joint.setdefault(name, []).append(place)
    most = max(2 * LEAST, min(COMMON * len(shared), MANY))
    for number, ((what, _), members) in enumerate(joint.items(), len(shared)):
        if len(members) > 1 and (what == "session" or len(members) <= most):
            weight = WEIGHTS[what] / log(1 + len(members))
            graph.add_weighted_edges_from((place, number, weight) for place in members)
    for one, other, likeness in pairs:
        graph.add_edge(one, other, weight=likeness)
    return graph


def groups(graph: networkx.Graph, statements: int, standing: Iterable[Iterable[int]]) -> list[list[int]]:
    """The groups of a graph whose first nodes are statements, each statement in one at most.

    It goes on until nothing more can be joined, so that its own result, given as what stands, comes out as it is.
    """
    free = set(range(statements))
    found: list[list[int]] = []
    for places in standing:
        group = sorted(free.intersection(places))
        if len(group) >= LEAST:
            found.append(group)
            free.difference_update(group)
    while True:
        some = _join(graph, found, free)
        rest = [node for node in graph if node >= statements or node in free]
        new = sorted(_parted(graph.subgraph(rest).copy(), statements, RESOLUTION))
        found += new
        free.difference_update(*new)
        if not some and not new:
            return sorted(map(sorted, found))


def _join(graph: networkx.Graph, found: Sequence[list[int]], free: set[int]) -> bool:
    """Put free statements into the groups that they have most to do with, if that is enough; whether there were any."""
    of = {place: number for number, group in enumerate(found) for place in group}
    before = len(free)
    for place in sorted(free):
        ties: dict[int, float] = defaultdict(float)
        for other, weight in sorted(_tied(graph, place, of)):
            if len(found[of[other]]) < MOST:
                ties[of[other]] += weight
        best = max(ties, key=lambda number: (ties[number], -number), default=None)
        if best is not None and ties[best] >= JOINS:
            found[best].append(place)
            of[place] = best
            free.discard(place)
    return len(free) < before


def _tied(graph: networkx.Graph, place: int, of: Collection[int]) -> Iterator[tuple[int, float]]:
    """The statements of themes that a statement is joined to, itself or by what both have, with the weight."""
    for other in graph[place]:
        weight = graph[place][other]["weight"]
        if other in of:
            yield other, weight
        else:
            yield from ((member, weight / 2) for member in graph[other] if member in of and other not in of and member != place)


def _parted(graph: networkx.Graph, statements: int, resolution: float) -> list[list[int]]:
    """The communities of a graph whose first nodes are statements; what is too large is looked at more closely."""
    from networkx.algorithms.community import louvain_communities

    found: list[list[int]] = []
    parts = louvain_communities(graph, weight="weight", resolution=resolution, seed=0)
    for nodes in parts:
        group = sorted(node for node in nodes if node < statements)
        if len(group) > MOST:
            finer = []
            if resolution < FINEST:
                finer = _parted(graph.subgraph(sorted(nodes)).copy(), statements, resolution * FINER)
            # What is all of one kind does not fall into parts: it is cut in the order of saying.
            found += finer or [group[start : start + MOST] for start in range(0, len(group) - LEAST + 1, MOST)]
        elif len(group) >= LEAST:
            found.append(group)
    return found


def near(ids: Sequence[str], rows: Rows, calibration: Calibration) -> list[tuple[int, int, float]]:
    """The pairs of statements that are near, by place, with how near; each statement has its nearest few."""
    import numpy as np

    places = [place for place, id_ in enumerate(ids) if id_ in rows]
    if len(places) < 2:
        return []
    matrix = np.stack([rows[ids[place]] for place in places])
    pairs: dict[tuple[int, int], float] = {}
    for start in range(0, len(places), 512):
        block = matrix[start : start + 512] @ matrix.T
        for row, cosines in enumerate(block, start):
            likeness = calibration.scale * cosines + calibration.shift
            likeness[row] = -1.0
            close = np.flatnonzero(likeness >= NEAR)
            for other in close[np.argsort(-likeness[close], kind="stable")[:NEIGHBOURS]].tolist():
                pair = (places[min(row, other)], places[max(row, other)])
                pairs[pair] = round(float(likeness[other]) - BASE, 4)
    return [(one, other, likeness) for (one, other), likeness in sorted(pairs.items())]
