"""What the shipped queries ask for: which variables each takes, in what form, and how what is given becomes a term.

Invariant: a shipped query runs only with each of its variables bound to something of the right form that the export holds, so
that an empty answer means that there is nothing, and never that the question was put wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from graphmem.bundle import Bundle
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.ontology import relations
from graphmem.rdf_terms import Names

TAKES: Mapping[str, Mapping[str, str]] = {
    "trace": {"statement": "statement"},
    "believed": {"D": "time", "V": "time"},
    "changes": {"D1": "time", "D2": "time"},
    "contradictions": {},
    "history": {"predicate": "relation"},
    "portability": {},
    "erasure": {"message": "turn"},
}
_FORMS = {
    "time": ("a time", "2026-05-14 or 2026-05-14T10:30:00+02:00"),
    "statement": ("a statement", "s_49cf62 (its id, or the beginning of it) or its IRI"),
    "relation": ("a relation", "lives_in or its IRI"),
    "turn": ("a turn", "SESSION/TURN (their ids) or its IRI"),
}


def takes(query: str) -> str:
    """What a shipped query is to be given, in words."""
    parts = [f"{name} ({_FORMS[form][0]}, written as {_FORMS[form][1]})" for name, form in TAKES[query].items()]
    return " and ".join(parts) or "nothing"


def terms(query: str, given: Mapping[str, object], bundle: Bundle) -> dict[str, object]:
    """What the variables of a shipped query are bound to.

    Raises:
        InputError: one is missing, is none of the query's, has not its form, or names what is not there.
    """
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError("bindings must give for names of variables, as texts, their values")
    found = {name.lstrip("?$"): value for name, value in given.items()}
    wanted = TAKES[query]
    strange, missing = sorted(found.keys() - wanted.keys()), [name for name in wanted if name not in found]
    if strange:
        raise InputError(f"the query {brief(query)} has no variable {brief(strange[0])} to bind: it takes {takes(query)}")
    if missing:
        raise InputError(f"the query {brief(query)} takes {takes(query)}: give it --bind {missing[0]}=... (bindings=)")
    return {name: _term(name, wanted[name], value, bundle) for name, value in found.items()}


def _term(name: str, form: str, value: object, bundle: Bundle) -> object:
    what, written = _FORMS[form]
    if form == "time":
        at = _time(value)
        if at is None:
            raise InputError(f"{name} must be {what} with its offset from UTC, and not {brief(value)}: write it as {written}")
        return at
    known = _known(form, bundle)
    said = value if isinstance(value, str) else brief(value)
    if said in known:
        return known[said]
    if said in known.values():
        return said
    if form == "statement":  # ids are printed shortened, and may be given without what they all begin with
        found = [iri for id_, iri in known.items() if said and (id_.startswith(said) or id_[2:].startswith(said))]
        if len(found) > 1:
            raise InputError(f"{name}={brief(said)} is the beginning of {len(found)} ids: give more of it")
        if found:
            return found[0]
    raise InputError(f"{name} must be {what} of this memory, and {brief(said)} is none: write it as {written}")


def _time(value: object) -> datetime | None:
    """An aware time; a bare date is its first moment in UTC."""
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = at.replace(tzinfo=UTC) if len(value) == 10 else at
    return value if isinstance(value, datetime) and value.tzinfo is not None else None


def _known(form: str, bundle: Bundle) -> dict[str, str]:
    """What may be named, by the names that it has outside of an export, with its IRI."""
    names = Names(bundle.user, bundle.space, bundle.base)
    if form == "statement":
        return {node.record.id: names.iri("statement", node.record.id) for node in bundle.nodes}
    if form == "turn":
        return {f"{turn.session}/{turn.id}": names.iri("message", turn.key) for turn in bundle.turns}
    used = {node.record.predicate for node in bundle.nodes}
    return {name: names.predicate(name) for name in sorted(used | set(relations()))}
