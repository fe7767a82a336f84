"""Who looked: reads of traces and exports are entries of the ledger, like everything else that was done.

Invariant: an entry says who looked at what, when and what for; it holds no word of what was seen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from graphmem.errors import InputError
from graphmem.ledger import Draft, Entry, Ledger
from graphmem.model import iso
from graphmem.records import key
from graphmem.sessions import normal
from graphmem.space import Space

ACCESSED = "accessed"
DENIED = "denied"  # the detail of a look that was not allowed
LONGEST = {"actor": 120, "role": 60, "purpose": 300}


class Access(NamedTuple):
    """One look: who, in which role, when, what for, and at what."""

    at: datetime
    actor: str
    role: str
    purpose: str
    what: str


def log(
    space: Space, what: str, *, actor: str, role: str, purpose: str, mark: str, subjects: Sequence[str] = (), detail: str = ""
) -> None:
    """Record that somebody looks; `mark` keeps two looks of one moment apart.

    Raises:
        InputError: actor, role or purpose is empty or too long, or something is no text.
    """
    for name, value in (("what", what), ("detail", detail)):
        if not isinstance(value, str) or len(value) > LONGEST["purpose"]:
            raise InputError(f"{name} must be a text of up to {LONGEST['purpose']} characters: say what is looked at")
    said = {"actor": actor, "role": role, "purpose": purpose}
    for name, value in said.items():
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST[name]:
            raise InputError(f"{name} must be a text of 1 to {LONGEST[name]} characters: say who looks, and what for")
    now = space.ledger.now()
    body = {"what": normal(what), "purpose": normal(purpose), "detail": normal(detail)}
    draft = Draft(ACCESSED, tuple(subjects), body, normal(actor), normal(role))
    space.write(f"access/{key('a', space.ledger.secret, now.isoformat(), body['what'], mark)}", [draft], at=now)


def look_without(entry: Entry, gone: Collection[str]) -> Draft:
    """What is left of a look when statements it names are erased: that it was, by whom and when, but not for what.

    The purpose is free text, and may tell what was looked at.
    """
    body = entry.body or {}
    left = {"what": body.get("what", ""), "purpose": "", "detail": "", "at": iso(_looked(entry))}
    return Draft(ACCESSED, tuple(name for name in entry.subjects if name not in gone), left, entry.actor, entry.role)


def _looked(entry: Entry) -> datetime:
    at = (entry.body or {}).get("at")
    return entry.at if at is None else datetime.fromisoformat(at)


def denials(ledger: Ledger) -> list[tuple[int, tuple[str, str | None, str, str]]]:
    """By number of their entries, the acts that were denied: what, about what, and who as what tried."""
    entries = ledger.of_type(ACCESSED) if ledger.has_type(ACCESSED) else ()
    return [
        (entry.seq, (str(entry.body["what"]), entry.subjects[0] if entry.subjects else None, entry.actor, entry.role))
        for entry in entries
        if entry.body is not None and entry.body.get("detail") == DENIED
    ]


def accesses(ledger: Ledger) -> list[Access]:
    """All looks, oldest first."""
    found = []
    for entry in ledger.of_type(ACCESSED) if ledger.has_type(ACCESSED) else ():
        body = entry.body or {}
        what = " ".join(filter(None, (str(body.get("what", "")), str(body.get("detail", "")), *entry.subjects)))
        if entry.body is not None:  # what was blanked stands in an entry of its own
            found.append(Access(_looked(entry), entry.actor, entry.role, str(body.get("purpose", "")), what))
    return sorted(found, key=lambda look: look.at)
