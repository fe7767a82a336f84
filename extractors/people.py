"""Rules about persons: names, age, birth, family and marital status."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import BE, Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import Span, head, items

_TITLES = frozenset({"mr", "ms", "mrs", "dr", "miss", "prof", "sir", "captain"})
_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_COUNTS = frozenset("one two three four five six seven eight nine ten eleven twelve twin no a an 1 2 3 4 5 6 7 8 9 10".split())


def _name_at(ws: list[Word], i: int, end: int) -> Span | None:
    """Capitalised words at a place that may be a person's name."""
    j = i
    while j < end and j < i + 4 and (ws[j].text[:1].isupper() and ws[j].text[1:].islower() or "-" in ws[j].text and ws[j].text[:1].isupper()):
        low = ws[j].low
        if low in words("nationalities") or low in words("languages") or low in _MONTHS:
            return None
        j += 1
    return (i, j) if j > i and ws[j - 1].low not in _TITLES else None


@rule(("I'm Marta, nice to meet you", "name: Marta"), ("hi, I am Jonas", "name: Jonas"), anyone=False)
def name_by_being(clause: Clause) -> Iterator[Draft]:
    """ "I'm Marta": a capitalised word that is no nationality, place or title, closed by a mark or a conjunction."""
    if clause.lemma != "be" or clause.subject.kind != "user" or clause.negated or clause.past or clause.used_to:
        return
    span = _name_at(clause.words, clause.verb + 1, clause.end)
    if not span or clause.words[span[0]].ent in ("NORP",) or is_job(clause.words[span[0]].low) and span[1] - span[0] == 1:
        return
    following = clause.words[span[1]].low if span[1] < clause.end else "."
    if following in (",", ".", "!", "and", "but", ":", "here", "from", "(", "by") and clause.words[span[0]].tag in ("NNP", "NN", "JJ", "UH", "NNPS"):
        yield make(clause, "name", span, types="person", importance=0.8)


@rule(
    ("my name is Ewa", "name: Ewa"), ("everyone calls me Bo", "name: Bo"), ("call me Lex", "name: Lex"),
    ("my name's Ursula but I go by Ulla", "name: Ulla"), ("my dentist is called Dr Holm", "name: Dr Holm"),
)  # fmt: skip
def name_by_calling(clause: Clause) -> Iterator[Draft]:
    """ "my name is", "call me", "I go by", "is called"."""
    ws = clause.words
    subject = clause.subject
    if subject.kind == "possessed" and clause.lemma == "be" and ws[subject.head].low in ("name", "surname", "nickname") and not clause.negated:
        span = _name_at(ws, clause.verb + 1, clause.end)
        if not span and clause.rest and clause.rest[0].low.isalpha():
            span = (clause.verb + 1, clause.verb + 2)
        owner = _owner(clause)
        if span and not (owner and owner.split()[-1].lower() in words("partners")):
            yield make(clause, "name", span, subject=owner, types="person", importance=0.8)
    elif clause.lemma == "call" and clause.rest and clause.rest[0].low == "me" and not clause.past:
        span = _name_at(ws, clause.verb + 2, clause.end)
        if span:
            yield make(clause, "name", span, subject="user", replaces=_not_that(clause, span[1]), types="person", importance=0.8)
    elif clause.speaker and clause.lemma in ("go", "go by") and clause.rest and clause.rest[0].low == "by":
        span = _name_at(ws, clause.verb + 2, clause.end)
        if span:
            yield make(clause, "name", span, types="person", importance=0.8)
    elif clause.lemma == "call" and clause.passive and subject.kind in ("possessed", "pronoun"):
        span = _name_at(ws, clause.verb + 1, clause.end)
        if span:
            yield make(clause, "name", span, types="person")
    elif clause.lemma == "spell" and clause.passive and subject.text.lower() in ("it", "name"):
        span = _name_at(ws, clause.verb + 1, clause.end)
        if span:
            yield make(clause, "name", span, subject="user", cue="correction", types="person", importance=0.8)


def _owner(clause: Clause) -> str | None:
    """ "my partner's name is": the partner; "my name is": the speaker."""
    text = re.sub(r"\s*['’]s? (?:\w+ )?(?:name|surname|nickname)$", "", clause.subject.text)
    return "user" if text == clause.subject.text else text


