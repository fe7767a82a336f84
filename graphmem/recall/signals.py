"""First signals: how near each turn and each statement is to the question by vector and by words.

Invariant: every array is as long as the corpus has turns (or statements) and in its order.  Cosines are used as they
are; word scores are put in relation to the corpus, because one rare word means more in a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.base import Near
from graphmem.recall.corpus import Corpus
from graphmem.recall.question import Question
from graphmem.recall.titles import LONG, named
from graphmem.recall.words import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# Keeps the relation meaningful where there are only a handful of texts and all of them score alike.
SPREAD_FLOOR = 0.02
# How far a turn counts as said by the owner whose quoted part fits a question about the owner.
QUOTING = 0.5
# What a word of the question is worth that stands in a statement's quote alone.
QUOTED = 0.7


@dataclass(slots=True)
class TurnSignals:
    """Per turn.

    Attributes:
        cosine: of the turn and the question.
        pair_cosine: of the turn with what before it helps to understand it; the same as `cosine` where nothing does.
        share: of the question's word weight that the turn covers.
        words: the same for the pair, in relation to the corpus.
        covered: of the question's topics, how many the turn has.
        speaker: 1 where the turn is by the one speaker that the question names.
        own: 1 where a person said it, 0 for an assistant, a tool or a document.
        told: of the best attainable word score of a session that of the turn's session, the best session at 1.
        quoted: turns in which somebody else's words, quoted or pasted, are what fits the question.
        allowed: known, and said, at the moment asked about.
    """

    cosine: Array
    pair_cosine: Array
    share: Array
    words: Array
    covered: Array
    speaker: Array
    own: Array
    told: Array
    allowed: NDArray[np.bool_]
    quoted: frozenset[int] = frozenset()


@dataclass(slots=True)
class StatementSignals:
    """Per statement.

    Attributes:
        cosine: of the statement's text and the question.
        evidence_cosine: the best of the turns that it rests on.
        share: of the question's word weight that text and quotes cover.
        covered: of the question's words, how many are in the text or ask for the statement's relation; those that are
            only in a quote count half.
        asked: how well its relation is asked for.
        subject: 1 where it is about whom the question names, -1 where it is about somebody else.
        named: for a note with a title how many words of a name the question has, -1 for none; 0 for all others.
    """

    cosine: Array
    evidence_cosine: Array
    share: Array
    covered: Array
    asked: Array
    subject: Array
    named: Array


def spread(scores: Array) -> Array:
    """Scores in units of their own spread over the corpus."""
    if not len(scores):
        return scores
    related: Array = (scores - scores.mean()) / (scores.std() + SPREAD_FLOOR)
    return related


def best_first(values: Array, count: int) -> NDArray[np.int64]:
    """The places of the `count` greatest values, the greatest first, of equal ones the first; cheaper than to sort all."""
    if not 0 < count < len(values):
        return np.argsort(-values, kind="stable")[: max(count, 0)]
    least = np.partition(values, len(values) - count)[len(values) - count]
    kept = np.flatnonzero(values >= least)
    return kept[np.argsort(-values[kept], kind="stable")][:count]


def related(scores: Array) -> Array:
    """Scores from 0 for the least to 1 for the best."""
    least, most = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    return (scores - least) / (most - least) if most > least else np.zeros(len(scores))


def filled(near: Iterable[Near], places: dict[str, int], kind: str) -> Array:
    """Cosines by place; whoever was not among the nearest gets the least of those that were."""
    found = {places[owner]: value for owner, one, value in near if one == kind and owner in places}
    out = np.full(len(places), min(found.values(), default=0.0))
    out[list(found)] = list(found.values())
    return out


def holding(index: Index, stems: Iterable[str]) -> Array:
    """For each document how many of these different stems it has."""
    out = np.zeros(len(index))
    for stem in set(stems):
        out[index.holders(stem)] += 1
    return out


def of_turns(corpus: Corpus, question: Question, near: Sequence[Near], allowed: NDArray[np.bool_]) -> TurnSignals:
    """The signals of all turns."""
    columns = corpus.columns
    # A question that names both speakers, or none, says nothing about who is meant.
    meant = {corpus.speakers[name] for name in question.speakers} if len(question.speakers) == 1 else {-2}
    cosine = filled(near, corpus.place, "turn")
    quoted = _quoted(corpus, question)
    own = columns.own
    if quoted and question.owner:
        own = own.copy()
        own[list(quoted)] *= QUOTING
    sessions = corpus.turn_index.grouped(question.stems, columns.session, int(columns.session.max(initial=-1)) + 1)
    return TurnSignals(
        cosine=cosine,
        pair_cosine=np.where(columns.alone, cosine, filled(near, corpus.place, "pair")),
        share=corpus.turn_index.scores(question.stems),
        words=spread(corpus.pair_index.scores(question.stems)),
        covered=holding(corpus.turn_index, question.topics) / max(len(question.topics), 1),
        speaker=(columns.speaker == meant.pop()).astype(np.float64),
        own=own,
        told=related(sessions)[columns.session],
        allowed=allowed,
        quoted=quoted,
    )


def _quoted(corpus: Corpus, question: Question) -> frozenset[int]:
    """Turns whose quoted parts have as many topics of the question as the speaker's own words, or all there is of them."""
    return frozenset(
        place
        for place, (foreign, said, mostly) in corpus.quoting.items()
        if len(question.topics & foreign) >= len(question.topics & said) and (mostly or question.topics & foreign)
    )


