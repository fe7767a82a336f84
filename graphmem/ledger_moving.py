"""The vectors of a ledger put in the place of others, of another embedder.

Invariant: vectors are a cache beside the chain; all of them change in the transaction that records the entry which says so,
with the name of their embedder and its calibration.  So a ledger never holds vectors of two models.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from graphmem import failpoints
from graphmem.chain import Draft, Entry
from graphmem.faults import named
from graphmem.ledger import Ledger
from graphmem.ledger_schema import seal
from graphmem.vectors import unpack

MOVED = "moved to another embedder"  # the type of the entry after which all vectors are those of another model
EDITION = "vectors_since"  # the value that says which entry that was, if there was one


def kept_dimension(ledger: Ledger) -> int | None:
    """The length of the vectors that a ledger holds; None where it holds none."""
    with ledger._reading():
        first = next(ledger._layout.vectors(1, None, 0), None)
        return None if first is None else len(unpack(ledger._layout.vector(first[1])[4]))


def move(
    ledger: Ledger,
    operation: str,
    draft: Draft,
    vectors: Mapping[tuple[str, str], bytes],
    *,
    embedder: str,
    calibration: str,
    at: datetime,
) -> list[Entry]:
    """Put the vectors of another embedder in the place of those that are kept: all of them, or none.

    Args:
        ledger: where they are.
        operation: as in `Ledger.append`.
        draft: the entry that says so, of type `MOVED`.
        vectors: by owner and kind, from `vectors.pack`; what is kept and not among them is dropped.
        embedder: the name of the one that they are of.
        calibration: of that embedder.
        at: time of recording.

    Returns:
        The entry; empty when the operation was known.
    """
    with named(ledger.path, "written"):
        with ledger._write("written"):
            committed = [] if ledger.knows(operation) else ledger._append(operation, [draft], (), at)
            if committed:
                failpoints.reach("reembed.entry")
                ledger._layout.replace_vectors(embedder, vectors)
                failpoints.reach("reembed.vectors")
                noted = {"embedder": embedder, "calibration": calibration, EDITION: str(committed[0].seq)}
                ledger._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", noted.items())
                seal(ledger._db)
                failpoints.reach("reembed.before-commit")
        failpoints.reach("reembed.committed")
    return committed
