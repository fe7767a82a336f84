"""Making the graph file of a new generation from the whole history: quickly, small, and in bounded memory.

Invariant: the file is complete when `fill` returns, and whatever goes wrong is a typed error of this process.  A short
history is written here and stays in its log, since a folded file has a fixed cost of megabytes.  A long one goes into one
CSV file for each table, and a child process, which may die of a full disk, copies each table once: every further copy or
fold of a table leaves unused copies of it in the file.  Nothing refers to the file yet, so a cut-short one is just deleted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphmem import failpoints
from graphmem.errors import GraphDamaged, GraphmemError, QueryError, StoreError, StoreFull
from graphmem.files import check_room, failed
from graphmem.graph import schema
from graphmem.graph.copies import COPY
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import MEBIBYTE, Driver, EngineSettings
from graphmem.graph.probe import child_environment
from graphmem.graph.sheets import Fold, Sheets, sheet
from graphmem.records import Delta

# Up to so many records are left in the log: some four megabytes with vectors of 384 numbers.  Long texts count more.
SHORT_HISTORY = 2_000
CHARACTERS_PER_RECORD = 1_000
# What the child may take for copying: a table, but at most so many rows of it, is in memory while it grows, and the
# vectors are the largest (measured with 384 numbers: 60,000 vectors need 380 MiB, 300,000 need 500).
POOL = 256 * MEBIBYTE
GROUP_ROWS = 131_072
BYTES_PER_NUMBER = 10
# How long a child may take: far more than it needs, for it can only hang.
PATIENCE_SECONDS = 120.0
ROWS_PER_SECOND = 200
_FILLED, _UNFIT, _NO_DISK, _ORPHANED = 0, 1, 4, 5


def fill(path: Path, *, engine: str, dimension: int, deltas: Iterable[Delta], settings: EngineSettings | None = None) -> int:
    """Make the file `path`, which must not exist, with all that the deltas bring; the last ledger entry that is in it."""
    schema.checked_dimension(dimension)
    if path.exists():
        raise StoreError(f"the graph {path} exists: a new one needs a new name")
    settings = settings or EngineSettings()
    check_room(path.parent)
    stream = iter(deltas)
    begun: list[Delta] = []
    weight = 0
    while weight <= SHORT_HISTORY:
        delta = next(stream, None)
        if delta is None:
            return _fill_here(path, engine=engine, dimension=dimension, deltas=begun, settings=settings)
        begun.append(delta)
        weight += _weight(delta)
    return _fill_in_child(path, engine=engine, dimension=dimension, deltas=_drained(begun, stream), settings=settings)


def _weight(delta: Delta) -> int:
    records = sum(len(getattr(delta, name)) for name in Delta.model_fields if name not in ("seq", "hash"))
    characters = sum(len(turn.text) for turn in delta.turns) + sum(len(item.text) for item in delta.statements)
    return records + characters // CHARACTERS_PER_RECORD


def _drained(begun: list[Delta], rest: Iterator[Delta]) -> Iterator[Delta]:
    """All deltas in order, none of them held once it was given."""
    begun.reverse()
    while begun:
        yield begun.pop()
    yield from rest


def _fill_here(path: Path, *, engine: str, dimension: int, deltas: Iterable[Delta], settings: EngineSettings) -> int:
    graph = DatabaseGraph(Driver(path, engine=engine, settings=settings), dimension=dimension)
    try:
        graph.create()
        graph.load(deltas)
        return graph.applied_seq()
    finally:
        graph.close()


def _fill_in_child(path: Path, *, engine: str, dimension: int, deltas: Iterable[Delta], settings: EngineSettings) -> int:
    if not sys.executable:
        raise StoreError("there is no interpreter to fill the graph with: run graphmem with a Python that knows its own path")
    sheets = Sheets(path.parent)
    try:
        fold = Fold(sheets, dimension=dimension)
        for delta in deltas:
            fold.take(delta)
        fold.finish()
        failpoints.reach("fill.sheets")
        pool = POOL + min(fold.vectors, GROUP_ROWS) * dimension * BYTES_PER_NUMBER
        counts = fold.seq, fold.hash, fold.nodes, fold.edges
        arguments = (engine, dimension, path.name, *counts, pool, settings.max_db_size, os.getpid())
        _run_child(path, [str(argument) for argument in arguments], rows=fold.nodes + fold.edges)
    except GraphmemError:
        raise
    except OSError as error:
        raise failed(error, path.parent) from error
    except UnicodeEncodeError as error:
        raise QueryError(f"the graph {path} cannot hold a text that is not valid Unicode: {error.reason}") from error
    finally:
        sheets.remove()
    return fold.seq


def _run_child(path: Path, arguments: list[str], *, rows: int) -> None:
    """Copy the sheets into the file; the folder is the child's working directory, for their names are fixed."""
    seconds = PATIENCE_SECONDS + rows / ROWS_PER_SECOND
    command = [sys.executable, "-P", "-m", "graphmem.graph.fill", *arguments]
    try:
        child = subprocess.run(
            command,
            cwd=path.parent,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GraphDamaged(f"the engine did not fill {path} within {seconds:.0f} s: try again") from error
    if child.returncode == _FILLED:
        return
    said = child.stdout.decode("utf-8", "replace").strip()
    if child.returncode == _NO_DISK:
        raise StoreFull(said)
    check_room(path.parent)
    if b"Cannot write to file" in child.stderr:
        raise StoreFull(f"the graph {path} cannot be filled for want of room on the disk: free some space and try again")
    said = said or f"the engine died on it (exit {child.returncode})"
    raise GraphDamaged(f"the graph {path} cannot be filled: {said}")


def main(arguments: list[str]) -> int:
    """Entry of the child process: says what is wrong on standard output."""
    engine, dimension, name, seq, hash_, nodes, edges, pool, max_db_size, parent = arguments
    settings = EngineSettings(buffer_pool_size=int(pool), max_pool_size=int(pool), max_db_size=int(max_db_size))
    try:
        driver = Driver(Path(name), engine=engine, settings=settings)
        graph = DatabaseGraph(driver, dimension=int(dimension))
        graph.create_tables()
        for table, text in COPY.items():
            if os.getppid() != int(parent):
                return _ORPHANED
            if Path(sheet(table)).exists():
                driver.copy(text)
                failpoints.reach("fill.copied")
        graph.finish(applied_seq=int(seq), applied_hash=hash_, nodes=int(nodes), edges=int(edges))
        failpoints.reach("fill.before-fold")
        graph.checkpoint()
        graph.close()
    except GraphmemError as error:
        sys.stdout.write(str(error))
        return _UNFIT if isinstance(error, GraphDamaged | QueryError) or not isinstance(error, StoreError) else _NO_DISK
    except OSError as error:
        said = f"the graph {name} cannot be filled ({error.strerror}): free some space or check the disk, and try again"
        sys.stdout.write(said)
        return _NO_DISK
    return _FILLED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