def _not_that(clause: Clause, at: int) -> str | None:
    """What a following ", not X" denies."""
    ws = clause.words
    while at < clause.end and ws[at].low == ",":
        at += 1
    if at + 1 < clause.end and ws[at].low == "not":
        span = object_after(clause, at + 1)
        return clause.text(*span) if span else None
    return None


@rule(("Mika here again", "name: Mika"), anyone=False)
def name_by_greeting(clause: Clause) -> Iterator[Draft]:
    """Stands in for the verbless greeting, which `answers` reads; here only "this is Mika"."""
    if clause.lemma == "be" and clause.subject.text.lower() == "this" and clause.start == 0:
        span = _name_at(clause.words, clause.verb + 1, clause.end)
        if span and (span[1] == clause.end or clause.words[span[1]].low in (",", "again", "!", ".")):
            yield make(clause, "name", span, subject="user", types="person")


@rule(("I'm 44", "age: 44"), ("I'm 29 and single", "age: 29"), ("my son is 12 years old", "age: 12 years old"))
def age(clause: Clause) -> Iterator[Draft]:
    """ "I'm 44", "she is five years old"."""
    if clause.lemma not in ("be", "turn") or clause.past or clause.negated or not clause.rest or clause.mark in ("before", "until", "when", "if"):
        return
    ws = clause.words
    first = clause.rest[0]
    old = any(w.low == "old" for w in clause.rest[:3])
    number = first.low.isdigit() and 1 <= int(first.low) <= 110
    if not (number or (old and first.tag == "CD")) or first.time and not old:
        return
    end = first.i + 1
    if old:
        end = next(w.i for w in clause.rest if w.low == "old") + 1
    elif end < clause.end and ws[end].low not in (",", ".", "and", "but", "!", "now", "so", "btw"):
        return
    if clause.speaker or clause.subject.kind in ("possessed", "named", "pronoun"):
        yield make(clause, "age", (first.i, end), timed=False)


@rule(
    ("I was born on 4 May 1979", "born_on: 4 May 1979"), ("my birthday is on 9 July", "born_on: 9 July"),
    ("I was born in 1991", "born_on: 1991"), ("I was born in Pune", "born_in: Pune"),
)  # fmt: skip
def born(clause: Clause) -> Iterator[Draft]:
    """Birth dates and birth places."""
    ws = clause.words
    birthday = ws[clause.subject.head].low in ("birthday", "bday", "birthdate", "birth") if clause.subject.head >= 0 else False
    if birthday and clause.lemma == "be" and clause.subject.kind in ("possessed", "other"):
        start = clause.verb + 1
    elif clause.lemma == "bear" or ws[clause.verb].low == "born":
        start = clause.verb + 1
    elif clause.lemma == "be" and clause.rest and any(w.low == "born" for w in clause.rest[:2]):
        start = next(w.i for w in clause.rest if w.low == "born") + 1
    else:
        return
    if clause.negated and not birthday:
        return
    i = start
    while i < clause.end:
        if ws[i].low == "not":
            break
        if _date_word(ws[i]) and not (i > start and ws[i - 1].low in ("at", "until")):
            j = i
            while j < clause.end and (_date_word(ws[j]) or ws[j].low in ("of", "the", "th") or (ws[j].low == "," and j + 1 < clause.end and ws[j + 1].low.isdigit())):
                j += 1
            while ws[j - 1].low in ("of", "the", ","):
                j -= 1
            subject = "user" if birthday and clause.subject.kind == "other" else None
            yield make(
                clause, "born_on", (i, j), subject=subject if not birthday else _owner_of(clause), temporal="current",
                replaces=_not_that(clause, j), cue="correction" if _not_that(clause, j) else None, importance=0.8,
            )  # fmt: skip
            i = j
            continue
        if ws[i].low == "in" and i + 1 < clause.end and ws[i + 1].tag == "NNP" and not _date_word(ws[i + 1]):
            span = object_after(clause, i + 1)
            if span and not birthday:
                yield make(clause, "born_in", span, temporal="current", timed=False, types="place")
                i = span[1]
                continue
        i += 1


