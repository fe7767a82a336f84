"""Folders for work that may be killed: hidden, for the owner alone, and marked by a lock as long as somebody works there.

Invariant: a folder whose lock nobody holds was left behind by a process that is gone, and only such a one is swept.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def staged(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder in `parent` whose name begins with `prefix`, gone at the end."""
    from filelock import FileLock, Timeout

    while True:
        folder = parent / f"{prefix}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        lock = FileLock(folder / LOCK, mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue  # somebody swept it in the moment before it was locked
        break
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def left_behind(parent: Path, prefix: str) -> list[Path]:
    """Folders of this prefix whose process is gone."""
    found = []
    for folder in sorted(parent.iterdir()):
        if folder.name.startswith(prefix) and folder.is_dir() and not folder.is_symlink() and not held(folder / LOCK):
            found.append(folder)
    return found


def held(path: Path) -> bool:
    """Whether a living process holds a lock file; true also where that cannot be told."""
    try:
        import fcntl
    except ImportError:  # a platform with other locks
        return path.exists()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
