"""What changed: every addition, replacement, end, correction, contradiction and act of the owner, in order.

Invariant: a change is read off records that exist anyway; asking for changes adds nothing and recomputes nothing.
The clock `told` orders by when it was said, `recorded` by when the memory learned it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from graphmem.graph.base import Node
from graphmem.ledger import Entry
from graphmem.model import Change, ChangeType, Clock, Evidence, Statement
from graphmem.reading import Reader, is_summary
from graphmem.records import LinkRecord
from graphmem.views import ENDING_RULES, live_links


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
        if statement is not None and not is_summary(statement):
            found += _of_statement(reader, node, statement, clock)
    for entry in erased:
        found.append(Change(at=entry.at, type="erased", statement=None, before=None, cause=entry.actor))
    inside = [c for c in found if (since is None or c.at >= since) and (until is None or c.at < until)]
    # Stable: what was said at one moment stays in the order of saying, each addition before what follows from it.
    return sorted(inside, key=lambda c: c.at)


def _of_statement(reader: Reader, node: Node, statement: Statement, clock: Clock) -> list[Change]:
    record = node.record
    told = clock == "told"
    first = statement.evidence[0] if statement.evidence else None
    links = [link for link in live_links(node, reader.known_at) if link.source == record.id]
    found: list[Change] = []
    closes = any(link.rule in ENDING_RULES for link in links)
    if statement.status == "suggested" or (closes and record.temporal == "ended"):
        pass  # a suggestion is no change; an end shows as the end of what it closed
    else:
        type_: ChangeType = "ended" if record.temporal == "ended" else "added"
        at = record.asserted_at if told else record.recorded_at
        found.append(Change(at=at, type=type_, statement=statement, before=None, cause=first))
    for link in links:
        change = _of_link(reader, link, statement, first, told=told)
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
        found.append(Change(at=at, type="ended", statement=statement, before=statement, cause=first))
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


def _of_link(reader: Reader, link: LinkRecord, statement: Statement, cause: Evidence | None, *, told: bool) -> Change | None:
    if link.kind not in ("SUPERSEDES", "CORRECTS", "CONTRADICTS"):
        return None
    before = next(iter(reader.many([link.target])), None)
    if before is None:
        return None
    at = link.said_at if told else link.recorded_at
    type_: ChangeType
    if link.kind == "CONTRADICTS":
        type_ = "contradicted"
        if before.asserted_at > statement.asserted_at:
            statement, before = before, statement
            cause = statement.evidence[0] if statement.evidence else None
    elif link.kind == "CORRECTS":
        type_ = "corrected"
    else:
        type_ = "ended" if link.rule in ENDING_RULES else "superseded"
    return Change(at=at, type=type_, statement=statement, before=before, cause=cause)
