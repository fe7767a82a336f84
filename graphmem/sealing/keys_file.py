"""The file of keys as such: connected, looked at, copied, and its key destroyed, by whoever has the file.

Invariant: nothing here needs or sees a key that is open.  A file that is missing or does not hold is an error and is left as
it lies; what is deleted from it is overwritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from graphmem.errors import GraphmemError, InputError, KeyUnavailable, StoreError, StoreFull, StoreLocked
from graphmem.failpoints import reach
from graphmem.files import sync

FOLDER, FILE = "keys", "keys.sqlite"
FORMAT = "graphmem keys 1"
VERSION = 1
BUSY_SECONDS = 5.0
TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE wrapped (version INTEGER PRIMARY KEY, method TEXT NOT NULL, how TEXT NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE record (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, data BLOB, doomed INTEGER NOT NULL)",
)
_PRAGMAS = ("page_size=4096", "journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "cell_size_check=ON")


def keys_of(folder: Path, keys: Path | None = None) -> Path:
    """The keys file of the space in `folder`; `keys` is the folder of all keys, by default one beside the spaces.

    Raises:
        InputError: `keys` is a file, or the folder of one memory's keys.
    """
    if keys is not None and not keys.is_dir() and keys.exists():
        raise InputError(
            f"{keys} is a file: name the folder of all keys (keys=..., --keys), in which those of this memory lie as "
            f"{folder.name}/{FILE}; put a copy of the keys there if that is meant"
        )
    if keys is not None and (keys / FILE).is_file():
        raise InputError(f"{keys} holds the keys of one memory: name the folder above it, {keys.absolute().parent}")
    return (keys.absolute() if keys is not None else folder.parent / FOLDER) / folder.name / FILE


def connected(path: Path) -> sqlite3.Connection:
    """A connection to write; the file is made if there is none."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        db.close()
        raise
    return db


def made(db: sqlite3.Connection) -> bool:
    """Whether the tables are there; they come in one transaction with what is in them at first."""
    return int(db.execute("PRAGMA user_version").fetchone()[0]) > 0


def check_there(path: Path) -> None:
    """KeyUnavailable where there is no keys file."""
    if path.is_dir():
        raise KeyUnavailable(f"{path} is a folder, and the keys file of a memory belongs there: put it or a copy of it back")
    if not path.is_file() or path.stat().st_size == 0:
        raise KeyUnavailable(
            f"the keys file {path} is {'empty' if path.is_file() else 'missing'}: put it or a copy of it back, or name the "
            "folder of the keys (keys=..., --keys)"
        )


def meta_of(db: sqlite3.Connection, path: Path) -> dict[str, str]:
    """What a keys file says of itself.

    Raises:
        KeyUnavailable: it does not hold, is of another kind, or its key was destroyed.
    """
    said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise KeyUnavailable(f"the keys file {path} is damaged ({said}): put back a copy of it, nothing was changed")
    if not made(db):
        raise KeyUnavailable(f"the keys file {path} was not made to its end: put back a copy of it, nothing was changed")
    meta = {str(name): str(value) for name, value in db.execute("SELECT name, value FROM meta")}
    if meta.get("format") != FORMAT or not meta.get("store"):
        raise KeyUnavailable(f"{path} is no keys file that this release knows: update graphmem, or put back a copy of it")
    if "destroyed" in meta:
        raise KeyUnavailable(f"the key in {path} was destroyed: what it had sealed cannot be read any more, by anybody")
    return meta


def rewritten(db: sqlite3.Connection) -> None:
    """Write the file anew without what was deleted, and empty its log."""
    for act in ("wal_checkpoint(TRUNCATE)", None, "wal_checkpoint(TRUNCATE)"):
        if act is None:
            db.execute("VACUUM")
        elif db.execute(f"PRAGMA {act}").fetchone()[0]:
            raise StoreLocked("the log of the keys file is in use by another process: close that and repeat")


def destroy(path: Path) -> None:
    """Destroy the key of a space with all that is under it; what it sealed is then unreadable, in every copy.

    The key that opens the file is not needed.  Doing it again changes nothing.

    Raises:
        KeyUnavailable: there is no such file.
    """
    check_there(path)
    with named(path), closing(connected(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('destroyed', '1')")
        db.execute("DELETE FROM wrapped")
        db.execute("UPDATE record SET data = NULL")
        reach("keys.before-destruction")
        db.execute("COMMIT")
        reach("keys.destroyed")
        rewritten(db)


def copy(path: Path, target: Path) -> None:
    """Write a copy of a keys file, also while it is in use, as one file that is for its owner alone.

    Raises:
        InputError: there is something in that place, or it lies inside the folder of a memory.
        KeyUnavailable: there are no keys to be copied.
    """
    check_there(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder: give the name of a file in it for the copy of the keys")
    if target.exists():
        raise InputError(f"{target} exists already: name another file for the copy of the keys")
    if not target.parent.is_dir():
        raise InputError(f"the folder {target.parent} does not exist: make it first")
    try:
        with named(path), closing(connected(path)) as db:
            meta_of(db, path)
            target.touch(mode=0o600, exist_ok=False)
            with closing(sqlite3.connect(target, isolation_level=None)) as other:
                db.backup(other)
                other.execute("PRAGMA journal_mode=DELETE")
        sync(target)
        sync(target.parent)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the system as ours, with what to do."""
    try:
        yield
    except GraphmemError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreLocked(f"the keys file {path} is in use by another process: wait for it, then repeat") from error
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise StoreFull(f"the keys file {path} could not be written ({error}): free some space and repeat") from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise StoreError(
                f"the keys file {path} cannot be written ({error}): check its rights and those of its folder"
            ) from error
        raise KeyUnavailable(
            f"the keys file {path} is damaged ({error}): put back a copy of it, nothing was changed"
        ) from error
    except OSError as error:
        raise StoreError(
            f"the keys file {path} cannot be used ({error.strerror or error}): check the disk and its rights"
        ) from error
