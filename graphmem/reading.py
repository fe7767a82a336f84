"""Reading a space: statements, contradictions, profile and open items, as they stand for a pair of clocks.

Invariant: every answer is derived from graph nodes at the moment of the call; nothing outlives its
`Reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from graphmem.canonical import name_key, plain_key
from graphmem.checks import brief
from graphmem.context import is_special
from graphmem.entities import Directory, directory_of, entities_of, names_of, same_as
from graphmem.errors import InputError, NaiveTime, StatementNotFound
from graphmem.graph.base import Graph, Node
from graphmem.graph.rows import node_order
from graphmem.identity import OWNER, form_of
from graphmem.model import (
    ENTITY_TYPES,
    KINDS,
    STATUSES,
    Alias,
    Contradiction,
    Entity,
    Profile,
    SameAs,
    SessionInfo,
    Statement,
)
from graphmem.periods import past_due
from graphmem.records import SESSION, LinkRecord, summarises
from graphmem.rivals import said
from graphmem.views import holds, stands, view, waits

ACCEPTED = ("stated", "confirmed")
_SELF = frozenset({"i", "me", "myself"})


def aware(name: str, value: object) -> datetime | None:
    """A time given by the caller: None, or aware; a naive one is refused by name."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InputError(f"{name}={brief(value)} is not a time: write it as 2026-05-14T10:30:00+02:00") from error
    if not isinstance(value, datetime):
        raise InputError(f"{name} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveTime(f"{name}={value.isoformat()} has no offset from UTC: add one, such as +00:00")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InputError(f"{name}={value.isoformat()} lies outside of the years 1 to 9999") from error


def known(clock: object) -> Callable[[], datetime]:
    """A clock of the caller's that is asked for the time and nothing else: what it gives is checked every time."""
    if not callable(clock):
        raise InputError(f"clock must be a function that gives the time, not {type(clock).__name__}")

    def checked() -> datetime:
        now = clock()
        if not isinstance(now, datetime):
            raise InputError(f"the clock gave no time but {brief(now)}: let it return an aware datetime")
        aware("what the clock gave", now)
        return now

    return checked


def is_summary(statement: Statement) -> bool:
    """Whether it sums up a session or a theme, and says nothing of its own."""
    return statement.kind == "episode" and summarises(statement.details)


class Reader:
    """Answers about one graph for one pair of clocks.

    Args:
        graph: the space's graph.
        now: the present; what is asked about unless `as_of` is given.
        as_of: an instant in the world, or None.
        known_at: what the memory knew then, or None for all it knows.
    """

    def __init__(self, graph: Graph, *, now: datetime, as_of: datetime | None = None, known_at: datetime | None = None) -> None:
        self.graph = graph
        self.as_of = as_of
        self.at = as_of or known_at or now
        self.known_at = known_at or now
        self._seen: dict[str, tuple[Node, Statement | None]] = {}
        self._nodes: list[Node] | None = None
        self._directory: Directory | None = None
        self._called_by: dict[str, tuple[str, tuple[Alias, ...]]] | None = None

    def _take(self, nodes: Iterable[Node]) -> list[Statement]:
        found = []
        for node in nodes:
            if node.record.id not in self._seen:
                self._seen[node.record.id] = node, view(node, self.at, self.known_at)
            statement = self._seen[node.record.id][1]
            if statement is not None:
                found.append(statement)
        return found

    def nodes(self) -> list[Node]:
        """Every node of the graph, in order of saying; read once."""
        if self._nodes is None:
            self._nodes = self.graph.nodes()
            self._take(self._nodes)
        return self._nodes

    def all(self) -> list[Statement]:
        """Every statement known at the time, in order of saying."""
        return self._take(self.nodes())

    def many(self, ids: Collection[str]) -> list[Statement]:
        """These statements, those that are unknown left out."""
        # An id with characters that cannot be written is nobody's, and no engine could be asked for it.
        missing = [id_ for id_ in ids if id_ not in self._seen and id_.isprintable()]
        if missing:
            self._take(self.graph.nodes(missing))
        return [s for id_ in ids if id_ in self._seen and (s := self._seen[id_][1]) is not None]

    def one(self, id_: str) -> Statement:
        """This statement; StatementNotFound if there is none."""
        found = self.many([id_]) if isinstance(id_, str) else []
        if not found:
            raise StatementNotFound(f"no statement {brief(id_)} in this space: see `graphmem statements` for the ids")
        return found[0]

    def node(self, id_: str) -> Node:
        """The graph's node of a statement."""
        self.one(id_)
        return self._seen[id_][0]

    def statements(self, status: str | None = None, kind: str | None = None, subject: str | None = None) -> list[Statement]:
        """Statements by status, kind and subject; with `as_of` and no status, those that held at that instant.

        What is in quarantine is given only where that status is asked for.
        """
        if status is not None and status not in STATUSES:
            raise InputError(f"status {brief(status)} is unknown: use one of {', '.join(STATUSES)}")
        if kind is not None and kind not in KINDS:
            raise InputError(f"kind {brief(kind)} is unknown: use one of {', '.join(KINDS)}")
        found = [
            statement
            for statement in self.all()
            if (statement.status == status if status else not waits(statement)) and (kind is None or statement.kind == kind)
        ]
        if self.as_of is not None and status is None:
            at = self.as_of
            found = [s for s in found if holds(s, self._seen[s.id][0].record, at)]
        if subject is not None:
            forms = self.forms(subject)
            found = [s for s in found if form_of(self._seen[s.id][0].record.subject_key) in forms]
        return found

    def directory(self, *, only_joined: bool = False) -> Directory:
        """The names that there are and which of them are one; read once, and not at all where only joined ones are of use."""
        if self._directory is None:
            edges = [edge for edge in self.graph.same_as() if edge.recorded_at <= self.known_at]
            if only_joined and not edges:
                return directory_of((), (), ())
            entities = self.graph.entities()
            joined = {end for edge in edges for end in (edge.source, edge.target)}
            ends = {entity.key for entity in entities if entity.id in joined}
            # What tells names apart is said about one of them.
            apart = self.graph.candidates(ends, {"alias_of"}, ()) if edges else []
            ids = {edge.statement for edge in edges} | {node.record.id for node in apart}
            found = self.many(sorted(ids))
            found.sort(key=lambda statement: node_order(self._seen[statement.id][0].record))
            self._directory = directory_of(entities, edges, found)
        return self._directory

    def forms(self, name: str) -> frozenset[str]:
        """All forms of the names of what bears this name; "user", and a name of the user, is the user.

        Raises:
            InputError: it is no name.
        """
        if not isinstance(name, str) or not name_key(name):
            raise InputError(f"subject {brief(name)} is not a name: give a name, or user")
        names = self.directory().names
        forms = names.forms(name)
        # By a name that is the owner's as it is asked, not by another name of a friend who is called the same.
        return forms | {OWNER} if {name_key(name), plain_key(name)} & (names.owner_forms() | _SELF) else forms

    def about(self, name: str) -> tuple[set[str], set[tuple[str, str]]]:
        """The statements about what bears a name, or that mention it, and the turns as (session, turn) that they rest on."""
        forms, names = self.forms(name), self.directory().names
        found = {statement.id for statement in self.statements(subject=name)}
        forms -= names.roles() | {OWNER}
        mentioned = {mention.statement for mention in self.graph.mentions() if names.form(mention.entity) in forms}
        statements = self.many(sorted(found | mentioned))
        return {s.id for s in statements}, {(item.session, item.turn) for s in statements for item in s.evidence}

    def entities(self, type_: str | None = None) -> list[Entity]:
        """The entities that statements tell of, in order of telling."""
        if type_ is not None and type_ not in ENTITY_TYPES:
            raise InputError(f"type {brief(type_)} is unknown: use one of {', '.join(ENTITY_TYPES)}")
        edges = [edge for edge in self.graph.same_as() if edge.recorded_at <= self.known_at]
        found = entities_of(directory_of(self.graph.entities(), edges, self.all()), self.graph.mentions())
        return [entity for entity in found if type_ is None or entity.type == type_]

    def same_as(self, statement: str) -> tuple[SameAs, ...]:
        """What a statement says of who is who."""
        edges = [edge for edge in self.graph.same_as() if edge.statement == statement]
        return same_as(self.directory(), edges) if edges else ()

    def contradictions(self, status: str | None = "open") -> list[Contradiction]:
        """Contradictions, oldest first; `status` is `open`, `resolved` or None for both."""
        if status not in ("open", "resolved", None):
            raise InputError(f"status {brief(status)} is unknown: use open or resolved")
        nodes = self.nodes()
        found: dict[str, Contradiction] = {}
        for node in nodes:
            for link, retired in node.links:
                if link.kind == "CONTRADICTS" and link.id not in found and link.recorded_at <= self.known_at:
                    made = self._contradiction(link, retired)
                    if made is not None:
                        found[link.id] = made
        ordered = sorted(found.values(), key=lambda c: (c.opened_at, c.id))
        return [c for c in ordered if status is None or c.status == status]

    def _contradiction(self, link: LinkRecord, retired: datetime | None) -> Contradiction | None:
        sides = self.many([link.source, link.target])
        if len(sides) < 2:
            return None
        a, b = sorted(sides, key=lambda s: said(self._seen[s.id][0].record))
        gone = retired is not None and retired <= self.known_at
        open_ = not gone and all(map(stands, sides))
        resolution = None
        if not open_:
            resolution = "; ".join(f"{side.text!r} is {side.status}" for side in (a, b) if side.status != "current")
        bounds = (link.overlap_from, link.overlap_to)
        return Contradiction(
            id=link.id,
            a=a,
            b=b,
            rule=link.rule,
            overlap=None if bounds == (None, None) else bounds,
            status="open" if open_ else "resolved",
            resolution=None if open_ else resolution or "no longer follows",
            opened_at=link.recorded_at,
        )

    def open_items(self) -> list[Statement]:
        """Tasks that are not done, the one due first in front, undated ones last."""
        found = [s for s in self.statements(status="current", kind="open_item") if s.tier in ACCEPTED]
        return sorted(found, key=lambda s: (s.details.get("due") or "9999", s.asserted_at, s.id))

    def profile(self, user: str, space: str, *, special: bool = False) -> Profile:
        """What currently holds, by subject and kind; suggestions and disputed history stay out.

        So do special categories unless `special` asks for them; they are counted.
        """
        groups: dict[str, list[Statement]] = {"fact": [], "preference": [], "procedure": []}
        planned: list[Statement] = []
        late: list[Statement] = []
        others: dict[str, list[Statement]] = {}
        held_back = 0
        for statement in self.all():
            if statement.tier not in ACCEPTED or statement.kind not in groups:
                continue
            if not special and statement.status in ("planned", "current") and is_special(statement):
                held_back += 1
                continue
            if statement.status == "planned" or (statement.status == "current" and statement.modality == "intended"):
                (late if past_due(statement, self.at) else planned).append(statement)
            elif statement.status == "current":
                if statement.subject == "user":
                    groups[statement.kind].append(statement)
                else:
                    others.setdefault(self._called(statement), []).append(statement)
        return Profile(
            user=user,
            space=space,
            facts=tuple(groups["fact"]),
            preferences=tuple(groups["preference"]),
            procedures=tuple(groups["procedure"]),
            planned=tuple(planned),
            others={name: tuple(found) for name, found in sorted(others.items())},
            held_back=held_back,
            past_due=tuple(late),
            aliases=self._aliases(others, special=special),
        )

    def _called(self, statement: Statement) -> str:
        """What the subject of a statement is called, if it has several names; else as the statement has it."""
        form = form_of(self._seen[statement.id][0].record.subject_key)
        return self._names().get(form, (statement.subject, ()))[0]

    def _names(self) -> dict[str, tuple[str, tuple[Alias, ...]]]:
        """By form of a name, what bears it is called and the other names."""
        if self._called_by is None:
            named = names_of(self.directory(only_joined=True)).items()
            called = {cell: found for group, found in named for cell in group}
            # Where a person and a thing have one name, statements about it are about the person.
            self._called_by = {cell[0]: called[cell] for cell in sorted(called, key=lambda cell: cell[1] == "person")}
        return self._called_by

    def _aliases(self, others: Collection[str], *, special: bool) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for form, (name, aliases) in sorted(self._names().items()):
            key = OWNER if form == OWNER else name
            if key != OWNER and name not in others:
                continue
            current = [a for a in aliases if a.status == "current"]
            if not special:
                current = [a for a in current if not any(is_special(s) for s in self.many(a.statements))]
            if current:
                found[key] = tuple(a.name for a in current)
        return found

    def sessions(self) -> list[SessionInfo]:
        """All sessions in order, with their summaries."""
        turns: dict[str, int] = {}
        for turn in self.graph.turns():
            turns[turn.session] = turns.get(turn.session, 0) + 1
        rests: dict[str, set[str]] = {}
        summaries: dict[str, str] = {}
        for statement in self.all():
            for item in statement.evidence:
                if statement.kind == "episode" and statement.details.get("type") == SESSION:
                    summaries[item.session] = statement.text
                elif not is_summary(statement):
                    rests.setdefault(item.session, set()).add(statement.id)
        return [
            SessionInfo(
                id=record.id,
                started=record.started,
                ended=record.ended,
                topic=record.topic,
                channel=record.channel,
                turns=turns.get(record.id, 0),
                statements=len(rests.get(record.id, ())),
                summary=summaries.get(record.id),
                recorded_at=record.recorded_at,
            )
            for record in self.graph.sessions()
            if record.recorded_at <= self.known_at
        ]
