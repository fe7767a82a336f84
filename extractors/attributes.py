"""Rules about attributes: the numbers, codes and places that one's things have, under the name of what they belong to.

Invariant: the name says what it is and not how new it is, so that "my new phone number" and "my phone number" are one
attribute; what is called old or former is over, and what is called new or current takes the place of the earlier value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make, object_after, rule
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span

_RENEWED = frozenset({"new", "newest", "current", "latest", "present", "updated"})
_OVER = frozenset({"old", "former", "previous"})
# "My old man" is nobody's former anything, and "my new one" is named elsewhere.
_UNNAMED = frozenset({"man", "lady", "woman", "boy", "girl", "guy", "friend", "mate", "pal", "one", "ones"})
_GONE: dict[str, Any] = {"temporal": "ended", "until": True, "cue": "change"}


class Named(NamedTuple):
    """What an attribute is called, and whether its words say that it is new, or over."""

    span: Span
    renewed: bool = False
    over: bool = False


@rule(
    ("my desk at the lab is number 12", "attribute: number 12"),
    ("my Friday course is in Room 7", "attribute: Room 7"),
    ("our wifi password is kettle42", "attribute: kettle42"),
    ("my new badge number is 4471", "attribute: 4471"),
    ("my old badge number was 3380", "attribute: 3380"),
    anyone=False,
    fragments=False,
)
def attribute(clause: Clause) -> Iterator[Draft]:
    """As in "my X at Y is Z": the value of something of one's own; what it belongs to is the context."""
    if clause.lemma != "be" or clause.subject.kind not in ("possessed", "other"):
        return
    named = _named(clause)
    if named is None or (clause.past and not named.over):
        return
    if clause.words[clause.subject.head].low in words("devices") | words("vehicle_names") | words("own_vehicles") and (
        clause.rest[:1] and clause.rest[0].low in ("a", "an")
    ):
        # "my phone is a Pixel 8" tells what it is, not a value of it.
        return
    span = _value(clause, clause.verb + 1, "in", "on", "at")
    if span:
        yield _draft(clause, named, span)


@rule(
    ("my badge number has changed, it's 4471 now", "attribute: 4471"),
    ("our door code changed and it is now 90B", "attribute: 90B"),
    ("my badge number has changed to 88-471", "attribute: 88-471"),
    anyone=False,
    fragments=False,
)
def attribute_changed(clause: Clause) -> Iterator[Draft]:
    """As in "my X has changed, it's Z now" and "my X has changed to Z"."""
    if clause.lemma != "change" or clause.subject.kind not in ("possessed", "other") or clause.passive:
        return
    named = _named(clause)
    if named is None or named.over:
        return
    ws = clause.words
    span = _value(clause, clause.verb + 2, "to") if clause.rest[:1] and clause.rest[0].low == "to" else None
    at = clause.end
    while at < len(ws) and ws[at].low in ("and", "so", ",", ":", ";"):
        at += 1
    if span is None and at + 2 < len(ws) and ws[at].low == "it" and ws[at + 1].low in ("is", "'s", "’s") and _ends(clause):
        span = _value(clause, at + 2 + (ws[at + 2].low == "now"), end=_stop(clause, at))
    if span:
        yield _draft(clause, named._replace(renewed=True), span)


def _ends(clause: Clause) -> bool:
    """Whether nothing but the time and marks stands after the verb: what changed is not told in this clause."""
    return all(w.is_mark or w.time or w.low in (",", "and", "so", "again", "recently", "just") for w in clause.rest)


def _stop(clause: Clause, start: int) -> int:
    """Where the words about the new value end."""
    ws = clause.words
    return next((w.i for w in ws[start + 2 :] if w.low in (",", ";", "and", "but", "now") and w.i > start + 2), len(ws))


def _named(clause: Clause) -> Named | None:
    """What the subject is called, if an attribute can be told of it."""
    subject, ws = clause.subject, clause.words
    if clause.negated or subject.start < 0 or (clause.aux and not clause.perfect):
        return None
    start = next((w.i + 1 for w in ws[clause.start : clause.verb] if w.low in ("my", "our")), None)
    if start is None or clause.group <= start:
        return None
    noun = ws[subject.head].low
    if noun == "address" and "mail" in subject.text.lower():
        noun = "e-mail"  # which is no place
    if noun in words("kin") | words("roles") | words("pets") | words("no_attribute"):
        return None
    whole = Named((start, clause.group))
    at, renewed, over = start, False, False
    while at < clause.group and ws[at].low in _RENEWED | _OVER | {"brand", "brand-new"}:
        renewed = renewed or ws[at].low in _RENEWED or ws[at].low == "brand-new"
        over = over or ws[at].low in _OVER
        at += 1
    if at == start or at > subject.head or noun in _UNNAMED or any(w.tag == "POS" for w in ws[at : clause.group]):
        # "My new office's number": it is the office that is new.
        return whole
    return Named((at, clause.group), renewed and not over, over)


def _value(clause: Clause, start: int, *skipped: str, end: int | None = None) -> Span | None:
    """The run of words from a place on that can be a value: it has a figure and names no time."""
    ws = clause.words
    i = start + (start < len(ws) and ws[start].low in skipped)
    if end is None:
        span = object_after(clause, i)
    else:
        last = next((w.i for w in ws[i:end] if w.is_mark), end)
        span = (i, last) if last > i else None
    if not span or any(w.time for w in ws[span[0] : span[1]]):
        return None
    # An e-mail address is a value of one word; without a figure or an "@" there is none.
    return span if any(c.isdigit() or c == "@" for w in ws[span[0] : span[1]] for c in w.text) else None


def _draft(clause: Clause, named: Named, span: Span) -> Draft:
    fields: dict[str, Any] = _GONE if named.over else {"temporal": "current", "since": clause.lemma == "change"}
    if not named.over and (named.renewed or clause.has("now")):
        fields = {**fields, "cue": "change"}
    return make(clause, "attribute", span, subject="user", context=clause.text(*named.span), types="thing", **fields)
