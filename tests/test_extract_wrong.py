"""What the words do not say: another's home or animal, sport taken for a post, a pause for an end, a place among siblings."""

from __future__ import annotations

import pytest
from test_extract_rules import claims, said

from graphmem.ontology import relations


def predicates(text):
    return {c.predicate for c in claims(text)}


@pytest.mark.parametrize(
    "text",
    [
        "I moved on to Rust, after years of Go.",
        "We moved on to Kotlin in May",
        "I moved to Rust last year",
        "We moved to Debian in March",
        "I moved on to Lisbon",
    ],
)
def test_moving_on_is_no_move_of_home(text):
    assert "lives_in" not in predicates(text)


def test_a_move_of_home_is_still_one():
    assert "user lives_in: Leeds" in said("I moved to Leeds last year")


@pytest.mark.parametrize(
    "text",
    [
        "Next week I start at the gym in Altona.",
        "I start at the Harburg Swimming Club on Monday",
        "I started at the Elm Street dojo in May",
        "I start at the University of Leeds in September",
        "I work in the garden on Sundays",
        "I work in a shed",
        "I work in the attic at night",
    ],
)
def test_sport_and_garden_employ_nobody(text):
    assert "works_at" not in predicates(text)


def test_a_start_with_a_word_of_work_is_a_post():
    assert "user works_at: the gym in Altona" in said("I start at the gym in Altona as a trainer")
    assert "user works_at: the gym in Altona" in said("My new job begins soon, I start at the gym in Altona")
    assert "user works_at: Siemens" in said("I start at Siemens on Monday")
    assert "user works_at: the botanical garden in Kiel" in said("I work at the botanical garden in Kiel")


@pytest.mark.parametrize(
    "text",
    [
        "Anna showed me her new place. The flat is in Ottensen.",
        "I viewed two flats yesterday. The flat is in Eimsbüttel, third floor.",
        "We looked at a house. The house is in Kent.",
        "We booked an apartment for August. The apartment is in Nice.",
        "We rented an apartment for a week. The apartment is in Nice.",
        "I promised my mum to help with her house. The house is in Kiel.",
        "I bought a house for my parents. The house is in Kent.",
        "My sister has bought a flat. The flat is in Bonn.",
        "I want to buy a flat. The flat is in Bonn.",
        "My mum's house is falling apart. The house is in Kiel.",
        "We never got a flat there. The flat is in Bonn.",
        "The house is in Kent.",
    ],
)
def test_a_home_is_ones_own_only_if_it_is_said(text):
    assert not [c for c in claims(text) if c.predicate == "lives_in" and c.subject == "user"]


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("My flat is in Ottensen.", "Ottensen"),
        ("Our house is in Kent.", "Kent"),
        ("We bought a house last year. The house is in Kent.", "Kent"),
        ("We moved into a flat. The flat is in Barmbek.", "Barmbek"),
        ("I rented an apartment. The apartment is in Lyon, near the river.", "Lyon"),
        ("We finally got our own place. The flat is in Barmbek.", "Barmbek"),
        ("The house is in Kent, we moved in last week.", "Kent"),
        ("New flat's in Vilnius.", "Vilnius"),
    ],
)
def test_ones_own_home_is_where_one_lives(text, town):
    assert f"user lives_in: {town}" in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "Our neighbour's dog Rex bit me",
        "Our neighbour's cat is called Miso",
        "Our neighbour's rabbit died last week",
        "I bought a horse costume",
        "I have a cat allergy",
        "I hired a dog sitter called Ben",
        "I have a goldfish crackers bag",
        "We have a fish tank",
        "My aunt gave me a horse blanket",
        "I have a mouse and a keyboard",
        "I bought a wireless mouse",
        "Ann, 34, cat allergy, Leeds",
    ],
)
def test_no_animal_is_had(text):
    assert "has_pet" not in predicates(text)


@pytest.mark.parametrize(
    ("text", "animal"),
    [
        ("I have a dog called Rex", "a dog called Rex"),
        ("I have a border collie mix called Bo", "a border collie mix called Bo"),
        ("I have a golden retriever puppy", "a golden retriever puppy"),
        ("I have a mouse and a hamster", "a mouse"),
        ("My dog Rex is old", "dog Rex"),
        ("My dog's name is Pippa", "Pippa"),
    ],
)
def test_an_animal_that_is_had_is_kept(text, animal):
    assert f"user has_pet: {animal}" in said(text)


def test_a_partner_of_another_is_not_ones_own():
    assert "married_to" not in predicates("My neighbour's wife Anna is a nurse")
    assert "user married_to: Anna" in said("My wife Anna is a nurse")


@pytest.mark.parametrize(
    "text",
    [
        "I'm between jobs",
        "I'm in between jobs",
        "I'm out of work",
        "I'm currently out of a job",
        "I was promoted to gold status at Lufthansa",
        "I got promoted to the platinum tier",
    ],
)
def test_no_job_is_had(text):
    assert not {"has_job", "works_at"} & predicates(text)


def test_jobs_are_still_read():
    assert "user has_job: team lead" in said("I was promoted to team lead at Lufthansa")
    assert "user has_job: self employed" in said("I'm self employed")


def test_having_no_vehicle_is_not_told_as_driving():
    assert "-user has_vehicle: a car" in said("I don't have a car")
    assert "drive" not in relations()["has_vehicle"].negative


@pytest.mark.parametrize(
    "text",
    ["I gave up meat for Lent", "I gave up coffee for a month", "I gave up alcohol until Easter", "I gave up sugar for now"],
)
def test_a_pause_ends_nothing(text):
    assert not [c for c in claims(text) if c.temporal == "ended"]


def test_giving_up_for_a_reason_ends_the_habit_alone():
    assert "user habit: smoking" in said("I quit smoking for my kids")
    assert "user diet: sugar" in said("I gave up sugar for good")


@pytest.mark.parametrize(
    ("text", "being"),
    [
        ("I'm the oldest of three", "the oldest of three"),
        ("I'm a mother of two", "a mother of two"),
        ("I'm a father of three girls", "a father of three girls"),
        ("I'm a grandmother of six", "a grandmother of six"),
        ("I'm an only child", "an only child"),
    ],
)
def test_what_one_is_to_others_is_no_relative(text, being):
    assert said(text) == {f"user trait: {being}"}


@pytest.mark.parametrize(
    "text", ["I started climbing at the Depot on Wednesdays.", "I started yoga at the Hive.", "I began pottery at the Studio."]
)
def test_what_one_takes_up_somewhere_is_no_post(text):
    assert not [claim for claim in claims(text) if claim.predicate == "works_at"]


def test_who_was_born_has_not_gone():
    found = claims("Freya had her baby on 9 October.")
    assert [claim.temporal for claim in found if claim.predicate == "has_family"] == ["current"]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I have to correct something: I live in Bergen.", True),
        ("Let me correct that: I live in Bergen.", True),
        ("We should fix one thing: I live in Bergen, not in Oslo.", True),
        ("I have to correct my essay: I live in Bergen.", False),
        ("Can you correct this: I live in Bergen.", False),
        ("I need to translate something: I live in Bergen.", False),
    ],
)
def test_ones_own_correction_is_no_text_handed_over(text, own):
    assert ("user lives_in: Bergen" in said(text)) is own
