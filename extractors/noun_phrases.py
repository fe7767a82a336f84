"""Noun phrases around a place in a sentence, with what hangs on them by "of", "for", "in": by tags, not by the parse.

Long sentences of requests are parsed badly, but their noun phrases are tagged well.  Invariant: a phrase of somebody else's
("her budget", "Ann's score") is none, and a phrase never reaches across a comma or a verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphmem.extractors.lexicon import words
from graphmem.extractors.tagging import Word

OWN = frozenset({"my", "our"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_INNER = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}
_OPENERS = OWN | {"the", "a", "an"}
LINKS = frozenset({"of", "for", "on", "in", "with", "to", "from", "into", "about", "at"})
_OTHERS = frozenset({"his", "her", "their", "your", "its", "whose", "this", "these"})
_COUNTS = frozenset({"number", "amount", "count", "total", "growth"})


class Thing(NamedTuple):
    """The words of a phrase, and the noun that says what it is (that of "the number of goats" is the goats)."""

    parts: tuple[Word, ...]
    head: Word

    @property
    def start(self) -> int:
        """The place of its first word."""
        return self.parts[0].i

    @property
    def end(self) -> int:
        """The place after its last word."""
        return self.parts[-1].i + 1

    @property
    def own(self) -> bool:
        """Whether it begins with "my" or "our"."""
        return self.parts[0].low in OWN

    def joined(self, other: Thing | None) -> Thing:
        """The phrase with the words of another that says what it is about."""
        return self if other is None else Thing((*self.parts, *other.parts), self.head)


def before(ws: Sequence[Word], end: int) -> Thing | None:
    """The whole phrase that ends right before a place."""
    k = end - 1
    heads = [k - _numbered(ws, k)]
    if heads[0] < 0 or ws[heads[0]].tag not in _NOUNS:
        return None
    while k >= 0:
        word = ws[k]
        if word.tag in _INNER and not word.is_mark:
            k -= 1
        elif word.low in _OTHERS or (word.tag == "POS" and _person(ws[k - 1])):
            return None
        elif word.tag == "POS":
            k -= 1
        elif word.low in _OPENERS or word.low in LINKS:
            link = k - 1 if word.low in _OPENERS else k
            if link < 1 or ws[link].low not in LINKS or not (ws[link - 1].tag in _NOUNS | {"VBN"} or _numbered(ws, link - 1)):
                k -= word.low in _OPENERS
                break
            k = link - 1
            if ws[k].tag in _NOUNS or _numbered(ws, k):
                heads.append(k - _numbered(ws, k))
            else:
                heads.append(next((j for j in range(k, -1, -1) if ws[j].tag in _NOUNS), heads[-1]))
        else:
            break
    head = heads[-1]
    if ws[head].low in _COUNTS and len(heads) > 1:
        head = heads[-2]
    parts = tuple(ws[k + 1 : end])
    return Thing(parts, ws[head]) if parts else None


def after(ws: Sequence[Word], start: int, *, links: int = 2, joining: frozenset[str] = LINKS) -> Thing | None:
    """The phrase that begins at a place, with up to so many others hanging on it."""
    end = _plain(ws, start)
    if end is None:
        return None
    head = ws[end - 1 - _numbered(ws, end - 1)]
    for _ in range(links):
        if end + 1 >= len(ws) or ws[end].low not in joining or ws[end].low == "at" or ws[end + 1].time:
            break
        more = _plain(ws, end + 1)
        if more is None or ws[end + 1].tag in ("CD", "VBG"):
            break
        if head.low in _COUNTS and ws[end].low == "of":
            head = ws[more - 1 - _numbered(ws, more - 1)]
        end = more
    return Thing(tuple(ws[start:end]), head)


def inside(ws: Sequence[Word], i: int) -> Thing | None:
    """The definite phrase ("my", "our" or "the") whose noun stands at a place, with what follows it."""
    k = i
    while k > 0 and ws[k - 1].tag in _INNER and not ws[k - 1].is_mark:
        k -= 1
    if k < 1 or ws[k - 1].low not in OWN | {"the"}:
        return None
    found = after(ws, k - 1)
    return found if found is not None and found.head.i == i else None


def _plain(ws: Sequence[Word], start: int) -> int | None:
    """Where a phrase without anything hanging on it ends, or None if there is none or it is somebody else's."""
    k = start + (start < len(ws) and ws[start].low in _OPENERS)
    if k < len(ws) and ws[k].low in _OTHERS:
        return None
    while k < len(ws) and ws[k].tag in _INNER and not ws[k].is_mark and not ws[k].time:
        k += 1
    if k < len(ws) and ws[k].tag == "POS":
        return None
    while k > start and ws[k - 1].tag not in _NOUNS and not _numbered(ws, k - 1):
        k -= 1
    return k if k > start else None


def _numbered(ws: Sequence[Word], k: int) -> bool:
    """Whether the number at a place tells one of several from the others ("sprint 2")."""
    return k > 0 and ws[k].tag == "CD" and not ws[k].time and ws[k - 1].tag in ("NN", "NNP")


def _person(word: Word) -> bool:
    return word.tag in ("NNP", "NNPS") or word.low in words("kin") or word.low in words("roles")
