"""What would be taken from a session, and why the rest would not: each sentence with its claims or its reasons.

Invariant: a pure function of the session and the extractor; no store is opened.  Every sentence of every turn has at least
one outcome, taken or refused, and the claims that are taken are those that an ingest admits, in their order.  (The
summary that an ingest adds to a session is no claim.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from graphmem.admission import Admission, Admitted
from graphmem.extractors.base import Claim, Extractor, Refusal, TimeValue
from graphmem.extractors.english import split
from graphmem.extractors.regions import regions
from graphmem.grounding import ground
from graphmem.model import Frozen, Kind, Modality, Polarity, Rejection, Role, Session, Tier, Time, Turn
from graphmem.records import Cue, Temporal
from graphmem.withheld import withhold

Stage = Literal["unread", "gate", "rules", "grounding", "admission"]

# What each reason means, and where it is given.  "unread": nothing was looked for in these words.
REASONS: dict[str, tuple[Stage, str]] = {
    "role_assistant": ("unread", "not the user's words: the assistant's"),
    "role_tool": ("unread", "not the user's words: a tool's"),
    "role_document": ("unread", "not the user's words: a document's"),
    "role_system": ("unread", "not the user's words: the system's"),
    "role_memory": ("unread", "the memory's own words: no evidence for anything"),
    "quoted": ("unread", "somebody else's words: quoted, pasted, or given to be worked on"),
    "code": ("unread", "code or data"),
    "too_long": ("unread", "beyond the length that is read of one turn"),
    "no_words": ("unread", "nothing in words"),
    "continued": ("unread", "part of the quote of the claim before"),
    "unexplained": ("unread", "the extractor made nothing of it and names no reason"),
    "question": ("gate", "nothing to keep: a question"),
    "aside": ("gate", "an aside about what was just named, which is not read on its own"),
    "hypothetical": ("gate", "supposed, not said to be so"),
    "conditional": ("gate", "holds only under a condition"),
    "attributed": ("gate", "what somebody else says or thinks"),
    "hedged": ("gate", "guessed or doubted by the speaker"),
    "wish": ("gate", "wished for, not so"),
    "sarcasm": ("gate", "meant as its contrary"),
    "negated": ("gate", "denied by the words around it"),
    "generic": ("gate", "said in general, of nobody"),
    "fiction": ("gate", "told of an invented world"),
    "obligation": ("gate", "a thing that ought to be, without a task in it"),
    "small_talk": ("rules", "nothing to keep: small talk, or too little said"),
    "no_relation": ("rules", "no rule reads a statement in it"),
    "object_quoted": ("rules", "what would be kept stands in a quotation"),
    "no_value": ("rules", "what would be kept is no value: a pronoun, a particle or a time"),
    "not_about_speaker": ("rules", "about somebody whom this rule does not keep things about"),
    "not_yet": ("rules", "a state to come is no fact yet"),
    "repeated": ("rules", "said before in the same turn"),
    "slip": ("rules", "put right in the same breath"),
    "quote_empty": ("grounding", "the claim quotes nothing"),
    "quote_not_found": ("grounding", "the quote is not there, character by character"),
    "quote_cuts_word": ("grounding", "the quote begins or ends inside of a word"),
    "memory_is_no_evidence": ("grounding", "the memory's own words: no evidence for anything"),
    "turn_unknown": ("grounding", "the claim names a turn that is not in the session"),
    "role_is_no_evidence": ("admission", "words of this role are no evidence"),
    "object_empty": ("admission", "the claim has no object"),
    "object_too_long": ("admission", "the object is longer than a statement's may be"),
    "secret": ("admission", "a secret, which is never kept"),
    "special_not_stated": ("admission", "health, belief and the like are kept from people's own words only"),
}
_WORD = re.compile(r"\w")
_MARKS = re.compile(r"[.!?…]{1,8}[\"')\]]{0,4}")


class Taken(Frozen):
    """A claim that an ingest would admit, with its tier and the rule that made it.

    `time` is what the extractor resolved; `valid_from` and `valid_to` are what would be recorded.
    """

    text: str
    kind: Kind
    subject: str
    relation: str
    object: str
    polarity: Polarity
    modality: Modality
    temporal: Temporal
    tier: Tier
    hedged: bool
    context: str | None
    cue: Cue | None
    replaces: str | None
    time: TimeValue | None
    valid_from: Time | None
    valid_to: Time | None
    due: str | None
    done: bool
    rule: str
    turn: str
    start: int
    end: int
    quote: str


class Refused(Frozen):
    """Words of which nothing was taken: at which stage, for which reason, by which rule if one had read them."""

    stage: Stage
    reason: str
    meaning: str
    rule: str | None
    start: int
    end: int
    quote: str


class SentenceOutcome(Frozen):
    """A sentence, or a region that is not read as sentences, with what became of it."""

    start: int
    end: int
    text: str
    taken: tuple[Taken, ...]
    refused: tuple[Refused, ...]


class TurnOutcome(Frozen):
    """A turn's sentences in order; `stray` are claims whose quote lies in none of them."""

    turn: str
    role: Role
    speaker: str | None
    time: Time
    sentences: tuple[SentenceOutcome, ...]
    stray: tuple[Refused, ...] = ()


