"""The ledger: one append-only, hash-chained SQLite file per space, and the only truth there is.

Invariant: an entry, once committed, never changes; its payload lies in a second table and may be blanked (erasure) while
the chain still verifies, because the chain holds `commitment = SHA-256(salt + canonical JSON)` and not the payload.  A
write is acknowledged when `append` returns.  An operation with a known id is not applied a second time.
Vectors are a cache beside the chain: they can be computed again, but a rebuild need not.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import LedgerDamaged, StoreError, StoreNewer
from graphmem.model import iso

SCHEMA_VERSION = 1
GENESIS = "0" * 64

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, operation TEXT NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL,
    role TEXT NOT NULL, type TEXT NOT NULL, subjects TEXT NOT NULL, commitment TEXT NOT NULL, prev TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX entry_operation ON entry (operation);
CREATE TABLE payload (seq INTEGER PRIMARY KEY REFERENCES entry (seq), salt BLOB, body TEXT);
CREATE TABLE subject (subject TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (subject, seq)) WITHOUT ROWID;
CREATE TABLE vector (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX vector_seq ON vector (seq);
CREATE TRIGGER entry_is_final BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END;
PRAGMA user_version = 1;
"""


class Draft(NamedTuple):
    """An entry to be appended: its type, the ids it is about, its payload."""

    type: str
    subjects: tuple[str, ...]
    body: dict[str, Any]
    actor: str = "user"
    role: str = "owner"


class Vector(NamedTuple):
    """A cached embedding; `data` is float16, little endian; `entry` the place of its entry among the drafts."""

    id: str
    owner: str
    kind: str
    model: str
    data: bytes
    entry: int


class Entry(NamedTuple):
    """A committed entry; `body` is None once erased."""

    seq: int
    id: str
    operation: str
    at: datetime
    actor: str
    role: str
    type: str
    subjects: tuple[str, ...]
    hash: str
    body: dict[str, Any] | None


class Check(NamedTuple):
    """The result of walking the chain: the head, the number of entries, and what does not hold."""

    head: str
    entries: int
    problems: tuple[str, ...]