def _owner_of(clause: Clause) -> str | None:
    text = re.sub(r"\s*['’]s? (?:birthday|bday|birthdate)$", "", clause.subject.text)
    return "user" if text == clause.subject.text else text


def _date_word(word: Word) -> bool:
    return word.low in _MONTHS and word.text[:1].isalpha() and word.tag != "MD" or bool(re.fullmatch(r"\d{1,4}(?:st|nd|rd|th)?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|first|second|third", word.low))


@rule(
    ("I have two sisters and no brothers", "has_family: two sisters"), ("we've got three kids", "has_family: three kids"),
    ("I have two sisters and no brothers", "has_family: brothers"), ("I have an aunt in Turin", "has_family: an aunt in Turin"),
)  # fmt: skip
def family_by_having(clause: Clause) -> Iterator[Draft]:
    """ "I have three brothers and no sisters": one claim each, the second negative."""
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
        yield make(clause, "has_family", span, polarity="negative" if none else "positive", types="person", importance=0.7)


@rule(
    ("I'm a mother of three", "has_family: mother of three"), ("I'm Petra's younger sister", "has_family: Petra"),
    ("the kids are 3 and 6", "has_family: kids"),
)  # fmt: skip
def family_by_being(clause: Clause) -> Iterator[Draft]:
    """ "I'm a dad of two", "I'm Jen's brother", "the kids are 3 and 6"."""
    ws = clause.words
    if clause.lemma not in ("be", "turn", "become") or clause.negated or clause.future or clause.past and clause.lemma == "be":
        return
    if clause.speaker and clause.lemma == "be":
        yield from _listed_children(clause)
    if clause.subject.kind == "user" and clause.lemma in ("be", "become"):
        span = object_after(clause, clause.verb + 1)
        if span and head(ws, *span).low in words("kin") and head(ws, *span).low not in words("partners") and (
            any(w.low == "of" or w.tag == "POS" for w in ws[span[0] : span[1]]) or ws[span[0]].low in ("a", "an")
        ):
            owner = next((w.i for w in ws[span[0] : span[1]] if w.tag == "POS"), None)
            if owner is not None and ws[span[0]].text[:1].isupper():
                # "Jen's older brother": the relative is Jen; how the speaker stands to her is a detail.
                yield make(clause, "has_family", (span[0], owner), types="person", importance=0.7, details={"speaker_is": clause.text(owner + 1, span[1])})
            else:
                yield make(
                    clause, "has_family", bare(ws, span), types="person", importance=0.7, temporal="current", since=clause.lemma == "become",
                )  # fmt: skip
    elif clause.subject.kind == "other" and clause.rest and clause.rest[0].tag == "CD" and clause.subject.head >= 0:
        noun = ws[clause.subject.head]
        if noun.low in words("kin") and ws[clause.subject.start].low == "the":
            yield make(
                clause, "has_family", (noun.i, clause.group if ws[clause.group - 1].text == ")" else noun.i + 1), subject="user", types="person",
                temporal="current", timed=False,
            )  # fmt: skip


def _listed_children(clause: Clause) -> Iterator[Draft]:
    """ "I'm 52 and divorced, two grown-up kids": counted children at the end of a line about oneself."""
    ws = clause.words
    for w in clause.rest:
        if w.tag == "CD" and ws[w.i - 1].low in (",", "and", "with"):
            end = w.i + 1
            while end < len(ws) and ws[end].tag in ("JJ", "NN", "NNS", "VBZ", "HYPH") and ws[end - 1].low not in words("kin"):
                end += 1
            if ws[end - 1].low in words("children"):
                yield make(clause, "has_family", (w.i, end), types="person", importance=0.7)


