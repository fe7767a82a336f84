"""What nobody means to do to a store: foreign parts, a folder that goes away, notes full of nonsense, names that are none."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from crowd import take

from graphmem import Memory, failpoints, files, space
from graphmem.cli import doctor
from graphmem.errors import InputError, LedgerDamaged, LimitExceeded, ModelError, StoreError
from graphmem.graph import generations
from graphmem.graph.probe import child_environment
from graphmem.lifecycle import erase
from graphmem.lifecycle.backup import backup
from graphmem.lifecycle.examine import examine
from graphmem.owner import folder_name
from graphmem.sessions import document


def folder_of(home: Path, user: str) -> Path:
    return home / folder_name(user, "default")


def said(memory: Memory) -> list[str]:
    return sorted(statement.object or "" for statement in memory.statements(kind="fact"))


def made(home: Path, user: str, *labels: str) -> list[str]:
    with Memory.open(home, user=user) as memory:
        for label in labels:
            take(memory, label, items=1)
        return said(memory)


# ---------------------------------------------------------------------- foreign parts


@pytest.mark.parametrize("labels", [("alpha",), ("alpha", "beta", "gamma")], ids=["as long", "shorter"])
def test_the_graph_of_somebody_else_is_not_shown(tmp_path, labels):
    right = made(tmp_path, "alice", *labels)
    made(tmp_path, "bob", "omega")
    own = folder_of(tmp_path, "alice")
    shutil.rmtree(own / "graph")
    shutil.copytree(folder_of(tmp_path, "bob") / "graph", own / "graph")
    assert "generation-foreign" in [finding.kind for finding in examine(own)]
    with Memory.open(tmp_path, user="alice") as memory:
        assert said(memory) == right
        assert "another ledger" in " ".join(memory.notices)
        assert memory.verify().problems == ()
    with Memory.open(tmp_path, user="alice") as memory:
        assert said(memory) == right and memory.notices == ()
    assert not any(finding.severity == "damage" for finding in examine(own))


def branches(home: Path, *, killed: bool = False) -> tuple[Path, Path]:
    """Two homes whose ledgers begin with the same entries and go on differently, each with its graph."""
    made(home, "u", "alpha")
    other = home.with_name("other")
    shutil.copytree(home, other)
    for place, label in ((home, "beta"), (other, "omega")):
        run = [sys.executable, "-c", BRANCHING, str(Path(__file__).parent), str(place), label, "kill" if killed else "close"]
        subprocess.run(run, env=child_environment(), timeout=100, check=True)
    return home, other


BRANCHING = """
import os, sys
sys.path.insert(0, sys.argv[1])
from crowd import take
from graphmem import Memory
memory = Memory.open(sys.argv[2], user=(sys.argv[5:] or ["u"])[0])
take(memory, sys.argv[3], items=1)
if sys.argv[4] == "kill":
    os._exit(0)
