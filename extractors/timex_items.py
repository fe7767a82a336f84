"""The sentence as a row of items, atoms among plain tokens, and passes that join neighbours to larger atoms.

Invariant: items stay in order and keep the tokens they cover, whatever is joined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from graphmem.extractors import (
    timex_clock,
    timex_dates,
    timex_feasts,
    timex_near,
    timex_quantity,
    timex_slashes,
    timex_weeks,
)
from graphmem.extractors.timex_atom import MONTH, NUMBER, RULES, YEAR, Atom
from graphmem.extractors.timex_lexer import CODES, Token, pattern
from graphmem.extractors.timex_words import split

# The rules that read more come first, whatever the order of import was.
_ORDER = (timex_clock, timex_slashes, timex_weeks, timex_dates, timex_feasts, timex_near, timex_quantity)
_PLACES = {module.__name__: place for place, module in enumerate(_ORDER)}
_RULES = sorted(RULES, key=lambda entry: _PLACES[entry[1].__module__])
_ALL = re.compile("|".join(f"(?P<r{i}>{compiled.pattern})" for i, (compiled, _) in enumerate(_RULES)))
# "The last week of May" is no "last week": these words wait for the atom after them.
_WAITING = pattern(
    "(in|over|for|within)? the? (ord|last) (unit|weekday|wday|weekend|num units) (of|in) "
    f"(?=the? ({MONTH}|last|next|this|year|season))"
    "|the? (ord|last) half of|the? ord of (?=the? (last|next|this))|the (unit|weekend) (before last|after next)"
)


# After an article these are parts of nouns: "a summer job", "on a Monday".
_NOUNS = frozenset(
    split(
        """
        weekday wday month name verb season holiday weekend adverb
        """
    )
)
_OWNERS = frozenset(
    split(
        """
        my our your his her their happy merry
        """
    )
)


_BARELY = frozenset(split("a around barely just only over roughly under"))
# Deeds that are told with the time they took.
_TAKING = frozenset(
    split(
        """
        finish finished finishing run ran running complete completed completing did done do doing swim swam swum swimming
        cycle cycled cycling bike biked biking ride rode ridden riding row rowed rowing walk walked walking hike hiked hiking
        climb climbed climbing ski skied skiing race raced racing jog jogged jogging win won cover covered solve solved
        solving manage managed cross crossed clocked paddled skated sailed beat record recorded set
        """
    )
)


class Item(NamedTuple):
    """One token, or an atom over several; `kind` is the token's kind or the atom's shape."""

    kind: str
    first: int
    last: int
    atom: Atom | None
    token: Token


Join = Callable[[Sequence[Item]], Atom | None]


def items_of(tokens: Sequence[Token]) -> list[Item]:
    """The tokens with the atoms among them."""
    codes = "".join([CODES[token.kind] for token in tokens])
    items: list[Item] = []
    place = 0
    while place < len(tokens):
        waiting = _WAITING.match(codes, place)
        if waiting and _holds_more(tokens[place : waiting.end()]):
            waiting = None
        days = None if waiting else _days_at(tokens, codes, place)
        if days:
            items += days
            place = days[-1].last
            continue
        atom, end = (None, waiting.end()) if waiting else _atom_at(tokens, codes, place)
        if atom is None:
            end = waiting.end() if waiting else place + 1
            items += [Item(tokens[i].kind, i, i + 1, None, tokens[i]) for i in range(place, end)]
        else:
            items.append(Item(atom.shape, place, end, atom, tokens[place]))
        place = end
    return items


_DAYS_OF = pattern(f"the? {NUMBER} ((comma|and){{1,2}} the? {NUMBER}){{1,30}} of? (month|name) {YEAR}?")
_OF_DAYS = pattern(
    f"(month|name) the? {NUMBER} (comma the? {NUMBER}){{0,30}} ((comma|and){{1,2}} the? ord|comma? and the? num) {YEAR}?"
)


def _days_at(tokens: Sequence[Token], codes: str, place: int) -> list[Item] | None:
    """An item for each day of "the 5th and 12th of May", "May 5, 12 and 20": they share month and year."""
    if tokens[place].kind not in ("the", "num", "ord", "month", "name"):
        return None
    match = _DAYS_OF.match(codes, place) or _OF_DAYS.match(codes, place)
    if match is None:
        return None
    span = range(place, match.end())
    numbers = [i for i in span if tokens[i].kind in ("num", "ord")]
    if any(tokens[i].kind == "ord" and not tokens[i].word[0].isdigit() for i in numbers[1:]):
        # "May 5 and first steps after it".
        return None
    shared = [tokens[i] for i in span if tokens[i].kind in ("month", "name", "year", "short")]
    items: list[Item] = []
    first = place
    for i in numbers:
        last = match.end() if i == numbers[-1] else i + 1
        atom = timex_dates.day_and_month([tokens[i], *shared])
        if atom is None:
            return None
        items.append(Item(atom.shape, first, last, atom, tokens[first]))
        for joint in range(last, next((n for n in numbers if n > i), last)):
            items.append(Item(tokens[joint].kind, joint, joint + 1, None, tokens[joint]))
        first = next((n for n in numbers if n > i), last)
    return items


def _holds_more(tokens: Sequence[Token]) -> bool:
    """Whether it is "last year in …", which is no year in a month."""
    lengths = [token.value[0] for token in tokens if token.kind == "unit"]
    return tokens[-1].kind == "in" and lengths not in ([], ["day"], ["week"])


def _atom_at(tokens: Sequence[Token], codes: str, place: int) -> tuple[Atom | None, int]:
    if tokens[place].kind in ("word", "stop", "comma"):
        return None, place + 1
    if place and _is_attribute(tokens[place - 1], tokens[place].kind) and not _is_day(tokens, place):
        return None, place + 1
    if tokens[place].kind == "clock" and _is_length(tokens, place):
        return None, place + 1
    match = _ALL.match(codes, place)
    if match is None:
        return None, place + 1
    for compiled, make in _RULES[int(str(match.lastgroup)[1:]) :]:
        found = compiled.match(codes, place)
        if found and found.end() > place:
            atom = make(tokens[place : found.end()])
            if atom is not None:
                return atom, found.end()
    return None, place + 1


# How far before a result in hours and minutes its verb stands.
_REACH = 12


def _is_length(tokens: Sequence[Token], place: int) -> bool:
    """Whether figures of the shape of a clock time are how long something took: "ran the half marathon in 2:05"."""
    if tokens[place].word.endswith(("m", "m.", "clock")):
        return False
    spot = place - 1
    while spot > max(0, place - 3) and (tokens[spot].kind in ("approx", "exact") or tokens[spot].word in _BARELY):
        spot -= 1
    if spot < 1 or tokens[spot].kind != "in":
        return False
    for token in reversed(tokens[max(0, spot - _REACH) : spot]):
        if token.kind == "stop":
            return False
        if token.word in _TAKING:
            return True
    return False


def _is_attribute(before: Token, kind: str) -> bool:
    """Whether the word before makes part of a noun of what would be a time: "a summer job", "my Monday seminar"."""
    if before.kind == "the":
        return kind in ("last", "next", "adverb", "every_unit")
    if before.kind == "num":
        return kind == "days"
    return kind in _NOUNS and (before.kind == "a" or before.word in _OWNERS)


def _is_day(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is a month with the number of a day: "my April 20 deadline" has a day in it."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    month = tokens[place].kind in ("month", "name", "verb") and tokens[place - 1].word in _OWNERS
    return month and after is not None and after.kind in ("num", "ord") and after.end - after.start <= 4


def joined(items: list[Item], compiled: re.Pattern[str], join: Join) -> list[Item]:
    """The items after one pass."""
    codes = "".join([CODES[item.kind] for item in items])
    result: list[Item] = []
    done = 0
    for match in compiled.finditer(codes):
        start, end = match.span()
        if end == start:
            continue
        atom = join(items[start:end])
        if atom is None:
            continue
        result += items[done:start]
        result.append(Item(atom.shape, items[start].first, items[end - 1].last, atom, items[start].token))
        done = end
    return result + items[done:] if done else items


PASSES: list[tuple[re.Pattern[str], Join]] = []
DAY = "(day_atom|weekday_atom|ordinal_atom)"
ANY = f"(atom|{DAY}|clock_atom|season_atom|year_atom|part_atom|week_atom)"


def joins(source: str) -> Callable[[Join], Join]:
    """Registers a pass."""

    def register(function: Join) -> Join:
        PASSES.append((pattern(source), function))
        return function

    return register


def atoms_of(items: Sequence[Item]) -> list[Atom]:
    """The atoms among some items."""
    return [item.atom for item in items if item.atom is not None]


def token_of(items: Sequence[Item], *kinds: str) -> Token:
    """The first plain token of one of these kinds."""
    return next(item.token for item in items if item.atom is None and item.kind in kinds)
