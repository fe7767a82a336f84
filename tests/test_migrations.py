"""Stores of earlier formats open, say the same as before, and keep every hash."""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, failpoints, payloads
from graphmem.chain import GENESIS
from graphmem.errors import LedgerDamaged, StoreNewer
from graphmem.ledger import Ledger
from graphmem.ledger_schema import SCHEMA_VERSION, SCHEMAS, STEPS, parts, parts_in

GOLDEN = Path(__file__).parent / "golden"
STORES = sorted(path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("ledger-*.tar.xz"))
START = datetime(2027, 1, 1, tzinfo=UTC)


def unpacked(name, folder):
    """The home in a golden archive."""
    with tarfile.open(GOLDEN / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    [home] = folder.iterdir()
    return home


def clock_from(start):
    ticks = [start]

    def clock():
        ticks[0] += timedelta(seconds=1)
        return ticks[0]

    return clock


def golden(path, **options):
    return Ledger(path, clock=clock_from(START), entropy=os.urandom, owner=("golden", "default"), **options)


def file_in(home):
    [path] = home.rglob("ledger.sqlite")
    return path


def raw_hashes(path):
    """Hashes as the file holds them, whatever its schema."""
    db = sqlite3.connect(path)
    rows = [row[0] for row in db.execute("SELECT hash FROM entry ORDER BY seq")]
    db.close()
    return [row.hex() if isinstance(row, bytes) else row for row in rows]


@pytest.fixture
def first(tmp_path):
    """The ledger file of the first format."""
    return file_in(unpacked("ledger-1", tmp_path / "golden"))


def test_there_is_a_golden_store_of_every_format():
    assert [f"ledger-{number}" for number in range(1, SCHEMA_VERSION + 1)] == STORES
    assert [number for number, _ in STEPS] == list(range(2, SCHEMA_VERSION + 1))
    assert sorted(SCHEMAS) == list(range(1, SCHEMA_VERSION + 1))


@pytest.mark.parametrize("name", STORES)
def test_a_golden_store_says_what_it_said(name, tmp_path):
    home = unpacked(name, tmp_path / "golden")
    wanted = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    for _ in range(2):
        with Memory.open(home, user="golden", clock=clock_from(START)) as memory:
            report = memory.verify()
            assert report.problems == ()
            assert report.ledger_head == wanted["head"]
            assert [s.model_dump(mode="json") for s in memory.statements()] == wanted["statements"]
            assert [c.model_dump(mode="json") for c in memory.changes()] == wanted["changes"]
    with Memory.open(home, user="golden", clock=clock_from(START)) as memory:
        memory.remember("I live in Faro")
        assert memory.verify().problems == ()


def test_both_formats_of_the_same_words_have_the_same_head():
    heads = {json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["head"] for name in STORES}
    assert len(heads) == 1


def test_a_migration_keeps_every_hash_and_every_number_of_every_vector(first):
    before = raw_hashes(first)
    db = sqlite3.connect(first)
    vectors = db.execute("SELECT seq, id, owner, kind, model, data FROM vector ORDER BY seq, id").fetchall()
    bodies = db.execute("SELECT body FROM payload ORDER BY seq").fetchall()
    names = db.execute("SELECT subject, seq FROM subject ORDER BY subject, seq").fetchall()
    db.close()
    ledger = golden(first)
    assert ledger.migrated_from == 1
    assert ledger.damage is None
    assert [entry.hash for entry in ledger.entries()] == before
    assert [(seq, *row) for seq, rows in ledger.vectors().items() for row in rows] == vectors
    assert [entry.body for entry in ledger.entries()] == [None if body is None else json.loads(body) for (body,) in bodies]
    assert sorted((name, entry.seq) for name in {n for n, _ in names} for entry in ledger.about(name)) == names
    ledger.close()
    assert raw_hashes(first) == before
    again = golden(first)
    assert again.migrated_from is None
    assert again.check().problems == ()
    again.close()


def test_nothing_of_the_old_rows_stays_in_the_file(first):
    db = sqlite3.connect(first)
    [body] = db.execute("SELECT body FROM payload WHERE body LIKE '%oat milk%' AND body LIKE '%\"turns\"%'").fetchone()
    db.close()
    ledger = golden(first)
    ledger.close()
    held = first.read_bytes()
    assert body.encode() not in held
    assert b'"delta":{"sessions"' not in held
    assert not [path for path in first.parent.iterdir() if path.name.startswith("ledger.sqlite-")]
    db = sqlite3.connect(first)
    assert db.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert parts_in(db) == parts(SCHEMA_VERSION)
    db.close()


OPENING = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from graphmem.errors import GraphmemError
from graphmem.ledger import Ledger
try:
    ledger = Ledger(Path(sys.argv[1]), clock=lambda: datetime(2027, 1, 1, tzinfo=UTC), entropy=os.urandom,
                    owner=("golden", "default"), trusted=len(sys.argv) > 2)
except GraphmemError as error:
    print(type(error).__name__)
else:
    ledger.close()
"""


def opened(path, point, *arguments):
    environment = {**os.environ, "GRAPHMEM_FAILPOINT": point}
    return subprocess.run(
        [sys.executable, "-c", OPENING, str(path), *arguments], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("point", ["migrate.begun", "migrate.step", "migrate.before-commit"])
@pytest.mark.parametrize("action", ["exit", "enospc", "eio"])
def test_a_migration_that_stops_leaves_one_format_or_the_other(first, point, action):
    before = raw_hashes(first)
    out = opened(first, f"{point}={action}", *(["trusted"] if action == "eio" else []))
    if action == "exit":
        assert out.returncode == failpoints.EXIT
    else:
        assert out.stdout.strip() == {"enospc": "StoreFull", "eio": "StoreError"}[action], out.stderr
    db = sqlite3.connect(first)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    assert version in (1, 2)
    assert parts_in(db) == parts(version)
    db.close()
    assert raw_hashes(first) == before
    ledger = golden(first)
    assert ledger.check().problems == ()
    assert [entry.hash for entry in ledger.entries()] == before
    ledger.close()


def test_the_rewriting_after_a_migration_is_made_up_for(first, monkeypatch):
    from graphmem import ledger_files as module

    monkeypatch.setattr(module, "rewrite", lambda db, path: None)
    golden(first).close()
    monkeypatch.undo()
    db = sqlite3.connect(first)
    assert db.execute("PRAGMA freelist_count").fetchone()[0] > 0
    db.close()
    assert b'"delta":{"sessions"' not in first.read_bytes()  # what is free is blank
    golden(first).close()
    db = sqlite3.connect(first)
    assert db.execute("PRAGMA freelist_count").fetchone() == (0,)
    db.close()


@pytest.mark.parametrize("trusted", [False, True])
def test_a_damaged_ledger_of_an_earlier_format_is_read_and_not_migrated(first, trusted):
    hashes = raw_hashes(first)
    db = sqlite3.connect(first)
    db.execute("UPDATE payload SET body = replace(body, 'nurse', 'baker') WHERE seq = 4")
    db.commit()
    db.close()
    before = first.read_bytes()
    ledger = golden(first, trusted=trusted)
    assert ledger.damage == "entry 4: the payload was altered"
    assert [entry.hash for entry in ledger.entries()] == hashes[:3]
    assert [entry.seq for entry in ledger.about("s1")] == [1, 2, 3]
    with pytest.raises(LedgerDamaged, match="reading only"):
        ledger.append("op", [], at=ledger.now())
    ledger.close()
    assert first.read_bytes() == before


@pytest.mark.parametrize("trusted", [False, True])
def test_a_newer_format_is_refused_and_left_alone(first, trusted):
    db = sqlite3.connect(first)
    db.execute("PRAGMA user_version = 99")
    db.close()
    before = {path.name: path.read_bytes() for path in first.parent.iterdir() if path.is_file()}
    with pytest.raises(StoreNewer, match="update graphmem"):
        golden(first, trusted=trusted)
    assert {path.name: path.read_bytes() for path in first.parent.iterdir() if path.is_file()} == before


def test_what_is_released_of_the_formats_does_not_change():
    """A dictionary or a schema that changes makes ledgers unreadable: add a new one instead."""
    digests = {
        "dictionary 1": hashlib.sha256(payloads.dictionary(payloads.DEFLATED)).hexdigest()[:16],
        **{f"schema {number}": hashlib.sha256(text.encode()).hexdigest()[:16] for number, text in SCHEMAS.items()},
    }
    assert digests == RELEASED
    assert GENESIS == "0" * 64


RELEASED = {"dictionary 1": "25bd8db9201105f8", "schema 1": "e9b695928ab17bb4", "schema 2": "3b75d090629d93a0"}
