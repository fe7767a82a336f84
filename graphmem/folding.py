"""The ledger folded: what an entry means for the graph.

Invariant: a delta is a function of the entry and its kept vectors alone; folding runs no extractor and no embedder, so any
two graphs made from one ledger are equal.
"""

from __future__ import annotations

from typing import Any

from graphmem.errors import LedgerDamaged
from graphmem.ledger import Entry
from graphmem.records import Delta


def delta_of(entry: Entry, vectors: list[tuple[str, str, str, str, bytes]]) -> Delta:
    """What an entry means for the graph; an erased entry means nothing."""
    body: dict[str, Any] = dict((entry.body or {}).get("delta", {}))
    if vectors:
        from graphmem.vectors import unpack

        body["vectors"] = [
            {
                "id": id_,
                "owner": owner,
                "kind": kind,
                "model": model,
                "recorded_at": entry.at,
                "values": unpack(data),
            }
            for id_, owner, kind, model, data in vectors
        ]
    try:
        return Delta.model_validate({**body, "seq": entry.seq, "hash": entry.hash})
    except ValueError as error:
        raise LedgerDamaged(
            f"entry {entry.seq} of the ledger does not hold what it should: restore it from a backup"
        ) from error


def merge(deltas: list[Delta]) -> Delta:
    """Several deltas in order as one."""
    parts: dict[str, Any] = {}
    for name in Delta.model_fields:
        if name not in ("seq", "hash"):
            parts[name] = tuple(item for delta in deltas for item in getattr(delta, name))
    return Delta.model_construct(seq=deltas[-1].seq, hash=deltas[-1].hash, **parts)
