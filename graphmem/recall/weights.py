"""Weights that were fitted, as data: one set for each embedder, with how it was made.

Invariant: what is fitted stands in `graphmem/data/recall.json` and nowhere else, together with the command that made it and
its cross-validated figures; what is set by hand stands in `graphmem.recall.score`.  An embedder that nothing was fitted for
is read with the weights of the built-in one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from graphmem.embed import DEFAULT


@dataclass(frozen=True, slots=True)
class Weights:
    """The fitted weights for one embedder.

    Attributes:
        people: for turns of a conversation between several people, by column of `graphmem.recall.score.people_columns`.
        answered: log odds that the memory holds an answer at all, by feature of `graphmem.recall.answered`; "level" is the
            constant.
    """

    people: Mapping[str, float]
    answered: Mapping[str, float]


@cache
def weights(embedder: str = DEFAULT) -> Weights:
    """The weights for an embedder of this name."""
    found = json.loads(files("graphmem.data").joinpath("recall.json").read_text(encoding="utf-8"))
    chosen = found.get(embedder, found[DEFAULT])
    return Weights(people=chosen["people"]["weights"], answered=chosen["answered"]["weights"])
