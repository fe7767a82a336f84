"""What is said never to have happened contradicts the deed, if that was done before, and nothing else."""

import pytest
from build import World, claim

from graphmem import Memory

DEED = {"kind": "episode", "temporal": "past", "details": {"type": "event"}}
UNDONE = {"kind": "episode", "temporal": "past", "polarity": "negative", "details": {"type": "never"}}


def never(obj, **more):
    return claim("episode", obj, text=f"I've never {obj}", **{**UNDONE, **more})


def did(text, **more):
    return claim("episode", text.removeprefix("I "), text=text, **{**DEED, **more})


def clashes(world):
    return [link for node in world.graph.nodes() for link, gone in node.links if link.kind == "CONTRADICTS" and gone is None]


@pytest.mark.parametrize(
    ("denial", "deed", "found"),
    [
        ("attended any pottery workshops", "I attended a pottery workshop in Turku", True),
        ("attended any courses or workshops on glazing", "I attended a workshop on modern glazing", True),
        ("sold my bike", "I sold my bike to Karin", True),
        ("attended any pottery workshops", "I attended a cooking workshop", False),
        ("attended any workshops on glazing", "I attended a workshop on taxes", False),
        ("attended any pottery workshops", "I planned a pottery workshop", False),
        ("sold my bike", "I sold my car", False),
    ],
)
def test_verb_thing_and_what_it_is_about_have_to_be_the_same(denial, deed, found):
    for first, second in ((never(denial), did(deed)), (did(deed), never(denial))):
        world = World()
        # One session: the order of saying plays no part.
        world.say(1, first, second)
        assert {link.rule for link in clashes(world)} == ({"never"} if found else set())


def test_a_deed_of_a_later_day_is_no_contradiction_and_one_before_is():
    world = World()
    world.say(1, never("sold my bike"), on=10)
    world.say(2, did("I sold my bike to Karin"), on=20)
    assert clashes(world) == []
    world = World()
    world.say(1, did("I sold my bike to Karin"), on=10)
    world.say(2, never("sold my bike"), on=20)
    [link] = set(clashes(world))
    assert link.overlap_to is not None
    assert [s.status for s in world.statements()] == ["past", "past"]


def test_a_denial_is_read_asked_about_and_shown_with_both_quotes(tmp_path):
    talks = [
        {
            "id": "s1",
            "started": "2025-05-14T10:00:00Z",
            "turns": [{"role": "user", "text": "I attended a pottery workshop on 3 May."}],
        },
        {
            "id": "s2",
            "started": "2025-06-14T10:00:00Z",
            "turns": [{"role": "user", "text": "I've never attended any pottery workshops."}],
        },
    ]
    with Memory.open(tmp_path, user="u") as memory:
        memory.ingest(talks)
        [found] = memory.contradictions()
        assert (found.rule, found.status) == ("never", "open")
        assert [side.evidence[0].session for side in (found.a, found.b)] == ["s1", "s2"]
        [question] = memory.open_questions()
        assert question.kind == "contradicted"
        assert {pair.id for pair in memory.recall("Have I ever attended a pottery workshop?", min_score=0).contradictions} == {
            found.id
        }
        memory.confirm(found.a.id, question=question.id)
        assert memory.contradictions() == []
        assert memory.verify().problems == ()
