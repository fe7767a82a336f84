"""Rules about the end of a post or a home, of the speaker's or of a named person's: left, laid off, no longer at, moved out of.

Invariant: an end is about whoever the clause is about and nobody else; one who leaves a house for the day, early or at five has
left no post.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.claims import ended_words
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import BEGUN, ENDED, Draft, exact, make, preposition, rule
from graphmem.extractors.homes import place_at
from graphmem.extractors.jobs import AT_WORK, employer_at, workplace_at
from graphmem.extractors.phrases import Span
from graphmem.extractors.scenes import is_person
from graphmem.extractors.wordings import after, wording

_LET_GO = wording(
    r"(?:laid off|let go|fired|sacked|made redundant|dismissed|axed|got the sack|got the boot) (?:by|from|at)",
    r"(?:retired|resigned|walked out|stepped down) (?:from|of)",
    r"moved on (?:from|of)(?= (?:a|an|the|my|our) )",
    r"(?:handed in|gave|given|put in) (?:my|our|his|her|their) (?:notice|resignation) (?:at|to)",
    r"(?:left|quit) (?:my|the|his|her|their) (?:old )?(?:job|post|position|role|gig) (?:at|with)",
    r"(?:my|our) (?:contract|time|stint|days) (?:at|with) (?=.* (?:ended|over|finished|up)(?!\S))",
)
_MOVES = ("move", "relocate")
_MORE = frozenset({"in", "on", "for", "last", "after", "because", "and", "but", "so", "this", "when", "since", "back", ","})
_STAYS = frozenset({"open", "running", "on", "out", "alone"})
# "left Nokia early", "left Nokia at five": for the day.
_FOR_THE_DAY = frozenset({"early", "late", "tonight", "o'clock", "noon", "midnight", "lunch", "home"})
_CLOCKS = frozenset({"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "noon"})


def _over_for_somebody(clause: Clause) -> bool:
    """Whether the clause plainly tells of something that happened to the speaker, or to one who can be named."""
    if clause.negated or clause.future or clause.used_to or clause.progressive:
        return False
    return clause.past or clause.perfect or (clause.tag in ("VBD", "VBN") and not clause.aux)


def _others_thing(clause: Clause, span: Span) -> bool:
    """As in "left Nokia's office", "at Spotify's old site": what follows belongs to the place and is what is spoken of."""
    return any(w.low in ("'s", "’s", "'", "’") for w in clause.words[span[0] : span[1] + 1])


def _for_the_day(clause: Clause) -> bool:
    ws = clause.words
    return any(
        w.low in _FOR_THE_DAY or (w.low == "at" and w.i + 1 < clause.end and _hour(ws[w.i + 1].low)) for w in clause.rest
    )


def _hour(low: str) -> bool:
    return low in _CLOCKS or low[:1].isdigit()


def _from_work(clause: Clause, span: Span) -> bool:
    """As in "I left Bosch in June": an organisation by its name, or work is spoken of; else one may have left a town."""
    ws = clause.words
    if ws[span[0]].tag == "PRP$":
        return False
    return any(w.ent == "ORG" for w in ws[span[0] : span[1]]) or any(w.low in AT_WORK for w in ws)


@rule(
    ("I resigned from Bosch in June", "works_at: Bosch"),
    ("I lost my job at Door Dash", "works_at: Door Dash"),
    ("my aunt resigned from Siemens", "works_at: Siemens"),
)
def left_employer(clause: Clause) -> Iterator[Draft]:
    """Leaving, quitting, losing the job."""
    ws = clause.words
    bare = clause.lemma == "quit" and clause.tag == "VBP" and clause.speaker
    if not (_over_for_somebody(clause) or bare) or clause.passive or clause.subject.kind == "you":
        return
    if clause.lemma == "lose" and clause.has("job"):
        spot = preposition(clause, "at", "with")
    elif clause.lemma in ("leave", "quit", "resign"):
        named = clause.lemma != "leave" or any(w.low in AT_WORK for w in clause.rest)  # "left his bag at Nokia"
        spot = (preposition(clause, "from", "at") if named else None) or clause.verb + 1
    else:
        return
    span = employer_at(clause, spot, named=True)
    if span is None or _others_thing(clause, span) or ws[span[1] - 1].low in _STAYS:
        return
    if clause.lemma == "leave" and (not _from_work(clause, span) or _for_the_day(clause)):
        return
    if ws[span[0]].ent in ("GPE", "LOC") or not (clause.speaker or _plainly_work(clause)):
        return
    yield make(clause, "works_at", span, types="organisation", **ENDED)


def _plainly_work(clause: Clause) -> bool:
    """Whether a post is what was left: of others "left Spotify" may tell of a program or a shop (`perhaps`)."""
    return clause.lemma in ("resign", "lose") or any(w.low in AT_WORK for w in clause.rest)


@rule(
    ("I got laid off from Spotify", "works_at: Spotify"),
    ("I retired from the railway last year", "works_at: the railway"),
    ("my dad retired from Volvo", "works_at: Volvo"),
)
def let_go(clause: Clause) -> Iterator[Draft]:
    """Being laid off, retiring, giving notice."""
    if clause.negated or clause.future or clause.subject.kind == "you":
        return
    span = workplace_at(clause, after(clause, _LET_GO))
    if span and not _others_thing(clause, span):
        # "my contract at X is over" is about the speaker, "my wife retired from X" is not.
        own = clause.subject.kind == "possessed" and not is_person(clause)
        yield make(clause, "works_at", span, types="organisation", subject="user" if own else None, **ENDED)


@rule(
    ("I stopped working at Siemens", "works_at: Siemens"),
    ("my aunt stopped living in Genoa", "lives_in: Genoa"),
    fragments=False,
)
def stopped(clause: Clause) -> Iterator[Draft]:
    """As in "stopped working at X", "quit working for X"."""
    ws = clause.words
    if (
        clause.lemma not in ("stop", "quit")
        or not _over_for_somebody(clause)
        or not clause.rest
        or clause.subject.kind == "you"
    ):
        return
    doing = clause.rest[0].low
    if doing == "working":
        span = employer_at(clause, preposition(clause, "at", "for"), named=True)
        if span and not _others_thing(clause, span) and not ws[span[0]].time:
            yield make(clause, "works_at", span, types="organisation", **ENDED)
    elif doing == "living":
        home = place_at(clause, preposition(clause, "in", "at"))
        if home:
            yield make(clause, "lives_in", home, types="place", **ENDED)


@rule(
    ("I moved away from Leeds", "lives_in: Leeds"),
    ("my cousin moved out of Porto in May", "lives_in: Porto"),
    ("I left Leeds for good", "lives_in: Leeds"),
    fragments=False,
)
def moved_away(clause: Clause) -> Iterator[Draft]:
    """As in "moved away from X", "moved out of X", "left X for good": the end of living there, wherever one went."""
    ws = clause.words
    if not _over_for_somebody(clause) or clause.passive or clause.subject.kind == "you":
        return
    if clause.lemma == "leave" and clause.verb + 1 < clause.end:
        for_good = any(exact(clause, w.i, "for", "good") or exact(clause, w.i, "for", "ever") for w in clause.rest)
        spot = clause.verb + 1 if for_good else None
    elif clause.lemma == "move" and (
        exact(clause, clause.verb + 1, "away", "from") or exact(clause, clause.verb + 1, "out", "of")
    ):
        spot = clause.verb + 3
    else:
        return
    if preposition(clause, "to", "into"):
        return  # "moved out of X to Y" is a move
    span = place_at(clause, spot)
    if span and ws[span[0]].text[:1].isupper() and any(w.ent in ("GPE", "LOC") for w in ws[span[0] : span[1]]):
        yield make(clause, "lives_in", span, types="place", **ENDED)


def perhaps(clause: Clause) -> Iterator[Draft]:
    """What may be the end of a post or a home, or of none: it holds only where that post or home is known.

    As in "Tom left Nokia", "she is no longer in Leeds", "Ann went from Bosch to Siemens": by their words alone they may tell of
    a shop, a journey or a program.
    """
    if clause.subject.kind == "you" or (clause.negated and not ended_words(clause)):
        return
    if clause.lemma == "be" and not clause.past and not clause.future and ended_words(clause):
        yield from _no_longer_there(clause)
    elif not _over_for_somebody(clause) or clause.passive:
        return
    elif clause.lemma in ("leave", "quit"):
        span = _name_at(clause, clause.verb + 1)
        if span and not _for_the_day(clause) and _no_more(clause, span[1]):
            following = _name_at(clause, span[1] + 1) if exact(clause, span[1], "for") else None
            if following:
                yield _parting(clause, "works_at", following, span)
            yield _parting(clause, "works_at", span)
            if exact(clause, span[1], "for", "good"):
                yield _parting(clause, "lives_in", span)
    elif clause.lemma in ("go", "switch", "change", "transfer", "jump", *_MOVES) and exact(clause, clause.verb + 1, "from"):
        span = _name_at(clause, clause.verb + 2)
        following = _name_at(clause, span[1] + 1) if span and exact(clause, span[1], "to") else None
        if span and following:
            yield _parting(clause, "works_at", following, span)
        if span and following and clause.lemma in _MOVES:
            yield _parting(clause, "lives_in", following, span)


def _no_longer_there(clause: Clause) -> Iterator[Draft]:
    for low, predicate in (("at", "works_at"), ("with", "works_at"), ("in", "lives_in")):
        span = _name_at(clause, preposition(clause, low))
        if span:
            yield _parting(clause, predicate, span)


def _no_more(clause: Clause, at: int) -> bool:
    """Whether the clause ends here, or tells only when, why and for what: "left Maps open" leaves nothing."""
    ws = clause.words
    return at >= clause.end or ws[at].is_mark or ws[at].time or ws[at].low in _MORE


def _name_at(clause: Clause, at: int | None) -> Span | None:
    """A bare name at a place, and nothing of its own after it."""
    ws = clause.words
    end = at or 0
    while at is not None and end < clause.end and ws[end].text[:1].isupper() and not ws[end].time:
        end += 1
    return (at, end) if at is not None and end > at and not _others_thing(clause, (at, end)) else None


def _parting(clause: Clause, predicate: str, span: Span, old: Span | None = None) -> Draft:
    """A claim that only settles what is known: the end of a value, or one that takes the place of another."""
    if old is None:
        return make(clause, predicate, span, done=True, polarity="positive", **ENDED)
    return make(clause, predicate, span, done=True, replaces=clause.text(*old), importance=0.7, **BEGUN)
