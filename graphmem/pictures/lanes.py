"""A user's statements as bars in lanes: one lane for what can have one value at a time, one for every other thing.

Invariant: nothing that has a place in time is left out unless the chart says how many are; bars that overlap lie in rows of
their own, so that a contradiction is seen as two bars side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from graphmem.model import Statement, Status
from graphmem.ontology import relation

MOST_LANES = 60
_SHOWN = frozenset({"fact", "preference"})
_HIDDEN = frozenset({"suggested", "quarantined", "retracted"})
_LEAST = timedelta(days=1)  # what a bar is long at least, so that it can be seen


class Bar(NamedTuple):
    """One statement: where it lies and how it stands; an end that is not known is open."""

    id: str
    row: int
    start: datetime
    end: datetime
    open_start: bool
    open_end: bool
    status: Status
    disputed: bool
    text: str


class Lane(NamedTuple):
    """A run of rows with one heading."""

    title: str
    first: int
    rows: int


class Tie(NamedTuple):
    """An arrow between two bars: the newer one `supersedes` or `corrects` the other, or both contradict each other."""

    kind: str
    source: str
    target: str


class Chart(NamedTuple):
    """A whole picture; `left_out` lanes had no room, the ones that changed least recently."""

    title: str
    lanes: tuple[Lane, ...]
    bars: tuple[Bar, ...]
    ties: tuple[Tie, ...]
    begin: datetime
    now: datetime
    left_out: int


def chart(statements: Iterable[Statement], *, title: str, now: datetime, most: int = MOST_LANES) -> Chart:
    """Plan the picture of statements as they stand at `now`.

    Args:
        statements: statements as read; facts and preferences are drawn, suggestions and what was withdrawn are not.
        title: stands above.
        now: the right edge, at which what still holds goes on.
        most: how many lanes there are at most.
    """
    chosen = [one for one in statements if one.kind in _SHOWN and one.status not in _HIDDEN]
    groups: dict[tuple[str, str, str], list[Statement]] = {}
    for one in sorted(chosen, key=lambda one: (one.asserted_at, one.id)):
        groups.setdefault(_lane(one), []).append(one)
    # What changed last is of most interest; the subject and its lanes then stand in a fixed order.
    ranked = sorted(groups, key=lambda key: (max(one.asserted_at for one in groups[key]), key), reverse=True)
    kept = sorted(ranked[:most], key=lambda key: (key[0] != "user", key))
    lanes: list[Lane] = []
    bars: list[Bar] = []
    row = 0
    for key in kept:
        placed = _rows([_bar(one, now) for one in groups[key]])
        height = 1 + max(bar.row for bar in placed)
        lanes.append(Lane(_heading(key, groups[key]), row, height))
        bars += [bar._replace(row=bar.row + row) for bar in placed]
        row += height
    drawn = {bar.id for bar in bars}
    begin = min((bar.start for bar in bars), default=now - _LEAST)
    return Chart(title, tuple(lanes), tuple(bars), tuple(_ties(chosen, drawn)), begin, now, len(ranked) - len(kept))


def _lane(one: Statement) -> tuple[str, str, str]:
    """What shares a lane: the values of a relation that has one at a time, and otherwise one thing's own story."""
    return one.subject, one.predicate, (one.context or "") if _single(one.predicate) else one.object.casefold()


def _single(predicate: str) -> bool:
    return relation(predicate).cardinality == "one"


def _heading(key: tuple[str, str, str], group: Sequence[Statement]) -> str:
    subject, predicate, rest = key
    what = rest if predicate in ("attribute", "told") and rest else predicate.replace("_", " ")
    thing = "" if _single(predicate) else f": {group[0].object}"
    return f"{'' if subject == 'user' else subject + ' '}{what}{thing}"


def _bar(one: Statement, now: datetime) -> Bar:
    permanent = relation(one.predicate).permanence == "permanent"
    start = one.valid_from or one.asserted_at
    ended = one.valid_to is not None
    end = one.valid_to if one.valid_to is not None else max(now, start)
    if one.status == "planned":
        end = one.valid_to or max(start, now) + _LEAST
    if end < start + _LEAST:
        # What ended before it was told of began at some unknown time before.
        start, end = (end - _LEAST, end) if one.valid_from is None and ended else (start, start + _LEAST)
    if permanent:
        end = max(now, start)  # its time is its value, and it holds ever after
    return Bar(
        id=one.id,
        row=0,
        start=start,
        end=end,
        open_start=one.valid_from is None and not permanent,
        open_end=not ended and not permanent,
        status=one.status,
        disputed=bool(one.contradicts),
        text=("not " if one.polarity == "negative" else "") + one.object,
    )


def _rows(bars: Sequence[Bar]) -> list[Bar]:
    """Each bar in the first row that is free where it lies."""
    ends: list[datetime] = []
    placed = []
    for bar in sorted(bars, key=lambda bar: (bar.start, bar.id)):
        row = next((n for n, end in enumerate(ends) if end <= bar.start), len(ends))
        ends[row : row + 1] = [bar.end]
        placed.append(bar._replace(row=row))
    return placed


def _ties(statements: Sequence[Statement], drawn: set[str]) -> Iterable[Tie]:
    for one in statements:
        pairs = [("supersedes", other) for other in one.supersedes] + [("corrects", other) for other in one.corrects]
        pairs += [("contradicts", other) for other in one.contradicts if one.id < other]
        for kind, other in pairs:
            if one.id in drawn and other in drawn:
                yield Tie(kind, one.id, other)
