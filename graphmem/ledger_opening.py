"""Opening the ledger of a space: what must hold before anything is written, and for whom it is open to read only.

Invariant: a ledger that lost its end, that is another's, or that has the log of another beside it is refused and left as it
lies.  The chain alone cannot tell that its end is missing; the head kept beside it can, and so can a graph where no ledger is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import LedgerDamaged
from graphmem.head import HEAD, LEDGER, Head, as_closed, kept_head
from graphmem.ledger import Ledger
from graphmem.ledger_files import filled, outdated, version_in
from graphmem.ledger_schema import SCHEMA_VERSION
from graphmem.locking import Door

ACCEPT = "or accept the loss with `graphmem rebuild --accept-loss`"


class Opening(NamedTuple):
    """What a ledger is opened with.

    Attributes:
        folder: of the space.
        graph: what is there once a graph was made from the ledger.
        how: owner, clock, entropy and embedder, as `Ledger` takes them.
        door: of the space; held where opening writes.
        wait: seconds to wait for it.
    """

    folder: Path
    graph: Path
    how: dict[str, Any]
    door: Door
    wait: float

    def open(self, *, mine: bool, accept_loss: bool) -> Ledger:
        """The ledger; `mine` if this process has it open already.

        Raises:
            LedgerDamaged: it is missing, lost its end or was rewritten, and the loss is not accepted; or the log beside it
                is another's.
        """
        path, kept = self.folder / LEDGER, kept_head(self.folder)
        if not mine and not accept_loss:
            self._check_there(path, kept)

        def opened(*, read_only: bool = False) -> Ledger:
            # What names another schema is followed in any case: the header may have been changed, and the note renewed.
            trusted = mine or (as_closed(path, kept) and version_in(path) == SCHEMA_VERSION)
            end = None if accept_loss else kept
            return Ledger(path, **self.how, trusted=trusted, read_only=read_only, kept=end)

        if not mine and not writable(path):
            return opened(read_only=True)
        # Making it, or bringing it to the present format, is a write like any other.
        if not mine and outdated(path):
            with self.door.held(self.wait):
                ledger = opened()
        else:
            ledger = opened()
            if ledger.damage:
                # It may have been changed while it was looked at: only what is seen with nobody writing counts.
                ledger.close()
                with self.door.held(self.wait):
                    ledger = opened()
        if accept_loss and kept is not None and not ledger.damage and kept.seq and ledger.hash_at(kept.seq) != kept.hash:
            (self.folder / HEAD).unlink()
        return ledger

    def _check_there(self, path: Path, kept: Head | None) -> None:
        """LedgerDamaged where a new ledger would take the place of one that was there."""
        if filled(path):
            return
        if kept is not None and kept.seq and not path.exists():
            raise LedgerDamaged(
                f"the ledger in {self.folder} is missing, and entry {kept.seq} was in it when it was last closed: restore it "
                f"from a backup, {ACCEPT}"
            )
        if self.graph.exists():
            raise LedgerDamaged(
                f"the ledger in {self.folder} is {'empty' if path.exists() else 'missing'}, and a graph was made from it: put "
                f"{LEDGER}-wal back if that was removed, restore the ledger from a backup, {ACCEPT}"
            )


def writable(path: Path) -> bool:
    """Whether a ledger that is there, and what SQLite keeps beside it, may be written; one that is not there can be made."""
    return not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK))
