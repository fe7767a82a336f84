"""Consolidation on the host's schedule: a thread of the host that runs it now and then, and the line that cron would run.

Run: python examples/consolidate.py

A host without a process of its own lets cron do it, here on Sundays at four:
    0 4 * * 0  graphmem consolidate --user noor --wait 60
"""

import tempfile
import threading
from pathlib import Path

from conversations import SESSIONS

from graphmem import Memory
from graphmem.errors import StoreError

WEEK = 7 * 24 * 3600.0
GARDEN = [
    {
        "id": f"2026-0{month}-07",
        "started": f"2026-0{month}-07T10:00:00+01:00",
        "turns": [{"role": "user", "text": text} for text in texts],
    }
    for month, texts in {
        3: ["I love gardening.", "I bought seeds for the garden yesterday."],
        4: ["I planted garlic in the garden yesterday.", "I want to build a pond in the garden."],
        5: ["I picked the first garlic from the garden last week."],
    }.items()
]


def consolidate(home: Path, user: str) -> str:
    """One run; what is wrong is for the host's log, and the next run tries again."""
    try:
        with Memory.open(home, user=user, wait=60.0) as memory:
            report = memory.consolidate()
    except StoreError as error:
        return f"not consolidated: {error}"
    held = f"{report.statements} statements, {report.quotes} quotes, {report.dates} dates compared, {report.lost} lost"
    return f"{len(report.themes)} new themes, {report.unchanged} unchanged; {held}"


def every(seconds: float, stop: threading.Event, home: Path, user: str) -> None:
    """Run at once and then after every so many seconds, until the host stops."""
    while True:
        print(consolidate(home, user))
        if stop.wait(seconds):
            return


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, stop = Path(folder), threading.Event()
        with Memory.open(home, user="noor") as memory:
            memory.ingest([*SESSIONS, *GARDEN])
        for _ in range(2):  # a week later nothing has changed
            stop.clear()
            thread = threading.Thread(target=every, args=(WEEK, stop, home, "noor"))
            thread.start()
            stop.set()
            thread.join()
        with Memory.open(home, user="noor") as memory:
            for statement in memory.statements(kind="episode"):
                if statement.details.get("type") == "theme":
                    print(statement.text)
                    for item in statement.evidence:
                        print(f"  {item.said_at:%Y-%m-%d} “{item.quote}”")
            report = memory.verify()
            print(f"{report.quotes_checked} quotes checked, {len(report.quotes_broken)} broken")


if __name__ == "__main__":
    main()
