"""An embedder that raises, hangs, or gives what are no vectors: recall goes by words and says so, ingest keeps the session."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from machine_parts import SCRIPT, Vectors

from graphmem import Memory
from graphmem.encoding import Bounded
from graphmem.errors import EmbedderFailed, GraphmemError
from graphmem.extractors.base import Claim

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FAULTS = ("raises", "hangs", "short", "nan", "zero", "words")
TALK = "I keep the kiln in the shed."


class Model(Vectors):
    """A model that works until it is told how to fail."""

    fault: str | None = None
    going = threading.Event()
    calls = 0

    def encode(self, texts):
        if self.fault is None or not texts:
            return super().encode(texts)
        Model.calls += 1
        return getattr(self, f"_{self.fault}")(super().encode(texts))

    def _raises(self, rows):
        raise OSError("the model\nis gone, password: hunter2hunter2")

    def _hangs(self, rows):
        self.going.wait(20)
        return rows

    def _short(self, rows):
        return rows[:, :-1]

    def _nan(self, rows):
        rows[-1, 0] = np.nan
        return rows

    def _zero(self, rows):
        rows[0] = 0
        return rows

    def _words(self, rows):
        return [["a"] * 8 for _ in rows]


def session(number):
    turns = [{"id": "t1", "role": "user", "text": TALK}, {"id": "t2", "role": "user", "text": f"And {number} jars of glaze."}]
    return {"id": f"s{number}", "started": f"2026-05-{number:02d}T09:00:00+00:00", "turns": turns}


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setattr("graphmem.embed.embedder", lambda name="minilm": Model())
    monkeypatch.setattr("graphmem.embed.MINILM_DIMENSION", 8)
    monkeypatch.setattr("graphmem.memory._extractor", lambda name: SCRIPT)
    monkeypatch.setattr(Model, "fault", None)
    monkeypatch.setattr(Model, "going", threading.Event())
    claim = Claim(
        turn="t1",
        start=0,
        end=len(TALK) - 1,
        quote=TALK[:-1],
        kind="fact",
        predicate="note",
        object="kiln in the shed",
        rule="test",
    )
    SCRIPT.claims = (claim,)
    with Memory.open(tmp_path, user="ina", clock=lambda: NOW, embed_wait=0.3) as memory:
        yield memory
    SCRIPT.claims = ()
    Model.going.set()


def broken(monkeypatch, fault):
    monkeypatch.setattr(Model, "fault", fault)


def mended(memory, monkeypatch):
    Model.going.set()
    stuck = memory._model._stuck
    if stuck is not None:
        stuck.join(10)
    monkeypatch.setattr(Model, "fault", None)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_question_is_answered_by_words_and_says_so(memory, monkeypatch, fault):
    memory.ingest(session(1))
    before = memory._space.ledger.head()
    assert memory.recall("kiln in the shed").notices == ()
    broken(monkeypatch, fault)
    for found in (memory.recall("Where is the kiln in the shed?"), memory.on_turn("As I said, the kiln is in the shed.")):
        assert [hit.statement.object for hit in found.hits if hit.statement] == ["kiln in the shed"]
        [notice] = found.notices
        assert "by words alone" in notice and "'minilm'" in notice and "\n" not in notice and "hunter2" not in notice
    assert memory.recall("Which boat did we sail?").hits == ()
    assert memory._space.ledger.head() == before
    mended(memory, monkeypatch)
    assert memory.recall("kiln in the shed").notices == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_session_is_kept_and_waits_with_nothing_of_it_in_part(memory, monkeypatch, fault):
    broken(monkeypatch, fault)
    report = memory.ingest([session(1), session(2)])
    assert [(one.session, one.reason) for one in report.waiting] == [("s1", "embedder_failed"), ("s2", "embedder_failed")]
    assert report.recorded == () and report.turns == 4
    assert memory.statements() == []
    assert [one.turns for one in memory.sessions()] == [2, 2]
    assert not memory._space.ledger.vectors()
    again = memory.extract()
    assert len(again.waiting) == 2 and memory.statements() == []
    mended(memory, monkeypatch)
    done = memory.extract()
    assert not done.waiting and len(done.recorded) + len(done.corroborated) == 2
    assert {kind for rows in memory._space.ledger.vectors().values() for _, _, kind, _, _ in rows} == {
        "turn",
        "pair",
        "statement",
    }
    report = memory.verify()
    assert report.projection_equal and not report.problems
    whole = memory._space.graph.dump()["Vector"]
    assert len(whole) == len({row for row in whole}) == 2 * 2 + 2 + len(memory.statements())
    assert memory.extract().turns == 0
    assert memory.ingest([session(1), session(2)]).turns == 0


def test_what_waited_is_as_if_it_had_never_waited(memory, monkeypatch, tmp_path):
    broken(monkeypatch, "raises")
    memory.ingest(session(1))
    mended(memory, monkeypatch)
    memory.ingest(session(1))
    with Memory.open(tmp_path / "other", user="ina", clock=lambda: NOW) as other:
        other.ingest(session(1))
        vectors = [
            sorted((kind, data) for rows in one._space.ledger.vectors().values() for _, _, kind, _, data in rows)
            for one in (memory, other)
        ]
        assert vectors[0] == vectors[1]
        assert [one.object for one in memory.statements()] == [one.object for one in other.statements()]


@pytest.mark.parametrize("fault", ["raises", "short"])
def test_an_act_of_the_owner_fails_whole(memory, monkeypatch, fault):
    memory.ingest(session(1))
    before = memory._space.ledger.head(), memory.statements()
    SCRIPT.claims = ()
    broken(monkeypatch, fault)
    with pytest.raises(EmbedderFailed) as error:
        memory.remember("the wheel is in the attic", kind="fact")
    assert "\n" not in str(error.value) and "hunter2" not in str(error.value)
    assert (memory._space.ledger.head(), memory.statements()) == before
    mended(memory, monkeypatch)
    assert memory.remember("the wheel is in the attic", kind="fact").status == "current"


def test_an_erased_session_that_waits_is_not_extracted(memory, monkeypatch):
    broken(monkeypatch, "raises")
    memory.ingest([session(1), session(2)])
    assert memory.forget(session="s1").residue_hits == 0
    mended(memory, monkeypatch)
    memory.extract()
    assert {item.session for one in memory.statements() for item in one.evidence} == {"s2"}
    assert not memory.verify().problems


def test_nobody_waits_twice_for_what_hangs(memory, monkeypatch):
    memory.ingest(session(1))
    broken(monkeypatch, "hangs")
    assert "no answer within 0.3 seconds" in memory.recall("kiln").notices[0]
    calls = Model.calls
    assert "still not answered" in memory.recall("kiln").notices[0]
    assert Model.calls == calls
    mended(memory, monkeypatch)
    assert memory.recall("kiln").notices == ()


def test_a_model_that_changed_its_dimension_under_a_store_writes_nothing(memory, monkeypatch, tmp_path):
    memory.ingest(session(1))
    memory.close()

    class Longer(Model):
        dimension = 12

    monkeypatch.setattr("graphmem.embed.embedder", lambda name="minilm": Longer())
    with Memory.open(tmp_path, user="ina", clock=lambda: NOW) as again:
        assert "by words alone" in again.recall("kiln in the shed").notices[0]
        assert again.ingest(session(2)).waiting
        again.rebuild()
        assert not again.verify().problems


@pytest.mark.parametrize(
    "rows",
    [np.ones((1, 7)), np.ones((2, 8)), np.full((1, 8), np.inf), np.zeros((1, 8)), [["a"] * 8], None, 3],
    ids=["short", "many", "infinite", "zero", "words", "none", "number"],
)
def test_whatever_an_embedder_gives_is_one_named_error(rows):
    model = Vectors()
    model.encode = lambda texts: rows
    with pytest.raises(EmbedderFailed):
        Bounded(model, dimension=8).encode(["one"])


def test_a_bounded_embedder_gives_what_the_model_gives():
    texts = [f"text {number}" for number in range(100)]
    assert np.array_equal(Bounded(Vectors(), dimension=8).encode(texts), Vectors().encode(texts))
    assert Bounded(Vectors(), dimension=8).encode([]).shape == (0, 8)
    with pytest.raises(GraphmemError):
        Bounded(Vectors(), dimension=9).encode(texts)
