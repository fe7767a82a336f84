"""The ledger: append-only, chained, idempotent, and honest about damage."""

import contextlib
import hashlib
import json
import sqlite3
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import payloads, vectors
from graphmem.chain import names_text
from graphmem.errors import ModelError, StoreError, StoreNewer
from graphmem.ledger import Draft, Ledger, Vector, canonical, entry_hash
from graphmem.records import key

START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.time = START

    def __call__(self):
        return self.time


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    counter = iter(range(10**6))
    made = Ledger(
        tmp_path / "ledger.sqlite",
        clock=clock,
        entropy=lambda n: next(counter).to_bytes(n, "big"),
        owner=("alice", "default"),
    )
    yield made
    made.close()


def note(text):
    return Draft("statement recorded", ("s1",), {"delta": {}, "text": text})


def tamper(ledger, statement, *values):
    """Change the file the way someone with a SQLite shell could."""
    with sqlite3.connect(ledger.path) as db:
        db.execute("DROP TRIGGER IF EXISTS entry_is_final")
        db.execute("DROP TRIGGER IF EXISTS entry_stays")
        db.execute(statement, values)
    db.close()


def test_entries_come_back_in_order_with_their_bodies(ledger):
    ledger.append("op1", [note("a"), note("b")], at=ledger.now())
    ledger.append("op2", [note("ü 😀")], at=ledger.now())
    assert [(e.seq, e.body["text"]) for e in ledger.entries()] == [(1, "a"), (2, "b"), (3, "ü 😀")]
    assert [e.seq for e in ledger.entries(after=2)] == [3]
    assert [e.seq for e in ledger.about("s1")] == [1, 2, 3]
    assert ledger.check().problems == ()


def test_an_operation_is_applied_once(ledger):
    first = ledger.append("op", [note("a")], at=ledger.now())
    again = ledger.append("op", [note("a")], at=ledger.now())
    assert len(first) == 1
    assert again == []
    assert ledger.head()[0] == 1


def test_recorded_time_never_runs_backwards(ledger, clock):
    ledger.append("op1", [note("a")], at=ledger.now())
    clock.time = START - timedelta(days=3)
    ledger.append("op2", [note("b")], at=ledger.now())
    times = [e.at for e in ledger.entries()]
    assert times == sorted(times)


def test_entries_cannot_be_changed_or_deleted_through_sql(ledger):
    ledger.append("op", [note("a")], at=ledger.now())
    db = sqlite3.connect(ledger.path)
    with pytest.raises(sqlite3.DatabaseError, match="final"):
        db.execute("UPDATE entry SET type = 'x'")
    with pytest.raises(sqlite3.DatabaseError, match="final"):
        db.execute("DELETE FROM entry")
    db.close()


@pytest.mark.parametrize(
    ("statement", "values", "told"),
    [
        ("UPDATE entry SET actor = 'mallory' WHERE seq = 2", (), "entry 2"),
        ('UPDATE payload SET body = \'{"text":"x"}\' WHERE seq = 2', (), "entry 2: the payload was altered"),
        ("DELETE FROM entry WHERE seq = 2", (), "entry 2"),
        (
            "UPDATE payload SET body = NULL, salt = NULL WHERE seq = 3",
            (),
            "entry 3: the payload is missing and no erasure names it",
        ),
    ],
)
def test_the_first_bad_entry_is_named(ledger, statement, values, told):
    ledger.append("op", [note(str(n)) for n in range(4)], at=ledger.now())
    tamper(ledger, statement, *values)
    problems = ledger.check().problems
    assert len(problems) == 1
    assert told in problems[0]


def test_blanked_payloads_leave_the_chain_whole_if_an_erasure_names_them(ledger):
    ledger.append("op", [note("secret-word"), note("other")], at=ledger.now())
    head = ledger.head()
    ledger.append("erase", [Draft("erased", (), {"blanked": [1], "counts": {}})], at=ledger.now())
    ledger.blank([1], [])
    assert ledger.check().problems == ()
    assert [e.body is None for e in ledger.entries()] == [True, False, False]
    assert ledger.head()[0] == head[0] + 1
    ledger.close()
    assert all(b"secret-word" not in p.read_bytes() for p in ledger.path.parent.iterdir())


