"""Which properties a query can meet, by its words alone, so that an engine need not be filled with what it cannot ask for.

Invariant: where there is any doubt (a variable where a property stands, a path that excludes one or may be of no length, a base
or an escape) the answer is None, and everything is taken.  To name too many properties costs time; to miss one would cost rows.
"""

from __future__ import annotations

import re
from itertools import pairwise

from graphmem.rdf_terms import A

_TOKENS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'(?:@[\w-]+)?'
    r"|(?P<iri><[^<>\"{}|^`\\\x00-\x20]*>)|#[^\n\r]*|(?P<variable>[?$]\w+)|(?P<short>(?:[A-Za-z][\w-]*)?:(?:[\w-](?:[\w.-]*[\w-])?)?)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>[+-]?\d[\d.eE+-]*)|(?P<mark>[^\s])",
    re.DOTALL,
)
_TERM = ("iri", "short", "variable", "text", "number")


def properties(query: str) -> frozenset[str] | None:
    """The properties that a query names, with all other IRIs in it; None if it may meet any."""
    tokens: list[tuple[str, str]] = []
    for found in _TOKENS.finditer(query):
        kind, said = found.lastgroup or "text", found.group()
        if kind != "text" or not said.startswith("#"):
            tokens.append((kind, said))
    if any(said.upper() == "BASE" for kind, said in tokens if kind == "word") or "\\" in _bare(tokens):
        return None
    spaces: dict[str, str] = {}
    for (kind, word), (_, name), (_, iri) in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if kind == "word" and word.upper() == "PREFIX":
            spaces[name] = iri[1:-1]
    if _doubtful(tokens):
        return None
    named = {str(A)}
    for kind, said in tokens:
        if kind == "iri":
            named.add(said[1:-1])
        elif kind == "short":
            prefix, _, name = said.partition(":")
            if f"{prefix}:" not in spaces:
                return None
            named.add(spaces[f"{prefix}:"] + name)
    return frozenset(named)


def _bare(tokens: list[tuple[str, str]]) -> str:
    return "".join(said for kind, said in tokens if kind != "text")


def _doubtful(tokens: list[tuple[str, str]]) -> bool:
    """Whether a variable may stand for a property, or a path reaches what it does not name."""
    body = _called_off(_without_columns(tokens))
    for (before, first), (kind, said), (after, third) in zip(body, body[1:], [*body[2:], ("mark", "}")], strict=False):
        if kind == "variable" and (before in _TERM or first in (";", "]", ")")) and (after in _TERM or third in ("[", "(")):
            return True
        if kind == "mark" and said == "*":
            return True
        if kind == "mark" and said in "?$":
            return True
        if said == "!" and third != "=" and (after in ("iri", "short") or third in ("^", "a")):
            return True
    return any(one == ("mark", "!") and other == ("mark", "(") for one, other in pairwise(body)) and _excluding(body)


def _called_off(body: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The tokens with the end of a condition or a call as one of its own, which no triple can begin with."""
    open_: list[bool] = []
    found: list[tuple[str, str]] = []
    for kind, said in body:
        if said == "(":
            open_.append(bool(found) and found[-1][0] == "word")
        elif said == ")" and open_ and open_.pop():
            said = "end of call"
        found.append((kind, said))
    return found


def _excluding(body: list[tuple[str, str]]) -> bool:
    """Whether a "!(" begins a list of properties and not a condition, which begins with a variable, a call or a bracket."""
    return any(
        one == ("mark", "!") and other == ("mark", "(") and (kind in ("iri", "short") or said in ("^", "a", ")"))
        for one, other, (kind, said) in zip(body, body[1:], body[2:], strict=False)
    )


def _without_columns(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The tokens without prefixes, columns and orders, where variables stand in a row."""
    body: list[tuple[str, str]] = []
    skipping = True
    for kind, said in tokens:
        if kind == "word" and said.upper() in ("SELECT", "ASK", "PREFIX", "ORDER", "GROUP"):
            skipping = True
        elif said in ("{", "}"):
            skipping = False
        if not skipping:
            body.append((kind, said))
    return body
