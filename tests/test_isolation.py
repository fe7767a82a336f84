"""Users apart: memories with nearly equal facts in one home, every question in every role, and nothing of anybody else's.

The first user is also alone in a home of his own: both answer alike, to the last score and count.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from contextlib import ExitStack

import pytest
from roles_world import SHUT, Words, owned, roled, seeded

from graphmem import Memory
from graphmem.errors import AccessDenied, GraphmemError, InputError, StatementNotFound, UserError
from graphmem.roles import ACTS, ROLES, allowed

FACTS = 40
IN_A_ROW = 10  # calls of one user in one role: with each change the files of another memory are opened
WORDS = ("mint", "rye", "oak", "plum", "rose", "salt", "fern", "dill", "lime", "sage")
ID = re.compile(r"\b[a-z]+_[0-9a-f]{24}\b")
MARK = re.compile(r"zq\d\dx", re.IGNORECASE)
QUESTIONS = (
    "what tea do I like?",
    "which tea of {}?",
    "{}",
    "do I like the mint tea number 3 of {}?",
    "diabetes",
    "what changed?",
)


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    monkeypatch.setattr("graphmem.embed.embedder", lambda name: Words())


def mark(number):
    return f"Zq{number + 25}x"


def settle_in(home, number):
    """A user's memory: facts that differ from everybody else's by one word, and something that is hidden from agents."""
    name = mark(number)
    texts = [f"I like the {WORDS[n % len(WORDS)]} tea number {n} of {name}." for n in range(FACTS)]
    turns = [{"id": f"{name}-{n}", "role": "user", "text": text} for n, text in enumerate(texts)]
    with owned(home, name, entropy=seeded(name)) as memory:
        memory.ingest({"id": f"tea {name}", "started": "2026-05-14T10:30:00Z", "turns": turns})
        memory.ingest({**SHUT, "id": f"shut {name}"})
        found = memory.statements()
        assert sum(name in s.text for s in found) >= FACTS
        return sorted({s.id for s in found} | {e.turn for s in found for e in s.evidence} | {e.id for e in memory.entities()})


def plain(value):
    """An answer as data, without what is new in every call or was only asked."""
    if hasattr(value, "model_dump"):
        found = value.model_dump(mode="json")
        for name in ("seconds", "query", "id") if hasattr(value, "below_threshold") else ("seconds",):
            found.pop(name, None)
        return found
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value.decode() if isinstance(value, bytes) else value


def ask(memory, act, pick, own, others):
    """One call with arguments that may be somebody else's."""
    name = pick.choice([own, *others])
    question = pick.choice(QUESTIONS).format(name["mark"])
    id_ = pick.choice(name["ids"])
    match act:
        case "recall":
            more = pick.choice([{}, {"min_score": 0, "k": 30}, {"kinds": ["preference"]}, {"special": False}])
            return memory.recall(question, **more)
        case "on_turn":
            return memory.on_turn(f"As I said, {question}")
        case "statements":
            more = pick.choice([{}, {"status": "current"}, {"kind": "preference"}, {"subject": name["mark"]}])
            return memory.statements(**more)
        case "trace":
            return memory.trace(id_)
        case "start" | "render":
            # The fence has a name of its own each time.
            context = memory.start() if act == "start" else memory.render(memory.recall(question))
            return re.sub(r"memory [0-9a-f]{16}", "memory", context.text)
        case "forget":
            return memory.forget(**pick.choice([{"topic": name["mark"]}, {"id": id_}]), dry_run=True)
        case "remember":
            return memory.remember(f"I like the blue tea number {pick.randrange(10**9)} of {own['mark']}.")
        case "confirm":
            return memory.confirm(id_, content_hash="0" * 64)
        case "retract":
            return memory.retract(id_, reason="x") if id_ not in own["ids"] else None
        case "request":
            return memory.request("forget", id_)
        case "dump":
            return memory.dump(format="json")
        case "contradictions":
            return memory.contradictions(None)
        case "changes" | "profile" | "sessions" | "entities" | "open_items" | "open_questions" | "requests":
            return getattr(memory, act)()
        case "anchor":
            memory.anchor()
            return None  # the ledger's head differs with the randomness of each handle
        case "audit":
            return memory.audit(shapes=False)  # the second opinion tells nothing more, and takes seconds
        case _:
            return getattr(memory, act)(*([None] if act in ("reembed", "look", "settle", "limit", "graph", "export") else []))


ASKED = sorted(set(ACTS) - {
    "open", "restore", "rebuild", "compact", "reembed", "backup", "export", "timeline", "graph", "look", "settle", "grant",
    "limit", "chain", "consolidate", "rotate", "configure", "expire", "pause", "resume", "release",
    "correct", "ingest", "extract", "propose", "note_use", "audit", "sparql", "verify",
})  # fmt: skip
DENIED = ("rebuild", "compact", "export", "grant", "audit")


