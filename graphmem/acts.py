"""The owner's own acts (remember; confirm, correct, retract, also as answers to a question), and an agent's note of use.

Invariant: words given in an act are recorded as a turn like any other, so that what they say has a quote too.  A
confirmation is bound to the hash of the exact text that was shown; only it gives the tier `confirmed`.  An answer is recorded
in the same operation as what it does, so a question is never both answered and open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from graphmem.admission import OBJECT_LIMIT
from graphmem.checks import brief, one_of
from graphmem.checks import text as a_text
from graphmem.doubts import ANSWERED
from graphmem.errors import HashMismatch, InputError
from graphmem.extractors.base import Claim, TimeValue
from graphmem.graph.base import Node
from graphmem.ingest import Ingestion, plan_drafts
from graphmem.ledger import Draft
from graphmem.marks import near
from graphmem.model import KINDS, Hit, Question, Recall, Session, Statement, Turn, Usage
from graphmem.ontology import relations
from graphmem.personal.found import MASK
from graphmem.personal.masks import masked
from graphmem.recall.usage import refers
from graphmem.recall.words import Words
from graphmem.reconcile import uplift, withdraw
from graphmem.records import Confirmation, Retirement, StatementRecord, key, turn_key
from graphmem.sessions import normal
from graphmem.settings import settings_of
from graphmem.space import Space
from graphmem.usage import key_of, keys_used, usage_draft

_PREDICATES = {
    "fact": "note",
    "preference": "note",
    "episode": "event",
    "procedure": "rule",
    "open_item": "task",
}
LIMIT = OBJECT_LIMIT  # characters of one remembered text


# "no, that's wrong", "not true", "never": the statement is denied, and nothing is put in its place.
_DENIAL = re.compile(
    r"^\W*(?:(?:no|nope|nah|never|wrong|false|incorrect|not true|untrue|not so|not anymore|not any more|nonsense)\b[\s,.!-]*"
    r"|(?:that|this|it)(?:['’]s| is| was)(?: not|n['’]t)? (?:wrong|right|true|false|correct|so|it|the case)\b[\s,.!-]*"
    r"|(?:that|this|it) (?:is|was)n['’]t (?:right|true|correct|so)\b[\s,.!-]*)+$",
    re.IGNORECASE,
)

# A sentence or a question, and no value: "I like cheese", "She is a midwife", "What about a cat?", "Please stop".
_SENTENCE = re.compile(
    r"\?\s*$|^\W*(?:(?:I|you|he|she|it|we|they|this|that|there|who|what|where|when|why|how)(?:['’]\w+)?|please|do|don['’]t)\s+\w",
    re.IGNORECASE,
)


def spoken(text: object, channel: str, now: datetime, secret: str, *about: str) -> Session:
    """A session of one turn that holds the owner's words; `about` keeps two apart that say the same at one moment."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{channel} needs a text that is not empty")
    if len(text) > LIMIT:
        raise InputError(f"{channel} takes up to {LIMIT:,} characters, this text has {len(text):,}: ingest it as a session")
    # The id is a hash of the text: it is taken over what will be kept, never over a secret.
    clean = masked(normal(text).strip())
    turn = Turn(id="t1", role="user", text=clean, time=now)
    return Session(id=key(channel, secret, now.isoformat(), clean, *about), started=now, channel=channel, turns=(turn,))


def _whole(session: Session, kind: str, rule: str) -> Claim:
    """The text itself as a claim, for words that no rule understands: kept as they were said."""
    quote = session.turns[0].text
    return Claim(
        turn="t1",
        start=0,
        end=len(quote),
        quote=quote,
        kind=kind,
        predicate=_PREDICATES[kind],
        object=quote,
        temporal="past" if kind == "episode" else "current",
        confidence=0.9,
        importance=0.7,
        rule=rule,
        details={"due": None, "owner": "user"} if kind == "open_item" else {},
    )


