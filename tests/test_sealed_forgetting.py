"""What a sealed memory forgot it knows for good, and says to nobody without its key; and leftovers of it are found."""

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("cryptography", reason="needs the extra `sealed`")

from sealed_world import SAID, Ticks, fill, key, objects, stopped_at, take

from graphmem import Memory, failpoints
from graphmem.errors import InputError, KeyUnavailable, SealBroken, StoreError, WasForgotten
from graphmem.head import LEDGER
from graphmem.lifecycle.residue import _is_copy, marked
from graphmem.lifecycle.sealed import copy_keys, destroy_key
from graphmem.owner import folder_name
from graphmem.register import Register, path_of
from graphmem.sealing import workplace
from graphmem.sealing.keys import LASTING_KEY
from graphmem.sealing.keys_file import keys_of
from graphmem.unlocking import Sealing, unlocked

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
pytestmark = pytest.mark.skipif(workplace.memory_folder() is None, reason="needs a folder in memory")

EVERYTHING = sorted(text for texts in SAID.values() for text in texts)
LETTER = SAID["letter to Thorvald"]
LEFT = [text for text in EVERYTHING if text not in LETTER]


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


@pytest.fixture
def forgotten(home):
    """A home in which the letter was forgotten."""
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
    return home


def opened(home, **how):
    return Memory.open(home, user="u", **{"key": key(), **how})


def folder(home, space="default"):
    return home / folder_name("u", space)


def register(home, secret=None, space="default"):
    with unlocked(folder(home, space), "u", Sealing(secret or key())) as vault:
        return Register(folder(home, space), "u", space, vault=vault)


def refused(memory, name="told again"):
    """Whether the words of the letter are taken in no more, and the others are."""
    before = objects(memory)
    for number, text in enumerate(LETTER):
        with pytest.raises(WasForgotten):
            take(memory, f"{name} {number}", [text])
    take(memory, name, [f"I own a barge called {name}"])
    return sorted(set(objects(memory)) - set(before)) == [f"I own a barge called {name}"]


def told_by(found):
    """All that a register tells, in the forms in which a file could hold it."""
    names = {event.name for event in found.events} | set(found.ids) | {event.at for event in found.events}
    for event in found.events:
        names |= {*event.tombs.statements, *event.tombs.quotes, *event.tombs.turns, *event.tombs.places, *event.marks}
        names |= {mark for spans in event.tombs.places.values() for *_, mark in spans} | {event.origin} - {""}
    hexes = {name for name in names if len(name) >= 16 and set(name) <= set("0123456789abcdef")} | {found._key.hex()}
    return {name.encode() for name in names | hexes} | {bytes.fromhex(name) for name in hexes if len(name) % 2 == 0}


# --- the register --------------------------------------------------------------------------------------------------


def test_the_register_of_a_sealed_memory_tells_neither_its_key_nor_what_went_and_that_of_a_plain_one_does(home, tmp_path):
    with Memory.open(tmp_path / "plain", user="u") as memory:
        fill(memory)
        memory.forget(session="letter to Thorvald")
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
        memory.forget(session="walk with Philippa")
        take(memory, "own", ["I bake rye bread on Sundays"])
        with memory._space.writing():  # every kind of event
            found = Register(folder(home), "u", "default", vault=memory._space.seal.vault)
            found.allow({sorted(found.events[0].tombs.quotes)[0]}, name="leave", at=Ticks()())
        memory.forget(all=True)
    plain, sealed = Register(folder(tmp_path / "plain"), "u", "default"), register(home)
    assert [event.type for event in sealed.events] == ["erased", "erased", "allowed", "everything"]
    assert {event.type for event in plain.events} == {"erased"} and len(told_by(plain)) > 10
    # The control: what is looked for would be found.
    data = path_of(folder(tmp_path / "plain")).read_bytes()
    assert {one for one in told_by(plain) if one in data} >= {plain._key.hex().encode(), *(id_.encode() for id_ in plain.ids)}
    everywhere = b"\0".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert {one for one in told_by(sealed) if one in everywhere} == set()
    said = json.loads(path_of(folder(home)).read_text())
    assert sorted(said) == ["data", "format", "sealed", "version"]
    if os.name == "posix":
        assert path_of(folder(home)).stat().st_mode & 0o077 == 0


def everything_goes(home):
    with opened(home) as memory:
        memory.forget(all=True)
    return key()


def rotated(home):
    with opened(home) as memory:
        memory.rotate()
    return key()


def rotated_deep(home):
    with opened(home) as memory:
        memory.rotate(deep=True)
        memory.rotate(deep=True)
    return key()


def another_passphrase(home):
    with opened(home) as memory:
        memory.rotate(key=key("new words"))
    return key("new words")


