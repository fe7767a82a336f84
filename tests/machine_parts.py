"""What stands in for models and engines in the machine: short vectors, a scripted extractor, a graph in memory.

Invariant: everything else is the package's own; these parts answer alike in every run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from graphmem.extractors.base import Extraction
from graphmem.graph.reference import ReferenceGraph
from graphmem.model import Session
from graphmem.space import Space


class Vectors:
    """Unit vectors of eight numbers, drawn from the text's digest."""

    name = "minilm"
    dimension = 8

    def encode(self, texts: list[str]) -> Any:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        rows = np.stack([np.random.default_rng(number).standard_normal(self.dimension) for number in seeds])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class Wider(Vectors):
    """Another model, with other vectors of another length."""

    name = "wider"
    dimension = 13


class Script:
    """An extractor that finds what it was told to find."""

    name, version = "machine", "1"

    def __init__(self) -> None:
        self.claims: tuple[Any, ...] = ()

    def extract(self, session: Session) -> Extraction:
        return Extraction(self.claims, ())


SCRIPT = Script()


@contextmanager
def small_parts() -> Iterator[None]:
    """Short vectors and the scripted extractor instead of models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.embed.embedder", lambda name="minilm": Wider() if name == "wider" else Vectors())
        patch.setattr("graphmem.embed.MINILM_DIMENSION", Vectors.dimension)
        patch.setattr("graphmem.memory._extractor", lambda name: SCRIPT)
        yield


@contextmanager
def reference_spaces() -> Iterator[None]:
    """Spaces whose graph is the one in memory, filled from the ledger and lost whenever it is closed."""

    def graph(space: Space) -> ReferenceGraph:
        found: ReferenceGraph = space.__dict__.setdefault("graph in memory", ReferenceGraph(space.dimension))
        if found.applied_seq() == 0:
            found.load(space.history(0))
        if found.applied_seq() < space.ledger.head()[0]:
            for delta in space.history(found.applied_seq()):
                found.apply(delta)
        return found

    def drop(space: Space, **options: object) -> None:
        space.__dict__.pop("graph in memory", None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Space, "graph", property(graph))
        patch.setattr(Space, "close_graph", drop)
        patch.setattr(Space, "rebuild", drop)
        yield
