"""Questions to the owner: bound to what they show, good for one answer, and recorded with what it does."""

import json
from datetime import timedelta

import pytest
from machine_claims import Content, Line
from machine_contract import MemoryMachine
from machine_parts import SCRIPT, reference_spaces, small_parts
from roles_world import CLAIMS, LATER, SHUT, T, Words

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import (
    HashMismatch,
    InputError,
    QuestionAnswered,
    QuestionChanged,
    QuestionExpired,
    QuestionMismatch,
)

OSLO, LUND = Content("lives_in", "Oslo"), Content("lives_in", "Lund")


@pytest.fixture
def life():
    with small_parts(), reference_spaces():
        machine = MemoryMachine()
        yield machine
        machine.discard()


def said(*contents, role="user"):
    return tuple(Line(role, None, (content,), False) for content in contents)


def status(life):
    return {one.object: one.status for one in life.memory.statements() if one.details.get("type") != "session"}


@pytest.fixture
def clash(life):
    """Two homes in one session: the memory cannot know which holds."""
    life.tell_anything(day=133, said=said(OSLO, LUND))
    [question] = life.memory.open_questions()
    return life, question


@pytest.fixture
def guess(life):
    life.tell_anything(day=133, said=said(OSLO, role="assistant"))
    [question] = life.memory.open_questions()
    return life, question


def test_a_contradiction_asks_which_holds_with_both_quotes_and_dates(clash):
    _, question = clash
    a, b = question.statements
    assert (a.object, b.object, question.kind) == ("Oslo", "Lund", "contradicted")
    words = [side.evidence[0].quote for side in (a, b)]
    assert question.text == (
        f"On 14 May 2025 you said “{words[0]}”; on 14 May 2025 you said “{words[1]}”. "
        "Which holds: User lives in Oslo, or User lives in Lund?"
    )


def test_confirming_one_side_withdraws_the_other_in_one_operation(clash):
    life, question = clash
    a, b = question.statements
    before = life.memory._space.ledger.head()[0]
    assert life.memory.confirm(a.id, question=question.id).tier == "confirmed"
    assert status(life) == {"Oslo": "current", "Lund": "retracted"}
    assert life.memory.open_questions() == []
    made = list(life.memory._space.ledger.entries(before))
    assert [entry.type for entry in made][:3] == ["question answered", "confirmed", "retracted"]
    assert len({entry.operation for entry in made}) == 1
    assert made[0].subjects == (question.id, a.id, b.id)
    assert life.memory.verify().problems == ()


def test_a_question_takes_one_answer_whatever_it_is(clash):
    life, question = clash
    a, b = question.statements
    life.memory.retract(b.id, reason="no", question=question.id)
    head = life.memory._space.ledger.head()
    for act in (
        lambda: life.memory.confirm(a.id, question=question.id),
        lambda: life.memory.retract(a.id, reason="no", question=question.id),
        lambda: life.memory.correct(a.id, "Gent", question=question.id),
    ):
        with pytest.raises(QuestionAnswered, match="answered before"):
            act()
    assert life.memory._space.ledger.head() == head
    life.reopen()
    with pytest.raises(QuestionAnswered):
        life.memory.confirm(a.id, question=question.id)


def test_correcting_answers_with_a_third_value(guess):
    life, question = guess
    SCRIPT.claims = ()
    made = life.memory.correct(question.statements[0].id, "Gent", question=question.id)
    assert status(life) == {"Oslo": "corrected", "Gent": "current"}
    assert life.memory.open_questions() == []
    with pytest.raises(QuestionAnswered):
        life.memory.confirm(made.id, question=question.id)


def test_a_question_whose_content_changed_is_refused(clash):
    life, question = clash
    a, b = question.statements
    life.memory.retract(b.id, reason="meanwhile")
    with pytest.raises(QuestionChanged, match="not open"):
        life.memory.confirm(a.id, question=question.id)
    with pytest.raises(QuestionChanged):
        life.memory.confirm(a.id, question="q_" + "0" * 24)


def test_a_suggestion_that_revives_is_another_question(guess):
    life, question = guess
    shown = question.statements[0]
    SCRIPT.claims = ()
    made = life.memory.correct(shown.id, "Gent", question=question.id)
    life.memory.retract(made.id, reason="that was wrong")
    [again] = life.memory.open_questions()
    assert again.statements[0].id == shown.id
    assert again.id != question.id
    life.memory.confirm(shown.id, question=again.id)
    assert status(life)["Oslo"] == "current"


def test_an_answer_about_another_statement_or_with_another_hash_is_refused(clash):
    life, question = clash
    life.tell_anything(day=200, said=said(Content("likes", "olives", kind="preference")))
    other = next(one for one in life.memory.statements() if one.object == "olives")
    with pytest.raises(QuestionMismatch, match="does not ask about"):
        life.memory.confirm(other.id, question=question.id)
    a = question.statements[0]
    with pytest.raises(HashMismatch):
        life.memory.confirm(a.id, content_hash="0" * 64, question=question.id)
    with pytest.raises(InputError, match="content hash"):
        life.memory.confirm(a.id)
    with pytest.raises(InputError, match="question must be"):
        life.memory.confirm(a.id, question=7)
    assert [one.id for one in life.memory.open_questions()] == [question.id]


