"""From scored candidates to an answer that does not mislead.

Invariant: a superseded statement never stands in an answer without its successors before it; a statement in an open
contradiction brings its other side; what was retracted, corrected or only suggested is not served.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.graph.base import Graph, Node
from graphmem.model import Contradiction, Hit, HitParts, Statement, TurnView
from graphmem.records import LinkRecord, TurnRecord
from graphmem.views import holds, live_links, view

SERVED = frozenset({"current", "planned", "superseded", "past"})
WITHDRAWN = frozenset({"retracted", "corrected"})
OPEN = frozenset({"current", "planned"})
CHAIN = 20


@dataclass(slots=True)
class Candidate:
    """A statement or a turn with its score, before the rules of the answer are applied."""

    score: float
    parts: HitParts
    statement: Statement | None = None
    turn: TurnRecord | None = None
    place: int = -1
    rests_on: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Id of the statement or key of the turn."""
        return self.statement.id if self.statement is not None else self.turn.key if self.turn else ""


@dataclass(slots=True)
class Moment:
    """The pair of clocks of one question, and the statements of the graph as they stood then."""

    graph: Graph
    at: datetime
    known_at: datetime
    strict: bool
    nodes: dict[str, Node] = field(default_factory=dict)
    views: dict[str, Statement] = field(default_factory=dict)

    def load(self, ids: Iterable[str]) -> None:
        """Fetch the statements that are not there yet."""
        missing = sorted(set(ids) - self.nodes.keys())
        for node in self.graph.nodes(missing) if missing else ():
            self.nodes[node.record.id] = node
            statement = view(node, self.at, self.known_at)
            if statement is not None:
                self.views[node.record.id] = statement

    def served(self, identifier: str) -> Statement | None:
        """The statement, if it may be shown as an answer at this moment."""
        statement = self.views.get(identifier)
        if statement is None or statement.status not in SERVED:
            return None
        if self.strict and not holds(statement, self.nodes[identifier].record, self.at):
            return None
        return statement

    def successors(self, identifier: str) -> list[Statement]:
        """All that came in place of a statement, the newest first."""
        found: dict[str, Statement] = {}
        front = [identifier]
        for _ in range(CHAIN):
            self.load(front)
            following = {
                later for one in front if one in self.views for later in self.views[one].superseded_by
            } - found.keys()
            self.load(following)
            served = {later: statement for later in following if (statement := self.served(later))}
            found.update(served)
            front = list(served)
            if not front:
                break
        return sorted(found.values(), key=lambda item: (item.asserted_at, item.id), reverse=True)

    def rivals(self, identifier: str) -> list[tuple[LinkRecord, Statement]]:
        """The other sides of a statement's open contradictions: both sides still stand."""
        own = self.served(identifier)
        if own is None or own.status not in OPEN:
            return []
        links = [
            link for link in live_links(self.nodes[identifier], self.known_at) if link.kind == "CONTRADICTS"
        ]
        others = {link.id: link.target if link.source == identifier else link.source for link in links}
        self.load(others.values())
        pairs = ((link, self.served(others[link.id])) for link in links)
        return [
            (link, statement) for link, statement in pairs if statement is not None and statement.status in OPEN
        ]


def flags_of(statement: Statement, moment: Moment) -> tuple[str, ...]:
    """What a reader must know before using the statement."""
    flags = [statement.status] if statement.status in ("superseded", "past") else []
    planned = statement.modality == "intended" and statement.valid_to is not None
    if planned and statement.valid_to is not None and statement.valid_to < moment.at and not flags:
        flags.append("past")
    if moment.rivals(statement.id):
        flags.append("contradicted")
    return tuple(flags)


def turn_flags(statements: Sequence[Statement], moment: Moment) -> tuple[str, ...]:
    """A turn is old when all that was taken from it is; it is contradicted when anything of it is."""
    each = [set(flags_of(statement, moment)) for statement in statements]
    flags = []
    if each and all(one & {"superseded", "past"} for one in each):
        flags.append("superseded" if any("superseded" in one for one in each) else "past")
    if any("contradicted" in one for one in each):
        flags.append("contradicted")
    return tuple(flags)


