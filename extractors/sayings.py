"""Sayings of taste, food and health that have no clause of their own: "not a fan of musicals", "give me trains over planes".

Invariant: each saying is one pattern over a part of a sentence, and its object is a run of words of that part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.bodies import is_drug
from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import phrase
from graphmem.extractors.profiles import Fragment

_END = (
    r"(?=\s*(?:[,.;!?)(]|$|\b(?:but|so|because|since|though|tho|any ?day|anymore|any ?time|every time|for me|"
    r"here|either|too|and i)\b))"
)
_THING = r"(?P<object>[A-Za-z0-9][\w' /&-]{1,60}?)"
_START = (
    r"^\W*(?:(?:and|but|so|also|well|honestly|tbh|oh|yes|yeah|sorry|still|definitely|personally|for me|as for me),? |no, )*"
)


def _saying(source: str) -> re.Pattern[str]:
    return re.compile(_START + source, re.IGNORECASE)


_FAN = _saying(
    rf"(?P<denied>(?:really |just )?(?:not|never|no|hardly|zero) (?:really |exactly |much |been |too )?(?:of )?)?(?:a |"
    rf"an |the )?"
    rf"(?:(?:huge|big|massive|biggest|total|lifelong|real|great|proud|avid|keen|old|firm) )*(?:fan|lover|"
    rf"enthusiast|sucker) (?:of|for) {_THING}{_END}"
)
_INTO = _saying(
    rf"(?P<denied>(?:not|never) (?:really |so |too |very |much |that )?)?(?:big on|into|keen on|fond of|crazy "
    rf"about|mad about) {_THING}{_END}"
)
_CANT = _saying(
    rf"(?:i |we )?(?:can'?t|cannot|cant|could never) (?:(?P<good>get enough of|live without|resist)|stand|"
    rf"bear|stomach|abide) {_THING}{_END}"
)
_GIVE_ME = _saying(rf"(?:just )?give me {_THING} (?:over|instead of|rather than) (?P<other>[\w' -]{{2,40}}?){_END}")
_GIVE_ANY_DAY = _saying(rf"(?:just )?give me {_THING} (?:any ?day|any ?time|every time)\b")
_TOP = _saying(
    r"(?:my )?(?:top|best|greatest|number one|no\. ?1|#1|favou?rite|fave|all[- ]time (?:top|best|"
    r"favou?rite)) (?P<category>[a-z][\w -]{2,30}?)"
    r"(?: (?:ever|of all time|of all times|ever made|ever written|for me|imo))*\s*(?P<mark>[:=]|is|has to be|"
    r"must be|would have to be|will always be)\s+"
    r"(?P<object>[^,.!?;(]{2,60}?)(?=\s*(?:[,.!?;(]|$|\bfor me\b|\bby\b|\bhands down\b))"
)
_BEATS = re.compile(
    r"(?:(?P<context>(?:when|if) it comes to [\w' -]{2,40}?|for [\w' -]{2,30}?),\s*|"
    r"^\W*)(?P<object>(?!nothing|no\b|it\b|that\b|this\b)[a-z][\w' -]{1,40}?) "
    r"(?:beats?|trumps?|wins? over|is (?:way |so much |much )?better than|are (?:way |so much |much )?better "
    r"than) (?P<other>[\w' -]{2,40}?)"
    r"(?P<mark>\s*(?:for me|any ?day|every time|any time|hands down|in my book|if you ask me)?)(?=\s*(?:[.!,]|$))",
    re.IGNORECASE,
)
_HAS_TO_BE = _saying(
    r"(?P<object>[\w' -]{2,40}?) (?:has to be|must be|would have to be|will always be|has always been|is "
    r"still|is definitely|is easily|is hands down|is probably) "
    r"(?:my|our) (?:all[- ]time |absolute )?(?:favou?rite|fave|number one)(?: (?P<category>[a-z][\w "
    r"-]{2,25}?))?(?=\s*(?:[,.!]|$| of all time| ever))"
)
_FAV_TO = _saying(
    r"(?:my |our )(?:all[- ]time )?(?:favou?rite|fave) (?P<category>\w+(?: \w+)? to \w+(?: \w+)?) (?:is|are) "
    r"(?P<object>[^,.!?;(]{2,50}?)(?=\s*(?:[,.!?;(]|$))"
)
_EPIPEN = re.compile(
    r"\b(?:carry|have|need|got) (?:an |my )?epi-?pens? (?:because of|for|due to|against|in case of) (?:my "
    r")?(?P<object>[\w' -]{2,40}?)(?: allergy| allergies)?(?=\s*(?:[,.!]|$))",
    re.IGNORECASE,
)
_CLOSE = _saying(
    rf"no (?:other )?(?P<category>[a-z][\w -]{{2,30}}?) (?:comes? close to|beats?|tops|compares? to|comes? "
    rf"near|can (?:beat|touch|top)) {_THING}{_END}"
)
_NOTHING_LIKE = _saying(rf"(?:there(?:'s| is) )?nothing (?:like|better than|quite like) (?:a |an )?{_THING}{_END}")
_PEEVE = _saying(
    rf"(?:my |one of my )?(?:biggest |greatest |main |worst |one )?(?:pet )?(?:peeves?|hate|bugbear)s?(?: of "
    rf"mine)?\s*(?:is|are|:)\s*{_THING}{_END}"
)
_DOING = _saying(
    r"(?P<object>[a-z]+ing\b(?: [\w'-]+){0,5}?) (?:(?:really|just|always|honestly|totally) )?(?:"
    r"(?P<bad>makes? me (?:\w+ )?(?:anxious|nervous|angry|mad|furious|sick|cringe|uncomfortable|miserable|"
    r"cranky|grumpy|stressed)|"
    r"(?:stresses|creeps|freaks|wears|tires) me out|drives me \w+|gets? on my nerves|(?:annoys|irritates|"
    r"bores|exhausts|drains|terrifies) me|"
    r"is(?: just| really| so)?(?: not|n't) my (?:thing|cup of tea|style)|is(?:n't| not) for me|is my (?:idea "
    r"of hell|nightmare))|"
    r"(?P<good>(?:relaxes|calms|soothes|grounds|delights) me|makes me (?:so )?happy|makes my day|is "
    r"(?:totally |really |so )?my (?:thing|jam|passion|"
    r"happy place|guilty pleasure|cup of tea)))\b"
)
_DOES_NOTHING = _saying(rf"{_THING} (?:does|do|did) (?:absolutely )?nothing for me\b")
_NOT_MY_THING = _saying(
    rf"{_THING}(?:'s| is| are)? (?:really |so |just |totally |definitely )*not (?:really )?my (?:thing|cup of "
    rf"tea|jam|style|scene|bag)\b"
)
_NO_FOR_ME = _saying(rf"no (?!thanks|thank|problem|worries|need|idea|more|luck|way|rush|one){_THING} for me\b")
_LACKING = _saying(
    r"(?:(?:i'?m |we'?re )?(?:strictly |mostly |mainly |largely |fully )?)(?P<object>(?:(?:low|zero)[- ]|"
    r"no-)(?:carb|sugar|fat|salt|fodmap|dairy|gluten)|"
    r"(?:sugar|meat|nut|egg|soy|alcohol|caffeine|grain|wheat)[- ]free|plant[- ]based)\b(?!\s+(?:diet|recipe|"
    r"option|meal|food|menu|version|bread|milk))"
)
_EATS = re.compile(r"\b(?:no|without|minus)\s+(?P<object>[a-z-]+)", re.IGNORECASE)
_STING = _saying(
    r"(?:one|a single|any|just one|even a bit of|a bite of|a bit of) (?P<object>[a-z][\w -]{2,30}?) and (?:i|"
    r"my) (?:'ll |will )?"
    r"(?:end up in|am in|go into|swell|stop breathing|can'?t breathe|break out|throat|face|lips|need an epipen)"
)
_WHEN_EATEN = _saying(
    r"(?:i (?:break|come) out in [\w ]{3,20}?|i (?:swell up|throw up|go into [\w ]{3,20}?|can'?t breathe|get "
    r"(?:hives|a rash|sick|ill))|"
    r"my (?:throat|lips|tongue|face|eyes|skin) (?:\w+ ?){1,3}?) (?:when(?:ever)?|every time|each time|as "
    r"soon as) i (?:eat|have|touch|drink|get near|come near|smell|take|wear) "
    rf"{_THING}{_END}"
)
_OFF_TO = _saying(
    r"(?:i'?m |we'?re )?(?:off|headed|heading|bound) (?:to|for) (?P<object>[A-Z][\w-]+(?: [A-Z][\w-]+)*|(?:a|"
    r"the) [\w' -]{3,30}?) "
    r"(?:on|in|next|tomorrow|this|for (?:two|three|a|\d+) (?:weeks?|days?|month))\b"
)
_NEXT_UP = _saying(
    r"next (?:goal|project|adventure|trip|stop|challenge)(?: is)?\s*:\s*(?P<object>[A-Za-z][\w' -]{3,60}?)(?=[.;!]|,|$)"
)
_TAKES = re.compile(
    r"\b(?:and|i|i also) take (?:\d+ ?mg (?:of )?)?(?P<object>[a-z][\w-]+) for (?:them|it|that|my [\w ]{3,20})", re.IGNORECASE
)
_ALLERGIES = _saying(r"(?:my |known |food )?allerg(?:y|ies|ic to)\s*[:=-]\s*(?P<list>[a-z][\w ,&'-]{2,80}?)(?=[.;!]|$)")
_ALLERGY_HERE = _saying(
    r"(?:severe |bad |serious |mild |life-threatening )?(?P<object>(?!no\b|any\b)[a-z][\w-]*(?: "
    r"[a-z][\w-]+)?) (?:allergy|intolerance)(?: here| too| since childhood| as well)?\W*$"
)
_NOT_OBJECT = frozenset(
    {
        "it",
        "this",
        "that",
        "these",
        "those",
        "them",
        "you",
        "your",
        "the idea",
        "all of it",
        "all this",
        "me",
        "him",
        "her",
        "how",
        "what",
    }
)

_LIKES: dict[str, Any] = {"kind": "preference"}


def sayings(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """Claims of the parts of a sentence, each part read on its own; a list of allergies is read whole."""
    for found in _whole(sentence.text):
        fields = _shifted(found.fields, sentence.start)
        yield Fragment(found.predicate, sentence.start + found.start, sentence.start + found.end, found.rule, fields)
    for start, part in _parts(sentence.text):
        for found in _part(part):
            if found.start >= 0:
                base = sentence.start + start
                first, last = base + found.start, _whole_phrase(sentence, base + found.start, base + found.end)
                yield Fragment(found.predicate, first, last, found.rule, _shifted(found.fields, base))


def _whole_phrase(sentence: Sentence, start: int, end: int) -> int:
    """Where an object ends that a comma between its adjectives cut short: "slow, rainy films"."""
    first = next((w.i for w in sentence.words if w.start == start), None)
    last = next((w.i for w in sentence.words if w.end == end), None)
    if first is None or last is None or sentence.words[last].tag != "JJ":
        return end
    stop = phrase(sentence.words, first, len(sentence.words))
    return max(end, sentence.words[stop - 1].end) if stop > first else end


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The sentence, and what follows its commas."""
    at = 0
    for cut in re.finditer(r"[,;]\s+|\s+(?:and|but)\s+(?=(?:not|never|no|big|huge|massive|give)\b)", text):
        yield at, text[at : cut.start()]
        at = cut.end()
    yield at, text[at:]


