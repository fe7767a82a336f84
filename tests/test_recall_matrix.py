"""The matrix beside the corpus finds what the graph finds, follows what is written, and keeps nothing that was erased."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem import Memory, Session, Turn
from graphmem.graph.base import Near
from graphmem.graph.reference import ReferenceGraph
from graphmem.ledger import Ledger
from graphmem.recall.matrix import Kept, Matrix, kept_vectors
from graphmem.recall.nearest import ASKED, Asked
from graphmem.records import Delta, VectorRecord
from graphmem.vectors import pack, unpack, unpacked, whole

DAY = datetime(2026, 3, 1, tzinfo=UTC)
KINDS = ("turn", "pair", "statement")
WIDTH = 6

numbers = st.lists(st.integers(-3, 3), min_size=WIDTH, max_size=WIDTH)
kept = st.lists(st.tuples(numbers, st.sampled_from(KINDS), st.integers(0, 3), st.booleans()), max_size=25)


def vector_of(row: list[int], *, old: bool = False) -> bytes:
    values = np.array(row, np.float32)
    return values.astype("<f2").tobytes() if old else pack(values)


def record(number: int, item: Kept) -> VectorRecord:
    return VectorRecord(
        id=f"v{number}", owner=item.owner, kind=item.kind, model="m", recorded_at=item.recorded_at, values=unpack(item.data)
    )


def alike(found: list[Near], expected: list[Near]) -> bool:
    """The same cosines, and the same owners but for those that rounding alone could put in another order or leave out."""
    if len(found) != len(expected):
        return False
    last = expected[-1].similarity + 1e-5 if expected else 0.0
    values = {(item.owner, item.kind): item.similarity for item in expected}
    sure = {(item.owner, item.kind) for item in expected if item.similarity > last}
    return (
        np.allclose([item.similarity for item in found], [item.similarity for item in expected], atol=1e-6)
        and sure <= {(item.owner, item.kind) for item in found}
        and all(abs(values.get(item[:2], last) - item.similarity) < 2e-5 for item in found)
    )


@given(kept, numbers, st.integers(0, 30), st.sets(st.sampled_from(KINDS)), st.one_of(st.none(), st.integers(-1, 4)))
@settings(deadline=None, max_examples=80)
def test_the_matrix_finds_what_the_graph_finds(
    rows: list[Any], query: list[int], k: int, kinds: set[Any], day: int | None
) -> None:
    items = [
        Kept(f"o{number}", kind, DAY + timedelta(days=when), vector_of(row, old=old))
        for number, (row, kind, when, old) in enumerate(rows)
    ]
    graph = ReferenceGraph(dimension=WIDTH)
    matrix = Matrix(lambda upto: items[: len(items) // 2])
    records = [record(number, item) for number, item in enumerate(items)]
    half = len(items) // 2
    graph.apply(Delta(seq=1, vectors=tuple(records[:half])))
    assert not matrix.ready(1, count=len(items), dimension=WIDTH)
    assert matrix.ready(1, count=len(items), dimension=WIDTH)
    later = Delta(seq=2, vectors=tuple(records[half:]))
    graph.apply(later)
    matrix.add(later, before=1)
    known_at = None if day is None else DAY + timedelta(days=day)
    asked = np.array(query, np.float32)
    found = matrix.nearest(asked, kinds=sorted(kinds), k=k, known_at=known_at)
    zeros = {item.owner for item, (row, *_) in zip(items, rows, strict=True) if not any(row)}
    expected = [one for one in graph.nearest(asked, kinds=sorted(kinds), k=1000, known_at=known_at) if one.owner not in zeros]
    assert alike(found, expected[:k])
    assert found == sorted(found, key=lambda item: (-item.similarity, item.owner, item.kind))


@given(st.lists(st.floats(-1, 1, width=32), min_size=5, max_size=8))
def test_whole_numbers_come_back_from_what_was_unpacked(values: list[float]) -> None:
    data = pack(np.array(values, np.float32))
    row = unpacked([data, data])[1]
    numbers = whole(np.array(unpack(data), np.float32))
    if row.any():
        assert numbers is not None and numbers.tolist() == row.tolist()
    other = np.array([0.123456, 0.98765, 0.31], np.float32)
    assert whole(other) is None


def test_equal_vectors_stand_in_order_of_their_owners() -> None:
    row = np.random.default_rng(0).standard_normal(384).astype(np.float32)
    items = [Kept(f"o{number:04}", "turn", DAY, pack(row)) for number in range(3000)]
    matrix = Matrix(lambda upto: reversed(items))
    matrix.ready(1, count=3000, dimension=384)
    assert matrix.ready(1, count=3000, dimension=384)
    found = matrix.nearest(np.random.default_rng(1).standard_normal(384).astype(np.float32), kinds=("turn",), k=7)
    assert [item.owner for item in found] == [f"o{number:04}" for number in range(7)]
    assert len({item.similarity for item in found}) == 1


def test_what_takes_too_much_room_is_left_to_the_graph() -> None:
    items = [Kept("a", "turn", DAY, vector_of([1] * WIDTH, old=True))]
    matrix = Matrix(lambda upto: items, limit=100)
    assert [matrix.ready(1, count=1, dimension=WIDTH) for _ in range(2)] == [False, True]
    # Numbers of the first releases are held in four bytes each.
    assert not matrix.ready(1, count=5, dimension=WIDTH)
    assert matrix.nearest(np.ones(WIDTH, np.float32), kinds=("turn",), k=1) == []
    assert not Matrix(None).ready(1, count=0, dimension=WIDTH)


def test_a_delta_that_does_not_join_on_is_not_taken_in() -> None:
    items = [Kept("a", "turn", DAY, vector_of([1] * WIDTH))]
    matrix = Matrix(lambda upto: items)
    assert [matrix.ready(3, count=1, dimension=WIDTH) for _ in range(2)] == [False, True]
    matrix.add(Delta(seq=9, vectors=(record(0, Kept("b", "turn", DAY, vector_of([2] * WIDTH))),)), before=8)
    assert matrix.seq == 3 and len(matrix.nearest(np.ones(WIDTH, np.float32), kinds=("turn",), k=9)) == 1


TEXTS = ("I live in Tartu.", "I play the cello in a small orchestra.", "I am allergic to walnuts.", "My sister is called Aino.")


def session(number: int, *texts: str) -> Session:
    started = DAY + timedelta(days=number)
    turns = tuple(Turn(id=f"t{place}", role="user", text=text, time=started) for place, text in enumerate(texts))
    return Session(id=f"s{number}", started=started, turns=turns)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, user="ada", clock=lambda: DAY + timedelta(days=30)) as opened:
        opened.ingest([session(1, *TEXTS[:2]), session(2, *TEXTS[2:])])
        yield opened


def shown(memory: Memory, question: str) -> list[tuple[str, float]]:
    hits = memory.recall(question, min_score=0, k=20).hits
    return [
        (hit.statement.text if hit.statement else hit.turn.text, round(hit.score, 5))
        for hit in hits
        if hit.statement or hit.turn
    ]


def test_the_second_question_is_answered_as_the_first(memory: Memory) -> None:
    first = shown(memory, "What instrument do I play?")
    assert memory._searcher is not None and memory._searcher.matrix.seq < 0
    assert shown(memory, "What instrument do I play?") == first
    assert memory._searcher.matrix.seq == memory._searcher.corpus.seq
    memory.ingest([session(3, "I have started to learn the bassoon.")])
    told = shown(memory, "What instrument do I play?")
    assert memory._searcher.matrix.seq == memory._searcher.corpus.seq
    assert any("bassoon" in text for text, _ in told)
    memory._searcher = None
    assert shown(memory, "What instrument do I play?") == told


def test_what_was_forgotten_is_in_no_matrix(memory: Memory) -> None:
    for question in ("What am I allergic to?", "Where do I live?", "What do I play?"):
        memory.recall(question)
    old = memory._searcher
    assert old is not None and old.matrix.seq > 0
    memory.forget(session="s2")
    assert memory._searcher is None
    for _ in range(3):
        assert not any("walnut" in text for text, _ in shown(memory, "What am I allergic to?"))
    searcher = memory._searcher
    assert searcher is not None and searcher is not old and searcher.matrix.seq > 0
    ledger: Ledger = memory._space.ledger
    owners = {item.owner for item in kept_vectors(ledger, ledger.head()[0])}
    assert {owner for block in searcher.matrix._blocks.values() for owner in block.owners} == owners


def test_a_caller_who_changes_a_hit_changes_nothing_that_is_kept(memory: Memory) -> None:
    def details() -> list[dict[str, Any]]:
        return [hit.statement.details for hit in memory.recall("Where do I live?", min_score=0).hits if hit.statement]

    before = [dict(one) for one in details()]
    for one in details():
        one["mine"] = True
    assert details() == before


def test_the_vector_of_a_question_is_kept_for_a_while() -> None:
    calls: list[list[str]] = []

    class Counting:
        name, dimension = "counting", 3

        def encode(self, texts: Any) -> Any:
            calls.append(list(texts))
            return np.eye(3, dtype=np.float32)[[len(text) - 1 if len(text) < 4 else 0 for text in texts]]

    asked = Asked(Counting())
    assert asked.rows(["a", "bb"]).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert asked.rows(["bb", "ccc", "bb"]).argmax(axis=1).tolist() == [1, 2, 1]
    asked.rows([f"question {number}" for number in range(ASKED)])
    asked.rows(["a"])
    assert [len(call) for call in calls] == [2, 1, ASKED, 1]
