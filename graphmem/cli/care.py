"""Commands that look after a store: export, verify, rebuild, doctor.

Invariant: `verify` answers with exit code 1 as soon as anything does not hold; `doctor` names the command that mends what
is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from graphmem.cli.options import common, opened, print_json

Target = tuple[Path | None, str, str]


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["trig", "nquads", "jsonld", "json"]),
    default="trig",
    show_default=True,
)
@click.option("--profile", type=click.Choice(["access", "portability", "current"]), default="access", show_default=True)
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), help="File [default: standard output].")
@common
def export(target: Target, format_: str, profile: str, output: Path | None, as_json: bool) -> None:
    """Take the memory out as RDF or JSON, with every quote."""
    with opened(target) as memory:
        if output is None:
            data = memory.render(format="json" if as_json else format_, profile=profile)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        written = memory.export(output, format=format_, profile=profile)
    if as_json:
        print_json({"path": str(written), "format": format_, "profile": profile, "bytes": written.stat().st_size})
    else:
        click.echo(f"wrote {written} ({written.stat().st_size:,} bytes)")


@click.command()
@common
def verify(target: Target, as_json: bool) -> int:
    """Check every quote, the ledger's chain, and the graph against one built anew."""
    with opened(target) as memory:
        report = memory.verify()
    if as_json:
        print_json(report)
    else:
        click.echo(f"quotes   {report.quotes_checked} checked, {len(report.quotes_broken)} broken")
        state = "whole" if report.ledger_ok else "DAMAGED"
        click.echo(f"ledger   {state}, {report.ledger_entries} entries, head {report.ledger_head[:16]}")
        click.echo(f"graph    {'equal to a rebuild' if report.projection_equal else 'DIFFERS from a rebuild'}")
        for problem in report.problems:
            click.echo(f"problem: {problem}")
    return 1 if report.problems else 0


@click.command()
@click.option("--accept-loss", is_flag=True, help="Go on with a ledger that lost its last entries.")
@common
def rebuild(target: Target, accept_loss: bool, as_json: bool) -> None:
    """Build the graph anew from the ledger."""
    with opened(target, accept_loss=accept_loss) as memory:
        memory.rebuild()
        count = len(memory.statements())
    print_json({"statements": count}) if as_json else click.echo(f"built the graph anew: {count} statements")


@click.command()
@click.option("--home", type=click.Path(path_type=Path), help="Folder of all memories [default: $GRAPHMEM_HOME].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(home: Path | None, as_json: bool) -> int:
    """Versions, engine, models with checksums, paths, and what is missing with the command that installs it."""
    from graphmem.cli.doctor import examine

    report = examine(home)
    if as_json:
        print_json(report)
    else:
        for part in report["parts"]:
            mark = "ok" if part["ok"] else ("optional" if part["optional"] else "MISSING")
            click.echo(f"{mark:<9} {part['name']:<24} {part['detail']}")
            if part["remedy"]:
                click.echo(f"{'':<9} {'':<24} → {part['remedy']}")
    return 0 if report["ok"] else 1
