"""The graph in memory, on NetworkX: the plainest reading of the protocol, against which the engines are tested.

Invariant: it answers as `graphmem.graph.base.Graph` says and shares no query and no storage with the engines, only the
columns of a row (for `dump`) and the order of results.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphmem.errors import GraphDamaged, InputError, StoreError
from graphmem.graph import rows, schema
from graphmem.graph.base import Near, Node, VectorKind
from graphmem.records import (
    Delta,
    EntityRecord,
    MentionRecord,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    VectorRecord,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = tuple[str, str]


class ReferenceGraph:
    """One space's graph in memory; gone when the process ends.

    Nodes are keyed by (table, key) and hold their record; edges are keyed by (table, id) and hold theirs.
    """

    engine = "reference"

    def __init__(self, dimension: int | None = None) -> None:
        import networkx

        self.dimension = None if dimension is None else schema.checked_dimension(dimension)
        self.notices: tuple[str, ...] = ()
        self._graph: Any = networkx.MultiDiGraph()
        self._seq = 0

    def applied_seq(self) -> int:
        """The last ledger entry whose effect is in the graph."""
        return self._seq

    def log_size(self) -> int:
        """There is no log."""
        return 0

    def close(self) -> None:
        """Nothing to release."""

    # --- writing --------------------------------------------------------------------------------------------------

    def apply(self, delta: Delta) -> None:
        """Take in a delta; an error leaves the graph as it was."""
        if delta.seq <= self._seq:
            return
        before = self._graph
        # Attributes are replaced and never changed in place, so that a shallow copy is a way back.
        self._graph = before.copy()
        done = False
        try:
            self._take([delta])
            done = True
        finally:
            if not done:
                self._graph = before

    def catch_up(self, deltas: Iterable[Delta]) -> int:
        """Take in what is missing; the number of deltas that were taken in."""
        missing = [delta for delta in deltas if delta.seq > self._seq]
        for delta in missing:
            self.apply(delta)
        return len(missing)

    def load(self, deltas: Iterable[Delta]) -> None:
        """Take in the history, all nodes before the first edge; an error leaves the graph empty."""
        if self._seq or len(self._graph):
            raise StoreError("the graph is not empty: load fills a new one")
        done = False
        try:
            self._take(list(deltas))
            done = True
        finally:
            if not done:
                self._graph.clear()
                self._seq = 0

    def _take(self, deltas: list[Delta]) -> None:
        seq, fresh = self._seq, []
        for delta in deltas:
            if delta.seq > seq:
                seq = delta.seq
                fresh.append(delta)
        for delta in fresh:
            self._take_nodes(delta)
        for delta in fresh:
            self._take_edges(delta)
        for delta in fresh:
            self._take_fates(delta)
        self._seq = seq

    def _take_nodes(self, delta: Delta) -> None:
        for session in delta.sessions:
            self._add_node("Session", session.id, session)
        for turn in delta.turns:
            if self._add_node("Turn", turn.key, turn):
                # Edges wait until all turns of the delta are there.
                self._graph.nodes["Turn", turn.key]["new"] = True
        for statement in delta.statements:
            self._add_node("Statement", statement.id, statement)
        for entity in delta.entities:
            self._add_node("Entity", entity.id, entity)
        for vector in delta.vectors:
            if self.dimension is not None and len(vector.values) != self.dimension:
                raise InputError(
                    f"vector {vector.id} has {len(vector.values)} numbers, the graph holds vectors of "
                    f"{self.dimension}: rebuild the graph with the embedder in use"
                )
            self._add_node("Vector", vector.id, vector)

    def _take_edges(self, delta: Delta) -> None:
        for turn in delta.turns:
            if self._graph.nodes["Turn", turn.key].pop("new", False):
                own = ("Turn", turn.key)
                self._add_edge("IN_SESSION", "", own, ("Session", turn.session), turn)
                if turn.previous is not None:
                    self._add_edge("NEXT", "", ("Turn", turn.previous), own, turn)
        for item in delta.evidence:
            self._add_edge("EVIDENCE", item.id, ("Statement", item.statement), ("Turn", item.turn_key), item)
        for mention in delta.mentions:
            ends = ("Statement", mention.statement), ("Entity", mention.entity)
            self._add_edge(mention.kind, "", *ends, mention)
        for same in delta.same_as:
            self._add_edge("SAME_AS", same.statement, ("Entity", same.source), ("Entity", same.target), same)
        for link in delta.links:
            self._add_edge(link.kind, link.id, ("Statement", link.source), ("Statement", link.target), link)

    def _take_fates(self, delta: Delta) -> None:
        # What became of a statement or link that was erased means nothing.
        for retirement in delta.retirements:
            self._statement_data(retirement.statement).setdefault("retirement", retirement)
        for confirmation in delta.confirmations:
            data = self._statement_data(confirmation.statement)
            known = data.get("confirmations", ())
            if confirmation not in known:
                data["confirmations"] = (*known, confirmation)
        links: dict[str, dict[str, Any]] = {}
        if delta.links_retired:
            links = {data["record"].id: data for data in self._edges(*schema.LINK_TABLES)}
        for retired in delta.links_retired:
            if retired.link in links:
                links[retired.link].setdefault("retired", retired)

    def _add_node(self, table: str, key: str, record: Any) -> bool:
        if (table, key) in self._graph:
            return False
        self._graph.add_node((table, key), record=record)
        return True

    def _add_edge(self, table: str, identifier: str, source: Key, target: Key, record: Any) -> None:
        for end in (source, target):
            if end not in self._graph:
                raise GraphDamaged(
                    f"a {table} edge names {end[0]} {end[1]}, which the graph does not have: rebuild it from the ledger"
                )
        if not self._graph.has_edge(source, target, (table, identifier)):
            self._graph.add_edge(source, target, (table, identifier), record=record)

    def _statement_data(self, identifier: str) -> dict[str, Any]:
        end = ("Statement", identifier)
        data: dict[str, Any] = self._graph.nodes[end] if end in self._graph else {}
        return data

    # --- access ---------------------------------------------------------------------------------------------------

    def _records(self, table: str) -> list[Any]:
        return [data["record"] for (kind, _), data in self._graph.nodes(data=True) if kind == table]

    def _edges(self, *tables: str) -> list[dict[str, Any]]:
        return [data for _, _, (kind, _), data in self._graph.edges(keys=True, data=True) if kind in tables]

    def _about(self, end: Key, *, outgoing: bool) -> set[str]:
        step = self._graph.out_edges if outgoing else self._graph.in_edges
        return {(two if outgoing else one)[1] for one, two, (kind, _) in step(end, keys=True) if kind in schema.MENTION_TABLES}

    # --- statements -----------------------------------------------------------------------------------------------

    def nodes(self, ids: Collection[str] | None = None) -> list[Node]:
        """Statements by id (None: all), in the order in which they were said."""
        records = self._records("Statement")
        wanted = {record.id for record in records} if ids is None else set(ids)
        found = sorted((record for record in records if record.id in wanted), key=rows.node_order)
        return [self._statement(record) for record in found]

    def _statement(self, record: StatementRecord) -> Node:
        own = ("Statement", record.id)
        data = self._graph.nodes[own]
        out = list(self._graph.out_edges(own, keys=True, data=True))
        links = {
            edge["record"].id: (edge["record"], edge["retired"].at if "retired" in edge else None)
            for _, _, (kind, _), edge in [*out, *self._graph.in_edges(own, keys=True, data=True)]
            if kind in schema.LINK_TABLES
        }
        return rows.make_node(
            record,
            [edge["record"] for _, _, (kind, _), edge in out if kind == "EVIDENCE"],
            links.values(),
            data.get("retirement"),
            data.get("confirmations", ()),
        )

    def candidates(self, subjects: Collection[str], predicates: Collection[str], objects: Collection[str]) -> list[Node]:
        """Statements about one of the subjects with one of the predicates or objects."""
        return self.nodes(
            [
                record.id
                for record in self._records("Statement")
                if record.subject_key in subjects and (record.predicate in predicates or record.object_key in objects)
            ]
        )

    # --- turns, sessions, entities --------------------------------------------------------------------------------

    def turns(self, keys: Collection[str] | None = None) -> list[TurnRecord]:
        """Turns by key (None: all), by time."""
        found = [turn for turn in self._records("Turn") if keys is None or turn.key in keys]
        return sorted(found, key=rows.turn_order)

    def around(self, key: str, before: int, after: int) -> list[TurnRecord]:
        """The turn and its neighbours along NEXT."""
        own = ("Turn", key)
        if own not in self._graph:
            return []
        reached = {own}
        for steps, outgoing in ((before, False), (after, True)):
            level = {own}
            for _ in range(steps):
                edges = (self._graph.out_edges if outgoing else self._graph.in_edges)(level, keys=True)
                level = {two if outgoing else one for one, two, (kind, _) in edges if kind == "NEXT"}
                reached |= level
        found = [self._graph.nodes[end]["record"] for end in reached]
        return sorted(found, key=lambda turn: (turn.position, turn.key))

    def sessions(self) -> list[SessionRecord]:
        """All sessions by start."""
        return sorted(self._records("Session"), key=lambda session: (session.started, session.id))

    def entities(self) -> list[EntityRecord]:
        """All entities by id."""
        return sorted(self._records("Entity"), key=lambda entity: entity.id)

    def mentions(self) -> list[MentionRecord]:
        """All edges from statements to entities."""
        found = [data["record"] for data in self._edges(*schema.MENTION_TABLES)]
        return sorted(found, key=lambda mention: (mention.statement, mention.entity, mention.kind))

    def same_as(self) -> list[SameAsRecord]:
        """All edges between entities that may be one."""
        found = [data["record"] for data in self._edges("SAME_AS")]
        return sorted(found, key=lambda same: (same.source, same.target, same.statement))

    # --- traversal ------------------------------------------------------------------------------------------------

    def mentioning(self, statements: Collection[str], limit: int) -> list[tuple[str, str, str]]:
        """Other statements that share an entity, those of the rarest entities first."""
        found = []
        for statement in set(statements):
            if ("Statement", statement) not in self._graph:
                continue
            for entity in self._about(("Statement", statement), outgoing=True):
                others = self._about(("Entity", entity), outgoing=False)
                found += [(len(others), statement, entity, other) for other in others if other != statement]
        return [(statement, entity, other) for _, statement, entity, other in sorted(found)[: max(limit, 0)]]

    def evidence_of(self, turn_keys: Collection[str]) -> list[tuple[str, str]]:
        """Statements that rest on these turns."""
        found = {(data["record"].turn_key, data["record"].statement) for data in self._edges("EVIDENCE")}
        return sorted(pair for pair in found if pair[0] in turn_keys)

    def nearest(
        self,
        query: NDArray[np.float32],
        *,
        kinds: Sequence[VectorKind],
        k: int,
        known_at: datetime | None = None,
    ) -> list[Near]:
        """Exact cosine search with numpy."""
        import numpy

        found: list[VectorRecord] = [
            vector
            for vector in self._records("Vector")
            if vector.kind in kinds and (known_at is None or vector.recorded_at <= known_at)
        ]
        dimension = self.dimension or (len(found[0].values) if found else len(query))
        if query.shape != (dimension,):
            raise InputError(
                f"the query vector has shape {query.shape}, the graph holds vectors of {dimension}: "
                "use the embedder that the graph was built with"
            )
        if k <= 0 or not found or not query.any():
            return []
        matrix = numpy.array([vector.values for vector in found], dtype=numpy.float64)
        lengths = numpy.linalg.norm(matrix, axis=1) * numpy.linalg.norm(query.astype(numpy.float64))
        # A vector of zeros has no direction and is near nothing.
        similarities = (matrix @ query.astype(numpy.float64)) / numpy.where(lengths == 0, 1.0, lengths)
        near = [
            Near(owner=vector.owner, kind=vector.kind, similarity=float(similarity))
            for vector, similarity in zip(found, similarities, strict=True)
        ]
        return sorted(near, key=lambda item: (-item.similarity, item.owner, item.kind))[:k]

    # --- whole content --------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many nodes and edges there are by table."""
        counts = dict.fromkeys(schema.TABLES, 0)
        for table, _ in self._graph.nodes:
            counts[table] += 1
        for _, _, (table, _) in self._graph.edges(keys=True):
            counts[table] += 1
        return counts

    def dump(self) -> dict[str, list[str]]:
        """The whole content by table as sorted canonical JSON lines."""
        lines: dict[str, list[str]] = {table: [] for table in schema.TABLES}
        for (table, _), data in self._graph.nodes(data=True):
            lines[table].append(rows.line(_node_row(table, data)))
        for source, target, (table, _), data in self._graph.edges(keys=True, data=True):
            lines[table].append(rows.line(_edge_row(table, source[1], target[1], data)))
        return {table: sorted(found) for table, found in lines.items()}


def _node_row(table: str, data: dict[str, Any]) -> rows.Row:
    record = data["record"]
    if table == "Statement":
        return rows.statement_row(record, data.get("retirement"), data.get("confirmations", ()))
    builders: dict[str, Any] = {
        "Session": rows.session_row,
        "Turn": rows.turn_row,
        "Entity": rows.entity_row,
        "Vector": rows.vector_row,
    }
    row: rows.Row = builders[table](record)
    return row


def _edge_row(table: str, source: str, target: str, data: dict[str, Any]) -> rows.Row:
    record = data["record"]
    if table == "EVIDENCE":
        return rows.evidence_row(record)
    if table in schema.LINK_TABLES:
        return rows.link_row(record, data.get("retired"))
    if table == "SAME_AS":
        return rows.same_as_row(record)
    ends: rows.Row = {"source": source, "target": target}
    return ends | {"tier": record.tier} if table in schema.MENTION_TABLES else ends


def filled(deltas: Iterable[Delta], *, dimension: int) -> ReferenceGraph:
    """A graph in memory that holds a history."""
    graph = ReferenceGraph(dimension=dimension)
    graph.load(deltas)
    return graph
