"""The shipped examples run offline and say what they should."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="needs the checkout")


def output(name):
    out = subprocess.run(
        [sys.executable, "-W", "ignore", name], capture_output=True, text=True, cwd=EXAMPLES, check=False, timeout=300
    )
    assert out.returncode == 0, out.stderr[-1500:]
    return out.stdout


def test_the_assistant_follows_a_move_and_a_change_of_jobs():
    said = output("assistant.py")
    for line in (
        "User lives in Ghent", "User works at Le Pain Perdu", "User is allergic to hazelnuts",
        "superseded: User lives in Utrecht -> User lives in Ghent", "was born on 15 March",
        "How tall is the Eiffel Tower? (nothing in memory)",
    ):  # fmt: skip
        assert line in said, line
    holds = said.split("What holds now")[1].split("What changed")[0]
    assert "Utrecht" not in holds
    assert "bakery" not in holds


def test_the_auditor_gets_from_a_fact_to_its_transcript():
    said = output("auditor.py")
    assert "The memory says: User lives in Ghent" in said
    assert "those characters are what the ledger holds there: yes" in said
    assert "It replaced: User lives in Utrecht (superseded)" in said
    assert "the same memory says: Utrecht" in said
    assert "home: Ghent, for “I moved to Ghent last month”" in said
    assert "restored elsewhere from its audit export: the same statements" in said
    assert "0 broken; ledger whole; graph equal to a rebuild" in said


def test_memory_makes_the_difference():
    said = output("with_and_without.py")
    assert "right answers: 0 of 6 without memory, 6 with it" in said


def test_consolidation_runs_on_the_hosts_schedule_and_adds_nothing_twice():
    said = output("consolidate.py")
    assert "2 new themes, 0 unchanged" in said and "0 new themes, 2 unchanged" in said and said.count(" 0 lost") == 2
    assert "Theme garden, garlic (2026-03-07 to 2026-05-07)" in said
    assert "2026-04-07 “I planted garlic in the garden yesterday”" in said and ", 0 broken" in said
