"""A memory as one file from which it can be put back: its ledger and a manifest, in a zip.

Invariant: a backup is the ledger as it stood at one moment, whoever writes meanwhile, and was checked before it got its
name; it holds no graph, so any engine can be built from it.  The file appears whole or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from graphmem import __version__, failpoints
from graphmem.checks import path as checked
from graphmem.errors import GraphmemError, InputError, LedgerDamaged, ReadOnlyStore, StoreError, StoreFull, StoreNewer
from graphmem.files import NO_ROOM, sync
from graphmem.head import LEDGER, kept_head
from graphmem.ledger import SCHEMA_VERSION
from graphmem.ledger_opening import writable
from graphmem.lifecycle import ledger_file
from graphmem.lifecycle.staging import left_behind, staged
from graphmem.locking import turn_of
from graphmem.model import Frozen, Time
from graphmem.sealing.vault import MARK

Progress = Callable[[int, int], None]

FORMAT, VERSION = "graphmem backup", 1
MANIFEST = "manifest.json"
CHUNK = 1 << 20
_UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError)
PAGES = 256  # copied at a time, so that progress can be told


class Manifest(Frozen):
    """What a backup says of itself."""

    format: Literal["graphmem backup"] = "graphmem backup"
    version: int = Field(default=VERSION, ge=1)
    graphmem: str
    user: str
    space: str
    schema_version: int = Field(ge=1)
    head_seq: int = Field(ge=0)
    head_hash: str = Field(pattern=r"[0-9a-f]{64}")
    created: Time
    ledger_sha256: str = Field(pattern=r"[0-9a-f]{64}")
    ledger_bytes: int = Field(gt=0)
    sealed: bool = False  # said only where it is so


def backup(
    folder: Path,
    path: str | Path,
    *,
    now: datetime,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write a backup of the space in `folder` and return its path.

    Args:
        folder: the folder of the space; it may be in use.
        path: the file to write.
        now: the time that the manifest gives.
        overwrite: replace a file that exists.
        progress: called with (bytes done, bytes in all).

    Raises:
        InputError: the target cannot be used.
        StoreFull: there is no room for it.
        LedgerDamaged, StoreNewer: the ledger cannot be backed up.
    """
    target = target_of(path, folder, overwrite=overwrite)
    prefix = f".{target.name[:80]}.backup-"
    try:
        _check_log(folder)
        for old in left_behind(target.parent, prefix):
            shutil.rmtree(old, ignore_errors=True)
        with staged(target.parent, prefix) as aside:
            copy = aside / LEDGER
            copy_ledger(folder / LEDGER, copy, progress=progress)
            failpoints.reach("backup.copied")
            manifest = _described(folder, copy, now)
            packed = aside / MANIFEST
            _pack(packed, copy, manifest, progress)
            failpoints.reach("backup.before-rename")
            _place(packed, target, overwrite)
    except OSError as error:
        if isinstance(error, GraphmemError):
            raise
        raise not_written(f"the backup {target}", error) from error
    return target


def is_sealed(path: Path) -> bool:
    """Whether a file is a sealed backup, as far as its manifest says."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with zipfile.ZipFile(path) as packed, packed.open(MANIFEST) as member:
            said = json.loads(member.read(CHUNK))
            return bool(said["version"] <= VERSION and said["sealed"])
    except (*_UNREADABLE, OSError, ValueError, KeyError, TypeError):
        return False


def _check_log(folder: Path) -> None:
    """LedgerDamaged if the log beside the ledger is another's: SQLite would fold it into the file at closing."""
    if turn_of(folder).ledgers:  # it was looked at when the memory was opened
        return
    kept = kept_head(folder)
    try:
        stray = ledger_file.stray(folder / LEDGER, kept and kept[:2])
    except sqlite3.Error:  # copying it says what is wrong
        return
    if stray is not None:
        raise LedgerDamaged(stray)


def not_written(what: str, error: OSError) -> GraphmemError:
    """The error for a file that could not be written: no room, a failing disk, or a place that cannot be used."""
    reason = error.strerror or str(error)
    if error.errno in NO_ROOM:
        return StoreFull(f"{what} could not be written ({reason}): free some space and repeat, nothing was changed")
    if error.errno == errno.EIO:
        return StoreError(f"{what} could not be written ({reason}): check the disk, nothing was changed")
    return InputError(f"{what} could not be written ({reason}): choose a place that can be written")


def target_of(path: str | Path, folder: Path, *, overwrite: bool) -> Path:
    """The file that a path stands for; InputError if no backup of the space in `folder` can be written there."""
    target = checked("path", path)
    try:
        # A link is followed: the file it names is replaced, not the link.
        target = (target.resolve() if target.is_symlink() else target).absolute()
        exists, ordinary = target.exists(), target.is_file()
        inside = folder.resolve() in target.resolve().parents
    except (OSError, RuntimeError) as error:
        raise InputError(f"cannot back up to {target}: {error}; give the path of a file") from error
    if target.is_dir():
        raise InputError(f"cannot back up to {target}: it is a folder; give the name of a file in it")
    if exists and not ordinary:
        raise InputError(f"cannot back up to {target}: it is a device or a pipe; give the path of a file")
    if not target.parent.is_dir():
        raise InputError(f"cannot back up to {target}: the folder {target.parent} does not exist; make it first")
    if inside or any((parent / LEDGER).exists() for parent in target.parents):
        raise InputError(f"cannot back up to {target}: it lies inside a memory's own folder; choose another place")
    if exists and not overwrite:
        raise InputError(f"{target} exists already: name another file, or replace it with --force (overwrite=True)")
    return target


