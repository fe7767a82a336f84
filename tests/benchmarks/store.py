"""What the store costs: time, disk and memory by size and by number of spaces, beside the bare engines.

Run `python tests/benchmarks/store.py` (about a quarter of an hour; `--sizes 1000 10000` for less).  Every stage is a
process of its own, so that its memory is its own; each size is also written as bare rows into Kùzu and into SQLite in the
same run, so that a slow machine slows all three.  `--write` puts the table into README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
MOST_WRITTEN = 20_000  # statements that are written session by session to fill a space
SAMPLE = 25  # operations that are timed at each size, and openings


def memory_now() -> float:
    """Resident memory in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def timed(act: Callable[[], Any]) -> float:
    """Seconds that an act takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def fill(home: Path, count: int) -> dict[str, float]:
    """Record `count` statements: through the store, or (a large number) into the ledger, with the graph made at the end."""
    import workload

    from graphmem import Memory

    base = memory_now()
    with Memory.open(home, user="bench") as memory:
        space = memory._space
        if count > MOST_WRITTEN:
            for session in workload.sessions(count):
                item = workload.operation(space, session)
                space.ledger.append(item.id, item.drafts, item.vectors, at=item.at)
            space.graph.applied_seq()
            return {}
        seconds = timed(lambda: workload.fill(space, count))
        used = memory_now() - base
        closing = time.perf_counter()
    return {"writes/s": count / seconds, "closing s": time.perf_counter() - closing, "writing MB": used}


def append(home: Path, count: int) -> dict[str, float]:
    """What one more session of 20 statements costs in a store of `count`: ledger and graph, and the ledger alone."""
    import workload

    from graphmem import Memory
    from graphmem.ledger import Ledger

    with Memory.open(home, user="bench") as memory:
        space = memory._space
        space.graph.applied_seq()
        first = count // workload.TURNS + 1
        items = [workload.operation(space, one) for one in workload.sessions(SAMPLE * workload.TURNS, first=first)]
        alone: list[float] = []
        plain = Ledger.append

        def watched(self: Any, *args: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            result = plain(self, *args, **named)
            alone.append(time.perf_counter() - begun)
            return result

        Ledger.append = watched  # type: ignore[method-assign]
        whole = [timed(lambda item=item: space.write(item.id, item.drafts, item.vectors, at=item.at)) for item in items]
    return {
        "append ms": statistics.median(whole) * 1e3,
        "append ledger ms": statistics.median(alone) * 1e3,
        "appended/s": workload.TURNS / statistics.median(whole),
    }


def opening(home: Path, count: int) -> dict[str, float]:
    """Opening a store until its first answer, files in the system's cache."""
    from graphmem import Memory

    spent, ready = [], []
    with Memory.open(home, user="bench") as memory:
        wanted = memory._space.ledger.head()[0] // 2
        named = next(entry for entry in memory._space.ledger.entries(wanted) if entry.type == "statement recorded").subjects[0]
    base = memory_now()
    used = 0.0
    for _ in range(SAMPLE):
        begun = time.perf_counter()
        with Memory.open(home, user="bench") as memory:
            spent.append(time.perf_counter() - begun)
            memory.trace(named)
            ready.append(time.perf_counter() - begun)
            used = max(used, memory_now() - base)
    return {"open ms": statistics.median(spent) * 1e3, "first answer ms": statistics.median(ready) * 1e3, "open MB": used}


def rebuild(home: Path, count: int) -> dict[str, float]:
    """Writing the graph anew from the ledger."""
    from graphmem import Memory

    with Memory.open(home, user="bench") as memory:
        seconds = timed(memory.rebuild)
    folder = next(path for path in home.iterdir() if path.is_dir())
    ledger = (folder / "ledger.sqlite").stat().st_size
    return {
        "rebuild s": seconds,
        "ledger B/statement": ledger / count,
        "graph B/statement": size_of(folder / "graph") / count,
        "B/statement": size_of(folder) / count,
    }


