"""Statements and conclusions as RDF: what was said, what was concluded, and what follows at one moment.

Invariant: a statement node only describes a claim (`rdf:subject`, `rdf:predicate`, `rdf:object`); a claim is
asserted as a plain triple in the graph `current` alone, and only while it is held, undisputed and not
negated.  What the system concluded is a node of its own with a recorded and a retired time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from itertools import combinations

from graphmem.entities import directory_of, names_of
from graphmem.graph.base import Node
from graphmem.model import Statement, iso
from graphmem.ontology import relation
from graphmem.rdf_fields import of_bounds, of_evidence, of_link, of_pair, of_statement
from graphmem.rdf_quads import Quads
from graphmem.rdf_terms import (
    EVIDENCE_KINDS,
    KIND_CLASS,
    LINK_ENDS,
    MODALITIES,
    NOT_AFTER,
    ROLES,
    STATUSES,
    TENSES,
    TIERS,
    TRUE,
    Iri,
    Quad,
    decimal,
    edtf,
    instant,
    position,
    precision,
    term,
    text,
)
from graphmem.records import EvidenceRecord, LinkRecord, StatementRecord, key
from graphmem.rivals import exclusion

CONTEXT_LENGTH = 64
_SHORTCUTS = {"SUPERSEDES": "gm:supersedes", "REFINES": "gm:refines", "CONTRADICTS": "gm:contradicts"}


def describe(quads: Quads, node: Node) -> None:
    """Add a statement as its source gave it, with its evidence and its retirement."""
    record, view = node.record, quads.views[node.record.id]
    graph, iri = quads.memory, quads.names.iri("statement", record.id)
    quads.add(graph, iri, "rdf:type", KIND_CLASS[record.kind], term("rdf:Statement"), term("prov:Entity"))
    quads.classes(graph, iri, _personal_data(node, view))
    if record.sensitivity == "special":
        quads.classes(graph, iri, "dpv:SpecialCategoryPersonalData")
    subject, value = quads.subject_of(record), quads.object_of(record)
    quads.add(graph, iri, "rdf:subject", subject)
    quads.add(graph, iri, "rdf:predicate", quads.names.predicate(record.predicate))
    quads.add(graph, iri, "rdf:object", value)
    quads.add(graph, iri, "rdfs:label", text(record.text))
    quads.add(graph, iri, "gm:subjectText", text(record.subject))
    quads.add(graph, iri, "gm:objectText", text(record.object))
    for entity in quads.ends.get((record.id, "MENTIONS"), ()):
        quads.add(graph, iri, "gm:mentions", quads.entities[entity])
    _qualifiers(quads, iri, record)
    of_statement(quads, iri, record)
    _bounds(quads, iri, record)
    over = record.temporal in ("past", "ended") and record.valid_to is None
    if over and (record.valid_from is None or record.valid_from < record.asserted_at):
        # "I used to": over by then, but nobody said since when.
        quads.add(graph, iri, "gm:validUntil", instant(record.asserted_at))
        quads.add(graph, iri, "gm:validUntilPrecision", NOT_AFTER)
        quads.add(graph, iri, "gm:endIsImplied", TRUE)
    quads.add(graph, iri, "gm:assertedAt", instant(record.asserted_at))
    quads.add(graph, iri, "prov:generatedAtTime", instant(record.recorded_at))
    quads.add(graph, iri, "prov:wasGeneratedBy", quads.run(record.extractor, record.recorded_at))
    for item in node.evidence:
        quads.add(graph, iri, "prov:wasDerivedFrom", _evidence(quads, item, record))
    for confirmation in node.confirmations:
        mark = quads.names.iri("evidence", key("c", record.id, iso(confirmation.at), confirmation.actor))
        quads.add(graph, iri, "prov:wasDerivedFrom", mark)
        quads.classes(graph, mark, "gm:OwnerConfirmation", "prov:Entity")
        quads.add(graph, mark, "gm:evidenceKind", EVIDENCE_KINDS["confirmed"])
        quads.add(graph, mark, "gm:contentHash", text(confirmation.content_hash))
        quads.add(graph, mark, "prov:generatedAtTime", instant(confirmation.at))
        act = quads.act(confirmation.actor, confirmation.at, "confirm")
        quads.add(graph, mark, "prov:wasGeneratedBy", act)
    _retired(quads, iri, node)


def _qualifiers(quads: Quads, iri: Iri, record: StatementRecord) -> None:
    graph = quads.memory
    if record.polarity == "negative":
        quads.add(graph, iri, "gm:negated", TRUE)
    if record.modality in MODALITIES:
        quads.add(graph, iri, "gm:modality", MODALITIES[record.modality])
    if record.temporal in TENSES:
        quads.add(graph, iri, "gm:tense", TENSES[record.temporal])
    if record.context is not None:
        scope = quads.names.iri("context", record.context)
        quads.add(graph, iri, "gm:appliesIn" if record.kind == "preference" else "gm:scope", scope)
        quads.classes(graph, scope, "skos:Concept")
        quads.add(graph, scope, "skos:prefLabel", text(record.context))
    words: dict[str, str | None] = {
        "gm:validTimeText": record.time_text,
        "gm:timeModifier": record.modifier,
        "gm:cue": record.cue,
        "gm:replaces": record.replaces,
    }
    if record.details:
        words["gm:details"] = json.dumps(record.details, sort_keys=True, ensure_ascii=False)
    for name, value in words.items():
        if value is not None:
            quads.add(graph, iri, name, text(value))
    quads.add(graph, iri, "gm:rule", text(record.rule))
    quads.add(graph, iri, "gm:sensitivity", text(record.sensitivity))
    quads.add(graph, iri, "gm:contentHash", text(record.content_hash))


def _bounds(quads: Quads, iri: Iri, item: StatementRecord | EvidenceRecord) -> None:
    graph, modifier = quads.memory, item.modifier if isinstance(item, StatementRecord) else None
    grain = precision(item.valid_granularity)
    of_bounds(quads, iri, item)
    if item.valid_from is not None:
        quads.add(graph, iri, "gm:validFrom", instant(item.valid_from))
        quads.add(graph, iri, "gm:validFromPrecision", grain)
        word = edtf(item.valid_from, item.valid_granularity, modifier)
        if word is not None:
            quads.add(graph, iri, "gm:validFromEdtf", word)
    # An interval without length is an instant, which its start and precision already say.
    if item.valid_to is not None and (item.valid_from is None or item.valid_from < item.valid_to):
        # "in 2015" ends with the unit at the latest; only "until June" has an end as coarse as its unit.
        within = item.valid_from is not None and modifier not in ("until", "before")
        said = item.asserted_at if isinstance(item, StatementRecord) else item.said_at
        by_then = item.valid_to == said or (within and item.valid_granularity is not None)
        quads.add(graph, iri, "gm:validUntil", instant(item.valid_to))
        quads.add(graph, iri, "gm:validUntilPrecision", NOT_AFTER if by_then else grain)


def _evidence(quads: Quads, item: EvidenceRecord, record: StatementRecord) -> Iri:
    graph, iri = quads.memory, quads.names.iri("evidence", item.id)
    message = quads.names.iri("message", item.turn_key)
    quads.classes(graph, iri, "gm:Evidence", "oa:SpecificResource", "prov:Entity")
    quads.add(graph, iri, "oa:hasSource", message)
    quads.add(graph, iri, "prov:wasQuotedFrom", message)
    quads.add(graph, iri, "gm:evidenceKind", EVIDENCE_KINDS[item.tier])
    quads.add(graph, iri, "gm:speakerRole", ROLES[item.role])
    quads.add(graph, iri, "gm:confidence", decimal(item.confidence))
    quads.add(graph, iri, "prov:generatedAtTime", instant(item.recorded_at))
    run = quads.run(item.extractor, item.recorded_at)
    quads.add(graph, iri, "prov:wasGeneratedBy", run)
    quads.add(quads.log, run, "prov:used", message)
    of_evidence(quads, iri, item)
    told, first = ((one.valid_from, one.valid_to, one.valid_granularity) for one in (item, record))
    if told != first:
        quads.add(graph, iri, "gm:hasOwnTime", TRUE)
        _bounds(quads, iri, item)
    quoted, placed = (quads.names.iri("selector", f"{letter}-{item.id}") for letter in "qp")
    quads.add(graph, iri, "oa:hasSelector", quoted, placed)
    quads.classes(graph, quoted, "oa:TextQuoteSelector")
    quads.add(graph, quoted, "oa:exact", text(item.quote))
    turn = quads.turns.get(item.turn_key)
    if turn is not None:
        before = turn.text[max(0, item.start - CONTEXT_LENGTH) : item.start]
        quads.add(graph, quoted, "oa:prefix", text(before))
        quads.add(graph, quoted, "oa:suffix", text(turn.text[item.end : item.end + CONTEXT_LENGTH]))
    quads.classes(graph, placed, "oa:TextPositionSelector")
    quads.add(graph, placed, "oa:start", position(item.start))
    quads.add(graph, placed, "oa:end", position(item.end))
    return iri


def _retired(quads: Quads, iri: Iri, node: Node) -> None:
    graph, corrections = quads.memory, _live(node, "CORRECTS")
    for link in corrections:
        if link.source == node.record.id and link.target in quads.records:
            quads.add(graph, iri, "prov:wasRevisionOf", quads.names.iri("statement", link.target))
    wrong = [link.recorded_at for link in corrections if link.target == node.record.id]
    if node.retirement is not None:
        retirement = node.retirement
        quads.add(graph, iri, "prov:invalidatedAtTime", instant(retirement.at))
        quads.add(graph, iri, "gm:retirementReason", term("gm:WithdrawnByUser"))
        quads.add(graph, iri, "gm:retirementNote", text(retirement.reason))
        quads.add(graph, iri, "prov:wasInvalidatedBy", quads.act(retirement.actor, retirement.at, "retract"))
    elif wrong:
        quads.add(graph, iri, "prov:invalidatedAtTime", instant(min(wrong)))
        quads.add(graph, iri, "gm:retirementReason", term("gm:Corrected"))
        quads.add(graph, iri, "prov:wasInvalidatedBy", quads.reconciliation(min(wrong)))


def conclude(quads: Quads, link: LinkRecord, retired: datetime | None) -> None:
    """Add a conclusion about two statements, and while it holds its shortcut."""
    graph, iri = quads.memory, quads.names.iri("conclusion", link.id)
    name, newer, older = LINK_ENDS[link.kind]
    source, target = (quads.names.iri("statement", end) for end in (link.source, link.target))
    quads.add(graph, iri, newer, source)
    quads.add(graph, iri, older, target)
    _concluded(quads, iri, name, link.recorded_at, (source, target), link.rule)
    quads.add(graph, iri, "gm:tier", TIERS[link.tier])
    quads.add(graph, iri, "gm:assertedAt", instant(link.said_at))
    of_link(quads, iri, link)
    if link.kind == "SUPERSEDES":
        at = link.at or link.said_at
        # A change without a date of its own had happened by the time it was mentioned.
        unknown = link.granularity is None and at == link.said_at
        quads.add(graph, iri, "gm:changeAt", instant(at))
        quads.add(graph, iri, "gm:changeAtPrecision", NOT_AFTER if unknown else precision(link.granularity))
    if link.kind == "CONTRADICTS":
        quads.add(graph, iri, "gm:clashKind", _clash(quads, link))
        quads.add(graph, iri, "gm:resolution", term("gm:Open" if retired is None else "gm:Resolved"))
        note = next((item.resolution for item in quads.bundle.contradictions if item.id == link.id), None)
        if note is not None:
            quads.add(graph, iri, "gm:resolutionNote", text(note))
        if link.overlap_from is not None:
            quads.add(graph, iri, "gm:overlapFrom", instant(link.overlap_from))
        if link.overlap_to is not None:
            quads.add(graph, iri, "gm:overlapUntil", instant(link.overlap_to))
    if retired is not None:
        quads.add(graph, iri, "prov:invalidatedAtTime", instant(retired))
        quads.add(graph, iri, "gm:retirementReason", term("gm:NoLongerFollows"))
        quads.add(graph, iri, "prov:wasInvalidatedBy", quads.reconciliation(retired))
    elif link.kind in _SHORTCUTS:
        quads.add(quads.derived, source, _SHORTCUTS[link.kind], target)
        if link.kind == "CONTRADICTS":
            quads.add(quads.derived, target, "gm:contradicts", source)
    elif link.kind == "DERIVED_FROM":
        quads.add(graph, source, "prov:wasDerivedFrom", target)


def stand_beside(quads: Quads) -> None:
    """Say of which current values of a one-valued relation in one scope it was judged that they may stand side by side."""
    rows: dict[tuple[str, ...], list[StatementRecord]] = {}
    for node in quads.bundle.nodes:
        record = node.record
        held = quads.views[record.id].status == "current" and record.polarity == "positive" and record.modality == "asserted"
        if held and relation(record.predicate).cardinality == "one":
            rows.setdefault((record.subject_key, record.predicate, record.context_key), []).append(record)
    for records in rows.values():
        for one, other in combinations(sorted(records, key=lambda record: record.id), 2):
            if exclusion(one, other) is None and quads.object_of(one) != quads.object_of(other):
                first, second = (quads.names.iri("statement", record.id) for record in (one, other))
                quads.add(quads.derived, first, "gm:standsBeside", second)


def relate(quads: Quads) -> None:
    """Add what the words of statements make one, and what follows from it: the entities that are one, and their names."""
    shown = directory_of(quads.bundle.entities, quads.bundle.same_as, quads.bundle.statements)
    counted = {(item.statement, item.source, item.target) for item in shown.names.standing}
    for pair in quads.bundle.same_as:
        if pair.source not in quads.entities or pair.target not in quads.entities:
            continue
        # Not owl:sameAs: to a reasoner that would make the two one for good, and a retraction parts them again.
        iri = quads.names.iri("conclusion", key("i", pair.source, pair.target, pair.statement))
        basis = quads.names.iri("statement", pair.statement)
        both = (quads.entities[pair.source], quads.entities[pair.target])
        quads.add(quads.memory, iri, "gm:sameThing", *both)
        stands = (pair.statement, pair.source, pair.target) in counted
        _concluded(quads, iri, "gm:Identity" if stands else "gm:PossibleIdentity", pair.recorded_at, (*both, basis), pair.rule)
        view = quads.views[pair.statement]
        quads.add(quads.memory, iri, "gm:tier", TIERS[view.tier])
        of_pair(quads, iri, pair)
        if view.retracted_at is not None:
            quads.add(quads.memory, iri, "prov:invalidatedAtTime", instant(max(view.retracted_at, pair.recorded_at)))
        if stands and shown.names.merged(pair):
            quads.add(quads.derived, both[0], "gm:isOneWith", both[1])
            quads.add(quads.derived, both[1], "gm:isOneWith", both[0])
    iris = {shown.names.cells[id_]: iri for id_, iri in sorted(quads.entities.items())}
    for group, (name, aliases) in names_of(shown).items():
        for cell in sorted(group & iris.keys()):
            quads.add(quads.derived, iris[cell], "skos:prefLabel", text(name))
            for alias in aliases:
                label = "skos:altLabel" if alias.status == "current" else "skos:hiddenLabel"
                quads.add(quads.derived, iris[cell], label, text(alias.name))


def _concluded(quads: Quads, iri: Iri, name: str, at: datetime, basis: Iterable[Iri], rule: str) -> None:
    quads.classes(quads.memory, iri, name, "prov:Entity")
    quads.add(quads.memory, iri, "prov:wasDerivedFrom", *basis)
    quads.add(quads.memory, iri, "prov:generatedAtTime", instant(at))
    quads.add(quads.memory, iri, "prov:wasGeneratedBy", quads.reconciliation(at))
    quads.add(quads.memory, iri, "gm:rule", text(rule))


def _clash(quads: Quads, link: LinkRecord) -> Iri:
    one, other = quads.records[link.source], quads.records[link.target]
    if one.predicate != other.predicate:
        return term("gm:DisjointClash")
    return term("gm:PolarityClash" if one.polarity != other.polarity else "gm:SingleValueClash")


def derive(quads: Quads, node: Node) -> None:
    """Add what follows for a statement as of the moment of the export."""
    record, view = node.record, quads.views[node.record.id]
    graph, iri = quads.derived, quads.names.iri("statement", record.id)
    disputed = view.status == "current" and bool(view.contradicts)
    quads.add(graph, iri, "gm:status", term("gm:Disputed") if disputed else STATUSES[view.status])
    quads.add(graph, iri, "gm:tier", TIERS[view.tier])
    quads.add(graph, iri, "gm:confidence", decimal(view.confidence))
    quads.add(graph, iri, "gm:importance", decimal(view.importance))
    if view.valid_from is not None:
        quads.add(graph, iri, "gm:effectiveFrom", instant(view.valid_from))
    if view.valid_to is not None:
        quads.add(graph, iri, "gm:effectiveUntil", instant(view.valid_to))
    coarse = any(link.target == record.id for link in _live(node, "REFINES"))
    plain = record.polarity == "positive" and record.modality == "asserted"
    held = view.status == "current" and view.tier != "inferred" and not disputed and not coarse
    if held and plain and record.kind in ("fact", "preference"):
        predicate = quads.names.predicate(record.predicate)
        quad = Quad(quads.current, quads.subject_of(record), predicate, quads.object_of(record))
        quads.quads[quad] = None


def _live(node: Node, kind: str) -> list[LinkRecord]:
    return [link for link, retired in node.links if link.kind == kind and retired is None]


def _personal_data(node: Node, view: Statement) -> str:
    if view.tier == "inferred":
        return "dpv:InferredPersonalData"
    if any(link.source == node.record.id for link in _live(node, "DERIVED_FROM")):
        return "dpv:DerivedPersonalData"
    return "dpv:ProvidedPersonalData"
