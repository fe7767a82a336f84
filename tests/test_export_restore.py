"""An export read back gives the memory that it was made from, and a file that was altered gives none."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from audit_world import bundle_of, loaded, stores
from hypothesis import HealthCheck, given, settings

from graphmem import Memory, rdf
from graphmem.cli import run
from graphmem.errors import InputError
from graphmem.export import FORMATS, render
from graphmem.export_json import digest_of
from graphmem.export_records import read
from graphmem.lifecycle.from_export import UNSET

EXAMPLES = Path(__file__).parents[1] / "examples"
T = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENDS = {"trig": "trig", "nquads": "nq", "jsonld": "jsonld", "json": "json"}
USER = "åsa.k@example.se"


def content(graph):
    """Everything that a graph holds, as records."""
    return graph.nodes(), graph.turns(), graph.sessions(), graph.entities(), graph.mentions(), graph.same_as()


def comes_back(graph, folder: Path) -> None:
    before = bundle_of(graph)
    wanted = render(before, format="nquads")
    for format in FORMATS:
        path = folder / f"export.{ENDS[format]}"
        path.write_bytes(render(before, format=format))
        held = read(path)
        assert held.digest == held.found
        again = loaded(held.delta)
        assert content(again) == content(graph)
        after = bundle_of(again)
        assert render(after, format="nquads") == wanted, format
        assert after.statements == before.statements
        assert after.contradictions == before.contradictions
        texts = {turn.key: turn.text for turn in held.delta.turns}
        assert all(texts[item.turn_key][item.start : item.end] == item.quote for item in held.delta.evidence)


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(graph=stores())
def test_any_memory_comes_back_from_every_format(tmp_path_factory, graph):
    comes_back(graph, tmp_path_factory.getbasetemp())


@pytest.mark.long
@settings(max_examples=500, suppress_health_check=list(HealthCheck))
@given(graph=stores())
def test_five_hundred_memories_come_back_from_every_format(tmp_path_factory, graph):
    comes_back(graph, tmp_path_factory.getbasetemp())


# ---------------------------------------------------------------- whole memories


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A memory with acts of its owner, and exports of it."""
    sys.path.insert(0, str(EXAMPLES))
    from conversations import SESSIONS

    home = tmp_path_factory.mktemp("made")
    with Memory.open(home / "home", user=USER, clock=lambda: T) as memory:
        memory.ingest(SESSIONS)
        held = [s for s in memory.statements(status="current") if s.kind == "fact"]
        memory.confirm(held[0].id, content_hash=held[0].content_hash)
        memory.retract(held[1].id, reason='I never "said" so')
        memory.remember("I moved to Oslo. My sister Ann is called Annie.")
        memory.forget(id=held[2].id)
        for format, end in ENDS.items():
            for profile in ("audit", "access", "portability"):
                memory.export(home / f"{profile}.{end}", format=format, profile=profile)
                if profile == "audit":
                    (home / f"anchor.{end}").write_text(memory.anchor())
        (home / "answers").write_text(json.dumps(answers(memory)))
        (home / "canonical").write_bytes(memory.dump(format="nquads"))
    return home


def answers(memory):
    return {
        "statements": [s.model_dump(mode="json") for s in memory.statements()],
        "then": [s.model_dump(mode="json") for s in memory.statements(as_of=T - timedelta(days=400))],
        "changes": [c.model_dump(mode="json") for c in memory.changes() if c.type != "erased"],
        "contradictions": [c.model_dump(mode="json") for c in memory.contradictions(None)],
        "sessions": [s.model_dump(mode="json") for s in memory.sessions()],
        "entities": [e.model_dump(mode="json") for e in memory.entities()],
        "profile": memory.profile(special=True).model_dump(mode="json"),
        "open items": [s.model_dump(mode="json") for s in memory.open_items()],
        "recall": [
            (hit.statement.id if hit.statement else hit.turn.id, round(hit.score, 3)) for hit in memory.recall("home").hits
        ],
    }