def all_in_a_row(home):
    rotated_deep(home)
    everything_goes(home)
    rotated_deep(home)
    everything_goes(home)
    return another_passphrase(home)


ALONE = [pytest.param(act, marks=pytest.mark.long) for act in (everything_goes, rotated, rotated_deep, another_passphrase)]


@pytest.mark.parametrize("act", [all_in_a_row, *ALONE])
def test_what_was_forgotten_is_known_whatever_becomes_of_the_keys(forgotten, act):
    before = register(forgotten)
    fitting = act(forgotten)
    after = register(forgotten, fitting)
    assert after._key == before._key and after.events[: len(before.events)] == before.events
    with opened(forgotten, key=fitting) as memory:
        assert refused(memory)
        assert memory.verify().problems == ()


def test_an_older_backup_brings_back_nothing_that_a_sealed_memory_forgot(home, tmp_path):
    copy_keys(home, tmp_path / "keys.copy", user="u")
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
    shutil.rmtree(folder(home))
    place = keys_of(folder(home))
    for path in place.parent.glob("*"):
        path.unlink()
    shutil.copyfile(tmp_path / "keys.copy", place)  # those of before the erasure, by which the backup can be read at all
    with Memory.restore(home / "kept.graphmem", home=home, key=key()) as memory:
        assert objects(memory) == LEFT
        assert any("erased again" in notice for notice in memory.notices)
        assert refused(memory)


def test_a_backup_from_before_everything_was_forgotten_is_refused_with_its_old_keys_too(home, tmp_path):
    copy_keys(home, tmp_path / "keys.copy", user="u")
    everything_goes(home)
    with pytest.raises(KeyUnavailable):
        Memory.restore(home / "kept.graphmem", home=home, replace=True, key=key())
    place = keys_of(folder(home), tmp_path / "then")
    place.parent.mkdir(parents=True)
    shutil.copyfile(tmp_path / "keys.copy", place)
    shutil.rmtree(folder(home))
    with pytest.raises(InputError, match="everything"):
        Memory.restore(home / "kept.graphmem", home=home, key=key(), keys=tmp_path / "then")


def test_a_backup_becomes_another_space_without_what_its_first_one_forgot(home, tmp_path):
    with opened(home) as memory:
        kept = memory.backup(tmp_path / "later.graphmem")
        memory.rotate(deep=True)
        memory.forget(id=next(s.id for s in memory.statements(kind="fact") if s.object == LETTER[0]))
    with pytest.raises(StoreError):  # its entry's key is destroyed, and in the copy of the keys too
        Memory.restore(kept, home=home, space="other", key=key())
    with opened(home) as memory:
        after = memory.backup(tmp_path / "after.graphmem")
    with Memory.restore(after, home=home, space="other", key=key()) as memory:
        assert LETTER[0] not in objects(memory) and LETTER[1] in objects(memory)
        memory.forget(session="walk with Philippa")
    assert register(home, space="other").events and register(home).events


def test_an_export_put_into_a_sealed_space_leaves_out_what_was_forgotten_since(home, tmp_path):
    with opened(home) as memory:
        memory.export(tmp_path / "all.json", format="json")
        memory.forget(session="letter to Thorvald")
    with Memory.restore(tmp_path / "all.json", home=home, space="copy", key=key()) as memory:
        assert objects(memory) == LEFT
        assert refused(memory)
    assert b"sealed" in path_of(folder(home, "copy")).read_bytes()
    # Whether anything that is in the file was forgotten cannot be known without the key.
    with pytest.raises(KeyUnavailable, match="register of erasures"):
        Memory.restore(tmp_path / "all.json", home=home, space="bare")
    everything_goes(home)
    with pytest.raises(InputError, match="everything"):
        Memory.restore(tmp_path / "all.json", home=home, space="again", key=key())


def test_with_the_key_destroyed_nobody_can_ask_what_was_forgotten(forgotten):
    destroy_key(forgotten, user="u")
    with pytest.raises(KeyUnavailable, match="destroyed"):
        register(forgotten)
    with pytest.raises(KeyUnavailable, match="sealed"):
        Register(folder(forgotten), "u", "default")
    with closing(sqlite3.connect(keys_of(folder(forgotten)))) as db:
        assert db.execute("SELECT data FROM record WHERE id = ?", (LASTING_KEY,)).fetchall() == [(None,)]


