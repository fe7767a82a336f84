"""Masks: what is written in the place of a secret, so that no file, vector, message or log ever holds it.

Invariant: a mask has the length of what it covers, so every offset outside of it stays right; masking a masked text
changes nothing; a text without secrets is returned as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from graphmem.personal.found import MASK, Found, is_blank
from graphmem.personal.signs import may_hold_secret

_COVERED = re.compile(r"[^\s]")
# A short word by itself, or a moment: no secret by its shape, and most of what a record is made of.
_PLAIN = re.compile(r"[^\W\d_]{0,15}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)")
REPEATS = 200  # so many secrets of one conversation are looked for again in what follows
_ROUNDS = 8  # a mask may lay bare a further secret beside it; each round covers more, and none needs this many
_KEPT = frozenset(
    {"id", "key", "session", "turn", "turn_key", "statement", "entity", "content_hash", "previous", "source", "target"}
)


def secrets_in(text: str, *, before: str | None = None) -> list[Found]:
    """The secrets in a text, in order and apart.

    Args:
        text: the text.
        before: what was said just before it; it may have asked for a secret.
    """
    if not may_hold_secret(text) and (before is None or len(text) > 120 or not may_hold_secret(before[-300:])):
        return []
    # The patterns are made when there is something to look at: most processes never need them.
    from graphmem.personal.answers import answer
    from graphmem.personal.codes import codes
    from graphmem.personal.commands import commands
    from graphmem.personal.credentials import credentials
    from graphmem.personal.devices import devices
    from graphmem.personal.entries import entries
    from graphmem.personal.logins import logins
    from graphmem.personal.passwords import passwords
    from graphmem.personal.shapes import shaped
    from graphmem.personal.stated import stated

    low = text.lower()
    answered = answer(text, before) if before is not None else ()
    told = (*stated(text, low, before), *passwords(text, low), *logins(text, low), *codes(text), *entries(text, low), *answered)
    detected = (*shaped(text, low), *credentials(text, low), *commands(text, low), *devices(text, low), *told)
    every = sorted(detected, key=lambda item: (item.start, -item.end))
    found: list[Found] = []
    for item in every:
        if is_blank(text[item.start : item.end]):
            continue
        if found and item.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, item.end))
        else:
            found.append(item)
    return found


def mask(text: str, *, before: str | None = None) -> tuple[str, list[Found]]:
    """The text with every secret masked, and what was masked where."""
    all_found: list[Found] = []
    for _ in range(_ROUNDS):
        found = secrets_in(text, before=before)
        if not found:
            break
        all_found += found
        text = _covered(text, found)
    return text, sorted(all_found, key=lambda item: item.start)


def _covered(text: str, found: Sequence[Found]) -> str:
    """The text with these places masked; they are in order and apart."""
    pieces: list[str] = []
    end = 0
    for item in found:
        pieces += (text[end : item.start], _COVERED.sub(MASK, text[item.start : item.end]))
        end = item.end
    return "".join((*pieces, text[end:]))


def masked(text: str, *, before: str | None = None) -> str:
    """The text with every secret masked."""
    return mask(text, before=before)[0]


class Masking(NamedTuple):
    """A conversation with its secrets masked: the texts, what was masked in each, and the secrets, for this call only."""

    texts: list[str]
    found: list[list[Found]]
    values: frozenset[str]

    def cover(self, text: str) -> str:
        """Another text with the secrets of this conversation masked, whatever stands beside them."""
        for value in sorted(self.values, key=len, reverse=True):
            text = text.replace(value, _COVERED.sub(MASK, value))
        return text

    def told_in(self, words: Iterable[str | None]) -> bool:
        """Whether something that was proposed about the conversation repeats a secret of it."""
        from graphmem.personal.values import is_strong

        strong = [value for value in self.values if is_strong(value)]
        return bool(strong) and any(value in word for word in words if word for value in strong)


def mask_talk(texts: Sequence[str]) -> Masking:
    """Mask the turns of a conversation, each in the light of those before it.

    A secret that was stated is masked where it is said again later, unless it is a plain word.  What comes later changes
    nothing before it, so a conversation that has grown keeps its earlier texts.
    """
    from graphmem.personal.values import is_strong

    done: list[str] = []
    places: list[list[Found]] = []
    values: set[str] = set()
    again: dict[str, re.Pattern[str]] = {}
    before: str | None = None
    for text in texts:
        new, found = mask(text, before=before)
        for item in found:
            value = text[item.start : item.end].strip()
            if MASK not in value:
                values.add(value)
                if is_strong(value) and item.kind != "private_key" and len(again) < REPEATS:
                    again.setdefault(value, re.compile(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])"))
        for pattern in again.values():
            repeated = [Found("repeated", *match.span()) for match in pattern.finditer(new)]
            if repeated:
                found += repeated
                new = _covered(new, repeated)
        done.append(new)
        places.append(found)
        before = new
    return Masking(done, places, frozenset(values))


def masked_values(value: Any, known: dict[str, str] | None = None) -> Any:
    """A JSON value with every text in it masked, ids and hashes as they are; the same object if there is no secret.

    Args:
        value: the value.
        known: texts and what they read masked, for values that repeat each other; it is added to.
    """
    # One quick look at all the texts together costs a fraction of one at each.
    return _masked_value(value, {} if known is None else known) if may_hold_secret("\n".join(_texts(value))) else value


def masked_again(text: str, known: dict[str, str]) -> str:
    """A text masked, looked through once however often it comes; `known` is added to."""
    if _PLAIN.fullmatch(text):
        return text
    if text not in known:
        known[text] = masked(text)
    return known[text]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if not name.isidentifier():  # the name of a field tells nothing
                yield name
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _masked_value(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, str):
        return masked_again(value, known)
    if isinstance(value, dict):
        pairs = [(name, item) for name, item in value.items()]
        made = [
            (masked_again(name, known), item if name in _KEPT and _is_id(item) else _masked_value(item, known))
            for name, item in pairs
        ]
        same = all(name is old and item is was for (name, item), (old, was) in zip(made, pairs, strict=True))
        return value if same else dict(made)
    if isinstance(value, list | tuple):
        items = [_masked_value(item, known) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else type(value)(items)
    return value


def _is_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z]+_[0-9a-f]{24}|[0-9a-f]{64}", value) is not None


def is_masked(text: str) -> bool:
    """Whether nothing of it is left to read but masks."""
    return MASK in text and is_blank(text)
