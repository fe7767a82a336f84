"""What a query cannot meet is left out of the engine, and no row with it."""

from __future__ import annotations

import pytest
from audit_world import bundle_of, stores
from hypothesis import HealthCheck, given, settings

from graphmem import rdf_queries
from graphmem.rdf import shown_quads
from graphmem.rdf_queries import NAMES, ask, shipped
from graphmem.rdf_reach import properties
from graphmem.rdf_terms import A

AB = {"http://e/a", "http://e/b"}
P = "PREFIX e: <http://e/>\n"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?p { ?s ?p ?o }",
        "SELECT * { <http://e/a> ?p 'x' }",
        P + "SELECT * { ?s e:a ?x ; ?p ?o }",
        P + "SELECT * { [ e:a 1 ] ?p ?o }",
        P + "SELECT * { ?s $p [ e:a 1 ] }",
        P + "SELECT * { (1 2) ?p ?o }",
        P + "SELECT * { ?s e:a* ?o }",
        P + "SELECT * { ?s e:a? ?o }",
        P + "SELECT * { ?s (e:a|e:b)* ?o }",
        P + "SELECT * { ?s !e:a ?o }",
        P + "SELECT * { ?s !(e:a|e:b) ?o }",
        P + "SELECT * { ?s e:a/!^e:b ?o }",
        P + "SELECT * { ?s !a ?o }",
        P + "SELECT * { ?s ! ( a|e:b ) ?o }",
        "BASE <http://e/> SELECT * { ?s <a> ?o }",
        P + "SELECT * { ?s e:a\\-b ?o }",
        "SELECT * { ?s f:a ?o }",
        P + "SELECT ?s { { SELECT ?s ?p { ?s ?p ?o } } }",
        P + "SELECT ?s { ?s e:a ?o FILTER EXISTS { ?o ?any true } ?o ?p 4 }",
    ],
    ids=repr,
)
def test_what_may_meet_any_property_takes_all(query):
    assert properties(query) is None


@pytest.mark.parametrize(
    ("query", "named"),
    [
        (P + "SELECT ?s ?o { ?s e:a ?o }", {"http://e/a"}),
        (P + "SELECT ?s ?o { ?s e:a/^<http://e/b>+ ?o ; e:c 'e:d ?x ?y' . # ?s ?p ?o\n }", AB | {"http://e/c"}),
        (P + "SELECT * { ?s e:a ?x . ?x e:b ?y FILTER(!(?x IN (?y)) && !BOUND(?z) && ?x != ?y) }", AB),
        (P + "SELECT ?s { { SELECT ?s { ?s e:a ?x } GROUP BY ?s ?x } ?s e:b 1 } ORDER BY ?s ?y ?z", AB),
        (P + "SELECT * { ?s e:a ?x FILTER(?x > 1) ?y e:b ?x BIND(STR(?x) AS ?z) }", AB),
        (P + "SELECT (COUNT(?s) AS ?n) { ?s a ?t } GROUP BY ?t", set()),
    ],
)
def test_other_queries_take_what_they_name(query, named):
    assert properties(query) - {"http://e/"} == named | {str(A)}


def test_every_shipped_query_names_what_it_asks_for():
    assert all(properties(shipped(name)) for name in NAMES)


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(graph=stores())
def test_no_row_is_lost_by_it(graph):
    pytest.importorskip("pyoxigraph", reason="needs the extra oxigraph")
    quads = shown_quads(bundle_of(graph))
    with pytest.MonkeyPatch.context() as patch:
        some = {name: sorted(map(str, ask(quads, shipped(name), engine="oxigraph").rows)) for name in NAMES}
        patch.setattr(rdf_queries, "properties", lambda query: None)
        assert some == {name: sorted(map(str, ask(quads, shipped(name), engine="oxigraph").rows)) for name in NAMES}
