"""How far the rules on personal data reach, on chat sentences by somebody who had not seen them.

Run `python tests/benchmarks/personal.py` (seconds; `--misses` prints what is missed and what is found wrongly).  The sentences
of `personal.json` are in English, Swedish, Finnish and Russian.  Every second one of each list was at hand while rules were
made ("worked on"); the others were kept back until those rules were done (README.md has the figures of that moment).  In the
lists of secrets texts are written backwards, so that no tool that scans a repository takes what they hold for real.  Intervals
are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
CHECKED, CONTACTS = frozenset({"iban", "card", "national_id"}), frozenset({"email", "phone"})
Row = Sequence[Any]


def share(hits: int, n: int) -> str:
    """A share with its interval."""
    p, z = hits / n, 1.96
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{hits} of {n}, {p:.3f} [{max(middle - half, 0):.3f}, {min(middle + half, 1):.3f}]"


def bare(text: str) -> str:
    """A number or address without what only divides it."""
    return re.sub(r"[\W_]", "", text).casefold()


def numbers(rows: Sequence[Row], kinds: frozenset[str]) -> tuple[int, int, list[str], list[str]]:
    """How many are found, how many there are, what is missed, and what is found where nothing is."""
    from graphmem.personal.identifiers import identifiers
    from graphmem.personal.masks import secrets_in

    hits, there, missed, wrong = 0, 0, [], []
    for language, text, marks in rows:
        marked = [*identifiers(text), *secrets_in(text)]
        found = {(one.kind, bare(text[one.start : one.end])) for one in marked if one.kind in kinds}
        wanted = [(kind, bare(value)) for kind, value in marks]
        there += len(wanted)
        hits += sum(one in found for one in wanted)
        missed += [f"{language} {one} in {text}" for one in wanted if one not in found]
        wrong += [f"{language} {one} in {text}" for one in sorted(found - set(wanted))]
    return hits, there, missed, wrong


def kept(rows: Sequence[Row]) -> list[str]:
    """The secrets that are still to be read when a memory gets the words."""
    from graphmem.sessions.parsing import parse
    from graphmem.withheld import withhold

    left = []
    for language, question, backwards, needle in rows:
        turns = [{"role": "assistant", "text": question}] if question else []
        turns.append({"role": "user", "text": backwards[::-1]})
        session = parse({"started": "2026-05-14T10:30:00Z", "turns": turns})
        if needle[::-1] in withhold(session).session.turns[-1].text:
            left.append(f"{language} {backwards[::-1]}")
    return left


def report(rows: dict[str, list[Row]], *, misses: bool) -> list[str]:
    """The figures of one half, a line each."""
    from graphmem.personal.categories import special_category
    from graphmem.personal.masks import secrets_in

    lines = []
    for name, kinds in (("checked", CHECKED), ("contacts", CONTACTS)):
        hits, there, missed, wrong = numbers(rows[name], kinds)
        lines.append(f"| {name} | {share(hits, there)} | {len(wrong)} wrong of {hits + len(wrong)} found |")
        lines += [*missed, *wrong] if misses else []
    left = kept(rows["secrets"])
    false = [f"{language} {text}" for language, text in rows["no secrets"] if secrets_in(text)]
    masked = share(len(rows["secrets"]) - len(left), len(rows["secrets"]))
    lines.append(f"| secrets | {masked} | {len(false)} of {len(rows['no secrets'])} harmless texts masked |")
    lines += [*left, *false] if misses else []
    told, other = [row for row in rows["special"] if row[2]], [row for row in rows["special"] if not row[2]]
    unseen = [row for row in told if special_category(row[1]) is None]
    taken = [row for row in other if special_category(row[1]) is not None]
    seen = share(len(told) - len(unseen), len(told))
    lines.append(f"| special categories | {seen} | {len(taken)} of {len(other)} harmless sentences marked |")
    lines += [" ".join(map(str, row)) for row in (*unseen, *taken)] if misses else []
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="print what is missed, and what is found wrongly")
    options = parser.parse_args()
    rows: dict[str, list[Row]] = json.loads((HERE / "personal.json").read_text("utf-8"))
    for first, half in ((1, "kept back"), (0, "worked on")):
        print(f"| {half} | found | and wrongly |", "|---|---|---|", sep="\n")
        print(*report({name: part[first::2] for name, part in rows.items()}, misses=options.misses), "", sep="\n")


if __name__ == "__main__":
    main()
