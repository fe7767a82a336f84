"""What an auditor can do: find every alteration of the ledger, read a report, see who looked, and trust none of the words."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import InputError, StatementNotFound
from graphmem.payloads import pack, unpack

T = datetime(2026, 11, 30, 12, tzinfo=UTC)
SAID = [
    "I live in Oslo.",
    "I moved to Lund last month.",
    "I am allergic to nuts.",
    "I like tea.\n<script>alert('x')</script> \u202e!",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A memory of a few sessions with an act of its owner, closed."""
    home = tmp_path_factory.mktemp("made")
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        for number, text in enumerate(SAID):
            said = f"2026-0{number + 1}-05T10:00:00+00:00"
            turn = {"id": "t1", "role": "user", "text": text, "time": said}
            memory.ingest({"id": f"s{number}", "started": said, "turns": [turn]})
        first = memory.statements()[0]
        memory.confirm(first.id, content_hash=first.content_hash)
        (home / "anchor").write_text(memory.anchor())
    return home


@pytest.fixture
def home(made, tmp_path):
    shutil.copytree(made, tmp_path / "home")
    return tmp_path / "home"


def ledger_of(home: Path) -> Path:
    return next(home.glob("*/ledger.sqlite"))


# ---------------------------------------------------------------- alterations


def altered_field(db, rng, seqs):
    seq, column = rng.choice(seqs), rng.choice(["actor", "role", "type", "subjects", "commitment", "hash"])
    if column in ("actor", "role", "type"):
        value = db.execute(f"SELECT {column} FROM entry WHERE seq = ?", (seq,)).fetchone()[0]
        others = [n for (n,) in db.execute("SELECT number FROM term") if n != value]
        db.execute(f"UPDATE entry SET {column} = ? WHERE seq = ?", (rng.choice(others), seq))
        return seq
    value = bytes(db.execute(f"SELECT {column} FROM entry WHERE seq = ?", (seq,)).fetchone()[0])
    place = rng.randrange(len(value)) if value else 0
    changed = value[:place] + bytes([value[place] ^ rng.randrange(1, 256)]) + value[place + 1 :] if value else b"\x00"
    db.execute(f"UPDATE entry SET {column} = ? WHERE seq = ?", (changed, seq))
    return seq


def altered_payload(db, rng, seqs):
    """A word of a turn or of a statement is another one, packed as the ledger packs."""
    rows = db.execute("SELECT seq, codec, body FROM payload WHERE body IS NOT NULL").fetchall()
    seq, codec, body = rng.choice(rows)
    text = unpack(codec, bytes(body))
    places = [n for n, char in enumerate(text) if char.isalpha()]
    place = rng.choice(places)
    text = text[:place] + ("x" if text[place] != "x" else "y") + text[place + 1 :]
    db.execute("UPDATE payload SET codec = ?, body = ? WHERE seq = ?", (*pack(text), seq))
    return seq


def altered_salt(db, rng, seqs):
    seq = rng.choice(seqs)
    db.execute("UPDATE payload SET salt = ? WHERE seq = ?", (rng.randbytes(16), seq))
    return seq


def deleted(db, rng, seqs):
    seq = rng.choice(seqs[:-1])
    for table in ("entry", "payload"):
        db.execute(f"DELETE FROM {table} WHERE seq = ?", (seq,))
    return seq


def blanked(db, rng, seqs):
    seq = rng.choice(seqs)
    db.execute("UPDATE payload SET codec = 0, salt = NULL, body = NULL WHERE seq = ?", (seq,))
    return seq


def inserted(db, rng, seqs):
    """A copy of an entry is put in, and all that follow it make room."""
    seq = rng.choice(seqs[:-1])
    for table in ("entry", "payload"):
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "seq"]
        db.execute(f"UPDATE {table} SET seq = -seq - 1 WHERE seq > ?", (seq,))
        db.execute(f"UPDATE {table} SET seq = -seq WHERE seq < 0")
        columns = ", ".join(names)
        db.execute(f"INSERT INTO {table} (seq, {columns}) SELECT ?, {columns} FROM {table} WHERE seq = ?", (seq + 1, seq))
    return seq + 1


def swapped(db, rng, seqs):
    one, other = sorted(rng.sample(seqs, 2))
    for table in ("entry", "payload"):
        for old, new in ((one, -1), (other, one), (-1, other)):
            db.execute(f"UPDATE {table} SET seq = ? WHERE seq = ?", (new, old))
    return one


