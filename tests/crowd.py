"""Operations of a known size for tests with many processes and threads: no model is needed to write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from graphmem import Memory
from graphmem.extractors.base import Claim
from graphmem.ingest import Ingestion
from graphmem.model import Session, Turn

STARTED = datetime(2026, 1, 1, tzinfo=UTC)


class NoVectors:
    """An embedder that gives every text the same vector."""

    name = "minilm"
    dimension = 384

    def encode(self, texts: list[str]) -> Any:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        rows[:, 0] = 1
        return rows


class NoClaims:
    """An extractor that finds nothing: the claims are given."""

    name = "none"
    version = "1"


def take(memory: Memory, label: str, items: int = 3) -> None:
    """Record one session of one turn with some statements about it."""
    text = ". ".join(f"{label} item {item}" for item in range(items))
    session = Session(id=label, started=STARTED, turns=(Turn(id="t1", role="user", text=text, time=STARTED),))
    claims = []
    for item in range(items):
        quote = f"{label} item {item}"
        place = text.index(quote)
        where = {"turn": "t1", "start": place, "end": place + len(quote), "quote": quote}
        claims.append(Claim(**where, kind="fact", predicate="note", object=quote, rule="test"))  # type: ignore[arg-type]
    ingestion = Ingestion(memory._space, extractor=NoClaims(), embedder=NoVectors())  # type: ignore[arg-type]
    with memory._space.writing():
        ingestion.take(session, claims=claims)


def labels(memory: Memory) -> list[str]:
    """The operations that are there."""
    return sorted({statement.object.split(" item ")[0] for statement in memory.statements(kind="fact")})
