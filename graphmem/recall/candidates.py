"""Candidates: everything that could answer a question, scored, with the way that led to it.

Invariant: what may not be served (withdrawn, suggested, not known or not holding at the moment asked about) is removed
before anything is scored, so it cannot lift anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.base import Near
from graphmem.model import Hit, HitParts, Statement
from graphmem.recall import score
from graphmem.recall.answer import Candidate, Moment, withdrawn
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.signals import StatementSignals, TurnSignals, of_statements, of_turns
from graphmem.recall.spread import (
    LOCAL_STATEMENTS,
    LOCAL_TURNS,
    SEEDS,
    local_graph,
    page_rank,
    surroundings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array

NEAR = 0.2
STRONG = 2.0
MIDDLE = -2.0
COMMON = 12
# Below every turn that may be served.
NOTHING = -9.0
ENTITY_WEIGHT = 0.3
LINK_WEIGHT = 1.0
MENTIONS = 500


@dataclass(slots=True)
class Findings:
    """All scored candidates of one question, and what is needed to explain them."""

    corpus: Corpus
    question: Question
    moment: Moment
    candidates: list[Candidate]
    turns: TurnSignals
    statements: StatementSignals
    base: Array
    support: Array
    shared: dict[int, list[tuple[str, int]]]

    def supported(self, item: Candidate) -> bool:
        """Whether a candidate above the threshold may stand in an answer that nobody asked to be wide."""
        if item.turn is None:
            return True
        total, gone = withdrawn(item.rests_on, self.moment)
        if gone:
            # What was taken back does not return through the words it was taken from.
            return False
        return float(self.support[item.place]) >= score.SUPPORT

    def explain(self, item: Candidate) -> tuple[str, ...]:
        """The way that led to a candidate, in short strings."""
        if item.place < 0:
            return ()
        asked, corpus, place = set(self.question.stems), self.corpus, item.place
        is_statement = item.statement is not None
        words = sorted(asked & (corpus.statement_stems if is_statement else corpus.stems)[place])
        path = [f"vector {item.parts.similarity:.2f}"] if item.parts.similarity >= NEAR else []
        path += [f"words: {', '.join(words)}"] if words else []
        if item.statement is not None:
            if self.statements.asked[place] > 0:
                path.append(f"asks for {item.statement.predicate}")
            path += [
                f"shares {name} with: {corpus.statements[other].text}"
                for name, other in self.shared.get(place, ())[:2]
            ]
            return tuple(path)
        if self.turns.speaker[place]:
            path.append(f"said by {corpus.turns[place].speaker}")
        sides = ((corpus.preceding[place], "follows"), (corpus.following[place], "precedes"))
        path += [
            f"{word} turn {corpus.turns[other].id}"
            for other, word in sides
            if other >= 0 and self.base[other] > STRONG
        ]
        return tuple(path)


def find(
    corpus: Corpus, question: Question, moment: Moment, near: Sequence[Near], *, wanted: frozenset[str] | None
) -> Findings:
    """Score everything that may answer the question; `wanted` are the kinds of statement asked for, or None."""
    allowed = _allowed(corpus, moment)
    turns = of_turns(corpus, question, near, allowed)
    statements = of_statements(corpus, question, near, turns)
    base = score.standard(score.weighted(score.first_turn_columns(turns), score.SEED_WEIGHTS))
    base = np.where(allowed, base, NOTHING)
    # Before the walk a statement is judged as if its evidence stood in the middle of the answer.
    first = score.statement_sum(statements, np.full(len(corpus.statements), MIDDLE))
    local_turns = [int(place) for place in np.argsort(-base, kind="stable")[:LOCAL_TURNS] if allowed[place]]
    served = _served(corpus, moment, first, local_turns, wanted)
    local_statements = list(served)[:LOCAL_STATEMENTS]
    edges, shared = _edges(corpus, moment, local_statements)
    weights = local_graph(corpus, local_turns, local_statements, edges)
    rank = page_rank(weights, _seeds(base, first, local_turns, local_statements))
    turn_rank, statement_rank = np.zeros(len(base)), np.zeros(len(first))
    turn_rank[local_turns] = rank[: len(local_turns)]
    statement_rank[local_statements] = rank[len(local_turns) :]
    support = score.turn_support(turns, personal=question.personal)
    findings = Findings(corpus, question, moment, [], turns, statements, base, support, shared)
    total = score.weighted(
        score.turn_columns(turns, surroundings(corpus, base), turn_rank), score.TURN_WEIGHTS
    )
    order = score.turn_order(total, support, allowed)
    findings.candidates += score_statements(findings, served, statement_rank, order)
    if wanted is None:
        findings.candidates += score_turns(findings, turn_rank, order)
    return findings


def _allowed(corpus: Corpus, moment: Moment) -> NDArray[np.bool_]:
    """Turns that were known, and where another time is asked about, that had been said by then."""
    return np.array(
        [
            corpus.known[turn.session] <= moment.known_at and not (moment.strict and turn.time > moment.at)
            for turn in corpus.turns
        ],
        dtype=np.bool_,
    )


def _served(
    corpus: Corpus, moment: Moment, first: Array, turns: Sequence[int], wanted: frozenset[str] | None
) -> dict[int, Statement]:
    """The statements worth a look that may be served, by place, the best first."""
    places = {int(place) for place in np.argsort(-first, kind="stable")[:LOCAL_STATEMENTS]}
    for turn in turns[:SEEDS]:
        places |= {corpus.statement_place[one] for one in corpus.rests_on.get(corpus.turns[turn].key, ())}
    moment.load(corpus.statements[place].id for place in places)
    found = {}
    for place in sorted(places, key=lambda place: (-first[place], place)):
        statement = moment.served(corpus.statements[place].id)
        if statement is None or (wanted is not None and statement.kind not in wanted):
            continue
        summary = statement.kind == "episode" and statement.details.get("type") == "session"
        if not summary or (wanted is not None and "episode" in wanted):
            found[place] = statement
    return found


def _edges(
    corpus: Corpus, moment: Moment, places: Sequence[int]
) -> tuple[dict[tuple[int, int], float], dict[int, list[tuple[str, int]]]]:
    """Edges between statements: a shared entity, or a conclusion about the two; and the entities by place."""
    inside = {corpus.statements[place].id: place for place in places}
    edges: dict[tuple[int, int], float] = {}
    shared: dict[int, list[tuple[str, int]]] = {}
    triples = moment.graph.mentioning(list(inside), MENTIONS) if inside else []
    holders: dict[str, set[str]] = {}
    for one, entity, other in triples:
        holders.setdefault(entity, set()).update((one, other))
    for one, entity, other in triples:
        # What nearly everything is about joins nothing.
        if one in inside and other in inside and one < other and len(holders[entity]) <= COMMON:
            pair = (inside[one], inside[other])
            edges[pair] = edges.get(pair, 0.0) + ENTITY_WEIGHT
            shared.setdefault(pair[0], []).append((entity, pair[1]))
            shared.setdefault(pair[1], []).append((entity, pair[0]))
    for identifier, place in inside.items():
        for link, _ in moment.nodes[identifier].links:
            if link.source == identifier and link.target in inside:
                edges[place, inside[link.target]] = LINK_WEIGHT
    return edges, shared


def _seeds(base: Array, first: Array, turns: Sequence[int], statements: Sequence[int]) -> Array:
    """Where the walk starts: the best turns and statements by first signals."""
    seed = np.zeros(len(turns) + len(statements))
    best = list(turns[:SEEDS])
    seed[: len(best)] = np.maximum(base[best], 0.0)
    seed[len(turns) :] = np.maximum(first[list(statements)] - score.SEED_FLOOR, 0.0)
    total = seed.sum()
    return seed / total if total > 0 else seed


def score_turns(findings: Findings, rank: Array, order: Array) -> list[Candidate]:
    """The turns as candidates."""
    corpus, signals = findings.corpus, findings.turns
    values = score.turn_scores(order, findings.support, signals.allowed)
    graph = score.graph_part(rank)
    return [
        Candidate(
            score=float(values[place]),
            parts=HitParts.model_construct(
                similarity=score.unit(float(signals.cosine[place])),
                lexical=score.unit(float(signals.share[place])),
                graph=float(graph[place]),
                recency=0.0,
                importance=0.0,
                usage=0.0,
            ),
            turn=turn,
            place=place,
            rests_on=tuple(corpus.rests_on.get(turn.key, ())),
        )
        for place, turn in enumerate(corpus.turns)
        if signals.allowed[place]
    ]


def score_statements(
    findings: Findings, served: dict[int, Statement], rank: Array, order: Array
) -> list[Candidate]:
    """The statements as candidates."""
    signals, now = findings.statements, findings.moment.at
    graph, sums = score.graph_part(rank), score.statement_sum(signals, best_evidence(findings.corpus, order))
    found = []
    for place, statement in served.items():
        recency = score.recency(statement, now)
        logit = float(sums[place]) + score.standing(statement, recency)
        found.append(
            Candidate(
                score=float(score.sigmoid(np.array(logit))),
                parts=HitParts.model_construct(
                    similarity=score.unit(float(signals.cosine[place])),
                    lexical=score.unit(float(signals.share[place])),
                    graph=float(graph[place]),
                    recency=recency,
                    importance=statement.importance,
                    usage=0.0,
                ),
                statement=statement,
                place=place,
                rests_on=(statement.id,),
            )
        )
    return found


def best_evidence(corpus: Corpus, order: Array) -> Array:
    """For each statement where the best of the turns it rests on stands; last where none can be found."""
    last = float(order.min()) if len(order) else 0.0
    return np.array(
        [
            max((order[corpus.place[key]] for key in corpus.evidence[record.id] if key in corpus.place), default=last)
            for record in corpus.statements
        ],
        dtype=np.float64,
    )