def test_vectors_are_kept_by_entry_and_go_with_their_owner(ledger):
    vectors = [Vector("v1", "s1", "statement", "m", b"\x00<", 0), Vector("v2", "t1", "turn", "m", b"\x01<", 1)]
    ledger.append("op", [note("a"), note("b")], vectors, at=ledger.now())
    assert ledger.vectors() == {
        1: [("v1", "s1", "statement", "m", b"\x00<")],
        2: [("v2", "t1", "turn", "m", b"\x01<")],
    }
    ledger.blank([], ["t1"])
    assert list(ledger.vectors()) == [1]


def test_another_owner_is_refused(ledger, clock):
    with pytest.raises(StoreError, match="another user"):
        Ledger(ledger.path, clock=clock, entropy=bytes, owner=("bob", "default"))


def test_a_newer_schema_is_refused(ledger, clock):
    tamper(ledger, "PRAGMA user_version=99")
    with pytest.raises(StoreNewer, match="update graphmem"):
        Ledger(ledger.path, clock=clock, entropy=bytes, owner=("alice", "default"))


def test_the_bytes_that_were_kept_of_a_payload_are_gone_after_an_erasure(ledger):
    long = " ".join(f"word{n * n}" for n in range(60))
    ledger.append("op", [note("secret-word"), note(long), note("stays")], at=ledger.now())
    held = [part for part in ledger.stored([1, 2]) if len(set(part)) > 8]  # without the salts, which are numbers here
    assert all(b"word" not in part[20:] for part in held[1:])  # the long one is deflated
    ledger.append("erase", [Draft("erased", (), {"blanked": [1, 2]})], at=ledger.now())
    ledger.fold()
    assert all(part in ledger.path.read_bytes() for part in held)
    ledger.blank([1, 2], [])
    assert ledger.stored([1, 2]) == []
    pieces = [part[start : start + 12] for part in held for start in range(len(part) - 12)]
    for path in ledger.path.parent.iterdir():
        data = path.read_bytes()
        assert [piece for piece in pieces if piece in data] == []
    assert [e.body and e.body.get("text") for e in ledger.entries()] == [None, None, "stays", None]


def test_vectors_of_pairs_go_alone(ledger):
    turn = key("t", "s", "1")
    vectors = [Vector(key("v", turn, kind, "m"), turn, kind, "m", kind.encode() * 3, 0) for kind in ("turn", "pair")]
    ledger.append("op", [note("a")], vectors, at=ledger.now())
    ledger.blank([], [], [turn])
    assert [row[2] for row in ledger.vectors()[1]] == ["turn"]
    assert ledger.check().problems == ()
    ledger.blank([], [turn])
    assert ledger.vectors() == {}
    assert ledger.check().problems == ()


def test_a_vector_that_is_there_is_not_kept_twice(ledger):
    vector = Vector(key("v", "x", "turn", "m"), "x", "turn", "m", b"abc", 0)
    ledger.append("op1", [note("a")], [vector], at=ledger.now())
    ledger.append("op2", [note("b")], [vector._replace(data=b"xyz")], at=ledger.now())
    assert ledger.vectors() == {1: [(vector.id, "x", "turn", "m", b"abc")]}
    assert ledger.check().problems == ()


def test_history_gives_entries_with_their_vectors_in_order(ledger, monkeypatch):
    monkeypatch.setattr("graphmem.ledger.CHUNK", 4)
    for number in range(11):
        vectors = [Vector(f"v{number}{n}", f"o{number}{n}", "turn", "m", bytes([number, n]), n % 2) for n in range(number % 4)]
        ledger.append(f"op{number}", [note("a"), note("b")], vectors, at=ledger.now())
    whole = list(ledger.history())
    assert [entry for entry, _ in whole] == list(ledger.entries())
    assert {entry.seq: rows for entry, rows in whole if rows} == ledger.vectors()
    assert [entry.seq for entry, _ in ledger.history(after=17)] == [18, 19, 20, 21, 22]
    # An iterator that was left in the middle keeps nothing from being written or rewritten.
    begun, read = ledger.history(), ledger.entries()
    next(begun), next(read)
    ledger.append("more", [note("c")], at=ledger.now())
    ledger.blank([], ["o11"])
    assert [entry.seq for entry in read][-1] == 22


