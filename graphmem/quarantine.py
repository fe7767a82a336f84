"""Claims that wait for the owner because others' words were shaped like instructions or made to look like other words.

Invariant: nothing in quarantine is retrieved; it is listed, with its quote and the reason.  The owner releases it to a mere
suggestion, confirms it, or erases it; whatever is done rests on the text that was shown.  A released claim is a statement of
its own on the same quote: the one that waited stays as it was recorded, withdrawn.
"""

from __future__ import annotations

from graphmem.acts import withdrawal
from graphmem.embed import Embedder
from graphmem.embedding import vectors_of
from graphmem.errors import HashMismatch, InputError
from graphmem.graph.base import Node
from graphmem.ledger import Draft
from graphmem.records import QUARANTINE, key
from graphmem.space import Space

REASON = "released from quarantine"


def release(space: Space, node: Node, *, status: str, content_hash: str, embedder: Embedder) -> str:
    """Let a claim out of quarantine, as a suggestion and no more; returns the id of the statement that it is from now on.

    Raises:
        InputError: it is not in quarantine.
        HashMismatch: another text was shown.
    """
    old = node.record
    if status != "quarantined":
        raise InputError(f"statement {old.id} is not in quarantine: see `graphmem quarantine` for what is")
    if content_hash != old.content_hash:
        raise HashMismatch(
            f"the content hash does not match statement {old.id}: read it again and release the text as it is now"
        )
    now, secret = space.ledger.now(), space.ledger.secret
    details = {name: value for name, value in old.details.items() if name != QUARANTINE}
    made = old.model_copy(
        update={"id": key("s", secret, old.id, "released"), "details": details, "recorded_at": now, "tier": "inferred"}
    )
    evidence = [
        item.model_copy(update={"id": key("e", secret, made.id, item.id), "statement": made.id, "recorded_at": now})
        for item in node.evidence
    ]
    mentions = [one.model_copy(update={"statement": made.id}) for one in space.graph.mentions() if one.statement == old.id]
    delta = {
        "statements": [made.model_dump(mode="json")],
        "evidence": [item.model_dump(mode="json") for item in evidence],
        "mentions": [item.model_dump(mode="json") for item in mentions],
    }
    drafts = [Draft("statement recorded", (made.id, made.session), {"delta": delta}), *withdrawal(space, node, REASON, now)]
    space.write(f"release/{old.id}", drafts, vectors_of(embedder, (), set(), [made], drafts), at=now)
    return made.id
