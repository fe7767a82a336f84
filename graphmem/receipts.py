"""What an erasure is going to take, and what it took.

Invariant: counts, ids and dates; no word of what goes or went.
"""

from __future__ import annotations

from typing import Any

from graphmem.model import Frozen, Time


class Allusion(Frozen):
    """A sentence that may be about what is forgotten, by its place, and the statements that rest on it."""

    session: str
    turn: str
    start: int
    end: int
    statements: tuple[str, ...]


class ErasurePlan(Frozen):
    """What a request to forget would erase, by ids and places: quotes as (session, turn, start, end), turns as (session, turn).

    `statements` and `episodes` are what was asked for; what is taken along stands in the receipt.  `handed_out` are the copies
    on record (at, kind, profile, format, digest of the name), which no erasure reaches.
    """

    statements: tuple[str, ...]
    episodes: tuple[str, ...]
    summaries: tuple[str, ...]
    quotes: tuple[tuple[str, str, int, int], ...]
    turns: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]
    vectors: int
    handed_out: tuple[dict[str, Any], ...]


class ErasureReceipt(Frozen):
    """What was erased, which files were searched for leftovers, and what is outside the reach of this call.

    The same search was made before the erasure: of what was looked for it found `control_hits` and not `control_missed`.
    `inflated` payloads were looked into.  `plan` is given by a dry run only.  `taken_along` are the statements that go, or
    went, only because they stand in the same sentence: they may be said again.  `others` are the other known people and
    things, by the ids that `entities` gives, of whom statements go too.  `may_be_about` stays: sentences that speak of what is
    forgotten by "he" or "she", as it seems.
    """

    scope: dict[str, Any]
    counts: dict[str, int]
    scanned_files: tuple[str, ...]
    residue_hits: int
    not_covered: tuple[str, ...]
    at: Time
    residue_files: tuple[str, ...] = ()
    control_hits: int = 0
    control_missed: int = 0
    inflated: int = 0
    taken_along: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    may_be_about: tuple[Allusion, ...] = ()
    plan: ErasurePlan | None = None
