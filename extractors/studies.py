"""Rules about studies and projects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.jobs import employer_at
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, phrase


@rule(
    ("I study law at Ghent University", "studies_at: Ghent University"),
    ("doing a bachelor in nursing at Lund since May", "studies_at: Lund"),
    ("I'm in the second year of botany at Tartu", "studies_at: Tartu"),
    ("I studied history in Turin", "study: history"),
    ("our girl started kindergarten in August", "studies_at: kindergarten"),
)
def studies(clause: Clause) -> Iterator[Draft]:
    """A place of study, or the subject where no place is named."""
    ws = clause.words
    lemma = clause.lemma
    study = lemma in ("study", "attend", "major", "enrol", "enroll")
    if lemma in words("study_verbs") and not study:
        study = (
            any(w.low.strip("'s") in words("studies") or w.low in words("studies") for w in clause.rest[:4])
            and lemma != "have"
            and lemma != "get"
        )
    if (
        lemma == "be"
        and clause.rest
        and any(exact(clause, w.i, *p) for w in clause.rest[:4] for p in (("year", "of"), ("year", "at"), ("semester", "of")))
    ):
        study = True
    if lemma in ("start", "go") and any(
        w.low in ("school", "university", "college", "uni", "kindergarten", "daycare") for w in clause.rest[:3]
    ):
        end = (
            next(w.i for w in clause.rest if w.low in ("school", "university", "college", "uni", "kindergarten", "daycare")) + 1
        )
        if lemma == "start" and not clause.future:
            yield make(clause, "studies_at", (end - 1, end), temporal="current", since=True, types="organisation")
        return
    about_study = any(
        w.low in ("study", "studying", "studies", "university", "degree") or exact(clause, w.i, "year", "of") for w in ws
    )
    if lemma == "be" and clause.rest[:1] and clause.rest[0].low == "at" and about_study:
        study = True
    if not study:
        return
    spot = preposition(clause, "at") or (clause.verb + 1 if lemma == "attend" else None)
    span = employer_at(clause, spot, named=True)
    ended = clause.past
    if not span and lemma in ("study", "do"):
        span = _school(clause)
    if span:
        yield make(clause, "studies_at", span, types="organisation", importance=0.6, temporal="past" if ended else None)
    elif lemma in ("study", "major"):
        inside = preposition(clause, "in") if lemma == "major" else clause.verb + 1
        topic = object_after(clause, inside or clause.verb + 1, loose=False)
        if topic and (
            head(ws, *topic).low in words("subjects")
            or head(ws, *topic).low.endswith(("ics", "logy", "graphy", "nomy", "istry"))
            or head(ws, *topic).low in words("languages")
        ):
            yield make(clause, "study", topic, temporal="past" if ended else None, types="thing")


def _school(clause: Clause) -> Span | None:
    """A named school later in the clause: "studying music, part-time, Turku Academy"."""
    ws = clause.words
    for w in clause.rest:
        if w.text in ("University", "College", "Institute", "Academy", "Polytechnic", "Uni"):
            start = w.i
            while start - 1 > clause.verb and ws[start - 1].text[:1].isupper():
                start -= 1
            return start, max(phrase(ws, start, clause.end), w.i + 1)
    return None


_PROJECT = words("project_nouns")


@rule(
    ("I'm on the payroll migration project these days", "works_on: payroll migration project"),
    ("I'm working on the search relaunch", "works_on: search relaunch"),
    ("they moved me off the archive project", "works_on: archive project"),
    anyone=False,
)
def project(clause: Clause) -> Iterator[Draft]:
    """The project somebody is on, was moved to, or was taken off."""
    ws = clause.words
    if clause.lemma == "move" and clause.rest and clause.rest[0].low in ("me", "us"):
        for word, ended in (("off", True), ("from", True), ("to", False), ("onto", False)):
            spot = next((w.i + 1 for w in clause.rest if w.low == word), None)
            span = object_after(clause, spot) if spot else None
            if span and head(ws, *span).low in _PROJECT:
                yield make(
                    clause,
                    "works_on",
                    bare(ws, span),
                    subject="user",
                    temporal="ended" if ended else "current",
                    until=ended,
                    since=not ended,
                    cue="change",
                )
        return
    on = preposition(clause, "on")
    if not clause.speaker or not on or clause.past or (clause.negated and not clause.has("longer", "anymore", "more")):
        return
    span = object_after(clause, on)
    if not span or not ((clause.lemma == "be" and ws[clause.verb + 1].low == "on") or clause.lemma == "work"):
        return
    if head(ws, *span).low in _PROJECT and not re.match(r"(?i)(my|this|that|a|an)\b", clause.text(*span)):
        yield make(
            clause,
            "works_on",
            bare(ws, span),
            cue="change" if clause.has("now", "today") else None,
            since=clause.has("today"),
            importance=0.6,
        )