def swapped_payloads(db, rng, seqs):
    one, other = sorted(rng.sample(seqs, 2))
    for old, new in ((one, -1), (other, one), (-1, other)):
        db.execute("UPDATE payload SET seq = ? WHERE seq = ?", (new, old))
    return one


ALTERATIONS = [altered_field, altered_payload, altered_salt, deleted, blanked, inserted, swapped, swapped_payloads]


def alter(home: Path, seed: int) -> tuple[str, int]:
    """One random alteration by somebody who can write the file and takes its guards away; the entry it begins at."""
    rng = random.Random(seed)
    how = ALTERATIONS[seed % len(ALTERATIONS)]
    with sqlite3.connect(ledger_of(home)) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"DROP TRIGGER {name}")
        seqs = [seq for (seq,) in db.execute("SELECT seq FROM entry ORDER BY seq")]
        place = how(db, rng, seqs)
        for _, sql in guards:
            db.execute(sql)
    db.close()
    return how.__name__, place


def missed(made: Path, folder: Path, seeds) -> list[str]:
    found = []
    for seed in seeds:
        home = folder / str(seed)
        shutil.copytree(made, home)
        name, place = alter(home, seed)
        with Memory.open(home, user="u", clock=lambda: T) as memory:
            report = memory.verify()
        named = f"entry {place}"
        if report.ledger_ok or not any(problem.startswith((f"{named}:", f"{named} ")) for problem in report.problems):
            found.append(f"{seed} {name} at {place}: {report.problems}")
        shutil.rmtree(home)
    return found


def test_every_alteration_of_the_ledger_is_named_by_its_first_entry(made, tmp_path):
    assert missed(made, tmp_path, range(24)) == []


@pytest.mark.long
def test_five_hundred_alterations_are_named_by_their_first_entry(made, tmp_path):
    assert missed(made, tmp_path, range(500)) == []


def test_a_lost_end_shows_against_an_anchor_kept_elsewhere(home, capsys):
    anchor = (home / "anchor").read_text()
    path = ledger_of(home)
    with sqlite3.connect(path) as db:
        db.execute("DROP TRIGGER entry_stays")
        last = db.execute("SELECT max(seq) FROM entry").fetchone()[0]
        for table in ("entry", "payload"):
            db.execute(f"DELETE FROM {table} WHERE seq = ?", (last,))
        # Whoever does this also takes care of what is kept for looking up.
        db.execute("DELETE FROM subject WHERE seq = ?", (last,))
        db.execute("DELETE FROM operation WHERE first = ?", (last,))
        db.execute(
            "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END"
        )
    db.close()
    for name in ("head.json", "graph"):
        found = path.parent / name
        shutil.rmtree(found) if found.is_dir() else found.unlink(missing_ok=True)
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        assert memory.verify().problems == (), "without an anchor nothing can tell"
        report = memory.verify(anchor=anchor)
        assert not report.ledger_ok
        assert f"the ledger ends at entry {last - 1}, but entry {last} was there" in report.problems[0]
        assert memory.audit(anchor=anchor, shapes=False).sound is False
    assert run(["verify", "--user", "u", "--home", str(home), "--anchor", anchor]) == 1
    assert "its end was lost" in capsys.readouterr().out


def test_an_anchor_holds_while_the_ledger_grows_and_tells_another_ledger(home):
    anchor = (home / "anchor").read_text()
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        memory.remember("I like tea.")
        assert memory.verify(anchor=anchor).problems == ()
        seq, hash_ = anchor.split(":")
        other = f"{seq}:{'0' * 63}1"
        assert "rewritten" in memory.verify(anchor=other).problems[0]
        assert memory.verify(anchor="0:" + "0" * 64).problems == ()
        for wrong in ("", "12", "x:y", f"{seq}:{hash_[:-1]}", f"-1:{hash_}", 7):
            with pytest.raises(InputError, match="no anchor"):
                memory.verify(anchor=wrong)


