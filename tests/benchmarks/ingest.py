"""What taking conversations in costs: turns a second, and the share of each stage, beside its two models alone.

Run `python tests/benchmarks/ingest.py` (about a minute; `--turns 500` for less). The shipped transcripts are told again by
other people in other towns on other days, each turn with a number of its own so that no two are alike, until there are some
2,000 turns, which are ingested into one memory by all that is shipped. Then, in a process of its own in the same run, the
language model parses the users' turns and the embedding model embeds what the ingest embedded, each in one call and nothing
else: the floor. `--write` puts the table into README.md. The first column is what the calling thread does
or waits for; processor time is that of the threads that read and embed ahead of it, too, and what can be compared where other
work is going on.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
TRANSCRIPTS = HERE.parents[1] / "graphmem" / "data" / "transcripts"
# What is exchanged from telling to telling; the last word of a row is as often said as the first.
ROWS = (
    ("Mira", "Ilse", "Vera", "Nora", "Tessa", "Alma", "Edith", "Jana"),
    ("Hanne", "Greta", "Silke", "Marit", "Astrid", "Dora", "Liv", "Ines"),
    ("Joris", "Pavel", "Anton", "Emil", "Hugo", "Ivo", "Lars", "Milan"),
    ("Bobine", "Spool", "Muffin", "Pixel", "Tiger", "Olive", "Waffle", "Button"),
    ("Ghent", "Leuven", "Turin", "Graz", "Lund", "Tartu", "Bergen", "Split"),
    ("Porto", "Lisbon", "Seville", "Bari", "Nice", "Corfu", "Malaga", "Genoa"),
    ("Leeds", "York", "Derby", "Bath", "Hull", "Truro", "Ripon", "Wells"),
    ("hazelnuts", "walnuts", "peanuts", "cashews", "almonds", "sesame", "shellfish", "strawberries"),
    ("vegetarian", "vegan", "pescatarian", "vegetarian", "vegan", "vegetarian", "vegan", "pescatarian"),
    ("tea", "cocoa", "juice", "mate", "cider", "milk", "lemonade", "kefir"),
    ("spreadsheets", "notebooks", "databases", "folders", "binders", "diaries", "tables", "lists"),
    ("bike", "moped", "scooter", "canoe", "kayak", "sledge", "car", "van"),
    ("Fio Azul", "Casa Norte", "Lumen", "Arco", "Vela", "Solaris", "Mapa", "Nimbus"),
    ("Museum of Industry", "Museum of Trade", "City Archive", "House of Maps", "Glass House", "Mint", "Arsenal", "Lace Hall"),
    ("Portuguese", "Spanish", "Italian", "Greek", "French", "Catalan", "Swedish", "Estonian"),
)  # fmt: skip


def told(count: int) -> list[dict[str, Any]]:
    """Sessions as data, with `count` turns or a few more."""
    from graphmem.sessions import read

    shipped = [session.model_dump(mode="json") for path in sorted(TRANSCRIPTS.iterdir()) for session in read(path)]
    found: list[dict[str, Any]] = []
    turns = telling = 0
    while turns < count:
        rng = random.Random(telling)
        change = {row[0]: row[0] if telling == 0 else rng.choice(row) for row in ROWS}
        pattern = re.compile("|".join(rf"\b{word}\b" for word in change))
        shift = timedelta(days=400 * telling)

        def later(value: str, by: timedelta = shift) -> str:
            return (datetime.fromisoformat(value.replace("Z", "+00:00")) + by).isoformat()

        for session in shipped:
            data = {
                "id": f"{session['id']}-{telling}",
                "started": later(session["started"]),
                "topic": session["topic"],
                "turns": [
                    {
                        "id": turn["id"],
                        "role": turn["role"],
                        "time": later(turn["time"]),
                        "text": f"{pattern.sub(lambda found, to=change: to[found.group()], turn['text'])} ({telling}/{place})",
                    }
                    for place, turn in enumerate(session["turns"])
                ],
            }
            found.append(data)
            turns += len(data["turns"])
        telling += 1
    return found


class Stages:
    """Seconds by stage; what runs inside a stage of its own is not counted to the one around it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.processor: dict[str, float] = {}
        self.here = threading.local()
        self.lock = threading.Lock()
        self.thread = threading.get_ident()
        self.whole = time.process_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Everything inside belongs to this stage."""
        if not hasattr(self.here, "open"):
            self.here.open, self.here.since = [], (0.0, 0.0)
        self._turn()
        self.here.open.append(name)
        try:
            yield
        finally:
            self._turn()
            self.here.open.pop()

    def _turn(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        if self.here.open:
            stage = self.here.open[-1]
            with self.lock:
                if threading.get_ident() == self.thread:
                    self.seconds[stage] = self.seconds.get(stage, 0.0) + now[0] - self.here.since[0]
                self.processor[stage] = self.processor.get(stage, 0.0) + now[1] - self.here.since[1]
        self.here.since = now

    def wrap(self, owner: Any, name: str, stage: str) -> None:
        """Count a function's time to a stage."""
        plain: Callable[..., Any] = getattr(owner, name)

        def counted(*args: Any, **named: Any) -> Any:
            with self.stage(stage):
                return plain(*args, **named)

        setattr(owner, name, counted)

    def clear(self) -> None:
        """Begin anew."""
        self.seconds.clear()
        self.processor.clear()
        self.whole = time.process_time()

    def beside(self) -> float:
        """Processor seconds of the threads that were not looked at: the engine's own."""
        return time.process_time() - self.whole - sum(self.processor.values())


