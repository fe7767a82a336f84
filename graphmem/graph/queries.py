"""Every query that the graph is asked, as fixed text with named parameters, in the Cypher that both engines speak.

Invariant: no query is put together at run time.  Values travel as parameters; an absent value in a batch travels as ''
and becomes NULL here.  Results are read by position, so each query names its columns.
"""

from __future__ import annotations

# --- Meta ---------------------------------------------------------------------------------------------------------

CREATE_META = (
    "CREATE (:Meta {id: 'graph', applied_seq: $applied_seq, applied_hash: $applied_hash, version: $version, "
    "dimension: $dimension, nodes: $nodes, edges: $edges})"
)
META = "MATCH (m:Meta {id: 'graph'}) RETURN m.applied_seq, m.version, m.dimension, m.nodes, m.edges"
APPLIED = "MATCH (m:Meta {id: 'graph'}) RETURN m.applied_seq, m.applied_hash"
MOVE_META = (
    "MATCH (m:Meta {id: 'graph'}) "
    "SET m.applied_seq = $applied_seq, m.applied_hash = $applied_hash, m.nodes = m.nodes + $nodes, m.edges = m.edges + $edges "
    "RETURN count(*)"
)
# --- Which of these are there already ------------------------------------------------------------------------------

EXISTING_NODES = {
    "Session": "UNWIND $ids AS id MATCH (n:Session {id: id}) RETURN n.id",
    "Turn": "UNWIND $ids AS id MATCH (n:Turn {key: id}) RETURN n.key",
    "Statement": "UNWIND $ids AS id MATCH (n:Statement {id: id}) RETURN n.id",
    "Entity": "UNWIND $ids AS id MATCH (n:Entity {id: id}) RETURN n.id",
    "Vector": "UNWIND $ids AS id MATCH (n:Vector {id: id}) RETURN n.id",
}

# Edges have no key of their own: those of the given sources are listed and compared.
EXISTING_EDGES = {
    "EVIDENCE": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:EVIDENCE]->(b:Turn) RETURN r.id",
    "SUPERSEDES": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:SUPERSEDES]->(b:Statement) RETURN r.id",
    "CORRECTS": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:CORRECTS]->(b:Statement) RETURN r.id",
    "CONTRADICTS": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:CONTRADICTS]->(b:Statement) RETURN r.id",
    "REFINES": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:REFINES]->(b:Statement) RETURN r.id",
    "DERIVED_FROM": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:DERIVED_FROM]->(b:Statement) RETURN r.id",
}
EXISTING_PAIRS = {
    "SUBJECT": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:SUBJECT]->(b:Entity) RETURN a.id, b.id",
    "OBJECT": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:OBJECT]->(b:Entity) RETURN a.id, b.id",
    "MENTIONS": "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:MENTIONS]->(b:Entity) RETURN a.id, b.id",
    "SAME_AS": "UNWIND $ids AS id MATCH (a:Entity {id: id})-[r:SAME_AS]->(b:Entity) RETURN a.id, b.id, r.statement",
}

# --- Writing: nodes ------------------------------------------------------------------------------------------------

CREATE_NODES = {
    "Session": (
        "UNWIND $rows AS row CREATE (:Session {id: row.id, started: row.started, recorded_at: row.recorded_at, "
        "body: nullif(row.body, '')})"
    ),
    "Turn": (
        "UNWIND $rows AS row CREATE (:Turn {key: row.key, id: row.id, session: row.session, position: row.position, "
        "role: row.role, speaker: nullif(row.speaker, ''), text: row.text, time: row.time, "
        "previous: nullif(row.previous, ''), body: nullif(row.body, '')})"
    ),
    "Statement": (
        "UNWIND $rows AS row CREATE (:Statement {id: row.id, kind: row.kind, text: row.text, subject: row.subject, "
        "predicate: row.predicate, object: row.object, polarity: row.polarity, "
        "valid_from: CAST(nullif(row.valid_from, '') AS TIMESTAMP), "
        "valid_to: CAST(nullif(row.valid_to, '') AS TIMESTAMP), asserted_at: row.asserted_at, "
        "recorded_at: row.recorded_at, session: row.session, session_started: row.session_started, "
        "`order`: row.`order`, subject_key: row.subject_key, object_key: row.object_key, tier: row.tier, "
        "confidence: row.confidence, importance: row.importance, sensitivity: row.sensitivity, "
        "content_hash: row.content_hash, extractor: row.extractor, rule: row.rule, body: nullif(row.body, ''), "
        "retirement: nullif(row.retirement, ''), confirmations: nullif(row.confirmations, '')})"
    ),
    "Entity": ("UNWIND $rows AS row CREATE (:Entity {id: row.id, name: row.name, type: row.type, key: row.key})"),
    # Numbers travel as text: binding them one by one takes three times as long.
    "Vector": (
        "UNWIND $rows AS row CREATE (:Vector {id: row.id, owner: row.owner, kind: row.kind, model: row.model, "
        "recorded_at: row.recorded_at, `values`: CAST(row.`values` AS FLOAT[])})"
    ),
}

