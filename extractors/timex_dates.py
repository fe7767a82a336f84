"""Dates and periods with a name of their own: "3 March 1990", "June", "Q3 2025", "the nineties", "at Christmas".

Invariant: a date without a year is that of the last or the next occurrence, as the tense asks; with a year it is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import MONTH, NUMBER, WEEKDAY, YEAR, Atom, counts, fixed, has, rule, value, year_in, yearly
from graphmem.extractors.timex_calendar import Closed
from graphmem.extractors.timex_figures import full_year
from graphmem.extractors.timex_lexer import Token


@rule("date")
def _date(tokens: Sequence[Token]) -> Atom | None:
    unit, *starts = tokens[0].value
    # Made when it is asked for, where a date at the end of the calendar is caught.
    return Atom(
        lambda moment, tense: [calendar.period(start, unit) for start in starts],
        unit,
        shape="day_atom" if unit == "day" else "atom",
    )


@rule(f"(from|between)? the? {NUMBER} of? {MONTH}? (dash|to|and|until) the? {NUMBER} of? {MONTH} {YEAR}?")
def _days_to_days(tokens: Sequence[Token]) -> Atom | None:
    if has(tokens, "and") != has(tokens, "between"):
        return None
    months = [t.value for t in tokens if t.kind in ("month", "name", "verb")]
    days = [t.value for t in tokens if t.kind in ("num", "ord")]
    return _span(days, months, year_in(tokens))


@rule(f"(from|between)? {MONTH} the? {NUMBER} (dash|to|and|until) the? {NUMBER} {YEAR}?")
def _month_then_days(tokens: Sequence[Token]) -> Atom | None:
    if has(tokens, "and") != has(tokens, "between"):
        return None
    months = [t.value for t in tokens if t.kind in ("month", "name", "verb")]
    return _span([t.value for t in tokens if t.kind in ("num", "ord")], months, year_in(tokens))


def _span(days: list[int], months: list[int], year: int | None) -> Atom | None:
    first, last = months[0], months[-1]

    def make(y: int) -> Closed | None:
        begin = calendar.day_of(y - (first > last), first, days[0])
        close = calendar.day_of(y, last, days[1])
        return Closed(begin.start, close.end) if begin and close and begin.start < close.start else None

    if year is not None:
        return fixed(make(year), "day", shape="range_atom")
    if make(2024) is None:
        return None
    return Atom(yearly(make), "day", floating=True, shape="range_atom")


@rule("verb num (?=stop|and|dash|to|comma(?!year|short)|$)")
def _plain_day(tokens: Sequence[Token]) -> Atom | None:
    """Reads "May 5." at the beginning of a sentence, where the capital says nothing."""
    atom = day_and_month(tokens)
    return replace(atom, weak=False) if atom is not None else None


@rule(f"the? (last|next|this) {MONTH} the? {NUMBER}")
@rule(f"the? (last|next|this) ord of? {MONTH}")
@rule("the? (last|next|this) dm")
def _near_day(tokens: Sequence[Token]) -> Atom | None:
    """Reads "last July 4th", "next 5/12"."""
    direction = next(t for t in tokens if t.kind in ("last", "next", "this")).kind
    written = tokens[-1].value if tokens[-1].kind == "dm" else None
    days = written or [(value(tokens, "month", "name", "verb"), value(tokens, "num", "ord"))]

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found = []
        for month, day in days:
            near = [made for step in range(-9, 10) if (made := calendar.day_of(moment.year + step, month, day))]
            if direction == "this":
                found += [made for made in near if made.start.year == moment.year]
            elif direction == "last":
                found += [made for made in near if made.end <= moment][-1:]
            else:
                found += [made for made in near if made.start > moment][:1]
        return found

    return Atom(find, "day", shape="day_atom")


@rule(f"{WEEKDAY}? the? {NUMBER} of? {MONTH} of num")
@rule(f"{WEEKDAY}? {MONTH} the? {NUMBER} comma? num (?=(stop|comma)|$)")
def _short_year(tokens: Sequence[Token]) -> Atom | None:
    """Reads "Nov 23, 87" and "23 Nov of 87": a number that is no day is a year."""
    day, short = [t.value for t in tokens if t.kind in ("num", "ord")][-2:]
    month = value(tokens, "month", "name", "verb")
    return fixed(calendar.day_of(full_year(short), month, day), "day", shape="day_atom") if month and 31 < short < 100 else None


@rule(f"{WEEKDAY}? {MONTH} comma the? {NUMBER} comma? year")
@rule(f"{WEEKDAY}? (month|name) comma the? {NUMBER} (?=stop|$)")
@rule(f"{WEEKDAY}? the? ord in {MONTH} {YEAR}?")
@rule(f"{WEEKDAY}? the? {NUMBER} comma {MONTH} comma? year")
@rule(f"{WEEKDAY}? the? {NUMBER} (of|dash)? {MONTH} dash? {YEAR}?")
@rule(f"{WEEKDAY}? {MONTH} the? {NUMBER} {YEAR}?")
@rule(f"{WEEKDAY}? year (comma|dash)? {MONTH} the? {NUMBER}")
@rule(f"{MONTH} dash year dash {NUMBER}")
@rule(f"{NUMBER} dash year dash {MONTH}")
def day_and_month(tokens: Sequence[Token]) -> Atom | None:
    """A day of a month by name, with or without a year."""
    month, day = value(tokens, "month", "name", "verb"), value(tokens, "num", "ord")
    year = year_in(tokens)
    if month is None or day is None or not 1 <= day <= 31:
        return None
    if year is not None:
        return fixed(calendar.day_of(year, month, day), "day", shape="day_atom")
    if calendar.day_of(2024, month, day) is None:
        return None
    doubtful = has(tokens, "verb") and not has(tokens, "ord")
    return Atom(yearly(lambda y: calendar.day_of(y, month, day)), "day", floating=True, weak=doubtful, shape="day_atom")


@rule("year dash? (quarter|half_year)")
@rule("(quarter|half_year) (of|dash|comma)? the? (year|short)?")
@rule("the? (ord|last) (unit|half) of (the year)?(year)")
def _part_of_year(tokens: Sequence[Token]) -> Atom | None:
    year = year_in(tokens)
    if has(tokens, "unit") and tokens[-3 if tokens[-2].kind == "of" else -4].value != ("quarter", 1):
        return None
    number = value(tokens, "quarter", "half_year", "ord")
    length = 6 if has(tokens, "half_year", "half") else 3
    grain = "half" if length == 6 else "quarter"
    if not isinstance(number, int):
        number = 12 // length
    if not 1 <= number * length <= 12:
        return None

    def make(y: int) -> Closed:
        return calendar.month_of(y, (number - 1) * length + 1, length)

    if year is not None:
        return fixed(make(year), grain)
    return Atom(yearly(make), grain, floating=True, weak=grain == "half")


@rule(f"{MONTH} (of|in|comma|dash)? (year|short)")
@rule(f"{MONTH} of num")
def _month_and_year(tokens: Sequence[Token]) -> Atom | None:
    year, month = year_in(tokens), value(tokens, "month", "name", "verb")
    if tokens[-1].kind == "num" and tokens[-1].value > 31:
        # "June of 87" has no day 87.
        year = full_year(tokens[-1].value)
    return fixed(calendar.month_of(year, month), "month") if year and month else None


@rule(f"the? unit of {MONTH} ((of|in|comma)? (year|short))?")
def _the_month_of(tokens: Sequence[Token]) -> Atom | None:
    if not counts(tokens, "month"):
        return None
    year, month = year_in(tokens), value(tokens, "month", "name", "verb") or 1
    if year:
        return fixed(calendar.month_of(year, month), "month")
    return Atom(yearly(lambda y: calendar.month_of(y, month)), "month", floating=True)


@rule("the? season (of|in)? (year|short)")
@rule("the? year season")
def _season_and_year(tokens: Sequence[Token]) -> Atom | None:
    year, month = year_in(tokens), value(tokens, "season")
    if not year or not month:
        return None
    # "Winter 2025" begins in December 2025.
    return fixed(calendar.season_of(month, year + (month == 12)), "season", shape="season_atom")


@rule("the? edge dash? the? decade")
@rule("the? decade")
def _decade(tokens: Sequence[Token]) -> Atom | None:
    start, word = int(tokens[-1].value or 0), tokens[-1].word
    # "The nineties" and "the 90s" need their article, "1990s" does not.
    if not start or (len(tokens) == 1 and len(word.rstrip("s'")) < 5 and not word[:4].isdigit()):
        return None
    if len(tokens) == 1 and not word[0].isdigit():
        return None
    edge = next((token.value for token in tokens if token.kind == "edge"), None)
    # "The 1800s" are a century, "the 2000s" so far a decade.
    unit = "century" if start % 100 == 0 and start < 2000 else "decade"
    whole = calendar.period(datetime(start, 1, 1), unit)
    if edge in ("start", "middle", "end"):
        part, grain = calendar.edge_of(whole, unit, edge)
        return fixed(part, grain, modifier="approx")
    return fixed(whole, unit)


@rule("the? ord unit")
def _century(tokens: Sequence[Token]) -> Atom | None:
    number, (unit, _) = tokens[-2].value, tokens[-1].value
    if unit != "century" or not 11 <= number <= 21:
        return None
    return fixed(calendar.period(datetime(number * 100 - 100, 1, 1), "century"), "century")


@rule("the unit of? year")
def _the_year(tokens: Sequence[Token]) -> Atom | None:
    if tokens[1].value != ("year", 1):
        return None
    return fixed(calendar.period(datetime(tokens[-1].value, 1, 1), "year"), "year")


@rule("year (to|until|dash) year")
@rule("year dash num")
def _years(tokens: Sequence[Token]) -> Atom | None:
    first, last = tokens[0].value, tokens[2].value
    if tokens[2].kind == "num":
        last += first - first % 100
    if not 1500 <= first < last <= 2199 or last - first > (15 if tokens[2].kind == "num" else 150):
        return None
    return fixed(Closed(datetime(first, 1, 1), datetime(last + 1, 1, 1)), "year", shape="range_atom")


@rule("(year|short)")
def _year(tokens: Sequence[Token]) -> Atom | None:
    start = datetime(year_in(tokens) or 1, 1, 1)
    return Atom(lambda moment, tense: [calendar.period(start, "year")], "year", weak=True, shape="year_atom")


@rule(MONTH)
def _month(tokens: Sequence[Token]) -> Atom | None:
    month, kind = tokens[0].value, tokens[0].kind
    return Atom(
        yearly(lambda year: calendar.month_of(year, month)),
        "month",
        floating=True,
        weak=kind != "month",
        firm=kind == "verb",
    )


@rule("season")
def _season(tokens: Sequence[Token]) -> Atom | None:
    month = tokens[0].value
    return Atom(yearly(lambda year: calendar.season_of(month, year)), "season", floating=True, weak=True, shape="season_atom")
