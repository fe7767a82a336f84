"""Words of tools, documents and the memory itself that come back in a user's turn, in whatever session they stood before.

Invariant: a region is marked only where at least 40 characters are those of an earlier turn, read again from the graph when
they are compared.  The index holds hashes of pieces and keys of turns, no words; it follows the ledger and may be dropped at
any time.
"""

from __future__ import annotations

from graphmem.model import Session, Turn
from graphmem.sessions.regions import PIECE, echoed_spans, merged
from graphmem.space import Space

FOREIGN = frozenset({"tool", "document", "memory"})
LONGEST = 20_000  # characters of an earlier turn that are looked at
MOST = 20  # earlier turns that one turn is compared with


class Echoes:
    """Which earlier turns of tools and documents a text may repeat."""

    def __init__(self) -> None:
        self._seq = -1
        self._head = ""
        self._pieces: dict[int, str] = {}

    def follow(self, space: Space) -> None:
        """Take in the turns that were recorded since."""
        seq, hash_ = space.ledger.head()
        if self._seq == seq and self._head == hash_:
            return
        if 0 <= self._seq <= seq and (self._seq == 0 or space.ledger.hash_at(self._seq) == self._head):
            for entry in space.ledger.entries(self._seq):
                for turn in (entry.body or {}).get("delta", {}).get("turns", ()):
                    self._add(turn["key"], turn["role"], turn["text"])
        else:
            self._pieces.clear()
            for record in space.graph.turns():
                self._add(record.key, record.role, record.text)
        self._seq, self._head = seq, hash_

    def _add(self, key: str, role: str, text: str) -> None:
        if role in FOREIGN:
            for at in range(0, min(len(text), LONGEST) - PIECE + 1, PIECE):
                self._pieces.setdefault(hash(text[at : at + PIECE]), key)

    def sources(self, text: str) -> list[str]:
        """Keys of the turns that the text may repeat, the first ones first."""
        if not self._pieces:
            return []
        found = (self._pieces.get(hash(text[at : at + PIECE])) for at in range(min(len(text), LONGEST) - PIECE + 1))
        return list(dict.fromkeys(key for key in found if key is not None))[:MOST]


def with_echoes(session: Session, space: Space) -> Session:
    """The session with what its user's turns repeat of earlier sessions marked as quoted."""
    if session.channel in ("remember", "correct") or not any(_may_repeat(turn) for turn in session.turns):
        return session
    index = space.heard if isinstance(space.heard, Echoes) else Echoes()
    space.heard = index
    index.follow(space)
    turns = tuple(_marked(turn, index, space, session.id) if _may_repeat(turn) else turn for turn in session.turns)
    return session if turns == session.turns else session.model_copy(update={"turns": turns})


def _may_repeat(turn: Turn) -> bool:
    return turn.role == "user" and len(turn.text) >= 2 * PIECE


def _marked(turn: Turn, index: Echoes, space: Space, session: str) -> Turn:
    keys = index.sources(turn.text)
    if not keys:
        return turn
    records = space.graph.turns(keys)
    texts = [one.text for one in records if one.role in FOREIGN and one.session != session and one.time <= turn.time]
    found = echoed_spans(turn.text, texts)
    return turn.model_copy(update={"spans": merged([*turn.spans, *found])}) if found else turn