# --- Writing: edges (each returns how many found both ends) --------------------------------------------------------

CREATE_EDGES = {
    "IN_SESSION": (
        "UNWIND $rows AS row MATCH (a:Turn {key: row.source}), (b:Session {id: row.target}) "
        "CREATE (a)-[:IN_SESSION]->(b) RETURN count(*)"
    ),
    "NEXT": (
        "UNWIND $rows AS row MATCH (a:Turn {key: row.source}), (b:Turn {key: row.target}) CREATE (a)-[:NEXT]->(b) "
        "RETURN count(*)"
    ),
    "EVIDENCE": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Turn {key: row.target}) CREATE (a)-[:EVIDENCE "
        "{id: row.id, session: row.session, turn: row.turn, role: row.role, speaker: nullif(row.speaker, ''), "
        "start: row.start, `end`: row.`end`, quote: row.quote, said_at: row.said_at, recorded_at: row.recorded_at, "
        "tier: row.tier, confidence: row.confidence, extractor: row.extractor, body: nullif(row.body, '')}]->(b) "
        "RETURN count(*)"
    ),
    "SUBJECT": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Entity {id: row.target}) CREATE (a)-[:SUBJECT "
        "{tier: row.tier}]->(b) RETURN count(*)"
    ),
    "OBJECT": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Entity {id: row.target}) CREATE (a)-[:OBJECT "
        "{tier: row.tier}]->(b) RETURN count(*)"
    ),
    "MENTIONS": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Entity {id: row.target}) "
        "CREATE (a)-[:MENTIONS {tier: row.tier}]->(b) RETURN count(*)"
    ),
    "SUPERSEDES": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Statement {id: row.target}) "
        "CREATE (a)-[:SUPERSEDES {id: row.id, rule: row.rule, tier: row.tier, "
        "at: CAST(nullif(row.at, '') AS TIMESTAMP), said_at: row.said_at, recorded_at: row.recorded_at, "
        "body: nullif(row.body, ''), retired_at: CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "retire_reason: nullif(row.retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "CORRECTS": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Statement {id: row.target}) "
        "CREATE (a)-[:CORRECTS {id: row.id, rule: row.rule, tier: row.tier, "
        "at: CAST(nullif(row.at, '') AS TIMESTAMP), said_at: row.said_at, recorded_at: row.recorded_at, "
        "body: nullif(row.body, ''), retired_at: CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "retire_reason: nullif(row.retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "CONTRADICTS": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Statement {id: row.target}) "
        "CREATE (a)-[:CONTRADICTS {id: row.id, rule: row.rule, tier: row.tier, "
        "at: CAST(nullif(row.at, '') AS TIMESTAMP), said_at: row.said_at, recorded_at: row.recorded_at, "
        "body: nullif(row.body, ''), retired_at: CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "retire_reason: nullif(row.retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "REFINES": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Statement {id: row.target}) "
        "CREATE (a)-[:REFINES {id: row.id, rule: row.rule, tier: row.tier, "
        "at: CAST(nullif(row.at, '') AS TIMESTAMP), said_at: row.said_at, recorded_at: row.recorded_at, "
        "body: nullif(row.body, ''), retired_at: CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "retire_reason: nullif(row.retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "DERIVED_FROM": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source}), (b:Statement {id: row.target}) "
        "CREATE (a)-[:DERIVED_FROM {id: row.id, rule: row.rule, tier: row.tier, "
        "at: CAST(nullif(row.at, '') AS TIMESTAMP), said_at: row.said_at, recorded_at: row.recorded_at, "
        "body: nullif(row.body, ''), retired_at: CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "retire_reason: nullif(row.retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "SAME_AS": (
        "UNWIND $rows AS row MATCH (a:Entity {id: row.source}), (b:Entity {id: row.target}) CREATE (a)-[:SAME_AS "
        "{tier: row.tier, rule: row.rule, recorded_at: row.recorded_at, statement: row.statement}]->(b) RETURN count(*)"
    ),
}

