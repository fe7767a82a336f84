"""Extractors: pure functions from a session's turns to claims and rejections; they never see a store."""

from __future__ import annotations

if not __name__.startswith("graphmem."):
    raise ImportError("import this package as graphmem.extractors")
