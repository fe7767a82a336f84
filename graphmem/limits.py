"""How much may come in at once: from words that are not the user's little, from the user's own more than anybody says.

Invariant: a session is always taken in.  What is over a limit makes no statement and is reported as refused for the reason
`limit`; words of the user and other words are counted apart, so that a flood of the others never costs one of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.admission import Admitted
from graphmem.ledger import Ledger
from graphmem.model import Rejection, Session
from graphmem.personal.masks import masked

LIMIT = "limit"  # the reason code
SURPLUS_KEPT = 50  # refusals for it that the ledger keeps with their words


@dataclass(frozen=True, slots=True)
class Limits:
    """Claims that are taken: of one session from others' words, of the sessions of one day from those, of one session's user.

    A long conversation of 200 turns gives some 150 statements of the user's own words.
    """

    untrusted: int = 50
    untrusted_a_day: int = 500
    own: int = 2_000


LIMITS = Limits()  # the one place where they are set


class Quota:
    """What is left for one session.

    What the session, or another of that day, brought before counts too; it is looked up only where others' words speak.
    """

    def __init__(self, ledger: Ledger, session: Session, *, limits: Limits | None = None) -> None:
        self._ledger, self._session = ledger, session
        self._limits = limits or LIMITS
        self._own = self._limits.own
        self._foreign: int | None = None

    def left(self, role: str) -> int:
        """How many more claims there may be that rest on words of this role."""
        if role == "user":
            return self._own
        if self._foreign is None:
            most, day = self._limits.untrusted, self._limits.untrusted_a_day
            self._foreign = min(
                most - _spent(self._ledger, self._session.id, most=most),
                day - _spent_on(self._ledger, self._session.started.date().isoformat(), most=day),
            )
        return self._foreign

    def take(self, role: str) -> None:
        """Count a claim that was admitted."""
        if role == "user":
            self._own -= 1
        else:
            self._foreign = self.left(role) - 1

    def over(self, turn: str, quote: str, rule: str | None) -> Rejection:
        """The refusal of what there is no room for."""
        return Rejection(reason=LIMIT, quote=masked(quote), session=self._session.id, turn=turn, rule=rule)


def within(admitted: Sequence[Admitted], ledger: Ledger, session: Session) -> tuple[list[Admitted], list[Rejection]]:
    """The claims that are within the limits, in their order, and the surplus."""
    quota = Quota(ledger, session)
    kept: list[Admitted] = []
    over: list[Rejection] = []
    for item in admitted:
        role = item.evidence.role
        if quota.left(role) <= 0:
            over.append(quota.over(item.evidence.turn, item.evidence.quote, item.record.rule))
        else:
            quota.take(role)
            kept.append(item)
    return kept, over


def _spent(ledger: Ledger, session: str, *, most: int) -> int:
    """How many quotes of others' words a session has brought; counted no further than `most`."""
    found = 0
    for entry in ledger.about(session):
        evidence = (entry.body or {}).get("delta", {}).get("evidence", ()) if entry.type in _BRINGING else ()
        found += sum(item.get("role") != "user" and item.get("session") == session for item in evidence)
        if found >= most:
            break
    return found


def _spent_on(ledger: Ledger, day: str, *, most: int) -> int:
    """The same for all sessions that began on a day, by the ledger's own notes of sessions."""
    found = 0
    for entry in ledger.of_type("session recorded"):
        began = [item["id"] for item in (entry.body or {}).get("delta", {}).get("sessions", ()) if item["started"][:10] == day]
        for session in began:
            found += _spent(ledger, session, most=most - found)
            if found >= most:
                return found
    return found


_BRINGING = frozenset({"statement recorded", "evidence added"})
