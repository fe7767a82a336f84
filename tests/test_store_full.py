"""A store that may not write any more: a typed error, a store that can still be read, and a retry that applies once."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from crowd import labels

from graphmem import Memory

HERE = Path(__file__).parent
resource = pytest.importorskip("resource")

# Writes until it is stopped by the limit on file sizes, reads, lifts the limit and tries the refused operation again.
PROGRAM = r"""
import json, resource, signal, sys
sys.path.insert(0, sys.argv[1])
from crowd import labels, take
from graphmem import Memory, files
from graphmem.errors import StoreError
from graphmem.graph import generations
home, limit, careful = sys.argv[2], int(sys.argv[3]), sys.argv[4] == "careful"
if not careful:
    files.check_room.__kwdefaults__["needed"] = -(10**12)
generations.LOG_LIMIT, generations.LOG_PART = 500_000, 10**9
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def allow(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

told, said, memory = [], None, None
allow(limit)
try:
    memory = Memory.open(home, user="u")
    for number in range(200):
        take(memory, f"label {number}")
        told.append(f"label {number}")
except StoreError as error:
    said = type(error).__name__
readable = None
if memory is not None:
    # What was acknowledged can be read while the disk is still full.
    readable = labels(memory) == sorted(told)
allow(resource.RLIM_INFINITY)
if memory is None:
    memory = Memory.open(home, user="u")
for _ in range(2):
    take(memory, f"label {len(told)}")
same = labels(memory) == sorted([*told, f"label {len(told)}"])
problems = memory.verify().problems
memory.close()
print(json.dumps({"said": said, "told": told, "readable": readable, "same": same, "problems": problems}))
"""


def starve(home: Path, limit: int, how: str) -> dict[str, object]:
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(HERE), str(home), str(limit), how],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, (limit, ended.returncode, ended.stderr[-1500:])
    report: dict[str, object] = json.loads(ended.stdout.strip().splitlines()[-1])
    assert report["said"] in ("StoreFull", "StoreError"), (limit, report)
    assert report["readable"] in (True, None) and report["same"] and report["problems"] == [], (limit, report)
    with Memory.open(home, user="u") as memory:
        told = report["told"]
        assert isinstance(told, list)
        assert labels(memory) == sorted([*told, f"label {len(told)}"])
        assert memory.verify().problems == ()
    return report


@pytest.mark.parametrize("limit", [0, 5_000, 90_000, 400_000, 1_300_000])
@pytest.mark.parametrize("how", ["careful", "careless"])
def test_a_file_size_limit_is_told_and_a_retry_applies_once(tmp_path, limit, how):
    starve(tmp_path, limit, how)


@pytest.mark.long
def test_any_file_size_limit(tmp_path):
    draw = random.Random(11)
    reached = 0
    for number in range(120):
        limit = int(10 ** draw.uniform(3, 6.5))
        report = starve(tmp_path / str(number), limit, "careless")
        reached += bool(report["told"])
        shutil.rmtree(tmp_path / str(number))
    print(json.dumps({"limits": 120, "after some writes": reached, "lost": 0, "twice": 0}))
    assert reached > 20
