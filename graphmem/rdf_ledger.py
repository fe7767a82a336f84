"""The ledger in an audit export: every entry with what its hash is taken over, so that anybody can follow the chain.

Invariant: an entry's payload and salt are shown exactly as they are kept; one that was erased has neither, and its
commitment still stands in the chain.
"""

from __future__ import annotations

import json
from datetime import datetime

from graphmem.chain import Row
from graphmem.rdf_quads import Quads
from graphmem.rdf_terms import instant, integer, text


def entry(quads: Quads, row: Row) -> None:
    """Add one entry of the ledger."""
    graph, node = quads.ledger, quads.names.iri("entry", f"e{row.seq}")
    quads.classes(graph, node, "gm:LedgerEntry", "prov:Entity")
    quads.add(graph, node, "gm:sequence", integer(row.seq))
    quads.add(graph, node, "prov:generatedAtTime", instant(datetime.fromisoformat(row.at)))
    words = {
        "dcterms:identifier": row.id,
        "gm:operation": row.operation,
        "gm:recordedAs": row.at,
        "gm:entryActor": row.actor,
        "gm:entryRole": row.role,
        "gm:entryType": row.type,
        "gm:subjects": json.dumps(list(row.subjects), ensure_ascii=False),
        "gm:commitment": row.commitment,
        "gm:entryHash": row.hash,
        "gm:salt": None if row.salt is None else row.salt.hex(),
        "gm:payload": row.body,
    }
    for name, value in words.items():
        if value is not None:
            quads.add(graph, node, name, text(value))
    if row.seq > 1:
        quads.add(graph, node, "gm:follows", quads.names.iri("entry", f"e{row.seq - 1}"))
