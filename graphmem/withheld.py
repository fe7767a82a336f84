"""What of a session may be recorded at all: its secrets are masked before anything else looks at it.

Invariant: no extractor, embedder, id, hash or file sees a secret that was found; of it the report gets kind and place.  An
id must not hold one either, nor a hash of one, which a thief could guess back: ids are made of the masked text.
"""

from __future__ import annotations

from typing import NamedTuple

from graphmem.model import Masked, Session, Turn
from graphmem.personal.masks import Masking, mask, mask_talk, masked


class Withheld(NamedTuple):
    """A session without its secrets, what was masked, and the secrets themselves for as long as the call lasts."""

    session: Session
    masked: tuple[Masked, ...]
    masking: Masking


def withhold(session: Session) -> Withheld:
    """Mask the secrets in the turns, names, ids and topic of a session; one without any is returned as it is."""
    masking = mask_talk([turn.text for turn in session.turns])
    names = [name for turn in session.turns for name in (turn.id, turn.speaker) if name]
    heads = [name for name in (session.id, session.topic, session.channel) if name]
    plain = not any(masking.found) and all(masked(name) is name for name in {*names, *heads})
    if plain:
        return Withheld(session, (), masking)
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
    return Withheld(changed, tuple(report), masking)


def _ids(session: Session) -> dict[str, str]:
    """The ids of the turns as they may be kept; two that become equal are told apart by their place."""
    made: dict[str, str] = {}
    for place, turn in enumerate(session.turns):
        id_ = masked(turn.id)
        made[turn.id] = f"{id_}/{place}" if id_ in made.values() and id_ != turn.id else id_
    return made
