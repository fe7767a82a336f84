"""Answers: phrases that mean something only through the assistant's question before them.

Invariant: without a question that fits, a bare phrase makes nothing; a denial ("nope") makes nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.profiles import Fragment, fragment, profile
from graphmem.extractors.replies import avoided, capitalised, diet_words, typed

_HAVE = (
    r"\b(?:do you (?:have|keep|own|suffer from)|have you got|got any|you got|any|what|which|is there|are "
    r"there|tell me about|kind of|how many)\b[^?]*"
)
_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(source, re.IGNORECASE))
    for name, source in (
        (
            "profile",
            r"\b(?:introduce yourself|about yourself|tell me (?:a (?:bit|little) )?(?:more )?about you\b|"
            r"who are you|know about you|who am i (?:talking|speaking|chatting) (?:to|with))",
        ),
        ("allergic_to", rf"(?:{_HAVE}|\bare you (?:\w+ )?)\ballerg"),
        (
            "health",
            rf"{_HAVE}\b(?:health|medical|(?<!weather )conditions?\b|injur|illness|medication|medicine)|\bdo you take any\b",
        ),
        (
            "diet",
            rf"(?:{_HAVE}|\bare you |\bdo you )(?:\w+ )*?\b(?:diets?|dietary|food restrictions?|eat|avoid|vegetarian|"
            rf"vegan|pescatarian|"
            r"don't eat|can't eat|food(?:s)? you)\b",
        ),
        ("born_on", r"\b(?:when|what|which|tell me|your|how)\b[^?]*\b(?:born|birthday|date of birth|birth year|birth date)\b"),
        ("age", r"\b(?:how old are you|your age\b|what age are you)"),
        ("has_pet", rf"{_HAVE}\b(?:pets?|dogs?|cats?|animals?)\b"),
        ("has_family", rf"{_HAVE}\b(?:children|kids|siblings|brothers?|sisters?|sons?|daughters?|family)\b"),
        ("studies_at", r"\b(?:where|what|which|do|did)\b[^?]*\b(?:study|studying|university|college|school|major)\b"),
        (
            "has_vehicle",
            r"what (?:kind of )?(?:car|vehicle|bike)|which (?:car|vehicle|bike)|what do you drive|\b(?:do you (?:drive|"
            r"own a car|have a (?:car|vehicle|bike)))\b(?! or\b)(?![^?]* or )",
        ),
        (
            "married_to",
            r"\b(?:are you (?:\w+ )?(?:married|single|engaged)|do you have a partner|in a relationship|your "
            r"(?:relationship|marital) status)\b",
        ),
        ("speaks", r"\b(?:what|which|how many|do you)\b[^?]*\b(?:languages?|speak)\b"),
        (
            "uses_tool",
            r"\b(?:what|which|do)\b[^?]*\b(?:tools?|software|apps?|editor|ide|framework|stack|do you (?:\w+ )?use|"
            r"operating system|browser)\b|"
            r"^\W*(?:so |and |ok |okay )?(?:do |are )?you (?:still |currently )?us(?:e|ing)\b",
        ),
        (
            "works_at",
            r"\b(?:where do you (?:currently )?work|who do you work for|which company|what company|(?:your|current) "
            r"employer)\b|"
            r"^\W*(?:so |and |ok |okay )?(?:do |are )?you (?:still |currently )?work(?:ing)? (?:at|for)\b",
        ),
        (
            "has_job",
            r"\b(?:for work|for a living|your job|profession|occupation|your role|what do you do|do you do\b|line of "
            r"work|job title|your trade)\b",
        ),
        (
            "lives_in",
            r"\bwhere (?:do|are) you (?:\w+ )?(?:live|living|based|located|from)\b|\bwhere you (?:\w+ )?(?:live|are based)\b|"
            r"^\W*(?:(?:so|and|ah|ok|okay|then|well|right),? )*(?:do |are )?you(?:'re| are)? (?:still |currently |"
            r"now |both )?(?:live|living|based) in\b|"
            r"\b(?:which|what) (?:city|town|country|part of)\b[^?]*\b(?:you|your)\b|\b(?:your (?:city|home ?town|address))\b",
        ),
        ("name", r"\b(?:your (?:full |first |last )?name|(?:call|address) you|name should|who'?s this)\b"),
        ("favourite", r"\b(?:your|do you have a) (?:all[- ]time |absolute )?(?:favou?rite|fave)\b"),
        (
            "transport",
            r"\bhow do you (?:\w+ )?(?:get|commute|travel|go) (?:to|around|there)\b|\bdo you (?:drive|bike|cycle|"
            r"walk)\b[^?]* or \b",
        ),
        ("choice", r"\b\w+ or \w+"),
    )
)
_ASKS = re.compile(r"\?|\b(?:tell me|introduce|describe|share|let me know)\b", re.IGNORECASE)
# Offers and proposals look like questions; a phrase after them answers no question about the user.
_OFFER = re.compile(
    r"\b(?:have you (?:ever )?(?:considered|thought|looked|tried|heard)|would you like (?:me|to|a|an|some|"
    r"help)|do you want (?:me|to|a|some)|"
    r"how about|what about|shall (?:i|we)|should you|(?:could|can) you(?! (?:please )?(?:confirm|tell|share|give|"
    r"remind me of|state|specify|say|let me))|why (?:not|don't)|want me|may i|can i|"
    r"interested in|thinking (?:of|about)|do you need)\b",
    re.IGNORECASE,
)
# Words of greeting, thanks, feeling and refusal that open what is no answer.
_NO_ANSWER = re.compile(
    r"^\W*(?:thanks?|thank you|thx|ty|cheers|ta|good (?:morning|night|evening|afternoon|day|question|one|"
    r"point|idea)|bye|goodbye|hi|hey|hello|hiya|ok|okay|"
    r"great|nice|cool|lol|haha\w*|hm+|wow|never ?mind|no (?:idea|clue|thanks|thank|way|comment|worries|"
    r"problem)|dunno|idk|whatever|why|who|what|how|where|when|which|"
    r"define|guess|depends|pass|next|skip|stop|later|none|nothing|n/?a|secret|private|prefer not|rather not|"
    r"hang on|hold on|wait|one (?:sec|moment|minute)|ugh|huh|meh|"
    r"please|sorry|let'?s|let me|come on|really|seriously|interesting|not (?:sure|really|yet|telling|"
    r"important|relevant)|see you|talk|congrats|happy|merry|god(?! no)|jesus|christ|"
    r"damn|sweet|brilliant|perfect|awesome|exactly|indeed|fair|true|same|anyway|new topic|my (?:wife|husband|"
    r"mother|boss|doctor|kids?)|the one|does|do|did|is|are|can|could|"
    r"would|will|should|what'?s|for whom|ask|somewhere|everywhere|anywhere|nowhere|here|there|home|mars|earth)\b",
    re.IGNORECASE,
)


_YES = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|yup|no|nope|nah|sure|well|just|only|oh|hm+|mostly|currently|it's|its|that's|"
    r"close|almost|nearly|not quite|actually|definitely|"
    r"god no|hell no|correct|right|wrong|not any ?more)\b[\s,.:!]*)+",
    re.IGNORECASE,
)
_DENIES = re.compile(r"^\W*(?:no|nope|nah|god no|hell no|close|almost|nearly|not quite|wrong|not any ?more)\b", re.IGNORECASE)


def topics(question: str | None) -> list[str]:
    """What the last sentence of the assistant's turn asks about, most telling first; empty if it asks nothing."""
    last = last_sentence(question)
    if not last or not _ASKS.search(last) or (_OFFER.search(last) and not _PREFERS.search(last)):
        return []
    return [name for name, pattern in _TOPICS if pattern.search(last)]


