"""Consolidation: statements summed up by theme, and exact repeats joined, with the proof that nothing is lost.

Invariant: nothing is overwritten and nothing goes.  The plan is a function of the ledger's fold; it is tried on that fold in
memory, what is held before and after is compared (`graphmem.lifecycle.proof`), and only then it is written, as one operation.
The same state gives the same plan, so a second run adds nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmem.calibration import loaded
from graphmem.communities import Rows
from graphmem.errors import ConsolidationRefused
from graphmem.folding import delta_of, merge
from graphmem.graph.base import Node
from graphmem.ledger import Draft
from graphmem.lifecycle.proof import Holdings, holdings, prove, quote_of, same_claim
from graphmem.model import TIER_RANK, Frozen
from graphmem.recall.words import Words
from graphmem.records import REPEAT, THEME, Delta, LinkRecord, MentionRecord, is_theme, key
from graphmem.space import Space
from graphmem.themes import Theme, name_of, sources_of, stem_frequency, summary_of, themes
from graphmem.views import bounds, tier_of

if TYPE_CHECKING:
    from graphmem.graph.reference import ReferenceGraph

ACTOR = "consolidation"
STEPS = 5
_TYPES = frozenset({"statement recorded", "evidence added", "superseded", "consolidated"})
_RECORDS = frozenset({"statements", "evidence", "links"})


class ConsolidationReport(Frozen):
    """What a consolidation did, or with `dry_run` would do; ids are statement ids, pairs are (newer or kept, older or joined).

    `themes` are the new summaries, `unchanged` how many stand as they were.  `statements`, `quotes` and `dates` were held
    before and compared with what is held after: none is lost.
    """

    themes: tuple[str, ...]
    renewed: tuple[tuple[str, str], ...]
    repeats: tuple[tuple[str, str], ...]
    unchanged: int
    statements: int
    quotes: int
    dates: int
    lost: int
    dry_run: bool
    seconds: float


class Plan(NamedTuple):
    """What is to be recorded, and of it what a report tells."""

    drafts: tuple[Draft, ...]
    themes: tuple[str, ...] = ()
    renewed: tuple[tuple[str, str], ...] = ()
    repeats: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0


def consolidate(
    space: Space, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
) -> ConsolidationReport:
    """Sum up by theme and join repeats; see `Memory.consolidate`."""
    started = perf_counter()
    step = _Steps(progress)
    now = space.ledger.now()
    fold = folded(space)
    step.done()
    before = holdings(fold, now)
    nodes = list(before.nodes.values())
    scale, secret = space.ledger.meta("calibration", ""), space.ledger.secret
    plan = planned(nodes, fold.mentions(), vectors_by_statement(space), calibration=scale, secret=secret, now=now)
    step.done()
    after = tried(fold, plan.drafts, now)
    step.done()
    prove(before, after)
    step.done()
    if plan.drafts and not dry_run:
        space.write(f"consolidate/{space.ledger.head()[0]}", list(plan.drafts), at=now)
    step.done()
    return ConsolidationReport(
        themes=plan.themes,
        renewed=plan.renewed,
        repeats=plan.repeats,
        unchanged=plan.unchanged,
        statements=len(before.nodes),
        quotes=before.quotes,
        dates=before.dates,
        lost=0,
        dry_run=dry_run,
        seconds=round(perf_counter() - started, 3),
    )


class _Steps:
    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self._progress, self._count = progress, 0

    def done(self) -> None:
        self._count += 1
        if self._progress is not None:
            self._progress(self._count, STEPS)


def folded(space: Space) -> ReferenceGraph:
    """The ledger's fold in memory, without vectors."""
    from graphmem.graph.reference import filled

    return filled((delta_of(entry, []) for entry in space.ledger.entries()), dimension=space.dimension)


def tried(fold: ReferenceGraph, drafts: Sequence[Draft], now: datetime) -> Holdings:
    """What would be held if these entries were recorded; the fold takes them in.

    Raises:
        ConsolidationRefused: one is of a type, or holds records of a kind, that a consolidation does not write.
    """
    deltas = []
    for seq, draft in enumerate(drafts, fold.applied_seq() + 1):
        if draft.type not in _TYPES:
            raise ConsolidationRefused(f"an entry of the type {draft.type!r} is no consolidation's: nothing was written")
        delta = draft.body.get("delta", {})
        if strange := sorted(delta.keys() - _RECORDS):
            raise ConsolidationRefused(f"a consolidation records no {strange[0].replace('_', ' ')}: nothing was written")
        deltas.append(Delta.model_validate({**delta, "seq": seq}))
    if deltas:
        fold.apply(merge(deltas))
    return holdings(fold, now)


def vectors_by_statement(space: Space) -> Rows:
    """The vectors of the statements, as the ledger keeps them."""
    import numpy as np

    from graphmem.vectors import unpack

    return {
        owner: np.array(unpack(data), np.float32)
        for kept in space.ledger.vectors().values()
        for _, owner, kind, _, data in kept
        if kind == "statement"
    }