memory.close()
"""


@pytest.mark.parametrize("killed", [False, True], ids=["closed", "killed"])
def test_the_graph_of_a_branch_of_the_same_ledger_is_not_shown(tmp_path, killed):
    home, other = branches(tmp_path / "home", killed=killed)
    own = folder_of(home, "u")
    shutil.rmtree(own / "graph")
    shutil.copytree(folder_of(other, "u") / "graph", own / "graph")
    # After a kill only the graph itself knows how far it went, and the doctor does not ask the engine.
    assert ("generation-foreign" in [finding.kind for finding in examine(own)]) is not killed
    with Memory.open(home, user="u") as memory:
        assert said(memory) == ["alpha item 0", "beta item 0"]
        assert "another course of the ledger" in " ".join(memory.notices)
        assert memory.verify().problems == ()
    with Memory.open(home, user="u") as memory:
        assert said(memory) == ["alpha item 0", "beta item 0"] and memory.notices == ()
    assert not any(finding.severity == "damage" for finding in examine(own))


def test_a_graph_that_does_not_say_whose_it_is_is_written_anew(tmp_path):
    right = made(tmp_path, "alice", "alpha")
    manifest = next(folder_of(tmp_path, "alice").glob("graph/g*/manifest.json"))
    noted = json.loads(manifest.read_text())
    del noted["origin"]
    manifest.write_text(json.dumps(noted))
    with Memory.open(tmp_path, user="alice") as memory:
        assert said(memory) == right
        assert "from which ledger" in " ".join(memory.notices)
    with Memory.open(tmp_path, user="alice") as memory:
        assert said(memory) == right and memory.notices == ()


# ---------------------------------------------------------------------- the log of the ledger


def killed(home: Path, *labels: str, user: str = "u") -> Path:
    """The folder of a space in which something was recorded by a process that was then killed: it lies in the log."""
    for label in labels:
        run = [sys.executable, "-c", BRANCHING, str(Path(__file__).parent), str(home), label, "kill", user]
        subprocess.run(run, env=child_environment(), timeout=100, check=True)
    assert (folder_of(home, user) / "ledger.sqlite-wal").stat().st_size
    return folder_of(home, user)


@pytest.mark.parametrize("foreign", ["another user", "another user, no head", "another user who closed before", "a branch"])
def test_the_log_of_another_ledger_is_refused_and_changes_nothing(tmp_path, foreign):
    home, other = tmp_path / "home", tmp_path / "other"
    made(home, "u", "alpha")
    if foreign == "a branch":
        shutil.copytree(home, other)
        log = killed(other, "omega") / "ledger.sqlite-wal"
        made(home, "u", "beta")
    else:
        if "closed" in foreign:
            made(other, "bob", "omega")
        log = killed(other, "omega 2", user="bob") / "ledger.sqlite-wal"
    right = made(home, "u")
    own = folder_of(home, "u")
    if "no head" in foreign:
        (own / "head.json").unlink()
    before = (own / "ledger.sqlite").read_bytes()
    shutil.copy(log, own / "ledger.sqlite-wal")
    kinds = {finding.kind: finding.command for finding in examine(own) if finding.severity == "damage"}
    assert list(kinds) == ["ledger-log-foreign"] and kinds["ledger-log-foreign"].startswith("mv ")
    for _ in range(2):
        with pytest.raises(LedgerDamaged, match="move the log away"):
            Memory.open(home, user="u")
    with pytest.raises(StoreError, match="move the log away"):
        backup(own, tmp_path / "backup", now=datetime(2026, 1, 1, tzinfo=UTC))
    assert (own / "ledger.sqlite").read_bytes() == before
    assert (own / "ledger.sqlite-wal").read_bytes() == log.read_bytes()
    (own / "ledger.sqlite-wal").unlink()
    assert made(home, "u") == right


def test_a_log_that_was_removed_after_a_kill_is_told_with_what_is_lost(tmp_path):
    made(tmp_path, "u", "alpha")
    own = killed(tmp_path, "beta", "gamma")
    (own / "ledger.sqlite-wal").unlink()
    assert "ledger-log-missing" in [finding.kind for finding in examine(own)]
    with Memory.open(tmp_path, user="u") as memory:
        assert said(memory) == ["alpha item 0"]
        told = " ".join(memory.notices)
        assert "the ledger ends at 3" in told and "entries 4 to 9" in told and "backup" in told
        assert memory.verify().problems == ()
    assert not any(finding.severity == "damage" for finding in examine(own))


def test_a_ledger_whose_first_log_was_removed_is_not_begun_anew(tmp_path):
    own = killed(tmp_path, "alpha")
    (own / "ledger.sqlite-wal").rename(tmp_path / "kept")
    assert "damage" in {finding.severity for finding in examine(own)}
    for _ in range(2):
        with pytest.raises(LedgerDamaged, match=r"put ledger\.sqlite-wal back"):
            Memory.open(tmp_path, user="u")
    (tmp_path / "kept").rename(own / "ledger.sqlite-wal")
    assert made(tmp_path, "u") == ["alpha item 0"]
    for name in ("ledger.sqlite", "head.json"):
        (own / name).unlink()
    with pytest.raises(LedgerDamaged, match="missing"):
        Memory.open(tmp_path, user="u")
    with Memory.open(tmp_path, user="u", accept_loss=True) as memory:
        assert said(memory) == [] and "another ledger" in " ".join(memory.notices)


# ---------------------------------------------------------------------- notes full of nonsense

DEEP = "[" * 100_000
HEADS = ['[2, "x", "a", 2]', '[2, "x", null, null]', '[2, "x", [], {}]', DEEP, f'[{10**30}, "x"]', '[-1, "x"]', '[true, "x"]']
NOTES = [DEEP, '{"clean": true, "log_size": Infinity, "log_crc32": 0}', '{"engine": [], "origin": {}}', '{"schema": "x"}']


@pytest.mark.parametrize("content", HEADS, ids=lambda content: content[:12])
def test_a_note_of_the_ledgers_end_that_makes_no_sense_is_passed_over(tmp_path, content):
    right = made(tmp_path, "u", "alpha")
    (folder_of(tmp_path, "u") / "head.json").write_text(content)
    with Memory.open(tmp_path, user="u") as memory:
        assert said(memory) == right
        assert memory.verify().problems == ()


@pytest.mark.parametrize("name", ["manifest.json", "state.json"])
@pytest.mark.parametrize("content", NOTES, ids=lambda content: content[:12])
def test_a_note_about_a_graph_that_makes_no_sense_is_passed_over(tmp_path, name, content):
    right = made(tmp_path, "u", "alpha")
    next(folder_of(tmp_path, "u").glob(f"graph/g*/{name}")).write_text(content)
    examine(folder_of(tmp_path, "u"))
    with Memory.open(tmp_path, user="u") as memory:
        assert said(memory) == right


@pytest.mark.parametrize("version", [0, 1])
def test_a_schema_that_was_altered_is_named_though_the_note_was_renewed(tmp_path, version):
    right = made(tmp_path, "u", "alpha")
    own = folder_of(tmp_path, "u")
    with closing(sqlite3.connect(own / "ledger.sqlite", isolation_level=None)) as db:
        for pragma in ("journal_mode=DELETE", f"user_version={version}", "journal_mode=WAL"):
            db.execute(f"PRAGMA {pragma}")
    data = (own / "ledger.sqlite").read_bytes()
    seq, hash_, *_ = json.loads((own / "head.json").read_text())
    (own / "head.json").write_text(json.dumps([seq, hash_, len(data), zlib.crc32(data)]))
    assert "the schema of the file was altered" in " ".join(f.text for f in examine(own) if f.severity == "damage")
    with Memory.open(tmp_path, user="u") as memory:
        assert "schema of the file was altered" in " ".join(memory.notices)
        assert said(memory) == right
        report = memory.verify()
        assert not report.ledger_ok and "schema" in report.problems[0]
        with pytest.raises(LedgerDamaged, match="reading only"):
            memory.remember("I keep bees")
    assert (own / "ledger.sqlite").read_bytes() == data


# ---------------------------------------------------------------------- a folder that goes away


@pytest.mark.parametrize("asleep", [False, True])
def test_a_memory_whose_folder_is_gone_says_so_and_makes_no_empty_one(tmp_path, asleep):
    home, aside = tmp_path / "home", tmp_path / "aside"
    memory = Memory.open(home, user="u")
    take(memory, "alpha", items=1)
    right = said(memory)
    if asleep:
        memory._space.rest()
    home.rename(aside)
    for _ in range(2):
        with pytest.raises(StoreError, match="removed or moved away"):
            memory.statements()
        with pytest.raises(StoreError, match="removed or moved away"):
            memory.remember("I keep bees")
    assert not home.exists()
    aside.rename(home)
    assert said(memory) == right
    take(memory, "beta", items=1)
    home.rename(aside)
    memory.close()
    assert not home.exists()
    with Memory.open(aside, user="u") as there:
        assert "beta item 0" in said(there) and there.verify().problems == ()


def test_a_memory_whose_ledger_was_removed_says_so(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        take(memory, "alpha", items=1)
        (folder_of(tmp_path, "u") / "ledger.sqlite").unlink()
        with pytest.raises(StoreError, match="removed or moved away"):
            memory.statements()
        assert not (folder_of(tmp_path, "u") / "ledger.sqlite").exists()


# ---------------------------------------------------------------------- what is no home, no embedder, no session


@pytest.mark.parametrize("home", ["a\0b", "\udcff", 3, b"x", ["x"], ""], ids=repr)
def test_what_is_no_folder_is_refused(tmp_path, monkeypatch, home):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="home"):
        Memory.open(home, user="u")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_home(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        Memory.open(file, user="u")
    with pytest.raises(InputError, match="is a file"):
        doctor.examine(file)
    monkeypatch.setenv("GRAPHMEM_HOME", str(file))
    with pytest.raises(InputError, match="is a file"):
        Memory.open(user="u")
    assert file.read_text() == "mine"


TIMES = {"naive": datetime(2026, 1, 1), "none": None, "a number": 1.0, "a date": "2026-01-01"}


@pytest.mark.parametrize("time", TIMES.values(), ids=TIMES)
def test_a_clock_that_gives_no_aware_time_is_named_and_nothing_is_recorded(tmp_path, time):
    with pytest.raises(InputError, match="clock gave"):
        Memory.open(tmp_path / "new", user="u", clock=lambda: time)
    assert not list(tmp_path.glob("new/*/ledger.sqlite*"))
    right = made(tmp_path / "home", "u", "alpha")
    with Memory.open(tmp_path / "home", user="u", clock=lambda: time) as memory:
        for act in (memory.statements, lambda: memory.recall("bees"), lambda: memory.remember("I keep bees"), memory.start):
            with pytest.raises(InputError, match="clock gave"):
                act()
    assert made(tmp_path / "home", "u") == right
    with pytest.raises(InputError, match="clock must be"):
        Memory.open(tmp_path / "home", user="u", clock=time)


def test_an_empty_text_is_no_path_of_a_transcript(tmp_path, monkeypatch):
    (tmp_path / "here.txt").write_text("user: I keep bees")
    monkeypatch.chdir(tmp_path)
    with Memory.open(tmp_path / "home", user="u") as memory:
        with pytest.raises(InputError, match="empty text"):
            memory.ingest("")
        assert memory.sessions() == []


@pytest.mark.parametrize("wait", [float("nan"), "5", None, True], ids=repr)
def test_what_is_no_time_to_wait_is_refused(tmp_path, wait):
    with pytest.raises(InputError, match="wait"):
        Memory.open(tmp_path / "home", user="u", wait=wait)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("name", ["minilm-2", "sentence-transformers:", 3], ids=repr)
def test_a_mistyped_embedder_does_not_spoil_a_new_memory(tmp_path, name):
    with pytest.raises(InputError, match="embedder"):
        Memory.open(tmp_path, user="u", embedder=name)
    made(tmp_path, "u", "alpha")


def test_an_embedder_that_is_not_installed_does_not_spoil_a_new_memory(tmp_path, monkeypatch):
    from graphmem import embed

    def missing(model: str) -> None:
        raise ModelError(f"there is no model {model}")

    monkeypatch.setattr(embed, "_sentence_transformer", missing)
    with pytest.raises(ModelError):
        Memory.open(tmp_path, user="u", embedder="sentence-transformers:none")
    made(tmp_path, "u", "alpha")


def test_a_list_that_holds_itself_is_refused(tmp_path):
    endless: list[object] = []
    endless.append(endless)
    with Memory.open(tmp_path, user="u") as memory:
        with pytest.raises(InputError, match="lists within lists"):
            memory.ingest(endless)
        assert memory.sessions() == []


def test_a_file_without_a_size_is_read_up_to_the_limit_and_no_further(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "MAX_FILE", 10_000)
    with Memory.open(tmp_path, user="u") as memory, pytest.raises(LimitExceeded, match="zero"):
        memory.ingest("/dev/zero")


# ---------------------------------------------------------------------- a process that forks

FORKING = """
import os, sys, time
from graphmem import Memory
memory = Memory.open(sys.argv[1], user="u")
memory.remember("I keep bees")
memory.recall("bees")
child = os.fork()
if not child:
    with Memory.open(sys.argv[1], user="u") as own:
        own.remember("I like tea")
        own.recall("bees")
    sys.exit(7)
