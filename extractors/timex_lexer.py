"""Text to tokens: each word or number gets the kind that the patterns of the grammar are written in.

Invariant: tokens lie in order, do not overlap, and carry their place in the text; numbers that stand for something else
(prices, versions, parts of names, addresses) become plain words here, so that no pattern can read them as time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any, NamedTuple

from graphmem.extractors.timex_figures import FIGURES, Reading
from graphmem.extractors.timex_pieces import PIECES
from graphmem.extractors.timex_words import KINDS, MONTHS, ONES, ORDINALS, PHRASES, TENS, WORDS, split

# One private character for each kind, so that patterns over kinds are patterns over characters.
CODES = {kind: chr(0xE000 + place) for place, kind in enumerate(KINDS)}
COUNTERS = frozenset(
    split(
        """
        page people person user euro dollar pound kilo kg gram km kilometre kilometer mile metre meter cm mm litre
        liter calorie kcal step point percent word line row item file euros eur usd sek gbp krona kronor request
        ticket employee student guest seat copy copies piece times bottle book car cat dog kid child children
        customer client commit photo square watt volt gb mb tb degree inch feet foot
        """
    )
)


class Token(NamedTuple):
    """A piece of text with its kind; `word` is the lower-case form without a possessive ending."""

    kind: str
    value: Any
    start: int
    end: int
    word: str


def tokens_of(text: str, offset: timedelta = timedelta(0)) -> list[Token]:
    """All tokens of a text; instants with a zone of their own become local times of `offset`."""
    return [_localised(_token(match, text), offset) for match in PIECES.finditer(text) if match.lastgroup != "blank"]


def _localised(token: Token, offset: timedelta) -> Token:
    if token.kind != "date" or token.value[1].tzinfo is None:
        return token
    unit, moment = token.value
    return token._replace(value=(unit, moment.astimezone(timezone(offset)).replace(tzinfo=None)))


def _word(match: re.Match[str], text: str) -> Token:
    raw = match.group()
    word = raw.lower().replace("’", "'")
    start, end = match.span()
    if word.endswith("'s") and word[:-2] in WORDS:
        word, end = word[:-2], end - 2
    kind, value = WORDS.get(word, ("word", raw[0].isupper()))
    if kind in ("name", "verb", "wday") and len(word) <= 4 and kind != "verb" and raw.islower() and word != "june":
        # Lower-case "sun", "sat", "mar" are words; "sept", "tues" are not.
        kind = kind if word in ("sept", "tues", "thur") else ("word" if kind == "wday" else kind)
    if kind == "verb" and raw[0].isupper() and not _opens_sentence(text, start):
        kind = "name"
    if kind == "adverb" and raw[0].isupper() and not _opens_sentence(text, start):
        kind = "word"
    return Token(kind, value, start, end, word)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start].rstrip(" \t*_\"'“(")
    return not before or before[-1] in ".!?\n:;-"


def _token(match: re.Match[str], text: str) -> Token:
    group = str(match.lastgroup)
    if group in ("plain", "name"):
        return _word(match, text)
    raw = match.group().lower().replace("’", "'")
    start, end = match.span()
    kind, value = _READERS[group](raw) if group in _READERS else (group, None)
    if group == "number" and kind != "word" and _counts_something(text, end):
        kind = "word"
    return Token(kind, value, start, end, raw)


_UNIT_AFTER = re.compile(r"\s?[%€$£°]|-[^\W\d_]|\s+([a-z]+)")


_PART_OF_YEAR = re.compile(r"-(?:q[1-4]|h[12])\b", re.IGNORECASE)


def _counts_something(text: str, end: int) -> bool:
    """Whether a number is a price, a size or a count of things other than time."""
    match = _UNIT_AFTER.match(text, end)
    if match is None:
        return False
    word = match.group(1)
    if word is None:
        hyphenated = match.group().startswith("-") and any(text[end + 1 : end + 4].lower() == month[:3] for month in MONTHS)
        return not hyphenated and not _PART_OF_YEAR.match(text, end)
    return word in COUNTERS or (word.endswith("s") and word[:-1] in COUNTERS)


def _phrase(raw: str) -> Reading:
    return PHRASES[raw]


def _clock(raw: str) -> Reading:
    numbers = [int(n) for n in re.findall(r"\d+", raw)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else None
    half = raw.rstrip(".").replace(".m", "m")[-2:]
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return "word", None
        hour = hour % 12 + 12 * (half == "pm")
    return ("clock", (hour, minute)) if hour < 24 and (minute or 0) < 60 else ("word", None)


def _decade(raw: str) -> Reading:
    number = int(raw.strip("'s "))
    return "decade", number if number > 99 else 1900 + number if number >= 30 else 0


def _number(raw: str) -> Reading:
    if not raw.isdecimal() or not raw.isascii() or len(raw) > 5:
        return (
            ("dot", tuple(map(int, raw.split("."))))
            if re.fullmatch(r"[012]?\d\.(?:[0-5]\d|5)", raw, re.ASCII)
            else ("word", None)
        )
    number = int(raw)
    if len(raw) == 4 and 1000 <= number < 2200:
        return "year", number
    return ("num" if len(raw) <= 2 else "big"), number


def _spelled_decade(raw: str) -> Reading:
    century, name = raw.split()
    start = {"eighteen": 1800, "nineteen": 1900}.get(century, 2000)
    return "decade", start + 10 * next((place for place, tens in enumerate(TENS, 2) if tens[:-1] + "ies" == name), 0)


def _compound(raw: str) -> Reading:
    tens, one = re.split(r"[- ]", raw)
    return "num", (TENS.index(tens) + 2) * 10 + ONES.index(one) + 1


def _compound_ord(raw: str) -> Reading:
    tens, one = re.split(r"[- ]", raw)
    return "ord", (TENS.index(tens) + 2) * 10 + ORDINALS.index(one) + 1


def _spelled_year(raw: str) -> Reading:
    first, *rest = re.split(r"[- ]", raw)
    number = sum((TENS.index(w) + 2) * 10 if w in TENS else ONES.index(w) + 1 if w in ONES else 0 for w in rest)
    return "year", {"nineteen": 1900, "twenty": 2000, "two": 2000}[first] + number


def _no_time(raw: str) -> Reading:
    return "word", None


_READERS: dict[str, Callable[[str], Reading]] = {
    **FIGURES, "to_year": lambda raw: ("dash", None), "ampersand": lambda raw: ("and", None),
    "phrase": _phrase, "clock": _clock, "decade": _decade,
    "ord": lambda raw: ("ord", int(raw.rstrip(" .stndrh"))), "short": lambda raw: ("short", int(raw[1:])),
    "quarter": lambda raw: ("quarter", int(raw[1])), "half_year": lambda raw: ("half_year", int(raw[1])),
    "number": _number, "compound": _compound, "compound_ord": _compound_ord, "spelled_year": _spelled_year,
    "spelled_decade": _spelled_decade,
    "abbrev": lambda raw: WORDS[raw[:-1]], "chain": _no_time, "glued": _no_time, "address": _no_time,
}  # fmt: skip


def pattern(source: str) -> re.Pattern[str]:
    """A pattern over kinds: names of kinds, spaces, and the operators of regular expressions."""
    return re.compile(re.sub(r"[a-z_]+", lambda match: CODES[match.group()], source).replace(" ", ""))
