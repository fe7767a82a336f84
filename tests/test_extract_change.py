"""What claims carry for reconciliation: status, cue, what is replaced, scope, time; tasks, rules and events."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from test_extract_rules import EXTRACTOR, claims, session


def one(text, predicate):
    found = [c for c in claims(text) if c.predicate == predicate]
    assert len(found) == 1, found
    return found[0]


def local(year, month, day):
    """Midnight in UTC+3, the offset of the sessions here."""
    return datetime(year, month, day, tzinfo=UTC).replace(hour=0).timestamp() - 3 * 3600


def test_a_move_holds_from_its_month_on():
    claim = one("we relocated to Braga last month", "lives_in")
    assert (claim.temporal, claim.cue, claim.time.end) == ("current", "change", None)
    assert claim.time.start.timestamp() == local(2026, 4, 1)


def test_a_switch_names_what_it_replaces():
    new, old = claims("I switched from Evernote to Obsidian in March")
    assert (new.object, new.replaces, new.cue, new.temporal) == ("Obsidian", "Evernote", "change", "current")
    assert (old.object, old.temporal) == ("Evernote", "ended")


def test_no_longer_is_the_positive_fact_ended():
    claim = one("we don't live in Trieste any more", "lives_in")
    assert (claim.polarity, claim.temporal, claim.cue) == ("positive", "ended", "change")


def test_a_denial_from_the_start_is_a_negative_correction():
    claim = one("she never worked? no, I never worked at Volvo", "works_at")
    assert (claim.polarity, claim.cue) == ("negative", "correction")


def test_not_this_but_that_is_a_correction():
    claim = one("I was born in 1973, not 1978", "born_on")
    assert (claim.object, claim.replaces) == ("1973", "1978")


def test_used_to_has_ended():
    claim = one("I used to gamble but I quit in 2017", "habit")
    assert claim.temporal == "ended"
    assert claim.time.end.timestamp() == local(2018, 1, 1)


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("we sold the caravan in May", "owns"),
        ("I cancelled my zoo membership", "owns"),
        ("our rabbit died last week", "has_pet"),
        ("no wine for me anymore", "diet"),
        ("they moved me off the archive project", "works_on"),
        ("we got divorced last year", "married_to"),
    ],
)
def test_an_end_without_a_successor(text, predicate):
    assert one(text, predicate).temporal == "ended"


def test_preferences_keep_their_setting():
    at_work, with_friends = claims("on stage I prefer boots but at rehearsals I prefer sneakers")
    assert (at_work.object, at_work.context) == ("boots", "on stage")
    assert (with_friends.object, with_friends.context) == ("sneakers", "at rehearsals")


def test_a_favourite_keeps_its_category():
    claim = one("my favourite band is Low", "favourite")
    assert (claim.object, claim.context) == ("Low", "band")


def test_two_attributes_that_differ_in_a_digit_stay_two():
    found = claims("my seat on the ferry is row 17 and my seat on the bus is row 71")
    assert {(c.context, c.object) for c in found} == {("seat on the ferry", "row 17"), ("seat on the bus", "row 71")}


def test_a_plan_is_intended_and_dated():
    claim = one("I'm planning to run a marathon in August", "wants")
    assert (claim.modality, claim.temporal) == ("intended", "future")
    assert claim.time.start.timestamp() == local(2026, 8, 1)


def test_a_deadline_is_the_start_of_its_day():
    claim = one("I'll mail the keys to Otto by Friday", "to_do")
    assert claim.kind == "open_item"
    assert claim.details["due"] == "2026-05-14T21:00:00Z"
    assert claim.details["verb"] == "mail"


@pytest.mark.parametrize(
    "text",
    [
        "remind me to ring the bank tomorrow",
        "I have to sand the floor",
        "I still haven't booked the flights",
        "need to repaint my fence by May",
        "todo: book the vet",
        "the deadline for the grant is 30 June",
        "still waiting for Aino to approve the budget",
        "I promised to send Leena the photos",
        "could you check back on the permit next week?",
        "don't let me forget to feed the fish",
    ],
)
def test_open_items(text):
    assert [c.kind for c in claims(text)] == ["open_item"]


def test_a_deed_in_the_shape_of_a_task_closes_it():
    done = [c for c in EXTRACTOR.extract(session("repaid the deposit to Lea today, done")).claims if c.done]
    assert [(c.kind, c.details["verb"], c.details["target"]) for c in done] == [("open_item", "repay", "the deposit to Lea")]


@pytest.mark.parametrize(
    ("text", "rule", "context"),
    [
        ("when you plan trips for us always add a map", "always add a map", "when you plan trips for us"),
        ("never put emojis in my mails", "never put emojis in my mails", None),
        ("From now on write to me in Latin please", "From now on write to me in Latin", None),
        ("Whenever you list prices, show the tax too", "show the tax too", "Whenever you list prices"),
        ("my rule for mails is one screen, no more", "one screen, no more", "for mails"),
        ("Our release steps: bump, check, tag, push", "bump, check, tag, push", None),
        (
            "please write in French when it's about wine",
            "write in French when it's about wine",
            "when it's about wine",
        ),
    ],
)
def test_standing_rules(text, rule, context):
    (claim,) = claims(text)
    assert (claim.kind, claim.object, claim.context) == ("procedure", rule, context)


@pytest.mark.parametrize(
    "text", ["never give up!", "always here for you", "let me know when you can", "use long sentences in this letter"]
)
def test_encouragement_and_requests_for_once_are_no_rules(text):
    assert [c for c in claims(text) if c.kind == "procedure"] == []


def test_an_event_has_its_day_and_its_tone():
    claim = one("the bank called and they refused the loan", "episode")
    assert (claim.kind, claim.details["tone"]) == ("episode", "negative")
    dated = one("I crashed the tractor yesterday", "episode")
    assert dated.time.start.timestamp() == local(2026, 5, 13)


@pytest.mark.parametrize(
    ("text", "predicate", "value", "old", "quote"),
    [
        (
            "My birthday is on 14 March. Oops, typo, I mean 15 March.",
            "born_on",
            "15 March",
            "14 March",
            "Oops, typo, I mean 15 March.",
        ),
        ("I live in Oslo. Sorry, I meant Bergen.", "lives_in", "Bergen", "Oslo", "Sorry, I meant Bergen."),
        ("I live in Oslo. *Bergen", "lives_in", "Bergen", "Oslo", "*Bergen"),
        ("I live in Oslo, sorry, Bergen", "lives_in", "Bergen", "Oslo", "I live in Oslo, sorry, Bergen"),
        ("I'm a nurse. I mean midwife.", "has_job", "midwife", "nurse", "I mean midwife."),
    ],
)
def test_a_bare_value_puts_right_what_was_just_said(text, predicate, value, old, quote):
    claim = [c for c in claims(text) if c.predicate == predicate][-1]
    assert (claim.object, claim.replaces, claim.cue) == (value, old, "correction")
    assert claim.quote.strip(".") == quote.strip(".")


def test_a_bare_value_puts_right_the_turn_before():
    _, new = claims("I live in Oslo", "Noted.", "sorry, I meant Bergen", roles=["user", "assistant", "user"])
    assert (new.turn, new.predicate, new.object, new.replaces, new.cue) == ("t2", "lives_in", "Bergen", "Oslo", "correction")


def test_a_bare_day_moves_the_task_of_the_turn_before():
    _, new = claims("remind me to call Ana on Monday", "Done.", "no wait, Tuesday", roles=["user", "assistant", "user"])
    assert (new.kind, new.object, new.cue) == ("open_item", "call Ana", "correction")
    assert new.details["due"] == "2026-05-18T21:00:00Z"


@pytest.mark.parametrize(
    "after", ["sorry, I mean the second table", "no wait, that's wrong", "sorry, what?", "Thanks!", "I mean, it rains"]
)
def test_a_value_of_another_type_corrects_nothing(after):
    assert [c.object for c in claims("I live in Oslo", "Ok.", after, roles=["user", "assistant", "user"])] == ["Oslo"]


def test_a_slip_within_a_sentence_was_never_stated():
    assert [c.object for c in claims("I live in Oslo, sorry, Bergen")] == ["Bergen"]


@pytest.mark.parametrize(
    ("text", "context", "value", "temporal", "cue"),
    [
        ("My new gym code is 5512", "gym code", "5512", "current", "change"),
        ("Our current customer number is 88-401", "customer number", "88-401", "current", "change"),
        ("My brand new licence plate is KX 331", "licence plate", "KX 331", "current", "change"),
        ("My gym code is 5512", "gym code", "5512", "current", None),
        ("My old gym code was 4100", "gym code", "4100", "ended", "change"),
        ("My former extension is 207", "extension", "207", "ended", "change"),
        ("My gym code has changed, it's 5512 now", "gym code", "5512", "current", "change"),
        ("Our customer number has changed to 88-401", "customer number", "88-401", "current", "change"),
        ("My new studio's room number is 9C", "new studio's room number", "9C", "current", None),
    ],
)
def test_an_attribute_is_named_without_how_new_it_is(text, context, value, temporal, cue):
    claim = one(text, "attribute")
    assert (claim.context, claim.object, claim.temporal, claim.cue) == (context, value, temporal, cue)
    assert claim.object in claim.quote


@pytest.mark.parametrize(
    "text", ["My gym code was 4100", "My gym code has not changed, it's 4100", "My brother has changed, it's 5 years now"]
)
def test_no_new_value_is_read_where_none_is_told(text):
    assert [c for c in claims(text) if c.predicate == "attribute"] == []
