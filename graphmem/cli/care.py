"""Commands that look after a store: export, verify, backup, restore, rebuild, consolidate, compact, doctor.

Invariant: `verify` answers with exit code 1 as soon as anything does not hold; `doctor` names the command that mends what
is missing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from graphmem.checks import brief
from graphmem.cli.extracting import counting
from graphmem.cli.options import (
    PLACE,
    Target,
    acting,
    as_of_option,
    check_owner_acts,
    common,
    in_home,
    known_at_option,
    look,
    looking,
    moment,
    opened,
    print_json,
    waiting,
)  # fmt: skip
from graphmem.cli.output import some
from graphmem.cli.passphrases import asked_key, sealing_of, unsealed, unsealing
from graphmem.context import plain


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["trig", "nquads", "jsonld", "json"]),
    help="[default: by the end of FILE's name; else trig]",
)
@click.option(
    "--profile", type=click.Choice(["access", "portability", "audit", "current"]), default="access", show_default=True
)
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), help="File [default: standard output].")
@as_of_option
@known_at_option
@looking
@common
def export(
    target: Target,
    format_: str | None,
    profile: str,
    output: Path | None,
    as_of: str | None,
    known_at: str | None,
    who: dict[str, str],
    as_json: bool,
) -> None:
    """Take the memory out as RDF or JSON, with every quote; what is left out is listed in it."""
    by_name = {".json": "json", ".jsonld": "jsonld", ".nq": "nquads", ".nquads": "nquads"}
    format_ = format_ or by_name.get(output.suffix.lower() if output is not None else "", "trig")
    when: dict[str, Any] = {"as_of": moment("as-of", as_of), "known_at": moment("known-at", known_at)}
    with opened(target) as memory, _bar("export", unit="statement") as progress:
        format_ = "json" if output is None and as_json else format_
        look(memory, "export", who, detail=f"{profile} as {format_}")
        if output is None:
            data = memory.dump(format=format_, profile=profile, progress=progress, **when)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        written = memory.export(output, format=format_, profile=profile, progress=progress, **when)
    if as_json:
        print_json({"path": str(written), "format": format_, "profile": profile, "bytes": written.stat().st_size})
    else:
        click.echo(f"wrote {written} ({written.stat().st_size:,} bytes)")


@click.command()
@click.option("--anchor", metavar="LINE", help="What `graphmem anchor` printed: shows whether the end was lost.")
@common
def verify(target: Target, anchor: str | None, as_json: bool) -> int:
    """Check every quote, the ledger's chain, and the graph against one built anew."""
    with opened(target, reading=True) as memory:
        report = memory.verify(anchor=anchor)
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
@click.argument("file", type=PLACE)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@common
def backup(target: Target, file: Path, force: bool, as_json: bool) -> None:
    """Write the memory to one file; it may be in use, and any engine can be built from it."""
    from graphmem.errors import StoreError
    from graphmem.lifecycle.backup import backup as write
    from graphmem.lifecycle.backup import target_of
    from graphmem.owner import check_owner, default_home, folder_name
    from graphmem.unlocking import unlocked

    check_owner_acts("backup")
    home, user, space = target
    # None is made where there is none, and what cannot be opened to write is backed up all the same.
    folder = (home or default_home()).absolute() / folder_name(*check_owner(user, space))
    if not folder.is_dir():
        raise StoreError(
            f"there is no memory of {brief(user)} in {folder.parent}: name the user, space and home as they were given"
        )
    target_of(file, folder, overwrite=force)
    notes = _on_record(target, file)
    with _bar("backup") as progress, unlocked(folder, user, sealing_of(folder)):
        written = write(folder, file, now=datetime.now(UTC), overwrite=force, progress=progress)
    for note in notes:
        click.echo(f"graphmem: note: {note}", err=True)
    if as_json:
        print_json({"path": str(written), "bytes": written.stat().st_size})
    else:
        click.echo(f"wrote {written} ({written.stat().st_size:,} bytes)")


def _on_record(target: Target, file: Path) -> tuple[str, ...]:
    """Note a backup in the ledger before it is made; what there is to tell, for it is whole without that."""
    from graphmem.errors import GraphmemError
    from graphmem.memory import Memory
    from graphmem.owner import folder_name, home_of

    home, user, space = target
    try:
        how = unsealed(home_of(home).absolute() / folder_name(user, space))
        with Memory.open(home, user=user, space=space, **how) as memory:
            memory._handed_out("backup", file)
            return memory.notices
    except GraphmemError as error:
        return (f"the backup is not on record: {error}",)


@click.command()
@click.argument("file", type=PLACE)
@click.option("--user", metavar="ID", help="Whose memory [default: the one in FILE; no other].")
@click.option("--space", metavar="NAME", help="Which of the user's memories [default: the one in FILE].")
@in_home
@click.option("--engine", type=click.Choice(["kuzu", "ladybug"]), help="Engine that builds the graph.")
@click.option("--replace", is_flag=True, help="Replace a memory that is there.")
@click.option("--accept-loss", is_flag=True, help="Replace one whose damaged ledger cannot tell all that it erased.")
@click.option("--format", "format_", type=click.Choice(["trig", "nquads", "jsonld", "json"]), help="Of an export.")
@click.option("--foreign", is_flag=True, help="FILE is somebody else's RDF: nothing in it is taken on trust.")
@click.option("--anchor", metavar="LINE", help="What `graphmem anchor` printed; FILE must be of that ledger.")
@unsealing
@waiting
@acting
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def restore(
    file: Path,
    user: str | None,
    space: str | None,
    home: Path | None,
    engine: str | None,
    replace: bool,
    accept_loss: bool,
    format_: str | None,
    foreign: bool,
    anchor: str | None,
    wait: float,
    as_json: bool,
) -> None:
    """Put a backup in its place, or make a memory from an export; all of it is checked before.

    What was erased since stays erased.
    """
    from graphmem.memory import Memory

    check_owner_acts("restore")
    with (
        _bar("restore") as progress,
        Memory.restore(
            file,
            home=home,
            user=user,
            space=space,
            engine=engine,
            replace=replace,
            accept_loss=accept_loss,
            wait=wait,
            progress=progress,
            format=format_,
            foreign=foreign,
            anchor=anchor,
            **asked_key(file),
        ) as memory,
    ):
        found = memory.profile()
        count = len(memory.statements())
        for notice in memory.notices:
            click.echo(f"graphmem: note: {notice}", err=True)
    if as_json:
        print_json({"user": found.user, "space": found.space, "statements": count})
    else:
        click.echo(f"restored the space {brief(found.space)} of {brief(found.user)}: {some(count, 'statement')}")


