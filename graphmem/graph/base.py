"""The graph protocol: what every engine guarantees, and the shapes in which it answers.

Invariant: a graph is a projection of the ledger.  It is written only by `apply` (one transaction, moving `applied_seq` in
it) and `load` (bulk, into an empty graph), and can be thrown away at any time.  Nobody above this package sees a query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from graphmem.records import (
    Confirmation,
    Delta,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    MentionRecord,
    Retirement,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VectorKind = Literal["turn", "pair", "statement"]


class Node(NamedTuple):
    """A statement with all that the graph knows of it.

    `links` are the live and retired links on either side, each with the time it was retired or None.
    """

    record: StatementRecord
    evidence: tuple[EvidenceRecord, ...]
    links: tuple[tuple[LinkRecord, datetime | None], ...]
    retirement: Retirement | None
    confirmations: tuple[Confirmation, ...]


class Near(NamedTuple):
    """One result of a vector search; `similarity` is the cosine in -1..1."""

    owner: str
    kind: str
    similarity: float


class Graph(Protocol):
    """One space's graph.  All methods but `apply`, `load` and `close` only read.  Ids that are unknown are left out."""

    engine: str

    def applied_seq(self) -> int:
        """The last ledger entry whose effect is in the graph; 0 for an empty one."""

    def apply(self, delta: Delta) -> None:
        """Take in a delta, all or nothing, durably; a delta at or below `applied_seq` changes nothing.

        A node that exists (same id) is left as it is.  An edge whose end is missing raises `GraphDamaged`.
        """

    def catch_up(self, deltas: Iterable[Delta]) -> int:
        """Take in the deltas above `applied_seq`, several to a transaction; how many those were."""

    def load(self, deltas: Iterable[Delta]) -> None:
        """Fill an empty graph fast from the whole history in order; the result equals that of applying each."""

    def nodes(self, ids: Collection[str] | None = None) -> list[Node]:
        """Statements by id (None: all), ordered by (asserted_at, order, id)."""

    def candidates(self, subjects: Collection[str], predicates: Collection[str], objects: Collection[str]) -> list[Node]:
        """Statements whose `subject_key` is in `subjects` and whose predicate or `object_key` is given; same order."""

    def turns(self, keys: Collection[str] | None = None) -> list[TurnRecord]:
        """Turns by key (None: all), ordered by (time, session, position)."""

    def around(self, key: str, before: int, after: int) -> list[TurnRecord]:
        """The turn and its neighbours along NEXT, in order of position; empty if the turn is unknown."""

    def sessions(self) -> list[SessionRecord]:
        """All sessions, ordered by (started, id)."""

    def entities(self) -> list[EntityRecord]:
        """All entities, ordered by id."""

    def mentions(self) -> list[MentionRecord]:
        """All edges from statements to entities, ordered by (statement, entity, kind)."""

    def same_as(self) -> list[SameAsRecord]:
        """All SAME_AS edges, one for each statement that says so, ordered by (source, target, statement)."""

    def mentioning(self, statements: Collection[str], limit: int) -> list[tuple[str, str, str]]:
        """Traversal: (statement, entity, other statement) for other statements that share an entity, at most `limit`."""

    def evidence_of(self, turn_keys: Collection[str]) -> list[tuple[str, str]]:
        """Traversal: (turn key, statement id) for statements that rest on these turns."""

    def nearest(
        self,
        query: NDArray[np.float32],
        *,
        kinds: Sequence[VectorKind],
        k: int,
        known_at: datetime | None = None,
    ) -> list[Near]:
        """Exact cosine search inside the engine, best first, ties by owner; `known_at` filters in the same query.

        `query` is float32, shape (dimension,).  At most `k` results over all kinds together.
        """

    def counts(self) -> dict[str, int]:
        """How many nodes and edges there are by table name."""

    def dump(self) -> dict[str, list[str]]:
        """The whole content by table as sorted canonical JSON lines (vectors to 5 digits): equal graphs, equal dumps."""

    def close(self) -> None:
        """Release files and locks; safe to call twice."""
