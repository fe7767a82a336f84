"""The ledger's end as of the last closing, kept beside it: what a chain of hashes cannot tell on its own.

Invariant: the note is a second opinion.  Where it is missing nothing is lost; the next opening then follows the whole
chain.  A checksum stands in it only when the file was closed with nobody else in it, and is believed only while the file
has no log beside it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from graphmem.files import checksum, replace

LEDGER = "ledger.sqlite"
HEAD = "head.json"
LAST = 2**63 - 1  # the highest number that an entry can have


class Head(NamedTuple):
    """Sequence number and hash of the last entry, and size and checksum of the file where they could be taken."""

    seq: int
    hash: str
    size: int = -1
    crc32: int = -1


def kept_head(folder: Path) -> Head | None:
    """The note in a space's folder, if it can be read."""
    try:
        found = Head(*json.loads((folder / HEAD).read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    whole = isinstance(found.hash, str) and all(type(number) is int for number in (found.seq, found.size, found.crc32))
    return found if whole and 0 <= found.seq <= LAST else None


def as_closed(path: Path, kept: Head | None) -> bool:
    """Whether a ledger that this process has not open is bit by bit what was closed last."""
    if kept is None or kept.size < 0 or _log(path.parent).exists() or not path.is_file():
        return False
    return path.stat().st_size == kept.size and checksum(path) == kept.crc32


def keep_head(folder: Path, head: tuple[int, str], *, alone: bool) -> None:
    """Note the end of a ledger that this process has closed; `alone` if no other can have written meanwhile."""
    path, kept = folder / LEDGER, kept_head(folder)
    if kept is not None and kept.seq > head[0]:
        return
    note = Head(*head)
    if alone and not _log(folder).exists() and path.is_file():
        note = Head(*head, size=path.stat().st_size, crc32=checksum(path))
    if note != kept:
        with suppress(OSError):  # without it the next opening follows the whole chain
            replace(folder / HEAD, json.dumps(note))


def _log(folder: Path) -> Path:
    return folder / (LEDGER + "-wal")
