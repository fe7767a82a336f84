"""What a restore is made from, whatever the notation: records, the ledger of an audit export, and what the file says of itself.

Invariant: reading decides nothing; whether the file may be believed is for the restore to find out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graphmem.chain import Row
from graphmem.errors import InputError
from graphmem.held import Held, placed
from graphmem.model import iso
from graphmem.records import Delta, TurnRecord, turn_key

LARGEST = 1 << 30  # bytes of a file that is read
ENDS = {".json": "json", ".jsonld": "jsonld", ".nq": "nquads", ".nquads": "nquads", ".trig": "trig"}


def format_of(path: Path, start: bytes) -> str:
    """The notation of a file, by the end of its name, else by how it begins."""
    known = ENDS.get(path.suffix.lower())
    if known is not None:
        return known
    head = start.lstrip()[:1]
    if head in (b"{", b"["):
        return "json" if b'"graphmem"' in start[:200] else "jsonld"
    return "nquads" if head == b"<" and start.split(b"\n", 1)[0].rstrip().endswith(b".") else "trig"


def read(path: Path, format: str | None = None) -> Held | None:
    """Read an export; None if it is RDF that is no export of a memory.

    Raises:
        InputError: the file cannot be read, or is not what an export is.
    """
    data = contents(path)
    format = format or format_of(path, data[:4096])
    if format == "json":
        return _from_json(path, data)
    from graphmem.rdf_records import records

    return records(graph(path, data, format), str(path))


def contents(path: Path) -> bytes:
    """The bytes of a file that is not too large."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} has more than {LARGEST:,} bytes: restore from a backup instead")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}): check its name and rights") from error


def graph(path: Path, data: bytes, format: str) -> Any:
    """The RDF of a file.

    Raises:
        InputError: it is not in this notation.
    """
    from graphmem import rdf

    try:
        return rdf.read(data, format=format)
    except InputError:
        raise
    except Exception as error:  # a library's parsers raise whatever they stumble over
        said = " ".join(str(error).split())[:160]
        raise InputError(f"{path} is no {format} that can be read ({said}): name its format with --format") from error


def _from_json(path: Path, data: bytes) -> Held:
    from graphmem.export_json import digest_of

    try:
        said = json.loads(data)
        if not isinstance(said, dict) or "records" not in said:
            raise ValueError("it has no records")
        turns = [turn for session in said["sessions"] for turn in _turns(session, said["positions"][session["id"]])]
        sessions = [
            {name: value for name, value in session.items() if name not in ("turns", "turn_offsets")}
            | {"recorded_at": said["recorded_at"][session["id"]]}
            for session in said["sessions"]
        ]
        delta = Delta.model_validate({"seq": 0, "sessions": sessions, "turns": turns, **said["records"]})
        rows = tuple(_row(item) for item in said.get("ledger", ()))
        return Held(
            user=str(said["user"]), space=str(said["space"]), profile=str(said["profile"]), digest=str(said["digest"]),
            exported_at=_moment(said["exported_at"]), known_at=_moment(said["known_at"]), found=digest_of(said),
            head=str(said["ledger_head"]), delta=delta, ledger=rows,
        )  # fmt: skip
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said_of = " ".join(str(error).split())[:160]
        raise InputError(
            f"{path} is no JSON export of a memory ({said_of}): give a file that `graphmem export` wrote"
        ) from error


def _moment(said: str) -> str:
    return iso(datetime.fromisoformat(said))


def _turns(session: Mapping[str, Any], positions: list[int]) -> list[dict[str, Any]]:
    return placed(
        [
            TurnRecord.model_validate(
                turn | {"key": turn_key(session["id"], turn["id"]), "session": session["id"], "position": position}
            )
            for turn, position in zip(session["turns"], positions, strict=True)
        ]
    )


def _row(item: Mapping[str, Any]) -> Row:
    salt = item["salt"]
    return Row(
        int(item["seq"]), int(item["seq"]), item["id"], item["operation"], item["at"], item["actor"], item["role"],
        item["type"], tuple(item["subjects"]), item["commitment"], item["hash"],
        None if salt is None else bytes.fromhex(salt), item["payload"],
    )  # fmt: skip
