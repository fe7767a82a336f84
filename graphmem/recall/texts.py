"""The exact strings that are embedded, in one place, because ingest and recall must agree on them.

Invariant: what a store has embedded is a pure function of its turns; changing a function here means that the vectors
of existing stores no longer fit their questions.
"""

from __future__ import annotations

import re

from graphmem.model import Turn
from graphmem.records import UNKEPT, TurnRecord

# Of the turn before only its end is kept, so that a long one cannot push the turn itself out of the model's window.
TAIL = 400
_THIRD: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"\b(?:do|did) (?:I|we)\b", "does the user"),
        (r"\b(?:am|are) (?:I|we)\b", "is the user"),
        (r"\b(?:was|were) (?:I|we)\b", "was the user"),
        (r"\bhave (?:I|we)\b", "has the user"),
        (r"\b(?:I am|I'm|I’m)(?!\w)", "the user is"),
        (r"\b(?:I have|I've|I’ve)(?!\w)", "the user has"),
        (r"\b(?:my|mine|our|ours)\b", "the user's"),
        (r"\b(?:I|me|myself|we|(?-i:us)|ourselves)\b", "the user"),
    )
)

# "For a living" asks for an occupation, though its words ask for a home.
_LIVING = re.compile(r"\bfor (?:a|my|his|her|their|your) living\b", re.IGNORECASE)
# And so does what somebody does, without more.
_DOES = re.compile(
    r"^(\W*what (?:do|does) (?:[\w'’-]+\s+){1,4}do)(?: (?:now|nowadays|these days|for work))?(?=\W*$)", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# "Tell me" asks; it does not make the owner part of the question.
_REQUEST = re.compile(
    r"^\s*(?:(?:please|kindly|can you|could you|would you|will you)\s+)*"
    r"(?:tell|show|give|remind|write|send|help|teach)\s+(?:me|us)\b\s*(?:please\b)?\s*(?:about\b|of\b)?",
    re.IGNORECASE,
)


def said(turn: Turn | TurnRecord) -> str:
    """The text of a turn without the characters that were not to be kept."""
    return turn.text if UNKEPT not in turn.text else " ".join(turn.text.split(UNKEPT)).strip()


def turn_text(turn: Turn | TurnRecord) -> str:
    """`speaker: text`, or `role: text` where nobody is named."""
    return f"{turn.speaker or turn.role}: {said(turn)}"


def context_text(previous: Turn | TurnRecord | None, turn: Turn | TurnRecord) -> str:
    """What of the turn before helps to understand this one; empty where nothing does.

    Between people it is all of it, or its end.  The long reply of an assistant says little about the next request and
    drowns it; only a question that it ends with is kept, because the turn may be the answer.
    """
    if previous is None or previous.role == "memory" or turn.role != "user":
        return ""
    if previous.role == "user":
        return said(previous)[-TAIL:]
    last = _SENTENCE.split(said(previous).strip())[-1]
    return last[-TAIL:] if last.endswith("?") else ""


_PRONOUNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"\b(?:she|he)\b", "the user"),
        (r"\b(?:her|his)\b(?=\s+\w)", "the user's"),
        (r"\b(?:her|him|hers|his|herself|himself)\b", "the user"),
    )
)


def owner_named(query: str) -> str:
    """The question of somebody who speaks of the owner as "she" or "he": the pronoun becomes "the user"."""
    for pattern, into in _PRONOUNS:
        query = pattern.sub(into, query)
    return query


def bare_question(query: str) -> str:
    """The question without "can you tell me" in front, idioms in plain words; the whole where nothing would be left."""
    rest = _LIVING.sub("as an occupation", _REQUEST.sub("", query, count=1).strip())
    return _DOES.sub(r"\1 as an occupation", rest) or query


def third_person(query: str) -> str:
    """The question as it is put about somebody else: statements speak of "User", owners ask with "I"."""
    for pattern, into in _THIRD:
        query = pattern.sub(into, query)
    return query
