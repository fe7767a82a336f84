"""The sentences that proposals are about, as they were judged, and the place of a quote in them.

Invariant: a turn is parsed once, by the same steps as the rule extractor takes: regions, sentences, clauses, verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphmem.extractors.bearing import Borne
from graphmem.extractors.clauses import Clause, clauses
from graphmem.extractors.english import Sentence, read_many
from graphmem.extractors.factuality import Verdict, fiction_from, judge
from graphmem.extractors.regions import Regions, regions
from graphmem.extractors.scenes import Scene
from graphmem.model import Session, Turn


class Refused(Exception):
    """Carries the reason out of the checks of one place."""


@dataclass(slots=True)
class Passage:
    """A sentence as it was judged: its clauses, their verdicts and whom each is about (None: nobody that can be named)."""

    sentence: Sentence
    clauses: list[Clause]
    verdicts: list[Verdict]
    subjects: list[str | None]


@dataclass(slots=True)
class TurnRead:
    """A turn with its judged sentences, what is not the speaker's own in it, and where invention begins."""

    turn: Turn
    offset_minutes: int
    regions: Regions
    passages: list[Passage]
    invented: int | None


@dataclass(slots=True)
class Bearing:
    """The place of a quote in a turn, the object in it, and the clauses that hold the object."""

    start: int
    end: int
    object: Borne
    passages: list[Passage]
    found: list[tuple[Passage, int]] = field(default_factory=list)

    @property
    def clauses(self) -> list[Clause]:
        """The clauses that hold the object."""
        return [passage.clauses[number] for passage, number in self.found]


def read_turns(session: Session, turns: Sequence[Turn]) -> dict[str, TurnRead]:
    """The turns as they were judged, by their ids."""
    split = [regions(turn) for turn in turns]
    areas = [
        sorted(found.own + [(a, min(b, len(t.text))) for a, b, why in found.refused if why == "quoted"])
        for t, found in zip(turns, split, strict=True)
    ]
    parsed = read_many([(t.text, area, found.foreign) for t, area, found in zip(turns, areas, split, strict=True)])
    result = {}
    for turn, found, sentences in zip(turns, split, parsed, strict=True):
        scene, passages = Scene(), []
        for number, sentence in enumerate(sentences):
            cut = clauses(sentence)
            subjects = []
            for clause in cut:
                subjects.append(scene.subject(clause, number))
                scene.note(clause, number)
            passages.append(Passage(sentence, cut, judge(cut, sentence), subjects))
        offset = session.turn_offsets.get(turn.id, session.offset_minutes)
        result[turn.id] = TurnRead(turn, offset, found, passages, fiction_from(turn.text))
    return result
