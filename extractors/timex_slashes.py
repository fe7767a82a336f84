"""Days in figures without a year, ranges of them, and weekdays beside a date: "4/5", "10/1-11/2/2017", "Friday 7/6".

Invariant: both orders of day and month are readings where both exist, and all dates of a range are read in one order.  A
weekday that fits only some of the readings leaves only those.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom, Find, has, rule, value, year_in, yearly
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_figures import orders_of
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT

WEEKDAY = "(this|next|last)? (weekday|wday) comma? the?"


def _yearly_days(orders: Sequence[tuple[int, int]]) -> Find:
    finders = [yearly(lambda year, month=month, day=day: calendar.day_of(year, month, day)) for month, day in orders]  # type: ignore[misc]
    return lambda moment, tense: [found for find in finders for found in find(moment, tense)]


@rule("(from|between)? (dm|date) (dash|to|and|until) (dm|date) ((comma|of|in)? year)?")
def _range_in_figures(tokens: Sequence[Token]) -> Atom | None:
    ends = [token for token in tokens if token.kind in ("dm", "date")]
    if has(tokens, "and") != has(tokens, "between") or not all("/" in token.word and token.word[0].isdigit() for token in ends):
        return None
    if any(token.word.count("/") != 1 + (token.kind == "date") or not token.word[-1].isdigit() for token in ends):
        return None
    told = year_in(tokens)
    spans = [(begin, close) for begin, close in zip(*(orders_of(token.word) for token in ends), strict=True)]
    finders = [_span(begin, close, told) for begin, close in dict.fromkeys(spans)]
    floating = told is None and not has(ends, "date")
    alone = floating and not has(tokens, "from", "between")

    def find(moment: datetime, tense: str | None) -> list[Period | Closed]:
        return [found for finder in finders for found in finder(moment, tense)]

    return Atom(find, "day", floating=floating, weak=alone, shape="range_atom")


def _span(begin: tuple[int | None, int, int], close: tuple[int | None, int, int], told: int | None) -> Find:
    last = close[0] or told

    def make(year: int) -> Closed | None:
        end = calendar.day_of(year, *close[1:])
        start = calendar.day_of(begin[0] or year - (begin[1:] > close[1:]), *begin[1:])
        return Closed(start.start, end.end) if start and end and start.start < end.end else None

    if last is not None:
        found = make(last)
        return lambda moment, tense: [found] if found else []
    if begin[0] is not None:
        found = make(begin[0] + (begin[1:] > close[1:]))
        return lambda moment, tense: [found] if found else []
    return yearly(make)


@rule("dm (comma|of|in)? year")
@rule(f"{WEEKDAY} dm ((comma|of|in)? year)?")
def _day_and_year(tokens: Sequence[Token]) -> Atom | None:
    orders, year, wanted = value(tokens, "dm"), year_in(tokens), value(tokens, "weekday", "wday")
    assert isinstance(orders, list)
    if year is not None:
        days = [found for month, day in orders if (found := calendar.day_of(year, month, day))]
        return Atom(lambda moment, tense: days, "day", shape="day_atom") if days else None
    plain = _yearly_days(orders)

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        years = range(moment.year - 1, moment.year + 2)
        days = [
            d for y in years for month, day in orders if (d := calendar.day_of(y, month, day)) and d.start.weekday() == wanted
        ]
        past = tense in ("past", PERFECT)
        fitting = [d for d in days if (d.start <= moment if past else d.end > moment)]
        return sorted(fitting, reverse=past)[:1] or list(plain(moment, tense))

    return Atom(find, "day", floating=True, shape="day_atom")


@rule(f"{WEEKDAY} date")
def _weekday_and_date(tokens: Sequence[Token]) -> Atom | None:
    unit, *starts = tokens[-1].value
    if unit != "day":
        return None
    wanted = value(tokens, "weekday", "wday")
    fitting = [start for start in starts if start.weekday() == wanted] or starts
    return Atom(lambda moment, tense: [calendar.period(start, "day") for start in fitting], "day", shape="day_atom")


@rule("dmy")
def _short_date(tokens: Sequence[Token]) -> Atom | None:
    # "12-10-15" is also a score or a code, so a preposition has to say that it is a date.
    days = [calendar.period(start, "day") for start in tokens[0].value[1:]]
    return Atom(lambda moment, tense: days, "day", weak=True, shape="day_atom")


@rule("dm")
def _day_in_figures(tokens: Sequence[Token]) -> Atom | None:
    # Alone "4/5" is mostly a fraction; "4-May" and "04/05" are not.
    word = tokens[0].word
    written = not (word[0].isdigit() and word[-1].isdigit()) or any(
        len(part) == 2 and part[0] == "0" for part in word.split("/")
    )
    return Atom(_yearly_days(tokens[0].value), "day", floating=True, weak=not written, shape="day_atom")
