"""Forgetting as an owner meets it: what can be named, what is refused from then on, and how it is allowed again."""

from __future__ import annotations

import json
import os
import random
import shutil
import unicodedata
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_parts import small_parts

from graphmem import Memory, failpoints
from graphmem.access import accesses
from graphmem.cli import run
from graphmem.errors import ExtractionFailed, InputError, StoreError, WasForgotten
from graphmem.extractors.base import Extraction
from graphmem.extractors.rules import RuleExtractor
from graphmem.graph import generations
from graphmem.handouts import handouts
from graphmem.lifecycle import erase
from graphmem.records import ERASED
from graphmem.register import Register, path_of
from graphmem.tombstones import Marker, Tombs, Tombstones, entomb, norm

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def chat(name, day, *texts, role="user", **more):
    turns = [{"id": f"t{place}", "role": role, "text": text} for place, text in enumerate(texts)]
    return {"id": name, "started": f"2026-03-{day:02}T09:00:00Z", "turns": turns, **more}


TALKS = [
    chat("s1", 1, "I live in Bremen. I'm allergic to walnuts.", "My sister Anna works at Volvo."),
    chat("s2", 2, "Anna has two cats. I like green tea.", topic="Anna and her cats"),
    chat("s3", 3, "My sister loves sailing. I had dinner with Anna.", "I live in Hamburg now."),
]


@pytest.fixture(autouse=True)
def no_model():
    with small_parts(), pytest.MonkeyPatch.context() as patch:  # undone before the parts are
        patch.setattr("graphmem.memory._extractor", lambda name: RuleExtractor())
        yield


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with Memory.open(home, user="u", clock=lambda: NOW) as opened:
        opened.ingest(TALKS)
        yield opened


def by(memory, words):
    return next(s for s in memory.statements() if words in s.text and s.details.get("type") != "session")


def told(memory):
    graph = memory._space.graph
    texts = [s.text for s in memory.statements()] + [turn.text for turn in graph.turns()]
    texts += [entity.name for entity in graph.entities()] + [str(one.topic) for one in graph.sessions()]
    return "\n".join(texts)


# ---------------------------------------------------------------------- what can be named


def test_a_person_goes_by_any_name_with_names_sentences_summaries_and_topics(memory):
    receipt = memory.forget(entity="Anna")
    assert (receipt.residue_hits, receipt.control_missed) == (0, 0)
    assert receipt.control_hits > 10
    left = told(memory)
    assert not any(word in left for word in ("Anna", "sister", "Volvo", "cats", "sailing", "dinner"))
    assert all(word in left for word in ("Bremen", "walnuts", "green tea", "Hamburg"))
    assert memory.verify().problems == ()
    assert "Anna" not in json.dumps(receipt.model_dump(mode="json"))


def test_the_owner_is_no_entity_to_forget(memory):
    with pytest.raises(InputError, match="owner"):
        memory.forget(entity="user")


def test_the_last_hours_go_and_what_they_had_superseded_holds_again(memory):
    assert by(memory, "Bremen").status == "superseded"
    memory.forget(last=timedelta(days=6, hours=5))
    assert "Hamburg" not in told(memory)
    assert by(memory, "Bremen").status == "current"
    for wrong in (timedelta(0), 3600, timedelta(days=10**6)):
        with pytest.raises(InputError, match="last"):
            memory.forget(last=wrong)


def test_a_dry_run_lists_what_would_go_and_what_is_not_reached(memory, tmp_path):
    memory.backup(tmp_path / "b.graphmem")
    memory.export(tmp_path / "e.json", format="json")
    head = memory._space.ledger.head()
    plan = memory.forget(entity="Anna", dry_run=True).plan
    assert memory._space.ledger.head() == head
    assert by(memory, "two cats").id in plan.statements
    assert len(plan.summaries) == 3
    assert ("s2", "t0", 0, 18) in plan.quotes
    assert plan.topics == ("s2",)
    assert plan.vectors >= len(plan.statements)
    assert [(item["kind"], item["profile"], item["format"]) for item in plan.handed_out] == [
        ("backup", "", ""), ("export", "access", "json"),
    ]  # fmt: skip
    assert "Anna" not in plan.model_dump_json()
    assert any("handed out" in item for item in memory.forget(entity="Anna").not_covered)


def test_a_file_that_is_handed_out_is_on_record_without_its_name(memory, tmp_path):
    memory.export(tmp_path / "for-the-dentist.nq", format="nquads", profile="portability")
    [item] = handouts(memory._space.ledger)
    assert (item.kind, item.profile, item.format, item.at) == ("export", "portability", "nquads", NOW)
    assert "dentist" not in str([entry.body for entry in memory._space.ledger.entries()])


