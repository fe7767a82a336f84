"""Ids of sessions and turns that nobody gave: made under the memory's secret, the same for the same transcript, no oracle."""

from __future__ import annotations

import json

import pytest
from roles_world import Words, owned, roled, seeded

from graphmem import Memory
from graphmem.errors import EmbedderFailed, SessionError
from graphmem.extractors.base import Extraction
from graphmem.model import Session
from graphmem.recorded import Names
from graphmem.records import ERASED
from graphmem.register import path_of
from graphmem.sessions import parse
from graphmem.withheld import Made, Withheld, withhold

SAID = (
    ("user", "I live in Turku and I keep forty beehives."),
    ("assistant", "Where do you work?"),
    ("user", "At Nokia. I like rye bread."),
)
TOPIC = "Zinnia"


def talk(*said, **more):
    turns = [{"role": role, "text": text} for role, text in said or SAID]
    return {"started": "2026-05-14T10:30:00+03:00", "topic": TOPIC, "turns": turns, **more}


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Words())


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def _as_given(names, session):
    return (session if isinstance(session, Withheld) else withhold(session))._replace(made=Made())


@pytest.fixture
def earlier(monkeypatch):
    """Makes memories as an earlier release did, which kept the digests as ids."""

    def ingest(home, *sessions):
        with monkeypatch.context() as patch, owned(home) as memory:
            patch.setattr(Names, "named", _as_given)
            for session in sessions:
                memory.ingest(session)

    return ingest


def turns_of(memory):
    return sorted(((t.session, t.position, t.id, t.text) for t in memory._space.graph.turns()), key=lambda turn: turn[:2])


def ids_in(memory):
    return {(session, id_) for session, _, id_, _ in turns_of(memory)}


def statements(memory):
    return sorted((s.text, len(s.evidence), s.status) for s in memory.statements())


def digests(*sessions):
    """The ids that nobody gave, as parsing makes them: a digest of words that anybody can take."""
    found = set()
    for session in map(parse, sessions):
        found |= {name for name in (session.id, *(turn.id for turn in session.turns)) if name.startswith(("session_", "turn_"))}
    return found


def left_in(memory, home):
    """All that the files of a memory hold: as they lie, and what the ledger and the graph in them say."""
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert files
    space = memory._space
    said = [json.dumps(entry._asdict(), default=str) for entry in space.ledger.entries()]
    said += [repr(part) for part in (*space.graph.turns(), *space.graph.sessions(), *space.graph.nodes())]
    return b"\n".join([*files, *(text.encode() for text in said)])


def holds_none(memory, home, *sessions):
    data = left_in(memory, home)
    for digest in digests(*sessions):
        assert digest.encode() not in data
        assert bytes.fromhex(digest.partition("_")[2]) not in data, "packed as a ledger packs ids"


# ---------------------------------------------------------------------- which ids


def test_the_same_transcript_is_the_same_session_and_in_another_memory_it_has_other_ids(home, tmp_path):
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(talk()))
    with owned(home) as memory:
        assert memory.ingest(file).turns == 3
        first, held = ids_in(memory), statements(memory)
    with owned(home) as memory:  # opened anew, nothing is remembered but by the files
        for again in (file, talk(), parse(talk()), Session.model_validate_json(parse(talk()).model_dump_json())):
            report = memory.ingest(again)
            assert (report.sessions, report.turns) == (0, 0)
        assert ids_in(memory) == first and statements(memory) == held
    for other in ({"user": "v"}, {"space": "work"}):
        with owned(home, **other) as memory:
            memory.ingest(file)
            assert len(ids_in(memory)) == 3 and not ids_in(memory) & first
            assert not {id_ for _, id_ in ids_in(memory)} & {id_ for _, id_ in first}


def test_ids_that_were_given_are_kept_and_a_session_with_an_id_grows_by_turns_without(home):
    given = talk(id="chat", turns=[{"id": "a", "role": "user", "text": "I live in Turku."}])
    with owned(home) as memory:
        memory.ingest([given, talk(id="grows")])
        assert ("chat", "a") in ids_in(memory)
        assert memory.ingest(talk(*SAID, ("user", "I moved to Lisbon last week."), id="grows")).turns == 1
        assert len({id_ for session, id_ in ids_in(memory) if session == "grows"}) == 4
        with pytest.raises(SessionError, match="other words in turn 1"):
            memory.ingest(talk(("user", "I live in Oulu."), id="grows"))


def test_masked_secrets_leave_no_digest_and_the_report_tells_the_ids_that_are_kept(home):
    secret = talk(("user", "My PIN is 4711. I like rye bread."))
    with owned(home) as memory:
        report = memory.ingest(secret)
        assert {(item.session, item.turn) for item in report.masked} == ids_in(memory)
        holds_none(memory, home, secret)
        assert memory.ingest(secret).turns == 0