def named(data: bytes) -> list[str]:
    """The lines of the named graphs, of which the digest is taken."""
    return rdf.named_lines(data.decode().split("\n"))


@pytest.mark.parametrize("end", ENDS.values())
def test_an_audit_export_gives_the_same_memory_with_a_ledger_of_its_own(made, tmp_path, end):
    with Memory.restore(made / f"audit.{end}", home=tmp_path / "new", clock=lambda: T) as memory:
        assert json.loads(json.dumps(answers(memory))) == json.loads((made / "answers").read_text())
        assert named(memory.dump(format="nquads")) == named((made / "canonical").read_bytes())
        report = memory.verify()
        assert report.problems == () and report.quotes_checked
        first = next(iter(memory._space.ledger.entries()))
        assert first.type == "imported"
        assert first.body["proved"] is True
        assert first.body["ledger_head"] == (made / f"anchor.{end}").read_text().split(":")[1]
    # The graph can be built anew from what was written.
    with Memory.open(tmp_path / "new", user=USER, clock=lambda: T) as memory:
        memory.rebuild()
        assert named(memory.dump(format="nquads")) == named((made / "canonical").read_bytes())


def test_without_its_ledger_a_confirmation_is_not_believed(made, tmp_path):
    with Memory.restore(made / "access.trig", home=tmp_path / "new", clock=lambda: T) as memory:
        assert {s.tier for s in memory.statements()} <= {"inferred", "stated"}
        assert "only an audit export" in memory.notices[0]
        assert len(memory.statements()) == len(json.loads((made / "answers").read_text())["statements"])
        assert memory.verify().problems == ()


def test_what_was_provided_can_be_carried_elsewhere(made, tmp_path):
    with Memory.restore(made / "portability.jsonld", home=tmp_path / "new", clock=lambda: T) as memory:
        found = memory.statements()
        assert found and all(s.tier == "stated" and s.evidence for s in found)
        assert memory.verify().problems == ()


def test_a_session_that_was_brought_along_adds_nothing_when_it_is_told_again(made, tmp_path):
    from conversations import SESSIONS

    with Memory.restore(made / "audit.nq", home=tmp_path / "new", clock=lambda: T) as memory:
        before = memory.statements()
        memory.ingest(SESSIONS)
        assert memory.statements() == before


def test_an_anchor_must_be_of_the_ledger_in_the_file(made, tmp_path):
    anchor = (made / "anchor.trig").read_text()
    Memory.restore(made / "audit.trig", home=tmp_path / "a", anchor=anchor).close()
    other = anchor[:-1] + ("0" if anchor[-1] != "0" else "1")
    for wrong in (other, "9" + anchor):
        with pytest.raises(InputError, match="anchored ledger"):
            Memory.restore(made / "audit.trig", home=tmp_path / "b", anchor=wrong)
    with pytest.raises(InputError, match="export it as audit"):
        Memory.restore(made / "access.trig", home=tmp_path / "b", anchor=anchor)
    with pytest.raises(InputError, match="is no anchor"):
        Memory.restore(made / "audit.trig", home=tmp_path / "b", anchor="xyz")
    assert not list((tmp_path / "b").glob("*"))


def test_an_export_of_what_was_known_then_names_nothing_of_later_and_comes_back(tmp_path):
    now = [T]

    def clock():
        now[0] += timedelta(minutes=1)
        return now[0]

    with Memory.open(tmp_path / "home", user="u", clock=clock) as memory:
        memory.remember("I live in Oslo.")
        then = clock()
        memory.remember("I moved to Bergen.")
        for format, end in ENDS.items():
            path = memory.export(tmp_path / f"then.{end}", format=format, profile="audit", known_at=then)
            assert "Bergen" not in path.read_text(), format
            with Memory.restore(path, home=tmp_path / end, clock=clock) as again:
                assert [s.object for s in again.statements(status="current")] == ["Oslo"]
                assert again.statements() == memory.statements(known_at=then)


