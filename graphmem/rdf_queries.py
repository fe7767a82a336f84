"""An auditor's questions: SPARQL over an export in memory, the shipped ones and any other that only reads.

Invariant: a query reaches nothing but the export.  What would fetch (SERVICE, FROM, LOAD) or write is refused before it runs,
by its words for every engine, and for rdflib once more by what it was read as.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.rdf_lines import Terms, term_text
from graphmem.rdf_reach import properties
from graphmem.rdf_terms import Iri, Quad, Value, instant

NAMES = ("trace", "believed", "changes", "contradictions", "history", "portability", "erasure")
ENGINES = ("auto", "rdflib", "oxigraph")
LARGE = 100_000  # quads above which Oxigraph is taken where it is installed
_WORDS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>"{}|^`\\\x00-\x20]*>|#[^\n\r]*',
    re.DOTALL,
)
# Variables, and names after their prefix: no command stands in them.
_NAMES = re.compile(r"[?$]\w+|:(?![.-])[\w.:%-]*")
# What engines can read without an overflow of their stack, or in a time that does not double with every bracket.
DEEPEST, MOST_PARTS, LONGEST = 50, 500, 20_000
_REFUSED = ("SERVICE", "FROM", "LOAD", "INSERT", "DELETE", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH")


class Answer(NamedTuple):
    """The names of the columns, and the rows as texts; None where a row has no value."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@cache
def shipped(name: str) -> str:
    """A query of the package by name."""
    if name not in NAMES:
        raise InputError(f"there is no query {brief(name)}: choose one of {', '.join(NAMES)}, or give a file")
    return files("graphmem.ontology").joinpath("queries", f"{name}.rq").read_text("utf-8")


def check(query: str) -> str:
    """The query, if it only reads what it is given.

    Raises:
        InputError: it names what would fetch or write, writes characters by number, is too deep, or is no SELECT or ASK.
    """
    if re.search(r"\\u", query, re.IGNORECASE):
        # Engines differ in where they read one: a command may hide in it, or the end of a text.
        raise InputError("the query writes a character by its number: write the character itself")
    bare = _NAMES.sub(" ", _WORDS.sub(" ", query))
    said = {word.upper() for word in re.findall(r"[A-Za-z]+", bare)}
    for word in _REFUSED:
        # Engines read this one also where it is written together with the word before or after it.
        if word in said or (word == "SERVICE" and word in bare.upper()):
            raise InputError(f"the query names {word}: it may only read the export, so leave out what fetches or writes")
    deep = deepest = 0
    for bracket in re.findall(r"[({\[)}\]]", bare):
        deep += 1 if bracket in "({[" else -1
        deepest = max(deep, deepest)
    if deepest > DEEPEST or len(re.findall(r"[({\[!/^|]", bare)) > MOST_PARTS or len(query) > LONGEST:
        raise InputError(
            f"the query is too long, over {LONGEST} characters, {MOST_PARTS} brackets and operators, or {DEEPEST} levels of "
            "brackets: ask in parts"
        )
    if not said & {"SELECT", "ASK"} or said & {"CONSTRUCT", "DESCRIBE"}:
        raise InputError("the query is neither SELECT nor ASK: ask for rows")
    return query


def term_of(value: object) -> Iri | Value:
    """What a variable is bound to: a time, an IRI, or text."""
    if isinstance(value, datetime):
        return instant(value)
    if not isinstance(value, str | int | float):
        raise InputError(f"a variable is bound to a time, an IRI or a text, not {type(value).__name__}")
    try:
        said = str(value)
    except ValueError as error:  # more digits than are written
        raise InputError("a variable is bound to a huge number: give another value") from error
    return Iri(said) if re.fullmatch(r"https?://[^\s<>\"{}|\\^`]+", said) else Value(said)


def ask(quads: Iterable[Quad], query: str, *, bindings: Mapping[str, object] | None = None, engine: str = "auto") -> Answer:
    """Run a query over all graphs as one.

    Args:
        quads: from `rdf.all_quads`.
        query: SPARQL that only reads.
        bindings: values of variables, by name.
        engine: `rdflib`, `oxigraph` (extra of that name), or `auto`: Oxigraph for a large export where it is installed.

    Raises:
        InputError: the query is refused or cannot be read, or there is no such engine.
    """
    if engine not in ENGINES:
        raise InputError(f"there is no engine {brief(engine)}: choose one of {', '.join(ENGINES)}")
    query, held = bind(check(query), bindings or {}), list(quads)
    if engine == "oxigraph" or (engine == "auto" and len(held) > LARGE and _has_oxigraph()):
        return _oxigraph(held, query)
    return _rdflib(held, query)


