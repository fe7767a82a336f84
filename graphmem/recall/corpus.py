"""What can be found by its words: the turns and statements of a graph, indexed in memory.

Invariant: the corpus holds only what never changes (texts, places, evidence, mentions); what became of a statement is
read from the graph, and kept only as long as the graph stands still.  Turns of role `memory` are never in it: the memory
does not quote itself.  Nor are the summaries of themes, whose sources are, so that answers are the same with and without them;
nor turns of tools and documents that tell their reader what to remember or to ignore.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from graphmem.graph.base import Graph, Node
from graphmem.instructions import speaks_to_memory
from graphmem.model import Statement
from graphmem.ontology import relation, relations
from graphmem.recall.telling import asks, names_time
from graphmem.recall.texts import context_text
from graphmem.recall.titles import NOTED, names
from graphmem.recall.words import Index, Words
from graphmem.records import (
    SESSION,
    Delta,
    EntityRecord,
    EvidenceRecord,
    MentionRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    is_theme,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OWNER = "user"
# The kind under which a session's own record is filed here: it is found only by those who ask for episodes.
SUMMARY = "summary"
FOREIGN = frozenset({"tool", "document", "system"})


@dataclass(frozen=True, slots=True)
class Columns:
    """The corpus as arrays, by place.

    `newness` is 0 for the oldest turn and 1 for the newest; `rests` pairs statement places with turn places; `kind` is
    `SUMMARY` for the record of a session, which `summary` marks; `told` are the pairs without those.  `alone` marks turns that
    nothing before them helps to understand.  `among` marks turns of a session in which several people speak, `asking` those
    that end in a question, `dated` those that name a time.
    """

    said: NDArray[np.float64]
    newness: NDArray[np.float64]
    known: NDArray[np.float64]
    own: NDArray[np.float64]
    alone: NDArray[np.bool_]
    among: NDArray[np.bool_]
    asking: NDArray[np.float64]
    dated: NDArray[np.float64]
    speaker: NDArray[np.int64]
    session: NDArray[np.int64]
    preceding: NDArray[np.int64]
    following: NDArray[np.int64]
    recorded: NDArray[np.float64]
    kind: NDArray[np.str_]
    predicate: NDArray[np.int64]
    subject: NDArray[np.int64]
    rests: NDArray[np.int64]
    summary: NDArray[np.bool_]
    told: NDArray[np.int64]


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
        # Of turns that quote somebody: stems that only the quoted parts have, those of the own words, and whether more than
        # half is quoted.
        self.quoting: dict[int, tuple[frozenset[str], frozenset[str], bool]] = {}
        self.asking: list[bool] = []
        self.dated: list[bool] = []
        # Whether nothing before a turn helps to understand it: such a turn has one vector only.
        self.alone: list[bool] = []
        self.turn_index, self.pair_index = Index(), Index()
        self.statement_index, self.claim_index = Index(), Index()
        # Within a session the place of the turn before and after, -1 at its ends.
        self.preceding: list[int] = []
        self.following: list[int] = []
        self.statements: list[StatementRecord] = []
        self.statement_place: dict[str, int] = {}
        self.statement_stems: list[frozenset[str]] = []
        # Turn keys by statement; and by turn key the statements that rest on it, without the records of sessions.
        self.evidence: dict[str, list[str]] = defaultdict(list)
        self.rests_on: dict[str, list[str]] = defaultdict(list)
        # Entity ids by statement, statement ids by entity, names by entity.
        self.mentions: dict[str, list[str]] = defaultdict(list)
        self.mentioned_by: dict[str, list[str]] = defaultdict(list)
        self.names: dict[str, str] = {}
        # Numbered in order of appearance.
        self.speakers: dict[str, int] = {}
        self.predicates: dict[str, int] = {}
        self.subjects: dict[frozenset[str], int] = {}
        # The names of notes that have a title, by place.
        self.titles: dict[int, tuple[frozenset[str], ...]] = {}
        # What tells the owner's own name, whatever became of it.
        self.owner_names: list[StatementRecord] = []
        self.nodes: dict[str, Node] = {}
        self.settled: dict[str, tuple[datetime, Statement | None]] = {}
        self._sessions: dict[str, SessionRecord] = {}
        self._summaries: set[str] = set()
        self._themes: set[str] = set()
        self._last: dict[str, int] = {}
        self._seen: dict[str, TurnRecord] = {}
        self._columns: Columns | None = None
        self._asking: dict[str, frozenset[str]] = {}

    def refresh(self, graph: Graph) -> None:
        """Read everything again if the graph has moved without us."""
        seq = graph.applied_seq()
        if seq == self.seq:
            return
        self._clear()
        nodes = graph.nodes()
        self._take_turns(graph.sessions(), graph.turns())
        self._take_statements([node.record for node in nodes], [item for node in nodes for item in node.evidence])
        self._take_mentions(graph.entities(), graph.mentions())
        self.nodes = {node.record.id: node for node in nodes}
        self.seq = seq

    def add(self, delta: Delta, *, before: int) -> None:
        """Take in what was just applied to a graph that stood at `before`.

        Where that is not where we stand, nothing is taken in and the next `refresh` reads everything.
        """
        if before != self.seq or delta.seq <= self.seq:
            return
        self._take_turns(delta.sessions, delta.turns)
        self._take_statements(delta.statements, delta.evidence)
        self._take_mentions(delta.entities, delta.mentions)
        self.nodes.clear()
        self.settled.clear()
        self._columns = None
        self.seq = delta.seq

    def _take_turns(self, sessions: Iterable[SessionRecord], turns: Iterable[TurnRecord]) -> None:
        for session in sessions:
            self._sessions.setdefault(session.id, session)
        for turn in sorted(turns, key=lambda turn: (turn.session, turn.position)):
            if turn.key in self._seen:
                continue
            self._seen[turn.key] = turn
            if turn.role == "memory" or (turn.role in FOREIGN and speaks_to_memory(turn.text)):
                continue
            place = len(self.turns)
            self.place[turn.key] = place
            self.turns.append(turn)
            earlier = self._last.get(turn.session, -1)
            self.preceding.append(earlier)
            self.following.append(-1)
            if earlier >= 0:
                self.following[earlier] = place
            self._last[turn.session] = place
            if turn.speaker:
                self.speakers.setdefault(turn.speaker, len(self.speakers))
            own = self.words.stems(turn.text)
            speaker = self.words.stems(turn.speaker or "")
            before = context_text(self._seen.get(turn.previous or ""), turn)
            self.alone.append(not before)
            context = self.words.stems(before)
            self.stems.append(frozenset(own))
            if turn.spans:
                self.quoting[place] = self._quoting(turn, frozenset(own))
            self.asking.append(asks(turn.text))
            self.dated.append(names_time(turn.text, self.words.language_of(turn.text)))
            self.turn_index.add(turn.key, speaker + own)
            self.pair_index.add(turn.key, context + speaker + own)

    def _take_statements(self, statements: Iterable[StatementRecord], evidence: Iterable[EvidenceRecord]) -> None:
        statements = list(statements)
        self._themes |= {record.id for record in statements if is_theme(record)}
        statements = [record for record in statements if record.id not in self._themes]
        evidence = [item for item in evidence if item.statement not in self._themes]
        self._summaries |= {record.id for record in statements if is_summary(record)}
        # Only the quotes that came with a statement: those that came later would make an index that was fed differ.
        recorded = {record.id: record.recorded_at for record in statements}
        quotes: dict[str, list[str]] = defaultdict(list)
        for item in evidence:
            if item.turn_key not in self.evidence[item.statement]:
                self.evidence[item.statement].append(item.turn_key)
                if item.statement not in self._summaries:
                    self.rests_on[item.turn_key].append(item.statement)
            if recorded.get(item.statement) == item.recorded_at:
                quotes[item.statement].append(item.quote)
        for record in statements:
            if record.id in self.statement_place:
                continue
            self.statement_place[record.id] = len(self.statements)
            if record.predicate in NOTED and (titles := names(record.object, self.words)):
                self.titles[len(self.statements)] = titles
            self.statements.append(record)
            text = self.words.stems(f"{record.text} {record.context or ''} {' '.join(quotes[record.id])}")
            self.statement_stems.append(frozenset(text))
            self.statement_index.add(record.id, text)
            self.claim_index.add(record.id, self.words.stems(f"{record.text} {record.context or ''}"))
            self.predicates.setdefault(record.predicate, len(self.predicates))
            self.subjects.setdefault(self.subject_stems(record), len(self.subjects))
            if record.predicate == "name" and record.subject == OWNER and record.polarity == "positive":
                self.owner_names.append(record)

    def _take_mentions(self, entities: Iterable[EntityRecord], mentions: Iterable[MentionRecord]) -> None:
        for entity in entities:
            if entity.key != OWNER:
                self.names[entity.id] = entity.name
        for mention in mentions:
            # What nearly everything is about joins nothing.
            if mention.entity in self.names and mention.entity not in self.mentions[mention.statement]:
                self.mentions[mention.statement].append(mention.entity)
                self.mentioned_by[mention.entity].append(mention.statement)

    def _quoting(self, turn: TurnRecord, stems: frozenset[str]) -> tuple[frozenset[str], frozenset[str], bool]:
        """What of a turn's words only its quoted parts have, what its speaker says, and whether the first is most of it."""
        rest, text = len(turn.text), turn.text
        for span in sorted(turn.spans, key=lambda span: -span.start):
            text = text[: span.start] + " " + text[span.end :]
            rest -= span.end - span.start
        said = frozenset(self.words.stems(text))
        return stems - said, said, 2 * rest < len(turn.text)

    def has(self, stem: str) -> bool:
        """Whether any turn or statement has the stem."""
        return bool(self.turn_index.frequency(stem) or self.statement_index.frequency(stem))

    def subject_stems(self, record: StatementRecord) -> frozenset[str]:
        """Stems of whom a statement is about; none for the owner."""
        return frozenset(() if record.subject == OWNER else self.words.stems(record.subject))

    def question_stems(self, predicate: str) -> frozenset[str]:
        """Stems of the words that ask for a relation.

        A form whose stem asks for another relation by itself stays whole: "living" does not ask for a home.
        """
        if predicate not in self._asking:
            plain = {word for name, other in relations().items() if name != predicate for word in other.questions}
            stems = ((word, stem) for word in relation(predicate).questions for stem in self.words.stems(word))
            self._asking[predicate] = frozenset(word if stem in plain and stem != word else stem for word, stem in stems)
        return self._asking[predicate]

    def asks_for(self, words: Iterable[str]) -> dict[str, float]:
        """Relations that these words and stems of a question ask for, the best at 1."""
        asked = set(words)
        counts = {name: len(asked & self.question_stems(name)) for name in self.predicates}
        best = max(counts.values(), default=0)
        return {name: count / best for name, count in counts.items() if count}

    @property
    def columns(self) -> Columns:
        """The corpus as arrays; made once and kept until something is taken in."""
        if self._columns is None:
            self._columns = self._make_columns()
        return self._columns

    def _make_columns(self) -> Columns:
        import numpy as np

        numbers = {session: number for number, session in enumerate(self._sessions)}
        turns, statements = self.turns, self.statements
        rests = [
            (place, self.place[key])
            for place, record in enumerate(statements)
            for key in self.evidence[record.id]
            if key in self.place
        ]
        said = np.array([turn.time.timestamp() for turn in turns], dtype=np.float64)
        newness = np.empty(len(said))
        newness[np.argsort(said, kind="stable")] = np.arange(len(said)) / max(len(said) - 1, 1)
        people: dict[str, set[str]] = defaultdict(set)
        for turn in turns:
            if turn.role == "user" and turn.speaker:
                people[turn.session].add(turn.speaker)
        summary = np.array([is_summary(item) for item in statements], dtype=np.bool_)
        pairs = np.array(rests, dtype=np.int64).reshape(-1, 2)
        return Columns(
            said=said,
            newness=newness,
            known=np.array([self._sessions[turn.session].recorded_at.timestamp() for turn in turns], dtype=np.float64),
            own=np.array([turn.role == "user" for turn in turns], dtype=np.float64),
            alone=np.array(self.alone, dtype=np.bool_),
            among=np.array([len(people[turn.session]) > 1 for turn in turns], dtype=np.bool_),
            asking=np.array(self.asking, dtype=np.float64),
            dated=np.array(self.dated, dtype=np.float64),
            speaker=np.array([self.speakers.get(turn.speaker or "", -1) for turn in turns], dtype=np.int64),
            session=np.array([numbers[turn.session] for turn in turns], dtype=np.int64),
            preceding=np.array(self.preceding, dtype=np.int64),
            following=np.array(self.following, dtype=np.int64),
            recorded=np.array([item.recorded_at.timestamp() for item in statements], dtype=np.float64),
            kind=np.array([SUMMARY if is_summary(item) else item.kind for item in statements], dtype=np.str_),
            predicate=np.array([self.predicates[item.predicate] for item in statements], dtype=np.int64),
            subject=np.array([self.subjects[self.subject_stems(item)] for item in statements], dtype=np.int64),
            rests=pairs,
            summary=summary,
            told=pairs[~summary[pairs[:, 0]]],
        )


def is_summary(record: StatementRecord) -> bool:
    """Whether a statement is the record of a session itself."""
    return record.kind == "episode" and record.details.get("type") == SESSION
