"""Pictures: what is planned is complete and in its place; what is drawn is the same each time and holds no markup."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from graphmem import Memory
from graphmem.errors import InputError
from graphmem.pictures.drawing import draw_chart, draw_neighbourhood, format_of
from graphmem.pictures.lanes import chart
from graphmem.pictures.surroundings import neighbourhood

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def statements(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("home"), user="ana") as memory:
        told = (
            ("2026-01-05", "I live in Oslo. I like olives."),
            ("2026-02-05", "I moved to Bergen. I work at Acme as a baker."),
            ("2026-03-05", "I was born on 3 May 1990."),
            ("2026-04-05", "I was born on 4 May 1991. I no longer like olives."),
        )
        for day, text in told:
            memory.ingest({"started": f"{day}T10:00:00Z", "turns": [{"role": "user", "text": text}]})
        yield memory.statements()


def by(statements, obj, predicate=None):
    return next(s for s in statements if s.object == obj and predicate in (None, s.predicate))


def test_values_of_a_relation_with_one_value_share_a_lane_and_follow_each_other(statements):
    found = chart(statements, title="Ana", now=NOW)
    old, new = (next(b for b in found.bars if b.id == by(statements, place).id) for place in ("Oslo", "Bergen"))
    assert (old.status, new.status) == ("superseded", "current")
    assert old.row == new.row and old.end <= new.start
    assert ("supersedes", new.id, old.id) in [tuple(tie) for tie in found.ties]
    assert any(lane.title == "lives in" and lane.first == old.row for lane in found.lanes)


def test_what_contradicts_lies_in_rows_of_its_own(statements):
    found = chart(statements, title="Ana", now=NOW)
    dates = [b for b in found.bars if b.disputed]
    assert len(dates) == 2 and len({b.row for b in dates}) == 2
    assert [tie.kind for tie in found.ties].count("contradicts") == 1


def test_nothing_with_a_place_in_time_is_left_out_unless_counted(statements):
    shown = {s.id for s in statements if s.kind in ("fact", "preference") and s.status not in ("suggested", "retracted")}
    assert {b.id for b in chart(statements, title="", now=NOW).bars} == shown
    small = chart(statements, title="", now=NOW, most=2)
    assert len(small.lanes) == 2
    assert small.left_out == len(chart(statements, title="", now=NOW).lanes) - 2


def test_bars_of_one_row_never_overlap_and_each_has_a_length(statements):
    found = chart(statements, title="", now=NOW)
    assert all(b.end - b.start >= timedelta(days=1) for b in found.bars)
    for one in found.bars:
        for other in found.bars:
            assert one is other or one.row != other.row or one.end <= other.start or other.end <= one.start


def test_an_empty_memory_has_an_empty_chart():
    assert chart([], title="nobody", now=NOW).bars == ()


def test_the_neighbourhood_holds_the_words_and_the_other_side(statements):
    centre = by(statements, "Bergen")
    found = neighbourhood(statements, centre.id)
    texts = {p.text for p in found.points}
    assert centre.text in texts and by(statements, "Oslo").text in texts
    assert any(p.kind == "turn" and "Bergen" in p.text for p in found.points)
    assert ("supersedes") in {line.kind for line in found.lines if line.source == centre.id}
    assert found.places.keys() == {p.id for p in found.points}


def test_nobody_is_near_only_because_it_is_about_the_same_user(statements):
    found = neighbourhood(statements, by(statements, "Bergen").id, steps=2)
    assert by(statements, "olives", "likes").text not in {p.text for p in found.points}


def test_where_there_is_no_room_the_rest_is_counted(statements):
    whole = neighbourhood(statements, by(statements, "Bergen").id, steps=3)
    part = neighbourhood(statements, by(statements, "Bergen").id, steps=3, most=3)
    assert len(part.points) == 3 and part.left_out == len(whole.points) - 3


@pytest.mark.parametrize("format", ["svg", "png", "pdf"])
def test_the_same_memory_gives_the_same_picture(statements, format):
    pytest.importorskip("matplotlib", reason="the extra `pictures` is not installed")
    found = chart(statements, title="Ana", now=NOW)
    first = draw_chart(found, format=format)
    assert first == draw_chart(found, format=format)
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[format])
    near = neighbourhood(statements, by(statements, "Bergen").id)
    assert draw_neighbourhood(near, format=format) == draw_neighbourhood(near, format=format)


def test_words_are_drawn_as_words(statements):
    pytest.importorskip("matplotlib", reason="the extra `pictures` is not installed")
    svg = draw_chart(chart(statements, title="$a$ <script>", now=NOW), format="svg").decode()
    root = ElementTree.fromstring(svg)
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert {"$a$ ‹script›", "lives in"} <= {(element.text or "").strip() for element in root.iter()}


@pytest.mark.parametrize("name", ["picture", "picture.jpeg", "picture.svg.txt", "svg"])
def test_a_name_that_says_no_format_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="end the name in"):
        format_of(tmp_path / name)
