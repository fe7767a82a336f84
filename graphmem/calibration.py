"""Cosines of one model on the scale of another: what "near" means differs from model to model.

Invariant: the score was fitted to the cosines of the built-in model; those of any other are moved to that scale by a line
through two points, the mean cosine of sentences that belong together and of those that do not, measured once on the pairs
below and kept with the vectors.  The order of cosines never changes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmem.embed import DEFAULT, Embedder
from graphmem.encoding import rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A question as recall compares it, and the statement that answers it.
PAIRS: tuple[tuple[str, str], ...] = (
    ("Where does the user live?", "User lives in Leiden"),
    ("What is the user's job?", "User works as a bridge engineer"),
    ("What pets does the user have?", "User has a pet: parrot Kiko"),
    ("What is the user allergic to?", "User is allergic to peanuts"),
    ("What music does the user like?", "User likes jazz piano"),
    ("Which languages does the user speak?", "User speaks Estonian and French"),
    ("When is the user's birthday?", "User was born on 3 March 1988"),
    ("What does the user's brother do?", "brother Tom teaches chemistry"),
    ("Does the user play any sport?", "User plays badminton on Mondays"),
    ("What should be done before Friday?", "renew the parking permit by Friday"),
    ("What car does the user drive?", "User has a vehicle: green van"),
    ("What does the user not eat?", "User does not eat fish"),
)
# What the built-in model gives for them: mean cosine of a question with its own answer and with those of the others.
TOGETHER, APART = 0.582, 0.165
# Where a model tells the two apart by less than this, no line through them means anything.
LEAST = 0.03


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line from one model's cosines to the built-in model's."""

    scale: float = 1.0
    shift: float = 0.0

    def of(self, cosine: float) -> float:
        """The cosine that the built-in model would give, within -1..1."""
        return min(max(self.scale * cosine + self.shift, -1.0), 1.0)

    def dump(self) -> str:
        """As it is kept."""
        return json.dumps({"scale": self.scale, "shift": self.shift})


def loaded(kept: str) -> Calibration | None:
    """What was kept; None where nothing was, or it is no line that keeps the order."""
    try:
        found = json.loads(kept)
        line = Calibration(float(found["scale"]), float(found["shift"]))
    except (ValueError, TypeError, KeyError):
        return None
    return line if line.scale > 0 and math.isfinite(line.scale) and math.isfinite(line.shift) else None


def calibrated(embedder: Embedder) -> Calibration:
    """The line for a model; that of the built-in one, and of one that cannot tell the pairs apart, changes nothing.

    Raises:
        EmbedderFailed: the model failed.
    """
    if embedder.name == DEFAULT:
        return Calibration()
    together, apart = levels(rows_of(embedder, [text for pair in PAIRS for text in pair]))
    if together - apart < LEAST:
        return Calibration()
    scale = (TOGETHER - APART) / (together - apart)
    return Calibration(round(scale, 6), round(APART - scale * apart, 6))


def levels(rows: NDArray[np.float32] | Sequence[Sequence[float]]) -> tuple[float, float]:
    """Mean cosine of each question with its answer, and with the answers of the others; question and answer by turns."""
    import numpy as np

    made = np.asarray(rows, np.float64)
    made = made / np.linalg.norm(made, axis=1, keepdims=True)
    table = made[0::2] @ made[1::2].T
    own = float(np.trace(table)) / len(table)
    others = float(table.sum() - np.trace(table)) / (len(table) * (len(table) - 1))
    return own, others
