"""What an agent may see of a graph: a graph with the rest left out, so that nothing that is hidden is searched or counted.

Statements that nobody stated (suggestions) and those of special categories are left out with all that only they have: links,
mentions, names, sessions.  Of turns there are those of people's own words that no hidden statement rests on.

Invariant: what is left out has no part in any answer: not in a score, a count, a name or a path.  A statement that a hidden
one ended has ended all the same; by what is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from graphmem.errors import AccessDenied
from graphmem.graph.base import Graph, Near, Node, VectorKind
from graphmem.personal.categories import special_category
from graphmem.records import (
    Delta,
    EntityRecord,
    MentionRecord,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ACCEPTED = frozenset({"stated", "confirmed"})
_NOTHING = Delta(seq=0)


class Visible(NamedTuple):
    """The ids and keys of what may be seen of one state of a graph.

    `pairs` are turns that may be seen with the one before, `whole` sessions of which nothing is hidden.
    """

    seq: int
    statements: frozenset[str]
    turns: frozenset[str]
    pairs: frozenset[str]
    sessions: frozenset[str]
    whole: frozenset[str]
    entities: frozenset[str]

    def vector(self, kind: str, owner: str) -> bool:
        """Whether a vector is one of words that may be seen, and of no others."""
        return owner in (self.statements if kind == "statement" else self.pairs if kind == "pair" else self.turns)


def is_open(node: Node) -> bool:
    """Whether a statement was stated by somebody and is of no special category."""
    record = node.record
    stated = node.confirmations or any(item.tier in ACCEPTED for item in node.evidence)
    doubtful = record.modality in ("possible", "hypothetical")
    return bool(stated) and not doubtful and not is_special_record(record)


def is_special_record(record: StatementRecord) -> bool:
    """Whether a statement belongs to a special category, by its mark or by its words."""
    return record.sensitivity == "special" or special_category(record.text, record.predicate) is not None


def visible(graph: Graph) -> Visible:
    """What may be seen of a graph as it stands."""
    seq, nodes = graph.applied_seq(), graph.nodes()
    shown = {node.record.id: node for node in nodes if is_open(node)}
    shut = {item.turn_key for node in nodes if node.record.id not in shown for item in node.evidence}
    every = graph.turns()
    turns = {turn.key: turn for turn in every if turn.key not in shut and _is_own(turn)}
    pairs = {key for key, turn in turns.items() if turn.previous is None or turn.previous in turns}
    sessions = {turn.session for turn in turns.values()} | {e.session for node in shown.values() for e in node.evidence}
    partly = {turn.session for turn in every if turn.key not in turns}
    partly |= {item.session for node in nodes if node.record.id not in shown for item in node.evidence}
    entities = {mention.entity for mention in graph.mentions() if mention.statement in shown}
    entities |= {end for pair in graph.same_as() if pair.statement in shown for end in (pair.source, pair.target)}
    return Visible(
        seq, statements=frozenset(shown), turns=frozenset(turns), pairs=frozenset(pairs), sessions=frozenset(sessions),
        whole=frozenset(sessions - partly), entities=frozenset(entities),
    )  # fmt: skip


def _is_own(turn: TurnRecord) -> bool:
    """Whether all of a turn is its speaker's own word, and none of it of a special category."""
    return turn.role == "user" and not turn.spans and special_category(turn.text) is None


class Sight:
    """What may be seen of the graph that a memory has open, worked out once for each of its states."""

    def __init__(self) -> None:
        self._graph: Graph | None = None
        self._visible: Visible | None = None

    def of(self, graph: Graph) -> Visible:
        """What may be seen of a graph now."""
        seq = graph.applied_seq()
        if self._visible is None or self._graph is not graph or self._visible.seq != seq:
            self._graph, self._visible = graph, visible(graph)
        return self._visible

    def pass_by(self, delta: Delta, *, before: int) -> bool:
        """Whether a delta that was just applied changes nothing that is seen; then what was worked out stays good."""
        if delta.model_copy(update={"seq": 0, "hash": ""}) != _NOTHING:
            return False
        if self._visible is not None and self._visible.seq == before:
            self._visible = self._visible._replace(seq=delta.seq)
        return True


