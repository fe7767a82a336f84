"""Sessions: transcripts of every known format read into one model, checked and normalised once."""

from __future__ import annotations

from graphmem.sessions.characters import normal
from graphmem.sessions.formats import FORMATS, read
from graphmem.sessions.parsing import parse

__all__ = ["FORMATS", "normal", "parse", "read"]
