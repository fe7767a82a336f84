"""Looking at the files of a space's graph without opening the engine.

Invariant: nothing is written, and a database that is open in this process is not read: closing it again would release
the engine's lock on it.
"""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphmem.files import MEBIBYTE, checksum
from graphmem.graph import schema
from graphmem.graph.engine import ENGINES, MAGIC, is_open, log_path, log_size
from graphmem.graph.place import CLAIM, DATABASE, GENERATION, MANIFEST, POINTER, PRIVATE, QUARANTINE, STATE
from graphmem.head import LAST, LEDGER
from graphmem.lifecycle.finding import Commands, Finding
from graphmem.lifecycle.staging import held

NAMES = {POINTER, QUARANTINE, CLAIM}
# The engine's own names beside its file.
FILES = {DATABASE, DATABASE + ".wal", DATABASE + ".shadow", DATABASE + ".tmp", MANIFEST, STATE, CLAIM}


def examine_graph(
    folder: Path,
    commands: Commands,
    *,
    entries: int | None,
    dimension: int | None,
    origin: str | None = None,
    branch: bool | None = None,
) -> list[Finding]:
    """The findings about `<space>/graph`.

    Entries, dimension and origin of the ledger are None where they are not known; so is `branch`, whether the ledger has
    another entry where the graph ends (see `applied`).
    """
    if not folder.exists():
        return [_missing("graph-missing", "graph", "there is no graph", commands)] if entries else []
    if not folder.is_dir():
        return [Finding("wrong-type", "damage", "graph", "graph is not a folder", commands.aside("graph"))]
    found: list[Finding] = []
    names = sorted(entry.name for entry in folder.iterdir())
    generations = [name for name in names if GENERATION.fullmatch(name) and (folder / name).is_dir()]
    current, problem = _pointer(folder, generations, commands)
    if problem is not None and (generations or entries or (folder / POINTER).exists()):
        found.append(problem)
    if current is not None:
        found += _generation(folder / current, commands, dimension=dimension, origin=origin)
        if branch and not any(finding.kind == "generation-foreign" for finding in found):
            text = "the graph was made from another course of the ledger than this one: it is built anew from this one"
            found.append(Finding("generation-foreign", "damage", f"graph/{current}/{STATE}", text, commands.rebuild()))
        if _went_on(folder / current, entries):
            text = (
                f"the graph took in more than entry {entries}, with which the ledger ends: the rest was in the ledger's log, "
                "which was removed: put it back, or restore a backup"
            )
            found.append(Finding("ledger-log-missing", "damage", f"{LEDGER}-wal", text, commands.restore()))
    for name in names:
        found += _other(folder / name, current, commands)
    return found


def _went_on(own: Path, entries: int | None) -> bool:
    """Whether a graph that was not closed was written to after the last entry that the ledger has now.

    The graph is written after the ledger, so that it is never in front.
    """
    state = _read(own / STATE) or {}
    noted = state.get("seq"), state.get("clean")
    size = state.get("log_size")
    return bool(entries) and noted == (entries, False) and type(size) is int and log_size(own / DATABASE) > size


def applied(folder: Path) -> tuple[int, str]:
    """The ledger entry, and its hash, at which the graph in use was when it was noted last; (0, "") where that is not known."""
    try:
        name = (folder / POINTER).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return 0, ""
    state = (_read(folder / name / STATE) if GENERATION.fullmatch(name) else None) or {}
    seq, hash_ = state.get("seq"), state.get("hash")
    return (seq, hash_) if type(seq) is int and isinstance(hash_, str) and 0 <= seq <= LAST else (0, "")


def _missing(kind: str, place: str, text: str, commands: Commands) -> Finding:
    return Finding(kind, "damage", place, f"{text}: it is built anew from the ledger", commands.rebuild())