def whole(count: int) -> dict[str, Any]:
    """The whole ingest, with what was embedded for the floor."""
    from graphmem import Memory, ingest, intake, judging, readahead
    from graphmem.admission import Admission
    from graphmem.embed import MiniLM
    from graphmem.extractors import readings, rules
    from graphmem.extractors.rules import RuleExtractor
    from graphmem.ledger import Ledger
    from graphmem.sessions import gathering
    from graphmem.space import Space

    data = told(count)
    stages, embedded = Stages(), []
    encode = MiniLM.encode

    def watched(self: Any, texts: list[str]) -> Any:
        embedded.extend(texts)
        return encode(self, texts)

    MiniLM.encode = watched  # type: ignore[method-assign]
    for owner, name, stage in (
        (gathering, "parse", "parse"),
        (rules, "read_many", "spaCy"),
        (RuleExtractor, "extract", "rules"),
        (readings, "resolve", "time"),
        (judging, "ground", "admission"),
        (Admission, "admit", "admission"),
        (ingest, "reconcile", "reconcile"),
        (ingest, "summarise", "reconcile"),
        (MiniLM, "encode", "embedding"),
        (Ledger, "append", "ledger"),
        (Ledger, "head", "ledger"),
        (Ledger, "knows_session", "ledger"),
        (intake, "_ready", "waiting"),
        (readahead, "ground", "admission"),
        (readahead, "summarise", "reconcile"),
        (Space, "_guarded", "graph"),
        (ingest, "compared", "graph"),
        (ingest.Ingestion, "live", "graph"),
    ):
        stages.wrap(owner, name, stage)
    with tempfile.TemporaryDirectory(prefix="graphmem-ingest-") as home, Memory.open(home, user="bench") as memory:
        # Models, engine and files are opened before the clock starts: they cost the same for one turn and for a million.
        memory.ingest({**data[0], "id": "warm", "topic": None})
        stages.clear()
        embedded.clear()
        with stages.stage("rest"):
            report = memory.ingest(data)
        stages.processor["other threads"] = stages.beside()
    return {
        "turns": report.turns,
        "statements": len(report.recorded) + len(report.suggested),
        "seconds": stages.seconds,
        "processor": stages.processor,
        "embedded": embedded,
    }


def floor(texts: list[str], embedded: list[str]) -> dict[str, Any]:
    """The two models alone."""
    from graphmem.embed import MiniLM
    from graphmem.extractors.english import pipeline

    nlp, model, stages = pipeline(), MiniLM(), Stages()
    list(nlp.pipe(texts[:3]))
    model.encode(embedded[:3])
    stages.clear()
    with stages.stage("spaCy"):
        for _ in nlp.pipe(texts, batch_size=64):
            pass
    with stages.stage("embedding"):
        model.encode(embedded)
    stages.processor["other threads"] = stages.beside()
    return {"seconds": stages.seconds, "processor": stages.processor}


def in_process(name: str, given: Any) -> Any:
    """A stage in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "ingest.py"), "--stage", name],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ended.returncode:
        raise SystemExit(f"stage {name} failed:\n{ended.stderr[-2000:]}")
    return json.loads(ended.stdout)


ORDER = (
    "parse",
    "spaCy",
    "rules",
    "time",
    "admission",
    "reconcile",
    "embedding",
    "ledger",
    "graph",
    "rest",
    "waiting",
    "other threads",
)


def table(found: dict[str, Any], alone: dict[str, Any]) -> str:
    """Stages in the order in which they run, then the sums; milliseconds for each turn."""
    turns = found["turns"]
    columns = [found["seconds"], found["processor"], alone["seconds"], alone["processor"]]
    total, work, both, least = (sum(column.values()) for column in columns)
    lines = ["| stage | ms/turn | share | processor | share | alone | processor |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name in ORDER:
        cells = [f"{column[name] / turns * 1e3:.3g}" if name in column else "" for column in columns]
        shares = [
            f"{column[name] / all_:.1%}" if name in column else ""
            for column, all_ in zip(columns[:2], (total, work), strict=True)
        ]
        lines.append("| " + " | ".join([name, cells[0], shares[0], cells[1], shares[1], *cells[2:]]) + " |")
    sums = [f"{value / turns * 1e3:.3g}" for value in (total, work, both, least)]
    rates = [f"{turns / value:.4g}" for value in (total, work, both, least)]
    for name, row, share in (("together", sums, "100%"), ("turns/s", rates, "")):
        lines.append("| " + " | ".join([name, row[0], share, row[1], share, *row[2:]]) + " |")
    times = f"{total / both:.2f} times its two models alone ({work / least:.2f} in processor time)"
    return "\n".join([*lines, "", f"{turns:,} turns, {found['statements']:,} statements recorded; the ingest takes {times}."])


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    parser.add_argument("--stage", choices=("whole", "floor"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stage:
        given = json.load(sys.stdin)
        print(json.dumps(whole(given) if arguments.stage == "whole" else floor(*given)))
        return
    found = in_process("whole", arguments.turns)
    said = [turn["text"] for session in told(arguments.turns) for turn in session["turns"] if turn["role"] == "user"]
    text = table(found, in_process("floor", [said, found["embedded"]]))
    print(text)
    if arguments.write:
        page = HERE / "README.md"
        begin, end = "<!-- ingest -->\n", "\n<!-- /ingest -->"
        head, rest = page.read_text("utf-8").split(begin)
        page.write_text(head + begin + text + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    main()
