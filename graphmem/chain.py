"""The chain: what an entry is, what its hash covers, and how a payload is committed to.

Invariant: the hash of an entry is taken over the hash before it and its own fields, among them the commitment
SHA-256(salt + canonical JSON), never over the way in which a file keeps them; so a ledger keeps every hash when its schema
changes, and a payload can be erased while the chain still verifies.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.errors import LedgerDamaged
from graphmem.personal.masks import masked_again, masked_values

GENESIS = "0" * 64
_quoted = json.encoder.encode_basestring
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Draft(NamedTuple):
    """An entry to be appended: its type, the ids it is about, its payload."""

    type: str
    subjects: tuple[str, ...]
    body: dict[str, Any]
    actor: str = "user"
    role: str = "owner"


def without_secrets(drafts: Iterable[Draft]) -> list[Draft]:
    """Drafts with every secret in them masked; what was masked before is left as it is."""
    known: dict[str, str] = {}  # the drafts of one operation say the same things many times
    return [
        draft._replace(
            body=masked_values(draft.body, known),
            subjects=tuple(masked_again(name, known) for name in draft.subjects),
            actor=masked_again(draft.actor, known),
        )
        for draft in drafts
    ]


class Vector(NamedTuple):
    """A cached embedding; `data` is from `vectors.pack`; `entry` the place of its entry among the drafts."""

    id: str
    owner: str
    kind: str
    model: str
    data: bytes
    entry: int


VectorRow = tuple[str, str, str, str, bytes]  # id, owner, kind, model, data
Kept = tuple[Any, ...]  # a vector as a schema keeps it, bytes last


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


class Row(NamedTuple):
    """An entry as a file holds it, decoded but not believed; `prev` only where the file keeps it."""

    seq: int
    first: int  # the first entry of the same operation
    id: str
    operation: str
    at: str
    actor: str
    role: str
    type: str
    subjects: tuple[str, ...]
    commitment: str
    hash: str
    salt: bytes | None
    body: str | None
    prev: str | None = None
    mark: int | None = None  # sum over the vectors of the entry, where the file keeps one


class BadEntry(LedgerDamaged):
    """An entry that does not hold: its number, and what is wrong with it."""

    def __init__(self, seq: int, why: str) -> None:
        super().__init__(f"entry {seq}: {why}")
        self.seq = seq


def canonical(body: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, UTF-8 characters as they are."""
    return _JSON.encode(body)


def commitment(salt: bytes, body: str) -> str:
    """What the chain keeps of a payload."""
    return hashlib.sha256(salt + body.encode()).hexdigest()


def entry_hash(prev: str, fields: Sequence[str | int]) -> str:
    """Hash of an entry over the one before it and its own fields, each length-prefixed by the JSON list."""
    # The same as canonical(list(fields)), several times as fast.
    text = ",".join([_quoted(field) if isinstance(field, str) else str(field) for field in fields])
    return hashlib.sha256(f"{prev}[{text}]".encode()).hexdigest()


def names_text(names: Sequence[str]) -> str:
    """The ids that an entry is about as its hash takes them: canonical JSON of the list."""
    return f"[{','.join(map(_quoted, names))}]"


def entry_id(operation: str, number: int) -> str:
    """The id of the entry at this place of an operation, counted from 0."""
    return hashlib.sha256(f"{operation}/{number}".encode("utf-8", "replace")).hexdigest()[:24]


def verify(row: Row, prev: str) -> None:
    """See that a row follows from the hash before it and that its payload, if it has one, is the one committed to.

    Raises:
        BadEntry: it does not.
    """
    seq, names = row.seq, names_text(row.subjects)
    fields = (seq, row.id, row.operation, row.at, row.actor, row.role, row.type, names, row.commitment)
    if (row.prev is not None and row.prev != prev) or entry_hash(prev, fields) != row.hash:
        raise BadEntry(seq, "it does not follow from the entry before it")
    if row.body is not None and commitment(row.salt or b"", row.body) != row.commitment:
        raise BadEntry(seq, "the payload was altered")


def entry_of(row: Row) -> Entry:
    """What a row says, for those who read the ledger.

    Raises:
        BadEntry: it cannot be read.
    """
    try:
        body = None if row.body is None else json.loads(row.body)
        at = datetime.fromisoformat(row.at)
    except ValueError as error:
        raise BadEntry(row.seq, "it cannot be read") from error
    return Entry(row.seq, row.id, row.operation, at, row.actor, row.role, row.type, row.subjects, row.hash, body)
