"""What the machine tells: short sessions over a small vocabulary, as text with claims and as the model's words.

Invariant: every quote is unique, so that it can be told apart and looked for; no two claims of a session begin at one
place, and no two sessions at one time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import strategies as st
from machine_model import DEEDS, Said

from graphmem.extractors.base import Claim, TimeValue
from graphmem.model import Session, Span, Turn

EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
OWNER = "ana"
CAPS = {"user": "stated", "assistant": "inferred", "tool": "inferred", "document": "inferred", "quoted": "inferred"}
SPECIAL = {"allergic_to"}  # taken from people's own words only
PLACES = ["Oslo", "Turku", "Lund", "Lisbon", "Alfama in Lisbon"]
JOBS = ["teacher", "nurse", "baker"]
TASTES = ["olives", "jazz"]
TASKS = sorted(DEEDS.values())


class Content(NamedTuple):
    """A claim before it is said by somebody somewhere; times are days from the day of saying."""

    predicate: str
    object: str
    kind: str = "fact"
    polarity: str = "positive"
    modality: str = "asserted"
    temporal: str = "current"
    context: str | None = None
    cue: str | None = None
    replaces: str | None = None
    since: int | None = None
    until: int | None = None
    precision: str = "day"
    due: str | None = None
    done: bool = False
    about: str | None = None
    hedged: bool = False


class Line(NamedTuple):
    """A turn to come: who speaks, and what it says; with `wide` the second claim quotes the whole turn."""

    role: str
    speaker: str | None
    contents: tuple[Content, ...]
    wide: bool


def mostly(usual: object, *others: object) -> st.SearchStrategy:
    return st.sampled_from([usual] * (2 * len(others)) + list(others))


@st.composite
def states(draw, predicate: str, objects: list[str]) -> Content:
    """A value that holds, held, no longer holds or is to hold."""
    obj = draw(st.sampled_from(objects))
    temporal = draw(mostly("current", "past", "ended", "future"))
    since = until = None
    if temporal == "current":
        since = draw(st.one_of(st.none(), st.integers(-400, 0)))
        until = draw(mostly(None, 30, 200)) if since is not None else None
    elif temporal == "past":
        until = draw(st.one_of(st.none(), st.integers(-300, 0)))
        since = draw(st.one_of(st.none(), st.integers(-500, -301)))
    elif temporal == "future":
        since = draw(st.integers(40, 400))
    cue = (
        draw(st.sampled_from([None, None, None, "change", "change", "addition", "correction"]))
        if temporal in ("current", "future")
        else None
    )
    others = [one for one in objects if one != obj]
    replaces = draw(mostly(None, *others)) if cue in ("change", "correction") else None
    context = draw(mostly(None, None, "summers"))
    polarity = draw(mostly("positive", "positive", "negative")) if temporal == "current" else "positive"
    if replaces is not None:
        polarity = "positive"
    return Content(
        predicate, obj, polarity=polarity, context=context, temporal=temporal, cue=cue, replaces=replaces, since=since,
        until=until, precision=draw(st.sampled_from(["day", "day", "month", "year"])),
        modality=draw(mostly("asserted", "intended")),
    )  # fmt: skip


homes = states("lives_in", PLACES)
jobs = states("has_job", JOBS)


@st.composite
def tastes(draw) -> Content:
    predicate = draw(st.sampled_from(["likes", "likes", "dislikes", "prefers"]))
    # "No longer likes" is left to a test of its own: it reaches across relations.
    temporal = "current"
    context = draw(mostly(None, "work", "home")) if predicate != "prefers" else draw(st.sampled_from(["work", "home", None]))
    return Content(
        predicate, draw(st.sampled_from(TASTES)), kind="preference", temporal=temporal, context=context,
        cue=draw(mostly(None, "change")), polarity=draw(mostly("positive", "negative")),
    )  # fmt: skip


def contents(predicate: str, objects: list[str], **fields: st.SearchStrategy) -> st.SearchStrategy[Content]:
    """Claims of one relation; fields that are not named keep their defaults."""
    drawn = {"predicate": st.just(predicate), "object": st.sampled_from(objects), **fields}
    return st.fixed_dictionaries(drawn).map(lambda found: Content(**found))


allergies = contents("allergic_to", ["walnuts", "pollen"], polarity=mostly("positive", "negative"), cue=mostly(None, "change"))
counts = st.one_of(
    contents("has_family", ["two children", "three children", "one brother"], cue=mostly(None, "change")),
    contents("has_pet", ["two cats", "one cat", "one dog"], cue=mostly(None, "correction")),
)
names = contents("name", ["Ana", "Anna", "Anya"], cue=mostly(None, "correction"))
tasks = st.one_of(
    contents(
        "task", TASKS, kind=st.just("open_item"), due=st.sampled_from([None, "2025-06-01T00:00:00Z", "2025-09-01T00:00:00Z"])
    ),
    contents("task", sorted(DEEDS), kind=st.just("open_item"), done=st.just(True)),
)
anything = st.one_of(homes, homes, jobs, tastes(), tastes(), allergies, counts, names, tasks)


@st.composite
def lines(draw, contents: st.SearchStrategy, *, pair: bool, longest: int = 3) -> tuple[Line, ...]:
    """Turns of one session; of a pair, both speak for themselves."""
    made = []
    for _ in range(draw(st.integers(1, longest))):
        role = draw(mostly("user", "user", "user", "assistant", "quoted", "document", "memory"))
        speaker = draw(st.sampled_from(["Ana", "Ben"])) if pair and role in ("user", "quoted") else None
        said = draw(st.lists(contents, min_size=0 if made else 1, max_size=2))
        chosen: dict[tuple[object, ...], Content] = {}
        for content in said:
            other = {"Ana": "Ben", "Ben": "Ana"}.get(speaker, "Mia") if pair else "Mia"
            about = draw(mostly(None, "Mia", other))
            hedged = draw(mostly(False, False, False, True))
            identity = (
                content.predicate, content.object, content.polarity, content.temporal, content.context, about,
                content.modality, content.since, content.until, content.due, content.done,
            )  # fmt: skip
            chosen.setdefault(identity, content._replace(about=about, hedged=hedged))
        made.append(Line(role, speaker, tuple(chosen.values()), draw(st.booleans())))
    return tuple(made)


# The owner's plain words about one thing, on several days in any order.
stories = st.sampled_from([homes, jobs, tastes(), counts, allergies, tasks]).flatmap(
    lambda one: st.lists(st.tuples(st.integers(0, 400), one), min_size=2, max_size=5)
)


class Told(NamedTuple):
    """A session as it is handed over, its claims, and the model's words for what may be kept of them."""

    session: Session
    claims: tuple[Claim, ...]
    said: tuple[Said, ...]


