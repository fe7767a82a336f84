"""Open items: what the speaker asked to be reminded of, has to do, promised, or is waiting for.

Invariant: an open item is read from a sentence that says so (remind me, have to, haven't yet, by Friday); a question, a
condition or a deed that is done never makes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition
from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import head, is_time
from graphmem.extractors.plans import verb_phrase

_NO_TASK = words("no_task")
_EVENTS = words("appointments")
_TODO = re.compile(
    r"^\W*(?:my )?to[- ]?do(?:s| list)?(?: today| tomorrow)?(?: for (?:me|us|today|tomorrow))?\s*:\s*",
    re.IGNORECASE,
)
_FORGET = re.compile(r"\b(?:don'?t|do not) let me forget (?:to |about )?(?P<task>[^?.!,]+)", re.IGNORECASE)
_FOLLOW = re.compile(
    r"\b(?:can|could|would|will) you (?:please |pls )?(?P<task>(?:follow up|check back|circle back|remind|ping|"
    r"nudge)\b[^?.!]*)",
    re.IGNORECASE,
)


def of_clause(clause: Clause) -> Iterator[Draft]:
    """Open items that a single, plain clause of the speaker makes."""
    lemma = clause.lemma
    if clause.relative or (clause.passive and lemma != "suppose"):
        return
    if lemma in ("remind", "nudge") or clause.words[clause.verb].low == "ping":
        if clause.subject.kind in ("implied", "you"):
            yield from _reminder(clause)
        return
    if not clause.speaker:
        yield from _deadline(clause)
        return
    for function in (_obligation, _not_yet, _promise, _appointment, _waiting):
        found = list(function(clause))
        yield from found
        if found:
            return
    yield from _deadline(clause)


def _task(
    clause: Clause, verb: int, *, stop_at: tuple[str, ...] | None = None, confidence: float = 0.85, start: int | None = None
) -> Draft | None:
    ws = clause.words
    span = verb_phrase(clause, verb, stop_at=stop_at or (",", ".", "!", "but", "so", "because", ";", ":", "?"))
    if span is None:
        return None
    target = clause.text(verb + 1, span[1]) if span[1] > verb + 1 else ""
    return make(
        clause,
        "to_do",
        (verb if start is None else start, span[1]),
        kind="open_item",
        confidence=confidence,
        importance=0.6,
        temporal="current",
        polarity="positive",
        details={"due": None, "owner": "user", "verb": ws[verb].lemma, "target": target},
    )


def _reminder(clause: Clause) -> Iterator[Draft]:
    ws = clause.words
    for i in range(clause.verb + 1, clause.end - 1):
        if ws[i].low == "to" and ws[i + 1].tag.startswith("VB"):
            draft = _task(clause, i + 1, confidence=0.95)
            if draft:
                yield draft
            return
        if ws[i].low in ("about", "of"):
            span = object_after(clause, i + 1, posts=frozenset({"of", "with", "for", "from"}))
            if span:
                yield make(
                    clause,
                    "to_do",
                    span,
                    kind="open_item",
                    confidence=0.95,
                    importance=0.6,
                    temporal="current",
                    polarity="positive",
                    details={"due": None, "owner": "user", "verb": "remember", "target": clause.text(*span)},
                )
            return


def _obligation(clause: Clause) -> Iterator[Draft]:
    """As in "I need to", "I have to", "must", "gotta", "we should really"."""
    ws = clause.words
    lemma = clause.lemma
    verb = None
    if (
        lemma in ("need", "have")
        and exact(clause, clause.verb + 1, "to")
        and clause.verb + 2 < clause.end
        and not clause.past
        and not clause.negated
    ):
        if clause.aux and clause.aux[0] not in ("'ve", "have", "still", "will", "'ll"):
            return
        verb = clause.verb + 2
    elif (
        lemma == "suppose"
        and clause.passive
        and exact(clause, clause.verb + 1, "to")
        and not clause.past
        and not clause.negated
    ):
        verb = clause.verb + 2
    elif "must" in clause.aux or (any(a in ("should", "ought") for a in clause.aux) and clause.has("really")):
        if clause.negated:
            return
        verb = clause.verb
    elif (
        ws[clause.verb].low in ("gotta", "got")
        and (clause.aux or ws[clause.verb].end == ws[min(clause.verb + 1, len(ws) - 1)].start)
        and exact(clause, clause.verb + 1, "to")
    ):
        verb = clause.verb + 2
    if verb is not None and verb + 2 < clause.end and ws[verb].low == "remember" and ws[verb + 1].low == "to":
        verb += 2
    if verb is None or verb >= clause.end:
        return
    timed = any(w.time for w in ws[verb:])
    if (not ws[verb].tag.startswith("VB") and ws[verb].tag not in ("NN", "NNP")) or (
        ws[verb].lemma in _NO_TASK
        and not timed
        and not (
            ws[verb].lemma in ("get", "find", "take", "do")
            and verb + 1 < clause.end
            and ws[verb + 1].tag in ("DT", "PRP$", "NN", "NNS")
        )
    ):
        return
    draft = _task(clause, verb)
    if not draft or not draft.details["target"] or draft.details["target"].split()[0].lower() in words("anaphora"):
        return
    if clause.has("always", "usually", "often", "every", "never", "whenever"):
        return
    yield draft


def _not_yet(clause: Clause) -> Iterator[Draft]:
    """As in "I haven't X yet", "I still haven't X"."""
    if not (clause.perfect and clause.negated and (clause.has("yet") or clause.has("still"))) or clause.lemma in words(
        "no_not_yet"
    ):
        return
    if clause.lemma == "do" and clause.rest[:1] and clause.rest[0].low not in ("my", "our", "the"):
        return
    draft = _task(clause, clause.verb)
    if draft and draft.details["target"]:
        yield draft


def _promise(clause: Clause) -> Iterator[Draft]:
    """As in "I'll send X by Friday", "I promised Y an answer", "I committed to finishing X"."""
    ws = clause.words
    if any(a in ("will", "'ll") for a in clause.aux) and not clause.negated and clause.subject.kind == "user":
        timed = any(w.time for w in ws[clause.verb :])
        if timed and clause.lemma not in words("no_promise"):
            draft = _task(clause, clause.verb)
            if (
                draft
                and draft.details["target"]
                and draft.details["target"].split()[0].lower() not in words("anaphora") - {"you"}
            ):
                yield draft
    elif clause.lemma in ("promise", "commit") and not clause.negated and not clause.progressive:
        for w in clause.rest[:5]:
            if w.low == "to" and w.i + 1 < clause.end:
                draft = _task(clause, w.i + 1)
                if draft:
                    yield draft
                return
        if clause.lemma == "promise" and clause.rest and clause.rest[0].tag in ("NNP", "PRP$", "NN"):
            draft = _task(clause, clause.verb)
            if draft:
                yield draft


def _appointment(clause: Clause) -> Iterator[Draft]:
    """As in "I have an eye exam on Thursday"."""
    ws = clause.words
    if (
        clause.lemma != "have"
        or clause.past
        or clause.perfect
        or clause.negated
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


def _waiting(clause: Clause) -> Iterator[Draft]:
    """As in "still waiting for X to Y", "waiting on X"."""
    if clause.lemma != "wait" or clause.tag != "VBG" or clause.negated:
        return
    spot = preposition(clause, "for", "on", start=clause.verb + 1)
    ws = clause.words
    if spot is None and clause.verb + 1 < len(ws) and ws[clause.verb + 1].low in ("for", "on"):
        spot = clause.verb + 2
    if spot is None or spot >= len(ws) or ws[spot].low in words("anaphora"):
        return
    end = spot
    while end < len(ws) and ws[end].low not in (",", ".", "but", "so", "because", "and") and not is_time(ws, end):
        end += 1
    if end - spot >= 2:
        yield make(
            clause,
            "to_do",
            (spot, end),
            kind="open_item",
            importance=0.5,
            temporal="current",
            polarity="positive",
            details={"due": None, "owner": "other", "verb": "wait", "target": clause.text(spot, end)},
        )


def _deadline(clause: Clause) -> Iterator[Draft]:
    """As in "the deadline for X is 30 June", "X is due on Friday"."""
    ws = clause.words
    if (
        clause.lemma == "need"
        and clause.subject.kind in ("other", "possessed")
        and exact(clause, clause.verb + 1, "to", "be")
        and any(w.time for w in clause.rest)
    ):
        span = (clause.subject.start, clause.subject.end)
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
                details={"due": None, "owner": "user", "verb": "finish", "target": clause.text(*span)},
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


def of_text(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """Open items found in the words of a sentence: (start, end, verb) of to-do lists, needs without a subject, follow-ups."""
    text = sentence.text
    found = _TODO.search(text)
    if found:
        at = found.end()
        for part in re.split(r"(\s*,\s*(?:and )?|\s+and\s+(?=[a-z]+ (?:the|a|my)\b))", text[at:]):
            length = len(part)
            stripped = part.strip(" .,!")
            if len(stripped.split()) >= 2:
                start = at + part.index(stripped)
                yield start, start + len(stripped), stripped.split()[0].lower()
            at += length
        return
    forget = _FORGET.search(text)
    if forget:
        yield forget.start("task"), forget.end("task"), forget.group("task").split()[0].lower()
        return
    follow = _FOLLOW.search(text)
    if follow:
        inner = re.search(r"\bme\b[^.?!]*?\bto (?P<what>\w+ .+)$", follow.group("task"))
        if inner:
            at = follow.start("task") + inner.start("what")
            yield at, at + len(inner.group("what")), inner.group("what").split()[0].lower()
        else:
            yield follow.start("task"), follow.end("task"), follow.group("task").split()[0].lower()
