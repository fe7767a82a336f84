"""What a request to forget names: statements, whole turns, passages of turns and topics of sessions.

Invariant: a scope is what was named and nothing that follows from it (`lifecycle.closure`); making one changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from graphmem.canonical import name_key
from graphmem.errors import InputError, SessionError
from graphmem.graph.base import Node
from graphmem.identity import OWNER
from graphmem.lookalikes import skeleton
from graphmem.queue import waiting_sessions, waiting_turns
from graphmem.reading import Reader
from graphmem.records import SessionRecord, TurnRecord, summarises, turn_key
from graphmem.space import Space
from graphmem.tombstones import Marker, Tombstones, entomb

SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
# Words behind whose dot a sentence goes on: initials, capitals without a vowel (Dr, St, Ltd), titles and the like.
_SHORT = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]|[A-Z][b-df-hj-np-tv-xz]{1,3}|Prof|Capt|Col|Gen|Rev|Hon|Gov|Pres|Sen|Rep|Inc|Co|Corp|Ave|Dept|Univ|"
    r"Hosp|Vol|Fig|Nos?|Dipl|Ing|Mme|Mlle|(?i:messrs|etc|approx|ca|cf|vs))\.$"
)
_PART = re.compile(r"[^\W_]+")  # of a word with hyphens or the like in it


class Scope(NamedTuple):
    """What is to go: statements by id, turns by key, passages of turns as (key, start, end), topics by session."""

    statements: frozenset[str]
    turns: frozenset[str]
    passages: frozenset[tuple[str, int, int]] = frozenset()
    topics: frozenset[str] = frozenset()


def scope_of(
    nodes: Iterable[Node],
    turns: Iterable[TurnRecord],
    *,
    id_: str | None = None,
    topic: str | None = None,
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    clock: str = "told",
    everything: bool = False,
    sessions: Iterable[SessionRecord] = (),
    recorded: Mapping[str, Collection[datetime]] | None = None,
) -> Scope:
    """The statements and turns that a request names, before its consequences (`closure`).

    `recorded` says by key when each turn was recorded, all moments at which it may have been; the clock "recorded" needs it.
    """
    nodes, turns = list(nodes), list(turns)
    if everything:
        return Scope(frozenset(n.record.id for n in nodes), frozenset(t.key for t in turns))
    if id_ is not None:
        return Scope(frozenset({id_}), frozenset())
    if session is not None:
        if all(turn.session != session for turn in turns):
            raise SessionError(f"no session {session!r} in this space: see `graphmem sessions` for the ids")
        return Scope(frozenset(), frozenset(t.key for t in turns if t.session == session))
    if topic is not None:
        return _told_by(nodes, turns, sessions, _about(topic))
    inside = [t for t in turns if _within(t.time, since, until)]
    if clock == "recorded":
        # What was made later of an older turn goes by itself: the turn was not recorded then.  What was told at other times
        # as well stays with those words.
        known = recorded or {}
        made = frozenset(n.record.id for n in nodes if all(_within(e.recorded_at, since, until) for e in n.evidence))
        return Scope(made, frozenset(t.key for t in turns if any(_within(at, since, until) for at in known.get(t.key, ()))))
    return Scope(frozenset(), frozenset(t.key for t in inside))


def scope_of_entity(reader: Reader, turns: Iterable[TurnRecord], sessions: Iterable[SessionRecord], name: str) -> Scope:
    """All that is about or mentions a person, a place or a thing, by any of its names.

    Statements by what they are known to be about, sentences by the names that stand in them, and the turns of whom it is
    that speaks under one of the names.

    Raises:
        InputError: it is no name, or the owner's.
    """
    forms = reader.forms(name)
    if OWNER in forms:
        raise InputError(f"entity {name!r} is the owner of the memory: forget everything with all=True (--all)")
    turns, sessions = list(turns), list(sessions)
    ids, _ = reader.about(name)
    names = reader.directory().names
    mentions = _naming(forms, forms & names.roles())
    scope = _told_by(reader.nodes(), turns, sessions, mentions)
    spoken = frozenset(turn.key for turn in turns if turn.speaker and name_key(turn.speaker) in forms)
    passages = frozenset(one for one in scope.passages if one[0] not in spoken)
    return Scope(scope.statements | ids, scope.turns | spoken, passages, scope.topics)


def waiting_too(space: Space, scope: Scope, nodes: Iterable[Node]) -> Scope:
    """The scope with the words of its statements in turns that wait for extraction, which would say them again."""
    gone = [node for node in nodes if node.record.id in scope.statements and not summarises(node.record.details)]
    waiting = waiting_sessions(space.ledger, space.graph) if gone else []
    if not waiting:
        return scope
    marker = Marker(bytes(32), space.user, space.space)
    quotes = [item.quote for node in gone for item in node.evidence]
    said = Tombstones(marker, [entomb(marker, statements=(), quotes=quotes, turns={})])
    found = {
        (turn_key(session.id, turn.id), passage.start, passage.end)
        for session in waiting
        for turn in session.turns
        if turn.id in waiting_turns(space.ledger, session.id)
        for passage in said.passages(None, turn.text)
    }
    return scope._replace(passages=scope.passages | found)


def _within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or at >= since) and (until is None or at < until)


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand; in doubt two are one, so that no part of what goes is left behind."""
    found: list[tuple[int, int]] = []
    for piece in SENTENCE.finditer(text):
        if (
            found
            and found[-1][1] == piece.start()
            and _goes_on(text[max(0, piece.start() - 12) : piece.start()], piece.group())
        ):
            found[-1] = found[-1][0], piece.end()
        else:
            found.append(piece.span())
    return found


