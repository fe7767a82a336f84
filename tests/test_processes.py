"""Several processes and threads on one space: everyone reads, writers take turns, nobody sees half an operation."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import StoreError, StoreLocked

HERE = Path(__file__).parent
ITEMS = 3  # statements of one operation

# A worker: threads that write operations of ITEMS statements each and read in between; it prints what it was told was
# recorded and how often it saw a part of an operation only.
WORKER = r"""
import json, random, sys, threading
from datetime import UTC, datetime, timedelta
sys.path.insert(0, sys.argv[1])
from crowd import take
from graphmem import Memory
home, name, threads, calls, shared = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6] == "shared"
told, half, errors, done = [], 0, [], 0
guard = threading.Lock()

def seen(memory):
    found = {}
    for statement in memory.statements(kind="fact"):
        found.setdefault(statement.object.split(" item ")[0], set()).add(statement.object)
    return found

def work(number, memory):
    global half, done
    draw = random.Random(f"{name}/{number}")
    known = set()
    try:
        for call in range(calls):
            what = draw.random()
            if what < 0.4:
                label = f"{name} {number} {call}"
                take(memory, label)
                known.add(label)
                with guard:
                    told.append(label)
            elif what < 0.9:
                found = seen(memory)
                with guard:
                    half += sum(len(items) != 3 for items in found.values()) + len(known - found.keys())
            else:
                memory.changes()
                memory.sessions()
            with guard:
                done += 1
    except Exception as error:
        errors.append(repr(error))

one = Memory.open(home, user="crowd", wait=120) if shared else None
memories = [one or Memory.open(home, user="crowd", wait=120) for _ in range(threads)]
workers = [threading.Thread(target=work, args=(n, memories[n])) for n in range(threads)]
[w.start() for w in workers]
[w.join() for w in workers]
[m.close() for m in memories]
print(json.dumps({"told": told, "half": half, "errors": errors, "calls": done}))
"""


def said(memory: Memory) -> list[str]:
    """The words that the statements rest on."""
    return sorted(statement.evidence[0].quote for statement in memory.statements())


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))),
    )  # fmt: skip


def crowd(home: Path, *, processes: int, threads: int, calls: int, shared: str) -> int:
    """Run the workers and compare what they were told with what is there; how many calls that were."""
    workers = [start(WORKER, str(HERE), str(home), f"p{n}", str(threads), str(calls), shared) for n in range(processes)]
    told, done = [], 0
    for worker in workers:
        out, err = worker.communicate(timeout=900)
        assert worker.returncode == 0, err[-2000:]
        report = json.loads(out.strip().splitlines()[-1])
        assert (report["errors"], report["half"]) == ([], 0)
        told += report["told"]
        done += report["calls"]
    assert done == processes * threads * calls and told
    with Memory.open(home, user="crowd") as memory:
        objects = {statement.object for statement in memory.statements(kind="fact")}
        assert objects == {f"{label} item {item}" for label in told for item in range(ITEMS)}
        assert memory.verify().problems == ()
    folder = next(path for path in home.iterdir() if path.is_dir())
    assert [path.name for path in (folder / "graph").iterdir() if path.name.startswith("p-")] == []
    return done


@pytest.mark.parametrize("shared", ["shared", "apart"])
def test_processes_and_threads_lose_nothing_and_see_whole_operations(tmp_path, shared):
    assert crowd(tmp_path, processes=2, threads=4, calls=12, shared=shared) == 96


@pytest.mark.long
def test_ten_thousand_mixed_calls(tmp_path):
    """In twenty memories, since every reading call reads all of one."""
    done = 0
    for number in range(20):
        done += crowd(tmp_path / str(number), processes=2, threads=8, calls=32, shared=("shared", "apart")[number % 2])
    print(json.dumps({"calls": done, "lost": 0, "seen in part": 0}))
    assert done > 10_000


HOLDER = r"""
import sys
from graphmem import Memory
with Memory.open(sys.argv[1], user="u") as memory:
    memory.remember("I keep bees")
    with (memory._space.writing() if sys.argv[2] == "writing" else memory._space.reading()):
        print("held", flush=True)
        sys.stdin.readline()
    print([s.evidence[0].quote for s in memory.statements()], flush=True)
    sys.stdin.readline()
