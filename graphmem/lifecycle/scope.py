"""What a request to forget names: statements, whole turns, passages of turns and topics of sessions.

Invariant: a scope is what was named and nothing that follows from it (`lifecycle.closure`); making one changes nothing.
A statement was asked for if it says what was named, not if its sentence does: what goes with the sentence alone is taken
along, stays where other words bear it, and may be said again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from graphmem.canonical import bare_name, name_key
from graphmem.checks import brief
from graphmem.errors import InputError, NothingKnown, SessionError
from graphmem.graph.base import Node
from graphmem.identity import OWNER, form_of
from graphmem.lifecycle.mentions import guarded_names, in_full, is_called, is_word, longer_names, naming, told_by_others
from graphmem.lookalikes import skeleton
from graphmem.queue import waiting_sessions, waiting_turns
from graphmem.reading import Reader
from graphmem.records import SessionRecord, StatementRecord, TurnRecord, summarises, turn_key
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
    """What is to go: statements by id, turns by key, passages of turns as (key, start, end), topics by session.

    `asked` are the statements that were asked for, of whatever goes; None where all that goes was.  `notes` say what a name
    does not reach.
    """

    statements: frozenset[str]
    turns: frozenset[str]
    passages: frozenset[tuple[str, int, int]] = frozenset()
    topics: frozenset[str] = frozenset()
    asked: frozenset[str] | None = None
    notes: tuple[str, ...] = ()


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
        return Scope(frozenset({id_}), frozenset(), asked=frozenset({id_}))
    if session is not None:
        if all(turn.session != session for turn in turns):
            raise SessionError(f"no session {brief(session)} in this space: see `graphmem sessions` for the ids")
        return Scope(frozenset(), frozenset(t.key for t in turns if t.session == session))
    if topic is not None:
        found = _told_by(nodes, turns, sessions, _about(topic))
        if not any(found[:4]):
            raise NothingKnown(
                f"nothing in this space names {brief(topic)}: see `graphmem statements`, or give one word of it that was said"
            )
        return found
    inside = [t for t in turns if _within(t.time, since, until)]
    if clock == "recorded":
        # What was made later of an older turn goes by itself: the turn was not recorded then.  What was told at other times
        # as well stays with those words.
        known = recorded or {}
        made = frozenset(n.record.id for n in nodes if all(_within(e.recorded_at, since, until) for e in n.evidence))
        went = frozenset(t.key for t in turns if any(_within(at, since, until) for at in known.get(t.key, ())))
        return Scope(made, went, asked=made | _resting_on(nodes, went))
    return Scope(frozenset(), frozenset(t.key for t in inside))


def scope_of_entity(reader: Reader, turns: Iterable[TurnRecord], sessions: Iterable[SessionRecord], name: str) -> Scope:
    """All that is about or mentions a person, a place or a thing, by any of its names, with a title or without.

    Statements by what they are known to be about, sentences by the names that stand in them, and the turns of whom it is
    that speaks under one of the names.

    Raises:
        InputError: it is no name, or the owner's.
        NothingKnown: nothing is known by it.
    """
    turns, sessions, nodes = list(turns), list(sessions), reader.nodes()
    directory = reader.directory()
    names, forms = directory.names, named_by(reader, name)
    if OWNER in forms or _owners_first(reader, name):
        raise InputError(f"entity {brief(name)} is the owner of the memory: forget everything with all=True (--all)")
    speaker_of = {turn.key: turn.speaker for turn in turns if turn.speaker}
    speakers = set(speaker_of.values())
    # Where nobody is known by the name alone, it is short for the longer one.
    told = told_by_others(reader, turns)
    alone = any(names.form(one) in forms for one in told)
    longer = longer_names(reader, forms, told if alone else ())
    forms |= in_full(reader, forms - names.roles(), longer)
    # Whoever tells of the owner as "I" is the owner, whatever the name.
    own = [n for n in nodes if n.record.subject_key == OWNER and n.record.tier == "stated" and not summarises(n.record.details)]
    others = longer | names.owner_forms()
    others |= {name_key(speaker_of[e.turn_key]) for node in own for e in node.evidence if e.turn_key in speaker_of}
    called = {one for one in speakers if is_called(one, forms - names.roles(), others)}
    forms |= {name_key(one) for one in called}
    written = [(one.name, one.type) for one in directory.entities.values() if names.form(one.id) in forms]
    guarded, roles = guarded_names(forms, {name for name, type_ in written if type_ == "person"}, turns), forms & names.roles()
    mentions = naming(forms, roles, longer=longer - forms, guarded=guarded)
    # Who asks for the rose that is known, and not for Rose, asks for the word.
    capital = any(one[:1].isupper() for name_, _ in written for one in name_.split()) or bool(called)
    if not capital and (name.strip().islower() or not any(mentions(turn.text) for turn in turns)):
        guarded, mentions = frozenset(), naming(forms, roles, longer=longer - forms)
    scope = _told_by(nodes, turns, sessions, mentions)

    def is_about(node: Node) -> bool:
        form = form_of(node.record.subject_key)
        return form in forms and not is_word(node.record.subject, form, guarded)

    about, touched = {node.record.id for node in nodes if is_about(node)}, set[str]()
    for mention in reader.graph.mentions():
        form = names.form(mention.entity)
        if form in forms - names.roles() and not is_word(directory.entities[mention.entity].name, form, guarded):
            (touched if mention.kind == "MENTIONS" else about).add(mention.statement)
    # What stands in a quote goes with its sentence; a name that is not found there takes the statement.
    hidden = {n.record.id for n in nodes if n.record.id in touched and not any(mentions(e.quote) for e in n.evidence)}
    spoken = frozenset(turn.key for turn in turns if turn.speaker in called)
    loosely = naming(forms, roles)
    found = scope._replace(
        statements=scope.statements | about | hidden,
        turns=scope.turns | spoken,
        passages=frozenset(one for one in scope.passages if one[0] not in spoken),
        asked=(scope.asked or frozenset()) | about | _resting_on(nodes, spoken),
        notes=_left(turns, spoken, loosely=loosely, mentions=mentions) + _speaking(speakers - called, loosely),
    )
    if not any(found[:4]):
        near = _like(name, reader.directory().written.values())
        hint = f"the names most like it are {', '.join(near)}" if near else "see `graphmem entities` for the names"
        hint += f", or leave the title out ({bare_name(name)})" if bare_name(name) != name_key(name) else ""
        raise NothingKnown(f"nothing in this space is known of {brief(name)}: {hint}")
    return found


def named_by(reader: Reader, name: str) -> frozenset[str]:
    """All forms of the names of what bears this name, titles aside where more than one word is left."""
    forms, bare = reader.forms(name), bare_name(name)
    if " " not in bare:
        return forms
    titled = {form for form, _ in reader.directory().names.cells.values() if bare_name(form) == bare}
    return forms.union(reader.forms(bare), *(reader.forms(form) for form in titled))


def _owners_first(reader: Reader, name: str) -> bool:
    """Whether a name is the owner's first name, and nobody else is known by it."""
    names, bare = reader.directory().names, bare_name(name)
    if any(form == bare for form, _ in names.cells.values()):
        return False
    return any(whole.startswith(f"{bare} ") for whole in map(bare_name, names.owner_forms()))


