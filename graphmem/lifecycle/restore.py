"""Putting a backup back: unpacked aside, checked from the zip to the last entry, and moved into place whole.

Invariant: nothing is put in place that does not hold.  A kill leaves no space, the old one or the new one; a memory that
is being replaced lies beside the new one until that is in place, and is put back by the next restore where it is not.
What was erased after the backup was made is erased again before the memory gets its place.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from graphmem import failpoints
from graphmem.checks import brief
from graphmem.checks import path as checked
from graphmem.errors import (
    GraphmemError,
    InputError,
    KeyUnavailable,
    LedgerDamaged,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from graphmem.files import sync
from graphmem.head import HEAD, LEDGER
from graphmem.ledger import SCHEMA_VERSION
from graphmem.lifecycle import ledger_file
from graphmem.lifecycle.backup import CHUNK, FORMAT, MANIFEST, VERSION, Manifest, Progress, not_written
from graphmem.lifecycle.examine import GRAPH, RESTORING
from graphmem.lifecycle.reerase import Known, emptied, erase_again, known_erasures
from graphmem.lifecycle.sealed import sealed_backup
from graphmem.lifecycle.staging import left_behind, staged
from graphmem.owner import check_owner, folder_name
from graphmem.register import carry, path_of
from graphmem.sealing.keys_file import FOLDER as KEYS
from graphmem.sealing.keys_file import keys_of
from graphmem.sealing.layout import DESTROYED
from graphmem.unlocking import PLAIN, Sealing, keys_made_for

LARGEST_MANIFEST = 64 << 10
ROOM = 32 << 20  # what is left free on the disk beside what is unpacked
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, UnicodeDecodeError)


class Restored(NamedTuple):
    """What was put in place."""

    user: str
    space: str
    embedder: str
    notices: tuple[str, ...]


def restore(
    path: str | Path,
    home: Path,
    *,
    user: str | None,
    space: str | None,
    replace: bool,
    accept_loss: bool,
    clock: Callable[[], datetime],
    entropy: Callable[[int], bytes],
    wait: float,
    engine: str | None = None,
    progress: Progress | None = None,
    format: str | None = None,
    foreign: bool = False,
    anchor: tuple[int, str] | None = None,
    sealing: Sealing = PLAIN,
) -> Restored:
    """Put a backup in place, or make a memory from an export (`lifecycle.arrival`); everything in it is checked before.

    What the memory in that place erased after the backup was made is erased again, as far as its ledger can tell.

    Args:
        path: a file that `backup` wrote.
        home: the folder of all spaces.
        user: whose memory; only its own user's, who is the default.
        space: which of the user's memories; None takes the one that was backed up.
        replace: replace a memory that is there.
        accept_loss: replace one whose ledger is damaged, though it cannot tell all that it erased.
        clock: gives the current time, aware.
        entropy: gives n random bytes.
        wait: seconds to wait for others who have the space open.
        engine: builds the graph where something is erased again; None takes the default.
        progress: called with (bytes unpacked, bytes in all).
        format: of an export; None tells it by the file.
        foreign: the file is somebody else's RDF, of which nothing is taken on trust.
        anchor: number and hash of an entry that the ledger of an audit export must hold.
        sealing: the key of a sealed backup; or with which an export becomes a sealed memory.

    Raises:
        InputError: the file is no backup, is another user's, or its memory is there already.
        LedgerDamaged: the file was altered or cut short, or the memory in place cannot tell what it erased.
        KeyUnavailable: it is sealed, and its keys are not at hand, or were destroyed by a later erasure.
        StoreNewer: a newer release made it.
        StoreFull: there is no room.
        StoreLocked: the space is in use.
    """
    from graphmem.lifecycle.arrival import arrive, is_export

    source, home = _source(path), home.absolute()
    if foreign or format is not None or anchor is not None or is_export(source):
        if replace:
            raise InputError("an export cannot replace a memory, whose ledger it does not have: restore it into another space")
        return arrive(
            source, home, user=user, space=space, clock=clock, entropy=entropy, wait=wait, engine=engine, format=format,
            foreign=foreign, anchor=anchor, sealing=sealing,
        )  # fmt: skip
    with _opened(source) as packed:
        manifest = _manifest(packed, source)
    owner = _owner(manifest, user, space)
    target = home / folder_name(*owner)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        tidy(home)
        check_free(target, owner, replace=replace)
        with staged(home, RESTORING) as aside, keys_made_for(keys_of(target, sealing.keys)):
            own = aside / "new" / target.name
            own.mkdir(parents=True, mode=0o700)
            with _opened(source) as packed:
                _unpack(packed, source, manifest, own / LEDGER, progress)
            failpoints.reach("restore.unpacked")
            origin = home / folder_name(manifest.user, manifest.space)
            with sealed_backup(own / LEDGER, source, target, origin, manifest.user, sealing):
                embedder = _checked(own / LEDGER, source, manifest, owner)
                owners = dict.fromkeys([owner, (manifest.user, manifest.space)])
                known, notices = _known(source, own / LEDGER, home, list(owners), accept_loss=accept_loss)
                if known.any:
                    options: dict[str, Any] = {} if engine is None else {"engine": engine}
                    options["sealing"] = sealing._replace(keys=sealing.keys or home / KEYS)
                    count = erase_again(aside / "new", owner, known, clock=clock, entropy=entropy, embedder=embedder, **options)
                    if count or known.erasures:
                        notices.append(f"{count} statements that were erased after the backup was made were erased again")
                    # Before the memory is in its place: whoever reads it first finds what it must not take in again.
                    carry(own, target)
            for part in (own / LEDGER, own, own.parent):
                sync(part)
            failpoints.reach("restore.before-rename")
            check_free(target, owner, replace=replace)  # one may have been made meanwhile
            _place(own, target, wait, replace=replace)
            sync(home)
    except OSError as error:
        if isinstance(error, GraphmemError):
            raise
        raise not_written(f"the memory from {source}", error) from error
    return Restored(*owner, embedder, tuple(notices))


def check_free(target: Path, owner: tuple[str, str], *, replace: bool) -> None:
    """InputError if there is a memory in that place which is not to be replaced."""
    if os.path.lexists(target) and not replace:
        raise InputError(
            f"there is a memory of {brief(owner[0])} in space {brief(owner[1])} already ({target}): restore into another "
            "space, or replace it with --replace (replace=True)"
        )


def _source(path: str | Path) -> Path:
    source = checked("path", path)
    try:
        if source.is_dir():
            raise InputError(f"{source} is a folder, not a backup: give the file that `graphmem backup` wrote")
        if not source.exists():
            raise InputError(f"there is no file {source}: give the file that `graphmem backup` wrote")
        if not source.is_file():
            raise InputError(f"{source} is a device or a pipe, not a backup: give the file that `graphmem backup` wrote")
        if source.stat().st_size == 0:
            raise InputError(f"{source} is empty, not a backup: give the file that `graphmem backup` wrote")
    except (OSError, RuntimeError) as error:
        raise InputError(f"{source} cannot be read ({error}): give the file that `graphmem backup` wrote") from error
    return source


def tidy(home: Path) -> None:
    """Remove what restores that were killed left behind."""
    for folder in left_behind(home, RESTORING):
        shutil.rmtree(folder, ignore_errors=True)


# ---------------------------------------------------------------------- the file


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as packed:
            yield packed
    except _ZIP_ERRORS as error:
        if isinstance(error, GraphmemError):
            raise
        raise InputError(f"{source} is no backup, or was cut short or altered ({error}): take another copy of it") from error
    except OSError as error:
        if isinstance(error, GraphmemError):
            raise
        if error.errno == errno.EINVAL:  # the zip points to a place that is not in it
            raise InputError(f"{source} is no backup, or was cut short or altered: take another copy of it") from error
        if error.filename == str(source):
            raise InputError(f"{source} cannot be read ({error.strerror}): check its rights") from error
        raise


def _manifest(packed: zipfile.ZipFile, source: Path) -> Manifest:
    names = [info.filename for info in packed.infolist()]
    if sorted(names) != sorted((MANIFEST, LEDGER)):
        shown = ", ".join(repr(name[:80]) for name in names[:5]) or "nothing"
        raise InputError(f"{source} is no backup: it should hold {MANIFEST} and {LEDGER} and holds {shown}")
    info = packed.getinfo(MANIFEST)
    if info.file_size > LARGEST_MANIFEST:
        raise InputError(f"{source} is no backup: its {MANIFEST} has {info.file_size:,} bytes")
    with packed.open(MANIFEST) as member:
        data = member.read(LARGEST_MANIFEST + 1)
    try:
        said = Manifest.model_validate_json(data)
    except ValidationError as error:
        newer = _newer(data)
        if newer is not None:
            raise _too_new(source, f"format {newer}", f"format {VERSION}") from error
        raise InputError(f"{source} is no {FORMAT}: its {MANIFEST} does not say what one says ({_first(error)})") from error
    if said.version > VERSION:
        raise _too_new(source, f"format {said.version}", f"format {VERSION}")
    if said.schema_version > SCHEMA_VERSION:
        raise _too_new(source, f"ledger schema {said.schema_version}", f"schema {SCHEMA_VERSION}")
    return said


def _too_new(source: Path, has: str, known: str) -> StoreNewer:
    return StoreNewer(f"{source} was made by a newer release ({has}), this one knows up to {known}: update graphmem")


def _newer(data: bytes) -> int | None:
    """The version of a backup whose manifest has fields that this release does not know."""
    import json

    try:
        found = json.loads(data)
        version = found["version"] if found["format"] == FORMAT else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return version if isinstance(version, int) and version > VERSION else None


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"[:120]


def _owner(manifest: Manifest, user: str | None, space: str | None) -> tuple[str, str]:
    owner = check_owner(manifest.user if user is None else user, manifest.space if space is None else space)
    if owner[0] != manifest.user:
        raise InputError("the backup holds the memory of another user: a memory can only be restored for whom it is")
    return owner


def _unpack(packed: zipfile.ZipFile, source: Path, manifest: Manifest, target: Path, progress: Progress | None) -> None:
    """Write the ledger out, never more than the manifest says, and compare its sum."""
    wanted = manifest.ledger_bytes
    if packed.getinfo(LEDGER).file_size != wanted:
        raise _altered(source, "the ledger in it has another size than its manifest says")
    free = shutil.disk_usage(target.parent).free
    if wanted + ROOM > free:
        raise StoreFull(f"{source} needs {wanted:,} bytes and the disk has {free:,} left: free some space and repeat")
    digest, done = hashlib.sha256(), 0
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, packed.open(LEDGER) as member:
        while part := member.read(CHUNK):
            if done == 0 and not _is_database(part, wanted):
                raise _altered(source, "what it holds is not a ledger")
            done += len(part)
            if done > wanted:
                raise _altered(source, "the ledger in it is longer than its manifest says")
            digest.update(part)
            file.write(part)
            if progress is not None:
                progress(done, wanted)
        file.flush()
        os.fsync(file.fileno())
    if done != wanted or digest.hexdigest() != manifest.ledger_sha256:
        raise _altered(source, "the sum of the ledger in it is not the one that its manifest says")


def _is_database(start: bytes, size: int) -> bool:
    """Whether the first page of a SQLite file fits the size, so that a bomb is seen before it is unpacked."""
    page = int.from_bytes(start[16:18], "big")
    page = 65536 if page == 1 else page
    return start[:16] == b"SQLite format 3\0" and page * int.from_bytes(start[28:32], "big") == size


def _altered(source: Path, what: str) -> LedgerDamaged:
    return LedgerDamaged(f"{source} was altered or cut short ({what}): take another copy of it, nothing was changed")


# ---------------------------------------------------------------------- the ledger


def _checked(path: Path, source: Path, manifest: Manifest, owner: tuple[str, str]) -> str:
    """Check an unpacked ledger through and through, make it its owner's, and return the name of its embedder."""
    try:
        with ledger_file.reading(path) as db:
            version, meta, pages = ledger_file.version(db), ledger_file.meta(db), ledger_file.page_fault(db)
        embedder = meta["embedder"]
        if (meta["user"], meta["space"]) != (manifest.user, manifest.space) or version != manifest.schema_version:
            raise _altered(source, "the ledger in it is another than its manifest says")
        if pages is not None:
            raise _altered(source, pages)
        if owner[1] != manifest.space:
            ledger_file.give_to(path, owner[1])
        # The ledger's own code has the last word, and brings an older format to the present one.
        with closing(ledger_file.opened(path, owner, embedder)) as ledger:
            problems, end = ledger.check().problems, ledger.head()
        if problems and DESTROYED in problems[0]:
            raise KeyUnavailable(
                f"{source} is from before an erasure, which destroyed keys that it needs, also for words that were not erased: "
                "restore a newer backup, or this one into another home with a copy of the keys from its own time (keys=..., "
                "--keys); nothing was changed"
            )
        if problems:
            raise _altered(source, problems[0])
        if end != (manifest.head_seq, manifest.head_hash):
            raise _altered(source, f"the ledger in it ends at entry {end[0]}, its manifest says {manifest.head_seq}")
        strangers = _parts(path) - _parts_of_a_new_one(path.with_name("blank.sqlite"), embedder)
        if strangers:
            raise _altered(source, f"the ledger in it has a part {min(strangers)[1]!r} that a ledger has not")
    except (sqlite3.DatabaseError, KeyError, OverflowError) as error:
        raise _altered(source, f"the ledger in it cannot be read: {error}") from error
    return embedder


