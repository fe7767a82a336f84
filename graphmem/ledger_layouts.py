"""How each schema of the ledger keeps an entry: decoded into what the chain is taken over, and encoded from it.

Invariant: a layout decodes and never believes; whoever reads a file that may be damaged holds what comes out against the
chain.  Only the newest layout writes.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from graphmem import payloads
from graphmem.chain import BadEntry, Kept, Row, VectorRow, entry_id
from graphmem.model import iso
from graphmem.records import key

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DERIVED = re.compile(r"[a-z]_[0-9a-f]{24}")
_BY_ENTRY = 24  # bits of a vector's place that number it within its entry
_CACHED = 20_000
MISSING = "the payload is missing and no erasure names it"


class FirstLayout:
    """Schema 1: everything as text, and the hash before it in every entry."""

    keeps_marks = False

    def __init__(self, db: sqlite3.Connection, prefix: str = "") -> None:
        self._db = db
        self._entry, self._payload, self._subject, self._vector = (
            prefix + name for name in ("entry", "payload", "subject", "vector")
        )
        self._first = (0, "")

    def rows(self, after: int, upto: int | None = None, limit: int = -1) -> Iterator[Row]:
        """Entries in order; see `Layout`."""
        found = self._db.execute(
            "SELECT e.seq, e.id, e.operation, e.at, e.actor, e.role, e.type, e.subjects, e.commitment, e.hash,"
            f" p.salt, p.body, e.prev, p.seq FROM {self._entry} e LEFT JOIN {self._payload} p ON p.seq = e.seq"
            " WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?",
            (after, _last(upto), limit),
        )
        for seq, id_, operation, *rest, there in found:
            if there is None:
                raise BadEntry(seq, "the payload is missing")
            if self._first[1] != operation:
                self._first = (seq, operation)
            texts = (id_, operation, *rest[:7], rest[9])
            if not all(isinstance(text, str) for text in texts) or not isinstance(rest[7], bytes | None):
                raise BadEntry(seq, "it cannot be read")
            if not isinstance(rest[8], str | None) or (rest[7] is None) != (rest[8] is None):
                raise BadEntry(seq, "the payload was altered")
            if id_ != entry_id(operation, seq - self._first[0]):
                raise BadEntry(seq, "its id is not the one of its place in its operation")
            try:
                rest[4] = tuple(json.loads(rest[4]))
            except (ValueError, TypeError) as error:
                raise BadEntry(seq, "it cannot be read") from error
            yield Row(seq, self._first[0], id_, operation, *rest)

    def vectors(self, first: int, last: int | None = None, only: int | None = None) -> Iterator[tuple[int, Kept]]:
        """Vectors by their entry; see `Layout`."""
        found = self._db.execute(
            f"SELECT seq, id, owner, kind, model, data FROM {self._vector} WHERE seq >= ? AND seq <= ? ORDER BY seq, id"
            " LIMIT ? OFFSET ?",
            (first, _last(last), *_part(only)),
        )
        for seq, *row in found:
            if not isinstance(row[4], bytes) or not all(isinstance(text, str) for text in row[:4]):
                raise BadEntry(seq, "its vectors were altered")
            yield seq, tuple(row)

    def vector(self, kept: Kept) -> VectorRow:
        """A vector as it is read."""
        id_, owner, kind, model, data = kept
        return id_, owner, kind, model, data

    def mark(self, kept: Iterable[Kept]) -> None:
        """This schema keeps no sums."""

    def missing(self, seq: int) -> str:
        """What is wrong with an entry whose payload is gone though no erasure names it."""
        return MISSING

    def subjects(self) -> Iterator[tuple[str, int]]:
        """Which entries name which subject; see `Layout`."""
        yield from self._db.execute(f"SELECT subject, seq FROM {self._subject}")

    def counts(self) -> tuple[int, int]:
        """The last entry with a payload; operations have no table of their own here."""
        return int(self._db.execute(f"SELECT coalesce(max(seq), 0) FROM {self._payload}").fetchone()[0]), 0


_ROWS = (
    "SELECT e.seq, e.operation, e.actor, e.role, e.type, e.subjects, e.commitment, e.hash,"
    " p.seq, p.codec, p.salt, p.body, p.vectors, o.name, o.at FROM entry e"
    " LEFT JOIN operation o ON o.first = e.operation LEFT JOIN payload p ON p.seq = e.seq"
)


class SecondLayout:
    """Schema 2: words that come often by number, ids and hashes as bytes, payloads deflated."""

    keeps_marks = True

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._texts: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._time: tuple[int | None, str] = (None, "")

    def forget(self) -> None:
        """Drop what is remembered of numbers, after a transaction that was rolled back."""
        self._texts.clear()
        self._numbers.clear()

    # ------------------------------------------------------------------ reading

    def rows(self, after: int, upto: int | None = None, limit: int = -1) -> Iterator[Row]:
        """Entries in order; see `Layout`."""
        query = f"{_ROWS} WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?"
        yield from map(self._row, self._db.execute(query, (after, _last(upto), limit)))

    def about(self, subject: str) -> list[Row]:
        """The entries that name a subject, in order."""
        packed = self.packed(subject)
        if packed is None:
            return []
        query = f"{_ROWS} JOIN subject s ON s.seq = e.seq WHERE s.subject = ? ORDER BY e.seq"
        return [self._row(raw) for raw in self._db.execute(query, (packed,)).fetchall()]

    def of_type(self, type_: str, after: int = 0) -> list[Row]:
        """The entries of a type with a number above `after`, in order."""
        number = self.number(type_)
        if number is None:
            return []
        query = f"{_ROWS} WHERE e.seq > ? AND e.type = ? ORDER BY e.seq"
        return [self._row(raw) for raw in self._db.execute(query, (after, number)).fetchall()]

    def vectors(self, first: int, last: int | None = None, only: int | None = None) -> Iterator[tuple[int, Kept]]:
        """Vectors by their entry, as (owner, kind, model, id, data); see `Layout`."""
        found = self._db.execute(
            "SELECT place, owner, kind, model, id, data FROM vector WHERE place >= ? AND place < ? ORDER BY place"
            " LIMIT ? OFFSET ?",
            (first << _BY_ENTRY, min(_last(last) + 1, 1 << 38) << _BY_ENTRY, *_part(only)),
        )
        for place, *kept in found:
            yield place >> _BY_ENTRY, tuple(kept)

    def vector(self, kept: Kept) -> VectorRow:
        """A vector as it is read.

        Raises:
            ValueError: it is damaged.
        """
        owner, kind, model, id_, data = kept
        names = self.unpacked(owner)[0], self.text(kind), self.text(model)
        return key("v", *names) if id_ is None else id_, *names, data

    def mark(self, kept: Iterable[Kept]) -> int:
        """A sum over the vectors of an entry that tells, when nobody means harm, whether one is altered, lost or added.

        Raises:
            TypeError, ValueError: a vector is not of the types that it should be, or a word of it is lost.
        """
        total = 0
        for owner, kind, model, id_, data in kept:
            name = owner if owner[:1] > b"`" else self.unpacked(owner)[0].encode()
            head = b"%b\n%b\n%b\n" % (name, self.text(kind).encode(), self.text(model).encode())
            total += crc32(data, crc32(head if id_ is None else head + id_.encode()))
        return (total + 2**31) % 2**32 - 2**31  # as SQLite keeps it in four bytes

    def missing(self, seq: int) -> str:
        """What is wrong with an entry whose payload is gone though no erasure names it."""
        return MISSING

    def subjects(self) -> Iterator[tuple[str, int]]:
        """Which entries name which subject; see `Layout`."""
        for packed, seq in self._db.execute("SELECT subject, seq FROM subject"):
            try:
                yield self.unpacked(packed)[0], seq
            except (ValueError, TypeError, IndexError):
                yield "", -1  # no entry has it, so the sums will differ

    def counts(self) -> tuple[int, int]:
        """The last entry that has a payload, and the number of operations; see `Layout`."""
        last = self._db.execute("SELECT coalesce(max(seq), 0) FROM payload").fetchone()[0]
        return int(last), int(self._db.execute("SELECT count(*) FROM operation").fetchone()[0])

    def _row(self, raw: Sequence[Any]) -> Row:
        seq, first, actor, role, type_, subjects, commitment, hash_, there, codec, salt, body, mark, operation, at = raw
        if there is None:
            raise BadEntry(seq, "the payload is missing")
        try:
            if len(hash_) != 32 or not isinstance(operation, str):
                raise ValueError("not of its type")
            operation, commitment = self.show(operation), self.commitment(seq, commitment)
            fields = (
                entry_id(operation, seq - first), operation, self._iso(at),
                self.text(actor), self.text(role), self.text(type_), tuple(self.unpacked(subjects)),
                commitment.hex(), hash_.hex(),
            )  # fmt: skip
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise BadEntry(seq, "it cannot be read") from error
        try:
            salt, text = self.unpacked_payload(seq, fields[5], (codec, salt, body))
            # An erasure takes both the payload and its salt.
            if not isinstance(salt, bytes | None) or (salt is None) != (text is None) or not isinstance(mark, int):
                raise ValueError("not of its type")
        except (ValueError, TypeError) as error:
            raise BadEntry(seq, "the payload was altered") from error
        return Row(seq, first, *fields, salt, text, None, mark)

    def _iso(self, at: int) -> str:
        if self._time[0] != at:
            self._time = at, iso(self.time(at))
        return self._time[1]

    @staticmethod
    def time(at: int) -> datetime:
        """A time from its microseconds since 1970."""
        return _EPOCH + at * _MICROSECOND

    def text(self, number: int) -> str:
        """The word of a number.

        Raises:
            ValueError: there is none.
        """
        found = self._texts.get(number)
        if found is None:
            row = self._db.execute("SELECT text FROM term WHERE number = ?", (number,)).fetchone()
            if row is None or not isinstance(row[0], str):
                raise ValueError(f"there is no word with number {number}")
            if len(self._texts) >= _CACHED:
                self.forget()
            self._texts[number] = found = self.show(row[0])
        return found

    def number(self, text: str) -> int | None:
        """The number of a word, if it has one."""
        found = self._numbers.get(text)
        if found is None:
            row = self._db.execute("SELECT number FROM term WHERE text = ?", (self.hide(text),)).fetchone()
            if row is None:
                return None
            if len(self._numbers) >= _CACHED:
                self.forget()
            self._numbers[text] = found = int(row[0])
        return found

    def packed(self, name: str) -> bytes | None:
        """A subject or owner as bytes: a derived id by its letter and digest, anything else by number, if it has one."""
        if _DERIVED.fullmatch(name):
            return self.by_letter(name[:1], bytes.fromhex(name[2:]))
        number = self.number(name)
        return None if number is None else self.by_number(number)

    def unpacked(self, data: bytes) -> list[str]:
        """The names in a row of packed ones.

        Raises:
            ValueError: the bytes are none.
        """
        names, place = [], 0
        while place < len(data):
            lead = data[place]
            end = place + 1 + (12 if lead >= 97 else lead)
            rest = data[place + 1 : end]
            if end > len(data) or (lead < 97 and not 1 <= lead <= 8):
                raise ValueError("the names cannot be read")
            names.append(f"{chr(lead)}_{rest.hex()}" if lead >= 97 else self.text(int.from_bytes(rest, "big")))
            place = end
        return names

    # ------------------------------------------------------------------ what a sealed ledger keeps otherwise

    def ready(self) -> None:
        """Called before a transaction ends: what it needs elsewhere must be on the disk by then."""

    def shred(self) -> None:
        """Called when what was blanked and dropped is gone from the file."""

    def hide(self, text: str) -> str:
        """A word as it is kept, the same each time."""
        return text

    def show(self, kept: str) -> str:
        """The word that is kept so."""
        return kept

    def shown(self, name: str, kept: str) -> str:
        """A value of this name fixed at creation, from how it is kept."""
        return kept

    def commitment(self, seq: int, kept: bytes) -> bytes:
        """The commitment of an entry, from how it is kept."""
        if len(kept) != 32:
            raise ValueError("not of its type")
        return kept

    def promised(self, seq: int, commitment: bytes) -> bytes:
        """A commitment as it is kept."""
        return commitment

    def by_letter(self, letter: str, digest: bytes) -> bytes:
        """A derived id, packed."""
        return letter.encode() + digest

    def by_number(self, number: int) -> bytes:
        """A name that stands among the words, packed."""
        data = number.to_bytes((number.bit_length() + 7) // 8 or 1, "big")
        return bytes([len(data)]) + data

    def packed_payload(self, row: Row) -> tuple[int, bytes | None, bytes | None]:
        """Codec, salt and payload as they are kept."""
        codec, body = (payloads.PLAIN, None) if row.body is None else payloads.pack(row.body)
        return codec, row.salt, body

    def unpacked_payload(
        self, seq: int, type_: str, kept: tuple[int, bytes | None, bytes | None]
    ) -> tuple[bytes | None, str | None]:
        """Salt and payload from how they are kept."""
        codec, salt, body = kept
        return salt, None if body is None else payloads.unpack(codec, body)

    def kept_vector(self, vector: VectorRow) -> tuple[str | None, bytes]:
        """Id, where it does not follow from the rest, and bytes of a vector, as they are kept."""
        id_, owner, kind, model, data = vector
        return None if id_ == key("v", owner, kind, model) else id_, data

    # ------------------------------------------------------------------ writing

    def blank(self, sequence: Sequence[int]) -> None:
        """Erase the payloads and salts of entries."""
        blanked = "UPDATE payload SET codec = 0, salt = NULL, body = NULL WHERE seq = ?"
        self._db.executemany(blanked, [(seq,) for seq in sequence])

    def put(self, row: Row, vectors: Sequence[VectorRow] = ()) -> None:
        """Write an entry with what belongs to it; a vector that the ledger has stays as it is."""
        db = self._db
        if row.seq == row.first:
            at = (datetime.fromisoformat(row.at) - _EPOCH) // _MICROSECOND
            db.execute("INSERT INTO operation VALUES (?, ?, ?)", (row.first, self.hide(row.operation), at))
        packed = {name: self._pack(name) for name in row.subjects}
        db.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.seq, row.first, self._numbered(row.actor), self._numbered(row.role), self._numbered(row.type),
                b"".join(packed[name] for name in row.subjects), self.promised(row.seq, bytes.fromhex(row.commitment)),
                bytes.fromhex(row.hash),
            ),
        )  # fmt: skip
        db.executemany("INSERT INTO subject VALUES (?, ?)", [(subject, row.seq) for subject in packed.values()])
        for number, vector in enumerate(vectors):
            self._put_vector((row.seq << _BY_ENTRY) + number, vector)
        mark = self._mark(row.seq) if vectors else 0
        db.execute("INSERT INTO payload VALUES (?, ?, ?, ?, ?)", (row.seq, *self.packed_payload(row), mark))

    def _mark(self, seq: int) -> int:
        return self.mark([kept for _, kept in self.vectors(seq, seq)])

    def _put_vector(self, place: int, vector: VectorRow) -> None:
        _, owner, kind, model, _ = vector
        packed, number = self._pack(owner), self._numbered(kind)
        known = "SELECT 1 FROM vector WHERE substr(owner, 2, 4) = substr(?1, 2, 4) AND owner = ?1 AND kind = ?2"
        if self._db.execute(known, (packed, number)).fetchone() is None:
            self._db.execute(
                "INSERT INTO vector VALUES (?, ?, ?, ?, ?, ?)",
                (place, packed, number, self._numbered(model), *self.kept_vector(vector)),
            )

    def vectors_of(self, owner: str, kind: str | None = None) -> list[bytes]:
        """The bytes of an owner's vectors (of one kind)."""
        packed = self.packed(owner)
        number = None if kind is None else self.number(kind) or 0
        which = "WHERE substr(owner, 2, 4) = substr(?1, 2, 4) AND owner = ?1 AND (?2 IS NULL OR kind = ?2)"
        return [bytes(data) for (data,) in self._db.execute(f"SELECT data FROM vector {which}", (packed, number)).fetchall()]

    def drop_vectors(self, owner: str, kind: str | None = None) -> None:
        """Delete the vectors of an owner (of one kind), and note what is left in the entries they were kept by."""
        packed = self.packed(owner)
        if packed is None:
            return
        which = "WHERE substr(owner, 2, 4) = substr(?1, 2, 4) AND owner = ?1 AND (?2 IS NULL OR kind = ?2)"
        number = None if kind is None else self.number(kind) or 0
        places = self._db.execute(f"SELECT place FROM vector {which}", (packed, number)).fetchall()
        self._db.execute(f"DELETE FROM vector {which}", (packed, number))
        for seq in sorted({place >> _BY_ENTRY for (place,) in places}):
            self._db.execute("UPDATE payload SET vectors = ? WHERE seq = ?", (self._mark(seq), seq))

    def replace_vectors(self, model: str, made: Mapping[tuple[str, str], bytes]) -> None:
        """Put other vectors in the place of all that are kept, by owner and kind; those with nothing in their place go."""
        number = self._numbered(model)
        kept = self._db.execute("SELECT place, owner, kind FROM vector ORDER BY place").fetchall()
        for place, owner, kind in kept:
            data = made.get((self.unpacked(owner)[0], self.text(kind)))
            if data is None:
                self._db.execute("DELETE FROM vector WHERE place = ?", (place,))
            else:
                self._db.execute("UPDATE vector SET model = ?, id = NULL, data = ? WHERE place = ?", (number, data, place))
        for seq in sorted({place >> _BY_ENTRY for place, _, _ in kept}):
            self._db.execute("UPDATE payload SET vectors = ? WHERE seq = ?", (self._mark(seq), seq))

    def _pack(self, name: str) -> bytes:
        return self.packed(name) or self.by_number(self._numbered(name))

    def _numbered(self, text: str) -> int:
        number = self.number(text)
        if number is None:
            self._db.execute("INSERT INTO term (text) VALUES (?)", (self.hide(text),))
            number = self._numbers[text] = int(self._db.execute("SELECT last_insert_rowid()").fetchone()[0])
        return number


def _part(only: int | None) -> tuple[int, int]:
    """LIMIT and OFFSET; with a limit SQLite does not look at what comes after."""
    return (-1, 0) if only is None else (1, only)


def _last(upto: int | None) -> int:
    return 2**62 if upto is None else upto
