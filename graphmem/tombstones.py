"""Tombstones: what was forgotten, known again by a keyed digest of its words, so that it is not taken in anew.

Invariant: a tombstone holds no word.  It is an HMAC-SHA-256 under a key of the space, over user, space and words in their
plainest form, so that whoever has a tombstone and not the key cannot try phrases.  The same words in another case, spacing,
punctuation or Unicode form are known again, and so are they in letters that look alike, or with characters inside that show
nothing; a paraphrase is not, and numbers always count.  Where such words can be read in several ways each reading has a mark of
its own, the first as it always was, so that registers of earlier releases hold.
Of a few words alone ("yes", "in Lisbon") nothing follows wherever else they are said: those have a tombstone only together
with the statement that they made, or with the place in which they stood.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.lookalikes import INVISIBLE, skeleton
from graphmem.model import Turn
from graphmem.records import TurnRecord
from graphmem.records import key as key_of
from graphmem.sessions.digests import looks_made, session_digest, turn_digest

FEWEST_WORDS, FEWEST_LETTERS = 3, 10  # of words that are looked for wherever they are said
WHOLE_TURN = 6  # words of a turn that is known again as a whole
_IDEOGRAPH = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # written without spaces: each is a word
_UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_RUN = re.compile(rf"[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}])[^\W_]|[\u0300-\u036f{_UNSEEN}])+")
_HIDDEN = re.compile(rf"[{_UNSEEN}]")
_LETTERS = re.compile(r"[^\W_]+")
_HID = INVISIBLE.pattern
# The same where any character that shows nothing is none, and where it parts words as a space does.
_CLOSED = re.compile(rf"(?!{_HID})[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}])[^\W_]|[\u0300-\u036f]|{_HID})+")
_PARTED = re.compile(rf"(?!{_HID})[{_IDEOGRAPH}]|(?:(?!{_HID})(?:(?![{_IDEOGRAPH}])[^\W_]|[\u0300-\u036f]))+")


class Word(NamedTuple):
    """A word in its plainest form, and where it stands."""

    form: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of a text: compatibility form, case folded, without punctuation, numbers kept."""
    found = []
    for run in _RUN.finditer(text):
        plain = run.group()
        if not plain.isascii():
            plain = _HIDDEN.sub("", unicodedata.normalize("NFKC", plain))
            plain = unicodedata.normalize("NFKC", plain.casefold())
        found += [Word(part, run.start(), run.end()) for part in _LETTERS.findall(plain.casefold())]
    return found


def readings_of(text: str) -> list[list[Word]]:
    """The words of a text as they are written, and in each other way in which they can be read as others see them."""
    found = [words_of(text)]
    if text.isascii():
        return found
    for pattern in (_CLOSED, _PARTED):
        words = []
        for run in pattern.finditer(text):
            plain = unicodedata.normalize("NFKC", skeleton(run.group()).casefold())
            words += [Word(part, run.start(), run.end()) for part in _LETTERS.findall(plain)]
        if all([word.form for word in words] != [word.form for word in one] for one in found):
            found.append(words)
    return found


def norm(text: str) -> str:
    """A text in the form over which its tombstone is taken."""
    return _joined(words_of(text))


def norms(text: str) -> list[str]:
    """A text in all forms over which its tombstones are taken, that of `norm` first."""
    return [_joined(words) for words in readings_of(text)]


def _joined(words: Iterable[Word]) -> str:
    return " ".join(word.form for word in words)


class Marker(NamedTuple):
    """What makes the digests of one space."""

    key: bytes
    user: str
    space: str

    def _mark(self, *parts: str) -> str:
        data = [part.encode("utf-8", "replace") for part in (*parts[:-1], self.user, self.space, parts[-1])]
        return hmac.digest(self.key, b"".join(b"%d:%s" % (len(part), part) for part in data), "sha256").hex()

    def statement(self, predicate: str, text: str) -> str:
        """The mark of a statement."""
        return self.statements(predicate, text)[0]

    def statements(self, predicate: str, text: str) -> list[str]:
        """The marks of a statement in each way in which it can be read."""
        return [self._mark("statement", predicate, plain) for plain in norms(text)]

    def words(self, plain: str) -> str:
        """The mark of words that are in their plainest form already."""
        return self._mark("quote", plain)

    def quote(self, text: str) -> str:
        """The mark of words as they were said."""
        return self.words(norm(text))

    def quotes(self, text: str) -> list[str]:
        """The marks of words in each way in which they can be read."""
        return [self.words(plain) for plain in norms(text)]

    def places(self, id: str, started: datetime, turns: Sequence[Turn | TurnRecord]) -> Places:
        """The marks by which a session and its turns are known as places under whatever ids they come.

        Ids that nobody gave are made under a secret that goes with everything else, or is another in another memory; a place
        that had such an id is known by what stood in it.

        Args:
            id: of the session.
            started: when it began.
            turns: all of its turns, in their places.
        """
        named = id
        if looks_made(id):
            named = session_digest(started, "", (("", turn.role, turn.speaker or "", turn.text) for turn in turns))
        marks = {
            turn.id: self._mark("place", named, turn_digest(place, turn.role, turn.speaker or "", turn.text, turn.time))
            for place, turn in enumerate(turns)
            if looks_made(turn.id)
        }
        return Places(None if named == id else self._mark("place", named), marks)


class Places(NamedTuple):
    """The marks of a session and of its turns, by id, that have no ids of their own."""

    session: str | None
    turns: Mapping[str, str]