def test_an_export_of_before_an_erasure_comes_back_without_what_was_erased(tmp_path):
    now = [T]

    def clock():
        now[0] += timedelta(minutes=1)
        return now[0]

    with Memory.open(tmp_path / "home", user="u", clock=clock) as memory:
        kept = memory.remember("I live in Oslo.")
        memory.confirm(kept.id, content_hash=kept.content_hash)
        gone = memory.remember("I am allergic to nuts.")
        then = clock()
        memory.forget(id=gone.id)
        for format, end in ENDS.items():
            path = memory.export(tmp_path / f"then.{end}", format=format, profile="audit", known_at=then)
            with Memory.restore(path, home=tmp_path / end, clock=clock) as again:
                assert [(s.object, s.tier) for s in again.statements()] == [("Oslo", "stated")], format
                assert "was erased after" in again.notices[0] and "export without known_at" in again.notices[0]
                assert "confirmed" in again.notices[1]
                assert again.verify().problems == ()
            if end == "json":
                said = json.loads(path.read_text())
                said["known_at"] = said["exported_at"]
                path.write_text(json.dumps(said | {"digest": digest_of(said)}))
                with pytest.raises(InputError, match="no erasure in the file names it"):
                    Memory.restore(path, home=tmp_path / "never")


def test_an_export_takes_nobodys_place(made, tmp_path):
    Memory.restore(made / "audit.trig", home=tmp_path).close()
    with pytest.raises(InputError, match="already"):
        Memory.restore(made / "audit.trig", home=tmp_path)
    with pytest.raises(InputError, match="cannot replace"):
        Memory.restore(made / "audit.trig", home=tmp_path, replace=True)
    with pytest.raises(InputError, match="another user"):
        Memory.restore(made / "audit.trig", home=tmp_path, user="mallory")
    with Memory.restore(made / "audit.trig", home=tmp_path, space="copy") as memory:
        assert memory.profile().space == "copy"


def test_what_was_erased_since_the_export_stays_erased(made, tmp_path):
    import shutil

    shutil.copytree(made / "home", tmp_path / "home")
    with Memory.open(tmp_path / "home", user=USER) as memory:
        gone = next(s for s in memory.statements() if s.object == "Oslo")
        memory.forget(id=gone.id)
    with Memory.restore(made / "audit.trig", home=tmp_path / "home", space="copy") as memory:
        assert gone.id not in {s.id for s in memory.statements()}
        assert "erased again" in memory.notices[0]


# ---------------------------------------------------------------- files that were altered


def rewritten(made, name: str, change) -> str:
    """A JSON export with a change, and the digest that goes with it: what a forger would hand over."""
    said = json.loads((made / f"{name}.json").read_text())
    change(said)
    said["digest"] = digest_of(said)
    return json.dumps(said)


def other_words(said):
    said["records"]["evidence"][0]["quote"] = "I moved to Paris."


def higher_tier(said):
    item = next(e for e in said["records"]["evidence"] if e["tier"] == "stated")
    item["tier"] = "confirmed"


def other_role(said):
    turn = said["sessions"][0]["turns"][1]
    assert turn["role"] == "assistant"
    turn["role"] = "user"
    said["records"]["evidence"][0]["role"] = "assistant"


def no_quote(said):
    gone = said["records"]["statements"][0]["id"]
    said["records"]["evidence"] = [e for e in said["records"]["evidence"] if e["statement"] != gone]


def confirmed_by_itself(said):
    said["records"]["statements"][0]["tier"] = "confirmed"


def other_statement(said):
    said["records"]["statements"][0]["text"] = "User lives in Mars"


def other_object(said):
    said["records"]["statements"][0]["object"] = "Mars"


def control_character(said):
    said["sessions"][0]["turns"][-1]["text"] += "\u0000"


