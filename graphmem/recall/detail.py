"""Details that one relation tells and another does not: a home is no answer to what somebody is allergic to.

Invariant: a relation outside of these groups is never held against a statement, nor is any where a question asks for one
outside of them, or where the statement has another word of the question than the name of whom it is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from graphmem.ontology import relation, relations
from graphmem.recall.bygone import PLACES, asks_where
from graphmem.recall.corpus import Corpus
from graphmem.recall.kin import words_for
from graphmem.recall.question import Question
from graphmem.recall.signals import StatementSignals, holding
from graphmem.recall.words import STOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array

# Relations of one group may answer for each other.
GROUPS = (
    frozenset({"lives_in", "born_in", "nationality", "studies_at"}),
    frozenset({"works_at", "has_job", "works_on", "work", "studies_at", "study", "skill"}),
    frozenset({"name", "alias_of", "has_family", "married_to"}),
    frozenset({"has_pet", "name"}),
    frozenset({"diet", "allergic_to", "health"}),
    frozenset({"born_on", "age", "born_in"}),
    frozenset({"blood_type"}),
    frozenset({"religion"}),
)
# Details of one person beside those.
_OF_ONE = frozenset({"speaks", "has_vehicle", "appearance", "favourite"})
_ITSELF = re.compile(r"\b(?:am|do|did|was|have|had|can) I\b", re.IGNORECASE)
_ANYONE = re.compile(r"\b(?:who\w*|know|any(?:one|body)|some(?:one|body)|every(?:one|body)|family|friends?)\b", re.IGNORECASE)
_THEM = re.compile(r"\b(?:is|are|was|were|does|do|did|has|have|can|will)\s+[A-Z]")
_NAMES = re.compile(r"(?<=[\w,] )[A-Z]\w+")
# A turn that tells something may name a detail and mean another.
_ASKS = re.compile(
    r"\?\W*$|^\W*(?:what|who|where|when|how|which|whose|am|is|are|was|were|do|does|did|has|have)\b", re.IGNORECASE
)
_WHETHER = re.compile(r"^\W*(?:am|is|are|was|were|do|does|did)\b", re.IGNORECASE)
_GROUPED = frozenset().union(*GROUPS)
# What the log odds of a statement lose that tells another detail, and gain that names a place where one is asked for.
UNASKED, PLACE = 4.0, 1.5
# What the one value of a relation gains that a question asks for by yes or no.
ONE_VALUED = 1.0
# What the log odds of a statement lose that is about another one than the person who is named.
OTHERS = 3.0


def other_detail(corpus: Corpus, question: Question) -> NDArray[np.bool_]:
    """The statements that tell another detail than the question asks for, and share no word with it but a name."""
    kin = _kin(corpus, question)
    # Of all relations: what nothing is known of is asked for just as well.
    asking = question.words - kin - question.subjects - STOP["english"]
    asked = frozenset(name for name in relations() if asking & corpus.question_stems(name))
    none: NDArray[np.bool_] = np.zeros(len(corpus.statements), dtype=np.bool_)
    who = question.kin is not None and question.kin.who
    if who or not _ASKS.search(question.bare) or not asked or not asked <= _GROUPED:
        return none
    near = frozenset().union(*(group for group in GROUPS if group & asked))
    other = [number for name, number in corpus.predicates.items() if name in _GROUPED - near]
    if not other:
        return none
    away: NDArray[np.bool_] = np.isin(corpus.columns.predicate, other)
    away &= holding(corpus.statement_index, _rest(corpus, question)) == 0
    return away


def other_subject(corpus: Corpus, question: Question, subject: Array) -> NDArray[np.bool_]:
    """The statements that are about somebody else than a question means, and do not mention that one.

    It means the owner by "do I" or "am I", or the one whom it names; of a name that nobody here bears nothing is known.
    """
    named, none = question.proper & question.subjects, np.zeros(len(corpus.statements), dtype=np.bool_)
    others: NDArray[np.bool_] = none
    if question.speakers:
        return none
    if question.owner:
        if not _ITSELF.search(question.bare) or _ANYONE.search(question.bare) or question.subjects:
            return none
        numbers = [corpus.predicates[name] for name in question.relations if name in _GROUPED | _OF_ONE]
        others = (subject < 0) & np.isin(corpus.columns.predicate, numbers)
    elif named:
        others = (subject < 0) & (holding(corpus.statement_index, named) == 0)
    elif question.proper and _THEM.search(question.bare) and not any(corpus.has(stem) for stem in question.proper):
        others = ~none
    return others


def told_otherwise(corpus: Corpus, question: Question, away: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The turns of which nothing but other details was taken, and which have no word of the question than a name.

    Where the question is where, one that writes more names than its statements have may still tell the place.
    """
    rests = corpus.columns.told
    out: NDArray[np.bool_] = np.zeros(len(corpus.turns), dtype=np.bool_)
    if not away.any():
        return out
    out[rests[away[rests[:, 0]], 1]] = True
    out[rests[~away[rests[:, 0]], 1]] = False
    out &= holding(corpus.turn_index, _rest(corpus, question)) == 0
    if asks_where(question.bare):
        for place in np.flatnonzero(out).tolist():
            turn = corpus.turns[place]
            told = frozenset().union(
                *(corpus.statement_stems[corpus.statement_place[one]] for one in corpus.rests_on.get(turn.key, ()))
            )
            names = frozenset(stem for name in _NAMES.findall(turn.text) for stem in corpus.words.stems(name))
            out[place] = names <= told
    return out


def _rest(corpus: Corpus, question: Question) -> frozenset[str]:
    """What a question is about beside whom it names."""
    return question.topics - question.subjects - question.proper - _kin(corpus, question)


def _kin(corpus: Corpus, question: Question) -> frozenset[str]:
    """Words that say whose relative is meant, and so ask for no relation."""
    if question.kin is None:
        return frozenset()
    families = [one for one in question.kin.chain if not one.startswith("=")]
    told = {word for family in families for word in words_for(family)}
    return frozenset(told | {stem for word in told for stem in corpus.words.stems(word)}) & question.words


def fitting_value(corpus: Corpus, question: Question, signals: StatementSignals) -> Array:
    """What statements of the asked relations gain by their value.

    A place where the question is where; and where it is whether something is so, the only value that there is: it says yes
    or no, whatever else the question names.
    """
    if asks_where(question.bare):
        gain, names = PLACE, {name for name in corpus.predicates if relation(name).value in PLACES}
    elif _WHETHER.search(question.bare):
        gain, names = ONE_VALUED, {name for name in corpus.predicates if relation(name).cardinality == "one"}
    else:
        return np.zeros(len(corpus.statements))
    numbers = [corpus.predicates[name] for name in names & _GROUPED]
    fits = np.isin(corpus.columns.predicate, numbers) & (signals.asked > 0) & (signals.subject >= 0)
    return np.where(fits, gain, 0.0)
