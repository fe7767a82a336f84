"""A new graph file holds what applying every delta gives, and a disk that refuses to take it ends no process."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from graph_contract import histories, reference_of, same_answers
from graph_world import DIMENSION, at, evidence, long_history, session, small_world, statement, turn, vector
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import GraphDamaged, InputError, QueryError, StoreError, StoreFull
from graphmem.graph import fill as module
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import Driver, is_abandoned, is_open
from graphmem.graph.fill import fill
from graphmem.graph.probe import fault
from graphmem.records import (
    LINK_KINDS,
    Confirmation,
    Delta,
    EntityRecord,
    LinkRecord,
    LinkRetired,
    MentionRecord,
    Retirement,
    SameAsRecord,
)

ROOT = Path(__file__).parents[1]
ENGINES = [
    "kuzu",
    pytest.param(
        "ladybug",
        marks=[
            pytest.mark.ladybug,
            pytest.mark.skipif(importlib.util.find_spec("ladybug") is None, reason="ladybug is not installed"),
        ],
    ),
]
# What CSV files, their readers and the engines' own words for nothing are known to stumble over.
NASTY = (
    "", " ", '"', '""', "'", "\\", '\\"', "\\N", "NULL", "null", "\x00", "a\x00", "\r", "\n", "\r\n", "a\r\nb\n", ",", '","',
    "\ufeff", "\u2028", "🦊👩‍👩‍👧", "[1,2]", "{a: 1}", "$ids", "#", "true", "0", "1e400", "é́", "\x1a", "\x7f\x80",
)  # fmt: skip
nasty = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)) | st.builds(
    "".join, st.lists(st.sampled_from(NASTY), max_size=5)
)
times = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))


@pytest.fixture
def in_child(monkeypatch):
    monkeypatch.setattr(module, "SHORT_HISTORY", -1)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A function that makes the folder of a new generation."""
    base = tmp_path_factory.mktemp("fills")
    count = 0

    def make():
        nonlocal count
        count += 1
        folder = base / str(count)
        folder.mkdir()
        return folder

    return make


def opened(path, engine="kuzu"):
    return DatabaseGraph(Driver(path, engine=engine), dimension=DIMENSION)


def check_fill(folder, deltas):
    """The file is there alone, fit, and answers as the reference does."""
    path = folder / "graph.db"
    seq = fill(path, engine="kuzu", dimension=DIMENSION, deltas=iter(deltas))
    assert {entry.name for entry in folder.iterdir()} <= {"graph.db", "graph.db.wal"}
    assert not is_open(path)
    graph = opened(path)
    try:
        assert seq == graph.applied_seq() and fault(graph, head=seq, deep=True) is None
        same_answers(graph, reference_of(deltas))
    finally:
        graph.close()
    return path


def test_a_short_history_stays_in_the_log_and_a_long_one_is_folded(folders, monkeypatch):
    short = check_fill(folders(), small_world())
    assert short.with_name("graph.db.wal").stat().st_size > 0 and short.stat().st_size < 10_000
    monkeypatch.setattr(module, "SHORT_HISTORY", 100)
    long = check_fill(folders(), long_history(60))
    assert not long.with_name("graph.db.wal").exists() and long.stat().st_size > 100_000


def test_long_texts_make_a_history_long(folders, monkeypatch):
    monkeypatch.setattr(module, "SHORT_HISTORY", 100)
    deltas = [Delta(seq=1, sessions=(session(),), turns=(turn(0, text="word " * 100_000),))]
    assert not check_fill(folders(), deltas).with_name("graph.db.wal").exists()


def test_an_empty_history_gives_an_empty_graph(folders, in_child):
    check_fill(folders(), [])
    check_fill(folders(), [Delta(seq=7)])


def test_a_filled_graph_takes_in_what_comes_later(folders, in_child):
    deltas = [*small_world(), *(delta.model_copy(update={"seq": delta.seq + 100}) for delta in long_history(12))]
    path = check_fill(folders(), deltas[:2])
    graph = opened(path)
    for delta in deltas[2:]:
        graph.apply(delta)
    same_answers(graph, reference_of(deltas))
    graph.close()


