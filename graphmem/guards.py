"""Acts of a memory: who may go on at the same time, and on which state, and the gate that all of them pass.

Invariant: every public act passes the gate (`graphmem.gate`) where somebody else than the owner has the memory open, whatever
it does; what a method is called is the act's name in `graphmem.roles.ACTS`.  An act that reads sees whole operations and
nothing changes under it in this process; one that writes plans on the ledger's last state, alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def gated(method: Callable[P, R]) -> Callable[P, R]:
    """An act that passes the gate; `reads`, `writes` and `reads_words` do that too."""
    act = method.__name__

    @functools.wraps(method)
    def passed(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        if memory._gate is None:
            return method(*args, **kwargs)
        shown: R = memory._gate.passed(act, method, args, kwargs)
        return shown

    passed.act = act  # type: ignore[attr-defined]
    return passed


def _public(method: Callable[P, R], guarded: Callable[P, R]) -> Callable[P, R]:
    """The gate before what others call; what a memory calls itself is a part of an act that has passed it."""
    return guarded if method.__name__.startswith("_") else gated(guarded)


def reads(method: Callable[P, R]) -> Callable[P, R]:
    """An act that only reads: one thread at a time, and none after the memory was closed."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.reading():
            return method(*args, **kwargs)

    return _public(method, guarded)


def writes(method: Callable[P, R]) -> Callable[P, R]:
    """An act that writes: one thread of one process at a time, on the state that the last one left."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.writing():
            return method(*args, **kwargs)

    return _public(method, guarded)


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

    return _public(method, guarded)
