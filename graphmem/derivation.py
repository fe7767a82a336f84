"""What a derived statement rests on: the quotes of its sources, and an edge to each of them.

Invariant: a statement made of others brings no quote of its own; each of its quotes is one of theirs, in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from graphmem.model import Tier
from graphmem.records import EvidenceRecord, LinkRecord, key


def lent(quotes: Iterable[EvidenceRecord], id_: str, *, secret: str, **more: Any) -> list[EvidenceRecord]:
    """The quotes as those of a derived statement, each place once.

    Args:
        quotes: of its sources.
        id_: the derived statement's.
        secret: keys the ids.
        more: fields that differ from the sources' (extractor, tier, time of recording).
    """
    # When a source holds says nothing of when the derived statement does.
    more = {"statement": id_, "valid_from": None, "valid_to": None, "valid_granularity": None, **more}
    return [
        item.model_copy(update={"id": key("e", secret, id_, item.turn_key, str(item.start), str(item.end)), **more})
        for item in {(one.turn_key, one.start, one.end): one for one in quotes}.values()
    ]


def derived_from(
    sources: Iterable[str], id_: str, *, rule: str, tier: Tier, secret: str, now: datetime, said_at: datetime
) -> list[LinkRecord]:
    """An edge from the derived statement to each of its sources."""
    return [
        LinkRecord(
            id=key("l", secret, "DERIVED_FROM", id_, source),
            kind="DERIVED_FROM",
            source=id_,
            target=source,
            rule=rule,
            tier=tier,
            recorded_at=now,
            said_at=said_at,
        )
        for source in dict.fromkeys(sources)
    ]
