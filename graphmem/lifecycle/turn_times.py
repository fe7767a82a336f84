"""When each turn was recorded, as far as the ledger knows it.

Invariant: the moments of a turn hold the one at which it was recorded.  Where an erasure has emptied the entry that said so,
the first evidence on it tells; where it has none, they are all those at which its session was recorded, so that what is asked
for by time is rather found than missed.
"""

from __future__ import annotations

from datetime import datetime

from graphmem.space import Space

_TYPES = ("session recorded", "session extended")


def recorded_at(space: Space) -> dict[str, frozenset[datetime]]:
    """The moments at which each turn may have been recorded, by its key."""
    ledger = space.ledger
    # A session that came from an export was recorded when its own record says, and not at the restore.
    first = {one.id: one.recorded_at for one in space.graph.sessions()}
    known: dict[str, datetime] = {}
    emptied: dict[str, set[datetime]] = {}
    for type_ in _TYPES:
        for entry in ledger.of_type(type_) if ledger.has_type(type_) else ():
            at = entry.at if type_ == "session extended" else first.get(entry.subjects[0], entry.at)
            if entry.body is None:
                emptied.setdefault(entry.subjects[0], set()).add(at)
                continue
            known |= {turn["key"]: at for turn in entry.body.get("delta", {}).get("turns", ())}
    told: dict[str, datetime] = {}
    for item in (item for node in space.graph.nodes() for item in node.evidence) if emptied else ():
        told[item.turn_key] = min(item.recorded_at, told.get(item.turn_key, item.recorded_at))
    found = {}
    for turn in space.graph.turns():
        sure = known.get(turn.key) or told.get(turn.key)
        found[turn.key] = frozenset({sure} if sure else emptied.get(turn.session) or {first[turn.session]})
    return found
