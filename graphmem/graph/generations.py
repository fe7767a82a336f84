"""The files of a space's graph: one folder per generation, a pointer to the one in use, and how they are replaced.

Invariant: the pointer names a generation only once it is complete and on disk, and is switched last; no name is ever
used twice; the database file of a generation is never changed after that (all later changes are in its log), so that
its checksum tells at every opening whether it is still what was written.  A generation that is missing, damaged or
foreign is put aside and a new one is made from the ledger: a graph can always be lost, and never what it was made from.

A process that opens a generation claims it.  Where another one has claimed it, the process works on a copy of its own
(the file, and the log as far as it was sealed), brought up from the ledger and removed at closing; so nobody waits for
anybody who reads, and nobody sees what another is in the middle of.  All of this happens behind the door of the space.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import GraphDamaged, QueryError, StoreError
from graphmem.failpoints import reach
from graphmem.files import checksum, copy_part, replace, sync
from graphmem.graph import probe, schema
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import MAGIC, MEBIBYTE, Driver, EngineSettings, is_open, log_path, log_size
from graphmem.locking import Door
from graphmem.records import Delta

History = Callable[[int], Iterable[Delta]]
Head = int | Callable[[], int]

# Above this the log takes too long to read back at every opening, and a new generation is made; and above this part of
# the file, so that a large graph is not written anew for every small addition.
LOG_LIMIT = 12 * MEBIBYTE
LOG_PART = 4
# Above this it is worth folding when there is time for it, as after a large ingest: each 4 MiB add 0.2 s to an opening.
FOLD_SOON = 4 * MEBIBYTE
FOLD_SOON_PART = 8
# Below this a new generation is left in its log: a folded file has a fixed cost of a few megabytes.
FOLD_ABOVE = 2 * MEBIBYTE
# Above this the log is folded already while a new generation is filled: all of it is in memory until then.
FOLD_WHILE_LOADING = 32 * MEBIBYTE
QUARANTINE_KEPT = 3
DOOR_SECONDS = 5.0

# The first page of a database file, and how much of it the engine reads.
PAGE = 4096
HEADER = 64

POINTER = "current"
QUARANTINE = "quarantine"
DATABASE = "graph.db"
MANIFEST = "manifest.json"
STATE = "state.json"
CLAIM = "lock"
DOOR = ".door"

_GENERATION = re.compile(r"g\d{6,}")
_PRIVATE = re.compile(r"p-[0-9a-f]{16}")
_OPENING = threading.RLock()
# The generation that this process has open in a folder, with its claim.
_HERE: dict[tuple[int, str], tuple[str, Door]] = {}


class State(NamedTuple):
    """Whether a generation was closed properly, and its log as far as it is known to be good."""

    clean: bool
    log_size: int
    log_crc32: int


def fold_limit(database: Path, *, soon: bool) -> int:
    """Bytes of log above which a generation is replaced: when it must be, or (`soon`) when there is time for it."""
    try:
        size = database.stat().st_size
    except FileNotFoundError:
        size = 0
    return max(FOLD_SOON, size // FOLD_SOON_PART) if soon else max(LOG_LIMIT, size // LOG_PART)


def overgrown(folder: Path, *, soon: bool = False) -> bool:
    """Whether the log of the generation that this process has open should be folded (`soon`: if there is time for it)."""
    mine, _ = _HERE.get((os.getpid(), os.path.realpath(folder)), (None, None))
    return mine is not None and log_size(folder / mine / DATABASE) > fold_limit(folder / mine / DATABASE, soon=soon)


def open_graph(
    folder: Path,
    *,
    engine: str | None,
    dimension: int,
    history: History,
    head: Head,
    settings: EngineSettings | None = None,
    probe_seconds: float = probe.PROBE_SECONDS,
    wait: float = DOOR_SECONDS,
) -> DatabaseGraph:
    """The graph in `folder`, brought up to ledger entry `head`; made or remade from `history` where needed.

    `history(after)` gives the deltas after that ledger entry, in order; `history(0)` all of them.  `engine` None takes
    the one the graph was made with.  What was found and done is in `notices` of the graph, empty for an everyday opening.
    """
    schema.checked_dimension(dimension)
    place = Place(folder, engine=engine, dimension=dimension, settings=settings or EngineSettings())
    with _OPENING:
        mine = place.mine()
        if mine is not None:
            return _forward(place.attach(mine, []), history, head)
        with place.door(wait):
            return _opened(place, history, head, probe_seconds)


def _opened(place: Place, history: History, head: Head, probe_seconds: float) -> DatabaseGraph:
    place.sweep()
    current = place.current()
    if current is None:
        notices = ["the graph was missing and was rebuilt from the ledger"] if _number(head) or place.generations() else []
        return place.rebuild(history, notices)
    claim = place.claim(current)
    if claim is None:
        return place.copied(current, history, head)
    older = place.outdated(current)
    if older is not None:
        claim.leave()
        return place.rebuild(history, [older])
    reason = place.unfit(current)
    if reason is None and place.log_size(current) > fold_limit(place.database(current), soon=False):
        claim.leave()
        return place.rebuild(history, ["the log of the graph had grown and was folded into a new generation"])
    if reason is None and not place.state(current).clean:
        reason = probe.fault_in_child(
            place.database(current), engine=place.engine, dimension=place.dimension, head=_number(head), seconds=probe_seconds
        )
    if reason is None:
        try:
            return place.enter(current, claim, history, head)
        except (GraphDamaged, QueryError) as error:
            reason = str(error)
    claim.leave()
    place.quarantine(current)
    return place.rebuild(history, [f"the graph was unfit ({reason}); it was put aside and rebuilt from the ledger"])


def compact(
    folder: Path,
    *,
    engine: str | None,
    dimension: int,
    history: History,
    settings: EngineSettings | None = None,
    purge: bool = True,
    wait: float = DOOR_SECONDS,
) -> None:
    """Write the graph anew from `history`, switch to it and delete the older files of it; the graph must be closed here.

    With `purge` every older file goes, those that were put aside and those that other processes have open included (they
    keep what they have open until they next look at the ledger): so erased content leaves the disk, because an engine
    keeps deleted rows in its file.
    """
    place = Place(folder, engine=engine, dimension=dimension, settings=settings or EngineSettings())
    with _OPENING:
        if place.mine() is not None:
            raise StoreError(f"the graph in {folder} is open in this process: close it before it is compacted")
        with place.door(wait):
            place.rebuild(history, []).close()
            if purge:
                place.purge()
            else:
                place.sweep()


def door_path(folder: Path) -> Path:
    """The lock that is held while generations in a folder are opened, made or removed."""
    return folder.with_name(folder.name + DOOR)


def _number(head: Head) -> int:
    return head if isinstance(head, int) else head()


def _forward(graph: DatabaseGraph, history: History, head: Head) -> DatabaseGraph:
    """Apply what the ledger has and the graph has not."""
    after = graph.applied_seq()
    if after < _number(head):
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


class Place:
    """The folder of one space's graph."""

    def __init__(self, folder: Path, *, engine: str | None, dimension: int, settings: EngineSettings) -> None:
        self.folder = folder
        self.dimension = dimension
        self.settings = settings
        self.engine = engine or self._engine() or "kuzu"

    def _engine(self) -> str | None:
        """The engine that the current generation was made with, if that can be told."""
        current = self.current()
        named = None if current is None else _read_json(self.folder / current / MANIFEST).get("engine")
        return named if isinstance(named, str) and named in MAGIC else None

    def door(self, wait: float) -> Any:
        """Held while generations are opened, made or removed, and not while they are used."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be made ({error.strerror}): check its rights") from error
        # Beside the folder and not in it: the folder itself may be removed by the one who holds it.
        return Door(door_path(self.folder), f"the graph in {self.folder}").held(wait)

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

    def log_size(self, generation: str) -> int:
        return log_size(self.database(generation))

    def generations(self) -> list[str]:
        """Folders of generations, whether in use or not."""
        return self._folders(_GENERATION)

    def copies(self) -> list[str]:
        """Folders of private copies, whether in use or not."""
        return self._folders(_PRIVATE)

    def _folders(self, pattern: re.Pattern[str]) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(entry.name for entry in self.folder.iterdir() if pattern.fullmatch(entry.name))

    # --- claims ---------------------------------------------------------------------------------------------------

    def _key(self) -> tuple[int, str]:
        return os.getpid(), os.path.realpath(self.folder)

    def mine(self) -> str | None:
        """The generation that this process has open, if it still has its files."""
        name, _ = _HERE.get(self._key(), (None, None))
        if name is None or not is_open(self.database(name)) or not self.database(name).is_file():
            return None
        return name

    def claim(self, generation: str) -> Door | None:
        """The claim to a generation, or None where another process has it."""
        try:
            door = Door(self.folder / generation / CLAIM, f"generation {generation} of the graph in {self.folder}")
            return door if door.free() else None
        except StoreError:
            # Its folder is gone or cannot be written: nobody has it, and `unfit` says what is wrong with it.
            return Door(door_path(self.folder), "")

    def sweep(self) -> None:
        """Delete what no process has claimed and the pointer does not name."""
        current = self.current()
        for name in [*self.generations(), *self.copies()]:
            if name == current:
                continue
            claim = self.claim(name)
            if claim is not None:
                shutil.rmtree(self.folder / name, ignore_errors=True)
                claim.leave()
        reach("generation.discarded")

    def purge(self) -> None:
        """Delete everything but the current generation, claimed or not."""
        for name in [*self.generations(), *self.copies(), QUARANTINE]:
            if name != self.current():
                shutil.rmtree(self.folder / name, ignore_errors=True)

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
            return State(found["clean"] is True, int(found["log_size"]), int(found["log_crc32"]))
        except (KeyError, TypeError, ValueError):
            return State(False, 0, 0)

    def outdated(self, generation: str) -> str | None:
        """Whether a sound generation is of another schema or engine than wanted: a reason to write it anew."""
        manifest = _read_json(self.folder / generation / MANIFEST)
        version, engine = manifest.get("schema"), manifest.get("engine")
        if isinstance(version, int) and version < schema.SCHEMA_VERSION:
            return f"the graph was of schema {version} and was written anew in schema {schema.SCHEMA_VERSION}"
        if engine in MAGIC and engine != self.engine:
            return f"the graph was made by the engine {engine} and was written anew with {self.engine}"
        return None

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
        if manifest.get("crc32") != checksum(path):
            return "its file is not as it was written"
        state = self.state(generation)
        log = log_path(path)
        size = log_size(path)
        if size < state.log_size or (state.clean and size != state.log_size):
            return f"its log has {size} bytes and was left with {state.log_size}"
        if state.log_size and checksum(log, state.log_size) != state.log_crc32:
            return "its log is not as it was written"
        return None

    # --- opening --------------------------------------------------------------------------------------------------

    def attach(self, generation: str, notices: list[str]) -> DatabaseGraph:
        """Use a generation that this process has claimed; the last user of it seals it and gives the claim up."""
        driver = Driver(self.database(generation), engine=self.engine, settings=self.settings)
        return DatabaseGraph(driver, dimension=self.dimension, notices=notices, on_close=partial(self.seal, generation))

    def enter(self, generation: str, claim: Door, history: History, head: Head) -> DatabaseGraph:
        """Open a generation that looks fit, check it, and bring it forward."""
        state = self.state(generation)
        self._note(generation, state._replace(clean=False))
        _HERE[self._key()] = generation, claim
        graph: DatabaseGraph | None = None
        done = False
        try:
            graph = self.attach(generation, [] if state.clean else ["the graph had not been closed; it was checked"])
            reason = probe.fault(graph, head=_number(head))
            if reason is not None:
                raise GraphDamaged(reason)
            _forward(graph, history, head)
            done = True
        finally:
            if not done:
                _HERE.pop(self._key(), None)
                if graph is not None:
                    graph.close()
                claim.leave()
        return graph

    def copied(self, current: str, history: History, head: Head) -> DatabaseGraph:
        """A private copy of a generation that another process has claimed: its file, and its log as far as it was sealed.

        Where that cannot be used the copy is filled from the history; the other process sees to its own.
        """
        for how in ("copy", "fill"):
            name = f"p-{secrets.token_hex(8)}"
            own = self.folder / name
            done = False
            try:
                own.mkdir(mode=0o700)
                claim = self.claim(name)
                if how == "fill":
                    self._fill(name, history)
                elif not self._copy(current, name):
                    continue
                graph = self.enter(name, claim or Door(own / CLAIM, name), history, head)
                done = True
            except (GraphDamaged, QueryError):
                if how == "fill":
                    raise
                continue
            except OSError as error:
                raise StoreError(f"the graph in {self.folder} cannot be copied ({error.strerror}): free some space") from error
            finally:
                if not done:
                    shutil.rmtree(own, ignore_errors=True)
            # Bringing a copy of one's own forward is no news.
            graph.notices = ()
            return graph
        raise AssertionError("the second way either returns or raises")

    def _copy(self, current: str, name: str) -> bool:
        """Copy a generation under another name; whether the copy can be used."""
        state = self.state(current)
        try:
            shutil.copyfile(self.database(current), self.database(name))
            copy_part(log_path(self.database(current)), log_path(self.database(name)), state.log_size)
        except FileNotFoundError:
            return False
        _write_json(self.folder / name / MANIFEST, _read_json(self.folder / current / MANIFEST))
        self._note(name, state._replace(clean=True))
        return self.outdated(name) is None and self.unfit(name) is None

    def seal(self, generation: str) -> None:
        """Note that a generation was closed properly and what its log was then; one that is not current is removed."""
        _, claim = _HERE.pop(self._key(), (None, None))
        path = self.database(generation)
        if generation != self.current():
            shutil.rmtree(self.folder / generation, ignore_errors=True)
        elif path.is_file():
            self._seal(generation)
        if claim is not None:
            claim.leave()

    def _seal(self, generation: str) -> None:
        path = self.database(generation)
        self._note(generation, State(True, log_size(path), checksum(log_path(path))))

    def _note(self, generation: str, state: State) -> None:
        _write_json(self.folder / generation / STATE, state._asdict())

    # --- making and removing --------------------------------------------------------------------------------------

    def rebuild(self, history: History, notices: list[str]) -> DatabaseGraph:
        """A new generation from the whole history, pointed to once it is on disk; older ones that are free are deleted."""
        generation = self._unused_name()
        own = self.folder / generation
        try:
            own.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {own} cannot be made ({error.strerror}): check rights and free space") from error
        claim = self.claim(generation)
        done = False
        try:
            reach("generation.begun")
            self._fill(generation, history)
            reach("generation.before-pointer")
            replace(self.folder / POINTER, generation + "\n")
            done = True
        except OSError as error:
            raise StoreError(
                f"the graph in {self.folder} cannot be written ({error.strerror}): free some space and repeat, nothing is lost"
            ) from error
        finally:
            if not done:
                shutil.rmtree(own, ignore_errors=True)
                if claim is not None:
                    claim.leave()
        reach("generation.after-pointer")
        self.sweep()
        self._note(generation, self.state(generation)._replace(clean=False))
        if claim is not None:
            _HERE[self._key()] = generation, claim
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
        reach("generation.filled")
        if reason is not None:
            raise GraphDamaged(f"a new graph in {path.parent} is unfit: {reason}: check the disk and try again")
        _clean_header(path)
        manifest = {
            "engine": self.engine,
            "schema": schema.SCHEMA_VERSION,
            "dimension": self.dimension,
            "crc32": checksum(path),
        }
        _write_json(path.with_name(MANIFEST), manifest)
        self._seal(generation)
        reach("generation.sealed")
        for entry in path.parent.iterdir():
            if entry.name != CLAIM:  # closing another descriptor of it is safe for flock, and of no use
                sync(entry)
        sync(path.parent)

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


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_json(path: Path, value: dict[str, Any]) -> None:
    # Losing it costs a check at the next opening and nothing else: it need not be flushed.
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(value), "utf-8")
    os.replace(fresh, path)
