"""Consolidation by theme: nothing is lost, nothing is added twice, and no tier rises."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from audit_world import stores
from build import NOW, SECRET
from crowd import NoClaims, NoVectors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_export_restore import comes_back

from graphmem import Memory, rdf
from graphmem.auditing import violations
from graphmem.cli import run
from graphmem.communities import LEAST
from graphmem.errors import ConsolidationRefused
from graphmem.extractors.base import Claim
from graphmem.folding import delta_of, merge
from graphmem.graph.reference import ReferenceGraph
from graphmem.ingest import Ingestion
from graphmem.ledger import Draft
from graphmem.lifecycle import consolidate as module
from graphmem.lifecycle.borne import unborne
from graphmem.lifecycle.consolidate import planned, tried
from graphmem.lifecycle.proof import holdings, prove
from graphmem.model import TIER_RANK, Session, Turn
from graphmem.reconcile import reconsider
from graphmem.records import CONSOLIDATED, Delta, SessionRecord, TurnRecord, is_theme, turn_key

CLOCK = datetime(2026, 6, 1, tzinfo=UTC)


def chat(number, *texts, role="user"):
    turns = [{"id": f"t{n}", "role": role, "text": text} for n, text in enumerate(texts, 1)]
    return {"id": f"s{number}", "started": f"2025-0{number}-03T10:00:00Z", "turns": turns}


CHATS = [
    chat(1, "I like pottery.", "I love sailing.", "I live in Turku."),
    chat(2, "I signed up for a pottery class yesterday.", "I bought a small sailing boat last week."),
    chat(3, "I finished my first pottery bowl yesterday.", "I have asthma.", "I went sailing to Åland last weekend."),
]
MORE = chat(4, "I sold two pottery bowls at the market yesterday.", "I want to exhibit my pottery bowls.")


def opened(home, **more):
    return Memory.open(home, user="u", clock=lambda: CLOCK, **more)


def claimed(memory, number, *texts, role="user"):
    """Take in a session whose turns are statements as a whole, without reading them."""
    at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=number)
    turns = tuple(Turn(id=f"t{n}", role=role, text=text, time=at) for n, text in enumerate(texts, 1))
    claims = [
        Claim(turn=t.id, start=0, end=len(t.text), quote=t.text, kind="fact", predicate="note", object=t.text, rule="test")
        for t in turns
    ]
    ingestion = Ingestion(memory._space, extractor=NoClaims(), embedder=NoVectors())
    with memory._space.writing():
        ingestion.take(Session(id=f"c{number}", started=at, turns=turns), claims=claims)


def themes_of(memory):
    return [s for s in memory.statements() if s.details.get("type") == "theme"]


def content(memory):
    """What a memory holds beside its themes, as it shows it."""
    return {s.id: s for s in memory.statements() if s.details.get("type") != "theme"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A memory with themes, its content before, its answers before, and the report; for reading only."""
    with opened(tmp_path_factory.mktemp("home")) as memory:
        memory.ingest(CHATS)
        before, answers = content(memory), asked(memory)
        report = memory.consolidate()
        yield memory, before, answers, report


def asked(memory):
    questions = ("What does the user do with clay?", "pottery", "Where does the user live?", "What about the boat?")
    found = [memory.recall(question, k=20, min_score=least) for question in questions for least in (None, 0)]
    found += [memory.recall("pottery", k=20, kinds=["episode"])]
    return [
        [(hit.statement.id if hit.statement else hit.turn.id, round(hit.score, 5), hit.flags) for hit in one.hits]
        for one in found
    ]


def test_a_theme_is_summed_up_from_quotes_across_sessions(filled):
    memory, _, _, report = filled
    assert report.themes and report.lost == 0 and not report.dry_run
    pottery = next(s for s in themes_of(memory) if "pottery" in s.text)
    assert (pottery.kind, pottery.tier) == ("episode", "stated")
    assert len({item.session for item in pottery.evidence}) > 1
    trace = memory.trace(pottery.id)
    assert trace.verified and all(trace.verified)
    node = memory._space.graph.nodes([pottery.id])[0]
    derived = {link.target for link, _ in node.links if link.kind == "DERIVED_FROM" and link.source == pottery.id}
    assert len(derived) == pottery.details["sources"] >= LEAST
    assert derived <= content(memory).keys()


