"""The formats that transcripts come in, and reading a file or a folder in one of them.

Each format is a module with two functions: why a document does not fit, and the sessions of one that does.
Invariant: detection asks every format in the order below and takes the first that fits; a file that fits none is refused
with the reason of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.checks import brief
from graphmem.errors import GraphmemError, InputError, LimitExceeded, NaiveTime, SessionError, UnknownFormat
from graphmem.model import Session
from graphmem.sessions import chat, chatgpt, claude, locomo, native, plain
from graphmem.sessions.document import Document, open_document
from graphmem.sessions.parsing import session_of


class Format(NamedTuple):
    """`misfit` says why a document is not in this format (None: it is); `sessions` gives its sessions as mappings."""

    misfit: Callable[[Document], str | None]
    sessions: Callable[[Document], Iterator[Any]]


FORMATS: dict[str, Format] = {
    "chatgpt": Format(chatgpt.misfit, chatgpt.sessions),
    "claude": Format(claude.misfit, claude.sessions),
    "locomo": Format(locomo.misfit, locomo.sessions),
    "json": Format(native.json_misfit, native.json_sessions),
    "chat": Format(chat.misfit, chat.sessions),
    "jsonl": Format(native.jsonl_misfit, native.jsonl_sessions),
    "text": Format(plain.misfit, plain.sessions),
}


def check_format(format: object) -> None:
    """InputError unless there is a format of this name."""
    if format != "auto" and (not isinstance(format, str) or format not in FORMATS):
        raise InputError(f"unknown format {brief(format)}: formats are auto, {', '.join(FORMATS)}")


def read(path: str | Path, format: str = "auto", *, default_started: datetime | None = None) -> Iterator[Session]:
    """The sessions of a transcript file, or of all files of a folder in the order of their names.

    Args:
        path: a file, or a folder (hidden files and folders in it are passed over).
        format: a name in `FORMATS`, or `auto`.
        default_started: start of sessions that bring none; the times of the file itself are never used.

    Raises:
        UnknownFormat: the file is empty or in no known format.
        SessionError: the file cannot be read, or a session in it is faulty.
    """
    check_format(format)
    if default_started is not None and default_started.utcoffset() is None:
        raise NaiveTime("the start time that was passed has no offset from UTC: add one, such as Z or +02:00")
    place = Path(path)
    if not place.exists():
        raise SessionError(f"{place} does not exist: check the path")
    return _read(_files(place), format, default_started)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    files = sorted(item for item in place.iterdir() if item.is_file() and not item.name.startswith("."))
    if not files:
        raise SessionError(f"the folder {place} holds no files")
    return files


def _read(files: list[Path], format: str, default_started: datetime | None) -> Iterator[Session]:
    for path in files:
        document = open_document(path)
        if not document.text.strip():
            raise UnknownFormat(f"{path.name} is empty: there is no session in it")
        try:
            found = 0
            for data in _format_of(document, format).sessions(document):
                found += 1
                yield session_of(data, default_started=default_started)
            if not found:
                raise SessionError("nothing was said in it")
        except (SessionError, NaiveTime, LimitExceeded) as error:
            raise _named(error, path.name) from None
        except RecursionError:
            raise SessionError(f"{path.name}: nested too deeply to be a transcript") from None


def _named(error: GraphmemError, name: str) -> GraphmemError:
    message = str(error)
    return error if message.startswith(name) else type(error)(f"{name}: {message}")


def _format_of(document: Document, format: str) -> Format:
    """The format that was asked for, or the first one that fits."""
    names = list(FORMATS) if format == "auto" else [format]
    reasons: dict[str, str] = {}
    for name in names:
        reason = FORMATS[name].misfit(document)
        if reason is None:
            return FORMATS[name]
        reasons[name] = reason
    if document.fault and document.text.lstrip()[:1] in ("{", "[") and format != "text":
        raise SessionError(document.fault)
    tried = "; ".join(f"{name} ({reason})" for name, reason in reasons.items())
    raise UnknownFormat(f"{document.name} is in no known format; tried {tried}")
