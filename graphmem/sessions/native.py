"""Sessions in the project's own shape: one JSON object, a list of them, or one a line (JSONL)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.errors import SessionError
from graphmem.sessions import chat
from graphmem.sessions.document import Document, loads


def json_misfit(document: Document) -> str | None:
    """Why the document is no session and no list of sessions in JSON."""
    if document.fault:
        return document.fault
    value = document.value
    if isinstance(value, list):
        if not value:
            return "the list is empty"
        value = value[0]
    if not isinstance(value, Mapping):
        return "no object with `turns`"
    # A misspelt or missing `turns` is told by the parser, if the rest looks like a session.
    return None if {"turns", "started"} & set(value) else "no object with `turns`"


def json_sessions(document: Document) -> Iterator[Any]:
    """The sessions of a JSON document."""
    if document.fault:
        raise SessionError(document.fault)
    if isinstance(document.value, list):
        yield from document.value
    else:
        yield document.value


def jsonl_misfit(document: Document) -> str | None:
    """Why the document is not one JSON object a line."""
    first = next((line for line in document.text.split("\n") if line.strip()), "")
    if not first.lstrip().startswith("{"):
        return "the first line is no JSON object"
    try:
        value = loads(first)
    except SessionError as error:
        return f"line 1: {error}"
    return None if {"turns", "started", "messages"} & set(value) else "no `turns` and no `messages` in line 1"


def jsonl_sessions(document: Document) -> Iterator[Any]:
    """The sessions of a JSONL document; a line with `messages` is a chat."""
    for number, line in enumerate(document.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except SessionError as error:
            raise SessionError(f"line {number}: {str(error).replace(' at line 1,', ' at')}") from None
        yield chat.session_of_messages(value) if isinstance(value, Mapping) and "messages" in value else value
