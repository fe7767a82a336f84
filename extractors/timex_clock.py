"""Clock times on their own: "3pm", "9:30", "half past nine", "noon"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.extractors import timex_calendar as calendar
from graphmem.extractors.timex_atom import Atom, rule
from graphmem.extractors.timex_calendar import Closed
from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_tense import PERFECT


@rule("clock")
@rule("past (num|clock)")
def _clock(tokens: Sequence[Token]) -> Atom | None:
    if tokens[0].kind == "past":
        hour, minute = (tokens[1].value, 0) if tokens[1].kind == "num" else tokens[1].value
        if not 0 <= hour <= 23:
            return None
        total = hour * 60 + tokens[0].value
        return clock(total // 60 % 24, total % 60, weak=False)
    hour, minute = tokens[0].value
    return clock(hour, minute, weak=not tokens[0].word.rstrip(".").endswith("m"))


def clock(hour: int, minute: int | None, *, weak: bool) -> Atom:
    """A time of day; alone it is that of today, or of the day that the tense asks for."""
    length = timedelta(hours=1) if minute is None else timedelta(minutes=1)

    def find(moment: datetime, tense: str | None) -> list[Closed]:
        start = calendar.midnight(moment) + timedelta(hours=hour, minutes=minute or 0)
        if tense in ("past", PERFECT) and start > moment:
            start -= timedelta(days=1)
        elif tense == "future" and start + length <= moment:
            start += timedelta(days=1)
        return [Closed(start, start + length)]

    return Atom(find, "hour" if minute is None else "minute", floating=True, weak=weak, shape="clock_atom")
