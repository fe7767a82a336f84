"""Whatever is said and however it is mangled: no exception, exact quotes, a reason for every sentence, bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem.extractors.rules import RuleExtractor
from graphmem.sessions import parse

HERE = Path(__file__).parent
pytest.importorskip("resource", reason="measures the memory of a process")
LIGHT_MB = 512  # most that extraction and an ingest without engine and embedding model may have resident
GROWTH_MB = 256  # most that ingests with everything may add to what the first of them took


# What once stopped an ingest, or made it take minutes.
STOPPED = {
    "a decision without its content": "we decided",
    "a choice without its content": "my sister and I picked",
    "a preference without its content": "I prefer to.",
    "a deadline before the first day": "I have to pay the rent before 0001-01-01.",
    "a date at the end of the calendar": "I moved to Oslo on 9999-12-31",
    "digits that are no number": "I'm ²⁰ years old. My cat is ²",
    "a number too long to be one": f"I'm {'9' * 5_000}. I live at {'9' * 5_000} Mill Lane",
    "a line to fill in": "my name is " + "_" * 12_000,
}


@pytest.mark.parametrize("text", STOPPED.values(), ids=list(STOPPED))
@pytest.mark.parametrize("started", ["0001-01-01T00:00:00Z", "2025-05-14T10:30:00+03:00", "9999-12-31T23:59:59Z"])
def test_what_once_stopped_it(text, started):
    session = parse({"id": "s", "started": started, "turns": [{"role": "user", "text": text}]})
    found = RuleExtractor().extract(session)
    assert all(text[item.start : item.end] == item.quote for item in (*found.claims, *found.refusals))


def fuzz(seed, first, count, *mode, hash_seed="0"):
    """A range of transcripts in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (HERE.parent, HERE))), "PYTHONHASHSEED": hash_seed}
    environment |= {"TQDM_DISABLE": "1"}
    # spaCy loads torch where that is installed, which nothing here needs and which takes half a gigabyte.
    without = (
        "import sys, runpy; sys.modules['torch'] = sys.argv.pop(0) and None; runpy.run_path(sys.argv[0], None, '__main__')"
    )
    script = str(HERE / "fuzz_run.py")
    program = [sys.executable, "-W", "ignore", "-c", without, script, str(seed), str(first), str(count), *mode]
    ended = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout)


def check_light(found, count):
    assert found["failed"] == 0, "\n".join(found["failures"])
    assert found["turns"] > count
    assert found["claims"] > count // 4
    assert found["refused"] < count // 8
    assert found["peak_mb"] < LIGHT_MB


def test_five_thousand_transcripts_of_every_kind():
    check_light(fuzz(1, 0, 5_000), 5_000)


def test_ingests_with_engine_and_model():
    found = fuzz(2, 0, 12, "whole")
    assert found["failed"] == 0, "\n".join(found["failures"])
    assert found["peak_mb"] - found["early_mb"] < GROWTH_MB


def test_the_same_seed_gives_the_same_result_in_every_process():
    runs = [fuzz(3, 1, 60, hash_seed=seed) for seed in ("1", "2")]
    assert runs[0]["digest"] == runs[1]["digest"]
    assert fuzz(4, 1, 60)["digest"] != runs[0]["digest"]


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_transcripts(part):
    check_light(fuzz(100 + part, 0, 10_000), 10_000)


@pytest.mark.long
def test_many_ingests_with_engine_and_model():
    found = fuzz(200, 0, 300, "whole")
    assert found["failed"] == 0, "\n".join(found["failures"])
    assert found["peak_mb"] - found["early_mb"] < GROWTH_MB