def remember(ingestion: Ingestion, text: str, kind: str | None) -> str:
    """Record a text at the owner's wish; returns the id of the (first) statement it made or supports.

    With no kind it is read as a turn is: what it says makes statements, and what it says is done closes tasks.
    """
    if kind is not None:
        one_of("kind", kind, KINDS)
    ledger = ingestion.space.ledger
    session = spoken(text, "remember", ledger.now(), ledger.secret)
    family = KINDS if kind is None else ("fact", "preference") if kind in ("fact", "preference") else (kind,)
    found = [c for c in ingestion.extractor.extract(session).claims if c.kind in family and not c.hedged]
    claims = [c for c in found if not c.done]
    if kind is None and len(claims) < len(found):
        # A deed without a task that it closes would leave nothing: the note stays in any case.
        claims = found if claims else [_whole(session, "fact", "remember"), *found]
    if MASK in session.turns[0].text:
        claims = []  # the note is kept in the words that are left, so that its owner sees what was not
    taken = ingestion.take(session, claims=claims or [_whole(session, kind or "fact", "remember")])
    # The same words at the same moment are one note.
    there = ingestion.space.graph.evidence_of({turn_key(session.id, "t1")})
    return taken.touched[0] if taken.touched else there[0][1]


def correct(ingestion: Ingestion, node: Node, shown: Statement, text: str, question: Question | None = None) -> str:
    """Put a statement right in the owner's words; the old one stays, marked as never true."""
    old = node.record
    ledger = ingestion.space.ledger
    _usable(node, "corrected")
    if shown.status == "corrected":
        raise InputError(f"statement {old.id} was corrected before: correct the one that took its place")
    session = spoken(text, "correct", ledger.now(), ledger.secret, old.id)
    found = [c for c in ingestion.extractor.extract(session).claims if not c.hedged and not c.done]
    if not found and _DENIAL.match(text):
        raise InputError(
            f"{brief(text)} does not say what is right: give the right value, or withdraw the statement with retract"
        )
    same = [c for c in found if c.predicate == old.predicate] or [c for c in found if c.kind == old.kind]
    if not same and old.predicate in relations() and _SENTENCE.search(text):
        raise InputError(
            f"{brief(text)} is read as no statement like {brief(shown.text)}: give the right value alone, or say it in a "
            "sentence of the same form"
        )
    first = same[0] if same else _as_old(_whole(session, old.kind, "correct"), old)
    over = shown.status in ("superseded", "past") and old.temporal == "current"
    if first.time is None and (old.valid_from or old.valid_to or over):
        # The correction holds for the time of what it corrects, unless it names its own (T13).
        start = old.valid_from or (old.asserted_at if over else None)
        end = shown.valid_to if over else old.valid_to
        if start is not None and end is not None and end <= start:
            start = None
        time = TimeValue(text="", start=start, end=end, granularity=old.valid_granularity)
        first = first.model_copy(update={"time": time, "temporal": "past" if over else first.temporal})
    # A pause lets what is known be put right; what the same words say besides is learnt as little as anything else.
    rest = [c for c in found if same and c is not same[0]] if settings_of(ledger).learning else []
    also = [answer(question, "correct")] if question else []
    taken = ingestion.take(session, claims=[first, *rest], corrects=old.id, also=also)
    return taken.touched[0]


def _as_old(claim: Claim, old: StatementRecord) -> Claim:
    """A bare value ("Landskrona") takes its relation and subject from the statement it corrects."""
    return claim.model_copy(
        update={
            "predicate": old.predicate,
            "subject": old.subject,
            "context": old.context,
            "polarity": old.polarity,
            "modality": old.modality,
            "temporal": old.temporal,
            "details": dict(old.details),
        }
    )


def answer(question: Question, act: str) -> Draft:
    """The entry that uses a question up; it names statements by their ids and holds none of their words."""
    ids = tuple(statement.id for statement in question.statements)
    return Draft(ANSWERED, (question.id, *ids), {"kind": question.kind, "answer": act})