# ---------------------------------------------------------------------- derivatives


def test_looks_and_uses_lose_what_they_named(memory):
    gone, stays = by(memory, "walnuts"), by(memory, "green tea")
    memory.trace(gone.id, purpose="to see whether walnuts are meant", actor="eva")
    memory.trace(stays.id, purpose="complaint 7", actor="eva")
    memory.look("export", purpose="because I'm allergic to walnuts", actor="max")
    found = memory.recall("What about walnuts?", min_score=0)
    memory.note_use(found, [hit for hit in found.hits if hit.statement is not None][:1])
    receipt = memory.forget(id=gone.id)
    assert (receipt.counts["looks"], receipt.residue_hits, receipt.control_missed) == (2, 0, 0)
    looks = [(look.actor, look.at, look.purpose) for look in accesses(memory._space.ledger)]
    assert sorted(looks) == [("eva", NOW, ""), ("eva", NOW, "complaint 7"), ("max", NOW, "")]
    assert "walnuts" not in str([entry.body for entry in memory._space.ledger.entries()])


def test_a_turn_that_waits_for_extraction_waits_no_more_once_it_is_gone(memory):
    class Fails:
        name, version = "fails", "1"

        def extract(self, session):
            raise ExtractionFailed("down", "the model is not there")

    memory.ingest(chat("s7", 7, "I keep bees in the garden."), extractor=Fails())
    memory.forget(session="s7")
    assert memory.extract(extractor=Fails()).waiting == ()


def test_what_is_forgotten_goes_from_turns_that_wait_for_extraction_too(memory):
    class Fails:
        name, version = "fails", "1"

        def extract(self, session):
            raise ExtractionFailed("down", "the model is not there")

    memory.ingest(chat("s7", 7, "Hello. I'm allergic to WALNUTS! I keep bees in the garden."), extractor=Fails())
    receipt = memory.forget(id=by(memory, "walnuts").id)
    assert (receipt.residue_hits, receipt.control_missed) == (0, 0)
    [turn] = [turn for turn in memory._space.graph.turns() if turn.session == "s7"]
    assert turn.text == f"Hello. {ERASED * 23}! I keep bees in the garden."
    memory.extract(extractor=RuleExtractor())
    assert "walnuts" not in "".join(s.text for s in memory.statements()) and "bees" in told(memory)
    assert memory.verify().problems == ()


# ---------------------------------------------------------------------- known again


def test_the_same_words_are_refused_in_whatever_form_and_kept_when_allowed(memory):
    old = by(memory, "walnuts").id
    memory.forget(id=old)
    memory.ingest(TALKS)
    said = "By the way, I’M  ALLERGIC, to walnuts!! I bought a boat."
    report = memory.ingest(chat("s8", 8, said))
    assert [(item.reason, item.quote, item.turn) for item in report.rejected] == [("erased", "", "t0")]
    [turn] = [turn for turn in memory._space.graph.turns() if turn.session == "s8"]
    assert turn.text == "By the way, " + ERASED * len("I’M  ALLERGIC, to walnuts") + "!! I bought a boat."
    assert "boat" in told(memory)
    with pytest.raises(WasForgotten, match="allow"):
        memory.remember("I'm allergic to walnuts")
    with pytest.raises(WasForgotten, match="allow"):
        memory.correct(memory.remember("I'm allergic to bees").id, "I'm allergic to walnuts")
    assert "walnuts" not in told(memory)
    new = memory.remember("I'm allergic to walnuts", allow=True)
    assert new.id != old
    assert memory.ingest(chat("s9", 9, "I'm allergic to walnuts.")).corroborated == (new.id,)
    memory.forget(id=new.id)
    assert memory.ingest(chat("s10", 9, "I'm allergic to walnuts.")).rejected[0].reason == "erased"
    assert memory.verify().problems == ()


def test_the_same_statement_in_other_words_is_refused_where_it_comes_to_the_same(memory):
    memory.forget(id=by(memory, "Hamburg").id)
    report = memory.ingest(chat("s8", 8, "I am living in Hamburg."))
    assert [item.reason for item in report.rejected] == ["erased"]
    assert "Hamburg" not in told(memory)


def test_an_agent_cannot_propose_what_was_forgotten(memory):
    memory.ingest(chat("s8", 8, "Do you know that walnuts make me sneeze?"))
    memory.forget(id=by(memory, "walnuts").id)
    claim = {"turn": "t0", "quote": "I'm allergic to walnuts", "predicate": "allergic_to", "object": "walnuts"}
    memory.ingest(chat("s9", 9, "Something else entirely."))
    report = memory.propose([claim], session="s9")
    assert report.recorded == ()
    assert "walnuts" not in str(report.rejected)


