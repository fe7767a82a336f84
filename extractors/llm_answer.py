"""The answer that a language model is asked for: items with a quote, and what an item is worth as a proposal.

Invariant: an item is words only.  It is read leniently and judged strictly: one that is not as it should be is refused by
itself, with a reason, and does not spoil the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model

from graphmem.extractors.base import USER, Refusal
from graphmem.extractors.proposals import QUOTE_LIMIT, Proposal
from graphmem.model import KINDS, Modality, Polarity, Turn
from graphmem.ontology import relations
from graphmem.records import Temporal

_OPEN = re.compile(r"[a-z]{2,20}(?:_[a-z]{2,20}){0,3}")
_SELF = frozenset({USER, "i", "me", "my", "myself", "speaker", "the user", "the speaker", ""})
_CHOICES: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "polarity": get_args(Polarity),
    "modality": get_args(Modality),
    "temporal": get_args(Temporal),
}


def _strict(schema: dict[str, Any]) -> None:
    """What the model is told: every field, nothing else, and the words to choose from.

    No lengths: servers that turn a schema into a grammar become slow by them.
    """
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for name, field in schema["properties"].items():
        field.pop("default", None)
        field.pop("title", None)
        if name in _CHOICES:
            field["enum"] = list(_CHOICES[name])
    schema.pop("title", None)


class Item(BaseModel):
    """One thing that a turn says."""

    model_config = ConfigDict(frozen=True, json_schema_extra=_strict)

    turn: str = Field(description="id of the turn that is quoted")
    quote: str = Field(description="the exact words of that turn, copied character by character")
    kind: str = Field(default="fact", description="what sort of thing it is")
    subject: str = Field(default=USER, description="'user' for the one who speaks, else the words for whom it is about")
    relation: str = Field(description="a relation of the list, or the plain form of a verb of the quote")
    object: str = Field(description="the value, in words of the quote")
    polarity: str = "positive"
    modality: str = "asserted"
    temporal: str = "current"
    source: str = Field(default=USER, description="'user', or whose word the speaker reports")
    time_text: str | None = Field(default=None, description="the words of the turn that say when, or null")
    context: str | None = Field(default=None, description="the words of the turn that limit it, or null")
    done: bool = Field(default=False, description="for an open_item: the turn says that it is done")


class Answer(BaseModel):
    """What the turns say, one item for each thing."""

    model_config = ConfigDict(frozen=True, json_schema_extra=_strict)

    items: tuple[Item, ...] = ()


def bounded(limit: int, turns: Iterable[str]) -> type[Answer]:
    """An answer of at most so many items about these turns."""
    choice: Any = {"enum": sorted(turns)}
    turn: Any = (str, Field(description="id of the turn that is quoted", json_schema_extra=choice))
    item = create_model("Item", __base__=Item, turn=turn)
    items: Any = (tuple[item, ...], Field(default=(), max_length=limit))
    return create_model("Answer", __base__=Answer, items=items)


def refused(item: Item, reason: str) -> Refusal:
    """An item that is not taken; nothing of it has a place."""
    return Refusal(turn=item.turn, start=0, end=0, quote=item.quote[:QUOTE_LIMIT], reason=reason)


def proposal(item: Item, turn: Turn, place: tuple[int, int]) -> Proposal | Refusal:
    """The item as a proposal in the turn's own characters, or why it is none."""
    for name, choices in _CHOICES.items():
        if getattr(item, name) not in choices:
            return refused(item, f"{name}_unknown")
    relation = "_".join(item.relation.strip().lower().replace("-", " ").replace("_", " ").split())
    if relation not in relations() and not _OPEN.fullmatch(relation):
        return refused(item, "relation_malformed")
    if not item.object.strip():
        return refused(item, "object_empty")
    if not _own(item.source, turn):
        return refused(item, "attributed")
    return Proposal.model_validate(
        {
            "turn": turn.id,
            "quote": turn.text[place[0] : place[1]],
            "kind": item.kind,
            "subject": USER if _own(item.subject, turn) else item.subject.strip(),
            "predicate": relation,
            "object": item.object.strip(),
            "polarity": item.polarity,
            "modality": item.modality,
            "temporal": item.temporal,
            "context": _words(item.context),
            "time": _words(item.time_text),
            "done": item.done and item.kind == "open_item",
        }
    )


def _own(name: str, turn: Turn) -> bool:
    """Whether a name means the one who speaks in the turn."""
    low = " ".join(name.split()).casefold()
    return low in _SELF or (turn.speaker is not None and low == " ".join(turn.speaker.split()).casefold())


def _words(text: str | None) -> str | None:
    return text.strip() or None if text else None
