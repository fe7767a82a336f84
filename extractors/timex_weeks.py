"""Weeks by their number, and the year or month so far: "in week 23", "week 3 of 2027", "year to date".

Invariant: weeks are those of ISO 8601; a number without a year is a week only after a preposition, and of the year that runs
unless the tense asks for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom, counts, rule, value, year_in
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT


def _week(year: int, number: int) -> Closed | None:
    try:
        return calendar.period(datetime.fromisocalendar(year, number, 1), "week")
    except ValueError:
        return None


@rule("the? unit num (of|in|comma|dash)? (the unit)? of? year")
@rule("the? unit num (?!of|unit|dash|to)")
def _numbered_week(tokens: Sequence[Token]) -> Atom | None:
    number, year = value(tokens, "num"), year_in(tokens)
    if not counts(tokens, "week") or number is None or not 1 <= number <= 53:
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        here = _week(year or moment.year, number)
        if year is None and here is not None:
            if tense == "future" and here.end <= moment:
                here = _week(moment.year + 1, number)
            elif tense in ("past", PERFECT) and here.start > moment:
                here = _week(moment.year - 1, number)
        return [here] if here is not None else []

    return Atom(find, "week", floating=year is None, weak=year is None, shape="week_atom")


@rule("the? to_date")
def _to_date(tokens: Sequence[Token]) -> Atom | None:
    unit = tokens[-1].value

    def find(moment: datetime, tense: str | None) -> list[Period]:
        return [Period(calendar.floor(moment, unit), calendar.midnight(moment))]

    return Atom(find, "day", shape="range_atom")


def weeks_within(whole: Closed, place: int) -> Closed | None:
    """The n-th calendar week of a period, one that has its Thursday there; -1 is the last."""
    edge = whole.end - timedelta(days=1) if place < 0 else whole.start
    gap = -((edge.weekday() - 3) % 7) if place < 0 else (3 - edge.weekday()) % 7
    thursday = edge + timedelta(days=gap + 7 * (place + 1 if place < 0 else place - 1))
    return calendar.period(thursday, "week") if whole.start <= thursday < whole.end else None
