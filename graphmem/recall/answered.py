"""Whether the memory holds an answer at all: features of the whole question, and the log odds fitted on them.

What is asked for decides much: an overview can be given of whatever there is, a figure or a yes is said in so many words,
a question for one detail has an answer only where somebody told that detail.

Invariant: the log odds belong to the question and the store; they move all hits of one answer alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.signals import TurnSignals, best_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array

# How many of the best turns are read, and where a feature without bounds is cut.
FEW, BEST, CUT = 5, 10, 6.0
# The kinds of question, the first that fits; none of them is a question for a detail.
_KINDS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "overview": r"\b(?:summar\w+|overview|recap|walk me through|(?:in|the) order|so far|over time|timeline)\b",
        "figure": (
            r"\b(?:how (?:many|much|long|often|old|far|big)|when|deadline"
            r"|what (?:time|dates?|day|year|percentage|number|amount))\b"
        ),
        "advice": (
            r"\b(?:should I|(?:how|what|where|which) (?:can|could|do|would) (?:I|we|you)|(?:show|help|explain)(?: to)? me"
            r"|suggest|recommend|I['’]m (?:\w+ing|about to)|step by step|best way)\b(?! (?:say|mention|tell)\b)"
        ),
        "yes_or_no": r"^\W*(?:am|is|are|was|were|do|does|did|have|has|had)\b",
    }.items()
}
FEATURES = (
    "cosine", "agreement", "covered", "one", "margin", "missing", "support", "statement", *_KINDS,
)  # fmt: skip


def features(
    corpus: Corpus, question: Question, turns: TurnSignals, support: Array, order: Array, statement: float
) -> dict[str, float]:
    """What tells whether there is an answer.

    Args:
        corpus: what there is.
        question: what is asked.
        turns: the first signals of the turns.
        support: log odds of each turn by what it says alone.
        order: how far behind the best turn each one stands.
        statement: log odds of the best statement that may be served.
    """
    own = turns.allowed & (turns.own > 0)
    if not own.any():
        own = turns.allowed
    best = [place for place in best_first(np.where(own, order, -np.inf), BEST).tolist() if own[place]]
    weights = {stem: corpus.turn_index.weight(stem) for stem in sorted(question.topics)}
    total = max(sum(weights.values()), 1e-9)

    def weight(stems: frozenset[str]) -> float:
        return sum(value for stem, value in weights.items() if stem in stems) / total

    said = [corpus.stems[place] for place in best]
    known = frozenset(stem for stem in weights if own[corpus.turn_index.holders(stem)].any())
    by_cosine, by_words = _first(turns.cosine, own), _first(turns.share, own)
    values = order[best]
    return {
        "cosine": float(turns.cosine[best].max(initial=0.0)),
        "agreement": len(by_cosine & by_words) / BEST,
        "covered": weight(frozenset().union(*said[:FEW])),
        "one": max((weight(stems) for stems in said), default=0.0),
        "margin": min(float(values[0] - values[1:].mean()), CUT) if len(best) > 1 else 0.0,
        "missing": 1.0 - weight(known),
        "support": float(np.clip(support[best].max(initial=-CUT), -CUT, CUT)),
        "statement": float(np.clip(statement, -CUT, CUT)),
        **{name: float(name == kind(question.bare)) for name in _KINDS},
    }


def log_odds(found: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The log odds that there is an answer."""
    return weights["level"] + sum(weights[name] * value for name, value in found.items())


def kind(text: str) -> str:
    """What kind of answer a question asks for: one of the kinds, or a detail."""
    return next((name for name, pattern in _KINDS.items() if pattern.search(text)), "detail")


def _first(values: Array, own: NDArray[np.bool_]) -> set[int]:
    ranked = best_first(np.where(own, values, -np.inf), BEST)
    return {place for place in ranked.tolist() if own[place] and values[place] > 0}
