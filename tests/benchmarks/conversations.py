"""Labelled conversations for measuring recall: read from a file, opened as memories, asked.

Two forms are read.  The own one is a list (or one) of `{"id", "sessions", "questions": [{"question", "category", "evidence"}]}`
with sessions as `Memory.ingest` takes them and turn ids as evidence.  The other is that of LoCoMo, which is for measuring
only and no part of the project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True)
class Asked:
    """A question, its group, and the turns that hold its answer."""

    question: str
    category: str
    evidence: tuple[str, ...]


@dataclass
class Conversation:
    """What is taken in, and what is asked of it."""

    id: str
    sessions: list[dict[str, Any]]
    questions: list[Asked] = field(default_factory=list)


def load(path: Path, *, unanswered: bool = False) -> list[Conversation]:
    """All conversations of a file or of the files in a folder; without the questions that have no evidence, unless asked."""
    made = []
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    read = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    for item in (item for content in read for item in (content if isinstance(content, list) else [content])):
        one = _locomo(item) if "conversation" in item else _own(item)
        known = {turn["id"] for session in one.sessions for turn in session["turns"]}
        one.questions = [
            Asked(asked.question, asked.category, kept)
            for asked in one.questions
            if (kept := tuple(turn for turn in dict.fromkeys(asked.evidence) if turn in known)) or unanswered
        ]
        made.append(one)
    return made


def _own(item: dict[str, Any]) -> Conversation:
    asked = [
        Asked(one["question"], str(one.get("category") or one.get("ability")), tuple(one["evidence"]))
        for one in item["questions"]
    ]
    return Conversation(item["id"], item["sessions"], asked)


def _locomo(item: dict[str, Any]) -> Conversation:
    talk, sessions = item["conversation"], []
    numbers = sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        begun = datetime.strptime(talk[f"session_{number}_date_time"].strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        turns = []
        for place, turn in enumerate(talk[f"session_{number}"]):
            picture = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            time = (begun + timedelta(seconds=30 * place)).isoformat()
            turns.append(
                {"id": turn["dia_id"], "role": "user", "speaker": turn["speaker"], "text": turn["text"] + picture, "time": time}
            )
        if turns:
            sessions.append({"id": f"session_{number}", "started": begun.isoformat(), "turns": turns})
    asked = [Asked(one["question"], KINDS[one["category"]], tuple(_ids(one.get("evidence", [])))) for one in item["qa"]]
    return Conversation(item["sample_id"], sessions, asked)


def _ids(entries: list[str]) -> Iterator[str]:
    """Some entries hold several ids, and some are misspelt."""
    for entry in entries:
        for session, turn in re.findall(r"D:?(\d+):(\d+)", entry):
            yield f"D{int(session)}:{int(turn)}"


@contextmanager
def opened(conversation: Conversation, home: Path) -> Iterator[Any]:
    """The memory of a conversation, taken in if the home does not hold it yet."""
    from graphmem import Memory

    with Memory.open(home, user=conversation.id) as memory:
        if not memory.sessions():
            memory.ingest(conversation.sessions)
        yield memory


def turns_of(hits: Any) -> list[str]:
    """The turns that hits show, each once, best first; a statement stands for the turns it rests on."""
    shown = ([item.turn for item in hit.statement.evidence] if hit.statement is not None else [hit.turn.id] for hit in hits)
    return list(dict.fromkeys(turn for turns in shown for turn in turns))
