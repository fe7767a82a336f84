"""Reading transcript files: every format, detection, and what is refused."""

import json
import os
from datetime import UTC, datetime, timedelta, timezone
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.errors import GraphmemError, InputError, LimitExceeded, NaiveTime, SessionError, UnknownFormat
from graphmem.sessions import FORMATS, document, read

STARTED = datetime(2026, 5, 14, 10, 30, tzinfo=timezone(timedelta(hours=3)))
SESSION = {"id": "s1", "started": "2026-05-14T10:30:00+03:00", "turns": [{"role": "user", "text": "I live in Ghent."}]}
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "I live in Ghent."}, {"type": "image_url", "image_url": {"url": "x"}}],
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "content": "18 degrees"},
    {"role": "assistant", "content": "It is mild."},
]
CHATGPT = [
    {
        "title": "Ghent",
        "create_time": 1747200000.5,
        "conversation_id": "c-1",
        "current_node": "n4",
        "mapping": {
            "n1": {"id": "n1", "message": None, "parent": None, "children": ["n2"]},
            "n2": {
                "parent": "n1",
                "message": {
                    "id": "m2",
                    "author": {"role": "user"},
                    "create_time": 1747200010.0,
                    "content": {"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "I live in Ghent."]},
                },
            },
            "n3": {
                "parent": "n2",
                "message": {
                    "id": "m3",
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["An answer that was edited away."]},
                },
            },
            "n4": {
                "parent": "n2",
                "message": {
                    "id": "m4",
                    "author": {"role": "assistant"},
                    "create_time": None,
                    "content": {"content_type": "text", "parts": ["A fine town."]},
                },
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "k-1",
        "name": "Ghent",
        "created_at": "2026-05-14T10:30:00.123456Z",
        "chat_messages": [
            {
                "uuid": "u1",
                "sender": "human",
                "text": "",
                "content": [{"type": "text", "text": "I live in Ghent."}],
                "created_at": "2026-05-14T10:30:05Z",
                "attachments": [{"file_name": "a.txt", "extracted_content": "I am a contract."}],
            },
            {"uuid": "u2", "sender": "assistant", "text": "A fine town.", "created_at": "2026-05-14T10:30:09Z"},
        ],
    },
    {"uuid": "k-2", "name": "", "created_at": "2026-05-15T10:30:00Z", "chat_messages": []},
]
LOCOMO = {
    "sample_id": "conv-1",
    "qa": [],
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Hi Ben!"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red boat"},
        ],
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [],
        "session_3_date_time": "12:05 am on 10 May, 2023",
        "session_3": [{"speaker": "Ana", "dia_id": "D3:1", "text": "Back."}],
    },
}
TEXT = """# 2026-05-14T10:30+03:00 lunch
User: I live in Ghent.
And I work there.

assistant: Good.
Ada Byron: me too
# 2026-05-15T08:00Z
User: Morning.
"""


