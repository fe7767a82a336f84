"""Records and histories to try graphs on; imports nothing heavy, so that child processes start fast."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone

from graphmem.records import (
    LINK_KINDS,
    Confirmation,
    Delta,
    EntityRecord,
    EvidenceRecord,
    LinkRecord,
    LinkRetired,
    MentionRecord,
    Retirement,
    SameAsRecord,
    SessionRecord,
    StatementRecord,
    TurnRecord,
    VectorRecord,
    key,
    turn_key,
)

DIMENSION = 4
START = datetime(2026, 1, 1, 12, 30, 15, 123456, tzinfo=UTC)
# Texts that break careless quoting, encoding or JSON.
TEXTS = (
    "I moved to Lisbon",
    "",
    "naïve café — Ελλάδα, Россия, 東京 🦊👩‍👩‍👧",
    'it\'s "quoted" \\ back\\slash',
    "'}) DETACH DELETE n //",
    "line\nbreak\ttab\r\x00nul",
    "$ids {dimension} %s {0}",
    "x" * 3_000,
)


def at(minutes: float) -> datetime:
    """A time after the start, in a zone that is not UTC."""
    return (START + timedelta(minutes=minutes)).astimezone(timezone(timedelta(hours=3)))


def session(number: int = 0) -> SessionRecord:
    return SessionRecord(
        id=f"S{number}",
        started=at(number * 100),
        ended=at(number * 100 + 50) if number % 2 else None,
        topic=TEXTS[number % len(TEXTS)] or None,
        channel=None,
        recorded_at=at(number * 100 + 1),
        offset_minutes=180,
    )


def turn(position: int, of: int = 0, *, text: str = "I moved to Lisbon", previous: bool | None = None) -> TurnRecord:
    """A turn in its place; `previous` defaults to all but the first having one."""
    chained = position > 0 if previous is None else previous
    return TurnRecord(
        key=turn_key(f"S{of}", f"t{position}"),
        id=f"t{position}",
        session=f"S{of}",
        position=position,
        role="user" if position % 2 == 0 else "assistant",
        speaker=("Alice", None, "")[position % 3],
        text=text,
        time=at(of * 100 + position),
        previous=turn_key(f"S{of}", f"t{position - 1}") if chained else None,
    )


def statement(
    number: int, *, subject: str = "user", predicate: str = "lives_in", obj: str = "lisbon", text: str = ""
) -> StatementRecord:
    return StatementRecord(
        id=f"st{number}",
        kind=("fact", "preference", "open_item")[number % 3],  # type: ignore[arg-type]
        text=text or f"statement {number}",
        subject=subject.title(),
        predicate=predicate,
        object=obj.title(),
        valid_from=at(-number) if number % 2 else None,
        valid_to=at(number * 1_000) if number % 4 == 0 else None,
        valid_granularity="day" if number % 2 else None,
        asserted_at=at(number // 2),
        recorded_at=at(number + 10),
        session="S0",
        session_started=at(0),
        order=number * 100_000_000,
        subject_key=subject,
        object_key=obj,
        tier="stated",
        confidence=0.1 + number / 1_000,
        importance=0.5,
        sensitivity="normal",
        content_hash=f"h{number}",
        extractor="rules/1",
        rule="r",
        details={"topics": ["a", "é"], "n": number, "nested": {"x": None}},
    )


def evidence(number: int, of: StatementRecord, where: TurnRecord) -> EvidenceRecord:
    return EvidenceRecord(
        id=key("e", of.id, where.key, str(number)),
        statement=of.id,
        session=where.session,
        turn=where.id,
        turn_key=where.key,
        role="user",
        speaker=where.speaker,
        start=number,
        end=number + 4,
        quote=where.text[number : number + 4],
        said_at=where.time,
        recorded_at=at(number + 500),
        tier="stated",
        confidence=1.0 if number % 2 else 0.75,
        extractor="rules/1",
        valid_from=at(number) if number % 3 == 0 else None,
    )


def link(kind: str, source: str, target: str, number: int = 0) -> LinkRecord:
    return LinkRecord(
        id=key("l", kind, source, target, str(number)),
        kind=kind,  # type: ignore[arg-type]
        source=source,
        target=target,
        rule="change",
        tier="stated",
        recorded_at=at(number + 700),
        said_at=at(number),
        at=at(number + 3) if number % 2 == 0 else None,
        granularity="day" if number % 2 == 0 else None,
        overlap_from=at(number) if kind == "CONTRADICTS" else None,
    )


def vector(owner: str, values: tuple[float, ...], kind: str = "statement", recorded: float = 0) -> VectorRecord:
    return VectorRecord(
        id=key("v", owner, kind),
        owner=owner,
        kind=kind,  # type: ignore[arg-type]
        model="m/1",
        recorded_at=at(recorded),
        values=values,
    )


def small_world() -> list[Delta]:
    """A history in three deltas that fills every table, and in which the last changes what the first two brought."""
    turns = [turn(n, text=TEXTS[n % len(TEXTS)]) for n in range(6)]
    facts = [statement(n, subject="user" if n < 4 else "bob", obj=f"o{n % 3}") for n in range(6)]
    links = [link(kind, f"st{n + 1}", f"st{n}", n) for n, kind in enumerate(LINK_KINDS)]
    return [
        Delta(
            seq=3,
            sessions=(session(),),
            turns=tuple(turns),
            statements=tuple(facts[:4]),
            evidence=tuple(evidence(n, fact, turns[n]) for n, fact in enumerate(facts[:4])),
            entities=tuple(EntityRecord(id=f"e{n}", name=TEXTS[n], type="place", key=f"k{n}") for n in range(3)),
            mentions=tuple(MentionRecord(statement=f"st{n}", entity="e0", kind="SUBJECT", tier="stated") for n in range(4)),
            links=tuple(links[:3]),
            vectors=(vector("st0", (1.0, 0.0, 0.0, 0.0)), vector(turns[0].key, (0.0, 1.0, 0.0, 0.0), "turn")),
        ),
        Delta(
            seq=5,
            statements=tuple(facts[4:]),
            evidence=(evidence(4, facts[4], turns[4]), evidence(5, facts[5], turns[0]), evidence(6, facts[0], turns[5])),
            links=tuple(links[3:]),
            mentions=(
                MentionRecord(statement="st0", entity="e1", kind="OBJECT", tier="stated"),
                MentionRecord(statement="st5", entity="e1", kind="MENTIONS", tier="inferred"),
            ),
            same_as=(
                SameAsRecord(source="e0", target="e1", tier="inferred", rule="alias", recorded_at=at(9), statement="st5"),
            ),
            vectors=(vector("st5", (0.6, 0.8, 0.0, 0.0), recorded=60), vector(turns[0].key, (0.0, 0.0, 1.0, 0.0), "pair")),
        ),
        Delta(
            seq=9,
            retirements=(Retirement(statement="st1", at=at(1_000), reason="it's wrong", actor="owner"),),
            confirmations=(Confirmation(statement="st2", at=at(1_001), content_hash="h2", actor="owner"),),
            links_retired=(LinkRetired(link=links[0].id, at=at(1_002), reason="st1 was retracted"),),
        ),
    ]


def long_history(count: int, seed: int = 7) -> list[Delta]:
    """A chain of small deltas, each with a turn, a statement and its surroundings; the same for the same arguments."""
    chance = random.Random(seed)
    deltas = []
    for n in range(count):
        said, fact = turn(n), statement(n, obj=f"o{n % 7}", text=chance.choice(TEXTS))
        numbers = tuple(chance.uniform(-1, 1) for _ in range(DIMENSION))
        deltas.append(
            Delta(
                seq=n * 2 + 1,
                sessions=(session(),) if n == 0 else (),
                turns=(said,),
                statements=(fact,),
                evidence=(evidence(0, fact, said),),
                entities=(EntityRecord(id=f"e{n % 9}", name="E", type="thing", key="e"),),
                mentions=(MentionRecord(statement=fact.id, entity=f"e{n % 9}", kind="OBJECT", tier="stated"),),
                links=(link("SUPERSEDES", fact.id, f"st{n - 1}", n),) if n % 3 == 2 else (),
                links_retired=(
                    (LinkRetired(link=link("SUPERSEDES", f"st{n - 1}", f"st{n - 2}", n - 1).id, at=at(n), reason="x"),)
                    if n % 3 == 0 and n
                    else ()
                ),
                retirements=(Retirement(statement=f"st{n - 1}", at=at(n), reason="", actor="owner"),) if n % 5 == 4 else (),
                vectors=(vector(fact.id, numbers),),
            )
        )
    return deltas
