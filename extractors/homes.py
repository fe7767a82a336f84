"""Rules about where somebody lives and has moved."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, now_cue, object_after, preposition, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, has_name, head, uncased

NEAR = frozenset({"of", "in", "near", "by"})


_NO_PLACE = words("no_place")


def place_at(clause: Clause, i: int | None, *, bare: bool = False) -> Span | None:
    """A place name or a kind of dwelling at `i`; `bare`: after "live in" one word without an article names a place too."""
    if i is None:
        return None
    span = object_after(clause, i, posts=NEAR)
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
    if has_name(ws, start, end) or noun in words("dwellings"):
        return (start, end)
    # "i live in portland": where nobody writes capitals, the tagger takes a town for a common noun.
    single = bare and uncased(ws) and end - start <= 2 and all(w.tag in ("NN", "JJ") for w in ws[start:end])
    return (start, end) if single and noun not in words("no_bare_place") and not ws[start].time else None


def town_of(clause: Clause, span: Span) -> Span:
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
    ("i live in hobart", "lives_in: hobart"),
    ("we live near the harbour", "lives_in: near the harbour"),
    ("I'm in Kotka, cheaper", "lives_in: Kotka"),
    ("my new address is Hauptstrasse 5, Kassel", "lives_in: Hauptstrasse 5, Kassel"),
    ("we're renting a flat in Bergamo", "lives_in: Bergamo"),
)
def residence(clause: Clause) -> Iterator[Draft]:
    """Living, being based, renting or having an address somewhere."""
    ws = clause.words
    lemma = clause.lemma
    if (
        lemma in ("live", "reside", "dwell", "lodge")
        or ws[clause.verb].low == "based"
        or (ws[clause.verb].low == "located" and clause.speaker)  # of others it is said of places
    ):
        span = place_at(clause, preposition(clause, "in", "at", "near", "outside", "by"), bare=True) or _on_something(clause)
        span = span or _by_landmark(clause)
        if span:
            yield make(clause, "lives_in", town_of(clause, span), types="place", importance=0.7, cue=now_cue(clause))
    elif lemma == "be" and clause.speaker and not clause.used_to and (not clause.past or clause.has("based")):
        based = next((w for w in clause.rest[:3] if w.low in ("based", "settled")), None)
        place = preposition(clause, "in", "near") if based or _right_in(clause) else None
        span = place_at(clause, place)
        if span and clause.negated and (clause.has("anymore", "longer") or clause.has("more")):
            yield make(clause, "lives_in", span, types="place", temporal="ended", polarity="positive", cue="change")
        elif (
            span
            and (ws[span[0]].tag == "NNP" or (ws[span[0]].ent == "GPE" and has_name(ws, *span)))
            and (
                based
                or (
                    ws[span[0]].ent in ("GPE", "LOC", "PERSON", "ORG", "")
                    and span[1] - span[0] <= 2
                    and bare_city(clause, span)
                )
            )
        ):
            yield make(clause, "lives_in", span, types="place", importance=0.7, confidence=0.85 if based else 0.7)
    elif (lemma == "grow" and exact(clause, clause.verb + 1, "up")) or (
        lemma == "raise" and ws[clause.verb].tag in ("VBN", "VBD") and clause.speaker
    ):
        span = place_at(clause, preposition(clause, "in", "near", "on"), bare=True)
        if span:
            yield make(clause, "lives_in", span, temporal="past", types="place")
    elif (
        lemma == "rent" and clause.tag == "VBG" and clause.rest[:1] and clause.rest[0].low in ("in", "near") and clause.speaker
    ):
        town = place_at(clause, clause.verb + 2)
        if town and not clause.past and not clause.negated:
            yield make(clause, "lives_in", town, types="place", importance=0.7)
    elif lemma in ("rent", "sublet", "share") and not clause.past and clause.speaker:
        span = object_after(clause, clause.verb + 1)
        if span and head(ws, *span).low in words("dwellings"):
            town = place_at(clause, preposition(clause, "in", "near"))
            yield make(clause, "lives_in", town_of(clause, town) if town else span, types="place", importance=0.7)
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


def _by_landmark(clause: Clause) -> Span | None:
    """As in "live near the beach", "live by the sea", "live in the mountains": where it is, with its preposition."""
    ws = clause.words
    for w in clause.rest:
        if w.low in ("near", "by", "beside", "on", "in", "at", "outside") and w.tag in ("IN", "RB") and not w.time:
            span = object_after(clause, w.i + 1)
            if span and head(ws, *span).low in words("landmarks"):
                return (w.i, span[1])
            return None
    return None


def bare_city(clause: Clause, span: Span) -> bool:
    """A town that the clause ends with, or goes on from without making a visit of it."""
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
    if clause.lemma == "move" and (clause.passive or _moves_something(clause) or exact(clause, clause.verb + 1, "on")):
        # "moved on to Rust": a change of what one does.
        return
    to = preposition(clause, "to", "into") or (
        preposition(clause, "in") if clause.lemma in ("settle", "resettle") or clause.has("together") else None
    )
    if exact(clause, clause.verb + 1, "back", "to") or exact(clause, clause.verb + 1, "out", "to"):
        to = clause.verb + 3
    if to is None and clause.lemma == "move" and exact_now_in(clause):
        to = exact_now_in(clause)
    if exact(clause, clause.verb + 1, "in", "together"):
        to = preposition(clause, "in", start=clause.verb + 3)
    span = place_at(clause, to)
    if span and head(clause.words, *span).low not in words("code_languages") | words("systems"):
        origin = preposition(clause, "from")
        old = place_at(clause, origin)
        if origin and not _known_place(clause, span, old) and clause.lemma == "move":
            return
        yield make(
            clause,
            "lives_in",
            town_of(clause, span),
            temporal="current",
            since=True,
            cue="change",
            types="place",
            importance=0.8,
            replaces=clause.text(*old) if old else None,
        )


def exact_now_in(clause: Clause) -> int | None:
    """As in "just moved house, now in Chania": the word after "now in"."""
    return next((w.i + 2 for w in clause.rest if exact(clause, w.i, "now", "in") and w.i + 2 < clause.end), None)


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
