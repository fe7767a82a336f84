"""Which kind of memory a question asks for: what is to do, what is planned, what has changed.

Invariant: pure, and by the kind of words alone, never by what they are about.  Such a question shares no word with its
answers, so that no likeness finds them.  It asks for a kind where it has a word of asking and

- `open_items`: a word of owing ("should", "have to", "still", "left") and a word of doing ("do", "done", "finish"); or a name
  of tasks ("task", "deadline", "reminder"); or a word for what waits or was forgotten ("due", "pending", "forget");
- `plans`: a word of planning ("plans", "planned", "upcoming", "coming up");
- `changes`: a word of change ("changed", "update"), or "new" or "different" and no topic.

What else it is about are its topics: with none, everything of the kind answers; with one or two, only what has them all.
Times are no topics; they limit the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphmem.extractors.timex import resolve
from graphmem.recall.words import Words

Kind = Literal["open_items", "plans", "changes"]
TOPICS = 2  # a question with more of them asks for something in particular, which the search finds better
LONGEST = 200  # characters; what is longer tells something and asks for no kind

WORDS = {
    "asking": (
        "what what's whats which any anything something everything is are do does did have has list show tell give remind when"
    ),
    "owing": "should must need needs needed supposed ought gotta left remaining remains still yet to",
    "doing": "do done doing finish finished complete completed tackle handle accomplish",
    "tasks": "task tasks todo todos reminder reminders deadline deadlines errand errands chore chores commitment commitments",
    "waiting": "due overdue pending outstanding unfinished undone forget forgot forgotten forgetting",
    "plans": "plan plans planned planning upcoming agenda intend intended intending intentions",
    "changes": "change changes changed changing update updates updated",
    "news": "new news different",
    # What such questions are made of beside that, and what tells no topic.
    "frame": (
        "else thing things stuff item items next soon ahead later now currently already far open user user's happen happened "
        "happening happens last time since talked talk spoke met conversation recently lately recent future life keep got get "
        "take care mind important urgent first there's anyone please can could let know help remember want going go mention "
        "mentioned said told haven't hasn't"
    ),
    "fillers": "so and ok okay hey hi hello please now well",
}
_W = {name: frozenset(words.split()) for name, words in WORDS.items()}
_KNOWN = frozenset().union(*_W.values())
_PHRASES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("open_items", re.compile(r"\b(?:to-dos?|to[- ]do list|open items?|loose ends|action items?|follow[- ]ups?)\b", re.I)),
    ("plans", re.compile(r"\b(?:coming up|lies ahead|looking forward to|(?:am i|i'm|i am) going to do|calendar)\b", re.I)),
    # Swedish, Finnish, Russian: only the plain question for everything.
    (
        "open_items",
        re.compile(r"\bvad (?:måste|ska|bör|borde|behöver) (?:jag|vi) (?:fortfarande |ännu )?(?:att )?göra\b", re.I),
    ),
    ("open_items", re.compile(r"\bmitä (?:minun|meidän) (?:pitää|täytyy|pitäisi) (?:vielä )?tehdä\b", re.I)),
    (
        "open_items",
        re.compile(r"\bчто (?:мне|нам) (?:ещё |еще )?(?:нужно|надо|осталось|предстоит) (?:ещё |еще )?с?делать\b", re.I),
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What kind of memory a question asks for.

    Attributes:
        kind: the kind.
        topics: stems of what else it is about; none means everything of the kind.
        since, until: the time that it names, half-open; None where it names none.
    """

    kind: Kind
    topics: frozenset[str]
    since: datetime | None = None
    until: datetime | None = None


def asked_kind(text: str, now: datetime, words: Words) -> Asked | None:
    """The kind of memory that a question asks for, or None where it asks for none in particular."""
    if len(text) > LONGEST or not _asks(text, words):
        return None
    times = [time for time in resolve(text, now) if time.start is not None or time.end is not None]
    rest = text
    for time in sorted(times, key=lambda time: -time.start_char):
        rest = rest[: time.start_char] + " " + rest[time.end_char :]
    kind, rest = _named(rest)
    tokens = words.raw(rest)
    topics = frozenset(words.topics(" ".join(word for word in tokens if word not in _KNOWN)))
    if kind is None:
        kind = _by_words(frozenset(tokens), pure=not topics)
    if kind is None or len(topics) > TOPICS:
        return None
    since, until = (times[0].start, times[0].end) if times else (None, None)
    return Asked(kind, topics, since, until)


def _named(text: str) -> tuple[Kind | None, str]:
    """The kind that a phrase names, and the text without it."""
    for kind, phrase in _PHRASES:
        found = phrase.search(text)
        if found:
            return kind, text[: found.start()] + " " + text[found.end() :]
    return None, text


def _asks(text: str, words: Words) -> bool:
    """Whether a text is a question or a request by its mark or its first word."""
    first = next((word for word in words.raw(text) if word not in _W["fillers"]), "")
    return text.rstrip().endswith("?") or first in _W["asking"]


def _by_words(tokens: frozenset[str], *, pure: bool) -> Kind | None:
    if not tokens & _W["asking"]:
        return None
    # "Do I have to", "what must be done": owing and doing are two words, and "do" alone is none.
    owing = tokens & (_W["owing"] - {"to"}) or ("to" in tokens and tokens & {"have", "has", "got", "left"})
    if tokens & _W["tasks"] or (pure and tokens & _W["waiting"]) or (pure and owing and tokens & _W["doing"] and _what(tokens)):
        return "open_items"
    if tokens & _W["plans"] and (_what(tokens) or tokens & {"my", "our", "any", "i", "we"}):
        return "plans"
    if tokens & _W["changes"] and (_what(tokens) or "any" in tokens or "anything" in tokens):
        return "changes"
    return "changes" if pure and tokens & _W["news"] and _what(tokens) else None


def _what(tokens: Iterable[str]) -> bool:
    return bool({"what", "what's", "whats", "which", "anything", "something", "everything", "list", "show"} & set(tokens))
