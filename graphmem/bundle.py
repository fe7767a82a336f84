"""What an export is made from, and the part of it that each profile shows.

Invariant: what an export shows is decided once, by `select`, whatever the format; a bundle is never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from graphmem.chain import GENESIS, Row
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.graph.base import Node
from graphmem.model import Contradiction, Statement
from graphmem.records import EntityRecord, MentionRecord, SameAsRecord, SessionRecord, TurnRecord

DEFAULT_BASE = "https://memory.example/"
PROFILES = ("access", "portability", "audit", "current")


class LeftOut(NamedTuple):
    """What an export does not show: statements or messages, why, how many, and their ids where they may be named."""

    what: str
    reason: str
    number: int
    ids: tuple[str, ...] = ()


class Erased(NamedTuple):
    """That something was erased: the entry of the ledger that says so, when, and how much; never what."""

    seq: int
    at: datetime
    statements: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """All that one space holds, with the statements as they stood at `at` as far as was known at `known_at`.

    Attributes:
        base: IRI that all IRIs of the data begin with.
        nodes: statements with their evidence and links; one that `statements` does not show is left out.
        statements: the public views of the nodes for `at` and `known_at`.
        ledger_head: hash of the ledger's last entry.
        exported_at: when the export is made; None: at `known_at`.
        statements_left_out: how many statements `select` took away; `turns_left_out` the same for turns.
        left_out: the same by reason, with what was recorded after `known_at` among them.
        erasures: what was erased, without a word of it.
        ledger: the entries of the ledger; only the profile `audit` shows them.

    """

    user: str
    space: str
    at: datetime
    known_at: datetime
    base: str = DEFAULT_BASE
    nodes: Sequence[Node] = ()
    turns: Sequence[TurnRecord] = ()
    sessions: Sequence[SessionRecord] = ()
    entities: Sequence[EntityRecord] = ()
    mentions: Sequence[MentionRecord] = ()
    same_as: Sequence[SameAsRecord] = ()
    statements: Sequence[Statement] = ()
    contradictions: Sequence[Contradiction] = ()
    ledger_head: str = ""
    exported_at: datetime | None = None
    statements_left_out: int = 0
    turns_left_out: int = 0
    left_out: tuple[LeftOut, ...] = ()
    erasures: tuple[Erased, ...] = ()
    ledger: Sequence[Row] = ()


def _known(bundle: Bundle) -> Bundle:
    """Leave out what was recorded after `known_at`."""
    known_at = bundle.known_at
    shown = {view.id for view in bundle.statements}
    nodes = []
    for node in bundle.nodes:
        if node.record.id not in shown or node.record.recorded_at > known_at:
            continue
        retired = node.retirement
        nodes.append(
            Node(
                record=node.record,
                evidence=tuple(item for item in node.evidence if item.recorded_at <= known_at),
                links=tuple(
                    (link, gone if gone is not None and gone <= known_at else None)
                    for link, gone in node.links
                    if link.recorded_at <= known_at
                ),
                retirement=retired if retired is not None and retired.at <= known_at else None,
                confirmations=tuple(item for item in node.confirmations if item.at <= known_at),
            )
        )
    kept = {node.record.id for node in nodes}
    sessions = tuple(item for item in bundle.sessions if item.recorded_at <= known_at)
    names = {session.id for session in sessions}
    turns = tuple(turn for turn in bundle.turns if turn.session in names)
    mentions = tuple(item for item in bundle.mentions if item.statement in kept)
    pairs = tuple(pair for pair in bundle.same_as if pair.recorded_at <= known_at and pair.statement in kept)
    # What only later statements name was not known of; what nothing names stays.
    named = _named(mentions, pairs)
    unknown = _named(bundle.mentions, bundle.same_as) - named
    later = {"statement": len(bundle.nodes) - len(nodes), "message": len(bundle.turns) - len(turns)}
    return replace(
        bundle,
        nodes=tuple(nodes),
        statements=tuple(view for view in bundle.statements if view.id in kept),
        sessions=sessions,
        turns=turns,
        left_out=tuple(LeftOut(what, "recorded_later", number) for what, number in later.items() if number),
        erasures=tuple(item for item in bundle.erasures if item.at <= known_at),
        mentions=mentions,
        same_as=pairs,
        entities=tuple(item for item in bundle.entities if item.id not in unknown),
        contradictions=tuple(item for item in bundle.contradictions if item.opened_at <= known_at),
    )


def _named(mentions: Iterable[MentionRecord], pairs: Iterable[SameAsRecord]) -> set[str]:
    """The entities that statements name."""
    return {item.entity for item in mentions} | {end for pair in pairs for end in (pair.source, pair.target)}


def _not_provided(node: Node, view: Statement) -> str | None:
    """Why a statement is not what the user provided: withdrawn, inferred, or derived from others; None if it is."""
    if view.status in ("retracted", "corrected"):
        return "withdrawn"
    if view.tier == "inferred":
        return "inferred"
    derived = any(link.kind == "DERIVED_FROM" and link.source == node.record.id and gone is None for link, gone in node.links)
    return "derived" if derived else None


def _not_current(view: Statement) -> str | None:
    return None if view.status == "current" else "not_current"


def _own_words(node: Node, view: Statement) -> tuple[Node, Statement]:
    """Leave out evidence that is not the user's word, unless there is no other."""
    pairs = [item for item in node.evidence if item.tier != "inferred"]
    if not pairs:
        return node, view
    shown = tuple(item for item in view.evidence if item.tier != "inferred")
    return node._replace(evidence=tuple(pairs)), view.model_copy(update={"evidence": shown})


