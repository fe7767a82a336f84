"""Counted and recurring time: "two weeks ago", "in three days", "the past year", "for ten years", "every Monday".

Invariant: a length of time is a time only with an anchor: "for two years" says when it began in the perfect tense, and
nothing in the simple past.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import MONTH, UNIT, Atom, fixed, has, rule, value
from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT

AMOUNT = "(approx|over|exact)? (a? few of?|half a?|(num|dot) (and a half)?|big|a half?)"
MORE = "((comma|and)* (num|a) (unit|units)){0,6}"
HALVES = {"hour": (30, "minute"), "day": (12, "hour"), "week": (3, "day"), "month": (15, "day"), "year": (6, "month"),
          "decade": (5, "year"), "century": (50, "year")}  # fmt: skip
WINDOWED = ("over", "in", "for", "within")


def amount(tokens: Sequence[Token]) -> tuple[float, str] | None:
    """How many of which unit the tokens name ("two and a half years", "a couple of weeks", "half an hour")."""
    unit, factor = next(t.value for t in tokens if t.kind in ("unit", "units"))
    number = value(tokens, "num", "big", "few")
    if has(tokens, "dot"):
        whole, part = next(t.value for t in tokens if t.kind == "dot")
        if part != 5 and part != 50:
            return None
        return (whole + 0.5) * factor, unit
    if has(tokens, "half"):
        place = next(i for i, t in enumerate(tokens) if t.kind == "half")
        starts = place == 0 or tokens[place - 1].kind not in ("a", "and") or (place == 1 and number is None)
        return ((number or 0 if starts and number is None else number or 1) + 0.5) * factor, unit
    return float((1 if number is None else number) * factor), unit


def further(tokens: Sequence[Token]) -> list[tuple[float, str]]:
    """What follows the first unit of a compound length: the months of "two years and three months"."""
    found: list[tuple[float, str]] = []
    units = [place for place, token in enumerate(tokens) if token.kind in ("unit", "units")]
    for place in units[1:]:
        unit, factor = tokens[place].value
        found.append((float(factor * (tokens[place - 1].value if tokens[place - 1].kind == "num" else 1)), unit))
    return found


def moved_by(moment: datetime, lengths: Sequence[tuple[float, str]], sign: int) -> datetime:
    """The moment a compound length away."""
    for count, unit in lengths:
        moment, _ = moved(moment, count, unit, sign)
    return moment


def moved(moment: datetime, count: float, unit: str, sign: int) -> tuple[datetime, str]:
    """The moment so far away, and the unit that it is known to."""
    whole = int(count)
    target = calendar.shift(moment, sign * whole, unit) if whole else moment
    if count != whole and unit in HALVES:
        steps, finer = HALVES[unit]
        return calendar.shift(target, sign * steps, finer), finer
    return target, unit


def away(tokens: Sequence[Token], sign: int) -> Atom | None:
    """The calendar unit that lies so far from the moment; the day itself is the other reading."""
    length = amount(tokens)
    if length is None or not 0 < length[0] <= 9999:
        return None
    count, unit = length
    exact = has(tokens, "exact", "day")
    lengths = [length, *further(tokens)]
    grain = HALVES[unit][1] if count != int(count) and unit in HALVES else lengths[-1][1]
    grain = "day" if exact and unit not in ("hour", "minute") else grain

    def find(moment: datetime, tense: str | None) -> list[Period]:
        if sign > 0 and tense in ("past", PERFECT) and has(tokens, "in"):
            return []
        target = moved_by(moment, lengths, sign)
        readings: list[Closed] = [calendar.period(target, grain)]
        if grain in ("week", "month", "quarter", "year", "decade", "century"):
            readings.append(calendar.period(target, "day"))
        elif grain == "hour":
            start = calendar.floor(target, "minute")
            readings.append(Closed(start, start + timedelta(hours=1)))
        return [Period(*reading) for reading in readings]

    vague = has(tokens, "approx", "over") or value(tokens, "few") in (3, 4)
    shape = "day_atom" if grain == "day" else "atom"
    return Atom(find, grain, "approx" if vague else "at", shape=shape)


@rule(f"{AMOUNT} {UNIT} {MORE} (and a half)? ago (day)?")
def _ago(tokens: Sequence[Token]) -> Atom | None:
    return away(tokens, -1)


@rule(f"in {AMOUNT} {UNIT} {MORE} (and a half)? hence?")
@rule(f"{AMOUNT} {UNIT} {MORE} (and a half)? hence")
def _ahead(tokens: Sequence[Token]) -> Atom | None:
    unit = next(t for t in tokens if t.kind in ("unit", "units"))
    if tokens[0].kind != "in":
        return away(tokens, 1)
    if unit.value[0] in ("day", "minute") and has(tokens, "a") and not has(tokens, "few", "half"):
        return None
    return away(tokens, 1)


@rule(f"within (the (next|last))? {AMOUNT} {UNIT} {MORE}")
def _within(tokens: Sequence[Token]) -> Atom | None:
    length = amount(tokens)
    if length is None or has(tokens, "last") or not 0 < length[0] <= 9999:
        return None
    unit = length[1]

    def find(moment: datetime, tense: str | None) -> list[Period]:
        if tense in ("past", PERFECT):
            return []
        target = moved_by(moment, [length, *further(tokens)], 1)
        fine = unit in ("hour", "minute")
        end = calendar.floor(target, "minute") if fine else calendar.period(target, "day").end
        # From now on until then, where the moment itself is not the point.
        return [Period(None, end), Period(moment if fine else calendar.midnight(moment), end)]

    return Atom(find, unit, "until")


# "For three months and two days ago it …" are two times: what ends with "ago" belongs to no length before it.
@rule(f"(for|since) {AMOUNT} {UNIT} {MORE} (and a half)? now? (?!comma? from|ago)")
def _for(tokens: Sequence[Token]) -> Atom | None:
    length = amount(tokens)
    if length is None or not 0 < length[0] <= 9999:
        return None
    lasting = has(tokens, "now", "since")
    return _began([length, *further(tokens)], lasting)


def _began(lengths: Sequence[tuple[float, str]], lasting: bool) -> Atom:
    unit = lengths[-1][1]

    def find(moment: datetime, tense: str | None) -> list[Period]:
        if tense != PERFECT and not (lasting and tense != "past"):
            return []
        target = moved_by(moment, lengths, -1)
        start = calendar.floor(target, "minute" if unit in ("hour", "minute") else "day")
        return [Period(start, None)]

    return Atom(find, unit, "since")


@rule("(for|over|in|within)? the? (last|next) (few of?|num|big) units " + MORE + "(?!ago)")
@rule("(for|over|in|within)? the (num|few of?) (last|next) units")
def _window(tokens: Sequence[Token]) -> Atom | None:
    count, unit = amount(tokens) or (0, "day")
    direction = next(t for t in tokens if t.kind in ("last", "next"))
    if not 0 < count <= 9999 or direction.value in ("following", "previous"):
        return None
    if tokens[0].kind == "for" and direction.kind == "last":
        began = _began([(count, unit), *further(tokens)], True)
        window = window_of(count, unit, direction.kind, more=further(tokens))
        return Atom(
            lambda m, t: [*began.find(m, t)[: t == PERFECT], *window.find(m, t)], unit if unit in ("hour", "minute") else "day"
        )
    return window_of(count, unit, direction.kind, vague=has(tokens, "few"), more=further(tokens))


def window_of(count: float, unit: str, direction: str, *, vague: bool = False, more: Sequence[tuple[float, str]] = ()) -> Atom:
    """The stretch of so many units that ends or begins at the moment."""
    grain = unit if unit in ("hour", "minute") else "day"
    sign = -1 if direction == "last" else 1

    def rolling(here: datetime) -> Period:
        target = moved_by(here, [(count, unit), *more], sign)
        return Period(min(here, target), max(here, target))

    def find(moment: datetime, tense: str | None) -> list[Period]:
        here = calendar.floor(moment, "minute" if grain != "day" else "day")
        readings = [rolling(here)]
        if grain == "day" and sign > 0:
            # "The next two days" are often those after today.
            readings.append(rolling(here + timedelta(days=1)))
        if unit in calendar.MONTHS_OF or unit == "week":
            edge = calendar.floor(here, unit) if sign < 0 else calendar.period(here, unit).end
            readings.insert(0 if unit == "quarter" else len(readings), rolling(edge))
        return readings

    return Atom(find, grain, "approx" if vague else "at")


@rule("(for|over|in|within) the (last|next) unit")
@rule("the last unit")
def _last_stretch(tokens: Sequence[Token]) -> Atom | None:
    unit, count = tokens[-1].value
    direction = tokens[-2]
    preposition = tokens[0].kind in WINDOWED
    if unit in ("minute", "workday") or (not preposition and (direction.value != "past" or unit == "hour")):
        return None
    if direction.value in ("following", "previous") or direction.value == "coming":
        return None
    return window_of(count, unit, direction.kind)


@rule("the? (last|next|this) unit")
def _near_unit(tokens: Sequence[Token]) -> Atom | None:
    direction, (unit, count) = tokens[-2], tokens[-1].value
    narrated = tokens[0].kind == "the" and direction.kind != "this" and direction.value != "coming"
    if narrated or unit in ("minute", "hour", "day", "workday") or count != 1:
        return None
    step = {"last": -1, "this": 0, "next": 1}[direction.kind]
    return Atom(
        lambda moment, tense: [calendar.period(moment, unit, step)], unit, shape=f"{unit}_atom" if unit == "week" else "atom"
    )


REPEATED = f"(unit|weekday|wday|season|{MONTH}|part|weekend|holiday)"


@rule("on? the? ord (unit|weekday)? of every unit")
@rule(
    f"(on|in|at)? every (few|other|ord|num)? (units|{REPEATED}) ((comma|and)+ every? (weekday|wday))* part? (of (the|a) unit)?"
)
def _every(tokens: Sequence[Token]) -> Atom | None:
    if tokens[-1].kind == "unit" and has(tokens, "of"):
        return recurring(tokens[-1])
    repeated = next(t for t in reversed(tokens) if t.kind != "part" or t is tokens[-1])
    plain = tokens[-2] if tokens[-1].kind == "part" and tokens[-2].kind in ("weekday", "wday") else repeated
    return recurring(plain)


def recurring(token: Token) -> Atom | None:
    """An expression that comes back; its granularity is its period."""
    if token.kind in ("unit", "units"):
        period = token.value[0]
    else:
        period = {"part": "day", "weekday": "week", "wday": "week", "weekend": "week"}.get(token.kind, "year")
    return fixed(Period(None, None), period, modifier="recurring", shape="recurring")


@rule("(once|(num|a? few of?) times) (in? a|per|every|in every) (other|num|few)? (unit|units)")
@rule("num (unit|units) (a|per|every) unit")
def _times(tokens: Sequence[Token]) -> Atom | None:
    counted = tokens[1].kind in ("unit", "units") and tokens[1].value[0] in ("minute", "hour")
    # "40 hours a week" is an amount of work, no time at which something happens.
    if counted:
        return None
    return recurring(tokens[-1])


@rule("most (days|units|part)")
def _most(tokens: Sequence[Token]) -> Atom | None:
    token = tokens[-1]
    if token.kind == "units":
        return recurring(token)
    return fixed(Period(None, None), token.value if token.kind == "days" else "day", modifier="recurring", shape="recurring")


@rule("on? weekday ((comma|and)+ weekday)* (nights|days)")
@rule("(on|in|at)? the? (weekday|part)? days ((and|comma)+ days)*")
def _on_days(tokens: Sequence[Token]) -> Atom | None:
    period = "week" if has(tokens, "weekday", "nights") else tokens[-1].value
    return fixed(Period(None, None), period, modifier="recurring", shape="recurring")


@rule("adverb")
@rule("every_unit")
def _adverb(tokens: Sequence[Token]) -> Atom | None:
    return fixed(Period(None, None), tokens[0].value, modifier="recurring", shape="recurring")