def confirm(space: Space, node: Node, content_hash: str | None, question: Question | None = None) -> None:
    """Lift a statement to the top tier, if the hash is that of its text, or the question showed it.

    Of two that cannot both hold, and were asked about, the other one is withdrawn.
    """
    record = node.record
    if content_hash is None and question is None:
        raise InputError("confirm needs the content hash of the text that was shown, or the question that showed it")
    if content_hash is not None and content_hash != record.content_hash:
        raise HashMismatch(
            f"the content hash does not match statement {record.id}: read it again and confirm the text as it is now"
        )
    _usable(node, "confirmed")
    now = space.ledger.now()
    item = Confirmation(statement=record.id, at=now, content_hash=record.content_hash, actor="owner")
    body = {"delta": {"confirmations": [item.model_dump(mode="json")]}}
    # The same text is confirmed once: what has this tier gets it no second time.
    first = [] if node.confirmations else [Draft("confirmed", (record.id,), body)]
    if question is None:
        plan = uplift(near(space, [], named=[record.id]), record.id, secret=space.ledger.secret, now=now)
        if node.confirmations and not plan.links and not plan.retired:
            return  # nothing follows from it either
        # One operation: the confirmation never stands without what follows from it.
        # The name of an operation outlasts the statement: its hash alone would let the words be guessed.
        shown = key("c", space.ledger.secret, record.content_hash)
        operation = f"confirm/{record.id}/{shown}/{len(node.links)}"
        space.write(operation, [*first, *plan_drafts(plan)], at=now)
        return
    drafts = [answer(question, "confirm"), *first]
    others = [statement.id for statement in question.statements if statement.id != record.id]
    for other in space.graph.nodes(others):
        drafts += withdrawal(space, other, f"the owner confirmed {record.id} instead", now, confirmed=record.id)
    if not others:
        plan = uplift(near(space, [], named=[record.id]), record.id, secret=space.ledger.secret, now=now)
        drafts += plan_drafts(plan)
    space.write(f"answer/{question.id}", drafts, at=now)


def retract(space: Space, node: Node, reason: str, question: Question | None = None) -> None:
    """Withdraw a statement; what it had superseded or corrected holds again."""
    if not isinstance(reason, str) or len(reason) > LIMIT:
        raise InputError(f"reason must be a text of up to {LIMIT:,} characters")
    _usable(node, "retracted")
    record, now = node.record, space.ledger.now()
    drafts = withdrawal(space, node, normal(reason), now)
    if question is None:
        space.write(f"retract/{record.id}", drafts, at=now)
    else:
        space.write(f"answer/{question.id}", [answer(question, "retract"), *drafts], at=now)


def withdrawal(space: Space, node: Node, reason: str, now: datetime, *, confirmed: str | None = None) -> list[Draft]:
    """The entries of a withdrawal, and of what follows from it and from a confirmation that comes with it."""
    record = node.record
    item = Retirement(statement=record.id, at=now, reason=reason, actor="owner")
    revived = [link.target for link, gone in node.links if link.kind == "CORRECTS" and gone is None]
    seen = near(space, [record], named=[record.id, *revived, *([confirmed] if confirmed else [])])
    plan = withdraw(seen, record.id, secret=space.ledger.secret, now=now, reason="retracted", confirmed=confirmed)
    body = {"delta": {"retirements": [item.model_dump(mode="json")]}}
    return [Draft("retracted", (record.id,), body), *plan_drafts(plan)]


def _usable(node: Node, act: str) -> None:
    if node.retirement is not None:
        raise InputError(f"statement {node.record.id} was retracted and cannot be {act}: state it anew with remember")


def note_use(space: Space, found: Recall, used: Iterable[str | Hit] | None, reply: str | None) -> Usage:
    """Record which of the memories in an answer were used; those that are gone meanwhile are left out.

    Raises:
        InputError: it is not said what was used, or something is not in the answer.
    """
    if (used is None) == (reply is None):
        raise InputError("say what was used: either used, as ids or hits, or reply, the text that was said")
    if reply is not None:
        a_text("reply", reply)
        words = Words()
        used = [hit for hit in found.hits if refers(reply, hit, found.query, words)]
    keys = keys_used(found, used or ())
    shown = [key_of(hit) for hit in found.hits]
    there = {node.record.id for node in space.graph.nodes(shown)} | {turn.key for turn in space.graph.turns(shown)}
    shown = [name for name in dict.fromkeys(shown) if name in there]
    noted = False
    if shown and settings_of(space.ledger).learning:
        # The id of an answer is random, so the operation is known only if the use of this very answer was noted.
        noted = bool(space.write(f"use/{found.id}", [usage_draft(found.id, shown, keys)], at=space.ledger.now()))
    left = tuple(name for name in shown if name in keys), tuple(name for name in shown if name not in keys)
    return Usage(answer=found.id, used=left[0], unused=left[1], noted=noted)
