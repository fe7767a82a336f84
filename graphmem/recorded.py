"""What of a session is recorded already, and by which ids: a session is held against the memory before anything is made of it.

A session or turn that nobody gave an id has a digest of its words for one (`graphmem.sessions.digests`).  Here it gets the id
by which this memory knows it: made of that digest under the space's secret, so that the same transcript is the same session
again, and an id that is left when the words are forgotten tells nothing to whoever guesses them.

Invariant: no digest leaves this module, but one that an earlier release recorded as an id.  Of turns that others recorded a
role that is not the owner learns nothing: they are passed over whatever it gives in their place, and what it adds is read
without them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from graphmem.chain import Entry
from graphmem.checks import brief
from graphmem.errors import SessionError
from graphmem.forgotten import check_whole
from graphmem.ledger import Ledger
from graphmem.model import Session, Turn
from graphmem.personal.found import MASK
from graphmem.personal.masks import masked
from graphmem.queue import waiting_turns
from graphmem.quoted import refilled
from graphmem.records import ERASED, UNKEPT, SessionRecord, TurnRecord, key, turn_key
from graphmem.roles import OWNER, Principal
from graphmem.sessions import normal
from graphmem.sessions.digests import SESSION, TURN, looks_made
from graphmem.space import Space
from graphmem.withheld import Made, Withheld, withhold

_RECORDED = ("session recorded", "session extended")
_BLANK = (ERASED, UNKEPT)
TOLD = 12  # letters that are left of a turn by which a session of an export is known again


class Standing(NamedTuple):
    """A session held against what is recorded of it.

    Attributes:
        session: with its recorded turns as they are recorded, and those that are passed over without their words.
        turns: its turns in their places, as they are or will be recorded.
        stored: those that are recorded, by key.
        fresh: those that are not.
        passed: the ids of recorded turns that whoever gives the session may not know.
    """

    session: Session
    turns: list[TurnRecord]
    stored: Mapping[str, TurnRecord]
    fresh: list[TurnRecord]
    passed: frozenset[str] = frozenset()

    @property
    def heard(self) -> Session:
        """The session as it is read: without the turns that are passed over."""
        return without(self.session, self.passed)


def without(session: Session, passed: Collection[str]) -> Session:
    """A session without some of its turns."""
    if not passed:
        return session
    return session.model_copy(update={"turns": tuple(turn for turn in session.turns if turn.id not in passed)})


class Names:
    """The ids by which a space knows sessions and turns that come without.

    Args:
        space: the space.
        who: gives the sessions; None for the owner.  What another role gives has ids of its own, for by an id that it shared
            with the owner's session it could find out whether it guessed the words.
    """

    def __init__(self, space: Space, who: Principal | None) -> None:
        self._space, self._who = space, who
        self._imported: dict[datetime, list[SessionRecord]] | None = None

    def named(self, session: Session | Withheld) -> Withheld:
        """A session with its secrets withheld, and with the space's ids in the place of those that nobody gave."""
        held = session if isinstance(session, Withheld) else withhold(session)
        if held.settled:
            return held
        held = held._replace(made=self._changed(held))
        if not (held.made.session or held.made.turns):
            return held._replace(settled=True)
        id_ = self._session(held) if held.made.session else held.session.id
        return held.renamed(id_, self._turns(held, id_))

    def _changed(self, held: Withheld) -> Made:
        """The ids that nobody gave, and those that look it and are of nothing here: digests of words that changed since."""
        session, turns = held.session, {turn.id for turn in held.session.turns if looks_made(turn.id)}
        if not (turns or looks_made(session.id)):
            return held.made
        known = self._space.ledger.knows_session(session.id)
        if known and self._who is not None:
            return held.made
        return Made(looks_made(session.id) and not known, frozenset(turns))

    def _key(self, prefix: str, digest: str) -> str:
        whose = () if self._who is None else (self._who.role, self._who.actor)
        return key(prefix, self._space.ledger.secret, *whose, digest)

    def _session(self, held: Withheld) -> str:
        ledger, digest = self._space.ledger, held.session.id
        made = self._key(SESSION, digest)
        if self._who is not None or ledger.knows_session(made):
            return made
        if ledger.knows_session(digest):
            return digest  # as an earlier release recorded it
        return self._brought(held) or made

    def _brought(self, held: Withheld) -> str | None:
        """The session that came in with an export, under an id that another memory made, and has these words."""
        space, session = self._space, held.session
        if not space.ledger.has_type("imported"):
            return None
        if self._imported is None:
            self._imported = {}
            for record in space.graph.sessions():
                if looks_made(record.id):
                    self._imported.setdefault(record.started, []).append(record)
        likely = [r.id for r in self._imported.get(session.started, ()) if r.topic in (None, session.topic)]
        turns: dict[str, dict[int, TurnRecord]] = {id_: {} for id_ in likely}
        for turn in space.graph.turns() if likely else ():
            if turn.session in turns:
                turns[turn.session][turn.position] = turn
        for id_, places in turns.items():
            # Where hardly a word is left, any words would be these.
            told = any(len(_visible(turn.text)) >= TOLD for turn in places.values())
            if (
                told
                and sorted(places) == list(range(len(session.turns)))
                and all(
                    _alike(places[place], turn) and (turn.id in held.made.turns or turn.id == places[place].id)
                    for place, turn in enumerate(session.turns)
                )
            ):
                return id_
        return None

    def _turns(self, held: Withheld, session: str) -> dict[str, str]:
        """The ids of the turns, by their digests."""
        graph, names = self._space.graph, {digest: self._key(TURN, digest) for digest in sorted(held.made.turns)}
        if self._who is not None or not names or not self._space.ledger.knows_session(session):
            return names

        def unknown(ids: Mapping[str, str]) -> dict[str, str]:
            known = {turn.id for turn in graph.turns([turn_key(session, id_) for id_ in ids.values()])}
            return {digest: id_ for digest, id_ in ids.items() if id_ not in known}

        new = unknown(names)
        older = new and {digest: digest for digest in new.keys() - unknown({digest: digest for digest in new}).keys()}
        new = {digest: id_ for digest, id_ in new.items() if digest not in older}
        if new and any((entry.actor, entry.role) != ("user", OWNER) for entry in _entries(self._space.ledger, session)):
            # Whoever else recorded it made other ids: the words in the same place tell that it is the same turn.
            places = {turn.position: turn for turn in graph.turns() if turn.session == session}
            for place, turn in enumerate(held.session.turns):
                if turn.id in new and place in places and _alike(places[place], turn):
                    older[turn.id] = places[place].id
        return names | older


