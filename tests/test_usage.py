"""The use of memories: what is noted, what it does to a score, and that an erased statement leaves none."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_parts import SCRIPT, small_parts

from graphmem import Memory
from graphmem.chain import Entry
from graphmem.errors import InputError
from graphmem.model import Hit, HitParts, Recall, TurnView
from graphmem.recall.usage import WEIGHT, lift, refers
from graphmem.recall.words import Words
from graphmem.usage import NEUTRAL, Tally, usage_draft, without

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOTES = ("the kiln is in the shed", "the glaze is in the cellar", "the wheel is in the attic")


@pytest.fixture(autouse=True)
def parts():
    SCRIPT.claims = ()
    with small_parts():
        yield


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def opened(home, clock=None):
    made = random.Random(5)
    return Memory.open(home, user="ina", clock=clock or Watch(), entropy=made.randbytes)


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        for text in NOTES:
            memory.remember(text, kind="fact")
        yield memory


def asked(memory):
    return memory.recall("where is it", min_score=0.0, k=20, kinds=["fact"])


def by_text(found):
    return {hit.statement.object: hit for hit in found.hits if hit.statement}


def test_used_memories_gain_and_those_never_used_lose(memory):
    before = by_text(asked(memory))
    assert {hit.parts.usage for hit in before.values()} == {NEUTRAL}
    kiln = before[NOTES[0]].statement.id
    for _ in range(3):
        done = memory.note_use(asked(memory), [kiln])
        assert done.noted and done.used == (kiln,) and len(done.unused) == 2
    after = by_text(asked(memory))
    assert after[NOTES[0]].score > before[NOTES[0]].score
    assert after[NOTES[0]].parts.usage > NEUTRAL
    for text in NOTES[1:]:
        assert after[text].score < before[text].score
        assert after[text].parts.usage < NEUTRAL


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_use_adds_is_bounded_and_grows_with_the_share(one, two):
    assert -WEIGHT <= lift(one) <= WEIGHT
    low, high = sorted((one, two))
    assert lift(low) <= lift(high)
    assert lift(NEUTRAL) == 0


def test_use_lifts_no_tier_and_no_confidence(memory):
    before = memory.statements()
    for _ in range(5):
        memory.note_use(asked(memory), [before[0].id])
    assert memory.statements() == before
    assert memory.changes(clock="recorded") == [one for one in memory.changes(clock="recorded") if one.type == "added"]


def test_the_use_of_an_answer_is_noted_once(memory):
    found = asked(memory)
    assert memory.note_use(found, []).noted
    head = memory._space.ledger.head()
    again = memory.note_use(found.id, [found.hits[0].statement.id])
    assert not again.noted
    assert memory._space.ledger.head() == head


def test_an_answer_with_nothing_in_it_leaves_no_trace(memory):
    head = memory._space.ledger.head()
    empty = asked(memory).model_copy(update={"hits": ()})
    assert not memory.note_use(empty, []).noted
    assert memory._space.ledger.head() == head


def test_the_ledger_holds_ids_only(memory):
    found = asked(memory)
    memory.note_use(found, reply="the kiln stands in the shed")
    [entry] = memory._space.ledger.of_type("usage")
    assert (entry.actor, entry.role) == ("agent", "agent")
    assert set(entry.subjects) == {hit.statement.id for hit in found.hits}
    assert set(entry.body) == {"answer", "used"}
    assert not any(word in str(entry.body) for word in ("kiln", "shed", "where"))


def test_a_tally_made_anew_is_equal_and_the_store_verifies(memory, tmp_path):
    for number in range(4):
        found = asked(memory)
        memory.note_use(found, [found.hits[number % 3].statement.id])
    before = by_text(asked(memory))
    dump = memory._tally.dump()
    memory.rebuild()
    assert {text: hit.parts.usage for text, hit in by_text(asked(memory)).items()} == {
        text: hit.parts.usage for text, hit in before.items()
    }
    report = memory.verify()
    assert report.projection_equal and report.ledger_ok and not report.problems
    memory.close()
    with opened(tmp_path, lambda: NOW + timedelta(days=1)) as again:
        found = by_text(asked(again))
        assert again._tally.dump() == dump
        assert {text: hit.parts.usage for text, hit in found.items()} == {t: h.parts.usage for t, h in before.items()}


def test_an_answer_is_good_after_the_memory_was_opened_anew(memory, tmp_path):
    found = asked(memory)
    memory.close()
    with opened(tmp_path, lambda: NOW + timedelta(days=1)) as again:
        with pytest.raises(InputError, match="not at hand"):
            again.note_use(found.id, [])
        assert again.note_use(found, []).noted


def test_an_erased_statement_leaves_no_use(memory):
    found = asked(memory)
    kiln, *others = [hit.statement.id for hit in found.hits]
    memory.note_use(found, [kiln, others[0]])
    memory.note_use(asked(memory), [])
    memory._usage(None)
    before = memory._tally.dump()
    receipt = memory.forget(id=kiln)
    assert receipt.residue_hits == 0
    with pytest.raises(InputError, match="not at hand"):
        memory.note_use(found.id, [])
    memory._usage(None)
    assert memory._tally.dump() == {name: counts for name, counts in before.items() if name != kiln}
    for entry in memory._space.ledger.of_type("usage"):
        assert entry.body is None or (kiln not in entry.subjects and kiln not in entry.body["used"])
    assert not memory.verify().problems
    # Nor does it come back with an answer that is still at hand.
    late = memory.note_use(found.model_copy(update={"id": "r_" + "0" * 24}), [kiln])
    assert kiln not in late.used + late.unused
    assert kiln not in {name for entry in memory._space.ledger.of_type("usage")[-1:] for name in entry.subjects}


def test_what_was_not_known_yet_counts_for_nothing(tmp_path):
    clock = Watch()
    with opened(tmp_path, clock) as memory:
        for text in NOTES:
            memory.remember(text, kind="fact")
        then = clock()
        memory.note_use(asked(memory), [])
        past = memory.recall("where is it", min_score=0.0, kinds=["fact"], known_at=then)
        assert {hit.parts.usage for hit in past.hits} == {NEUTRAL}
        assert NEUTRAL not in {hit.parts.usage for hit in asked(memory).hits}


def test_wrong_use_is_named(memory):
    found = asked(memory)
    for arguments in (
        (found,),
        (found, ["s_nothing"]),
        (found, "s_1"),
        ("r_unknown", []),
        (3, []),
        (found.model_copy(update={"id": "me"}), []),
    ):
        with pytest.raises(InputError):
            memory.note_use(*arguments)
    with pytest.raises(InputError):
        memory.note_use(found, [], reply="both")


NAMES = st.sampled_from(["s_a", "s_b", "s_c", "s_d"])
NOTED = st.lists(st.tuples(st.frozensets(NAMES, min_size=1), st.frozensets(NAMES)), max_size=12)


class Kept:
    """As much of a ledger as a tally reads."""

    def __init__(self, drafts) -> None:
        rows = [(number + 1, draft) for number, draft in enumerate(drafts)]
        self.rows = [
            Entry(n, str(n), str(n), NOW + timedelta(hours=n), d.actor, d.role, d.type, d.subjects, "", d.body) for n, d in rows
        ]
        self.secret = "s"

    def carried_out(self):
        return 0

    def head(self):
        return len(self.rows), ""

    def of_type(self, type_, after=0):
        return [row for row in self.rows if row.seq > after]


@given(noted=NOTED, gone=st.frozensets(NAMES), cut=st.integers(0, 12))
def test_a_tally_counts_what_was_noted_and_erasing_takes_exactly_what_is_gone(noted, gone, cut):
    drafts = [usage_draft(f"r_{n}", sorted(shown), used) for n, (shown, used) in enumerate(noted)]
    whole, steps = Tally(), Tally()
    ledger = Kept(drafts)
    whole.follow(ledger)
    steps.follow(Kept(drafts[:cut]))
    steps.follow(ledger)
    wanted = {
        name: (
            sum(name in used for shown, used in noted if name in shown),
            sum(name not in used for shown, used in noted if name in shown),
        )
        for name in sorted({name for shown, _ in noted for name in shown})
    }
    assert whole.dump() == steps.dump() == wanted
    assert all(0 < whole.share(name) < 1 for name in wanted)
    rest = Tally()
    rest.follow(Kept([left for row in ledger.rows if (left := without(row, gone))]))
    assert rest.dump() == {name: counts for name, counts in wanted.items() if name not in gone}


def turn(text):
    view = TurnView(id="t", session="s", position=0, role="user", speaker=None, text=text, time=NOW)
    return Hit(turn=view, score=0.5, parts=HitParts())


@pytest.mark.parametrize(
    ("told", "query", "reply", "yes"),
    [
        ("I live in Porto", "Where do I live?", "You live in Porto, near the river.", True),
        ("I live in Porto", "Where do I live?", "I don't know where you live.", False),
        ("I live in Porto", "Do I live in Porto?", "Yes, in Porto.", False),
        ("my sister plays the cello", "A present for my sister?", "How about a new bow for her cello?", True),
        ("my sister plays the cello", "A present for my sister?", "How about flowers for your sister?", False),
        ("I'm allergic to walnuts", "What shall I bake?", "A carrot cake without walnuts, because of your allergy.", True),
        ("I'm allergic to walnuts", "What shall I bake?", "A carrot cake.", False),
        ("thanks a lot", "hello", "Thanks to you too!", False),
    ],
)
def test_an_answer_refers_to_what_only_the_memory_can_have_brought_in(told, query, reply, yes):
    assert refers(reply, turn(told), query, Words()) is yes


def test_a_number_must_be_the_same(memory):
    made = memory.remember("the locker is number 4711 downstairs", kind="fact")
    hit = Hit(statement=made, score=0.5, parts=HitParts())
    assert refers("It is locker number 4711, downstairs.", hit, "Which one is mine?", Words())
    assert not refers("It is locker number 4712, downstairs.", hit, "Which one is mine?", Words())


def test_a_reply_notes_what_it_refers_to(memory):
    done = memory.note_use(asked(memory), reply="Your kiln stands in the shed.")
    texts = {one.id: one.object for one in memory.statements()}
    assert [texts[name] for name in done.used] == [NOTES[0]]
    assert {texts[name] for name in done.unused} == set(NOTES[1:])


def test_an_answer_survives_json(memory):
    found = Recall.model_validate_json(asked(memory).model_dump_json())
    assert memory.note_use(found, [found.hits[0].statement.id]).noted


def test_the_command_line_notes_use_and_speaks_at_a_turn(memory, tmp_path, capsys):
    from graphmem.cli import run

    memory.close()
    where = ["--user", "ina", "--home", str(tmp_path)]
    assert run(["recall", "where is it", "--min-score", "0", "--kind", "fact", "--json", *where]) == 0
    answer = tmp_path / "answer.json"
    answer.write_text(capsys.readouterr().out, encoding="utf-8")
    shown = Recall.model_validate_json(answer.read_text(encoding="utf-8"))
    used = shown.hits[0].statement.id
    assert run(["note-use", str(answer), "--used", used[:12], *where]) == 0
    assert capsys.readouterr().out == f"1 used, {len(shown.hits) - 1} not used\n"
    assert run(["note-use", str(answer), "--nothing", *where]) == 0
    assert "nothing new was noted" in capsys.readouterr().out
    assert run(["note-use", str(answer), *where]) == 2
    answer.write_text("no answer", encoding="utf-8")
    assert run(["note-use", str(answer), "--nothing", *where]) == 2
    assert "is not an answer" in capsys.readouterr().err
    assert run(["on-turn", "thanks!", *where]) == 0
    assert capsys.readouterr().out == ""
    assert run(["reembed", "--embedder", "wider", *where]) == 0
    assert "vectors of wider" in capsys.readouterr().out
