"""Bad input at every door: a named error in one short line, nothing half written, and no secret in a message."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from doors_world import HOSTILE, LONG, is_wrong, right, tried, tries
from roles_world import OPEN, Words, fill, owned, roled

from graphmem import Memory
from graphmem.checks import brief, path
from graphmem.cli import run
from graphmem.embed import embedder
from graphmem.errors import InputError, QueryError, QuestionChanged, StatementNotFound
from graphmem.personal.found import MASK
from graphmem.roles import ACTS, ROLES

SHORT = 600  # characters of a message that quotes one value and a path
SECRET = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 2


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Words() if name == "minilm" else embedder(name))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A filled memory, a folder to write to, and a backup in it."""
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "home")
    (tmp_path / "out").mkdir()
    with owned(tmp_path / "home") as memory:
        memory.backup(tmp_path / "out" / "kept.graphmem")
    return tmp_path / "home"


def knocked(home, role, some):
    """Knock at every door as this role, and see that all that happens is what may."""
    folder, wrong = home.parent / "out", []
    with owned(home) as memory, owned(home) if role == "owner" else roled(home, role) as other:
        given = None
        for one in tries(list(ACTS), some=some):
            if not memory.settings().learning:
                memory.resume()
            statements = memory.statements()
            if given is None:
                given = right(memory, folder, statements[0].id, memory.recall("where do I live?"))
            head = memory._space.ledger.head()
            try:
                error = tried(other, one, given[one.act])
            except Exception as strange:
                wrong.append(f"{one}: {type(strange).__name__}: {strange!s:.80}")
                continue
            if error is None:
                if is_wrong(one):
                    wrong.append(f"{one} is done")
                continue
            if isinstance(error, QueryError):
                wrong.append(f"{one} has come to the engine")
            if len(str(error)) > SHORT or "\n" in str(error):
                wrong.append(f"{one}: a message of {len(str(error))} characters")
            if memory.statements() != statements or (role == "owner" and memory._space.ledger.head() != head):
                wrong.append(f"{one} was refused and has written")
        assert memory.verify().problems == ()
    return wrong


def test_bad_input_is_refused_by_name_and_leaves_nothing_half_written(home):
    assert knocked(home, "owner", 8) == []


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES)
def test_bad_input_of_every_role_is_refused_by_name_and_leaves_nothing_half_written(home, role):
    assert knocked(home, role, 1) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.recall("x", min_score=[]), lambda m: m.recall("x", kinds=1), lambda m: m.recall(None),
        lambda m: m.ingest(LONG), lambda m: m.ingest("\x00"), lambda m: m.ingest(OPEN, progress=1),
        lambda m: m.ingest(object()), lambda m: m.ingest(OPEN, format=1),
        lambda m: m.limit("agent", purposes=None), lambda m: m.settle([]), lambda m: m.look(None, purpose="a test"),
        lambda m: m.sparql(None), lambda m: m.sparql("portability", bindings={1: 2}), lambda m: m.timeline(None),
        lambda m: m.request(["forget"]), lambda m: m.remember("x", allow="no"), lambda m: m.forget(all="yes"),
        lambda m: m.export(LONG), lambda m: m.backup("x", overwrite="no"), lambda m: m.start(10**5000),
        lambda m: m.open("other", user="v", keys=1), lambda m: m.open("other", user="v", wait=-1),
        lambda m: m.open("other", user="v", entropy=None), lambda m: m.open(LONG, user="v"),
        lambda m: m.restore("out/kept.graphmem", home="other", replace="no"), lambda m: m.on_turn("x", before=1),
    ],
)  # fmt: skip
def test_each_wrong_argument_is_an_input_error(home, call):
    with owned(home) as memory:
        head = memory._space.ledger.head()
        with pytest.raises(InputError) as told:
            call(memory)
        assert memory._space.ledger.head() == head
    assert len(str(told.value)) < SHORT


def test_an_id_that_is_no_text_that_can_be_written_is_not_found(home):
    with owned(home) as memory:
        one = memory.statements()[0]
        with pytest.raises(QuestionChanged):
            memory.confirm(one.id, question="\ud800")
        with pytest.raises(StatementNotFound):
            memory.trace("\ud800")


def test_the_same_words_at_the_same_moment_are_one_note_and_two_corrections_are_two(home):
    with owned(home) as memory:
        first, again = memory.remember("I like rye bread."), memory.remember("I like rye bread.")
        assert first.id == again.id
        made = [memory.correct(one.id, "cheddar") for one in memory.statements("current", "preference")[:2]]
        assert len({one.id for one in made}) == 2


def test_a_value_in_a_message_is_short_printable_and_masked():
    assert brief("plain") == "'plain'"
    assert len(brief(LONG)) < 90 and brief(LONG).endswith("…'")
    assert "\n" not in brief("a\nb") and brief("\ud800").isprintable()
    assert brief(10**5000) == "a huge number" and brief(float("nan")) == "nan" and brief(datetime(1, 1, 1)).endswith("datetime")
    # A secret is masked before the text is cut, also where the cut goes through it.
    for before in range(60, 90):
        said = brief("x" * before + " " + SECRET)
        assert "sk-proj-A" not in said and "Ab3d" not in said
    assert MASK in brief(f"my key is {SECRET}")


@pytest.mark.parametrize("name", ["surrogate", "nul", "long", "bytes", "one", "object", "none"])
def test_what_no_system_has_for_a_path_is_refused(name):
    with pytest.raises(InputError, match="source"):
        path("source", HOSTILE[name])


def test_a_path_may_hold_any_bytes(home):
    name = os.fsdecode(b"out/caf\xe9.json")
    try:
        Path(name).touch()
    except OSError:
        pytest.skip("the file system takes only names that are text")
    Path(name).unlink()
    with owned(home) as memory:
        assert memory.export(name, format="json").exists()
        assert memory.verify().problems == ()


def test_a_passphrase_in_the_place_of_a_key_is_not_repeated(home, capsys):
    text = "correct horse battery staple"
    with pytest.raises(InputError) as told:
        Memory.open("other", user="v", key=text)
    assert "horse" not in str(told.value)
    assert run(["remember", "x", "--user", "v", "--home", "other", "--key-env", text]) == 2
    assert "horse" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "x", "-k", LONG], ["recall", "x", f"--min-score={LONG}"], ["statements", "--kind", LONG],
        ["trace", LONG], ["statements", f"--{LONG}"], ["changes", "--since", LONG], ["ingest", LONG], [LONG],
        ["trace", "\ud800"], ["sparql", LONG], ["limit", LONG], ["statements", "--status", f"key {SECRET}"],
        ["configure", f"{LONG}=1"], ["configure", f"raw={LONG}"], ["settle", LONG], ["forget", LONG],
        ["statements", "--space", LONG], ["export", "-o", LONG], ["verify", "--anchor", LONG], ["statements", "--role", LONG],
    ],
)  # fmt: skip
def test_the_command_line_says_what_is_wrong_in_a_few_short_lines(home, capsys, arguments):
    assert run([*arguments, "--user", "u", "--home", str(home)]) in (2, 3)
    told = capsys.readouterr().err
    assert told and len(told) < SHORT + 400 and "Traceback" not in told
    assert SECRET not in told