def test_what_waits_for_extraction_is_refused_too(memory):
    memory.forget(id=by(memory, "walnuts").id)

    class Slow:
        name, version = "slow", "1"
        seen = ""

        def extract(self, session):
            self.seen = session.turns[0].text
            return Extraction(RuleExtractor().extract(session).claims, ())

    slow = Slow()
    report = memory.ingest(chat("s8", 8, "I'm allergic to walnuts. I own a canoe."), extractor=slow)
    assert slow.seen == ERASED * 23 + ". I own a canoe."
    assert [item.reason for item in report.rejected] == ["erased"]
    assert "walnuts" not in told(memory)
    assert "canoe" in told(memory)


def test_a_few_words_alone_are_no_reason_to_refuse_a_turn(memory):
    memory.ingest(chat("s8", 8, "Where should we go?", "Lisbon."))
    memory.forget(session="s8")
    memory.ingest(chat("s9", 9, "I flew to Lisbon."))
    assert "Lisbon" in told(memory)


def test_what_merely_expired_may_be_said_again(memory):
    gone = by(memory, "walnuts").id
    with memory._space.writing():
        erase.erase(memory._space, erase.Scope(frozenset({gone}), frozenset()), named={"expired": True}, refused=False)
    assert "walnuts" not in told(memory)
    assert memory.ingest(chat("s8", 8, "I'm allergic to walnuts.")).rejected == ()
    assert "walnuts" in told(memory)


# ---------------------------------------------------------------------- the register


def test_the_register_lies_outside_of_backups_and_holds_no_word(memory, home, tmp_path):
    memory.forget(entity="Anna")
    [path] = home.glob("*.erasures")
    said = path.read_text()
    assert path == path_of(memory._space.folder)
    assert not any(word in said for word in ("Anna", "Volvo", "cats", "sailing"))
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
    key = json.loads(said)["key"]
    with zipfile.ZipFile(memory.backup(tmp_path / "b.graphmem")) as packed:
        data = b"".join(packed.read(name) for name in packed.namelist())
    assert key.encode() not in data and bytes.fromhex(key) not in data


def test_a_removed_memory_restored_from_an_old_backup_comes_back_without_what_was_forgotten(memory, home, tmp_path):
    file = memory.backup(tmp_path / "b.graphmem")
    memory.forget(entity="Anna")
    expected = told(memory)
    memory.close()
    shutil.rmtree(memory._space.folder)
    with Memory.restore(file, home=home, clock=lambda: NOW) as back:
        assert told(back) == expected
        assert any("erased again" in notice for notice in back.notices)
        assert back.ingest(chat("s8", 8, "Anna has two cats.")).rejected[0].reason == "erased"
        assert back.verify().problems == ()


def test_the_name_of_a_channel_is_known_again_like_that_of_a_topic(memory, home, tmp_path):
    call = chat("s4", 4, "I like walking.", channel="Anna's phone")
    memory.ingest([call, chat("s5", 5, "I own a canoe.", channel="desk")])
    file = memory.backup(tmp_path / "b.graphmem")
    memory.forget(entity="Anna")
    expected = {"s1": None, "s2": None, "s3": None, "s4": None, "s5": "desk"}
    assert {one.id: one.channel for one in memory._space.graph.sessions()} == expected
    memory.ingest(call)
    assert {one.id: one.channel for one in memory._space.graph.sessions()} == expected
    memory.close()
    for keep in (True, False):
        if not keep:
            shutil.rmtree(memory._space.folder)
        with Memory.restore(file, home=home, replace=keep, clock=lambda: NOW) as back:
            assert {one.id: one.channel for one in back._space.graph.sessions()} == expected
            assert back.verify().problems == ()
    shutil.rmtree(memory._space.folder)
    register = path_of(memory._space.folder).read_bytes()
    with Memory.open(home, user="u", clock=lambda: NOW) as anew:
        assert path_of(anew._space.folder).read_bytes() == register
        anew.ingest(call)
        assert [one.channel for one in anew._space.graph.sessions()] == [None]
        assert by(anew, "walking").status == "current"


def test_what_was_allowed_again_survives_the_restore_of_a_backup_that_has_it(memory, home, tmp_path):
    memory.forget(id=by(memory, "walnuts").id)
    new = memory.remember("I'm allergic to walnuts", allow=True)
    file = memory.backup(tmp_path / "b.graphmem")
    memory.close()
    with Memory.restore(file, home=home, replace=True) as back:
        assert by(back, "walnuts").id == new.id


