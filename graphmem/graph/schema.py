"""The tables of the graph as data: what is created in an empty file, in this order.

Invariant: every primary key is a STRING, every edge table has one FROM and one TO, and no column is a map, a struct or
a list of lists; those are the shapes that both engines keep safely.  Every value is stored once: the columns hold what
most records say, `body` as JSON only what they do not hold and what is not the record's default (NULL for nothing).
Times are TIMESTAMP, in UTC.
"""

from __future__ import annotations

from graphmem.errors import InputError

SCHEMA_VERSION = 3
MAX_DIMENSION = 8192

NODE_TABLES: tuple[str, ...] = ("Session", "Turn", "Statement", "Entity", "Vector")
LINK_TABLES: tuple[str, ...] = ("SUPERSEDES", "CORRECTS", "CONTRADICTS", "REFINES", "DERIVED_FROM")
MENTION_TABLES: tuple[str, ...] = ("SUBJECT", "OBJECT", "MENTIONS")
EDGE_TABLES: tuple[str, ...] = ("IN_SESSION", "NEXT", "EVIDENCE", *MENTION_TABLES, *LINK_TABLES, "SAME_AS")
TABLES: tuple[str, ...] = NODE_TABLES + EDGE_TABLES

# Columns that may be empty.  Rows of one batch must have the same type in every place, so an absent value travels as
# an empty string and becomes NULL in the query; a text that is empty, and not absent, is kept in `body`.
OPTIONAL_TIMES = frozenset({"valid_from", "valid_to", "at", "retired_at"})
OPTIONAL_TEXTS = frozenset({"speaker", "previous", "body", "retirement", "confirmations", "retire_reason"})

_LINK = (
    "source",
    "target",
    "id",
    "rule",
    "tier",
    "at",
    "said_at",
    "recorded_at",
    "body",
    "retired_at",
    "retire_reason",
)
_MENTION = ("source", "target", "tier")

# Column names by table, in the order in which rows are written and read; edges begin with the keys of their two ends.
COLUMNS: dict[str, tuple[str, ...]] = {
    "Session": ("id", "started", "recorded_at", "body"),
    "Turn": ("key", "id", "session", "position", "role", "speaker", "text", "time", "previous", "body"),
    "Statement": (
        "id",
        "kind",
        "text",
        "subject",
        "predicate",
        "object",
        "polarity",
        "valid_from",
        "valid_to",
        "asserted_at",
        "recorded_at",
        "session",
        "session_started",
        "order",
        "subject_key",
        "object_key",
        "tier",
        "confidence",
        "importance",
        "sensitivity",
        "content_hash",
        "extractor",
        "rule",
        "body",
        "retirement",
        "confirmations",
    ),
    "Entity": ("id", "name", "type", "key"),
    "Vector": ("id", "owner", "kind", "model", "recorded_at", "values"),
    "IN_SESSION": ("source", "target"),
    "NEXT": ("source", "target"),
    "EVIDENCE": (
        "source",
        "target",
        "id",
        "session",
        "turn",
        "role",
        "speaker",
        "start",
        "end",
        "quote",
        "said_at",
        "recorded_at",
        "tier",
        "confidence",
        "extractor",
        "body",
    ),
    "SUBJECT": _MENTION,
    "OBJECT": _MENTION,
    "MENTIONS": _MENTION,
    "SUPERSEDES": _LINK,
    "CORRECTS": _LINK,
    "CONTRADICTS": _LINK,
    "REFINES": _LINK,
    "DERIVED_FROM": _LINK,
    "SAME_AS": ("source", "target", "tier", "rule", "recorded_at", "statement"),
}

_DIMENSION = "{dimension}"

