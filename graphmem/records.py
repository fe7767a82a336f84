"""What the ledger stores and the graph holds: plain frozen records, and a `Delta` of them.

Invariant: a record is what one source said or what the system concluded at one moment; it is never edited.  What becomes
of a statement (superseded, contradicted, corrected, confirmed, retracted) is another record that names it, with a
recorded time of its own and, where it may be taken back, a retired time.  `Delta` is the only thing a graph applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal

from pydantic import Field

from graphmem.model import Frozen, Kind, Modality, Polarity, Role, Span, SpanRole, Tier, Time

LinkKind = Literal["SUPERSEDES", "CORRECTS", "CONTRADICTS", "REFINES", "DERIVED_FROM"]
LINK_KINDS: tuple[str, ...] = ("SUPERSEDES", "CORRECTS", "CONTRADICTS", "REFINES", "DERIVED_FROM")
MentionKind = Literal["SUBJECT", "OBJECT", "MENTIONS"]
Temporal = Literal["current", "past", "ended", "future"]
Cue = Literal["change", "correction", "addition"]


ERASED = "\u2592"  # stands for every erased character, so that the offsets of what is left stay right
UNKEPT = "\u2591"  # stands for every character of a turn that was not to be kept in the first place
QUARANTINE = "quarantine"  # in the details of a statement: the code of the reason for which it waits for the owner
# `order` of a statement is turn position * TURN_STRIDE + place of its quote in the turn.
TURN_STRIDE = 100_000_000


# `type` in the details of what the memory itself sums up: a session, or a theme across sessions.
SESSION, THEME = "session", "theme"
# The rule by which one of two statements that say exactly the same took in the other's quotes.
REPEAT = "repeat"
# Rules of links that a consolidation concluded; reconciliation draws no such conclusion and leaves them alone.
CONSOLIDATED = frozenset({THEME, REPEAT})


def summarises(details: Mapping[str, Any]) -> bool:
    """Whether these are the details of a summary, which says nothing that its sources do not say."""
    return details.get("type") in (SESSION, THEME)


def is_theme(record: StatementRecord) -> bool:
    """Whether a statement is the summary of a theme, which is found by its sources and has no vector of its own."""
    return record.predicate == THEME and record.details.get("type") == THEME


def key(prefix: str, *parts: str) -> str:
    """A deterministic id: the same parts give the same id on every machine.

    Parts are length-prefixed, so ("a", "bc") and ("ab", "c") differ.
    """
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "replace")
        digest.update(str(len(data)).encode() + b":" + data)
    return f"{prefix}_{digest.hexdigest()[:24]}"


def turn_key(session: str, turn: str) -> str:
    """The graph's id of a turn (turn ids are unique only within their session)."""
    return key("t", session, turn)


class SessionRecord(Frozen):
    """A session without its turns."""

    id: str
    started: Time
    ended: Time | None
    topic: str | None
    channel: str | None
    recorded_at: Time
    offset_minutes: int = 0


class TurnRecord(Frozen):
    """A turn in its place; `key` is `turn_key(session, id)`, `previous` the key of the turn before it or None."""

    key: str
    id: str
    session: str
    position: int
    role: Role
    speaker: str | None
    text: str
    time: Time
    spans: tuple[Span, ...] = ()
    previous: str | None = None


class StatementRecord(Frozen):
    """What one source said, as it was admitted; the interval holds only what the source gave.

    `temporal` is how it was put: `current` (present tense), `past` (a closed past), `ended` ("no longer", "used to"),
    `future` (a plan).  `valid_granularity` is the precision of the bounds, `modifier` how the words related to them.
    `subject_key` and `object_key` are the canonical forms that reconciliation compares; `cue` and `replaces` are the
    words of change or correction that came with it.  `order` sorts within the session: by turn, then by
    the place of the quote (`TURN_STRIDE`).
    """

    id: str
    kind: Kind
    text: str
    subject: str
    predicate: str
    object: str
    polarity: Polarity = "positive"
    modality: Modality = "asserted"
    context: str | None = None
    temporal: Temporal = "current"
    valid_from: Time | None = None
    valid_to: Time | None = None
    valid_granularity: str | None = None
    modifier: str | None = None
    time_text: str | None = None
    asserted_at: Time
    recorded_at: Time
    session: str
    session_started: Time
    order: int
    subject_key: str
    object_key: str
    context_key: str = ""
    cue: Cue | None = None
    replaces: str | None = None
    tier: Tier
    confidence: float
    importance: float
    sensitivity: str
    content_hash: str
    extractor: str
    rule: str
    details: dict[str, Any] = Field(default_factory=dict)


