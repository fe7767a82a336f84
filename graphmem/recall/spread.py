"""Traversal: what the graph adds to the first signals.

Two walks over the neighbourhood of the best seeds.  Along NEXT, two steps either way, because an answer stands beside its
question.  And a personalised PageRank, restarted at the seeds, over a small local graph whose edges are shared rare
words, NEXT, evidence, shared entities and the links between statements.

Invariant: the local graph is bounded (`LOCAL_TURNS`, `LOCAL_STATEMENTS`), so the cost does not grow with the store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.base import Node
from graphmem.recall.corpus import Corpus

if TYPE_CHECKING:
    from graphmem.recall.signals import Array

LOCAL_TURNS = 150
LOCAL_STATEMENTS = 100
SEEDS = 50
RARE = 12
WALK = 0.85
ROUNDS = 20
FLOOR = 5e-4
# Entities that more statements than this are about join nothing.
COMMON = 12
NEXT_WEIGHT = EVIDENCE_WEIGHT = LINK_WEIGHT = 1.0
ENTITY_WEIGHT = 0.3
# How many shared entities an explanation names.
NAMED = 2


@dataclass(slots=True)
class Steps:
    """Per turn what its surroundings are worth, never below nothing."""

    after: Array
    before2: Array
    after2: Array
    session: Array


def surroundings(corpus: Corpus, base: Array) -> Steps:
    """Along NEXT and within the session.

    The turn just before is left out: its words are already in the vector and the word index of the pair.  Two turns
    before is the same speaker's last word in a conversation of two.
    """
    columns = corpus.columns
    before, after = columns.preceding, columns.following
    # The last element stands for "no such turn", which is where -1 points.
    worth = np.append(np.maximum(base, 0.0), 0.0)
    before2 = np.append(before, -1)[before]
    after2 = np.append(after, -1)[after]
    session = np.full(int(columns.session.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(session, columns.session, base)
    return Steps(worth[after], worth[before2], worth[after2], session[columns.session])


def in_view(corpus: Corpus, topics: frozenset[str], places: Sequence[int]) -> Array:
    """How much of the word weight of the topics each of these turns has together with the two turns on either side."""
    columns = corpus.columns
    at = np.array(places, dtype=np.int64)
    before, after = columns.preceding[at], columns.following[at]
    # The last element stands for "no such turn", which is where -1 points.
    view = (at, before, after, np.append(columns.preceding, -1)[before], np.append(columns.following, -1)[after])
    out, total = np.zeros(len(at)), 0.0
    # In a fixed order: a sum of floats depends on it.
    for stem in sorted(topics):
        weight = corpus.turn_index.weight(stem)
        holds = np.zeros(len(corpus.turns) + 1, dtype=np.bool_)
        holds[corpus.turn_index.holders(stem)] = True
        out += weight * np.logical_or.reduce([holds[side] for side in view])
        total += weight
    return out / total if total > 0 else out


def page_rank(weights: Array, seed: Array) -> Array:
    """Personalised PageRank by power iteration over a symmetric weight matrix."""
    total = weights.sum(axis=1, keepdims=True)
    moves = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    rank = seed
    for _ in range(ROUNDS):
        rank = (1 - WALK) * seed + WALK * (rank @ moves)
    return rank


def local_graph(
    corpus: Corpus, turns: Sequence[int], statements: Sequence[int], edges: Mapping[tuple[int, int], float]
) -> Array:
    """Symmetric weights; turns first, then statements.  `edges` joins statements by place."""
    size = len(turns) + len(statements)
    weights = np.zeros((size, size))
    row = {place: number for number, place in enumerate(turns)}
    statement_row = {place: len(turns) + number for number, place in enumerate(statements)}
    holders: dict[str, list[int]] = defaultdict(list)
    for place in turns:
        for stem in corpus.stems[place]:
            holders[stem].append(row[place])
    # Every pair of holders once for each stem; summed in one go, since a call for each stem takes longer than its sum.
    cells: list[int] = []
    shares: list[float] = []
    for stem, rows in holders.items():
        if 1 < len(rows) <= RARE and (frequency := corpus.turn_index.frequency(stem)) <= RARE:
            cells += [one * size + other for one in rows for other in rows]
            shares += [1 / log(1 + frequency)] * len(rows) ** 2
    weights = np.bincount(cells, shares, minlength=size * size).astype(np.float64).reshape(size, size) if cells else weights
    for place in turns:
        following = corpus.following[place]
        if following in row:
            weights[row[place], row[following]] += NEXT_WEIGHT
            weights[row[following], row[place]] += NEXT_WEIGHT
    for place in statements:
        for turn_key in corpus.evidence[corpus.statements[place].id]:
            at = row.get(corpus.place.get(turn_key, -1))
            if at is not None:
                weights[at, statement_row[place]] += EVIDENCE_WEIGHT
                weights[statement_row[place], at] += EVIDENCE_WEIGHT
    for (left, right), weight in edges.items():
        if left in statement_row and right in statement_row:
            weights[statement_row[left], statement_row[right]] += weight
            weights[statement_row[right], statement_row[left]] += weight
    np.fill_diagonal(weights, 0.0)
    return weights


def statement_edges(
    corpus: Corpus, places: Sequence[int], nodes: Mapping[str, Node]
) -> tuple[dict[tuple[int, int], float], dict[int, list[tuple[str, int]]]]:
    """Edges between statements by place: a shared entity, or a link; and for each place its first shared entities."""
    inside = {corpus.statements[place].id: place for place in places}
    edges: dict[tuple[int, int], float] = defaultdict(float)
    shared: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for identifier, place in inside.items():
        for entity in corpus.mentions.get(identifier, ()):
            holders = corpus.mentioned_by[entity]
            for other in holders if len(holders) <= COMMON else ():
                if other in inside and other != identifier:
                    # Seen from both ends, so each end adds half.
                    edges[place, inside[other]] += ENTITY_WEIGHT / 2
                    if len(shared[place]) < NAMED:
                        shared[place].append((corpus.names[entity], inside[other]))
        for link, _ in nodes[identifier].links:
            if link.source == identifier and link.target in inside:
                edges[place, inside[link.target]] += LINK_WEIGHT
    return edges, shared
