"""Rules about what the speaker is like: hair and eyes, build and height, what is worn, what kind of person.

Invariant: only a listed feature of the body or build counts, and only of the speaker; "short on cash" is no height.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, make, object_after, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items
from graphmem.extractors.wordings import line, wording

_CLOSING = frozenset({",", ".", "!", "and", "but", "so", "with", "like", "for", "because", "now", "too", "btw", ";", "though"})


@rule(
    ("I have long grey hair and green eyes", "appearance: green eyes"),
    ("my hair is curly", "appearance: hair is curly"),
    ("we both have freckles", "appearance: freckles"),
    anyone=False,
    fragments=False,
)
def feature(clause: Clause) -> Iterator[Draft]:
    """Hair, eyes and the like: that one has them so, or that they are so."""
    ws = clause.words
    if clause.negated or clause.past or clause.future or clause.passive:
        return
    if clause.lemma == "have" and clause.subject.kind == "user" and not clause.perfect and not clause.progressive:
        for start, end in items(ws, clause.verb + 1, clause.end):
            noun = head(ws, start, end)
            told = noun.low in words("marks_of_body") or (noun.low in words("body_features") and _described(clause, start, end))
            figurative = end < clause.end and ws[end].low in ("for", "of", "on", "about")
            if told and not figurative and noun.i == end - 1 and ws[start].low not in ("the", "my", "your", "no"):
                yield make(clause, "appearance", bare(ws, (start, end)), timed=False)
    elif clause.lemma == "be" and clause.subject.kind == "possessed" and clause.subject.start >= 0:
        subject = clause.subject
        own = subject.end - subject.start <= 3 and ws[subject.start].low == "my"
        stop = clause.verb + 1
        while stop < clause.end and (ws[stop].tag in ("JJ", "JJR", "NN", "RB", "CC", "HYPH") and not ws[stop].time):
            stop += 1
        while stop > clause.verb + 1 and ws[stop - 1].tag in ("CC", "RB", "HYPH"):
            stop -= 1
        coloured = any(w.low in words("colours") | words("shapes_of_hair") for w in ws[clause.verb + 1 : stop])
        if own and ws[subject.head].low in words("body_features") and coloured and subject.head == subject.end - 1:
            yield make(clause, "appearance", (subject.start + 1, stop), subject="user", timed=False)


def _described(clause: Clause, start: int, end: int) -> bool:
    return any(w.tag in ("JJ", "JJR", "VBN") or w.low in words("colours") for w in clause.words[start : end - 1])


_HEIGHT = wording(
    r"(?:\d(?: |-)?(?:foot|feet|ft|')(?: ?\d{1,2}(?: ?(?:inches|inch|in|\"))?)?|\d'\d{1,2}\"?|\d\.\d+ ?(?:m|metres|meters)|"
    r"(?:1\d\d|2[01]\d) ?(?:cm|centimetres|centimeters)|(?:five|six) (?:foot|feet)(?: \w+)?)(?: tall)?"
)


@rule(
    ("I'm tall and skinny", "appearance: tall"),
    ("I am 6 foot 1", "appearance: 6 foot 1"),
    ("I'm a redhead", "appearance: redhead"),
    anyone=False,
    fragments=False,
)
def build(clause: Clause) -> Iterator[Draft]:
    """Being tall, bald, a brunette; how tall in figures."""
    ws = clause.words
    if clause.lemma != "be" or clause.negated or clause.past or clause.future or clause.subject.kind != "user":
        return
    figures = _HEIGHT.search(line(clause))
    if figures:
        start = clause.start + line(clause).count(" ", 0, figures.start())
        end = start + figures.group().strip().count(" ") + 1
        if start <= clause.verb + 4 and (end >= clause.end or ws[end].low in _CLOSING):
            yield make(clause, "appearance", (start, end), timed=False)
        return
    i = clause.verb + 1
    while i < clause.end and (
        ws[i].pos == "ADV" or ws[i].low in ("a", "an", "natural", "pretty", "quite", "kind", "of", "rather")
    ):
        i += 1
    while i < clause.end and ws[i].low in words("builds") and (i + 1 >= clause.end or ws[i + 1].low in _CLOSING):
        yield make(clause, "appearance", (i, i + 1), timed=False)
        if i + 1 < clause.end and ws[i + 1].low in (",", "and"):
            i += 2
        else:
            return


@rule(("I'm a night owl", "trait: night owl"), ("I'm such a homebody", "trait: homebody"), anyone=False, fragments=False)
def kind_of_person(clause: Clause) -> Iterator[Draft]:
    """As in "I'm a night owl", "I'm an introvert": listed kinds of person."""
    ws = clause.words
    if clause.lemma != "be" or clause.past or clause.future or clause.subject.kind != "user":
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    kinds = words("kinds_of_person")
    for i in range(span[0], span[1]) if span else ():
        for size in (2, 1):
            end = i + size
            if span and end == span[1] and " ".join(w.low for w in ws[i:end]) in kinds:
                closed = end >= clause.end or ws[end].low in _CLOSING
                if closed and any(w.low in ("a", "an") for w in ws[clause.verb + 1 : i]):
                    yield make(clause, "trait", (i, end), timed=False)
                return


_VITALS = wording(
    r"my (?:blood pressure|cholesterol|blood sugar|iron|heart rate|eyesight|hearing|memory|vision) (?:is|'s) "
    r"(?:too |very |quite |pretty |really |a bit )?(?:high|low|bad|poor|terrible|failing|going)",
    opens=True,
)
_HAD = frozenset(
    {"operation", "operations", "surgery", "surgeries", "stroke", "strokes", "miscarriage", "miscarriages", "attacks"}
)


@rule(
    ("my blood pressure is high", "health: blood pressure is high"),
    ("I've had two knee operations", "health: two knee operations"),
    anyone=False,
    fragments=False,
)
def vitals(clause: Clause) -> Iterator[Draft]:
    """As in "my blood pressure is high", "I've had two knee operations"."""
    ws = clause.words
    if clause.negated or clause.past or clause.future:
        return
    found = _VITALS.search(line(clause))
    if found:
        end = clause.start + line(clause).count(" ", 0, found.end()) + 1
        start = next(w.i for w in ws[clause.start :] if w.low == "my") + 1
        yield make(clause, "health", (start, end), subject="user", importance=0.6)
    elif clause.lemma == "have" and clause.perfect and clause.subject.kind == "user":
        span = object_after(clause, clause.verb + 1, loose=False)
        if span and head(ws, *span).low in _HAD and (ws[span[0]].tag == "CD" or ws[span[0]].low in ("a", "several")):
            yield make(clause, "health", span, temporal="current", importance=0.6)


_WORN = re.compile(r"wear")


@rule(("I wear glasses", "wear: glasses"), ("I've worn braces since May", "wear: braces"), anyone=False, fragments=False)
def worn(clause: Clause) -> Iterator[Draft]:
    """Glasses, braces, a wig: what is worn every day."""
    ws = clause.words
    if not _WORN.match(clause.lemma) or clause.negated or clause.past or clause.future or clause.subject.kind != "user":
        return
    span: Span | None = object_after(clause, clause.verb + 1)
    if span and head(ws, *span).low in words("worn_daily") and ws[span[0]].low not in ("the", "these", "those", "this"):
        yield make(clause, "wear", bare(ws, span), temporal="ended" if clause.used_to else "current")
