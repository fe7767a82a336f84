"""Many memories open at once: only the ones used last keep their files open, and nothing is lost by it."""

from __future__ import annotations

import os

import pytest

from graphmem import Memory, pool


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this platform does not list open files")
def test_only_so_many_spaces_keep_their_files_open(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "most_ledgers", lambda: 3)
    monkeypatch.setattr(pool, "most_graphs", lambda: 2)
    memories = [Memory.open(tmp_path, user=f"user {number}") for number in range(12)]
    before = open_files()
    for number, memory in enumerate(memories):
        memory.remember(f"I own boat {number}")
    assert len(pool.LEDGERS) == 3 and len(pool.GRAPHS) == 2
    assert open_files() - before <= 3 * (pool.FILES_EACH + 3)
    for number, memory in enumerate(memories):
        assert [s.evidence[0].quote for s in memory.statements()] == [f"I own boat {number}"]
        assert memory.recall(f"boat {number}", min_score=0).hits
        assert memory.verify().problems == () and memory.notices == ()
    for memory in memories:
        memory.close()
    assert open_files() <= before


def test_a_space_in_the_middle_of_an_act_is_not_put_to_sleep(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "most_ledgers", lambda: 1)
    monkeypatch.setattr(pool, "most_graphs", lambda: 1)
    with Memory.open(tmp_path, user="one") as one, Memory.open(tmp_path, user="two") as two:
        with one._space.writing():
            graph = one._space.graph
            two.remember("I own a boat")
            assert one._space.graph is graph
        two.remember("I own a kayak")
        one.remember("I keep bees")
        assert len(two.statements()) == 2 and len(one.statements()) == 1


def test_the_limit_follows_the_files_a_process_may_open(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1024, 4096))
    assert pool.most_ledgers() == 200
    monkeypatch.setattr(resource, "getrlimit", lambda which: (100, 100))
    assert pool.most_ledgers() == 1
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert pool.most_ledgers() == 200
