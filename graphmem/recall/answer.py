"""From scored candidates to an answer that does not mislead.

Invariant: a superseded statement never stands in an answer without its successors before it, or right behind it where the
question is about the time in which it held; a statement in an open contradiction brings its other side; what was retracted,
corrected or only suggested is not served.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from graphmem.graph.base import Graph, Node
from graphmem.model import Contradiction, Hit, HitParts, Statement
from graphmem.periods import past_due
from graphmem.records import REPEAT, LinkRecord, TurnRecord
from graphmem.views import holds, live_links, settled_at, stands, turn_view, view

SERVED = frozenset({"current", "planned", "superseded", "past"})
WITHDRAWN = frozenset({"retracted", "corrected"})


@dataclass(slots=True)
class Candidate:
    """A statement or a turn with its score, before the rules of the answer are applied.

    `place` is where it stands in the corpus, -1 for what was not among the candidates; `note` is what a reader should know
    of how it came to its place; `apart` is a turn that is shown even where statements of it are, since it tells more; `flags`
    are what a reader must know of the turn itself.
    """

    score: float
    place: int
    statement: Statement | None = None
    turn: TurnRecord | None = None
    rests_on: tuple[str, ...] = ()
    note: tuple[str, ...] = ()
    apart: bool = False
    flags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Id of the statement or key of the turn."""
        return self.statement.id if self.statement is not None else self.turn.key if self.turn else ""


class Grounds(Protocol):
    """What can say why a candidate was found."""

    def parts(self, item: Candidate) -> HitParts:
        """What its score is made of."""

    def explain(self, item: Candidate) -> tuple[str, ...]:
        """The way that led to it."""


@dataclass(slots=True)
class Moment:
    """The pair of clocks of one question, and the statements of the graph as they stood then."""

    graph: Graph
    at: datetime
    known_at: datetime
    strict: bool
    nodes: dict[str, Node]
    # Views that are the same for all clocks from an instant on, with that instant; kept as long as the nodes are.
    settled: dict[str, tuple[datetime, Statement | None]] = field(default_factory=dict)
    views: dict[str, Statement] = field(default_factory=dict)
    # How likely each statement is of use when it is shown, in 0..1, by its id.
    usage: Callable[[str], float] = lambda _: 0.5

    def load(self, ids: Iterable[str]) -> None:
        """Fetch the statements that are not there yet."""
        # One by one: the difference from all keys of a dictionary walks over all of them.
        wanted = {one for one in ids if one not in self.views}
        missing = sorted(one for one in wanted if one not in self.nodes)
        for node in self.graph.nodes(missing) if missing else ():
            self.nodes[node.record.id] = node
        first = min(self.at, self.known_at)
        for identifier in wanted:
            if identifier not in self.nodes:
                continue
            known = self.settled.get(identifier)
            if known is not None and known[0] <= first:
                statement = known[1]
            else:
                node = self.nodes[identifier]
                statement = view(node, self.at, self.known_at)
                if known is None and (since := settled_at(node)) <= first:
                    self.settled[identifier] = since, statement
            if statement is not None:
                self.views[identifier] = statement

    def served(self, identifier: str) -> Statement | None:
        """The statement, if it may be shown as an answer at this moment."""
        statement = self.views.get(identifier)
        if statement is None or statement.status not in SERVED:
            return None
        if statement.status == "superseded" and _repeated(self.nodes[identifier], self.known_at):
            return None
        if self.strict and not holds(statement, self.nodes[identifier].record, self.at):
            return None
        return statement

    def withdrawn(self, identifiers: Collection[str], *, any_of_them: bool) -> bool:
        """Whether all (or any) of the statements that rest on a turn were taken back; none at all means no."""
        self.load(identifiers)
        gone = [self.views[one].status in WITHDRAWN for one in identifiers if one in self.views]
        return bool(gone) and (any(gone) if any_of_them else all(gone))

    def successors(self, identifier: str) -> list[Statement]:
        """What came directly in place of a superseded statement and may be served; what just ended has none."""
        self.load([identifier])
        own = self.views.get(identifier)
        later = own.superseded_by if own is not None and own.status == "superseded" else ()
        self.load(later)
        return [statement for one in later if (statement := self.served(one)) is not None]

    def rivals(self, identifier: str) -> list[tuple[LinkRecord, Statement]]:
        """The other sides of a statement's open contradictions: both sides still stand."""
        own = self.served(identifier)
        if own is None or not stands(own):
            return []
        links = [link for link in live_links(self.nodes[identifier], self.known_at) if link.kind == "CONTRADICTS"]
        others = {link.id: link.target if link.source == identifier else link.source for link in links}
        self.load(others.values())
        pairs = ((link, self.served(others[link.id])) for link in links)
        return [(link, statement) for link, statement in pairs if statement is not None and stands(statement)]


