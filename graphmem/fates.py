"""What becomes of planned events: which plan or appointment is meant where one is called off, moved or has taken place.

Invariant: an event is named by its head noun ("the trip to Rome", "the meeting"), and all that is said of it besides has to
stand in the plan.  A plan is the event that it is about and nothing in its neighbourhood: who has to book the hotel for the
wedding has planned no wedding by that.  Whether more than one plan fits is not asked here.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from graphmem.canonical import date_parts, object_key
from graphmem.deeds import LINKS, instant, stem
from graphmem.records import StatementRecord

# What is told of an event, and the rule of the link to the plan that it closes.
RULES = {"off": "off", "moved": "moved", "held": "done", "over": "done"}
# Words of a plan that say that one will be there, and nothing of what it is.
_ATTEND = frozenset(
    stem(word)
    for word in (
        *("have", "attend", "go", "get", "throw", "host", "hold", "give", "see", "join", "celebrate", "take", "plan"),
        *("organise", "organize", "arrange", "run", "do", "play", "start"),
    )
)
_TRAVEL = frozenset(stem(word) for word in ("go", "fly", "travel", "drive", "sail", "visit", "head", "cycle"))
# Nouns for one kind of event, by the one that stands for all of them.
_KINDS = {"holiday": "trip", "vacation": "trip", "journey": "trip", "visit": "trip", "getaway": "trip", "appt": "appointment"}
# Plans that are worded by a verb.
_BY_VERB = {"meet": "meeting", "fly": "flight", "marry": "wedding", "married": "wedding", "interview": "interview"}
_OWN = frozenset({"my", "our", "the", "a", "an", "this", "that", "some", "up", "married"})
# Events that are named by whom they are with ("a doctor's appointment"), and words that give others to somebody else.
_WITH = frozenset(map(stem, ("appointment", "check-up", "checkup")))
_OTHERS = re.compile(r"(?:\w.*['’]s|\w+s['’]|his|her|their|your|whose)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w'’-]*")


class Event(NamedTuple):
    """The kinds of event that some words may stand for, all words of them by their stems, and whether it is somebody else's."""

    heads: frozenset[str]
    words: frozenset[str]
    others: bool = False


def fate(record: StatementRecord) -> str | None:
    """What is told of an event: `off`, `moved`, `held` or `over` (whatever its day was); None for all other statements."""
    told = record.details.get("fate")
    return str(told) if told in RULES else None


def event_of(record: StatementRecord) -> Event:
    """The event of which a fate is told."""
    return _event(str(record.details.get("thing", "")), attended=True)


def plan_of(record: StatementRecord) -> Event | None:
    """The event that a statement plans, dates or has open; None if it is about none."""
    if record.polarity != "positive" or record.details.get("fate") in ("off", "held", "over"):
        return None
    if record.kind == "open_item":
        return _event(record.object, attended=record.details.get("verb") == "attend" or bool(fate(record)))
    if record.modality == "intended" and record.temporal == "future":
        return _event(record.object, attended=record.kind == "episode")
    if dated(record):
        words = frozenset(map(stem, str(record.details.get("about", record.context or "")).casefold().split()))
        return Event(frozenset({_kind(str(record.details["head"]))}), words)
    return None


def dated(record: StatementRecord) -> bool:
    """Whether a statement gives the day of a thing ("the wedding is on 12 June")."""
    return record.kind == "fact" and record.details.get("unit") == "date" and "head" in record.details


def meant(told: StatementRecord, plan: StatementRecord) -> bool:
    """Whether the event of which a fate is told is the one that a statement plans, as far as the words go."""
    planned = plan_of(plan)
    if planned is None or told.subject_key != plan.subject_key:
        return False
    named = event_of(told)
    if not named.heads & planned.heads:
        return False
    if not named.words - named.heads <= planned.words | planned.heads:
        return False
    if (planned.others and told.details.get("own")) or not _of_its_day(told, plan):
        return False
    if fate(told) == "held":
        return plan.valid_from is None or plan.valid_from <= told.asserted_at
    over = plan.valid_to is not None and plan.valid_to <= told.asserted_at and fate(told) != "over"
    by = instant(told, "settled_by") or (told.valid_to if fate(told) == "off" else None)
    earlier = by is not None and by <= plan.asserted_at
    return not over and not earlier


def _of_its_day(told: StatementRecord, plan: StatementRecord) -> bool:
    """Whether the day that is told of an event can be the day of a plan, where both have one."""
    low, high = instant(told, "day_from"), instant(told, "day_to")
    if low is None or high is None:
        return True
    if high <= plan.asserted_at and fate(told) != "held":
        return False  # an event of the time before the plan was told
    if dated(plan):
        named = date_parts(str(plan.details.get("number", "")))
        if None in named:
            named = date_parts(plan.object)
        days = [low + timedelta(days=n) for n in range(min((high - low).days, 400) + 1) if low + timedelta(days=n) < high]
        return any(all(a in (None, b) for a, b in zip(named, (d.year, d.month, d.day), strict=True)) for d in days)
    start, end = plan.valid_from, plan.valid_to
    if start is not None and end is not None and end - start < timedelta(days=1):
        start, end = start.replace(hour=0, minute=0, second=0, microsecond=0), end + timedelta(hours=12)
    return (start is None or start < high) and (end is None or low < end)


@cache
def _event(text: str, *, attended: bool) -> Event:
    """The event in some words: "a trip to Rome", "throwing a party", "flying to Rome"."""
    written = _WORD.findall(text)
    tokens = [object_key(word) for word in written]
    verbs: set[str] = set()
    if not attended and tokens:
        verb = stem(tokens[0])
        if "married" in tokens[:2]:
            verb = "marry"
        by_verb = {stem(name): head for name, head in _BY_VERB.items()}
        if verb in by_verb:
            verbs.add(by_verb[verb])
        if verb in _TRAVEL and any(word[:1].isupper() for word in written[1:]):
            verbs.add("trip")
        begins_with_verb = verb in _ATTEND | _TRAVEL or bool(verbs)
        if not begins_with_verb and not _is_noun_phrase(written):
            return Event(frozenset(), frozenset())
        if begins_with_verb:
            tokens = tokens[1:]
    while tokens and (tokens[0] in _OWN or (tokens[0] in LINKS and not attended)):
        tokens = tokens[1:]
    first = next((n for n, word in enumerate(tokens) if word in LINKS), len(tokens))
    heads = frozenset(map(_kind, tokens[max(first - 1, 0) : first]))
    rest = tokens[: max(first - 1, 0)] + tokens[first:]
    # Where something starts is told apart from where it goes.
    words = frozenset(
        f"from {stem(word)}" if n and rest[n - 1] == "from" else stem(word)
        for n, word in enumerate(rest)
        if word not in LINKS and word not in _OWN
    )
    whose = heads.isdisjoint(_WITH) and any(_OTHERS.fullmatch(word) for word in written[:-1])
    return Event(heads | frozenset(map(stem, verbs)), heads | words, whose)


def _is_noun_phrase(written: list[str]) -> bool:
    return written[0].casefold() in _OWN


@cache
def _kind(word: str) -> str:
    return stem(_KINDS.get(word, word))
