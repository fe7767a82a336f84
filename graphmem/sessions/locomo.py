"""The LoCoMo data set: samples with numbered sessions between two people.

Invariant: turn ids are the data's own (`D1:3`), so that its evidence lists can be compared.  Both people speak as `user`
with their names; times are read as UTC, since the data name no zone; turns follow each other by half a minute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.errors import SessionError
from graphmem.sessions.document import Document
from graphmem.sessions.parsing import kind_of, shown

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_TIME = re.compile(r"\s*(\d{1,2}):(\d\d)\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE | re.ASCII)
STEP = timedelta(seconds=30)


def misfit(document: Document) -> str | None:
    """Why the document is no LoCoMo file."""
    if document.fault:
        return document.fault
    samples = _samples(document.value)
    if not samples or not all(isinstance(item, Mapping) and isinstance(item.get("conversation"), Mapping) for item in samples):
        return "no samples with a `conversation`"
    return None if any(_numbers(item["conversation"]) for item in samples) else "no `session_1` in a conversation"


def sessions(document: Document) -> Iterator[Any]:
    """The sessions of all samples; with several samples their names come before the number of the session."""
    samples = _samples(document.value)
    for place, sample in enumerate(samples, 1):
        name = sample.get("sample_id")
        prefix = "" if len(samples) == 1 else f"{name if isinstance(name, str) else f'sample-{place}'}/"
        talk = sample["conversation"]
        for number in _numbers(talk):
            turns = list(_turns(talk, f"session_{number}"))
            if turns:
                yield {"id": f"{prefix}session_{number}", "started": turns[0]["time"], "turns": turns}


def _samples(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _numbers(talk: Mapping[str, Any]) -> list[int]:
    number = 1
    while f"session_{number}" in talk or f"session_{number}_date_time" in talk:
        number += 1
    return list(range(1, number))


def _turns(talk: Mapping[str, Any], session: str) -> Iterator[dict[str, Any]]:
    raw = talk.get(session, [])
    if not isinstance(raw, list):
        raise SessionError(f"{session} must be a list of turns, not {kind_of(raw)}")
    if not raw:
        return
    started = _started(talk.get(f"{session}_date_time"), session)
    for place, turn in enumerate(raw):
        where = f"{session}, turn {place + 1}"
        if not isinstance(turn, Mapping) or not isinstance(turn.get("text"), str):
            raise SessionError(f"{where} must be an object with `speaker`, `dia_id` and `text`")
        photo = turn.get("blip_caption")
        data = {
            "role": "user",
            "speaker": turn.get("speaker"),
            "text": turn["text"] + (f" [shares a photo: {photo}]" if photo else ""),
            "time": started + STEP * place,
        }
        yield data | ({"id": turn["dia_id"]} if turn.get("dia_id") is not None else {})


def _started(value: Any, session: str) -> datetime:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[5].lower() not in MONTHS:
        raise SessionError(f"{session}: {shown(value)} is no time such as '1:56 pm on 8 May, 2023'")
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    try:
        return datetime(int(match[6]), MONTHS.index(match[5].lower()) + 1, int(match[4]), hour, int(match[2]), tzinfo=UTC)
    except ValueError:
        raise SessionError(f"{session}: {shown(value)} is no time of the calendar") from None
