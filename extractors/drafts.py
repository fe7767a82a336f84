"""What a relation rule is and what it gives: a named unit with example sentences, from a clause to drafts of claims.

Invariant: a rule looks at one clause (and the word lists), never at a store; its examples are run by the tests, so a rule
without a sentence that it takes cannot exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import TIME_NOUNS, Span, phrase
from graphmem.model import Kind, Modality, Polarity
from graphmem.records import Cue, Temporal


@dataclass(slots=True)
class Draft:
    """A claim before its subject, time and quote are filled in; unset fields are taken from the clause.

    `since` reads a point in time as the beginning of what holds now ("moved in March"), `until` as its end.
    """

    predicate: str
    object: str
    kind: Kind = "fact"
    span: Span | None = None
    subject: str | None = None
    polarity: Polarity | None = None
    temporal: Temporal | None = None
    modality: Modality = "asserted"
    context: str | None = None
    cue: Cue | None = None
    replaces: str | None = None
    since: bool = False
    until: bool = False
    timed: bool = True
    done: bool = False
    confidence: float = 0.85
    importance: float = 0.5
    details: dict[str, Any] = field(default_factory=dict)
    types: str = ""


Function = Callable[[Clause], Iterator[Draft]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A relation rule: its name, what it reads, sentences with the "predicate: object" it must find, and who it is about."""

    name: str
    function: Function
    examples: tuple[tuple[str, str], ...]
    anyone: bool
    fragments: bool
    theme: str


RULES: list[Rule] = []
BEGUN: dict[str, Any] = {"temporal": "current", "since": True, "cue": "change"}
ENDED: dict[str, Any] = {"temporal": "ended", "until": True, "cue": "change"}


def rule(*examples: tuple[str, str], anyone: bool = True, fragments: bool = True) -> Callable[[Function], Function]:
    """Register a rule with (sentence, "predicate: object") examples.

    `anyone`: it also holds for a named other person; `fragments`: it also reads clauses whose subject is left out.
    """

    def register(function: Function) -> Function:
        RULES.append(Rule(function.__name__.replace("_", "-"), function, examples, anyone, fragments, function.__module__))
        return function

    return register


def make(clause: Clause, predicate: str, span: Span, **fields: Any) -> Draft:
    """A draft whose object is a run of words of the clause, without marks at its ends."""
    start, end = span
    ws = clause.words
    while end > start and (ws[end - 1].is_mark or ws[end - 1].low == ",") and ws[end - 1].text not in (")", '"', "”"):
        end -= 1
    while start < end and ws[start].text in (",", ":", "-", "just", "also", "really", "even", "mostly"):
        start += 1
    return Draft(predicate, clause.text(start, end), span=(start, end), **fields)


def bare(ws: list[Word], span: Span) -> Span:
    """The span without a leading article or possessive."""
    start, end = span
    while start < end - 1 and (ws[start].low in ("a", "an", "the", "my", "our", "your", "some") or ws[start].tag == "PRP$"):
        start += 1
    return start, end


def preposition(clause: Clause, *lows: str, start: int | None = None) -> int | None:
    """Index of the word after the first such preposition in the rest of the clause."""
    ws = clause.words
    for i in range(clause.verb + 1 if start is None else start, clause.end - 1):
        if ws[i].low in ("before", "previously", "formerly") and ws[i].low not in lows:
            return None
        if ws[i].low in lows and not ws[i].time and ws[i].tag in ("IN", "TO", "RP", "RB", "CC"):
            return i + 1
    return None


def object_after(clause: Clause, i: int, *, posts: frozenset[str] = frozenset({"of"}), loose: bool = True) -> Span | None:
    """The phrase at a place, skipping adverbs before it."""
    ws = clause.words
    while i < clause.end and (ws[i].pos == "ADV" or ws[i].low in ("n't", "not", "actually")) and ws[i].tag not in ("DT", "PDT"):
        i += 1
    end = phrase(ws, i, clause.end, posts=posts, loose=loose)
    return (i, end) if end > i else None


_SCOPES = frozenset({"at", "for", "with", "in", "on", "during", "when", "while", "whenever", "around", "among"})

_PHRASES = re.compile(
    r"(?:for (?:the record|sure|real|certain|some reason|example|instance|the most part|once|now|ever|me|good)|"
    r"in (?:general|fact|short|"
    r"particular|all honesty|a way|truth|theory|reality|real life|my (?:opinion|book|view|experience|case))|"
    r"at (?:heart|least|most|"
    r"best|all|first|last)|on (?:the whole|balance|paper|average)|with(?:out)? (?:a )?doubt)\b",
    re.IGNORECASE,
)
_EXCEPT = frozenset({"except", "apart", "aside", "besides", "other", "save", "not"})


def scope(clause: Clause, after: int) -> str | None:
    """The words that limit where a statement holds: "at work", "when travelling", "for reports"."""
    ws = clause.words
    before = clause.before
    if before and before[0].low in ("and", "but", "so", ",") and len(before) > 1:
        before = before[1:]
    if before and before[0].low in _SCOPES and not before[0].time and len(before) <= 7:
        stop = before[-1].i + 1
        if not _PHRASES.match(clause.text(before[0].i, stop)):
            return clause.text(before[0].i, stop).rstrip(", :")
    i = after
    while i < clause.end:
        w = ws[i]
        if w.low in ("over", "to", "than", ",", "and"):
            i += 1
            continue
        if w.low == "on" and i + 1 < clause.end and ws[i + 1].low in ("track", "time", "top", "it", "the", "a"):
            return None
        if w.low in _SCOPES and ws[i - 1].low in _EXCEPT:
            # "vegetarian except for fish": an exception is no place where it holds.
            return None
        if w.low in _SCOPES and not (w.time and w.low not in ("in",)):
            end = phrase(ws, i + 1, clause.end, loose=True)
            if w.low in ("when", "while", "whenever"):
                end = clause.end
            if _PHRASES.match(clause.text(i, clause.end)):
                i = end
                continue
            if end > i + 1 or (w.low in ("when", "while") and i + 1 < clause.end):
                text = clause.text(i, max(end, i + 2)).rstrip(",.! ")
                return None if any(x.time or x.low in TIME_NOUNS for x in ws[i:end]) and not _part_of_day(ws[i:end]) else text
        i += 1
    return _following(clause)


def _part_of_day(span: list[Word]) -> bool:
    return any(w.low in words("parts_of_day") for w in span)


def _following(clause: Clause) -> str | None:
    """A when-clause right after this one."""
    ws = clause.words
    if (
        clause.end < len(ws)
        and ws[clause.end].low in ("when", "whenever")
        and (clause.end == 0 or ws[clause.end - 1].low != ",")
    ):
        stop = clause.end
        while stop < len(ws) and ws[stop].low not in (",", ".", "but", "so", ";"):
            stop += 1
        return clause.text(clause.end, stop)
    return None


def exact(clause: Clause, i: int, *lows: str) -> bool:
    """Whether these words stand at a place."""
    ws = clause.words
    return 0 <= i <= len(ws) - len(lows) and all(ws[i + k].low == low for k, low in enumerate(lows))


def now_cue(clause: Clause) -> Cue | None:
    """A change, where "now" or "these days" marks it."""
    return (
        "change"
        if any(w.low in ("now", "nowadays", "currently") for w in clause.rest) or (clause.has("days") and clause.has("these"))
        else None
    )
