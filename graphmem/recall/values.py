"""Values in a text: its days, times of day, shares, sums and counts, each with the kind it is of.

Invariant: a value is compared only with one of its own kind, and two spellings of one value are the same.  What a count
counts are the nouns right behind it, so "45 sources" and "52 books" are of two kinds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.recall.words import Words

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# How many words behind a count may name what it counts.
BEHIND = 4
_MONTH = rf"(?P<m{{0}}>{'|'.join(MONTHS)})[a-z]{{{{0,6}}}}\.?"
_DAY = r"(?P<d{0}>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%.,]?\d)"
_VALUE = re.compile(
    rf"\b{_MONTH.format(1)}\s+(?:the\s+)?{_DAY.format(1)}\b"
    rf"|\b{_DAY.format(2)}\s+(?:of\s+)?{_MONTH.format(2)}\b"
    rf"|\b(?P<iso>\d{{4}}-\d\d-\d\d)\b"
    rf"|\b(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))?\s?(?P<half>[ap])\.?m\b|\b(?P<h24>\d{{1,2}}):(?P<m24>\d\d)\b"
    rf"|\b(?P<weekday>{'|'.join(WEEKDAYS)})s?\b"
    rf"|(?<![\w./])(?P<part>\d{{1,4}}/\d{{1,4}})(?![\w/])"
    rf"|(?:(?P<sign>[€$£])\s?)?(?<![\w.])(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d.]*\.\d|\w*\d)"
    rf"(?P<unit>\s?%|[a-z]{{1,3}}\b)?|\b(?P<word>{'|'.join(NUMBERS)})\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
# "Python 3", "Room 12": the number is part of a name.
_NAMED = re.compile(r"(?<=[\w,] )[A-Z]\w+ $")
_SUMS = {"€": "€", "$": "$", "£": "£", "euro": "€", "euros": "€", "dollar": "$", "dollars": "$", "pounds": "£"}
# What follows them is not counted any more.
_LINKS = frozenset(
    [
        *("per", "a", "an", "in", "on", "at", "for", "of", "with", "over", "to", "from", "by", "and", "or", "as", "after"),
        *("before", "since", "than", "that", "which", "so", "but"),
    ]
)
_NEXT = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[,.;:!?()]")


class Value(NamedTuple):
    """One value: the sort of it, what it is in that sort, where it stands, and for a count the stems of what is counted."""

    sort: str
    amount: str
    start: int = 0
    of: frozenset[str] = frozenset()

    def rivals(self, other: Value) -> bool:
        """Whether both are of one kind and differ."""
        if self.sort != other.sort or self.amount == other.amount:
            return False
        return not self.of or not other.of or bool(self.of & other.of)


def values(text: str, words: Words) -> list[Value]:
    """All values of a text in order."""
    return [value for found in _VALUE.finditer(text) if (value := _value(found, text, words)) is not None]


def _value(found: re.Match[str], text: str, words: Words) -> Value | None:
    part, at = found.groupdict(), found.start()
    month, day = part["m1"] or part["m2"], part["d1"] or part["d2"]
    if month:
        return Value("day", f"{MONTHS.index(month.lower()) + 1}-{int(day)}", at)
    if part["iso"]:
        return Value("day", f"{int(part['iso'][5:7])}-{int(part['iso'][8:])}", at)
    if part["hour"] or part["h24"]:
        hour = int(part["hour"] or part["h24"]) % (12 if part["half"] else 24)
        hour += 12 * ((part["half"] or "").lower() == "p")
        return Value("clock", f"{hour}:{part['minute'] or part['m24'] or '00'}", at)
    if part["weekday"]:
        return Value("weekday", part["weekday"].lower(), at)
    if part["part"]:
        return Value("part", part["part"], at)
    if (part["number"] and _YEAR.fullmatch(part["number"])) or _NAMED.search(text, max(0, at - 24), at):
        return None
    amount = str(NUMBERS.index(part["word"].lower())) if part["word"] else f"{float(part['number'].replace(',', '')):g}"
    behind = _behind(text, found.end())
    unit = (part["unit"] or "").strip().lower()
    if unit == "%" or behind[:1] == ["percent"]:
        return Value("%", amount, at)
    sign = part["sign"] or next((behind[0] for _ in behind[:1] if behind[0] in _SUMS), "")
    if sign:
        return Value("sum", amount, at)
    if unit in ("st", "nd", "rd", "th"):
        return None
    return Value(unit or "count", amount, at, frozenset() if unit else frozenset(words.stems(" ".join(behind))))


def _behind(text: str, at: int) -> list[str]:
    """The words right behind a place, up to a mark."""
    found: list[str] = []
    for match in _NEXT.finditer(text, at):
        if not match.group()[0].isalpha() or match.group().lower() in _LINKS or len(found) == BEHIND:
            break
        found.append(match.group().lower())
    return found
