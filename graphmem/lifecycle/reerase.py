"""Erasing again, in a memory that was restored, what was erased after its backup was made.

Invariant: an erasure keeps no text, so what it took is found by ids: the statements it names, and in the turns it names
the places where the memory that did the erasing has erased characters and the restored one has not.  Where that memory is
gone, or is itself an older one, the register beside it tells the ids, and knows the words by their tombstones.  Only what
has one is refused again: what had been taken along, or was allowed since, goes with its sentence and may be said anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import StoreError
from graphmem.ledger import Entry
from graphmem.lifecycle import ledger_file
from graphmem.lifecycle.erase import Scope, erase, resume, settle
from graphmem.lifecycle.examine_ledger import examine_ledger
from graphmem.owner import folder_name
from graphmem.records import ERASED
from graphmem.register import Register, carry, origin_of, path_of
from graphmem.sealing.vault import vault_of
from graphmem.space import Space
from graphmem.tombstones import channel_key, topic_key


class Known(NamedTuple):
    """Erasures that a backup does not know of, and the turns by key as they are after them."""

    erasures: tuple[Entry, ...]
    texts: dict[str, str]
    registers: tuple[Register, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there may be anything to erase."""
        return bool(self.erasures) or any(register.events for register in self.registers)


def of_everything(entry: Entry) -> bool:
    """Whether an `erased` entry stands for a memory that was emptied: then it names nothing."""
    body = entry.body or {}
    return not entry.subjects and not body.get("blanked") and not body.get("cut")


def known_erasures(folder: Path, backup: Path, owner: tuple[str, str]) -> tuple[Known, str | None]:
    """What the memory in `folder` erased and the ledger `backup` does not know of; and what is wrong with that memory.

    `owner` is whose that memory is, with whose names its tombstones are made.

    A damaged ledger is read as far as it goes.
    """
    found, problem = _told(folder, backup)
    if path_of(folder).exists():
        found = found._replace(registers=(Register(folder, *owner),))
    return found, problem


def emptied(known: Known, backup: Path) -> datetime | None:
    """When everything was erased that a backup would bring back, if it was."""
    gone = next((entry.at for entry in known.erasures if of_everything(entry)), None)
    if gone is not None or not known.registers:
        return gone
    with ledger_file.reading(backup) as db:
        secret, vault = ledger_file.meta(db).get("secret", ""), vault_of(db)
        origin = origin_of(secret if vault is None else vault.show_value("secret", secret))
    return next((at for register in known.registers if (at := register.everything(origin)) is not None), None)


def _told(folder: Path, backup: Path) -> tuple[Known, str | None]:
    if not folder.is_dir():
        return Known((), {}), None
    look = examine_ledger(folder)
    if any(item.kind == "empty" for item in look.findings):
        return Known((), {}), None
    # An erasure that was not carried out is known all the same.
    harmless = ("erasure-unfinished", "erased-present")
    problem = next((item.text for item in look.findings if item.severity == "damage" and item.kind not in harmless), None)
    if (folder / backup.name).is_symlink():
        return Known((), {}), "the ledger is a link"
    erased: list[Entry] = []
    texts: dict[str, str] = {}
    try:
        with ledger_file.reading(backup) as db, ledger_file.copied(db) as ours:
            known = {entry.hash for entry in ours.erasures()}
        with ledger_file.reading(folder / backup.name) as db, ledger_file.copied(db) as theirs:
            erased = [entry for entry in theirs.erasures() if entry.hash not in known]
            for entry in theirs.entries() if erased else ():
                for turn in (entry.body or {}).get("delta", {}).get("turns", ()):
                    texts[str(turn["key"])] = str(turn["text"])
    except (sqlite3.Error, OSError, StoreError, KeyError) as error:
        problem = problem or f"the ledger cannot be read ({error})"
    return Known(tuple(erased), texts), problem


def erase_again(
    home: Path,
    owner: tuple[str, str],
    known: Known,
    *,
    clock: Callable[[], datetime],
    entropy: Callable[[int], bytes],
    **options: Any,
) -> int:
    """Carry erasures out in a restored memory, and return how many statements went."""
    user, space_name = owner
    carried = [one for one in known.registers if one.path.name == path_of(home / folder_name(*owner)).name]
    for register in carried:
        carry(register.folder, home / folder_name(*owner))
    # What a register that came along refuses, and what its owner allowed since, is said there already.
    entered = {event.name for register in carried for event in register.events}
    fresh = carried != list(known.registers) or not entered.issuperset(entry.hash for entry in known.erasures)
    with Space(home, user=user, space=space_name, clock=clock, entropy=entropy, **options) as space:
        resume(space)
        scope = _scope(space, known)
        receipt = erase(space, scope, named={"restored": True}, refused=fresh, restoring=True)
        settle(space)
        return receipt.counts["statements"]


def _scope(space: Space, known: Known) -> Scope:
    nodes = space.graph.nodes()
    here = {node.record.id for node in nodes}
    named = {id_ for item in known.erasures for id_ in item.subjects}
    keys = {key for item in known.erasures for key in (item.body or {}).get("cut", ())}
    whole: set[str] = set()
    passages: set[tuple[str, int, int]] = set()
    for turn in space.graph.turns():
        if turn.key not in keys:
            continue
        after = known.texts.get(turn.key)
        if after is None or len(after) != len(turn.text) or set(after) <= {ERASED}:
            whole.add(turn.key)
            continue
        gone = [old != ERASED and new == ERASED for old, new in zip(turn.text, after, strict=True)]
        for is_gone, run in groupby(range(len(gone)), key=gone.__getitem__):
            places = list(run)
            if is_gone:
                passages.add((turn.key, places[0], places[-1] + 1))
    # The register has all erasures but one that was not carried out; where there is none, the ledger says what was taken along.
    entered = frozenset(id_ for register in known.registers for id_ in register.ids)
    asked = {id_ for one in known.erasures for id_ in set(one.subjects) - set((one.body or {}).get("along", ()))} - entered
    topics: set[str] = set()
    for register in known.registers:
        tombstones = register.tombstones()
        for one in space.graph.sessions():
            named_so = ((topic_key(one.id), one.topic), (channel_key(one.id), one.channel))
            if any(words and tombstones.passages(place, words) for place, words in named_so):
                topics.add(one.id)
        named |= register.ids
        asked |= {n.record.id for n in nodes if tombstones.statement(n.record.predicate, n.record.text)}
        for turn in space.graph.turns():
            for found in tombstones.passages(turn.key, turn.text) if turn.key not in whole else ():
                passages.add((turn.key, found.start, found.end))
    return Scope(frozenset(here & (named | asked)), frozenset(whole), frozenset(passages), frozenset(topics), frozenset(asked))
