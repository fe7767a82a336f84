"""The examination of a ledger file that nobody vouches for: what of it holds, and what is wrong with the rest.

Invariant: the file and its write-ahead log are read and never written; every page is looked at; what does not hold is
told as the first entry that is bad, or, when all entries hold, as the part of the file that is.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from graphmem.chain import GENESIS, BadEntry, Kept, verify
from graphmem.errors import StoreNewer
from graphmem.faults import malformed
from graphmem.ledger_files import beside, log_sum, reading, size
from graphmem.ledger_layouts import SecondLayout
from graphmem.ledger_rows import Layout, stream
from graphmem.ledger_schema import (
    SCHEMA_VERSION,
    copy,
    create_tables,
    digest_of,
    in_the_clear,
    layout_of,
    parts,
    parts_in,
    version_of,
)

FIXED = ("user", "space", "secret", "created", "embedder")


class Finding(NamedTuple):
    """What an examination found: the last entry that holds, its hash, the damage if any, and the values in `meta`."""

    good: int
    head: str
    damage: str | None
    meta: dict[str, str] | None = None
    unfinished: bool = False  # a process died before it had made the tables
    asked: str | None = None  # the hash of the entry that was asked for


class Mark(NamedTuple):
    """By what a ledger is known: whose it is, and an entry that is in it with its hash (0 for none)."""

    owns: Callable[[str, str], bool]
    seq: int = 0
    hash: str = ""

    def fits(self, found: Finding) -> bool:
        """Whether a file holds and is that ledger."""
        if found.damage is not None or found.meta is None or not self.owns(found.meta["user"], found.meta["space"]):
            return False
        return not self.seq or found.asked == self.hash


def stray_log(path: Path, mark: Mark) -> str | None:
    """Whether the log beside a ledger is of another one: the file is what it should be without it, and is not with it."""
    log = beside(path, "wal")
    if not size(log) or not size(path):
        return None
    with reading(path) as db:
        if mark.fits(inspect(db, path, at=mark.seq)):
            return None
    with reading(path, alone=True) as db:
        found = inspect(db, path, at=mark.seq)
    if not mark.fits(found):
        return None
    return (
        f"the log {log} is not that of the ledger beside it, which without it holds up to entry {found.good}: nothing was "
        "changed, move the log away"
    )


def examine(path: Path, *, at: int = 0) -> Finding:
    """Read the whole file without writing to it; the hash of entry `at` is in what was found.

    Raises:
        StoreNewer: it is of a newer schema.
        sqlite3.Error: the disk fails, or another process is at it.
    """
    if not size(path):
        # SQLite would throw away a log beside an empty file.
        return Finding(0, GENESIS, f"no entry can be read: the file is {'empty' if path.exists() else 'missing'}")
    with reading(path) as db:
        found = inspect(db, path, at=at)
        if found.damage is None:
            found = found._replace(damage=_lost(path, found.good))
        return found


def inspect(db: sqlite3.Connection, path: Path, *, at: int = 0) -> Finding:
    """What holds of an open file, and the hash of entry `at`.

    Raises:
        StoreNewer: it is of a newer schema.
        sqlite3.Error: the disk fails.
    """
    try:
        version, found = version_of(db), parts_in(db)
        if version > SCHEMA_VERSION:
            raise StoreNewer(
                f"the ledger {path} has schema {version}, this release knows up to {SCHEMA_VERSION}: update graphmem"
            )
        if not version and not found and db.execute("PRAGMA page_count").fetchone()[0] <= 1:
            return Finding(0, GENESIS, "no entry can be read: the file was never filled", unfinished=True)
        held = _held(found)  # a damaged header may name another schema than the one whose tables are there
        meta = _meta(db, held)
        if meta is None:
            return Finding(0, GENESIS, "no entry can be read: what says whose the ledger is was altered")
        good, head, damage, asked = _walk(layout_of(db, held), at)
        if damage is None and (version != held or found != parts(held)):
            damage = f"all {good} entries hold, but the schema of the file was altered"
        return Finding(good, head, damage or _structure(db, good), meta, asked=asked)
    except sqlite3.DatabaseError as error:
        if not malformed(error):
            raise
        return Finding(0, GENESIS, f"no entry can be read ({error})")


def rescue(path: Path, finding: Finding) -> sqlite3.Connection:
    """The entries that hold, in a database in memory: nothing that is damaged is between a reader and them."""
    fresh = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    fresh.execute("PRAGMA temp_store=MEMORY")
    if finding.meta is None:
        create_tables(fresh, {})
    else:
        with reading(path) as db:
            create_tables(fresh, in_the_clear(db, finding.meta))
            copy(layout_of(db, _held(parts_in(db))), SecondLayout(fresh), last=finding.good)
    fresh.execute("PRAGMA query_only=ON")
    return fresh


def _held(found: frozenset[tuple[str, str, str | None]]) -> int:
    """The schema that a file's tables are of, or most like."""
    return max(range(1, SCHEMA_VERSION + 1), key=lambda version: len(parts(version) & found))