def test_everything_that_was_forgotten_is_not_filled_again_where_the_folder_is_gone(memory, home, tmp_path):
    file = memory.backup(tmp_path / "b.graphmem")
    memory.forget(all=True)
    memory.ingest(TALKS)
    assert memory.statements() == []
    memory.ingest(chat("s4", 4, "I own a canoe."))
    later = memory.backup(tmp_path / "later.graphmem")
    memory.close()
    shutil.rmtree(memory._space.folder)
    with pytest.raises(InputError, match="everything"):
        Memory.restore(file, home=home)
    with Memory.restore(later, home=home) as back:
        assert [s.object for s in back.statements(kind="fact")] == ["a canoe"]


def test_a_register_that_cannot_be_read_is_told_and_nothing_is_taken_in(memory):
    memory.forget(id=by(memory, "walnuts").id)
    path_of(memory._space.folder).write_text("{")
    with pytest.raises(StoreError, match="register of erasures"):
        memory.ingest(chat("s8", 8, "I'm allergic to walnuts."))


def test_a_register_that_is_gone_is_missed_and_made_anew_from_the_ledger(memory, home):
    memory.forget(session="s3")
    memory.forget(id=by(memory, "walnuts").id)
    assert memory.verify().problems == ()
    path_of(memory._space.folder).unlink()
    assert any("is gone" in problem for problem in memory.verify().problems)
    memory.close()
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        assert any("register of erasures" in notice and "put it back" in notice for notice in again.notices)
        # The same session is known; the key by which the words were known elsewhere stood in the register alone.
        again.ingest(TALKS[2])
        assert "Hamburg" not in told(again)
        again.rebuild()
        assert any("made anew" in notice for notice in again.notices)
        assert again.verify().problems == ()
        assert len(json.loads(path_of(again._space.folder).read_text())["events"]) == 2
        assert again.ingest(chat("s8", 8, "I'm allergic to walnuts.")).rejected == ()
        # What is forgotten from now on is known by its words again.
        again.forget(id=by(again, "walnuts").id)
        assert again.ingest(chat("s9", 9, "I'm allergic to walnuts.")).rejected[0].reason == "erased"
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        assert again.notices == ()
        assert again.verify().problems == ()


ANNA = "Anna has two cats."


def older(said, before, home):
    return before


def another(said, before, home):
    with Memory.open(home, user="u", clock=lambda: NOW) as memory:
        memory.ingest(TALKS)
        memory.forget(entity="Anna")
    return path_of(memory._space.folder).read_bytes()


def changed(**what):
    return lambda said, before, home: json.dumps(json.loads(said) | what).encode()


def cut(said, before, home):
    return said[:-40]


OTHERS_REGISTERS = {
    "an older one": (older, True),
    "another memory's": (another, False),
    "one without events": (changed(events=[]), True),
    "one without a key": (changed(key=""), False),
    "one with another key": (changed(key="ab" * 32), False),
    "one that was cut": (cut, False),
    "an empty file": (lambda *_: b"", False),
    "garbage": (lambda *_: b"\xff\x00", False),
}


@pytest.mark.parametrize("kind", OTHERS_REGISTERS)
def test_a_register_that_is_not_the_last_one_is_told_until_it_is_made_anew(memory, home, tmp_path, kind):
    make, whole = OTHERS_REGISTERS[kind]
    path = path_of(memory._space.folder)
    memory.forget(id=by(memory, "walnuts").id)
    before = path.read_bytes()
    memory.forget(entity="Anna")
    wrong = make(path.read_bytes(), before, tmp_path / "another")
    memory.close()
    path.write_bytes(wrong)
    for _ in range(2):
        with Memory.open(home, user="u", clock=lambda: NOW) as again:
            assert any("register of erasures" in notice and "rebuild" in notice for notice in again.notices)
            assert any("register of erasures" in problem for problem in again.verify().problems)
            with pytest.raises(StoreError, match="register of erasures"):
                again.ingest(chat("s8", 8, ANNA))
            with pytest.raises(StoreError, match="register of erasures"):
                again.forget(session="s3")
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        again.rebuild()
        [told_] = [notice for notice in again.notices if "register of erasures" in notice]
        assert ("whole again" in told_) == whole
        aside = path.with_name(path.name + ".broken")
        assert whole != aside.exists() and (whole or aside.read_bytes() == wrong)
        assert again.verify().problems == ()
        again.ingest(TALKS)
        assert "Anna" not in told(again)
        assert bool(again.ingest(chat("s8", 8, ANNA)).rejected) == whole
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        assert again.notices == () and again.verify().problems == ()


