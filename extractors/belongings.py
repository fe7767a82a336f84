"""Rules about things in other words: what is there at home, what somebody left or gave, what "my X" is, what was given back.

Invariant: a thing is had only if the clause ties it to the speaker ("with me", "my first car", "left me"); a thing that is
just there belongs to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import at_screen, words
from graphmem.extractors.people import name_at
from graphmem.extractors.phrases import Span, has_name, head, items, uncased
from graphmem.extractors.things import kind_of, known_thing
from graphmem.extractors.wordings import MY, after, stands, wording

_WITH_ME = wording(
    r"(?:with|behind|above|below|next to|opposite) (?:me|us)",
    rf"(?:in|on|at|under|outside|behind) {MY} (?!screen|photo|picture|code|file|game|video|story|essay|"
    r"book|text|head|mind|dream|app|page)"
    r"\w+(?: \w+)?",
    r"at (?:home|ours|mine)",
    r"in the (?:garage|driveway|drive|yard|garden|shed|barn|stable|kitchen|living room|attic|basement|bathroom|"
    r"backyard|carport)",
    r"for the (?:big|weekly|school|long|winter) \w+",
)
_AROUND = wording(r"(?:get|gets|getting) (?:around|about|to work|to school|there) (?:on|in|by|with)")


@rule(
    ("there's a hedgehog living with me", "has_pet: a hedgehog"),
    ("there are two budgies in my kitchen", "has_pet: two budgies"),
    ("there's a campervan in the driveway", "has_vehicle: a campervan"),
    fragments=False,
)
def being_there(clause: Clause) -> Iterator[Draft]:
    """As in "there's a X living with me", "there's a X in our garage"."""
    ws = clause.words
    if clause.subject.text.lower() != "there" or clause.lemma != "be" or clause.negated or clause.past or clause.future:
        return
    if not stands(clause, _WITH_ME):
        return
    for start, end in _things(clause, clause.verb + 1):
        relation = kind_of(ws, (start, end))
        if relation in ("has_pet", "has_vehicle") or (relation == "owns" and known_thing(ws, (start, end))):
            yield make(clause, relation, (start, end), subject="user", types="thing", confidence=0.75)


def _things(clause: Clause, i: int) -> Iterator[Span]:
    """Phrases with an article or a count from a place on, also after an inserted "living with me, Bramble, plus"."""
    ws = clause.words
    yield from items(ws, i, clause.end)
    more = next((w.i + 1 for w in ws[i : clause.end] if w.low in ("plus", "and") and w.i + 1 < clause.end), None)
    if (more is not None and ws[more].low in ("a", "an") and ws[more - 2].low != ",") or (
        more is not None and ws[more - 1].low == "plus"
    ):
        yield from items(ws, more, clause.end)


@rule(
    ("my car is a Seat Ibiza", "has_vehicle: a Seat Ibiza"),
    ("our boat's a small sloop", "has_vehicle: a small sloop"),
    ("my first car was a Trabant", "has_vehicle: a Trabant"),
    ("my laptop is a Framework 13", "owns: a Framework 13"),
    anyone=False,
    fragments=False,
)
def own_is(clause: Clause) -> Iterator[Draft]:
    """As in "my X is a Y": what the thing of one's own is."""
    subject = clause.subject
    ws = clause.words
    if clause.lemma != "be" or clause.negated or subject.kind != "possessed" or subject.start < 0 or clause.future:
        return
    noun = ws[subject.head].low
    span = object_after(clause, clause.verb + 1)
    if not span or "'s" in subject.text or "’s" in subject.text:
        return
    found = ws[span[0] : span[1]]
    named = any(w.text[:1].isupper() and w.text[:1].isalpha() and not w.time for w in found)
    computer = noun in ("driver", "daily") and not any(w.low in words("vehicles") for w in found)
    if computer and any(w.low in words("systems") for w in found):
        yield make(clause, "uses_tool", span, subject="user", types="thing")
    elif noun in words("vehicles") | words("vehicle_names"):
        if named or any(w.low in words("vehicles") | words("craft") for w in found):
            yield make(clause, "has_vehicle", span, subject="user", types="thing", importance=0.6)
    elif noun in words("devices") and named:
        yield make(clause, "owns", span, subject="user", types="thing")


@rule(
    ("I get around on a cargo bike", "has_vehicle: a cargo bike"),
    ("I cycle to work on a Brompton", "has_vehicle: a Brompton"),
)
def moving_on(clause: Clause) -> Iterator[Draft]:
    """As in "get around on a X", "cycle to work on my X"."""
    if clause.past or clause.future or clause.negated or clause.subject.kind in ("you", "other", "pronoun"):
        return
    ws = clause.words
    spot = after(clause, _AROUND)
    if spot is None and clause.lemma in words("motion_verbs") and clause.tag in ("VBP", "VBZ"):
        spot = preposition(clause, "on", "in")
    span = object_after(clause, spot) if spot is not None else None
    if span and (ws[span[0]].low in ("a", "an") or ws[span[0]].tag == "PRP$") and span[1] > span[0] + 1:
        named = any(w.text[:1].isupper() and not w.time for w in ws[span[0] : span[1]])
        if named or head(ws, *span).low in words("vehicles"):
            yield make(clause, "has_vehicle", span, types="thing", importance=0.6)


