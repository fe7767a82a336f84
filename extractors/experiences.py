"""What the speaker says never happened: "I've never attended a pottery workshop".

Invariant: only a plain denial in the first person counts, of a deed and not of a state; a state that never was ("I never
liked tea") is what the relations tell.
"""

from __future__ import annotations

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make

NEVER = "never"  # the `type` of such an episode
# Verbs of states, of the mind and of speech: that one never did is an opinion or a manner of speaking.
_STATES = frozenset(
    [
        *("be", "have", "do", "get", "go", "like", "love", "hate", "enjoy", "want", "need", "wish", "know", "think", "believe"),
        *("understand", "mind", "care", "feel", "seem", "mean", "say", "tell", "hear", "see", "look", "find", "forget"),
        *("remember", "expect", "imagine", "realise", "realize", "stop", "quit", "lose", "fail", "regret", "trust", "become"),
        *("let", "make"),
    ]
)
# What may stand at the end of such a clause and is no part of the deed.
_TAIL = frozenset(["before", "ever", "either", "again", "yet", "though", "but", "and", "so", "because", "really", "actually"])


def never(clause: Clause) -> Draft | None:
    """The deed that a clause says was never done, or None."""
    ws = clause.words
    if not clause.speaker or clause.passive or clause.used_to or clause.future or clause.lemma in _STATES:
        return None
    if not any(word.low == NEVER for word in ws[clause.start : clause.verb]) or not (clause.perfect or clause.past):
        return None
    end = clause.end
    while end > clause.verb + 1 and (ws[end - 1].is_mark or ws[end - 1].low in _TAIL):
        end -= 1
    if not any(word.tag.startswith("NN") for word in ws[clause.verb + 1 : end]):
        return None
    return make(
        clause,
        "episode",
        (clause.verb, end),
        kind="episode",
        temporal="past",
        polarity="negative",
        timed=False,
        details={"type": NEVER},
    )
