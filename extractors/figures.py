"""Figures and dates as values: where one stands in a sentence, what number it is, and in what unit.

Invariant: a value is a run of words as they were written; two that are equal in number and unit are the same value, and a
number inside a name or a version ("Room 12b", "v2.3", "Python 3") is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.canonical import MONTHS, NUMBERS, singular
from graphmem.extractors.base import TimeValue
from graphmem.extractors.lexicon import words
from graphmem.extractors.tagging import Word
from graphmem.model import iso


class Figure(NamedTuple):
    """A value at words `start` to `end` (excluded); `unit` is "date" for a day, "" for a bare count."""

    start: int
    end: int
    number: str
    unit: str


_NUMBER = re.compile(
    r"(?P<sign>[€$£])?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>%|[a-z]{1,3})?", re.IGNORECASE
)
_PART = re.compile(r"\d{1,4}/\d{1,4}")
_SIGNS = {"€": "€", "$": "$", "£": "£", "euro": "€", "eur": "€", "dollar": "$", "usd": "$", "pound": "£", "gbp": "£"}
_SIZES = {"k": 1000, "m": 1_000_000, "thousand": 1000, "million": 1_000_000}
_FINE = frozenset({"minute", "hour", "part_of_day", "day"})


def figures(ws: Sequence[Word], times: Sequence[TimeValue]) -> list[Figure]:
    """All values of a sentence in order: dates first claim their words, then numbers with their units."""
    found = _dates(ws, times)
    dated = {i for figure in found for i in range(figure.start, figure.end)}
    timed = {w.i for w in ws if any(t.start_char <= w.start < t.end_char for t in times)}
    at = 0
    while at < len(ws):
        # "3 hours" is a length of time to the calendar and a figure here.
        sized = at + 1 < len(ws) and singular(ws[at + 1].low) in words("measure_units")
        figure = _number(ws, at) if at not in dated and (at not in timed or sized) else None
        if figure is not None:
            found.append(figure)
        at = figure.end if figure is not None else at + 1
    return sorted(found)


def _dates(ws: Sequence[Word], times: Sequence[TimeValue]) -> list[Figure]:
    found = []
    for value in times:
        day = value.granularity in _FINE and value.modifier in ("at", "until", "before") and (value.start or value.end)
        inside = [w.i for w in ws if value.start_char <= w.start < value.end_char]
        while inside and ws[inside[0]].low in ("on", "by", "at", "until", "before", "to", "for", "from", "the"):
            inside = inside[1:]
        named = [w for w in ws if w.i in inside and (w.low.strip(".") in MONTHS or "/" in w.text or w.text.count("-") == 2)]
        # A bare hour or "tomorrow" says no day by which two tellings could be compared; a weekday does for a while only.
        if day and named:
            moment = value.start or value.end
            assert moment is not None
            exact = value.granularity in ("minute", "hour")
            found.append(Figure(inside[0], inside[-1] + 1, iso(moment) if exact else iso(moment)[:10], "date"))
    return found


def _number(ws: Sequence[Word], i: int) -> Figure | None:
    """A number with its sign or unit at a place, or None."""
    start, word = i, ws[i]
    if word.low in NUMBERS and word.tag == "CD":
        number, unit, end = float(NUMBERS[word.low]), "", i + 1
    elif _PART.fullmatch(word.text):
        return Figure(i, i + 1, word.text, "part")
    else:
        match = _NUMBER.fullmatch(word.text)
        if not match or (i and ws[i - 1].tag in ("NNP", "NNPS")) or (match["unit"] or "").lower() in ("st", "nd", "rd", "th"):
            return None
        number, unit, end = float(match["number"].replace(",", "")), (match["unit"] or "").lower(), i + 1
        unit = _SIGNS.get(match["sign"] or "", unit)
        if unit in _SIZES:
            number, unit = number * _SIZES[unit], ""
        if i and ws[i - 1].text in _SIGNS:
            unit, start = _SIGNS[ws[i - 1].text], i - 1
    if end < len(ws) and ws[end].low in ("thousand", "million", "k"):
        number, end = number * _SIZES[ws[end].low], end + 1
    if not unit and end < len(ws):
        after = singular(ws[end].low)
        if ws[end].text == "%" or after == "percent":
            unit, end = "%", end + 1
        elif after in _SIGNS:
            unit, end = _SIGNS[after], end + 1
        elif after in words("measure_units"):
            unit, end = after, end + 1
        elif after == "of" and end + 1 < len(ws) and ws[end + 1].text.isdigit():
            return Figure(start, end + 2, f"{number:g}/{ws[end + 1].text}", "part")
        elif after == "out" and end + 2 < len(ws) and ws[end + 1].low == "of" and ws[end + 2].text.isdigit():
            return Figure(start, end + 3, f"{number:g}/{ws[end + 2].text}", "part")
    if unit and unit not in _SIGNS.values() and unit != "%" and unit not in words("measure_units"):
        return None
    return Figure(start, end, f"{number:.12g}", unit)
