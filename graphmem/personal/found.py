"""What a detector gives, a kind and a place and never the text itself; and what is written in the place of a secret."""

from __future__ import annotations

from typing import NamedTuple

MASK = "\u2588"  # stands for each character of a secret, so that the offsets of all that is left stay right
ERASED = "\u2592"  # what erasure writes in the place of a character
UNKEPT = "\u2591"  # what stands for a character that was not to be kept


class Found(NamedTuple):
    """Something found in a text: what it is, and where, in code points with the end excluded."""

    kind: str
    start: int
    end: int


def is_blank(value: str) -> bool:
    """Whether nothing is left of it but masks and erased characters."""
    return not value.strip(MASK + ERASED + UNKEPT + " \t\n\"'`.,;:!?)(]}>")