def test_no_file_holds_a_digest_of_words_not_even_of_what_waits_or_was_forgotten(home, monkeypatch):
    def fails(self, texts):
        raise EmbedderFailed("the embedder is gone")

    waits = talk(("user", "I play the oboe in an orchestra."), id="waits")
    with owned(home) as memory:
        memory.ingest(talk())
        with monkeypatch.context() as patch:
            patch.setattr(Words, "encode", fails)
            assert memory.ingest([waits, talk(("user", "I sail a small boat."))]).waiting
        holds_none(memory, home, talk(), waits, talk(("user", "I sail a small boat.")))
        assert not memory.extract().waiting
        fact = next(s for s in memory.statements() if "Turku" in s.text)
        memory.confirm(fact.id, content_hash=fact.content_hash)
        memory.propose([{"turn": "nowhere", "quote": "I am a pilot", "predicate": "note", "object": "pilot"}], session="waits")
        memory.forget(session=turns_of(memory)[0][0])
        memory.forget(id=next(s for s in memory.statements() if "oboe" in s.text).id)
        holds_none(memory, home, talk(), waits, talk(("user", "I sail a small boat.")))
        register = path_of(memory._space.folder).read_text()
        assert not any(digest in register for digest in digests(talk(), waits))
        assert all(fact.content_hash not in entry.operation for entry in memory._space.ledger.entries())


def test_names_of_operations_are_other_ones_in_a_memory_with_another_secret(home):
    """What an operation is called outlasts the words: a name that was made of them alone would let them be guessed."""
    names = []
    for user in ("u", "v"):
        with owned(home, user=user) as memory:
            memory.ingest({**talk(id="s"), "turns": [{"id": "a", "role": "user", "text": "I live in Turku."}]})
            memory.propose([{"turn": "a", "quote": "I live in Oulu", "predicate": "lives_in", "object": "Oulu"}], session="s")
            fact = next(s for s in memory.statements() if "Turku" in s.text)
            memory.confirm(fact.id, content_hash=fact.content_hash)
            names.append({entry.operation for entry in memory._space.ledger.entries()})
    assert {name.split("/")[0] for name in names[0]} >= {"ingest", "propose", "confirm"}
    assert not names[0] & names[1]


# ---------------------------------------------------------------------- memories of earlier releases, backups, exports


def test_what_an_earlier_release_recorded_under_digests_is_known_and_grows(home, earlier):
    grown = talk(*SAID, ("user", "I moved to Lisbon last week."), id="chat")
    earlier(home, talk(), talk(id="chat"))
    with owned(home) as memory:
        before, held = turns_of(memory), statements(memory)
        assert {id_ for _, id_ in ids_in(memory)} == {turn.id for turn in parse(talk()).turns}
        for again in (talk(), talk(id="chat")):
            assert memory.ingest(again).turns == 0
        assert turns_of(memory) == before and statements(memory) == held
        assert memory.ingest(grown).turns == 1 and memory.ingest(grown).turns == 0
        added = {turn[2] for turn in turns_of(memory)} - {turn[2] for turn in before}
        assert len(added) == 1 and not added & digests(grown)


def test_what_waits_since_an_earlier_release_is_extracted_where_it_was_recorded(home, earlier, monkeypatch):
    def fails(self, texts):
        raise EmbedderFailed("the embedder is gone")

    with monkeypatch.context() as patch:
        patch.setattr(Words, "encode", fails)
        earlier(home, talk())
    with owned(home) as memory:
        before = turns_of(memory)
        assert not memory.extract().waiting and memory.ingest(talk()).turns == 0
        assert turns_of(memory) == before and "User likes rye bread" in {s.text for s in memory.statements()}


def test_a_restored_memory_knows_the_transcripts_of_the_one_that_was_backed_up(home, tmp_path):
    with owned(home) as memory:
        memory.ingest([talk(), talk(id="chat")])
        before, held = turns_of(memory), statements(memory)
        memory.backup(tmp_path / "copy.graphmem")
    with Memory.restore(tmp_path / "copy.graphmem", home=home, space="other") as memory:
        assert memory.ingest([talk(), talk(id="chat")]).turns == 0
        assert turns_of(memory) == before and statements(memory) == held


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_memory_made_of_an_export_knows_the_transcripts_of_the_one_it_was_made_of(home, tmp_path, forgotten):
    grown = talk(*SAID, ("user", "I moved to Lisbon last week."), id="chat")
    with owned(home) as memory:
        memory.ingest([talk(), talk(id="chat")])
        if forgotten:
            memory.forget(id=next(s for s in memory.statements() if "rye" in s.text).id)
        memory.export(tmp_path / "all.json", format="json", profile="audit")
        before, held = turns_of(memory), statements(memory)
    with Memory.restore(tmp_path / "all.json", home=tmp_path / "new") as memory:
        assert memory._space.ledger.secret
        assert memory.ingest([talk(), talk(id="chat")]).turns == 0
        assert turns_of(memory) == before and statements(memory) == held
        assert memory.ingest(grown).turns == 1 and memory.ingest(grown).turns == 0
        assert memory.ingest(talk(("user", "I sail a small boat."))).sessions == 1, "other words are another session"
        holds_none(memory, tmp_path / "new", grown, talk(), talk(("user", "I sail a small boat.")))