@pytest.mark.parametrize(
    "change",
    [other_words, higher_tier, other_role, no_quote, confirmed_by_itself, other_statement, other_object, control_character],
)
def test_quote_or_nothing_also_in_a_file_with_a_digest_of_its_own(made, tmp_path, change):
    path = tmp_path / "forged.json"
    path.write_text(rewritten(made, "access", change))
    with pytest.raises(InputError, match=r"nothing was taken|no memory stores"):
        Memory.restore(path, home=tmp_path / "new")
    assert not list((tmp_path / "new").glob("*"))


def statement_twice(said):
    said["records"]["statements"].append(said["records"]["statements"][0] | {"text": "User lives in Mars"})


def session_twice(said):
    said["sessions"].append(said["sessions"][0])


def two_turns_in_one_place(said):
    said["positions"][said["sessions"][0]["id"]] = [0] * len(said["sessions"][0]["turns"])


def place_beyond_all(said):
    _, *others = said["positions"][said["sessions"][0]["id"]]
    said["positions"][said["sessions"][0]["id"]] = [*others, 10**30] if others else [10**30]


def link_to_nothing(said):
    said["records"]["links"][0]["source"] = "s_nothing"


def entity_of_nobody(said):
    said["records"]["mentions"][0]["entity"] = "n_nothing"


def quote_for_nothing(said):
    said["records"]["evidence"].append(said["records"]["evidence"][0] | {"id": "e_other", "statement": "s_nothing"})


@pytest.mark.parametrize(
    "change",
    [
        statement_twice,
        session_twice,
        two_turns_in_one_place,
        place_beyond_all,
        link_to_nothing,
        entity_of_nobody,
        quote_for_nothing,
    ],
)
@pytest.mark.parametrize("profile", ["access", "audit"])
def test_records_that_do_not_hang_together_are_refused_and_leave_nothing(made, tmp_path, profile, change):
    path = tmp_path / "forged.json"
    path.write_text(rewritten(made, profile, change))
    with pytest.raises(InputError):
        Memory.restore(path, home=tmp_path / "new")
    assert not list((tmp_path / "new").glob("*"))


def confirm_another(said):
    item = dict(said["records"]["confirmations"][0])
    other = next(s for s in said["records"]["statements"] if s["id"] != item["statement"])
    said["records"]["confirmations"].append(item | {"statement": other["id"], "content_hash": other["content_hash"]})


def other_value(said):
    said["records"]["statements"][0]["object"] = "Paris"


def other_turn(said):
    said["sessions"][0]["turns"][-1]["text"] += " And more."


@pytest.mark.parametrize("change", [confirm_another, other_value, other_turn])
def test_an_audit_export_must_say_what_its_ledger_holds(made, tmp_path, change):
    path = tmp_path / "forged.json"
    path.write_text(rewritten(made, "audit", change))
    with pytest.raises(InputError, match="not what its ledger holds"):
        Memory.restore(path, home=tmp_path / "new")


def test_an_audit_export_must_not_leave_out_what_ended_a_statement(tmp_path):
    said = ["I live in Lisbon.", "I moved to Porto.", "My budget is now $500."]
    turns = [{"role": "user", "text": text} for text in said]
    with Memory.open(tmp_path / "old", user="u", clock=lambda: T) as memory:
        for day, turn in enumerate(turns, 1):
            memory.ingest({"id": f"s{day}", "started": f"2026-05-0{day}T10:00:00+00:00", "turns": [turn]})
        budget = next(s for s in memory.statements() if "budget" in s.text and s.predicate != "session")
        memory.retract(budget.id, reason="wrong")
        whole = json.loads(memory.export(tmp_path / "whole.json", format="json", profile="audit").read_text())
    for name in ("links", "retirements"):
        left = whole | {"records": whole["records"] | {name: []}}
        left["digest"] = digest_of(left)
        path = tmp_path / f"without {name}.json"
        path.write_text(json.dumps(left))
        with pytest.raises(InputError, match="leaves out"):
            Memory.restore(path, home=tmp_path / "new")
    Memory.restore(tmp_path / "whole.json", home=tmp_path / "new").close()


def cut(said):
    said["ledger"].pop()


