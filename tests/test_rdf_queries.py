"""The shipped queries give what the memory itself answers, in both engines, and no query reaches beyond the export."""

from __future__ import annotations

import pytest
from audit_world import RELATIONS, bundle_of, later, stores
from build import NOW
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem import rdf, rdf_queries
from graphmem.bundle import select
from graphmem.changes import changes
from graphmem.errors import InputError
from graphmem.lifecycle.erase import Scope, closure
from graphmem.model import iso
from graphmem.rdf_queries import NAMES, ask, check, shipped
from graphmem.rdf_sheet import plain
from graphmem.rdf_terms import Iri, Names, Quad, Value
from graphmem.reading import Reader

FULL = ("rdflib", "oxigraph")


def rows(quads, name, engine, *columns, **bindings):
    found = ask(quads, shipped(name), bindings=bindings, engine=engine)
    places = [found.columns.index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in found.rows]


def utc(value):
    return None if value is None else iso(value)


def stamp(text):
    return None if text is None else text.replace("+00:00", "Z")


def compare(graph, known_at, at, engine):
    bundle = bundle_of(graph)
    quads = rdf.all_quads(bundle, profile="access")
    names = Names(bundle.user, bundle.space, bundle.base)
    reader = Reader(graph, now=NOW)

    then = Reader(graph, now=NOW, as_of=at, known_at=known_at)
    believed = {plain(row[0]) for row in rows(quads, "believed", engine, "statement", D=known_at, V=at)}
    assert believed == {s.id for s in then.statements()}

    told = changes(reader, erased=(), since=known_at, until=NOW, clock="recorded")
    wanted = sorted((iso(c.at), c.type, c.statement.id) for c in told if c.statement)
    seen = rows(quads, "changes", engine, "when", "what", "statement", D1=known_at, D2=NOW)
    assert sorted({(stamp(when), what, plain(id_)) for when, what, id_ in seen}) == sorted(set(wanted))

    open_ = {(c.id, side.id, e.quote) for c in reader.contradictions() for side in (c.a, c.b) for e in side.evidence}
    seen = rows(quads, "contradictions", engine, "contradiction", "statement", "quote")
    assert {(plain(c), plain(s), quote) for c, s, quote in seen} == open_

    provided = {plain(row[0]) for row in rows(quads, "portability", engine, "statement")}
    assert provided == {s.id for s in select(bundle, profile="portability").statements}

    for name in RELATIONS[:3]:
        held = {(s.id, utc(s.valid_from), utc(s.valid_to)) for s in reader.all() if s.predicate == name}
        seen = rows(quads, "history", engine, "statement", "from", "until", predicate=names.predicate(name))
        assert {(plain(id_), stamp(a), stamp(b)) for id_, a, b in seen} == held

    statement = reader.all()[0]
    seen = rows(quads, "trace", engine, "quote", "start", "end", "said", statement=names.iri("statement", statement.id))
    assert {(q, int(a), int(b), stamp(t)) for q, a, b, t in seen} == {
        (e.quote, e.start, e.end, iso(e.said_at)) for e in statement.evidence
    }

    turn = graph.turns()[0].key
    gone, _ = closure(Scope(frozenset(), frozenset({turn})), graph.nodes())
    seen = {row[0] for row in rows(quads, "erasure", engine, "thing", message=names.iri("message", turn))}
    assert {plain(iri) for iri in seen if "/statement/" in iri} == gone.statements


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(graph=stores(), known=st.sampled_from([later(100), NOW]), at=st.sampled_from([later(700), later(400), NOW]))
def test_the_shipped_queries_answer_as_the_memory_does(graph, known, at):
    pytest.importorskip("pyoxigraph", reason="needs the extra oxigraph")
    compare(graph, known, at, "oxigraph")


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(graph=stores(), at=st.sampled_from([later(400), NOW]))
def test_they_do_so_without_the_extra(graph, at):
    compare(graph, NOW, at, "rdflib")