def select(bundle: Bundle, *, profile: str) -> Bundle:
    """Take the part of a bundle that a profile shows.

    `access` is everything that is held, wrong and disputed things included; `audit` is that and the ledger, entry by
    entry, as far as it was written at `known_at`.  `portability` is what the user
    provided and what was observed: stated and confirmed statements that were not withdrawn, with the
    user's own quotes, and the turns of user and assistant.  `current` is what holds at `at`, with the turns it
    is quoted from.  A conclusion about two statements comes along where both of them do.
    """
    one_of("profile", profile, PROFILES)
    known = _known(bundle)
    if profile == "audit":
        ledger = tuple(row for row in known.ledger if datetime.fromisoformat(row.at) <= known.known_at)
        return replace(known, ledger=ledger, ledger_head=ledger[-1].hash if ledger else GENESIS)
    known = replace(known, ledger=())
    if profile == "access":
        return known
    reasons: dict[str, list[str]] = {}
    views = {view.id: view for view in known.statements}
    nodes: list[Node] = []
    kept: dict[str, Statement] = {}
    for node in known.nodes:
        view = views[node.record.id]
        reason = _not_provided(node, view) if profile == "portability" else _not_current(view)
        if reason is not None:
            reasons.setdefault(reason, []).append(view.id)
            continue
        if profile == "portability":
            node, view = _own_words(node, view)
        nodes.append(node)
        kept[view.id] = view
    quoted = {item.turn_key for node in nodes for item in node.evidence}
    roles = ("user", "assistant") if profile == "portability" else ()
    turns = tuple(turn for turn in known.turns if turn.key in quoted or turn.role in roles)
    places = {turn.session for turn in turns}
    mentions = tuple(item for item in known.mentions if item.statement in kept)
    same_as = tuple(item for item in known.same_as if item.statement in kept)
    named = {item.entity for item in mentions} | {end for item in same_as for end in (item.source, item.target)}
    return replace(
        known,
        nodes=tuple(nodes),
        statements=tuple(kept[view.id] for view in known.statements if view.id in kept),
        turns=turns,
        sessions=tuple(item for item in known.sessions if item.id in places),
        mentions=mentions,
        entities=tuple(item for item in known.entities if item.id in named),
        # Two entities said to be one in nobody's own words is a guess of the memory.
        same_as=tuple(item for item in same_as if profile != "portability" or item.tier != "inferred"),
        contradictions=tuple(
            item.model_copy(update={"a": kept[item.a.id], "b": kept[item.b.id]})
            for item in known.contradictions
            if item.a.id in kept and item.b.id in kept
        ),
        statements_left_out=len(known.nodes) - len(nodes),
        turns_left_out=len(known.turns) - len(turns),
        left_out=(*known.left_out, *_listed(reasons, known.turns, turns, profile)),
    )


def _listed(
    reasons: dict[str, list[str]], known: Sequence[TurnRecord], shown: Sequence[TurnRecord], profile: str
) -> list[LeftOut]:
    """What a profile leaves out, by reason."""
    kept = {turn.key for turn in shown}
    gone = tuple(sorted(turn.key for turn in known if turn.key not in kept))
    listed = [LeftOut("statement", reason, len(ids), tuple(sorted(ids))) for reason, ids in sorted(reasons.items())]
    if gone:
        listed.append(LeftOut("message", "not_provided" if profile == "portability" else "not_quoted", len(gone), gone))
    return listed


def one_of(what: str, given: str, known: Iterable[str]) -> None:
    """Refuse a name that is not among those there are."""
    names = list(known)
    if not isinstance(given, str) or given not in names:
        raise InputError(f"there is no export {what} {brief(given)}: choose one of {', '.join(names)}")
