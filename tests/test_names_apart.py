"""Whose name it is that a request to forget gives: longer names, plain words, speakers, the owner, and who else is hit."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_parts import small_parts

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import InputError
from graphmem.extractors.rules import RuleExtractor
from graphmem.lifecycle.mentions import guarded_names, naming
from graphmem.records import ERASED

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def chat(name, *turns):
    said = [
        {
            "id": f"t{place}",
            "role": "user",
            **({"text": turn} if isinstance(turn, str) else {"speaker": turn[0], "text": turn[1]}),
        }
        for place, turn in enumerate(turns)
    ]
    return {"id": name, "started": "2026-03-01T09:00:00Z", "turns": said}


@pytest.fixture(autouse=True)
def no_model():
    with small_parts(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.memory._extractor", lambda name: RuleExtractor())
        yield


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", user="u", clock=lambda: NOW) as opened:
        yield opened


def left(memory):
    """What still stands in the turns, and who speaks there."""
    said = [(turn.speaker, turn.text.strip(ERASED + " ")) for turn in memory._space.graph.turns()]
    return [one for one in said if one[1]]


def called(memory):
    return {entity.id: (entity.name, entity.type) for entity in memory.entities()}


# ---------------------------------------------------------------------- longer names and plain words


@pytest.mark.parametrize(
    ("name", "theirs", "other"),
    [
        ("Anna", "My friend Anna lives in Lahti.", "My sister Anna-Maria lives in Vaasa."),
        ("Ola", "My brother Ola lives in Oslo.", "My colleague Ola Lund lives in Rome."),
        ("Rose", "My aunt Rose lives in Espoo.", "I work at Rose Hill Ltd."),
        ("Ivy", "My aunt Ivy lives in Espoo.", "I love ivy tea."),
        ("Bill", "My friend Bill lives in Boston.", "I need to pay the bill."),
        ("Mark", "My friend Mark lives in Boston.", "I need to mark the exams."),
        ("Will", "My friend Will lives in Boston.", "I will call the bank."),
        ("May", "My sister May lives in Oslo.", "I may move to Rome in May."),
    ],
)
def test_what_is_somebody_elses_or_a_plain_word_stays_and_is_counted(memory, name, theirs, other):
    memory.ingest(chat("s1", f"{theirs} {other}"))
    before = {s.text for s in memory.statements() if s.details.get("type") != "session" and s.evidence[0].start >= len(theirs)}
    receipt = memory.forget(entity=name)
    assert left(memory) == [(None, other)] and receipt.residue_hits == 0 and receipt.others == ()
    assert any("stay: 1" in one for one in receipt.not_covered)
    assert {s.text for s in memory.statements() if s.details.get("type") != "session"} == before
    assert not memory.ingest(chat("s2", other)).rejected
    assert memory.verify().problems == ()


def test_the_shorter_name_beside_the_longer_one_takes_the_sentence_and_shows_whom_it_hits(memory, tmp_path, capsys):
    memory.ingest(chat("s1", "My brother Ola lives in Oslo. My colleague Ola Lund lives in Rome with Ola."))
    known = called(memory)
    planned = memory.forget(entity="Ola", dry_run=True)
    assert [known[id_] for id_ in planned.others] == [("Ola Lund", "person")]
    memory.close()
    assert run(["forget", "--entity", "Ola", "--dry-run", "--user", "u", "--home", str(tmp_path / "home")]) == 0
    said = capsys.readouterr()
    assert planned.others[0] in said.out and "Ola Lund" not in said.out
    assert f"another person of whom statements go too: {planned.others[0]}: Ola Lund" in said.err


def test_a_city_of_the_same_name_goes_and_is_shown(memory):
    memory.ingest(chat("s1", "My friend Paris lives in Boston. I live in Paris."))
    known = called(memory)
    receipt = memory.forget(entity="Paris")
    assert [known[id_] for id_ in receipt.others] == [("Paris", "place")] and left(memory) == []


@pytest.mark.parametrize(
    "told",
    [
        "My brother Ola lives in Oslo. My brother Ola Lund likes tea.",  # a relative of the same kind, with a surname
        "My colleague Ola Lund lives in Rome. I met Ola Lund.",  # nobody is called Ola alone
        "My brother Ola lives in Oslo. I met ola. OLA sang.",  # no common word
        "My brother Ola lives in Oslo. I like Ola's bike. I saw Ola-like hats.",
    ],
)
def test_in_doubt_a_name_is_meant(memory, told):
    memory.ingest(chat("s1", told))
    memory.forget(entity="Ola")
    assert left(memory) == []


def test_a_common_word_that_the_owner_has_written_as_a_name_counts_in_lower_case(memory):
    memory.ingest(chat("s1", "My aunt Ivy lives in Espoo. I met ivy.", "my aunt ivy is kind."))
    memory.forget(entity="Ivy")
    assert left(memory) == []


@pytest.mark.parametrize("name", ["bill", "Bill"])
def test_where_nobody_has_the_name_the_word_is_what_is_asked_for(memory, name):
    memory.ingest(chat("s1", "I need to pay the bill."))
    memory.forget(entity=name)
    assert left(memory) == []


def test_a_name_of_nobody_known_is_still_no_plain_word(memory):
    memory.ingest(chat("s1", "I saw Will there. I will call the bank."))
    memory.forget(entity="Will")
    assert left(memory) == [(None, "I will call the bank.")]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I saw May there.", True), ("May left.", True), ("May I go?", False), ("It was in May.", False), ("On May 3.", False),
        ("By May's house.", True), ("It was early May.", False), ("On 3 May.", False), ("A gift for May.", True),
        ("I may go.", False), ("Will my mum come?", False), ("Will came.", True), ("I said so. Will you?", False),
        ("I think Will you know.", True), ("Rose petals", True), ("rose petals", False), ("I SAW ROSE", True),
    ],
)  # fmt: skip
def test_a_common_word_is_a_name_unless_it_can_only_be_the_word(text, named):
    forms = frozenset({"may", "will", "rose"})
    assert naming(forms, (), guarded=guarded_names(forms, (), ()))(text) is named


@given(st.text(alphabet="Anna-Mri .'", max_size=30))
def test_a_longer_name_of_others_never_adds_a_mention(text):
    forms, longer = {"anna"}, {"anna-maria", "anna mari"}
    assert not naming(forms, (), longer=longer)(text) or naming(forms, ())(text)
    assert naming(forms, (), longer=longer)(f"{text} Anna") and not naming(forms, (), longer=longer)("Anna-Maria's")


# ---------------------------------------------------------------------- speakers, and the owner


@pytest.mark.parametrize("speaker", ["Leonard", "Dr Leonard", "Leonard Berg", "Prof. Leonard Berg"])
def test_a_speaker_by_the_name_with_title_or_surname_goes(memory, speaker):
    memory.ingest(chat("s1", "My brother Leonard lives in Lisbon.", (speaker, "Good day to you all.")))
    memory.forget(entity="Leonard")
    assert left(memory) == [] and {turn.speaker for turn in memory._space.graph.turns()} == {None}


@pytest.mark.parametrize("speaker", ["Leonard Berg", "leonard", "Dr Leonard"])
@pytest.mark.parametrize("short", ["", "My brother Leonard likes jam. "])
def test_a_name_that_is_short_for_the_only_longer_one_reaches_who_speaks_under_either(memory, speaker, short):
    memory.ingest(chat("s1", f"{short}My brother Leonard Berg lives in Lisbon.", (speaker, "I love tea.")))
    memory.forget(entity="Leonard")
    assert left(memory) == []


def test_a_speaker_who_is_known_as_somebody_else_stays_and_is_told_of(memory):
    memory.ingest(
        chat(
            "s1", "My brother Leonard lives in Lisbon. My colleague Leonard Berg lives in Rome.", ("Leonard Berg", "Good day.")
        )
    )
    receipt = memory.forget(entity="Leonard")
    assert left(memory) == [(None, "My colleague Leonard Berg lives in Rome."), ("Leonard Berg", "Good day.")]
    assert any(one.startswith("speakers in whose longer name") for one in receipt.not_covered)


def test_the_owner_who_speaks_under_a_longer_name_is_not_taken_for_a_friend(memory):
    memory.ingest(chat("s1", ("Leonard Berg", "My friend Leonard lives in Lisbon."), ("Leonard Berg", "I like tea.")))
    memory.forget(entity="Leonard")
    assert left(memory) == [("Leonard Berg", "I like tea.")]


def test_the_owners_first_name_is_the_owner_unless_somebody_else_has_it(memory):
    memory.ingest(chat("s1", "My name is Mira Salo. I like tea."))
    for name in ("Mira", "mira", "Mira Salo", "Dr Mira"):
        with pytest.raises(InputError, match="is the owner"):
            memory.forget(entity=name)
    memory.ingest(chat("s2", "My friend Mira lives in Oslo."))
    memory.forget(entity="Mira")
    assert left(memory) == [(None, "My name is Mira Salo. I like tea.")]
