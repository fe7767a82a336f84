"""Turns of phrase: where a fixed wording ends in a clause, so that the value after it can be read as a phrase.

Invariant: a wording says only where to look; what stands there is still read and tested as a phrase of its type, and the
clause has passed the same gate as any other.
"""

from __future__ import annotations

import re

from graphmem.extractors.clauses import Clause

IS = r"(?:is|'s|are|'re|am|'m|was|were)"
MY = r"(?:my|our)"


def wording(*alternatives: str, opens: bool = False) -> re.Pattern[str]:
    """A pattern of whole words over the clause in lower case, words apart by one blank; `opens`: at its beginning only."""
    edge = r"^(?:and |but |so |, )*" if opens else r"(?<!\S)"
    return re.compile(edge + "(?:" + "|".join(alternatives) + r")(?!\S)")


def line(clause: Clause) -> str:
    """The words of the clause in lower case, apart by one blank."""
    if clause.spelled is None:
        clause.spelled = " ".join(clause.lows)
    return clause.spelled


def after(clause: Clause, pattern: re.Pattern[str]) -> int | None:
    """The word after the first place where the wording stands, None if it does not or ends the clause."""
    found = pattern.search(line(clause))
    if not found:
        return None
    at = clause.start + line(clause).count(" ", 0, found.end()) + 1
    return at if at < clause.end else None


def stands(clause: Clause, pattern: re.Pattern[str]) -> bool:
    """Whether the wording stands in the clause."""
    return pattern.search(line(clause)) is not None
