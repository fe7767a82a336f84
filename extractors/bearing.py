"""Do the quoted words bear what is claimed?  Object and relation of a proposal against the words it quotes.

Invariant: nothing passes that the words do not hold.  An object is a run of words of the quote; a relation is a verb of the
clause or one whose own words stand in it (`cues.toml`), else it is at most read between the lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from graphmem.canonical import ARTICLES, NUMBERS, fold, singular
from graphmem.extractors.lexicon import words
from graphmem.ontology import relation, relations

NEGATIVE = frozenset({"dislikes"})  # what a "not" may word: "I don't like X" says that X is disliked
_OPEN = re.compile(r"[a-z]+(?:_[a-z]+){0,4}")
# Predicates of the kinds that keep the words themselves.
_KEPT = {
    "note": ("fact", "preference"),
    "event": ("episode",),
    "episode": ("episode",),
    "rule": ("procedure",),
    "task": ("open_item",),
    "to_do": ("open_item",),
}
_SPEAKER = re.compile(r"^\W*i\b|\bI\b")
_WORD = re.compile(r"[^\W_]+(?:['’.+#&/-][^\W_]+)*[+#]*")


class Borne(NamedTuple):
    """Where a value stands in a text, and whether its words stand together there."""

    start: int
    end: int
    together: bool


def borne(value: str, text: str, lemmas: Mapping[str, str]) -> Borne | None:
    """Where the words of a value stand in a text, in their order; None if one of them does not.

    `lemmas` gives the lemma of a word of the text, so that "play golf" stands in "plays golf".
    """
    wanted, there = [form for form, _, _ in _forms(value)], _forms(text)
    if not wanted:
        at = text.find(value) if value.strip() else -1
        return Borne(at, at + len(value), True) if at >= 0 else None
    best: Borne | None = None
    for first in range(len(there)):
        found = _walk(wanted, there, first, lemmas)
        if found is not None and (
            best is None or (not found.together, found.end - found.start) < (not best.together, best.end - best.start)
        ):
            best = found
    return best


def _walk(wanted: Sequence[str], there: Sequence[tuple[str, int, int]], first: int, lemmas: Mapping[str, str]) -> Borne | None:
    """The wanted words from one word of the text on, each as early as it can be."""
    at, gaps = first, False
    for number, word in enumerate(wanted):
        while at < len(there) and word not in (there[at][0], lemmas.get(there[at][0])):
            if number == 0:
                return None
            at, gaps = at + 1, True
        if at == len(there):
            return None
        at += 1
    return Borne(there[first][1], there[at - 1][2], not gaps)


def _forms(text: str) -> list[tuple[str, int, int]]:
    """Words in the form in which objects are compared, with their places; articles are left out."""
    found = []
    for match in _WORD.finditer(text):
        low = fold(match.group()).removesuffix("'s")
        if low not in ARTICLES:
            number = NUMBERS.get(low)
            found.append((str(number) if number else singular(low), match.start(), match.end()))
    return found


def form(word: str) -> str:
    """The form in which a word is compared."""
    return singular(fold(word).removesuffix("'s"))


def relates(predicate: str, kind: str, text: str, spoken: Collection[str]) -> bool | None:
    """Whether a clause says the relation: True in so many words, None between the lines, False not at all.

    `spoken` are its words and their lemmas in lower case.
    """
    if predicate in _KEPT:
        return kind in _KEPT[predicate]
    if predicate in relations():
        if kind not in ("fact", "preference"):
            return False
        if _says(predicate, text):
            return True
        opposite = relation(predicate).opposite
        return False if opposite and _says(opposite, text) else None
    return bool(_OPEN.fullmatch(predicate)) and all(part in spoken for part in predicate.split("_"))


def readable(text: str) -> bool:
    """Whether a sentence looks like English: ASCII letters for the most part, and a small word in four words and more."""
    letters = [char for char in text if char.isalpha()]
    if sum(char.isascii() for char in letters) * 2 < len(letters):
        return False
    return len(_WORD.findall(text)) < 4 or _SPEAKER.search(text) is not None or _says("small_words", text)


def _says(group: str, text: str) -> bool:
    pattern = _cues().get(group)
    return pattern is not None and pattern.search(_apart(text)) is not None


def _apart(text: str) -> str:
    """The words in lower case, apart by one blank, contracted forms by themselves."""
    plain = re.sub(r"(n't|'(?:m|s|ve|re|ll|d))(?!\w)", r" \1", fold(text))
    return " ".join(re.findall(r"n't|'?[^\W_]+(?:-[^\W_]+)*", plain))


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    raw = tomllib.loads(files(__package__ or __name__).joinpath("cues.toml").read_text(encoding="utf-8"))
    return {name: _pattern(value.split()) for name, value in raw.items()}


def _pattern(entries: Sequence[str]) -> re.Pattern[str]:
    spelled = [entry.replace("_", " ") for entry in entries if not entry.startswith("@")]
    spelled += [word for entry in entries if entry.startswith("@") for word in words(entry[1:])]
    choices = (re.escape(entry.removesuffix("*")) + (r"[\w-]*" if entry.endswith("*") else "") for entry in spelled)
    return re.compile(rf"(?<!\S)(?:{'|'.join(choices)})(?!\S)")
