"""What every graph must do, as a suite that each engine's test module subclasses, and random histories to try it on."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from graph_world import DIMENSION, TEXTS, at, evidence, link, long_history, session, small_world, statement, turn, vector
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import GraphDamaged, InputError, StoreError
from graphmem.graph.base import Near
from graphmem.graph.reference import ReferenceGraph
from graphmem.graph.schema import TABLES
from graphmem.records import (
    LINK_KINDS,
    Confirmation,
    Delta,
    EntityRecord,
    LinkRecord,
    LinkRetired,
    MentionRecord,
    Retirement,
    SameAsRecord,
    StatementRecord,
    TurnRecord,
    VectorRecord,
)


def reference_of(deltas: list[Delta]) -> ReferenceGraph:
    graph = ReferenceGraph(DIMENSION)
    for delta in deltas:
        graph.apply(delta)
    return graph


@st.composite
def histories(draw) -> list[Delta]:
    """Random deltas over few names, so that repeats, conflicts and late edges are common; every edge has its ends."""
    deltas: list[Delta] = []
    turns: list[TurnRecord] = []
    facts: list[StatementRecord] = []
    entities: list[str] = []
    links: list[LinkRecord] = []
    seq = 0
    small = st.integers(0, 9)
    for _ in range(draw(st.integers(1, 4))):
        parts: dict[str, list[object]] = {name: [] for name in Delta.model_fields if name not in ("seq", "hash")}
        for _ in range(draw(st.integers(0, 14))):
            what, a, b = draw(st.integers(0, 9)), draw(small), draw(small)
            if what == 0 or not turns:
                of = a % 2
                parts["sessions"].append(session(of))
                position = sum(known.session == f"S{of}" for known in turns)
                turns.append(turn(position, of, text=draw(st.sampled_from(TEXTS))))
                parts["turns"].append(turns[-1])
            elif what in (1, 2) or not facts:
                # A known id comes again with other content: what exists must be left as it is.
                facts.append(statement(a, subject=f"u{b % 2}", obj=f"o{b % 3}", text=draw(st.sampled_from(TEXTS))))
                parts["statements"].append(facts[-1])
            elif what == 3:
                parts["evidence"].append(evidence(b % 3, facts[a % len(facts)], turns[b % len(turns)]))
            elif what == 4:
                kind = LINK_KINDS[draw(st.integers(0, 4))]
                links.append(link(kind, facts[a % len(facts)].id, facts[b % len(facts)].id, draw(st.integers(0, 1))))
                parts["links"].append(links[-1])
            elif what == 5:
                entities.append(f"e{a % 4}")
                parts["entities"].append(EntityRecord(id=entities[-1], name=draw(st.sampled_from(TEXTS)), type="t", key="k"))
            elif what == 6 and entities:
                kind = ("SUBJECT", "OBJECT", "MENTIONS")[b % 3]
                parts["mentions"].append(
                    MentionRecord(
                        statement=facts[a % len(facts)].id,
                        entity=entities[b % len(entities)],
                        kind=kind,  # type: ignore[arg-type]
                        tier="stated",
                    )
                )
            elif what == 7:
                values = draw(st.lists(st.floats(-1, 1, width=32), min_size=DIMENSION, max_size=DIMENSION))
                kind, owner = (("statement", facts[a % len(facts)].id), ("turn", turns[a % len(turns)].key))[b % 2]
                parts["vectors"].append(vector(owner, tuple(values), kind, recorded=b))
            elif what == 8:
                fact = facts[a % len(facts)].id
                if b % 2:
                    parts["retirements"].append(Retirement(statement=fact, at=at(b), reason=TEXTS[b % 5], actor="o"))
                else:
                    parts["confirmations"].append(Confirmation(statement=fact, at=at(b), content_hash="h", actor="o"))
            elif what == 9 and links:
                parts["links_retired"].append(LinkRetired(link=links[a % len(links)].id, at=at(b), reason=TEXTS[b % 5]))
            if len(entities) > 1 and a == 9:
                parts["same_as"].append(
                    SameAsRecord(
                        source=entities[0],
                        target=entities[-1],
                        tier="inferred",
                        rule="r",
                        recorded_at=at(b),
                        statement=draw(st.sampled_from(["", "st1", "st2"])),
                    )
                )
        seq += draw(st.integers(1, 3))
        deltas.append(Delta.model_validate({"seq": seq, **parts}))
    return deltas


def brute_force(
    deltas: list[Delta], query: np.ndarray, kinds: list[str], known_at: datetime | None
) -> dict[tuple[str, str], float]:
    """Cosine of each vector with the query, straight from the records (the first of an id counts)."""
    found: dict[str, VectorRecord] = {}
    for delta in deltas:
        for item in delta.vectors:
            found.setdefault(item.id, item)
    result = {}
    for item in found.values():
        if item.kind in kinds and (known_at is None or item.recorded_at <= known_at):
            values = np.array(item.values, dtype=np.float64)
            length = np.linalg.norm(values) * np.linalg.norm(query)
            result[item.owner, item.kind] = float(values @ query / length) if length else 0.0
    return result


def same_answers(one, two) -> None:
    """Two graphs answer every question alike."""
    assert one.dump() == two.dump()
    assert one.counts() == two.counts()
    assert one.applied_seq() == two.applied_seq()
    assert one.nodes() == two.nodes()
    assert one.turns() == two.turns()
    assert one.sessions() == two.sessions()
    assert one.entities() == two.entities()
    assert one.mentions() == two.mentions()
    assert one.same_as() == two.same_as()
    ids = [node.record.id for node in two.nodes()]
    keys = [item.key for item in two.turns()]
    assert one.nodes(ids[::2]) == two.nodes(ids[::2])
    assert one.turns(keys[1:]) == two.turns(keys[1:])
    assert one.mentioning(ids[:3], 5) == two.mentioning(ids[:3], 5)
    assert one.evidence_of(keys[:4]) == two.evidence_of(keys[:4])
    for name in keys[:3]:
        assert one.around(name, 1, 2) == two.around(name, 1, 2)
    assert one.candidates({"u0", "user"}, {"lives_in"}, set()) == two.candidates({"u0", "user"}, {"lives_in"}, set())
    assert one.candidates({"u1"}, set(), {"o1"}) == two.candidates({"u1"}, set(), {"o1"})


class GraphContract:
    """The suite.

    A subclass has the fixture `fresh`: a function that makes an empty graph of dimension 4.
    """

    def test_an_empty_graph_has_nothing(self, fresh):
        graph = fresh()
        assert graph.applied_seq() == 0
        assert graph.nodes() == [] and graph.turns() == [] and graph.sessions() == []
        assert graph.nearest(np.ones(DIMENSION, np.float32), kinds=["turn", "pair", "statement"], k=3) == []
        assert graph.counts() == dict.fromkeys(TABLES, 0)
        assert graph.dump() == {table: [] for table in TABLES}

    def test_records_come_back_exactly(self, fresh):
        graph = fresh()
        deltas = small_world()
        for delta in deltas:
            graph.apply(delta)
        records = [record for delta in deltas for record in delta.statements]
        assert sorted((node.record for node in graph.nodes()), key=lambda r: r.id) == sorted(records, key=lambda r: r.id)
        assert graph.turns() == list(deltas[0].turns)
        assert graph.sessions() == list(deltas[0].sessions)
        assert graph.entities() == list(deltas[0].entities)
        assert graph.same_as() == list(deltas[1].same_as)
        assert graph.applied_seq() == 9

    def test_a_node_carries_its_evidence_links_and_fate(self, fresh):
        graph = fresh()
        deltas = small_world()
        for delta in deltas:
            graph.apply(delta)
        first, second, third = graph.nodes(["st0", "st1", "st2", "unknown"])
        assert [item.turn for item in first.evidence] == ["t0", "t5"]
        assert first.links == ((deltas[0].links[0], at(1_002)),)
        assert second.retirement == deltas[2].retirements[0] and second.confirmations == ()
        assert {(found.kind, retired) for found, retired in second.links} == {("SUPERSEDES", at(1_002)), ("CORRECTS", None)}
        assert third.confirmations == deltas[2].confirmations and third.retirement is None

    def test_applying_a_delta_twice_is_applying_it_once(self, fresh):
        graph, twice = fresh(), fresh()
        for delta in small_world():
            graph.apply(delta)
            twice.apply(delta)
            twice.apply(delta)
        assert graph.dump() == twice.dump() and graph.counts() == twice.counts()

    def test_a_delta_at_or_below_the_applied_one_changes_nothing(self, fresh):
        graph = fresh()
        graph.apply(small_world()[0])
        before = graph.dump()
        graph.apply(Delta(seq=2, statements=(statement(99),)))
        graph.apply(Delta(seq=3, statements=(statement(99),)))
        assert graph.dump() == before and graph.applied_seq() == 3

    def test_what_exists_is_left_as_it_is(self, fresh):
        graph = fresh()
        graph.apply(Delta(seq=1, statements=(statement(0, text="first"),)))
        graph.apply(Delta(seq=2, statements=(statement(0, text="second"), statement(1, text="new"))))
        assert [node.record.text for node in graph.nodes()] == ["first", "new"]

    def test_the_first_retirement_and_every_confirmation_count(self, fresh):
        graph = fresh()
        graph.apply(Delta(seq=1, statements=(statement(0),)))
        for seq in (2, 3):
            graph.apply(
                Delta(
                    seq=seq,
                    retirements=(Retirement(statement="st0", at=at(seq), reason="r", actor="o"),),
                    confirmations=(Confirmation(statement="st0", at=at(seq), content_hash="h", actor="o"),),
                )
            )
        (node,) = graph.nodes()
        assert node.retirement is not None and node.retirement.at == at(2)
        assert [item.at for item in node.confirmations] == [at(2), at(3)]

    def test_the_fate_of_an_erased_statement_means_nothing(self, fresh):
        graph = fresh()
        graph.apply(
            Delta(
                seq=4,
                retirements=(Retirement(statement="gone", at=at(1), reason="r", actor="o"),),
                confirmations=(Confirmation(statement="gone", at=at(1), content_hash="h", actor="o"),),
                links_retired=(LinkRetired(link="gone", at=at(1), reason="r"),),
            )
        )
        assert graph.applied_seq() == 4 and graph.nodes() == []

    @pytest.mark.parametrize(
        "broken",
        [
            {"turns": (turn(0),)},
            {"sessions": (session(),), "turns": (turn(1),)},
            {"evidence": (evidence(0, statement(0), turn(7)),), "statements": (statement(0),)},
            {"links": (link("REFINES", "st0", "missing"),), "statements": (statement(0),)},
            {"mentions": (MentionRecord(statement="st0", entity="e9", kind="OBJECT", tier="stated"),)},
            {"same_as": (SameAsRecord(source="e8", target="e9", tier="stated", rule="r", recorded_at=at(0)),)},
        ],
        ids=["session", "previous", "turn", "statement", "entity", "same"],
    )
    def test_an_edge_without_its_end_is_refused_and_leaves_nothing(self, fresh, broken):
        graph = fresh()
        graph.apply(Delta(seq=1, statements=(statement(50),)))
        before = graph.dump()
        with pytest.raises(GraphDamaged):
            graph.apply(Delta(seq=2, **broken))
        assert graph.dump() == before and graph.applied_seq() == 1
        graph.apply(Delta(seq=2, statements=(statement(51),)))
        assert [node.record.id for node in graph.nodes()] == ["st50", "st51"]

    def test_each_statement_that_says_two_are_one_has_an_edge_of_its_own(self, fresh):
        def said_by(statement_id, rule="nickname", source="e0"):
            return SameAsRecord(source=source, target="e1", tier="stated", rule=rule, recorded_at=at(1), statement=statement_id)

        names = tuple(EntityRecord(id=f"e{n}", name=TEXTS[n], type="person", key=f"k{n}") for n in range(2))
        facts = tuple(statement(n) for n in range(3))
        first = Delta(seq=1, statements=facts[:2], entities=names, same_as=(said_by("st0"), said_by("st1")))
        # Said again by what is there, in other words: the first edge stays; what is new and what is old may come together.
        second = Delta(
            seq=2, statements=facts[2:], same_as=(said_by("st0", "other"), said_by("st2"), said_by("st1", source="e1"))
        )
        graph, loaded = fresh(), fresh()
        graph.apply(first)
        graph.apply(second)
        loaded.load(iter([first, second]))
        assert graph.same_as() == [said_by("st0"), said_by("st1"), said_by("st2"), said_by("st1", source="e1")]
        assert graph.counts()["SAME_AS"] == 4
        same_answers(graph, loaded)

    def test_loading_equals_applying(self, fresh):
        for deltas in (small_world(), long_history(30), []):
            loaded, applied = fresh(), fresh()
            loaded.load(iter(deltas))
            for delta in deltas:
                applied.apply(delta)
            same_answers(loaded, applied)

    def test_loading_needs_an_empty_graph(self, fresh):
        graph = fresh()
        graph.apply(small_world()[0])
        with pytest.raises(StoreError):
            graph.load(small_world())

    def test_statements_are_listed_in_the_order_of_saying(self, fresh):
        graph = fresh()
        graph.apply(Delta(seq=1, statements=tuple(statement(n) for n in (5, 0, 3, 1, 4, 2))))
        assert [node.record.id for node in graph.nodes()] == [f"st{n}" for n in range(6)]
        assert [node.record.id for node in graph.nodes({"st4", "st1"})] == ["st1", "st4"]
        assert graph.nodes([]) == []

    def test_candidates_share_the_subject_and_the_predicate_or_the_object(self, fresh):
        graph = fresh()
        graph.apply(
            Delta(
                seq=1,
                statements=(
                    statement(0, subject="user", predicate="lives_in", obj="lisbon"),
                    statement(1, subject="user", predicate="likes", obj="lisbon"),
                    statement(2, subject="user", predicate="likes", obj="tea"),
                    statement(3, subject="bob", predicate="lives_in", obj="lisbon"),
                ),
            )
        )

        def found(*arguments):
            return [node.record.id for node in graph.candidates(*arguments)]

        assert found({"user"}, {"lives_in"}, set()) == ["st0"]
        assert found({"user"}, {"lives_in"}, {"lisbon"}) == ["st0", "st1"]
        assert found({"user", "bob"}, set(), {"lisbon"}) == ["st0", "st1", "st3"]
        assert found({"user"}, set(), set()) == [] and found(set(), {"likes"}, {"tea"}) == []

    def test_neighbours_of_a_turn_follow_the_chain(self, fresh):
        graph = fresh()
        turns = [turn(n) for n in range(75)] + [turn(n, of=1) for n in range(3)]
        graph.apply(Delta(seq=1, sessions=(session(0), session(1)), turns=tuple(turns)))

        def positions(*arguments):
            return [(item.session, item.position) for item in graph.around(*arguments)]

        assert positions(turns[10].key, 2, 1) == [("S0", n) for n in (8, 9, 10, 11)]
        assert positions(turns[0].key, 5, 0) == [("S0", 0)]
        assert positions(turns[74].key, 0, 5) == [("S0", 74)]
        assert positions(turns[70].key, 65, 3) == [("S0", n) for n in range(5, 74)]
        assert positions(turns[76].key, 9, 9) == [("S1", n) for n in range(3)]
        assert graph.around("unknown", 1, 1) == []

    def test_traversal_finds_statements_that_share_an_entity_the_rarest_first(self, fresh):
        graph = fresh()
        shared = {0: ("all", "pair"), 1: ("all",), 2: ("all", "pair"), 3: ("all", "own"), 4: ()}
        graph.apply(
            Delta(
                seq=1,
                statements=tuple(statement(n) for n in shared),
                entities=tuple(EntityRecord(id=name, name=name, type="t", key=name) for name in ("all", "pair", "own")),
                mentions=tuple(
                    MentionRecord(statement=f"st{n}", entity=name, kind=kind, tier="stated")
                    for n, names in shared.items()
                    for name in names
                    for kind in ("SUBJECT", "MENTIONS")
                ),
            )
        )
        assert graph.mentioning(["st0"], 10) == [
            ("st0", "pair", "st2"),
            ("st0", "all", "st1"),
            ("st0", "all", "st2"),
            ("st0", "all", "st3"),
        ]
        assert graph.mentioning(["st0"], 2) == [("st0", "pair", "st2"), ("st0", "all", "st1")]
        assert graph.mentioning(["st4", "unknown"], 9) == [] and graph.mentioning([], 9) == []
        assert graph.mentioning(["st0"], 0) == []

    def test_traversal_finds_statements_that_rest_on_turns(self, fresh):
        graph = fresh()
        deltas = small_world()
        graph.load(deltas)
        first = deltas[0].turns[0].key
        assert graph.evidence_of([first, "unknown"]) == [(first, "st0"), (first, "st5")]
        assert graph.evidence_of([]) == []

    def test_nearest_is_exact_filtered_and_ordered(self, fresh):
        graph = fresh()
        graph.load(small_world())
        query = np.array([1.0, 0.0, 0.0, 0.0], np.float32)
        near = graph.nearest(query, kinds=["statement"], k=5)
        assert [item.owner for item in near] == ["st0", "st5"]
        assert [item.similarity for item in near] == pytest.approx([1.0, 0.6], abs=1e-5)
        assert isinstance(near[0], Near) and near[0].kind == "statement"
        assert [i.owner for i in graph.nearest(query, kinds=["statement"], k=5, known_at=at(59))] == ["st0"]
        assert len(graph.nearest(query, kinds=["turn", "pair", "statement"], k=3)) == 3
        assert graph.nearest(query, kinds=[], k=3) == [] and graph.nearest(query, kinds=["turn"], k=0) == []
        assert graph.nearest(np.zeros(DIMENSION, np.float32), kinds=["turn"], k=3) == []

    def test_nearest_breaks_ties_by_owner(self, fresh):
        graph = fresh()
        owners = ["c", "a", "d", "b"]
        graph.apply(Delta(seq=1, vectors=tuple(vector(owner, (0.0, 1.0, 0.0, 0.0)) for owner in owners)))
        near = graph.nearest(np.array([0.0, 1.0, 0.0, 0.0], np.float32), kinds=["statement"], k=3)
        assert [item.owner for item in near] == ["a", "b", "c"]

    def test_vectors_of_another_dimension_are_refused(self, fresh):
        graph = fresh()
        with pytest.raises(InputError):
            graph.nearest(np.ones(DIMENSION + 1, np.float32), kinds=["turn"], k=1)
        with pytest.raises(InputError):
            graph.apply(Delta(seq=1, vectors=(vector("a", (1.0, 2.0)),)))
        assert graph.applied_seq() == 0

    def test_closing_twice_is_safe(self, fresh):
        graph = fresh()
        graph.close()
        graph.close()


# A Hypothesis test may not be inherited; each engine's module wraps this one.
random_history = given(deltas=histories(), numbers=st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4))


def check_history(make, deltas: list[Delta], numbers: list[float]) -> None:
    """A random history is answered as by the reference, applied or loaded, and its vectors as by brute force."""
    graph, oracle = make(), reference_of(deltas)
    for delta in deltas:
        graph.apply(delta)
    same_answers(graph, oracle)
    query = np.array(numbers, np.float32)
    expected = brute_force(deltas, query.astype(np.float64), ["statement", "turn"], at(5))
    near = graph.nearest(query, kinds=["statement", "turn"], k=100, known_at=at(5))
    if query.any():
        assert {(item.owner, item.kind) for item in near} == expected.keys()
        for item in near:
            assert item.similarity == pytest.approx(expected[item.owner, item.kind], abs=1e-5)
        assert [item.similarity for item in near] == sorted((i.similarity for i in near), reverse=True)
    loaded = make()
    loaded.load(deltas)
    same_answers(loaded, oracle)
