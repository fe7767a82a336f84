"""Sessions of which only the quotes are kept: the rest of each turn is blanked before anything is recorded.

Invariant: a blanked character stands for one character, so that the offsets of the quotes are those in the words as they were
said; role, time and length of every turn stay.  Neither the ledger nor a vector sees the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graphmem.model import Rejection
from graphmem.records import UNKEPT, EvidenceRecord, TurnRecord
from graphmem.retention import gaps_of


def only_quoted(
    turns: Sequence[TurnRecord], stored: Mapping[str, TurnRecord], evidence: Iterable[EvidenceRecord]
) -> tuple[list[TurnRecord], list[TurnRecord]]:
    """The turns of a session as they may be recorded, and those among them that are new.

    Of the new ones only the quotes are left; the others are as they are recorded.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    for item in evidence:
        spans.setdefault(item.turn_key, []).append((item.start, item.end))
    kept = [stored[turn.key] if turn.key in stored else _blanked(turn, spans.get(turn.key, ())) for turn in turns]
    return kept, [turn for turn in kept if turn.key not in stored]


def wordless(rejected: Iterable[Rejection]) -> list[Rejection]:
    """What was refused, without the words."""
    return [item.model_copy(update={"quote": ""}) for item in rejected]


def _blanked(turn: TurnRecord, spans: Iterable[tuple[int, int]]) -> TurnRecord:
    chars = list(turn.text)
    for start, end in gaps_of(turn.text, spans):
        chars[start:end] = UNKEPT * (end - start)
    return turn.model_copy(update={"text": "".join(chars)})


def refilled(stored: str, given: str) -> str:
    """A recorded text with what was not kept of it taken from the same text as it is given again."""
    if UNKEPT not in stored or len(stored) != len(given):
        return stored
    return "".join(new if old == UNKEPT else old for old, new in zip(stored, given, strict=True))
