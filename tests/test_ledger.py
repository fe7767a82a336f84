"""The ledger: append-only, chained, idempotent, and honest about damage."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from graphmem.errors import LedgerDamaged, StoreError, StoreNewer
from graphmem.ledger import Draft, Ledger, Vector

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
        ('UPDATE payload SET body = \'{"text":"x"}\' WHERE seq = 2', (), "payload of entry 2"),
        ("DELETE FROM entry WHERE seq = 2", (), "entry 2"),
        ("UPDATE payload SET body = NULL, salt = NULL WHERE seq = 3", (), "entry 3 is missing"),
    ],
)
def test_the_first_bad_entry_is_named(ledger, statement, values, told):
    ledger.append("op", [note(str(n)) for n in range(4)], at=ledger.now())
    tamper(ledger, "PRAGMA foreign_keys=OFF")
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


def test_a_file_that_is_no_ledger_is_named(tmp_path, clock):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"not a database, not at all" * 100)
    with pytest.raises(LedgerDamaged, match="cannot be read"):
        Ledger(path, clock=clock, entropy=bytes, owner=("a", "b"))