def copy_ledger(path: Path, target: Path, *, progress: Progress | None = None) -> None:
    """Copy a ledger that may be in use, as it stood at one moment, into one file of its own.

    Raises:
        LedgerDamaged: it cannot be read.
        StoreFull: the copy cannot be written.
    """

    def told(_: int, left: int, pages: int) -> None:
        if progress is not None:
            # Copying is the first half of the work; packing is the second.
            progress((pages - left) * size, 2 * pages * size)

    if not path.is_file():
        raise LedgerDamaged(f"there is no ledger at {path}: name the user, space and home as they were given")
    try:
        with (
            _source(path) as source,
            closing(sqlite3.connect(target, isolation_level=None)) as copy,
        ):
            size = int(source.execute("PRAGMA page_size").fetchone()[0])
            # A transaction of one's own holds on to this moment; a copy in steps would begin again with every write.
            if not source.in_transaction:
                source.execute("BEGIN")
            source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            source.backup(copy, pages=PAGES, progress=told)
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise StoreFull(f"the ledger {path} could not be copied ({error}): free some space and repeat") from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(f"the ledger {path} is being rewritten by another process: repeat in a moment") from error
        if code == sqlite3.SQLITE_READONLY:
            raise ReadOnlyStore(
                f"the ledger {path} could not be copied ({error}): make its folder writable and repeat"
            ) from error
        raise LedgerDamaged(
            f"the ledger {path} cannot be read ({error}): run `graphmem doctor`, and restore an earlier backup"
        ) from error


def _source(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """A connection to a ledger to copy it from; where nothing may be written, one that only reads."""
    if not writable(path):
        return ledger_file.reading(path)
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=10))


def _described(folder: Path, copy: Path, now: datetime) -> Manifest:
    """The manifest of a copy, which is checked: a backup that cannot be restored is worse than none."""
    try:
        with ledger_file.reading(copy) as db:
            version, meta, pages = ledger_file.version(db), ledger_file.meta(db), ledger_file.page_fault(db)
        if version > SCHEMA_VERSION:
            raise StoreNewer(
                f"the ledger in {folder} has schema {version}, this release knows up to {SCHEMA_VERSION}: update graphmem"
            )
        user, space = meta["user"], meta["space"]
        with closing(ledger_file.opened(copy, (user, space), meta["embedder"])) as ledger:
            problems, (seq, hash_) = ledger.check().problems, ledger.head()
            erased = () if problems else ledger.erasures()
            if erased and erased[-1].seq > ledger.carried_out():
                raise StoreError(
                    f"an erasure in {folder} is not finished, and a backup would keep what is to go: repeat in a moment, or "
                    "run `graphmem rebuild` if nobody is at it"
                )
        version = _folded(copy)
    except (sqlite3.DatabaseError, KeyError) as error:
        raise LedgerDamaged(f"the ledger in {folder} cannot be read ({error}): restore an earlier backup") from error
    if pages or problems:
        raise LedgerDamaged(
            f"the ledger in {folder} does not hold ({pages or problems[0]}): it is not backed up, restore an earlier backup, "
            "or copy the folder as it is"
        )
    digest = hashlib.sha256()
    with copy.open("rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
    return Manifest(
        graphmem=__version__, user=user, space=space, schema_version=version, head_seq=seq, head_hash=hash_,
        created=now.astimezone(UTC), ledger_sha256=digest.hexdigest(), ledger_bytes=copy.stat().st_size,
        sealed=MARK in meta,
    )  # fmt: skip


def _folded(path: Path) -> int:
    """Make a ledger one file without a log, on the disk; its schema version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=DELETE")
        version = ledger_file.version(db)
    sync(path)
    return version


def _pack(target: Path, copy: Path, manifest: Manifest, progress: Progress | None) -> None:
    date = max(manifest.created.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    total, done = manifest.ledger_bytes, 0
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in (MANIFEST, LEDGER):
            info = zipfile.ZipInfo(name, date)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            if name == MANIFEST:
                packed.writestr(
                    info, manifest.model_dump_json(indent=2, exclude=None if manifest.sealed else {"sealed"}) + "\n"
                )
                continue
            with packed.open(info, "w", force_zip64=True) as member, copy.open("rb") as ledger:
                while part := ledger.read(CHUNK):
                    member.write(part)
                    done += len(part)
                    if progress is not None:
                        progress(total + done, 2 * total)
    sync(target)


def _place(packed: Path, target: Path, overwrite: bool) -> None:
    if overwrite:
        os.replace(packed, target)
    else:
        taken = InputError(f"{target} was made by somebody else meanwhile: name another file")
        try:
            os.link(packed, target)
        except FileExistsError as error:
            raise taken from error
        except OSError as error:  # a file system without links
            if target.exists():
                raise taken from error
            os.replace(packed, target)
    sync(target.parent)
