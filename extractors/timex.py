"""Time expressions in English text, resolved to half-open intervals in UTC.

`resolve` reads a text in four steps: tokens, atoms ("3 March", "last week"), composition (day and hour, ranges, "since",
"until"), and the moment at which it was said.  Invariant: the place of every value is its words in the text, bounds are
aware, and start < end where both are known.  Words that may be a time and are more often something else give nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

from graphmem.checks import brief
from graphmem.errors import InputError, NaiveTime
from graphmem.extractors.base import TimeValue
from graphmem.extractors.timex_compose import compose
from graphmem.extractors.timex_items import Item
from graphmem.extractors.timex_lexer import Token, tokens_of
from graphmem.extractors.timex_tense import tense_at

LANGUAGES = ("en",)
TENSES = (None, "past", "future", "perfect")


def resolve(text: str, reference: datetime, lang: str = "en", tense: str | None = None) -> list[TimeValue]:
    """All time expressions of a text, in order.

    Args:
        text: what was said.
        reference: when it was said, with its offset from UTC; days are days of that offset.
        lang: language of the text.
        tense: `past`, `perfect` or `future` where the caller knows; otherwise the verbs nearby decide.

    Raises:
        NaiveTime: the reference has no offset.
        InputError: there is no grammar for this language.
    """
    if lang not in LANGUAGES:
        raise InputError(f"no time grammar for language {brief(lang)}: available are {', '.join(LANGUAGES)}")
    if tense not in TENSES:
        raise InputError(f"unknown tense {brief(tense)}: give past, perfect, future or None")
    offset = reference.utcoffset()
    if offset is None:
        raise NaiveTime("the reference time has no offset from UTC: give an aware datetime")
    tokens = tokens_of(text, offset)
    items = compose(tokens)
    local = reference.astimezone(timezone(offset)).replace(tzinfo=None)
    values = [_value(text, tokens, item, local, offset, tense) for item in items]
    return [value for value in values if value is not None]


def _value(
    text: str, tokens: Sequence[Token], item: Item, moment: datetime, offset: timedelta, tense: str | None
) -> TimeValue | None:
    atom = item.atom
    if atom is None:
        return None
    try:
        readings = [
            (_utc(reading[0], offset), _utc(reading[1], offset), *(reading[2:] or (None, None)))
            for reading in atom.find(moment, tense or tense_at(tokens, item.first, item.last))
        ]
    except (OverflowError, ValueError):
        # Too many years away for the calendar.
        return None
    readings = [
        reading for reading in dict.fromkeys(readings) if reading[0] is None or reading[1] is None or reading[0] < reading[1]
    ]
    if not readings:
        return None
    start, end, modifier, grain = readings[0]
    first, last = tokens[item.first].start, tokens[item.last - 1].end
    return TimeValue(
        text=text[first:last],
        start=start,
        end=end,
        granularity="day" if atom.grain == "workday" else grain or atom.grain,
        modifier=modifier or atom.modifier,
        start_char=first,
        end_char=last,
        alternatives=tuple((one, other) for one, other, *_ in readings[1:]),
    )


def _utc(moment: datetime | None, offset: timedelta) -> datetime | None:
    if moment is None:
        return None
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    return (moment - offset).replace(tzinfo=UTC)
