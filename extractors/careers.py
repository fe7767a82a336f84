"""Rules about work in other words: on the payroll, welding at a yard, a trade, a living.

Invariant: an employer is a name or a kind of workplace; "at night" and "for fun" employ nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import BEGUN, Draft, bare, make, object_after, preposition, rule
from graphmem.extractors.jobs import EMPLOYER, employer_at, workplace_at
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import Span, head
from graphmem.extractors.plans import verb_phrase
from graphmem.extractors.wordings import IS, MY, after, wording

_EMPLOYED = wording(
    r"on the (?:payroll|staff|books|faculty)(?: here| there)? (?:at|of|with|for)",
    r"employed (?:at|by|with)",
    r"(?:clock|clocks|punch) in at",
    r"(?:report|reports) to (?:the|a|my) (?:\w+ ){1,3}(?:at|of)",
    r"interning (?:at|with|for)",
    r"(?:pick|picks|picking|cover|covers|covering) (?:up )?(?:\w+ )?(?:shift|shifts) (?:at|for)",
    r"(?:keep|keeps|do|does|doing|keeping) the (?:books|accounts|payroll) (?:at|for|of)",
    r"(?:draw|draws|get|gets) (?:my|a|his|her) (?:salary|wage|wages|paycheck|pay) from",
    r"(?:do|does|doing|pull|pulls|pulling|work|works|working) (?:\w+ ){0,3}(?:shift|shifts|nights|days|hours|"
    r"rounds) (?:at|for)",
    r"(?:work|works|working|man|mans|staff|tend|tends|run|runs) (?:the|a) (?:\w+ )?(?:bar|desk|counter|floor|kitchen|"
    r"till|tills|"
    r"door|line|reception|register|phones) (?:at|for|of)",
)
_EMPLOYER_IS = wording(
    rf"{MY} (?:current |day |main |new |present )?(?:employer|company|firm|workplace|job|work|gig) {IS}(?: with| at|"
    rf" for| now)*",
    opens=True,
)
_TAKEN_ON = wording(
    r"(?:hired|taken on|poached|headhunted|recruited|snapped up) by",
    r"(?:got|found|landed|snagged|scored|took|accepted) (?:a|an|my|the) (?:\w+ ){0,3}(?:job|gig|position|role|post|"
    r"spot) (?:at|with|for)",
)
_LIVING = wording(
    r"(?:make|makes|earn|earns|making|earning) (?:my|a|his|her|our|their) (?:living|keep|crust|bread|money) (?:as|by|from)",
    r"(?:pay|pays) (?:the|my) (?:bills|rent) (?:as|by)",
    r"(?:qualified|trained|moonlight|moonlights|moonlighting) as",
)


@rule(
    ("I'm on the payroll at Sandvik", "works_at: Sandvik"),
    ("I'm employed by the city council", "works_at: the city council"),
    ("my employer is a startup called Fernway", "works_at: Fernway"),
    ("I got hired by Maersk", "works_at: Maersk"),
)
def employed(clause: Clause) -> Iterator[Draft]:
    """Being employed, in other words than working at."""
    if clause.future:
        return
    own = after(clause, _EMPLOYER_IS) if clause.lemma == "be" and clause.subject.kind == "possessed" else None
    if own is not None and not clause.past:
        span = workplace_at(clause, own)
        if span and not is_job(head(clause.words, *span).low):
            yield make(clause, "works_at", span, subject="user", **EMPLOYER)
        return
    span = workplace_at(clause, after(clause, _EMPLOYED))
    if span:
        yield make(clause, "works_at", span, **EMPLOYER)
    elif not clause.negated and (begun := workplace_at(clause, after(clause, _TAKEN_ON))):
        yield make(clause, "works_at", begun, **BEGUN, **EMPLOYER)


@rule(
    ("been welding at Volvo since 2015", "works_at: Volvo"),
    ("I've been driving for DHL since March", "works_at: DHL"),
    ("I cook for the Hilton", "works_at: the Hilton"),
)
def doing_for(clause: Clause) -> Iterator[Draft]:
    """As in "been welding at X since 2015", "I drive for X": the doing is the job if an organisation gets it."""
    ws = clause.words
    if clause.passive or clause.future or clause.negated or clause.subject.kind in ("you", "pronoun", "other"):
        return
    lasting = clause.tag == "VBG" and "been" in clause.aux
    steady = clause.tag in ("VBP", "VBZ") and clause.lemma in words("trades")
    if not (lasting or steady) or clause.lemma in words("no_trade"):
        return
    spot = preposition(clause, "at") if lasting else None
    if clause.lemma in words("trades"):
        spot = spot or preposition(clause, "for")
    span = employer_at(clause, spot, named=True)
    if span and ws[span[0]].ent not in ("DATE", "TIME", "PERSON"):
        yield make(clause, "works_at", span, temporal="current", **EMPLOYER)


@rule(
    ("I earn my living as a piano tuner", "has_job: piano tuner"),
    ("I make a living by mending nets", "has_job: mending nets"),
)
def living(clause: Clause) -> Iterator[Draft]:
    """What a living is made by."""
    spot = after(clause, _LIVING)
    if spot is None or clause.future:
        return
    span = object_after(clause, spot, loose=False)
    if clause.words[spot].tag == "VBG":
        span = verb_phrase(clause, spot)
    if span and head(clause.words, *span).low not in words("no_role"):
        yield make(clause, "has_job", bare(clause.words, span), importance=0.7)


@rule(
    ("I look after the greenhouses for the botanical garden", "has_job: look after the greenhouses"),
    ("I do payroll for a law firm", "works_at: a law firm"),
    ("I drive a tram in Leeds", "has_job: drive a tram"),
)
def duty(clause: Clause) -> Iterator[Draft]:
    """A task done for an organisation is the job; so is driving what nobody owns."""
    ws = clause.words
    if clause.passive or clause.future or clause.negated or clause.tag not in ("VBP", "VBZ", "VBD") or clause.aux:
        return
    start = clause.verb + 1 + (clause.lemma == "look" and clause.rest[:1] != [] and clause.rest[0].low == "after")
    if clause.lemma == "look" and start == clause.verb + 1:
        return
    thing = object_after(clause, start, loose=False)
    if not thing:
        return
    if clause.lemma in ("drive", "fly", "pilot") and head(ws, *thing).low in words("public_vehicles"):
        yield make(clause, "has_job", (clause.verb, thing[1]), importance=0.6)
        return
    if clause.lemma not in words("duties") or head(ws, *thing).low in words("anaphora") | {"work", "bit", "lot", "stuff"}:
        return
    place = _for_whom(clause, thing[1])
    if place:
        yield make(clause, "has_job", (clause.verb, thing[1]), importance=0.6)
        yield make(clause, "works_at", place, **EMPLOYER)


def _for_whom(clause: Clause, at: int) -> Span | None:
    """The workplace right after the task."""
    if at < clause.end and clause.words[at].low in ("for", "at", "with"):
        return workplace_at(clause, at + 1)
    return None


@rule(("my job is driving a tram", "has_job: driving a tram"), anyone=False, fragments=False)
def job_is_doing(clause: Clause) -> Iterator[Draft]:
    """As in "my job is driving a tram"."""
    subject = clause.subject
    gerund = clause.lemma == "be" and clause.rest[:1] and clause.rest[0].tag == "VBG"
    if subject.kind != "possessed" or not (clause.tag == "VBG" or gerund) or clause.negated or clause.past:
        return
    if clause.words[subject.head].low in ("job", "work", "trade", "profession", "role", "gig"):
        span = verb_phrase(clause, clause.verb + bool(gerund))
        pointing = any(w.tag == "PRP" for w in clause.rest)
        if span and span[1] > span[0] + 1 and not pointing:
            yield make(clause, "has_job", span, subject="user", temporal="current", importance=0.7)


@rule(("I work in insurance", "has_job: insurance"), ("I'm retired", "has_job: retired"))
def line_of_work(clause: Clause) -> Iterator[Draft]:
    """As in "I work in insurance", "I'm in logistics", "I'm retired"."""
    ws = clause.words
    if clause.future or clause.subject.kind in ("you", "pronoun", "other") or not clause.rest:
        return
    spot = clause.verb + 1
    if clause.lemma in ("work", "be") and clause.rest[0].low == "in" and spot + 1 < clause.end:
        w = ws[spot + 1]
        closed = w.i + 1 >= clause.end or ws[w.i + 1].low in (",", ".", "and", "but", "now", "at", "for", "in")
        if w.low in words("sectors") and closed and (clause.lemma == "work" or clause.speaker):
            yield make(clause, "has_job", (w.i, w.i + 1), importance=0.6)
    elif clause.lemma == "be" and not clause.negated and not clause.past and ws[spot].low in ("retired", "semi-retired"):
        closed = spot + 1 >= clause.end or ws[spot + 1].low in (",", ".", "and", "but", "now", "since", "from", "!")
        if closed:
            yield make(clause, "has_job", (spot, spot + 1), importance=0.6, timed=False)
