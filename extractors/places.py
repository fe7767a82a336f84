"""Rules about where somebody lives, works and studies, what the job is, and which project it is on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import Span, head, phrase

_NEAR = frozenset({"of", "in", "near", "by"})
_NO_PLACE = frozenset({"touch", "love", "debt", "trouble", "general", "charge", "fear", "peace", "bed", "hurry", "pain", "denial", "need", "mood", "shock", "line", "meetings", "meeting", "agreement", "person", "settings", "menu", "process", "middle", "shape", "control", "awe", "past", "present", "moment", "dark", "store", "car", "same", "way"})  # fmt: skip


def _place(clause: Clause, i: int | None) -> Span | None:
    """A place name or a kind of dwelling at `i`."""
    if i is None:
        return None
    span = object_after(clause, i, posts=_NEAR)
    if not span:
        return None
    ws = clause.words
    noun = head(ws, *span).low
    if noun in _NO_PLACE or ws[span[0]].low in ("it", "this", "that"):
        return None
    # "Aleksanterinkatu 14, Helsinki": the town after the street.
    start, end = span
    while end + 1 < clause.end and ws[end].low == "," and ws[end + 1].tag == "NNP" and ws[end + 1].ent in ("GPE", "LOC", "") and not ws[end + 1].time and (
        end + 2 >= clause.end or ws[end + 2].low in (",", ".", "and", "since", "!")
    ):
        end += 2
    named = any(w.text[:1].isupper() and w.low not in ("i", "my") for w in ws[start:end])
    return (start, end) if named or noun in words("dwellings") else None


def _town(clause: Clause, span: Span) -> Span:
    """The named part of "a small flat in Gothenburg"."""
    ws = clause.words
    for k in range(span[1] - 1, span[0], -1):
        if ws[k - 1].low in ("in", "near") and ws[k].text[:1].isupper():
            return (k, span[1])
    return span


@rule(
    ("I live in Gdynia", "lives_in: Gdynia"), ("we live with my parents in Bath", "lives_in: Bath"),
    ("I'm based in Aarhus", "lives_in: Aarhus"), ("I grew up in Perth", "lives_in: Perth"), ("I'm in Kotka, cheaper", "lives_in: Kotka"),
    ("my new address is Hauptstrasse 5, Kassel", "lives_in: Hauptstrasse 5, Kassel"), ("we're renting a flat in Bergamo", "lives_in: Bergamo"),
)  # fmt: skip
def residence(clause: Clause) -> Iterator[Draft]:
    """Living, being based, renting or having an address somewhere."""
    ws = clause.words
    lemma = clause.lemma
    if lemma == "live" or ws[clause.verb].low in ("based", "settled", "located"):
        span = _place(clause, preposition(clause, "in", "at", "near", "outside", "by"))
        if span:
            yield make(clause, "lives_in", _town(clause, span), types="place", importance=0.7, cue=_moved(clause))
    elif lemma == "be" and clause.speaker and not clause.past and not clause.used_to:
        based = next((w for w in clause.rest[:3] if w.low in ("based", "settled")), None)
        place = preposition(clause, "in") if based or (clause.rest and clause.rest[0].low == "in") else None
        span = _place(clause, place)
        if span and ws[span[0]].tag == "NNP" and (based or ws[span[0]].ent in ("GPE", "LOC", "PERSON", "ORG", "") and span[1] - span[0] <= 2 and _bare_city(clause, span)):
            yield make(clause, "lives_in", span, types="place", importance=0.7, confidence=0.85 if based else 0.7)
    elif lemma == "grow" and exact(clause, clause.verb + 1, "up") or lemma == "raise" and ws[clause.verb].tag in ("VBN", "VBD") and clause.speaker:
        span = _place(clause, preposition(clause, "in", "near", "on"))
        if span:
            yield make(clause, "lives_in", span, temporal="past", types="place")
    elif lemma in ("rent", "sublet") and not clause.past and clause.speaker:
        span = object_after(clause, clause.verb + 1)
        if span and head(ws, *span).low in words("dwellings"):
            town = _place(clause, preposition(clause, "in", "near"))
            yield make(clause, "lives_in", _town(clause, town) if town else span, types="place", importance=0.7)
    elif lemma == "be" and clause.subject.kind == "possessed" and ws[clause.subject.head].low == "address" and "mail" not in clause.subject.text:
        span = object_after(clause, clause.verb + 1)
        if span and "@" not in clause.text(*span):
            full = _place(clause, clause.verb + 1) or span
            yield make(clause, "lives_in", full, subject="user", types="place", importance=0.7, cue="change" if "new" in clause.subject.text.split() else None, since=True)


def _bare_city(clause: Clause, span: Span) -> bool:
    ws = clause.words
    return (span[1] >= clause.end or ws[span[1]].low in (",", ".", "!", "and", "but", "now")) and not any(
        w.low in ("today", "week", "trip", "visiting", "holiday", "vacation", "conference", "weekend") for w in ws
    )


def _moved(clause: Clause) -> str | None:
    return "change" if any(w.low in ("now", "nowadays", "currently") for w in clause.rest) or clause.has("days") and clause.has("these") else None


@rule(
    ("we moved to Tartu in May", "lives_in: Tartu"), ("Moved to Faro last month", "lives_in: Faro"),
    ("my cousin Lea relocated to Graz", "lives_in: Graz"), ("Jo and I moved in together in Espoo", "lives_in: Espoo"),
)  # fmt: skip
def moving(clause: Clause) -> Iterator[Draft]:
    """A move that has happened is living there from then on."""
    if clause.lemma not in ("move", "relocate", "emigrate", "settle", "resettle") or clause.negated:
        return
    if not (clause.past or clause.perfect or clause.tag in ("VBD", "VBN")) or clause.future or clause.used_to or clause.progressive:
        return
    if clause.lemma == "move" and clause.passive:
        return
    to = preposition(clause, "to", "into") or (preposition(clause, "in") if clause.lemma in ("settle", "resettle") or clause.has("together") else None)
    if exact(clause, clause.verb + 1, "back", "to") or exact(clause, clause.verb + 1, "out", "to"):
        to = clause.verb + 3
    if exact(clause, clause.verb + 1, "in", "together"):
        to = preposition(clause, "in", start=clause.verb + 3)
    span = _place(clause, to)
    if span:
        origin = preposition(clause, "from")
        old = _place(clause, origin)
        if origin and not _known_place(clause, span, old) and clause.lemma == "move":
            return
        yield make(
            clause, "lives_in", _town(clause, span), temporal="current", since=True, cue="change", types="place", importance=0.8,
            replaces=clause.text(*old) if old else None,
        )  # fmt: skip


def _known_place(clause: Clause, span: Span, old: Span | None) -> bool:
    """ "from Jira to Linear" is no move of house: with an origin named, one end must look like a place."""
    ws = clause.words
    ends = [w for s in (span, old) if s for w in ws[s[0] : s[1]]]
    return any(w.ent in ("GPE", "LOC", "FAC") or w.low in words("dwellings") for w in ends)


_EMPLOY = frozenset({"work", "freelance", "intern", "volunteer", "moonlight"})
_NO_EMPLOYER = frozenset({"home", "night", "nights", "hours", "moment", "day", "days", "weekends", "years", "months", "shifts", "morning", "long", "time", "while", "free", "myself", "living", "place", "problem", "mornings", "evenings", "evening", "one", "person", "desk"})  # fmt: skip


def _employer(clause: Clause, i: int | None, *, named: bool = False) -> Span | None:
    if i is None:
        return None
    ws = clause.words
    span = object_after(clause, i, posts=frozenset({"of", "in"}))
    if span and span[1] - span[0] == 1 and ws[span[0]].low in ("school", "office", "work", "university", "college"):
        return None
    if span and ws[span[0]].low in ("the", "my", "our") and span[1] - span[0] == 2 and ws[span[0] + 1].low in ("office", "school", "moment"):
        return None
    if not span or head(ws, *span).low in _NO_EMPLOYER or ws[span[0]].time or ws[span[0]].tag in ("VBG", "PRP", "CD"):
        return None
    if ws[span[1] - 1].low in _NO_EMPLOYER and not any(w.text[:1].isupper() for w in ws[span[0] : span[1]]):
        return None
    called = next((k for k in range(span[0], span[1]) if ws[k].low in ("called", "named")), None)
    if called and called + 1 < span[1]:
        return (called + 1, span[1])
    if named and not any(w.text[:1].isupper() for w in ws[span[0] : span[1]]):
        return None
    named_head = ws[span[0]].text[:1].isupper() or (ws[span[0]].low == "the" and ws[span[0] + 1 : span[0] + 2] and ws[span[0] + 1].text[:1].isupper())
    if named_head:
        # "for Bosch in purchasing": a name ends before the preposition.
        end = phrase(ws, span[0], clause.end)
        return span[0], max(end, span[0] + 1)
    return span


@rule(
    ("I work for Bosal in logistics", "works_at: Bosal"), ("I work at a small bakery", "works_at: a small bakery"),
    ("I've been working for Kesko as a buyer since 2018", "works_at: Kesko"), ("I started at Fortum last month", "works_at: Fortum"),
    ("I left Telia in June", "works_at: Telia"), ("I got a job at the Louvre", "works_at: the Louvre"), ("she works in a hospital", "works_at: a hospital"),
)  # fmt: skip
def employer(clause: Clause) -> Iterator[Draft]:
    """Working at or for somebody, starting there, leaving there."""
    ws = clause.words
    lemma = clause.lemma
    if lemma in _EMPLOY and not clause.passive:
        spot = preposition(clause, "at", "for") or (preposition(clause, "in") if lemma == "work" else None)
        span = _employer(clause, spot)
        if span and spot and ws[spot - 1].low == "in" and not (ws[span[0]].low in ("a", "an") and span[1] - span[0] > 1):
            span = None
        if span:
            denied = clause.negated and "never" in (*clause.adverbs,) and clause.past
            yield make(
                clause, "works_at", span, types="organisation", importance=0.7, cue="correction" if denied else _moved(clause),
                temporal="current" if denied else None,
            )  # fmt: skip
    elif lemma in ("start", "begin", "join") and not clause.negated and not clause.future:
        spot = clause.verb + 1 if lemma == "join" else preposition(clause, "at", "with")
        span = _employer(clause, spot, named=True)
        if span and (lemma != "join" or (ws[span[0]].text[:1].isupper() and not clause.has("club", "team", "band", "choir", "gym", "group", "class"))):
            yield make(clause, "works_at", span, temporal="current", since=True, cue="change", types="organisation", importance=0.7)
    elif lemma in ("get", "land", "accept", "take", "have") and (clause.past or clause.tag == "VBN" or clause.perfect or lemma == "have"):
        span = object_after(clause, clause.verb + 1)
        if span and head(ws, *span).low in ("job", "position", "role", "internship", "post", "gig", "traineeship", "apprenticeship", "placement"):
            place = _employer(clause, preposition(clause, "at", "with", start=span[1] - 1))
            if place:
                yield make(clause, "works_at", place, temporal="current", since=True, cue=None if lemma == "have" else "change", types="organisation", importance=0.7)
    elif lemma == "be" and clause.speaker and clause.rest[:1] and clause.rest[0].low in ("at", "with") and not clause.past and (clause.has("now") or preposition(clause, "as")):
        span = _employer(clause, clause.verb + 2, named=True)
        if span and ws[span[0]].ent not in ("GPE", "LOC", "DATE", "TIME"):
            yield make(clause, "works_at", span, types="organisation", importance=0.7, cue="change" if clause.has("now") else None)
    elif lemma == "lose" and clause.past and clause.speaker and clause.has("job"):
        span = _employer(clause, preposition(clause, "at", "with"), named=True)
        if span:
            yield make(clause, "works_at", span, temporal="ended", until=True, cue="change", types="organisation")
    elif lemma in ("leave", "quit", "resign") and clause.past and clause.speaker:
        spot = preposition(clause, "from", "at") or clause.verb + 1
        span = _employer(clause, spot, named=True)
        if span and ws[span[0]].ent not in ("GPE", "LOC"):
            yield make(clause, "works_at", span, temporal="ended", until=True, cue="change", types="organisation")


@rule(
    ("I work remotely from Braga", "lives_in: Braga"), ("I work from home on Mondays", "work: from home"),
    ("I work night shifts", "work: night shifts"), ("my roommate works nights", "work: nights"),
)  # fmt: skip
def way_of_working(clause: Clause) -> Iterator[Draft]:
    """ "from home", "night shifts", and the town that remote work is done from."""
    ws = clause.words
    if clause.lemma == "be" and clause.speaker and not clause.past and not clause.negated:
        at = next((w for w in clause.rest[:2] if w.low in ("remote", "hybrid", "full-time", "part-time")), None)
        if at and (at.i + 1 >= clause.end or ws[at.i + 1].time or ws[at.i + 1].low in (",", ".", "since", "now", "and", "but")):
            yield make(clause, "work", (clause.verb + 1, at.i + 1))
        return
    if clause.lemma != "work" or clause.past:
        return
    spot = preposition(clause, "from")
    if spot and ws[spot].low in ("home", "anywhere"):
        yield make(clause, "work", (spot - 1, spot + 1))
    elif spot and ws[spot].text[:1].isupper():
        span = _place(clause, spot)
        if span:
            yield make(clause, "lives_in", span, types="place", confidence=0.75)
    span = object_after(clause, clause.verb + 1, loose=False)
    if span and head(ws, *span).low in ("shifts", "shift", "nights", "weekends", "part-time", "part", "full-time", "freelance", "hours", "freelance"):
        yield make(clause, "work", span, timed=False)


def _job_end(clause: Clause, span: Span) -> Span:
    """Cut a job phrase before its commas and places."""
    return bare(clause.words, span)


@rule(
    ("I'm a pastry chef", "has_job: pastry chef"), ("I've been a nurse for ten years", "has_job: nurse"), ("I was a lifeguard in 2009", "has_job: lifeguard"),
    ("I'm not only a teacher, I'm also a referee", "has_job: referee"), ("my brother is a plumber", "has_job: plumber"),
    ("I'm the CFO, not the assistant", "has_job: CFO"), ("I'm a piano tuner by trade", "has_job: piano tuner"),
)  # fmt: skip
def job_by_being(clause: Clause) -> Iterator[Draft]:
    """ "I'm a X", where X is an occupation."""
    if clause.lemma not in ("be", "become") or not clause.rest:
        return
    ws = clause.words
    i = clause.verb + 1
    while i < clause.end and (ws[i].pos in ("ADV", "PART") or ws[i].low in ("not", "only", "also", "actually", "still", "both", "just")):
        i += 1
    first = True
    while i < clause.end:
        if not first and ws[i].low not in ("a", "an", "the", "part-time", "freelance"):
            return
        end = phrase(ws, i, clause.end)
        if end == i:
            return
        noun = head(ws, i, end)
        article = ws[i].low in ("a", "an", "the", "no")
        retired = noun.low in ("retired", "unemployed", "self-employed", "jobless") or (noun.low == "freelance" and not article)
        if (article and is_job(noun.low) and noun.tag in ("NN", "NNP", "JJ", "VBG", "VB", "NNS") and not _figurative(clause, end, noun.low)) or retired:
            only = exact(clause, clause.verb + 1, "not", "only") or exact(clause, clause.verb + 1, "not", "just")
            negative = clause.negated and not only
            yield make(
                clause, "has_job", _with_of(clause, _job_end(clause, (i, end))), polarity="negative" if negative else None, importance=0.7,
                cue="addition" if clause.has("also") else "change" if clause.lemma == "become" else _moved(clause), since=clause.lemma == "become",
                temporal="current" if clause.lemma == "become" else None,
            )  # fmt: skip
        i = end
        if i < clause.end and ws[i].low in ("and", "&", "/"):
            i += 1
            first = False
            continue
        return


def _with_of(clause: Clause, span: Span) -> Span:
    """ "drummer in a wedding band" belongs together; "chef in Cork" does not."""
    ws = clause.words
    end = span[1]
    if end + 2 < clause.end and ws[end].low in ("in", "at") and ws[end + 1].low in ("a", "an") and clause.past:
        stop = phrase(ws, end + 1, clause.end)
        return (span[0], stop) if stop > end + 1 else span
    return span


def _figurative(clause: Clause, end: int, noun: str) -> bool:
    """ "a big fan of", "a huge believer in", "a regular customer": no occupation."""
    ws = clause.words
    if end < clause.end and ws[end].low == "of" and noun not in ("director", "head", "professor", "teacher", "manager", "chief", "founder", "co-founder", "cofounder", "owner", "captain", "mayor"):
        return True
    return any(w.low in ("good", "bad", "great", "terrible", "huge", "big", "fast", "slow", "lousy", "early", "heavy", "light", "terrible", "such", "natural", "born", "decent") for w in ws[clause.verb + 1 : end])


@rule(
    ("I work as an archivist at the museum", "has_job: archivist"), ("I got promoted to team lead on Friday", "has_job: team lead"),
    ("I manage the Oulu depot", "has_job: manage the Oulu depot"), ("I teach history at a school", "has_job: teach history"),
    ("I mend bikes for a living", "has_job: mend bikes"), ("I do freelance bookkeeping", "has_job: freelance bookkeeping"),
)  # fmt: skip
def job_by_doing(clause: Clause) -> Iterator[Draft]:
    """Working as something, promotion, managing, teaching, doing it for a living."""
    ws = clause.words
    lemma = clause.lemma
    spot = preposition(clause, "as")
    if (lemma in _EMPLOY | {"start", "train", "serve"} or lemma == "be" and clause.rest[:1] and clause.rest[0].low == "at") and spot:
        span = object_after(clause, spot)
        if span and head(ws, *span).low not in ("team", "kid", "child", "group", "intended", "expected", "normal", "usual"):
            yield make(clause, "has_job", bare(ws, span), importance=0.7, since=lemma == "start", temporal="current" if lemma == "start" else None, cue="change" if lemma == "start" else _moved(clause))
    elif lemma == "promote" and clause.passive:
        to = preposition(clause, "to")
        end = phrase(ws, to, clause.end, loose=True) if to else 0
        if to and end > to:
            yield make(clause, "has_job", bare(ws, (to, end)), temporal="current", since=True, cue="change", importance=0.8)
    elif exact_in(clause, "for", "a", "living") and clause.speaker:
        stop = next(w.i for w in clause.rest if w.low == "for" and exact(clause, w.i, "for", "a", "living"))
        yield make(clause, "has_job", (clause.verb, stop), importance=0.7)
    elif lemma in ("manage", "run", "lead", "head", "teach", "own") and not clause.passive and not clause.progressive:
        span = object_after(clause, clause.verb + 1, loose=False)
        heads = ("team", "depot", "department", "shop", "store", "office", "branch", "group", "company", "business", "startup", "restaurant", "café", "cafe", "bakery", "clinic", "studio", "agency", "warehouse", "division", "unit")
        if span and ((lemma in ("manage", "run", "lead", "head") and head(ws, *span).low in heads) or (lemma == "teach" and ws[span[0]].tag != "PRP$" and span[1] - span[0] <= 3)):
            stop = phrase(ws, span[0], clause.end)
            yield make(clause, "has_job", (clause.verb, stop), importance=0.6)
            place = _employer(clause, preposition(clause, "at", "for", start=stop - 1))
            if place:
                yield make(clause, "works_at", place, types="organisation", importance=0.6)
    elif lemma == "do" and clause.tag in ("VBP", "VBZ", "VBG") and clause.rest and clause.rest[0].low in ("freelance", "part-time", "contract", "consulting"):
        span = object_after(clause, clause.verb + 1)
        if span:
            yield make(clause, "has_job", span, importance=0.6)


def exact_in(clause: Clause, *lows: str) -> bool:
    """Whether the words stand in this order anywhere after the verb."""
    return any(exact(clause, w.i, *lows) for w in clause.rest)


@rule(
    ("I study law at Ghent University", "studies_at: Ghent University"), ("doing a masters in statistics at Lund since May", "studies_at: Lund"),
    ("I'm in my final year of physics at ETH", "studies_at: ETH"), ("I studied history in Turin", "study: history"),
    ("my son started school last autumn", "studies_at: school"),
)  # fmt: skip
def studies(clause: Clause) -> Iterator[Draft]:
    """A place of study, or the subject where no place is named."""
    ws = clause.words
    lemma = clause.lemma
    study = lemma in ("study", "attend", "major", "enrol", "enroll")
    if lemma in ("do", "finish", "start", "take", "pursue", "have", "get") and not study:
        study = any(w.low.strip("'s") in words("studies") or w.low in words("studies") for w in clause.rest[:4]) and lemma != "have" and lemma != "get"
    if lemma == "be" and clause.rest and any(exact(clause, w.i, *p) for w in clause.rest[:4] for p in (("year", "of"), ("year", "at"), ("semester", "of"))):
        study = True
    if lemma in ("start", "go") and any(w.low in ("school", "university", "college", "uni", "kindergarten", "daycare") for w in clause.rest[:3]):
        end = next(w.i for w in clause.rest if w.low in ("school", "university", "college", "uni", "kindergarten", "daycare")) + 1
        if lemma == "start" and not clause.future:
            yield make(clause, "studies_at", (end - 1, end), temporal="current", since=True, types="organisation")
        return
    about_study = any(w.low in ("study", "studying", "studies", "university", "degree") or exact(clause, w.i, "year", "of") for w in ws)
    if lemma == "be" and clause.rest[:1] and clause.rest[0].low == "at" and about_study:
        study = True
    if not study:
        return
    spot = preposition(clause, "at") or (clause.verb + 1 if lemma == "attend" else None)
    span = _employer(clause, spot, named=True)
    ended = clause.past
    if not span and lemma in ("study", "do"):
        span = _school(clause)
    if span:
        yield make(clause, "studies_at", span, types="organisation", importance=0.6, temporal="past" if ended else None)
    elif lemma in ("study", "major"):
        inside = preposition(clause, "in") if lemma == "major" else clause.verb + 1
        topic = object_after(clause, inside or clause.verb + 1, loose=False)
        if topic and (head(ws, *topic).low in words("subjects") or head(ws, *topic).low.endswith(("ics", "logy", "graphy", "nomy", "istry")) or head(ws, *topic).low in words("languages")):
            yield make(clause, "study", topic, temporal="past" if ended else None, types="thing")


def _school(clause: Clause) -> Span | None:
    """A named school later in the clause: "studying law, third year, University of Tartu"."""
    ws = clause.words
    for w in clause.rest:
        if w.text in ("University", "College", "Institute", "Academy", "Polytechnic", "Uni"):
            start = w.i
            while start - 1 > clause.verb and ws[start - 1].text[:1].isupper():
                start -= 1
            return start, max(phrase(ws, start, clause.end), w.i + 1)
    return None


_PROJECT = frozenset({"project", "team", "migration", "account", "case", "programme", "program", "squad", "rollout", "relaunch", "redesign"})


@rule(
    ("I'm on the payroll migration project these days", "works_on: payroll migration project"),
    ("I'm working on the search relaunch", "works_on: search relaunch"), ("they moved me off the billing project", "works_on: billing project"),
    anyone=False,
)  # fmt: skip
def project(clause: Clause) -> Iterator[Draft]:
    """The project somebody is on, was moved to, or was taken off."""
    ws = clause.words
    if clause.lemma == "move" and clause.rest and clause.rest[0].low in ("me", "us"):
        for word, ended in (("off", True), ("from", True), ("to", False), ("onto", False)):
            spot = next((w.i + 1 for w in clause.rest if w.low == word), None)
            span = object_after(clause, spot) if spot else None
            if span and head(ws, *span).low in _PROJECT:
                yield make(clause, "works_on", bare(ws, span), subject="user", temporal="ended" if ended else "current", until=ended, since=not ended, cue="change")
        return
    on = preposition(clause, "on")
    if not clause.speaker or not on or clause.past or clause.negated and not clause.has("longer", "anymore", "more"):
        return
    span = object_after(clause, on)
    if not span or not (clause.lemma == "be" and ws[clause.verb + 1].low == "on" or clause.lemma == "work"):
        return
    if head(ws, *span).low in _PROJECT and not re.match(r"(?i)(my|this|that|a|an)\b", clause.text(*span)):
        yield make(clause, "works_on", bare(ws, span), cue="change" if clause.has("now", "today") else None, since=clause.has("today"), importance=0.6)
