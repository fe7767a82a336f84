"""The values of answers: what in a short reply is the place, name, date, thing or choice that was asked for.

Invariant: a value has the type of the relation asked about; words of another type make nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import Span, head, items, phrase
from graphmem.extractors.profiles import Fragment, fragment

_NAMED = frozenset({"lives_in", "works_at", "name", "studies_at", "has_vehicle"})
_SIDES = frozenset({"both", "my", "the", "left", "right", "one", "each", "either", "in", "of", "lower", "upper"})
_LISTED = frozenset({"health", "allergic_to", "uses_tool", "speaks", "has_pet"})


def typed(ws: list[Word], start: int, topic: str, denied: bool, question: str) -> Iterator[Fragment]:
    """The values of a reply from a place on, by what was asked; after a denial only what puts a guess right."""
    guess = _asked_value(question) if denied else None
    cue: dict[str, Any] = {"cue": "correction", "replaces": guess} if guess else {}
    while start + 1 < len(ws) and ws[start].low in _ADVERBS:
        start += 1
    if topic in _NAMED:
        span = capitalised(ws, start) or (_described(ws, start) if topic in ("lives_in", "has_vehicle", "studies_at") else None)
        if span and not (denied and not cue) and _fits(ws, span, topic):
            yield fragment(topic, ws, span, {"importance": 0.7, **cue})
    elif topic in _LISTED:
        if not denied or (topic == "uses_tool" and cue):
            for found in _listed(ws, start, topic):
                found.fields.update(cue)
                yield found
    elif topic in ("has_family", "married_to"):
        if not denied:
            yield from _relative(ws, start, topic)
    elif topic == "has_job":
        yield from _job(ws, start)
    elif topic in ("favourite", "choice"):
        yield from (_favourite if topic == "favourite" else _choice)(ws, start, question)
    else:
        yield from _measured(ws, start, topic)


_ADVERBS = frozenset({"still", "just", "mainly", "mostly", "only", "usually", "currently", "probably", "now", "always"})
_PLACED = frozenset({"in", "near", "outside", "by", "at", "of", "from"})


def _described(ws: list[Word], start: int) -> Span | None:
    """As in "a village outside Tartu", "an old Micra", "geology at Oulu": a phrase that ends in a name."""
    stop = next((w.i for w in ws[start:] if w.low in (",", ".", "(", "!")), len(ws))
    name = next((w.i for w in ws[start:stop] if w.text[:1].isupper() and w.i > start), None)
    if name is None or stop - start > 7 or any(w.tag[:2] == "VB" or w.tag in ("PRP", "MD") for w in ws[start:stop]):
        return None
    end = name
    while end < stop and (ws[end].text[:1].isupper() or ws[end].text[:1].isdigit()):
        end += 1
    article = ws[start].low in ("a", "an", "the", "my", "our")
    if ws[name - 1].low in ("at", "in") and not article:
        return name, end
    return (start, end) if article and end == stop else None


def _measured(ws: list[Word], start: int, topic: str) -> Iterator[Fragment]:
    """A date of birth, an age, a way to get to work."""
    if topic == "age":
        at = next((w for w in ws[start:] if w.low.isdecimal()), None)
        if at and len(at.low) < 4 and 5 <= int(at.low) <= 110 and len(ws) - start <= 4:
            yield fragment("age", ws, (at.i, at.i + 1), {})
    elif topic == "transport":
        for w in ws[start:]:
            if w.low in words("transport") | words("vehicles") or w.low in ("foot", "walking", "cycling"):
                yield fragment("commutes_by", ws, (w.i, w.i + 1), {})
    elif topic == "born_on":
        span = _date(ws, start)
        if span:
            yield fragment(topic, ws, span, {"importance": 0.8, "own_time": True})


def _relative(ws: list[Word], start: int, topic: str) -> Iterator[Fragment]:
    """As in "two girls", "single", "to a Norwegian"."""
    first = ws[start]
    if topic == "has_family":
        if first.tag == "CD" or first.low in ("two", "three", "one", "four", "a", "an", "twins") or first.low in words("kin"):
            stop = max(phrase(ws, start, len(ws)), start + 1)
            yield fragment(topic, ws, (start, stop), {"importance": 0.7})
    elif first.low in words("relationship"):
        yield fragment(topic, ws, (start, start + 1), {})
    elif first.low == "to":
        stop = phrase(ws, start + 1, len(ws), loose=True)
        if stop > start + 1:
            yield fragment(topic, ws, (start + 1, stop), {"importance": 0.7})


def _job(ws: list[Word], start: int) -> Iterator[Fragment]:
    """As in "Product manager, at a small fintech"."""
    stop = phrase(ws, start, len(ws), loose=True)
    span = (start + (ws[start].low in ("a", "an")), stop)
    if stop <= start or not is_job(head(ws, *span).low):
        return
    yield fragment("has_job", ws, span, {"importance": 0.7})
    at = next((w.i for w in ws[stop:] if w.low in ("at", "for")), None)
    if at is not None:
        place = phrase(ws, at + 1, len(ws), loose=True)
        if place > at + 1:
            yield fragment("works_at", ws, (at + 1, place), {"importance": 0.7})


def _fits(ws: list[Word], span: Span, topic: str) -> bool:
    """Whether capitalised words can be the value asked for: no opener of a sentence that is an ordinary word."""
    first = ws[span[0]]
    if span[0] > 0 and span[1] - span[0] == 1 and first.low in words("months"):
        return False
    ordinary = first.tag in (
        "UH",
        "RB",
        "IN",
        "PRP",
        "PRP$",
        "WP",
        "WRB",
        "MD",
        "CC",
        "VB",
        "VBP",
        "VBZ",
        "DT",
        "JJ",
        "JJR",
        "VBG",
    )
    return not (first.i == 0 and span[1] - span[0] == 1 and (ordinary or first.low in words("openers")) and topic != "name")


def _favourite(ws: list[Word], start: int, question: str) -> Iterator[Fragment]:
    """As in "Your favourite film?" - "Stalker, easily"."""
    asked = re.search(r"(?:favou?rite|fave) (?P<category>[\w -]{2,30}?)(?=[?,.]|$| and\b| of\b| to\b)", question, re.IGNORECASE)
    stop = next((w.i for w in ws[start:] if w.low in (",", ".", "!", "because", "but", "for", "and")), len(ws))
    if asked and 0 < stop - start <= 5 and ws[start].tag not in ("PRP", "RB", "UH", "VB", "WP", "WRB", "IN", "TO"):
        fields = {"kind": "preference", "context": asked.group("category")}
        yield fragment("favourite", ws, (start, stop), fields)


def _choice(ws: list[Word], start: int, question: str) -> Iterator[Fragment]:
    """As in "Tea or coffee?" - "coffee", "decaf at night"; "Short answers or long ones?" - "the shorter the better"."""
    if not re.search(r"\b(?:prefer|rather|should i|you like|or)\b", question, re.IGNORECASE) or len(ws) - start > 7:
        return
    kind = {"kind": "preference"}
    if (
        len(ws) - start >= 4
        and ws[start].low == "the"
        and ws[start + 1].tag in ("JJR", "RBR")
        and "better" in [w.low for w in ws]
    ):
        yield fragment("prefers", ws, (start + 1, start + 2), kind)
        return
    only = next((w for w in ws[start + 1 :] if w.low == "only" and ws[w.i - 1].tag[:2] in ("NN", "JJ")), None)
    if only is not None and only.i + 1 < len(ws):
        yield fragment("prefers", ws, (only.i - 1, only.i), {**kind, "context_span": (ws[only.i + 1].start, ws[-1].end)})
        return
    offered = {low.lower() for pair in re.findall(r"(\w+)(?: \w+)? or (?:\w+ )?(\w+)", question) for low in pair}
    for w in ws[start:]:
        if w.low in offered and w.tag[:2] in ("NN", "JJ", "VB", "RB") and w.low not in ("not", "no"):
            yield fragment("prefers", ws, (w.i, w.i + 1), kind)
            return


def _listed(ws: list[Word], start: int, topic: str) -> Iterator[Fragment]:
    if topic == "has_pet" and ws[0].low in ("she", "he", "it", "they"):
        start = next((w.i for w in ws if w.low in ("a", "an")), start)
    for span in items(ws, start, len(ws), posts=frozenset({"of", "in"}), loose=topic in ("uses_tool", "allergic_to")):
        lows = [w.low for w in ws[span[0] : span[1]]]
        fits = (
            (topic == "uses_tool" and any(w.text[:1].isupper() or w.text[1:] != w.low[1:] for w in ws[span[0] : span[1]]))
            or (
                topic == "health"
                and (
                    " ".join(lows).removeprefix("a ") in words("conditions")
                    or any(is_condition(low) for low in lows)
                    or (any(low in words("body") for low in lows) and not (set(lows) <= words("body") | _SIDES))
                )
            )
            or (topic == "allergic_to" and head(ws, *span).tag.startswith("N"))
            or (topic == "speaks" and any(low in words("languages") for low in lows))
            or (topic == "has_pet" and any(low in words("pets") for low in lows))
        )
        if fits:
            context = None
            if span[1] < len(ws) and ws[span[1]].low in ("when", "for", "at"):
                stop = next((w.i for w in ws[span[1] :] if w.low in (",", ".", "and")), len(ws))
                context = (ws[span[1]].start, ws[stop - 1].end)
            yield fragment(topic, ws, span, {"context_span": context} if context else {})


def diet_words(ws: list[Word], start: int) -> Iterator[Fragment]:
    """Ways of eating, and foods after "no"."""
    i = start
    while i < len(ws):
        low = ws[i].low
        two = f"{low} {ws[i + 1].low}" if i + 1 < len(ws) else ""
        if two in words("diets") or low in words("diets"):
            stop = i + (2 if two in words("diets") else 1)
            yield fragment("diet", ws, (i, stop), {"importance": 0.8})
            i = stop
            continue
        if low == "no" and i + 1 < len(ws) and ws[i + 1].low in words("foods") | words("allergens"):
            yield fragment("diet", ws, (i + 1, i + 2), {"importance": 0.8, "polarity": "negative"})
            i += 2
            continue
        i += 1


def avoided(ws: list[Word], start: int) -> Iterator[Fragment]:
    """The foods of a reply to what is not eaten: "offal, and anything with coriander"."""
    for span in items(ws, start, len(ws)):
        if head(ws, *span).low in words("foods") | words("allergens") and ws[span[0]].low != "no":
            yield fragment("diet", ws, span, {"importance": 0.8, "polarity": "negative"})


def capitalised(ws: list[Word], start: int) -> Span | None:
    """The capitalised words at a place, after a preposition or article."""
    i = start
    while i < len(ws) and ws[i].low in ("in", "at", "a", "an", "the", "from", "near", ","):
        i += 1
    j = i
    while j < len(ws) and (
        ws[j].text[:1].isupper() or (ws[j].low in ("of", "the") and j > i and j + 1 < len(ws) and ws[j + 1].text[:1].isupper())
    ):
        j += 1
    return (i, j) if j > i else None


def _date(ws: list[Word], start: int) -> Span | None:
    i = next((w.i for w in ws[start:] if any(c.isdigit() for c in w.text)), None)
    if i is None:
        return None
    j = i
    while i > start and ws[i - 1].text[:1].isupper():
        i -= 1
    while j + 1 < len(ws) and (ws[j + 1].text[:1].isupper() or ws[j + 1].low.isdigit() or ws[j + 1].low == "of"):
        j += 1
    return i, j + 1


def _asked_value(question: str) -> str | None:
    """As in "You live in Turku, right?": what the assistant supposed."""
    found = re.search(
        r"\byou(?:'re| are)? (?:still |currently |now )?(?:live in|living in|based in|work (?:at|for|as)|use|"
        r"using|have|drive|study at|speak|a|an) (?:an? |the )?"
        r"(?P<value>[\w'.& -]+?)(?: (?:for|as|at|in|to|with) [\w' -]+)?(?:,? (?:right|correct|yes|no|isn't|aren't|don't)|\?)",
        question,
        re.IGNORECASE,
    )
    return found.group("value") if found else None
