"""Rules about things: possessions, pets, vehicles, and their loss."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import Span, head, items, phrase

_POSTS = frozenset({"of", "near", "in", "by", "from"})


def kind_of(ws: list[Word], span: Span) -> str:
    """The relation that having this thing is: has_pet, has_vehicle, owns, or "" for what is no possession."""
    noun = head(ws, *span)
    if noun.low in ("mouse", "mice") and any(w.low in words("computer_words") for w in ws):
        return "owns"
    # What stands after a preposition is where it is, or what it is for: "seat covers in my car" is no car.
    inner = next((w.i for w in ws[span[0] : span[1]] if w.low in ("in", "for", "on", "with", "from")), span[1])
    lows = [w.low for w in ws[span[0] : inner]]
    low = noun.low
    if is_animal(ws, (span[0], inner)):
        return "has_pet"
    if (
        low in words("kin")
        or low in words("roles")
        or is_condition(low)
        or any(is_condition(x) for x in lows)
        or "allergy" in lows
        or "allergies" in lows
    ):
        return ""
    if low in words("vehicles") or any(x in words("vehicles") for x in lows):
        return "has_vehicle"
    if (
        low in words("abstract")
        or low in words("skills_extra")
        or low in words("studies")
        or noun.tag in ("PRP", "VBG", "RB")
        or low in words("anaphora")
    ):
        return ""
    return "owns"


def is_animal(ws: list[Word], span: Span) -> bool:
    """Whether a phrase is of an animal: "a cat", "our cat Miso", "a collie cross"; but not "a cat allergy"."""
    found = ws[span[0] : span[1]]
    noun = head(ws, *span)
    at = next((n for n, w in reversed(list(enumerate(found))) if w.low in words("pets")), None)
    if at is None or any(w.low in words("no_animal") for w in found):
        return False
    # What follows the animal is its name or its kind; another noun is what the phrase is of.
    return not any(
        w.tag in ("NN", "NNS") and not w.text[:1].isupper() and w.low not in words("kinds_of_animal")
        for w in found[at + 1 :]
        if w.i <= noun.i
    )


def _concrete(ws: list[Word], span: Span) -> bool:
    """Whether a phrase names things one can have: with an article or count, or a named product, and no "the X of a Y"."""
    first = ws[span[0]]
    if any(w.low in ("open", "running", "ready", "set") for w in ws[span[0] : span[1]]):
        return False
    if first.low in words("no_own_determiners") or first.tag == "PRP$":
        return False
    if any(w.low == "of" for w in ws[span[0] : span[1]]) and first.low == "a":
        return False
    plural = head(ws, *span).tag in ("NNS", "NNP", "NNPS")
    return (
        first.low in ("a", "an", "no", "some")
        or first.tag == "CD"
        or plural
        or any(w.text[1:2].isupper() for w in ws[span[0] : span[1]])
    )


@rule(
    ("I have two cats and an old tortoise", "has_pet: two cats"),
    ("we adopted a beagle called Rex", "has_pet: a beagle called Rex"),
    ("I own a cottage near Turku and a sailing boat", "owns: a cottage near Turku"),
    ("I've got a Skoda", "has_vehicle: a Skoda"),
    ("I bought a used Fiat Panda", "has_vehicle: a used Fiat Panda"),
    ("my dad had a Saab", "has_vehicle: a Saab"),
    ("I have a library card and a zoo membership", "owns: a zoo membership"),
    ("I collect old maps", "owns: old maps"),
)
def possession(clause: Clause) -> Iterator[Draft]:
    """Having, owning, getting, adopting, collecting, keeping."""
    ws = clause.words
    lemma = clause.lemma
    picked = lemma == "pick" and clause.rest[:1] != [] and clause.rest[0].low == "up"
    acquired = (picked or lemma in ("buy", "get", "adopt", "inherit", "acquire")) and (
        clause.past or clause.perfect or clause.tag == "VBD" or (lemma == "adopt" and clause.tag == "VBN")
    )
    if (
        not (acquired or lemma in ("have", "own", "collect", "keep", "possess"))
        or clause.passive
        or (clause.progressive and lemma != "collect")
        or any(a in ("'d", "would", "could", "should", "can", "ca") for a in clause.aux)
    ):
        return
    if clause.subject.kind == "implied" and clause.tag == "VB" and not clause.used_to:
        return
    first = clause.verb + 1 + (picked or (clause.rest[:1] != [] and clause.rest[0].low.endswith(("self", "selves"))))
    for start, end in items(ws, first, clause.end, posts=_POSTS):
        if lemma == "inherit" and ws[start].tag == "PRP$":
            # "my nan's piano": what was inherited stands after the owner.
            owner = next((k for k in range(start, end) if ws[k].tag == "POS"), start)
            start = owner + 1 if owner + 1 < end else start
        if (end < clause.end and ws[end].tag in ("TO", "VB")) or ws[start].low in ("it", "to"):
            return
        relation = kind_of(ws, (start, end))
        if not relation or (lemma == "keep" and relation != "has_pet"):
            continue
        if relation == "owns" and lemma == "have" and not known_thing(ws, (start, end)):
            continue
        if relation == "owns" and not (_concrete(ws, (start, end)) or lemma in ("own", "collect", "inherit")):
            continue
        if (
            acquired
            and relation == "owns"
            and lemma != "inherit"
            and not (known_thing(ws, (start, end)) and (lemma == "buy" or picked or clause.has("new", "used")))
        ):
            continue
        if relation in ("has_pet", "has_vehicle") and ws[start].low in ("the", "it"):
            continue
        if lemma == "have" and _event_sense(ws, start, end, clause):
            continue
        span = (start + 1, end) if ws[start].low in ("no", "any") and end - start > 1 else (start, end)
        none = ws[start].low == "no" or clause.negated
        predicate = "keep" if lemma == "keep" and relation == "owns" else relation
        yield make(
            clause,
            predicate,
            span,
            polarity="negative" if none else "positive",
            types="thing",
            temporal="current" if acquired else None,
            since=acquired,
            importance=0.6 if relation != "owns" else 0.5,
            confidence=0.8,
        )


_THING_ENDINGS = (
    "board",
    "scope",
    "machine",
    "detector",
    "clock",
    "phone",
    "meter",
    "boat",
    "cycle",
    "wheel",
    "maker",
    "player",
)


def known_thing(ws: list[Word], span: Span) -> bool:
    """Whether "having" it is owning: a listed kind of thing, or a product by its name or model."""
    noun = head(ws, *span)
    lows = [w.low for w in ws[span[0] : span[1]]]
    if noun.low in words("screen_nouns"):
        return False
    if noun.low in words("instruments") or noun.low.endswith(_THING_ENDINGS):
        return True
    product = any(
        ((w.text[1:2].isupper() or any(c.isdigit() for c in w.text)) and w.tag != "CD")
        or (w.text[:1].isupper() and w.tag == "NNP")
        for w in ws[span[0] : span[1]]
    )
    return (
        noun.low in words("possessions")
        or noun.lemma in words("possessions")
        or lows[-1] in words("possessions")
        or (product and noun.low not in words("abstract"))
    )


def _event_sense(ws: list[Word], start: int, end: int, clause: Clause) -> bool:
    """As in "have a steak", "have half a banana": eating or an event, no possession."""
    noun = head(ws, start, end).low
    return noun in words("foods") or noun in words("dishes") or (clause.perfect and ws[clause.verb].low == "had")


@rule(
    ("I drive a 2012 Ford Focus", "has_vehicle: a 2012 Ford Focus"),
    ("my aunt drove a Trabant", "has_vehicle: a Trabant"),
    ("we ride a tandem", "has_vehicle: a tandem"),
    ("I've been driving the same Volvo for years", "has_vehicle: the same Volvo"),
    ("we drive a van too, a Fiat Ducato", "has_vehicle: a Fiat Ducato"),
)
def vehicle(clause: Clause) -> Iterator[Draft]:
    """Driving or riding one's own."""
    if clause.lemma not in ("drive", "ride", "lease") or clause.passive or clause.future or "can" in clause.aux:
        return
    ws = clause.words
    found: list[Span] = []
    i = clause.verb + 1
    span = object_after(clause, i)
    same = span is not None and exact(clause, span[0], "the", "same")
    if (
        not span
        or (ws[span[0]].low == "the" and not same)
        or head(ws, *span).low in words("anaphora") | words("public_vehicles")
    ):
        return
    if head(ws, *span).low in words("vehicles") or any(
        w.low in words("vehicles") or w.text[:1].isupper() for w in ws[span[0] : span[1]]
    ):
        found.append(span)
    k = span[1]
    while k < clause.end and ws[k].low in ("too", "also", ","):
        k += 1
    if found and k > span[1] and k < clause.end and ws[k].low in ("a", "an"):
        end = phrase(ws, k, clause.end)
        if end > k and any(w.text[:1].isupper() for w in ws[k:end]):
            found = [(k, end)]
    for item in found:
        yield make(clause, "has_vehicle", item, types="thing", importance=0.6)


