"""What the files of a graph must survive: damage, foreign files, another engine, another embedder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from graph_contract import reference_of, same_answers
from graph_world import DIMENSION, long_history

from graphmem.errors import StoreError
from graphmem.graph import fill, generations, place
from graphmem.graph.engine import log_path
from graphmem.graph.generations import compact, open_graph

COUNT = 24
PAGE = 4096
DELTAS = long_history(COUNT)
HEAD = DELTAS[-1].seq


def history(after):
    return [delta for delta in DELTAS if delta.seq > after]


def replace_byte(path: Path, place: float, count: int = 1) -> None:
    """Change bytes at a place between 0 and 1 of a file."""
    data = bytearray(path.read_bytes())
    start = int(len(data) * place)
    for position in range(start, min(start + count, len(data))):
        data[position] ^= 0x5A
    path.write_bytes(data)


def zero_page(path: Path, place: float) -> None:
    """Fill a page with zeros: the first one after a place between 0 and 1 that is not so already."""
    data = bytearray(path.read_bytes())
    start = int(len(data) // PAGE * place) * PAGE
    while not any(data[start : start + PAGE]):
        start += PAGE
        assert start < len(data)
    end = min(start + PAGE, len(data))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def cut(path: Path, part: float) -> None:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])


def foreign(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(2 * PAGE))


def other_magic(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes((b"LBUG" if data[:4] == b"KUZU" else b"KUZU") + data[4:])


# Each takes the folder of the current generation and its database file.
FILE_DAMAGE = {
    "first page zeroed": lambda folder, db: zero_page(db, 0),
    "page in the middle zeroed": lambda folder, db: zero_page(db, 0.4),
    "later page zeroed": lambda folder, db: zero_page(db, 0.7),
    "bytes changed": lambda folder, db: replace_byte(db, 0.3, 3),
    "file cut in half": lambda folder, db: cut(db, 0.5),
    "file emptied": lambda folder, db: cut(db, 0),
    "file of another program": lambda folder, db: foreign(db),
    "file of the other engine": lambda folder, db: other_magic(db),
}
LOG_DAMAGE = {
    "file missing, log left": lambda folder, db: db.unlink(),
    "log missing": lambda folder, db: log_path(db).unlink(),
    "log cut": lambda folder, db: cut(log_path(db), 0.6),
    "byte of the log changed": lambda folder, db: replace_byte(log_path(db), 0.7),
    "log doubled": lambda folder, db: log_path(db).write_bytes(log_path(db).read_bytes() * 2),
}
FOLDER_DAMAGE = {
    "generation missing": lambda folder, db: shutil.rmtree(folder),
    "manifest missing": lambda folder, db: (folder / place.MANIFEST).unlink(),
    "manifest garbled": lambda folder, db: (folder / place.MANIFEST).write_text("{"),
    "pointer missing": lambda folder, db: (folder.parent / place.POINTER).unlink(),
    "pointer garbled": lambda folder, db: (folder.parent / place.POINTER).write_text("../../etc"),
}
# A graph whose content lies in the file, and one whose content lies in the log; the less telling half is the long form.
DAMAGE = [pytest.param(True, damage, id=f"folded: {name}") for name, damage in FILE_DAMAGE.items()]
DAMAGE += [pytest.param(False, damage, id=f"in the log: {name}") for name, damage in (LOG_DAMAGE | FOLDER_DAMAGE).items()]
DAMAGE += [
    pytest.param(True, damage, id=f"folded: {name}", marks=pytest.mark.long)
    for name, damage in (LOG_DAMAGE | FOLDER_DAMAGE).items()
]
DAMAGE += [
    pytest.param(False, damage, id=f"in the log: {name}", marks=pytest.mark.long)
    for name, damage in FILE_DAMAGE.items()
    if "page zeroed" not in name
]


class Files:
    """Opens a graph's folder; a subclass names its `engine`."""

    engine: str

    @pytest.fixture
    def folder(self, tmp_path):
        return tmp_path / "space" / "graph"

    def open(self, folder, *, upto=HEAD, **more):
        def bounded(after):
            return [delta for delta in history(after) if delta.seq <= upto]

        options = {"engine": self.engine, "dimension": DIMENSION, "history": bounded, "head": upto}
        return open_graph(folder, **{**options, **more})

    def current(self, folder):
        name = (folder / place.POINTER).read_text().strip()
        return folder / name, folder / name / place.DATABASE


