"""What only a restore needs to know of a record, beside what every reader of an export is told.

Invariant: together with the rest of the export these quads give every field of every record back, exactly; where the
export would say two different records in the same way, one of these tells them apart.
"""

from __future__ import annotations

from decimal import Decimal

from graphmem.rdf_quads import Quads
from graphmem.rdf_terms import OWNER, TIERS, TRUE, Iri, Value, instant, integer, term, text
from graphmem.records import EntityRecord, EvidenceRecord, LinkRecord, SameAsRecord, StatementRecord


def exact(value: float) -> Value:
    """A number as a decimal with all of its digits, so that it can be read back as it was."""
    digits = format(Decimal(repr(float(value))), "f")
    return Value(digits if "." in digits else digits + ".0", term("xsd:decimal"))


def of_statement(quads: Quads, iri: Iri, record: StatementRecord) -> None:
    """The keys that reconciliation compares, the place in the session, and what the record was admitted with."""
    graph = quads.memory
    quads.add(graph, iri, "gm:subjectKey", text(record.subject_key))
    quads.add(graph, iri, "gm:objectKey", text(record.object_key))
    if record.context_key:
        quads.add(graph, iri, "gm:contextKey", text(record.context_key))
    quads.add(graph, iri, "gm:order", integer(record.order))
    quads.add(graph, iri, "gm:admittedTier", TIERS[record.tier])
    quads.add(graph, iri, "gm:admittedConfidence", exact(record.confidence))
    quads.add(graph, iri, "gm:admittedImportance", exact(record.importance))
    quads.add(graph, iri, "gm:saidIn", quads.names.iri("session", record.session))
    began = quads.began.get(record.session)
    if began != record.session_started:
        quads.add(graph, iri, "gm:sessionStarted", instant(record.session_started))
    for kind, name in (("SUBJECT", "gm:subjectEntity"), ("OBJECT", "gm:objectEntity"), ("MENTIONS", "gm:mentionsEntity")):
        for entity in quads.ends.get((record.id, kind), ()):
            quads.add(graph, iri, name, quads.names.iri("entity", entity))


def of_bounds(quads: Quads, iri: Iri, item: StatementRecord | EvidenceRecord) -> None:
    """The word for the granularity, and an end that is no interval's."""
    if item.valid_granularity is not None:
        quads.add(quads.memory, iri, "gm:granularity", text(item.valid_granularity))
    if item.valid_to is not None and item.valid_from is not None and item.valid_to <= item.valid_from:
        quads.add(quads.memory, iri, "gm:validAt", instant(item.valid_to))


def of_evidence(quads: Quads, iri: Iri, item: EvidenceRecord) -> None:
    """Where a piece of evidence says something else than its message does."""
    graph, turn = quads.memory, quads.turns.get(item.turn_key)
    quads.add(graph, iri, "gm:admittedConfidence", exact(item.confidence))
    if turn is None or turn.time != item.said_at:
        quads.add(graph, iri, "gm:assertedAt", instant(item.said_at))
    if turn is not None and turn.speaker != item.speaker:
        quads.add(graph, iri, "gm:speakerName", text(item.speaker or ""))


def of_link(quads: Quads, iri: Iri, link: LinkRecord) -> None:
    """Which side of a contradiction came later, and what is not said of a change."""
    graph = quads.memory
    if link.kind == "CONTRADICTS":
        quads.add(graph, iri, "gm:raisedBy", quads.names.iri("statement", link.source))
    if link.granularity is not None:
        quads.add(graph, iri, "gm:granularity", text(link.granularity))
    if link.at is None and link.kind == "SUPERSEDES":
        quads.add(graph, iri, "gm:endIsImplied", TRUE)
    if link.at is not None and link.kind != "SUPERSEDES":
        quads.add(graph, iri, "gm:validAt", instant(link.at))
    if link.kind != "CONTRADICTS":
        for name, at in (("gm:overlapFrom", link.overlap_from), ("gm:overlapUntil", link.overlap_to)):
            if at is not None:
                quads.add(graph, iri, name, instant(at))


def of_entity(quads: Quads, entity: EntityRecord) -> None:
    """The key of an entity; the owner's has a node of its own beside the person."""
    graph, iri = quads.memory, quads.names.iri("entity", entity.id)
    quads.add(graph, iri, "gm:entityKey", text(entity.key))
    if (entity.type, entity.key) == ("person", OWNER):
        quads.classes(graph, iri, "gm:Entity", "prov:Entity")
        quads.add(graph, iri, "rdfs:label", text(entity.name))
        quads.add(graph, iri, "gm:entityType", text(entity.type))
        quads.add(graph, iri, "gm:standsFor", quads.names.person)


def of_pair(quads: Quads, iri: Iri, pair: SameAsRecord) -> None:
    """Which name is the lesser, whose words make the two one, and at which tier."""
    graph = quads.memory
    quads.add(graph, iri, "gm:lesser", quads.names.iri("entity", pair.source))
    quads.add(graph, iri, "gm:fuller", quads.names.iri("entity", pair.target))
    quads.add(graph, iri, "gm:saidBy", quads.names.iri("statement", pair.statement))
    quads.add(graph, iri, "gm:admittedTier", TIERS[pair.tier])
