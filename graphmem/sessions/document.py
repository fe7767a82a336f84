"""A transcript file that is read once: its text, and the JSON in it if it is that.

Invariant: reading never takes anything from the file system but the bytes; the times of a file say nothing about when
something was said.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from graphmem.errors import LimitExceeded, SessionError

MAX_FILE = 1_000_000_000


class Document:
    """A file's name and text, with its JSON value or the reason why it has none."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _loaded(self) -> tuple[Any, str | None]:
        try:
            return loads(self.text), None
        except SessionError as error:
            return None, str(error)

    @property
    def value(self) -> Any:
        """The JSON value, None if the text is no JSON."""
        return self._loaded[0]

    @property
    def fault(self) -> str | None:
        """Why the text is no JSON, with line and column, or None if it is."""
        return self._loaded[1]


def loads(text: str) -> Any:
    """The value of a JSON text; faults are named by line and column."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise SessionError(f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise SessionError("the JSON is nested too deeply to be a transcript") from None
    except ValueError as error:
        # Numbers of thousands of digits and the constants that JSON does not have.
        raise SessionError(f"broken JSON: {error}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def open_document(path: Path) -> Document:
    """Reads a file as UTF-8, with or without a byte order mark (or as UTF-16 if it has one)."""
    try:
        size = path.stat().st_size
        if size <= MAX_FILE:
            with path.open("rb") as file:
                data = file.read(MAX_FILE + 1)  # a pipe or a device has no size before it is read
            size = max(size, len(data))
        if size > MAX_FILE:
            raise LimitExceeded(f"{path.name} is too long, the limit is {MAX_FILE} bytes: split the file")
    except OSError as error:
        raise SessionError(f"{path.name} cannot be read: {error.strerror or error}") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return Document(path.name, data.decode(encoding))
    except UnicodeDecodeError as error:
        raise SessionError(
            f"{path.name} is no {encoding.removesuffix('-sig').upper()} text (byte {error.start}): save it as UTF-8"
        ) from None