def test_a_register_is_opened_by_its_own_keys_and_by_no_others(forgotten):
    with pytest.raises(KeyUnavailable):
        register(forgotten, key("other words"))
    with pytest.raises(KeyUnavailable, match="register of erasures"):
        Register(folder(forgotten), "u", "default")
    # Keys of another memory, as where one was begun anew and the register forgotten there.
    with Memory.open(forgotten, user="u", space="other", key=key()) as memory:
        take(memory, "s", ["I own a barge"])
    shutil.copyfile(path_of(folder(forgotten)), path_of(folder(forgotten, "other")))
    with (
        Memory.open(forgotten, user="u", space="other", key=key()) as memory,
        pytest.raises(KeyUnavailable, match="other keys"),
    ):
        take(memory, "again", LETTER)
    # The register of another space, under the same keys.
    with unlocked(folder(forgotten), "u", Sealing(key())) as vault, pytest.raises(SealBroken, match="register of erasures"):
        Register(folder(forgotten, "other"), "u", "other", vault=vault)


def test_a_changed_byte_of_the_register_is_told_and_nothing_is_taken_in(forgotten):
    path = path_of(folder(forgotten))
    whole, expected = path.read_bytes(), register(forgotten)
    kinds = set()
    with unlocked(folder(forgotten), "u", Sealing(key())) as vault:
        for place in [*range(90), *range(90, len(whole), 41), len(whole) - 3]:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                found = Register(folder(forgotten), "u", "default", vault=vault)
            except StoreError as error:
                assert str(path) in str(error)
                kinds.add(type(error))
            else:  # a byte of which nothing depends
                assert (found._key, found.events) == (expected._key, expected.events), place
    assert {SealBroken, KeyUnavailable, StoreError} == kinds
    path.write_bytes(whole[:-30] + b"AAAA" + whole[-26:])
    with opened(forgotten) as memory:
        with pytest.raises(SealBroken, match="register of erasures"):
            take(memory, "again", LETTER)
        assert objects(memory) == LEFT


def test_a_register_left_by_a_plain_memory_is_taken_over_and_sealed_at_the_next_erasure(home, tmp_path):
    with Memory.open(tmp_path / "plain", user="u") as memory:
        fill(memory)
        memory.forget(session="letter to Thorvald")
    shutil.copyfile(path_of(folder(tmp_path / "plain")), path_of(folder(home)))
    with opened(home) as memory:
        assert refused(memory)
        memory.forget(session="walk with Philippa")
    assert b'"key"' not in path_of(folder(home)).read_bytes()
    old = Register(folder(tmp_path / "plain"), "u", "default")
    assert register(home).events[0] == old.events[0] and register(home)._key == old._key


PLAIN = '{"format":"graphmem erasures","version":1,"key":"","events":[]}'


def test_a_sealed_memory_that_forgot_takes_no_plain_register(forgotten):
    path = path_of(folder(forgotten))
    path.write_text(PLAIN)
    with opened(forgotten) as memory:
        assert any("not sealed" in notice for notice in memory.notices)
        assert any("not sealed" in problem for problem in memory.verify().problems)
        with pytest.raises(StoreError, match="not sealed"):
            take(memory, "again", LETTER)
        memory.rebuild()
        assert memory.verify().problems == ()
    assert path.with_name(path.name + ".broken").read_text() == PLAIN and b'"key"' not in path.read_bytes()
    with opened(forgotten) as memory:
        assert memory.notices == ()


def test_keys_that_were_made_without_one_for_the_register_get_it(home):
    with closing(sqlite3.connect(keys_of(folder(home)))) as db:
        db.execute("DELETE FROM record WHERE id = ?", (LASTING_KEY,))
        db.commit()
    with opened(home) as memory:
        memory.forget(session="letter to Thorvald")
        assert refused(memory)
    everything_goes(home)
    with opened(home) as memory:
        assert refused(memory, "once more")


def test_a_memory_that_is_open_elsewhere_knows_what_was_forgotten_with_new_keys(home):
    with opened(home) as one, opened(home) as other:
        assert objects(other) == EVERYTHING
        one.forget(session="letter to Thorvald")
        assert refused(other, "second")
        one.forget(all=True)
        assert refused(other, "third")
        assert objects(one) == ["I own a barge called third"]


@forks
def test_another_process_that_forgot_everything_leaves_a_register_that_can_be_read(home):
    with opened(home) as memory:
        child = os.fork()
        if not child:
            status = 1
            try:
                everything_goes(home)
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert refused(memory)


def test_the_owner_may_say_it_again_in_a_sealed_memory(tmp_path):
    with Memory.open(tmp_path, user="u", key=key()) as memory:
        old = memory.remember("I'm allergic to walnuts")
        memory.forget(id=old.id)
    with Memory.open(tmp_path, user="u", key=key()) as memory:
        with pytest.raises(WasForgotten):
            memory.remember("I'm allergic to walnuts")
        assert memory.remember("I'm allergic to walnuts", allow=True).id != old.id
    assert [event.type for event in register(tmp_path).events] == ["erased", "allowed"]


