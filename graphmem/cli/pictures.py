"""Commands that draw: timeline, graph.

Invariant: a picture is written whole or not at all, to a file that only its owner may read.
"""

from __future__ import annotations

from pathlib import Path

import click

from graphmem.cli.options import Target, common, moment, opened, print_json, resolve

out = click.option(
    "-o", "output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File: .svg, .png or .pdf."
)


@click.command()
@out
@click.option("--as-of", metavar="TIME", help="About this moment in the world.")
@click.option("--known-at", metavar="TIME", help="By what the memory knew then.")
@common
def timeline(target: Target, output: Path, as_of: str | None, known_at: str | None, as_json: bool) -> None:
    """Draw facts and preferences as bars in time."""
    with opened(target) as memory:
        written = memory.timeline(output, as_of=moment("as-of", as_of), known_at=moment("known-at", known_at))
    _told(written, as_json)


@click.command()
@click.argument("id")
@out
@click.option("--steps", default=2, show_default=True, type=click.IntRange(1, 10), help="How far from the statement.")
@common
def graph(target: Target, id: str, output: Path, steps: int, as_json: bool) -> None:
    """Draw what stands around a statement (ID or the beginning of one)."""
    with opened(target) as memory:
        written = memory.graph(resolve(memory, id), output, steps=steps)
    _told(written, as_json)


def _told(written: Path, as_json: bool) -> None:
    size = written.stat().st_size
    print_json({"path": str(written), "bytes": size}) if as_json else click.echo(f"wrote {written} ({size:,} bytes)")