# ---------------------------------------------------------------------- forgetting


@pytest.mark.parametrize("named", [{}, {"id": "chat"}])
@pytest.mark.parametrize("everything", [False, True])
def test_a_few_words_and_a_topic_are_known_in_their_place_also_after_all_was_forgotten(home, named, everything):
    with owned(home) as memory:
        memory.ingest([talk(**named), talk(("user", "I sail a small boat."))])
        if everything:
            memory.forget(all=True)
        else:
            memory.forget(session=next(one.id for one in memory.sessions() if one.turns == 3))
        memory.ingest([talk(**named), talk(("user", "At sea."), ("assistant", "Where do you work?"), id="later")])
        again = next(one for one in memory.sessions() if one.turns == 3)
        assert all(set(text) <= {ERASED, " "} for session, *_, text in turns_of(memory) if session == again.id)
        assert again.topic is None
        assert {"At sea.", "Where do you work?"} <= {text for *_, text in turns_of(memory)}


# ---------------------------------------------------------------------- other roles


class Hears:
    """An extractor that takes nothing, and knows what it was handed last."""

    name, version = "hears", "1"
    heard = ()

    def extract(self, session):
        self.heard = [turn.text for turn in session.turns]
        return Extraction((), ())


def answers(memory, *sessions, **how):
    """What an agent is told of each session, or the error."""

    def told(session):
        try:
            report = memory.ingest(session, **how)
        except SessionError as error:
            return str(error)
        return report.model_copy(update={"seconds": 0.0}).model_dump_json()

    return [told(session) for session in sessions]


GUESSES = (
    talk(id="chat"),
    talk(("user", "I live in Oulu and I keep forty beehives."), *SAID[1:], id="chat"),
    talk(("user", "I have diabetes."), ("user", "Yes."), ("user", "No."), id="chat"),
    talk(*SAID[:2], ("user", "At Volvo. I like rye bread."), id="chat"),
    talk(*SAID[:1], id="chat"),
)


@pytest.mark.parametrize("forgotten", [False, True])
@pytest.mark.parametrize("old", [False, True])
def test_an_agent_cannot_find_out_by_a_session_what_was_said_or_forgotten_in_it(home, earlier, forgotten, old):
    with_ids = [
        {
            **talk(id="ids"),
            "turns": [{"id": f"t{place}", "role": role, "text": text} for place, (role, text) in enumerate(said)],
        }
        for said in (SAID, (("user", "I live in Oulu."), *SAID[1:]), (*SAID[:2], ("tool", "No.")))
    ]
    if old:
        earlier(home, talk(id="chat"), with_ids[0])
    else:
        with owned(home) as memory:
            memory.ingest([talk(id="chat"), with_ids[0]])
    with owned(home) as memory:
        if forgotten:
            memory.forget(session="chat")
            memory.forget(session="ids")
        before, held = turns_of(memory), statements(memory)
    with roled(home, "agent") as memory:
        assert len(set(answers(memory, *GUESSES, *with_ids))) == 1
        assert len(set(answers(memory, *GUESSES, *with_ids, extractor=Hears()))) == 1
        longer = [
            {**one, "turns": [*one["turns"], {"id": "more", "role": "user", "text": "I like tea."}]} for one in GUESSES[:4]
        ]
        first = memory.ingest(longer[1])
        assert first.turns == 1 and {s.text for s in memory.statements()} >= {"User likes tea"}
        assert len(set(answers(memory, *longer))) == 1
    with owned(home) as memory:
        assert turns_of(memory)[: len(before)] == before or len(turns_of(memory)) == len(before) + 1
        assert {text for text, _, _ in held} <= {text for text, _, _ in statements(memory)}


@pytest.mark.parametrize("old", [False, True])
def test_an_agent_cannot_find_out_by_a_transcript_without_ids_that_the_owner_gave_it_too(home, earlier, old):
    guesses = talk(), talk(("user", "I keep forty beehives in Turku and I live there."), *SAID[1:])
    if old:
        earlier(home, talk())
    else:
        with owned(home) as memory:
            memory.ingest(talk())
    with roled(home, "agent") as memory:
        for guess in guesses:
            report = memory.ingest(guess)
            assert (report.sessions, report.turns) == (1, 3)
        assert memory.ingest(guesses[0]).turns == 0, "what it gave itself it may know"
    with roled(home, "agent", actor="another") as memory:
        assert memory.ingest(guesses[0]).turns == 3
    with owned(home) as memory:
        texts = [s.text for s in memory.statements() if s.details.get("type") != "session"]
        assert len(texts) == len(set(texts)), "the same statements are none anew, they have more quotes"
        assert memory.ingest(talk()).turns == 0


