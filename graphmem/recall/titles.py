"""Titled notes: what an owner filed under a name, with other names in brackets ("ci (build server, pipeline): runs at noon").

Such a note is found by its names.  A question that has one of them asks for it; one that has none and only shares words
with what the note says most often asks for something else.

Invariant: a name is asked for only where all of its words are in the question, each as it is written or with one slip of
the pen, where the question's word is long or the memory does not know it at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from graphmem.recall.words import Words

# Bare relations: what was noted as it stood, because its words told no other relation.
NOTED = frozenset({"note", "task"})
# Shorter words are too near to each other for a slip to be told from another word.
LEAST = 4
# So long a word may be a slip though the memory has it: hardly two such words are that near to each other.
LONG = 7
_TITLE = re.compile(r"^\s*(?P<title>[^:()\n]{2,60}?)\s*\((?P<others>[^()\n]+)\):\s+\S")


def names(text: str, words: Words) -> tuple[frozenset[str], ...]:
    """The stems of each name under which a note is filed; none where it has no title with other names."""
    found = _TITLE.match(text)
    if found is None:
        return ()
    told = [found["title"], *found["others"].split(",")]
    return tuple(dict.fromkeys(stems for name in told if (stems := frozenset(words.stems(name)))))


def named(titles: Iterable[frozenset[str]], asked: Collection[str], unknown: Collection[str]) -> int:
    """How many words the longest name has that a question asks for, 0 where it asks for none.

    Args:
        titles: the names.
        asked: the stems of the question.
        unknown: those of them that may be slips.
    """
    best = 0
    for stems in titles:
        if len(stems) > best and all(stem in asked or any(slip(stem, other) for other in unknown) for stem in stems):
            best = len(stems)
    return best


def slip(left: str, right: str) -> bool:
    """Whether one letter too many or too few, or one swapped with its neighbour, makes one word of the other.

    A letter that is another one mostly makes another word ("mango" and "mongo").
    """
    if min(len(left), len(right)) < LEAST or abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    rest, other = left[start:], right[start:]
    swapped = rest[:2] == other[:2][::-1] and rest[2:] == other[2:]
    return swapped or rest[1:] == other or rest == other[1:]