def _shifted(fields: dict[str, Any], base: int) -> dict[str, Any]:
    span = fields.get("context_span")
    return {**fields, "context_span": (span[0] + base, span[1] + base)} if span else fields


def _made(found: re.Match[str], predicate: str, name: str, **fields: Any) -> Iterator[Fragment]:
    thing = found.group("object").strip()
    low = thing.lower()
    if (
        not thing
        or low in _NOT_OBJECT
        or low.split()[0] in ("it", "this", "that", "these", "those", "your", "being able", "you")
    ):
        return
    start = found.start("object")
    yield Fragment(predicate, start, start + len(thing), name, fields)


def _part(text: str) -> Iterator[Fragment]:
    yield from _tastes(text)
    for pattern in (_OFF_TO, _NEXT_UP):
        if (found := pattern.search(text)) and found.group("object").lower() not in (
            "bed",
            "work",
            "the gym",
            "the shops",
            "a meeting",
            "the office",
        ):
            yield from _made(found, "wants", "off-to", modality="intended", temporal="future", importance=0.6)
    yield from _bodies(text)


def _tastes(text: str) -> Iterator[Fragment]:
    for pattern in (_FAN, _INTO):
        if found := pattern.search(text):
            yield from _made(found, "dislikes" if found.group("denied") else "likes", "fan-of", **_LIKES)
            return
    if found := _CANT.search(text):
        yield from _made(found, "likes" if found.group("good") else "dislikes", "cannot", **_LIKES)
    if (found := _GIVE_ME.search(text)) and not found.group("object").lower().startswith(("the ", "a list", "a summary")):
        yield from _made(found, "prefers", "give-me", details={"over": found.group("other")}, **_LIKES)
    elif (found := _GIVE_ANY_DAY.search(text)) and not found.group("object").lower().startswith("the "):
        yield from _made(found, "likes", "give-me", **_LIKES)
    if (found := _TOP.search(text)) and _one_best(found):
        span = (found.start("category"), found.end("category"))
        yield from _made(found, "favourite", "top", context_span=span, importance=0.6, **_LIKES)
    if (found := _CLOSE.search(text)) and " for " not in found.group("object"):
        span = (found.start("category"), found.end("category"))
        yield from _made(found, "favourite", "none-close", context_span=span, **_LIKES)
    if (found := _HAS_TO_BE.search(text)) or (found := _FAV_TO.search(text)):
        kind = found.group("category")
        scope = {"context_span": (found.start("category"), found.end("category"))} if kind else {}
        yield from _made(found, "favourite", "has-to-be", importance=0.6, **scope, **_LIKES)
    if found := _NOTHING_LIKE.search(text):
        yield from _made(found, "likes", "nothing-like", **_LIKES)
    for pattern in (_PEEVE, _DOES_NOTHING, _NOT_MY_THING):
        if found := pattern.search(text):
            yield from _made(found, "dislikes", "peeve", **_LIKES)
    if found := _DOING.search(text):
        yield from _made(found, "dislikes" if found.group("bad") else "likes", "doing", **_LIKES)


