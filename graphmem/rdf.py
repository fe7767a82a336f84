"""RDF out and in again: an export as a dataset, its three notations, and checks that an auditor can repeat.

Invariant: the bytes depend on the bundle alone (not on hash seeds or the order of a set), the digest in the
export's own record is that of its sorted N-Quads, and reading never fetches anything.
"""

from __future__ import annotations

import gc
import json
import logging
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmem.bundle import Bundle, select
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.rdf_fields import of_entity
from graphmem.rdf_ledger import entry
from graphmem.rdf_lines import BATCH, lines, sum_of, trig
from graphmem.rdf_quads import Quads
from graphmem.rdf_statements import conclude, derive, describe, relate, stand_beside
from graphmem.rdf_terms import VOCABULARY, Iri, Quad, Value, registry

if TYPE_CHECKING:
    from rdflib import Dataset

_TERMS = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[\w-]+)?')
Progress = Callable[[int, int], None]
NAMES = {"trig": "trig", "nquads": "nquads", "jsonld": "json-ld"}


class Finding(NamedTuple):
    """A row that a check returned; `row` holds the terms it names."""

    check: str
    row: tuple[str, ...]


def quads_of(bundle: Bundle, *, profile: str, progress: Progress | None = None) -> tuple[Quads, list[Quad]]:
    """Build all quads of a bundle but those of the export's own record, and the collector that knows their names."""
    quads = Quads(bundle, profile=profile)
    quads.person()
    for entity in bundle.entities:
        of_entity(quads, entity)
    quads.registry()
    for session in bundle.sessions:
        quads.session(session)
    for turn in bundle.turns:
        quads.turn(turn)
    for done, node in enumerate(bundle.nodes, 1):
        describe(quads, node)
        derive(quads, node)
        if progress is not None:
            progress(done, len(bundle.nodes))
    links = {link.id: (link, retired) for node in bundle.nodes for link, retired in node.links}
    for link, retired in links.values():
        if link.source in quads.records and link.target in quads.records:
            conclude(quads, link, retired)
    stand_beside(quads)
    relate(quads)
    for row in bundle.ledger:
        entry(quads, row)
    return quads, list(quads.quads)


def all_quads(bundle: Bundle, *, profile: str) -> list[Quad]:
    """Build every quad of an export, its own record among them."""
    quads, named = quads_of(bundle, profile=profile)
    return named + quads.record(sum_of(lines(named)))


def shown_quads(bundle: Bundle) -> list[Quad]:
    """Build every quad of the export that shows everything, without the ledger."""
    return all_quads(select(bundle, profile="access"), profile="access")


def dataset(bundle: Bundle, *, profile: str) -> Dataset:
    """Build the RDF dataset of a bundle that holds exactly what is to be shown."""
    quads, named = quads_of(bundle, profile=profile)
    result = _filled(named + quads.record(sum_of(lines(named))))
    for prefix, iri in quads.names.prefixes().items():
        result.bind(prefix, iri, replace=True)
    return result


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which there are none: it walks over all quads again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def pieces(bundle: Bundle, *, format: str, profile: str, progress: Progress | None = None) -> Iterator[bytes]:
    """Write a bundle as `nquads` (sorted), `trig` or `jsonld`, piece by piece; only the last one needs a library for it."""
    if format == "jsonld":
        yield write(dataset(bundle, profile=profile), format=format)
        return
    with _uncollected():
        quads, named = quads_of(bundle, profile=profile, progress=progress)
        rows = lines(named)
        record = quads.record(sum_of(rows))
    if format == "nquads":
        # The quads are not needed any more, and take as much memory as their lines.
        named.clear()
        quads.quads.clear()
        rows += lines(record)
        rows.sort()
        for start in range(0, len(rows), BATCH):
            yield ("\n".join(rows[start : start + BATCH]) + "\n").encode("utf-8")
        return
    del rows
    for piece in trig(named + record, quads.names.prefixes()):
        yield piece.encode("utf-8")


def digest(data: Dataset) -> str:
    """Hash a dataset: SHA-256 of the sorted N-Quads of its named graphs.

    The default graph is left out: it describes the file, and holds this digest.
    """
    with _without_complaints():
        return sum_of(line for line in _lines(data) if not line.endswith("  ."))


def named_lines(rows: Iterable[str]) -> list[str]:
    """Of the lines of an N-Quads export those of its named graphs, which the digest is taken of; in order."""
    return sorted(row for row in rows if row.endswith("> .") and len(_TERMS.findall(row)) == 4)


def write(data: Dataset, *, format: str) -> bytes:
    """Write a dataset as `nquads` (sorted, one space between terms), `trig` or `jsonld`."""
    if format == "nquads":
        rows = (line[:-3] + " ." if line.endswith("  .") else line for line in _lines(data))
        return "".join(row + "\n" for row in sorted(rows)).encode("utf-8")
    if format == "trig":
        return _trig(data)
    if format == "jsonld":
        context = json.loads(files("graphmem.ontology").joinpath("context.jsonld").read_text("utf-8"))["@context"]
        document = json.loads(data.serialize(format="json-ld", context=context))
        return (json.dumps(_ordered(document), ensure_ascii=False, indent=1) + "\n").encode("utf-8")
    raise InputError(f"there is no RDF format {brief(format)}: choose one of {', '.join(NAMES)}")


