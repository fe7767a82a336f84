"""What a request to forget names: statements, whole turns, passages of turns and topics of sessions.

Invariant: a scope is what was named and nothing that follows from it (`lifecycle.closure`); making one changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from graphmem.canonical import name_key
from graphmem.errors import InputError, SessionError
from graphmem.graph.base import Node
from graphmem.identity import OWNER
from graphmem.queue import waiting_sessions, waiting_turns
from graphmem.reading import Reader
from graphmem.records import SessionRecord, TurnRecord, summarises, turn_key
from graphmem.space import Space
from graphmem.tombstones import Marker, Tombstones, entomb

SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


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
) -> Scope:
    """The statements and turns that a request names, before its consequences (`closure`)."""
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
        keys = {e.turn_key for n in nodes for e in n.evidence if _within(e.recorded_at, since, until)}
        inside = [t for t in turns if t.key in keys]
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


def _about(topic: str) -> Callable[[str], bool]:
    """Whether a text has a word that begins like each word of the topic (stemmed by its first letters)."""
    from graphmem.canonical import singular, words

    wanted = [singular(word) for word in words(topic)]
    if not wanted:
        raise InputError("topic must hold at least one word")
    stems = [word[: max(4, len(word) - 2)] if len(word) > 5 else word for word in wanted]

    def about(text: str) -> bool:
        present = words(text)
        return all(any(word.startswith(stem) for word in present) for stem in stems)

    return about


def _naming(forms: Collection[str], roles: Collection[str]) -> Callable[[str], bool]:
    """Whether one of the names stands in a text; a role ("sister") only as one's own ("my sister")."""
    from graphmem.canonical import fold

    own = [re.escape(form.replace("/", "'s ")) for form in sorted(forms) if form not in roles]
    own += [rf"(?:my|our|user's)\s+{re.escape(role)}" for role in sorted(roles) if "/" not in role]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(own)})(?:s|'s)?(?!\w)") if own else re.compile(r"(?!)")
    return lambda text: pattern.search(fold(text)) is not None


def _told_by(
    nodes: list[Node], turns: list[TurnRecord], sessions: Iterable[SessionRecord], about: Callable[[str], bool]
) -> Scope:
    """The statements, sentences and topics of sessions of which `about` holds."""
    found = frozenset(n.record.id for n in nodes if about(n.record.text) or any(about(e.quote) for e in n.evidence))
    passages = {
        (turn.key, sentence.start(), sentence.end())
        for turn in turns
        if about(turn.text)
        for sentence in SENTENCE.finditer(turn.text)
        if about(sentence.group())
    }
    # The words of a topic may stand apart in a turn; then no sentence has them all and the whole turn is about it.
    reached = {key for key, _, _ in passages}
    whole = frozenset(turn.key for turn in turns if about(turn.text) and turn.key not in reached)
    named = frozenset(one.id for one in sessions if about(f"{one.topic or ''}\n{one.channel or ''}"))
    return Scope(found, whole, frozenset(passages), named)
