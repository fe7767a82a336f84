"""The one normal form of all text that comes in, and where an offset of the raw text lies in it.

Invariant: `normal(normal(text)) == normal(text)`; nothing later in the project changes a character, so offsets that are
taken after this step hold for good.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_LINE_ENDS = re.compile("\r\n?")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def normal(text: str) -> str:
    """The text with LF line ends, in NFC, with U+FFFD for NUL and for halves of surrogate pairs."""
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    return unicodedata.normalize("NFC", _UNSTORABLE.sub("\ufffd", text))


def normal_offsets(text: str, offsets: Iterable[int], *, after: bool) -> dict[int, int]:
    """Where offsets of the raw text lie in the normal form.

    An offset inside of what becomes one character moves to its start, or with `after` to its end.  The text is read
    once, however many offsets there are.
    """
    places: dict[int, int] = {}
    reached = length = 0
    for offset in sorted(set(offsets)):
        place = offset
        while not _parts(text, place):
            place += 1 if after else -1
        # Between two places that part characters the normal form of a piece is a piece of the normal form.
        if place > reached:
            length += len(normal(text[reached:place]))
            reached = place
        places[offset] = length
    return places


def _parts(text: str, place: int) -> bool:
    """Whether no character of the normal form spans this place."""
    if place <= 0 or place >= len(text):
        return True
    following = text[place]
    if following == "\n" and text[place - 1] == "\r":
        return False
    return not ("\u1160" <= following <= "\u11ff" or unicodedata.category(following).startswith("M"))