def gap(said):
    said["ledger"].pop(3)


def other_payload(said):
    entry = next(e for e in said["ledger"] if e["payload"])
    entry["payload"] = entry["payload"].replace("u", "v")


def blanked(said):
    entry = next(e for e in said["ledger"] if e["type"] == "statement recorded" and e["payload"])
    entry["payload"] = entry["salt"] = None


@pytest.mark.parametrize("change", [cut, gap, other_payload, blanked])
def test_the_chain_of_an_audit_export_is_followed(made, tmp_path, change):
    path = tmp_path / "forged.json"
    path.write_text(rewritten(made, "audit", change))
    with pytest.raises(InputError, match=r"ledger|entry \d+"):
        Memory.restore(path, home=tmp_path / "new")


@pytest.mark.parametrize("end", ENDS.values())
def test_an_altered_file_is_known_by_its_digest(made, tmp_path, end):
    path = tmp_path / f"altered.{end}"
    text = (made / f"access.{end}").read_text()
    assert "Oslo" in text
    path.write_text(text.replace("Oslo", "Osla"))
    with pytest.raises(InputError, match="altered or cut short"):
        Memory.restore(path, home=tmp_path / "new")


@pytest.mark.parametrize("text", ["", "{}", "[]", "<a> <b> .", "@prefix", '{"graphmem": 1, "records": {}}', "\x00\x01", "PK"])
@pytest.mark.parametrize("end", ENDS.values())
def test_what_is_no_export_is_refused_in_one_line(tmp_path, capfd, text, end):
    path = tmp_path / f"x.{end}"
    path.write_text(text)
    assert run(["restore", str(path), "--home", str(tmp_path / "new")]) == 2
    out, err = capfd.readouterr()
    assert out == "" and len(err.strip().split("\n")) == 1 and str(path) in err
    assert not list((tmp_path / "new").glob("*"))


@pytest.mark.parametrize("end", ["trig", "nq", "jsonld"])
@pytest.mark.parametrize(
    ("was", "put"),
    [
        ("//schema.org/", "//schema.{org/"),
        ("session/", "ses^sion/"),
        ("2026-", "99992026-"),
        ("2026-", "20-26-"),
    ],
)
def test_names_and_times_that_are_none_are_refused_in_one_line(made, tmp_path, capfd, end, was, put):
    path = tmp_path / f"odd.{end}"
    text = (made / f"access.{end}").read_text()
    assert was in text
    path.write_text(text.replace(was, put))
    assert run(["restore", str(path), "--home", str(tmp_path / "new")]) == 2
    out, err = capfd.readouterr()
    assert out == "" and len(err.strip().split("\n")) == 1 and str(path) in err
    assert not list((tmp_path / "new").glob("*"))


@pytest.mark.parametrize("name", ["user", "space", "profile", "exported_at", "ledger_head"])
def test_whose_memory_a_json_export_is_counts_in_its_digest(made, tmp_path, name):
    said = json.loads((made / "audit.json").read_text())
    said[name] += "x"
    path = tmp_path / "renamed.json"
    path.write_text(json.dumps(said, ensure_ascii=False))
    with pytest.raises(InputError, match=r"altered or cut short|is no JSON export"):
        Memory.restore(path, home=tmp_path / "new")


# ---------------------------------------------------------------- somebody else's RDF

