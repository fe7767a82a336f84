"""The command line: one vocabulary with the API, one line per error, exit codes as documented."""

import json

import pytest

from graphmem import Memory
from graphmem.cli import run
from graphmem.cli.options import COMMANDS

SESSION = {
    "id": "s1",
    "started": "2025-05-14T10:30:00+03:00",
    "turns": [
        {"id": "t1", "role": "user", "text": "I live in Turku and I work at Nokia. I have to call the dentist by 20 May."},
        {"id": "t2", "role": "assistant", "text": "Noted."},
    ],
}
LATER = {
    "id": "s2",
    "started": "2025-09-14T10:30:00+03:00",
    "turns": [{"id": "t1", "role": "user", "text": "I moved to Lisbon last month."}],
}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def cli(home, capsys):
    """Run a command for one user and return (exit code, standard output, standard error)."""

    def call(command, *arguments, user="u"):
        code = run([command, *map(str, arguments), "--user", user, "--home", str(home)])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


@pytest.fixture
def filled(cli, tmp_path):
    path = tmp_path / "two.json"
    path.write_text(json.dumps([SESSION, LATER]), encoding="utf-8")
    assert cli("ingest", path)[0] == 0
    return cli


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def turns(*texts, **more):
    return {"id": "x", "started": "2025-05-14T10:30:00+03:00", "turns": [{"role": "user", "text": t} for t in texts], **more}