def bind(query: str, bindings: Mapping[str, object]) -> str:
    """The query with terms in the place of variables, in every scope; texts, names and comments stay as they are.

    Engines differ in how far a value given beside the query reaches; a term in the query reaches everywhere, and as it is
    written by the same rules as an export, nothing in it can end it.
    """
    if not isinstance(bindings, Mapping) or not all(isinstance(name, str) for name in bindings):
        raise InputError("bindings must give for names of variables, as texts, their values")
    terms = {name.lstrip("?$"): term_text(term_of(value)) for name, value in bindings.items()}
    for name in terms:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise InputError(
                f"{brief(name)} is not the name of a variable: write it as in the query, without the question mark"
            )
        if not re.search(rf"[?$]{name}\b", _WORDS.sub(" ", query)):
            own = sorted(set(re.findall(r"[?$]([A-Za-z_]\w*)", _WORDS.sub(" ", query))))
            raise InputError(f"the query has no variable ?{name}: bind one that it has ({', '.join(own) or 'it has none'})")
    variable = re.compile(r"[?$](" + "|".join(terms) + r")\b") if terms else None
    parts, place = [], 0
    for found in [*_WORDS.finditer(query), None]:
        bare = query[place : found.start() if found else len(query)]
        parts.append(variable.sub(lambda match: terms[match[1]], bare) if variable else bare)
        if found:
            parts.append(found.group())
            place = found.end()
    return "".join(parts)


def _has_oxigraph() -> bool:
    from importlib.util import find_spec

    return find_spec("pyoxigraph") is not None


def _rdflib(quads: list[Quad], query: str) -> Answer:
    from rdflib import Graph, Literal, URIRef
    from rdflib.plugins import sparql
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import Query

    sparql.SPARQL_LOAD_GRAPHS = False
    # One plain graph: every engine joins faster over it than over the union of several.
    known: dict[Iri | Value, Any] = {}

    def node(item: Iri | Value) -> Any:
        if item not in known:
            is_text = isinstance(item, Value)
            known[item] = Literal(item.lexical, datatype=item.datatype and URIRef(item.datatype)) if is_text else URIRef(item)  # type: ignore[union-attr,arg-type]
        return known[item]

    flat = Graph()
    for quad in quads:
        flat.add((node(quad.subject), node(quad.predicate), node(quad.object)))
    try:
        # Not by parseQuery, which looks for characters by number in texts and could end one of the bound texts by it.
        parsed = translateQuery(Query.parse_string(query, parse_all=True))
        if parsed.algebra.datasetClause or _fetches(parsed.algebra):
            raise InputError("the query would fetch: it may only read the export, so leave out SERVICE and FROM")
        found = flat.query(parsed)
        if found.type == "ASK":
            return Answer(("answer",), ((str(found.askAnswer).lower(),),))
        columns = tuple(str(name) for name in found.vars or ())
        return Answer(columns, tuple(tuple(None if cell is None else str(cell) for cell in row) for row in found))  # type: ignore[union-attr]
    except InputError:
        raise
    except Exception as error:  # the library raises whatever its parser and evaluator stumble over
        raise _unreadable(error) from error


def _fetches(part: object) -> bool:
    """Whether a service is asked anywhere in a query as rdflib has read it."""
    if isinstance(part, Mapping):
        return getattr(part, "name", "") == "ServiceGraphPattern" or any(map(_fetches, part.values()))
    return isinstance(part, list | tuple | set) and any(map(_fetches, part))


def _oxigraph(quads: list[Quad], query: str) -> Answer:
    try:
        import pyoxigraph as ox
    except ImportError as error:
        raise InputError("Oxigraph is not installed: pip install 'graphmem[oxigraph]', or leave out --engine") from error

    # By way of text, which is read faster than objects are made, and without looking through the IRIs again, which are ours.
    store = ox.Store()
    known, wanted = Terms(), properties(query)
    rows = [f"{known[s]} {known[p]} {known[o]} ." for _, s, p, o in quads if wanted is None or p in wanted]
    store.bulk_load("\n".join(rows).encode("utf-8"), format=ox.RdfFormat.N_TRIPLES, lenient=True)
    try:
        found = store.query(query)
        if not isinstance(found, ox.QuerySolutions):
            return Answer(("answer",), ((str(bool(found)).lower(),),))
        columns = tuple(variable.value for variable in found.variables)
        return Answer(
            columns, tuple(tuple(None if row[name] is None else row[name].value for name in columns) for row in found)
        )
    except Exception as error:  # the library raises whatever its parser and evaluator stumble over
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> InputError:
    said = " ".join(str(error).split())[:200]
    return InputError(f"the query cannot be run ({said}): see ontology/queries for those that can")