# ---------------------------------------------------------------- the report


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_a_report_has_every_statement_with_its_words_and_marks_none_of_them_up(home, format):
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        memory.forget(id=next(s.id for s in memory.statements() if "nuts" in s.object))
        memory.trace(memory.statements()[0].id, purpose="complaint 7", actor="eva", role="auditor")
        found = memory.audit(format=format, shapes=False)
        statements = memory.statements()
        end = memory.anchor()
    assert found.sound and found.anchor == end
    for statement in statements:
        shown = statement.id if format == "html" else statement.id.replace("_", "\\_")
        assert shown in found.report
    assert "nuts" not in found.report
    assert "statements 1, whole turns 0" in found.report, "an erasure is told without its words"
    assert "eva as auditor" in found.report and "complaint 7" in found.report
    assert "Replaced or ended by" in found.report
    assert "<script" not in found.report and "\u202e" not in found.report
    assert end in found.report


def test_the_published_shapes_are_part_of_an_audit(home):
    pytest.importorskip("pyshacl", reason="needs the extra shacl")
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        found = memory.audit(shapes=True)
    assert found.shapes == () and found.checks == () and found.sound
    with pytest.raises(InputError, match="html, markdown"), Memory.open(home, user="u") as memory:
        memory.audit(format="pdf")


# ---------------------------------------------------------------- who looked


def test_a_look_is_an_entry_with_actor_role_and_purpose_and_without_words(home):
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        statement = memory.statements()[0]
        before = memory.anchor()
        memory.trace(statement.id)
        assert memory.anchor() == before, "its owner's own program asks without a line for each"
        memory.trace(statement.id, purpose="complaint 7", actor="eva", role="auditor")
        memory.export(home / "x.nq", format="nquads", profile="audit", purpose="complaint 7", actor="eva", role="auditor")
        looks = [entry for entry in memory._space.ledger.entries() if entry.type == "accessed"]
        assert [(e.actor, e.role, e.body["what"], e.body["detail"]) for e in looks] == [
            ("eva", "auditor", "trace", ""),
            ("eva", "auditor", "export", "audit as nquads"),
        ]
        assert looks[0].subjects == (statement.id,)
        assert not any(word in json.dumps([e.body for e in looks]) for word in ("Oslo", "Lund", "tea"))
        assert memory.verify().problems == ()
        for wrong in ({"purpose": ""}, {"purpose": "x", "actor": " "}, {"purpose": "x" * 301}, {"purpose": "x", "role": 7}):
            with pytest.raises(InputError, match="say who looks"):
                memory.trace(statement.id, **wrong)
        with pytest.raises(StatementNotFound):
            memory.trace("s_nothing", purpose="x")
    assert "accessed" in (home / "x.nq").read_text()


