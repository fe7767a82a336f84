"""Files that survive: checksums, writing aside and renaming, flushing to the disk, and room to write.

Invariant: a file that is replaced is at every moment the old one or the new one, and is on the disk before its name is.
"""

from __future__ import annotations

import errno
import os
import shutil
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.errors import GraphmemError, StoreError, StoreFull
from graphmem.failpoints import reach

MEBIBYTE = 1 << 20
# What the system says when there is no room; not every platform has quotas.
NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
ROOM = 8 * MEBIBYTE  # less than this on the disk is too little to begin a write


def checksum(path: Path, size: int | None = None) -> int:
    """CRC-32 of a file or of its first bytes, 0 for none: it finds damage at a few gigabytes a second."""
    found = 0
    if path.is_file():
        left = path.stat().st_size if size is None else size
        with path.open("rb") as file:
            while left > 0 and (part := file.read(min(left, MEBIBYTE))):
                found = zlib.crc32(part, found)
                left -= len(part)
    return found


def replace(path: Path, text: str) -> None:
    """Put a text in the place of a file, durably."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, "utf-8")
    sync(fresh)
    os.replace(fresh, path)
    sync(path.parent)


def copy_part(source: Path, target: Path, size: int) -> None:
    """Copy the first bytes of a file, if there are any to copy."""
    if size:
        with source.open("rb") as reader, target.open("wb") as writer:
            while size > 0 and (part := reader.read(min(size, MEBIBYTE))):
                writer.write(part)
                size -= len(part)


def sync(path: Path) -> None:
    """Make a file or a folder durable; a platform that cannot open a folder has no need to."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def failed(error: OSError, folder: Path) -> StoreError:
    """The error of the operating system as one of ours, with what to do about it."""
    where = error.filename or folder
    said = error.strerror or str(error)
    if error.errno in NO_ROOM:
        return StoreFull(f"{where} could not be written ({said}): free some space and repeat, what was acknowledged is kept")
    return StoreError(f"{where} could not be used ({said}): check the disk and its rights, what was acknowledged is kept")


@contextmanager
def typed(folder: Path) -> Iterator[None]:
    """No error of the operating system leaves this block as it is."""
    try:
        yield
    except GraphmemError:  # some of them are errors of the system as well
        raise
    except OSError as error:
        raise failed(error, folder) from error


def check_room(folder: Path, *, largest: int = 0, needed: int = ROOM) -> None:
    """StoreFull where less than `needed` bytes can be written: a write refused is better than one that fails midway.

    `largest` is the size of the largest file that will grow: a process may be forbidden to make files above a size.
    """
    try:
        found = os.statvfs(folder)
        import resource
    except (AttributeError, ImportError):  # a platform without these questions
        return
    if found.f_bavail * found.f_frsize < needed:
        raise StoreFull(
            f"the disk of {folder} has {found.f_bavail * found.f_frsize:,} bytes left and {needed:,} are needed: free some "
            "space and repeat, nothing was recorded"
        )
    allowed, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if allowed != resource.RLIM_INFINITY and largest + needed > allowed:
        raise StoreFull(
            f"this process may make files of up to {allowed:,} bytes and one in {folder} has {largest:,}: raise the limit on "
            "file sizes and repeat, nothing was recorded"
        )


def clear(folder: Path, *, kept: Collection[str], last: str) -> None:
    """Remove what is in a folder but the files `kept`; what begins with `last` goes after all else."""
    try:
        for path in sorted(folder.iterdir(), key=lambda path: path.name.startswith(last)):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in kept:
                path.unlink()
            reach("reset.graph-gone")
    except OSError as error:
        raise StoreError(
            f"{error.filename or folder} cannot be removed ({error.strerror}): repeat, it goes on from here"
        ) from error


def identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to, whatever its content."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def largest(folder: Path, *patterns: str) -> int:
    """Bytes of the largest file in a folder that one of the patterns names."""
    return max((path.stat().st_size for pattern in patterns for path in folder.glob(pattern)), default=0)
