"""The index of marks: which statements can matter to a new one, found without looking at the others.

Invariant: the index is a projection of the ledger and holds nothing of its own.  It names the entry up to which it goes and
that entry's hash, so one that is behind is brought up, and one of another history, of another release or that cannot be
read is made anew.  Marks are kept as keyed hashes of eight bytes: the file holds no word, and two marks that fall together
only bring one statement more.  It is used by whoever may write, so two processes never change it at once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphmem.chain import Entry
from graphmem.errors import StoreError
from graphmem.folding import delta_of
from graphmem.graph.base import Node
from graphmem.ledger import Ledger
from graphmem.pairing import posts
from graphmem.records import StatementRecord
from graphmem.space import Space
from graphmem.vicinity import Fetch, vicinity

# Gives the statements with some ids, in any order.
Nodes = Callable[[Collection[str]], list[Node]]

MARKS = "marks.sqlite"
# Counts up whenever `pairing.posts` gives other marks than it did; the file is then made anew.
VERSION = 3
_TABLES = """
CREATE TABLE mark (mark INTEGER NOT NULL, statement TEXT NOT NULL, PRIMARY KEY (mark, statement)) WITHOUT ROWID;
CREATE TABLE place (seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO place VALUES (0, '');
"""
_AT_ONCE = 500  # marks in one query
_ENTRIES = 2_000  # entries in one transaction


class Marks:
    """The index of one space.

    Args:
        path: the SQLite file; it is made where it is missing.
        secret: the space's secret, which keys the hashes.

    Raises:
        StoreError: the file can neither be read nor made.
    """

    def __init__(self, path: Path, *, secret: str) -> None:
        self.path, self._key = path, bytes.fromhex(secret)
        with _named(path):
            try:
                self._db = self._open()
            except sqlite3.DatabaseError:
                remove(path)
                self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        db = self._connected()
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION or not self._whole(db):
                db.close()
                remove(self.path)
                db = self._connected()
                db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION:d}; COMMIT;")
        except BaseException:
            db.close()
            raise
        self.path.chmod(0o600)
        return db

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
                db.execute(f"PRAGMA {pragma}").fetchall()
        except BaseException:
            db.close()
            raise
        return db

    @staticmethod
    def _whole(db: sqlite3.Connection) -> bool:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
        return {"mark", "place"} <= names and db.execute("SELECT count(*) FROM place").fetchone()[0] == 1

    def follow(self, ledger: Ledger) -> None:
        """Take in what the ledger has beyond this index, or all of it where this is the index of another history."""
        with _named(self.path):
            seq, hash_ = self._db.execute("SELECT seq, hash FROM place").fetchone()
            if seq and ledger.hash_at(seq) != hash_:
                self._begin_anew()
                seq = 0
            if ledger.head()[0] == seq:
                return
            batch: list[Entry] = []
            for entry in ledger.entries(seq):
                batch.append(entry)
                if len(batch) == _ENTRIES:
                    self._take(batch)
                    batch = []
            self._take(batch)

    def _begin_anew(self) -> None:
        self._db.executescript("BEGIN; DELETE FROM mark; UPDATE place SET seq = 0, hash = ''; COMMIT;")

    def _take(self, entries: list[Entry]) -> None:
        if not entries:
            return
        # Most entries are of turns, evidence and links; only what holds statements is read in full.
        holding = (entry for entry in entries if (entry.body or {}).get("delta", {}).get("statements"))
        records = (record for entry in holding for record in delta_of(entry, []).statements)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT OR IGNORE INTO mark VALUES (?, ?)", self._rows(records))
            self._db.execute("UPDATE place SET seq = ?, hash = ?", (entries[-1].seq, entries[-1].hash))
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
            raise

    def _rows(self, records: Iterable[StatementRecord]) -> Iterator[tuple[int, str]]:
        for record in records:
            for mark in posts(record):
                yield self._hashed(mark), record.id

    def _hashed(self, mark: str) -> int:
        digest = hashlib.blake2b(mark.encode("utf-8", "surrogatepass"), key=self._key, digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)

    def find(self, marks: Collection[str]) -> set[str]:
        """The ids of the statements that post at least one of these marks (and, rarely, of one more)."""
        wanted = [self._hashed(mark) for mark in marks]
        found: set[str] = set()
        with _named(self.path):
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                query = f"SELECT statement FROM mark WHERE mark IN ({', '.join('?' * len(part))})"
                found |= {name for (name,) in self._db.execute(query, part)}
        return found

    def all(self) -> Iterator[tuple[int, str]]:
        """Every hashed mark with the statement that posts it, in order; for comparison with another index."""
        yield from self._db.execute("SELECT mark, statement FROM mark ORDER BY mark, statement")

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with suppress(sqlite3.Error):
            self._db.close()


@contextmanager
def finder(space: Space, nodes: Nodes | None = None) -> Iterator[Fetch]:
    """What finds the statements of a space by their marks, while the caller may write; `nodes` reads them, else the graph.

    An index that fails is removed and made anew.  Where even that fails (a full disk), every statement is found: slower,
    and the same plan.
    """
    graph, index = space.graph, _brought_up(space)
    if index is None:
        yield lambda marks: graph.nodes()
        return

    def fetch(marks: Collection[str]) -> list[Node]:
        try:
            return (nodes or graph.nodes)(index.find(marks))
        except StoreError as error:
            space.notices.append(str(error))
            remove(index.path)
            return graph.nodes()

    try:
        yield fetch
    finally:
        index.close()


def near(
    space: Space, about: Collection[StatementRecord], *, named: Collection[str] = (), nodes: Nodes | None = None
) -> list[Node]:
    """The statements of a space that a plan has to see (`graphmem.vicinity`), `named` ones among them."""
    with finder(space, nodes) as fetch:
        return vicinity(about, fetch, named=(nodes or space.graph.nodes)(named) if named else ())


def _brought_up(space: Space) -> Marks | None:
    path = space.works / MARKS
    for _ in range(2):
        try:
            index = Marks(path, secret=space.ledger.secret)
        except StoreError as error:
            failure = error
            continue
        try:
            index.follow(space.ledger)
        except StoreError as error:
            failure = error
            index.close()
            with suppress(OSError):
                remove(path)
            continue
        return index
    space.notices.append(str(failure))
    return None


def remove(path: Path) -> None:
    """Remove the files of an index; it is made anew when it is next needed.

    Raises:
        OSError: a file cannot be removed.
    """
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the index {path} cannot be used ({error}): remove it, it is made anew from the ledger") from error
