"""The rule extractor for English: own words, sentences, clauses, gate, relations, time, claims.

Invariant: the same session always gives the same claims, in the order of the turns; only turns of role `user` make claims,
and what was looked at and not taken is a refusal with a reason.
"""

from __future__ import annotations

from graphmem.extractors.base import Claim, Extraction, Refusal
from graphmem.extractors.english import pipeline, read_many
from graphmem.extractors.readings import TurnReading
from graphmem.extractors.regions import regions
from graphmem.model import Session

VERSION = "1"


class RuleExtractor:
    """Closed and open relations by named rules over spaCy's parse; English only."""

    name = "rules"
    version = VERSION

    def ready(self) -> None:
        """Load the English pipeline."""
        pipeline()

    def extract(self, session: Session) -> Extraction:
        """Propose claims for all turns of a session, in order of the turns."""
        claims: list[Claim] = []
        refusals: list[Refusal] = []
        own = [(n, turn, regions(turn)) for n, turn in enumerate(session.turns) if turn.role == "user"]
        parsed = read_many([(turn.text, found.own, found.foreign) for _, turn, found in own])
        earlier: list[Claim] = []
        for (number, turn, found), sentences in zip(own, parsed, strict=True):
            before = session.turns[number - 1] if number else None
            question = before.text if before is not None and before.role == "assistant" else None
            offset = session.turn_offsets.get(turn.id, session.offset_minutes)
            reading = TurnReading(turn, found, sentences, question=question, offset_minutes=offset, earlier=earlier)
            reading.run()
            earlier = reading.claims
            claims += reading.claims
            refusals += reading.refusals
        return Extraction(tuple(claims), tuple(refusals))
