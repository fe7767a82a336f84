"""Corrections of the value alone: "oops, I mean 15 March", "no wait, Tuesday", "sorry, I meant Bergen".

Invariant: a bare value puts right the statement said just before only if it is a value of the same type (a name for a name, a
date for a date); it keeps that statement's relation and names what it takes the place of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graphmem.extractors.base import Claim, TimeValue
from graphmem.extractors.claims import due
from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.timex import resolve

_CUE = (
    r"(?:oops|whoops|oopsie|sorry|apologies|typo|no,? wait|wait,? no|wait|ah,? no|oh,? no|no,? sorry|my bad|"
    r"my mistake|correction|scratch that|"
    r"edit|i mistyped|i misspoke|misspoke|mistyped|argh|ugh|hang on|hold on|actually,? no|no,? actually|"
    r"strike that|fat fingers?|autocorrect|brain fart)"
)
_MEANT = (
    r"(?:(?:no,? )?i mean(?:t)?(?: to (?:say|write|type))?|make (?:that|it)|(?:it|that|this)(?:'s| is| "
    r"was)(?: actually| supposed to be| meant to be)?|"
    r"(?:(?:it|that|this) )?should(?: be|'ve been| have been| have said| read| say)|should've (?:been|said)|"
    r"or rather|rather|meant)"
)
_VALUE = r"(?:(?:on|in|at|the) )?(?P<value>[A-Za-z0-9][\w'./: -]{0,40}?)"
_END = (
    r"(?:,? (?:actually|sorry|of course|obviously|instead))?(?:,? not (?:on |in |at |the )?(?P<old>[\w' "
    r"-]{1,30}?))?(?=\s*(?:[.!]*$|[,;(]| that's))"
)
_FORMS = tuple(
    re.compile(source, re.IGNORECASE)
    for source in (
        rf"^\W*(?:{_CUE}[\s,.:!-]+)+(?:{_MEANT}\s+)?{_VALUE}{_END}",
        rf"^\W*(?:no,? )?(?:i mean(?:t)?(?: to (?:say|write|type))?|make that|(?:it|that|this) should(?: be|'ve "
        rf"been| have been| read)),?\s+{_VALUE}{_END}",
        r"^\W*i said (?P<old>[\w' -]{1,30}?)(?: earlier| before)?,? (?:but )?(?:(?:it|that) )?(?:should be|"
        r"should have been|i meant|meant|it's|is actually)\s+"
        r"(?P<value>[A-Za-z0-9][\w'./: -]{0,40}?)(?=\s*(?:[.!]*$|[,;(]))",
        r"^\*\s?(?P<value>[A-Za-z0-9][\w'-]*(?: [\w'-]+){0,2})\W*$",
        r"^(?P<value>[A-Za-z0-9][\w'-]*(?: [\w'-]+){0,2})\*\W*$",
        rf"^\W*{_VALUE},? (?:i mean(?:t)?|sorry|rather|typo)\W*$",
    )
)
_TAIL = re.compile(
    rf"(?:,|\s-+|\.\.)\s+(?P<tail>(?:{_CUE}[,:]?|no,|or rather,?|i mean,?) (?:{_MEANT} )?{_VALUE}(?:,? "
    rf"actually|,? sorry)?[.!]*)$",
    re.IGNORECASE,
)
_NAMED = frozenset(
    {"lives_in", "works_at", "studies_at", "name", "uses_tool", "has_vehicle", "married_to", "favourite", "has_pet", "speaks"}
)
_DATED = frozenset({"born_on"})


def put_right(sentence: Sentence, earlier: Sequence[Claim], *, turn: str, reference: datetime) -> tuple[Claim, Claim] | None:
    """The corrected claim and the one it takes the place of, if the sentence is a bare correction of a statement before it."""
    for form in _FORMS:
        found = form.search(sentence.text)
        if found:
            start, end = sentence.start, sentence.start + len(sentence.text.rstrip())
            quote = sentence.text.rstrip()
            return _corrected(found, sentence, earlier, reference, {"turn": turn, "start": start, "end": end, "quote": quote})
    return None


def put_right_inside(sentence: Sentence, made: Sequence[Claim], *, reference: datetime) -> tuple[Claim, Claim] | None:
    """As in "I live in Oslo, sorry, Bergen": the value is put right before the sentence ends."""
    found = _TAIL.search(sentence.text)
    if not found or not made:
        return None
    return _corrected(found, sentence, [c for c in made if c.start <= sentence.start + found.start()], reference, {})


def _corrected(
    found: re.Match[str], sentence: Sentence, earlier: Sequence[Claim], reference: datetime, place: dict[str, Any]
) -> tuple[Claim, Claim] | None:
    value = found.group("value").strip(" .")
    at = sentence.start + found.start("value")
    old = found.groupdict().get("old")
    tags = {w.tag for w in sentence.words if at <= w.start < at + len(value)}
    if len(value.split()) > 4 or tags & {"PRP", "MD", "VBP", "VBZ", "WP", "WRB", "UH"} or value.lower().split()[0] in _NO_VALUE:
        return None
    when = next((t for t in resolve(value, reference, lang="en") if t.start or t.end), None)
    been = next((t for t in resolve(f"it happened on {value}", reference, lang="en") if t.start or t.end), None)
    for claim in reversed(earlier):
        if claim.done or claim.kind == "procedure":
            continue
        if (
            old
            and old.strip().lower() not in claim.object.lower()
            and not (claim.time and old.lower() in claim.time.text.lower())
        ):
            continue
        changes = _changes(claim, value, been if been and claim.temporal in ("past", "ended") else when)
        if changes is not None:
            return claim.model_copy(update={**place, "cue": "correction", "rule": "value-put-right", **changes}), claim
    return None


_NO_VALUE = frozenset(
    {
        "that",
        "this",
        "it",
        "what",
        "not",
        "no",
        "yes",
        "just",
        "really",
        "so",
        "like",
        "never",
        "thanks",
        "about",
        "for",
        "to",
        "a",
        "my",
        "your",
    }
)


def _changes(claim: Claim, value: str, when: TimeValue | None) -> dict[str, Any] | None:
    """The fields that a value changes in a claim: its object if the types agree, its time if the value is one."""
    low, old = value.lower(), claim.object
    whole = when is not None and len(when.text) >= len(value)
    if claim.predicate in _DATED:
        return {"object": value, "replaces": old, "time": when} if when is not None or low.isdigit() else None
    if whole and when is not None and not low.isdigit():
        if claim.time is None:
            return None
        details = {**claim.details, "due": due([when])} if claim.kind == "open_item" else claim.details
        return {"time": when, "details": details, "replaces": old}
    if any(c.isdigit() for c in value):
        numbers = re.findall(r"\d+", old)
        if not numbers:
            return None
        # A bare number puts right a bare number: "35" does not replace "max 5 lines".
        fits = len(numbers) == 1 and low.isdigit() == old.isdigit()
        return {"object": value, "replaces": old} if fits else None
    if value[:1].isupper() and (old[:1].isupper() or claim.predicate in _NAMED):
        return {"object": value, "replaces": old, "mentions": ()}
    return {"object": value, "replaces": old} if _same_sort(claim, low) else None


def _same_sort(claim: Claim, low: str) -> bool:
    """Whether a common noun is a value of the claim's relation."""
    last = low.split()[-1]
    food = last in words("foods") | words("allergens")
    return (
        (claim.predicate == "has_job" and is_job(last))
        or (claim.predicate in ("diet", "allergic_to", "likes", "dislikes", "prefers") and (food or last in words("diets")))
        or (claim.predicate == "has_pet" and last in words("pets"))
        or (claim.predicate == "has_vehicle" and last in words("vehicles"))
        or (claim.predicate == "speaks" and last in words("languages"))
    )
