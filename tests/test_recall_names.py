"""The owner's own name in a question stands for the owner, and nobody else's does."""

import pytest
from recall_world import NOW, Store, ids

from graphmem.recall.answer import Moment
from graphmem.recall.names import owner_meant


def named(*names):
    store = Store()
    for day, name in enumerate(names):
        store.know(store.say(day, f"My name is {name}"), f"User is called {name}", "name", name)
    return store


def meant(store, query):
    store.searcher.refresh()
    corpus = store.searcher.corpus
    return owner_meant(query, corpus, Moment(store.graph, at=NOW, known_at=NOW, strict=False, nodes=corpus.nodes))


@pytest.fixture
def elin():
    return named("Elin Sandberg")


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("Where does Elin live now?", "Where does the user live now?"),
        ("Where does Elin Sandberg work?", "Where does the user work?"),
        ("What are Elin's hobbies?", "What are the user's hobbies?"),
        ("Is Elin Sandberg’s flat big?", "Is the user's flat big?"),
    ],
)
def test_the_owners_name_is_read_as_the_user(elin, asked, read):
    assert meant(elin, asked) == read


@pytest.mark.parametrize(
    "asked",
    [
        "Where does Elin Nyberg live?",
        "Where does my niece Elin live?",
        "Where does Anna Elin live?",
        "Where does Sandberg live?",
        "Where does Elina live?",
        "Who is Elin?",
        "Is my name Elin?",
        "Do I know somebody called Elin?",
        "Who is Elin-Marie?",
    ],
)
def test_other_names_and_the_name_itself_stay(elin, asked):
    assert meant(elin, asked) == asked


def test_a_name_that_somebody_else_bears_stays(elin):
    elin.know(elin.say(5, "my niece Elin rows"), "niece Elin rows", "row", "rows", subject="niece Elin")
    assert meant(elin, "Where does Elin live?") == "Where does Elin live?"
    assert meant(elin, "Where does Elin Sandberg live?") == "Where does the user live?"


def test_a_name_of_another_entity_or_speaker_stays():
    met = named("Elin Sandberg")
    met.mention("colleague Elin", met.know(met.say(4, "I met Elin"), "User met colleague Elin", "met", "colleague Elin"))
    assert meant(met, "Where does Elin live?") == "Where does Elin live?"
    talked = named("Elin Sandberg")
    talked.say(5, "hello", speaker="Elin")
    assert meant(talked, "Where does Elin live?") == "Where does the user live?"
    talked.say(5, "hi", speaker="Otso")
    assert meant(talked, "Where does Elin live?") == "Where does Elin live?"


def test_only_a_name_that_is_current_counts(elin):
    elin.retract("d0t0/name/Elin Sandberg", day=2)
    assert meant(elin, "Where does Elin live?") == "Where does Elin live?"


def test_a_name_that_is_also_a_word_opens_no_question():
    will = named("Will Drake")
    assert meant(will, "Will it rain where Will lives?") == "Will it rain where the user lives?"
    assert meant(named("May Drake"), "What did I do in May?") == "What did I do in May?"
    assert meant(named("Dr. Drake"), "Who is Dr. Hall?") == "Who is Dr. Hall?"


def test_a_question_by_name_finds_what_the_user_said(elin):
    home = elin.know(elin.say(1, "I moved to Umeå"), "User lives in Umeå", "lives_in", "Umeå")
    assert ids(elin.recall("Where does Elin live now?"))[0] == home
    assert elin.recall("Where does Elin live now?").query == "Where does Elin live now?"
