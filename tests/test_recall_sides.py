"""Behind a denial stands the turn that tells of the deed, and no other moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.sides import tells


@pytest.mark.parametrize(
    ("text", "denial", "share"),
    [
        ("I was proud when I completed my first draft on 1 April.", "completed a first draft", 1.0),
        ("I was proud when I completed my first draft on 1 April.", "completed a first draft of any novel", 2 / 3),
        ("I want to complete my first draft.", "completed a first draft", 0.0),
        ("I haven't completed a first draft.", "completed a first draft", 0.0),
        ("She completed her first draft.", "completed a first draft", 0.0),
        ("I solved three crossword puzzles.", "tried any crossword puzzles", 1.0),
        ("I tried three crossword puzzles.", "solved any crossword puzzles", 0.0),
        ("I've been collaborating with Karin on a mural.", "worked with Karin", 1.0),
        ("```\nI completed a first draft\n```", "completed a first draft", 0.0),
        ("I completed the form. The first draft is awful.", "completed a first draft", 0.0),
    ],
)
def test_a_part_has_to_tell_of_the_deed_and_of_what_it_was_done_to(text, denial, share):
    assert tells(text, denial) == pytest.approx(share)


def test_the_turn_that_tells_of_the_deed_comes_right_behind_the_denial():
    store = Store()
    store.say(0, "My confidence went up when I completed my first draft on 1 April, so what is next for me?")
    for day, text in enumerate(("A novel is long.", "I want to write a novel.", "Which novel has the best first chapter?"), 1):
        store.say(day, text)
    denial = store.know(
        store.say(9, "I've never completed a first draft of any novel"),
        "I've never completed a first draft of any novel",
        "episode",
        "completed a first draft of any novel",
        kind="episode",
        temporal="past",
        polarity="negative",
        details={"type": "never"},
    )
    recall = store.recall("Have I ever completed a first draft of a novel?", min_score=0)
    assert ids(recall)[:2] == [denial, "d0t0"]
    assert recall.hits[1].path[-1].startswith("may tell of: ")
    assert recall.contradictions == ()


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_and_any_denial_can_be_looked_at(text, denial):
    assert 0.0 <= tells(text, denial) <= 1.0
