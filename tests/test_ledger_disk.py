"""The ledger on a disk that is full, fails or is in use: named errors, nothing or everything, and a repeat that works."""

import errno
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import failpoints
from graphmem.errors import LedgerDamaged, ReadOnlyStore, StoreError, StoreFull, StoreLocked
from graphmem.faults import fault
from graphmem.ledger import Draft, Ledger

START = datetime(2026, 1, 1, tzinfo=UTC)

# A process that writes operations of two entries with vectors until it is refused, says what it was told, then lets go of
# the limit, repeats what was refused and says what there is.
WRITER = r"""
import json, random, signal, sys
from datetime import UTC, datetime
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.ledger import Draft, Ledger, Vector

path, limit, what = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
START = datetime(2026, 1, 1, tzinfo=UTC)
draw = random.Random(5)
said = []

def opened():
    return Ledger(path, clock=lambda: START, entropy=draw.randbytes, owner=("a", "b"))

def tell(error):
    said.append(type(error).__name__)
    assert isinstance(error, GraphmemError), repr(error)

def operation(number):
    drafts = [Draft("noted", (f"n{number}",), {"n": number, "x": draw.randbytes(900).hex()}) for _ in range(2)]
    vectors = [Vector(f"v{number}", f"o{number}", "turn", "m", draw.randbytes(385), 0)]
    return f"op{number}", drafts, vectors

def use(ledger, number):
    ledger.append(*operation(number), at=START)

def limited(size):
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size if size > 0 else resource.RLIM_INFINITY, resource.RLIM_INFINITY))

if what != "open":
    ledger = opened()
    for number in range(20):
        use(ledger, number)
    limited(limit)
acknowledged = []
try:
    if what == "open":
        limited(limit)
        ledger = opened()
    if what in ("open", "append"):
        for number in range(20, 60):
            use(ledger, number)
            acknowledged.append(f"op{number}")
            if number % 10 == 0:
                ledger.fold()
    elif what == "blank":
        ledger.append("erase", [Draft("erased", (), {"blanked": [3]})], at=START)
        ledger.blank([3], ["o4"])
    elif what == "truncate":
        ledger.truncate()
    elif what == "backup":
        ledger.backup(path.with_name("copy"))
    elif what == "close":
        ledger.close()
except GraphmemError as error:
    tell(error)
try:
    ledger.close()
except NameError:
    pass
except GraphmemError as error:
    tell(error)
limited(0)
left = sorted(file.name for file in path.parent.iterdir())
ledger = opened()
assert ledger.damage is None, ledger.damage
known = {entry.operation for entry in ledger.entries()}
assert set(acknowledged) <= known
for number in range(60):
    use(ledger, number)
if what == "blank":
    ledger.append("erase", [Draft("erased", (), {"blanked": [3]})], at=START)
    ledger.blank([3], ["o4"])
counts = {}
for entry in ledger.entries():
    counts[entry.operation] = counts.get(entry.operation, 0) + 1
problems = ledger.check().problems
ledger.close()
print(json.dumps({"said": said, "counts": counts, "problems": problems, "left": left}))
"""


