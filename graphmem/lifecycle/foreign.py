"""Somebody else's RDF with the same vocabulary: messages are recorded as said, statements are proposals about them.

Invariant: the file decides nothing.  A statement comes in as *stated* only if the gate that agents go through finds it in the
words of the user that it quotes; as a suggestion if the quote stands and holds the value, but does not plainly say it; else
not at all.  What the file concludes (what superseded what, tiers, confirmations) is not read: it is concluded anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from graphmem.canonical import words
from graphmem.errors import InputError
from graphmem.extractors.base import USER, Claim, Extraction
from graphmem.extractors.gate import gate
from graphmem.extractors.proposals import Proposal
from graphmem.ingest import Ingestion
from graphmem.model import Session, Turn
from graphmem.rdf_records import predicate_of
from graphmem.rdf_sheet import Sheet, plain
from graphmem.rdf_terms import EVIDENCE_KINDS, KIND_CLASS, MODALITIES, ROLES, TENSES, VOCABULARY
from graphmem.sessions import normal
from graphmem.space import Space

if TYPE_CHECKING:
    from rdflib import Dataset

    from graphmem.embed import Embedder


class _Told:
    """An extractor that gives what a file says of each session."""

    name, version = "import", "1"

    def __init__(self, claims: Mapping[str, Sequence[Proposal]]) -> None:
        self._claims = claims
        self.refused: Counter[str] = Counter()
        self.lowered = 0

    def extract(self, session: Session) -> Extraction:
        """The claims that the words of the session hold."""
        found: list[Claim] = []
        for proposal in self._claims.get(session.id, ()):
            result = gate(session, [proposal], rule="import")[0]
            if isinstance(result, Claim):
                found.append(result.model_copy(update={"hedged": result.hedged or proposal.confidence < 0.5}))
                continue
            claim = _suggestion(session, proposal)
            if claim is None:
                self.refused[result.reason] += 1
            else:
                self.lowered += 1
                found.append(claim)
        return Extraction(tuple(found), ())


def take_in(space: Space, data: Dataset, source: str, *, embedder: Embedder) -> list[str]:
    """Record the messages of a file, and what it states about them as far as they bear it; returns what is to be told.

    Raises:
        InputError: there are no messages in it, or one has not what a message needs.
    """
    sheet = Sheet(data, source)
    sessions, places = _sessions(sheet)
    claims, lost = _proposals(sheet, places)
    told = _Told(claims)
    ingestion = Ingestion(space, extractor=told, embedder=embedder)
    for session in sorted(sessions, key=lambda item: (item.started, item.id)):
        ingestion.take(session)
    notices = []
    if told.lowered:
        notices.append(f"{told.lowered} statements came in as suggestions: their quotes stand, but do not plainly say them")
    for reason, number in sorted((told.refused + lost).items()):
        notices.append(f"{number} statements were refused: {reason}")
    return notices


def _sessions(sheet: Sheet) -> tuple[list[Session], dict[str, tuple[str, str, str]]]:
    """The conversations, and for each message its session, its id there and its text as given."""
    places: dict[str, tuple[str, str, str]] = {}
    turns: dict[str, list[tuple[int, Turn]]] = {}
    for number, node in enumerate(sheet.of_class("gm:Message", "schema:Message")):
        text, place = sheet.one(node, "schema:text"), sheet.get(node, "dcterms:isPartOf") or "imported"
        session = sheet.get(place, "dcterms:identifier") or plain(place)
        id_ = sheet.get(node, "dcterms:identifier") or plain(node)
        speaker = next((who for who in sheet.all(node, "prov:wasAttributedTo") if sheet.get(who, "rdfs:label")), None)
        role = sheet.word(node, "gm:speakerRole", ROLES, "document")
        try:
            turn = Turn(
                id=id_,
                role=role,
                speaker=None if speaker is None else sheet.get(speaker, "rdfs:label"),
                text=normal(text),
                time=sheet.one(node, "schema:dateSent"),
            )
        except ValidationError as error:
            said = error.errors()[0]["msg"]
            raise InputError(f"{sheet.source}: the message {node} is none ({said}): give role and aware time") from error
        try:
            position = int(sheet.get(node, "schema:position") or number)
        except ValueError as error:
            raise InputError(f"{sheet.source}: the message {node} has a schema:position that is no whole number") from error
        turns.setdefault(session, []).append((position, turn))
        places[node] = (session, id_, text)
    if not turns:
        raise InputError(f"{sheet.source} holds no messages (schema:Message with schema:text): nothing could be quoted from it")
    sessions = []
    for name, placed in turns.items():
        ordered = tuple(turn for _, turn in sorted(placed, key=lambda item: (item[0], item[1].time)))
        sessions.append(Session(id=name, started=min(turn.time for turn in ordered), turns=ordered))
    return sessions, places


def _proposals(sheet: Sheet, places: Mapping[str, tuple[str, str, str]]) -> tuple[dict[str, list[Proposal]], Counter[str]]:
    found: dict[str, list[Proposal]] = {}
    lost: Counter[str] = Counter()
    kinds = (f"gm:{iri.rsplit('#', 1)[1]}" for iri in KIND_CLASS.values())
    for node in sheet.of_class(*kinds, "rdf:Statement"):
        quoted = [proof for proof in sheet.all(node, "prov:wasDerivedFrom") if sheet.get(proof, "oa:hasSource") in places]
        if not quoted:
            lost["it rests on no quote"] += 1
        for proof in quoted:
            session, turn, text = places[sheet.one(proof, "oa:hasSource")]
            try:
                found.setdefault(session, []).append(Proposal.model_validate(_proposal(sheet, node, proof, turn, text)))
            except (ValidationError, ValueError, InputError):
                lost["it has not the form of a statement"] += 1
    return found, lost


def _proposal(sheet: Sheet, node: str, proof: str, turn: str, text: str) -> dict[str, Any]:
    subject, value = sheet.one(node, "rdf:subject"), sheet.one(node, "rdf:object")
    owner = sheet.get(subject, "dcterms:identifier") is not None
    context = sheet.get(node, "gm:appliesIn") or sheet.get(node, "gm:scope")
    selectors = sheet.all(proof, "oa:hasSelector")
    quote = next((said for one in selectors if (said := sheet.get(one, "oa:exact")) is not None), "")
    start = next((at for one in selectors if (at := sheet.get(one, "oa:start")) is not None), None)
    predicate = predicate_of(sheet.one(node, "rdf:predicate"))
    return {
        "turn": turn,
        "quote": normal(quote),
        # Places of a text that is not in its stored form are looked for anew.
        "start": int(start) if start is not None and normal(text) == text else None,
        "kind": sheet.kind(node, KIND_CLASS) or "fact",
        "subject": sheet.get(node, "gm:subjectText") or (USER if owner else sheet.get(subject, "rdfs:label") or plain(subject)),
        "predicate": re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", predicate.removeprefix(VOCABULARY + "#")).lower(),
        "object": sheet.get(node, "gm:objectText") or sheet.get(value, "rdfs:label") or value,
        "polarity": "negative" if sheet.get(node, "gm:negated") == "true" else "positive",
        "modality": sheet.word(node, "gm:modality", MODALITIES, "asserted"),
        "temporal": sheet.word(node, "gm:tense", TENSES, "current"),
        "context": None if context is None else sheet.get(context, "skos:prefLabel") or plain(context),
        "time": sheet.get(node, "gm:validTimeText"),
        "confidence": 0.4 if sheet.word(proof, "gm:evidenceKind", EVIDENCE_KINDS, "stated") == "inferred" else 0.8,
    }


def _suggestion(session: Session, proposal: Proposal) -> Claim | None:
    """A claim that only its quote and its value stand for: at most a suggestion."""
    turn = next((turn for turn in session.turns if turn.id == proposal.turn), None)
    start = -1 if turn is None else proposal.start if proposal.start is not None else turn.text.find(proposal.quote)
    if turn is None or start < 0 or not proposal.quote.strip() or not turn.text.startswith(proposal.quote, start):
        return None
    if not set(words(proposal.object)) or not set(words(proposal.object)) <= set(words(proposal.quote)):
        return None
    return Claim(
        turn=turn.id, start=start, end=start + len(proposal.quote), quote=proposal.quote, kind=proposal.kind,
        subject=proposal.subject, predicate=proposal.predicate, object=proposal.object, polarity=proposal.polarity,
        modality=proposal.modality, temporal=proposal.temporal, context=proposal.context, hedged=True,
        confidence=0.4, importance=0.3, rule="import",
    )  # fmt: skip
