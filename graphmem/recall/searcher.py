"""Recall: seeds by vector and by words, a walk through the graph, a calibrated score, and an answer that is safe to use.

Invariant: reading changes nothing; the same question to the same graph at the same clocks gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from graphmem.calibration import Calibration
from graphmem.embed import Embedder
from graphmem.errors import InputError
from graphmem.graph.base import Graph
from graphmem.model import KINDS, Recall
from graphmem.recall.answer import Moment, assemble, contradictions
from graphmem.recall.corpus import Corpus
from graphmem.recall.matrix import Matrix, Source
from graphmem.recall.names import owner_meant
from graphmem.recall.nearest import Asked, nearest
from graphmem.recall.question import Question, ask
from graphmem.recall.weights import weights
from graphmem.recall.words import Words
from graphmem.records import Delta

if TYPE_CHECKING:
    from graphmem.recall.findings import Findings

# Of how many statements the graph is walked where nobody asked for a wide answer.
LOCAL_STATEMENTS = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set for a searcher.

    Attributes:
        language: of the stemmer and the stop words.
        others: take a text for another language that there are words of where it says so.
        min_score: the threshold where a call names none, calibrated in `graphmem.recall.score`.
        calibration: from the embedder's cosines to those that the score was fitted to.
    """

    language: str = "english"
    others: bool = True
    min_score: float = 0.33
    calibration: Calibration | None = None


class Searcher:
    """Recall over one graph.

    Args:
        graph: what is searched.
        embedder: of the questions; the one whose vectors the graph holds.
        settings: what may be set.
        kept: gives the vectors that the ledger keeps up to an entry, to be held at hand; without it the graph searches.
    """

    def __init__(
        self, graph: Graph, embedder: Embedder, *, settings: Settings | None = None, kept: Source | None = None
    ) -> None:
        self.graph = graph
        self.embedder = embedder
        self.settings = settings or Settings()
        self.corpus = Corpus(Words(self.settings.language, others=self.settings.others))
        self.asked = Asked(embedder)
        self.matrix = Matrix(kept)

    def refresh(self) -> None:
        """Take in what other writers did to the graph."""
        self.corpus.refresh(self.graph)

    def add(self, delta: Delta, *, before: int) -> None:
        """Take in a delta that was just applied to the graph, which stood at `before`."""
        self.corpus.add(delta, before=before)
        self.matrix.add(delta, before=before)

    def recall(
        self,
        query: str,
        *,
        k: int = 8,
        min_score: float | None = None,
        kinds: Iterable[str] | None = None,
        at: datetime,
        known_at: datetime,
        now: datetime,
        usage: Callable[[str], float] | None = None,
        asked: str | None = None,
    ) -> Recall:
        """The hits above the threshold, best first, at most k.

        Args:
            query: the question, in whatever words.
            k: a limit, not a quota.
            min_score: replaces the calibrated threshold, and the further support that raw turns need under it; 0 returns
                everything up to k.  Scores then say how likely it is that the memory holds an answer: that of the best hit
                for the whole question, the others as far below it as they are less fitting.
            kinds: only statements of these kinds, and no turns.
            at: the instant in the world that is asked about.
            known_at: what the memory knew then.
            usage: how likely each statement is of use, in 0..1, by its id; None for none.
            asked: the question as it was asked, where `query` is the same one by another name of somebody in it.
            now: the present.  Where `at` is another time, only what held then is found.
        """
        started = perf_counter()
        wanted = None if kinds is None else frozenset(kinds)
        if wanted is not None and not wanted <= set(KINDS):
            raise InputError(f"kinds {sorted(wanted - set(KINDS))} are unknown: use {', '.join(KINDS)}")
        self.refresh()
        moment = Moment(self.graph, at=at, known_at=known_at, strict=at not in (now, known_at), nodes=self.corpus.nodes)
        moment.settled = self.corpus.settled
        if usage is not None:
            moment.usage = usage
        question = ask(owner_meant(query, self.corpus, moment), self.corpus, asked=asked)
        if question.empty and min_score is None:
            return _recall(query, started)
        wide = min_score is not None
        limit = max(LOCAL_STATEMENTS, k) if wide else LOCAL_STATEMENTS
        found, notice = self._find(question, moment, wanted, limit=limit, wide=wide)
        above, below = found.above(
            self.settings.min_score if min_score is None else min_score,
            wide=wide,
            turns=wanted is None,
            k=k,
        )
        if wanted is None:
            from graphmem.recall.latest import retold_first
            from graphmem.recall.sides import other_side
            from graphmem.recall.sources import shared_out

            above = shared_out(other_side(retold_first(above, found), found), found, k)
        hits, behind = assemble(above, moment, k=k, prefer_statements=min_score is None, grounds=found, leading=found.leading)
        return Recall.model_construct(
            query=query,
            hits=tuple(hits),
            contradictions=contradictions(behind, moment),
            superseded_shown=sum("superseded" in hit.flags for hit in hits),
            below_threshold=below,
            seconds=perf_counter() - started,
            notices=() if notice is None else (notice,),
        )

    def _find(
        self, question: Question, moment: Moment, wanted: frozenset[str] | None, *, limit: int, wide: bool
    ) -> tuple[Findings, str | None]:
        from graphmem.recall.candidates import find

        near, notice = nearest(
            self.graph, self.asked, self.corpus, question, known_at=moment.known_at,
            calibration=self.settings.calibration, matrix=self.matrix,
        )  # fmt: skip
        fitted = weights(self.embedder.name)
        found = find(self.corpus, question, moment, near, wanted=wanted, limit=limit, fitted=fitted, calibrated=wide)
        return found, notice


def _recall(query: str, started: float) -> Recall:
    return Recall.model_construct(
        query=query,
        hits=(),
        contradictions=(),
        superseded_shown=0,
        below_threshold=0,
        seconds=perf_counter() - started,
    )
