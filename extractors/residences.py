"""Rules about homes in other words: "home is X", "I hang my hat in X", "spent my twenties in X", "from X".

Invariant: where somebody comes from is kept apart from where they live.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make, preposition, rule
from graphmem.extractors.homes import NEAR, bare_city, place_at, town_of
from graphmem.extractors.phrases import Span, has_name, items
from graphmem.extractors.wordings import IS, MY, after, wording

_HOME_IS = wording(
    rf"(?:{MY} )?home(?: base)?(?: for (?:me|us))? (?:{IS}|(?:'s|has) been)(?: now| still| currently)?(?: in| on| at| near)?",
    rf"(?:where|the place) (?:i|we) live {IS}(?: now| in)?",
    opens=True,
)
_DWELLING_IS = wording(
    rf"{MY} (?:new |little |tiny |own |current )?(?:flat|house|apartment|home|place|studio|condo|room) {IS}(?: right|"
    rf" just)? (?:in|near|outside)",
    opens=True,
)
_BETWEEN = wording(
    r"(?:split|splits|divide|divides|share|shares|spend|spends) (?:my|our|his|her|their) (?:time|year|weeks?) between"
)
_HAT = wording(
    r"(?:hang|hangs) (?:my|our|his|her) hats? in",
    r"(?:lay|lays) my head in",
    r"make (?:my|our) home in",
    r"(?:holed|shacked) up in",
    r"(?:commute|commutes|commuting|travel|travels|come|comes|drive|drives)(?: in| up| down|"
    r" over)? (?:to work )?(?:every day |daily )?from",
)
_STICKS = wording(r"(?:upped sticks|packed up|shipped off|decamped|shifted|hopped over|headed off for good) (?:and moved )?to")
_LOCAL = wording(
    r"(?:am|'m|are|'re|is|'s) (?:a|an) (?:\w+ )?(?:expat|local|resident|immigrant|transplant|newcomer|homeowner|"
    r"tenant|emigrant) (?:in|of)"
)
_WOUND_UP = wording(
    r"(?:ended|wound|washed|fetched|pitched|landed) up (?:living )?in", r"put down roots in", r"made (?:my|our) home in"
)
_SPENT = wording(
    r"(?:spent|passed) (?:most of |all of |much of |part of )?(?:my|our|his|her|their) (?:\w+ )?(?:childhood|youth|"
    r"teens|twenties|"
    r"thirties|forties|fifties|sixties|(?:school|student|university|college|early|first) (?:days|"
    r"years))(?: mostly)? (?:in|on|near)"
)
_FROM = wording(
    rf"(?:i|we) {IS} (?:all |both |originally |actually |really )*from",
    r"(?:come|comes|hail|hails)(?: originally)? from",
    r"originally from",
)


@rule(
    ("home is Ghent these days", "lives_in: Ghent"),
    ("home for us is a lighthouse near Kirkwall", "lives_in: a lighthouse near Kirkwall"),
    ("my flat is in Zaragoza", "lives_in: Zaragoza"),
    ("I call Porto home", "lives_in: Porto"),
    ("I split my time between Lyon and Nice", "lives_in: Nice"),
)
def home_named(clause: Clause) -> Iterator[Draft]:
    """As in "home is X", "my flat is in X", "I call X home", "my time between X and Y"."""
    ws = clause.words
    if clause.negated or clause.past:
        return
    found: list[Span] = []
    if clause.lemma == "be" and not clause.speaker:
        dwelling = place_at(clause, after(clause, _HOME_IS) or after(clause, _DWELLING_IS))
        found = [dwelling] if dwelling else []
        subject = ws[clause.subject.start : clause.subject.end] if clause.subject.start >= 0 else []
        if [w.low for w in clause.rest[:1]] == ["home"] and subject and all(w.text[:1].isupper() for w in subject):
            # "Oslo is home now"
            after_home = ws[clause.verb + 2].low if clause.verb + 2 < clause.end else "."
            if after_home in (".", ",", "now", "these", "for", "to", "since", "!") and subject[0].ent != "PERSON":
                found = [(clause.subject.start, clause.subject.end)]
    elif clause.lemma == "call" and clause.speaker:
        end = next((w.i for w in clause.rest if w.low == "home"), clause.verb)
        named = ws[clause.verb + 1 : end]
        found = [(clause.verb + 1, end)] if named and all(w.text[:1].isupper() for w in named) else []
    elif (spot := after(clause, _BETWEEN)) is not None:
        found = [span for span in items(ws, spot, clause.end, posts=NEAR) if ws[span[0]].text[:1].isupper()]
    for span in found:
        named_by_home = clause.lemma == "be"
        yield make(clause, "lives_in", span, subject="user" if named_by_home else None, types="place", importance=0.7)


@rule(
    ("I ended up in Lyon", "lives_in: Lyon"),
    ("my brother stayed in Vigo", "lives_in: Vigo"),
    ("I spent my twenties in Marrakesh", "lives_in: Marrakesh"),
)
def course_of_life(clause: Clause) -> Iterator[Draft]:
    """As in "ended up in X", "put down roots in X", "spent my twenties in X"."""
    if clause.negated or clause.future or clause.used_to:
        return
    spot = next((s for p in (_WOUND_UP, _HAT, _STICKS, _LOCAL) if (s := after(clause, p)) is not None), None)
    stayed = clause.lemma == "stay" and clause.past and clause.subject.kind == "possessed" and not clause.has("with", "at")
    span = place_at(clause, preposition(clause, "in") if stayed else spot)
    span = town_of(clause, span) if span else None
    if span and has_name(clause.words, span[0], span[0] + 1) and bare_city(clause, span):
        yield make(clause, "lives_in", span, temporal="current", types="place", importance=0.7)
    earlier = place_at(clause, after(clause, _SPENT))
    if earlier:
        yield make(clause, "lives_in", earlier, temporal="past", types="place")


@rule(("I traded Berlin for Lisbon last year", "lives_in: Lisbon"), anyone=False)
def traded_towns(clause: Clause) -> Iterator[Draft]:
    """As in "I swapped X for Y", where both are places."""
    if clause.lemma not in ("trade", "swap", "leave", "exchange") or not clause.past or clause.negated:
        return
    ws = clause.words
    old, new = place_at(clause, clause.verb + 1), place_at(clause, preposition(clause, "for"))
    if old and new and all(ws[span[0]].ent in ("GPE", "LOC") for span in (old, new)):
        yield make(
            clause, "lives_in", new, replaces=clause.text(*old), temporal="current", since=True, cue="change", types="place",
            importance=0.8,
        )  # fmt: skip


@rule(("I'm from Naples", "origin: Naples"), ("I hail from a village near Split", "origin: a village near Split"))
def origin(clause: Clause) -> Iterator[Draft]:
    """Where somebody comes from, which says nothing of where they live now."""
    if clause.negated or clause.past or clause.subject.kind in ("other", "pronoun", "you"):
        return
    span = place_at(clause, after(clause, _FROM))
    if span and clause.words[span[0]].low not in ("the", "my", "our"):
        yield make(clause, "origin", span, timed=False, types="place")
