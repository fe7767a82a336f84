"""An auditor's walk from a fact to its transcript, the same asked in SPARQL, and the proof that nothing was altered.

Run: python examples/auditor.py
"""

import tempfile
from datetime import UTC, datetime

from conversations import SESSIONS

from graphmem import Memory

MOVES = """
PREFIX gm: <https://w3id.org/graphmem/ns#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX oa: <http://www.w3.org/ns/oa#>
SELECT ?place ?quote WHERE {
  ?fact rdf:predicate gm:livesIn ; gm:objectText ?place ; gm:assertedAt ?said ;
    prov:wasDerivedFrom/oa:hasSelector/oa:exact ?quote .
} ORDER BY ?said
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as home, Memory.open(home, user="noor") as memory:
        memory.ingest(SESSIONS)
        fact = next(s for s in memory.statements(status="current") if s.predicate == "lives_in")
        print(f"The memory says: {fact.text}")
        trace = memory.trace(fact.id)
        for item, proved in zip(trace.evidence, trace.verified, strict=True):
            proof = item.evidence
            print(f"  session {proof.session}, turn {proof.turn}, characters {proof.start} to {proof.end}")
            print(f"  said by the {proof.role} on {proof.said_at:%Y-%m-%d}: “{proof.quote}”")
            print(f"  those characters are what the ledger holds there: {'yes' if proved else 'NO'}")
            for turn in item.after:
                print(f"    then the {turn.role}: {turn.text}")
        print("Its history in the ledger")
        for entry in trace.history:
            print(f"  entry {entry.seq}: {entry.type}, by {entry.actor}")
        for id_ in fact.supersedes:
            old = memory.trace(id_).statement
            print(f"It replaced: {old.text} ({old.status}), kept with its own quote:")
            print(f"  “{old.evidence[0].quote}”")
        march = datetime(2025, 3, 1, tzinfo=UTC)
        before = [s.object for s in memory.statements(as_of=march) if s.predicate == "lives_in"]
        print(f"Asked about 1 March 2025, the same memory says: {', '.join(before)}")

        print("The same from outside: the export, asked in SPARQL")
        known = datetime.now(UTC)
        _, rows = memory.sparql("believed", bindings={"D": known, "V": march})
        print(f"  believed about 1 March 2025: {len(rows)} statements")
        _, rows = memory.sparql(MOVES)
        for place, quote in rows:
            print(f"  home: {place}, for “{quote}”")
        anchor = memory.anchor()
        copy = memory.export(f"{home}/audit.trig", profile="audit", purpose="yearly audit", actor="eva", role="auditor")
        with Memory.restore(copy, home=f"{home}/elsewhere", anchor=anchor) as again:
            same = again.statements() == memory.statements()
        print(f"  restored elsewhere from its audit export: {'the same statements' if same else 'OTHER statements'}")
        report = memory.verify(anchor=anchor)
        print(
            f"Verified: {report.quotes_checked} quotes, {len(report.quotes_broken)} broken; "
            f"ledger {'whole' if report.ledger_ok else 'damaged'}; "
            f"graph {'equal to' if report.projection_equal else 'differs from'} a rebuild"
        )


if __name__ == "__main__":
    main()
