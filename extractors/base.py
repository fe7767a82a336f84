"""What an extractor takes and gives: a session in, claims and rejections out.

Invariant: an extractor is pure.  It proposes; grounding (is the quote there?), admission (may it be stored, at which
tier?) and reconciliation (what does it do to what we have?) decide, for every extractor by the same code.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from pydantic import Field

from graphmem.model import Cost, Frozen, Kind, Modality, Polarity, Session, Time
from graphmem.records import Cue, Temporal

USER = "user"


class TimeValue(Frozen):
    """A resolved time expression: half-open interval in UTC, either bound may be unknown.

    `granularity` is one of minute, hour, part_of_day, day, weekend, week, month, season, quarter, half, year, decade,
    century; `modifier` one of at, since, until, before, after, approx, recurring.  `start_char`/`end_char` are the place
    of `text` in the text that was read.
    """

    text: str
    start: Time | None
    end: Time | None
    granularity: str | None
    modifier: str = "at"
    start_char: int = 0
    end_char: int = 0
    alternatives: tuple[tuple[Time | None, Time | None], ...] = ()


class Claim(Frozen):
    """What an extractor proposes, with the quote it rests on.

    Attributes:
        turn: id of the turn that is quoted; `start`/`end` are code points of its text, `quote` the characters there.
        subject: "user" for the one who speaks in the first person (the turn's speaker), else the person's words.
        predicate: a relation of `ontology/relations.toml`, or a verb lemma for an open relation.
        object: the value, as a substring of the turn wherever possible.
        temporal: `current`, `past`, `ended` ("no longer", "used to"), `future`.
        hedged: doubted, guessed, or someone else's word: at most a suggestion.
        cue: `change` (moved, now, switched), `correction` (I meant, not X but Y), `addition` (also, too), or None.
        replaces: the words for what this takes the place of ("from Trello to Linear": Trello), or None.
        time: when it holds, or for an event when it happened.
        mentions: (name, type) of named things in the claim; type is person, place, organisation, thing or date.
        rule: name of the rule or prompt that made it.
        details: open item: due (ISO 8601 in UTC or null), owner, verb; episode: type, outcome, tone, topics.
        done: it only settles what is known: a deed closes its task, "the trip is off" the one plan that it names, "Tom left X"
            a post with X; where nothing fits, nothing is stored.
    """

    turn: str
    start: int
    end: int
    quote: str
    kind: Kind
    subject: str = USER
    predicate: str
    object: str
    polarity: Polarity = "positive"
    modality: Modality = "asserted"
    temporal: Temporal = "current"
    context: str | None = None
    hedged: bool = False
    cue: Cue | None = None
    replaces: str | None = None
    time: TimeValue | None = None
    confidence: float = Field(default=0.8, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)
    mentions: tuple[tuple[str, str], ...] = ()
    rule: str
    details: dict[str, Any] = Field(default_factory=dict)
    done: bool = False


class Refusal(Frozen):
    """A sentence or clause that was not taken, and why; `rule` is the rule that had read something in it."""

    turn: str
    start: int
    end: int
    quote: str
    reason: str
    rule: str | None = None


class Extraction(NamedTuple):
    """The result for one session.

    With a `cost`, a language model was asked: then the refusals are what it proposed in vain, and are reported.
    """

    claims: tuple[Claim, ...]
    refusals: tuple[Refusal, ...]
    cost: Cost | None = None


class Extractor(Protocol):
    """Turns in, claims out; the rules give the same result for the same session, a language model may not."""

    name: str
    version: str

    def extract(self, session: Session) -> Extraction:
        """Propose claims for all turns of a session, in order of the turns.

        Raises:
            ExtractionFailed: nothing can be proposed now; only what asks a language model raises it.
        """
