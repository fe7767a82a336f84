"""Which memories were of use: what was shown in an answer, and what of it was used.

Invariant: the ledger alone knows, by ids; a tally is a fold of its entries and nothing else, so that a rebuilt one is equal.
Use is no evidence: it lifts no tier and no confidence.  Of an erased statement nothing is left: entries that name it are
blanked like all others, and what they said of other statements is recorded anew with the time at which it was noted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from graphmem.chain import Draft, Entry
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.ledger import Ledger
from graphmem.model import Hit, Recall, iso
from graphmem.records import turn_key

USED = "usage"  # the type of the ledger's entry, whose subjects are what was shown
NEUTRAL = 0.5
PRIOR = 2  # so many uses and as many times unused are taken for granted: one answer alone moves little
_NAME = re.compile(r"r_[0-9a-f]{24}")


def key_of(hit: Hit) -> str:
    """What a hit is known by: the id of its statement, or the key of its turn."""
    if hit.statement is not None:
        return hit.statement.id
    return turn_key(hit.turn.session, hit.turn.id) if hit.turn is not None else ""


def check_answer(found: object) -> Recall:
    """The answer of which use is noted.

    Raises:
        InputError: it is none, or has no id.
    """
    if not isinstance(found, Recall):
        raise InputError(f"an answer or its id is needed, not {type(found).__name__}: give what recall or on_turn gave")
    if not _NAME.fullmatch(found.id):
        raise InputError(f"the answer has no id of its own ({brief(found.id)}): give what recall or on_turn gave, as it was")
    return found


def keys_used(found: Recall, used: Iterable[str | Hit]) -> frozenset[str]:
    """The keys of what was used, given as ids of statements or as hits.

    Raises:
        InputError: something is not in the answer.
    """
    if isinstance(used, str | bytes) or not isinstance(used, Iterable):
        raise InputError(f"used must be a list of statement ids or hits, not {type(used).__name__}")
    used = tuple(used)
    for one in used:
        if not isinstance(one, str | Hit):
            raise InputError(f"used must be a list of statement ids or hits, and one of them is {type(one).__name__}")
    shown = {key_of(hit) for hit in found.hits}
    keys = {key_of(one) if isinstance(one, Hit) else one for one in used}
    strange = sorted(str(one) for one in keys - shown)
    if strange:
        raise InputError(f"{brief(strange[0])} is not in the answer {found.id}: only what was shown can have been used")
    return frozenset(keys)


def usage_draft(answer: str, shown: Sequence[str], used: Collection[str], at: datetime | None = None) -> Draft:
    """The entry for one answer; `at` where it was noted before this entry was written."""
    body = {"answer": answer, "used": sorted(set(used) & set(shown))} | ({} if at is None else {"at": iso(at)})
    return Draft(USED, tuple(sorted(set(shown))), body, "agent", "agent")


def without(entry: Entry, gone: Collection[str]) -> Draft | None:
    """What is left of an entry when these statements and turns are erased; None if that is nothing.

    Args:
        entry: of type `USED`, not blanked.
        gone: ids and keys.
    """
    left = [name for name in entry.subjects if name not in gone]
    body = entry.body or {}
    return usage_draft(body["answer"], left, body["used"], _noted(entry)) if left else None


class Tally:
    """How often each statement was used when it was shown."""

    def __init__(self) -> None:
        self._stand: tuple[str, int] | None = None
        self._clear()

    def _clear(self) -> None:
        self._seq = 0
        self._seen: dict[str, list[tuple[datetime, bool]]] = {}

    def follow(self, ledger: Ledger) -> None:
        """Take in what was noted since this was last called; after an erasure everything is read anew."""
        stand = ledger.secret, ledger.carried_out()
        if stand != self._stand:
            self._clear()
            self._stand = stand
        head = ledger.head()[0]
        if head <= self._seq:
            return
        for entry in ledger.of_type(USED, after=self._seq):
            if entry.body is not None:
                used, at = set(entry.body["used"]), _noted(entry)
                for name in entry.subjects:
                    self._seen.setdefault(name, []).append((at, name in used))
        self._seq = head

    def counts(self, name: str, known_at: datetime | None = None) -> tuple[int, int]:
        """How often something was used and how often it was not, as far as that was known."""
        seen = [used for at, used in self._seen.get(name, ()) if known_at is None or at <= known_at]
        return sum(seen), len(seen) - sum(seen)

    def share(self, name: str, known_at: datetime | None = None) -> float:
        """How likely it is of use when shown, in 0..1: 0.5 for what was never shown, as often used as not."""
        if name not in self._seen:
            return NEUTRAL
        used, unused = self.counts(name, known_at)
        return (used + PRIOR) / (used + unused + 2 * PRIOR)

    def dump(self) -> dict[str, tuple[int, int]]:
        """All counts: equal ledgers, equal dumps."""
        return {name: self.counts(name) for name in sorted(self._seen)}


def _noted(entry: Entry) -> datetime:
    at = (entry.body or {}).get("at")
    return entry.at if at is None else datetime.fromisoformat(at)