def read(data: bytes, *, format: str) -> Dataset:
    """Read an export back; queries see all of its graphs as one."""
    from rdflib import Dataset

    if format not in NAMES:
        raise InputError(f"there is no RDF format {brief(format)}: choose one of {', '.join(NAMES)}")
    if format == "jsonld":
        _refuse_remote(json.loads(data))
    result = Dataset(default_union=True)
    with _without_complaints():
        result.parse(data=data, format=NAMES[format])
    return result


@contextmanager
def _without_complaints() -> Iterator[None]:
    """Nothing is logged of what the library can make no value or name of: whoever reads the file says so in one line."""
    logger = logging.getLogger("rdflib.term")
    logger.addFilter(_silent)
    try:
        yield
    finally:
        logger.removeFilter(_silent)


def _silent(_record: logging.LogRecord) -> bool:
    return False


def vocabulary() -> Dataset:
    """Load the vocabulary with the whole relation table, in the graph of its own name."""
    from rdflib import URIRef

    result = _filled(list(registry()))
    for name in ("graphmem.ttl", "labels.ttl", "comments.ttl"):
        turtle = files("graphmem.ontology").joinpath(name).read_text("utf-8")
        result.graph(URIRef(VOCABULARY)).parse(data=turtle, format="turtle")
    return result


def checks() -> dict[str, str]:
    """Load the checks by name: each is a query that finds nothing in a sound export."""
    raw = tomllib.loads(files("graphmem.ontology").joinpath("checks.toml").read_text("utf-8"))
    return {name: raw["prefixes"] + row["query"] for name, row in raw.items() if name != "prefixes"}


def abouts() -> dict[str, str]:
    """What each check holds an export to, in a sentence."""
    raw = tomllib.loads(files("graphmem.ontology").joinpath("checks.toml").read_text("utf-8"))
    return {name: row["about"] for name, row in raw.items() if name != "prefixes"}


def check(data: Dataset, *, names: Collection[str] | None = None) -> list[Finding]:
    """Run the checks (None: all) over an export and return every row that should not be there."""
    from rdflib import Dataset
    from rdflib.query import ResultRow

    union = Dataset(default_union=True)
    for subject, predicate, value, graph in data.quads():
        target = union.default_graph if graph is None else union.graph(graph)
        target.add((subject, predicate, value))
    found = set()
    for name in names if names is not None else checks():
        for row in union.query(_prepared(name)):
            if isinstance(row, ResultRow):
                found.add(Finding(name, tuple(str(item) for item in row)))
    return sorted(found)


@cache
def _prepared(name: str) -> Any:
    from rdflib.plugins.sparql import prepareQuery

    return prepareQuery(checks()[name])


def _filled(quads: Collection[Quad]) -> Dataset:
    from rdflib import Dataset

    result = Dataset()
    _fill(result, quads)
    return result


def _fill(data: Dataset, quads: Collection[Quad]) -> None:
    from rdflib import Literal, URIRef

    nodes: dict[Iri | Value, Any] = {}

    def node(item: Iri | Value) -> Any:
        # Most terms occur many times, and making one is the slowest part.
        if item not in nodes:
            if isinstance(item, Value):
                nodes[item] = Literal(item.lexical, datatype=None if item.datatype is None else URIRef(item.datatype))
            else:
                nodes[item] = URIRef(item)
        return nodes[item]

    graphs = {name: data.default_graph if name is None else data.graph(node(name)) for name in {quad.graph for quad in quads}}
    for quad in quads:
        graphs[quad.graph].add((node(quad.subject), node(quad.predicate), node(quad.object)))


def _lines(data: Dataset) -> list[str]:
    # Not splitlines(): a literal may hold U+2028 and other characters that it takes for the end of a line.
    return sorted(line for line in data.serialize(format="nquads").split("\n") if line)


def _trig(data: Dataset) -> bytes:
    from rdflib.plugins.serializers.trig import TrigSerializer

    writer = TrigSerializer(data)
    # The store hands its graphs out in the order of their hashes.
    default = data.default_graph.identifier
    graphs = sorted(set(data.graphs()), key=lambda graph: (graph.identifier != default, str(graph.identifier)))
    writer.contexts = graphs
    stream = BytesIO()
    writer.serialize(stream)
    return stream.getvalue()


def _ordered(item: Any) -> Any:
    """Bring JSON-LD into one order; without `@list` its arrays are sets."""
    if isinstance(item, dict):
        return {name: item[name] if name == "@context" else _ordered(item[name]) for name in sorted(item)}
    if isinstance(item, list):
        parts = [_ordered(part) for part in item]
        return sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))
    return item


def _refuse_remote(item: Any) -> None:
    """Refuse a context that would have to be fetched from elsewhere."""
    if isinstance(item, list):
        for part in item:
            _refuse_remote(part)
    elif isinstance(item, dict):
        context = item.get("@context", {})
        for part in context if isinstance(context, list) else [context]:
            if not isinstance(part, dict) or "@import" in part:
                raise InputError("the JSON-LD names a remote @context: put the context into the document itself")
        for part in item.values():
            _refuse_remote(part)
