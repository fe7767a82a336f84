"""Answers: phrases that mean something only through the assistant's question before them.

Invariant: without a question that fits, a bare phrase makes nothing; a denial ("nope") makes nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import Span, head, items, phrase
from graphmem.extractors.profiles import Fragment, fragment, profile

_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(source, re.IGNORECASE))
    for name, source in (
        (
            "profile",
            r"\b(?:introduce yourself|about yourself|tell me (?:a (?:bit|little) )?(?:more )?about you\b|"
            r"who are you|know about you)",
        ),
        ("allergic_to", r"\ballerg"),
        ("health", r"\b(?:health|medical|condition|injur|illness|medication)"),
        ("diet", r"\b(?:diet|dietary|food restriction|eat|meals?|vegetarian|vegan)"),
        ("born_on", r"\b(?:born|birthday|date of birth|birth year|birth date)\b"),
        ("has_pet", r"\b(?:pets?|dogs?|cats?|animals?)\b"),
        ("has_family", r"\b(?:children|kids|siblings|brothers?|sisters?|sons?|daughters?)\b"),
        ("studies_at", r"\b(?:study|studying|university|college|school|major)\b"),
        ("has_vehicle", r"\bwhat (?:car|vehicle|bike)|which (?:car|vehicle|bike)|what do you drive"),
        ("married_to", r"\b(?:married|partner|single|relationship)\b"),
        ("speaks", r"\b(?:languages?|speak)\b"),
        ("uses_tool", r"\b(?:tools?|software|apps?|editor|ide|framework|stack|do you use|operating system|browser)\b"),
        ("works_at", r"\b(?:where do you work|who do you work for|which company|what company|employer)\b"),
        ("has_job", r"\b(?:for work|for a living|your job|profession|occupation|your role|do you do|line of work|job title)\b"),
        (
            "lives_in",
            r"\b(?:where (?:do|are) you (?:live|living|based|from)|where you live|you (?:live|are based) in|"
            r"which (?:city|town|country)|what (?:city|town|country)|your (?:city|address|home))\b",
        ),
        ("name", r"\b(?:your name|call you|name should)\b"),
    )
)


_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|no|nope|sure|well|just|only|oh|hm+|mostly|currently|it's|its|that's)\b[\s,.:]*", re.IGNORECASE
)


def topics(question: str | None) -> list[str]:
    """What the assistant's last turn asks about, most telling first; empty if it asks nothing."""
    if not question or not (
        "?" in question or re.search(r"\b(?:tell me|introduce|describe|share|let me know)\b", question, re.IGNORECASE)
    ):
        return []
    asked = [
        s
        for s in re.split(r"(?<=[.!?])\s+", question)
        if "?" in s or re.search(r"\b(?:tell me|introduce|describe|share|let me know)\b", s, re.IGNORECASE)
    ]
    return [name for name, pattern in _TOPICS if any(pattern.search(s) for s in asked)]


def answers(sentence: Sentence, asked: list[str], question: str) -> Iterator[Fragment]:
    """Claims from a phrase that answers the assistant's question."""
    ws = [w for w in sentence.words if not w.foreign]
    if not ws or sentence.mark == "?":
        return
    yield from _renamed(ws, question)
    if not asked or not ws or sentence.mark == "?":
        return
    lead = _YES.match(sentence.text)
    skip = sentence.start + (lead.end() if lead else 0)
    start = next((w.i for w in ws if w.start >= skip), None)
    if start is None:
        return
    denied = bool(re.match(r"^\W*(?:no|nope)\b", sentence.text, re.IGNORECASE))
    topic = asked[0]
    if topic == "profile":
        yield from profile(ws, start, len(ws))
        return
    if topic == "diet" and "profile" not in asked:
        yield from _diet(ws, 0)
        return
    ws = _before_clause(ws)
    if not ws or (
        any(w.tag in ("VBP", "VBZ", "VBD", "MD") and w.dep in ("ROOT", "ccomp") for w in ws)
        and not (ws[0].low in ("it", "she", "he", "they") and topic == "has_pet")
    ):
        return
    yield from _typed(ws, start, topic, denied, question)


def _renamed(ws: list[Word], question: str) -> Iterator[Fragment]:
    """As in "It's Ms Moore, Ada Moore": the name put right after the assistant used one."""
    if ws[0].low not in ("it", "its", "it's") or len(ws) < 3 or ws[1].low not in ("'s", "is", "s"):
        return
    span = _capitalised(ws, 2)
    last = span
    while span is not None and span[1] + 1 < len(ws) and ws[span[1]].low == ",":
        span = _capitalised(ws, span[1] + 1)
        last = span or last
    if last is None:
        return
    name = [w.text for w in ws[last[0] : last[1]] if w.low not in ("mr", "ms", "mrs", "dr", "miss")]
    if name and (name[-1] in question or re.search(r"\b(?:Mr|Ms|Mrs|Dr|Miss|your name|call you)\b", question)):
        start = next(w.i for w in ws[last[0] : last[1]] if w.text == name[0])
        yield fragment("name", ws, (start, last[1]), {"cue": "correction", "importance": 0.8})


def _before_clause(ws: list[Word]) -> list[Word]:
    """The phrase before a clause that goes on about it: "Gout and a weak ankle, that's about it"."""
    for w in ws[1:]:
        if w.low in ("that", "i", "it", "they", "we") and ws[w.i - 1].low == ",":
            return ws[: w.i - 1]
    return ws


