"""Which vectors a session gets, and working them out while something else is done.

Invariant: the vectors are a function of the turns and statements alone; whether a text was embedded ahead of time, in which
thread and beside which others makes no difference, so that a store is the same however it was filled.

A turn has a vector of its own and, where something before it helps to understand it, one together with that.  The second is
not embedded but mixed from two others: long texts weigh more, by the square root of their length (up to `TAIL`).  On the
development half of LoCoMo that finds as much as embedding the two texts as one, for half of the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from graphmem.embed import Embedder
from graphmem.encoding import rows_of
from graphmem.errors import GraphmemError
from graphmem.ledger import Draft, Vector
from graphmem.recall.texts import TAIL, context_text, turn_text
from graphmem.records import StatementRecord, TurnRecord, is_theme, key
from graphmem.vectors import pack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Texts that are handed over together: few enough that a caller who would have to wait finds some not yet begun.
PART = 12


class Ahead:
    """An embedder that may be told of texts before they are asked for, and embeds those in a thread of its own.

    Use `embedding_ahead`, which ends the thread.
    """

    def __init__(self, embedder: Embedder, thread: ThreadPoolExecutor) -> None:
        self._embedder, self._thread = embedder, thread
        self._expected: dict[str, tuple[Future[NDArray[np.float32]], int]] = {}
        # Turns are announced by one thread, statements by another.
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The embedder's name."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        return self._embedder.dimension

    def expect(self, texts: Sequence[str]) -> None:
        """Begin with texts that will be asked for soon; each is given once.

        They are handed over in parts, so that what waits can be dropped soon when the caller is stopped.
        """
        with self._lock:
            fresh = [text for text in dict.fromkeys(texts) if text not in self._expected]
            for start in range(0, len(fresh), PART):
                part = fresh[start : start + PART]
                done = self._thread.submit(rows_of, self._embedder, part)
                self._expected |= {text: (done, place) for place, text in enumerate(part)}

    def wait(self, texts: Sequence[str]) -> None:
        """Return when the expected ones among these texts are embedded, or have failed; what is not begun is done here."""
        with self._lock:
            expected = {id(done): done for done, _ in (self._expected[text] for text in texts if text in self._expected)}
        for done in reversed(expected.values()):
            # The thread begins with the first of them, the caller with the last.
            if done.cancel():
                self._embed_here(done)
        wait(done for done in expected.values() if not done.cancelled())

    def _embed_here(self, given_up: Future[NDArray[np.float32]]) -> None:
        with self._lock:
            part = [text for text, (done, _) in self._expected.items() if done is given_up]
        made: Future[NDArray[np.float32]] = Future()
        try:
            made.set_result(rows_of(self._embedder, part))
        except GraphmemError as error:
            made.set_exception(error)
        with self._lock:
            self._expected |= {text: (made, place) for place, text in enumerate(part)}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text; those that were not expected are embedded now.

        Raises:
            What the embedder raised, at the first text that was to be embedded with the one it failed at.
        """
        import numpy as np

        with self._lock:
            ready = {text: self._expected.pop(text) for text in dict.fromkeys(texts) if text in self._expected}
        others = [text for text in dict.fromkeys(texts) if text not in ready]
        rows = dict(zip(others, rows_of(self._embedder, others), strict=True))
        rows |= {text: done.result()[place] for text, (done, place) in ready.items()}
        return np.stack([rows[text] for text in texts]) if texts else rows_of(self._embedder, texts)


@contextmanager
def embedding_ahead(embedder: Embedder) -> Iterator[Ahead]:
    """An embedder with a thread; what is still waiting for it at the end is dropped."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphmem-embedding")
    try:
        yield Ahead(embedder, thread)
    finally:
        thread.shutdown(wait=True, cancel_futures=True)


def texts_of(turns: Sequence[TurnRecord], fresh: set[str]) -> list[str]:
    """What is embedded for these turns of a session, of which the ids of the new ones are given."""
    found: list[str] = []
    for turn, before in _embedded(turns, fresh):
        found.append(turn_text(turn))
        found += _before(turn, before)
    return found


def vectors_of(
    embedder: Embedder,
    turns: Sequence[TurnRecord],
    fresh: set[str],
    records: Sequence[StatementRecord],
    drafts: Sequence[Draft],
) -> list[Vector]:
    """Vectors of the new turns, alone and together with what is before them, and of the new statements."""
    records = [record for record in records if not is_theme(record)]
    entry_of = {draft.subjects[0]: n for n, draft in enumerate(drafts) if draft.type == "statement recorded"}
    texts = list(dict.fromkeys([*texts_of(turns, fresh), *(record.text for record in records)]))
    if not texts:
        return []
    rows = dict(zip(texts, rows_of(embedder, texts), strict=True))
    found: list[tuple[str, str, NDArray[np.float32], int]] = []
    for turn, before in _embedded(turns, fresh):
        own = turn_text(turn)
        found.append((turn.key, "turn", rows[own], 0))
        found += [(turn.key, "pair", _mixed(own, context, rows), 0) for context in _before(turn, before)]
    found += [(record.id, "statement", rows[record.text], entry_of[record.id]) for record in records]
    return [
        Vector(key("v", owner, kind, embedder.name), owner, kind, embedder.name, pack(row), entry)
        for owner, kind, row, entry in found
    ]


def _embedded(turns: Sequence[TurnRecord], fresh: set[str]) -> Iterator[tuple[TurnRecord, TurnRecord | None]]:
    """The new turns that get vectors, each with the one before it."""
    for number, turn in enumerate(turns):
        if turn.id in fresh and turn.role != "memory":
            yield turn, turns[number - 1] if number else None


def _before(turn: TurnRecord, before: TurnRecord | None) -> list[str]:
    """What is embedded of the turn before, if that helps: between people all of it, whose vector is there already."""
    context = context_text(before, turn)
    if before is None or not context:
        return []
    return [turn_text(before) if before.role == "user" else context]


def _mixed(own: str, context: str, rows: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    weights = len(own) ** 0.5, min(len(context), TAIL) ** 0.5
    mixed = rows[own] * np.float32(weights[0]) + rows[context] * np.float32(weights[1])
    unit: NDArray[np.float32] = mixed / np.maximum(np.linalg.norm(mixed), np.float32(1e-12))
    return unit
