"""The keys file of a sealed space: the space's key, wrapped by a provider, and under it one key for each sealed record.

Invariant: a key that was given out is on the disk before anything sealed under it is (`commit`); no key is ever put in the
place of another, so a copy of the ledger from any time finds its own.  A key that was destroyed leaves its number behind,
so that "erased" and "lost" can be told apart, and its bytes are overwritten.  A step of rotation is one transaction.
One key outlives all others, also those of a space that was emptied: its register of erasures is sealed under it.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from graphmem.chain import canonical
from graphmem.errors import KeyUnavailable, SealBroken
from graphmem.failpoints import reach
from graphmem.files import sync
from graphmem.sealing.ciphers import Box, new_key
from graphmem.sealing.keys_file import FORMAT, TABLES, VERSION, check_there, connected, made, meta_of, named, rewritten
from graphmem.sealing.providers import Provider, Wrapped

STORE_KEY = 0  # the record key of what belongs to no entry: words, names, commitments
LASTING_KEY = -1  # the record key of what is read after everything else was destroyed


def context(*parts: str | int) -> bytes:
    """What is sealed with these parts opens with the same ones only."""
    return canonical(list(parts)).encode()


class Keys:
    """An open keys file.

    Args:
        path: the file.
        user: whose space it is.
        provider: opens it.
        create: make it if it is not there.

    Raises:
        KeyUnavailable: it is missing, cut short or altered, its key was destroyed, or the provider does not open it.
    """

    def __init__(self, path: Path, *, user: str, provider: Provider, create: bool = False) -> None:
        self.path, self._user, self._provider = path, user, provider
        self._boxes: dict[int, Box] = {}
        self._current = self._last = 0
        if not create:
            check_there(path)
        with named(path):
            if create:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection: sqlite3.Connection | None = connected(path)
        try:
            with named(path):
                if create and not made(self._db):
                    self._make()
                self.store = self._read()
        except BaseException:
            self.close()
            raise

    @property
    def _db(self) -> sqlite3.Connection:
        """The file, open."""
        if self._connection is None:
            check_there(self.path)
            self._connection = connected(self.path)
        return self._connection

    # ------------------------------------------------------------------ opening

    def _make(self) -> None:
        store, rows = self._new(new_key())
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if not made(self._db):  # another process may have been faster
                for statement in TABLES:
                    self._db.execute(statement)
                self._db.executemany("INSERT INTO meta VALUES (?, ?)", [("format", FORMAT), ("store", store)])
                self._put(*rows)
                self._db.execute(f"PRAGMA user_version = {VERSION:d}")
            self._db.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        self.path.chmod(0o600)
        for folder in list(self.path.parents)[:3]:  # the folders may be as new as the file
            sync(folder)

    def _new(self, lasting: bytes) -> tuple[str, tuple[Wrapped, list[tuple[int, bytes]]]]:
        """A new store: its id, and its first keys as they are kept."""
        store, key = secrets.token_hex(16), new_key()
        box, first = Box(key), ((STORE_KEY, new_key()), (LASTING_KEY, lasting))
        kept = [(number, box.seal(one, context(store, "record", number, 1))) for number, one in first]
        return store, (self._provider.wrap(key, context(store, self._user, 1)), kept)

    def _put(self, wrapped: Wrapped, first: list[tuple[int, bytes]]) -> None:
        self._db.execute("INSERT INTO wrapped VALUES (1, ?, ?, ?)", wrapped)
        self._db.executemany("INSERT INTO record VALUES (?, 1, ?, 0)", first)

    def _read(self) -> str:
        """Unwrap the space's key in all its versions; the id of the store."""
        meta = meta_of(self._db, self.path)
        self._open_versions(meta["store"])
        return meta["store"]

    def _open_versions(self, store: str) -> None:
        boxes = {}
        for version, *wrapped in self._db.execute("SELECT version, method, how, data FROM wrapped ORDER BY version").fetchall():
            boxes[version] = Box(self._provider.unwrap(Wrapped(*wrapped), context(store, self._user, version)))
        if not boxes:
            raise KeyUnavailable(f"the keys file {self.path} has lost its key: put back a copy of it")
        self._boxes, self._current = boxes, max(boxes)

    def reload(self) -> None:
        """Look at the file anew, which another process may have begun again."""
        with named(self.path):
            self.store = self._read()

    # ------------------------------------------------------------------ keys of records

    def key(self, number: int) -> bytes | None:
        """The key of a record; None if it was destroyed.

        Raises:
            SealBroken: it is missing or was altered.
        """
        with named(self.path):
            row = self._db.execute("SELECT version, data FROM record WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise SealBroken(f"key {number} is not in the keys file {self.path}: put back a newer copy of that file")
            version, data = row
            if data is None:
                return None
            if version not in self._boxes:  # rotated by another process
                self._open_versions(self.store)
            try:
                return self._boxes[version].open(data, context(self.store, "record", number, version))
            except (ValueError, TypeError, KeyError) as error:
                raise SealBroken(
                    f"key {number} in the keys file {self.path} was altered: put back a copy of that file"
                ) from error

    def lasting(self, *, make: bool = False) -> bytes | None:
        """The key that outlives all others; None, or with `make` a new one, in a file that was made without it."""
        with named(self.path):
            if meta_of(self._db, self.path)["store"] != self.store:  # begun again by another process
                self.reload()
            if self._has_lasting():
                return self.key(LASTING_KEY)
            if not make:
                return None
            self._begin()
            if not self._has_lasting():
                sealed = self._boxes[self._current].seal(new_key(), context(self.store, "record", LASTING_KEY, self._current))
                self._db.execute("INSERT INTO record VALUES (?, ?, ?, 0)", (LASTING_KEY, self._current, sealed))
            self.commit()
            return self.key(LASTING_KEY)

    def _has_lasting(self) -> bool:
        return self._db.execute("SELECT 1 FROM record WHERE id = ?", (LASTING_KEY,)).fetchone() is not None

    def _begin(self) -> None:
        """Begin a transaction, if none was begun, on the state that others have left."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            if self._db.execute("SELECT max(version) FROM wrapped").fetchone()[0] != self._current:
                self._open_versions(self.store)
            self._last = int(self._db.execute("SELECT max(id) FROM record").fetchone()[0])

    def fresh(self) -> tuple[int, bytes]:
        """The number and the bytes of a new key, which stays only if `commit` follows."""
        with named(self.path):
            self._begin()
            self._last += 1
            key = new_key()
            sealed = self._boxes[self._current].seal(key, context(self.store, "record", self._last, self._current))
            self._db.execute("INSERT INTO record VALUES (?, ?, ?, 0)", (self._last, self._current, sealed))
            return self._last, key

    def doom(self, numbers: Iterable[int]) -> None:
        """Note, until `commit` for good, that these keys are to be destroyed by the next `shred`."""
        with named(self.path):
            self._begin()
            marked = "UPDATE record SET doomed = 1 WHERE id = ? AND data IS NOT NULL"
            self._db.executemany(marked, [(number,) for number in numbers if number > STORE_KEY])

    def commit(self) -> None:
        """Put new keys on the disk."""
        if self._connection is not None and self._connection.in_transaction:
            with named(self.path):
                reach("keys.before-commit")
                self._db.execute("COMMIT")
            reach("keys.committed")

    def forget(self) -> None:
        """Drop what was not committed."""
        self._roll_back()

    def shred(self) -> int:
        """Destroy the keys that are doomed, and overwrite their bytes; how many there were."""
        with named(self.path):
            count = self._db.execute("UPDATE record SET data = NULL, doomed = 0 WHERE doomed = 1").rowcount
            reach("keys.shredded")
            rewritten(self._db)
        return int(count)

    # ------------------------------------------------------------------ the whole

    def note_emptied(self) -> None:
        """Note that everything is to be erased: a ledger that is not there any more is then no loss."""
        with named(self.path):
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('emptied', '1')")

    def emptied(self) -> bool:
        """Whether that was noted."""
        with named(self.path):
            return self._db.execute("SELECT 1 FROM meta WHERE name = 'emptied'").fetchone() is not None

    def used(self) -> bool:
        """Whether keys of records were ever given out."""
        with named(self.path):
            return self._db.execute("SELECT 1 FROM record WHERE id > ? LIMIT 1", (STORE_KEY,)).fetchone() is not None

    def renew(self) -> None:
        """Begin again as another store with another key: nothing that was sealed before can be read after.

        But what is under the lasting key, which stays.
        """
        with named(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                store, rows = self._new((self.key(LASTING_KEY) if self._has_lasting() else None) or new_key())
                self._db.execute("DELETE FROM wrapped")
                self._db.execute("DELETE FROM record")
                self._db.execute("DELETE FROM meta WHERE name = 'emptied'")
                self._db.execute("UPDATE meta SET value = ? WHERE name = 'store'", (store,))
                self._put(*rows)
                reach("keys.before-renewal")
                self._db.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            reach("keys.renewed")
            rewritten(self._db)
            self.store = self._read()

    def rotate(self, provider: Provider | None = None, *, deep: bool = False) -> int:
        """Wrap the space's key anew, by another provider if one is given; how many keys were wrapped.

        With `deep` the space's key itself is replaced, and the key of every record wrapped under the new one; what is sealed
        stays as it is.  Stopped at any moment, the old keys hold or the new ones.
        """
        provider = provider or self._provider
        with named(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._open_versions(self.store)
                reach("keys.rotation-begun")
                count = self._replace(provider) if deep else self._rewrap(provider)
                reach("keys.before-rotation")
                self._db.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            self._provider = provider
            reach("keys.rotated")
            rewritten(self._db)
            self._open_versions(self.store)
        return count

    def _rewrap(self, provider: Provider) -> int:
        rows = self._db.execute("SELECT version, method, how, data FROM wrapped").fetchall()
        for version, *wrapped in rows:
            about = context(self.store, self._user, version)
            made = provider.wrap(self._provider.unwrap(Wrapped(*wrapped), about), about)
            self._db.execute("UPDATE wrapped SET method = ?, how = ?, data = ? WHERE version = ?", (*made, version))
        return len(rows)

    def _replace(self, provider: Provider) -> int:
        version, key = self._current + 1, new_key()
        box, made = Box(key), provider.wrap(key, context(self.store, self._user, version))
        self._db.execute("INSERT INTO wrapped VALUES (?, ?, ?, ?)", (version, *made))
        rows = self._db.execute("SELECT id FROM record WHERE data IS NOT NULL").fetchall()
        for (number,) in rows:
            kept = self.key(number)
            assert kept is not None
            sealed = box.seal(kept, context(self.store, "record", number, version))
            self._db.execute("UPDATE record SET version = ?, data = ? WHERE id = ?", (version, sealed, number))
        self._db.execute("DELETE FROM wrapped WHERE version < ?", (version,))
        return len(rows)

    def _roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file, which is opened again if a key is asked for; what was not committed is dropped."""
        self._roll_back()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
