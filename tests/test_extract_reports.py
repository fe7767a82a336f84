"""What is told of named things in the world: a few closed forms make a report, everything else makes none."""

from __future__ import annotations

import pytest
from build import World
from test_extract_rules import claims

from graphmem.extractors.english import read
from graphmem.extractors.reports import SLOT, report

TOLD = [
    ("The mayor of Vellinge is Greta Holm.", "Vellinge", "The mayor of … is", "Greta Holm"),
    ("The head of the Arctic Fund is Per Dahl", "the Arctic Fund", "The head of … is", "Per Dahl"),
    ("Borealis Labs was founded by Ida Storm.", "Borealis Labs", "… was founded by", "Ida Storm"),
    ("Nordlys was written in the language of Faroese", "Nordlys", "… was written in the language of", "Faroese"),
    ("Ida Storm is married to Olle K. Berg.", "Ida Storm", "… is married to", "Olle K. Berg"),
    ("Ida Storm's agent is Lena Ek.", "Ida Storm", "…'s agent is", "Lena Ek"),
    ("The school where Ida Storm was educated is Lunds Dans", "Ida Storm", "The school where … was educated is", "Lunds Dans"),
    ("Ida Storm plays the position of goalkeeper", "Ida Storm", "… plays the position of", "goalkeeper"),
    ("Vellinge is located in the province of Skåne.", "Vellinge", "… is located in the province of", "Skåne"),
]
NOT_TOLD = [
    "The mayor of Vellinge is nice",
    "The mayor of Vellinge is a friend of mine",
    "The mayor of Vellinge is not Greta Holm",
    "The point of the exercise is practice",
    "I think the mayor of Vellinge is Greta Holm",
    "Is the mayor of Vellinge Greta Holm?",
    "Maybe Borealis Labs was founded by Ida Storm",
    "If Borealis Labs was founded by Ida Storm, fine",
    "Borealis Labs might be founded by Ida Storm",
    "Our team was founded by Ida Storm",
    "He was founded by Ida Storm",
    "Ida Storm owns Borealis Labs and two boats",
    "Ida Storm is great",
    "They say Borealis Labs was founded by Ida Storm",
    "the build was broken by CI",
]


@pytest.mark.parametrize(("sentence", "subject", "frame", "value"), TOLD)
def test_a_report_names_its_thing_its_value_and_the_words_around(sentence, subject, frame, value):
    (read_,) = read(sentence, [(0, len(sentence))])
    found = report(read_)
    assert found is not None
    assert (read_.text[slice(*found.subject)], found.frame, read_.text[slice(*found.object)]) == (subject, frame, value)
    assert f"{frame.replace(SLOT, subject)} {value}" == sentence.removesuffix(".")


@pytest.mark.parametrize("sentence", NOT_TOLD)
def test_anything_else_is_no_report(sentence):
    assert not [c for c in claims(sentence) if c.predicate == "told"]


def test_the_later_report_takes_the_place_of_the_earlier_and_both_stay():
    world = World()
    for number, name in enumerate(("Greta Holm", "Per Dahl")):
        text = f"The mayor of Vellinge is {name}"
        (claim,) = claims(text)
        world.say(number + 1, claim.model_copy(update={"turn": "t1"}), on=number)
    old, new = world.by("Greta Holm"), world.by("Per Dahl")
    assert (old.status, new.status) == ("superseded", "current")
    assert new.text == "The mayor of Vellinge is Per Dahl"
    assert (old.id,) == tuple(new.supersedes)


def test_another_matter_of_the_same_thing_stands_beside_it():
    world = World()
    for number, text in enumerate(("The mayor of Vellinge is Greta Holm", "The architect of Vellinge is Per Dahl")):
        world.say(number + 1, claims(text)[0].model_copy(update={"turn": "t1"}), on=number)
    assert {s.status for s in world.statements()} == {"current"}
