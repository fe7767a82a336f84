"""The latest telling first: of the best turns, the one that says what a value has become.

Invariant: at most one turn moves, to the place before the best one, and only where the question asks for one value as it
stands, the same speaker said the turn later, and a sentence of it puts a figure or a day into words of change and has a
part of what was asked.  What is older stays right behind it: it may be what was meant, and it was true.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.signals import TurnSignals
from graphmem.recall.words import Words

if TYPE_CHECKING:
    from graphmem.recall.signals import Array

# How many of the best turns are looked at, how far behind the best one a later telling may stand in the order, and how
# much of the question's topics the sentence that tells the change must have.
TOP, REACH, COVERED = 10, 6.0, 0.3
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
    r"\b(?:now|new|newly|recent|recently|latest|lately|current|currently|by now|so far|meanwhile|anymore|no longer|instead|"
    r"(?:increas|rais|extend|expand|improv|adjust|updat|chang|reschedul|postpon|delay|mov|switch|push|shift|reduc|lower|"
    r"decreas|dropp|reach|total|upgrad|exceed)(?:e|ed|es|ing|s)?|grew|grown|grows|rose|risen|fell|fallen|went (?:up|down)|"
    r"up (?:to|from)|down (?:to|from)|brought)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"[.!?;\n]+\s|,\s+(?:and|but|so|because)\s|\n")


def told(text: str, topics: frozenset[str], words: Words) -> float:
    """How much of what is asked stands in a sentence that puts a figure or a day into words of change."""
    parts = (part for part in _PART.split(text) if _FIGURE.search(part) and _CHANGE.search(part))
    return max((len(topics.intersection(words.stems(part))) / max(len(topics), 1) for part in parts), default=0.0)


def latest_first(corpus: Corpus, question: Question, turns: TurnSignals, order: Array) -> Array:
    """The order with the latest telling of a value before the turn that would have come first."""
    asks = not question.past and _VALUE.search(question.bare) and not _SEVERAL.search(question.bare)
    if not asks or not turns.allowed.any():
        return order
    best = [int(place) for place in np.argsort(-order, kind="stable")[:TOP] if turns.allowed[place]]
    best = [place for place in best if turns.own[place] > 0]
    if not best:
        return order
    first, columns = best[0], corpus.columns
    for place in best[1:]:
        newer = (columns.said[place], place) > (columns.said[first], first) and columns.speaker[place] == columns.speaker[first]
        if not newer or order[place] < order[first] - REACH:
            continue
        if told(corpus.turns[place].text, question.topics, corpus.words) >= COVERED:
            moved = order.copy()
            moved[place] = order[first] + EPSILON
            return moved
    return order
