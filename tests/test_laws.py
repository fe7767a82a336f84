"""Laws of reconciliation and time, over random histories.

The long form lives LAWS_EXAMPLES lives (10,000) through all of them.
"""

import os
from datetime import datetime
from itertools import permutations

import pytest
from build import NOW, SECRET, World, claim, day, interval
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.extractors.base import Claim
from graphmem.graph.base import Node
from graphmem.model import Session, Statement, Turn
from graphmem.reconcile import Plan, reconsider, uplift, withdraw
from graphmem.records import Confirmation, Retirement, StatementRecord
from graphmem.timeline import conclude
from graphmem.validity import intersection, period_end
from graphmem.views import view

places = st.sampled_from(["Oslo", "Turku", "Lund", "Gent"])
starts = st.one_of(st.none(), st.integers(-400, 300))


@st.composite
def residences(draw):
    """A claim about where one lives, said on some day."""
    said = draw(st.integers(1, 300))
    start = draw(starts)
    past = draw(st.booleans()) and (start is None or start < said)
    length = draw(st.one_of(st.none(), st.integers(1, 200)))
    end = None if start is None or length is None else start + length
    if past and end is not None:
        end = min(end, said)
    if start is not None and end is not None and end <= start:
        end = None
    time = None if start is None else interval(start, end, draw(st.sampled_from(["day", "month", "year"])))
    cue = draw(st.sampled_from([None, None, "change"]))
    return said, claim("lives_in", draw(places), time=time, temporal="past" if past else "current", cue=cue)


def told(history):
    """The world after a history; each claim is a session of its own."""
    world = World()
    for number, (said, item) in enumerate(history):
        world.say(number, item, on=said)
    return world


@given(st.lists(residences(), min_size=1, max_size=5))
def test_at_most_one_current_value_unless_a_contradiction_is_open(history):
    current = [s for s in told(history).statements() if s.status == "current"]
    values = {s.object for s in current}
    assert len(values) <= 1 or all(s.contradicts for s in current)


@given(st.lists(residences(), min_size=1, max_size=4))
def test_conclusions_do_not_depend_on_the_order_of_the_records(history):
    world = told(history)
    records = [node.record for node in world.graph.nodes()]
    tiers = {record.id: record.tier for record in records}
    expected = conclude(records, tiers)
    for order in list(permutations(records))[:24]:
        assert conclude(order, tiers) == expected


@given(st.lists(residences(), min_size=1, max_size=5))
def test_every_supersession_has_a_successor_with_evidence(history):
    world = told(history)
    by_id = {s.id: s for s in world.statements()}
    for statement in by_id.values():
        for successor in statement.superseded_by:
            assert by_id[successor].evidence
            assert statement.id in by_id[successor].supersedes


@given(st.lists(residences(), min_size=1, max_size=5))
def test_nothing_that_was_said_is_lost(history):
    world = told(history)
    quotes = {(e.session, e.quote) for s in world.statements() for e in s.evidence}
    assert quotes == {(f"s{n}", item.quote) for n, (_, item) in enumerate(history)}


@given(st.lists(residences(), min_size=2, max_size=5), st.data())
def test_withdrawing_a_statement_gives_what_would_follow_without_it(history, data):
    world = told(history)
    nodes = world.graph.nodes()
    gone = data.draw(st.sampled_from([node.record.id for node in nodes]))
    plan = withdraw(nodes, gone, secret=SECRET, now=NOW, reason="test")
    left = [node.record for node in nodes if node.record.id != gone]
    expected = {(c.kind, c.source, c.target) for c in conclude(left, {r.id: r.tier for r in left})}
    retired = {item.link for item in plan.retired}
    standing = {
        (link.kind, link.source, link.target)
        for node in nodes
        for link, when in node.links
        if when is None and link.id not in retired
    }
    assert standing | {(link.kind, link.source, link.target) for link in plan.links} == expected


@given(st.lists(residences(), min_size=1, max_size=5))
def test_a_settled_memory_has_nothing_left_to_settle(history):
    plan = reconsider(told(history).graph.nodes(), secret=SECRET, now=NOW)
    assert plan.links == ()
    assert plan.retired == ()


