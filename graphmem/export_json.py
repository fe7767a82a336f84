"""An export as one JSON document: the public models, and the records that a restore is made from.

Invariant: the digest is taken over everything that a restore reads, so that a document that was altered is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from graphmem import __version__
from graphmem.bundle import Bundle
from graphmem.chain import Row
from graphmem.entities import directory_of, entities_of
from graphmem.model import Frozen, Session, Turn, iso
from graphmem.records import LinkRetired, TurnRecord

# Whose memory it is and what it says of itself count as well: by them an export finds its place and what was erased since.
_READ = (
    "user", "space", "profile", "exported_at", "ledger_head", "sessions", "positions", "recorded_at", "records", "ledger",
)  # fmt: skip
GONE = "no longer follows"  # why a conclusion was given up is in the ledger alone


def document(bundle: Bundle, profile: str) -> bytes:
    """Write a bundle that holds exactly what is to be shown."""
    found = _public(bundle, profile) | {"records": _records(bundle)}
    if profile == "audit":
        found["ledger"] = [_row(row) for row in bundle.ledger]
    found["digest"] = digest_of(found)
    return (json.dumps(found, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 over all that a restore reads; what only shows the same again in another form is left out."""
    held = {name: document[name] for name in _READ if name in document}
    return sha256(json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")).hexdigest()


def _records(bundle: Bundle) -> dict[str, Any]:
    """What a restore reads: the records as the ledger holds them, where the public models say what follows from them."""
    links = {link.id: (link, gone) for node in bundle.nodes for link, gone in node.links}
    shown = {node.record.id for node in bundle.nodes}
    kept = [(link, gone) for link, gone in links.values() if link.source in shown and link.target in shown]
    parts: dict[str, Iterable[Frozen]] = {
        "statements": (node.record for node in bundle.nodes),
        "evidence": (item for node in bundle.nodes for item in node.evidence),
        "links": (link for link, _ in kept),
        "links_retired": (LinkRetired(link=link.id, at=gone, reason=GONE) for link, gone in kept if gone is not None),
        "retirements": (node.retirement for node in bundle.nodes if node.retirement is not None),
        "confirmations": (item for node in bundle.nodes for item in node.confirmations),
        "entities": bundle.entities,
        "mentions": bundle.mentions,
        "same_as": bundle.same_as,
    }
    return {name: [item.model_dump(mode="json") for item in items] for name, items in parts.items()}


def _row(row: Row) -> dict[str, Any]:
    return {
        "seq": row.seq, "id": row.id, "operation": row.operation, "at": row.at, "actor": row.actor, "role": row.role,
        "type": row.type, "subjects": list(row.subjects), "commitment": row.commitment, "hash": row.hash,
        "salt": None if row.salt is None else row.salt.hex(), "payload": row.body,
    }  # fmt: skip


def _public(bundle: Bundle, profile: str) -> dict[str, Any]:
    turns: dict[str, list[TurnRecord]] = {}
    for turn in sorted(bundle.turns, key=lambda item: (item.session, item.position)):
        turns.setdefault(turn.session, []).append(turn)
    sessions = [
        Session(
            id=session.id,
            started=session.started,
            ended=session.ended,
            topic=session.topic,
            channel=session.channel,
            offset_minutes=session.offset_minutes,
            turns=tuple(
                Turn(
                    id=turn.id,
                    role=turn.role,
                    speaker=turn.speaker,
                    text=turn.text,
                    time=turn.time,
                    spans=turn.spans,
                )
                for turn in turns.get(session.id, ())
            ),
        )
        for session in bundle.sessions
    ]
    entities = entities_of(directory_of(bundle.entities, bundle.same_as, bundle.statements), bundle.mentions)
    return {
        "graphmem": __version__,
        "user": bundle.user,
        "space": bundle.space,
        "profile": profile,
        "exported_at": iso(bundle.exported_at or bundle.known_at),
        "as_of": iso(bundle.at),
        "known_at": iso(bundle.known_at),
        "ledger_head": bundle.ledger_head,
        "left_out": {"statements": bundle.statements_left_out, "turns": bundle.turns_left_out},
        "omissions": [{"what": o.what, "reason": o.reason, "count": o.number, "ids": list(o.ids)} for o in bundle.left_out],
        "erasures": [{"at": iso(e.at), "statements": e.statements, "turns": e.turns} for e in bundle.erasures],
        "sessions": [session.model_dump(mode="json") for session in sessions],
        "positions": {session.id: [turn.position for turn in turns.get(session.id, ())] for session in bundle.sessions},
        "recorded_at": {session.id: iso(session.recorded_at) for session in bundle.sessions},
        "statements": [view.model_dump(mode="json") for view in bundle.statements],
        "contradictions": [item.model_dump(mode="json") for item in bundle.contradictions],
        "entities": [item.model_dump(mode="json") for item in entities],
    }