def _one_best(found: re.Match[str]) -> bool:
    """Whether the best of a kind is meant for the speaker: marked as "for me", "ever", or a line with a colon."""
    text = found.group().lower()
    own = text.lstrip(" -*").startswith(("my", "fav", "all-time", "all time")) or any(
        cue in text for cue in ("for me", "of all time", "ever", "imo")
    )
    return (own and found.group("mark") != "is") or (own and "best" not in text and "favo" not in text)


def _bodies(text: str) -> Iterator[Fragment]:
    if found := _LACKING.match(text):
        setting = re.match(r"\s*(?P<context>(?:during|on|at|in) [\w' -]{3,25}?)(?=[,.]|$)", text[found.end() :])
        fields: dict[str, Any] = {"importance": 0.7}
        if setting:
            fields["context_span"] = (found.end() + setting.start("context"), found.end() + setting.end("context"))
        yield from _made(found, "diet", "lacking", **fields)
    if (found := _NO_FOR_ME.search(text)) and _eatable(found.group("object")) and "more" not in text[found.end() :].lower():
        yield from _made(found, "diet", "none-for-me", polarity="negative", importance=0.6)
    if found := _WHEN_EATEN.search(text):
        yield from _made(found, "allergic_to", "when-eaten", importance=0.8)
    if (found := _TAKES.search(text)) and is_drug(found.group("object").lower()):
        yield from _made(found, "health", "takes", importance=0.7)
    if found := _STING.search(text):
        yield from _made(found, "allergic_to", "reaction", importance=0.9)
    if (found := _ALLERGY_HERE.search(text)) and not is_condition(found.group("object")):
        yield from _made(found, "allergic_to", "allergy-here", importance=0.9)


