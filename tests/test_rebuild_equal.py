"""A graph that grew act by act is the graph that is built at once from the ledger, on the engine and in memory."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from machine_claims import anything, homes, lines
from machine_contract import NUMBER, MemoryMachine
from machine_parts import Vectors, small_parts

from graphmem.graph.reference import ReferenceGraph

GROWING = ("confirm", "correct", "retract", "go_on_with_a_session", "tell_the_same_in_another_session")
ACTS = (*GROWING, "forget_a_statement")
days = st.integers(0, 400)
tellings = st.one_of(
    st.tuples(st.just("tell"), days, lines(st.one_of(anything, homes), pair=False)),
    st.tuples(st.just("tell"), days, lines(anything, pair=True)),
)


def acts(names: tuple[str, ...]) -> st.SearchStrategy:
    return st.tuples(st.sampled_from(names), NUMBER, lines(anything, pair=False, longest=1))


# An erasure builds the graph anew, so that enough must happen after it.
histories = st.tuples(
    st.lists(tellings, min_size=1, max_size=2),
    st.lists(acts(("forget_a_statement", "retract")), max_size=2),
    st.lists(st.one_of(tellings, acts(GROWING)), min_size=3, max_size=8),
).map(lambda parts: [step for part in parts for step in part])


def do(machine: MemoryMachine, step: tuple[str, int, object], done: Counter[str]) -> None:
    """One step of a history, if there is something to do it to."""
    name, number, said = step
    if name == "tell":
        machine._tell("tell", number, said)
    elif not machine.book.state.facts:
        return
    elif name == "go_on_with_a_session":
        machine.go_on_with_a_session(which=number, more=said)
    elif name == "tell_the_same_in_another_session":
        machine.tell_the_same_in_another_session(which=number, day=number % 400)
    elif name == "correct":
        machine.correct(which=number, value=number)
    else:
        getattr(machine, name)(which=number)
    machine.the_memory_is_as_the_model()
    done[name] += 1


def compare(history: list[tuple[str, int, object]], done: Counter[str]) -> None:
    """Live a history on kuzu and hold the four ways to its graph against each other."""
    machine = MemoryMachine()
    try:
        for step in history:
            do(machine, step, done)
        space = machine.memory._space
        grown = space.graph.dump()
        deltas = list(space.history(0))
        loaded, applied = ReferenceGraph(Vectors.dimension), ReferenceGraph(Vectors.dimension)
        loaded.load(deltas)
        # What an erasure keeps stands in its last entry, after what refers to it: such a history is only loaded whole.
        for delta in deltas if not machine.book.erasures else ():
            applied.apply(delta)
        machine.memory.rebuild()
        built = machine.memory._space.graph.dump()
        assert grown == built
        assert grown == loaded.dump()
        assert machine.book.erasures or grown == applied.dump()
        done["stores"] += 1
        done["stores with an erasure"] += bool(machine.book.erasures)
        done["rows"] += sum(map(len, grown.values()))
    finally:
        machine.discard()


def check(examples: int) -> None:
    done: Counter[str] = Counter()

    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
    )
    @given(histories)
    def every_store(history):
        compare(history, done)

    with small_parts():
        every_store()
    print(", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    assert done["stores"] >= examples
    assert [name for name in ("tell", *ACTS) if not done[name]] == []


def test_a_grown_graph_is_the_one_that_is_built_anew():
    check(40)


@pytest.mark.long
def test_many_grown_graphs_are_the_ones_that_are_built_anew():
    check(1000)
