"""Of several tellings of a value the latest comes first, and nothing else moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.latest import told
from graphmem.recall.values import values
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


@pytest.fixture(scope="module")
def shelves():
    """Figures of which only the older telling became a statement."""
    store = Store()
    said = store.say(0, "I'm proud that my stamp album has 45 stamps, so how do I sort them?")
    album = store.know(
        said, "User's number of stamps in stamp album is 45", "attribute", "45", context="number of stamps in stamp album"
    )
    store.say(9, "I've put 52 stamps into my stamp album, what is a good order for them?")
    store.say(11, "I want 90 stamps in my stamp album by summer.")
    said = store.say(12, "I have a fitting with the tailor on 21 April at 3 PM, what should I wear?")
    fitting = store.know(
        said, "User's fitting with the tailor is 21 April at 3 PM", "attribute", "21 April", context="fitting with the tailor"
    )
    store.say(15, "I'm worried that moving the fitting with the tailor to 22 April at 11 AM will clash with lunch.")
    return store, album, fitting


def test_a_later_turn_with_another_value_stands_before_the_statement_of_the_earlier_one(shelves):
    store, album, fitting = shelves
    for query, old, new in (
        ("How many stamps are in my stamp album?", album, "d9t0"),
        ("When is my fitting with the tailor?", fitting, "d15t0"),
    ):
        recall = store.recall(query, min_score=0)
        found = ids(recall)
        assert found.index(new) < found.index(old) < 3, query
        [hit] = [hit for hit in recall.hits if hit.statement is not None and hit.statement.id == old]
        assert hit.path[-1] == f"told otherwise later by turn {new}"
        assert hit.flags == ()  # nothing says that it gave way


def test_a_later_turn_of_which_something_was_withdrawn_is_not_brought_back():
    store = Store()
    said = store.say(0, "I'm proud that my stamp album has 45 stamps, so how do I sort them?")
    store.know(
        said, "User's number of stamps in stamp album is 45", "attribute", "45", context="number of stamps in stamp album"
    )
    later = store.say(9, "I've put 52 stamps into my stamp album, what is a good order for them?")
    store.retract(store.know(later, "User's number of stamps is 52", "attribute", "52", context="number of stamps"), day=10)
    for options in ({}, {"min_score": 0}):
        assert later not in ids(store.recall("How many stamps are in my stamp album?", **options))


def test_a_wish_and_a_figure_of_another_kind_leave_the_statement_first(shelves):
    store, album, _ = shelves
    found = ids(store.recall("How many stamps are in my stamp album?", min_score=0))
    assert found.index(album) < found.index("d11t0")
    found = ids(store.recall("How many stamps did I have in my stamp album before?", min_score=0))
    assert found.index(album) < found.index("d9t0")


@pytest.mark.parametrize(
    ("one", "other", "rival"),
    [
        ("on 21 April", "on April 22nd", True),
        ("on 21 April", "on April 21st, 2026", False),
        ("at 3 PM", "at 15:00", False),
        ("at 3 PM", "at 11 a.m.", True),
        ("45 stamps", "52 stamps", True),
        ("45 stamps", "52 coins", False),
        ("45 stamps", "45% of it", False),
        ("1,200 words", "1200 words", False),
        ("90ms", "250ms", True),
        ("90ms", "250KB", False),
        ("$40", "60 euros", True),
        ("my score of 4/5", "a score of 5/5", True),
    ],
)
def test_values_of_one_kind_are_rivals_if_they_differ(one, other, rival):
    [left], [right] = values(one, Words()), values(other, Words())
    assert left.rivals(right) is right.rivals(left) is rival


def test_years_versions_and_names_are_no_values():
    assert values("I use Python 3.11 and v1.0.0 in Room 12 since May 2024", Words()) == []


@given(st.text(max_size=200))
def test_values_stand_in_order_inside_any_text(text):
    places = [value.start for value in values(text, Words())]
    assert places == sorted(places) and all(0 <= place < len(text) for place in places)
