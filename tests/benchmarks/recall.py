"""How well and how fast recall finds what was said, and what each of its parts is good for.

Run `python tests/benchmarks/recall.py --quality FILE` (labelled conversations, see `conversations.py`; `--home` keeps the
filled memories) for the quality with and without each part, and `--sizes 1000 10000 100000` for the time of one question.
`--write` puts the tables into the README beside this file.

Quality: the share of the evidence turns among the first 5 and 10 (R@5, R@10), nDCG@10, and R@10 of the questions whose
evidence lies in several places; 95 % intervals by bootstrap, gains question by question.  The floor in the same run is the
sum of four standardised scores: cosine and BM25 with stemming, each of the turn and of the turn with the one before.  A part
is taken away without fitting the others anew.  "Shown" is what an everyday call (k=8) gives: hits per question, and for
questions of another conversation with the names put in place, the share that is answered with nothing.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
DRAWS, K, OTHERS = 2_000, 50, 20
WALKED = ("after", "before2", "after2", "session", "rank", "told", "view")
PARTS = ("everything", "no graph", "no BM25", "no vectors", "no recency", "no threshold")


@contextmanager
def without(part: str) -> Iterator[None]:
    """Recall with one of its parts taken away."""
    from graphmem.recall import candidates, score

    of_turns, of_statements, weighted = candidates.of_turns, candidates.of_statements, score.weighted

    def signals(find: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
        def found(*arguments: Any) -> Any:
            made = find(*arguments)
            for name in names:
                setattr(made, name, np.zeros_like(getattr(made, name)))
            return made

        return found

    def unwalked(columns: dict[str, Any], weights: dict[str, float]) -> Any:
        return weighted(columns, {name: 0.0 if name in WALKED else value for name, value in weights.items()})

    changes: dict[str, list[tuple[Any, dict[str, Any]]]] = {
        "no graph": [(score, {"weighted": unwalked})],
        "no BM25": [
            (candidates, {"of_turns": signals(of_turns, ("share", "words", "covered", "told"))}),
            (candidates, {"of_statements": signals(of_statements, ("share", "covered"))}),
        ],
        "no vectors": [
            (candidates, {"of_turns": signals(of_turns, ("cosine", "pair_cosine"))}),
            (candidates, {"of_statements": signals(of_statements, ("cosine", "evidence_cosine"))}),
        ],
        "no recency": [(score, {"NEWNESS": 0.0, "RECENCY": 0.0})],
    }
    with ExitStack() as stack:
        for where, what in changes.get(part, ()):
            stack.enter_context(patch.multiple(where, **what))
        yield


def figures(ranked: list[str], evidence: tuple[str, ...]) -> tuple[float, float, float]:
    """R@5, R@10 and nDCG@10."""
    gain = sum(1 / math.log2(place + 2) for place, turn in enumerate(ranked[:10]) if turn in evidence)
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(evidence))))
    shares = [len(set(ranked[:k]) & set(evidence)) / len(evidence) for k in (5, 10)]
    return shares[0], shares[1], gain / best


def floor_of(memory: Any, question: str) -> list[str]:
    """The order of turns by four standardised scores."""
    from graphmem.recall import candidates

    found: list[Any] = []
    find = candidates.find
    with patch.object(candidates, "find", lambda *a, **more: found.append(find(*a, **more)) or found[-1]):
        memory.recall(question, k=1, min_score=0)
    if not found:
        return []
    signals = found[0].turns
    total = sum(
        (one - one.mean()) / (one.std() + 1e-9) for one in (signals.cosine, signals.pair_cosine, signals.share, signals.words)
    )
    return [found[0].corpus.turns[place].id for place in np.argsort(-total, kind="stable")[:K]]


def strange(conversations: list[Any], own: Any, draw: random.Random, count: int = OTHERS) -> list[str]:
    """Questions of other conversations, with the people of this one in them."""

    def people(one: Any) -> list[str]:
        return sorted({turn["speaker"] for session in one.sessions for turn in session["turns"] if turn.get("speaker")})

    def renamed(question: str, names: dict[str, str]) -> str:
        return re.sub(r"\w+", lambda word: names.get(word.group(), word.group()), question)

    made = []
    for other in conversations:
        names = dict(zip(people(other), people(own), strict=False))
        made += [renamed(asked.question, names) for asked in other.questions if other is not own]
    return draw.sample(made, min(count, len(made)))


def interval(values: Any) -> str:
    """The mean in per cent with its 95 % interval by bootstrap."""
    values = np.asarray(values, dtype=float) * 100
    means = values[np.random.default_rng(0).integers(0, len(values), (DRAWS, len(values)))].mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{values.mean():.1f} [{low:.1f}, {high:.1f}]"


def quality(path: Path, home: Path, parts: tuple[str, ...]) -> str:
    """The table of all parts."""
    from conversations import load, opened, turns_of

    conversations = load(path)
    rows: dict[str, list[tuple[float, float, float]]] = {part: [] for part in (*parts, "floor")}
    shown: dict[str, list[float]] = {part: [] for part in parts}
    silent: dict[str, list[float]] = {part: [] for part in parts}
    hops = []
    for conversation in conversations:
        others = strange(conversations, conversation, random.Random(conversation.id))
        with opened(conversation, home) as memory:
            for asked in conversation.questions:
                hops.append(len(asked.evidence) > 1)
                rows["floor"].append(figures(floor_of(memory, asked.question), asked.evidence))
            for part in parts:
                least = 0.0 if part == "no threshold" else None
                with without(part):
                    for asked in conversation.questions:
                        if part != "no threshold":
                            hits = memory.recall(asked.question, k=K, min_score=0).hits
                            rows[part].append(figures(turns_of(hits), asked.evidence))
                        if part in ("everything", "no threshold"):
                            shown[part].append(len(memory.recall(asked.question, min_score=least).hits))
                    if part in ("everything", "no threshold"):
                        silent[part] += [not memory.recall(question, min_score=least).hits for question in others]
    rows["no threshold"] = rows["everything"]
    several = np.array(hops)
    made = ["| | R@5 | R@10 | nDCG@10 | R@10, several places | gain of the whole in R@10 | hits shown | silent |"]
    made.append("|---|---:|---:|---:|---:|---:|---:|---:|")
    whole = np.array(rows[parts[0]])
    for part in (*parts, "floor"):
        found = np.array(rows[part])
        cells = [interval(found[:, 0]), interval(found[:, 1]), interval(found[:, 2])]
        cells.append(interval(found[several, 1]) if several.any() else "")
        cells.append("" if part in (parts[0], "no threshold") else interval(whole[:, 1] - found[:, 1]))
        told = part in shown and shown[part]
        cells += [f"{statistics.mean(shown[part]):.1f}", interval(silent[part])] if told and silent[part] else ["", ""]
        made.append(f"| {part} | " + " | ".join(cells) + " |")
    return "\n".join(
        [
            *made,
            "",
            f"{len(whole):,} questions of {len(conversations)} conversations, {several.sum():,} of them with several places.",
        ]
    )


def latency(sizes: list[int], count: int) -> str:
    """The table of times by size."""
    import workload

    from graphmem import Memory

    columns: dict[int, dict[str, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="graphmem-recall-") as home, Memory.open(home, user="bench") as memory:
            space = memory._space
            for session in workload.sessions(size):
                item = workload.operation(space, session)
                space.ledger.append(item.id, item.drafts, item.vectors, at=item.at)
            draw = random.Random(size)
            turns = [turn.text for session in workload.sessions(min(size, 1_000)) for turn in session.turns]
            asked = [f"Do I like the {draw.choice(turns).split(' like the ')[1].split(',')[0]}?" for _ in range(count)]
            # The engine answers the first question; for the second the vectors are read.
            for thing in ("harbour", "violin"):
                memory.recall(f"Do I like the {thing}?")
            columns[size] = _timed(memory, asked, vectors=3 * size)
    names = list(columns[sizes[0]])
    lines = ["| ms for one question | " + " | ".join(f"{size:,}" for size in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    lines += [f"| {name} | " + " | ".join(f"{columns[size][name]:.1f}" for size in sizes) + " |" for name in names]
    return "\n".join(lines)


def _timed(memory: Any, asked: list[str], *, vectors: int) -> dict[str, float]:
    from graphmem.embed import embedder

    model = embedder()
    matrix = np.random.default_rng(1).standard_normal((vectors, model.dimension)).astype(np.float32)
    spent: dict[str, list[float]] = {"recall": [], "processor": [], "floor": [], "floor processor": []}
    for question in asked:
        wall, used = time.perf_counter(), time.process_time()
        memory.recall(question)
        spent["recall"].append(time.perf_counter() - wall)
        spent["processor"].append(time.process_time() - used)
        wall, used = time.perf_counter(), time.process_time()
        np.argsort(-(matrix @ model.encode([question])[0]))[:8]
        spent["floor"].append(time.perf_counter() - wall)
        spent["floor processor"].append(time.process_time() - used)
    milliseconds = {name: np.array(values) * 1e3 for name, values in spent.items()}
    return {
        "recall, median": float(np.median(milliseconds["recall"])),
        "recall, 95th of 100": float(np.percentile(milliseconds["recall"], 95)),
        "recall, processor time": float(np.median(milliseconds["processor"])),
        "embedding and matrix product, median": float(np.median(milliseconds["floor"])),
        "embedding and matrix product, processor time": float(np.median(milliseconds["floor processor"])),
        "ratio in processor time": float(np.median(milliseconds["processor"]) / np.median(milliseconds["floor processor"])),
    }


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quality", type=Path, help="a file of labelled conversations")
    parser.add_argument("--home", type=Path, help="where the memories of these conversations are kept")
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help="statements in the memories that are timed")
    parser.add_argument("--questions", type=int, default=100, help="how many questions are timed")
    parser.add_argument("--write", action="store_true", help="put the tables into the README")
    chosen = parser.parse_args()
    tables: dict[str, str] = {}
    if chosen.quality:
        with tempfile.TemporaryDirectory(prefix="graphmem-recall-") as home:
            tables["recall quality"] = quality(chosen.quality, chosen.home or Path(home), PARTS)
    if chosen.sizes:
        tables["recall time"] = latency(chosen.sizes, chosen.questions)
    for name, table in tables.items():
        print(table, end="\n\n")
        if chosen.write:
            readme = HERE / "README.md"
            text = readme.read_text(encoding="utf-8")
            start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
            before, after = text.split(start)[0], text.split(end)[1]
            readme.write_text(f"{before}{start}\n{table}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
