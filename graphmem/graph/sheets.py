"""The CSV files from which a new graph file is filled, and the fold of a history into them, delta by delta.

Invariant: the files hold what `graphmem.graph.rows.Batch` would hold after the same deltas, and no record is kept: only
the ids that were seen, and what became of statements and links, for that is known only at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from graphmem.errors import GraphDamaged, InputError
from graphmem.graph import rows
from graphmem.graph.schema import COLUMNS, LINK_TABLES, MENTION_TABLES, NODE_TABLES
from graphmem.graph.writer import vector_text
from graphmem.records import Confirmation, Delta

# Tables whose last two columns say what became of a row; their rows wait in a file of another name until the end.
WAITING: tuple[str, ...] = ("Statement", *LINK_TABLES)
_LATER = 2
_SHIFT = 40


def sheet(table: str) -> str:
    """The name of the CSV file of a table."""
    return table + ".csv"


def _waiting(table: str) -> str:
    return table + ".rows"


def field(value: Any) -> str:
    """A value as a quoted field; an absent one is empty."""
    if value is None:
        return '""'
    if isinstance(value, datetime):
        text = rows.naive_text(value)
    elif isinstance(value, list):
        text = vector_text(value)
    else:
        text = str(value).replace('"', '""')
    return f'"{text}"'


class Sheets:
    """The files of one folder; close them before they are read, and remove them whatever happens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, TextIO] = {}

    def write(self, name: str, text: str) -> None:
        """Add a line to a file."""
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = (self.folder / name).open("w", encoding="utf-8", newline="")
        file.write(text + "\n")

    def close(self) -> None:
        """Everything is in the files."""
        while self._files:
            self._files.popitem()[1].close()

    def remove(self) -> None:
        """Delete the files, closed or not; none of them is needed again."""
        while self._files:
            # A full disk does not take what is still to be written; it is not wanted either.
            with suppress(OSError):
                self._files.popitem()[1].close()
        for table in COLUMNS:
            for name in (sheet(table), _waiting(table)):
                (self.folder / name).unlink(missing_ok=True)


