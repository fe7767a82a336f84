"""Reading a ledger file in order, whatever its schema, also one that may be damaged.

Invariant: entries come one after another from the first, none is skipped, and the first that is missing or cannot be read
is named; all before it came, though the page after them cannot be read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NoReturn, Protocol

from graphmem.chain import BadEntry, Kept, Row, VectorRow
from graphmem.faults import malformed


class Layout(Protocol):
    """How one schema keeps entries, subjects and vectors."""

    @property
    def keeps_marks(self) -> bool:
        """Whether an entry holds a sum over its vectors."""

    def rows(self, after: int, upto: int | None = None, limit: int = -1) -> Iterator[Row]:
        """Entries in order with a number above `after`, up to `upto`."""

    def vectors(self, first: int, last: int | None = None, only: int | None = None) -> Iterator[tuple[int, Kept]]:
        """Vectors by their entry, in order and as they are kept, of the entries `first` to `last`; `only` one by number."""

    def vector(self, kept: Kept) -> VectorRow:
        """A vector as it is read."""

    def mark(self, kept: Iterable[Kept]) -> int | None:
        """The sum over vectors that an entry with them holds, or None where the schema keeps none."""

    def missing(self, seq: int) -> str:
        """What is wrong with an entry whose payload is gone though no erasure names it."""

    def subjects(self) -> Iterator[tuple[str, int]]:
        """Which entries name which subject, as it is kept for looking up."""

    def counts(self) -> tuple[int, int]:
        """The last entry that has a payload, and the number of operations kept for looking up."""


def stream(layout: Layout) -> Iterator[tuple[Row, list[Kept]]]:
    """All entries with their vectors, as they are kept, in order.

    Raises:
        BadEntry: an entry is missing or cannot be read; all before it came.
    """
    vectors = _Vectors(layout)
    seen = 0
    for row in _rows(layout):
        if row.seq != seen + 1:
            raise BadEntry(seen + 1, "it is missing")
        yield row, vectors.of(row.seq)
        seen = row.seq
    vectors.end(seen)
    if layout.counts()[0] > seen:
        raise BadEntry(seen + 1, "it is missing")


def _rows(layout: Layout) -> Iterator[Row]:
    seen = 0
    try:
        for row in layout.rows(0):
            yield row
            seen = row.seq
        return
    except BadEntry as bad:
        if bad.seq == seen + 1:
            raise
        raise BadEntry(seen + 1, "it is missing") from bad
    except sqlite3.DatabaseError as error:
        if not malformed(error):
            raise
    # The driver gives the error in place of the row before the bad page: go on one by one.
    while True:
        try:
            row = next(layout.rows(seen, seen + 1, 1))
        except StopIteration:
            raise BadEntry(seen + 1, "it cannot be found") from None
        except sqlite3.DatabaseError as error:
            _unreadable(seen + 1, error)
        yield row
        seen = row.seq


def _unreadable(seq: int, error: sqlite3.DatabaseError) -> NoReturn:
    if not malformed(error):
        raise error
    raise BadEntry(seq, f"it cannot be read ({error})") from error


class _Vectors:
    """The vectors of entry after entry: one pass as long as the pages can be read, one by one from then on."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._rows: Iterator[tuple[int, Kept]] | None = layout.vectors(1)
        self._next = self._take()

    def _take(self) -> tuple[int, Kept] | None:
        if self._rows is None:
            return None
        try:
            return next(self._rows, None)
        except (sqlite3.DatabaseError, BadEntry) as error:
            if not malformed(error):
                raise
            self._rows = None  # which entry it is comes out when its turn comes
            return None

    def of(self, seq: int) -> list[Kept]:
        """The vectors of the next entry."""
        found = []
        while self._next is not None and self._next[0] <= seq:
            if self._next[0] < seq:
                raise BadEntry(seq, "its vectors are out of order")
            found.append(self._next[1])
            self._next = self._take()
        if self._rows is None:
            return list(self._singly(seq))
        return found

    def _singly(self, seq: int) -> Iterator[Kept]:
        for number in count():
            try:
                row = next(self._layout.vectors(seq, seq, number), None)
            except sqlite3.DatabaseError as error:
                # The bad page may hold vectors of the next entry only: the entry's sum over its own tells.
                if malformed(error) and self._layout.keeps_marks:
                    return
                _unreadable(seq, error)
            if row is None:
                return
            yield row[1]

    def end(self, last: int) -> None:
        """See that nothing is left when the entries are at their end."""
        if self._next is not None:
            raise BadEntry(last + 1, "it is missing, its vectors are there")
        if self._rows is None:
            raise BadEntry(last + 1, "its vectors cannot be read")
