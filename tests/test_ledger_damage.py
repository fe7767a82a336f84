"""A damaged ledger: opened for reading only, honest about the first bad entry, and never written."""

import contextlib
import random
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from graphmem.errors import GraphmemError, LedgerDamaged, StoreError
from graphmem.ledger import Draft, Ledger, Vector
from graphmem.records import key

START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ["harbour", "bicycle", "lantern", "orchard", "violin", "kettle", "meadow", "compass", "glacier", "notebook", "tunnel"]
OPERATIONS = 60


def opened(path, **options):
    return Ledger(path, clock=lambda: START, entropy=random.Random(1).randbytes, owner=("alice", "default"), **options)


def append(ledger, number, draw):
    """One operation: a session with turns and two statements with vectors, as an ingest writes them."""
    session = f"session-{number}"
    text = " ".join(draw.choices(WORDS, k=60))
    turns = [key("t", session, str(n)) for n in range(2)]
    drafts = [Draft("session recorded", (session,), {"delta": {"turns": [{"key": k, "text": text} for k in turns]}})]
    vectors = []
    for turn in turns:
        for kind in ("turn", "pair"):
            vectors.append(Vector(key("v", turn, kind, "minilm"), turn, kind, "minilm", draw.randbytes(385), 0))
    for n in range(2):
        id_ = key("s", session, str(n))
        body = {
            "delta": {"statements": [{"id": id_, "hash": draw.randbytes(32).hex(), "text": " ".join(draw.choices(WORDS, k=9))}]}
        }
        drafts.append(Draft("statement recorded", (id_, session), body, actor=draw.choice(["user", "summary"])))
        vectors.append(Vector(key("v", id_, "statement", "minilm"), id_, "statement", "minilm", draw.randbytes(385), n + 1))
    ledger.append(f"ingest/{session}", drafts, vectors, at=START + timedelta(minutes=number))


class Pristine:
    """A sound ledger, its files as they were closed and as a crash leaves them, and all that can be read from it."""

    def __init__(self, folder):
        draw = random.Random(7)
        live = folder / "live" / "ledger.sqlite"
        live.parent.mkdir()
        ledger = opened(live)
        for number in range(OPERATIONS - 12):
            append(ledger, number, draw)
        ledger.append(
            "erase", [Draft("erased", (key("s", "session-3", "1"),), {"blanked": [12]})], at=START + timedelta(days=1)
        )
        ledger.blank([12], [key("s", "session-3", "1")], [key("t", "session-4", "0")])
        ledger.fold()
        for number in range(100, 112):
            ledger.append(f"note/{number}", [Draft("noted", ("n",), {"n": number})], at=START + timedelta(days=number))
        self.crashed = folder / "crashed"
        shutil.copytree(live.parent, self.crashed)
        ledger.close()
        self.closed = live.parent
        ledger = opened(live)
        self.read = reading(ledger)
        ledger.close()
        self.total = len(self.read["entries"])

    def copy(self, folder, *, crashed=False):
        if folder.exists():
            shutil.rmtree(folder)
        shutil.copytree(self.crashed if crashed else self.closed, folder)
        (folder / "ledger.sqlite-shm").unlink(missing_ok=True)
        return folder / "ledger.sqlite"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    made = Pristine(tmp_path_factory.mktemp("pristine"))
    assert made.total == 157
    return made


def reading(ledger):
    """All that a reader can get."""
    entries = list(ledger.entries())
    names = sorted({name for entry in entries for name in entry.subjects})
    return {
        "entries": entries,
        "history": list(ledger.history()),
        "vectors": ledger.vectors(),
        "about": {name: [entry.seq for entry in ledger.about(name)] for name in names},
        "known": [entry.operation for entry in entries if ledger.knows(entry.operation)],
        "head": ledger.head(),
        "hashes": [ledger.hash_at(seq) for seq in range(1, len(entries) + 1)],
        "erasures": [entry.seq for entry in ledger.erasures()],
        "secret": ledger.secret,
    }


