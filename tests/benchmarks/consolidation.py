"""What consolidation does to the quality of recall, and what it takes.

Run `python tests/benchmarks/consolidation.py FILE [--home FOLDER]` with labelled conversations (see `conversations.py`;
`--home` keeps the filled memories, which are consolidated afterwards, so give it a copy).  Every question is asked before and
after; R@5 and R@10 are the share of the evidence turns among the first 5 and 10, and the gain is taken question by question
with a 95 % interval by bootstrap.  "Grown" counts the summaries that a memory has when it is consolidated after each session
instead of once, those included that gave way to newer ones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
DRAWS, K = 2_000, 50


def recalls(memory: Any, questions: list[Any]) -> np.ndarray:
    """R@5 and R@10 of each question."""
    from conversations import turns_of

    rows = []
    for asked in questions:
        found, wanted = turns_of(memory.recall(asked.question, k=K, min_score=0).hits), set(asked.evidence)
        rows.append([len(set(found[:k]) & wanted) / len(wanted) for k in (5, 10)])
    return np.array(rows).reshape(-1, 2)


def grown(memory: Any) -> tuple[int, int]:
    """Themes at the end, and all summaries on the way, if each session were followed by a consolidation."""
    from graphmem.lifecycle.consolidate import vectors_by_statement
    from graphmem.recall.words import Words
    from graphmem.themes import sources_of, themes

    graph, words = memory._space.graph, Words(others=True)
    sources, mentions, rows = sources_of(graph.nodes()), graph.mentions(), vectors_by_statement(memory._space)
    sessions = list(dict.fromkeys(source.record.session for source in sources))
    standing: set[frozenset[str]] = set()
    made = 0
    for last in range(1, len(sessions) + 1):
        known = [source for source in sources if source.record.session in sessions[:last]]
        found = {theme.ids for theme in themes(known, mentions, rows, words=words, standing=sorted(standing, key=sorted))}
        made += len(found - standing)
        standing = found
    return len(standing), made


def gain(before: np.ndarray, after: np.ndarray) -> str:
    """The mean gain in points with its interval."""
    gains = (after - before) * 100
    means = gains[np.random.default_rng(0).integers(0, len(gains), (DRAWS, len(gains)))].mean(1)
    return f"{gains.mean():+.2f} ({np.quantile(means, 0.025):+.2f} to {np.quantile(means, 0.975):+.2f})"


def main() -> None:
    """Measure and print."""
    from conversations import load, opened

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quality", type=Path, help="labelled conversations")
    parser.add_argument("--home", type=Path, help="where the memories are, or will be")
    options = parser.parse_args()
    talks = load(options.quality)
    before, after, changed = [], [], 0
    print("| conversation | statements | themes | in themes | grown | lost | seconds |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for talk in talks:
            with opened(talk, options.home or Path(scratch)) as memory:
                before.append(recalls(memory, talk.questions))
                _, summaries = grown(memory)
                report = memory.consolidate()
                after.append(recalls(memory, talk.questions))
                changed += int((before[-1] != after[-1]).any(1).sum())
                covered = sum(s.details["sources"] for s in memory.statements() if s.id in report.themes)
                if problems := memory.verify().problems:
                    sys.exit(f"{talk.id}: {problems[0]}")
            made = len(report.themes)
            print(
                f"| {talk.id} | {report.statements} | {made} | {covered} | {summaries} | {report.lost} | {report.seconds:.2f} |"
            )
    one, other = np.concatenate(before), np.concatenate(after)
    print(f"\n{len(one)} questions of {len(talks)} conversations, {changed} with another figure, {datetime.now(UTC):%Y-%m-%d}")
    for place, k in enumerate((5, 10)):
        print(f"R@{k}: {100 * one[:, place].mean():.2f} before, {100 * other[:, place].mean():.2f} after, "
              f"gain {gain(one[:, place], other[:, place])}")  # fmt: skip


if __name__ == "__main__":
    main()
