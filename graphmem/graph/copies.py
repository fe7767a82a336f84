"""The statements that fill one whole table of a new file each, for `graphmem.graph.fill` alone.

Invariant: each is run once, in the folder of a generation that nobody refers to yet, for it folds what it wrote into the
file.  It reads `TABLE.csv` of that folder: columns in the order of `graphmem.graph.schema.COLUMNS`, every field quoted; an
empty field is read as NULL by one engine and as '' by the other.
"""

from __future__ import annotations

COPY = {
    "Session": (
        "COPY Session FROM (LOAD WITH HEADERS (id STRING, started STRING, recorded_at STRING, body STRING) FROM "
        "'Session.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(id, ''), "
        "CAST(started AS TIMESTAMP), CAST(recorded_at AS TIMESTAMP), nullif(body, ''))"
    ),
    "Turn": (
        "COPY Turn FROM (LOAD WITH HEADERS (key STRING, id STRING, session STRING, position STRING, role STRING, "
        "speaker STRING, text STRING, time STRING, previous STRING, body STRING) FROM 'Turn.csv' (HEADER=false, "
        "PARALLEL=false, ESCAPE='\"') RETURN coalesce(key, ''), coalesce(id, ''), coalesce(session, ''), "
        "CAST(position AS INT64), coalesce(role, ''), nullif(speaker, ''), coalesce(text, ''), "
        "CAST(time AS TIMESTAMP), nullif(previous, ''), nullif(body, ''))"
    ),
    "Statement": (
        "COPY Statement FROM (LOAD WITH HEADERS (id STRING, kind STRING, text STRING, subject STRING, "
        "predicate STRING, object STRING, polarity STRING, valid_from STRING, valid_to STRING, asserted_at STRING, "
        "recorded_at STRING, session STRING, session_started STRING, `order` STRING, subject_key STRING, "
        "object_key STRING, tier STRING, confidence STRING, importance STRING, sensitivity STRING, "
        "content_hash STRING, extractor STRING, rule STRING, body STRING, retirement STRING, confirmations STRING) "
        "FROM 'Statement.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(id, ''), "
        "coalesce(kind, ''), coalesce(text, ''), coalesce(subject, ''), coalesce(predicate, ''), "
        "coalesce(object, ''), coalesce(polarity, ''), CAST(nullif(valid_from, '') AS TIMESTAMP), "
        "CAST(nullif(valid_to, '') AS TIMESTAMP), CAST(asserted_at AS TIMESTAMP), CAST(recorded_at AS TIMESTAMP), "
        "coalesce(session, ''), CAST(session_started AS TIMESTAMP), CAST(`order` AS INT64), "
        "coalesce(subject_key, ''), coalesce(object_key, ''), coalesce(tier, ''), CAST(confidence AS DOUBLE), "
        "CAST(importance AS DOUBLE), coalesce(sensitivity, ''), coalesce(content_hash, ''), "
        "coalesce(extractor, ''), coalesce(rule, ''), nullif(body, ''), nullif(retirement, ''), "
        "nullif(confirmations, ''))"
    ),
    "Entity": (
        "COPY Entity FROM (LOAD WITH HEADERS (id STRING, name STRING, type STRING, key STRING) FROM 'Entity.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(id, ''), coalesce(name, ''), "
        "coalesce(type, ''), coalesce(key, ''))"
    ),
    "Vector": (
        "COPY Vector FROM (LOAD WITH HEADERS (id STRING, owner STRING, kind STRING, model STRING, "
        "recorded_at STRING, `values` STRING) FROM 'Vector.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') "
        "RETURN coalesce(id, ''), coalesce(owner, ''), coalesce(kind, ''), coalesce(model, ''), "
        "CAST(recorded_at AS TIMESTAMP), CAST(`values` AS FLOAT[]))"
    ),
    "IN_SESSION": (
        "COPY IN_SESSION FROM (LOAD WITH HEADERS (source STRING, target STRING) FROM 'IN_SESSION.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''))"
    ),
    "NEXT": (
        "COPY NEXT FROM (LOAD WITH HEADERS (source STRING, target STRING) FROM 'NEXT.csv' (HEADER=false, "
        "PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''))"
    ),
    "EVIDENCE": (
        "COPY EVIDENCE FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, session STRING, "
        "turn STRING, role STRING, speaker STRING, start STRING, `end` STRING, quote STRING, said_at STRING, "
        "recorded_at STRING, tier STRING, confidence STRING, extractor STRING, body STRING) FROM 'EVIDENCE.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''), "
        "coalesce(id, ''), coalesce(session, ''), coalesce(turn, ''), coalesce(role, ''), nullif(speaker, ''), "
        "CAST(start AS INT64), CAST(`end` AS INT64), coalesce(quote, ''), CAST(said_at AS TIMESTAMP), "
        "CAST(recorded_at AS TIMESTAMP), coalesce(tier, ''), CAST(confidence AS DOUBLE), coalesce(extractor, ''), "
        "nullif(body, ''))"
    ),
    "SUBJECT": (
        "COPY SUBJECT FROM (LOAD WITH HEADERS (source STRING, target STRING, tier STRING) FROM 'SUBJECT.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''), "
        "coalesce(tier, ''))"
    ),
    "OBJECT": (
        "COPY OBJECT FROM (LOAD WITH HEADERS (source STRING, target STRING, tier STRING) FROM 'OBJECT.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''), "
        "coalesce(tier, ''))"
    ),
    "MENTIONS": (
        "COPY MENTIONS FROM (LOAD WITH HEADERS (source STRING, target STRING, tier STRING) FROM 'MENTIONS.csv' "
        "(HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), coalesce(target, ''), "
        "coalesce(tier, ''))"
    ),
    "SUPERSEDES": (
        "COPY SUPERSEDES FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, rule STRING, "
        "tier STRING, at STRING, said_at STRING, recorded_at STRING, body STRING, retired_at STRING, "
        "retire_reason STRING) FROM 'SUPERSEDES.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') "
        "RETURN coalesce(source, ''), coalesce(target, ''), coalesce(id, ''), coalesce(rule, ''), "
        "coalesce(tier, ''), CAST(nullif(at, '') AS TIMESTAMP), CAST(said_at AS TIMESTAMP), "
        "CAST(recorded_at AS TIMESTAMP), nullif(body, ''), CAST(nullif(retired_at, '') AS TIMESTAMP), "
        "nullif(retire_reason, ''))"
    ),
    "CORRECTS": (
        "COPY CORRECTS FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, rule STRING, tier STRING, "
        "at STRING, said_at STRING, recorded_at STRING, body STRING, retired_at STRING, retire_reason STRING) FROM "
        "'CORRECTS.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), "
        "coalesce(target, ''), coalesce(id, ''), coalesce(rule, ''), coalesce(tier, ''), "
        "CAST(nullif(at, '') AS TIMESTAMP), CAST(said_at AS TIMESTAMP), CAST(recorded_at AS TIMESTAMP), "
        "nullif(body, ''), CAST(nullif(retired_at, '') AS TIMESTAMP), nullif(retire_reason, ''))"
    ),
    "CONTRADICTS": (
        "COPY CONTRADICTS FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, rule STRING, "
        "tier STRING, at STRING, said_at STRING, recorded_at STRING, body STRING, retired_at STRING, "
        "retire_reason STRING) FROM 'CONTRADICTS.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') "
        "RETURN coalesce(source, ''), coalesce(target, ''), coalesce(id, ''), coalesce(rule, ''), "
        "coalesce(tier, ''), CAST(nullif(at, '') AS TIMESTAMP), CAST(said_at AS TIMESTAMP), "
        "CAST(recorded_at AS TIMESTAMP), nullif(body, ''), CAST(nullif(retired_at, '') AS TIMESTAMP), "
        "nullif(retire_reason, ''))"
    ),
    "REFINES": (
        "COPY REFINES FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, rule STRING, tier STRING, "
        "at STRING, said_at STRING, recorded_at STRING, body STRING, retired_at STRING, retire_reason STRING) FROM "
        "'REFINES.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') RETURN coalesce(source, ''), "
        "coalesce(target, ''), coalesce(id, ''), coalesce(rule, ''), coalesce(tier, ''), "
        "CAST(nullif(at, '') AS TIMESTAMP), CAST(said_at AS TIMESTAMP), CAST(recorded_at AS TIMESTAMP), "
        "nullif(body, ''), CAST(nullif(retired_at, '') AS TIMESTAMP), nullif(retire_reason, ''))"
    ),
    "DERIVED_FROM": (
        "COPY DERIVED_FROM FROM (LOAD WITH HEADERS (source STRING, target STRING, id STRING, rule STRING, "
        "tier STRING, at STRING, said_at STRING, recorded_at STRING, body STRING, retired_at STRING, "
        "retire_reason STRING) FROM 'DERIVED_FROM.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') "
        "RETURN coalesce(source, ''), coalesce(target, ''), coalesce(id, ''), coalesce(rule, ''), "
        "coalesce(tier, ''), CAST(nullif(at, '') AS TIMESTAMP), CAST(said_at AS TIMESTAMP), "
        "CAST(recorded_at AS TIMESTAMP), nullif(body, ''), CAST(nullif(retired_at, '') AS TIMESTAMP), "
        "nullif(retire_reason, ''))"
    ),
    "SAME_AS": (
        "COPY SAME_AS FROM (LOAD WITH HEADERS (source STRING, target STRING, tier STRING, rule STRING, "
        "recorded_at STRING, statement STRING) FROM 'SAME_AS.csv' (HEADER=false, PARALLEL=false, ESCAPE='\"') "
        "RETURN coalesce(source, ''), coalesce(target, ''), coalesce(tier, ''), coalesce(rule, ''), "
        "CAST(recorded_at AS TIMESTAMP), coalesce(statement, ''))"
    ),
}