def test_what_comes_again_with_other_content_is_left_as_it_is(folders, in_child):
    deltas = small_world()
    again = deltas[0].model_copy(
        update={"seq": 20, "statements": tuple(item.model_copy(update={"text": "other"}) for item in deltas[0].statements)}
    )
    check_fill(folders(), [*deltas, again, deltas[0]])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fill_by_a_child_equals_applying_each(engine, folders):
    code = """
import sys
from pathlib import Path
from graph_contract import reference_of, same_answers
from graph_world import DIMENSION, long_history, small_world
from graphmem.graph import fill as module
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import Driver
from graphmem.graph.probe import fault
module.SHORT_HISTORY = -1
for number, deltas in enumerate([small_world(), long_history(300), []]):
    folder = Path(sys.argv[2]) / str(number)
    folder.mkdir()
    seq = module.fill(folder / "graph.db", engine=sys.argv[1], dimension=DIMENSION, deltas=deltas)
    graph = DatabaseGraph(Driver(folder / "graph.db", engine=sys.argv[1]), dimension=DIMENSION)
    assert fault(graph, head=seq, deep=True) is None
    same_answers(graph, reference_of(deltas))
    graph.close()
"""
    run = script(code, engine, folders())
    assert (run.returncode, run.stdout) == (0, ""), run.stderr


@st.composite
def nasty_histories(draw) -> list[Delta]:
    """One of each record, or two, with all its texts nasty and its times anywhere."""
    text = lambda: draw(nasty)  # noqa: E731
    time = lambda: draw(times)  # noqa: E731
    turns = [turn(n, text=text()).model_copy(update={"speaker": draw(st.none() | nasty), "time": time()}) for n in range(2)]
    facts = [
        statement(n, subject=text(), predicate=text(), obj=text(), text=text()).model_copy(
            update={
                "context": draw(st.none() | nasty),
                "replaces": draw(st.none() | nasty),
                "details": draw(st.dictionaries(nasty, nasty, max_size=2)),
                "content_hash": text(),
                "rule": text(),
                "confidence": draw(st.floats(0, 1)),
                "valid_from": draw(st.none() | times),
                "valid_to": draw(st.none() | times),
            }
        )
        for n in range(2)
    ]
    quotes = [
        evidence(n, facts[n], turns[n]).model_copy(
            update={"quote": text(), "speaker": draw(st.none() | nasty), "said_at": time(), "valid_to": draw(st.none() | times)}
        )
        for n in range(2)
    ]
    link = LinkRecord(
        id=text() + "l", kind=draw(st.sampled_from(LINK_KINDS)), source="st0", target="st1",  # type: ignore[arg-type]
        rule=text(), tier="stated", recorded_at=time(), said_at=time(), at=draw(st.none() | times),
        granularity=draw(st.none() | nasty),
    )  # fmt: skip
    names = draw(st.lists(nasty, min_size=2, max_size=2, unique=True))
    entities = tuple(EntityRecord(id=name, name=text(), type=text(), key=text()) for name in names)
    whole = Delta(
        seq=3,
        sessions=(session().model_copy(update={"topic": draw(st.none() | nasty), "channel": draw(st.none() | nasty)}),),
        turns=tuple(turns), statements=tuple(facts), evidence=tuple(quotes), links=(link,), entities=entities,
        mentions=(MentionRecord(statement="st0", entity=names[0], kind="OBJECT", tier="stated"),),
        same_as=(
            SameAsRecord(
                source=names[0], target=names[1], tier="inferred", rule=text(), recorded_at=time(), statement=text()
            ),
        ),
        vectors=(vector(text(), tuple(draw(st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4)))),),
    )  # fmt: skip
    fates = Delta(
        seq=4,
        retirements=(Retirement(statement="st0", at=time(), reason=text(), actor=text()),),
        confirmations=(Confirmation(statement="st1", at=time(), content_hash=text(), actor=text()),),
        links_retired=(LinkRetired(link=link.id, at=time(), reason=text()),) if draw(st.booleans()) else (),
    )
    return [whole, fates]


def check_in_child(folders, deltas):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SHORT_HISTORY", -1)
        check_fill(folders(), deltas)


@settings(max_examples=6, deadline=None)
@given(deltas=nasty_histories())
def test_texts_that_break_csv_files_come_back_exactly(folders, deltas):
    check_in_child(folders, deltas)


@settings(max_examples=4, deadline=None)
@given(deltas=histories())
def test_a_random_history_is_filled_as_by_the_reference(folders, deltas):
    check_in_child(folders, deltas)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(deltas=st.one_of(nasty_histories(), histories()))
