"""A sealed memory answers as a plain one does, and its files say nothing without the key."""

import os
import shutil
import sqlite3
import sys
import types
from contextlib import closing

import click
import pytest

pytest.importorskip("cryptography", reason="needs the extra `sealed`")

from hypothesis import given
from hypothesis import strategies as st
from sealed_world import SAID, STARTED, Drawn, Ticks, files, fill, key, objects, stopped_at, take

from graphmem import Memory
from graphmem.cli import run as command_line
from graphmem.cli.passphrases import unsealed
from graphmem.errors import GraphmemError, InputError, KeyUnavailable, LedgerDamaged, SealBroken, StoreError
from graphmem.head import LEDGER
from graphmem.ledger import Ledger
from graphmem.lifecycle.sealed import copy_keys, destroy_key
from graphmem.owner import folder_name
from graphmem.sealing import Callback, Keyring, Passphrase, workplace
from graphmem.sealing.ciphers import Blocks, Box, padded, unpadded
from graphmem.sealing.keys import Keys
from graphmem.sealing.keys_file import keys_of
from graphmem.unlocking import Sealing, unlocked

EVERYTHING = sorted(text for texts in SAID.values() for text in texts)
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
in_memory = pytest.mark.skipif(workplace.memory_folder() is None, reason="needs a folder in memory")
pytestmark = in_memory


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = tmp_path_factory.mktemp("sealed")
    with Memory.open(home, user="u", key=key()) as memory:
        fill(memory)
        memory.backup(home / "kept.graphmem")
    return home


@pytest.fixture
def home(made, tmp_path):
    shutil.copytree(made, tmp_path / "home")
    return tmp_path / "home"


def folder(home, user="u", space="default"):
    return home / folder_name(user, space)


def keys(home, user="u", space="default"):
    return keys_of(folder(home, user, space))


def opened(home, **how):
    return Memory.open(home, user="u", **{"key": key(), **how})


def read(home, **how):
    with opened(home, **how) as memory:
        assert memory.verify().problems == ()
        return objects(memory)


# --- what the files say ------------------------------------------------------------------------------------------


def needles():
    texts = [*EVERYTHING, *SAID, "Ottoline", *(text[5:30] for text in EVERYTHING)]
    found = {text: [text.encode(), text.encode("utf-16-le"), text.encode("ascii", "backslashreplace")] for text in texts}
    return found


def vectors_in(memory):
    rows = [row for rows in memory._space.ledger.vectors().values() for row in rows]
    return {f"vector {row[4][:32].hex()}": [row[4][:32]] for row in rows}


def hits(folder, vectors=()):
    data = b"\0".join(files(folder).values())
    return {name for name, forms in {**needles(), **dict(vectors)}.items() if any(form in data for form in forms)}


def test_no_file_says_what_was_said_and_a_plain_one_does(tmp_path):
    found = {}
    for name, how in (("plain", {}), ("sealed", {"key": key()})):
        home = tmp_path / name
        with Memory.open(home, user="u", **how) as memory:
            fill(memory)
            memory.recall("Who keeps beehives?")
            vectors = vectors_in(memory)
            open_ = hits(home, vectors)
            memory.forget(session="walk with Philippa")
            take(memory, "letter to Thorvald again", SAID["letter to Thorvald"])
            memory.backup(home / "kept.graphmem")
        found[name] = open_, hits(home, vectors)
    assert found["sealed"] == (set(), set())
    # The control: what is looked for would be found.
    assert found["plain"][0] >= {"Ottoline", *SAID, *EVERYTHING, *vectors} and len(vectors) > 10


def test_lengths_are_told_in_steps_and_the_chains_salts_and_commitments_not_at_all(home):
    with closing(sqlite3.connect(folder(home) / LEDGER)) as db:
        assert {len(data) % 256 for (data,) in db.execute("SELECT body FROM payload")} == {8 + 12 + 16}
        assert {len(data) % 256 for (data,) in db.execute("SELECT data FROM vector")} == {8 + 12 + 16}
        assert set(db.execute("SELECT salt FROM payload")) == {(None,)}
        kept = {bytes(data) for (data,) in db.execute("SELECT commitment FROM entry")}
    with opened(home) as memory:
        real = {bytes.fromhex(row.commitment) for row in memory._space.ledger.rows()}
        secret = memory._space.ledger.secret
    data = b"".join(files(home).values())
    assert not any(promise in data for promise in real) and len(kept) == len(real)
    assert secret.encode() not in data and bytes.fromhex(secret) not in data