# --- leftovers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "plain"])
@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("temporary", {"session": "letter to Thorvald"}),
        ("home", {"all": True}),
        pytest.param("home", {"session": "letter to Thorvald"}, marks=pytest.mark.long),
        pytest.param("temporary", {"all": True}, marks=pytest.mark.long),
    ],
)
def test_a_copy_of_the_ledger_that_was_left_behind_is_found(tmp_path, monkeypatch, sealed, where, what):
    home, other = tmp_path / "home", tmp_path / "tmp"
    other.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(other))
    with Memory.open(home, user="u", **({"key": key()} if sealed else {})) as memory:
        fill(memory)
        memory._space.rest()
        name = folder(home).name
        left = home / ".restore-1" / "new" / name / LEDGER if where == "home" else other / "graphmem-x" / LEDGER
        left.parent.mkdir(parents=True)
        shutil.copyfile(folder(home) / LEDGER, left)
        receipt = memory.forget(**what)
        assert receipt.residue_hits > 0 and str(left) in receipt.residue_files
    with Memory.open(tmp_path / "own", user="u", **({"key": key()} if sealed else {})) as stranger:
        fill(stranger)
        assert not _is_copy(left, marked(stranger._space))


def test_the_graph_in_memory_is_searched_too(home):
    with opened(home) as memory:
        memory.recall(LETTER[0], min_score=0)
        held = Path(memory._space.works)
        assert LETTER[0].encode() in b"".join(path.read_bytes() for path in held.rglob("*") if path.is_file())
        receipt = memory.forget(session="letter to Thorvald")
        assert any(name.endswith("(in memory)") for name in receipt.scanned_files)
        assert (receipt.residue_hits, receipt.control_missed) == (0, 0)
        memory.statements()
        assert LETTER[0].encode() not in b"".join(path.read_bytes() for path in held.rglob("*") if path.is_file())


# --- stopped anywhere ----------------------------------------------------------------------------------------------


def erase(home, name=None, **what):
    """Forget, with the graph made before it; a child process ends at a failpoint of that name."""
    with opened(home) as memory:
        assert objects(memory) == EVERYTHING
        if name is not None:
            failpoints._wanted = name
        memory.forget(**(what or {"session": "letter to Thorvald"}))


def reset(home, name=None):
    erase(home, name, all=True)


ERASING = (
    "ledger.begun ledger.entry keys.before-commit ledger.committed keys.committed erase.noted erase.entered erase.blanked "
    "keys.shredded erase.truncated generation.begun generation.before-pointer generation.after-pointer erase.rebuilt erase.done"
)
EMPTYING = (
    "ledger.begun ledger.entry keys.before-commit ledger.committed keys.committed erase.noted erase.entered reset.graph-gone "
    "reset.ledger-gone keys.before-renewal keys.renewed"
)
SOON = {"erase.entered", "keys.before-renewal"}
POINTS = [
    pytest.param(act, name, id=f"{act.__name__}-{name}", marks=[] if name in SOON else [pytest.mark.long])
    for act, names in ((erase, ERASING), (reset, EMPTYING))
    for name in names.split()
]
BEFORE = {"ledger.begun", "ledger.entry", "keys.before-commit", "keys.committed"}  # at which nothing was noted yet


def state(home):
    """What a memory is, but for what is drawn anew each time."""
    with opened(home) as memory:
        assert memory.verify().problems == ()
        graph = {name: rows for name, rows in memory._space.graph.dump().items() if name != "Meta"}
        entries = [(entry.type, entry.subjects) for entry in memory._space.ledger.entries()]
        assert not memory._space.ledger.owes()
        said = objects(memory)
    kept = register(home)
    events = [(event.type, sorted(event.ids), len(event.tombs.quotes)) for event in kept.events]
    assert kept.path.with_name(kept.path.name + ".new").exists() is False
    return said, graph, entries, events


@forks
@pytest.mark.parametrize(("act", "name"), POINTS)
def test_an_erasure_in_a_sealed_memory_that_was_killed_at_a_step_ends_like_one_that_was_not(home, tmp_path, act, name):
    shutil.copytree(home, tmp_path / "whole")
    act(tmp_path / "whole")
    whole = state(tmp_path / "whole")
    assert stopped_at("", lambda: act(home, name))
    said = state(home)
    assert (said[0] == EVERYTHING) == (name in BEFORE)
    if name in BEFORE:
        act(home)
        said = state(home)
    assert said[0] == whole[0] and said[3] == whole[3]
    assert said[1:3] == whole[1:3] or act is reset  # a memory that was emptied begins anew, with or without a word of it
    with opened(home) as memory:
        assert refused(memory)
        assert memory._space.ledger.damage is None
