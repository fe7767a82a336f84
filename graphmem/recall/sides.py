"""Both sides of a denial: behind "I've never done X" the turn that seems to tell of the deed.

Invariant: at most one turn moves, right behind a denial among the first hits, and only a turn of the same speaker in which one
part says in the first person, and without a negation, that a case of the denied deed was done, of at least half of what the
denial names.  It is no link and claims nothing: whoever asks sees both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmem.deeds import cases, parts, stem
from graphmem.recall.answer import Candidate
from graphmem.recall.latest import EPSILON, parts_of, told_at

if TYPE_CHECKING:
    from graphmem.recall.findings import Findings

# How many of the first hits may be the denial, how many of the best turns are looked at, and how much of the thing they name.
FIRST, WIDE, NAMED = 3, 40, 0.5
_SPEAKER = re.compile(r"\b(?:I|we|my)\b|\bI['’](?:ve|d|m)\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:never|not|without|if|will|would|want)\b|n['’]t\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
# Forms in which a deed is told as done.
_DONE = re.compile(
    r"\w+ed|took|taken|wrote|written|went|gone|met|made|built|bought|sold|taught|won|did|done|ran|spoke|spoken|saw|seen|"
    r"flew|flown|gave|given|drove|driven|sent|left|lost|broke|broken",
    re.IGNORECASE,
)
_BEEN = re.compile(r"\b(?:been|after)\b", re.IGNORECASE)


def other_side(candidates: Sequence[Candidate], found: Findings) -> list[Candidate]:
    """The candidates with the best turn that tells of a denied deed right behind the denial."""
    ranked = sorted(candidates, key=lambda item: (-item.score, item.statement is None, item.key))
    for item in ranked[:FIRST]:
        statement = item.statement
        if statement is None or statement.details.get("type") != "never" or statement.contradicts:
            continue
        held = {(one.session, one.turn) for one in statement.evidence}
        speaker = found.corpus.columns.speaker[told_at(item, found.corpus)]
        best: tuple[float, Candidate] | None = None
        for other in [one for one in ranked if one.statement is None][:WIDE]:
            turn = other.turn
            if turn is None or told_at(other, found.corpus) < 0 or (turn.session, turn.id) in held:
                continue
            share = tells(turn.text, statement.object) if found.corpus.columns.speaker[other.place] == speaker else 0.0
            if share >= NAMED and (best is None or share > best[0]):
                best = share, other
        if best is not None:
            moved = replace(best[1], score=item.score - EPSILON, apart=True, note=(f"may tell of: {statement.object}",))
            if best[1].score < moved.score:
                return [moved if one.key == moved.key and one.statement is None else one for one in ranked]
    return ranked


def tells(text: str, denial: str) -> float:
    """How much of what a denial names stands in a part of a text that says such a deed was done; 0 where none does."""
    verb, things, about = parts(denial)
    best = 0.0
    for part in parts_of(text):
        if not _SPEAKER.search(part) or _NEGATED.search(part):
            continue
        words = _WORD.findall(part.lower())
        stems = {stem(word) for word in words}
        done = {stem(word) for word in words if _DONE.fullmatch(word) or (word.endswith("ing") and _BEEN.search(part))}
        for thing in things:
            named = thing | about
            if named and thing & stems and cases(verb, thing) & done:
                best = max(best, len(named & stems) / len(named))
    return best
