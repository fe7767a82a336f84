"""Spaces of a given size, made fast and alike in every run: sessions, claims and vectors without a model.

The claims go through grounding and admission, and what comes out is recorded as an ingest records it; they are about
different things, so reconciliation, which would find nothing, is left out.  A session has 20 turns, every turn one
statement and its quote; every turn, every pair of turns and every statement has a vector of 384 numbers that do not
compress.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from graphmem.admission import Admission
from graphmem.embedding import vectors_of
from graphmem.extractors.base import Claim
from graphmem.grounding import ground
from graphmem.ingest import plan_drafts, session_draft
from graphmem.ledger import Draft, Vector
from graphmem.model import Session, Turn
from graphmem.reconcile import Outcome, Plan
from graphmem.recorded import turn_records
from graphmem.space import Space

TURNS = 20
BEGUN = datetime(2020, 1, 1, 9, tzinfo=UTC)
_THINGS = ("harbour", "bicycle", "lantern", "orchard", "violin", "kettle", "meadow", "compass", "glacier", "notebook", "canvas")
_PLACES = ("Porto", "Lund", "Tartu", "Kotka", "Ghent", "Bergen", "Turin", "Split", "Graz", "Lugo", "Narva", "Visby", "Pskov")
_PEOPLE = ("Ana", "Boris", "Clara", "Deniz", "Elin", "Farid", "Greta", "Hugo", "Irma", "Jonas", "Karin", "Leo", "Maja", "Nils")


class RandomVectors:
    """An embedder for measuring: unit vectors drawn from the text's digest."""

    name = "minilm"
    dimension = 384

    def encode(self, texts: list[str]) -> Any:
        rows = []
        for text in texts:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            row = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
            rows.append(row / np.linalg.norm(row))
        return np.stack(rows)


class Operation(NamedTuple):
    """One session as it is handed to the store."""

    id: str
    drafts: list[Draft]
    vectors: list[Vector]
    at: datetime


def operation(space: Space, session: Session) -> Operation:
    """What recording a session of this workload writes."""
    now = space.ledger.now()
    admission = Admission(session, user=space.user, secret=space.ledger.secret, extractor="workload/1", now=now)
    admitted = [admission.admit(ground(claim_of(turn), session)) for turn in session.turns]
    plan = Plan(
        tuple(item.record for item in admitted),
        tuple(item.evidence for item in admitted),
        (), (), tuple(Outcome("recorded", item.record.id, item) for item in admitted),
    )  # fmt: skip
    turns = turn_records(session)
    drafts = [session_draft(session, turns, now, new=True), *plan_drafts(plan)]
    vectors = vectors_of(RandomVectors(), turns, {turn.id for turn in turns}, plan.statements, drafts)
    return Operation(f"ingest/{session.id}", drafts, vectors, now)


def fill(space: Space, count: int, *, first: int = 0) -> int:
    """Record `count` statements, session by session; how many sessions that were."""
    made = 0
    for session in sessions(count, first=first):
        item = operation(space, session)
        space.write(item.id, item.drafts, item.vectors, at=item.at)
        made += 1
    return made


def claim_of(turn: Turn) -> Claim:
    """The one claim of a turn: `I saw OBJECT with PERSON in PLACE.`, a different object for every turn."""
    quote, _, rest = turn.text.partition(", and ")
    found = quote.removeprefix("I like ")
    return Claim(
        turn=turn.id, start=0, end=len(quote), quote=quote, kind="preference", predicate="likes", object=found,
        mentions=((rest.split()[0], "person"),), rule="workload",
    )  # fmt: skip


def sessions(count: int, *, first: int = 0, seed: int = 1) -> Iterator[Session]:
    """Sessions that hold `count` statements together, numbered from session `first` on."""
    for number in range(first, first + -(-count // TURNS)):
        draw = random.Random(f"{seed}/{number}")
        started = BEGUN + timedelta(hours=7 * number)
        yield Session(
            id=f"session-{number:06d}",
            started=started,
            turns=tuple(
                Turn(
                    id=f"t{place + 1}",
                    role="user",
                    text=(
                        f"I like the {draw.choice(_THINGS)} number {number * TURNS + place} in {draw.choice(_PLACES)}, and "
                        f"{draw.choice(_PEOPLE)} told me about the {draw.choice(_THINGS)} that we saw there last week."
                    ),
                    time=started + timedelta(minutes=place),
                )
                for place in range(TURNS)
            ),
        )
