"""Jottings about oneself without a verb of one's own: "divorced, two boys", "only child", "Noisy bars. Loathe them".

Invariant: a jotting is read by a form of its own at the beginning of a sentence or by words that can only be about the
speaker; where a third person is named in it, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import Span, head, items, phrase
from graphmem.extractors.profiles import Fragment, fragment

_BEGIN = r"^[\s*–—-]*"
_NAME = r"[A-Z][\w'’-]+"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_NTH = (
    r"(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|"
    r"fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-\w+|thirtieth|thirty-first)"
)
DATE = rf"(?:{_NTH}(?: of)? {_MONTH}\b(?:,? \d{{4}})?|{_MONTH} {_NTH}\b(?:,? \d{{4}})?|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}})"

_STANDING = re.compile(
    _BEGIN + r"(?:(?:happily|newly|recently|freshly|very|still|long|once|twice) )?"
    r"(?P<what>single|married|divorced|widowed|engaged|separated)(?=\s*(?:[,.!;]|$)|\s+(?:since|with|and|for (?:\d+|\w+ years)|"
    r"to be)\b)",
    re.IGNORECASE,
)
_AMONG = re.compile(
    _BEGIN + r"(?:an? |the )?(?P<what>only child|(?:youngest|oldest|eldest|middle|second|third|fourth|last)(?: child| one)? of "
    r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+)|(?:identical |fraternal )?twin)(?=\s*(?:[,.!;]|$)|"
    r"\s+(?:here|so|and|but)\b)",
    re.IGNORECASE,
)
_CUSTODY = re.compile(
    rf"\b(?:joint|shared|full|sole|part-time) custody of (?P<what>(?:our |my )?(?:\w+ )?{_NAME}(?:(?:,| and| &) {_NAME})*)"
)
_TURNING = re.compile(rf"\b(?:I|we)(?:'ll)? (?:turn|be|am|hit) \d\d on (?:the )?(?P<date>{DATE})", re.IGNORECASE)
_BABY = re.compile(
    rf"(?:{_BEGIN}(?:an? |the )?(?:[\w-]+ ){{0,2}}?(?:baby|child|kid)\s*[,:]\s*(?:born )?|{_BEGIN}born (?:on )?(?:the )?|"
    rf"\bcame into (?:the|this) world on (?:the )?)(?P<date>{DATE})",
    re.IGNORECASE,
)
_NO_FOOD = re.compile(
    _BEGIN
    + r"no (?P<a>[a-z-]+)(?:(?:,| and| or|, and) (?:no )?(?P<b>[a-z-]+))?(?:(?:,| and| or|, and) (?:no )?(?P<c>[a-z-]+))? "
    r"(?:in (?:our|my|this) (?:house|home|kitchen|diet|household|family)|at (?:our|my) (?:table|house|place)|on my plate|"
    r"(?:ever )?passes my lips)",
    re.IGNORECASE,
)
_FELT_FOR = re.compile(
    r"^\W*(?:I |we )?(?:really |absolutely |just |honestly |totally |do |quite |secretly |can honestly say I )*"
    r"(?:(?P<good>love|adore|enjoy|like|can'?t get enough of|couldn'?t live without|can'?t live without|live for)|"
    r"(?P<bad>hate|loathe|detest|despise|dislike|can'?t (?:stand|abide|bear|stomach)|cannot (?:stand|abide|bear)))"
    r" (?:them|those|'em|it|that|every one of them|the lot)\b",
    re.IGNORECASE,
)
_HOME = re.compile(
    rf"(?:^|[,;] |\band |\bso )(?P<place>{_NAME}(?: {_NAME})?)(?:['’]s| is) (?:our |my )?home (?:now|since|these days|for)\b"
)
_FINE = re.compile(
    r"[(,] ?(?:but |or |though |and )?(?P<name>[A-Z][\w-]+)(?:['’]s (?:fine|ok|okay)| is (?:fine|ok|okay)|"
    r" works(?: too)?| will do| for short| to (?:my )?(?:friends|mates))\b"
)
_GIVEN_CHOICE = re.compile(
    r"(?:given (?:the|a) choice|if I (?:have|had|get|got) (?:the|a|my) (?:choice|way)|left to my own devices|"
    r"if it['’]?s up to me|nine times out of ten),? I(?:['’]ll|['’]d| will| would)? (?:(?:always|usually) )?(?:take|"
    r"pick|choose|go for|have|opt for|go with|order) "
    r"(?P<object>(?!it\b|that\b|this\b|them\b)[\w' -]{3,40}?)(?=\s*(?:[,.!;]|$|\bover\b|\bany day\b|\bevery time\b))",
    re.IGNORECASE,
)
_WORST = re.compile(
    _BEGIN + r"(?:the )?(?:(?:my )?worst|least favou?rite)(?: \w+)?(?: for me)?\s*[:=]\s*(?:anything with "
    r")?(?P<object>[^,.!?;]{3,40})",
    re.IGNORECASE,
)
_BEST = re.compile(
    _BEGIN + r"(?:my )?(?:comfort|go-to|desert[- ]island|all[- ]time) (?P<category>[a-z]+(?: [a-z]+)?)(?:\s*[:=]\s*|['’]s |"
    r" is )(?P<object>[^,.!?;]{2,50})",
    re.IGNORECASE,
)
_IDEA = re.compile(
    _BEGIN + r"(?P<list>[A-Za-z][\w' ,&-]{3,90}?) (?:is|are) (?:(?:very much |absolutely |"
    r"basically )?my idea of (?:(?P<good>happiness|heaven|bliss|"
    r"paradise|luxury|a (?:good|great|perfect|nice) \w+)|(?P<bad>hell|torture|purgatory|a nightmare|misery))|"
    r"(?P<joy>what (?:I live for|keeps? me (?:sane|going)|makes? me happy)|my (?:great |greatest |main |two |"
    r"three )?(?:passions|loves|weaknesses|obsessions|guilty pleasures)))\b",
    re.IGNORECASE,
)
_THATS_MINE = re.compile(
    _BEGIN + r"(?P<object>[A-Za-z][\w' -]{3,40}), (?:now )?that['’]s (?:(?:absolutely |very much )?my (?:happy place|thing|"
    r"jam|cup of tea|"
    r"idea of (?:heaven|bliss|happiness|a good time))|(?P<bad>my idea of (?:hell|torture)|my pet hate))\b",
    re.IGNORECASE,
)
_ONCE_A_TIME = re.compile(
    r"\bthere was a time (?:when )?(?:I|we) (?P<object>(?!was\b|were\b|had\b|could\b|thought\b|would\b)[a-z]+ [^.;,!?]{3,40})",
    re.IGNORECASE,
)
_BACK_THEN = re.compile(
    _BEGIN + r"(?:back in the day|back then|in my (?:youth|teens|twenties|thirties|younger days|student days)|"
    r"when I was (?:young(?:er)?|little|"
    r"a (?:kid|child|student|teenager|boy|girl))),? (?:I|we)(?:['’]d| would) (?P<object>[a-z]+ [a-z][^.;,!?]{2,40}?)"
    r"(?=\s*(?:[,.;!]|$)|\s+(?:every|each|once|twice|three|all|most|on|with|until|till)\b)",
    re.IGNORECASE,
)
_NO_PAIR = re.compile(
    rf"\b(?:not together|no longer together|not a couple|separated|split up|over)(?: any ?(?:more|"
    rf"longer))?, (?P<a>{_NAME}) and (?:I|me)\b|"
    rf"^(?P<b>{_NAME}) and (?:I|me) (?:have |'ve )?(?:(?:just |recently |finally )?(?:split up|broke up|broken up|"
    rf"separated|divorced|called it quits)|"
    rf"(?:are|aren't) (?:not |no longer )?together(?: any ?more)?)"
)
_FREQUENCY = words("frequencies")
_OTHERS = frozenset({"he", "she", "they", "his", "her", "their", "him", "your", "you"})
_LEARNT = (
    r"(?:picked up|learn(?:ed|t)|speak|know|understand|got|manage|taught myself|can (?:read|speak|manage|follow)|grew up with)"
)
_SKILLED = (
    r"(?:fluent|native|decent|passable|rusty|basic|good|some|conversational|broken|workable|near-native|"
    r"a (?:bit|little|smattering) of|bits of|enough)"
)


@cache
def _tongues() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns over the names of languages, made once: the mother tongue, one put first, one with its grade."""
    names = "|".join(sorted((re.escape(entry.title()) for entry in words("languages")), key=len, reverse=True))
    mother = (
        rf"{_BEGIN}(?i:(?:my |our )?(?:mother tongue|first language|native (?:language|tongue)|"
        rf"home language)(?:['’]s| is|:)) (?P<a>{names})\b"
    )
    first = (
        rf"(?:^|[,;] |\band |\bbut )(?P<a>{names}) I(?:['’]ve)? {_LEARNT}\b(?:[^.;]*?\band (?P<b>{names})\b(?= "
        rf"(?:from|at|through|because|off|in)\b))?"
    )
    graded = (
        rf"(?:^|, |\band |& )(?i:(?P<none>zero |no )|{_SKILLED} )(?P<a>{names})\b(?=\s*(?:[,.!;&]|$|\band\b|"
        rf"\bfrom\b|\bat\b|\bthrough\b))"
    )
    return re.compile(mother), re.compile(first), re.compile(graded)


