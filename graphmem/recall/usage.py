"""Use in recall: what it adds to a score, and whether an answer refers to a memory.

Invariant: what use adds is bounded by `WEIGHT` in log odds either way, less than what age or a relation adds: a memory that
is always used cannot push its way into an answer to another question, and one that never was can still be found.
"""

from __future__ import annotations

import re

from graphmem.model import Hit
from graphmem.recall.words import Words

WEIGHT = 0.3
# The least part of a memory's own words that an answer has to hold.
ENOUGH = 0.5
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def lift(share: float) -> float:
    """What a share of use adds to the log odds of a statement: nothing at 0.5, at most `WEIGHT` either way."""
    return WEIGHT * (2.0 * min(max(share, 0.0), 1.0) - 1.0)


def refers(answer: str, hit: Hit, query: str, words: Words) -> bool:
    """Whether an answer refers to a memory that was shown for a query.

    What tells is what only the memory can have brought in: the words of a statement's object (or those of a turn) that are
    neither in the query nor of the kind that every answer has.  Half of them must be in the answer, a number among them
    exactly.  Where the query holds all of them an answer that repeats it proves nothing, and the memory does not count.
    """
    if hit.statement is not None:
        told = hit.statement.object or hit.statement.text
    elif hit.turn is not None:
        told = hit.turn.text
    else:
        return False
    asked = set(words.stems(query))
    own = {stem for stem in words.topics(told) if stem not in asked}
    if not own:
        return False
    said = set(words.stems(answer))
    numbers = set(_NUMBER.findall(told)) - set(_NUMBER.findall(query))
    if hit.statement is not None and not numbers <= set(_NUMBER.findall(answer)):
        return False
    return len(own & said) >= ENOUGH * len(own)
