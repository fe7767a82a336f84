"""Dates written in figures, alone or with the name of a month: "2024-02-29", "29/2/24", "29-Feb-2024", "2/2024".

A reader takes the text of a token in lower case and gives its kind and value: `date` (unit, starts), `dm` (pairs of month and
day) or `word`.  Invariant: where both orders of day and month exist both are kept, the day first; a date that does not exist
is a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from graphmem.extractors.timex_calendar import day_of
from graphmem.extractors.timex_words import MONTHS

Reading = tuple[str, Any]
# A leap year, in which every day exists that may exist.
LEAP = 2024
NONE: Reading = ("word", None)


def orders_of(raw: str) -> list[tuple[int | None, int, int]]:
    """Year (if told), month and day of "4/5" or "4/5/2021", in both orders, whether they exist or not."""
    first, second, *rest = map(int, re.findall(r"\d+", raw))
    year = full_year(rest[0]) if rest else None
    return [(year, second, first), (year, first, second)]


def full_year(number: int) -> int:
    """A year of two digits is one of the last decades or of the next ones."""
    return number if number > 99 else number + (2000 if number < 40 else 1900)


def _dates(parts: Iterable[tuple[int, int, int]]) -> Reading:
    days = [found.start for found in (day_of(*part) for part in dict.fromkeys(parts)) if found]
    return ("date", ("day", *days)) if days and days[0].year >= 1000 else NONE


def _iso(raw: str) -> Reading:
    try:
        if len(raw) == 10:
            return "date", ("day", datetime.fromisoformat(raw))
        return "date", ("minute", datetime.fromisoformat(raw.replace(" ", "T", 1).replace(" ", "").upper()))
    except ValueError:
        return NONE


def _iso_month(raw: str) -> Reading:
    return "date", ("month", datetime(int(raw[:4]), int(raw[5:]), 1))


def _iso_week(raw: str) -> Reading:
    try:
        return "date", ("week", datetime.fromisocalendar(int(raw[:4]), int(raw[-2:]), 1))
    except ValueError:
        return NONE


def _year_first(raw: str) -> Reading:
    year, month, day = map(int, re.split(r"\D", raw))
    return _dates([(year, month, day)])


def _numeric(raw: str) -> Reading:
    return _dates([(year, month, day) for year, month, day in orders_of(raw) if year is not None])


def _month_year(raw: str) -> Reading:
    month, year = map(int, re.split(r"\D", raw))
    return "date", ("month", datetime(year, month, 1))


def _day_month(raw: str) -> Reading:
    orders = [(month, day) for _, month, day in dict.fromkeys(orders_of(raw)) if day_of(LEAP, month, day) is not None]
    return ("dm", orders) if orders and raw not in ("24/7", "7/11", "9/11") else NONE


def _compact(raw: str) -> Reading:
    kind, value = _dates([(int(raw[:4]), int(raw[4:6]), int(raw[6:]))])
    return ("dmy", value) if kind == "date" else NONE


def _short_date(raw: str) -> Reading:
    kind, value = _numeric(raw)
    return ("dmy", value) if kind == "date" else NONE


def _lettered(raw: str) -> Reading:
    name = re.search(r"[a-z]+", raw)
    month = next((n for n, full in enumerate(MONTHS, 1) if name and full.startswith(name.group()[:3])), 0)
    # A year of two digits comes last, one of four is known by its length.
    *rest, last = sorted(re.findall(r"\d+", raw), key=lambda number: len(number) == 4)
    if rest:
        return _dates([(full_year(int(last)), month, int(rest[0]))])
    return ("dm", [(month, int(last))]) if day_of(LEAP, month, int(last)) else NONE


FIGURES: dict[str, Callable[[str], Reading]] = {
    "iso": _iso, "iso_month": _iso_month, "iso_week": _iso_week, "year_first": _year_first, "apart": _year_first,
    "numeric": _numeric, "month_year": _month_year, "day_month": _day_month, "on_day": _day_month,
    "short_date": _short_date, "compact": _compact, "lettered": _lettered,
}  # fmt: skip
