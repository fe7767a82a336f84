"""The law of forgetting: whatever is forgotten is gone from every byte, stays gone, and takes nothing else with it.

Random memories and random requests.  After each: no needle in any file where the same search found every one before; all
that was not asked for as it was; and nothing back by the same transcripts, nor by backups made before and after.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from machine_parts import small_parts

from graphmem import Memory
from graphmem.errors import InputError, NothingKnown, StoreError
from graphmem.extractors.rules import RuleExtractor
from graphmem.lifecycle.residue import SHORTEST_TEXT, forms_of
from graphmem.lifecycle.sealed import copy_keys
from graphmem.owner import folder_name
from graphmem.receipts import ErasureReceipt
from graphmem.sealing import Passphrase, workplace
from graphmem.sealing.keys_file import keys_of

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NAMES = ["Marguerite", "Ildiko", "Thorvald", "Oluwaseun"]
CITIES = ["Reykjavik", "Ljubljana", "Valparaiso", "Szombathely", "Antananarivo"]
THINGS = ["rhubarb crumble", "alpine skiing", "crossword puzzles", "barbershop quartets", "sourdough baking", "night swimming"]
FIRMS = ["Quorlton Works", "Brindle Foundry", "Haverstock Press"]
sealing = pytest.mark.skipif(
    find_spec("cryptography") is None or workplace.memory_folder() is None, reason="needs cryptography and a folder in memory"
)
CHATTER = ["The weather was dreadful again today.", "Could you help me with a letter?", "That sounds sensible to me."]


def told(rng: random.Random) -> str:
    name, city, thing = rng.choice(NAMES), rng.choice(CITIES), rng.choice(THINGS)
    return rng.choice(
        [
            f"I live in {city}.",
            f"I moved to {city} last month.",
            f"I love {thing}.",
            f"I don't like {thing} any more.",
            f"My sister {name} works at {rng.choice(FIRMS)}.",
            f"My friend {name} lives in {city}.",
            f"I work at {rng.choice(FIRMS)}.",
            f"I live in {city} with my friend {name}.",
            f"I love {thing} and I work at {rng.choice(FIRMS)}.",
            f"I'm allergic to {rng.choice(['hazelnuts', 'penicillin', 'shellfish'])}.",
            f"I need to call {name} about the {rng.choice(['invoice', 'garden fence'])}.",
            rng.choice(CHATTER),
        ]
    )


def talks(rng: random.Random, number: int) -> list[dict[str, object]]:
    """Sessions of a few turns, a day apart."""
    found = []
    for day in range(number):
        began = START + timedelta(days=day, minutes=rng.randrange(60))
        texts = [" ".join(told(rng) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 4))]
        roles = ["user", "user", "user", "assistant"]
        turns = [{"id": f"t{place}", "role": rng.choice(roles), "text": text} for place, text in enumerate(texts)]
        topic = rng.choice([None, None, f"about {rng.choice(THINGS)}"])
        found.append({"id": f"s{day}", "started": began.isoformat(), "topic": topic, "turns": turns})
    return found


def request(rng: random.Random, memory: Memory, sessions: list[dict[str, object]], *, last: bool) -> dict[str, object]:
    """What is to be forgotten: any kind of request that names something there; all of it only at the end."""
    ids = [statement.id for statement in memory.statements()]
    while True:
        since = START + timedelta(days=rng.randrange(len(sessions)))
        what: dict[str, object] = rng.choice(
            [
                {"id": rng.choice(ids)},
                {"topic": rng.choice([rng.choice(THINGS), rng.choice(CITIES), "sister"])},
                {"entity": rng.choice(NAMES)},
                {"session": rng.choice(sessions)["id"]},
                {"since": since, "until": since + timedelta(days=1)},
                {"since": memory._clock() - timedelta(hours=1), "clock": "recorded"} if last else {"id": rng.choice(ids)},
                {"last": timedelta(days=1)},
                {"all": True} if last else {"entity": rng.choice(NAMES)},
            ]
        )
        with suppress(NothingKnown):
            if memory.forget(**what, dry_run=True).counts["statements"]:  # type: ignore[arg-type]
                return what


def standing(memory: Memory) -> dict[str, tuple[object, ...]]:
    """All statements with what must not change when another one goes: words, tier and evidence, and where it stands."""
    return {
        s.id: (s.text, s.predicate, tuple((e.session, e.turn, e.start, e.end, e.quote) for e in s.evidence), s.tier)
        for s in memory.statements()
    }


def asked(memory: Memory, ids: set[str]) -> dict[str, tuple[str, ...]]:
    """Whether each statement is still found by its own words."""
    texts = {s.id: s.text for s in memory.statements() if s.id in ids and s.status in ("current", "planned")}
    return {id_: text for id_, text in texts.items() if any(
        hit.statement is not None and hit.statement.id == id_ for hit in memory.recall(text, k=20, min_score=0).hits
    )}  # fmt: skip


def words(memory: Memory) -> set[str]:
    """What the memory says: statements, and the words that they were told in; a summary by what it is made of."""
    plain = [s for s in memory.statements() if s.details.get("type") != "session"]
    return {s.text for s in plain} | {e.quote for s in plain for e in s.evidence}


def taken_along(
    what: dict[str, object], planned: ErasureReceipt, receipt: ErasureReceipt, before: dict[str, tuple[Any, ...]]
) -> set[str]:
    """The words that may be said again: of what was taken along, where they have nothing of what was asked for."""
    along, named = set(receipt.taken_along), set(planned.scope["statements"])
    assert planned.plan is not None and along == set(planned.taken_along) and along <= named
    assert not along & {*planned.plan.statements, *planned.plan.episodes, *planned.plan.summaries}, what
    assert not along or {"id", "topic", "entity", "clock"} & what.keys(), what  # a turn that is named goes with all it says
    asked = {text for id_ in named - along for text in (before[id_][0], *(e[4] for e in before[id_][2]))}
    asked |= {str(what[name]) for name in ("topic", "entity") if name in what}
    free = {text for id_ in along for text in (before[id_][0], *(e[4] for e in before[id_][2]))}
    assert what.get("id") not in along
    assert not any(what.get(name, "\0") in before[id_][0] for id_ in along for name in ("topic", "entity")), what
    return {text for text in free if not any(one in text for one in asked)}


def returned(memory: Memory, gone: set[str]) -> set[str]:
    """What was forgotten and is there again, in whatever statement, summary or turn; of a few words alone nothing follows."""
    told = [s.text for s in memory.statements()] + [turn.text for turn in memory._space.graph.turns()]
    return {text for text in gone if len(text.split()) > 2 and any(text in one for one in told)}


@pytest.fixture(autouse=True)
def short_vectors() -> Iterator[None]:
    """Vectors that need no model, and the package's own rules."""
    with small_parts(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.memory._extractor", lambda name: RuleExtractor())
        yield


def bare(folder: Path, texts: set[str]) -> set[str]:
    """The texts that stand open in some file."""
    data = b"\0".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return {text for text in texts if len(text) >= SHORTEST_TEXT and any(form in data for form in forms_of(text))}


def live(folder: Path, seed: int, erasures: int, *, sealed: bool = False) -> dict[str, int]:
    """One memory with so many requests to forget; what was searched for, found before, and found after."""
    how: dict[str, Any] = {"key": Passphrase("correct horse", memory=64, passes=1)} if sealed else {}
    rng = random.Random(seed)
    sessions = talks(rng, 4 + rng.randrange(4))
    done = {"erasures": 0, "along": 0, "control": 0, "missed": 0, "hits": 0}
    now = [START + timedelta(days=len(sessions), hours=1)]

    def clock() -> datetime:
        now[0] += timedelta(seconds=1)
        return now[0]

    home, kept = folder / "home", folder / "kept"
    kept.mkdir(parents=True)
    gone_words: set[str] = set()
    with Memory.open(home, user="u", clock=clock, **how) as memory:
        memory.ingest(sessions)
        memory.backup(kept / "before.graphmem")
        if sealed:  # the keys of that time, without which the backup is of no use after an erasure
            copy_keys(home, kept / "keys", user="u")
        for number in range(erasures):
            if not memory.statements():
                break
            before, found = standing(memory), asked(memory, set(standing(memory)))
            said = words(memory)
            what = request(rng, memory, sessions, last=number == erasures - 1)
            planned = memory.forget(**what, dry_run=True)  # type: ignore[arg-type]
            receipt = memory.forget(**what)  # type: ignore[arg-type]
            after = standing(memory)
            # Nothing is left, and the search would have found it.
            assert receipt.residue_hits == 0, (seed, what, receipt.residue_files)
            assert receipt.control_missed == 0, (seed, what)
            assert receipt.counts["statements"] == planned.counts["statements"]
            # What goes is what was planned, and all else stands as it stood.
            named = set(planned.scope["statements"])
            assert set(after) == set(before) - named, (seed, what)
            for id_, (text, predicate, evidence, tier) in after.items():
                assert (text, predicate, tier) == (before[id_][0], before[id_][1], before[id_][3]), (seed, what)
                assert set(evidence) <= set(before[id_][2])
            still = asked(memory, set(after))
            # A statement that had been superseded may hold again; none that was found is found no more.
            assert {id_ for id_ in found if id_ in after} <= still.keys(), (seed, what)
            assert memory.verify().problems == (), (seed, what)
            if sealed:
                assert bare(folder, said) == set(), (seed, what)
                if rng.random() < 0.3:
                    memory.rotate(deep=rng.random() < 0.5)
            said -= taken_along(what, planned, receipt, before)
            gone_words = (gone_words | said) - words(memory)
            # What others said in the same words, and nobody asked to forget, is not gone; where it goes later with all they
            # said, a few words that made no statement are known in their place only.
            gone_words -= returned(memory, gone_words)
            done["erasures"] += bool(named)
            done["along"] += len(receipt.taken_along)
            done["control"] += receipt.control_hits
            done["missed"] += receipt.control_missed
            done["hits"] += receipt.residue_hits
        left, texts = set(standing(memory)), words(memory)
        emptied = not left and not memory.sessions()
        # The same transcripts again bring nothing back.
        memory.ingest(sessions)
        assert words(memory) <= texts, (seed, words(memory) - texts)
        again = [{**one, "id": f"again-{one['id']}", "turns": one["turns"]} for one in sessions]
        back = memory.ingest(again)
        assert returned(memory, gone_words) == set(), seed
        assert all(item.quote == "" for item in back.rejected if item.reason == "erased")
        memory.backup(kept / "after.graphmem")
    for name in ("after", "before"):
        if sealed and name == "before":
            with pytest.raises(StoreError):  # the keys of what went are destroyed
                Memory.restore(kept / f"{name}.graphmem", home=home, replace=True, **how)
            # With those of its time the backup can be read, but not the memory in its place: its register says what went.
            place = keys_of(home / folder_name("u", "default"), folder / "then")
            place.parent.mkdir(parents=True)
            shutil.copyfile(kept / "keys", place)
            how |= {"keys": folder / "then", "accept_loss": True}
        if name == "before" and emptied:
            with pytest.raises(InputError, match="everything"):
                Memory.restore(kept / f"{name}.graphmem", home=home, replace=True, **how)
            continue
        with Memory.restore(kept / f"{name}.graphmem", home=home, replace=True, **how) as memory:
            assert returned(memory, gone_words) == set(), (seed, name)
            assert memory.verify().problems == ()
    return done


def total(runs: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(run[name] for run in runs) for name in runs[0]}


def test_what_is_forgotten_is_gone_stays_gone_and_takes_nothing_else_along(tmp_path):
    found = total([live(tmp_path / str(seed), seed, erasures) for seed, erasures in ((1, 3), (2, 3), (3, 4))])
    assert found["erasures"] >= 8 and found["along"] >= 1
    assert found["control"] > 100
    assert (found["missed"], found["hits"]) == (0, 0)


@sealing
def test_the_law_holds_in_sealed_memories(tmp_path):
    found = total([live(tmp_path / str(seed), seed, erasures, sealed=True) for seed, erasures in ((2, 2), (6, 1))])
    assert found["erasures"] >= 3 and found["control"] > 40
    assert (found["missed"], found["hits"]) == (0, 0)


@pytest.mark.long
def test_a_hundred_erasures_over_twenty_memories_leave_nothing(tmp_path):
    found = total([live(tmp_path / str(seed), 100 + seed, 5) for seed in range(20)])
    print(found)
    assert found["erasures"] >= 80
    assert (found["missed"], found["hits"]) == (0, 0)


@sealing
@pytest.mark.long
def test_a_hundred_erasures_over_twenty_sealed_memories_leave_nothing(tmp_path):
    found = total([live(tmp_path / str(seed), 200 + seed, 5, sealed=True) for seed in range(20)])
    print(found)
    assert found["erasures"] >= 80
    assert (found["missed"], found["hits"]) == (0, 0)