def test_equal_texts_are_sealed_each_in_its_own_way():
    one, other = Box(bytes(32)).seal(b"the same", b"a"), Box(bytes(32)).seal(b"the same", b"a")
    assert one != other
    with pytest.raises(ValueError, match="altered"):
        Box(bytes(32)).open(one, b"b")
    assert unpadded(padded(b"x" * 300)) == b"x" * 300 and len(padded(b"x" * 300)) == 512
    names = Blocks(bytes(32))
    assert names.open(names.seal(bytes(range(32)))) == bytes(range(32))


# --- the same as a plain one -------------------------------------------------------------------------------------


def told(memory, tmp_path, name):
    """Everything that a memory says in one course of acts."""
    fill(memory)
    said = [memory.statements(), memory.changes(), memory.sessions(), memory.profile(), memory.anchor()]
    one = memory.statements(kind="fact")[0]
    said += [memory.trace(one.id), [hit.statement for hit in memory.recall("lighthouse at Smögen").hits]]
    memory.confirm(one.id, content_hash=one.content_hash)
    memory.retract(memory.statements(kind="fact")[1].id, reason="a slip")
    memory.forget(session="walk with Philippa")
    memory.compact()
    said += [memory.statements(), memory.changes(), memory.verify(), memory.anchor(), memory.dump(format="nquads")]
    memory.backup(tmp_path / f"{name}.graphmem")
    return said


def test_a_sealed_memory_says_what_a_plain_one_says_down_to_the_hashes(tmp_path):
    answers = []
    for name, how in (("plain", {}), ("sealed", {"key": key()})):
        clock = Ticks()
        with Memory.open(tmp_path / name, user="u", clock=clock, entropy=Drawn(), **how) as memory:
            answers.append(told(memory, tmp_path, name))
            kept = memory.statements()
        with Memory.open(tmp_path / name, user="u", clock=clock, **how) as memory:
            assert memory.statements() == kept and memory.notices == () and memory.verify().problems == ()
        shutil.rmtree(folder(tmp_path / name))
        with Memory.restore(tmp_path / f"{name}.graphmem", home=tmp_path / name, clock=clock, **how) as memory:
            assert memory.statements() == kept and memory.verify().problems == ()
    plain, sealed = answers
    for number, (one, other) in enumerate(zip(plain, sealed, strict=True)):
        assert one == other, number


def test_vectors_move_to_another_embedder(home, monkeypatch):
    from machine_parts import Wider

    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Wider())
    with opened(home) as memory:
        assert memory.reembed(embedder="wider") > 0
    with opened(home, embedder="wider") as memory:
        assert memory.verify().problems == () and objects(memory) == EVERYTHING
        assert {len(row[4]) for rows in memory._space.ledger.vectors().values() for row in rows} == {13}


def test_two_memories_of_one_space_follow_each_other(home):
    with opened(home) as one, opened(home) as other:
        take(one, "new", ["I bought a kayak in Vardø"])
        assert "I bought a kayak in Vardø" in objects(other)
        one.rotate(deep=True)
        take(other, "newer", ["I sold the kayak in Vadsø"])
        assert "I sold the kayak in Vadsø" in objects(one)
        one.forget(all=True)
        assert objects(other) == []
        take(other, "newest", ["I rent a canoe in Tromsø"])
        assert objects(one) == ["I rent a canoe in Tromsø"]
    assert read(home) == ["I rent a canoe in Tromsø"]


@forks
def test_two_processes_write_to_one_sealed_memory(home):
    child = os.fork()
    if not child:
        status = 1
        try:
            with opened(home, wait=30) as memory:
                for number in range(4):
                    take(memory, f"theirs {number}", [f"I saw owl number {number}"])
            status = 0
        finally:
            os._exit(status)
    with opened(home, wait=30) as memory:
        for number in range(4):
            take(memory, f"ours {number}", [f"I saw elk number {number}"])
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        told = [f"I saw {what} number {number}" for what in ("elk", "owl") for number in range(4)]
        assert objects(memory) == sorted([*EVERYTHING, *told]) and memory.verify().problems == ()


@given(st.binary(max_size=700), st.binary(min_size=1, max_size=40))
def test_what_is_sealed_comes_back_and_nothing_else_does(data, about):
    box = Box(bytes(32))
    sealed = box.seal(padded(data), about)
    assert unpadded(box.open(sealed, about)) == data and len(sealed) % 256 == 28
    with pytest.raises(ValueError, match="altered"):
        box.open(altered(sealed, len(data) % len(sealed)), about)


