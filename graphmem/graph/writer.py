"""Writing a batch of records into the database, in the order that its edges need.

Invariant: everything of a batch is written or, with an error, nothing: the caller runs these functions inside a
transaction.  What exists is left as it is; an edge that does not find both ends is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from graphmem.errors import GraphDamaged
from graphmem.graph import queries
from graphmem.graph.engine import Run
from graphmem.graph.rows import Batch, EdgeKey, Row, confirmations_of, confirmations_text, naive_text
from graphmem.graph.rows import body as record_body
from graphmem.graph.schema import LINK_TABLES, OPTIONAL_TIMES

K = TypeVar("K")
Step = Callable[[Run], None]

# Rows that one query carries, and that one transaction of a bulk load carries: the engine keeps a transaction in its
# buffer pool, where vectors take the most room.
QUERY_ROWS = 500
LOAD_ROWS = 4_000
LOAD_VECTORS = 1_000
# As many nodes are read in the time that one key takes to be found by the index (measured with kuzu 0.11.3: 0.15 to 0.4 ms).
NODES_READ_PER_KEY = 150


def bound(row: Row) -> Row:
    """A row as it travels: no absent values, so that all rows of a batch have the same types."""
    result: Row = {}
    for name, value in row.items():
        if name in OPTIONAL_TIMES:
            result[name] = naive_text(value)
        elif name == "values":
            result[name] = vector_text(value)
        else:
            result[name] = "" if value is None else value
    return result


def vector_text(values: Sequence[float]) -> str:
    """A vector as it travels; nine digits name a 32-bit float exactly."""
    return _pattern(len(values)) % tuple(values)


@lru_cache(maxsize=8)
def _pattern(dimension: int) -> str:
    return "[" + ",".join(["%.9g"] * dimension) + "]"


def apply_batch(run: Run, batch: Batch, *, size: int) -> None:
    """Write a batch into a graph that may hold some of it already, and move the sequence number.

    `size` is the number of nodes in the graph; it decides how keys are looked for and nothing else.
    """
    nodes = edges = 0
    new: dict[str, set[str]] = {}
    for table, node_rows in batch.node_rows().items():
        # What is new has no vectors yet, and a new session no turns.
        if table == "Vector":
            owned = new["Turn"] | new["Statement"]
            asked = [key for key, row in node_rows.items() if row["owner"] not in owned]
        elif table == "Turn":
            asked = [key for key, row in node_rows.items() if row["session"] not in new["Session"]]
        else:
            asked = list(node_rows)
        known = _known_nodes(run, table, asked, size)
        fresh = {key: row for key, row in node_rows.items() if key not in known}
        new[table] = set(fresh)
        _create_nodes(run, table, fresh.values())
        nodes += len(fresh)
    new_links: set[str] = set()
    for table, edge_rows in batch.edge_rows(new["Turn"]).items():
        # What is new has no edges yet, nor has what only a new statement says.
        older = {row["source"] for row in edge_rows.values() if row.get("statement") not in new["Statement"]}
        older -= new["Statement"]
        known_edges = _known_edges(run, table, older, size)
        fresh_edges = {key: row for key, row in edge_rows.items() if key not in known_edges}
        _create_edges(run, table, fresh_edges.values(), size)
        edges += len(fresh_edges)
        if table in LINK_TABLES:
            new_links.update(key[0] for key in fresh_edges)
    _set_fates(run, batch, written=new["Statement"])
    _retire_links(run, batch, written=new_links)
    _move(run, batch, nodes=nodes, edges=edges)


def load_steps(batch: Batch) -> Iterator[Step]:
    """Write a batch into an empty graph as a series of transactions, the sequence number in the last."""

    def nodes_step(table: str, part: list[Row]) -> Step:
        def step(run: Run) -> None:
            _create_nodes(run, table, part)
            _move(run, None, nodes=len(part), edges=0)

        return step

    def edges_step(table: str, part: list[Row]) -> Step:
        def step(run: Run) -> None:
            _create_edges(run, table, part)
            _move(run, None, nodes=0, edges=len(part))

        return step

    for table, node_rows in batch.node_rows().items():
        for part in _chunks(node_rows.values(), LOAD_VECTORS if table == "Vector" else LOAD_ROWS):
            yield nodes_step(table, part)
    for table, edge_rows in batch.edge_rows(batch.turns.keys()).items():
        for part in _chunks(edge_rows.values(), LOAD_ROWS):
            yield edges_step(table, part)
    yield lambda run: _move(run, batch, nodes=0, edges=0)


def _move(run: Run, upto: Batch | None, *, nodes: int, edges: int) -> None:
    """Count what was written, and move to the last ledger entry of a batch that is complete now."""
    seq, hash_ = (upto.seq, upto.hash) if upto is not None else (0, "")
    moved = run(queries.MOVE_META, {"applied_seq": seq, "applied_hash": hash_, "nodes": nodes, "edges": edges})
    if moved != [[1]]:
        raise GraphDamaged("the graph has no state to move: rebuild it from the ledger")


def singly(count: int, size: int, *, read_per_key: int = NODES_READ_PER_KEY) -> bool:
    """Whether so many keys are found sooner one by one, by the index, than together, by reading the whole table."""
    return 0 < count * read_per_key < size


def _known_nodes(run: Run, table: str, keys: Collection[str], size: int) -> set[str]:
    if singly(len(keys), size):
        return {key for (key,) in run.each(queries.FIND_NODE[table], [{"id": key} for key in keys])}
    return {key for part in _chunks(keys, QUERY_ROWS) for (key,) in run(queries.EXISTING_NODES[table], {"ids": part})}


def _known_edges(run: Run, table: str, sources: Collection[str], size: int) -> set[EdgeKey]:
    if table in ("IN_SESSION", "NEXT"):
        return set()
    if singly(len(sources), size):
        return {tuple(found) for found in run.each(queries.FIND_EDGES[table], [{"id": key} for key in sorted(sources)])}
    text = queries.EXISTING_EDGES.get(table) or queries.EXISTING_PAIRS[table]
    return {tuple(found) for part in _chunks(sources, QUERY_ROWS) for found in run(text, {"ids": part})}


def _create_nodes(run: Run, table: str, node_rows: Iterable[Row]) -> None:
    for part in _chunks(node_rows, QUERY_ROWS):
        run(queries.CREATE_NODES[table], {"rows": [bound(row) for row in part]})


def _create_edges(run: Run, table: str, edge_rows: Collection[Row], size: int = 0) -> None:
    if singly(len(edge_rows), size):
        # A parameter cannot be called `end`.
        many = [{"stop" if name == "end" else name: value for name, value in bound(row).items()} for row in edge_rows]
        made = run.each(queries.CREATE_EDGE[table], many)
        _check_ends(table, list(edge_rows), sum(count for (count,) in made))
        return
    for part in _chunks(edge_rows, QUERY_ROWS):
        _check_ends(table, part, run(queries.CREATE_EDGES[table], {"rows": [bound(row) for row in part]})[0][0])


def _check_ends(table: str, part: list[Row], found: int) -> None:
    if found != len(part):
        raise GraphDamaged(
            f"{len(part) - found} of {len(part)} {table} edges name an end that the graph does not have "
            f"(one of them from {part[0]['source']}): rebuild it from the ledger"
        )


def _set_fates(run: Run, batch: Batch, *, written: Collection[str]) -> None:
    """Retirements and confirmations of statements that were there before; those of erased ones mean nothing."""
    wanted = (batch.retirements.keys() | batch.confirmations.keys()) - set(written)
    found = {
        identifier: (retirement, confirmations)
        for part in _chunks(sorted(wanted), QUERY_ROWS)
        for identifier, retirement, confirmations in run(queries.FATES, {"ids": part})
    }
    changed = [_fate(batch, identifier, *known) for identifier, known in sorted(found.items())]
    for fates in _chunks(changed, QUERY_ROWS):
        run(queries.SET_FATES, {"rows": [bound(row) for row in fates]})


def _fate(batch: Batch, identifier: str, retirement: str | None, confirmations: str | None) -> Row:
    known = confirmations_of(confirmations)
    known += [item for item in batch.confirmations.get(identifier, ()) if item not in known]
    if retirement is None and identifier in batch.retirements:
        retirement = record_body(batch.retirements[identifier])
    return {
        "id": identifier,
        "retirement": retirement,
        "confirmations": confirmations_text(known),
    }


def _retire_links(run: Run, batch: Batch, *, written: Collection[str]) -> None:
    """Retirements of links that were there before this batch."""
    wanted = batch.links_retired.keys() - set(written)
    by_table: dict[str, list[Row]] = {}
    for part in _chunks(sorted(wanted), QUERY_ROWS):
        for table, source, target, identifier, retired_at in sorted(run(queries.LINKS_BY_ID, {"ids": part}), key=str):
            if retired_at is None:
                retired = batch.links_retired[identifier]
                row = {"id": identifier, "source": source, "target": target}
                by_table.setdefault(table, []).append(row | {"retired_at": retired.at, "reason": retired.reason})
    for table, table_rows in by_table.items():
        for retirements in _chunks(table_rows, QUERY_ROWS):
            run(queries.RETIRE_LINKS[table], {"rows": [bound(row) for row in retirements]})


def _chunks(items: Iterable[K], size: int) -> Iterator[list[K]]:
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part
