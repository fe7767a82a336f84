"""Exports as files: what each profile shows, the JSON form, and writing whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace

import pytest
from test_rdf_world import FIRST, NOW, SECOND, THIRD, bundle, evidence, link, node, session, statement, turn, world

from graphmem import __version__, rdf_terms
from graphmem.errors import InputError
from graphmem.export import FORMATS, PROFILES, Bundle, export, render, select
from graphmem.model import Session, Statement

ALL = {
    "s_umea", "s_stockholm", "s_allergic", "s_tolerates", "s_short", "s_chess", "s_lights", "s_asa", "s_named", "s_rome",
    "s_sister",
}  # fmt: skip


def shown(memory: Bundle, profile: str) -> set[str]:
    chosen = select(memory, profile=profile)
    assert {item.record.id for item in chosen.nodes} == {item.id for item in chosen.statements}
    return {item.id for item in chosen.statements}


def document(memory: Bundle, **more) -> dict:
    return json.loads(render(memory, format="json", **more))


# ---------------------------------------------------------------- profiles


def test_access_shows_everything_that_is_held():
    memory = world()
    assert shown(memory, "access") == ALL
    chosen = select(memory, profile="access")
    assert (chosen.turns, chosen.sessions) == (memory.turns, memory.sessions)
    assert (chosen.statements_left_out, chosen.turns_left_out) == (0, 0)


def test_portability_leaves_out_what_was_inferred_or_withdrawn():
    memory = world()
    assert shown(memory, "portability") == ALL - {"s_lights", "s_chess", "s_asa"}
    chosen = select(memory, profile="portability")
    assert {item.role for item in chosen.turns} == {"user", "assistant"}
    assert (chosen.statements_left_out, chosen.turns_left_out) == (3, 1)
    assert chosen.same_as == ()
    text = render(memory, format="nquads", profile="portability").decode()
    assert "InferredPersonalData" not in text
    assert "gdpr#A20" in text
    assert "weather" not in text


def test_portability_shows_the_users_own_quotes_only():
    said = turn("s", 0, "I love skiing.", FIRST)
    pasted = turn("s", 1, "The user enjoys skiing.", SECOND, "document")
    record = statement("s1", "likes", "skiing", said)
    proofs = [evidence("s1", said, "I love skiing"), evidence("s1", pasted, "enjoys skiing")]
    memory = bundle("u", [node(record, proofs)], [said, pasted], [session("s", FIRST)])
    assert len(document(memory)["statements"][0]["evidence"]) == 2
    portable = document(memory, profile="portability")
    assert [item["quote"] for item in portable["statements"][0]["evidence"]] == ["I love skiing"]
    assert [item["id"] for item in portable["sessions"][0]["turns"]] == ["t0"]
    assert portable["left_out"] == {"statements": 0, "turns": 1}


def test_portability_leaves_out_what_was_derived_from_other_statements():
    said = turn("s", 0, "I ran on Monday. I ran on Tuesday.", FIRST)
    first = statement("s1", "ran", "Monday", said)
    often = statement("s2", "runs", "often", said)
    made = link("DERIVED_FROM", often, first)
    nodes = [
        node(first, [evidence("s1", said, "I ran on Monday")], [(made, None)]),
        node(often, [evidence("s2", said, "I ran")], [(made, None)]),
    ]
    memory = bundle("u", nodes, [said], [session("s", FIRST)])
    assert shown(memory, "portability") == {"s1"}
    assert "DerivedPersonalData" in render(memory, format="nquads").decode()


def test_current_shows_what_holds_with_the_turns_it_is_quoted_from():
    memory = world()
    assert shown(memory, "current") == {"s_stockholm", "s_allergic", "s_tolerates", "s_short", "s_named", "s_sister"}
    chosen = select(memory, profile="current")
    assert {item.role for item in chosen.turns} == {"user"}
    assert {item.id for item in chosen.entities} == {"n_stockholm"}
    assert [item.id for item in chosen.contradictions] == ["l_contradicts_s_allergic_s_tolerates"]


def test_what_was_recorded_after_known_at_is_in_no_profile():
    early = bundle("u", world().nodes, world().turns, world().sessions, at=THIRD, known_at=THIRD)
    for profile in ("access", "portability", "current"):
        chosen = select(early, profile=profile)
        assert all(item.recorded_at <= THIRD for entry in chosen.nodes for item in entry.evidence)
        assert all(pair[0].recorded_at <= THIRD and pair[1] is None for entry in chosen.nodes for pair in entry.links)
        assert all(entry.retirement is None for entry in chosen.nodes)
        assert {item.id for item in chosen.sessions} <= {"autumn", "2026-08 / chat"}


def test_selecting_does_not_touch_the_bundle():
    memory = world()
    before = render(memory, format="nquads")
    for profile in ("portability", "current", "access"):
        select(memory, profile=profile)
    assert render(memory, format="nquads") == before


# ---------------------------------------------------------------- JSON


def test_json_holds_the_public_models():
    memory = world()
    found = document(memory)
    assert found["graphmem"] == __version__
    assert (found["user"], found["space"], found["profile"]) == ("åsa.k@example.se", "default", "access")
    assert found["exported_at"] == found["as_of"] == found["known_at"] == "2026-11-29T21:00:00Z"
    assert found["statements"] == [item.model_dump(mode="json") for item in memory.statements]
    assert {Statement.model_validate(item).id for item in found["statements"]} == ALL
    assert [item["id"] for item in found["contradictions"]] == ["l_contradicts_s_allergic_s_tolerates"]
    assert found["ledger_head"] == "f" * 64


def test_json_sessions_can_be_taken_in_again():
    found = document(world())["sessions"]
    sessions = [Session.model_validate(item) for item in found]
    assert [item.id for item in sessions] == ["autumn", "2026-08 / chat", "s3"]
    assert [len(item.turns) for item in sessions] == [3, 1, 1]
    assert sessions[0].offset_minutes == 120
    quoted = {
        (item["session"], item["turn"], item["start"], item["end"], item["quote"])
        for entry in document(world())["statements"]
        for item in entry["evidence"]
    }
    texts = {(place.id, said.id): said.text for place in sessions for said in place.turns}
    assert quoted
    assert all(texts[place, name][start:end] == quote for place, name, start, end, quote in quoted)


def test_turns_come_in_the_order_of_the_session():
    memory = world()
    mixed = replace(memory, turns=memory.turns[::-1])
    assert document(mixed)["sessions"] == document(memory)["sessions"]


def test_the_time_of_the_export_is_given_by_the_caller():
    memory = replace(world(), exported_at=THIRD)
    assert document(memory)["exported_at"] == "2026-09-14T09:30:00Z"
    assert '"2026-09-14T09:30:00+00:00"' in render(memory, format="nquads").decode()


def test_an_empty_memory_can_be_exported():
    for format in FORMATS:
        for profile in ("access", "portability", "current"):
            data = render(Bundle(user="u", space="default", at=NOW, known_at=NOW), format=format, profile=profile)
            assert data.endswith(b"\n")


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_holds_what_render_gives(tmp_path, format):
    target = tmp_path / f"ünï.{format}"
    assert export(world(), target, format=format) == target
    assert target.read_bytes() == render(world(), format=format)
    assert [item.name for item in tmp_path.iterdir()] == [target.name]


def test_an_older_file_is_replaced(tmp_path):
    target = tmp_path / "export.json"
    target.write_text("old")
    export(world(), str(target), format="json")
    assert json.loads(target.read_text())["user"] == "åsa.k@example.se"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file modes")
def test_only_its_owner_can_read_an_export(tmp_path):
    target = export(world(), tmp_path / "export.trig")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_older_file_and_no_rest(tmp_path, monkeypatch):
    target = tmp_path / "export.json"
    target.write_text("old")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        export(world(), target, format="json")
    assert target.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["export.json"]


def test_a_failed_move_leaves_no_rest(tmp_path, monkeypatch):
    def stuck(*_args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", stuck)
    with pytest.raises(InputError, match="Permission denied"):
        export(world(), tmp_path / "export.json", format="json")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused_as_a_target(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        export(world(), tmp_path)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere does not exist"):
        export(world(), tmp_path / "nowhere" / "export.trig")


@pytest.mark.parametrize("format", ["turtle", "TRIG", "", "csv"])
def test_an_unknown_format_is_refused_with_those_there_are(tmp_path, format):
    with pytest.raises(InputError, match="trig, nquads, jsonld, json"):
        export(world(), tmp_path / "export", format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
def test_an_unknown_profile_is_refused_with_those_there_are(format):
    with pytest.raises(InputError, match="access, portability, audit, current"):
        render(world(), format=format, profile="everything")


def test_every_profile_has_a_term():
    assert set(PROFILES) == set(rdf_terms.PROFILES)


def test_an_empty_user_has_no_export():
    with pytest.raises(InputError, match="user id"):
        render(Bundle(user="", space="default", at=NOW, known_at=NOW))
