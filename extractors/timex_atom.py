"""What a rule of the time grammar makes: an `Atom`, one expression before its sentence is known.

A rule is a pattern over token kinds and a function that makes an `Atom` of the tokens it matched, or None.
Invariant: an atom is found without looking at the sentence; where the sentence decides (tense), the atom keeps a function
that takes it.  Rules are tried in the order they are written, at each token from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.extractors.timex_calendar import Closed, Period
from graphmem.extractors.timex_lexer import Token, pattern
from graphmem.extractors.timex_tense import PERFECT

Find = Callable[[datetime, "str | None"], Sequence[Period | Closed]]


@dataclass(frozen=True)
class Atom:
    """A time expression before its sentence is known.

    Attributes:
        find: (moment, tense) to the reading, then other readings; empty if it means no time there.
        grain: granularity, or for a recurring expression its period.
        modifier: `at` unless the words themselves say more.
        floating: has no year or week of its own, so the moment decides.
        weak: counts only after a preposition of time; `firm` only after one that no name or verb follows.
        whole: which part of a period this is (start, middle, end, late), and the period's granularity.
        shape: what may be joined to it: `day_atom`, `clock_atom`, `weekday_atom`, `season_atom`, `atom`, ...
    """

    find: Find
    grain: str
    modifier: str = "at"
    floating: bool = False
    weak: bool = False
    firm: bool = False
    shape: str = "atom"
    whole: str | None = None


Rule = Callable[[Sequence[Token]], Atom | None]
RULES: list[tuple[re.Pattern[str], Rule]] = []


def rule(source: str) -> Callable[[Rule], Rule]:
    """Registers a rule under its pattern."""

    def register(function: Rule) -> Rule:
        RULES.append((pattern(source), function))
        return function

    return register


def fixed(found: Period | Closed | None, grain: str, *, modifier: str = "at", shape: str = "atom") -> Atom | None:
    """An atom that means the same in every sentence."""
    if found is None:
        return None
    readings = [found]
    return Atom(lambda moment, tense: readings, grain, modifier, shape=shape)


def relative(make: Callable[[datetime], Period | Closed], grain: str, *, modifier: str = "at", shape: str = "atom") -> Atom:
    """An atom that depends on the moment alone."""
    return Atom(lambda moment, tense: [make(moment)], grain, modifier, shape=shape)


def yearly(make: Callable[[int], Closed | None]) -> Find:
    """The occurrence of something yearly: the last one begun in the past, else the first one not yet over."""

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        near = [made for step in range(-9, 10) if (made := make(moment.year + step)) is not None]
        begun = [made for made in near if made.start <= moment]
        coming = [made for made in near if made.end > moment]
        return begun[-1:] if tense in ("past", PERFECT) else coming[:1]

    return find


def value(tokens: Sequence[Token], *kinds: str) -> int | None:
    """The value of the first token of one of these kinds."""
    return next((token.value for token in tokens if token.kind in kinds), None)


def has(tokens: Sequence[Token], *kinds: str) -> bool:
    """Whether a token of one of these kinds is there."""
    return any(token.kind in kinds for token in tokens)


def counts(tokens: Sequence[Token], unit: str) -> bool:
    """Whether the unit among the tokens is this one, counted once."""
    return next((token.value for token in tokens if token.kind == "unit"), None) == (unit, 1)


def year_in(tokens: Sequence[Token]) -> int | None:
    """A year, also one of two digits ('09)."""
    year, short = value(tokens, "year"), value(tokens, "short")
    return year if short is None else 2000 + short if short < 50 else 1900 + short


MONTH = "(month|name|verb)"
NUMBER = "(num|ord)"
UNIT = "(unit|units)"
WEEKDAY = "((weekday|wday) comma?)"
YEAR = "((comma|of|in)? (year|short))"
