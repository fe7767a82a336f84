"""The command that erases: what would go is shown first, then asked for, then searched for.

Invariant: nothing is erased that was not shown or asked for with --yes; the exit code is 1 if anything is left.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphmem.checks import brief
from graphmem.cli.options import common, moment, opened, print_json, resolve, waiting, who_acts
from graphmem.cli.output import some
from graphmem.cli.writing import asked
from graphmem.context import plain
from graphmem.errors import InputError
from graphmem.model import iso
from graphmem.receipts import ErasureReceipt

if TYPE_CHECKING:
    from graphmem.memory import Memory

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@click.command()
@click.argument("what", nargs=-1, metavar="")
@click.option("--id", "id_", metavar="ID", help="One statement.")
@click.option("--topic", metavar="WORDS", help="Everything that names these words.")
@click.option("--entity", metavar="NAME", help="Everything about a person, place or thing, by any of its names.")
@click.option("--session", metavar="ID", help="One conversation.")
@click.option("--since", metavar="TIME", help="From this time on.")
@click.option("--until", metavar="TIME", help="Before this time.")
@click.option("--last", metavar="LENGTH", help="What was said lately: 90s, 15m, 1h, 2d, 1w.")
@click.option("--all", "everything", is_flag=True, help="Everything in this space.")
@click.option("--clock", type=click.Choice(["told", "recorded"]), default="told", show_default=True)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@waiting
@common
def forget(
    target: tuple[Path | None, str, str],
    what: tuple[str, ...],
    id_: str | None,
    topic: str | None,
    entity: str | None,
    session: str | None,
    since: str | None,
    until: str | None,
    last: str | None,
    everything: bool,
    clock: str,
    dry_run: bool,
    yes: bool,
    wait: float,
    as_json: bool,
) -> int:
    """Erase statements with their words from every file of the space, and search for leftovers."""
    if what:
        first = what[0]
        hint = f"--id {first}" if re.fullmatch(r"(?:s_)?[0-9a-f]{4,24}", first) else f"--topic or --entity {brief(first)}"
        raise InputError(f"say what {brief(first)} is: {hint}; nothing was changed")
    with opened(target, wait=wait) as memory:
        if id_ and who_acts()["role"] == "owner":  # whoever may not forget does not learn here which ids there are
            id_ = resolve(memory, id_)
        named: dict[str, Any] = {
            "id": id_,
            "topic": topic,
            "entity": entity,
            "session": session,
            "since": moment("since", since),
            "until": moment("until", until),
            "last": _length(last),
            "all": everything,
            "clock": clock,
        }
        if dry_run or not yes:
            receipt = memory.forget(**named, dry_run=True)
            if not (dry_run and as_json):
                _show(memory, receipt)
        if not dry_run:
            if not yes:
                click.echo(f"This erases for good: {_counted(receipt.counts)}.", err=True)
                if not asked("Go on?", "--yes"):
                    click.echo("nothing was erased", err=True)
                    return 1
            receipt = memory.forget(**named)
    if as_json:
        print_json(receipt)
        return 1 if receipt.residue_hits else 0
    click.echo(f"{'would erase' if dry_run else 'erased'}: {_counted(receipt.counts)}")
    _beside(receipt, dry_run=dry_run)
    if not dry_run:
        click.echo(
            f"searched {some(len(receipt.scanned_files), 'file')} and {some(receipt.inflated, 'payload')}: "
            f"{receipt.residue_hits} leftovers; the same search before found {receipt.control_hits} of "
            f"{receipt.control_hits + receipt.control_missed}"
        )
    for item in receipt.not_covered:
        click.echo(f"not covered: {item}")
    return 1 if receipt.residue_hits else 0


def _beside(receipt: ErasureReceipt, *, dry_run: bool) -> None:
    """What goes along, whom it concerns too, and what may be meant and stays; by ids and places."""
    if receipt.taken_along:
        click.echo(
            f"taken along because {'they stand' if len(receipt.taken_along) > 1 else 'it stands'} in the same sentence: "
            f"{', '.join(receipt.taken_along)}; not refused when said again without it"
        )
        if dry_run:
            click.echo("to forget one statement alone, with its own quote: forget --id ID")
    if receipt.others:
        click.echo(f"others of whom statements {'would go' if dry_run else 'went'} too: {', '.join(receipt.others)}")
    for sentence in receipt.may_be_about:
        ids = " or ".join(f"--id {one}" for one in sentence.statements)
        then = f"forget {ids} takes it" if ids else "no statement was made of it"
        place = f"characters {sentence.start} to {sentence.end} of {plain(sentence.turn)} in {plain(sentence.session)}"
        click.echo(f"may be about it too, and stays: {place}; {then}")


def _length(value: str | None) -> timedelta | None:
    if value is None:
        return None
    match = _LENGTH.fullmatch(value.strip())
    if match is None:
        raise InputError(f"--last {brief(value)} is no length of time: write it as 90s, 15m, 1h, 2d or 1w")
    try:
        return timedelta(**{_UNITS[match[2].lower()]: float(match[1])})
    except OverflowError as error:
        raise InputError(f"--last {brief(value)} is too long: use --all, or --since with a time") from error


def _show(memory: Memory, receipt: ErasureReceipt) -> None:
    """What would go, so that nobody loses more than they meant to; on standard error, where it ends up in no file."""
    planned = receipt.plan
    if planned is None:
        return
    texts = {statement.id: plain(statement.text) for statement in memory.statements()}
    for name, ids in (("statement", planned.statements), ("episode", planned.episodes), ("summary", planned.summaries)):
        for id_ in ids:
            click.echo(f"  {name} {id_}: {texts.get(id_, '')}", err=True)
    for id_ in receipt.taken_along:
        click.echo(f"  taken along because it stands in the same sentence: {id_}: {texts.get(id_, '')}", err=True)
    for entity in memory.entities() if receipt.others else ():
        if entity.id in receipt.others:
            click.echo(f"  another {entity.type} of whom statements go too: {entity.id}: {plain(entity.name)}", err=True)
    said = _said(memory) if receipt.may_be_about else {}
    for one in receipt.may_be_about:
        words = said.get((one.session, one.turn), "")[one.start : one.end]
        click.echo(f"  may be about it too, and stays: “{plain(words)}” in {plain(one.turn)} of {plain(one.session)}", err=True)
        for id_ in one.statements:
            click.echo(f"    {id_}: {texts.get(id_, '')}", err=True)
    for turn_session, turn in planned.turns:
        click.echo(f"  turn {plain(turn)} of {plain(turn_session)}", err=True)
    for quote_session, turn, start, end in planned.quotes:
        click.echo(f"  quote in {plain(turn)} of {plain(quote_session)}, characters {start} to {end}", err=True)
    for topic in planned.topics:
        click.echo(f"  topic of {plain(topic)}", err=True)
    if planned.vectors:
        click.echo(f"  {some(planned.vectors, 'vector')}", err=True)
    for item in planned.handed_out:
        kind = " ".join(filter(None, (item["kind"], item["profile"], item["format"])))
        click.echo(f"  not reached: {kind} of {iso(item['at'])}, file {item['name']}", err=True)


def _said(memory: Memory) -> dict[tuple[str, str], str]:
    """The texts of the turns, by session and turn."""
    with memory._space.reading():
        return {(turn.session, turn.id): turn.text for turn in memory._space.graph.turns()}


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number) or "nothing"
