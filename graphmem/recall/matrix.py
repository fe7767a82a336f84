"""The vectors of a memory at hand: one matrix of each kind beside the corpus, so that a search is one product.

The graph engine searches exactly too, but reads every vector from its pages for each question; of 10,000 statements that took
a third of the time of an answer.  So it answers the first question after an opening, and every question of a memory whose
vectors take more than `LIMIT` bytes; from the second question on the matrix does, filled once from the ledger, which gives
them several times as fast as the engine.  They are held as the ledger keeps them, a byte to a number: a product over 32-bit
numbers made of them part by part takes half as long as one over four times as many bytes.  Both ways give the same.

Invariant: what is found is what `Graph.nearest` finds, with cosines that differ by rounding alone: exact search over the
vectors that the ledger keeps up to one entry, with the same filters.  Equal vectors get equal cosines wherever they lie.  The
matrix goes with the corpus when anything was erased or the vectors changed, and holds nothing that the ledger does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from graphmem.graph.base import Near, VectorKind
from graphmem.records import Delta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphmem.ledger import Ledger

    Rows = NDArray[np.int8] | NDArray[np.float32]

# Bytes that may be held for one open memory: half a million vectors of 384 numbers.
LIMIT = 200_000_000
# A product of 32-bit numbers is that far from the exact cosine at most; what is so near to the last place is looked at again.
ROUNDING = 1e-5
# Rows that are made numbers of 32 bits at a time: few enough to stay near the processor.
PART = 1024


class Kept(NamedTuple):
    """A vector as the ledger keeps it, and when it was recorded there."""

    owner: str
    kind: str
    recorded_at: datetime
    data: bytes


# What the ledger keeps up to an entry.
Source = Callable[[int], Iterable[Kept]]


def kept_vectors(ledger: Ledger, upto: int) -> Iterator[Kept]:
    """All vectors that a ledger keeps beside its entries up to one of them."""
    found, times = ledger.vectors(), dict[str, datetime]()
    for row in ledger.rows():
        if row.seq > upto:
            return
        for _, owner, kind, _, data in found.pop(row.seq, ()):
            if row.at not in times:
                times[row.at] = datetime.fromisoformat(row.at)
            yield Kept(owner, kind, times[row.at], data)


class Matrix:
    """The vectors of one graph; without a source it is never filled.

    Args:
        source: gives what the ledger keeps up to an entry.
        limit: bytes that may be held.
    """

    def __init__(self, source: Source | None = None, *, limit: int = LIMIT) -> None:
        self._source, self._limit = source, limit
        self.seq = -1
        self._asked = False
        self._width = 1  # bytes of the widest numbers that were seen
        # By kind, and by whether the numbers are whole, as they are but for vectors of the first releases.
        self._blocks: dict[tuple[str, bool], _Block] = {}

    def ready(self, seq: int, *, count: int, dimension: int) -> bool:
        """Whether the matrix can be searched in place of a graph that stands at `seq`.

        The first question does not fill it: a process that asks once has the answer from the engine sooner.

        Args:
            seq: the entry up to which the vectors are wanted.
            count: how many there are at most.
            dimension: of each.
        """
        if self._source is None or count * dimension * self._width > self._limit:
            self.clear()
            return False
        if self.seq == seq:
            return True
        if not self._asked:
            self._asked = True
            return False
        self._fill(seq)
        return True

    def clear(self) -> None:
        """Hold nothing."""
        self._blocks, self.seq = {}, -1

    def add(self, delta: Delta, *, before: int) -> None:
        """Take in a delta that was just applied to a graph that stood at `before`.

        Where that is not where we stand, nothing is taken in and the next question reads everything.
        """
        import numpy as np

        from graphmem.vectors import whole

        if before != self.seq or delta.seq <= self.seq:
            return
        for vector in delta.vectors:
            values = np.array(vector.values, np.float32)
            numbers = whole(values)
            rows: Rows = values[None] if numbers is None else numbers[None]
            self._add(vector.kind, rows, [vector.owner], [vector.recorded_at])
        self.seq = delta.seq

    def nearest(
        self, query: NDArray[np.float32], *, kinds: Sequence[VectorKind], k: int, known_at: datetime | None = None
    ) -> list[Near]:
        """Exact cosine search, best first, ties by owner; see `graphmem.graph.base.Graph.nearest`."""
        import numpy as np

        exact = query.astype(np.float64)
        length = float(np.sqrt(exact @ exact))
        parts = [(kind, block) for (kind, _), block in sorted(self._blocks.items()) if kind in kinds]
        if k <= 0 or not length or not parts:
            return []
        exact /= length
        asked = exact.astype(np.float32)
        likeness = [block.product(asked, known_at) for _, block in parts]
        least = _least(np.concatenate(likeness), k)
        found: list[tuple[float, str, str]] = []
        for (kind, block), values in zip(parts, likeness, strict=True):
            places = np.flatnonzero(values >= least)
            owners = [block.owners[place] for place in places.tolist()]
            found += zip((-block.cosines(places, exact)).tolist(), owners, [kind] * len(owners), strict=True)
        found.sort()
        return [Near(owner, kind, -cosine) for cosine, owner, kind in found[:k]]

    def _add(self, kind: str, rows: Rows, owners: Sequence[str], recorded: Sequence[datetime]) -> None:
        key = kind, rows.dtype.kind == "i"
        self._width = max(self._width, rows.dtype.itemsize)
        if key not in self._blocks:
            self._blocks[key] = _Block(rows[:0])
        self._blocks[key].add(rows, owners, [time.timestamp() for time in recorded])

    def _fill(self, seq: int) -> None:
        from graphmem.vectors import unpacked

        assert self._source is not None
        self.clear()
        read: dict[tuple[str, int], list[Kept]] = {}
        for kept in self._source(seq):
            read.setdefault((kept.kind, len(kept.data)), []).append(kept)
        for (kind, _), vectors in read.items():
            rows = unpacked([one.data for one in vectors])
            self._add(kind, rows, [one.owner for one in vectors], [one.recorded_at for one in vectors])
        self.seq = seq


class _Block:
    """The vectors of one kind and form; one of zeros has no direction, is near nothing and is left out.

    Args:
        rows: none, of the type and width of those that will come.
    """

    def __init__(self, rows: Rows) -> None:
        import numpy as np

        self.owners: list[str] = []
        self._rows = rows
        self._lengths, self._recorded = np.empty(0), np.empty(0)
        self._latest = -np.inf

    def add(self, rows: Rows, owners: Sequence[str], recorded: Sequence[float]) -> None:
        import numpy as np

        lengths = _lengths(rows)
        some = np.flatnonzero(lengths > 0)
        start, end = len(self.owners), len(self.owners) + len(some)
        if end > len(self._rows):
            # Room for more, once there were some: what is told bit by bit is not copied for each bit.
            self._grow(end + start // 4)
        self._rows[start:end], self._lengths[start:end] = rows[some], lengths[some]
        self._recorded[start:end] = np.asarray(recorded)[some]
        self._latest = max(self._latest, float(self._recorded[start:end].max(initial=-np.inf)))
        self.owners += [owners[place] for place in some.tolist()]

    def _grow(self, size: int) -> None:
        import numpy as np

        held = len(self.owners)
        rows = np.empty((size, self._rows.shape[1]), self._rows.dtype)
        lengths, recorded = np.empty(size), np.empty(size)
        rows[:held], lengths[:held], recorded[:held] = self._rows[:held], self._lengths[:held], self._recorded[:held]
        self._rows, self._lengths, self._recorded = rows, lengths, recorded

    def product(self, query: NDArray[np.float32], known_at: datetime | None) -> NDArray[np.float32]:
        """Cosines by place, to `ROUNDING`; nothing is less like than what was not known."""
        import numpy as np

        held = len(self.owners)
        values, wide = np.empty(held, np.float32), np.empty((min(PART, held), len(query)), np.float32)
        for start in range(0, held, PART):
            rows = self._rows[start : min(start + PART, held)]
            np.copyto(wide[: len(rows)], rows)
            np.dot(wide[: len(rows)], query, out=values[start : start + len(rows)])
        values /= self._lengths[:held]
        if known_at is not None and known_at.timestamp() < self._latest:
            values[self._recorded[:held] > known_at.timestamp()] = -np.inf
        return values

    def cosines(self, places: NDArray[np.int64], query: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact cosines of some; row by row in the same way, so that equal vectors stay equal."""
        import numpy as np

        found: NDArray[np.float64] = np.einsum("ij,j->i", self._rows[places].astype(np.float64), query) / self._lengths[places]
        return found


def _lengths(rows: Rows) -> NDArray[np.float64]:
    import numpy as np

    lengths = np.empty(len(rows))
    for start in range(0, len(rows), PART):
        part = rows[start : start + PART].astype(np.float64)
        lengths[start : start + PART] = np.sqrt(np.einsum("ij,ij->i", part, part))
    return lengths


def _least(values: NDArray[np.float32], k: int) -> float:
    """A little less than the k-th greatest value, and more than what was not known."""
    import numpy as np

    last = float(np.partition(values, len(values) - k)[len(values) - k]) if k < len(values) else -2.0
    return max(last - ROUNDING, -2.0)
