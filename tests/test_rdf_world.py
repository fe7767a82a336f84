"""Hand-made memories for the tests of the exports: records in, a bundle out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graphmem.export import Bundle
from graphmem.graph.base import Node
from graphmem.model import Contradiction, Span
from graphmem.records import (
    Confirmation,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    MentionRecord,
    Retirement,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    turn_key,
)
from graphmem.views import view

NOW = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)
FIRST = datetime(2025, 9, 10, 8, 15, tzinfo=UTC)
SECOND = datetime(2026, 8, 20, 17, 2, 11, tzinfo=UTC)
THIRD = datetime(2026, 9, 14, 9, 30, tzinfo=UTC)
LATER = timedelta(minutes=5)


def session(name: str, started: datetime, **more) -> SessionRecord:
    fields = {"ended": None, "topic": None, "channel": None, "recorded_at": started + LATER}
    return SessionRecord(id=name, started=started, **(fields | more))


def turn(place: str, number: int, text: str, time: datetime, role: str = "user", **more) -> TurnRecord:
    name = f"t{number}"
    fields = {"speaker": None} | more
    return TurnRecord(
        key=turn_key(place, name), id=name, session=place, position=number, role=role, text=text, time=time, **fields
    )


def evidence(statement: str, source: TurnRecord, quote: str, **more) -> EvidenceRecord:
    start = source.text.index(quote)
    fields = {
        "id": f"e_{statement}_{source.key}",
        "role": source.role,
        "tier": "stated" if source.role == "user" else "inferred",
        "confidence": 0.9,
        "extractor": "rules-1",
        "recorded_at": source.time + LATER,
    }
    return EvidenceRecord(
        statement=statement,
        session=source.session,
        turn=source.id,
        turn_key=source.key,
        speaker=source.speaker,
        start=start,
        end=start + len(quote),
        quote=quote,
        said_at=source.time,
        **(fields | more),
    )


def statement(name: str, predicate: str, value: str, source: TurnRecord, **more) -> StatementRecord:
    fields = {
        "kind": "fact",
        "text": f"User {predicate} {value}",
        "subject": "user",
        "subject_key": "user",
        "recorded_at": source.time + LATER,
        "tier": "stated",
        "confidence": 0.9,
        "importance": 0.5,
        "sensitivity": "ordinary",
        "content_hash": "0" * 64,
        "extractor": "rules-1",
        "rule": "r1",
    }
    return StatementRecord(
        id=name,
        predicate=predicate,
        object=value,
        object_key=value.casefold(),
        asserted_at=source.time,
        session=source.session,
        session_started=source.time,
        order=source.position,
        **(fields | more),
    )


def link(kind: str, source: StatementRecord, target: StatementRecord, **more) -> LinkRecord:
    fields = {
        "id": f"l_{kind.lower()}_{source.id}_{target.id}",
        "rule": "value",
        "tier": "stated",
        "recorded_at": source.recorded_at,
        "said_at": source.asserted_at,
    }
    return LinkRecord(kind=kind, source=source.id, target=target.id, **(fields | more))


def node(record, proofs, links=(), retirement=None, confirmations=()) -> Node:
    return Node(record, tuple(proofs), tuple(links), retirement, tuple(confirmations))


def bundle(user: str, nodes, turns, sessions, *, space: str = "default", at: datetime = NOW, **more) -> Bundle:
    known_at = more.pop("known_at", NOW)
    views = [view(item, at, known_at) for item in nodes]
    return Bundle(
        user=user,
        space=space,
        at=at,
        known_at=known_at,
        nodes=tuple(nodes),
        turns=tuple(turns),
        sessions=tuple(sessions),
        statements=tuple(item for item in views if item is not None),
        ledger_head="f" * 64,
        **more,
    )


def world(user: str = "åsa.k@example.se", *, space: str = "default") -> Bundle:
    """A memory with one of everything that an export has a form for."""
    sessions = [
        session("autumn", FIRST, topic='moving "house"', channel="chat", offset_minutes=120),
        session("2026-08 / chat", SECOND, ended=SECOND + LATER),
        session("s3", THIRD),
    ]
    home = turn("autumn", 0, "Hey 😀! I moved to Umeå in the spring.\nNuts make me ill: I am allergic to nuts.", FIRST)
    answer = turn("autumn", 1, "You might enjoy the northern lights, then.", FIRST + LATER / 5, "assistant")
    tool = turn("autumn", 2, "weather: −4 °C", FIRST + LATER / 4, "tool")
    moved = turn(
        "2026-08 / chat",
        0,
        "We moved to Stockholm on 1 August. Short answers, please, when I code. I used to play chess.",
        SECOND,
        speaker="Åsa",
        spans=(Span(start=0, end=2, role="quoted"),),
    )
    nuts = turn("s3", 0, "Well, I can eat nuts. My name is Asa, no, Åsa. I also visited Rome in 2019.", THIRD)
    turns = [home, answer, tool, moved, nuts]

    umea = statement(
        "s_umea", "lives_in", "Umeå", home, valid_from=datetime(2025, 3, 1, tzinfo=UTC),
        valid_granularity="season", time_text="in the spring", modifier="at",
    )  # fmt: skip
    stockholm = statement(
        "s_stockholm", "lives_in", "Stockholm", moved, valid_from=datetime(2026, 8, 1, tzinfo=UTC),
        valid_granularity="day", cue="change", time_text="on 1 August",
    )  # fmt: skip
    allergic = statement("s_allergic", "allergic_to", "nuts", home, sensitivity="special")
    tolerates = statement("s_tolerates", "allergic_to", "nuts", nuts, polarity="negative", sensitivity="special")
    short = statement("s_short", "prefers", "short answers", moved, kind="preference", context="when coding")
    chess = statement("s_chess", "skill", "play chess", moved, temporal="ended", valid_to=SECOND)
    lights = statement("s_lights", "likes", "northern lights", answer, kind="preference", tier="inferred")
    asa = statement("s_asa", "name", "Asa", nuts)
    named = statement("s_named", "name", "Åsa", nuts, cue="correction", replaces="Asa")
    rome = statement(
        "s_rome", "visited", "Rome", nuts, kind="episode", temporal="past", valid_from=datetime(2019, 1, 1, tzinfo=UTC),
        valid_to=datetime(2020, 1, 1, tzinfo=UTC), valid_granularity="year", details={"type": "journey", "topics": ["å"]},
    )  # fmt: skip
    sister = statement(
        "s_sister", "works_at", "Volvo", moved, subject="my sister", subject_key="user/sister", modality="intended"
    )

    over = link("SUPERSEDES", stockholm, umea, at=datetime(2026, 8, 1, tzinfo=UTC), granularity="day")
    clash = link("CONTRADICTS", allergic, tolerates, recorded_at=THIRD + LATER, said_at=THIRD, rule="polarity")
    fixed = link("CORRECTS", named, asa)
    gone = link("REFINES", rome, stockholm, rule="place")
    nodes = [
        node(umea, [evidence("s_umea", home, "I moved to Umeå in the spring.")], [(over, None)]),
        node(allergic, [evidence("s_allergic", home, "I am allergic to nuts")], [(clash, None)]),
        node(lights, [evidence("s_lights", answer, "You might enjoy the northern lights")]),
        node(
            stockholm,
            [evidence("s_stockholm", moved, "We moved to Stockholm on 1 August")],
            [(over, None), (gone, THIRD + 2 * LATER)],
        ),
        node(
            short,
            [evidence("s_short", moved, "Short answers, please, when I code")],
            confirmations=[Confirmation(statement="s_short", at=THIRD, content_hash="0" * 64, actor="owner")],
        ),
        node(
            chess,
            [evidence("s_chess", moved, "I used to play chess")],
            retirement=Retirement(statement="s_chess", at=NOW - LATER, reason='never "played"', actor="owner"),
        ),
        node(sister, [evidence("s_sister", moved, "We moved")]),
        node(tolerates, [evidence("s_tolerates", nuts, "I can eat nuts")], [(clash, None)]),
        node(asa, [evidence("s_asa", nuts, "My name is Asa")], [(fixed, None)]),
        node(named, [evidence("s_named", nuts, "My name is Asa, no, Åsa.")], [(fixed, None)]),
        node(rome, [evidence("s_rome", nuts, "I also visited Rome in 2019")], [(gone, THIRD + 2 * LATER)]),
    ]
    result = bundle(
        user,
        nodes,
        turns,
        sessions,
        space=space,
        entities=(
            EntityRecord(id="n_user", name="user", type="person", key="user"),
            EntityRecord(id="n_umea", name="Umeå", type="place", key="umeå"),
            EntityRecord(id="n_stockholm", name="Stockholm", type="place", key="stockholm"),
            EntityRecord(id="n_sthlm", name="Sthlm", type="place", key="sthlm"),
            EntityRecord(id="n_nuts", name="nuts", type="thing", key="nut"),
        ),
        mentions=(
            MentionRecord(statement="s_umea", entity="n_user", kind="SUBJECT", tier="stated"),
            MentionRecord(statement="s_umea", entity="n_umea", kind="OBJECT", tier="stated"),
            MentionRecord(statement="s_stockholm", entity="n_stockholm", kind="OBJECT", tier="stated"),
            MentionRecord(statement="s_rome", entity="n_stockholm", kind="MENTIONS", tier="stated"),
            MentionRecord(statement="s_rome", entity="n_sthlm", kind="MENTIONS", tier="stated"),
        ),
        same_as=(
            SameAsRecord(
                source="n_sthlm", target="n_stockholm", tier="inferred", rule="alias", recorded_at=THIRD, statement="s_rome"
            ),
        ),
    )
    found = {item.id: item for item in result.statements}
    pair = Contradiction(
        id=clash.id, a=found["s_allergic"], b=found["s_tolerates"], rule="polarity", overlap=None, status="open",
        resolution=None, opened_at=clash.recorded_at,
    )  # fmt: skip
    return replace(result, contradictions=(pair,))


def test_every_quote_of_the_hand_made_memory_stands_in_its_turn():
    memory = world()
    texts = {item.key: item.text for item in memory.turns}
    proofs = [item for entry in memory.nodes for item in entry.evidence]
    assert len(proofs) == len(memory.nodes) == 11
    assert all(texts[item.turn_key][item.start : item.end] == item.quote for item in proofs)
