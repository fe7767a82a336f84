"""A question about what the owner's home, work or school is, by its name: "what does the company I work for make?".

Invariant: one step, over one statement that holds at the moment asked about and is the only one of its relation; that statement
stands in the path of every hit found so, and only hits that name the thing are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from graphmem.model import Hit, Recall, Statement
from graphmem.recall.words import Words

_FIRM = r"(?:company|firm|employer|organi[sz]ation|business|start-?up|shop|place)"
_TOWN = r"(?:city|town|village|country|place|region)"
_SCHOOL = r"(?:university|school|college|place)"
_LINK = r"\s+(?:(?:that|which|where)\s+)?(?:I|we)(?:['’]m|['’]re| am| are)?\s+(?:currently\s+|now\s+)?"
# The relation, and what stands for its value in a question.
_PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "works_at",
            rf"\b(?:the {_FIRM}{_LINK}(?:work|working|employed)(?: (?:for|at|in|by))?|my (?:company|firm|employer))(?![\w-])",
        ),
        ("lives_in", rf"\bthe {_TOWN}{_LINK}(?:live|living|based)(?: in)?(?![\w-])"),
        (
            "studies_at",
            rf"\b(?:the {_SCHOOL}{_LINK}(?:study|studying|go)(?: (?:at|in|to))?|my (?:university|school|college))(?![\w-])",
        ),
    )
)
# "Who is my employer?" asks for the name itself.
_NAMING = re.compile(r"^\W*(?:who|what|which)(?:['’]s| is| are| was)\s*$", re.IGNORECASE)


class Bridge(NamedTuple):
    """A question with a name put in, the name, and the statement that gives it."""

    query: str
    name: str
    by: Statement


def relation_meant(query: str) -> str | None:
    """The relation whose value a question speaks of without naming it."""
    return next((name for name, pattern in _PHRASES if _found(pattern, query)), None)


def _found(pattern: re.Pattern[str], query: str) -> re.Match[str] | None:
    found = pattern.search(query)
    if found is None or (_NAMING.search(query[: found.start()]) and not query[found.end() :].strip(" ?.!'’s")):
        return None
    return found


def bridged(query: str, statements: Iterable[Statement]) -> Bridge | None:
    """The question with the one name that it means; None where there is none, or where there are several."""
    for name, pattern in _PHRASES:
        found = _found(pattern, query)
        if found is None:
            continue
        held = [one for one in statements if (one.predicate, one.subject, one.polarity) == (name, "user", "positive")]
        if len({one.object for one in held}) == 1 and not held[0].contradicts:
            return Bridge(query[: found.start()] + held[0].object + query[found.end() :], held[0].object, held[0])
        return None
    return None


def over(found: Recall, bridge: Bridge, words: Words) -> Recall:
    """Those hits of the answer to a bridged question that name the thing, each with the step that led there."""
    named = frozenset(words.stems(bridge.name))

    def names(hit: Hit) -> bool:
        statement, turn = hit.statement, hit.turn
        if statement is not None:
            return statement.id != bridge.by.id and named <= set(words.stems(f"{statement.text} {statement.context or ''}"))
        return turn is not None and named <= set(words.stems(turn.text))

    hits = [hit.model_copy(update={"path": (*hit.path, f"by: {bridge.by.text}")}) for hit in found.hits if names(hit)]
    pairs = tuple(
        pair for pair in found.contradictions if {pair.a.id, pair.b.id} & {h.statement.id for h in hits if h.statement}
    )
    return found.model_copy(update={"hits": tuple(hits), "contradictions": pairs})