def flags_of(statement: Statement, moment: Moment) -> tuple[str, ...]:
    """What a reader must know before using the statement."""
    flags: list[str] = [statement.status] if statement.status in ("superseded", "past") else []
    if not flags and statement.kind != "open_item" and past_due(statement, moment.at):
        flags.append("past")
    if moment.rivals(statement.id):
        flags.append("contradicted")
    return tuple(flags)


def turn_flags(statements: Sequence[Statement], moment: Moment) -> tuple[str, ...]:
    """A turn is old when all that was taken from it is; it is contradicted when anything of it is."""
    each = [set(flags_of(statement, moment)) for statement in statements]
    flags: list[str] = []
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
    grounds: Grounds,
    leading: Collection[str] = (),
) -> tuple[list[Hit], list[str]]:
    """The hits, best first, at most k; and the statements that they show or that rest on the turns they show.

    Args:
        candidates: what reached the threshold.
        moment: the clocks, and the way to further statements.
        k: the most hits to return.
        prefer_statements: leave out a turn when any statement that rests on it is among the candidates, not only when
            one with a better score is.
        grounds: tells how a candidate was found.
        leading: ids of statements that held at the time asked about; they stand before their successors, where there is
            room for both.
    """
    ranked = sorted(candidates, key=lambda item: (-item.score, item.statement is None, item.key))
    by_id = {item.key: item for item in ranked}
    answer = _Answer(moment, k, grounds)
    for item in ranked:
        if len(answer.hits) >= k:
            break
        if item.statement is not None and item.statement.id in leading and answer.put_bygone(item, by_id):
            continue
        if item.statement is not None:
            answer.put_statement(item, by_id)
        elif item.turn is not None:
            shown = by_id.keys() if prefer_statements else answer.placed
            if item.apart or not any(identifier in shown for identifier in item.rests_on):
                answer.put_turn(item, by_id)
    return answer.hits, answer.behind