def test_a_session_of_an_agents_own_grows_with_what_was_said_before_and_is_held_to_it(home):
    with owned(home) as memory:
        memory.ingest(talk(id="chat"))
    more = ("user", "I moved to Lisbon last week.")
    with roled(home, "agent") as memory:
        memory.ingest(talk(id="own"))
        assert memory.ingest(talk(id="own")).turns == 0
        assert memory.ingest(talk(*SAID, more, id="own"), extractor=(own := Hears())).turns == 1
        assert own.heard[-1] == more[1]
        with pytest.raises(SessionError, match="other words"):
            memory.ingest(talk(("user", "I live in Oulu."), id="own"))
        assert memory.ingest(talk(*SAID, more, id="chat"), extractor=(others := Hears())).turns == 1
        assert others.heard == [more[1]], "what the owner recorded is not read along"
    with roled(home, "agent", actor="another") as memory:
        assert memory.ingest(talk(("user", "I live in Oulu."), id="own")).turns == 0
    with owned(home) as memory:
        assert memory.ingest([talk(*SAID, more, id=name) for name in ("own", "chat")]).turns == 0, "the owner may know all"
        assert memory.verify().problems == ()
        memory.forget(session="own")
    with roled(home, "agent") as memory:
        assert len(set(answers(memory, talk(*SAID, more, id="own"), talk(("user", "I live in Oulu."), id="own")))) == 1


def test_a_digest_of_words_that_were_changed_is_no_id_either(tmp_path):
    read = parse(talk())
    grown = read.model_copy(
        update={"turns": (*read.turns, read.turns[0].model_copy(update={"id": "more", "text": "I love tea."}))}
    )
    shorter = read.model_copy(update={"turns": read.turns[1:]})
    for number, changed in enumerate((grown, shorter)):
        with owned(tmp_path / str(number)) as memory:
            assert memory.ingest(changed).sessions == 1 and memory.ingest(changed).sessions == 0
            there = {memory.sessions()[0].id} | {turn.id for turn in memory._space.graph.turns()}
        assert not there & {read.id, *(turn.id for turn in read.turns)}


def test_where_hardly_a_word_is_left_another_transcript_is_another_session(tmp_path):
    first = {"started": "2026-05-14T10:30:00Z", "turns": [{"role": "user", "text": "I like opera."}]}
    with owned(tmp_path / "a") as memory:
        memory.ingest(first)
        memory.forget(topic="opera")
        memory.export(tmp_path / "x.trig", profile="audit")
    Memory.restore(tmp_path / "x.trig", home=tmp_path / "b").close()
    with owned(tmp_path / "b") as memory:
        other = {**first, "turns": [{"role": "user", "text": "I like pizza."}]}
        report = memory.ingest(other)
        assert report.sessions == 1, "it is not taken for the one that is empty"
        assert any("pizza" in turn.text for turn in memory._space.graph.turns())


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        ("I have a chemotherapy appointment on May 20.", "The appointment was cancelled."),
        ("I need to call the HIV clinic.", "I called the clinic."),
    ],
)
def test_what_settles_something_hidden_tells_an_agent_nothing_of_it(tmp_path, hidden, said):
    told = []
    for number, words in enumerate((f"{hidden} I love tea.", "I love tea.")):
        with owned(tmp_path / str(number), entropy=seeded("the same")) as memory:
            memory.ingest(talk(("user", words), id="own"))
            assert len(memory.statements()) > 1 or number, "there is something to hide"
        with roled(tmp_path / str(number), "agent") as memory:
            before = len(memory.statements())
            report = memory.ingest({**talk(("user", said), id="given"), "started": "2026-05-18T10:30:00+03:00"})
            more = len(memory.statements()) - before
            told.append((len(report.recorded), len(report.corroborated), len(report.superseded), more))
    assert told[0] == told[1]


def test_what_confirms_something_hidden_is_new_to_an_agent(home):
    with owned(home) as memory:
        memory.ingest(talk(("user", "I might like opera."), id="own"))
        assert [one.tier for one in memory.statements() if "opera" in one.text] == ["inferred"]
    with roled(home, "agent") as memory:
        report = memory.ingest({**talk(("user", "I like opera."), id="given"), "started": "2026-05-18T10:30:00+03:00"})
        assert (len(report.recorded), report.corroborated) == (1, ())
