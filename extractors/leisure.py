"""Rules about leisure: hobbies, passions, favourites that are named last, what is watched, read and listened to.

Invariant: a pastime is told of a kind of thing ("a lot of football", "old films"), never of the one that is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule
from graphmem.extractors.idioms import is_thing
from graphmem.extractors.lexicon import at_screen, words
from graphmem.extractors.likings import whole
from graphmem.extractors.phrases import Span, has_name, head, items, uncased
from graphmem.extractors.plans import verb_phrase
from graphmem.extractors.wordings import MY, after, wording

_LIKED: dict[str, Any] = {"kind": "preference", "subject": "user", "polarity": "positive", "temporal": "current"}
_POSTS = frozenset({"of", "with", "from"})
_HOBBY = (
    r"(?:main |big |biggest |favou?rite |other |only |new |true |real |great |first )*"
    r"(?:hobby|hobbies|passion|passions|pastime|pastimes|interests|love|obsession|guilty pleasure|jam|happy place)"
)
_HOBBY_IS = wording(
    rf"{MY} {_HOBBY} (?:is|are|'s|include|includes)(?: mainly| mostly| still| now| definitely)?",
    rf"{MY} (?:all-time |absolute |all time )?(?:favou?rite|fave)(?: thing(?: to do| ever)?| one)? (?:is|are|'s|would be)"
    r"(?: definitely| still| to)?",
    opens=True,
)
_IS_HOBBY = wording(
    rf"(?:is|are|'s) (?:definitely |really |also |still |one of |absolutely )*{MY} (?:{_HOBBY}|"
    r"(?:all-time |absolute |all time )?"
    r"(?:favou?rites?|faves?)(?: thing(?:s)?(?: to do)?)?|life)"
)


@rule(
    ("my hobbies are chess and fishing", "likes: chess"),
    ("my passion is beekeeping", "likes: beekeeping"),
    ("my favourite is blackcurrant", "likes: blackcurrant"),
    ("knitting is my hobby", "likes: knitting"),
    ("lentil soup is my favourite", "likes: lentil soup"),
    anyone=False,
    fragments=False,
)
def hobby(clause: Clause) -> Iterator[Draft]:
    """As in "my hobbies are X and Y", "X is my passion", "X is my favourite": liked, whatever it is a favourite among."""
    ws = clause.words
    if clause.negated or clause.past or clause.future:
        return
    spot = after(clause, _HOBBY_IS)
    if spot is not None and ws[spot].low not in words("anaphora") | {
        "the",
        "when",
        "how",
        "what",
        "your",
        "that",
        "being",
        "not",
    }:
        if ws[spot].tag in ("VBG", "VB"):
            for span in _doings(clause, spot):
                if ws[span[0]].low in words("mock_skills"):
                    continue
                yield make(clause, "likes", span, **_LIKED)
            return
        for span in items(ws, spot, clause.end, posts=_POSTS, loose=True):
            if head(ws, *span).low not in words("anaphora") | words("abstract") | {"color", "colour"}:
                yield make(clause, "likes", span, **_LIKED)
        return
    found = _IS_HOBBY.search(" ".join(clause.lows))
    if found is None or clause.lemma != "be" or clause.subject.start < 0 or clause.subject.kind not in ("other", "named"):
        return
    end = clause.start + " ".join(clause.lows).count(" ", 0, found.end()) + 1
    closed = end >= clause.end or ws[end].low in (",", ".", "!", "and", "but", "because", "too", "by", "though", "so", "as")
    if closed and (is_thing(clause) or (clause.subject.kind == "named" and uncased(ws))):
        yield make(clause, "likes", bare(ws, (clause.subject.start, whole(clause))), **_LIKED)


def _doings(clause: Clause, i: int) -> Iterator[Span]:
    """As in "reading, hiking and playing chess": each doing with its own words."""
    ws = clause.words
    starts = [i] + [w.i for w in ws[i + 1 : clause.end] if w.tag == "VBG" and ws[w.i - 1].low in (",", "and", "&")]
    for start, stop in zip(starts, [*starts[1:], clause.end], strict=True):
        span = verb_phrase(clause, start)
        if span:
            end = min(span[1], stop)
            while end > start + 1 and ws[end - 1].low in ("and", ",", "&"):
                end -= 1
            yield start, end


@rule(
    ("I'm a huge jazz fan", "likes: jazz"),
    ("I'm a cat lover", "likes: cat"),
    ("I'm an Everton supporter", "likes: Everton"),
)
def follower(clause: Clause) -> Iterator[Draft]:
    """As in "I'm a big X fan", "I'm an X supporter"."""
    ws = clause.words
    if (
        clause.lemma != "be"
        or clause.negated
        or clause.past
        or clause.future
        or clause.subject.kind in ("you", "other", "pronoun")
    ):
        return
    for w in clause.rest[1:7]:
        if w.low not in words("followers"):
            continue
        start = next((x.i + 1 for x in clause.rest if x.low in ("a", "an") and x.i < w.i), None)
        while start is not None and start < w.i and ws[start].low in words("judging_adjectives") | words("fan_degrees"):
            start += 1
        ends = w.i + 1 >= clause.end or ws[w.i + 1].low in (",", ".", "!", "and", "but", "so", "too", "myself", "since", "also")
        if start is not None and start < w.i and ends and ws[w.i - 1].tag[:2] in ("NN", "JJ", "VB"):
            yield make(clause, "likes", (start, w.i), kind="preference", polarity="positive", temporal="current")
        return


_SPEND = wording(
    r"(?:spend|spends) (?:a lot of |most of |all of |all |much of |lots of )?(?:my|our|the) (?:free |spare |days? off |whole )?"
    r"(?:time|weekends?|evenings?|days|summers?|winters?|mornings?|nights|sundays?|saturdays?|afternoons?|money)"
    r"(?: on| with| just)?"
)


@rule(("I spend my weekends fixing old clocks", "habit: fixing old clocks"), anyone=False, fragments=False)
def time_spent(clause: Clause) -> Iterator[Draft]:
    """As in "I spend my weekends doing X"."""
    ws = clause.words
    if clause.negated or clause.past or clause.future or clause.aux or clause.subject.kind != "user":
        return
    spot = after(clause, _SPEND)
    if spot is not None and ws[spot].tag == "VBG" and ws[spot].low not in ("trying", "being", "doing", "wondering", "thinking"):
        span = verb_phrase(clause, spot)
        if span and ws[span[1] - 1].low not in words("anaphora"):
            yield make(clause, "habit", span, confidence=0.7)


_MUCH = wording(
    r"(?:a lot of|lots of|a ton of|tons of|loads of|plenty of|too much|too many|so much|so many|alot of|mostly|mainly)"
)


@rule(
    ("I watch a lot of tennis", "watch: tennis"),
    ("I listen to Baltic folk music", "listen_to: Baltic folk music"),
    ("I read lots of biographies", "read: biographies"),
    ("I eat a lot of lentils", "eat: lentils"),
    anyone=False,
    fragments=False,
)
def pastime(clause: Clause) -> Iterator[Draft]:
    """What is watched, read, listened to, eaten or drunk much or in general: a bare kind of thing."""
    ws = clause.words
    lemma = clause.lemma
    low = ws[clause.verb].low
    if lemma not in ("watch", "listen", "read", "eat", "drink", "play") or clause.passive or clause.future or clause.negated:
        return
    plain = clause.tag in ("VBP", "VB") or low == "read"
    if (
        not plain
        or clause.aux
        or clause.used_to
        or clause.subject.kind != "user"
        or clause.mark in ("if", "when", "that", "as")
    ):
        return
    much = after(clause, _MUCH)
    spot = much if much is not None else clause.verb + 1
    if lemma == "listen":
        to = clause.verb + 1
        while to < clause.end and ws[to].pos == "ADV" and not ws[to].time:
            to += 1
        if not exact(clause, to, "to"):
            return
        spot = max(to + 1, spot)
    elif much is None:
        if lemma != "watch" and lemma != "read":
            return
        spot += spot < clause.end and ws[spot].low in ("only", "just", "usually", "always")
    if spot >= clause.end or ws[spot].tag in ("DT", "PRP$", "PRP", "CD", "WP", "IN") or ws[spot].low in words("anaphora"):
        return
    if low == "read" and much is None and (clause.tag == "VBD" or any(w.time for w in ws[clause.start : clause.end])):
        return
    for span in items(ws, spot, clause.end, posts=_POSTS):
        noun = head(ws, *span)
        if at_screen(noun.low) or noun.low in words("abstract") | words("anaphora") | {"time", "attention"}:
            return
        if noun.tag not in ("NNS", "NN", "NNP", "NNPS") or (lemma == "read" and much is None and noun.tag not in ("NNS",)):
            return
        # "I read a lot": the past of "read" is spelled like its present.
        yield make(clause, "listen_to" if lemma == "listen" else lemma, span, temporal="current", confidence=0.65)


@rule(
    ("I saw Low, my favourite band, in Leeds", "favourite: Low"),
    anyone=False,
)
def favourite_beside(clause: Clause) -> Iterator[Draft]:
    """As in "X, my favourite band": a name with what it is the favourite among right after it."""
    ws = clause.words
    for w in clause.rest:
        if w.low not in words("favourite_adjectives") or not exact(clause, w.i - 1, "my") or w.i < 3 or ws[w.i - 2].low != ",":
            continue
        start = w.i - 2
        while start - 1 > clause.verb and has_name(ws, start - 1, start):
            start -= 1
        span = object_after(clause, w.i + 1)
        if start < w.i - 2 and span and head(ws, *span).low not in ("thing", "one", "part"):
            yield make(clause, "favourite", (start, w.i - 2), context=clause.text(*span), **_LIKED)
