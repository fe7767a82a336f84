"""The public models: what goes in (sessions of turns) and what comes out (statements with their evidence).

Invariant: every model is frozen, every time is aware and in UTC, and `start`/`end` count Unicode code points of the
turn's stored text, so that `turn.text[start:end] == quote` always holds.  Field names are the contract of the project:
`model_dump(mode="json")` is what the command line prints.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer

Role = Literal["user", "assistant", "tool", "document", "system", "memory"]
SpanRole = Literal["quoted", "memory"]
Kind = Literal["fact", "preference", "episode", "procedure", "open_item"]
Polarity = Literal["positive", "negative"]
Modality = Literal["asserted", "intended", "possible", "hypothetical"]
Tier = Literal["inferred", "stated", "confirmed"]
Status = Literal["current", "planned", "superseded", "past", "corrected", "retracted", "expired", "suggested", "quarantined"]
ChangeType = Literal["added", "superseded", "corrected", "retracted", "confirmed", "contradicted", "ended", "expired", "erased"]
Clock = Literal["told", "recorded"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
STATUSES: tuple[str, ...] = get_args(Status)
ENTITY_TYPES: tuple[str, ...] = ("person", "place", "organisation", "thing", "date")
TIER_RANK: dict[str, int] = {"inferred": 1, "stated": 2, "confirmed": 3}


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def iso(value: datetime) -> str:
    """A time as it is stored and printed: UTC, ISO 8601, ending in Z."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


Time = Annotated[AwareDatetime, AfterValidator(_utc), PlainSerializer(iso, return_type=str, when_used="json")]


class Frozen(BaseModel):
    """Base of all models: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


M = TypeVar("M", bound=BaseModel)


def built(model: type[M], values: dict[str, Any]) -> M:
    """A model of values for all of its fields, each checked before: `model_construct` without its walk over the fields."""
    made, put = model.__new__(model), object.__setattr__
    put(made, "__dict__", values)
    put(made, "__pydantic_fields_set__", set(values))
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)
    return made


class Span(Frozen):
    """A region of a turn that is not the speaker's own word: pasted, quoted, or rendered by the memory itself."""

    start: int = Field(ge=0)
    end: int
    role: SpanRole


class Turn(Frozen):
    """One utterance as it is stored (normalised once, see `graphmem.sessions.normal`)."""

    id: str
    role: Role
    speaker: str | None = None
    text: str
    time: Time
    spans: tuple[Span, ...] = ()


class Session(Frozen):
    """One conversation as recorded; `offset_minutes` keeps the local offset that relative dates are read in.

    `turn_offsets` holds the same per turn where it differs (minutes east of UTC, by turn id).
    """

    id: str
    started: Time
    ended: Time | None = None
    topic: str | None = None
    channel: str | None = None
    turns: tuple[Turn, ...]
    offset_minutes: int = 0
    turn_offsets: dict[str, int] = Field(default_factory=dict)


class SessionInfo(Frozen):
    """A session as `Memory.sessions()` lists it."""

    id: str
    started: Time
    ended: Time | None
    topic: str | None
    channel: str | None
    turns: int
    statements: int
    summary: str | None
    recorded_at: Time


class Evidence(Frozen):
    """The exact words that a statement rests on, and who said them when."""

    session: str
    turn: str
    role: Role | SpanRole
    speaker: str | None
    start: int
    end: int
    quote: str
    said_at: Time
    recorded_at: Time
    tier: Tier
    extractor: str


class Statement(Frozen):
    """What the memory keeps: one claim with its evidence, its validity and what became of it.

    `status` is derived from intervals and links at the time of reading and never stored.  `valid_from` and `valid_to`
    are half-open, in UTC; `valid_to` includes an end that a later statement implies.
    """

    id: str
    kind: Kind
    text: str
    subject: str
    predicate: str
    object: str
    polarity: Polarity
    modality: Modality
    context: str | None
    valid_from: Time | None
    valid_to: Time | None
    valid_granularity: str | None
    asserted_at: Time
    recorded_at: Time
    retracted_at: Time | None
    status: Status
    tier: Tier
    confidence: float = Field(ge=0, le=1)
    importance: float = Field(ge=0, le=1)
    sensitivity: str
    content_hash: str
    evidence: tuple[Evidence, ...]
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)


