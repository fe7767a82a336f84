"""Figures and days of things are read out of plain sentences and requests, and a later telling takes their place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from build import World

from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session, Turn

SAID = datetime(2026, 5, 14, 7, 30, tzinfo=UTC)
EXTRACTOR = RuleExtractor()


def measured(text):
    """What is measured with its value, for each figure taken from a turn."""
    session = Session(id="s", started=SAID, turns=(Turn(id="t", role="user", text=text, time=SAID),))
    claims = [claim for claim in EXTRACTOR.extract(session).claims if claim.rule == "measure"]
    assert all(text[claim.start : claim.end] == claim.quote and claim.object in claim.quote for claim in claims)
    return {claim.context: claim.object for claim in claims}


TAKEN = [
    ("My savings are now at $4,300.", "savings", "$4,300"),
    ("Our test coverage is at 64% now, should we stop there?", "test coverage", "64%"),
    ("I'm redoing the poster, and my budget is now €1,200.", "budget", "€1,200"),
    ("my latency dropped from 250ms to 90ms after the rewrite", "latency", "90ms"),
    ("I'm polishing the login page, whose load time is fine, but the build time, which is now 14 minutes, drives me mad",
     "build time", "14 minutes"),
    ("Can you help me plan around my 3 June deadline for the grant draft, please?", "deadline for the grant draft", "3 June"),
    ("I have a deadline of 3 June for the grant proposal and I need a plan.", "deadline for the grant proposal", "3 June"),
    ("I have a deadline of 9 July to translate the manual, what comes first?", "deadline to translate the manual", "9 July"),
    ("I'm updating my notes now the new proposal deadline of 10 June is close, any tips?", "proposal deadline", "10 June"),
    ("I have a dentist appointment on 4 June at 10 AM, what should I bring?", "dentist appointment", "4 June at 10 AM"),
    ("My driving exam is scheduled for 22 June.", "driving exam", "22 June"),
    ("I'm nervous about the dentist appointment, can you remind me that it's rescheduled to 6 June at 11 AM?",
     "dentist appointment", "6 June at 11 AM"),
    ("I've extended my violin practice to 90 minutes, is that too much?", "violin practice", "90 minutes"),
    ("I've raised my rent budget from $900 to $1,050.", "rent budget", "$1,050"),
    ("We managed to bring the error rate in our parser down from 9% to 2%, what next?", "error rate in parser", "2%"),
    ("I'm averaging 65% on the mock exams.", "average on mock exams", "65%"),
    ("I've scored 18/20 on my last-minute vocabulary quiz, any tips?", "score on last-minute vocabulary quiz", "18/20"),
    ("I have 85% accuracy in chord recognition, how do I improve?", "accuracy in chord recognition", "85%"),
    ("I've currently completed 12 of 30 exercises, so what should I do next?", "number of exercises completed", "12 of 30"),
    ("I've written 40 pages so far, can you help me with the outline?", "number of pages written", "40 pages"),
    ("my vinyl collection now has 120 records, how do I sort them?", "number of records in vinyl collection", "120"),
    ("I've spent 14 hours on the tax report, any tips?", "time spent on tax report", "14 hours"),
    ("I've allocated $700 for the garden shed, can you suggest a supplier?", "budget for garden shed", "$700"),
    ("the number of letters I've sent has increased to 31, how do I keep track?", "letters", "31"),
    ("I want 90% coverage on the billing module, and I've currently reached 71%.", "coverage on the billing module", "71%"),
    ("I'm now on page 210 of Middlemarch, no spoilers please", "page of Middlemarch", "210"),
    ("with my mortgage balance at $190,000, should I refinance?", "mortgage balance", "$190,000"),
    ("we pushed the product launch back to 9 September, how do I tell the client?", "product launch", "9 September"),
    ("I'm trying to get fitter, given that my resting pulse, which has recently gone down to 58 points, is still high",
     "resting pulse", "58 points"),
    ("I've already completed 15 riddles with 95% accuracy, so what next?", "accuracy in riddles", "95%"),
    ("I've written 10 tests, scoring 8/10 correct in naming bones, but I struggle.", "score on naming bones", "8/10"),
    ("I see how my accuracy in fractions rose from 60% to 85%, after completing 8 riddles - can you help?",
     "number of riddles completed", "8"),
    ("I've added two new plants, so now I have a total of 10 ferns, and want to water them.", "number of ferns", "10"),
    ("my grant report deadline got extended to 16 May, so what do I do first?", "grant report deadline", "16 May"),
    ("My test coverage is at 64%.", "test coverage", "64%"),
    ("I've raised my daily target to 12 French flashcards, is that much?", "daily target", "12 French flashcards"),
    ("I've reduced my photo size from 300KB to 180KB, what else?", "photo size", "180KB"),
    ("I'm worried about meeting my April 20 deadline for the choir newsletter, so can you help me?",
     "deadline for the choir newsletter", "April 20"),
    ("I have a deadline of 9 May to finalise my thesis, what now?", "deadline to finalise thesis", "9 May"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "thing", "value"), TAKEN, ids=[thing for _, thing, _ in TAKEN])
def test_a_figure_or_day_is_taken_with_what_it_measures(text, thing, value):
    assert measured(text).get(thing) == value


def test_a_share_is_read_once_and_whole():
    session = Session(id="s", started=SAID, turns=(Turn(id="t", role="user", text="My test coverage is at 64%.", time=SAID),))
    assert [claim.object for claim in EXTRACTOR.extract(session).claims] == ["64%"]


NOTHING = [
    "Can you set my alarm budget to 5 minutes?",
    "can you increase the font size to 14 points, please?",
    "Could you move my meeting with Ann to 5 June?",
    "If my budget is now $900, can I still afford it?",
    "If I've completed 12 exercises by then, what comes next?",
    "Suppose my coverage is at 70%, is that good?",
    "I hope my score has risen to 80% by summer.",
    "I want to raise my savings to $5,000.",
    "I'm trying to increase my test coverage to 90%.",
    "I need a budget of $400 for the trip.",
    "I think my budget is 600 euros.",
    "Maybe my rent is $1,100 now.",
    "My rent might go up to $1,200.",
    "My rent will go up to $1,200.",
    "my target should be 15 pages",
    "My sister's budget is now $3,000.",
    "Her score has risen to 92%.",
    "His savings are at $9,000, can you believe it?",
    "Tom said my deadline is 3 June.",
    "According to the office my deadline is 3 June.",
    "I heard the rent has risen to $900 here.",
    "The unemployment rate has risen to 7%.",
    "The population of Norway has reached 5 million.",
    "The price of coffee is now $6.",
    "A marathon is 42 km long.",
    "Water boils at 100 degrees.",
    "Is my budget 500 euros?",
    "What is 20% of 350?",
    "Have I completed 12 exercises?",
    "Have I spent 12 hours on the report?",
    "How do I get my score to 90%?",
    "My budget is not 500 euros.",
    "I haven't completed 12 exercises yet.",
    "my old deadline of 3 June was fine",
    "I'd like a deadline of 3 June for the draft.",
    "Write a function that sets the limit to 50.",
    "`budget = 500` is what the file says",
    "I use Python 3.11 and Django 4.2.",
    "I live at 12 Mill Lane.",
    "I read 3 books last week.",
    "We met in 2019 and married 4 years later.",
    "Please remind me in 20 minutes.",
    "Let's assume a budget of $300 for food.",
    "For example, my deadline is 3 June.",
    "Give me 5 tips with a deadline of 2 days each.",
    "The doctor moved the goalposts 3 times.",
    "In my novel the hero's debt is now 900 crowns.",
    "My son is now 5.",
    "After completing 12 exercises I'll take the exam.",
    "What should I do after completing 8 lessons?",
    "I'll celebrate after finishing 3 chapters.",
    "I'm worried about my interviews on 10 May, 12 and 15.",
    # Put and taken back in one breath.
    "It's not true that I've completed 8 levels.",
    "It isn't the case that my budget is now $900.",
    "I doubt that I've written 20 essays.",
    "I can't say I've completed 12 laps.",
    "Don't assume my meeting with Carla is on May 10.",
    "Stop saying my deadline moved to July 3.",
    "He wants me to say that my rent is now $2,000.",
    "I read a post saying my visa deadline is now May 3.",
    "Before I've even finished 5 drafts she complains.",
    "As soon as I've completed 40 laps I'll stop.",
    "By the time I've run 500 km my shoes will be dead.",
    "I'd like to have increased my typing speed to 90 wpm.",
    "Let's say I've averaged 70% on quizzes.",
    "My rent went up to $1,500 in the scenario you gave me.",
    "I've collected 900 stamps, just kidding!",
    "My alleged score of 98% on the exam is gossip.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_goals_guesses_questions_and_the_figures_of_others_are_none(text):
    assert measured(text) == {}


def told(*texts):
    """What a memory holds of figures after it was told one thing a week: each value with its status."""
    world = World()
    for n, text in enumerate(texts):
        at = SAID + timedelta(days=7 * n)
        session = Session(id=f"s{n}", started=at, turns=(Turn(id="t", role="user", text=text, time=at),))
        world.take(session, [c for c in EXTRACTOR.extract(session).claims if c.rule == "measure"])
    return {s.object: s.status for s in world.statements(SAID + timedelta(days=90))}


REPLACED = [
    ("My budget for the kitchen is $4,000.", "I'm revising my budget for the kitchen, which is now $5,500.", "$4,000"),
    ("I have a deadline of 3 June for the second chapter.", "Help me, the new chapter deadline of 9 June is close.", "3 June"),
    ("My driving exam is scheduled for 22 June.", "my driving exam has been moved to 29 June, so what do I do?", "22 June"),
    ("I've completed 10 grammar lessons so far.", "I've already completed 15 grammar lessons, what next?", "10"),
    ("I'm averaging 65% on the mock exams.", "I'm now averaging 72% on the mock exams.", "65%"),
    ("Our test coverage is at 64%.", "I'm proud that our test coverage has improved to 78%!", "64%"),
    ("My seed collection has 45 packets.", "Can you sort them, now that my seed collection has 52 packets?", "45"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "later", "old"), REPLACED, ids=[old for *_, old in REPLACED])
def test_a_later_figure_of_the_same_thing_takes_the_place_of_the_earlier(first, later, old):
    held = told(first, later)
    assert len(held) == 2
    assert held.pop(old) == "superseded"
    assert set(held.values()) == {"current"}


APART = [
    ("My deadline for sprint 2 is 3 June.", "the new sprint 3 deadline of 9 June is close, so help me plan"),
    ("My budget for the kitchen is $4,000.", "My budget for the bathroom is now $2,500."),
    ("I have a deadline of 3 June.", "I have a deadline of 9 June."),
    ("I've completed 15 grammar lessons.", "I've completed 10 spelling lessons."),
    ("I've completed 15 grammar lessons.", "I've recently completed 3 grammar lessons."),
    ("my latency is at 90 ms", "my latency has dropped to 3%"),
    ("My dentist appointment is on 4 June.", "My dentist appointment is on 4 June at 10 AM."),
    ("my savings goal is now $500", "my savings are now at $300"),
    ("I have a choir rehearsal on 7 June.", "I'm hoarse after my 10 July choir rehearsal, what helps?"),
    ("My rent is $300.", "My savings are now at $4,300."),
    ("My response time is at 90 ms.", "My dashboard response time is now at 120 ms."),
    ("My error rate is at 70%.", "My accuracy on scales improved from 70% to 90%."),
]


@pytest.mark.parametrize(("first", "later"), APART, ids=[str(n) for n in range(len(APART))])
def test_figures_of_two_things_or_the_same_one_told_finer_stand_side_by_side(first, later):
    held = told(first, later)
    assert len(held) == 2 and set(held.values()) == {"current"}


def test_the_same_figure_told_again_is_one_statement():
    assert told("My rent budget is now $900.", "I cook cheaply, given that my rent budget is now $900") == {"$900": "current"}


def test_a_figure_put_between_two_others_is_replaced_by_the_next_of_them():
    weights = ("My savings are now at $1,000.", "My savings are now at $2,000.", "My savings are now at $3,000.")
    assert told(*weights) == {"$1,000": "superseded", "$2,000": "superseded", "$3,000": "current"}


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("It's true that I've completed 8 levels.", "number of levels completed"),
        ("No doubt I've completed 9 courses.", "number of courses completed"),
        ("Don't forget my rent is now $2,000.", "rent"),
        ("Before I forget, my budget is now $900.", "budget"),
        ("Before lunch I've finished 5 drafts.", "number of drafts finished"),
        ("I doubt that I've written 20 essays, but my budget is now $900.", "budget"),
        ("When I've completed 40 laps I'll stop; my budget is now $900.", "budget"),
        ("My budget is now $900 in the project timeline.", "budget"),
    ],
)
def test_only_what_is_taken_back_is_left_out(text, thing):
    assert list(measured(text)) == [thing]


@pytest.mark.parametrize(
    "text",
    [
        "It's not true that I've completed 8 levels.",
        "It's false that I've never attempted chess puzzles.",
        "I doubt that I've written 20 essays.",
        "Have I already solved 25 puzzles, do you think?",
        "Neither have I completed 9 courses.",
        "Once I've completed 40 hours, I can apply.",
        "Until I've completed 40 laps I won't stop.",
        "In an alternate universe I've won 12 medals.",
        "I've climbed 900 mountains, only joking!",
    ],
)
def test_a_deed_or_denial_that_is_taken_back_makes_nothing(text):
    session = Session(id="s", started=SAID, turns=(Turn(id="t", role="user", text=text, time=SAID),))
    assert [claim.quote for claim in EXTRACTOR.extract(session).claims if not claim.hedged] == []
