"""The doctor names every damage with what mends it, has nothing to say against a sound memory, and changes nothing."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import StoreError
from graphmem.ledger import canonical
from graphmem.lifecycle.examine import examine, examine_home, report, spaces
from graphmem.owner import folder_name

SESSION = {
    "id": "s1",
    "started": "2025-05-14T10:30:00+03:00",
    "turns": [{"id": "t1", "role": "user", "text": "I live in Turku and I work at Nokia. I have two cats."}],
}
LATER = {
    "id": "s2",
    "started": "2025-09-14T10:30:00+03:00",
    "turns": [{"id": "t1", "role": "user", "text": "I moved to Lisbon last month. I like chess."}],
}
NAME = folder_name("u", "default")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A home with one sound memory, in which something was forgotten."""
    home = tmp_path_factory.mktemp("sound")
    with Memory.open(home, user="u") as memory:
        memory.ingest([SESSION, LATER])
        memory.forget(topic="chess")
        memory.remember("The wifi password is on the fridge")
    return home


@pytest.fixture
def folder(sound, tmp_path):
    """The folder of a memory to be damaged."""
    shutil.copytree(sound, tmp_path / "home")
    return tmp_path / "home" / NAME


def sql(folder, *statements):
    """Change the ledger the way someone with a SQLite shell could, and cover the tracks."""
    db = sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)
    triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        db.execute(statement)
    for _, statement in triggers:
        db.execute(statement)
    meta = dict(db.execute("SELECT name, value FROM meta WHERE name <> 'digest'"))
    digest = hashlib.sha256(canonical(meta).encode()).hexdigest()
    db.execute("UPDATE meta SET value = ? WHERE name = 'digest'", (digest,))
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()


def columns(folder, table):
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def flip(path, place, length=8):
    with path.open("r+b") as file:
        file.seek(place, os.SEEK_END if place < 0 else os.SEEK_SET)
        data = file.read(length)
        file.seek(-len(data), os.SEEK_CUR)
        file.write(bytes(byte ^ 0x5A for byte in data))


def current(folder):
    return folder / "graph" / (folder / "graph" / "current").read_text().strip()


