"""The acts by which a memory's owner rules who else may use it, and by which others ask the owner.

Invariant: only the owner rules; whoever asks gets nothing by it but a place on the owner's list.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from graphmem.errors import AccessDenied, InputError, StoreError
from graphmem.gate import CLOSED, Gate
from graphmem.guards import gated, reads, writes
from graphmem.head import LEDGER
from graphmem.owner import folder_name
from graphmem.permits import Request
from graphmem.reading import aware
from graphmem.roles import Principal, denied
from graphmem.upkeep import Upkeep


class Ruling(Upkeep):
    """The part of a memory that rules over its use; see `graphmem.Memory`."""

    @gated
    def request(self, act: str, id: str | None = None, *, reason: str = "asked") -> None:
        """Ask the owner to do what this role may not: the act's name, the id of what it is about, and a code for why.

        `reason` is one of `graphmem.permits.REASONS`.  The owner sees it among `requests`; nothing else happens.
        """
        if self._gate is None:
            raise InputError("the owner has nobody to ask: do it")
        if not self._gate.ask(act, id, reason):
            raise AccessDenied("too many requests wait already: ask the memory's owner to settle them")

    @reads
    def requests(self) -> list[Request]:
        """What others have asked for and were denied, oldest first: do it, or not, and `settle` it.

        The same act of the same actor about the same thing waits once; `times` says how often it was tried.
        """
        from graphmem.access import denials
        from graphmem.permits import placed

        found = placed(self._space.ledger)
        tried = denials(self._space.ledger) if found else []
        asked = []
        for seq, one in found:
            same = (one.act, one.subject, one.actor, one.role)
            asked.append(one.model_copy(update={"times": 1 + sum(at > seq and what == same for at, what in tried)}))
        return asked

    @writes
    def settle(self, request: str) -> None:
        """Take a request off the list, whatever became of it."""
        from graphmem.permits import settle

        settle(self._space, request)

    @writes
    def grant(self, *, space: str, until: datetime, to: str = "agent") -> None:
        """Let a role that comes from another space of the same user read this one before `until`.

        It opens this space with `granted_from=` the name of its own.  The last grant counts: a time that has passed takes it
        back at once.
        """
        from graphmem.permits import grant

        end = aware("until", until)
        if end is None:
            raise InputError("a grant needs an end: give until= as an aware time")
        grant(self._space, space, to, end)

    @writes
    def limit(self, role: str, *, purposes: Iterable[str]) -> None:
        """Let a role use this memory for these purposes only, word for word; an empty list lifts the limit."""
        from graphmem.permits import limit

        limit(self._space, role, purposes)

    # ------------------------------------------------------------------ parts

    def _admit(self, who: Principal) -> None:
        """Put the gate before every act, for somebody who is not the owner.

        Raises:
            AccessDenied: the purpose or the grant does not allow it.
        """
        self._gate = Gate(self._space, who, clock=self._clock, entropy=self._entropy)
        with self._space.reading():
            if not self._gate.admitted():
                raise AccessDenied(CLOSED.format(who.role))
        for name in ("open", "restore"):
            # Whoever was handed this memory shall not open it anew as its owner by way of it.
            setattr(self, name, Refused(self._gate, name))


class Refused:
    """An act of the class that is not for whoever has this memory open."""

    def __init__(self, gate: Gate, act: str) -> None:
        self._gate, self._act = gate, act

    def __call__(self, *args: object, **kwargs: object) -> None:
        """AccessDenied."""
        self._gate.admit(self._act)
        raise denied(self._gate.who.role, self._act)


def check_there(home: Path, user: str, space: str, who: Principal | None) -> None:
    """AccessDenied where another than the owner opens a memory that there is not: nobody else begins one."""
    if who is not None and not (home / folder_name(user, space) / LEDGER).is_file():
        raise AccessDenied(CLOSED.format(who.role))


def untold(error: StoreError, who: Principal | None) -> Exception:
    """What may be said of an error at the opening: by a grant nothing that tells what there is."""
    return AccessDenied(CLOSED.format(who.role)) if who is not None and who.home is not None else error
