"""The benchmarks run: each in a form of seconds, without a look at the clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem.recall.weights import weights

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


def test_the_reach_of_the_rules_on_personal_data_is_measured():
    table = run("personal.py")
    assert table.count("| secrets |") == 2 and "of 143" in table


def test_taking_conversations_in_is_measured():
    table = run("ingest.py", "--turns", "20")
    assert "turns/s" in table and "other threads" in table


def test_recall_is_measured_with_and_without_its_parts_and_fitted(tmp_path):
    talks = []
    for name, (left, right) in {"one": ("Ada", "Bo"), "two": ("Cy", "Di")}.items():
        turns = [
            {"id": f"{name}{place}", "role": "user", "speaker": (left, right)[place % 2], "text": text}
            for place, text in enumerate(
                (f"Where is the {name} lantern?", "In the shed since last May.", "And the canoe?", "My sister has got it.")
            )
        ]
        asked = [
            {"question": f"When did {right} put the lantern into the shed?", "category": "when", "evidence": [f"{name}1"]},
            {"question": f"Who has the canoe of {right}?", "category": "who", "evidence": [f"{name}3"]},
        ]
        session = {"id": f"s{name}", "started": "2026-01-05T10:00:00+00:00", "turns": turns}
        talks.append({"id": name, "sessions": [session], "questions": asked})
    file = tmp_path / "talks.json"
    file.write_text(json.dumps(talks), encoding="utf-8")
    table = run("recall.py", "--quality", str(file), "--home", str(tmp_path / "home"), "--sizes", "20", "--questions", "2")
    assert "| no graph |" in table and "| floor |" in table and "4 questions of 2 conversations" in table
    assert "| recall, median |" in table
    told = run("consolidation.py", str(file), "--home", str(tmp_path / "home"))
    assert "4 questions of 2 conversations, 0 with another figure" in told and "R@10: " in told
    fitted = run("recall_fit.py", "--people", str(file), "--answered", str(file), "--home", str(tmp_path / "home"))
    shipped, kept = json.loads(fitted)["minilm"], weights()
    assert shipped["people"]["weights"].keys() == kept.people.keys()
    assert shipped["answered"]["weights"].keys() == kept.answered.keys()


MODULES = {"workload.py", "conversations.py"}


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py") if path.name not in MODULES))
def test_every_benchmark_says_how_to_run_it(name):
    assert "usage:" in run(name, "--help")
