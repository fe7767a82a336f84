"""Intervals in valid time: how precise a bound is, where a statement stands on the line, what its source vouches for.

Invariant: intervals are half-open, `None` means unknown or open, and nothing here reads the clock.  A present-tense
statement is vouched for up to the session it was said in and presumed beyond it (T7); a past one is vouched for within
the bounds it gave; a future one not yet at all.  For this purpose a whole session is one instant (nobody moves house in
mid-conversation), except for what is told of the world, where the last word counts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem.ontology import relation
from graphmem.records import StatementRecord

TICK = timedelta(microseconds=1)
BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)

_DAYS = {"minute": 0, "hour": 0, "part_of_day": 0, "day": 1, "weekend": 2, "week": 7}
_MONTHS = {"month": 1, "season": 3, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}


def period_end(start: datetime, granularity: str | None) -> datetime:
    """The latest moment that a bound of this precision may stand for: [start, period_end)."""
    if granularity in _MONTHS:
        months = start.month - 1 + _MONTHS[granularity]
        year, month = start.year + months // 12, months % 12 + 1
        if year > 9999:
            return END
        # The local midnight of the first of a month may be the last day of the month before in UTC.
        day = min(start.day, 28) if start.day < 29 else start.day
        while True:
            try:
                return start.replace(year=year, month=month, day=day)
            except ValueError:
                day -= 1
    days = _DAYS.get(granularity or "", 0)
    try:
        return start + (timedelta(days=days) if days else TICK)
    except OverflowError:
        return END


def position(record: StatementRecord) -> datetime:
    """Where the statement is placed on the line: its latest possible start (T8); recorded time never orders."""
    if record.valid_from is not None:
        return period_end(record.valid_from, record.valid_granularity) - TICK
    if record.temporal in ("past", "ended"):
        return record.valid_to or BEGINNING
    return said_at(record)


def said_at(record: StatementRecord) -> datetime:
    """The instant up to which a source vouches for the present: the session's, or the turn's own for a report."""
    return record.asserted_at if relation(record.predicate).permanence == "report" else record.session_started


def known_part(record: StatementRecord) -> tuple[datetime, datetime] | None:
    """The time for which the source vouches, [from, until); None if there is none."""
    if relation(record.predicate).permanence == "permanent":
        return BEGINNING, END
    past = record.temporal in ("past", "ended")
    if record.valid_from is not None:
        start = period_end(record.valid_from, record.valid_granularity) - TICK
    elif past:
        return None
    else:
        start = said_at(record)
    if past:
        end = record.valid_to if record.valid_to is not None else start + TICK
    else:
        said = said_at(record) + TICK
        end = said if record.valid_to is None else min(said, record.valid_to)
    return (start, end) if start < end else None


def intersection(
    left: tuple[datetime, datetime] | None, right: tuple[datetime, datetime] | None
) -> tuple[datetime, datetime] | None:
    """The common part of two half-open intervals, or None; intervals that only meet have none."""
    if left is None or right is None:
        return None
    start, end = max(left[0], right[0]), min(left[1], right[1])
    return (start, end) if start < end else None


def open_end(record: StatementRecord) -> bool:
    """Whether the end is only presumed: not given, or lying ahead when it was said."""
    if record.temporal in ("past", "ended"):
        return record.valid_to is None
    return record.valid_to is None or record.valid_to > record.asserted_at


def over_before(ending: StatementRecord, stay: StatementRecord) -> bool:
    """Whether an end, at its latest, lies before the time from which a stay is known to hold: it ended an earlier one."""
    last = period_end(ending.valid_to or ending.asserted_at, ending.valid_granularity)
    return last <= (stay.valid_from or stay.session_started)


def touching(left: tuple[datetime | None, datetime | None], right: tuple[datetime | None, datetime | None]) -> bool:
    """Whether two intervals overlap or meet; an unknown bound reaches as far as it must."""
    start = max(left[0] or BEGINNING, right[0] or BEGINNING)
    end = min(left[1] or END, right[1] or END)
    return start <= end
