"""Rules about work: the employer, the way of working, the job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import BEGUN, Draft, bare, exact, make, now_cue, object_after, preposition, rule
from graphmem.extractors.english import Word
from graphmem.extractors.homes import place_at
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import TIME_NOUNS, Span, has_name, head, phrase
from graphmem.records import Temporal

_EMPLOY = frozenset({"work", "freelance", "intern", "volunteer", "moonlight"})
_NO_EMPLOYER = words("no_employer")
AT_WORK = words("work_words")
_ONES = frozenset({"the", "my", "our"})


def employer_at(clause: Clause, i: int | None, *, named: bool = False) -> Span | None:
    """The employer, school or other organisation at a place in the clause; `named` asks for a proper name."""
    if i is None:
        return None
    ws = clause.words
    span = object_after(clause, i, posts=frozenset({"of", "in"}))
    if span and span[1] - span[0] == 1 and ws[span[0]].low in ("school", "office", "work", "university", "college"):
        return None
    if span and span[1] - span[0] == 2 and ws[span[0]].low in _ONES and ws[span[0] + 1].low in ("office", "school", "moment"):
        return None
    if not span or head(ws, *span).low in _NO_EMPLOYER or ws[span[0]].time or ws[span[0]].tag in ("VBG", "PRP", "CD"):
        return None
    if ws[span[1] - 1].low in _NO_EMPLOYER and not any(w.text[:1].isupper() for w in ws[span[0] : span[1]]):
        return None
    called = next((k for k in range(span[0], span[1]) if ws[k].low in ("called", "named")), None)
    if called and called + 1 < span[1]:
        return (called + 1, span[1])
    if named and not has_name(ws, *span):
        return None
    named_head = ws[span[0]].text[:1].isupper() or (
        ws[span[0]].low == "the" and ws[span[0] + 1 : span[0] + 2] and ws[span[0] + 1].text[:1].isupper()
    )
    if named_head:
        # "for Bosch in purchasing": a name ends before the preposition.
        end = phrase(ws, span[0], clause.end)
        return span[0], max(end, span[0] + 1)
    return span


def _workplace(ws: list[Word], span: Span) -> bool:
    return any(w.low in words("workplaces") or w.low in words("sectors") for w in ws[span[0] : span[1]])


EMPLOYER: dict[str, Any] = {"types": "organisation", "importance": 0.7}


@rule(
    ("I work for Bosal in logistics", "works_at: Bosal"),
    ("I work at a small bakery", "works_at: a small bakery"),
    ("I've been working for Kesko as a buyer since 2018", "works_at: Kesko"),
    ("my wife works in a hospital", "works_at: a hospital"),
    ("I never worked at Nokia", "works_at: Nokia"),
)
def employer(clause: Clause) -> Iterator[Draft]:
    """Working at or for somebody; "never worked at X" denies an earlier word."""
    ws = clause.words
    if clause.lemma not in _EMPLOY or clause.passive:
        return
    spot = preposition(clause, "at", "for") or (preposition(clause, "in") if clause.lemma == "work" else None)
    if not spot and clause.lemma != "work":
        spot = preposition(clause, "with")
    span = employer_at(clause, spot)
    if not span or not spot:
        return
    first = clause.rest[0].low if clause.lemma == "work" else ""
    if span[1] - span[0] == 2 and ws[span[0]].low in ("a", "an", "the") and head(ws, *span).low in words("corners_of_home"):
        # "I work in the garden": where one is busy, no employer.
        return
    if first in ("out", "through", "towards", "toward") or head(ws, *span).low in words("kin") | words("roles"):
        # "I work out at the gym", "I work on a quilt for my son"
        return
    if ws[spot - 1].low == "for" and span[1] - span[0] == 1 and not ws[span[0]].text[:1].isupper() and not _workplace(ws, span):
        # "for peanuts", "for exposure": a bare noun employs nobody.
        return
    if ws[spot - 1].low == "in" and not (ws[span[0]].low in ("a", "an") and span[1] - span[0] > 1):
        return
    if clause.negated and "never" in clause.adverbs and clause.past:
        yield make(clause, "works_at", span, cue="correction", temporal="current", **EMPLOYER)
    else:
        yield make(clause, "works_at", span, cue=now_cue(clause), **EMPLOYER)


@rule(("I started at Fortum last month", "works_at: Fortum"), ("we start at Olympia tomorrow", "works_at: Olympia"))
def new_employer(clause: Clause) -> Iterator[Draft]:
    """Starting at, joining."""
    if clause.lemma not in ("start", "begin", "join") or clause.negated or clause.future:
        return
    joins = clause.lemma == "join"
    span = employer_at(clause, clause.verb + 1 if joins else preposition(clause, "at", "with"), named=True)
    young = clause.subject.head >= 0 and clause.words[clause.subject.head].low in words("children") | {
        "youngest",
        "eldest",
        "oldest",
    }
    if not span or young:
        # "my daughter started at Durham": at school or at work, who knows.
        return
    ws = clause.words
    sport = any(w.low in words("no_first_day") for w in ws[span[0] : span[1]])
    if sport and not preposition(clause, "as") and not any(w.low in AT_WORK for w in ws):
        # "I start at the gym": to train there, unless work is spoken of.
        return
    if not joins and _begun_there(clause, span):
        return
    club = clause.has("club", "team", "band", "choir", "gym", "group", "class")
    if not joins or (clause.words[span[0]].text[:1].isupper() and not club):
        yield make(clause, "works_at", span, **BEGUN, **EMPLOYER)


def _begun_there(clause: Clause, place: Span) -> bool:
    """Whether something else than a post is begun: "I started climbing at the Depot"."""
    told = clause.words[clause.verb + 1 : place[0]]
    if preposition(clause, "as") or any(w.low in words("position_nouns") or w.low in AT_WORK for w in told):
        return False
    return any(
        w.tag in ("VBG", "NN", "NNS") and w.ent not in ("DATE", "TIME") and w.low not in TIME_NOUNS | {"working", "training"}
        for w in told
    )


@rule(
    ("I got a job at the Louvre", "works_at: the Louvre"),
    ("my husband got a post at the university", "works_at: the university"),
)
def position(clause: Clause) -> Iterator[Draft]:
    """Getting or having a job somewhere."""
    has = clause.lemma == "have"
    if clause.lemma not in ("get", "land", "accept", "take", "have") or not (
        has or clause.past or clause.perfect or clause.tag == "VBN"
    ):
        return
    span = object_after(clause, clause.verb + 1)
    if not span or head(clause.words, *span).low not in words("position_nouns"):
        return
    place = employer_at(clause, preposition(clause, "at", "with", start=span[1] - 1))
    if place:
        yield make(clause, "works_at", place, **{**BEGUN, "cue": None if has else "change"}, **EMPLOYER)


@rule(("I'm at Klarna now as a developer", "works_at: Klarna"), anyone=False)
def current_post(clause: Clause) -> Iterator[Draft]:
    """As in "I'm at X now", "I'm with X as a Y"."""
    if clause.lemma != "be" or not clause.speaker or clause.past or not clause.rest or clause.rest[0].low not in ("at", "with"):
        return
    span = employer_at(clause, clause.verb + 2, named=True)
    town = bool(span) and clause.words[span[0] if span else 0].ent in ("GPE", "LOC", "DATE", "TIME")
    if span and (preposition(clause, "as") or (clause.has("now") and not town)):
        yield make(clause, "works_at", span, cue=now_cue(clause), **EMPLOYER)


@rule(
    ("I work remotely from Braga", "lives_in: Braga"),
    ("they let me, I work from home", "work: from home"),
    ("I work night shifts", "work: night shifts"),
    ("my roommate works nights", "work: nights"),
)
def way_of_working(clause: Clause) -> Iterator[Draft]:
    """As in "from home", "night shifts", and the town that remote work is done from."""
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
        span = place_at(clause, spot)
        if span:
            yield make(clause, "lives_in", span, types="place", confidence=0.75)
    i = clause.verb + 1
    if i < clause.end and ws[i].low in words("working_times") and ws[i].low != "part":
        # "works nights" reads as a time expression otherwise.
        yield make(clause, "work", (i, i + 1), timed=False)
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    if span and head(ws, *span).low in words("working_times"):
        yield make(clause, "work", span, timed=False)


def _job_end(clause: Clause, span: Span) -> Span:
    """Cut a job phrase before its commas and places."""
    return bare(clause.words, span)


@rule(
    ("I'm a pastry chef", "has_job: pastry chef"),
    ("I've been an optician since 2014", "has_job: optician"),
    ("I was a postman until 1998", "has_job: postman"),
    ("I'm not only a baker, I'm also a judge", "has_job: judge"),
    ("my brother is a plumber", "has_job: plumber"),
    ("I'm the curator, not a guard", "has_job: curator"),
    ("I'm a clock maker by training", "has_job: clock maker"),
)
def job_by_being(clause: Clause) -> Iterator[Draft]:
    """As in "I'm a X", where X is an occupation."""
    ws = clause.words
    if clause.lemma not in ("be", "become") or not clause.rest or ws[clause.verb].low == "being":
        return
    i = clause.verb + 1
    while i < clause.end and (
        ws[i].pos in ("ADV", "PART") or ws[i].low in ("not", "only", "also", "actually", "still", "both", "just")
    ):
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
        if (
            article
            and is_job(noun.low)
            and noun.low not in words("kin")
            and noun.tag in ("NN", "NNP", "JJ", "VBG", "VB", "NNS")
            and not _figurative(clause, end, noun.low)
        ) or retired:
            only = exact(clause, clause.verb + 1, "not", "only") or exact(clause, clause.verb + 1, "not", "just")
            negative = clause.negated and not only
            yield make(
                clause,
                "has_job",
                _with_of(clause, _job_end(clause, (i, end))),
                polarity="negative" if negative else None,
                importance=0.7,
                cue="addition" if clause.has("also") else "change" if clause.lemma == "become" else now_cue(clause),
                since=clause.lemma == "become",
                temporal="current" if clause.lemma == "become" else None,
            )
            yield from _employed_as(clause, end, temporal="current" if clause.lemma == "become" else None)
            of = next((w.i for w in ws[i:end] if w.low == "of"), None)
            if of is not None and noun.i == of - 1:
                yield from _employed_as(clause, of, temporal="current" if clause.lemma == "become" else None)
        i = end
        if i < clause.end and ws[i].low in ("and", "&", "/"):
            i += 1
            first = False
            continue
        return


def _employed_as(clause: Clause, at: int, *, temporal: Temporal | None) -> Iterator[Draft]:
    """As in "a nurse at St Olav's": the employer right after the job."""
    of = at < clause.end and clause.words[at].low == "of" and clause.words[at - 1].low in words("jobs_of")
    if at < clause.end and (of or clause.words[at].low in ("at", "with", "for")) and not clause.negated:
        place = workplace_at(clause, at + 1)
        if place:
            learns = clause.words[at - 1].low in words("learners")
            relation = "studies_at" if learns else "works_at"
            yield make(clause, relation, place, temporal=temporal, **EMPLOYER)


def workplace_at(clause: Clause, i: int | None) -> Span | None:
    """An employer by its name, or a kind of workplace ("a law firm", "the local paper")."""
    span = employer_at(clause, i)
    if not span:
        return None
    ws = clause.words
    named = any(w.text[:1].isupper() and not w.time for w in ws[span[0] : span[1]]) and ws[span[0]].ent not in ("DATE", "TIME")
    return span if named or head(ws, *span).low in words("workplaces") else None


def _with_of(clause: Clause, span: Span) -> Span:
    """As in "singer in a jazz trio" belongs together; "chef in Cork" does not."""
    ws = clause.words
    end = span[1]
    if end + 2 < clause.end and ws[end].low in ("in", "at") and ws[end + 1].low in ("a", "an") and clause.past:
        stop = phrase(ws, end + 1, clause.end)
        return (span[0], stop) if stop > end + 1 else span
    return span


def _figurative(clause: Clause, end: int, noun: str) -> bool:
    """As in "a big fan of", "a huge believer in", "a regular customer": no occupation."""
    ws = clause.words
    if end < clause.end and ws[end].low == "of" and noun not in words("jobs_of"):
        return True
    last = ws[end - 1]
    if last.text[:1].isupper() and last.low not in words("jobs") and last.low.endswith(_FROM_TOWN):
        # "a Londoner", "a Glaswegian"
        return True
    return any(w.low in words("judging_adjectives") for w in ws[clause.verb + 1 : end])


_FROM_TOWN = ("oner", "rker", "iner", "liner", "shman", "chman", "shwoman", "ian")


@rule(
    ("I work as a gardener at the castle", "has_job: gardener"),
    ("I got promoted to team lead on Friday", "has_job: team lead"),
    ("I manage the Oulu depot", "has_job: manage the Oulu depot"),
    ("I teach history at a school", "has_job: teach history"),
    ("I mend bikes for a living", "has_job: mend bikes"),
    ("I do freelance bookkeeping", "has_job: freelance bookkeeping"),
)
def job_by_doing(clause: Clause) -> Iterator[Draft]:
    """Working as something, promotion, managing, teaching, doing it for a living."""
    ws = clause.words
    lemma = clause.lemma
    if (
        lemma == "be"
        and clause.subject.kind == "possessed"
        and ws[clause.subject.head].low in ("title", "job", "profession", "occupation", "role")
        and not clause.negated
    ):
        span = object_after(clause, clause.verb + 1)
        if span and is_job(head(ws, *span).low):
            yield make(clause, "has_job", bare(ws, span), subject="user", importance=0.7)
        return
    spot = preposition(clause, "as")
    if (
        lemma in _EMPLOY | {"start", "train", "serve"} or (lemma == "be" and clause.rest[:1] and clause.rest[0].low == "at")
    ) and spot:
        span = object_after(clause, spot)
        if span and head(ws, *span).low not in words("no_role"):
            yield make(
                clause,
                "has_job",
                bare(ws, span),
                importance=0.7,
                since=lemma == "start",
                temporal="current" if lemma == "start" else None,
                cue="change" if lemma == "start" else now_cue(clause),
            )
    elif lemma == "promote" and clause.passive:
        to = preposition(clause, "to")
        end = phrase(ws, to, clause.end, loose=True) if to else 0
        if to and end == to + 1 and end < clause.end and is_job(ws[end].low) and not ws[end].time:
            # "promoted to head chef": the tagger takes "head" or "chef" for a verb.
            end += 1
        if to and end > to and head(ws, to, end).low not in words("ranks_of_customers"):
            yield make(clause, "has_job", bare(ws, (to, end)), temporal="current", since=True, cue="change", importance=0.8)
    elif exact_in(clause, "for", "a", "living") and clause.speaker:
        stop = next(w.i for w in clause.rest if w.low == "for" and exact(clause, w.i, "for", "a", "living"))
        yield make(clause, "has_job", (clause.verb, stop), importance=0.7)
    elif lemma in ("manage", "run", "lead", "head", "teach", "own") and not clause.passive and not clause.progressive:
        span = object_after(clause, clause.verb + 1, loose=False)
        heads = words("led_things")
        if span and (
            (lemma in ("manage", "run", "lead", "head") and head(ws, *span).low in heads)
            or (lemma == "teach" and ws[span[0]].tag != "PRP$" and span[1] - span[0] <= 3 and not _to_do(clause, span[1]))
        ):
            stop = phrase(ws, span[0], clause.end)
            yield make(clause, "has_job", (clause.verb, stop), importance=0.6)
            place = employer_at(clause, preposition(clause, "at", "for", start=stop - 1))
            if place:
                yield make(clause, "works_at", place, types="organisation", importance=0.6)
    elif (
        lemma == "do"
        and clause.tag in ("VBP", "VBZ", "VBG")
        and clause.rest
        and clause.rest[0].low in ("freelance", "part-time", "contract", "consulting")
    ):
        span = object_after(clause, clause.verb + 1)
        if span:
            yield make(clause, "has_job", span, importance=0.6)


def _to_do(clause: Clause, at: int) -> bool:
    """As in "teach a man to fish": a lesson, no post."""
    return at + 1 < clause.end and clause.words[at].low == "to" and clause.words[at + 1].tag == "VB"


def exact_in(clause: Clause, *lows: str) -> bool:
    """Whether the words stand in this order anywhere after the verb."""
    return any(exact(clause, w.i, *lows) for w in clause.rest)
