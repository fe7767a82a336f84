"""Candidates: everything that could answer a question, scored, with the way that led to it.

Invariant: a statement that may not be served (withdrawn, suggested, not known or not holding at the moment asked about)
is removed before the walk through the graph, so it cannot lift anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.base import Near
from graphmem.model import Statement
from graphmem.recall import score
from graphmem.recall.answer import Moment
from graphmem.recall.answered import features, log_odds
from graphmem.recall.bygone import FOUND, NEAR, STEP, THEN, Timed, led_by_time, said_then
from graphmem.recall.corpus import SUMMARY, Corpus
from graphmem.recall.detail import OTHERS, UNASKED, fitting_value, other_detail, other_subject, told_otherwise
from graphmem.recall.findings import Findings
from graphmem.recall.latest import latest_first
from graphmem.recall.question import Question
from graphmem.recall.signals import (
    TurnSignals,
    about_others,
    best_evidence,
    best_first,
    filed_away,
    of_statements,
    of_turns,
)
from graphmem.recall.spread import (
    LOCAL_STATEMENTS,
    LOCAL_TURNS,
    SEEDS,
    Steps,
    in_view,
    local_graph,
    page_rank,
    statement_edges,
    surroundings,
)
from graphmem.recall.usage import lift
from graphmem.recall.whose import led

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array
    from graphmem.recall.weights import Weights

# Below every turn that may be served.
NOTHING = -9.0
# Before the walk a statement is judged as if its evidence stood this far behind the best turn.
MIDDLE = -2.0
# The log odds of what somebody else wrote where the owner said nothing: a little over the threshold.
UNSURE = -0.6
# Statements are read from the graph so many at a time.
BATCH = 100


def find(
    corpus: Corpus,
    question: Question,
    moment: Moment,
    near: Sequence[Near],
    *,
    wanted: frozenset[str] | None,
    limit: int,
    fitted: Weights,
    calibrated: bool,
) -> Findings:
    """Score everything that may answer the question.

    Args:
        corpus: what there is.
        question: what is asked.
        moment: the clocks.
        near: the nearest turns, pairs and statements by vector.
        wanted: the kinds of statement asked for, or None for all and for turns.
        limit: how many statements to look at, at least.
        fitted: the weights for the embedder that made the vectors.
        calibrated: move all scores alike, so that the best one says how likely it is that there is an answer.
    """
    allowed = _allowed(corpus, moment)
    turns = of_turns(corpus, question, near, allowed)
    statements = of_statements(corpus, question, near, turns)
    base = score.standard(score.weighted(score.first_turn_columns(turns), score.SEED_WEIGHTS))
    base = np.where(allowed, base, NOTHING)
    first = score.titled(score.statement_sum(statements, np.full(len(corpus.statements), MIDDLE)), statements.named)
    local_turns = [place for place in best_first(base, LOCAL_TURNS).tolist() if allowed[place]]
    served = _served(corpus, moment, first, local_turns, wanted=wanted, limit=limit)
    local_statements = list(served)[:LOCAL_STATEMENTS]
    edges, shared = statement_edges(corpus, local_statements, moment.nodes)
    rank = page_rank(
        local_graph(corpus, local_turns, local_statements, edges),
        _seeds(base, first, local_turns, local_statements),
    )
    turn_rank, statement_rank = np.zeros(len(base)), np.zeros(len(first))
    turn_rank[local_turns] = rank[: len(local_turns)]
    statement_rank[local_statements] = rank[len(local_turns) :]
    steps = surroundings(corpus, base)
    others, strangers = about_others(corpus, statements), other_subject(corpus, question, statements.subject)
    nobody = bool(len(strangers)) and bool(strangers.all())
    support = score.turn_support(turns, others, aim=question.aim)
    support -= OTHERS * (others | nobody) * bool(strangers.any())
    elsewhere = other_detail(corpus, question)
    support = np.where(filed_away(corpus, statements) | told_otherwise(corpus, question, elsewhere), NOTHING, support)
    total = score.turn_total(score.turn_columns(turns, steps, turn_rank), support, corpus.columns.newness)
    total = _between_people(corpus, question, turns, steps, turn_rank, total, local_turns, fitted)
    then = said_then(corpus, question, moment.at)
    if then is not None:
        total = total + THEN * then
    order = score.turn_order(total, allowed)
    last = float(order.min()) if len(order) else 0.0
    sums = score.titled(score.statement_sum(statements, best_evidence(corpus, order, last)), statements.named)
    sums = _lifted(corpus, served, sums)
    sums = sums + fitting_value(corpus, question, statements) - UNASKED * elsewhere
    sums -= OTHERS * strangers
    recency = {place: score.recency(statement, moment.at) for place, statement in served.items()}
    for place, statement in served.items():
        sums[place] += score.standing(statement, recency[place], past=question.past) + lift(moment.usage(statement.id))
    fit = frozenset(place for place in served if statements.subject[place] >= 0)
    ways: dict[int, tuple[str, ...]] = {}
    if question.kin is not None:
        sums, away, ways = led(corpus, question.kin, served, statements, sums, support)
        fit = frozenset(ways)
        support = np.where(away, NOTHING, support)
    timed = Timed() if moment.strict else led_by_time(corpus, question, moment.at, served, fit)
    leading = timed.leading
    sums[list(timed.near)] += NEAR
    sums[list(timed.later)] -= NEAR
    if not question.past:
        over = _over(corpus, served)
        total[over] -= score.OVER
        order = score.turn_order(total, allowed)
    order = latest_first(corpus, question, turns, order)
    odds = score.turn_log_odds(order, support, allowed)
    for place in reversed(leading):
        best = max(float(sums[list(served)].max()), float(odds.max(initial=-np.inf)), FOUND)
        sums[place] = best + STEP
    if question.owner and turns.quoted:
        odds = _quoted_last(odds, sums, support, turns, served)
    if calibrated:
        sums = _beside_turns(corpus, sums, odds)
        best = float(sums[list(served)].max(initial=-np.inf))
        shift = log_odds(features(corpus, question, turns, support, order, best), fitted.answered) - max(
            best, float(odds.max(initial=-np.inf))
        )
        odds, sums = odds + shift, sums + shift
    return Findings(
        corpus=corpus,
        question=question,
        moment=moment,
        served=served,
        shared=shared,
        turns=turns,
        statements=statements,
        base=base,
        support=support,
        turn_scores=score.sigmoid(odds),
        statement_scores=score.sigmoid(sums),
        recency=recency,
        ways=ways,
        leading=frozenset(corpus.statements[place].id for place in leading),
        turn_graph=score.graph_part(turn_rank),
        statement_graph=score.graph_part(statement_rank),
    )


def _between_people(
    corpus: Corpus,
    question: Question,
    turns: TurnSignals,
    steps: Steps,
    rank: Array,
    total: Array,
    local: Sequence[int],
    fitted: Weights,
) -> Array:
    """The sum anew for those of the best turns that several people said among themselves.

    Their other turns keep their order and move behind these: what the walk did not reach is not compared any further.
    """
    columns = corpus.columns
    places = [place for place in local if columns.among[place]]
    if not places:
        return total
    view = in_view(corpus, question.topics, places)
    found = score.people_columns(
        turns, steps, rank, view, columns, corpus.turn_index.lengths, when=question.when, places=places
    )
    out = total.copy()
    out[places] = score.weighted(found, fitted.people)
    others = columns.among.copy()
    others[places] = False
    if others.any():
        out[others] += out[places].min() - total[others].max()
    return out


def _allowed(corpus: Corpus, moment: Moment) -> NDArray[np.bool_]:
    """Turns that were known, and where another time is asked about, that had been said by then."""
    columns = corpus.columns
    allowed: NDArray[np.bool_] = columns.known <= moment.known_at.timestamp()
    if moment.strict:
        allowed &= columns.said <= moment.at.timestamp()
    return allowed


def _served(
    corpus: Corpus,
    moment: Moment,
    first: Array,
    turns: Sequence[int],
    *,
    wanted: frozenset[str] | None,
    limit: int,
) -> dict[int, Statement]:
    """The statements that may be served, by place, the best first: `limit` of them and those that the best turns bear."""
    columns = corpus.columns
    asked = columns.recorded <= moment.known_at.timestamp()
    if wanted is None:
        asked &= ~columns.summary
    else:
        asked &= np.isin(columns.kind, [*wanted, SUMMARY] if "episode" in wanted else list(wanted))
    known = np.flatnonzero(asked)
    # Most stores are small; in a large one what was withdrawn or suggested must not use up the room.
    found: dict[int, Statement] = {}
    seen, room = 0, limit
    while seen < len(known) and len(found) < limit:
        ranked = known[best_first(first[known], room)].tolist()
        for start in range(seen, len(ranked), BATCH):
            if len(found) < limit:
                _take(found, corpus, moment, ranked[start : start + BATCH])
        seen, room = len(ranked), 4 * room
    bearers = (corpus.rests_on.get(corpus.turns[turn].key, ()) for turn in turns[:SEEDS])
    borne = {corpus.statement_place[one] for rests in bearers for one in rests if one in corpus.statement_place}
    _take(found, corpus, moment, [place for place in sorted(borne - found.keys()) if asked[place]])
    return dict(sorted(found.items(), key=lambda item: (-first[item[0]], item[0])))


def _beside_turns(corpus: Corpus, sums: Array, odds: Array) -> Array:
    """A statement of what people said among themselves stands little before the best turn that it rests on.

    Its text was made of that turn, and the order of such turns knows more of the conversation.
    """
    rests = corpus.columns.rests
    among = np.zeros(len(sums), dtype=np.bool_)
    among[rests[corpus.columns.among[rests[:, 1]], 0]] = True
    return np.where(among, np.minimum(sums, best_evidence(corpus, odds, 0.0) + score.BEFORE), sums)


def _quoted_last(odds: Array, sums: Array, support: Array, turns: TurnSignals, served: dict[int, Statement]) -> Array:
    """What somebody else wrote behind the best of what the owner said about the owner, where that says anything at all."""
    quoted = list(turns.quoted)
    own = turns.allowed & (support >= score.SUPPORT)
    own[quoted] = False
    best = max(float(sums[list(served)].max(initial=-np.inf)), float(odds[own].max(initial=-np.inf)))
    out = odds.copy()
    out[quoted] = np.minimum(odds[quoted], best - STEP if best > UNSURE else UNSURE)
    return out


def _lifted(corpus: Corpus, served: dict[int, Statement], sums: Array) -> Array:
    """What took the place of a statement answers whatever that one answered."""
    lifted = sums.copy()
    for place, statement in served.items():
        for old in statement.supersedes:
            before = corpus.statement_place.get(old)
            if before in served and served[before].status == "superseded":
                lifted[place] = max(lifted[place], sums[before])
    return lifted


def _over(corpus: Corpus, served: dict[int, Statement]) -> list[int]:
    """Turns of which all that may still be served no longer holds."""
    standing: dict[int, bool] = {}
    for statement in served.values():
        for key in corpus.evidence[statement.id]:
            if key in corpus.place:
                turn = corpus.place[key]
                standing[turn] = standing.get(turn, False) or not score.is_over(statement)
    return [turn for turn, stands in standing.items() if not stands]


def _take(found: dict[int, Statement], corpus: Corpus, moment: Moment, places: Sequence[int]) -> None:
    moment.load(corpus.statements[place].id for place in places)
    for place in places:
        statement = moment.served(corpus.statements[place].id)
        if statement is not None:
            found[place] = statement


def _seeds(base: Array, first: Array, turns: Sequence[int], statements: Sequence[int]) -> Array:
    """Where the walk starts: the best turns and statements by first signals."""
    seed = np.zeros(len(turns) + len(statements))
    best = list(turns[:SEEDS])
    seed[: len(best)] = np.maximum(base[best], 0.0)
    seed[len(turns) :] = np.maximum(first[list(statements)] - score.SEED_FLOOR, 0.0)
    total = float(seed.sum())
    return seed / total if total > 0 else seed
