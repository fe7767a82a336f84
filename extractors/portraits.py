"""Self-portraits without a verb: labelled lines, "X here", "physio by trade", "Dagny, 38, hydrologist, one dog".

Invariant: a line makes claims only if its form is one of self-description (a label, a greeting, a trade, two told items); a
capitalised word alone is nobody's name and no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import items, phrase
from graphmem.extractors.profiles import Fragment, fragment, profile

_NAME = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}"
_LABEL = re.compile(
    r"(?:^|(?<=[,;/|] )|(?<=\n))\W{0,3}(?P<label>(?i:(?:my )?(?:full |"
    r"first )?[a-z][a-z ]{1,18}?))\s?[:=]\s*(?P<value>[^,;\n|]{1,60})"
)
_LABELS = {
    "name": "name", "full name": "name", "first name": "name", "age": "age", "dob": "born_on", "date of birth": "born_on",
    "birth date": "born_on", "birthdate": "born_on", "birthday": "born_on", "bday": "born_on", "born": "born_on",
    "place of birth": "born_in", "birthplace": "born_in", "born in": "born_in", "job": "has_job", "occupation": "has_job",
    "profession": "has_job", "trade": "has_job", "day job": "has_job", "employer": "works_at", "workplace": "works_at",
    "city": "lives_in", "home town": "lives_in", "location": "lives_in", "home": "lives_in", "home address": "lives_in",
    "based": "lives_in", "lives in": "lives_in", "living in": "lives_in",
    "nationality": "nationality", "citizenship": "nationality",
    "languages": "speaks", "spoken languages": "speaks", "languages spoken": "speaks", "mother tongue": "speaks",
    "native language": "speaks", "pets": "has_pet", "pet": "has_pet", "kids": "has_family", "children": "has_family",
    "siblings": "has_family", "wife": "married_to", "husband": "married_to", "partner": "married_to", "spouse": "married_to",
    "car": "has_vehicle", "ride": "has_vehicle", "vehicle": "has_vehicle", "bike": "has_vehicle", "boat": "has_vehicle",
    "diet": "diet", "eats": "diet", "lives": "lives_in", "works at": "works_at", "works for": "works_at",
    "wheels": "has_vehicle", "university": "studies_at", "uni": "studies_at", "school": "studies_at", "college": "studies_at",
}  # fmt: skip
_GREET = (
    r"(?:(?:hi|hey|heya|hello|hiya|yo|howdy|hola|greetings|good (?:morning|evening|afternoon)|evening|morning)"
    r"(?: there| all| again| folks)?[,!. ]+)"
)
_HERE = re.compile(rf"^\W*(?P<greet>{_GREET})?(?P<name>{_NAME})(?P<form> here| speaking)\b(?! is| are|'s)", re.IGNORECASE)
_SPELLED = re.compile(rf"^\W*(?i:(?:the |my )?(?:spelling|name)(?:['’]s| is|:)) (?P<name>{_NAME})")
_ADDRESS = re.compile(
    rf"\b(?i:(?:you (?:may|can|should|could)|please|just|pls|to) (?:\w+ )?(?:address|call|refer to|know|"
    rf"list) me (?:as )?)(?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?{_NAME})"
)
_WRITTEN = re.compile(
    rf"\b(?i:(?:it['’]?s|it is|name['’]s|name is)\b[^.?!]{{0,40}}?\b(?:spelled|spelt|written)) (?P<name>{_NAME})(?!\w)"
)
_SERVED = re.compile(
    r"^\W*(?i:(?:\d+|[a-z-]+) (?:happy |long |good )?years (?:now )?(?:at|with)) (?P<place>(?:the |"
    r"a )?[\w' -]{3,40}?)(?= and counting|[.,!]|$| now| as)"
)
_STUDENT = re.compile(rf"(?i:\b(?:student|undergrad|postgrad|fresher) (?:at|with)) (?P<place>(?:the )?{_NAME})")
_BABY = re.compile(
    r"\b(?i:I['’]?m (?:an? )?(?:leap year|christmas|spring|summer|autumn|winter|halloween|new year|war|"
    r"millennium) baby|share a birthday with [\w ]+),? "
    r"(?:born )?(?:on )?(?P<date>\d{1,2}(?:st|nd|rd|th)? [A-Z][a-z]+(?: \d{4})?|[A-Z][a-z]+ \d{1,2}(?:,? \d{4})?)"
)
_KEPT = re.compile(rf"^\W*(?P<tool>{_NAME}) (?i:is where (?:I|we) (?:keep|write|track|store|do|plan|take|log))\b")
_WED = re.compile(rf"^\W*(?i:(?:been )?(?:\w+ly )?(?:married|wed|hitched) to )(?P<name>{_NAME})")
_TRADE = re.compile(r"^\W*(?:an? )?(?P<job>[A-Za-z][\w-]*(?: [a-z][\w-]*){0,2}) by (?:trade|profession|training|day)\b")
_STATUS = re.compile(
    r"^\W*(?:(?:first|second|third|fourth|final)[- ]year )?(?P<job>(?:freelance|retired|self-employed|part-time|"
    r"full-time|aspiring|qualified|licensed|senior|junior|trainee|"
    r"apprentice|substitute|stay-at-home|phd|msc|undergrad|graduate|exchange|medical|law|semi-retired) [\w-]+(?: [\w-]+)?)"
    r"(?= here\b|[.!,]|$)(?P<here> here)?",
    re.IGNORECASE,
)
_PARENT = re.compile(
    r"^\W*(?:(?:proud|single|busy|tired|happy|full-time) )?(?P<who>(?:step|foster |dog |cat )?(?:mum|mom|mother|dad|"
    r"father|parent|"
    r"grandma|grandpa|grandmother|grandfather|nan|gran)) (?:of|to) (?P<whom>[\w ]{2,30}?)(?= here\b| at the| these|[.,!]|$)",
    re.IGNORECASE,
)
_INTRO = re.compile(
    r"^\W*(?:(?:quick |short |brief |little )?(?:intro|introduction|bio|profile)|(?:a bit )?about me|me|myself|"
    r"who i am)\s*[:-]\s*",
    re.IGNORECASE,
)


def portrait(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """All claims of a line of self-description."""
    if not sentence.words or any(w.foreign for w in sentence.words):
        return
    yield from _labelled(sentence)
    yield from _named(sentence)
    yield from _told(sentence)
    yield from _status(sentence)
    yield from _line(sentence)


def _span(sentence: Sentence, found: re.Match[str], group: str, predicate: str, rule: str, **fields: Any) -> Fragment:
    return Fragment(predicate, sentence.start + found.start(group), sentence.start + found.end(group), rule, fields)


def _labelled(sentence: Sentence) -> Iterator[Fragment]:
    """As in "date of birth: 17 May 1983, place of birth: Leeds"."""
    for found in _LABEL.finditer(sentence.text):
        label = found.group("label").lower().removeprefix("my ").strip()
        relation = _LABELS.get(label)
        value = found.group("value").rstrip(" .!")
        if relation is None or not _fits(relation, value):
            continue
        start = sentence.start + found.start("value")
        if relation in ("speaks", "has_pet"):
            inside = [w for w in sentence.words if start <= w.start < start + len(value)]
            group = "languages" if relation == "speaks" else "pets"
            for a, b in items(sentence.words, inside[0].i, inside[-1].i + 1):
                if any(w.low in words(group) for w in sentence.words[a:b]):
                    yield fragment(relation, sentence.words, (a, b), {})
        else:
            yield Fragment(relation, start, start + len(value), "label", {"importance": 0.7})


def _fits(relation: str, value: str) -> bool:
    """Whether a value is of the type that its label asks for; "name: string" is a line of code."""
    parts = value.split()
    if not parts or any(c in value for c in "<>{}[]()=$\"'`_"):
        return False
    if relation == "age":
        return value.isdecimal() and len(value) < 4 and 5 <= int(value) <= 110
    if relation == "born_on":
        return any(c.isdigit() for c in value)
    if relation == "has_job":
        return is_job(parts[-1]) or is_job(parts[0])
    if relation == "speaks":
        return any(p.lower() in words("languages") for p in parts)
    if relation in ("has_pet", "has_family"):
        return any(p.lower() in words("pets") | words("kin") or p.isdigit() for p in parts) or parts[0].lower() in words(
            "counts"
        )
    if relation == "diet":
        return value.lower() in words("diets")
    if relation == "has_vehicle":
        return any(p[:1].isupper() or p.lower() in words("vehicles") for p in parts)
    return parts[0][:1].isupper() or parts[-1][:1].isupper()


def _named(sentence: Sentence) -> Iterator[Fragment]:
    """As in "heya, Ines here", "you may address me as Dr. Roy", "spelling's Jyoti", "been married to Ngozi"."""
    text = sentence.text
    found = _HERE.search(text)
    if found and found.group("name")[:1].isupper() and _is_name(sentence, found, greeted=bool(found.group("greet"))):
        yield _span(sentence, found, "name", "name", "name-greeting", importance=0.7)
    for pattern in (_SPELLED, _ADDRESS, _WRITTEN):
        if found := pattern.search(text):
            yield _span(sentence, found, "name", "name", "name-told", importance=0.8)
    if found := _WED.search(text):
        yield _span(sentence, found, "name", "married_to", "wed-line", importance=0.7)


def _told(sentence: Sentence) -> Iterator[Fragment]:
    """As in "20 years at the post office", "a leap year baby, 29 Feb 1992", "Notion is where I keep everything"."""
    text = sentence.text
    if (found := _SERVED.search(text)) and not _finite(sentence.words):
        last = found.group("place").split()[-1]
        if last[:1].isupper() or last.lower() in words("workplaces"):
            yield _span(sentence, found, "place", "works_at", "served", importance=0.7)
    if (found := _STUDENT.search(text)) and not _finite(sentence.words):
        yield _span(sentence, found, "place", "studies_at", "student-line", importance=0.6)
    if found := _BABY.search(text):
        yield _span(sentence, found, "date", "born_on", "baby", importance=0.8)
    if found := _KEPT.search(text):
        yield _span(sentence, found, "tool", "uses_tool", "kept-in")


def _is_name(sentence: Sentence, found: re.Match[str], *, greeted: bool) -> bool:
    """A capitalised word that no list knows as something else; without a greeting the tagger must agree."""
    start, end = sentence.start + found.start("name"), sentence.start + found.end("name")
    here = [w for w in sentence.words if start <= w.start < end]
    lows = {w.low for w in here}
    known = (
        words("openers") | words("screen_nouns") | words("abstract") | words("anaphora") | words("time_cues") | words("jobs")
    )
    if not here or lows & known or not all(w.text[:1].isupper() for w in here):
        return False
    if lows & {
        "nothing",
        "everything",
        "over",
        "same",
        "right",
        "out",
        "thanks",
        "new",
        "only",
        "just",
        "not",
        "up",
        "from",
        "in",
    }:
        return False
    return (
        greeted or found.group("form").strip().lower() == "speaking" or any(w.ent == "PERSON" or w.tag == "NNP" for w in here)
    )


def _status(sentence: Sentence) -> Iterator[Fragment]:
    """As in "physio by trade", "Freelance illustrator.", "PhD student here", "foster mum to three rabbits"."""
    text = sentence.text
    found = _TRADE.search(text)
    if found and is_job(found.group("job").split()[-1]):
        yield _span(sentence, found, "job", "has_job", "trade-line", importance=0.7)
    found = _STATUS.search(text)
    last = sentence.start + (found.end() if found else 0)
    several = sum(w.low in words("jobs") for w in sentence.words if w.start >= last) > 0
    if (
        found
        and not several
        and is_job(found.group("job").split()[-1])
        and (found.group("here") or not _finite(sentence.words))
    ):
        yield _span(sentence, found, "job", "has_job", "status-line", importance=0.7)
    found = _PARENT.search(text)
    if found and not _finite(sentence.words):
        animals = any(p in words("pets") for p in found.group("whom").lower().split())
        counted = (
            found.group("whom").split()[0].lower() in words("counts")
            or re.match(r"[A-Z](?!od\b)", found.group("whom")) is not None
        )
        if animals:
            yield _span(sentence, found, "whom", "has_pet", "parent-line")
        elif counted:
            start, end = sentence.start + found.start("who"), sentence.start + found.end("whom")
            yield Fragment("has_family", start, end, "parent-line", {"importance": 0.7})


def _finite(ws: list[Word]) -> bool:
    return any(w.tag in ("VBZ", "VBP", "VBD", "MD") or w.low in ("i", "you", "he", "she", "it", "they", "we") for w in ws)


def _line(sentence: Sentence) -> Iterator[Fragment]:
    """A list of items about oneself: after "quick intro:", after "X here", or where two items are told by their own words."""
    ws = sentence.words
    intro = _INTRO.match(sentence.text)
    here = _HERE.search(sentence.text)
    status = _STATUS.search(sentence.text) or _TRADE.search(sentence.text)
    skip = intro.end() if intro else here.end() if here else status.end() if status else 0
    if sentence.mark == "?" or not any(w.low == "," for w in ws) or (_finite(ws) and not intro):
        return
    start = next((w.i for w in ws if w.start >= sentence.start + skip), None)
    if start is None:
        return
    if (
        ws[start].low in ("all", "there", "everyone", "everybody", "folks", "again")
        and start + 2 < len(ws)
        and ws[start + 1].low == ","
    ):
        start += 2
    if ws[start].is_mark:
        start += 1
    found = list(profile(ws, start, len(ws), named=not intro and not _opens_with_name(ws, start)))
    sure = [f for f in found if f.predicate not in ("name", "lives_in")]
    if ((intro or here or status) and found) or (
        len({f.predicate for f in sure}) >= 2 and any(f.predicate in ("age", "has_job") for f in sure)
    ):
        yield from found


def _opens_with_name(ws: list[Word], start: int) -> bool:
    """As in "Dagny, 38, ...": a name is first only if an age or a trade follows it."""
    if start + 2 >= len(ws) or not ws[start].text[:1].isupper() or ws[start + 1].low != ",":
        return False
    after = ws[start + 2]
    end = phrase(ws, start + 2, len(ws))
    return after.low.isdigit() or (end > start + 2 and is_job(ws[end - 1].low))