@rule(
    ("my grandfather left me his accordion", "owns: accordion"),
    ("my aunt gave me a sewing machine", "owns: a sewing machine"),
    ("for my birthday I got a telescope", "owns: a telescope"),
    anyone=False,
    fragments=False,
)
def given(clause: Clause) -> Iterator[Draft]:
    """What somebody left or gave to the speaker, or the speaker got for a feast."""
    ws = clause.words
    if clause.negated or clause.future or not (clause.past or clause.perfect or clause.tag == "VBD"):
        return
    if clause.lemma in ("leave", "give", "bequeath", "buy") and clause.rest[:1] and clause.rest[0].low in ("me", "us"):
        start, left = clause.verb + 2, clause.lemma in ("leave", "bequeath")
    elif clause.lemma in ("get", "receive") and clause.speaker and stands(clause, _FEAST):
        start, left = clause.verb + 1, False
    else:
        return
    for span in items(ws, start, clause.end, posts=frozenset({"of", "in", "near"})):
        relation = kind_of(ws, span)
        if relation and (
            relation != "owns"
            or known_thing(ws, span)
            or (left and ws[span[0]].tag == "PRP$" and not at_screen(head(ws, *span).low))
        ):
            yield make(
                clause, relation, bare(ws, span) if ws[span[0]].tag == "PRP$" else span, subject="user", temporal="current",
                since=True, types="thing",
            )  # fmt: skip


_OWNER_OF = wording(r"(?:proud |happy |lucky |sole |new )*owner of")


@rule(
    ("I'm the proud owner of a Steinway", "owns: a Steinway"),
    ("I've had my Subaru for a decade", "has_vehicle: Subaru"),
    ("we've had geese since June", "has_pet: geese"),
    anyone=False,
)
def owner(clause: Clause) -> Iterator[Draft]:
    """As in "the proud owner of a X", "I've had my X for years"."""
    ws = clause.words
    if clause.negated or clause.future or not clause.speaker:
        return
    span = None
    if clause.lemma == "be" and not clause.past and (spot := after(clause, _OWNER_OF)) is not None:
        span = object_after(clause, spot)
    elif clause.lemma == "have" and clause.perfect and "always" in clause.adverbs:
        pets = object_after(clause, clause.verb + 1)
        span = pets if pets and kind_of(ws, pets) == "has_pet" else None
    elif clause.lemma == "have" and clause.perfect and any(w.low in ("for", "since") for w in clause.rest):
        mine = object_after(clause, clause.verb + 1)
        span = bare(ws, mine) if mine and ws[mine[0]].low in ("my", "our", "this") else None
        kept = any(w.low in ("for", "since") for w in clause.rest)
        if (
            mine
            and span is None
            and kept
            and kind_of(ws, mine) in ("has_pet", "has_vehicle")
            and ws[mine[0]].low not in ("the", "no")
        ):
            span = mine
    relation = kind_of(ws, span) if span else ""
    if span and (relation in ("has_pet", "has_vehicle") or (relation == "owns" and known_thing(ws, span))):
        yield make(clause, relation, span, types="thing", temporal="current")


@rule(
    ("I traded the van in for an electric Kangoo", "has_vehicle: an electric Kangoo"),
    ("we swapped our car for two e-bikes", "has_vehicle: two e-bikes"),
    anyone=False,
)
def traded_things(clause: Clause) -> Iterator[Draft]:
    """As in "traded the van in for a X": both ends are things of one's own."""
    ws = clause.words
    if clause.lemma not in ("trade", "swap", "exchange") or clause.negated or clause.future or not clause.speaker:
        return
    told = clause.past or clause.perfect or clause.tag in ("VBD", "VBN")
    old = object_after(clause, clause.verb + 1 + exact(clause, clause.verb + 1, "in"))
    spot = preposition(clause, "for")
    new = object_after(clause, spot) if spot else None
    if not told or not old or not new or ws[old[0]].low not in ("my", "our", "the") or ws[new[0]].low in ("the", "that"):
        return
    relation = kind_of(ws, old)
    same = kind_of(ws, new) == relation or head(ws, *new).lemma in words("vehicles") or has_name(ws, *new)
    if relation == "has_vehicle" and same:
        yield make(
            clause, relation, new, replaces=clause.text(*bare(ws, old)), temporal="current", since=True, cue="change",
            types="thing",
        )  # fmt: skip


_TREATED = wording(r"(?:treated|treat) (?:myself|ourselves) to", r"(?:splashed out|splurged) on", r"got (?:my|our) hands on")


