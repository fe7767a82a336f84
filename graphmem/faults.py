"""What a failing disk says, in the words of this package.

Invariant: no error of SQLite and no OSError leaves the ledger as it came; each becomes the named error that tells whether
there is no room, no right to write, no turn to be had, or no whole file.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.errors import GraphmemError, LedgerDamaged, ReadOnlyStore, StoreError, StoreFull, StoreLocked
from graphmem.files import NO_ROOM

_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
# A read that ends early is a file that was cut off, not a disk that fails.
_SHORT_READ = sqlite3.SQLITE_IOERR_SHORT_READ


def malformed(error: BaseException) -> bool:
    """Whether an error says that the content of the file is not what it should be."""
    if isinstance(error, LedgerDamaged):
        return True
    if not isinstance(error, sqlite3.Error) or isinstance(error, sqlite3.ProgrammingError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    # No code: a text that is not UTF-8.  SQLITE_ERROR: a table or column that the schema should have is not there.
    return code in (None, _SHORT_READ) or code & 0xFF in (
        sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR,
    )  # fmt: skip


def fault(error: sqlite3.Error | OSError, path: Path, doing: str) -> GraphmemError:
    """The named error for what went wrong while `doing` something with the ledger."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        full, read_only, locked = error.errno in NO_ROOM, error.errno in _READ_ONLY, False
    else:
        if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
            return StoreError(f"the ledger {path} is closed: open the memory again")
        if malformed(error):
            return LedgerDamaged(
                f"the ledger {path} cannot be read ({error}): restore it from a backup, the graph is built from it"
            )
        reason, code = str(error), getattr(error, "sqlite_errorcode", 0) & 0xFF
        full, read_only = code == sqlite3.SQLITE_FULL, code == sqlite3.SQLITE_READONLY
        locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    where = f"the ledger {path} could not be {doing} ({reason})"
    if full:
        return StoreFull(f"{where}: free some space and repeat")
    if read_only:
        return ReadOnlyStore(f"{where}: make the folder writable and repeat")
    if locked:
        return StoreLocked(f"{where}, another process is at it: close that and repeat")
    return StoreError(f"{where}: see that the disk is sound and has space, then repeat")


@contextmanager
def named(path: Path, doing: str) -> Iterator[None]:
    """Turn errors of SQLite and of the system into named ones."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, GraphmemError):  # StoreLocked is a TimeoutError, which is an OSError
            raise
        raise fault(error, path, doing) from error
