"""Reading ahead and remembering what was seen change how long an ingest takes and nothing that it leaves."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory
from graphmem.acquainted import Acquainted
from graphmem.embedding import embedding_ahead
from graphmem.extractors.base import Extraction
from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session, Turn
from graphmem.readahead import LONGEST, reading_ahead, statement_texts

SECRET = "0" * 32
START = datetime(2026, 5, 14, 9, 30, tzinfo=UTC)


class Silent:
    """An embedder that keeps note of what it was asked."""

    name, dimension = "silent", 2

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        import numpy as np

        self.asked += texts
        return np.ones((len(texts), 2), np.float32)


class Noted:
    """An extractor that keeps note of who asked it about what."""

    name, version = "noted", "1"

    def __init__(self, error=None):
        self.asked, self.error = [], error

    def extract(self, session):
        self.asked.append((session.id, threading.current_thread() is threading.main_thread()))
        if self.error is not None:
            raise self.error
        return Extraction((), ())


def session(number=1, *texts):
    turns = [Turn(id=f"t{n}", role="user", text=text, time=START) for n, text in enumerate(texts or ("I live in Ghent.",))]
    return Session(id=f"s{number}", started=START, turns=tuple(turns))


@pytest.fixture
def ahead():
    with embedding_ahead(Silent()) as made:
        yield made


def test_an_expected_session_is_read_once_in_another_thread(ahead):
    noted = Noted()
    with reading_ahead(noted, ahead, user="ana", secret=SECRET) as reader:
        reader.expect(session())
        assert reader.extract(session()) == Extraction((), ())
        assert noted.asked == [("s1", False)]
        reader.extract(session())
    assert noted.asked == [("s1", False), ("s1", True)]


def test_a_session_that_is_another_by_now_is_read_anew(ahead):
    noted = Noted()
    with reading_ahead(noted, ahead, user="ana", secret=SECRET) as reader:
        reader.expect(session())
        reader.extract(session(1, "I live in Turin."))
    assert noted.asked[-1] == ("s1", True)


def test_a_long_session_is_not_read_where_nobody_can_stop_it(ahead):
    noted = Noted()
    with reading_ahead(noted, ahead, user="ana", secret=SECRET) as reader:
        reader.expect(session(1, *["Hello."] * (LONGEST + 1)))
    assert noted.asked == []


def test_what_fails_ahead_of_time_fails_where_it_is_asked_for(ahead):
    with reading_ahead(Noted(ValueError("no")), ahead, user="ana", secret=SECRET) as reader:
        reader.expect(session())
        assert reader.wait(session()) == []
        with pytest.raises(ValueError, match="no"):
            reader.extract(session())


def test_the_statements_of_a_session_are_announced_to_the_embedder():
    model = Silent()
    with embedding_ahead(model) as ahead, reading_ahead(RuleExtractor(), ahead, user="ana", secret=SECRET) as reader:
        reader.expect(session())
        texts = reader.wait(session())
        ahead.wait(texts)
    assert "User lives in Ghent" in texts
    assert set(texts) <= set(model.asked)


def test_what_is_announced_is_what_will_be_embedded(tmp_path):
    said = session(1, "I live in Ghent.", "I have to call the dentist by Friday.", "My sister Hanne works at Lumen.")
    with Memory.open(tmp_path, user="ana") as memory:
        memory.ingest(said)
        stored = {statement.text for statement in memory.statements()}
        secret = memory._space.ledger.secret
    assert stored == set(statement_texts(said, RuleExtractor().extract(said), user="ana", secret=secret))


def talk(number):
    towns, pets = ("Ghent", "Turin", "Lund", "Graz"), ("cat", "dog")
    said = [
        f"I moved to {towns[number % 4]} last week.",
        f"I have a {pets[number % 2]}.",
        "I like tea." if number % 3 else "I don't like tea anymore.",
        "Actually, I live in Bergen." if number % 5 == 4 else "I work at Lumen.",
    ]
    when = START + timedelta(days=20 * number)
    return {"id": f"s{number}", "started": when.isoformat(), "turns": [{"role": "user", "text": text} for text in said]}


def test_what_is_remembered_is_what_the_graph_holds(tmp_path, monkeypatch):
    seen = []
    plain = Acquainted.nodes

    def compared(self, ids):
        found = plain(self, ids)
        seen.append(len(found))
        fresh = {node.record.id: node for node in self._space.graph.nodes(list(ids))}
        assert {node.record.id: node for node in found} == fresh
        return found

    monkeypatch.setattr(Acquainted, "nodes", compared)
    with Memory.open(tmp_path, user="ana") as memory:
        memory.ingest([talk(number) for number in range(12)])
        assert max(seen) > 5


def test_what_others_write_meanwhile_is_seen(tmp_path):
    with Memory.open(tmp_path, user="ana") as memory, Memory.open(tmp_path, user="ana") as other:
        memory.ingest(talk(0))
        space = memory._space
        [home] = [s.id for s in memory.statements() if s.predicate == "lives_in"]
        acquainted = Acquainted(space)
        with space.writing():
            assert [node.retirement for node in acquainted.nodes([home])] == [None]
        other.retract(home, reason="never true")
        with space.writing():
            [node] = acquainted.nodes([home])
        assert node.retirement is not None
        other.forget(id=home)
        with space.writing():
            assert acquainted.nodes([home]) == []
