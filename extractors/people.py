"""Rules about persons themselves: names, age and birth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make, object_after, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import TIME_NOUNS, Span
from graphmem.extractors.wordings import after, line, stands, wording

_TITLES = words("titles")


_MONTHS = words("months")


def name_at(ws: list[Word], i: int, end: int) -> Span | None:
    """Capitalised words at a place that may be a person's name."""
    j = i
    while (
        j < end
        and j < i + 4
        and ((ws[j].text[:1].isupper() and ws[j].text[1:].islower()) or ("-" in ws[j].text and ws[j].text[:1].isupper()))
    ):
        low = ws[j].low
        if low in words("nationalities") or low in words("languages") or low in _MONTHS or low in TIME_NOUNS:
            return None
        j += 1
    return (i, j) if j > i and ws[j - 1].low not in _TITLES else None


@rule(("I'm Marta, nice to meet you", "name: Marta"), ("hi, I am Jonas", "name: Jonas"), anyone=False)
def name_by_being(clause: Clause) -> Iterator[Draft]:
    """As in "I'm Marta": a capitalised word that is no nationality, place or title, closed by a mark or a conjunction."""
    if clause.lemma != "be" or clause.subject.kind != "user" or clause.negated or clause.past or clause.used_to:
        return
    span = name_at(clause.words, clause.verb + 1, clause.end)
    if not span or clause.words[span[0]].ent in ("NORP",) or (is_job(clause.words[span[0]].low) and span[1] - span[0] == 1):
        return
    following = clause.words[span[1]].low if span[1] < clause.end else "."
    if following in (",", ".", "!", "and", "but", ":", "here", "from", "(", "by", "on") and clause.words[span[0]].tag in (
        "NNP",
        "NN",
        "JJ",
        "UH",
        "NNPS",
    ):
        yield make(clause, "name", span, types="person", importance=0.8)


@rule(
    ("my name is Ewa", "name: Ewa"),
    ("everyone calls me Bo", "name: Bo"),
    ("call me Lex", "name: Lex"),
    ("my name's Ursula but I go by Ulla", "name: Ulla"),
    ("my barber is called Dino", "name: Dino"),
    ("our cat is called Miso", "name: Miso"),
)
def name_by_calling(clause: Clause) -> Iterator[Draft]:
    """As in "my name is", "call me", "I go by", "is called"."""
    ws = clause.words
    subject = clause.subject
    if (
        subject.kind == "possessed"
        and clause.lemma == "be"
        and ws[subject.head].low in ("name", "surname", "nickname")
        and not clause.negated
    ):
        span = name_at(ws, clause.verb + 1, clause.end)
        if not span and clause.rest and clause.rest[0].low.isalpha():
            span = (clause.verb + 1, clause.verb + 2)
        owner = owner_of(clause)
        if span and not (owner and owner.split()[-1].lower() in words("partners")):
            yield make(clause, "name", span, subject=owner, types="person", importance=0.8)
    elif (clause.lemma == "call" and clause.rest and clause.rest[0].low == "me" and not clause.past) or stands(clause, _ME_AS):
        if clause.negated or subject.text.lower() in ("nobody", "no-one", "no", "none"):
            return
        span = name_at(ws, after(clause, _ME_AS) or clause.verb + 2, clause.end)
        if span:
            yield make(
                clause, "name", span, subject="user", replaces=_not_that(clause, span[1]), types="person", importance=0.8
            )
    elif clause.speaker and not clause.past and (spot := after(clause, _GOES_BY)) is not None:
        span = name_at(ws, spot, clause.end)
        if span:
            yield make(clause, "name", span, types="person", importance=0.8)
    elif clause.lemma in ("call", "name") and clause.passive and subject.kind in ("possessed", "pronoun"):
        span = name_at(ws, clause.verb + 1, clause.end)
        if span and subject.kind == "possessed" and ws[subject.head].low in words("pets"):
            # "Our other dog": each of several is told by what stands before it.
            pet = clause.text(subject.start + 1, subject.head + 1)
            yield make(clause, "name", span, subject=pet, types="thing", importance=0.8)
        elif span and clause.lemma == "call":
            yield make(clause, "name", span, types="person")
    elif (
        clause.lemma == "spell"
        and clause.passive
        and (subject.text.lower() in ("it", "name") or subject.text.lower().endswith("name"))
    ):
        span = name_at(ws, clause.verb + 1, clause.end)
        if span:
            yield make(clause, "name", span, subject="user", cue="correction", types="person", importance=0.8)


