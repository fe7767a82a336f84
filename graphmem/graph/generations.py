"""The files of a space's graph: one folder per generation, a pointer to the one in use, and how they are replaced.

Invariant: the pointer names a generation only once it is complete and on disk, and is switched last; no name is ever
used twice; the database file of a generation is never changed after that (all later changes are in its log), so that
its checksum tells at every opening whether it is still what was written.  A generation that is missing, damaged or
foreign is put aside and a new one is made from the ledger: a graph can always be lost, and never what it was made from.
Foreign is one that bears the mark of another ledger, or whose last entry has another hash in this one: a branch of it.

A process that opens a generation claims it.  Where another one has claimed it, the process works on a copy of its own
(the file, and the log as far as it was sealed), brought up from the ledger and removed at closing; so nobody waits for
anybody who reads, and nobody sees what another is in the middle of.  All of this happens behind the door of the space.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import GraphDamaged, QueryError, StoreError
from graphmem.failpoints import reach
from graphmem.files import checksum, copy_part, replace, sync, typed
from graphmem.graph import probe, schema
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import MAGIC, MEBIBYTE, Driver, EngineSettings, log_path, log_size
from graphmem.graph.fill import fill
from graphmem.graph.place import (
    CLAIM,
    DATABASE,
    HERE,
    MANIFEST,
    POINTER,
    QUARANTINE,
    Place,
    read_json,
    write_json,
)
from graphmem.locking import Door, in_child
from graphmem.records import Delta

History = Callable[[int], Iterable[Delta]]
Head = int | Callable[[], int]
HashAt = Callable[[int], str | None]

# Above this the log takes too long to read back at every opening, and a new generation is made; and above this part of
# the file, so that a large graph is not written anew for every small addition.
LOG_LIMIT = 12 * MEBIBYTE
LOG_PART = 4
# Above this it is worth folding when there is time for it, as after a large ingest: each 4 MiB add 0.2 s to an opening.
FOLD_SOON = 4 * MEBIBYTE
FOLD_SOON_PART = 8
DOOR_SECONDS = 5.0

# The first page of a database file, and how much of it the engine reads.
PAGE = 4096
HEADER = 64


class Truth(NamedTuple):
    """The ledger as a graph needs it: its deltas above an entry, its last entry, and the hash of any."""

    history: History
    head: Head
    hash_at: HashAt | None

    def end(self) -> int:
        """The last entry, as of now."""
        return self.head if isinstance(self.head, int) else self.head()

    def contradicts(self, seq: int, hash_: str) -> str | None:
        """Why a graph that is at this entry was not made from this ledger, or None."""
        if not seq or self.hash_at is None or hash_ == self.hash_at(seq):
            return None
        return f"it was made from another course of the ledger: entry {seq}, its last, is not the one that the ledger has"


_OPENING = threading.RLock()


def _new_lock() -> None:
    # A thread that a forked child has not may have held it.
    global _OPENING
    _OPENING = threading.RLock()


in_child(_new_lock)


def fold_limit(database: Path, *, soon: bool) -> int:
    """Bytes of log above which a generation is replaced: when it must be, or (`soon`) when there is time for it."""
    try:
        size = database.stat().st_size
    except FileNotFoundError:
        size = 0
    return max(FOLD_SOON, size // FOLD_SOON_PART) if soon else max(LOG_LIMIT, size // LOG_PART)


def overgrown(folder: Path, *, soon: bool = False) -> bool:
    """Whether the log of the generation that this process has open should be folded (`soon`: if there is time for it)."""
    mine, _ = HERE.get((os.getpid(), os.path.realpath(folder)), (None, None))
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
    origin: str = "",
    edition: str = "",
    hash_at: HashAt | None = None,
) -> DatabaseGraph:
    """The graph in `folder`, brought up to ledger entry `head`; made or remade from `history` where needed.

    `history(after)` gives the deltas after that ledger entry, in order; `history(0)` all of them.  `engine` None takes
    the one the graph was made with.  A graph of another `origin` than the ledger's is not used, nor one whose last entry
    has another hash than `hash_at` gives, nor one of another `edition` of the
    vectors.  What was found and done is in `notices` of the graph, empty for an everyday opening.
    """
    schema.checked_dimension(dimension)
    made = settings or EngineSettings()
    place = Place(folder, engine=engine, dimension=dimension, settings=made, origin=origin, edition=edition)
    with _OPENING, typed(folder):
        mine = place.mine()
        if mine is not None:
            return _forward(_attach(place, mine, []), Truth(history, head, hash_at))
        with place.door(wait):
            return _opened(place, Truth(history, head, hash_at), probe_seconds)


def _opened(place: Place, truth: Truth, probe_seconds: float) -> DatabaseGraph:
    place.sweep()
    current = place.current()
    if current is None:
        notices = ["the graph was missing and was rebuilt from the ledger"] if truth.end() or place.generations() else []
        return _rebuild(place, truth.history, notices)
    claim = place.claim(current)
    if claim is None:
        return _copied(place, current, truth)
    older = place.outdated(current)
    if older is not None:
        claim.leave()
        return _rebuild(place, truth.history, [older])
    reason = place.unfit(current)
    if reason is None and place.log_size(current) > fold_limit(place.database(current), soon=False):
        claim.leave()
        return _rebuild(place, truth.history, ["the log of the graph had grown and was folded into a new generation"])
    if reason is None and not place.state(current).clean:
        reason = probe.fault_in_child(
            place.database(current), engine=place.engine, dimension=place.dimension, head=truth.end(), seconds=probe_seconds
        )
    if reason is None:
        try:
            return _enter(place, current, claim, truth)
        except (GraphDamaged, QueryError) as error:
            reason = str(error)
    claim.leave()
    place.quarantine(current)
    return _rebuild(place, truth.history, [f"the graph was unfit ({reason}); it was put aside and rebuilt from the ledger"])


def compact(
    folder: Path,
    *,
    engine: str | None,
    dimension: int,
    history: History,
    settings: EngineSettings | None = None,
    purge: bool = True,
    wait: float = DOOR_SECONDS,
    origin: str = "",
    edition: str = "",
) -> None:
    """Write the graph anew from `history`, switch to it and delete the older files of it; the graph must be closed here.

    With `purge` every older file goes, those that were put aside and those that other processes have open included (they
    keep what they have open until they next look at the ledger): so erased content leaves the disk, because an engine
    keeps deleted rows in its file.
    """
    made = settings or EngineSettings()
    place = Place(folder, engine=engine, dimension=dimension, settings=made, origin=origin, edition=edition)
    with _OPENING, typed(folder):
        if place.mine() is not None:
            raise StoreError(f"the graph in {folder} is open in this process: close it before it is compacted")
        with place.door(wait):
            _rebuild(place, history, []).close()
            if purge:
                place.purge()
            else:
                place.sweep()
            shutil.rmtree(folder / QUARANTINE, ignore_errors=True)


def _forward(graph: DatabaseGraph, truth: Truth) -> DatabaseGraph:
    """Apply what the ledger has and the graph has not."""
    after = graph.applied_seq()
    taken = 0

    def missing() -> Iterator[Delta]:
        nonlocal taken
        for delta in truth.history(after):
            taken += not delta.empty
            yield delta

    if after < truth.end():
        graph.catch_up(missing())
        if taken:
            graph.notices += (f"{taken} entries of the ledger were missing from the graph and were replayed",)
    return graph


def _clean_header(path: Path) -> None:
    """Blank what the engine leaves behind the header fields on the first page.

    It writes the whole page from memory it did not clear, and that memory may hold words of another space or words that
    were to be erased.  Measured with kuzu 0.11.3, where the last field ends at byte 28, and with ladybug 0.22.
    """
    with path.open("r+b") as file:
        page = file.read(PAGE)
        if len(page) == PAGE and page[: len(MAGIC["kuzu"])] in MAGIC.values():
            file.seek(HEADER)
            file.write(bytes(PAGE - HEADER))


# --- opening --------------------------------------------------------------------------------------------------


def _attach(place: Place, generation: str, notices: list[str]) -> DatabaseGraph:
    """Use a generation that this process has claimed; the last user of it seals it and gives the claim up."""
    driver = Driver(place.database(generation), engine=place.engine, settings=place.settings)
    return DatabaseGraph(driver, dimension=place.dimension, notices=notices, on_close=partial(_close, place, generation))


def _enter(place: Place, generation: str, claim: Door, truth: Truth) -> DatabaseGraph:
    """Open a generation that looks fit, check it, and bring it forward."""
    state = place.state(generation)
    place.note(generation, state._replace(clean=False))
    HERE[place.key()] = generation, claim
    graph: DatabaseGraph | None = None
    done = False
    try:
        graph = _attach(place, generation, [] if state.clean else ["the graph had not been closed; it was checked"])
        reason = probe.fault(graph, head=truth.end()) or truth.contradicts(*graph.applied())
        if reason is not None:
            raise GraphDamaged(reason)
        _forward(graph, truth)
        done = True
    finally:
        if not done:
            HERE.pop(place.key(), None)
            if graph is not None:
                graph.close()
            claim.leave()
    return graph


def _copied(place: Place, current: str, truth: Truth) -> DatabaseGraph:
    """A private copy of a generation that another process has claimed: its file, and its log as far as it was sealed.

    Where that cannot be used the copy is filled from the history; the other process sees to its own.
    """
    for how in ("copy", "fill"):
        name = f"p-{secrets.token_hex(8)}"
        own = place.folder / name
        done = False
        try:
            own.mkdir(mode=0o700)
            claim = place.claim(name)
            if how == "fill":
                _fill(place, name, truth.history)
            elif not _copy(place, current, name):
                continue
            graph = _enter(place, name, claim or Door(own / CLAIM, name), truth)
            done = True
        except (GraphDamaged, QueryError):
            if how == "fill":
                raise
            continue
        finally:
            if not done:
                shutil.rmtree(own, ignore_errors=True)
        # Bringing a copy of one's own forward is no news.
        graph.notices = ()
        return graph
    raise AssertionError("the second way either returns or raises")


def _copy(place: Place, current: str, name: str) -> bool:
    """Copy a generation under another name; whether the copy can be used."""
    state = place.state(current)
    try:
        shutil.copyfile(place.database(current), place.database(name))
        copy_part(log_path(place.database(current)), log_path(place.database(name)), state.log_size)
    except FileNotFoundError:
        return False
    write_json(place.folder / name / MANIFEST, read_json(place.folder / current / MANIFEST))
    place.note(name, state._replace(clean=True))
    return place.outdated(name) is None and place.unfit(name) is None


def _close(place: Place, generation: str, applied: tuple[int, str]) -> None:
    """Note that a generation was closed properly and what its log was then; one that is not current is removed."""
    _, claim = HERE.pop(place.key(), (None, None))
    path = place.database(generation)
    if generation != place.current():
        shutil.rmtree(place.folder / generation, ignore_errors=True)
    elif path.is_file():
        place.seal(generation, applied)
    if claim is not None:
        claim.leave()


# --- making and removing --------------------------------------------------------------------------------------


def _rebuild(place: Place, history: History, notices: list[str]) -> DatabaseGraph:
    """A new generation from the whole history, pointed to once it is on disk; older ones that are free are deleted."""
    generation = place.unused_name()
    own = place.folder / generation
    own.mkdir(parents=True, mode=0o700)
    claim = place.claim(generation)
    done = False
    try:
        reach("generation.begun")
        _fill(place, generation, history)
        reach("generation.before-pointer")
        replace(place.folder / POINTER, generation + "\n")
        done = True
    finally:
        if not done:
            shutil.rmtree(own, ignore_errors=True)
            if claim is not None:
                claim.leave()
    reach("generation.after-pointer")
    place.sweep()
    place.note(generation, place.state(generation)._replace(clean=False))
    if claim is not None:
        HERE[place.key()] = generation, claim
    return _attach(place, generation, notices)


def _fill(place: Place, generation: str, history: History) -> None:
    path = place.database(generation)
    seq = fill(path, engine=place.engine, dimension=place.dimension, deltas=history(0), settings=place.settings)
    graph = DatabaseGraph(Driver(path, engine=place.engine, settings=place.settings), dimension=place.dimension)
    try:
        reason, applied = probe.fault(graph, head=seq), graph.applied()
    finally:
        graph.close()
    reach("generation.filled")
    if reason is not None:
        raise GraphDamaged(f"a new graph in {path.parent} is unfit: {reason}: check the disk and try again")
    _clean_header(path)
    manifest = {
        "engine": place.engine,
        "schema": schema.SCHEMA_VERSION,
        "dimension": place.dimension,
        "origin": place.origin,
        **({"edition": place.edition} if place.edition else {}),
        "crc32": checksum(path),
    }
    write_json(path.with_name(MANIFEST), manifest)
    place.seal(generation, applied)
    reach("generation.sealed")
    for entry in path.parent.iterdir():
        if entry.name != CLAIM:  # closing another descriptor of it is safe for flock, and of no use
            sync(entry)
    sync(path.parent)
