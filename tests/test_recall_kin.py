"""Whose relative is asked for, whom a phrase tells of, and which time a question names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.recall.bridge import bridged, relation_meant
from graphmem.recall.bygone import span_of
from graphmem.recall.kin import asked_kin, family_of, fitting, narrower, rivals, told, words_for

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
FAMILIES = sorted(
    {family_of(word) for word in ("mum", "dad", "sis", "twin", "kid", "wife", "nan", "aunt", "dog", "boss", "gp")}
)


@pytest.mark.parametrize(
    ("query", "chain", "who"),
    [
        ("What is my sister's name?", ("sister",), True),
        ("Do I have any younger siblings?", ("sibling",), True),
        ("How many kids do I have?", ("child",), True),
        ("Am I married?", ("spouse",), True),
        ("Where does my mum live?", ("mother",), False),
        ("How old is my wife's brother?", ("wife", "brother"), False),
        ("Where does Nora's brother live?", ("=Nora", "brother"), False),
        ("Tell me about my older sister", ("sister",), False),
        ("Where does my best friend live?", ("friend",), False),
    ],
)
def test_whose_relative_a_question_is_about(query, chain, who):
    found = asked_kin(query)
    assert (found.chain, found.who) == (chain, who)


@pytest.mark.parametrize(
    "query",
    [
        "What should I cook for my mother?",
        "I need a birthday present for my sister.",
        "Did I tell my sister about it?",
        "Do I have a dentist appointment?",
        "Which package manager do I use?",
        "What is my package manager?",
        "Is my work as a teacher hard?",
        "What's new?",
    ],
)
def test_a_relative_in_passing_is_not_what_a_question_is_about(query):
    assert asked_kin(query) is None


def test_a_phrase_tells_whose_relative_it_means():
    assert told(("wife's sister Ada",)).chains == (("wife", "sister"),)
    assert told(("Nora's brother Felix",)).chains == (("=Nora", "brother"),)
    assert told(("two brothers, Tom and Ivan",)).names == {"Tom", "Ivan"}
    assert told(("Lisbon",)).chains == ()


@given(st.sampled_from(FAMILIES), st.sampled_from(FAMILIES))
def test_who_may_answer_for_whom_holds_both_ways(one, other):
    assert (one in fitting(other)) == (other in fitting(one))
    assert narrower(one) <= fitting(one)
    assert not rivals(one) & fitting(one)
    assert one in words_for(one) and all(family_of(word) in fitting(one) for word in words_for(one))


@pytest.mark.parametrize(
    ("query", "how", "since", "until"),
    [
        ("Where did I live in 2022?", "during", 2022, 2023),
        ("Where did I live before 2020?", "during", None, 2020),
        ("Where did I work before Acme?", "before", None, None),
        ("Where did I live after I left Acme?", "after", None, None),
        ("Where did I live when I was at Acme?", "during", None, None),
        ("Where did I use to live?", "formerly", None, None),
    ],
)
def test_the_time_that_a_question_names(query, how, since, until):
    found = span_of(query, NOW, past=True)
    assert (found.how, found.since and found.since.year, found.until and found.until.year) == (how, since, until)


@pytest.mark.parametrize(
    "query", ["Where do I live?", "When did I move?", "Where do I live this year?", "Do I still work there?"]
)
def test_a_question_for_the_present_names_no_other_time(query):
    assert span_of(query, NOW, past=False) is None


def test_years_ago_is_this_day_in_that_year():
    found = span_of("Where did I work two years ago?", NOW, past=True)
    assert found.since <= datetime(2024, 11, 20, 10, tzinfo=UTC) <= found.until


def test_a_name_is_put_in_only_where_one_statement_gives_it():
    assert relation_meant("What does the company I work for make?") == "works_at"
    assert relation_meant("How big is the town where I live?") == "lives_in"
    assert relation_meant("Who is my employer?") is None
    assert relation_meant("What did we make?") is None
    assert bridged("What does the company I work for make?", []) is None
