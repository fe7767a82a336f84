"""How answers are written for a person to read.

Invariant: every statement is shown with its tier, its date and its words; text from conversations is made plain first, so
that no control sequence reaches the terminal.
"""

from __future__ import annotations

from datetime import datetime

import click

from graphmem.context import plain
from graphmem.model import Contradiction, Entity, Evidence, Profile, Question, Recall, Statement, Trace
from graphmem.ontology import relation
from graphmem.periods import nearest

SHORT = 12  # characters of an id that are shown


def day(value: datetime | None) -> str:
    """A date, or a dash."""
    return value.date().isoformat() if value is not None else "-"


def some(number: int, noun: str) -> str:
    """A number with its noun, in the singular for one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def local(value: datetime, granularity: str | None) -> str:
    """A bound as precisely as it is known; local midnights are shown as the day they begin, not as the UTC day before."""
    meant = nearest(value, granularity)
    if granularity in ("year", "half", "decade", "century"):
        return f"{meant.year}"
    return f"{meant:%Y-%m}" if granularity in ("month", "season", "quarter") else meant.date().isoformat()


def quote(item: Evidence) -> str:
    """A quote with who said it, where and when."""
    who = f"{item.speaker} ({item.role})" if item.speaker else item.role
    return f"“{plain(item.quote)}”  {plain(who)}, {day(item.said_at)}, session {plain(item.session)}, turn {plain(item.turn)}"


def interval(statement: Statement) -> str:
    """The time for which it holds, in words."""
    due = statement.details.get("due")
    if statement.kind == "open_item":
        # The time of a task is its due day; whether that has passed is for the reader's clock to say.
        return f"due {local(datetime.fromisoformat(str(due)), 'day')}" if due else ""
    if relation(statement.predicate).permanence == "permanent":
        return ""  # its time is its value, not a time for which it holds
    parts = []
    if statement.valid_from is not None:
        parts.append(f"from {local(statement.valid_from, statement.valid_granularity)}")
    if statement.valid_to is not None:
        parts.append(f"until {local(statement.valid_to, 'day')}")
    return " ".join(parts)


def row(statement: Statement, *, indent: str = "") -> None:
    """A statement in two lines: what and how it stands, and its first quote."""
    marks: list[str] = [statement.status, statement.tier]
    if statement.contradicts:
        marks.append("disputed")
    held = interval(statement)
    if held:
        marks.append(held)
    click.echo(f"{indent}{statement.id[:SHORT]}  {plain(statement.text)}  [{', '.join(marks)}]")
    for item in statement.evidence[:1]:
        more = f"  (+{len(statement.evidence) - 1} more)" if len(statement.evidence) > 1 else ""
        click.echo(f"{indent}{'':{SHORT}}  {quote(item)}{more}")


def nothing(text: str) -> None:
    """That a list is empty; on standard error, for it is no item of the list."""
    click.echo(text, err=True)


def rows(title: str, statements: tuple[Statement, ...] | list[Statement]) -> None:
    """A titled list; nothing at all if it is empty."""
    if statements:
        click.echo(title)
        for statement in statements:
            row(statement, indent="  ")


def profile(found: Profile) -> None:
    """What holds about the user, by kind, and about others."""
    shown = (found.facts, found.preferences, found.procedures, found.planned, found.past_due, *found.others.values())
    if not any(shown) and not found.held_back:
        nothing("nothing is known of the user")
    rows("Facts", found.facts)
    rows("Preferences", found.preferences)
    rows("Standing instructions", found.procedures)
    rows("Plans", found.planned)
    rows("Plans whose time has passed", found.past_due)
    for name, others in found.others.items():
        known = found.aliases.get(name)
        rows(f"About {plain(name)}" + (f" ({', '.join(map(plain, known))})" if known else ""), others)
    if found.held_back:
        click.echo(f"({some(found.held_back, 'statement')} on health, belief and the like held back: add --special)", err=True)


def entity(item: Entity) -> None:
    """A name with its type, and each other name with its first quote."""
    click.echo(f"{item.id[:SHORT]}  {plain(item.name)}  [{item.type}, {some(len(item.statements), 'statement')}]")
    for alias in item.aliases:
        marks = alias.kind if alias.status == "current" else f"{alias.kind}, {alias.status}"
        click.echo(f"{'':{SHORT}}  {plain(alias.name)}  ({marks})")
        for proof in alias.evidence[:1]:
            click.echo(f"{'':{SHORT}}    {quote(proof)}")


def question(item: Question) -> None:
    """A question, and the statements of which one is the answer."""
    click.echo(f"{item.id[:SHORT]}  {plain(item.text)}")
    for statement in item.statements:
        row(statement, indent="  ")


def contradiction(item: Contradiction) -> None:
    """Both sides with their words, and why they cannot both hold."""
    click.echo(f"{item.status}: {plain(item.a.text)}  ≠  {plain(item.b.text)}  (rule: {item.rule})")
    for side in (item.a, item.b):
        row(side, indent="  ")
    if item.resolution:
        click.echo(f"  resolved: {plain(item.resolution)}")


def recall(item: Recall) -> None:
    """Hits with their scores and flags; says so when nothing passed the threshold."""
    if not item.hits:
        nothing("nothing in this memory answers that")
    for hit in item.hits:
        flags = f"  ({', '.join(hit.flags)})" if hit.flags else ""
        if hit.statement is not None:
            click.echo(f"{hit.score:.2f}{flags}")
            row(hit.statement, indent="  ")
        elif hit.turn is not None:
            turn = hit.turn
            click.echo(f"{hit.score:.2f}{flags}")
            click.echo(
                f"  said by {plain(turn.speaker or turn.role)} on {day(turn.time)} (session {plain(turn.session)}, turn "
                f"{plain(turn.id)}): “{plain(turn.text)[:300]}”"
            )
    for pair in item.contradictions:
        contradiction(pair)
    for notice in item.notices:
        click.echo(f"graphmem: note: {plain(notice)}", err=True)


def trace(item: Trace) -> None:
    """The whole way back: the statement, each quote in its surroundings, and the ledger's entries."""
    statement = item.statement
    click.echo(f"{plain(statement.text)}")
    click.echo(f"  id            {statement.id}")
    click.echo(f"  stands        {statement.status}, {statement.tier}, confidence {statement.confidence:.2f}")
    held = interval(statement)
    if held:
        click.echo(f"  holds         {held}")
    click.echo(f"  said          {day(statement.asserted_at)}")
    click.echo(f"  recorded      {day(statement.recorded_at)} by {plain(item.extractor)}, rule {plain(item.rule)}")
    for step in item.steps:
        click.echo(f"  {step.tier:<13} since {day(step.at)}: {plain(step.by)}")
    click.echo(f"  content hash  {statement.content_hash}")
    texts = {other.id: f"  {plain(other.text)} ({other.status})" for other in item.related}
    for name in ("supersedes", "superseded_by", "corrects", "contradicts"):
        for other in getattr(statement, name):
            click.echo(f"  {name.replace('_', ' '):<13} {other}{texts.get(other, '')}")
    for pair in item.same_as:
        mark = "" if pair.merged else "  (not counted)"
        click.echo(f"  same as       {plain(pair.source)} = {plain(pair.target)}  [{pair.rule}, {pair.tier}]{mark}")
    for found in item.evidence:
        proof = found.evidence
        mark = "exact" if found.verified else "NOT FOUND"
        click.echo(
            f"evidence: characters {proof.start}-{proof.end} of turn {plain(proof.turn)} in session "
            f"{plain(proof.session)}: {mark}"
        )
        for turn in found.before:
            click.echo(f"    {plain(turn.speaker or turn.role)}: {plain(turn.text)[:200]}")
        text = found.turn.text
        # Where only the quote is shown there is nothing around it.
        whole = text[proof.start : proof.end] == proof.quote
        before, after = (text[: proof.start], text[proof.end :]) if whole else ("", "")
        click.echo(
            f"  > {plain(found.turn.speaker or found.turn.role)}: {plain(before)[-120:]} «{plain(proof.quote)}» "
            f"{plain(after)[:120]}".rstrip()
        )
        for turn in found.after:
            click.echo(f"    {plain(turn.speaker or turn.role)}: {plain(turn.text)[:200]}")
    _chain(item)
    click.echo("ledger:")
    for entry in item.history:
        click.echo(f"  {entry.seq:>6}  {day(entry.at)}  {entry.type:<20}  by {plain(entry.actor)}  {entry.hash[:16]}")


def _chain(item: Trace) -> None:
    """A small picture of the way from the words to the statement and on to what it did."""
    click.echo("chain:")
    for found in item.evidence:
        proof = found.evidence
        click.echo(f"  {plain(proof.speaker or proof.role)}, {day(proof.said_at)}, session {plain(proof.session)}")
        click.echo(f"   └─ “{plain(proof.quote)[:60]}”  ({proof.start}-{proof.end}, {proof.tier})")
    click.echo(f"       └─ {plain(item.statement.text)[:70]}  [{item.statement.status}, {item.statement.tier}]")
    for other in item.related:
        told = other.id in item.statement.supersedes or other.id in item.statement.corrects
        sign = "─>" if told else "<─" if other.id in item.statement.superseded_by else "≠"
        click.echo(f"           {sign} {plain(other.text)[:66]}  [{other.status}]")
