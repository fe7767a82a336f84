"""Write a store as this release writes it, for later releases to open: python tests/golden/make.py NUMBER [FOLDER].

The folder gets `ledger-NUMBER.tar.xz`, a home with one space of user `golden`, and `ledger-NUMBER.json`: the head of its
ledger, its statements and its changes.  Clock and random bytes are fixed.  A golden store is made once for each format of
the ledger and never again.
"""

import hashlib
import json
import sys
import tarfile
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem import Memory

SESSIONS = [
    ("s1", "2026-03-02T09:00:00+01:00", [
        ("user", "My name is Ines Duarte. I live in Porto and I work as a nurse."),
        ("assistant", "Nice to meet you, Ines."),
        ("user", "I love hiking. I'm allergic to peanuts. I need to renew my passport by 20 June 2026."),
    ]),
    ("s2", "2026-05-10T18:00:00+02:00", [
        ("user", "I moved to Lisbon last month."),
        ("user", "My sister Ana lives in Braga. She is a teacher."),
        ("user", "I don't like hiking anymore."),
    ]),
    ("s3", "2026-06-01T08:00:00+02:00", [
        ("user", "My favourite colour is green and I play the cello."),
        ("user", "I want to forget this secret garden of Belver."),
    ]),
]  # fmt: skip


def clock_from(start):
    """A clock that goes on by one second at every look."""
    ticks = [start]

    def clock():
        ticks[0] += timedelta(seconds=1)
        return ticks[0]

    return clock


def fixed_entropy():
    """Random bytes that are the same in every run."""
    count = [0]

    def entropy(size):
        count[0] += 1
        return hashlib.sha256(b"golden%d" % count[0]).digest()[:size]

    return entropy


def fill(memory):
    """Every kind of entry: told, superseded, confirmed, corrected, retracted, erased."""
    for name, started, turns in SESSIONS:
        listed = [{"id": f"t{n}", "role": role, "text": text} for n, (role, text) in enumerate(turns, 1)]
        memory.ingest({"id": name, "started": started, "turns": listed})
    memory.remember("I take oat milk in my coffee", kind="preference")

    def by(word, **wanted):
        [found] = [s for s in memory.statements() if word in s.text and all(getattr(s, k) == v for k, v in wanted.items())]
        return found

    home = by("Lisbon", predicate="lives_in", subject="user")
    memory.confirm(home.id, content_hash=home.content_hash)
    memory.correct(by("cello", kind="fact").id, "I play the viola")
    memory.retract(by("green", kind="preference").id, reason="not so")
    assert any("Belver" in statement.text for statement in memory.statements())
    memory.forget(topic="Belver")


def reading(memory):
    """What a reader gets of the store."""
    return {
        "head": memory.verify().ledger_head,
        "statements": [statement.model_dump(mode="json") for statement in memory.statements()],
        "changes": [change.model_dump(mode="json") for change in memory.changes()],
    }


def of_nobody(member):
    """An archive member without the account that made it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def make(number, folder):
    """Write the store and what a reader gets of it."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / f"v{number}"
        clock, entropy = clock_from(datetime(2026, 11, 30, 3, 0, tzinfo=UTC)), fixed_entropy()
        with Memory.open(home, user="golden", clock=clock, entropy=entropy) as memory:
            fill(memory)
        with tarfile.open(folder / f"ledger-{number}.tar.xz", "w:xz") as archive:
            archive.add(home, home.name, filter=of_nobody)
        with Memory.open(home, user="golden", clock=clock_from(datetime(2027, 1, 1, tzinfo=UTC)), entropy=entropy) as memory:
            text = json.dumps(reading(memory), ensure_ascii=False, indent=1, sort_keys=True)
    (folder / f"ledger-{number}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent)
