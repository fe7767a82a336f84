"""Telegraphic lines about oneself: "bad back, so no lifting", "third year of nursing school", "two cats, no kids".

Invariant: a line without a verb is read only by a form of its own at its beginning, and only where its words are of a listed
kind; whoever else it may be about would have been named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import head
from graphmem.extractors.profiles import Fragment

_SOON = r"(?=\s*(?:$|[,.!;])|\s+(?:so|since|and|but|for|from|because|here|after|hence|thanks to)\b)"
_PLACE = r"(?P<place>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2})"
_NOW_IN = re.compile(
    rf"(?:^[\s*–—-]*|, |\band )(?i:(?:now|currently|these days|nowadays|still)(?: living| based)?|living|based) "
    rf"(?i:in|near) {_PLACE}{_SOON}"
)
_NOW_LAST = re.compile(
    rf"(?:, |\bbut |\band )(?i:living |based )?(?i:in|near) {_PLACE} (?i:now|these days|nowadays|currently)\b"
)
_ORIGIN = re.compile(
    rf"^[\s*–—-]*(?i:originally from|born and (?:bred|raised) in) {_PLACE}|"
    r"^[\s*–—-]*(?i:from) (?P<home>[A-Z][\w'’-]+) (?i:originally)\b"
)
_YEAR = re.compile(
    r"^[\s*–—-]*(?:in )?(?:my )?(?P<study>(?:first|second|third|fourth|fifth|sixth|final|last|1st|2nd|3rd|4th|5th)[- ]year"
    r"(?: of| at| in)? [^,.;!?]{3,50}?)(?= at the moment| now| right now|\s*(?:$|[,.;!]))",
    re.IGNORECASE,
)
_OFF = re.compile(r"^[\s*–—-]*off (?:all |the )?(?P<food>[\w-]+)(?= since| for (?:a|two|three|\d)| until| now)", re.IGNORECASE)
_NOT_MUCH = re.compile(
    r"^[\s*–—-]*(?:never been |not )much of an? (?P<who>cook|baker|dancer|singer|swimmer|runner|gardener)\b",
    re.IGNORECASE,
)


_OTHERS = frozenset({"he", "she", "they", "his", "her", "their", "him", "your", "you"})


@cache
def _lists() -> dict[str, re.Pattern[str]]:
    """Patterns over word lists, made once."""

    def either(group: str) -> str:
        return "|".join(re.escape(entry) for entry in sorted(words(group), key=len, reverse=True))

    begin = r"^[\s*–—-]*"
    forms = {
        "ailing": rf"(?:(?:a|very|pretty|my) )?(?P<what>(?:{either('ailing')}) (?:{either('body')})){_SOON}",
        "having": rf"(?P<what>(?:{either('bearers')})(?: type (?:1|2|one|two))?)(?=,| since\b| so\b| for\b| and\b)",
        "eating": rf"(?:{either('steadiness')}) (?P<what>{either('diets')}){_SOON}",
        "being": rf"(?:(?:{either('fan_degrees')}|definite|proper|definitely|bit of|a|an|always been) )*"
        rf"(?P<what>{either('kinds_of_person')}){_SOON}",
    }
    return {name: re.compile(begin + source, re.IGNORECASE) for name, source in forms.items()}


def _verbless(sentence: Sentence, end: int) -> bool:
    """Whether no finite verb and no other person stands before a place of the sentence."""
    return not any(
        w.tag in ("VBZ", "VBP", "VBD", "MD") or w.tag == "PRP" for w in sentence.words if w.start < sentence.start + end
    )


def _of_speaker(sentence: Sentence, found: re.Match[str]) -> bool:
    """As in "lived in Rome for years, now in Milan": what stands before the comma is about the speaker too."""
    before = [w for w in sentence.words if w.start < sentence.start + found.start()]
    joined = found.group().startswith((",", "and ", "but "))
    own = bool(before) and (before[0].low in ("i", "we") or before[0].tag in ("VBD", "VBN", "VBG"))
    return joined and own and not any(w.tag in ("PRP", "PRP$") and w.low not in ("i", "we") for w in before)


def _found(sentence: Sentence, found: re.Match[str], group: str, predicate: str, rule: str, **fields: Any) -> Fragment:
    return Fragment(predicate, sentence.start + found.start(group), sentence.start + found.end(group), rule, fields)


def _is_town(sentence: Sentence, found: re.Match[str], group: str) -> bool:
    """Whether the tagger takes the words for a place: "now in Figma" is none."""
    start, end = sentence.start + found.start(group), sentence.start + found.end(group)
    return any(w.ent in ("GPE", "LOC") for w in sentence.words if start <= w.start < end)


def telegram(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """All telegraphic forms."""
    text = sentence.text
    if sentence.mark == "?" or not sentence.words or any(w.low in _OTHERS for w in sentence.words):
        return
    for pattern in (_NOW_IN, _NOW_LAST):
        found = pattern.search(text)
        own = found is not None and (_verbless(sentence, found.end()) or _of_speaker(sentence, found))
        if found and own and _is_town(sentence, found, "place"):
            yield _found(sentence, found, "place", "lives_in", "telegram-place", importance=0.7)
            break
    if found := _ORIGIN.search(text):
        group = "place" if found.group("place") else "home"
        if _is_town(sentence, found, group):
            yield _found(sentence, found, group, "origin", "telegram-origin")
    if (found := _YEAR.search(text)) and _verbless(sentence, found.end()):
        told = set(re.findall(r"[\w']+", found.group("study").lower()))
        if told & (words("studies") | words("subjects") | words("school_kinds") | words("learners") | {"student", "med"}):
            yield _found(sentence, found, "study", "studies_at", "telegram-study", importance=0.6)
    if (found := _OFF.search(text)) and found.group("food").lower() in words("foods"):
        yield _found(sentence, found, "food", "diet", "telegram-off", polarity="negative", importance=0.6)
    if (found := _NOT_MUCH.search(text)) and _verbless(sentence, found.end()):
        yield _found(sentence, found, "who", "skill", "telegram-unskilled", polarity="negative")
    yield from _tastes(sentence)
    yield from _listed(sentence)
    yield from counted(sentence)


_EXTREME = re.compile(
    r"^[\s*–—-]*(?:there['’]?s |there is )?nothing (?P<sign>worse|better|nicer) than "
    r"(?P<what>[^,.;!?]{3,50}?)(?=\s*(?:$|[,.;!]))",
    re.IGNORECASE,
)
_EVERY_TIME = re.compile(
    r"^[\s*–—-]*(?:an? |the )?(?P<what>[\w'-]+(?: [\w'-]+){0,2})(?:,| -) (?:every time|any day|hands down)\b", re.IGNORECASE
)
_NONE_IN = re.compile(r"^[\s*–—-]*(?:no|never any) (?P<food>[\w-]+) (?:in|on|with) my (?P<in>[\w-]+)", re.IGNORECASE)
_FLUENT = re.compile(
    r"^[\s*–—-]*(?:fully )?(?:fluent|conversational|bilingual) in (?P<language>[A-Z]\w+)(?: and (?P<second>[A-Z]\w+))?",
    re.IGNORECASE,
)


def _tastes(sentence: Sentence) -> Iterator[Fragment]:
    """As in "nothing worse than X", "window seat, every time", "no sugar in my tea", "fluent in X"."""
    text = sentence.text
    if found := _EXTREME.search(text):
        predicate = "dislikes" if found.group("sign").lower() == "worse" else "likes"
        if not re.search(r"\b(?:this|that|it|you|your|the)\b", found.group("what"), re.IGNORECASE):
            yield _found(sentence, found, "what", predicate, "telegram-extreme", kind="preference")
    if (
        (found := _EVERY_TIME.search(text))
        and _verbless(sentence, found.end())
        and sentence.words[0].tag[:2] in ("NN", "DT", "JJ")
    ):
        yield _found(sentence, found, "what", "prefers", "telegram-every-time", kind="preference")
    if (found := _NONE_IN.search(text)) and {found.group("food").lower(), found.group("in").lower()} <= words("foods"):
        where = f"in my {found.group('in')}"
        yield _found(sentence, found, "food", "diet", "telegram-none-in", polarity="negative", context=where)
    if found := _FLUENT.search(text):
        for group in ("language", "second"):
            if (found.group(group) or "").lower() in words("languages"):
                yield _found(sentence, found, group, "speaks", "telegram-fluent", importance=0.6)


def _listed(sentence: Sentence) -> Iterator[Fragment]:
    """An ailment, a condition, a way of eating, a kind of person at the beginning of the line."""
    for name, predicate in (("ailing", "health"), ("having", "health"), ("eating", "diet"), ("being", "trait")):
        found = _lists()[name].search(sentence.text)
        if found and _verbless(sentence, found.end()):
            yield _found(sentence, found, "what", predicate, f"telegram-{name}", importance=0.6)
            return


def counted(sentence: Sentence) -> Iterator[Fragment]:
    """As in "two cats, one dog, no kids": every item counted, and all of them animals, relatives or vehicles."""
    ws = sentence.words
    items: list[tuple[int, int]] = []
    start = 0
    for w in ws:
        if w.low in (",", "and", "&", "plus"):
            items.append((start, w.i))
            start = w.i + 1
    items.append((start, len(ws)))
    items = [(a, b) for a, b in items if b > a and not all(w.is_mark for w in ws[a:b])]
    read = [_counted(ws, a, b) for a, b in items]
    if len(read) < 2 or not all(read):
        return
    for found in read:
        if found is not None:
            yield found


def _counted(ws: list[Word], a: int, b: int) -> Fragment | None:
    """The claim of one counted item."""
    while b > a and ws[b - 1].is_mark:
        b -= 1
    if b - a < 2 or b - a > 5 or not (ws[a].tag == "CD" or ws[a].low in ("no", "a", "an")):
        return None
    noun = head(ws, a, b)
    if noun.i != b - 1 or any(w.tag in ("VBZ", "VBP", "VBD", "MD", "PRP") for w in ws[a : b - 1]):
        return None
    none = ws[a].low == "no"
    for predicate, group in (("has_family", "kin"), ("has_pet", "pets"), ("has_vehicle", "own_vehicles")):
        if noun.low in words(group):
            polarity = "negative" if none else "positive"
            return Fragment(predicate, ws[a + none].start, ws[b - 1].end, "telegram-counted", {"polarity": polarity})
    return None
