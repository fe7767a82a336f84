"""Open items by a date or a state of things: appointments, deadlines, what needs doing.

Invariant: an appointment has a date; a thing that needs doing is the speaker's own or has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.claims import ended_words
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import head

_EVENTS = words("appointments")


def noted(clause: Clause, span: tuple[int, int], verb: str, **fields: str) -> Draft:
    """An open item of the speaker's whose words are a run of the clause."""
    details = {"due": None, "owner": "user", "verb": verb, "target": clause.text(*span), **fields}
    return make(
        clause, "to_do", span, kind="open_item", subject="user", importance=0.6, temporal="current", polarity="positive",
        details=details,
    )  # fmt: skip


def caused(clause: Clause, verb: int) -> tuple[int, int] | None:
    """As in "get my eyes tested", "have the roof looked at": what others are to do, which the parser takes for a new clause."""
    ws = clause.words
    at = verb + 1
    if ws[verb].lemma not in ("get", "have") or at != clause.end or at >= len(ws) or ws[at].low not in ("the", "my", "our"):
        return None
    done = next((w.i for w in ws[at + 1 : at + 6] if w.tag[:2] == "VB" or w.tag in ("MD", "PRP", "IN", "CC")), None)
    if done is None or ws[done].tag not in ("VBN", "VBD"):
        return None
    end = done + 1
    particle = end < len(ws) and ws[end].tag in ("IN", "RP") and (end + 1 >= len(ws) or ws[end + 1].is_mark)
    return verb, end + particle


def coming_up(clause: Clause) -> Iterator[Draft]:
    """As in "I've got a root canal coming up on Thursday"."""
    ws = clause.words
    if clause.lemma != "have" or clause.past or _had_not(clause) or not any(w.time for w in ws[clause.verb : clause.end]):
        return
    at = next((w.i for w in clause.rest[1:] if w.low in ("coming", "scheduled", "booked", "lined", "due", "planned")), None)
    if at is not None:
        span = object_after(clause, clause.verb + 1, posts=frozenset({"of", "with", "at", "for"}))
        span = (span[0], min(span[1], at)) if span else None
        if span and span[1] > span[0] and ws[span[0]].low not in words("anaphora"):
            yield noted(clause, span, "attend")


def _had_not(clause: Clause) -> bool:
    """As in "I no longer have a meeting", "I have no meeting", "I never have a meeting"."""
    none = bool(clause.rest) and clause.rest[0].low in ("no", "neither", "nothing")
    return clause.negated or none or clause.has("never", "hardly", "nearly", "almost") or ended_words(clause)


def appointment(clause: Clause) -> Iterator[Draft]:
    """As in "I have an eye exam on Thursday"."""
    ws = clause.words
    if (
        clause.lemma != "have"
        or clause.past
        or (clause.perfect and ws[clause.verb].low != "got")
        or _had_not(clause)
        or not any(w.time for w in ws[clause.verb : clause.end])
    ):
        return
    span = object_after(clause, clause.verb + 1, posts=frozenset({"of", "with", "at", "for"}))
    if (
        span
        and head(ws, *span).low in _EVENTS
        and not any(w.low in ("every", "each") or (w.time and w.tag == "NNPS") for w in clause.rest)
    ):
        yield make(
            clause,
            "to_do",
            span,
            kind="open_item",
            importance=0.7,
            temporal="future",
            polarity="positive",
            details={"due": None, "owner": "user", "verb": "attend", "target": clause.text(*span)},
        )


def deadline(clause: Clause) -> Iterator[Draft]:
    """As in "the deadline for X is 30 June", "X is due on Friday"."""
    ws = clause.words
    if clause.lemma in ("need", "want") and _needs_doing(clause):
        doing = next((w for w in clause.rest if w.tag in ("VBG", "VBN")), ws[clause.verb])
        undone = doing.i + 1 + (doing.i + 1 < clause.end and ws[doing.i + 1].tag in ("RP", "IN") and doing.i + 2 >= clause.end)
        timed = any(w.time for w in clause.rest)
        span = (clause.subject.start, clause.subject.end if timed and exact(clause, clause.verb + 1, "to", "be") else undone)
        if ws[clause.subject.head].low not in words("kin") | words("roles"):
            yield make(
                clause,
                "to_do",
                span,
                kind="open_item",
                subject="user",
                importance=0.7,
                temporal="current",
                polarity="positive",
                details={
                    "due": None,
                    "owner": "user",
                    "verb": doing.lemma if doing.tag in ("VBG", "VBN") else "finish",
                    "target": clause.text(clause.subject.start, clause.subject.end),
                },
            )
        return
    if clause.lemma != "be" or clause.negated or clause.past or not any(w.time for w in ws[clause.start : clause.end]):
        return
    before = ws[clause.start : clause.group]
    at = next((w.i for w in before if w.low == "deadline"), None)
    if at is not None:
        spot = at + 2 if at + 1 < clause.group and ws[at + 1].low in ("for", "of") else None
        span = (spot, clause.group) if spot and spot < clause.group else (clause.start, clause.group)
    elif (
        clause.subject.kind in ("other", "possessed")
        and clause.subject.head >= 0
        and ws[clause.subject.head].low in _EVENTS
        and clause.rest[:1]
        and (clause.rest[0].low in ("on", "in", "at") or clause.rest[0].time)
    ):
        start = clause.subject.start + (ws[clause.subject.start].low in ("my", "our", "the"))
        if clause.subject.kind == "possessed" or any(w.low in ("my", "our") for w in before):
            yield make(
                clause,
                "episode",
                (start, clause.group),
                kind="episode",
                subject="user",
                modality="intended",
                temporal="future",
                importance=0.6,
                details={"type": "event"},
            )
        return
    elif (
        clause.rest
        and clause.rest[0].low == "due"
        and clause.subject.start >= 0
        and ws[clause.subject.head].low not in words("kin")
    ):
        span = (clause.subject.start, clause.subject.end)
    else:
        return
    yield make(
        clause,
        "to_do",
        span,
        kind="open_item",
        subject="user",
        importance=0.7,
        temporal="current",
        polarity="positive",
        details={"due": None, "owner": "user", "verb": "finish", "target": clause.text(*span)},
    )


def _needs_doing(clause: Clause) -> bool:
    """As in "the shelves need putting up", "my bike needs to be fixed": a thing of the speaker's, or a dated one."""
    if clause.subject.kind not in ("other", "possessed") or clause.subject.start < 0 or clause.negated or clause.past:
        return False
    ws = clause.words
    first, after = ws[clause.subject.start].low, clause.rest[0] if clause.rest else None
    if after is None or first in ("this", "that", "a", "your", "his", "her", "their"):
        return False
    if exact(clause, clause.verb + 1, "to", "be"):
        done = clause.verb + 3 < clause.end and ws[clause.verb + 3].tag == "VBN"
        return any(w.time for w in clause.rest) or (done and first in ("my", "our"))
    return after.tag == "VBG" and first in ("my", "our", "the")
