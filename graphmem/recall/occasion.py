"""When to bring a memory up unasked: what a turn is, and how sure recall must be before it speaks.

Invariant: pure; the bar is never below the calibrated threshold of a question, so a turn is shown less than a question
about the same thing and never more.  An irrelevant memory is worse than none: the search is wide, and the filter is hard.

Four occasions, first match wins:

- `small_talk`: a greeting, thanks, a word of encouragement, with at most one topic.  Only what is all but certain passes.
- `past`: the turn points back ("as I said", "last time", "do you remember").  Whatever would answer a question passes,
  what no longer holds and raw turns among it.
- `topic`: it says that it changes the topic ("by the way"), or shares no topic with the turns before it.
- `turn`: any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from graphmem.model import Hit, Recall
from graphmem.recall.words import Words

Kind = Literal["turn", "past", "topic", "small_talk"]
# The least score by occasion.  0.33 is the calibrated threshold of a question.
BARS: dict[Kind, float] = {"past": 0.33, "topic": 0.37, "turn": 0.42, "small_talk": 0.75}
# Of a turn of so many characters some sentences are looked up each by itself, beside the whole: in a long text each topic
# drowns.  Each costs as much as a question, so they are few.
LONG = 160
SENTENCES = 2
SHORTEST = 3  # characters of a sentence
LONGEST = 2000  # characters of the whole that are looked up

# The user may write in another language than the memory is kept in, so all are tried.
_PAST = re.compile(
    r"\b(?:"
    # English: what somebody said, what was talked about, another time, remembering.
    r"(?:as|like) (?:I|we|you) (?:\w+ )?(?:said|say|mentioned|told|explained|wrote|discussed|agreed)"
    r"|I(?:'ve| have|’ve)? (?:already |once |just )?(?:said|told you|mentioned)"
    r"|(?:you|we)(?:'ve| have|’ve)? (?:already |once |just )?(?:said|told me|mentioned|suggested|recommended|promised"
    r"|talked|spoke|discussed|decided|agreed|planned|chatted)"
    r"|did (?:I|we|you) (?:\w+ )?(?:say|tell|mention|talk|speak|discuss|decide|agree|suggest|recommend)"
    r"|last time|the other day|(?:last|previous|earlier|our) (?:chat|talk|conversation|session|discussion)"
    r"|(?:do|don'?t|can|did) you (?:still )?(?:remember|recall)|remember (?:when|what|that|how|my|the|our|me)|remind me"
    r"|(?:once|back) (?:again|then|when)|where (?:did )?we (?:left|leave) off|pick up where"
    # Swedish
    r"|som (?:jag|vi|du) (?:sa|sade|nämnde|berättade)|förra gången|sist vi|(?:minns|mins) du|kommer du ihåg"
    r"|vi (?:pratade|talade|bestämde|diskuterade)|(?:jag|du) (?:sa|berättade|nämnde)"
    # Finnish
    r"|kuten (?:sanoin|mainitsin|kerroin|puhuimme)|viime kerralla|viimeksi|muistatko|muistathan|puhuimme|sovimme|päätimme"
    # Russian
    r"|как (?:я|мы|ты) (?:уже )?(?:говорил|сказал|упоминал|рассказывал)\w*|в прошлый раз|(?:ты )?(?:помнишь|помните)"
    r"|мы (?:говорили|обсуждали|решили|договорились)|я (?:уже )?(?:говорил|рассказывал|упоминал)\w*"
    r")\b",
    re.IGNORECASE,
)
_TURNING = re.compile(
    r"(?:^|[.!?;]\s*)(?:(?:oh|ah|and|so|ok(?:ay)?|now)[,\s]+)*(?:"
    r"by the way|btw|apropos|speaking of|on another (?:note|topic|subject)|(?:(?:something|anything|one) (?:else|more thing))"
    r"|another (?:thing|question|topic)|different (?:question|topic|subject)|changing (?:the )?(?:topic|subject)"
    r"|before I forget|new (?:topic|question)|anyway"
    r"|förresten|på tal om|en (?:annan|helt annan) (?:sak|fråga)"
    r"|muuten|toinen (?:asia|kysymys)"
    r"|кстати|между прочим|(?:ещё|другой|ещё один) вопрос"
    r")\b",
    re.IGNORECASE,
)
# A question about what the speaker may, should or has: "can I take ibuprofen?", though "take" is a word of small talk.
_OWN_QUESTION = re.compile(
    r"(?:^|[,.!;]\s*)(?:can|could|may|should|must|am|do|did|have|was|will|is it|are there)\b[^?]*"
    r"\b(?:I|we|me|us|my|our)\b[^?]*\?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a turn is: its kind, and the least score of what may be shown at it."""

    kind: Kind
    bar: float


