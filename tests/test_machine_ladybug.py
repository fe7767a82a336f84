"""The whole memory on a ladybug file lives as the model does.

The two engines cannot be loaded into one process, so this module runs itself in another one.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from machine_claims import Content, Line
from machine_contract import MemoryMachine
from machine_parts import small_parts
from machine_run import run

INSIDE = os.environ.get("GRAPHMEM_TEST_ENGINE") == "ladybug"
pytestmark = [
    pytest.mark.ladybug,
    pytest.mark.skipif(importlib.util.find_spec("ladybug") is None, reason="ladybug is not installed: graphmem[ladybug]"),
]

if INSIDE:

    def test_a_random_life_is_as_the_model_says():
        run("ladybug", examples=5, steps=25)

    @pytest.mark.long
    def test_many_long_lives_are_as_the_model_says():
        run("ladybug", examples=200, steps=50, fresh=True)

    def test_forgotten_words_leave_the_files():
        with small_parts():
            machine = type("Machine", (MemoryMachine,), {"engine": "ladybug"})()
            try:
                hits = 0
                for number, job in enumerate(("teacher", "carpenter", "surveyor", "beekeeper"), 1):
                    content = Content("has_job", job)
                    machine.tell_anything(day=number, said=(Line("user", None, (content,), False),))
                    hits += machine.memory.forget(session=f"s{number}").residue_hits
                assert hits == 0
            finally:
                machine.discard()

else:

    def run_inside(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *options, str(Path(__file__))]
        environment = dict(os.environ, GRAPHMEM_TEST_ENGINE="ladybug")
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False
        )
        print(run.stdout)
        assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]

    def test_a_random_life_in_another_process_is_as_the_model_says():
        run_inside()

    @pytest.mark.long
    def test_many_long_lives_in_another_process_are_as_the_model_says():
        run_inside("-m", "long")
