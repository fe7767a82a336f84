"""Answers: phrases that mean something only through the assistant's question before them.

Invariant: without a question that fits, a bare phrase makes nothing; a denial ("nope") makes nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import Span, head, items, phrase
from graphmem.extractors.profiles import Fragment, fragment, profile

_HAVE = r"\b(?:do you (?:have|keep|own|suffer from)|have you got|got any|you got|any|what|which|is there|are there|tell me about|kind of|how many)\b[^?]*"
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
            rf"(?:{_HAVE}|\bare you |\bdo you )(?:\w+ )*?\b(?:diets?|dietary|food restrictions?|eat|avoid|vegetarian|vegan|pescatarian|"
            r"don't eat|can't eat|food(?:s)? you)\b",
        ),
        ("born_on", r"\b(?:when|what|which|tell me|your|how)\b[^?]*\b(?:born|birthday|date of birth|birth year|birth date)\b"),
        ("age", r"\b(?:how old are you|your age\b|what age are you)"),
        ("has_pet", rf"{_HAVE}\b(?:pets?|dogs?|cats?|animals?)\b"),
        ("has_family", rf"{_HAVE}\b(?:children|kids|siblings|brothers?|sisters?|sons?|daughters?|family)\b"),
        ("studies_at", r"\b(?:where|what|which|do|did)\b[^?]*\b(?:study|studying|university|college|school|major)\b"),
        ("has_vehicle", r"what (?:kind of )?(?:car|vehicle|bike)|which (?:car|vehicle|bike)|what do you drive"),
        (
            "married_to",
            r"\b(?:are you (?:\w+ )?(?:married|single|engaged)|do you have a partner|in a relationship|your (?:relationship|marital) status)\b",
        ),
        ("speaks", r"\b(?:what|which|how many|do you)\b[^?]*\b(?:languages?|speak)\b"),
        (
            "uses_tool",
            r"\b(?:what|which|do)\b[^?]*\b(?:tools?|software|apps?|editor|ide|framework|stack|do you (?:\w+ )?use|operating system|browser)\b|"
            r"^\W*(?:so |and |ok |okay )?(?:do |are )?you (?:still |currently )?us(?:e|ing)\b",
        ),
        (
            "works_at",
            r"\b(?:where do you (?:currently )?work|who do you work for|which company|what company|(?:your|current) employer)\b|"
            r"^\W*(?:so |and |ok |okay )?(?:do |are )?you (?:still |currently )?work(?:ing)? (?:at|for)\b",
        ),
        (
            "has_job",
            r"\b(?:for work|for a living|your job|profession|occupation|your role|what do you do|do you do\b|line of work|job title|your trade)\b",
        ),
        (
            "lives_in",
            r"\bwhere (?:do|are) you (?:\w+ )?(?:live|living|based|located|from)\b|\bwhere you (?:\w+ )?(?:live|are based)\b|"
            r"^\W*(?:(?:so|and|ah|ok|okay|then|well|right),? )*(?:do |are )?you(?:'re| are)? (?:still |currently |now |both )?(?:live|living|based) in\b|"
            r"\b(?:which|what) (?:city|town|country|part of)\b[^?]*\b(?:you|your)\b|\b(?:your (?:city|home ?town|address))\b",
        ),
        ("name", r"\b(?:your (?:full |first |last )?name|(?:call|address) you|name should|who'?s this)\b"),
        ("favourite", r"\b(?:your|do you have a) (?:all[- ]time |absolute )?(?:favou?rite|fave)\b"),
        (
            "transport",
            r"\bhow do you (?:\w+ )?(?:get|commute|travel|go) (?:to|around|there)\b|\bdo you (?:drive|bike|cycle|walk)\b[^?]* or \b",
        ),
        ("choice", r"\b\w+ or \w+"),
    )
)
_ASKS = re.compile(r"\?|\b(?:tell me|introduce|describe|share|let me know)\b", re.IGNORECASE)
# Offers and proposals look like questions; a phrase after them answers no question about the user.
_OFFER = re.compile(
    r"\b(?:have you (?:ever )?(?:considered|thought|looked|tried|heard)|would you like (?:me|to|a|an|some|help)|do you want (?:me|to|a|some)|"
    r"how about|what about|shall (?:i|we)|should you|could you|can you|why (?:not|don't)|want me|may i|can i|interested in|thinking (?:of|about)|do you need)\b",
    re.IGNORECASE,
)
# Words of greeting, thanks, feeling and refusal that open what is no answer.
_NO_ANSWER = re.compile(
    r"^\W*(?:thanks?|thank you|thx|ty|cheers|ta|good (?:morning|night|evening|afternoon|day|question|one|point|idea)|bye|goodbye|hi|hey|hello|hiya|ok|okay|"
    r"great|nice|cool|lol|haha\w*|hm+|wow|never ?mind|no (?:idea|clue|thanks|thank|way|comment|worries|problem)|dunno|idk|whatever|why|who|what|how|where|when|which|"
    r"define|guess|depends|pass|next|skip|stop|later|none|nothing|n/?a|secret|private|prefer not|rather not|hang on|hold on|wait|one (?:sec|moment|minute)|ugh|huh|meh|"
    r"please|sorry|let'?s|let me|come on|really|seriously|interesting|not (?:sure|really|yet|telling|important|relevant)|see you|talk|congrats|happy|merry|god(?! no)|jesus|christ|"
    r"damn|sweet|brilliant|perfect|awesome|exactly|indeed|fair|true|same|anyway|new topic|my (?:wife|husband|mother|boss|doctor|kids?)|the one|does|do|did|is|are|can|could|"
    r"would|will|should|what'?s|for whom|ask|somewhere|everywhere|anywhere|nowhere|here|there|home|mars|earth)\b",
    re.IGNORECASE,
)


_YES = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|yup|no|nope|nah|sure|well|just|only|oh|hm+|mostly|currently|it's|its|that's|close|almost|nearly|not quite|actually|definitely|"
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
    """The sentence that a turn ends with; smileys and closing marks do not count."""
    parts = [p for p in re.split(r"(?<=[.!?])\s+|\n+", (question or "").strip()) if re.search(r"\w", p)]
    return parts[-1] if parts else ""


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
        yield from _diet(ws, 0)
        return
    yield from _typed(ws, start, topic, denied, last_sentence(question))


def is_offer(question: str) -> bool:
    """Whether a turn ends with an offer or a proposal."""
    return bool(_OFFER.search(last_sentence(question)))


def denies(sentence: Sentence) -> bool:
    """Whether a sentence opens with a no."""
    return bool(_DENIES.match(sentence.text))


def _has_verb(ws: list[Word], start: int) -> bool:
    """Whether a finite verb or an imperative makes the phrase a sentence of its own."""
    first = ws[start]
    if first.tag == "VB" and first.low not in words("body") | words("foods"):
        return True
    return any(
        w.tag in ("VBP", "VBZ", "VBD", "MD") and w.dep in ("ROOT", "ccomp") and not w.text[:1].isupper() for w in ws[start:]
    )


def _renamed(ws: list[Word], question: str) -> Iterator[Fragment]:
    """As in "It's Ms Moore, Ada Moore": the name put right after the assistant used one."""
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
        yield fragment("name", ws, (start, last[1]), {"cue": "correction", "importance": 0.8})


def _before_clause(ws: list[Word]) -> list[Word]:
    """The phrase before a clause that goes on about it: "Gout and a weak ankle, that's about it"."""
    for w in ws[1:]:
        if w.low in ("that", "i", "it", "they", "we") and ws[w.i - 1].low == ",":
            return ws[: w.i - 1]
    return ws


def _typed(ws: list[Word], start: int, topic: str, denied: bool, question: str) -> Iterator[Fragment]:
    end = len(ws)
    cue: dict[str, Any] = {"cue": "correction", "replaces": _asked_value(question)} if denied and _asked_value(question) else {}
    if topic in ("lives_in", "works_at", "name", "studies_at", "has_vehicle"):
        span = _capitalised(ws, start)
        if span and not (denied and not cue) and _fits(ws, span, topic):
            yield fragment(topic, ws, span, {"importance": 0.7, **cue})
    elif topic == "age":
        at = next((w for w in ws[start:] if w.low.isdigit()), None)
        if at and 5 <= int(at.low) <= 110 and len(ws) - start <= 4:
            yield fragment("age", ws, (at.i, at.i + 1), {})
    elif topic == "favourite":
        yield from _favourite(ws, start, question)
    elif topic == "transport":
        for w in ws[start:]:
            if w.low in words("transport") | words("vehicles") or w.low in ("foot", "walking", "cycling"):
                yield fragment("commutes_by", ws, (w.i, w.i + 1), {})
    elif topic == "choice":
        yield from _choice(ws, start, question)
    elif topic == "born_on":
        span = _date(ws, start)
        if span:
            yield fragment(topic, ws, span, {"importance": 0.8, "own_time": True})
    elif topic == "has_family" and not denied:
        w = ws[start]
        if w.tag == "CD" or w.low in ("two", "three", "one", "four", "a", "twins") or w.low in words("kin"):
            stop = max(phrase(ws, start, end), start + 1)
            yield fragment(topic, ws, (start, stop), {"importance": 0.7})
    elif topic == "has_job":
        stop = phrase(ws, start, end, loose=True)
        span = (start + (ws[start].low in ("a", "an")), stop)
        if stop > start and is_job(head(ws, *span).low):
            yield fragment(topic, ws, span, {"importance": 0.7})
            at = next((w.i for w in ws[stop:] if w.low in ("at", "for")), None)
            if at is not None:
                place = phrase(ws, at + 1, end, loose=True)
                if place > at + 1:
                    yield fragment("works_at", ws, (at + 1, place), {"importance": 0.7})
    elif topic in ("health", "allergic_to", "uses_tool", "speaks", "has_pet") and (
        not denied or (topic == "uses_tool" and cue)
    ):
        for found in _listed(ws, start, topic):
            found.fields.update(cue)
            yield found
    elif topic == "married_to" and ws[start].low in words("relationship"):
        yield fragment(topic, ws, (start, start + 1), {})
    elif topic == "married_to" and ws[start].low == "to" and not denied:
        stop = phrase(ws, start + 1, end, loose=True)
        if stop > start + 1:
            yield fragment(topic, ws, (start + 1, stop), {"importance": 0.7})


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
        fields = {"kind": "preference", "details": {"category": asked.group("category")}}
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
                    or any(low in words("body") for low in lows)
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


def _diet(ws: list[Word], start: int) -> Iterator[Fragment]:
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


def _capitalised(ws: list[Word], start: int) -> Span | None:
    i = start
    while i < len(ws) and ws[i].low in ("in", "at", "a", "the", "from", "near", ","):
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
        r"\byou(?:'re| are)? (?:still |currently |now )?(?:live in|living in|based in|work (?:at|for|as)|use|using|have|drive|study at|speak|a|an) (?:an? |the )?"
        r"(?P<value>[\w'.& -]+?)(?: (?:for|as|at|in|to|with) [\w' -]+)?(?:,? (?:right|correct|yes|no|isn't|aren't|don't)|\?)",
        question,
        re.IGNORECASE,
    )
    return found.group("value") if found else None
