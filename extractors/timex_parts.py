"""Parts of periods, and days of a month: "the first week of June", "early next year", "the 4th to the 9th of next month"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_items import DAY, Item, atoms_of, joins, token_of
from graphmem.extractors.timex_weeks import weeks_within


@joins("the (unit|weekend) (before last|after next)")
def _but_one(items: Sequence[Item]) -> Atom | None:
    step = -2 if items[2].kind == "before" else 2
    if items[1].kind == "weekend":
        return Atom(lambda moment, tense: [calendar.weekend_of(moment, step)], "weekend")
    unit, count = items[1].token.value
    if unit in ("minute", "hour") or count != 1:
        return None
    return Atom(lambda moment, tense: [calendar.period(moment, unit, step)], unit)


WEEKDAY_OF_WEEK = "the? weekday_atom comma? (of|in)? the? week_atom|week_atom comma? on? weekday_atom"


@joins(WEEKDAY_OF_WEEK)
def _weekday_of_week(items: Sequence[Item]) -> Atom | None:
    weekday = next(i for i in items if i.kind == "weekday_atom")
    week = next(i.atom for i in items if i.kind == "week_atom")
    wanted = next(t for t in (weekday.token,)).value
    if week is None or not isinstance(wanted, int):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, *_ in week.find(moment, tense) if start is not None]
        return [calendar.period(start + timedelta(days=(wanted - start.weekday()) % 7), "day") for start in starts]

    return Atom(find, "day", shape="day_atom")


def _day_number(item: Item) -> int:
    if item.atom is None:
        number: int = item.token.value
        return number
    start = item.atom.find(datetime(2024, 1, 1), None)[0][0]
    return start.day if start else 0


@joins("(from|between)? the? (num|ordinal_atom) (to|until|dash|and) the? (num|ordinal_atom) (of|in)? the? atom")
def _days_of_month(items: Sequence[Item]) -> Atom | None:
    """Reads "from 4 to 22 this month"."""
    month = items[-1].atom
    opener, linked = items[0].kind, any(item.kind == "and" for item in items)
    if month is None or month.grain != "month" or month.modifier != "at" or linked != (opener == "between"):
        return None
    days = [item for item in items if item.kind in ("num", "ordinal_atom")]
    numbers = [_day_number(item) for item in days]

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found = []
        for start, *_ in month.find(moment, tense)[:1]:
            ends = [calendar.day_of(start.year, start.month, number) for number in numbers] if start is not None else []
            if len(ends) == 2 and ends[0] and ends[1] and ends[0].start < ends[1].start:
                found.append(Closed(ends[0].start, ends[1].end))
        return found

    return Atom(find, "day", shape="range_atom") if 1 <= numbers[0] < numbers[1] <= 31 else None


@joins("the? ordinal_atom (of|in)? the? atom|atom (comma|on)* ordinal_atom")
def _day_of_month(items: Sequence[Item]) -> Atom | None:
    """Reads "next month on the 5th", "the 5th of last month"."""
    number, month = (next(i for i in items if i.kind == kind) for kind in ("ordinal_atom", "atom"))
    whole, day = month.atom, _day_number(number)
    if whole is None or whole.grain != "month" or whole.floating or whole.modifier != "at" or whole.shape != "atom":
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, end, *_ in whole.find(moment, tense) if start and end and (end - start).days < 32]
        return [made for start in starts if (made := calendar.day_of(start.year, start.month, day))]

    return Atom(find, "day", shape="day_atom")


@joins(
    "the? (ord|last) (unit|weekday|wday|weekend|half|num units) (of|in) the? (atom|season_atom|year_atom|week_atom|unit)"
    "|the? ord of the? (atom)"
)
def _nth(items: Sequence[Item]) -> Atom | None:
    number = next(i for i in items if i.kind in ("ord", "last"))
    place = -1 if number.kind == "last" else number.token.value
    kinds = ("unit", "units", "weekday", "wday", "weekend", "half")
    counted = next((i for i in items if i.kind in kinds and i.atom is None), None)
    whole = _whole(items[-1])
    if whole is None or counted is items[-1]:
        return None
    if counted is not None and counted.kind == "units":
        return _stretch(whole, place, token_of(items, "num").value, *counted.token.value)

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found: list[Closed] = []
        for start, end, *_ in whole.find(moment, tense)[:1]:
            if start is not None and end is not None:
                made = _nth_of(Closed(start, end), place, counted)
                found += [made] if made is not None and made.start < end else []
                if counted is not None and counted.kind == "unit" and counted.token.value == ("week", 1):
                    # Seven days from the first, or the calendar week.
                    week = weeks_within(Closed(start, end), place)
                    found += [week] if week is not None else []
        return found

    grain = "day"
    if counted is not None and counted.kind in ("unit", "weekend"):
        grain = counted.token.value[0] if counted.kind == "unit" else "weekend"
    elif counted is not None and counted.kind == "half" and whole.grain == "year":
        grain = "half"
    return Atom(find, grain, shape={"day": "day_atom", "workday": "day_atom", "week": "week_atom"}.get(grain, "atom"))


# A week that has been counted has its days as well.
joins(WEEKDAY_OF_WEEK)(_weekday_of_week)


def _stretch(whole: Atom, place: int, number: int, unit: str, factor: int) -> Atom | None:
    """The first or last days, weeks or months of a period."""
    if place not in (1, -1) or unit in ("minute", "hour"):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found = []
        for start, end, *_ in whole.find(moment, tense)[:1]:
            if start is None or end is None:
                continue
            edge = calendar.shift(start if place > 0 else end, place * number * factor, unit)
            made = Closed(start, edge) if place > 0 else Closed(edge, end)
            found += [made] if start <= edge <= end else []
        return found

    return Atom(find, "day")


@joins(f"for? (a|num) (unit|units) comma? from+ on? the? {DAY}")
def _from_day(items: Sequence[Item]) -> Atom | None:
    """Reads "3 days starting Monday"; "3 days from Monday" is the day after them."""
    opener = items[0].kind == "for"
    number = next((i.token.value for i in items if i.kind == "num"), 1)
    (unit, factor), day = token_of(items, "unit", "units").value, items[-1].atom
    starting = any(i.kind == "from" and i.token.word != "from" for i in items)
    if day is None or unit in ("minute", "hour") or not (starting or opener):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, *_ in day.find(moment, tense) if start is not None]
        return [Closed(start, calendar.shift(start, number * factor, unit)) for start in starts]

    return Atom(find, "day", shape="range_atom")


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
    if unit == "workday":
        day = calendar.midnight(calendar.shift(whole.end if place < 0 else whole.start - timedelta(days=1), place, unit))
        return calendar.period(day, "day")
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
    if (
        whole is None
        or (not short and linked != ["of"])
        or (linked == ["in"] and word not in ("early", "late", "later", "earlier"))
    ):
        return None
    if items[-1].kind == "unit" and items[-2].kind != "the" and (edge not in ("start", "end") or linked != ["of"]):
        return None
    if items[-1].kind in ("day_atom", "part_atom"):
        return None if linked else replace(whole, shape="atom")
    if edge == "within":
        return Atom(lambda moment, tense: _side(whole.find(moment, tense), moment, word), "day", floating=whole.floating)
    if edge == "rest":
        return Atom(lambda moment, tense: _rest(whole.find(moment, tense), moment), "day")
    grain = calendar.edge_of(Closed(datetime(2000, 1, 1), datetime(2001, 1, 1)), whole.grain, edge)[1]

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        return [
            calendar.edge_of(Closed(start, end), whole.grain, edge)[0]
            for start, end, *_ in whole.find(moment, tense)
            if start is not None and end is not None
        ]

    side = "late" if word == "late" else edge
    return Atom(find, grain, "approx", whole=f"{side} {whole.grain}", floating=whole.floating)


def _side(readings: Sequence[Period | Closed], moment: datetime, word: str) -> list[Period]:
    """The part of a period that is still to come ("later this week") or over; its half where the moment is outside."""
    found = []
    for start, end, *_ in readings[:1]:
        if start is None or end is None:
            continue
        half = _half_of(Closed(start, end), 1)
        middle = half.end if half else end
        today = calendar.midnight(moment)
        cuts = [today, middle] if start < today < end else [middle]
        found += [Period(cut, end) if word == "later" else Period(start, cut) for cut in cuts]
    return found


def _rest(readings: Sequence[Period | Closed], moment: datetime) -> list[Period]:
    today = calendar.midnight(moment)
    return [Period(today, end) for start, end, *_ in readings[:1] if start and end and start <= moment < end]
