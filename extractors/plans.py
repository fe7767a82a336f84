"""Rules about plans, and the verb phrase that plans, habits and tasks are worded by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import is_job, words
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
    told = span and (span[1] - span[0] > 1 or clause.lemma == "want" or ws[span[0]].lemma in words("timetabled"))
    if span and told and ws[span[0]].low not in words("anaphora"):
        yield make(clause, "wants", span, **INTENDED)


@rule(
    ("my goal for this year is to read 30 books", "wants: read 30 books"),
    ("my dream is to open a cinema", "wants: open a cinema"),
    anyone=False,
    fragments=False,
)
def stated_aim(clause: Clause) -> Iterator[Draft]:
    """As in "my goal is to X"."""
    ws = clause.words
    if clause.lemma != "be" or clause.subject.kind != "possessed" or not _open_to_plans(clause):
        return
    aim = ws[clause.subject.head]
    dream = aim.low == "dream" or (aim.low == "job" and ws[aim.i - 1].low == "dream")
    if not (aim.low in words("aims") or dream) or len(clause.rest) < 2:
        return
    if exact(clause, clause.verb + 1, "to"):
        whole = verb_phrase(clause, clause.verb + 2) or (clause.verb + 2, clause.end)
        yield make(clause, "wants", whole, subject="user", **INTENDED)
    elif ws[clause.verb + 1].tag[:2] in ("NN", "DT", "CD", "JJ", "VB") and ws[clause.verb + 1].low not in words("anaphora"):
        span = verb_phrase(clause, clause.verb + 1)
        if span and span[1] - span[0] > 1:
            yield make(clause, "wants", span, subject="user", **INTENDED)


_SET_ON = re.compile(
    r"(?:be (?:\w+ )?(?:saving(?: up)? for|saving(?: up)? to|set on|determined to|training for|working "
    r"towards?|in the market for|aiming (?:for|at)|gearing up for|"
    r"looking to|about to|due to|bound for|hoping for|signed up for)|save(?: up)? (?:for|to)|train for|have "
    r"my (?:heart|eye|mind|sights) set on|have (?:plans|every intention) (?:to|of)|"
    r"work towards?|"
    r"(?:be trying|try) to(?= (?:quit|stop|give up|lose|learn|save|cut))|set out to|"
    r"mean to|look to|gear up for|have booked|apply for|sign up for) (?=\w)"
)


@rule(
    ("I'm saving up for a kayak", "wants: a kayak"),
    ("We're looking to buy a barn this year", "wants: buy a barn"),
    ("I'm determined to finish the trail", "wants: finish the trail"),
    anyone=False,
)
def set_on(clause: Clause) -> Iterator[Draft]:
    """Saving up for something, training for it, being set on doing it; what is only about to happen needs a date."""
    ws = clause.words
    if not _open_to_plans(clause) or not (
        clause.tag == "VBG" or clause.lemma in ("be", "have", "mean") or "determined" in clause.lows
    ):
        return
    line = " ".join([clause.lemma, *(w.low for w in clause.rest)])
    found = _SET_ON.match(line)
    if not found:
        return
    start = clause.verb + found.group().count(" ")
    if start >= clause.end or (
        not any(w.time for w in clause.rest) and re.search(r"about to|due to|looking? to|mean to", found.group())
    ):
        return
    if ws[start].lemma in _NO_PLAN and not any(w.time for w in clause.rest):
        return
    doing = ws[start].tag.startswith("VB")
    span = verb_phrase(clause, start) if doing else object_after(clause, start, posts=frozenset({"of", "in", "to"}))
    if span and ws[span[0]].low not in words("anaphora"):
        yield make(clause, "wants", span, **INTENDED)


@rule(("We're having the roof redone in January", "wants: having the roof redone"), anyone=False)
def having_done(clause: Clause) -> Iterator[Draft]:
    """As in "we're having the roof redone in May": arranged to be done by others."""
    ws = clause.words
    if clause.words[clause.verb].low not in ("having", "getting") or not _open_to_plans(clause) or not clause.aux:
        return
    at = next(
        (w.i for w in clause.rest[1:] if w.tag in ("VBN", "VBD") or (w.tag in ("JJ", "NN") and _DONE.search(w.low))), None
    )
    if at is not None and any(w.time for w in ws[at:]) and not clause.has("every", "each"):
        yield make(clause, "wants", (clause.verb, at + 1), **INTENDED)


@rule(("I'd like to visit Japan next spring", "wants: visit Japan"), anyone=False, fragments=False)
def dated_wish(clause: Clause) -> Iterator[Draft]:
    """As in "I'd like to X next spring": a wish with a date is a plan, one without is nothing."""
    if clause.lemma not in ("like", "love") or not any(a in ("'d", "would") for a in clause.aux) or clause.negated:
        return
    ws = clause.words
    if exact(clause, clause.verb + 1, "to") and any(w.time for w in clause.rest) and ws[clause.verb + 2].lemma not in _NO_PLAN:
        span = verb_phrase(clause, clause.verb + 2)
        if span and span[1] - span[0] > 1:
            yield make(clause, "wants", span, confidence=0.65, **INTENDED)


@rule(
    ("I'm planning to run a marathon in May", "wants: run a marathon"),
    ("we want to restore a barn", "wants: restore a barn"),
    ("I hope to finish my degree in spring", "wants: finish my degree"),
    ("I want to be a vet", "wants: be a vet"),
    anyone=False,
)
def plan_to(clause: Clause) -> Iterator[Draft]:
    """Planning, wanting, intending, aiming, hoping to do something."""
    ws = clause.words
    verb = clause.verb + 2
    hoping = ws[clause.verb].low == "hoping"  # the lemmatizer makes "hop" of it
    if (
        (clause.lemma not in ("plan", "want", "intend", "aim", "hope") and not hoping)
        or not _open_to_plans(clause)
        or verb >= clause.end
    ):
        return
    dated = any(w.time for w in clause.rest) and ws[verb].lemma in ("get", "find", "take", "go", "do", "have", "start")
    if not exact(clause, clause.verb + 1, "to") or (ws[verb].lemma in _NO_PLAN and not dated and not _calling(clause, verb)):
        return
    if clause.lemma != "want" or ws[verb].tag == "VB":
        yield from _intended(clause, verb_phrase(clause, verb))


def _calling(clause: Clause, verb: int) -> bool:
    """As in "want to be a vet", "plan to have kids": an occupation, a family."""
    ws = clause.words
    if ws[verb].lemma == "have" and verb + 1 < clause.end:
        family = object_after(clause, verb + 1, loose=False)
        return family is not None and head(ws, *family).low in words("children")
    if ws[verb].lemma != "be" or verb + 2 >= clause.end or ws[verb + 1].low not in ("a", "an"):
        return False
    span = object_after(clause, verb + 1, loose=False)
    return span is not None and is_job(head(ws, *span).low)


@rule(("I want a dog", "wants: a dog"), ("we want three kids", "wants: three kids"), anyone=False, fragments=False)
def wanted(clause: Clause) -> Iterator[Draft]:
    """As in "I want a dog", "we want kids": what is asked of nobody here."""
    ws = clause.words
    if clause.lemma != "want" or not _open_to_plans(clause) or clause.aux or clause.subject.kind != "user":
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    bare = span is not None and (ws[span[0]].low in ("a", "an") or ws[span[0]].tag in ("CD", "NNS"))
    closed = span is not None and (span[1] >= clause.end or ws[span[1]].low in (",", ".", "!", "but", "so", "and", "because"))
    if span and bare and closed and head(ws, *span).low in words("pets") | words("children") | words("own_vehicles"):
        yield from _intended(clause, span)


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
    if not _open_to_plans(clause) or not clause.progressive or not clause.aux:
        return
    ahead = len(clause.before) > 1 and clause.before[0].low == "next" and clause.before[1].time
    if clause.lemma not in words("arranged_verbs") and not ahead:
        return
    if (
        clause.lemma == "do"
        and clause.rest
        and clause.rest[0].low in ("good", "well", "fine", "great", "ok", "okay", "alright")
    ):
        return
    dated = any(w.time for w in clause.rest) or (clause.before and clause.before[0].low in ("next", "tomorrow"))
    here = next((w.i for w in clause.rest if w.low == ","), clause.end)
    if dated and not any(
        w.low in ("every", "daily", "each", "now", "currently", "today") for w in clause.words[clause.verb : here]
    ):
        yield from _intended(clause, verb_phrase(clause, clause.verb))


@rule(("We fly to Oslo in three weeks", "wants: fly to Oslo"), anyone=False, fragments=False)
def timetable(clause: Clause) -> Iterator[Draft]:
    """As in "we fly to Oslo in three weeks": the present tense with a date to come."""
    if (
        clause.subject.kind != "user"
        or clause.negated
        or clause.aux
        or clause.tag not in ("VBP", "VB")
        or clause.lemma not in words("timetabled")
    ):
        return
    text = clause.text(clause.verb, clause.end)
    if _TO_COME.search(text) and not clause.has("every", "each", "usually", "always", "often"):
        span = verb_phrase(clause, clause.verb)
        if span:
            yield make(clause, "wants", span, **INTENDED)


_DONE = re.compile(r"(?:ed|one|wn|ut|own|ept|ilt|ewn)$")
_TO_COME = re.compile(
    r"\b(?:tomorrow|next (?:week|month|year|spring|summer|autumn|fall|winter|\w+day)|in (?:\w+ )?(?:days?|"
    r"weeks?|months?)|on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"the \d|\d|[A-Z][a-z]+ \d))"
)


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
