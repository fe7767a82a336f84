"""What is near to a question: by the vectors of its words, or by the words themselves where the embedder fails.

Invariant: a question is always answered.  Without vectors what shares its words takes their place, at the likeness that a
sentence about the same thing has on average, so that the weights and the threshold of the score keep their meaning; the
answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from graphmem.calibration import Calibration
from graphmem.embed import Embedder
from graphmem.encoding import rows_of
from graphmem.errors import MissingDependency, ModelError
from graphmem.graph.base import Graph, Near
from graphmem.recall.corpus import Corpus
from graphmem.recall.matrix import Matrix
from graphmem.recall.question import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST = 400
NEAREST_STATEMENTS = 200
# The cosine of a sentence that holds all topics of a question, on average.
LIKENESS = 0.5
# So many texts keep their vectors: a question is often asked again, of other kinds or of another time.
ASKED = 64


class Asked:
    """An embedder of questions that remembers the last ones."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._rows: dict[str, NDArray[np.float32]] = {}

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text.

        Raises:
            EmbedderFailed: see `graphmem.encoding.rows_of`.
        """
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        made = dict(zip(new, rows_of(self._embedder, new), strict=True)) if new else {}
        rows = np.stack([made[text] if text in made else self._rows[text] for text in texts])
        for text, row in zip(texts, rows, strict=True):
            self._rows.pop(text, None)
            self._rows[text] = row.copy()
        while len(self._rows) > ASKED:
            del self._rows[next(iter(self._rows))]
        return rows


def nearest(
    graph: Graph,
    asked: Asked,
    corpus: Corpus,
    question: Question,
    *,
    known_at: datetime,
    calibration: Calibration | None = None,
    matrix: Matrix | None = None,
) -> tuple[list[Near], str | None]:
    """The turns, pairs and statements nearest to a question, and what the answer has to say about how they were found.

    They come out of the `matrix` where that is at hand, else out of the graph.
    """
    texts: Sequence[str] = list(dict.fromkeys((question.bare, question.about)))
    try:
        vectors = asked.rows(texts)
        most = 2 * len(corpus.turns) + len(corpus.statements)
        ready = matrix is not None and matrix.ready(corpus.seq, count=most, dimension=vectors.shape[1])
        search = matrix.nearest if matrix is not None and ready else graph.nearest
        turns = search(vectors[0], kinds=("turn", "pair"), k=NEAREST, known_at=known_at)
        statements = search(vectors[-1], kinds=("statement",), k=NEAREST_STATEMENTS, known_at=known_at)
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