def test_everything_is_as_it_was_and_no_answer_changes(filled):
    memory, before, answers, report = filled
    assert content(memory) == before
    assert asked(memory) == answers
    assert (report.statements, report.quotes) == (len(before), sum(len(s.evidence) for s in before.values()))
    assert memory.changes() and all(c.statement is None or c.statement.details.get("type") != "theme" for c in memory.changes())
    assert all(info.summary is None or info.summary.startswith("Session") for info in memory.sessions())
    checked = memory.verify()
    assert checked.problems == () and checked.projection_equal


def test_what_belongs_to_a_special_category_stays_out(filled):
    memory, *_ = filled
    assert any("asthma" in s.text for s in memory.statements())
    assert not any("asthma" in s.text or any("asthma" in e.quote for e in s.evidence) for s in themes_of(memory))


def test_a_second_run_writes_nothing(filled):
    memory, _, _, report = filled
    head = memory.anchor()
    again = memory.consolidate()
    assert (again.themes, again.renewed, again.repeats, again.unchanged) == ((), (), (), len(report.themes))
    assert memory.anchor() == head


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path):
    with opened(tmp_path) as memory:
        memory.ingest(CHATS)
        head, steps = memory.anchor(), []
        planned_ = memory.consolidate(dry_run=True, progress=lambda done, total: steps.append((done, total)))
        assert memory.anchor() == head and planned_.dry_run and steps[-1] == (5, 5)
        done = memory.consolidate()
        assert (done.themes, done.lost) == (planned_.themes, 0)


def test_new_sessions_renew_a_theme_and_the_older_one_stays_linked(tmp_path):
    with opened(tmp_path) as memory:
        memory.ingest(CHATS)
        memory.consolidate()
        first = {s.id: s for s in themes_of(memory)}
        memory.ingest([MORE])
        report = memory.consolidate()
        assert report.renewed and report.lost == 0
        now = {s.id: s for s in themes_of(memory)}
        for newer, older in report.renewed:
            assert now[older].status == "superseded" and now[newer].supersedes == (older,)
            shown = ("text", "evidence", "valid_from", "valid_to")
            assert [getattr(now[older], name) for name in shown] == [getattr(first[older], name) for name in shown]
        assert "bowls" in " ".join(now[newer].text for newer, _ in report.renewed)
        # What reconciliation concludes anew later leaves the link alone.
        plan = reconsider(memory._space.graph.nodes(), secret=SECRET, now=CLOCK)
        assert plan.retired == ()
        assert memory.consolidate().themes == () and memory.verify().problems == ()


def test_forgetting_a_source_takes_the_summary_along_and_the_next_run_makes_another(tmp_path):
    with opened(tmp_path) as memory:
        memory.ingest(CHATS)
        memory.consolidate()
        theme = next(s for s in themes_of(memory) if "bowl" in s.text)
        gone = next(id_ for id_ in sorted(sources(memory, theme.id)) if "bowl" in content(memory)[id_].text)
        receipt = memory.forget(id=gone)
        assert receipt.residue_hits == 0
        assert theme.id not in {s.id for s in memory.statements()}
        report = memory.consolidate()
        assert report.lost == 0 and not any("bowl" in s.text for s in themes_of(memory))
        assert memory.verify().problems == ()


# ---------------------------------------------------------------------- taint


def test_three_facts_of_a_tool_are_summed_up_as_a_suggestion_and_kept(tmp_path):
    texts = ("vendor X is the best choice", "vendor X ships within a day", "vendor X has a discount")
    with opened(tmp_path) as memory:
        for number, text in enumerate(texts):
            claimed(memory, number, text, role="tool")
        before = content(memory)
        report = memory.consolidate()
        summary = themes_of(memory)[0]
        assert (len(report.themes), summary.tier, summary.status) == (1, "inferred", "suggested")
        assert content(memory) == before and set(before) == sources(memory, summary.id)
        assert all(item.role == "tool" and item.tier == "inferred" for item in summary.evidence)
        assert memory.recall("Which vendor is the best choice?").hits == ()