def planned(
    nodes: Sequence[Node],
    mentions: Iterable[MentionRecord],
    rows: Rows,
    *,
    calibration: str = "",
    secret: str,
    now: datetime,
) -> Plan:
    """What a consolidation of these statements records; nothing where all is consolidated.

    Args:
        nodes: all statements, in order of saying.
        mentions: which of them mention which entities.
        rows: their vectors, of unit length.
        calibration: of the embedder, as the ledger keeps it.
        secret: keys the ids.
        now: time of recording.
    """
    drafts: list[Draft] = []
    repeats = _repeats(nodes)
    known = {kept.record.id: set(map(quote_of, kept.evidence)) for kept, _ in repeats}
    for kept, joined in repeats:
        drafts += _joined(kept, joined, known[kept.record.id], secret=secret, now=now)
    gone = {joined.record.id for _, joined in repeats}
    sources = sources_of(node for node in nodes if node.record.id not in gone)
    standing = {node.record.id: node for node in nodes if is_theme(node.record) and _stands(node)}
    words = Words(others=True)
    found = themes(
        sources, mentions, rows, words=words, standing=map(_sources, standing.values()), calibration=loaded(calibration)
    )
    frequency = stem_frequency(sources, words)
    taken = {node.record.id for node in nodes}
    made: dict[str, Theme] = {}
    fresh: list[str] = []
    for theme in found:
        # Its name is left as it is, though other words may be rarer by now.
        same = next((id_ for id_, node in standing.items() if id_ not in made and _same(node, theme)), None)
        if same is not None:
            made[same] = theme
            continue
        name = name_of(theme, frequency, words)
        record, evidence, links = summary_of(theme, name, secret=secret, now=now, taken=taken)
        made[record.id] = theme
        fresh.append(record.id)
        delta = {"statements": [_dump(record)], "evidence": list(map(_dump, evidence)), "links": list(map(_dump, links))}
        drafts.append(Draft("statement recorded", (record.id, record.session), {"delta": delta}, ACTOR, "system"))
    renewed = []
    for id_, node in standing.items():
        heir = None if id_ in made else _heir(node, made)
        if heir is not None:
            renewed.append((heir, id_))
            drafts.append(_superseded(heir, node, made[heir].sources[-1].record.asserted_at, THEME, secret=secret, now=now))
    pairs = tuple((kept.record.id, joined.record.id) for kept, joined in repeats)
    if drafts:
        body = {"themes": len(fresh), "renewed": len(renewed), "repeats": len(pairs), "unchanged": len(made) - len(fresh)}
        drafts.append(Draft("consolidated", tuple(fresh), body, ACTOR, "system"))
    return Plan(tuple(drafts), tuple(fresh), tuple(renewed), pairs, len(made) - len(fresh))


def _stands(node: Node) -> bool:
    ended = any(
        gone is None and link.kind in ("SUPERSEDES", "CORRECTS") and link.target == node.record.id for link, gone in node.links
    )
    return node.retirement is None and not ended


def _sources(node: Node) -> frozenset[str]:
    own = node.record.id
    return frozenset(
        link.target for link, gone in node.links if gone is None and link.kind == "DERIVED_FROM" and link.source == own
    )


def _same(node: Node, theme: Theme) -> bool:
    return (node.record.tier, _sources(node)) == (theme.tier, theme.ids)


def _heir(old: Node, made: dict[str, Theme]) -> str | None:
    """The theme that goes on with most of an older one's statements; a lower tier takes nobody's place."""
    before = _sources(old)
    shared = {
        id_: len(before & theme.ids)
        for id_, theme in made.items()
        if before & theme.ids and TIER_RANK[theme.tier] >= TIER_RANK[old.record.tier]
    }
    return min(shared, key=lambda id_: (-shared[id_], id_)) if shared else None


def _repeats(nodes: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Pairs of (the first, one that says exactly the same), of statements about which nothing was concluded.

    What ended in between, or clashes, has a link: two times of living in one town are no repeat.  Ingesting joins what
    is said again, so there are some only where a store was filled otherwise.
    """
    groups: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        concluded = any(gone is None and link.kind != "DERIVED_FROM" for link, gone in node.links)
        derived = any(
            gone is None and link.kind == "DERIVED_FROM" and link.source == node.record.id for link, gone in node.links
        )
        if concluded or derived or node.retirement is not None or node.confirmations or not node.evidence:
            continue
        tier = tier_of(node, list(node.evidence), max(item.recorded_at for item in node.evidence))
        # A later quote may have given a bound that the first one left open.
        shown = bounds(node.record, list(node.evidence), [])
        groups[(tier, node.record.text, *shown, *same_claim(node.record))].append(node)
    return [(group[0], other) for group in groups.values() for other in group[1:]]


def _joined(kept: Node, joined: Node, known: set[tuple[object, ...]], *, secret: str, now: datetime) -> list[Draft]:
    """The entries by which a statement takes in the quotes of one that says the same, which gives way to it.

    `known` are the quotes that it has by now.
    """
    drafts = []
    id_ = kept.record.id
    for item in joined.evidence:
        if quote_of(item) in known:
            continue
        known.add(quote_of(item))
        copy = item.model_copy(
            update={
                "statement": id_,
                "id": key("e", secret, id_, item.turn_key, str(item.start), str(item.end), REPEAT),
                "recorded_at": now,
            }
        )
        drafts.append(Draft("evidence added", (id_, item.session), {"delta": {"evidence": [_dump(copy)]}}, ACTOR, "system"))
    return [*drafts, _superseded(id_, joined, joined.record.asserted_at, REPEAT, secret=secret, now=now)]


def _superseded(newer: str, older: Node, said_at: datetime, rule: str, *, secret: str, now: datetime) -> Draft:
    """The entry by which a statement gives way; from now on, so that its own interval stays as it is."""
    record = older.record
    times = len([link for link, _ in older.links if (link.kind, link.source) == ("SUPERSEDES", newer)])
    link = LinkRecord(
        id=key("l", secret, "SUPERSEDES", newer, record.id, rule, str(times)),
        kind="SUPERSEDES",
        source=newer,
        target=record.id,
        rule=rule,
        tier=record.tier,
        recorded_at=now,
        said_at=said_at,
        at=max(now, record.valid_to or now),
    )
    return Draft("superseded", (newer, record.id, link.id), {"delta": {"links": [_dump(link)]}}, ACTOR, "system")


def _dump(item: Frozen) -> dict[str, Any]:
    return item.model_dump(mode="json")
