"""Findings: what was scored for one question, what of it reaches a threshold, and why each was found.

Invariant: nothing here changes a score or an order; a hit's parts and its path are read off the signals that made it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphmem.model import HitParts, Statement
from graphmem.recall import score
from graphmem.recall.answer import Candidate, Moment
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.signals import StatementSignals, TurnSignals

if TYPE_CHECKING:
    from graphmem.recall.signals import Array

# How many times as many turns as hits are looked at.
ROOM = 3
# From which cosine, and from which seed score of a neighbour, the explanation mentions them.
NEAR, STRONG = 0.2, 2.0


@dataclass(slots=True)
class Findings:
    """What was found for one question: a score for every turn and for every statement that may be served.

    `ways` are the steps that led to what is told of a relative, by place.  `leading` are statements that held at the time
    asked about: they stand before what came in their place.
    """

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
    leading: frozenset[str] = frozenset()
    ways: dict[int, tuple[str, ...]] = field(default_factory=dict)

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
                flags = ("quoted",) if place in self.turns.quoted else ()
                found.append(Candidate(float(self.turn_scores[place]), place, turn=turn, rests_on=rests, flags=flags))
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
            path += self.ways.get(place, ())
            path += [f"shares {name} with: {corpus.statements[other].text}" for name, other in self.shared.get(place, ())]
            return tuple(path)
        if self.turns.speaker[place]:
            path.append(f"said by {corpus.turns[place].speaker}")
        sides = ((corpus.preceding[place], "follows"), (corpus.following[place], "precedes"))
        path += [f"{word} turn {corpus.turns[other].id}" for other, word in sides if other >= 0 and self.base[other] > STRONG]
        return tuple(path)
