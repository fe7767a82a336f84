"""Acts of a memory: who may go on at the same time, and on which state.

Invariant: an act that reads sees whole operations and nothing changes under it in this process; one that writes plans on the
ledger's last state, alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def reads(method: Callable[P, R]) -> Callable[P, R]:
    """An act that only reads: one thread at a time, and none after the memory was closed."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.reading():
            return method(*args, **kwargs)

    return guarded


def writes(method: Callable[P, R]) -> Callable[P, R]:
    """An act that writes: one thread of one process at a time, on the state that the last one left."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.writing():
            return method(*args, **kwargs)

    return guarded


def reads_words(method: Callable[P, R]) -> Callable[P, R]:
    """An act that writes what it reads from words: its models are loaded before others have to wait for it."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.reading():
            memory._space.check_writable()
            memory._ingestion("rules").ready()
        with memory._space.writing():
            return method(*args, **kwargs)

    return guarded
