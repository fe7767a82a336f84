"""What a sealed memory's keys need beside its ledger: to read a backup of it, to be copied, and to be destroyed.

Invariant: a backup holds no key.  It is put back with the keys that are in place, or with a copy of them; one that is sealed
never takes the place of a plain memory, nor a plain one that of a sealed one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.errors import InputError, KeyUnavailable
from graphmem.head import LEDGER
from graphmem.owner import check_owner, folder_name
from graphmem.sealing import keys_file
from graphmem.sealing.keys_file import keys_of
from graphmem.unlocking import Sealing, foreign_keys, store_of, unlocked


@contextmanager
def sealed_backup(ledger: Path, source: Path, target: Path, origin: Path, user: str, sealing: Sealing) -> Iterator[None]:
    """The unpacked ledger of a backup can be read meanwhile, if it is sealed.

    Args:
        ledger: the unpacked one.
        source: the backup, for messages.
        target: the folder that the memory is to have.
        origin: the folder that it had.
        user: whose it is.
        sealing: its key.

    Raises:
        KeyUnavailable: it is sealed, and the key or the keys file is missing or another.
        InputError: it is plain and a key was given, or it would take the place of a memory of the other kind.
    """
    _, store = store_of(ledger)
    there, instead = store_of(target / LEDGER)
    if there and (instead is None) != (store is None):
        kinds = ("sealed", "plain") if store is None else ("plain", "sealed")
        raise InputError(f"the memory in {target} is {kinds[0]} and {source} is {kinds[1]}: restore it into another space")
    if store is None:
        if sealing.key is not None:
            raise InputError(f"{source} is not sealed: restore it without a key, or an export of it into a sealed space")
        yield
        return
    if sealing.key is None:
        raise KeyUnavailable(
            f"{source} is sealed: give its key (Memory.restore(..., key=...), or GRAPHMEM_PASSPHRASE or --key-env)"
        )
    keys, old = keys_of(target, sealing.keys), keys_of(origin, sealing.keys)
    if not keys.exists() and old.exists():
        # Another space of the same user: from now on each has keys of its own.
        keys.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        keys_file.copy(old, keys)
    with unlocked(target, user, sealing) as vault:
        if vault is not None and vault.store != store:
            raise foreign_keys(keys, f"the backup {source}")
        yield


def copy_keys(home: Path, path: Path, *, user: str, space: str = "default", keys: Path | None = None) -> Path:
    """Write a copy of the keys of a sealed memory, to be kept in another place than its backups; its path.

    Whoever has both and the passphrase can read everything, also what is erased later: a copy should not be kept for long.
    """
    keys_file.copy(keys_of(home.absolute() / folder_name(*check_owner(user, space)), keys), path.absolute())
    return path


def destroy_key(home: Path, *, user: str, space: str = "default", keys: Path | None = None) -> Path:
    """Destroy the key of a sealed memory: its ledger and every backup of it are unreadable from then on, for everybody.

    Copies of the keys that were made before are not reached.  The key itself is not needed.
    """
    place = keys_of(home.absolute() / folder_name(*check_owner(user, space)), keys)
    keys_file.destroy(place)
    return place
