"""Fragments: answers to the assistant's question, lines of self-description, and statements without a verb.

Invariant: a bare phrase means something only through the question before it ("Do you have children?" "two") or through its
own form ("no dairy either", "favourite colour? teal"); without either it makes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import Span, head, items, phrase

_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(source, re.IGNORECASE))
    for name, source in (
        ("profile", r"\b(?:introduce yourself|about yourself|tell me (?:a (?:bit|little) )?(?:more )?about you\b|who are you|know about you)"),
        ("allergic_to", r"\ballerg"),
        ("health", r"\b(?:health|medical|condition|injur|illness|medication)"),
        ("diet", r"\b(?:diet|dietary|food restriction|eat|meals?|vegetarian|vegan)"),
        ("born_on", r"\b(?:born|birthday|date of birth|birth year|birth date)\b"),
        ("has_pet", r"\b(?:pets?|dogs?|cats?|animals?)\b"),
        ("has_family", r"\b(?:children|kids|siblings|brothers?|sisters?|sons?|daughters?)\b"),
        ("studies_at", r"\b(?:study|studying|university|college|school|major)\b"),
        ("has_vehicle", r"\bwhat (?:car|vehicle|bike)|which (?:car|vehicle|bike)|what do you drive"),
        ("married_to", r"\b(?:married|partner|single|relationship)\b"),
        ("speaks", r"\b(?:languages?|speak)\b"),
        ("uses_tool", r"\b(?:tools?|software|apps?|editor|ide|framework|stack|do you use|operating system|browser)\b"),
        ("works_at", r"\b(?:where do you work|who do you work for|which company|what company|employer)\b"),
        ("has_job", r"\b(?:for work|for a living|your job|profession|occupation|your role|do you do|line of work|job title)\b"),
        ("lives_in", r"\b(?:where (?:do|are) you (?:live|living|based|from)|where you live|you (?:live|are based) in|which (?:city|town|country)|what (?:city|town|country)|your (?:city|address|home))\b"),
        ("name", r"\b(?:your name|call you|name should)\b"),
    )
)  # fmt: skip
_DIETS = re.compile(
    r"^\W*(?P<ended>no longer|not)?\s*(?P<diet>vegan|vegetarian|pescatarian|gluten[- ]free|dairy[- ]free|lactose[- ]free|plant[- ]based|kosher|halal|keto|lactose intolerant)\b(?P<more> any ?more)?",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"^\W*(?:no|not) (?P<object>[\w' -]+?)(?: for (?:me|us))?,? (?:any ?more|anymore|any longer)\b", re.IGNORECASE)
_FAVOURITE = re.compile(r"^\W*(?:my )?(?:all[- ]time )?(?:favou?rite|fave) (?P<category>[\w -]{2,30}?)\s*(?:\?|:|-)\s*$", re.IGNORECASE)
_FAVOURITE_IS = re.compile(r"^\W*(?:my )?(?:all[- ]time )?(?:favou?rite|fave) (?P<category>[\w -]{2,30}?)\s*[:=]\s*(?P<object>[^,.!?]{2,60})", re.IGNORECASE)
_OVER = re.compile(r"^\W*(?P<object>[\w' -]{3,40}?) over (?P<other>[\w' -]{3,40}?)(?=[,.!]|$| any day| always| every time)", re.IGNORECASE)
_HERE = re.compile(r"^\W*(?:(?:hi|hey|hello|yo)(?: there| all| again)?[,!]? )?(?P<name>[A-Z][\w'-]+) here\b(?: again)?")
_BIRTHDAY = re.compile(
    r"\b(?:my )?(?:birthday|bday)(?:'s| is|:)? (?:on )?(?:the )?(?P<date>\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]+(?:,? \d{4})?|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4})",
    re.IGNORECASE,
)
_VINTAGE = re.compile(r"\bI(?:'m| am) an? (?P<date>(?:19|20)\d\d) (?:vintage|baby|kid|model|child)(?P<rest>, \w+ to be (?:exact|precise))?", re.IGNORECASE)
_PREVIOUS_JOB = re.compile(r"\b(?:before that|previously|before)(?: I was| I worked)? at (?P<object>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*)")
_COURSE = re.compile(r"^\W*(?:evening |night |online |part-time )?(?:classes|lessons|courses|course|degree) at (?:the )?(?P<object>[A-Z][\w.-]*(?: [A-Z][\w.-]*)*)")
_NONE = re.compile(r"^\W*no (?P<noun>kids|children|siblings|brothers|sisters|pets|dogs?|cats?|car|allergies)\b(?P<more>(?:,? (?:and )?no (?:\w+))*)\W*$", re.IGNORECASE)
_YES = re.compile(r"^\W*(?:yes|yep|yeah|yup|no|nope|sure|well|just|only|oh|hm+|mostly|currently|it's|its|that's)\b[\s,.:]*", re.IGNORECASE)


@dataclass(slots=True)
class Fragment:
    """A claim read from a phrase: character span of the object in the turn, and fields of the claim."""

    predicate: str
    start: int
    end: int
    rule: str
    fields: dict[str, Any]


def topics(question: str | None) -> list[str]:
    """What the assistant's last turn asks about, most telling first; empty if it asks nothing."""
    if not question or not ("?" in question or re.search(r"\b(?:tell me|introduce|describe|share|let me know)\b", question, re.IGNORECASE)):
        return []
    asked = [s for s in re.split(r"(?<=[.!?])\s+", question) if "?" in s or re.search(r"\b(?:tell me|introduce|describe|share|let me know)\b", s, re.IGNORECASE)]
    return [name for name, pattern in _TOPICS if any(pattern.search(s) for s in asked)]