def jottings(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """All jottings of a sentence; nothing where it asks, or is about others."""
    if not sentence.words:
        return
    yield from _taste_after(sentence, following)
    if sentence.mark == "?" or any(w.low in _OTHERS for w in sentence.words[:3]):
        return
    yield from _born(sentence)
    yield from _gone(sentence)
    yield from _custody(sentence)
    yield from _parted(sentence)
    yield from _home(sentence)
    if sentence.words[0].low in ("i", "we"):
        # What begins so is a clause, which the rules of clauses read.
        return
    yield from _standing(sentence)
    yield from _spoken(sentence)
    yield from _tasted(sentence)
    yield from _bodily(sentence)
    yield from _named(sentence)
    yield from _herd(sentence)
    yield from _of_one_house(sentence)


def _of(sentence: Sentence, found: re.Match[str], group: str, predicate: str, rule: str, **fields: Any) -> Fragment:
    start, end = found.start(group), found.end(group)
    while end > start and sentence.text[end - 1] in " ,.!":
        end -= 1
    return Fragment(predicate, sentence.start + start, sentence.start + end, rule, fields)


def _verbless(ws: list[Word], stop: int | None = None) -> bool:
    return not any(w.tag in ("VBZ", "VBP", "VBD", "MD") or (w.tag == "PRP" and w.low != "'s") for w in ws[:stop])


def _standing(sentence: Sentence) -> Iterator[Fragment]:
    """As in "divorced, joint custody of Ann and Bo", "married, two boys", "only child"."""
    ws, text = sentence.words, sentence.text
    comma = next((w.i for w in ws if w.low == ","), len(ws))
    found = _STANDING.search(text)
    if found and _verbless(ws, comma):
        yield _of(sentence, found, "what", "married_to", "jotted-status", importance=0.6)
        yield from _counted_items(ws, comma + 1)
    if (among := _AMONG.search(text)) and _verbless(ws, comma):
        yield _of(sentence, among, "what", "has_family", "jotted-among", importance=0.6)


def _custody(sentence: Sentence) -> Iterator[Fragment]:
    """As in "joint custody of Ann and Bo"."""
    if found := _CUSTODY.search(sentence.text):
        yield _of(sentence, found, "what", "has_family", "jotted-custody", importance=0.6)


def _counted_items(ws: list[Word], start: int) -> Iterator[Fragment]:
    """The counted relatives and animals among the items from a place on: "two boys, no pets"."""
    cuts = [w.i for w in ws[start:] if w.low in (",", "and", "&", ".")]
    for a, b in zip([start, *(cut + 1 for cut in cuts)], [*cuts, len(ws)], strict=True):
        if b - a < 2 or b - a > 4 or not (ws[a].tag == "CD" or ws[a].low in ("no", "a", "an")):
            continue
        noun = head(ws, a, b)
        none = ws[a].low == "no"
        for predicate, group in (("has_family", "kin"), ("has_pet", "pets")):
            if noun.low in words(group) and noun.i == b - 1:
                yield fragment(predicate, ws, (a + none, b), {"polarity": "negative" if none else "positive"})
                break


def _born(sentence: Sentence) -> Iterator[Fragment]:
    """As in "I turn 50 on the 3rd of May", "a leap-year baby, 29 Feb 1992"."""
    for pattern in (_TURNING, _BABY):
        if found := pattern.search(sentence.text):
            yield _of(sentence, found, "date", "born_on", "jotted-birth", importance=0.8, own_time=True)
            return


def _spoken(sentence: Sentence) -> Iterator[Fragment]:
    """As in "mother tongue is Czech", "English I picked up at school", "fluent Dutch, passable French"."""
    mother, first, graded = _tongues()
    for pattern in (mother, first):
        if found := pattern.search(sentence.text):
            for group in ("a", "b"):
                if found.groupdict().get(group):
                    yield _of(sentence, found, group, "speaks", "jotted-tongue", importance=0.6)
            return
    listed = list(graded.finditer(sentence.text)) if _verbless(sentence.words) else []
    if listed and (
        len(listed) > 1 or (listed[0].start() == 0 and re.match(r"(?:fluent|native|conversational)\b", sentence.text, re.I))
    ):
        for found in listed:
            polarity = "negative" if found.group("none") else "positive"
            yield _of(sentence, found, "a", "speaks", "jotted-grade", polarity=polarity)


def _taste_after(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """As in "Open-plan offices. Loathe them.", "Olives? Can't stand them."."""
    following_text = following.text.lower() if following is not None and following.mark != "?" else ""
    felt = _FELT_FOR.search(following_text)
    ws = [w for w in sentence.words if not w.is_mark]
    if not felt or not ws or len(ws) > 5 or not _verbless(ws):
        return
    end = phrase(sentence.words, ws[0].i, ws[-1].i + 1)
    last = sentence.words[end - 1] if end > ws[0].i else ws[0]
    single = re.search(r"\b(?:it|that)\b", felt.group(), re.IGNORECASE) is not None
    if single and (len(ws) > 2 or last.tag != "NN" or re.search(r"\b(?:it|that) (?:here|there|when|how)\b", following_text)):
        return  # "A few months. I love it here."
    if any(w.time or w.ent in ("GPE", "LOC", "DATE", "TIME") or w.low in words("time_nouns") for w in ws):
        return
    if end == ws[-1].i + 1 and last.tag[:2] == "NN" and ws[0].low not in words("anaphora") | {"the", "your", "that", "my"}:
        predicate = "likes" if felt.group("good") else "dislikes"
        yield Fragment(predicate, ws[0].start, ws[-1].end, "jotted-taste", {"kind": "preference"})


def _tasted(sentence: Sentence) -> Iterator[Fragment]:
    """As in "Worst: anything with rhubarb", "given the choice I'll take a window seat", "X and Y are my idea of happiness"."""
    text, kind = sentence.text, {"kind": "preference"}
    if found := _WORST.search(text):
        yield _of(sentence, found, "object", "dislikes", "jotted-worst", **kind)
    if found := _BEST.search(text):
        span = (sentence.start + found.start("category"), sentence.start + found.end("category"))
        yield _of(sentence, found, "object", "favourite", "jotted-best", context_span=span, **kind)
    if found := _GIVEN_CHOICE.search(text):
        yield _of(sentence, found, "object", "prefers", "jotted-choice", **kind)
    if found := _THATS_MINE.search(text):
        predicate = "dislikes" if found.group("bad") else "likes"
        yield _of(sentence, found, "object", predicate, "jotted-mine", **kind)
    if found := _IDEA.search(text):
        predicate = "dislikes" if found.group("bad") else "likes"
        stop = sentence.start + found.end("list")
        last = next((w.i for w in sentence.words if w.start >= stop), len(sentence.words))
        pointing = words("anaphora") | {"the", "your", "my", "another"}
        spans: list[Span] = list(items(sentence.words, 0, last))
        if spans and spans[-1][1] == last and not any(sentence.words[a].low in pointing for a, _ in spans):
            for span in spans:
                yield fragment(predicate, sentence.words, span, dict(kind))


def _bodily(sentence: Sentence) -> Iterator[Fragment]:
    """As in "Migraines with aura, twice a month", "no pork in our house"."""
    ws, text = sentence.words, sentence.text
    if (found := _NO_FOOD.search(text)) and not re.search(r"\b(?:any ?more|any longer)\b", text, re.IGNORECASE):
        for group in ("a", "b", "c"):
            if (found.group(group) or "").lower() in words("foods"):
                yield _of(sentence, found, group, "diet", "jotted-none", polarity="negative", importance=0.7)
    end = phrase(ws, 0, len(ws), posts=frozenset({"with", "in", "of"}))
    stop = next((w.i for w in ws if w.low in ("with", "in", "of", ",", ".")), len(ws))
    ill = end and any(is_condition(w.low) for w in ws[:stop]) and ws[0].low not in ("the", "this", "that", "what", "any", "no")
    closed = end == len(ws) or ws[min(end, len(ws) - 1)].low in (",", ".", "since", "for")
    if ill and closed and _verbless(ws) and {w.low for w in ws[end:]} & _FREQUENCY:
        yield fragment("health", ws, (0, end), {"importance": 0.7})


def _named(sentence: Sentence) -> Iterator[Fragment]:
    """As in "Bartholomew here (Barty is fine)"."""
    text = sentence.text
    if (found := _FINE.search(text)) and found.group("name").lower() not in words("time_nouns") | words("openers"):
        yield _of(sentence, found, "name", "name", "jotted-name", importance=0.7)


def _of_one_house(sentence: Sentence) -> Iterator[Fragment]:
    """As in "my husband Teo, our son (9) and my mother": nothing but relatives, one after the other."""
    ws = sentence.words
    cuts = [w.i for w in ws if w.low in (",", "and", "&", "plus")]
    found: list[Fragment] = []
    whole = True
    for a, b in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(ws)], strict=True):
        while b > a and ws[b - 1].is_mark and ws[b - 1].text != ")":
            b -= 1
        inner = next((w.i for w in ws[a:b] if w.low in ("who", "that", "which")), b)
        if inner <= a:
            continue
        kin = next((w for w in ws[a + 1 : inner] if w.low in words("kin")), None)
        if ws[a].low not in ("my", "our") or kin is None or not _verbless(ws[a:inner]) or inner - a > 6:
            whole = whole and ws[a].low == "me" and inner == a + 1
            continue
        named = kin.i + 1 < inner and ws[kin.i + 1].text[:1].isupper()
        if kin.low in words("partners") and named:
            found.append(fragment("married_to", ws, (kin.i + 1, inner), {"importance": 0.7}))
        else:
            found.append(fragment("has_family", ws, (a + 1, inner), {"importance": 0.6}))
    if whole and len(found) >= 2:
        yield from found


