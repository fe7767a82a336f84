"""Whether a space is sealed, and what it needs to be open: its vault, and a place in memory for its graph.

Invariant: a space is sealed or plain from the moment its ledger is made.  A key for a plain one, or none for a sealed one, is
refused before anything is written; so are keys that were used and whose ledger is not there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import InputError, KeyUnavailable, SealBroken
from graphmem.head import LEDGER
from graphmem.ledger_files import filled, reading
from graphmem.locking import Door, Process
from graphmem.sealing.keys import Keys
from graphmem.sealing.keys_file import keys_of
from graphmem.sealing.providers import Provider
from graphmem.sealing.vault import Vault, hold, release, store_in
from graphmem.sealing.workplace import Workplace, memory_folder, sweep


class Sealing(NamedTuple):
    """With what a space is opened.

    Attributes:
        key: what opens its keys; None for a plain one.
        keys: the folder of all keys; None for `keys` beside the spaces.
        allow_disk_workcopy: whether the graph may lie unsealed on a disk where there is no folder in memory.
    """

    key: Provider | None = None
    keys: Path | None = None
    allow_disk_workcopy: bool = False


PLAIN = Sealing()


class Seal:
    """What one open space has of its sealing: nothing, if it is plain.

    Args:
        folder: of the space.
        user: whose it is.
        sealing: as the caller gave it.
    """

    def __init__(self, folder: Path, user: str, sealing: Sealing) -> None:
        if sealing.key is not None and not isinstance(sealing.key, Provider):
            kind = type(sealing.key).__name__  # never the value, which may be the passphrase itself
            raise InputError(f"key must be a Passphrase, a Keyring or a Callback of graphmem.sealing, not {kind}")
        self._folder, self._user, self._sealing = folder, user, sealing
        self._process = Process()
        self.vault: Vault | None = None
        self._workplace: Workplace | None = None
        if sealing.key is None and not folder.exists():
            self._check_plain()  # before the folder is made

    def _check_plain(self) -> None:
        """KeyUnavailable where a plain memory would be made in the place of a sealed one whose ledger is gone."""
        keys = keys_of(self._folder, self._sealing.keys)
        if keys.exists():
            raise KeyUnavailable(
                f"there are keys of a sealed memory in {keys.parent} and no ledger in {self._folder}: open it with its "
                "key, or move the keys away if a plain memory is meant"
            )

    def unlock(self, door: Door, wait: float) -> Vault | None:
        """The vault of the space as its ledger is now; None for a plain one.

        Raises:
            InputError: a key was given, and the space is plain.
            KeyUnavailable: the key is missing or does not fit.
        """
        path, keys, key = self._folder / LEDGER, keys_of(self._folder, self._sealing.keys), self._sealing.key
        there, store = store_of(path)
        if there and store is None:
            if key is not None and keys.exists():
                raise SealBroken(
                    f"there are keys of a sealed memory in {keys.parent}, and the ledger in {self._folder} does not say that "
                    "it is sealed: restore it from a backup, or move the keys away and open it without a key"
                )
            if key is not None:
                raise InputError(
                    f"the memory in {self._folder} was made without a key and cannot be sealed where it is: export it and "
                    "restore that into a space that is opened with a key, or open it without one"
                )
            return None
        if key is None:
            if there:
                raise KeyUnavailable(
                    f"the memory in {self._folder} is sealed: open it with its key (Memory.open(..., key=Passphrase(...)), or "
                    "GRAPHMEM_PASSPHRASE or --key-env on the command line)"
                )
            self._check_plain()
            return None
        if self.vault is None:
            with door.held(wait):
                self.vault = opened_vault(self._folder, self._user, key, keys, create=not there)
            hold(self.vault)
            if (parent := memory_folder()) is not None:
                sweep(parent)
        if there and self.vault.store != store:
            self.vault.keys.reload()
            self.vault.unlock()
            if self.vault.store != store:
                raise KeyUnavailable(
                    f"the keys in {keys} are of another memory than the ledger {path}: put back the right ones"
                )
        if not there:
            self._fresh(keys)
        return self.vault

    def _fresh(self, keys: Path) -> None:
        """See that keys may be used for a ledger that is to be made."""
        assert self.vault is not None
        if self.vault.keys.emptied():
            self.renew()
        elif self.vault.keys.used():
            raise KeyUnavailable(
                f"the keys in {keys} have been used, and the ledger that they open is not in {self._folder}: put it back or "
                "restore a backup, or move the keys away to begin anew"
            )

    def place(self, notices: list[str]) -> Path:
        """Where what is made from the ledger lies: the space's own folder, or one in memory."""
        if self.vault is None:
            return self._folder
        if self._workplace is None:
            self._workplace = Workplace(f"the memory in {self._folder}", on_disk=self._sealing.allow_disk_workcopy)
            if self._workplace.notice:
                notices.append(self._workplace.notice)
        return self._workplace.folder

    def rotate(self, key: Provider | None, *, deep: bool) -> int:
        """Wrap the keys anew; see `Keys.rotate`.

        Raises:
            InputError: the space is plain.
        """
        if self.vault is None:
            raise InputError(f"the memory in {self._folder} is not sealed: it has no key that could be replaced")
        count = self.vault.keys.rotate(key, deep=deep)
        self._sealing = self._sealing._replace(key=key or self._sealing.key)
        return count

    def empty(self) -> None:
        """Note that all of the space is to go, before its ledger does."""
        if self.vault is not None:
            self.vault.keys.note_emptied()

    def renew(self) -> None:
        """Destroy all keys of a space whose ledger is gone, and begin again with others."""
        if self.vault is not None:
            self.vault.keys.renew()
            self.vault.unlock()
        self._leave_place()

    def _leave_place(self) -> None:
        workplace, self._workplace = self._workplace, None
        if workplace is not None:
            workplace.close()

    def rest(self) -> None:
        """Close files and folder until they are needed again; the key stays."""
        self._leave_place()
        if self.vault is not None:
            self.vault.keys.close()

    def close(self) -> None:
        """Let go of keys and working folder; safe to call twice."""
        if self._process.forked:
            return
        vault, self.vault = self.vault, None
        self._leave_place()
        if vault is not None:
            release(vault)