def _parts(path: Path) -> set[tuple[str, str, str]]:
    """Tables, indexes, triggers and views: a foreign trigger would act at the next write."""
    with ledger_file.reading(path) as db:
        rows = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {(kind, name, "" if kind == "table" else " ".join(text.split())) for kind, name, text in rows}


def _parts_of_a_new_one(path: Path, embedder: str) -> set[tuple[str, str, str]]:
    ledger_file.opened(path, ("u", "s"), embedder).close()
    try:
        return _parts(path)
    finally:
        for part in path.parent.glob(f"{path.name}*"):
            part.unlink()


def _known(
    source: Path, ledger: Path, home: Path, owners: list[tuple[str, str]], *, accept_loss: bool
) -> tuple[Known, list[str]]:
    """What the memories in place say was erased and the backup still holds."""
    known, notices = Known((), {}), []
    for owner in owners:
        folder = home / folder_name(*owner)
        if not os.path.lexists(folder / LEDGER) and not (folder / HEAD).exists() and not path_of(folder).exists():
            continue
        found, problem = known_erasures(folder, ledger, owner)
        if problem is not None and not accept_loss:
            raise LedgerDamaged(
                f"{problem} in {folder}, so it is not known whether anything was erased after the backup {source} was made: "
                "restore it all the same with --accept-loss (accept_loss=True), and forget again what should be forgotten"
            )
        if problem is not None:
            notices.append(f"{problem}: what was erased after the backup was made may be there again")
        gone = emptied(found, ledger)
        if gone is not None:
            raise InputError(
                f"everything in {folder} was erased on {gone.date()}, which {source} does not know of and would bring back: "
                "restore it into another home if that is meant"
            )
        registers = (*known.registers, *found.registers)
        known = Known((*known.erasures, *found.erasures), {**known.texts, **found.texts}, registers)
    return known, notices


