"""Everyday wordings: names without capitals, lines without verbs, what is said in passing; and their look-alikes."""

from __future__ import annotations

import pytest
from test_extract_rules import EXTRACTOR, claims, said, session


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("i live in hobart", "user lives_in: hobart"),
        ("i grew up in portland", "user lives_in: portland"),
        ("im from peru", "user origin: peru"),
        ("we live by the sea", "user lives_in: by the sea"),
        ("i am catholic", "user religion: catholic"),
        ("my cat is called biscuit", "user has_pet: cat"),
        ("i go to school in leeds", "user studies_at: school in leeds"),
    ],
)
def test_a_writer_without_capitals_is_read(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(
    "text",
    ["i live in hope", "i live in fear of mondays", "we live in strange times", "i live in pyjamas", "we live in a simulation"],
)
def test_what_one_lives_in_without_capitals_is_not_always_a_place(text):
    assert not any(c.predicate == "lives_in" for c in claims(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Bad back, so no heavy lifting", "user health: Bad back"),
        ("coeliac, so no bread", "user health: coeliac"),
        ("second year law student", "user studies_at: second year law student"),
        ("Two cats, one dog, no kids", "-user has_family: kids"),
        ("lifelong vegetarian", "user diet: vegetarian"),
        ("off sugar since January", "-user diet: sugar"),
        ("From Riga originally, in Dublin now", "user lives_in: Dublin"),
        ("not much of a cook", "-user skill: cook"),
        ("nothing worse than wet socks", "user dislikes: wet socks"),
        ("Fluent in Dutch and Greek", "user speaks: Greek"),
    ],
)
def test_a_line_without_a_verb_is_read(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "two cats walk into a bar, one joke",
        "second year in the table, third column",
        "now in Berlin time please",
        "nothing worse than this bug",
        "Fluent in Dutch, he got the job",
        "bad knees are common in runners",
        "Lifelong vegetarians live longer",
        "# now in Oslo",
        "two cats or one dog?",
        "Currently in Figma",
    ],
)
def test_a_line_that_only_looks_like_one_about_oneself_says_nothing(text):
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("just playing with my two dogs", "user has_pet: two dogs"),
        ("my cats and dogs run the house", "user has_pet: dogs"),
        ("my two sons cook on Sundays", "user has_family: two sons"),
        ("we all fit into my old blue van", "user has_vehicle: old blue van"),
        ("I live alone with a parrot", "user has_pet: a parrot"),
        ("my job at the brewery keeps me busy", "user works_at: the brewery"),
    ],
)
def test_what_one_has_is_taken_in_passing(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "my neighbour's dog barks all night",
        "my sister says I'm short",
        "my dad keeps saying I should be in the army",
        "if my dog were bigger I'd run with him",
        "can my dog eat grapes?",
        "my first dog was a beagle, long gone",
        "describe my ideal dog",
        "my dog food order is late",
        "their two sons live near the beach",
        "my Thursday lab is in Room 102",
    ],
)
def test_what_is_somebody_elses_or_only_reported_is_not_had(text):
    assert not any(c.predicate in ("has_pet", "has_family", "has_vehicle") and c.subject == "user" for c in claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "I'm short on time",
        "my eyes are tired of this screen",
        "I have black bars on my screen",
        "my favourite is the second one",
        "the first one is my favourite",
        "my only hobby is napping lol",
        "I read your message",
        "I watch the logs and nothing happens",
        "I get up to three errors",
        "I've run four tests",
        "I take three classes from the module",
        "I want a list of dogs",
        "I don't drive the conversation, you do",
        "I'm in the navy theme now",
        "I'm in school today until three",
        "I have a big nose for trouble",
        "I take my time",
        "i live near you",
        "I'm a big fan of yours",
    ],
)
def test_talk_about_the_screen_or_the_chat_is_no_trait_and_no_hobby(text):
    assert claims(text) == []


def test_what_was_worn_is_not_worn_now():
    assert [(c.object, c.temporal) for c in claims("I used to wear glasses")] == [("glasses", "ended")]


def test_a_town_is_no_trade():
    assert not any(c.predicate == "has_job" for c in claims("I'm a Londoner"))
    assert "user has_job: Welder" in said("I'm a Welder")


def test_every_reading_rests_on_the_turn():
    text = "bad knees, two cats, and my sons drive my red van to the lake"
    for claim in EXTRACTOR.extract(session(text)).claims:
        assert text[claim.start : claim.end] == claim.quote
        assert claim.object in text
