"""What is near to a question: by the vectors of its words, or by the words themselves where the embedder fails.

Invariant: a question is always answered.  Without vectors what shares its words takes their place, at the likeness that a
sentence about the same thing has on average, so that the weights and the threshold of the score keep their meaning; the
answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.calibration import Calibration
from graphmem.embed import Embedder
from graphmem.encoding import rows_of
from graphmem.errors import MissingDependency, ModelError
from graphmem.graph.base import Graph, Near
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question

NEAREST = 400
NEAREST_STATEMENTS = 200
# The cosine of a sentence that holds all topics of a question, on average.
LIKENESS = 0.5


def nearest(
    graph: Graph,
    embedder: Embedder,
    corpus: Corpus,
    question: Question,
    *,
    known_at: datetime,
    calibration: Calibration | None = None,
) -> tuple[list[Near], str | None]:
    """The turns, pairs and statements nearest to a question, and what the answer has to say about how they were found."""
    texts: Sequence[str] = list(dict.fromkeys((question.bare, question.about)))
    try:
        vectors = rows_of(embedder, texts)
        turns = graph.nearest(vectors[0], kinds=("turn", "pair"), k=NEAREST, known_at=known_at)
        statements = graph.nearest(vectors[-1], kinds=("statement",), k=NEAREST_STATEMENTS, known_at=known_at)
    except (ModelError, MissingDependency) as error:
        return by_words(corpus, question), f"found by words alone, because the question could not be embedded: {error}"
    found = [*turns, *statements]
    if calibration is not None:
        found = [item._replace(similarity=calibration.of(item.similarity)) for item in found]
    return found, None


def by_words(corpus: Corpus, question: Question) -> list[Near]:
    """Everything, as near by vector as it shares topics with a question."""
    asked = set(question.topics)
    if not asked:
        return []
    found: list[Near] = []
    for turn, stems in zip(corpus.turns, corpus.stems, strict=True):
        shared = len(asked & stems)
        found += [Near(turn.key, kind, LIKENESS * shared / len(asked)) for kind in ("turn", "pair")]
    for record, stems in zip(corpus.statements, corpus.statement_stems, strict=True):
        shared = len(asked & (stems | corpus.question_stems(record.predicate)))
        found.append(Near(record.id, "statement", LIKENESS * shared / len(asked)))
    return found