def _typed(ws: list[Word], start: int, topic: str, denied: bool, question: str) -> Iterator[Fragment]:
    end = len(ws)
    cue: dict[str, Any] = {"cue": "correction", "replaces": _asked_value(question)} if denied and _asked_value(question) else {}
    if topic in ("lives_in", "works_at", "name", "studies_at", "has_vehicle"):
        span = _capitalised(ws, start)
        if span and not (denied and not cue):
            yield fragment(topic, ws, span, {"importance": 0.7, **cue})
    elif topic == "born_on":
        span = _date(ws, start)
        if span:
            yield fragment(topic, ws, span, {"importance": 0.8, "own_time": True})
    elif topic == "has_family" and not denied:
        w = ws[start]
        if w.tag == "CD" or w.low in ("two", "three", "one", "four", "a", "twins") or w.low in words("kin"):
            stop = max(phrase(ws, start, end), start + 1)
            yield fragment(topic, ws, (start, stop), {"importance": 0.7})
    elif topic == "has_job":
        stop = phrase(ws, start, end, loose=True)
        span = (start + (ws[start].low in ("a", "an")), stop)
        if stop > start and is_job(head(ws, *span).low):
            yield fragment(topic, ws, span, {"importance": 0.7})
            at = next((w.i for w in ws[stop:] if w.low in ("at", "for")), None)
            if at is not None:
                place = phrase(ws, at + 1, end, loose=True)
                if place > at + 1:
                    yield fragment("works_at", ws, (at + 1, place), {"importance": 0.7})
    elif topic in ("health", "allergic_to", "uses_tool", "speaks", "has_pet") and not denied:
        yield from _listed(ws, start, topic)
    elif topic == "married_to" and ws[start].low in words("relationship"):
        yield fragment(topic, ws, (start, start + 1), {})


def _listed(ws: list[Word], start: int, topic: str) -> Iterator[Fragment]:
    if topic == "has_pet" and ws[0].low in ("she", "he", "it", "they"):
        start = next((w.i for w in ws if w.low in ("a", "an")), start)
    for span in items(ws, start, len(ws), posts=frozenset({"of", "in"}), loose=topic in ("uses_tool", "allergic_to")):
        lows = [w.low for w in ws[span[0] : span[1]]]
        fits = (
            (topic == "uses_tool" and any(w.text[:1].isupper() or w.text[1:] != w.low[1:] for w in ws[span[0] : span[1]]))
            or (topic == "health" and (any(is_condition(low) for low in lows) or any(low in words("body") for low in lows)))
            or (topic == "allergic_to" and head(ws, *span).tag.startswith("N"))
            or (topic == "speaks" and any(low in words("languages") for low in lows))
            or (topic == "has_pet" and any(low in words("pets") for low in lows))
        )
        if fits:
            context = None
            if span[1] < len(ws) and ws[span[1]].low in ("when", "for", "at"):
                stop = next((w.i for w in ws[span[1] :] if w.low in (",", ".", "and")), len(ws))
                context = (ws[span[1]].start, ws[stop - 1].end)
            yield fragment(topic, ws, span, {"context_span": context} if context else {})


def _diet(ws: list[Word], start: int) -> Iterator[Fragment]:
    i = start
    while i < len(ws):
        low = ws[i].low
        two = f"{low} {ws[i + 1].low}" if i + 1 < len(ws) else ""
        if two in words("diets") or low in words("diets"):
            stop = i + (2 if two in words("diets") else 1)
            yield fragment("diet", ws, (i, stop), {"importance": 0.8})
            i = stop
            continue
        if low == "no" and i + 1 < len(ws) and ws[i + 1].low in words("foods") | words("allergens"):
            yield fragment("diet", ws, (i + 1, i + 2), {"importance": 0.8, "polarity": "negative"})
            i += 2
            continue
        i += 1


def _capitalised(ws: list[Word], start: int) -> Span | None:
    i = start
    while i < len(ws) and ws[i].low in ("in", "at", "a", "the", "from", "near", ","):
        i += 1
    j = i
    while j < len(ws) and (
        ws[j].text[:1].isupper() or (ws[j].low in ("of", "the") and j > i and j + 1 < len(ws) and ws[j + 1].text[:1].isupper())
    ):
        j += 1
    return (i, j) if j > i else None


def _date(ws: list[Word], start: int) -> Span | None:
    i = next((w.i for w in ws[start:] if any(c.isdigit() for c in w.text)), None)
    if i is None:
        return None
    j = i
    while i > start and ws[i - 1].text[:1].isupper():
        i -= 1
    while j + 1 < len(ws) and (ws[j + 1].text[:1].isupper() or ws[j + 1].low.isdigit() or ws[j + 1].low == "of"):
        j += 1
    return i, j + 1


def _asked_value(question: str) -> str | None:
    """As in "You live in Turku, right?": what the assistant supposed."""
    found = re.search(
        r"\byou (?:live in|work (?:at|for|as)|are|'re|have|drive|study at) (?:an? |"
        r"the )?(?P<value>[\w' -]+?),? (?:right|correct|yes|no|isn't|aren't|don't)",
        question,
        re.IGNORECASE,
    )
    return found.group("value") if found else None
