"""Commands by which an owner rules who else may use a memory, and by which others ask: request, requests, settle, grant, limit.

Invariant: only the owner rules; a request changes nothing but the owner's list.
"""

from __future__ import annotations

import click

from graphmem.cli.options import Target, common, moment, opened, print_json, resolve
from graphmem.cli.output import day, nothing
from graphmem.context import plain
from graphmem.errors import InputError
from graphmem.permits import REASONS
from graphmem.roles import ROLES


@click.command()
@click.argument("act")
@click.argument("id", required=False)
@click.option("--reason", type=click.Choice(REASONS), default="asked", show_default=True)
@common
def request(target: Target, act: str, id: str | None, reason: str, as_json: bool) -> None:
    """Ask the owner to do ACT (such as forget) to the statement ID."""
    with opened(target) as memory:
        whole = resolve(memory, id) if id else None
        memory.request(act.replace("-", "_"), whole, reason=reason)
    if as_json:
        print_json({"act": act, "id": whole, "reason": reason})
    else:
        click.echo("the owner will see it among `graphmem requests`")


@click.command()
@common
def requests(target: Target, as_json: bool) -> None:
    """List what others asked for and were denied, oldest first."""
    with opened(target, reading=True) as memory:
        found = memory.requests()
    if as_json:
        print_json(found)
        return
    if not found:
        nothing("no requests wait")
    for one in found:
        about = f" {one.subject}" if one.subject else ""
        often = f", {one.times} times" if one.times > 1 else ""
        click.echo(f"{one.id}  {day(one.at)}  {plain(one.actor)} as {one.role}: {one.act}{about}  ({one.reason}{often})")


@click.command()
@click.argument("request")
@common
def settle(target: Target, request: str, as_json: bool) -> None:
    """Take REQUEST off the list, whatever became of it."""
    with opened(target) as memory:
        memory.settle(request)
    if as_json:
        print_json({"settled": request})
    else:
        click.echo(f"settled {request}")


@click.command()
@click.option("--from", "from_", required=True, metavar="SPACE", help="The space that the role comes from.")
@click.option("--to", type=click.Choice(ROLES[1:]), default="agent", show_default=True)
@click.option("--until", required=True, metavar="TIME", help="The end of the grant; one that has passed takes it back.")
@common
def grant(target: Target, from_: str, to: str, until: str, as_json: bool) -> None:
    """Let a role that comes from another space of the same user read this one until TIME."""
    end = moment("until", until)
    if end is None:
        raise InputError("--until is empty: give the end of the grant")
    with opened(target) as memory:
        memory.grant(space=from_, to=to, until=end)
    if as_json:
        print_json({"from": from_, "to": to, "until": end.isoformat()})
    else:
        click.echo(f"the role {to} from the space {plain(from_)} may read this one until {day(end)}")


@click.command()
@click.argument("limited", type=click.Choice(ROLES[1:]), metavar="ROLE")
@click.option("--purpose-allowed", "purposes", multiple=True, metavar="TEXT", help="May be repeated; none lifts the limit.")
@common
def limit(target: Target, limited: str, purposes: tuple[str, ...], as_json: bool) -> None:
    """Let ROLE use this memory for these purposes only, word for word."""
    with opened(target) as memory:
        memory.limit(limited, purposes=purposes)
    if as_json:
        print_json({"role": limited, "purposes": list(purposes)})
    else:
        click.echo(f"the role {limited} may act {'for these purposes only' if purposes else 'for any purpose'}")
