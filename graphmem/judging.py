"""What becomes of each claim about a session: it is grounded in its quote, counted against the limits, and admitted or refused.

Invariant: every claim gets exactly one answer, in the order of the claims; a refusal shows no secret, and a claim whose words
do not stand where it says shows none at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.admission import Admission, Admitted
from graphmem.extractors.base import Claim
from graphmem.grounding import ground, refused
from graphmem.limits import Quota
from graphmem.model import Rejection, Session
from graphmem.personal.masks import Masking


def judge(
    claims: Sequence[Claim], session: Session, admission: Admission, masking: Masking, quota: Quota, *, standing: bool
) -> list[tuple[Claim, Admitted | Rejection]]:
    """Each claim with what becomes of it.

    Args:
        claims: what is proposed.
        session: with its words as they are kept.
        admission: admits what is grounded.
        masking: knows the secrets of the session.
        quota: what is left for it.
        standing: whether the words of the claims cannot have gone since they were read.
    """
    results: list[tuple[Claim, Admitted | Rejection]] = []
    for claim in claims:
        if not standing and not stands(claim, session):
            # Invented, or erased since it was read: it counts, and its words are not kept.
            known = claim.turn if any(turn.id == claim.turn for turn in session.turns) else ""
            gone = Rejection(reason="quote_not_found", quote="", session=session.id, turn=known, rule=claim.rule)
            results.append((claim, gone))
            continue
        grounded = refused("secret", claim, session) if masking.told_in(_words(claim)) else ground(claim, session)
        if isinstance(grounded, Rejection):
            result: Admitted | Rejection = grounded
        elif quota.left(grounded.role) <= 0:
            result = quota.over(claim.turn, claim.quote, claim.rule)
        else:
            result = admission.admit(grounded)
        if isinstance(result, Rejection):
            result = result.model_copy(update={"quote": masking.cover(result.quote)})
        else:
            quota.take(result.evidence.role)
        results.append((claim, result))
    return results


def stands(claim: Claim, session: Session) -> bool:
    """Whether the quote still stands where it was found."""
    return any(turn.id == claim.turn and turn.text[claim.start : claim.end] == claim.quote for turn in session.turns)


def _words(claim: Claim) -> list[str | None]:
    return [claim.quote, claim.subject, claim.object, claim.context, claim.replaces, *map(str, claim.details.values())]
