"""Builders for tests: sessions, claims and admitted statements in few words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem.admission import Admission, Admitted
from graphmem.closing import closing
from graphmem.extractors.base import Claim, TimeValue
from graphmem.graph.reference import ReferenceGraph
from graphmem.grounding import Grounded, ground
from graphmem.model import Session, Statement, Turn
from graphmem.pairing import Pairing
from graphmem.reconcile import Plan, reconcile
from graphmem.records import Delta, SessionRecord
from graphmem.vicinity import vicinity
from graphmem.views import holds, view

SECRET = "0" * 32
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    """Noon of the n-th day of 2025."""
    return EPOCH + timedelta(days=number, hours=12)


def session(number: int, *texts: str, on: int | None = None, role: str = "user") -> Session:
    """A session of user turns, said on the n-th day."""
    when = day(number if on is None else on)
    turns = tuple(Turn(id=f"t{n}", role=role, text=text, time=when) for n, text in enumerate(texts, 1))
    return Session(id=f"s{number}", started=when, turns=turns)


def interval(start: int | None = None, end: int | None = None, granularity: str = "day") -> TimeValue:
    """A time value between two days."""
    return TimeValue(
        text="",
        start=None if start is None else EPOCH + timedelta(days=start),
        end=None if end is None else EPOCH + timedelta(days=end),
        granularity=granularity,
    )


def claim(predicate: str, obj: str, *, turn: str = "t1", quote: str | None = None, text: str = "", **more: object) -> Claim:
    """A claim whose quote is the object's words at their place in `text` (default: the object is the whole text)."""
    text = text or obj
    quote = quote or text
    start = text.index(quote)
    fields: dict[str, object] = {"kind": "fact", "rule": "test", **more}
    return Claim(turn=turn, start=start, end=start + len(quote), quote=quote, predicate=predicate, object=obj, **fields)  # type: ignore[arg-type]


class World:
    """A small memory without extractor, ledger or engine: claims in, statements out."""

    def __init__(self) -> None:
        self.graph = ReferenceGraph(dimension=4)
        self.seq = 0

    def say(self, number: int, *claims: Claim, on: int | None = None) -> Plan:
        """Take in a session whose turns are just the quotes of the claims, one turn per claim."""
        texts = [c.quote for c in claims]
        said = session(number, *texts, on=on)
        placed = [c.model_copy(update={"turn": f"t{n}", "start": 0, "end": len(c.quote)}) for n, c in enumerate(claims, 1)]
        return self.take(said, placed)

    @property
    def now(self) -> datetime:
        """The time of the next thing that is recorded."""
        return NOW - timedelta(days=100) + timedelta(seconds=self.seq)

    def take(self, said: Session, claims: list[Claim], *, corrects: str | None = None) -> Plan:
        """Take in a session with claims about its turns; the first one may correct a statement."""
        from graphmem.recorded import turn_records

        now = self.now
        admission = Admission(said, user="u", secret=SECRET, extractor="test/1", now=now)
        admitted = []
        for item in claims:
            grounded = ground(item, said)
            assert isinstance(grounded, Grounded), grounded
            result = admission.admit(grounded)
            assert isinstance(result, Admitted), result
            admitted.append(result)
        nodes = {node.record.id: node for node in self.graph.nodes()}
        pairing = Pairing(node.record for node in nodes.values())
        records = [closing(item.record) if item.done else item.record for item in admitted]
        named = self.graph.nodes([corrects]) if corrects else []
        live = vicinity(records, lambda marks: [nodes[id_] for mark in marks for id_ in pairing.under(mark)], named=named)
        plan = reconcile(admitted, live, secret=SECRET, now=now, corrects=corrects)
        record = SessionRecord(id=said.id, started=said.started, ended=None, topic=None, channel=None, recorded_at=now)
        self.add(plan, sessions=(record,), turns=tuple(turn_records(said)))
        return plan

    def add(self, plan: Plan, **more: object) -> None:
        """Take in a plan with what else belongs to it."""
        self.seq += 1
        self.graph.apply(
            Delta(
                seq=self.seq,
                statements=plan.statements,
                evidence=plan.evidence,
                links=plan.links,
                links_retired=plan.retired,
                **more,  # type: ignore[arg-type]
            )
        )

    def statements(self, at: datetime = NOW) -> list[Statement]:
        """All statements as they stand."""
        found = [view(node, at, NOW) for node in self.graph.nodes()]
        return [s for s in found if s is not None]

    def held(self, at: datetime) -> dict[str, str]:
        """The statements that are held to be true of an instant, with their status."""
        found = [(view(node, at, NOW), node.record) for node in self.graph.nodes()]
        return {s.id: s.status for s, record in found if s is not None and holds(s, record, at)}

    def by(self, obj: str) -> Statement:
        """The first statement with this object."""
        return next(s for s in self.statements() if s.object == obj)

    def status(self, obj: str) -> str:
        """Its status."""
        return self.by(obj).status
