"""A small memory, sealed or plain, written without a model; and what a killed process leaves of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from crowd import NoClaims

from graphmem import Memory, failpoints
from graphmem.extractors.base import Claim
from graphmem.ingest import Ingestion
from graphmem.model import Session, Turn
from graphmem.sealing import Passphrase

STARTED = datetime(2026, 1, 1, tzinfo=UTC)
SAID = {
    "diary with Esmeralda": [
        "My aunt Esmeralda keeps forty beehives above Kirkenes",
        "I am allergic to walnuts and to almonds",
    ],
    "letter to Thorvald": ["Thorvald repairs the old lighthouse at Smögen by himself", "I play the nyckelharpa on Thursdays"],
    "walk with Philippa": ["Philippa teaches Latin to miners in Kiruna every winter", "I never drink coffee after four"],
}


def key(text: str = "correct horse battery staple") -> Passphrase:
    """A passphrase that is quick to try."""
    return Passphrase(text, memory=64, passes=1)


class Digests:
    """Vectors that a text alone gives, without a model."""

    name = "minilm"
    dimension = 384

    def encode(self, texts: list[str]) -> Any:
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        rows = np.array([np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds])
        rows = rows.reshape(len(texts), self.dimension)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class Ticks:
    """A clock that goes on by a second each time it is looked at."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Drawn:
    """Random bytes that are the same every time."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, count: int) -> bytes:
        self._count += 1
        return hashlib.sha256(str(self._count).encode()).digest()[:count]


def take(memory: Memory, name: str, texts: list[str]) -> None:
    """Record a session with one statement for each of its turns."""
    turns = tuple(Turn(id=f"t{n}", role="user", text=text, time=STARTED, speaker="Ottoline") for n, text in enumerate(texts))
    claims = [
        Claim(turn=f"t{n}", start=0, end=len(text), quote=text, kind="fact", predicate="note", object=text, rule="test")
        for n, text in enumerate(texts)
    ]
    ingestion = Ingestion(memory._space, extractor=NoClaims(), embedder=Digests())
    with memory._space.writing():
        ingestion.take(Session(id=name, started=STARTED, topic=f"about {name}", turns=turns), claims=claims)


def fill(memory: Memory) -> None:
    """Record all that was said."""
    for name, texts in SAID.items():
        take(memory, name, texts)


def objects(memory: Memory) -> list[str]:
    """What the facts say."""
    return sorted(statement.object for statement in memory.statements(kind="fact"))


def files(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, but locks."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and "lock" not in p.name}


def stopped_at(name: str, act: Callable[[], object]) -> bool:
    """Do something in a child process that ends at a failpoint as by a kill; whether it got there."""
    child = os.fork()
    if not child:
        status = 1
        try:
            failpoints._wanted, failpoints._action, failpoints._left = name, "exit", 1
            act()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == failpoints.EXIT
