"""A store that is stopped or starved at any named step is as it was before the step's act, or as it is after it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from crowd import take

from graphmem import Memory
from graphmem.failpoints import EXIT, NAMES
from graphmem.vectors import unpack

HERE = Path(__file__).parent
OLD = [f"old {number}" for number in range(4)]

# One act on a memory; with a failing disk the act is tried twice and what the first try said is printed.
PROGRAM = r"""
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import graphmem.embed
from crowd import labels, take
from graphmem import Memory
from graphmem.errors import GraphmemError
from machine_parts import Vectors, Wider
from graphmem.graph import generations
home, act = Path(sys.argv[2]), sys.argv[3]
user = "golden" if act == "migrate" else "u"
generations.FOLD_SOON, generations.FOLD_SOON_PART = (0, 10**9) if act == "close" else (10**9, 1)

def once():
    if act == "restore":
        Memory.restore(home / "kept.graphmem", home=home / "there").close()
        return
    if act == "replace":
        Memory.restore(home / "kept.graphmem", home=home, replace=True).close()
        return
    memory = Memory.open(home, user=user)
    try:
        if act in ("write", "close"):
            take(memory, "new")
        elif act == "compact":
            memory.compact()
        elif act == "reembed":
            graphmem.embed.embedder = lambda name: Wider() if name == "wider" else Vectors()
            memory.reembed(embedder="wider")
        elif act == "erase":
            memory.forget(session="old 2")
        elif act == "reset":
            memory.forget(all=True)
        elif act == "backup":
            memory.backup(home / "made.graphmem")
    finally:
        memory.close()

said = None
try:
    once()
except GraphmemError as error:
    said = type(error).__name__
    if act not in ("restore", "replace", "migrate"):
        with Memory.open(home, user=user) as memory:
            readable = labels(memory)
    once()
print(json.dumps({"said": said}))
"""

ACTS = {
    "write": "write.before-ledger ledger.begun ledger.entry ledger.before-commit ledger.committed "
    "write.before-graph write.after-graph",
    "compact": "generation.begun generation.filled generation.sealed generation.before-pointer generation.after-pointer "
    "generation.discarded",
    "reembed": "reembed.entry reembed.vectors reembed.before-commit reembed.committed",
    "erase": "erase.noted erase.entered erase.blanked erase.truncated erase.rebuilt erase.done",
    "reset": "reset.graph-gone reset.ledger-gone",
    "migrate": "migrate.begun migrate.step migrate.before-commit",
    "close": "close.folded close.before-seal",
    "backup": "backup.copied backup.before-rename",
    "restore": "restore.unpacked restore.before-rename",
    "replace": "restore.cleared",
}
POINTS = [(act, name) for act, names in ACTS.items() for name in names.split()]


def test_every_failpoint_has_its_act():
    # Those of a child that fills a graph are reached in tests of that.
    assert sorted(name for _, name in POINTS) == sorted(name for name in NAMES if not name.startswith(("fill.", "keys.")))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    home = tmp_path_factory.mktemp("prepared")
    with Memory.open(home, user="u") as memory:
        for label in OLD:
            take(memory, label)
        memory.backup(home / "kept.graphmem")
    with tarfile.open(HERE / "golden" / "ledger-1.tar.xz") as archive:
        archive.extractall(home / "golden", filter="data")
    return home


@pytest.fixture
def home(prepared, tmp_path):
    shutil.copytree(prepared, tmp_path / "home")
    return tmp_path / "home"


def run(home: Path, act: str, failpoint: str) -> subprocess.CompletedProcess[str]:
    if act == "migrate":
        home = next((home / "golden").iterdir())
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(HERE), str(home), act],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)), GRAPHMEM_FAILPOINT=failpoint),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def state(home: Path, act: str) -> object:
    """What a new process finds: always without a problem."""
    if act == "migrate":
        from datetime import UTC, datetime

        with Memory.open(next((home / "golden").iterdir()), user="golden", clock=lambda: datetime(2027, 1, 1, tzinfo=UTC)) as m:
            report = m.verify()
            assert report.problems == ()
            return report.ledger_head, len(m.statements())
    if act == "restore":
        with Memory.open(home / "there", user="u") as memory:
            assert memory.verify().problems == ()
            return sorted({s.object.split(" item ")[0] for s in memory.statements(kind="fact")})
    with Memory.open(home, user="u") as memory:
        found: dict[str, int] = {}
        for statement in memory.statements(kind="fact"):
            label = statement.object.split(" item ")[0]
            found[label] = found.get(label, 0) + 1
        assert set(found.values()) <= {3}
        kept = [row for rows in memory._space.ledger.vectors().values() for row in rows]
        assert {row[3] for row in kept} <= {memory._space.embedder}
        assert len({len(unpack(row[4])) for row in kept}) <= 1
        assert memory.verify().problems == ()
    leftovers = [path.name for path in home.iterdir() if path.name.endswith((".new", ".part", ".tmp"))]
    return sorted(found), leftovers if act != "backup" else []


def after(act: str, before: object) -> object:
    if act in ("write", "close"):
        return sorted([*OLD, "new"]), []
    if act == "erase":
        return [label for label in OLD if label != "old 2"], []
    if act == "reset":
        return [], []
    return OLD if act == "restore" else before


@pytest.mark.parametrize(("act", "name"), POINTS, ids=[name for _, name in POINTS])
def test_a_kill_at_a_named_step_leaves_before_or_after(home, act, name):
    before = [] if act == "restore" else state(home, act)
    if act == "migrate":
        with tarfile.open(HERE / "golden" / "ledger-1.tar.xz") as archive:
            shutil.rmtree(home / "golden")
            archive.extractall(home / "golden", filter="data")
    ended = run(home, act, f"{name}=exit")
    assert ended.returncode == EXIT, (ended.returncode, ended.stderr[-1500:])
    assert state(home, act) in (before, after(act, before))


@pytest.mark.parametrize("how", ["enospc", pytest.param("eio", marks=pytest.mark.long)])
@pytest.mark.parametrize(("act", "name"), POINTS, ids=[name for _, name in POINTS])
def test_a_failing_disk_at_a_named_step_is_told_and_a_retry_applies_once(home, act, name, how):
    before = [] if act == "restore" else state(home, act)
    if act == "migrate":
        with tarfile.open(HERE / "golden" / "ledger-1.tar.xz") as archive:
            shutil.rmtree(home / "golden")
            archive.extractall(home / "golden", filter="data")
    ended = run(home, act, f"{name}={how}")
    assert ended.returncode == 0, ended.stderr[-1500:]
    said = json.loads(ended.stdout.strip().splitlines()[-1])["said"]
    # Once acknowledged, a failing graph is brought up again and is no error.
    assert said in (None, "StoreFull", "StoreError")
    assert state(home, act) == after(act, before)
