"""A ledger's file looked at without being opened for writing: its owner, its pages, its log, and a private copy of it.

Invariant: the file is opened by SQLite alone.  Reading it by other means would, on closing, drop all locks that this
process holds on it, and another process could then fold the log away under an open connection.  What the entries say
is asked of a copy, with the ledger's own code.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from graphmem.ledger import Ledger
from graphmem.ledger_check import Mark, stray_log
from graphmem.ledger_files import log_sum
from graphmem.ledger_schema import seal
from graphmem.owner import folder_name

LOG, INDEX = "-wal", "-shm"
PAGE_FAULTS = 3  # so many are named; where one page is bad, others often are
_HEADER, _FRAME = 32, 24  # bytes at the beginning of a log and of each page in it


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that changes neither the ledger nor its log, with the ledger as it stood at one moment.

    A ledger without a log is nobody's at the moment and is read as it lies; SQLite would otherwise leave a log behind.
    """
    log, index = path.with_name(path.name + LOG), path.with_name(path.name + INDEX)
    if log.exists() and not index.exists() and path.exists():
        # Copied from elsewhere: reading it in place would make the index.
        with TemporaryDirectory(prefix="graphmem-") as aside:
            copy = Path(aside) / path.name
            shutil.copyfile(path, copy)
            shutil.copyfile(log, copy.with_name(log.name))
            with _connected(copy, "mode=ro") as db:
                yield db
        return
    with _connected(path, "mode=ro" if log.exists() else "immutable=1") as db:
        yield db


@contextmanager
def _connected(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, timeout=5)
    with closing(db):
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("BEGIN")
        yield db


def version(db: sqlite3.Connection) -> int:
    """The schema version."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def meta(db: sqlite3.Connection) -> dict[str, str]:
    """What was fixed at the ledger's creation."""
    return {str(name): str(value) for name, value in db.execute("SELECT name, value FROM meta")}


def owner(path: Path) -> tuple[str, str] | None:
    """(user, space) of a ledger, or None where it cannot say."""
    if not path.is_file() or path.is_symlink():
        return None
    try:
        with reading(path) as db:
            said = meta(db)
    except (sqlite3.Error, OSError):
        return None
    return (said["user"], said["space"]) if {"user", "space"} <= said.keys() else None


def stray(path: Path, kept: tuple[int, str] | None) -> str | None:
    """Whether the log beside a ledger is of another one; `kept` is an entry that must be in it, with its hash.

    Whose the ledger is follows from the name of its folder.
    """
    return stray_log(path, Mark(lambda *owner: folder_name(*owner) == path.parent.name, *(kept or ())))


def page_fault(db: sqlite3.Connection) -> str | None:
    """What SQLite itself finds wrong with the file."""
    found = [
        " ".join(str(text).split())[:120] for (text,) in db.execute(f"PRAGMA integrity_check({PAGE_FAULTS:d})") if text != "ok"
    ]
    return f"the ledger's file is damaged ({'; '.join(found)})" if found else None


@contextmanager
def copied(db: sqlite3.Connection) -> Iterator[Ledger]:
    """A private copy of a ledger that is open for reading, opened by the ledger's own code; gone at the end.

    Raises:
        LedgerDamaged: it cannot be opened.
    """
    said = meta(db)
    with TemporaryDirectory(prefix="graphmem-") as aside:
        path = Path(aside) / "ledger.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as target:
            db.backup(target)
        with closing(opened(path, (said["user"], said["space"]), said["embedder"])) as ledger:
            yield ledger


def give_to(path: Path, space: str) -> None:
    """Make a ledger that nobody has open that of another space of its user."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE meta SET value = ? WHERE name = 'space'", (space,))
        if "digest" in meta(db):  # taken over all other values, where a ledger keeps one
            seal(db)


def opened(path: Path, owner: tuple[str, str], embedder: str) -> Ledger:
    """A ledger outside of any space, which nothing is to be added to."""
    return Ledger(path, clock=lambda: datetime.now(UTC), entropy=bytes, owner=owner, embedder=embedder)


def log_fault(path: Path) -> str | None:
    """A hole in the log of a ledger: SQLite ends at the first frame that does not hold and says nothing of those after it.

    A last frame that was cut short is what a kill leaves, and no fault.
    """
    try:
        with path.with_name(path.name + LOG).open("rb") as file:
            start = file.read(_HEADER)
            if len(start) < _HEADER:
                return None
            number = _hole(file, start)
            file.seek(0)
            if number is None or file.read(_HEADER) != start:  # begun anew meanwhile
                return None
    except FileNotFoundError:
        return None
    where = "beginning" if number == 0 else f"frame {number}"
    return f"the log of the ledger is damaged at its {where}, and what was recorded after it is not read"


def _hole(file: BinaryIO, start: bytes) -> int | None:
    magic, _, size, _, *salts, one, two = struct.unpack(">8I", start)
    order = {0x377F0682: "<", 0x377F0683: ">"}.get(magic)
    if order is None or log_sum(order, start[:24], (0, 0)) != (one, two):
        return 0 if len(file.read(_FRAME)) == _FRAME else None
    running, number, hole = (one, two), 0, None
    while len(frame := file.read(_FRAME + size)) == _FRAME + size:
        number += 1
        same = list(struct.unpack(">2I", frame[8:16])) == salts
        if hole is not None:
            if same:
                return hole
            continue
        running = log_sum(order, frame[_FRAME:], log_sum(order, frame[:8], running))
        if not same or running != struct.unpack(">2I", frame[16:24]):
            hole = number
    return None
