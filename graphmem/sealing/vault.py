"""The keys of a space while it is open, and what they seal: payloads, vectors, words, names, commitments, fixed values.

Invariant: what comes out is what was put in, in its own place: everything is sealed in the context of its store, user and
record, and anything else is a ValueError or SealBroken.  The vaults that this process holds are known by their store, so
that a copy of a sealed ledger can be read by whoever has its space open, and by nobody else.
"""

from __future__ import annotations

import base64
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import KeyUnavailable, SealBroken, StoreError
from graphmem.sealing.ciphers import Blocks, Box, Same, derived, padded, unpadded
from graphmem.sealing.keys import STORE_KEY, Keys, context

MARK = "sealed"  # the value in a ledger that says so, and names its store
_TEXT = "sealed:"
_NUMBER = 8  # bytes of a key's number, before what it seals
_NAMED = 8  # bytes of a lasting key's name, from which nothing of the key follows
_SCHEMA = 1  # of what is sealed, not of the ledger around it


class Lasting(NamedTuple):
    """What seals for good: the name of its key, by which the right keys are known, and its box."""

    name: str
    box: Box


class Vault:
    """An unlocked space.

    Args:
        folder: of the space.
        user: whose it is.
        keys: its keys file, open.
    """

    def __init__(self, folder: Path, user: str, keys: Keys) -> None:
        self.folder, self._user, self.keys = folder, user, keys
        self.unlock()

    def unlock(self) -> None:
        """Take the store's own key from the keys file, at first and after that began anew."""
        key = self.keys.key(STORE_KEY)
        if key is None:
            raise SealBroken(f"the keys file {self.keys.path} has lost the key of its store: put back a copy of it")
        self.store = self.keys.store
        self._same, self.names = Same(derived(key, "words", 64)), Blocks(derived(key, "names"))
        self._fixed = Box(derived(key, "fixed values"))

    # ------------------------------------------------------------------ under a key of its own

    def seal(self, data: bytes, *about: str | int) -> bytes:
        """The data under a fresh key, whose number stands before it; its length is told in steps only."""
        number, key = self.keys.fresh()
        return self._under(number, key, data, *about)

    def reseal(self, old: bytes, data: bytes, *about: str | int) -> bytes:
        """Other data under the key of what was there."""
        number = key_number(old)
        key = self.keys.key(number)
        return self.seal(data, *about) if key is None else self._under(number, key, data, *about)

    def _under(self, number: int, key: bytes, data: bytes, *about: str | int) -> bytes:
        whole = context(self.store, self._user, number, _SCHEMA, *about)
        return number.to_bytes(_NUMBER, "big") + Box(key).seal(padded(data), whole)

    def open(self, data: bytes, *about: str | int) -> bytes | None:
        """What was sealed; None if its key was destroyed.

        Raises:
            ValueError: it was altered, or moved from another place.
            SealBroken: its key is missing or was altered.
        """
        number = key_number(data)
        key = self.keys.key(number)
        if key is None:
            return None
        return unpadded(Box(key).open(data[_NUMBER:], context(self.store, self._user, number, _SCHEMA, *about)))

    # ------------------------------------------------------------------ under the store's key

    def hide(self, text: str) -> str:
        """A word as it is kept: the same each time, so that it can be looked up."""
        return base64.b64encode(self._same.seal(padded(text.encode()), context(self.store, "word"))).decode()

    def show(self, kept: str) -> str:
        """The word that is kept so."""
        return unpadded(self._same.open(base64.b64decode(kept, validate=True), context(self.store, "word"))).decode()

    def hide_commitment(self, seq: int, commitment: bytes) -> bytes:
        """A commitment as it is kept; without it no hash of the chain can be tried with a guess."""
        return self._same.seal(commitment, context(self.store, "commitment", seq))

    def show_commitment(self, seq: int, kept: bytes) -> bytes:
        """The commitment that is kept so."""
        return self._same.open(kept, context(self.store, "commitment", seq))

    def hide_value(self, name: str, value: str) -> str:
        """A value that is fixed at the ledger's creation, as it is kept."""
        sealed = self._fixed.seal(padded(value.encode()), context(self.store, self._user, name))
        return _TEXT + base64.b64encode(sealed).decode()

    def show_value(self, name: str, kept: str) -> str:
        """The value that is kept so; one that is not sealed is as it is.

        Raises:
            SealBroken: it was altered.
        """
        if not kept.startswith(_TEXT):
            return kept
        try:
            sealed = base64.b64decode(kept.removeprefix(_TEXT), validate=True)
            return unpadded(self._fixed.open(sealed, context(self.store, self._user, name))).decode()
        except ValueError as error:
            raise SealBroken(
                f"the {name} of the ledger in {self.folder} does not open ({error}): restore it from a backup"
            ) from error

    def marked(self, values: dict[str, str]) -> dict[str, str]:
        """What a new ledger says of itself, with what must not be read sealed."""
        return {**values, "secret": self.hide_value("secret", values["secret"]), MARK: self.store}

    def lasting(self, *, make: bool = False) -> Lasting | None:
        """What seals under the key that outlives all others; None where there is none yet, unless it is to be made."""
        key = self.keys.lasting(make=make)
        return None if key is None else Lasting(derived(key, "lasting name", _NAMED).hex(), Box(derived(key, "lasting")))

    def close(self) -> None:
        """Let go of the keys file."""
        self.keys.close()


def key_number(data: bytes) -> int:
    """The number of the key under which something is sealed.

    Raises:
        ValueError: it is too short to be sealed.
    """
    if len(data) <= _NUMBER:
        raise ValueError("it is too short to be sealed")
    return int.from_bytes(data[:_NUMBER], "big") & (2**63 - 1)


# --- the vaults that this process holds ------------------------------------------------------------------------

_HELD: list[Vault] = []


def hold(vault: Vault) -> None:
    """Let ledgers of this store be read in this process."""
    _HELD.append(vault)


def release(vault: Vault) -> None:
    """Take that back, and close the vault; safe to call twice."""
    if vault in _HELD:
        _HELD.remove(vault)
    vault.close()


def lasting_in(name: str) -> Lasting | None:
    """What seals under the lasting key of that name, if this process holds a vault that has it."""
    for vault in reversed(_HELD):
        with suppress(StoreError):  # another memory's keys, which may be gone
            found = vault.lasting()
            if found is not None and found.name == name:
                return found
    return None


def store_in(db: sqlite3.Connection) -> str | None:
    """The store that a ledger was sealed for; None for a plain one."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (MARK,)).fetchone()
    return None if row is None else str(row[0])


def vault_of(db: sqlite3.Connection) -> Vault | None:
    """The vault of an open ledger file; None for a plain one.

    Raises:
        KeyUnavailable: it is sealed, and nobody in this process has opened it with its key.
    """
    store = store_in(db)
    if store is None:
        return None
    path = Path(db.execute("PRAGMA database_list").fetchone()[2] or ".")
    fitting = [vault for vault in _HELD if vault.store == store]
    if not fitting:
        raise KeyUnavailable(
            f"the memory in {path.parent} is sealed: open it with its key (Memory.open(..., key=Passphrase(...)), or "
            "GRAPHMEM_PASSPHRASE or --key-env on the command line)"
        )
    # Copies of one store may be open at once, each with a keys file of its own.
    return next((vault for vault in reversed(fitting) if vault.folder == path.parent), fitting[-1])