def _left(
    turns: Iterable[TurnRecord], spoken: Collection[str], *, loosely: Callable[[str], bool], mentions: Callable[[str], bool]
) -> tuple[str, ...]:
    """That sentences stay in which the name is a part of another known name or a plain word."""
    texts = [turn.text for turn in turns if turn.key not in spoken and loosely(turn.text)]
    pieces = [text[start:end] for text in texts for start, end in sentences(text)]
    number = sum(loosely(piece) and not mentions(piece) for piece in pieces)
    return (f"sentences in which the name is a part of another known name or a plain word, which stay: {number}",) * (
        number > 0
    )


def _speaking(speakers: Collection[str], loosely: Callable[[str], bool]) -> tuple[str, ...]:
    """That the names of speakers stay which the name is a part of."""
    number = sum(map(loosely, speakers))
    return (f"speakers in whose longer name it stands, and who stay: {number}",) * (number > 0)


def _like(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are most like one, by their letters or by a word that both have."""
    from difflib import get_close_matches

    bare = bare_name(name)
    plain = {bare_name(one): one for one in sorted(known) if name_key(one) != OWNER}
    shared = [key for key in plain if set(key.split()) & set(bare.split())]
    return [plain[key] for key in dict.fromkeys([*get_close_matches(bare, plain, n=3), *shared])][:3]


def _resting_on(nodes: Iterable[Node], turns: Collection[str]) -> frozenset[str]:
    """The statements that have a quote in one of these turns."""
    return frozenset(node.record.id for node in nodes if any(item.turn_key in turns for item in node.evidence))


def waiting_too(space: Space, scope: Scope, nodes: Iterable[Node]) -> Scope:
    """The scope with the words of its statements in turns that wait for extraction, which would say them again."""
    asked = scope.statements if scope.asked is None else scope.statements & scope.asked
    gone = [node for node in nodes if node.record.id in asked and not summarises(node.record.details)]
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


def _told_by(
    nodes: list[Node], turns: list[TurnRecord], sessions: Iterable[SessionRecord], about: Callable[[str], bool]
) -> Scope:
    """The statements, sentences and topics of sessions of which `about` holds."""
    # What a statement is not made of, but keeps, takes it as well; it was asked for by what it says.
    asked = frozenset(n.record.id for n in nodes if about(n.record.text))
    found = asked | {n.record.id for n in nodes if about(_kept_in(n.record))}
    texts = {turn.key: turn.text for turn in turns if about(turn.text)}
    passages = {
        (key, start, end) for key, text in texts.items() for start, end in sentences(text) if about(text[start:end])
    } | {(e.turn_key, e.start, e.end) for n in nodes for e in n.evidence if about(e.quote)}
    # The words of a topic may stand apart in a turn; then no sentence has them all and the whole turn is about it.
    whole = texts.keys() - {key for key, _, _ in passages}
    named = frozenset(one.id for one in sessions if about(f"{one.topic or ''}\n{one.channel or ''}"))
    return Scope(found, frozenset(whole), frozenset(passages), named, asked)


def _kept_in(record: StatementRecord) -> str:
    """All words that the record of a statement holds."""
    more = [record.object, record.context, record.time_text, record.replaces]
    more += [value for value in record.details.values() if isinstance(value, str)]
    return "\n".join([record.text, *filter(None, more)])