# --- Writing: what became of a statement or a link -----------------------------------------------------------------

FATES = "UNWIND $ids AS id MATCH (s:Statement {id: id}) RETURN s.id, s.retirement, s.confirmations"
SET_FATES = (
    "UNWIND $rows AS row MATCH (s:Statement {id: row.id}) "
    "SET s.retirement = nullif(row.retirement, ''), s.confirmations = nullif(row.confirmations, '') RETURN count(*)"
)
LINKS_BY_ID = (
    "MATCH (a:Statement)-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement) WHERE r.id IN $ids "
    "RETURN label(r), a.id, b.id, r.id, r.retired_at"
)
RETIRE_LINKS = {
    "SUPERSEDES": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source})-[r:SUPERSEDES]->(b:Statement {id: row.target}) "
        "WHERE r.id = row.id SET r.retired_at = CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "r.retire_reason = nullif(row.reason, '') RETURN count(*)"
    ),
    "CORRECTS": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source})-[r:CORRECTS]->(b:Statement {id: row.target}) "
        "WHERE r.id = row.id SET r.retired_at = CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "r.retire_reason = nullif(row.reason, '') RETURN count(*)"
    ),
    "CONTRADICTS": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source})-[r:CONTRADICTS]->(b:Statement {id: row.target}) "
        "WHERE r.id = row.id SET r.retired_at = CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "r.retire_reason = nullif(row.reason, '') RETURN count(*)"
    ),
    "REFINES": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source})-[r:REFINES]->(b:Statement {id: row.target}) "
        "WHERE r.id = row.id SET r.retired_at = CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "r.retire_reason = nullif(row.reason, '') RETURN count(*)"
    ),
    "DERIVED_FROM": (
        "UNWIND $rows AS row MATCH (a:Statement {id: row.source})-[r:DERIVED_FROM]->(b:Statement {id: row.target}) "
        "WHERE r.id = row.id SET r.retired_at = CAST(nullif(row.retired_at, '') AS TIMESTAMP), "
        "r.retire_reason = nullif(row.reason, '') RETURN count(*)"
    ),
}

# --- Reading: statements -------------------------------------------------------------------------------------------

# All records of a table are read with `DUMP`; columns are always those of `graphmem.graph.schema.COLUMNS`.
STATEMENTS_BY_ID = (
    "UNWIND $ids AS id MATCH (n:Statement {id: id}) RETURN n.id, n.kind, n.text, n.subject, n.predicate, n.object, "
    "n.polarity, n.valid_from, n.valid_to, n.asserted_at, n.recorded_at, n.session, n.session_started, n.`order`, "
    "n.subject_key, n.object_key, n.tier, n.confidence, n.importance, n.sensitivity, n.content_hash, n.extractor, "
    "n.rule, n.body, n.retirement, n.confirmations"
)
CANDIDATES = (
    "MATCH (s:Statement) WHERE s.subject_key IN $subjects "
    "AND (s.predicate IN $predicates OR s.object_key IN $objects) RETURN s.id"
)
EVIDENCE_BY_STATEMENT = (
    "UNWIND $ids AS id MATCH (a:Statement {id: id})-[r:EVIDENCE]->(b:Turn) RETURN a.id, b.key, r.id, r.session, "
    "r.turn, r.role, r.speaker, r.start, r.`end`, r.quote, r.said_at, r.recorded_at, r.tier, r.confidence, "
    "r.extractor, r.body"
)
# Of links, the kind comes first; what took one back is not read.
LINKS = (
    "MATCH (a:Statement)-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement) RETURN label(r), "
    "a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, r.recorded_at, r.body, r.retired_at"
)
LINKS_FROM = (
    "UNWIND $ids AS id MATCH (a:Statement {id: "
    "id})-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement) RETURN label(r), a.id, b.id, "
    "r.id, r.rule, r.tier, r.at, r.said_at, r.recorded_at, r.body, r.retired_at"
)
LINKS_TO = (
    "UNWIND $ids AS id MATCH (a:Statement)-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement "
    "{id: id}) RETURN label(r), a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, r.recorded_at, r.body, "
    "r.retired_at"
)

# --- Reading: turns, sessions, entities ----------------------------------------------------------------------------

