"""What is asked, supposed, wished, guessed, reported, mocked or invented never becomes a fact about the speaker."""

from __future__ import annotations

import pytest
from test_extract_rules import EXTRACTOR, claims, said, session

NOTHING = {
    "question": [
        "Do I own enough chairs?",
        "am I too old for judo?",
        "how do those who work in Bath park their cars",
        "where do I live",
    ],
    "conditional": [
        "If I lived in Peru I'd eat ceviche daily",
        "I'd go vegan if it were easy",
        "unless it snows I start at Nokia on Monday",
    ],
    "hypothetical": [
        "Suppose I run a hotel in Rome",
        "let's say I'm a nurse with two kids",
        "imagine I work at Nokia and hate it",
    ],
    "wish": ["I wish I had a cello", "if only I spoke Greek", "would be lovely to have a garden", "I'd love to live in Rome"],
    "attributed": [
        "My coach says I'm a slow eater",
        "you said I like jazz",
        "according to my sister I snore",
        "he told me I'd make a fine judge",
    ],
    "fiction": [
        "My character is a bard named Fenn, he lives in a swamp",
        "Chapter 2. I own nine mills",
        "role play: I'm a doctor from Bonn",
    ],
    "sarcasm": [
        "oh great, I just LOVE queueing in rain",
        "yeah right, because I sleep on gold",
        "sure, because I never need sleep",
    ],
    "joke": [
        "I'm a champion in napping",
        "I speak fluent sarcasm",
        "my blood type is espresso",
        "I'm married to my laptop haha",
    ],
    "quoted": [
        'Translate: "I keep sheep and I have two kids"',
        "the form says: I own the house",
        "proofread this: I work at Nokia",
        "> I live in Bonn",
    ],
    "code": ["```\nuser = {'city': 'Rome'}\n```\nwhy does it fail", "const me = { job: 'dentist' } // why"],
    "third": [
        "People in my street have three dogs",
        "everyone at work uses Macs",
        "Elon Musk owns Tesla",
        "most vegans drink oat milk",
    ],
    "small talk": [
        "good morning!",
        "I have one more question",
        "I love it, thank you!",
        "I'm back",
        "I've tried that twice",
    ],
    "instruction": [
        "Write us a limerick on fog",
        "make it shorter",
        "give me a menu for ten guests",
        "act as a recruiter",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in NOTHING.items() for text in texts])
def test_nothing_is_taken_as_fact(kind, text):
    assert [c for c in claims(text) if not c.hedged] == []


@pytest.mark.parametrize(
    "text",
    [
        "I might be sensitive to oats, or allergic to them",
        "maybe I'm an introvert",
        "I think I'm lactose intolerant, not sure",
        "apparently I snore",
    ],
)
def test_doubt_makes_a_suggestion_at_most(text):
    assert all(c.hedged for c in claims(text))


def test_a_fact_beside_a_question_stays_a_fact():
    assert said("I'm a baker, how ironic is that") == {"user has_job: baker"}
    assert said("I cancelled my gym membership in May so what else is there?") == {"user owns: gym membership"}


def test_a_fact_beside_doubt_stays_a_fact():
    assert said("I work at Valmet, may quit in spring, no plan yet") == {"user works_at: Valmet"}


def test_a_polite_form_is_no_hypothesis():
    assert said("I'd rather have plain tables") == {"user prefers: plain tables"}


def test_not_only_negates_nothing():
    assert said("I'm not only a baker, I'm also a judge") == {"user has_job: baker", "user has_job: judge"}


def test_fiction_starts_at_its_cue():
    assert said("I write stage plays. in my play the hero lives in Wien and I have a parrot") == {"user write: stage plays"}


def test_a_refused_clause_is_reported_with_its_words():
    refusals = EXTRACTOR.extract(session("my boss thinks I'm lazy")).refusals
    assert ("attributed", "I'm lazy") in {(r.reason, r.quote) for r in refusals}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("That sounds like a lot of work. Since you live in Utrecht, have you looked at rents there?", "Thanks, good night!"),
        ("Where do you live?", "Thanks, good night!"),
        ("Where do you live? Anyway, here is the table.", "Bergen"),
        ("Have you thought about getting a cat?", "a cat, hmm. Persuade me"),
        ("Are you vegetarian?", "define vegetarian"),
        ("Does it drive your kids crazy?", "My wife crazy"),
        ("Would you like a vegetarian recipe?", "vegetarian, sure"),
        ("Which editor do you use?", "does it matter?"),
        ("What is your favourite film?", "don't make me choose"),
        ("Do you have any allergies?", "Nope"),
        ("What time works for you?", "Tuesday"),
    ],
)
def test_a_phrase_that_answers_nothing_makes_nothing(question, answer):
    assert not claims(question, answer, roles=["assistant", "user"])


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("You live in Turku, right?", "No, Tampere", ("lives_in", "Tampere", "Turku")),
        ("So you live in Leeds?", "close, Bradford", ("lives_in", "Bradford", "Leeds")),
        ("And you use Jira for tickets?", "God no. Trello", ("uses_tool", "Trello", "Jira")),
        ("You work at Volvo, right?", "Not anymore. Scania", ("works_at", "Scania", "Volvo")),
    ],
)
def test_a_denied_guess_is_put_right(question, answer, wanted):
    (claim,) = claims(question, answer, roles=["assistant", "user"])
    assert (claim.predicate, claim.object, claim.replaces) == wanted
    assert claim.cue == "correction"


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Coffee or tea?", "tea", ("prefers", "tea")),
        ("Should I keep my answers long or short?", "the shorter the better", ("prefers", "shorter")),
        ("What is your favourite film?", "Stalker, easily", ("favourite", "Stalker")),
        ("Are you married?", "Yep, to a Norwegian", ("married_to", "a Norwegian")),
        ("How do you get to the office?", "ferry", ("commutes_by", "ferry")),
    ],
)
def test_an_answer_has_the_type_that_was_asked_for(question, answer, wanted):
    (claim,) = claims(question, answer, roles=["assistant", "user"])
    assert (claim.predicate, claim.object) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "I work in a call centre, which I hate",
        "We have a cottage, which is damp",
        "We rent a cottage where my aunt keeps bees",
    ],
)
def test_an_aside_about_what_was_named_is_no_question(text):
    refused = {item.reason for item in EXTRACTOR.extract(session(text)).refusals}
    assert "question" not in refused
    assert "aside" in refused


def test_a_sentence_goes_on_after_an_aside():
    assert "daughter Runa likes: beetles" in said("My daughter Runa, who is six, loves beetles")
    assert not any("six" in c.object for c in claims("My daughter Runa, who is six, loves beetles"))


def test_a_question_in_the_place_of_an_aside_stays_one():
    assert claims("About the cottage, where should I keep bees") == []
    assert claims("My daughter, who does she work for?") == []
