"""How a sealed ledger keeps an entry: as the second layout does, with everything that says anything sealed.

Invariant: what the chain is taken over is the same as in a plain ledger, so every check of it holds after unsealing.  In the
clear stand only numbers: of entries, times, types and lengths in steps; the hashes, which nobody can try with guesses,
because the commitments under them are sealed; and who of them belong together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from graphmem import payloads
from graphmem.chain import Kept, Row, VectorRow
from graphmem.ledger_layouts import SecondLayout
from graphmem.records import key
from graphmem.sealing.vault import Vault, key_number

_DERIVED_BYTES = 12


# What is said of an entry whose key is gone: it is whole, and nobody can read it.
DESTROYED = "its key was destroyed by an erasure that came after this copy of the ledger"


class SealedLayout(SecondLayout):
    """Schema 2, sealed.

    Args:
        db: the ledger's file.
        vault: what seals and opens.
    """

    def __init__(self, db: sqlite3.Connection, vault: Vault) -> None:
        super().__init__(db)
        self._vault = vault

    # ------------------------------------------------------------------ a transaction

    def forget(self) -> None:
        """Drop what is remembered, and the keys that were made, after a transaction that was rolled back."""
        super().forget()
        self._vault.keys.forget()

    def ready(self) -> None:
        """Put the keys of what was written on the disk; the ledger's own transaction ends after that."""
        self._vault.keys.commit()

    def shred(self) -> None:
        """Destroy the keys of what was blanked or dropped."""
        self._vault.keys.shred()

    # ------------------------------------------------------------------ words, names, values

    def hide(self, text: str) -> str:
        """A word as it is kept."""
        return self._vault.hide(text)

    def show(self, kept: str) -> str:
        """The word that is kept so."""
        return self._vault.show(kept)

    def shown(self, name: str, kept: str) -> str:
        """A value fixed at creation."""
        return self._vault.show_value(name, kept)

    def by_letter(self, letter: str, digest: bytes) -> bytes:
        """A derived id as one block."""
        return self._vault.names.seal(letter.encode() + digest + bytes(3))

    def by_number(self, number: int) -> bytes:
        """A name that stands among the words, as one block."""
        return self._vault.names.seal(number.to_bytes(9, "big") + bytes(7))

    def unpacked(self, data: bytes) -> list[str]:
        """The names in a row of packed ones.

        Raises:
            ValueError: the bytes are none.
        """
        names, size = [], self._vault.names.SIZE
        opened = self._vault.names.open(data)
        for start in range(0, len(opened), size):
            block = opened[start : start + size]
            if block[0]:
                if block[1 + _DERIVED_BYTES :] != bytes(3) or not 97 <= block[0] <= 122:
                    raise ValueError("the names cannot be read")
                names.append(f"{chr(block[0])}_{block[1 : 1 + _DERIVED_BYTES].hex()}")
            elif block[9:] != bytes(7):
                raise ValueError("the names cannot be read")
            else:
                names.append(self.text(int.from_bytes(block[:9], "big")))
        return names

    # ------------------------------------------------------------------ payloads

    def commitment(self, seq: int, kept: bytes) -> bytes:
        """The commitment of an entry."""
        return self._vault.show_commitment(seq, kept)

    def promised(self, seq: int, commitment: bytes) -> bytes:
        """A commitment as it is kept."""
        return self._vault.hide_commitment(seq, commitment)

    def packed_payload(self, row: Row) -> tuple[int, bytes | None, bytes | None]:
        """Payload and salt, sealed together: with the salt in the clear a payload could be guessed."""
        if row.body is None or row.salt is None:
            return payloads.PLAIN, None, None
        codec, body = payloads.pack(row.body)
        whole = bytes([codec, len(row.salt)]) + row.salt + body
        return payloads.SEALED, None, self._vault.seal(whole, row.seq, row.type)

    def unpacked_payload(
        self, seq: int, type_: str, kept: tuple[int, bytes | None, bytes | None]
    ) -> tuple[bytes | None, str | None]:
        """Salt and payload; neither, if they were erased or their key was destroyed.

        Raises:
            ValueError: they were altered.
        """
        codec, salt, body = kept
        if body is None and salt is None:
            return None, None
        if codec != payloads.SEALED or salt is not None or not isinstance(body, bytes):
            raise ValueError("it is not sealed")
        whole = self._vault.open(body, seq, type_)
        if whole is None:
            return None, None
        end = 2 + whole[1]
        return whole[2:end], payloads.unpack(whole[0], whole[end:])

    def blank(self, sequence: Sequence[int]) -> None:
        """Erase the payloads of entries; their keys go with `shred`."""
        for seq in sequence:
            self._doom(self._db.execute("SELECT body FROM payload WHERE seq = ? AND body IS NOT NULL", (seq,)).fetchall())
        super().blank(sequence)

    def missing(self, seq: int) -> str:
        """What is wrong with an entry whose payload is gone: it may be there still, and its key destroyed."""
        if self._db.execute("SELECT 1 FROM payload WHERE seq = ? AND body IS NOT NULL", (seq,)).fetchone() is None:
            return super().missing(seq)
        return f"{DESTROYED}: take a newer copy, or one of the keys from its own time"

    def _doom(self, rows: Iterable[tuple[bytes]]) -> None:
        self._vault.keys.doom([key_number(data) for (data,) in rows])

    # ------------------------------------------------------------------ vectors

    def vector(self, kept: Kept) -> VectorRow:
        """A vector as it is read.

        Raises:
            ValueError: it was altered, or its key was destroyed.
        """
        owner, kind, model, id_, data = kept
        names = self.unpacked(owner)[0], self.text(kind), self.text(model)
        opened = self._vault.open(data, "vector", *names)
        if opened is None:
            raise ValueError("the key of a vector was destroyed")
        return key("v", *names) if id_ is None else self.show(id_), *names, opened

    def mark(self, kept: Iterable[Kept]) -> int:
        """The sum over vectors as they are kept: it tells nothing of what is in them."""
        total = 0
        for owner, kind, model, id_, data in kept:
            head = b"%b\n%d\n%d\n" % (owner, kind, model)
            total += crc32(data, crc32(head if id_ is None else head + id_.encode()))
        return (total + 2**31) % 2**32 - 2**31

    def kept_vector(self, vector: VectorRow) -> tuple[str | None, bytes]:
        """Id, where it does not follow from the rest, and bytes of a vector, as they are kept."""
        id_, owner, kind, model, data = vector
        other = None if id_ == key("v", owner, kind, model) else self.hide(id_)
        return other, self._vault.seal(data, "vector", owner, kind, model)

    def drop_vectors(self, owner: str, kind: str | None = None) -> None:
        """Delete the vectors of an owner (of one kind); their keys go with `shred`."""
        packed = self.packed(owner)
        if packed is None:
            return
        number = None if kind is None else self.number(kind) or 0
        self._doom(
            self._db.execute(
                "SELECT data FROM vector WHERE substr(owner, 2, 4) = substr(?1, 2, 4) AND owner = ?1"
                " AND (?2 IS NULL OR kind = ?2)",
                (packed, number),
            ).fetchall()
        )
        super().drop_vectors(owner, kind)

    def replace_vectors(self, model: str, made: Mapping[tuple[str, str], bytes]) -> None:
        """Put other vectors in the place of all that are kept, each under the key of the one before it."""
        kept = self._db.execute("SELECT owner, kind, data FROM vector").fetchall()
        old = {(self.unpacked(owner)[0], self.text(kind)): bytes(data) for owner, kind, data in kept}
        sealed = {
            name: self._vault.reseal(old[name], data, "vector", *name, model) for name, data in made.items() if name in old
        }
        super().replace_vectors(model, sealed)
