"""What callers give, looked at before anything is done with it, and how it is shown in the message that refuses it.

Invariant: a value that cannot be used ends in an InputError that names the argument, what it must be and what it is.  No
value is quoted at length, and no secret in it: secrets are masked before the text is cut, so that no beginning of one is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from graphmem.errors import InputError
from graphmem.personal.masks import masked

LONGEST = 80  # characters of a value in a message
_LOOKED_AT = 4_000  # characters in which a secret is looked for; far more than are shown
_LONGEST_PATH, _LONGEST_NAME = 4_096, 255  # bytes, of a path and of each name in it, as the common file systems have them


def brief(value: object, *, most: int = LONGEST) -> str:
    """A value for a message: texts in quotes, cut short and with their secrets masked; other things by what they are."""
    if isinstance(value, str | os.PathLike):
        quoted = repr(masked(str(value)[:_LOOKED_AT]))
        inner, quote = quoted[1:-1], quoted[0]
        return f"{quote}{inner[:most]}…{quote}" if len(inner) > most else quoted
    if isinstance(value, int) and abs(value) > 10**18:
        return "a huge number"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return f"a value of the type {type(value).__name__[:most]}"


def text(name: str, value: object, *, what: str = "a text") -> str:
    """The value, if it is a text; `what` says of what kind."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be {what}, not {type(value).__name__}")
    return value


def texts(name: str, value: object, *, what: str = "a list of texts") -> tuple[str, ...]:
    """The values of a list of texts, read once; one text alone is none."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be {what}, not {type(value).__name__}")
    found = tuple(value)
    for one in found:
        if not isinstance(one, str):
            raise InputError(f"{name} must be {what}, and one of them is {type(one).__name__}")
    return found


def flags(**given: object) -> None:
    """Refuse anything but True and False: "no" would be taken for yes."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise InputError(f"{name}={brief(value)} must be True or False")


def called(name: str, value: object, *, needed: bool = False) -> None:
    """Refuse what is given to be called, and cannot be; None is nothing to call, unless it is needed."""
    if (needed or value is not None) and not callable(value):
        raise InputError(f"{name} must be a function, not {type(value).__name__}")


def one_of(name: str, value: object, known: Iterable[str]) -> str:
    """The value, if it is one of these names."""
    names = tuple(known)
    if not isinstance(value, str) or value not in names:
        raise InputError(f"{name} {brief(value)} is unknown: use one of {', '.join(names)}")
    return value


def whole(name: str, value: object, least: int, most: int) -> int:
    """The value, if it is a whole number within these bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name}={brief(value)} must be a whole number from {least:,} to {most:,}")
    return value


def between(name: str, value: object, least: float, most: float, *, what: str = "a number") -> float:
    """The value, if it is a number within these bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InputError(f"{name}={brief(value)} must be {what} in {least:g}..{most:g}")
    return value


def path(name: str, value: object) -> Path:
    """The path, if a system could have it: its parts are neither too long nor unreadable."""
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{name} must be a path, not {type(value).__name__}")
    said = os.fspath(value)
    if not isinstance(said, str):
        raise InputError(f"{name} must be a path of text, not of {type(said).__name__}")
    try:
        place = Path(said)
        sizes = [len(os.fsencode(part)) for part in place.parts]
    except ValueError as error:  # half of a surrogate pair that stands for no byte of a name
        raise InputError(f"{name} {brief(said)} is no path that can be written: name another") from error
    if "\x00" in said:
        raise InputError(f"{name} {brief(said)} holds a NUL: name another path")
    if max(sizes, default=0) > _LONGEST_NAME or sum(sizes) > _LONGEST_PATH:
        raise InputError(f"{name} {brief(said)} is too long for a path: shorten it")
    return place
