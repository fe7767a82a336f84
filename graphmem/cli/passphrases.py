"""The key of a sealed memory on the command line: from the environment, a prompt, or the system's keyring.

Invariant: a passphrase is never an argument, where other accounts of the computer and the shell's history could see it.  It is
asked for only where a memory is sealed or is to be.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from graphmem.errors import InputError, KeyUnavailable

if TYPE_CHECKING:
    from graphmem.sealing.providers import Provider
    from graphmem.unlocking import Sealing

VARIABLE = "GRAPHMEM_PASSPHRASE"
_KEPT = "graphmem.sealing"


class Asked(NamedTuple):
    """What the options say."""

    variable: str | None = None
    keys: Path | None = None
    sealed: bool = False
    on_disk: bool = False


def unsealing(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--sealed --key-env --keys --allow-disk-workcopy`, kept for `unsealed`."""

    @click.option("--sealed", is_flag=True, help="Begin a sealed memory, or insist that it is one.")
    @click.option("--key-env", metavar="NAME", help=f"Variable that holds the passphrase [default: {VARIABLE}, else a prompt].")
    @click.option("--keys", type=click.Path(path_type=Path), help="Folder of all keys [default: keys in the home].")
    @click.option("--allow-disk-workcopy", "on_disk", is_flag=True, help="Without a folder in memory, use the disk.")
    @functools.wraps(function)
    def wrapper(*args: Any, sealed: bool, key_env: str | None, keys: Path | None, on_disk: bool, **kwargs: Any) -> Any:
        asked = Asked(key_env, keys, sealed or key_env is not None, on_disk)
        click.get_current_context().meta[_KEPT] = asked
        return function(*args, **kwargs)

    return wrapper


def unsealed(folder: Path) -> dict[str, Any]:
    """What `Memory.open` needs to open the space in `folder`: nothing, if that is plain or is to be."""
    from graphmem.head import LEDGER
    from graphmem.sealing.keys_file import keys_of
    from graphmem.unlocking import store_of

    asked = asked_for()
    place = keys_of(folder, asked.keys)
    there, store = store_of(folder / LEDGER)
    begun = there or place.exists()
    # A variable that is set makes a new memory a sealed one; it says nothing about a plain one that is there.
    wanted = asked.sealed or (not begun and VARIABLE in os.environ)
    if store is None and not wanted and (there or not place.exists()):
        return {}
    key = provider(place, asked.variable, new=not place.exists())
    return {"key": key, "keys": asked.keys, "allow_disk_workcopy": asked.on_disk}


def sealing_of(folder: Path) -> Sealing:
    """The same for the parts below."""
    from graphmem.unlocking import Sealing

    how = unsealed(folder)
    return Sealing(how.get("key"), how.get("keys"), how.get("allow_disk_workcopy", False))


def asked_key(file: Path) -> dict[str, Any]:
    """What `Memory.restore` needs for a file: a key if it is a sealed backup, or if the options say so."""
    from graphmem.lifecycle.backup import is_sealed

    asked = asked_for()
    if not asked.sealed and not is_sealed(file):
        return {}
    how = {"keys": asked.keys, "allow_disk_workcopy": asked.on_disk}
    return {"key": passphrase(asked.variable, new=not is_sealed(file)), **how}


def asked_for() -> Asked:
    """What the options of this command say."""
    asked: Asked = click.get_current_context().meta.get(_KEPT, Asked())
    return asked


def provider(place: Path, variable: str | None, *, new: bool = False) -> Provider:
    """The provider that a keys file names, or a passphrase.

    Raises:
        InputError, KeyUnavailable: there is none to be had.
    """
    from graphmem.sealing.providers import Keyring

    method, how = _noted(place)
    if method == "keyring" and variable is None:
        said = json.loads(how)
        return Keyring(str(said["service"]), name=str(said["name"]))
    if method == "callback":
        raise KeyUnavailable(
            f"the keys in {place} are opened by a program of their own: use that, or rotate them to a passphrase"
        )
    return passphrase(variable, new=new)


def passphrase(variable: str | None, *, new: bool) -> Provider:
    """A passphrase from the environment, or asked for."""
    return _passphrase(variable, VARIABLE, new=new, what="Passphrase")


def another_passphrase(variable: str | None) -> Provider:
    """The passphrase that is to take the place of the one in use: from a variable that was named, or asked for.

    The variable that holds the present one is never taken for it.
    """
    return _passphrase(variable, None, new=True, what="New passphrase")


def _passphrase(variable: str | None, usual: str | None, *, new: bool, what: str) -> Provider:
    from graphmem.sealing.providers import Passphrase

    name = variable or usual
    text = None if name is None else os.environ.get(name)
    if text is None and variable is not None:
        # Whoever gives the passphrase itself in the place of a name shall not find it in a log.
        option = "--new-key-env" if usual is None else "--key-env"
        named = variable if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,60}", variable) else f"of {option}"
        raise InputError(f"the variable {named} is not set: put the passphrase into it, or name another with {option}")
    if text is None:
        if not sys.stdin.isatty() and usual is None:
            raise KeyUnavailable(
                "nobody can be asked for the new passphrase: put it into a variable and name that with --new-key-env"
            )
        if not sys.stdin.isatty():
            raise KeyUnavailable(
                f"the memory is sealed and nobody can be asked: put the passphrase into {VARIABLE}, or use --key-env"
            )
        text = str(click.prompt(what, hide_input=True, err=True, confirmation_prompt=new))
    return Passphrase(text)


def _noted(place: Path) -> tuple[str, str]:
    """The kind of provider that a keys file was made with, and what that noted; nothing, if it cannot say."""
    if not place.is_file():
        return "", "{}"
    try:
        with closing(sqlite3.connect(place, timeout=5)) as db:
            row = db.execute("SELECT method, how FROM wrapped ORDER BY version DESC LIMIT 1").fetchone()
    except sqlite3.Error:
        return "", "{}"
    return ("", "{}") if row is None else (str(row[0]), str(row[1]))
