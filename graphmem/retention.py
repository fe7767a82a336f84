"""What has outlived its term: which statements and which words of turns, by which rule, since when.

Invariant: a plan only, and a pure one.  What was confirmed is in none, nor a statement whose going would take the words, the
sources or the end of another one that stays: that one is held, with the reason.  The words that a remaining statement quotes
are never among those that go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from graphmem.graph.base import Node
from graphmem.model import Frozen, Time
from graphmem.receipts import ErasureReceipt
from graphmem.records import TurnRecord, summarises
from graphmem.settings import Settings

_TIERS = ("inferred", "stated", "confirmed")
_NOTHING = "\u2591\u2592"  # what stands for characters that are gone already


class Expiry(Frozen):
    """One thing that has outlived its term: by which rule, since when, and what it is.

    `id` is a statement's, or the session and id of a turn; `text` is the statement, or how many characters of the turn go.
    """

    rule: str
    since: Time
    kind: Literal["statement", "turn"]
    id: str
    text: str

    def line(self) -> str:
        """All of it in one line."""
        return f"{self.rule}, since {self.since.date().isoformat()}: {self.text}"


class ExpiryReport(Frozen):
    """What expires, what is held back although it is due, and the receipt of the erasure (None if nothing was to go)."""

    expired: tuple[Expiry, ...]
    held: tuple[Expiry, ...]
    dry_run: bool
    receipt: ErasureReceipt | None = None


class ExpiryPlan(NamedTuple):
    """What is due; `passages` are (turn key, start, end)."""

    expired: list[Expiry]
    held: list[Expiry]
    statements: frozenset[str]
    passages: frozenset[tuple[str, int, int]]


def plan(
    nodes: Collection[Node],
    turns: Iterable[TurnRecord],
    settings: Settings,
    *,
    now: datetime,
    used: Callable[[str], bool],
    recorded: Mapping[str, datetime],
) -> ExpiryPlan:
    """What has outlived its term at a moment.

    Args:
        nodes: all statements.
        turns: those whose words may go, which leaves out any that still wait for extraction.
        settings: the terms.
        now: the moment.
        used: whether a statement was ever used in an answer.
        recorded: when each session was recorded, by id.
    """
    due = {node.record.id: rule for node in nodes if (rule := _rule(node, settings, now, used)) is not None}
    held = _held(nodes, due)
    texts = {node.record.id: node.record.text for node in nodes}
    going = {id_: rule for id_, rule in due.items() if id_ not in held}
    expired = [
        Expiry(rule=name, since=since, kind="statement", id=id_, text=texts[id_])
        for id_, (name, since) in sorted(going.items(), key=lambda item: (item[1][1], item[0]))
    ]
    kept = [
        Expiry(rule=f"{due[id_][0]}, held: {why}", since=due[id_][1], kind="statement", id=id_, text=texts[id_])
        for id_, why in sorted(held.items())
    ]
    passages: set[tuple[str, int, int]] = set()
    if settings.raw is not None:
        quoted = _quoted(node for node in nodes if node.record.id not in going and _counts(node))
        for turn in turns:
            since = _after(max(turn.time, recorded.get(turn.session, turn.time)), settings.raw)
            gaps = [
                gap for gap in gaps_of(turn.text, quoted.get(turn.key, ())) if turn.text[slice(*gap)].strip(_NOTHING).strip()
            ]
            if since > now or not gaps:
                continue
            passages |= {(turn.key, start, end) for start, end in gaps}
            count = sum(end - start for start, end in gaps)
            name = f"turn {turn.id} of session {turn.session}: {count} of {len(turn.text)} characters, which nothing quotes"
            expired.append(
                Expiry(rule=f"raw {settings.raw} d", since=since, kind="turn", id=f"{turn.session}/{turn.id}", text=name)
            )
    return ExpiryPlan(expired, kept, frozenset(going), frozenset(passages))


def is_confirmed(node: Node) -> bool:
    """Whether the owner has confirmed it."""
    return bool(node.confirmations) or node.record.tier == "confirmed"


def _rule(node: Node, settings: Settings, now: datetime, used: Callable[[str], bool]) -> tuple[str, datetime] | None:
    """The rule by which a statement went out of its term first, and when."""
    if is_confirmed(node):
        return None
    record = node.record
    last = max([item.recorded_at for item in node.evidence], default=record.recorded_at)
    tier = max([record.tier, *(item.tier for item in node.evidence)], key=_TIERS.index)
    sure = max([record.confidence, *(item.confidence for item in node.evidence)])
    terms: list[tuple[str, int | None, datetime]] = [(tier, settings.inferred if tier == "inferred" else settings.stated, last)]
    if record.kind == "episode":
        terms.append(("episodes", settings.episodes, last))
    elif record.valid_to is not None:
        terms.append(("ended", settings.ended, record.valid_to))
    if tier == "inferred" and sure < settings.weak and not used(record.id):
        terms.append(("suggestions", settings.suggestions, last))
    over = [(_after(at, days), f"{name} {days} d") for name, days, at in terms if days is not None]
    reached = [(at, name) for at, name in over if at <= now]
    return (min(reached)[1], min(reached)[0]) if reached else None


def _after(at: datetime, days: int) -> datetime:
    """So many days later; what lies behind the end of the calendar is its end."""
    try:
        return at + timedelta(days=days)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _counts(node: Node) -> bool:
    """Whether others have to make way for it: a summary is made of others and goes with them, unless it was confirmed."""
    return not summarises(node.record.details) or is_confirmed(node)


def _held(nodes: Collection[Node], due: Mapping[str, object]) -> dict[str, str]:
    """What is due and has to stay because of what stays, with the reason."""
    held: dict[str, str] = {}
    while True:
        stay = [node for node in nodes if (node.record.id not in due or node.record.id in held) and _counts(node)]
        ids = {node.record.id for node in stay}
        quoted = _quoted(stay)
        sources = {link.target for node in stay for link, _ in node.links if link.kind == "DERIVED_FROM" and link.source in ids}
        found: dict[str, str] = {}
        for node in nodes:
            id_ = node.record.id
            if id_ not in due or id_ in held:
                continue
            ends = [link for link, gone in node.links if gone is None and link.kind in ("SUPERSEDES", "CORRECTS")]
            if id_ in sources:
                found[id_] = "another statement that stays is derived from it"
            elif any(link.source == id_ and link.target in ids for link in ends):
                found[id_] = "it ended another statement that stays"
            elif not summarises(node.record.details) and any(
                item.start < end and start < item.end for item in node.evidence for start, end in quoted.get(item.turn_key, ())
            ):
                found[id_] = "another statement that stays rests on the same words"
        if not found:
            return held
        held |= found


def _quoted(nodes: Iterable[Node]) -> dict[str, list[tuple[int, int]]]:
    """The places that these statements quote, by turn."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for node in nodes:
        for item in node.evidence:
            spans.setdefault(item.turn_key, []).append((item.start, item.end))
    return spans


def gaps_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The places of a text between these spans."""
    at = 0
    for start, end in sorted(spans):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(text):
        yield at, len(text)