def test_many_histories_are_filled_as_by_the_reference(folders, deltas):
    check_in_child(folders, deltas)


def test_every_nasty_text_comes_back_in_every_column(folders, in_child):
    turns = tuple(turn(n, text=text).model_copy(update={"speaker": text}) for n, text in enumerate(NASTY))
    facts = tuple(
        statement(n, subject=text, predicate=text, obj=text, text=text).model_copy(update={"replaces": text, "rule": text})
        for n, text in enumerate(NASTY)
    )
    quotes = tuple(
        evidence(0, fact, said).model_copy(update={"quote": text, "speaker": text})
        for fact, said, text in zip(facts, turns, NASTY, strict=True)
    )
    entities = tuple(EntityRecord(id="e" + text, name=text, type=text, key=text) for text in NASTY)
    check_fill(
        folders(),
        [
            Delta(seq=1, sessions=(session(),), turns=turns, statements=facts, evidence=quotes, entities=entities),
            Delta(seq=2, retirements=tuple(
                Retirement(statement=fact.id, at=at(1), reason=text, actor=text)
                for fact, text in zip(facts, NASTY, strict=True)
            )),
        ],
    )  # fmt: skip


# --- refusals ---------------------------------------------------------------------------------------------------------


def refused(folder, error, deltas, **options):
    path = folder / "graph.db"
    with pytest.raises(error) as caught:
        fill(path, **{"engine": "kuzu", "dimension": DIMENSION, "deltas": deltas, **options})
    assert list(folder.glob("*.csv")) == list(folder.glob("*.rows")) == []
    return str(caught.value)


@pytest.mark.parametrize("limit", [-1, 10**6])
def test_an_edge_without_its_end_is_refused(folders, monkeypatch, limit):
    monkeypatch.setattr(module, "SHORT_HISTORY", limit)
    refused(folders(), GraphDamaged, [Delta(seq=1, turns=(turn(0),))])
    refused(folders(), GraphDamaged, [Delta(seq=1, statements=(statement(0),), evidence=(evidence(0, statement(0), turn(7)),))])


@pytest.mark.parametrize("limit", [-1, 10**6])
def test_vectors_of_another_dimension_are_refused(folders, monkeypatch, limit):
    monkeypatch.setattr(module, "SHORT_HISTORY", limit)
    refused(folders(), InputError, [Delta(seq=1, vectors=(vector("a", (1.0, 2.0)),))])


@pytest.mark.parametrize("limit", [-1, 10**6])
def test_a_text_that_is_no_unicode_is_refused(folders, monkeypatch, limit):
    monkeypatch.setattr(module, "SHORT_HISTORY", limit)
    broken = turn(0).model_copy(update={"text": "a\ud800"})
    refused(folders(), QueryError, [Delta.model_construct(seq=1, sessions=(session(),), turns=(broken,))])


def test_an_existing_file_is_never_filled(folders):
    folder = folders()
    check_fill(folder, small_world())
    assert "new name" in refused(folder, StoreError, small_world())


def test_a_child_that_dies_is_an_error_here(folders, in_child, monkeypatch):
    monkeypatch.setenv("GRAPHMEM_FAILPOINT", "fill.copied=exit@3")
    assert "exit 86" in refused(folders(), GraphDamaged, small_world())


@pytest.mark.parametrize("place", ["fill.copied", "fill.before-fold"])
def test_a_disk_that_fails_under_the_child_is_named(folders, in_child, monkeypatch, place):
    monkeypatch.setenv("GRAPHMEM_FAILPOINT", f"{place}=enospc")
    said = refused(folders(), StoreError, small_world())
    assert "No space left" in said and "free some space" in said


