"""Calendar arithmetic on naive local time: periods of a unit, of a season.

Invariant: every function returns half-open periods with start < end, and a date that does not exist (30 February) or
lies outside the calendar gives None instead of another date.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from typing import NamedTuple

MONTHS_OF = {"month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}


class Period(NamedTuple):
    """A half-open interval; a bound that is not known is None, `modifier` and `grain` override those of the words."""

    start: datetime | None
    end: datetime | None
    modifier: str | None = None
    grain: str | None = None


class Closed(NamedTuple):
    """A half-open interval with both bounds."""

    start: datetime
    end: datetime


def midnight(moment: datetime) -> datetime:
    """The start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def shift(moment: datetime, count: int, unit: str) -> datetime:
    """The moment `count` units later; a day that the month lacks becomes its last day."""
    if unit in MONTHS_OF:
        year, month = divmod(moment.year * 12 + moment.month - 1 + count * MONTHS_OF[unit], 12)
        if not 1 <= year <= 9998:
            raise OverflowError("outside the calendar")
        return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))
    if unit == "workday":
        return _workdays(moment, count)
    return moment + count * timedelta(**{unit + "s": 1})


def _workdays(moment: datetime, count: int) -> datetime:
    """So many days from Monday to Friday away; from a weekend the first one is the next working day."""
    step = timedelta(days=1 if count > 0 else -1)
    while count and moment.weekday() > 4:
        moment -= step
    weeks, rest = divmod(abs(count), 5)
    moment += 7 * weeks * step
    while rest:
        moment += step
        rest -= moment.weekday() < 5
    return moment


def floor(moment: datetime, unit: str) -> datetime:
    """The start of the unit that holds the moment; weeks start on Monday."""
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = midnight(moment)
    if unit in ("day", "workday"):
        return day
    if unit == "week":
        return day - timedelta(days=day.weekday())
    months = MONTHS_OF[unit]
    index = day.year * 12 + day.month - 1
    index -= index % months
    return day.replace(year=index // 12, month=index % 12 + 1, day=1)


def period(moment: datetime, unit: str, count: int = 0) -> Closed:
    """The calendar unit that lies `count` units from the one that holds the moment."""
    start = shift(floor(moment, unit), count, unit)
    return Closed(start, shift(start, 1, "day" if unit == "workday" else unit))


def day_of(year: int, month: int, day: int) -> Closed | None:
    """A calendar day, or None if there is none."""
    try:
        start = datetime(year, month, day)
        return Closed(start, start + timedelta(days=1))
    except (ValueError, OverflowError):
        return None


def month_of(year: int, month: int, length: int = 1) -> Closed:
    """`length` months from the first of a month."""
    start = datetime(year, month, 1)
    return Closed(start, shift(start, length, "month"))


def season_of(month: int, label: int) -> Closed:
    """The season that begins in `month` and ends in the year `label` (winter 2026 began in December 2025)."""
    return month_of(label - (month == 12), month, 3)


def weekend_of(moment: datetime, count: int = 0) -> Closed:
    """Saturday and Sunday of the week that lies `count` weeks from that of the moment."""
    start = floor(moment, "week") + timedelta(days=5 + 7 * count)
    return Closed(start, start + timedelta(days=2))


def edge_of(whole: Closed, grain: str, edge: str) -> tuple[Closed, str]:
    """The early, middle or late part of a period, and the granularity that such words have."""
    start, end = whole
    if grain == "month":
        cuts, unit = [start, start + timedelta(days=10), start + timedelta(days=20), end], "day"
    elif grain in ("week", "weekend"):
        cuts, unit = [start, start + timedelta(days=2), end - timedelta(days=3), end], "day"
    elif grain in ("decade", "century"):
        years = [4, 7] if grain == "decade" else [30, 70]
        cuts, unit = [start, *(shift(start, count, "year") for count in years), end], "year"
        if edge == "end":
            cuts[2] = shift(end, -years[0], "year")
    elif grain == "year":
        width = 4 if edge == "middle" else 3
        cuts, unit = [start, shift(start, width, "month"), shift(end, -width, "month"), end], "month"
    else:
        months = max(1, MONTHS_OF.get(grain, 3) // 3)
        cuts, unit = [start, shift(start, months, "month"), shift(end, -months, "month"), end], "month"
    place = {"start": 0, "middle": 1, "end": 2}[edge]
    return Closed(cuts[place], cuts[place + 1]), unit
