"""What is said never to have happened contradicts the deed, if that was done before, and nothing else."""

from datetime import UTC, datetime

import pytest
from build import World, claim

from graphmem import Memory
from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session, Turn

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


def measure(about, head, obj, **more):
    details = {"about": about, "head": head, "number": "1", "unit": "", **more}
    return claim("attribute", obj, text=f"{about}: {obj}", context=about, details=details)


@pytest.mark.parametrize(
    ("denial", "figure", "found"),
    [
        ("completed any jigsaw puzzles", measure("completed jigsaw puzzle", "completed", "5", grows=True), True),
        ("tried any jigsaw puzzles", measure("completed jigsaw puzzle", "completed", "5", grows=True), True),
        ("practised any jigsaw puzzles", measure("accuracy jigsaw puzzle", "accuracy", "85%"), True),
        ("completed any crossword puzzles", measure("completed jigsaw puzzle", "completed", "5", grows=True), False),
        ("won any jigsaw puzzles", measure("accuracy jigsaw puzzle", "accuracy", "85%"), False),
        ("solved any jigsaw puzzles", measure("jigsaw puzzle target", "target", "12"), False),
        ("practised any jigsaw puzzles", measure("jigsaw puzzle spent", "spent", "3 hours"), False),
    ],
)
def test_a_count_or_a_result_tells_of_a_deed_and_a_target_does_not(denial, figure, found):
    world = World()
    world.say(1, figure, on=10)
    world.say(2, never(denial), on=20)
    assert {link.rule for link in clashes(world)} == ({"never"} if found else set())


@pytest.mark.parametrize(
    ("denial", "deed", "found"),
    [
        ("attempted a crossword puzzle", "I solved a crossword puzzle", True),
        ("solved a crossword puzzle", "I attempted a crossword puzzle", False),
        ("visited Turku", "I went to Turku", True),
        ("taken any glazing courses", "I enrolled in an online course on glazing", True),
        ("taken any glazing courses", "I enrolled in an online course on taxes", False),
        ("taken my tablets", "I joined a course on tablets", False),
        ("worked with Karin", "I collaborated with Karin on a mural", True),
    ],
)
def test_a_deed_is_a_case_of_what_is_denied_and_not_the_other_way_round(denial, deed, found):
    world = World()
    world.say(1, did(deed), on=10)
    world.say(2, never(denial), on=20)
    assert {link.rule for link in clashes(world)} == ({"never"} if found else set())


def read(text):
    """The episodes and uses that are read from a turn, with their polarity."""
    said = datetime(2026, 5, 14, 7, tzinfo=UTC)
    session = Session(id="s", started=said, turns=(Turn(id="t", role="user", text=text, time=said),))
    kept = [one for one in RuleExtractor().extract(session).claims if one.kind != "open_item"]
    return {(one.object, one.polarity) for one in kept}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I don't understand why I have never practised any chess openings.", {("practised any chess openings", "negative")}),
        ("Why have I never practised any chess openings?", set()),
        ("I've never attended any glazing workshops, so what now?", {("attended any glazing workshops", "negative")}),
        ("I've never written any poems or handled paper cuts.", {("written any poems", "negative")}),
        ("I've never sung or danced in public.", set()),
        ("I've taken a class on bees.", {("taken a class on bees", "positive")}),
        ("I've taken the dog to class.", set()),
        ("If I've taken a class on bees, am I good at it?", set()),
        ("Have I taken a class on bees?", set()),
    ],
)
def test_what_was_never_done_and_what_was_learned_is_read(text, found):
    assert read(text) == found
