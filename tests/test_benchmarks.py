"""The benchmarks run: each in a form of seconds, without a look at the clock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "benchmarks"


def run(name: str, *arguments: str) -> str:
    """What a benchmark prints."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", str(FOLDER / name), *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


def test_the_store_is_measured():
    table = run("store.py", "--sizes", "60", "--spaces", "2")
    assert "B/statement" in table and "bare Kùzu" in table


def test_reconciling_is_measured():
    assert "| repeated |" in run("reconciling.py", "--sizes", "40")


def test_taking_conversations_in_is_measured():
    table = run("ingest.py", "--turns", "20")
    assert "turns/s" in table and "other threads" in table


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py") if path.name != "workload.py"))
def test_every_benchmark_says_how_to_run_it(name):
    assert "usage:" in run(name, "--help")
