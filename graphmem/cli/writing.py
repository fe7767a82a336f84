"""Commands that record: ingest, remember, confirm, correct, retract.

Invariant: a command that fails leaves the memory as it was, and says so in one line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from graphmem.cli import output
from graphmem.cli.extracting import counting, told
from graphmem.cli.options import (
    PLACE,
    Target,
    common,
    extracting,
    moment,
    opened,
    print_json,
    resolve,
    resolve_question,
    waiting,
)
from graphmem.cli.output import some
from graphmem.context import plain
from graphmem.errors import InputError, SessionError
from graphmem.model import KINDS

if TYPE_CHECKING:
    from graphmem.extractors.base import Extractor
question_option = click.option("--question", metavar="ID", help="The question that this answers (see open-questions).")
allowing = click.option("--allow-forgotten", "allow", is_flag=True, help="Keep also what was forgotten before.")
FORMATS = ["auto", "json", "jsonl", "chat", "chatgpt", "claude", "locomo", "text"]


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PLACE)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="auto", show_default=True)
@extracting
@click.option("--started", metavar="TIME", help="When the conversation began, for formats that do not say.")
@allowing
@waiting
@common
def ingest(
    target: Target,
    paths: tuple[Path, ...],
    format_: str,
    by: str | Extractor,
    started: str | None,
    allow: bool,
    wait: float,
    as_json: bool,
) -> None:
    """Take in transcripts: files or folders. The same file twice adds nothing."""
    with opened(target, making=True, wait=wait) as memory, counting() as progress:
        began = moment("started", started)
        report = memory.ingest(list(paths), format=format_, extractor=by, started=began, progress=progress, allow=allow)
    told(report, as_json)


@click.command()
@click.argument("text")
@click.option("--kind", type=click.Choice(KINDS), help="Keep the text as this [default: what it says; else a fact].")
@allowing
@waiting
@common
def remember(target: Target, text: str, kind: str | None, allow: bool, wait: float, as_json: bool) -> None:
    """Record a text as a statement that rests on itself."""
    with opened(target, making=True, wait=wait) as memory:
        statement = memory.remember(text, kind=kind, allow=allow)
    print_json(statement) if as_json else output.row(statement)


@click.command()
@click.argument("session")
@click.argument("file", default="-", metavar="[FILE]", type=click.File("r", encoding="utf-8-sig"))
@click.option("--agent", default="agent", show_default=True, metavar="NAME", help="Who proposes them, for the ledger.")
@waiting
@common
def propose(target: Target, session: str, file: IO[str], agent: str, wait: float, as_json: bool) -> int:
    """Take in an agent's claims about SESSION: a JSON list in FILE, or on standard input.

    A claim quotes a turn: {"turn", "quote", "predicate", "object", ...}. What its quote does not hold is refused; the exit
    code is 1 if all of them are.
    """
    from graphmem.sessions.document import loads

    try:
        claims = loads(file.read())
    except (SessionError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name}: {error}") from None
    with opened(target, wait=wait) as memory:
        report = memory.propose([claims] if isinstance(claims, dict) else claims, session=session, agent=agent)
    if as_json:
        print_json(report)
    else:
        kept = len(report.recorded) + len(report.corroborated)
        click.echo(f"{some(kept, 'claim')} kept, {len(report.suggested)} as suggestions, {len(report.rejected)} refused")
        for item in report.rejected:
            click.echo(f"  refused, {item.reason}: turn {plain(item.turn) or '-'}  “{plain(item.quote)}”")
    return 1 if report.rejected and not (report.recorded or report.corroborated or report.suggested) else 0


@click.command()
@click.argument("id")
@click.option("--hash", "content_hash", metavar="SHA256", help="Content hash of the text that was read (see trace).")
@question_option
@waiting
@common
def confirm(target: Target, id: str, content_hash: str | None, question: str | None, wait: float, as_json: bool) -> int:
    """Confirm a statement's exact text; without --hash or --question it is shown and asked for."""
    with opened(target, wait=wait) as memory:
        id, question = resolve(memory, id), resolve_question(memory, question)
        if content_hash is None and question is None:
            statement = memory.trace(id).statement
            output.row(statement)
            if not asked("Is exactly this right?", "--hash SHA256 (see trace)"):
                click.echo("nothing was confirmed", err=True)
                return 1
            content_hash = statement.content_hash
        before = [statement.tier for statement in memory.statements("current") if statement.id == id]
        statement = memory.confirm(id, content_hash=content_hash, question=question)
        if before == ["confirmed"] and question is None:
            click.echo("graphmem: note: it was confirmed before, nothing was added", err=True)
    print_json(statement) if as_json else output.row(statement)
    return 0


@click.command()
@click.argument("id")
@click.argument("text")
@question_option
@allowing
@waiting
@common
def correct(target: Target, id: str, text: str, question: str | None, allow: bool, wait: float, as_json: bool) -> None:
    """Put a statement right: TEXT takes its place, the old one stays as never true."""
    with opened(target, wait=wait) as memory:
        statement = memory.correct(resolve(memory, id), text, question=resolve_question(memory, question), allow=allow)
    print_json(statement) if as_json else output.row(statement)


@click.command()
@click.argument("id")
@click.option("--reason", default="withdrawn by the owner", show_default=True)
@question_option
@waiting
@common
def retract(target: Target, id: str, reason: str, question: str | None, wait: float, as_json: bool) -> None:
    """Withdraw a statement; what it had ended or corrected holds again."""
    with opened(target, wait=wait) as memory:
        statement = memory.retract(resolve(memory, id), reason=reason, question=resolve_question(memory, question))
    print_json(statement) if as_json else output.row(statement)


def asked(question: str, instead: str) -> bool:
    """What the person at the terminal answers.

    Raises:
        InputError: nobody can answer.
    """
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise InputError(f"nobody is there to answer: repeat with {instead}; nothing was changed") from None


@click.command("note-use")
@click.argument("answer", type=click.File("r", encoding="utf-8-sig"), metavar="FILE")
@click.option("--used", multiple=True, metavar="ID", help="A statement of the answer that was used; may be repeated.")
@click.option("--nothing", is_flag=True, help="Nothing in it was used.")
@click.option("--reply", metavar="TEXT", help="What was said with it: what that refers to was used.")
@waiting
@common
def note_use(
    target: Target, answer: IO[str], used: tuple[str, ...], nothing: bool, reply: str | None, wait: float, as_json: bool
) -> None:
    """Note what of an answer was used; FILE (or - for standard input) is what `recall --json` or `on-turn --json` printed."""
    from pydantic import ValidationError

    from graphmem.model import Recall

    try:
        found = Recall.model_validate_json(answer.read())
    except (ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"{answer.name} is not an answer: give what `graphmem recall --json` printed") from error
    if nothing and used:
        raise InputError("--used and --nothing cannot both be: name what was used, or nothing")
    with opened(target, wait=wait) as memory:
        ids = [resolve(memory, one) for one in used] if used or nothing else None
        done = memory.note_use(found, ids, reply=reply)
    if as_json:
        print_json(done)
    else:
        click.echo(f"{len(done.used)} used, {len(done.unused)} not used" + ("" if done.noted else ": nothing new was noted"))
