"""Whose home it is: "the flat is in X" is told of one's own only where the words around say so.

Invariant: a dwelling with "the" is the speaker's if the same sentence or the one before has the speaker buy, rent or move into
one of the kind, or names it with "my" or "our"; viewed, booked, let out or got for another it is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.extractors.base import Claim
from graphmem.extractors.english import Sentence

_KIND = r"(?:flat|house|apartment|place|home)"
_THE_HOME = re.compile(rf"^[\s*–—-]*the (?:new )?(?P<kind>{_KIND})\b", re.IGNORECASE)
_SINCE = r"(?:(?:just|finally|recently|already|now|both|have|['’]ve|['’]m|['’]re|am|are) ?)*"
_GOT = re.compile(
    rf"(?:^|[\s,;])(?:i|we)(?:['’]ve|['’]m|['’]re)? {_SINCE}(?:bought|purchased|rent|rented|renting|own|got|have|live in|"
    r"living in|moved in ?to|moving in ?to|signed for|signed (?:a|the) lease on|settled in|inherited)\s+"
    r"(?:ourselves |myself )?"
    rf"(?:an?|our|my|this|the) (?:[\w-]+ ){{0,3}}?(?P<kind>{_KIND})\b",
    re.IGNORECASE,
)
_MOVED = re.compile(
    rf"(?:^|[\s,;])(?:i|we)(?:['’]ve|['’]m|['’]re)? {_SINCE}(?:moved|live there|moved in|moving house)"
    r"(?: house| home| in)?(?=\s*(?:[.,;!]|$)|\s+(?:last|in|on|this|yesterday|recently|together|two|three|a) )",
    re.IGNORECASE,
)
_MINE = re.compile(
    rf"\b(?:my|our) (?:own |new |little |tiny |first |lovely |current )*(?P<kind>{_KIND})\b(?!['’]s)", re.IGNORECASE
)
_NOT_HOME = re.compile(
    r"\b(?:not|never|almost|nearly|want|wants|wanted|hope|hoping|might|may|would|will|could|should|if|sold|viewed|booked|"
    r"holidays?|vacation|airbnb|trip|weekend|investment|tenants?|let out|rent out|to let|flip)\b|"
    r"n['’]t\b|['’]ll\b|['’]d\b|"
    r"\bfor (?:my|our|his|her|their|the (?:week|weekend|night|summer|winter|holidays?)|(?:a|one|two|three|\d+) "
    r"(?:nights?|days?|weeks?|weekends?)|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"christmas|easter)\b",
    re.IGNORECASE,
)


def at_home(claim: Claim, sentences: Sequence[Sentence]) -> bool:
    """Whether the dwelling that a sentence is about is the speaker's, as far as its words and the sentence before tell."""
    number = next((n for n, s in enumerate(sentences) if s.start <= claim.start < s.end), None)
    if number is None:
        return True
    sentence = sentences[number]
    found = _THE_HOME.match(sentence.text)
    if found is None:
        return True
    kind = found.group("kind").lower()
    before = sentences[number - 1].text if number and sentences[number - 1].mark != "?" else ""
    return _own(before, kind) or _own(sentence.text[found.end() :], kind)


def _own(text: str, kind: str) -> bool:
    if _NOT_HOME.search(text):
        return False
    kinds = {found.group("kind").lower() for pattern in (_GOT, _MINE) for found in pattern.finditer(text)}
    alike = bool(kinds) if kind in ("place", "home") else bool(kinds & {kind, "place", "home"})
    return alike or _MOVED.search(text) is not None