class Explanation(Frozen):
    """What an ingest would take from a session, sentence by sentence."""

    session: str
    started: Time
    topic: str | None
    extractor: str
    turns: tuple[TurnOutcome, ...]

    @property
    def claims(self) -> tuple[Taken, ...]:
        """Everything that is taken, in the order of the sentences."""
        return tuple(claim for turn in self.turns for sentence in turn.sentences for claim in sentence.taken)


def explain(session: Session, *, extractor: Extractor, user: str = "user", now: datetime | None = None) -> Explanation:
    """What an ingest of this session into an empty memory would take, and why not the rest; secrets in it are masked.

    Args:
        session: normalised and validated (`graphmem.sessions`).
        extractor: proposes the claims.
        user: whose memory it would be; tells the owner from others where several people speak.
        now: the time of recording; it is in none of the results and may be left out.
    """
    name = f"{extractor.name}/{extractor.version}"
    session = withhold(session).session
    extraction = extractor.extract(session)
    # The secret only keys ids, and no id leaves this function.
    admission = Admission(session, user=user, secret="", extractor=name, now=now or session.started)
    taken: dict[str, list[Taken]] = {}
    refused: dict[str, list[Refused]] = {}
    for refusal in extraction.refusals:
        refused.setdefault(refusal.turn, []).append(_refusal(refusal))
    lost: list[Refused] = []
    known = {turn.id for turn in session.turns}
    for claim in extraction.claims:
        grounded = ground(claim, session)
        result = grounded if isinstance(grounded, Rejection) else admission.admit(grounded)
        if isinstance(result, Admitted):
            taken.setdefault(claim.turn, []).append(_taken(claim, result))
            continue
        assert isinstance(result, Rejection)
        put = refused.setdefault(claim.turn, []) if claim.turn in known else lost
        put.append(_refused(result.reason, claim.start, claim.end, claim.quote, claim.rule))
    turns = [_turn(turn, taken.get(turn.id, []), refused.get(turn.id, [])) for turn in session.turns]
    if lost:
        turns[-1] = turns[-1].model_copy(update={"stray": (*turns[-1].stray, *lost)})
    return Explanation(session=session.id, started=session.started, topic=session.topic, extractor=name, turns=tuple(turns))


def sentences(turn: Turn) -> list[tuple[int, int]]:
    """The sentences of a turn as the extractor cuts them: its own words first parted from what is not read."""
    found = []
    if turn.role == "user":
        parts = regions(turn)
        pieces = sorted([*parts.own, *((start, end) for start, end, _ in parts.refused)])
    else:
        pieces = [(0, len(turn.text))]
    for first, last in pieces:
        found += [(start, end) for start, end, _ in split(turn.text, first, min(last, len(turn.text)))]
    return [(start, _with_marks(turn.text, end)) for start, end in found]


