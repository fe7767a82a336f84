"""Ranges, prepositions and the last check: what "from", "since" or "until" make of an atom, and what may stand.

Invariant: what is weak (a name, a verb, a bare number) and has found no preposition of time in the end is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors import timex_hours, timex_parts, timex_relative  # noqa: F401  (register their passes, in this order)
from graphmem.extractors.timex_atom import Atom
from graphmem.extractors.timex_calendar import Period
from graphmem.extractors.timex_items import ANY, PASSES, Item, atoms_of, items_of, joined, joins
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT, tense_at
from graphmem.extractors.timex_words import split

GRAINS = split("minute hour part_of_day day weekend week month season quarter half year decade century")


def compose(tokens: Sequence[Token]) -> list[Item]:
    """The time expressions among the tokens."""
    items = items_of(tokens)
    if not any(item.atom for item in items) and not any(item.kind in ("unit", "part", "weekend") for item in items):
        return []
    for compiled, join in PASSES:
        items = joined(items, compiled, join)
    return [item for item in _licensed(items, tokens) if item.atom is not None]


@joins(f"(from|between)? now (to|until|and) the? {ANY}|hence (to|until) the? {ANY}")
def _from_now(items: Sequence[Item]) -> Atom | None:
    """Reads "between now and November"; a start that is "from now" is a distance."""
    opener = items[0].kind
    right = atoms_of(items)[0]
    if (any(i.kind == "and" for i in items)) != (opener == "between") or right.modifier == "recurring":
        return None
    grain = right.grain if right.grain in ("minute", "hour") else "day"

    def find(moment: datetime, tense: str | None) -> list[Period]:
        start = moment if grain != "day" else calendar.midnight(moment)
        return [Period(start, end) for _, end, *_ in right.find(moment, "future")[:1] if end is not None and start < end]

    return Atom(find, grain, shape="range_atom")


@joins(f"(from|between)? the? {ANY} (to|until|dash|and) the? ({ANY}|now)")
def _range(items: Sequence[Item]) -> Atom | None:
    opener = items[0].kind if items[0].kind in ("from", "between") else None
    linker = items[-3 if items[-2].kind == "the" else -2].kind
    if (linker == "and") != (opener == "between"):
        return None
    left, *more = atoms_of(items)
    if not more:
        return Atom(lambda m, t: _up_to_now(left, m), left.grain, "since")
    right = more[0]
    if left.shape == "clock_atom" and right.shape not in ("clock_atom", "part_atom") and right.grain not in ("hour", "minute"):
        return None
    months = left.grain == right.grain == "month" and not (left.firm or right.firm)
    months = months or left.shape == right.shape == "weekday_atom"
    doubtful = right.weak or (left.weak and right.floating)
    if (opener is None and doubtful and not months) or "recurring" in (left.modifier, right.modifier):
        return None
    if left.shape == right.shape == "weekday_atom":
        return Atom(lambda m, t: _working_week(_between(left, right, m, t), t), "day", shape="range_atom")
    grain = min(left.grain, right.grain, key=GRAINS.index)
    return Atom(lambda moment, tense: _between(left, right, moment, tense), grain, shape="range_atom")


def _up_to_now(left: Atom, moment: datetime) -> list[Period]:
    """What began and has not ended; as the other reading, what is told of ends with the moment."""
    starts = [start for start, *_ in left.find(moment, "past")[:1]]
    today = calendar.midnight(moment)
    return [Period(start, None) for start in starts] + [Period(start, today) for start in starts if start and start < today]


def _between(left: Atom, right: Atom, moment: datetime, tense: str | None) -> list[Period]:
    back = tense in ("past", PERFECT)
    if left.floating and (not right.floating or back or left.grain == right.grain == "month"):
        closes = list(right.find(moment, tense)[:1])
        begins = [one for close in closes for one in left.find(close[0] or moment, "past")[:1]]
    else:
        begins = list(left.find(moment, tense)[:1])
        ends = [right.find(one[0] or moment, "future") if right.floating else right.find(moment, tense) for one in begins]
        closes = [one for found in ends for one in found[:1]]
    if not (begins and closes):  # an end that is no moment of the calendar
        return []
    begin, close = begins[0], closes[0]
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
    licensed = licensed or (vague and (inner.shape in ("year_atom", "clock_atom") or items[-1].token.kind == "holiday"))
    modifier = "approx" if vague and atom.modifier == "at" else atom.modifier
    return replace(atom, weak=inner.weak and not licensed, modifier=modifier)


def _ahead(inner: Atom) -> Atom:
    """Reads "booked a table for Friday": what something is for lies ahead."""
    return replace(inner, find=lambda moment, tense: inner.find(moment, "future" if inner.floating else tense))


_BOUNDS = {"since": "since", "from": "since", "until": "until", "by": "until", "before": "before", "after": "after"}


def _bounded(inner: Atom, word: str, *, looks_back: bool = False) -> Atom:
    modifier = _BOUNDS[word]
    instant = inner.shape == "clock_atom"
    edge, _, whole = (inner.whole or "").partition(" ")

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
                readings.append(Period(None, _brink(start, end, edge)))
            else:
                readings.append(Period(start if instant else end, None))
        return readings

    natural = (edge in ("end", "late") and modifier == "until") or (edge == "start" and modifier == "since")
    natural = natural or (edge == "end" and modifier == "before")
    return replace(inner, find=find, modifier=modifier, grain=whole if natural else inner.grain, weak=False)


def _brink(start: datetime | None, end: datetime | None, edge: str) -> datetime | None:
    """What "before" stops at: "the end of June" is a moment and "the middle" nearly one; "June" and "late June" begin."""
    if edge == "middle" and start is not None and end is not None:
        return start + timedelta(days=(end - start).days // 2)
    return end if edge == "end" else start


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
    alone = len(items) == 1
    for place, item in enumerate(items):
        atom = item.atom
        if atom is not None and atom.weak and (item.token.kind in ("wday", "dm")) and _listed(items, place):
            item = item._replace(atom=replace(atom, weak=False))
        if atom is not None and atom.shape == "year_atom" and atom.weak and _continues(kept, tokens):
            item = item._replace(atom=replace(atom, weak=False))
        if atom is not None and atom.weak and ((alone and _plain(item)) or _due(item, tokens) or _celebrated(item, tokens)):
            item = item._replace(atom=replace(atom, weak=False))
        if item.atom is None or _stands(item, item.atom, tokens):
            kept.append(item)
    return kept


def _due(item: Item, tokens: Sequence[Token]) -> bool:
    """Whether the word before says that figures are a day: "due 3/15"."""
    return item.token.kind in ("dm", "dmy") and item.first > 0 and tokens[item.first - 1].word in _DATED


_DATED = frozenset(split("born closes dated deadline due ends expires opens sometime starts"))


def _plain(item: Item) -> bool:
    """Whether it is a day in figures that has one order only, which may be all that is said: "2/29"."""
    return item.token.kind == "dm" and len(item.token.value) == 1


def _celebrated(item: Item, tokens: Sequence[Token]) -> bool:
    """Whether it is a holiday that somebody celebrated, or will: on its day."""
    if item.token.kind != "holiday" or not any(
        t.word.startswith("celebrat") for t in tokens[max(0, item.first - 2) : item.first]
    ):
        return False
    return tense_at(tokens, item.first, item.last) is not None


def _listed(items: Sequence[Item], place: int) -> bool:
    """Whether a short weekday stands beside another ("Mon or Tue"), or figures in a list with a plain day ("11/20, 12/1")."""
    row = [items[place]]
    for step in (-1, 1):
        other = place + 2 * step
        while len(row) < LIST and 0 <= other < len(items) and _joins_a_list(items[other - step]) and items[other].kind in _DAYS:
            row.append(items[other])
            other += 2 * step
    if items[place].kind == "weekday_atom":
        return sum(item.kind == "weekday_atom" for item in row) > 1
    return len(row) > 1 and any(_plain(item) or (item.atom is not None and not item.atom.weak) for item in row)


# Further away in a list an expression says nothing of this one, and a list of thousands stays cheap.
LIST = 20


def _joins_a_list(item: Item) -> bool:
    return item.kind in ("and", "comma") or item.token.word in (";", "\n")


_DAYS = ("day_atom", "weekday_atom")


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