def test_a_forget_on_top_of_a_lost_register_does_not_hide_that_it_was_lost(memory, home):
    memory.forget(entity="Anna")
    path_of(memory._space.folder).unlink()
    memory.forget(id=by(memory, "walnuts").id)
    assert any("register of erasures" in problem for problem in memory.verify().problems)
    memory.close()
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        assert any("begun anew" in notice for notice in again.notices)
        again.rebuild()
        assert again.verify().problems == ()
        assert again.ingest(chat("s8", 8, "I'm allergic to walnuts.")).rejected[0].reason == "erased"
    with Memory.open(home, user="u", clock=lambda: NOW) as again:
        assert again.notices == ()


def test_a_copy_that_is_put_back_after_all_knows_the_words_again(memory, home):
    memory.forget(entity="Anna")
    path = path_of(memory._space.folder)
    copy = path.read_bytes()
    path.unlink()
    memory.rebuild()
    path.write_bytes(copy)
    assert memory.verify().problems
    memory.rebuild()
    assert memory.verify().problems == ()
    assert memory.ingest(chat("s8", 8, ANNA)).rejected[0].reason == "erased"


def test_an_older_register_is_told_after_everything_was_forgotten_and_can_be_left_behind(memory):
    memory.forget(entity="Anna")
    path = path_of(memory._space.folder)
    before = path.read_bytes()
    memory.forget(all=True)
    path.write_bytes(before)
    assert any("register of erasures" in problem for problem in memory.verify().problems)
    memory.rebuild()
    assert any("are taken in again" in notice for notice in memory.notices)
    assert memory.verify().problems == ()


