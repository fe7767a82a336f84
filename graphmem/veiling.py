"""What an export is made from, without its words: for an auditor who is to see that all holds, and not what it says.

Invariant: every id, time, role, tier and place stays as it is, and each text keeps its length, so that what can be checked
of the whole can be checked of this too.  The entries of the ledger, whose payloads hold the words, are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from graphmem.bundle import Bundle
from graphmem.graph.base import Node
from graphmem.model import Frozen
from graphmem.records import StatementRecord
from graphmem.showing import Shown
from graphmem.sight import is_special_record

M = TypeVar("M", bound=Frozen)


def veiled(bundle: Bundle, shown: Shown, veil: Callable[[str], str]) -> Bundle:
    """A bundle with its texts veiled.

    Args:
        bundle: what is to be handed out.
        shown: veils models.
        veil: gives a text of the same length.
    """

    def texts(record: M, *names: str) -> M:
        told = {name: getattr(record, name) for name in names}
        return record.model_copy(update={name: None if text is None else veil(text) for name, text in told.items()})

    def statement(record: StatementRecord) -> StatementRecord:
        hidden = ("predicate", "rule") if is_special_record(record) else ()
        named = texts(record, "text", "object", "context", "time_text", "object_key", "context_key", "replaces", *hidden)
        # A special relation is masked to one that says nothing.
        more = {"predicate": "note"} if hidden else {}
        own = record.subject == "user"
        subject = {} if own else {"subject": veil(record.subject), "subject_key": veil(record.subject_key)}
        return named.model_copy(update={**more, **subject, "content_hash": "", "details": {}})

    def node(item: Node) -> Node:
        retired = item.retirement
        return Node(
            record=statement(item.record),
            evidence=tuple(texts(one, "quote", "speaker") for one in item.evidence),
            links=item.links,
            retirement=None if retired is None else texts(retired, "reason"),
            confirmations=tuple(one.model_copy(update={"content_hash": ""}) for one in item.confirmations),
        )

    return replace(
        bundle,
        nodes=tuple(map(node, bundle.nodes)),
        turns=tuple(texts(turn, "text", "speaker") for turn in bundle.turns),
        sessions=tuple(texts(session, "topic", "channel") for session in bundle.sessions),
        entities=tuple(texts(entity, "name", "key") for entity in bundle.entities),
        statements=tuple(shown(one) for one in bundle.statements),
        contradictions=tuple(shown(one) for one in bundle.contradictions),
        ledger=(),
    )
