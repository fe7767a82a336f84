"""Random small memories for the laws of the auditor's side: claims of all kinds in, a bundle out, in milliseconds."""

from __future__ import annotations

from datetime import timedelta

from build import NOW, World, claim, interval
from hypothesis import strategies as st

from graphmem.bundle import Bundle
from graphmem.export import gather
from graphmem.graph.reference import ReferenceGraph
from graphmem.reading import Reader
from graphmem.records import Confirmation, Delta, Retirement

USER = "åsa.k@example.se"
PLACES = ("Umeå", "Oslo", "Lund", 'the "old" town', "Åbo\u202e", "two\nlines", "Köln 😀", "a\\b")
RELATIONS = ("lives_in", "works_at", "likes", "dislikes", "allergic_to", "name", "born_on", "speaks", "visited", "hums_at")


@st.composite
def claims(draw):
    """One claim about a turn of its own."""
    predicate = draw(st.sampled_from([*["lives_in"] * 9, *["allergic_to"] * 6, *["likes", "dislikes"] * 2, *RELATIONS]))
    value = draw(st.sampled_from([*PLACES[:2] * 4, *PLACES]))
    start = draw(st.none() | st.integers(-400, 300))
    length = draw(st.none() | st.integers(1, 200))
    told = draw(st.sampled_from([None, None, None, "day", "month", "year", "minute"]))
    time = None if told is None else interval(start, None if length is None else (start or 0) + length, told)
    kind = "preference" if predicate in ("likes", "dislikes") else "episode" if predicate == "visited" else "fact"
    return claim(
        predicate,
        value,
        text=draw(st.sampled_from(["", "😀 ", "Well: "])) + value + draw(st.sampled_from(["", " now.", " \u2028!"])),
        kind=kind,
        polarity=draw(st.sampled_from(["positive", "positive", "positive", "negative"])),
        modality=draw(st.sampled_from([*["asserted"] * 8, "intended", "possible"])),
        temporal=draw(st.sampled_from([*["current"] * 8, "past", "ended", "future"])),
        context=draw(st.sampled_from([*[None] * 6, "at work", "å/ä"])),
        cue=draw(st.sampled_from([*[None] * 5, "change", "correction", "addition"])),
        hedged=draw(st.sampled_from([*[False] * 7, True])),
        time=time,
        confidence=draw(st.sampled_from([0.5, 0.8, 0.9, 0.6400000000000001])),
        mentions=draw(st.sampled_from([(), (("Ann", "person"),), (("Volvo", "organisation"), ("x y", "thing"))])),
    )


def bundle_of(graph: ReferenceGraph, *, user: str = USER, at=NOW, known_at=NOW, head: str = "f" * 64) -> Bundle:
    """What an export of a graph is made from."""
    reader = Reader(graph, now=NOW, as_of=at, known_at=known_at)
    return gather(graph, reader, user=user, space="default", ledger_head=head)


@st.composite
def stores(draw):
    """A graph after some sessions, confirmations and withdrawals."""
    world = World()
    for number in range(draw(st.integers(1, 4))):
        world.say(number, *draw(st.lists(claims(), min_size=1, max_size=4)), on=draw(st.integers(0, 200)))
    ids = sorted(node.record.id for node in world.graph.nodes())
    for id_ in draw(st.lists(st.sampled_from(ids), max_size=3, unique=True)):
        record = world.graph.nodes([id_])[0].record
        world.seq += 1
        more: dict[str, tuple] = {}
        if draw(st.booleans()):
            done = Confirmation(statement=id_, at=world.now, content_hash=record.content_hash, actor="owner")
            more["confirmations"] = (done,)
        else:
            more["retirements"] = (Retirement(statement=id_, at=world.now, reason='not "so"\n', actor="owner"),)
        world.graph.apply(Delta(seq=world.seq, **more))
    return world.graph


def loaded(delta: Delta) -> ReferenceGraph:
    """A graph of records that were read back."""
    graph = ReferenceGraph(dimension=4)
    graph.load([delta.model_copy(update={"seq": 1})])
    return graph


def later(days: int):
    """A moment before now."""
    return NOW - timedelta(days=days)
