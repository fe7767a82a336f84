"""Rules about studies and projects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.jobs import employer_at
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, phrase
from graphmem.extractors.wordings import after, wording


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
    if lemma == "be" and clause.rest[:1] and clause.rest[0].low == "at":
        # The whole sentence is looked at only here: it may have many clauses.
        study = study or any(
            w.low in ("study", "studying", "studies", "university", "degree")
            or w.low in words("subjects")
            or exact(clause, w.i, "year", "of")
            for w in ws
        )
    if not study or ("never" in clause.lows and clause.perfect):
        return  # what was never done is no place where one does not study
    spot = preposition(clause, "at") or (clause.verb + 1 if lemma == "attend" else None)
    if not spot and lemma in ("enrol", "enroll"):
        spot = preposition(clause, "with", "in")
    span = employer_at(clause, spot, named=True)
    if span and head(ws, *span).low in words("no_school"):
        return
    if not span and lemma in ("study", "do"):
        span = _school(clause)
    if span:
        yield make(clause, "studies_at", span, types="organisation", importance=0.6, **_lasting(clause))
    elif lemma in ("study", "major"):
        inside = preposition(clause, "in") if lemma == "major" else clause.verb + 1
        topic = object_after(clause, inside or clause.verb + 1, loose=False)
        if topic and (
            head(ws, *topic).low in words("subjects")
            or head(ws, *topic).low.endswith(("ics", "logy", "graphy", "nomy", "istry"))
            or head(ws, *topic).low in words("languages")
        ):
            yield make(clause, "study", topic, temporal="past" if clause.past else None, types="thing")


def _lasting(clause: Clause) -> dict[str, Any]:
    """Enrolling begins what goes on; having studied is past."""
    if clause.lemma in ("enrol", "enroll") and (clause.past or clause.perfect):
        return {"temporal": "current", "since": True}
    return {"temporal": "past" if clause.past else None}


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


_ONCE_AT = wording(
    r"(?:graduated|dropped out|flunked out|transferred) (?:from|of)",
    r"(?:degree|phd|doctorate|masters|master 's|bachelor 's|bachelors|ba|bsc|msc|ma|mba|diploma|"
    r"undergrad) (?:\w+ ){0,3}(?:from|at)",
    r"alum(?:nus|na|ni)? of",
)
_GOES_TO = wording(r"(?:go|goes|went|transferred) to", r"got into", r"(?:accepted|admitted)(?: at| by| to| into)?")
_AT_UNI = wording(r"at (?:uni|university|college|school|grad school|med school|law school) in")
_READS = wording(r"(?:read|reads|reading) \w+ at")


@rule(
    ("I graduated from Aalto in 2012", "studies_at: Aalto"),
    ("I have a PhD from Bonn", "studies_at: Bonn"),
    ("I go to Trinity College", "studies_at: Trinity College"),
    ("my son goes to Eton College", "studies_at: Eton College"),
)
def schooling(clause: Clause) -> Iterator[Draft]:
    """Where somebody graduated, got a degree, dropped out, or goes to by the name of a school."""
    if clause.negated or clause.future or clause.subject.kind in ("other", "pronoun", "you"):
        return
    span = employer_at(clause, after(clause, _ONCE_AT), named=True)
    doing = clause.lemma in ("do", "take", "pursue", "start") and not clause.past
    if span and not doing and not any(w.time for w in clause.words[span[0] : span[1]]):
        yield make(clause, "studies_at", span, types="organisation", importance=0.6, temporal="past", timed=False)
    elif clause.lemma in ("be", "study", "go") and not clause.past and (town := after(clause, _AT_UNI)) is not None:
        place = employer_at(clause, town, named=True)
        if place:
            yield make(clause, "studies_at", place, types="organisation", importance=0.6)
    elif clause.lemma == "read" and (school := employer_at(clause, after(clause, _READS), named=True)):
        if clause.words[school[0] - 2].text[:1].isupper() or clause.words[school[0] - 2].low in words("subjects"):
            yield make(clause, "studies_at", school, types="organisation", importance=0.6)
    elif clause.lemma in ("go", "get", "accept", "admit", "transfer") and (going := after(clause, _GOES_TO)) is not None:
        school = employer_at(clause, going, named=True)
        accepted = clause.lemma in ("accept", "admit") and clause.passive
        if school and (
            (accepted and clause.has("to", "into")) or any(_SCHOOL.search(w.low) for w in clause.words[school[0] : school[1]])
        ):
            past = "past" if clause.past and clause.lemma == "go" else None
            yield make(clause, "studies_at", school, types="organisation", importance=0.6, temporal=past)


_SCHOOL = re.compile(r"universi|college|institut|academy|polytechnic|hochschule|school|high$|gymnasium|lyc[eé]e")
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
    named = head(ws, *span).low in _PROJECT and not re.match(r"(?i)(my|this|that|a|an)\b", clause.text(*span))
    creative = (
        head(ws, *span).low in words("creations")
        and ws[span[0]].tag in ("DT", "PRP$")
        and ws[span[0]].low not in ("this", "that", "the")
    )
    if named or (creative and clause.lemma == "work"):
        yield make(
            clause,
            "works_on",
            bare(ws, span),
            cue="change" if clause.has("now", "today") else None,
            since=clause.has("today"),
            importance=0.6,
        )