def of_statements(corpus: Corpus, question: Question, near: Sequence[Near], turns: TurnSignals) -> StatementSignals:
    """The signals of all statements."""
    columns, asked = corpus.columns, frozenset(question.stems)
    evidence = best_evidence(corpus, turns.cosine, 0.0)
    # Words that ask for the relation count as the statement's own.
    told = holding(corpus.claim_index, asked)
    for name, number in corpus.predicates.items():
        for stem in question.words & corpus.question_stems(name):
            lacking = columns.predicate == number
            lacking[corpus.claim_index.holders(stem)] = False
            told[lacking] += 1
    # Words that only the quote has may be about something else in the same sentence.
    quoted = holding(corpus.statement_index, asked) - told
    covered = told + QUOTED * np.maximum(quoted, 0.0)
    relations = np.array([question.relations.get(name, 0.0) for name in corpus.predicates])
    subjects = np.array([_subject(stems, question) for stems in corpus.subjects])
    empty = np.zeros(0)
    return StatementSignals(
        cosine=filled(near, corpus.statement_place, "statement"),
        evidence_cosine=evidence,
        share=corpus.statement_index.scores(question.stems),
        covered=np.minimum(covered / max(len(asked), 1), 1.0),
        asked=relations[columns.predicate] if len(relations) else empty,
        subject=subjects[columns.subject] if len(subjects) else empty,
        named=_named(corpus, question),
    )


def _named(corpus: Corpus, question: Question) -> Array:
    out = np.zeros(len(corpus.statements))
    asked = frozenset(question.stems)
    known = frozenset(stem for titles in corpus.titles.values() for name in titles for stem in name)
    unknown = {stem for stem in asked - known if len(stem) >= LONG or not corpus.has(stem)}
    for place, titles in corpus.titles.items():
        open_item = corpus.statements[place].kind == "open_item" and "task" not in question.relations
        out[place] = -1.0 if open_item else named(titles, asked, unknown) or -1.0
    return out


def best_evidence(corpus: Corpus, values: Array, default: float) -> Array:
    """For each statement the best value among the turns it rests on."""
    out = np.full(len(corpus.statements), -np.inf)
    rests = corpus.columns.rests
    np.maximum.at(out, rests[:, 0], values[rests[:, 1]])
    return np.where(np.isfinite(out), out, default)


def about_others(corpus: Corpus, statements: StatementSignals) -> NDArray[np.bool_]:
    """Turns that tell what is asked, or all that was taken from them, about somebody whom the question does not mean."""
    rests = corpus.columns.told
    every, asked = np.full(len(corpus.turns), -np.inf), np.full(len(corpus.turns), -np.inf)
    np.maximum.at(every, rests[:, 1], statements.subject[rests[:, 0]])
    fitting = rests[statements.asked[rests[:, 0]] > 0]
    np.maximum.at(asked, fitting[:, 1], statements.subject[fitting[:, 0]])
    others: NDArray[np.bool_] = np.where(np.isfinite(asked), asked, every) == -1.0
    return others


def filed_away(corpus: Corpus, statements: StatementSignals) -> NDArray[np.bool_]:
    """Turns that hold a note filed under names which the question does not have."""
    rests = corpus.columns.rests
    filed = np.full(len(corpus.turns), -np.inf)
    np.maximum.at(filed, rests[:, 1], statements.named[rests[:, 0]])
    away: NDArray[np.bool_] = filed == -1.0
    return away


def _subject(stems: frozenset[str], question: Question) -> float:
    """How well a statement about this subject fits whom the question is about; no stems mean the owner.

    A speaker is at home in the store, as the owner is: naming one tells little, naming another tells against.
    """
    if question.subjects:
        shared = len(stems & question.subjects)
        if shared:
            return 0.0 if question.speakers else shared / len(question.subjects)
        return -1.0
    return -1.0 if question.owner and stems else 0.0
