"""What tests of roles share: a cheap embedder, memories in which something is hidden, and every act with its arguments."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta

import numpy as np

from graphmem import Memory
from graphmem.errors import GraphmemError
from graphmem.model import Recall

T = datetime(2026, 6, 1, 12, tzinfo=UTC)
LONG = "I love the " + "very " * 30 + "old harbour of Gdansk"
# What no agent may be shown: a special category, what nobody stated, and the name that only they mention.
HIDDEN = ("diabetes", "Paris", "Beatrix")
OPEN = {
    "id": "s1",
    "started": "2026-05-14T10:30:00+03:00",
    "turns": [
        {"id": "a", "role": "user", "text": "I live in Turku and I work at Nokia."},
        {"id": "b", "role": "user", "text": "I have to call the plumber by 20 May."},
        {"id": "c", "role": "user", "text": "I like cheese very much."},
        {"id": "d", "role": "user", "text": f"{LONG}."},
    ],
}
SHUT = {
    "id": "s2",
    "started": "2026-05-15T10:30:00+03:00",
    "topic": "diabetes",
    "turns": [
        {"id": "a", "role": "user", "text": "I have diabetes."},
        {"id": "b", "role": "assistant", "text": "You live in Paris with Beatrix."},
    ],
}
LATER = {
    "id": "s3",
    "started": "2026-05-16T10:30:00+03:00",
    "turns": [{"id": "a", "role": "user", "text": "I moved to Lisbon last week. My sister's name is Claire."}],
}
CLAIMS = [{"turn": "b", "quote": "You live in Paris with Beatrix", "predicate": "lives_in", "object": "Paris"}]


class Words:
    """An embedder of words by their hashes: texts that share words are near."""

    name, dimension = "minilm", 384

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()) or ["nothing"]:
                row[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % self.dimension] += 1
            row /= np.linalg.norm(row)
        return rows


def seeded(name):
    """Random bytes that are the same for the same name."""
    count = [0]

    def entropy(size):
        count[0] += 1
        return hashlib.shake_256(f"{name} {count[0]}".encode()).digest(size)

    return entropy


def clock():
    return T


def owned(home, user="u", **more):
    return Memory.open(home, user=user, clock=clock, **more)


def roled(home, role, user="u", **more):
    return Memory.open(home, user=user, role=role, clock=clock, **{"purpose": "a test", **more})


def fill(home, user="u", *, hidden=True):
    """A memory with what all may see and, unless told otherwise, with what an agent may not."""
    with owned(home, user, entropy=seeded(user)) as memory:
        memory.ingest(OPEN)
        if hidden:
            memory.ingest(SHUT)
            memory.propose(CLAIMS, session="s2")
        memory.ingest(LATER)
        return [s.id for s in memory.statements()]


def calls(memory, folder, id_):
    """Every public act, as a call with arguments that its owner could give."""
    answer = next(iter(memory._answers.values()), None) or Recall(
        query="", hits=(), contradictions=(), superseded_shown=0, below_threshold=0, seconds=0, id=f"r_{'0' * 24}"
    )
    return {
        "recall": lambda: memory.recall("where do I live?", min_score=0),
        "on_turn": lambda: memory.on_turn("As I said, I live somewhere by the sea."),
        "start": lambda: memory.start(),
        "render": lambda: memory.render(answer),
        "profile": lambda: memory.profile(special=True),
        "changes": lambda: memory.changes(),
        "open_items": lambda: memory.open_items(),
        "open_questions": lambda: memory.open_questions(),
        "entities": lambda: memory.entities(),
        "statements": lambda: memory.statements(),
        "contradictions": lambda: memory.contradictions(None),
        "sessions": lambda: memory.sessions(),
        "trace": lambda: memory.trace(id_),
        "sparql": lambda: memory.sparql("portability"),
        "ingest": lambda: memory.ingest(OPEN),
        "extract": lambda: memory.extract(),
        "propose": lambda: memory.propose(CLAIMS, session="s2"),
        "note_use": lambda: memory.note_use(answer, []),
        "remember": lambda: memory.remember("I like rye bread."),
        "correct": lambda: memory.correct(id_, "I live in Porto."),
        "retract": lambda: memory.retract(id_, reason="test"),
        "confirm": lambda: memory.confirm(id_, content_hash=memory._reader().one(id_).content_hash),
        "forget": lambda: memory.forget(id=id_, dry_run=True),
        "export": lambda: memory.export(folder / "x.json", format="json"),
        "dump": lambda: memory.dump(format="json"),
        "timeline": lambda: memory.timeline(folder / "x.svg"),
        "graph": lambda: memory.graph(id_, folder / "y.svg"),
        "chain": lambda: memory.chain(id_, folder / "z.svg"),
        "backup": lambda: memory.backup(folder / "x.graphmem", overwrite=True),
        "audit": lambda: memory.audit(shapes=False),
        "verify": lambda: memory.verify(),
        "anchor": lambda: memory.anchor(),
        "look": lambda: memory.look("all", purpose="a test"),
        "request": lambda: memory.request("forget", id_),
        "rebuild": lambda: memory.rebuild(),
        "reembed": lambda: memory.reembed(embedder="minilm"),
        "compact": lambda: memory.compact(),
        "restore": lambda: memory.restore(folder / "nothing"),
        "open": lambda: memory.open(folder / "other", user="v").close(),
        "consolidate": lambda: memory.consolidate(dry_run=True),
        "rotate": lambda: memory.rotate(),
        "settings": lambda: memory.settings(),
        "configure": lambda: memory.configure(preset="long"),
        "expire": lambda: memory.expire(),
        "pause": lambda: memory.pause(),
        "resume": lambda: memory.resume(),
        "quarantine": lambda: memory.quarantine(),
        "release": lambda: memory.release(id_, content_hash="0" * 64),
        "requests": lambda: memory.requests(),
        "settle": lambda: memory.settle("a_0"),
        "grant": lambda: memory.grant(space="work", until=T + timedelta(days=1)),
        "limit": lambda: memory.limit("agent", purposes=[]),
    }


def outcome(call):
    """What a call gives, or the error that it ends in."""
    try:
        return call()
    except GraphmemError as error:
        return error
