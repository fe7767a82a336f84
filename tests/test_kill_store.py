"""A store whose process is killed at any moment: what was acknowledged is there, nothing is torn, it opens again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from crowd import labels, take

from graphmem import Memory

HERE = Path(__file__).parent
ITEMS = 3

# Writes operations one after another and says each label once it is acknowledged.
WRITER = r"""
import sys
sys.path.insert(0, sys.argv[1])
from crowd import take
from graphmem import Memory
from graphmem.graph import generations
# A small log limit, so that new generations are made in between.
generations.LOG_LIMIT, generations.LOG_PART = 400_000, 10**9
number = int(sys.argv[3])
with Memory.open(sys.argv[2], user="u") as memory:
    print("open", flush=True)
    while True:
        take(memory, f"label {number}")
        print("done", number, flush=True)
        number += 1
"""

# Writes the graph anew again and again, and says when it begins.
COMPACTER = r"""
import sys
from graphmem import Memory
with Memory.open(sys.argv[2], user="u") as memory:
    memory.statements()
    while True:
        print("now", flush=True)
        memory.compact()
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, str(HERE), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
    )  # fmt: skip


def whole(memory: Memory) -> set[str]:
    """The labels that are there; each with all of its statements."""
    counts: dict[str, int] = {}
    for statement in memory.statements(kind="fact"):
        label = statement.object.split(" item ")[0]
        counts[label] = counts.get(label, 0) + 1
    assert set(counts.values()) <= {ITEMS}, "an operation is there in part"
    return set(counts)


def kill_while_writing(home: Path, *, cycles: int, seed: int) -> int:
    """Kill and reopen; how many acknowledged operations were checked."""
    draw = random.Random(seed)
    told: set[str] = set()
    number = 0
    for cycle in range(cycles):
        writer = start(WRITER, str(home), str(number))
        wanted = draw.randrange(0, 8)
        for line in writer.stdout:
            if line.startswith("done"):
                told.add(f"label {line.split()[1]}")
                wanted -= 1
            if wanted <= 0:
                break
        time.sleep(draw.random() * 0.05)
        writer.send_signal(signal.SIGKILL)
        for line in writer.stdout:
            if line.startswith("done"):
                told.add(f"label {line.split()[1]}")
        assert writer.wait() == -signal.SIGKILL, writer.stderr.read()[-2000:]
        number = max([number, *(int(label.split()[1]) + 1 for label in told)]) + 1
        with Memory.open(home, user="u") as memory:
            found = whole(memory)
            assert told <= found, f"lost after cycle {cycle}: {sorted(told - found)}"
            if cycle % 10 == 9 or cycle == cycles - 1:
                assert memory.verify().problems == ()
    print(json.dumps({"cycles": cycles, "acknowledged": len(told), "lost": 0, "torn": 0, "failed openings": 0}))
    return len(told)


def kill_while_compacting(home: Path, *, kills: int, seed: int) -> None:
    draw = random.Random(seed)
    with Memory.open(home, user="u") as memory:
        for number in range(12):
            take(memory, f"label {number}")
        expected = labels(memory)
    for _ in range(kills):
        child = start(COMPACTER, str(home))
        turns = draw.randrange(1, 4)
        for line in child.stdout:
            turns -= line == "now\n"
            if turns <= 0:
                break
        time.sleep(draw.random() * 0.12)
        child.send_signal(signal.SIGKILL)
        child.stdout.read()
        assert child.wait() == -signal.SIGKILL, child.stderr.read()[-2000:]
        with Memory.open(home, user="u") as memory:
            assert labels(memory) == expected
            assert not any("unfit" in notice for notice in memory.notices)
    with Memory.open(home, user="u") as memory:
        assert memory.verify().problems == ()
    folder = next(path for path in home.iterdir() if path.is_dir()) / "graph"
    assert len([path for path in folder.iterdir() if path.name.startswith("g0")]) == 1
    print(json.dumps({"kills in compaction": kills, "lost": 0, "failed openings": 0}))


def test_kills_while_writing_lose_nothing_that_was_acknowledged(tmp_path):
    assert kill_while_writing(tmp_path, cycles=8, seed=5) > 5


def test_kills_while_compacting_leave_the_store_as_it_was(tmp_path):
    kill_while_compacting(tmp_path, kills=6, seed=6)


@pytest.mark.long
def test_five_hundred_kills_while_writing(tmp_path):
    kill_while_writing(tmp_path, cycles=500, seed=7)


@pytest.mark.long
def test_three_hundred_kills_while_compacting(tmp_path):
    kill_while_compacting(tmp_path, kills=300, seed=8)
