"""An export in RDF read back into records: the inverse of `rdf_statements`, field by field.

Invariant: what is read here is what was written; what the export shows only as derived (status, tier, shortcuts) is not
read at all, for it follows from the records.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from graphmem.chain import Row
from graphmem.errors import InputError
from graphmem.held import Held, placed
from graphmem.model import iso
from graphmem.ontology import relations
from graphmem.rdf_sheet import Sheet, plain
from graphmem.rdf_terms import (
    EVIDENCE_KINDS,
    KIND_CLASS,
    LINK_ENDS,
    MODALITIES,
    PROFILES,
    ROLES,
    TENSES,
    TIERS,
    registered,
    term,
)
from graphmem.records import Delta, TurnRecord

if TYPE_CHECKING:
    from rdflib import Dataset

_MENTIONS = {"SUBJECT": "gm:subjectEntity", "OBJECT": "gm:objectEntity", "MENTIONS": "gm:mentionsEntity"}


def records(data: Dataset, source: str) -> Held | None:
    """Read an export; None if there is no record of one in the file.

    Raises:
        InputError: there are several, or something in it has not the form of one.
    """
    sheet = Sheet(data, source)
    found = sheet.of_class("gm:Export")
    if not found:
        return None
    if len(found) > 1:
        raise InputError(f"{source} holds {len(found)} exports: restore them one by one")
    node = found[0]
    person = sheet.one(node, "dpv:hasDataSubject")
    try:
        delta = Delta.model_validate({"seq": 0, **_delta(sheet)})
        ledger = tuple(_row(sheet, entry) for entry in sheet.of_class("gm:LedgerEntry"))
        exported_at, known_at = (iso(datetime.fromisoformat(sheet.one(node, at))) for at in ("dcterms:issued", "gm:knownAt"))
    except (ValidationError, ValueError, OverflowError) as error:
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{source} has a record that is none ({said}): give a file that `graphmem export` wrote") from error
    return Held(
        user=sheet.one(person, "dcterms:identifier"),
        space=sheet.one(node, "gm:space"),
        profile=str(sheet.word(node, "gm:profile", PROFILES)),
        exported_at=exported_at,
        known_at=known_at,
        digest=sheet.one(node, "gm:digest"),
        found=_digest(data, source),
        head=sheet.one(node, "gm:ledgerHead"),
        delta=delta,
        ledger=tuple(sorted(ledger, key=lambda row: row.seq)),
    )


def _digest(data: Dataset, source: str) -> str:
    from graphmem import rdf

    try:
        return rdf.digest(data)
    except Exception as error:  # the library raises nothing more special for an IRI that it reads and cannot write
        said = " ".join(str(error).split())[:160]
        raise InputError(f"{source} was altered: it holds a name that is none ({said}); take another copy of it") from error


def predicate_of(iri: str) -> str:
    """The name of a relation: of the table, or a user's own."""
    return _registered().get(iri) or plain(iri)


@cache
def _registered() -> dict[str, str]:
    return {registered(name): name for name in relations()}


def _delta(sheet: Sheet) -> dict[str, Any]:
    sessions = {node: _session(sheet, node) for node in sheet.of_class("gm:Session")}
    turns = {node: _turn(sheet, node, sessions) for node in sheet.of_class("gm:Message")}
    by_session: dict[str, list[TurnRecord]] = {}
    for turn in turns.values():
        by_session.setdefault(turn.session, []).append(turn)
    delta: dict[str, Any] = {name: [] for name in Delta.model_fields if name not in ("seq", "hash", "vectors")}
    delta["sessions"] = list(sessions.values())
    delta["turns"] = [turn for name in sorted(by_session) for turn in placed(by_session[name])]
    for node in sheet.of_class("gm:Entity"):
        if sheet.get(node, "gm:entityKey") is not None:
            delta["entities"].append(
                {
                    "id": plain(node), "name": sheet.one(node, "rdfs:label"), "type": sheet.one(node, "gm:entityType"),
                    "key": sheet.one(node, "gm:entityKey"),
                }
            )  # fmt: skip
    for node in sheet.of_class(*(f"gm:{iri.rsplit('#', 1)[1]}" for iri in KIND_CLASS.values())):
        _statement(sheet, node, sessions, turns, delta)
    for kind, (name, newer, older) in LINK_ENDS.items():
        for node in sheet.of_class(name):
            _link(sheet, node, kind, "gm:raisedBy" if newer == older else newer, older, delta)
    for node in sheet.of_class("gm:Identity", "gm:PossibleIdentity"):
        delta["same_as"].append(
            {
                "source": plain(sheet.one(node, "gm:lesser")), "target": plain(sheet.one(node, "gm:fuller")),
                "tier": sheet.word(node, "gm:admittedTier", TIERS), "rule": sheet.one(node, "gm:rule"),
                "recorded_at": sheet.one(node, "prov:generatedAtTime"), "statement": plain(sheet.one(node, "gm:saidBy")),
            }
        )  # fmt: skip
    return delta