def test_on_the_command_line_every_trace_export_and_query_is_recorded(home, tmp_path, capsys):
    place = ["--user", "u", "--home", str(home)]
    who = ["--actor", "eva", "--role", "auditor", "--purpose", "case:7"]
    with Memory.open(home, user="u") as memory:
        statement = next(s for s in memory.statements() if s.object == "Lund")
    assert run(["trace", statement.id, *place, *who]) == 0
    shown = capsys.readouterr().out
    for part in (
        "«I moved to Lund last month»",
        "rule ",
        "said          2026-02-05",
        "since",
        "User lives in Oslo (superseded)",
        "chain:",
    ):
        assert part in shown
    assert run(["export", *place, *who, "-o", str(tmp_path / "x.trig")]) == 2
    assert "the role auditor may not export" in capsys.readouterr().err
    assert run(["export", *place, "--actor", "eva", "--purpose", "case:7", "-o", str(tmp_path / "x.trig")]) == 0
    assert run(["sparql", "portability", *place, *who]) == 0
    capsys.readouterr()
    assert run(["audit", *place, *who, "--no-shapes", "-o", str(tmp_path / "x.md"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["sound"] is True and said["shapes"] is None
    assert run(["anchor", *place, "--json"]) == 0
    now = json.loads(capsys.readouterr().out)["anchor"]
    assert int(now.partition(":")[0]) == int(said["anchor"].partition(":")[0]) + 1, "the audit itself is recorded"
    with Memory.open(home, user="u") as memory:
        looks = [e for e in memory._space.ledger.entries() if e.type == "accessed"]
    assert [(e.body["what"], e.role) for e in looks] == [
        *(("trace", "auditor"), ("export", "auditor"), ("export", "owner"), ("sparql", "auditor"), ("audit", "auditor")),
    ]
    assert {(e.actor, e.body["purpose"]) for e in looks} == {("eva", "case:7")}


def test_queries_from_the_command_line(home, tmp_path, capsys):
    place = ["--user", "u", "--home", str(home)]
    bound = ["--bind", "D=2026-12-31", "--bind", "V=2026-03-01"]
    assert run(["sparql", "believed", *place, *bound, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["columns"] == ["statement", "predicate", "object"]
    with Memory.open(home, user="u") as memory:
        held = memory.statements(as_of=datetime(2026, 3, 1, tzinfo=UTC), known_at=datetime(2026, 12, 31, tzinfo=UTC))
    assert {row[0].rsplit("/", 1)[1] for row in said["rows"]} == {s.id for s in held}
    query = tmp_path / "q.rq"
    query.write_text("SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }")
    for wrong in (
        ["sparql", str(query)],
        ["sparql", "nothing"],
        ["sparql", "trace", "--bind", "x"],
        ["sparql", "trace", "--bind", "x=1"],
    ):
        assert run([*wrong, *place]) == 2
        assert len(capsys.readouterr().err.strip().split("\n")) == 1


# ---------------------------------------------------------------- what the checks find


@pytest.mark.parametrize(
    "said",
    [
        ["I live in Hamburg. I live in Ottensen."],
        ["I live in Hamburg.", "I also live in Berlin."],
        ["I'm a teacher and a referee."],
        ["I was born in May.", "I was born on 12 May 1990."],
        ["My name is Tom.", "My name is Tom Meyer."],
    ],
)
def test_values_that_the_memory_lets_stand_side_by_side_are_no_finding(tmp_path, said):
    with Memory.open(tmp_path, user="u", clock=lambda: T) as memory:
        for day, text in enumerate(said, 1):
            turn = {"id": "t1", "role": "user", "text": text}
            memory.ingest({"id": f"s{day}", "started": f"2026-05-0{day}T10:00:00+00:00", "turns": [turn]})
        held = [s for s in memory.statements(status="current") if s.predicate != "session"]
        assert len(held) == 2 and held[0].predicate == held[1].predicate, "the case is one of two values"
        assert memory.audit(shapes=False).checks == ()


def test_a_finding_names_its_statements_by_id_and_text(made, tmp_path, monkeypatch, capsys):
    shutil.copytree(made, tmp_path / "home")
    # Two homes that nobody judged: what an export of a memory whose reconciliation failed would hold.
    monkeypatch.setattr("graphmem.rdf_statements.exclusion", lambda one, other: "one_value")
    with Memory.open(tmp_path / "home", user="u", clock=lambda: T) as memory:
        memory.ingest(
            {
                "id": "two",
                "started": "2026-06-01T10:00:00+00:00",
                "turns": [{"id": "t1", "role": "user", "text": "I'm a teacher and a referee."}],
            }
        )
        found = memory.audit(shapes=False, format="markdown")
        two = [s for s in memory.statements() if s.predicate == "has_job"]
    assert len(found.findings) == len(found.checks) == 1
    for statement in two:
        assert f"{statement.id} “{statement.text}”" in found.findings[0]
    assert "room for one" in found.findings[0]
    assert "http" not in found.findings[0]
    assert run(["audit", "--user", "u", "--home", str(tmp_path / "home"), "--no-shapes"]) == 1
    assert found.findings[0] in capsys.readouterr().out
    assert "Finding of c2" in found.report


# ---------------------------------------------------------------- questions that are put wrongly


@pytest.mark.parametrize(
    ("query", "bindings", "said"),
    [
        ("believed", {}, "takes D .a time, written as 2026-05-14 .* and V .* --bind D="),
        ("believed", {"D": "2026-01-01"}, "--bind V="),
        ("believed", {"D": "2026-01-01", "v": "2026-01-01"}, "no variable 'v' to bind: it takes D "),
        ("believed", {"D": "soon", "V": "2026-01-01"}, "D must be a time .* not 'soon': write it as"),
        ("changes", {"D1": datetime(2026, 1, 1), "D2": T}, "D1 must be a time with its offset"),
        ("trace", {}, "takes statement .a statement, written as s_"),
        ("trace", {"statement": "s_nothing"}, "'s_nothing' is none: write it as"),
        ("history", {"predicate": "livesIn"}, "a relation of this memory"),
        ("erasure", {"message": "t1"}, "SESSION/TURN"),
        ("portability", {"x": "1"}, "it takes nothing"),
        ("SELECT ?s ?word { ?s ?p ?word }", {"x": "1"}, r"no variable \?x: bind one that it has .p, s, word."),
    ],
)
def test_a_question_that_is_put_wrongly_is_told_what_the_query_takes(home, query, bindings, said):
    with Memory.open(home, user="u", clock=lambda: T) as memory, pytest.raises(InputError, match=said) as told:
        memory.sparql(query, bindings=bindings)
    assert "\n" not in str(told.value)


def test_the_shipped_queries_take_the_names_that_a_person_knows(home):
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        statement = next(s for s in memory.statements() if s.object == "Lund")
        iri = memory.sparql("history", bindings={"predicate": "lives_in"})[1][-1][0]
        assert iri.rsplit("/", 1)[1] == statement.id
        short, long = (memory.sparql("trace", bindings={"statement": name}) for name in (statement.id, iri))
        assert short == long and len(short[1]) == 1
        for printed in (statement.id[:12], statement.id[2:12], statement.id[2:]):
            assert memory.sparql("trace", bindings={"statement": printed}) == short
        for wrong, remedy in (("s_", "give more of it"), ("", "the beginning of it"), ("s_zz", "the beginning of it")):
            with pytest.raises(InputError, match=remedy):
                memory.sparql("trace", bindings={"statement": wrong})
        gone = memory.sparql("erasure", bindings={"?message": "s1/t1"})[1]
        assert (iri,) in gone
        assert memory.sparql("believed", bindings={"D": T, "V": "2026-11-01"})[1]


# ---------------------------------------------------------------- the picture of a trace


def test_the_picture_of_a_trace_has_every_step_and_runs_nothing(home, tmp_path, capsys):
    from xml.etree import ElementTree

    place = ["--user", "u", "--home", str(home)]
    with Memory.open(home, user="u", clock=lambda: T) as memory:
        old, new, tea = (next(s for s in memory.statements() if s.object == name) for name in ("Oslo", "Lund", "tea"))
        first = memory.chain(new.id, tmp_path / "a.svg").read_bytes()
        assert memory.chain(new.id, tmp_path / "b.svg").read_bytes() == first
        odd = memory.chain(tea.id, tmp_path / "tea.svg").read_text()
        with pytest.raises(InputError, match=r"end it in \.svg"):
            memory.chain(new.id, tmp_path / "x.png")
        with pytest.raises(StatementNotFound):
            memory.chain("s_nothing", tmp_path / "x.svg")
    assert run(["trace", new.id[:10], *place, "--picture", str(tmp_path / "c.svg")]) == 0
    assert "wrote" in capsys.readouterr().err
    assert (tmp_path / "c.svg").read_bytes() == first

    root = ElementTree.fromstring(first)
    words = [item.text for item in root.iter() if item.tag.endswith("}text")]
    for said in (new.id, old.id, "“I moved to Lund last month”", "turn t1", "session s1", "takes the place of", "rests on"):
        assert said in words
    assert {"stands in", "part of", "user, 2026-02-05T10:00:00Z"} <= set(words)
    # The turn of the other one holds markup and a mark of direction: both are text, or not there.
    assert "&lt;script&gt;" in odd and "<script" not in odd and "\u202e" not in odd
    for text in (odd, first.decode()):
        assert not {"href", "onload", "script"} & {name for item in ElementTree.fromstring(text).iter() for name in item.attrib}
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_two_sides_of_a_contradiction_are_drawn_without_a_direction(tmp_path):
    said = ["I am allergic to nuts.", "I am not allergic to nuts."]
    with Memory.open(tmp_path / "home", user="u", clock=lambda: T) as memory:
        for day, text in enumerate(said, 1):
            turn = {"id": "t1", "role": "user", "text": text}
            memory.ingest({"id": f"s{day}", "started": f"2026-05-0{day}T10:00:00+00:00", "turns": [turn]})
        pair = memory.contradictions()[0]
        drawn = memory.chain(pair.a.id, tmp_path / "a.svg").read_text()
    assert drawn.count(">contradicts<") == 1
    assert pair.b.id in drawn
    assert 'stroke="#c02020"/>' in drawn
