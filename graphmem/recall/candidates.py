"""Candidates: everything that could answer a question, scored, with the way that led to it.

Invariant: a statement that may not be served (withdrawn, suggested, not known or not holding at the moment asked about)
is removed before the walk through the graph, so it cannot lift anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.base import Near
from graphmem.model import HitParts, Statement
from graphmem.recall import score
from graphmem.recall.answer import Candidate, Moment
from graphmem.recall.corpus import SUMMARY, Corpus
from graphmem.recall.latest import latest_first
from graphmem.recall.question import Question
from graphmem.recall.signals import (
    StatementSignals,
    TurnSignals,
    about_others,
    best_evidence,
    of_statements,
    of_turns,
)
from graphmem.recall.spread import (
    LOCAL_STATEMENTS,
    LOCAL_TURNS,
    SEEDS,
    local_graph,
    page_rank,
    statement_edges,
    surroundings,
)
from graphmem.recall.usage import lift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array

# Below every turn that may be served.
NOTHING = -9.0
# Before the walk a statement is judged as if its evidence stood this far behind the best turn.
MIDDLE = -2.0
# How many times as many turns as hits are looked at.
ROOM = 3
# Statements are read from the graph so many at a time.
BATCH = 100
# From which cosine, and from which seed score of a neighbour, the explanation mentions them.
NEAR, STRONG = 0.2, 2.0


@dataclass(slots=True)
class Findings:
    """What was found for one question: a score for every turn and for every statement that may be served."""

    corpus: Corpus
    question: Question
    moment: Moment
    served: dict[int, Statement]
    shared: dict[int, list[tuple[str, int]]]
    turns: TurnSignals
    statements: StatementSignals
    base: Array
    support: Array
    turn_scores: Array
    statement_scores: Array
    recency: dict[int, float]
    turn_graph: Array
    statement_graph: Array

    def above(self, threshold: float, *, wide: bool, turns: bool, k: int) -> tuple[list[Candidate], int]:
        """Those whose score reaches the threshold, at least `k` of them if there are, and how many do not reach it.

        Args:
            threshold: the least score.
            wide: take every turn; otherwise only one that is supported by itself and of which nothing was withdrawn.
            turns: whether turns are asked for at all.
            k: how many hits are wanted in the end.
        """
        found = [
            Candidate(float(self.statement_scores[place]), place, statement=statement, rests_on=(statement.id,))
            for place, statement in self.served.items()
            if self.statement_scores[place] >= threshold
        ]
        below = len(self.served) - len(found)
        if not turns:
            return found, below
        reached = self.turns.allowed & (self.turn_scores >= threshold)
        if not wide:
            reached &= self.support >= score.SUPPORT
        below += int(self.turns.allowed.sum() - reached.sum())
        places = np.flatnonzero(reached)
        # More than can be shown, since some stand behind the statements that rest on them.
        best = places[np.argsort(-self.turn_scores[places], kind="stable")][: ROOM * (k + len(found))]
        for place in best.tolist():
            turn = self.corpus.turns[place]
            rests = tuple(self.corpus.rests_on.get(turn.key, ()))
            if not rests or not self.moment.withdrawn(rests, any_of_them=not wide):
                found.append(Candidate(float(self.turn_scores[place]), place, turn=turn, rests_on=rests))
        return found, below

    def parts(self, item: Candidate) -> HitParts:
        """What a candidate's score is made of."""
        place = item.place
        statement = item.statement
        if place < 0:
            return HitParts(importance=statement.importance if statement else 0.0)
        signals = self.turns if statement is None else self.statements
        graph = self.turn_graph if statement is None else self.statement_graph
        return HitParts.model_construct(
            similarity=score.unit(float(signals.cosine[place])),
            lexical=score.unit(float(signals.share[place])),
            graph=float(graph[place]),
            recency=self.recency.get(place, 0.0) if statement else float(self.corpus.columns.newness[place]),
            importance=statement.importance if statement else 0.0,
            usage=self.moment.usage(statement.id) if statement else 0.0,
        )

    def explain(self, item: Candidate) -> tuple[str, ...]:
        """The way that led to a candidate, in short strings."""
        if item.place < 0:
            return ()
        asked, corpus, place = set(self.question.stems), self.corpus, item.place
        known = corpus.stems if item.statement is None else corpus.statement_stems
        cosine = (self.turns if item.statement is None else self.statements).cosine[place]
        path = [f"vector {cosine:.2f}"] if cosine >= NEAR else []
        words = sorted(asked & known[place])
        path += [f"words: {', '.join(words)}"] if words else []
        if item.statement is not None:
            if self.statements.asked[place] > 0:
                path.append(f"asks for {item.statement.predicate}")
            path += [f"shares {name} with: {corpus.statements[other].text}" for name, other in self.shared.get(place, ())]
            return tuple(path)
        if self.turns.speaker[place]:
            path.append(f"said by {corpus.turns[place].speaker}")
        sides = ((corpus.preceding[place], "follows"), (corpus.following[place], "precedes"))
        path += [f"{word} turn {corpus.turns[other].id}" for other, word in sides if other >= 0 and self.base[other] > STRONG]
        return tuple(path)


