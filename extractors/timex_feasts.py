"""Rules for holidays: "at Christmas", "last Easter", "Labor Day 2024", "Easter weekend".

Invariant: the name alone is no time, because people speak more of holidays than of their days; a preposition of time, a year
or a direction makes it one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.extractors.timex_atom import Atom, counts, fixed, rule, year_in, yearly
from graphmem.extractors.timex_calendar import Closed, period
from graphmem.extractors.timex_holidays import holiday_of, weekend_at
from graphmem.extractors.timex_lexer import Token

OF_YEAR = "(of|in|comma)? (year|short)"


@rule(f"the? holiday weekend ({OF_YEAR})?")
@rule(f"the? holiday {OF_YEAR} weekend")
def _weekend(tokens: Sequence[Token]) -> Atom | None:
    name, year = next(t.value for t in tokens if t.kind == "holiday"), year_in(tokens)
    if year is not None:
        return fixed(weekend_at(name, year), "weekend")
    return Atom(yearly(lambda y: weekend_at(name, y)), "weekend", floating=True, weak=True)


@rule(f"the? holiday {OF_YEAR}")
def _with_year(tokens: Sequence[Token]) -> Atom | None:
    year, name = year_in(tokens), next(t.value for t in tokens if t.kind == "holiday")
    return fixed(holiday_of(name, year), "day", shape="day_atom") if year else None


@rule(f"the? holiday unit ({OF_YEAR})?")
def _week(tokens: Sequence[Token]) -> Atom | None:
    name, year = next(t.value for t in tokens if t.kind == "holiday"), year_in(tokens)
    if not counts(tokens, "week"):
        return None
    if year is not None:
        return fixed(period(holiday_of(name, year).start, "week"), "week")
    return Atom(yearly(lambda y: period(holiday_of(name, y).start, "week")), "week", floating=True, weak=True)


@rule("the? (last|next|this) holiday")
def _near(tokens: Sequence[Token]) -> Atom | None:
    name, direction = tokens[-1].value, tokens[-2].kind

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        near = [holiday_of(name, moment.year + step) for step in range(-2, 3)]
        if direction == "last":
            return [made for made in near if made.end <= moment][-1:]
        if direction == "this":
            return [holiday_of(name, moment.year)]
        return [made for made in near if made.start > moment][:1]

    return Atom(find, "day", shape="day_atom")


@rule("holiday")
def _alone(tokens: Sequence[Token]) -> Atom | None:
    name = tokens[0].value
    return Atom(yearly(lambda year: holiday_of(name, year)), "day", floating=True, weak=True, shape="day_atom")
