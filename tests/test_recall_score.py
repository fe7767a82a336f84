"""What is found, in which order, and when nothing is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.question import ask
from graphmem.recall.spread import page_rank


@pytest.fixture(scope="module")
def gardener():
    """A few sessions of one person with an assistant."""
    store = Store()
    first = store.say(0, "I work as a gardener in the botanical garden. how do I sharpen shears?")
    store.know(first, "User works as a gardener", "has_job", "a gardener")
    store.know(first, "User works at the botanical garden", "works_at", "the botanical garden")
    store.say(0, "Use a whetstone and work away from the edge.", role="assistant")
    store.know(
        store.say(7, "my aunt Vera lives in Odessa"), "aunt Vera lives in Odessa", "lives_in", "Odessa", subject="aunt Vera"
    )
    store.know(store.say(14, "I live in Riga"), "User lives in Riga", "lives_in", "Riga")
    store.know(store.say(14, "cats make me sneeze, allergy"), "User is allergic to cats", "allergic_to", "cats")
    store.say(21, "the neighbour borrowed our ladder in April and never gave it back")
    store.say(21, "ok thanks, good night")
    store.say(28, '{"city": "Tallinn", "temp": 4}', role="tool")
    store.say(28, "Mercury boils at 357 degrees.", role="assistant")
    return store


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What is my profession?", "d0t0/has_job/a gardener"),
        ("What do I do for a living?", "d0t0/has_job/a gardener"),
        ("Where do I live?", "d14t0/lives_in/Riga"),
        ("Can you tell me where I live?", "d14t0/lives_in/Riga"),
        ("where does the user live", "d14t0/lives_in/Riga"),
        ("Where does my aunt Vera live?", "d7t0/lives_in/Odessa"),
        ("What am I allergic to?", "d14t1/allergic_to/cats"),
        ("Who has our ladder?", "d21t0"),
    ],
)
def test_a_profile_question_finds_the_one_thing_first(gardener, query, first):
    assert ids(gardener.recall(query))[:1] == [first]


@pytest.mark.parametrize(
    "query",
    [
        "How do glaciers move?",
        "write a limerick about a goat",
        "What is the capital of Chile?",
        "convert 3 gallons to litres",
        "What is my shoe size?",
        "Who is my landlord?",
    ],
)
def test_a_question_that_the_memory_cannot_answer_finds_nothing(gardener, query):
    found = gardener.recall(query)
    assert found.hits == ()
    assert found.below_threshold > 0


@pytest.mark.parametrize("query", ["thanks", "good night", "hello there", "", "?"])
def test_small_talk_finds_nothing_though_such_a_turn_exists(gardener, query):
    assert gardener.recall(query).hits == ()


def test_a_question_made_of_small_words_is_still_a_question():
    store = Store()
    turn = store.say(0, "I go to sleep at nine")
    known = store.know(turn, "User goes to sleep at nine", "sleep", "at nine")
    assert ids(store.recall("When do I go to sleep?")) == [known]


def test_a_threshold_of_nothing_returns_everything_up_to_k(gardener):
    everything = gardener.recall("How do glaciers move?", min_score=0, k=50)
    assert len(everything.hits) >= 9
    assert everything.below_threshold == 0
    assert len(gardener.recall("How do glaciers move?", min_score=0, k=3).hits) == 3
    assert gardener.recall("Where do I live?", min_score=1).hits == ()


def test_scores_and_parts_lie_in_0_to_1_and_scores_fall(gardener):
    found = gardener.recall("Where do I live and work?", min_score=0, k=50)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in found.hits:
        assert 0 <= hit.score <= 1
        assert all(0 <= value <= 1 for value in hit.parts.model_dump().values())
        assert (hit.statement is None) != (hit.turn is None)


def test_the_same_question_gives_the_same_answer(gardener):
    query = "What do I know about gardens?"
    first, second = (gardener.recall(query, min_score=0, k=50).model_dump(exclude={"seconds"}) for _ in range(2))
    assert first == second


def test_another_persons_turn_does_not_answer_for_the_owner():
    store = Store()
    turn = store.say(0, "my aunt Vera lives in Odessa")
    store.know(turn, "aunt Vera lives in Odessa", "lives_in", "Odessa", subject="aunt Vera")
    assert store.recall("Where do I live?").hits == ()
    assert len(store.recall("Where does Vera live?").hits) == 1


def test_what_the_owner_said_stands_before_the_same_words_of_an_assistant():
    store = Store()
    store.say(0, "the spare key is under the blue pot", role="assistant")
    store.say(1, "the spare key is under the blue pot")
    assert ids(store.recall("spare key?", min_score=0)) == ["d1t0", "d0t0"]
    assert ids(store.recall("Where are our keys?")) == ["d1t0"]


def test_a_turn_beside_the_one_that_matches_is_lifted():
    store = Store()
    for day, topic in enumerate(("kites", "tax forms", "mushrooms", "radio plays")):
        store.say(day, f"Tell me something about {topic}", speaker="Ada")
        store.say(day, "It was a gift from my grandfather", speaker="Bo")
    found = ids(store.recall("Who gave Bo mushrooms?", min_score=0, k=8))
    answers = [name for name in found if name.endswith("t1")]
    assert answers[0] == "d2t1"


def test_turns_of_the_speaker_that_is_named_come_first():
    store = Store()
    store.say(0, "I painted the shed green", speaker="Ada")
    store.say(1, "I painted the shed green", speaker="Bo")
    assert ids(store.recall("What did Bo paint?", min_score=0))[0] == "d1t0"
    assert ids(store.recall("What did Ada paint?", min_score=0))[0] == "d0t0"


def test_what_holds_now_stands_before_what_ended_unless_the_past_is_asked_for():
    store = Store()
    old = store.know(store.say(0, "I used to play squash"), "User plays squash", "skill", "play squash", temporal="ended")
    new = store.know(store.say(0, "I play padel"), "User plays padel", "skill", "play padel")
    now = store.recall("Which sport do I play?")
    assert ids(now)[0] == new
    assert {hit.flags for hit in now.hits[1:]} <= {("past",)}
    assert ids(store.recall("Did I play squash?"))[0] == old


def test_a_path_tells_how_the_graph_led_to_the_hit():
    store = Store()
    sister = store.know(store.say(0, "my sister Tove rows"), "sister Tove rows", "row", "", subject="sister Tove")
    home = store.know(
        store.say(3, "Tove moved to Bodø"), "sister Tove lives in Bodø", "lives_in", "Bodø", subject="sister Tove"
    )
    store.mention("sister Tove", sister, home)
    found = store.recall("Where does Tove live?")
    path = found.hits[0].path
    assert "asks for lives_in" in path
    assert "shares sister Tove with: sister Tove rows" in path
    assert any(step.startswith("words: ") and "tove" in step for step in path)


def test_relations_are_asked_for_only_of_somebody_the_memory_knows(gardener):
    gardener.searcher.refresh()
    corpus = gardener.searcher.corpus
    assert ask("Where do I live?", corpus).relations == {"lives_in": 1.0}
    assert ask("Where does Vera live?", corpus).relations == {"lives_in": 1.0}
    assert ask("Where do pandas live?", corpus).relations == {}
    assert ask("tell me where pandas live", corpus).aim == "nobody"


@given(st.lists(st.lists(st.floats(0, 3), min_size=5, max_size=5), min_size=5, max_size=5), st.integers(0, 4))
def test_a_walk_never_makes_rank_from_nothing(rows, start):
    weights = np.array(rows) + np.array(rows).T
    np.fill_diagonal(weights, 0.0)
    seed = np.zeros(5)
    seed[start] = 1.0
    rank = page_rank(weights, seed)
    assert (rank >= 0).all()
    assert rank.sum() <= 1 + 1e-9
    assert rank[start] > 0
    unreached = weights.sum(axis=1) == 0
    unreached[start] = False
    assert (rank[unreached] == 0).all()


def test_an_empty_memory_answers_with_nothing():
    store = Store()
    for min_score in (None, 0):
        found = store.recall("Where do I live?", min_score=min_score)
        assert (found.hits, found.contradictions, found.below_threshold) == ((), (), 0)