def _pointer(folder: Path, generations: list[str], commands: Commands) -> tuple[str | None, Finding | None]:
    path, place = folder / POINTER, f"graph/{POINTER}"
    if not path.exists():
        kind = "pointer-missing" if generations else "graph-missing"
        return None, _missing(kind, place, "no generation of the graph is named as the one in use", commands)
    try:
        name = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        name = ""
    if not GENERATION.fullmatch(name):
        return None, _missing("pointer-garbled", place, "the pointer to the graph in use cannot be read", commands)
    if name not in generations:
        return None, _missing("pointer-dangling", place, f"the graph in use should be {name}, which is not there", commands)
    return name, None


def _generation(own: Path, commands: Commands, *, dimension: int | None, origin: str | None) -> list[Finding]:
    """What is wrong with the generation in use."""
    place, path = f"graph/{own.name}", own / DATABASE

    def damage(kind: str, name: str, text: str) -> Finding:
        return Finding(
            kind, "damage", f"{place}/{name}", f"{text}: the graph is built anew from the ledger", commands.rebuild()
        )

    if not path.is_file():
        return [damage("generation-missing", DATABASE, f"the file of the graph in use, {own.name}, is missing")]
    manifest, state = _read(own / MANIFEST), _read(own / STATE)
    if manifest is None:
        there = (own / MANIFEST).exists()
        kind, how = ("manifest-garbled", "cannot be read") if there else ("manifest-missing", "is missing")
        return [damage(kind, MANIFEST, f"the manifest of the graph in use {how}")]
    engine, version = manifest.get("engine"), manifest.get("schema")
    if engine not in ENGINES:
        return [damage("generation-engine", MANIFEST, f"the graph was made by an engine {engine!r}, which is unknown")]
    found: list[Finding] = []
    if find_spec(engine) is None:
        text = f"the graph was made with {engine}, which is not installed: install it, or build the graph with another"
        other = next((name for name in ENGINES if name != engine and find_spec(name) is not None), "kuzu")
        found.append(Finding("engine-missing", "damage", place, text, commands.rebuild("--engine", other)))
    if not isinstance(version, int) or version > schema.SCHEMA_VERSION:
        return [*found, damage("generation-schema", MANIFEST, f"the graph has schema {version!r}, which is unknown")]
    if version < schema.SCHEMA_VERSION:
        text = f"the graph has schema {version} and is written anew in schema {schema.SCHEMA_VERSION} at the next opening"
        found.append(Finding("generation-older", "note", f"{place}/{MANIFEST}", text, commands.rebuild()))
    if dimension is not None and manifest.get("dimension") != dimension:
        text = f"the graph is for vectors of {manifest.get('dimension')!r} numbers and the ledger holds those of {dimension}"
        found.append(damage("generation-dimension", MANIFEST, text))
    if origin is not None and manifest.get("origin", origin) != origin:
        found.append(damage("generation-foreign", MANIFEST, "the graph was made from another ledger than the one beside it"))
    used = is_open(path)
    if not used:
        found += _content(path, engine, manifest, damage)
    return found + _log(own, state, commands, damage, used=used)


def _content(path: Path, engine: str, manifest: dict[str, Any], damage: Any) -> list[Finding]:
    with path.open("rb") as file:
        magic = file.read(len(MAGIC[engine]))
    if magic != MAGIC[engine]:
        return [damage("generation-magic", DATABASE, f"the file of the graph in use is not one of {engine}")]
    noted = {name: manifest[name] for name in _SUMS if name in manifest}
    if not noted:
        return [damage("manifest-garbled", MANIFEST, "the manifest of the graph in use has no checksum")]
    if any(_SUMS[name](path, None) != value for name, value in noted.items()):
        return [damage("generation-altered", DATABASE, "the file of the graph in use is not as it was written")]
    return []


