"""Rules about what somebody does no longer: used to, not any more, quit, when I still.

Invariant: what has ended is a doing in the speaker's own words; "I don't get it any more" ends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import ENDED, Draft, make, object_after, rule
from graphmem.extractors.english import Word
from graphmem.extractors.habits import is_over
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import phrase
from graphmem.extractors.plans import verb_phrase


@rule(
    ("I used to smoke", "habit: smoke"),
    ("we used to be gamblers, I used to be a gambler", "habit: gambler"),
    ("we used to sail dinghies", "habit: sail dinghies"),
)
def used_to_do(clause: Clause) -> Iterator[Draft]:
    """As in "used to X", where no closed relation says it better."""
    if not clause.used_to or clause.lemma in words("used_to_others"):
        return
    ws = clause.words
    if clause.lemma == "be":
        span = object_after(clause, clause.verb + 1, loose=False)
        if span and ws[span[0]].low in ("a", "an") and ws[span[1] - 1].tag in ("NN", "NNP"):
            yield make(clause, "habit", (span[0] + 1, span[1]), temporal="ended")
        return
    span = verb_phrase(clause, clause.verb)
    if span and not any(w.low in ("it", "that", "this") for w in ws[span[0] : span[1]]):
        yield make(clause, "habit", span, temporal="ended")


@rule(
    ("I don't smoke anymore", "habit: smoke"),
    ("we don't play golf any more", "habit: play golf"),
    ("I no longer play rugby", "habit: play rugby"),
)
def no_longer_does(clause: Clause) -> Iterator[Draft]:
    """As in "I don't X anymore"."""
    ws = clause.words
    lemma = clause.lemma
    listed = lemma in words("habit_verbs") - {"eat", "drink", "work", "have", "get", "start"}
    done = listed or lemma not in words("no_relation_verbs") | words("screen_verbs")
    if not is_over(clause) or not done or clause.passive or clause.past or clause.subject.kind in ("other", "pronoun", "you"):
        return
    span = verb_phrase(clause, clause.verb)
    if span and not any(w.low in words("anaphora") | words("relationship") for w in ws[span[0] : span[1]]):
        end = span[1]
        while end > span[0] + 1 and ws[end - 1].low in ("anymore", "any", "more", "longer"):
            end -= 1
        yield make(clause, "habit", (span[0], end), temporal="ended", polarity="positive", cue="change")


@rule(
    ("I never wear perfume", "wear: perfume"),
    ("I don't wear rings", "wear: rings"),
    fragments=False,
)
def never_does(clause: Clause) -> Iterator[Draft]:
    """As in "I never wear X": a doing that somebody keeps away from, with a bare object."""
    ws = clause.words
    lemma = clause.lemma
    never = clause.has("never")
    if (
        not clause.negated
        or clause.past
        or clause.passive
        or clause.future
        or clause.used_to
        or clause.mark
        or is_over(clause)
        or clause.subject.kind != "user"
        or ws[clause.verb].tag not in ("VB", "VBP")
        or any(aux not in ("do", "does") for aux in clause.aux)
    ):
        return
    shared = words("no_relation_verbs") | words("opinion_verbs") | words("screen_verbs") | words("said_with_never")
    if lemma in shared or not (never or lemma in words("habit_verbs") | {"wear", "watch", "ride", "own"}):
        return
    i = clause.verb + 1
    end = phrase(ws, i, clause.end)
    if end > i and ws[end - 1].tag in ("NN", "NNS", "NNP") and ws[i].tag in ("NN", "NNS", "NNP", "JJ") and not ws[i].time:
        yield make(clause, lemma, (i, end), polarity="negative", confidence=0.65)


_SPANS = frozenset({"for", "until", "till", "over", "during", "throughout"})
_FASTS = frozenset({"lent", "ramadan", "advent", "passover"})


def _for_a_time(after: list[Word]) -> bool:
    """As in "for Lent", "for a month", "until Easter": what follows is a stretch of time."""
    lead = next((w for w in after if w.tag not in ("DT", "CD", "JJ", "PRP$", "IN")), None)
    return (
        lead is not None
        and lead.low != "good"
        and (lead.time or lead.low in _FASTS | words("time_nouns") | {"now", "bit", "while"})
    )


@rule(
    ("I quit vaping in 2022", "habit: vaping"),
    ("I stopped drinking coffee", "diet: coffee"),
    ("I gave up sugar in May", "diet: sugar"),
)
def quitting(clause: Clause) -> Iterator[Draft]:
    """Quitting, stopping, giving up."""
    ws = clause.words
    if clause.future or clause.negated or not clause.rest or clause.subject.kind == "you":
        return
    start = clause.verb + 1
    if clause.lemma == "give" and clause.past and clause.rest[0].low == "up":
        start += 1
    elif (
        clause.lemma not in ("quit", "stop")
        or not clause.rest[0].low.endswith("ing")
        or clause.rest[0].low == "using"
        or not (clause.past or clause.perfect or clause.tag in ("VBD", "VBP", "VBN"))
    ):
        return
    span = verb_phrase(clause, start) if start < clause.end else None
    if not span or any(w.low in words("anaphora") for w in ws[span[0] : span[1]]):
        return
    if ws[span[0]].low in ("on", "trying", "hope", "the", "and"):
        return
    stop = next((w.i for w in ws[span[0] + 1 : clause.end] if w.low in _SPANS), clause.end)
    if stop < clause.end and _for_a_time(ws[stop + 1 : clause.end]):
        # "gave up meat for Lent": a pause, no end.
        return
    span = (span[0], min(span[1], stop)) if stop < clause.end and ws[stop].low == "for" else span
    if ws[span[0]].low in ("eating", "drinking") and span[1] == span[0] + 2:
        span = (span[0] + 1, span[1])
    food = span[1] == span[0] + 1 and ws[span[0]].low in words("foods")
    yield make(clause, "diet" if food else "habit", span, **ENDED)


@rule(("in the days when I still rowed boats", "habit: rowed boats"))
def back_when(clause: Clause) -> Iterator[Draft]:
    """As in "when I still rowed": it has ended."""
    if not clause.past or not clause.has("still") or not (clause.mark == "when" or clause.has("when")):
        return
    span = verb_phrase(clause, clause.verb)
    if span and clause.words[clause.verb].lemma in words("habit_verbs"):
        yield make(clause, "habit", span, temporal="ended")
