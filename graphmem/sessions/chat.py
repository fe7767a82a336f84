"""Chat messages as the APIs of OpenAI and Anthropic take them: a list of role and content, or {"messages": [...]}.

Invariant: only words become turns.  Calls of tools, pictures and hidden reasoning are left out; what a tool returned is
a turn of role `tool`, also where the API puts it into a message of the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from graphmem.errors import SessionError
from graphmem.model import ROLES
from graphmem.sessions.document import Document
from graphmem.sessions.parsing import kind_of, shown

ALIASES = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant", "model": "assistant"}
TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
RESULT_PARTS = ("tool_result", "function_call_output", "web_search_tool_result")
DOCUMENT_PARTS = ("document", "file", "input_file")
TIMES = ("time", "timestamp", "created_at", "create_time")


def misfit(document: Document) -> str | None:
    """Why the document is no list of messages."""
    if document.fault:
        return document.fault
    value = document.value
    if isinstance(value, Mapping):
        value = value.get("messages")
    if not isinstance(value, list) or not value:
        return "no list of messages"
    if not all(isinstance(item, Mapping) and "role" in item for item in value):
        return "a message without `role`"
    if not any(set(item) & {"content", "parts", "text", "tool_calls"} for item in value):
        return "no message with `content`"
    return None


def sessions(document: Document) -> Iterator[Any]:
    """The one session of a list of messages."""
    yield session_of_messages(document.value)


def session_of_messages(value: Any) -> dict[str, Any]:
    """A session from messages, with what their envelope says about it."""
    envelope: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    messages = envelope.get("messages") if envelope else value
    if not isinstance(messages, list):
        raise SessionError(f"`messages` must be a list, not {kind_of(messages)}")
    turns = [turn for number, message in enumerate(messages, 1) for turn in _turns(message, number)]
    data: dict[str, Any] = {"turns": turns}
    started = envelope.get("started") or time_of(envelope)
    if started is None:
        started = next((turn["time"] for turn in turns if turn.get("time")), None)
    if started is not None:
        data["started"] = started
    for field in ("id", "channel"):
        if isinstance(envelope.get(field), str):
            data[field] = envelope[field]
    topic = envelope.get("topic") or envelope.get("title")
    return data | ({"topic": topic} if isinstance(topic, str) else {})


def time_of(data: Mapping[str, Any]) -> Any:
    """A time under one of its usual names; numbers are seconds since 1970."""
    value = next((data[field] for field in TIMES if data.get(field) is not None), None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return moment(value)


def moment(seconds: float) -> datetime:
    """A time from seconds (or, if it must be, milliseconds) since 1970."""
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (OverflowError, ValueError, OSError):
        raise SessionError(f"{shown(seconds)} seconds since 1970 lie outside the calendar") from None


def _turns(message: Any, number: int) -> Iterator[dict[str, Any]]:
    where = f"message {number}"
    if not isinstance(message, Mapping):
        raise SessionError(f"{where} must be an object with `role` and `content`, not {kind_of(message)}")
    role = message.get("role")
    role = ALIASES.get(role, role) if isinstance(role, str) else role
    if role not in ROLES:
        raise SessionError(f"{where}: unknown role {shown(role)}; roles are {', '.join((*ROLES, *ALIASES))}")
    content = next((message[field] for field in ("content", "parts", "text") if message.get(field) is not None), None)
    for kind, text in _pieces(content, str(role), where):
        if not text.strip():
            continue
        turn: dict[str, Any] = {"role": kind, "text": text}
        time = time_of(message)
        if time is not None:
            turn["time"] = time
        if isinstance(message.get("name"), str) and kind == "user":
            turn["speaker"] = message["name"]
        yield turn


def _pieces(content: Any, role: str, where: str) -> list[tuple[str, str]]:
    """(role, text) of the parts of a content, neighbours of one role joined."""
    if content is None:
        return []
    if isinstance(content, str):
        return [(role, content)]
    if not isinstance(content, list):
        raise SessionError(f"{where}: `content` must be text or a list of parts, not {kind_of(content)}")
    pieces: list[tuple[str, str]] = []
    for part in content:
        kind, text = _piece(part, role, where)
        if not text:
            continue
        if pieces and pieces[-1][0] == kind:
            text = pieces.pop()[1] + "\n" + text
        pieces.append((kind, text))
    return pieces


def _piece(part: Any, role: str, where: str) -> tuple[str, str]:
    if isinstance(part, str):
        return role, part
    if not isinstance(part, Mapping):
        raise SessionError(f"{where}: a part of `content` must be text or an object, not {kind_of(part)}")
    kind = part.get("type")
    text = part.get("text")
    if kind in RESULT_PARTS:
        return "tool", words(part.get("content", part.get("output")))
    if kind in DOCUMENT_PARTS:
        return "document", words(part.get("source", part.get("content", text)))
    if (kind in TEXT_PARTS or kind is None) and isinstance(text, str):
        return role, text
    return role, ""


def words(value: Any) -> str:
    """All text parts of a value, however they are wrapped."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if value.get("type") in ("base64", "url", "image"):
            return ""
        return next((words(value[field]) for field in ("text", "content", "data") if field in value), "")
    if isinstance(value, Sequence):
        return "\n".join(text for text in map(words, value) if text)
    return ""
