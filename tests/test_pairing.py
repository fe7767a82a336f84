"""Marks bring together all that can matter to each other: the plans are those of comparing every pair."""

from datetime import timedelta

import all_pairs
import pytest
from build import NOW, SECRET, claim, interval, session
from hypothesis import event, given, settings
from hypothesis import strategies as st

from graphmem.admission import Admission, Admitted
from graphmem.canonical import coarser, names_same, refines
from graphmem.duties import same_task
from graphmem.graph.base import Node
from graphmem.graph.reference import ReferenceGraph
from graphmem.grounding import ground
from graphmem.pairing import Pairing, posts, seeks
from graphmem.reconcile import reconcile, reconsider, uplift, withdraw
from graphmem.recorded import turn_records
from graphmem.records import Confirmation, Delta, Retirement, SessionRecord
from graphmem.rivals import exclusion
from graphmem.timeline import _ending, _refinement, conclude

VALUES = {
    "likes": ["coffee", "coffee in the morning", "black coffee", "olives", "2 cups of coffee", "—"],
    "dislikes": ["coffee", "olives"],
    "prefers": ["coffee", "tea", "sparkling water"],
    "lives_in": ["Lisbon", "Alfama in Lisbon", "Oslo", "Old Oslo", "number 3 in Lisbon", "—"],
    "works_at": ["Bosch", "Siemens", "—"],
    "attribute": ["number 214", "number 241", "blue"],
    "uses_tool": ["Windows", "Windows 11", "Fedora", "a desktop in Fedora", "coffee"],
    "owns": ["two cats", "3 cats", "a cat", "Windows", "3 dogs"],
    "has_family": ["one brother", "three brothers", "brother"],
    "born_on": ["12 March", "March 21", "1985", "1986-03-12"],
    "diet": ["vegan", "vegetarian food", "strict vegan", "coffee"],
    "name": ["Ana", "Anna", "Ana Maria"],
    "studies_at": ["Lund", "a school in Lund"],
    "start_day_with": ["coffee", "tea"],
}
TASKS = ["book the chimney sweep", "return the drill to Mikko", "return the drill", "drill"]
PLANS = ["a trip to Oslo", "flying to Oslo", "a meeting with Kim", "a meeting with Lee", "going to a party"]
FATES = ["trip to Oslo", "trip", "meeting", "meeting with Lee", "party", "holiday in Oslo"]
DEEDS = ["booked the chimney sweep", "returned the drill to Mikko", "sold the drill"]


# Few relations at a time, so that statements meet; the sorts beside them are rarer.
THEMES = [
    ["likes", "dislikes", "start_day_with"],
    ["lives_in", "works_at"],
    ["prefers", "uses_tool"],
    ["diet", "works_at"],
    ["attribute", "name"],
    ["owns", "uses_tool", "likes"],
    ["has_family", "born_on", "studies_at"],
    sorted(VALUES),
]
SORTS = {
    "values": ["value"] * 10 + ["event"],
    "tasks": ["task", "task", "deed"],
    "plans": ["plan", "plan", "fate"],
    "all": ["value"] * 8 + ["task", "deed", "event", "plan", "fate"],
}


@st.composite
def claims(draw, theme=tuple(VALUES), sorts="all"):
    """A claim of one of the sorts, about one of the relations."""
    sort = draw(st.sampled_from(SORTS[sorts]))
    more = {"subject": draw(st.sampled_from(["user", "user", "user", "sister"]))}
    start = draw(st.one_of(st.none(), st.integers(-300, 300)))
    length = draw(st.one_of(st.none(), st.integers(1, 200)))
    if start is not None or draw(st.booleans()):
        end = None if length is None else (start or 0) + length
        more["time"] = interval(start, end, draw(st.sampled_from(["day", "month", "year"])))
    if sort == "task":
        due = draw(st.sampled_from([None, "2025-05-01", "2025-06-01"]))
        name = draw(st.sampled_from(["task", "task", "errand"]))
        return claim(name, draw(st.sampled_from(TASKS)), kind="open_item", details={"due": due, "verb": "do"}, **more)
    if sort == "deed":
        return claim("task", draw(st.sampled_from(DEEDS)), kind="open_item", done=True, details={"verb": "do"}, **more)
    if sort == "plan":
        kind, details, future = "fact", {}, {"temporal": "future", "modality": "intended"}
        if draw(st.booleans()):
            kind, details, future = "open_item", {"due": None, "verb": "attend"}, {}
        return claim("wants", draw(st.sampled_from(PLANS)), kind=kind, details=details, **future, **more)
    if sort == "fate":
        thing, told = draw(st.sampled_from(FATES)), draw(st.sampled_from(["off", "moved", "held", "over"]))
        details = {"due": None, "verb": "attend", "thing": thing, "fate": told}
        return claim("to_do", thing, kind="open_item", done=True, details=details, **more)
    if sort == "event" and draw(st.booleans()):
        undone = draw(st.booleans())
        text = draw(st.sampled_from(["sold my bike", "sold any bike or car", "attended a workshop on glazing"]))
        polarity, type_ = ("negative", "never") if undone else ("positive", "event")
        return claim("episode", text, kind="episode", temporal="past", polarity=polarity, details={"type": type_}, **more)
    if sort == "event":
        kind = draw(st.sampled_from(["episode", "procedure"]))
        return claim("event", draw(st.sampled_from(["coffee", "Lisbon"])), kind=kind, temporal="past", **more)
    predicate = draw(st.sampled_from(list(theme)))
    value = draw(st.sampled_from(VALUES[predicate]))
    tenses = ["ended"] if value == "—" else ["current"] * 6 + ["past", "ended", "ended", "future"]
    return claim(
        predicate,
        value,
        kind=draw(st.sampled_from(["fact", "fact", "preference"])),
        polarity=draw(st.sampled_from(["positive", "positive", "positive", "negative"])),
        temporal=draw(st.sampled_from(tenses)),
        modality=draw(st.sampled_from(["asserted"] * 10 + ["intended", "possible"])),
        context=draw(st.sampled_from([None, None, None, "at home", "at work"])),
        cue=draw(st.sampled_from([None, None, None, "change", "correction", "addition"])),
        replaces=draw(st.sampled_from([None] * 5 + ["coffee", "Windows", "Oslo", "Windows 11 at home", "cats"])),
        hedged=draw(st.sampled_from([False] * 8 + [True])),
        **more,
    )


