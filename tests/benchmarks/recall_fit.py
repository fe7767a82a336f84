"""Fits the weights in `graphmem/data/recall.json` on labelled conversations.

Run `python tests/benchmarks/recall_fit.py --people FILE --answered FILE... --home FOLDER --write`.  `--people` are
conversations between people (a listwise softmax over the turns that the walk reached, so that the turns with the answer come
first); `--answered` are conversations with questions that have no evidence and so no answer (a logistic on features of the
question; in a file without such questions those of the other conversations stand in, with the names exchanged).  Files are
described in `conversations.py`, a folder stands for all JSON files in it.  Both are cross-validated by leaving out one
conversation (of more than ten, one in five) at a time; what is printed and written beside the weights are these figures.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
DATA = HERE.parents[1] / "graphmem" / "data" / "recall.json"
ROUNDS, STEP, SMALL = 200, 0.1, 2e-3
# The order between people is brought to the spread of the other order, which was fitted on other conversations.
SCALE = 0.867
RIDGE, OTHERS = 5.0, 50

# A question: group, columns (one row for each place), the rows of the answer and how many turns have it.
Question = tuple[str, Any, list[int], int]


def listwise(rows: Sequence[Question], spread: Any) -> Any:
    """Weights under which the turns with the answer have the most of the softmax."""
    rows = [row for row in rows if row[2]]
    lengths = np.array([len(row[1]) for row in rows])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    target = np.zeros(int(lengths.sum()))
    for start, row in zip(starts, rows, strict=True):
        target[np.array(row[2]) + start] = 1 / len(row[2])
    values, owner = np.concatenate([row[1] for row in rows]) / spread, np.repeat(np.arange(len(rows)), lengths)
    weights = np.zeros(values.shape[1])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for turn in range(1, ROUNDS + 1):
        score = values @ weights
        share = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        share /= np.add.reduceat(share, starts)[owner]
        slope = -values.T @ (target - share) / len(rows) + 2 * SMALL * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.98 * square + 0.02 * slope**2
        weights -= STEP * (mean / (1 - 0.9**turn)) / (np.sqrt(square / (1 - 0.98**turn)) + 1e-8)
    return weights / spread


def logistic(values: Any, target: Any, weight: Any) -> Any:
    """The constant and the weights of a ridge logistic, by Newton's method."""
    middle, spread = values.mean(0), values.std(0) + 1e-9
    inner = np.column_stack([np.ones(len(values)), (values - middle) / spread])
    penalty = RIDGE * np.eye(inner.shape[1])
    penalty[0, 0] = 0
    found = np.zeros(inner.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-inner @ found))
        slope = inner.T @ (weight * (likely - target)) + penalty @ found
        found -= np.linalg.solve((inner.T * (weight * likely * (1 - likely))) @ inner + penalty, slope)
    return np.concatenate([[found[0] - (found[1:] * middle / spread).sum()], found[1:] / spread])


def folds(groups: Sequence[str]) -> list[set[str]]:
    """Which conversations are left out together."""
    names = sorted(set(groups))
    return [{name} for name in names] if len(names) <= 10 else [set(names[at::5]) for at in range(5)]


def area(score: Any, target: Any) -> float:
    """The area under the curve: how often an answerable question scores above one that is not."""
    good, bad = score[target > 0], score[target == 0]
    return float(np.mean((good[:, None] > bad) + 0.5 * (good[:, None] == bad))) if len(good) and len(bad) else float("nan")


def listen(memory: Any, question: str) -> dict[str, Any]:
    """What recall made of a question: the columns between people, their places, and the features of the question."""
    from graphmem.recall import candidates, score

    heard: dict[str, Any] = {}

    def hear(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any, **more: Any) -> Any:
            heard[name] = make(*arguments, **more)
            heard.update({"places": more["places"]} if "places" in more else {"corpus": arguments[0]})
            return heard[name]

        return made

    with (
        patch.object(score, "people_columns", hear("columns", score.people_columns)),
        patch.object(candidates, "features", hear("features", candidates.features)),
    ):
        memory.recall(question, k=1, min_score=0)
    return heard


