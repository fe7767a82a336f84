"""The collector of an export's quads: data subject, transcript, runs, and the export's own description.

Invariant: nothing is a blank node, and each quad is held once.  The bundle it reads from holds exactly what
the export is to show; nothing is selected here.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from graphmem import __version__
from graphmem.bundle import Bundle
from graphmem.model import iso
from graphmem.ontology import relation, relations
from graphmem.rdf_terms import (
    ENTITY_CLASS,
    GRAPHS,
    OMISSIONS,
    OWNER,
    PROFILES,
    ROLES,
    TIER_RANKS,
    VERSION,
    VOCABULARY,
    Iri,
    Names,
    Quad,
    Value,
    instant,
    integer,
    position,
    registry_entry,
    term,
    text,
)
from graphmem.records import SessionRecord, StatementRecord, TurnRecord, key


class Quads:
    """Collects the quads of one bundle, which holds exactly what the export is to show."""

    def __init__(self, bundle: Bundle, *, profile: str) -> None:
        self.bundle = bundle
        self.profile = profile
        self.names = Names(bundle.user, bundle.space, bundle.base)
        self.quads: dict[Quad, None] = {}
        self.memory, self.transcript, self.log, self.derived, self.current = map(self.names.graph, GRAPHS)
        self.ledger = self.names.graph("ledger")
        self.runs: dict[tuple[str, datetime], Iri] = {}
        self.began = {session.id: session.started for session in bundle.sessions}
        self.records = {node.record.id: node.record for node in bundle.nodes}
        self.views = {view.id: view for view in bundle.statements}
        self.turns = {turn.key: turn for turn in bundle.turns}
        self.entities = {
            entity.id: self.names.person
            if (entity.type, entity.key) == ("person", OWNER)
            else self.names.iri("entity", entity.id)
            for entity in bundle.entities
        }
        self.ends: dict[tuple[str, str], list[str]] = {}
        for mention in bundle.mentions:
            if mention.entity in self.entities:
                self.ends.setdefault((mention.statement, mention.kind), []).append(mention.entity)

    def add(self, graph: Iri | None, subject: Iri, predicate: str, *objects: Iri | Value) -> None:
        """Add one quad for each object; `predicate` is a prefixed name."""
        name = term(predicate)
        for item in objects:
            self.quads[Quad(graph, subject, name, item)] = None

    def classes(self, graph: Iri | None, subject: Iri, *names: str) -> None:
        """Add the classes of a node, given as prefixed names."""
        self.add(graph, subject, "rdf:type", *(term(name) for name in names))

    def record(self, digest: str) -> list[Quad]:
        """Describe the export itself, in the default graph; `digest` is that of all the rest."""
        bundle, names = self.bundle, self.names
        at = bundle.exported_at or bundle.known_at
        name = key("e", self.profile, iso(at), iso(bundle.at), iso(bundle.known_at), digest)
        node, act = names.iri("export", name), names.activity("a", "export", name)
        before = set(self.quads)
        self.classes(None, node, "gm:Export", "dcat:Dataset", "prov:Bundle")
        self.add(None, node, "dcterms:issued", instant(at))
        self.add(None, node, "gm:asOf", instant(bundle.at))
        self.add(None, node, "gm:knownAt", instant(bundle.known_at))
        self.add(None, node, "gm:profile", PROFILES[self.profile])
        self.add(None, node, "gm:space", text(bundle.space))
        self.add(None, node, "gm:ledgerHead", text(bundle.ledger_head))
        self.add(None, node, "gm:digest", text(digest))
        self.add(None, node, "gm:statementsLeftOut", integer(bundle.statements_left_out))
        self.add(None, node, "gm:messagesLeftOut", integer(bundle.turns_left_out))
        self.add(None, node, "dcterms:conformsTo", Iri(VERSION))
        self.add(None, node, "dpv:hasDataSubject", names.person)
        self.add(None, node, "dcterms:hasPart", *map(names.graph, GRAPHS), Iri(VOCABULARY))
        if bundle.ledger:
            self.add(None, node, "dcterms:hasPart", self.ledger)
        self.omissions(node)
        self.add(None, node, "prov:wasGeneratedBy", act)
        self.classes(None, act, "prov:Activity")
        right = {"access": "gdpr:A15", "portability": "gdpr:A20"}.get(self.profile)  # an audit is no right of the person's
        if right:
            self.classes(None, act, "dpv:RightExerciseActivity")
            self.add(None, act, "dpv:hasRight", term(right))
        self.add(None, act, "prov:endedAtTime", instant(at))
        self.agent(None, act, f"graphmem-{__version__}")
        return [quad for quad in self.quads if quad not in before]

    def omissions(self, node: Iri) -> None:
        """Say what is not in the file and why, and what was erased when; ids and numbers only."""
        for item in self.bundle.left_out:
            gap = self.names.iri("omission", f"{item.what}-{item.reason}")
            self.add(None, node, "gm:leavesOut", gap)
            self.classes(None, gap, "gm:Omission")
            self.add(None, gap, "gm:omittedKind", text(item.what))
            self.add(None, gap, "gm:omissionReason", OMISSIONS[item.reason])
            self.add(None, gap, "gm:count", integer(item.number))
            self.add(None, gap, "gm:omits", *(self.names.iri(item.what, id_) for id_ in item.ids))
        for gone in self.bundle.erasures:
            act = self.names.activity("a", "erase", str(gone.seq), iso(gone.at))
            self.add(None, node, "gm:leavesOut", act)
            self.classes(None, act, "gm:Erasure", "prov:Activity")
            self.add(None, act, "prov:endedAtTime", instant(gone.at))
            self.add(None, act, "gm:count", integer(gone.statements))

    def person(self) -> None:
        """Add the data subject, and what statements are about."""
        person = self.names.person
        self.classes(self.memory, person, "schema:Person", "dpv:DataSubject", "prov:Agent")
        self.add(self.memory, person, "dcterms:identifier", text(self.bundle.user))
        for entity in self.bundle.entities:
            iri = self.entities[entity.id]
            if iri == person:
                continue
            self.classes(self.memory, iri, "gm:Entity", "prov:Entity")
            self.add(self.memory, iri, "rdf:type", ENTITY_CLASS.get(entity.type, term("schema:Thing")))
            self.add(self.memory, iri, "rdfs:label", text(entity.name))
            self.add(self.memory, iri, "gm:entityType", text(entity.type))

    def registry(self) -> None:
        """Add the rows of the relation table that are in use, so that the file can be checked by itself."""
        graph = Iri(VOCABULARY)
        used = {record.predicate for record in self.records.values()}
        used |= {relation(name).opposite for name in used} - {""}
        for name in sorted(used):
            where = graph if name in relations() else self.memory
            for quad in registry_entry(self.names.predicate(name), relation(name), where):
                self.quads[quad] = None
        for kind, rank in TIER_RANKS.items():
            self.add(graph, term(kind), "gm:tierRank", integer(rank))

    def session(self, session: SessionRecord) -> None:
        """Add a session."""
        node = self.names.iri("session", session.id)
        self.classes(self.transcript, node, "gm:Session", "prov:Activity")
        self.add(self.transcript, node, "dcterms:identifier", text(session.id))
        self.add(self.transcript, node, "prov:startedAtTime", instant(session.started))
        self.add(self.transcript, node, "gm:recordedAt", instant(session.recorded_at))
        self.add(self.transcript, node, "gm:offsetMinutes", integer(session.offset_minutes))
        if session.ended is not None:
            self.add(self.transcript, node, "prov:endedAtTime", instant(session.ended))
        if session.topic is not None:
            self.add(self.transcript, node, "gm:topic", text(session.topic))
        if session.channel is not None:
            self.add(self.transcript, node, "gm:channel", text(session.channel))

    def turn(self, turn: TurnRecord) -> None:
        """Add a turn with its text."""
        graph, node = self.transcript, self.names.iri("message", turn.key)
        self.classes(graph, node, "gm:Message", "schema:Message", "prov:Entity")
        if turn.role in ("user", "assistant"):
            kind = "dpv:ProvidedPersonalData" if turn.role == "user" else "dpv:ObservedPersonalData"
            self.classes(graph, node, kind)
        self.add(graph, node, "dcterms:identifier", text(turn.id))
        self.add(graph, node, "dcterms:isPartOf", self.names.iri("session", turn.session))
        self.add(graph, node, "schema:position", integer(turn.position))
        self.add(graph, node, "schema:dateSent", instant(turn.time))
        self.add(graph, node, "schema:text", text(turn.text))
        self.add(graph, node, "gm:textDigest", text(sha256(turn.text.encode("utf-8")).hexdigest()))
        self.add(graph, node, "gm:speakerRole", ROLES[turn.role])
        if turn.speaker is not None:
            speaker = self.names.iri("speaker", turn.speaker)
            self.add(graph, node, "prov:wasAttributedTo", speaker)
            self.classes(graph, speaker, "prov:Agent")
            self.add(graph, speaker, "rdfs:label", text(turn.speaker))
        elif turn.role == "user":
            self.add(graph, node, "prov:wasAttributedTo", self.names.person)
        for span in turn.spans:
            region = self.names.iri("region", key("r", turn.key, str(span.start), str(span.end), span.role))
            self.add(graph, node, "gm:hasRegion", region)
            self.classes(graph, region, "gm:Region")
            self.add(graph, region, "oa:start", position(span.start))
            self.add(graph, region, "oa:end", position(span.end))
            self.add(graph, region, "gm:speakerRole", ROLES[span.role])

    def subject_of(self, record: StatementRecord) -> Iri:
        """Find whom or what a statement is about."""
        if record.subject_key == OWNER:
            return self.names.person
        found = self.ends.get((record.id, "SUBJECT"), [])
        if len(found) == 1:
            return self.entities[found[0]]
        iri = self.names.iri("entity", key("n", record.subject_key))
        self.classes(self.memory, iri, "gm:Entity", "prov:Entity")
        self.add(self.memory, iri, "rdfs:label", text(record.subject))
        return iri

    def object_of(self, record: StatementRecord) -> Iri | Value:
        """Find the value of a statement: the one entity it names, else its words."""
        found = self.ends.get((record.id, "OBJECT"), [])
        return self.entities[found[0]] if len(found) == 1 else text(record.object)

    def run(self, extractor: str, at: datetime) -> Iri:
        """Add the run of an extractor that recorded something at this moment."""
        known = self.runs.get((extractor, at))
        if known is not None:
            return known
        run = self.runs[extractor, at] = self.names.activity("x", extractor, iso(at))
        self.classes(self.log, run, "gm:Extraction", "prov:Activity")
        self.add(self.log, run, "prov:endedAtTime", instant(at))
        self.agent(self.log, run, extractor)
        return run

    def reconciliation(self, at: datetime) -> Iri:
        """Add the run of the memory's own reasoning at this moment."""
        run = self.names.activity("r", iso(at))
        self.classes(self.log, run, "gm:Reconciliation", "prov:Activity")
        self.add(self.log, run, "prov:endedAtTime", instant(at))
        self.agent(self.log, run, f"graphmem-{__version__}")
        return run

    def act(self, actor: str, at: datetime, what: str) -> Iri:
        """Add something that a person did to the memory."""
        act = self.names.activity("a", what, actor, iso(at))
        self.classes(self.log, act, "gm:UserAction", "prov:Activity")
        self.add(self.log, act, "rdfs:label", text(what))
        self.add(self.log, act, "gm:actor", text(actor))
        self.add(self.log, act, "prov:endedAtTime", instant(at))
        return act

    def agent(self, graph: Iri | None, run: Iri, name: str) -> None:
        """Add the program that a run belongs to."""
        agent = self.names.agent(name)
        self.add(graph, run, "prov:wasAssociatedWith", agent)
        self.classes(graph, agent, "prov:SoftwareAgent")
        self.add(graph, agent, "rdfs:label", text(name))
