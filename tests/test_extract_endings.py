"""What a later sentence does to an earlier one: posts and homes left, events off or moved, tasks done, and look-alikes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from build import World

from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session, Turn

EXTRACTOR = RuleExtractor()
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday


def told(*texts, days=1):
    """A memory that was told each text in a session of its own, some days after the one before."""
    world = World()
    for n, text in enumerate(texts):
        when = FIRST + timedelta(days=n * days)
        said = Session(id=f"s{n}", started=when, turns=(Turn(id="t1", role="user", text=text, time=when),))
        world.take(said, EXTRACTOR.extract(said).claims)
    return world.statements(at=FIRST + timedelta(days=len(texts) * days))


def standing(statements, *predicates):
    """What is held now, as "subject predicate: object"."""
    return {f"{s.subject} {s.predicate}: {s.object}" for s in statements if s.predicate in predicates and s.status == "current"}


def planned(statements):
    """Open items and plans that stand, by their objects."""
    return {
        s.object
        for s in statements
        if s.status == "current" and (s.kind == "open_item" or (s.modality == "intended" and s.polarity == "positive"))
    }


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        ("Signe lives in Malmo.", "Signe moved from Malmo to Lund.", {"Signe lives_in: Lund"}),
        ("Signe works at Kvarnen.", "Signe moved from Kvarnen to Bosch.", {"Signe works_at: Bosch"}),
        ("My aunt lives in Turin.", "My aunt relocated from Turin to Genoa.", {"aunt lives_in: Genoa"}),
        ("My aunt lives in Turin.", "My aunt no longer lives in Turin.", set()),
        ("My aunt lives in Turin.", "My aunt moved away from Turin.", set()),
        ("My aunt lives in Turin.", "My aunt moved out of Turin.", set()),
        ("My aunt lives in Turin.", "My aunt stopped living in Turin.", set()),
        ("Omar lives in Cardiff.", "Omar left Cardiff for good.", set()),
        ("Omar lives in Cardiff.", "Omar is no longer in Cardiff.", set()),
        ("Omar works at Siemens.", "Omar has left Siemens for Bosch.", {"Omar works_at: Bosch"}),
        ("Omar works at Siemens.", "Omar left Siemens.", set()),
        ("Omar works at Siemens.", "Omar is no longer at Siemens.", set()),
        ("Omar works at Siemens.", "Omar doesn't work for Siemens any more.", set()),
        ("Omar works at Siemens.", "Omar went from Siemens to Bosch.", {"Omar works_at: Bosch"}),
        ("My husband works for Bosch.", "My husband resigned from Bosch.", set()),
        ("My husband works for Bosch.", "My husband was laid off from Bosch.", set()),
        ("My husband works for Bosch.", "My husband has switched from Bosch to Siemens.", {"husband works_at: Siemens"}),
        ("My husband works for Bosch.", "My husband stopped working at Bosch.", set()),
        ("I work at Siemens.", "I've left Siemens for Bosch.", {"user works_at: Bosch"}),
        ("I work at Siemens.", "I'm no longer with Siemens.", set()),
        ("I live in Turin.", "We moved away from Turin.", set()),
    ],
)
def test_who_has_left_is_there_no_longer(before, after, now):
    assert standing(told(before, after), "lives_in", "works_at") == now


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Signe lives in Malmo.", "Olga left Malmo."),
        ("Signe lives in Malmo.", "Signe might move from Malmo to Lund."),
        ("Signe lives in Malmo.", "Did Signe move from Malmo to Lund?"),
        ("Signe lives in Malmo.", "Signe moved the piano from Malmo to Lund."),
        ("Signe lives in Malmo.", "Signe left Malmo on Friday."),
        ("Signe lives in Malmo.", "Signe went from Malmo to Lund."),
        ("Omar works at Siemens.", "Omar left Siemens at six."),
        ("Omar works at Siemens.", "Omar left Siemens early yesterday."),
        ("Omar works at Siemens.", "Omar left Siemens' office."),
        ("Omar works at Siemens.", "Omar left his scarf at Siemens."),
        ("Omar works at Siemens.", "Omar hasn't left Siemens."),
        ("Omar works at Siemens.", "If Omar leaves Siemens, I'm out too."),
        ("Omar works at Siemens.", "My neighbour says Omar left Siemens."),
        ("Omar works at Siemens.", "Omar left Bosch."),
        ("Omar works at Siemens.", "Omar is no longer at Siemens's old site."),
    ],
)
def test_who_may_only_have_gone_somewhere_is_still_there(before, after):
    held = standing(told(before), "lives_in", "works_at")
    assert held <= standing(told(before, after), "lives_in", "works_at")


@pytest.mark.parametrize(
    "text",
    [
        "Omar left Siemens.",
        "Omar left Lena.",
        "Omar has left Facebook for Instagram.",
        "I'm no longer at Ikea.",
        "I left Facebook.",
        "Signe is no longer in Malmo.",
    ],
)
def test_an_end_of_which_only_a_word_is_known_leaves_nothing(text):
    assert not [s for s in told(text) if s.predicate in ("works_at", "lives_in")]


def test_what_a_relative_resigned_from_is_not_the_speakers():
    found = told("My husband resigned from Bosch.", "My husband has switched from Bosch to Siemens.")
    assert not [s for s in found if s.subject == "user" and s.predicate in ("works_at", "uses_tool")]


TRIP = "We're planning a trip to Lisbon in May."
PLANS = [
    (TRIP, "The trip to Lisbon is off.", "a trip to Lisbon"),
    (TRIP, "The Lisbon trip has been cancelled.", "a trip to Lisbon"),
    (TRIP, "We cancelled the trip.", "a trip to Lisbon"),
    (TRIP, "We had to call off the trip.", "a trip to Lisbon"),
    (TRIP, "The holiday in Lisbon isn't happening.", "a trip to Lisbon"),
    (TRIP, "Our trip fell through.", "a trip to Lisbon"),
    ("I'm flying to Lisbon on 3 May.", "My trip to Lisbon is off, sadly.", "flying to Lisbon"),
    ("Our wedding is on 12 June.", "The wedding is cancelled.", "wedding"),
    ("We're getting married in June.", "The wedding is off.", "getting married"),
    ("We're throwing a party on Saturday.", "We called the party off.", "throwing a party"),
    ("I have a dentist appointment on 20 March.", "The appointment with the dentist was cancelled.", "a dentist appointment"),
    ("I have a dentist appointment on 20 March.", "They cancelled my dentist appointment.", "a dentist appointment"),
    ("I have a meeting with Kim on Friday.", "Kim cancelled our meeting.", "a meeting with Kim"),
    ("I'm going to a concert on Friday.", "The concert is cancelled.", "going to a concert"),
    ("We're going to Lisbon in June.", "We're not going to Lisbon after all.", "going to Lisbon"),
]


@pytest.mark.parametrize(("before", "after", "plan"), PLANS)
def test_what_is_called_off_is_planned_no_longer(before, after, plan):
    assert plan in planned(told(before))
    found = told(before, after)
    assert planned(found) == set()
    [off] = [s for s in found if s.details.get("type") == "called_off"]
    assert off.text in after
    assert {s.status for s in found if s.object == plan} == {"past"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TRIP, "The trip to Porto is off."),
        (TRIP, "My brother's trip to Lisbon is off."),
        (TRIP, "My sister's wedding was cancelled."),
        (TRIP, "If the trip is off, we'll stay here."),
        (TRIP, "Is the trip off?"),
        (TRIP, "The trip is not off."),
        (TRIP, "The trip hasn't been cancelled."),
        (TRIP, "The trip might be off."),
        (TRIP, "Nadia says the trip is off."),
        (TRIP, "The trip is off the beaten track."),
        (TRIP, "The lights are off."),
        (TRIP, "The deal is off-limits."),
        (TRIP, "A trip to Lisbon was cancelled."),
        (TRIP, "The trip was nearly cancelled."),
        (TRIP, "We're not going to Porto after all."),
        ("I have a meeting with Kim on Friday.", "The council cancelled the meeting."),
        ("Our wedding is on 12 June.", "My cousin's wedding is cancelled."),
        ("I need to book the hotel for the wedding.", "The wedding is cancelled."),
        ("I have a meeting with Kim on Friday. I have a meeting with Lee on Friday.", "The meeting is cancelled."),
    ],
)
def test_what_names_no_plan_for_sure_leaves_all_as_it_was(before, after):
    assert planned(told(before)) == planned(told(before, after)) != set()


def test_of_two_meetings_the_named_one_is_off():
    found = told(
        "I have a meeting with Kim on Friday. I have a meeting with Lee on Friday.", "The meeting with Lee is cancelled."
    )
    assert planned(found) == {"a meeting with Kim"}


@pytest.mark.parametrize(
    ("before", "after", "day"),
    [
        ("I have a meeting with Kim on Thursday.", "The meeting got postponed to Friday.", "2026-03-06"),
        ("I have a meeting with Kim on Friday.", "They brought the meeting forward to Thursday.", "2026-03-05"),
        ("I have a dentist appointment on 20 March.", "The dentist appointment has been moved to 3 April.", "2026-04-03"),
        ("I have an exam on Friday.", "The exam has been postponed.", None),
        ("I have a job interview on Friday.", "We rescheduled the interview for 19 March.", "2026-03-19"),
    ],
)
def test_what_is_moved_is_due_on_its_new_day_alone(before, after, day):
    [item] = [s for s in told(before, after) if s.kind == "open_item" and s.status == "current"]
    assert (item.details["due"] or "")[:10] == (day or "")
    assert len(item.supersedes) >= 1


@pytest.mark.parametrize(
    "after",
    [
        "The meeting was moved to the big hall.",
        "The meeting is moved to 5 pm.",
        "The meeting is delayed.",
        "I moved the meeting notes to the shelf.",
    ],
)
def test_a_move_to_another_place_changes_no_day(after):
    before = "I have a meeting with Kim on Friday."
    assert planned(told(before, after)) == planned(told(before))


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        ("I have to submit the tax return by Friday.", "The tax return is submitted."),
        ("I have to do my tax return.", "The tax return is done."),
        ("I need to book the hotel.", "I've booked the hotel."),
        ("I need to book the hotel.", "The hotel is booked."),
        ("I need to renew my passport.", "My passport has been renewed."),
        ("I need to pick up the parcel.", "Picked up the parcel yesterday."),
        ("I have an exam on Friday.", "I passed the exam."),
        ("I have a dentist appointment on Friday.", "Done with the dentist."),
        ("I have a dentist appointment on Friday.", "I'm done with the dentist."),
        ("I need to see a dentist.", "I saw the dentist yesterday."),
        ("I have an interview at Volvo on Friday.", "I got the job at Volvo."),
        ("I have an interview at Volvo on Friday.", "I got the job!"),
        ("My bike needs fixing.", "I fixed my bike."),
        ("The car wants seeing to.", "The car has been seen to."),
        ("I have to get the boiler serviced.", "The boiler has been serviced."),
        ("I need to postpone the dentist appointment.", "The dentist appointment has been postponed."),
        ("Waiting for Aino to approve the budget.", "The budget is approved."),
    ],
)
def test_a_deed_closes_its_task(task, deed):
    assert len(planned(told(task))) == 1
    assert planned(told(task, deed)) == set()


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        ("I need to book the hotel.", "I've booked the flight."),
        ("I need to book the hotel.", "The hotel is fully booked."),
        ("I need to book the hotel.", "The hotel isn't booked."),
        ("I need to book the hotel in Oslo.", "I've booked the hotel in Rome."),
        ("I need to renew my passport.", "I found my passport."),
        ("I need to buy milk and eggs.", "Bought the milk."),
        ("I need to call the bank.", "I called my mum."),
        ("I have to finish the slides.", "The slides are almost finished."),
        ("I have an exam on Friday.", "The exam went well."),
        ("I have an exam on Friday.", "Her exam went well."),
        ("I have to send the slides to Petra.", "I sent the slides to Mikko."),
        ("I need to pick up the parcel.", "Tom picked up the parcel."),
        ("I have an exam on Friday.", "I prepared for the exam."),
        ("I have a flight on Friday.", "I've booked the flight."),
        ("I have an interview at Volvo on Friday.", "I got the job at Bosch."),
        ("I have an interview at Volvo on Friday.", "I got the job done."),
    ],
)
def test_another_deed_leaves_the_task_open(task, deed):
    assert planned(told(task)) == planned(told(task, deed)) != set()


@pytest.mark.parametrize(
    "after", ["The exam went well.", "Had the exam on Friday.", "My exam went badly, I think it was the heat."]
)
def test_an_appointment_is_behind_one_once_its_day_has_come(after):
    assert planned(told("I have an exam on Friday.", after, days=6)) == set()


def test_the_job_one_got_is_a_statement_with_its_quote():
    found = told("I have an interview at Volvo on Friday.", "I got the job at Volvo.")
    [post] = [s for s in found if s.predicate == "works_at"]
    assert (post.object, post.evidence[0].quote) == ("Volvo", "I got the job at Volvo")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I need to see a dentist.", "see a dentist"),
        ("Need to see a vet.", "see a vet"),
        ("The car wants seeing to.", "The car wants seeing to"),
        ("Must get the boiler looked at.", "get the boiler looked at"),
        ("I need to get my eyes tested.", "get my eyes tested"),
        ("We have to have the roof looked at.", "have the roof looked at"),
        ("Still have to sort the insurance.", "sort the insurance"),
    ],
)
def test_what_has_to_be_seen_to_is_open(text, wanted):
    [item] = [s for s in told(text) if s.kind == "open_item"]
    assert (item.object, item.text) == (wanted, wanted)


@pytest.mark.parametrize("text", ["I need to see him.", "I need to see it to believe it.", "I need to see what happens."])
def test_seeing_alone_is_no_task(text):
    assert not [s for s in told(text) if s.kind == "open_item"]


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("My niece Lotta is 7.", "User's niece Lotta is aged 7"),
        ("I'm vegetarian.", "User is vegetarian"),
        ("- eats: vegetarian", "User is vegetarian"),
        ("My e-mail is lotta.k@example.org.", "User's e-mail is lotta.k@example.org"),
        ("My email address is lotta.k@example.org.", "User's email address is lotta.k@example.org"),
    ],
)
def test_how_a_statement_reads(text, wording):
    assert wording in {s.text for s in told(text)}


@pytest.mark.parametrize(
    "text",
    [
        "I no longer have an exam on 9 July.",
        "I have no interview on 9 July.",
        "My eye exam on 9 July has been called off.",
        "My eye exam on 9 July isn't happening.",
        "My interview on 9 July never took place.",
        "My interview on 9 July won't go ahead.",
        "My concert on 9 July was postponed.",
        "My concert on 9 July fell through.",
        "We called off our party on 9 July.",
        "Dr. Lind cancelled my check-up on 9 July.",
        "My check-up on 9 July has been moved to 16 July.",
        "I have an exam on 9 July, but it got cancelled.",
        "I have an exam on 9 July. It's cancelled.",
        "My exam is on 9 July but it's off.",
    ],
)
def test_what_is_off_or_denied_gives_no_plan_and_no_day(text):
    found = told(text)
    assert planned(found) == set()
    assert not [s for s in found if s.predicate == "attribute"]
    assert not [s for s in found if s.valid_from is not None and s.predicate != "session"]


@pytest.mark.parametrize("text", ["I have an exam on 9 July.", "My exam is on 9 July.", "My deadline was moved to 9 July."])
def test_a_day_that_stands_is_still_told(text):
    assert [s for s in told(text) if s.predicate == "attribute" and "July" in s.object]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I have an exam on 9 July.", "The exam on 10 July is cancelled."),
        ("I have an exam on 9 July.", "My exam on 2 April is off."),
        ("I have an exam on 9 July.", "The exam was cancelled last year."),
        ("I have an exam on 9 July.", "The exam on 9 July 2025 was cancelled."),
        ("I have an exam on 9 July.", "They cancelled the exam on 12 August."),
        ("I have an exam on 9 July.", "The exam was moved from 3 April to 4 April."),
        ("We're planning a trip to Porto in May.", "The trip in September is off."),
        ("We're planning a trip to Porto in May.", "The trip to Porto in September was called off."),
    ],
)
def test_a_plan_of_another_day_stands(before, after):
    assert planned(told(before)) == planned(told(before, after)) != set()


@pytest.mark.parametrize(
    ("after", "left"),
    [
        ("The trip in June is off.", {"a trip to Ghent"}),
        ("The trip in September was cancelled.", {"a trip to Porto"}),
        ("The trip is off.", {"a trip to Porto", "a trip to Ghent"}),
    ],
)
def test_of_two_plans_the_one_of_the_day_is_off(after, left):
    plans = "We're planning a trip to Porto in June. We're planning a trip to Ghent in September."
    assert planned(told(plans, after)) == left


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I'm going to Lena's wedding in June.", "Our wedding is off."),
        ("I'm going to my cousin's party in June.", "My party is cancelled."),
        ("I'm flying to Turin in June.", "My flight home was cancelled."),
        ("I'm flying to Turin in June.", "The flight from Turin is cancelled."),
        ("I'm flying to Turin in June.", "My flight was cancelled, but they found me another one."),
        ("I'm flying to Turin in June.", "The flight was cancelled and then it was restored."),
        ("I'm flying to Turin in June.", "The flight was cancelled. False alarm, it seems."),
        ("Our wedding is on 12 June.", "The wedding is off, said my sister of hers."),
    ],
)
def test_events_of_others_and_what_is_taken_back_close_nothing(before, after):
    found = told(before, after)
    assert planned(told(before)) <= planned(found)
    assert not [s for s in found if s.details.get("type") == "called_off"]


@pytest.mark.parametrize("after", ["The trip is off and we stay here.", "The trip is off, and so we stay here."])
def test_what_is_off_is_told_without_the_word_that_goes_on(after):
    [off] = [s for s in told(TRIP, after) if s.details.get("type") == "called_off"]
    assert off.object == "The trip is off"


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        ("I need to hand in exercise 7.", "I handed in exercise 6."),
        ("I need to finish lesson 4.", "I finished lesson 5."),
        ("I need to pay the phone bill.", "I paid the gas bill."),
        ("I need to pay the phone bill.", "I paid the bill at the cafe."),
        ("I need to cancel my paper subscription.", "I cancelled my Spotify subscription."),
        ("I need to text Lena about the keys.", "I texted Lena about the dinner."),
        ("I need to send the draft to my editor.", "I sent the draft to my aunt."),
        ("I need to buy a gift for grandpa.", "I bought a gift for grandma."),
        ("I need to call the school.", "I called the school nurse's brother."),
        ("I need to book the train to Ghent.", "I booked the train from Ghent."),
        ("I need to buy coffee.", "I bought coffee filters."),
        ("I need to see a dentist.", "I saw a dentist on the news."),
        ("I need to call the plumber.", "I called the plumber last month."),
        ("I need to renew my licence.", "I renewed my licence in 2020."),
        ("I need to call Lena.", "I called Lena but nobody picked up."),
        ("I need to call Lena.", "I called Lena. She didn't pick up."),
        ("I need to renew my licence.", "I renewed her licence."),
    ],
)
def test_a_deed_that_says_something_else_leaves_the_task_open(task, deed):
    assert planned(told(task)) == planned(told(task, deed)) != set()


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        ("I need to hand in exercise 7.", "I handed in exercise 7."),
        ("I need to send the draft to my editor.", "I finally sent the draft to my editor today."),
        ("I need to send Lena the photos.", "I sent the photos to Lena."),
        ("I need to pay the phone bill.", "The phone bill has been paid."),
        ("I need to call the plumber.", "I called the plumber yesterday."),
        ("I need to book the train to Ghent.", "I've already booked the train to Ghent."),
    ],
)
def test_a_deed_that_says_the_same_closes_the_task(task, deed):
    assert planned(told(task)) != set()
    assert planned(told(task, deed)) == set()
