"""Changes told in sentences: the right tense, the right precision, whose words, and nothing that was not said."""

from datetime import UTC, datetime, timedelta

import pytest
from build import World, claim, day, interval
from hypothesis import given
from hypothesis import strategies as st
from machine_claims import Content, Line
from machine_contract import MemoryMachine
from machine_parts import reference_spaces, small_parts

from graphmem import Memory
from graphmem.changes import changes
from graphmem.chronicle import chronicle, sentence
from graphmem.cli import run
from graphmem.ontology import relations
from graphmem.periods import span, when
from graphmem.reading import Reader
from graphmem.validity import period_end

LATER = datetime(2026, 6, 1, tzinfo=UTC)


def chat(id_, started, *texts):
    turns = [{"id": f"t{n}", "role": "user", "text": text} for n, text in enumerate(texts, 1)]
    return {"id": id_, "started": started, "turns": turns}


TOLD = [
    chat(
        "s1", "2025-05-14T10:00:00+02:00", "I lived in Oslo from 2010 to 2015.", "I live in Berlin.", "I like coffee.",
        "I use Vim.", "I work at Siemens.", "From July I work at Bosch.", "I have to call the dentist by 20 May.",
        "My brother Tom lives in Ghent.",
    ),
    chat(
        "s2", "2025-09-20T10:00:00+02:00", "I moved to Lisbon last month.", "I don't like coffee any more.",
        "I switched from Vim to Helix.", "I called the dentist.",
    ),
    chat("s3", "2025-10-01T10:00:00+02:00", "I have two cats.", "Actually, I have three cats, not two."),
    chat("s4", "2025-10-02T10:00:00+02:00", "I was born on 3 May 1990.", "I was born on 4 May 1990."),
]  # fmt: skip
SENTENCES = [
    "User lived in Oslo from 2010 until 2015 (said on 14 May 2025: “I lived in Oslo from 2010 to 2015”).",
    "In August 2025 User moved from Berlin to Lisbon (said on 20 September 2025: “I moved to Lisbon last month”).",
    "By 20 September 2025 User had stopped liking coffee (said on 20 September 2025: “I don't like coffee any more”).",
    "By 20 September 2025 User had switched from Vim to Helix (said on 20 September 2025: “I switched from Vim to Helix”).",
    "From July 2025 User works at Bosch instead of Siemens (said on 14 May 2025: “From July I work at Bosch”).",
    "To do: call the dentist, due 20 May 2025 (said on 14 May 2025: “I have to call the dentist by 20 May”).",
    "Done by 20 September 2025: call the dentist (said on 20 September 2025: “I called the dentist”).",
    "Never true: User has a pet: two cats; right is: User has a pet: three cats (said on 1 October 2025: “I have three cats, "
    "not two”).",
    "These cannot both hold: User was born on 3 May 1990 (said on 2 October 2025: “I was born on 3 May 1990”) and User was "
    "born on 4 May 1990 (said on 2 October 2025: “I was born on 4 May 1990”).",
    "User's brother Tom lives in Ghent (said on 14 May 2025: “My brother Tom lives in Ghent”).",
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with one memory, which the tests only read."""
    home = tmp_path_factory.mktemp("chronicle")
    with Memory.open(home, user="u", clock=lambda: LATER) as memory:
        memory.ingest(TOLD)
    return home


@pytest.fixture(scope="module")
def memory(home):
    with Memory.open(home, user="u", clock=lambda: LATER) as opened:
        yield opened


@pytest.mark.parametrize("told", SENTENCES)
def test_a_change_is_told_in_its_tense_and_as_precisely_as_it_is_known(memory, told):
    assert told in [sentence(change) for change in memory.changes()]


def test_the_lines_stand_by_subject_and_month_the_user_first(memory):
    lines = chronicle(memory.changes()).splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["User", "brother Tom"]
    assert [line for line in lines if line.startswith("  ") and line[2] != " "] == [
        "  May 2025", "  September 2025", "  October 2025", "  May 2025",
    ]  # fmt: skip
    # What took a place is not told a second time as an addition.
    assert not any("User lives in Lisbon (" in line or "User lives in Lisbon," in line for line in lines)


def test_by_the_clock_of_recording_both_days_are_told(memory):
    text = chronicle(memory.changes(clock="recorded"), clock="recorded")
    assert "  June 2026\n" in text
    assert "(said on 20 September 2025, recorded on 1 June 2026: “I moved to Lisbon last month”)" in text
    assert "recorded on" not in chronicle(memory.changes())


def test_the_command_tells_both_clocks_and_gives_the_models_as_json(home, capsys):
    def called(*arguments):
        assert run(["changes", *arguments, "--user", "u", "--home", str(home)]) == 0
        return capsys.readouterr().out

    assert "In August 2025 User moved from Berlin to Lisbon" in called("--since", "2025-09-01", "--until", "2025-09-30")
    assert "recorded on 1 June 2026" in called("--clock", "recorded")
    assert called("--since", "2030-01-01") == ""
    assert '"type": "superseded"' in called("--json", "--clock", "recorded")


HOME, MOVED = Content("lives_in", "Oslo"), Content("lives_in", "Lund", cue="change")


@pytest.fixture
def life():
    with small_parts(), reference_spaces():
        machine = MemoryMachine()
        yield machine
        machine.discard()


def said(*contents, role="user"):
    return (Line(role, None, contents, False),)


def test_what_was_concluded_once_is_told_by_the_clock_of_recording_only(life):
    life.tell_anything(day=1, said=said(HOME))
    life.tell_anything(day=90, said=said(MOVED))
    new = next(one for one in life.memory.statements() if one.object == "Lund")
    life.now += timedelta(hours=1)
    life.memory.retract(new.id, reason="a slip")
    kinds = {clock: [c.type for c in life.memory.changes(clock=clock) if c.type != "added"] for clock in ("told", "recorded")}
    assert kinds == {"told": ["retracted"], "recorded": ["superseded", "retracted"]}
    assert "moved from Oslo to Lund" in chronicle(life.memory.changes(clock="recorded"), clock="recorded")


def test_a_suggestion_is_added_when_it_becomes_more(life):
    life.tell_anything(day=1, said=said(HOME, role="assistant"))
    assert life.memory.changes() == []
    shown = next(one for one in life.memory.statements() if one.object == "Oslo")
    life.memory.confirm(shown.id, content_hash=shown.content_hash)
    for clock in ("told", "recorded"):
        found = life.memory.changes(clock=clock)
        assert [(c.type, c.at) for c in found] == [("added", life.now), ("confirmed", life.now)]


def test_a_suggestion_that_was_put_right_never_was_an_addition(life):
    life.tell_anything(day=1, said=said(HOME, role="assistant"))
    shown = next(one for one in life.memory.statements() if one.object == "Oslo")
    life.memory.retract(shown.id, reason="no")
    assert [c.type for c in life.memory.changes()] == ["retracted"]


@given(name=st.sampled_from(sorted(relations())), start=st.none() | st.integers(10, 30), ended=st.booleans())
def test_every_relation_has_words_for_a_change(name, start, ended):
    """Old and new value, the quote and its day stand in the sentence, whatever the relation and the time."""
    kind = relations()[name].kind
    world = World()
    old = claim(name, "alpha one", text="it is alpha one", kind=kind)
    world.say(1, old, on=5)
    more = {"temporal": "ended"} if ended else {"cue": "change", "replaces": "alpha one"}
    time = interval(start) if start and not ended else interval(None, start) if start else None
    value = "alpha one" if ended else "beta two"
    world.say(2, claim(name, value, text=f"it is {value}", kind=kind, time=time, **more), on=40)
    reader = Reader(world.graph, now=LATER)
    told = [c for c in changes(reader, erased=(), since=None, until=None, clock="told") if c.before is not None]
    for change in told:
        text = sentence(change)
        assert change.before.object in text
        assert change.type != "superseded" or "beta two" in text
        assert f"“it is {value}”" in text or change.type == "contradicted"
        assert "9 February 2025" in text or "10 February 2025" in text
        assert "{" not in text


GRAINS = ["minute", "hour", "part_of_day", "day", "weekend", "week", "month", "season", "quarter", "half", "year", None]


@given(start=st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), grain=st.sampled_from(GRAINS))
def test_a_period_is_named_with_its_year_and_no_more_precisely_than_it_is_known(start, grain):
    text = when(start, grain)
    meant = start if grain in ("minute", "hour", "part_of_day") else start + timedelta(hours=12)
    assert str(meant.year) in text
    days = grain in ("minute", "hour", "part_of_day", "day", "weekend", "week", None)
    assert (f"{meant.day} " in text) == days or not days
    assert text.startswith(("on ", "in "))


@given(number=st.integers(0, 4000), grain=st.sampled_from(["day", "month", "year"]))
def test_a_whole_period_is_told_as_one(number, grain):
    start = day(0).replace(hour=0) + timedelta(days=number)
    start = start.replace(day=1) if grain != "day" else start
    start = start.replace(month=1) if grain == "year" else start
    assert span(start, period_end(start, grain), grain) == when(start, grain)


@pytest.mark.parametrize("zone", ["-10:00", "-03:30", "+00:00", "+05:45", "+12:00", "+13:00"])
def test_days_and_months_are_those_of_the_place_where_they_were_said(tmp_path, zone):
    with Memory.open(tmp_path, user="ann") as memory:
        memory.ingest(
            chat("s1", f"2026-01-20T10:30:00{zone}", "I moved to Nelson last month.", "I have to call the bank by 30 January.")
        )
        told = chronicle(memory.changes())
        assert "December 2025" in told and "due 30 January 2026" in told
        assert "due 30 January 2026" in memory.start().text or "2026-01-30" in memory.start().text
    assert run(["open-items", "--home", str(tmp_path), "--user", "ann"]) == 0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I sold the Skoda on 3 March.", "By 3 March 2026 User had stopped driving a Skoda"),
        ("I sold the Skoda in March.", "By the end of March 2026 User had stopped driving a Skoda"),
    ],
)
def test_an_end_is_told_by_the_last_day_that_was_part_of_it(tmp_path, said, told):
    with Memory.open(tmp_path, user="ann") as memory:
        memory.ingest(
            [chat("s1", "2025-06-01T10:00:00+00:00", "I drive a Skoda."), chat("s2", "2026-04-10T10:00:00+00:00", said)]
        )
        assert told in chronicle(memory.changes())