class _Answer:
    """The hits so far."""

    def __init__(self, moment: Moment, k: int, grounds: Grounds) -> None:
        self.moment, self.k, self.grounds = moment, k, grounds
        self.hits: list[Hit] = []
        self.behind: list[str] = []
        self.placed: set[str] = set()

    def put_statement(self, item: Candidate, by_id: dict[str, Candidate]) -> None:
        """The statement, behind whatever took its place."""
        statement = item.statement
        if statement is None or statement.id in self.placed:
            return
        if self._put_successors(statement, item, by_id, frozenset()):
            self._append(item, statement, item.note)
            self._put_beside(statement, item, by_id)

    def put_bygone(self, item: Candidate, by_id: dict[str, Candidate]) -> bool:
        """A statement that held at the time asked about, with all that came in its place right behind it, the nearest first.

        Gives False, and places nothing, where there is no room for all of them.
        """
        statement = item.statement
        if statement is None or statement.id in self.placed:
            return False
        line: dict[str, tuple[Statement, str]] = {statement.id: (statement, "")}
        waiting = [statement]
        while waiting:
            old = waiting.pop(0)
            for one in sorted(self.moment.successors(old.id), key=lambda one: one.id):
                if one.id not in line and one.id not in self.placed:
                    line[one.id] = one, f"in place of: {old.text}"
                    waiting.append(one)
        if len(self.hits) + len(line) > self.k:
            return False
        self._append(item, statement, (*item.note, "held at the time asked about"))
        for one, path in list(line.values())[1:]:
            place = by_id[one.id].place if one.id in by_id else -1
            self._append(Candidate(item.score, place, statement=one), one, (path,))
        self._put_beside(statement, item, by_id)
        return True

    def _put_beside(self, statement: Statement, item: Candidate, by_id: dict[str, Candidate]) -> None:
        """Behind a statement the other side of its contradiction, and behind a figure the one whose place it took.

        Only what was found as well; the rest is told by the contradictions of the answer.
        """
        beside = [(other.id, f"contradicts: {statement.text}") for _, other in self.moment.rivals(statement.id)]
        if "about" in statement.details:
            beside += [(old, f"before: {statement.text}") for old in statement.supersedes]
        for identifier, path in beside:
            found = by_id.get(identifier)
            if found is None or found.statement is None or identifier in self.placed or len(self.hits) >= self.k:
                continue
            other = Candidate(item.score, found.place, statement=found.statement)
            self._append(other, found.statement, (*found.note, path))

    def put_turn(self, item: Candidate, by_id: dict[str, Candidate]) -> None:
        """The turn; if all it says is old, behind whatever took its place."""
        turn = item.turn
        if turn is None:
            return
        self.moment.load(item.rests_on)
        statements = [found for one in item.rests_on if (found := self.moment.served(one)) is not None]
        flags = turn_flags(statements, self.moment)
        if "superseded" in flags and not all(self._put_successors(old, item, by_id, frozenset()) for old in statements):
            return
        if len(self.hits) < self.k:
            self.behind += [statement.id for statement in statements]
            self.hits.append(
                Hit.model_construct(
                    turn=turn_view(turn),
                    statement=None,
                    score=item.score,
                    parts=self.grounds.parts(item),
                    path=(*self.grounds.explain(item), *item.note),
                    flags=(*flags, *item.flags),
                )
            )

    def _put_successors(self, old: Statement, item: Candidate, by_id: dict[str, Candidate], under: frozenset[str]) -> bool:
        """Place what took the place of `old`, the best first, each behind its own successors.

        Gives False when no room is left for the old one behind them.
        """
        missing = [one for one in self.moment.successors(old.id) if one.id not in self.placed | under]
        missing.sort(key=lambda one: (-by_id[one.id].score if one.id in by_id else 0.0, one.id))
        for successor in missing:
            if successor.id in self.placed:
                continue
            if not self._put_successors(successor, item, by_id, under | {old.id}):
                return False
            place = by_id[successor.id].place if successor.id in by_id else -1
            found = Candidate(item.score, place, statement=successor)
            self._append(found, successor, (f"in place of: {old.text}",))
        return len(self.hits) < self.k

    def _append(self, item: Candidate, statement: Statement, path: tuple[str, ...]) -> None:
        self.placed.add(statement.id)
        self.behind.append(statement.id)
        self.hits.append(
            Hit.model_construct(
                statement=_own(statement),
                turn=None,
                score=item.score,
                parts=self.grounds.parts(item),
                path=(*self.grounds.explain(item), *path),
                flags=flags_of(statement, self.moment),
            )
        )


def contradictions(identifiers: Iterable[str], moment: Moment) -> tuple[Contradiction, ...]:
    """The open contradictions that these statements are part of, each once."""
    found: dict[str, Contradiction] = {}
    for identifier in identifiers:
        for link, other in moment.rivals(identifier):
            if link.id not in found:
                found[link.id] = _contradiction(link, moment.views[identifier], other)
    return tuple(found.values())


def _repeated(node: Node, known_at: datetime) -> bool:
    """Whether another statement says exactly the same and took in its quotes: it holds, and is told once."""
    own = node.record.id
    return any(link.rule == REPEAT and link.target == own for link in live_links(node, known_at))


def _own(statement: Statement) -> Statement:
    """A statement for the caller, who may change its details; what is kept stays as it is."""
    return statement.model_copy(update={"details": dict(statement.details)})


def _contradiction(link: LinkRecord, own: Statement, other: Statement) -> Contradiction:
    a, b = sorted((_own(own), _own(other)), key=lambda side: (side.asserted_at, side.id))
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