def test_what_a_tool_says_does_not_get_into_the_summary_of_what_was_stated(tmp_path):
    with opened(tmp_path) as memory:
        claimed(memory, 1, "kiln one is hot", "kiln two is cold", "kiln three is new")
        claimed(memory, 2, "kiln four is free", "kiln five is dear", "kiln six is old", role="tool")
        memory.consolidate()
        found = {s.tier: {item.role for item in s.evidence} for s in themes_of(memory)}
        assert found == {"stated": {"user"}, "inferred": {"tool"}}


def sources(memory, id_):
    node = memory._space.graph.nodes([id_])[0]
    return {link.target for link, _ in node.links if link.kind == "DERIVED_FROM" and link.source == id_}


# ---------------------------------------------------------------------- repeats


def repeat_of(node, number):
    """The id of a second statement that says what a node says, and a session in which its words are said again."""
    session, at = f"again{number}", node.record.asserted_at + timedelta(days=number)
    item, text = node.evidence[0], node.evidence[0].quote
    turn = TurnRecord(
        key=turn_key(session, "t1"), id="t1", session=session, position=0, role="user", speaker=None, text=text, time=at
    )
    placed = {
        "session": session,
        "turn": "t1",
        "turn_key": turn.key,
        "start": 0,
        "end": len(text),
        "role": "user",
        "said_at": at,
    }
    record = node.record.model_copy(
        update={"id": f"s_again{number}", "session": session, "asserted_at": at, "session_started": at}
    )
    delta = {
        "sessions": (
            SessionRecord(id=session, started=at, ended=None, topic=None, channel=None, recorded_at=node.record.recorded_at),
        ),
        "turns": (turn,),
        "statements": (record,),
        "evidence": (item.model_copy(update={"id": f"e_{number}", "statement": record.id, **placed}),),
    }
    return record.id, delta


def repeated(memory, number):
    """Put a repeat into the ledger, as one that was filled otherwise than by ingesting might have."""
    space = memory._space
    node = next(n for n in space.graph.nodes() if n.record.predicate == "note")
    id_, delta = repeat_of(node, number)
    body = json.loads(Delta(seq=1, **delta).model_dump_json(include=set(delta)))
    space.write(
        f"test/{number}", [Draft("statement recorded", (id_, f"again{number}"), {"delta": body})], at=space.ledger.now()
    )
    return node.record.id, id_


def test_exact_repeats_are_joined_and_stay(tmp_path):
    with opened(tmp_path) as memory:
        claimed(memory, 1, "the lamp is green", "another thing")
        claimed(memory, 2, "the lamp is green")
        assert memory.consolidate(dry_run=True).repeats == ()  # what is said again is joined when it is taken in
    with opened(tmp_path / "other") as memory:
        claimed(memory, 1, "the lamp is green")
        kept, joined = repeated(memory, 3)
        assert memory.consolidate().repeats == ((kept, joined),)
        found = {s.id: s for s in memory.statements()}
        assert [item.session for item in found[kept].evidence] == ["c1", "again3"]
        assert found[kept].status == "current" and found[kept].supersedes == (joined,)
        assert found[joined].status == "superseded" and found[joined].text == found[kept].text
        assert [e.session for e in found[joined].evidence] == ["again3"]
        hits = [hit.statement.id for hit in memory.recall("What colour is the lamp?", min_score=0).hits if hit.statement]
        assert joined not in hits
        assert {change.type for change in memory.changes()} == {"added"}
        assert memory.consolidate().repeats == () and memory.verify().problems == ()


def test_a_return_to_an_earlier_home_is_no_repeat(tmp_path):
    with opened(tmp_path) as memory:
        memory.ingest([chat(1, "I live in Oslo."), chat(2, "I moved to Bergen."), chat(3, "I moved back to Oslo.")])
        assert memory.consolidate(dry_run=True).repeats == ()


# ---------------------------------------------------------------------- faulty plans


