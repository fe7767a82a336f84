"""What is asked, supposed, wished, guessed, reported, mocked or invented never becomes a fact about the speaker."""

from __future__ import annotations

import pytest
from test_extract_rules import EXTRACTOR, claims, said, session

NOTHING = {
    "question": [
        "Do I live in a flood zone?",
        "am I too old for judo?",
        "how do people who live in Bath get to work",
        "where do I live",
    ],
    "conditional": [
        "If I lived in Peru I'd eat ceviche daily",
        "I'd go vegan if it were easy",
        "unless it snows I start at Nokia on Monday",
    ],
    "hypothetical": [
        "Suppose I own a bakery in Rome",
        "let's say I'm a nurse with two kids",
        "imagine I work at Nokia and hate it",
    ],
    "wish": ["I wish I had a dog", "if only I spoke Greek", "would be lovely to have a garden", "I'd love to live in Rome"],
    "attributed": [
        "My boss says I'm a perfectionist",
        "you said I like jazz",
        "according to my ex I hate mornings",
        "they told me I'd be a good teacher",
    ],
    "fiction": [
        "My character is an elf called Rowan, she lives in Neverwinter",
        "Chapter 2. I was born in a lighthouse",
        "for the role play I'm a doctor from Bonn",
    ],
    "sarcasm": [
        "oh great, I just LOVE filling in forms",
        "yeah right, because I'm made of money",
        "sure, because I have nothing better to do",
    ],
    "joke": [
        "I'm a black belt in napping",
        "I speak fluent sarcasm",
        "my blood type is espresso",
        "I'm married to my laptop haha",
    ],
    "quoted": [
        'Translate: "I am allergic to nuts and I have two kids"',
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
        "I have a question about before",
        "I love it, thank you!",
        "I'm back",
        "I've tried that twice",
    ],
    "instruction": [
        "Write me a haiku about rain",
        "make it shorter",
        "give me a packing list for a week in Crete",
        "act as a recruiter",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in NOTHING.items() for text in texts])
def test_nothing_is_taken_as_fact(kind, text):
    assert [c for c in claims(text) if not c.hedged] == []


@pytest.mark.parametrize(
    "text",
    ["I might be allergic to kiwi", "maybe I'm an introvert", "I think I'm lactose intolerant, not sure", "apparently I snore"],
)
def test_doubt_makes_a_suggestion_at_most(text):
    assert all(c.hedged for c in claims(text))


def test_a_fact_beside_a_question_stays_a_fact():
    assert said("I'm a vet, how embarrassing is that") == {"user has_job: vet"}
    assert said("I cancelled my gym membership in May so what else is there?") == {"user owns: gym membership"}


def test_a_fact_beside_doubt_stays_a_fact():
    assert said("I work at Valmet, might leave in the autumn, dunno yet") == {"user works_at: Valmet"}


def test_a_polite_form_is_no_hypothesis():
    assert said("I'd rather have short answers") == {"user prefers: short answers"}


def test_not_only_negates_nothing():
    assert said("I'm not only a teacher, I'm also a referee") == {"user has_job: teacher", "user has_job: referee"}


def test_fiction_starts_at_its_cue():
    assert said("I write crime novels. in my novel the narrator lives in Wien and I have a parrot") == {
        "user write: crime novels"
    }


def test_a_refused_clause_is_reported_with_its_words():
    refusals = EXTRACTOR.extract(session("my boss thinks I'm lazy")).refusals
    assert ("attributed", "I'm lazy") in {(r.reason, r.quote) for r in refusals}
