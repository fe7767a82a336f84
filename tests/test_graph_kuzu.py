"""The graph in a kuzu file keeps the contract."""

from __future__ import annotations

import pytest
from graph_contract import check_history, random_history
from graph_engine_contract import EngineContract, maker
from graph_files_contract import FilesContract
from graph_kills_contract import KillsContract
from hypothesis import settings


class TestKuzu(EngineContract):
    engine = "kuzu"


class TestKuzuFiles(FilesContract):
    engine = "kuzu"


class TestKuzuKills(KillsContract):
    engine = "kuzu"


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    with maker("kuzu", tmp_path_factory.mktemp("examples")) as function:
        yield function


@settings(max_examples=15)
@random_history
def test_a_random_history_is_answered_as_by_the_reference(make, deltas, numbers):
    check_history(make, deltas, numbers)


@pytest.mark.long
@settings(max_examples=400)
@random_history
def test_many_random_histories_are_answered_as_by_the_reference(make, deltas, numbers):
    check_history(make, deltas, numbers)
