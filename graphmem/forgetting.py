"""The request to forget: what it names, what follows, and what is settled anew afterwards.

Invariant: a request names exactly one thing; forgetting everything leaves nothing but the fact that it was done.
"""

from __future__ import annotations

from datetime import datetime

from graphmem.errors import InputError
from graphmem.ledger import Draft
from graphmem.lifecycle.erase import NOT_COVERED, erase, finish, needles_of, residue, scan, scope_of, settle
from graphmem.model import Clock, ErasureReceipt, iso
from graphmem.reading import Reader
from graphmem.space import Space


def forget(
    space: Space,
    *,
    reader: Reader,
    id_: str | None,
    topic: str | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    everything: bool,
    clock: Clock,
    dry_run: bool,
) -> ErasureReceipt:
    """Erase what the request names; see `Memory.forget`."""
    window = since is not None or until is not None
    if sum([id_ is not None, topic is not None, session is not None, window, everything]) != 1:
        raise InputError("forget takes exactly one of id, topic, session, since/until or all")
    if id_ is not None:
        reader.one(id_)
    nodes, turns = space.graph.nodes(), space.graph.turns()
    scope = scope_of(
        nodes, turns, id_=id_, topic=topic, session=session, since=since, until=until, clock=clock,
        everything=everything,
    )  # fmt: skip
    # The topic itself is not written down: it may be the very word that is to go.
    named = {
        "id": id_,
        "topic": topic is not None,
        "session": session,
        "since": iso(since) if since else None,
        "until": iso(until) if until else None,
        "all": everything,
    }
    named = {name: value for name, value in named.items() if value not in (None, False)}
    if everything and not dry_run:
        counts = {
            "statements": len(nodes),
            "evidence": sum(len(n.evidence) for n in nodes),
            "turns": len(turns),
        }
        needles = needles_of(nodes, scope, {turn.key: turn for turn in turns}, {})
        needles |= residue(space, range(1, space.ledger.head()[0] + 1), [*scope.statements, *scope.turns])
        now = space.ledger.now()
        # The intent is recorded first, so that an interrupted reset is finished at the next opening.
        space.turn.owed = True
        intent = {"blanked": [], "counts": counts, "all": True}
        space.ledger.append(f"erase-all/{iso(now)}", [Draft("erased", (), intent)], at=now)
        finish(space)
        done = Draft("erased", (), {"blanked": [], "counts": counts})
        for entry in space.write(f"erased-all/{iso(now)}", [done], at=now):
            space.ledger.mark_carried_out(entry.seq)
        space.turn.owed = False
        files, hits = scan(space, needles)
        return ErasureReceipt(
            scope=named,
            counts=counts,
            scanned_files=files,
            residue_hits=hits,
            not_covered=NOT_COVERED,
            at=now,
        )
    space.turn.owed = not dry_run
    receipt = erase(space, scope, named=named, dry_run=dry_run)
    if not dry_run:
        settle(space)
    space.turn.owed = False
    return receipt
