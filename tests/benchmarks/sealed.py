"""What sealing costs: the same memory plain and sealed, each step in turn, in one run.

Run `python tests/benchmarks/sealed.py` (under a minute; more with `--statements 1000 10000`); `--write` puts it into README.md.
The spaces are those of `workload.py`: a session has 20 statements and 59 vectors.  Times are processor time of the process,
medians of the repeats, because other work may go on beside it.  A sealed write waits for the disk twice, a plain one once.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
REPEATS = 3


def spent(act: Callable[[], Any]) -> float:
    """Milliseconds of processor time."""
    begun = time.process_time()
    act()
    return 1000 * (time.process_time() - begun)


def measured(home: Path, count: int, how: dict[str, Any]) -> dict[str, float]:
    """One memory of so many statements, made, opened, asked and checked."""
    import workload

    from graphmem import Memory

    found: dict[str, float] = {}
    with Memory.open(home, user="u", **how) as memory:
        found["ingest a session ms"] = spent(lambda: workload.fill(memory._space, count)) / (count / workload.TURNS)
    opened: list[float] = []
    first: list[float] = []
    asked: list[float] = []
    for _ in range(REPEATS):
        begun = time.process_time()
        with Memory.open(home, user="u", **how) as memory:
            opened.append(1000 * (time.process_time() - begun))
            first.append(spent(memory.sessions))
            memory.recall("a violin in Tartu")
            asked += [spent(lambda: memory.recall("a kettle that Irma bought in Lund")) for _ in range(REPEATS)]
            memory._drop_index()
    found["open ms"], found["first answer ms"] = statistics.median(opened), statistics.median(first)
    found["recall ms"] = statistics.median(asked)
    with Memory.open(home, user="u", **how) as memory:
        found["read the ledger ms"] = spent(lambda: list(memory._space.history()))
        found["verify ms"] = spent(memory.verify)
        turn = memory.sessions()[0]
        found["forget a session ms"] = spent(lambda: memory.forget(session=turn.id))
    found["ledger kB"] = sum(path.stat().st_size for path in home.glob("u.*/ledger.sqlite*")) / 1000
    found["keys kB"] = sum(path.stat().st_size for path in home.glob("keys/*/*")) / 1000
    found["other files kB"] = sum(path.stat().st_size for path in home.glob("u.*/graph/**/*") if path.is_file()) / 1000
    return found


def table(plain: dict[str, float], sealed: dict[str, float], count: int) -> str:
    """The two beside each other."""
    lines = [f"| {count:,} statements | plain | sealed | ratio |", "|---|---:|---:|---:|"]
    for name, value in plain.items():
        other = sealed[name]
        ratio = f"{other / value:.2f}" if value else ""
        lines.append(f"| {name} | {value:,.4g} | {other:,.4g} | {ratio} |")
    return "\n".join(lines) + "\n"


def compared(count: int) -> str:
    """The table of a memory of so many statements."""
    from graphmem.sealing import Passphrase

    with tempfile.TemporaryDirectory() as folder:
        plain = measured(Path(folder) / "plain", count, {})
        sealed = measured(Path(folder) / "sealed", count, {"key": Passphrase("correct horse battery staple")})
        return table(plain, sealed, count)


def main() -> None:
    """Measure, print, and write the table if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, nargs="+", default=[1_000], help="sizes, a table for each")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    text = "\n".join(compared(count) for count in arguments.statements)
    print(text)
    if arguments.write:
        page, begin, end = HERE / "README.md", "<!-- sealed -->\n", "<!-- /sealed -->"
        head, _, rest = page.read_text("utf-8").partition(begin)
        page.write_text(head + begin + text + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    main()
