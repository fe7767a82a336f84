"""A store for recall tests: turns and statements put straight into the reference graph, with real vectors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem.embed import MiniLM
from graphmem.embedding import vectors_of
from graphmem.graph.reference import ReferenceGraph
from graphmem.model import Hit, Recall
from graphmem.recall.searcher import Searcher
from graphmem.records import (
    Delta,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    MentionRecord,
    Retirement,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    VectorRecord,
    turn_key,
)
from graphmem.vectors import unpack

START = datetime(2025, 3, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
EMBEDDER = MiniLM()


class Store:
    """Sessions are numbered days after the start; what is said on a day is recorded that day."""

    def __init__(self) -> None:
        self.graph = ReferenceGraph(dimension=EMBEDDER.dimension)
        self.searcher = Searcher(self.graph, EMBEDDER)
        self.days: dict[str, list[TurnRecord]] = {}
        self.links = 0

    def apply(self, **records: object) -> None:
        self.graph.apply(Delta(seq=self.graph.applied_seq() + 1, **records))

    def say(self, day: int, text: str, *, role: str = "user", speaker: str | None = None) -> str:
        """Add a turn to the session of the day; gives its id."""
        session, when = f"day{day}", START + timedelta(days=day)
        turns = self.days.setdefault(session, [])
        before = turns[-1] if turns else None
        identifier = f"d{day}t{len(turns)}"
        turn = TurnRecord(
            key=turn_key(session, identifier),
            id=identifier,
            session=session,
            position=len(turns),
            role=role,
            speaker=speaker,
            text=text,
            time=when + timedelta(minutes=len(turns)),
            previous=before.key if before else None,
        )
        turns.append(turn)
        record = SessionRecord(id=session, started=when, ended=None, topic=None, channel=None, recorded_at=when)
        vectors = tuple(
            VectorRecord(
                id=made.id, owner=made.owner, kind=made.kind, model=made.model, recorded_at=when, values=unpack(made.data)
            )
            for made in vectors_of(EMBEDDER, turns, {turn.id}, (), ())
        )
        self.apply(sessions=() if before else (record,), turns=(turn,), vectors=vectors)
        return identifier

    def vector(self, owner: str, kind: str, text: str, when: datetime) -> VectorRecord:
        values = tuple(float(value) for value in EMBEDDER.encode([text])[0])
        return VectorRecord(id=f"{owner}/{kind}", owner=owner, kind=kind, model="minilm", recorded_at=when, values=values)

    def know(self, turn: str, text: str, predicate: str, obj: str, *, subject: str = "user", **more: object) -> str:
        """A statement that rests on a whole turn; gives its id."""
        day = int(turn[1 : turn.index("t")])
        said = next(item for item in self.days[f"day{day}"] if item.id == turn)
        identifier = f"{turn}/{predicate}/{obj}"
        tier = str(more.pop("tier", "stated"))
        common = {"session": said.session, "tier": tier, "confidence": 0.8, "recorded_at": said.time, "extractor": "test/1"}
        fields: dict[str, object] = {
            "id": identifier,
            "kind": "fact",
            "text": text,
            "subject": subject,
            "predicate": predicate,
            "object": obj,
            "asserted_at": said.time,
            "session_started": said.time,
            "order": said.position,
            "subject_key": subject,
            "object_key": obj.casefold(),
            "importance": 0.5,
            "sensitivity": "ordinary",
            "content_hash": "",
            "rule": "test",
            **common,
            **more,
        }
        evidence = EvidenceRecord(
            id=f"e/{identifier}",
            statement=identifier,
            turn=said.id,
            turn_key=said.key,
            role="user",
            speaker=said.speaker,
            start=0,
            end=len(said.text),
            quote=said.text,
            said_at=said.time,
            **common,
        )
        vector = self.vector(identifier, "statement", text, said.time)
        self.apply(statements=(StatementRecord(**fields),), evidence=(evidence,), vectors=(vector,))
        return identifier

    def link(self, kind: str, newer: str, older: str, *, day: int, rule: str = "test") -> None:
        """A conclusion about two statements, drawn on a day."""
        when = START + timedelta(days=day)
        self.links += 1
        record = LinkRecord(
            id=f"l{self.links}",
            kind=kind,
            source=newer,
            target=older,
            rule=rule,
            tier="stated",
            recorded_at=when,
            said_at=when,
            at=when,
        )
        self.apply(links=(record,))

    def retract(self, statement: str, *, day: int) -> None:
        when = START + timedelta(days=day)
        self.apply(retirements=(Retirement(statement=statement, at=when, reason="wrong", actor="owner"),))

    def mention(self, name: str, *statements: str) -> None:
        """Statements that are about one named thing."""
        entity = EntityRecord(id=f"n/{name}", name=name, type="person", key=name.casefold())
        edges = tuple(MentionRecord(statement=one, entity=entity.id, kind="MENTIONS", tier="stated") for one in statements)
        self.apply(entities=(entity,), mentions=edges)

    def recall(self, query: str, *, at: datetime = NOW, known_at: datetime = NOW, **more: object) -> Recall:
        return self.searcher.recall(query, at=at, known_at=known_at, now=NOW, **more)


def shown(hit: Hit) -> str:
    """Id of what a hit shows."""
    return hit.statement.id if hit.statement is not None else hit.turn.id


def ids(recall: Recall) -> list[str]:
    """Ids of all hits in order."""
    return [shown(hit) for hit in recall.hits]
