"""The graph in memory keeps the contract."""

from __future__ import annotations

import pytest
from graph_contract import GraphContract, check_history, random_history
from graph_world import DIMENSION
from hypothesis import settings

from graphmem.graph.reference import ReferenceGraph


class TestReference(GraphContract):
    @pytest.fixture
    def fresh(self):
        return lambda: ReferenceGraph(DIMENSION)


@settings(max_examples=60)
@random_history
def test_a_random_history_loads_as_it_applies_and_is_searched_as_by_brute_force(deltas, numbers):
    check_history(lambda: ReferenceGraph(DIMENSION), deltas, numbers)
