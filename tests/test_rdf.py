"""RDF out and in again: nothing lost, nothing that changes from run to run, no one else's data."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import RDF, BNode, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic
from test_rdf_world import FIRST, NOW, THIRD, bundle, evidence, node, session, statement, turn, world

from graphmem import rdf
from graphmem.errors import InputError
from graphmem.export import render
from graphmem.rdf_terms import Names
from graphmem.records import EntityRecord, MentionRecord

GM = Namespace("https://w3id.org/graphmem/ns#")
OA = Namespace("http://www.w3.org/ns/oa#")
PROV = Namespace("http://www.w3.org/ns/prov#")
SCHEMA = Namespace("https://schema.org/")
FORMATS = ["trig", "nquads", "jsonld"]
USERS = ["åsa.k@example.se", "a/b c", "..", "ünï", "~x~é", "(a)", "%41", "\u202eevil", "😀", "a.", "'\"<>"]
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


def lines(data: bytes, format: str) -> bytes:
    return rdf.write(rdf.read(data, format=format), format="nquads")


def one(data, subject, predicate):
    found = {item for graph in data.graphs() for item in graph.objects(subject, predicate)}
    assert len(found) == 1, (predicate, found)
    return found.pop()


def place(memory, kind, name):
    return URIRef(Names(memory.user, memory.space, memory.base).iri(kind, name))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("user", USERS)
def test_an_export_reads_back_as_it_was_written(format, user):
    memory = world(user)
    canonical = render(memory, format="nquads")
    assert lines(render(memory, format=format), format) == canonical
    assert not any(isinstance(item, BNode) for quad in rdf.read(canonical, format="nquads").quads() for item in quad)


@pytest.mark.parametrize("profile", ["access", "portability", "current"])
@pytest.mark.parametrize("space", ["default", "work", "a.b_c-d"])
def test_every_profile_and_space_reads_back(profile, space):
    memory = world(space=space)
    canonical = render(memory, format="nquads", profile=profile)
    for format in ("trig", "jsonld"):
        assert lines(render(memory, format=format, profile=profile), format) == canonical


def test_the_graphs_are_isomorphic_after_a_round_trip():
    memory = world()
    flat = []
    for format in FORMATS:
        graph = Graph()
        for subject, predicate, value, _ in rdf.read(render(memory, format=format), format=format).quads():
            graph.add((subject, predicate, value))
        flat.append(graph)
    assert isomorphic(flat[0], flat[1])
    assert isomorphic(flat[1], flat[2])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    before=words,
    quote=words.filter(bool),
    after=words,
    value=words.filter(bool),
    user=words.filter(bool),
    name=words.filter(bool),
    context=st.none() | words.filter(bool),
)
def test_any_text_survives_every_format(before, quote, after, value, user, name, context):
    said = turn(name, 0, before + quote + after, FIRST, speaker=value)
    record = statement("s1", "likes", value, said, kind="preference", context=context, text=quote, rule=value)
    proof = evidence("s1", said, quote).model_copy(update={"start": len(before), "end": len(before) + len(quote)})
    memory = bundle(
        user,
        [node(record, [proof])],
        [said],
        [session(name, FIRST, topic=value)],
        entities=[EntityRecord(id=value, name=value, type="thing", key=value)],
        mentions=[MentionRecord(statement="s1", entity=value, kind="OBJECT", tier="stated")],
    )
    canonical = render(memory, format="nquads")
    for format in FORMATS:
        data = rdf.read(render(memory, format=format), format=format)
        assert rdf.write(data, format="nquads") == canonical
        quoted = place(memory, "selector", f"q-{proof.id}")
        assert str(one(data, quoted, OA.exact)) == quote
        assert str(one(data, place(memory, "message", said.key), SCHEMA.text)) == said.text
    assert rdf.check(data) == []


HARD = 'say "hi" \\ and \'bye\'\n\ttwo\u2028lines\u0085\r\nof \u202btext\u202c """ 😀 <b>&amp; {x} @en ^^<y> .'


@pytest.mark.parametrize("format", FORMATS)
def test_quotes_newlines_and_marks_of_direction_survive(format):
    said = turn("s", 0, HARD, FIRST)
    memory = bundle(
        "u", [node(statement("s1", "likes", HARD, said), [evidence("s1", said, HARD)])], [said], [session("s", FIRST)]
    )
    data = rdf.read(render(memory, format=format), format=format)
    assert str(one(data, place(memory, "statement", "s1"), GM.objectText)) == HARD
    assert lines(render(memory, format=format), format) == render(memory, format="nquads")


SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from test_rdf_world import world
from graphmem.export import render
print(*(hashlib.sha256(render(world(), format=f)).hexdigest() for f in ("trig", "nquads", "jsonld", "json")))
"""


def test_the_bytes_do_not_depend_on_the_hash_seed():
    here = str(Path(__file__).parent)
    found = []
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCRIPT, here],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(here).parent,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(run.stdout)
    assert found[0] == found[1]
    own = [hashlib.sha256(render(world(), format=f)).hexdigest() for f in ("trig", "nquads", "jsonld", "json")]
    assert found[0].split() == own


def test_nquads_are_sorted_lines_without_repeats():
    rows = render(world(), format="nquads").decode().rstrip("\n").split("\n")
    assert rows == sorted(set(rows))
    assert all(row.endswith(" .") and not row.endswith("  .") for row in rows)


def test_the_order_of_the_records_does_not_show():
    memory = world()
    mixed = replace(
        memory, nodes=memory.nodes[::-1], turns=memory.turns[::-1], sessions=memory.sessions[::-1],
        entities=memory.entities[::-1], mentions=memory.mentions[::-1], statements=memory.statements[::-1],
    )  # fmt: skip
    for format in FORMATS:
        assert render(mixed, format=format) == render(memory, format=format)


def test_the_record_of_the_export_holds_the_digest_of_the_rest():
    memory = world()
    for format in FORMATS:
        data = rdf.read(render(memory, format=format), format=format)
        export = next(data.default_graph.subjects(RDF.type, GM.Export))
        assert str(one(data, export, GM.digest)) == rdf.digest(data)
    data.graph(URIRef("https://e/g")).add((URIRef("https://e/a"), GM.rule, Literal("added")))
    assert str(one(data, export, GM.digest)) != rdf.digest(data)


def test_offsets_count_code_points_behind_an_emoji():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    proof = next(item for entry in memory.nodes for item in entry.evidence if item.statement == "s_umea")
    where = place(memory, "selector", f"p-{proof.id}")
    start, end = int(one(data, where, OA.start)), int(one(data, where, OA.end))
    text = str(one(data, place(memory, "message", proof.turn_key), SCHEMA.text))
    assert (start, text[start:end]) == (7, "I moved to Umeå in the spring.")
    quoted = place(memory, "selector", f"q-{proof.id}")
    assert str(one(data, quoted, OA.prefix)) == "Hey 😀! "
    assert len(str(one(data, quoted, OA.suffix))) <= 64


def test_a_long_turn_gives_no_more_than_64_characters_on_either_side():
    said = turn("s", 0, "å" * 500 + "quote" + "😀" * 500, FIRST)
    proof = evidence("s1", said, "quote")
    memory = bundle("u", [node(statement("s1", "likes", "x", said), [proof])], [said], [session("s", FIRST)])
    data = rdf.read(render(memory), format="trig")
    quoted = place(memory, "selector", f"q-{proof.id}")
    assert str(one(data, quoted, OA.prefix)) == "å" * 64
    assert str(one(data, quoted, OA.suffix)) == "😀" * 64


def test_a_claim_is_asserted_only_while_it_is_held():
    memory = world()
    names = Names(memory.user, memory.space, memory.base)
    current = rdf.read(render(memory), format="trig").graph(URIRef(names.graph("current")))
    me = URIRef(names.person)
    assert {(p.removeprefix(str(GM)), str(o)) for _, p, o in current.triples((me, None, None))} == {
        ("livesIn", names.iri("entity", "n_stockholm")),
        ("name", "Åsa"),
        ("prefers", "short answers"),
    }
    assert len(current) == 3


def test_what_was_concluded_has_its_own_times():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    over = place(memory, "conclusion", "l_supersedes_s_stockholm_s_umea")
    assert one(data, over, GM.earlier) == place(memory, "statement", "s_umea")
    assert one(data, over, GM.later) == place(memory, "statement", "s_stockholm")
    assert one(data, over, GM.changeAtPrecision) == GM.Day
    assert (over, PROV.invalidatedAtTime, None) not in data
    fine = place(memory, "conclusion", "l_refines_s_rome_s_stockholm")
    assert str(one(data, fine, PROV.invalidatedAtTime)) == "2026-09-14T09:40:00+00:00"
    assert one(data, fine, GM.retirementReason) == GM.NoLongerFollows
    assert (place(memory, "statement", "s_rome"), GM.refines, None) not in data
    umea = place(memory, "statement", "s_umea")
    assert (umea, GM.validUntil, None) not in data, "an implied end is not put into the source's mouth"
    assert str(one(data, umea, GM.effectiveUntil)) == "2026-08-01T00:00:00+00:00"


def test_a_correction_retires_the_wrong_statement_and_a_withdrawal_names_its_actor():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    wrong, right = place(memory, "statement", "s_asa"), place(memory, "statement", "s_named")
    assert one(data, wrong, GM.retirementReason) == GM.Corrected
    assert one(data, right, PROV.wasRevisionOf) == wrong
    chess = place(memory, "statement", "s_chess")
    assert one(data, chess, GM.retirementReason) == GM.WithdrawnByUser
    assert str(one(data, one(data, chess, PROV.wasInvalidatedBy), GM.actor)) == "owner"


def test_bounds_carry_the_precision_of_the_words():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    umea, rome, chess = (place(memory, "statement", name) for name in ("s_umea", "s_rome", "s_chess"))
    assert one(data, umea, GM.validFromPrecision) == GM.Season
    assert str(one(data, umea, GM.validFromEdtf)) == "2025-21"
    assert one(data, rome, GM.validFromPrecision) == GM.Year
    assert one(data, rome, GM.validUntilPrecision) == GM.NotAfter
    assert one(data, chess, GM.validUntilPrecision) == GM.NotAfter
    assert (chess, GM.validFrom, None) not in data


def test_what_used_to_be_ends_when_it_was_said_at_the_latest():
    said = turn("s", 0, "I used to smoke.", THIRD)
    record = statement("s1", "health", "smoker", said, temporal="ended")
    memory = bundle("u", [node(record, [evidence("s1", said, "I used to smoke")])], [said], [session("s", THIRD)])
    data = rdf.read(render(memory), format="trig")
    assert str(one(data, place(memory, "statement", "s1"), GM.validUntil)) == "2026-09-14T09:30:00+00:00"
    assert one(data, place(memory, "statement", "s1"), GM.validUntilPrecision) == GM.NotAfter


def test_an_instant_has_a_start_and_no_end():
    said = turn("s", 0, "It rang.", THIRD)
    record = statement("s1", "rang", "it", said, kind="episode", valid_from=THIRD, valid_to=THIRD, valid_granularity="minute")
    memory = bundle("u", [node(record, [evidence("s1", said, "It rang")])], [said], [session("s", THIRD)])
    data = rdf.read(render(memory), format="trig")
    assert one(data, place(memory, "statement", "s1"), GM.validFromPrecision) == GM.Minute
    assert (place(memory, "statement", "s1"), GM.validUntil, None) not in data


def test_an_open_predicate_belongs_to_the_user_and_a_registered_one_to_the_vocabulary():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    assert one(data, place(memory, "statement", "s_rome"), RDF.predicate) == place(memory, "predicate", "visited")
    assert one(data, place(memory, "predicate", "visited"), GM.valueCardinality) == GM.Multi
    assert one(data, place(memory, "statement", "s_umea"), RDF.predicate) == GM.livesIn
    assert one(data, GM.livesIn, GM.valueCardinality) == GM.SingleAtATime


def test_the_owners_confirmation_lifts_the_tier_without_a_quote():
    memory = world()
    data = rdf.read(render(memory), format="trig")
    short = place(memory, "statement", "s_short")
    assert one(data, short, GM.tier) == GM.Confirmed
    kinds = {kind for proof in data.objects(short, PROV.wasDerivedFrom) for kind in data.objects(proof, GM.evidenceKind)}
    assert kinds == {GM.ExplicitStatement, GM.Confirmation}


def test_what_was_recorded_later_is_not_shown():
    memory = world()
    early = bundle(memory.user, memory.nodes, memory.turns, memory.sessions, at=FIRST + (NOW - THIRD), known_at=THIRD)
    data = rdf.read(render(early), format="trig")
    shown = {str(item).rsplit("/", 1)[1] for item in data.subjects(RDF.type, RDF.Statement)}
    assert shown == {"s_umea", "s_allergic", "s_lights", "s_stockholm", "s_short", "s_chess", "s_sister"}
    assert (None, RDF.type, GM.Contradiction) not in data
    assert rdf.check(data) == []


def test_two_users_side_by_side_stay_apart():
    memories = [world("bob"), world("bob2"), world("bob", space="work")]
    both = rdf.read(b"".join(render(item, format="nquads") for item in memories), format="nquads")
    assert rdf.check(both) == []
    assert len(list(both.subjects(RDF.type, GM.Export))) == 3


@pytest.mark.parametrize(
    "context", ['"https://e/context.jsonld"', '["https://e/c"]', '{"@import": "https://e/c"}', '[{}, "https://e/c"]']
)
def test_a_remote_context_is_refused_and_never_fetched(context, monkeypatch):
    def no_network(*_args, **_more):
        raise AssertionError("tried to reach the network")

    monkeypatch.setattr("socket.socket.connect", no_network)
    with pytest.raises(InputError, match="remote @context"):
        rdf.read(f'{{"@graph": [{{"@context": {context}, "@id": "https://e/a"}}]}}'.encode(), format="jsonld")


def test_the_jsonld_carries_its_context_and_reads_like_json():
    document = json.loads(render(world(), format="jsonld"))
    assert document["@context"]["gm"] == "https://w3id.org/graphmem/ns#"
    graphs = {item["@id"].rsplit("/", 1)[-1]: item for item in document["@graph"] if "@graph" in item and "@id" in item}
    umea = next(item for item in graphs["memory"]["@graph"] if item["@id"].endswith("/s_umea"))
    assert umea["predicate"] == "gm:livesIn"
    assert umea["validFrom"] == "2025-03-01T00:00:00+00:00"


def test_an_unknown_notation_is_refused_by_name():
    with pytest.raises(InputError, match="trig, nquads, jsonld"):
        rdf.read(b"", format="turtle")
    with pytest.raises(InputError, match="trig, nquads, jsonld"):
        rdf.write(rdf.vocabulary(), format="turtle")


def test_importing_the_exports_does_not_import_rdflib():
    run = subprocess.run(
        [sys.executable, "-c", "import sys, graphmem.export, graphmem.rdf; print('rdflib' in sys.modules)"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "False"
