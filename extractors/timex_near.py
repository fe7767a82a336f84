"""Expressions that point from the moment of speech: "yesterday", "last week's Friday", "this summer", "on Monday".

Invariant: weeks start on Monday; "last" ends before the moment, "next" begins after it, a bare weekday is never today.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import MONTH, Atom, has, relative, rule, value
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT
from graphmem.extractors.timex_words import WEEKDAYS


@rule("day the? part")
@rule("the? part of the? day")
def _day_and_part(tokens: Sequence[Token]) -> Atom | None:
    step = next(t.value for t in tokens if t.kind == "day")
    first, last = next(t.value for t in tokens if t.kind == "part")
    return part_of_day(lambda moment: calendar.midnight(moment) + timedelta(days=step), first, last)


def part_of_day(day: Callable[[datetime], datetime], first: int, last: int) -> Atom:
    """Some hours of a day."""
    return relative(
        lambda moment: Closed(day(moment) + timedelta(hours=first), day(moment) + timedelta(hours=last)),
        "part_of_day",
        shape="part_atom",
    )


@rule("(last|this|next) part")
@rule("tonight")
def _near_part(tokens: Sequence[Token]) -> Atom | None:
    if tokens[0].kind == "tonight":
        return part_of_day(calendar.midnight, 18, 24)
    first, last = tokens[1].value
    back = tokens[0].kind == "last"
    if tokens[0].kind == "next" or (back and tokens[0].value == "previous"):
        return None
    if back or first == 22:
        # At five in the morning "last night" is the night that is ending.
        return part_of_day(lambda moment: calendar.midnight(moment) - timedelta(days=back), first, last)
    return part_of_day(calendar.midnight, first, last)


@rule("day")
def _day(tokens: Sequence[Token]) -> Atom | None:
    step = tokens[0].value
    return relative(lambda moment: calendar.period(moment, "day", step), "day", shape="day_atom")


@rule("the? (last|next|this) (weekday|wday)")
def _near_weekday(tokens: Sequence[Token]) -> Atom | None:
    direction, wanted = tokens[-2], tokens[-1].value
    if direction.value in ("following", "previous") and tokens[0].kind == "the":
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        today = calendar.midnight(moment)
        monday = calendar.floor(moment, "week")
        here = monday + timedelta(days=wanted)
        if direction.kind == "last":
            day = here if here < today else here - timedelta(days=7)
            # Some speakers mean that of the week before.
            found = [calendar.period(day, "day")] + [calendar.period(day - timedelta(days=7), "day")] * (day >= monday)
            return found[::-1] if direction.value == "previous" else found
        elif direction.kind == "this":
            late = here < today and tense not in ("past", PERFECT)
            day = here + timedelta(days=7) if late else here
        elif direction.value == "coming":
            day = here if here > today else here + timedelta(days=7)
        else:
            day = here + timedelta(days=7)
            # Some speakers mean the first one to come.
            return [calendar.period(day, "day")] + [calendar.period(here, "day")] * (here > today)
        return [calendar.period(day, "day")]

    return Atom(find, "day", shape="day_atom")


@rule("the? (last|next|this) weekend")
@rule("the weekend")
def _weekend(tokens: Sequence[Token]) -> Atom | None:
    direction = tokens[-2]

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        here = moment.weekday() >= 5
        past = tense in ("past", PERFECT)
        step = {"last": -1, "next": 1, "this": 0}.get(direction.kind, -1 if past and not here else 0)
        if direction.value == "coming" and not here:
            step = 0
        readings = [calendar.weekend_of(moment, step)]
        return readings + [calendar.weekend_of(moment)] * (direction.kind == "next" and not here)

    return Atom(find, "weekend")


@rule("the? (last|next|this) season")
def _near_season(tokens: Sequence[Token]) -> Atom | None:
    month, direction = tokens[-1].value, tokens[-2].kind

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        near = [calendar.season_of(month, moment.year + step) for step in range(-3, 4)]
        if direction == "last":
            return [made for made in near if made.end <= moment][-1:]
        coming = [made for made in near if made.start > moment]
        if direction == "next":
            # With one still to come this year, "next" is mostly the one of next year.
            later = [made for made in coming if (made.end - timedelta(days=1)).year > moment.year]
            return list(dict.fromkeys([later[0], coming[0]]))
        running = [made for made in near if made.start <= moment < made.end]
        begun = [made for made in near if made.start <= moment]
        return running or (begun[-1:] if tense in ("past", PERFECT) else coming[:1])

    return Atom(find, "season", shape="season_atom")


@rule(f"the? (last|next|this) {MONTH}")
def _near_month(tokens: Sequence[Token]) -> Atom | None:
    month, direction = tokens[-1].value, tokens[-2].kind
    if direction == "this" and tokens[-1].kind == "verb":
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        near = [calendar.month_of(moment.year + step, month) for step in range(-2, 3)]
        if direction == "last":
            return [made for made in near if made.end <= moment][-1:]
        if direction == "this":
            return [calendar.month_of(moment.year, month)]
        return [made for made in near if made.start > moment][:2]

    return Atom(find, "month")


@rule("(weekday|wday) comma? the? ord")
@rule("(weekday|wday) num (?=(stop|comma)|$)")
def _weekday_and_ordinal(tokens: Sequence[Token]) -> Atom | None:
    wanted, day = tokens[0].value, tokens[-1].value
    spelled_out = tokens[-2].kind == "the" and len(re.split(r"[- ]", tokens[-1].word)) == 2
    if not (tokens[-1].word[0].isdigit() or spelled_out) or not 1 <= day <= 31:
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        first = calendar.floor(moment, "month")
        months = [calendar.shift(first, step, "month") for step in range(-14, 15)]
        near = [made for m in months if (made := calendar.day_of(m.year, m.month, day)) and made.start.weekday() == wanted]
        if tense in ("past", PERFECT):
            return [made for made in near if made.start <= moment][-1:]
        return [made for made in near if made.end > moment][:1]

    return Atom(find, "day", floating=True, shape="day_atom")


@rule("the? (weekday|wday) (after next|before last)")
def _but_one(tokens: Sequence[Token]) -> Atom | None:
    wanted, back = value(tokens, "weekday", "wday") or 0, has(tokens, "last")

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        here = calendar.floor(moment, "week") + timedelta(days=wanted)
        weeks = (-2, -1) if back else (2, 1)
        return [calendar.period(here + timedelta(weeks=count), "day") for count in weeks]

    return Atom(find, "day", shape="day_atom")


@rule("num days (ago|hence)")
def _weekdays_away(tokens: Sequence[Token]) -> Atom | None:
    """Reads "two Fridays ago": the second one that lies behind."""
    count, name = tokens[0].value, tokens[1].word.removesuffix("s")
    if name not in WEEKDAYS:
        return None
    wanted, back = WEEKDAYS.index(name), has(tokens, "ago")

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        today = calendar.midnight(moment)
        near = (today.weekday() - wanted - 1) % 7 + 1 if back else (wanted - today.weekday() - 1) % 7 + 1
        return [calendar.period(today + (-1 if back else 1) * timedelta(days=near + 7 * (count - 1)), "day")]

    return Atom(find, "day", shape="day_atom")


@rule("weekday comma? num dash num")
def _weekday_and_dashed(tokens: Sequence[Token]) -> Atom | None:
    """Reads "Friday 7-6" as the near day that is that weekday, if one of the two is; else the figures are hours or a score."""
    plain = _weekday(tokens)
    first, second = (token.value for token in tokens if token.kind == "num")
    if plain is None or max(first, second) > 31 or min(first, second) > 12:
        return None

    def find(moment: datetime, tense: str | None) -> Sequence[Period | Closed]:
        days = [calendar.day_of(moment.year, month, day) for month, day in ((first, second), (second, first)) if month <= 12]
        near = [day for day in days if day is not None and abs(day.start - moment) <= timedelta(days=14)]
        return [day for day in near if day.start.weekday() == tokens[0].value][:1] or plain.find(moment, tense)

    return replace(plain, find=find)


@rule("(weekday|wday)")
def _weekday(tokens: Sequence[Token]) -> Atom | None:
    wanted = tokens[0].value

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        today = calendar.midnight(moment)
        ahead = timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
        behind = timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
        found = [calendar.period(today - behind if tense in ("past", PERFECT) else today + ahead, "day")]
        # On a Monday, "Monday" may still be that day.
        return found + [calendar.period(today, "day")] * (today.weekday() == wanted)

    return Atom(find, "day", floating=True, weak=tokens[0].kind == "wday", shape="weekday_atom")


@rule("the ord")
@rule("ord")
@rule("the num (?=stop|comma|$)")
def _ordinal_day(tokens: Sequence[Token]) -> Atom | None:
    day = tokens[-1].value
    if not 1 <= day <= 31 or not (tokens[-1].word[0].isdigit() or (day > 3 and tokens[-1].kind == "ord")):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        first = calendar.floor(moment, "month")
        months = [calendar.shift(first, step, "month") for step in range(-3, 4)]
        near = [made for m in months if (made := calendar.day_of(m.year, m.month, day))]
        if tense in ("past", PERFECT):
            return [made for made in near if made.start <= moment][-1:]
        return [made for made in near if made.end > moment][:1]

    return Atom(find, "day", floating=True, weak=True, firm=True, shape="ordinal_atom")
