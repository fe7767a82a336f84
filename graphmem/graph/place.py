"""The folder of one space's graph: names of generations, claims to them, and whether their files are fit to be used.

Invariant: looking changes nothing; what is removed is neither current nor claimed, unless a purge asks for it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import StoreError
from graphmem.failpoints import reach
from graphmem.files import checksum
from graphmem.graph import schema
from graphmem.graph.engine import MAGIC, EngineSettings, is_open, log_path, log_size
from graphmem.locking import Door
from graphmem.records import key

QUARANTINE_KEPT = 3
POINTER = "current"
QUARANTINE = "quarantine"
DATABASE = "graph.db"
MANIFEST = "manifest.json"
STATE = "state.json"
CLAIM = "lock"
DOOR = ".door"

GENERATION = re.compile(r"g\d{6,}")
PRIVATE = re.compile(r"p-[0-9a-f]{16}")
# The generation that this process has open in a folder, with its claim.
HERE: dict[tuple[int, str], tuple[str, Door]] = {}


class State(NamedTuple):
    """Whether a generation was closed properly, its log as far as it is known to be good, and the ledger entry that it is at.

    The entry is noted for those who do not ask the engine; the graph itself holds it too.
    """

    clean: bool
    log_size: int
    log_crc32: int
    seq: int = 0
    hash: str = ""


def origin_of(secret: str, user: str, space: str) -> str:
    """The mark by which a graph says from which ledger it was made; the ledger's secret does not follow from it."""
    return key("o", secret, user, space)


def door_path(folder: Path) -> Path:
    """The lock that is held while generations in a folder are opened, made or removed."""
    return folder.with_name(folder.name + DOOR)


class Place:
    """The folder of one space's graph."""

    def __init__(
        self, folder: Path, *, engine: str | None, dimension: int, settings: EngineSettings, origin: str = "", edition: str = ""
    ) -> None:
        self.folder = folder
        self.dimension = dimension
        self.settings = settings
        self.origin, self.edition = origin, edition
        self.engine = engine or self._engine() or "kuzu"

    def _engine(self) -> str | None:
        """The engine that the current generation was made with, if that can be told."""
        current = self.current()
        named = None if current is None else read_json(self.folder / current / MANIFEST).get("engine")
        return named if isinstance(named, str) and named in MAGIC else None

    def door(self, wait: float) -> AbstractContextManager[None]:
        """Held while generations are opened, made or removed, and not while they are used."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be made ({error.strerror}): check its rights") from error
        # Beside the folder and not in it: the folder itself may be removed by the one who holds it.
        return Door(door_path(self.folder), f"the graph in {self.folder}").held(wait)

    # --- names ----------------------------------------------------------------------------------------------------

    def database(self, generation: str) -> Path:
        """The database file of a generation."""
        return self.folder / generation / DATABASE

    def current(self) -> str | None:
        """The generation that the pointer names, if it names one."""
        try:
            name = (self.folder / POINTER).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return name if GENERATION.fullmatch(name) else None

    def log_size(self, generation: str) -> int:
        """Bytes in the log of a generation."""
        return log_size(self.database(generation))

    def generations(self) -> list[str]:
        """Folders of generations, whether in use or not."""
        return self._folders(GENERATION)

    def copies(self) -> list[str]:
        """Folders of private copies, whether in use or not."""
        return self._folders(PRIVATE)

    def _folders(self, pattern: re.Pattern[str]) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(entry.name for entry in self.folder.iterdir() if pattern.fullmatch(entry.name))

    # --- claims ---------------------------------------------------------------------------------------------------

    def key(self) -> tuple[int, str]:
        """Under which this process notes what it has open here."""
        return os.getpid(), os.path.realpath(self.folder)

    def mine(self) -> str | None:
        """The generation that this process has open, if it still has its files."""
        name, _ = HERE.get(self.key(), (None, None))
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

    def unused_name(self) -> str:
        """A name that no generation has or had."""
        aside = self.folder / QUARANTINE
        names = [*self.generations(), self.current() or "g000000"]
        names += [entry.name for entry in aside.iterdir()] if aside.is_dir() else []
        used = [int(match.group()[1:]) for name in names if (match := GENERATION.match(name))]
        return f"g{max(used, default=0) + 1:06d}"

    # --- reading --------------------------------------------------------------------------------------------------

    def state(self, generation: str) -> State:
        """What is known of the log; nothing, if the note of it is missing or cannot be read."""
        found = read_json(self.folder / generation / STATE)
        try:
            log = int(found["log_size"]), int(found["log_crc32"])
            return State(found["clean"] is True, *log, int(found.get("seq", 0)), str(found.get("hash", "")))
        except (KeyError, TypeError, ValueError, OverflowError):
            return State(False, 0, 0)

    def outdated(self, generation: str) -> str | None:
        """Whether a sound generation is of another schema or engine than wanted: a reason to write it anew."""
        manifest = read_json(self.folder / generation / MANIFEST)
        version, engine = manifest.get("schema"), manifest.get("engine")
        if isinstance(version, int) and version < schema.SCHEMA_VERSION:
            return f"the graph was of schema {version} and was written anew in schema {schema.SCHEMA_VERSION}"
        if isinstance(engine, str) and engine in MAGIC and engine != self.engine:
            return f"the graph was made by the engine {engine} and was written anew with {self.engine}"
        if manifest and self.origin and "origin" not in manifest:
            return "the graph did not say from which ledger it was made and was written anew"
        if manifest and manifest.get("edition", "") != self.edition:
            return "the memory has other vectors now and the graph was written anew"
        return None

    def unfit(self, generation: str) -> str | None:
        """Why the files of a closed generation cannot be used, or None.  The engine is not asked."""
        path = self.database(generation)
        manifest = read_json(self.folder / generation / MANIFEST)
        if not path.is_file():
            return "its file is missing"
        if not manifest:
            return "its manifest is missing or cannot be read"
        for name, wanted in (("engine", self.engine), ("schema", schema.SCHEMA_VERSION), ("dimension", self.dimension)):
            if manifest.get(name) != wanted:
                return f"its {name} is {manifest.get(name)} and {wanted} is in use"
        if self.origin and manifest.get("origin") != self.origin:
            return "it was made from another ledger"
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

    def note(self, generation: str, state: State) -> None:
        """Write down what is known of a generation's log."""
        write_json(self.folder / generation / STATE, state._asdict())

    def seal(self, generation: str, applied: tuple[int, str]) -> None:
        """Write down that a generation is closed, what its log is, and at which ledger entry it is."""
        path = self.database(generation)
        self.note(generation, State(True, log_size(path), checksum(log_path(path)), *applied))

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


def read_json(path: Path) -> dict[str, Any]:
    """An object from a file; an empty one where there is none that can be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Put an object in the place of a file."""
    # Losing it costs a check at the next opening and nothing else: it need not be flushed.
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(value), "utf-8")
    os.replace(fresh, path)