class Seen:
    """A graph with what may not be seen left out; see `graphmem.graph.base.Graph` for the methods.

    Args:
        graph: the whole graph.
        sight: gives what may be seen of it.
    """

    def __init__(self, graph: Graph, sight: Callable[[Graph], Visible]) -> None:
        self.engine = graph.engine
        self.whole = graph
        self._sight = sight

    @property
    def _visible(self) -> Visible:
        return self._sight(self.whole)

    def applied_seq(self) -> int:
        """The last ledger entry whose effect is in the graph."""
        return self.whole.applied_seq()

    def nodes(self, ids: Collection[str] | None = None) -> list[Node]:
        """Statements by id, or all."""
        shown = self._visible.statements
        return self._open(self.whole.nodes(None if ids is None else [id_ for id_ in ids if id_ in shown]))

    def candidates(self, subjects: Collection[str], predicates: Collection[str], objects: Collection[str]) -> list[Node]:
        """Statements of subjects, by predicate or object."""
        return self._open(self.whole.candidates(subjects, predicates, objects))

    def _open(self, nodes: Iterable[Node]) -> list[Node]:
        shown, found = self._visible.statements, []
        for node in nodes:
            if node.record.id in shown:
                links = [
                    (link, retired)
                    for link, retired in node.links
                    # What ended or corrected a statement counts, whoever may see it.
                    if (link.kind in ("SUPERSEDES", "CORRECTS") and link.target == node.record.id)
                    or (link.source in shown and link.target in shown)
                ]
                found.append(node._replace(links=tuple(links)))
        return found

    def turns(self, keys: Collection[str] | None = None) -> list[TurnRecord]:
        """Turns by key, or all."""
        shown = self._visible.turns
        found = self.whole.turns(None if keys is None else [key for key in keys if key in shown])
        return [turn for turn in found if turn.key in shown]

    def around(self, key: str, before: int, after: int) -> list[TurnRecord]:
        """The turn and its neighbours, as far as they may be seen."""
        shown = self._visible.turns
        return [turn for turn in self.whole.around(key, before, after) if turn.key in shown] if key in shown else []

    def sessions(self) -> list[SessionRecord]:
        """Sessions of which anything may be seen; what they are about is told of those of which everything may."""
        shown, whole = self._visible.sessions, self._visible.whole
        found = [session for session in self.whole.sessions() if session.id in shown]
        return [one if one.topic is None or one.id in whole else one.model_copy(update={"topic": None}) for one in found]

    def entities(self) -> list[EntityRecord]:
        """Who and what the statements mention."""
        shown = self._visible.entities
        return [entity for entity in self.whole.entities() if entity.id in shown]

    def mentions(self) -> list[MentionRecord]:
        """Edges from statements to entities."""
        shown = self._visible.statements
        return [mention for mention in self.whole.mentions() if mention.statement in shown]

    def same_as(self) -> list[SameAsRecord]:
        """Names that statements say are one."""
        shown = self._visible.statements
        return [pair for pair in self.whole.same_as() if pair.statement in shown]

    def mentioning(self, statements: Collection[str], limit: int) -> list[tuple[str, str, str]]:
        """Other statements that share an entity."""
        shown = self._visible.statements
        found = self.whole.mentioning([one for one in statements if one in shown], sum(self.whole.counts().values()))
        return [row for row in found if row[2] in shown][:limit]

    def evidence_of(self, turn_keys: Collection[str]) -> list[tuple[str, str]]:
        """Statements that rest on turns."""
        shown = self._visible
        found = self.whole.evidence_of([key for key in turn_keys if key in shown.turns])
        return [row for row in found if row[1] in shown.statements]

    def nearest(
        self, query: NDArray[np.float32], *, kinds: Sequence[VectorKind], k: int, known_at: datetime | None = None
    ) -> list[Near]:
        """Exact cosine search among what may be seen: what may not takes nobody's place."""
        shown = self._visible
        every = max(1, sum(self.whole.counts().values()))
        found = self.whole.nearest(query, kinds=kinds, k=every, known_at=known_at)
        return [near for near in found if shown.vector(near.kind, near.owner)][:k]

    def counts(self) -> dict[str, int]:
        """How many there are of what is seen."""
        shown = self._visible
        return {"Statement": len(shown.statements), "Turn": len(shown.turns), "Session": len(shown.sessions)}

    def apply(self, delta: Delta) -> None:
        """Refused: this is for reading."""
        self._refuse()

    def catch_up(self, deltas: Iterable[Delta]) -> int:
        """Refused: this is for reading."""
        self._refuse()

    def load(self, deltas: Iterable[Delta]) -> None:
        """Refused: this is for reading."""
        self._refuse()

    def dump(self) -> dict[str, list[str]]:
        """Refused: it would be the whole."""
        self._refuse()

    def close(self) -> None:
        """Nothing: the graph belongs to its space."""

    def _refuse(self) -> NoReturn:
        raise AccessDenied("what an agent sees of a graph can only be read: write through the memory")
