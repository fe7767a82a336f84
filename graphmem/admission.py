"""Admission: may it be stored, about whom, and at which tier?

Invariant: the role of the quoted characters caps the tier (user: stated; assistant, tool, document, system, quoted:
inferred; memory: no evidence at all), whatever proposed the claim.  Only the owner's confirmation goes higher.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from graphmem.canonical import context_key, object_key, subject_key, third_person
from graphmem.extractors.base import USER, Claim
from graphmem.grounding import Grounded
from graphmem.instructions import steering
from graphmem.lookalikes import pretending
from graphmem.model import Rejection, Session, Tier, iso
from graphmem.naming import same_as_of
from graphmem.ontology import relation, relations
from graphmem.personal.categories import special_category
from graphmem.personal.identifiers import identifiers
from graphmem.personal.masks import is_masked, masked
from graphmem.records import (
    QUARANTINE,
    TURN_STRIDE,
    EntityRecord,
    EvidenceRecord,
    MentionRecord,
    SameAsRecord,
    StatementRecord,
    key,
)
from graphmem.validity import touching

Interval = tuple[datetime | None, datetime | None]
CAPS: dict[str, Tier] = {
    "user": "stated",
    "assistant": "inferred",
    "tool": "inferred",
    "document": "inferred",
    "system": "inferred",
    "quoted": "inferred",
}
SLOT = "…"  # in the words around what is told: the thing that it is told of
YEAR = re.compile(r"\d{4}")
OBJECT_LIMIT = 1000  # characters of one object
EPISODE_LIMIT = 200  # characters of a quote that stands for what happened


class Admitted(NamedTuple):
    """A statement as it would be recorded, its first evidence, the entities it names and what it says of who is who."""

    record: StatementRecord
    evidence: EvidenceRecord
    entities: tuple[EntityRecord, ...]
    mentions: tuple[MentionRecord, ...]
    done: bool
    same_as: tuple[SameAsRecord, ...] = ()


class Speakers(NamedTuple):
    """Who is who in a session: `owner` holds the folded names that mean the user of the space."""

    owner: frozenset[str]
    others: frozenset[str]


def speakers(session: Session, user: str) -> Speakers:
    """The owner is the only speaker with role user, or the one named like the user; others speak for themselves."""
    names = {subject_key(turn.speaker) for turn in session.turns if turn.role == "user" and turn.speaker}
    if len(names) <= 1:
        return Speakers(frozenset(names), frozenset())
    owner = frozenset(name for name in names if name == subject_key(user))
    return Speakers(owner, frozenset(names - owner))


def content_hash(record_fields: dict[str, object]) -> str:
    """SHA-256 of what a confirmation is bound to: text, subject, predicate, object, polarity, context, interval."""
    body = json.dumps(record_fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()


def lasting(record: StatementRecord, start: datetime | None, end: datetime | None, granularity: str | None) -> StatementRecord:
    """The record with this interval, and with the hash that belongs to it."""
    digest = content_hash(
        {
            "text": record.text,
            "subject": record.subject_key,
            "predicate": record.predicate,
            "object": record.object,
            "polarity": record.polarity,
            "context": record.context,
            "from": iso(start) if start else None,
            "to": iso(end) if end else None,
        }
    )
    interval = {"valid_from": start, "valid_to": end, "valid_granularity": granularity}
    return record.model_copy(update={**interval, "content_hash": digest})


def render(claim: Claim, subject: str) -> str:
    """The statement in one line of plain English, built from the relation's wording; never stored as a quote."""
    # A relative or a pet without a name is told by whose it is: "User's brother".
    who = "User" if subject == USER else f"User's {subject}" if subject[:1].islower() else subject
    context = f" ({claim.context})" if claim.context else ""
    if claim.kind == "episode":
        # What happened is told in the speaker's own words: the object alone may lack the deed.
        words = claim.quote if len(claim.quote) <= EPISODE_LIMIT else claim.object
        return words if subject == USER else f"{subject}: {words}"
    verb, target = claim.details.get("verb"), claim.details.get("target")
    if (
        claim.kind == "open_item"
        and (not claim.done or claim.details.get("fate") == "moved")
        and verb
        and target
        and claim.object.split()[-1:] == str(target).split()[-1:]
    ):
        # "I still haven't called Mia" leaves "call Mia" to be done.
        return f"{verb} {target}{context}" if subject == USER else f"{subject}: {verb} {target}{context}"
    if claim.kind in ("open_item", "procedure"):
        return f"{claim.object}{context}" if subject == USER else f"{subject}: {claim.object}{context}"
    if claim.predicate == "attribute":
        owner = "User's" if subject == USER else f"{subject}'s"
        verb = "is not" if claim.polarity == "negative" else "is"
        return f"{owner} {claim.context or 'detail'} {verb} {claim.object}"
    if claim.predicate == "told":
        return f"{(claim.context or SLOT).replace(SLOT, subject, 1)} {claim.object}"
    if claim.predicate == "favourite":
        verb = "favourite is not" if claim.polarity == "negative" else "favourite is"
        topic = f" {claim.context}" if claim.context else ""
        verb = verb.replace("favourite", f"favourite{topic}", 1)
        return f"{'User' if subject == USER else subject}'s {verb} {claim.object}"
    row = relation(claim.predicate)
    if claim.predicate not in relations():
        phrase = (
            f"does not {claim.predicate.replace('_', ' ')} {claim.object}"
            if claim.polarity == "negative"
            else f"{third_person(claim.predicate)} {claim.object}"
        )
    else:
        # What is played is told without its verb: "the violin".
        played = claim.predicate == "skill" and claim.object.lower().startswith(("the ", "a ", "an "))
        value = f"play {claim.object}" if played else claim.object
        if claim.predicate == "wants" and verb:
            value = f"to {value}"
        # "vegetarian" is what one is; what one eats is a dish.
        way = claim.predicate == "diet" and claim.object.casefold() in row.exclusive[0]
        forms = ("is {object}", "is not {object}") if way else (row.phrase, row.negative)
        phrase = forms[claim.polarity == "negative"].replace("{object}", value)
    marks = {"ended": "no longer ", "past": "formerly "}
    return f"{who} {marks.get(claim.temporal, '')}{phrase}{context}"


