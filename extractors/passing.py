"""Rules about whom and what one has, said in passing: "playing with my dog", "my two sons help", "in my red van".

Invariant: only "my" and "our" make it the speaker's, nothing lies between them and the noun but its count and description,
and a verb of saying or believing takes nothing with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, make, preposition, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items

_DESCRIBING = ("JJ", "JJR", "JJS", "CD", "NN", "HYPH", "VBN", "VBG", "NNP")
_SILENT = ("have", "own", "adopt", "get", "die", "pass", "lose", "sell", "rehome", "put", "give", "bury", "call", "name", "be")


def owned(clause: Clause, kind: str) -> Iterator[Span]:
    """The phrases after "my" or "our" whose noun is in a word group, without "my": "two grey cats"."""
    ws = clause.words
    for w in ws[clause.start : clause.end]:
        if w.low not in ("my", "our") or w.foreign:
            continue
        j = w.i + 1
        while j < clause.end and j <= w.i + 4 and ws[j].tag in _DESCRIBING and ws[j].low not in words(kind):
            j += 1
        while j + 1 < clause.end and ws[j + 1].low in words(kind) and ws[j].low in words(kind):
            j += 1  # "my pet rabbits"
        if j >= clause.end or ws[j].low not in words(kind) or any(x.text[:1].isupper() for x in ws[w.i + 1 : j + 1]):
            continue
        after = ws[j + 1] if j + 1 < clause.end else None
        if any(x.low in words("no_longer_had") for x in ws[w.i + 1 : j]):
            continue
        if after is not None and (after.tag in ("POS", "NN", "NNS", "NNP") or after.low in ("-", "who", "whose", "in")):
            continue
        yield w.i + 1, j + 1
        if j + 2 < clause.end and ws[j + 1].low in ("and", "&") and ws[j + 2].low in words(kind):
            # "my dogs and cats"
            yield j + 2, j + 3


def _told(clause: Clause) -> bool:
    """Whether what is said in passing may be taken: a plain clause of the present, or of one's own past doing."""
    if clause.future or clause.used_to or clause.mark in ("if", "unless", "when", "before", "until"):
        return False
    if clause.lemma in (words("reporting") - {"keep", "call"}) | words("opinion_verbs") | {
        "want",
        "need",
        "know",
        "ask",
        "wonder",
    }:
        return False
    if any(w.lemma in words("reporting") and w.tag == "VBG" for w in clause.rest[:2]):
        # "my dad keeps saying ..."
        return False
    if clause.lemma == "be" and set(clause.sentence.fillers) & words("jokes"):
        return False
    return not (clause.past and clause.lemma in ("be", "have"))


@rule(
    ("I'm playing with my dog", "has_pet: dog"),
    ("my three grey cats keep me awake", "has_pet: three grey cats"),
)
def pet_in_passing(clause: Clause) -> Iterator[Draft]:
    """As in "walking my dog", "my cat knocked it over"."""
    if not _told(clause) or clause.lemma in _SILENT[:-1] or (clause.negated and clause.lemma in ("be", "want", "like")):
        return
    for span in owned(clause, "pets"):
        yield make(
            clause, "has_pet", span, subject="user", temporal="current", polarity="positive", timed=False, types="thing",
            confidence=0.7,
        )  # fmt: skip


@rule(
    ("I live alone with a parrot", "has_pet: a parrot"),
    ("I live with my cats and my gran", "has_family: gran"),
    ("we share a flat with three ferrets", "has_pet: three ferrets"),
    anyone=False,
)
def living_with(clause: Clause) -> Iterator[Draft]:
    """As in "I live with a parrot", "I share a house with two cats"."""
    ws = clause.words
    if (
        clause.lemma not in ("live", "share", "stay")
        or not clause.speaker
        or not _told(clause)
        or clause.past
        or clause.negated
    ):
        return
    spot = preposition(clause, "with")
    for start, end in items(ws, spot, clause.end) if spot else ():
        noun = head(ws, start, end).low
        counted = ws[start].low in ("a", "an", "my", "our") or ws[start].tag == "CD"
        if counted and noun in words("pets") | words("kin"):
            relation = "has_pet" if noun in words("pets") else "has_family"
            span = bare(ws, (start, end)) if ws[start].low in ("my", "our") else (start, end)
            yield make(clause, relation, span, temporal="current", timed=False, confidence=0.75)


@rule(
    ("we all fit into our old blue van", "has_vehicle: old blue van"),
    ("I listen to it in my red truck", "has_vehicle: red truck"),
)
def vehicle_in_passing(clause: Clause) -> Iterator[Draft]:
    """As in "in my red van": described, since "my car" alone says little."""
    if not _told(clause) or clause.negated or clause.lemma in _SILENT:
        return
    for span in owned(clause, "own_vehicles"):
        if span[1] - span[0] > 1:
            yield make(
                clause, "has_vehicle", span, subject="user", temporal="current", polarity="positive", timed=False,
                types="thing", confidence=0.65,
            )  # fmt: skip


@rule(
    ("my two sons cook on Sundays", "has_family: two sons"),
    ("I'm watching it with my daughter", "has_family: daughter"),
    ("my wife bakes bread", "has_family: wife"),
)
def kin_in_passing(clause: Clause) -> Iterator[Draft]:
    """As in "my sister paints", "with my two sons": the speaker has these relatives."""
    if not _told(clause) or clause.lemma in _SILENT[:-1] or (clause.negated and clause.lemma == "be"):
        return
    for span in owned(clause, "near_kin"):
        yield make(
            clause, "has_family", span, subject="user", temporal="current", polarity="positive", timed=False, types="person",
            confidence=0.65, importance=0.4,
        )  # fmt: skip
