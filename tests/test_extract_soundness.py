"""What no claim may be, whatever rule made it, and doubt that stands around a clause: refused, narrowed, or put right."""

from __future__ import annotations

import pytest
from test_extract_rules import claims, said

NOTHING = [
    # the object is a pronoun, a particle, a time
    "I bump into him all the time",
    "we dine out on Thursdays",
    "I grow and sell leeks at a stall",
    # not so, or not yet
    "my dream boat is a ketch",
    "I'm a would-be novelist",
    # of what is at hand
    "my favourite thing about this plan is how short it is",
    # an apology for what comes
    "I hate to ask but is the pump on?",
    "I hate to be a nuisance but can you redo it",
    # meant as their contrary, or drastic
    "I love it when the lift breaks down",
    "I'd rather chew glass than fill in that form",
    "oh brilliant, I do love a flat tyre",
    # denied or doubted by the words around
    "I don't think I like opera",
    "I wouldn't say I'm a foodie",
    "it's not that I hate ironing",
    "it's possible I have anaemia",
    "I guess I'm a night owl now",
    "I'm a Quaker, sort of",
    "on paper I'm an engineer",
    # told of a doing, of everything, of each time
    "Working at a mill must be loud",
    "Living in Iceland means long nights",
    "everything I own fits in a trunk",
    "every time I eat mussels my lips swell",
    # supposed, or an example
    "say my rent was 900 and I had a garden in Graz",
    "as an example, I am 30 and live in Rome",
    "in a world where I owned a yacht, could I moor it here?",
    # letters
    "Subject: the flat\nHi Ann, I live at 4 Elm Lane and I have two sons.",
    "---Forwarded---\nHi all, I live in Bonn now and I work at Arla.",
    # other people, in part
    "half my family lives in Turin",
    "nobody calls me Robert",
    "I'm waiting for the bus",
    "I work for peanuts",
    "I work out at the Iron Gym",
    "I never forget a face",
    "I left Cork at noon",
    "I play dumb",
    "I'm less of a cat person than you",
    "I'm typing this from a hostel in Lund",
    "allergic to effort, that's me",
    "vegan for January",
    "we voted yesterday",
    "Never learnt to sail",
    'city = "Bonn"  # I live in Ghent',
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_stored_of_it(text):
    assert {c.predicate for c in claims(text) if not c.hedged} <= {"has_family", "skill"} - {"likes"}
    assert not [c for c in claims(text) if not c.hedged and c.polarity == "positive" and c.predicate != "has_family"]


KEPT = [
    ("I'm no baker", "-user has_job: baker"),
    ("no fan of crowds, me", "user dislikes: crowds"),
    ("I write for a sailing magazine on the side", "user write_for: a sailing magazine"),
    ("I play chess badly", "user play: chess"),
    ("I love summer evenings", "user likes: summer evenings"),
    ("I'm a former dancer", "user has_job: dancer"),
    ("I'm lactose intolerant", "user allergic_to: lactose"),
    ("I react badly to nickel and to latex", "user allergic_to: latex"),
    ("I'm bad at maths and good with dogs", "-user skill: maths"),
    ("having lived in Kyoto I miss the trains", "user lives_in: Kyoto"),
    ("we decided against selling the barn", "user episode: against selling the barn"),
    ("I'm a nurse at King's", "user works_at: King's"),
    ("our youngest, Ivo, hates leeks", "Ivo dislikes: leeks"),
    ("I like slow, gloomy films", "user likes: slow, gloomy films"),
    ("I love fishing and working on old engines", "user likes: working on old engines"),
]


@pytest.mark.parametrize(("text", "wanted"), KEPT)
def test_what_is_said_is_kept_in_its_own_bounds(text, wanted):
    assert wanted in said(text)


def test_what_ended_or_is_past_is_not_current():
    for text in ("I'm a former dancer", "having lived in Kyoto I miss the trains", "Used to have goats but sold them"):
        found = [c for c in claims(text) if c.predicate in ("has_job", "lives_in", "has_pet")]
        assert found, text
        assert {c.temporal for c in found} <= {"past", "ended"}, text


def test_an_exception_is_no_setting():
    (found,) = claims("I'm vegetarian except for fish on Fridays")
    assert found.context is None


def test_one_thing_is_told_once():
    for text in ("I'm a morning person", "born and raised in Leeds", "My all time favourite game is Hive"):
        assert len(claims(text)) == 1, text