_ME_AS = wording(r"(?:address|know|knows|refer to|list|introduce|save|put) me (?:down |in )?as")
_GOES_BY = wording(
    r"(?:go|goes|going) by", r"answers? to", r"{be} (?:called|named|known as)".format(be=r"(?:'m|am|'re|are|is)")
)
_NAME_IS = wording(
    r"(?:the|my) (?:name|handle|moniker|spelling) (?:is|'s)", r"spelling (?:is|'s)", r"name (?:is|'s)", opens=True
)
_IT_IS = wording(r"it (?:is|'s)", opens=True)


@rule(
    ("the name's Otis", "name: Otis"),
    ("It's Anneke, with two n's", "name: Anneke"),
    fragments=False,
)
def name_by_form(clause: Clause) -> Iterator[Draft]:
    """As in "the name's X", "spelling's X", and "it's X, with a K" where the letters are told."""
    if clause.lemma != "be" or clause.negated or clause.past or clause.subject.kind == "possessed":
        return
    ws = clause.words
    span = name_at(ws, after(clause, _NAME_IS) or clause.end, clause.end)
    told = name_at(ws, after(clause, _IT_IS) or clause.end, clause.end)
    if told and _spelled(clause, told[1]):
        yield make(clause, "name", told, subject="user", types="person", importance=0.8)
    elif span:
        yield make(clause, "name", span, subject="user", types="person", importance=0.8)


def _spelled(clause: Clause, at: int) -> bool:
    """As in ", with a K and a y", ", spelled with two t's": what follows a name when its letters are told."""
    lows = [w.low for w in clause.words[at : clause.end]]
    if lows[:1] == [","]:
        lows = lows[1:]
    if not lows or lows[0] not in ("with", "without", "spelled", "spelt", "no", "double"):
        return False
    return any(len(low.rstrip("'s")) == 1 and low not in ("a", "s", ",") for low in lows[1:5]) or lows[0] in (
        "spelled",
        "spelt",
    )


def owner_of(clause: Clause) -> str | None:
    """As in "my partner's name is": the partner; "my name is": the speaker."""
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


@rule(("hi, this is Mika", "name: Mika"), anyone=False)
def name_by_greeting(clause: Clause) -> Iterator[Draft]:
    """As in "this is Mika" at the front of a sentence."""
    if clause.lemma == "be" and clause.subject.text.lower() == "this" and clause.start == 0:
        span = name_at(clause.words, clause.verb + 1, clause.end)
        if span and (span[1] == clause.end or clause.words[span[1]].low in (",", "again", "!", ".")):
            yield make(clause, "name", span, subject="user", types="person")


@rule(("I'm 44", "age: 44"), ("I'm 29 and single", "age: 29"), ("my son is 12 years old", "age: 12 years old"))
def age(clause: Clause) -> Iterator[Draft]:
    """As in "I'm 44", "she is five years old"."""
    if (
        clause.lemma not in ("be", "turn")
        or clause.past == (clause.lemma == "be")
        or clause.future
        or clause.negated
        or not clause.rest
        or clause.mark in ("before", "until", "when", "if")
    ):
        return
    ws = clause.words
    first = clause.rest[0]
    old = any(w.low == "old" for w in clause.rest[:3])
    tens, _, _ = first.low.partition("-")
    number = (first.low.isdecimal() and len(first.low) < 4 and 1 <= int(first.low) <= 110) or tens in words("tens")
    timed = first.time and not old and not (clause.lemma == "turn" and number)
    if not (number or (old and first.tag == "CD")) or timed:
        return
    end = first.i + 1
    if old:
        end = next(w.i for w in clause.rest if w.low == "old") + 1
    elif (
        end < clause.end
        and not (clause.lemma == "turn" and (ws[end].time or ws[end].low in ("in", "on")))
        and ws[end].low not in (",", ".", "and", "but", "!", "now", "so", "not")
    ):
        return
    if clause.speaker or clause.subject.kind in ("possessed", "named", "pronoun"):
        denied = _not_that(clause, end)
        fields = {"temporal": "current"} if clause.lemma == "turn" else {}
        yield make(clause, "age", (first.i, end), timed=False, replaces=denied, cue="correction" if denied else None, **fields)


_ROUGHLY = wording(
    r"(?:pushing|nearing|approaching|past|knocking on) (?P<near>\d+|thirty|forty|fifty|sixty|seventy|eighty|ninety)",
    r"(?P<decade>in my (?:early |mid |mid-|late )?(?:twenties|thirties|forties|fifties|sixties|seventies|eighties|[2-9]0s))",
)


