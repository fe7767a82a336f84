"""Shorthand of a working life: "Locksmith, 20 years", "Polish at home, Dutch at work", "Vim user since 1998", "Leeds-based".

Invariant: each form begins the sentence or follows a comma, names its own kind of value (a listed trade, language or skill, or
a capitalised name), and is read only where no other person is spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import head, phrase
from graphmem.extractors.profiles import Fragment, fragment

_BEGIN = r"^[\s*–—-]*"
_NAME = r"(?!I\b)[A-Z][\w.+#'’-]*(?: [A-Z][\w.+#'’-]*){0,2}"
_COUNT = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|a few|some)"
_END = r"(?=\s*(?:[,.!;)(]|$)|\s+(?:and|but|so|now|these days|at the moment|since|for)\b)"

_TRADE = re.compile(
    rf"{_BEGIN}(?:an? )?(?P<job>(?!been\b|was\b|as\b|for\b)[A-Za-z][\w-]*(?: [a-z][\w-]*){{0,2}}?)(?:, | for | of |"
    rf" )(?:(?:the )?(?:last|past) )?{_COUNT}(?: odd|-odd)? "
    r"years(?: now| in| running| and counting| strong)?(?=\s*(?:[,.!;]|$))",
)
_SENSES = re.compile(
    _BEGIN + r"(?P<what>(?:profoundly |partially |legally |completely |half )?(?:deaf|blind)(?: in (?:one|my (?:left|right)|"
    r"the (?:left|right)) "
    r"(?:ear|eye))?)(?=\s*(?:[,.!;]|$)|\s+(?:since|so)\b)",
    re.IGNORECASE,
)
_ACHE = re.compile(
    _BEGIN + r"(?P<what>(?:chronic|constant|bad|recurring|permanent|severe) [\w ]{2,20}?(?:pain|pains|trouble|problems?|"
    r"headaches?|infections?))"
    r"(?=\s*(?:[,.!;]|$)|\s+(?:since|for|after|from|all)\b)",
    re.IGNORECASE,
)
_BASED = re.compile(
    rf"(?:{_BEGIN}|I['’]m |\bam |, |\band )(?P<place>{_NAME})[- ]based(?=\s*(?:[,.!;]|$)|\s+(?:and|but|these days|now)\b)"
)
_BORN = re.compile(rf"(?:{_BEGIN}|I['’]m |\bam |, )(?P<place>{_NAME})[- ]born\b(?=\s*(?:[,.!;]|$)|\s+and\b)")
_NEW_HOME = re.compile(
    rf"{_BEGIN}(?i:(?:(?:my|our|the) )?(?:new )?(?:flat|house|place|apartment|home|home for now)(?:['’]s| is) (?:in|"
    rf"near|outside)) (?P<place>{_NAME}){_END}"
)
_THROUGH = re.compile(
    _BEGIN + r"(?:halfway|midway|partway|part way|almost|nearly) (?:through|done with) (?:an?|"
    r"my) (?P<what>(?:\w+ )?(?:master['’]?s|phd|degree|"
    r"bachelor['’]?s|diploma|mba|apprenticeship|doctorate|foundation year)\b[^,.;!?]{0,40})",
    re.IGNORECASE,
)
_USER = re.compile(
    rf"{_BEGIN}(?:(?i:long-?time|happy|proud|daily|heavy|die-?hard) )?(?P<tool>{_NAME}) (?i:user)(?=\s*(?:[,.!;]|$)|"
    rf"\s+(?:since|here|for|myself)\b)"
)
_RUNS_ON = re.compile(
    rf"\b(?:[Aa]ll )?(?:my|our|My|Our) (?P<what>\w+) (?:all )?(?:go|goes|run|runs|gets done|get done|happens|happen|"
    rf"lives|live|sits|sit) (?:through|on|in|via) (?P<tool>{_NAME}){_END}"
)
_ON_NOW = re.compile(
    rf"{_BEGIN}(?i:on|using|running) (?P<tool>{_NAME}) (?i:these days|nowadays|now|since|at the moment|at home|at work)\b"
)
_ABLE = (
    r"(?:(?P<bad>hopeless|terrible|useless|rubbish|awful|bad|no good|lousy|pathetic)|(?P<good>good|decent|great|"
    r"brilliant|handy|"
    r"not bad|pretty good|quite good|excellent|dab hand)) (?:at|with) (?P<what>(?:my |the )?[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
)
_ABILITY = re.compile(rf"(?:{_BEGIN}|, |\b(?:and|but) ){_ABLE}(?=\s*(?:[,.!;]|$)|\s+(?:and|but)\b)", re.IGNORECASE)
_WHO = frozenset({"he", "she", "they", "his", "her", "their", "him", "you", "your", "it", "this", "that"})


@cache
def _settings() -> re.Pattern[str]:
    names = "|".join(sorted((re.escape(entry.title()) for entry in words("languages")), key=len, reverse=True))
    return re.compile(
        rf"(?:^|[,;] |\band )(?:(?:some|a bit of|mostly|mainly) )?(?P<a>{names}) (?=(?:at|with|in|on|to) |online\b|"
        rf"everywhere\b|from (?:my|school)\b)"
    )


def shorthand(sentence: Sentence, following: Sentence | None) -> Iterator[Fragment]:
    """All shorthand forms of a sentence; nothing where it asks, or is about others."""
    ws = sentence.words
    if not ws or sentence.mark == "?" or any(w.low in _WHO for w in ws[:4]):
        return
    yield from _placed(sentence)
    if ws[0].low in ("i", "we"):
        return
    yield from _working(sentence)
    yield from _able(sentence)
    text = sentence.text
    for pattern in (_SENSES, _ACHE):
        if (found := pattern.search(text)) and _verbless(sentence, found.end()):
            yield _of(sentence, found, "what", "health", "short-health", importance=0.7)
            break


def _of(sentence: Sentence, found: re.Match[str], group: str, predicate: str, rule: str, **fields: Any) -> Fragment:
    return Fragment(predicate, sentence.start + found.start(group), sentence.start + found.end(group), rule, fields)


def _verbless(sentence: Sentence, end: int | None = None) -> bool:
    stop = sentence.end if end is None else sentence.start + end
    return not any(w.tag in ("VBZ", "VBP", "VBD", "MD", "PRP") for w in sentence.words if w.start < stop)


def _working(sentence: Sentence) -> Iterator[Fragment]:
    """As in "Locksmith, 20 years", "halfway through a master's in hydrology", "Vim user since 1998"."""
    text = sentence.text
    if (found := _TRADE.search(text)) and is_job(found.group("job").split()[-1]) and _verbless(sentence, found.end()):
        yield _of(sentence, found, "job", "has_job", "short-trade", importance=0.7)
    if found := _THROUGH.search(text):
        yield _of(sentence, found, "what", "studies_at", "short-study", importance=0.6)
    if (found := _USER.search(text)) and found.group("tool").lower() not in words("openers"):
        yield _of(sentence, found, "tool", "uses_tool", "short-user")
    if (
        (found := _ON_NOW.search(text))
        and found.group("tool").lower() not in words("time_nouns") | words("months")
        and not _town(sentence, found, "tool")
    ):
        yield _of(sentence, found, "tool", "uses_tool", "short-on")
    if (found := _RUNS_ON.search(text)) and found.group("what").lower() in words("digital_things") | words("routed_things"):
        yield _of(sentence, found, "tool", "uses_tool", "short-through")


def _placed(sentence: Sentence) -> Iterator[Fragment]:
    """As in "I'm Glasgow born, Leeds based", "new flat's in Vilnius"."""
    for pattern, predicate in ((_BASED, "lives_in"), (_BORN, "born_in"), (_NEW_HOME, "lives_in")):
        if (found := pattern.search(sentence.text)) and found.group("place").lower() not in words("openers"):
            yield _of(sentence, found, "place", predicate, "short-place", importance=0.7)


def _town(sentence: Sentence, found: re.Match[str], group: str) -> bool:
    start, end = sentence.start + found.start(group), sentence.start + found.end(group)
    return any(w.ent in ("GPE", "LOC", "DATE", "TIME") for w in sentence.words if start <= w.start < end)


def _able(sentence: Sentence) -> Iterator[Fragment]:
    """As in "hopeless at maths, decent at chess", "Polish at home, Dutch at work"."""
    if not _verbless(sentence):
        return
    for found in _ABILITY.finditer(sentence.text):
        if found.group("what").split()[-1].lower() not in words("anaphora") | words("abstract"):
            polarity = "negative" if found.group("bad") else "positive"
            yield _of(sentence, found, "what", "skill", "short-ability", polarity=polarity)
    spoken = list(_settings().finditer(sentence.text))
    if len(spoken) > 1:
        for found in spoken:
            yield _of(sentence, found, "a", "speaks", "short-spoken")
    ws = sentence.words
    if (
        ws[0].low == "not"
        and len(ws) > 4
        and [w.low for w in ws[1:4:2]] == ["a", "of"]
        and ws[2].low in ("drop", "sip", "bite", "scrap", "gram")
    ):
        end = phrase(ws, 4, len(ws))
        if end > 4 and head(ws, 4, end).low in words("foods"):
            yield fragment("diet", ws, (4, end), {"importance": 0.7, "polarity": "negative"})
