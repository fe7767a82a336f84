"""A question for somebody's relative, led to what is told of that relative and away from everything else.

Invariant: a statement is moved up only where its own words, or the name that other statements give the relative, say that it
is about whom the question asks for; where nobody of that kin is known, nothing is left that looks like an answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from graphmem.model import Statement
from graphmem.recall.corpus import Corpus
from graphmem.recall.kin import FOUND, IDENTITY, Asked, Told, fitting, is_pet, narrower, rivals, told, words_for
from graphmem.recall.score import SUPPORT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmem.recall.signals import Array, StatementSignals

# What the log odds lose that are about somebody else, and what they gain for a subject and for a word that is a synonym.
OTHER, ABOUT, WORD = 8.0, 1.4, 1.6
# How far before other statements about the same relative one stands that says who it is, and one that gives the name.
FIRST = 0.3


class Meant:
    """What is told of the relative that a question asks for.

    Attributes:
        places: the statements about the relative.
        names: words of the relative's names.
        by: for each name the text of the statement that gives it.
    """

    def __init__(self, corpus: Corpus, asked: Asked, served: dict[int, Statement]) -> None:
        self.corpus = corpus
        self.asked = asked
        self.read = {place: _told(statement) for place, statement in served.items()}
        self.places: set[int] = set()
        self.names: frozenset[str] = frozenset()
        self.by: dict[str, str] = {}
        self.first: frozenset[str] = frozenset()
        for length in range(1, len(asked.chain) + 1):
            self._follow(asked.chain[:length], served)
            self.first = self.first or self.names

    def _follow(self, chain: tuple[str, ...], served: dict[int, Statement]) -> None:
        """Go on from those meant so far to the next relative of theirs."""
        before, holders = self.names, self.places
        if chain[-1].startswith("="):
            # A name begins the chain.
            self.names = frozenset({chain[-1][1:]})
            self.places = {place for place, one in self.read.items() if one.names & self.names}
            return
        if len(chain) == 1:
            own = {place for place, one in self.read.items() if self._fits(one, chain, before)}
        else:
            # "Nora has family: brother Felix": the first one is whom the statement is about.
            own = {
                place
                for place, one in self.read.items()
                if self._fits(one, chain, before)
                or (place in holders and served[place].subject != "user" and _has(one, chain[-1]))
            }
        own -= self._elsewhere(own, chain)
        names: set[str] = set()
        for place in sorted(own):
            for name in self._names(served[place], chain, before):
                names.add(name)
                self.by.setdefault(name, served[place].text)
        if len(chain) == 1:
            names |= self.asked.names
        # A name in a statement that says of whom else it is belongs to that one.
        self.names = frozenset(names)
        self.places = own | {
            place for place, one in self.read.items() if one.names & self.names and not self._of_another(one, chain, before)
        }

    def _elsewhere(self, own: set[int], chain: tuple[str, ...]) -> set[int]:
        """Those whose broader word ("partner") is for somebody who is named elsewhere by another one ("wife")."""
        wide = {place for place in own if not any(one[-1] in narrower(chain[-1]) for one in self.read[place].chains)}
        other = rivals(chain[-1])
        named = {
            name
            for place, one in self.read.items()
            if place not in own and any(len(each) == len(chain) and each[-1] in other for each in one.chains)
            for name in one.names
        }
        return {
            place
            for place in wide
            if any(each[-1] in other for each in self.read[place].chains)
            or (self.read[place].names and self.read[place].names <= named)
        }

    def _names(self, statement: Statement, chain: tuple[str, ...], first: Collection[str]) -> frozenset[str]:
        """What the relative is called, by a statement about them or about the family."""
        subject, thing = told((statement.subject,)), told((statement.object,))
        if self._fits(subject, chain, first):
            return subject.names | (thing.names if statement.predicate == "name" else frozenset())
        return thing.names if statement.predicate in IDENTITY else frozenset()

    def _fits(self, one: Told, chain: tuple[str, ...], first: Collection[str]) -> bool:
        return any(self._same(other, chain, first) for other in one.chains)

    def _same(self, other: tuple[str, ...], chain: tuple[str, ...], first: Collection[str]) -> bool:
        if len(other) == 2 and len(chain) == 2 and other[0].startswith("="):
            return other[0][1:] in first and other[1] in fitting(chain[1])
        return len(other) == len(chain) and all(one in fitting(two) for one, two in zip(other, chain, strict=True))

    def _of_another(self, one: Told, chain: tuple[str, ...], first: Collection[str]) -> bool:
        return bool(one.chains) and not self._fits(one, chain, first)

    def ways(self, served: dict[int, Statement]) -> dict[int, tuple[str, ...]]:
        """For each statement that tells of the relative by name, the statements that give the name."""
        steps = {place: [self.by[name] for name in sorted(self.read[place].names) if name in self.by] for place in self.places}
        return {
            place: tuple(f"by: {text}" for text in dict.fromkeys(texts) if text != served[place].text)
            for place, texts in steps.items()
        }

    def turns(self, support: Array) -> NDArray[np.bool_]:
        """The turns that tell of the relative, by a word or a name or by what was taken from them.

        Only of those that have support is it read whose relative the word is for.
        """
        corpus, chain = self.corpus, self.asked.chain
        last = _holding(corpus, words_for(self.asked.chain[-1])) | _holding(corpus, self.names)
        if len(self.asked.chain) > 1:
            first = self.asked.chain[0]
            named = {first[1:]} if first.startswith("=") else words_for(first) | self.first
            last &= _holding(corpus, named) | _holding(corpus, self.names)
        for place in np.flatnonzero(last & (support >= SUPPORT)).tolist() if len(chain) == 1 else ():
            one = told((corpus.turns[place].text,))
            last[place] = not self._of_another(one, chain, ()) or bool(one.names & self.names)
        for place in self.places:
            for key in corpus.evidence[corpus.statements[place].id]:
                if key in corpus.place:
                    last[corpus.place[key]] = True
        return last


def _told(statement: Statement) -> Told:
    """Whom a statement tells of, by its own words, or by its quotes where those name nobody."""
    # A coach by trade is not yet the owner's coach.
    trade = statement.predicate == "has_job"
    own = told((statement.subject, "" if trade else statement.object))
    if own.chains or trade:
        return own
    quoted = told(tuple(item.quote for item in statement.evidence))
    # Names are read off the statement alone: a quote has those of others as well.
    return Told(quoted.chains, own.names)


def _has(one: Told, family: str) -> bool:
    return any(other[-1] in fitting(family) for other in one.chains)


def _holding(corpus: Corpus, words: Collection[str]) -> NDArray[np.bool_]:
    """The turns that have one of these words, themselves or in the question that they answer."""
    out = np.zeros(len(corpus.turns), dtype=np.bool_)
    for stem in {stem for word in words for stem in corpus.words.stems(word)}:
        # What somebody else wrote tells of their relatives.
        out[[place for place in corpus.turn_index.holders(stem).tolist() if not _foreign(corpus, place, stem)]] = True
        out[[place for place in corpus.pair_index.holders(stem).tolist() if _answers(corpus, place)]] = True
    return out


def _answers(corpus: Corpus, place: int) -> bool:
    """Whether a turn follows a question that somebody put in own words."""
    before = corpus.preceding[place]
    return before >= 0 and corpus.asking[before] and before not in corpus.quoting


def _foreign(corpus: Corpus, place: int, stem: str) -> bool:
    return place in corpus.quoting and stem in corpus.quoting[place][0]


def led(
    corpus: Corpus, asked: Asked, served: dict[int, Statement], signals: StatementSignals, sums: Array, support: Array
) -> tuple[Array, NDArray[np.bool_], dict[int, tuple[str, ...]]]:
    """For a question about a relative: the log odds of statements, and the turns that tell of others.

    And the statements that are about the relative, each with the steps that led there.
    """
    meant = Meant(corpus, asked, served)
    out = sums - OTHER
    # Of animals the list is short: only what names another one is told of another one.
    if len(asked.chain) == 1 and is_pet(asked.chain[0]):
        fit = fitting(asked.chain[0])
        rival = {place for place, one in meant.read.items() if any(is_pet(c[-1]) and c[-1] not in fit for c in one.chains)}
        others = _holding(
            corpus, {word for place in rival for chain in meant.read[place].chains for word in words_for(chain[-1])}
        )
        free = [place for place in served if place not in rival]
        out[free] = sums[free]
        away = others & ~meant.turns(support)
    else:
        away = ~meant.turns(support)
    for place in meant.places:
        gain = ABOUT * max(1.0 - float(signals.subject[place]), 0.0) + (WORD if signals.covered[place] == 0 else 0.0)
        out[place] = sums[place] + gain * (signals.subject[place] < 0 or signals.covered[place] == 0)
        if asked.who and served[place].predicate in IDENTITY:
            first = 2 if served[place].predicate == "name" else 1
            out[place] = max(float(out[place]), FOUND) + FIRST * first
    return out, away, meant.ways(served)