@rule(
    ("We sold the caravan in May", "owns: caravan"),
    ("our rabbit died last week", "has_pet: rabbit"),
    ("I cancelled my zoo membership", "owns: zoo membership"),
    ("we gave away the piano", "owns: piano"),
)
def loss(clause: Clause) -> Iterator[Draft]:
    """Selling, cancelling, giving away, dying: it is had no longer."""
    ws = clause.words
    lemma = clause.lemma
    if clause.future or clause.negated or not (clause.past or clause.perfect or clause.tag in ("VBD", "VBN")):
        return
    if lemma == "die" or (lemma == "pass" and exact(clause, clause.verb + 1, "away")):
        subject = clause.subject
        owned = any(w.tag == "POS" for w in ws[subject.start : subject.head])
        if subject.kind == "possessed" and ws[subject.head].low in words("pets") and not owned:
            start = subject.start + 1
            yield make(
                clause,
                "has_pet",
                (start, subject.end),
                subject="user",
                temporal="ended",
                until=True,
                cue="change",
                types="thing",
            )
        return
    if not clause.speaker or lemma not in words("parting_verbs"):
        return
    spot = clause.verb + 1
    if lemma == "give":
        if not any(w.low in ("away", "up") for w in clause.rest[:5]):
            return
        spot += ws[spot].low in ("away", "up") if spot < clause.end else 0
    span = object_after(clause, spot)
    if not span or ws[span[0]].low not in ("my", "our", "the"):
        return
    relation = kind_of(ws, span)
    if lemma == "lose" and relation != "has_pet":
        return
    if relation and (lemma != "cancel" or head(ws, *span).low in words("cancelable")):
        yield make(clause, relation, bare(ws, span), temporal="ended", until=True, cue="change", types="thing")