def edit(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def replaced_by_link(path):
    away = path.parent.parent / f"away-{path.name}"
    path.rename(away)
    path.symlink_to(away)


def replaced_by_folder(path):
    path.unlink()
    path.mkdir()


def crowded(path):
    """Put a log beside the ledger that has a hole."""
    code = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode=WAL')\n"
        "for n in range(6): db.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (f'x{n}', 'x' * 3000))\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path / "ledger.sqlite"], check=True)
    log = path / "ledger.sqlite-wal"
    assert log.stat().st_size > 3 * 4120
    flip(log, 32 + 4120 + 1000)


GRAPH_MENDED = "graphmem rebuild"
BACKUP = "graphmem restore FILE --replace"


def in_graph(name):
    return lambda folder: current(folder) / name


DAMAGES = {
    "ledger missing": (lambda f: (f / "ledger.sqlite").unlink(), "ledger-missing", BACKUP),
    "ledger empty": (lambda f: (f / "ledger.sqlite").write_bytes(b""), "ledger-empty", BACKUP),
    "ledger no database": (lambda f: (f / "ledger.sqlite").write_bytes(b"no" * 9000), "ledger-unreadable", BACKUP),
    "ledger header flipped": (lambda f: flip(f / "ledger.sqlite", 0), "ledger-unreadable", BACKUP),
    "ledger cut short": (lambda f: os.truncate(f / "ledger.sqlite", 3 * 4096), "ledger-", BACKUP),
    "ledger page flipped": (lambda f: flip(f / "ledger.sqlite", 2 * 8192, 64), "ledger-", BACKUP),
    "ledger a link": (lambda f: replaced_by_link(f / "ledger.sqlite"), "link", "mv "),
    "ledger a folder": (lambda f: replaced_by_folder(f / "ledger.sqlite"), "wrong-type", "mv "),
    "ledger newer": (lambda f: sql(f, "PRAGMA user_version=99"), "ledger-newer", "pip install --upgrade graphmem"),
    "ledger of another": (lambda f: sql(f, "UPDATE meta SET value='x' WHERE name='user'"), "ledger-owner", "mv "),
    "ledger without owner": (lambda f: sql(f, "DELETE FROM meta WHERE name='user'"), "ledger-meta", BACKUP),
    "ledger without secret": (lambda f: sql(f, "DELETE FROM meta WHERE name='secret'"), "ledger-meta", BACKUP),
    "entry altered": (lambda f: sql(f, "UPDATE entry SET hash = 'x' WHERE seq = 2"), "ledger-chain", BACKUP),
    "last entries gone": (lambda f: cut(f), "ledger-tail", BACKUP),
    "head of another": (lambda f: (f / "head.json").write_text(json.dumps([1, "0" * 64])), "ledger-rewritten", BACKUP),
    "head beyond the end": (lambda f: (f / "head.json").write_text(json.dumps([99, "0" * 64])), "ledger-tail", BACKUP),
    "head garbled": (lambda f: (f / "head.json").write_text("{"), "head-garbled", GRAPH_MENDED),
    "head of another shape": (lambda f: (f / "head.json").write_text('["a", 1]'), "head-garbled", GRAPH_MENDED),
    "head a folder": (lambda f: replaced_by_folder(f / "head.json"), "wrong-type", "mv "),
    "log of the ledger": (crowded, "ledger-log", BACKUP),
    "payload altered": (lambda f: payload(f, "'{}'"), "ledger-chain", BACKUP),
    "payload missing": (lambda f: payload(f, "NULL"), "ledger-chain", BACKUP),
    "erasure not finished": (
        lambda f: sql(f, "DELETE FROM meta WHERE name='erasures_done'"),
        "erasure-unfinished",
        GRAPH_MENDED,
    ),
    "graph missing": (lambda f: shutil.rmtree(f / "graph"), "graph-missing", GRAPH_MENDED),
    "graph emptied": (lambda f: (shutil.rmtree(f / "graph"), (f / "graph").mkdir()), "graph-missing", GRAPH_MENDED),
    "graph a link": (lambda f: replaced_by_link(f / "graph"), "link", "mv "),
    "graph a file": (lambda f: (shutil.rmtree(f / "graph"), (f / "graph").write_text("")), "wrong-type", "mv "),
    "pointer missing": (lambda f: (f / "graph/current").unlink(), "pointer-missing", GRAPH_MENDED),
    "pointer empty": (lambda f: (f / "graph/current").write_text(""), "pointer-garbled", GRAPH_MENDED),
    "pointer garbled": (lambda f: (f / "graph/current").write_bytes(b"\xff../.."), "pointer-garbled", GRAPH_MENDED),
    "pointer dangling": (lambda f: (f / "graph/current").write_text("g999999"), "pointer-dangling", GRAPH_MENDED),
    "pointer a link": (lambda f: replaced_by_link(f / "graph/current"), "link", "mv "),
    "database missing": (lambda f: in_graph("graph.db")(f).unlink(), "generation-missing", GRAPH_MENDED),
    "database cut short": (lambda f: os.truncate(in_graph("graph.db")(f), 4000), "generation-altered", GRAPH_MENDED),
    "database longer": (lambda f: in_graph("graph.db")(f).open("ab").write(b"x"), "generation-altered", GRAPH_MENDED),
    "database flipped": (lambda f: flip(in_graph("graph.db")(f), 2000), "generation-altered", GRAPH_MENDED),
    "database foreign": (lambda f: in_graph("graph.db")(f).write_bytes(b"PK" * 900), "generation-magic", GRAPH_MENDED),
    "database a link": (lambda f: replaced_by_link(in_graph("graph.db")(f)), "link", "mv "),
    "manifest missing": (lambda f: in_graph("manifest.json")(f).unlink(), "manifest-missing", GRAPH_MENDED),
    "manifest garbled": (lambda f: in_graph("manifest.json")(f).write_text("[]"), "manifest-garbled", GRAPH_MENDED),
    "manifest without sum": (lambda f: bare(in_graph("manifest.json")(f)), "manifest-garbled", GRAPH_MENDED),
    "engine unknown": (lambda f: edit(in_graph("manifest.json")(f), engine="neo"), "generation-engine", GRAPH_MENDED),
    "schema newer": (lambda f: edit(in_graph("manifest.json")(f), schema=99), "generation-schema", GRAPH_MENDED),
    "other vectors": (lambda f: edit(in_graph("manifest.json")(f), dimension=7), "generation-dimension", GRAPH_MENDED),
    "state missing": (lambda f: in_graph("state.json")(f).unlink(), "state-missing", GRAPH_MENDED),
    "state garbled": (lambda f: in_graph("state.json")(f).write_text("{"), "state-garbled", GRAPH_MENDED),
    "log shorter": (lambda f: os.truncate(in_graph("graph.db.wal")(f), 100), "log-shorter", GRAPH_MENDED),
    "log missing": (lambda f: in_graph("graph.db.wal")(f).unlink(), "log-shorter", GRAPH_MENDED),
    "log longer": (lambda f: in_graph("graph.db.wal")(f).open("ab").write(b"x"), "log-longer", GRAPH_MENDED),
    "log flipped": (lambda f: flip(in_graph("graph.db.wal")(f), 50), "log-altered", GRAPH_MENDED),
    "lock a folder": (lambda f: ((f / "lock").unlink(missing_ok=True), (f / "lock").mkdir()), "wrong-type", "mv "),
}


def cut(folder):
    """Take the last entry away with all that belongs to it, so that the chain itself holds."""
    last = "(SELECT MAX(seq) FROM entry)"
    of_vector = "seq" if "seq" in columns(folder, "vector") else "place >> 24"
    for table, place in (("payload", "seq"), ("subject", "seq"), ("vector", of_vector), ("entry", "seq")):
        sql(folder, f"DELETE FROM {table} WHERE {place} = {last}")


def payload(folder, body):
    sql(folder, f"UPDATE payload SET body = {body} WHERE seq = (SELECT MIN(seq) FROM payload WHERE body IS NOT NULL)")


def bare(path):
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({name: kept[name] for name in ("engine", "schema", "dimension")}))


