"""The Claude data export: conversations with `chat_messages` of a sender.

Invariant: what a file that was attached says is a turn of role `document`, never the user's own word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.errors import SessionError
from graphmem.sessions.document import Document
from graphmem.sessions.parsing import kind_of, shown

SENDERS = {"human": "user", "user": "user", "assistant": "assistant"}


def misfit(document: Document) -> str | None:
    """Why the document is no Claude export."""
    if document.fault:
        return document.fault
    found = document.value if isinstance(document.value, list) else [document.value]
    if not found or not all(isinstance(item, Mapping) and isinstance(item.get("chat_messages"), list) for item in found):
        return "no conversations with `chat_messages`"
    return None


def sessions(document: Document) -> Iterator[Any]:
    """One session for each conversation in which something was said."""
    for conversation in document.value if isinstance(document.value, list) else [document.value]:
        turns = [
            turn
            for number, message in enumerate(conversation["chat_messages"], 1)
            for turn in _turns(message, f"conversation {shown(conversation.get('uuid'))}, message {number}")
        ]
        if not turns:
            continue
        data: dict[str, Any] = {"turns": turns}
        started = conversation.get("created_at") or next((turn["time"] for turn in turns if "time" in turn), None)
        for field, value in (("id", conversation.get("uuid")), ("topic", conversation.get("name")), ("started", started)):
            if value is not None:
                data[field] = value
        yield data


def _turns(message: Any, where: str) -> Iterator[dict[str, Any]]:
    if not isinstance(message, Mapping):
        raise SessionError(f"{where} must be an object with `sender` and `text`, not {kind_of(message)}")
    sender = message.get("sender")
    if not isinstance(sender, str) or sender not in SENDERS:
        raise SessionError(f"{where}: unknown sender {shown(sender)}; senders are {', '.join(SENDERS)}")
    base: dict[str, Any] = {"time": message["created_at"]} if message.get("created_at") is not None else {}
    name = message.get("uuid")
    text = _text(message)
    if text.strip():
        yield base | {"role": SENDERS[sender], "text": text} | ({"id": name} if isinstance(name, str) else {})
    attachments = message.get("attachments")
    for number, attachment in enumerate(attachments if isinstance(attachments, list) else [], 1):
        content = attachment.get("extracted_content") if isinstance(attachment, Mapping) else None
        if isinstance(content, str) and content.strip():
            place = {"id": f"{name}/attachment-{number}"} if isinstance(name, str) else {}
            yield base | {"role": "document", "text": content} | place


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = [
        part.get("text")
        for part in (content if isinstance(content, list) else [])
        if isinstance(part, Mapping) and part.get("type") == "text"
    ]
    joined = "\n".join(part for part in parts if isinstance(part, str) and part)
    text = message.get("text")
    return joined or (text if isinstance(text, str) else "")