def assemble(
    candidates: Iterable[Candidate],
    moment: Moment,
    *,
    k: int,
    prefer_statements: bool,
    explain: Callable[[Candidate], tuple[str, ...]],
) -> list[Hit]:
    """The hits, best first, at most k.

    Args:
        candidates: what reached the threshold.
        moment: the clocks, and the way to further statements.
        k: the most hits to return.
        prefer_statements: leave out a turn when any statement that rests on it is among the candidates, not only when
            one with a better score is.
        explain: tells how a candidate was found.
    """
    ranked = sorted(candidates, key=lambda item: (-item.score, item.statement is None, item.key))
    by_id = {item.key: item for item in ranked}
    answer = _Answer(moment, k, explain)
    for item in ranked:
        if len(answer.hits) >= k:
            break
        if item.statement is not None:
            answer.put_statement(item, by_id)
        elif item.turn is not None:
            shown = by_id.keys() if prefer_statements else answer.placed
            if not any(identifier in shown for identifier in item.rests_on):
                answer.put_turn(item, by_id)
    return answer.hits


class _Answer:
    """The hits so far."""

    def __init__(self, moment: Moment, k: int, explain: Callable[[Candidate], tuple[str, ...]]) -> None:
        self.moment, self.k, self.explain = moment, k, explain
        self.hits: list[Hit] = []
        self.placed: set[str] = set()

    def put_statement(self, item: Candidate, by_id: dict[str, Candidate]) -> None:
        """The statement, behind whatever took its place."""
        statement = item.statement
        if statement is None or statement.id in self.placed:
            return
        if self._put_successors([statement], item, by_id):
            self._append(item, statement, ())

    def put_turn(self, item: Candidate, by_id: dict[str, Candidate]) -> None:
        """The turn; if all it says is old, behind whatever took its place."""
        turn = item.turn
        if turn is None:
            return
        self.moment.load(item.rests_on)
        statements = [found for one in item.rests_on if (found := self.moment.served(one)) is not None]
        flags = turn_flags(statements, self.moment)
        if "superseded" in flags and not self._put_successors(statements, item, by_id):
            return
        if len(self.hits) < self.k:
            seen = TurnView.model_construct(
                id=turn.id,
                session=turn.session,
                position=turn.position,
                role=turn.role,
                speaker=turn.speaker,
                text=turn.text,
                time=turn.time,
            )
            self.hits.append(
                Hit.model_construct(
                    turn=seen,
                    statement=None,
                    score=item.score,
                    parts=item.parts,
                    path=self.explain(item),
                    flags=flags,
                )
            )

    def _put_successors(
        self, statements: Sequence[Statement], item: Candidate, by_id: dict[str, Candidate]
    ) -> bool:
        """Place the successors that are missing; False when no room is left for the old one behind them."""
        for old in statements:
            for successor in self.moment.successors(old.id):
                if successor.id in self.placed or successor.id == old.id:
                    continue
                if len(self.hits) >= self.k:
                    return False
                own = by_id.get(successor.id)
                found = Candidate(
                    score=item.score,
                    parts=own.parts if own else HitParts(importance=successor.importance),
                    statement=successor,
                    place=own.place if own else -1,
                )
                self._append(found, successor, (f"in place of: {old.text}",))
        return len(self.hits) < self.k

    def _append(self, item: Candidate, statement: Statement, path: tuple[str, ...]) -> None:
        self.placed.add(statement.id)
        self.hits.append(
            Hit.model_construct(
                statement=statement,
                turn=None,
                score=item.score,
                parts=item.parts,
                path=(*self.explain(item), *path),
                flags=flags_of(statement, self.moment),
            )
        )


def contradictions(hits: Iterable[Hit], moment: Moment) -> tuple[Contradiction, ...]:
    """The open contradictions that the statements of an answer are part of, each once."""
    found: dict[str, Contradiction] = {}
    for hit in hits:
        if hit.statement is None:
            continue
        for link, other in moment.rivals(hit.statement.id):
            if link.id not in found:
                found[link.id] = _contradiction(link, hit.statement, other)
    return tuple(found.values())


def _contradiction(link: LinkRecord, own: Statement, other: Statement) -> Contradiction:
    a, b = sorted((own, other), key=lambda side: (side.asserted_at, side.id))
    bounds = (link.overlap_from, link.overlap_to)
    return Contradiction.model_construct(
        id=link.id,
        a=a,
        b=b,
        rule=link.rule,
        overlap=None if bounds == (None, None) else bounds,
        status="open",
        resolution=None,
        opened_at=link.recorded_at,
    )


def withdrawn(identifiers: Collection[str], moment: Moment) -> tuple[int, int]:
    """Of the statements that rest on a turn: how many there are, and how many were taken back."""
    statuses = [moment.views[one].status for one in identifiers if one in moment.views]
    return len(statuses), sum(status in WITHDRAWN for status in statuses)


