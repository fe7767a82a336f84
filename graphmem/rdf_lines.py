"""Quads as text: canonical N-Quads and readable TriG, written without an RDF library.

Invariant: the text is a function of the set of quads alone.  A library's own writers hold a second copy of everything in
memory, take several times as long, and order by hashes; these sort.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import groupby, islice
from re import compile as pattern

from graphmem.rdf_terms import A, Iri, Quad, Value, term

BATCH = 5_000  # lines at a time
_LOCAL = pattern(r"[A-Za-z][A-Za-z0-9_-]*")
_BARE = {term("xsd:integer"), term("xsd:decimal"), term("xsd:boolean")}


def quoted(value: str) -> str:
    """A literal's characters between quotes, as both notations write them."""
    return '"' + value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"').replace("\r", "\\r") + '"'


def term_text(item: Iri | Value) -> str:
    """A term in full, as N-Quads and SPARQL write it."""
    if isinstance(item, Value):
        return quoted(item.lexical) if item.datatype is None else f"{quoted(item.lexical)}^^<{item.datatype}>"
    return f"<{item}>"


class Terms(dict[Iri | Value, str]):
    """Terms as text, each written once: most occur many times."""

    def __missing__(self, item: Iri | Value) -> str:
        made = self[item] = term_text(item)
        return made


def lines(quads: Collection[Quad]) -> list[str]:
    """The quads as sorted lines of N-Quads, without line ends."""
    known = Terms()
    graphs = {graph: "" if graph is None else f"<{graph}> " for graph in {quad.graph for quad in quads}}
    return sorted([f"{known[s]} {known[p]} {known[o]} {graphs[g]}." for g, s, p, o in quads])


def sum_of(rows: Iterable[str]) -> str:
    """SHA-256 over lines, each with its end."""
    digest = sha256()
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        digest.update(("\n".join(batch) + "\n").encode("utf-8"))
    return digest.hexdigest()


def trig(quads: Collection[Quad], prefixes: Mapping[str, str]) -> Iterator[str]:
    """The quads as TriG in pieces: prefixes, the default graph, then each named graph; all in order."""
    spaces = {iri: prefix for prefix, iri in prefixes.items()}

    @cache
    def short(item: Iri | Value) -> str:
        if isinstance(item, Value):
            if item.datatype in _BARE:
                return item.lexical
            return quoted(item.lexical) if item.datatype is None else f"{quoted(item.lexical)}^^{short(item.datatype)}"
        cut = max(item.rfind("/"), item.rfind("#")) + 1
        prefix = spaces.get(item[:cut])
        return f"{prefix}:{item[cut:]}" if prefix is not None and _LOCAL.fullmatch(item, cut) else f"<{item}>"

    yield "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in sorted(prefixes.items()))
    ordered = sorted(quads, key=lambda quad: (quad.graph or "", quad.subject, quad.predicate != A, quad.predicate))
    for graph, inside in groupby(ordered, key=lambda quad: quad.graph):
        indent = "" if graph is None else "    "
        yield "\n" if graph is None else f"\n{short(graph)} {{\n"
        for subject, about in groupby(inside, key=lambda quad: quad.subject):
            parts = []
            for predicate, same in groupby(about, key=lambda quad: quad.predicate):
                values = ", ".join(sorted(short(quad.object) for quad in same))
                parts.append(f"{'a' if predicate == A else short(predicate)} {values}")
            yield f"{indent}{short(subject)} " + f" ;\n{indent}    ".join(parts) + " .\n"
        yield "" if graph is None else "}\n"
