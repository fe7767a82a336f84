"""Who may do what: the roles in which a memory can be opened, and the one function that decides.

A library stops mistakes and confused agents; it does not stop a hostile process that can read the file.

Invariant: the table is data, and an act that is not in it is allowed to nobody, not even to the owner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from graphmem.checks import brief
from graphmem.errors import AccessDenied, InputError

Role = Literal["owner", "agent", "auditor", "support"]
Right = Literal["read", "write", "confirm", "export", "erase", "audit", "quotes", "ask", "keep", "rule"]
ROLES: tuple[str, ...] = get_args(Role)
OWNER = "owner"

# What each role has of each right: "yes" is all of it, "no" nothing, any other word the part that it names.
TABLE: dict[str, dict[Right, str]] = {
    "owner": {
        "read": "yes", "write": "yes", "confirm": "yes", "export": "yes", "erase": "yes", "audit": "yes", "quotes": "yes",
        "ask": "yes", "keep": "yes", "rule": "yes",
    },
    "agent": {
        "read": "stated", "write": "propose", "confirm": "no", "export": "no", "erase": "request", "audit": "no",
        "quotes": "short", "ask": "yes", "keep": "no", "rule": "no",
    },
    "auditor": {
        "read": "chain", "write": "no", "confirm": "no", "export": "report", "erase": "no", "audit": "verify",
        "quotes": "case", "ask": "no", "keep": "no", "rule": "no",
    },
    "support": {
        "read": "states", "write": "no", "confirm": "no", "export": "no", "erase": "request", "audit": "metadata",
        "quotes": "no", "ask": "yes", "keep": "no", "rule": "no",
    },
}  # fmt: skip


class Act(NamedTuple):
    """A public method: the right that it takes, and the parts of that right which are enough for it.

    `logged` is whether it is an entry of the ledger when somebody else than the owner does it; `across` whether it may be
    done in a space that was opened by a grant to another one.
    """

    right: Right
    parts: frozenset[str] = frozenset()
    logged: bool = True
    across: bool = False


def _read(*parts: str, logged: bool = True) -> Act:
    return Act("read", frozenset(parts), logged, across=True)


_PROPOSE = Act("write", frozenset({"propose"}))
ACTS: dict[str, Act] = {
    "recall": _read("stated"),
    "on_turn": _read("stated"),
    "start": _read("stated"),
    "render": _read("stated", logged=False),
    "profile": _read("stated"),
    "changes": _read("stated"),
    "open_items": _read("stated"),
    "open_questions": _read("stated"),
    "entities": _read("stated"),
    "statements": _read("stated", "states"),
    "contradictions": _read("stated", "states"),
    "sessions": _read("stated", "states"),
    "trace": _read("stated", "chain"),
    "sparql": _read("chain"),
    "ingest": _PROPOSE,
    "extract": _PROPOSE,
    "propose": _PROPOSE,
    "note_use": _PROPOSE,
    "remember": Act("write"),
    "correct": Act("write"),
    "retract": Act("write"),
    "confirm": Act("confirm"),
    "forget": Act("erase"),
    "export": Act("export"),
    "dump": Act("export"),
    "timeline": Act("export"),
    "graph": Act("export"),
    "chain": Act("export"),
    "backup": Act("export"),
    "audit": Act("export", frozenset({"report"})),
    "verify": Act("audit", frozenset({"verify", "metadata"})),
    "anchor": Act("audit", frozenset({"verify", "metadata"})),
    "look": Act("audit"),
    "request": Act("ask"),
    "rebuild": Act("keep"),
    "reembed": Act("keep"),
    "compact": Act("keep"),
    "rotate": Act("keep"),
    "consolidate": Act("keep"),
    "restore": Act("keep"),
    "open": Act("keep"),
    "quarantine": Act("rule"),
    "release": Act("confirm"),
    "requests": Act("rule"),
    "settle": Act("rule"),
    "grant": Act("rule"),
    "limit": Act("rule"),
    "settings": Act("rule"),
    "configure": Act("rule"),
    "pause": Act("rule"),
    "resume": Act("rule"),
    "expire": Act("erase"),
}
# Arguments that make more of an act than the role may do: with any other value it is the owner's own decision.
OWNERS: dict[str, dict[str, object]] = {
    "ingest": {"allow": False},  # lifts the tombstones of what the owner forgot
    "extract": {"extractor": "rules"},  # any other one is handed what others recorded, hidden words among it
}
# What is open to everybody: it neither shows what is remembered nor changes it.
FREE = frozenset({"close", "notices"})

_LONGEST = {"actor": 120, "purpose": 300}
_CASE = re.compile(r"case:\s*\S")


class Principal(NamedTuple):
    """Who has a memory open, as what, and what for; `home` is the space it comes from, where that is another one."""

    role: str
    actor: str
    purpose: str
    home: str | None = None

    @property
    def quotes(self) -> str:
        """How much of what was said is shown: `yes`, `short`, `masked` or `no`."""
        part = TABLE[self.role]["quotes"]
        if part == "case":
            return "yes" if _CASE.match(self.purpose) else "masked"
        return part


def principal(role: object, actor: object, purpose: object, *, home: object = None) -> Principal | None:
    """Who opens a memory; None for its owner, to whom nothing is closed.

    Raises:
        InputError: there is no such role, or it does not say what for.
    """
    if not isinstance(role, str) or role not in ROLES:
        raise InputError(f"role {brief(role)} is unknown: use one of {', '.join(ROLES)}")
    if home is not None and not isinstance(home, str):
        raise InputError(f"granted_from must be the name of a space, not {type(home).__name__}")
    said = {"actor": role if actor is None else actor, "purpose": "own use" if purpose is None and role == OWNER else purpose}
    for name, value in said.items():
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST[name]:
            raise InputError(f"role {role} needs {name}= as a text of 1 to {_LONGEST[name]} characters: say who, and what for")
    if role == OWNER:
        if home is not None:
            raise InputError("granted_from is for other roles: the owner opens each space without a grant")
        return None
    return Principal(role, str(said["actor"]), str(said["purpose"]), home)


def allowed(role: str, act: str) -> bool:
    """Whether a role may do an act; what is not in the table it may not."""
    found, has = ACTS.get(act), TABLE.get(role)
    if act in FREE:
        return has is not None
    if found is None or has is None:
        return False
    part = has[found.right]
    return part == "yes" or part in found.parts


def beyond(act: str, given: Mapping[str, object]) -> str | None:
    """The argument by which an act would be more than any role but the owner may do; None if there is none."""
    for name, usual in OWNERS.get(act, {}).items():
        value = given.get(name, usual)
        # Of the very type: an object of another one could say anything when it is compared.
        if type(value) is not type(usual) or value != usual:
            return name
    return None


def asks(role: str, act: str) -> bool:
    """Whether the owner is told when a role is denied an act that the owner could do."""
    found = ACTS.get(act)
    return found is not None and not allowed(role, act) and (role == "agent" or TABLE[role][found.right] == "request")


def denied(role: str, act: str, *, told: bool = False, argument: str | None = None) -> AccessDenied:
    """The error for an act that a role may not do, or not with an argument.

    `told` is whether its owner will see that it was asked for.
    """
    act = act if argument is None else f"{act} with {argument}="
    what = "its owner sees that it was asked for (`graphmem requests`)" if told else "ask the memory's owner to do it"
    return AccessDenied(f"the role {role} may not {act}: {what}")
