"""The time that a question asks about: "in 2022", "before Hamburg", "when I was at Acme", "previously".

What held then is the answer, and what came in its place is its other side, which stands right behind it.

Invariant: pure.  Only statements of a relation that the question asks for are led, and only where the memory knows, or may
presume, that they held then; a question for the present, or one whose time nothing is known of, is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from graphmem.extractors.timex import resolve
from graphmem.model import Statement
from graphmem.ontology import relation
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.telling import names_time

if TYPE_CHECKING:
    from graphmem.recall.signals import Array

# How many statements are led, and the log odds that the first of them has at least.
MOST, FOUND, STEP = 3, 0.5, 0.05
# What the log odds of an episode of that time gain, and of what began only later lose.
NEAR = 1.0
# What a turn gains in the order that was said then.
THEN = 2.0
# So many seconds later people tell of what happened.
_TOLD_WITHIN = 7 * 86400
_LONGEST = 300  # characters of a question that are read for its time
_ANCHOR = re.compile(
    r"(?:^|\s)(?P<how>(?:(?:right|just|shortly|directly) )?(?:before|after|prior to|following)|when|while|during)\s+"
    r"(?P<what>[^?.!;]+)",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"before|prior to", re.IGNORECASE)
_AFTER = re.compile(r"after|following", re.IGNORECASE)
_FORMERLY = re.compile(
    r"\b(?:used? to|formerly|previously|previous|former|in the past|back then|once|earlier)\b|\b(?:before|before that)\W*$",
    re.IGNORECASE,
)
_AGO = re.compile(r"\bago\b", re.IGNORECASE)
_STILL = re.compile(r"\b(?:now|nowadays|today|currently|current|these days|at the moment|still)\b", re.IGNORECASE)
_WHERE = re.compile(
    r"^\W*(?:(?:in|at|to|from) )?(?:where\b|(?:which|what) (?:city|town|country|place|company|employer|firm)\b)", re.IGNORECASE
)
PLACES = frozenset({"place", "organisation"})


@dataclass(frozen=True, slots=True)
class Span:
    """A time in a question.

    Attributes:
        main: the question without it.
        how: whether what held during it, before it or after it is asked for, or whatever held formerly.
        since, until: its bounds, half-open; None is open, or not given.
        anchor: the words of what gives the time, where no date does.
    """

    main: str
    how: str
    since: datetime | None = None
    until: datetime | None = None
    anchor: str = ""


def span_of(text: str, now: datetime, *, past: bool, language: str = "english") -> Span | None:
    """The time that a question asks about, None where it asks about none in particular."""
    if len(text) > _LONGEST:
        return None
    if names_time(text, language):
        times = resolve(text, now, tense="past" if past else None)
        times = [time for time in times if time.start is not None or time.end is not None]
        if times:
            time = times[0]
            since, until = time.start, time.end
            if (until is None or until > now) and (since is None or since <= now):
                return None
            if time.granularity == "year" and since is not None and _AGO.search(time.text):
                # "Two years ago" is about this day, two years before.
                since = since.replace(month=now.month, day=min(now.day, 28))
                until = since + timedelta(days=1)
            main = text[: time.start_char] + " " + text[time.end_char :]
            return Span(main, "during", since, until)
    found = _ANCHOR.search(text)
    # "When did I ..." asks for the time itself.
    if found and found.start() > 0:
        how = "before" if _BEFORE.search(found["how"]) else "after" if _AFTER.search(found["how"]) else "during"
        return Span(text[: found.start()], how, anchor=found["what"])
    if _FORMERLY.search(text) and not _STILL.search(text):
        return Span(_FORMERLY.sub(" ", text), "formerly")
    return None


@dataclass(frozen=True, slots=True)
class Timed:
    """What a time in a question does to statements, by place.

    Attributes:
        leading: those that held then and are asked for, the best first.
        near: episodes of that time.
        later: those of an asked relation that began only after it.
    """

    leading: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    later: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Interval:
    """When a statement held, when it was said, and whether it took the place of another one."""

    start: datetime | None
    end: datetime | None
    said: datetime
    later: bool


def led_by_time(
    corpus: Corpus, question: Question, now: datetime, served: Mapping[int, Statement], fitting: frozenset[int]
) -> Timed:
    """What the time of a question does to the statements; nothing where it names none.

    Args:
        corpus: what there is.
        question: what is asked.
        now: the present.
        served: the statements that may be served.
        fitting: those of them that are about whom the question means.
    """
    span = span_of(question.bare, now, past=question.past, language=corpus.words.language_of(question.bare))
    if span is None:
        return Timed()
    held = {
        place: _Interval(statement.valid_from, statement.valid_to, statement.asserted_at, bool(statement.supersedes))
        for place, statement in served.items()
        if place in fitting and statement.polarity == "positive" and statement.kind != "episode"
    }
    anchor = None
    if span.anchor:
        anchor = _anchor(span.anchor, corpus, served, held)
        if anchor is None:
            return Timed()
    asked = _asked(span.main, corpus, None if anchor is None else served[anchor].predicate)
    places = [place for place in held if served[place].predicate in asked and place != anchor]
    if anchor is None:
        first = tuple(_ranked(span, places, held, served, now))
        if span.how != "during":
            return Timed(first)
        then = _episodes(span, served, fitting)
        if not asked and not corpus.words.topics(span.main):
            # "What did I do last week?" asks for whatever happened.
            first = then[:MOST]
        start, until = (held[place].start for place in places), span.until
        later = [place for place, begin in zip(places, start, strict=True) if until and begin and begin >= until]
        return Timed(first, then, tuple(later) if not first else ())
    return Timed(tuple(_beside(span, anchor, places, held, served, now)))


def said_then(corpus: Corpus, question: Question, now: datetime) -> Array | None:
    """Which turns were said in the time that a question names, or little later; None where it names none."""
    span = span_of(question.bare, now, past=True, language=corpus.words.language_of(question.bare))
    if span is None or span.since is None or span.until is None:
        return None
    said = corpus.columns.said
    out: Array = ((said >= span.since.timestamp()) & (said < span.until.timestamp() + _TOLD_WITHIN)).astype(float)
    return out


def _episodes(span: Span, served: Mapping[int, Statement], fitting: frozenset[int]) -> tuple[int, ...]:
    """What happened in a span, the latest first."""
    found = [
        (statement.valid_from, place)
        for place, statement in served.items()
        if place in fitting and statement.kind == "episode" and statement.valid_from is not None
        if (span.until is None or statement.valid_from < span.until)
        and (span.since is None or (statement.valid_to or statement.valid_from) > span.since)
    ]
    return tuple(place for _, place in sorted(found, reverse=True))


def _beside(
    span: Span,
    anchor: int,
    places: list[int],
    held: Mapping[int, _Interval],
    served: Mapping[int, Statement],
    now: datetime,
) -> list[int]:
    """What held before, after or while something else did."""
    interval = held[anchor]
    if span.how == "during":
        if interval.start is None and interval.end is None:
            return []
        start = interval.start or min(interval.said, interval.end or interval.said)
        return _overlapping(places, held, start, interval.end or now)
    same = [place for place in places if served[place].predicate == served[anchor].predicate] or places
    if span.how == "before":
        until = interval.start or interval.said
        earlier = [place for place in same if _begin(held[place]) < until]
        return sorted(earlier, key=lambda place: (_end(held[place], now), _begin(held[place])), reverse=True)[:1]
    since = interval.end or interval.said
    first = _begin(interval)
    later = [place for place in same if _begin(held[place]) > first and _end(held[place], now) > since]
    return sorted(later, key=lambda place: (_begin(held[place]), place))[:1]


def _asked(main: str, corpus: Corpus, other: str | None) -> frozenset[str]:
    """The relations that the question asks for without its time; of a place only where it asks where."""
    words = corpus.words
    asked = frozenset(corpus.asks_for((*words.stems(main), *words.raw(main))))
    if other is not None and not asked:
        asked = frozenset({other})
    if _WHERE.search(main):
        return frozenset(name for name in asked if relation(name).value in PLACES) or asked
    return asked


def asks_where(text: str) -> bool:
    """Whether a question asks for a place or an organisation."""
    return bool(_WHERE.search(text))


def _anchor(what: str, corpus: Corpus, served: Mapping[int, Statement], held: Mapping[int, _Interval]) -> int | None:
    """The statement that gives the time: the one with most words of those that the question has for it."""
    stems = frozenset(corpus.words.stems(what))
    best: tuple[tuple[int, int, int], int] | None = None
    for place in held:
        statement = served[place]
        thing = frozenset(corpus.words.stems(statement.object))
        # "At Harbour" names "Harbour Analytics"; a word that both have by chance does not.
        if not thing or not thing & stems or not (thing <= stems or stems <= thing or _names(statement.object, what)):
            continue
        one_valued = relation(statement.predicate).cardinality == "one"
        rank = (len(thing & stems), int(one_valued), -place)
        if best is None or rank > best[0]:
            best = rank, place
    return None if best is None else best[1]


def _names(thing: str, what: str) -> bool:
    """Whether a text has the first word of a name as it is written."""
    first = thing.split()[0]
    return first[:1].isupper() and re.search(rf"(?<!\w){re.escape(first)}(?!\w)", what) is not None


def _begin(held: _Interval) -> datetime:
    return held.start or (min(held.said, held.end) if held.end is not None else held.said)


def _end(held: _Interval, now: datetime) -> datetime:
    return held.end or now


def _ranked(
    span: Span, places: list[int], held: Mapping[int, _Interval], served: Mapping[int, Statement], now: datetime
) -> list[int]:
    if span.how == "formerly":
        over = [place for place in places if served[place].status in ("superseded", "past")]
        return sorted(over, key=lambda place: (_end(held[place], now), -place), reverse=True)[:MOST]
    return _overlapping(places, held, span.since, span.until or now)


def _overlapping(places: list[int], held: Mapping[int, _Interval], since: datetime | None, until: datetime) -> list[int]:
    """Those that held in [since, until), the longest first; what is only presumed to where nothing is known to."""
    sure: list[int] = []
    presumed: list[int] = []
    for place in places:
        one = held[place]
        if since is not None and one.end is not None and one.end <= since:
            continue
        if _begin(one) < until:
            sure.append(place)
        elif one.start is None and not one.later:
            presumed.append(place)

    def length(place: int) -> tuple[float, datetime, int]:
        begin, end = _begin(held[place]), min(_end(held[place], until), until)
        begin = begin if since is None else max(begin, since)
        return (end - begin).total_seconds(), _begin(held[place]), -place

    if since is None or not sure:
        return sorted(sure or presumed, key=lambda place: (_begin(held[place]), -place), reverse=bool(sure))[:MOST]
    return sorted(sure, key=length, reverse=True)[:MOST]
