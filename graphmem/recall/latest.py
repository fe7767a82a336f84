"""The latest telling first: of the best hits, the one that says what a value has become.

Invariant: at most one turn moves in the order of turns and at most one hit in that of all, to the place before the one it
tells otherwise, and only where the question asks for one value as it stands and the same speaker said it later.  A turn
passes a turn where a sentence of it puts a figure or a day into words of change and has a part of what was asked; it passes
a statement only with another value of the same kind, told of the same thing.  What is older stays right behind: it may be
what was meant, and it was true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphmem.model import Evidence
from graphmem.recall.answer import Candidate
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.signals import TurnSignals
from graphmem.recall.values import Value, values
from graphmem.recall.words import Words
from graphmem.records import turn_key

if TYPE_CHECKING:
    from graphmem.recall.findings import Findings
    from graphmem.recall.signals import Array

# How many of the best turns are looked at; how far behind the best one a later telling may stand in the order, farther where
# its sentence has most of what is asked; how much of the question's topics a sentence must have that tells a change; and how
# much of the thing itself one that only tells another value.
TOP, REACH, FAR, COVERED, MOSTLY, SAME = 10, 6.0, 9.0, 0.3, 0.5, 0.6
EPSILON = 1e-6
# A question for one value as it stands; one for a span, a sum or a choice has several, which must all be found.
_VALUE = re.compile(
    r"^\W*(?:how (?:many|much|long|often|far|old|big|high|fast|large|heavy|tall)\b|(?:what|which|when|where)(?:['’]s| is| are|"
    r" time| day| date| deadline| should| do| does| number| percentage)\b)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:between|passed|since|different|in total|altogether|across|order|first|list|compared?|suggest|recommend|options?)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|new|newly|recent|recently|latest|lately|current|currently|by now|so far|meanwhile|anymore|no longer|"
    r"instead|(?:increas|rais|extend|expand|improv|adjust|updat|chang|reschedul|postpon|delay|mov|switch|push|shift|reduc|"
    r"lower|decreas|dropp|reach|total|upgrad|exceed)(?:e|ed|es|ing|s)?|grew|grown|grows|rose|risen|fell|fallen|"
    r"went (?:up|down)|up (?:to|from)|down (?:to|from)|brought)\b",
    re.IGNORECASE,
)
# Of a later telling it says that there is more by now; by itself it may be of any time.
_ALREADY = re.compile(r"\balready\b", re.IGNORECASE)
_PART = re.compile(r"[.!?;\n]+\s|,\s+(?:and|but|so|because)\s|\n")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# A part that speaks of what the one before has named.
_SAME = re.compile(r"\b(?:it|it['’]s|that it|they)\b", re.IGNORECASE)
# What a value stands under when it is no news but a wish, a guess or an aim.
_WISHED = re.compile(
    r"\b(?:if|would|should|could|might|may|will|want\w*|need\w*|goals?|aim\w*|hop(?:e|es|ing)|try|trying|plan|planning|targets?|"
    r"targeting|remaining|left|another|more|least|most|than)\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"[,;:()]|\b(?:which|and|but)\b", re.IGNORECASE)
_DAYS = frozenset({"day", "clock", "weekday"})
_WHEN = re.compile(r"^\W*when\b|\b(?:what|which) (?:time|day|date)\b|\bdeadline\b|\bdate\b", re.IGNORECASE)
_SHARE = re.compile(r"\bper ?cent\w*\b", re.IGNORECASE)
_AMOUNT = re.compile(r"^\W*how (?:many|much)\b|\bnumber of\b", re.IGNORECASE)


def parts_of(text: str) -> list[str]:
    """The sentences of a text, cut at "and", "but", "so"; one about "it" together with what names it; no code."""
    parts = _PART.split(_CODE.sub("\n", text))
    return [f"{parts[n - 1]}, {part}" if n and _SAME.search(part) else part for n, part in enumerate(parts)]


def told(text: str, topics: frozenset[str], words: Words) -> float:
    """How much of what is asked stands in a sentence that puts a figure or a day into words of change."""
    parts = (part for part in parts_of(text) if _FIGURE.search(part) and _CHANGE.search(part))
    return max((_share(topics, part, words) for part in parts), default=0.0)


def _share(stems: frozenset[str], text: str, words: Words) -> float:
    return len(stems.intersection(words.stems(text))) / max(len(stems), 1)


def _asks_value(question: Question) -> bool:
    return bool(not question.past and _VALUE.search(question.bare) and not _SEVERAL.search(question.bare))


def latest_first(corpus: Corpus, question: Question, turns: TurnSignals, order: Array) -> Array:
    """The order with the latest telling of a value before the turn that would have come first."""
    if not _asks_value(question) or not turns.allowed.any():
        return order
    best = [int(place) for place in np.argsort(-order, kind="stable")[:TOP] if turns.allowed[place]]
    best = [place for place in best if turns.own[place] > 0]
    if not best:
        return order
    first = best[0]
    for place in best[1:]:
        if not _later(corpus, place, first) or order[place] < order[first] - FAR:
            continue
        near, share = order[place] >= order[first] - REACH, told(corpus.turns[place].text, question.topics, corpus.words)
        best_known = 0.0 if near else told(corpus.turns[first].text, question.topics, corpus.words)
        if share >= (COVERED if near else MOSTLY) and share >= best_known:
            moved = order.copy()
            moved[place] = order[first] + EPSILON
            return moved
    return order


def retold_first(candidates: Sequence[Candidate], found: Findings) -> list[Candidate]:
    """The candidates with a later telling of a value before the statement that it tells otherwise.

    What is known of the earlier one, that something later says another value, is noted with it; that it no longer holds is
    for links to say.
    """
    ranked = sorted(candidates, key=lambda item: (-item.score, item.statement is None, item.key))
    if not _asks_value(found.question):
        return ranked
    corpus = found.corpus
    for item in ranked[:TOP]:
        place = told_at(item, corpus) if item.statement is not None else -1
        # What really gave way brings what took its place along.
        if place < 0 or (item.statement is not None and item.statement.status == "superseded"):
            continue
        first = max((other.score for other in ranked if told_at(other, corpus) == place), default=item.score)
        for other in _later_turns(ranked, place, found):
            telling = _measured(ranked, other, item, found) or _telling(ranked, other, item, found)
            if telling is None:
                continue
            if telling.score > first:
                return ranked
            note = (f"told otherwise later by turn {corpus.turns[other].id}",)
            kept = [replace(one, note=note) if one.key == item.key else one for one in ranked if one.key != telling.key]
            return [replace(telling, score=first + EPSILON), *kept]
    return ranked


def _later(corpus: Corpus, place: int, first: int) -> bool:
    """Whether the same speaker said one turn after another."""
    columns = corpus.columns
    if columns.speaker[place] != columns.speaker[first]:
        return False
    return bool((columns.said[place], place) > (columns.said[first], first))


def told_at(item: Candidate, corpus: Corpus) -> int:
    """The turn that a candidate was last told by, if a person said it; else -1."""
    if item.statement is None:
        place = item.place
    else:
        keys = [key for key in corpus.evidence.get(item.key, ()) if key in corpus.place]
        place = max((corpus.place[key] for key in keys), key=lambda one: (corpus.columns.said[one], one), default=-1)
    return place if place >= 0 and corpus.columns.own[place] > 0 else -1


def _later_turns(ranked: Sequence[Candidate], place: int, found: Findings) -> list[int]:
    """The best turns, and those of the best statements, that were said later than one by the same speaker; best first."""
    order = np.argsort(-found.turn_scores, kind="stable")[:TOP]
    best = [int(one) for one in order if found.turns.allowed[one] and found.turns.own[one] > 0]
    best += [one for item in ranked[:TOP] if (one := told_at(item, found.corpus)) >= 0]
    return [one for one in dict.fromkeys(best) if _later(found.corpus, one, place)]


def _retells(text: str, item: Candidate, found: Findings) -> Value | None:
    """The value by which a text tells otherwise what a statement says, or None."""
    statement, words, topics = item.statement, found.corpus.words, found.question.topics
    assert statement is not None
    quotes = " ".join(evidence.quote for evidence in statement.evidence)
    held = [value for evidence in statement.evidence for value in _held(evidence, found.corpus)]
    if not held:
        return None
    # A value that this one took the place of is no news when it is told again.
    places = (found.corpus.statement_place.get(one, -1) for one in statement.supersedes)
    before = [found.served[place] for place in places if place in found.served]
    known = [*held, *(value for old in before for each in old.evidence for value in _held(each, found.corpus))]
    asked = [value for value in held if _fits(value, found.question)]
    measured = statement.predicate == "attribute" and bool(statement.context)
    if not asked and not measured:
        return None
    thing = frozenset(words.stems(statement.context or quotes)) - {stem for value in held for stem in words.stems(value.amount)}
    # "Accuracy" is told otherwise by another accuracy, and not by a score.
    head = frozenset(words.stems(str(statement.details.get("head", "")))) & thing if asked else frozenset()
    for part in parts_of(text):
        shared = _share(thing, part, words)
        if not head <= frozenset(words.stems(part)):
            continue
        changed = (_CHANGE.search(part) or _ALREADY.search(part)) and _share(topics, part, words) >= COVERED
        if not shared or not (changed or (shared >= SAME and len(thing) > 1)):
            continue
        for value in values(part, words):
            new = _fits(value, found.question) and not any(_equal(value, other) for other in known)
            if new and (any(value.rivals(other) for other in asked) or (not asked and changed)) and not _wished(part, value):
                return value
    return None


def _held(evidence: Evidence, corpus: Corpus) -> list[Value]:
    """The values in a quote, read where it stands, so that what follows it says what they count."""
    place = corpus.place.get(turn_key(evidence.session, evidence.turn))
    if place is None:
        return values(evidence.quote, corpus.words)
    text = corpus.turns[place].text
    return [value for value in values(text, corpus.words) if evidence.start <= value.start < evidence.end]


def _equal(one: Value, other: Value) -> bool:
    return (one.sort, one.amount) == (other.sort, other.amount)


def _wished(part: str, value: Value) -> bool:
    """Whether a value stands under a wish or a guess, in its own clause."""
    before = part[: value.start]
    return bool(_WISHED.search(_MARK.split(before)[-1]))


def _fits(value: Value, question: Question) -> bool:
    """Whether a value is of a sort that the question asks for."""
    if _WHEN.search(question.bare):
        return value.sort in _DAYS
    if _SHARE.search(question.bare):
        return value.sort == "%"
    if _AMOUNT.search(question.bare):
        return value.sort not in _DAYS | {"%"}
    return True


def _measured(ranked: Sequence[Candidate], place: int, item: Candidate, found: Findings) -> Candidate | None:
    """The statement of a turn that gives another figure of the same thing, named with fewer words or more."""
    one, words = item.statement, found.corpus.words
    for other in ranked:
        two = other.statement
        if one is None or two is None or "about" not in one.details or "about" not in two.details:
            continue
        if told_at(other, found.corpus) != place or any(one.details[key] != two.details[key] for key in ("head", "unit")):
            continue
        left, right = (set(str(each.details["about"]).split()) for each in (one, two))
        same = min(len(left), len(right)) > 1 and (left <= right or right <= left)
        if same and not any(_equal(a, b) for a in values(one.text, words) for b in values(two.text, words)):
            return other
    return None


def _telling(ranked: Sequence[Candidate], place: int, item: Candidate, found: Findings) -> Candidate | None:
    """What shows that a turn tells a statement otherwise: the statement that says its value, or else the turn itself."""
    turn = found.corpus.turns[place]
    value = _retells(turn.text, item, found)
    if value is None:
        return None
    for other in ranked:
        statement = other.statement
        if statement is not None and told_at(other, found.corpus) == place:
            text = f"{statement.text}. {statement.context or ''}"
            if any(_equal(value, each) for each in values(text, found.corpus.words)):
                return other
    # The statements of the turn say something else, so they do not stand for it; of what was withdrawn nothing is served.
    shown = next((other for other in ranked if other.statement is None and other.place == place), None)
    rests = tuple(found.corpus.rests_on.get(turn.key, ()))
    if shown is None and rests and found.moment.withdrawn(rests, any_of_them=True):
        return None
    return replace(shown or Candidate(0.0, place, turn=turn, rests_on=rests), apart=True)
