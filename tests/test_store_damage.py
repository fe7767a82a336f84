"""A store with a damaged, missing, older or foreign file ends in right content, says so, and never hangs."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest
from crowd import take

from graphmem import Memory
from graphmem.errors import LedgerDamaged, StoreError
from graphmem.graph import fill

PAGE = 4096
KINDS = ("flip", "zero", "swap", "cut", "foreign", "missing", "older", "wrong log", "pointer", "manifest", "state", "doubled")
HANG = 60  # seconds after which an opening counts as hanging here; a benchmark gives the real times


@contextmanager
def alarm(seconds: int):
    def ring(*_: object) -> None:
        raise AssertionError(f"it hung for {seconds} s")

    old = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


def content(memory: Memory) -> list[str]:
    return sorted(json.dumps(s.model_dump(mode="json"), sort_keys=True) for s in memory.statements())


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Homes to damage: content in the file, content in the log, and an older copy of the first; with the right content."""
    made = {}
    for how in ("folded", "logged"):
        home = tmp_path_factory.mktemp(how)
        with Memory.open(home, user="u") as memory:
            for number in range(14):
                take(memory, f"label {number}")
            if how == "folded":
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(fill, "SHORT_HISTORY", -1)
                    memory.compact()
                memory.close()
                shutil.copytree(home, tmp_path_factory.mktemp("older") / "home")
                older = next(tmp_path_factory.getbasetemp().glob("older*/home"))
        with Memory.open(home, user="u") as memory:
            for number in range(14, 17):
                take(memory, f"label {number}")
            right = content(memory)
        made[how] = home, right, older
    return made


def graph_files(home: Path) -> tuple[Path, Path, Path]:
    folder = next(path for path in home.iterdir() if path.is_dir()) / "graph"
    generation = folder / (folder / "current").read_text().strip()
    return folder, generation / "graph.db", generation / "graph.db.wal"


def flip(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def zero(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = draw.randrange(max(1, len(data) // PAGE)) * PAGE
    data[start : start + PAGE] = bytes(len(data[start : start + PAGE]))
    path.write_bytes(data)


def swap(path: Path, draw: random.Random) -> None:
    data = path.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    one, two = draw.randrange(len(pages)), draw.randrange(len(pages))
    pages[one], pages[two] = pages[two], pages[one]
    path.write_bytes(b"".join(pages))


def cut(path: Path, draw: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: draw.randrange(max(1, len(data)))])


def damage_graph(home: Path, older: Path, draw: random.Random) -> str:
    """Damage one file of the graph in a drawn way; its name in words."""
    folder, database, log = graph_files(home)
    target = draw.choice([path for path in (database, log) if path.exists()])
    kind = draw.choice(KINDS)
    if kind in ("flip", "zero", "swap", "cut"):
        {"flip": flip, "zero": zero, "swap": swap, "cut": cut}[kind](target, draw)
    elif kind == "foreign":
        target.write_bytes(draw.choice([b"SQLite format 3\0", b"LBUG", b"KUZU", b""]) + draw.randbytes(3 * PAGE))
    elif kind == "missing":
        target.unlink()
    elif kind == "doubled":
        target.write_bytes(target.read_bytes() * 2)
    elif kind == "older":
        shutil.copy(graph_files(older)[1], database)
    elif kind == "wrong log":
        source = graph_files(older)[2]
        log.write_bytes(source.read_bytes() if source.exists() else draw.randbytes(PAGE))
    elif kind == "pointer":
        (folder / "current").write_bytes(draw.choice([b"", b"../..", b"g999999\n", draw.randbytes(20)]))
    else:
        (database.parent / f"{kind}.json").write_bytes(draw.choice([b"", b"{", b"[]", draw.randbytes(40)]))
    return f"{kind} of {target.name}"


def try_graph_damages(worlds, folder: Path, *, count: int, seed: int) -> None:
    draw = random.Random(seed)
    for number in range(count):
        home, right, older = worlds[draw.choice(["folded", "logged"])]
        copy = folder / f"home{number}"
        shutil.copytree(home, copy)
        what = damage_graph(copy, older, draw)
        with alarm(HANG):
            with Memory.open(copy, user="u") as memory:
                assert content(memory) == right, what
                assert memory.verify().problems == (), what
            with Memory.open(copy, user="u") as memory:
                assert content(memory) == right and memory.notices == (), (what, memory.notices)
        shutil.rmtree(copy)
    print(json.dumps({"damaged graphs": count, "wrong answers": 0, "hangs": 0}))


def test_a_damaged_graph_ends_in_right_content(worlds, tmp_path):
    try_graph_damages(worlds, tmp_path, count=14, seed=1)


@pytest.mark.long
def test_two_hundred_damaged_graphs(worlds, tmp_path):
    try_graph_damages(worlds, tmp_path, count=200, seed=2)


def try_ledger_damages(worlds, folder: Path, *, count: int, seed: int) -> dict[str, int]:
    """Damage ledgers; each is whole, or named and read-only, or refused in one line; how many were which."""
    draw = random.Random(seed)
    seen = {"whole": 0, "read-only": 0, "refused": 0}
    for number in range(count):
        home, right, _ = worlds[draw.choice(["folded", "logged"])]
        copy = folder / f"home{number}"
        shutil.copytree(home, copy)
        ledger = next(copy.glob("*/ledger.sqlite"))
        kind = draw.choice([flip, zero, swap, cut])
        kind(ledger, draw)
        before = ledger.read_bytes()
        with alarm(HANG):
            try:
                memory = Memory.open(copy, user="u")
            except StoreError as error:
                assert "ledger" in str(error)
                seen["refused"] += 1
                continue
            with memory:
                found = content(memory)
                if not memory.notices:
                    assert found == right
                    seen["whole"] += 1
                    continue
                # What is shown is a part of what was there, never anything else, and nothing is written.
                assert "entr" in " ".join(memory.notices)
                report = memory.verify()
                assert not report.ledger_ok and report.problems
                with pytest.raises(LedgerDamaged, match="reading only"):
                    memory.remember("I keep bees")
                with pytest.raises(LedgerDamaged):
                    memory.forget(all=True)
                seen["read-only"] += 1
            assert ledger.read_bytes() == before
        shutil.rmtree(copy)
    print(json.dumps({"damaged ledgers": count} | seen))
    return seen


def test_a_damaged_ledger_is_named_and_open_for_reading_only(worlds, tmp_path):
    seen = try_ledger_damages(worlds, tmp_path, count=16, seed=3)
    assert seen["read-only"] >= 3


@pytest.mark.long
def test_five_hundred_damaged_ledgers(worlds, tmp_path):
    try_ledger_damages(worlds, tmp_path, count=500, seed=4)


def test_a_store_on_a_disk_that_cannot_be_written_is_read(worlds, tmp_path):
    if os.getuid() == 0:
        pytest.skip("root writes everywhere")
    home, _, _ = worlds["logged"]
    shutil.copytree(home, tmp_path / "home")
    for path in (tmp_path / "home").rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    with pytest.raises(StoreError), Memory.open(tmp_path / "home", user="u") as memory:
        memory.remember("I keep bees")