def _telling(record: StatementRecord, done: bool) -> tuple[Interval, object, str, bool]:
    """What tells two statements of one turn apart that are the same in all that an id is made of."""
    return (record.valid_from, record.valid_to), record.details.get("due"), record.modality, done


def sensitivity(text: str, predicate: str, by_relation: str) -> str:
    """`special`, `identifier` or `ordinary`: the highest that the relation or the words of a statement call for."""
    if by_relation == "special" or special_category(text, predicate) is not None:
        return "special"
    return "identifier" if by_relation == "identifier" or identifiers(text) else by_relation


def _sensitivity_of(claim: Claim, subject: str) -> str:
    return sensitivity(render(claim, subject), claim.predicate, relation(claim.predicate).sensitivity)


def marks(text: str, predicate: str) -> dict[str, list[str]]:
    """What kinds of personal data the words of a statement seem to hold; nothing at all if there is none."""
    category = special_category(text, predicate)
    found = {item.kind for item in identifiers(text)} | ({category} if category else set())
    return {"marks": sorted(found)} if found else {}


def _secret(claim: Claim) -> bool:
    """Whether a claim says a secret, or would say one if it were not masked."""
    if is_masked(claim.object) or is_masked(claim.context or ""):
        return True
    words = [claim.subject, claim.object, claim.context or "", claim.replaces or "", render(claim, claim.subject)]
    words += [str(value) for value in claim.details.values()] + [name for name, _ in claim.mentions]
    return any(masked(word) is not word for word in words)


