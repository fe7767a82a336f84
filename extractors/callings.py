"""Rules about work and school in everyday words: in the army, my job at the brewery, between jobs, a senior in high school.

Invariant: where somebody is counts as work or school only by a listed kind of service or school, never by a bare place.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import ENDED, Draft, bare, make, object_after, preposition, rule
from graphmem.extractors.jobs import EMPLOYER, employer_at, workplace_at
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import Span, has_name, head, items
from graphmem.extractors.wordings import IS, MY, after, line, wording

_CLOSING = frozenset(
    {",", ".", "!", "and", "but", "so", "now", "because", "for", "at", "in", "with", "right", "as", "on", "of", "too"}
)
_SERVES = wording(
    r"(?:am|'m|are|'re|was|served|serve|serving|been|enlisted|time|career) (?:still |currently |back |off )?(?:in|with)"
)


@rule(
    ("I'm in the navy", "works_at: the navy"),
    ("I served in the coast guard for ten years", "works_at: the coast guard"),
    anyone=False,
    fragments=False,
)
def service(clause: Clause) -> Iterator[Draft]:
    """Being or serving in the army, the police, the fire service."""
    if clause.negated or clause.future or not clause.speaker or clause.lemma not in ("be", "serve", "enlist", "stay"):
        return
    span = object_after(clause, after(clause, _SERVES) or clause.end)
    if span and head(clause.words, *span).low in words("services"):
        yield make(clause, "works_at", span, **EMPLOYER)


@rule(
    ("I've been at the same law firm since 2010", "works_at: the same law firm"),
    ("been with the council for ten years", "works_at: the council"),
)
def years_at(clause: Clause) -> Iterator[Draft]:
    """As in "been at the same firm since 2010"."""
    if clause.lemma != "be" or not (clause.perfect or clause.words[clause.verb].low == "been") or clause.negated:
        return
    lasting = any(w.low in ("since", "for") for w in clause.rest)
    spot = clause.verb + 2 if clause.rest[:1] and clause.rest[0].low in ("at", "with") else None
    span = workplace_at(clause, spot)
    if lasting and span and head(clause.words, *span).low in words("workplaces"):
        yield make(clause, "works_at", span, temporal="current", **EMPLOYER)


_MY_JOB = wording(rf"{MY} (?:\w+ )?(?:job|shift|shifts|career|position|work|internship) (?:at|with|for)")
_CAREER = wording(r"(?:have|'ve|got) (?:a|my) (?:\w+ )?(?:career|job) (?:at|with|in)")


@rule(
    ("my job at the brewery keeps me busy", "works_at: the brewery"),
    ("I have a career at a bank", "works_at: a bank"),
    anyone=False,
)
def workplace_in_passing(clause: Clause) -> Iterator[Draft]:
    """As in "my job at the X", "a career at a X": where one works, said in passing."""
    ws = clause.words
    if (
        clause.negated
        or clause.future
        or clause.past
        or clause.used_to
        or clause.lemma in words("parting_verbs") | {"lose", "quit"}
    ):
        return
    for pattern in (_MY_JOB, _CAREER):
        spot = after(clause, pattern)
        span = workplace_at(clause, spot)
        if span and not ws[span[0]].time:
            yield make(clause, "works_at", span, subject="user", temporal="current", polarity="positive", **EMPLOYER)
            return


_FIRM_CALLED = wording(
    rf"{MY} (?:\w+ )?(?:company|firm|startup|business|employer|agency|studio|shop) (?:is|'s) called", opens=True
)


@rule(("my company is called Brightfold", "works_at: Brightfold"), anyone=False, fragments=False)
def firm_by_name(clause: Clause) -> Iterator[Draft]:
    """As in "my company is called X"."""
    if clause.negated or clause.past or clause.future:
        return
    span = employer_at(clause, after(clause, _FIRM_CALLED), named=True)
    if span:
        yield make(clause, "works_at", span, subject="user", **EMPLOYER)


_JOB_IS = wording(
    rf"{MY} (?:current |main |actual |real )?(?:day job|occupation|profession|line of work|trade|job|career|work) {IS}"
    r"(?: currently| mostly| mainly| actually)?",
    opens=True,
)
_SELF = wording(r"self employed")
_OUT = wording(r"(?:in between jobs|between jobs|out of work|out of a job|on the dole|job hunting|looking for work)")
_HOME_MAKER = wording(
    r"(?:stay at home|stay-at-home|full-time|full time|work from home) (?:mom|mum|mother|dad|father|parent|wife)"
)


@rule(
    ("my day job is bookkeeping", "has_job: bookkeeping"),
    ("I'm between jobs", "trait: between jobs"),
    ("I work for myself", "has_job: work for myself"),
    ("I'm a stay at home dad of two", "has_job: stay at home dad"),
    anyone=False,
    fragments=False,
)
def occupation(clause: Clause) -> Iterator[Draft]:
    """As in "my day job is X", "I'm between jobs", "I'm a stay at home dad"."""
    ws = clause.words
    if clause.negated or clause.future or clause.past:
        return
    spot = after(clause, _JOB_IS) if clause.subject.kind == "possessed" else None
    if spot is not None:
        span = object_after(clause, spot, loose=False)
        if span is None or (ws[spot].tag == "VBG" and span[1] == spot + 1):
            span = (spot, spot + 1) if ws[spot].tag in ("VBG", "NN") else None
        named = span and (
            is_job(head(ws, *span).low) or (head(ws, *span).low in words("lines_of_work") and ws[span[0]].low != "the")
        )
        if span and named:
            yield make(clause, "has_job", bare(ws, span), subject="user", importance=0.7)
        return
    if clause.subject.kind != "user" or clause.lemma not in ("be", "look", "hunt", "work"):
        return
    if clause.lemma == "work":
        if clause.rest[:2] and [w.low for w in clause.rest[:2]] == ["for", "myself"] and clause.tag == "VBP":
            yield make(clause, "has_job", (clause.verb, clause.verb + 3), importance=0.7)
        return
    for pattern in (_OUT, _SELF, _HOME_MAKER):
        found = pattern.search(line(clause))
        if found:
            start = clause.start + line(clause).count(" ", 0, found.start())
            end = start + found.group().strip().count(" ") + 1
            if clause.verb < start <= clause.verb + 4:
                # To be out of work is how things stand, no job.
                idle = pattern is _OUT
                yield make(clause, "trait" if idle else "has_job", (start, end), importance=0.7)
            return


@rule(
    ("I left teaching two years ago", "has_job: teaching"),
    ("I left nursing in 2019", "has_job: nursing"),
    anyone=False,
)
def left_trade(clause: Clause) -> Iterator[Draft]:
    """As in "I left teaching": a line of work that is over."""
    if clause.lemma != "leave" or not clause.past or clause.negated or not clause.speaker:
        return
    i = clause.verb + 1
    ws = clause.words
    closed = (
        i + 1 >= clause.end
        or ws[i + 1].time
        or ws[i + 1].low in (",", ".", "in", "for", "to", "and", "because", "after", "last")
    )
    if i < clause.end and ws[i].low in words("lines_of_work") and closed:
        yield make(clause, "has_job", (i, i + 1), **ENDED)


@rule(
    ("I nurse on a cancer ward", "has_job: nurse"),
    ("I bartend at a hotel", "has_job: bartend"),
    ("in the evenings I DJ", "has_job: DJ"),
    anyone=False,
    fragments=False,
)
def working_verb(clause: Clause) -> Iterator[Draft]:
    """A verb that is a job by itself: nursing, bartending, waiting tables, babysitting."""
    ws = clause.words
    verb = ws[clause.verb]
    if verb.low not in words("job_verbs") or clause.subject.kind != "user" or clause.negated or clause.past or clause.future:
        return
    following = ws[clause.verb + 1] if clause.verb + 1 < clause.end else None
    if clause.aux or (following is not None and following.tag not in ("IN", "RB", ",", ".", "CC") and not following.time):
        return
    if not (following is not None and following.low == "as"):
        yield make(clause, "has_job", (clause.verb, clause.verb + 1), importance=0.6)
    place = workplace_at(clause, preposition(clause, "at", "for"))
    if place:
        yield make(clause, "works_at", place, **EMPLOYER)


_WORK_IN = wording(r"(?:work|works|working) in(?: the)?")


@rule(
    ("I work in real estate", "has_job: real estate"),
    ("I work in the oil industry", "has_job: oil industry"),
    anyone=False,
)
def field_of_work(clause: Clause) -> Iterator[Draft]:
    """As in "I work in customer service", "in the oil industry": a field of two words."""
    if clause.negated or clause.future or clause.lemma != "work":
        return
    ws = clause.words
    span = object_after(clause, after(clause, _WORK_IN) or clause.end, loose=False)
    if span and span[1] - span[0] >= 2 and ws[span[0]].tag != "DT" and ws[span[1] - 1].low in words("field_ends"):
        yield make(clause, "has_job", span, importance=0.6)


_AT_SCHOOL = wording(
    r"(?:am|'m|are|'re|is|'s|still|currently|back|freshman|sophomore|junior|senior|student|year) in"
    r"(?= (?:\w+ )?(?:school|college|university|uni|grade|kindergarten)(?!\S))"
)
_STUDENT_AT = wording(
    r"(?:freshman|sophomore|junior|senior|student|fresher|undergrad|undergraduate|major|studying|college|school) at"
)
_NOT_SCHOOL = wording(r"(?:taught|teach|teaching|teacher|work|working|worked|job|staff) (?:\w+ )*(?:in|at)")


@rule(
    ("I'm still in high school", "studies_at: high school"),
    ("I'm a senior in high school", "studies_at: high school"),
    ("I'm in college at Bowdoin", "studies_at: Bowdoin"),
    ("I attend high school", "studies_at: high school"),
)
def schoolchild(clause: Clause) -> Iterator[Draft]:
    """Being in high school or college, being a student at some place."""
    ws = clause.words
    if (
        clause.negated
        or clause.future
        or clause.subject.kind in ("you", "other", "pronoun")
        or _NOT_SCHOOL.search(line(clause))
    ):
        return
    if clause.lemma not in ("be", "attend", "study"):
        return
    past = "past" if clause.past else None
    place = employer_at(clause, after(clause, _STUDENT_AT), named=True) if clause.lemma != "attend" else None
    if place and not ws[place[0]].time:
        yield make(clause, "studies_at", place, types="organisation", importance=0.6, temporal=past)
        return
    spot = after(clause, _AT_SCHOOL) if clause.lemma == "be" else clause.verb + 1 if clause.lemma == "attend" else None
    span = object_after(clause, spot, loose=False) if spot is not None else None
    passing = span is not None and span[1] - span[0] == 1 and clause.has("today", "tonight", "until", "now", "tomorrow")
    if span and not passing and head(ws, *span).low in words("school_kinds") and ws[span[0]].low not in ("the", "your", "this"):
        yield make(clause, "studies_at", bare(ws, span), types="organisation", importance=0.6, temporal=past)


_DEGREE = wording(r"(?:degree|master 's|masters|bachelor 's|bachelors|doctorate|phd|thesis|major) (?:is|was|'s) in")


@rule(
    ("I'm doing my masters in Delft", "studies_at: masters in Delft"),
    ("I'm finishing a doctorate in Lyon", "studies_at: doctorate in Lyon"),
    ("my degree is in geology", "study: geology"),
    anyone=False,
    fragments=False,
)
def degree(clause: Clause) -> Iterator[Draft]:
    """As in "doing my masters in X", "my degree is in X"."""
    ws = clause.words
    if clause.negated or clause.future:
        return
    if clause.lemma == "be" and clause.subject.kind == "possessed":
        topic = object_after(clause, after(clause, _DEGREE) or clause.end)
        if topic:
            yield make(clause, "study", topic, subject="user", temporal="current", timed=False)
    elif clause.lemma in ("do", "finish", "pursue", "complete") and clause.progressive and clause.aux and clause.speaker:
        span = object_after(clause, clause.verb + 1, posts=frozenset({"of", "in"}), loose=False)
        if span and not preposition(clause, "at", "with") and head(ws, *span).low in words("degrees_done"):
            yield make(clause, "studies_at", bare(ws, span), importance=0.6)


_GRADUATED = wording(r"(?:graduated|dropped out|flunked out)(?: from| of)?")
_WENT = wording(r"(?:go|goes|went) to(?= (?:\w+ ){0,3}(?:school|college|university|uni)(?!\S))")


@rule(
    ("I graduated high school in 2010", "studies_at: high school"),
    ("I went to a tiny village school", "studies_at: a tiny village school"),
    ("i go to school in leeds", "studies_at: school in leeds"),
)
def schooled(clause: Clause) -> Iterator[Draft]:
    """Having graduated from a kind of school, going to a school that is told by its kind or town."""
    ws = clause.words
    if clause.negated or clause.future or clause.subject.kind in ("you", "other", "pronoun"):
        return
    spot: int | None = None
    if clause.lemma in ("graduate", "drop", "flunk") and (clause.past or clause.perfect):
        spot = after(clause, _GRADUATED)
    elif clause.lemma == "go" and not clause.progressive:
        spot = after(clause, _WENT)
    span = object_after(clause, spot, posts=frozenset({"of", "in", "at"}), loose=False) if spot is not None else None
    if not span or has_name(ws, span[0], span[0] + 1) or ws[span[0]].low in ("the", "my", "our", "his", "her", "this"):
        return
    dated = next((w.i for w in ws[span[0] + 1 : span[1]] if w.low in ("the", "my")), None)
    if dated is not None and dated > span[0] + 1:
        # "college in the nineties"
        span = (span[0], dated - 1)
    told = span[1] - span[0] > 1 or clause.lemma != "go"
    if (
        told
        and any(w.low in words("school_kinds") for w in ws[span[0] : span[1]])
        and not any(w.time for w in ws[span[0] : span[1]])
    ):
        past = "past" if clause.past or clause.perfect else None
        yield make(clause, "studies_at", span, types="organisation", importance=0.6, temporal=past, timed=False)


@rule(
    ("I take pottery classes", "take: pottery classes"),
    ("I take a life drawing class", "take: life drawing class"),
    anyone=False,
    fragments=False,
)
def lessons(clause: Clause) -> Iterator[Draft]:
    """Taking lessons or classes in something."""
    ws = clause.words
    if clause.lemma != "take" or clause.negated or clause.past or clause.future or clause.subject.kind != "user":
        return
    if clause.aux:
        return
    for span in items(ws, clause.verb + 1, clause.end):
        noun = head(ws, *span)
        if (
            noun.low in ("class", "classes", "lessons", "course", "courses")
            and noun.i > span[0]
            and ws[noun.i - 1].tag not in ("DT", "CD")
        ):
            core: Span = bare(ws, span)
            yield make(clause, "take", core, temporal="current")
