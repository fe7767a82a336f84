"""An auditor's questions: SPARQL over an export in memory, the shipped ones and any other that only reads.

Invariant: a query reaches nothing but the export.  What would fetch (SERVICE, FROM, LOAD) or write is refused before it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from graphmem.errors import InputError
from graphmem.rdf_lines import Terms, term_text
from graphmem.rdf_terms import Iri, Quad, Value, instant

NAMES = ("trace", "believed", "changes", "contradictions", "history", "portability", "erasure")
ENGINES = ("auto", "rdflib", "oxigraph")
LARGE = 100_000  # quads above which Oxigraph is taken where it is installed
_WORDS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>"{}|^`\\\s]*>|#[^\n]*',
    re.DOTALL,
)
_REFUSED = ("SERVICE", "FROM", "LOAD", "INSERT", "DELETE", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH")


class Answer(NamedTuple):
    """The names of the columns, and the rows as texts; None where a row has no value."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@cache
def shipped(name: str) -> str:
    """A query of the package by name."""
    if name not in NAMES:
        raise InputError(f"there is no query {name!r}: choose one of {', '.join(NAMES)}, or give a file")
    return files("graphmem.ontology").joinpath("queries", f"{name}.rq").read_text("utf-8")


def check(query: str) -> str:
    """The query, if it only reads what it is given.

    Raises:
        InputError: it names what would fetch or write, or is no SELECT or ASK.
    """
    bare = _WORDS.sub(" ", query)
    said = {word.upper() for word in re.findall(r"(?<![\w?$:.-])[A-Za-z]+(?![\w:-])", bare)}
    for word in _REFUSED:
        if word in said:
            raise InputError(f"the query names {word}: it may only read the export, so leave out what fetches or writes")
    if not said & {"SELECT", "ASK"} or said & {"CONSTRUCT", "DESCRIBE"}:
        raise InputError("the query is neither SELECT nor ASK: ask for rows")
    return query


def term_of(value: object) -> Iri | Value:
    """What a variable is bound to: a time, an IRI, or text."""
    if isinstance(value, datetime):
        return instant(value)
    said = str(value)
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
        raise InputError(f"there is no engine {engine!r}: choose one of {', '.join(ENGINES)}")
    query, held = bind(check(query), bindings or {}), list(quads)
    if engine == "oxigraph" or (engine == "auto" and len(held) > LARGE and _has_oxigraph()):
        return _oxigraph(held, query)
    return _rdflib(held, query)


def bind(query: str, bindings: Mapping[str, object]) -> str:
    """The query with terms in the place of variables, in every scope; texts, names and comments stay as they are.

    Engines differ in how far a value given beside the query reaches; a term in the query reaches everywhere, and as it is
    written by the same rules as an export, nothing in it can end it.
    """
    terms = {name.lstrip("?$"): term_text(term_of(value)) for name, value in bindings.items()}
    for name in terms:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise InputError(f"{name!r} is not the name of a variable: write it as in the query, without the question mark")
        if not re.search(rf"[?$]{name}\b", _WORDS.sub(" ", query)):
            raise InputError(f"the query has no variable ?{name}: bind one that it has")
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
        found = flat.query(query)
        if found.type == "ASK":
            return Answer(("answer",), ((str(found.askAnswer).lower(),),))
        columns = tuple(str(name) for name in found.vars or ())
        return Answer(columns, tuple(tuple(None if cell is None else str(cell) for cell in row) for row in found))  # type: ignore[union-attr]
    except Exception as error:  # the library raises whatever its parser and evaluator stumble over
        raise _unreadable(error) from error


def _oxigraph(quads: list[Quad], query: str) -> Answer:
    try:
        import pyoxigraph as ox
    except ImportError as error:
        raise InputError("Oxigraph is not installed: pip install 'graphmem[oxigraph]', or leave out --engine") from error

    store = ox.Store()
    known = Terms()
    rows = [f"{known[quad.subject]} {known[quad.predicate]} {known[quad.object]} ." for quad in quads]
    store.bulk_load("\n".join(rows).encode("utf-8"), format=ox.RdfFormat.N_TRIPLES)
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
