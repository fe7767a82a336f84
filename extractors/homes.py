"""Rules about where somebody lives and has moved."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, now_cue, object_after, preposition, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items
from graphmem.extractors.wordings import IS, MY, after, wording

_NEAR = frozenset({"of", "in", "near", "by"})


_NO_PLACE = words("no_place")


def place_at(clause: Clause, i: int | None) -> Span | None:
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
    while (
        end + 1 < clause.end
        and ws[end].low == ","
        and ws[end + 1].tag == "NNP"
        and not ws[end + 1].time
        and (end + 2 >= clause.end or ws[end + 2].low in (",", ".", "and", "since", "!"))
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
    ("I live in Gdynia", "lives_in: Gdynia"),
    ("we live with two friends in Bath", "lives_in: Bath"),
    ("I'm based in Aarhus", "lives_in: Aarhus"),
    ("I grew up in Perth", "lives_in: Perth"),
    ("I'm in Kotka, cheaper", "lives_in: Kotka"),
    ("my new address is Hauptstrasse 5, Kassel", "lives_in: Hauptstrasse 5, Kassel"),
    ("we're renting a flat in Bergamo", "lives_in: Bergamo"),
)
def residence(clause: Clause) -> Iterator[Draft]:
    """Living, being based, renting or having an address somewhere."""
    ws = clause.words
    lemma = clause.lemma
    if lemma in ("live", "reside", "dwell", "lodge") or ws[clause.verb].low in ("based", "located"):
        span = place_at(clause, preposition(clause, "in", "at", "near", "outside", "by")) or _on_something(clause)
        if span:
            yield make(clause, "lives_in", _town(clause, span), types="place", importance=0.7, cue=now_cue(clause))
    elif lemma == "be" and clause.speaker and not clause.used_to and (not clause.past or clause.has("based")):
        based = next((w for w in clause.rest[:3] if w.low in ("based", "settled")), None)
        place = preposition(clause, "in", "near") if based or _right_in(clause) else None
        span = place_at(clause, place)
        if span and clause.negated and (clause.has("anymore", "longer") or clause.has("more")):
            yield make(clause, "lives_in", span, types="place", temporal="ended", polarity="positive", cue="change")
        elif (
            span
            and ws[span[0]].tag == "NNP"
            and (
                based
                or (
                    ws[span[0]].ent in ("GPE", "LOC", "PERSON", "ORG", "")
                    and span[1] - span[0] <= 2
                    and _bare_city(clause, span)
                )
            )
        ):
            yield make(clause, "lives_in", span, types="place", importance=0.7, confidence=0.85 if based else 0.7)
    elif (lemma == "grow" and exact(clause, clause.verb + 1, "up")) or (
        lemma == "raise" and ws[clause.verb].tag in ("VBN", "VBD") and clause.speaker
    ):
        span = place_at(clause, preposition(clause, "in", "near", "on"))
        if span:
            yield make(clause, "lives_in", span, temporal="past", types="place")
    elif lemma in ("rent", "sublet", "share") and not clause.past and clause.speaker:
        span = object_after(clause, clause.verb + 1)
        if span and head(ws, *span).low in words("dwellings"):
            town = place_at(clause, preposition(clause, "in", "near"))
            yield make(clause, "lives_in", _town(clause, town) if town else span, types="place", importance=0.7)
    elif (
        lemma == "be"
        and clause.subject.kind == "possessed"
        and ws[clause.subject.head].low == "address"
        and "mail" not in clause.subject.text
    ):
        span = object_after(clause, clause.verb + 1)
        if span and "@" not in clause.text(*span):
            full = place_at(clause, clause.verb + 1) or span
            yield make(
                clause,
                "lives_in",
                full,
                subject="user",
                types="place",
                importance=0.7,
                cue="change" if "new" in clause.subject.text.split() else None,
                since=True,
            )


def _bare_city(clause: Clause, span: Span) -> bool:
    ws = clause.words
    closed = span[1] >= clause.end or ws[span[1]].low in (",", ".", "!", "and", "but", "now", "these", "since", "for", "with")
    return closed and not any(w.low in words("visiting_words") for w in ws) and not _for_something(clause, span[1])


def _for_something(clause: Clause, at: int) -> bool:
    """As in "in Paris for a fair": a visit, unless it is for a length of time."""
    ws = clause.words
    return at + 1 < clause.end and ws[at].low == "for" and not ws[at + 1].time and ws[at + 1].low not in ("good", "now")


def _right_in(clause: Clause) -> bool:
    """As in "I'm in X", "I'm over in X"."""
    lows = [w.low for w in clause.rest[:2]]
    return lows[:1] == ["in"] or (lows[1:] == ["in"] and lows[0] in ("over", "down", "up", "out", "now", "still", "currently"))


def _on_something(clause: Clause) -> Span | None:
    """As in "lives on Skye", "live on a farm": an island or a kind of dwelling, not what one feeds on."""
    ws = clause.words
    span = place_at(clause, preposition(clause, "on"))
    if not span or clause.lemma == "settle":
        return None
    sure = head(ws, *span).low in words("dwellings") or any(w.ent in ("GPE", "LOC", "FAC") for w in ws[span[0] : span[1]])
    return span if sure else None


@rule(
    ("we moved to Tartu in May", "lives_in: Tartu"),
    ("Moved to Faro last month", "lives_in: Faro"),
    ("my cousin Lea relocated to Graz", "lives_in: Graz"),
    ("Jo and I have moved in together in Espoo", "lives_in: Espoo"),
)
def moving(clause: Clause) -> Iterator[Draft]:
    """A move that has happened is living there from then on."""
    if clause.lemma not in ("move", "relocate", "emigrate", "settle", "resettle") or clause.negated:
        return
    if (
        not (clause.past or clause.perfect or clause.tag in ("VBD", "VBN"))
        or clause.future
        or clause.used_to
        or clause.progressive
    ):
        return
    if clause.lemma == "move" and (clause.passive or _moves_something(clause)):
        return
    to = preposition(clause, "to", "into") or (
        preposition(clause, "in") if clause.lemma in ("settle", "resettle") or clause.has("together") else None
    )
    if exact(clause, clause.verb + 1, "back", "to") or exact(clause, clause.verb + 1, "out", "to"):
        to = clause.verb + 3
    if exact(clause, clause.verb + 1, "in", "together"):
        to = preposition(clause, "in", start=clause.verb + 3)
    span = place_at(clause, to)
    if span:
        origin = preposition(clause, "from")
        old = place_at(clause, origin)
        if origin and not _known_place(clause, span, old) and clause.lemma == "move":
            return
        yield make(
            clause,
            "lives_in",
            _town(clause, span),
            temporal="current",
            since=True,
            cue="change",
            types="place",
            importance=0.8,
            replaces=clause.text(*old) if old else None,
        )


def _moves_something(clause: Clause) -> bool:
    """As in "moved my notes to Obsidian": the thing moves, not the speaker."""
    first = clause.rest[0] if clause.rest else None
    return (
        first is not None
        and (first.tag in ("PRP$", "DT", "PDT", "PRP") or first.tag.startswith("NN"))
        and not first.time
        and first.low not in ("house", "home")
    )


def _known_place(clause: Clause, span: Span, old: Span | None) -> bool:
    """As in "from Jira to Linear" is no move of house: with an origin named, one end must look like a place."""
    ws = clause.words
    ends = [w for s in (span, old) if s for w in ws[s[0] : s[1]]]
    return any(w.ent in ("GPE", "LOC", "FAC") or w.low in words("dwellings") for w in ends)


_HOME_IS = wording(
    rf"(?:{MY} )?home(?: base)?(?: for (?:me|us))? {IS}(?: now| still| currently)?(?: in| on| at| near)?",
    rf"(?:where|the place) (?:i|we) live {IS}(?: now| in)?",
    opens=True,
)
_DWELLING_IS = wording(
    rf"{MY} (?:new |little |tiny |own |current )?(?:flat|house|apartment|home|studio|condo|bungalow|room) {IS}(?: right)? (?:in|near)",
    opens=True,
)
_BETWEEN = wording(
    r"(?:split|splits|divide|divides|share|shares|spend|spends) (?:my|our|his|her|their) (?:time|year|weeks?) between"
)
_WOUND_UP = wording(
    r"(?:ended|wound|washed|fetched|pitched|landed) up (?:living )?in", r"put down roots in", r"made (?:my|our) home in"
)
_SPENT = wording(
    r"(?:spent|passed) (?:most of |all of |much of |part of )?(?:my|our|his|her|their) (?:\w+ )?(?:childhood|youth|teens|twenties|"
    r"thirties|forties|fifties|sixties|(?:school|student|university|college|early|first) (?:days|years))(?: mostly)? (?:in|on|near)"
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
    elif clause.lemma == "call" and clause.speaker:
        end = next((w.i for w in clause.rest if w.low == "home"), clause.verb)
        named = ws[clause.verb + 1 : end]
        found = [(clause.verb + 1, end)] if named and all(w.text[:1].isupper() for w in named) else []
    elif (spot := after(clause, _BETWEEN)) is not None:
        found = [span for span in items(ws, spot, clause.end, posts=_NEAR) if ws[span[0]].text[:1].isupper()]
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
    spot = after(clause, _WOUND_UP)
    stayed = clause.lemma == "stay" and clause.past and clause.subject.kind == "possessed" and not clause.has("with", "at")
    span = place_at(clause, preposition(clause, "in") if stayed else spot)
    if span and clause.words[span[0]].text[:1].isupper() and _bare_city(clause, span):
        yield make(clause, "lives_in", span, temporal="current", types="place", importance=0.7)
    earlier = place_at(clause, after(clause, _SPENT))
    if earlier:
        yield make(clause, "lives_in", earlier, temporal="past", types="place")


@rule(("I'm from Naples", "origin: Naples"), ("I hail from a village near Split", "origin: a village near Split"))
def origin(clause: Clause) -> Iterator[Draft]:
    """Where somebody comes from, which says nothing of where they live now."""
    if clause.negated or clause.past or clause.subject.kind in ("other", "pronoun", "you"):
        return
    span = place_at(clause, after(clause, _FROM))
    if span and clause.words[span[0]].low not in ("the", "my", "our"):
        yield make(clause, "origin", span, timed=False, types="place")