def _visible(text: str) -> str:
    """The letters of a recorded text that are left."""
    return "".join(char for char in text if char.isalnum())


def _alike(old: TurnRecord, turn: Turn) -> bool:
    """Whether a recorded turn is this one, as far as it was not erased."""
    speaker = old.speaker == turn.speaker or (old.speaker is None and ERASED in old.text)
    return speaker and (old.role, old.time) == (turn.role, turn.time) and same_text(old.text, turn.text)


def _entries(ledger: Ledger, session: str) -> list[Entry]:
    return [entry for entry in ledger.about(session) if entry.type in _RECORDED]


def actor_of(who: Principal | None) -> tuple[str, str]:
    """Actor and role of the entries that record a session."""
    return ("user", OWNER) if who is None else (normal(who.actor), who.role)


# ---------------------------------------------------------------------- what is new


def compared(space: Space, session: Session, who: Principal | None, *, whole: bool = False) -> Standing:
    """Hold a session, under the ids that it has in the space, against what is recorded; it may grow, but not change.

    Args:
        space: where it may be recorded.
        session: with its secrets withheld.
        who: gives it; None for the owner.
        whole: the owner wants it as it is given, with the words of it that were forgotten.

    Raises:
        SessionError: it is recorded with other words, as far as whoever gives it may know them, or it is recorded and has
            nothing new but words that were forgotten, which cannot be put back in their places.
    """
    if who is not None:
        return _held_by_others(space, session, who)
    turns = turn_records(session)
    stored: dict[str, TurnRecord] = {}
    if space.ledger.knows_session(session.id):
        stored = {turn.key: turn for turn in space.graph.turns([turn.key for turn in turns])}
    for turn in turns:
        old = stored.get(turn.key)
        if old is not None and not (old.role == turn.role and same_text(old.text, turn.text)):
            raise _other_words(session, brief(turn.id))
    fresh = [turn for turn in turns if turn.key not in stored]
    if whole and not fresh and not waiting_turns(space.ledger, session.id):
        check_whole(turns, stored)
    if fresh and (stored or space.ledger.knows_session(session.id)):
        # Turns without given ids are named by their words: other words in a known place are another turn.
        taken = {turn.position for turn in space.graph.turns() if turn.session == session.id}
        clash = next((turn for turn in fresh if turn.position in taken), None)
        if clash is not None:
            raise _other_words(session, str(clash.position + 1))
    if any(ERASED in turn.text or UNKEPT in turn.text for turn in stored.values()):
        # Erased words do not come back as context.
        texts = {turn.id: refilled(stored.get(turn.key, turn).text, turn.text) for turn in turns}
        changed = tuple(turn.model_copy(update={"text": texts[turn.id]}) for turn in session.turns)
        session = session.model_copy(update={"turns": changed})
        turns = turn_records(session)
    return Standing(session, turns, stored, fresh)