@given(st.lists(residences(), min_size=1, max_size=4))
def test_telling_the_same_again_adds_no_statement(history):
    world = told(history)
    before = len(world.statements())
    for number, (said, item) in enumerate(history):
        world.say(number, item, on=said)
    assert len(world.statements()) == before


@given(st.lists(residences(), min_size=1, max_size=5))
def test_what_was_known_then_does_not_change_by_what_came_later(history):
    world = World()
    seen = []
    for number, (said, item) in enumerate(history):
        world.say(number, item, on=said)
        moment = max(node.record.recorded_at for node in world.graph.nodes())
        seen.append((moment, _states(world.graph.nodes(), moment)))
    for moment, states in seen:
        assert _states(world.graph.nodes(), moment) == states


def _states(nodes: list[Node], known_at):
    found = [view(node, NOW, known_at) for node in nodes]
    return {s.id: (s.status, s.valid_to, s.superseded_by) for s in found if s is not None}


@given(
    st.datetimes().map(lambda d: d.replace(tzinfo=NOW.tzinfo)),
    st.sampled_from([None, "minute", "day", "weekend", "week", "month", "season", "quarter", "half", "year", "decade"]),
)
def test_a_period_ends_after_it_starts(start, granularity):
    assert period_end(start, granularity) > start


@given(st.tuples(st.integers(), st.integers()), st.tuples(st.integers(), st.integers()))
def test_intersection_is_symmetric_and_half_open(left, right):
    assert intersection(left, right) == intersection(right, left)  # type: ignore[arg-type]
    assert intersection((1, 5), (5, 9)) is None  # type: ignore[arg-type]


def test_records_are_plain_data():
    world = World()
    world.say(1, claim("lives_in", "Oslo"))
    [node] = world.graph.nodes()
    assert StatementRecord.model_validate(node.record.model_dump(mode="json")) == node.record


# ------------------------------------------------------------------------------- lives: many relations, and the owner's acts

VALUES = {
    "lives_in": ["Oslo", "Lund", "Gent"],
    "works_at": ["Bosch", "Nordea"],
    "likes": ["olives", "jazz"],
    "dislikes": ["olives"],
    "uses_tool": ["Fedora", "Windows"],
    "has_family": ["one brother", "two brothers"],
}
ONE_VALUED = ("lives_in", "works_at")
Step = tuple[str, int, list[tuple[Claim, str]], int]


@st.composite
def sayings(draw, said: int, *, late: bool) -> tuple[Claim, str]:
    """A claim said on a day, and by whom; without `late`, of nothing but that day and what is to come."""
    role = draw(st.sampled_from(["user"] * 5 + ["assistant"])) if late else "user"
    if draw(st.integers(0, 5)) == 0:
        done = draw(st.booleans())
        if done:
            return claim("task", "called Mia", kind="open_item", done=True, details={"verb": "call"}), "user"
        due = draw(st.sampled_from([None, "2025-08-01T00:00:00Z", "2025-09-01T00:00:00Z"]))
        return claim("task", "call Mia", kind="open_item", details={"due": due}), role
    # What is permanent speaks of all time, and so always arrives late.
    name = draw(st.sampled_from([*ONE_VALUED, *VALUES] if late else [*ONE_VALUED, *VALUES][:-1]))
    tense = draw(st.sampled_from(["current"] * 5 + ["ended", "future"] + ["past"] * late))
    start, end = None, None
    if tense == "future":
        start = said + draw(st.integers(1, 120))
    elif late and tense == "current":
        start = draw(st.one_of(st.none(), st.integers(said - 300, said)))
    elif tense == "past":
        start = said - draw(st.integers(200, 400))
        end = draw(st.one_of(st.none(), st.just(start + 150)))
    if tense == "current" and draw(st.integers(0, 4)) == 0:
        end = said + draw(st.integers(1, 120))
    cues = {"current": [None, None, None, "change"] + ["correction"] * late, "future": [None, "change"]}
    value = draw(st.sampled_from(VALUES[name]))
    others = [other for other in VALUES[name] if other != value]
    cue = draw(st.sampled_from(cues.get(tense, [None])))
    return claim(
        name,
        value,
        kind="preference" if name in ("likes", "dislikes") else "fact",
        temporal=tense,
        time=None if start is None and end is None else interval(start, end),
        cue=cue,
        replaces=draw(st.sampled_from([None, *others])) if cue else None,
        context=draw(st.sampled_from([None, None, None, "summers"])),
        polarity="negative" if tense == "current" and draw(st.integers(0, 6)) == 0 else "positive",
    ), role


