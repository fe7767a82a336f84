"""A memory as a file: everything that is held, what its owner may carry elsewhere, or what holds now.

Invariant: an export is written beside its target and moved into place whole, so that no reader meets half a file.
RDF is the complete form; JSON holds the public models.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from graphmem import __version__
from graphmem.bundle import PROFILES, Bundle, one_of, select
from graphmem.entities import directory_of, entities_of
from graphmem.errors import InputError
from graphmem.model import Session, Turn, iso
from graphmem.records import TurnRecord

__all__ = ["FORMATS", "PROFILES", "Bundle", "export", "render", "select"]
FORMATS = ("trig", "nquads", "jsonld", "json")


def render(bundle: Bundle, *, format: str = "trig", profile: str = "access") -> bytes:
    """Write an export as bytes.

    The same bundle gives the same bytes in every process.  `nquads` is the canonical form: one quad a line,
    sorted.
    """
    one_of("format", format, FORMATS)
    chosen = select(bundle, profile=profile)
    if format == "json":
        return (json.dumps(_document(chosen, profile), ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    from graphmem import rdf

    return rdf.write(rdf.dataset(chosen, profile=profile), format=format)


def export(bundle: Bundle, path: str | Path, *, format: str = "trig", profile: str = "access") -> Path:
    """Write an export to a file, whole or not at all, and return its path."""
    return put(path, lambda: render(bundle, format=format, profile=profile))


def put(path: str | Path, make: Callable[[], bytes]) -> Path:
    """Write what `make` gives to a file that only its owner may read, whole or not at all, and return its path.

    Raises:
        InputError: the path names no place for a file, or lies inside a memory's own folder.
    """
    try:
        target = Path(path)
        # A link is followed: the file it names is replaced, not the link.
        target = target.resolve() if target.is_symlink() else target
        special = target.exists() and not target.is_file() and not target.is_dir()
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise InputError(f"cannot export to {path!r}: {error}; give the path of a file") from error
    if target.is_dir():
        raise InputError(f"cannot export to {target}: it is a folder; give the name of a file in it")
    if special:
        raise InputError(f"cannot export to {target}: it is a device or a pipe; give the path of a file")
    if any((parent / "ledger.sqlite").exists() for parent in target.absolute().parents):
        raise InputError(f"cannot export to {target}: it lies inside a memory's own folder; choose another place")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"cannot export to {target}: the folder {folder} does not exist; make it first")
    data = make()
    try:
        _replace(target, data)
    except OSError as error:
        raise InputError(f"cannot export to {target}: {error.strerror or error}; choose a place that can be written") from error
    return target


def _replace(target: Path, data: bytes) -> None:
    # mkstemp makes the file readable by its owner alone, and what it holds is personal.
    handle, name = mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _document(bundle: Bundle, profile: str) -> dict[str, Any]:
    turns: dict[str, list[TurnRecord]] = {}
    for turn in sorted(bundle.turns, key=lambda item: (item.session, item.position)):
        turns.setdefault(turn.session, []).append(turn)
    sessions = [
        Session(
            id=session.id,
            started=session.started,
            ended=session.ended,
            topic=session.topic,
            channel=session.channel,
            offset_minutes=session.offset_minutes,
            turns=tuple(
                Turn(
                    id=turn.id,
                    role=turn.role,
                    speaker=turn.speaker,
                    text=turn.text,
                    time=turn.time,
                    spans=turn.spans,
                )
                for turn in turns.get(session.id, ())
            ),
        )
        for session in bundle.sessions
    ]
    entities = entities_of(directory_of(bundle.entities, bundle.same_as, bundle.statements), bundle.mentions)
    return {
        "graphmem": __version__,
        "user": bundle.user,
        "space": bundle.space,
        "profile": profile,
        "exported_at": iso(bundle.exported_at or bundle.known_at),
        "as_of": iso(bundle.at),
        "known_at": iso(bundle.known_at),
        "ledger_head": bundle.ledger_head,
        "left_out": {"statements": bundle.statements_left_out, "turns": bundle.turns_left_out},
        "sessions": [session.model_dump(mode="json") for session in sessions],
        "recorded_at": {session.id: iso(session.recorded_at) for session in bundle.sessions},
        "statements": [view.model_dump(mode="json") for view in bundle.statements],
        "contradictions": [item.model_dump(mode="json") for item in bundle.contradictions],
        "entities": [item.model_dump(mode="json") for item in entities],
    }
