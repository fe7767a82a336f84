"""An ingest that is killed at any moment and run again gives the same statements as one that was left alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# One process loads the language model, then forks a child per attempt and kills it after a drawn delay.  The child says
# when it begins to ingest, so that the delays fall into the ingest and not into its start.
SCRIPT = r"""
import json, os, random, signal, sys, time
from pathlib import Path
from importlib.resources import files

home, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
from graphmem import Memory
from graphmem.extractors import english
english.pipeline()
source = Path(str(files("graphmem.data").joinpath("transcripts")))
draw = random.Random(seed)

def attempt(folder, write):
    with Memory.open(folder, user="u", entropy=lambda n: bytes(n)) as memory:
        memory._embedder().encode(["warm"])
        os.write(write, b"go")
        memory.ingest(source)

def child(folder):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            attempt(folder, write)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    os.read(read, 2)
    os.close(read)
    return pid

def content(folder):
    with Memory.open(folder, user="u", entropy=lambda n: bytes(n)) as memory:
        report = memory.verify()
        rows = [s.model_dump(mode="json") for s in memory.statements()]
        for row in rows:
            row.pop("recorded_at")
            for item in row["evidence"]:
                item.pop("recorded_at")
        return {"rows": sorted(json.dumps(r, sort_keys=True) for r in rows), "problems": list(report.problems),
                "checked": report.quotes_checked, "notices": list(memory.notices)}

started = time.perf_counter()
assert os.waitpid(child(home / "calm"), 0)[1] == 0
length = time.perf_counter() - started
calm = content(home / "calm")
results, killed, begun = [], 0, 0
while killed < kills:
    begun += 1
    folder = home / f"try{begun}"
    for _ in range(3):
        pid = child(folder)
        time.sleep(draw.random() * length * 0.7)
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status):
            break
    assert os.waitpid(child(folder), 0)[1] == 0
    after = content(folder)
    results.append({"same": after["rows"] == calm["rows"], "problems": after["problems"]})
print(json.dumps({"killed": killed, "statements": len(calm["rows"]), "checked": calm["checked"], "results": results}))
"""


def run(folder: Path, kills: int, seed: int):
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder), str(kills), str(seed)],
        capture_output=True, text=True, timeout=540, check=False,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr[-2000:]
    return json.loads(out.stdout.strip().splitlines()[-1])


@pytest.mark.parametrize("kills", [pytest.param(30, id="30-kills")])
def test_a_killed_ingest_run_again_gives_the_same_statements(tmp_path, kills):
    report = run(tmp_path, kills, seed=7)
    assert report["killed"] >= kills
    assert report["statements"] > 20
    assert [r for r in report["results"] if not r["same"] or r["problems"]] == []


@pytest.mark.long
def test_three_hundred_kills(tmp_path):
    report = run(tmp_path, 300, seed=8)
    assert [r for r in report["results"] if not r["same"] or r["problems"]] == []
