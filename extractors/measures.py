"""Figures and days of things that change: "my budget is now 900 €", "coverage, which has reached 78 %", "moved to 5 May".

What is measured is named by the words of its noun phrase, as a set and without the plural: its last noun (`head`) says what
kind of figure it is.  A request may carry such a figure as something known ("help me with my draft, which is now at 900
words"), so the words around the figure decide here, and not the clause's form.

Invariant: the thing is the speaker's or named as theirs to deal with, and the figure is stated as the case; goals, wishes,
conditions, what others say and what ought to become of it make nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.canonical import NO_CONTEXT, singular
from graphmem.extractors.base import Claim, TimeValue
from graphmem.extractors.disavowals import unsaid
from graphmem.extractors.english import Sentence
from graphmem.extractors.figures import figures
from graphmem.extractors.lexicon import words
from graphmem.extractors.measure_forms import COUNTS, READINGS, Measure
from graphmem.extractors.noun_phrases import LINKS, OWN, after
from graphmem.extractors.subjects import FIRST, NEGATIONS, joined
from graphmem.extractors.tagging import Word
from graphmem.extractors.undoings import off, off_at_once
from graphmem.model import Turn

_STOPS = frozenset({",", ";", ":", "(", ")", "but", "and", "because", "which", "that", "so", "since"})
_ASKS = re.compile(
    r"\b(?:can|could|would|what|how|which|should|any|where|why|who|when|is there|do you|help|advice)\b|"
    r"(?:[,;–-]|\b(?:so|and|but)) (?:is|are|was|were|do|does|did|has|have|will)\b",
    re.IGNORECASE,
)


def measure_claims(turn: Turn, sentence: Sentence, times: Sequence[TimeValue]) -> list[Claim]:
    """The claims of a sentence about figures and days; the quote runs from the thing, or what states it, to the figure."""
    ws = sentence.words
    if not any(any(c.isdigit() for c in w.text) or w.tag == "CD" for w in ws):
        return []
    if sentence.mark == "?" and not _ASKS.search(sentence.text):
        return []
    found: dict[tuple[str, str], Claim] = {}
    numbers = figures(ws, times)
    denied = unsaid(sentence)
    undone = off(sentence.text) or off_at_once(turn.text[sentence.start + len(sentence.text) :])
    for place, figure in enumerate(numbers):
        former = numbers[place - 1] if place else None
        if any(part.start <= ws[figure.start].start - sentence.start < part.end for part in denied):
            continue
        for reading in READINGS:
            measure = reading(ws, figure, former)
            if measure is not None and figure.unit == "date" and not measure.changed and undone:
                continue  # what is off has no day
            claim = _claim(turn, ws, measure) if measure is not None and _stated(ws, measure) else None
            if claim is not None:
                found[claim.details["about"], claim.details["unit"]] = claim
                break
    return list(found.values())


def _claim(turn: Turn, ws: Sequence[Word], measure: Measure) -> Claim | None:
    thing, figure, earlier = measure.thing, measure.figure, measure.earlier
    day = {w.i for w in thing.parts if w.time and (w.tag in ("CD", "NNP") or any(c.isdigit() for c in w.text))}
    kept = [w for w in thing.parts if w.i not in day and w.low not in words("unnaming")]
    kept = [w for w in kept if not (w.low in COUNTS and w.i + 1 < len(ws) and ws[w.i + 1].low == "of")]
    while kept and kept[0].low in NO_CONTEXT:
        kept = kept[1:]
    named = [w for w in kept if w.low not in NO_CONTEXT]
    if len(named) == 1 and thing.parts[0].low == "the" and figure.unit != "date" and not measure.mine:
        return None  # the size of what?
    if not named or any(w.foreign for w in (*named, *ws[figure.start : figure.end])):
        return None
    if not figure.unit and not measure.deed and figure.end < len(ws):
        # "raised my target to 12 chapters": of what, that is part of the value.
        counted = after(ws, figure.end, links=0)
        if counted is not None and counted.parts[0].low not in ("a", "an", "the", "my", "our"):
            figure = figure._replace(end=counted.end, unit=singular(counted.head.low))
    low = min(thing.start, measure.said, figure.start)
    high = max(figure.end, *(word.i + 1 for word in thing.parts))
    start, end = ws[low].start, ws[high - 1].end
    # "to print the leaflets" and "for printing the leaflets" are one purpose; "driving" in "driving exam" is no verb.
    purposes = {w.i for w in kept if w.tag in ("VB", "VBG") and ws[w.i - 1].low in ("to", "for")}
    about = sorted({w.lemma if w.i in purposes else singular(w.low) for w in named} | {measure.deed} - {""})
    label = _LABELS.get(measure.deed, f"number of {{}} {measure.deed}").format(_joined(kept))
    return Claim(
        turn=turn.id, start=start, end=end, quote=turn.text[start:end], kind="fact", predicate="attribute", context=label,
        object=turn.text[ws[figure.start].start : ws[figure.end - 1].end], cue="change" if measure.changed else None,
        replaces=turn.text[ws[earlier.start].start : ws[earlier.end - 1].end] if earlier else None,
        importance=0.6, rule="measure",
        details={
            "about": " ".join(about), "head": measure.deed or singular(thing.head.low),
            "number": figure.number, "unit": figure.unit, **({"grows": True} if measure.grows else {}),
        },
    )  # fmt: skip


_LABELS = {
    "": "{}",
    "allocated": "budget for {}",
    "budgeted": "budget for {}",
    "spent": "time spent on {}",
    "averaged": "average on {}",
    "scored": "score on {}",
    "reached": "mark in {}",
    "had": "number of {}",
}


def _joined(kept: Sequence[Word]) -> str:
    """The words as they were written, without "my"; what was said apart from the rest is put after it with "in"."""
    runs: list[list[Word]] = [[]]
    verbs = {word.text for word in kept if word.tag in ("VB", "VBG")}
    for n, word in enumerate(kept):
        if word.low in OWN:
            runs.append([])
        elif n and word.i != kept[n - 1].i + 1 and kept[n - 1].low not in OWN:
            runs.append([word])
        else:
            runs[-1].append(word)
    text = ""
    for run in filter(None, runs):
        # "the deadline to finish (my) thesis": a verb takes what follows as its object.
        linked = not text or run[0].tag in ("IN", "TO") or text.split()[-1] in LINKS or text.split()[-1] in verbs
        text = joined(run) if not text else f"{text}{' ' if linked else ' in '}{joined(run)}"
    return text


def _stated(ws: Sequence[Word], measure: Measure) -> bool:
    """Whether the words around say that it is so; of what is presupposed ("my 3 May deadline"), only the words inside count."""
    thing, figure = measure.thing, measure.figure
    low, high = min(thing.start, measure.said, figure.start), max(figure.end, thing.end)
    own = {w.i for w in thing.parts}
    if any(w.low in words("measure_reports") for w in ws[: max(low, measure.said)]) or thing.head.low in words("kin") | words(
        "roles"
    ) | words("pets"):
        return False
    if measure.definite:
        low, high = measure.said, figure.start
    if any(w.low in words("former") for w in thing.parts):
        return False
    if any(
        w.low in words("measure_doubts") | NEGATIONS
        for w in ws[low:high]
        if w.i not in own and not figure.start <= w.i < figure.end
    ):
        return False
    if thing.parts[0].low not in OWN and not measure.deed:
        # "The rate has risen to 4 %" may be anybody's.
        listed = singular(thing.head.low) in words("measured") | words("dated_things")
        speaker = any(w.low in FIRST | OWN | {"me", "us"} for w in ws)
        worldly = thing.parts[0].low == "the" and not measure.definite and any(w.ent in ("GPE", "NORP") for w in thing.parts)
        # "Deadline for the bid is 3 June": a note of what is due, which is a task.
        noted = figure.unit == "date" and thing.parts[0].low not in ("the", "a", "an")
        if not (listed or measure.mine) or not speaker or worldly or noted:
            return False
    k = low
    while k > 0 and ws[k - 1].low not in _STOPS:
        k -= 1
        if not measure.definite and ws[k].low in (
            words("measure_doubts_far") if measure.finite else words("measure_doubts") | NEGATIONS
        ):
            return False
    return True
