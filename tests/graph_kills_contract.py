"""What a graph must survive when its process is killed, and what a second process sees of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from graph_contract import reference_of, same_answers
from graph_files_contract import COUNT, DELTAS, Files, history
from graph_world import DIMENSION

from graphmem.graph.generations import compact

# Writes the graph anew again and again.
COMPACTER = """
import sys
from pathlib import Path
from graph_world import DIMENSION, long_history
from graphmem.graph import fill, generations
fill.SHORT_HISTORY = -1
deltas = long_history(int(sys.argv[3]))
print("begin", flush=True)
while True:
    generations.compact(Path(sys.argv[1]), engine=sys.argv[2], dimension=DIMENSION, history=lambda after: deltas)
"""

# Applies the history from where the graph stands and says each sequence number once it is acknowledged.
WRITER = """
import sys
from pathlib import Path
from graph_world import DIMENSION, long_history
from graphmem.graph.generations import open_graph
deltas = long_history(int(sys.argv[3]))
options = {"engine": sys.argv[2], "dimension": DIMENSION, "history": lambda after: [], "head": deltas[-1].seq}
graph = open_graph(Path(sys.argv[1]), **options)
print("open", graph.applied_seq(), flush=True)
for delta in deltas:
    if delta.seq > graph.applied_seq():
        graph.apply(delta)
        print("done", delta.seq, flush=True)
print("end", flush=True)
sys.stdin.read()
"""


class KillsContract(Files):
    """A subclass names its `engine`."""

    def child(self, program, *arguments):
        paths = [str(Path(__file__).parent), *filter(None, sys.path)]
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments, str(COUNT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths)),
        )

    def test_a_graph_in_use_by_another_process_is_read_from_a_copy_of_ones_own(self, folder):
        self.open(folder).close()
        other = self.child(WRITER, str(folder), self.engine)
        try:
            while other.stdout.readline().strip() != "end":
                assert other.poll() is None
            graph = self.open(folder)
            assert graph.notices == ()
            same_answers(graph, reference_of(DELTAS))
            assert len([entry for entry in folder.iterdir() if entry.name.startswith("p-")]) == 1
            graph.close()
            assert not [entry for entry in folder.iterdir() if entry.name.startswith("p-")]
        finally:
            other.communicate("")
        graph = self.open(folder)
        assert not any("rebuilt" in notice for notice in graph.notices)
        same_answers(graph, reference_of(DELTAS))
        graph.close()

    def test_a_graph_that_is_used_by_a_process_is_not_removed_by_another(self, folder):
        self.open(folder).close()
        other = self.child(WRITER, str(folder), self.engine)
        try:
            while other.stdout.readline().strip() != "end":
                assert other.poll() is None
            old = self.current(folder)[0]
            compact(folder, engine=self.engine, dimension=DIMENSION, history=history, purge=False)
            assert old.exists() and self.current(folder)[0] != old
        finally:
            other.communicate("")
        # Closed by the other one, it is removed by the next who opens.
        graph = self.open(folder)
        same_answers(graph, reference_of(DELTAS))
        graph.close()
        assert not old.exists()

    def test_kills_lose_nothing_that_was_acknowledged_and_leave_nothing_partial(self, folder):
        self.kill(folder, rounds=10, seed=3)

    def test_kills_while_it_is_written_anew_leave_one_generation_or_the_other(self, folder):
        self.kill_compacting(folder, rounds=3, seed=1)

    @pytest.mark.long
    def test_many_kills_while_it_is_written_anew(self, folder):
        self.kill_compacting(folder, rounds=60, seed=2)

    def kill_compacting(self, folder, *, rounds, seed):
        chance = random.Random(seed)
        self.open(folder).close()
        for _ in range(rounds):
            child = self.child(COMPACTER, str(folder), self.engine)
            assert child.stdout.readline() == "begin\n"
            time.sleep(chance.uniform(0.05, 0.6))
            child.send_signal(signal.SIGKILL)
            child.communicate()
            graph = self.open(folder)
            assert not any("rebuilt" in notice for notice in graph.notices)
            same_answers(graph, reference_of(DELTAS))
            graph.close()
            assert len([entry for entry in folder.iterdir() if entry.name.startswith("g")]) == 1

    @pytest.mark.long
    def test_many_kills(self, folder, tmp_path):
        for seed in range(10):
            self.kill(tmp_path / str(seed) / "graph", rounds=15, seed=seed)

    def kill(self, folder, *, rounds, seed):
        chance = random.Random(seed)
        self.open(folder, upto=0).close()
        acknowledged = 0
        for _ in range(rounds):
            child = self.child(WRITER, str(folder), self.engine)
            lines, opened = chance.randrange(1, 5), False
            for line in child.stdout:
                word, _, number = line.strip().partition(" ")
                if word == "open":
                    opened = True
                    # What an earlier round acknowledged is there, or a whole delta more.
                    assert int(number) >= acknowledged
                elif word == "done":
                    acknowledged = int(number)
                lines -= 1
                if lines <= 0 or word == "end":
                    break
            child.send_signal(signal.SIGKILL)
            for line in child.stdout:
                if line.startswith("done"):
                    acknowledged = int(line.split()[1])
            child.communicate()
            assert opened
        graph = self.open(folder, history=lambda after: [])
        assert not any("rebuilt" in notice for notice in graph.notices)
        reached = graph.applied_seq()
        assert reached >= acknowledged > 0
        same_answers(graph, reference_of([delta for delta in DELTAS if delta.seq <= reached]))
        graph.close()
