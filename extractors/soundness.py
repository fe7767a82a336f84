"""What no claim may be, whatever rule made it: its object is a value, ends where the value ends, and denies what it denies.

Invariant: a claim leaves here as it came, or with a shorter object and the polarity its words have, or not at all with a
reason; nothing is added to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.extractors.base import USER, Claim
from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.ownership import at_home

# Said of the statement and not of the value: when, how much, how surely.
_TAIL = re.compile(
    r"(?:\s*,?\s+(?:now(?:adays)?|these days|at the (?:moment|minute)|at present|right now|for now|currently|lately|recently|"
    r"all the time|all day|every now and then|now and (?:then|again)|from time to time|once in a while|"
    r"on the side|in (?:my|our) (?:spare|free) time|for (?:fun|pleasure)|a (?:lot|bit|little|great deal)|very much|so much|"
    r"these past (?:\w+ )?(?:days|weeks|months|years)|to be honest|to be fair|of course|as it happens|by the way|as well|"
    r"too|though|anyway|either|honestly|basically|actually|luckily|sadly|unfortunately|badly|poorly|occasionally|sometimes|"
    r"regularly|often|anymore|any more|please|sort of|kind of|or (?:so|something)|i (?:guess|think|suppose|reckon)))+[\s,.!]*$",
    re.IGNORECASE,
)
_VALUED = ("fact", "preference")
_STATES = frozenset(
    {"has_job", "works_at", "studies_at", "lives_in", "owns", "has_vehicle", "has_pet", "has_family", "married_to"}
)
_UNREAL = words("unreal_adjectives")
_DREAMT = re.compile(r"\b(?:my|our) (?:\w+ )?(?:" + "|".join(sorted(_UNREAL)) + r") (?!door)\w", re.IGNORECASE)
_INTOLERANT = re.compile(r"(?P<what>[\w-]+?)[ -]intolerant$", re.IGNORECASE)
_SOME_OF = re.compile(
    r"\b(?:half|most|some|part|none|neither|one|two|three|several|few|many|a few) (?:of )?(?:my|our) ", re.IGNORECASE
)
_FORMER = frozenset({"former", "ex", "erstwhile", "onetime", "one-time", "sometime"})
_MEASURES = frozenset({"lot", "lots", "alot", "bit", "ton", "tons", "much", "more", "plenty"})
_PERSONAL = frozenset(
    {"me", "him", "them", "it", "you", "us", "i", "he", "she", "they", "we", "there", "here", "myself", "itself", "ourselves"}
)


def settled(claim: Claim, sentences: Sequence[Sentence]) -> Claim | str:
    """The claim as it may be kept, or the reason why it may not."""
    if claim.rule == "short-place" and claim.predicate == "lives_in" and not at_home(claim, sentences):
        return "not_about_speaker"
    found = _object(claim, sentences)
    if not found or claim.kind in ("procedure", "open_item"):
        return claim
    acronym = found[0].text.isupper() and len(found[0].text) > 1  # "US", "IT"
    pointing = (found[0].low in _PERSONAL and not acronym) or (found[0].low in ("your", "yours") and claim.kind in _VALUED)
    if pointing or found[0].tag == "CC" or not any(_carries(word) for word in found):
        return "no_value"
    if claim.kind not in _VALUED:
        return claim
    if claim.subject != USER and _SOME_OF.search(claim.quote):
        # "half my family lives in Oslo": not the family.
        return "not_about_speaker"
    if claim.predicate in _STATES and len(found) > 1 and found[0].tag in ("VBZ", "MD") and claim.predicate != "has_job":
        return "no_value"
    if claim.predicate in _STATES and claim.modality == "asserted":
        dreamt = claim.subject == USER and _DREAMT.search(claim.quote)
        if dreamt or any(word.low in _UNREAL for word in found[:-1]):
            # "my dream car is a X", "a would-be novelist": not so, or not yet.
            return "not_yet"
        if found[0].low in _FORMER and len(found) > 1:
            rest = claim.object[found[1].start - found[0].start :]
            claim = _narrowed(claim, rest).model_copy(update={"temporal": "ended" if claim.temporal == "current" else "past"})
            return claim
    denied = found[0].low in ("no", "zero") and len(found) > 1 and found[0].tag in ("DT", "CD")
    if denied and claim.polarity == "positive" and claim.kind == "fact":
        rest = claim.object[found[1].start - found[0].start :]
        claim = _narrowed(claim, rest).model_copy(update={"polarity": "negative"})
    if claim.predicate == "diet" and (ill := _INTOLERANT.match(claim.object)):
        # What the body does not take is no way of eating.
        return _narrowed(claim, ill.group("what")).model_copy(update={"predicate": "allergic_to"})
    tail = _TAIL.search(claim.object) if claim.predicate != "habit" else None
    if tail and tail.start():
        claim = _narrowed(claim, claim.object[: tail.start()].rstrip(" ,"))
    return claim


def _narrowed(claim: Claim, value: str) -> Claim:
    """The claim with a shorter object, and what is mentioned in it as well."""
    mentions = tuple((value if name == claim.object else name, type_) for name, type_ in claim.mentions)
    return claim.model_copy(update={"object": value, "mentions": mentions})


def _object(claim: Claim, sentences: Sequence[Sentence]) -> list[Word]:
    """The words of the object, where they stand in the quote; none if they stand elsewhere."""
    at = claim.quote.find(claim.object)
    if at < 0:
        return []
    first, last = claim.start + at, claim.start + at + len(claim.object)
    return [
        word
        for sentence in sentences
        if sentence.start < last and first < sentence.end
        for word in sentence.words
        if first <= word.start and word.end <= last
    ]


def _carries(word: Word) -> bool:
    """Whether a word can be a value or part of one: no time, particle, pronoun or mark."""
    if word.text[:1].isupper() or any(c.isdigit() for c in word.text):
        return True
    if word.is_mark or word.low in words("anaphora") | _MEASURES or word.tag in ("IN", "RP", "TO", "DT", "CC", "PRP", "MD"):
        return False
    return not word.time or word.tag[:2] in ("CD", "JJ")
