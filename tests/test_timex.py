"""Time expressions: what they mean, where they are, and what is none."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import InputError, NaiveTime
from graphmem.extractors.timex import resolve

# A Wednesday, three hours before midnight in its own zone.
NOW = datetime(2025, 10, 8, 21, 0, tzinfo=timezone(timedelta(hours=5, minutes=30)))


def local(moment, reference=NOW):
    if moment is None:
        return None
    text = moment.astimezone(reference.tzinfo).strftime("%Y-%m-%dT%H:%M")
    return text.removesuffix("T00:00")


def readings(text, reference=NOW, **options):
    return [
        (value.text, local(value.start, reference), local(value.end, reference), value.granularity, value.modifier)
        for value in resolve(text, reference, **options)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We painted the hall yesterday", ("yesterday", "2025-10-07", "2025-10-08", "day", "at")),
        ("I fly the day after tomorrow", ("the day after tomorrow", "2025-10-10", "2025-10-11", "day", "at")),
        ("I joined the choir last month", ("last month", "2025-09-01", "2025-10-01", "month", "at")),
        ("the shop closes next week", ("next week", "2025-10-13", "2025-10-20", "week", "at")),
        ("We met on Friday", ("on Friday", "2025-10-03", "2025-10-04", "day", "at")),
        ("We meet on Friday", ("on Friday", "2025-10-10", "2025-10-11", "day", "at")),
        ("I arrived on Wednesday", ("on Wednesday", "2025-10-01", "2025-10-02", "day", "at")),
        ("see you this Sunday", ("this Sunday", "2025-10-12", "2025-10-13", "day", "at")),
        ("the exam is on Tuesday next week", ("on Tuesday next week", "2025-10-14", "2025-10-15", "day", "at")),
        ("we hiked last weekend", ("last weekend", "2025-10-04", "2025-10-06", "weekend", "at")),
        ("I moved in November", ("in November", "2024-11-01", "2024-12-01", "month", "at")),
        ("I will move in November", ("in November", "2025-11-01", "2025-12-01", "month", "at")),
        ("we married in June last year", ("in June last year", "2024-06-01", "2024-07-01", "month", "at")),
        ("I quit a year and a half ago", ("a year and a half ago", "2024-04-01", "2024-05-01", "month", "at")),
        ("he called a few hours ago", ("a few hours ago", "2025-10-08T18:00", "2025-10-08T19:00", "hour", "approx")),
        ("the visa ends in a fortnight", ("in a fortnight", "2025-10-20", "2025-10-27", "week", "at")),
        ("I've been in Pune for nine months", ("for nine months", "2025-01-08", None, "month", "since")),
        ("she has run the shop since May 2011", ("since May 2011", "2011-05-01", None, "month", "since")),
        ("I walk badly since my operation in August", ("since my operation in August", "2025-08-01", None, "month", "since")),
        ("I taught there until 2020", ("until 2020", None, "2021-01-01", "year", "until")),
        ("pay it by the 20th", ("by the 20th", None, "2025-10-21", "day", "until")),
        ("send it before Christmas", ("before Christmas", None, "2025-12-25", "day", "before")),
        ("from next month I work less", ("from next month", "2025-11-01", None, "month", "since")),
        ("I lived in Lyon from 2009 to 2013", ("from 2009 to 2013", "2009-01-01", "2014-01-01", "year", "at")),
        ("we are off 22-26 December", ("22-26 December", "2025-12-22", "2025-12-27", "day", "at")),
        ("between March and May 2024", ("between March and May 2024", "2024-03-01", "2024-06-01", "month", "at")),
        ("it happened in the late 1980s", ("in the late 1980s", "1986-01-01", "1990-01-01", "year", "approx")),
        ("last winter I skied", ("last winter", "2024-12-01", "2025-03-01", "season", "at")),
        ("sales rose in Q2 2024", ("in Q2 2024", "2024-04-01", "2024-07-01", "quarter", "at")),
        ("I start in mid-November", ("in mid-November", "2025-11-11", "2025-11-21", "day", "approx")),
        ("the second Monday of November", ("the second Monday of November", "2025-11-10", "2025-11-11", "day", "at")),
        ("dinner at 7:15 pm tomorrow", ("at 7:15 pm tomorrow", "2025-10-09T19:15", "2025-10-09T19:16", "minute", "at")),
        ("we talked on Monday evening", ("on Monday evening", "2025-10-06T18:00", "2025-10-07", "part_of_day", "at")),
        ("it began at 2025-10-08T15:00Z", ("at 2025-10-08T15:00Z", "2025-10-08T20:30", "2025-10-08T20:31", "minute", "at")),
        ("about ten years ago", ("about ten years ago", "2015-01-01", "2016-01-01", "year", "approx")),
        ("the move is on Easter Monday", ("on Easter Monday", "2026-04-06", "2026-04-07", "day", "at")),
        ("I dance on Mondays and Fridays", ("on Mondays and Fridays", None, None, "week", "recurring")),
        ("I see him twice a month", ("twice a month", None, None, "month", "recurring")),
        ("I work Monday to Friday", ("Monday to Friday", None, None, "week", "recurring")),
    ],
)
def test_an_expression_means_its_interval(text, expected):
    assert readings(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "You may march on without me",
        "May I ask April about it?",
        "The fall was not that bad",
        "In a minute! I need a second opinion",
        "We stayed there for three weeks",
        "I finished it in two days",
        "Room 1999 has 2015 seats and costs 1850 euros",
        "I sat in the sun",
        "Version 2023.4 of Python 3.12 runs on Windows 98",
        "My Monday seminar is a summer job",
        "Call +44 2010-2015-99 about the iPhone 15",
        "He is in his thirties, class of 2008",
        "the next day we left, one day I tell you why",
        "the last time at the last minute",
        "the 22nd floor and the 3rd attempt",
        "40 hours a week",
        "",
    ],
)
def test_what_only_looks_like_a_time_is_none(text):
    assert readings(text) == []


def test_the_tense_that_the_caller_knows_decides():
    assert readings("in November", tense="past")[0][1] == "2024-11-01"
    assert readings("in November", tense="future")[0][1] == "2025-11-01"


def test_verbs_of_each_clause_count_for_it():
    first, second = readings("I moved here in August and I will start work in December")
    assert (first[1], second[1]) == ("2025-08-01", "2025-12-01")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("they moved the review to Friday", "2025-10-10"),
        ("I decided to retire in November", "2025-11-01"),
        ("we booked a table for Friday", "2025-10-10"),
    ],
)
def test_a_plan_told_in_the_past_lies_ahead(text, start):
    assert readings(text)[0][1] == start


def test_both_orders_of_day_and_month_are_kept():
    (value,) = resolve("dated 04/05/2021", NOW)
    assert local(value.start) == "2021-05-04"
    assert [local(start) for start, _ in value.alternatives] == ["2021-04-05"]
    assert resolve("dated 24/05/2021", NOW)[0].alternatives == ()


def test_next_weekday_is_in_the_next_week_and_the_first_one_an_alternative():
    (value,) = resolve("next Friday", NOW)
    assert (local(value.start), [local(start) for start, _ in value.alternatives]) == ("2025-10-17", ["2025-10-10"])


def test_days_are_days_of_the_offset_of_the_reference():
    (value,) = resolve("today", NOW)
    assert value.start == datetime(2025, 10, 7, 18, 30, tzinfo=UTC)
    assert value.start.utcoffset() == timedelta(0)


def test_far_away_times_and_missing_days_give_nothing():
    assert readings("99999 years ago, in 9000 years, on 2025-02-30, on 31 April") == []
    assert readings("yesterday", datetime(1, 1, 1, tzinfo=UTC)) == []
    assert readings("in ten years", datetime(9998, 1, 1, tzinfo=UTC)) == []


def test_wrong_use_is_refused():
    with pytest.raises(NaiveTime, match="offset"):
        resolve("today", datetime(2025, 10, 8))
    with pytest.raises(InputError, match=r"'sv'.*en"):
        resolve("idag", NOW, "sv")
    with pytest.raises(InputError, match="tense"):
        resolve("today", NOW, tense="perhaps")


def test_the_import_is_light():
    code = "import sys, graphmem.extractors.timex; print(sorted({'spacy', 'numpy', 'kuzu', 'rdflib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


WORDS = st.sampled_from(
    [
        *("the", "a", "of", "in", "on", "at", "since", "until", "by", "before", "after", "from", "to", "between", "and"),
        *("for", "last", "next", "this", "every", "two", "3", "12", "2019", "1998", "may", "March", "june", "Monday"),
        *("friday", "weekend", "year", "years", "month", "weeks", "days", "hour", "ago", "tomorrow", "yesterday"),
        *("tonight", "morning", "night", "summer", "winter", "early", "mid", "end", "half", "quarter", "Q3", "90s"),
        *("22nd", "first", "second", "3pm", "9:30", "noon", "Christmas", "Easter", "once", "times", "daily", "I", "was"),
        *("will", "have", "been", "moved", ",", ".", "-", "–", "04/05/2021", "2024-02-29", "around", "within", "now"),
        *("twenty", "nineteen", "2024-13-40", "31", "0", "'99", "10/23", "2/29", "4-22", "Mon", "&", "~", "Labor Day", "w/c"),
        *("working day", "business days", "later", "earlier", "previous", "starting", "week", "upcoming", "rest", "due", "5th"),
    ]
)
SENTENCES = st.lists(WORDS, max_size=12).map(" ".join)
OFFSETS = st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))


@settings(max_examples=400, deadline=None)
@given(SENTENCES, MOMENTS, OFFSETS)
def test_values_lie_on_their_words_and_start_before_they_end(text, moment, zone):
    last = 0
    for value in resolve(text, moment.replace(tzinfo=zone)):
        assert text[value.start_char : value.end_char] == value.text
        assert value.start_char >= last
        last = value.end_char
        for start, end in [(value.start, value.end), *value.alternatives]:
            assert start is None or end is None or start < end
        assert (value.start is None and value.end is None) == (value.modifier == "recurring")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), MOMENTS)
def test_any_text_is_read(text, moment):
    for value in resolve(text, moment.replace(tzinfo=UTC)):
        assert text[value.start_char : value.end_char] == value.text


@given(
    st.sampled_from(["on Monday", "last Sunday", "next Thursday", "this week", "yesterday", "last weekend", "two weeks ago"]),
    MOMENTS,
    st.integers(-50, 50),
    st.sampled_from(["past", "future"]),
)
def test_whole_weeks_shift_the_answer_by_whole_weeks(text, moment, weeks, tense):
    shift = timedelta(weeks=weeks)
    (here,) = resolve(text, moment.replace(tzinfo=UTC), tense=tense)
    (there,) = resolve(text, (moment + shift).replace(tzinfo=UTC), tense=tense)
    assert (there.start, there.end) == (here.start + shift, here.end + shift)


@settings(deadline=None)
@given(SENTENCES, MOMENTS, OFFSETS)
def test_the_same_wall_clock_elsewhere_gives_the_same_wall_clock(text, moment, zone):
    there = moment.replace(tzinfo=zone)
    here = moment.replace(tzinfo=UTC)
    assert readings(text, there) == readings(text, here)


@settings(deadline=None)
@given(MOMENTS, st.sampled_from(["Monday", "Saturday"]), OFFSETS)
def test_a_bare_weekday_is_within_a_week_and_never_today(moment, day, zone):
    reference = moment.replace(tzinfo=zone)
    today = reference.replace(hour=0, minute=0, second=0, microsecond=0)
    behind = resolve(f"on {day}", reference, tense="past")[0].start
    ahead = resolve(f"on {day}", reference, tense="future")[0].start
    assert today - timedelta(days=7) <= behind < today < ahead <= today + timedelta(days=7)
    assert ahead - behind in (timedelta(days=7), timedelta(days=14))
