"""Times of day: clock times, their ranges, and their union with a day ("tomorrow at 9:30", "Friday night")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom, fixed
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_clock import clock
from graphmem.extractors.timex_items import DAY, Item, atoms_of, joins


@joins("(num|clock_atom) in the part")
def _hour_of_part(items: Sequence[Item]) -> Atom | None:
    first, _ = items[-1].token.value
    if items[0].atom is None:
        hour: int = items[0].token.value
        return clock(hour + 12 * (first >= 12 and hour < 12), None, weak=False) if 1 <= hour <= 12 else None
    return _later(items[0].atom, first)


def _later(atom: Atom, first: int) -> Atom:
    """A clock time read in a part of the day: eight in the evening is twenty."""

    def find(moment: datetime, tense: str | None) -> list[Period]:
        readings = []
        for start, end, *_ in atom.find(moment, tense):
            half = timedelta(hours=12 if start and start.hour < 12 and first >= 12 else 0)
            readings.append(Period(start and start + half, end and end + half))
        return readings

    return replace(atom, find=find, weak=False)


@joins("(from|between)? (clock_atom|num) (to|until|dash|and) clock_atom")
def _hours(items: Sequence[Item]) -> Atom | None:
    left, right = items[-3], items[-1]
    if items[-2].kind == "and" and items[0].kind != "between":
        return None
    if left.atom is None and not 1 <= left.token.value <= 12:
        return None
    close = right.atom
    assert close is not None
    number = left.token.value

    def find(moment: datetime, tense: str | None) -> list[Period]:
        end = close.find(moment, None)[0][0]
        if end is None:
            return []
        if left.atom is not None:
            start = left.atom.find(moment, None)[0][0]
        else:
            start = calendar.midnight(moment) + timedelta(hours=number + 12 * (end.hour > 12 and number + 12 <= end.hour))
        return [Period(start, end)] if start and start < end else []

    grain = "hour" if close.grain == "hour" and (left.atom is None or left.atom.grain == "hour") else "minute"
    return Atom(find, grain, floating=True, shape="clock_atom")


@joins("clock_atom comma? on? weekday_atom (to|until|dash) weekday_atom")
@joins("from? weekday_atom (to|until|dash) weekday_atom comma? (at|from|between)* clock_atom")
def _hours_of_week(items: Sequence[Item]) -> Atom | None:
    """Reads "9 to 5 Monday to Friday": hours on a row of weekdays come back every week."""
    return fixed(Period(None, None), "week", modifier="recurring", shape="recurring")


@joins(f"({DAY}|part_atom) comma? (in the|at|approx|from|between|by)* (part|clock_atom|dot|num)")
@joins(f"(clock_atom (on|comma|of)* the? ({DAY}|part_atom))|(at (num|dot) on? ({DAY}|part_atom))|(part (of|on) {DAY})")
def _day_and_hour(items: Sequence[Item]) -> Atom | None:
    hour = next(i for i in items if i.kind in ("part", "clock_atom", "dot", "num"))
    day = next(i.atom for i in items if i.atom is not None and i.kind != "clock_atom")
    between = [i.kind for i in items]
    if hour.kind in ("num", "dot") and ("at" not in between or hour.token.word.endswith(".5")):
        return None
    if hour.kind == "num" and not 0 <= hour.token.value <= 23:
        return None
    if hour.kind == "part" and "by" in between:
        return None
    morning = hour.token.word.replace(".", "").endswith("am")
    return _on(day, _hours_of(hour), "part_of_day" if hour.kind == "part" else _clock_of(hour).grain, morning=morning)


def _clock_of(item: Item) -> Atom:
    if item.atom is not None:
        return item.atom
    if item.kind == "dot":
        return clock(item.token.value[0] % 24, item.token.value[1], weak=False)
    return clock(item.token.value, None, weak=False)


def _hours_of(item: Item) -> Callable[[datetime], Period]:
    if item.kind == "part":
        first, last = item.token.value
        return lambda day: Period(day + timedelta(hours=first), day + timedelta(hours=last))
    atom = _clock_of(item)

    def hours(day: datetime) -> Period:
        found = atom.find(day, None)
        return Period(found[0][0], found[0][1]) if found else Period(None, None)

    return hours


def _on(day: Atom, hours: Callable[[datetime], Period], grain: str, *, morning: bool) -> Atom:
    def find(moment: datetime, tense: str | None) -> list[Period]:
        readings = []
        for start, *_ in day.find(moment, tense):
            if start is None:
                continue
            found = hours(calendar.midnight(start))
            if day.shape == "part_atom" and found.start and found.start.hour < 12 <= start.hour:
                # "Tonight at 9" is in the evening, "tonight at 2am" after midnight.
                later = timedelta(hours=24 if morning else 12)
                found = Period(found.start + later, found.end and found.end + later)
            if found.start is not None:
                readings.append(found)
        return readings

    return Atom(find, grain, floating=day.floating, shape="clock_atom" if grain != "part_of_day" else "part_atom")


@joins("recurring comma? (at|approx|from|in the|on)+ (clock_atom|num|dot|part|recurring)")
@joins("clock_atom comma? recurring|recurring (clock_atom|part)|recurring (in|on|at) (atom|season_atom|day_atom|weekday_atom)")
def _recurring_hour(items: Sequence[Item]) -> Atom | None:
    if any(not atom.floating and atom.modifier != "recurring" for atom in atoms_of(items)):
        return None
    return next(i.atom for i in items if i.kind == "recurring")


@joins("in the part")
def _bare_part(items: Sequence[Item]) -> Atom | None:
    """Reads "in the morning" is the last or the next one, if the sentence says which."""
    first, last = items[-1].token.value

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        today = calendar.midnight(moment)
        near = [Closed(today + timedelta(hours=24 * d + first), today + timedelta(hours=24 * d + last)) for d in (-1, 0, 1)]
        if tense == "past":
            return [made for made in near if made.start <= moment][-1:]
        return [made for made in near if made.start > moment][:1] if tense == "future" else []

    return Atom(find, "part_of_day", floating=True, shape="part_atom")
