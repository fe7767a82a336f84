"""What of an old ledger comes along: what was refused, what waits, what was answered, who looked, and the settings.

Invariant: an entry comes along only from a ledger that proves itself, with the words, the actor and the time that it has there;
none of them makes or ends a statement.  What cannot come along is counted, never passed over in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from pydantic import ValidationError

from graphmem.access import ACCESSED
from graphmem.chain import Draft, Row, entry_of
from graphmem.doubts import ANSWERED
from graphmem.queue import DONE, QUEUED
from graphmem.settings import SETTINGS, Settings
from graphmem.usage import USED

REFUSED = "claims rejected"
OF_SESSIONS = (REFUSED, QUEUED, DONE)
# An erasure names entries of its own ledger by number, and a use its time: both would say something else in another one.
STAYING = {"erased": "erasures", USED: "uses of what was recalled"}


def carried(rows: Sequence[Row], sessions: Collection[str]) -> Iterator[Draft]:
    """The entries that come along, in their order; those of a session only with it."""
    for row in rows:
        if row.body is None or row.type not in (*OF_SESSIONS, ANSWERED, ACCESSED):
            continue
        entry = entry_of(row)
        if row.type in OF_SESSIONS and not set(entry.subjects) <= set(sessions):
            continue
        # Every turn is embedded at the restore, also where the embedder had failed then.
        body = {name: value for name, value in (entry.body or {}).items() if name != "embedded"}
        yield Draft(row.type, entry.subjects, {"at": row.at, **body}, row.actor, row.role)
    # The pause, how transcripts are kept, and the terms: the last entry holds, as it did in the old ledger.
    said = [row for row in rows if row.type == SETTINGS and row.body is not None][-1:]
    for row in said:
        known = {name: value for name, value in (entry_of(row).body or {}).items() if name in Settings.model_fields}
        try:
            held = Settings.model_validate(known)
        except ValidationError:
            continue  # no settings that this release could have written: the new ledger begins with its own
        yield Draft(SETTINGS, (), {"at": row.at, **held.model_dump(mode="json")}, row.actor, row.role)


def left_behind(rows: Sequence[Row]) -> tuple[str, ...]:
    """What stays in the old ledger, in a sentence each."""
    found = Counter(row.type for row in rows if row.body is not None)
    return tuple(
        f"{found[type_]} {what} of the old ledger do not come along: keep the export, which tells of them"
        for type_, what in STAYING.items()
        if found[type_]
    )
