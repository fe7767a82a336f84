"""Parts of periods and places counted from a day: "the first week of June", "early next year", "2 weeks before Easter"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_items import DAY, Item, atoms_of, joins, token_of


@joins("the unit (before last|after next)")
def _but_one(items: Sequence[Item]) -> Atom | None:
    unit, count = items[1].token.value
    step = -2 if items[2].kind == "before" else 2
    if unit in ("minute", "hour") or count != 1:
        return None
    return Atom(lambda moment, tense: [calendar.period(moment, unit, step)], unit)


@joins("weekday_atom comma? (of|in)? the? week_atom|week_atom comma? on? weekday_atom")
def _weekday_of_week(items: Sequence[Item]) -> Atom | None:
    weekday = next(i for i in items if i.kind == "weekday_atom")
    week = next(i.atom for i in items if i.kind == "week_atom")
    wanted = next(t for t in (weekday.token,)).value
    if week is None or not isinstance(wanted, int):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, *_ in week.find(moment, tense)[:1] if start is not None]
        return [calendar.period(start + timedelta(days=wanted), "day") for start in starts]

    return Atom(find, "day", shape="day_atom")


@joins(
    "the? (ord|last) (unit|weekday|wday|weekend|half) (of|in) the? (atom|season_atom|year_atom|unit)|the? ord of the? (atom)"
)
def _nth(items: Sequence[Item]) -> Atom | None:
    number = next(i for i in items if i.kind in ("ord", "last"))
    place = -1 if number.kind == "last" else number.token.value
    counted = next((i for i in items if i.kind in ("unit", "weekday", "wday", "weekend", "half") and i.atom is None), None)
    whole = _whole(items[-1])
    if whole is None or counted is items[-1]:
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found: list[Closed] = []
        for start, end, *_ in whole.find(moment, tense)[:1]:
            if start is not None and end is not None:
                made = _nth_of(Closed(start, end), place, counted)
                found += [made] if made is not None and made.start < end else []
        return found

    grain = "day"
    if counted is not None and counted.kind in ("unit", "weekend"):
        grain = counted.token.value[0] if counted.kind == "unit" else "weekend"
    elif counted is not None and counted.kind == "half" and whole.grain == "year":
        grain = "half"
    return Atom(find, grain, shape="day_atom" if grain == "day" else "atom")


def _nth_of(whole: Closed, place: int, counted: Item | None) -> Closed | None:
    if counted is None or (counted.kind == "unit" and counted.token.value[0] == "day"):
        start = whole.end - timedelta(days=1) if place < 0 else whole.start + timedelta(days=place - 1)
        return calendar.period(start, "day")
    if counted.kind in ("weekday", "wday", "weekend"):
        wanted = 5 if counted.kind == "weekend" else counted.token.value
        if place < 0:
            last = whole.end - timedelta(days=1)
            start = last - timedelta(days=(last.weekday() - wanted) % 7)
        else:
            start = whole.start + timedelta(days=(wanted - whole.start.weekday()) % 7 + 7 * (place - 1))
        return Closed(start, start + timedelta(days=2 if counted.kind == "weekend" else 1))
    if counted.kind == "half":
        return _half_of(whole, place)
    unit, count = counted.token.value
    if unit in ("minute", "hour"):
        return None
    if place < 0:
        return Closed(calendar.shift(whole.end, -count, unit), whole.end)
    start = calendar.shift(whole.start, count * (place - 1), unit)
    return Closed(start, calendar.shift(start, count, unit))


def _half_of(whole: Closed, place: int) -> Closed | None:
    days = (whole.end - whole.start).days
    middle = whole.start + timedelta(days=days // 2)
    if days > 300:
        middle = calendar.shift(whole.start, 6, "month")
    return {1: Closed(whole.start, middle), 2: Closed(middle, whole.end), -1: Closed(middle, whole.end)}.get(place)


def _whole(item: Item) -> Atom | None:
    """The period that a part is taken of; "the month" alone is the one that runs."""
    if item.atom is not None:
        return item.atom
    unit, count = item.token.value
    if unit in ("minute", "hour", "day") or count != 1:
        return None
    return Atom(lambda moment, tense: [calendar.period(moment, unit)], unit)


@joins("(atom|day_atom|season_atom) comma? (of|in)? the? atom|atom comma? (in|on|at)? the? (atom|day_atom|season_atom)")
def _of_year(items: Sequence[Item]) -> Atom | None:
    """Reads "March last year", "next year at Easter"."""
    first, last = atoms_of(items)
    named, year = (first, last) if last.grain == "year" else (last, first)
    plain = named.modifier == year.modifier == "at"
    if year.grain != "year" or year.floating or not named.floating or named.grain == "year" or not plain:
        return None

    def find(moment: datetime, tense: str | None) -> list[Period]:
        readings = []
        for start, end, *_ in year.find(moment, tense)[:1]:
            anchor = start
            while anchor is not None and end is not None and anchor < end:
                begin, close, *_ = named.find(anchor, "future")[0]
                if begin is None or close is None or start is None:
                    break
                if start <= begin < end:
                    readings.append(Period(begin, close))
                    break
                anchor = close
        return readings

    return replace(named, find=find, floating=False, weak=False)


@joins("the? edge (of|in|dash)? the? (atom|season_atom|year_atom|week_atom|unit)|the? edge (of|in)? (day_atom|part_atom)")
def _edge(items: Sequence[Item]) -> Atom | None:
    edge, word = token_of(items, "edge").value, token_of(items, "edge").word
    linked = [i.kind for i in items if i.kind in ("of", "in", "dash")]
    whole = _whole(items[-1])
    short = word in ("early", "late", "mid", "later", "earlier")
    if whole is None or (not short and linked != ["of"]) or (linked == ["in"] and word not in ("early", "late")):
        return None
    if items[-1].kind == "unit" and (edge == "within" or items[-2].kind != "the"):
        return None
    if edge == "within" or items[-1].kind in ("day_atom", "part_atom"):
        return None if linked else replace(whole, shape="atom")
    if edge == "rest":
        return Atom(lambda moment, tense: _rest(whole.find(moment, tense), moment), "day")
    grain = calendar.edge_of(Closed(datetime(2000, 1, 1), datetime(2001, 1, 1)), whole.grain, edge)[1]

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        return [
            calendar.edge_of(Closed(start, end), whole.grain, edge)[0]
            for start, end, *_ in whole.find(moment, tense)
            if start is not None and end is not None
        ]

    return Atom(find, grain, "approx", whole=f"{edge} {whole.grain}", floating=whole.floating)


def _rest(readings: Sequence[Period | Closed], moment: datetime) -> list[Period]:
    today = calendar.midnight(moment)
    return [Period(today, end) for start, end, *_ in readings[:1] if start and end and start <= moment < end]


@joins("the? unit of the? (day_atom|ordinal_atom)")
def _week_of(items: Sequence[Item]) -> Atom | None:
    unit, count = token_of(items, "unit").value
    day = items[-1].atom
    if unit != "week" or count != 1 or day is None:
        return None
    return Atom(lambda m, t: [calendar.period(s, "week") for s, *_ in day.find(m, t) if s is not None], "week")


@joins(f"((a|num|the)? (unit|units) (before|after|from) the? {DAY})")
def _counted_from(items: Sequence[Item]) -> Atom | None:
    number = next((i.token.value for i in items if i.kind == "num"), 1)
    unit, count = token_of(items, "unit", "units").value
    base = items[-1].atom
    sign = -1 if any(i.kind == "before" for i in items) else 1
    if base is None or unit in ("minute", "hour") or (items[0].kind == "the" and unit not in ("day", "week")):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, *_ in base.find(moment, tense)[:1] if start is not None]
        grain = unit if items[0].kind == "the" else "day"
        return [calendar.period(calendar.shift(start, sign * number * count, unit), grain) for start in starts]

    return Atom(find, unit if items[0].kind == "the" else "day", shape="day_atom" if unit == "day" else "atom")
