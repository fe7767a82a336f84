"""What an export costs: time and memory by format, reading back, and queries with and without Oxigraph.

Run `python tests/benchmarks/export.py` (a few minutes; `--sizes 1000` for less).  Every stage is a process of its own, so that
its memory is its own.  The statements are made, not extracted: one quote each, one in ten replaces another.  `--write` puts
the table into README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
NOW = datetime(2026, 6, 1, tzinfo=UTC)
SIZES = (1_000, 10_000)
STAGES = ("bundle", "trig", "nquads", "jsonld", "json", "rdflib", "oxigraph")


def bundle(count: int) -> Any:
    """A memory of `count` statements in sessions of 20 turns."""
    from graphmem.bundle import Bundle
    from graphmem.graph.base import Node
    from graphmem.records import EvidenceRecord, LinkRecord, SessionRecord, StatementRecord, TurnRecord, key, turn_key
    from graphmem.views import view

    turns, sessions, nodes = [], [], []
    begun = NOW - timedelta(days=900)
    link = None
    for number in range(count):
        place, position = divmod(number, 20)
        name, said = f"s{place}", begun + timedelta(hours=place, minutes=position)
        if not position:
            sessions.append(SessionRecord(id=name, started=said, ended=None, topic=None, channel=None, recorded_at=said))
        city = f"Place {number % 997}"
        text = f"Well then, since you ask: I moved to {city} in the end, number {number}."
        key_ = turn_key(name, f"t{position}")
        turns.append(
            TurnRecord(
                key=key_, id=f"t{position}", session=name, position=position, role="user", speaker=None, text=text, time=said
            )
        )  # fmt: skip
        id_, quote = key("s", str(number)), f"I moved to {city}"
        start = text.index(quote)
        record = StatementRecord(
            id=id_, kind="fact", text=f"User lives in {city}", subject="user", predicate="lives_in", object=city,
            asserted_at=said, recorded_at=said, session=name, session_started=begun + timedelta(hours=place),
            order=position, subject_key="user", object_key=city.casefold(), tier="stated", confidence=0.85, importance=0.5,
            sensitivity="ordinary", content_hash="0" * 64, extractor="rules/1", rule="moving", context=f"c{number // 10}",
            context_key=f"c{number // 10}", valid_from=said, valid_granularity="day",
        )  # fmt: skip
        proof = EvidenceRecord(
            id=key("e", str(number)), statement=id_, session=name, turn=f"t{position}", turn_key=key_,
            role="user", speaker=None, start=start, end=start + len(quote), quote=quote, said_at=said, recorded_at=said,
            tier="stated", confidence=0.85, extractor="rules/1", valid_from=said, valid_granularity="day",
        )  # fmt: skip
        links = []
        if number % 10 == 1:
            link = LinkRecord(
                id=key("l", str(number)), kind="SUPERSEDES", source=id_, target=key("s", str(number - 1)), rule="value",
                tier="stated", recorded_at=said, said_at=said, at=said, granularity="day",
            )  # fmt: skip
            links = [(link, None)]
            nodes[-1] = nodes[-1]._replace(links=((link, None),))
        nodes.append(Node(record, (proof,), tuple(links), None, ()))
    views = tuple(found for node in nodes if (found := view(node, NOW, NOW)) is not None)
    return Bundle(
        user="bench", space="default", at=NOW, known_at=NOW, nodes=tuple(nodes), turns=tuple(turns), sessions=tuple(sessions),
        statements=views, ledger_head="0" * 64,
    )  # fmt: skip


def stage(name: str, count: int) -> dict[str, float]:
    """One stage in this process: seconds, and the most memory it held."""
    from graphmem import rdf
    from graphmem.rdf_queries import ask, shipped

    made = bundle(count)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found: dict[str, float] = {}
    if name == "bundle":
        return {"bundle MB": held}
    begun, spent = time.perf_counter(), time.process_time()
    if name in ("rdflib", "oxigraph"):
        quads = rdf.all_quads(made, profile="access")
        found[f"quads/{name}"] = len(quads)
        for query, bound in (("portability", {}), ("believed", {"D": NOW, "V": NOW})):
            begun, spent = time.perf_counter(), time.process_time()
            rows = ask(quads, shipped(query), bindings=bound, engine=name).rows
            found[f"{name} {query} s"] = time.perf_counter() - begun
            found[f"{name} {query} CPU s"] = time.process_time() - spent
            found[f"rows/{name}/{query}"] = len(rows)
        return found
    from tempfile import TemporaryDirectory

    from graphmem.export import export

    with TemporaryDirectory() as folder:
        path = export(made, Path(folder) / "export", format=name)
        found[f"{name} s"] = time.perf_counter() - begun
        found[f"{name} CPU s"] = time.process_time() - spent
        size = path.stat().st_size
        data = path.read_bytes() if name == "trig" else b""
    found[f"{name} MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found[f"{name} file MB"] = size / 1e6
    if name == "trig":
        import pyoxigraph as ox

        begun = time.perf_counter()
        store = ox.Store()
        store.bulk_load(data, format=ox.RdfFormat.TRIG)
        found["oxigraph load s"] = time.perf_counter() - begun
        begun = time.perf_counter()
        store.dump(format=ox.RdfFormat.TRIG)
        found["oxigraph TriG s"] = time.perf_counter() - begun
    return found


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--stage")
    given = parser.parse_args()
    if given.stage:
        print(json.dumps(stage(given.stage, given.sizes[0])))
        return
    columns: dict[int, dict[str, float]] = {}
    for size in given.sizes:
        for name in STAGES:
            command = [sys.executable, "-W", "ignore", __file__, "--stage", name, "--sizes", str(size)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            columns.setdefault(size, {}).update(json.loads(done.stdout.strip().split("\n")[-1]))
            print(size, name, done.stdout.strip(), flush=True)
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    rows = ["| statements | " + " | ".join(f"{size:,}" for size in columns) + " |", "|---|" + "---:|" * len(columns)]
    rows += [
        f"| {name} | " + " | ".join(f"{column.get(name, float('nan')):,.4g}" for column in columns.values()) + " |"
        for name in names
    ]
    table = "\n".join(rows)
    print(table)
    if given.write:
        readme = HERE / "README.md"
        text = readme.read_text("utf-8")
        head, rest = text.split("<!-- export -->", 1)
        readme.write_text(f"{head}<!-- export -->\n{table}\n<!-- /export -->{rest.split('<!-- /export -->', 1)[1]}", "utf-8")


if __name__ == "__main__":
    main()
