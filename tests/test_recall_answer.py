"""What an answer may and may not contain."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_world import EMBEDDER, NOW, START, Store, ids, shown

from graphmem.errors import InputError
from graphmem.recall.searcher import Searcher
from graphmem.records import Delta


@pytest.fixture
def moved():
    """One who lived in Turin, then in Bergamo."""
    store = Store()
    old = store.know(store.say(0, "I live in Turin, near the river"), "User lives in Turin", "lives_in", "Turin")
    new = store.know(store.say(50, "we moved to Bergamo"), "User lives in Bergamo", "lives_in", "Bergamo")
    store.link("SUPERSEDES", new, old, day=50)
    return store, old, new


def test_the_old_value_comes_flagged_behind_the_new_one(moved):
    store, old, new = moved
    found = store.recall("Where do I live?")
    assert ids(found)[:2] == [new, old]
    assert [hit.flags for hit in found.hits[:2]] == [(), ("superseded",)]
    assert found.superseded_shown == 1


def test_with_room_for_one_hit_only_the_new_value_is_shown(moved):
    store, _, new = moved
    for query in ("Where do I live?", "Turin", "Do I live in Turin near the river?"):
        assert ids(store.recall(query, k=1, min_score=0)) == [new]


def test_a_question_about_the_old_value_finds_the_new_one_first(moved):
    store, old, new = moved
    found = ids(store.recall("Do I live in Turin?"))
    assert found.index(new) < found.index(old)


def test_an_old_turn_is_flagged_and_stands_behind_what_replaced_it(moved):
    store, _, new = moved
    found = store.recall("Turin, near the river", min_score=0)
    old = [hit for hit in found.hits if "Turin" in (hit.statement.text if hit.statement else hit.turn.text)]
    assert old
    assert all("superseded" in hit.flags for hit in old)
    assert ids(found)[0] == new


def test_as_of_an_earlier_day_the_old_value_is_the_answer(moved):
    store, old, new = moved
    found = store.recall("Where do I live?", at=START + timedelta(days=10))
    assert ids(found)[0] == old
    assert new not in ids(found)
    assert found.hits[0].flags == ()
    assert all(hit.turn is None or hit.turn.time <= START + timedelta(days=10) for hit in found.hits)


def test_what_was_not_known_yet_is_not_found(moved):
    store, old, new = moved
    then = START + timedelta(days=10)
    found = store.recall("Where do I live?", at=then, known_at=then, min_score=0)
    assert ids(found)[0] == old
    assert new not in ids(found)
    assert all("Bergamo" not in hit.turn.text for hit in found.hits if hit.turn is not None)
    assert found.hits[0].flags == ()


@st.composite
def chains(draw):
    """Places one lived in, and which of them took the place of which earlier one."""
    size = draw(st.integers(2, 5))
    pairs = [(new, old) for new in range(size) for old in range(new)]
    return size, draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6))


@settings(max_examples=15)
@given(chains(), st.integers(1, 8), st.sampled_from([None, 0.0]))
def test_no_superseded_statement_comes_without_its_successors_before_it(chain, k, min_score):
    size, pairs = chain
    towns = ["Porto", "Braga", "Faro", "Evora", "Sintra"][:size]
    store = Store()
    known = [
        store.know(store.say(10 * n, f"I live in {town}"), f"User lives in {town}", "lives_in", town)
        for n, town in enumerate(towns)
    ]
    for new, old in pairs:
        store.link("SUPERSEDES", known[new], known[old], day=100)
    found = store.recall("Where do I live?", k=k, min_score=min_score)
    assert len(found.hits) <= k
    before = set()
    for hit in found.hits:
        if hit.statement is not None:
            assert set(hit.statement.superseded_by) <= before
            assert ("superseded" in hit.flags) == bool(hit.statement.superseded_by)
            before.add(hit.statement.id)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_both_sides_of_a_contradiction_are_brought_and_flagged():
    store = Store()
    twelfth = store.know(store.say(0, "my birthday is on 12 May"), "User was born on 12 May", "born_on", "12 May")
    store.say(1, "how do I bake bread?")
    other = store.know(store.say(9, "my birthday is on 21 May"), "User was born on 21 May", "born_on", "21 May")
    store.link("CONTRADICTS", other, twelfth, day=9)
    for k in (1, 8):
        found = store.recall("When is my birthday?", k=k)
        [pair] = found.contradictions
        assert (pair.a.id, pair.b.id, pair.status) == (twelfth, other, "open")
        assert all("contradicted" in hit.flags for hit in found.hits)


def test_a_turn_of_a_contradicted_statement_brings_both_sides_too():
    store = Store()
    turn = store.say(0, "I have one cousin, Kurt, who repairs old mopeds in a shed near Lund")
    one = store.know(turn, "User has family: one cousin", "has_family", "one cousin")
    two = store.know(store.say(9, "I have two cousins"), "User has family: two cousins", "has_family", "two cousins")
    store.link("CONTRADICTS", two, one, day=9)
    found = store.recall("old mopeds in a shed", k=1, min_score=0)
    assert [hit.turn.id for hit in found.hits] == [turn]
    assert found.hits[0].flags == ("contradicted",)
    assert [(pair.a.id, pair.b.id) for pair in found.contradictions] == [(one, two)]


def test_a_contradiction_with_a_withdrawn_side_is_over():
    store = Store()
    kept = store.know(store.say(0, "my birthday is on 12 May"), "User was born on 12 May", "born_on", "12 May")
    other = store.know(store.say(9, "my birthday is on 21 May"), "User was born on 21 May", "born_on", "21 May")
    store.link("CONTRADICTS", other, kept, day=9)
    store.retract(other, day=10)
    found = store.recall("When is my birthday?")
    assert ids(found) == [kept]
    assert found.contradictions == ()
    assert found.hits[0].flags == ()


@pytest.mark.parametrize("min_score", [None, 0])
def test_what_was_taken_back_or_only_suggested_is_never_served(min_score):
    store = Store()
    gone = store.know(store.say(0, "I keep ostriches"), "User keeps ostriches", "keep", "ostriches")
    wrong = store.know(store.say(1, "I keep emus"), "User keeps emus", "keep", "emus")
    right = store.know(store.say(2, "I meant I keep geese"), "User keeps geese", "keep", "geese")
    said = store.say(3, "you keep herons", role="assistant")
    guess = store.know(said, "User keeps herons", "keep", "herons", tier="inferred")
    store.retract(gone, day=5)
    store.link("CORRECTS", right, wrong, day=5)
    found = store.recall("Which birds do I keep?", min_score=min_score)
    assert right in ids(found)
    assert not {gone, wrong, guess} & set(ids(found))
    assert all("ostriches" not in hit.turn.text for hit in found.hits if hit.turn is not None)


def test_a_plan_whose_time_is_over_is_marked_as_past():
    store = Store()
    turn = store.say(0, "we plan a trip to Malta in May")
    period = {"valid_from": START + timedelta(days=61), "valid_to": START + timedelta(days=92)}
    plan = store.know(turn, "User plans a trip to Malta", "wants", "a trip to Malta", modality="intended", **period)
    now = store.recall("Which trip do I plan?")
    assert ids(now) == [plan]
    assert now.hits[0].flags == ("past",)
    before = START + timedelta(days=30)
    then = store.searcher.recall("Which trip do I plan?", at=before, known_at=before, now=before)
    assert [hit.flags for hit in then.hits] == [()]


def test_the_memory_does_not_quote_itself():
    store = Store()
    store.say(0, "User lives in Bilbao and plays the oboe", role="memory")
    store.say(0, "good morning, I play chess")
    found = store.recall("Do I play the oboe in Bilbao?", min_score=0, k=50)
    assert ids(found) == ["d0t1"]


def test_a_statement_stands_for_the_turn_it_rests_on():
    store = Store()
    known = store.know(store.say(0, "I drive a tram"), "User drives a tram", "has_vehicle", "a tram")
    store.say(1, "what is a semicolon for?")
    assert ids(store.recall("What do I drive?")) == [known]
    wide = ids(store.recall("What do I drive?", min_score=0))
    assert wide[0] == known
    assert "d0t0" not in wide


def test_kinds_leave_only_such_statements():
    store = Store()
    turn = store.say(0, "I like rain, and I work as a roofer")
    likes = store.know(turn, "User likes rain", "likes", "rain", kind="preference")
    store.know(turn, "User works as a roofer", "has_job", "a roofer")
    assert ids(store.recall("rain or roofer?", kinds=["preference"], min_score=0)) == [likes]
    assert ids(store.recall("rain or roofer?", kinds=["episode"], min_score=0)) == []
    with pytest.raises(InputError, match="opinion"):
        store.recall("rain", kinds=["opinion"])


def test_session_summaries_come_only_when_episodes_are_asked_for():
    store = Store()
    turn = store.say(0, "I rowed to the island")
    text = "Session of 2025-03-01: User rowed to the island"
    more = {"kind": "episode", "details": {"type": "session"}}
    summary = store.know(turn, text, "session", text, **more)
    assert summary not in ids(store.recall("Did I row to the island?", min_score=0))
    assert ids(store.recall("Did I row to the island?", kinds=["episode"])) == [summary]


def test_a_turn_of_which_something_was_withdrawn_is_not_served_in_its_place():
    store = Store()
    turn = store.say(0, "I run marathons and I keep bees on the roof")
    gone = store.know(turn, "User runs marathons", "run", "marathons")
    kept = store.know(turn, "User keeps bees", "keep", "bees")
    text = "Session of 2025-03-01: User keeps bees"
    store.know(turn, text, "session", text, kind="episode", details={"type": "session"})
    store.retract(gone, day=2)
    assert ids(store.recall("Do I run marathons?")) == []
    assert ids(store.recall("Do I keep bees?")) == [kept]
    store.retract(kept, day=3)
    assert ids(store.recall("Do I keep bees?", min_score=0)) == []


def test_an_index_that_was_fed_equals_one_that_was_read():
    store = Store()
    fed = Searcher(store.graph, EMBEDDER)
    fed.refresh()
    applied = store.graph.apply

    def apply(delta):
        before = store.graph.applied_seq()
        applied(delta)
        fed.add(delta, before=before)

    store.graph.apply = apply
    first = store.know(store.say(0, "I sail a dinghy"), "User sails a dinghy", "sail", "a dinghy")
    second = store.know(store.say(3, "Mia races my dinghy"), "Mia races a dinghy", "race", "a dinghy", subject="Mia")
    store.mention("dinghy", first, second)
    assert fed.corpus.seq == store.graph.applied_seq()
    for query in ("Who races?", "What do I sail?", "dinghy"):
        mine = fed.recall(query, min_score=0, at=NOW, known_at=NOW, now=NOW)
        fresh = Searcher(store.graph, EMBEDDER).recall(query, min_score=0, at=NOW, known_at=NOW, now=NOW)
        assert [(shown(hit), hit.path, hit.flags) for hit in mine.hits] == [
            (shown(hit), hit.path, hit.flags) for hit in fresh.hits
        ]
        assert [hit.score for hit in mine.hits] == pytest.approx([hit.score for hit in fresh.hits])


def test_a_delta_that_does_not_follow_is_read_from_the_graph_instead(moved):
    store, _, new = moved
    late = Searcher(store.graph, EMBEDDER)
    late.add(Delta(seq=store.graph.applied_seq()), before=3)
    assert late.corpus.seq == -1
    assert late.recall("Where do I live?", at=NOW, known_at=NOW, now=NOW).hits[0].statement.id == new


def test_the_other_side_and_the_figure_before_stand_right_behind_when_they_were_found():
    store = Store()
    one = store.know(store.say(0, "my birthday is on 12 May"), "User was born on 12 May", "born_on", "12 May")
    store.say(1, "what do I need for a birthday party on a day in May?")
    other = store.know(store.say(9, "they wrote 21 May into my pass"), "User was born on 21 May", "born_on", "21 May")
    store.link("CONTRADICTS", other, one, day=9)
    found = store.recall("When is my birthday in May?", min_score=0)
    assert ids(found)[:2] in ([one, other], [other, one])
    assert found.hits[1].path[-1].startswith("contradicts: ")
    figure = {"context": "yarn budget", "details": {"about": "budget yarn", "head": "budget", "number": "1", "unit": "$"}}
    old = store.know(store.say(10, "my yarn budget is $40"), "User's yarn budget is $40", "attribute", "$40", **figure)
    store.say(11, "is a yarn budget a good thing to have?")
    new = store.know(store.say(12, "my yarn budget is now $55"), "User's yarn budget is $55", "attribute", "$55", **figure)
    store.link("SUPERSEDES", new, old, day=12)
    found = store.recall("What is my yarn budget?", min_score=0)
    assert [shown for shown in ids(found) if shown in (old, new)] == [new, old] == ids(found)[:2]
    assert found.hits[1].flags == ("superseded",)