def _with_marks(text: str, end: int) -> int:
    """The end of a sentence with its full stop, which the cut takes away at the end of a region."""
    marks = _MARKS.match(text, end)
    return marks.end() if marks else end


def _turn(turn: Turn, taken: Sequence[Taken], refused: Sequence[Refused]) -> TurnOutcome:
    places = sentences(turn)
    if not places and turn.text.strip():
        # Marks and pictures only: still something that was said.
        places = [(0, len(turn.text))]
    outcomes: list[SentenceOutcome] = []
    told: set[int] = set()
    placed: set[int] = set()
    for start, end in places:
        claims = [claim for claim in taken if claim.start < end and claim.end > start]
        reasons = [item for item in refused if item.start < end and item.end > start]
        placed |= {id(item) for item in (*claims, *reasons)}
        first = [claim for claim in claims if id(claim) not in told]
        told |= {id(claim) for claim in first}
        clipped = [_clipped(item, turn, start, end) for item in reasons]
        if not first and not clipped:
            clipped = [_refused(_plain(turn, start, end, continued=bool(claims)), start, end, turn.text[start:end])]
        outcomes.append(
            SentenceOutcome(
                start=start, end=end, text=turn.text[start:end], taken=tuple(first), refused=tuple(dict.fromkeys(clipped))
            )
        )
    return TurnOutcome(
        turn=turn.id,
        role=turn.role,
        speaker=turn.speaker,
        time=turn.time,
        sentences=tuple(outcomes),
        stray=tuple(item for item in refused if id(item) not in placed and (item.rule or item.quote.strip())),
    )


def _plain(turn: Turn, start: int, end: int, *, continued: bool) -> str:
    """The reason for a sentence that the extractor says nothing of."""
    if continued:
        return "continued"
    if turn.role != "user":
        return f"role_{turn.role}"
    return "unexplained" if _WORD.search(turn.text[start:end]) else "no_words"


def _clipped(item: Refused, turn: Turn, start: int, end: int) -> Refused:
    """The part of a refusal that lies in a sentence."""
    low, high = max(item.start, start), min(item.end, end)
    return item.model_copy(update={"start": low, "end": high, "quote": turn.text[low:high]})


def _refusal(item: Refusal) -> Refused:
    return _refused(item.reason, item.start, item.end, item.quote, item.rule)


def _refused(reason: str, start: int, end: int, quote: str, rule: str | None = None) -> Refused:
    # An extractor of somebody else's may have reasons of its own.
    stage, meaning = REASONS.get(reason, ("rules", reason.replace("_", " ")))
    return Refused(stage=stage, reason=reason, meaning=meaning, rule=rule, start=start, end=end, quote=quote)


def _taken(claim: Claim, admitted: Admitted) -> Taken:
    record = admitted.record
    return Taken(
        text=record.text,
        kind=record.kind,
        subject=record.subject,
        relation=record.predicate,
        object=record.object,
        polarity=record.polarity,
        modality=record.modality,
        temporal=record.temporal,
        tier=record.tier,
        hedged=claim.hedged,
        context=record.context,
        cue=record.cue,
        replaces=record.replaces,
        time=claim.time,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        due=record.details.get("due"),
        done=claim.done,
        rule=claim.rule,
        turn=claim.turn,
        start=claim.start,
        end=claim.end,
        quote=claim.quote,
    )


def together(turn: TurnOutcome) -> Iterator[tuple[SentenceOutcome, ...]]:
    """The sentences of a turn, with neighbours that were refused as a whole for one and the same reason in one group."""
    group: list[SentenceOutcome] = []
    for sentence in turn.sentences:
        if group and not (_sole(sentence) and _sole(sentence) == _sole(group[-1])):
            yield tuple(group)
            group = []
        group.append(sentence)
    if group:
        yield tuple(group)


def _sole(sentence: SentenceOutcome) -> str | None:
    """The one reason why nothing was taken of a sentence, if nothing was and there is one."""
    reasons = {item.reason for item in sentence.refused}
    return reasons.pop() if not sentence.taken and len(reasons) == 1 and not any(r.rule for r in sentence.refused) else None
