"""Is a graph file fit to be used?  A light check at every opening, a deep one in a child process after a crash.

Invariant: a check only reads, and reports what it found as a sentence or None.  An engine can hang or die on a damaged
file, so a file that was not closed properly is first opened in a process that may be killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from pydantic import ValidationError

from graphmem.errors import GraphmemError, StoreLocked
from graphmem.graph import rows, schema
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import Driver

PROBE_SECONDS = 10.0
SAMPLE = 2
_FIT, _UNFIT, _LOCKED = 0, 1, 3


def fault(graph: DatabaseGraph, *, head: int, deep: bool = False) -> str | None:
    """What is wrong with an open graph, or None: its state, its counts, some look-ups; `deep` reads everything."""
    seq, version, dimension, nodes, edges = graph.meta()
    if version != schema.SCHEMA_VERSION:
        return f"it has schema {version} instead of {schema.SCHEMA_VERSION}"
    if dimension != graph.dimension:
        return f"it holds vectors of {dimension} numbers instead of {graph.dimension}"
    if seq > head:
        lost = f"entry {seq}" if seq == head + 1 else f"entries {head + 1} to {seq}"
        return (
            f"it is at ledger entry {seq} and the ledger ends at {head}: {lost} had been recorded and can no longer be read, "
            "because the ledger's log was removed or an older ledger took its place; put that back or restore a backup"
        )
    if seq < 0:
        return f"it is at ledger entry {seq}"
    if graph.totals() != (nodes, edges):
        return f"it holds {graph.totals()} nodes and edges and should hold {(nodes, edges)}"
    for table, key, found in graph.sample(SAMPLE):
        if not found:
            return f"{table} {key} is in the table and not in its index"
    return _content_fault(graph) if deep else None


def _content_fault(graph: DatabaseGraph) -> str | None:
    """Whether each record can be read and the columns of its row are those that follow from it."""
    try:
        nodes = graph.nodes()
        expected = {
            "Session": {rows.line(rows.session_row(record)) for record in graph.sessions()},
            "Turn": {rows.line(rows.turn_row(record)) for record in graph.turns()},
            "Statement": {rows.line(rows.statement_row(node.record, node.retirement, node.confirmations)) for node in nodes},
            "EVIDENCE": {rows.line(rows.evidence_row(item)) for node in nodes for item in node.evidence},
        }
        graph.entities()
        graph.mentions()
        graph.same_as()
        for table, lines in expected.items():
            if lines != set(graph.lines(table)):
                return f"columns and records of {table} differ"
    except (ValidationError, json.JSONDecodeError, UnicodeError, TypeError) as error:
        return f"a record cannot be read ({type(error).__name__})"
    return None if graph.vectors_readable() else "a vector cannot be read"


def child_environment() -> dict[str, str]:
    """The environment of a child process that imports what this one does, wherever it is started; without a passphrase."""
    kept = {name: value for name, value in os.environ.items() if name != "GRAPHMEM_PASSPHRASE"}
    return dict(kept, PYTHONPATH=os.pathsep.join(os.path.abspath(entry) for entry in sys.path))


def fault_in_child(path: Path, *, engine: str, dimension: int, head: int, seconds: float = PROBE_SECONDS) -> str | None:
    """The deep check of a closed file in a child process that is ended after `seconds`."""
    if not sys.executable:
        return "it was not closed properly and there is no interpreter to check it with"
    arguments = [sys.executable, "-m", "graphmem.graph.probe", engine, str(dimension), str(head), str(path)]
    try:
        child = subprocess.run(
            arguments, env=child_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"the engine did not come back from opening it within {seconds:g} s"
    said = child.stdout.decode("utf-8", "replace").strip()
    if child.returncode == _FIT:
        return None
    if child.returncode == _LOCKED:
        raise StoreLocked(said)
    return said or f"the engine died on it (exit {child.returncode})"


def main(arguments: list[str]) -> int:
    """Entry of the child process: says what is wrong on standard output."""
    engine, dimension, head, path = arguments
    said: str | None
    code = _UNFIT
    try:
        graph = DatabaseGraph(Driver(Path(path), engine=engine), dimension=int(dimension))
        said = fault(graph, head=int(head), deep=True)
        graph.close()
        code = _FIT if said is None else _UNFIT
    except StoreLocked as error:
        said, code = str(error), _LOCKED
    except GraphmemError as error:
        said = str(error)
    sys.stdout.write(said or "")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