def bare(home: Path, count: int) -> dict[str, float]:
    """The same records as bare rows: body and vector of every statement, a transaction for each session."""
    import workload

    from graphmem import Memory
    from graphmem.graph.engine import load_engine

    with Memory.open(home / "source", user="bench") as memory:
        rows = []
        for session in workload.sessions(count):
            item = workload.operation(memory._space, session)
            bodies = [
                (draft.subjects[0], json.dumps(draft.body)) for draft in item.drafts if draft.type == "statement recorded"
            ]
            kept = {vector.owner: vector.data for vector in item.vectors}
            rows.append([(name, body, kept[name]) for name, body in bodies])
    path = home / "bare.sqlite"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE statement (id TEXT PRIMARY KEY, body TEXT, vector BLOB)")

    def into_sqlite() -> None:
        for part in rows:
            database.execute("BEGIN")
            database.executemany("INSERT INTO statement VALUES (?, ?, ?)", part)
            database.execute("COMMIT")

    sqlite_seconds = timed(into_sqlite)
    database.close()
    found = {"bare SQLite writes/s": count / sqlite_seconds, "bare SQLite B/statement": path.stat().st_size / count}
    if count > MOST_WRITTEN:
        return found  # bare rows in Kùzu take 64 KB of memory each until the log is folded
    kuzu = load_engine("kuzu")
    base = memory_now()
    graph = kuzu.Database(str(home / "bare.kuzu"), buffer_pool_size=1 << 32, max_num_threads=1)
    connection = kuzu.Connection(graph, num_threads=1)
    connection.execute("CREATE NODE TABLE Statement(id STRING PRIMARY KEY, body STRING, vector FLOAT[384])")
    from graphmem.vectors import unpack

    def into_kuzu() -> None:
        for part in rows:
            given = [{"id": a, "body": b, "vector": list(unpack(c))} for a, b, c in part]
            connection.execute(
                "UNWIND $rows AS row CREATE (:Statement {id: row.id, body: row.body, vector: row.vector})", {"rows": given}
            )

    kuzu_seconds = timed(into_kuzu)
    connection.close()
    graph.close()
    return found | {
        "bare Kùzu writes/s": count / kuzu_seconds,
        "bare Kùzu B/statement": (home / "bare.kuzu").stat().st_size / count,
        "bare Kùzu MB": memory_now() - base,
    }


def spaces(home: Path, count: int) -> dict[str, float]:
    """Many spaces open at once, each with a statement, each asked once."""
    import numpy  # noqa: F401  loaded before the memory is measured
    import workload

    from graphmem import Memory

    base, biggest = memory_now(), 0.0
    memories, made = [], 0.0
    for number in range(count):
        begun = time.perf_counter()
        memory = Memory.open(home, user=f"user {number}")
        made += time.perf_counter() - begun
        memories.append(memory)
        for item in [workload.operation(memory._space, next(iter(workload.sessions(20, first=number))))]:
            memory._space.write(item.id, item.drafts[:2], [], at=item.at)
        biggest = max(biggest, memory_now() - base)
    begun = time.perf_counter()
    for memory in memories:
        assert len(memory.statements()) == 1
        biggest = max(biggest, memory_now() - base)
    asked = time.perf_counter() - begun
    for memory in memories:
        memory.close()
    empty = home / "empty"
    Memory.open(empty, user="nobody").close()
    with Memory.open(empty, user="somebody") as memory:
        memory.statements()
    return {
        "open ms each": made / count * 1e3,
        "answer ms each": asked / count * 1e3,
        "MB in all": biggest,
        "disk MB each": size_of(home) / count / 1e6,
        "empty space MB": size_of(empty) / 2 / 1e6,
    }


STAGES = {"fill": fill, "append": append, "opening": opening, "rebuild": rebuild, "bare": bare, "spaces": spaces}


def run(stage: str, home: Path, count: int) -> dict[str, float]:
    """One stage in a process of its own."""
    home.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run(
        [sys.executable, str(HERE / "store.py"), "--stage", stage, str(home), str(count)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ended.returncode:
        raise SystemExit(f"stage {stage} at {count} failed:\n{ended.stderr[-2000:]}")
    found: dict[str, float] = json.loads(ended.stdout)
    return found


def table(title: str, columns: dict[int, dict[str, float]]) -> str:
    """A table with a column for each size."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    lines = [f"| {title} | " + " | ".join(f"{size:,}" for size in columns) + " |", "|---|" + "---:|" * len(columns)]
    for name in names:
        cells = [column.get(name) for column in columns.values()]
        lines.append(f"| {name} | " + " | ".join("" if cell is None else f"{cell:,.4g}" for cell in cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--spaces", type=int, nargs="+", default=[1, 100, 200, 1_000])
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    parser.add_argument("--stage", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stage:
        stage, home, count = arguments.stage
        print(json.dumps(STAGES[stage](Path(home), int(count))))
        return
    by_size: dict[int, dict[str, float]] = {}
    by_spaces: dict[int, dict[str, float]] = {}
    work = Path(tempfile.mkdtemp(prefix="graphmem-store-"))
    try:
        for size in arguments.sizes:
            home = work / str(size)
            by_size[size] = {}
            for stage in ("fill", "opening", "rebuild", "append", "bare"):
                where = home / "bare" if stage == "bare" else home / "store"
                by_size[size] |= run(stage, where, size)
                print(size, stage, by_size[size], file=sys.stderr, flush=True)
            shutil.rmtree(home)
        for count in arguments.spaces:
            by_spaces[count] = run("spaces", work / f"spaces{count}", count)
            print(count, by_spaces[count], file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    text = table("statements in one space", by_size) + "\n\n" + table("spaces open at once", by_spaces)
    print(text)
    if arguments.write:
        page = HERE / "README.md"
        begin, end = "<!-- store -->\n", "\n<!-- /store -->"
        old = page.read_text("utf-8")
        head, rest = old.split(begin)
        page.write_text(head + begin + text + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    main()
