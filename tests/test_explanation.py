"""Every sentence gets a claim or a reason, and what is shown as taken is what an ingest records."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest

from graphmem import Memory, Session
from graphmem.cli import run
from graphmem.explanation import REASONS, explain
from graphmem.extractors.base import Claim, Extraction
from graphmem.extractors.rules import RuleExtractor
from graphmem.sessions import parse, read

DATA = Path(str(files("graphmem.data"))) / "transcripts"
README = Path(__file__).parents[1] / "README.md"
EXTRACTOR = RuleExtractor()

# Nothing of these is kept, and each is told why.
NOTHING = {
    "hedged": [
        "I might be allergic to kiwi.",
        "Maybe I'm a morning person.",
        "Perhaps we live too close to the airport.",
        "I could be getting a dog.",
        "I think I'm turning vegetarian.",
    ],
    "hypothetical": [
        "Suppose I owned a vineyard in Georgia.",
        "Let's say I work at the mint.",
        "Imagine we lived on a barge.",
        "I would sell the piano.",
        "I'm practically a vegan.",
    ],
    "conditional": [
        "If I lived in Narva, I'd learn Estonian.",
        "Unless it rains I cycle to work.",
        "Once I retire, I would keep bees.",
    ],
    "question": ["Do I need a visa for Chile?", "Where did I put my keys?", "Am I too old for judo, what do you think?"],
    "wish": ["I wish I had a sister.", "My wife and I dream of a house by the sea."],
    "attributed": ["My aunt says I'm stubborn.", "According to my doctor I have asthma.", "You told me I like fish."],
    "fiction": ["In my novel I am a smuggler from Split.", "We are playing a game, I live in a castle."],
    "quoted": ["> I moved to Oslo", "She wrote: I have two dogs", 'The letter says "I am the landlord of Mill Lane"'],
    "code": ["```\nlives_in = 'Oslo'\n```"],
    "small_talk": ["Thanks!", "Good night."],
    "no_relation": ["It rained in the valley again.", "The lift makes a strange noise at night."],
    "no_words": ["...", "?!"],
}


def session(*texts: str, role: str = "user") -> Session:
    turns = [{"id": f"t{n}", "role": role, "text": text} for n, text in enumerate(texts)]
    return parse({"id": "s", "started": "2025-03-04T10:00:00+01:00", "turns": turns})


def check_complete(given: Session) -> None:
    """Every sentence has an outcome, every word lies in a sentence, every quote is exact, and no reason is unknown."""
    found = explain(given, extractor=EXTRACTOR)
    assert [turn.turn for turn in found.turns] == [turn.id for turn in given.turns]
    for turn, outcome in zip(given.turns, found.turns, strict=True):
        covered = bytearray(len(turn.text) + 1)
        assert outcome.stray == ()
        for sentence in outcome.sentences:
            assert sentence.text == turn.text[sentence.start : sentence.end]
            assert sentence.taken or sentence.refused, sentence.text
            covered[sentence.start : sentence.end] = b"\1" * (sentence.end - sentence.start)
            for item in (*sentence.taken, *sentence.refused):
                assert turn.text[item.start : item.end] == item.quote
            for item in sentence.refused:
                assert item.reason in REASONS
                assert item.reason != "unexplained", sentence.text
                assert sentence.start <= item.start < item.end <= sentence.end
        for word in re.finditer(r"\w{2,}", turn.text):
            assert all(covered[word.start() : word.end()]), word.group()


def reasons(found) -> set[str]:
    return {item.reason for turn in found.turns for sentence in turn.sentences for item in sentence.refused}


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_every_sentence_of_the_shipped_transcripts_has_a_claim_or_a_reason(path):
    for given in read(path):
        check_complete(given)


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in NOTHING.items() for text in texts])
def test_what_is_not_kept_is_told_with_its_reason(reason, text):
    given = session(text)
    check_complete(given)
    found = explain(given, extractor=EXTRACTOR)
    assert [claim for claim in found.claims if claim.tier != "inferred"] == []
    # What is hedged may be kept as a suggestion, which then is what is shown.
    assert reason in reasons(found) or (reason == "hedged" and found.claims and all(c.hedged for c in found.claims))


def test_many_sentences_in_one_turn_are_told_one_by_one():
    texts = [text for name, group in NOTHING.items() if name in ("hedged", "question", "wish", "no_relation") for text in group]
    given = session(" ".join(["I live in Turku.", *texts, "I'm a nurse."]))
    check_complete(given)
    outcomes = explain(given, extractor=EXTRACTOR).turns[0].sentences
    assert [sentence.text for sentence in outcomes] == ["I live in Turku.", *texts, "I'm a nurse."]
    assert [bool([c for c in s.taken if c.tier == "stated"]) for s in outcomes] == [True, *[False] * len(texts), True]


@pytest.mark.parametrize("role", ["assistant", "tool", "document", "system", "memory"])
def test_words_of_others_are_said_not_to_be_looked_at(role):
    given = session("You live in Oslo. You have two cats.", role=role)
    check_complete(given)
    found = explain(given, extractor=EXTRACTOR)
    assert found.claims == ()
    assert reasons(found) == {f"role_{role}"}
    assert {item.stage for s in found.turns[0].sentences for item in s.refused} == {"unread"}


def test_a_rule_that_read_something_is_named():
    found = explain(session("I live in Bergen. I live in Bergen.", "Her landlord has a kiln."), extractor=EXTRACTOR)
    assert ("repeated", "residence") in {(r.reason, r.rule) for t in found.turns for s in t.sentences for r in s.refused}


def test_what_is_taken_is_what_an_ingest_records(tmp_path):
    wanted = set()
    with Memory.open(tmp_path, user="u") as memory:
        for path in sorted(DATA.iterdir()):
            for given in read(path):
                memory.ingest(given)
                found = explain(given, extractor=EXTRACTOR, user="u")
                # A deed that closes a task is no statement; what is said in two sessions is one.
                wanted |= {(claim.text, claim.kind, claim.tier, claim.quote) for claim in found.claims if not claim.done}
        stored = {
            (s.text, s.kind, s.tier, e.quote)
            for s in memory.statements()
            for e in s.evidence
            if not s.text.startswith("Session of ")
        }
    assert wanted == stored


class Clumsy:
    """An extractor whose claims cannot be kept."""

    name, version = "clumsy", "1"

    def extract(self, session):
        def claim(**fields):
            base = {
                "turn": "t0",
                "start": 0,
                "end": 1,
                "quote": "I",
                "kind": "fact",
                "predicate": "owns",
                "object": "x",
                "rule": "r",
            }
            return Claim(**{**base, **fields})

        text = session.turns[0].text
        broken = [
            claim(quote="no"),
            claim(end=0, quote=""),
            claim(object=" "),
            claim(object="x" * 2000),
            claim(turn="t9"),
            claim(end=len(text), quote=text),
        ]
        return Extraction(tuple(broken), ())


def test_refusals_of_grounding_and_admission_are_told_too():
    found = explain(session("I own it. More of it."), extractor=Clumsy())
    sentences = found.turns[0].sentences
    assert [r.reason for r in sentences[0].refused] == ["quote_not_found", "object_empty", "object_too_long"]
    assert {r.stage for r in sentences[0].refused} == {"grounding", "admission"}
    assert len(sentences[0].taken) == 1
    assert [r.reason for r in sentences[1].refused] == ["continued"]
    assert {r.reason for r in found.turns[0].stray} == {"quote_empty", "turn_unknown"}


def test_the_time_of_recording_changes_nothing():
    given = session("I moved to Lisbon last month.")
    times = (datetime(2025, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC), None)
    assert len({explain(given, extractor=EXTRACTOR, now=now).model_dump_json() for now in times}) == 1


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def out(capsys, monkeypatch, tmp_path):
    """Run `extract` where no memory may be made, and return what it prints."""
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "none"))

    def call(*arguments):
        assert run(["extract", *map(str, arguments)]) == 0
        assert not (tmp_path / "none").exists()
        return capsys.readouterr().out

    return call


def test_the_command_prints_claims_and_with_explain_every_sentence(out):
    plain, told = out(DATA / "notes.txt"), out("--explain", DATA / "notes.txt")
    assert "has_vehicle: bike" in plain
    assert "Let me look it up tonight" not in plain
    for given in read(DATA / "notes.txt"):
        for turn in given.turns:
            for sentence in re.split(r"(?<=[.!?])\s", turn.text):
                assert sentence[:60] in told


def test_json_is_one_document_with_and_without_reasons(out):
    claims = json.loads(out("--json", DATA / "mira.jsonl"))
    told = json.loads(out("--json", "--explain", DATA / "mira.jsonl"))
    assert [item["session"] for item in claims] == [item["session"] for item in told] == ["m1", "m2", "m3", "m4", "m5"]
    inside = [c for item in told for turn in item["turns"] for s in turn["sentences"] for c in s["taken"]]
    assert [c for item in claims for c in item["claims"]] == inside
    assert all(s["taken"] or s["refused"] for item in told for turn in item["turns"] for s in turn["sentences"])


def test_no_control_sequence_reaches_the_terminal(out, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(session("I live in \x1b[31mOslo\x07. \u202eI own a lute.").model_dump(mode="json")))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", out("--explain", path))


def test_a_file_that_cannot_be_read_is_one_line(capsys, tmp_path):
    (tmp_path / "x.json").write_text("[{")
    assert run(["extract", "--explain", str(DATA / "mira.jsonl"), str(tmp_path / "x.json")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1


@pytest.mark.skipif(not README.is_file(), reason="needs the checkout")
def test_the_lines_that_the_readme_shows_are_printed(out):
    block = re.search(r"<!-- explain -->\n```console\n(.*?)```", README.read_text(encoding="utf-8"), re.S).group(1)
    command, *lines = block.strip().splitlines()
    assert command == "$ graphmem extract --explain graphmem/data/transcripts/mira.jsonl"
    printed = out("--explain", DATA / "mira.jsonl").splitlines()
    assert lines
    assert [line for line in lines if line != "..." and line not in printed] == []
