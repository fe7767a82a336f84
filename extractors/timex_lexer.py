"""Text to tokens: each word or number gets the kind that the patterns of the grammar are written in.

Invariant: tokens lie in order, do not overlap, and carry their place in the text; numbers that stand for something else
(prices, versions, parts of names, addresses) become plain words here, so that no pattern can read them as time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from graphmem.extractors.timex_calendar import day_of
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


_PHRASE = "|".join(sorted(map(re.escape, PHRASES), key=len, reverse=True))
_TENS, _ONES, _ORDS = "|".join(TENS), "|".join(ONES[:9]), "|".join(ORDINALS[:9])
_LEXER = re.compile(
    rf"""
    (?P<address>(?:https?://|www\.)\S{{1,2000}} | [\w.+-]{{1,64}}@[\w-]{{1,64}}\.\w+ | [@\#$£€¥~/\\]+\w[\w.,/-]*)
  | (?P<phrase>\b(?:{_PHRASE})\b)
  | (?P<compound_ord>\b(?:{_TENS})[- ](?:{_ORDS})\b)
  | (?P<spelled_year>\b(?:nineteen|twenty)[ ](?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?:ten|eleven|twelve|\w+teen))\b)
  | (?P<compound>\b(?:{_TENS})[- ](?:{_ONES})\b)
  | (?P<iso>(?<![\w.-])\d{{4}}-\d\d-\d\d
        (?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?[ ]?(?:Z\b|[+-]\d\d:?\d\d\b)?)?(?![\w-]))
  | (?P<iso_month>(?<![\w.-])(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?![\w-]))
  | (?P<iso_week>(?<![\w.-])\d{{4}}-?W\d\d(?![\w-]))
  | (?P<year_first>(?<![\w./-])\d{{4}}(?P<mark>[/.])\d\d?(?P=mark)\d\d?(?![\w/-]))
  | (?P<numeric>(?<![\w./-])\d\d?(?P<sign>[/.-])\d\d?(?P=sign)(?:\d{{4}}|(?<=/)\d\d)(?![\w/]|[.,]\d|-\d(?!\d?/)))
  | (?P<day_month>(?<![\w./-])\d\d?/\d\d?(?![\w/]|[.,-]\d))
  | (?P<chain>\b\d+(?:-\d+){{2,}}\b)
  | (?P<clock>(?<![\w.:])\d\d?(?:[:.]\d\d)?[ ]?(?:[ap]\.m\.|[ap]m\b)|(?<![\w.:])\d\d?:\d\d(?![\w:])
        |\b\d\d?[ ]?o['’]clock\b)
  | (?P<decade>(?:(?<![\w-])|(?<=mid-)|(?<=early-)|(?<=late-))(?:(?:17|18|19|20)\d0|['’]?[1-9]0)['’]?s\b)
  | (?P<ord>\b\d\d?(?:st|nd|rd|th)\b)
  | (?P<short>(?<!\w)['’]\d\d\b)
  | (?P<quarter>\b[Qq][1-4]\b) | (?P<half_year>\bH[12]\b)
  | (?P<glued>\b(?!(?:mid|early|late|pre|post|[a-z]{{3,9}}day|jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*
        |oct\w*|nov\w*|dec\w*)-)[^\W\d_]\w*-\d[\w.-]* | \d*[^\W\d]\w*[\d_]\w* | \d+[^\W\d]\w*)
  | (?P<number>\d+(?:[.,]\d+)+ | \d+)
  | (?P<abbrev>\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.(?=\s*\d))
  | (?P<name>[^\W\d_]+(?:['’][^\W\d_]+)*)
  | (?P<dash>[–—-])
  | (?P<comma>,)
  | (?P<stop>[.;:!?\n()\[\]"“”])
    """,
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip


def tokens_of(text: str, offset: timedelta = timedelta(0)) -> list[Token]:
    """All tokens of a text; instants with a zone of their own become local times of `offset`."""
    return [_localised(_token(match, text), offset) for match in _LEXER.finditer(text)]


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
    if group == "name":
        return _word(match, text)
    raw = match.group().lower().replace("’", "'")
    start, end = match.span()
    kind, value = _READERS[group](raw) if group in _READERS else (group, None)
    if group == "number" and kind != "word" and _counts_something(text, end):
        kind = "word"
    return Token(kind, value, start, end, raw)


_UNIT_AFTER = re.compile(r"\s?[%€$£°]|-[^\W\d_]|\s+([a-z]+)")


def _counts_something(text: str, end: int) -> bool:
    """Whether a number is a price, a size or a count of things other than time."""
    match = _UNIT_AFTER.match(text, end)
    if match is None:
        return False
    word = match.group(1)
    if word is None:
        hyphenated = match.group().startswith("-") and any(text[end + 1 : end + 4].lower() == month[:3] for month in MONTHS)
        return not hyphenated
    return word in COUNTERS or (word.endswith("s") and word[:-1] in COUNTERS)


Reading = tuple[str, Any]


def _phrase(raw: str) -> Reading:
    return PHRASES[raw]


def _iso(raw: str) -> Reading:
    try:
        if len(raw) == 10:
            return "date", ("day", datetime.fromisoformat(raw))
        return "date", ("minute", datetime.fromisoformat(raw.replace(" ", "T", 1).replace(" ", "").upper()))
    except ValueError:
        return "word", None


def _iso_month(raw: str) -> Reading:
    return "date", ("month", datetime(int(raw[:4]), int(raw[5:]), 1))


def _iso_week(raw: str) -> Reading:
    try:
        return "date", ("week", datetime.fromisocalendar(int(raw[:4]), int(raw[-2:]), 1))
    except ValueError:
        return "word", None


def _year_first(raw: str) -> Reading:
    year, month, day = map(int, re.split(r"\D", raw))
    return _dates([(year, month, day)])


def _numeric(raw: str) -> Reading:
    first, second, year = map(int, re.split(r"\D", raw))
    if year < 100:
        year += 2000 if year < 70 else 1900
    return _dates([(year, second, first), (year, first, second)])


def _dates(parts: list[tuple[int, int, int]]) -> Reading:
    days = [found.start for found in (day_of(*part) for part in dict.fromkeys(parts)) if found]
    return ("date", ("day", *days)) if days and days[0].year >= 1000 else ("word", None)


def _day_month(raw: str) -> Reading:
    first, second = map(int, raw.split("/"))
    orders = (
        [(m, d) for d, m in dict.fromkeys([(first, second), (second, first)]) if day_of(2024, m, d) is not None]
        if 1 <= first <= 31 and 1 <= second <= 31
        else []
    )
    return ("dm", orders) if orders and raw not in ("24/7", "7/11", "9/11") else ("word", None)


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
    number = int(raw.strip("'s"))
    return "decade", number if number > 99 else 1900 + number if number >= 30 else 0


def _number(raw: str) -> Reading:
    if not raw.isdecimal() or not raw.isascii() or len(raw) > 5:
        return ("dot", tuple(map(int, raw.split(".")))) if re.fullmatch(r"[012]?\d\.[0-5]\d", raw, re.ASCII) else ("word", None)
    number = int(raw)
    if len(raw) == 4 and 1000 <= number < 2200:
        return "year", number
    return ("num" if len(raw) <= 2 else "big"), number


def _compound(raw: str) -> Reading:
    tens, one = re.split(r"[- ]", raw)
    return "num", (TENS.index(tens) + 2) * 10 + ONES.index(one) + 1


def _compound_ord(raw: str) -> Reading:
    tens, one = re.split(r"[- ]", raw)
    return "ord", (TENS.index(tens) + 2) * 10 + ORDINALS.index(one) + 1


def _spelled_year(raw: str) -> Reading:
    first, *rest = re.split(r"[- ]", raw)
    number = sum((TENS.index(w) + 2) * 10 if w in TENS else ONES.index(w) + 1 if w in ONES else 0 for w in rest)
    return "year", {"nineteen": 1900, "twenty": 2000}[first] + number


def _no_time(raw: str) -> Reading:
    return "word", None


_READERS: dict[str, Callable[[str], Reading]] = {
    "phrase": _phrase, "iso": _iso, "iso_month": _iso_month, "iso_week": _iso_week, "year_first": _year_first,
    "numeric": _numeric, "day_month": _day_month, "clock": _clock, "decade": _decade,
    "ord": lambda raw: ("ord", int(raw[:-2])), "short": lambda raw: ("short", int(raw[1:])),
    "quarter": lambda raw: ("quarter", int(raw[1])), "half_year": lambda raw: ("half_year", int(raw[1])),
    "number": _number, "compound": _compound, "compound_ord": _compound_ord, "spelled_year": _spelled_year,
    "abbrev": lambda raw: WORDS[raw[:-1]], "chain": _no_time, "glued": _no_time, "address": _no_time,
}  # fmt: skip


def pattern(source: str) -> re.Pattern[str]:
    """A pattern over kinds: names of kinds, spaces, and the operators of regular expressions."""
    return re.compile(re.sub(r"[a-z_]+", lambda match: CODES[match.group()], source).replace(" ", ""))
