"""Transcripts as people write them: `Name: text` lines under optional `# 2026-05-14T10:30Z` headings.

Invariant: a line that opens no turn and no session belongs to the turn before it, so nothing of the file is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from graphmem.errors import SessionError
from graphmem.model import ROLES
from graphmem.sessions.document import Document
from graphmem.sessions.parsing import shown

_HEADING = re.compile(r"#+\s*(\d{4}-\d\d-\d\d\S*(?: \d\d:\d\d\S*)?)\s*(.*)")
_TITLE = re.compile(r"#+\s+(\S.*)")
_NAME = re.compile(r"([^\W\d_][\w.'’-]{0,40}(?: [^\W\d_][\w.'’-]{0,40}){0,3})\s?:(?:\s+(.*)|$)")
ROLE_NAMES = {role: role for role in ROLES} | {"human": "user", "ai": "assistant", "bot": "assistant"}


def misfit(document: Document) -> str | None:
    """Why the document is no transcript of `Name: text` lines."""
    opened = False
    for line in document.text.splitlines():
        if _speech(line):
            return None
        if not line.strip() or line.startswith("#"):
            opened = True
            continue
        return "the first line is neither a `# time` heading nor `Name: text`"
    return "no `Name: text` line" if opened else "no text"


def sessions(document: Document) -> Iterator[Any]:
    """A session for each heading with a time; what comes before the first heading is one of its own."""
    data: dict[str, Any] = {"turns": []}
    for number, line in enumerate(document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        heading, title, speech = _HEADING.fullmatch(line.rstrip()), _TITLE.fullmatch(line.rstrip()), _speech(line)
        if heading:
            if data["turns"]:
                yield _closed(data)
            data = {"started": _time(heading[1], number), "turns": []} | ({"topic": heading[2]} if heading[2] else {})
        elif speech:
            data["turns"].append(speech)
        elif data["turns"]:
            data["turns"][-1]["text"] += "\n" + line
        elif title:
            data["topic"] = title[1]
        elif line.strip():
            raise SessionError(f"line {number}: {shown(line)} comes before any `Name: text` line")
    if data["turns"]:
        yield _closed(data)


def _speech(line: str) -> dict[str, Any] | None:
    match = _NAME.match(line)
    if match is None:
        return None
    role = ROLE_NAMES.get(match[1].lower())
    if role is not None:
        return {"role": role, "text": match[2] or ""}
    # "https://…" and "ps: …" are no names; a name begins with a capital, or with a letter that has none.
    if match[1][0].islower():
        return None
    return {"role": "user", "speaker": match[1], "text": match[2] or ""}


def _closed(data: dict[str, Any]) -> dict[str, Any]:
    turns = [turn | {"text": turn["text"].strip()} for turn in data["turns"]]
    return data | {"turns": [turn for turn in turns if turn["text"]]}


def _time(text: str, number: int) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise SessionError(f"line {number}: {shown(text)} is no time such as 2026-05-14T10:30Z") from None
