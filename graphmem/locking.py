"""Who may act on a space, and when: threads of a process take turns, processes queue to write.

Invariant: a lock is held by an open file of a living process, so that a killed process holds none; a wait is bounded and
ends in `StoreLocked`; what was opened before a fork is refused after it.  Reading takes no lock between processes:
everyone reads a graph of his own and the ledger's last committed state.  Only an erasure that is under way is waited for.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet, WeakValueDictionary

from graphmem.errors import StoreError, StoreLocked


class Turn:
    """What threads of this process that use one space share: one of them acts at a time, and may act within its act.

    `members` are the open spaces.  `ledgers` counts the connections that this process has to the space's ledger: while
    there is one, the file must not be opened by other means, because closing any descriptor of a file drops the process's
    own locks on it.  `owed` is set while an erasure is under way: an act that finds it set finishes that first.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self.ledgers = 0
        self.owed = False
        self.members: WeakSet[Any] = WeakSet()

    def __enter__(self) -> Turn:
        self._lock.acquire()
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._lock.release()

    def idle(self) -> bool:
        """Take the turn if nobody acts; whether it was taken (then `__exit__` gives it back)."""
        if not self._lock.acquire(blocking=False):
            return False
        if self._depth:
            self._lock.release()
            return False
        self._depth += 1
        return True


_TURNS: WeakValueDictionary[tuple[int, str], Turn] = WeakValueDictionary()
_TURNS_LOCK = threading.Lock()


def turn_of(folder: Path) -> Turn:
    """The turn of a space's folder: the same object for all who have it open in this process."""
    name = os.getpid(), os.path.realpath(folder)
    with _TURNS_LOCK:
        turn = _TURNS.get(name)
        if turn is None:
            turn = _TURNS[name] = Turn()
        return turn


class Door:
    """A lock between processes on a file of a space's folder.

    Args:
        path: the lock's file; it stays empty and is never removed.
        what: what is waited for, in words for the user.
    """

    def __init__(self, path: Path, what: str) -> None:
        from filelock import FileLock

        self._what = what
        self._lock = FileLock(path, mode=0o600, thread_local=False)

    @contextmanager
    def held(self, wait: float) -> Iterator[None]:
        """Hold it, after waiting up to `wait` seconds."""
        self.take(wait)
        try:
            yield
        finally:
            self.leave()

    def take(self, wait: float) -> None:
        """Take it, after waiting up to `wait` seconds; StoreLocked if another process keeps it longer."""
        from filelock import Timeout

        try:
            self._lock.acquire(timeout=max(wait, 0), poll_interval=0.01)
        except Timeout as error:
            raise StoreLocked(
                f"{self._what} is in use by another process (waited {wait:g} s): wait for it to finish, then repeat"
            ) from error
        except OSError as error:
            raise StoreError(
                f"the lock {self._lock.lock_file} cannot be taken ({error.strerror}): check rights and free space"
            ) from error

    def free(self) -> bool:
        """Take it if nobody else has it; whether that was so."""
        try:
            self.take(0)
        except StoreLocked:
            return False
        return True

    def leave(self) -> None:
        """Let go of it; safe to call when it is not held."""
        self._lock.release()


def keep_for_ever(thing: object) -> None:
    """One reference more, which nobody gives back: the destructor never runs, not even when the process ends."""
    if thing is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def in_child(act: Callable[[], None]) -> None:
    """Have something done in every child that is forked off, before anything else."""
    if hasattr(os, "register_at_fork"):  # elsewhere there is no fork
        os.register_at_fork(after_in_child=act)


def _new_lock() -> None:
    # A thread that the child has not may have held it.
    global _TURNS_LOCK
    _TURNS_LOCK = threading.Lock()


in_child(_new_lock)


class Process:
    """The process that opened something; using it in a child that was forked off later is refused."""

    def __init__(self) -> None:
        self._id = os.getpid()

    @property
    def forked(self) -> bool:
        """Whether this is another process than the one that opened it."""
        return os.getpid() != self._id

    def check(self, what: str) -> None:
        """StoreError in a forked child: engine, connection and locks belong to the parent."""
        if self.forked:
            raise StoreError(f"{what} was opened before a fork: open it in this process")
