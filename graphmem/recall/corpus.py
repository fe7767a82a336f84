"""What can be found by its words: the turns and statements of a graph, indexed in memory.

Invariant: the corpus holds only what never changes (texts, places, evidence); what became of a statement is read from
the graph at the time of the question.  Turns of role `memory` are never in it: the memory does not quote itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from graphmem.graph.base import Graph
from graphmem.ontology import relation
from graphmem.records import Delta, EvidenceRecord, SessionRecord, StatementRecord, TurnRecord
from graphmem.recall.words import Index, Words


class Corpus:
    """Word indexes over turns, over turns with the one before, and over statements with their quotes."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.seq = -1
        self._clear()

    def _clear(self) -> None:
        self.turns: list[TurnRecord] = []
        self.place: dict[str, int] = {}
        self.stems: list[frozenset[str]] = []
        self.turn_index = Index()
        self.pair_index = Index()
        # Within a session the place of the turn before and after, -1 at its ends.
        self.preceding: list[int] = []
        self.following: list[int] = []
        self.sessions: dict[str, list[int]] = defaultdict(list)
        self.known: dict[str, datetime] = {}
        self.statements: list[StatementRecord] = []
        self.statement_place: dict[str, int] = {}
        self.statement_stems: list[frozenset[str]] = []
        self.subject_stems: list[frozenset[str]] = []
        self.statement_index = Index()
        self.evidence: dict[str, list[str]] = defaultdict(list)
        self.rests_on: dict[str, list[str]] = defaultdict(list)
        self.speakers: set[str] = set()
        self.subject_words: set[str] = set()
        self.predicates: set[str] = set()
        self._asking: dict[str, frozenset[str]] = {}
        self._previous: dict[str, TurnRecord] = {}

    def refresh(self, graph: Graph) -> None:
        """Read everything again if the graph has moved without us."""
        seq = graph.applied_seq()
        if seq == self.seq:
            return
        self._clear()
        self._take_sessions(graph.sessions())
        self._take_turns(graph.turns())
        nodes = graph.nodes()
        self._take_statements(
            [node.record for node in nodes], [item for node in nodes for item in node.evidence]
        )
        self.seq = seq

    def add(self, delta: Delta, *, before: int) -> None:
        """Take in what was just applied to a graph that stood at `before`.

        Where that is not where we stand, nothing is taken in and the next `refresh` reads everything.
        """
        if before != self.seq or delta.seq <= self.seq:
            return
        self._take_sessions(delta.sessions)
        self._take_turns(delta.turns)
        self._take_statements(delta.statements, delta.evidence)
        self.seq = delta.seq

    def _take_sessions(self, sessions: Iterable[SessionRecord]) -> None:
        for session in sessions:
            self.known.setdefault(session.id, session.recorded_at)

    def _take_turns(self, turns: Iterable[TurnRecord]) -> None:
        for turn in sorted(turns, key=lambda turn: (turn.session, turn.position)):
            if turn.key in self._previous:
                continue
            self._previous[turn.key] = turn
            if turn.role == "memory":
                continue
            place = len(self.turns)
            self.place[turn.key] = place
            self.turns.append(turn)
            earlier_places = self.sessions[turn.session]
            self.preceding.append(earlier_places[-1] if earlier_places else -1)
            self.following.append(-1)
            if earlier_places:
                self.following[earlier_places[-1]] = place
            earlier_places.append(place)
            if turn.speaker:
                self.speakers.add(turn.speaker)
            own = self.words.stems(turn.text)
            speaker = self.words.stems(turn.speaker or "")
            before = self._previous.get(turn.previous or "")
            earlier = self.words.stems(before.text) if before is not None and before.role != "memory" else []
            self.stems.append(frozenset(own))
            self.turn_index.add(turn.key, speaker + own)
            self.pair_index.add(turn.key, earlier + speaker + own)

    def _take_statements(
        self, statements: Iterable[StatementRecord], evidence: Iterable[EvidenceRecord]
    ) -> None:
        quotes: dict[str, list[str]] = defaultdict(list)
        for item in evidence:
            if item.turn_key not in self.evidence[item.statement]:
                self.evidence[item.statement].append(item.turn_key)
                self.rests_on[item.turn_key].append(item.statement)
            quotes[item.statement].append(item.quote)
        for record in statements:
            if record.id in self.statement_place:
                continue
            self.statement_place[record.id] = len(self.statements)
            self.statements.append(record)
            text = self.words.stems(f"{record.text} {record.context or ''} {' '.join(quotes[record.id])}")
            self.statement_stems.append(frozenset(text))
            subject = frozenset(() if record.subject == "user" else self.words.stems(record.subject))
            self.subject_stems.append(subject)
            self.subject_words |= subject
            self.predicates.add(record.predicate)
            self.statement_index.add(record.id, text)

    def question_stems(self, predicate: str) -> frozenset[str]:
        """Stems of the words that ask for a relation."""
        if predicate not in self._asking:
            words = relation(predicate).questions
            self._asking[predicate] = frozenset(stem for word in words for stem in self.words.stems(word))
        return self._asking[predicate]

    def asks_for(self, stems: Iterable[str]) -> dict[str, float]:
        """Relations that these words of a question ask for, the best at 1."""
        asked = set(stems)
        counts = {name: len(asked & self.question_stems(name)) for name in self.predicates}
        best = max(counts.values(), default=0)
        return {name: count / best for name, count in counts.items() if count}