class Rejection(Frozen):
    """A claim that was not stored, and why."""

    reason: str
    quote: str
    session: str
    turn: str
    rule: str | None = None


class Masked(Frozen):
    """A secret that was not stored: its kind and its place, never its text.

    `kind` is password, pin, cvv, code, key, private_key, credentials, card, or repeated for one said again.  `turn` is None
    where it stood in a name or in the topic of the session.
    """

    kind: str
    session: str
    turn: str | None
    start: int
    end: int


class Cost(Frozen):
    """What asking a language model took: requests, tokens in and out as it counted them, and seconds."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class Waiting(Frozen):
    """A session that is recorded and still to be extracted; `reason` is a code, `problem` says what to do."""

    session: str
    reason: str
    problem: str


class IngestReport(Frozen):
    """What one call of `ingest` did; ids are statement ids, pairs are (newer, older).

    `cost` is None unless a language model was asked; `waiting` are the sessions that it could not be asked about.
    """

    sessions: int
    turns: int
    recorded: tuple[str, ...]
    corroborated: tuple[str, ...]
    superseded: tuple[str, ...]
    contradictions: tuple[str, ...]
    suggested: tuple[str, ...]
    rejected: tuple[Rejection, ...]
    seconds: float
    masked: tuple[Masked, ...] = ()
    cost: Cost | None = None
    waiting: tuple[Waiting, ...] = ()


class HitParts(Frozen):
    """What a score is made of, each in 0..1."""

    similarity: float = 0.0
    lexical: float = 0.0
    graph: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    usage: float = 0.0


class TurnView(Frozen):
    """A stored turn with the session it belongs to."""

    id: str
    session: str
    position: int
    role: Role
    speaker: str | None
    text: str
    time: Time


class Hit(Frozen):
    """One answer of `recall`: a statement or a turn, its score, and how the graph led to it."""

    statement: Statement | None = None
    turn: TurnView | None = None
    score: float
    parts: HitParts
    path: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Contradiction(Frozen):
    """Two statements that cannot both hold; both stay, both are shown.

    `overlap` is the time for which both are vouched for, as (from, until); a bound may be open.
    """

    id: str
    a: Statement
    b: Statement
    rule: str
    overlap: tuple[Time | None, Time | None] | None
    status: Literal["open", "resolved"]
    resolution: str | None
    opened_at: Time


class Question(Frozen):
    """Something that only the owner can decide: a suggestion, or two statements that cannot both hold.

    `id` is bound to the content hashes of the statements, so it is good for them as they were shown, and for one answer:
    `confirm`, `correct` or `retract` of one of them with `question=id`.  After `expires_at` that id takes none any more, and
    what is still to be decided is asked under a new one.
    """

    id: str
    kind: Literal["suggested", "contradicted"]
    text: str
    statements: tuple[Statement, ...]
    contradiction: str | None = None
    expires_at: Time | None = None


class Recall(Frozen):
    """The answer to a query: hits above the threshold, best first, and the contradictions they are part of.

    `id` names this answer to `note_use`.  `occasion` is what the turn was where nobody asked (`on_turn`): `turn`, `past`,
    `topic` or `small_talk`.  `notices` say what the answer had to do without; `held_back` counts the hits of special
    categories that were left out because they were not asked for.
    """

    query: str
    hits: tuple[Hit, ...]
    contradictions: tuple[Contradiction, ...]
    superseded_shown: int
    below_threshold: int
    seconds: float
    id: str = ""
    occasion: Literal["turn", "past", "topic", "small_talk"] | None = None
    notices: tuple[str, ...] = ()
    held_back: int = 0


class Usage(Frozen):
    """What of an answer was used, by ids: statements and, where raw turns were shown, the keys of turns.

    `noted` is False where there was nothing to note, or the use of this answer had been noted before.
    """

    answer: str
    used: tuple[str, ...]
    unused: tuple[str, ...]
    noted: bool


class Change(Frozen):
    """One thing that changed about the user.  `at` is the time of saying (clock "told") or of recording."""

    at: Time
    type: ChangeType
    statement: Statement | None
    before: Statement | None
    cause: Evidence | str | None


class TraceEvidence(Frozen):
    """A piece of evidence with its whole turn, the turns around it, and whether the quote was found again."""

    evidence: Evidence
    turn: TurnView
    before: tuple[TurnView, ...]
    after: tuple[TurnView, ...]
    verified: bool


class LedgerEntry(Frozen):
    """One line of the ledger as an auditor sees it."""

    seq: int
    id: str
    at: Time
    actor: str
    role: str
    type: str
    subjects: tuple[str, ...]
    hash: str


class TierStep(Frozen):
    """How a statement came to its tier: at this moment, by these words or this act."""

    at: Time
    tier: Tier
    by: str


class Trace(Frozen):
    """The way back from a statement to the words it rests on, all that was done to it, and what it says of who is who.

    `rule` is what proposed it; `steps` are how its tier came about; `related` are the statements that it names.
    """

    statement: Statement
    evidence: tuple[TraceEvidence, ...]
    history: tuple[LedgerEntry, ...]
    extractor: str
    verified: tuple[bool, ...]
    same_as: tuple[SameAs, ...] = ()
    rule: str = ""
    steps: tuple[TierStep, ...] = ()
    related: tuple[Statement, ...] = ()


class Alias(Frozen):
    """Another name of an entity, and the words that give it.

    `kind` is how it was given: `role` ("sister"), `name`, `nickname`, `alias` (a short or other form), `corrected` (a wrong
    name, put right since; its status is then `superseded`).  Of the statements `evidence` is the quotes.
    """

    name: str
    kind: Literal["role", "name", "nickname", "alias", "corrected"]
    status: Literal["current", "superseded"]
    tier: Tier
    statements: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class SameAs(Frozen):
    """Two names said to be one: the lesser, the fuller, by which rule, and the statement whose words say so.

    `merged` is whether they count as one now.  They do not where the statement does not stand, where it could be several
    (two sisters, two people called Ann), or where the names differ by a number, a "not" or in type.
    """

    source: str
    target: str
    rule: str
    tier: Tier
    statement: str
    merged: bool


class Entity(Frozen):
    """A person, place, organisation or thing that statements are about, under all its names.

    `id` is that of the entity told of first among those that are one, so a name that comes later does not change it.
    `statements` are those with it as their subject.
    """

    id: str
    name: str
    type: str
    aliases: tuple[Alias, ...] = ()
    statements: tuple[str, ...] = ()


class Profile(Frozen):
    """What currently holds about each subject, grouped for reading; only tiers `stated` and `confirmed`.

    `others` is by the name that each goes by; `aliases` are their other current names, and the user's under "user".
    `past_due` are the plans whose time has passed; nobody has said what became of them.  `held_back` counts statements of
    special categories that were left out.
    """

    user: str
    space: str
    facts: tuple[Statement, ...]
    preferences: tuple[Statement, ...]
    procedures: tuple[Statement, ...]
    planned: tuple[Statement, ...]
    others: dict[str, tuple[Statement, ...]]
    held_back: int = 0
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    past_due: tuple[Statement, ...] = ()


class Context(Frozen):
    """A block of text for the start of a prompt, and the statements in it.

    `held_back` counts statements of special categories that were left out; `truncated` those without room.
    """

    text: str
    statements: tuple[str, ...]
    truncated: int
    budget: int
    held_back: int = 0


class VerifyReport(Frozen):
    """The store checked against itself: every quote, the hash chain, and the graph against a rebuild."""

    quotes_checked: int
    quotes_broken: tuple[str, ...]
    ledger_ok: bool
    ledger_head: str
    ledger_entries: int
    projection_equal: bool
    problems: tuple[str, ...]