FOREIGN = """
@prefix gm: <https://w3id.org/graphmem/ns#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix oa: <http://www.w3.org/ns/oa#> .
@prefix schema: <https://schema.org/> . @prefix dcterms: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <https://other.example/> .
:me dcterms:identifier "noor" .
:s a gm:Session ; dcterms:identifier "chat 7" .
:m a gm:Message ; dcterms:isPartOf :s ; schema:position 0 ; schema:dateSent "2026-01-05T10:00:00+00:00"^^xsd:dateTime ;
  gm:speakerRole gm:UserRole ; schema:text "I live in Turku. Bergen was cold." .
:f1 a gm:Fact, rdf:Statement ; rdf:subject :me ; rdf:predicate gm:livesIn ; rdf:object "Turku" ; prov:wasDerivedFrom :e1 .
:e1 oa:hasSource :m ; oa:hasSelector :q1 ; gm:evidenceKind gm:Confirmation . :q1 oa:exact "I live in Turku." .
:f2 a gm:Fact, rdf:Statement ; rdf:subject :me ; rdf:predicate gm:worksAt ; rdf:object "Bergen" ; prov:wasDerivedFrom :e2 .
:e2 oa:hasSource :m ; oa:hasSelector :q2 . :q2 oa:exact "Bergen was cold." .
:f3 a gm:Fact, rdf:Statement ; rdf:subject :me ; rdf:predicate gm:worksAt ; rdf:object "Nokia" ; prov:wasDerivedFrom :e3 .
:e3 oa:hasSource :m ; oa:hasSelector :q3 . :q3 oa:exact "I work at Nokia." .
:f4 a gm:Fact, rdf:Statement ; rdf:subject :me ; rdf:predicate gm:likes ; rdf:object "snow" ; gm:tier gm:Confirmed .
"""


def test_a_strangers_rdf_comes_in_at_the_tier_that_its_quotes_allow(tmp_path):
    path = tmp_path / "other.ttl"
    path.write_text(FOREIGN)
    with Memory.restore(path, home=tmp_path / "new", user="noor", foreign=True, format="trig") as memory:
        found = {(s.predicate, s.object): s.tier for s in memory.statements() if s.details.get("type") != "session"}
        assert found == {("lives_in", "Turku"): "stated", ("works_at", "Bergen"): "inferred"}
        assert memory.statements()[0].evidence[0].session == "chat 7"
        assert {"quote_not_found" in notice for notice in memory.notices} == {True, False}
        assert memory.verify().problems == ()


def test_a_strangers_place_that_is_no_number_is_refused(tmp_path):
    path = tmp_path / "odd.ttl.trig"
    path.write_text(FOREIGN.replace("schema:position 0", 'schema:position "first"'))
    with pytest.raises(InputError, match="schema:position"):
        Memory.restore(path, home=tmp_path / "new", user="noor", foreign=True)


def test_a_strangers_rdf_is_taken_only_as_one(tmp_path):
    path = tmp_path / "other.trig"
    path.write_text(FOREIGN)
    with pytest.raises(InputError, match="--foreign"):
        Memory.restore(path, home=tmp_path / "new", user="noor")
    with pytest.raises(InputError, match="name the user"):
        Memory.restore(path, home=tmp_path / "new", foreign=True)
    path.write_text("@prefix : <https://e/> . :a :b :c .")
    with pytest.raises(InputError, match="no messages"):
        Memory.restore(path, home=tmp_path / "new", user="noor", foreign=True)


def test_an_altered_export_can_still_come_in_as_a_strangers(made, tmp_path):
    path = tmp_path / "altered.trig"
    path.write_text((made / "access.trig").read_text().replace("Oslo", "Osla"))
    with Memory.restore(path, home=tmp_path / "new", user=USER, foreign=True) as memory:
        assert {s.tier for s in memory.statements()} <= {"inferred", "stated"}
        assert memory.verify().problems == ()


# ---------------------------------------------------------------- odd names and hostile words

HOSTILE = (
    'I live in Oslo. "quotes" \\ and \n newlines \r\n\t """ <b>&amp; {x} @en ^^<y> . '
    "\u202ertl\u202c \u2028 \x00 \ud800 \udc00 😀 e\u0301 "
)