def _held_by_others(space: Space, session: Session, who: Principal) -> Standing:
    """The same for a role that is not the owner: only what it recorded itself is compared, and read along."""
    if not space.ledger.knows_session(session.id):
        turns = turn_records(session)
        return Standing(session, turns, {}, turns)
    places = {turn.position: turn for turn in space.graph.turns() if turn.session == session.id}
    own = _own(space.ledger, session.id, who)
    passed = frozenset(turn.id for turn in places.values() if turn.key not in own)
    ids = {turn.id for turn in places.values()}
    shown: list[Turn] = []
    for place, turn in enumerate(session.turns):
        old = places.get(place)
        if old is None:
            shown += [turn] if turn.id not in ids else []
        elif old.id in passed:
            shown.append(Turn(id=old.id, role=old.role, text="", time=old.time))
        elif (old.id, old.role) != (turn.id, turn.role) or not same_text(old.text, turn.text, masked=False):
            raise _other_words(session, brief(turn.id))
        else:
            shown.append(turn.model_copy(update={"text": refilled(old.text, turn.text)}))
    session = session.model_copy(update={"turns": tuple(shown)})
    stored = {turn.key: turn for turn in places.values()}
    turns = [stored.get(turn.key, turn) if turn.id in passed else turn for turn in turn_records(session)]
    return Standing(session, turns, stored, [turn for turn in turns if turn.key not in stored], passed)


def _own(ledger: Ledger, session: str, who: Principal) -> set[str]:
    """The turns of a session that somebody recorded, by key; of a turn that was forgotten nobody did."""
    actor, role = actor_of(who)
    entries = [one for one in _entries(ledger, session) if (one.actor, one.role) == (masked(actor), role)]
    return {turn["key"] for entry in entries for turn in (entry.body or {}).get("delta", {}).get("turns", ())}


def _other_words(session: Session, turn: str) -> SessionError:
    return SessionError(
        f"session {brief(session.id)} is already recorded with other words in turn {turn}: "
        "give the new session an id of its own"
    )


def same_text(stored: str, given: str, *, masked: bool = True) -> bool:
    """Whether a stored turn is the given one, characters aside that were erased or that an earlier release did not mask.

    With `masked` a masked character is any character.  For others than the owner it is not, or they could find out what a
    turn says one character after the other.
    """
    if stored == given:
        return True
    if (ERASED not in stored and UNKEPT not in stored and MASK not in given) or len(stored) != len(given):
        return False
    return all(old in (*_BLANK, new) or (masked and new == MASK) for old, new in zip(stored, given, strict=True))


def turn_records(session: Session) -> list[TurnRecord]:
    """The turns of a session in their places."""
    keys = [turn_key(session.id, turn.id) for turn in session.turns]
    return [
        TurnRecord(
            key=keys[place],
            id=turn.id,
            session=session.id,
            position=place,
            role=turn.role,
            speaker=turn.speaker,
            text=turn.text,
            time=turn.time,
            spans=turn.spans,
            previous=keys[place - 1] if place else None,
        )
        for place, turn in enumerate(session.turns)
    ]
