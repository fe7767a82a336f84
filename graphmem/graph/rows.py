"""From records to rows: the columns of each table, and the fold of deltas into new rows.

Invariant: a row is a function of its record alone and the record of its row: any two graphs that took in the same records
hold the same rows, and nothing is stored twice in one.  A batch holds each key once, the first record that brought it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from graphmem.graph.base import Node
from graphmem.graph.schema import COLUMNS, EDGE_TABLES, LINK_TABLES, OPTIONAL_TEXTS
from graphmem.model import Frozen, iso
from graphmem.records import (
    Confirmation,
    Delta,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    LinkRetired,
    Retirement,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    VectorRecord,
)

Row = dict[str, Any]
EdgeKey = tuple[str, ...]

# What the ends of an edge are called in its record, and what a column says that is no part of the record.
_ENDS = {"EVIDENCE": {"source": "statement", "target": "turn_key"}}
_ADDED = frozenset({"body", "retirement", "confirmations", "retired_at", "retire_reason"})


def _fields(table: str) -> tuple[str, ...]:
    names = _ENDS.get(table, {})
    return tuple(names.get(name, name) for name in COLUMNS[table] if name not in _ADDED)


# Fields of a record by table that a column holds, in the order of the columns.
FIELDS: dict[str, tuple[str, ...]] = {table: _fields(table) for table in COLUMNS}
_HELD = {table: {*FIELDS[table], "kind"} if table in LINK_TABLES else set(FIELDS[table]) for table in COLUMNS}


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values, equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def body(record: Frozen) -> str:
    """A record as canonical JSON."""
    return canonical(record.model_dump(mode="json"))


def rest(record: Frozen, table: str) -> str | None:
    """What no column of the table says of a record and is not the default, as canonical JSON; None for nothing."""
    left = record.model_dump(mode="json", exclude=_HELD[table], exclude_defaults=True)
    left = {name: value for name, value in left.items() if value != {}}
    for name in OPTIONAL_TEXTS.intersection(FIELDS[table]):
        # The column takes an empty text for none.
        if getattr(record, name) == "":
            left[name] = ""
    return canonical(left) if left else None


def whole(table: str, values: Sequence[Any], text: str | None) -> dict[str, Any]:
    """The fields of a record from the columns of its row that hold `FIELDS`, and from its `body`."""
    fields = dict(zip(FIELDS[table], values, strict=True))
    return fields if text is None else fields | json.loads(text)


def session_row(record: SessionRecord) -> Row:
    """Columns of Session."""
    return {
        "id": record.id,
        "started": record.started,
        "recorded_at": record.recorded_at,
        "body": rest(record, "Session"),
    }


def turn_row(record: TurnRecord) -> Row:
    """Columns of Turn."""
    return {
        "key": record.key,
        "id": record.id,
        "session": record.session,
        "position": record.position,
        "role": record.role,
        "speaker": record.speaker or None,
        "text": record.text,
        "time": record.time,
        "previous": record.previous or None,
        "body": rest(record, "Turn"),
    }


def statement_row(record: StatementRecord, retirement: Retirement | None, confirmations: Iterable[Confirmation]) -> Row:
    """Columns of Statement, with what became of it."""
    row = {name: getattr(record, name) for name in FIELDS["Statement"]}
    return row | {
        "body": rest(record, "Statement"),
        "retirement": None if retirement is None else body(retirement),
        "confirmations": confirmations_text(confirmations),
    }


def confirmations_text(confirmations: Iterable[Confirmation]) -> str | None:
    """Confirmations as one JSON list; None for none."""
    items = [item.model_dump(mode="json") for item in confirmations]
    return canonical(items) if items else None


def confirmations_of(text: str | None) -> list[Confirmation]:
    """The inverse of `confirmations_text`."""
    return [] if text is None else [Confirmation.model_validate(item) for item in json.loads(text)]


def entity_row(record: EntityRecord) -> Row:
    """Columns of Entity; they are the whole record."""
    return {"id": record.id, "name": record.name, "type": record.type, "key": record.key}


def vector_row(record: VectorRecord) -> Row:
    """Columns of Vector."""
    return {
        "id": record.id,
        "owner": record.owner,
        "kind": record.kind,
        "model": record.model,
        "recorded_at": record.recorded_at,
        # The numbers as a 32-bit column keeps them.
        "values": array("f", record.values).tolist(),
    }


def evidence_row(record: EvidenceRecord) -> Row:
    """Columns of EVIDENCE."""
    return {
        "source": record.statement,
        "target": record.turn_key,
        "id": record.id,
        "session": record.session,
        "turn": record.turn,
        "role": record.role,
        "speaker": record.speaker or None,
        "start": record.start,
        "end": record.end,
        "quote": record.quote,
        "said_at": record.said_at,
        "recorded_at": record.recorded_at,
        "tier": record.tier,
        "confidence": record.confidence,
        "extractor": record.extractor,
        "body": rest(record, "EVIDENCE"),
    }


def link_row(record: LinkRecord, retired: LinkRetired | None) -> Row:
    """Columns of the five edges between statements."""
    row = {name: getattr(record, name) for name in FIELDS[record.kind]}
    return row | {
        "body": rest(record, record.kind),
        "retired_at": None if retired is None else retired.at,
        "retire_reason": None if retired is None else retired.reason or None,
    }


def same_as_row(record: SameAsRecord) -> Row:
    """Columns of SAME_AS; they are the whole record."""
    return {
        "source": record.source,
        "target": record.target,
        "tier": record.tier,
        "rule": record.rule,
        "recorded_at": record.recorded_at,
        "statement": record.statement,
    }


def session_of(row: Sequence[Any]) -> SessionRecord:
    """The record of a row of Session."""
    return SessionRecord.model_validate(whole("Session", row[:-1], row[-1]))


def turn_of(row: Sequence[Any]) -> TurnRecord:
    """The record of a row of Turn."""
    return TurnRecord.model_validate(whole("Turn", row[:-1], row[-1]))


def statement_of(row: Sequence[Any]) -> tuple[StatementRecord, Retirement | None, list[Confirmation]]:
    """The record of a row of Statement, with what became of it."""
    *values, text, retirement, confirmations = row
    return (
        StatementRecord.model_validate(whole("Statement", values, text)),
        None if retirement is None else Retirement.model_validate_json(retirement),
        confirmations_of(confirmations),
    )


def evidence_of(row: Sequence[Any]) -> EvidenceRecord:
    """The record of a row of EVIDENCE."""
    return EvidenceRecord.model_validate(whole("EVIDENCE", row[:-1], row[-1]))


def link_of(row: Sequence[Any]) -> tuple[LinkRecord, datetime | None]:
    """The record of a row of one of the five edges, which begins with its kind, and when it was retired."""
    kind, *values, text, retired_at = row
    return LinkRecord.model_validate(whole(kind, values, text) | {"kind": kind}), retired_at


def line(row: Mapping[str, Any]) -> str:
    """A row as a line of a dump: times in ISO, JSON columns opened, vectors rounded to 5 digits."""
    opened: Row = {}
    for name, value in row.items():
        if isinstance(value, datetime):
            opened[name] = iso(value)
        elif name == "values":
            # Adding zero turns -0.0 into 0.0, which rounding may leave behind.
            opened[name] = [round(float(number), 5) + 0.0 for number in value]
        elif name in ("body", "retirement", "confirmations") and value is not None:
            opened[name] = json.loads(value)
        else:
            opened[name] = value
    return canonical(opened)


def naive_text(value: datetime | None) -> str:
    """An optional time as UTC without its zone, '' for none: how it travels to the engine inside a row."""
    return "" if value is None else value.astimezone(UTC).replace(tzinfo=None).isoformat()


def node_order(record: StatementRecord) -> tuple[datetime, int, str]:
    """Statements are listed in the order in which they were said."""
    return record.asserted_at, record.order, record.id


def turn_order(record: TurnRecord) -> tuple[datetime, str, int]:
    """Turns are listed by time."""
    return record.time, record.session, record.position


def make_node(
    record: StatementRecord,
    evidence: Iterable[EvidenceRecord],
    links: Iterable[tuple[LinkRecord, datetime | None]],
    retirement: Retirement | None,
    confirmations: Iterable[Confirmation],
) -> Node:
    """A statement with its surroundings, each in a fixed order: oldest knowledge first."""
    return Node(
        record=record,
        evidence=tuple(sorted(evidence, key=lambda item: (item.recorded_at, item.said_at, item.session, item.start, item.id))),
        links=tuple(
            sorted(
                links,
                key=lambda pair: (
                    pair[0].recorded_at,
                    pair[0].kind,
                    pair[0].source,
                    pair[0].target,
                    pair[0].id,
                ),
            )
        ),
        retirement=retirement,
        confirmations=tuple(sorted(confirmations, key=lambda item: (item.at, item.actor, item.content_hash))),
    )


@dataclass
class Batch:
    """The records of one or more deltas, each key once (the first wins), ready to be written."""

    seq: int = 0
    hash: str = ""
    sessions: dict[str, SessionRecord] = field(default_factory=dict)
    turns: dict[str, TurnRecord] = field(default_factory=dict)
    statements: dict[str, StatementRecord] = field(default_factory=dict)
    entities: dict[str, EntityRecord] = field(default_factory=dict)
    vectors: dict[str, VectorRecord] = field(default_factory=dict)
    evidence: dict[str, EvidenceRecord] = field(default_factory=dict)
    links: dict[str, LinkRecord] = field(default_factory=dict)
    mentions: dict[EdgeKey, Row] = field(default_factory=dict)
    same_as: dict[EdgeKey, SameAsRecord] = field(default_factory=dict)
    retirements: dict[str, Retirement] = field(default_factory=dict)
    confirmations: dict[str, list[Confirmation]] = field(default_factory=dict)
    links_retired: dict[str, LinkRetired] = field(default_factory=dict)

    def add(self, delta: Delta) -> None:
        """Take in a delta; one at or below what is already in changes nothing."""
        if delta.seq <= self.seq:
            return
        self.seq, self.hash = delta.seq, delta.hash
        for turn in delta.turns:
            self.turns.setdefault(turn.key, turn)
        for name in ("sessions", "statements", "entities", "vectors", "evidence", "links"):
            known = getattr(self, name)
            for record in getattr(delta, name):
                known.setdefault(record.id, record)
        for mention in delta.mentions:
            row = {"source": mention.statement, "target": mention.entity, "tier": mention.tier}
            self.mentions.setdefault((mention.kind, mention.statement, mention.entity), row)
        for same in delta.same_as:
            self.same_as.setdefault((same.source, same.target, same.statement), same)
        for retirement in delta.retirements:
            self.retirements.setdefault(retirement.statement, retirement)
        for confirmation in delta.confirmations:
            confirmed = self.confirmations.setdefault(confirmation.statement, [])
            if confirmation not in confirmed:
                confirmed.append(confirmation)
        for retired in delta.links_retired:
            self.links_retired.setdefault(retired.link, retired)

    def node_rows(self) -> dict[str, dict[str, Row]]:
        """Rows of the node tables by key, in the order in which the tables are written."""
        return {
            "Session": {key: session_row(record) for key, record in self.sessions.items()},
            "Turn": {key: turn_row(record) for key, record in self.turns.items()},
            "Statement": {
                key: statement_row(record, self.retirements.get(key), self.confirmations.get(key, ()))
                for key, record in self.statements.items()
            },
            "Entity": {key: entity_row(record) for key, record in self.entities.items()},
            "Vector": {key: vector_row(record) for key, record in self.vectors.items()},
        }

    def edge_rows(self, new_turns: Container[str]) -> dict[str, dict[EdgeKey, Row]]:
        """Rows of the edge tables by key.  The edges of a turn come with the turn: only those in `new_turns` have any."""
        tables: dict[str, dict[EdgeKey, Row]] = {table: {} for table in EDGE_TABLES}
        for turn in self.turns.values():
            if turn.key in new_turns:
                tables["IN_SESSION"][turn.key, turn.session] = {"source": turn.key, "target": turn.session}
                if turn.previous is not None:
                    tables["NEXT"][turn.previous, turn.key] = {"source": turn.previous, "target": turn.key}
        for evidence in self.evidence.values():
            tables["EVIDENCE"][(evidence.id,)] = evidence_row(evidence)
        for (kind, source, target), row in self.mentions.items():
            tables[kind][source, target] = row
        for link in self.links.values():
            tables[link.kind][(link.id,)] = link_row(link, self.links_retired.get(link.id))
        for ends, same in self.same_as.items():
            tables["SAME_AS"][ends] = same_as_row(same)
        return tables
