"""The ledger: one append-only, hash-chained SQLite file per space, and the only truth there is.

Invariant: an entry, once committed, never changes; its payload lies in a second table and may be blanked (erasure) while
the chain still verifies, because the chain holds `commitment = SHA-256(salt + canonical JSON)` and not the payload.  A
write is acknowledged when `append` returns.  An operation with a known id is not applied a second time.
Vectors are a cache beside the chain: they can be computed again, but a rebuild need not.
A file that does not hold is opened for reading only and never written; readers get what comes before the damage.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from graphmem import failpoints
from graphmem.chain import (
    GENESIS,
    BadEntry,
    Check,
    Draft,
    Entry,
    Row,
    Vector,
    VectorRow,
    canonical,
    commitment,
    entry_hash,
    entry_id,
    entry_of,
    names_text,
    without_secrets,
)
from graphmem.checks import brief
from graphmem.errors import LedgerDamaged, ReadOnlyStore, StoreError, StoreLocked
from graphmem.faults import named
from graphmem.head import Head
from graphmem.ledger_check import Finding, Mark, examine, inspect, rescue, stray_log
from graphmem.ledger_files import beside, copy_to, fold, rewrite, size, stamp, writing
from graphmem.ledger_layouts import SecondLayout
from graphmem.ledger_schema import SCHEMA_VERSION, newest_layout, seal
from graphmem.model import iso
from graphmem.personal.masks import masked
from graphmem.sealing.vault import Vault

__all__ = [
    "GENESIS", "SCHEMA_VERSION", "Check", "Draft", "Entry", "Ledger", "Vector", "VectorRow", "canonical", "commitment",
    "entry_hash",
]  # fmt: skip


CHUNK = 256  # entries held at a time while reading in order


class Ledger:
    """One space's ledger.

    Args:
        path: the SQLite file.
        clock: gives the time of recording, aware.
        entropy: gives n random bytes (salts, the space's secret).
        owner: (user, space), written once and checked at every opening.
        embedder: name of the embedder whose vectors are kept; None for the one that the ledger names, `minilm` for a new one.
        calibration: of that embedder, kept in a new ledger.
        trusted: the caller knows, by a digest taken at closing, that the file is what was closed; it is not examined.
        create: whether a file that is missing or empty is made; otherwise that is damage.
        read_only: nothing may be written: the entries are read once, into memory.
        kept: sequence number and hash of an entry that must be in it; 0 for none.
        vault: seals a new ledger; one that is there says itself whether it is sealed.

    Attributes:
        damage: what is wrong with the file, as one sentence, or None; a damaged ledger can only be read.
        good: in a damaged ledger the last entry that holds; nothing after it is given to readers.
        read_only: as it was given; such a ledger stays as it was when it was opened (`stale`).
        migrated_from: the schema that the file had, if it was brought to a newer one at this opening.
        secret: from which ids are derived; empty if it cannot be read.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], datetime],
        entropy: Callable[[int], bytes],
        owner: tuple[str, str],
        embedder: str | None = "minilm",
        calibration: str = "",
        trusted: bool = False,
        create: bool = True,
        read_only: bool = False,
        kept: Head | None = None,
        vault: Vault | None = None,
    ) -> None:
        self.read_only, self._kept = read_only, kept
        self._calibration, self._vault = calibration, vault
        self.path, self._clock, self._entropy = path, clock, entropy
        self.damage: str | None = None
        self.good = 0
        self.migrated_from: int | None = None
        self._closed = False
        self._db: sqlite3.Connection
        self._layout: SecondLayout
        with named(path, "opened"):
            try:
                self._begin(owner, embedder, trusted=trusted, create=create)
            except BadEntry:
                # A step to a newer schema follows the chain also of a file that was vouched for.
                self._begin(owner, embedder, trusted=False, create=create)
        try:
            # Of a damaged file not even the owner may be known.
            known = self.damage is None or self._one("SELECT 1 FROM meta WHERE name = 'user'") is not None
            if known:
                self._check_owner((self.meta("user"), self.meta("space")), owner)
                self._check_embedder(embedder)
            if self.damage is None and kept is not None and kept.seq:
                self._check_end(self.head()[0], self.hash_at(kept.seq))
            self.secret = self.meta("secret") if known else ""
        except BaseException:
            self._db.close()
            raise

    def _begin(self, owner: tuple[str, str], embedder: str | None, *, trusted: bool, create: bool) -> None:
        fresh = create and not size(self.path) and not size(beside(self.path, "wal"))
        if not fresh and (self.read_only or not (trusted and size(self.path))):
            self._stamp = stamp(self.path)
            found = examine(self.path, at=self._kept.seq if self._kept else 0)
            self._check_found(found, owner)
            if found.damage is not None and not (found.unfinished and create):
                self.damage, self.good = found.damage, found.good
                self._db = rescue(self.path, found)
                self._layout = newest_layout(self._db)
                return
            if self.read_only:
                self._db = rescue(self.path, found)
                self._layout = newest_layout(self._db)
                return

        def fixed() -> dict[str, str]:
            said = {"user": owner[0], "space": owner[1], "secret": self._entropy(16).hex(), "created": iso(self._clock())}
            said |= {"embedder": embedder or "minilm", **({"calibration": self._calibration} if self._calibration else {})}
            return said if self._vault is None else self._vault.marked(said)

        # Asked before a file is made: a clock that gives no time must not leave one behind.
        values = fixed() if fresh else {}
        self._db, version = writing(self.path, lambda: values or fixed())
        self._layout = newest_layout(self._db)
        self.migrated_from = version if 0 < version < SCHEMA_VERSION else None

    def _check_found(self, found: Finding, owner: tuple[str, str]) -> None:
        """Refuse what is not this ledger before it is opened to write: SQLite would fold a log of another into it."""
        mark = Mark(lambda *said: said == owner, *(self._kept[:2] if self._kept else ()))
        if not mark.fits(found) and (stray := stray_log(self.path, mark)):
            raise LedgerDamaged(stray)
        if found.damage is None and found.meta is not None:
            self._check_owner((found.meta["user"], found.meta["space"]), owner)
            if mark.seq:
                self._check_end(found.good, found.asked)

    def _check_owner(self, found: tuple[str, str], owner: tuple[str, str]) -> None:
        if found != owner:
            raise StoreError(
                f"the folder of {self.path} belongs to another user or space: move it away, or open it as its owner"
            )

    def _check_end(self, last: int, asked: str | None) -> None:
        """LedgerDamaged if the entry that was last when the ledger was closed is not there, or is another."""
        if self._kept is not None and asked != self._kept.hash:
            lost = f"ends at entry {last}" if last < self._kept.seq else "was rewritten"
            raise LedgerDamaged(
                f"the ledger in {self.path.parent} {lost}, but entry {self._kept.seq} was there when it was last closed: "
                "restore it from a backup, or accept the loss with `graphmem rebuild --accept-loss`"
            )

    def _check_embedder(self, embedder: str | None) -> None:
        if embedder is not None and self.meta("embedder") != embedder:
            raise StoreError(
                f"the ledger {self.path} holds vectors of {brief(self.meta('embedder'))}, not of {brief(embedder)}: open it "
                f"with embedder={self.meta('embedder')!r}, or move it with `graphmem reembed`"
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            with named(self.path, "read"):
                yield
        except BadEntry as bad:
            raise LedgerDamaged(f"{bad}; restore the ledger {self.path} from a backup") from bad

    @contextmanager
    def _write(self, doing: str) -> Iterator[None]:
        self._refuse_if_damaged(doing)
        with self._reading(), named(self.path, doing):
            if self._db.in_transaction:  # a rollback failed before
                self._db.execute("ROLLBACK")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._layout.ready()
                self._db.execute("COMMIT")
            except BaseException:
                self._layout.forget()
                if self._db.in_transaction:
                    with suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                raise

    def _refuse_if_damaged(self, doing: str) -> None:
        if self.read_only:
            raise ReadOnlyStore(f"the ledger {self.path} cannot be {doing}: make its folder writable and open it anew")
        if self.damage is not None:
            raise LedgerDamaged(
                f"the ledger {self.path} is open for reading only and cannot be {doing}, because it is damaged "
                f"({self.damage}): restore it from a backup"
            )

    def _one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        with self._reading():
            row: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
            return row

    # ------------------------------------------------------------------ reading

    def stale(self) -> bool:
        """Whether the file is no longer what was read, for a ledger that is read once."""
        return self.read_only and self._stamp != stamp(self.path)

    def meta(self, name: str, default: str | None = None) -> str:
        """A value fixed at creation: user, space, secret, created, embedder; or one that may be there, with a default."""
        row = self._one("SELECT value FROM meta WHERE name = ?", name)
        if row is None and default is not None:
            return default
        if row is None:
            raise LedgerDamaged(f"the ledger {self.path} has no {name}: restore it from a backup")
        return self._layout.shown(name, str(row[0]))

    def hash_at(self, seq: int) -> str | None:
        """The hash of an entry, or None if there is no such entry."""
        row = self._one("SELECT hash FROM entry WHERE seq = ?", seq)
        return None if row is None else bytes(row[0]).hex()

    def head(self) -> tuple[int, str]:
        """Sequence number and hash of the last entry; (0, zeros) when empty."""
        row = self._one("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return (int(row[0]), bytes(row[1]).hex()) if row else (0, GENESIS)

    def knows(self, operation: str) -> bool:
        """Whether an operation with this id has been applied."""
        return self._one("SELECT 1 FROM operation WHERE name = ?", self._layout.hide(operation)) is not None

    def knows_session(self, session: str) -> bool:
        """Whether a session with this id has been recorded."""
        with self._reading():
            subject, type_ = self._layout.packed(session), self._layout.number("session recorded")
        query = "SELECT 1 FROM subject s JOIN entry e ON e.seq = s.seq WHERE s.subject = ? AND e.type = ? LIMIT 1"
        return self._one(query, subject, type_) is not None

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Entries with a sequence number above `after`, in order, a few held at a time.

        What is appended while they are read is not among them.
        """
        for rows in self._chunks(after):
            for row in rows:
                yield self._entry(row)

    def history(self, after: int = 0) -> Iterator[tuple[Entry, list[VectorRow]]]:
        """Entries with their vectors as (id, owner, kind, model, bytes), in order, a few held at a time."""
        for rows in self._chunks(after):
            vectors = self._vectors(rows[0].seq, rows[-1].seq)
            for row in rows:
                yield self._entry(row), vectors.get(row.seq, [])

    def rows(self) -> Iterator[Row]:
        """The entries as the chain is taken over them, in order."""
        for rows in self._chunks(0):
            yield from rows

    def about(self, subject: str) -> list[Entry]:
        """The entries that name a statement or session, in order."""
        with self._reading():
            rows = self._layout.about(subject)
        return [self._entry(row) for row in rows]

    def vectors(self, after: int = 0) -> dict[int, list[VectorRow]]:
        """Cached embeddings by sequence number: (id, owner, kind, model, bytes); all at once, see `history`."""
        return self._vectors(after + 1, None)

    def _vectors(self, first: int, last: int | None) -> dict[int, list[VectorRow]]:
        with self._reading():
            try:
                return {
                    seq: sorted(self._layout.vector(kept) for _, kept in group)
                    for seq, group in groupby(self._layout.vectors(first, last), key=lambda item: item[0])
                }
            except (TypeError, ValueError, IndexError) as error:
                raise LedgerDamaged(
                    f"the ledger {self.path} holds a vector that cannot be read: restore it from a backup"
                ) from error

    def _chunks(self, after: int) -> Iterator[list[Row]]:
        last = self.head()[0]
        while after < last:
            # No cursor stays open between the chunks: it would keep the log from being folded.
            with self._reading():
                rows = list(self._layout.rows(after, last, CHUNK))
            if not rows:
                raise LedgerDamaged(f"entry {after + 1} of the ledger {self.path} is missing: restore it from a backup")
            yield rows
            after = rows[-1].seq

    def _entry(self, row: Row) -> Entry:
        with self._reading():
            return entry_of(row)

    def check(self) -> Check:
        """Walk the whole chain and look at every page; the problem names the first bad entry."""
        if self.damage is not None:
            return Check(self.head()[1], self.good, (self.damage,))
        with self._reading():
            # One transaction: what others append meanwhile must not be in one of its answers and not in another.
            if not self._db.in_transaction:  # unless a rollback failed before
                self._db.execute("BEGIN")
            try:
                found = inspect(self._db, self.path)
            finally:
                if self._db.in_transaction:  # SQLite ends it by itself where the disk fails
                    self._db.execute("ROLLBACK")
        return Check(found.head, found.good, () if found.damage is None else (found.damage,))

    # ------------------------------------------------------------------ writing

    def now(self) -> datetime:
        """The time of recording for the next entry: the clock's, but never before the last entry's."""
        now = self._clock().astimezone(UTC)
        row = self._one("SELECT at FROM operation ORDER BY first DESC LIMIT 1")
        return now if row is None else max(now, self._layout.time(row[0]))

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
            StoreFull: there is no room.
            StoreLocked: another process is writing.
            LedgerDamaged: the ledger is open for reading only.
            StoreError: the disk fails.  After any of these a repeat with the same id applies the operation once.
        """
        # The one door into the ledger: whoever writes, no secret passes.  What was masked before is left as it is.
        operation, drafts = masked(operation), without_secrets(drafts)
        with named(self.path, "written"):
            with self._write("written"):
                failpoints.reach("ledger.begun")
                committed = [] if self.knows(operation) else self._append(operation, drafts, vectors, at)
                failpoints.reach("ledger.before-commit")
            failpoints.reach("ledger.committed")
        return committed

    def _append(self, operation: str, drafts: Sequence[Draft], vectors: Sequence[Vector], now: datetime) -> list[Entry]:
        seq, prev = self.head()
        committed, first = [], seq + 1
        for number, draft in enumerate(drafts):
            seq += 1
            body, salt = canonical(draft.body), self._entropy(16)
            id_, promise, names = entry_id(operation, number), commitment(salt, body), tuple(draft.subjects)
            fields = (id_, operation, iso(now), draft.actor, draft.role, draft.type)
            prev = entry_hash(prev, (seq, *fields, names_text(names), promise))
            row = Row(seq, first, *fields, names, promise, prev, salt, body)
            self._layout.put(row, [vector[:-1] for vector in vectors if vector.entry == number])
            committed.append(Entry(seq, id_, operation, now, draft.actor, draft.role, draft.type, names, prev, draft.body))
            failpoints.reach("ledger.entry")
        return committed

    def blank(self, sequence: Sequence[int], owners: Sequence[str], pairs: Sequence[str] = ()) -> None:
        """Erase the payloads and salts of entries, and vectors by owner; then rewrite the file.

        The chain keeps the commitments and still verifies; an `erased` entry must name the entries, or `check`
        reports them.  Of the owners in `pairs` only the vectors of the turn with the one before it go.
        """
        with self._write("erased from"):
            self._layout.blank(sequence)
            for owner in owners:
                self._layout.drop_vectors(owner)
            for owner in pairs:
                self._layout.drop_vectors(owner, "pair")
        with named(self.path, "erased from"):
            failpoints.reach("erase.blanked")
            self._layout.shred()
            self.truncate()
            failpoints.reach("erase.truncated")

    def stored(self, sequence: Sequence[int], owners: Sequence[str] = (), pairs: Sequence[str] = ()) -> list[bytes]:
        """The bytes that the file holds for payloads (deflated, so no words), their salts and vectors: to see them gone."""
        found: list[bytes] = []
        for seq in sequence:
            row = self._one("SELECT body, salt FROM payload WHERE seq = ?", seq)
            found += [bytes(part) for part in row or () if part is not None]
        with self._reading():
            for owner, kind in [*((name, None) for name in owners), *((name, "pair") for name in pairs)]:
                found += self._layout.vectors_of(owner, kind)
        return found

    def beginnings(self, length: int) -> Iterator[bytes]:
        """The first bytes of every payload, salt and vector that the file rightly holds."""
        with self._reading():
            for query in ("SELECT body FROM payload", "SELECT salt FROM payload", "SELECT data FROM vector"):
                for (part,) in self._db.execute(query):
                    if part is not None:
                        yield bytes(part[:length])

    def has_type(self, type_: str) -> bool:
        """Whether there may be entries of a type; quick, for what most ledgers have none of."""
        with self._reading():
            return self._layout.number(type_) is not None

    def of_type(self, type_: str, after: int = 0) -> list[Entry]:
        """The entries of a type with a sequence number above `after`, in order."""
        with self._reading():
            rows = self._layout.of_type(type_, after)
        return [self._entry(row) for row in rows]

    def erasures(self) -> list[Entry]:
        """The entries of type `erased`, in order."""
        return self.of_type("erased")

    def carried_out(self) -> int:
        """Sequence number of the last `erased` entry that was carried out to its end."""
        return int(self.noted("erasures_done") or 0)

    def owes(self) -> bool:
        """Whether an erasure was recorded that was not carried out to its end, by whatever process."""
        with self._reading():
            type_ = self._layout.number("erased")
        query = "SELECT 1 FROM entry WHERE seq > ? AND type = ? LIMIT 1"
        return type_ is not None and self._one(query, self.carried_out(), type_) is not None

    def mark_carried_out(self, seq: int) -> None:
        """Note that the erasures up to this entry were carried out, files and all."""
        self.note("erasures_done", str(seq))

    def noted(self, name: str) -> str:
        """A value that is kept beside the chain; empty where there is none."""
        return str((self._one("SELECT value FROM meta WHERE name = ?", name) or ("",))[0])

    def note(self, name: str, value: str) -> None:
        """Keep a value beside the chain: a state of this copy's files, and nothing that was said or done."""
        with self._write("written"):
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
            seal(self._db)

    def fold(self) -> None:
        """Fold SQLite's write-ahead log into the file, which then stands for itself."""
        self._refuse_if_damaged("written")
        with named(self.path, "written"):
            fold(self._db, self.path)

    def truncate(self) -> None:
        """Fold the log into the file and rewrite it, so that no deleted byte stays behind."""
        self._refuse_if_damaged("rewritten")
        with named(self.path, "rewritten"):
            rewrite(self._db, self.path)

    def backup(self, target: Path) -> None:
        """Write a consistent copy, also while the ledger is in use; the copy is one file without a log.

        Raises:
            StoreError: there is such a file, or it cannot be written; nothing is left of it.
            LedgerDamaged: this ledger is damaged; a copy of it must not pass for a backup.
        """
        self._refuse_if_damaged("backed up")
        copy_to(self._db, target)

    def close(self) -> None:
        """Fold the log and close the file; safe to call twice.

        Raises:
            StoreError: the log could not be folded; the file is closed, and nothing that was recorded is lost.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if self.damage is None and not self.read_only:
                with named(self.path, "folded at closing, though nothing is lost"), suppress(StoreLocked):
                    fold(self._db, self.path)
        finally:
            self._db.close()
