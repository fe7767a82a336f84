"""Rules of time and conflict that the memory once did not keep, each in its shortest case."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from build import NOW, SECRET, World, claim, day, interval, session
from machine_claims import Content, Line
from machine_contract import MemoryMachine
from machine_parts import SCRIPT, reference_spaces, small_parts

from graphmem.admission import Admission, Admitted
from graphmem.grounding import Grounded, ground
from graphmem.model import Session, Turn
from graphmem.reconcile import reconsider


@pytest.fixture
def life() -> Iterator[MemoryMachine]:
    with small_parts(), reference_spaces():
        machine = MemoryMachine()
        yield machine
        machine.discard()


def said(*contents: Content, role: str = "user", speaker: str | None = None) -> tuple[Line, ...]:
    return (Line(role, speaker, contents, False),)


HOME, TASTE = Content("lives_in", "Oslo"), Content("likes", "olives", kind="preference")


def test_quotes_are_found_again_after_two_erasures(life):
    life.tell_anything(day=1, said=said(HOME, TASTE))
    life.tell_anything(day=2, said=said(HOME, TASTE))
    home, taste = sorted(life.memory.statements(kind="fact") + life.memory.statements(kind="preference"), key=lambda s: s.kind)
    life.memory.forget(id=home.id)
    life.memory.forget(session="s1")
    assert [e.session for s in life.memory.statements() for e in s.evidence] == ["s2"]
    assert all(life.memory.trace(taste.id).verified)


def test_nothing_is_known_of_a_time_of_which_no_quote_is_left(life):
    life.tell_anything(day=1, said=said(HOME))
    then = life.now
    life.tell_anything(day=2, said=said(HOME))
    life.memory.forget(session="s1")
    assert all(s.evidence for s in life.memory.statements(known_at=then))


def test_a_correction_is_about_the_subject_of_what_it_corrects(life):
    life.tell_of_two_speakers(day=1, said=said(TASTE, speaker="Ana") + said(HOME, speaker="Ben"))
    old = next(s for s in life.memory.statements() if s.object == "Oslo")
    SCRIPT.claims = ()
    new = life.memory.correct(old.id, "Lund")
    keys = {node.record.subject_key for node in life.memory._space.graph.nodes([old.id, new.id])}
    assert keys == {"ben"}


def test_what_a_confirmation_changes_follows_at_once(life):
    life.tell_anything(day=1, said=said(HOME))
    life.tell_anything(day=99, said=said(Content("lives_in", "Lund")))
    old = next(s for s in life.memory.statements() if s.object == "Oslo")
    life.memory.confirm(old.id, content_hash=old.content_hash)
    space = life.memory._space
    plan = reconsider(space.graph.nodes(), secret=space.ledger.secret, now=life.now)
    assert (plan.links, plan.retired) == ((), ())


def test_what_another_speaker_says_of_the_owner_is_hearsay():
    turns = (
        Turn(id="t1", role="user", speaker="Ana", text="hello", time=day(1)),
        Turn(id="t2", role="user", speaker="Ben", text="Ana likes jazz", time=day(1)),
    )
    pair = Session(id="s", started=day(1), turns=turns)
    grounded = ground(claim("likes", "jazz", turn="t2", text="Ana likes jazz", subject="Ana", kind="preference"), pair)
    assert isinstance(grounded, Grounded)
    admitted = Admission(pair, user="ana", secret=SECRET, extractor="test/1", now=NOW).admit(grounded)
    assert isinstance(admitted, Admitted)
    assert admitted.record.tier == "inferred"


def test_a_suggested_deed_closes_no_task():
    world = World()
    world.say(1, claim("task", "call Mia", kind="open_item", details={"due": None}))
    text = "You called Mia"
    deed = claim("task", "called Mia", text=text, kind="open_item", done=True, details={"verb": "call"})
    world.take(session(2, text, role="assistant", on=5), [deed])
    assert world.status("call Mia") == "current"


def test_two_stays_told_in_one_breath_are_two_statements():
    world, text = World(), "I lived in Oslo from 2010 to 2012 and again from 2015 to 2017"
    first = claim("lives_in", "Oslo", text=text, quote=text[:34], temporal="past", time=interval(-5000, -4300))
    again = claim("lives_in", "Oslo", text=text, quote=text[38:], temporal="past", time=interval(-3500, -2800))
    world.take(session(1, text), [first, again])
    assert len(world.statements()) == 2


def test_two_deadlines_of_one_turn_are_two_tasks():
    world, text = World(), "Pay rent by May and pay rent by June"
    may = claim("task", "pay rent", text=text, quote=text[:15], kind="open_item", details={"due": "2025-05-01T00:00:00Z"})
    june = claim("task", "pay rent", text=text, quote=text[20:], kind="open_item", details={"due": "2025-06-01T00:00:00Z"})
    world.take(session(1, text), [may, june])
    assert {s.details["due"][:7] for s in world.statements()} == {"2025-05", "2025-06"}


def test_a_correction_leaves_what_was_true_of_an_earlier_time():
    world = World()
    world.say(1, claim("lives_in", "Oslo"))
    world.say(2, claim("lives_in", "Lund", cue="change"), on=100)
    world.say(3, claim("lives_in", "Gent", cue="correction"), on=101)
    assert world.status("Lund") == "corrected"
    assert world.status("Oslo") == "superseded"


def test_a_correction_inherits_the_interval_of_what_it_corrects():
    world = World()
    right = claim("lives_in", "Lund", cue="correction", replaces="Oslo")
    world.say(1, claim("lives_in", "Oslo", time=interval(-300, None)), right)
    assert world.by("Lund").valid_from == world.by("Oslo").valid_from


def test_no_longer_liking_is_not_the_end_of_disliking():
    world = World()
    world.say(1, claim("dislikes", "olives", kind="preference"))
    world.say(2, claim("likes", "olives", kind="preference", temporal="ended"), on=50)
    assert world.status("olives") == "current"


def test_the_end_of_an_earlier_stay_does_not_end_a_later_one():
    world = World()
    world.say(1, claim("lives_in", "Oslo", time=interval(-100, None)), on=10)
    world.say(2, claim("lives_in", "Oslo", temporal="ended", time=interval(None, -2000)), on=20)
    assert world.status("Oslo") == "current"


def test_a_value_that_is_to_end_is_still_supported_by_saying_it_again():
    world = World()
    world.say(1, claim("lives_in", "Oslo"))
    world.say(2, claim("lives_in", "Lund", temporal="future", time=interval(300, None)), on=10)
    world.say(3, claim("lives_in", "Oslo"), on=20)
    assert [s.object for s in world.statements(day(30))].count("Oslo") == 1


def test_a_suggestion_that_was_stated_since_lies_between():
    world = World()
    world.take(session(1, "Lund", role="assistant", on=50), [claim("lives_in", "Lund")])
    world.say(2, claim("lives_in", "Lund"), on=51)
    world.say(3, claim("lives_in", "Oslo"), on=100)
    world.say(4, claim("lives_in", "Oslo"), on=1)
    assert [s.object for s in world.statements()].count("Oslo") == 2


def test_a_session_concludes_what_the_whole_memory_would():
    world = World()
    world.say(1, claim("prefers", "Trello", kind="preference"))
    world.say(2, claim("uses_tool", "Linear", replaces="Trello", cue="change"), on=50)
    world.say(3, claim("prefers", "Trello", kind="preference", polarity="negative"), on=100)
    plan = reconsider(world.graph.nodes(), secret=SECRET, now=NOW)
    assert (plan.links, plan.retired) == ((), ())


def test_what_is_told_twice_at_one_moment_of_a_coming_time_is_one_statement():
    # The ids, which follow from the sessions, must not decide which of the two was told first.
    for number in range(2, 10):
        world = World()
        world.say(1, claim("works_at", "Bosch", time=interval(0, None)), on=1)
        for session_number in (number, number * 11):
            world.say(session_number, claim("works_at", "Nordea", time=interval(0, None)), on=-300)
        assert [s.object for s in world.statements()].count("Nordea") == 1, number
