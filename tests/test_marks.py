"""The index of marks is a projection of the ledger: whatever happens to its file, plans are the same."""

from __future__ import annotations

import hashlib
import sqlite3

import pytest
from build import World, claim, session

from graphmem import Memory
from graphmem.marks import MARKS, VERSION, Marks, finder
from graphmem.pairing import posts, seeks


def lines(*texts, day=14):
    return {"started": f"2026-05-{day}T10:00:00Z", "turns": [{"role": "user", "text": text} for text in texts]}


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, user="ana") as opened:
        opened.ingest(lines("I live in Oslo", "I like olives", "I work at Acme as a baker"))
        yield opened


def path_of(memory):
    return memory._space.folder / MARKS


def content(memory):
    """What the index holds once it is brought up."""
    space = memory._space
    with space.writing(), finder(space):
        pass
    index = Marks(path_of(memory), secret=space.ledger.secret)
    try:
        return list(index.all())
    finally:
        index.close()


def expected(memory):
    """What it should hold, from the graph."""
    index = Marks(path_of(memory), secret=memory._space.ledger.secret)
    try:
        nodes = memory._space.graph.nodes()
        return sorted({(index._hashed(mark), node.record.id) for node in nodes for mark in posts(node.record)})
    finally:
        index.close()


def test_the_index_holds_every_statement_under_all_its_marks(memory):
    assert content(memory) == expected(memory) != []


def test_an_index_that_is_behind_is_brought_up(memory):
    content(memory)
    old = path_of(memory).read_bytes()
    memory.ingest(lines("I moved to Bergen", "I speak Norwegian", day=20))
    content(memory)
    path_of(memory).write_bytes(old)
    assert content(memory) == expected(memory)


@pytest.mark.parametrize("harm", ["gone", "empty", "text", "torn", "older release", "no table", "another history"])
def test_a_harmed_index_is_made_anew_and_the_plan_is_the_same(memory, harm, tmp_path):
    content(memory)
    path = path_of(memory)
    if harm == "gone":
        path.unlink()
    elif harm == "empty":
        path.write_bytes(b"")
    elif harm == "text":
        path.write_text("no database\n" * 500)
    elif harm == "torn":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        with sqlite3.connect(path) as db:
            if harm == "older release":
                db.executescript(f"DELETE FROM mark; PRAGMA user_version = {VERSION + 1};")
            elif harm == "no table":
                db.execute("DROP TABLE mark")
            else:
                db.execute("UPDATE place SET hash = 'f'")
                db.execute("DELETE FROM mark")
        db.close()
    memory.ingest(lines("I moved from Oslo to Bergen", day=20))
    assert "superseded" in [s.status for s in memory.statements() if s.object == "Oslo"]
    assert content(memory) == expected(memory)


def test_without_an_index_every_statement_is_looked_at(memory):
    path = path_of(memory)
    path.unlink(missing_ok=True)
    path.mkdir()
    memory.ingest(lines("I moved from Oslo to Bergen", day=20))
    assert "superseded" in [s.status for s in memory.statements() if s.object == "Oslo"]
    assert any(MARKS in notice for notice in memory._space.notices)


def test_no_word_stands_in_the_index(memory):
    content(memory)
    data = b"".join(p.read_bytes() for p in path_of(memory).parent.glob(MARKS + "*"))
    assert not [word for word in (b"Oslo", b"oslo", b"olives", b"Acme", b"baker", b"lives_in") if word in data]


def test_the_index_goes_with_what_was_erased(memory):
    content(memory)
    gone = next(s for s in memory.statements() if s.object == "Oslo")
    memory.forget(id=gone.id)
    assert content(memory) == expected(memory)
    assert gone.id not in {statement for _, statement in content(memory)}


def test_a_change_of_the_marks_needs_a_new_version():
    """Where this fails `pairing.posts` or `seeks` gives other marks than before: count `marks.VERSION` up, then put it here."""
    world, text = World(), "I like green tea a lot, not 2 sisters, no longer in Oslo"
    world.take(
        session(1, text),
        [
            claim("likes", "green tea", text=text, kind="preference"),
            claim("lives_in", "Oslo", text=text, temporal="ended"),
            claim("has_family", "2 sisters", text=text, polarity="negative"),
            claim("wants", "a lot", text=text, modality="intended", temporal="future"),
        ],
    )
    marks = sorted(mark for node in world.graph.nodes() for mark in (*posts(node.record), "?", *seeks(node.record)))
    assert (VERSION, hashlib.sha256("\n".join(marks).encode()).hexdigest()[:16]) == (3, "26f3e4e6f567bde1")
