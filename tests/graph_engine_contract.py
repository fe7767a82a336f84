"""What a graph in a database file must do beyond the contract of every graph."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from graph_contract import GraphContract, reference_of, same_answers
from graph_world import DIMENSION, long_history, small_world, statement, vector

from graphmem.errors import GraphDamaged, InputError, NaiveTime, QueryError, StoreError
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import MEBIBYTE, Driver, EngineSettings, is_open, log_path
from graphmem.records import Delta


@contextmanager
def maker(engine, folder):
    """A function that makes empty graphs in a folder; all but the last few are closed, and at the end all."""
    made = []

    def make():
        if len(made) > 2:
            made.pop(0).close()
        path = folder / f"{os.urandom(6).hex()}.db"
        made.append(DatabaseGraph(Driver(path, engine=engine), dimension=DIMENSION))
        made[-1].create()
        return made[-1]

    yield make
    for graph in made:
        graph.close()


class EngineContract(GraphContract):
    """A subclass names its `engine`."""

    engine: str

    @pytest.fixture
    def fresh(self, tmp_path):
        with maker(self.engine, tmp_path) as make:
            yield make

    def reopened(self, graph):
        path = graph._driver.path
        graph.close()
        assert not is_open(path)
        return DatabaseGraph(Driver(path, engine=self.engine), dimension=DIMENSION)

    def test_a_graph_that_was_just_opened_finds_one_of_many_by_its_key(self, fresh, monkeypatch):
        graph = fresh()
        graph.apply(Delta(seq=1, statements=tuple(statement(number) for number in range(1_000))))
        graph = self.reopened(graph)
        asked = []
        each = graph._driver.each
        monkeypatch.setattr(graph._driver, "each", lambda text, many: asked.append(text) or each(text, many))
        assert [node.record.id for node in graph.nodes(["st7"])] == ["st7"]
        assert len(asked) == 4  # the statement, its evidence, and its links both ways
        graph.close()

    def test_everything_is_there_after_reopening(self, fresh):
        graph = fresh()
        for delta in small_world():
            graph.apply(delta)
            graph = self.reopened(graph)
        same_answers(graph, reference_of(small_world()))
        graph.close()

    def test_changes_go_to_the_log_and_never_into_the_file(self, fresh):
        graph = fresh()
        path = graph._driver.path
        first, second, third = small_world()
        graph.apply(first)
        graph.checkpoint()
        graph.close()
        assert not log_path(path).exists()
        before = hashlib.sha256(path.read_bytes()).digest()
        graph = DatabaseGraph(Driver(path, engine=self.engine), dimension=DIMENSION)
        # The third delta sets columns of rows that lie in the file.
        graph.apply(second)
        graph.apply(third)
        graph = self.reopened(self.reopened(graph))
        same_answers(graph, reference_of(small_world()))
        graph.close()
        assert hashlib.sha256(path.read_bytes()).digest() == before
        assert log_path(path).stat().st_size > 0

    def test_catching_up_equals_applying_each(self, fresh):
        deltas = long_history(40)
        graph = fresh()
        graph.apply(deltas[0])
        assert graph.catch_up(deltas) == 39
        assert graph.catch_up(deltas) == 0
        same_answers(graph, reference_of(deltas))

    def test_two_users_of_one_file_share_one_database(self, fresh):
        graph = fresh()
        other = DatabaseGraph(Driver(graph._driver.path, engine=self.engine), dimension=DIMENSION)
        graph.apply(small_world()[0])
        assert other.dump() == graph.dump()
        graph.close()
        other.apply(small_world()[1])
        assert other.applied_seq() == 5
        with pytest.raises(StoreError):
            graph.nodes()
        other.close()
        assert not is_open(graph._driver.path)

    def test_links_to_a_file_are_the_same_file(self, fresh, tmp_path):
        graph = fresh()
        alias = tmp_path / "alias.db"
        alias.symlink_to(graph._driver.path)
        other = DatabaseGraph(Driver(alias, engine=self.engine), dimension=DIMENSION)
        graph.apply(small_world()[0])
        assert other.applied_seq() == 3
        other.close()

    def test_threads_take_turns(self, fresh):
        graph = fresh()
        graph.apply(Delta(seq=1))
        problems = []

        def work(number):
            try:
                for n in range(5):
                    graph.nodes()
                    graph.apply(Delta(seq=10_000 * (number + 1) + n, statements=(statement(number * 10 + n),)))
            except Exception as error:
                problems.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert graph.totals() == graph.meta()[3:]

    def test_a_failed_write_leaves_nothing_and_the_graph_usable(self, fresh):
        graph = fresh()
        graph.apply(small_world()[0])
        before = graph.dump()

        def work(run):
            run("MATCH (s:Statement) SET s.text = $text", {"text": "changed"})
            run("CREATE (:Statement {id: $id})", {"id": "st0"})

        for _ in range(3):
            with pytest.raises(QueryError):
                graph._driver.write(work)
            assert graph.dump() == before
        graph.apply(small_world()[1])
        same_answers(graph, reference_of(small_world()[:2]))

    def test_a_write_stopped_by_any_error_leaves_nothing(self, fresh):
        graph = fresh()
        graph.apply(small_world()[0])
        before = graph.dump()

        def work(run):
            run("MATCH (s:Statement) SET s.text = $text", {"text": "changed"})
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            graph._driver.write(work)
        assert graph.dump() == before

    @pytest.mark.parametrize("parameters", [{}, {"id": "st0", "other": 1}, {"ID": "st0"}])
    def test_parameters_must_be_those_of_the_query(self, fresh, parameters):
        graph = fresh()
        graph.apply(small_world()[0])
        with pytest.raises(QueryError, match="wrong parameters"):
            graph._driver.query("MATCH (s:Statement) WHERE s.id = $id DETACH DELETE s", parameters)
        assert len(graph.nodes()) == 4

    def test_times_are_converted_to_utc_and_back(self, fresh):
        driver = fresh()._driver
        given = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
        assert driver.query("RETURN $t", {"t": given}) == [[datetime(2025, 12, 31, 22, 30, tzinfo=UTC)]]
        with pytest.raises(NaiveTime):
            driver.query("RETURN $t", {"t": datetime(2026, 1, 1)})
        with pytest.raises(NaiveTime):
            driver.query("UNWIND $rows AS row RETURN row.t", {"rows": [{"t": datetime(2026, 1, 1)}]})

    def test_a_query_that_takes_too_long_is_stopped(self, fresh):
        graph = fresh()
        graph.load(long_history(60))
        endless = (
            "MATCH (a:Statement), (b:Statement), (c:Statement), (d:Statement), (e:Statement) "
            "WHERE a.id + b.id + c.id + d.id + e.id = 'x' RETURN count(*)"
        )
        with pytest.raises(QueryError, match="longer than 50 ms"):
            graph._driver.query(endless, timeout_ms=50)
        assert len(graph.nodes()) == 60

    def test_errors_of_the_engine_are_one_line(self, fresh):
        with pytest.raises(QueryError) as caught:
            fresh()._driver.query("MATCH (n:Nothing)\nRETURN n")
        assert "\n" not in str(caught.value)

    def test_a_file_that_is_no_database_is_damaged(self, tmp_path):
        path = tmp_path / "x.db"
        path.write_text("not a database, not a database, not a database")
        with pytest.raises(GraphDamaged):
            Driver(path, engine=self.engine)
        assert not is_open(path)

    def test_engines_are_named(self, tmp_path):
        with pytest.raises(InputError):
            Driver(tmp_path / "x.db", engine="sqlite")
        other = {"kuzu": "ladybug", "ladybug": "kuzu"}[self.engine]
        Driver(tmp_path / "y.db", engine=self.engine).close()
        with pytest.raises(StoreError, match="one process"):
            Driver(tmp_path / "z.db", engine=other)

    @pytest.mark.parametrize("dimension", [0, -1, 10**9, True, "4", 4.0, None])
    def test_a_dimension_is_a_plain_number(self, fresh, dimension):
        with pytest.raises(InputError):
            DatabaseGraph(fresh()._driver, dimension=dimension)

    def test_a_write_larger_than_the_pool_is_done_with_a_larger_pool(self, tmp_path):
        settings = EngineSettings(buffer_pool_size=8 * MEBIBYTE)
        graph = DatabaseGraph(Driver(tmp_path / "big.db", engine=self.engine, settings=settings), dimension=512)
        graph.create()
        numbers = np.random.default_rng(1).normal(size=(2_000, 512)).astype(np.float32)
        graph.apply(Delta(seq=1, vectors=tuple(vector(f"o{n}", tuple(row.tolist())) for n, row in enumerate(numbers))))
        assert graph.counts()["Vector"] == 2_000
        assert graph.nearest(numbers[77], kinds=["statement"], k=1)[0].owner == "o77"
        graph.close()

    def test_a_zero_vector_is_near_nothing(self, fresh):
        graph = fresh()
        graph.apply(Delta(seq=1, vectors=(vector("zero", (0.0,) * 4), vector("one", (1.0, 0.0, 0.0, 0.0)))))
        near = graph.nearest(np.array([1.0, 0.0, 0.0, 0.0], np.float32), kinds=["statement"], k=2)
        assert near[0].owner == "one"
        assert all(item.similarity == 0.0 for item in near[1:])

    def test_counts_in_the_state_are_those_of_the_tables(self, fresh):
        graph = fresh()
        for delta in small_world():
            graph.apply(delta)
            assert graph.meta()[3:] == graph.totals()
        assert sum(graph.counts().values()) == sum(graph.totals())
