"""A session from foreign data: checked field by field, normalised once, with digests for ids where they were missing.

Invariant: what `parse` returns satisfies the contract of `Session`, and the same data give the same session, ids included; a
memory keeps none of the digests (`graphmem.sessions.digests`).
Every fault is one line that names the session, the turn and the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

from graphmem.errors import LimitExceeded, NaiveTime, SessionError
from graphmem.model import ROLES, Role, Session, Span, SpanRole, Turn
from graphmem.personal.masks import mask_talk, masked
from graphmem.sessions.characters import normal, normal_offsets
from graphmem.sessions.digests import session_digest, turn_digest
from graphmem.sessions.regions import echoed_spans, merged, quoted_spans

MAX_TURN = 10_000_000
MAX_NAME = 1_000
SESSION_KEYS = ("id", "started", "ended", "topic", "channel", "turns", "offset_minutes", "turn_offsets")
TURN_KEYS = ("id", "role", "speaker", "text", "time", "spans")
SPAN_KEYS = ("start", "end", "role")
SPAN_ROLES = ("quoted", "memory")
SOURCES = ("tool", "document", "memory")
NEEDS_START = "has no start time: give `started` with an offset from UTC, or pass a start time (`--started`)"


class Moment(NamedTuple):
    """A time in UTC with the offset it was given in, in minutes east."""

    utc: datetime
    offset: int


def parse(data: Session | Mapping[str, Any]) -> Session:
    """A session from a mapping as the contract describes it; a `Session` is returned as it is, but for marks it lacks.

    Raises:
        SessionError: something is missing, unknown or of a wrong type.
        NaiveTime: a time has no offset from UTC.
        LimitExceeded: a turn is longer than ten million characters.
    """
    return session_of(data, default_started=None)


def session_of(data: Session | Mapping[str, Any], *, default_started: datetime | None) -> Session:
    """As `parse`, with a start for a session that brings none."""
    if isinstance(data, Session):
        return _marked(data)
    if not isinstance(data, Mapping):
        raise SessionError(f"a session must be an object with `started` and `turns`, not {kind_of(data)}")
    where = f"session {shown(data['id'])}" if isinstance(data.get("id"), str) else "session"
    known(data, SESSION_KEYS, where)
    started = _moment(data.get("started", default_started), where, "started")
    ended = _moment(data.get("ended"), where, "ended")
    if started is None:
        raise SessionError(f"{where} {NEEDS_START}")
    if ended is not None and ended.utc < started.utc:
        raise SessionError(f"{where}: `ended` lies before `started`: swap them or leave `ended` out")
    raw = data.get("turns")
    if not isinstance(raw, list | tuple):
        raise SessionError(f"{where}: `turns` must be a list, not {kind_of(raw)}")
    if not raw:
        raise SessionError(f"{where} has no turns: there is nothing to remember")
    turns, offsets = _turns(raw, where, started)
    topic, channel = name(data.get("topic"), where, "topic"), name(data.get("channel"), where, "channel")
    given = name(data.get("id"), where, "id")
    offset = _offset(data.get("offset_minutes", started.offset), where)
    offsets.update(_given_offsets(data.get("turn_offsets", {}), where, {turn.id for turn in turns}))
    return Session(
        id=given or _session_id(started.utc, topic, turns),
        started=started.utc,
        ended=ended and ended.utc,
        topic=topic,
        channel=channel,
        turns=tuple(turns),
        offset_minutes=offset,
        turn_offsets={turn: minutes for turn, minutes in offsets.items() if minutes != offset},
    )


def _marked(session: Session) -> Session:
    """A session that a caller built, with the marks on what is not its speakers' own, which may have been forgotten."""
    sources: list[str] = []
    turns: list[Turn] = []
    for turn in session.turns:
        if turn.role == "user":
            spans = merged([*turn.spans, *quoted_spans(turn.text), *echoed_spans(turn.text, sources)])
            turn = turn if spans == turn.spans else turn.model_copy(update={"spans": spans})
        elif turn.role in SOURCES:
            sources.append(turn.text)
        turns.append(turn)
    return (
        session
        if all(a is b for a, b in zip(turns, session.turns, strict=True))
        else session.model_copy(update={"turns": tuple(turns)})
    )


def _turns(raw: list[Any] | tuple[Any, ...], where: str, started: Moment) -> tuple[list[Turn], dict[str, int]]:
    read: list[tuple[Turn, int]] = []
    sources: list[str] = []
    for position, item in enumerate(raw):
        turn, offset = _turn(item, f"{where}, turn {position + 1}", started, sources)
        if turn.role in SOURCES:
            sources.append(turn.text)
        read.append((turn, offset))
    # A hash of a secret would let it be guessed, so ids are made of the text as it will be kept.
    kept = mask_talk([turn.text for turn, _ in read]).texts
    turns: list[Turn] = []
    offsets: dict[str, int] = {}
    for position, ((turn, offset), text) in enumerate(zip(read, kept, strict=True)):
        speaker = masked(turn.speaker or "")
        made = turn.id or turn_digest(position, turn.role, speaker, text, turn.time)
        if made in offsets:
            raise SessionError(f"{where}, turn {position + 1}: the id {shown(made)} is taken by an earlier turn")
        turns.append(turn if turn.id else turn.model_copy(update={"id": made}))
        offsets[made] = offset
    return turns, offsets


