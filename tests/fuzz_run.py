"""The fuzz run: transcripts at extraction, explanation and ingest, in a process of its own; prints one JSON document.

`python tests/fuzz_run.py SEED FIRST COUNT` runs a range; a failure names the number that brings it back.  Every transcript is
extracted and explained, every fifth also as a file, and every 50th is ingested beside the graph in memory.  With a fourth
argument `whole` each is ingested by everything as it is shipped, engine and embedding model included.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fuzz_texts import as_file, transcript
from machine_parts import Vectors, reference_spaces

from graphmem import Memory
from graphmem.errors import GraphmemError
from graphmem.explanation import REASONS, Explanation, explain
from graphmem.extractors.base import Extraction
from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session
from graphmem.sessions import parse, read
from graphmem.withheld import withhold

FILED, KEPT = 5, 50


class Once(RuleExtractor):
    """The rule extractor, asked once for the session at hand."""

    def __init__(self) -> None:
        self.last: tuple[Session, Extraction] | None = None

    def extract(self, session: Session) -> Extraction:
        if self.last is None or self.last[0] is not session:
            self.last = (session, super().extract(session))
        return self.last[1]


EXTRACTOR = Once()


def check(session: Session, found: Explanation) -> None:
    """Every quote is the turn's own characters, every sentence has an outcome, no word is passed over in silence."""
    for turn, outcome in zip(session.turns, found.turns, strict=True):
        assert outcome.stray == (), outcome.stray
        for sentence in outcome.sentences:
            assert turn.text[sentence.start : sentence.end] == sentence.text
            assert sentence.taken or sentence.refused, sentence.text
            for item in (*sentence.taken, *sentence.refused):
                assert turn.text[item.start : item.end] == item.quote
            for reason in sentence.refused:
                assert reason.reason in REASONS, reason.reason
                assert reason.reason != "unexplained", sentence.text
            for claim in sentence.taken:
                assert claim.object.strip()


def extracted(session: Session) -> str:
    """The extraction, with each claim's and refusal's quote compared; as text, for the digest."""
    found = EXTRACTOR.extract(session)
    texts = {turn.id: turn.text for turn in session.turns}
    for item in (*found.claims, *found.refusals):
        assert texts[item.turn][item.start : item.end] == item.quote, item
    # What is explained is what would be kept: the session with its secrets masked.
    check(withhold(session).session, explain(session, extractor=EXTRACTOR, user="u"))
    return json.dumps([item.model_dump(mode="json") for item in (*found.claims, *found.refusals)])


def ingested(memory: Memory, sessions: list[Session], marks: list[str]) -> None:
    """Taken in, twice to the same effect, and every piece of evidence found again."""
    memory.ingest(sessions)
    stored = memory.statements()
    assert memory.ingest(sessions).recorded == ()
    # A turn without an id has one of the memory's own; what may be kept of the words is as before.
    texts = {(turn.session, turn.id): turn.text for turn in memory._space.graph.turns()}
    assert {turn.text for session in sessions for turn in withhold(session).session.turns} == set(texts.values())
    for statement in stored:
        for item in statement.evidence:
            assert texts[item.session, item.turn][item.start : item.end] == item.quote
    marks += sorted(f"{s.text}|{s.status}|{s.tier}|{s.valid_from}|{s.valid_to}" for s in stored)
    report = memory.verify()
    assert (report.problems, report.quotes_broken) == ((), ()), report


def run(seed: int, first: int, count: int, folder: Path, *, whole: bool) -> dict[str, Any]:
    """All transcripts of a range."""
    failures: list[str] = []
    marks: list[str] = []
    refused = taken = turns = 0
    early, slowest = 0.0, (0.0, -1)
    for number in range(first, first + count):
        begun = time.perf_counter()
        try:
            session = parse(transcript(seed, number))
            turns += len(session.turns)
            found = extracted(session)
            taken += found.count('"predicate"')
            marks.append(found)
            if number % FILED == 0 and not whole:
                path = folder / "transcript"
                path.write_bytes(as_file(seed, number))
                for item in read(path, default_started=session.started):
                    marks.append(extracted(item))
            if number % KEPT == 0 or whole:
                with ExitStack() as stack:
                    if not whole:
                        patch = stack.enter_context(pytest.MonkeyPatch.context())
                        patch.setattr("graphmem.embed.embedder", lambda name="minilm": Vectors())
                        patch.setattr("graphmem.embed.MINILM_DIMENSION", Vectors.dimension)
                        stack.enter_context(reference_spaces())
                    ids = random_bytes(number)
                    memory = stack.enter_context(Memory.open(folder / f"m{number}", user="u", entropy=ids))
                    ingested(memory, [session, *(parse(transcript(seed, -number - n)) for n in range(1, 4))], marks)
        except GraphmemError:
            refused += 1
            marks.append("refused")
        except Exception:  # whatever is wrong is reported with the number that brings it back
            failures.append(f"transcript {seed}/{number}: {traceback.format_exc(limit=-4)}")
        slowest = max(slowest, (time.perf_counter() - begun, number))
        early = early or peak()
    return {
        "failures": failures[:20],
        "failed": len(failures),
        "refused": refused,
        "turns": turns,
        "claims": taken,
        "digest": hashlib.sha256("\n".join(marks).encode("utf-8", "replace")).hexdigest(),
        "early_mb": early,
        "peak_mb": peak(),
        "slowest": slowest,
    }


def peak() -> float:
    """The most megabytes that were resident so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # `ru_maxrss` begins with what the process had that started this one.
        return int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def random_bytes(number: int) -> Callable[[int], bytes]:
    """Bytes that are alike in every run."""
    state = [0]

    def entropy(size: int) -> bytes:
        state[0] += 1
        return hashlib.shake_256(f"{number}/{state[0]}".encode()).digest(size)

    return entropy


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="graphmem-fuzz-") as place:
        print(json.dumps(run(*map(int, sys.argv[1:4]), Path(place), whole=sys.argv[4:] == ["whole"])))