def _whole(text: str) -> Iterator[Fragment]:
    """Sayings that go over commas."""
    yield from _allergies(text)
    if found := _EPIPEN.search(text):
        yield from _made(found, "allergic_to", "epipen", importance=0.9)
    found = _BEATS.search(text)
    if found and ((found.group("context") or "").lower().startswith(("when", "if")) or found.group("mark").strip()):
        fields: dict[str, Any] = {**_LIKES, "details": {"over": found.group("other")}}
        if found.group("context"):
            fields["context_span"] = (found.start("context"), found.end("context"))
        yield from _made(found, "prefers", "beats", **fields)


def _allergies(text: str) -> Iterator[Fragment]:
    """As in "allergies: kiwi, birch and latex"."""
    found = _ALLERGIES.search(text)
    if not found:
        return
    at = found.start("list")
    for start, item in _split(found.group("list")):
        if item.lower() not in ("none", "no", "nothing", "n/a", "idk"):
            yield Fragment("allergic_to", at + start, at + start + len(item), "allergy-list", {"importance": 0.9})


def _split(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for cut in [*re.finditer(r"\s*(?:,|&|\band\b)\s*", text), None]:
        item = text[at : cut.start() if cut else len(text)]
        if item.strip():
            yield at + len(item) - len(item.lstrip()), item.strip()
        at = cut.end() if cut else at


def _eatable(thing: str) -> bool:
    return any(low in words("foods") for low in thing.lower().split())