def _turn(item: Any, where: str, started: Moment, sources: list[str]) -> tuple[Turn, int]:
    """The turn, with an empty id if none was given, and its offset."""
    if isinstance(item, Turn):
        item = item.model_dump()
    if not isinstance(item, Mapping):
        raise SessionError(f"{where} must be an object with `role` and `text`, not {kind_of(item)}")
    if isinstance(item.get("id"), str):
        where += f" ({shown(item['id'])})"
    known(item, TURN_KEYS, where)
    role = item.get("role")
    if role not in ROLES:
        given = "no role" if role is None else f"unknown role {shown(role)}"
        raise SessionError(f"{where}: {given}; roles are {', '.join(ROLES)}")
    raw = item.get("text")
    if not isinstance(raw, str):
        raise SessionError(f"{where}: " + ("no `text`" if raw is None else f"`text` must be text, not {kind_of(raw)}"))
    if len(raw) > MAX_TURN:
        raise LimitExceeded(f"{where}: the text has {len(raw)} characters, the limit is {MAX_TURN}: split the turn")
    text = normal(raw)
    moment = _moment(item.get("time"), where, "time") or started
    speaker = name(item.get("speaker"), where, "speaker")
    spans = list(_spans(item.get("spans"), where, raw))
    if role == "user":
        spans += [*quoted_spans(text), *echoed_spans(text, sources)]
    return (
        Turn(
            id=name(item.get("id"), where, "id") or "",
            role=cast(Role, role),
            speaker=speaker,
            text=text,
            time=moment.utc,
            spans=merged(spans),
        ),
        moment.offset,
    )


def _spans(raw: Any, where: str, text: str) -> list[Span]:
    if raw is None:
        return []
    if not isinstance(raw, list | tuple):
        raise SessionError(f"{where}: `spans` must be a list, not {kind_of(raw)}")
    read: list[tuple[int, int, SpanRole]] = []
    for number, item in enumerate(raw, 1):
        here = f"{where}, span {number}"
        if isinstance(item, Span):
            item = item.model_dump()
        if not isinstance(item, Mapping):
            raise SessionError(f"{here} must be an object with `start`, `end` and `role`, not {kind_of(item)}")
        known(item, SPAN_KEYS, here)
        start, end, role = item.get("start"), item.get("end"), item.get("role")
        if not isinstance(start, int) or not isinstance(end, int) or isinstance(start, bool) or isinstance(end, bool):
            raise SessionError(f"{here}: `start` and `end` must be whole numbers")
        if not 0 <= start < end <= len(text):
            raise SessionError(f"{here}: {start}..{end} does not lie in the text of {len(text)} characters")
        if role not in SPAN_ROLES:
            raise SessionError(f"{here}: unknown role {shown(role)}; roles of spans are {', '.join(SPAN_ROLES)}")
        read.append((start, end, cast(SpanRole, role)))
    starts = normal_offsets(text, [start for start, _, _ in read], after=False)
    ends = normal_offsets(text, [end for _, end, _ in read], after=True)
    return [Span(start=starts[start], end=ends[end], role=role) for start, end, role in read]


def _moment(value: Any, where: str, field: str) -> Moment | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise SessionError(
                f"{where}: `{field}` is {shown(value)}, which is no time: give ISO 8601 such as 2026-05-14T10:30:00+03:00"
            ) from None
    if not isinstance(value, datetime):
        raise SessionError(f"{where}: `{field}` must be a time in ISO 8601, not {kind_of(value)}")
    offset = value.utcoffset()
    if offset is None:
        raise NaiveTime(f"{where}: `{field}` ({value.isoformat()}) has no offset from UTC: add one, such as Z or +02:00")
    try:
        return Moment(value.astimezone(UTC), int(offset / timedelta(minutes=1)))
    except OverflowError:
        raise SessionError(f"{where}: `{field}` ({value.isoformat()}) lies outside the calendar") from None


def _offset(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -1440 < value < 1440:
        raise SessionError(f"{where}: an offset must be a whole number of minutes within a day, not {shown(value)}")
    return value


def _given_offsets(value: Any, where: str, turns: set[str]) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise SessionError(f"{where}: `turn_offsets` must be an object, not {kind_of(value)}")
    for turn in value:
        if turn not in turns:
            raise SessionError(f"{where}: `turn_offsets` names {shown(turn)}, which is no turn of it")
    return {turn: _offset(minutes, where) for turn, minutes in value.items()}


def _session_id(started: datetime, topic: str | None, turns: list[Turn]) -> str:
    texts = mask_talk([turn.text for turn in turns]).texts
    said = ((masked(turn.id), turn.role, masked(turn.speaker or ""), text) for turn, text in zip(turns, texts, strict=True))
    return session_digest(started, masked(topic or ""), said)


def known(data: Mapping[Any, Any], keys: tuple[str, ...], where: str) -> None:
    """Refuses fields that the contract does not have, so that a misspelt one is not lost in silence."""
    unknown = [str(field) for field in data if field not in keys]
    if unknown:
        raise SessionError(f"{where}: unknown field {shown(unknown[0])}; known are {', '.join(keys)}")


def name(value: Any, where: str, field: str) -> str | None:
    """An optional short text."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise SessionError(f"{where}: `{field}` must be text, not {kind_of(value)}")
    if len(value) > MAX_NAME:
        raise LimitExceeded(f"{where}: `{field}` has {len(value)} characters, the limit is {MAX_NAME}")
    return normal(value).strip() or None


def shown(value: Any) -> str:
    """A value for a message, cut short and without anything that cannot be printed."""
    if isinstance(value, int) and abs(value) > 10**60:
        return "a huge number"
    text = normal(value[:200]) if isinstance(value, str) else kind_of(value) if isinstance(value, dict | list) else str(value)
    text = "".join(char if char.isprintable() else "\ufffd" for char in text[:61])
    return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    words = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return "nothing" if value is None else words.get(type(value), type(value).__name__)