@rule(("I treated myself to a Leica", "owns: a Leica"), ("we splashed out on a sauna", "owns: a sauna"), anyone=False)
def treated(clause: Clause) -> Iterator[Draft]:
    """As in "treated myself to a X", "splashed out on a X"."""
    ws = clause.words
    if clause.negated or clause.future or not clause.speaker or not (clause.past or clause.perfect or clause.tag == "VBD"):
        return
    span = object_after(clause, after(clause, _TREATED) or clause.end)
    relation = kind_of(ws, span) if span and ws[span[0]].low not in ("the", "this", "that") else ""
    if span and (relation in ("has_pet", "has_vehicle") or (relation == "owns" and known_thing(ws, span))):
        yield make(clause, relation, span, temporal="current", since=True, types="thing")


@rule(
    ("my laptop runs Fedora", "uses_tool: Fedora"),
    ("my server runs Debian", "uses_tool: Debian"),
    anyone=False,
    fragments=False,
)
def system_run(clause: Clause) -> Iterator[Draft]:
    """As in "my laptop runs X": the system of one's own machine."""
    subject, ws = clause.subject, clause.words
    if (
        clause.lemma != "run"
        or subject.kind != "possessed"
        or clause.negated
        or clause.past
        or clause.future
        or subject.start < 0
    ):
        return
    span = object_after(clause, clause.verb + 1 + exact(clause, clause.verb + 1, "on"))
    machine = ws[subject.head].low in words("devices") | {"desktop", "server", "machine", "thinkpad", "macbook", "box", "pi"}
    if span and machine and (ws[span[0]].low in words("systems") or ws[span[0]].text[:1].isupper()):
        yield make(clause, "uses_tool", span, subject="user", temporal="current", types="thing")


_FEAST = wording(r"(?:for|at) (?:my (?:\w+ )?birthday|christmas|xmas|graduation|our wedding|our anniversary)")


@rule(
    ("I've handed back my company car", "has_vehicle: company car"),
    ("we had our old cat put down in May", "has_pet: old cat"),
    anyone=False,
)
def parted(clause: Clause) -> Iterator[Draft]:
    """Handing back, writing off, giving away with the thing in between, having an animal put down."""
    ws = clause.words
    if clause.future or clause.negated or not clause.speaker:
        return
    if not (clause.past or clause.perfect or clause.tag in ("VBD", "VBN") or clause.subject.kind == "implied"):
        return
    at = clause.verb + 2 if clause.has("had") and exact(clause, clause.verb + 1, "to") else clause.verb
    if at >= clause.end:
        return
    lemma = ws[at].lemma
    particle = words("parting_particles")
    apart = any(f"{lemma} {w.low}" in particle for w in clause.rest[:7])
    if not apart and lemma not in ("return", "rehome", "scrap", "junk", "total", "crash", "bury"):
        return
    start = at + 1
    while start < clause.end and ws[start].tag in ("RP", "RB", "IN") and f"{lemma} {ws[start].low}" in particle:
        start += 1
    span = object_after(clause, start)
    if not span or ws[span[0]].low not in ("my", "our"):
        return
    relation = kind_of(ws, span)
    if relation == "has_pet" or (relation and lemma != "bury" and (relation == "has_vehicle" or known_thing(ws, span))):
        yield make(clause, relation, bare(ws, span), temporal="ended", until=True, cue="change", types="thing")


@rule(
    ("our cat is called Miso", "has_pet: cat"),
    ("my dog's name is Pippa", "has_pet: Pippa"),
    anyone=False,
    fragments=False,
)
def pet_by_name(clause: Clause) -> Iterator[Draft]:
    """As in "our cat is called X", "my dog's name is X"."""
    subject = clause.subject
    ws = clause.words
    the_pet = subject.kind == "other" and subject.start >= 0 and ws[subject.start].low == "the" and clause.lemma == "be"
    if (subject.kind != "possessed" and not the_pet) or subject.start < 0 or clause.past or clause.negated:
        return
    parts = subject.text.lower().split()
    animal = _animal(ws, subject.start, subject.end)
    if animal is None:
        return
    called = clause.lemma in ("call", "name") and clause.passive and clause.verb + 1 < clause.end
    if called and (name_at(ws, clause.verb + 1, clause.end) or (uncased(ws) and ws[clause.verb + 1].pos != "ADP")):
        yield make(clause, "has_pet", (animal.i, animal.i + 1), subject="user", temporal="current", timed=False, types="thing")
    elif clause.lemma == "be" and parts[-1] == "name":
        named = name_at(ws, clause.verb + 1, clause.end)
        if named:
            yield make(clause, "has_pet", named, subject="user", timed=False, types="thing")


def _animal(ws: list[Word], start: int, end: int) -> Word | None:
    """The animal that is the speaker's own: no other owner stands before it."""
    found = next((w for w in ws[start:end] if w.low in words("pets")), None)
    return None if found is None or any(w.tag == "POS" for w in ws[start : found.i]) else found
