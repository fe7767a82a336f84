"""What the claims of one turn do to each other: said twice is one claim, denied and put right is a correction.

Invariant: merging never changes what was claimed, only drops repetitions and adds the cue that two claims give together.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.extractors.base import Claim
from graphmem.validity import BEGINNING

_VALUED = frozenset({"lives_in", "works_at", "has_job", "name", "born_on", "works_on", "studies_at", "age"})


def once(claims: Sequence[Claim]) -> list[Claim]:
    """Said three times in one breath is one claim, unless two of them name times or deadlines that lie apart."""
    seen: dict[tuple[object, ...], list[Claim]] = {}
    raised = {_bare(claim.object) for claim in claims if claim.predicate == "lives_in" and claim.temporal == "past"}
    result = []
    for claim in claims:
        if claim.predicate == "origin" and _bare(claim.object) in raised:
            # "born and raised in Leeds" tells one thing.
            continue
        scope = (claim.context or "").lower()
        kind = "state" if claim.kind in ("fact", "preference") else claim.kind
        key = (kind, claim.subject.lower(), claim.predicate, _bare(claim.object), claim.polarity, claim.temporal, scope)
        told = seen.setdefault((*key, claim.done), [])
        if all(_lie_apart(claim, other) for other in told):
            told.append(claim)
            result.append(claim)
    return result


def _lie_apart(left: Claim, right: Claim) -> bool:
    """Whether two claims of one value are of two times: "from 2010 to 2012 and from 2015 to 2017"."""
    due = left.details.get("due"), right.details.get("due")
    if left.kind == "open_item" and None not in due:
        return due[0] != due[1]
    if left.kind == "episode" or left.time is None or right.time is None:
        return False
    first, last = sorted((left.time, right.time), key=lambda value: value.start or BEGINNING)
    return first.end is not None and last.start is not None and first.end < last.start


def corrected(claims: Sequence[Claim]) -> list[Claim]:
    """As in "I don't live in Oslo, I live in Moss": a denial followed by another value of the relation is a correction."""
    result = list(claims)
    for n in range(1, len(result)):
        old, new = result[n - 1], result[n]
        if _puts_right(old, new):
            result[n - 1] = old.model_copy(update={"cue": "correction"})
            result[n] = new.model_copy(update={"cue": "correction", "replaces": old.object})
    return result


def _puts_right(old: Claim, new: Claim) -> bool:
    same = (old.kind, old.predicate, old.subject) == (new.kind, new.predicate, new.subject)
    if not same or old.predicate not in _VALUED or new.replaces is not None:
        return False
    turned = old.polarity == "negative" and new.polarity == "positive"
    return turned and old.temporal == new.temporal == "current" and 0 <= new.start - old.end <= 12


def _bare(text: str) -> str:
    parts = text.lower().split()
    while len(parts) > 1 and parts[0] in ("a", "an", "the", "my", "our"):
        parts = parts[1:]
    return " ".join(parts).strip(" .,!")