def occasion(text: str, before: Sequence[str], words: Words) -> Occasion:
    """What a turn is.

    Args:
        text: the turn.
        before: the turns of this conversation before it, as far as the caller has them; none says nothing of the topic.
        words: the language of the memory.
    """
    kind: Kind = "turn"
    if _PAST.search(text):
        kind = "past"
    elif is_small_talk(text, words):
        kind = "small_talk"
    elif _TURNING.search(text) or _turned(text, before, words):
        kind = "topic"
    return Occasion(kind, BARS[kind])


def is_small_talk(text: str, words: Words) -> bool:
    """Whether a text is made of small talk: nothing else, or some of it and at most one topic, and asks nothing."""
    content = words.content(text)
    small = sum(word in words.small_talk for word in content)
    if len(content) == small:
        return True
    if _OWN_QUESTION.search(text):
        return False
    return small > 0 and len(content) - small <= 1 and not any(word in words.asking for word in words.raw(text))


def _turned(text: str, before: Sequence[str], words: Words) -> bool:
    topics = set(words.topics(text))
    told = {stem for one in before for stem in words.topics(one)}
    return bool(topics and told) and not topics & told


def lookups(text: str, words: Words) -> list[str]:
    """The texts that are looked up for a turn.

    Its end as it stands; of a long one with several sentences also the first and the last; of one that points to the past
    also the rest of it, for the words that point are about nothing.
    """
    whole = text.strip()[-LONGEST:]
    bare = _PAST.sub(" ", whole).strip(" ,;:")
    sentences = [one.strip() for one in _SENTENCE.split(whole) if len(one.strip()) >= SHORTEST and words.topics(one)]
    if len(sentences) < 2 or len(whole) < LONG:
        return [whole, bare] if len(bare) < len(whole) - 3 and words.topics(bare) else [whole]
    sentences = [_PAST.sub(" ", one).strip(" ,;:") or one for one in sentences]
    chosen = [sentences[0], *sentences[1 - SENTENCES :]]
    return list(dict.fromkeys([whole, *chosen]))


def passing(found: Recall, moment: Occasion, *, k: int, session: str | None, shown: Collection[str]) -> Recall:
    """What of an answer is worth showing unasked.

    Args:
        found: the answer to the turn, as if it were a question.
        moment: what the turn is.
        k: the most hits.
        session: the conversation that goes on: the model has its words before it.
        shown: ids of statements that are in the prompt already.
    """
    looking_back = moment.kind == "past"
    hits: list[Hit] = []
    for hit in found.hits:
        old = {"superseded", "past"} & set(hit.flags)
        if hit.score < moment.bar or (not looking_back and (old or hit.statement is None)):
            continue
        if _only_of(hit, session) or (hit.statement is not None and hit.statement.id in shown):
            continue
        hits.append(hit)
    hits = hits[:k]
    ids = {hit.statement.id for hit in hits if hit.statement is not None}
    pairs = tuple(pair for pair in found.contradictions if {pair.a.id, pair.b.id} & ids)
    return found.model_copy(
        update={
            "hits": tuple(hits),
            "contradictions": pairs,
            "superseded_shown": sum("superseded" in hit.flags for hit in hits),
            "below_threshold": found.below_threshold + len(found.hits) - len(hits),
            "occasion": moment.kind,
        }
    )


def _only_of(hit: Hit, session: str | None) -> bool:
    """Whether a hit rests on nothing but the words of one conversation."""
    if session is None:
        return False
    if hit.turn is not None:
        return hit.turn.session == session
    return hit.statement is not None and {item.session for item in hit.statement.evidence} == {session}