"""


OPENED = "import sys; from graphmem import Memory; m = Memory.open(sys.argv[1], user='u'); "


def held(home, how):
    holder = start(HOLDER, str(home), how)
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_process_that_only_has_the_space_open_keeps_nobody_from_writing(tmp_path):
    holder = held(tmp_path, "reading")
    with Memory.open(tmp_path, user="u", wait=0.5) as memory:
        assert said(memory) == ["I keep bees"]
        memory.remember("I own a boat")
    holder.stdin.write("\n")
    holder.stdin.flush()
    assert "I own a boat" in holder.stdout.readline()
    holder.communicate("\n")
    assert holder.returncode == 0


def test_a_second_writer_is_told_after_a_bounded_wait_and_readers_are_not_kept(tmp_path):
    holder = held(tmp_path, "writing")
    with Memory.open(tmp_path, user="u", wait=0.3) as memory:
        assert said(memory) == ["I keep bees"]
        with pytest.raises(StoreLocked, match=r"waited 0\.3 s"):
            memory.remember("I own a boat")
        assert said(memory) == ["I keep bees"]
        holder.stdin.write("\n")
        holder.stdin.flush()
        holder.stdout.readline()
        memory.remember("I own a boat")
    holder.communicate("\n")


def test_what_another_process_forgot_leaves_every_file_of_this_one_too(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        memory.remember("I was once in Samarkand")
        other = (
            "from graphmem import Memory; import sys; m = Memory.open(sys.argv[1], user='u'); r = m.forget(topic='Samarkand')"
        )
        run = start(other + "; print(r.residue_hits); m.close()", str(tmp_path))
        out, err = run.communicate(timeout=60)
        assert out == "0\n", err
        folder = memory._space.folder
        assert not any(b"Samarkand" in path.read_bytes() for path in folder.rglob("graph*") if path.is_file())
        assert memory.statements() == []
        memory.remember("I keep bees")
        assert memory.verify().problems == ()


def test_everything_forgotten_by_another_process_is_an_empty_memory_here(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        memory.remember("I was once in Samarkand")
        run = start(OPENED + "m.forget(all=True); m.close()", str(tmp_path))
        assert run.communicate(timeout=60)[1] == "" and run.returncode == 0
        assert memory.statements() == []
        memory.remember("I keep bees")
    with Memory.open(tmp_path, user="u") as memory:
        assert said(memory) == ["I keep bees"]
        assert memory.verify().problems == ()


def test_two_memories_of_one_space_in_one_process_see_each_other(tmp_path):
    with Memory.open(tmp_path, user="u") as one, Memory.open(tmp_path, user="u") as two:
        one.remember("I keep bees")
        assert said(two) == ["I keep bees"]
        two.remember("I own a boat")
        assert len(one.statements()) == 2
        one.forget(topic="boat")
        assert said(two) == ["I keep bees"]
        one.close()
        two.remember("I own a kayak")
        assert two.verify().problems == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_memory_opened_before_a_fork_is_refused_in_the_child_and_lives_on_in_the_parent(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        memory.remember("I keep bees")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            said = ""
            try:
                memory.statements()
            except StoreError as error:
                said = str(error)
            memory.close()
            with Memory.open(tmp_path, user="u") as own:
                own.remember("I own a boat")
                said += f" {len(own.statements())}"
            os.write(write, said.encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as told:
            said = told.read()
        os.waitpid(child, 0)
        assert "before a fork" in said and said.endswith(" 2")
        memory.remember("I play the lute")
        assert len(memory.statements()) == 3
        assert memory.verify().problems == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_child_is_refused_while_a_thread_of_the_parent_acts(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        inside, go_on = threading.Event(), threading.Event()

        def act() -> None:
            with memory._space.writing():
                inside.set()
                go_on.wait(30)

        busy = threading.Thread(target=act)
        busy.start()
        inside.wait(10)
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # waiting for a thread that is not there ends so
            try:
                memory.statements()
            except StoreError as error:
                os._exit(0 if "before a fork" in str(error) else 2)
            os._exit(1)
        go_on.set()
        busy.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_wait_for_each_other(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        texts = [f"I own boat {number}" for number in range(8)]
        workers = [threading.Thread(target=memory.remember, args=(text,)) for text in texts]
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
        assert said(memory) == texts


@pytest.mark.parametrize("collected", [False, True])
def test_a_handle_that_was_dropped_keeps_nobody_from_forgetting(tmp_path, collected):
    memory = Memory.open(tmp_path, user="u")
    turns = [{"role": "user", "text": "My brother Leonard lives in Lisbon."}]
    memory.ingest({"started": "2026-05-14T10:30:00Z", "turns": turns})
    dropped = Memory.open(tmp_path, user="u")
    assert dropped.statements()
    del dropped
    if collected:
        gc.collect()
    assert memory.forget(entity="Leonard").residue_hits == 0
    memory.close()
    gc.collect()
    with Memory.open(tmp_path, user="u") as memory:
        assert not any("Leonard" in one.text for one in memory.statements())