def _goes_on(before: str, after: str) -> bool:
    """Whether a sentence goes on behind a mark that may have ended it."""
    first = next((char for char in after if char.isalnum()), "")
    return after[0].isalnum() or first.islower() or before.endswith("..") or _SHORT.search(before[-12:]) is not None


def _about(topic: str) -> Callable[[str], bool]:
    """Whether a text has a word that begins like each word of the topic (stemmed by its first letters)."""
    from graphmem.canonical import singular, words

    def stem(word: str) -> str:
        word = singular(word)
        return word[: max(4, len(word) - 2)] if len(word) > 5 else word

    # A word may be written in letters that look like its own, in the topic and in what was said.
    wanted = [{stem(word), *map(stem, words(skeleton(word)))} for word in words(topic)]
    if not wanted:
        raise InputError("topic must hold at least one word")
    stems = [tuple(one) for one in wanted]

    def about(text: str) -> bool:
        whole = {*words(text), *words(skeleton(text))}
        present = whole | {part for word in whole for part in _PART.findall(word)}
        return all(any(word.startswith(one) for word in present) for one in stems)

    return about


def _naming(forms: Collection[str], roles: Collection[str]) -> Callable[[str], bool]:
    """Whether one of the names stands in a text; a role ("sister") only as one's own ("my sister")."""
    from graphmem.canonical import fold

    own = [re.escape(form.replace("/", "'s ")) for form in sorted(forms) if form not in roles]
    own += [rf"(?:my|our|user's)\s+{re.escape(role)}" for role in sorted(roles) if "/" not in role]
    if not own:
        return lambda text: False
    pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(own)})(?:s|'s)?(?![^\W_])")
    return lambda text: any(pattern.search(fold(one)) is not None for one in (text, skeleton(text)))


def _told_by(
    nodes: list[Node], turns: list[TurnRecord], sessions: Iterable[SessionRecord], about: Callable[[str], bool]
) -> Scope:
    """The statements, sentences and topics of sessions of which `about` holds."""
    found = frozenset(n.record.id for n in nodes if about(n.record.text) or any(about(e.quote) for e in n.evidence))
    passages = {
        (turn.key, start, end)
        for turn in turns
        if about(turn.text)
        for start, end in sentences(turn.text)
        if about(turn.text[start:end])
    }
    # The words of a topic may stand apart in a turn; then no sentence has them all and the whole turn is about it.
    reached = {key for key, _, _ in passages}
    whole = frozenset(turn.key for turn in turns if about(turn.text) and turn.key not in reached)
    named = frozenset(one.id for one in sessions if about(f"{one.topic or ''}\n{one.channel or ''}"))
    return Scope(found, whole, frozenset(passages), named)
