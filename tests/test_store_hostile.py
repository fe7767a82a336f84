"""What nobody means to do to a store: foreign parts, a folder that goes away, notes full of nonsense, names that are none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from crowd import take

from graphmem import Memory
from graphmem.errors import InputError, LimitExceeded, ModelError, ReadOnlyStore, StoreError
from graphmem.graph.probe import child_environment
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


def test_a_graph_that_does_not_say_whose_it_is_is_written_anew(tmp_path):
    import json

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


@pytest.mark.parametrize("home", ["a\0b", "\udcff", 3, b"x", ["x"]], ids=repr)
def test_what_is_no_folder_is_refused(tmp_path, monkeypatch, home):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="home"):
        Memory.open(home, user="u")
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_store_that_may_not_be_written_is_not_called_damaged(tmp_path):
    made(tmp_path / "home", "u", "alpha")
    own = folder_of(tmp_path / "home", "u")
    own.chmod(0o500)
    (own / "ledger.sqlite").chmod(0o400)
    try:
        with pytest.raises(ReadOnlyStore):
            Memory.open(tmp_path / "home", user="u")
        with pytest.raises(ReadOnlyStore):
            backup(own, tmp_path / "backup", now=datetime(2026, 1, 1, tzinfo=UTC))
        own.chmod(0)
        with pytest.raises(StoreError, match="rights"):
            Memory.open(tmp_path / "home", user="u")
    finally:
        own.chmod(0o700)