def faults(memory):
    """Plans that would lose or invent something, by what is wrong with them."""
    nodes = {n.record.object: n for n in memory._space.graph.nodes()}
    first, second = nodes["the lamp is green"], nodes["the door is shut"]
    plan = planned(list(nodes.values()), [], module.vectors_by_statement(memory._space), secret=SECRET, now=CLOCK)
    theme = next(draft for draft in plan.drafts if draft.type == "statement recorded")
    at = "2026-06-01T00:00:00Z"

    def link(kind, source, target, rule):
        return {
            "links": [
                {"id": "l", "kind": kind, "source": source, "target": target, "rule": rule, "tier": "stated", "recorded_at": at,
                 "said_at": at, "at": at}
            ]
        }  # fmt: skip

    def changed(**more):
        delta = json.loads(json.dumps(theme.body["delta"]))
        for name, fields in more.items():
            for item in delta[name]:
                item.update(fields)
        return delta

    ids = first.record.id, second.record.id
    yield "records no retirements", {"retirements": [{"statement": ids[0], "at": at, "reason": "old", "actor": "x"}]}
    yield "records no confirmations", {"confirmations": [{"statement": ids[0], "at": at, "content_hash": "", "actor": "x"}]}
    yield "does not say the same", link("SUPERSEDES", ids[0], ids[1], "repeat")
    yield "does not say the same", link("SUPERSEDES", ids[0], ids[1], "theme")
    yield "no conclusion", link("CORRECTS", ids[0], ids[1], "theme")
    yield "no conclusion", link("SUPERSEDES", ids[0], ids[1], "changed")
    yield "no summary of a theme", changed(statements={"predicate": "note"})
    yield "no sources", {**changed(), "links": []}
    yield "higher tier", changed(statements={"tier": "confirmed"})
    yield "higher tier", changed(evidence={"tier": "inferred"})
    yield "none of its sources", changed(evidence={"start": 1})
    yield "higher tier", changed(evidence={"role": "tool"})
    yield "none of its sources", changed(evidence={"speaker": "Ann"})
    copy = {**second.evidence[0].model_dump(mode="json"), "id": "e_x", "statement": ids[0], "quote": "the door is open"}
    yield "not stand in its turn", {"evidence": [copy]}


def test_a_faulty_plan_is_refused_and_nothing_is_written(tmp_path, monkeypatch):
    with opened(tmp_path) as memory:
        claimed(memory, 1, "the lamp is green", "the door is shut", "the roof is new")
        head, before = memory.anchor(), content(memory)
        seen = 0
        for why, delta in faults(memory):
            plan = module.Plan((Draft("statement recorded", ("x",), {"delta": delta}),))
            monkeypatch.setattr(module, "planned", lambda *_, plan=plan, **__: plan)
            with pytest.raises(ConsolidationRefused) as refused:
                memory.consolidate()
            assert why in str(refused.value)
            assert "\n" not in str(refused.value)
            seen += 1
        assert seen == 14
        for type_ in ("erased", "retracted", "link retired"):
            plan = module.Plan((Draft(type_, (), {"blanked": [1]}),))
            monkeypatch.setattr(module, "planned", lambda *_, plan=plan, **__: plan)
            with pytest.raises(ConsolidationRefused):
                memory.consolidate()
        assert memory.anchor() == head and content(memory) == before


def test_what_is_gone_or_changed_on_the_other_side_is_found(tmp_path):
    with opened(tmp_path) as memory:
        claimed(memory, 1, "the lamp is green", "the door is shut")
        held = holdings(module.folded(memory._space), CLOCK)
    id_ = next(iter(held.nodes))
    without = held._replace(nodes={k: v for k, v in held.nodes.items() if k != id_})
    other = held.nodes[id_].record.model_copy(update={"text": "the lamp is red"})
    another = held._replace(nodes={**held.nodes, id_: held.nodes[id_]._replace(record=other)})
    unquoted = held._replace(nodes={**held.nodes, id_: held.nodes[id_]._replace(evidence=())})
    later = held.views[id_].model_copy(update={"valid_to": CLOCK})
    withdrawn = held._replace(nodes={**held.nodes, id_: held.nodes[id_]._replace(confirmations=(object(),))})
    unlinked = held._replace(nodes={**held.nodes, id_: held.nodes[id_]._replace(links=())})
    redated = held._replace(views={**held.views, id_: later})
    for after, why in (
        (without, "gone"), (another, "another"), (unquoted, "quote"), (redated, "valid to"), (withdrawn, "confirmed"),
        (unlinked, "conclusion"), (held._replace(turns={}), "turn"), (held._replace(views={}), "no longer be shown"),
    ):  # fmt: skip
        with pytest.raises(ConsolidationRefused, match=why):
            prove(held, after)
    prove(held, held)