_PREFERS = re.compile(r"\b(?:prefer|rather|should i|call you|address you)\b", re.IGNORECASE)


def last_sentence(question: str | None) -> str:
    """The sentence that a turn ends with, or the question before its last remark; smileys and closing marks do not count."""
    parts = [p for p in re.split(r"(?<=[.!?])\s+|\n+", (question or "").strip()) if re.search(r"\w", p)]
    asked = [part for part in parts if "?" in part]
    if asked and len(parts) - parts.index(asked[-1]) == 2 and _WHY_ASKED.match(parts[-1]):
        return asked[-1]
    return parts[-1] if parts else ""


# "Where are you based? Then I can get the time zone right."
_WHY_ASKED = re.compile(
    r"^\W*(?:then|so that|so i|that way|that helps|it helps|just so|this helps|i(?:'ll| will| can|'d)|no rush)\b", re.IGNORECASE
)


def answers(
    sentence: Sentence, asked: list[str], question: str, *, number: int = 0, denied: bool = False
) -> Iterator[Fragment]:
    """Claims from a phrase that answers the assistant's question; `denied`: the sentence before it said no."""
    ws = [w for w in sentence.words if not w.foreign]
    if not ws or sentence.mark == "?":
        return
    yield from _renamed(ws, question)
    if not asked or number > 2 or _NO_ANSWER.match(sentence.text):
        return
    lead = _YES.match(sentence.text)
    skip = sentence.start + (lead.end() if lead else 0)
    start = next((w.i for w in ws if w.start >= skip), None)
    if start is None or _NO_ANSWER.match(sentence.text[skip - sentence.start :]):
        return
    denied = denies(sentence) or denied
    topic = asked[0]
    if topic == "profile":
        yield from profile(ws, start, len(ws))
        return
    ws = _before_clause(ws)
    if (
        not ws
        or start >= len(ws)
        or (_has_verb(ws, start) and not (ws[0].low in ("it", "she", "he", "they") and topic == "has_pet"))
    ):
        return
    if topic == "diet":
        yield from diet_words(ws, 0)
        if re.search(
            r"\b(?:avoid|don['’]?t (?:you )?eat|can['’]?t (?:you )?eat|steer clear)\b", last_sentence(question), re.IGNORECASE
        ):
            yield from avoided(ws, start)
        return
    yield from typed(ws, start, topic, denied, last_sentence(question))


