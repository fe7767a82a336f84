"""Named places in the store where a test can kill the process or let the disk fail.

Invariant: without `GRAPHMEM_FAILPOINT` in the environment a place does nothing.  With `NAME=ACTION` or `NAME=ACTION@N` it
acts the N-th time it is reached (default: the first): `exit` ends the process as a kill would, without any clean-up;
`enospc`, `eio` and `efbig` raise the OSError of a full disk, a failing disk and a file-size limit.
"""

from __future__ import annotations

import errno
import os

# In the order in which a write, a new generation, an erasure, a backup and a restore reach them; then those of a sealed space.
NAMES: tuple[str, ...] = (
    "write.before-ledger",
    "ledger.begun",
    "ledger.entry",
    "ledger.before-commit",
    "ledger.committed",
    "write.before-graph",
    "write.after-graph",
    "generation.begun",
    "fill.sheets",
    "fill.copied",
    "fill.before-fold",
    "generation.filled",
    "generation.sealed",
    "generation.before-pointer",
    "generation.after-pointer",
    "generation.discarded",
    "erase.noted",
    "erase.entered",
    "erase.blanked",
    "erase.truncated",
    "erase.rebuilt",
    "erase.done",
    "reset.graph-gone",
    "reset.ledger-gone",
    "reembed.entry",
    "reembed.vectors",
    "reembed.before-commit",
    "reembed.committed",
    "migrate.begun",
    "migrate.step",
    "migrate.before-commit",
    "close.folded",
    "close.before-seal",
    "backup.copied",
    "backup.before-rename",
    "restore.unpacked",
    "restore.before-rename",
    "restore.cleared",
    "keys.before-commit",
    "keys.committed",
    "keys.shredded",
    "keys.before-renewal",
    "keys.renewed",
    "keys.rotation-begun",
    "keys.before-rotation",
    "keys.rotated",
    "keys.before-destruction",
    "keys.destroyed",
)
_ERRORS = {"enospc": errno.ENOSPC, "eio": errno.EIO, "efbig": errno.EFBIG}
EXIT = 86  # exit status of a process that ended at a failpoint

_wanted, _, _rest = os.environ.get("GRAPHMEM_FAILPOINT", "").partition("=")
_action, _, _number = _rest.partition("@")
_left = int(_number) if _number.isdigit() else 1


def reach(name: str) -> None:
    """Say that a named place is reached."""
    global _left
    if name != _wanted:
        return
    _left -= 1
    if _left:
        return
    if _action == "exit":
        os._exit(EXIT)
    code = _ERRORS[_action]
    raise OSError(code, os.strerror(code), f"failpoint {name}")