def run(path, *arguments, point=""):
    environment = {**os.environ, "GRAPHMEM_FAILPOINT": point}
    out = subprocess.run(
        [sys.executable, "-c", WRITER, str(path), *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if out.returncode == failpoints.EXIT:
        return None
    assert out.returncode == 0, out.stderr[-2000:]
    import json

    return json.loads(out.stdout)


LIMITS = {
    "open": [1, 8192, 120_000],
    "append": [1, 90_000, 150_000],
    "blank": [1, 70_000, 100_000],
    "truncate": [20_000, 100_000],
    "backup": [20_000],
    "close": [20_000],
}
MORE_LIMITS = {
    "open": [100, 4096, 20_000, 40_000, 60_000, 90_000, 150_000, 200_000],
    "append": [30_000, 60_000, 100_000, 110_000, 130_000, 170_000, 200_000, 260_000],
    "blank": [20_000, 40_000, 60_000, 80_000, 90_000, 120_000, 140_000],
    "truncate": [1, 40_000, 70_000, 80_000, 90_000, 140_000],
    "backup": [1, 40_000, 70_000],
    "close": [1, 40_000, 60_000],
}


def cases(table, *marks):
    return [pytest.param(what, limit, marks=marks) for what, limits in table.items() for limit in limits]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the size of files")
@pytest.mark.parametrize(("what", "limit"), cases(LIMITS) + cases(MORE_LIMITS, pytest.mark.long))
def test_a_limit_of_the_size_of_files_is_told_and_loses_nothing(tmp_path, what, limit):
    report = run(tmp_path / "ledger.sqlite", limit, what)
    assert set(report["said"]) <= {"StoreError", "StoreFull", "ReadOnlyStore"}
    assert report["said"] or limit > 60_000
    expected = {f"op{number}": 2 for number in range(60)}
    if what == "blank":
        expected["erase"] = 1
    assert report["counts"] == expected
    assert report["problems"] == []
    assert "copy" not in report["left"] or not report["said"]


POINTS = ["ledger.begun", "ledger.entry", "ledger.before-commit", "ledger.committed"]
FAULTS = [(point, action) for point in POINTS for action in ("exit", "enospc")]
FAULTS += [("ledger.before-commit", "eio"), ("ledger.committed", "efbig")]


@pytest.mark.parametrize(("point", "action"), FAULTS)
def test_a_failure_at_any_step_of_an_append_leaves_nothing_or_everything(tmp_path, point, action):
    path = tmp_path / "ledger.sqlite"
    report = run(path, 0, "append", point=f"{point}={action}@{50 if point == 'ledger.entry' else 25}")
    if action == "exit":
        assert report is None
        report = run(path, 0, "append")
        assert report["said"] == []
    else:
        assert report["said"] == [{"enospc": "StoreFull", "efbig": "StoreFull", "eio": "StoreError"}[action]]
    assert report["counts"] == {f"op{number}": 2 for number in range(60)}
    assert report["problems"] == []


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.sqlite", clock=lambda: START, entropy=os.urandom, owner=("a", "b"))
    made.append("op", [Draft("noted", ("n",), {"n": 1}), Draft("noted", ("n",), {"n": 2})], at=START)
    yield made
    made.close()


class Failing:
    """A connection that fails at statements that begin with a word; everything else goes through."""

    def __init__(self, db, word, error):
        self._db, self._word, self._error = db, word, error

    def __getattr__(self, name):
        return getattr(self._db, name)

    def _pass(self, method, query, *values):
        if self._error is not None and query.upper().startswith(self._word):
            raise self._error
        return getattr(self._db, method)(query, *values)

    def execute(self, query, *values):
        return self._pass("execute", query, *values)

    def executemany(self, query, *values):
        return self._pass("executemany", query, *values)


def sqlite_error(kind, code, text):
    error = kind(text)
    error.sqlite_errorcode = code
    return error


FULL = (sqlite3.OperationalError, sqlite3.SQLITE_FULL, "database or disk is full", StoreFull)
FAILS = (sqlite3.OperationalError, sqlite3.SQLITE_IOERR_WRITE, "disk I/O error", StoreError)
CORRUPT = (sqlite3.DatabaseError, sqlite3.SQLITE_CORRUPT_VTAB, "database disk image is malformed", LedgerDamaged)
BUSY = (sqlite3.OperationalError, sqlite3.SQLITE_BUSY_SNAPSHOT, "database is locked", StoreLocked)
READ_ONLY = (sqlite3.OperationalError, sqlite3.SQLITE_READONLY_DBMOVED, "attempt to write a readonly database", ReadOnlyStore)
CANNOT_OPEN = (sqlite3.OperationalError, sqlite3.SQLITE_CANTOPEN, "unable to open database file", StoreError)
NO_TEXT = (sqlite3.OperationalError, None, "Could not decode to UTF-8", LedgerDamaged)
USES = {
    "BEGIN": ["append", "blank", "mark"],
    "INSERT": ["append", "mark"],
    "COMMIT": ["append", "blank", "mark"],
    "UPDATE": ["blank"],
    "VACUUM": ["blank", "truncate"],
    "PRAGMA WAL": ["blank", "truncate", "fold", "close"],
    "SELECT": [
        "head",
        "entries",
        "history",
        "about",
        "vectors",
        "erasures",
        "knows",
        "now",
        "check",
        "carried",
        "meta",
        "hash",
    ],
}


@pytest.mark.parametrize("told", [FULL, FAILS, CORRUPT, BUSY, READ_ONLY, CANNOT_OPEN, NO_TEXT], ids=lambda told: told[2])
@pytest.mark.parametrize(("word", "use"), [(word, use) for word, uses in USES.items() for use in uses])
def test_every_error_of_the_database_has_a_name(ledger, told, word, use):
    kind, code, text, wanted = told
    error = sqlite_error(kind, code, text)
    calls = {
        "append": lambda: ledger.append("new", [Draft("noted", (), {})], at=START),
        "blank": lambda: ledger.blank([1], ["x"]),
        "mark": lambda: ledger.mark_carried_out(1),
        "truncate": ledger.truncate,
        "fold": ledger.fold,
        "close": ledger.close,
        "head": ledger.head,
        "entries": lambda: list(ledger.entries()),
        "history": lambda: list(ledger.history()),
        "about": lambda: ledger.about("n"),
        "vectors": ledger.vectors,
        "erasures": ledger.erasures,
        "knows": lambda: ledger.knows("op"),
        "now": ledger.now,
        "check": ledger.check,
        "carried": ledger.carried_out,
        "meta": lambda: ledger.meta("user"),
        "hash": lambda: ledger.hash_at(1),
    }
    sound = ledger._db
    ledger._db = ledger._layout._db = Failing(sound, word, error)
    if use == "check" and wanted is LedgerDamaged:
        assert len(ledger.check().problems) == 1
    else:
        with pytest.raises(wanted) as raised:
            calls[use]()
        assert type(raised.value) is wanted
        assert str(ledger.path) in str(raised.value)
        assert "\n" not in str(raised.value)
    if use == "close":
        return
    ledger._db = ledger._layout._db = sound
    # Whatever failed, the ledger is as it was and can be used.
    if word != "PRAGMA WAL" and word != "VACUUM":
        assert [entry.operation for entry in ledger.entries()] == ["op", "op"]
        assert ledger.check().problems == ()
        assert len(ledger.append("new", [Draft("noted", (), {})], at=START)) == 1
        assert ledger.append("new", [Draft("noted", (), {})], at=START) == []


def test_a_rollback_that_fails_is_made_up_for(ledger):
    sound = ledger._db

    class Twice(Failing):
        def execute(self, query, *values):
            if query in ("COMMIT", "ROLLBACK"):
                raise sqlite_error(*FULL[:3])
            return sound.execute(query, *values)

    ledger._db = ledger._layout._db = Twice(sound, "", None)
    with pytest.raises(StoreFull):
        ledger.append("new", [Draft("noted", (), {})], at=START)
    ledger._db = ledger._layout._db = sound
    assert len(ledger.append("new", [Draft("noted", (), {})], at=START)) == 1
    assert [entry.operation for entry in ledger.entries()] == ["op", "op", "new"]


@pytest.mark.parametrize(
    ("number", "wanted"),
    [(errno.ENOSPC, StoreFull), (errno.EFBIG, StoreFull), (errno.EDQUOT, StoreFull), (errno.EROFS, ReadOnlyStore),
     (errno.EACCES, ReadOnlyStore), (errno.EIO, StoreError)],
)  # fmt: skip
def test_every_error_of_the_system_has_a_name(number, wanted):
    found = fault(OSError(number, os.strerror(number)), Path("x"), "written")
    assert type(found) is wanted
    assert os.strerror(number) in str(found)


def test_a_ledger_that_another_process_writes_is_waited_for_and_then_refused(ledger, monkeypatch):
    monkeypatch.setattr("graphmem.ledger_files.BUSY_SECONDS", 0.05)
    other = sqlite3.connect(ledger.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    impatient = Ledger(ledger.path, clock=lambda: START, entropy=os.urandom, owner=("a", "b"))
    for write in (
        lambda: impatient.append("new", [Draft("noted", (), {})], at=START),
        lambda: impatient.blank([1], []),
        lambda: impatient.mark_carried_out(1),
        impatient.truncate,
    ):
        with pytest.raises(StoreLocked, match="another process"):
            write()
    other.execute("ROLLBACK")
    assert len(impatient.append("new", [Draft("noted", (), {})], at=START)) == 1
    other.close()
    impatient.close()


def test_a_folder_in_the_place_of_the_file_has_a_named_error(tmp_path):
    (tmp_path / "ledger.sqlite").mkdir()
    with pytest.raises(StoreError, match="could not be opened"):
        Ledger(tmp_path / "ledger.sqlite", clock=lambda: START, entropy=os.urandom, owner=("a", "b"))
    with pytest.raises(StoreError, match="could not be opened"):
        Ledger(tmp_path / "none" / "ledger.sqlite", clock=lambda: START, entropy=os.urandom, owner=("a", "b"))
