"""The ChatGPT data export (`conversations.json`): conversations as trees of messages.

Invariant: of each tree only the path that ends in `current_node` was the conversation; branches that were edited away
are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.errors import SessionError
from graphmem.sessions.chat import moment
from graphmem.sessions.document import Document
from graphmem.sessions.parsing import shown

ROLES = ("user", "assistant", "tool", "system")
HIDDEN = ("user_editable_context", "model_editable_context", "thoughts", "reasoning_recap")


def misfit(document: Document) -> str | None:
    """Why the document is no ChatGPT export."""
    if document.fault:
        return document.fault
    found = _conversations(document.value)
    if not found or not all(isinstance(item, Mapping) and isinstance(item.get("mapping"), Mapping) for item in found):
        return "no conversations with a `mapping`"
    return None


def sessions(document: Document) -> Iterator[Any]:
    """One session for each conversation in which something was said."""
    for conversation in _conversations(document.value):
        data = _session(conversation)
        if data["turns"]:
            yield data


def _conversations(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _session(conversation: Mapping[str, Any]) -> dict[str, Any]:
    created = _number(conversation.get("create_time"))
    latest = moment(created) if created is not None else None
    turns: list[dict[str, Any]] = []
    for node in _path(conversation["mapping"], conversation.get("current_node")):
        turn = _turn(node.get("message"))
        if turn is None:
            continue
        latest = turn.get("time", latest)
        # A message without a time was not said before the one it follows.
        turns.append(turn | ({"time": latest} if latest is not None else {}))
    data: dict[str, Any] = {"turns": turns}
    started = moment(created) if created is not None else next((t["time"] for t in turns if "time" in t), None)
    if started is not None:
        data["started"] = started
    for field in ("conversation_id", "id"):
        if isinstance(conversation.get(field), str):
            data.setdefault("id", conversation[field])
    if isinstance(conversation.get("title"), str):
        data["topic"] = conversation["title"]
    return data


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 else None


def _path(mapping: Mapping[str, Any], leaf: Any) -> list[Mapping[str, Any]]:
    """The nodes from the root to the leaf; without a leaf, to the one that was written last."""
    if leaf is None:
        nodes = [node for node in mapping.values() if isinstance(node, Mapping)]
        parents = {node["parent"] for node in nodes if isinstance(node.get("parent"), str)}
        leaves = [name for name in mapping if name not in parents]
        leaf = max(leaves, key=lambda name: (_written(mapping[name]), name), default=None)
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while leaf is not None:
        node = mapping.get(leaf) if isinstance(leaf, str) else None
        if not isinstance(node, Mapping):
            raise SessionError(f"the conversation names the node {shown(leaf)}, which it does not have")
        if leaf in seen:
            raise SessionError(f"the conversation runs in a circle at node {shown(leaf)}")
        seen.add(leaf)
        path.append(node)
        leaf = node.get("parent")
    return path[::-1]


def _written(node: Any) -> float:
    message = node.get("message") if isinstance(node, Mapping) else None
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return _number(time) or 0.0


def _turn(message: Any) -> dict[str, Any] | None:
    if not isinstance(message, Mapping):
        return None
    author, content, extra = (message.get(field) for field in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, Mapping) else None
    hidden = isinstance(extra, Mapping) and extra.get("is_visually_hidden_from_conversation") is True
    if role not in ROLES or not isinstance(content, Mapping) or hidden or content.get("content_type") in HIDDEN:
        return None
    # What the assistant addressed to a tool is a call, not speech.
    if role == "assistant" and message.get("recipient") not in (None, "all"):
        return None
    text = _text(content)
    if not text.strip():
        return None
    turn: dict[str, Any] = {"role": role, "text": text}
    if isinstance(message.get("id"), str):
        turn["id"] = message["id"]
    time = _number(message.get("create_time"))
    if time is not None:
        turn["time"] = moment(time)
    return turn


def _text(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        parts = [content.get("text")]
    texts = [part if isinstance(part, str) else part.get("text") if isinstance(part, Mapping) else None for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str) and text)