for _ in range(400):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    sys.exit("the child hangs")
assert os.waitstatus_to_exitcode(status) == 7, status
memory.remember("I like cheese")
assert memory.verify().problems == ()
memory.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_ends_like_any_process(tmp_path):
    run = [sys.executable, "-c", FORKING, str(tmp_path)]
    done = subprocess.run(run, env=child_environment(), capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with Memory.open(tmp_path, user="u") as memory:
        assert len(memory.statements(kind="preference")) == 2


# ---------------------------------------------------------------------- an act that is stopped

STOPS = ["erase.noted", "erase.blanked", "erase.truncated", "generation.before-pointer", "erase.rebuilt", "erase.done"]
# Where an erasure is stopped, by what, and whether a reading or a writing act comes next.
STOPPED = [(name, {"session": "beta"}, number % 2) for number, name in enumerate(STOPS)]
STOPPED += [("reset.graph-gone", {"all": True}, 0), ("reset.ledger-gone", {"all": True}, 1)]


def stop_at(patch: pytest.MonkeyPatch, name: str, error: type[BaseException]) -> None:
    """Raise in the middle of an act, at a named step of it, once."""
    left = [name]

    def reach(here: str) -> None:
        if here in left:
            left.remove(here)
            raise error

    patch.setattr(failpoints, "reach", reach)
    for module in (erase, files, generations, space):
        patch.setattr(module, "reach", reach)


@pytest.mark.parametrize(("name", "what", "writes"), STOPPED, ids=[name for name, *_ in STOPPED])
def test_an_erasure_that_was_stopped_goes_on_with_the_next_act(tmp_path, monkeypatch, name, what, writes):
    error = MemoryError if writes else KeyboardInterrupt
    with Memory.open(tmp_path, user="u") as memory:
        for label in ("alpha", "beta"):
            take(memory, label, items=1)
        with monkeypatch.context() as patch:
            stop_at(patch, name, error)
            with pytest.raises(error):
                memory.forget(**what)
        if writes:
            take(memory, "gamma", items=1)
        left = [] if "all" in what else ["alpha item 0"]
        assert said(memory) == left + ["gamma item 0"] * writes
        if name not in ("erase.done", "reset.ledger-gone"):  # there it was as good as done
            assert "interrupted" in " ".join(memory.notices)
        report = memory.verify()
        assert report.problems == () and report.quotes_broken == ()
    assert not any(b"beta item" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    with Memory.open(tmp_path, user="u") as memory:
        assert memory.notices == ()


def test_a_writer_finishes_the_erasure_of_a_process_that_was_killed(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        for label in ("alpha", "beta"):
            take(memory, label, items=1)
        code = f"from graphmem import Memory; Memory.open({str(tmp_path)!r}, user='u').forget(session='beta')"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=child_environment() | {"GRAPHMEM_FAILPOINT": "erase.noted=exit"}, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == failpoints.EXIT
        said(memory)
        take(memory, "gamma", items=1)
        assert said(memory) == ["alpha item 0", "gamma item 0"]
        assert memory.verify().problems == ()


# ---------------------------------------------------------------------- a restore


def test_a_memory_that_was_made_while_another_was_unpacked_is_kept(tmp_path):
    file, home = tmp_path / "backup", tmp_path / "home"
    with Memory.open(tmp_path / "old", user="u") as memory:
        take(memory, "alpha", items=1)
        memory.backup(file)

    def meanwhile(*_: int) -> None:
        made(home, "u", "beta")

    with pytest.raises(InputError, match="already"):
        Memory.restore(file, home=home, progress=meanwhile)
    with Memory.open(home, user="u") as memory:
        assert said(memory) == ["beta item 0"]


# ---------------------------------------------------------------------- rights


READING = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import pytest
from crowd import take
from graphmem import Memory
from graphmem.errors import ReadOnlyStore, StoreError
from graphmem.graph.reference import filled
from graphmem.lifecycle.examine import examine
home, log = Path(sys.argv[2]), sys.argv[3]


def ask(memory):
    found = memory.statements(kind="fact")
    assert memory.recall("alpha item 0", min_score=0).hits and memory.profile().user == "u"
    assert memory.trace(found[0].id).verified == (True,)
    report = memory.verify()
    assert report.problems == () and report.quotes_broken == ()
    return sorted(one.object for one in found)


# Everything is loaded before rights are given up, with which also modules could no longer be read.
with Memory.open(home, user="u") as memory:
    take(memory, "alpha", items=1)
    ask(memory)
    memory.backup(home.parent / "kept")
    filled(memory._space.history(), dimension=memory._space.dimension)
    [own] = home.iterdir()
    examine(own)
if log != "folded" and not os.fork():
    memory = Memory.open(home, user="u")
    if log == "erasing":
        from graphmem.lifecycle import erase
        erase.finish = lambda space: os._exit(0)
        memory.forget(session="alpha")
    take(memory, "beta", items=1)
    os._exit(0)
log == "folded" or os.wait()
if log == "without index":
    (own / "ledger.sqlite-shm").unlink()
for path in (*home.rglob("*"), home):
    path.chmod(0o555 if path.is_dir() else 0o444)
before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
if os.geteuid() == 0:
    os.setuid(65534)
if log == "erasing":
    with pytest.raises(ReadOnlyStore, match="erasure"):
        Memory.open(home, user="u")
    sys.exit()
right = ["alpha item 0"] if log == "folded" else ["alpha item 0", "beta item 0"]
memory = Memory.open(home, user="u")
assert "reading only" in " ".join(memory.notices)
assert ask(memory) == right
for act in (lambda: memory.remember("I keep bees"), lambda: memory.forget(all=True), memory.rebuild):
    with pytest.raises(ReadOnlyStore, match="write"):
        act()
memory.backup(Path(sys.argv[4]) / "backup")
memory.close()
assert not [finding for finding in examine(own) if finding.severity == "damage"]
assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
if os.geteuid() == 65534:
    sys.exit()
own.chmod(0)
with pytest.raises(StoreError, match="rights"):
    Memory.open(home, user="u")
own.chmod(0o700)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no rights to give up here")
@pytest.mark.parametrize("log", ["folded", "with index", "without index", "erasing"])
def test_a_memory_that_may_not_be_written_is_read(log):
    # Not in the test's own folder, which is closed to the user without rights that the program becomes.
    home, out = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    for folder, rights in ((home, 0o755), (out, 0o777)):
        folder.chmod(rights)
    run = [sys.executable, "-W", "ignore", "-c", READING, str(Path(__file__).parent), str(home / "home"), log, str(out)]
    try:
        done = subprocess.run(run, env=child_environment(), capture_output=True, text=True, timeout=100, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        if log != "erasing":
            with Memory.restore(out / "backup", home=out / "new") as memory:
                assert said(memory) == ["alpha item 0", "beta item 0"][: 1 if log == "folded" else 2]
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(home)], check=True)
        for folder in (home, out):
            shutil.rmtree(folder)
