"""Looking at a space's ledger: whether it is there, whole, its owner's, and ends where it ended.

Invariant: nothing of it is written; what it holds is asked of a private copy.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import KeyUnavailable, StoreError
from graphmem.graph.place import origin_of
from graphmem.head import HEAD, LEDGER
from graphmem.ledger import SCHEMA_VERSION, Ledger
from graphmem.lifecycle import ledger_file
from graphmem.lifecycle.finding import Commands, Finding
from graphmem.lifecycle.staging import LOCK, held
from graphmem.owner import folder_name
from graphmem.settings import settings_of

# The copy could not be made, which says nothing of the ledger.
_UNCHECKED = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Look(NamedTuple):
    """What a ledger tells, as far as it can be read, and what is wrong with it."""

    owner: tuple[str, str] | None = None
    entries: int | None = None
    dimension: int | None = None
    origin: str | None = None
    hash: str | None = None  # of the entry that was asked for
    findings: tuple[Finding, ...] = ()


def examine_ledger(folder: Path, *, at: int = 0) -> Look:
    """Look at the ledger of the space in `folder`; the hash of entry `at` is given back."""
    path, commands = folder / LEDGER, Commands(folder, None)
    if path.is_symlink():
        return Look()  # told with the other links
    kept, garbled = _kept_head(folder)
    absent = _absent(path, kept, commands)
    if absent is not None:
        return absent
    owner = entries = dimension = origin = hash_ = None
    found: list[Finding] = []
    try:
        stray = ledger_file.stray(path, kept)
        if stray is not None:
            return Look(findings=(damage("ledger-log-foreign", stray, commands.aside(LEDGER + ledger_file.LOG)),))
        with ledger_file.reading(path) as db:
            version = ledger_file.version(db)
            if version > SCHEMA_VERSION:
                text = f"a newer release wrote the ledger (schema {version}, known up to {SCHEMA_VERSION})"
                return Look(findings=(damage("ledger-newer", text, "pip install --upgrade graphmem"),))
            meta = ledger_file.meta(db)
            owner = (meta["user"], meta["space"]) if {"user", "space"} <= meta.keys() else None
            dimension, commands = _dimension(meta), Commands(folder, owner)
            found += _outside(db, folder, meta, commands)
            if {"user", "space", "secret", "embedder"} <= meta.keys():
                with ledger_file.copied(db) as ledger:
                    found += _inside(ledger, kept, commands, at_work=held(folder / LOCK))
                    entries, hash_ = ledger.head()[0], ledger.hash_at(at)
                origin = origin_of(meta["secret"], meta["user"], meta["space"])
    except KeyUnavailable:
        text = "the ledger is sealed and was not looked into: `graphmem verify` does, with its key"
        found.append(Finding("ledger-sealed", "note", LEDGER, text))
        owner = ledger_file.owner(path)
    except StoreError as error:
        found.append(damage("ledger-unreadable", f"the ledger cannot be read: {error}", commands.restore()))
    except (sqlite3.Error, OSError) as error:
        found.append(_unreadable(error, commands))
    hole = ledger_file.log_fault(path)
    if hole is not None:
        found.append(damage("ledger-log", hole, commands.restore()))
    if garbled:
        text = f"{HEAD}, which tells whether the ledger lost its end, cannot be read: it is written anew at the next closing"
        found.append(Finding("head-garbled", "damage", HEAD, text, commands.rebuild()))
    return Look(owner, entries, dimension, origin, hash_, tuple(found))


def damage(kind: str, text: str, command: str) -> Finding:
    """A damage of the ledger."""
    return Finding(kind, "damage", LEDGER, text, command)


def _absent(path: Path, kept: tuple[int, str] | None, commands: Commands) -> Look | None:
    """What is to be said where there is no file with anything in it."""
    log = path.with_name(path.name + ledger_file.LOG)
    used = kept is not None or path.with_name("graph").exists()
    if not path.exists():
        if not used and not log.exists():
            return Look(entries=0, findings=(Finding("empty", "note", ".", "the space was not made yet: it has no ledger"),))
        text = "there is no ledger" + (f", and entry {kept[0]} was in it when it was last closed" if kept else "")
        return Look(findings=(damage("ledger-missing", text, commands.restore()),))
    if not path.is_file():
        return Look(findings=(damage("wrong-type", f"{LEDGER} is not a file", commands.aside(LEDGER)),))
    if path.stat().st_size or (log.exists() and log.stat().st_size):
        return None
    if used:
        return Look(findings=(damage("ledger-empty", "the ledger is an empty file", commands.restore()),))
    text = "the space was not made to its end: its ledger is empty"
    return Look(entries=0, findings=(Finding("empty", "note", LEDGER, text),))


def _unreadable(error: sqlite3.Error | OSError, commands: Commands) -> Finding:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _UNCHECKED or getattr(error, "errno", None) == errno.ENOSPC:
        text = f"the ledger could not be copied to be checked ({error}): repeat, with more space for temporary files"
        return Finding("ledger-unchecked", "note", LEDGER, text)
    rights = isinstance(error, PermissionError) or code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
    command = commands.own(LEDGER) if rights else commands.restore()
    return damage("ledger-unreadable", f"the ledger cannot be read ({error})", command)


def _outside(db: sqlite3.Connection, folder: Path, meta: dict[str, str], commands: Commands) -> list[Finding]:
    """What can be seen without the ledger's own code: owner, pages, and what was fixed at its creation."""
    found = []
    owner = meta.get("user"), meta.get("space")
    if owner[0] is not None and owner[1] is not None and folder_name(owner[0], owner[1]) != folder.name:
        right = folder_name(owner[0], owner[1])
        text = f"the ledger belongs to the space {owner[1]!r} of {owner[0]!r}, whose folder is {right}"
        found.append(damage("ledger-owner", text, Commands(folder.parent, None).aside(folder.name)))
    absent = sorted({"user", "space", "secret", "embedder"} - meta.keys())
    if absent:
        found.append(damage("ledger-meta", f"the ledger does not say its {', '.join(absent)}", commands.restore()))
    pages = ledger_file.page_fault(db)
    if pages is not None:
        found.append(damage("ledger-pages", pages, commands.restore()))
    return found


