"""The demonstration: the shipped transcripts taken in, and what the memory then says.

Invariant: it runs on a memory of its own, in a temporary folder unless `--home` names one, and shows nothing that a user
could not get with the other commands.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

import click

from graphmem.chronicle import chronicle
from graphmem.cli import output
from graphmem.cli.options import PLACE
from graphmem.memory import Memory

USER = "mira"


@click.command()
@click.option("--home", type=PLACE, help="Keep the memory in this folder [default: a temporary one].")
def demo(home: Path | None) -> None:
    """Take in the shipped example transcripts and show profile, changes and a trace."""
    with ExitStack() as stack:
        folder = home or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="graphmem-demo-")))
        transcripts = stack.enter_context(as_file(files("graphmem.data").joinpath("transcripts")))
        memory = stack.enter_context(Memory.open(folder, user=USER))
        report = memory.ingest(sorted(transcripts.iterdir()))
        _title(f"{report.sessions} conversations, {report.turns} turns taken in")
        click.echo(f"{len(report.recorded)} statements recorded, {len(report.superseded)} superseded")
        found = memory.profile()
        _title("Profile: what holds now, each with the words it rests on")
        output.profile(found)
        _title("Changes: what became of it")
        click.echo(chronicle(item for item in memory.changes() if item.type != "added"))
        moves = [s for s in memory.statements(status="current") if s.supersedes and s.kind == "fact"]
        if moves:
            _title("Trace: one fact, back to its words")
            output.trace(memory.trace(moves[0].id))
        if home is not None:
            click.echo(f"\nThe memory is kept: graphmem recall --home {home} --user {USER} 'Where does she live?'")


def _title(text: str) -> None:
    click.echo(f"\n{text}\n{'-' * len(text)}")