def foreign_keys(keys: Path, what: str) -> KeyUnavailable:
    """The error for keys that are not those of a ledger."""
    return KeyUnavailable(
        f"the keys in {keys} are of another memory than {what}: put back the right ones, or name their folder "
        "(keys=..., --keys)"
    )


def store_of(path: Path) -> tuple[bool, str | None]:
    """Whether there is a ledger with anything in it, and the store that it was sealed for; None for a plain one."""
    if not filled(path):
        return False, None
    try:
        with reading(path) as db:
            return True, store_in(db)
    except sqlite3.Error:
        return True, None  # what is wrong with it comes out when it is opened


def opened_vault(folder: Path, user: str, key: Provider, keys: Path, *, create: bool = False) -> Vault:
    """The vault of a space; with `create` its keys are made if there are none."""
    opened = Keys(keys, user=user, provider=key, create=create)
    try:
        return Vault(folder, user, opened)
    except BaseException:
        opened.close()
        raise


@contextmanager
def unlocked(folder: Path, user: str, sealing: Sealing) -> Iterator[Vault | None]:
    """The sealed ledger of a space, and copies of it, can be read meanwhile; nothing, where no key was given."""
    if sealing.key is None:
        yield None
        return
    vault = opened_vault(folder, user, sealing.key, keys_of(folder, sealing.keys))
    hold(vault)
    try:
        yield vault
    finally:
        release(vault)


@contextmanager
def keys_made_for(place: Path) -> Iterator[None]:
    """A keys file that is made meanwhile goes again if what it was made for fails."""
    there = place.exists()
    try:
        yield
    except BaseException:
        if not there:
            for path in place.parent.glob(f"{place.name}*"):
                path.unlink()
            with suppress(OSError):
                place.parent.rmdir()
        raise
