"""What the speaker has never done, and has done, of what one may be asked for: "I've never attended a pottery workshop".

Invariant: only a plain statement in the first person counts, of a deed and not of a state; a state that never was ("I never
liked tea") is what the relations tell.  What was done without a date is kept only where it is a course or the like that one
took, since those are asked for and denied.
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
_TAIL = frozenset(
    ["before", "ever", "either", "again", "yet", "though", "but", "and", "so", "because", "really", "actually", "or"]
)


# Words after a comma that go on from such a clause.
_ON = frozenset(["so", "but", "and", "can", "could", "what", "how", "is", "are", "do", "should", "any"])
# What "I don't understand why" takes for granted.
_WONDERING = frozenset(["understand", "know", "see", "wonder", "figure"])
# What is taken part in, and how.
_LEARN = frozenset(["attend", "take", "enrol", "enroll", "join", "complete", "finish"])
_COURSES = frozenset(
    [
        *("course", "courses", "class", "classes", "workshop", "workshops", "webinar", "webinars", "seminar", "seminars"),
        *("bootcamp", "masterclass", "training", "lesson", "lessons", "programme", "program", "certification"),
    ]
)


def wondered(clause: Clause, before: Clause | None) -> bool:
    """Whether a clause with "why" is under "I don't understand", which takes it for granted, and asks nothing."""
    if clause.mark != "why" or clause.sentence.mark == "?" or before is None or before.end != clause.start:
        return False
    plain = clause.subject.start >= 0 and clause.subject.start < clause.group
    return plain and before.speaker and before.lemma in _WONDERING and not before.future


def learned(clause: Clause) -> Draft | None:
    """A course, class or workshop that the speaker says to have taken, without a date: "I've taken a class on bees"."""
    ws = clause.words
    if not clause.speaker or clause.passive or clause.negated or not clause.perfect or clause.tag == "VBG":
        return None
    if clause.lemma not in _LEARN or not clause.rest or clause.sentence.mark == "?":
        return None
    stop = next((w.i for w in clause.rest if w.low in (",", ";", "and", "but", "because", "so")), clause.end)
    noun = next((w.i for w in ws[clause.verb + 1 : stop] if w.low in _COURSES), -1)
    opener = ws[clause.verb + 1 + (ws[clause.verb + 1].low in ("in", "up", "for", "part"))]
    if noun < 0 or not (opener.low in ("a", "an", "the", "my", "several", "some", "two", "three") or opener.tag == "CD"):
        return None
    between = ws[opener.i : noun]
    if any(w.is_mark or w.tag in ("IN", "TO") or (w.tag.startswith("VB") and w.tag != "VBG") for w in between):
        return None  # "taken the dog to class"
    while stop > noun + 1 and (ws[stop - 1].is_mark or ws[stop - 1].time or ws[stop - 1].tag in ("IN", "VBG", "RB")):
        stop -= 1
    return make(clause, "episode", (clause.verb, stop), kind="episode", temporal="past", details={"type": "event"})


def never(clause: Clause) -> Draft | None:
    """The deed that a clause says was never done, or None."""
    ws = clause.words
    if not clause.speaker or clause.passive or clause.used_to or clause.future or clause.lemma in _STATES:
        return None
    if not any(word.low == NEVER for word in ws[clause.start : clause.verb]) or not (clause.perfect or clause.past):
        return None
    # "…, so what now?" goes on from it.
    asked = (w.i for w in ws[clause.verb + 1 : clause.end - 1] if w.low == "," and ws[w.i + 1].low in _ON)
    end = next(asked, clause.end)
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
