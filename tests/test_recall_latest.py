"""Of several tellings of a value the latest comes first, and nothing else moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.latest import told
from graphmem.recall.words import Words


@pytest.fixture(scope="module")
def beekeeper():
    """Figures that are told twice, and one that only looks like it."""
    store = Store()
    store.say(0, "The orchard association has 140 members, and I keep the list of members for them.")
    store.say(0, "A spreadsheet will do for that.", role="assistant")
    store.say(7, "I have booked the annual honey tasting at the mill for 12 June.")
    store.say(14, "I painted the hives. The smell was awful, so I slept at my brother's.")
    store.say(30, "Some news from the list: the number of members of the association has now reached 152.")
    store.say(30, "The association now has 900 members.", role="assistant")
    store.say(40, "They have moved the honey tasting at the mill to 19 June.")
    store.say(41, "Now that the hives are painted I have 3 litres of paint to spare.")
    return store


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("How many members does the orchard association have?", "d30t0", "d0t0"),
        ("When is the annual honey tasting that I booked at the mill?", "d40t0", "d7t0"),
    ],
)
def test_the_latest_telling_comes_first_and_the_older_one_stays(beekeeper, query, first, second):
    found = [one for one in ids(beekeeper.recall(query, min_score=0)) if one in (first, second)]
    assert found == [first, second]


def test_a_question_about_the_past_or_for_several_values_leaves_the_order(beekeeper):
    for query in (
        "How many members did the orchard association have before?",
        "How many members were there in the orchard association?",
        "Between which members of the orchard association is the list passed?",
    ):
        found = [one for one in ids(beekeeper.recall(query, min_score=0)) if one in ("d0t0", "d30t0")]
        assert found == ["d0t0", "d30t0"], query


def test_a_later_turn_about_something_else_does_not_pass(beekeeper):
    found = ids(beekeeper.recall("Where is the honey kept at my brother's?", min_score=0))
    assert found.index("d14t0") < found.index("d41t0")


TOPICS = frozenset(Words().stems("members association"))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("The association now has 152 members.", 1.0),
        ("We have 152 members in the association.", 0.0),  # a figure, and nothing has changed
        ("The association changed its members.", 0.0),  # a change, and no figure
        ("It is new. The association has 152 members.", 0.0),  # not in one sentence
        ("There are now 152 members. The hall is cold.", 0.5),
    ],
)
def test_a_change_needs_a_figure_in_the_same_sentence(text, share):
    assert told(text, TOPICS, Words()) == share


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text):
    assert 0.0 <= told(text, TOPICS, Words()) <= 1.0
