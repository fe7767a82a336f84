"""Words of tools, documents and the memory itself that come back in a user's turn, in whatever session they stood before.

Invariant: a region is marked only where at least 40 characters are those of an earlier turn, read again from the graph when
they are compared.  The index holds hashes of pieces and keys of turns, no words; it follows the ledger and may be dropped at
any time.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from graphmem.chain import Entry
from graphmem.model import Session, Turn
from graphmem.sessions.regions import PIECE, as_pasted, echoed_spans, merged
from graphmem.space import Space

FOREIGN = frozenset({"tool", "document", "memory"})
LONGEST = 200_000  # characters of a user's turn that are looked at
WINDOWS = 20_000  # pieces of one earlier turn, spread over all of it
SHARED = 3  # earlier turns that are kept for one piece
MOST = 20  # earlier turns that one turn is compared with


class Echoes:
    """Which earlier turns of tools and documents a text may repeat."""

    def __init__(self) -> None:
        self._seq = -1
        self._head = ""
        self._pieces: dict[int, tuple[str, ...]] = {}

    def follow(self, space: Space) -> None:
        """Take in the turns that were recorded since."""
        seq, hash_ = space.ledger.head()
        if self._seq == seq and self._head == hash_:
            return
        known = 0 <= self._seq <= seq and (self._seq == 0 or space.ledger.hash_at(self._seq) == self._head)
        if not known or not self._take(space.ledger.entries(self._seq)):
            self._pieces.clear()
            for record in space.graph.turns():
                self._add(record.key, record.role, record.text)
        self._seq, self._head = seq, hash_

    def _take(self, entries: Iterable[Entry]) -> bool:
        """Take in what was recorded; False where something was erased, whose keys would stand before those that are left."""
        for entry in entries:
            if entry.type == "erased":
                return False
            for turn in (entry.body or {}).get("delta", {}).get("turns", ()):
                self._add(turn["key"], turn["role"], turn["text"])
        return True

    def _add(self, key: str, role: str, text: str) -> None:
        if role not in FOREIGN:
            return
        plain = as_pasted(text)
        # Every so many pieces only where a turn is longer than those; longer echoes of it are found still.
        step = PIECE * max(1, -(-len(plain) // (PIECE * WINDOWS)))
        for at in range(0, len(plain) - PIECE + 1, step):
            piece = hash(plain[at : at + PIECE])
            keys = self._pieces.get(piece, ())
            if len(keys) < SHARED and key not in keys:
                self._pieces[piece] = (*keys, key)

    def sources(self, text: str) -> list[str]:
        """Keys of the turns that the text may repeat, the first ones first."""
        if not self._pieces:
            return []
        plain = as_pasted(text[:LONGEST])
        found = (self._pieces.get(hash(plain[at : at + PIECE]), ()) for at in range(len(plain) - PIECE + 1))
        return list(dict.fromkeys(key for keys in found for key in keys))[:MOST]


# The index of each open space goes with it.
_HEARD: WeakKeyDictionary[Space, Echoes] = WeakKeyDictionary()


def with_echoes(session: Session, space: Space) -> Session:
    """The session with what its user's turns repeat of earlier sessions marked as quoted."""
    if session.channel in ("remember", "correct") or not any(_may_repeat(turn) for turn in session.turns):
        return session
    index = _HEARD.setdefault(space, Echoes())
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
