"""From signals to a number in 0..1 that says how likely the hit is to be of use.

Invariant: the weights are constants fitted outside of the package, and a score depends on the question and the store
alone.  Within one answer the order by score is the order by the linear sum below: whatever is added for the whole
question moves all hits alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from graphmem.model import Statement
from graphmem.ontology import relation
from graphmem.recall.question import Aim
from graphmem.recall.signals import StatementSignals, TurnSignals, related
from graphmem.recall.spread import FLOOR, Steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.corpus import Columns
    from graphmem.recall.signals import Array

# The first sum picks the seeds of the traversal, the second one, with what it found, gives the order.
SEED_WEIGHTS = {"cosine": 2.0, "pair": 4.5, "words": 0.6, "speaker": 0.65, "own": 1.0}
TURN_WEIGHTS = {
    "cosine": 0.4,
    "pair": 2.4,
    "words": 0.46,
    "speaker": 0.57,
    "own": 2.0,
    "after": 0.18,
    "before2": 0.24,
    "after2": 0.11,
    "session": 0.38,
    "rank": 1.1,
}

# A question about nobody the memory knows needs more support than one about its owner; and a speaker's name stands in
# the question and before each of their turns, which makes all of those look alike.
AIM: dict[Aim, float] = {"owner": 2.8, "subject": 2.8, "nobody": 0.0, "speaker": -2.2}
# The log odds that a raw turn must have by itself where nobody asked for a wide answer.
SUPPORT = 0.0
# How much of a turn's own support and newness is in the order, how fast scores fall along it, how far behind a
# statement of the same log odds a raw turn stands, and the log odds that no raw turn exceeds.
OWN_SUPPORT, NEWNESS, STEEP, HALF, RAW, CAP = 0.3, 0.15, 0.7, 0.5, 1.0, 0.0
# Statements below these log odds do not start a walk.
SEED_FLOOR = -3.0
# The log odds that a note has at least whose name is asked for, more for each further word of it, and what one lacks
# whose name is not.
NAMED, LONGER, UNNAMED = 1.0, 0.3, 4.0
# How far before the best turn it rests on a statement may stand in a wide answer, between people.
BEFORE = 1.0
RECENCY, IMPORTANCE, OVER = 0.4, 0.4, 1.5


def first_turn_columns(signals: TurnSignals) -> dict[str, Array]:
    """The columns that are known before the traversal."""
    return {
        "cosine": signals.cosine,
        "pair": signals.pair_cosine,
        "words": signals.words,
        "speaker": signals.speaker,
        "own": signals.own,
    }


def turn_columns(signals: TurnSignals, steps: Steps, rank: Array) -> dict[str, Array]:
    """All columns of a turn."""
    return first_turn_columns(signals) | {
        "after": steps.after,
        "before2": steps.before2,
        "after2": steps.after2,
        "session": steps.session,
        "rank": log_rank(rank),
    }


def people_columns(
    signals: TurnSignals,
    steps: Steps,
    rank: Array,
    view: Array,
    columns: Columns,
    sizes: Array,
    *,
    when: bool,
    places: Sequence[int],
) -> dict[str, Array]:
    """What tells an answer between people, for the turns at these places.

    Args:
        signals: of all turns.
        steps: what their surroundings are worth.
        rank: of all turns.
        view: how much of the topics stands in and around each of the places.
        columns: of the corpus.
        sizes: how many stems each turn has.
        when: the question wants a time.
        places: which turns.
    """
    at = list(places)
    return {
        "pair": signals.pair_cosine[at],
        "words": related(signals.words)[at],
        "speaker": signals.speaker[at],
        "session": steps.session[at],
        "told": signals.told[at],
        "rank": log_rank(rank)[at],
        "view": view,
        "asking": columns.asking[at],
        "length": np.log1p(sizes[at]),
        "when": columns.dated[at] * when,
        "dated": columns.dated[at],
        "after": steps.after[at],
        "before2": steps.before2[at],
    }


def log_rank(rank: Array) -> Array:
    """A PageRank on a scale that starts at 0 for what the walk did not reach."""
    scaled: Array = np.log(rank + FLOOR) - np.log(FLOOR)
    return scaled


def weighted(columns: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    """The weighted sum of columns."""
    total: Array = sum((weights[name] * column for name, column in columns.items()), np.zeros(1))
    return total


def standard(values: Array) -> Array:
    """Mean 0, spread 1."""
    if not len(values):
        return values
    shifted: Array = (values - values.mean()) / (values.std() + 1e-9)
    return shifted


def statement_sum(signals: StatementSignals, place_in_order: Array) -> Array:
    """Log odds that a statement is of use.

    Args:
        signals: what it says.
        place_in_order: how far behind the best turn of the answer its best evidence stands, 0 or less.
    """
    return (
        6.1 * signals.cosine
        + 0.4 * signals.evidence_cosine
        + 3.2 * signals.covered
        + 1.0 * signals.asked
        + 1.4 * signals.subject
        + 0.53 * place_in_order
        - 5.6
    )


def titled(sums: Array, named: Array) -> Array:
    """The log odds of statements with those of titled notes moved: a name decides, not the words of the note."""
    found = np.maximum(sums, NAMED) + LONGER * (named - 1)
    moved: Array = np.where(named > 0, found, sums - UNNAMED * (named < 0))
    return moved


def turn_support(signals: TurnSignals, others: NDArray[np.bool_], *, aim: Aim) -> Array:
    """Log odds that a raw turn is of use, by what it says alone.

    A turn that no person said needs more, and so does one that tells about `others` than the question means.
    """
    told = 15.8 * signals.cosine + 4.0 * signals.covered - 2.7 * (1 - signals.own) - 4.0 * others
    return told + AIM[aim] - 8.6


def turn_total(columns: dict[str, Array], support: Array, newness: Array) -> Array:
    """What each turn is worth: the traversal decides, a turn's own support adds a little.

    Newness only tells apart what is otherwise alike: more of it made the newest turns win, not the best ones.
    """
    return weighted(columns, TURN_WEIGHTS) + OWN_SUPPORT * support + NEWNESS * newness


def turn_order(total: Array, allowed: NDArray[np.bool_]) -> Array:
    """How far behind the best turn each turn stands."""
    return total - total[allowed].max() if allowed.any() else total


def turn_log_odds(order: Array, support: Array, allowed: NDArray[np.bool_]) -> Array:
    """The order compares turns of one store only, so the level comes from the best support, which needs no comparison."""
    if not allowed.any():
        return np.full(len(order), -np.inf)
    level: Array = STEEP * order + min(HALF * (float(support[allowed].max()) - RAW), CAP)
    return level


def standing(statement: Statement, recency: float, *, past: bool) -> float:
    """What age, importance and status add to a statement's log odds.

    What no longer holds stands behind what does, unless it happened (an episode) or the question asks about the past.
    """
    over = OVER if is_over(statement) and not past else 0.0
    return RECENCY * (recency - 0.5) + IMPORTANCE * (statement.importance - 0.5) - over


def is_over(statement: Statement) -> bool:
    """Whether a statement no longer holds; what happened once is not over."""
    return statement.status in ("superseded", "past") and statement.kind != "episode"


def recency(statement: Statement, now: datetime) -> float:
    """Half after each half-life of the relation since it was last said; 1 for what does not age or is not yet."""
    half_life = relation(statement.predicate).half_life_days
    if half_life <= 0:
        return 1.0
    said = max([item.said_at for item in statement.evidence], default=statement.asserted_at)
    days = (now - said).total_seconds() / 86400
    return 1.0 if days <= 0 else float(0.5 ** (days / half_life))


def graph_part(rank: Array) -> Array:
    """The PageRank as a part in 0..1, the best at 1."""
    top = float(rank.max()) if len(rank) else 0.0
    return rank / top if top > 0 else rank


def unit(value: float) -> float:
    """Cut to 0..1."""
    return min(max(value, 0.0), 1.0)


def sigmoid(values: Array) -> Array:
    """The logistic function."""
    out: Array = 1 / (1 + np.exp(-values))
    return out