class History:
    """A memory that takes in what both ways agree on, with every statement in view."""

    def __init__(self):
        self.graph, self.seq, self.rules = ReferenceGraph(dimension=4), 0, set()

    def admit(self, items, on):
        """The session and its admitted claims, one turn each."""
        said = session(self.seq, *(item.quote for item in items), on=on)
        admission = Admission(said, user="u", secret=SECRET, extractor="test/1", now=self.now)
        placed = [item.model_copy(update={"turn": f"t{n}"}) for n, item in enumerate(items, 1)]
        admitted = [admission.admit(ground(item, said)) for item in placed]
        assert all(isinstance(item, Admitted) for item in admitted)
        return said, admitted

    @property
    def now(self):
        return NOW - timedelta(days=100) + timedelta(seconds=self.seq)

    def tell(self, items, on, corrects=None):
        said, admitted = self.admit(items, on)
        nodes = self.graph.nodes()
        plan = reconcile(admitted, nodes, secret=SECRET, now=self.now, corrects=corrects)
        assert plan == all_pairs.reconcile(admitted, nodes, secret=SECRET, now=self.now, corrects=corrects)
        self.rules |= {f"{link.kind} {link.rule}" for link in plan.links}
        record = SessionRecord(id=said.id, started=said.started, ended=None, topic=None, channel=None, recorded_at=self.now)
        self.apply(plan, sessions=(record,), turns=tuple(turn_records(said)))
        return plan

    def withdraw(self, gone):
        nodes = self.graph.nodes()
        plan = withdraw(nodes, gone, secret=SECRET, now=self.now, reason="test")
        assert plan == all_pairs.withdraw(nodes, gone, secret=SECRET, now=self.now, reason="test")
        self.apply(plan, retirements=(Retirement(statement=gone, at=self.now, reason="test", actor="owner"),))

    def confirm(self, id_):
        nodes = self.graph.nodes()
        plan = uplift(nodes, id_, secret=SECRET, now=self.now)
        assert plan == all_pairs.uplift(nodes, id_, secret=SECRET, now=self.now)
        self.apply(plan, confirmations=(Confirmation(statement=id_, at=self.now, content_hash="", actor="owner"),))

    def apply(self, plan, **more):
        self.seq += 1
        if plan is not None:
            more |= {"statements": plan.statements, "evidence": plan.evidence, "links": plan.links}
            more["links_retired"] = plan.retired
        self.graph.apply(Delta(seq=self.seq, **more))


@st.composite
def histories(draw):
    """Acts upon a memory: sessions of up to four claims, corrections, withdrawals and confirmations."""
    some = claims(draw(st.sampled_from(THEMES)), draw(st.sampled_from(["values"] * 4 + ["tasks", "plans", "all", "all"])))
    act = st.sampled_from(["tell"] * 7 + ["withdraw", "confirm", "correct"])
    step = st.tuples(act, st.lists(some, min_size=1, max_size=4), st.integers(1, 300), st.integers(0, 1000))
    return draw(st.lists(step, min_size=6, max_size=12))


