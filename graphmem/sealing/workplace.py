"""A folder in memory for what is made from a sealed ledger: the graph, and indexes beside it.

Invariant: it lies on a file system that has no disk behind it, for its owner alone, and is gone when the space is closed; what
a killed process left is removed by the next one.  A folder on a disk is used only where that was allowed in so many words.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from graphmem.errors import StoreError
from graphmem.locking import Door, Process

PREFIX = "graphmem-sealed-"
_LOCK = "lock"
_IN_MEMORY = ("tmpfs", "ramfs")
_MOUNTS = Path("/proc/self/mounts")


class Workplace:
    """A folder for one open space; see the module.

    Args:
        what: the space, for messages.
        on_disk: whether a folder of temporary files will do where there is none in memory.
    """

    def __init__(self, what: str, *, on_disk: bool) -> None:
        parent = memory_folder()
        self.notice: str | None = None
        if parent is None:
            if not on_disk:
                raise StoreError(
                    f"{what} is sealed, and this computer has no folder in memory for its graph: mount a tmpfs on /dev/shm, or "
                    "allow an unsealed working copy on the disk (allow_disk_workcopy=True, --allow-disk-workcopy)"
                )
            parent = Path(tempfile.gettempdir())
            self.notice = (
                f"{what} is sealed, but its graph lies unsealed on the disk in {parent} while it is open, as was allowed"
            )
        sweep(parent)
        self.folder = parent / f"{PREFIX}{_account()}-{secrets.token_hex(8)}"
        try:
            self.folder.mkdir(mode=0o700)
        except OSError as error:
            raise StoreError(f"no folder can be made in {parent} ({error.strerror}): check its rights and its space") from error
        self._door = Door(self.folder / _LOCK, what)
        self._door.take(0)
        self._process = Process()
        atexit.register(self.close)

    def close(self) -> None:
        """Remove it; safe to call twice, and of no effect in a child that was forked off."""
        if self._process.forked:
            return
        atexit.unregister(self.close)
        self._door.leave()
        shutil.rmtree(self.folder, ignore_errors=True)


def memory_folder() -> Path | None:
    """A folder that is in memory, if the system has one that this account may write to."""
    try:
        rows = [line.split() for line in _MOUNTS.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return None
    kinds = {row[1]: row[2] for row in rows if len(row) > 2}
    for place in ("/dev/shm", f"/run/user/{_account()}"):
        if kinds.get(place) in _IN_MEMORY and os.access(place, os.W_OK | os.X_OK):
            return Path(place)
    return None


def sweep(parent: Path) -> None:
    """Remove what processes of this account that are gone have left."""
    for folder in parent.glob(f"{PREFIX}{_account()}-*"):
        if folder.is_symlink() or not (folder / _LOCK).exists():
            continue
        door = Door(folder / _LOCK, str(folder))
        try:
            if door.free():
                shutil.rmtree(folder, ignore_errors=True)
        except StoreError:
            continue  # another account's, or gone by now
        finally:
            door.leave()


def _account() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
