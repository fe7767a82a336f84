"""Looking at a space's folder and saying what is wrong with it, while it is in use or not.

Invariant: nothing is opened for writing and nothing is repaired.  What others do meanwhile is not taken for damage: an
examination that found some while files changed is done again.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import StoreError
from graphmem.head import HEAD, LEDGER
from graphmem.lifecycle.examine_graph import applied, examine_graph, size_of
from graphmem.lifecycle.examine_ledger import examine_ledger
from graphmem.lifecycle.finding import Commands, Finding
from graphmem.lifecycle.ledger_file import INDEX, LOG, owner
from graphmem.lifecycle.staging import LOCK, left_behind
from graphmem.marks import MARKS

__all__ = ["Finding", "Report", "examine", "examine_home", "owner_of", "report", "spaces"]

GRAPH = "graph"
NAMES = {LEDGER, LEDGER + LOG, LEDGER + INDEX, HEAD, GRAPH, GRAPH + ".door", LOCK, MARKS, MARKS + LOG, MARKS + INDEX}
SPACE = re.compile(r"[a-z0-9-]+\.[a-z0-9_-]+\.[0-9a-f]{16}")
TRIES = 3
ROOM = 64 << 20  # less free space than this is told
RESTORING = ".restore-"  # what the folders begin with in which a backup is unpacked


class Report(NamedTuple):
    """What is known of a space and what was found."""

    folder: Path
    user: str | None
    space: str | None
    entries: int | None
    findings: tuple[Finding, ...]

    @property
    def damaged(self) -> bool:
        """Whether anything is lost, wrong or cannot be used."""
        return any(finding.severity == "damage" for finding in self.findings)


def spaces(home: Path) -> list[Path]:
    """The folders of spaces in a home."""
    if not home.is_dir():
        return []
    try:
        entries = sorted(home.iterdir())
    except OSError as error:
        raise StoreError(f"the folder {home} cannot be read ({error.strerror}): check its rights") from error
    return [entry for entry in entries if entry.is_dir() and (SPACE.fullmatch(entry.name) or (entry / LEDGER).exists())]


def owner_of(folder: Path) -> tuple[str, str] | None:
    """Whose space a folder is, as far as its ledger can say."""
    return owner(folder / LEDGER)


def examine(folder: Path) -> list[Finding]:
    """What is wrong with a space's folder.

    Raises:
        StoreError: the folder itself cannot be read.
    """
    return list(report(folder).findings)


def report(folder: Path) -> Report:
    """What is known of a space and what is wrong with it; see `examine`."""
    folder = folder.absolute()
    for _ in range(TRIES):
        before = _stamp(folder)
        found = _report(folder)
        if not found.damaged or _stamp(folder) == before:
            break
    return found


def _stamp(folder: Path) -> list[tuple[str, int, int]]:
    """What changes when anybody writes to a space."""
    found = []
    for path in (*folder.glob("*"), *folder.glob(f"{GRAPH}/*"), *folder.glob(f"{GRAPH}/*/*")):
        try:
            state = path.lstat()
        except OSError:
            continue
        found.append((str(path), state.st_mtime_ns, state.st_size))
    return sorted(found)


def _report(folder: Path) -> Report:
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError as error:
        raise StoreError(f"there is no folder {folder}: name the user, space and home as they were given") from error
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be read ({error.strerror}): check its rights") from error
    seq, hash_ = applied(folder / GRAPH)
    look = examine_ledger(folder, at=seq)
    commands, found = Commands(folder, look.owner), list(look.findings)
    if not (folder / GRAPH).is_symlink():
        branch = None if look.entries is None or not seq or not hash_ else look.hash != hash_
        try:
            found += examine_graph(
                folder / GRAPH, commands, entries=look.entries, dimension=look.dimension, origin=look.origin, branch=branch
            )
        except OSError as error:
            place = str(Path(error.filename or GRAPH))
            text = f"the graph's folder cannot be read ({error.strerror}: {place})"
            found.append(Finding("graph-unreadable", "damage", GRAPH, text, commands.own(GRAPH)))
    for name in names:
        found += _part(folder / name, commands)
    found += _surroundings(folder, commands)
    user, space = look.owner or (None, None)
    return Report(folder, user, space, look.entries, tuple(found))


def _part(path: Path, commands: Commands) -> list[Finding]:
    """What is wrong with an entry of the folder as such: a link, another type than it should be, or a stranger."""
    name = path.name
    known = name in NAMES
    if path.is_symlink():
        return [commands.link(name, known=known)]
    if known:
        wrong = name not in (GRAPH, LEDGER) and not path.is_file()
        return [Finding("wrong-type", "damage", name, f"{name} is not a file", commands.aside(name))] if wrong else []
    if name.endswith((".new", ".part")):
        return [Finding("leftover", "note", name, f"{name} was left behind by a write that was stopped", commands.remove(name))]
    return [Finding("foreign-file", "note", name, f"{name} is no part of the store", commands.aside(name))]


def _surroundings(folder: Path, commands: Commands) -> list[Finding]:
    found = []
    if folder.is_symlink():
        text = f"{folder} is a link: the memory lies at {folder.resolve()}"
        found.append(Finding("folder-link", "note", ".", text))
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & 0o077 and os.name == "posix":
        text = f"other accounts of this computer can open the folder (rights {mode:04o})"
        found.append(Finding("rights-open", "note", ".", text, commands.close_off()))
    free = shutil.disk_usage(folder).free
    needed = max(ROOM, 2 * size_of(folder))
    if free < needed:
        text = f"the disk has {free:,} bytes left, and building the graph anew may take {needed:,}: free some space"
        found.append(Finding("disk-low", "note", ".", text))
    return found


def examine_home(home: Path) -> list[Finding]:
    """What restores that were stopped have left in a home, beside its spaces."""
    found = []
    for folder in left_behind(home, RESTORING) if home.is_dir() else []:
        command = Commands(home, None).remove(folder.name)
        text = f"a restore that was stopped left {folder.name} behind ({size_of(folder):,} bytes)"
        found.append(Finding("restore-leftover", "note", folder.name, text, command))
    return found
