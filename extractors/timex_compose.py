"""Ranges, prepositions and the last check: what "from", "since" or "until" make of an atom, and what may stand.

Invariant: what is weak (a name, a verb, a bare number) and has found no preposition of time in the end is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_hours, timex_parts  # noqa: F401  (register their passes, in this order)
from graphmem.extractors.timex_atom import Atom
from graphmem.extractors.timex_calendar import Period
from graphmem.extractors.timex_items import ANY, PASSES, Item, atoms_of, items_of, joined, joins
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT
from graphmem.extractors.timex_words import split

GRAINS = split("minute hour part_of_day day weekend week month season quarter half year decade century")


def compose(tokens: Sequence[Token]) -> list[Item]:
    """The time expressions among the tokens."""
    items = items_of(tokens)
    if not any(item.atom for item in items) and not any(item.kind in ("unit", "part") for item in items):
        return []
    for compiled, join in PASSES:
        items = joined(items, compiled, join)
    return [item for item in _licensed(items, tokens) if item.atom is not None]


@joins(f"(from|between)? the? {ANY} (to|until|dash|and) the? ({ANY}|now)")
def _range(items: Sequence[Item]) -> Atom | None:
    opener = items[0].kind if items[0].kind in ("from", "between") else None
    linker = items[-3 if items[-2].kind == "the" else -2].kind
    if (linker == "and") != (opener == "between"):
        return None
    left, *more = atoms_of(items)
    if not more:
        return Atom(lambda m, t: [Period(start, None) for start, *_ in left.find(m, "past")[:1]], left.grain, "since")
    right = more[0]
    months = left.grain == right.grain == "month" and not (left.firm or right.firm)
    doubtful = right.weak or (left.weak and right.floating)
    if (opener is None and doubtful and not months) or "recurring" in (left.modifier, right.modifier):
        return None
    if left.shape == right.shape == "weekday_atom":
        return Atom(lambda m, t: _working_week(_between(left, right, m, t), t), "day", shape="range_atom")
    grain = min(left.grain, right.grain, key=GRAINS.index)
    return Atom(lambda moment, tense: _between(left, right, moment, tense), grain, shape="range_atom")


def _between(left: Atom, right: Atom, moment: datetime, tense: str | None) -> list[Period]:
    back = tense in ("past", PERFECT)
    if left.floating and (not right.floating or back):
        close = right.find(moment, tense)[0]
        begin = left.find(close[0] or moment, "past")[0]
    else:
        begin = left.find(moment, tense)[0]
        close = right.find(begin[0] or moment, "future")[0] if right.floating else right.find(moment, tense)[0]
    if begin[0] is None or close[1] is None or begin[0] >= close[1]:
        return []
    return [Period(begin[0], close[1])]


def _working_week(readings: list[Period], tense: str | None) -> list[Period]:
    """Reads "monday to Friday" without a tense is said of every week."""
    for start, end, *_ in readings[:1]:
        if tense is None and start and end and start.weekday() == 0 and end - start == timedelta(days=5):
            return [Period(None, None, "recurring", "week")]
    return readings


PREPOSITION = "(in|on|at|since|until|by|before|after|from|over|for)"


@joins(f"(approx|exact){{0,2}} {PREPOSITION}{{0,2}} (approx|exact){{0,2}} the? ({ANY}|range_atom) onwards?")
def _modified(items: Sequence[Item]) -> Atom | None:
    inner = atoms_of(items)[0]
    words = [i.kind for i in items if i.atom is None and i.kind not in ("the", "approx", "exact", "onwards")]
    if inner.modifier in ("since", "until"):
        return None
    if "onwards" in (i.kind for i in items):
        words = ["from"]
    word = words[0] if words else ""
    if word in ("at", "over", "on") and items[-1].token.kind in ("day", "tonight", "last", "next", "this"):
        return inner if items[-1].kind in ("weekend", "atom", "season_atom") else None
    if inner.shape == "ordinal_atom" and word in ("in", "at", "over", "for"):
        return None
    if word == "over" and inner.shape in ("year_atom", "clock_atom", "ordinal_atom"):
        return None
    # "Talk about Monday" names a topic.
    vague = any(i.kind == "approx" and (i.token.word != "about" or inner.grain == "year") for i in items)
    if word == "for":
        ahead = inner if inner.shape == "day_atom" else _ahead(inner)
        return replace(ahead, weak=inner.weak and inner.shape != "day_atom")
    bounded = word in _BOUNDS and not (word == "from" and inner.shape == "range_atom")
    # "A picture from last week" is of that week.
    looks_back = not inner.floating and (
        inner.grain in ("decade", "century") or items[-1].token.kind not in ("year", "date", "month", "name", "verb")
    )
    atom = _bounded(inner, word, looks_back=looks_back) if bounded else inner
    licensed = bool(word) and not (word in ("on", "at") and inner.grain in ("month", "year", "season"))
    licensed = licensed or (vague and inner.shape in ("year_atom", "clock_atom"))
    modifier = "approx" if vague and atom.modifier == "at" else atom.modifier
    return replace(atom, weak=inner.weak and not licensed, modifier=modifier)


def _ahead(inner: Atom) -> Atom:
    """Reads "booked a table for Friday": what something is for lies ahead."""
    return replace(inner, find=lambda moment, tense: inner.find(moment, "future" if inner.floating else tense))


_BOUNDS = {"since": "since", "from": "since", "until": "until", "by": "until", "before": "before", "after": "after"}


def _bounded(inner: Atom, word: str, *, looks_back: bool = False) -> Atom:
    modifier = _BOUNDS[word]
    instant = inner.shape == "clock_atom"

    def find(moment: datetime, tense: str | None) -> list[Period]:
        asked = {"since": "past", "by": "future"}.get(word, tense)
        readings = []
        for start, end, *_ in inner.find(moment, asked):
            if word == "from" and looks_back and end is not None and end <= moment:
                readings.append(Period(start, end, "at"))
            elif word in ("since", "from"):
                readings.append(Period(start, None))
            elif word in ("until", "by"):
                readings.append(Period(None, start if instant else end))
            elif word == "before":
                readings.append(Period(None, start))
            else:
                readings.append(Period(start if instant else end, None))
        return readings

    edge, _, whole = (inner.whole or "").partition(" ")
    natural = (edge == "end" and modifier == "until") or (edge == "start" and modifier == "since")
    return replace(inner, find=find, modifier=modifier, grain=whole if natural else inner.grain, weak=False)


@joins(f"since (the|a|word) word word? word? ({ANY}|range_atom)")
def _since_event(items: Sequence[Item]) -> Atom | None:
    """Reads "since my accident in February": since February."""
    inner = atoms_of(items)[0]
    owner = items[1].kind in ("the", "a") or items[1].token.word in ("my", "our", "his", "her", "their", "your", "its")
    if not owner or inner.modifier != "at" or inner.weak:
        return None
    return replace(_bounded(inner, "since"), weak=False)


_GOES_ON = frozenset(
    split(
        """
        we i you he she it they my our the this that is was will at in on for to so because if when with as from
        until by but and or of works please
        """
    )
)


def _licensed(items: Sequence[Item], tokens: Sequence[Token]) -> list[Item]:
    kept: list[Item] = []
    for item in items:
        atom = item.atom
        if atom is not None and atom.shape == "year_atom" and atom.weak and _continues(kept, tokens):
            item = item._replace(atom=replace(atom, weak=False))
        if item.atom is None or _stands(item, item.atom, tokens):
            kept.append(item)
    return kept


def _continues(kept: list[Item], tokens: Sequence[Token]) -> bool:
    """Whether a year goes on a list: "in 2014 or 2015"."""
    if len(kept) < 2 or kept[-1].kind not in ("and", "comma") or kept[-2].kind != "year_atom":
        return False
    return tokens[kept[-2].first].kind in ("in", "since")


def _stands(item: Item, atom: Atom, tokens: Sequence[Token]) -> bool:
    """Whether the words around a weak expression let it be a time."""
    if atom.weak:
        return False
    follower = tokens[item.last] if item.last < len(tokens) else None
    last = tokens[item.last - 1]
    if follower is None or follower.kind in ("stop", "comma", "dash"):
        return True
    if last.kind == "ord" and atom.firm:
        return follower.word in _GOES_ON or follower.kind not in ("word", "unit", "units", "part", "num")
    if last.kind == "every_unit":
        return follower.word in _GOES_ON or follower.kind != "word"
    if last.kind in ("name", "verb") and tokens[item.first].kind in ("by", "from", "before", "after"):
        # A capital after "by April" makes it a name.
        return not (follower.kind == "word" and follower.value and follower.word != "i" and not follower.word.startswith("i'"))
    if last.kind == "year" and tokens[item.first].kind not in ("in", "since", "the") and atom.shape == "year_atom":
        if not 1800 <= last.value <= 2100 or follower.kind in ("to", "until"):
            return False
        return not (
            follower.kind == "word"
            and follower.word.endswith("s")
            and follower.word not in ("was", "is", "as", "has", "this", "his", "its", "always")
        )
    return True
