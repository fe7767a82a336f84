"""What was handed out: exports and backups, so that an erasure can say which copies it does not reach.

Invariant: an entry is made before the file is, and says when, of what kind, and the keyed digest of its name; it holds no
word of the content and no name.
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import LedgerDamaged, ReadOnlyStore, StoreFull, StoreLocked
from graphmem.ledger import Draft, Ledger
from graphmem.records import key
from graphmem.space import Space

EXPORTED = "exported"


class Handout(NamedTuple):
    """One file that left the memory."""

    at: datetime
    kind: str
    profile: str
    format: str
    name: str


def name_of(ledger: Ledger, path: Path) -> str:
    """The digest of a file's name: whoever has the file can tell that it is this one."""
    # The bytes of a name need not be text.
    return key("f", ledger.secret, os.fsencode(path.name).decode("utf-8", "backslashreplace"))


def note(space: Space, kind: str, path: Path, *, profile: str = "", format: str = "") -> None:
    """Record that a file is about to be written; where nothing can be recorded, a notice says so."""
    try:
        with space.writing():
            now, ledger = space.ledger.now(), space.ledger
            name = name_of(ledger, path)
            body = {"kind": kind, "profile": profile, "format": format, "name": name}
            operation = f"exported/{key('x', ledger.secret, kind, name, now.isoformat(), profile, format)}"
            # It means nothing to the graph, which need not be opened for it.
            ledger.append(operation, [Draft(EXPORTED, (), body)], at=now)
    except (ReadOnlyStore, LedgerDamaged, StoreLocked, StoreFull) as error:
        space.notices.append(f"the {kind} is not on record: {error}")


def handouts(ledger: Ledger) -> list[Handout]:
    """All files on record, oldest first."""
    found = []
    for entry in ledger.of_type(EXPORTED) if ledger.has_type(EXPORTED) else ():
        body = entry.body or {}
        said = (str(body.get(name, "")) for name in ("kind", "profile", "format", "name"))
        found.append(Handout(entry.at, *said))
    return found
