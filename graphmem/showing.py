"""What is handed out, looked at once more: each row is shown, shortened, masked or kept back by the role that asked.

An agent gets short quotes of what it may see; an auditor without a case, every word masked one character for one, so that
places stay exact; support no word at all.  This is the second of two checks: the first leaves what an agent may not see out
of the graph (`graphmem.sight`), before anything is searched.

Invariant: it trusts nothing that the first check did, and it only ever takes away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pydantic import BaseModel

from graphmem.context import is_special
from graphmem.model import (
    Change,
    Context,
    Contradiction,
    Entity,
    Evidence,
    Hit,
    IngestReport,
    Question,
    Recall,
    Rejection,
    SameAs,
    SessionInfo,
    Statement,
    Trace,
    TraceEvidence,
    TurnView,
    Usage,
)
from graphmem.personal.categories import special_category
from graphmem.personal.found import MASK
from graphmem.records import turn_key
from graphmem.sight import ACCEPTED, Visible

SHORT = 120  # characters of a quote or a turn that an agent is shown
GONE: Final = object()
# Reasons by which it would be known what was said where a role may not look, or was said and forgotten.
ERASED, NOT_FOUND = "erased", "quote_not_found"
_UNTOLD = frozenset({ERASED, "turn_unknown"})
_NAMED = ("supersedes", "superseded_by", "corrects", "contradicts")
_REPORTED = ("recorded", "corroborated", "superseded", "contradictions", "suggested")


def short(text: str) -> str:
    """A text of at most `SHORT` characters, cut where it is longer."""
    return text if len(text) <= SHORT else text[: SHORT - 2].rstrip() + " …"


def masked_whole(text: str) -> str:
    """A text with every character masked, so that its length and the places in it stay."""
    return MASK * len(text)


def blank(text: str) -> str:
    """No text."""
    return ""


class Shown:
    """Goes through an answer, whatever it is made of.

    Args:
        check: gives a model as it may be shown, its parts gone through before, or `GONE`.
    """

    def __init__(self, check: Callable[[Any], Any]) -> None:
        self._check = check

    def __call__(self, value: Any) -> Any:
        """What may be shown of a value; `GONE` if nothing."""
        if isinstance(value, TraceEvidence) and isinstance(self._check, ForAgent):
            return self._check.quoted(value)
        if isinstance(value, BaseModel):
            parts = {name: (part, self(part)) for name, part in value.__dict__.items()}
            lost = {name for name, (_, after) in parts.items() if after is GONE}
            if lost - ({"before"} if isinstance(value, Change) else set()):
                return GONE
            changed = {name: None if after is GONE else after for name, (part, after) in parts.items() if after is not part}
            return self._check(value.model_copy(update=changed) if changed else value)
        if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
            kept = [after for part in value if (after := self(part)) is not GONE]
            same = len(kept) == len(value) and all(a is b for a, b in zip(kept, value, strict=True))
            return value if same else type(value)(kept)
        if isinstance(value, dict):
            filled = {name: after for name, part in value.items() if (after := self(part)) is not GONE}
            # Whoever has nothing left has no name either.
            return {name: after for name, after in filled.items() if after != () or value[name] == ()}
        return value


class ForAgent:
    """The check of each model for an agent.

    Args:
        seen: what may be seen of the graph.
        act: what was asked.
    """

    def __init__(self, seen: Visible, act: str) -> None:
        self.seen, self.act = seen, act

    def __call__(self, value: Any) -> Any:
        """The model as an agent may see it, or `GONE`."""
        if isinstance(value, Statement):
            return self._statement(value)
        if isinstance(value, Evidence):
            return value.model_copy(update={"quote": self._quote(value.quote)})
        if isinstance(value, TurnView):
            known = turn_key(value.session, value.id) in self.seen.turns and special_category(value.text) is None
            return value.model_copy(update={"text": short(value.text)}) if known and value.role == "user" else GONE
        if isinstance(value, Recall):
            return value.model_copy(update={"superseded_shown": sum("superseded" in hit.flags for hit in value.hits)})
        if isinstance(value, Hit):
            return GONE if value.statement is None and value.turn is None else value
        if isinstance(value, Question):
            return value if value.kind == "contradicted" and len(value.statements) > 1 else GONE
        if isinstance(value, Change):
            return GONE if value.type == "erased" else value
        if isinstance(value, SameAs):
            return value if value.statement in self.seen.statements else GONE
        if isinstance(value, Entity):
            left = self._ids(value.statements)
            return value.model_copy(update={"statements": left}) if value.id in self.seen.entities else GONE
        if isinstance(value, SessionInfo):
            # A topic may be about what is hidden in any words.
            topic = value.topic if value.id in self.seen.whole else None
            told = {"topic": self._told(topic), "summary": self._told(value.summary)}
            return value.model_copy(update=told) if value.id in self.seen.sessions else GONE
        if isinstance(value, Trace):
            stated = tuple(item for item in value.evidence if item.evidence.tier in ACCEPTED) or value.evidence
            return value.model_copy(update={"history": (), "evidence": stated, "verified": tuple(i.verified for i in stated)})
        if isinstance(value, Context):
            hidden = len(self._ids(value.statements)) < len(value.statements)
            return value.model_copy(update={"text": "", "statements": ()}) if hidden else value
        return self._report(value)

    def quoted(self, value: TraceEvidence) -> TraceEvidence:
        """A piece of evidence with its quote alone, whatever else its turn and those around it say."""
        proof: Evidence = self(value.evidence)
        turn = value.turn.model_copy(update={"text": proof.quote})
        return value.model_copy(update={"evidence": proof, "turn": turn, "before": (), "after": ()})

    def _statement(self, value: Statement) -> Any:
        if value.id not in self.seen.statements or value.tier not in ACCEPTED or value.status == "suggested":
            return GONE
        if is_special(value):
            return GONE
        stated = tuple(item for item in value.evidence if item.tier in ACCEPTED)
        named = {name: self._ids(getattr(value, name)) for name in _NAMED}
        return value.model_copy(update={**named, "evidence": stated or value.evidence})

    def _report(self, value: Any) -> Any:
        """What was done, with the ids of what may be seen: the others would say what was there before."""
        if isinstance(value, IngestReport):
            told = {name: self._ids(getattr(value, name)) for name in _REPORTED}
            return value.model_copy(update={**told, "rejected": self._rejected(value.rejected)})
        if isinstance(value, Usage):
            shown = self.seen.statements | self.seen.turns
            used = {name: tuple(one for one in getattr(value, name) if one in shown) for name in ("used", "unused")}
            return value.model_copy(update=used)
        return value

    def _rejected(self, rejected: tuple[Rejection, ...]) -> tuple[Rejection, ...]:
        """What was refused; what was forgotten is told by no reason, number or place of its own."""
        if self.act != "propose":
            # Of sessions that others recorded the refused words are nothing to show.
            bare = self.act == "extract"
            return tuple(
                item.model_copy(update={"quote": "" if bare else short(item.quote)})
                for item in rejected
                if item.reason != ERASED
            )
        alike = {"quote": "", "reason": NOT_FOUND}
        told = [item.model_copy(update=alike if item.reason in _UNTOLD else {"quote": short(item.quote)}) for item in rejected]
        return tuple(sorted(told, key=lambda item: (item.turn, item.reason, item.quote)))

    def _ids(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(id_ for id_ in ids if id_ in self.seen.statements)

    def _quote(self, quote: str) -> str:
        return short(quote if special_category(quote) is None else masked_whole(quote))

    def _told(self, text: str | None) -> str | None:
        return None if text is None or special_category(text) is not None else text


class Veiled:
    """The check of each model for those who are shown ids and states, and no words.

    Args:
        veil: what is shown in place of a text.
        states: only ids and states: not even the relation or the rule.
    """

    def __init__(self, veil: Callable[[str], str], *, states: bool) -> None:
        self.veil, self.states = veil, states

    def __call__(self, value: Any) -> Any:
        """The model without its words."""
        veil = self.veil
        if isinstance(value, Statement):
            hidden = self.states or is_special(value)
            return value.model_copy(
                update={
                    **{name: veil(getattr(value, name)) for name in ("text", "object")},
                    "subject": value.subject if value.subject == "user" and not self.states else veil(value.subject),
                    "predicate": veil(value.predicate) if hidden else value.predicate,
                    "sensitivity": "" if self.states else value.sensitivity,
                    "context": None if value.context is None else veil(value.context),
                    # The hash of a short text can be guessed back.
                    "content_hash": "",
                    "details": {},
                }
            )
        if isinstance(value, Evidence):
            return self._texts(value, "quote", "speaker")
        if isinstance(value, TurnView):
            return self._texts(value, "text", "speaker")
        if isinstance(value, SameAs):
            return self._texts(value, "source", "target")
        if isinstance(value, SessionInfo):
            return self._texts(value, "topic", "channel", "summary")
        if isinstance(value, Contradiction):
            return self._texts(value, "resolution")
        if isinstance(value, Trace):
            steps = tuple(step.model_copy(update={"by": "an act or words in the ledger"}) for step in value.steps)
            # The relation was masked before where it says too much; the rule says the same.
            plain = veil("x") not in value.statement.predicate if value.statement.predicate else False
            return value.model_copy(update={"steps": steps, "rule": value.rule if plain else veil(value.rule)})
        return value

    def _texts(self, value: Any, *names: str) -> Any:
        told = {name: getattr(value, name) for name in names}
        return value.model_copy(update={name: None if text is None else self.veil(text) for name, text in told.items()})


def names_in(value: Any) -> set[str]:
    """The ids of the statements, turns and sessions that an answer shows."""
    if isinstance(value, Statement | SessionInfo):
        return {value.id}
    if isinstance(value, TurnView):
        return {turn_key(value.session, value.id)}
    if isinstance(value, Context | Entity):
        return set(value.statements)
    if isinstance(value, BaseModel):
        value = tuple(value.__dict__.values())
    elif isinstance(value, dict):
        value = tuple(value.values())
    return set().union(*map(names_in, value)) if isinstance(value, tuple | list) else set()