def _inside(ledger: Ledger, kept: tuple[int, str] | None, commands: Commands, *, at_work: bool) -> list[Finding]:
    """What the entries say: the chain, its end, and erasures that were not carried out."""
    problems = ledger.check().problems
    found = [damage("ledger-chain", f"the ledger does not hold: {problem}", commands.restore()) for problem in problems]
    if kept is not None and kept[0]:
        hash_, last = ledger.hash_at(kept[0]), ledger.head()[0]
        if hash_ is None:
            text = f"the ledger ends at entry {last}, but entry {kept[0]} was in it when it was last closed"
            found.append(damage("ledger-tail", text, commands.restore()))
        elif hash_ != kept[1]:
            text = f"the ledger was rewritten: entry {kept[0]} is not the one that was in it when it was last closed"
            found.append(damage("ledger-rewritten", text, commands.restore()))
    return found if problems else found + _erasures(ledger, commands, at_work=at_work) + _paused(ledger)


def _paused(ledger: Ledger) -> list[Finding]:
    if settings_of(ledger).learning:
        return []
    return [Finding("paused", "note", LEDGER, "the memory is paused and learns nothing: `graphmem resume` ends that")]


def _erasures(ledger: Ledger, commands: Commands, *, at_work: bool) -> list[Finding]:
    erased = ledger.erasures()
    if erased and erased[-1].seq > ledger.carried_out():
        if at_work:
            text = f"the erasure of entry {erased[-1].seq} is not finished, and another process is at the memory"
            return [Finding("erasure-unfinished", "note", LEDGER, text)]
        text = f"the erasure of entry {erased[-1].seq} was begun and not finished: it goes on at the next opening"
        return [damage("erasure-unfinished", text, commands.rebuild())]
    gone = {seq: entry.seq for entry in erased for seq in (entry.body or {}).get("blanked", ())}
    for entry in ledger.entries() if gone else ():
        if entry.seq in gone and entry.body is not None:
            text = f"entry {entry.seq} was erased by entry {gone[entry.seq]} and is there again"
            return [damage("erased-present", text, commands.restore())]
    return []


def _kept_head(folder: Path) -> tuple[tuple[int, str] | None, bool]:
    """The end of the ledger as of the last closing, and whether the note of it is garbled."""
    try:
        seq, hash_, *_ = json.loads((folder / HEAD).read_text("utf-8"))
    except FileNotFoundError:
        return None, False
    except (OSError, ValueError, TypeError, RecursionError):
        return None, True
    if not isinstance(seq, int) or not isinstance(hash_, str):
        return None, True
    return (seq, hash_), False


def _dimension(meta: dict[str, str]) -> int | None:
    from graphmem.embed import DEFAULT, MINILM_DIMENSION

    return MINILM_DIMENSION if meta.get("embedder") == DEFAULT else None
