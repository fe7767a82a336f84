"""What an event is like: its type, how it went, what it is about, its tone.

Invariant: everything is read from the words of the event; what they do not say stays empty.
"""

from __future__ import annotations

import re

from graphmem.extractors.clauses import Clause
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span

DECISIONS = frozenset({"decide", "agree", "choose", "pick", "settle", "opt", "resolve", "vote"})


# Bodies that decide for the speaker; what they did on a day is told because it matters to the speaker.
BODIES = words("deciding_bodies")


VERDICTS = words("verdicts")


_PROBLEMS = words("problem_deeds")


_COMMITMENTS = words("commitment_deeds")


OUTCOME = re.compile(
    r"\b(?:went (?:really |very |quite |so |pretty |surprisingly )?(?:well|badly|ok|okay|great|fine|terribly|"
    r"smoothly|horribly|better than \w+)|passed|failed|"
    r"(?:got|was|were|been) (?:accepted|rejected|approved|denied|refused|cancelled|promoted|fired)|accepted|"
    r"rejected|approved|refused|won|lost|"
    r"life[- ]changing|a (?:total |complete )?(?:success|failure|disaster|flop|triumph))\b",
    re.IGNORECASE,
)


def sort_of(clause: Clause) -> str:
    """The type of a deed: decision, commitment, problem, milestone, or plain event."""
    lemma = clause.lemma
    if lemma in DECISIONS or (clause.subject.kind == "other" and lemma in VERDICTS):
        return "decision"
    if lemma in _PROBLEMS:
        return "problem"
    if lemma in _COMMITMENTS and (lemma != "sign" or clause.has("up")):
        return "commitment"
    return "milestone" if lemma in words("milestones") else "event"


def outcome(text: str) -> str | None:
    """How it went, in the speaker's own words."""
    found = OUTCOME.search(text)
    return found.group() if found else None


def topics(clause: Clause, span: Span | None) -> list[str]:
    """The nouns of what happened, three at most: names as they are written, others as lemmas."""
    if span is None:
        return []
    found = [
        w for w in clause.words[span[0] : span[1]] if w.tag in ("NN", "NNS", "NNP", "NNPS") and not w.time and len(w.text) > 2
    ]
    return list(dict.fromkeys(w.text if w.tag.startswith("NNP") else w.lemma for w in found))[:3]


def tone(found: list[Word]) -> str:
    """A crude tone of an event from word lists: positive, negative or neutral."""
    lows = {w.low for w in found} | {w.lemma for w in found}
    if lows & words("episode_outcome_bad"):
        return "negative"
    return "positive" if lows & words("episode_outcome_good") else "neutral"
