"""A backup is one consistent file; a restore puts back exactly what it holds, or nothing."""

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import GraphmemError, InputError, LedgerDamaged, StoreError, StoreFull, StoreLocked, StoreNewer
from graphmem.failpoints import EXIT
from graphmem.handouts import handouts
from graphmem.lifecycle.examine import examine, examine_home, owner_of, spaces
from graphmem.lifecycle.ledger_file import opened
from graphmem.lifecycle.restore import restore
from graphmem.owner import folder_name

NAME = folder_name("u", "default")


def now():
    return datetime(2026, 6, 1, tzinfo=UTC)


SESSIONS = [
    {
        "id": "s1",
        "started": "2025-05-14T10:30:00+03:00",
        "turns": [
            {"id": "t1", "role": "user", "text": "I live in Turku and I work at Nokia. I have two cats."},
            {"id": "t2", "role": "assistant", "text": "Noted."},
        ],
    },
    {
        "id": "s2",
        "started": "2025-09-14T10:30:00+03:00",
        "turns": [
            {"id": "t1", "role": "user", "text": "I moved to Lisbon last month. I like chess. My birthday is 3 May 1990."}
        ],
    },
    {
        "id": "s3",
        "started": "2025-10-14T10:30:00+03:00",
        "turns": [{"id": "t1", "role": "user", "text": "My birthday is 4 May 1990. My sister Anna lives in Oslo."}],
    },
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A home with a memory of three sessions, and a backup of it."""
    top = tmp_path_factory.mktemp("made")
    with Memory.open(top / "home", user="u") as memory:
        memory.ingest(SESSIONS)
        memory.backup(top / "u.backup")
    return top


@pytest.fixture
def home(made, tmp_path):
    shutil.copytree(made / "home", tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def file(made, tmp_path):
    return Path(shutil.copyfile(made / "u.backup", tmp_path / "u.backup"))


def answers(memory):
    """What a memory answers, of everything that a restore must keep."""
    statements = memory.statements()
    return {
        "statements": [s.model_dump(mode="json") for s in statements],
        "changes": [c.model_dump(mode="json") for c in memory.changes()],
        "contradictions": [c.model_dump(mode="json") for c in memory.contradictions(None)],
        "sessions": [s.model_dump(mode="json") for s in memory.sessions()],
        "traces": [memory.trace(s.id).model_dump(mode="json") for s in statements],
        "verify": memory.verify().model_dump(mode="json"),
    }


def bytes_of(home):
    """All files of the closed memories in a home, and what their ledgers hold however they keep it."""
    data = b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())
    for folder in spaces(home):
        with closing(opened(folder / "ledger.sqlite", owner_of(folder), "minilm")) as ledger:
            data += b"".join(json.dumps(entry.body).encode() for entry in ledger.entries())
    return data


def nothing_left(home, *, memory=False):
    """A home holds no more than its memory, and the register of what that has forgotten."""
    names = [path.name for path in home.glob("*") if path.name != NAME + ".erasures"]
    return names == ([NAME] if memory else [])


# ---------------------------------------------------------------------- there and back


def test_a_restored_memory_answers_as_before(home, tmp_path):
    with Memory.open(home, user="u") as memory:
        path = memory.backup(tmp_path / "b.zip")
        assert path == tmp_path / "b.zip"
        before = answers(memory)  # that it was made is on record, also in itself
    assert before["contradictions"]
    assert any(change["type"] == "superseded" for change in before["changes"])
    with Memory.restore(path, home=tmp_path / "new") as memory:
        assert answers(memory) == before
        assert memory.notices == ()
        memory.remember("The key hangs by the door")
    assert examine(tmp_path / "new" / NAME) == examine(home / NAME)
    assert nothing_left(tmp_path / "new", memory=True)


def test_a_memory_with_erasures_comes_back_without_what_was_erased(home, tmp_path):
    with Memory.open(home, user="u") as memory:
        memory.forget(topic="chess")
        memory.backup(tmp_path / "b.zip")
        before = answers(memory)
    with Memory.restore(tmp_path / "b.zip", home=tmp_path / "new") as memory:
        assert answers(memory) == before
        [notice] = memory.notices  # the register stayed where it was
        assert "made anew from the ledger" in notice
    assert b"chess" not in bytes_of(tmp_path / "new")


def test_an_empty_memory_can_be_backed_up(tmp_path):
    with Memory.open(tmp_path / "home", user="u") as memory:
        memory.backup(tmp_path / "b.zip")
    with Memory.restore(tmp_path / "b.zip", home=tmp_path / "new") as memory:
        assert memory.statements() == []


def unpacked(path):
    with zipfile.ZipFile(path) as packed:
        return json.loads(packed.read("manifest.json")), packed.read("ledger.sqlite")


def test_a_backup_says_what_it_is(file, made):
    manifest, ledger = unpacked(file)
    assert (manifest["format"], manifest["version"]) == ("graphmem backup", 1)
    assert (manifest["user"], manifest["space"]) == ("u", "default")
    assert manifest["ledger_sha256"] == hashlib.sha256(ledger).hexdigest()
    assert manifest["ledger_bytes"] == len(ledger)
    assert manifest["created"].endswith("Z")
    with Memory.open(made / "home", user="u") as memory:
        report = memory.verify()
    assert (manifest["head_seq"], manifest["head_hash"]) == (report.ledger_entries, report.ledger_head)
    assert ledger[18:20] == b"\x01\x01"  # one file that needs no log


def test_a_backup_is_for_its_owner_alone_and_leaves_nothing_beside_it(made):
    assert stat.S_IMODE((made / "u.backup").stat().st_mode) == 0o600
    assert sorted(path.name for path in made.iterdir()) == ["home", "u.backup"]


def test_progress_is_told_in_growing_bytes(home, tmp_path):
    told = []
    with Memory.open(home, user="u") as memory:
        memory.backup(tmp_path / "b.zip", progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] > 0
    told.clear()
    Memory.restore(tmp_path / "b.zip", home=tmp_path / "new", progress=lambda done, total: told.append((done, total))).close()
    assert told[-1][0] == told[-1][1] > 0


WRITER = """
import sys
from graphmem import Memory
with Memory.open(sys.argv[1], user="u") as memory:
    print("open", flush=True)
    for number in range(400):
        memory.remember(f"The shelf number {number} holds jars")
        print(number, flush=True)
"""


def test_backups_made_while_another_process_writes_are_whole(tmp_path, capsys):
    home = tmp_path / "home"
    Memory.open(home, user="u").close()
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", WRITER, home], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "open\n"
        seen = []
        for number in range(5):
            written = int(writer.stdout.readline())
            assert run(["backup", str(tmp_path / f"{number}.zip"), "--user", "u", "--home", str(home)]) == 0
            seen.append((written, unpacked(tmp_path / f"{number}.zip")[0]["head_seq"]))
        writer.kill()
    # What was acknowledged before the backup began is in it; each operation has two entries, and each backup one.
    assert all(head // 2 > written for written, head in seen)
    assert [head for _, head in seen] == sorted(head for _, head in seen)
    for number in range(5):
        with Memory.restore(tmp_path / f"{number}.zip", home=tmp_path / f"home{number}") as memory:
            assert memory.verify().problems == ()
            assert 2 * len(memory.statements()) + len(handouts(memory._space.ledger)) == seen[number][1]
    capsys.readouterr()


@pytest.mark.ladybug
@pytest.mark.skipif(find_spec("ladybug") is None, reason="needs the extra ladybug")
def test_another_engine_can_be_built_from_it(made, tmp_path):
    code = (
        "import json, sys; from graphmem import Memory\n"
        "with Memory.restore(sys.argv[1], home=sys.argv[2], engine='ladybug') as memory:\n"
        "    print(json.dumps([[s.model_dump(mode='json') for s in memory.statements()], list(memory.verify().problems)]))"
    )
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, made / "u.backup", tmp_path / "new"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with Memory.open(made / "home", user="u") as memory:
        assert json.loads(out.stdout) == [[s.model_dump(mode="json") for s in memory.statements()], []]
    [manifest] = (tmp_path / "new" / NAME).glob("graph/*/manifest.json")
    assert json.loads(manifest.read_text())["engine"] == "ladybug"


# ---------------------------------------------------------------------- where to


def test_a_target_that_cannot_be_used_is_told_in_one_line(home, tmp_path):
    (tmp_path / "there").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    with Memory.open(home, user="u") as memory:
        for target, told in {
            tmp_path / "there": "exists already",
            tmp_path: "folder",
            tmp_path / "no" / "b.zip": "does not exist",
            home / NAME / "b.zip": "inside a memory",
            home / NAME / "graph" / "b.zip": "inside a memory",
            tmp_path / "pipe": "pipe",
            tmp_path / ("x" * 300): "too long",
            "a\0b": "NUL",
        }.items():
            with pytest.raises(InputError, match=told):
                memory.backup(target)
        (tmp_path / "way").symlink_to(home / NAME)
        with pytest.raises(InputError, match="inside a memory"):
            memory.backup(tmp_path / "way" / "b.zip")
        assert (tmp_path / "there").read_text() == "mine"
        memory.backup(tmp_path / "there", overwrite=True)
    assert unpacked(tmp_path / "there")[0]["user"] == "u"


def test_a_damaged_ledger_is_not_backed_up(home, tmp_path):
    db = sqlite3.connect(home / NAME / "ledger.sqlite")
    db.execute("UPDATE payload SET body = '{}' WHERE seq = 2")
    db.commit()
    db.close()
    assert run(["backup", str(tmp_path / "b.zip"), "--user", "u", "--home", str(home)]) == 3
    assert not (tmp_path / "b.zip").exists()


def test_a_memory_whose_erasure_is_not_finished_is_not_backed_up(home, tmp_path, capsys):
    with Memory.open(home, user="u") as memory:
        memory.forget(topic="chess")
    db = sqlite3.connect(home / NAME / "ledger.sqlite")
    db.execute("DELETE FROM meta WHERE name = 'erasures_done'")
    db.commit()
    db.close()
    assert run(["backup", str(tmp_path / "b.zip"), "--user", "u", "--home", str(home)]) == 3
    assert not (tmp_path / "b.zip").exists()
    capsys.readouterr()


FAILING = """
import sys
from graphmem.cli import run
sys.exit(run(sys.argv[1:]))
"""


def failing(point, action, *words):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FAILING, *map(str, words)],
        capture_output=True, text=True, check=False, env={**os.environ, "GRAPHMEM_FAILPOINT": f"{point}={action}"},
    )  # fmt: skip


@pytest.mark.parametrize("point", ["backup.copied", "backup.before-rename"])
def test_a_backup_that_is_stopped_leaves_no_file_and_the_next_one_cleans_up(home, tmp_path, point):
    target = tmp_path / "b.zip"
    words = "backup", target, "--user", "u", "--home", home
    assert failing(point, "exit", *words).returncode == EXIT
    assert not target.exists()
    assert len(list(tmp_path.glob(".b.zip.backup-*"))) == 1
    out = failing(point, "enospc", *words)
    assert (out.returncode, len(out.stderr.strip().splitlines())) == (3, 1)
    assert "free some space" in out.stderr
    assert failing(point, "eio", *words).returncode == 3
    assert run([*map(str, words)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home"]


def test_a_disk_that_fills_up_is_told(home, tmp_path):
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "from graphmem.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    words = ["backup", tmp_path / "b.zip", "--user", "u", "--home", home]
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert (out.returncode, len(out.stderr.strip().splitlines())) == (3, 1), out.stderr
    assert "free some space" in out.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


# ---------------------------------------------------------------------- what is refused


def packed(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, data in members:
            out.writestr(name, data)
    return path


def repacked(path, ledger=None, **said):
    """The backup with other contents, and sums that fit unless they are given."""
    manifest, old = unpacked(path)
    data = old if ledger is None else ledger
    manifest |= {"ledger_sha256": hashlib.sha256(data).hexdigest(), "ledger_bytes": len(data), **said}
    return packed(path, [("manifest.json", json.dumps(manifest)), ("ledger.sqlite", data)])


def changed(path, *statements):
    """The backup with a ledger that was changed by SQL."""
    _, data = unpacked(path)
    copy = path.with_name("changed.sqlite")
    copy.write_bytes(data)
    db = sqlite3.connect(copy, isolation_level=None)
    triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    for statement in (*statements, *(statement for _, statement in triggers)):
        db.execute(statement)
    db.close()
    data = copy.read_bytes()
    copy.unlink()
    return repacked(path, data)


def flipped(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 0x55
    path.write_bytes(data)


def members(path):
    manifest, ledger = unpacked(path)
    return json.dumps(manifest), ledger


def bomb(path):
    """A ledger of zeros that is a thousand times as large unpacked."""
    manifest, _ = unpacked(path)
    manifest |= {"ledger_bytes": 1 << 27}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("manifest.json", json.dumps(manifest))
        with out.open("ledger.sqlite", "w", force_zip64=True) as member:
            for _ in range(1 << 3):
                member.write(bytes(1 << 24))


def liar(path):
    """A member that is longer than it says, by rewriting the sizes in the zip's directory."""
    manifest, ledger = unpacked(path)
    packed(path, [("manifest.json", json.dumps(manifest)), ("ledger.sqlite", ledger + bytes(4096))])
    data = bytearray(path.read_bytes())
    long, short = (len(ledger) + 4096).to_bytes(4, "little"), len(ledger).to_bytes(4, "little")
    path.write_bytes(data.replace(long, short))


REFUSED = {
    "empty file": (lambda p: p.write_bytes(b""), "is empty"),
    "text": (lambda p: p.write_text("hello"), "is no backup"),
    "cut short": (lambda p: os.truncate(p, p.stat().st_size // 2), "cut short"),
    "last byte gone": (lambda p: os.truncate(p, p.stat().st_size - 1), "cut short"),
    "byte of the ledger flipped": (lambda p: flipped(p, p.stat().st_size // 2), "altered"),
    "byte of the manifest flipped": (lambda p: flipped(p, 60), ""),
    "other zip": (lambda p: packed(p, [("a.txt", "x")]), "should hold"),
    "empty zip": (lambda p: packed(p, []), "holds nothing"),
    "extra member": (
        lambda p: packed(p, [*zip(("manifest.json", "ledger.sqlite"), members(p), strict=True), ("x", "")]),
        "'x'",
    ),
    "member twice": (lambda p: twice(p), "should hold"),
    "path upwards": (
        lambda p: packed(p, [("manifest.json", members(p)[0]), ("../ledger.sqlite", members(p)[1])]),
        "should hold",
    ),
    "absolute path": (lambda p: packed(p, [("manifest.json", members(p)[0]), ("/ledger.sqlite", b"")]), "should hold"),
    "no ledger": (lambda p: packed(p, [("manifest.json", members(p)[0])]), "should hold"),
    "manifest no json": (lambda p: packed(p, [("manifest.json", "{"), ("ledger.sqlite", b"x")]), "no graphmem backup"),
    "manifest no object": (lambda p: packed(p, [("manifest.json", "[]"), ("ledger.sqlite", b"x")]), "no graphmem backup"),
    "manifest deep": (lambda p: packed(p, [("manifest.json", "[" * 60000), ("ledger.sqlite", b"x")]), "no graphmem backup"),
    "manifest huge": (lambda p: packed(p, [("manifest.json", " " * 99999), ("ledger.sqlite", b"x")]), "bytes"),
    "manifest lacks": (
        lambda p: packed(p, [("manifest.json", '{"format":"graphmem backup"}'), ("ledger.sqlite", b"x")]),
        "no gr",
    ),
    "wrong format": (lambda p: repacked(p, format="other"), "no graphmem backup"),
    "newer format": (lambda p: repacked(p, version=2), "newer release"),
    "newer format with new fields": (lambda p: repacked(p, version=2, sealed=True), "newer release"),
    "newer ledger": (lambda p: repacked(p, schema_version=99), "newer release"),
    "wrong sum": (lambda p: repacked(p, ledger_sha256="0" * 64), "sum"),
    "wrong size": (lambda p: repacked(p, ledger_bytes=4096), "size"),
    "wrong head": (lambda p: repacked(p, head_seq=1), "ends at entry"),
    "wrong head hash": (lambda p: repacked(p, head_hash="0" * 64), "ends at entry"),
    "wrong owner": (lambda p: repacked(p, user="mallory"), "another than its manifest"),
    "not a ledger": (lambda p: repacked(p, b"x" * 4096), "not a ledger"),
    "another database": (lambda p: repacked(p, database("CREATE TABLE t (x)")), ""),
    "ledger newer than said": (lambda p: changed(p, "PRAGMA user_version=99"), "another than its manifest"),
    "entry altered": (lambda p: changed(p, "UPDATE entry SET actor = 'mallory' WHERE seq = 2"), "entry 2"),
    "payload altered": (lambda p: changed(p, "UPDATE payload SET body = '{}' WHERE seq = 2"), "entry 2"),
    "payload taken": (lambda p: changed(p, "UPDATE payload SET body = NULL WHERE seq = 2"), "entry 2"),
    "end cut": (lambda p: changed(p, "DELETE FROM entry WHERE seq = (SELECT MAX(seq) FROM entry)"), "altered"),
    "page damaged": (lambda p: page(p), ""),
    "foreign trigger": (
        lambda p: changed(p, "CREATE TRIGGER x AFTER INSERT ON entry BEGIN DELETE FROM vector; END"),
        "altered",
    ),
    "bomb": (bomb, "altered"),
    "longer than it says": (liar, "altered"),
}


def twice(path):
    manifest, ledger = members(path)
    with pytest.warns(UserWarning, match="Duplicate"):
        packed(path, [("manifest.json", manifest), ("ledger.sqlite", ledger), ("ledger.sqlite", ledger)])


def database(*statements):
    db = sqlite3.connect(":memory:")
    for statement in statements:
        db.execute(statement)
    return db.serialize()


def page(path):
    _, data = unpacked(path)
    damaged = bytearray(data)
    damaged[2 * 4096 : 2 * 4096 + 200] = bytes(200)
    repacked(path, bytes(damaged))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_sound_backup_is_refused_in_one_line_and_changes_nothing(file, tmp_path, capsys, name):
    damage, told = REFUSED[name]
    damage(file)
    code = run(["restore", str(file), "--home", str(tmp_path / "new")])
    err = capsys.readouterr().err
    assert code in (2, 3)
    assert len(err.strip().splitlines()) == 1
    assert told in err
    assert "Traceback" not in err
    assert nothing_left(tmp_path / "new")


def test_what_is_no_file_is_refused(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "pipe", "/dev/zero", tmp_path / ("x" * 300)):
        assert run(["restore", str(path), "--home", str(tmp_path / "new")]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    with pytest.raises(InputError, match="NUL"):
        Memory.restore("a\0b", home=tmp_path / "new")
    with pytest.raises(InputError, match="must be a path"):
        Memory.restore(7, home=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def put(file, home):
    """Restore without building the graph; what was put in place."""
    restore(file, home, user=None, space=None, replace=False, accept_loss=False, clock=now, entropy=bytes, wait=1.0)
    with closing(opened(home / NAME / "ledger.sqlite", ("u", "default"), "minilm")) as ledger:
        return ledger.head()


def flips(file, tmp_path, places):
    """A flip anywhere is refused, or is in a byte of the zip that says nothing of the memory."""
    whole = file.read_bytes()
    sound = put(file, tmp_path / "sound")
    refused = 0
    for number, place in enumerate(places(len(whole))):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ (0x10 << number % 4)]) + whole[place + 1 :])
        home = tmp_path / f"home{number}"
        try:
            assert put(file, home) == sound
        except GraphmemError:
            refused += 1
            assert nothing_left(home)
    return refused


def test_every_byte_matters(file, tmp_path):
    """The zip's own headers lie at both ends."""
    refused = flips(file, tmp_path, lambda size: [*range(0, 60, 2), *range(60, size, size // 30), *range(size - 250, size, 2)])
    assert refused > 100


@pytest.mark.long
def test_every_byte_matters_everywhere(file, tmp_path):
    assert flips(file, tmp_path, lambda size: range(0, size, 7)) > 500


def test_too_little_room_is_told_before_anything_is_unpacked(file, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 1000))
    with pytest.raises(StoreFull, match="free some space"):
        Memory.restore(file, home=tmp_path / "new")
    assert nothing_left(tmp_path / "new")


# ---------------------------------------------------------------------- whose and where


def test_a_memory_is_only_restored_for_whom_it_is(file, tmp_path):
    with pytest.raises(InputError, match="another user"):
        Memory.restore(file, home=tmp_path / "new", user="mallory")
    with pytest.raises(InputError, match="not a name"):
        Memory.restore(file, home=tmp_path / "new", space="../x")
    with Memory.restore(file, home=tmp_path / "new", user="u", space="copy") as memory:
        assert memory.profile().space == "copy"
        assert memory.verify().problems == ()
    assert [path.name for path in (tmp_path / "new").iterdir()] == [folder_name("u", "copy")]
    with Memory.open(tmp_path / "new", user="u", space="copy") as memory:
        assert memory.statements()


def test_a_memory_that_is_there_is_kept_unless_it_is_to_be_replaced(home, file):
    with Memory.open(home, user="u") as memory:
        memory.remember("The key hangs by the door")
    with pytest.raises(InputError, match="--replace"):
        Memory.restore(file, home=home)
    with Memory.open(home, user="u") as memory:
        assert any("key" in s.text for s in memory.statements())
    with Memory.restore(file, home=home, replace=True) as memory:
        assert not any("key" in s.text for s in memory.statements())
        assert memory.verify().problems == ()
    assert nothing_left(home, memory=True)
    assert [item for item in examine(home / NAME) if item.severity == "damage"] == []


def test_a_memory_in_use_is_not_replaced(home, file):
    with Memory.open(home, user="u") as memory:
        with pytest.raises(StoreLocked):
            Memory.restore(file, home=home, replace=True, wait=0.2)
        memory.remember("The key hangs by the door")
        assert memory.verify().problems == ()
    reader = sqlite3.connect(home / NAME / "ledger.sqlite", isolation_level=None)
    reader.execute("SELECT COUNT(*) FROM entry").fetchall()
    with pytest.raises(StoreLocked):
        Memory.restore(file, home=home, replace=True, wait=0.2)
    reader.close()
    Memory.restore(file, home=home, replace=True).close()


# ---------------------------------------------------------------------- erasures


def test_what_was_erased_after_the_backup_stays_erased(home, file, tmp_path):
    with Memory.open(home, user="u") as memory:
        memory.forget(topic="chess")
        [cats] = [s for s in memory.statements(kind="fact") if "cats" in s.text]
        memory.forget(id=cats.id)
        memory.remember("The key hangs by the door")
        left = {s.id for s in memory.statements() if "key" not in s.text}
    Memory.restore(file, home=tmp_path / "control").close()
    assert all(word in bytes_of(tmp_path / "control") for word in (b"chess", b"two cats", b"Lisbon"))
    with Memory.restore(file, home=home, replace=True) as memory:
        assert any("erased again" in notice for notice in memory.notices)
        assert {s.id for s in memory.statements()} == left
        assert memory.verify().problems == ()
        assert [change.type for change in memory.changes()].count("erased") >= 1
    data = bytes_of(home)
    assert b"chess" not in data
    assert b"two cats" not in data
    assert b"Lisbon" in data
    assert nothing_left(home, memory=True)
    # The backup is still the old one: restored again, the same goes again.
    with Memory.restore(file, home=home, replace=True) as memory:
        assert {s.id for s in memory.statements()} == left
    assert b"chess" not in bytes_of(home)


def test_an_erased_session_stays_erased_and_what_it_had_ended_holds_again(home, file):
    with Memory.open(home, user="u") as memory:
        memory.forget(session="s2")
        expected = {s.id: s.status for s in memory.statements()}
    with Memory.restore(file, home=home, replace=True) as memory:
        assert {s.id: s.status for s in memory.statements()} == expected
        assert any(s.object == "Turku" and s.status == "current" for s in memory.statements())
    assert b"Lisbon" not in bytes_of(home)


def test_erasures_of_the_original_count_for_a_copy_in_another_space(home, file):
    with Memory.open(home, user="u") as memory:
        memory.forget(topic="chess")
    with Memory.restore(file, home=home, space="copy") as memory:
        assert not any("chess" in s.text for s in memory.statements())
    assert b"chess" not in bytes_of(home)


def test_a_memory_that_was_emptied_is_not_filled_again(home, file):
    with Memory.open(home, user="u") as memory:
        memory.forget(all=True)
    with pytest.raises(InputError, match=r"everything .* was erased"):
        Memory.restore(file, home=home, replace=True)
    with Memory.open(home, user="u") as memory:
        assert memory.statements() == []


def test_a_damaged_memory_is_replaced_only_with_the_loss_of_its_erasures_accepted(home, file):
    (home / NAME / "ledger.sqlite").write_bytes(b"no" * 9000)
    with pytest.raises(LedgerDamaged, match="--accept-loss"):
        Memory.restore(file, home=home, replace=True)
    with Memory.restore(file, home=home, replace=True, accept_loss=True) as memory:
        assert any("may be there again" in notice for notice in memory.notices)
        assert memory.verify().problems == ()
    assert nothing_left(home, memory=True)


def test_erasures_that_a_damaged_ledger_can_still_tell_are_applied(home, file):
    with Memory.open(home, user="u") as memory:
        memory.forget(topic="chess")
    (home / NAME / "head.json").write_text('[99, "' + "0" * 64 + '"]')
    with pytest.raises(LedgerDamaged, match="--accept-loss"):
        Memory.restore(file, home=home, replace=True)
    with Memory.restore(file, home=home, replace=True, accept_loss=True) as memory:
        assert not any("chess" in s.text for s in memory.statements())
    assert b"chess" not in bytes_of(home)


# ---------------------------------------------------------------------- kills


@pytest.mark.parametrize("point", ["restore.unpacked", "restore.before-rename"])
def test_a_restore_that_is_stopped_leaves_no_memory_and_the_next_one_cleans_up(file, tmp_path, point):
    home = tmp_path / "new"
    words = "restore", file, "--home", home
    assert failing(point, "exit", *words).returncode == EXIT
    assert not (home / NAME).exists()
    assert [item.kind for item in examine_home(home)] == ["restore-leftover"]
    out = failing(point, "enospc", *words)
    assert (out.returncode, len(out.stderr.strip().splitlines())) == (3, 1)
    assert nothing_left(home)
    with Memory.restore(file, home=home) as memory:
        assert memory.statements()
    assert nothing_left(home, memory=True)


# At the last point the graph of the old memory is gone; it is made from the ledger again.
@pytest.mark.parametrize("point", ["restore.unpacked", "restore.before-rename", "restore.cleared"])
def test_a_replacement_that_is_stopped_leaves_the_old_memory(home, file, point):
    with Memory.open(home, user="u") as memory:
        memory.remember("The key hangs by the door")
    words = "restore", file, "--home", home, "--replace"
    for action, code in (("exit", EXIT), ("enospc", 3), ("eio", 3)):
        assert failing(point, action, *words).returncode == code
        with Memory.open(home, user="u") as memory:
            assert any("key" in s.text for s in memory.statements())
            assert memory.verify().problems == ()
    Memory.restore(file, home=home, replace=True).close()
    assert nothing_left(home, memory=True)


def test_what_a_killed_restore_left_is_told_and_removed_by_the_next(home, file):
    aside = home / ".restore-0"
    (aside / "new").mkdir(parents=True)
    assert [(item.kind, item.severity) for item in examine_home(home)] == [("restore-leftover", "note")]
    with pytest.raises(InputError, match="already"):
        Memory.restore(file, home=home)
    assert nothing_left(home, memory=True)


# ---------------------------------------------------------------------- command line


def test_the_commands_tell_what_they_did(home, tmp_path, capsys):
    words = ["--user", "u", "--home", str(home)]
    target = str(tmp_path / "b.zip")
    assert run(["backup", target, *words]) == 0
    assert "wrote" in capsys.readouterr().out
    assert run(["backup", target, *words]) == 2
    assert "--force" in capsys.readouterr().err
    assert run(["backup", target, *words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == Path(target).stat().st_size
    assert run(["restore", target, "--home", str(tmp_path / "new"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["user"] == "u"
    assert run(["restore", target, "--home", str(tmp_path / "new")]) == 2
    assert "--replace" in capsys.readouterr().err
    assert run(["restore", target, "--home", str(tmp_path / "new"), "--replace", "--user", "u", "--space", "default"]) == 0
    assert "restored the space 'default' of 'u'" in capsys.readouterr().out
    assert run(["compact", *words, "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"before", "after"}
    assert run(["compact", *words]) == 0
    assert "bytes before" in capsys.readouterr().out


def test_a_backup_of_a_memory_that_is_not_there_makes_none(home, tmp_path, capsys):
    assert run(["backup", str(tmp_path / "b.zip"), "--user", "nobody", "--home", str(home)]) == 3
    assert "no memory of 'nobody'" in capsys.readouterr().err
    assert nothing_left(home, memory=True)


def test_compacting_removes_what_is_left_of_older_graphs(home, capsys):
    old = home / NAME / "graph" / "quarantine" / "g000001"
    old.mkdir(parents=True)
    (old / "graph.db").write_bytes(bytes(100_000))
    assert run(["compact", "--user", "u", "--home", str(home), "--json"]) == 0
    sizes = json.loads(capsys.readouterr().out)
    assert not old.exists()
    assert sizes["before"] > 100_000
    assert sizes["after"] == sum(path.stat().st_size for path in (home / NAME).rglob("*") if path.is_file())


def test_errors_carry_the_exit_codes_that_are_promised():
    assert (InputError("x").exit_code, StoreNewer("x").exit_code, StoreError("x").exit_code) == (2, 3, 3)
