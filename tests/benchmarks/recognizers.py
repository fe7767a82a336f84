"""Time expressions against the English specification of Recognizers-Text: exact values by type, and false alarms.

Run `python tests/benchmarks/recognizers.py FILE [--write]`, FILE being its `DateTimeModel.json`: a JSON list of sentences
with a reference time, the expressions in them (place, type) and their candidate values.  The file is not part of the project.

What is counted is what was counted for other libraries: sentences whose `NotSupported` does not name `python` (`--all` takes
the rest too); of the dates those with a value, of the date ranges those with both bounds; and as false alarms the sentences
without any expression for which there is an interval.  The other types, and ranges with one bound, are information.

An expression is right when a reading on its words is the labelled value to the day (`first`: the first reading, `any`: also
the other order of day and month, or the other sense of "next").  Two conventions differ from ours:

- Recognizers gives the past and the future candidate where a bare weekday or month leaves it open; here the tense decides,
  and the reading is right if it is one of the candidates.
- Recognizers ends "from the 4th to the 9th" where the 9th begins, and "March to May" where May begins; here the last one
  belongs to it.  Such a range, and only one whose words name its last day, month or year, is right with either end;
  `strict` counts it as wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.extractors.base import TimeValue
from graphmem.extractors.timex import resolve

HERE = Path(__file__).parent
TYPES = ("date", "daterange", "open range", "datetime", "datetimerange", "time", "timerange", "set")
DAY = timedelta(days=1)
Bounds = tuple[datetime | None, datetime | None]


class Case(NamedTuple):
    """A sentence of the specification: its place there, and what is expected of it."""

    number: int
    text: str
    moment: datetime
    results: Sequence[Mapping[str, Any]]


def cases_of(path: Path, *, everything: bool = False) -> tuple[list[Case], int]:
    """The sentences that are counted, and how many are not."""
    rows = json.loads(path.read_text(encoding="utf-8-sig"))
    cases = []
    for number, row in enumerate(rows):
        if everything or "python" not in row.get("NotSupported", "").lower():
            moment = row.get("Context", {}).get("ReferenceDateTime", "2016-11-07T00:00:00")
            cases.append(Case(number, row["Input"], datetime.fromisoformat(moment).replace(tzinfo=UTC), row["Results"]))
    return cases, len(rows) - len(cases)


def kind_of(result: Mapping[str, Any]) -> str | None:
    """The row of the table that an expression belongs to, None if its value is not on the calendar."""
    kind = result.get("TypeName", "").removeprefix("datetimeV2.")
    values = values_of(result)
    if kind == "date":
        return kind if any(value.get("value", "")[:1].isdigit() for value in values) else None
    if kind == "daterange":
        if any("start" in value and "end" in value for value in values):
            return kind
        return "open range" if any("start" in value or "end" in value for value in values) else None
    return kind if kind in TYPES else None


def values_of(result: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The candidate values of an expression."""
    found: list[Mapping[str, str]] = (result.get("Resolution") or {}).get("values", [])
    return found


def readings(value: TimeValue) -> list[Bounds]:
    """The first reading and the alternatives."""
    return [(value.start, value.end), *value.alternatives]


def equal(bounds: Bounds, wanted: Mapping[str, str], kind: str, found: TimeValue, *, strict: bool) -> bool:
    """Whether a reading is one of the candidate values."""
    start, end = bounds
    if kind == "set":
        return found.modifier == "recurring"
    if kind in ("time", "timerange"):
        told = [bound and bound.strftime("%H:%M:%S") for bound in bounds]
        asked = [wanted.get("value"), None] if kind == "time" else [wanted.get("start"), wanted.get("end")]
        return all(right is None or left == right for left, right in zip(told, asked, strict=True)) and asked != [None, None]
    if kind in ("date", "datetime"):
        at = _moment(wanted.get("value"))
        return start is not None and start == at and (kind == "datetime" or end == at + DAY)
    first, last = _moment(wanted.get("start")), _moment(wanted.get("end"))
    if kind == "daterange" and (first is None or last is None):
        return False
    return start == first and (end == last or (not strict and end == _counted_in(found, last)))


def _counted_in(found: TimeValue, last: datetime | None) -> datetime | None:
    """The end of the day, month or year with which a range ends whose words name it, else None."""
    if last is None:
        return None
    day = rf"\b0?{last.day}(?:st|nd|rd|th)?\b|\b{last:%a}|[a-z](?:th|st|nd|rd)\b|\b(?:today|yesterday|tomorrow)\b"
    named = {"month": rf"\b{last:%b}", "year": rf"\b{last.year}\b"}.get(found.granularity or "", day)
    if re.search(rf"(?:\b(?:to|and|till?|until|thru|through)\b|[-–—~]).*(?:{named})", found.text, re.IGNORECASE) is None:
        return None
    after = {"month": last + timedelta(days=31), "year": last + timedelta(days=366)}.get(found.granularity or "", last + DAY)
    return after.replace(day=1) if found.granularity in ("month", "year") else after


