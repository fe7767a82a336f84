"""Notes that are filed under names are found by these names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.titles import LEAST, named, names, slip
from graphmem.recall.words import Words

ENGLISH = Words()
letters = st.text("abcdefgh", min_size=LEAST + 1, max_size=12)


@pytest.fixture(scope="module")
def notes():
    """Two notes with names and one without."""
    store = Store()
    for day, text in enumerate(
        (
            "build server (Jenkins, pipeline): runs at noon and mails the report to the team",
            "report style (layout): tables before prose",
            "the spare key hangs behind the boiler",
        )
    ):
        store.know(store.say(day, text), f"User notes {text}", "note", text)
    return store


def test_a_note_has_names_only_with_others_in_brackets():
    assert names("build server (Jenkins, pipeline): runs at noon", ENGLISH) == tuple(
        frozenset(ENGLISH.stems(name)) for name in ("build server", "Jenkins", "pipeline")
    )
    assert names("reminder: buy milk", ENGLISH) == names("the key (brass) hangs there", ENGLISH) == ()


@pytest.mark.parametrize("query", ["when does the pipeline run?", "Jenkins?", "what about the Jenkisn one"])
def test_a_note_is_found_by_any_of_its_names_and_no_other_note_with_it(notes, query):
    assert [name.split("/")[0] for name in ids(notes.recall(query))] == ["d0t0"]


def test_a_note_is_not_found_by_what_it_says_but_a_plain_one_is(notes):
    assert ids(notes.recall("what gets mailed to the team at noon?")) == []
    assert [name.split("/")[0] for name in ids(notes.recall("Where is our spare key?"))] == ["d2t0"]


def test_an_open_question_is_no_answer_though_its_name_is_asked_for():
    store = Store()
    text = "login flow (tokens, sessions): which of them do we take?"
    store.know(store.say(0, text), text, "task", text, kind="open_item")
    assert ids(store.recall("how do our sessions work?")) == []


@given(letters, st.data())
def test_one_letter_missing_or_swapped_is_a_slip_from_either_side(word, data):
    at = data.draw(st.integers(0, len(word) - 2))
    for other in (word[:at] + word[at + 1 :], word[:at] + word[at + 1] + word[at] + word[at + 2 :]):
        assert slip(word, other) == slip(other, word) == (word != other)


def test_another_letter_makes_another_word():
    assert not slip("mango", "mongo")
    assert not slip("cat", "cart")


def test_a_longer_name_counts_more_and_half_a_name_counts_nothing():
    titles = (frozenset({"build", "server"}), frozenset({"pipelin"}))
    assert named(titles, {"build", "server", "pipelin"}, ()) == 2
    assert named(titles, {"pipelin"}, ()) == 1
    assert named(titles, {"build"}, ()) == 0
