"""A question asked by every name of whom it asks about, and an answer limited to one of them.

Invariant: what is found under two names is found once, with the better of its scores; nothing is found that none of the
questions finds alone.
"""

from __future__ import annotations

from collections.abc import Collection

from graphmem.model import Hit, Recall

MOST = 3  # questions asked besides the one that was asked


def merged(found: Recall, other: Recall, k: int) -> Recall:
    """Both answers as one, the best first."""
    best: dict[tuple[str, ...], Hit] = {}
    for hit in (*found.hits, *other.hits):
        place = _place(hit)
        if place not in best or hit.score > best[place].score:
            best[place] = hit
    hits = sorted(best.values(), key=lambda hit: -hit.score)[:k]
    pairs = {pair.id: pair for pair in (*found.contradictions, *other.contradictions)}
    return found.model_copy(
        update={
            "hits": tuple(hits),
            "contradictions": tuple(pairs.values()),
            "superseded_shown": sum("superseded" in hit.flags for hit in hits),
            "below_threshold": min(found.below_threshold, other.below_threshold),
            "seconds": found.seconds + other.seconds,
        }
    )


def only(found: Recall, k: int, statements: Collection[str], turns: Collection[tuple[str, str]]) -> Recall:
    """The part of an answer that is in these statements, or in these turns, given as (session, turn)."""
    hits = [
        hit
        for hit in found.hits
        if (hit.statement is not None and hit.statement.id in statements)
        or (hit.turn is not None and (hit.turn.session, hit.turn.id) in turns)
    ][:k]
    pairs = tuple(pair for pair in found.contradictions if {pair.a.id, pair.b.id} & set(statements))
    shown = sum("superseded" in hit.flags for hit in hits)
    return found.model_copy(update={"hits": tuple(hits), "contradictions": pairs, "superseded_shown": shown})


def _place(hit: Hit) -> tuple[str, ...]:
    if hit.statement is not None:
        return ("statement", hit.statement.id)
    return ("turn", hit.turn.session, hit.turn.id) if hit.turn is not None else ()
