"""The graph in a ladybug file keeps the contract.

The two engines cannot be loaded into one process, so this module runs itself in another one.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from graph_contract import check_history, random_history
from graph_engine_contract import EngineContract, maker
from graph_files_contract import FilesContract
from graph_kills_contract import KillsContract
from hypothesis import settings

INSIDE = os.environ.get("GRAPHMEM_TEST_ENGINE") == "ladybug"
pytestmark = [
    pytest.mark.ladybug,
    pytest.mark.skipif(importlib.util.find_spec("ladybug") is None, reason="ladybug is not installed: graphmem[ladybug]"),
]

if INSIDE:

    class TestLadybug(EngineContract):
        engine = "ladybug"

    @pytest.mark.long
    class TestLadybugFiles(FilesContract):
        engine = "ladybug"

    @pytest.mark.long
    class TestLadybugKills(KillsContract):
        engine = "ladybug"

    @pytest.fixture(scope="module")
    def make(tmp_path_factory):
        with maker("ladybug", tmp_path_factory.mktemp("examples")) as function:
            yield function

    @settings(max_examples=15)
    @random_history
    def test_a_random_history_is_answered_as_by_the_reference(make, deltas, numbers):
        check_history(make, deltas, numbers)

else:

    def run_inside(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(Path(__file__))]
        environment = dict(os.environ, GRAPHMEM_TEST_ENGINE="ladybug")
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False
        )
        assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]

    def test_the_contract_is_kept():
        run_inside()

    @pytest.mark.long
    def test_the_files_survive():
        run_inside("-m", "long")