def find(
    corpus: Corpus,
    question: Question,
    moment: Moment,
    near: Sequence[Near],
    *,
    wanted: frozenset[str] | None,
    limit: int,
) -> Findings:
    """Score everything that may answer the question.

    Args:
        corpus: what there is.
        question: what is asked.
        moment: the clocks.
        near: the nearest turns, pairs and statements by vector.
        wanted: the kinds of statement asked for, or None for all and for turns.
        limit: how many statements to look at, at least.
    """
    allowed = _allowed(corpus, moment)
    turns = of_turns(corpus, question, near, allowed)
    statements = of_statements(corpus, question, near, turns)
    base = score.standard(score.weighted(score.first_turn_columns(turns), score.SEED_WEIGHTS))
    base = np.where(allowed, base, NOTHING)
    first = score.statement_sum(statements, np.full(len(corpus.statements), MIDDLE))
    local_turns = [int(place) for place in np.argsort(-base, kind="stable")[:LOCAL_TURNS] if allowed[place]]
    served = _served(corpus, moment, first, local_turns, wanted=wanted, limit=limit)
    local_statements = list(served)[:LOCAL_STATEMENTS]
    edges, shared = statement_edges(corpus, local_statements, moment.nodes)
    rank = page_rank(
        local_graph(corpus, local_turns, local_statements, edges),
        _seeds(base, first, local_turns, local_statements),
    )
    turn_rank, statement_rank = np.zeros(len(base)), np.zeros(len(first))
    turn_rank[local_turns] = rank[: len(local_turns)]
    statement_rank[local_statements] = rank[len(local_turns) :]
    columns = score.turn_columns(turns, surroundings(corpus, base), turn_rank)
    support = score.turn_support(turns, about_others(corpus, statements), aim=question.aim)
    total = score.weighted(columns, score.TURN_WEIGHTS)
    order = score.turn_order(total, support, corpus.columns.newness, allowed)
    last = float(order.min()) if len(order) else 0.0
    sums = _lifted(corpus, served, score.statement_sum(statements, best_evidence(corpus, order, last)))
    recency = {place: score.recency(statement, moment.at) for place, statement in served.items()}
    for place, statement in served.items():
        sums[place] += score.standing(statement, recency[place], past=question.past) + lift(moment.usage(statement.id))
    if not question.past:
        over = _over(corpus, served)
        total[over] -= score.OVER
        order = score.turn_order(total, support, corpus.columns.newness, allowed)
    order = latest_first(corpus, question, turns, order)
    return Findings(
        corpus=corpus,
        question=question,
        moment=moment,
        served=served,
        shared=shared,
        turns=turns,
        statements=statements,
        base=base,
        support=support,
        turn_scores=score.turn_scores(order, support, allowed),
        statement_scores=score.sigmoid(sums),
        recency=recency,
        turn_graph=score.graph_part(turn_rank),
        statement_graph=score.graph_part(statement_rank),
    )


def _allowed(corpus: Corpus, moment: Moment) -> NDArray[np.bool_]:
    """Turns that were known, and where another time is asked about, that had been said by then."""
    columns = corpus.columns
    allowed: NDArray[np.bool_] = columns.known <= moment.known_at.timestamp()
    if moment.strict:
        allowed &= columns.said <= moment.at.timestamp()
    return allowed


def _served(
    corpus: Corpus,
    moment: Moment,
    first: Array,
    turns: Sequence[int],
    *,
    wanted: frozenset[str] | None,
    limit: int,
) -> dict[int, Statement]:
    """The statements that may be served, by place, the best first: `limit` of them and those that the best turns bear."""
    columns = corpus.columns
    asked = columns.recorded <= moment.known_at.timestamp()
    if wanted is None:
        asked &= columns.kind != SUMMARY
    else:
        asked &= np.isin(columns.kind, [*wanted, SUMMARY] if "episode" in wanted else list(wanted))
    ranked = [int(place) for place in np.argsort(-first, kind="stable") if asked[place]]
    found: dict[int, Statement] = {}
    # Most stores are small; in a large one what was withdrawn or suggested must not use up the room.
    for start in range(0, len(ranked), BATCH):
        if len(found) >= limit:
            break
        _take(found, corpus, moment, ranked[start : start + BATCH])
    bearers = (corpus.rests_on.get(corpus.turns[turn].key, ()) for turn in turns[:SEEDS])
    borne = {corpus.statement_place[one] for rests in bearers for one in rests if one in corpus.statement_place}
    _take(found, corpus, moment, [place for place in sorted(borne - found.keys()) if asked[place]])
    return dict(sorted(found.items(), key=lambda item: (-first[item[0]], item[0])))


def _lifted(corpus: Corpus, served: dict[int, Statement], sums: Array) -> Array:
    """What took the place of a statement answers whatever that one answered."""
    lifted = sums.copy()
    for place, statement in served.items():
        for old in statement.supersedes:
            before = corpus.statement_place.get(old)
            if before in served and served[before].status == "superseded":
                lifted[place] = max(lifted[place], sums[before])
    return lifted


def _over(corpus: Corpus, served: dict[int, Statement]) -> list[int]:
    """Turns of which all that may still be served no longer holds."""
    standing: dict[int, bool] = {}
    for statement in served.values():
        for key in corpus.evidence[statement.id]:
            if key in corpus.place:
                turn = corpus.place[key]
                standing[turn] = standing.get(turn, False) or not score.is_over(statement)
    return [turn for turn, stands in standing.items() if not stands]


def _take(found: dict[int, Statement], corpus: Corpus, moment: Moment, places: Sequence[int]) -> None:
    moment.load(corpus.statements[place].id for place in places)
    for place in places:
        statement = moment.served(corpus.statements[place].id)
        if statement is not None:
            found[place] = statement


def _seeds(base: Array, first: Array, turns: Sequence[int], statements: Sequence[int]) -> Array:
    """Where the walk starts: the best turns and statements by first signals."""
    seed = np.zeros(len(turns) + len(statements))
    best = list(turns[:SEEDS])
    seed[: len(best)] = np.maximum(base[best], 0.0)
    seed[len(turns) :] = np.maximum(first[list(statements)] - score.SEED_FLOOR, 0.0)
    total = float(seed.sum())
    return seed / total if total > 0 else seed