class FilesContract(Files):
    """Damage, foreign files, replacement."""

    def test_a_graph_is_made_filled_closed_and_opened_without_notice(self, folder):
        graph = self.open(folder, upto=0)
        assert graph.notices == () and graph.applied_seq() == 0
        for delta in DELTAS[:10]:
            graph.apply(delta)
        graph.close()
        graph = self.open(folder, upto=DELTAS[9].seq)
        assert graph.notices == ()
        same_answers(graph, reference_of(DELTAS[:10]))
        graph.close()

    def test_a_graph_behind_its_ledger_is_brought_forward(self, folder):
        self.open(folder, upto=DELTAS[4].seq).close()
        graph = self.open(folder)
        assert len(graph.notices) == 1 and "replayed" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS))
        graph.close()

    def test_a_graph_ahead_of_its_ledger_is_rebuilt(self, folder):
        self.open(folder).close()
        graph = self.open(folder, upto=DELTAS[4].seq)
        assert "rebuilt" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS[:5]))
        graph.close()

    def test_a_second_opening_in_the_process_shares_the_graph(self, folder):
        graph = self.open(folder, upto=DELTAS[4].seq)
        other = self.open(folder)
        assert graph.applied_seq() == HEAD
        graph.close()
        assert other.applied_seq() == HEAD
        other.close()
        again = self.open(folder)
        assert again.notices == ()
        again.close()

    @pytest.mark.parametrize(("folded", "damage"), DAMAGE)
    def test_damage_is_found_and_the_content_is_right_again(self, folder, monkeypatch, folded, damage):
        if folded:
            monkeypatch.setattr(fill, "SHORT_HISTORY", -1)
        # Part of the content is in the file or its first log, part in what was applied later.
        graph = self.open(folder, upto=DELTAS[14].seq)
        for delta in DELTAS[15:]:
            graph.apply(delta)
        graph.close()
        damage(*self.current(folder))
        graph = self.open(folder)
        assert graph.notices and "rebuilt" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS))
        graph.close()
        graph = self.open(folder)
        assert graph.notices == ()
        graph.close()
        assert len([entry for entry in folder.iterdir() if entry.name.startswith("g")]) == 1

    def test_a_log_without_its_file_is_never_read_into_a_new_one(self, folder):
        graph = self.open(folder)
        graph.close()
        generation, database = self.current(folder)
        database.unlink()
        graph = self.open(folder, upto=0)
        assert graph.totals() == (0, 0)
        graph.close()
        assert self.current(folder)[0].name != generation.name
        assert log_path(folder / place.QUARANTINE / generation.name / place.DATABASE).exists()

    def test_a_log_of_another_graph_is_found_out(self, folder, tmp_path):
        other = tmp_path / "other" / "graph"
        graph = self.open(other, upto=DELTAS[20].seq)
        graph.close()
        self.open(folder, upto=DELTAS[3].seq).close()
        shutil.copy(log_path(self.current(other)[1]), log_path(self.current(folder)[1]))
        graph = self.open(folder, upto=DELTAS[20].seq)
        assert "rebuilt" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS[:21]))
        graph.close()

    def test_the_other_embedder_or_engine_gets_a_graph_of_its_own(self, folder):
        self.open(folder, upto=0).close()
        graph = self.open(folder, upto=0, dimension=DIMENSION + 1)
        assert "dimension" in graph.notices[0] and graph.dimension == DIMENSION + 1
        graph.close()
        path = self.current(folder)[0] / place.MANIFEST
        path.write_text(path.read_text().replace(self.engine, "another"))
        graph = self.open(folder, upto=0, dimension=DIMENSION + 1)
        assert "engine" in graph.notices[0]
        graph.close()

    def test_a_graph_that_was_not_closed_is_checked_and_kept(self, folder):
        self.open(folder).close()
        generation, _ = self.current(folder)
        (generation / place.STATE).unlink()
        graph = self.open(folder)
        assert len(graph.notices) == 1 and "checked" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS))
        graph.close()
        assert self.current(folder)[0] == generation
        graph = self.open(folder)
        assert graph.notices == ()
        graph.close()

    def test_an_engine_that_does_not_come_back_is_not_waited_for(self, folder):
        self.open(folder).close()
        (self.current(folder)[0] / place.STATE).unlink()
        graph = self.open(folder, probe_seconds=0.001)
        assert "did not come back" in graph.notices[0]
        same_answers(graph, reference_of(DELTAS))
        graph.close()

    def test_a_grown_log_is_folded_into_a_new_generation(self, folder, monkeypatch):
        monkeypatch.setattr(fill, "SHORT_HISTORY", -1)
        monkeypatch.setattr(generations, "LOG_LIMIT", 20_000)
        monkeypatch.setattr(generations, "LOG_PART", 10**9)
        graph = self.open(folder, upto=0)
        for delta in DELTAS:
            graph.apply(delta)
        assert graph.log_size() > 20_000
        graph.close()
        before = self.current(folder)[0]
        graph = self.open(folder)
        assert "folded" in graph.notices[0] and not before.exists() and graph.log_size() == 0
        same_answers(graph, reference_of(DELTAS))
        graph.close()

    def test_compacting_leaves_no_older_file_and_no_erased_text(self, folder):
        self.open(folder).close()
        replace_byte(log_path(self.current(folder)[1]), 0.5)
        self.open(folder).close()
        assert (folder / place.QUARANTINE).is_dir()
        kept = [delta.model_copy(update={"statements": (), "evidence": (), "mentions": ()}) for delta in DELTAS]
        kept = [delta.model_copy(update={"links": (), "links_retired": (), "retirements": ()}) for delta in kept]
        assert any(b"lives_in" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
        compact(folder, engine=self.engine, dimension=DIMENSION, history=lambda after: kept)
        assert sorted(entry.name for entry in folder.iterdir())[0] == place.POINTER
        assert len(list(folder.iterdir())) == 2
        data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert b"lives_in" not in data and b"I moved to" in data
        graph = self.open(folder, history=lambda after: kept)
        assert graph.notices == () and graph.nodes() == [] and len(graph.turns()) == COUNT
        graph.close()

    def test_an_open_graph_is_not_compacted(self, folder):
        graph = self.open(folder, upto=0)
        with pytest.raises(StoreError, match="close it"):
            compact(folder, engine=self.engine, dimension=DIMENSION, history=history)
        graph.close()

    def test_a_generation_that_was_never_finished_is_ignored(self, folder):
        self.open(folder).close()
        (folder / "g000009").mkdir()
        (folder / "g000009" / place.DATABASE).write_bytes(b"half written")
        graph = self.open(folder)
        assert graph.notices == () and not (folder / "g000009").exists()
        same_answers(graph, reference_of(DELTAS))
        graph.close()

    def test_a_failing_rebuild_leaves_the_pointer_alone(self, folder):
        self.open(folder).close()

        def broken(after):
            raise StoreError("the ledger cannot be read")

        before = self.current(folder)
        with pytest.raises(StoreError, match="ledger"):
            compact(folder, engine=self.engine, dimension=DIMENSION, history=broken)
        assert self.current(folder) == before
        assert [entry.name for entry in folder.iterdir() if entry.name.startswith("g")] == [before[0].name]
        self.open(folder).close()

    def test_only_the_last_few_are_kept_aside(self, folder):
        for _ in range(5):
            self.open(folder, upto=0).close()
            foreign(self.current(folder)[1])
        self.open(folder, upto=0).close()
        aside = sorted(entry.name for entry in (folder / place.QUARANTINE).iterdir())
        assert aside == ["g000003", "g000004", "g000005"]
