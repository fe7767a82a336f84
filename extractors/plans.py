"""Rules about plans, and the verb phrase that plans, habits and tasks are worded by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, is_time

_NO_PLAN = words("no_plan")


def verb_phrase(
    clause: Clause, i: int, *, stop_at: tuple[str, ...] = (",", ".", "!", "but", "so", "because", ";", ":")
) -> Span | None:
    """From a verb to where its words end: before a time expression, a mark or a joining word."""
    ws = clause.words
    end = i + 1
    while end < clause.end and ws[end].low not in stop_at and not ws[end].foreign:
        if is_time(ws, end) and ws[end].low not in words("inner_adverbs"):
            # "in August": the preposition goes with the time, not with the phrase.
            if ws[end - 1].low in words("time_prepositions") and end - 1 > i:
                end -= 1
            break
        if (
            ws[end].low == "and"
            and end + 1 < clause.end
            and ws[end + 1].pos in ("PRON", "ADV")
            and ws[end + 1].low not in ("my", "her")
        ):
            break
        end += 1
    while end > i + 1 and ws[end - 1].low in words("no_end"):
        end -= 1
    return (i, end) if end > i else None


INTENDED: dict[str, Any] = {"modality": "intended", "temporal": "future", "importance": 0.6}


def _open_to_plans(clause: Clause) -> bool:
    """Plans are positive, in the present, and have a subject or an -ing form ("planning to ...")."""
    if clause.negated or clause.past or clause.passive or clause.used_to or clause.perfect:
        return False
    return clause.subject.kind != "implied" or clause.tag in ("VBG", "VBD")


def _intended(clause: Clause, span: Span | None) -> Iterator[Draft]:
    ws = clause.words
    if span and (span[1] - span[0] > 1 or clause.lemma == "want") and ws[span[0]].low not in words("anaphora"):
        yield make(clause, "wants", span, **INTENDED)


@rule(("my goal for this year is to read 30 books", "wants: read 30 books"), anyone=False, fragments=False)
def stated_aim(clause: Clause) -> Iterator[Draft]:
    """As in "my goal is to X"."""
    ws = clause.words
    if clause.lemma != "be" or clause.subject.kind != "possessed" or not _open_to_plans(clause):
        return
    if ws[clause.subject.head].low in words("aims") and exact(clause, clause.verb + 1, "to") and len(clause.rest) > 2:
        span = verb_phrase(clause, clause.verb + 2) or (clause.verb + 2, clause.end)
        yield make(clause, "wants", span, subject="user", **INTENDED)


@rule(
    ("I'm planning to run a marathon in May", "wants: run a marathon"),
    ("we want to restore a barn", "wants: restore a barn"),
    ("I hope to finish my degree in spring", "wants: finish my degree"),
    anyone=False,
)
def plan_to(clause: Clause) -> Iterator[Draft]:
    """Planning, wanting, intending, aiming, hoping to do something."""
    ws = clause.words
    verb = clause.verb + 2
    if clause.lemma not in ("plan", "want", "intend", "aim", "hope") or not _open_to_plans(clause) or verb >= clause.end:
        return
    if not exact(clause, clause.verb + 1, "to") or ws[verb].lemma in _NO_PLAN:
        return
    if clause.lemma != "want" or ws[verb].tag == "VB":
        yield from _intended(clause, verb_phrase(clause, verb))


@rule(
    ("next I'm aiming for a black belt in judo", "wants: a black belt in judo"),
    ("we're planning a trip to Iceland in June", "wants: a trip to Iceland"),
    anyone=False,
)
def plan_for(clause: Clause) -> Iterator[Draft]:
    """Planning a trip, aiming for something, planning on doing it."""
    ws = clause.words
    if clause.lemma not in ("plan", "aim") or not _open_to_plans(clause):
        return
    if clause.lemma == "plan" and clause.progressive and clause.rest[:1] and clause.rest[0].low in ("a", "an", "our", "my"):
        posts = frozenset({"of", "to", "in", "for", "around"})
        yield from _intended(clause, object_after(clause, clause.verb + 1, posts=posts))
    elif spot := preposition(clause, "on", "for"):
        span = object_after(clause, spot, posts=frozenset({"of", "in"}))
        if span and ws[span[0]].tag == "VBG":
            span = verb_phrase(clause, span[0])
        if span and head(ws, *span).low not in words("anaphora"):
            yield from _intended(clause, span)


@rule(
    ("I'm going to apply for citizenship next year", "wants: apply for citizenship"),
    ("next year I'll run for city council", "wants: run for city council"),
    anyone=False,
)
def going_to(clause: Clause) -> Iterator[Draft]:
    """As in "I'm going to X", and "next year I'll X"; small steps of right now need a date to count."""
    ws = clause.words
    if not _open_to_plans(clause) or not clause.future or clause.verb + 1 >= clause.end:
        return
    light = ws[clause.verb].lemma in _NO_PLAN
    if clause.has("going", "gonna"):
        if not light or any(w.time for w in clause.rest):
            yield from _intended(clause, verb_phrase(clause, clause.verb))
    elif any(w.time for w in clause.before) and not light:
        yield from _intended(clause, verb_phrase(clause, clause.verb))


@rule(
    ("We're moving to Malaga in September", "wants: moving to Malaga"),
    ("I'm flying to Lisbon on Friday", "wants: flying to Lisbon"),
    anyone=False,
)
def arranged(clause: Clause) -> Iterator[Draft]:
    """What is arranged for a date: "we're moving in May"."""
    if "getting" in clause.aux and clause.passive and any(w.time for w in clause.rest) and not clause.negated:
        # "we're getting married in May"
        span = (clause.verb - 1, clause.verb + 1)
        yield make(clause, "wants", span, **INTENDED)
        return
    if not _open_to_plans(clause) or not clause.progressive or not clause.aux or clause.lemma not in words("arranged_verbs"):
        return
    if any(w.time for w in clause.rest) and not clause.has("every", "daily", "each"):
        yield from _intended(clause, verb_phrase(clause, clause.verb))


def content_of(clause: Clause, verb: int) -> Span | None:
    """The words after the verb that say what is done; None if they only point ("it", "that")."""
    ws = clause.words
    i = verb + 1
    while i < clause.end and (ws[i].pos == "ADV" or ws[i].low in ("up", "out")) and not ws[i].time:
        i += 1
    span = verb_phrase(clause, verb)
    if span is None or span[1] <= verb + 1:
        return None
    first = ws[min(i, span[1] - 1)]
    if first.low in words("anaphora") and first.tag != "PRP$":
        return None
    return verb + 1, span[1]