class Fold:
    """A history on its way into sheets.

    `seq` is the last ledger entry taken in and `hash` its hash, `nodes` and `edges` how many rows there are of each,
    `vectors` how many of the nodes are vectors.
    """

    def __init__(self, sheets: Sheets, *, dimension: int) -> None:
        self.seq, self.hash = 0, ""
        self.nodes = 0
        self.edges = 0
        self._sheets = sheets
        self._dimension = dimension
        # A number for each end of an edge, also for one that only an edge has named so far, and which of them are there.
        self._numbers: dict[str, dict[str, int]] = {table: {} for table in NODE_TABLES if table != "Vector"}
        self._present = bytearray()
        self._seen: dict[str, set[str]] = {name: set() for name in ("Vector", "EVIDENCE", "SAME_AS", "link")}
        self._pairs: set[int] = set()
        self._retirements: dict[str, str] = {}
        self._confirmations: dict[str, list[Confirmation]] = {}
        self._links_retired: dict[str, tuple[datetime, str]] = {}

    @property
    def vectors(self) -> int:
        """How many vectors there are."""
        return len(self._seen["Vector"])

    def take(self, delta: Delta) -> None:
        """Take in a delta; one at or below what is already in changes nothing."""
        if delta.seq <= self.seq:
            return
        self.seq, self.hash = delta.seq, delta.hash
        self._take_nodes(delta)
        self._take_edges(delta)
        self._take_fates(delta)

    def finish(self) -> None:
        """Write what had to wait; the sheets are complete and closed then."""
        missing = self._present.count(0)
        if missing:
            raise GraphDamaged(f"edges name {missing} ends that the ledger does not have: restore the ledger from a backup")
        self._sheets.close()
        for table in WAITING:
            path = self._sheets.folder / _waiting(table)
            if not path.exists():
                continue
            with path.open(encoding="utf-8", newline="") as lines:
                for line in lines:
                    identifier, begun = json.loads(line)
                    self._sheets.write(sheet(table), ",".join((begun, *map(field, self._fate(table, identifier)))))
            path.unlink()
        self._sheets.close()

    def _fate(self, table: str, identifier: str) -> tuple[Any, Any]:
        if table == "Statement":
            confirmations = rows.confirmations_text(self._confirmations.get(identifier, ()))
            return self._retirements.get(identifier), confirmations
        at, reason = self._links_retired.get(identifier, (None, None))
        return at, reason or None

    # --- taking in ------------------------------------------------------------------------------------------------

    def _take_nodes(self, delta: Delta) -> None:
        for session in delta.sessions:
            if self._is_new("Session", session.id):
                self._node("Session", rows.session_row(session))
        for turn in delta.turns:
            if self._is_new("Turn", turn.key):
                self._node("Turn", rows.turn_row(turn))
                # The edges of a turn come with the turn.
                self._ends("Turn", turn.key, "Session", turn.session)
                self._edge("IN_SESSION", {"source": turn.key, "target": turn.session})
                if turn.previous is not None:
                    self._ends("Turn", turn.previous, "Turn", turn.key)
                    self._edge("NEXT", {"source": turn.previous, "target": turn.key})
        for statement in delta.statements:
            if self._is_new("Statement", statement.id):
                self.nodes += 1
                self._wait("Statement", statement.id, rows.statement_row(statement, None, ()))
        for entity in delta.entities:
            if self._is_new("Entity", entity.id):
                self._node("Entity", rows.entity_row(entity))
        for vector in delta.vectors:
            if len(vector.values) != self._dimension:
                raise InputError(
                    f"vector {vector.id} has {len(vector.values)} numbers, the graph holds vectors of "
                    f"{self._dimension}: rebuild the graph with the embedder in use"
                )
            if self._first("Vector", vector.id):
                self._node("Vector", rows.vector_row(vector))

    def _take_edges(self, delta: Delta) -> None:
        for evidence in delta.evidence:
            if self._first("EVIDENCE", evidence.id):
                self._ends("Statement", evidence.statement, "Turn", evidence.turn_key)
                self._edge("EVIDENCE", rows.evidence_row(evidence))
        for mention in delta.mentions:
            if self._first_pair(mention.kind, self._ends("Statement", mention.statement, "Entity", mention.entity)):
                row = {"source": mention.statement, "target": mention.entity, "tier": mention.tier}
                self._edge(mention.kind, row)
        for same in delta.same_as:
            ends = self._ends("Entity", same.source, "Entity", same.target)
            if self._first("SAME_AS", f"{ends} {same.statement}"):
                self._edge("SAME_AS", rows.same_as_row(same))
        for link in delta.links:
            if self._first("link", link.id):
                self._ends("Statement", link.source, "Statement", link.target)
                self.edges += 1
                self._wait(link.kind, link.id, rows.link_row(link, None))

    def _take_fates(self, delta: Delta) -> None:
        for retirement in delta.retirements:
            self._retirements.setdefault(retirement.statement, rows.body(retirement))
        for confirmation in delta.confirmations:
            confirmed = self._confirmations.setdefault(confirmation.statement, [])
            if confirmation not in confirmed:
                confirmed.append(confirmation)
        for retired in delta.links_retired:
            self._links_retired.setdefault(retired.link, (retired.at, retired.reason))

    # --- what was seen --------------------------------------------------------------------------------------------

    def _number(self, table: str, identifier: str) -> int:
        numbers = self._numbers[table]
        number = numbers.get(identifier)
        if number is None:
            number = numbers[identifier] = len(self._present)
            self._present.append(0)
        return number

    def _is_new(self, table: str, identifier: str) -> bool:
        number = self._number(table, identifier)
        new = not self._present[number]
        self._present[number] = 1
        return new

    def _first(self, what: str, identifier: str) -> bool:
        seen = self._seen[what]
        before = len(seen)
        seen.add(identifier)
        return len(seen) > before

    def _ends(self, table: str, source: str, other: str, target: str) -> int:
        """Both ends of an edge as one number."""
        return self._number(table, source) << _SHIFT | self._number(other, target)

    def _first_pair(self, table: str, ends: int) -> bool:
        before = len(self._pairs)
        self._pairs.add(MENTION_TABLES.index(table) << 2 * _SHIFT | ends)
        return len(self._pairs) > before

    # --- writing --------------------------------------------------------------------------------------------------

    def _node(self, table: str, row: rows.Row) -> None:
        self.nodes += 1
        self._sheets.write(sheet(table), _line(row, COLUMNS[table]))

    def _edge(self, table: str, row: rows.Row) -> None:
        self.edges += 1
        self._sheets.write(sheet(table), _line(row, COLUMNS[table]))

    def _wait(self, table: str, identifier: str, row: rows.Row) -> None:
        begun = _line(row, COLUMNS[table][:-_LATER])
        self._sheets.write(_waiting(table), json.dumps([identifier, begun], ensure_ascii=False))


def _line(row: rows.Row, columns: Iterable[str]) -> str:
    return ",".join([field(row[name]) for name in columns])