def _session(sheet: Sheet, node: str) -> dict[str, Any]:
    return {
        "id": sheet.one(node, "dcterms:identifier"),
        "started": sheet.one(node, "prov:startedAtTime"),
        "ended": sheet.get(node, "prov:endedAtTime"),
        "topic": sheet.get(node, "gm:topic"),
        "channel": sheet.get(node, "gm:channel"),
        "recorded_at": sheet.one(node, "gm:recordedAt"),
        "offset_minutes": int(sheet.get(node, "gm:offsetMinutes") or 0),
    }


def _turn(sheet: Sheet, node: str, sessions: dict[str, dict[str, Any]]) -> TurnRecord:
    place = sheet.one(node, "dcterms:isPartOf")
    if place not in sessions:
        raise InputError(f"{sheet.source}: the message {node} is part of no session in the file: it was cut short")
    speaker = next((who for who in sheet.all(node, "prov:wasAttributedTo") if "/speaker/" in who), None)
    spans = [
        {
            "start": int(sheet.one(region, "oa:start")), "end": int(sheet.one(region, "oa:end")),
            "role": sheet.word(region, "gm:speakerRole", ROLES),
        }
        for region in sheet.all(node, "gm:hasRegion")
    ]  # fmt: skip
    return TurnRecord.model_validate(
        {
            "key": plain(node),
            "id": sheet.one(node, "dcterms:identifier"),
            "session": sessions[place]["id"],
            "position": int(sheet.one(node, "schema:position")),
            "role": sheet.word(node, "gm:speakerRole", ROLES),
            "speaker": None if speaker is None else sheet.one(speaker, "rdfs:label"),
            "text": sheet.one(node, "schema:text"),
            "time": sheet.one(node, "schema:dateSent"),
            "spans": sorted(spans, key=lambda span: (span["start"], span["end"])),
        }
    )


def _extractor(sheet: Sheet, node: str) -> str:
    return sheet.one(sheet.one(sheet.one(node, "prov:wasGeneratedBy"), "prov:wasAssociatedWith"), "rdfs:label")


def _bounds(sheet: Sheet, node: str) -> dict[str, Any]:
    end = None if sheet.get(node, "gm:endIsImplied") else sheet.get(node, "gm:validUntil")
    return {
        "valid_from": sheet.get(node, "gm:validFrom"),
        "valid_to": end or sheet.get(node, "gm:validAt"),
        "valid_granularity": sheet.get(node, "gm:granularity"),
    }


def _statement(
    sheet: Sheet, node: str, sessions: dict[str, dict[str, Any]], turns: dict[str, TurnRecord], delta: dict[str, Any]
) -> None:
    id_, tier = plain(node), sheet.word(node, "gm:admittedTier", TIERS)
    place = sheet.one(node, "gm:saidIn")
    context = sheet.get(node, "gm:appliesIn") or sheet.get(node, "gm:scope")
    session = sessions.get(place, {"id": plain(place), "started": sheet.one(node, "gm:assertedAt")})
    bounds = _bounds(sheet, node)
    delta["statements"].append(
        {
            "id": id_,
            "kind": sheet.kind(node, KIND_CLASS),
            "text": sheet.one(node, "rdfs:label"),
            "subject": sheet.one(node, "gm:subjectText"),
            "predicate": predicate_of(sheet.one(node, "rdf:predicate")),
            "object": sheet.one(node, "gm:objectText"),
            "polarity": "negative" if sheet.get(node, "gm:negated") else "positive",
            "modality": sheet.word(node, "gm:modality", MODALITIES, "asserted"),
            "context": None if context is None else sheet.one(context, "skos:prefLabel"),
            "temporal": sheet.word(node, "gm:tense", TENSES, "current"),
            **bounds,
            "modifier": sheet.get(node, "gm:timeModifier"),
            "time_text": sheet.get(node, "gm:validTimeText"),
            "asserted_at": sheet.one(node, "gm:assertedAt"),
            "recorded_at": sheet.one(node, "prov:generatedAtTime"),
            "session": session["id"],
            "session_started": sheet.get(node, "gm:sessionStarted") or session["started"],
            "order": int(sheet.one(node, "gm:order")),
            "subject_key": sheet.one(node, "gm:subjectKey"),
            "object_key": sheet.one(node, "gm:objectKey"),
            "context_key": sheet.get(node, "gm:contextKey") or "",
            "cue": sheet.get(node, "gm:cue"),
            "replaces": sheet.get(node, "gm:replaces"),
            "tier": tier,
            "confidence": float(sheet.one(node, "gm:admittedConfidence")),
            "importance": float(sheet.one(node, "gm:admittedImportance")),
            "sensitivity": sheet.one(node, "gm:sensitivity"),
            "content_hash": sheet.one(node, "gm:contentHash"),
            "extractor": _extractor(sheet, node),
            "rule": sheet.one(node, "gm:rule"),
            "details": json.loads(sheet.get(node, "gm:details") or "{}"),
        }
    )
    for kind, name in _MENTIONS.items():
        delta["mentions"] += [
            {"statement": id_, "entity": plain(entity), "kind": kind, "tier": tier} for entity in sheet.all(node, name)
        ]
    for proof in sheet.all(node, "prov:wasDerivedFrom"):
        if term("gm:OwnerConfirmation") in sheet.all(proof, "rdf:type"):
            act = sheet.one(proof, "prov:wasGeneratedBy")
            delta["confirmations"].append(
                {
                    "statement": id_, "at": sheet.one(proof, "prov:generatedAtTime"), "actor": sheet.one(act, "gm:actor"),
                    "content_hash": sheet.one(proof, "gm:contentHash"),
                }
            )  # fmt: skip
        elif term("gm:Evidence") in sheet.all(proof, "rdf:type"):
            delta["evidence"].append(_evidence(sheet, proof, id_, turns, bounds))
    if sheet.get(node, "gm:retirementReason") == term("gm:WithdrawnByUser"):
        act = sheet.one(node, "prov:wasInvalidatedBy")
        delta["retirements"].append(
            {
                "statement": id_, "at": sheet.one(node, "prov:invalidatedAtTime"), "actor": sheet.one(act, "gm:actor"),
                "reason": sheet.one(node, "gm:retirementNote"),
            }
        )  # fmt: skip


