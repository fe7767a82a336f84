"""Commands for the keys of a sealed memory: rotate, copy-keys, destroy-key.

Invariant: what cannot be undone is done only when it was asked for in so many words, and by the owner: keys that are copied or
destroyed without opening the memory pass no gate, so that the role is asked here.
"""

from __future__ import annotations

from pathlib import Path

import click

from graphmem.cli.options import PLACE, Target, check_owner_acts, common, opened, print_json, waiting
from graphmem.cli.output import some
from graphmem.cli.passphrases import another_passphrase, asked_for
from graphmem.errors import InputError
from graphmem.owner import home_of


@click.command()
@click.option("--new", is_flag=True, help="Ask for a new passphrase.")
@click.option("--new-key-env", metavar="NAME", help="Variable that holds the new passphrase.")
@click.option("--deep", is_flag=True, help="Replace the memory's own key too, and wrap every key under it again.")
@waiting
@common
def rotate(target: Target, new: bool, new_key_env: str | None, deep: bool, wait: float, as_json: bool) -> None:
    """Wrap the keys of a sealed memory anew: under a new passphrase, a new key of its own, or both."""
    if not (new or new_key_env or deep):
        raise InputError("say what is to be new: --new or --new-key-env for the passphrase, --deep for the memory's own key")
    with opened(target, wait=wait) as memory:
        key = another_passphrase(new_key_env) if new or new_key_env else None
        count = memory.rotate(key, deep=deep)
    print_json({"wrapped": count}) if as_json else click.echo(f"wrapped {some(count, 'key')} anew")


@click.command("copy-keys")
@click.argument("file", type=PLACE)
@common
def copy_keys(target: Target, file: Path, as_json: bool) -> None:
    """Copy the keys of a sealed memory, which no backup holds, to FILE; keep it apart from the backups, and not for long."""
    from graphmem.lifecycle.sealed import copy_keys as copy

    check_owner_acts("copy-keys")
    home, user, space = target
    written = copy(home_of(home), file, user=user, space=space, keys=asked_for().keys)
    print_json({"path": str(written)}) if as_json else click.echo(f"wrote {written}")


@click.command("destroy-key")
@click.option("--yes", is_flag=True, help="Do it: nothing brings back what was sealed.")
@common
def destroy_key(target: Target, yes: bool, as_json: bool) -> None:
    """Destroy the key of a sealed memory: it and every backup of it are unreadable from then on, for everybody."""
    from graphmem.lifecycle.sealed import destroy_key as destroy

    check_owner_acts("destroy-key")
    home, user, space = target
    if not yes:
        raise InputError("nothing was destroyed: say --yes if the memory and all backups of it are to be unreadable for ever")
    place = destroy(home_of(home), user=user, space=space, keys=asked_for().keys)
    print_json({"destroyed": str(place)}) if as_json else click.echo(f"destroyed the key in {place}")
