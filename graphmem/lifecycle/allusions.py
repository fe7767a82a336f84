"""Sentences that may speak of what is to be forgotten without its name: "He is a dentist", right after "my brother Leo".

Invariant: an allusion is a guess for the owner to look at, by its place; nothing is erased for it.  Looked at are the later
sentences of a turn that names it and the user's next turn, up to where another person is named whom the memory knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby

from graphmem.canonical import fold
from graphmem.graph.base import Node
from graphmem.identity import OWNER
from graphmem.lifecycle.closure import Cuts, is_cut, is_summary
from graphmem.lifecycle.scope import Scope, sentences
from graphmem.reading import Reader
from graphmem.receipts import Allusion
from graphmem.records import TurnRecord

Place = tuple[str, int, int]  # a sentence: key of its turn, start, end

# Where a clause begins with a pronoun: English, Finnish, Swedish and Russian.
_PRONOUN = (
    "he|she|they|him|her|his|their|hän|hänen|hänet|häntä|hänellä|hänelle|han|hon|hans|hennes|honom|henne|"
    "он|она|его|её|ее|ему|ей"
)
_JOIN = "and|but|because|so|that|when|if|since|then|now|och|men|för|att|när|nu|ja|mutta|että|koska|kun|nyt|и|а|но|что|когда"
_BEGUN = re.compile(rf"(?:^|[.!?;:,()–—\n]|(?<![^\W_])(?:{_JOIN}))[\s\"“«]*$", re.IGNORECASE)
_BEFORE = 20  # characters before a pronoun that tell whether it begins a clause
_WORD = re.compile(rf"(?<![^\W_])(?:{_PRONOUN})(?![^\W_])", re.IGNORECASE)


def alluding(reader: Reader, turns: Iterable[TurnRecord], scope: Scope, forms: Collection[str]) -> frozenset[Place]:
    """The sentences that begin a clause with a pronoun which may stand for what a scope names."""
    named: dict[str, list[tuple[int, int]]] = {}
    for key, start, end in scope.passages:
        named.setdefault(key, []).append((start, end))
    other = _others(reader, forms)
    found = set()
    ordered = sorted(turns, key=lambda turn: (turn.session, turn.position))
    for _, talk in groupby(ordered, key=lambda turn: turn.session):
        open_ = False
        for turn in talk:
            here = named.get(turn.key, ())
            if not open_ and not here:
                continue
            asks = turn.role == "user" or bool(here)
            for start, end in sentences(turn.text):
                if any(low < end and start < high for low, high in here):
                    open_ = True
                elif open_:
                    text = turn.text[start:end]
                    pronoun, person = _pronoun(text), other(text)
                    if asks and pronoun is not None and (person is None or pronoun < person):
                        found.add((turn.key, end - len(text.lstrip()), end))
                    open_ = person is None
            open_ = open_ and (bool(here) or turn.role != "user")
    return frozenset(found)


def found_in(
    places: Collection[Place], nodes: Iterable[Node], turns: Mapping[str, TurnRecord], scope: Scope, cuts: Cuts
) -> tuple[Allusion, ...]:
    """The sentences that stay, with the statements that rest on them and stay."""
    resting: dict[Place, list[str]] = {place: [] for place in places if not is_cut(*place, scope, cuts)}
    for node in nodes:
        if node.record.id in scope.statements or is_summary(node):
            continue
        for key, start, end in resting:
            if any(e.turn_key == key and e.start < end and start < e.end for e in node.evidence):
                resting[key, start, end].append(node.record.id)
    ordered = sorted(resting, key=lambda place: (turns[place[0]].session, turns[place[0]].position, place[1]))
    found = []
    for key, start, end in ordered:
        turn, ids = turns[key], tuple(sorted(resting[key, start, end]))
        found.append(Allusion(session=turn.session, turn=turn.id, start=start, end=end, statements=ids))
    return tuple(found)


def _pronoun(text: str) -> int | None:
    """Where the first pronoun stands that begins a clause."""
    for match in _WORD.finditer(text):
        start = match.start()
        if _BEGUN.search(text, max(0, start - _BEFORE), start):
            return start
    return None


def _others(reader: Reader, forms: Collection[str]) -> Callable[[str], int | None]:
    """Where in a text the first other person is named whom the memory knows; a role ("sister") only as one's own."""
    names = reader.directory().names
    known = {form for form, type_ in names.cells.values() if type_ == "person"} - set(forms) - {OWNER} - names.owner_forms()
    written = {entity.name for entity in reader.directory().entities.values()}
    proper = {fold(name) for name in written if not name.islower()}
    parts = [re.escape(form) if form in proper else rf"(?:my|our)\s+{re.escape(form)}" for form in sorted(known)]
    if not parts:
        return lambda text: None
    pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?:'s)?(?![^\W_])")

    def place(text: str) -> int | None:
        match = pattern.search(text.replace("’", "'").casefold())
        return None if match is None else match.start()

    return place