def test_an_erasure_recorded_by_an_earlier_release_is_checked_by_its_events(memory, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(erase, "_register", lambda space, **how: {})
        memory.forget(entity="Anna")
    assert memory.verify().problems == ()
    path = path_of(memory._space.folder)
    path.write_bytes(changed(events=[])(path.read_bytes(), b"", None))
    assert any("lacks 1 of its erasures" in problem for problem in memory.verify().problems)
    memory.rebuild()
    assert memory.verify().problems == ()
    assert memory.ingest(chat("s8", 8, ANNA)).rejected[0].reason == "erased"


@pytest.mark.parametrize("wrong", [None, b"{", b'{"format":"graphmem erasures","version":1,"key":"","events":[]}'])
def test_others_than_the_owner_hear_nothing_of_a_register(memory, home, wrong):
    memory.forget(entity="Anna")
    path = path_of(memory._space.folder)
    memory.close()
    path.unlink()
    if wrong is not None:
        path.write_bytes(wrong)
    with Memory.open(home, user="u", clock=lambda: NOW, role="agent", purpose="desk") as agent:
        assert agent.notices == ()
        if wrong is not None:
            with pytest.raises(StoreError) as caught:
                agent.ingest(chat("s8", 8, ANNA))
            assert str(caught.value) == "the memory cannot take in anything until its owner has looked at it"
            assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_a_forget_without_its_register_makes_one_with_all_that_the_ledger_knows(memory, home):
    memory.forget(session="s3")
    path_of(memory._space.folder).unlink()
    memory.forget(id=by(memory, "walnuts").id)
    register = Register(memory._space.folder, "u", "default")
    assert len(register.events) == 2 and len(register.ids) == sum(len(one.ids) for one in register.events)
    assert memory.ingest(chat("s8", 8, "I'm allergic to walnuts.")).rejected[0].reason == "erased"


def test_a_register_is_missed_after_everything_was_forgotten_too(memory, home):
    memory.forget(all=True)
    assert memory.verify().problems == ()
    path_of(memory._space.folder).unlink()
    assert any("is gone" in problem for problem in memory.verify().problems)


def test_what_a_backup_elsewhere_does_not_know_again_is_said_once(memory, tmp_path):
    memory.forget(session="s3")
    file = memory.backup(tmp_path / "b.graphmem")
    with Memory.restore(file, home=tmp_path / "elsewhere", clock=lambda: NOW) as back:
        assert any("made anew from the ledger" in notice for notice in back.notices)
        assert back.verify().problems == ()
        back.ingest(TALKS[2])
        assert "Hamburg" not in told(back)
    with Memory.open(tmp_path / "elsewhere", user="u", clock=lambda: NOW) as back:
        assert back.notices == ()


def test_an_older_backup_in_place_is_erased_again_without_the_register_too(memory, home, tmp_path):
    file = memory.backup(tmp_path / "b.graphmem")
    memory.forget(session="s3")
    path_of(memory._space.folder).unlink()
    memory.close()
    with Memory.restore(file, home=home, replace=True, clock=lambda: NOW) as back:
        assert "Hamburg" not in told(back)
        assert back.verify().problems == ()
        assert back.ingest(chat("s8", 8, "I live in Hamburg now.")).rejected[0].reason == "erased"


# ---------------------------------------------------------------------- stopped anywhere

STEPS = ["erase.noted", "erase.entered", "erase.blanked", "generation.before-pointer", "erase.rebuilt"]
OTHERS = ["erase.truncated", "generation.begun", "generation.after-pointer", "erase.done"]


def after_an_erasure(begun, home, monkeypatch, step):
    """What a memory is after an erasure that was stopped at a step (None: not at all) and finished by the next opening."""
    shutil.copytree(begun, home)
    how = {"user": "u", "clock": lambda: NOW, "entropy": random.Random(7).randbytes}
    left = [step]

    def reach(here):
        if here in left:
            left.remove(here)
            raise KeyboardInterrupt

    memory = Memory.open(home, **how)
    with monkeypatch.context() as patch:
        for module in (failpoints, erase, generations):
            patch.setattr(module, "reach", reach)
        if step is None:
            memory.forget(session="s2")
        else:
            with pytest.raises(KeyboardInterrupt):
                memory.forget(session="s2")
    memory.close()
    with Memory.open(home, **how) as memory:
        assert by(memory, "Bremen").status == "current"
        assert memory.verify().problems == ()
        assert "Hamburg" not in told(memory)
        entries = [(e.type, e.subjects, e.body) for e in memory._space.ledger.entries()]
        graph = {name: rows for name, rows in memory._space.graph.dump().items() if name != "Meta"}
        register = Register(memory._space.folder, "u", "default").events
        files = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"Hamburg" not in files
    return entries, graph, [event._replace(name="") for event in register]


@pytest.mark.parametrize("steps", [STEPS, pytest.param(OTHERS, marks=pytest.mark.long)], ids=["main", "others"])
def test_an_erasure_that_was_stopped_at_any_step_ends_like_one_that_was_not(tmp_path, monkeypatch, steps):
    begun = tmp_path / "begun"
    talks = [chat("s1", 1, "I live in Bremen."), chat("s2", 2, "I live in Hamburg now."), chat("s3", 3, "I like tea.")]
    with Memory.open(begun, user="u", clock=lambda: NOW) as memory:
        memory.ingest(talks)
    whole = after_an_erasure(begun, tmp_path / "whole", monkeypatch, None)
    for step in steps:
        assert after_an_erasure(begun, tmp_path / step, monkeypatch, step) == whole, step


# ---------------------------------------------------------------------- tombstones

MARKER = Marker(b"k" * 32, "u", "default")
PHRASE = "I met Zoë Šimůnek at 7 on Rue de l'Église"


def shapes(text):
    yield from (text.upper(), text.lower(), unicodedata.normalize("NFD", text), unicodedata.normalize("NFKD", text))
    yield text.replace(" ", "  \n").replace("'", "’") + " !"
    yield "\u200b".join(text)


@pytest.mark.parametrize("form", list(shapes(PHRASE)))
def test_the_same_words_are_known_in_any_form_and_found_in_their_place(form):
    assert norm(form) == norm(PHRASE)
    tombs = entomb(MARKER, statements=[("p", PHRASE)], quotes=[PHRASE], turns={})
    stones = Tombstones(MARKER, [Tombs.load(json.loads(json.dumps(tombs.dump())))])
    assert stones.statement("p", form)
    [found] = stones.passages(None, f"Well: {form} - so there.")
    assert norm(f"Well: {form} - so there."[found.start : found.end]) == norm(PHRASE)


def test_numbers_words_users_and_keys_tell_tombstones_apart():
    quote = "my pin is 4711 today"
    stones = Tombstones(MARKER, [entomb(MARKER, statements=[("p", quote)], quotes=[quote], turns={})])
    assert not stones.passages(None, "my pin is 4712 today")
    assert not stones.statement("q", quote)
    for other in (MARKER._replace(key=b"l" * 32), MARKER._replace(user="v"), MARKER._replace(space="work")):
        assert other.quote(quote) != MARKER.quote(quote)


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_a_passage_is_always_found_between_other_words(before, after, words):
    tombs = entomb(MARKER, statements=(), quotes=[words], turns={})
    stones = Tombstones(MARKER, [tombs])
    found = stones.passages(None, f"{before} . {words} . {after}")
    assert bool(found) >= bool(tombs.quotes)
    stones.lift(tombs.quotes)
    assert not stones and stones.passages(None, words) == []


# ---------------------------------------------------------------------- the command line


def test_the_command_shows_ids_and_places_and_hints_at_its_options(memory, home, capsys):
    gone = by(memory, "walnuts").id
    memory.close()

    def call(*args):
        code = run([*args, "--user", "u", "--home", str(home)])
        said = capsys.readouterr()
        return code, said.out, said.err

    def forget(*args):
        return call("forget", *args)

    code, _, err = forget(gone[:8])
    assert code == 2 and f"--id {gone[:8]}" in err
    code, out, err = forget("--entity", "Anna", "--dry-run")
    assert code == 0 and "would erase: " in out
    assert "Anna has a pet: two cats" in err and "quote in t0 of s2" in err and "summary s_" in err
    code, out, _ = forget("--id", gone[:8], "--yes")
    assert code == 0 and " 0 leftovers; the same search before found " in out
    assert forget("--last", "soon")[0] == 2
    code, _, err = call("remember", "I'm allergic to walnuts")
    assert code == 2 and "--allow-forgotten" in err
    assert call("remember", "I'm allergic to walnuts", "--allow-forgotten")[0] == 0


# ---------------------------------------------------------------------- by the time of recording, and by one selector


class Ticking:
    def __init__(self):
        self.time = NOW

    def __call__(self):
        self.time += timedelta(seconds=1)
        return self.time


def test_what_was_recorded_lately_goes_with_turns_that_gave_no_statement(home):
    clock = Ticking()
    with Memory.open(home, user="u", clock=clock) as memory:
        memory.ingest(chat("old", 1, "I live in Bremen.", "Hmm, quite grey outside."))
        clock.time += timedelta(days=1)
        memory.ingest(chat("old", 1, "I live in Bremen.", "Hmm, quite grey outside.", "What a zorblax that was!"))
        memory.ingest(chat("new", 1, "Whatever the quuxify is.", "I'm allergic to walnuts."))
        memory.forget(last=timedelta(hours=1), clock="recorded")
        text = told(memory)
        assert not any(word in text for word in ("zorblax", "quuxify", "walnuts"))
        assert "Hmm, quite grey outside." in text and by(memory, "Bremen").status == "current"


def test_what_an_agent_made_later_of_an_old_turn_goes_and_the_turn_stays(home):
    clock = Ticking()
    with Memory.open(home, user="u", clock=clock) as memory:
        memory.ingest(chat("old", 1, "I live in Bremen. My favourite colour is teal. The tram was late."))
        before = {s.id for s in memory.statements()}
        clock.time += timedelta(days=1)
        claim = {"turn": "t0", "quote": "The tram was late.", "predicate": "note", "object": "tram was late"}
        memory.propose([claim], session="old", agent="planner")
        since = NOW + timedelta(hours=12)
        assert {s.id for s in memory.statements()} != before
        memory.forget(since=since, clock="recorded")
        assert {s.id for s in memory.statements()} <= before and by(memory, "Bremen")
        assert "I live in Bremen. My favourite colour is teal." in told(memory)


def test_a_turn_whose_entry_an_erasure_emptied_is_still_found_by_the_time_of_recording(home):
    clock = Ticking()
    with Memory.open(home, user="u", clock=clock) as memory:
        memory.ingest(chat("s", 1, "I live in Bremen.", "What a zorblax that was!"))
        memory.forget(id=by(memory, "Bremen").id)
        clock.time += timedelta(days=1)
        memory.forget(since=NOW + timedelta(hours=12), clock="recorded")
        assert "zorblax" in told(memory)
        memory.forget(until=NOW + timedelta(hours=12), clock="recorded")
        assert "zorblax" not in told(memory)


@pytest.mark.parametrize(
    "named",
    [
        {"topic": "tea", "all": -1}, {"all": 1}, {"all": None}, {"all": "yes"}, {"topic": 1}, {"id": True},
        {"entity": ["Anna"]}, {"session": 7}, {"topic": "tea", "all": True}, {"topic": "tea", "all": None},
    ],
)  # fmt: skip
def test_a_request_that_is_not_one_selector_of_its_type_takes_nothing(memory, named):
    before = told(memory)
    with pytest.raises(InputError):
        memory.forget(**named)
    assert told(memory) == before


# ---------------------------------------------------------------------- whole sentences, and words in disguise


@pytest.mark.parametrize(
    ("topic", "text", "left"),
    [
        ("oncologist", "I like tea. My oncologist is Dr. Weiss at St. Anna hospital. It rained.", "I like tea. It rained."),
        ("cancer", "Folks say so (e.g. Mr. Zorro) about the cancer. It rained.", "It rained."),
        ("lupus", "It may be lupus... and maybe cancer. It rained.", "It rained."),
        ("dose", "The dose is 3.5 mg of J. R. Quill pills, i.e. Two a day! It rained.", "It rained."),
        ("Ghentzork", "I went to Neo-Ghentzork with Quill. It rained.", "It rained."),
        ("Ghentzork", "The file is Ghentzork_town_map of Quill. It rained.", "It rained."),
        ("oncologist", "The \u043enc\u043elogist is Weiss. It rained.", "It rained."),
        ("\u043enc\u043elogist", "The oncologist is Weiss. It rained.", "It rained."),
        ("Bob", "I met Bob. It rained.", "It rained."),
    ],
)
def test_a_topic_takes_its_whole_sentences_and_no_others(text, topic, left):
    from graphmem.lifecycle.closure import blanked
    from graphmem.lifecycle.scope import scope_of
    from graphmem.records import TurnRecord

    turn = TurnRecord(key="k", id="t", session="s", position=0, role="user", speaker=None, text=text, time=NOW)
    found = scope_of([], [turn], topic=topic)
    rest = blanked(text, [(start, end) for _, start, end in found.passages]).replace(ERASED, "")
    assert found.turns == frozenset() and " ".join(rest.split()) == left


def test_a_name_is_found_between_underscores_and_in_letters_that_look_alike(home):
    with Memory.open(home, user="u", clock=lambda: NOW) as memory:
        memory.ingest(
            chat("s", 1, "My sister is called Orfanna. I saw Orfanna_pics. I saw \u041erfann\u0430 there. It rained.")
        )
        memory.forget(entity="Orfanna")
        text = told(memory)
        assert "rfann" not in text and "It rained." in text


def test_an_erasure_is_heard_by_every_memory_on_the_space(memory, home):
    with Memory.open(home, user="u", clock=lambda: NOW) as other:
        answer = other.recall("What is she allergic to?")
        assert "walnuts" in str(other._answers)
        memory.forget(topic="walnuts")
        other.statements()
        assert "walnuts" not in str(other._answers) and answer.id not in other._answers
        other.recall("Where does she live?")
        memory.remember("I play chess.")
        other.statements()
        assert other._answers
        memory.forget(all=True)
        other.statements()
        assert not other._answers


DISGUISES = {
    "joiner inside": "Quill owns a bl\u034fue kayak",
    "filler inside": "Quill owns a bl\u3164ue kay\u1160ak",
    "direction inside": "Quill owns a bl\u202eue kayak",
    "no width for spaces": "Quill\u200bowns\u200ba\u200bblue\u200bkayak",
    "filler for spaces": "Quill\u3164owns\u3164a\u3164blue\u3164kayak",
    "letters alike": "Quill \u043ewns \u0430 blue k\u0430y\u0430k",
    "Greek ones": "Quill \u03bfwns \u03b1 blue kayak",
}


@pytest.mark.parametrize("said", DISGUISES.values(), ids=DISGUISES)
def test_what_was_forgotten_is_known_in_every_disguise_and_from_it(said):
    plain = "Quill owns a blue kayak"
    for forgotten, again in ((plain, said), (said, plain), (said, said)):
        stones = Tombstones(
            MARKER, [entomb(MARKER, statements=[("p", forgotten)], quotes=[forgotten], turns={"k": (forgotten, None)})]
        )
        assert stones.statement("p", again)
        found = stones.passages(None, f"Well. {again}, as ever.")
        assert [(one.start, one.end) for one in found] == [(6, 6 + len(again))]
        everything = frozenset().union(*(one.marks for one in found), stones.statement("p", again))
        stones.lift(everything)
        assert not stones.statement("p", again) and not stones.passages(None, again)
    assert not stones.passages(None, "Quill owns a red kayak")


def test_words_of_another_script_are_known_by_the_marks_of_earlier_registers():
    words = "\u0410\u043d\u043d\u0430 \u0436\u0438\u0432\u0451\u0442 \u0432 \u0421\u043e\u0447\u0438"
    mark = MARKER.quote(words)
    stones = Tombstones(MARKER, [Tombs(frozenset({MARKER.statement("p", words)}), {mark: 4})])
    assert [one.marks for one in stones.passages(None, words.upper())] == [{mark}]
    assert stones.statement("p", words)
    assert MARKER.quotes("I live in Z\u00fcrich") == [MARKER.quote("I live in Z\u00fcrich")]