def test_a_ledger_is_read_a_few_entries_at_a_time(ledger):
    import tracemalloc

    for number in range(12):
        ledger.append(f"op{number}", [note(f"{number} {n} " + "x" * 3000) for n in range(256)], at=ledger.now())
    tracemalloc.start()
    seen = sum(1 for _ in ledger.history())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == 12 * 256
    assert peak < 6_000_000  # all at once would be 10 MB of text alone


@pytest.mark.parametrize(
    "subjects",
    [
        (),
        ("",),
        ("s1", "s1"),
        ("s_" + "0f" * 12,),
        ("s_" + "0F" * 12, "ss_" + "0f" * 12),
        ("ü😀", "a\x00b", "x" * 5000),
        ("_", "{", "z_"),
    ],
)
def test_any_names_can_be_what_an_entry_is_about(ledger, subjects):
    [made] = ledger.append("ö\n", [Draft("ü", subjects, {}, 'a"b', "r")], at=ledger.now())
    assert list(ledger.entries()) == [made]
    assert all(ledger.about(name) == [made] for name in subjects)
    assert ledger.knows("ö\n")
    assert not ledger.knows("ö")
    assert ledger.check().problems == ()


def test_more_words_than_are_remembered_are_all_found(ledger, monkeypatch):
    monkeypatch.setattr("graphmem.ledger_layouts._CACHED", 3)
    for number in range(300):
        ledger.append(f"op{number}", [Draft(f"type {number}", (f"name {number}",), {})], at=ledger.now())
    assert [(e.type, e.subjects) for e in ledger.entries()] == [(f"type {n}", (f"name {n}",)) for n in range(300)]
    assert [e.seq for e in ledger.about("name 257")] == [258]
    assert ledger.check().problems == ()


def test_sessions_are_known_by_the_entry_that_records_them(ledger):
    ledger.append("op", [Draft("session recorded", ("s7",), {}), Draft("statement recorded", ("s8",), {})], at=ledger.now())
    assert [ledger.knows_session(name) for name in ("s7", "s8", "s9")] == [True, False, False]


def test_what_was_carried_out_is_noted(ledger, clock):
    assert ledger.carried_out() == 0
    ledger.append("e", [Draft("erased", (), {"blanked": []})], at=ledger.now())
    assert [entry.seq for entry in ledger.erasures()] == [1]
    ledger.mark_carried_out(1)
    ledger.close()
    again = Ledger(ledger.path, clock=clock, entropy=bytes, owner=("alice", "default"))
    assert (again.damage, again.carried_out()) == (None, 1)
    again.close()


def test_a_backup_is_one_file_that_holds_what_was_there(ledger, clock, tmp_path):
    ledger.append("op1", [note("a"), note("b")], [Vector("v", "o", "turn", "m", b"abc", 0)], at=ledger.now())
    target = tmp_path / "copies" / "ledger.sqlite"
    target.parent.mkdir()
    ledger.backup(target)
    ledger.append("op2", [note("c")], at=ledger.now())
    assert [path.name for path in target.parent.iterdir()] == ["ledger.sqlite"]
    assert target.read_bytes()[18:20] == b"\x01\x01"  # not in the mode that needs a log beside it
    with pytest.raises(StoreError, match="there already"):
        ledger.backup(target)
    copy = Ledger(target, clock=clock, entropy=bytes, owner=("alice", "default"), create=False)
    assert copy.damage is None
    assert list(copy.history()) == list(ledger.history())[:2]
    assert copy.append("op2", [note("c")], at=copy.now())[0].seq == 3
    copy.close()
    with pytest.raises(StoreError):
        ledger.backup(tmp_path / "nowhere" / "ledger.sqlite")
    assert not (tmp_path / "nowhere").exists()