# ---------------------------------------------------------------------- the place


def _place(own: Path, target: Path, wait: float, *, replace: bool) -> None:
    """Move the new folder to its place, or its ledger into the place of the one that is there.

    A ledger is replaced in one step.  What was made from the old one goes before that: it can be made again.
    """
    if not replace or not os.path.lexists(target):
        rename(own, target)
        return
    with _alone(target, wait) as release:
        release()
        (target / HEAD).unlink(missing_ok=True)
        if (target / GRAPH).is_dir():
            shutil.rmtree(target / GRAPH)
        for what in ("-wal", "-shm", "-journal"):  # of a ledger that could not be read; it would be taken for the new one's
            (target / (LEDGER + what)).unlink(missing_ok=True)
        sync(target)
        failpoints.reach("restore.cleared")
        os.replace(own / LEDGER, target / LEDGER)
        sync(target)


def rename(own: Path, target: Path) -> None:
    """Move a new folder to its place.

    Raises:
        StoreError: there is one by now.
    """
    try:
        os.rename(own, target)
    except OSError as error:
        if target.exists():
            raise StoreError(f"{target} was made by another process meanwhile: repeat, with --replace if it may go") from error
        raise


@contextmanager
def _alone(folder: Path, wait: float) -> Iterator[Callable[[], None]]:
    """Nobody else has the space open; gives what must be called before its folder is moved."""
    from filelock import FileLock, Timeout

    busy = StoreLocked(f"the memory in {folder} is in use (waited {wait:g} s): close it and repeat")
    if not folder.is_dir() or folder.is_symlink():
        raise InputError(f"{folder} is not the folder of a memory: move it away and repeat")
    lock = FileLock(folder / "lock", mode=0o600)
    try:
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise busy from error
    try:
        hold: Any = None
        try:
            uri = f"{(folder / LEDGER).as_uri()}?mode=rw"  # none is made where there is none
            hold = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=wait)
            # Whoever has it open, if only to read, keeps SQLite from leaving the mode with a log.
            hold.execute("PRAGMA locking_mode=EXCLUSIVE")
            hold.execute("PRAGMA journal_mode=DELETE")
            hold.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                if hold is not None:
                    hold.close()
                raise busy from error
            # A ledger that cannot be read is in nobody's use.

        def release() -> None:
            # Some platforms do not move a folder with open files; elsewhere the hold lasts to the end.
            if os.name == "nt":
                lock.release()
                if hold is not None:
                    hold.close()

        try:
            yield release
        finally:
            if hold is not None:
                hold.close()
    finally:
        lock.release()