TURNS_BY_KEY = (
    "UNWIND $ids AS id MATCH (n:Turn {key: id}) RETURN n.key, n.id, n.session, n.position, n.role, n.speaker, "
    "n.text, n.time, n.previous, n.body"
)
# The engine's bound for a chain is 30; longer walks are made of several.
WALK = 30
TURNS_AFTER = (
    "MATCH (t:Turn {key: $key})-[r:NEXT*1..30]->(n:Turn) RETURN length(r), n.key, n.id, n.session, n.position, "
    "n.role, n.speaker, n.text, n.time, n.previous, n.body"
)
TURNS_BEFORE = (
    "MATCH (t:Turn {key: $key})<-[r:NEXT*1..30]-(n:Turn) RETURN length(r), n.key, n.id, n.session, n.position, "
    "n.role, n.speaker, n.text, n.time, n.previous, n.body"
)
ENTITIES = "MATCH (e:Entity) RETURN e.id, e.name, e.type, e.key"
SAME_AS = "MATCH (a:Entity)-[r:SAME_AS]->(b:Entity) RETURN a.id, b.id, r.tier, r.rule, r.recorded_at, r.statement"
MENTIONS = {
    "SUBJECT": "MATCH (s:Statement)-[r:SUBJECT]->(e:Entity) RETURN s.id, e.id, r.tier",
    "OBJECT": "MATCH (s:Statement)-[r:OBJECT]->(e:Entity) RETURN s.id, e.id, r.tier",
    "MENTIONS": "MATCH (s:Statement)-[r:MENTIONS]->(e:Entity) RETURN s.id, e.id, r.tier",
}

# --- Traversal -----------------------------------------------------------------------------------------------------

ENTITIES_OF = "UNWIND $ids AS id MATCH (s:Statement {id: id})-[:SUBJECT|OBJECT|MENTIONS]->(e:Entity) RETURN DISTINCT s.id, e.id"
DEGREES = (
    "UNWIND $ids AS id MATCH (e:Entity {id: id})<-[:SUBJECT|OBJECT|MENTIONS]-(s:Statement) RETURN e.id, count(DISTINCT s.id)"
)
STATEMENTS_ABOUT = (
    "UNWIND $ids AS id MATCH (e:Entity {id: id})<-[:SUBJECT|OBJECT|MENTIONS]-(s:Statement) RETURN DISTINCT e.id, s.id"
)
EVIDENCE_OF = "UNWIND $ids AS id MATCH (t:Turn {key: id})<-[:EVIDENCE]-(s:Statement) RETURN DISTINCT t.key, s.id"

# --- Vectors -------------------------------------------------------------------------------------------------------

# A vector of zeros has no direction; its similarity is 0 or no number, and it is near nothing.
NEAREST = (
    "MATCH (v:Vector) WHERE v.kind IN $kinds AND v.recorded_at <= $known_at "
    "WITH v.owner AS owner, v.kind AS kind, array_cosine_similarity(v.`values`, $query) AS similarity "
    "WHERE similarity = similarity "
    "RETURN owner, kind, similarity ORDER BY similarity DESC, owner, kind LIMIT $k"
)

# --- Whole content and self-check ----------------------------------------------------------------------------------

