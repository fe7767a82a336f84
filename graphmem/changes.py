"""What changed: every addition, replacement, end, correction, contradiction and act of the owner, in order.

Invariant: a change is read off records that exist anyway; asking for changes adds nothing and recomputes nothing.
The clock `told` orders by when it was said and tells what follows from all that is known now; `recorded` orders by when the
memory learned it and tells also what it concluded then and no longer does.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from graphmem.graph.base import Node
from graphmem.ledger import Entry
from graphmem.model import Change, ChangeType, Clock, Evidence, Statement
from graphmem.reading import Reader, is_summary
from graphmem.records import CONSOLIDATED, LinkRecord
from graphmem.rivals import said
from graphmem.views import ENDING_RULES, live_links, waits


def changes(
    reader: Reader,
    *,
    erased: Iterable[Entry],
    since: datetime | None,
    until: datetime | None,
    clock: Clock,
) -> list[Change]:
    """All changes in [since, until), oldest first."""
    found: list[Change] = []
    for node in reader.nodes():
        statement = next(iter(reader.many([node.record.id])), None)
        if statement is not None and not is_summary(statement) and not waits(statement):
            found += _of_statement(reader, node, statement, clock)
    for entry in erased:
        found.append(Change(at=entry.at, type="erased", statement=None, before=None, cause=entry.actor))
    inside = [c for c in found if (since is None or c.at >= since) and (until is None or c.at < until)]
    # Stable: what was said at one moment stays in the order of saying, each addition before what follows from it.
    return sorted(inside, key=lambda c: c.at)


def _of_statement(reader: Reader, node: Node, statement: Statement, clock: Clock) -> list[Change]:
    record = node.record
    told = clock == "told"
    links = live_links(node, reader.known_at) if told else _all_links(node, reader.known_at)
    own = [link for link in links if link.source == record.id]
    found: list[Change] = []
    closes = any(link.rule in ENDING_RULES for link in own)
    guess = statement.tier == "inferred" or record.modality in ("possible", "hypothetical")
    if guess or (closes and record.temporal == "ended"):
        pass  # a suggestion is no change; an end shows as the end of what it closed
    else:
        type_: ChangeType = "ended" if record.temporal == "ended" else "added"
        said_at, recorded_at, first = _accepted(node, statement)
        found.append(Change(at=said_at if told else recorded_at, type=type_, statement=statement, before=None, cause=first))
    for link in links:
        change = _of_link(reader, link, node, statement, told=told)
        if change is not None:
            found.append(change)
    stated_end = record.valid_to
    if (
        stated_end is not None
        and record.temporal == "current"
        and record.kind in ("fact", "preference")
        and record.asserted_at < stated_end <= reader.at
        and statement.status == "past"
    ):
        at = stated_end if told else max(stated_end, record.recorded_at)
        found.append(Change(at=at, type="ended", statement=statement, before=statement, cause=_first(statement)))
    if node.retirement is not None and node.retirement.at <= reader.known_at:
        gone = node.retirement
        found.append(
            Change(
                at=gone.at,
                type="retracted",
                statement=statement,
                before=statement,
                cause=f"{gone.actor}: {gone.reason}",
            )
        )
    found += [
        Change(at=item.at, type="confirmed", statement=statement, before=None, cause=item.actor)
        for item in node.confirmations
        if item.at <= reader.known_at
    ]
    return found


def _all_links(node: Node, known_at: datetime) -> list[LinkRecord]:
    """Every link that the memory has ever held; one that fell and followed again counts each time."""
    # After an erasure a link may be known only from a time at which it no longer stood.
    return [link for link, gone in node.links if link.recorded_at <= known_at and (gone is None or gone > link.recorded_at)]


def _first(statement: Statement) -> Evidence | None:
    return statement.evidence[0] if statement.evidence else None


def _accepted(node: Node, statement: Statement) -> tuple[datetime, datetime, Evidence | None]:
    """When a statement was first said and recorded as more than a suggestion, and the words that made it so."""
    record = node.record
    if record.tier != "inferred":
        return record.asserted_at, record.recorded_at, _first(statement)
    stated = [item for item in statement.evidence if item.tier != "inferred"]
    if stated:
        return stated[0].said_at, stated[0].recorded_at, stated[0]
    confirmed = min((item.at for item in node.confirmations), default=None)
    return confirmed or record.asserted_at, confirmed or record.recorded_at, _first(statement)


def _of_link(reader: Reader, link: LinkRecord, node: Node, statement: Statement, *, told: bool) -> Change | None:
    """What a link tells of the statement that brought it: the source, or the later side of a contradiction."""
    own = statement.id
    if link.rule in CONSOLIDATED:
        return None
    if link.kind not in ("SUPERSEDES", "CORRECTS", "CONTRADICTS") or (link.kind != "CONTRADICTS" and link.source != own):
        return None
    before = next(iter(reader.many([link.target if link.source == own else link.source])), None)
    if before is None:
        return None
    type_: ChangeType
    if link.kind == "CONTRADICTS":
        if said(reader.node(before.id).record) > said(node.record):
            return None
        type_ = "contradicted"
    elif link.kind == "CORRECTS":
        type_ = "corrected"
    else:
        type_ = "ended" if link.rule in ENDING_RULES else "superseded"
    at = link.said_at if told else link.recorded_at
    return Change(at=at, type=type_, statement=statement, before=before, cause=_first(statement))
