"""Special categories: what the law protects most (health, belief, sex life, politics, union, origin, genes, crime).

Invariant: a word of the lists is a guess, and a text without one is not thereby clean; the guess only ever holds back.
What somebody works at or learns is not what somebody has: for such relations the words of health and crime do not count.
A word that the whole world uses counts where somebody is told of ("I", "my mother", "User", "Ann is ..."), and not in talk
about the thing in general ("a book on the history of ...") unless it is said to be the speaker's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.vocabulary import Entry, endings, entries, people, person

# Of these relations the object is a calling or a place, not a state of the person.
_CALLINGS = frozenset({"has_job", "works_at", "works_on", "studies_at", "study", "skill", "uses_tool", "lives_in", "born_in"})
_OF_A_CALLING = frozenset({"sexuality", "politics", "union"})

_WORD = re.compile(r"\w+")
_APOSTROPHES = str.maketrans({"'": None, "’": None, "ё": "е", "Ё": "Е"})
_STOPS = ".!?\n"
# How far a sentence is read to either side of a word, and how near something makes it talk in general.
_FAR, _NEAR, _BEFORE, _AFTER, _TRADE = 200, 80, 48, 32, 10
_NAMED = re.compile(
    r"\W*(?!(?:It|This|That|There|Here|What|The|A|An|He|She)\b)[^\W\d_a-zа-яåäö][\w-]+(?: [^\W\d_a-zа-яåäö]\w+)?"
    r" (?:is|has|was|had|\w{2,}s)\b"
)
_GENERAL = re.compile(r"[\s,]+(?:is|are|was|were|means|causes|can|does|do)\b")


def special_category(text: str, predicate: str = "") -> str | None:
    """The special category that a text seems to tell of, or None.

    Args:
        text: a statement as it is shown, or a turn.
        predicate: its relation; a text that has one is a statement, and told of somebody.
    """
    shown = text.translate(_APOSTROPHES)
    low = shown.lower()
    for entry, start, end in _found(low):
        if predicate in _CALLINGS and entry.category not in _OF_A_CALLING:
            continue
        if _counts(entry, shown if len(shown) == len(low) else low, low, (start, end), bool(predicate)):
            return entry.category
    return None


def _found(low: str) -> Iterator[tuple[Entry, int, int]]:
    """The entries whose words stand in a text, with their places."""
    for word in _WORD.finditer(low):
        place = word.start()
        leads, led, plain = entries(word[0][:3])
        for entry in (*led, *plain) if leads and low.startswith(leads, place) else plain:
            end = entry.end(low, place)
            if end is not None:
                yield entry, place, end
    every, kinds = endings()
    for found in every.finditer(low):
        for entry in kinds:
            end = entry.end(low, found.start())
            if end is not None:
                yield entry, found.start(), end


def _counts(entry: Entry, shown: str, low: str, place: tuple[int, int], stated: bool) -> bool:
    """Whether words that the world uses are told of somebody here."""
    start, end = place
    near = low[max(0, start - _FAR) : start]
    opened = start - len(near) + max(near.rfind(stop) for stop in _STOPS) + 1
    behind = low[end : end + _FAR]
    closed = end + min((at for stop in _STOPS if (at := behind.find(stop)) >= 0), default=len(behind))
    told, all_told = person(entry.language), people()
    if any(one.others.search(low, max(opened, start - _NEAR), min(closed, end + _TRADE)) for one in all_told):
        return False
    question = next((found for one in all_told if (found := one.asking.match(low, opened))), None)
    asking = question is not None
    someone = stated or told.own.search(low, question.end() if question else opened, closed) is not None
    if entry.grade == "sure":
        return someone or not asking
    if not any(one.frame.search(low, max(opened, start - _BEFORE), start) for one in all_told) and any(
        one.before.search(low, max(opened, start - _BEFORE), start) or one.after.search(low, end, min(closed, end + _AFTER))
        for one in all_told
    ):
        return False
    opening = told.opening.match(low, opened)
    if someone or (opening is not None and not asking and opening.end() <= start) or _named(shown, opened, start):
        return True
    asked = asking or low[closed : closed + 1] == "?"
    return entry.grade == "words" and not asked and _GENERAL.match(low, end) is None


def _named(shown: str, opened: int, start: int) -> bool:
    """Whether the sentence begins with a name and what its bearer is or does."""
    name = _NAMED.match(shown, opened)
    return name is not None and name.end() <= start + 1