# --- without the key ---------------------------------------------------------------------------------------------


def test_a_space_is_sealed_or_plain_from_its_beginning(home, tmp_path):
    with Memory.open(tmp_path / "plain", user="u") as memory:
        take(memory, "s", ["I own a barge"])
    before = files(tmp_path / "plain")
    with pytest.raises(InputError, match="restore"):
        Memory.open(tmp_path / "plain", user="u", key=key())
    with pytest.raises(InputError, match="Passphrase"):
        Memory.open(tmp_path / "other", user="u", key="text")
    assert files(tmp_path / "plain") == before
    before = files(home)
    for how, said in (({"key": None}, "sealed"), ({"key": key("another")}, "passphrase")):
        with pytest.raises(KeyUnavailable, match=said):
            opened(home, **how)
    assert files(home) == before and read(home) == EVERYTHING


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "short", "foreign", "garbage"])
def test_keys_that_cannot_be_used_are_told_and_nothing_is_written(home, how):
    place = keys(home)
    kept = place.read_bytes()
    if how == "missing":
        place.unlink()
    elif how == "foreign":
        with Memory.open(home, user="other", key=key()) as memory:
            take(memory, "s", ["I own a barge"])
        shutil.copyfile(keys(home, "other"), place)
    else:
        place.write_bytes({"empty": b"", "cut": kept[: len(kept) // 2], "short": kept[:100], "garbage": b"x" * 9000}[how])
    before = files(home)
    with pytest.raises(KeyUnavailable, match="put"):
        opened(home)
    assert {name: data for name, data in files(home).items() if not name.endswith(("-shm", "-wal"))} == before
    place.write_bytes(kept)
    assert read(home) == EVERYTHING


def test_keys_whose_ledger_is_gone_are_not_used_for_another(home):
    shutil.rmtree(folder(home))
    kept = keys(home).read_bytes()
    for how in ({}, {"key": None}):
        with pytest.raises(KeyUnavailable, match="ledger"):
            opened(home, **how)
    with Memory.restore(home / "kept.graphmem", home=home, replace=True, key=key()) as memory:
        assert objects(memory) == EVERYTHING
    assert len(keys(home).read_bytes()) == len(kept)


def altered(data, place):
    return data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1 :]


def test_a_changed_byte_of_the_ledger_never_gives_other_words(home):
    path = folder(home) / LEDGER
    kept, outcomes = path.read_bytes(), {"same": 0, "told": 0}
    how = {"clock": lambda: STARTED, "entropy": Drawn(), "owner": ("u", "default")}
    with unlocked(folder(home), "u", Sealing(key())), closing(Ledger(path, **how)) as ledger:
        real = [(entry.hash, entry.body) for entry in ledger.entries()]
    real_vectors = None
    for place in range(3, len(kept), len(kept) // 83):
        path.write_bytes(altered(kept, place))
        with unlocked(folder(home), "u", Sealing(key())):
            try:
                with closing(Ledger(path, read_only=True, **how)) as ledger:
                    found, vectors = [(entry.hash, entry.body) for entry in ledger.entries()], ledger.vectors()
                    damage = ledger.damage
            except GraphmemError as error:
                assert isinstance(error, StoreError) and "\n" not in str(error)
                outcomes["told"] += 1
                continue
        assert found == real[: len(found)] and (damage or len(found) == len(real))
        if not damage:
            real_vectors = real_vectors or vectors
            assert vectors == real_vectors
        outcomes["told" if damage else "same"] += 1
    assert outcomes["told"] > 15  # most of a small file is empty
    path.write_bytes(kept)
    assert read(home) == EVERYTHING


def test_a_changed_byte_of_the_keys_never_opens_anything_else(home):
    place = keys(home)
    with closing(Keys(place, user="u", provider=key())) as one:
        numbers = [number for (number,) in one._db.execute("SELECT id FROM record")]
        real = [one.key(number) for number in numbers]
    kept, told = place.read_bytes(), 0
    for at in range(5, len(kept), len(kept) // 61):
        place.write_bytes(altered(kept, at))
        try:
            with closing(Keys(place, user="u", provider=key())) as one:
                assert [one.key(number) for number in numbers] == real
        except GraphmemError as error:
            assert isinstance(error, KeyUnavailable | SealBroken | StoreError), error
            told += 1
        for beside in place.parent.glob("keys.sqlite-*"):
            beside.unlink()
    assert told > 10
    place.write_bytes(kept)
    assert read(home) == EVERYTHING


def test_entries_cannot_change_places_nor_keys(home):
    with closing(sqlite3.connect(folder(home) / LEDGER)) as db:
        rows = db.execute("SELECT seq, body FROM payload ORDER BY seq LIMIT 2").fetchall()
        for seq, body in ((rows[0][0], rows[1][1]), (rows[1][0], rows[0][1])):
            db.execute("UPDATE payload SET body = ? WHERE seq = ?", (body, seq))
        db.commit()
    with opened(home) as memory:
        assert "entry 1" in memory.notices[0] and memory.statements() == []
        with pytest.raises(LedgerDamaged):
            take(memory, "s", ["I own a barge"])


def test_a_lost_record_key_is_told_with_its_remedy(home):
    kept = keys(home).read_bytes()
    with closing(sqlite3.connect(keys(home))) as db:
        db.execute("DELETE FROM record WHERE id = 2")
        db.commit()
    with pytest.raises(SealBroken, match="newer copy"), opened(home) as memory:
        memory.statements()
    for beside in keys(home).parent.glob("keys.sqlite-*"):
        beside.unlink()
    keys(home).write_bytes(kept)
    assert read(home) == EVERYTHING


# --- erasing -----------------------------------------------------------------------------------------------------


def test_what_was_forgotten_cannot_be_read_from_an_older_copy_without_older_keys(home, tmp_path):
    copy_keys(home, tmp_path / "keys.copy", user="u")
    old = (folder(home) / LEDGER).read_bytes()
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
    left = [text for text in EVERYTHING if text not in SAID["letter to Thorvald"]]
    assert read(home) == left
    (folder(home) / LEDGER).write_bytes(old)
    with unlocked(folder(home), "u", Sealing(key())):
        how = {"clock": lambda: STARTED, "entropy": Drawn(), "owner": ("u", "default"), "read_only": True}
        with closing(Ledger(folder(home) / LEDGER, **how)) as ledger:
            assert "key was destroyed" in ledger.damage
            assert "Thorvald" not in str([entry.body for entry in ledger.entries()])
    with pytest.raises(KeyUnavailable, match="from before an erasure, which destroyed keys"):
        Memory.restore(home / "kept.graphmem", home=home, space="again", key=key())
    # With the keys of that time it is put back, and what was erased since is erased again.
    with pytest.raises(KeyUnavailable, match="missing"):
        Memory.restore(home / "kept.graphmem", home=home, space="again", key=key(), keys=tmp_path / "then")
    place = keys_of(folder(home, space="again"), tmp_path / "then")
    place.parent.mkdir(parents=True)
    shutil.copyfile(tmp_path / "keys.copy", place)
    with Memory.restore(home / "kept.graphmem", home=tmp_path / "new", space="again", key=key(), keys=tmp_path / "then") as m:
        assert objects(m) == EVERYTHING


def test_with_its_key_destroyed_no_payload_and_no_backup_can_be_read_and_others_can(home):
    with Memory.open(home, user="other", key=key()) as memory:
        take(memory, "s", ["I own a barge"])
    with opened(home) as memory:
        count = memory._space.ledger.head()[0]
    destroy_key(home, user="u")
    destroy_key(home, user="u")
    for attempt in (lambda: opened(home), lambda: Memory.restore(home / "kept.graphmem", home=home, space="b", key=key())):
        with pytest.raises(KeyUnavailable, match="destroyed"):
            attempt()
    with closing(sqlite3.connect(keys(home))) as db:
        assert db.execute("SELECT count(*) FROM record WHERE data IS NOT NULL").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM wrapped").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM record").fetchone()[0] > count
    with Memory.open(home, user="other", key=key()) as memory:
        assert objects(memory) == ["I own a barge"]


def test_keys_that_were_destroyed_leave_no_bytes(home):
    with closing(sqlite3.connect(keys(home))) as db:
        old = {bytes(data) for (data,) in db.execute("SELECT data FROM record WHERE id > 0")}
    with opened(home) as memory:
        memory.forget(all=True)
    left = b"".join(path.read_bytes() for path in keys(home).parent.iterdir())
    assert len(old) > 10 and not any(data[12:] in left for data in old)
    with opened(home) as memory:
        assert memory.statements() == []
        take(memory, "s", ["I own a barge"])
    assert read(home) == ["I own a barge"]


# --- rotation ----------------------------------------------------------------------------------------------------


def test_rotation_changes_the_keys_and_not_the_ledger(home):
    before = (folder(home) / LEDGER).read_bytes()
    with closing(Keys(keys(home), user="u", provider=key())) as one:
        assert one.rotate(key("new words")) == 1
        assert one.rotate(deep=True) > 10
    assert (folder(home) / LEDGER).read_bytes() == before
    with pytest.raises(KeyUnavailable, match="passphrase"):
        opened(home)
    assert read(home, key=key("new words")) == EVERYTHING
    with opened(home, key=key("new words")) as memory:
        assert memory.rotate(key()) == 1
        take(memory, "s", ["I own a barge"])
    assert read(home) == sorted([*EVERYTHING, "I own a barge"])


def test_a_provider_that_fails_leaves_the_old_key(home):
    def fails(data, about):
        raise RuntimeError("no network")

    with opened(home) as memory, pytest.raises(KeyUnavailable, match="callback"):
        memory.rotate(Callback(fails, fails))
    assert read(home) == EVERYTHING


# --- kills -------------------------------------------------------------------------------------------------------


def write(home):
    with opened(home) as memory:
        take(memory, "new", ["I own a barge"])


def erase(home):
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")


def reset(home):
    with opened(home) as memory:
        memory.forget(all=True)


def rotate(home, **how):
    with opened(home) as memory:
        memory.rotate(**how)


def deep(home):
    rotate(home, deep=True)


def rekey(home):
    rotate(home, key=key("new words"))


NEW = sorted([*EVERYTHING, "I own a barge"])
LESS = [text for text in EVERYTHING if text not in SAID["letter to Thorvald"]]
KILLS = [
    (write, "ledger.begun ledger.entry keys.before-commit keys.committed ledger.committed write.before-graph", NEW),
    (erase, "erase.noted keys.committed erase.blanked keys.shredded erase.truncated erase.rebuilt erase.done", LESS),
    (reset, "reset.graph-gone reset.ledger-gone keys.before-renewal keys.renewed", []),
    (deep, "keys.rotation-begun keys.before-rotation keys.rotated", EVERYTHING),
    (rekey, "keys.rotation-begun keys.before-rotation keys.rotated", EVERYTHING),
]
# Those at which a sealed memory does nothing but what a plain one does.
USUAL = {"ledger.entry", "write.before-graph", "erase.truncated", "erase.rebuilt", "erase.done", "reset.graph-gone"}
POINTS = [
    pytest.param(act, name, after, id=f"{act.__name__}-{name}", marks=[pytest.mark.long] if name in USUAL else [])
    for act, names, after in KILLS
    for name in names.split()
]


@forks
@pytest.mark.parametrize(("act", "name", "after"), POINTS)
def test_a_kill_at_a_named_step_leaves_before_or_after(home, act, name, after):
    assert stopped_at(name, lambda: act(home))
    try:
        found = read(home)
    except KeyUnavailable:
        assert act is rekey and name == "keys.rotated"
        found = read(home, key=key("new words"))
    assert found in (EVERYTHING, after)
    if act in (erase, reset) and name != "keys.committed":  # once noted it is carried out
        assert found == after
    if act in (write, erase):
        act(home)
        assert read(home) == after


@forks
@pytest.mark.parametrize("name", ["keys.before-destruction", "keys.destroyed"])
def test_a_kill_while_a_key_is_destroyed(home, name):
    assert stopped_at(name, lambda: destroy_key(home, user="u"))
    if name == "keys.before-destruction":
        assert read(home) == EVERYTHING
        destroy_key(home, user="u")
    with pytest.raises(KeyUnavailable, match="destroyed"):
        opened(home)


@forks
def test_a_memory_that_was_killed_while_it_was_made_can_be_made(tmp_path):
    for name in ("keys.committed", "ledger.begun"):
        home = tmp_path / name
        assert stopped_at(name, lambda home=home: write(home))
        write(home)
        assert read(home) == ["I own a barge"]


# --- the place of the graph --------------------------------------------------------------------------------------


def test_the_graph_lies_in_memory_for_its_owner_alone_and_goes_at_closing(home):
    with opened(home) as memory:
        memory.statements()
        place = memory._space.works
        assert place.parent == workplace.memory_folder() and place.stat().st_mode & 0o777 == 0o700
        assert any((place / "graph").iterdir()) and not (folder(home) / "graph").exists()
        take(memory, "s", ["I own a barge"])
        assert sorted(path.name for path in folder(home).iterdir()) == [
            "ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal", "lock",
        ] or not (folder(home) / "graph").exists()  # fmt: skip
    assert not place.exists()


def test_without_a_folder_in_memory_the_disk_is_used_only_if_that_was_allowed(home, tmp_path, monkeypatch):
    monkeypatch.setattr(workplace, "memory_folder", lambda: None)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with opened(home) as memory, pytest.raises(StoreError, match="allow_disk_workcopy"):
        memory.statements()
    with opened(home, allow_disk_workcopy=True) as memory:
        assert objects(memory) == EVERYTHING
        assert any("unsealed on the disk" in notice for notice in memory.notices)
    assert not list(tmp_path.glob(f"{workplace.PREFIX}*"))


def test_a_sealed_memory_that_sleeps_holds_no_file_and_wakes_by_itself(home):
    with opened(home) as memory:
        memory.statements()
        place, door = memory._space.works, memory._space.turn
        assert memory._space.sleep() and not place.exists() and door.ledgers == 0
        take(memory, "s", ["I own a barge"])
        assert objects(memory) == NEW
    assert read(home) == NEW


@forks
def test_what_a_killed_process_left_in_memory_is_removed_by_the_next(home, monkeypatch):
    account = f"test{os.getpid()}"  # apart from what others do at the same time
    monkeypatch.setattr(workplace, "_account", lambda: account)

    def left():
        return list(workplace.memory_folder().glob(f"{workplace.PREFIX}{account}-*"))

    assert stopped_at("write.after-graph", lambda: write(home))
    assert left()
    with opened(home):
        assert not left()


# --- copies ------------------------------------------------------------------------------------------------------


def test_a_backup_holds_no_key_and_a_copy_of_the_keys_opens_it_elsewhere(home, tmp_path):
    kept = copy_keys(home, tmp_path / "keys.copy", user="u")
    assert kept.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="exists"):
        copy_keys(home, kept, user="u")
    with closing(sqlite3.connect(kept)) as db:
        wrapped = [bytes(data) for (data,) in db.execute("SELECT data FROM record")]
    assert not any(data[:28] in (home / "kept.graphmem").read_bytes() for data in wrapped)
    with pytest.raises(KeyUnavailable, match="missing"):
        Memory.restore(home / "kept.graphmem", home=tmp_path / "new", key=key())
    assert not folder(tmp_path / "new").exists()
    keys(tmp_path / "new").parent.mkdir(parents=True)
    shutil.copyfile(kept, keys(tmp_path / "new"))
    with pytest.raises(KeyUnavailable, match="sealed"):
        Memory.restore(home / "kept.graphmem", home=tmp_path / "new")
    with Memory.restore(home / "kept.graphmem", home=tmp_path / "new", key=key()) as memory:
        assert objects(memory) == EVERYTHING and memory.verify().problems == ()


def test_a_backup_becomes_another_space_with_keys_of_its_own(home):
    with Memory.restore(home / "kept.graphmem", home=home, space="b", key=key()) as memory:
        take(memory, "s", ["I own a barge"])
        with opened(home) as first:
            take(first, "s", ["I own a barn"])
            assert objects(first) == sorted([*EVERYTHING, "I own a barn"])
        assert objects(memory) == NEW
    destroy_key(home, user="u")
    assert read(home, space="b") == NEW


def test_sealed_and_plain_do_not_take_each_others_place(home, tmp_path):
    with Memory.open(tmp_path / "plain", user="u") as memory:
        take(memory, "s", ["I own a barge"])
        memory.backup(tmp_path / "plain.graphmem")
    with pytest.raises(InputError, match="sealed"):
        Memory.restore(tmp_path / "plain.graphmem", home=home, replace=True)
    with pytest.raises(InputError, match="plain"):
        Memory.restore(home / "kept.graphmem", home=tmp_path / "plain", replace=True, key=key())
    with pytest.raises(InputError, match="not sealed"):
        Memory.restore(tmp_path / "plain.graphmem", home=home, space="b", key=key())
    assert read(home) == EVERYTHING


def test_a_plain_memory_becomes_a_sealed_one_by_an_export(tmp_path):
    with Memory.open(tmp_path, user="u") as memory:
        fill(memory)
        memory.export(tmp_path / "all.json", format="json", profile="audit")
    with Memory.restore(tmp_path / "all.json", home=tmp_path, space="sealed", key=key()) as memory:
        assert objects(memory) == EVERYTHING
    (tmp_path / "all.json").unlink()
    shutil.rmtree(folder(tmp_path))
    assert hits(tmp_path) == set()
    assert read(tmp_path, space="sealed") == EVERYTHING


# --- providers ---------------------------------------------------------------------------------------------------


def test_a_callback_wraps_and_unwraps(tmp_path):
    box = Box(bytes(range(32)))
    with opened(tmp_path, key=Callback(box.seal, box.open, name="kms")) as memory:
        take(memory, "s", ["I own a barge"])
    assert read(tmp_path, key=Callback(box.seal, box.open)) == ["I own a barge"]
    for wrong in (Callback(box.seal, Box(bytes(32)).open), Callback(box.seal, lambda data, about: b"short")):
        with pytest.raises(KeyUnavailable, match="callback"):
            opened(tmp_path, key=wrong)
    with pytest.raises(KeyUnavailable, match="callback"):
        opened(tmp_path)


def keyring_of(backend):
    module = types.ModuleType("keyring")
    module.get_keyring = lambda: backend
    return module


class Shelf:
    def __init__(self):
        self.kept = {}

    def get_password(self, service, name):
        return self.kept.get((service, name))

    def set_password(self, service, name, value):
        self.kept[service, name] = value


def test_a_keyring_keeps_the_key_and_one_that_keeps_no_secrets_is_refused(tmp_path, monkeypatch):
    shelf = Shelf()
    monkeypatch.setitem(sys.modules, "keyring", keyring_of(shelf))
    with opened(tmp_path, key=Keyring()) as memory:
        take(memory, "s", ["I own a barge"])
    assert read(tmp_path, key=Keyring()) == ["I own a barge"] and len(shelf.kept) == 1
    with pytest.raises(KeyUnavailable, match="no key"):
        opened(tmp_path, key=Keyring("another"))
    shelf.set_password("graphmem", "key", "not a key")
    with pytest.raises(KeyUnavailable, match="is no key"):
        opened(tmp_path, key=Keyring())
    for name, where in (("PlaintextKeyring", "somewhere"), ("Keyring", "keyring.backends.null"), ("Any", "keyrings.alt.file")):
        kind = type(name, (Shelf,), {"__module__": where})
        monkeypatch.setitem(sys.modules, "keyring", keyring_of(kind()))
        with pytest.raises(KeyUnavailable, match="keeps no secrets"):
            opened(tmp_path / name, key=Keyring())
        chained = Shelf()
        chained.backends = [kind()]
        monkeypatch.setitem(sys.modules, "keyring", keyring_of(chained))
        with pytest.raises(KeyUnavailable, match="keeps no secrets"):
            opened(tmp_path / name, key=Keyring())


def test_a_passphrase_is_not_shown_and_may_not_be_empty():
    assert "secret words" not in repr(Passphrase("secret words"))
    for text, how in (("", {}), ("  ", {}), ("x", {"memory": 1}), ("x", {"passes": 0})):
        with pytest.raises(InputError):
            Passphrase(text, **how)


def test_a_variable_that_is_set_seals_new_memories_and_leaves_plain_ones(home, tmp_path, monkeypatch):
    monkeypatch.delenv("GRAPHMEM_PASSPHRASE", raising=False)
    with Memory.open(tmp_path / "plain", user="u") as memory:
        take(memory, "s", ["I own a barge"])
    with click.Context(click.Command("any")):
        assert unsealed(folder(tmp_path / "new")) == unsealed(folder(tmp_path / "plain")) == {}
        with pytest.raises(KeyUnavailable, match="GRAPHMEM_PASSPHRASE"):
            unsealed(folder(home))
        monkeypatch.setenv("GRAPHMEM_PASSPHRASE", "some words")
        assert unsealed(folder(tmp_path / "plain")) == {}
        assert isinstance(unsealed(folder(tmp_path / "new"))["key"], Passphrase)
        assert isinstance(unsealed(folder(home))["key"], Passphrase)


# --- the command line --------------------------------------------------------------------------------------------


def test_the_command_line_takes_the_passphrase_from_the_environment_only(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path))

    def run(*said, passphrase=None, other=None):
        with monkeypatch.context() as env:
            env.delenv("GRAPHMEM_PASSPHRASE", raising=False)
            for name, text in (("GRAPHMEM_PASSPHRASE", passphrase), ("OTHER", other)):
                if text is not None:
                    env.setenv(name, text)
            code = command_line([*said])
        return code, "".join(capsys.readouterr())

    with Memory.open(tmp_path, user="u", key=key("some words")) as memory:
        take(memory, "s", ["I own a barge"])
    code, said = run("statements", "--user", "u")
    assert code == 3 and "GRAPHMEM_PASSPHRASE" in said
    assert run("statements", "--user", "u", passphrase="other")[0] == 3
    assert "barge" in run("statements", "--user", "u", passphrase="some words")[1]
    assert run("backup", "--user", "u", str(tmp_path / "b"), passphrase="some words")[0] == 0
    assert run("backup", "--user", "u", str(tmp_path / "c"))[0] == 3
    assert run("rotate", "--user", "u", passphrase="some words")[0] == 2
    # The passphrase in use is never taken for the new one.
    code, said = run("rotate", "--user", "u", "--new", passphrase="some words")
    assert code == 3 and "--new-key-env" in said
    with monkeypatch.context() as terminal:
        terminal.setattr("sys.stdin.isatty", lambda: True, raising=False)
        terminal.setattr("click.prompt", lambda *_, **__: "asked words")
        assert run("rotate", "--user", "u", "--new", passphrase="some words")[0] == 0
    assert run("statements", "--user", "u", passphrase="some words")[0] == 3
    assert run("rotate", "--user", "u", "--new-key-env", "OTHER", passphrase="asked words", other="some words")[0] == 0
    assert run("rotate", "--user", "u", "--deep", "--new-key-env", "OTHER", passphrase="some words", other="new words")[0] == 0
    assert "barge" in run("statements", "--user", "u", "--key-env", "OTHER", other="new words")[1]
    assert run("statements", "--user", "u", "--key-env", "OTHER")[0] == 2
    assert run("restore", str(tmp_path / "b"), "--space", "b", passphrase="new words")[0] == 0
    assert "is sealed" in run("doctor", "--user", "u")[1]
    assert run("copy-keys", "--user", "u", str(tmp_path / "k"))[0] == 0
    assert run("destroy-key", "--user", "u")[0] == 2
    assert run("destroy-key", "--user", "u", "--yes")[0] == 0
    assert "destroyed" in run("statements", "--user", "u", passphrase="new words")[1]
    assert run("verify", "--user", "u", "--space", "b", passphrase="new words")[0] == 0
    assert run("statements", "--user", "new", "--sealed")[0] == 0  # there is none, and reading begins none
    assert not folder(tmp_path, "new").exists()


def test_a_passphrase_is_one_however_its_letters_are_composed_and_what_is_no_text_is_refused(tmp_path):
    from graphmem.sealing.ciphers import stretched

    how = {"memory": 64, "passes": 1, "lanes": 1}
    assert stretched("caf\u00e9 au lait", b"s" * 16, **how) == stretched("cafe\u0301 au lait", b"s" * 16, **how)
    with pytest.raises(InputError, match="UTF-8") as told:
        stretched("caf\udcff", b"s" * 16, **how)
    assert "caf" not in str(told.value) and told.value.__cause__ is None and told.value.__suppress_context__


def test_a_file_in_the_place_of_the_folder_of_keys_is_named_as_one(home, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GRAPHMEM_PASSPHRASE", "correct horse battery staple")
    (tmp_path / "file").write_text("x")
    for place, said in (
        (tmp_path / "file", "is a file: name the folder of all keys"),
        (keys(home), "is a file: name the folder of all keys"),
        (keys(home).parent, "holds the keys of one memory: name the folder above it"),
    ):
        before = files(home)
        with pytest.raises(InputError, match=said):
            opened(home, keys=place)
        with pytest.raises(InputError, match=said):
            Memory.restore(home / "kept.graphmem", home=tmp_path / "new", key=key(), keys=place)
        with pytest.raises(InputError, match=said):
            destroy_key(home, user="u", keys=place)
        assert command_line(["statements", "--user", "u", "--home", str(home), "--keys", str(place)]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
        assert files(home) == before
    with pytest.raises(InputError, match="is a folder: give the name of a file"):
        copy_keys(home, tmp_path, user="u")
    keys(home).unlink()
    keys(home).mkdir()
    with pytest.raises(KeyUnavailable, match="is a folder"):
        opened(home)


def test_a_backup_from_before_an_erasure_is_refused_in_its_place_by_what_it_lacks(home):
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
    left = read(home)
    with pytest.raises(KeyUnavailable, match="from before an erasure") as told:
        Memory.restore(home / "kept.graphmem", home=home, replace=True, key=key())
    assert "altered" not in str(told.value) and "keys from its own time" in str(told.value)
    assert read(home) == left
