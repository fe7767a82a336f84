"""The vocabulary, the shapes, the context and the relation table agree with each other and with the exports."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from rdflib import OWL, RDF, RDFS, SKOS, XSD, BNode, Graph, Literal, Namespace, URIRef
from test_rdf_world import world

from graphmem import rdf, rdf_queries
from graphmem.export import render
from graphmem.model import STATUSES
from graphmem.ontology import relation, relations
from graphmem.rdf_terms import PREFIXES, VERSION, VOCABULARY, camel, registry
from graphmem.rdf_terms import STATUSES as STATUS_TERMS

GM = Namespace("https://w3id.org/graphmem/ns#")
SH = Namespace("http://www.w3.org/ns/shacl#")
FOLDER = files("graphmem.ontology")


def turtle(name: str) -> Graph:
    return Graph().parse(data=FOLDER.joinpath(name).read_text("utf-8"), format="turtle")


def own(graph) -> set[str]:
    """All terms of the vocabulary that occur in a graph, in whatever place."""
    return {
        str(item)
        for triple in graph.triples((None, None, None))
        for item in triple
        if isinstance(item, URIRef) and str(item).startswith(str(GM))
    }


def declared() -> set[str]:
    return {str(item) for item in turtle("graphmem.ttl").subjects(RDF.type, None) if str(item).startswith(str(GM))}


def relation_terms() -> set[str]:
    return {str(quad.subject) for quad in registry() if quad.predicate == str(RDF.type)}


def test_the_vocabulary_names_its_version():
    graph = turtle("graphmem.ttl")
    assert (URIRef(VOCABULARY), OWL.versionIRI, URIRef(VERSION)) in graph
    assert (URIRef(VOCABULARY), OWL.versionInfo, Literal(VERSION.rsplit("/", 1)[1])) in graph


def test_every_term_the_vocabulary_uses_is_declared_in_it():
    assert own(turtle("graphmem.ttl")) <= declared()


def test_every_term_in_an_export_is_declared():
    data = rdf.read(render(world(), format="nquads"), format="nquads")
    assert own(data) <= declared() | relation_terms()


def test_every_term_in_the_shapes_and_checks_is_declared():
    assert own(turtle("shapes.ttl")) <= declared()
    for query in rdf.checks().values():
        assert {f"{GM}{name}" for name in re.findall(r"gm:(\w+)", query)} - {str(GM)} <= declared()


def test_no_relation_takes_the_name_of_a_term():
    assert not relation_terms() & declared()
    assert len({camel(name) for name in relations()}) == len(relations())


def test_classes_and_concepts_are_what_they_are_said_to_be():
    graph = turtle("graphmem.ttl")
    for name in graph.subjects(RDF.type, SKOS.Concept):
        assert len(list(graph.objects(name, SKOS.inScheme))) == 1, name
    for name in graph.objects(None, SKOS.inScheme):
        assert (name, RDF.type, SKOS.ConceptScheme) in graph
    for prop in graph.subjects(RDF.type, OWL.DatatypeProperty):
        assert set(graph.objects(prop, RDFS.range)) <= {XSD.dateTime, XSD.boolean, XSD.integer, XSD.decimal}, prop
    assert not any(isinstance(item, BNode) for triple in graph for item in triple)


def test_the_relation_table_is_the_registry():
    rows = {}
    for quad in registry():
        rows.setdefault(str(quad.subject), {}).setdefault(quad.predicate.removeprefix(str(GM)), []).append(quad.object)
    for name, row in relations().items():
        found = rows[f"{GM}{camel(name)}"]
        single = "SingleEver" if row.permanence == "permanent" else "SingleAtATime"
        expected = single if row.cardinality == "one" else "Multi"
        assert found["valueCardinality"] == [f"{GM}{expected}"]
        assert found["temporalKind"] == [f"{GM}{row.permanence.capitalize()}"]
        if row.opposite:
            assert relation(row.opposite).opposite == name
            assert found["disjointPredicate"] == [f"{GM}{camel(row.opposite)}"]
    for value in {str(item) for row in rows.values() for key in row for item in row[key] if str(item).startswith(str(GM))}:
        assert value in declared() | relation_terms()


def test_the_vocabulary_loads_together_with_the_table():
    data = rdf.vocabulary()
    graph = data.graph(URIRef(VOCABULARY))
    assert (GM.livesIn, GM.valueCardinality, GM.SingleAtATime) in graph
    assert (GM.bornOn, GM.valueCardinality, GM.SingleEver) in graph
    assert (GM.Fact, RDFS.subClassOf, GM.Statement) in graph
    assert int(graph.value(GM.Confirmation, GM.tierRank)) == 3


def test_classes_and_what_a_person_meets_have_labels_in_four_languages():
    graph = turtle("labels.ttl")
    labelled = set(graph.subjects(RDFS.label, None))
    vocabulary = turtle("graphmem.ttl")
    classes = {item for item in vocabulary.subjects(RDF.type, OWL.Class)}
    lists = (GM.Tiers, GM.Statuses, GM.Profiles, GM.Roles, GM.Clashes, GM.Resolutions, GM.Reasons, GM.OmissionReasons)
    values = {item for name in lists for item in vocabulary.subjects(SKOS.inScheme, name)}
    assert labelled == classes | values
    for item in labelled:
        found = list(graph.objects(item, RDFS.label))
        assert sorted(label.language for label in found) == ["en", "fi", "ru", "sv"], item
    russian = [str(label) for label in graph.objects(None, RDFS.label) if label.language == "ru"]
    assert all(re.search("[а-яё]", label) for label in russian)


def test_the_queries_name_only_what_is_declared():
    for name in rdf_queries.NAMES:
        query = rdf_queries.shipped(name)
        assert {f"{GM}{term}" for term in re.findall(r"gm:(\w+)", query)} - {str(GM)} <= declared()
    folder = FOLDER.joinpath("queries")
    assert sorted(item.name for item in folder.iterdir()) == sorted(f"{name}.rq" for name in rdf_queries.NAMES)


def test_every_status_has_a_term():
    assert set(STATUS_TERMS) == set(STATUSES)
    assert {str(item) for item in STATUS_TERMS.values()} <= declared()


def test_the_context_is_inline_and_gives_every_term_the_type_that_exports_use():
    context = json.loads(FOLDER.joinpath("context.jsonld").read_text("utf-8"))["@context"]
    prefixes = {name: iri for name, iri in context.items() if isinstance(iri, str)}
    assert prefixes == PREFIXES
    data = rdf.read(render(world(), format="nquads"), format="nquads")
    for name, entry in context.items():
        if isinstance(entry, str):
            continue
        prefix, _, local = entry["@id"].partition(":")
        values = [item for _, _, item in data.triples((None, URIRef(prefixes[prefix] + local), None))]
        kind = entry.get("@type")
        if kind == "@id":
            assert all(isinstance(item, URIRef) for item in values), name
        elif kind:
            prefix, _, local = kind.partition(":")
            assert {str(item.datatype) for item in values} <= {prefixes[prefix] + local}, name


def test_the_shapes_are_core_and_point_at_classes_that_exist():
    graph = turtle("shapes.ttl")
    assert not list(graph.subjects(SH.sparql, None))
    classes = {str(item) for item in graph.objects(None, SH.targetClass) if str(item).startswith(str(GM))}
    known = {str(item) for item in turtle("graphmem.ttl").subjects(RDF.type, OWL.Class)}
    assert classes <= known


@pytest.mark.parametrize(
    "name", ["graphmem.ttl", "shapes.ttl", "labels.ttl", "context.jsonld", "relations.toml", "checks.toml"]
)
def test_the_data_files_are_part_of_the_package(name):
    assert FOLDER.joinpath(name).is_file()


@pytest.mark.parametrize("said", [RDFS.comment, SKOS.definition])
def test_what_is_explained_in_english_is_explained_in_four_languages(said):
    english, others = turtle("graphmem.ttl"), turtle("comments.ttl")
    explained = set(english.subjects(said, None))
    assert set(others.subjects(said, None)) == explained
    for item in explained:
        found = [*english.objects(item, said), *others.objects(item, said)]
        assert sorted(text.language for text in found) == ["en", "fi", "ru", "sv"], item
        assert len({str(text) for text in found}) == 4, item
        for text in found:
            cyrillic = any("\u0400" <= char <= "\u04ff" for char in text)
            assert cyrillic is (text.language == "ru"), text
