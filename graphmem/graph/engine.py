"""A thin driver over kuzu and ladybug: one open database per file and process, written to in transactions.

Invariant: a file is never checkpointed while it is in use (the engine's checkpoint is not safe against being killed):
changes go to the write-ahead log only, each transaction is on disk when `write` returns, and a new file is made when
the log has grown (`graphmem.graph.generations`).  After any error inside a transaction the database is closed and
opened again before anything else is asked of it; after a write that the disk refused it is abandoned instead, for closing
it would end the process.  The two engines cannot live in one process; both are imported here and nowhere else.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from graphmem.checks import brief
from graphmem.errors import (
    GraphDamaged,
    GraphmemError,
    InputError,
    MissingDependency,
    QueryError,
    StoreError,
    StoreFull,
    StoreLocked,
)
from graphmem.files import check_room
from graphmem.graph.values import Parameters, Shape, check_parameters, from_engine, shape, to_engine
from graphmem.locking import in_child, keep_for_ever

T = TypeVar("T")


class Run(Protocol):
    """What asks the engine inside a transaction."""

    def __call__(self, text: str, parameters: Parameters) -> list[list[Any]]:
        """Rows of one query."""

    def each(self, text: str, many: Iterable[Parameters]) -> list[list[Any]]:
        """Rows of one query for each set of parameters, planned once."""


ENGINES: tuple[str, ...] = ("kuzu", "ladybug")
MEBIBYTE = 1 << 20
# First bytes of a file: the engine's name and the storage version that this release of it reads and writes.
MAGIC: dict[str, bytes] = {"kuzu": b"KUZU", "ladybug": b"LBUG"}

# The bindings raise plain built-in errors; which one depends on the C++ exception behind it.
_ENGINE_ERRORS = (RuntimeError, IndexError, KeyError, ValueError, TypeError, MemoryError, OverflowError)
_LOCKED = "Could not set lock"
_NO_ROOM = ("Mmap for size", "Permission denied", "No space left", "Too many open files", "Cannot write to file")
# What the engines say when the disk did not take what they wrote; the last is what a rollback says after that.
_FAILED_WRITE = (
    "Cannot write to file",
    "Cannot open file",
    "Failed to sync",
    "Failed to truncate",
    "Error renaming file",
    "Invalid transaction type to rollback",
)
_POOL_FULL = "buffer pool is full"
# A connection keeps every statement it ever planned, some 20 KB each, and plans are made for the sizes of that day: after
# so many plans, or so many calls, both are begun anew.
_PLANS = 200
_CALLS = 5_000

# Settings that keep the engine from folding its log into the file on its own.
_NO_CHECKPOINT_ON_CLOSE = "CALL force_checkpoint_on_close=false"
_BEGIN = "BEGIN TRANSACTION"
_COMMIT = "COMMIT"
_CHECKPOINT = "CHECKPOINT"
_UNPLANNED = (_BEGIN, _COMMIT)


@dataclass(frozen=True)
class EngineSettings:
    """What an open database may use.  The engine's own defaults take most of the memory and 8 TiB of address space.

    `max_pool_size` is for the one retry that a call gets when the pool was too small for it.
    """

    buffer_pool_size: int = 64 * MEBIBYTE
    max_db_size: int = 16 * 1024 * MEBIBYTE
    max_num_threads: int = 1
    query_timeout_ms: int = 30_000
    write_timeout_ms: int = 600_000
    max_pool_size: int = 512 * MEBIBYTE


def check_engine(name: object) -> None:
    """InputError unless there is an engine of this name."""
    if not isinstance(name, str) or name not in ENGINES:
        raise InputError(f"unknown graph engine {brief(name)}: use one of {', '.join(ENGINES)}")


def load_engine(name: str) -> ModuleType:
    """The engine's module, imported on first use."""
    check_engine(name)
    for other in ENGINES:
        if other != name and other in sys.modules:
            raise StoreError(f"the engines {other} and {name} cannot be used in one process: start another process for {name}")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        install = "pip install kuzu==0.11.3" if name == "kuzu" else "pip install 'graphmem[ladybug]'"
        raise MissingDependency(name, install, f"the graph engine {name}") from error
    return module


