"""The checks over an export: silent on a sound one, and each speaks up when its rule is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from audit_world import bundle_of, stores
from hypothesis import HealthCheck, given, settings
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from test_rdf_world import world

from graphmem import rdf
from graphmem.auditing import violations
from graphmem.bundle import PROFILES
from graphmem.export import render
from graphmem.rdf_terms import Names

GM = Namespace("https://w3id.org/graphmem/ns#")
OA = Namespace("http://www.w3.org/ns/oa#")
PROV = Namespace("http://www.w3.org/ns/prov#")
SCHEMA = Namespace("https://schema.org/")
DPV = Namespace("https://w3id.org/dpv#")
MEMORY = world()
NAMES = Names(MEMORY.user, MEMORY.space, MEMORY.base)
CANONICAL = render(MEMORY, format="nquads")


def export() -> Dataset:
    return rdf.read(CANONICAL, format="nquads")


def graph(data: Dataset, name: str) -> Graph:
    return data.graph(URIRef(NAMES.graph(name)))


def node(place: str, name: str) -> URIRef:
    return URIRef(NAMES.iri(place, name))


def change(data: Dataset, name: str, subject: URIRef, predicate: URIRef, value: object) -> None:
    where = graph(data, name)
    assert (subject, predicate, None) in where
    where.remove((subject, predicate, None))
    where.add((subject, predicate, value))


def proof(name: str) -> str:
    return next(item.id for entry in MEMORY.nodes for item in entry.evidence if item.statement == name)


def shift_an_offset(data):
    change(data, "memory", node("selector", f"p-{proof('s_umea')}"), OA.start, Literal("8", datatype=XSD.nonNegativeInteger))


def alter_a_message(data):
    turn = next(item for item in MEMORY.turns if "Umeå" in item.text)
    change(data, "transcript", node("message", turn.key), SCHEMA.text, Literal(turn.text.replace("Umeå", "Luleå")))


def alter_a_prefix(data):
    change(data, "memory", node("selector", f"q-{proof('s_umea')}"), OA.prefix, Literal("Ho "))


def two_homes(data):
    change(data, "derived", node("statement", "s_umea"), GM.status, GM.Current)


def two_birthdays(data):
    where = graph(data, "memory")
    for name in ("s_short", "s_named"):
        change(data, "memory", node("statement", name), RDF.predicate, GM.bornOn)
        where.remove((node("statement", name), GM.appliesIn, None))
    where.add((GM.bornOn, GM.valueCardinality, GM.SingleEver))


def supersede_in_a_circle(data):
    graph(data, "derived").add((node("statement", "s_umea"), GM.supersedes, node("statement", "s_rome")))
    graph(data, "derived").add((node("statement", "s_rome"), GM.supersedes, node("statement", "s_stockholm")))


def record_before_it_was_said(data):
    early = Literal("2025-01-01T00:00:00+00:00", datatype=XSD.dateTime)
    change(data, "memory", node("evidence", proof("s_umea")), PROV.generatedAtTime, early)


def conclude_before_it_was_said(data):
    early = Literal("2025-01-01T00:00:00+00:00", datatype=XSD.dateTime)
    over = node("conclusion", "l_supersedes_s_stockholm_s_umea")
    change(data, "memory", over, PROV.generatedAtTime, early)


def assert_the_past(data):
    graph(data, "current").add((URIRef(NAMES.person), GM.livesIn, node("entity", "n_umea")))


def assert_an_intention(data):
    sister = next(graph(data, "memory").objects(node("statement", "s_sister"), RDF.subject))
    graph(data, "current").add((sister, GM.worksAt, Literal("Volvo")))


def assert_a_denied_claim(data):
    change(data, "derived", node("statement", "s_tolerates"), GM.status, GM.Current)
    graph(data, "current").add((URIRef(NAMES.person), GM.allergicTo, Literal("nuts")))


def name_another_user(data):
    other = Names("someone else", "default", MEMORY.base)
    graph(data, "derived").add((node("statement", "s_umea"), GM.contradicts, URIRef(other.iri("statement", "s1"))))


def name_a_user_with_a_longer_id(data):
    longer = Names(MEMORY.user + "2", "default", MEMORY.base)
    graph(data, "memory").add((URIRef(longer.person), RDF.type, PROV.Agent))


def use_another_users_predicate(data):
    other = Names("someone else", "default", MEMORY.base)
    graph(data, "current").add((URIRef(NAMES.person), URIRef(other.predicate("visited")), Literal("Rome")))


def rest_on_the_assistant(data):
    change(data, "derived", node("statement", "s_lights"), GM.tier, GM.Stated)


def hang_on_a_blank_node(data):
    graph(data, "memory").add((node("statement", "s_umea"), PROV.wasDerivedFrom, BNode()))


BROKEN: list[tuple[str, Callable[[Dataset], None]]] = [
    ("c1_quote_is_there", shift_an_offset),
    ("c1_quote_is_there", alter_a_message),
    ("c1_quote_is_there", alter_a_prefix),
    ("c2_no_silent_overlap", two_homes),
    ("c2_no_silent_overlap", two_birthdays),
    ("c3_no_cycle", supersede_in_a_circle),
    ("c4_said_before_recorded", record_before_it_was_said),
    ("c4_said_before_recorded", conclude_before_it_was_said),
    ("c5_current_is_backed", assert_the_past),
    ("c5_current_is_backed", assert_an_intention),
    ("c5_current_is_backed", assert_a_denied_claim),
    ("c6_no_leak", name_another_user),
    ("c6_no_leak", name_a_user_with_a_longer_id),
    ("c6_no_leak", use_another_users_predicate),
    ("c7_own_words", rest_on_the_assistant),
    ("c8_no_blank_node", hang_on_a_blank_node),
]


@pytest.mark.parametrize(("name", "damage"), BROKEN, ids=[damage.__name__ for _, damage in BROKEN])
def test_a_broken_export_is_found_out(name, damage):
    data = export()
    damage(data)
    assert {finding.check for finding in rdf.check(data, names=[name])} == {name}


def test_every_check_is_tried_on_something_broken():
    assert {name for name, _ in BROKEN} == set(rdf.checks())


@pytest.mark.parametrize("profile", ["access", "portability", "current"])
def test_a_sound_export_has_no_findings(profile):
    data = rdf.read(render(MEMORY, format="nquads", profile=profile), format="nquads")
    assert rdf.check(data) == []


def test_a_named_contradiction_is_no_silent_overlap():
    data = export()
    two_homes(data)
    clash = node("conclusion", "l_new")
    for name in ("s_umea", "s_stockholm"):
        graph(data, "memory").add((clash, GM.between, node("statement", name)))
    graph(data, "memory").add((clash, GM.resolution, GM.Open))
    assert rdf.check(data, names=["c2_no_silent_overlap"]) == []


def test_checking_changes_nothing():
    data = export()
    rdf.check(data)
    assert rdf.write(data, format="nquads") == CANONICAL


def test_the_checks_only_read_and_reach_for_nothing():
    for query in rdf.checks().values():
        words = set(query.upper().replace("{", " ").split())
        assert not words & {"SERVICE", "FROM", "LOAD", "INSERT", "DELETE", "CLEAR", "DROP"}


def _without(name, subject, predicate):
    return lambda data: graph(data, name).remove((subject, predicate, None))


def _with(name, subject, predicate, value):
    return lambda data: graph(data, name).add((subject, predicate, value))


UMEA, OVER = node("statement", "s_umea"), node("conclusion", "l_supersedes_s_stockholm_s_umea")
QUOTE, PLACE = node("selector", f"q-{proof('s_umea')}"), node("selector", f"p-{proof('s_umea')}")
MISSHAPEN = {
    "no subject": _without("memory", UMEA, RDF.subject),
    "two values": _with("memory", UMEA, RDF.object, Literal("Luleå")),
    "unknown predicate": lambda data: change(data, "memory", UMEA, RDF.predicate, GM.invented),
    "no evidence": _without("memory", UMEA, PROV.wasDerivedFrom),
    "no run": _without("memory", UMEA, PROV.wasGeneratedBy),
    "bound without precision": _without("memory", UMEA, GM.validFromPrecision),
    "retired without reason": _without("memory", node("statement", "s_asa"), GM.retirementReason),
    "naive time": lambda data: change(
        data, "memory", UMEA, GM.assertedAt, Literal("2025-09-10T08:15:00", datatype=XSD.dateTime)
    ),
    "ends before it begins": lambda data: change(
        data, "memory", node("statement", "s_rome"), GM.validUntil, Literal("2018-01-01T00:00:00+00:00", datatype=XSD.dateTime)
    ),
    "one selector": _without("memory", QUOTE, RDF.type),
    "empty quote": lambda data: change(data, "memory", QUOTE, OA.exact, Literal("")),
    "long prefix": lambda data: change(data, "memory", QUOTE, OA.prefix, Literal("x" * 65)),
    "negative length": lambda data: change(data, "memory", PLACE, OA.end, Literal("3", datatype=XSD.nonNegativeInteger)),
    "invented tier": lambda data: change(data, "derived", UMEA, GM.tier, GM.Certain),
    "confidence above one": lambda data: change(data, "derived", UMEA, GM.confidence, Literal("1.5", datatype=XSD.decimal)),
    "supersedes itself": lambda data: change(data, "memory", OVER, GM.later, UMEA),
    "change without a time": _without("memory", OVER, GM.changeAt),
    "inferred dressed as provided": _with("memory", node("statement", "s_lights"), RDF.type, DPV.ProvidedPersonalData),
    "message without a session": lambda data: graph(data, "transcript").remove((None, RDF.type, GM.Session)),
    "export without a profile": lambda data: data.default_graph.remove((None, GM.profile, None)),
}


SHAPES = {
    "no subject": "Statement",
    "two values": "Statement",
    "unknown predicate": "Statement",
    "no evidence": "Statement",
    "no run": "Statement",
    "bound without precision": "From",
    "retired without reason": "Retired",
    "naive time": "Instants",
    "ends before it begins": "Statement",
    "one selector": "Evidence",
    "empty quote": "Quote",
    "long prefix": "Quote",
    "negative length": "Position",
    "invented tier": "Statement",
    "confidence above one": "Confidence",
    "supersedes itself": "Supersession",
    "change without a time": "Supersession",
    "inferred dressed as provided": "InferredIsNotProvided",
    "message without a session": "Message",
    "export without a profile": "Export",
}


def broken(data: Dataset) -> set[str]:
    """The names of the shapes that a dataset breaks."""
    pytest.importorskip("pyshacl", reason="needs the extra shacl")
    return {item.shape for item in violations(data)}


@pytest.mark.parametrize("user", ["åsa.k@example.se", "a/b c", ".."])
@pytest.mark.parametrize("profile", PROFILES)
def test_an_export_has_the_shape_that_is_published(user, profile):
    memory = replace(world(user), space="work")
    assert broken(rdf.read(render(memory, format="nquads", profile=profile), format="nquads")) == set()


@pytest.mark.parametrize("name", list(MISSHAPEN))
def test_a_misshapen_export_is_named_by_its_shape(name):
    data = export()
    MISSHAPEN[name](data)
    assert rdf.write(data, format="nquads") != CANONICAL
    assert broken(data) == {SHAPES[name]}


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(graph=stores())
def test_any_memory_has_the_shapes_and_passes_the_checks(graph):
    data = rdf.dataset(bundle_of(graph), profile="access")
    assert rdf.check(data) == []
    assert broken(data) == set()


@pytest.mark.long
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(graph=stores())
def test_a_hundred_memories_have_the_shapes_and_pass_the_checks(graph):
    data = rdf.dataset(bundle_of(graph), profile="access")
    assert rdf.check(data) == []
    assert broken(data) == set()


@pytest.mark.filterwarnings("ignore:The following attributes were not converted")  # what PROV has no word for
@pytest.mark.parametrize("user", ["åsa.k@example.se", "a/b c"])
def test_the_prov_package_reads_an_export_and_finds_its_runs(user):
    prov = pytest.importorskip("prov.model", reason="needs the package prov")
    memory = world(user)
    document = prov.ProvDocument.deserialize(content=render(memory).decode(), format="rdf", rdf_format="trig")
    bundles = list(document.bundles)
    kinds = {type(record).__name__ for part in (document, *bundles) for record in part.get_records()}
    assert {"ProvEntity", "ProvActivity", "ProvAgent", "ProvGeneration"} <= kinds
    entities = {
        str(record.identifier.uri) for part in bundles for record in part.get_records(prov.ProvEntity) if record.identifier
    }
    assert {str(node("statement", item.record.id)) for item in memory.nodes} <= entities or user != MEMORY.user
