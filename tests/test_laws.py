"""Laws of reconciliation and time, over random histories."""

from itertools import permutations

from build import NOW, SECRET, World, claim, interval
from hypothesis import given
from hypothesis import strategies as st

from graphmem.graph.base import Node
from graphmem.reconcile import reconsider, withdraw
from graphmem.records import StatementRecord
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
