"""The schemas of the ledger file, and the numbered steps from one to the next.

Invariant: a step is one transaction that ends by writing its number to the file, so a file is always of one schema; what a
reader gets is the same before and after, hash by hash.  A schema newer than the last one here is never touched.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache

from graphmem import failpoints
from graphmem.chain import GENESIS, canonical, verify
from graphmem.ledger_layouts import FirstLayout, SecondLayout
from graphmem.ledger_rows import Layout, stream
from graphmem.sealing.layout import SealedLayout
from graphmem.sealing.vault import MARK, vault_of

SCHEMA_VERSION = 2
PAGE_SIZE = 8192  # half as much is lost between rows as with the usual 4096

SCHEMAS: Mapping[int, str] = {
    1: """
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
""",
    # term: words that come often, named by number.  operation: `first` is its first entry, `at` microseconds since 1970.
    # entry: `operation` is the first entry of its operation, `subjects` are packed names, one after another.
    # payload: `vectors` is a sum over the entry's vectors.  vector: `place` is the entry and, in the last 24 bits, a number
    # within it; rows lie in the order of the entries, and the index names a part of the owner only, which is short and
    # nearly always enough.  `id` is NULL where it follows from the rest.
    2: """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE term (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE operation (first INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, at INTEGER NOT NULL);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, operation INTEGER NOT NULL, actor INTEGER NOT NULL, role INTEGER NOT NULL,
    type INTEGER NOT NULL, subjects BLOB NOT NULL, commitment BLOB NOT NULL, hash BLOB NOT NULL
);
CREATE TABLE payload (seq INTEGER PRIMARY KEY, codec INTEGER NOT NULL, salt BLOB, body BLOB, vectors INTEGER NOT NULL);
CREATE TABLE subject (subject BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (subject, seq)) WITHOUT ROWID;
CREATE TABLE vector (
    place INTEGER PRIMARY KEY, owner BLOB NOT NULL, kind INTEGER NOT NULL, model INTEGER NOT NULL, id TEXT,
    data BLOB NOT NULL
);
CREATE INDEX vector_owner ON vector (substr(owner, 2, 4));
CREATE TRIGGER entry_is_final BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END;
""",
}


def create_tables(db: sqlite3.Connection, meta: Mapping[str, str], version: int = SCHEMA_VERSION) -> None:
    """Make the tables of a schema and write what is fixed at creation, unless another process was faster."""
    with _transaction(db):
        if version_of(db):
            return
        for statement in _statements(SCHEMAS[version]):
            db.execute(statement)
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        if version > 1 and meta:
            seal(db)
        db.execute(f"PRAGMA user_version = {int(version)}")


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


def seal(db: sqlite3.Connection) -> None:
    """Write the digest of the values in `meta`, which no chain covers."""
    digest = digest_of(dict(db.execute("SELECT name, value FROM meta")))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('digest', ?)", (digest,))


def in_the_clear(db: sqlite3.Connection, meta: Mapping[str, str]) -> dict[str, str]:
    """The values in `meta` as a plain ledger would have them, for a copy in memory."""
    vault = vault_of(db)
    if vault is None:
        return dict(meta)
    return {name: vault.show_value(name, value) for name, value in meta.items() if name != MARK}


def digest_of(meta: Mapping[str, str]) -> str:
    """What `seal` writes for these values."""
    return hashlib.sha256(canonical({name: value for name, value in meta.items() if name != "digest"}).encode()).hexdigest()


def layout_of(db: sqlite3.Connection, version: int) -> Layout:
    """The layout of a schema; of a sealed ledger, which has a vault that is open, the sealed one.

    Raises:
        KeyUnavailable: it is sealed, and this process has not opened it with its key.
    """
    return FirstLayout(db) if version == 1 else newest_layout(db)


def newest_layout(db: sqlite3.Connection) -> SecondLayout:
    """The layout of a file of the newest schema; see `layout_of`."""
    vault = vault_of(db)
    return SecondLayout(db) if vault is None else SealedLayout(db, vault)


def version_of(db: sqlite3.Connection) -> int:
    """The schema that a file says it has; 0 for a file without any."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@cache
def parts(version: int) -> frozenset[tuple[str, str, str | None]]:
    """Tables, indexes and triggers of a schema as (type, name, SQL)."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    create_tables(db, {}, version)
    found = parts_in(db)
    db.close()
    return found


def parts_in(db: sqlite3.Connection) -> frozenset[tuple[str, str, str | None]]:
    """Tables, indexes and triggers that a file has; those that SQLite keeps for itself have no SQL or a name of its own."""
    rows = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'")
    return frozenset((str(type_), str(name), sql) for type_, name, sql in rows)


def migrate(db: sqlite3.Connection) -> bool:
    """Bring a file to the newest schema, each step in a transaction of its own; whether there was anything to do.

    Raises:
        BadEntry: the chain does not hold; the file is as it was.
    """
    version = version_of(db)
    for number, step in STEPS:
        if number <= version:
            continue
        with _transaction(db):
            failpoints.reach("migrate.begun")
            step(db)
            db.execute(f"PRAGMA user_version = {int(number)}")
            failpoints.reach("migrate.before-commit")
    return version < SCHEMA_VERSION


def copy(source: Layout, target: SecondLayout, *, last: int | None = None) -> None:
    """Write entries up to `last` in schema 2, every hash as it was; vectors stay bit for bit what they were.

    Raises:
        BadEntry: the chain does not hold.
    """
    prev = GENESIS
    if last == 0:
        return
    for row, vectors in stream(source):
        verify(row, prev)
        target.put(row, sorted(source.vector(kept) for kept in vectors))
        prev = row.hash
        if row.seq == last:
            return


def _to_2(db: sqlite3.Connection) -> None:
    """Schema 1 to 2: the old tables step aside, are read in order and dropped."""
    for name in ("entry_is_final", "entry_stays"):
        db.execute(f"DROP TRIGGER {name}")
    old = ("payload", "subject", "vector", "entry")
    for name in old:
        db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    for statement in _statements(SCHEMAS[2]):
        if not statement.lstrip().startswith("CREATE TABLE meta"):
            db.execute(statement)
    failpoints.reach("migrate.step")
    copy(FirstLayout(db, "old_"), SecondLayout(db))
    for name in old:
        db.execute(f"DROP TABLE old_{name}")
    seal(db)


STEPS: tuple[tuple[int, Callable[[sqlite3.Connection], None]], ...] = ((2, _to_2),)


def _statements(schema: str) -> list[str]:
    """The statements of a schema; a trigger's body holds a semicolon of its own."""
    statements, current = [], ""
    for line in schema.strip().splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            statements.append(current.strip())
            current = ""
    return statements