@pytest.fixture
def write(tmp_path):
    def make(content, name="chat.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return make


def turns(session):
    return [(turn.role, turn.speaker, turn.text) for turn in session.turns]


@pytest.mark.parametrize("value", [SESSION, [SESSION]])
def test_json_holds_one_session_or_a_list(write, value):
    assert [session.id for session in read(write(value))] == ["s1"]


def test_jsonl_holds_a_session_or_a_chat_on_each_line(write):
    chat = {"messages": MESSAGES, "started": "2026-05-15T10:30:00Z"}
    lines = "\n".join([json.dumps(SESSION), "", json.dumps(chat)])
    first, second = read(write(lines, "all.jsonl"))
    assert first.id == "s1" and len(second.turns) == 4


def test_chat_messages_become_turns_of_words(write):
    (session,) = read(write(MESSAGES), default_started=STARTED)
    assert turns(session) == [
        ("system", None, "Be brief."),
        ("user", None, "I live in Ghent."),
        ("tool", None, "18 degrees"),
        ("assistant", None, "It is mild."),
    ]
    assert session.started == STARTED and session.offset_minutes == 180


def test_tool_results_inside_a_message_of_the_user_are_not_the_users(write):
    parts = [
        {"type": "tool_result", "content": [{"type": "text", "text": "You live in Oslo."}]},
        {"type": "text", "text": "Thanks."},
    ]
    (session,) = read(write({"messages": [{"role": "user", "content": parts}]}), default_started=STARTED)
    assert turns(session) == [("tool", None, "You live in Oslo."), ("user", None, "Thanks.")]


@pytest.mark.parametrize("value", [MESSAGES, {"messages": MESSAGES}, "User: hello"])
def test_without_a_time_the_caller_must_give_one(write, value):
    path = write(value)
    os.utime(path, (1, 1))
    with pytest.raises(SessionError, match=r"chat\.json.*--started"):
        list(read(path))


def test_times_of_messages_are_taken_where_they_are(write):
    messages = [{"role": "user", "content": "Hi.", "created_at": 1747200000}, {"role": "assistant", "content": "Hello."}]
    (session,) = read(write({"messages": messages}))
    assert session.started == datetime.fromtimestamp(1747200000, UTC)


def test_chatgpt_exports_follow_the_path_to_the_current_node(write):
    (session,) = read(write(CHATGPT))
    assert (session.id, session.topic) == ("c-1", "Ghent")
    assert [(turn.id, turn.text) for turn in session.turns] == [("m2", "I live in Ghent."), ("m4", "A fine town.")]
    assert session.turns[1].time == session.turns[0].time == datetime.fromtimestamp(1747200010, UTC)


def test_chatgpt_exports_with_a_circle_are_refused(write):
    value = json.loads(json.dumps(CHATGPT))
    value[0]["mapping"]["n1"]["parent"] = "n4"
    with pytest.raises(SessionError, match="circle"):
        list(read(write(value)))


def test_claude_exports_keep_attachments_apart_and_drop_empty_conversations(write):
    (session,) = read(write(CLAUDE))
    assert session.id == "k-1"
    assert turns(session) == [
        ("user", None, "I live in Ghent."),
        ("document", None, "I am a contract."),
        ("assistant", None, "A fine town."),
    ]


def test_locomo_samples_become_sessions_with_the_ids_of_the_data(write):
    first, third = read(write([LOCOMO]))
    assert (first.id, third.id) == ("session_1", "session_3")
    assert [(turn.id, turn.speaker, turn.text) for turn in first.turns] == [
        ("D1:1", "Ana", "Hi Ben!"),
        ("D1:2", "Ben", "Look! [shares a photo: a red boat]"),
    ]
    assert first.turns[1].time == datetime(2023, 5, 8, 13, 56, 30, tzinfo=UTC)
    assert third.started == datetime(2023, 5, 10, 0, 5, tzinfo=UTC)
    assert [session.id for session in read(write([LOCOMO, LOCOMO | {"sample_id": "conv-2"}]))][::2] == [
        "conv-1/session_1",
        "conv-2/session_1",
    ]


@pytest.mark.shared
def test_locomo_is_read_as_the_benchmark_reads_it():
    path = Path(os.environ.get("GRAPHMEM_SHARED", "../shared")) / "data/locomo/locomo_dev.json"
    if not path.exists():
        pytest.skip("needs the shared data folder (GRAPHMEM_SHARED)")
    samples = json.loads(path.read_text(encoding="utf-8"))
    spoken = sum(len(v) for s in samples for k, v in s["conversation"].items() if isinstance(v, list))
    sessions = list(read(path))
    assert sum(len(session.turns) for session in sessions) == spoken
    assert len({session.id for session in sessions}) == len(sessions)


def test_text_lines_are_turns_and_what_follows_them_is_theirs(write):
    first, second = read(write(TEXT, "notes.txt"))
    assert turns(first) == [
        ("user", None, "I live in Ghent.\nAnd I work there."),
        ("assistant", None, "Good."),
        ("user", "Ada Byron", "me too"),
    ]
    assert (first.topic, first.offset_minutes) == ("lunch", 180)
    assert second.started == datetime(2026, 5, 15, 8, tzinfo=UTC)


def test_text_headings_without_an_offset_are_refused(write):
    with pytest.raises(NaiveTime, match=r"notes\.txt.*offset"):
        list(read(write("# 2026-05-14T10:30\nUser: hi", "notes.txt")))


def test_a_folder_is_read_in_the_order_of_its_names(write):
    write(SESSION | {"id": "b"}, "b.json")
    write(SESSION | {"id": "c"}, ".hidden.json")
    path = write(SESSION | {"id": "a"}, "a.json")
    assert [session.id for session in read(path.parent)] == ["a", "b"]


@pytest.mark.parametrize("content", ["", " \n\t", "\ufeff"])
def test_an_empty_file_is_no_format(write, content):
    with pytest.raises(UnknownFormat, match=r"chat\.json is empty"):
        list(read(write(content)))


def test_an_unknown_file_is_refused_with_the_reason_of_each_format(write):
    with pytest.raises(UnknownFormat) as caught:
        list(read(write({"weather": "fine"})))
    assert all(f"{name} (" in str(caught.value) for name in FORMATS)


def test_broken_json_is_named_by_line_and_column(write):
    with pytest.raises(SessionError, match=r"chat\.json: .*line 3, column 1"):
        list(read(write('[\n{"id": "s1",\n')))


def test_a_broken_line_of_jsonl_is_named_by_its_number(write):
    with pytest.raises(SessionError, match=r"all\.jsonl: line 2: broken JSON at column"):
        list(read(write(json.dumps(SESSION) + '\n{"id": ', "all.jsonl")))


def test_deep_nesting_is_an_error_of_the_session(write):
    with pytest.raises(SessionError, match="nested too deeply"):
        list(read(write("[" * 100_000)))


def test_a_format_that_was_asked_for_is_not_guessed(write):
    with pytest.raises(UnknownFormat, match=r"tried claude \("):
        list(read(write(SESSION), "claude"))
    with pytest.raises(InputError, match="unknown format 'word'"):
        read(write(SESSION), "word")


def test_missing_paths_empty_folders_and_naive_starts_are_refused(tmp_path, write):
    with pytest.raises(SessionError, match="does not exist"):
        read(tmp_path / "none.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SessionError, match="holds no files"):
        read(tmp_path / "empty")
    with pytest.raises(NaiveTime):
        read(write(SESSION), default_started=datetime(2026, 5, 14))


def test_a_file_that_is_too_large_or_no_text_is_refused(write, monkeypatch):
    path = write(SESSION)
    monkeypatch.setattr(document, "MAX_FILE", 10)
    with pytest.raises(LimitExceeded, match="the limit is 10"):
        list(read(path))
    monkeypatch.undo()
    path.write_bytes(b"User: \xff\xfe\x00")
    with pytest.raises(SessionError, match="save it as UTF-8"):
        list(read(path))


def test_a_file_in_utf_16_is_read_by_its_mark(write):
    path = write("")
    path.write_bytes(json.dumps(SESSION).encode("utf-16"))
    assert [session.id for session in read(path)] == ["s1"]


def test_faults_in_a_session_name_the_file(write):
    value = SESSION | {"turns": [{"role": "narrator", "text": "x"}]}
    with pytest.raises(SessionError, match=r"^chat\.json: session 's1', turn 1: unknown role 'narrator'"):
        list(read(write(value)))


def test_the_example_transcripts_are_read():
    folder = files("graphmem.data") / "transcripts"
    sessions = list(read(Path(str(folder / "mira.jsonl"))))
    assert len(sessions) == 5
    assert sessions == sorted(sessions, key=lambda session: session.started)
    assert [len(list(read(Path(str(folder / "notes.txt")))))] == [1]


SAMPLES = [json.dumps(value) for value in (SESSION, MESSAGES, CHATGPT, CLAUDE, LOCOMO)] + [TEXT, json.dumps(SESSION) * 2]
PIECES = st.sampled_from(
    ['"', "{", "[", "null", "1e999", "\n", "-1", '"x"', "\ud800", "[]", "{}", "true", "\r", ": ", "#", "9" * 400]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(SAMPLES), st.integers(0, 1000), st.integers(0, 40), PIECES)
def test_damaged_files_are_read_or_refused_with_a_named_error(tmp_path, sample, place, length, piece):
    place %= len(sample)
    path = tmp_path / "damaged.json"
    path.write_bytes((sample[:place] + piece + sample[place + length :]).encode("utf-8", "surrogatepass"))
    try:
        list(read(path, default_started=STARTED))
    except GraphmemError as error:
        assert "\n" not in str(error) and "damaged.json" in str(error)
    path.write_text(
        sample.replace(sample[place : place + 1 + length], piece.encode("utf-8", "replace").decode(), 3), encoding="utf-8"
    )
    try:
        list(read(path, default_started=STARTED))
    except GraphmemError as error:
        assert "\n" not in str(error) and "damaged.json" in str(error)
