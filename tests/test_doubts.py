"""Questions to the owner: bound to what they show, good for one answer, and recorded with what it does."""

import json

import pytest
from machine_claims import Content, Line
from machine_contract import MemoryMachine
from machine_parts import SCRIPT, reference_spaces, small_parts

from graphmem.cli import run
from graphmem.errors import HashMismatch, InputError, QuestionAnswered, QuestionChanged, QuestionMismatch

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