def test_a_mere_possibility_and_a_summary_are_no_questions(life):
    life.tell_anything(day=1, said=said(OSLO._replace(modality="possible")))
    life.tell_anything(day=2, said=said(LUND, role="document"))
    assert [one.statements[0].object for one in life.memory.open_questions()] == ["Lund"]


def test_what_is_forgotten_is_no_longer_asked_and_its_answers_hold_no_words(clash):
    life, question = clash
    a, _ = question.statements
    life.memory.confirm(a.id, question=question.id)
    receipt = life.memory.forget(id=a.id)
    assert receipt.residue_hits == 0
    [entry] = [one for one in life.memory._space.ledger.entries() if one.type == "question answered"]
    assert entry.body == {"kind": "contradicted", "answer": "confirm"}
    with pytest.raises(InputError):
        life.memory.confirm(a.id, question=question.id)


def test_the_command_line_asks_and_takes_the_answer(tmp_path, capsys):
    talk = {
        "id": "s1",
        "started": "2025-05-14T10:00:00Z",
        "turns": [{"role": "user", "text": "I live in Turku."}, {"role": "user", "text": "I live in Vaasa."}],
    }
    (tmp_path / "talk.json").write_text(json.dumps(talk), encoding="utf-8")

    def called(command, *arguments):
        code = run([command, *arguments, "--user", "u", "--home", str(tmp_path / "home")])
        out = capsys.readouterr()
        return code, out.out, out.err

    assert called("ingest", str(tmp_path / "talk.json"))[0] == 0
    code, out, _ = called("open-questions")
    assert code == 0
    assert "Which holds: User lives in Turku, or User lives in Vaasa?" in out
    [question] = json.loads(called("open-questions", "--json")[1])
    keep = question["statements"][1]["id"]
    assert "confirmed" in called("confirm", keep[:12], "--question", question["id"][:12])[1]
    code, _, err = called("retract", keep, "--question", question["id"])
    assert (code, len(err.strip().splitlines())) == (2, 1)
    assert "answered before" in err
    assert called("open-questions")[1] == ""


@pytest.fixture
def days(tmp_path, monkeypatch):
    """A memory with an open question, and a function that lets days go by."""
    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Words())
    now = [T]

    def pass_by(count):
        now[0] += timedelta(count)

    with Memory.open(tmp_path, user="u", clock=lambda: now[0]) as memory:
        memory.ingest(SHUT)
        memory.propose(CLAIMS, session="s2")
        yield memory, pass_by


def test_an_id_of_a_question_takes_answers_up_to_its_end_and_the_matter_is_asked_on(days):
    memory, pass_by = days
    [first] = memory.open_questions()
    assert first.expires_at == T + timedelta(60)
    pass_by(29)
    assert memory.open_questions() == [first]
    pass_by(2)
    [second] = memory.open_questions()
    assert second.id != first.id
    assert (second.text, second.statements, second.expires_at) == (first.text, first.statements, T + timedelta(90))
    one = first.statements[0]
    pass_by(28)
    assert memory.confirm(one.id, question=first.id).tier == "confirmed"
    assert memory.open_questions() == []


def test_an_answer_after_the_end_is_told_apart_from_one_to_a_question_that_changed(days):
    memory, pass_by = days
    [first] = memory.open_questions()
    pass_by(60)
    head = memory._space.ledger.head()
    for act in (memory.confirm, lambda id, **more: memory.retract(id, reason="no", **more)):
        with pytest.raises(QuestionExpired, match=r"more than 30 days ago.*open-questions"):
            act(first.statements[0].id, question=first.id)
    assert memory._space.ledger.head() == head
    [now] = memory.open_questions()
    memory.confirm(now.statements[0].id, question=now.id)


def test_how_long_a_question_takes_an_answer_is_a_setting(days):
    memory, pass_by = days
    memory.configure(questions=5)
    [first] = memory.open_questions()
    pass_by(10)
    with pytest.raises(QuestionExpired, match="5 days"):
        memory.confirm(first.statements[0].id, question=first.id)
    memory.configure(questions=None)
    [endless] = memory.open_questions()
    assert endless.expires_at is None
    pass_by(3000)
    assert memory.open_questions() == [endless]
    memory.confirm(endless.statements[0].id, question=endless.id)


def test_the_same_text_is_confirmed_once_however_it_is_asked_for(days, capsys, tmp_path):
    memory, _ = days
    [question] = memory.open_questions()
    one = question.statements[0]
    first = memory.confirm(one.id, content_hash=one.content_hash)
    head = memory._space.ledger.head()
    assert memory.confirm(one.id, content_hash=one.content_hash) == first
    assert memory._space.ledger.head() == head
    memory.ingest(LATER)
    [clash] = memory.open_questions()
    memory.confirm(one.id, question=clash.id)
    assert len(memory._reader().node(one.id).confirmations) == 1
    assert [step.tier for step in memory.trace(one.id).steps].count("confirmed") == 1
    assert run(["confirm", one.id, "--hash", one.content_hash, "--user", "u", "--home", str(tmp_path)]) == 0
    assert "confirmed before" in capsys.readouterr().err
