"""What turns a clause into its contrary: a "not", a verb that denies or ends, a word that points away from the object.

Invariant: a positive claim passes only if nothing that governs its object denies it; a denial that this module does not
understand counts against the claim, never for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.canonical import ARTICLES
from graphmem.extractors.claims import ended_words
from graphmem.extractors.clauses import Clause
from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words

_CONTRARY = re.compile(r"\b(?:far from|anything but|anywhere but|no way|as if|the opposite of|lol not|nothing like)\b", re.I)
_OVER = re.compile(r"\b(?:no longer|any ?more|any longer)\b", re.I)
_SPLIT = frozenset({",", ";", ":", "and", "but", "so", "because", "(", "since", "though", "although", "while"})


def denied(chain: Sequence[Clause], sentence: Sentence, at: int) -> bool:
    """Whether the words that govern the object at a place of the text deny it."""
    if _CONTRARY.search(sentence.text):
        return True
    governing = [word for clause in chain for word in clause.words[clause.start : clause.end]] or sentence.words
    if any(clause.negated and not ended_words(clause) for clause in chain):
        return True
    before = [word for word in governing if word.start < at]
    ended = over(sentence) if not chain else any(ended_words(clause) for clause in chain)
    for word in before:
        following = sentence.words[word.i + 1].low if word.i + 1 < len(sentence.words) else ""
        if word.low == "no" and word.i == 0 and following == ",":
            continue  # "No, I live in Oslo" answers what was asked
        if (word.low in words("denials") and not ended) or word.lemma in words("denying_verbs"):
            return True
    return bool(governing) and governing[-1].low == "not"


def over(sentence: Sentence) -> bool:
    """Whether a sentence without a clause says that something is over."""
    return _OVER.search(sentence.text) is not None


def ends(clause: Clause) -> bool:
    """Whether its verb puts an end to something: sold, left, stopped, gave up."""
    if clause.lemma in ("give", "get") and clause.rest[:1] != [] and clause.rest[0].low in ("up", "rid"):
        return True
    return clause.lemma in words("ending_verbs") and not clause.negated


def hazy(chain: Sequence[Clause]) -> bool:
    """Whether it is only thought or talked about, or expected of somebody."""
    for clause in chain:
        if clause.lemma in ("think", "talk", "dream", "joke", "fantasise", "fantasize") and clause.has("about", "of"):
            return True
        if clause.has("supposed", "meant", "about") and clause.has("to") and clause.lemma in ("suppose", "mean", "be"):
            return True
    return False


def governing(found: Sequence[Clause], number: int) -> list[Clause]:
    """A clause and those before it that it hangs on: no comma and no joining word stands between."""
    chain = [found[number]]
    while number > 0:
        clause = found[number]
        before = clause.words[clause.start - 1].low if clause.start else ""
        if clause.words[clause.start].low in _SPLIT or before in _SPLIT:
            break
        number -= 1
        chain.insert(0, found[number])
    return chain


def pointing(sentence: Sentence, at: int) -> str:
    """The word right before a place of the text, articles left out."""
    before: list[Word] = [word for word in sentence.words if word.end <= at and word.low not in ARTICLES]
    return before[-1].low if before else ""
