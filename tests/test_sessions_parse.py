"""A session from foreign data: what is kept, what is derived, what is refused."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import GraphmemError, LimitExceeded, NaiveTime, SessionError
from graphmem.model import Session
from graphmem.sessions import normal, parse
from graphmem.sessions.characters import normal_offsets


def session(*turns, **fields):
    given_turns = list(turns) or [{"role": "user", "text": "I live in Ghent."}]
    return {"id": "s1", "started": "2026-05-14T10:30:00+03:00", "turns": given_turns} | fields


def test_the_contract_example_is_read_with_utc_times_and_its_offset():
    read = parse(
        session(
            {"id": "t1", "role": "user", "speaker": "Alice", "text": "Hi.", "time": "2026-05-14T10:31:00+03:00", "spans": []}
        )
    )
    assert read.started == datetime(2026, 5, 14, 7, 30, tzinfo=UTC)
    assert read.turns[0].time == datetime(2026, 5, 14, 7, 31, tzinfo=UTC)
    assert (read.offset_minutes, read.turn_offsets) == (180, {})
    assert read.turns[0].speaker == "Alice"


def test_a_turn_without_time_is_said_at_the_start():
    assert parse(session()).turns[0].time == parse(session()).started


def test_a_turn_in_another_zone_keeps_its_offset():
    turn = {"id": "t1", "role": "user", "text": "Hi.", "time": "2026-05-14T09:31:00+01:00"}
    assert parse(session(turn)).turn_offsets == {"t1": 60}


def test_missing_ids_are_the_same_each_time_and_differ_between_turns():
    data = {"started": "2026-05-14T10:30:00Z", "turns": [{"role": "user", "text": "Hi."}] * 2}
    first, second = parse(data), parse(data)
    assert first == second
    assert len({turn.id for turn in first.turns}) == 2
    assert parse(data | {"started": "2026-05-15T10:30:00Z"}).id != first.id


def test_what_parse_returns_can_be_parsed_again():
    turn = {"role": "user", "text": "> quoted\nmine", "time": "2026-05-14T09:31:00+01:00"}
    read = parse(session(turn))
    assert parse(read) is read
    assert parse(read.model_dump(mode="json")) == read
    assert parse(read.model_dump()) == read


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (session({"role": "narrator", "text": "x", "id": "b2"}), ["narrator", "'b2'", "s1", "user, assistant"]),
        (session({"text": "x"}), ["no role", "turn 1"]),
        (session({"role": "user"}), ["no `text`"]),
        (session({"role": "user", "text": 7}), ["`text`", "a number"]),
        (session({"role": "user", "text": "x", "mood": "good"}), ["unknown field 'mood'", "speaker"]),
        (session(colour="red"), ["unknown field 'colour'", "session 's1'"]),
        (session(turns=[]), ["no turns"]),
        (session(turns={"role": "user"}), ["`turns` must be a list", "an object"]),
        (session("hello"), ["turn 1", "must be an object"]),
        (session(started=None), ["no start time", "--started"]),
        (session(started="soon"), ["`started`", "'soon'", "ISO 8601"]),
        (session(started=1747200000), ["`started`", "a number"]),
        (session(ended="2026-05-14T09:00:00+03:00"), ["`ended`", "before"]),
        (session(topic=["a"]), ["`topic`", "a list"]),
        (session({"id": "a", "role": "user", "text": "x"}, {"id": "a", "role": "user", "text": "y"}), ["'a'", "earlier turn"]),
        (
            session({"role": "user", "text": "abc", "spans": [{"start": 0, "end": 9, "role": "quoted"}]}),
            ["0..9", "3 characters"],
        ),
        (session({"role": "user", "text": "abc", "spans": [{"start": 2, "end": 2, "role": "quoted"}]}), ["2..2"]),
        (
            session({"role": "user", "text": "abc", "spans": [{"start": 0, "end": 2, "role": "mine"}]}),
            ["'mine'", "quoted, memory"],
        ),
        (session({"role": "user", "text": "abc", "spans": [{"start": "0", "end": 2, "role": "quoted"}]}), ["whole numbers"]),
        (session(offset_minutes=9999), ["offset"]),
        (session(turn_offsets={"t9": 60}), ["'t9'", "no turn"]),
        (session(started="0001-01-01T00:00:00+14:00"), ["outside the calendar"]),
        ([], ["must be an object", "a list"]),
    ],
)
def test_a_fault_is_one_line_that_names_the_place(data, words):
    with pytest.raises(SessionError) as caught:
        parse(data)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (session(started="2026-05-14T10:30:00"), "`started`"),
        (session(started="2026-05-14"), "`started`"),
        (session(ended=datetime(2026, 5, 14, 12)), "`ended`"),
        (session({"role": "user", "text": "x", "time": "2026-05-14 10:05"}), "`time`"),
    ],
)
def test_a_time_without_an_offset_is_refused_by_field_and_session(data, field):
    with pytest.raises(NaiveTime, match="offset from UTC") as caught:
        parse(data)
    assert field in str(caught.value) and "'s1'" in str(caught.value)


def test_a_turn_of_ten_million_characters_is_taken_and_a_longer_one_refused():
    assert len(parse(session({"role": "assistant", "text": "x" * 10_000_000})).turns[0].text) == 10_000_000
    with pytest.raises(LimitExceeded, match="the limit is 10000000"):
        parse(session({"role": "assistant", "text": "x" * 10_000_001}))


def test_text_is_brought_to_one_form_once():
    assert normal("a\r\nb\rc\x00\ud83d e\u0301") == "a\nb\nc\ufffd\ufffd \u00e9"


def test_spans_of_the_raw_text_lie_on_the_same_words_of_the_stored_one():
    raw = "one\r\ntwo cafe\u0301 said\r\nthree"
    start = raw.index("cafe")
    span = {"start": start, "end": start + len("cafe\u0301 said"), "role": "memory"}
    turn = parse(session({"role": "user", "text": raw, "spans": [span]})).turns[0]
    assert [turn.text[s.start : s.end] for s in turn.spans] == ["café said"]


def test_a_span_that_ends_inside_a_character_takes_all_of_it():
    raw = "cafe\u0301!"
    assert normal_offsets(raw, [4], after=True) == {4: 4}
    assert normal_offsets(raw, [4], after=False) == {4: 3}


def test_the_spans_of_the_caller_and_those_found_are_joined():
    text = "Look:\n> I am vegan\nI like tea."
    turn = parse(session({"role": "user", "text": text, "spans": [{"start": 0, "end": 4, "role": "memory"}]})).turns[0]
    assert [(s.role, text[s.start : s.end]) for s in turn.spans] == [("memory", "Look"), ("quoted", "> I am vegan\n")]


def test_words_that_repeat_a_document_are_quoted():
    source = "The tenant has lived in Graz since 2016 and pays the rent on the first of each month."
    turns = [{"role": "document", "text": source}, {"role": "user", "text": f"It says: '{source[4:70]}'. Is that right?"}]
    read = parse(session(*turns))
    assert [read.turns[1].text[s.start : s.end] for s in read.turns[1].spans] == [source[4:70]]


def test_a_datetime_and_models_are_taken_as_well_as_text():
    started = datetime(2026, 5, 14, 7, 30, tzinfo=UTC)
    read = parse({"id": "s1", "started": started, "turns": (parse(session()).turns[0],)})
    assert isinstance(read, Session) and read.started == started


texts = st.text(st.characters(codec=None), max_size=40)


@given(texts)
def test_the_normal_form_is_its_own_normal_form(text):
    assert normal(normal(text)) == normal(text)


@given(st.text(st.sampled_from("ae\r\n\u0301\u0327\u1100\u1161\u11a8x"), max_size=14), st.data())
def test_mapped_spans_cut_the_normal_form_where_characters_part(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    stored = normal(text)
    left = normal_offsets(text, [start], after=False)[start]
    right = normal_offsets(text, [end], after=True)[end]
    assert 0 <= left <= right <= len(stored)
    assert normal(text[start:end]).strip("\u0301\u0327\u1161\u11a8") in stored[left:right] or start == end


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.just("2026-05-14T10:30:00+03:00"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(["id", "started", "ended", "topic", "channel", "turns", "offset_minutes", "turn_offsets"])
turn_fields = st.sampled_from(["id", "role", "speaker", "text", "time", "spans"])


@settings(max_examples=300, deadline=None)
@given(field=fields, turn_field=turn_fields, value=values, turn_value=values, which=st.integers(0, 3))
def test_changed_data_are_read_or_refused_with_a_named_error(field, turn_field, value, turn_value, which):
    data = session({"id": "t1", "role": "user", "text": "Hi.", "time": "2026-05-14T10:31:00+03:00"})
    if which & 1:
        data[field] = value
    if which & 2 and isinstance(data.get("turns"), list) and data["turns"] and isinstance(data["turns"][0], dict):
        data["turns"][0][turn_field] = turn_value
    try:
        read = parse(data)
    except GraphmemError as error:
        assert "\n" not in str(error)
    else:
        assert all(0 <= s.start < s.end <= len(turn.text) for turn in read.turns for s in turn.spans)
        assert read.started.utcoffset() == timedelta(0)