def canonical(body: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, UTF-8 characters as they are."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def commitment(salt: bytes, body: str) -> str:
    """What the chain keeps of a payload."""
    return hashlib.sha256(salt + body.encode()).hexdigest()


def entry_hash(prev: str, fields: Sequence[str | int]) -> str:
    """Hash of an entry over the one before it and its own fields, each length-prefixed by the JSON list."""
    return hashlib.sha256((prev + canonical(list(fields))).encode()).hexdigest()


class Ledger:
    """One space's ledger.

    Args:
        path: the SQLite file; created when it does not exist.
        clock: gives the time of recording, aware.
        entropy: gives n random bytes (salts, the space's secret).
        owner: (user, space), written once and checked at every opening.
        embedder: name of the embedder whose vectors are kept; None takes the one the ledger was made with.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], datetime],
        entropy: Callable[[int], bytes],
        owner: tuple[str, str],
        embedder: str = "minilm",
    ) -> None:
        self.path, self._clock, self._entropy = path, clock, entropy
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA secure_delete=ON")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._prepare(owner, embedder)
        except sqlite3.DatabaseError as error:
            raise LedgerDamaged(
                f"the ledger {path} cannot be read ({error}): restore it from a backup, the graph is built from it"
            ) from error
        self.secret = self.meta("secret")

    def _prepare(self, owner: tuple[str, str], embedder: str) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreNewer(
                f"the ledger {self.path} has schema {version}, this release knows up to {SCHEMA_VERSION}: update graphmem"
            )
        if version == 0:
            with self._write():
                # Another process may have created it while we waited for the write lock.
                if self._db.execute("PRAGMA user_version").fetchone()[0] == 0:
                    for statement in _split(_SCHEMA):
                        self._db.execute(statement)
                    rows = {
                        "user": owner[0],
                        "space": owner[1],
                        "secret": self._entropy(16).hex(),
                        "created": iso(self._clock()),
                        "embedder": embedder,
                    }
                    self._db.executemany("INSERT INTO meta VALUES (?, ?)", rows.items())
        found = self.meta("user"), self.meta("space")
        if found != owner:
            raise StoreError(
                f"the folder of {self.path} belongs to another user or space: move it away, or open it as its owner"
            )
        if self.meta("embedder") != embedder:
            raise StoreError(
                f"the ledger {self.path} holds vectors of {self.meta('embedder')!r}, not of {embedder!r}: open it with "
                f"embedder={self.meta('embedder')!r}"
            )

    @contextmanager
    def _write(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"the ledger {self.path} is closed: open the memory again") from error
        except sqlite3.DatabaseError as error:
            raise LedgerDamaged(
                f"the ledger {self.path} cannot be read ({error}): restore it from a backup, the graph is built from it"
            ) from error

    def _one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        rows = self._all(query, *values)
        return rows[0] if rows else None

    # ------------------------------------------------------------------ reading

    def meta(self, name: str) -> str:
        """A value fixed at creation: user, space, secret, created."""
        row = self._one("SELECT value FROM meta WHERE name = ?", name)
        if row is None:
            raise LedgerDamaged(f"the ledger {self.path} has no {name}: restore it from a backup")
        return str(row[0])

    def hash_at(self, seq: int) -> str | None:
        """The hash of an entry, or None if there is no such entry."""
        row = self._one("SELECT hash FROM entry WHERE seq = ?", seq)
        return None if row is None else str(row[0])

    def head(self) -> tuple[int, str]:
        """Sequence number and hash of the last entry; (0, zeros) when empty."""
        row = self._one("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return (int(row[0]), str(row[1])) if row else (0, GENESIS)

    def knows(self, operation: str) -> bool:
        """Whether an operation with this id has been applied."""
        return self._one("SELECT 1 FROM entry WHERE operation = ? LIMIT 1", operation) is not None

    def knows_session(self, session: str) -> bool:
        """Whether a session with this id has been recorded."""
        query = (
            "SELECT 1 FROM subject s JOIN entry e ON e.seq = s.seq WHERE s.subject = ? AND e.type = 'session recorded' LIMIT 1"
        )
        return self._one(query, session) is not None

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Entries with a sequence number above `after`, in order."""
        for row in self._all(f"{_SELECT} WHERE e.seq > ? ORDER BY e.seq", after):
            yield self._entry(row)

    def about(self, subject: str) -> list[Entry]:
        """The entries that name a statement or session, in order."""
        rows = self._all(f"{_SELECT} JOIN subject s ON s.seq = e.seq WHERE s.subject = ? ORDER BY e.seq", subject)
        return [self._entry(row) for row in rows]

    def vectors(self, after: int = 0) -> dict[int, list[tuple[str, str, str, str, bytes]]]:
        """Cached embeddings by sequence number: (id, owner, kind, model, float16 bytes)."""
        found: dict[int, list[tuple[str, str, str, str, bytes]]] = {}
        rows = self._all("SELECT seq, id, owner, kind, model, data FROM vector WHERE seq > ? ORDER BY seq, id", after)
        for seq, *rest in rows:
            found.setdefault(seq, []).append((rest[0], rest[1], rest[2], rest[3], rest[4]))
        return found

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        seq, id_, operation, at, actor, role, type_, subjects, hash_, body = row
        try:
            return Entry(
                seq, id_, operation, datetime.fromisoformat(at), actor, role, type_, tuple(json.loads(subjects)),
                hash_, None if body is None else json.loads(body),
            )  # fmt: skip
        except ValueError as error:
            raise LedgerDamaged(
                f"entry {seq} of the ledger {self.path} cannot be read: restore the ledger from a backup"
            ) from error

    def check(self) -> Check:
        """Walk the whole chain; problems name the first bad entry of each kind."""
        problems: list[str] = []
        prev, count = GENESIS, 0
        blanked: set[int] = set()
        named: set[int] = set()
        rows = self._db.execute(
            "SELECT e.seq, e.id, e.operation, e.at, e.actor, e.role, e.type, e.subjects, e.commitment, e.prev, e.hash,"
            " p.salt, p.body FROM entry e LEFT JOIN payload p ON p.seq = e.seq ORDER BY e.seq"
        )
        try:
            for seq, *fields, claimed_prev, hash_, salt, body in rows:
                count += 1
                if seq != count:
                    problems.append(f"entry {count} is missing")
                    break
                if claimed_prev != prev or entry_hash(prev, [seq, *fields]) != hash_:
                    problems.append(f"entry {seq} does not follow from the one before it")
                    break
                if body is None:
                    blanked.add(seq)
                elif commitment(salt or b"", body) != fields[-1]:
                    problems.append(f"the payload of entry {seq} was altered")
                elif fields[5] == "erased":
                    named.update(json.loads(body).get("blanked", ()))
                prev = hash_
        except (sqlite3.DatabaseError, TypeError, AttributeError) as error:
            problems.append(f"the ledger cannot be read after entry {count}: {error}")
        if blanked - named:
            problems.append(f"the payload of entry {min(blanked - named)} is missing and no erasure names it")
        return Check(prev, count, tuple(problems))

    # ------------------------------------------------------------------ writing

    def now(self) -> datetime:
        """The time of recording for the next entry: the clock's, but never before the last entry's."""
        now = self._clock().astimezone(UTC)
        last = self._one("SELECT at FROM entry ORDER BY seq DESC LIMIT 1")
        return now if last is None else max(now, datetime.fromisoformat(last[0]))

    def append(self, operation: str, drafts: Sequence[Draft], vectors: Sequence[Vector] = (), *, at: datetime) -> list[Entry]:
        """Append the entries of one operation, all or nothing; an operation already known changes nothing.

        Args:
            operation: id of the operation, chosen by the caller so that a repeat has the same one.
            drafts: the entries.
            vectors: embeddings to keep beside them.
            at: time of recording, from `now`.

        Returns:
            The entries as committed; empty when the operation was known.

        Raises:
            StoreError: the disk is full or fails; nothing was written.
        """
        try:
            with self._write():
                if self.knows(operation):
                    return []
                return self._append(operation, drafts, vectors, at)
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the ledger {self.path} could not be written ({error}): nothing was recorded; free some space and repeat"
            ) from error

    def _append(self, operation: str, drafts: Sequence[Draft], vectors: Sequence[Vector], now: datetime) -> list[Entry]:
        seq, prev = self.head()
        committed, first = [], seq + 1
        for number, draft in enumerate(drafts):
            seq += 1
            body, salt = canonical(draft.body), self._entropy(16)
            id_ = hashlib.sha256(f"{operation}/{number}".encode("utf-8", "replace")).hexdigest()[:24]
            fields: list[str | int] = [
                seq, id_, operation, iso(now), draft.actor, draft.role, draft.type,
                canonical(list(draft.subjects)), commitment(salt, body),
            ]  # fmt: skip
            hash_ = entry_hash(prev, fields)
            self._db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [*fields, prev, hash_])
            self._db.execute("INSERT INTO payload VALUES (?, ?, ?)", (seq, salt, body))
            self._db.executemany(
                "INSERT INTO subject VALUES (?, ?)",
                [(subject, seq) for subject in dict.fromkeys(draft.subjects)],
            )
            committed.append(
                Entry(
                    seq,
                    id_,
                    operation,
                    now,
                    draft.actor,
                    draft.role,
                    draft.type,
                    draft.subjects,
                    hash_,
                    draft.body,
                )
            )
            prev = hash_
        self._db.executemany(
            "INSERT OR IGNORE INTO vector VALUES (?, ?, ?, ?, ?, ?)",
            [(v.id, first + v.entry, v.owner, v.kind, v.model, v.data) for v in vectors],
        )
        return committed

    def blank(self, sequence: Sequence[int], owners: Sequence[str], pairs: Sequence[str] = ()) -> None:
        """Erase the payloads and salts of entries, and vectors by owner; then rewrite the file.

        The chain keeps the commitments and still verifies; an `erased` entry must name the entries, or `check`
        reports them.  Of the owners in `pairs` only the vectors of the turn with the one before it go.
        """
        try:
            with self._write():
                self._db.executemany("UPDATE payload SET salt = NULL, body = NULL WHERE seq = ?", [(n,) for n in sequence])
                self._db.executemany("DELETE FROM vector WHERE owner = ?", [(owner,) for owner in owners])
                self._db.executemany("DELETE FROM vector WHERE owner = ? AND kind = 'pair'", [(owner,) for owner in pairs])
            self.truncate()
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the erasure in {self.path} could not be finished ({error}): free some space, it goes on at the next opening"
            ) from error

    def erasures(self) -> list[Entry]:
        """The entries of type `erased`, in order."""
        return [self._entry(row) for row in self._all(f"{_SELECT} WHERE e.type = 'erased' ORDER BY e.seq")]

    def carried_out(self) -> int:
        """Sequence number of the last `erased` entry that was carried out to its end."""
        row = self._one("SELECT value FROM meta WHERE name = 'erasures_done'")
        return int(row[0]) if row else 0

    def mark_carried_out(self, seq: int) -> None:
        """Note that the erasures up to this entry were carried out, files and all."""
        with self._write():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('erasures_done', ?)", (str(seq),))

    def truncate(self) -> None:
        """Fold the SQLite write-ahead log into the file and rewrite it, so that no deleted byte stays behind."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._db.close()


_SELECT = (
    "SELECT e.seq, e.id, e.operation, e.at, e.actor, e.role, e.type, e.subjects, e.hash, p.body"
    " FROM entry e LEFT JOIN payload p ON p.seq = e.seq"
)


def _split(schema: str) -> list[str]:
    """The statements of a schema; a trigger's body holds a semicolon of its own."""
    statements, current = [], ""
    for line in schema.strip().splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
