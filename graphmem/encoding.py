"""Asking an embedder, which may be anybody's: its answer is checked, and waited for only so long.

Invariant: whatever an embedder does, fail, hang, answer with another shape, with what is no number or with a vector of no
length, becomes one named error before a vector reaches the ledger or a search.  A call that hangs is left behind in a thread
of its own, and nobody calls that embedder again until it is back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphmem.embed import Embedder
from graphmem.errors import EmbedderFailed, GraphmemError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECONDS = 60.0  # for the loading of a model, or for one part
PART = 32  # texts in a part
UNIT = 1e-3  # how far a length may be from 1 and the vector is taken as it is


def rows_of(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """What an embedder gives for texts, of the shape that it promises: nothing else may reach the ledger.

    Raises:
        EmbedderFailed: it failed, or gave something else.
        GraphmemError: what the package's own embedders raise.
    """
    import numpy as np

    if not texts:
        return np.zeros((0, embedder.dimension), np.float32)
    try:
        rows = np.asarray(embedder.encode(texts))
    except GraphmemError:
        raise
    except Exception as error:  # whatever somebody else's model raises
        raise EmbedderFailed(
            f"the embedder {embedder.name!r} failed ({type(error).__name__}: {error}): check the model and repeat"
        ) from error
    wanted = (len(texts), embedder.dimension)
    if rows.shape != wanted or rows.dtype.kind not in "fiu":
        raise EmbedderFailed(
            f"the embedder {embedder.name!r} gave {rows.dtype} of shape {rows.shape} for {len(texts)} texts, and the vectors "
            f"here have {embedder.dimension} numbers: use the model that the memory was made with, or move it to this one "
            "with `graphmem reembed`"
        )
    rows = rows.astype(np.float32, copy=False)
    if not np.isfinite(rows).all():
        raise EmbedderFailed(f"the embedder {embedder.name!r} gave a vector that is not finite: check the model and repeat")
    if not rows.any(axis=1).all():
        raise EmbedderFailed(f"the embedder {embedder.name!r} gave a vector of no length: check the model and repeat")
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1))
    if (np.abs(lengths - 1) > UNIT).any():
        # A long vector would count for more where two are mixed: only the direction says something.
        rows = (rows / lengths[:, None]).astype(np.float32)
    return rows


class Bounded:
    """An embedder that is waited for only so long, and whose answers are checked.

    Args:
        embedder: the model.
        dimension: the length of the vectors that it has to give.
        seconds: the most to wait for its loading and for each part of texts; what comes later is not taken.
    """

    def __init__(self, embedder: Embedder, *, dimension: int, seconds: float = SECONDS) -> None:
        self.name, self.dimension, self.seconds = embedder.name, dimension, min(max(seconds, 0.0), 1e6)
        self._embedder = embedder
        self._stuck: threading.Thread | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text; with no texts the model is loaded."""
        import numpy as np

        if not texts:
            self._within(lambda: self._embedder.encode([]))
            return np.zeros((0, self.dimension), np.float32)
        return np.concatenate([self._part(texts[start : start + PART]) for start in range(0, len(texts), PART)])

    def _part(self, texts: Sequence[str]) -> NDArray[np.float32]:
        outer = self

        class Checked:
            name, dimension = outer.name, outer.dimension

            def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
                return outer._embedder.encode(texts)

        return self._within(lambda: rows_of(Checked(), texts))

    def _within(self, call: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32]:
        if self._stuck is not None and self._stuck.is_alive():
            raise EmbedderFailed(
                f"the embedder {self.name!r} has still not answered an earlier call: check the model and repeat"
            )
        found: list[NDArray[np.float32]] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                found.append(call())
            except BaseException as error:  # raised again in the thread that waits
                failed.append(error)

        thread = threading.Thread(target=work, name=f"{threading.current_thread().name}-model", daemon=True)
        thread.start()
        thread.join(self.seconds)
        if thread.is_alive():
            self._stuck = thread
            raise EmbedderFailed(
                f"the embedder {self.name!r} gave no answer within {self.seconds:g} seconds: check the model, or allow it more "
                "with embed_wait"
            )
        if failed:
            if isinstance(failed[0], GraphmemError):
                raise failed[0]
            raise EmbedderFailed(
                f"the embedder {self.name!r} failed ({type(failed[0]).__name__}: {failed[0]}): check the model and repeat"
            ) from failed[0]
        return found[0]
