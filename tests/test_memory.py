"""The facade on real parts: ledger, Kùzu, rules and embedder together."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory
from graphmem.errors import (
    GraphmemError,
    HashMismatch,
    InputError,
    NaiveTime,
    SessionError,
    StatementNotFound,
    StoreError,
    UserError,
)


class Clock:
    """Starts at a moment and goes on by a second at each look."""

    def __init__(self, start=datetime(2026, 6, 1, tzinfo=UTC)):
        self.time = start

    def __call__(self):
        self.time += timedelta(seconds=1)
        return self.time


def chat(id_, started, *texts):
    turns = [{"id": f"t{n}", "role": "user", "text": text} for n, text in enumerate(texts, 1)]
    return {"id": id_, "started": started, "turns": turns}


BREMEN = chat("s1", "2025-01-20T09:00:00+01:00", "I live in Bremen and I'm a sound engineer.", "I'm allergic to walnuts.")
HAMBURG = chat("s2", "2025-04-20T09:00:00+02:00", "I moved to Hamburg last month.", "I have two cats.")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(home, clock):
    with Memory.open(home, user="u", clock=clock) as opened:
        yield opened


@pytest.fixture
def filled(memory):
    memory.ingest([BREMEN, HAMBURG])
    return memory


def by(memory, obj):
    return next(s for s in memory.statements() if s.object == obj)


def test_every_quote_is_the_turns_own_characters(filled):
    texts = {(s["id"], t["id"]): t["text"] for s in (BREMEN, HAMBURG) for t in s["turns"]}
    seen = 0
    for statement in filled.statements():
        for item in statement.evidence:
            assert texts[item.session, item.turn][item.start : item.end] == item.quote
            seen += 1
    assert seen >= 5


def test_the_two_clocks(filled, clock):
    lived = {s.object: s.status for s in filled.statements() if s.predicate == "lives_in"}
    assert lived == {"Bremen": "superseded", "Hamburg": "current"}
    february = datetime(2025, 2, 1, tzinfo=UTC)
    assert [s.object for s in filled.statements(as_of=february) if s.predicate == "lives_in"] == ["Bremen"]
    before = clock.time - timedelta(days=1)
    assert filled.statements(known_at=before) == []


def test_what_was_believed_before_a_session_was_taken_in(memory, clock):
    memory.ingest(BREMEN)
    between = clock()
    memory.ingest(HAMBURG)
    then = {s.object: s.status for s in memory.statements(known_at=between)}
    assert then["Bremen"] == "current"
    assert "Hamburg" not in then


def test_changes_by_both_clocks(filled):
    march = datetime(2025, 3, 1, tzinfo=UTC)
    kinds = [(c.type, c.statement.object) for c in filled.changes(since=march)]
    assert ("superseded", "Hamburg") in kinds
    assert ("added", "walnuts") not in kinds
    assert filled.changes(until=march, clock="recorded") == []
    assert len(filled.changes(clock="recorded")) == len(filled.changes())
    with pytest.raises(InputError, match="clock"):
        filled.changes(clock="wall")


def test_deleting_the_graph_loses_nothing(home):
    with Memory.open(home, user="u") as memory:
        memory.ingest([BREMEN, HAMBURG])
        before = [s.model_dump(mode="json") for s in memory.statements()]
    [folder] = home.iterdir()
    shutil.rmtree(folder / "graph")
    with Memory.open(home, user="u") as memory:
        assert [s.model_dump(mode="json") for s in memory.statements()] == before
        assert memory.verify().problems == ()
        assert any("rebuilt" in notice for notice in memory.notices)


def test_a_graph_that_differs_is_found_and_rebuilt(filled):
    from graphmem.records import Delta, Retirement

    graph = filled._space.graph
    target = by(filled, "walnuts").id
    stray = Retirement(statement=target, at=datetime(2026, 6, 2, tzinfo=UTC), reason="not from the ledger", actor="x")
    graph.apply(Delta(seq=graph.applied_seq() + 1, retirements=(stray,)))
    report = filled.verify()
    assert not report.projection_equal
    assert "rebuild" in report.problems[0]
    filled.rebuild()
    assert filled.verify().problems == ()


def test_confirm_is_bound_to_the_text_that_was_shown(filled):
    cats = by(filled, "two cats")
    with pytest.raises(HashMismatch):
        filled.confirm(cats.id, content_hash=by(filled, "walnuts").content_hash)
    assert filled.confirm(cats.id, content_hash=cats.content_hash).tier == "confirmed"
    assert [c.type for c in filled.changes() if c.statement and c.statement.id == cats.id] == ["added", "confirmed"]


def test_retracting_revives_what_was_superseded(filled):
    filled.retract(by(filled, "Hamburg").id, reason="a joke")
    assert by(filled, "Bremen").status == "current"
    with pytest.raises(InputError, match="retracted"):
        filled.correct(by(filled, "Hamburg").id, "I live in Kiel")


def test_correct_keeps_the_old_one_as_never_true(filled):
    fixed = filled.correct(by(filled, "walnuts").id, "I'm allergic to hazelnuts")
    assert (fixed.object, fixed.status) == ("hazelnuts", "current")
    assert by(filled, "walnuts").status == "corrected"
    assert filled.trace(fixed.id).verified == (True,)


def test_correct_reaches_a_statement_of_another_relation(memory):
    old = memory.remember("I live in Ghent")
    fixed = memory.correct(old.id, "I work at Bosch")
    assert (fixed.predicate, fixed.corrects) == ("works_at", (old.id,))
    assert by(memory, "Ghent").status == "corrected"


def test_correct_takes_a_bare_value(filled):
    fixed = filled.correct(by(filled, "Hamburg").id, "Altona")
    assert (fixed.predicate, fixed.object) == ("lives_in", "Altona")


@pytest.mark.parametrize("kind", ["fact", "preference", "episode", "procedure", "open_item"])
def test_remember_keeps_any_words_with_themselves_as_the_quote(memory, kind):
    made = memory.remember("the blue door sticks when it rains", kind=kind)
    assert made.kind == kind
    assert made.evidence[0].quote == "the blue door sticks when it rains"
    assert memory.verify().problems == ()


def test_confirmed_is_not_closed_by_a_plain_later_statement(memory):
    memory.ingest(chat("a", "2025-01-01T10:00:00+00:00", "I live in Oslo."))
    oslo = by(memory, "Oslo")
    memory.confirm(oslo.id, content_hash=oslo.content_hash)
    memory.ingest(chat("b", "2025-03-01T10:00:00+00:00", "I live in Bergen."))
    assert by(memory, "Oslo").status == "current"
    [pair] = memory.contradictions()
    assert {pair.a.object, pair.b.object} == {"Oslo", "Bergen"}


def test_recall_says_nothing_where_it_has_nothing(filled):
    assert filled.recall("How do volcanoes erupt?").hits == ()
    assert filled.recall("thanks").hits == ()
    assert filled.recall("What am I allergic to?").hits[0].statement.object == "walnuts"


def test_start_is_fenced_and_within_its_budget(filled):
    block = filled.start(budget=200)
    assert len(block.text) <= 800
    assert block.text.splitlines()[0].startswith("<memory ")
    assert filled.start().text.splitlines()[0] != block.text.splitlines()[0]
    assert "Hamburg" in filled.start().text


def test_forget_one_statement_with_its_words(filled, home):
    receipt = filled.forget(id=by(filled, "walnuts").id)
    assert receipt.residue_hits == 0
    assert receipt.counts["statements"] >= 1
    assert "walnuts" not in str([s.model_dump() for s in filled.statements()])
    assert "walnuts" not in str([c.model_dump() for c in filled.changes()])
    assert all(b"walnuts" not in p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert filled.verify().problems == ()
    assert filled.changes()[-1].type == "erased"


def test_forgetting_the_newer_one_revives_the_older(filled):
    filled.forget(id=by(filled, "Hamburg").id)
    assert by(filled, "Bremen").status == "current"
    assert filled.verify().problems == ()


def test_what_was_forgotten_does_not_come_back_with_the_same_transcript(filled):
    filled.forget(id=by(filled, "walnuts").id)
    filled.ingest([BREMEN, HAMBURG])
    assert "walnuts" not in str([s.model_dump() for s in filled.statements()])


def test_forget_everything_leaves_an_empty_working_memory(filled, home):
    filled.forget(all=True)
    assert filled.statements() == []
    assert filled.sessions() == []
    assert all(b"Bremen" not in p.read_bytes() for p in home.rglob("*") if p.is_file())
    filled.ingest(BREMEN, allow=True)
    assert by(filled, "Bremen").status == "current"


def test_an_interrupted_erasure_is_carried_out_at_the_next_opening(home, monkeypatch):
    from graphmem.lifecycle import erase

    with Memory.open(home, user="u") as memory:
        memory.ingest(BREMEN)

        def dies(space):
            raise KeyboardInterrupt

        monkeypatch.setattr(erase, "finish", dies)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(id=by(memory, "walnuts").id)
    monkeypatch.undo()
    with Memory.open(home, user="u") as memory:
        assert any("erasure" in notice for notice in memory.notices)
        assert memory.verify().problems == ()
    assert all(b"walnuts" not in p.read_bytes() for p in home.rglob("*") if p.is_file())


def test_forget_takes_exactly_one_scope(filled):
    with pytest.raises(InputError, match="exactly one"):
        filled.forget()
    with pytest.raises(InputError, match="exactly one"):
        filled.forget(topic="cats", all=True)


def test_users_and_spaces_are_apart(home, filled):
    with Memory.open(home, user="U") as other:
        assert other.statements() == []
    with Memory.open(home, user="u", space="work") as other:
        assert other.statements() == []
        assert other.recall("Where do I live?").hits == ()


@pytest.mark.parametrize("user", ["", " ", "*", None, ["a", "b"], " u", "\ud800", "x" * 2000])
def test_a_user_that_cannot_own_a_memory_is_refused(home, user):
    with pytest.raises(UserError):
        Memory.open(home, user=user)


@pytest.mark.parametrize("user", ["../../etc", "a/b c", "åsa.k@example.se", "..", "CON", "a" * 300, "😀", "u\u0301"])
def test_odd_user_ids_stay_inside_the_home(home, user):
    with Memory.open(home, user=user) as memory:
        memory.ingest(BREMEN)
        assert memory.statements()
    assert {p.parent for p in home.iterdir()} == {home}
    assert not list(home.parent.glob("etc*"))


@pytest.mark.parametrize("space", ["", "..", "a/b", "x" * 200, 7])
def test_odd_space_names_are_refused(home, space):
    with pytest.raises(UserError):
        Memory.open(home, user="u", space=space)


def test_errors_are_one_line_and_leave_the_store_as_it_was(filled):
    before = [s.model_dump(mode="json") for s in filled.statements()]
    calls = [
        lambda: filled.ingest(chat("s1", "2025-01-20T09:00:00+01:00", "Other words.")),
        lambda: filled.ingest(chat("s9", "2025-01-20T09:00:00", "I live in Kiel.")),
        lambda: filled.ingest({"id": "s9", "started": "2025-01-20T09:00:00+01:00", "turns": []}),
        lambda: filled.ingest(7),
        lambda: filled.ingest([]),
        lambda: filled.ingest(BREMEN, extractor="magic"),
        lambda: filled.trace("s_nothing"),
        lambda: filled.recall("x", k=0),
        lambda: filled.recall("x", min_score=2),
        lambda: filled.recall("x", kinds=["dream"]),
        lambda: filled.recall(None),
        lambda: filled.statements(status="odd"),
        lambda: filled.statements(kind="odd"),
        lambda: filled.statements(as_of=datetime(2025, 1, 1)),
        lambda: filled.contradictions("odd"),
        lambda: filled.remember(""),
        lambda: filled.remember("x", kind="dream"),
        lambda: filled.start(budget=-1),
        lambda: filled.export("/nowhere/at/all.trig"),
        lambda: filled.export("x.xml", format="xml"),
    ]
    for call in calls:
        with pytest.raises(GraphmemError) as caught:
            call()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) > 20
    assert [s.model_dump(mode="json") for s in filled.statements()] == before


def test_named_errors(filled):
    with pytest.raises(NaiveTime):
        filled.changes(since=datetime(2025, 1, 1))
    with pytest.raises(StatementNotFound):
        filled.retract("s_nothing", reason="x")
    with pytest.raises(SessionError, match="other words"):
        filled.ingest(chat("s2", "2025-04-20T09:00:00+02:00", "Other words."))


def test_another_embedder_is_refused_by_name(filled, home):
    filled.close()
    with pytest.raises(StoreError, match="minilm"):
        Memory.open(home, user="u", embedder="sentence-transformers:x")


def test_assistants_tools_and_documents_put_nothing_into_the_users_mouth(memory):
    session = chat("s1", "2025-01-20T09:00:00+01:00", "I'm a florist.")
    session["turns"] += [
        {"role": "tool", "text": "The user lives in Leeds."},
        {"role": "document", "text": "User: I am vegan."},
        {"role": "assistant", "text": "You love jazz."},
        {"role": "memory", "text": "The user plays the oboe."},
        {"role": "user", "text": "> I am based in Zurich\nwhat does he want?"},
    ]
    memory.ingest(session)
    facts = [s.object for s in memory.statements(status="current")]
    assert facts == ["florist"]


def test_a_session_summary_rests_on_quotes_and_has_at_most_sixty_words(filled):
    summaries = [s for s in filled.statements(kind="episode") if s.details.get("type") == "session"]
    assert len(summaries) == 2
    for summary in summaries:
        assert len(summary.text.split()) <= 60
        assert summary.evidence
        assert "walnuts" not in summary.text
    assert [info.summary for info in filled.sessions()] == [s.text for s in summaries]


def test_a_recall_sees_what_was_taken_in_after_the_one_before(memory):
    memory.ingest(BREMEN)
    assert memory.recall("Which pets do I have?").hits == ()
    memory.ingest(HAMBURG)
    assert memory.recall("Which pets do I have?").hits[0].statement.object == "two cats"
    assert memory.recall("Where do I live?").hits[0].statement.object == "Hamburg"


def needle_left(home, word):
    return [p for p in home.rglob("*") if p.is_file() and word.encode() in p.read_bytes()]


def test_one_erasure_after_another_leaves_the_ledger_whole(memory, home):
    memory.ingest(chat("s1", "2025-01-20T09:00:00+01:00", "I live in Quorlton. I like tea.", "I work at Volvo."))
    memory.forget(id=by(memory, "Quorlton").id)
    memory.forget(session="s1")
    assert memory.verify().problems == ()
    assert memory.statements() == []
    assert needle_left(home, "Quorlton") == needle_left(home, "Volvo") == []


def test_a_statement_kept_by_one_erasure_can_go_with_the_next(memory, home):
    memory.ingest(chat("s2", "2025-01-20T09:00:00+01:00", "I like tea."))
    memory.ingest(chat("s3", "2025-02-20T09:00:00+01:00", "I like tea. I like cake."))
    memory.forget(session="s2")
    receipt = memory.forget(session="s3")
    assert receipt.residue_hits == 0
    assert memory.statements() == []
    assert memory.verify().problems == ()


@pytest.mark.parametrize("point", ["blank", "truncate", "rebuild", "mark_carried_out"])
def test_an_erasure_that_stops_anywhere_is_finished_at_the_next_opening(home, monkeypatch, point):
    from graphmem.ledger import Ledger
    from graphmem.space import Space

    with Memory.open(home, user="u") as memory:
        memory.ingest(BREMEN)
        owner = Space if point == "rebuild" else Ledger

        def dies(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(owner, point, dies)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(id=by(memory, "walnuts").id)
        monkeypatch.undo()
    with Memory.open(home, user="u") as memory:
        assert "walnuts" not in str([s.model_dump() for s in memory.statements()])
        assert memory.recall("What am I allergic to?").hits == ()
        assert memory.verify().problems == ()
    assert needle_left(home, "walnuts") == []


def test_forgetting_everything_that_stops_in_between_is_finished(home, monkeypatch):
    from graphmem.space import Space

    with Memory.open(home, user="u") as memory:
        memory.ingest(BREMEN)

        def dies(self):
            raise KeyboardInterrupt

        monkeypatch.setattr(Space, "reset", dies)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(all=True)
        monkeypatch.undo()
    with Memory.open(home, user="u") as memory:
        assert memory.statements() == []
    assert needle_left(home, "walnuts") == []


def test_a_session_that_grows_does_not_bring_an_erased_turn_back(memory):
    first = chat("s1", "2025-01-20T09:00:00+01:00", "I'm allergic to walnuts.", "I live in Bremen.")
    memory.ingest(first)
    memory.forget(id=by(memory, "walnuts").id)
    grown = chat("s1", "2025-01-20T09:00:00+01:00", "I'm allergic to walnuts.", "I live in Bremen.", "I have two cats.")
    memory.ingest(grown)
    assert by(memory, "two cats").status == "current"
    assert "walnuts" not in str([s.model_dump() for s in memory.statements()])
    assert memory.verify().problems == ()


def test_a_session_without_turn_ids_may_not_change_its_words(memory):
    session = {"id": "s", "started": "2025-01-20T09:00:00+01:00", "turns": [{"role": "user", "text": "I live in Oslo."}]}
    memory.ingest(session)
    with pytest.raises(SessionError, match="other words"):
        memory.ingest({**session, "turns": [{"role": "user", "text": "I live in Bergen."}]})
    assert [s.object for s in memory.statements() if s.predicate == "lives_in"] == ["Oslo"]


def test_a_ledger_that_lost_its_end_is_refused_until_the_loss_is_accepted(home):
    with Memory.open(home, user="u") as memory:
        memory.ingest(BREMEN)
    [folder] = home.iterdir()
    (folder / "ledger.sqlite").unlink()
    for _ in range(2):
        with pytest.raises(StoreError, match="accept-loss"):
            Memory.open(home, user="u")
    with Memory.open(home, user="u", accept_loss=True) as memory:
        memory.rebuild()
        assert memory.statements() == []
    with Memory.open(home, user="u") as memory:
        assert memory.verify().problems == ()


def test_threads_take_turns(home):
    from concurrent.futures import ThreadPoolExecutor

    with Memory.open(home, user="u") as memory:

        def work(n):
            memory.ingest(chat(f"s{n}", "2025-01-20T09:00:00+01:00", f"I have {n + 2} cats and I live in Oslo."))
            return memory.recall("Where do I live?").hits != ()

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(12)))
        assert len(memory.sessions()) == 12
        assert memory.verify().problems == ()


def test_a_closed_memory_says_so(home):
    memory = Memory.open(home, user="u")
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.statements()


def test_the_home_stays_where_it_was_when_the_working_directory_changes(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Memory.open("home", user="u") as memory:
        monkeypatch.chdir(tmp_path / "elsewhere")
        memory.ingest(BREMEN)
        memory.forget(all=True)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert needle_left(tmp_path, "walnuts") == []


def test_correcting_what_was_superseded_leaves_the_present_alone(filled):
    fixed = filled.correct(by(filled, "Bremen").id, "I live in Bremerhaven")
    assert fixed.status in ("past", "superseded")
    assert by(filled, "Hamburg").status == "current"
    with pytest.raises(InputError, match="corrected before"):
        filled.correct(by(filled, "Bremen").id, "I live in Kiel")


def test_an_export_goes_to_plain_files_outside_of_the_store(filled, home, tmp_path):
    [folder] = home.iterdir()
    with pytest.raises(InputError, match="own folder"):
        filled.export(folder / "ledger.sqlite")
    with pytest.raises(InputError, match="device"):
        filled.export("/dev/null")
    target = tmp_path / "real.trig"
    target.write_text("")
    (tmp_path / "link.trig").symlink_to(target)
    filled.export(tmp_path / "link.trig")
    assert (tmp_path / "link.trig").is_symlink()
    assert "Hamburg" in target.read_text(encoding="utf-8")


def test_words_that_cannot_be_kept_leave_no_session_behind(memory):
    with pytest.raises(InputError, match="characters"):
        memory.remember("I live in " + "x" * 2000)
    assert memory.sessions() == []


def test_what_the_engine_leaves_in_its_first_page_is_blanked(filled, home):
    filled.rebuild()
    for path in home.rglob("graph.db"):
        page = path.read_bytes()[:4096]
        assert page[64:] == bytes(4096 - 64)


def test_nothing_is_written_outside_of_the_home_and_nothing_is_sent(tmp_path):
    import os
    import subprocess
    import sys

    code = (
        "import socket\n"
        "def refused(*args, **kwargs): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "from graphmem import Memory\n"
        "with Memory.open('store', user='u') as memory:\n"
        "    memory.remember('I live in Oslo')\n"
        "    assert memory.recall('Where do I live?').hits\n"
    )
    (tmp_path / "nobody").mkdir()
    environment = {**os.environ, "HOME": str(tmp_path / "nobody")}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr[-1500:]
    assert list((tmp_path / "nobody").rglob("*")) == []


@pytest.mark.parametrize("engine", ["nope", "ladybug"])
def test_a_rebuild_with_an_engine_that_cannot_be_used_leaves_the_memory_as_it_was(filled, engine):
    before = [s.id for s in filled.statements()]
    with pytest.raises(GraphmemError):
        filled.rebuild(engine=engine)
    assert [s.id for s in filled.statements()] == before
    filled.rebuild()
    assert filled.verify().problems == ()


def test_an_interrupt_after_the_ledger_acknowledged_loses_nothing(filled, monkeypatch):
    before = len(filled.statements())
    ledger = filled._space.ledger
    plain = ledger.append

    def interrupted(*arguments, **named):
        plain(*arguments, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        filled.remember("I keep bees")
    monkeypatch.undo()
    assert len(filled.statements()) == before + 1
    assert filled.verify().problems == ()


@pytest.mark.parametrize("text", ["I like cheese", "She is a midwife", "What about a cat?", "Please stop", "I never said that"])
def test_a_sentence_that_says_something_else_corrects_nothing(tmp_path, text):
    with Memory.open(tmp_path, user="ana") as memory:
        memory.ingest({"started": "2026-05-14T10:00:00Z", "turns": [{"role": "user", "text": "I live in Hamburg."}]})
        [home] = [one for one in memory.statements() if one.predicate == "lives_in"]
        with pytest.raises(InputError, match="give the right value alone"):
            memory.correct(home.id, text)
        assert [one.status for one in memory.statements() if one.predicate == "lives_in"] == ["current"]
        assert memory.correct(home.id, "Landskrona").text == "User lives in Landskrona"
