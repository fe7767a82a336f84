"""Commands that say what is kept: settings, pause, resume, expire.

Invariant: nothing goes but by `expire`, which asks before unless it is told not to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from graphmem.checks import brief
from graphmem.cli.options import common, opened, print_json, waiting
from graphmem.context import plain
from graphmem.errors import InputError
from graphmem.retention import ExpiryReport

Target = tuple[Path | None, str, str]


@click.command()
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--preset", type=click.Choice(["none", "short", "long"]), help="Terms to begin with.")
@waiting
@common
def settings(target: Target, changes: tuple[str, ...], preset: str | None, wait: float, as_json: bool) -> None:
    """Show what is kept and for how long, or set it anew: episodes=180 raw=30 transcripts=quotes; raw=none switches off."""
    changing = bool(changes or preset)
    with opened(target, reading=not changing, making=changing, wait=wait) as memory:
        given = dict(_change(one) for one in changes)
        held = memory.configure(preset=preset, **given) if given or preset else memory.settings()
    if as_json:
        print_json(held)
        return
    for name, value in held.model_dump().items():
        shown = "off" if value is None else ("yes" if value else "no") if isinstance(value, bool) else value
        click.echo(f"{name:<12} {shown}")


def _change(said: str) -> tuple[str, Any]:
    name, equals, value = said.partition("=")
    if not equals or name == "learning":
        raise InputError(f"{brief(said)} is no setting: write NAME=VALUE, and pause or resume for learning")
    if value.lower() in ("none", "off"):
        return name, None
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        return name, value


@click.command()
@waiting
@common
def pause(target: Target, wait: float, as_json: bool) -> None:
    """Learn nothing until `resume`; what is remembered is shown as before."""
    with opened(target, wait=wait) as memory:
        memory.pause()
    print_json({"learning": False}) if as_json else click.echo("paused: nothing is learnt until `graphmem resume`")


@click.command()
@waiting
@common
def resume(target: Target, wait: float, as_json: bool) -> None:
    """Learn again, from here on."""
    with opened(target, wait=wait) as memory:
        memory.resume()
    print_json({"learning": True}) if as_json else click.echo("learning again")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only tell what would go, by which rule, since when.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@waiting
@common
def expire(target: Target, dry_run: bool, yes: bool, wait: float, as_json: bool) -> int:
    """Erase what has outlived its term by the settings, from every file of the space."""
    with opened(target, wait=wait) as memory:
        report = memory.expire(dry_run=True)
        if not dry_run and report.expired:
            if not yes:
                _told(report)
                if not click.confirm("Erase this for good?", err=True):
                    click.echo("nothing was erased", err=True)
                    return 1
            report = memory.expire()
    if as_json:
        print_json(report)
        return 0
    if dry_run or yes or not report.expired:
        _told(report)
    if report.receipt is not None and not report.dry_run:
        click.echo(f"searched {len(report.receipt.scanned_files)} files: {report.receipt.residue_hits} leftovers")
    return 0


def _told(report: ExpiryReport) -> None:
    for item in (*report.expired, *report.held):
        click.echo(plain(item.line()))
    if not report.expired:
        click.echo("nothing has outlived its term")
