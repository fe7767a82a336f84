"""No source speaks alone: how much of an answer may come out of one session's tools, documents and pastes.

Invariant: nothing is left out.  Where others have an answer too, what one untrusted source has beyond its share stands behind
them, with the score of that place; so does a turn of such a source that holds so many different words that it is near to every
question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphmem.recall.answer import Candidate
from graphmem.recall.corpus import FOREIGN

if TYPE_CHECKING:
    from graphmem.recall.findings import Findings

SHARE = 0.4  # of the hits of an answer
STUFFED = 120  # different stems in a turn from which it is near to nearly everything
PASTED = 0.5  # of a user's turn from which it counts as what was pasted


def shared_out(candidates: Sequence[Candidate], found: Findings, k: int) -> list[Candidate]:
    """The candidates in the order of an answer, with the surplus of each untrusted source behind the others.

    A surplus gets the score of what it now stands behind, so that the order holds.
    """
    ranked = sorted(candidates, key=lambda item: (-item.score, item.statement is None, item.key))
    most = max(1, int(SHARE * k))
    counts: dict[str, int] = {}
    kept: list[Candidate] = []
    surplus: list[Candidate] = []
    for item in ranked:
        source = _source(item)
        if source is None:
            kept.append(item)
            continue
        counts[source] = counts.get(source, 0) + 1
        over = counts[source] > most or (item.place >= 0 and len(found.corpus.stems[item.place]) > STUFFED)
        (surplus if over else kept).append(item)
    if not kept or not surplus:
        return ranked
    last = min(item.score for item in kept)
    for number, item in enumerate(surplus, 1):
        item.score = min(item.score, last - 1e-9 * number)
    return [*kept, *surplus]


def _source(item: Candidate) -> str | None:
    """The session whose tools, documents or pastes a turn is of; None for what is a statement or somebody's own word."""
    turn = item.turn
    if turn is None:
        return None
    if turn.role in FOREIGN:
        return turn.session
    pasted = sum(span.end - span.start for span in turn.spans)
    return turn.session if turn.role == "user" and pasted > PASTED * len(turn.text) else None
