"""A memory as a file: everything that is held, what its owner may carry elsewhere, or what holds now.

Invariant: an export is written beside its target and moved into place whole, so that no reader meets half a file.
RDF is the complete form; JSON holds the public models.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp

from graphmem.bundle import PROFILES, Bundle, Erased, one_of, select
from graphmem.chain import Row
from graphmem.checks import path as checked
from graphmem.errors import InputError
from graphmem.graph.base import Graph
from graphmem.reading import Reader

__all__ = ["FORMATS", "PROFILES", "Bundle", "export", "gather", "render", "select"]
Progress = Callable[[int, int], None]
FORMATS = ("trig", "nquads", "jsonld", "json")


def gather(
    graph: Graph,
    reader: Reader,
    *,
    user: str,
    space: str,
    ledger_head: str,
    exported_at: datetime | None = None,
    erasures: tuple[Erased, ...] = (),
    ledger: Sequence[Row] = (),
) -> Bundle:
    """All that a graph holds, with the statements as a reader sees them: what an export is made from."""
    return Bundle(
        user=user,
        space=space,
        at=reader.at,
        known_at=reader.known_at,
        nodes=tuple(reader.nodes()),
        turns=tuple(graph.turns()),
        sessions=tuple(graph.sessions()),
        entities=tuple(graph.entities()),
        mentions=tuple(graph.mentions()),
        same_as=tuple(graph.same_as()),
        statements=tuple(reader.all()),
        contradictions=tuple(reader.contradictions(None)),
        ledger_head=ledger_head,
        exported_at=exported_at,
        erasures=erasures,
        ledger=ledger,
    )


def render(bundle: Bundle, *, format: str = "trig", profile: str = "access", progress: Progress | None = None) -> bytes:
    """Write an export as bytes.

    The same bundle gives the same bytes in every process.  `nquads` is the canonical form: one quad a line,
    sorted.  `progress` is called with (statements done, statements in all).
    """
    return b"".join(_pieces(bundle, format, profile, progress))


def _pieces(bundle: Bundle, format: str, profile: str, progress: Progress | None) -> Iterator[bytes]:
    one_of("format", format, FORMATS)
    chosen = select(bundle, profile=profile)
    if format == "json":
        from graphmem.export_json import document

        return iter((document(chosen, profile),))
    from graphmem import rdf

    return rdf.pieces(chosen, format=format, profile=profile, progress=progress)


def export(
    bundle: Bundle, path: str | Path, *, format: str = "trig", profile: str = "access", progress: Progress | None = None
) -> Path:
    """Write an export to a file, whole or not at all, and return its path."""
    return put(path, lambda: _pieces(bundle, format, profile, progress))


def put(path: str | Path, make: Callable[[], bytes | Iterator[bytes]]) -> Path:
    """Write what `make` gives to a file that only its owner may read, whole or not at all, and return its path.

    Raises:
        InputError: as `target_of`, or the place cannot be written.
    """
    target = target_of(path)
    data = make()
    try:
        _replace(target, data)
    except OSError as error:
        raise InputError(f"cannot export to {target}: {error.strerror or error}; choose a place that can be written") from error
    return target


def target_of(path: str | Path) -> Path:
    """The file that a path stands for.

    Raises:
        InputError: the path names no place for a file, or lies inside a memory's own folder.
    """
    target = checked("path", path)
    try:
        # A link is followed: the file it names is replaced, not the link.
        target = target.resolve() if target.is_symlink() else target
        special = target.exists() and not target.is_file() and not target.is_dir()
    except (OSError, RuntimeError) as error:
        raise InputError(f"cannot export to {target}: {error}; give the path of a file") from error
    if target.is_dir():
        raise InputError(f"cannot export to {target}: it is a folder; give the name of a file in it")
    if special:
        raise InputError(f"cannot export to {target}: it is a device or a pipe; give the path of a file")
    if any((parent / "ledger.sqlite").exists() for parent in target.absolute().parents):
        raise InputError(f"cannot export to {target}: it lies inside a memory's own folder; choose another place")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"cannot export to {target}: the folder {folder} does not exist; make it first")
    return target


def _replace(target: Path, data: bytes | Iterator[bytes]) -> None:
    # mkstemp makes the file readable by its owner alone, and what it holds is personal.
    handle, name = mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in (data,) if isinstance(data, bytes) else data:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
