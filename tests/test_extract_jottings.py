"""Jottings and shorthand about oneself are read by forms of their own; what only looks like one makes nothing."""

from __future__ import annotations

import pytest
from test_extract_rules import claims, said

JOTTED = [
    ("divorced, two boys", "user married_to: divorced"),
    ("divorced, two boys", "user has_family: two boys"),
    ("widowed, shared custody of Olga and Finn", "user has_family: Olga and Finn"),
    ("only child, so no rivals", "user has_family: only child"),
    ("eldest of four, all loud", "user has_family: eldest of four"),
    ("I turn 40 on the 3rd of May", "user born_on: 3rd of May"),
    ("leap-year baby, 29 February 1992", "user born_on: 29 February 1992"),
    ("Mother tongue is Basque", "user speaks: Basque"),
    ("Czech I learned at work and Greek from my aunt", "user speaks: Greek"),
    ("fluent Dutch, passable French, zero Latin", "-user speaks: Latin"),
    ("Polish at home, Dutch at work", "user speaks: Dutch"),
    ("Noisy bars. Can't stand them.", "user dislikes: Noisy bars"),
    ("Saunas? Love them.", "user likes: Saunas"),
    ("Worst: anything with aniseed", "user dislikes: aniseed"),
    ("Comfort food: dumplings", "user favourite: dumplings"),
    ("given the choice I'll take the slow train", "user prefers: the slow train"),
    ("Crosswords and long baths are my idea of happiness", "user likes: long baths"),
    ("rain on a tin roof, that's my happy place", "user likes: rain on a tin roof"),
    ("no pork and no beer in our house", "-user diet: beer"),
    ("not a drop of wine since Easter", "-user diet: wine"),
    ("Migraines with aura, twice a month", "user health: Migraines with aura"),
    ("chronic knee pain since the fall", "user health: chronic knee pain"),
    ("deaf in one ear, so write to me", "user health: deaf in one ear"),
    ("Bartholomew here (Barty is fine)", "user name: Barty"),
    ("so we left the city, Nantes is home since May", "user lives_in: Nantes"),
    ("new flat's in Vilnius", "user lives_in: Vilnius"),
    ("I'm Leeds based", "user lives_in: Leeds"),
    ("I commute in from Skövde", "user lives_in: Skövde"),
    ("Three hens, one goose who bites, and too many eggs", "user has_pet: one goose"),
    ("we're not together any longer, Ilse and I", "user married_to: Ilse"),
    ("there was a time I smoked cigars", "user habit: smoked cigars"),
    ("back in the day we'd play rugby every Sunday", "user habit: play rugby"),
    ("Glazier, 20 years", "user has_job: Glazier"),
    ("halfway through a diploma in forestry", "user studies_at: diploma in forestry"),
    ("Emacs user since 1998", "user uses_tool: Emacs"),
    ("all my invoices go through Xero", "user uses_tool: Xero"),
    ("hopeless at maths, decent at chess", "-user skill: maths"),
    ("three things left on my list: pay the vet and send Ana her keys", "user to_do: send Ana her keys"),
    ("the bank still owes me a reply about the loan", "user to_do: a reply about the loan"),
    ("ring the plumber tomorrow, note to self", "user to_do: ring the plumber"),
    ("no exclamation marks, ever", "user rule: no exclamation marks, ever"),
    ("cite pages every single time you quote a book", "user rule: cite pages every single time you quote a book"),
    ("To start the old pump: open the valve, wait a minute, then press the green knob",
     "user rule: open the valve, wait a minute, then press the green knob"),
    ("check with me before you order anything", "user rule: check with me before you order anything"),
]  # fmt: skip
ANSWERED = [
    ("Where are you based? Then I can set the clock.", "Kaunas, old town", "user lives_in: Kaunas"),
    ("Where do you live?", "a village near Tartu", "user lives_in: a village near Tartu"),
    ("Where do you live?", "still Leuven, for now", "user lives_in: Leuven"),
    ("Could you confirm your date of birth?", "12/11/1993", "user born_on: 12/11/1993"),
    ("Any food you avoid?", "liver, and anything sour", "-user diet: liver"),
    ("What car do you have?", "an old Micra", "user has_vehicle: an old Micra"),
    ("What are you studying?", "geology at Oulu", "user studies_at: Oulu"),
    ("Who is coming along?", "my husband Teo, our son (9) and my mother", "user married_to: Teo"),
    ("Who is coming along?", "my husband Teo, our son (9) and my mother", "user has_family: son (9)"),
]
NOTHING = [
    "Single malt, please",
    "Married couples pay less, right?",
    "Fluent code is hard to write",
    "Wet socks. They hate them.",
    "A few months. I love it.",
    "Lisbon. I love it here.",
    "Two dogs walk into a bar",
    "Migraine tablets or just sleep?",
    "Leeds based companies only",
    "To summarise: it is late, I am tired",
    "Deaf to all reason",
    "Emacs user manual",
    "Living room in Lisbon style",
]


@pytest.mark.parametrize(("text", "wanted"), JOTTED)
def test_a_jotting_is_read(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(("question", "answer", "wanted"), ANSWERED)
def test_an_answer_in_passing_is_read(question, answer, wanted):
    assert wanted in said(question, answer, roles=["assistant", "user"])


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_like_a_jotting_makes_nothing(text):
    assert [c for c in claims(text) if not c.hedged] == []
