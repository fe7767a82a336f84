"""What an owner has allowed, and what others have asked the owner for: purposes, grants and requests in the ledger.

Invariant: every rule is an entry of the ledger of the space that it is about, and the last one about the same thing holds.
Entries hold ids, names of acts, roles and spaces, times and codes; never a word of what is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from graphmem.checks import brief, texts
from graphmem.errors import InputError
from graphmem.ledger import Draft, Entry, Ledger
from graphmem.model import Frozen, Time, iso
from graphmem.owner import SPACE_NAME
from graphmem.records import key
from graphmem.roles import ACTS, ROLES, Principal
from graphmem.sessions import normal
from graphmem.space import Space

POLICY, GRANTED, REQUESTED, SETTLED = "policy", "granted", "requested", "settled"
REASONS = ("denied", "wrong", "outdated", "unwanted", "private", "asked", "duplicate")
PENDING = 100  # requests that are kept waiting; what is asked beyond is denied without a new one
MOST_PURPOSES = 50
_ID = re.compile(r"[a-z]_[0-9a-f]{24}")


class Request(Frozen):
    """What somebody asked the owner to do: an act and the id of what it is about, if it is about one thing.

    `reason` is a code (`denied` where the act itself was tried); `actor`, `role` say who asked, `times` how often: the same
    waits once.
    """

    id: str
    at: Time
    act: str
    subject: str | None
    reason: str
    actor: str
    role: str
    times: int = 1


class Rules(NamedTuple):
    """The rules of a ledger: purposes by role, the ends of grants by (space, role)."""

    purposes: dict[str, tuple[str, ...]]
    grants: dict[tuple[str, str], datetime]


def rules(ledger: Ledger) -> Rules:
    """What holds by the last entries."""
    purposes: dict[str, tuple[str, ...]] = {}
    grants: dict[tuple[str, str], datetime] = {}
    for entry in _of(ledger, POLICY):
        body = entry.body or {}
        if body.get("about") == "purposes":
            purposes[body["role"]] = tuple(body["purposes"])
    for entry in _of(ledger, GRANTED):
        body = entry.body or {}
        grants[body["space"], body["to"]] = datetime.fromisoformat(body["until"])
    return Rules(purposes, grants)


def limits(ledger: Ledger) -> list[Draft]:
    """The limits that hold, as entries for a ledger that begins anew: without them a role would be let in again."""
    return [_limit(role, named) for role, named in sorted(rules(ledger).purposes.items()) if named]


def _limit(role: str, purposes: Iterable[str]) -> Draft:
    return Draft(POLICY, (), {"about": "purposes", "role": role, "purposes": list(purposes)}, "owner")


def admits(found: Rules, who: Principal, now: datetime) -> bool:
    """Whether somebody may act at all: for a purpose that the owner allows, and by a grant that has not ended."""
    named = found.purposes.get(who.role)
    if named and who.purpose not in named:
        return False
    return who.home is None or found.grants.get((who.home, who.role), datetime.min.replace(tzinfo=UTC)) > now


def limit(space: Space, role: str, purposes: Iterable[str]) -> None:
    """Let a role act for these purposes only; none lifts the limit."""
    _other(role)
    named = sorted({normal(one) for one in texts("purposes", purposes)})
    if len(named) > MOST_PURPOSES or any(not one.strip() or len(one) > 300 for one in named):
        raise InputError(f"purposes must be up to {MOST_PURPOSES} texts of 1 to 300 characters each")
    _write(space, _limit(role, named), role)


def grant(space: Space, home: str, to: str, until: datetime) -> None:
    """Let a role whose own space is `home` read this one before `until`; a time that has passed takes it back."""
    _other(to)
    if not isinstance(home, str) or not SPACE_NAME.fullmatch(home) or home == space.space:
        raise InputError(f"space {brief(home)} is not the name of another space: name the space that the role comes from")
    _write(space, Draft(GRANTED, (), {"space": home, "to": to, "until": iso(until)}, "owner"), home, to)


def ask(space: Space, who: Principal, act: str, subject: str | None, reason: str) -> bool:
    """Record a request, once while it waits; whether the owner will see it.

    Raises:
        InputError: there is no such act or reason, or the subject is no id.
    """
    if not isinstance(act, str) or act not in ACTS or not isinstance(reason, str) or reason not in REASONS:
        raise InputError(f"act or reason is unknown: name a method, and one of {', '.join(REASONS)}")
    if subject is not None and not is_id(subject):
        raise InputError("what a request is about is named by its id: see `graphmem statements`")
    waiting = pending(space.ledger)
    if waits(waiting, who, act, subject):
        return True
    if len(waiting) >= PENDING:
        return False
    subjects = () if subject is None else (subject,)
    mark = str(space.ledger.head()[0])
    body = {"act": act, "reason": reason, "request": key("a", space.ledger.secret, act, *subjects, who.actor, mark)}
    _write(space, Draft(REQUESTED, subjects, body, normal(who.actor), who.role), act, mark)
    return True


def waits(waiting: Iterable[Request], who: Principal, act: str, subject: str | None) -> bool:
    """Whether the same is asked already by the same."""
    asked = act, subject, who.role, normal(who.actor)
    return any((one.act, one.subject, one.role, one.actor) == asked for one in waiting)


def is_id(value: object) -> bool:
    """Whether it has the form of an id, so that it holds no words."""
    return isinstance(value, str) and bool(_ID.fullmatch(value))


def pending(ledger: Ledger) -> list[Request]:
    """Requests that were not settled, oldest first; one about something that was erased went with it."""
    return [one for _, one in placed(ledger)]


def placed(ledger: Ledger) -> list[tuple[int, Request]]:
    """The same, each with the number of its entry."""
    done = {str((entry.body or {}).get("request")) for entry in _of(ledger, SETTLED)}
    # What was forgotten may be said again under its id; a request that was made after that is a new one.
    gone = {id_: entry.seq for entry in ledger.erasures() for id_ in entry.subjects}
    found = []
    for entry in _of(ledger, REQUESTED):
        body = entry.body
        if body is None or body["request"] in done or any(gone.get(id_, 0) > entry.seq for id_ in entry.subjects):
            continue
        subject = entry.subjects[0] if entry.subjects else None
        asked = Request(
            id=body["request"], at=entry.at, act=body["act"], subject=subject, reason=body["reason"], actor=entry.actor,
            role=entry.role,
        )  # fmt: skip
        found.append((entry.seq, asked))
    return found


def settle(space: Space, request: str) -> None:
    """Take a request off the list: its owner has done what was asked, or will not.

    Raises:
        InputError: no such request waits.
    """
    if not isinstance(request, str) or request not in {one.id for one in pending(space.ledger)}:
        raise InputError(f"no request {brief(request)} waits: see `graphmem requests` for their ids")
    _write(space, Draft(SETTLED, (), {"request": request}, "owner"), request)


def _other(role: str) -> None:
    if not isinstance(role, str) or role not in ROLES[1:]:
        raise InputError(f"role {brief(role)} cannot be limited or granted anything: use one of {', '.join(ROLES[1:])}")


def _of(ledger: Ledger, type_: str) -> list[Entry]:
    return ledger.of_type(type_) if ledger.has_type(type_) else []


def _write(space: Space, draft: Draft, *marks: str) -> None:
    now = space.ledger.now()
    mark = key("a", space.ledger.secret, now.isoformat(), str(space.ledger.head()[0]), *marks)
    space.write(f"{draft.type}/{mark}", [draft], at=now)