@rule(("I'm in my forties", "age: in my forties"), ("I'm pushing 70", "age: 70"), anyone=False)
def age_roughly(clause: Clause) -> Iterator[Draft]:
    """As in "in my forties", "pushing 70"."""
    if clause.past or clause.negated or not clause.speaker or clause.lemma not in ("be", "push", "near", "approach", "knock"):
        return
    found = _ROUGHLY.search(line(clause))
    if found:
        group = "near" if found.group("near") else "decade"
        start = clause.start + line(clause).count(" ", 0, found.start(group))
        end = start + found.group(group).count(" ") + 1
        if end < clause.end and clause.words[end].low not in (",", ".", "and", "but", "now", "!", "with"):
            return
        yield make(clause, "age", (start, end), timed=False, confidence=0.7)


@rule(
    ("I was born on 4 May 1979", "born_on: 4 May 1979"),
    ("my birthday is on 9 July", "born_on: 9 July"),
    ("I was born in 1991", "born_on: 1991"),
    ("I was born in Pune", "born_in: Pune"),
)
def born(clause: Clause) -> Iterator[Draft]:
    """Birth dates and birth places."""
    ws = clause.words
    birthday = ws[clause.subject.head].low in ("birthday", "bday", "birthdate", "birth") if clause.subject.head >= 0 else False
    if (
        (birthday and clause.lemma in ("be", "fall") and clause.subject.kind in ("possessed", "other"))
        or stands(clause, _INTO_THE_WORLD)
        or clause.lemma == "bear"
        or ws[clause.verb].low == "born"
    ):
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
        if (_date_word(ws[i]) or (birthday and ws[i].low in words("festivals"))) and not (
            i > start and ws[i - 1].low in ("at", "until")
        ):
            j = i + (ws[i].low in words("festivals"))
            while j < clause.end and (
                _date_word(ws[j])
                or ws[j].low in ("of", "the", "th")
                or (ws[j].low == "," and j + 1 < clause.end and ws[j + 1].low.isdigit())
            ):
                j += 1
            while ws[j - 1].low in ("of", "the", ","):
                j -= 1
            subject = "user" if birthday and clause.subject.kind == "other" else None
            yield make(
                clause,
                "born_on",
                (i, j),
                subject=subject if not birthday else _owner_of(clause),
                temporal="current",
                replaces=_not_that(clause, j),
                cue="correction" if _not_that(clause, j) else None,
                importance=0.8,
            )
            i = j
            continue
        if ws[i].low == "in" and i + 1 < clause.end and ws[i + 1].tag == "NNP" and not _date_word(ws[i + 1]):
            span = object_after(clause, i + 1)
            if span and not birthday:
                yield make(clause, "born_in", span, temporal="current", timed=False, types="place")
                i = span[1]
                continue
        i += 1


_INTO_THE_WORLD = wording(r"(?:came|arrived|come) into (?:this|the) world", r"made my (?:debut|entrance|appearance) on")


def _owner_of(clause: Clause) -> str | None:
    text = re.sub(r"\s*['’]s? (?:birthday|bday|birthdate)$", "", clause.subject.text)
    return "user" if text == clause.subject.text else text


def _date_word(word: Word) -> bool:
    return (word.low in _MONTHS and word.text[:1].isalpha() and word.tag != "MD") or bool(
        re.fullmatch(r"\d{1,4}(?:st|nd|rd|th)?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|first|second|third", word.low)
    )


_HALF = wording(r"(?:am|'m|is|'s|are|'re) half")


@rule(("I'm a Kenyan citizen", "nationality: Kenyan"), ("I'm half Greek, half Irish", "nationality: Irish"))
def citizenship(clause: Clause) -> Iterator[Draft]:
    """As in "a X citizen", "a X passport", "half X, half Y"."""
    if clause.past or clause.negated or clause.future or clause.subject.kind in ("you", "other"):
        return
    ws = clause.words
    found = [
        ws[w.i - 1]
        for w in clause.rest
        if w.low in ("citizen", "national", "passport") and ws[w.i - 1].low in words("nationalities")
    ]
    found += [
        ws[w.i - 1]
        for w in clause.rest
        if w.low in ("citizen", "passport") and ws[w.i - 1].text[:1].isupper() and ws[w.i - 2].low in ("a", "an")
    ]
    if after(clause, _HALF) is not None:
        found = [w for w in clause.rest if ws[w.i - 1].low == "half"]
    for w in found:
        if w.text[:1].isupper() and not w.time:
            yield make(clause, "nationality", (w.i, w.i + 1), timed=False)