def is_offer(question: str) -> bool:
    """Whether a turn ends with an offer or a proposal."""
    return bool(_OFFER.search(last_sentence(question)))


def denies(sentence: Sentence) -> bool:
    """Whether a sentence opens with a no."""
    return bool(_DENIES.match(sentence.text))


def _has_verb(ws: list[Word], start: int) -> bool:
    """Whether a finite verb or an imperative makes the phrase a sentence of its own."""
    first = ws[start]
    if first.tag in ("VB", "VBP") and first.low not in words("body") | words("foods"):
        return True
    return any(
        w.tag in ("VBP", "VBZ", "VBD", "MD") and w.dep in ("ROOT", "ccomp") and not w.text[:1].isupper() for w in ws[start:]
    )


def _renamed(ws: list[Word], question: str) -> Iterator[Fragment]:
    """As in "It's Ms Moore, Ada Moore": the name put right after the assistant used one."""
    if ws[0].low not in ("it", "its", "it's") or len(ws) < 3 or ws[1].low not in ("'s", "is", "s"):
        return
    span = capitalised(ws, 2)
    last = span
    while span is not None and span[1] + 1 < len(ws) and ws[span[1]].low == ",":
        span = capitalised(ws, span[1] + 1)
        last = span or last
    if last is None:
        return
    name = [w.text for w in ws[last[0] : last[1]] if w.low not in ("mr", "ms", "mrs", "dr", "miss")]
    if name and (name[-1] in question or re.search(r"\b(?:Mr|Ms|Mrs|Dr|Miss|your name|call you)\b", question)):
        start = next(w.i for w in ws[last[0] : last[1]] if w.text == name[0])
        yield fragment("name", ws, (start, last[1]), {"cue": "correction", "importance": 0.8})


_GOES_ON = frozenset({"that", "i", "it", "they", "we", "though", "but", "although", "which", "where", "bless", "still", "all"})


def _before_clause(ws: list[Word]) -> list[Word]:
    """The phrase before a clause that goes on about it: "Gout and a weak ankle, that's about it"."""
    for n in range(1, len(ws)):
        if ws[n].low in _GOES_ON and ws[n - 1].low == ",":
            return ws[: n - 1]
    return ws