def _evidence(sheet: Sheet, node: str, statement: str, turns: dict[str, TurnRecord], bounds: dict[str, Any]) -> dict[str, Any]:
    source = sheet.one(node, "oa:hasSource")
    if source not in turns:
        raise InputError(f"{sheet.source}: the evidence {node} quotes a message that is not in the file: it was cut short")
    turn = turns[source]
    selectors = sheet.all(node, "oa:hasSelector")
    quote = next((one for one in selectors if sheet.get(one, "oa:exact") is not None), "")
    place = next((one for one in selectors if sheet.get(one, "oa:start") is not None), "")
    speaker = sheet.get(node, "gm:speakerName")
    return {
        "id": plain(node),
        "statement": statement,
        "session": turn.session,
        "turn": turn.id,
        "turn_key": turn.key,
        "role": sheet.word(node, "gm:speakerRole", ROLES),
        "speaker": turn.speaker if speaker is None else speaker or None,
        "start": int(sheet.one(place, "oa:start")),
        "end": int(sheet.one(place, "oa:end")),
        "quote": sheet.one(quote, "oa:exact"),
        "said_at": sheet.get(node, "gm:assertedAt") or turn.time,
        "recorded_at": sheet.one(node, "prov:generatedAtTime"),
        "tier": sheet.word(node, "gm:evidenceKind", EVIDENCE_KINDS),
        "confidence": float(sheet.one(node, "gm:admittedConfidence")),
        "extractor": _extractor(sheet, node),
        **(_bounds(sheet, node) if sheet.get(node, "gm:hasOwnTime") else bounds),
    }


def _link(sheet: Sheet, node: str, kind: str, newer: str, older: str, delta: dict[str, Any]) -> None:
    source = sheet.one(node, newer)
    target = next((one for one in sheet.all(node, older) if kind != "CONTRADICTS" or one != source), None)
    if target is None:
        raise InputError(f"{sheet.source}: the conclusion {node} names one statement only: the file was cut short")
    change = None if sheet.get(node, "gm:endIsImplied") else sheet.get(node, "gm:changeAt")
    delta["links"].append(
        {
            "id": plain(node),
            "kind": kind,
            "source": plain(source),
            "target": plain(target),
            "rule": sheet.one(node, "gm:rule"),
            "tier": sheet.word(node, "gm:tier", TIERS),
            "recorded_at": sheet.one(node, "prov:generatedAtTime"),
            "said_at": sheet.one(node, "gm:assertedAt"),
            "at": change or sheet.get(node, "gm:validAt"),
            "granularity": sheet.get(node, "gm:granularity"),
            "overlap_from": sheet.get(node, "gm:overlapFrom"),
            "overlap_to": sheet.get(node, "gm:overlapUntil"),
        }
    )
    gone = sheet.get(node, "prov:invalidatedAtTime")
    if gone is not None:
        delta["links_retired"].append({"link": plain(node), "at": gone, "reason": "no longer follows"})


def _row(sheet: Sheet, node: str) -> Row:
    seq, salt = int(sheet.one(node, "gm:sequence")), sheet.get(node, "gm:salt")
    return Row(
        seq, seq, sheet.one(node, "dcterms:identifier"), sheet.one(node, "gm:operation"), sheet.one(node, "gm:recordedAs"),
        sheet.one(node, "gm:entryActor"), sheet.one(node, "gm:entryRole"), sheet.one(node, "gm:entryType"),
        tuple(json.loads(sheet.one(node, "gm:subjects"))), sheet.one(node, "gm:commitment"), sheet.one(node, "gm:entryHash"),
        None if salt is None else bytes.fromhex(salt), sheet.get(node, "gm:payload"),
    )  # fmt: skip
