"""How many spaces have their files open at once: the ones used last, whatever the number of open memories.

Invariant: a space whose graph or ledger is closed to make room loses nothing, and opens it again at its next use; one
that is in the middle of an act is left alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol
from weakref import ref

# An engine keeps an index of about 5.5 MB in memory for each table of nodes, 36 MB for an empty graph (measured with kuzu
# 0.11.3), and opens one again in 30 ms.
MOST_GRAPHS = 3
MOST_LEDGERS = 200
FILES_EACH = 4  # a ledger with its log and index, and one for the moment of writing
FILES_LEFT = 160  # for the graphs, and for the host's own files


class Sleeper(Protocol):
    """Something with open files; both calls say whether the files in question are closed now."""

    def doze(self) -> bool:
        """Close the graph if nothing is going on."""

    def sleep(self) -> bool:
        """Close all files if nothing is going on."""


def give_back() -> None:
    """Return freed memory to the system where the C library keeps it: a closed engine leaves 36 MB behind otherwise."""
    import ctypes

    with suppress(AttributeError, OSError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def most_graphs() -> int:
    """How many graphs may be open at once."""
    return MOST_GRAPHS


def most_ledgers() -> int:
    """How many ledgers may be open at once: up to 200, fewer where the process may open few files."""
    try:
        import resource
    except ImportError:  # a platform without such limits
        return MOST_LEDGERS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_LEDGERS
    return max(1, min(MOST_LEDGERS, (soft - FILES_LEFT) // FILES_EACH))


class Pool:
    """The spaces of this process that hold something open, the one used last at the end.

    Args:
        most: how many may hold it.
        close: asks a space to let go of it; whether it did.
    """

    def __init__(self, most: Callable[[], int], close: Callable[[Sleeper], bool]) -> None:
        self._most, self._close = most, close
        self._holders: OrderedDict[int, ref[Sleeper]] = OrderedDict()
        self._lock = threading.Lock()

    def used(self, space: Sleeper) -> None:
        """Note that a space holds it and uses it; others may have to let go for it."""
        with self._lock:
            self._holders[id(space)] = ref(space)
            self._holders.move_to_end(id(space))
            spare = list(self._holders.items())[: max(0, len(self._holders) - self._most())]
        for key, held in spare:
            other = held()
            if other is None or (other is not space and self._close(other)):
                self._drop(key)

    def released(self, space: Sleeper) -> None:
        """Note that a space holds it no more."""
        self._drop(id(space))

    def _drop(self, key: int) -> None:
        with self._lock:
            self._holders.pop(key, None)

    def __len__(self) -> int:
        return len(self._holders)


GRAPHS = Pool(lambda: most_graphs(), lambda space: space.doze())
LEDGERS = Pool(lambda: most_ledgers(), lambda space: space.sleep())