class EvidenceRecord(Frozen):
    """A quote that a statement rests on.  The bounds are those that this source gave (a later one may be finer)."""

    id: str
    statement: str
    session: str
    turn: str
    turn_key: str
    role: Role | SpanRole
    speaker: str | None
    start: int
    end: int
    quote: str
    said_at: Time
    recorded_at: Time
    tier: Tier
    confidence: float
    extractor: str
    valid_from: Time | None = None
    valid_to: Time | None = None
    valid_granularity: str | None = None


class LinkRecord(Frozen):
    """A conclusion about two statements; edges point from the newer or derived one back.

    `at` is when the change takes effect in the world (SUPERSEDES), with its granularity; `overlap_from`/`overlap_to` the
    time both sides of a contradiction vouch for.  `said_at` is when the words that caused it were said.
    """

    id: str
    kind: LinkKind
    source: str
    target: str
    rule: str
    tier: Tier
    recorded_at: Time
    said_at: Time
    at: Time | None = None
    granularity: str | None = None
    overlap_from: Time | None = None
    overlap_to: Time | None = None


class LinkRetired(Frozen):
    """A conclusion that no longer follows; `reason` says what took it away."""

    link: str
    at: Time
    reason: str


class Retirement(Frozen):
    """A statement withdrawn by its owner."""

    statement: str
    at: Time
    reason: str
    actor: str


class Confirmation(Frozen):
    """The owner confirmed exactly this text."""

    statement: str
    at: Time
    content_hash: str
    actor: str


class EntityRecord(Frozen):
    """Something that statements are about: a person, a place, an organisation, a thing."""

    id: str
    name: str
    type: str
    key: str


class MentionRecord(Frozen):
    """An edge from a statement to an entity."""

    statement: str
    entity: str
    kind: MentionKind
    tier: Tier


class SameAsRecord(Frozen):
    """Two entities that a statement's words say are one; the nodes are never merged, only linked.

    It stands and falls with `statement`, whose quotes are its evidence.  `target` is the fuller name.
    """

    source: str
    target: str
    tier: Tier
    rule: str
    recorded_at: Time
    statement: str = ""


class VectorRecord(Frozen):
    """An embedding of a turn or a statement: unit length, float32, shape (dimension,).

    `owner` is a turn key or a statement id; `kind` says what text was embedded: `turn`, `pair` (the turn with the one
    before it) or `statement`.
    """

    id: str
    owner: str
    kind: Literal["turn", "pair", "statement"]
    model: str
    recorded_at: Time
    values: tuple[float, ...]


class Delta(Frozen):
    """A set of records that a graph takes in as one transaction; `seq` is the last ledger entry it covers, `hash` its hash."""

    seq: int
    hash: str = ""
    sessions: tuple[SessionRecord, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    statements: tuple[StatementRecord, ...] = ()
    evidence: tuple[EvidenceRecord, ...] = ()
    links: tuple[LinkRecord, ...] = ()
    links_retired: tuple[LinkRetired, ...] = ()
    retirements: tuple[Retirement, ...] = ()
    confirmations: tuple[Confirmation, ...] = ()
    entities: tuple[EntityRecord, ...] = ()
    mentions: tuple[MentionRecord, ...] = ()
    same_as: tuple[SameAsRecord, ...] = ()
    vectors: tuple[VectorRecord, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it means nothing to a graph, as a look or a backup on record does."""
        return not any(getattr(self, name) for name in type(self).model_fields if name not in ("seq", "hash"))
