"""Finding a quote that a model copied: where the turn says it, in the turn's own characters.

Invariant: what comes out is a place in the turn; the model's copy is never kept.  A copy may differ in case, blanks,
typographic marks and punctuation, and by a word out of its place in a long quote; never by a word more, less or other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

ALIKE = 0.95  # share of equal characters of a copy whose words are all there
_MARKS = str.maketrans({"‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
                        "–": "-", "—": "-", "‐": "-", "‑": "-"})  # fmt: skip
_WORD = re.compile(r"\w+(?:['’\-‐‑]\w+)*")


def align(quote: str, text: str) -> tuple[int, int] | None:
    """The place of a copied quote in a text: exactly, else folded, else by its words; None if it is not there."""
    quote = quote.strip()
    if not quote:
        return None
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    return _folded(quote, text) or _by_words(quote, text)


def _fold(text: str) -> tuple[str, list[int]]:
    """The text with marks, blanks and case made equal, and for each of its characters the place where it came from."""
    out: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char.isspace():
            if out and out[-1] == " ":
                continue
            out.append(" ")
            places.append(place)
            continue
        for part in unicodedata.normalize("NFKC", char).translate(_MARKS).casefold():
            out.append(part)
            places.append(place)
    return "".join(out), places


def _folded(quote: str, text: str) -> tuple[int, int] | None:
    wanted = _fold(unicodedata.normalize("NFKC", quote))[0].strip()
    folded, places = _fold(text)
    at = folded.find(wanted)
    if at < 0 or not wanted:
        return None
    return places[at], places[at + len(wanted) - 1] + 1


def _by_words(quote: str, text: str) -> tuple[int, int] | None:
    """The stretch of as many words that has the same ones and is most like the quote."""
    wanted = [word for word, _, _ in _words(quote)]
    found = list(_words(text))
    size, many = len(wanted), Counter(wanted)
    best, place = ALIKE, None
    for first in range(len(found) - size + 1) if size else ():
        stretch = found[first : first + size]
        if Counter(word for word, _, _ in stretch) != many:
            continue
        likeness = SequenceMatcher(None, " ".join(wanted), " ".join(word for word, _, _ in stretch), autojunk=False).ratio()
        if likeness >= best:
            best, place = likeness, (stretch[0][1], stretch[-1][2])
            if likeness == 1:
                break
    return place


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _WORD.finditer(text):
        yield _fold(unicodedata.normalize("NFKC", match.group()))[0], match.start(), match.end()