def first_part(read, good):
    """What a reader gets of the first entries only."""
    entries = read["entries"][:good]
    names = {name for entry in entries for name in entry.subjects}
    return {
        "entries": entries,
        "history": read["history"][:good],
        "vectors": {seq: rows for seq, rows in read["vectors"].items() if seq <= good},
        "about": {name: [seq for seq in read["about"][name] if seq <= good] for name in sorted(names)},
        "known": [entry.operation for entry in entries],
        "head": (good, entries[-1].hash) if entries else (0, "0" * 64),
        "hashes": [entry.hash for entry in entries],
        "erasures": [seq for seq in read["erasures"] if seq <= good],
        "secret": read["secret"],
    }


def numbers_in(subjects):
    """The numbers of words among packed subjects."""
    found, place = [], 0
    while place < len(subjects):
        size = 12 if subjects[place] >= 97 else subjects[place]
        if size < 12:
            found.append(int.from_bytes(subjects[place + 1 : place + 1 + size], "big"))
        place += 1 + size
    return found


def raw(path, seq):
    """The rows of an entry as the file holds them, without this package; None if they cannot be read."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        db.execute("PRAGMA writable_schema=ON")
        entry = db.execute("SELECT * FROM entry WHERE seq = ?", (seq,)).fetchall()
        rows = [
            entry,
            db.execute("SELECT * FROM payload WHERE seq = ?", (seq,)).fetchall(),
            db.execute("SELECT * FROM operation WHERE first = ?", (entry[0][1],)).fetchall(),
            db.execute("SELECT text FROM term WHERE number IN (?, ?, ?)", entry[0][2:5]).fetchall(),
            [db.execute("SELECT text FROM term WHERE number = ?", (n,)).fetchall() for n in numbers_in(entry[0][5])],
            db.execute("SELECT * FROM vector WHERE place >> 24 = ? ORDER BY place", (seq,)).fetchall(),
            db.execute("SELECT k.text, m.text FROM vector v LEFT JOIN term k ON k.number = v.kind LEFT JOIN term m"
                       " ON m.number = v.model WHERE v.place >> 24 = ?", (seq,)).fetchall(),
            # Found by looking it up, too: the way there may be what is damaged.
            db.execute("SELECT * FROM vector WHERE place BETWEEN ? AND ?", (seq << 24, (seq + 1 << 24) - 1)).fetchall(),
        ]  # fmt: skip
        return rows
    except (sqlite3.Error, IndexError, TypeError):
        return None
    finally:
        db.close()


def examine(pristine, path, *, whole=None):
    """Open a damaged copy and hold it against the pristine one; returns (good, damage)."""
    whole = pristine.read if whole is None else whole
    total = len(whole["entries"])
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    ledger = opened(path, create=False)
    try:
        if ledger.damage is None:
            assert reading(ledger) == whole
            assert ledger.check().problems == ()
            return total, None
        good = ledger.good
        wanted = first_part(whole, good)
        if not good and ledger.secret == "":
            wanted["secret"] = ""
        assert reading(ledger) == wanted
        assert ledger.check() == (wanted["head"][1], good, (ledger.damage,))
        named = f"entry {good + 1}:"
        assert ledger.damage.startswith((named, f"all {good} entries hold")) or (not good and "no entry" in ledger.damage), (
            good,
            ledger.damage,
        )
        assert all(
            not ledger.knows(entry.operation) for entry in whole["entries"][good:] if entry.operation not in wanted["known"]
        )
        for refused in (
            lambda: ledger.append("op", [Draft("noted", (), {})], at=START),
            lambda: ledger.blank([1], []),
            lambda: ledger.mark_carried_out(1),
            ledger.truncate,
            ledger.fold,
            lambda: ledger.backup(path.parent / "copy"),
        ):
            with pytest.raises(LedgerDamaged, match=r"reading only.*backup"):
                refused()
        return good, ledger.damage
    finally:
        ledger.close()
        if ledger.damage is not None:
            assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def changed_byte(draw, data):
    place = draw.randrange(len(data))
    data[place] ^= draw.randrange(1, 256)


def zeroed_page(draw, data):
    place = draw.randrange(len(data) // 8192) * 8192
    data[place : place + 8192] = bytes(8192)


def noisy_page(draw, data):
    place = draw.randrange(len(data) // 8192) * 8192
    data[place : place + 8192] = draw.randbytes(8192)


def cut_off(draw, data):
    del data[draw.randrange(1, len(data)) :]


def cut_by_pages(draw, data):
    del data[draw.randrange(1, len(data) // 8192) * 8192 :]


def swapped_pages(draw, data):
    one, two = (place * 8192 for place in draw.sample(range(len(data) // 8192), 2))
    data[one : one + 8192], data[two : two + 8192] = data[two : two + 8192], data[one : one + 8192]


def repeated_page(draw, data):
    one, two = (place * 8192 for place in draw.sample(range(len(data) // 8192), 2))
    data[one : one + 8192] = data[two : two + 8192]


DAMAGES = [
    changed_byte,
    changed_byte,
    changed_byte,
    zeroed_page,
    noisy_page,
    cut_off,
    cut_by_pages,
    swapped_pages,
    repeated_page,
]


def damage_at_random(pristine, folder, seeds):
    outcomes = []
    for seed in seeds:
        draw = random.Random(seed)
        path = pristine.copy(folder)
        data = bytearray(path.read_bytes())
        draw.choice(DAMAGES)(draw, data)
        path.write_bytes(data)
        good, damage = examine(pristine, path)
        if damage is not None and good < pristine.total and "no entry" not in damage and "no such" not in damage:
            sound = pristine.closed / "ledger.sqlite"
            assert raw(path, good + 1) in (None, []) or raw(path, good + 1) != raw(sound, good + 1), (seed, damage)
        outcomes.append((good, damage))
    return outcomes


def test_a_hundred_damages_are_told_or_change_nothing(pristine, tmp_path):
    outcomes = damage_at_random(pristine, tmp_path / "copy", range(100))
    assert len({good for good, damage in outcomes if damage}) > 15
    assert any("entry" in damage for _, damage in outcomes if damage)


@pytest.mark.long
def test_five_hundred_damages_are_told_or_change_nothing(pristine, tmp_path):
    damage_at_random(pristine, tmp_path / "copy", range(1000, 1500))


TRIGGERS = "DROP TRIGGER entry_is_final; DROP TRIGGER entry_stays;"
SWAP = "UPDATE {0} SET {1} = -{1} WHERE {1} IN (20, 30); UPDATE {0} SET {1} = 50 + {1} WHERE {1} IN (-20, -30);"


@pytest.mark.parametrize(
    ("script", "good", "told"),
    [
        ("UPDATE entry SET actor = role WHERE seq = 20", 19, "does not follow"),
        ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 20", 19, "does not follow"),
        ("UPDATE entry SET hash = 'x' WHERE seq = 20", 19, "cannot be read"),
        ("UPDATE entry SET commitment = zeroblob(32) WHERE seq = 20", 19, "does not follow"),
        ("UPDATE entry SET subjects = x'01' WHERE seq = 20", 19, "cannot be read"),
        ("UPDATE entry SET seq = 9000 WHERE seq = 20", 19, "missing"),
        ("DELETE FROM entry WHERE seq = 20", 19, "missing"),
        ("DELETE FROM entry WHERE seq = 157", 156, "missing"),
        (SWAP.format("entry", "seq"), 19, "does not follow"),
        ("INSERT INTO entry SELECT 158, operation, actor, role, type, subjects, commitment, hash FROM entry WHERE seq = 157;"
         "INSERT INTO payload SELECT 158, codec, salt, body, vectors FROM payload WHERE seq = 157", 157, "does not follow"),
        ("UPDATE payload SET body = (SELECT body FROM payload WHERE seq = 30) WHERE seq = 20", 19, "payload was altered"),
        ("UPDATE payload SET body = 'x' WHERE seq = 20", 19, "payload was altered"),
        ("UPDATE payload SET codec = 7 WHERE seq = 20", 19, "payload was altered"),
        ("UPDATE payload SET salt = zeroblob(16) WHERE seq = 20", 19, "payload was altered"),
        ("UPDATE payload SET salt = NULL, body = NULL WHERE seq = 20", 19, "no erasure names it"),
        ("UPDATE payload SET body = NULL WHERE seq = 20; DELETE FROM payload WHERE seq = 30", 19, "payload was altered"),
        ("DELETE FROM payload WHERE seq = 20", 19, "payload is missing"),
        ("DELETE FROM payload WHERE seq = 12", 11, "payload is missing"),
        ("INSERT INTO payload VALUES (158, 0, NULL, NULL, 0)", 157, "missing"),
        (SWAP.format("payload", "seq"), 19, "payload was altered"),
        ("UPDATE payload SET vectors = 5 WHERE seq = 20", 19, "vectors were altered"),
        ("UPDATE vector SET data = zeroblob(385) WHERE place >> 24 = 20", 19, "vectors were altered"),
        ("UPDATE vector SET kind = model WHERE place >> 24 = 20", 19, "vectors were altered"),
        ("UPDATE vector SET owner = 'x' WHERE place >> 24 = 20", 19, "vectors were altered"),
        ("DELETE FROM vector WHERE place >> 24 = 20", 19, "vectors were altered"),
        ("INSERT INTO vector SELECT place + 100, owner, kind, model, id, data FROM vector WHERE place >> 24 = 20", 19,
         "vectors were altered"),
        ("UPDATE vector SET place = place + (1 << 40) WHERE place >> 24 = 20", 19, "vectors were altered"),
        ("INSERT INTO vector SELECT (158 << 24), owner, kind, model, id, data FROM vector WHERE place >> 24 = 20", 157,
         "missing"),
        ("UPDATE operation SET name = name || 'x' WHERE first = 19", 18, "does not follow"),
        ("UPDATE operation SET at = at + 1 WHERE first = 19", 18, "does not follow"),
        ("UPDATE operation SET at = 1 << 62 WHERE first = 19", 18, "cannot be read"),
        ("DELETE FROM operation WHERE first = 19", 18, "cannot be read"),
        ("UPDATE term SET text = text || 'x' WHERE text = 'noted'", 145, "does not follow"),
        ("DELETE FROM term WHERE text = 'noted'", 145, "cannot be read"),
        ("UPDATE term SET text = 'other' WHERE text = 'minilm'", 0, "entry 1: its vectors were altered"),
        ("DELETE FROM term WHERE text = 'pair'", 0, "entry 1: its vectors were altered"),
        ("INSERT INTO operation VALUES (9000, 'never', 0)", 157, "list of operations"),
        ("UPDATE subject SET seq = 9000 WHERE seq = 20", 157, "what they are about"),
        ("DELETE FROM subject WHERE seq = 20", 157, "what they are about"),
        ("INSERT INTO subject VALUES (x'6101', 20)", 157, "what they are about"),
        ("DROP INDEX vector_owner", 157, "schema"),
        ("CREATE TRIGGER more AFTER INSERT ON entry BEGIN DELETE FROM payload; END", 157, "schema"),
        ("PRAGMA user_version = 0", 157, "schema"),
        ("PRAGMA user_version = 1", 157, "schema"),
        ("DROP TABLE subject", 157, "cannot be read"),
        ("DROP TABLE payload", 0, "cannot be read"),
        ("DROP TABLE meta", 0, "no entry can be read"),
        ("DELETE FROM meta", 0, "no entry can be read"),
        ("DELETE FROM meta WHERE name = 'user'", 0, "no entry can be read"),
        ("UPDATE meta SET value = 'mallory' WHERE name = 'user'", 0, "no entry can be read"),
        ("UPDATE meta SET value = '00' WHERE name = 'secret'", 0, "no entry can be read"),
    ],
)  # fmt: skip
def test_what_is_done_through_sql_is_told(pristine, tmp_path, script, good, told):
    path = pristine.copy(tmp_path / "copy")
    db = sqlite3.connect(path)
    db.executescript(TRIGGERS + script)
    db.close()
    for left in path.parent.glob("*-*"):
        left.unlink()
    found, damage = examine(pristine, path)
    assert (found, told in damage) == (good, True), damage


def test_without_its_guards_a_ledger_is_not_written(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy")
    db = sqlite3.connect(path)
    db.executescript(TRIGGERS)
    db.close()
    for left in path.parent.glob("*-*"):
        left.unlink()
    assert examine(pristine, path) == (
        pristine.total,
        f"all {pristine.total} entries hold, but the schema of the file was altered",
    )


@pytest.mark.parametrize("content", [b"", b"not a database, not at all" * 100, b"SQLite format 3\x00", bytes(20000)])
def test_a_file_that_is_no_ledger_is_damage_and_not_a_new_ledger(pristine, tmp_path, content):
    path = tmp_path / "one" / "ledger.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    good, damage = examine(pristine, path)
    assert good == 0
    assert damage.startswith("no entry can be read")


def test_a_missing_file_is_a_new_ledger_only_if_the_caller_says_so(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = opened(path, create=False)
    assert ledger.damage == "no entry can be read: the file is missing"
    with pytest.raises(LedgerDamaged, match="has no secret"):
        ledger.meta("secret")
    ledger.close()
    assert list(tmp_path.iterdir()) == []
    for _ in range(2):
        ledger = opened(path)
        assert ledger.damage is None
        ledger.close()


def test_a_ledger_whose_making_was_cut_off_is_made(tmp_path):
    path = tmp_path / "ledger.sqlite"
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    assert path.stat().st_size > 0
    ledger = opened(path, create=False)
    assert ledger.damage == "no entry can be read: the file was never filled"
    ledger.close()
    ledger = opened(path)
    assert ledger.damage is None
    append(ledger, 1, random.Random(1))
    ledger.close()


def test_a_file_that_lost_everything_keeps_its_log(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy", crashed=True)
    path.write_bytes(b"")
    good, damage = examine(pristine, path)
    assert (good, damage) == (0, "no entry can be read: the file is empty")
    for create in (False, True):
        ledger = opened(path, create=create)
        assert ledger.damage is not None
        ledger.close()
    assert path.with_name("ledger.sqlite-wal").stat().st_size > 0


def test_what_only_the_log_holds_is_read(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy", crashed=True)
    assert examine(pristine, path) == (pristine.total, None)
    ledger = opened(pristine.copy(tmp_path / "copy", crashed=True), trusted=True)
    assert reading(ledger) == pristine.read
    ledger.close()


def test_a_garbled_index_of_the_log_does_not_matter(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy", crashed=True)
    path.with_name("ledger.sqlite-shm").write_bytes(random.Random(3).randbytes(32768))
    assert examine(pristine, path) == (pristine.total, None)


def test_damage_in_the_file_is_told_with_a_log_beside_it(pristine, tmp_path):
    for seed in range(12):
        draw = random.Random(seed)
        path = pristine.copy(tmp_path / "copy", crashed=True)
        data = bytearray(path.read_bytes())
        zeroed_page(draw, data)
        path.write_bytes(data)
        examine(pristine, path)


def test_a_ledger_that_lost_its_log_is_one_that_ends_earlier(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy", crashed=True)
    path.with_name("ledger.sqlite-wal").unlink()
    assert examine(pristine, path, whole=first_part(pristine.read, 145)) == (145, None)


def frame_starts(log):
    return range(32, len(log), 24 + int.from_bytes(log[8:12], "big"))


def test_a_damaged_log_is_told_unless_it_may_be_what_a_crash_left(pristine, tmp_path):
    log = (pristine.crashed / "ledger.sqlite-wal").read_bytes()
    starts = list(frame_starts(log))
    commits = [start for start in starts if log[start + 4 : start + 8] != bytes(4)]
    assert len(commits) == 12
    goods = set()
    for seed in range(40):
        draw = random.Random(seed)
        path = pristine.copy(tmp_path / "copy", crashed=True)
        data = bytearray(log)
        place = draw.choice([draw.randrange(len(log)), draw.choice(starts) + draw.randrange(24), draw.randrange(32)])
        data[place] ^= draw.randrange(1, 256)
        path.with_name("ledger.sqlite-wal").write_bytes(data)
        ended = 0 if place < 32 else sum(start + 24 + 8192 <= place for start in commits)
        if ended < 11:
            good, damage = examine(pristine, path)
            assert (damage is None and good == pristine.total) or "write-ahead log" in damage
        else:
            # Of the last transaction nobody can say whether it was ever whole.
            good, damage = examine(pristine, path, whole=first_part(pristine.read, 145 + ended))
            assert damage is None or "write-ahead log" in damage
        assert damage is None or good == 145 + ended, (seed, place, damage)
        goods.add(good)
    assert len(goods) > 5


def test_a_log_that_was_cut_off_is_one_that_ends_earlier(pristine, tmp_path):
    log = (pristine.crashed / "ledger.sqlite-wal").read_bytes()
    commits = [start for start in frame_starts(log) if log[start + 4 : start + 8] != bytes(4)]
    for seed in range(12):
        size = random.Random(seed).randrange(len(log))
        path = pristine.copy(tmp_path / "copy", crashed=True)
        path.with_name("ledger.sqlite-wal").write_bytes(log[:size])
        ended = sum(start + 24 + 8192 <= size for start in commits)
        assert examine(pristine, path, whole=first_part(pristine.read, 145 + ended)) == (145 + ended, None)


def test_a_ledger_that_is_vouched_for_is_not_examined_but_still_says_what_is_wrong(pristine, tmp_path):
    for seed in range(20):
        draw = random.Random(seed)
        path = pristine.copy(tmp_path / "copy")
        data = bytearray(path.read_bytes())
        zeroed_page(draw, data)
        path.write_bytes(data)
        try:
            ledger = opened(path, trusted=True)
        except StoreError:
            continue
        try:
            reading(ledger)
        except LedgerDamaged as error:
            assert "backup" in str(error)
        assert ledger.damage is not None or len(ledger.check().problems) == 1
        with contextlib.suppress(GraphmemError):
            ledger.close()


def test_a_damaged_ledger_of_somebody_else_is_refused(pristine, tmp_path):
    path = pristine.copy(tmp_path / "copy")
    db = sqlite3.connect(path)
    db.execute("DELETE FROM payload WHERE seq = 20")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="another user"):
        Ledger(path, clock=lambda: START, entropy=bytes, owner=("bob", "default"))


def test_what_a_crash_left_half_written_in_a_copy_is_undone(pristine, tmp_path):
    ledger = opened(pristine.copy(tmp_path / "copy"))
    ledger.backup(tmp_path / "backup")
    ledger.close()
    db = sqlite3.connect(tmp_path / "backup", isolation_level=None)
    db.execute("PRAGMA cache_size=1")
    db.execute("BEGIN")
    db.execute("UPDATE payload SET body = zeroblob(3000)")
    path = tmp_path / "left" / "ledger.sqlite"
    path.parent.mkdir()
    shutil.copy(tmp_path / "backup", path)
    shutil.copy(tmp_path / "backup-journal", path.with_name("ledger.sqlite-journal"))
    db.close()
    assert path.read_bytes() != (tmp_path / "backup").read_bytes()
    ledger = opened(path, create=False)
    assert ledger.damage is None
    assert reading(ledger) == pristine.read
    ledger.close()
