"""Grounding: is the quote there?  The turn's own characters decide, and their role with them.

Invariant: a claim leaves this module only if `turn.text[start:end] == quote` for a turn of this session, whole words of it
("I own a car" is not said by "I own a carpet"); the role of its evidence is the lowest role of any character quoted.
"""

from __future__ import annotations

from typing import NamedTuple

from graphmem.canonical import cuts_word
from graphmem.extractors.base import Claim
from graphmem.model import Rejection, Role, Session, SpanRole, Turn
from graphmem.personal.masks import masked


class Grounded(NamedTuple):
    """A claim whose quote was found, the turn it stands in, and the role of the quoted characters."""

    claim: Claim
    turn: Turn
    position: int
    role: Role | SpanRole


def role_of(turn: Turn, start: int, end: int) -> Role | SpanRole:
    """The lowest role among the characters [start, end) of a turn: memory, then quoted, then the turn's own."""
    found = {span.role for span in turn.spans if span.start < end and start < span.end}
    if "memory" in found or turn.role == "memory":
        return "memory"
    if "quoted" in found and turn.role == "user":
        return "quoted"
    return turn.role


def ground(claim: Claim, session: Session) -> Grounded | Rejection:
    """Find the claim's quote in its turn, or say why it is refused."""
    for position, turn in enumerate(session.turns):
        if turn.id != claim.turn:
            continue
        if claim.start >= claim.end or not claim.quote.strip():
            return refused("quote_empty", claim, session)
        if turn.text[claim.start : claim.end] != claim.quote:
            return refused("quote_not_found", claim, session)
        if cuts_word(turn.text, claim.start) or cuts_word(turn.text, claim.end):
            return refused("quote_cuts_word", claim, session)
        role = role_of(turn, claim.start, claim.end)
        if role == "memory":
            return refused("memory_is_no_evidence", claim, session)
        return Grounded(claim, turn, position, role)
    return refused("turn_unknown", claim, session)


def refused(reason: str, claim: Claim, session: Session) -> Rejection:
    """The claim as refused, for this reason; its quote may be words of nobody, so a secret in it is masked."""
    return Rejection(reason=reason, quote=masked(claim.quote), session=session.id, turn=claim.turn, rule=claim.rule)
