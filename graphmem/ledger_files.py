"""The file of a ledger and those that SQLite keeps beside it: opened to read or to write, folded, rewritten, copied.

Invariant: opening to read changes neither the file nor its log; a file is opened to write only when it is known to be
sound.  A deleted byte is gone after `rewrite`, from the file and from its log.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from graphmem.errors import StoreError, StoreLocked, StoreNewer
from graphmem.faults import named
from graphmem.ledger_schema import PAGE_SIZE, SCHEMA_VERSION, create_tables, migrate, version_of

BUSY_SECONDS = 5.0
_PRAGMAS = (f"page_size={PAGE_SIZE}", "journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "cell_size_check=ON")


def beside(path: Path, what: str) -> Path:
    """A file that SQLite keeps beside a database: `wal`, `shm` or `journal`."""
    return path.with_name(f"{path.name}-{what}")


def size(path: Path) -> int:
    """Size of a file; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def filled(path: Path) -> bool:
    """Whether anything was ever written: a file of one page holds no table, and a new one's tables are in its log."""
    return size(path) > PAGE_SIZE or size(beside(path, "wal")) > 0


def outdated(path: Path) -> bool:
    """Whether the file is missing, empty or of an older schema, so that opening it will write.

    Only for a file that this process has not open: closing a descriptor of it would drop its locks.
    """
    return not size(path) or 0 < version_in(path) < SCHEMA_VERSION


def version_in(path: Path) -> int:
    """The schema that a file's header names; only for a file that this process has not open (see `outdated`)."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(64)[60:64], "big")


@contextmanager
def reading(path: Path, *, alone: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that leaves the file and its log as they are; an index of the log that it had to make is removed.

    Where there is no log, or with `alone`, the file is taken as it is, without locks and without its log.
    """
    index = beside(path, "shm")
    if not alone and size(beside(path, "wal")) and not index.exists() and not os.access(path.parent, os.W_OK):
        # No index can be made beside it.
        with TemporaryDirectory(prefix="graphmem-") as aside:
            copy = Path(aside) / path.name
            for source, target in ((path, copy), (beside(path, "wal"), beside(copy, "wal"))):
                shutil.copyfile(source, target)
            with reading(copy) as db:
                yield db
        return
    if size(beside(path, "journal")):
        # A process died before the file was ever in its log's mode: let SQLite undo that, as it would at any opening.
        with closing(sqlite3.connect(path)) as db:
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    there = index.exists()
    logged = not alone and (size(beside(path, "wal")) > 0 or there)
    mode = "mode=ro" if logged else "mode=ro&immutable=1"
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        db.execute("PRAGMA query_only=ON")
        # Without this SQLite refuses a file that was cut off as a whole; nothing can be written here anyway.
        db.execute("PRAGMA writable_schema=ON")
        db.execute("PRAGMA cell_size_check=ON")
        db.execute("BEGIN")  # what is seen is of one moment
        yield db
    finally:
        db.close()
        if logged and not there:
            index.unlink(missing_ok=True)


def writing(path: Path, fixed: Callable[[], Mapping[str, str]]) -> tuple[sqlite3.Connection, int]:
    """A connection to write, and the schema that the file had; it has the newest one now.

    Args:
        path: the file; made if there is none.
        fixed: gives what a new ledger says of itself.

    Raises:
        StoreNewer: the file is of a newer schema; it is as it was.
        BadEntry: a step to a newer schema found that the chain does not hold; the file is as it was.
    """
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
    try:
        version = version_of(db)
        if version > SCHEMA_VERSION:
            raise StoreNewer(
                f"the ledger {path} has schema {version}, this release knows up to {SCHEMA_VERSION}: update graphmem"
            )
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        if version == 0:
            create_tables(db, fixed())
        else:
            migrate(db)
        free, pages = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
        if 2 * free > pages:
            # After a migration, also one whose end a crash cut off.  What is free is blank already: it is only space.
            with suppress(sqlite3.Error, StoreLocked):
                rewrite(db, path)
    except BaseException:
        db.close()
        raise
    return db, version


def log_sum(order: str, data: bytes, running: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """The checksum of a write-ahead log, carried on over more bytes; `order` is `<` or `>`, as its header says."""
    one, two = running
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def fold(db: sqlite3.Connection, path: Path) -> None:
    """Take the log into the file and make it empty.

    Raises:
        StoreLocked: somebody reads it.
    """
    if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise StoreLocked(f"the log of the ledger {path} is in use by another process: close that and repeat")


def rewrite(db: sqlite3.Connection, path: Path) -> None:
    """Write the file anew without what was deleted, and empty the log."""
    fold(db, path)
    db.execute("VACUUM")
    fold(db, path)


def copy_to(db: sqlite3.Connection, target: Path) -> None:
    """Write a consistent copy as one file without a log, or nothing."""
    if target.exists():
        raise StoreError(f"{target} is there already: name another file for the copy of the ledger")
    try:
        with (
            named(target, "written as a copy"),
            closing(sqlite3.connect(target, isolation_level=None, timeout=BUSY_SECONDS)) as copy,
        ):
            db.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    except BaseException:
        for path in (target, *(beside(target, what) for what in ("wal", "shm", "journal"))):
            path.unlink(missing_ok=True)
        raise


def stamp(path: Path) -> list[tuple[int, int, int]]:
    """What changes when anybody writes to a ledger."""
    found = [file.stat() for file in (path, beside(path, "wal")) if file.exists()]
    return [(state.st_ino, state.st_mtime_ns, state.st_size) for state in found]
