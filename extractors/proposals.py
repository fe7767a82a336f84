"""What is proposed from outside the rules, by an agent or a language model: a claim with a quote, not yet believed.

Invariant: a proposal holds words only.  Places, times, cues and deadlines are found in the turn by the gate, so that whoever
proposes can choose among what was said and add nothing to it.
"""

from __future__ import annotations

from pydantic import Field

from graphmem.extractors.base import USER
from graphmem.model import Frozen, Kind, Modality, Polarity, Turn
from graphmem.records import Temporal

QUOTE_LIMIT = 1000  # characters of one quote


class Proposal(Frozen):
    """A claim that somebody proposes about a turn.

    Attributes:
        turn: id of the turn that is quoted.
        quote: its exact characters.
        start: their place in the turn; None leaves it to the gate.
        subject: "user" for the one who speaks, else the person's words.
        predicate: a relation of `ontology/relations.toml`, or the lemma of a verb of the quote.
        object: the value, in words of the quote.
        context: the scope, in words of the turn.
        replaces: what this takes the place of, in words of the turn.
        time: the words that say when, as they stand in the turn; they are read as of the turn's own time.
        done: with kind open_item: this task is done.
    """

    turn: str
    quote: str
    start: int | None = Field(default=None, ge=0)
    kind: Kind = "fact"
    subject: str = USER
    predicate: str
    object: str
    polarity: Polarity = "positive"
    modality: Modality = "asserted"
    temporal: Temporal = "current"
    context: str | None = None
    replaces: str | None = None
    time: str | None = None
    done: bool = False
    confidence: float = Field(default=0.8, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)


def places(proposal: Proposal, turn: Turn) -> list[int]:
    """Where the quote stands in the turn; all places if the proposal names none."""
    text, quote = turn.text, proposal.quote
    if proposal.start is not None:
        return [proposal.start] if text.startswith(quote, proposal.start) else []
    found, at = [], text.find(quote)
    while at >= 0:
        found.append(at)
        at = text.find(quote, at + 1)
    return found
