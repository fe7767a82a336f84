"""Time in words, no more precisely than it is known: "in May 2026", "on 14 May 2026", "by 14 May 2026".

Invariant: a bound of a given granularity is named by the period it stands for, in English whatever the locale.  Bounds are
local midnights kept in UTC, so the day meant is the one that begins within thirteen hours (`AHEAD`): from UTC-10:30 to UTC+13.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from graphmem.model import Statement
from graphmem.validity import period_end

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SEASONS = {12: "winter", 3: "spring", 6: "summer", 9: "autumn"}
_QUARTERS = {1: "first", 4: "second", 7: "third", 10: "fourth"}
_MOMENTS = ("minute", "hour", "part_of_day", "not_after")
# A local midnight lies up to 14 hours before that of UTC and up to 12 after it, which is more than a day: the islands at
# either edge (Kiribati's Line Islands, American Samoa, Niue) are not told from each other by the moment alone.
AHEAD = timedelta(hours=13)
_DAYS = frozenset({None, "day", "weekend", *_MOMENTS})


def date(value: datetime) -> str:
    """A calendar day of UTC: "14 May 2026"."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def month(value: datetime) -> str:
    """A month of UTC: "May 2026"."""
    return f"{MONTHS[value.month - 1]} {value.year}"


def nearest(value: datetime, granularity: str | None) -> datetime:
    """The bound moved into the day that it begins, unless it is a moment of its own."""
    try:
        return value if granularity in _MOMENTS else value + AHEAD
    except OverflowError:
        return value


def due_day(due: object) -> datetime:
    """The day on which a task is due, as its details have it: a local midnight in UTC."""
    return nearest(datetime.fromisoformat(str(due)), "day")


def past_due(statement: Statement, now: datetime) -> bool:
    """Whether the time of a plan or a task that still stands has passed, so that nobody knows what became of it.

    A status only changes by what somebody says; that time has passed is for the clock of the reader.  A task is late when
    the day on which it is due is over.
    """
    if statement.status not in ("current", "planned"):
        return False
    if statement.kind == "open_item":
        due = statement.details.get("due")
        try:
            return due is not None and datetime.fromisoformat(str(due)) + timedelta(days=1) <= now
        except OverflowError:
            return False
    return statement.modality == "intended" and statement.valid_to is not None and statement.valid_to <= now


def period(start: datetime, granularity: str | None) -> str:
    """The period that a bound stands for, by its name."""
    at = nearest(start, granularity)
    if granularity == "week":
        return f"the week of {date(at)}"
    if granularity == "weekend":
        return f"the weekend of {date(at)}"
    if granularity == "month":
        return month(at)
    if granularity == "season" and at.month in _SEASONS:
        # The winter that begins in December 2025 is mostly one of 2026.
        return f"{_SEASONS[at.month]} {at.year}" + (f"/{(at.year + 1) % 100:02d}" if at.month == 12 else "")
    if granularity == "quarter" and at.month in _QUARTERS:
        return f"the {_QUARTERS[at.month]} quarter of {at.year}"
    if granularity == "half":
        return f"the {'first' if at.month < 7 else 'second'} half of {at.year}"
    if granularity == "year":
        return f"{at.year}"
    if granularity == "decade":
        return f"the {at.year // 10 * 10}s"
    if granularity == "century":
        return f"the years {at.year} to {at.year + 99}"
    return month(at) if granularity in ("season", "quarter") else date(at)


def when(start: datetime, granularity: str | None) -> str:
    """The time of something that happened: "in May 2026", "on 14 May 2026", "by 14 May 2026"."""
    if granularity == "not_after":
        return f"by {date(start)}"
    return f"{'on' if granularity in _DAYS else 'in'} {period(start, granularity)}"


def span(start: datetime | None, end: datetime | None, granularity: str | None) -> str:
    """The time for which something held once: "in 2015", "from 2010 until 2015", or nothing if it is not known."""
    if start is not None and end is not None and end <= period_end(start, granularity):
        return when(start, granularity)
    bounds = []
    if start is not None:
        bounds.append(f"from {period(start, granularity)}")
    if end is not None:
        bounds.append(f"until {last(end, granularity)}")
    return " ".join(bounds)


def by(end: datetime, granularity: str | None) -> str:
    """The time by which something had ended: "by 3 March 2026", "by the end of March 2026".

    An end is the first moment at which it held no longer. Whether that is the end of the period that was named ("in March")
    or its beginning ("since April") is not kept, and this is true of both.
    """
    return f"by {last(end, granularity)}" if granularity in _DAYS else f"by the end of {last(end, granularity)}"


def last(end: datetime, granularity: str | None) -> str:
    """The last period before an end, which is itself no longer part of it: "until May 2015" ends as June begins."""
    if granularity in _MOMENTS:
        return date(end)
    try:
        inside = end + AHEAD - timedelta(days=1)
        monday = inside - timedelta(days=inside.weekday())
    except OverflowError:
        return date(end)
    if granularity == "week":
        return f"the week of {date(monday)}"
    if granularity in ("month", "year"):
        return month(inside) if granularity == "month" else f"{inside.year}"
    return date(inside)