@st.composite
def lives(draw, *, late: bool = True) -> list[Step]:
    """Sessions and acts of the owner; without `late`, each session after the one before and no act that looks back."""
    days = draw(st.lists(st.integers(1, 300), min_size=2, max_size=8, unique=not late))
    acts = ["tell"] * 6 + ["retract", "confirm", "correct"] * late
    return [
        (
            draw(st.sampled_from(acts)),
            said,
            draw(st.lists(sayings(said, late=late), min_size=1, max_size=2)),
            draw(st.integers(0, 50)),
        )
        for said in (days if late else sorted(days))
    ]


class Life(World):
    """A memory that takes in what is told and the acts of its owner; it counts what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: set[tuple[str, str]] = set()

    def live(self, step: Step) -> None:
        act, said, items, number = step
        open_to = [node.record.id for node in self.graph.nodes() if node.retirement is None]
        if act == "tell" or not open_to:
            self.tell(items, said)
        elif act == "correct":
            self.tell(items[:1], said, corrects=open_to[number % len(open_to)])
        elif act == "retract":
            self.retract(open_to[number % len(open_to)])
        else:
            self.confirm(open_to[number % len(open_to)])

    def tell(self, items: list[tuple[Claim, str]], on: int, corrects: str | None = None) -> Plan:
        when = day(on)
        turns = tuple(Turn(id=f"t{n}", role=role, text=item.quote, time=when) for n, (item, role) in enumerate(items, 1))
        placed = [item.model_copy(update={"turn": f"t{n}"}) for n, (item, _) in enumerate(items, 1)]
        plan = self.take(Session(id=f"s{self.seq}", started=when, turns=turns), placed, corrects=corrects)
        for outcome in plan.outcomes:
            if outcome.what != "nothing_to_close":
                self.kept.add((outcome.claim.evidence.session, outcome.claim.evidence.turn))
        return plan

    def retract(self, gone: str) -> None:
        plan = withdraw(self.graph.nodes(), gone, secret=SECRET, now=self.now, reason="test")
        self.add(plan, retirements=(Retirement(statement=gone, at=self.now, reason="test", actor="owner"),))

    def confirm(self, id_: str) -> None:
        plan = uplift(self.graph.nodes(), id_, secret=SECRET, now=self.now)
        self.add(plan, confirmations=(Confirmation(statement=id_, at=self.now, content_hash="", actor="owner"),))


def lived(history: list[Step]) -> Life:
    life = Life()
    for step in history:
        life.live(step)
    return life


def shown(life: Life, at: datetime = NOW) -> dict[str, tuple[object, ...]]:
    """What is said of each statement, but for the time of learning it."""
    return {
        s.id: (s.status, s.tier, s.valid_from, s.valid_to, s.supersedes, s.superseded_by, s.corrects, s.contradicts)
        for s in life.statements(at)
    }


def one_value_at_a_time(history: list[Step]) -> None:
    groups: dict[tuple[str, str | None], list[Statement]] = {}
    for one in lived(history).statements():
        plain = (one.status, one.polarity, one.kind) == ("current", "positive", "fact")
        if plain and one.predicate in ONE_VALUED:
            groups.setdefault((one.predicate, one.context), []).append(one)
    for group in groups.values():
        assert len({one.object for one in group}) == 1 or all(one.contradicts for one in group)


def successors_have_quotes(history: list[Step]) -> None:
    by_id = {one.id: one for one in lived(history).statements()}
    for one in by_id.values():
        assert one.status != "superseded" or one.superseded_by
        for successor in map(by_id.__getitem__, one.superseded_by):
            assert successor.evidence
            assert one.id in successor.supersedes
            assert successor.status not in ("corrected", "retracted", "suggested")


def nothing_is_lost(history: list[Step]) -> None:
    life, known = Life(), set[str]()
    for step in history:
        life.live(step)
        statements = life.statements()
        assert known <= (known := {one.id for one in statements})
        assert {(e.session, e.turn) for one in statements for e in one.evidence} == life.kept


def what_is_told_and_retracted_leaves_no_trace(history: list[Step]) -> None:
    *before, (_, said, items, _) = history
    life = lived(before)
    stood = shown(life)
    plan = life.tell(items[:1], said)
    [outcome] = plan.outcomes
    if outcome.what == "recorded":
        life.retract(outcome.statement)
        left = shown(life)
        assert left.pop(outcome.statement)[0] == "retracted"
        assert left == stood


def saying_it_again_only_supports(history: list[Step]) -> None:
    life = lived(history)
    *_, (_, _, items, number) = history
    if items[0][0].done:
        return  # a deed that is told of twice may have been done twice
    # At a moment of its own: of two things said at one moment neither is the later one.
    said = 301 if number % 2 else -300
    life.tell(items[:1], said)
    stood = shown(life)
    for _ in range(2):
        plan = life.tell(items[:1], said)
        assert [outcome.what for outcome in plan.outcomes] == ["corroborated"]
        assert (plan.links, plan.retired) == ((), ())
        assert shown(life) == stood


def all_is_settled(history: list[Step]) -> None:
    plan = reconsider(lived(history).graph.nodes(), secret=SECRET, now=NOW)
    assert (plan.links, plan.retired) == ((), ())


def what_held_then_is_what_was_current_then(history: list[Step]) -> None:
    """Of a life in which nothing arrived late."""
    final, replayed = lived(history), Life()
    for place, step in enumerate(history):
        replayed.live(step)
        until = history[place + 1][1] if place + 1 < len(history) else step[1] + 200
        for number in {step[1], (step[1] + until) // 2, until - 1}:
            at = day(number)
            assert final.held(at) == replayed.held(at)


LAWS = [
    one_value_at_a_time,
    successors_have_quotes,
    nothing_is_lost,
    what_is_told_and_retracted_leaves_no_trace,
    saying_it_again_only_supports,
    all_is_settled,
]
MANY = int(os.environ.get("LAWS_EXAMPLES", "10000"))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@given(history=lives())
def test_a_law_of_any_life(law, history):
    law(history)


@given(history=lives(late=False))
def test_what_held_then_is_what_was_current_then_where_nothing_arrived_late(history):
    what_held_then_is_what_was_current_then(history)


@pytest.mark.long
@given(history=lives())
@settings(max_examples=MANY, derandomize=False)
def test_the_laws_of_any_life_long(history):
    for law in LAWS:
        law(history)


@pytest.mark.long
@given(history=lives(late=False))
@settings(max_examples=MANY, derandomize=False)
def test_what_held_then_is_what_was_current_then_long(history):
    what_held_then_is_what_was_current_then(history)


@given(
    st.lists(st.tuples(st.integers(1, 300), st.sampled_from(["user", "assistant"])), min_size=1, max_size=4, unique=True),
    sayings(150, late=False).filter(lambda saying: not saying[0].done and saying[0].temporal == "current"),
)
def test_support_is_the_same_in_whatever_order_it_comes(tellings, saying):
    item = saying[0].model_copy(update={"time": None})
    seen = set()
    for order in permutations(tellings):
        life = Life()
        for said, role in order:
            life.tell([(item, role)], said)
        [one] = life.statements()
        supports = frozenset((e.said_at, e.role, e.quote) for e in one.evidence)
        seen.add((one.tier, one.status, one.confidence, supports))
    assert len(seen) == 1
