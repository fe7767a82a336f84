"""Holidays: what they are called, and the day that they fall on in a year.

Invariant: only holidays with a rule are here, and names that mean one day; where countries differ it is the day that the
name has in the spelling it is written in ("Labor Day" in September, "Labour Day" in May).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from graphmem.extractors.timex_calendar import Closed

Day = Callable[[int], datetime]


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    golden, (century, rest) = year % 19, divmod(year, 100)
    leap, quarter = divmod(century, 4)
    epact = (19 * golden + century - leap - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * quarter + 2 * (rest // 4) - epact - rest % 4) % 7
    fix = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * fix + 114, 31)
    return datetime(year, month, day + 1)


def _on(month: int, day: int) -> Day:
    return lambda year: datetime(year, month, day)


def _from_easter(days: int) -> Day:
    return lambda year: easter(year) + timedelta(days=days)


def _from(month: int, day: int, weekday: int, later: int = 0) -> Day:
    """The first such weekday from a day on, or some days after it."""

    def made(year: int) -> datetime:
        start = datetime(year, month, day)
        return start + timedelta(days=(weekday - start.weekday()) % 7 + later)

    return made


# Name: day.  A name with "'s" is also written "s" and "s'".
HOLIDAYS: dict[str, Day] = {
    "new year": _on(1, 1), "new year's": _on(1, 1), "new year's day": _on(1, 1), "new year's eve": _on(12, 31),
    "epiphany": _on(1, 6), "martin luther king day": _from(1, 15, 0), "mlk day": _from(1, 15, 0), "australia day": _on(1, 26),
    "groundhog day": _on(2, 2), "valentine's day": _on(2, 14), "saint valentine's day": _on(2, 14),
    "president's day": _from(2, 15, 0), "washington's birthday": _from(2, 15, 0), "women's day": _on(3, 8),
    "pi day": _on(3, 14), "saint patrick's day": _on(3, 17), "st patrick's day": _on(3, 17), "st. patrick's day": _on(3, 17),
    "april fool's day": _on(4, 1), "april fool's": _on(4, 1), "earth day": _on(4, 22), "anzac day": _on(4, 25),
    "may day": _on(5, 1), "worker's day": _on(5, 1), "labour day": _on(5, 1), "cinco de mayo": _on(5, 5),
    "mother's day": _from(5, 8, 6), "memorial day": _from(5, 25, 0), "children's day": _on(6, 1), "juneteenth": _on(6, 19),
    "flag day": _on(6, 14), "father's day": _from(6, 15, 6), "midsummer eve": _from(6, 19, 4), "midsummer": _from(6, 20, 5),
    "midsummer day": _from(6, 20, 5), "canada day": _on(7, 1), "independence day": _on(7, 4), "bastille day": _on(7, 14),
    "assumption day": _on(8, 15), "labor day": _from(9, 1, 0), "teacher's day": _on(10, 5), "columbus day": _from(10, 8, 0),
    "halloween": _on(10, 31), "all hallow's eve": _on(10, 31), "all saint's day": _on(11, 1), "all soul's day": _on(11, 2),
    "guy fawkes night": _on(11, 5), "bonfire night": _on(11, 5), "armistice day": _on(11, 11),
    "remembrance day": _on(11, 11), "veteran's day": _on(11, 11), "thanksgiving": _from(11, 22, 3),
    "thanksgiving day": _from(11, 22, 3), "black friday": _from(11, 22, 3, 1), "cyber monday": _from(11, 22, 3, 4),
    "christmas eve": _on(12, 24), "xmas eve": _on(12, 24), "christmas": _on(12, 25), "xmas": _on(12, 25),
    "christmas day": _on(12, 25), "xmas day": _on(12, 25), "boxing day": _on(12, 26), "shrove tuesday": _from_easter(-47),
    "mardi gras": _from_easter(-47), "pancake day": _from_easter(-47), "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7), "maundy thursday": _from_easter(-3), "good friday": _from_easter(-2),
    "easter": _from_easter(0), "easter sunday": _from_easter(0), "easter monday": _from_easter(1),
    "ascension day": _from_easter(39), "whit sunday": _from_easter(49), "pentecost": _from_easter(49),
    "whit monday": _from_easter(50), "corpus christi": _from_easter(60),
}  # fmt: skip
_INTERNATIONAL = ("women's day", "worker's day", "children's day")
NAMES = {form: name for name in HOLIDAYS for form in (name, name.replace("'s", "s"), name.replace("'s", "s'"))}
NAMES |= {f"international {form}": name for form, name in NAMES.items() if name in _INTERNATIONAL}


def holiday_of(name: str, year: int) -> Closed:
    """The day of a holiday in a year."""
    start = HOLIDAYS[name](year)
    return Closed(start, start + timedelta(days=1))


def weekend_at(name: str, year: int) -> Closed:
    """The weekend nearest to a holiday, with the holiday in it."""
    day, after = holiday_of(name, year)
    saturday = day - timedelta(days=(day.weekday() + 2) % 7)
    if day.weekday() in (2, 3):
        saturday += timedelta(days=7)
        return Closed(saturday, saturday + timedelta(days=2))
    if day.weekday() == 4:
        return Closed(day, day + timedelta(days=3))
    if day.weekday() == 1:
        return Closed(saturday, saturday + timedelta(days=2))
    return Closed(saturday, max(after, saturday + timedelta(days=2)))