@pytest.mark.long
@pytest.mark.parametrize("engine", FULL)
@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(graph=stores(), known=st.sampled_from([later(100), NOW]), at=st.sampled_from([later(700), later(400), later(330), NOW]))
def test_the_shipped_queries_answer_as_many_memories_do(engine, graph, known, at):
    compare(graph, known, at, engine)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * WHERE { SERVICE <http://e/> { ?s ?p ?o } }",
        "select * from <http://e/> where { ?s ?p ?o }",
        "SELECT * FROM NAMED <http://e/> WHERE { ?s ?p ?o }",
        "LOAD <http://e/>",
        "INSERT DATA { <http://a> <http://b> <http://c> }",
        "DELETE WHERE { ?s ?p ?o }",
        "CLEAR ALL",
        "PREFIX a: <http://e/> SELECT ?s WHERE { ?s ?p 'x' }\n SERVICE<http://e/>{}",
        'SELECT * WHERE { ?s ?p "a\\"" . service silent ?x { } }',
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "",
        # Written together with what stands before or after.
        "SELECT * { ?s ?p ?o.SERVICE <http://e/> { ?a ?b ?c } }",
        "SELECT * { ?s ?p 1.SERVICE <http://e/> { ?a ?b ?c } }",
        "SELECT * { ?s ?p trueSERVICE <http://e/> { ?a ?b ?c } }",
        "SELECT * { ?s ?p ?o SERVICESILENT <http://e/> { ?a ?b ?c } }",
        "PREFIX : <http://e/> SELECT * { ?s ?p ?o . SERVICE:e { ?a ?b ?c } }",
        "PREFIX e: <http://e/> SELECT * { ?s ?p e:.SERVICE <http://e/> { ?a ?b ?c } }",
        "PREFIX : <http://e/> SELECT * FROM:e { ?s ?p ?o }",
        # Characters by number, which end a text or a comment, or are part of a command.
        "SELECT * { ?s ?p ?o . \\u0053ERVICE <http://e/> { ?a ?b ?c } }",
        "SELECT * \\U00000046ROM <http://e/> { ?s ?p ?o }",
        "SELECT * { ?s ?p ?o FILTER(?s != '\\u0027) SERVICE <http://e/> { ?a ?b ?c } FILTER(?s != \\u0027') }",
        "SELECT * { ?s ?p ?o . #\\u000a SERVICE <http://e/> { ?a ?b ?c }\n }",
        # What ends a comment in one engine, and a space that is none in a name.
        "SELECT * { ?s ?p ?o . # x\r SERVICE <http://e/> { ?a ?b ?c }\n }",
        "SELECT * { ?s ?p <http://e/\u00a0#> . SERVICE <http://e/> { ?a ?b ?c } }",
        # What ends a process by an overflow of its stack.
        "SELECT * " + "{" * 3000 + "?s ?p ?o" + "}" * 3000,
        "SELECT * { FILTER(" + "!" * 9000 + "1) }",
        "SELECT * {" + "OPTIONAL{}" * 1500 + "}",
    ],
    ids=repr,
)
def test_what_would_fetch_or_write_is_refused_before_it_runs(query, monkeypatch):
    def no_network(*_args, **_more):
        raise AssertionError("tried to reach the network")

    monkeypatch.setattr("socket.socket.connect", no_network)
    for engine in ("rdflib", "oxigraph"):
        with pytest.raises(InputError):
            ask([], query, engine=engine)


@pytest.mark.parametrize("engine", FULL)
def test_a_bound_text_cannot_end_itself(engine):
    said = ["\\u0022", "} SERVICE <http://e/> { ?a ?b ?c } #"]
    quads = [Quad(None, Iri("http://a/s"), Iri(f"http://a/{n}"), Value(text)) for n, text in enumerate(said)]
    found = ask(
        quads, "SELECT ?s { ?s <http://a/0> ?x ; <http://a/1> ?y }", bindings={"x": said[0], "y": said[1]}, engine=engine
    )
    assert found.rows == (("http://a/s",),)


def test_a_service_that_the_words_do_not_show_is_refused_by_what_was_read(monkeypatch):
    monkeypatch.setattr(rdf_queries, "check", lambda query: query)
    for query in (
        "SELECT * { ?s ?p ?o FILTER NOT EXISTS { SERVICE <http://e/> { ?a ?b ?c } } }",
        "SELECT * FROM <http://e/> {}",
    ):
        with pytest.raises(InputError, match="would fetch"):
            ask([], query, engine="rdflib")


def test_words_in_texts_and_names_are_no_commands():
    for query in (
        'SELECT * WHERE { ?s ?p "SERVICE <http://e/> FROM LOAD" }',
        "# FROM here on\nSELECT ?from WHERE { ?s <http://e/FROM> ?from }",
        "PREFIX gm: <http://e/> SELECT ?s WHERE { ?s gm:from ?load ; gm:a.service-from $with }",
    ):
        assert check(query) == query
    for name in NAMES:
        assert check(shipped(name))


def test_an_unknown_query_or_engine_is_named():
    with pytest.raises(InputError, match="trace, believed"):
        shipped("nothing")
    with pytest.raises(InputError, match="rdflib, oxigraph"):
        ask([], "ASK {}", engine="sqlite")
    with pytest.raises(InputError, match="cannot be run"):
        ask([], "SELECT WHERE", engine="rdflib")
    assert ask([], "ASK { ?s ?p ?o }", engine="rdflib").rows == (("false",),)
    assert rdf_queries.term_of("x") == ("x", None)