def fit_people(path: Path, home: Path) -> dict[str, Any]:
    """Weights for turns between people."""
    from conversations import load, opened

    rows: list[Question] = []
    names: list[str] = []
    for conversation in load(path):
        with opened(conversation, home) as memory:
            for asked in conversation.questions:
                heard = listen(memory, asked.question)
                names = list(heard["columns"])
                at = {heard["corpus"].turns[place].id: row for row, place in enumerate(heard["places"])}
                good = [at[turn] for turn in asked.evidence if turn in at]
                columns = np.column_stack([heard["columns"][name] for name in names])
                rows.append((conversation.id, columns, good, len(asked.evidence)))
    spread = np.concatenate([row[1] for row in rows]).std(0) + 1e-6
    found = []
    for out in folds([row[0] for row in rows]):
        weights = listwise([row for row in rows if row[0] not in out], spread)
        for _, columns, good, size in (row for row in rows if row[0] in out):
            first = np.argsort(-(columns @ weights), kind="stable")[:10]
            found.append([len(set(first[:k].tolist()) & set(good)) / size for k in (5, 10)])
    weights = SCALE * listwise(rows, spread)
    held = {name: round(float(value), 3) for name, value in zip(("R@5", "R@10"), np.mean(found, axis=0), strict=True)}
    return {
        "weights": {name: round(float(value), 3) for name, value in zip(names, weights, strict=True)},
        "questions": len(rows),
        "left out": held,
    }


def fit_answered(paths: Sequence[Path], home: Path) -> dict[str, Any]:
    """Weights for whether there is an answer."""
    from conversations import load, opened
    from recall import strange

    rows: list[tuple[int, str, int, list[float]]] = []
    names: list[str] = []
    for source, path in enumerate(paths):
        conversations = load(path, unanswered=True)
        own = any(not asked.evidence for one in conversations for asked in one.questions if asked.category == "abstention")
        for conversation in conversations:
            asked = [(one.question, int(one.category != "abstention")) for one in conversation.questions]
            if not own:
                draw = random.Random(conversation.id)
                asked = draw.sample([one for one in asked if one[1]], min(OTHERS, len(asked)))
                asked += [(question, 0) for question in strange(conversations, conversation, draw, OTHERS)]
            with opened(conversation, home) as memory:
                for question, answered in asked:
                    features = listen(memory, question)["features"]
                    names = list(features)
                    rows.append((source, f"{source}/{conversation.id}", answered, list(features.values())))
    source, target = np.array([row[0] for row in rows]), np.array([row[2] for row in rows], dtype=float)
    values, groups = np.array([row[3] for row in rows]), np.array([row[1] for row in rows])
    weight = np.zeros(len(rows))
    for one in set(source.tolist()):
        for side in (0.0, 1.0):
            among = (source == one) & (target == side)
            weight[among] = 50 / max(int(among.sum()), 1)
    score = np.zeros(len(rows))
    for out in ({group} for group in sorted(set(groups.tolist()))):
        inside = ~np.isin(groups, list(out))
        made = logistic(values[inside], target[inside], weight[inside])
        score[~inside] = made[0] + values[~inside] @ made[1:]
    made = logistic(values, target, weight)
    held = [round(area(score[source == one], target[source == one]), 3) for one in sorted(set(source.tolist()))]
    return {
        "weights": {name: round(float(value), 2) for name, value in zip(("level", *names), made, strict=True)},
        "questions": len(rows),
        "left out": {"area under the curve, by file": held},
    }


def main() -> None:
    """Fit, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=Path)
    parser.add_argument("--answered", type=Path, nargs="+", default=[])
    parser.add_argument("--home", type=Path, required=True, help="where the filled memories are kept")
    parser.add_argument("--embedder", default="minilm", help="under which name the weights are filed")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    data = json.loads(DATA.read_text(encoding="utf-8"))
    kept = data.setdefault(chosen.embedder, {})
    command = "python tests/benchmarks/recall_fit.py"
    if chosen.people:
        kept["people"] = {**fit_people(chosen.people, chosen.home), "command": f"{command} --people FILE"}
    if chosen.answered:
        kept["answered"] = {**fit_answered(chosen.answered, chosen.home), "command": f"{command} --answered FILE..."}
    text = json.dumps(data, indent=2)
    print(text)
    if chosen.write:
        DATA.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
