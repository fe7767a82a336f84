"""The lines of a turn as somebody sees them, and where they stand in the text.

Invariant: the lines cover the text without a gap; `text` is only for looking at (compatibility form, nothing invisible, a word
of two scripts read by its looks), and `start` and `end` count characters of the turn itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.lookalikes import unmixed

# Every character that ends a line somewhere: a quote mark after one of these begins a line as well.
_LINE = re.compile("[^\n\v\f\x1c-\x1e\x85\u2028\u2029]*(?:[\n\v\f\x1c-\x1e\x85\u2028\u2029]|$)")


class Line(NamedTuple):
    """A line with its place; `end` is behind the line end, `text` without it."""

    start: int
    end: int
    text: str


def lines_of(text: str) -> list[Line]:
    """The lines of a text, in order."""
    found = []
    for match in _LINE.finditer(text):
        if match.end() > match.start() or match.start() == 0 or text[match.start() - 1 : match.start()] == "\n":
            found.append(Line(match.start(), match.end(), _seen(match[0])))
    return found


def paragraph_end(lines: Sequence[Line], place: int) -> int:
    """The last line of the paragraph that a line stands in."""
    last = place
    while last + 1 < len(lines) and lines[last + 1].text.strip():
        last += 1
    return last


def _seen(raw: str) -> str:
    text = raw.rstrip("\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    return text if text.isascii() else unmixed(unicodedata.normalize("NFKC", text))
