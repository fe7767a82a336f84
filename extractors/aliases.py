"""Rules about names beside names: nicknames, short forms, names put right, and two names that are not one.

Invariant: only a sentence that says so makes two names one; that one looks like the other, or abbreviates it, says nothing
by itself.  Both names are written with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphmem.canonical import apart, name_key
from graphmem.extractors.base import USER, Claim
from graphmem.extractors.english import Sentence
from graphmem.extractors.identities import bare_name, role_of, roles
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import TIME_NOUNS
from graphmem.model import Turn

_CAPITALS = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
_TAIL = r"[\w'’.&-]*[\w]"
_WORD = rf"(?:[{_CAPITALS}]{_TAIL}|[{_CAPITALS}])"
# "I" is no name; a number may follow a name, and small words may join two.
_NAME = rf"(?!I\b){_WORD}(?: (?:{_WORD}|\d+|(?:of|de|da|van|von|der|the|and) {_WORD}))*"
_ONE = rf"(?!I\b){_WORD}"
_CALLERS = r"(?:everyone|everybody|people|friends|my friends|all my friends|we all|they all|we|they|most people|the family)"
_END = r"(?=\s*(?:[,.!;)]|$|but\b|and\b|for short\b))"
_SAME = r"the same (?:person|people|company|firm|place|city|town|thing|man|woman|guy|band|team|one)"
_OTHERS = r"(?:two )?(?:different|separate) (?:people|persons|companies|places|things|cities|towns|teams|guys|women|men)"


class Pair(NamedTuple):
    """Two names in a sentence: the lesser one and the fuller one."""

    lesser: str
    fuller: str
    person: bool = False
    negative: bool = False


def _form(pattern: str, *, person: bool = False, negative: bool = False) -> tuple[re.Pattern[str], bool, bool]:
    filled = pattern.replace("{m}", rf"(?P<m>{_NAME})").replace("{n}", rf"(?P<n>{_NAME})")
    filled = filled.replace("{m1}", rf"(?P<m>{_ONE})").replace("{n1}", rf"(?P<n>{_ONE})")
    return re.compile(filled), person, negative


# m: the lesser name; n: the fuller one.
_FORMS = (
    _form(rf"{{n}}\s*[,(]\s*(?i:{_CALLERS}|I|his friends|her friends) (?i:calls?) (?:him|her|them) {{m}}{_END}", person=True),
    _form(rf"^\W*(?i:everyone|everybody|people|most people) (?:calls?) {{n1}} {{m1}}{_END}", person=True),
    _form(rf"{{n}} (?:goes by|answers to|likes to be called|prefers to be called|wants to be called) {{m}}{_END}", person=True),
    _form(rf"{{n}}(?:'s|’s) nickname is {{m}}{_END}", person=True),
    _form(rf"{{m}}(?:'s|’s) (?:real|full|actual|proper|given|legal|birth|official) name is {{n}}{_END}", person=True),
    _form(rf"{{m}}(?:,? who is|,? whose) (?:really|real name is|full name is) {{n}}{_END}", person=True),
    _form(rf"(?:^|(?<=\W))(?i:by) {{m}},? (?:I|we) (?:mean|meant) {{n}}{_END}"),
    _form(rf"{{m}} (?:means|stands for|is short for|is an abbreviation for|is an acronym for|is another name for|"
          rf"is an alias for|is a nickname for|is what (?:I|we) call|refers to) {{n}}{_END}"),
    _form(rf"{{n}}\s*[,(]?\s*(?:also (?:known as|called)|better known as|known as|a\.k\.a\.|aka|AKA|nicknamed) {{m}}{_END}"),
    _form(r"{n}\s*[,(]\s*(?:or )?{m} for short"),
    _form(rf"{{m}} (?:is|'s|’s) {_SAME} as {{n}}{_END}"),
    _form(rf"{{m1}} and {{n}} (?:are|'re) (?:really |actually )?{_SAME}"),
    _form(rf"{{m1}} and {{n}} (?:are|'re) (?:really |actually )?{_OTHERS}", negative=True),
    _form(rf"{{m1}} and {{n}} (?:are not|aren't|aren’t) {_SAME}", negative=True),
    _form(rf"{{m}} (?:is not|isn't|isn’t|'s not) {_SAME} as {{n}}{_END}", negative=True),
)  # fmt: skip
# Said of two people it tells them apart; of anything else it may tell anything ("Rome isn't Paris").
_IS_NOT = re.compile(rf"(?:^|[,;] )(?P<m>{_NAME}) (?:is not|isn't|isn’t) (?P<n>{_NAME})(?=\s*(?:[,.!;)]|$))")
_BRACKET = re.compile(rf"(?P<a>{_NAME}) \((?P<b>{_NAME})\)")
_CALLED = re.compile(rf"^\W*(?i:{_CALLERS}) (?:calls?|all call) (?:him|her) (?P<m>{_NAME}){_END}")
_NAME_IS = re.compile(
    rf"^\W*(?:(?i:sorry|oops|no|actually|wait)[, ]+)*(?:[Hh]er|[Hh]is) name(?:'s| is)(?: actually)? (?P<n>{_NAME})"
    rf"(?:,? not (?P<m>{_NAME}))?\W*$"
)
_IT_IS = re.compile(
    rf"^\W*(?:(?i:sorry|oops|no|actually|wait|i meant|i mean)[, ]+)*(?:(?i:it|she|he)(?:'s|’s| is) )?(?P<n>{_NAME})"
    rf",? not (?P<m>{_NAME})\W*$"
)
_SMALL = frozenset({"of", "de", "da", "van", "von", "der", "the", "and"})


def alias_claims(turn: Turn, sentence: Sentence, earlier: Sequence[Claim]) -> Iterator[Claim]:
    """What a sentence says of names; `earlier` are the claims that may tell who "she" is, the last one last."""
    text = turn.text[sentence.start : sentence.end].strip()
    if not any(cue in text for cue in _CUES):
        return
    # "X's not Y" and "Her name is" are the most that follows from a sentence: a question asks, and says nothing.
    if sentence.mark == "?":
        return
    seen = set()
    for pair in _pairs(text):
        keys = name_key(pair.lesser), name_key(pair.fuller)
        known = any(claim.predicate == "name" and name_key(claim.object) in keys and claim.quote in text for claim in earlier)
        if not all(map(_is_name, keys)) or keys[0] == keys[1] or keys in seen or known or (apart(*keys) and not pair.negative):
            continue
        seen.add(keys)
        yield _claim(turn, sentence, pair)
    for denied in _IS_NOT.finditer(text):
        if _type(sentence, denied["m"]) == _type(sentence, denied["n"]) == "person":
            yield _claim(turn, sentence, Pair(denied["m"], denied["n"], person=True, negative=True))
    yield from _of_pronoun(turn, sentence, text, earlier)


# Words by which statements speak of those who talk here: a friend who is called so would be taken for the owner.
_RESERVED = frozenset({USER, "assistant", "me", "you", "i"})


def _is_name(key: str) -> bool:
    """Whether it can be one by its words: "Friday means Pizza" and "everyone calls Uncle Bob" give nobody a name."""
    parts = set(key.split())
    return bool(parts) and not parts <= roles() | words("titles") | words("months") | TIME_NOUNS | _RESERVED


_CUES = (
    "call", "name", "goes by", "answers to", "mean", "short", "stands for", "abbreviation", "acronym", "alias", "refers to",
    "known as", "aka", "AKA", "a.k.a.", "the same", "different", "separate", "not ", "n't", "n’t", "(", "who is really",
)  # fmt: skip


def _pairs(text: str) -> Iterator[Pair]:
    for pattern, person, negative in _FORMS:
        for found in pattern.finditer(text):
            yield Pair(found["m"], found["n"], person, negative)
    for found in _BRACKET.finditer(text):
        short, full = sorted((found["a"], found["b"]), key=len)
        if _initials(full) == short.replace(".", ""):
            yield Pair(short, full)


def _initials(name: str) -> str:
    parts = [part for part in re.split(r"[\s-]+", name) if part not in _SMALL]
    return "".join(part[0] for part in parts) if len(parts) > 1 else ""


def _of_pronoun(turn: Turn, sentence: Sentence, text: str, earlier: Sequence[Claim]) -> Iterator[Claim]:
    """As in "Everyone calls him Bob" and "Her name is Claire, not Clara", where one person only was spoken of."""
    called, named = _CALLED.search(text), _NAME_IS.search(text) or _IT_IS.search(text)
    if not called and not named:
        return
    person = _spoken_of(earlier)
    if person is None:
        return
    name, role = bare_name(person), role_of(person) or role_of(person.removesuffix(bare_name(person)).strip())
    if called:
        if name and name_key(name) != name_key(called["m"]):
            # The quote begins where the person is named, for "him" alone names nobody.
            begin = min((claim.start for claim in earlier if claim.turn == turn.id and name in claim.quote), default=None)
            if begin is not None:
                yield _claim(turn, sentence, Pair(called["m"], name, person=True), begin=begin)
    elif named:
        wrong = named["m"]
        if (name or named.re is _IT_IS) and (wrong is None or name_key(name) != name_key(wrong)):
            return
        yield _named(turn, sentence, role or person, named["n"], wrong)


def _spoken_of(earlier: Sequence[Claim]) -> str | None:
    """The one person that the last claims are about, as they say it; None where there are several."""
    found: dict[str, str] = {}
    for claim in earlier:
        texts = [claim.subject] if claim.subject != USER else [name for name, type_ in claim.mentions if type_ == "person"]
        for text in texts:
            key = name_key(bare_name(text)) or name_key(text)
            if key and len(text) >= len(found.get(key, "")):
                found[key] = text
    return next(iter(found.values())) if len(found) == 1 else None


def _claim(turn: Turn, sentence: Sentence, pair: Pair, *, begin: int | None = None) -> Claim:
    types = {"person"} if pair.person else {_type(sentence, name) for name in (pair.lesser, pair.fuller)}
    # Taggers take short names for anything: what is no person, or not known to be one, is a thing of some kind.
    kind = "person" if "person" in types and types <= {"person", None} else "thing"
    return _whole(
        turn, sentence, begin, subject=pair.lesser, predicate="alias_of", object=pair.fuller,
        polarity="negative" if pair.negative else "positive", mentions=((pair.lesser, kind), (pair.fuller, kind)), rule="alias",
    )  # fmt: skip


def _named(turn: Turn, sentence: Sentence, who: str, name: str, wrong: str | None) -> Claim:
    return _whole(
        turn, sentence, None, subject=who, predicate="name", object=name, mentions=((name, "person"), (who, "person")),
        replaces=wrong, cue="correction" if wrong else None, rule="name-of-other",
    )  # fmt: skip


def _whole(turn: Turn, sentence: Sentence, begin: int | None, **fields: object) -> Claim:
    first = sentence.start if begin is None else min(begin, sentence.start)
    text = turn.text[first : sentence.end]
    quote = text.strip()
    start = first + text.index(quote)
    return Claim.model_validate(
        {"turn": turn.id, "start": start, "end": start + len(quote), "quote": quote, "kind": "fact", "confidence": 0.85,
         "importance": 0.4, **fields}
    )  # fmt: skip


_ENTITIES = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}


def _type(sentence: Sentence, name: str) -> str | None:
    """What the tagger takes a name for."""
    first = name.split()[0]
    return next((_ENTITIES.get(word.ent, "thing" if word.ent else None) for word in sentence.words if word.text == first), None)