@rule(
    ("I'm married to Iris", "married_to: Iris"), ("my husband Ravi and I got married in 2012", "married_to: Ravi"),
    ("my wife's name is Noor", "married_to: Noor"), ("I'm single", "married_to: single"), ("I'm a widower", "married_to: widower"),
    ("we got divorced last year", "married_to: divorced"), ("my girlfriend Tess and I moved to Riga", "married_to: Tess"),
)  # fmt: skip
def marriage(clause: Clause) -> Iterator[Draft]:
    """Partner by name, or marital status."""
    ws = clause.words
    yield from _companion(clause)
    if clause.subject.kind == "possessed" and clause.lemma == "be" and ws[clause.subject.head].low == "name":
        owner = _owner(clause) or ""
        span = _name_at(ws, clause.verb + 1, clause.end)
        if span and owner.split()[-1:] and owner.split()[-1].lower() in words("partners"):
            yield make(clause, "married_to", span, subject="user", types="person", importance=0.7)
        return
    if not clause.speaker:
        return
    if clause.inherited and not clause.aux and ws[clause.verb].low in words("relationship") and ws[clause.verb].tag in ("VBN", "VBD"):
        yield make(clause, "married_to", (clause.verb, clause.verb + 1), temporal="current", timed=False)
        return
    if clause.lemma in ("marry", "engage", "divorce", "separate", "widow") or ws[clause.verb].low in ("married", "divorced"):
        verb = ws[clause.verb]
        to = preposition(clause, "to")
        span = _name_at(ws, to, clause.end) if to else _name_at(ws, clause.verb + 1, clause.end)
        if span:
            yield make(clause, "married_to", span, temporal="current", types="person", importance=0.7)
        elif verb.low == "divorced" and clause.passive and (clause.past or "got" in clause.aux):
            yield make(clause, "married_to", (verb.i, verb.i + 1), temporal="ended", until=True, cue="change")
        elif clause.passive and not to and not clause.negated and not clause.subject.companion:
            yield make(clause, "married_to", (verb.i, verb.i + 1), since=True, temporal="current", cue="change" if clause.aux[:1] == ("got",) else None)
        return
    if clause.lemma == "be":
        for w in clause.rest[:6]:
            if w.low in words("relationship") and w.i + 1 <= clause.end:
                after = ws[w.i + 1].low if w.i + 1 < clause.end else "."
                if w.low in ("married", "engaged") and after == "to":
                    span = _name_at(ws, w.i + 2, clause.end)
                    if span:
                        yield make(clause, "married_to", span, types="person", importance=0.7)
                    return
                if after in (".", ",", "and", "but", "now", "again", "since", "!", "with", "for", "these", "at") or w.i + 1 == clause.end:
                    yield make(clause, "married_to", (w.i, w.i + 1), polarity="negative" if clause.negated else None)
                return
            if w.low in (",", "but") or w.pos == "VERB":
                return


def _companion(clause: Clause) -> Iterator[Draft]:
    """ "my wife Karin and I": the partner by name."""
    companion = clause.subject.companion
    if companion and len(companion.split()) >= 2 and companion.split()[0].lower() in words("partners"):
        start = clause.subject.start
        names = [w for w in clause.words[start : clause.subject.end] if w.text[:1].isupper() and w.low != "i" and w.low != "my"]
        if names:
            yield make(
                clause, "married_to", (names[0].i, names[-1].i + 1), subject="user", temporal="current", timed=False, types="person", importance=0.7
            )


@rule(("my daughter Ida plays chess", "has_family: daughter Ida"), ("my brother Oskar lives in Kiel", "has_family: brother Oskar"), fragments=False)
def relative_by_name(clause: Clause) -> Iterator[Draft]:
    """A named relative as the subject of a plain statement: the speaker has that relative."""
    subject = clause.subject
    if subject.kind != "possessed" or subject.start < 0:
        return
    parts = subject.text.split()
    names = [p for p in parts[1:] if p[:1].isupper()]
    kin = next((p for p in parts if p.lower() in words("kin")), None)
    if not (kin and names and parts[-1][:1].isupper()):
        return
    if kin.lower() in words("partners"):
        first = next(w for w in clause.words[subject.start : subject.end] if w.text[:1].isupper() and w.text in names)
        yield make(clause, "married_to", (first.i, subject.end), subject="user", temporal="current", polarity="positive", timed=False, types="person", importance=0.7)
    else:
        start = subject.start + (clause.words[subject.start].low in ("my", "our"))
        yield make(clause, "has_family", (start, subject.end), subject="user", temporal="current", polarity="positive", timed=False, types="person", importance=0.7)


