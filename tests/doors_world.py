"""Every public act of a memory with arguments that are right, and values that are wrong in the place of each in turn."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from roles_world import CLAIMS, OPEN, T

from graphmem import Memory
from graphmem.errors import GraphmemError

LONG = "x" * 100_000
HOSTILE: dict[str, Any] = {
    "none": None, "one": 1, "minus one": -1, "fraction": 1.5, "nan": float("nan"), "endless": float("inf"), "true": True,
    "empty": "", "surrogate": "\ud800", "nul": "\x00", "long": LONG, "bytes": b"x", "list": [], "mapping": {},
    "list of none": [None], "list of lists": [[1]], "object": object(), "naive time": datetime(2026, 1, 1),
    "path": Path("no/such/place"), "huge": 10**5000, "list of surrogates": ["\ud800"], "bytes of a name": "\udcff",
    "mapping of numbers": {1: 2}, "mapping of things": {"a": object()},
}  # fmt: skip
# What an argument of this kind may be at all; what its own checks say further is theirs.
KINDS: dict[str, tuple[type, ...]] = {"bool": (bool,), "str": (str,), "int": (int,), "float": (int, float)}


class Tried(NamedTuple):
    """A call of one act with one hostile value."""

    act: str
    argument: str
    value: str

    def __str__(self) -> str:
        return f"{self.act}({self.argument}={self.value})"


def right(memory: Memory, folder: Path, id_: str, answer: Any) -> dict[str, dict[str, Any]]:
    """For each act arguments that its owner could give."""
    text = memory._reader().one(id_).content_hash
    return {
        "recall": {"query": "where do I live?"},
        "on_turn": {"text": "As I said, I live somewhere by the sea."},
        "start": {},
        "render": {"found": answer},
        "profile": {},
        "changes": {},
        "open_items": {},
        "open_questions": {},
        "entities": {},
        "statements": {},
        "contradictions": {},
        "sessions": {},
        "trace": {"id": id_, "purpose": "a test"},
        "sparql": {"query": "ASK { ?a ?b ?c }"},
        "ingest": {"source": OPEN},
        "extract": {},
        "propose": {"claims": CLAIMS, "session": "s2"},
        "note_use": {"answer": answer, "used": []},
        "remember": {"text": "I like rye bread."},
        "correct": {"id": id_, "text": "I live in Porto."},
        "retract": {"id": id_, "reason": "test"},
        "confirm": {"id": id_, "content_hash": text},
        "forget": {"id": id_, "dry_run": True},
        "export": {"path": folder / "x.json", "format": "json", "purpose": "a test"},
        "dump": {"format": "json"},
        "timeline": {"path": folder / "x.svg"},
        "graph": {"id": id_, "path": folder / "y.svg"},
        "chain": {"id": id_, "path": folder / "z.svg"},
        "backup": {"path": folder / "x.graphmem", "overwrite": True},
        "audit": {"shapes": False},
        "verify": {},
        "anchor": {},
        "look": {"what": "all", "purpose": "a test"},
        "request": {"act": "forget", "id": id_},
        "rebuild": {},
        "reembed": {"embedder": "minilm"},
        "compact": {},
        "restore": {"path": folder / "kept.graphmem", "home": folder / "elsewhere"},
        "open": {"home": folder / "other", "user": "v"},
        "consolidate": {"dry_run": True},
        "rotate": {},
        "settings": {},
        "configure": {"preset": "long"},
        "expire": {"dry_run": True},
        "pause": {},
        "resume": {},
        "quarantine": {},
        "release": {"id": id_, "content_hash": "0" * 64},
        "requests": {},
        "settle": {"request": "a_0"},
        "grant": {"space": "work", "until": T + timedelta(days=1)},
        "limit": {"role": "agent", "purposes": []},
    }


def arguments(act: str) -> Iterator[str]:
    """The names of an act's arguments; of `configure` also those that go by the name of a setting."""
    from graphmem.settings import Settings

    for name, parameter in inspect.signature(inspect.unwrap(getattr(Memory, act))).parameters.items():
        if name in ("self", "cls"):
            continue
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield from Settings.model_fields
        else:
            yield name


def tries(acts: list[str], *, some: int = 1) -> Iterator[Tried]:
    """Every act with hostile values for every argument: all of them, or each `some`th, of other places for other arguments."""
    place = 0
    for act in acts:
        for name in arguments(act):
            place += 1
            for number, value in enumerate(HOSTILE):
                if (number + place) % some == 0:
                    yield Tried(act, name, value)


def is_wrong(one: Tried) -> bool:
    """Whether the value is not even of the type that the argument has."""
    parameter = inspect.signature(inspect.unwrap(getattr(Memory, one.act))).parameters.get(one.argument)
    said = [] if parameter is None else str(parameter.annotation).split(" | ")
    value = HOSTILE[one.value]
    if not said or any(kind not in KINDS and kind != "None" for kind in said):
        return False
    if value is None or isinstance(value, bool):
        return ("None" if value is None else "bool") not in said
    return not any(isinstance(value, KINDS[kind]) for kind in said if kind in KINDS and kind != "bool")


def tried(memory: Memory, one: Tried, given: dict[str, Any]) -> GraphmemError | None:
    """Make the call; the refusal, or None if it was done.  Anything else comes through."""
    try:
        found = getattr(memory, one.act)(**{**given, one.argument: HOSTILE[one.value]})
    except GraphmemError as error:
        return error
    if isinstance(found, Memory):
        found.close()
    return None
