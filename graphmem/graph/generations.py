"""The files of a space's graph: one folder per generation, a pointer to the one in use, and how they are replaced.

Invariant: the pointer names a generation only once it is complete and on disk, and is switched last; no name is ever
used twice; the database file of a generation is never changed after that (all later changes are in its log), so that
its digest tells at every opening whether it is still what was written.  A generation that is missing, damaged or
foreign is put aside and a new one is made from the ledger: a graph can always be lost, and never what it was made from.

The caller holds the lock of the space: one process at a time is in these folders.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import GraphDamaged, QueryError, StoreError
from graphmem.graph import probe, schema
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import MAGIC, MEBIBYTE, Driver, EngineSettings, is_open, log_path, log_size
from graphmem.records import Delta

History = Callable[[int], Iterable[Delta]]

# Above this the log takes too long to read back at every opening, and a new generation is made.
LOG_LIMIT = 12 * MEBIBYTE
# Above this it is worth folding when there is time for it, as after a large ingest: each 4 MiB add 0.2 s to an opening.
FOLD_SOON = 4 * MEBIBYTE
# Below this a new generation is left in its log: a folded file has a fixed cost of a few megabytes.
FOLD_ABOVE = 2 * MEBIBYTE
# Above this the log is folded already while a new generation is filled: all of it is in memory until then.
FOLD_WHILE_LOADING = 32 * MEBIBYTE
QUARANTINE_KEPT = 3

# The first page of a database file, and how much of it the engine reads.
PAGE = 4096
HEADER = 64

POINTER = "current"
QUARANTINE = "quarantine"
DATABASE = "graph.db"
MANIFEST = "manifest.json"
STATE = "state.json"

_GENERATION = re.compile(r"g\d{6,}")
_OPENING = threading.RLock()


class State(NamedTuple):
    """Whether a generation was closed properly, and its log as far as it is known to be good."""

    clean: bool
    log_size: int
    log_sha256: str


def open_graph(
    folder: Path,
    *,
    engine: str,
    dimension: int,
    history: History,
    head: int,
    settings: EngineSettings | None = None,
    probe_seconds: float = probe.PROBE_SECONDS,
) -> DatabaseGraph:
    """The graph in `folder`, brought up to ledger entry `head`; made or remade from `history` where needed.

    `history(after)` gives the deltas after that ledger entry, in order; `history(0)` all of them.  What was found and
    done is in `notices` of the graph, empty for an everyday opening.
    """
    schema.checked_dimension(dimension)
    place = _Place(folder, engine=engine, dimension=dimension, settings=settings or EngineSettings())
    with _OPENING:
        current = place.current()
        if current is None:
            notices = ["the graph was missing and was rebuilt from the ledger"] if head or place.generations() else []
            place.discard(keep=None)
            return place.rebuild(history, notices)
        if is_open(place.database(current)):
            return _forward(place.attach(current, []), history, head)
        reason = place.unfit(current)
        if reason is None and log_size(place.database(current)) > LOG_LIMIT:
            return place.rebuild(history, ["the log of the graph had grown and was folded into a new generation"])
        if reason is None and not place.state(current).clean:
            reason = probe.fault_in_child(
                place.database(current), engine=engine, dimension=dimension, head=head, seconds=probe_seconds
            )
        if reason is None:
            try:
                return place.enter(current, history, head)
            except (GraphDamaged, QueryError) as error:
                reason = str(error)
        place.quarantine(current)
        return place.rebuild(history, [f"the graph was unfit ({reason}); it was put aside and rebuilt from the ledger"])


def compact(
    folder: Path,
    *,
    engine: str,
    dimension: int,
    history: History,
    settings: EngineSettings | None = None,
    keep_quarantine: bool = False,
) -> None:
    """Write the graph anew from `history` and delete every older file of it, those that were put aside included.

    This is also how erased content leaves the disk: an engine keeps deleted rows in its file.  The graph must be closed.
    """
    place = _Place(folder, engine=engine, dimension=dimension, settings=settings or EngineSettings())
    with _OPENING:
        current = place.current()
        if current is not None and is_open(place.database(current)):
            raise StoreError(f"the graph in {folder} is open in this process: close it before it is compacted")
        place.rebuild(history, []).close()
        if not keep_quarantine:
            shutil.rmtree(folder / QUARANTINE, ignore_errors=True)


def _forward(graph: DatabaseGraph, history: History, head: int) -> DatabaseGraph:
    """Apply what the ledger has and the graph has not."""
    after = graph.applied_seq()
    if after < head:
        taken = graph.catch_up(history(after))
        if taken:
            graph.notices += (f"{taken} entries of the ledger were missing from the graph and were replayed",)
    return graph


def _clean_header(path: Path) -> None:
    """Blank what the engine leaves behind the header fields on the first page.

    It writes the whole page from memory it did not clear, and that memory may hold words of another space or words that
    were to be erased.  Measured with kuzu 0.11.3: the last field ends at byte 28.
    """
    with path.open("r+b") as file:
        page = file.read(PAGE)
        if len(page) == PAGE and page[: len(MAGIC["kuzu"])] == MAGIC["kuzu"]:
            file.seek(HEADER)
            file.write(bytes(PAGE - HEADER))


class _Place:
    """The folder of one space's graph."""

    def __init__(self, folder: Path, *, engine: str, dimension: int, settings: EngineSettings) -> None:
        self.folder = folder
        self.engine = engine
        self.dimension = dimension
        self.settings = settings

    # --- names ----------------------------------------------------------------------------------------------------

    def database(self, generation: str) -> Path:
        return self.folder / generation / DATABASE

    def current(self) -> str | None:
        """The generation that the pointer names, if it names one."""
        try:
            name = (self.folder / POINTER).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return name if _GENERATION.fullmatch(name) else None

    def generations(self) -> list[str]:
        """Folders of generations, whether in use or not."""
        if not self.folder.is_dir():
            return []
        return sorted(entry.name for entry in self.folder.iterdir() if _GENERATION.fullmatch(entry.name))

    def _unused_name(self) -> str:
        aside = self.folder / QUARANTINE
        names = [*self.generations(), self.current() or "g000000"]
        names += [entry.name for entry in aside.iterdir()] if aside.is_dir() else []
        used = [int(match.group()[1:]) for name in names if (match := _GENERATION.match(name))]
        return f"g{max(used, default=0) + 1:06d}"

    # --- reading --------------------------------------------------------------------------------------------------

    def state(self, generation: str) -> State:
        """What is known of the log; nothing, if the note of it is missing or cannot be read."""
        found = _read_json(self.folder / generation / STATE)
        try:
            return State(found["clean"] is True, int(found["log_size"]), str(found["log_sha256"]))
        except (KeyError, TypeError, ValueError):
            return State(False, 0, _digest(None))

    def unfit(self, generation: str) -> str | None:
        """Why the files of a closed generation cannot be used, or None.  The engine is not asked."""
        path = self.database(generation)
        manifest = _read_json(self.folder / generation / MANIFEST)
        if not path.is_file():
            return "its file is missing"
        if not manifest:
            return "its manifest is missing or cannot be read"
        for name, wanted in (("engine", self.engine), ("schema", schema.SCHEMA_VERSION), ("dimension", self.dimension)):
            if manifest.get(name) != wanted:
                return f"its {name} is {manifest.get(name)} and {wanted} is in use"
        with path.open("rb") as file:
            if file.read(4) != MAGIC[self.engine]:
                return f"its file is not one of {self.engine}"
        if manifest.get("sha256") != _digest(path):
            return "its file is not as it was written"
        state = self.state(generation)
        log = log_path(path)
        size = log_size(path)
        if size < state.log_size or (state.clean and size != state.log_size):
            return f"its log has {size} bytes and was left with {state.log_size}"
        if state.log_size and _digest(log, state.log_size) != state.log_sha256:
            return "its log is not as it was written"
        return None

    # --- opening --------------------------------------------------------------------------------------------------

    def attach(self, generation: str, notices: list[str]) -> DatabaseGraph:
        driver = Driver(self.database(generation), engine=self.engine, settings=self.settings)
        return DatabaseGraph(driver, dimension=self.dimension, notices=notices, on_close=partial(self.seal, generation))

    def enter(self, generation: str, history: History, head: int) -> DatabaseGraph:
        """Open a generation that looks fit, check it, and bring it forward."""
        state = self.state(generation)
        self._note(generation, state._replace(clean=False))
        graph = self.attach(generation, [] if state.clean else ["the graph had not been closed; it was checked"])
        done = False
        try:
            reason = probe.fault(graph, head=head)
            if reason is not None:
                raise GraphDamaged(reason)
            _forward(graph, history, head)
            done = True
        finally:
            if not done:
                graph.close()
        self.discard(keep=generation)
        return graph

    def seal(self, generation: str) -> None:
        """Note that a generation was closed properly, and what its log was then."""
        path = self.database(generation)
        if path.is_file():
            self._note(generation, State(True, log_size(path), _digest(log_path(path))))

    def _note(self, generation: str, state: State) -> None:
        _write_json(self.folder / generation / STATE, state._asdict())

    # --- making and removing --------------------------------------------------------------------------------------

    def rebuild(self, history: History, notices: list[str]) -> DatabaseGraph:
        """A new generation from the whole history, pointed to once it is on disk; older ones are deleted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        generation = self._unused_name()
        own = self.folder / generation
        own.mkdir()
        done = False
        try:
            self._fill(generation, history)
            done = True
        finally:
            if not done:
                shutil.rmtree(own, ignore_errors=True)
        pointer = self.folder / (POINTER + ".new")
        pointer.write_text(generation + "\n", "utf-8")
        _sync(pointer)
        os.replace(pointer, self.folder / POINTER)
        _sync(self.folder)
        self.discard(keep=generation)
        self._note(generation, self.state(generation)._replace(clean=False))
        return self.attach(generation, notices)

    def _fill(self, generation: str, history: History) -> None:
        path = self.database(generation)
        graph = DatabaseGraph(Driver(path, engine=self.engine, settings=self.settings), dimension=self.dimension)
        try:
            graph.create()
            graph.load(history(0), fold_above=FOLD_WHILE_LOADING)
            if graph.log_size() > FOLD_ABOVE:
                graph.checkpoint()
            seq = graph.applied_seq()
            reason = probe.fault(graph, head=seq)
        finally:
            graph.close()
        if reason is not None:
            raise GraphDamaged(f"a new graph in {path.parent} is unfit: {reason}: check the disk and try again")
        _clean_header(path)
        manifest = {
            "engine": self.engine,
            "schema": schema.SCHEMA_VERSION,
            "dimension": self.dimension,
            "sha256": _digest(path),
        }
        _write_json(path.with_name(MANIFEST), manifest)
        self.seal(generation)
        for entry in path.parent.iterdir():
            _sync(entry)
        _sync(path.parent)

    def quarantine(self, generation: str) -> None:
        """Put a generation aside, keeping the last few."""
        source = self.folder / generation
        if not source.is_dir():
            return
        aside = self.folder / QUARANTINE
        aside.mkdir(exist_ok=True)
        target = aside / generation
        number = 1
        while target.exists():
            number += 1
            target = aside / f"{generation}-{number}"
        source.rename(target)
        for old in sorted(entry.name for entry in aside.iterdir())[:-QUARANTINE_KEPT]:
            shutil.rmtree(aside / old, ignore_errors=True)

    def discard(self, *, keep: str | None) -> None:
        """Delete every generation but one, with all that the engine left beside its file."""
        for generation in self.generations():
            if generation != keep:
                shutil.rmtree(self.folder / generation, ignore_errors=True)


def _digest(path: Path | None, size: int | None = None) -> str:
    """SHA-256 of a file or of its first bytes; of nothing, if it does not exist."""
    digest = hashlib.sha256()
    if path is not None and path.is_file():
        left = path.stat().st_size if size is None else size
        with path.open("rb") as file:
            while left > 0 and (part := file.read(min(left, MEBIBYTE))):
                digest.update(part)
                left -= len(part)
    return digest.hexdigest()


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_json(path: Path, value: dict[str, Any]) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(value), "utf-8")
    os.replace(fresh, path)


def _sync(path: Path) -> None:
    """Make a file or a folder durable; a platform that cannot open a folder has no need to."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