# ---------------------------------------------------------------------- out and in again


def test_themes_come_back_from_an_export(filled, tmp_path):
    memory, *_ = filled
    wanted = themes_of(memory)
    for name, profile in (("audit.trig", "audit"), ("access.json", "access")):
        path = memory.export(tmp_path / name, profile=profile, format="json" if name.endswith("json") else "trig")
        with Memory.restore(path, home=tmp_path / profile, clock=lambda: CLOCK) as again:
            assert [(s.id, s.text, s.tier, s.details, s.evidence) for s in themes_of(again)] == [
                (s.id, s.text, s.tier, s.details, s.evidence) for s in wanted
            ]
            assert again.verify().problems == ()
            assert again.consolidate().themes == ()


def test_a_summary_that_says_more_than_its_sources_comes_back_as_a_suggestion(filled):
    memory, *_ = filled
    delta = merge([delta_of(entry, []) for entry in memory._space.ledger.entries()])
    assert not {s.id for s in themes_of(memory)} & unborne(delta, user="u").statements
    for theme in themes_of(memory):
        for text in (
            f"{theme.text[:-1]}; User likes banking.",
            theme.text.replace("2025", "2024", 1),
            f"{theme.text} and 1 more.",
        ):
            forged = [r.model_copy(update={"text": text, "object": text}) if r.id == theme.id else r for r in delta.statements]
            other = delta.model_copy(update={"statements": tuple(forged)})
            assert theme.id in unborne(other, user="u").statements, text


def test_the_shapes_hold_for_an_export_with_themes(filled):
    pytest.importorskip("pyshacl", reason="needs the extra shacl")
    memory, *_ = filled
    data = rdf.read(memory.dump(format="nquads", profile="audit"), format="nquads")
    assert rdf.check(data) == [] and list(violations(data)) == []


def test_the_command_tells_what_it_did(tmp_path, capsys):
    where = ["--user", "u", "--home", str(tmp_path)]
    with opened(tmp_path) as memory:
        memory.ingest(CHATS)
    assert run(["consolidate", "--dry-run", "--json", *where]) == 0
    planned_ = json.loads(capsys.readouterr().out)
    assert planned_["dry_run"] and planned_["lost"] == 0
    assert run(["consolidate", *where]) == 0
    said = capsys.readouterr().out
    assert len(planned_["themes"]) == 2
    assert (
        "Theme pottery" in said and "Theme sailing" in said and "2 themes summed up (0 renewed)" in said and ": 0 lost" in said
    )
    assert run(["consolidate", *where]) == 0
    assert "0 themes summed up (0 renewed), 2 unchanged" in capsys.readouterr().out


# ---------------------------------------------------------------------- laws


def rows_of(graph):
    """A vector for each statement, near for those with one object."""
    found = {}
    for node in graph.nodes():
        values = np.random.default_rng(len(node.record.object_key)).normal(size=8)
        found[node.record.id] = (values / np.linalg.norm(values)).astype(np.float32)
    return found


def shown(graph):
    held = holdings(graph, NOW)
    return {
        id_: (v.text, v.kind, v.valid_from, v.valid_to, v.status, v.tier, v.evidence, v.asserted_at)
        for id_, v in held.views.items()
    }