def _refused(path: Path, said: str | None) -> StoreFull:
    return StoreFull(
        f"the disk refused a write to the graph {path} ({said}): free some space, then open the store again; "
        "the graph is made anew from the ledger"
    )


class _Shared:
    """The one open database of a file in this process, with how many drivers use it."""

    def __init__(self, path: Path, engine: str, settings: EngineSettings) -> None:
        self.path = path
        self.engine = engine
        self.settings = settings
        self.pool = settings.buffer_pool_size
        self.users = 0
        # Goes up with everything that may change what is in the file, or how it is seen.
        self.moves = 0
        # Calls served and statements planned since the connection was made.
        self.served = self.plans = 0
        self.lock = threading.RLock()
        self.module = load_engine(engine)
        self.database: Any = None
        self.connection: Any = None
        # Statements that were planned on this connection, by their text and the types they were planned for.
        self.planned: dict[tuple[str, Shape], Any] = {}
        # What the disk said to the write that failed.
        self.abandoned: str | None = None
        self.open()

    def open(self) -> None:
        self.moves += 1
        settings = self.settings
        options: dict[str, Any] = {
            "buffer_pool_size": self.pool,
            "max_db_size": settings.max_db_size,
            "max_num_threads": settings.max_num_threads,
            "auto_checkpoint": False,
        }
        if self.engine == "ladybug":
            # A log cut short by a kill is read up to its last whole transaction, as kuzu does.
            options["throw_on_wal_replay_failure"] = False
        try:
            self.database = self.module.Database(str(self.path), **options)
            self.connect()
        except _ENGINE_ERRORS as error:
            message = str(error)
            if self.database is not None and any(part in message for part in _FAILED_WRITE):
                raise self.abandon(message) from error
            self.close()
            if _POOL_FULL in message and self.pool < settings.max_pool_size:
                self.grow()
                return
            if _LOCKED in message:
                raise StoreLocked(
                    f"the graph {self.path} is in use by another process: wait for it to finish, then try again"
                ) from error
            if any(part in message for part in _NO_ROOM):
                raise StoreFull(
                    f"the graph {self.path} cannot be opened: {message}: free the resource and try again"
                ) from error
            raise GraphDamaged(f"the graph {self.path} cannot be opened: {message}: it is rebuilt from the ledger") from error

    def close(self) -> None:
        connection, database = self.connection, self.database
        self.connection = self.database = None
        self.planned.clear()
        if connection is not None:
            connection.close()
        if database is not None:
            database.close()

    def abandon(self, message: str) -> StoreError:
        """Let go of the engine for ever without closing it, and the error to raise.

        After a failed write its destructors throw, which ends the process; not running them costs some memory.
        """
        self.keep()
        self.connection = self.database = None
        self.planned = {}
        self.abandoned = message
        _ABANDONED.add((os.getpid(), self.path))
        return self.gone()

    def keep(self) -> None:
        """See to it that the engine's destructors never run in this process."""
        for thing in (self.connection, self.database):
            for part in ("_connection", "_database"):
                keep_for_ever(getattr(thing, part, None))
            keep_for_ever(thing)
        keep_for_ever(self.planned)

    def gone(self) -> StoreError:
        return _refused(self.path, self.abandoned)

    def reopen(self) -> None:
        self.close()
        self.open()

    def connect(self) -> None:
        self.connection = self.module.Connection(self.database, num_threads=self.settings.max_num_threads)
        self.connection.execute(_NO_CHECKPOINT_ON_CLOSE).close()

    def renew(self) -> None:
        """A new connection now and then, and with it new plans."""
        if self.plans > _PLANS or self.served > _CALLS:
            self.served = self.plans = 0
            self.planned.clear()
            self.connection.close()
            self.connect()

    def grow(self) -> None:
        """Open again with the largest pool: what is in the log takes up to 100 KB of it for each change."""
        self.close()
        self.pool = self.settings.max_pool_size
        self.open()

    def execute(self, text: str, parameters: Parameters, timeout_ms: int) -> list[list[Any]]:
        """Rows of a query; it is planned once for as long as the connection lives, since that takes longer than to run it."""
        return self.execute_each(text, (parameters,), timeout_ms)

    def execute_each(self, text: str, many: Iterable[Parameters], timeout_ms: int) -> list[list[Any]]:
        """Run one query for each set of parameters."""
        found: list[list[Any]] = []
        with self._asking(text, timeout_ms):
            for parameters in many:
                check_parameters(text, parameters)
                given = {name: to_engine(value) for name, value in parameters.items()}
                self.served += 1
                planned = self._plan(text, given)
                result = self.connection.execute(planned, given)
                try:
                    found += from_engine(result.get_all())
                finally:
                    result.close()
        return found

    def execute_once(self, text: str, timeout_ms: int) -> None:
        """Run what is not planned: it is kept by the connection, but comes once in the life of a file."""
        with self._asking(text, timeout_ms):
            self.connection.execute(text).close()

    def _plan(self, text: str, given: Parameters) -> Any:
        if text in _UNPLANNED:
            return text
        key = (text, shape(given))
        if key not in self.planned:
            self.plans += 1
            with warnings.catch_warnings():
                # The bindings advise against planning ahead, because they would keep the plan; that is what it is for.
                warnings.simplefilter("ignore", DeprecationWarning)
                self.planned[key] = self.connection.prepare(text, given)
        return self.planned[key]

    @contextmanager
    def _asking(self, text: str, timeout_ms: int) -> Iterator[None]:
        """What the engine says to a query it did not take, as a named error."""
        try:
            self.connection.set_query_timeout(timeout_ms)
            yield
        except _ENGINE_ERRORS as error:
            if isinstance(error, GraphmemError):
                raise
            message = str(error)
            if any(part in message for part in _FAILED_WRITE):
                raise self.abandon(message) from error
            if "Interrupted" in message:
                message = f"it took longer than {timeout_ms} ms"
            raise QueryError(f"the graph {self.path} refused a query ({brief(text[:80])}): {message}") from error


