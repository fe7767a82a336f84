"""The command `extract`: what an ingest would take from a transcript, and why not the rest.

Invariant: with files no store is opened or made, and every file is read and checked before the first word is printed.
Without files it is about what a memory has recorded and not extracted yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphmem.cli.extracting import pending
from graphmem.cli.options import PLACE, extracting, in_home, moment, print_json, waiting
from graphmem.cli.output import day, local, some
from graphmem.cli.writing import FORMATS
from graphmem.context import plain
from graphmem.errors import InputError

if TYPE_CHECKING:
    from graphmem.explanation import Explanation, Refused, SentenceOutcome, Taken, TurnOutcome
    from graphmem.extractors.base import Extractor

SHOWN = 160  # characters of a sentence or quote that are shown; --json has them all


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE...]", type=PLACE)
@click.option("--explain", is_flag=True, help="Every sentence: what was taken by which rule, or why nothing was.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="auto", show_default=True)
@click.option("--started", metavar="TIME", help="When the conversation began, for formats that do not say.")
@extracting
@click.option("--user", metavar="ID", help="Without files: whose memory. With files: who owns it, where several people speak.")
@click.option("--space", default="default", show_default=True, metavar="NAME", help="Which of the user's memories.")
@in_home
@waiting
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def extract(
    paths: tuple[Path, ...],
    explain: bool,
    format_: str,
    started: str | None,
    by: str | Extractor,
    user: str | None,
    space: str,
    home: Path | None,
    wait: float,
    as_json: bool,
) -> None:
    """Show what rules would take from FILES: nothing is recorded, and no memory is needed.

    Without files: extract the sessions that --user has recorded and that wait for it, because a language model failed.
    """
    if not paths:
        if user is None or explain:
            raise InputError("name the files to explain, or --user alone to extract what is recorded and waits")
        pending((home, user, space), by, as_json, wait=wait)
        return
    if by != "rules":
        raise InputError("files are explained by rules: leave --extractor away, or `ingest` them with it")
    from graphmem.explanation import explain as explained
    from graphmem.extractors.rules import RuleExtractor
    from graphmem.sessions.gathering import gather

    sessions = list(gather(list(paths), format=format_, started=moment("started", started)))
    extractor = RuleExtractor()
    found = (explained(session, extractor=extractor, user=user or "user") for session in sessions)
    if as_json:
        print_json([item if explain else _claims(item) for item in found])
        return
    for item in found:
        lines = _explanation(item) if explain else (line for claim in item.claims for line in _taken(claim, turn=True))
        for line in lines:
            click.echo(line)


def _claims(item: Explanation) -> dict[str, object]:
    claims = [claim.model_dump(mode="json") for claim in item.claims]
    return {"session": item.session, "extractor": item.extractor, "claims": claims}


def _explanation(item: Explanation) -> Iterator[str]:
    from graphmem.explanation import together

    topic = f", {plain(item.topic)}" if item.topic else ""
    yield f"session {plain(item.session)}, {day(item.started)}{topic}"
    for turn in item.turns:
        yield f"  turn {plain(turn.turn)}, {plain(turn.speaker or turn.role)}"
        for group in together(turn):
            yield from _group(group)
        for refused in turn.stray:
            yield f"      - {_reason(refused)}"
    yield _sums(item.turns)


def _group(group: tuple[SentenceOutcome, ...]) -> Iterator[str]:
    """Sentences that share one reason in a line of their own, the sentence of a claim above its claims."""
    text = _short(" ".join(sentence.text for sentence in group))
    yield f"    {text}" + (f"  ({len(group)} sentences)" if len(group) > 1 else "")
    for claim in group[0].taken:
        for line in _taken(claim, turn=False):
            yield f"      {line}"
    told: set[str] = set()
    for sentence in group:
        for item in sentence.refused:
            part = "" if item.quote == sentence.text or len(sentence.refused) + len(sentence.taken) == 1 else item.quote
            line = f"      - {f'“{_short(part)}”: ' if part else ''}{_reason(item)}"
            if line not in told:
                told.add(line)
                yield line


def _reason(item: Refused) -> str:
    by = f" by {item.rule}" if item.rule else ""
    where = "not read" if item.stage == "unread" else item.stage
    return f"{item.meaning}  [{where}: {item.reason}{by}]"


def _taken(claim: Taken, *, turn: bool) -> Iterator[str]:
    marks: list[str] = [claim.temporal, claim.tier]
    if claim.polarity == "negative":
        marks.append("negative")
    if claim.modality != "asserted":
        marks.append(claim.modality)
    if claim.done:
        marks.append("done")
    marks += [text for text in (_when(claim), claim.cue) if text]
    subject = "" if claim.subject == "user" else f" of {plain(claim.subject)}"
    context = f" ({plain(claim.context)})" if claim.context else ""
    relation = f"{claim.kind}  {claim.relation}{subject}: {plain(claim.object)}{context}"
    place = f"{f'turn {plain(claim.turn)}, ' if turn else ''}characters {claim.start}-{claim.end}"
    yield f"+ {_short(relation)}  [{', '.join(marks)}]  by {claim.rule}"
    yield f"    “{_short(claim.quote)}”  {place}"


def _when(claim: Taken) -> str:
    """The time as it was said and as it is read."""
    if claim.due:
        return f"due {local(datetime.fromisoformat(claim.due), 'day')}"
    if claim.time is None:
        return ""
    grain = claim.time.granularity
    bounds = [f"from {local(claim.time.start, grain)}"] if claim.time.start else []
    bounds += [f"until {local(claim.time.end, 'day')}"] if claim.time.end else []
    return " ".join([f"“{plain(claim.time.text)}”", *bounds]) if bounds else f"“{plain(claim.time.text)}”"


def _sums(turns: tuple[TurnOutcome, ...]) -> str:
    """How many sentences gave something, and how many did not for which reason."""
    reasons: dict[str, int] = {}
    taken = claims = 0
    for sentence in (sentence for turn in turns for sentence in turn.sentences):
        claims += len(sentence.taken)
        taken += bool(sentence.taken)
        for reason in dict.fromkeys(item.reason for item in sentence.refused) if not sentence.taken else ():
            reasons[reason] = reasons.get(reason, 0) + 1
    total = sum(len(turn.sentences) for turn in turns)
    why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))
    return f"  {some(claims, 'claim')} from {taken} of {some(total, 'sentence')}" + (
        f"; nothing from the others: {why}" if why else ""
    )


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