COUNT_NODES = "MATCH (n) RETURN count(*)"
COUNT_EDGES = "MATCH (a)-[r]->(b) RETURN count(*)"
VECTOR_SUM = "MATCH (v:Vector) RETURN count(*), sum(array_cosine_similarity(v.`values`, v.`values`))"
SAMPLE = {
    "Session": "MATCH (n:Session) RETURN n.id LIMIT $k",
    "Turn": "MATCH (n:Turn) RETURN n.key LIMIT $k",
    "Statement": "MATCH (n:Statement) RETURN n.id LIMIT $k",
    "Entity": "MATCH (n:Entity) RETURN n.id LIMIT $k",
    "Vector": "MATCH (n:Vector) RETURN n.id LIMIT $k",
}
COUNTS = {
    "Session": "MATCH (n:Session) RETURN count(*)",
    "Turn": "MATCH (n:Turn) RETURN count(*)",
    "Statement": "MATCH (n:Statement) RETURN count(*)",
    "Entity": "MATCH (n:Entity) RETURN count(*)",
    "Vector": "MATCH (n:Vector) RETURN count(*)",
    "IN_SESSION": "MATCH (a:Turn)-[r:IN_SESSION]->(b:Session) RETURN count(*)",
    "NEXT": "MATCH (a:Turn)-[r:NEXT]->(b:Turn) RETURN count(*)",
    "EVIDENCE": "MATCH (a:Statement)-[r:EVIDENCE]->(b:Turn) RETURN count(*)",
    "SUBJECT": "MATCH (a:Statement)-[r:SUBJECT]->(b:Entity) RETURN count(*)",
    "OBJECT": "MATCH (a:Statement)-[r:OBJECT]->(b:Entity) RETURN count(*)",
    "MENTIONS": "MATCH (a:Statement)-[r:MENTIONS]->(b:Entity) RETURN count(*)",
    "SUPERSEDES": "MATCH (a:Statement)-[r:SUPERSEDES]->(b:Statement) RETURN count(*)",
    "CORRECTS": "MATCH (a:Statement)-[r:CORRECTS]->(b:Statement) RETURN count(*)",
    "CONTRADICTS": "MATCH (a:Statement)-[r:CONTRADICTS]->(b:Statement) RETURN count(*)",
    "REFINES": "MATCH (a:Statement)-[r:REFINES]->(b:Statement) RETURN count(*)",
    "DERIVED_FROM": "MATCH (a:Statement)-[r:DERIVED_FROM]->(b:Statement) RETURN count(*)",
    "SAME_AS": "MATCH (a:Entity)-[r:SAME_AS]->(b:Entity) RETURN count(*)",
}

# Columns in the order of `graphmem.graph.schema.COLUMNS`.
DUMP = {
    "Session": ("MATCH (n:Session) RETURN n.id, n.started, n.recorded_at, n.body"),
    "Turn": ("MATCH (n:Turn) RETURN n.key, n.id, n.session, n.position, n.role, n.speaker, n.text, n.time, n.previous, n.body"),
    "Statement": (
        "MATCH (n:Statement) RETURN n.id, n.kind, n.text, n.subject, n.predicate, n.object, n.polarity, "
        "n.valid_from, n.valid_to, n.asserted_at, n.recorded_at, n.session, n.session_started, n.`order`, "
        "n.subject_key, n.object_key, n.tier, n.confidence, n.importance, n.sensitivity, n.content_hash, "
        "n.extractor, n.rule, n.body, n.retirement, n.confirmations"
    ),
    "Entity": ("MATCH (n:Entity) RETURN n.id, n.name, n.type, n.key"),
    "Vector": ("MATCH (n:Vector) RETURN n.id, n.owner, n.kind, n.model, n.recorded_at, n.`values`"),
    "IN_SESSION": ("MATCH (a:Turn)-[r:IN_SESSION]->(b:Session) RETURN a.key, b.id"),
    "NEXT": ("MATCH (a:Turn)-[r:NEXT]->(b:Turn) RETURN a.key, b.key"),
    "EVIDENCE": (
        "MATCH (a:Statement)-[r:EVIDENCE]->(b:Turn) RETURN a.id, b.key, r.id, r.session, r.turn, r.role, r.speaker, "
        "r.start, r.`end`, r.quote, r.said_at, r.recorded_at, r.tier, r.confidence, r.extractor, r.body"
    ),
    "SUBJECT": ("MATCH (a:Statement)-[r:SUBJECT]->(b:Entity) RETURN a.id, b.id, r.tier"),
    "OBJECT": ("MATCH (a:Statement)-[r:OBJECT]->(b:Entity) RETURN a.id, b.id, r.tier"),
    "MENTIONS": ("MATCH (a:Statement)-[r:MENTIONS]->(b:Entity) RETURN a.id, b.id, r.tier"),
    "SUPERSEDES": (
        "MATCH (a:Statement)-[r:SUPERSEDES]->(b:Statement) RETURN a.id, b.id, r.id, r.rule, r.tier, r.at, "
        "r.said_at, r.recorded_at, r.body, r.retired_at, r.retire_reason"
    ),
    "CORRECTS": (
        "MATCH (a:Statement)-[r:CORRECTS]->(b:Statement) RETURN a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, "
        "r.recorded_at, r.body, r.retired_at, r.retire_reason"
    ),
    "CONTRADICTS": (
        "MATCH (a:Statement)-[r:CONTRADICTS]->(b:Statement) RETURN a.id, b.id, r.id, r.rule, r.tier, r.at, "
        "r.said_at, r.recorded_at, r.body, r.retired_at, r.retire_reason"
    ),
    "REFINES": (
        "MATCH (a:Statement)-[r:REFINES]->(b:Statement) RETURN a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, "
        "r.recorded_at, r.body, r.retired_at, r.retire_reason"
    ),
    "DERIVED_FROM": (
        "MATCH (a:Statement)-[r:DERIVED_FROM]->(b:Statement) RETURN a.id, b.id, r.id, r.rule, r.tier, r.at, "
        "r.said_at, r.recorded_at, r.body, r.retired_at, r.retire_reason"
    ),
    "SAME_AS": ("MATCH (a:Entity)-[r:SAME_AS]->(b:Entity) RETURN a.id, b.id, r.tier, r.rule, r.recorded_at, r.statement"),
}