class Admission:
    """Turns grounded claims of one session into statements with evidence.

    `secret` keys the ids, so that an id does not give away what was said to someone who guesses.
    """

    def __init__(
        self,
        session: Session,
        *,
        user: str,
        secret: str,
        extractor: str,
        now: datetime,
        corrected: StatementRecord | None = None,
        stored: Iterable[StatementRecord] = (),
    ) -> None:
        """Take claims of a session; `corrected` is what the owner puts right, `stored` what its turns have told before."""
        self.session, self.user, self.secret = session, user, secret
        self.extractor, self.now = extractor, now
        self.speakers = speakers(session, user)
        self.corrected = corrected
        self._told = {record.id: _telling(record, record.details.get("type") == "done") for record in stored}

    def admit(self, grounded: Grounded) -> Admitted | Rejection:
        """The statement and its evidence, or the reason why it may not be stored."""
        claim, turn = grounded.claim, grounded.turn
        cap = CAPS.get(grounded.role)
        if cap is None:
            return self._refused("role_is_no_evidence", grounded)
        if not claim.object.strip():
            return self._refused("object_empty", grounded)
        if len(claim.object) > OBJECT_LIMIT:
            return self._refused("object_too_long", grounded)
        if _secret(claim):
            return self._refused("secret", grounded)
        subject, who = self._subject(claim, turn.speaker)
        if grounded.role != "user" and _sensitivity_of(claim, subject) == "special":
            return self._refused("special_not_stated", grounded)
        tier: Tier = "inferred" if claim.hedged or cap == "inferred" else "stated"
        if self._is_hearsay(claim, turn.speaker):
            tier = "inferred"
        if claim.modality in ("possible", "hypothetical"):
            tier = "inferred"
        record = self._record(claim, grounded, subject, who, tier)
        evidence = EvidenceRecord(
            id=key("e", self.secret, record.id, self.session.id, turn.id, str(claim.start), str(claim.end)),
            statement=record.id,
            session=self.session.id,
            turn=turn.id,
            turn_key=key("t", self.session.id, turn.id),
            role=grounded.role,
            speaker=turn.speaker,
            start=claim.start,
            end=claim.end,
            quote=claim.quote,
            said_at=turn.time,
            recorded_at=self.now,
            tier=tier,
            confidence=claim.confidence,
            extractor=self.extractor,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            valid_granularity=record.valid_granularity,
        )
        entities, mentions = self._entities(claim, record)
        named, same_as = same_as_of(claim, record, speaker=self._me(turn.speaker), secret=self.secret)
        known = {entity.id for entity in entities}
        entities += tuple(entity for entity in named if entity.id not in known)
        return Admitted(record, evidence, entities, mentions, claim.done, same_as)

    def _is_hearsay(self, claim: Claim, speaker: str | None) -> bool:
        """Whether one speaker tells of another, the owner included, by name."""
        named = subject_key(claim.subject)
        if claim.subject == USER or named not in self.speakers.others | self.speakers.owner:
            return False
        me = subject_key(speaker) if speaker else USER
        alone = me == USER and not self.speakers.others  # a turn without a name, of the only one who speaks
        return named != me and not alone

    def _me(self, speaker: str | None) -> str:
        """Key of the one who speaks in the first person."""
        me = subject_key(speaker) if speaker else USER
        return me if me in self.speakers.others and me not in self.speakers.owner else USER

    def _subject(self, claim: Claim, speaker: str | None) -> tuple[str, str]:
        """Display form and key of the subject; first person is the turn's speaker."""
        if self.corrected is not None and claim.subject == self.corrected.subject:
            return self.corrected.subject, self.corrected.subject_key
        me = subject_key(speaker) if speaker else USER
        own = me == USER or me in self.speakers.owner or me not in self.speakers.others
        if claim.subject == USER:
            return (USER, USER) if own or speaker is None else (speaker, me)
        named = subject_key(claim.subject)
        if named in self.speakers.others or named in self.speakers.owner:
            return claim.subject, named if named in self.speakers.others else USER
        if own or speaker is None:
            return claim.subject, f"{USER}/{named}"
        return f"{speaker}'s {claim.subject}", f"{me}/{named}"

    def _record(self, claim: Claim, grounded: Grounded, subject: str, who: str, tier: Tier) -> StatementRecord:
        turn = grounded.turn
        start = claim.time.start if claim.time else None
        end = claim.time.end if claim.time else None
        if relation(claim.predicate).value == "date" and not YEAR.search(claim.object):
            start = end = None  # "12 March" names a day of every year, not the next one
        if claim.temporal == "ended" and (end is None or end > turn.time):
            # Ended, end unknown or in the period that was running: it had ended when it was said (T4).
            end = turn.time
        if start is not None and end is not None and end <= start:
            start = None
        text = render(claim, subject)
        made = StatementRecord(
            id=key(
                "s",
                self.secret,
                self.session.id,
                turn.id,
                claim.kind,
                who,
                claim.predicate,
                object_key(claim.object),
                claim.polarity,
                claim.temporal,
                context_key(claim.context),
            ),
            kind=claim.kind,
            text=text,
            subject=subject,
            predicate=claim.predicate,
            object=claim.object,
            polarity=claim.polarity,
            modality=claim.modality,
            context=claim.context,
            temporal=claim.temporal,
            valid_from=start,
            valid_to=end,
            valid_granularity=claim.time.granularity if claim.time else None,
            modifier=claim.time.modifier if claim.time else None,
            time_text=claim.time.text if claim.time else None,
            asserted_at=turn.time,
            recorded_at=self.now,
            session=self.session.id,
            session_started=self.session.started,
            order=grounded.position * TURN_STRIDE + claim.start,
            subject_key=who,
            object_key=object_key(claim.object),
            context_key=context_key(claim.context),
            cue=claim.cue,
            replaces=claim.replaces,
            tier=tier,
            confidence=claim.confidence,
            importance=claim.importance,
            sensitivity=_sensitivity_of(claim, subject),
            content_hash="",
            extractor=self.extractor,
            rule=claim.rule,
            details={**claim.details, **marks(text, claim.predicate), **self._suspicion(claim, grounded.role, text)},
        )
        made = lasting(made, start, end, made.valid_granularity)
        return self._told_apart(made, done=claim.done)

    @staticmethod
    def _suspicion(claim: Claim, role: str, text: str) -> dict[str, object]:
        """Words that look like others; and of untrusted words, why they wait for the owner before they count as anything."""
        looks = pretending(" ".join((claim.subject, claim.object, claim.context or "")))
        found: dict[str, object] = {"look_alike": sorted(looks)} if looks else {}
        if role != "user":
            if steering(claim.quote, text) or claim.kind == "procedure":
                found[QUARANTINE] = "instruction"
            elif looks:
                found[QUARANTINE] = "look_alike"
        return found

    def _told_apart(self, record: StatementRecord, *, done: bool) -> StatementRecord:
        """The record, under an id of its own if its turn tells the same of another time, deadline or modality.

        Only what comes second gets more into its id, so that no statement has another id than it always had.
        """
        telling = _telling(record, done)
        first = self._told.setdefault(record.id, telling)
        if first[1:] == telling[1:] and touching(first[0], telling[0]):
            return record
        bounds = (iso(bound) if bound else "" for bound in telling[0])
        return record.model_copy(update={"id": key("s", record.id, *bounds, *map(str, telling[1:]))})

    def _entities(self, claim: Claim, record: StatementRecord) -> tuple[tuple[EntityRecord, ...], tuple[MentionRecord, ...]]:
        found: dict[str, EntityRecord] = {}
        edges: list[MentionRecord] = []

        def add(name: str, type_: str, identity: str, kind: str) -> None:
            entity = key("n", self.secret, type_, identity)
            found.setdefault(entity, EntityRecord(id=entity, name=name, type=type_, key=identity))
            mention = MentionRecord.model_validate(
                {"statement": record.id, "entity": entity, "kind": kind, "tier": record.tier}
            )
            if mention not in edges:
                edges.append(mention)

        add(record.subject, "thing" if claim.predicate == "told" else "person", record.subject_key, "SUBJECT")
        value = relation(claim.predicate).value
        if value in ("person", "place", "organisation", "thing") and claim.kind in ("fact", "preference"):
            add(claim.object, value, record.object_key, "OBJECT")
        for name, type_ in claim.mentions:
            add(name, type_, object_key(name), "MENTIONS")
        return tuple(found.values()), tuple(edges)

    def _refused(self, reason: str, grounded: Grounded) -> Rejection:
        claim = grounded.claim
        return Rejection(reason=reason, quote=masked(claim.quote), session=self.session.id, turn=claim.turn, rule=claim.rule)
