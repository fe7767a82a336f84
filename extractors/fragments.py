"""Verbless statements that need no question: "no wine for me anymore", "favourite colour? teal".

Invariant: a bare phrase is read only by a form of its own; a phrase without such a form makes nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from graphmem.extractors.english import Sentence
from graphmem.extractors.jottings import jottings
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.portraits import portrait
from graphmem.extractors.profiles import Fragment, profile
from graphmem.extractors.sayings import sayings
from graphmem.extractors.shorthand import shorthand
from graphmem.extractors.telegrams import telegram

_DIETS = re.compile(
    r"^\W*(?:(?P<ended>no longer|not)\s+)?(?P<diet>vegan|vegetarian|pescatarian|gluten[- ]free|dairy[- ]free|"
    r"lactose[- ]free|plant[- ]based|kosher|halal|keto|lactose intolerant)\b(?P<more> any ?more)?",
    re.IGNORECASE,
)


_NO_MORE = re.compile(
    r"^\W*(?:no|not) (?P<object>[\w' -]+?)(?: for (?:me|us))?,? (?:any ?more|anymore|any longer)\b", re.IGNORECASE
)


_FAVOURITE = re.compile(
    r"^\W*(?:my )?(?:all[- ]time )?(?:favou?rite|fave) (?P<category>[\w -]{2,30}?)\s*(?:\?|:|-)\s*$", re.IGNORECASE
)


_FAVOURITE_IS = re.compile(
    r"^\W*(?:my )?(?:all[- ]time )?(?:favou?rite|fave) (?P<category>[\w -]{2,30}?)\s*[:=]\s*(?P<object>[^,.!?]{2,60})",
    re.IGNORECASE,
)


_HERE_JOB = re.compile(
    r"^\W*(?:an? |hi,? |hey,? |hello,? )?(?P<job>[\w -]{3,40}?)(?: (?:at|from|in) [A-Z]\w+)? here\b[.,!]?", re.IGNORECASE
)


_STATUS = re.compile(r"^\W*(?:i'?m )?(?:currently |now |recently )?(?P<job>unemployed|self-employed|semi-retired)\b")


_OVER = re.compile(
    r"^\W*(?P<object>[\w' -]{3,40}?) over (?P<other>[\w' -]{3,40}?)(?=[,.!]|$| any day| always| every time)", re.IGNORECASE
)


_HERE = re.compile(r"^\W*(?:(?:hi|hey|hello|yo)(?: there| all| again)?[,!]? )?(?P<name>[A-Z][\w'-]+) here\b(?: again)?")


_BIRTHDAY = re.compile(
    r"\b(?:my )?(?:birthday|bday)(?:'s| is|:)? (?:on )?(?:the )?(?P<date>\d{1,2}(?:st|nd|rd|"
    r"th)?(?: of)? [A-Z][a-z]+(?:,? \d{4})?|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4})",
    re.IGNORECASE,
)


_VINTAGE = re.compile(
    r"\bI(?:'m| am) an? (?P<date>(?:19|20)\d\d) (?:vintage|baby|kid|model|child)(?:, (?P<month>\w+) to be (?:exact|precise))?",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(
    r"^\W*(?:definitely |also |very |super |badly |severely |highly |terribly |"
    r"deathly )?allergic to (?P<object>[\w'-]+(?: (?!though|too|so|but|and|since|btw)[\w'-]+)?)",
    re.IGNORECASE,
)
_STANDS = re.compile(r"^(?:$|[,.!]|since\b|and\b|for\b|but\b|at\b|now\b|here\b)")
# "Vegan for January", "keto for the week": no way of eating that lasts.
_FOR_NOW = re.compile(
    r"for (?:now|today|lent|(?:the|a|this|one) (?:day|week|weekend|month)|(?:"
    + "|".join(sorted(words("months")))
    + r")|a change)\b",
    re.IGNORECASE,
)
_NO_NAME = frozenset({"nothing", "everything", "over", "same", "right", "out", "new"})


_PREVIOUS_JOB = re.compile(
    r"\b(?:before that|previously|before)(?: I was| I worked)? at (?P<object>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*)"
)


_COURSE = re.compile(
    r"(?:^\W*|, )(?:evening |night |online |part-time |day |block )?(?:classes|lessons|courses|course|release|school|"
    r"degree) at (?:the )?(?P<object>[A-Z][\w.-]*(?: [A-Z][\w.-]*)*)"
)


_NONE = re.compile(
    r"^\W*no (?P<noun>kids|children|siblings|brothers|sisters|pets|dogs?|cats?|car|"
    r"allergies)\b(?P<more>(?:,? (?:and )?no (?:\w+))*)(?: yet)?(?:\W*$|(?=, (?:and|but|so|just)\b))",
    re.IGNORECASE,
)


_TOLD = re.compile(
    r"^\W*(?:(?:finally|just|already|officially) )?(?P<object>(?:finished|started|completed|passed|joined|"
    r"sold|bought|booked|submitted|launched|shipped|attended|visited|"
    r"hosted|defended|ran|climbed|signed|published|adopted|closed|opened|won|lost|quit|met|handed in|wrapped "
    r"up|moved out of)\s+(?:\S+ ?){1,7}?)"
    r"\s*(?=(?:in|on|at|last|this|yesterday|two|three|a|during)\b)",
    re.IGNORECASE,
)
Form = Callable[[Sentence, Sentence | None], Iterator[Fragment]]


def statements(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """Verbless statements that need no question."""
    if sentence.mark == "?":
        yield from favourite_asked(sentence, following)
        yield from jottings(sentence, following)
        return
    for form in FORMS:
        yield from form(sentence, following)


def _at(sentence: Sentence, found: re.Match[str], group: str, predicate: str, rule: str, **fields: Any) -> Fragment:
    return Fragment(predicate, sentence.start + found.start(group), sentence.start + found.end(group), rule, fields)


def favourite_asked(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "Favourite colour? Teal."."""
    found = _FAVOURITE.search(sentence.text.rstrip(" ?") + "?")
    if not found or following is None or following.mark == "?" or not 0 < len(following.words) <= 6:
        return
    last = [w for w in following.words if not w.is_mark]
    if last:
        fields = {"kind": "preference", "context": found.group("category")}
        yield Fragment("favourite", last[0].start, last[-1].end, "favourite-asked", fields)