def tell(session: str, started: datetime, lines: tuple[Line, ...], *, mark: str) -> Told:
    """A session made of lines."""
    turns, claims, said = [], [], []
    pair = {line.speaker for line in lines if line.speaker and line.role in ("user", "quoted")}
    for position, line in enumerate(lines):
        turn, at, text = f"t{position + 1}", started + timedelta(seconds=position), f"{mark}.{position}, well:"
        places = []
        for number, content in enumerate(line.contents):
            words = f"{mark}.{position}.{number} {content.predicate} {content.object}"
            places.append((len(text) + 1, len(text) + 1 + len(words)))
            text += f" {words};"
        if line.wide and len(places) == 2:
            places[1] = 0, len(text)
        role = "user" if line.role == "quoted" else line.role
        spans = (Span(start=0, end=len(text), role="quoted"),) if line.role == "quoted" else ()
        turns.append(Turn(id=turn, role=role, speaker=line.speaker, text=text, time=at, spans=spans))
        for content, (start, end) in zip(line.contents, places, strict=True):
            claims.append(_claim(content, turn, text, start, end, started))
            if line.role == "user" or (line.role in CAPS and content.predicate not in SPECIAL):
                said.append(_said(content, line, pair, (session, started, turn, position, at, start, end)))
    return Told(Session(id=session, started=started, turns=tuple(turns)), tuple(claims), tuple(said))


def _bounds(content: Content, started: datetime) -> tuple[datetime | None, datetime | None]:
    midnight = started.replace(hour=0, minute=0, second=0, microsecond=0)

    def bound(days: int | None) -> datetime | None:
        if days is None:
            return None
        found = midnight + timedelta(days=days)
        if content.precision in ("month", "year"):
            found = found.replace(day=1)
        return found.replace(month=1) if content.precision == "year" else found

    since, until = bound(content.since), bound(content.until)
    return (None if since is not None and until is not None and until <= since else since), until


def _claim(content: Content, turn: str, text: str, start: int, end: int, started: datetime) -> Claim:
    since, until = _bounds(content, started)
    dated = since is not None or until is not None
    details: dict[str, object] = {}
    if content.kind == "open_item":
        details = {"verb": content.object.split()[0]} if content.done else {"due": content.due, "owner": "user"}
    return Claim(
        turn=turn, start=start, end=end, quote=text[start:end], kind=content.kind, predicate=content.predicate,
        object=content.object, polarity=content.polarity, modality=content.modality, temporal=content.temporal,
        context=content.context, cue=content.cue, replaces=content.replaces, hedged=content.hedged,
        time=TimeValue(text="", start=since, end=until, granularity=content.precision) if dated else None,
        subject=content.about or "user", rule="machine", details=details, done=content.done,
    )  # fmt: skip


def _said(content: Content, line: Line, pair: set[str | None], where: tuple) -> Said:
    """Who a claim is about and how far it is believed: the owner's plain words are stated, all else is a suggestion."""
    mine = line.speaker != "Ben" or len(pair) < 2
    me = "user" if mine else "ben"
    tier = "inferred" if content.hedged else CAPS[line.role]
    if content.about is None:
        subject = me
    elif content.about in pair and len(pair) > 1:
        subject, tier = ("ben" if content.about == "Ben" else "user"), "inferred"  # one speaker about another is hearsay
    else:
        subject = f"{me}/{content.about.lower()}"
    since, until = _bounds(content, where[1])
    if content.temporal == "ended" and (until is None or until > where[4]):
        until = where[4]
    return Said(
        *where, subject, content.predicate, content.object, tier, content.kind, content.polarity, content.modality,
        content.temporal, content.context, content.cue, content.replaces, since, until,
        content.precision if content.since is not None or content.until is not None else None, content.due, content.done,
    )  # fmt: skip