def _meta(db: sqlite3.Connection, version: int) -> dict[str, str] | None:
    """The values in `meta`, or None if they are not what they were."""
    try:
        meta = {str(name): str(value) for name, value in db.execute("SELECT name, value FROM meta")}
    except sqlite3.DatabaseError as error:
        if not malformed(error):
            raise
        return None
    whole = set(FIXED) <= meta.keys() and (version == 1 or meta.get("digest") == digest_of(meta))
    return meta if whole else None


def _walk(layout: Layout, at: int) -> tuple[int, str, str | None, str | None]:
    """Follow the chain through all entries: the last that holds, its hash, what is wrong after it, and the hash of `at`."""
    asked: str | None = None
    good, prev, operations, names = 0, GENESIS, 0, 0
    blanked: dict[int, str] = {}
    erased: set[int] = set()
    try:
        for row, vectors in stream(layout):
            verify(row, prev)
            if not _marked(layout, vectors, row.mark):
                raise BadEntry(row.seq, "its vectors were altered")
            if row.body is None:
                blanked[row.seq] = prev
            elif row.type == "erased":
                erased.update(json.loads(row.body).get("blanked", ()))
            operations += row.first == row.seq
            names += sum(_name_sum(name, row.seq) for name in set(row.subjects))
            good, prev = row.seq, row.hash
            if good == at:
                asked = prev
        for seq in sorted(blanked.keys() - erased):
            good, prev = seq - 1, blanked[seq]
            raise BadEntry(seq, layout.missing(seq))
    except BadEntry as bad:
        return good, prev, str(bad), asked
    return good, prev, _lookups(layout, good, operations, names), asked


def _marked(layout: Layout, vectors: list[Kept], mark: int | None) -> bool:
    try:
        return layout.mark(vectors) == mark
    except (TypeError, ValueError, AttributeError, IndexError):
        return False


def _lookups(layout: Layout, good: int, operations: int, names: int) -> str | None:
    """Whether what is kept for looking up agrees with the entries."""
    try:
        if sum(_name_sum(name, seq) for name, seq in layout.subjects()) != names:
            return f"all {good} entries hold, but the list of what they are about was altered"
        if layout.keeps_marks and layout.counts()[1] != operations:
            return f"all {good} entries hold, but the list of operations was altered"
    except sqlite3.DatabaseError as error:
        if not malformed(error):
            raise
        return f"all {good} entries hold, but a list beside them cannot be read ({error})"
    return None


def _name_sum(name: str, seq: int) -> int:
    return zlib.crc32(name.encode(), seq & 0xFFFFFFFF)


def _structure(db: sqlite3.Connection, good: int) -> str | None:
    """What SQLite says of pages and indexes, whose faults the entries alone may not show."""
    try:
        said = " ".join(str(db.execute("PRAGMA integrity_check(1)").fetchone()[0]).split())
    except sqlite3.DatabaseError as error:
        if not malformed(error):
            raise
        said = str(error)
    return None if said == "ok" else f"all {good} entries hold, but the file around them is damaged ({said})"


def _lost(path: Path, good: int) -> str | None:
    """Whether the write-ahead log holds a commit that SQLite does not read, because something before it is damaged.

    The last transaction may have been cut off by a crash before anybody was told that it was recorded; one that another
    transaction follows was recorded for certain.
    """
    log, index = beside(path, "wal"), beside(path, "shm")
    if size(log) < 32 or not index.exists():
        return None
    said = f"entry {good + 1}: the write-ahead log is damaged, what was recorded after entry {good} cannot be read"
    with index.open("rb") as file:
        file.seek(16)
        last = int.from_bytes(file.read(4), sys.byteorder)  # frames that SQLite reads
    with log.open("rb") as file:
        head = file.read(32)
        page, salts = int.from_bytes(head[8:12], "big"), head[16:24]
        if not any(head):
            return None
        if not _header_holds(head):
            return said
        commits = 0
        for start in range(32 + last * (24 + page), size(log) - 23, 24 + page):
            file.seek(start)
            frame = file.read(24)
            if frame[8:16] == salts:
                if commits:
                    return said
                commits += frame[4:8] != bytes(4)
    return None


def _header_holds(head: bytes) -> bool:
    """Whether the header of a write-ahead log has the checksum that it says."""
    one, two = log_sum(">" if head[3] & 1 else "<", head[:24])
    return head[:3] == b"\x37\x7f\x06" and head[24:32] == one.to_bytes(4, "big") + two.to_bytes(4, "big")