def statements(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """Verbless statements that need no question."""
    text, base = sentence.text, sentence.start
    if sentence.mark == "?":
        found = _FAVOURITE.search(text.rstrip(" ?") + "?")
        if found and following and following.mark != "?" and len(following.words) <= 6 and following.words:
            last = [w for w in following.words if w.pos != "PUNCT"]
            if last:
                yield Fragment("favourite", last[0].start, last[-1].end, "favourite-asked", {"kind": "preference", "context": found.group("category")})
        return
    found = _DIETS.search(text)
    if found:
        ended = bool(found.group("ended") and (found.group("more") or found.group("ended").lower() == "no longer"))
        if not found.group("ended") or ended:
            fields: dict[str, Any] = {"temporal": "ended", "cue": "change"} if ended else {}
            after = text[found.end() :].lstrip()
            if ended or re.match(r"^(?:$|[,.!]|since\b|and\b|for\b|but\b|at\b|now\b|here\b|btw\b)", after):
                yield Fragment("diet", base + found.start("diet"), base + found.end("diet"), "diet-fragment", {"importance": 0.8, **fields})
    found = _NO_MORE.search(text)
    if found and not _DIETS.search(text):
        thing = found.group("object").lower().split()
        food = any(w in words("foods") for w in thing)
        named = found.group("object")[:1].isupper()
        if food or named:
            yield Fragment(
                "diet" if food else "uses_tool", base + found.start("object"), base + found.end("object"), "no-more", {"temporal": "ended", "cue": "change", "importance": 0.6}
            )
    found = _FAVOURITE_IS.search(text)
    if found:
        yield Fragment("favourite", base + found.start("object"), base + found.end("object"), "favourite-line", {"kind": "preference", "context": found.group("category")})
    found = _OVER.search(text)
    if found and not any(w.pos in ("VERB", "AUX") and w.end <= base + found.end() for w in sentence.words) and _like_nouns(sentence, base + found.start("object")):
        yield Fragment("prefers", base + found.start("object"), base + found.end("object"), "over", {"kind": "preference", "details": {"over": found.group("other")}})
    found = _HERE.search(text)
    if found and any(w.text == found.group("name") and w.tag in ("NNP", "NN", "UH") for w in sentence.words[:4]) and found.group("name").lower() not in words("openers") | {"nothing", "everything", "over", "same", "right", "out"}:
        yield Fragment("name", base + found.start("name"), base + found.end("name"), "name-greeting", {"importance": 0.7})
    found = _BIRTHDAY.search(text)
    if found and text[: found.start()].strip(" ,.:").lower() in ("", "hi", "hey", "correction", "btw", "and"):
        denied = re.search(r",? not (?:the )?(?P<old>[\w ]+)", text[found.end() :])
        yield Fragment(
            "born_on", base + found.start("date"), base + found.end("date"), "birthday",
            {"importance": 0.8, "cue": "correction" if denied else None, "replaces": denied.group("old") if denied else None},
        )  # fmt: skip
    found = _VINTAGE.search(text)
    if found:
        end = found.end("rest") - len(re.search(r" to be .*", found.group("rest")).group()) if found.group("rest") and re.search(r" to be .*", found.group("rest")) else found.end("date")  # type: ignore[union-attr]
        yield Fragment("born_on", base + found.start("date"), base + end, "vintage", {"importance": 0.8})
    for none in re.finditer(r"\bno (?P<noun>\w+)", text) if _NONE.search(text) else ():
        noun = none.group("noun").lower()
        predicate = "has_family" if noun in words("kin") or noun == "siblings" else "has_pet" if noun in words("pets") else "has_vehicle" if noun in words("vehicles") else ""
        if predicate:
            yield Fragment(predicate, base + none.start("noun"), base + none.end("noun"), "none-line", {"polarity": "negative"})
    found = _PREVIOUS_JOB.search(text)
    if found:
        yield Fragment("works_at", base + found.start("object"), base + found.end("object"), "previous-job", {"temporal": "past"})
    found = _COURSE.search(text)
    if found:
        yield Fragment("studies_at", base + found.start("object"), base + found.end("object"), "course", {})


def _like_nouns(sentence: Sentence, at: int) -> bool:
    return any(w.start == at and w.tag in ("NN", "NNS", "NNP", "JJ", "NNPS", "VBG") for w in sentence.words)


def answers(sentence: Sentence, asked: list[str], question: str) -> Iterator[Fragment]:
    """Claims from a phrase that answers the assistant's question."""
    ws = [w for w in sentence.words if not w.foreign]
    if not ws or sentence.mark == "?":
        return
    yield from _renamed(ws, question)
    if not asked or not ws or sentence.mark == "?":
        return
    lead = _YES.match(sentence.text)
    skip = sentence.start + (lead.end() if lead else 0)
    start = next((w.i for w in ws if w.start >= skip), None)
    if start is None:
        return
    denied = bool(re.match(r"^\W*(?:no|nope)\b", sentence.text, re.IGNORECASE))
    topic = asked[0]
    if topic == "profile":
        yield from profile(ws, start, len(ws))
        return
    if topic == "diet" and "profile" not in asked:
        yield from _diet(ws, 0)
        return
    ws = _before_clause(ws)
    if not ws or any(w.tag in ("VBP", "VBZ", "VBD", "MD") and w.dep in ("ROOT", "ccomp") for w in ws) and not (ws[0].low in ("it", "she", "he", "they") and topic == "has_pet"):
        return
    yield from _typed(ws, start, topic, denied, question)


def _renamed(ws: list[Word], question: str) -> Iterator[Fragment]:
    """ "It's Ms Moore, Ada Moore": the name put right after the assistant used one."""
    if ws[0].low not in ("it", "its", "it's") or len(ws) < 3 or ws[1].low not in ("'s", "is", "s"):
        return
    span = _capitalised(ws, 2)
    last = span
    while span is not None and span[1] + 1 < len(ws) and ws[span[1]].low == ",":
        span = _capitalised(ws, span[1] + 1)
        last = span or last
    if last is None:
        return
    name = [w.text for w in ws[last[0] : last[1]] if w.low not in ("mr", "ms", "mrs", "dr", "miss")]
    if name and (name[-1] in question or re.search(r"\b(?:Mr|Ms|Mrs|Dr|Miss|your name|call you)\b", question)):
        start = next(w.i for w in ws[last[0] : last[1]] if w.text == name[0])
        yield _fragment("name", ws, (start, last[1]), {"cue": "correction", "importance": 0.8})


def _before_clause(ws: list[Word]) -> list[Word]:
    """The phrase before a clause that goes on about it: "Asthma and a bad knee, that's all"."""
    for w in ws[1:]:
        if w.low in ("that", "i", "it", "they", "we") and ws[w.i - 1].low == ",":
            return ws[: w.i - 1]
    return ws


def _typed(ws: list[Word], start: int, topic: str, denied: bool, question: str) -> Iterator[Fragment]:
    end = len(ws)
    cue: dict[str, Any] = {"cue": "correction", "replaces": _asked_value(question)} if denied and _asked_value(question) else {}
    if topic in ("lives_in", "works_at", "name", "studies_at", "has_vehicle"):
        span = _capitalised(ws, start)
        if span and not (denied and not cue):
            yield _fragment(topic, ws, span, {"importance": 0.7, **cue})
    elif topic == "born_on":
        span = _date(ws, start)
        if span:
            yield _fragment(topic, ws, span, {"importance": 0.8, "own_time": True})
    elif topic == "has_family" and not denied:
        w = ws[start]
        if w.tag == "CD" or w.low in ("two", "three", "one", "four", "a", "twins") or w.low in words("kin"):
            stop = max(phrase(ws, start, end), start + 1)
            yield _fragment(topic, ws, (start, stop), {"importance": 0.7})
    elif topic == "has_job":
        stop = phrase(ws, start, end, loose=True)
        span = (start + (ws[start].low in ("a", "an")), stop)
        if stop > start and is_job(head(ws, *span).low):
            yield _fragment(topic, ws, span, {"importance": 0.7})
            at = next((w.i for w in ws[stop:] if w.low in ("at", "for")), None)
            if at is not None:
                place = phrase(ws, at + 1, end, loose=True)
                if place > at + 1:
                    yield _fragment("works_at", ws, (at + 1, place), {"importance": 0.7})
    elif topic in ("health", "allergic_to", "uses_tool", "speaks", "has_pet") and not denied:
        yield from _listed(ws, start, topic)
    elif topic == "married_to" and ws[start].low in words("relationship"):
        yield _fragment(topic, ws, (start, start + 1), {})


def _listed(ws: list[Word], start: int, topic: str) -> Iterator[Fragment]:
    if topic == "has_pet" and ws[0].low in ("she", "he", "it", "they"):
        start = next((w.i for w in ws if w.low in ("a", "an")), start)
    for span in items(ws, start, len(ws), posts=frozenset({"of", "in"}), loose=topic in ("uses_tool", "allergic_to")):
        lows = [w.low for w in ws[span[0] : span[1]]]
        fits = (
            topic == "uses_tool" and any(w.text[:1].isupper() or w.text[1:] != w.low[1:] for w in ws[span[0] : span[1]])
            or topic == "health" and (any(is_condition(low) for low in lows) or any(low in words("body") for low in lows))
            or topic == "allergic_to" and head(ws, *span).tag.startswith("N")
            or topic == "speaks" and any(low in words("languages") for low in lows)
            or topic == "has_pet" and any(low in words("pets") for low in lows)
        )  # fmt: skip
        if fits:
            context = None
            if span[1] < len(ws) and ws[span[1]].low in ("when", "for", "at"):
                stop = next((w.i for w in ws[span[1] :] if w.low in (",", ".", "and")), len(ws))
                context = (ws[span[1]].start, ws[stop - 1].end)
            yield _fragment(topic, ws, span, {"context_span": context} if context else {})


def _diet(ws: list[Word], start: int) -> Iterator[Fragment]:
    i = start
    while i < len(ws):
        low = ws[i].low
        two = f"{low} {ws[i + 1].low}" if i + 1 < len(ws) else ""
        if two in words("diets") or low in words("diets"):
            stop = i + (2 if two in words("diets") else 1)
            yield _fragment("diet", ws, (i, stop), {"importance": 0.8})
            i = stop
            continue
        if low == "no" and i + 1 < len(ws) and ws[i + 1].low in words("foods") | words("allergens"):
            yield _fragment("diet", ws, (i + 1, i + 2), {"importance": 0.8, "polarity": "negative"})
            i += 2
            continue
        i += 1


def profile(ws: list[Word], start: int, end: int, *, named: bool = False) -> Iterator[Fragment]:
    """A line of self-description, item by item: "Joan, 61, Cardiff, two cats, hates yoga"."""
    first = True
    parts: list[Span] = []
    i = start
    for w in ws[start:end] + [None]:  # type: ignore[list-item]
        if w is None or w.low in (",", "/", "|", "."):
            stop = w.i if w is not None else end
            if stop > i:
                parts.append((i, stop))
            i = stop + 1
    for a, b in parts:
        found = _item(ws, a, b, first=first and not named)
        if found:
            yield found
        first = False


def _item(ws: list[Word], a: int, b: int, *, first: bool) -> Fragment | None:
    if any(w.tag == "PRP" for w in ws[a:b]) or any(w.tag in ("VBZ", "VBP", "VBD", "MD") and w.low not in words("kin") for w in ws[a + 1 : b]):
        return None
    while a < b and ws[a].low in ("and", "a", "an", "also", "im", "i'm", "i", "'m"):
        a += 1
    if a >= b:
        return None
    w = ws[a]
    last = head(ws, a, b)
    lows = [x.low for x in ws[a:b]]
    if len(lows) == 1 and w.low.isdigit() and 10 <= int(w.low) <= 110:
        return _fragment("age", ws, (a, b), {})
    if lows[0] == "retired":
        return _fragment("has_job", ws, (a, a + 1), {"importance": 0.6})
    for lead in ("ex-", "former "):
        if w.low.startswith(lead) and is_job(w.low[len(lead) :]):
            return Fragment("has_job", w.start + len(lead), w.end, "profile-line", {"temporal": "ended"})
    if any(low in words("diets") for low in lows) or " ".join(lows[:2]) in words("diets"):
        return _fragment("diet", ws, (a, b), {"importance": 0.8})
    if last.low in words("kin"):
        return _fragment("has_family", ws, (a, b), {"importance": 0.7})
    if any(low in words("pets") for low in lows):
        return _fragment("has_pet", ws, (a, b), {})
    if any(is_condition(low) for low in lows) or any(low in words("body") for low in lows) and ("replacements" in lows or "replacement" in lows):
        return _fragment("health", ws, (a, b), {"importance": 0.7})
    if any(low in words("relationship") for low in lows) and len(lows) == 1:
        return _fragment("married_to", ws, (a, b), {})
    if w.low in ("hates", "hate", "dislikes"):
        return _fragment("dislikes", ws, (a + 1, b), {"kind": "preference"})
    if w.low in ("loves", "likes", "love", "enjoys", "like"):
        return _fragment("likes", ws, (a + 1, b), {"kind": "preference"})
    if w.tag in ("VBZ",) and w.lemma in words("habit_verbs"):
        return _fragment("habit", ws, (a, b), {})
    if is_job(last.low) and not last.text[:1].isupper():
        return _fragment("has_job", ws, (a, b), {"importance": 0.7})
    if all(x.text[:1].isupper() for x in ws[a:b]) and b - a <= 3:
        if w.low in words("nationalities"):
            return _fragment("nationality", ws, (a, b), {})
        return _fragment("name" if first else "lives_in", ws, (a, b), {"importance": 0.7})
    return None


def _fragment(predicate: str, ws: list[Word], span: Span, fields: dict[str, Any]) -> Fragment:
    start, end = span
    while end > start + 1 and ws[end - 1].pos == "PUNCT" and ws[end - 1].text != ")":
        end -= 1
    return Fragment(predicate, ws[start].start, ws[end - 1].end, "answer" if "kind" not in fields else "profile-line", fields)


def _capitalised(ws: list[Word], start: int) -> Span | None:
    i = start
    while i < len(ws) and ws[i].low in ("in", "at", "a", "the", "from", "near", ","):
        i += 1
    j = i
    while j < len(ws) and (ws[j].text[:1].isupper() or (ws[j].low in ("of", "the") and j > i and j + 1 < len(ws) and ws[j + 1].text[:1].isupper())):
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
    """ "You live in Turku, right?": what the assistant supposed."""
    found = re.search(r"\byou (?:live in|work (?:at|for|as)|are|'re|have|drive|study at) (?:an? |the )?(?P<value>[\w' -]+?),? (?:right|correct|yes|no|isn't|aren't|don't)", question, re.IGNORECASE)
    return found.group("value") if found else None
