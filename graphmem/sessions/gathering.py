"""Whatever a caller may give as transcripts, as sessions: one, many, files, or any mixture of them.

Invariant: every session went through the same parser, whoever made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from graphmem.checks import path
from graphmem.errors import InputError
from graphmem.model import Session
from graphmem.sessions import parse, read
from graphmem.sessions.formats import check_format

DEEPEST = 20  # lists within lists; one that holds itself has no end


def gather(source: object, *, format: str = "auto", started: datetime | None = None, depth: int = 0) -> Iterator[Session]:
    """The sessions of a Session, a dict, a path, or an iterable of those.

    Args:
        source: what was given.
        format: how to read files.
        started: aware time for formats that carry none.
        depth: how many lists the source lies in.
    """
    check_format(format)
    if isinstance(source, Session):
        # Built by hand it may hold what no reader would let through: it is read like any other data.
        yield parse(source.model_dump(mode="python", warnings=False))
    elif isinstance(source, Mapping):
        yield parse(source)
    elif source == "":
        raise InputError("cannot ingest an empty text: give the path of a file or folder")  # it would be the folder one is in
    elif isinstance(source, str | Path):
        yield from read(path("source", source), format=format, default_started=started)
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        if depth > DEEPEST:
            raise InputError(f"the sessions lie in more than {DEEPEST} lists within lists: give one list of them")
        for item in source:
            yield from gather(item, format=format, started=started, depth=depth + 1)
    else:
        raise InputError(f"cannot ingest a {type(source).__name__}: give a session, a dict, a path or a list of those")