def _log(own: Path, state: dict[str, Any] | None, commands: Commands, damage: Any, *, used: bool) -> list[Finding]:
    """What is wrong with the log of the generation in use, as far as its state was noted."""
    path, name = own / DATABASE, DATABASE + ".wal"
    if state is None or not isinstance(state.get("clean"), bool) or not isinstance(state.get("log_size"), int):
        kind, how = ("state-garbled", "cannot be read") if (own / STATE).exists() else ("state-missing", "is missing")
        return [damage(kind, STATE, f"the note on how the graph was closed {how}")]
    size, noted, clean = log_size(path), state["log_size"], state["clean"]
    if size < noted:
        return [damage("log-shorter", name, f"the log of the graph has {size:,} bytes and was left with {noted:,}")]
    if clean and size > noted:
        return [damage("log-longer", name, f"the log of the graph has {size:,} bytes and was left with {noted:,}")]
    sums = {key.removeprefix("log_"): state[key] for key in state if key.removeprefix("log_") in _SUMS}
    if noted and not used and any(_SUMS[key](log_path(path), noted) != value for key, value in sums.items()):
        return [damage("log-altered", name, "the log of the graph is not as it was written")]
    if not clean and not used and not _claimed(own):
        text = "the graph was not closed properly: it is checked at the next opening"
        return [Finding("not-closed", "note", f"graph/{own.name}", text, commands.rebuild())]
    return []


def _claimed(own: Path) -> bool:
    """Whether a process has a generation or copy, or all of the space, to itself."""
    return held(own / CLAIM) or held(own.parent.parent / CLAIM)


def _other(path: Path, current: str | None, commands: Commands) -> list[Finding]:
    """What lies in the graph's folder beside the generation in use."""
    name, place = path.name, f"graph/{path.name}"
    if path.is_symlink():
        return [commands.link(place, known=name in NAMES or GENERATION.fullmatch(name) is not None)]
    if name == QUARANTINE and path.is_dir():
        return [
            Finding("quarantine", "note", f"{place}/{entry.name}",
                f"a damaged graph was put aside as {entry.name} ({size_of(entry):,} bytes); it is no longer needed",
                commands.compact())
            for entry in sorted(path.iterdir())
        ]  # fmt: skip
    if GENERATION.fullmatch(name) and path.is_dir():
        if name == current:
            return [_foreign(entry, f"{place}/{entry.name}", commands) for entry in _strangers(path, FILES)]
        if _claimed(path):
            return []
        text = f"an older or unfinished graph was left behind as {name} ({size_of(path):,} bytes)"
        return [Finding("generation-leftover", "note", place, text, commands.compact())]
    if PRIVATE.fullmatch(name) and path.is_dir():
        if _claimed(path):
            return []
        text = f"a process that is gone left its copy of the graph behind as {name} ({size_of(path):,} bytes)"
        return [Finding("copy-leftover", "note", place, text, commands.compact())]
    if name in NAMES:
        return (
            [] if path.is_file() else [Finding("wrong-type", "damage", place, f"{place} is not a file", commands.aside(place))]
        )
    return [_foreign(path, place, commands)]


def _strangers(folder: Path, known: set[str]) -> list[Path]:
    return [entry for entry in sorted(folder.iterdir()) if entry.name not in known or entry.is_symlink()]


def _foreign(path: Path, place: str, commands: Commands) -> Finding:
    if path.is_symlink():
        return commands.link(place, known=path.name in FILES)
    if path.name.endswith((".new", ".part")):
        return Finding(
            "leftover", "note", place, f"{place} was left behind by a write that was stopped", commands.remove(place)
        )
    return Finding("foreign-file", "note", place, f"{place} is no part of the store", commands.aside(place))


def size_of(path: Path) -> int:
    """Bytes of a file or of all files in a folder."""
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_size
    return sum(size_of(entry) for entry in path.iterdir())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _sha256(path: Path, size: int | None = None) -> str:
    """As graphs of the first schema note it."""
    digest = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as file:
        while left > 0 and (part := file.read(min(left, MEBIBYTE))):
            digest.update(part)
            left -= len(part)
    return digest.hexdigest()


# The sums that a manifest or state may note, by name.
_SUMS: dict[str, Any] = {"sha256": _sha256, "crc32": checksum}