_TABLES: tuple[str, ...] = (
    "CREATE NODE TABLE Meta(id STRING PRIMARY KEY, applied_seq INT64, applied_hash STRING, version INT64, "
    "dimension INT64, nodes INT64, edges INT64)",
    "CREATE NODE TABLE Session(id STRING PRIMARY KEY, started TIMESTAMP, recorded_at TIMESTAMP, body STRING)",
    "CREATE NODE TABLE Turn(key STRING PRIMARY KEY, id STRING, session STRING, position INT64, role STRING, "
    "speaker STRING, text STRING, time TIMESTAMP, previous STRING, body STRING)",
    "CREATE NODE TABLE Statement(id STRING PRIMARY KEY, kind STRING, text STRING, subject STRING, predicate STRING, "
    "object STRING, polarity STRING, valid_from TIMESTAMP, valid_to TIMESTAMP, asserted_at TIMESTAMP, "
    "recorded_at TIMESTAMP, session STRING, session_started TIMESTAMP, `order` INT64, subject_key STRING, "
    "object_key STRING, tier STRING, confidence DOUBLE, importance DOUBLE, sensitivity STRING, content_hash STRING, "
    "extractor STRING, rule STRING, body STRING, retirement STRING, confirmations STRING)",
    "CREATE NODE TABLE Entity(id STRING PRIMARY KEY, name STRING, type STRING, key STRING)",
    "CREATE NODE TABLE Vector(id STRING PRIMARY KEY, owner STRING, kind STRING, model STRING, "
    "recorded_at TIMESTAMP, `values` FLOAT[{dimension}])",
    "CREATE REL TABLE IN_SESSION(FROM Turn TO Session)",
    "CREATE REL TABLE NEXT(FROM Turn TO Turn)",
    "CREATE REL TABLE EVIDENCE(FROM Statement TO Turn, id STRING, session STRING, turn STRING, role STRING, "
    "speaker STRING, start INT64, `end` INT64, quote STRING, said_at TIMESTAMP, recorded_at TIMESTAMP, tier STRING, "
    "confidence DOUBLE, extractor STRING, body STRING)",
    "CREATE REL TABLE SUBJECT(FROM Statement TO Entity, tier STRING)",
    "CREATE REL TABLE OBJECT(FROM Statement TO Entity, tier STRING)",
    "CREATE REL TABLE MENTIONS(FROM Statement TO Entity, tier STRING)",
    "CREATE REL TABLE SUPERSEDES(FROM Statement TO Statement, id STRING, rule STRING, tier STRING, at TIMESTAMP, "
    "said_at TIMESTAMP, recorded_at TIMESTAMP, body STRING, retired_at TIMESTAMP, retire_reason STRING)",
    "CREATE REL TABLE CORRECTS(FROM Statement TO Statement, id STRING, rule STRING, tier STRING, at TIMESTAMP, "
    "said_at TIMESTAMP, recorded_at TIMESTAMP, body STRING, retired_at TIMESTAMP, retire_reason STRING)",
    "CREATE REL TABLE CONTRADICTS(FROM Statement TO Statement, id STRING, rule STRING, tier STRING, at TIMESTAMP, "
    "said_at TIMESTAMP, recorded_at TIMESTAMP, body STRING, retired_at TIMESTAMP, retire_reason STRING)",
    "CREATE REL TABLE REFINES(FROM Statement TO Statement, id STRING, rule STRING, tier STRING, at TIMESTAMP, "
    "said_at TIMESTAMP, recorded_at TIMESTAMP, body STRING, retired_at TIMESTAMP, retire_reason STRING)",
    "CREATE REL TABLE DERIVED_FROM(FROM Statement TO Statement, id STRING, rule STRING, tier STRING, at TIMESTAMP, "
    "said_at TIMESTAMP, recorded_at TIMESTAMP, body STRING, retired_at TIMESTAMP, retire_reason STRING)",
    "CREATE REL TABLE SAME_AS(FROM Entity TO Entity, tier STRING, rule STRING, recorded_at TIMESTAMP, statement STRING)",
)


def checked_dimension(dimension: int) -> int:
    """The dimension, if it is a plain whole number within bounds: it is the one value that becomes part of DDL."""
    if type(dimension) is not int or not 1 <= dimension <= MAX_DIMENSION:
        raise InputError(
            f"the vector dimension must be a whole number from 1 to {MAX_DIMENSION}, got {dimension!r}: "
            "give the dimension of the embedder"
        )
    return dimension


def definitions(dimension: int) -> tuple[str, ...]:
    """The statements that create all tables, with vectors of this dimension."""
    number = str(checked_dimension(dimension))
    return tuple(statement.replace(_DIMENSION, number) for statement in _TABLES)
