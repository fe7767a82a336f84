"""What goes into the engine and comes out: parameters that are those of the query, times in UTC.

Invariant: no query runs with a parameter missing, and no time loses its offset: both engines drop it silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from graphmem.errors import NaiveTime, QueryError

Parameters = Mapping[str, Any]
# The types that parameters have, which a planned query is planned for.
Shape = tuple[Any, ...]

_PARAMETER = re.compile(r"\$(\w+)")


@lru_cache(maxsize=256)
def _names(text: str) -> frozenset[str]:
    return frozenset(_PARAMETER.findall(text))


def check_parameters(text: str, parameters: Parameters) -> None:
    """Refuse a call whose parameters are not exactly those of the query.

    The engine drops a filter whose parameter is missing, so that `MATCH ... WHERE n.id = $id DELETE n` deletes all.
    """
    names = _names(text)
    if names != parameters.keys():
        missing = ", ".join(sorted(names - parameters.keys())) or "none"
        extra = ", ".join(sorted(parameters.keys() - names)) or "none"
        raise QueryError(f"wrong parameters for the query {text!r}: missing {missing}, unknown {extra}")


def to_engine(value: Any) -> Any:
    """A parameter as the engine takes it: aware times become UTC without zone, naive ones are refused."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise NaiveTime(f"the time {value.isoformat()} has no offset from UTC: give a timezone-aware datetime")
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, dict):
        return {name: to_engine(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        # A list of floats or strings can be long; only containers and times inside it need a visit.
        if value and isinstance(value[0], float | str):
            return list(value)
        return [to_engine(item) for item in value]
    return value


def shape(value: Any) -> Shape:
    """The types of a value for the engine; the items of a list are of one type."""
    if isinstance(value, dict):
        return tuple((name, shape(value[name])) for name in sorted(value))
    if isinstance(value, list):
        return (list, shape(value[0])) if value else (list,)
    return (type(value),)


def from_engine(rows: list[list[Any]]) -> list[list[Any]]:
    """Results as the rest of the program takes them: times are aware, in UTC."""
    return [[value.replace(tzinfo=UTC) if isinstance(value, datetime) else value for value in row] for row in rows]