@pytest.mark.parametrize("user", ["åsa.k@example.se", "a b", "..", "😀", "x" * 300, "a/b%2F", '<">', "e\u0301", "\u202ex"])
def test_an_odd_user_with_hostile_words_loses_no_line(tmp_path, user):
    with Memory.open(tmp_path / "home", user=user, clock=lambda: T) as memory:
        turn = {"id": 't"1\n', "role": "user", "speaker": "<Å> \u202e", "text": HOSTILE, "time": T.isoformat()}
        memory.ingest({"id": "s /..#", "started": T.isoformat(), "turns": [turn]})
        assert memory.statements()
        wanted = named(memory.dump(format="nquads"))
        path = memory.export(tmp_path / "x.trig", profile="audit")
        with Memory.restore(path, home=tmp_path / "new", clock=lambda: T) as again:
            assert again.profile().user == user
            assert again.statements() == memory.statements()
            assert named(again.dump(format="nquads")) == wanted


@pytest.mark.parametrize("user", ["", " ", "\x00", "\ud800", "*", "x" * 1025])
def test_a_user_that_cannot_be_written_is_refused_in_one_line(tmp_path, user):
    with pytest.raises(InputError) as told:
        Memory.open(tmp_path, user=user)
    assert len(str(told.value).split("\n")) == 1


# ---------------------------------------------------------------- what no ledger proves


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """An export without its ledger, of a memory in which everything is the owner's word."""
    folder = tmp_path_factory.mktemp("plain")
    said = [
        [("user", "I live in Lisbon. I have a dog."), ("assistant", "I live in Rome.")],
        [("user", "I moved to Porto. I am allergic to nuts, and I like tea.")],
    ]
    with Memory.open(folder / "old", user="u", clock=lambda: T) as memory:
        for day, turns in enumerate(said, 1):
            own = [{"id": f"t{n}", "role": role, "text": text} for n, (role, text) in enumerate(turns)]
            memory.ingest({"id": f"s{day}", "started": f"2026-05-0{day}T10:00:00+00:00", "turns": own})
        memory.remember("the spare key is under the pot")
        memory.correct(next(s.id for s in memory.statements() if "dog" in s.object), "a parrot")
        memory.export(folder / "access.json", format="json")
        memory.export(folder / "access.nq", format="nquads")
    return folder


def test_an_own_export_without_its_ledger_comes_back_to_the_byte(plain, tmp_path):
    with Memory.restore(plain / "access.nq", home=tmp_path / "new", clock=lambda: T) as memory:
        assert memory.notices == (UNSET,)
        assert named(memory.dump(format="nquads")) == named((plain / "access.nq").read_bytes())


def of(said, value):
    record = next(s for s in said["records"]["statements"] if value in s["object"] and s["predicate"] != "session")
    return record, next(e for e in said["records"]["evidence"] if e["statement"] == record["id"])


def another_quote(said):
    """Words that stand there, and say something else."""
    text = said["sessions"][1]["turns"][0]["text"]
    _, proof = of(said, "Porto")
    proof["quote"] = "I like tea"
    proof["start"] = text.index(proof["quote"])
    proof["end"] = proof["start"] + len(proof["quote"])


def another_text(said):
    """The turn says something else at the same place, and so does the quote."""
    turn = said["sessions"][1]["turns"][0]
    _, proof = of(said, "Porto")
    quote = "I hated Porto"
    turn["text"] = turn["text"].replace(proof["quote"], quote, 1)
    for item in said["records"]["evidence"]:
        if item["turn_key"] == proof["turn_key"]:
            item["quote"] = item["quote"].replace(proof["quote"], quote, 1) if item is proof else item["quote"]
            item["start"] = turn["text"].find(item["quote"])
            item["end"] = item["start"] + len(item["quote"])
    said["records"]["evidence"] = [e for e in said["records"]["evidence"] if e["start"] >= 0]


def another_relation(said):
    from graphmem.admission import lasting
    from graphmem.records import StatementRecord

    record, _ = of(said, "tea")
    new = StatementRecord.model_validate(
        record | {"predicate": "allergic_to", "kind": "fact", "text": "User is allergic to tea"}
    )
    made = lasting(new, new.valid_from, new.valid_to, new.valid_granularity)
    record |= made.model_dump(mode="json")