_OPEN: dict[tuple[int, Path], _Shared] = {}
_OPEN_LOCK = threading.Lock()
_ABANDONED: set[tuple[int, Path]] = set()
# What was dropped without being closed.  A finalizer may run in the middle of anything, so it only notes what is to be done.
_DROPPED: deque[tuple[tuple[int, Path], _Shared]] = deque()


def _leave_to_parent() -> None:
    """In a child that was forked off: what is open is the parent's.

    The engine's threads are not in the child, and its destructors would wait for them for ever when the child ends.
    """
    global _OPEN_LOCK
    _OPEN_LOCK = threading.Lock()  # a thread of the parent may have held it
    for shared in _OPEN.values():
        shared.keep()


in_child(_leave_to_parent)


def is_open(path: Path) -> bool:
    """Whether this process has the file open.

    Reading an open file by other means would release the engine's lock on it: closing any descriptor of a file drops
    all of the process's locks on it.
    """
    with _OPEN_LOCK:
        _let_go()
        return (os.getpid(), Path(os.path.realpath(path))) in _OPEN


def _let_go() -> None:
    """Close what only users that were dropped had open; the lock is held."""
    while _DROPPED:
        key, shared = _DROPPED.popleft()
        _leave(key, shared)


def _leave(key: tuple[int, Path], shared: _Shared) -> bool:
    """One user fewer; whether that closed the file.  The lock is held."""
    shared.users -= 1
    if shared.users or key[0] != os.getpid():
        return False
    del _OPEN[key]
    with shared.lock:
        shared.close()
    return shared.abandoned is None


def is_abandoned(path: Path) -> bool:
    """Whether a write to the file failed in this process, which must not open it again: a new file takes its place."""
    return (os.getpid(), Path(os.path.realpath(path))) in _ABANDONED


@dataclass(frozen=True)
class _Running:
    """A transaction under way."""

    shared: _Shared
    timeout_ms: int

    def __call__(self, text: str, parameters: Parameters) -> list[list[Any]]:
        return self.shared.execute(text, parameters, self.timeout_ms)

    def each(self, text: str, many: Iterable[Parameters]) -> list[list[Any]]:
        return self.shared.execute_each(text, many, self.timeout_ms)