def lived(history, world=None):
    """The memory after these acts; each is checked as it is taken."""
    world = world or History()
    for act, items, on, number in history:
        open_to = [node.record.id for node in world.graph.nodes() if node.retirement is None]
        chosen = open_to[number % len(open_to)] if open_to else None
        if act == "tell" or chosen is None:
            world.tell(items, on)
        elif act == "correct":
            world.tell(items, on, corrects=chosen)
        elif act == "withdraw":
            world.withdraw(chosen)
        else:
            world.confirm(chosen)
    for rule in world.rules:
        event(rule)
    return world


@given(histories())
@settings(max_examples=100)
def test_every_plan_is_that_of_comparing_all_pairs(history):
    lived(history)


@pytest.mark.long
@given(histories())
@settings(max_examples=3000)
def test_every_plan_is_that_of_comparing_all_pairs_long(history):
    lived(history)


@given(histories(), st.sets(st.integers(0, 40)))
def test_what_is_left_after_an_erasure_is_settled_as_by_comparing_all_pairs(history, gone):
    nodes = lived(history).graph.nodes()
    left = {node.record.id for place, node in enumerate(nodes) if place not in gone}
    kept = [
        node._replace(links=tuple(pair for pair in node.links if {pair[0].source, pair[0].target} <= left))
        for node in nodes
        if node.record.id in left
    ]
    plan = reconsider(kept, secret=SECRET, now=NOW)
    assert plan == all_pairs.reconsider(kept, secret=SECRET, now=NOW)


def admitted_of(items):
    return [admitted for number, item in enumerate(items) for admitted in _one(item, number)]


def _one(item, number):
    world = History()
    world.seq = number
    return world.admit([item], on=number * 7)[1]


@given(st.sampled_from(THEMES).flatmap(lambda theme: st.lists(claims(theme), min_size=5, max_size=30)))
def test_all_conclusions_about_a_set_are_those_of_comparing_all_pairs(items):
    records = [item.record for item in admitted_of(items)]
    tiers = {record.id: record.tier for record in records}
    assert conclude(records, tiers) == all_pairs.conclude(records, tiers)


@given(st.sampled_from(THEMES).flatmap(lambda theme: st.lists(claims(theme), min_size=5, max_size=20)))
def test_two_that_can_matter_to_each_other_share_a_mark_seen_from_either(items):
    records = [item.record for item in admitted_of(items)]
    for left in records:
        for right in records:
            if left.subject_key != right.subject_key or left.id == right.id:
                continue
            matter = exclusion(left, right) or _ending(left, right) or _refinement(left, right)
            deed = left.model_copy(update={"details": {**left.details, "type": "done"}, "kind": "episode"})
            if matter:
                assert seeks(left) & posts(right)
                assert seeks(right) & posts(left)
            if right.kind == "open_item" and "fate" not in left.details and same_task(deed, right):
                assert seeks(deed) & posts(right)
                assert seeks(right) & posts(deed)


words = st.lists(st.sampled_from(["coffee", "in", "morning", "2", "214", "b52"]), max_size=5).map(" ".join)


@given(words, words, st.sampled_from(["positive", "negative"]))
def test_a_key_that_names_another_is_found_by_its_words(one, other, polarity):
    [left] = _one(claim("likes", "x"), 1)
    [right] = _one(claim("likes", "x"), 2)
    denial = left.record.model_copy(update={"object_key": one, "polarity": "negative"})
    plain = right.record.model_copy(update={"object_key": other})
    if names_same(one, other):
        assert Pairing([plain]).near(denial) == [plain.id]
        assert Pairing([denial]).near(plain) == [denial.id]


@given(words.filter(str.strip))
def test_the_keys_that_one_refines_are_ends_of_it(fine):
    ends = [" ".join(fine.split()[place:]) for place in range(len(fine.split()))]
    assert coarser(fine) == [end for end in ends if refines(fine, end)]


def test_plain_likes_of_different_things_have_nothing_to_do_with_each_other():
    records = [item.record for item in admitted_of([claim("likes", f"tea number {n} in Oslo") for n in range(50)])]
    pairing = Pairing(records)
    assert all(pairing.near(record) == [] for record in records)


def test_links_elsewhere_are_left_alone():
    world = History()
    world.tell([claim("lives_in", "Oslo")], 1)
    world.tell([claim("lives_in", "Lund", cue="change")], 50)
    [old, new] = world.graph.nodes()
    # A link that does not follow, about statements that the next claim has nothing to do with.
    [(link, _)] = old.links
    wrong = link.model_copy(update={"source": old.record.id, "target": new.record.id})
    nodes = [Node(n.record, n.evidence, ((wrong, None),), None, ()) for n in (old, new)]
    _, admitted = world.admit([claim("likes", "tea")], 60)
    plan = reconcile(admitted, nodes, secret=SECRET, now=NOW)
    assert (plan.links, plan.retired) == ((), ())
    assert reconsider(nodes, secret=SECRET, now=NOW).retired != ()
