"""Vectors of a session: which there are, and that embedding ahead of time changes nothing but the time."""

from __future__ import annotations

import hashlib
import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from graphmem import Memory
from graphmem.embedding import PART, embedding_ahead, rows_of, texts_of, vectors_of
from graphmem.errors import ModelError
from graphmem.model import Session, Turn
from graphmem.recorded import turn_records
from graphmem.vectors import unpack

START = datetime(2026, 5, 14, 9, 30, tzinfo=UTC)


class Digests:
    """An embedder whose vectors follow from the text alone; it keeps note of what it was asked and by which thread."""

    name, dimension = "digests", 8

    def __init__(self, poison: str = "no such text") -> None:
        self.asked: list[tuple[str, ...]] = []
        self.threads: set[str] = set()
        self.poison = poison

    def encode(self, texts):
        self.asked.append(tuple(texts))
        self.threads.add(threading.current_thread().name)
        if any(self.poison in text for text in texts):
            raise OSError("the model is gone")
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.uint8).astype(np.float32) + 1 for text in texts]
        return np.stack([row / np.linalg.norm(row) for row in rows]) if rows else np.zeros((0, 8), np.float32)


def session(number: int, *lines: tuple[str, str]) -> Session:
    when = START + timedelta(days=number)
    turns = tuple(
        Turn(id=f"t{place}", role=role, speaker=None, text=text, time=when + timedelta(minutes=place))
        for place, (role, text) in enumerate(lines)
    )
    return Session(id=f"s{number}", started=when, turns=turns)


def made_of(turns, fresh=None):
    records = turn_records(session(1, *turns))
    made = vectors_of(Digests(), records, fresh or {turn.id for turn in records}, (), ())
    return {(item.owner, item.kind): np.array(unpack(item.data)) for item in made}, records


def test_a_turn_that_stands_alone_has_one_vector():
    rows, (first, second) = made_of([("user", "I live in Ghent"), ("assistant", "Noted.")])
    assert set(rows) == {(first.key, "turn"), (second.key, "turn")}


def test_what_helps_to_understand_a_turn_is_mixed_in():
    rows, (first, second, third) = made_of([("user", "Where to?"), ("assistant", "Sure. Which city?"), ("user", "Turin")])
    assert set(rows) == {(first.key, "turn"), (second.key, "turn"), (third.key, "turn"), (third.key, "pair")}
    own, question = Digests().encode(["user: Turin", "Which city?"])
    mixed = own * len("user: Turin") ** 0.5 + question * len("Which city?") ** 0.5
    assert np.allclose(rows[third.key, "pair"], mixed / np.linalg.norm(mixed), atol=0.01)


def test_between_people_the_turn_before_is_not_embedded_again():
    records = turn_records(session(1, ("user", "I bought a kayak"), ("user", "It is red")))
    assert texts_of(records, {"t0", "t1"}) == ["user: I bought a kayak", "user: It is red", "user: I bought a kayak"]
    model = Digests()
    vectors_of(model, records, {"t0", "t1"}, (), ())
    assert model.asked == [("user: I bought a kayak", "user: It is red")]


def test_a_session_that_grew_mixes_in_the_turn_that_was_known():
    lines = [("user", "I bought a kayak"), ("user", "It is red")]
    whole, (_, second) = made_of(lines)
    grown, _ = made_of(lines, {"t1"})
    assert set(grown) == {(second.key, "turn"), (second.key, "pair")}
    assert all(np.array_equal(grown[name], whole[name]) for name in grown)


def test_what_was_expected_is_embedded_once_and_in_another_thread():
    model = Digests()
    with embedding_ahead(model) as ahead:
        ahead.expect(["a", "b", "a"])
        ahead.expect(["b", "c"])
        rows = ahead.encode(["c", "new", "a", "c"])
    assert np.array_equal(rows, Digests().encode(["c", "new", "a", "c"]))
    assert sorted(text for asked in model.asked for text in asked) == ["a", "b", "c", "new"]
    assert len(model.threads) == 2


def test_a_caller_who_would_wait_embeds_what_is_not_begun():
    model = Digests()
    begun, go_on = threading.Event(), threading.Event()
    encode = model.encode

    def slow(texts):
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            go_on.wait(10)
        return encode(texts)

    model.encode = slow
    texts = [f"text {number}" for number in range(PART * 3)]
    with embedding_ahead(model) as ahead:
        ahead.expect(texts)
        begun.wait(10)
        threading.Timer(0.5, go_on.set).start()
        ahead.wait(texts)
        rows = ahead.encode(texts)
    assert np.array_equal(rows, Digests().encode(texts))
    assert sorted(text for asked in model.asked for text in asked) == sorted(texts)
    assert "MainThread" in model.threads


