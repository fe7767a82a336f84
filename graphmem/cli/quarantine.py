"""Commands for what waits in quarantine: list it, let one claim out.

Invariant: a claim is only let out with the hash of the text that was shown.
"""

from __future__ import annotations

from pathlib import Path

import click

from graphmem.cli import output
from graphmem.cli.options import common, opened, print_json, resolve, waiting
from graphmem.context import plain

Target = tuple[Path | None, str, str]


@click.command()
@common
def quarantine(target: Target, as_json: bool) -> None:
    """Claims of others' words that are shaped like instructions; release, confirm or forget them."""
    with opened(target, reading=True) as memory:
        found = memory.quarantine()
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("nothing is in quarantine")
    for statement in found:
        output.row(statement)
        click.echo(f"    {plain(str(statement.details.get('quarantine')))}  --hash {statement.content_hash}")


@click.command()
@click.argument("id")
@click.option("--hash", "content_hash", required=True, metavar="SHA256", help="Of the text that was shown (see quarantine).")
@waiting
@common
def release(target: Target, id: str, content_hash: str, wait: float, as_json: bool) -> None:
    """Let a claim out of quarantine as a suggestion."""
    with opened(target, wait=wait) as memory:
        statement = memory.release(resolve(memory, id), content_hash=content_hash)
    print_json(statement) if as_json else output.row(statement)
