"""The graph in an embedded database: deltas in, records out, vectors compared inside the engine.

Invariant: `apply` is one transaction that moves `applied_seq` together with the content and the counts, so that a kill
at any moment leaves the graph before or after a delta and never between.  Nothing is deleted and no vector is changed;
what became of a statement or a link is written once, the first time, and never again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphmem.errors import GraphDamaged, InputError, StoreError
from graphmem.graph import queries, rows, schema
from graphmem.graph.base import Near, Node, VectorKind
from graphmem.graph.engine import Driver, Run
from graphmem.graph.rows import Batch
from graphmem.graph.writer import apply_batch, load_steps, singly
from graphmem.records import (
    Delta,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    MentionRecord,
    SameAsRecord,
    SessionRecord,
    TurnRecord,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Records that one transaction takes in when a graph is brought up to its ledger.
CATCH_UP_RECORDS = 2_000
# As `writer.NODES_READ_PER_KEY`, where nothing is written: an ingest that reads ahead has other threads at work, and then
# many short calls cost more than a long one.
READ_PER_KEY = 800
_EVER = datetime.max.replace(tzinfo=UTC)


class DatabaseGraph:
    """One space's graph in a kuzu or ladybug file; see `graphmem.graph.base.Graph` for what each method promises.

    `notices` tells what was found and done when it was opened.  `on_close` is called once, after the
    file was closed, with what `applied` gave last.
    """

    def __init__(
        self,
        driver: Driver,
        *,
        dimension: int,
        notices: Sequence[str] = (),
        on_close: Callable[[tuple[int, str]], None] | None = None,
    ) -> None:
        self.engine = driver.engine
        self.dimension = schema.checked_dimension(dimension)
        self.notices = tuple(notices)
        self._driver = driver
        self._on_close = on_close
        # How many nodes there were when that was last seen: it decides how keys are looked for.
        self._size: int | None = None
        # Where it stood when nothing had been written since: every question asks for that.
        self._stood = -1, 0

    # --- life -----------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """Make the tables of an empty file."""
        self.create_tables()
        self.finish(applied_seq=0, applied_hash="", nodes=0, edges=0)

    def create_tables(self) -> None:
        """Make the tables only: a graph without its state is not used before `finish`."""

        def work(run: Run) -> None:
            for definition in schema.definitions(self.dimension):
                run(definition, {})

        self._driver.write(work)

    def finish(self, *, applied_seq: int, applied_hash: str, nodes: int, edges: int) -> None:
        """Write the state of a graph that has none yet."""
        state: dict[str, Any] = {"applied_seq": applied_seq, "applied_hash": applied_hash, "nodes": nodes, "edges": edges}
        state |= {"version": schema.SCHEMA_VERSION, "dimension": self.dimension}
        self._driver.write(lambda run: run(queries.CREATE_META, state))

    def close(self) -> None:
        """Release the file; the last user of it in this process closes it."""
        applied = 0, ""
        if self._on_close is not None:
            with suppress(StoreError):  # closed before, or given up
                applied = self.applied()
        if self._driver.close() and self._on_close is not None:
            self._on_close(applied)

    def checkpoint(self) -> None:
        """Fold the log of a file that nothing refers to yet."""
        self._driver.checkpoint()

    def log_size(self) -> int:
        """Bytes in the write-ahead log, which grow with every `apply` until the graph is compacted."""
        return self._driver.log_size()

    def applied_seq(self) -> int:
        """The last ledger entry whose effect is in the graph."""
        moves = self._driver.moves()
        if self._stood[0] != moves:
            self._stood = moves, int(self.meta()[0])
        return self._stood[1]

    def applied(self) -> tuple[int, str]:
        """The last ledger entry whose effect is in the graph, and the hash that it had; (0, "") for none."""
        found = self._driver.query(queries.APPLIED)
        return (int(found[0][0]), str(found[0][1])) if found else (0, "")

    def meta(self) -> tuple[int, int, int, int, int]:
        """Applied seq, schema version, dimension, and the number of nodes and edges that were written."""
        found = self._driver.query(queries.META)
        if len(found) != 1 or any(not isinstance(value, int) for value in found[0]):
            raise GraphDamaged(f"the graph {self._driver.path} has no readable state: it is rebuilt from the ledger")
        seq, version, dimension, nodes, edges = found[0]
        self._size = nodes
        return seq, version, dimension, nodes, edges

    # --- writing --------------------------------------------------------------------------------------------------

    def apply(self, delta: Delta) -> None:
        """Take in a delta in one transaction."""
        batch = Batch()
        batch.add(delta)
        self._write(batch)

    def catch_up(self, deltas: Iterable[Delta]) -> int:
        """Take in what is missing, several deltas to a transaction; the number of deltas that were taken in.

        An entry of the ledger often changes little, and a transaction costs a write to the disk.
        """
        batch = Batch(seq=self.applied_seq())
        taken = 0
        for delta in deltas:
            if delta.seq <= batch.seq:
                continue
            batch.add(delta)
            taken += 1
            if len(batch.statements) + len(batch.turns) + len(batch.vectors) > CATCH_UP_RECORDS:
                self._write(batch)
                batch = Batch(seq=batch.seq)
        if taken:
            self._write(batch)
        return taken

    def _write(self, batch: Batch) -> None:
        self._check_vectors(batch)

        def work(run: Run) -> None:
            seq, _, _, nodes, _ = run(queries.META, {})[0]
            if batch.seq > seq:
                self._size = nodes
                apply_batch(run, batch, size=nodes)

        self._driver.write(work)

    def load(self, deltas: Iterable[Delta]) -> None:
        """Fill an empty graph from the whole history, folded first, in a few large transactions.

        All of it is in the log then, and in memory: a long history is filled by `graphmem.graph.fill`.  `applied_seq`
        moves in the last transaction: a load that was cut short is seen as one that never was, and applying the history
        to what it left gives the same graph.
        """
        if any(self.meta()[index] for index in (0, 3, 4)):
            raise StoreError(f"the graph {self._driver.path} is not empty: load fills a new one")
        batch = Batch()
        for delta in deltas:
            batch.add(delta)
        self._check_vectors(batch)
        for step in load_steps(batch):
            self._driver.write(step)

    def _check_vectors(self, batch: Batch) -> None:
        for vector in batch.vectors.values():
            if len(vector.values) != self.dimension:
                raise InputError(
                    f"vector {vector.id} has {len(vector.values)} numbers, the graph holds vectors of "
                    f"{self.dimension}: rebuild the graph with the embedder in use"
                )

    # --- statements -----------------------------------------------------------------------------------------------

    def nodes(self, ids: Collection[str] | None = None) -> list[Node]:
        """Statements by id (None: all), in the order in which they were said."""
        query = self._driver.query
        if ids is None:
            found = query(queries.DUMP["Statement"])
            evidence = query(queries.DUMP["EVIDENCE"])
            links = query(queries.LINKS)
        else:
            found = self._by_ids(queries.STATEMENTS_BY_ID, ids, one=queries.STATEMENT)
            evidence = self._by_ids(queries.EVIDENCE_BY_STATEMENT, ids, one=queries.EVIDENCE_FOR)
            links = self._by_ids(queries.LINKS_FROM, ids, one=queries.LINKS_FROM_ONE)
            links += self._by_ids(queries.LINKS_TO, ids, one=queries.LINKS_TO_ONE)
        quoted: dict[str, list[EvidenceRecord]] = {}
        for item in map(rows.evidence_of, evidence):
            quoted.setdefault(item.statement, []).append(item)
        linked: dict[str, dict[str, tuple[LinkRecord, datetime | None]]] = {}
        for link, retired_at in map(rows.link_of, links):
            for end in (link.source, link.target):
                linked.setdefault(end, {})[link.id] = (link, retired_at)
        result = [
            rows.make_node(record, quoted.get(record.id, ()), linked.get(record.id, {}).values(), retirement, confirmations)
            for record, retirement, confirmations in map(rows.statement_of, found)
        ]
        return sorted(result, key=lambda node: rows.node_order(node.record))

    def candidates(self, subjects: Collection[str], predicates: Collection[str], objects: Collection[str]) -> list[Node]:
        """Statements about one of the subjects with one of the predicates or objects."""
        if not subjects or not (predicates or objects):
            return []
        found = self._driver.query(
            queries.CANDIDATES,
            {"subjects": sorted(subjects), "predicates": sorted(predicates), "objects": sorted(objects)},
        )
        return self.nodes([identifier for (identifier,) in found])

    # --- turns, sessions, entities --------------------------------------------------------------------------------

    def turns(self, keys: Collection[str] | None = None) -> list[TurnRecord]:
        """Turns by key (None: all), by time."""
        if keys is None:
            found = self._driver.query(queries.DUMP["Turn"])
        else:
            found = self._by_ids(queries.TURNS_BY_KEY, keys, one=queries.TURN)
        return sorted(map(rows.turn_of, found), key=rows.turn_order)

    def around(self, key: str, before: int, after: int) -> list[TurnRecord]:
        """The turn and its neighbours along NEXT."""
        own = self.turns([key])
        if not own:
            return []
        earlier = self._walk(queries.TURNS_BEFORE, key, before)
        later = self._walk(queries.TURNS_AFTER, key, after)
        return sorted([*earlier, *own, *later], key=lambda turn: (turn.position, turn.key))

    def _walk(self, query: str, key: str, steps: int) -> list[TurnRecord]:
        found: dict[str, TurnRecord] = {}
        starts = [key]
        while steps > 0 and starts:
            stride = min(steps, queries.WALK)
            ends = []
            for start in starts:
                for length, *row in self._driver.query(query, {"key": start}):
                    other = row[0]
                    if length <= stride and other not in found:
                        found[other] = rows.turn_of(row)
                        if length == stride:
                            ends.append(other)
            starts = ends
            steps -= stride
        return list(found.values())

    def sessions(self) -> list[SessionRecord]:
        """All sessions by start."""
        found = map(rows.session_of, self._driver.query(queries.DUMP["Session"]))
        return sorted(found, key=lambda session: (session.started, session.id))

    def entities(self) -> list[EntityRecord]:
        """All entities by id."""
        found = [
            EntityRecord(id=identifier, name=name, type=kind, key=key)
            for identifier, name, kind, key in self._driver.query(queries.ENTITIES)
        ]
        return sorted(found, key=lambda entity: entity.id)

    def mentions(self) -> list[MentionRecord]:
        """All edges from statements to entities."""
        found = [
            MentionRecord(statement=statement, entity=entity, kind=kind, tier=tier)
            for kind, query in queries.MENTIONS.items()
            for statement, entity, tier in self._driver.query(query)
        ]
        return sorted(found, key=lambda mention: (mention.statement, mention.entity, mention.kind))

    def same_as(self) -> list[SameAsRecord]:
        """All edges between entities that may be one."""
        found = [
            SameAsRecord(source=source, target=target, tier=tier, rule=rule, recorded_at=recorded_at, statement=statement)
            for source, target, tier, rule, recorded_at, statement in self._driver.query(queries.SAME_AS)
        ]
        return sorted(found, key=lambda same: (same.source, same.target, same.statement))

    # --- traversal ------------------------------------------------------------------------------------------------

    def mentioning(self, statements: Collection[str], limit: int) -> list[tuple[str, str, str]]:
        """Other statements that share an entity, those of the rarest entities first.

        Nearly every statement shares the user; what shares a rare entity says more, and a common one is not read at
        all once the limit is reached.
        """
        if limit <= 0:
            return []
        pairs = [(str(one), str(two)) for one, two in self._by_ids(queries.ENTITIES_OF, statements)]
        degrees = {name: count for name, count in self._by_ids(queries.DEGREES, {two for _, two in pairs})}
        result: list[tuple[str, str, str]] = []
        for degree in sorted(set(degrees.values())):
            level = {name for name, count in degrees.items() if count == degree}
            members: dict[str, list[str]] = {}
            if degree > 1:
                for entity, other in self._by_ids(queries.STATEMENTS_ABOUT, level):
                    members.setdefault(entity, []).append(other)
            result += sorted(
                (statement, entity, other)
                for statement, entity in pairs
                for other in members.get(entity, ())
                if other != statement
            )
            if len(result) >= limit:
                break
        return result[:limit]

    def evidence_of(self, turn_keys: Collection[str]) -> list[tuple[str, str]]:
        """Statements that rest on these turns."""
        return sorted((turn, statement) for turn, statement in self._by_ids(queries.EVIDENCE_OF, turn_keys))

    def nearest(
        self,
        query: NDArray[np.float32],
        *,
        kinds: Sequence[VectorKind],
        k: int,
        known_at: datetime | None = None,
    ) -> list[Near]:
        """Exact cosine search inside the engine."""
        if query.shape != (self.dimension,):
            raise InputError(
                f"the query vector has shape {query.shape}, the graph holds vectors of {self.dimension}: "
                "use the embedder that the graph was built with"
            )
        numbers = query.astype("float64").tolist()
        if k <= 0 or not kinds or not any(numbers):
            return []
        found = self._driver.query(
            queries.NEAREST,
            {"query": numbers, "kinds": sorted(set(kinds)), "known_at": known_at or _EVER, "k": int(k)},
        )
        return [Near(owner=owner, kind=kind, similarity=similarity) for owner, kind, similarity in found]

    # --- whole content --------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many nodes and edges there are by table."""
        return {table: self._driver.query(text)[0][0] for table, text in queries.COUNTS.items()}

    def totals(self) -> tuple[int, int]:
        """How many nodes (without the graph's own state) and edges there are."""
        nodes = self._driver.query(queries.COUNT_NODES)[0][0] - 1
        return nodes, self._driver.query(queries.COUNT_EDGES)[0][0]

    def dump(self) -> dict[str, list[str]]:
        """The whole content by table as sorted canonical JSON lines."""
        return {table: self.lines(table) for table in schema.TABLES}

    def lines(self, table: str) -> list[str]:
        """One table of a dump."""
        columns = schema.COLUMNS[table]
        found = self._driver.query(queries.DUMP[table])
        return sorted(rows.line(dict(zip(columns, row, strict=True))) for row in found)

    def sample(self, size: int) -> Iterator[tuple[str, str, bool]]:
        """Some keys of each node table, and whether looking each up finds it: (table, key, found)."""
        for table, text in queries.SAMPLE.items():
            for (key,) in self._driver.query(text, {"k": size}):
                found = self._driver.query(queries.EXISTING_NODES[table], {"ids": [key]})
                yield table, str(key), found == [[key]]

    def vectors_readable(self) -> bool:
        """Whether every vector can be read and has a length."""
        count, total = self._driver.query(queries.VECTOR_SUM)[0]
        return count == 0 or (total is not None and 0.0 <= total <= count * 1.001)

    def _nodes_seen(self) -> int:
        if self._size is None:
            self.meta()
        return self._size or 0

    def _by_ids(self, query: str, ids: Collection[str], *, one: str = "") -> list[list[Any]]:
        """Rows for some ids, through the query for `one` of them where that is sooner."""
        if not ids:
            return []  # an empty list has no type that the engine could bind
        wanted = sorted(set(ids))
        if one and singly(len(wanted), self._nodes_seen(), read_per_key=READ_PER_KEY):
            return self._driver.each(one, [{"id": identifier} for identifier in wanted])
        return self._driver.query(query, {"ids": wanted})
