"""Questions in plain words: for a relative, for somebody else's detail, for another time, one step on."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

import pytest

from graphmem import Memory

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
SESSIONS = {
    "2019-03-04": [
        "My name is Tilda Rowe. I live in Bristol and I work at Harbour Analytics as a data analyst.",
        "My brother Oskar lives in Cardiff. He works at a bakery called Crumbline.",
        "I have a dog called Biscuit.",
    ],
    "2021-06-10": [
        "I moved to Hamburg last month.",
        "I left Harbour Analytics and started at Nordlicht Shipping in May 2021.",
        "My mother's name is Greta. She lives in Leeds and is a retired nurse.",
    ],
    "2023-02-11": [
        "My father Anton lives in Porto. He is a carpenter.",
        "My wife's sister Saskia works at Redwood Press.",
        "I'm vegetarian.",
    ],
    "2024-09-01": ["We moved to Vienna in August 2024.", "My friend Marek plays the cello.", "Quarry Labs makes hearing aids."],
    "2026-03-03": [
        "I started at Quarry Labs on 1 March 2026.",
        "Here is a mail I got:\n> I am vegan and I live in Oslo.\n> My sister is called Ingrid.\nWhat should I answer him?",
        "Last week I went to the opera with Marek.",
    ],
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    numbers = count(1)
    home = tmp_path_factory.mktemp("plain")
    with Memory.open(home, user="t", clock=lambda: NOW, entropy=lambda n: next(numbers).to_bytes(n, "big")) as memory:
        for day, texts in SESSIONS.items():
            turns = [{"role": "user", "text": text} for text in texts]
            memory.ingest({"id": day, "started": f"{day}T09:00:00+00:00", "turns": turns})
        yield memory


def texts(found):
    return [hit.statement.text if hit.statement else hit.turn.text for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What is my brother's name?", "Oskar"),
        ("Do I have any siblings?", "Oskar"),
        ("What's my dad's name?", "Anton"),
        ("Who is my mum?", "Greta"),
        ("Where does my father live?", "Porto"),
        ("Where does my mother live?", "Leeds"),
        ("Where does my brother work?", "Crumbline"),
        ("What does my mother do?", "nurse"),
        ("Where does my wife's sister work?", "Redwood Press"),
        ("Where do I live?", "Vienna"),
        ("Where do I work?", "Quarry Labs"),
        ("Do I have a dog?", "Biscuit"),
    ],
)
def test_a_question_for_one_relative_is_answered_by_that_relative(memory, query, first):
    assert first in texts(memory.recall(query))[0]


@pytest.mark.parametrize(
    "query",
    [
        "What is my sister's name?",
        "Do I have a sister?",
        "Where does my sister live?",
        "What is my aunt's name?",
        "Do I have a cat?",
        "What's my dentist's name?",
        "What is my brother's dog called?",
        "What is Marek allergic to?",
        "Where does Klaus live?",
    ],
)
def test_where_nobody_of_that_kin_is_known_there_is_no_answer(memory, query):
    assert texts(memory.recall(query)) == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Where did I live before Hamburg?", "Bristol"),
        ("Where did I live before Vienna?", "Hamburg"),
        ("Where did I live in 2020?", "Bristol"),
        ("Where did I live in 2022?", "Hamburg"),
        ("Where did I work in February 2026?", "Nordlicht Shipping"),
        ("Where did I live after Bristol?", "Hamburg"),
        ("Where did I live when I worked at Nordlicht Shipping?", "Hamburg"),
        ("Where did I work when I lived in Bristol?", "Harbour Analytics"),
        ("Where did I live five years ago?", "Hamburg"),
        ("Where did I live previously?", "Hamburg"),
        ("Where did I live last month?", "Vienna"),
        ("What did I do in the last week of February 2026?", "opera"),
    ],
)
def test_what_held_at_the_time_asked_about_comes_first(memory, query, first):
    assert first in texts(memory.recall(query))[0]


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_what_held_then_brings_what_came_in_its_place_right_behind_it(memory, k):
    found = memory.recall("Where did I live before Hamburg?", k=k)
    shown = {hit.statement.id for hit in found.hits if hit.statement is not None}
    assert all(set(hit.statement.superseded_by) <= shown for hit in found.hits if hit.statement is not None)
    homes = [hit.statement.object for hit in found.hits if hit.statement is not None and hit.statement.predicate == "lives_in"]
    assert homes == {1: ["Vienna"], 2: ["Vienna", "Hamburg"]}.get(k, ["Bristol", "Hamburg", "Vienna"])
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_a_block_keeps_that_order_and_never_shows_the_old_home_alone(memory):
    found = memory.recall("Where did I live before Hamburg?", k=3)
    lines = memory.render(found).text.splitlines()[2:-1]
    assert [next(town for town in ("Bristol", "Hamburg", "Vienna") if town in line) for line in lines] == [
        "Bristol", "Hamburg", "Vienna",
    ]  # fmt: skip
    for budget in range(0, 140, 3):
        shown = memory.render(found, budget=budget).statements
        for hit in found.hits:
            assert hit.statement.id not in shown or set(hit.statement.superseded_by) <= set(shown)


def test_a_question_for_the_present_keeps_what_replaced_it_in_front(memory):
    found = memory.recall("Where do I live?")
    assert [hit.statement.object for hit in found.hits][:3] == ["Vienna", "Hamburg", "Bristol"]


def test_what_somebody_else_wrote_is_flagged_and_stands_behind_own_words(memory):
    for query, own in (("Am I vegan?", "vegetarian"), ("Do I live in Oslo?", "Vienna")):
        found = memory.recall(query)
        assert own in texts(found)[0]
        assert all("quoted" in hit.flags for hit in found.hits if hit.turn is not None and "Oslo" in hit.turn.text)
    pasted = memory.recall("the mail that I got", min_score=0, k=50)
    assert any("quoted" in hit.flags for hit in memory.recall("Am I vegan?", special=False).hits)
    assert "quotes somebody else" in memory.render(memory.recall("Am I vegan?", special=False)).text
    assert not any("quoted" in hit.flags for hit in pasted.hits if hit.turn is not None and "Oslo" not in hit.turn.text)


def test_the_company_one_works_for_is_asked_about_by_its_name_and_the_step_is_told(memory):
    found = memory.recall("What does the company I work for make?")
    step = [hit for hit in found.hits if "by: User works at Quarry Labs" in hit.path]
    assert step
    assert all("Quarry Labs" in (hit.statement.text if hit.statement else hit.turn.text) for hit in step)
    assert any("hearing aids" in text for text in texts(found))
    assert not any("by: " in way for hit in memory.recall("Who is my employer?").hits for way in hit.path)


def test_what_is_known_of_a_relative_by_name_tells_who_gave_the_name(memory):
    found = memory.recall("Where does my mother live?")
    assert any(way.startswith("by: ") and "Greta" in way for way in found.hits[0].path)
