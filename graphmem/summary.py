"""The summary of a session, built only from what was stored of it.

Invariant: at most 60 words, nothing sensitive, every part resting on the quotes of its sources; a session of which
nothing was kept has no summary, because it would have no quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.admission import content_hash
from graphmem.derivation import derived_from, lent
from graphmem.model import TIER_RANK, Session
from graphmem.records import TURN_STRIDE, EvidenceRecord, LinkRecord, StatementRecord, key, summarises

WORDS = 60
_GLAD = frozenset(
    [
        "great",
        "happy",
        "glad",
        "love",
        "lovely",
        "excited",
        "thanks",
        "awesome",
        "perfect",
        "proud",
        "amazing",
        "finally",
        "passed",
        "won",
        "yay",
        "fun",
    ]
)
_LOW = frozenset(
    [
        "sad",
        "tired",
        "angry",
        "hate",
        "awful",
        "stressed",
        "worried",
        "nervous",
        "ugh",
        "sorry",
        "sick",
        "terrible",
        "lonely",
        "broke",
        "failed",
        "lost",
    ]
)


def tone(session: Session) -> str:
    """positive, negative, mixed or neutral, by the plain words of the user's turns."""
    said = {word.strip(".,!?:;()'\"").casefold() for turn in session.turns if turn.role == "user" for word in turn.text.split()}
    glad, low = len(said & _GLAD), len(said & _LOW)
    if glad and low:
        return "mixed"
    return "positive" if glad else "negative" if low else "neutral"


def summarise(
    session: Session,
    sources: Sequence[tuple[StatementRecord, EvidenceRecord]],
    *,
    secret: str,
    now: datetime,
    version: str,
) -> tuple[StatementRecord, list[EvidenceRecord], list[LinkRecord]] | None:
    """The summary statement of a session, its evidence and its DERIVED_FROM links; None if there is nothing to tell.

    Args:
        session: the session as recorded.
        sources: what was recorded or supported by it, with the evidence that it gave.
        secret: keys the ids.
        now: time of recording.
        version: names the set of sources, so that a later summary of more turns is another statement.
    """
    chosen: list[tuple[StatementRecord, EvidenceRecord]] = []
    day = session.started.date().isoformat()
    text = f"Session of {day}:"
    ranked = sorted(sources, key=lambda pair: (-pair[0].importance, pair[0].order, pair[0].id))
    for record, evidence in ranked:
        # A summary is worth no more than the least that it was made of: what only a tool repeats here is not told.
        if record.sensitivity != "ordinary" or "inferred" in (record.tier, evidence.tier) or summarises(record.details):
            continue
        longer = f"{text} {record.text.rstrip('.')};"
        if len(longer.split()) > WORDS:
            continue
        text = longer
        chosen.append((record, evidence))
    if not chosen:
        return None
    outcome = next((str(r.details["outcome"]) for r, _ in chosen if r.details.get("outcome")), None)
    text = text.rstrip(";") + "."
    lowest = min((record.tier for record, _ in chosen), key=TIER_RANK.__getitem__)
    id_ = key("s", secret, session.id, "summary", version)
    details = {
        "type": "session",
        "outcome": outcome,
        "tone": tone(session),
        "topics": sorted({record.context or record.predicate for record, _ in chosen})[:5],
    }
    last = max(turn.time for turn in session.turns)
    record = StatementRecord(
        id=id_,
        kind="episode",
        text=text,
        subject="user",
        predicate="session",
        object=text,
        temporal="past",
        valid_from=session.started,
        valid_to=last if last > session.started else None,
        valid_granularity="minute",
        asserted_at=last,
        recorded_at=now,
        session=session.id,
        session_started=session.started,
        order=len(session.turns) * TURN_STRIDE,
        subject_key="user",
        object_key=f"session {session.id}",
        tier=lowest,
        confidence=min(record.confidence for record, _ in chosen),
        importance=0.3,
        sensitivity="ordinary",
        content_hash=content_hash({"text": text}),
        extractor="summary/1",
        rule="summary",
        details=details,
    )
    copies = lent((item for _, item in chosen), id_, secret=secret, extractor="summary/1")
    links = derived_from(
        (source.id for source, _ in chosen), id_, rule="summary", tier=lowest, secret=secret, now=now, said_at=last
    )
    return record, copies, links
