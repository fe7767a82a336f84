"""Whose memory, and in which folder: users, spaces and the names of their folders.

Invariant: a folder's name is derived so that no user id can escape the home or collide with another; ids are compared
character by character, never normalised.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphmem.checks import brief, path
from graphmem.errors import InputError, UserError
from graphmem.records import key

SPACE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def default_home() -> Path:
    """`$GRAPHMEM_HOME`, else the platform's folder for user data."""
    named = os.environ.get("GRAPHMEM_HOME")
    if named:
        return Path(named)
    from platformdirs import user_data_dir

    return Path(user_data_dir("graphmem", appauthor=False))


def home_of(home: object) -> Path:
    """The folder of all spaces that a caller named, or the usual one; its name must be text that every part can read."""
    if home is not None and not isinstance(home, str | os.PathLike):
        raise InputError(f"home must be the path of a folder, not {type(home).__name__}")
    if home == "":
        raise InputError("home is an empty text: name a folder, or leave it away for the usual one")
    folder = path("home", default_home() if home is None else home)
    if any(0xD800 <= ord(char) < 0xE000 for char in str(folder.absolute())):
        raise InputError(f"home {brief(str(folder))} is no UTF-8: name another folder")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"home {folder} is a file: name the folder of all memories, or one that can be made")
    return folder


def check_owner(user: object, space: object) -> tuple[str, str]:
    """The user and space if they can own a memory; ids are compared character by character, never normalised."""
    if not isinstance(user, str) or not user.strip():
        raise UserError(f"user must be a non-empty text, not {brief(user)}: name one user")
    if user.strip() == "*":
        raise UserError("user '*' would mean everybody: name one user")
    if user != user.strip():
        raise UserError(f"user {brief(user)} begins or ends with a blank: use the exact id")
    if any(0xD800 <= ord(char) < 0xE000 or char == "\x00" for char in user) or len(user) > 1024:
        raise UserError("the user id holds a lone surrogate or NUL, or is longer than 1,024 characters: use another id")
    if not isinstance(space, str) or not SPACE_NAME.fullmatch(space) or set(space) <= {"."}:
        raise UserError(f"space {brief(space)} is not a name: use up to 128 letters, digits, '-', '_' and '.'")
    return user, space


def folder_name(user: str, space: str) -> str:
    """A folder name for any user id: a readable part and a digest, so that ids differing in anything differ here."""
    readable = re.sub(r"[^a-z0-9]+", "-", user.casefold()).strip("-")[:32] or "user"
    plain = re.sub(r"[^a-z0-9_-]+", "-", space.casefold()).strip("-")[:32] or "space"
    return f"{readable}.{plain}.{key('u', user, space)[2:18]}"
