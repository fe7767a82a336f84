"""Ways in which dates and ranges are written, and what the other readings of an expression are."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.extractors.timex import resolve
from graphmem.extractors.timex_calendar import shift
from graphmem.extractors.timex_holidays import HOLIDAYS, holiday_of, weekend_at

# A Wednesday.
NOW = datetime(2025, 10, 8, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def spans(text, reference=NOW, **options):
    """Start and end of every first reading, as days."""
    return [f"{bound(value.start)}..{bound(value.end)}" for value in resolve(text, reference, **options)]


def every(text, reference=NOW):
    """All readings of the one expression of a text."""
    (value,) = resolve(text, reference)
    return [f"{bound(start)}..{bound(end)}" for start, end in [(value.start, value.end), *value.alternatives]]


def bound(moment):
    return "" if moment is None else moment.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")


def one(day):
    start = date.fromisoformat(day)
    return [f"{start}..{start + DAY}"]


def test_what_was_some_time_ago_belongs_to_no_length_before_it():
    found = [value.text for value in resolve("I trained for the last 4 months and 5 days ago I ran", NOW)]
    assert found == ["for the last 4 months", "5 days ago"]


FORMS = (
    "{d}-{M}-{y}", "{d}/{n}/{y}", "{d}.{M}.{y}", "{y}-{M}-{d}", "{y}/{d}/{M}", "{M}-{d}-{y}", "{M}{d}, {y}", "{d}{M}{y}",
    "{y}-{n}-{d}", "{n}/{d}/{y}", "{d} {month} of {y}", "{month} {d} in {y}", "{d}, {month} {y}", "{month}, {d}, {y}",
    "{y} {month} {d}", "{y} {n:02} {d:02}.", "{month}-{y}-{d}", "{d}-{y}-{month}.",
)  # fmt: skip


@given(st.dates(date(1950, 1, 1), date(2099, 12, 31)), st.integers(13, 28), st.sampled_from(FORMS))
def test_a_date_means_its_day_in_whatever_order_it_is_written(month, number, form):
    day = month.replace(day=number)
    parts = {"d": day.day, "n": day.month, "y": day.year, "month": f"{day:%B}", "M": f"{day:%b}"}
    assert spans(f"it was on {form.format(**parts)}") == one(day.isoformat())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the lease ends on 23.10.", "2025-10-23..2025-10-24"),
        ("she came on 13. Mar. 2000", "2000-03-13..2000-03-14"),
        ("rent is due 11/23", "2025-11-23..2025-11-24"),
        ("the exam is Thursday 23", "2025-10-23..2025-10-24"),
        ("lunch on Friday 10/24", "2025-10-24..2025-10-25"),
        ("lunch on Friday 10-17", "2025-10-17..2025-10-18"),
        ("the kitchen is open on Friday 8-3", "2025-10-10..2025-10-11"),
        ("the fair opens on Wednesday the twenty second", "2025-10-22..2025-10-23"),
        ("she was born on 4 June of 88", "1988-06-04..1988-06-05"),
        ("we met on the twelfth", "2025-09-12..2025-09-13"),
        ("three Fridays ago I fell", "2025-09-19..2025-09-20"),
        ("come two Sundays from now", "2025-10-19..2025-10-20"),
        ("the fee is due the Monday after next", "2025-10-20..2025-10-21"),
        ("the Sunday after Easter 2024 it rained", "2024-04-07..2024-04-08"),
        ("the last working day of this month", "2025-10-31..2025-11-01"),
        ("it arrives in 3 business days", "2025-10-13..2025-10-14"),
        ("the visa ends on the 5th of next month", "2025-11-05..2025-11-06"),
        ("next month on the 5th we fly", "2025-11-05..2025-11-06"),
        ("we wed on June twelfth two thousand and nine", "2009-06-12..2009-06-13"),
        ("he left two years, three months and a day ago", "2023-07-07..2023-07-08"),
        ("the Tuesday of the first week of December", "2025-12-02..2025-12-03"),
        ("we closed in week 23 of 2024", "2024-06-03..2024-06-10"),
        ("the week beginning 4 November", "2025-11-03..2025-11-10"),
        ("away for 3 days starting Monday", "2025-10-13..2025-10-16"),
        ("from the 4th to the 22nd of next month", "2025-11-04..2025-11-23"),
        ("open between now and November", "2025-10-08..2025-12-01"),
        ("the first ten days of last year", "2024-01-01..2024-01-11"),
        ("sales rose in 2023 Q2", "2023-04-01..2023-07-01"),
        ("the winter season 2015/16 was in 2015/16", "2015-01-01..2017-01-01"),
        ("over the past two quarters", "2025-04-01..2025-10-01"),
        ("we were poor in the nineteen seventies", "1970-01-01..1980-01-01"),
        ("we camp on Labor Day weekend 2024", "2024-08-31..2024-09-03"),
        ("I rode 90 miles year to date", "2025-01-01..2025-10-08"),
        ("see you later this month", "2025-10-08..2025-11-01"),
        ("it rained earlier this month", "2025-10-01..2025-10-08"),
        ("dinner tonight at 9", "2025-10-08T21:00..2025-10-08T22:00"),
        ("the train leaves tonight at 2am", "2025-10-09T02:00..2025-10-09T03:00"),
        ("I am away beginning on November 7th", "2025-11-07.."),
        ("from 3/14/2024-5/18/2024", "2024-03-14..2024-05-19"),
    ],
)
def test_a_form_means_its_interval(text, expected):
    assert spans(text)[-1:] == [expected]


def test_days_that_share_a_month_are_days_of_it():
    assert spans("closed on the 5th and 12th of December 2025") == one("2025-12-05") + one("2025-12-12")
    assert spans("I am off on November 21, 23 and 30") == one("2025-11-21") + one("2025-11-23") + one("2025-11-30")
    assert spans("I was born on June 3, and first walked in 2001")[0] == "2025-06-03..2025-06-04"


def test_other_senses_of_an_expression_are_kept_as_readings():
    assert every("from 10/1 to 11/7") == ["2026-01-10..2026-07-12", "2025-10-01..2025-11-08"]
    assert every("the next two days") == ["2025-10-08..2025-10-10", "2025-10-09..2025-10-11"]
    assert every("on Wednesday") == ["2025-10-15..2025-10-16", "2025-10-08..2025-10-09"]
    assert every("last Monday") == ["2025-10-06..2025-10-07", "2025-09-29..2025-09-30"]
    assert every("the first week of May 2026") == ["2026-05-01..2026-05-08", "2026-05-04..2026-05-11"]
    assert every("from 1999 to now") == ["1999-01-01..", "1999-01-01..2025-10-08"]


def test_a_weekday_decides_between_the_orders_of_day_and_month():
    assert every("on Thursday 5/3/2026") == every("on Thursday 3/5/2026")[::-1]
    assert every("on Friday 3/4/2026") == ["2026-04-03..2026-04-04"]
    assert every("on Friday 6/11") == ["2026-11-06..2026-11-07"]


@pytest.mark.parametrize(
    "text",
    [
        "a chance of 4/13, then 1/17",
        "mix 1/2 and 3/4 of it",
        "sets of 12-10-15",
        "report-2024-03-09.pdf and www.example.com/2024-03-09-news",
        "I love Mother's Day and I celebrate Easter",
        "Black Friday is loud",
        "week 3 of my training",
        "It has 2016 10 16 parts",
        "the order number is 20240309",
    ],
)
def test_figures_and_feasts_that_are_no_dates(text):
    assert spans(text) == []


def test_a_holiday_that_was_celebrated_is_its_day():
    assert spans("we celebrated Easter in the garden") == one("2025-04-20")
    assert spans("let's celebrate International Women's Day") == one("2026-03-08")


@given(st.sampled_from(sorted(HOLIDAYS)), st.integers(1900, 2199))
def test_a_holiday_is_a_day_of_its_year_and_its_weekend_holds_or_is_near_it(name, year):
    start, end = holiday_of(name, year)
    assert (start.year, end - start) == (year, DAY)
    first, after = weekend_at(name, year)
    assert first - 3 * DAY <= start < after + 3 * DAY
    assert timedelta(days=2) <= after - first <= timedelta(days=3)
    assert resolve(f"on {name} {year}", NOW)[0].start == start.replace(tzinfo=UTC)


@given(st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)), st.integers(-60, 60))
def test_working_days_are_counted_without_the_weekend(moment, count):
    there = shift(moment, count, "workday")
    step = DAY if count > 0 else -DAY
    passed = [moment + number * step for number in range(1, abs((there - moment).days) + 1)]
    assert sum(day.weekday() < 5 for day in passed) == abs(count)
    assert count == 0 or there.weekday() < 5


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("the flat must be painted before the end of January", "2026-02-01"),
        ("the flat must be painted by the end of January", "2026-02-01"),
        ("we rent the van until the end of January", "2026-02-01"),
        ("I want to see the aurora before the end of winter", "2026-03-01"),
        ("send the tax form before the end of 2026", "2027-01-01"),
        ("we have to choose before the end of this year", "2026-01-01"),
        ("pick it up before the end of next week", "2025-10-20"),
        ("plant the bulbs before the middle of November", "2025-11-16"),
        ("plant the bulbs before mid-November", "2025-11-16"),
        ("plant the bulbs before late November", "2025-11-21"),
        ("plant the bulbs before the beginning of November", "2025-11-01"),
        ("plant the bulbs before November", "2025-11-01"),
    ],
)
def test_before_the_end_of_a_period_is_all_of_it(text, end):
    assert spans(text) == [f"..{end}"]


@pytest.mark.parametrize(
    "text",
    [
        "I ran the city half marathon in 1:52",
        "my sister swam the bay in just under 1:10",
        "we rowed the whole lake in about 2:20",
        "I finished the trail in 3:05 and was dead tired",
        "I cycled to the coast in 4:15:30",
    ],
)
def test_how_long_a_deed_took_is_no_time_of_day(text):
    assert spans(text) == []


def test_a_result_leaves_the_day_and_the_hour_beside_it():
    assert spans("I completed the trail in 1:05 on 3 October 2025") == one("2025-10-03")
    assert spans("I finished the trail at 2:05 on 3 October 2025") == ["2025-10-03T02:05..2025-10-03T02:06"]
    assert spans("I ran for the bus at 6:40") == ["2025-10-08T06:40..2025-10-08T06:41"]