def files(folder):
    """What lies in a folder, without reading it; the index of a log is SQLite's lock, and made anew after a crash."""
    return sorted(
        (str(path.relative_to(folder)), path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
        if not path.name.endswith("-shm")
    )


def damages(found):
    return [item for item in found if item.severity == "damage"]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_is_named_with_what_mends_it_and_left_as_it_is(folder, name):
    damage, kind, command = DAMAGES[name]
    damage(folder)
    before = files(folder)
    found = damages(examine(folder))
    assert files(folder) == before
    assert any(item.kind.startswith(kind) and item.command.startswith(command) for item in found), found
    assert all("\n" not in item.text and len(item.text) < 400 for item in found)


def test_there_are_at_least_thirty_damages():
    assert len(DAMAGES) >= 30


def test_a_sound_memory_has_nothing_against_it_and_is_left_as_it_is(folder):
    folder.chmod(0o700)
    before = files(folder)
    assert [item for item in examine(folder) if item.kind != "disk-low"] == []
    assert files(folder) == before
    known = report(folder)
    assert (known.user, known.space, known.damaged) == ("u", "default", False)
    assert known.entries and known.entries > 3


def test_a_memory_in_use_in_this_process_has_nothing_against_it_and_works_on(folder):
    with Memory.open(folder.parent, user="u") as memory:
        memory.remember("The key hangs by the door")
        assert damages(examine(folder)) == []
        memory.remember("The ladder stands in the shed")
        assert damages(examine(folder)) == []
        assert memory.verify().problems == ()
    assert damages(examine(folder)) == []


def test_a_memory_in_use_in_another_process_has_nothing_against_it(folder):
    code = (
        "import sys; from graphmem import Memory\n"
        "with Memory.open(sys.argv[1], user='u') as memory:\n"
        "    memory.remember('The key hangs by the door'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, folder.parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"open\n"
        assert damages(examine(folder)) == []
        other.stdin.close()
        assert other.wait(60) == 0
    assert damages(examine(folder)) == []


def test_a_memory_whose_process_was_killed_is_not_damaged(folder):
    code = (
        "import os, sys; from graphmem import Memory\n"
        "memory = Memory.open(sys.argv[1], user='u'); memory.remember('The key hangs by the door'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, folder.parent], check=True)
    found = examine(folder)
    assert damages(found) == []
    assert "not-closed" in {item.kind for item in found}
    (folder / "ledger.sqlite-shm").unlink(missing_ok=True)
    assert damages(examine(folder)) == []
    assert not (folder / "ledger.sqlite-shm").exists()


NOTES = {
    "foreign file": (lambda f: (f / "rows.csv").write_text("a,b"), "foreign-file", "mv "),
    "foreign file in the graph": (lambda f: (f / "graph/rows.csv").write_text("a,b"), "foreign-file", "mv "),
    "foreign file in a generation": (lambda f: (current(f) / "rows.csv").write_text("a"), "foreign-file", "mv "),
    "foreign link": (lambda f: (f / "x").symlink_to("/"), "link", "mv "),
    "stopped write": (lambda f: (f / "head.json.new").write_text("["), "leftover", "rm -r "),
    "stopped write in the graph": (lambda f: (f / "graph/current.new").write_text(""), "leftover", "rm -r "),
    "quarantine": (lambda f: (f / "graph/quarantine/g000001").mkdir(parents=True), "quarantine", "graphmem compact"),
    "old generation": (lambda f: (f / "graph/g000900").mkdir(), "generation-leftover", "graphmem compact"),
    "copy of a dead process": (lambda f: (f / "graph/p-0123456789abcdef").mkdir(), "copy-leftover", "graphmem compact"),
    "open to others": (lambda f: f.chmod(0o755), "rights-open", "chmod -R go-rwx "),
    "not closed": (lambda f: edit(in_graph("state.json")(f), clean=False), "not-closed", GRAPH_MENDED),
    "older schema": (lambda f: edit(in_graph("manifest.json")(f), schema=0), "generation-older", GRAPH_MENDED),
}


@pytest.mark.parametrize("name", NOTES)
def test_what_is_good_to_know_is_noted_and_is_no_damage(folder, name):
    folder.chmod(0o700)
    make, kind, command = NOTES[name]
    make(folder)
    before = files(folder)
    found = [item for item in examine(folder) if item.kind != "disk-low"]
    assert files(folder) == before
    assert [(item.kind, item.severity) for item in found] == [(kind, "note")]
    assert found[0].command.startswith(command)


def test_a_copy_of_a_living_process_is_not_left_behind(folder):
    filelock = pytest.importorskip("filelock")
    own = folder / "graph/p-0123456789abcdef"
    own.mkdir()
    with filelock.FileLock(own / "lock"):
        assert "copy-leftover" not in {item.kind for item in examine(folder)}
    assert "copy-leftover" in {item.kind for item in examine(folder)}


def test_an_erasure_that_somebody_is_at_is_no_damage(folder):
    filelock = pytest.importorskip("filelock")
    DAMAGES["erasure not finished"][0](folder)
    with filelock.FileLock(folder / "lock"):
        assert [(item.kind, item.severity) for item in examine(folder) if "erasure" in item.kind] == [
            ("erasure-unfinished", "note")
        ]
    assert [item.kind for item in damages(examine(folder))] == ["erasure-unfinished"]


def test_a_full_disk_is_noted(folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 1000))
    assert "disk-low" in {item.kind for item in examine(folder)}


def test_an_engine_that_is_not_installed_is_named(folder, monkeypatch):
    from graphmem.lifecycle import examine_graph

    monkeypatch.setattr(examine_graph, "find_spec", lambda name: None if name == "kuzu" else object())
    [found] = [item for item in examine(folder) if item.kind == "engine-missing"]
    assert found.command.startswith("graphmem rebuild --engine ladybug")


def test_what_was_erased_and_is_there_again_is_named(folder):
    path = str(folder / "ledger.sqlite")
    with sqlite3.connect(path) as db:
        kept = db.execute("SELECT * FROM payload WHERE body IS NOT NULL").fetchall()
    db.close()
    with Memory.open(folder.parent, user="u") as memory:
        memory.forget(topic="cats")
    with sqlite3.connect(path) as db:
        db.executemany(f"REPLACE INTO payload VALUES ({', '.join('?' * len(kept[0]))})", kept)
    db.close()
    # A ledger that sums up its vectors sees already by these that the entry is not as it should be.
    assert {"erased-present", "ledger-chain"} & {item.kind for item in damages(examine(folder))}


def test_what_stopped_restores_left_in_a_home_is_named(folder):
    home = folder.parent
    (home / ".restore-1/new" / NAME).mkdir(parents=True)
    assert [(item.kind, item.severity) for item in examine_home(home)] == [("restore-leftover", "note")]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(StoreError, match="no folder"):
        examine(tmp_path / "nothing")
    assert spaces(tmp_path / "nothing") == []


def test_the_mending_command_mends(folder, capsys):
    """For damages of the graph the named command is run as it stands."""
    import shlex

    for name in ("pointer garbled", "database flipped", "log flipped", "manifest missing"):
        DAMAGES[name][0](folder)
        [found] = damages(examine(folder))
        assert run(shlex.split(found.command)[1:]) == 0, name
        assert damages(examine(folder)) == [], name
    capsys.readouterr()


# ---------------------------------------------------------------------- command line


def test_the_command_looks_at_every_memory_in_the_home(folder, capsys):
    home = folder.parent
    with Memory.open(home, user="other", space="work") as memory:
        memory.remember("The key hangs by the door")
    assert run(["doctor", "--home", str(home)]) == 0
    said = capsys.readouterr().out
    assert "default of u" in said
    assert "work of other" in said
    (folder / "graph/current").unlink()
    assert run(["doctor", "--home", str(home)]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("damage")]
    assert len(lines) == 1
    assert "graphmem rebuild --user u --space default" in lines[0]
    assert run(["doctor", "--home", str(home), "--user", "other"]) == 0
    assert run(["doctor", "--home", str(home), "--user", "u"]) == 1
    assert run(["doctor", "--home", str(home), "--user", "u", "--space", "default"]) == 1
    capsys.readouterr()


def test_the_document_holds_the_findings(folder, capsys):
    (folder / "ledger.sqlite").write_bytes(b"no" * 9000)
    assert run(["doctor", "--home", str(folder.parent), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    [space] = document["spaces"]
    assert not document["ok"]
    assert not space["ok"]
    assert "ledger-unreadable" in {item["kind"] for item in space["findings"]}
    assert {"kind", "severity", "place", "text", "command"} == set(space["findings"][0])


def test_a_memory_that_is_not_there_and_wrong_use(folder, capsys):
    assert run(["doctor", "--home", str(folder.parent), "--user", "nobody"]) == 3
    assert run(["doctor", "--home", str(folder.parent), "--space", "default"]) == 2
    assert run(["doctor", "--home", str(folder.parent), "--user", "*"]) == 2
    assert all("Traceback" not in line for line in capsys.readouterr().err.splitlines())
    assert not (folder.parent / folder_name("nobody", "default")).exists()


def test_looking_holds_nothing_of_what_was_remembered(folder):
    for damage, _, _ in (DAMAGES["payload altered"], DAMAGES["log flipped"]):
        damage(folder)
    said = " ".join(f"{item.text} {item.place}" for item in examine(folder))
    assert not any(word in said for word in ("Turku", "Lisbon", "fridge"))
    assert isinstance(folder, Path)
