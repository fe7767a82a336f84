"""IRIs, literals and value terms of the exports."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import InputError, UserError
from graphmem.rdf_terms import (
    PRECISIONS,
    Names,
    camel,
    decimal,
    edtf,
    instant,
    local,
    precision,
    registered,
    term,
)

BASE = "https://memory.example/"
ids = st.text(min_size=1).filter(lambda value: not any("\ud800" <= letter <= "\udfff" for letter in value))


@pytest.mark.parametrize(
    ("user", "folder"),
    [
        ("åsa.k@example.se", "_%C3%A5sa.k%40example.se"),
        ("a/b c", "_a%2Fb%20c"),
        ("..", "_.."),
        ("ünï", "_%C3%BCn%C3%AF"),
        ("_", "__"),
        ("*", "_%2A"),
    ],
)
def test_a_user_id_becomes_one_step_of_an_iri(user, folder):
    assert Names(user, "default", BASE).person == f"{BASE}u/{folder}"


@given(ids)
def test_a_user_id_can_be_read_back_from_its_iri(user):
    step = Names(user, "default", BASE).person.removeprefix(f"{BASE}u/_")
    assert unquote(step, errors="strict") == user
    assert "/" not in step
    assert step.isascii()


@given(ids, ids)
def test_different_users_share_no_prefix(one, other):
    if one == other:
        return
    left, right = (Names(user, "default", BASE).iri("statement", "s1") for user in (one, other))
    assert not left.startswith(Names(other, "default", BASE).root)
    assert not right.startswith(Names(one, "default", BASE).root)


def test_accents_written_differently_are_different_users():
    assert Names("é", "default", BASE).person != Names("e\u0301", "default", BASE).person
    assert Names("Ann", "default", BASE).person != Names("ann", "default", BASE).person


def test_spaces_of_one_user_have_graphs_of_their_own_and_one_person():
    work, default = Names("ann", "work", BASE), Names("ann", "default", BASE)
    assert work.person == default.person
    assert work.graph("memory") == f"{BASE}u/_ann/s/_work/g/memory"
    assert default.graph("memory") == f"{BASE}u/_ann/g/memory"


@given(ids, ids)
def test_local_names_begin_with_a_letter_and_stay_apart(one, other):
    assert local(one)[0].isalpha()
    assert local(one).isascii()
    assert (local(one) == local(other)) == (one == other)


@pytest.mark.parametrize("user", ["", "\ud800"])
def test_a_user_id_that_has_no_iri_is_refused(user):
    with pytest.raises(UserError):
        Names(user, "default", BASE)


@pytest.mark.parametrize("base", ["", "memory", "ftp://e/", "https://", "https://e/a b", "https://e/<x>", "https://e/#x"])
def test_a_base_that_is_no_iri_is_refused(base):
    with pytest.raises(InputError, match="base IRI"):
        Names("ann", "default", base)


def test_a_base_needs_no_slash_at_its_end():
    assert Names("ann", "default", "https://data.example/m").person == "https://data.example/m/u/_ann"


@given(st.floats(min_value=0, max_value=1))
def test_decimals_have_a_point_and_at_most_four_places(value):
    lexical = decimal(value).lexical
    whole, places = lexical.split(".")
    assert whole in ("0", "1")
    assert 1 <= len(places) <= 4
    assert abs(Decimal(lexical) - Decimal(value)) <= Decimal("0.00005")
    assert "e" not in lexical.lower()


def test_instants_are_in_utc():
    east = datetime(2026, 5, 1, 1, 30, tzinfo=timezone(timedelta(hours=3)))
    assert instant(east).lexical == "2026-04-30T22:30:00+00:00"


def test_every_granularity_has_its_precision():
    words = [
        "minute",
        "hour",
        "part_of_day",
        "day",
        "weekend",
        "week",
        "month",
        "season",
        "quarter",
        "half",
        "year",
        "decade",
        "century",
    ]
    assert set(words) <= set(PRECISIONS)
    assert len({precision(word) for word in words}) == len(words)
    assert precision(None) == term("gm:Exact")
    assert precision("by then") == precision("not_after") == term("gm:NotAfter")
    assert precision("fortnight") == term("gm:Unspecified")


@pytest.mark.parametrize(
    ("day", "granularity", "word"),
    [
        ("2026-08-01", "day", "2026-08-01"),
        ("2026-08-01", "month", "2026-08"),
        ("2026-08-02", "month", None),
        ("2025-03-01", "season", "2025-21"),
        ("2025-12-01", "season", "2025-24"),
        ("2025-01-01", "season", None),
        ("2026-04-01", "quarter", "2026-34"),
        ("2026-07-01", "half", "2026-41"),
        ("2026-01-01", "year", "2026"),
        ("0999-01-01", "year", "0999"),
        ("2020-01-01", "decade", "202X"),
        ("1900-01-01", "century", "19XX"),
        ("1910-01-01", "century", None),
        ("2026-08-01", "weekend", None),
        ("2026-08-01", None, None),
    ],
)
def test_calendar_units_are_written_in_edtf(day, granularity, word):
    found = edtf(datetime.fromisoformat(day).replace(tzinfo=UTC), granularity, None)
    assert (found and found.lexical) == word


def test_an_approximate_unit_is_marked_and_a_time_of_day_has_no_unit():
    assert edtf(datetime(2026, 1, 1, tzinfo=UTC), "year", "approx").lexical == "2026~"
    assert edtf(datetime(2026, 1, 1, 5, tzinfo=UTC), "day", None) is None


def test_relation_names_become_camel_case():
    assert camel("lives_in") == "livesIn"
    assert camel("name") == "name"
    assert registered("has_vehicle") == "https://w3id.org/graphmem/ns#hasVehicle"
