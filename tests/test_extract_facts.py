"""Facts in everyday wordings: each is found by the kind of sentence, and what only looks like one makes nothing."""

from __future__ import annotations

import pytest
from test_extract_rules import claims, said

FACTS = [
    ("I bind books", "user bind: books"),
    ("my aunt gilds frames", "aunt gild: frames"),
    ("I judge dog shows", "user judge: dog shows"),
    ("I speak Quechua", "user speaks: Quechua"),
    ("my Danish is rusty", "user speaks: Danish"),
    ("our boat's a ketch", "user has_vehicle: a ketch"),
    ("my ride: a Honda Cub", "user has_vehicle: a Honda Cub"),
    ("home is a barge near Leuven", "user lives_in: a barge near Leuven"),
    ("we call Split home", "user lives_in: Split"),
    ("Nantes is home now", "user lives_in: Nantes"),
    ("the name's Piet", "user name: Piet"),
    ("heya, Runa here", "user name: Runa"),
    ("you may address me as Dr. Okafor", "user name: Dr. Okafor"),
    ("I'm on the payroll at Arla", "user works_at: Arla"),
    ("been soldering at Nokia since March", "user works_at: Nokia"),
    ("I'm a cook at the Savoy", "user works_at: the Savoy"),
    ("I got laid off from Vestas", "user works_at: Vestas"),
    ("my job is sorting mail", "user has_job: sorting mail"),
    ("glazier by trade, based in Utrecht", "user has_job: glazier"),
    ("I have a PhD from Basel", "user studies_at: Basel"),
    ("my grandmother left me her loom", "user owns: loom"),
    ("there's a tortoise living with us", "user has_pet: a tortoise"),
    ("I share custody of our boy Emil", "user has_family: boy Emil"),
    ("been married to Olga for six years", "user married_to: Olga"),
    ("date of birth: 3 May 1981", "user born_on: 3 May 1981"),
    ("my bday falls on Halloween", "user born_on: Halloween"),
    ("I know my way around a lathe", "user skill: a lathe"),
    ("I can shear a sheep", "user skill: shear a sheep"),
    ("can't whistle to save my life", "-user skill: whistle"),
    ("I keep my recipes in Paprika", "user uses_tool: Paprika"),
    ("I'm pushing 70", "user age: 70"),
    ("I'm from Recife", "user origin: Recife"),
    ("I hold a Maltese passport", "user nationality: Maltese"),
    ("I no longer play rugby", "user habit: play rugby"),
]

NOTHING = [
    "I see your point",
    "I make a copy here",
    "I get an error",
    "I open the file and it crashes",
    "I type hello and get nothing",
    "I draw a blank",
    "I call the function twice",
    "React uses hooks",
    "people make cider",
    "my app makes requests",
    "there's a dog barking outside",
    "there's a cat in the picture",
    "my car is a mess",
    "my job is killing me",
    "home is where the heart is",
    "I live on coffee",
    "I ended up in a loop",
    "I call this home",
    "I speak on behalf of Anna",
    "I'm fluent in sarcasm",
    "I can pay by card",
    "I can't draw conclusions",
    "I'm married to my work",
    "I no longer see the button",
    "name: string",
    "Error here",
    "I'm pushing 70 commits",
    "I'm in Paris for a conference",
    "been waiting at the bus stop",
    "nurse, doctor, teacher",
]


@pytest.mark.parametrize(("sentence", "wanted"), FACTS)
def test_an_everyday_fact_is_found(sentence, wanted):
    assert wanted in said(sentence)


@pytest.mark.parametrize("sentence", NOTHING)
def test_what_only_looks_like_a_fact_makes_none(sentence):
    assert not [c for c in claims(sentence) if c.kind == "fact" and not c.hedged]


def test_a_line_about_oneself_is_read_item_by_item():
    found = said("quick intro: Sanne, 41, geologist with the Dutch Survey, Delft, two cats")
    assert {"user name: Sanne", "user has_job: geologist", "user lives_in: Delft", "user has_pet: two cats"} <= found
    assert "user works_at: the Dutch Survey" in found


def test_a_former_job_in_such_a_line_has_ended():
    [job] = [c for c in claims("I'm Olof, former bus driver, two grown-up sons") if c.predicate == "has_job"]
    assert (job.object, job.temporal) == ("bus driver", "ended")


def test_a_town_swapped_for_another_is_a_move():
    [home] = [c for c in claims("I traded Berlin for Lisbon last year") if c.predicate == "lives_in"]
    assert (home.object, home.replaces, home.cue) == ("Lisbon", "Berlin", "change")