def _home(sentence: Sentence) -> Iterator[Fragment]:
    """As in "we left the city, Nantes is home since May"."""
    found = _HOME.search(sentence.text)
    if found and found.group("place").lower() not in words("kin") | words("anaphora") | words("openers"):
        yield _of(sentence, found, "place", "lives_in", "jotted-home", importance=0.7)


def _herd(sentence: Sentence) -> Iterator[Fragment]:
    """As in "Three hens, one goose who bites, and an old dog": animals counted one after the other, whatever they do."""
    ws = sentence.words
    cuts = [w.i for w in ws if w.low in (",", "and", "&")]
    found: list[Fragment] = []
    for a, b in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(ws)], strict=True):
        inner = next((w.i for w in ws[a:b] if w.low in ("who", "that", "which", "called", "named", "from")), b)
        if b - a < 1:
            continue
        if not (ws[a].tag == "CD" or ws[a].low in ("a", "an")) or inner - a < 2 or head(ws, a, inner).low not in words("pets"):
            break
        found.append(fragment("has_pet", ws, (a, inner), {}))
    if len(found) >= 2 and len(found) < len(cuts) + 1:
        yield from found


def _parted(sentence: Sentence) -> Iterator[Fragment]:
    """As in "we're not together any longer, Pilar and I": a partner who is one no longer."""
    if found := _NO_PAIR.search(sentence.text):
        yield _of(
            sentence, found, "a" if found.group("a") else "b", "married_to", "jotted-parted", temporal="ended", cue="change"
        )


def _gone(sentence: Sentence) -> Iterator[Fragment]:
    """As in "there was a time I smoked a pack a day", "back in the day we'd play squash"."""
    fields: dict[str, Any] = {"temporal": "ended", "importance": 0.4}
    for pattern in (_ONCE_A_TIME, _BACK_THEN):
        if found := pattern.search(sentence.text):
            at = sentence.start + found.start("object")
            verb = next((w for w in sentence.words if w.start == at), None)
            if verb is not None and verb.tag in ("VBD", "VB", "VBP", "VBN") and verb.lemma not in words("opinion_verbs"):
                yield _of(sentence, found, "object", "habit", "jotted-gone", **fields)
            return