@contextmanager
def _bar(what: str, unit: str = "B") -> Iterator[Callable[[int, int], None]]:
    """A progress bar, in bytes if nothing else is said, on a terminal only."""
    from tqdm import tqdm

    with tqdm(desc=what, unit=unit, unit_scale=True, file=sys.stderr, disable=None, leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


@click.command()
@click.option("--engine", type=click.Choice(["kuzu", "ladybug"]), help="Engine that keeps the graph from now on.")
@click.option("--accept-loss", is_flag=True, help="Go on with a ledger that lost its last entries.")
@waiting
@common
def rebuild(target: Target, engine: str | None, accept_loss: bool, wait: float, as_json: bool) -> None:
    """Build the graph anew from the ledger."""
    options: dict[str, Any] = {} if engine is None else {"engine": engine}
    with opened(target, accept_loss=accept_loss, wait=wait) as memory:
        memory.rebuild(**options)
        count = len(memory.statements())
    print_json({"statements": count}) if as_json else click.echo(f"built the graph anew: {count} statements")


@click.command()
@waiting
@common
def compact(target: Target, wait: float, as_json: bool) -> None:
    """Build the graph anew and remove what is left of older ones, to save space."""
    from graphmem.owner import default_home, folder_name

    home, user, space = target
    with opened(target, wait=wait) as memory:
        folder = (home or default_home()) / folder_name(user, space)
        before = _bytes(folder)
        memory.compact()
    after = _bytes(folder)
    if as_json:
        print_json({"before": before, "after": after})
    else:
        click.echo(f"{before:,} bytes before, {after:,} bytes after")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only plan and compare; nothing is written.")
@waiting
@common
def consolidate(target: Target, dry_run: bool, wait: float, as_json: bool) -> None:
    """Sum up by theme what belongs together, and join exact repeats; refused if anything would be lost."""
    with opened(target, wait=wait) as memory, counting("step") as progress:
        report = memory.consolidate(dry_run=dry_run, progress=progress)
        texts = {} if dry_run else {one.id: one.text for one in memory.statements(kind="episode")}
    if as_json:
        print_json(report)
        return
    for id_ in report.themes:
        if id_ in texts:
            click.echo(plain(texts[id_]))
    what = "would be summed up" if dry_run else "summed up"
    renewed, repeats = len(report.renewed), some(len(report.repeats), "repeat")
    click.echo(
        f"{some(len(report.themes), 'theme')} {what} ({renewed} renewed), {report.unchanged} unchanged, {repeats} joined"
    )
    held = f"{some(report.statements, 'statement')}, {some(report.quotes, 'quote')} and {some(report.dates, 'date')}"
    click.echo(f"{held} compared: {report.lost} lost")


@click.command()
@click.option("--embedder", required=True, metavar="NAME", help="minilm, multilingual, or sentence-transformers:MODEL.")
@waiting
@common
def reembed(target: Target, embedder: str, wait: float, as_json: bool) -> None:
    """Embed everything anew with another embedder and go on with that; all of it at once, or nothing."""
    with opened(target, wait=wait) as memory, counting("text") as progress:
        count = memory.reembed(embedder=embedder, progress=progress)
    print_json({"embedder": embedder, "vectors": count}) if as_json else click.echo(f"{some(count, 'vector')} of {embedder}")


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@click.command()
@click.option("--user", metavar="ID", help="Whose memory to look at [default: all in the home].")
@click.option("--space", metavar="NAME", help="Which of the user's memories [default: all].")
@in_home
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(user: str | None, space: str | None, home: Path | None, as_json: bool) -> int:
    """What is installed and what is not, and what is wrong with the memories; each with the command that mends it."""
    from graphmem.cli.doctor import examine

    report = examine(home, user=user, space=space)
    if as_json:
        print_json(report)
        return 0 if report["ok"] else 1
    for part in report["parts"]:
        mark = "ok" if part["ok"] else ("optional" if part["optional"] else "MISSING")
        click.echo(f"{mark:<9} {part['name']:<24} {part['detail']}")
        if part["remedy"]:
            click.echo(f"{'':<9} {'':<24} → {part['remedy']}")
    for memory in report["spaces"]:
        name = f"{memory['space']} of {memory['user']}" if memory["user"] is not None else Path(memory["folder"]).name
        entries = "" if memory["entries"] is None else f", {memory['entries']} entries"
        click.echo(f"{'ok' if memory['ok'] else 'DAMAGED':<9} {'space':<24} {plain(name)}{entries}, {memory['folder']}")
        for item in memory["findings"]:
            _finding(item)
    for item in report["home"]:
        _finding(item)
    return 0 if report["ok"] else 1


def _finding(item: dict[str, Any]) -> None:
    remedy = f" → {item['command']}" if item["command"] else ""
    click.echo(plain(f"{item['severity']:<9} {item['kind']:<24} {item['text']}{remedy}"))
