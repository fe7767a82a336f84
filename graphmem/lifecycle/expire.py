"""Expiry: what has outlived its term, taken out of the memory by the same way as what is forgotten.

Invariant: it happens when it is asked for, and only then; what goes is told before, rule by rule, with what follows from it.
What expired leaves no tombstone: whoever says it again has it remembered again.
"""

from __future__ import annotations

from graphmem import retention
from graphmem.lifecycle.closure import closure
from graphmem.lifecycle.erase import erase, settle
from graphmem.lifecycle.scope import Scope
from graphmem.queue import waiting_turns
from graphmem.retention import Expiry, ExpiryReport
from graphmem.settings import settings_of
from graphmem.space import Space
from graphmem.usage import Tally


def expire(space: Space, *, dry_run: bool) -> ExpiryReport:
    """Carry the terms of a space out, or only tell what that would take; see `Memory.expire`."""
    settings, now = settings_of(space.ledger), space.ledger.now()
    nodes, sessions = space.graph.nodes(), space.graph.sessions()
    tally = Tally()
    tally.follow(space.ledger)
    waiting = {(one.id, turn) for one in sessions for turn in waiting_turns(space.ledger, one.id)}
    turns = [turn for turn in space.graph.turns() if (turn.session, turn.id) not in waiting]
    due = retention.plan(
        nodes, turns, settings, now=now, used=lambda id_: tally.counts(id_)[0] > 0,
        recorded={one.id: one.recorded_at for one in sessions},
    )  # fmt: skip
    if not due.statements and not due.passages:
        return ExpiryReport(expired=(), held=tuple(due.held), dry_run=dry_run)
    scope = Scope(due.statements, frozenset(), due.passages)
    follow = closure(scope, nodes)[0].statements - due.statements
    expired = [
        *due.expired,
        *(
            Expiry(rule="made of what expires", since=now, kind="statement", id=node.record.id, text=node.record.text)
            for node in nodes
            if node.record.id in follow
        ),
    ]
    rules = sorted({item.rule for item in expired})
    space.turn.owed = not dry_run
    receipt = erase(space, scope, named={"expired": rules}, dry_run=dry_run, refused=False)
    if not dry_run:
        settle(space)
    space.turn.owed = False
    return ExpiryReport(expired=tuple(expired), held=tuple(due.held), dry_run=dry_run, receipt=receipt)