def run_calls(tmp_path, users, count, seed, *, in_a_row=IN_A_ROW):
    """Random calls of every role; how many there were, and each user's own answers compared with what is not theirs."""
    crowd, alone = tmp_path / "crowd", tmp_path / "alone"
    people = [{"mark": mark(number), "ids": settle_in(crowd, number)} for number in range(users)]
    assert settle_in(alone, 0) == people[0]["ids"]
    pick, done, told = random.Random(seed), 0, 0
    added = dict.fromkeys((name["mark"] for name in people), 0)
    mine = {name["mark"]: set(name["ids"]) for name in people}
    every = set().union(*mine.values())
    # What bears no user's name is the same for all by design: entities by the names that they share.
    common = {id_ for id_ in every if sum(id_ in ids for ids in mine.values()) > 1}
    with ExitStack() as stack:

        def opened(home, user, role):
            how = {"entropy": seeded(f"{user} {role}")}
            memory = owned(home, user, **how) if role == "owner" else roled(home, role, user, **how)
            return stack.enter_context(memory)

        handles, twins = {}, {}
        while done < count:
            if done % in_a_row == 0:
                user, role = pick.choice(people), pick.choice(ROLES)
            act = pick.choice(ASKED) if pick.random() < 0.9 or role == "owner" else pick.choice(DENIED)
            if act == "audit" and allowed(role, act) and pick.random() < 0.95:
                continue  # takes seconds where it is allowed
            others = [one for one in people if one is not user]
            key = user["mark"], role
            if key not in handles:
                handles[key] = opened(crowd, user["mark"], role)
            state = pick.getstate()
            answers = []
            sides = [handles[key]]
            if user is people[0]:
                if role not in twins:
                    twins[role] = opened(alone, user["mark"], role)
                sides.append(twins[role])
            for memory in sides:
                pick.setstate(state)
                try:
                    answers.append(plain(ask(memory, act, pick, user, others)))
                except GraphmemError as error:
                    answers.append(f"{type(error).__name__}")
                    assert isinstance(error, AccessDenied) or allowed(role, act), (role, act, error)
            said = json.dumps(answers[0], default=str)
            foreign = set(ID.findall(said)) & (every - mine[user["mark"]] - common)
            names = {found.casefold() for found in MARK.findall(said)} - {user["mark"].casefold()}
            assert not foreign and not names, (role, act, foreign, names)
            if isinstance(answers[0], list) and act in ("statements", "sessions", "entities"):
                assert len(answers[0]) <= FACTS + 10 + added[user["mark"]], "no more than one's own"
            if len(answers) > 1 and act not in ("dump", "requests", "request"):
                assert answers[0] == answers[1], (role, act)
            added[user["mark"]] += act == "remember"
            told += said.count(user["mark"])
            done += 1
    assert told > count / 10, "the calls did answer"
    return done


def test_no_call_in_any_role_tells_anything_of_anybody_else(tmp_path):
    assert run_calls(tmp_path, users=6, count=300, seed=26) == 300


@pytest.mark.long
def test_no_call_of_a_hundred_thousand_tells_anything_of_anybody_else(tmp_path):
    assert run_calls(tmp_path, users=50, count=100_000, seed=2026, in_a_row=50) == 100_000


# ------------------------------------------------------------------ who is asked about


NOBODY = ["", " ", None, "*", " * ", ["u"], ("u",), {"u"}, 7, True, b"u", "u ", " u", "u\n", "u\x00", "\ud800", "u" * 2000]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("user", NOBODY, ids=ascii)
def test_what_names_no_user_is_an_error_and_never_everybody(tmp_path, role, user):
    with pytest.raises(UserError):
        Memory.open(tmp_path, user=user, role=role, purpose="a test")
    assert list(tmp_path.iterdir()) == []


def test_a_user_has_to_be_named(tmp_path):
    with pytest.raises(TypeError):
        Memory.open(tmp_path)
    for space in ("", "*", None, ["work"], "a/b", "..", "work "):
        with pytest.raises(UserError):
            Memory.open(tmp_path, user="u", space=space)


def test_ids_are_compared_character_by_character(tmp_path):
    with owned(tmp_path, "ann") as memory:
        memory.remember("I like rye bread.")
    for other in ("Ann", "ANN", "аnn", "ann.", "an", "ａnn", "ann\u200b"):
        for role in ROLES[1:]:
            with pytest.raises(AccessDenied):
                roled(tmp_path, role, other)
        with owned(tmp_path, other) as memory:
            assert memory.statements() == [] and memory.recall("rye bread", min_score=0).hits == ()
        shutil.rmtree(memory._space.folder)


def test_an_unknown_filter_is_an_error_and_never_no_filter(tmp_path):
    with owned(tmp_path, "ann") as memory:
        memory.remember("I like rye bread.")
    for role in ("owner", "agent"):
        with owned(tmp_path, "ann") if role == "owner" else roled(tmp_path, role, "ann") as memory:
            for call in (
                lambda: memory.statements(user="*"), lambda: memory.statements(users=["ann"]),
                lambda: memory.recall("x", user="*"), lambda: memory.recall("x", spaces=["work"]),
                lambda: memory.recall("x", filter={"user": "*"}),
            ):  # fmt: skip
                with pytest.raises(TypeError):
                    call()
            for call in (
                lambda: memory.statements(status="*"), lambda: memory.statements(kind=""), lambda: memory.entities(type="*"),
                lambda: memory.recall("x", kinds=["*"]), lambda: memory.statements(subject=""), lambda: memory.recall("x", k=0),
                lambda: memory.contradictions("*"), lambda: memory.changes(clock="*"), lambda: memory.statements(as_of="ever"),
            ):  # fmt: skip
                with pytest.raises(InputError):
                    call()


def test_what_is_somebody_elses_is_as_unknown_as_what_is_nobodys(tmp_path):
    with owned(tmp_path, "ann") as memory:
        foreign = memory.remember("I like rye bread.").id
    with owned(tmp_path, "bob") as memory:
        memory.remember("I like rye bread.")
    for role in ("owner", "agent", "auditor"):
        with owned(tmp_path, "bob") if role == "owner" else roled(tmp_path, role, "bob") as memory:
            told = []
            for id_ in (foreign, "s_" + "0" * 24):
                with pytest.raises(StatementNotFound) as caught:
                    memory.trace(id_)
                told.append(str(caught.value).replace(id_, "ID"))
            assert told[0] == told[1]
