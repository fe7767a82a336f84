"""What reconciling one claim costs by the size of the memory: finding what it can matter to, and planning.

Run `python tests/benchmarks/reconciling.py` (about five minutes; `--sizes 1000 10000` for less).  The memory holds what
`workload` fills it with; four claims are planned, nothing is written: a new like, the repetition of one, a dislike of
something liked, and the end of a liking.  Processor time, median; the last row is the ratio to the first size.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
SAMPLE = 40


def claims(number: int) -> dict[str, dict[str, Any]]:
    """What is said, and fields of its claim."""
    return {
        "new": {"object": f"the lighthouse number {10**7 + number} in Porto"},
        "repeated": {"object": "", "of": number},
        "denied": {"object": "", "of": number, "predicate": "dislikes"},
        "ended": {"object": "", "of": number, "temporal": "ended"},
    }


def measure(home: Path, count: int) -> dict[str, float]:
    """Milliseconds of processor time for each kind of claim."""
    import workload

    from graphmem import Memory
    from graphmem.admission import Admission
    from graphmem.extractors.base import Claim
    from graphmem.grounding import ground
    from graphmem.ingest import Ingestion
    from graphmem.model import Session, Turn
    from graphmem.reconcile import reconcile

    with Memory.open(home, user="bench") as memory:
        space = memory._space
        for session in workload.sessions(count):
            item = workload.operation(space, session)
            space.ledger.append(item.id, item.drafts, item.vectors, at=item.at)
        known = [workload.claim_of(turn).object for s in workload.sessions(1000) for turn in s.turns]
        ingestion = Ingestion(space, extractor=None, embedder=workload.RandomVectors())
        now = space.ledger.now()
        spent: dict[str, list[float]] = {}
        with space.writing():
            for number in range(SAMPLE + 1):
                for kind, fields in claims(number).items():
                    fields = dict(fields)
                    place = fields.pop("of", None)
                    thing = fields.pop("object") or known[place * 7 % len(known)]
                    text = f"I said {thing}"
                    turn = Turn(id="t1", role="user", text=text, time=now)
                    said = Session(id=f"new-{kind}-{number}", started=now, turns=(turn,))
                    claim = Claim(
                        turn="t1", start=0, end=len(text), quote=text, kind="preference", object=thing, rule="workload",
                        **{"predicate": "likes", **fields},
                    )  # fmt: skip
                    admission = Admission(said, user=space.user, secret=space.ledger.secret, extractor="workload/1", now=now)
                    admitted = [admission.admit(ground(claim, said))]
                    begun = time.process_time()
                    live = ingestion.live(admitted)
                    reconcile(admitted, live, secret=space.ledger.secret, now=now)
                    if number:  # the first brings the graph and the index up
                        spent.setdefault(kind, []).append((time.process_time() - begun) * 1e3)
    return {kind: statistics.median(times) for kind, times in spent.items()}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    sizes = parser.parse_args().sizes
    found = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="graphmem-reconciling-") as home:
            found[size] = measure(Path(home), size)
    kinds = list(found[sizes[0]])
    print("| ms for one claim | " + " | ".join(f"{size:,}" for size in sizes) + " | ratio |")
    print("|---|" + "---:|" * (len(sizes) + 1))
    for kind in kinds:
        cells = " | ".join(f"{found[size][kind]:.2f}" for size in sizes)
        print(f"| {kind} | {cells} | {found[sizes[-1]][kind] / found[sizes[0]][kind]:.2f} |")


if __name__ == "__main__":
    main()
