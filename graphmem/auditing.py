"""An audit: everything that can be checked, checked, and a report that a person can read.

Invariant: the report quotes and judges nothing; each line of it can be looked up in the export or the ledger.  Of what was
erased it says when and how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from graphmem.access import Access, accesses
from graphmem.anchoring import anchored, line, moored
from graphmem.audit_report import FORMATS, Audit, Violation, write
from graphmem.bundle import Bundle, select
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.reading import Reader
from graphmem.space import Space

__all__ = ["FORMATS", "Audit", "Violation", "audit", "violations"]


def audit(space: Space, reader: Reader, bundle: Bundle, *, anchor: str | None, format: str, shapes: bool | None) -> Audit:
    """Check a memory through and through.

    Raises:
        InputError: the anchor or the format is none, or shapes are asked for without the extra.
    """
    from graphmem import rdf
    from graphmem.tracing import verify

    if format not in FORMATS:
        raise InputError(f"there is no report as {brief(format)}: choose one of {', '.join(FORMATS)}")
    mark = None if anchor is None else anchored(anchor)
    found = verify(space)
    if mark is not None:
        found = moored(found, space.ledger, mark)
    shown = select(bundle, profile="audit")
    data = rdf.dataset(shown, profile="audit")
    checked = tuple((item.check, item.row) for item in rdf.check(data))
    wanted = find_spec("pyshacl") is not None if shapes is None else shapes
    broken = violations(data) if wanted else None
    looks: list[Access] = accesses(space.ledger)
    end = line(space.ledger.head())
    made = Audit(found, broken, checked, "", end, _findings(shown, checked, broken or ()))
    return made._replace(report=write(made, shown, reader, looks, format=format))


def _findings(bundle: Bundle, checked: Sequence[tuple[str, tuple[str, ...]]], broken: Sequence[Violation]) -> tuple[str, ...]:
    """What was found, in words: a statement by its id and text, a quote by those of its statement."""
    from graphmem import rdf
    from graphmem.rdf_terms import PREFIXES, Names

    names, known = Names(bundle.user, bundle.space, bundle.base), dict[str, str]()
    for node in bundle.nodes:
        said = f"{node.record.id} “{node.record.text}”"
        known[names.iri("statement", node.record.id)] = said
        for item in node.evidence:
            known[names.iri("evidence", item.id)] = f"the quote “{item.quote}” ({item.id}) of {said}"
    for turn in bundle.turns:
        known[names.iri("message", turn.key)] = f"turn {turn.id} of session {turn.session}"

    def called(item: str) -> str:
        short = next((f"{name}:{item.removeprefix(iri)}" for name, iri in PREFIXES.items() if item.startswith(iri)), None)
        return known.get(item) or short or item.removeprefix(names.root)

    told = rdf.abouts()
    rows = [f"finding of {name} ({told[name].rstrip('.')}): {', '.join(map(called, row))}" for name, row in checked]
    return (*(f"violation of {shape}: {called(node)}: {why}" for shape, node, why in broken), *rows)


def violations(data: Any) -> tuple[Violation, ...]:
    """What in an export breaks the published shapes.

    Raises:
        InputError: the extra is not installed.
    """
    try:
        import pyshacl
    except ImportError as error:
        raise InputError("pySHACL is not installed: pip install 'graphmem[shacl]'") from error
    from rdflib import RDF, Graph, Namespace

    sh = Namespace("http://www.w3.org/ns/shacl#")
    flat, shapes = Graph(), Graph()
    for subject, predicate, value, _ in data.quads():
        flat.add((subject, predicate, value))
    shapes.parse(data=files("graphmem.ontology").joinpath("shapes.ttl").read_text("utf-8"), format="turtle")
    conforms, results, _ = pyshacl.validate(flat, shacl_graph=shapes)
    if conforms:
        return ()
    owner = {part: shape for shape in shapes.subjects(RDF.type, sh.NodeShape) for part in shapes.objects(shape, sh.property)}
    found = []
    for result in results.subjects(RDF.type, sh.ValidationResult):
        source = results.value(result, sh.sourceShape)
        shape = str(owner.get(source, source)).rsplit("#", 1)[-1]
        why = results.value(result, sh.resultMessage)
        found.append(Violation(shape, str(results.value(result, sh.focusNode)), " ".join(str(why).split())))
    return tuple(sorted(found))
