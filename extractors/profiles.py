"""Lines of self-description, item by item: "Joan, 61, Cardiff, two cats, hates yoga".

Invariant: each item is told by its own words (a number, a trade, a relative, a diet); an item that no list knows makes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import TIME_NOUNS, Span, head, phrase
from graphmem.extractors.things import is_animal

_SCHOOL = re.compile(r"universi|college|institut|academy|polytechnic|hochschule")


@dataclass(slots=True)
class Fragment:
    """A claim read from a phrase: character span of the object in the turn, and fields of the claim."""

    predicate: str
    start: int
    end: int
    rule: str
    fields: dict[str, Any]


def profile(ws: list[Word], start: int, end: int, *, named: bool = False) -> Iterator[Fragment]:
    """A line of self-description, item by item: "Joan, 61, Cardiff, two cats, hates yoga"."""
    cuts = [w.i for w in ws[start:end] if w.low in (",", "/", "|", ".") or _counts_on(ws, w.i, end)]
    first = not named
    for a, b in zip([start, *(cut + 1 for cut in cuts)], [*cuts, end], strict=True):
        if b > a:
            yield from _of_item(ws, a, b, first=first)
        first = first and b <= a


def _counts_on(ws: list[Word], i: int, end: int) -> bool:
    """As in "two sons and a whippet": another counted thing begins."""
    after = ws[i + 1] if i + 1 < end else None
    return ws[i].low in ("and", "&") and after is not None and (after.tag == "CD" or after.low in ("a", "an"))


def _of_item(ws: list[Word], a: int, b: int, *, first: bool) -> Iterator[Fragment]:
    """The claim of an item, and the employer after a job: "hydrologist with the Danish Met Office"."""
    found = _item(ws, a, b, first=first)
    if found:
        yield found
    if found and found.predicate == "has_job":
        at = next((w.i + 1 for w in ws[a:b] if w.low in ("at", "for", "with") and w.i > a), None)
        if at is not None and at < b:
            end = phrase(ws, at, b, loose=True)
            if end > at and any(w.text[:1].isupper() for w in ws[at:end]):
                yield fragment("works_at", ws, (at, end), {"importance": 0.7})


def _item(ws: list[Word], a: int, b: int, *, first: bool) -> Fragment | None:
    if any(w.tag == "PRP" or w.low in ("been", "be", "being") for w in ws[a:b]):
        return None
    if any(w.tag in ("VBZ", "VBP", "VBD", "MD") and w.low not in words("kin") for w in ws[a + 1 : b]):
        return None
    while a < b and ws[a].low in ("and", "a", "an", "also"):
        a += 1
    if a >= b:
        return None
    return _by_form(ws, a, b) or _by_list(ws, a, b) or _by_capital(ws, a, b, first=first)


def _by_form(ws: list[Word], a: int, b: int) -> Fragment | None:
    """An age, a former job, a town after "from", a verb of taste or habit."""
    w = ws[a]
    if b - a == 1 and w.low.isdecimal() and len(w.low) < 4 and 10 <= int(w.low) <= 110:
        return fragment("age", ws, (a, b), {})
    if w.low.startswith("ex-") and is_job(w.low[3:]):
        return Fragment("has_job", w.start + 3, w.end, "profile-line", {"temporal": "ended"})
    if w.low in ("former", "ex", "previously", "sometime", "onetime") and b - a >= 2 and is_job(head(ws, a, b).low):
        return fragment("has_job", ws, (a + 1, b), {"temporal": "ended"})
    if w.low in ("from", "based", "living") and b - a >= 2 and ws[b - 1].text[:1].isupper():
        start = next(x.i for x in ws[a + 1 : b] if x.text[:1].isupper())
        return fragment("lives_in", ws, (start, b), {"importance": 0.7})
    if w.low in ("hates", "hate", "dislikes", "loves", "likes", "love", "enjoys", "like") and b - a > 1:
        predicate = "dislikes" if w.low in ("hates", "hate", "dislikes") else "likes"
        return fragment(predicate, ws, (a + 1, b), {"kind": "preference"})
    if w.tag == "VBZ" and w.lemma in words("habit_verbs"):
        return fragment("habit", ws, (a, b), {})
    return None


def _by_list(ws: list[Word], a: int, b: int) -> Fragment | None:
    """An item that a word list knows: diet, relative, pet, condition, marital status, job."""
    last = head(ws, a, b)
    lows = [x.low for x in ws[a:b]]
    if lows[0] == "retired":
        return fragment("has_job", ws, (a, a + 1), {"importance": 0.6})
    if any(low in words("diets") for low in lows) or " ".join(lows[:2]) in words("diets"):
        return fragment("diet", ws, (a, b), {"importance": 0.8})
    if last.low in words("kin"):
        return fragment("has_family", ws, (a, b), {"importance": 0.7})
    if is_animal(ws, (a, b)):
        return fragment("has_pet", ws, (a, b), {})
    replaced = any(low in words("body") for low in lows) and ("replacements" in lows or "replacement" in lows)
    if replaced or any(is_condition(low) for low in lows):
        return fragment("health", ws, (a, b), {"importance": 0.7})
    if len(lows) == 1 and lows[0] in words("relationship"):
        return fragment("married_to", ws, (a, b), {})
    if is_job(last.low) and (not last.text[:1].isupper() or last.i > a):
        return fragment("has_job", ws, (a, last.i + 1), {"importance": 0.7})
    if any(low in words("languages") for low in lows) and lows[0] in ("fluent", "native", "speaks", "speak", "bilingual"):
        start = next(x.i for x in ws[a:b] if x.low in words("languages"))
        return fragment("speaks", ws, (start, start + 1), {})
    if any(low in words("vehicles") for low in lows) and lows[0] in words("counts") | {"drives"}:
        return fragment("has_vehicle", ws, (a + (lows[0] == "drives"), b), {})
    return None


def _by_capital(ws: list[Word], a: int, b: int, *, first: bool) -> Fragment | None:
    """Capitalised words: a nationality, the name if they come first, else a place."""
    if b - a > 3 or not all(x.text[:1].isupper() and x.low not in TIME_NOUNS for x in ws[a:b]):
        return None
    if ws[a].low in words("nationalities"):
        return fragment("nationality", ws, (a, b), {})
    if any(_SCHOOL.search(x.low) for x in ws[a:b]):
        return fragment("studies_at", ws, (a, b), {"importance": 0.6})
    return fragment("name" if first else "lives_in", ws, (a, b), {"importance": 0.7})


def fragment(predicate: str, ws: list[Word], span: Span, fields: dict[str, Any]) -> Fragment:
    """A fragment whose object is a run of words, without the marks at its end."""
    start, end = span
    while end > start + 1 and ws[end - 1].is_mark and ws[end - 1].text != ")":
        end -= 1
    return Fragment(predicate, ws[start].start, ws[end - 1].end, "answer" if "kind" not in fields else "profile-line", fields)
