"""The closed relation table and the RDF vocabulary, as data; imports nothing of graphmem.

Invariant: what a relation means for time and conflict (one value or many, permanent or not, exclusive groups, half-life)
stands in `relations.toml` and nowhere else.
"""

from __future__ import annotations

if not __name__.startswith("graphmem."):
    raise ImportError("import this package as graphmem.ontology")

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Literal

Cardinality = Literal["one", "many"]
Permanence = Literal["state", "permanent", "event", "report"]
Stance = Literal["for", "against", "none"]


@dataclass(frozen=True, slots=True)
class Relation:
    """One row of the relation table.

    Attributes:
        name: identifier, also the `predicate` of a statement.
        kind: default statement kind, `fact` or `preference`.
        cardinality: `one` value at a time (per scope) or `many`.
        permanence: `state` changes over time; `permanent` never does, so two values contradict; `event` happens; `report` is
            told of the world, and each telling vouches for its own moment only, so that a later one takes its place.
        value: what the object is: place, organisation, person, thing, date, text.
        half_life_days: after how many days a statement weighs half in ranking; 0 means it does not age.
        sensitivity: `ordinary`, `special` (health, religion ...) or `identifier`.
        phrase: wording of a positive statement; `{object}` stands for the object.
        negative: wording of a negative one.
        past: wording of what held once.
        became: wording of one value taking the place of another, which `{before}` stands for; like `over` it begins with a
            verb whose past tense is its participle too ("moved"), so that it can be told of a day and of "by then".
        over: wording of its end.
        opposite: relation that says the contrary of the same object, or "".
        stance: whether it speaks `for` a thing (has, uses, likes it), `against` it, or `none` of both; "no longer" about a
            thing reaches other relations of the same stance, and with `none` no other relation.
        exclusive: groups of objects of which only one holds at a time.
        general: objects that say less than any other value, which stands beside them ("married", and to whom).
        counted: objects with the same head noun and different counts exclude each other.
        scoped: the context is part of what is compared (a favourite colour and a favourite film coexist).
        questions: words of a question that ask for this relation.
    """

    name: str
    kind: Literal["fact", "preference"] = "fact"
    cardinality: Cardinality = "many"
    permanence: Permanence = "state"
    value: str = "text"
    half_life_days: float = 365.0
    sensitivity: str = "ordinary"
    phrase: str = "{object}"
    negative: str = "not {object}"
    past: str = ""
    became: str = ""
    over: str = ""
    opposite: str = ""
    stance: Stance = "for"
    exclusive: tuple[tuple[str, ...], ...] = field(default=())
    general: tuple[str, ...] = field(default=())
    counted: bool = False
    scoped: bool = True
    questions: tuple[str, ...] = field(default=())


@cache
def relations() -> dict[str, Relation]:
    """The whole table by name, in file order."""
    raw = tomllib.loads(files(__name__).joinpath("relations.toml").read_text(encoding="utf-8"))
    table = {}
    for name, row in raw.items():
        row["exclusive"] = tuple(tuple(group) for group in row.get("exclusive", ()))
        row["general"] = tuple(row.get("general", ()))
        row["questions"] = tuple(row.get("questions", ()))
        table[name] = Relation(name=name, **row)
    return table


def relation(name: str) -> Relation:
    """The row of a relation; an unregistered predicate is many-valued, so it coexists and retires nothing."""
    return relations().get(name) or Relation(
        name=name, phrase=name.replace("_", " ") + " {object}", negative="does not " + name.replace("_", " ") + " {object}"
    )
