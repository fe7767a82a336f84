"""Commands for an auditor: audit, sparql, anchor.

Invariant: each look is recorded with who looked and what for; `audit` answers with exit code 1 as soon as anything does not
hold.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click

from graphmem.checks import brief
from graphmem.cli.options import (
    Target,
    as_of_option,
    common,
    known_at_option,
    look,
    looking,
    moment,
    opened,
    print_json,
)  # fmt: skip
from graphmem.context import plain
from graphmem.errors import InputError


@click.command()
@click.option("--format", "format_", type=click.Choice(["html", "markdown"]), help="[default: by the end of FILE; else html]")
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), help="File for the report [default: none].")
@click.option("--anchor", metavar="LINE", help="What `graphmem anchor` printed, kept elsewhere.")
@click.option("--shapes/--no-shapes", default=None, help="Check the published shapes [default: if pySHACL is installed].")
@looking
@common
def audit(
    target: Target,
    format_: str | None,
    output: Path | None,
    anchor: str | None,
    shapes: bool | None,
    who: dict[str, str],
    as_json: bool,
) -> int:
    """Check all that can be checked, and write a report for a person to read."""
    from graphmem.export import put

    ends = {".md": "markdown", ".markdown": "markdown"}
    format_ = format_ or ends.get(output.suffix.lower() if output is not None else "", "html")
    with opened(target) as memory:
        look(memory, "audit", who, detail="" if output is None else f"report as {format_}")
        found = memory.audit(anchor=anchor, format=format_, shapes=shapes)
        if output is not None:
            put(output, lambda: found.report.encode("utf-8"))
    if as_json:
        print_json(
            {
                "sound": found.sound,
                "verify": found.verify.model_dump(mode="json"),
                "shapes": None if found.shapes is None else [item._asdict() for item in found.shapes],
                "checks": [{"check": name, "row": list(row)} for name, row in found.checks],
                "findings": list(found.findings),
                "anchor": found.anchor,
                "report": None if output is None else str(output),
            }
        )
        return 0 if found.sound else 1
    click.echo(f"quotes   {found.verify.quotes_checked} checked, {len(found.verify.quotes_broken)} broken")
    click.echo(f"ledger   {'whole' if found.verify.ledger_ok else 'DAMAGED'}, {found.verify.ledger_entries} entries")
    told = "not checked: pip install 'graphmem[shacl]'" if found.shapes is None else f"{len(found.shapes)} violations"
    click.echo(f"shapes   {told}")
    click.echo(f"checks   {len(found.checks)} findings")
    for problem in found.verify.problems:
        click.echo(f"problem: {problem}")
    for words in found.findings:
        click.echo(plain(words))
    click.echo(f"anchor   {found.anchor}")
    if output is not None:
        click.echo(f"wrote {output}")
    return 0 if found.sound else 1


@click.command()
@click.argument("query")
@click.option("--bind", "bound", multiple=True, metavar="NAME=VALUE", help="Value of a variable: a time, id, IRI or text.")
@click.option("--engine", type=click.Choice(["auto", "rdflib", "oxigraph"]), default="auto", show_default=True)
@as_of_option
@known_at_option
@looking
@common
def sparql(
    target: Target,
    query: str,
    bound: tuple[str, ...],
    engine: str,
    as_of: str | None,
    known_at: str | None,
    who: dict[str, str],
    as_json: bool,
) -> None:
    """Ask an export in memory: QUERY is a file, or one of those that are shipped.

    These are, with what must be bound: trace (statement=ID), believed (D=TIME, what was held on that day, and V=TIME, about
    that moment), changes (D1=TIME and D2=TIME), history (predicate=RELATION), erasure (message=SESSION/TURN), contradictions
    and portability.
    """
    from graphmem.rdf_queries import NAMES, check

    text = query if query in NAMES else check(_read(query))
    bindings = dict(_binding(item, own=query not in NAMES) for item in bound)
    with opened(target) as memory:
        look(memory, "sparql", who, detail=query if query in NAMES else "")
        columns, rows = memory.sparql(
            text, bindings=bindings, engine=engine, as_of=moment("as-of", as_of), known_at=moment("known-at", known_at)
        )
    if as_json:
        print_json({"columns": list(columns), "rows": [list(row) for row in rows]})
        return
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(columns)
    out.writerows(["" if cell is None else cell for cell in row] for row in rows)


def _read(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except (OSError, ValueError) as error:
        from graphmem.rdf_queries import NAMES

        raise InputError(
            f"{brief(name)} cannot be read as a query: give a file of SPARQL, or one of {', '.join(NAMES)}"
        ) from error


def _binding(item: str, *, own: bool) -> tuple[str, object]:
    """A variable and its value; in a query of one's `own` a value that is written as a time is one."""
    name, sign, value = item.partition("=")
    if not sign or not name:
        raise InputError(f"--bind {brief(item)} is not NAME=VALUE: write it as --bind D=2026-01-01")
    try:
        return name, moment("bind", value) if own and value[:4].isdigit() else value
    except InputError:
        return name, value


@click.command()
@common
def anchor(target: Target, as_json: bool) -> None:
    """Print the ledger's end in one line, to be kept elsewhere for `verify --anchor`."""
    with opened(target) as memory:
        found = memory.anchor()
    print_json({"anchor": found}) if as_json else click.echo(found)