class Driver:
    """A user of one database file.  Every call is safe from any thread; calls take turns."""

    def __init__(self, path: Path, *, engine: str, settings: EngineSettings | None = None) -> None:
        # The process id is part of the key: an engine opened before a fork must not be used after it.
        self._key = (os.getpid(), Path(os.path.realpath(path)))
        self._closed = False
        self.engine = engine
        self.path = path
        with _OPEN_LOCK:
            _let_go()
            if self._key in _ABANDONED:
                raise _refused(path, "earlier in this process")
            shared = _OPEN.get(self._key)
            if shared is None:
                shared = _OPEN[self._key] = _Shared(self._key[1], engine, settings or EngineSettings())
            elif shared.engine != engine:
                raise StoreError(f"the graph {path} is already open with {shared.engine}: close it first")
            shared.users += 1
        self._shared = shared
        self._dropped = weakref.finalize(self, _DROPPED.append, (self._key, shared))
        self._dropped.atexit = False

    def _ready(self) -> _Shared:
        if self._closed:
            raise StoreError(f"the graph {self.path} was closed: open it again")
        if self._key[0] != os.getpid():
            raise StoreError(f"the graph {self.path} was opened before a fork: open it in this process")
        if self._shared.abandoned is not None:
            raise self._shared.gone()
        if self._shared.connection is None:
            # The opening after a failed transaction did not succeed; it is tried again.
            self._shared.open()
        self._shared.renew()
        return self._shared

    def moves(self) -> int:
        """A number that goes up with every write in this process: while it stands, what was read is as it was."""
        with self._shared.lock:
            return self._ready().moves

    def query(self, text: str, parameters: Parameters | None = None, *, timeout_ms: int | None = None) -> list[list[Any]]:
        """Rows of a reading query."""
        shared = self._shared
        limit = timeout_ms or shared.settings.query_timeout_ms
        return self._with_room(lambda: shared.execute(text, parameters or {}, limit))

    def each(self, text: str, many: Iterable[Parameters]) -> list[list[Any]]:
        """Rows of a reading query for each set of parameters."""
        shared, listed = self._shared, list(many)
        return self._with_room(lambda: shared.execute_each(text, listed, shared.settings.query_timeout_ms))

    def write(self, work: Callable[[Run], T], *, timeout_ms: int | None = None) -> T:
        """Run `work` in one transaction and return what it returns once it is on disk; an error leaves nothing.

        `work` may run a second time, with more memory, if the first run found the buffer pool too small.
        """
        limit = timeout_ms or self._shared.settings.write_timeout_ms
        check_room(self._key[1].parent)
        return self._with_room(lambda: self._transaction(work, limit))

    def _with_room(self, call: Callable[[], T]) -> T:
        shared = self._shared
        with shared.lock:
            self._ready()
            try:
                return call()
            except QueryError as error:
                if _POOL_FULL not in str(error):
                    raise
            shared.grow()
            return call()

    def _transaction(self, work: Callable[[Run], T], timeout_ms: int) -> T:
        shared = self._shared

        run = _Running(shared, timeout_ms)
        done = False
        shared.moves += 1
        try:
            run(_BEGIN, {})
            result = work(run)
            run(_COMMIT, {})
            done = True
        finally:
            shared.moves += 1
            # The engine goes on in autocommit after an error, and may trip over what it rolled back.
            if not done and shared.abandoned is None:
                shared.reopen()
        return result

    def checkpoint(self) -> None:
        """Fold the log into the file.  Only for a file that nobody refers to yet: a kill here may ruin it."""
        shared = self._shared
        self._with_room(lambda: shared.execute_once(_CHECKPOINT, shared.settings.write_timeout_ms))

    def copy(self, text: str) -> None:
        """Fill a table of a file that nobody refers to yet from a file in the working directory; it is run once."""
        with self._shared.lock:
            self._ready().execute_once(text, self._shared.settings.write_timeout_ms)

    def log_size(self) -> int:
        """Bytes in the write-ahead log."""
        return log_size(self.path)

    def close(self) -> bool:
        """Stop using the file; true if that closed it, false if others still use it or a failed write left it open."""
        with _OPEN_LOCK:
            if self._closed:
                return False
            self._closed = True
            self._dropped.detach()
            return _leave(self._key, self._shared)


def log_path(path: Path) -> Path:
    """The write-ahead log of a database file."""
    return path.with_name(path.name + ".wal")


def log_size(path: Path) -> int:
    """Bytes in the write-ahead log of a database file; 0 without one."""
    try:
        return log_path(path).stat().st_size
    except FileNotFoundError:
        return 0
