"""Retention: nothing goes by itself; what has outlived its term is told, and goes by the way of what is forgotten."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_memory import Clock, chat
from test_personal_data import hits, kept

from graphmem import Memory
from graphmem.cli import run as command
from graphmem.errors import InputError, MemoryPaused
from graphmem.records import UNKEPT
from graphmem.retention import gaps_of
from graphmem.settings import PRESETS, Settings

STARTED = "2026-05-20T09:00:00+02:00"
TOLD = (
    "Honestly the weather has been dreadful. I live in Bremen. Anyway, the tram was late.",
    "I'm allergic to walnuts.",
    "Yesterday I visited the harbour museum with Tom.",
    "What a strange purple umbrella that was!",
)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as opened:
        opened.ingest(chat("s1", STARTED, *TOLD))
        yield opened


def objects(memory):
    return {statement.object for statement in memory.statements()}


def test_no_rule_is_active_until_one_is_set_and_time_alone_takes_nothing(memory, clock):
    before = {statement.id for statement in memory.statements()}
    assert memory.settings() == Settings()
    clock.time += timedelta(days=4000)
    report = memory.expire()
    assert (report.expired, report.held, report.receipt) == ((), (), None)
    for act in (memory.start, memory.profile, memory.compact, memory.rebuild, memory.consolidate):
        act()
    memory.recall("Where does she live?")
    assert before <= {statement.id for statement in memory.statements()}
    assert memory.verify().problems == ()


def test_decay_changes_the_order_of_answers_and_takes_nothing(tmp_path, clock):
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as memory:
        memory.ingest(chat("s1", "2026-05-20T09:00:00+02:00", "I flew to Oslo with Tom yesterday.", "I like jazz."))

        def hit(word):
            found = memory.recall(f"What about {word}?", min_score=0, k=20)
            return next(one for one in found.hits if one.statement is not None and word in one.statement.text)

        before = [hit("Oslo"), hit("jazz")]
        clock.time += timedelta(days=1500)
        after = [hit("Oslo"), hit("jazz")]
        for old, new in zip(before, after, strict=True):
            assert new.parts.recency < old.parts.recency and new.score < old.score
        assert {s.id for s in memory.statements()} >= {one.statement.id for one in before}
        assert memory.expire().expired == ()


@pytest.mark.parametrize(("preset", "raw"), [("short", 30), ("long", 90), ("none", None)])
def test_presets_are_terms_to_begin_with(memory, preset, raw):
    held = memory.configure(preset=preset)
    assert held.raw == raw
    assert held.model_dump(include=set(PRESETS[preset])) == PRESETS[preset]


def test_a_setting_that_there_is_none_of_is_refused(memory):
    for wrong in ({"episode": 3}, {"episodes": 0}, {"raw": "soon"}, {"transcripts": "some"}, {"learning": False}):
        with pytest.raises(InputError):
            memory.configure(**wrong)
    with pytest.raises(InputError):
        memory.configure(preset="forever")
    assert memory.settings() == Settings()


def test_settings_hold_after_reopening_and_for_others(tmp_path, clock):
    with Memory.open(tmp_path, user="ann", clock=clock) as one, Memory.open(tmp_path, user="ann", clock=clock) as other:
        one.configure(episodes=180, raw=30)
        assert other.settings().episodes == 180
        other.configure(episodes=None)
        assert one.settings() == Settings(raw=30)
    with Memory.open(tmp_path, user="ann", clock=clock) as again:
        assert again.settings().raw == 30 and again.verify().problems == ()


def test_what_is_stated_goes_after_its_term_and_what_is_confirmed_stays(memory, clock, tmp_path):
    walnuts = next(s for s in memory.statements() if s.object == "walnuts")
    memory.confirm(walnuts.id, content_hash=walnuts.content_hash)
    memory.configure(stated=365, episodes=180)
    clock.time += timedelta(days=200)
    plan = memory.expire(dry_run=True)
    assert {item.rule for item in plan.expired} <= {"episodes 180 d", "made of what expires"}
    assert any("museum" in item.text for item in plan.expired) and objects(memory) >= {"Bremen", "walnuts"}
    clock.time += timedelta(days=200)
    plan = memory.expire(dry_run=True)
    assert any(item.rule == "stated 365 d" and "Bremen" in item.line() and "2027-06-01" in item.line() for item in plan.expired)
    assert plan.receipt is not None and plan.receipt.scanned_files == ()
    report = memory.expire()
    assert walnuts.id not in {item.id for item in report.expired}
    assert report.receipt.residue_hits == 0 and report.receipt.scanned_files
    assert "walnuts" in objects(memory) and "Bremen" not in objects(memory)
    assert memory.verify().problems == ()
    assert hits("I live in Bremen", kept(tmp_path / "home")) == 0 < hits("allergic to walnuts", kept(tmp_path / "home"))
    assert memory.expire().expired == ()


def test_what_expired_is_remembered_again_when_it_is_said_again(memory, clock):
    memory.configure(stated=365)
    clock.time += timedelta(days=400)
    memory.expire()
    memory.ingest(chat("s2", "2027-07-20T09:00:00+02:00", "I live in Bremen."))
    assert "Bremen" in objects(memory)


def test_transcripts_lose_what_nothing_quotes_and_keep_the_quotes(memory, clock, tmp_path):
    quotes = [(e.session, e.turn, e.start, e.end, e.quote) for s in memory.statements() for e in s.evidence]
    memory.configure(raw=30)
    clock.time += timedelta(days=29)
    assert memory.expire(dry_run=True).expired == ()
    clock.time += timedelta(days=2)
    plan = memory.expire(dry_run=True)
    assert {item.kind for item in plan.expired} == {"turn"} and not any("umbrella" in item.line() for item in plan.expired)
    report = memory.expire()
    assert report.receipt.residue_hits == 0
    for needle in ("dreadful", "purple umbrella", "tram was late"):
        assert hits(needle, kept(tmp_path / "home")) == 0
    assert [(e.session, e.turn, e.start, e.end, e.quote) for s in memory.statements() for e in s.evidence] == quotes
    assert memory.verify().problems == ()
    assert memory.ingest(chat("s1", STARTED, *TOLD)).recorded == ()
    assert memory.expire().expired == ()


def test_what_another_statement_needs_is_held_and_told(tmp_path, clock):
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as memory:
        memory.ingest(chat("s1", "2025-01-20T09:00:00+01:00", "I live in Bremen."))
        bremen = next(s for s in memory.statements() if s.object == "Bremen")
        memory.confirm(bremen.id, content_hash=bremen.content_hash)
        fixed = memory.correct(bremen.id, "Hamburg")
        memory.configure(stated=30)
        clock.time += timedelta(days=60)
        report = memory.expire()
        (held,) = [item for item in report.held if item.id == fixed.id]
        assert "it ended another statement that stays" in held.line()
        assert next(s for s in memory.statements() if s.id == bremen.id).status == "corrected"


def test_weak_suggestions_that_were_never_used_go(tmp_path, clock):
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as memory:
        talk = {
            "id": "s1", "started": STARTED,
            "turns": [
                {"role": "user", "text": "I live in Bremen."},
                {"role": "document", "text": "Ann works as a plumber. Ann has a dog."},
                {"role": "user", "text": "Maybe I like olives. I think I prefer tea."},
            ],
        }  # fmt: skip
        memory.ingest(talk)
        weak = [s for s in memory.statements() if s.tier == "inferred" and s.confidence < 0.9]
        memory.configure(suggestions=90, weak=0.9)
        clock.time += timedelta(days=80)
        assert memory.expire(dry_run=True).expired == ()
        clock.time += timedelta(days=20)
        due = {item.id for item in memory.expire(dry_run=True).expired if item.rule == "suggestions 90 d"}
        assert due and due <= {s.id for s in weak}
        found = memory.recall(next(s.text for s in weak if s.id in due), min_score=0, k=50)
        shown = [hit for hit in found.hits if hit.statement is not None and hit.statement.id in due]
        if shown:
            memory.note_use(found, used=[shown[0]])
            assert shown[0].statement.id not in {item.id for item in memory.expire(dry_run=True).expired}


def test_a_pause_holds_everywhere_and_shows_as_before(memory, tmp_path, clock):
    memory.pause()
    acts = (
        lambda m: m.ingest(chat("s2", STARTED, "I like jazz.")),
        lambda m: m.extract(),
        lambda m: m.remember("I like jazz."),
        lambda m: m.propose(
            [{"turn": "t2", "quote": "I'm allergic to walnuts.", "predicate": "note", "object": "walnuts"}], session="s1"
        ),
    )
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as other:
        head = other.verify().ledger_entries
        for opened in (memory, other):
            for act in acts:
                with pytest.raises(MemoryPaused, match="resume"):
                    act(opened)
        found = other.recall("Where does she live?")
        assert found.hits and other.start().text and other.on_turn("Where do I live?") is not None
        assert not other.note_use(found, []).noted
        assert other.verify().ledger_entries == head
        other.resume()
    memory.remember("I like jazz.")
    assert "jazz" in objects(memory)


def test_the_command_line_sets_pauses_and_expires(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "home"))

    def run(*words):
        code = command(list(words))
        out = capsys.readouterr()
        return code, out.out, out.err

    source = tmp_path / "talk.json"
    source.write_text(json.dumps(chat("s1", "2020-05-20T09:00:00+02:00", *TOLD)), encoding="utf-8")
    assert run("ingest", str(source), "--user", "ann")[0] == 0
    code, out, _ = run("settings", "episodes=180", "raw=30", "--user", "ann", "--json")
    assert code == 0 and json.loads(out)["raw"] == 30
    assert run("pause", "--user", "ann")[0] == 0
    code, _, err = run("remember", "I like jazz", "--user", "ann")
    assert code == 3 and "paused" in err
    code, out, _ = run("doctor", "--user", "ann")
    assert "paused" in out
    assert run("resume", "--user", "ann")[0] == 0
    code, out, _ = run("expire", "--dry-run", "--user", "ann")
    assert code == 0 and "nothing has outlived its term" in out
    assert run("settings", "raw=soon", "--user", "ann")[0] == 2


# ------------------------------------------------------------------ quotes only


def test_only_quotes_of_a_new_space_are_kept_and_the_search_would_have_found_the_rest(tmp_path, clock):
    unsaid = ("dreadful", "purple umbrella", "tram was late")
    talk = chat("s1", STARTED, *TOLD)
    with Memory.open(tmp_path / "whole", user="ann", clock=Clock()) as memory:
        memory.ingest(talk)
        whole = {(s.text, e.quote, e.start, e.end) for s in memory.statements() for e in s.evidence}
    with Memory.open(tmp_path / "quotes", user="ann", clock=Clock(), transcripts="quotes") as memory:
        memory.ingest(talk)
        assert {(s.text, e.quote, e.start, e.end) for s in memory.statements() for e in s.evidence} == whole
        assert memory.verify().problems == ()
        turns = memory._space.graph.turns()
        assert [len(turn.text) for turn in sorted(turns, key=lambda turn: turn.position)] == [len(text) for text in TOLD]
        assert memory.ingest(talk).turns == 0
        memory.rebuild()
        assert memory.verify().problems == ()
        assert memory.recall("Where does she live?").hits
    for needle in unsaid:
        assert hits(needle, kept(tmp_path / "quotes")) == 0 < hits(needle, kept(tmp_path / "whole"))


def test_a_session_that_grows_is_read_as_a_whole_and_kept_by_its_quotes(tmp_path, clock):
    asked = {"role": "assistant", "text": "Good morning to you. Where do you live?"}
    turns = [{"role": "user", "text": "Nothing much to say today, my umbrella broke."}, asked]
    grown = [*turns, {"role": "user", "text": "In Bremen."}]
    for mode in ("whole", "quotes"):
        with Memory.open(tmp_path / mode, user="ann", clock=Clock(), transcripts=mode) as memory:
            memory.ingest({"id": "s1", "started": STARTED, "turns": turns})
            memory.ingest({"id": "s1", "started": STARTED, "turns": grown})
            assert "Bremen" in objects(memory), mode
            assert memory.verify().problems == ()
    assert hits("umbrella", kept(tmp_path / "quotes")) == hits("Good morning", kept(tmp_path / "quotes")) == 0


def test_how_transcripts_are_kept_is_changed_for_new_sessions_only(memory, tmp_path, clock):
    memory.configure(transcripts="quotes")
    memory.ingest(chat("s2", STARTED, "The yellow submarine sank. I like jazz."))
    assert hits("yellow submarine", kept(tmp_path / "home")) == 0 < hits("purple umbrella", kept(tmp_path / "home"))
    with pytest.raises(InputError, match="configure"):
        Memory.open(tmp_path / "home", user="ann", clock=clock, transcripts="whole")


def test_where_only_quotes_are_kept_a_failing_extractor_leaves_nothing(tmp_path, clock):
    from graphmem.errors import ExtractionFailed
    from graphmem.extractors.rules import RuleExtractor

    class Failing(RuleExtractor):
        name = "failing"
        fails = True

        def extract(self, session):
            if self.fails:
                raise ExtractionFailed("down", "the model is down")
            return super().extract(session)

    extractor = Failing()
    with Memory.open(tmp_path, user="ann", clock=clock, transcripts="quotes") as memory:
        report = memory.ingest(chat("s1", STARTED, *TOLD), extractor=extractor)
        assert [one.session for one in report.waiting] == ["s1"] and "ingest it again" in report.waiting[0].problem
        assert memory.sessions() == []
        extractor.fails = False
        assert memory.ingest(chat("s1", STARTED, *TOLD), extractor=extractor).recorded
        assert memory.verify().problems == ()
    assert hits("umbrella", kept(tmp_path)) == 0


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6))
@settings(max_examples=200)
def test_gaps_and_spans_together_are_the_text(text, spans):
    spans = [(min(a, b, len(text)), min(max(a, b), len(text))) for a, b in spans]
    inside = {place for start, end in spans for place in range(start, end)}
    between = [place for start, end in gaps_of(text, spans) for place in range(start, end)]
    assert sorted([*inside, *between]) == list(range(len(text)))


def test_the_mark_of_what_was_not_kept_is_not_the_one_of_what_was_erased():
    from graphmem.personal.found import is_blank
    from graphmem.records import ERASED

    assert UNKEPT != ERASED and is_blank(UNKEPT * 3) and datetime.now(UTC).tzinfo is not None


def test_forgetting_everything_leaves_the_settings(memory):
    memory.configure(transcripts="quotes", raw=30)
    memory.pause()
    memory.forget(all=True)
    assert memory.settings() == Settings(transcripts="quotes", raw=30, learning=False)
    assert memory.verify().problems == ()


@pytest.mark.parametrize(
    "wrong",
    [{"episodes": True}, {"raw": "30"}, {"stated": 1.0}, {"weak": True}, {"weak": "0.5"}, {"preset": []}, {"preset": True}],
)
def test_a_term_is_a_whole_number_and_nothing_that_passes_for_one(memory, wrong):
    with pytest.raises(InputError):
        memory.configure(**wrong)
    assert memory.settings() == Settings()
    assert memory.configure(weak=1).weak == 1


def test_at_the_end_of_the_calendar_what_falls_behind_it_is_not_due(tmp_path):
    clock = Clock(datetime(9999, 12, 20, tzinfo=UTC))
    with Memory.open(tmp_path / "home", user="ann", clock=clock) as memory:
        memory.ingest(chat("s1", "9999-12-19T09:00:00+00:00", *TOLD))
        memory.configure(preset="short")
        assert memory.expire().expired == ()


def test_during_a_pause_a_correction_brings_nothing_else(memory):
    home = next(s for s in memory.statements() if s.object == "Bremen")
    before = len([s for s in memory.statements() if s.details.get("type") != "session"])
    memory.pause()
    memory.correct(home.id, "I live in Ghent, I am a vegan. I work at Acme. My sister is called Zorro.")
    now = [s for s in memory.statements() if s.details.get("type") != "session"]
    assert len(now) == before + 1 and any(s.object == "Ghent" for s in now)
    texts = " ".join(turn.text for turn in memory._space.graph.turns())
    assert "Ghent" in texts and "Acme" not in texts and "Zorro" not in texts
    with pytest.raises(MemoryPaused):
        memory.consolidate()
    assert memory.consolidate(dry_run=True).lost == 0


def test_an_audit_export_brings_the_settings_and_any_other_says_that_it_does_not(memory, tmp_path, clock):
    memory.configure(transcripts="quotes", raw=30)
    memory.pause()
    for profile in ("audit", "access"):
        memory.export(tmp_path / f"{profile}.json", format="json", profile=profile)
    with Memory.restore(tmp_path / "audit.json", home=tmp_path / "a", clock=clock) as back:
        assert back.settings() == memory.settings() and not back.settings().learning
        with pytest.raises(MemoryPaused):
            back.remember("I play chess.")
        assert back.verify().problems == ()
    with Memory.restore(tmp_path / "access.json", home=tmp_path / "b", clock=clock) as back:
        assert back.settings() == Settings()
        assert "settings were not in the export" in back.notices[-1]
