"""Tastes, diets, reactions, tasks, plans and rules in many wordings, and their look-alikes that say nothing."""

from __future__ import annotations

import pytest
from test_extract_rules import EXTRACTOR, claims, said, session


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("not really a fan of musicals", "user dislikes: musicals"),
        ("I'm a sucker for old westerns", "user likes: old westerns"),
        ("My dad is a huge fan of opera", "dad likes: opera"),
        ("I've gone off coffee", "user dislikes: coffee"),
        ("I've grown to love running", "user likes: running"),
        ("I have no patience for long meetings", "user dislikes: long meetings"),
        ("cant get enough of breakcore either", "user likes: breakcore"),
        ("Autoplay videos get on my nerves", "user dislikes: Autoplay videos"),
        ("Being late makes me anxious", "user dislikes: Being late"),
        ("nothing beats a cold swim", "user likes: a cold swim"),
        ("Give me rye bread any day", "user likes: rye bread"),
        ("I'd sooner walk than drive", "user prefers: walk"),
        ("I'll take rain over heat any day", "user prefers: rain"),
        ("When it comes to music, vinyl beats streaming", "user prefers: vinyl"),
        ("Top novel of all time for me: Solaris", "user favourite: Solaris"),
        ("Barcelona has to be my favourite city", "user favourite: Barcelona"),
    ],
)
def test_a_taste_is_told_by_its_idiom(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer the second one",
        "I don't like the tone of paragraph two",
        "This song gets on my nerves",
        "The printer drives me crazy",
        "that works best for me",
        "Give me the short version any time",
        "big fan of your work",
        "obviously I adore waiting in line",
        "I'm allergic to nonsense",
        "Give me a list of trains over 200 km/h",
        "She is a huge fan of ABBA",
        "Do olives make you gag?",
        "my sister thinks gardening is my thing",
        "for the improv night sketch I'm a clown who hates pies",
    ],
)
def test_what_is_at_hand_or_not_meant_is_no_taste(text):
    assert not [c for c in claims(text) if c.subject == "user" and not c.hedged]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I steer clear of dairy", "-user diet: dairy"),
        ("I've cut out sugar", "-user diet: sugar"),
        ("I haven't touched alcohol since 2019", "-user diet: alcohol"),
        ("I eat everything except celery", "-user diet: celery"),
        ("I'm off sugar", "-user diet: sugar"),
        ("doing keto since March", "user diet: keto"),
        ("low carb during the week", "user diet: low carb"),
        ("no mushrooms for me", "-user diet: mushrooms"),
        ("Hornet stings send me into anaphylaxis", "user allergic_to: Hornet stings"),
        ("my throat closes up when I eat hazelnuts", "user allergic_to: hazelnuts"),
        ("allergies: kiwi, birch pollen and latex", "user allergic_to: birch pollen"),
        ("I carry an EpiPen because of wasps", "user allergic_to: wasps"),
        ("one wasp sting and I end up in hospital", "user allergic_to: wasp sting"),
        ("I suffer from cluster headaches", "user health: cluster headaches"),
        ("living with lupus for nine years", "user health: lupus"),
        ("I've come off antidepressants", "user health: antidepressants"),
        ("im 14 weeks pregnant", "user health: 14 weeks pregnant"),
    ],
)
def test_what_one_eats_and_bears(text, wanted):
    assert wanted in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "I avoid the motorway",
        "living with my parents",
        "I suffer from impostor syndrome",
        "What if I cut out sugar?",
        "is it bad to skip breakfast?",
        "no rush for me",
        "my phone is dead",
        "this code gives me hives",
    ],
)
def test_look_alikes_of_food_and_health_say_nothing(text):
    assert not [c for c in claims(text) if c.predicate in ("diet", "allergic_to", "health")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mustn't forget the anniversary flowers", "the anniversary flowers"),
        ("the shelves in the hall need painting", "the shelves in the hall need painting"),
        ("poke me on Sunday about the compost", "the compost"),
        ("I owe Piotr 200 zloty", "owe Piotr 200 zloty"),
        ("thank-you cards: six left to write", "thank-you cards: six left to write"),
        ("I've yet to book the ferry", "book the ferry"),
        ("I should call my landlord", "call my landlord"),
        ("I promised Tom I'd water his plants", "water his plants"),
        ("Can you ask me on Friday whether the parcel arrived?", "the parcel arrived"),
        ("I haven't got round to filing the receipts yet", "filing the receipts"),
    ],
)
def test_a_task_in_many_wordings(text, wanted):
    assert wanted in [c.object for c in claims(text) if c.kind == "open_item"]


