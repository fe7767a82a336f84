"""Rules about the course of somebody's days: what is gone to, when one gets up, what is never done, what has been done n times.

Invariant: a routine needs a sign that it recurs, and a denial a doing that people ask each other about (smoking, driving).
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.homes import place_at
from graphmem.extractors.lexicon import at_screen, is_condition, words
from graphmem.extractors.phrases import head, phrase
from graphmem.extractors.plans import verb_phrase


def _present(clause: Clause) -> bool:
    if clause.past or clause.future or clause.passive or clause.used_to or clause.subject.kind != "user":
        return False
    return not clause.aux or all(a in ("do", "does") for a in clause.aux)


def _recurs(clause: Clause) -> bool:
    ws = clause.words[clause.start : clause.end]
    marks = words("habit_marks") - {"by", "with", "after", "still", "mostly"} | {"each", "once", "times", "sometimes"}
    return any(w.low in marks or w.low.endswith(("days", "nights")) for w in ws)


@rule(
    ("I go to church on Sundays", "go_to: church"),
    ("we go to the gym three times a week", "go_to: the gym"),
    anyone=False,
    fragments=False,
)
def gone_to(clause: Clause) -> Iterator[Draft]:
    """Where somebody goes again and again."""
    if (
        clause.lemma != "go"
        or clause.negated
        or not _present(clause)
        or not _recurs(clause)
        or not exact(clause, clause.verb + 1, "to")
    ):
        return
    ws = clause.words
    span = object_after(clause, clause.verb + 2, loose=False)
    if span is None and clause.verb + 2 < clause.end and ws[clause.verb + 2].tag in ("NN", "NNS"):
        span = (clause.verb + 2, clause.verb + 3)
    if span and head(ws, *span).low not in words("anaphora") | {"bed", "sleep", "work", "therapy", "school", "physio"}:
        yield make(clause, "go_to", span, confidence=0.7)


@rule(
    ("I get up at five every morning", "habit: get up at five every morning"),
    ("we go to bed early on weekdays", "habit: go to bed early on weekdays"),
    anyone=False,
    fragments=False,
)
def hours_kept(clause: Clause) -> Iterator[Draft]:
    """When somebody gets up, wakes or goes to bed as a rule."""
    ws = clause.words
    if clause.negated or not _present(clause) or not _recurs(clause) or ws[clause.verb].lemma in ("wake",):
        return
    i = clause.verb + 1
    rising = clause.lemma == "get" and exact(clause, i, "up")
    bed = clause.lemma == "go" and (exact(clause, i, "to", "bed") or exact(clause, i, "to", "sleep"))
    if not rising and not bed:
        return
    end = clause.end
    for k in range(clause.verb + 2, clause.end):
        if ws[k].low in (",", "but", "so", "because", "and", "to") and ws[k].i > clause.verb + 2:
            end = k
            break
    while ws[end - 1].is_mark:
        end -= 1
    if end > clause.verb + 2 + bed:
        yield make(clause, "habit", (clause.verb, end), timed=False, confidence=0.7)


@rule(
    ("I run every morning", "habit: run every morning"),
    ("we swim twice a week", "habit: swim twice a week"),
    anyone=False,
    fragments=False,
)
def exercise(clause: Clause) -> Iterator[Draft]:
    """Running, swimming, meditating again and again, without an object."""
    ws = clause.words
    if clause.negated or not _present(clause) or not _recurs(clause) or ws[clause.verb].lemma not in words("exercises"):
        return
    i = clause.verb + 1
    if i < clause.end and (
        ws[i].time or ws[i].low in ("every", "daily", "twice", "regularly", "most", "three", "on", "before", "after")
    ):
        end = clause.end
        for k in range(i, clause.end):
            if ws[k].low in (",", "but", "so", "because", "and", "before", "after"):
                end = k
                break
        while ws[end - 1].is_mark:
            end -= 1
        yield make(clause, "habit", (clause.verb, end), timed=False, confidence=0.7)


@rule(
    ("I don't smoke", "habit: smoke"),
    ("I never gamble", "habit: gamble"),
    ("I have never smoked", "habit: smoked"),
    ("I don't drive", "habit: drive"),
    anyone=False,
    fragments=False,
)
def never_done(clause: Clause) -> Iterator[Draft]:
    """As in "I don't smoke": a denial without an object, of a doing that people ask each other about."""
    ws = clause.words
    never = clause.perfect and "never" in clause.adverbs and clause.subject.kind == "user" and not clause.passive
    if not clause.negated or not (never or _present(clause)):
        return
    if clause.mark in ("if", "unless", "when", "that", "because"):
        return
    if ws[clause.verb].lemma not in words("asked_doings"):
        return
    i = clause.verb + 1
    closed = i >= clause.end or ws[i].low in (
        ",",
        ".",
        "!",
        "and",
        "or",
        "but",
        "so",
        "because",
        "at",
        "myself",
        "though",
        "either",
    )
    if closed and not any(a in ("ca", "can") for a in clause.aux):
        yield make(
            clause, "habit", (clause.verb, clause.verb + 1), polarity="negative", temporal="current", timed=False,
            confidence=0.75,
        )  # fmt: skip


@rule(
    ("I've run four marathons", "run: four marathons"),
    ("we've visited twelve national parks", "visit: twelve national parks"),
    anyone=False,
    fragments=False,
)
def done_so_often(clause: Clause) -> Iterator[Draft]:
    """As in "I've run four marathons": a feat with its count, which stays true."""
    ws = clause.words
    if not clause.perfect or clause.negated or clause.passive or clause.subject.kind != "user" or clause.tag == "VBG":
        return
    if ws[clause.verb].lemma not in words("feats"):
        return
    i = clause.verb + 1
    end = phrase(ws, i, clause.end)
    counted = end > i + 1 and ws[i].tag == "CD" and not ws[i].time and head(ws, i, end).tag == "NNS"
    if counted and not any(w.low in words("time_nouns") for w in ws[i:end]) and not at_screen(head(ws, i, end).low):
        yield make(clause, ws[clause.verb].lemma, (i, end), temporal="current", timed=False, confidence=0.7)


@rule(("I've been to Kenya twice", "been_to: Kenya"), anyone=False, fragments=False)
def been_to(clause: Clause) -> Iterator[Draft]:
    """Where somebody has been."""
    if clause.lemma != "be" or not clause.perfect or clause.subject.kind != "user" or clause.mark in ("if", "since", "when"):
        return
    span = place_at(clause, preposition(clause, "to")) if exact(clause, clause.verb + 1, "to") else None
    if span:
        yield make(clause, "been_to", span, temporal="current", timed=False, types="place", confidence=0.7)


@rule(
    ("I'm learning to play the harp", "learn_to: play the harp"),
    ("we're learning how to sail", "learn_to: sail"),
    anyone=False,
    fragments=False,
)
def learning_to(clause: Clause) -> Iterator[Draft]:
    """As in "I'm learning to X"."""
    ws = clause.words
    if (
        ws[clause.verb].lemma != "learn"
        or clause.tag != "VBG"
        or not clause.aux
        or clause.negated
        or clause.past
        or not clause.speaker
    ):
        return
    i = clause.verb + 1 + (clause.verb + 1 < clause.end and ws[clause.verb + 1].low == "how")
    if i + 1 >= clause.end or ws[i].low != "to" or ws[i + 1].lemma in words("no_plan") - {"play", "cook"}:
        return
    span = verb_phrase(clause, i + 1)
    if span and ws[span[1] - 1].low not in words("anaphora"):
        yield make(clause, "learn_to", bare(ws, span), confidence=0.7)


@rule(
    ("I haven't eaten meat since I was twelve", "diet: meat"),
    anyone=False,
    fragments=False,
)
def long_uneaten(clause: Clause) -> Iterator[Draft]:
    """As in "I haven't eaten meat since I was 12"."""
    ws = clause.words
    if (
        ws[clause.verb].lemma not in ("eat", "drink")
        or not clause.perfect
        or not clause.negated
        or clause.subject.kind != "user"
    ):
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    follows = ws[clause.end].low if clause.end < len(ws) else ""
    lasting = follows == "since" or any(w.low in ("since", "years", "decades", "ages") for w in clause.rest)
    if span and lasting and head(ws, *span).low in words("foods"):
        yield make(clause, "diet", span, polarity="negative", temporal="current", importance=0.7)


@rule(
    ("I get hay fever", "health: hay fever"),
    anyone=False,
    fragments=False,
)
def ailment_got(clause: Clause) -> Iterator[Draft]:
    """As in "I get migraines": a condition that comes again and again."""
    ws = clause.words
    if clause.lemma != "get" or clause.negated or not _present(clause) or clause.mark in ("when", "if"):
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    if span is None or ws[span[0]].low in ("the", "this", "a", "an", "my"):
        return
    two = " ".join(w.low for w in ws[max(span[0], span[1] - 2) : span[1]])
    if is_condition(ws[span[1] - 1].low) or two in words("conditions"):
        yield make(clause, "health", span, importance=0.6)


@rule(
    ("I take my coffee black", "prefers: coffee black"),
    ("I have my tea with lemon", "prefers: tea with lemon"),
    anyone=False,
    fragments=False,
)
def taken_so(clause: Clause) -> Iterator[Draft]:
    """As in "I take my coffee black"."""
    ws = clause.words
    if clause.lemma not in ("take", "have", "drink", "eat") or clause.negated or not _present(clause):
        return
    i = clause.verb + 1
    if i + 2 < clause.end and ws[i].low == "my" and ws[i + 1].low in words("foods") and ws[i + 2].low in words("served"):
        end = i + 3
        while end < clause.end and ws[end].tag in ("NN", "NNS", "JJ", "RB", "DT", "CD") and not ws[end].time:
            end += 1
        yield make(clause, "prefers", (i + 1, end), kind="preference", polarity="positive")


@rule(("I eat vegan food", "diet: vegan food"), anyone=False, fragments=False)
def way_of_eating(clause: Clause) -> Iterator[Draft]:
    """As in "I eat vegan food", "I eat a plant-based diet"."""
    if clause.lemma not in ("eat", "cook", "have") or clause.negated or not _present(clause):
        return
    ws = clause.words
    span = object_after(clause, clause.verb + 1, loose=False)
    if (
        span
        and ws[span[1] - 1].low in ("food", "foods", "diet", "meals")
        and any(w.low in words("diets") for w in ws[span[0] : span[1]])
    ):
        yield make(clause, "diet", bare(ws, span), importance=0.6)