class Tombs(NamedTuple):
    """The tombstones of one erasure: no text, only digests, numbers of words, and places in turns by key."""

    statements: frozenset[str] = frozenset()
    quotes: Mapping[str, int] = {}
    turns: frozenset[str] = frozenset()
    places: Mapping[str, tuple[tuple[int, int, str], ...]] = {}

    def dump(self) -> dict[str, Any]:
        """As it is kept in the ledger and in the register."""
        return {
            "statements": sorted(self.statements),
            "quotes": sorted([mark, count] for mark, count in self.quotes.items()),
            "turns": sorted(self.turns),
            "places": {key: sorted(map(list, spans)) for key, spans in sorted(self.places.items())},
        }

    @classmethod
    def load(cls, said: Mapping[str, Any]) -> Tombs:
        """What `dump` gave."""
        return cls(
            frozenset(said.get("statements", ())),
            {mark: int(count) for mark, count in said.get("quotes", ())},
            frozenset(said.get("turns", ())),
            {
                key: tuple((int(start), int(end), str(mark)) for start, end, mark in spans)
                for key, spans in said.get("places", {}).items()
            },
        )


def topic_key(session: str) -> str:
    """By what the topic of a session is known among places."""
    return key_of("topic", session)


def channel_key(session: str) -> str:
    """By what the channel of a session is known among places."""
    return key_of("channel", session)


def entomb(
    marker: Marker, *, statements: Iterable[tuple[str, str]], quotes: Iterable[str], turns: Mapping[str, tuple[str, Any]]
) -> Tombs:
    """The tombstones of what goes.

    Args:
        marker: of the space.
        statements: predicate and text of each statement.
        quotes: words that are to be known wherever they are said; short ones are left out.
        turns: by key the text of a turn, or the topic or channel of a session, and the ranges that go, None for all of it.
    """
    known, whole, places = {}, set(), {}
    for plain in {plain for text in quotes for plain in norms(text)}:
        if plain.count(" ") + 1 >= FEWEST_WORDS and len(plain) >= FEWEST_LETTERS:
            known[marker.words(plain)] = plain.count(" ") + 1
    for key, (text, spans) in turns.items():
        if spans is None and len(words_of(text)) >= WHOLE_TURN:
            whole.update(marker.quotes(text))
        ranges = [(0, len(text))] if spans is None else spans
        places[key] = tuple((start, end, mark) for start, end in sorted(ranges) for mark in marker.quotes(text[start:end]))
    return Tombs(
        frozenset(mark for predicate, text in statements for mark in marker.statements(predicate, text)),
        known,
        frozenset(whole),
        places,
    )


class Passage(NamedTuple):
    """Words in a turn that were forgotten, and by which marks they are known."""

    start: int
    end: int
    marks: frozenset[str]


class Tombstones:
    """All that holds of a space's tombstones, asked about words that are to be taken in.

    Args:
        marker: of the space.
        tombs: of each erasure.
    """

    def __init__(self, marker: Marker, tombs: Iterable[Tombs]) -> None:
        self.marker = marker
        self._statements: frozenset[str] = frozenset()
        self._quotes: dict[str, int] = {}
        self._turns: set[str] = set()
        self._places: dict[str, set[tuple[int, int, str]]] = {}
        for one in tombs:
            self.add(one)

    def add(self, tombs: Tombs) -> None:
        """Take in the tombstones of an erasure."""
        self._statements |= tombs.statements
        self._quotes |= tombs.quotes
        self._turns |= tombs.turns
        for key, spans in tombs.places.items():
            self._places.setdefault(key, set()).update(spans)

    def lift(self, marks: Iterable[str]) -> None:
        """Forget the tombstones with these marks: their owner allows the words again."""
        gone = set(marks)
        self._statements -= gone
        self._turns -= gone
        self._quotes = {mark: count for mark, count in self._quotes.items() if mark not in gone}
        self._places = {key: {item for item in spans if item[2] not in gone} for key, spans in self._places.items()}

    def __bool__(self) -> bool:
        return bool(self._statements or self._quotes or self._turns or any(self._places.values()))

    def statement(self, predicate: str, text: str) -> frozenset[str]:
        """The marks by which a statement is known to have been forgotten; none if it was not."""
        return self._statements.intersection(self.marker.statements(predicate, text)) if self._statements else frozenset()

    def passages(self, key: str | None, text: str, place: str | None = None) -> list[Passage]:
        """The words of a turn that were forgotten; by its `key`, or the mark of its `place`, its own are known."""
        known = {*self._kept(key, text), *self._kept(place, text)}
        found = [Passage(start, end, frozenset({mark})) for start, end, mark in sorted(known)]
        counts = sorted(set(self._quotes.values()))
        for words in readings_of(text):
            if self._turns and len(words) >= WHOLE_TURN:
                mark = self.marker.words(_joined(words))
                found += [Passage(0, len(text), frozenset({mark}))] if mark in self._turns else []
            for count in counts:
                for first in range(len(words) - count + 1):
                    part = words[first : first + count]
                    mark = self.marker.words(_joined(part))
                    if mark in self._quotes:
                        found.append(Passage(part[0].start, part[-1].end, frozenset({mark})))
        return _merged(found)

    def _kept(self, key: str | None, text: str) -> Iterator[tuple[int, int, str]]:
        """The places that were forgotten in a turn of this key, where the same words stand in them."""
        for start, end, mark in sorted(self._places.get(key or "", ())):
            if end <= len(text) and mark in self.marker.quotes(text[start:end]) and any(norms(text[start:end])):
                yield start, end, mark


def _merged(passages: Iterable[Passage]) -> list[Passage]:
    """Passages in order, those that overlap as one."""
    found: list[Passage] = []
    for one in sorted(passages, key=lambda item: item[:2]):
        if found and one.start < found[-1].end:
            last = found[-1]
            found[-1] = Passage(last.start, max(last.end, one.end), last.marks | one.marks)
        else:
            found.append(one)
    return found