def test_a_closed_ledger_stands_for_itself_and_says_that_it_is_closed(ledger):
    ledger.append("op", [note("a")], at=ledger.now())
    ledger.close()
    ledger.close()
    assert [path.name for path in ledger.path.parent.iterdir()] == ["ledger.sqlite"]
    for used in (
        ledger.head, ledger.truncate, ledger.fold, ledger.check, ledger.erasures, lambda: list(ledger.entries()),
        lambda: ledger.append("x", [note("a")], at=START), lambda: ledger.blank([1], []), lambda: ledger.mark_carried_out(1),
        lambda: ledger.backup(ledger.path.with_name("copy")), lambda: ledger.about("s1"), lambda: ledger.vectors(),
    ):  # fmt: skip
        with pytest.raises(StoreError, match="closed"):
            used()


def test_opening_writes_nothing_that_is_not_needed(ledger, clock):
    ledger.append("op", [note("a")], at=ledger.now())
    ledger.close()
    before = ledger.path.read_bytes()
    for trusted in (False, True):
        again = Ledger(ledger.path, clock=clock, entropy=bytes, owner=("alice", "default"), trusted=trusted)
        list(again.entries())
        again.close()
    assert ledger.path.read_bytes() == before


def test_the_cost_of_appending_does_not_grow(ledger):
    """Counted in pages that SQLite asks for, which unlike time is the same in every run."""

    def steps():
        count = [0]
        ledger._db.set_progress_handler(lambda: count.__setitem__(0, count[0] + 1), 1)
        ledger.append(
            f"op{ledger.head()[0]}", [note("a")], [Vector("", f"o{ledger.head()[0]}", "turn", "m", b"abc", 0)], at=ledger.now()
        )
        ledger._db.set_progress_handler(None, 0)
        return count[0]

    few = max(steps() for _ in range(5))
    for number in range(40):
        ledger.append(f"many{number}", [note("x") for _ in range(50)], at=ledger.now())
    assert max(steps() for _ in range(5)) <= few * 1.1


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["ab" * 12, "0f" * 32, "s_" + "12" * 12]
)


@given(st.dictionaries(TEXT, TEXT | st.integers() | st.none() | st.lists(TEXT), max_size=8), st.integers(1, 200))
def test_a_payload_is_unpacked_as_it_was_packed(body, times):
    for text in (canonical(body), canonical([body] * times), *body):
        codec, data = payloads.pack(text)
        assert payloads.unpack(codec, data) == text
        assert len(data) <= len(text.encode())


@given(st.binary(max_size=200), st.integers(0, 3))
def test_bytes_that_are_no_payload_are_refused(data, codec):
    with contextlib.suppress(ValueError):
        payloads.unpack(codec, data)


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.integers()),
)
def test_a_hash_is_taken_over_canonical_json(prev, fields):
    wanted = hashlib.sha256((prev + json.dumps(fields, ensure_ascii=False, separators=(",", ":"))).encode()).hexdigest()
    assert entry_hash(prev, fields) == wanted
    names = [field for field in fields if isinstance(field, str)]
    assert names_text(names) == canonical(names)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=400).filter(lambda row: max(map(abs, row)) > 1e-6))
def test_a_vector_keeps_its_direction(numbers):
    vector = np.array(numbers, dtype=np.float32)
    vector /= np.linalg.norm(vector)
    data = vectors.pack(vector)
    assert len(data) == len(numbers) | 1
    kept = np.array(vectors.unpack(data), dtype=np.float32)
    assert kept.shape == vector.shape
    assert abs(float(np.linalg.norm(kept)) - 1) < 1e-6
    # Each number is off by half a step at most, and the largest number is 127 steps.
    largest = float(np.abs(vector).max())
    assert float(np.linalg.norm(kept - vector)) <= len(numbers) ** 0.5 * largest / 127
    assert vectors.pack(kept) == data


def test_a_vector_of_the_first_release_is_read_as_it_was_kept():
    vector = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    assert vectors.unpack(vector.astype("<f2").tobytes()) == tuple(vector.astype("<f2").astype(np.float32).tolist())


def test_vectors_at_the_edge():
    assert vectors.unpack(vectors.pack(np.zeros(4, dtype=np.float32))) == (0.0, 0.0, 0.0, 0.0)
    for bad in (np.nan, np.inf):
        with pytest.raises(ModelError, match="not finite"):
            vectors.pack(np.array([0.1, bad], dtype=np.float32))