@pytest.mark.parametrize(("change", "value"), [(another_quote, "Porto"), (another_text, "Porto"), (another_relation, "tea")])
def test_what_no_words_of_a_file_say_comes_back_as_a_suggestion_and_ends_nothing(plain, tmp_path, change, value):
    path = tmp_path / "forged.json"
    path.write_text(rewritten(plain, "access", change))
    with Memory.restore(path, home=tmp_path / "new", clock=lambda: T) as memory:
        found = {s.object: s for s in memory.statements() if s.predicate != "session"}
        assert found[value].tier == "inferred"
        assert found[value].status == "suggested"
        assert {name for name, s in found.items() if s.tier == "stated"} >= {"Lisbon", "nuts", "a parrot"} - {value}
        assert (found["Lisbon"].status == "current") is (value == "Porto"), "a suggestion takes nobody's place"
        assert "no words that they quote say them" in memory.notices[0]
        assert not any(value in s.text for s in memory.statements(status="current")), "nor does a summary repeat it"
        assert memory.verify().problems == ()
        first = next(iter(memory._space.ledger.entries()))
        assert first.body["proved"] is False


# ---------------------------------------------------------------- what comes along beside the records


def test_what_was_refused_waits_was_answered_or_looked_at_comes_along_with_an_audit_export(tmp_path):
    from graphmem.access import Access, accesses
    from graphmem.embed import DEFAULT, embedder
    from graphmem.extractors.base import Claim, Extraction
    from graphmem.extractors.rules import RuleExtractor
    from graphmem.ingest import Ingestion
    from graphmem.model import Session, Turn
    from graphmem.queue import waiting_sessions

    class Mistaken(RuleExtractor):
        """Proposes a quote and no value."""

        def extract(self, session):
            wrong = Claim(turn="t1", start=0, end=4, quote="Good", kind="fact", predicate="likes", object=" ", rule="x")
            return Extraction((wrong,), ())

    def told(id_, text):
        return Session(id=id_, started=T, turns=(Turn(id="t1", role="user", text=text, time=T),), offset_minutes=120)

    path = tmp_path / "audit.json"
    later = T + timedelta(days=1)
    with Memory.open(tmp_path / "old", user="u", clock=lambda: T) as memory:
        memory.ingest(told("s1", "I might have a cat. I live in Oslo."))
        refused = memory.ingest(told("s2", "Good morning to you."), extractor=Mistaken()).rejected
        assert [item.reason for item in refused] == ["object_empty"]
        Ingestion(memory._space, extractor=RuleExtractor(), embedder=embedder(DEFAULT)).queue(told("s3", "I like tea."))
        question = memory.open_questions()[0]
        memory.retract(question.statements[0].id, reason="no", question=question.id)
        held = memory.statements()[0]
        memory.forget(id=memory.remember("I am called Ann.").id)
        memory.trace(held.id, purpose="complaint 7", actor="eva", role="auditor")
        memory.export(path, format="json", profile="audit")
    with Memory.restore(path, home=tmp_path / "new", clock=lambda: later) as memory:
        space = memory._space
        assert memory.open_questions() == []
        assert [e.body["rejected"][0]["reason"] for e in space.ledger.of_type("claims rejected")] == ["object_empty"]
        assert [e.subjects[1:] for e in space.ledger.of_type("question answered")] == [(question.statements[0].id,)]
        assert accesses(space.ledger) == [Access(T, "eva", "auditor", "complaint 7", f"trace {held.id}")]
        waiting = waiting_sessions(space.ledger, space.graph)
        assert [(one.id, one.turns[0].text, one.offset_minutes) for one in waiting] == [("s3", "I like tea.", 120)]
        assert memory.notices == ("1 erasures of the old ledger do not come along: keep the export, which tells of them",)
        assert next(iter(space.ledger.entries())).body["left_behind"] == list(memory.notices)
        assert "tea" not in {s.object for s in memory.statements()}
        memory.extract()
        assert "tea" in {s.object for s in memory.statements()}, "what waited is read where it was brought to"
        assert memory.verify().problems == ()
