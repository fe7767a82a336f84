"""An export as it was read: records, the ledger of an audit export, and what the file says of itself.

Invariant: nothing here is believed; whether it may be is for the restore to find out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.chain import Row
from graphmem.records import Delta, TurnRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An export as it was read.

    Attributes:
        user: whose memory; `space` which of them.
        profile: what it shows: `access`, `audit`, `portability` or `current`.
        exported_at: when it was made; `known_at` what was recorded until then is in it.
        digest: what the file says of its content; `found` is what its content gives.
        head: hash of the last entry of the ledger that it was made from.
        delta: the records.
        ledger: the entries, of an audit export.
    """

    user: str
    space: str
    profile: str
    exported_at: str
    known_at: str
    digest: str
    found: str
    head: str
    delta: Delta
    ledger: tuple[Row, ...] = ()

    @property
    def of_then(self) -> bool:
        """Whether it shows what was known before it was made, and so without what was erased between."""
        return datetime.fromisoformat(self.known_at) < datetime.fromisoformat(self.exported_at)


def placed(turns: list[TurnRecord]) -> list[dict[str, Any]]:
    """The turns of one session, each with the one before it."""
    before = {turn.position: turn.key for turn in turns}
    return [
        turn.model_copy(update={"previous": before.get(turn.position - 1)}).model_dump()
        for turn in sorted(turns, key=lambda turn: turn.position)
    ]