@pytest.mark.parametrize(
    "text",
    [
        "I should eat more fruit",
        "I should have called my mum",
        "I owe you one",
        "don't forget to close the bracket",
        "Can you remind me how closures work?",
        "you've got to be kidding",
        "The button needs to be blue",
    ],
)
def test_look_alikes_of_tasks_are_none(text):
    assert not [c for c in claims(text) if c.kind == "open_item"]


def test_a_coming_date_is_the_due_day():
    (claim,) = [c for c in claims("I've got a root canal coming up on Thursday") if c.kind == "open_item"]
    assert claim.details["due"] == "2026-05-20T21:00:00Z"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We're having the roof redone in January", "having the roof redone"),
        ("I'm saving up for a kayak", "a kayak"),
        ("off to Lapland on Friday", "Lapland"),
        ("Next month I'm running the Riga half marathon", "running the Riga half marathon"),
        ("I'd like to visit Japan next spring", "visit Japan"),
    ],
)
def test_a_plan_is_intended(text, wanted):
    found = [c for c in claims(text) if c.predicate == "wants"]
    assert [(c.object, c.modality, c.temporal) for c in found] == [(wanted, "intended", "future")]


@pytest.mark.parametrize(
    "text", ["I'd love to learn the harp", "I'd like a table for two", "I'm off to bed", "I'm about to leave"]
)
def test_a_wish_without_a_date_is_nothing(text):
    assert not claims(text)


@pytest.mark.parametrize(
    ("text", "rule", "context"),
    [
        ("in every mail you draft for me sign off with Cheers", "sign off with Cheers", "in every mail you draft for me"),
        ("no emojis in anything you write me, ever", "no emojis in anything you write me", None),
        ("whenever you give me shell commands explain every flag", "explain every flag", "whenever you give me shell commands"),
        ("each Friday we export the sheet, then mail it", "export the sheet, then mail it", "each Friday"),
        ("here's how we onboard: laptop, lunch, then access", "laptop, lunch, then access", "here's how we onboard"),
        ("If a test fails twice, quarantine it, that's the rule", "quarantine it", "If a test fails twice"),
        ("stop calling me buddy", "stop calling me buddy", None),
    ],
)
def test_a_standing_rule_in_many_wordings(text, rule, context):
    found = [c for c in claims(text) if c.kind == "procedure"]
    assert [(c.object, c.context) for c in found] == [(rule, context)]


@pytest.mark.parametrize(
    "text", ["stop using tabs in this file", "the rule is simple", "whenever you visit Rome try the gelato"]
)
def test_what_is_for_now_is_no_rule(text):
    assert not [c for c in claims(text) if c.kind == "procedure"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Last week we agreed to postpone the launch", "decision"),
        ("The council rejected our application in March", "decision"),
        ("I signed up for a marathon last week", "commitment"),
        ("I missed my train on Sunday", "problem"),
        ("I passed the exam on Tuesday", "milestone"),
    ],
)
def test_an_episode_says_of_what_type_it_is(text, kind):
    (claim,) = [c for c in claims(text) if c.kind == "episode"]
    assert claim.details["type"] == kind


def test_an_episode_tells_its_outcome_and_topics():
    (claim,) = [c for c in claims("my talk went really well on Tuesday") if c.kind == "episode"]
    assert (claim.details["outcome"], claim.details["topics"]) == ("went really well", ["talk"])


def test_a_deed_that_is_done_carries_verb_and_target():
    (done,) = [c for c in EXTRACTOR.extract(session("I paid the electricity bill yesterday")).claims if c.done]
    assert (done.details["verb"], done.details["target"]) == ("pay", "the electricity bill")
