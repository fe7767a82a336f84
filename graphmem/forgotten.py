"""What of a session was forgotten before: it is not taken in again, and its words are not kept.

Invariant: words with a tombstone reach neither ledger nor graph.  They are blanked in their turn as at the erasure, one for
one, and a claim that rests on them or says a forgotten statement is refused with the reason `erased` and without its quote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from graphmem.admission import Admitted
from graphmem.errors import SessionError, WasForgotten
from graphmem.extractors.base import Claim
from graphmem.ledger import Draft
from graphmem.model import Rejection, Session
from graphmem.records import ERASED, TurnRecord, turn_key
from graphmem.register import register_of
from graphmem.space import Space
from graphmem.tombstones import Tombstones, channel_key, topic_key

ERASED_REASON = "erased"


class Forgotten:
    """One session held against the tombstones.

    Args:
        tombstones: that hold now; None where nothing was ever forgotten.
        session: what is to be taken in.
        fresh: the ids of its turns that are not recorded yet; only these can be blanked.
        allow: the owner wants the words kept again: nothing is refused or blanked, and their tombstones are lifted.

    Attributes:
        marks: the tombstones that were met.
    """

    def __init__(self, tombstones: Tombstones | None, session: Session, fresh: Collection[str], *, allow: bool = False) -> None:
        self._tombstones, self._session, self._fresh, self._allow = tombstones, session, fresh, allow
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self.marks: set[str] = set()
        self._topic = self._channel = False
        if tombstones is None:
            return
        places = tombstones.marker.places(session.id, session.started, session.turns)
        for turn in session.turns if fresh else ():
            if turn.id not in fresh:
                continue
            for passage in tombstones.passages(turn_key(session.id, turn.id), turn.text, places.turns.get(turn.id)):
                self._spans.setdefault(turn.id, []).append((passage.start, passage.end))
                self.marks |= passage.marks
        if session.topic:
            found = tombstones.passages(topic_key(session.id), session.topic, places.session)
            self._topic = bool(found)
            self.marks |= {mark for passage in found for mark in passage.marks}
        if session.channel:
            place = None if places.session is None else channel_key(places.session)
            found = tombstones.passages(channel_key(session.id), session.channel, place)
            self._channel = bool(found)
            self.marks |= {mark for passage in found for mark in passage.marks}

    def sift(self, results: Sequence[tuple[Claim, Admitted | Rejection]]) -> list[Admitted | Rejection]:
        """What was admitted and refused, with what was forgotten refused, and passages that no claim rests on told too."""
        if self._tombstones is None:
            return [result for _, result in results]
        passages = {turn: list(spans) for turn, spans in self._spans.items()}
        for claim, result in results:
            if isinstance(result, Rejection):
                continue
            marks = self._tombstones.statement(result.record.predicate, result.record.text)
            if marks:
                self.marks |= marks
                self._spans.setdefault(claim.turn, []).append((claim.start, claim.end))
        if self._allow:
            return [result for _, result in results]
        kept: list[Admitted | Rejection] = []
        for claim, result in results:
            if not _overlaps(self._spans.get(claim.turn, ()), claim.start, claim.end):
                kept.append(result)
                continue
            kept.append(_refused(self._session, claim.turn, claim.rule))
            left = [span for span in passages.get(claim.turn, ()) if not _overlaps([span], claim.start, claim.end)]
            passages[claim.turn] = left
        return [*kept, *self.told(passages)]

    def told(self, passages: Mapping[str, Sequence[tuple[int, int]]] | None = None) -> tuple[Rejection, ...]:
        """The passages as they are reported."""
        found = ({} if self._allow else self._spans) if passages is None else passages
        return tuple(_refused(self._session, turn, "passage") for turn, spans in found.items() for _ in spans)

    def kept(
        self, session: Session, turns: list[TurnRecord], fresh: list[TurnRecord], *, own: bool = False
    ) -> tuple[Session, list[TurnRecord], list[TurnRecord]]:
        """The session, its turns and the new ones among them without the words that were forgotten.

        Raises:
            WasForgotten: it is the owner's `own` act that says them.
        """
        if not self.marks or self._allow:
            return session, turns, fresh
        if own:
            raise WasForgotten(
                "these words were forgotten at their owner's wish and are not kept again: if they should be kept after all, "
                "repeat with --allow-forgotten (allow=True)"
            )
        left = {t.id: _without(t.text, self._spans.get(t.id, ())) for t in session.turns if t.id in self._fresh}
        shown = tuple(turn.model_copy(update={"text": left.get(turn.id, turn.text)}) for turn in session.turns)
        turns = [turn.model_copy(update={"text": left.get(turn.id, turn.text)}) for turn in turns]
        known = {turn.key for turn in fresh}
        gone = ({"topic": None} if self._topic else {}) | ({"channel": None} if self._channel else {})
        return session.model_copy(update={"turns": shown, **gone}), turns, [turn for turn in turns if turn.key in known]

    def lifted(self, space: Space, now: datetime) -> list[Draft]:
        """Lift the tombstones of what the owner wants kept again; the entry that says so."""
        if not self._allow or not self.marks:
            return []
        register_of(space).allow(self.marks, name=f"{self._session.id}/{now.isoformat()}", at=now)
        return [Draft("allowed", (self._session.id,), {"marks": sorted(self.marks)})]


def check_whole(turns: Iterable[TurnRecord], stored: Mapping[str, TurnRecord]) -> None:
    """SessionError if turns say what was forgotten of them as they are recorded, by key: those stay as they are."""
    for turn in turns:
        if turn.key in stored and ERASED in stored[turn.key].text and stored[turn.key].text != turn.text:
            raise SessionError(
                f"session {turn.session!r} is recorded, and what was forgotten of it cannot be put back in its place: say it "
                "anew with `remember --allow-forgotten` (allow=True), or take the conversation in under another id"
            )


def is_blank(text: str) -> bool:
    """Whether nothing is left of a turn."""
    return set(text) <= {ERASED, " "}


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in spans:
        chars[start:end] = ERASED * (end - start)
    return "".join(chars)


def _overlaps(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    return any(low < end and start < high for low, high in spans)


def _refused(session: Session, turn: str, rule: str | None) -> Rejection:
    return Rejection(reason=ERASED_REASON, quote="", session=session.id, turn=turn, rule=rule)