def _moment(text: str | None) -> datetime | None:
    if not text or not re.match(r"\d{4}-\d\d-\d\d", text):
        return None
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class Row(NamedTuple):
    """One labelled expression and what was found on its words."""

    case: Case
    kind: str
    result: Mapping[str, Any]
    found: list[TimeValue]
    strict: bool
    first: bool
    any: bool


def rows_of(case: Case, found: Sequence[TimeValue]) -> Iterator[Row]:
    """The labelled expressions of a sentence; no value of ours is used for two of them."""
    used: set[int] = set()
    for result in case.results:
        kind = kind_of(result)
        if kind is None:
            continue
        over = [v for v in found if v.start_char <= result["End"] and result["Start"] < v.end_char and id(v) not in used]

        def right(taken: Sequence[TimeValue], *, count: int | None, strict: bool, kind: str = kind) -> TimeValue | None:
            wanted = values_of(result)  # noqa: B023
            for value in taken:
                if any(equal(b, w, kind, value, strict=strict) for b in readings(value)[:count] for w in wanted):
                    return value
            return None

        strict, first = right(over, count=1, strict=True), right(over, count=1, strict=False)
        any_ = right(over, count=None, strict=False)
        if any_ is not None:
            used.add(id(any_))
        yield Row(case, kind, result, over, strict is not None, first is not None, any_ is not None)


def score(cases: Sequence[Case]) -> tuple[list[Row], list[tuple[Case, list[TimeValue]]], int, float]:
    """All labelled expressions, the false alarms, how many sentences could give one, and microseconds a sentence."""
    began = time.perf_counter()
    answers = [resolve(case.text, case.moment) for case in cases]
    took = (time.perf_counter() - began) / (len(cases) or 1) * 1e6
    rows = [row for case, found in zip(cases, answers, strict=True) for row in rows_of(case, found)]
    empty = [(case, found) for case, found in zip(cases, answers, strict=True) if not case.results]
    return rows, [(case, found) for case, found in empty if found], len(empty), took


def share(part: int, whole: int) -> str:
    """Per cent to one place."""
    return f"{100 * part / whole:.1f} %" if whole else ""


def table(rows: Sequence[Row], alarms: int, empty: int) -> str:
    """The table of the README."""
    lines = ["| | n | strict | first | any |", "|---|---:|---:|---:|---:|"]
    for kind in TYPES:
        mine = [row for row in rows if row.kind == kind]
        marks = [share(sum(getattr(row, name) for row in mine), len(mine)) for name in ("strict", "first", "any")]
        lines.append(f"| {kind} | {len(mine)} | {' | '.join(marks)} |")
    lines.append(f"| false alarms | {empty} | {share(alarms, empty)} | | |")
    return "\n".join(lines)


def shown(value: TimeValue) -> str:
    """A value of ours in one line."""
    spans = " or ".join(f"{_day(start)}..{_day(end)}" for start, end in readings(value))
    return f"{value.text!r} {spans} {value.granularity} {value.modifier}"


def _day(moment: datetime | None) -> str:
    return "" if moment is None else moment.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")


def misses(rows: Sequence[Row], alarms: Sequence[tuple[Case, list[TimeValue]]], kinds: Sequence[str]) -> Iterator[str]:
    """One line for every expression that has no right first reading, and for every false alarm."""
    for row in rows:
        if row.kind in kinds and not row.first:
            wanted = "; ".join(" ".join(v.get(k, "") for k in ("value", "start", "end")).strip() for v in values_of(row.result))
            told = "; ".join(map(shown, row.found)) or "nothing"
            said = f"{row.case.number} [{row.case.moment:%a %Y-%m-%d}] {row.case.text!r}"
            yield f"{row.kind:<10}{said} {row.result['Text']!r} = {wanted}   got {told}"
    for case, found in alarms:
        yield f"{'alarm':<10}{case.number} {case.text!r}   got {'; '.join(map(shown, found))}"


def main() -> None:
    """Print the table; with `--misses` what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", choices=("even", "odd"), help="only sentences with such a number")
    parser.add_argument("--all", action="store_true", help="also sentences that the reference's own Python does not support")
    parser.add_argument("--misses", nargs="?", const="date,daterange", metavar="TYPES", help="list them (date,daterange)")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    options = parser.parse_args()
    cases, skipped = cases_of(options.file, everything=options.all)
    cases = [case for case in cases if options.half is None or case.number % 2 == (options.half == "odd")]
    rows, alarms, empty, took = score(cases)
    text = table(rows, len(alarms), empty)
    print(f"sentences {len(cases)}, not supported by the reference {skipped}; {took:.0f} µs a sentence\n{text}")
    for line in misses(rows, alarms, options.misses.split(",")) if options.misses else ():
        print(line)
    if options.write:
        page = HERE / "README.md"
        begin, end = "<!-- recognizers -->\n", "\n<!-- /recognizers -->"
        head, rest = page.read_text("utf-8").split(begin)
        page.write_text(head + begin + text + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    main()
