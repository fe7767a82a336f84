"""What another process does in the middle: a check does not take it for damage, and what it began to erase is not shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crowd import take

from graphmem import Memory, failpoints, ledger_check, tracing
from graphmem.errors import StoreLocked
from graphmem.graph.probe import child_environment
from graphmem.locking import Door
from graphmem.owner import folder_name

ACT = """
import sys
sys.path.insert(0, sys.argv[1])
from crowd import take
from graphmem import Memory
with Memory.open(sys.argv[2], user="u") as memory:
    if sys.argv[3] == "take":
        take(memory, "gamma", items=1)
    else:
        memory.forget(**({"all": True} if sys.argv[3] == "all" else {"session": "beta"}))
"""


def elsewhere(home: Path, act: str, *, die: str | None = None) -> None:
    """Let another process write or forget, and be killed at a named step."""
    environment = child_environment() | ({"GRAPHMEM_FAILPOINT": f"{die}=exit"} if die else {})
    run = [sys.executable, "-c", ACT, str(Path(__file__).parent), str(home), act]
    done = subprocess.run(run, env=environment, timeout=100, check=False)
    assert done.returncode == (failpoints.EXIT if die else 0)


def filled(home: Path, **how: Any) -> Memory:
    memory = Memory.open(home, user="u", **how)
    for label in ("alpha", "beta"):
        take(memory, label, items=1)
    return memory


def said(memory: Memory) -> list[str]:
    return sorted(statement.object or "" for statement in memory.statements(kind="fact"))


def first(patch: pytest.MonkeyPatch, module: Any, name: str, act: Callable[[], None]) -> list[str]:
    """Have something happen just before the first call of a function; all its calls are noted."""
    calls: list[str] = []
    whole = getattr(module, name)

    def called(*args: Any) -> Any:
        calls.append(name)
        if len(calls) == 1:
            act()
        return whole(*args)

    patch.setattr(module, name, called)
    return calls


# ---------------------------------------------------------------------- verify

# What another process does, at which step of the check, and how often one must look.
MEANWHILE = [("take", ledger_check, "_lookups", 1), ("take", tracing, "Transcript", 1), ("forget", tracing, "Transcript", 2)]


@pytest.mark.parametrize(("act", "module", "step", "looks"), MEANWHILE, ids=["chain", "graph", "erasure"])
def test_what_is_written_during_a_check_is_not_taken_for_damage(tmp_path, monkeypatch, act, module, step, looks):
    with filled(tmp_path) as memory:
        calls = first(monkeypatch, module, step, lambda: elsewhere(tmp_path, act))
        report = memory.verify()
        assert report.problems == () and report.quotes_broken == ()
        assert report.ledger_ok and report.projection_equal and len(calls) == looks
        assert said(memory) == ["alpha item 0", *(["beta item 0", "gamma item 0"] if act == "take" else [])]


def test_a_problem_is_told_only_after_a_look_with_nobody_writing(tmp_path, monkeypatch):
    with filled(tmp_path, wait=0) as memory:
        monkeypatch.setattr(tracing.Transcript, "verified", lambda *_: False)
        with Door(tmp_path / folder_name("u", "default") / "lock", "the space").held(0), pytest.raises(StoreLocked):
            memory.verify()
        report = memory.verify()
        assert report.quotes_broken and report.problems == (f"{report.quotes_checked} quotes do not stand in their turns",)


# ---------------------------------------------------------------------- an erasure that another process began

# Where the other process was killed, what it was to forget, and whether this one had closed its graph meanwhile.
KILLED = [
    ("erase.noted", "forget", False), ("erase.noted", "forget", True), ("erase.blanked", "forget", False),
    ("erase.rebuilt", "forget", True), ("reset.graph-gone", "all", False), ("reset.graph-gone", "all", True),
]  # fmt: skip


@pytest.mark.parametrize(("die", "act", "dozing"), KILLED)
def test_what_a_killed_process_began_to_erase_is_shown_to_nobody(tmp_path, die, act, dozing):
    with filled(tmp_path) as memory:
        assert len(said(memory)) == 2
        if dozing:
            assert memory._space.doze()
        elsewhere(tmp_path, act, die=die)
        assert not any("beta" in change.model_dump_json() for change in memory.changes())
        assert said(memory) == (["alpha item 0"] if act == "forget" else [])
        assert not any("beta" in hit.model_dump_json() for hit in memory.recall("beta item").hits)
        assert any("interrupted" in notice for notice in memory.notices)
        assert memory.verify().problems == ()
    assert not any(b"beta item" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_an_erasure_that_cannot_be_finished_is_shown_to_nobody_either(tmp_path):
    with filled(tmp_path, wait=0) as memory:
        elsewhere(tmp_path, "forget", die="erase.noted")
        with Door(tmp_path / folder_name("u", "default") / "lock", "the space").held(0):
            for _ in range(2):
                with pytest.raises(StoreLocked):
                    memory.statements()
        assert said(memory) == ["alpha item 0"]
