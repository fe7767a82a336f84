"""Rules about family: relatives, children, partners and marital status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import ENDED, Draft, make, object_after, preposition, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.people import name_at, owner_of
from graphmem.extractors.phrases import head, items

_COUNTS = words("counts")
_YOUNG = frozenset({"boy", "girl", "child", "kid", "baby", "teenager", "toddler"})  # "I'm a girl" names no relative


@rule(
    ("I have two sisters and no brothers", "has_family: two sisters"),
    ("we've got three kids", "has_family: three kids"),
    ("I have two sisters and no brothers", "has_family: brothers"),
    ("I have an aunt in Turin", "has_family: an aunt in Turin"),
)
def family_by_having(clause: Clause) -> Iterator[Draft]:
    """As in "I have two aunts and no uncles": one claim each, the second negative."""
    if clause.lemma != "have" or clause.passive:
        return
    ws = clause.words
    for start, end in items(ws, clause.verb + 1, clause.end, posts=frozenset({"of", "in"})):
        noun = head(ws, start, end).low
        if noun not in words("kin") or noun in ("family", "folks", "parents"):
            continue
        lead = ws[start].low
        none = lead in ("no", "any") or clause.negated
        if lead not in _COUNTS and ws[start].tag not in ("CD", "DT", "JJ") and noun not in words("children"):
            continue
        span = (start + 1, end) if lead in ("no", "any") and end - start > 1 else (start, end)
        # "She had her baby": it was born then, and did not go.
        born = clause.past and noun in ("baby", "babies", "twins", "triplets")
        yield make(
            clause, "has_family", span, polarity="negative" if none else "positive", types="person", importance=0.7,
            temporal="current" if born else None,
        )  # fmt: skip


@rule(
    ("I'm a mother of three", "trait: a mother of three"),
    ("I'm Petra's younger sister", "has_family: Petra"),
    ("the kids are 3 and 6", "has_family: kids"),
)
def family_by_being(clause: Clause) -> Iterator[Draft]:
    """As in "I'm a dad of two", "I'm Jen's brother", "the kids are 3 and 6"."""
    ws = clause.words
    if (
        clause.lemma not in ("be", "turn", "become")
        or clause.negated
        or clause.future
        or (clause.past and clause.lemma == "be")
    ):
        return
    if clause.speaker and clause.lemma == "be":
        yield from _listed_children(clause)
    if clause.subject.kind == "user" and clause.lemma in ("be", "become"):
        span = object_after(clause, clause.verb + 1)
        if (
            span
            and head(ws, *span).low in words("kin")
            and head(ws, *span).low not in words("partners")
            and (head(ws, *span).low not in _YOUNG or any(w.low == "of" or w.tag == "POS" for w in ws[span[0] : span[1]]))
            and (any(w.low == "of" or w.tag == "POS" for w in ws[span[0] : span[1]]) or ws[span[0]].low in ("a", "an"))
        ):
            owner = next((w.i for w in ws[span[0] : span[1]] if w.tag == "POS"), None)
            if owner is not None and ws[span[0]].text[:1].isupper():
                # "Jen's older brother": the relative is Jen; how the speaker stands to her is a detail.
                yield make(
                    clause,
                    "has_family",
                    (span[0], owner),
                    types="person",
                    importance=0.7,
                    details={"speaker_is": clause.text(owner + 1, span[1])},
                )
            else:
                # What the speaker is to others: "has family: mother" would speak of the speaker's own mother.
                yield make(
                    clause, "trait", span, importance=0.7, temporal="current", since=clause.lemma == "become", timed=False
                )
    elif (
        clause.subject.kind in ("other", "possessed")
        and clause.rest
        and clause.rest[0].tag == "CD"
        and clause.subject.head >= 0
    ):
        noun = ws[clause.subject.head]
        if noun.low in words("children") and clause.subject.start >= 0 and ws[clause.subject.start].low in ("the", "my", "our"):
            yield make(
                clause,
                "has_family",
                (noun.i, clause.group if ws[clause.group - 1].text == ")" else noun.i + 1),
                subject="user",
                types="person",
                temporal="current",
                timed=False,
            )


def _listed_children(clause: Clause) -> Iterator[Draft]:
    """As in "I'm 52 and divorced, two grown-up kids": counted children at the end of a line about oneself."""
    ws = clause.words
    for w in clause.rest:
        if w.tag == "CD" and ws[w.i - 1].low in (",", "and", "with"):
            end = w.i + 1
            while end < len(ws) and ws[end].tag in ("JJ", "NN", "NNS", "VBZ", "HYPH") and ws[end - 1].low not in words("kin"):
                end += 1
            if ws[end - 1].low in words("children"):
                yield make(clause, "has_family", (w.i, end), types="person", importance=0.7)


PARTNER: dict[str, Any] = {"types": "person", "importance": 0.7}
_AFTER_STATUS = frozenset({".", ",", "and", "but", "now", "again", "since", "!", "with", "for", "these", "at"})


@rule(
    ("my husband Ravi and I adopted twins", "married_to: Ravi"),
    ("my girlfriend Tess and I moved to Riga", "married_to: Tess"),
)
def partner_beside(clause: Clause) -> Iterator[Draft]:
    """As in "my wife Petra and I": the partner by name."""
    parts = (clause.subject.companion or "").split()
    if len(parts) < 2 or parts[0].lower() not in words("partners"):
        return
    found = clause.words[clause.subject.start : clause.subject.end]
    names = [w for w in found if w.text[:1].isupper() and w.low not in ("i", "my")]
    if names:
        span = (names[0].i, names[-1].i + 1)
        yield make(clause, "married_to", span, subject="user", temporal="current", timed=False, **PARTNER)


@rule(("my wife's name is Noor", "married_to: Noor"), fragments=False)
def partner_by_name(clause: Clause) -> Iterator[Draft]:
    """As in "my partner's name is X"."""
    if clause.subject.kind != "possessed" or clause.lemma != "be" or clause.words[clause.subject.head].low != "name":
        return
    owner = (owner_of(clause) or "").split()
    span = name_at(clause.words, clause.verb + 1, clause.end)
    if span and owner and owner[-1].lower() in words("partners"):
        yield make(clause, "married_to", span, subject="user", **PARTNER)


@rule(
    ("I married Iris in 2010", "married_to: Iris"),
    ("we got divorced last year", "married_to: divorced"),
    ("got engaged on Saturday", "married_to: engaged"),
)
def wedding(clause: Clause) -> Iterator[Draft]:
    """Marrying, getting engaged, getting divorced."""
    verb = clause.words[clause.verb]
    if not clause.speaker or not (
        clause.lemma in ("marry", "engage", "divorce", "separate", "widow") or verb.low in ("married", "divorced")
    ):
        return
    if clause.inherited and not clause.aux and verb.low in words("relationship"):
        # "I'm 52 and divorced"
        yield make(clause, "married_to", (verb.i, verb.i + 1), temporal="current", timed=False)
        return
    if "getting" in clause.aux or clause.future:
        return
    to = preposition(clause, "to")
    span = name_at(clause.words, to or clause.verb + 1, clause.end)
    if span:
        yield make(clause, "married_to", span, temporal="current", **PARTNER)
    elif verb.low == "divorced" and clause.passive and (clause.past or "got" in clause.aux):
        yield make(clause, "married_to", (verb.i, verb.i + 1), **ENDED)
    elif clause.passive and not to and not clause.negated and not clause.subject.companion:
        cue = "change" if clause.aux[:1] == ("got",) else None
        yield make(clause, "married_to", (verb.i, verb.i + 1), since=True, temporal="current", cue=cue)


@rule(
    ("I'm married to Iris", "married_to: Iris"), ("I'm single", "married_to: single"), ("I'm a widower", "married_to: widower")
)
def marital_status(clause: Clause) -> Iterator[Draft]:
    """Being single, married, widowed."""
    ws = clause.words
    if not clause.speaker or clause.lemma != "be":
        return
    for w in clause.rest[:6]:
        if w.low in words("relationship"):
            after = ws[w.i + 1].low if w.i + 1 < clause.end else "."
            if w.low in ("married", "engaged") and after == "to":
                span = name_at(ws, w.i + 2, clause.end)
                if span:
                    yield make(clause, "married_to", span, **PARTNER)
            elif after in _AFTER_STATUS:
                yield make(clause, "married_to", (w.i, w.i + 1), polarity="negative" if clause.negated else None)
            return
        if w.low in (",", "but") or w.pos == "VERB":
            return


@rule(
    ("my daughter Ida plays chess", "has_family: daughter Ida"),
    ("my brother Oskar lives in Kiel", "has_family: brother Oskar"),
    fragments=False,
)
def relative_by_name(clause: Clause) -> Iterator[Draft]:
    """A named relative or animal as the subject of a plain statement: the speaker has it."""
    subject = clause.subject
    if subject.kind == "possessed" and subject.start >= 0 and clause.lemma not in ("die", "pass"):
        parts = subject.text.split()
        # "our neighbour's dog Rex" is the neighbour's.
        owned = any(w.tag == "POS" for w in clause.words[subject.start : subject.end])
        if len(parts) >= 2 and parts[-1][:1].isupper() and parts[-2].lower() in words("pets") and not owned:
            yield make(
                clause,
                "has_pet",
                (subject.end - 2, subject.end),
                subject="user",
                temporal="current",
                polarity="positive",
                timed=False,
                types="thing",
            )
            return
    if subject.kind != "possessed" or subject.start < 0:
        return
    parts = subject.text.split()
    names = [p for p in parts[1:] if p[:1].isupper()]
    kin = next((p for p in parts if p.lower() in words("kin")), None)
    if not (kin and names and parts[-1][:1].isupper()):
        return
    owner = next((w.i for w in clause.words[subject.start : subject.end] if w.tag == "POS"), None)
    if owner is not None and (kin.lower() in words("partners") or clause.words[owner - 1].low not in words("kin")):
        # "my neighbour's wife Anna", "our boss's son Tim": related to that other one.
        return
    if kin.lower() in words("partners"):
        first = next(w for w in clause.words[subject.start : subject.end] if w.text[:1].isupper() and w.text in names)
        yield make(
            clause,
            "married_to",
            (first.i, subject.end),
            subject="user",
            temporal="current",
            polarity="positive",
            timed=False,
            types="person",
            importance=0.7,
        )
    else:
        start = subject.start + (clause.words[subject.start].low in ("my", "our"))
        yield make(
            clause,
            "has_family",
            (start, subject.end),
            subject="user",
            temporal="current",
            polarity="positive",
            timed=False,
            types="person",
            importance=0.7,
        )
