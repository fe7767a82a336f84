"""Whose fact it is: the speaker's, a named other's, or nobody's; and what a bare answer means."""

from __future__ import annotations

import pytest
from test_extract_rules import claims, said


def test_a_relative_keeps_their_own_facts():
    assert said("my daughter Ida is allergic to figs and I can't have gluten") == {
        "daughter Ida allergic_to: figs", "-user diet: gluten", "user has_family: daughter Ida",
    }  # fmt: skip


def test_she_is_the_one_person_named_just_before():
    assert "sister Mia works_at: Elisa" in said("My sister Mia moved to Bergen. She works at Elisa now.")


def test_she_is_nobody_when_two_could_be_meant():
    found = said("My sister Mia and my aunt Rosa met. She works at Elisa.")
    assert not any("Elisa" in claim for claim in found)


def test_two_people_of_one_name_stay_apart():
    assert said("my boss Vera lives in Lund") == {"boss Vera lives_in: Lund"}
    assert "sister Vera lives_in: Gävle" in said("my sister Vera lives in Gävle")


def test_the_flatmates_taste_is_the_flatmates():
    assert said("my flatmate Kim is vegan and can't stand olives") == {
        "flatmate Kim diet: vegan",
        "flatmate Kim dislikes: olives",
    }


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Do you have any children?", "yes, two", "user has_family: two"),
        ("You live in Bergen, right?", "No, Molde", "user lives_in: Molde"),
        ("What year were you born?", "1979", "user born_on: 1979"),
        ("What do you do for work?", "Test lead, at a small bank", "user has_job: Test lead"),
        ("Any dietary restrictions?", "vegan. no nuts either", "-user diet: nuts"),
        ("Which editor do you use?", "mostly Helix, sometimes Zed", "user uses_tool: Helix"),
        ("Any health conditions?", "Asthma and a bad hip", "user health: a bad hip"),
        ("Introduce yourself in a line!", "Ben, 61, Cardiff, two cats, hates yoga", "user lives_in: Cardiff"),
        ("What should I call you?", "Lex", "user name: Lex"),
    ],
)
def test_a_phrase_answers_the_question_before_it(question, answer, wanted):
    assert wanted in said(question, answer, roles=["assistant", "user"])


def test_a_phrase_without_a_question_means_nothing():
    assert said("Molde") == set()
    assert said("yes, two") == set()


def test_a_denied_guess_is_a_correction():
    (claim,) = claims("You live in Bergen, right?", "No, Molde", roles=["assistant", "user"])
    assert (claim.cue, claim.replaces) == ("correction", "Bergen")


def test_a_line_about_oneself_is_read_item_by_item():
    assert said("My name is Samir, 47, plumber, Delft") == {
        "user name: Samir",
        "user age: 47",
        "user has_job: plumber",
        "user lives_in: Delft",
    }
