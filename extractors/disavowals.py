"""Words that are put and taken back in one breath: "it's not true that ...", "just kidding", "once I've done it".

Invariant: this only ever takes something away.  Each pattern says where the words begin that are not the speaker's own plain
word; they reach to where the sentence turns ("but", a semicolon), or over all of it where the pattern says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.extractors.english import Sentence

_SPEAKER = r"(?=(?:I|we|my|our|I've|I'm)\b)"
_NOT = r"(?:not|n['’]t|never|cannot)"
_CLAIM = r"(?:say|claim|pretend|write|state|tell (?:people|them|him|her|everyone|anyone))"
_TURN = re.compile(r";|[,–—-]\s*(?:but|though|although|yet)\b|\bbut\b|(?<=\w)[.!]\s", re.IGNORECASE)
# What denies the words after it, whoever brought them up.
_DENIES = re.compile(
    rf"(?:\b{_NOT}|n['’]t) (?:at all |really |actually |exactly |quite )?(?:true|the case|correct|a fact) (?:that )?{_SPEAKER}|"
    rf"\b(?:false|untrue|a lie|a myth|fake news|nonsense) (?:that )?{_SPEAKER}|"
    rf"(?<!no )(?<!not )(?<!n't )(?<!n’t )(?<!never )\b(?:doubt|deny|disbelieve) (?:that )?{_SPEAKER}|"
    rf"\brefuse to believe (?:that )?{_SPEAKER}|"
    rf"\b(?:I|we) (?:(?:ca|could|wo|would|do|did)n['’]t|cannot|(?:can|could|will|would|do|did) not|never) "
    rf"(?:really |actually |honestly )?(?:say|claim|mean|said|claimed|meant) (?:that )?{_SPEAKER}|"
    rf"\bnot (?:saying|claiming|implying|suggesting) (?:that )?{_SPEAKER}|"
    r"\bfar from (?=having\b)|"
    rf"(?:^|[,;:.] |\b(?:please|and|so|just) )(?:don['’]t|do not|never) "
    rf"(?:assume|suppose|think|believe|imagine|conclude|{_CLAIM}) (?:that )?{_SPEAKER}|"
    rf"\b(?:stop|quit) (?:assuming|thinking|believing|claiming|pretending|saying|telling \w+) (?:that )?{_SPEAKER}|"
    r"^\W*(?:neither|nor|hardly|scarcely|rarely|seldom) (?:have|had|do|did|am|was) (?=(?:I|we)\b)",
    re.IGNORECASE,
)
# What somebody wants said, or has written.
_DICTATED = re.compile(
    rf"\b(?:wants?|wanted|asks?|asked|tells?|told|expects?|expected|gets?|forces?|forced) (?:me|us) to {_CLAIM} (?:that )?"
    rf"{_SPEAKER}|\b(?:post|e-?mail|letter|article|message|note|notice|comment|review|headline|advert) "
    rf"(?:saying|stating|claiming) (?:that )?{_SPEAKER}|\b(?:when|whenever|if) (?:I|we) (?:say|claim) (?:that )?{_SPEAKER}",
    re.IGNORECASE,
)
# A present perfect after these is of a time to come.
_TO_COME = re.compile(
    r"\b(?:when|whenever|once|after|as soon as|until|till|before|by the time|the moment) "
    r"(?=(?:I|we)(?:['’]ve| have) (?!to\b)(?:\w+ )?\w+)",
    re.IGNORECASE,
)
_WISHED = re.compile(r"(?:\bwould|['’]d) (?:really |so )?(?:like|love|prefer|hope|hate) to (?=have\b)", re.IGNORECASE)
_IN_JEST = re.compile(
    r"\b(?:just|only|totally) (?:kidding|joking)\b|\bI['’]?m (?:kidding|joking)\b|\bjk\b|\b(?:as|for) a joke\b", re.IGNORECASE
)
_SO_CALLED = re.compile(
    r"\b(?:my|our) (?:alleged|supposed|so-called|imaginary|fictional|hypothetical|pretend)\b", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\bin (?:(?:an?|the|some|my) )?(?:alternate|alternative|parallel|imaginary|fictional|made-up|hypothetical|another|other) "
    r"(?:universe|world|reality|timeline|scenario|life)\b|"
    r"\bin (?:the|that|this|your) (?:\w+ )?(?:scenario|example|thought experiment) (?:that )?(?:you|we|I)\b|"
    r"\b(?:let['’]?s|let us) say\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"^\W*(?:(?:so|and|but|well|ok|hey),? )?(?:have|had) (?:I|we) ", re.IGNORECASE)


class Unsaid(NamedTuple):
    """Where in a sentence words begin and end that are not said, and why."""

    start: int
    end: int
    reason: str


def unsaid(sentence: Sentence) -> list[Unsaid]:
    """The parts of a sentence that its own words take back; places count from its beginning."""
    text = sentence.text
    whole = (("sarcasm", _IN_JEST), ("hypothetical", _ELSEWHERE))
    found = [Unsaid(0, len(text), reason) for reason, pattern in whole if pattern.search(text)]
    if sentence.mark == "?" and _ASKED.search(text):
        found.append(Unsaid(0, len(text), "question"))
    parts = (
        ("negated", _DENIES),
        ("attributed", _DICTATED),
        ("conditional", _TO_COME),
        ("wish", _WISHED),
        ("attributed", _SO_CALLED),
    )
    for reason, pattern in parts:
        for match in pattern.finditer(text):
            turn = _TURN.search(text, match.end())
            comma = text.find(",", match.end()) if reason == "conditional" else -1
            ends = [at for at in (turn.start() if turn else -1, comma) if at >= 0]
            found.append(Unsaid(match.end(), min(ends, default=len(text)), reason))
    return found
