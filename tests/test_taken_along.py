"""What goes with a sentence, what may be meant by it, and how a request that names nothing is answered."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from machine_parts import small_parts

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import InputError, NothingKnown, SessionError, StatementNotFound, WasForgotten
from graphmem.extractors.rules import RuleExtractor
from graphmem.lifecycle import erase
from graphmem.records import ERASED
from graphmem.register import path_of

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
BOTH = "I live in Leeds with Biscuit."


def chat(name, day, *texts, roles=(), **more):
    turns = [{"id": f"t{place}", "role": roles[place] if roles else "user", "text": text} for place, text in enumerate(texts)]
    return {"id": name, "started": f"2026-03-{day:02}T09:00:00Z", "turns": turns, **more}


@pytest.fixture(autouse=True)
def no_model():
    with small_parts(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.memory._extractor", lambda name: RuleExtractor())
        yield


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with Memory.open(home, user="u", clock=lambda: NOW) as opened:
        yield opened


def texts(memory):
    return {s.text for s in memory.statements() if s.details.get("type") != "session"}


def by(memory, words):
    return next(s for s in memory.statements() if words in s.text and s.details.get("type") != "session")


def told(memory):
    return [turn.text for turn in memory._space.graph.turns()]


# ---------------------------------------------------------------------- taken along


def test_what_shares_its_sentence_is_told_apart_and_may_be_said_again(memory):
    memory.ingest(chat("s1", 1, f"{BOTH} My dog Biscuit is ten."))
    home_, dog = by(memory, "Leeds").id, by(memory, "Biscuit").id
    planned = memory.forget(entity="Biscuit", dry_run=True)
    assert (planned.taken_along, planned.plan.statements) == ((home_,), (dog,))
    receipt = memory.forget(entity="Biscuit")
    assert (receipt.taken_along, receipt.counts["statements"], receipt.residue_hits) == ((home_,), 3, 0)
    assert set("".join(told(memory))) == {ERASED}
    report = memory.ingest(chat("s2", 2, "I live in Leeds. I live in Leeds, with BISCUIT! My dog Biscuit is old."))
    assert {item.reason for item in report.rejected} == {"erased"}
    assert texts(memory) == {"User lives in Leeds"}
    assert [e.quote for e in by(memory, "Leeds").evidence] == ["I live in Leeds"]
    assert "iscuit" not in told(memory)[-1] and "BISCUIT" not in told(memory)[-1]
    assert by(memory, "Leeds").id != home_
    assert memory.verify().problems == ()


def test_a_topic_refuses_what_says_it_and_not_its_neighbours(memory):
    memory.ingest(chat("s1", 1, "I'm allergic to walnuts and I like green tea."))
    receipt = memory.forget(topic="walnuts")
    assert receipt.taken_along and "green tea" not in "".join(texts(memory))
    with pytest.raises(WasForgotten):
        memory.remember("I'm allergic to walnuts")
    memory.remember("I like green tea")
    assert texts(memory) == {"User likes green tea"}


def test_of_one_statement_the_others_of_its_quote_are_taken_along(memory):
    memory.ingest(chat("s1", 1, "My sister Anna works at Volvo."))
    work, sister = by(memory, "Volvo").id, by(memory, "family").id
    receipt = memory.forget(id=work)
    assert receipt.taken_along == (sister,) and texts(memory) == set()
    memory.ingest(chat("s2", 2, "My sister Anna likes jazz.", "My sister Anna is working at Volvo."))
    assert texts(memory) == {"User has family: sister Anna", "User's sister Anna likes jazz"}


def test_what_other_words_bear_stays_without_the_name_that_stood_beside_it(memory):
    memory.ingest([chat("s1", 1, f"{BOTH} My dog Biscuit is ten."), chat("s2", 2, "I live in Leeds.")])
    assert any(entity.name == "Biscuit" for entity in memory._space.graph.entities())
    receipt = memory.forget(topic="Biscuit")
    assert (receipt.taken_along, receipt.residue_hits) == ((), 0)
    assert [e.quote for e in by(memory, "Leeds").evidence] == ["I live in Leeds"]
    assert told(memory)[1] == "I live in Leeds."
    assert not any(entity.name == "Biscuit" for entity in memory._space.graph.entities())
    assert b"Biscuit" not in b"".join(path.read_bytes() for path in memory._space.folder.rglob("*") if path.is_file())
    assert memory.verify().problems == ()


def test_a_turn_in_which_the_words_stand_apart_takes_its_other_sentences_along(memory):
    memory.ingest(chat("s1", 1, "I like green curtains. I live in Leeds near the old mill. I drink tea at noon."))
    receipt = memory.forget(topic="green tea")
    assert receipt.counts["turns"] == 1 and receipt.taken_along
    memory.ingest(chat("s2", 2, "I live in Leeds near the old mill."))
    assert any("Leeds" in text for text in texts(memory))
    assert memory.ingest(chat("s3", 3, told_before := "I like green curtains. I live in Leeds near the old mill. "
                                                       "I drink tea at noon.")).rejected  # fmt: skip
    assert told(memory)[-1] == ERASED * len(told_before)


def test_whole_turns_that_were_named_take_nothing_along(memory):
    memory.ingest([chat("s1", 1, BOTH), chat("s2", 2, "I like tea.")])
    assert memory.forget(session="s1").taken_along == ()
    assert memory.forget(since=NOW - timedelta(days=30), until=NOW).taken_along == ()
    with pytest.raises(WasForgotten):
        memory.remember("I like tea")


# ---------------------------------------------------------------------- stopped, and restored


def comes_again(memory):
    """Whether what was taken along may be said, and what was asked for may not."""
    with pytest.raises(WasForgotten):
        memory.remember(BOTH)
    memory.remember("I live in Leeds")
    return texts(memory) == {"User lives in Leeds"} and memory.verify().problems == ()


@pytest.mark.parametrize("step", ["erase.noted", "erase.rebuilt"])
def test_an_erasure_that_was_stopped_refuses_no_more_than_one_that_was_not(memory, home, monkeypatch, step):
    memory.ingest(chat("s1", 1, BOTH))

    def reach(here):
        if here == step:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erase, "reach", reach)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(entity="Biscuit")
    memory.close()
    with Memory.open(home, user="u") as again:
        assert comes_again(again)


@pytest.mark.parametrize("left", ["memory and register", "register", "memory"])
def test_an_older_backup_brings_no_sentence_back_and_refuses_no_more_than_before(memory, home, tmp_path, left):
    memory.ingest(chat("s1", 1, BOTH))
    file = memory.backup(tmp_path / "b.graphmem")
    gone = by(memory, "Leeds").id
    memory.forget(entity="Biscuit")
    memory.close()
    if left == "register":
        shutil.rmtree(memory._space.folder)
    if left == "memory":
        path_of(memory._space.folder).unlink()
    with Memory.restore(file, home=home, replace=left != "register") as back:
        assert told(back) == [ERASED * len(BOTH)] and texts(back) == set()
        assert comes_again(back)
        assert by(back, "Leeds").id != gone
    with Memory.open(home, user="u") as again:  # and once more, from a backup that has it said anew
        file = again.backup(tmp_path / "later.graphmem")
    with Memory.restore(file, home=home, replace=True) as back:
        assert texts(back) == {"User lives in Leeds"}


def test_what_was_allowed_since_is_not_refused_anew_by_an_older_backup(memory, home, tmp_path):
    memory.ingest(chat("s1", 1, "I'm allergic to walnuts."))
    file = memory.backup(tmp_path / "b.graphmem")
    memory.forget(topic="walnuts")
    memory.remember("I'm allergic to walnuts", allow=True)
    memory.close()
    with Memory.restore(file, home=home, replace=True) as back:
        assert texts(back) == set()
        back.remember("I'm allergic to walnuts")
        assert texts(back) == {"User is allergic to walnuts"}


# ---------------------------------------------------------------------- what may be about it too


def sentences_of(receipt, memory):
    said = {(turn.session, turn.id): turn.text for turn in memory._space.graph.turns()}
    return [said[one.session, one.turn][one.start : one.end] for one in receipt.may_be_about]


def test_a_sentence_with_a_pronoun_is_listed_and_stays(memory):
    memory.ingest(chat("s1", 1, "I like my brother Leo. He bought me a bike. I like tea."))
    planned = memory.forget(entity="Leo", dry_run=True)
    bike = by(memory, "bike").id
    assert [one.statements for one in planned.may_be_about] == [(bike,)]
    assert sentences_of(planned, memory) == ["He bought me a bike."]
    receipt = memory.forget(entity="Leo")
    assert receipt.may_be_about == planned.may_be_about and "bike" not in receipt.model_dump_json()
    assert bike in {s.id for s in memory.statements()}
    memory.forget(id=bike)
    assert "bike" not in "".join(told(memory))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        (["I saw Leo. I like his soup. And then he left. The heron sang."], ["And then he left."]),
        (["I saw Leo.", "Well, he sang.", "He left."], ["Well, he sang."]),
        (["I saw Leo. My sister Anna came. She sang.", "He left."], []),
        (["I saw Leo. He met Anna. She sang."], ["He met Anna."]),
        (["I saw Leo. Anna said he sang."], []),
        (["I saw Leo. Hänen autonsa on uusi. Han är snäll. Он врач."], ["Hänen autonsa on uusi.", "Han är snäll.", "Он врач."]),
        (["He is nice. I saw Leo. The others left. They're nice."], ["They're nice."]),
    ],
)
def test_a_pronoun_may_stand_for_the_last_who_was_named(memory, turns, found):
    memory.ingest([chat("s0", 1, "My sister Anna lives in Oslo."), chat("s1", 2, *turns), chat("s2", 3, "He is nice.")])
    assert sentences_of(memory.forget(entity="Leo", dry_run=True), memory) == found


def test_the_next_turn_of_the_user_is_looked_at_and_none_of_the_others(memory):
    turns = ["Have you seen Leo lately?", "She asks. He left.", "He sang.", "Did he?", "He did."]
    memory.ingest(chat("s1", 1, *turns, roles=["assistant", "assistant", "user", "assistant", "user"]))
    assert sentences_of(memory.forget(topic="Leo", dry_run=True), memory) == []  # no name that is known
    assert sentences_of(memory.forget(entity="Leo", dry_run=True), memory) == ["He sang."]


# ---------------------------------------------------------------------- names, and what is not known


def test_a_name_is_known_with_a_title_or_without_and_however_it_is_written(memory):
    turns = "My doctor is called Amina Shah. Amina Shah lives in Oulu.", "I saw Dr. Amina Shah. It rained."
    memory.ingest(chat("s1", 1, *turns))
    plan = memory.forget(entity="Amina Shah", dry_run=True).plan
    names = ["Dr. Amina Shah", " amina  SHAH ", "'Amina Shah'", "“Dr Amina Shah”", "Prof. Dr. Amina Shah", "fru Amina Shah"]
    for name in [*names, "tohtori Amina Shah", "д-р Amina Shah", "доктор Amina Shah", "herr Amina Shah", "Amina Shah's"]:
        assert memory.forget(entity=name, dry_run=True).plan == plan, name
    assert memory.forget(entity="Mrs. Amina Shah").residue_hits == 0
    assert told(memory) == [ERASED * 57, ERASED * 21 + " It rained."]


def test_a_title_in_the_memory_is_left_out_in_the_request(memory):
    memory.ingest(chat("s1", 1, "I met Dr. Karl Weiss there. It rained."))
    memory.forget(entity="Karl Weiss")
    assert told(memory)[0].endswith("It rained.") and "Weiss" not in told(memory)[0]


def test_a_title_before_a_single_name_reaches_nobody_else_of_that_name(memory):
    memory.ingest(chat("s1", 1, "I met Amina Shah there. It rained."))
    with pytest.raises(NothingKnown):
        memory.forget(entity="Mrs Shah")


def test_what_is_not_known_is_said_by_every_selector_and_nothing_is_recorded(memory):
    memory.ingest(chat("s1", 1, "My sister Anna lives in Oslo."))
    head = memory._space.ledger.head()
    for what, error, remedy in (
        ({"entity": "Anja"}, NothingKnown, "most like it are Anna"), ({"entity": "Zorblax"}, NothingKnown, "graphmem entities"),
        ({"topic": "chess"}, NothingKnown, "graphmem statements"), ({"session": "s9"}, SessionError, "graphmem sessions"),
        ({"id": "s_0123456789"}, StatementNotFound, "graphmem statements"),
    ):  # fmt: skip
        for dry_run in (True, False):
            with pytest.raises(InputError, match=remedy) as told_:
                memory.forget(**what, dry_run=dry_run)
            assert type(told_.value) is error
    assert memory._space.ledger.head() == head
    memory.forget(entity="Anna")
    with pytest.raises(NothingKnown):
        memory.forget(entity="Anna")


def test_a_role_that_may_not_forget_does_not_learn_what_is_known(memory, home, capsys):
    memory.ingest(chat("s1", 1, "My sister Anna lives in Oslo."))
    there = by(memory, "Oslo").id
    memory.close()
    said = set()
    for what in (["--id", there[:8]], ["--id", "s_00000000"], ["--entity", "Anna"], ["--entity", "Anja"], ["--topic", "chess"]):
        said.add(
            (run(["forget", *what, "--dry-run", "--user", "u", "--home", str(home), "--role", "agent"]), capsys.readouterr())
        )
    assert len(said) == 1


# ---------------------------------------------------------------------- other requests that did nothing


@pytest.mark.parametrize("until", [NOW - timedelta(days=1), NOW])
def test_a_window_that_holds_nothing_is_refused(memory, until):
    with pytest.raises(InputError, match="nothing lies between"):
        memory.forget(since=NOW, until=until, dry_run=True)


def test_a_recorded_session_is_not_filled_again_and_says_so(memory):
    talk = chat("s1", 1, "I'm allergic to walnuts. I like tea.")
    memory.ingest(talk)
    assert memory.ingest(talk).turns == 0
    memory.ingest([talk, talk], allow=True)  # nothing of it was forgotten
    memory.forget(topic="walnuts")
    assert memory.ingest(talk).turns == 0
    for how in ({}, {"extractor": Later()}):
        with pytest.raises(SessionError, match="remember --allow-forgotten"):
            memory.ingest(talk, allow=True, **how)
    longer = {**talk, "turns": [*talk["turns"], {"id": "t1", "role": "user", "text": "I own a canoe."}]}
    assert memory.ingest(longer, allow=True).turns == 1
    assert texts(memory) == {"User likes tea", "User has canoe"} or any("canoe" in text for text in texts(memory))
    memory.ingest({**talk, "id": "s2"}, allow=True)
    assert any("walnuts" in text for text in texts(memory))


class Later:
    name, version = "later", "1"

    def extract(self, session):
        return RuleExtractor().extract(session)


def test_the_command_lists_what_goes_along_and_what_may_be_meant(memory, home, capsys):
    memory.ingest(chat("s1", 1, f"{BOTH} He bought me a bike."))
    leeds, bike = by(memory, "Leeds").id, by(memory, "bike").id
    memory.close()

    def forget(*args):
        code = run(["forget", *args, "--user", "u", "--home", str(home)])
        said = capsys.readouterr()
        return code, said.out, said.err

    code, out, err = forget("--entity", "biscuit ", "--dry-run")
    assert code == 0 and f"in the same sentence: {leeds}" in out and "forget --id ID" in out
    assert f"forget --id {bike} takes it" in out and "User lives in Leeds" not in out and "bike." not in out
    assert f"in the same sentence: {leeds}: User lives in Leeds" in err and "“He bought me a bike.”" in err
    said = json.loads(forget("--entity", "Biscuit", "--dry-run", "--json")[1])
    assert said["taken_along"] == [leeds] and said["may_be_about"][0]["statements"] == [bike]
    assert said["plan"]["statements"] == []
    assert forget("--entity", "Bisquit", "--yes")[0] == 2
    assert forget("--since", "2026-03-02", "--until", "2026-03-01", "--yes")[0] == 2
    code, out, _ = forget("--entity", "Biscuit", "--yes")
    assert code == 0 and f"in the same sentence: {leeds}" in out and "forget --id ID" not in out
