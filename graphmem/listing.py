"""Answers to questions for a kind of memory: what is to do, what is planned, what has changed.

Invariant: what is listed is what `open_items`, `profile` and `changes` list, and nothing else; what was withdrawn or only
suggested is not served.  A listed hit has a score of its own that says that it was asked for by its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from graphmem.changes import changes
from graphmem.model import Hit, HitParts, Recall, Statement
from graphmem.periods import date, past_due
from graphmem.reading import ACCEPTED, Reader, is_summary
from graphmem.recall.answer import SERVED
from graphmem.recall.kinds import Asked
from graphmem.recall.words import Words

SCORE = 0.8  # of what is listed because it is of the kind that was asked for
REASONS = {"open_items": "asks for what is to do", "plans": "asks for plans", "changes": "asks for what changed"}


def listed(reader: Reader, asked: Asked, words: Words) -> list[Hit]:
    """What answers a question for a kind, the most pressing or the newest first."""
    found: list[tuple[Statement, tuple[str, ...]]]
    if asked.kind == "open_items":
        found = [(statement, ()) for statement in _due(reader.open_items(), asked)]
    elif asked.kind == "plans":
        found = [(statement, ()) for statement in _planned(reader, asked)]
    else:
        found = [(statement, (how,)) for statement, how in _changed(reader, asked)]
    return [
        Hit(
            statement=statement,
            score=SCORE,
            parts=HitParts(importance=statement.importance, usage=0.5),
            path=(REASONS[asked.kind], *how),
            flags=_flags(statement, reader.at),
        )
        for statement, how in found
        if _about(statement, asked, words)
    ]


def led_by(found: Recall, first: Sequence[Hit], asked: Asked, k: int) -> Recall:
    """An answer with what was asked for by its kind in front, and alone where nothing else was asked about."""
    if not first:
        return found
    there = {hit.statement.id for hit in first if hit.statement is not None}
    rest = [hit for hit in found.hits if hit.statement is None or hit.statement.id not in there] if asked.topics else []
    hits = tuple([*first, *rest][:k])
    ids = {hit.statement.id for hit in hits if hit.statement is not None}
    pairs = tuple(pair for pair in found.contradictions if {pair.a.id, pair.b.id} & ids)
    shown = sum("superseded" in hit.flags for hit in hits)
    return found.model_copy(update={"hits": hits, "contradictions": pairs, "superseded_shown": shown})


def _about(statement: Statement, asked: Asked, words: Words) -> bool:
    """Whether a statement has all topics, in its text or in the words that it rests on."""
    if not asked.topics:
        return True
    own = set(words.stems(f"{statement.text} {statement.context or ''} {' '.join(item.quote for item in statement.evidence)}"))
    return asked.topics <= own


def _due(items: Iterable[Statement], asked: Asked) -> list[Statement]:
    """Open items; where a time is named, those that are due by its end, or all where none is."""
    items = list(items)
    until = asked.until or asked.since
    if until is None:
        return items
    dated = [item for item in items if item.details.get("due") and datetime.fromisoformat(str(item.details["due"])) < until]
    return dated or items


def _planned(reader: Reader, asked: Asked) -> list[Statement]:
    """Plans whose time has not passed, the next first; where a time is named, those for that time."""
    found = [
        statement
        for statement in reader.all()
        if statement.tier in ACCEPTED
        and statement.kind != "open_item"
        and (statement.status == "planned" or (statement.status == "current" and statement.modality == "intended"))
        and not past_due(statement, reader.at)
    ]
    found.sort(
        key=lambda statement: (statement.valid_from is None, statement.valid_from or statement.asserted_at, statement.id)
    )
    if asked.since is None and asked.until is None:
        return found
    return [
        statement
        for statement in found
        if (asked.until is None or statement.valid_from is None or statement.valid_from < asked.until)
        and (asked.since is None or statement.valid_to is None or statement.valid_to > asked.since)
        and (statement.valid_from is not None or statement.valid_to is not None)
    ]


def _changed(reader: Reader, asked: Asked) -> list[tuple[Statement, str]]:
    """What changed, the newest first; with no time named, what is new only where nothing else has changed."""
    every = changes(reader, erased=(), since=asked.since, until=asked.until, clock="told")
    real = [one for one in every if one.type not in ("added", "confirmed")]
    kept: dict[str, tuple[Statement, str]] = {}
    for one in reversed(every if asked.since is not None or asked.until is not None else real or every):
        statement = one.statement
        if statement is None or statement.id in kept or is_summary(statement):
            continue
        if statement.tier in ACCEPTED and statement.status in SERVED and statement.status != "superseded":
            kept[statement.id] = statement, f"{one.type} on {date(one.at)}"
    return list(kept.values())


def _flags(statement: Statement, now: datetime) -> tuple[str, ...]:
    flags = [statement.status] if statement.status in ("superseded", "past") else []
    if not flags and statement.kind != "open_item" and past_due(statement, now):
        flags.append("past")
    return (*flags, "contradicted") if statement.contradicts else tuple(flags)