# --- One at a time -------------------------------------------------------------------------------------------------

# A key that comes from a list is looked for by reading the whole table, one that is a parameter by the index: for a few
# of them in a large graph it is these, run once for each.
FIND_NODE = {
    "Session": "MATCH (n:Session {id: $id}) RETURN n.id",
    "Turn": "MATCH (n:Turn {key: $id}) RETURN n.key",
    "Statement": "MATCH (n:Statement {id: $id}) RETURN n.id",
    "Entity": "MATCH (n:Entity {id: $id}) RETURN n.id",
    "Vector": "MATCH (n:Vector {id: $id}) RETURN n.id",
}
FIND_EDGES = {
    "EVIDENCE": "MATCH (a:Statement {id: $id})-[r:EVIDENCE]->(b:Turn) RETURN r.id",
    "SUPERSEDES": "MATCH (a:Statement {id: $id})-[r:SUPERSEDES]->(b:Statement) RETURN r.id",
    "CORRECTS": "MATCH (a:Statement {id: $id})-[r:CORRECTS]->(b:Statement) RETURN r.id",
    "CONTRADICTS": "MATCH (a:Statement {id: $id})-[r:CONTRADICTS]->(b:Statement) RETURN r.id",
    "REFINES": "MATCH (a:Statement {id: $id})-[r:REFINES]->(b:Statement) RETURN r.id",
    "DERIVED_FROM": "MATCH (a:Statement {id: $id})-[r:DERIVED_FROM]->(b:Statement) RETURN r.id",
    "SUBJECT": "MATCH (a:Statement {id: $id})-[r:SUBJECT]->(b:Entity) RETURN a.id, b.id",
    "OBJECT": "MATCH (a:Statement {id: $id})-[r:OBJECT]->(b:Entity) RETURN a.id, b.id",
    "MENTIONS": "MATCH (a:Statement {id: $id})-[r:MENTIONS]->(b:Entity) RETURN a.id, b.id",
    "SAME_AS": "MATCH (a:Entity {id: $id})-[r:SAME_AS]->(b:Entity) RETURN a.id, b.id, r.statement",
}
CREATE_EDGE = {
    "IN_SESSION": "MATCH (a:Turn {key: $source}), (b:Session {id: $target}) CREATE (a)-[:IN_SESSION]->(b) RETURN count(*)",
    "NEXT": "MATCH (a:Turn {key: $source}), (b:Turn {key: $target}) CREATE (a)-[:NEXT]->(b) RETURN count(*)",
    "EVIDENCE": (
        "MATCH (a:Statement {id: $source}), (b:Turn {key: $target}) CREATE (a)-[:EVIDENCE {id: $id, session: "
        "$session, turn: $turn, role: $role, speaker: nullif($speaker, ''), start: $start, `end`: $stop, quote: "
        "$quote, said_at: $said_at, recorded_at: $recorded_at, tier: $tier, confidence: $confidence, extractor: "
        "$extractor, body: nullif($body, '')}]->(b) RETURN count(*)"
    ),
    "SUBJECT": (
        "MATCH (a:Statement {id: $source}), (b:Entity {id: $target}) CREATE (a)-[:SUBJECT {tier: $tier}]->(b) RETURN count(*)"
    ),
    "OBJECT": (
        "MATCH (a:Statement {id: $source}), (b:Entity {id: $target}) CREATE (a)-[:OBJECT {tier: $tier}]->(b) RETURN count(*)"
    ),
    "MENTIONS": (
        "MATCH (a:Statement {id: $source}), (b:Entity {id: $target}) CREATE (a)-[:MENTIONS {tier: $tier}]->(b) RETURN count(*)"
    ),
    "SUPERSEDES": (
        "MATCH (a:Statement {id: $source}), (b:Statement {id: $target}) CREATE (a)-[:SUPERSEDES {id: $id, rule: "
        "$rule, tier: $tier, at: CAST(nullif($at, '') AS TIMESTAMP), said_at: $said_at, recorded_at: $recorded_at, "
        "body: nullif($body, ''), retired_at: CAST(nullif($retired_at, '') AS TIMESTAMP), retire_reason: "
        "nullif($retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "CORRECTS": (
        "MATCH (a:Statement {id: $source}), (b:Statement {id: $target}) CREATE (a)-[:CORRECTS {id: $id, rule: $rule, "
        "tier: $tier, at: CAST(nullif($at, '') AS TIMESTAMP), said_at: $said_at, recorded_at: $recorded_at, body: "
        "nullif($body, ''), retired_at: CAST(nullif($retired_at, '') AS TIMESTAMP), retire_reason: "
        "nullif($retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "CONTRADICTS": (
        "MATCH (a:Statement {id: $source}), (b:Statement {id: $target}) CREATE (a)-[:CONTRADICTS {id: $id, rule: "
        "$rule, tier: $tier, at: CAST(nullif($at, '') AS TIMESTAMP), said_at: $said_at, recorded_at: $recorded_at, "
        "body: nullif($body, ''), retired_at: CAST(nullif($retired_at, '') AS TIMESTAMP), retire_reason: "
        "nullif($retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "REFINES": (
        "MATCH (a:Statement {id: $source}), (b:Statement {id: $target}) CREATE (a)-[:REFINES {id: $id, rule: $rule, "
        "tier: $tier, at: CAST(nullif($at, '') AS TIMESTAMP), said_at: $said_at, recorded_at: $recorded_at, body: "
        "nullif($body, ''), retired_at: CAST(nullif($retired_at, '') AS TIMESTAMP), retire_reason: "
        "nullif($retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "DERIVED_FROM": (
        "MATCH (a:Statement {id: $source}), (b:Statement {id: $target}) CREATE (a)-[:DERIVED_FROM {id: $id, rule: "
        "$rule, tier: $tier, at: CAST(nullif($at, '') AS TIMESTAMP), said_at: $said_at, recorded_at: $recorded_at, "
        "body: nullif($body, ''), retired_at: CAST(nullif($retired_at, '') AS TIMESTAMP), retire_reason: "
        "nullif($retire_reason, '')}]->(b) RETURN count(*)"
    ),
    "SAME_AS": (
        "MATCH (a:Entity {id: $source}), (b:Entity {id: $target}) CREATE (a)-[:SAME_AS {tier: $tier, rule: $rule, "
        "recorded_at: $recorded_at, statement: $statement}]->(b) RETURN count(*)"
    ),
}
STATEMENT = (
    "MATCH (n:Statement {id: $id}) RETURN n.id, n.kind, n.text, n.subject, n.predicate, n.object, n.polarity, "
    "n.valid_from, n.valid_to, n.asserted_at, n.recorded_at, n.session, n.session_started, n.`order`, "
    "n.subject_key, n.object_key, n.tier, n.confidence, n.importance, n.sensitivity, n.content_hash, n.extractor, "
    "n.rule, n.body, n.retirement, n.confirmations"
)
EVIDENCE_FOR = (
    "MATCH (a:Statement {id: $id})-[r:EVIDENCE]->(b:Turn) RETURN a.id, b.key, r.id, r.session, r.turn, r.role, "
    "r.speaker, r.start, r.`end`, r.quote, r.said_at, r.recorded_at, r.tier, r.confidence, r.extractor, r.body"
)
LINKS_FROM_ONE = (
    "MATCH (a:Statement {id: $id})-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement) RETURN "
    "label(r), a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, r.recorded_at, r.body, r.retired_at"
)
LINKS_TO_ONE = (
    "MATCH (a:Statement)-[r:SUPERSEDES|CORRECTS|CONTRADICTS|REFINES|DERIVED_FROM]->(b:Statement {id: $id}) RETURN "
    "label(r), a.id, b.id, r.id, r.rule, r.tier, r.at, r.said_at, r.recorded_at, r.body, r.retired_at"
)
TURN = (
    "MATCH (n:Turn {key: $id}) RETURN n.key, n.id, n.session, n.position, n.role, n.speaker, n.text, n.time, n.previous, n.body"
)
