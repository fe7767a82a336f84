"""Places counted from a day: "the week of the 5th", "2 weeks before Easter", "the second Sunday after Easter".

Invariant: what is counted from is resolved first, so that its readings are the readings of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom
from graphmem.extractors.timex_calendar import Closed
from graphmem.extractors.timex_items import DAY, Item, atoms_of, joins, token_of


@joins(f"the? unit of the? (day_atom|ordinal_atom)|the? week_of on? the? {DAY}|the unit (from|edge) on? the? {DAY}")
def _week_of(items: Sequence[Item]) -> Atom | None:
    day = items[-1].atom
    if any(
        item.atom is None and item.kind in ("from", "edge") and item.token.word not in ("starting", "beginning")
        for item in items
    ):
        return None
    if day is None or any(item.kind == "unit" and item.token.value != ("week", 1) for item in items):
        return None
    return Atom(lambda m, t: [calendar.period(s, "week") for s, *_ in day.find(m, t) if s is not None], "week")


@joins("(the? ord|the|a)? weekday_atom (after|before) the? (day_atom|ordinal_atom)")
def _weekday_beside(items: Sequence[Item]) -> Atom | None:
    """Reads "the second Sunday after Easter"."""
    number = next((i.token.value for i in items if i.kind == "ord"), 1)
    weekday, day = atoms_of(items)
    sign = 1 if any(i.kind == "after" for i in items) else -1
    wanted = weekday.find(datetime(2024, 1, 1), None)[0][0]
    if wanted is None or (day.shape == "ordinal_atom" and items[0].kind != "the"):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        found = []
        for start, *_ in day.find(moment, tense):
            if start is not None:
                near = (sign * (wanted.weekday() - start.weekday()) - 1) % 7 + 1
                found.append(calendar.period(start + sign * timedelta(days=near + 7 * (number - 1)), "day"))
        return found

    return Atom(find, "day", shape="day_atom")


@joins(f"((a|num|the)? (unit|units) (before|after|from) the? {DAY})")
def _counted_from(items: Sequence[Item]) -> Atom | None:
    number = next((i.token.value for i in items if i.kind == "num"), 1)
    unit, count = token_of(items, "unit", "units").value
    base = items[-1].atom
    sign = -1 if any(i.kind == "before" for i in items) else 1
    plural = items[0].kind == "units"
    if base is None or plural or unit in ("minute", "hour") or (items[0].kind == "the" and unit not in ("day", "week")):
        return None

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        starts = [start for start, *_ in base.find(moment, tense)[:1] if start is not None]
        grain = unit if items[0].kind == "the" else "day"
        return [calendar.period(calendar.shift(start, sign * number * count, unit), grain) for start in starts]

    return Atom(find, unit if items[0].kind == "the" else "day", shape="day_atom" if unit == "day" else "atom")
