"""Digests of sessions and turns that come without ids: the same data have the same digest, wherever they are read.

Invariant: whoever has such a digest can test a guess of the words, so it is no id that may be kept.  It stands for an id only
until the session reaches a memory, which makes ids of its own of it, under its secret (`graphmem.recorded`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from graphmem.model import iso
from graphmem.records import key

TURN, SESSION = "turn", "session"  # what ids that were made begin with
_MADE = re.compile(rf"(?:{TURN}|{SESSION})_[0-9a-f]{{24}}")


def looks_made(id: str) -> bool:
    """Whether an id has the form of one that nobody gave."""
    return _MADE.fullmatch(id) is not None


def turn_digest(position: int, role: str, speaker: str, text: str, time: datetime) -> str:
    """The digest of a turn, of its words as they may be kept."""
    return key(TURN, str(position), role, speaker, text, iso(time))


def session_digest(started: datetime, topic: str, turns: Iterable[tuple[str, str, str, str]]) -> str:
    """The digest of a session, of the id, role, speaker and words of each of its turns as they may be kept."""
    return key(SESSION, iso(started), topic, *(part for turn in turns for part in turn))
