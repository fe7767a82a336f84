"""A plan made from the vicinity of what was said is the one made from all statements."""

import all_pairs
import pytest
from build import NOW, SECRET, claim
from hypothesis import given, settings
from test_pairing import History, histories, lived

from graphmem.closing import closing
from graphmem.graph.base import Node
from graphmem.pairing import Pairing
from graphmem.reconcile import reconcile, reconsider, uplift, withdraw
from graphmem.vicinity import vicinity


def finder(nodes):
    """What fetches statements by marks, and the marks it was asked for."""
    by_id = {node.record.id: node for node in nodes}
    pairing = Pairing(node.record for node in nodes)

    def fetch(marks):
        return [by_id[id_] for id_ in {id_ for mark in marks for id_ in pairing.under(mark)}]

    return fetch


class NearHistory(History):
    """A memory that sees the vicinity only; a confirmation is settled when it is made."""

    def tell(self, items, on, corrects=None):
        _, admitted = self.admit(items, on)
        nodes = self.graph.nodes()
        records = [closing(item.record) if item.done else item.record for item in admitted]
        seen = vicinity(records, finder(nodes), named=self.graph.nodes([corrects] if corrects else []))
        assert seen == self.graph.nodes([node.record.id for node in seen])
        plan = reconcile(admitted, seen, secret=SECRET, now=self.now, corrects=corrects)
        assert plan == all_pairs.reconcile(admitted, nodes, secret=SECRET, now=self.now, corrects=corrects)
        return super().tell(items, on, corrects)

    def withdraw(self, gone):
        nodes = self.graph.nodes()
        [lost] = self.graph.nodes([gone])
        revived = [link.target for link, over in lost.links if link.kind == "CORRECTS" and over is None]
        seen = vicinity([lost.record], finder(nodes), named=self.graph.nodes([gone, *revived]))
        plan = withdraw(seen, gone, secret=SECRET, now=self.now, reason="test")
        assert plan == all_pairs.withdraw(nodes, gone, secret=SECRET, now=self.now, reason="test")
        super().withdraw(gone)

    def confirm(self, id_):
        nodes = self.graph.nodes()
        seen = vicinity([], finder(nodes), named=self.graph.nodes([id_]))
        plan = uplift(seen, id_, secret=SECRET, now=self.now)
        assert plan == all_pairs.uplift(nodes, id_, secret=SECRET, now=self.now)
        super().confirm(id_)


@given(histories())
@settings(max_examples=100)
def test_a_plan_from_the_vicinity_is_that_from_all_statements(history):
    lived(history, NearHistory())


@pytest.mark.long
@given(histories())
@settings(max_examples=3000)
def test_a_plan_from_the_vicinity_is_that_from_all_statements_long(history):
    lived(history, NearHistory())


@given(histories())
def test_what_was_settled_step_by_step_stays_settled(history):
    world = lived(history, NearHistory())
    plan = reconsider(world.graph.nodes(), secret=SECRET, now=NOW)
    assert (plan.links, plan.retired) == ((), ())


def test_the_vicinity_of_one_taste_among_many_is_small():
    world = History()
    _, admitted = world.admit([claim("likes", f"tea number {n} in Oslo", kind="preference") for n in range(500)], 1)
    fetch = finder([Node(item.record, (item.evidence,), (), None, ()) for item in admitted])
    world.seq = 1
    said = [
        claim("likes", "tea number 7 in Oslo", kind="preference"),
        claim("dislikes", "tea number 8 in Oslo", kind="preference"),
        claim("likes", "tea number 9 in Oslo", kind="preference", temporal="ended"),
        claim("likes", "coffee", kind="preference", cue="change", replaces="tea number 10 in Oslo"),
        claim("likes", "juice", kind="preference"),
    ]
    _, new = world.admit(said, 5)
    seen = vicinity([item.record for item in new], fetch)
    assert [node.record.object for node in seen] == [f"tea number {n} in Oslo" for n in (7, 8, 9, 10)]