def test_an_embedder_that_fails_ahead_of_time_fails_where_its_text_is_needed():
    with embedding_ahead(Digests(poison="bad")) as ahead:
        ahead.expect(["good"])
        ahead.expect(["bad"])
        assert len(ahead.encode(["good"])) == 1
        with pytest.raises(ModelError, match="the model is gone"):
            ahead.encode(["bad"])


def test_what_waits_is_dropped_when_the_caller_is_stopped():
    model = Digests()
    begun, go_on = threading.Event(), threading.Event()
    encode = model.encode

    def slow(texts):
        begun.set()
        go_on.wait(10)
        return encode(texts)

    model.encode = slow
    with pytest.raises(KeyboardInterrupt), embedding_ahead(model) as ahead:
        ahead.expect([f"text {number}" for number in range(PART * 5)])
        begun.wait(10)
        threading.Timer(0.2, go_on.set).start()
        raise KeyboardInterrupt
    assert [len(asked) for asked in model.asked] == [PART]


@pytest.mark.parametrize(
    "rows",
    [np.ones((1, 7), np.float32), np.ones((2, 8), np.float32), np.ones(8, np.float32), None, [["a"] * 8], np.ones((1, 0))],
    ids=["short", "many", "flat", "none", "words", "empty"],
)
def test_what_an_embedder_does_not_promise_reaches_no_ledger(rows):
    model = Digests()
    model.encode = lambda texts: rows
    with pytest.raises(ModelError, match=r"check the model|here have 8 numbers"):
        rows_of(model, ["one"])


def test_the_lock_is_free_while_a_long_session_is_embedded(tmp_path, monkeypatch):
    with Memory.open(tmp_path, user="ada") as memory:
        model = memory._embedder()
        plain, seen = type(model).encode, []

        def watched(self, texts):
            if threading.current_thread().name.startswith("graphmem-embedding"):
                seen.append(memory._space._writes)
            return plain(self, texts)

        monkeypatch.setattr(type(model), "encode", watched)
        memory.ingest(talk(1))
    assert seen
    assert set(seen) == {0}


def test_the_thread_ends_with_its_use():
    before = threading.active_count()
    with embedding_ahead(Digests()) as ahead:
        ahead.expect(["a"])
    assert threading.active_count() == before


def talk(number: int) -> dict:
    towns = ("Ghent", "Turin", "Lund", "Graz")
    lines = [f"I moved to {towns[number % 4]} in May.", f"I have {number + 2} cats.", "Which train goes to the sea?"]
    turns = [{"role": "user", "text": text, "time": (START + timedelta(days=number)).isoformat()} for text in lines]
    return {"id": f"day{number}", "started": turns[0]["time"], "turns": turns}


def test_many_sessions_at_once_leave_what_one_after_the_other_leaves(tmp_path):
    clock = lambda: START + timedelta(days=100)  # noqa: E731
    dumps = []
    for name in ("together", "apart"):
        made = np.random.default_rng(7)
        with Memory.open(tmp_path / name, user="ada", clock=clock, entropy=lambda n, made=made: made.bytes(n)) as memory:
            talks = [talk(number) for number in range(5)]
            for part in [talks] if name == "together" else [[one] for one in talks]:
                memory.ingest(part)
            again = memory.ingest(talks)
            assert again.turns == 0
            dumps.append(memory._space.graph.dump())
    assert dumps[0] == dumps[1]
    assert dumps[0]["Vector"]


def test_a_session_whose_embedding_fails_waits_and_those_before_it_are_done(tmp_path, monkeypatch):
    with Memory.open(tmp_path, user="ada") as memory:
        model = memory._embedder()
        plain = type(model).encode

        def failing(self, texts):
            if any("sea" in text for text in texts):
                raise RuntimeError("the model is gone")
            return plain(self, texts)

        monkeypatch.setattr(type(model), "encode", failing)
        talks = [talk(number) for number in range(3)]
        for one in talks[:2]:
            del one["turns"][2]
        report = memory.ingest(talks)
        assert [(one.session, one.reason) for one in report.waiting] == [("day2", "embedder_failed")]
        assert "the model is gone" in report.waiting[0].problem
        monkeypatch.undo()
        assert [one.statements for one in memory.sessions()][2] == 0
        memory.ingest(talks)
        assert [one.id for one in memory.sessions()] == ["day0", "day1", "day2"]
        assert all(one.statements for one in memory.sessions())
