"""What of a session may be recorded at all: its secrets are masked before anything else looks at it.

Invariant: no extractor, embedder, id, hash or file sees a secret that was found; of it the report gets kind and place.  An
id must not hold one either, nor a hash of one, which a thief could guess back: ids are made of the masked text.  Which ids
nobody gave is told here too, for a memory keeps none of those as they are (`graphmem.recorded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from graphmem.model import Masked, Session, Turn
from graphmem.personal.masks import Masking, mask, mask_talk, masked
from graphmem.sessions.digests import looks_made, session_digest, turn_digest


class Made(NamedTuple):
    """Which ids of a session are digests of its words: whether its own is, and which of its turns'."""

    session: bool = False
    turns: frozenset[str] = frozenset()


class Withheld(NamedTuple):
    """A session without its secrets, what was masked, and the secrets themselves for as long as the call lasts.

    `made` are the ids that nobody gave; none once the memory has put its own in their place, and then it is `settled`.
    """

    session: Session
    masked: tuple[Masked, ...]
    masking: Masking
    made: Made = Made()
    settled: bool = False

    def renamed(self, session: str, turns: Mapping[str, str]) -> Withheld:
        """The same with other ids, the turns' by those that they have; none of them counts as made any more."""
        old = self.session
        changed = old.model_copy(
            update={
                "id": session,
                "turns": tuple(turn.model_copy(update={"id": turns.get(turn.id, turn.id)}) for turn in old.turns),
                "turn_offsets": {turns.get(turn, turn): minutes for turn, minutes in old.turn_offsets.items()},
            }
        )
        told = tuple(
            item.model_copy(update={"session": session, "turn": item.turn and turns.get(item.turn, item.turn)})
            for item in self.masked
        )
        return Withheld(changed, told, self.masking, settled=True)


def withhold(session: Session) -> Withheld:
    """Mask the secrets in the turns, names, ids and topic of a session; one without any is returned as it is."""
    masking = mask_talk([turn.text for turn in session.turns])
    names = [name for turn in session.turns for name in (turn.id, turn.speaker) if name]
    heads = [name for name in (session.id, session.topic, session.channel) if name]
    plain = not any(masking.found) and all(masked(name) is name for name in {*names, *heads})
    made = _made(session, masking)
    if plain:
        return Withheld(session, (), masking, made)
    id_ = masked(session.id)
    ids = _ids(session)
    turns = tuple(
        Turn(
            id=ids[turn.id],
            role=turn.role,
            speaker=turn.speaker and masked(turn.speaker),
            text=text,
            time=turn.time,
            spans=turn.spans,
        )
        for turn, text in zip(session.turns, masking.texts, strict=True)
    )
    report = [
        Masked(kind=item.kind, session=id_, turn=ids[turn.id], start=item.start, end=item.end)
        for turn, found in zip(session.turns, masking.found, strict=True)
        for item in found
    ]
    for name in [*heads, *names]:
        report += [Masked(kind=f.kind, session=id_, turn=None, start=f.start, end=f.end) for f in mask(name)[1]]
    changed = session.model_copy(
        update={
            "id": id_,
            "topic": session.topic and masked(session.topic),
            "channel": session.channel and masked(session.channel),
            "turns": turns,
            "turn_offsets": {ids[turn]: minutes for turn, minutes in session.turn_offsets.items()},
        }
    )
    return Withheld(changed, tuple(report), masking, made)


def _made(session: Session, masking: Masking) -> Made:
    """Which ids are digests, by taking them again; whoever gave such an id could only have it from the words."""
    own = looks_made(session.id)
    if not (own or any(looks_made(turn.id) for turn in session.turns)):
        return Made()
    said = [
        (masked(turn.id), turn.role, masked(turn.speaker or ""), text)
        for turn, text in zip(session.turns, masking.texts, strict=True)
    ]
    turns = {
        turn.id
        for place, (turn, (_, role, speaker, text)) in enumerate(zip(session.turns, said, strict=True))
        if looks_made(turn.id) and turn.id == turn_digest(place, role, speaker, text, turn.time)
    }
    return Made(own and session.id == session_digest(session.started, masked(session.topic or ""), said), frozenset(turns))


def _ids(session: Session) -> dict[str, str]:
    """The ids of the turns as they may be kept; two that become equal are told apart by their place."""
    made: dict[str, str] = {}
    for place, turn in enumerate(session.turns):
        id_ = masked(turn.id)
        made[turn.id] = f"{id_}/{place}" if id_ in made.values() and id_ != turn.id else id_
    return made
