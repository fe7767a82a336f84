"""The request to forget: what it names, what follows, and what is settled anew afterwards.

Invariant: a request names exactly one thing; forgetting everything leaves nothing but the fact that it was done.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from graphmem.checks import brief, flags
from graphmem.errors import InputError
from graphmem.lifecycle.allusions import Place, alluding
from graphmem.lifecycle.erase import erase, erase_everything, scope_of, settle
from graphmem.lifecycle.mentions import others_hit
from graphmem.lifecycle.scope import Scope, named_by, scope_of_entity
from graphmem.lifecycle.turn_times import recorded_at
from graphmem.model import Clock, iso
from graphmem.reading import Reader
from graphmem.receipts import ErasureReceipt
from graphmem.records import TurnRecord
from graphmem.space import Space


def forget(
    space: Space,
    *,
    reader: Reader,
    id_: str | None,
    topic: str | None,
    entity: str | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    last: timedelta | None,
    everything: bool,
    clock: Clock,
    dry_run: bool,
) -> ErasureReceipt:
    """Erase what the request names; see `Memory.forget`."""
    flags(all=everything, dry_run=dry_run)
    for name, value in (("id", id_), ("topic", topic), ("entity", entity), ("session", session)):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name}={brief(value)} must be a text, not {type(value).__name__}")
    window = since is not None or until is not None
    one = [id_ is not None, topic is not None, entity is not None, session is not None, window, last is not None, everything]
    if sum(one) != 1:
        raise InputError("forget takes exactly one of id, topic, entity, session, since/until, last or all")
    if since is not None and until is not None and until <= since:
        raise InputError(
            f"since={iso(since)} is not before until={iso(until)}, which is not included: nothing lies between them, so name "
            "the earlier time as since and a later one as until"
        )
    if last is not None:
        since = _since(last, space.ledger.now())
    if id_ is not None:
        reader.one(id_)
    # The topic and the name are not written down: they may be the very words that are to go.
    named = {
        "id": id_, "topic": topic is not None, "entity": entity is not None, "session": session,
        "since": iso(since) if since else None, "until": iso(until) if until else None, "all": everything,
    }  # fmt: skip
    named = {name: value for name, value in named.items() if value not in (None, False)}
    if everything and not dry_run:
        return erase_everything(space, named=named)
    turns, sessions = space.graph.turns(), space.graph.sessions()
    if entity is not None:
        scope = scope_of_entity(reader, turns, sessions, entity)
    else:
        scope = scope_of(
            space.graph.nodes(), turns, id_=id_, topic=topic, session=session, since=since, until=until, clock=clock,
            everything=everything, sessions=sessions, recorded=recorded_at(space) if clock == "recorded" else None,
        )  # fmt: skip
    space.turn.owed = not dry_run
    receipt = erase(
        space, scope, named=named, dry_run=dry_run, alluding=_alluding(reader, turns, scope, entity, topic),
        bearing=None if entity is None else others_hit(reader, entity, named_by(reader, entity)),
    )  # fmt: skip
    if not dry_run:
        settle(space)
    space.turn.owed = False
    return receipt


def _alluding(
    reader: Reader, turns: Iterable[TurnRecord], scope: Scope, entity: str | None, topic: str | None
) -> frozenset[Place]:
    """The sentences that may speak of what bears the name; of a topic that is nobody's name there are none."""
    name = topic if entity is None else entity
    if name is None:
        return frozenset()
    forms = named_by(reader, name)
    if entity is None and not forms & {form for form, _ in reader.directory().names.cells.values()}:
        return frozenset()
    return alluding(reader, turns, scope, forms)


def _since(last: object, now: datetime) -> datetime:
    if not isinstance(last, timedelta) or last <= timedelta(0):
        raise InputError(f"last={brief(last)} must be a length of time, such as timedelta(hours=1)")
    try:
        return now - last
    except OverflowError as error:
        raise InputError(f"last={last} reaches back before the year 1: name a shorter time, or all=True") from error