def favourite_line(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "favourite season: autumn"."""
    found = _FAVOURITE_IS.search(sentence.text)
    if found:
        yield _at(sentence, found, "object", "favourite", "favourite-line", kind="preference", context=found.group("category"))


def diet_word(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "gluten free since 2021", "no longer vegetarian"."""
    found = _DIETS.search(sentence.text)
    if not found:
        return
    lead = (found.group("ended") or "").lower()
    if lead == "no longer" or (lead and found.group("more")):
        yield _at(sentence, found, "diet", "diet", "diet-fragment", importance=0.8, temporal="ended", cue="change")
    elif not lead and _STANDS.match(after := sentence.text[found.end() :].lstrip()) and not _FOR_NOW.match(after):
        yield _at(sentence, found, "diet", "diet", "diet-fragment", importance=0.8)


def no_more(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "no wine for me anymore", "not Trac any more"."""
    found = _NO_MORE.search(sentence.text)
    if not found or _DIETS.search(sentence.text):
        return
    thing = found.group("object")
    food = any(w in words("foods") for w in thing.lower().split())
    if food or thing[:1].isupper():
        predicate = "diet" if food else "uses_tool"
        yield _at(sentence, found, "object", predicate, "no-more", temporal="ended", cue="change", importance=0.6)


def job_line(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "nurse here", "currently unemployed", "classes at the Art Academy", "before that at Ericsson"."""
    found = _HERE_JOB.search(sentence.text)
    told = found is not None and re.search(r"\b(?:is|was|are|my|our|i'?m|he|she)\b", found.group("job"), re.IGNORECASE) is None
    if (
        found
        and told
        and is_job(found.group("job").split()[-1])
        and (" " in found.group("job") or not found.group("job")[:1].isupper())
    ):
        yield _at(sentence, found, "job", "has_job", "job-here", importance=0.7)
    if found := _STATUS.search(sentence.text):
        yield _at(sentence, found, "job", "has_job", "job-status", importance=0.6)
    if found := _PREVIOUS_JOB.search(sentence.text):
        yield _at(sentence, found, "object", "works_at", "previous-job", temporal="past")
    if found := _COURSE.search(sentence.text):
        yield _at(sentence, found, "object", "studies_at", "course")


def self_line(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "Thomas, 45, from Graz": a name, an age and more."""
    ws = sentence.words
    if len(ws) < 5 or ws[0].tag != "NNP" or not ws[2].low.isdecimal() or (ws[1].low, ws[3].low) != (",", ","):
        return
    if len(ws[2].low) < 4 and 10 <= int(ws[2].low) <= 110:
        yield from profile(ws, 0, len(ws))


def one_over_other(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "night trains over planes"."""
    found = _OVER.search(sentence.text)
    if not found:
        return
    start, end = sentence.start + found.start("object"), sentence.start + found.end()
    if any(w.pos in ("VERB", "AUX") and w.end <= end for w in sentence.words) or not _like_nouns(sentence, start):
        return
    yield _at(sentence, found, "object", "prefers", "over", kind="preference", details={"over": found.group("other")})


def greeting(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "Sasha here again"."""
    found = _HERE.search(sentence.text)
    known = words("openers") | words("screen_nouns") | words("abstract") | words("jobs") | words("time_nouns") | _NO_NAME
    if not found or found.group("name").lower() in known:
        return
    if any(w.text == found.group("name") and w.tag in ("NNP", "NN", "UH") for w in sentence.words[:4]):
        yield _at(sentence, found, "name", "name", "name-greeting", importance=0.7)


def birthday(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "Birthday's 30 Nov 1971", "I'm a 1965 model, June to be exact"."""
    text = sentence.text
    found = _BIRTHDAY.search(text)
    if found and text[: found.start()].strip(" ,.:").lower() in ("", "hi", "hey", "correction", "btw", "and"):
        denied = re.search(r",? not (?:the )?(?P<old>[\w ]+)", text[found.end() :])
        old = denied.group("old") if denied else None
        cue = "correction" if denied else None
        yield _at(sentence, found, "date", "born_on", "birthday", importance=0.8, cue=cue, replaces=old)
    if found := _VINTAGE.search(text):
        end = found.end("month") if found.group("month") else found.end("date")
        base = sentence.start
        yield Fragment("born_on", base + found.start("date"), base + end, "vintage", {"importance": 0.8})


def none_line(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "no kids, no pets"."""
    if not _NONE.search(sentence.text):
        return
    for found in re.finditer(r"\bno (?P<noun>\w+)", sentence.text):
        noun = found.group("noun").lower()
        for predicate, group in (("has_family", "kin"), ("has_pet", "pets"), ("has_vehicle", "vehicles")):
            if noun in words(group):
                yield _at(sentence, found, "noun", predicate, "none-line", polarity="negative")
                break


def allergy_line(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "badly allergic to lupin btw"."""
    found = _ALLERGIC.search(sentence.text)
    if found and not set(found.group("object").lower().split()) & (words("no_allergen") | words("abstract")):
        yield _at(sentence, found, "object", "allergic_to", "allergy-line", importance=0.9)


def told(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "finished chemo in June": a dated deed whose verb the parser takes for an adjective."""
    found = _TOLD.search(sentence.text)
    dated = [w for w in sentence.words if w.time]
    if not found or not dated or any(w.low in ("i", "we", "my") for w in sentence.words[:1]):
        return
    start, end = sentence.start + found.start("object"), sentence.start + found.end("object")
    after = next(
        (w for w in sentence.words if w.start >= end and w.low not in ("in", "on", "at", "last", "this", "during")), None
    )
    verb = next((w for w in sentence.words if w.start == start), None)
    if (
        verb is not None
        and verb.tag in ("VBN", "JJ", "VBD")
        and after is not None
        and (after.time or dated[0].start <= end + 6)
    ):
        yield Fragment("episode", start, start + len(found.group("object").rstrip()), "told", {
            "kind": "episode", "temporal": "past", "importance": 0.5,
            "details": {"type": "event", "outcome": None, "topics": [], "tone": "neutral"}, "dated": True,
        })  # fmt: skip


FORMS: tuple[Form, ...] = (
    portrait,
    allergy_line,
    diet_word,
    no_more,
    job_line,
    self_line,
    favourite_line,
    one_over_other,
    greeting,
    birthday,
    none_line,
    telegram,
    sayings,
    told,
    jottings,
    shorthand,
)


def _like_nouns(sentence: Sentence, at: int) -> bool:
    return any(w.start == at and w.tag in ("NN", "NNS", "NNP", "JJ", "NNPS", "VBG") for w in sentence.words)