def nothing_is_lost(graph: ReferenceGraph, again: list[int]) -> int:
    """One run over any graph in which some statements are repeated, and what must hold of it; how many were joined."""
    nodes = [node for node in graph.nodes() if node.evidence[0].role == "user"]
    for number, place in enumerate(again if nodes else (), 1):
        graph.apply(Delta(seq=graph.applied_seq() + 1, **repeat_of(nodes[place % len(nodes)], number)[1]))
    turns, records = graph.turns(), {n.record.id: n.record for n in graph.nodes()}
    before, held = shown(graph), holdings(graph, NOW)
    plan = planned(graph.nodes(), graph.mentions(), rows_of(graph), secret=SECRET, now=NOW)
    prove(held, tried(graph, plan.drafts, NOW))
    after = shown(graph)
    assert graph.turns() == turns and {n.record.id: n.record for n in graph.nodes()}.items() >= records.items()
    joined = {older: kept for kept, older in plan.repeats}
    for id_, was in before.items():
        now = after[id_]
        heir = joined.get(id_)
        assert set(was[6]) <= set(now[6])
        if heir is None:
            assert (*now[:6], now[7]) == (*was[:6], was[7])
        else:
            said = {(e.session, e.turn, e.start, e.end, e.quote, e.said_at) for e in was[6]}
            assert said <= {(e.session, e.turn, e.start, e.end, e.quote, e.said_at) for e in after[heir][6]}
            assert after[heir][:3] == was[:3] and after[heir][5] == was[5], (after[heir], was)
    for node in graph.nodes(plan.themes):
        own = {link.target for link, _ in node.links if link.kind == "DERIVED_FROM" and link.source == node.record.id}
        assert is_theme(node.record) and own <= records.keys()
        assert TIER_RANK[after[node.record.id][5]] <= min(TIER_RANK[before[id_][5]] for id_ in own)
    second = planned(graph.nodes(), graph.mentions(), rows_of(graph), secret=SECRET, now=NOW + timedelta(days=1))
    assert second.drafts == ()
    gone = {item.link for item in reconsider(graph.nodes(), secret=SECRET, now=NOW).retired}
    links = [link for node in graph.nodes() for link, _ in node.links]
    assert not any(link.id in gone and link.rule in CONSOLIDATED for link in links)
    return len(plan.repeats)


repeats = st.lists(st.integers(0, 15), max_size=3)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(graph=stores(), again=repeats)
def test_nothing_is_lost_from_any_memory(graph, again):
    nothing_is_lost(graph, again)


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(graph=stores(), again=repeats)
def test_a_consolidated_memory_comes_back_from_every_format(tmp_path_factory, graph, again):
    nothing_is_lost(graph, again)
    comes_back(graph, tmp_path_factory.getbasetemp())


@pytest.mark.long
@settings(max_examples=int(os.environ.get("CONSOLIDATE_STORES", "500")), suppress_health_check=list(HealthCheck))
@given(graph=stores(), again=repeats)
def test_nothing_is_lost_from_five_hundred_memories(graph, again):
    nothing_is_lost(graph, again)


words = st.sampled_from(["kiln", "boat", "garden", "violin"])
sayings = st.lists(
    st.tuples(words, st.sampled_from(["is old", "is new", "costs much"]), st.integers(1, 9)), min_size=1, max_size=4
)


def stays_whole(home, talks):
    """A store on the disk after each session and run: verified, with an equal projection, and nothing lost."""
    with opened(home) as memory:
        for number, (role, said) in enumerate(talks):
            claimed(memory, number, *{f"{thing} {place} {what}" for thing, what, place in said}, role=role)
            before = content(memory)
            report = memory.consolidate()
            assert report.lost == 0 and content(memory) == before
        checked = memory.verify()
        assert checked.problems == () and checked.projection_equal
        assert memory.consolidate().themes == ()


talks = st.lists(st.tuples(st.sampled_from(["user", "user", "tool"]), sayings), min_size=1, max_size=4)


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(talks=talks)
def test_a_store_stays_whole(tmp_path_factory, talks):
    stays_whole(tmp_path_factory.mktemp("store"), talks)


@pytest.mark.long
@settings(max_examples=int(os.environ.get("CONSOLIDATE_STORES", "500")), suppress_health_check=list(HealthCheck))
@given(talks=talks)
def test_five_hundred_stores_stay_whole(tmp_path_factory, talks):
    stays_whole(tmp_path_factory.mktemp("store"), talks)
