"""The proof that a consolidation loses nothing: what a memory holds before and after it, compared before it is written.

Invariant: both sides are read from the ledger's own fold, not from the graph in use and not from the plan.  A statement may
only gain quotes.  It may give way only to a theme's newer summary, if it is one itself, or to one that says exactly the same
and has all of its quotes; every other statement keeps its text, kind, interval, status and tier, and its records stay as they
are to the last character.  What is new is a summary whose quotes stand in their turns and whose tier is no higher than that
of any source.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from graphmem.admission import CAPS
from graphmem.errors import ConsolidationRefused
from graphmem.graph.base import Graph, Node
from graphmem.model import TIER_RANK, Statement
from graphmem.records import CONSOLIDATED, REPEAT, THEME, EvidenceRecord, LinkRecord, StatementRecord, TurnRecord, is_theme
from graphmem.views import view


class Holdings(NamedTuple):
    """What a graph holds: statements with their views at one moment, and turns."""

    nodes: dict[str, Node]
    views: dict[str, Statement]
    turns: dict[str, TurnRecord]

    @property
    def quotes(self) -> int:
        """How many quotes statements rest on."""
        return sum(len(node.evidence) for node in self.nodes.values())

    @property
    def dates(self) -> int:
        """How many dates there are: bounds of intervals, and when each quote was said."""
        bounds = sum((n.record.valid_from is not None) + (n.record.valid_to is not None) for n in self.nodes.values())
        return bounds + self.quotes


def holdings(graph: Graph, now: datetime) -> Holdings:
    """What a graph holds, as it stands at a moment."""
    nodes = {node.record.id: node for node in graph.nodes()}
    views = {id_: found for id_, node in nodes.items() if (found := view(node, now, now)) is not None}
    return Holdings(nodes, views, {turn.key: turn for turn in graph.turns()})


def same_claim(record: StatementRecord) -> tuple[object, ...]:
    """What two statements have in common that say exactly the same: all of this."""
    return (
        *(record.kind, record.subject_key, record.predicate, record.object_key, record.polarity, record.modality),
        *(record.context_key, record.temporal, record.valid_from, record.valid_to, record.valid_granularity),
        *(record.cue, record.replaces, record.sensitivity, record.details.get("due"), record.details.get("type")),
    )


def quote_of(item: EvidenceRecord) -> tuple[object, ...]:
    """Which words a piece of evidence is, who said them and when."""
    return item.turn_key, item.start, item.end, item.quote, item.role, item.speaker, item.said_at


def prove(before: Holdings, after: Holdings) -> None:
    """Compare what was held with what would be.

    Raises:
        ConsolidationRefused: something would be lost or changed; names the first of it.
    """
    for id_, node in before.nodes.items():
        kept = after.nodes.get(id_)
        if kept is None:
            raise _refused(f"the statement {id_} would be gone")
        if kept.record != node.record:
            raise _refused(f"the statement {id_} would be another")
        if not set(map(_exactly, node.evidence)) <= set(map(_exactly, kept.evidence)):
            raise _refused(f"a quote of {id_} would be gone")
        if (kept.retirement, kept.confirmations) != (node.retirement, node.confirmations):
            raise _refused(f"the statement {id_} would be withdrawn or confirmed")
        _links(node, kept)
        _view(id_, before, after)
    for key, turn in before.turns.items():
        if after.turns.get(key) != turn:
            raise _refused(f"the turn {turn.id!r} of session {turn.session!r} would be lost or changed")
    for id_ in after.nodes.keys() - before.nodes.keys():
        _summary(after.nodes[id_], after)
    for id_, node in after.nodes.items():
        for item in _new(node.evidence, before.nodes.get(id_)):
            turn_ = after.turns.get(item.turn_key)
            if not item.quote or turn_ is None or turn_.text[item.start : item.end] != item.quote:
                raise _refused(f"a quote of {id_} would not stand in its turn")


def _refused(why: str) -> ConsolidationRefused:
    return ConsolidationRefused(
        f"the consolidation was refused and nothing was written, because {why}: run `graphmem verify`, and report this"
    )


def _exactly(item: EvidenceRecord) -> str:
    return item.model_dump_json()


def _new(evidence: Iterable[EvidenceRecord], before: Node | None) -> list[EvidenceRecord]:
    known = set() if before is None else {item.id for item in before.evidence}
    return [item for item in evidence if item.id not in known]


def _links(node: Node, kept: Node) -> None:
    """Links stay as they stand; those that come are derivations of summaries, and what consolidation concludes."""
    now = {(link.model_dump_json(), gone) for link, gone in kept.links}
    if any((link.model_dump_json(), gone) not in now for link, gone in node.links):
        raise _refused(f"a conclusion about {node.record.id} would be lost")
    known = {link.id for link, _ in node.links}
    for link, _ in kept.links:
        if link.id not in known and (link.kind not in ("SUPERSEDES", "DERIVED_FROM") or link.rule not in CONSOLIDATED):
            raise _refused(f"{link.kind} of {node.record.id} is no conclusion of a consolidation")


def _view(id_: str, before: Holdings, after: Holdings) -> None:
    """How a statement is shown: the same, unless it gave way to what holds all that it said."""
    was, now = before.views.get(id_), after.views.get(id_)
    if was is None or now is None:
        if was is not now:
            raise _refused(f"the statement {id_} would no longer be shown")
        return
    taken_by = [
        link
        for link, gone in after.nodes[id_].links
        if gone is None and link.kind == "SUPERSEDES" and link.target == id_ and link.source not in was.superseded_by
    ]
    for link in taken_by:
        _gave_way(before.nodes[id_], link, after)
    if taken_by:
        return
    for name in ("text", "kind", "valid_from", "valid_to", "valid_granularity", "status", "tier", "retracted_at"):
        if getattr(was, name) != getattr(now, name):
            raise _refused(f"the {name.replace('_', ' ')} of {id_} would change")


def _gave_way(node: Node, link: LinkRecord, after: Holdings) -> None:
    """Whether what took the place of a statement holds all that it said."""
    heir = after.nodes.get(link.source)
    if heir is None or link.source == node.record.id:
        raise _refused(f"nothing would stand in the place of {node.record.id}")
    if TIER_RANK[_tier(heir, after)] < TIER_RANK[_tier(node, after)]:
        raise _refused(f"what would take the place of {node.record.id} has a lower tier")
    if link.rule == THEME and is_theme(node.record) and is_theme(heir.record):
        return
    if link.rule != REPEAT or same_claim(heir.record) != same_claim(node.record):
        raise _refused(f"what would take the place of {node.record.id} does not say the same")
    if any(link.kind == "SUPERSEDES" and link.target == heir.record.id and gone is None for link, gone in heir.links):
        raise _refused(f"what would take the place of {node.record.id} does not stand itself")
    if not set(map(quote_of, node.evidence)) <= set(map(quote_of, heir.evidence)):
        raise _refused(f"a quote of {node.record.id} would not be with what takes its place")


def _tier(node: Node, after: Holdings) -> str:
    found = after.views.get(node.record.id)
    return node.record.tier if found is None else found.tier


def _summary(node: Node, after: Holdings) -> None:
    """What is new must be a summary of sources that are there, and be no better founded than the least of them."""
    record = node.record
    if not is_theme(record) or record.kind != "episode":
        raise _refused(f"{record.id} is no summary of a theme")
    ids = {
        link.target for link, gone in node.links if link.kind == "DERIVED_FROM" and link.source == record.id and gone is None
    }
    sources = [after.nodes[id_] for id_ in sorted(ids) if id_ in after.nodes]
    if not sources or len(sources) < len(ids):
        raise _refused(f"the summary {record.id} has no sources, or such as are not there")
    ranks = [TIER_RANK[_tier(source, after)] for source in sources]
    ranks += [TIER_RANK[CAPS.get(item.role, "inferred")] for item in node.evidence]
    if TIER_RANK[record.tier] > min(ranks) or any(item.tier != record.tier for item in node.evidence):
        raise _refused(f"the summary {record.id} would have a higher tier than its sources")
    if any(source.record.sensitivity != "ordinary" for source in sources):
        raise _refused(f"the summary {record.id} would tell of a special category")
    quoted = {quote_of(item) for source in sources for item in source.evidence}
    if not node.evidence or not {quote_of(item) for item in node.evidence} <= quoted:
        raise _refused(f"the summary {record.id} would rest on a quote that none of its sources has")
