"""Names that a claim makes one, as records between entities.

Invariant: the records follow from the claim alone; no entity is looked up, so what it costs does not grow with the memory.
An entity's key is the one that statements about it have as their subject: what belongs to a speaker's people is theirs.
"""

from __future__ import annotations

from graphmem.canonical import name_key, object_key
from graphmem.extractors.base import USER, Claim
from graphmem.extractors.identities import of_claim
from graphmem.records import EntityRecord, SameAsRecord, StatementRecord, key


def same_as_of(
    claim: Claim, record: StatementRecord, *, speaker: str, secret: str
) -> tuple[tuple[EntityRecord, ...], tuple[SameAsRecord, ...]]:
    """The entities that a claim's words make one, and the edges between them, which rest on the claim's statement.

    Args:
        claim: what was admitted.
        record: the statement it became.
        speaker: key of the one whose people it names: "user", or another speaker of the session.
        secret: keys the ids.
    """
    found: dict[str, EntityRecord] = {}
    edges: dict[tuple[str, str], SameAsRecord] = {}

    def entity(name: str, type_: str) -> EntityRecord:
        identity = object_key(name)
        if type_ in ("person", "pet"):
            identity = speaker if name == USER else f"{speaker}/{name_key(name)}"
            type_ = "thing" if type_ == "pet" else type_
        return EntityRecord(id=key("n", secret, type_, identity), name=name, type=type_, key=identity)

    for item in of_claim(claim):
        source, target = entity(item.source, item.type), entity(item.target, item.type)
        if source.id == target.id:
            continue
        found.setdefault(source.id, source)
        found.setdefault(target.id, target)
        edges.setdefault(
            (source.id, target.id),
            SameAsRecord(
                source=source.id, target=target.id, tier=record.tier, rule=item.rule, recorded_at=record.recorded_at,
                statement=record.id,
            ),
        )  # fmt: skip
    return tuple(found.values()), tuple(edges.values())