def test_a_child_that_hangs_is_ended(folders, in_child, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(module, "ROWS_PER_SECOND", 10**9)
    assert "did not fill" in refused(folders(), GraphDamaged, small_world())


def test_a_disk_that_is_nearly_full_is_not_written_to(folders, monkeypatch):
    folder = folders()
    path = check_fill(folder, small_world()[:2])
    graph = opened(path)
    before = path.with_name("graph.db.wal").stat().st_size
    full = SimpleNamespace(f_bavail=8 * 2**20 - 1, f_frsize=1)
    monkeypatch.setattr("graphmem.files.os.statvfs", lambda folder: full)
    with pytest.raises(StoreFull, match="bytes left"):
        graph.apply(small_world()[2])
    assert "bytes left" in refused(folders(), StoreFull, small_world())
    assert path.with_name("graph.db.wal").stat().st_size == before and not is_abandoned(path)
    monkeypatch.undo()
    graph.apply(small_world()[2])
    same_answers(graph, reference_of(small_world()))
    graph.close()


# --- a disk that refuses a write, in a process of its own ------------------------------------------------------------


def script(code, *arguments):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


LIMITED = """
import json, resource, signal, sys
from pathlib import Path
from graph_contract import reference_of
from graph_world import DIMENSION, long_history, small_world, turn, session
from graphmem import files
from graphmem.errors import GraphDamaged, QueryError, StoreError, StoreFull
from graphmem.graph import fill as module
from graphmem.graph.database import DatabaseGraph
from graphmem.graph.engine import Driver, is_abandoned, is_open
from graphmem.records import Delta
# No early refusal: the write itself is to fail.
files.check_room.__kwdefaults__["needed"] = -10**12
engine, folder = sys.argv[1], Path(sys.argv[2])
path = folder / "graph.db"
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
def refuse(call):
    try:
        call()
    except (GraphDamaged, QueryError) as error:
        said.append("not the disk: " + str(error))
    except StoreError as error:
        said.append("disk" if isinstance(error, StoreFull) else str(error))
    else:
        said.append("taken")
said = []
"""
APPLY = (
    LIMITED
    + """
graph = DatabaseGraph(Driver(path, engine=engine), dimension=DIMENSION, on_close=lambda: said.append("sealed"))
graph.create()
graph.apply(small_world()[0])
other = DatabaseGraph(Driver(path, engine=engine), dimension=DIMENSION)
limit(path.with_name("graph.db.wal").stat().st_size + 600)
deltas = [delta.model_copy(update={"seq": delta.seq + 100}) for delta in long_history(50)]
for delta in deltas:
    try:
        graph.apply(delta)
    except StoreError as error:
        said.append("disk" if isinstance(error, StoreFull) else str(error))
        break
limit(resource.RLIM_INFINITY)
refuse(lambda: graph.apply(deltas[-1]))
refuse(graph.nodes)
refuse(other.nodes)
refuse(lambda: graph.checkpoint())
said.append(is_abandoned(path))
graph.close(); other.close()
refuse(lambda: Driver(path, engine=engine))
said.append(is_open(path))
# A new file under another name takes its place at once.
again = folder / "again"
again.mkdir()
module.fill(again / "graph.db", engine=engine, dimension=DIMENSION, deltas=small_world())
fresh = DatabaseGraph(Driver(again / "graph.db", engine=engine), dimension=DIMENSION)
assert fresh.dump() == reference_of(small_world()).dump()
fresh.close()
print(json.dumps(said))
sys.exit(7)
"""
)
FILL = (
    LIMITED
    + """
module.SHORT_HISTORY = int(sys.argv[3])
limit(int(sys.argv[4]))
refuse(lambda: module.fill(path, engine=engine, dimension=DIMENSION, deltas=long_history(300)))
said += sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("graph.db"))
print(json.dumps(said))
sys.exit(7)
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on the size of files to be had")
class TestRefusedWrites:
    @pytest.mark.parametrize("engine", ENGINES)
    def test_a_write_that_fails_is_an_error_and_the_process_ends_as_it_wants(self, engine, tmp_path):
        run = script(APPLY, engine, tmp_path)
        assert run.returncode == 7, run.stderr
        assert json.loads(run.stdout) == ["disk"] * 5 + [True, "disk", False], run.stdout

    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize(
        ("short", "size"),
        [(10**6, 0), (10**6, 5_000), (10**6, 60_000), (-1, 0), (-1, 20_000), (-1, 400_000)],
        ids=["here at once", "here in the tables", "here", "sheets at once", "sheets", "child"],
    )
    def test_a_fill_that_the_disk_refuses_is_an_error(self, engine, tmp_path, short, size):
        run = script(FILL, engine, tmp_path, short, size)
        assert run.returncode == 7, run.stderr
        assert json.loads(run.stdout) == ["disk"], run.stdout + run.stderr