BAD = {
    "broken json": (b'[{"id": "s9", "turns": [', "line 1"),
    "unknown role": ({**turns(), "turns": [{"role": "narrator", "text": "hm"}]}, "narrator"),
    "naive time": (turns("hello", started="2025-05-14T10:30:00"), "offset"),
    "empty session": (turns(), "turn"),
    "empty file": (b"", "empty"),
    "no known format": (b"\x00\x01\x02 nothing", "format"),
    "turn over the limit": (turns("a" * 11_000_000), "10000000"),
    "second session bad": ([SESSION, {**turns(), "turns": [{"role": "user"}]}], "text"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_code_2_and_nothing_is_written(cli, tmp_path, name):
    content, told = BAD[name]
    code, out, err = cli("ingest", write(tmp_path, "bad.json", content))
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert told in err
    assert json.loads(cli("statements", "--json")[1]) == []
    assert json.loads(cli("sessions", "--json")[1]) == []


def test_a_missing_file_is_named(cli, tmp_path):
    code, _, err = cli("ingest", tmp_path / "nowhere.json")
    assert code == 2
    assert "nowhere.json" in err
    assert len(err.strip().splitlines()) == 1


def test_a_lone_surrogate_and_a_huge_turn_are_taken_in_whole(cli, tmp_path):
    odd = {"id": "odd", "started": "2025-05-14T10:30:00+03:00", "turns": [{"role": "user", "text": "I live in \ud83d Oulu."}]}
    raw = json.dumps(odd).encode()
    assert cli("ingest", write(tmp_path, "odd.json", raw))[0] == 0
    huge = turns("lorem ipsum dolor, " * 280_000 + " well. I keep llamas.")
    assert cli("ingest", write(tmp_path, "huge.json", huge))[0] == 0
    assert cli("verify")[0] == 0


def test_the_same_file_twice_adds_nothing(filled, tmp_path):
    before = filled("statements", "--json")[1], filled("sessions", "--json")[1]
    code, out, _ = filled("ingest", tmp_path / "two.json")
    assert code == 0
    assert "0 sessions, 0 turns" in out
    assert (filled("statements", "--json")[1], filled("sessions", "--json")[1]) == before


def test_a_session_id_with_other_words_is_refused(filled, tmp_path):
    other = {**SESSION, "turns": [{"id": "t1", "role": "user", "text": "I live in Oslo."}]}
    code, _, err = filled("ingest", write(tmp_path, "other.json", other))
    assert code == 2
    assert "other words" in err


def test_a_session_that_grew_is_continued(filled, tmp_path):
    grown = {**LATER, "turns": [*LATER["turns"], {"id": "t2", "role": "user", "text": "I have two cats."}]}
    code, out, _ = filled("ingest", write(tmp_path, "grown.json", grown))
    assert code == 0
    assert "1 turn " in out
    assert "two cats" in filled("statements")[1]
    assert filled("verify")[0] == 0


def test_every_reading_command_answers_in_words_and_in_json(filled):
    for command, more in {
        "recall": ("Where do I live?",), "statements": (), "changes": (), "contradictions": (), "open-items": (),
        "profile": (), "entities": (), "sessions": (), "start": (), "verify": (),
    }.items():  # fmt: skip
        code, out, _ = filled(command, *more)
        assert code == 0, command
        code, data, _ = filled(command, *more, "--json")
        assert code == 0, command
        json.loads(data)
        if command != "contradictions":
            assert out.strip(), command


def test_recall_puts_the_new_home_first_and_marks_the_old_one(filled):
    hits = json.loads(filled("recall", "Where do I live?", "--json")[1])["hits"]
    assert hits[0]["statement"]["object"] == "Lisbon"
    assert all("superseded" in h["flags"] for h in hits if h["statement"] and h["statement"]["object"] == "Turku")


def test_trace_takes_the_beginning_of_an_id_and_shows_the_words(filled):
    [lisbon] = [s for s in json.loads(filled("statements", "--json")[1]) if s["object"] == "Lisbon"]
    code, out, _ = filled("trace", lisbon["id"][:10])
    assert code == 0
    assert "«I moved to Lisbon last month»" in out.replace(".»", "»")
    assert "exact" in out
    assert filled("trace", "s_nothing")[0] == 2


def test_times_without_an_offset_and_unknown_words_are_refused(filled):
    assert filled("changes", "--since", "2025-05-14T10:00:00")[0] == 2
    assert filled("changes", "--since", "yesterday")[0] == 2
    assert filled("statements", "--status", "wrong")[0] == 2
    assert filled("nothing")[0] == 2


def test_acts_of_the_owner(filled):
    [nokia] = [s for s in json.loads(filled("statements", "--json")[1]) if s["object"] == "Nokia"]
    assert filled("confirm", nokia["id"], "--hash", "0" * 64)[0] == 2
    code, out, _ = filled("confirm", nokia["id"], "--hash", nokia["content_hash"], "--json")
    assert json.loads(out)["tier"] == "confirmed"
    code, out, _ = filled("correct", nokia["id"], "I work at Nokian Tyres", "--json")
    assert code == 0
    fixed = json.loads(out)
    assert fixed["object"] == "Nokian Tyres"
    assert fixed["corrects"] == [nokia["id"]]
    code, out, _ = filled("retract", fixed["id"], "--reason", "not so", "--json")
    assert json.loads(out)["status"] == "retracted"
    statements = {s["id"]: s for s in json.loads(filled("statements", "--json")[1])}
    assert statements[nokia["id"]]["status"] == "current"
    code, out, _ = filled("remember", "The wifi password is on the fridge", "--json")
    assert json.loads(out)["evidence"][0]["quote"] == "The wifi password is on the fridge"


def test_forget_asks_first_and_then_leaves_no_byte(filled, home):
    code, out, _ = filled("forget", "--topic", "dentist", "--dry-run")
    assert code == 0
    assert "would erase" in out
    code, out, _ = filled("forget", "--topic", "dentist", "--yes")
    assert code == 0
    assert "0 leftovers" in out
    assert all(b"dentist" not in p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert filled("verify")[0] == 0
    assert "Nokia" in filled("statements")[1] or "Lisbon" in filled("statements")[1]


def test_users_do_not_see_each_other(filled):
    code, out, _ = filled("statements", "--json", user="other")
    assert code == 0
    assert json.loads(out) == []
    assert filled("statements", user="*")[0] == 2


def test_a_space_in_use_by_another_process_is_read_and_written(filled, home):
    with Memory.open(home, user="u") as memory:
        before = len(memory.statements())
        code, out, err = run_elsewhere(["remember", "I keep bees", "--user", "u", "--home", str(home)])
        assert (code, err) == (0, "") and "bees" in out
        assert len(memory.statements()) == before + 1
    code, out, _ = run_elsewhere(["statements", "--user", "u", "--home", str(home)])
    assert code == 0 and "bees" in out


def test_a_space_that_another_process_is_writing_to_is_told_with_exit_code_3(filled, home):
    arguments = ["remember", "I keep bees", "--user", "u", "--home", str(home)]
    with Memory.open(home, user="u") as memory, memory._space.writing():
        code, _, err = run_elsewhere(arguments)
        assert code == 3
        assert "in use by another process" in err and err.count("\n") == 1
        assert run_elsewhere(["statements", "--user", "u", "--home", str(home)])[0] == 0


def run_elsewhere(arguments):
    import subprocess
    import sys

    out = subprocess.run([sys.executable, "-m", "graphmem", *arguments], capture_output=True, text=True, check=False)
    return out.returncode, out.stdout, out.stderr


def test_export_writes_rdf_and_json(filled, tmp_path):
    for name in ("trig", "nquads", "jsonld", "json"):
        code, _, _ = filled("export", "--format", name, "-o", tmp_path / f"out.{name}")
        assert code == 0
        assert b"Lisbon" in (tmp_path / f"out.{name}").read_bytes()
    assert filled("export", "-o", tmp_path / "no" / "such" / "folder.trig")[0] == 2


def test_doctor_finds_everything_that_is_required(capsys):
    assert run(["doctor"]) == 0
    assert "sha256 as pinned" in capsys.readouterr().out


def test_every_command_has_help_that_ends_in_a_sentence(capsys):
    for name in COMMANDS:
        assert run([name, "--help"]) == 0
        assert "." in capsys.readouterr().out, name


def test_a_terminal_gets_a_progress_bar_and_a_pipe_does_not(tmp_path, home):
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    import fcntl
    import os
    import struct
    import sys
    import termios

    path = write(tmp_path, "two.json", [SESSION, LATER])
    words = ["graphmem", "ingest", str(path), "--user", "u", "--home", str(home)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(0, 1)  # wait for the window to have a size
        os.execv(sys.executable, [sys.executable, "-W", "ignore", "-m", *words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    os.write(terminal, b"\n")
    out = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        out += piece
    assert os.waitpid(pid, 0)[1] == 0
    assert b"1/2" in out
    code, _, err = run_elsewhere(words[1:])
    assert code == 0
    assert "/2" not in err


EMPTY = {
    "statements": "no statements",
    "changes": "no changes",
    "contradictions": "no open contradictions",
    "open-items": "no open items",
    "sessions": "no conversations",
    "profile": "nothing is known of the user",
    "recall": "nothing in this memory answers that",
}


@pytest.mark.parametrize("command", EMPTY)
def test_a_list_with_nothing_in_it_says_so_in_one_line(cli, home, command):
    Memory.open(home, user="u").close()
    arguments = ["Where?"] if command == "recall" else []
    assert cli(command, *arguments) == (0, "", EMPTY[command] + "\n")
    code, out, err = cli(command, *arguments, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "") and (found == [] or command in ("profile", "recall"))


def test_an_empty_path_is_not_the_folder_one_is_in(cli, home, tmp_path, monkeypatch, capsys):
    (tmp_path / "here.txt").write_text("user: I keep bees")
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ["ingest", "", "--user", "u"],
        ["profile", "--user", "u", "--home", ""],
        ["extract", ""],
        ["doctor", "--home", ""],
    ):
        assert run(arguments) == 2
        assert "empty" in capsys.readouterr().err
    assert not home.exists() and len(list(tmp_path.iterdir())) == 1


def test_the_doctor_names_a_home_that_is_a_file(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["doctor", "--home", str(tmp_path / "file")]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "is a file" in said.err


WRITING = {
    "ingest": ["here.json"], "remember": ["I keep bees"], "confirm": ["x", "--hash", "y"], "correct": ["x", "y"],
    "retract": ["x"], "forget": ["--all", "--yes"], "propose": ["x", "claims.json"], "extract": [], "rebuild": [],
    "compact": [], "consolidate": [],
}  # fmt: skip


@pytest.mark.parametrize("command", WRITING)
def test_a_writing_command_waits_as_long_as_it_is_told(cli, filled, monkeypatch, tmp_path, command):
    from graphmem import locking

    write(tmp_path, "here.json", SESSION)
    write(tmp_path, "claims.json", [])
    monkeypatch.chdir(tmp_path)
    waited = []
    monkeypatch.setattr(locking.Door, "take", lambda self, wait: waited.append(wait))
    cli(command, *WRITING[command], "--wait", "0.25")
    assert set(waited) - {0} == {0.25}


def test_a_time_to_wait_below_nothing_is_refused(filled):
    code, _, err = filled("remember", "I keep bees", "--wait", "-1")
    assert code == 2 and "--wait" in err
