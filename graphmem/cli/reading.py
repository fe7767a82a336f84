"""Commands that ask: recall, statements, changes, trace, contradictions, questions, open items, profile, entities and more.

Invariant: none of them changes what the memory holds; that somebody looked at a trace is recorded.
"""

from __future__ import annotations

from pathlib import Path

import click

from graphmem.chronicle import chronicle
from graphmem.cli import output
from graphmem.cli.options import (
    Target,
    as_of_option,
    common,
    known_at_option,
    look,
    looking,
    moment,
    opened,
    print_json,
    resolve,
)
from graphmem.cli.output import some
from graphmem.context import plain
from graphmem.model import ENTITY_TYPES, KINDS, STATUSES, Clock

subject_option = click.option("--subject", metavar="NAME", help='About this person or thing, by any name; "user" for you.')


@click.command()
@click.argument("query")
@click.option("-k", default=8, show_default=True, type=click.IntRange(1, 10_000), help="At most so many hits.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Threshold instead of the calibrated one.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@subject_option
@as_of_option
@known_at_option
@common
def recall(
    target: Target,
    query: str,
    k: int,
    min_score: float | None,
    kinds: tuple[str, ...],
    subject: str | None,
    as_of: str | None,
    known_at: str | None,
    as_json: bool,
) -> None:
    """What the memory has on a question; nothing if nothing passes the threshold."""
    with opened(target, reading=True) as memory:
        found = memory.recall(
            query,
            k=k,
            min_score=min_score,
            kinds=kinds or None,
            subject=subject,
            as_of=moment("as-of", as_of),
            known_at=moment("known-at", known_at),
        )
    print_json(found) if as_json else output.recall(found)


@click.command()
@click.option("--status", type=click.Choice(STATUSES), help="Only this status.")
@click.option("--kind", type=click.Choice(KINDS), help="Only this kind.")
@subject_option
@as_of_option
@known_at_option
@common
def statements(
    target: Target,
    status: str | None,
    kind: str | None,
    subject: str | None,
    as_of: str | None,
    known_at: str | None,
    as_json: bool,
) -> None:
    """All statements with their quotes, in order of saying."""
    with opened(target, reading=True) as memory:
        found = memory.statements(
            status=status, kind=kind, as_of=moment("as-of", as_of), known_at=moment("known-at", known_at), subject=subject
        )
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no statements")
    for statement in found:
        output.row(statement)


@click.command()
@click.option("--since", metavar="TIME", help="From this time on.")
@click.option("--until", metavar="TIME", help="Before this time.")
@click.option(
    "--clock",
    type=click.Choice(["told", "recorded"]),
    default="told",
    show_default=True,
    help="By the time of saying or of recording.",
)
@common
def changes(target: Target, since: str | None, until: str | None, clock: str, as_json: bool) -> None:
    """What changed, told by subject and month, each change with the words that caused it."""
    by: Clock = "recorded" if clock == "recorded" else "told"
    with opened(target, reading=True) as memory:
        found = memory.changes(moment("since", since), moment("until", until), clock=by)
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no changes")
        return
    click.echo(chronicle(found, clock=by))


@click.command()
@click.argument("id")
@click.option(
    "--picture", metavar="FILE.svg", type=click.Path(path_type=Path, dir_okay=False), help="Draw the way too, as SVG."
)
@looking
@common
def trace(target: Target, id: str, picture: Path | None, who: dict[str, str], as_json: bool) -> None:
    """The way from a statement back to the words it rests on (ID or the beginning of one); the look is recorded."""
    from graphmem.export import put
    from graphmem.pictures.chain import chain, svg, svg_named

    if picture is not None:
        svg_named(picture)
    with opened(target, reading=True) as memory:
        whole = resolve(memory, id)
        look(memory, "trace", who, subjects=(whole,))
        found = memory.trace(whole)
    if picture is not None:
        # Drawn from what was shown, so that a role sees no more in the picture than in the words.
        put(picture, lambda: svg(chain(found)))
        click.echo(f"wrote {picture}", err=True)
    print_json(found) if as_json else output.trace(found)


@click.command()
@click.option("--status", type=click.Choice(["open", "resolved", "all"]), default="open", show_default=True)
@common
def contradictions(target: Target, status: str, as_json: bool) -> None:
    """Pairs of statements that cannot both hold, both sides with their words."""
    with opened(target, reading=True) as memory:
        found = memory.contradictions(None if status == "all" else status)
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no contradictions" if status == "all" else f"no {status} contradictions")
    for item in found:
        output.contradiction(item)


@click.command("open-questions")
@common
def open_questions(target: Target, as_json: bool) -> None:
    """What only you can decide; answer with confirm, correct or retract and --question."""
    with opened(target, reading=True) as memory:
        found = memory.open_questions()
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no open questions")
    for item in found:
        output.question(item)


@click.command("open-items")
@common
def open_items(target: Target, as_json: bool) -> None:
    """Tasks that are not done, the one due first in front."""
    with opened(target, reading=True) as memory:
        found = memory.open_items()
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no open items")
    for statement in found:
        output.row(statement)


@click.command()
@click.option("--special", is_flag=True, help="Show health, belief and other special categories too.")
@common
def profile(target: Target, special: bool, as_json: bool) -> None:
    """What currently holds about the user, and about others."""
    with opened(target, reading=True) as memory:
        found = memory.profile(special=special)
    if as_json:
        print_json(found)
        return
    output.profile(found)


@click.command()
@click.option("--type", "type_", type=click.Choice(ENTITY_TYPES), help="Only this type.")
@as_of_option
@known_at_option
@common
def entities(target: Target, type_: str | None, as_of: str | None, known_at: str | None, as_json: bool) -> None:
    """Who and what the memory knows, each under all its names, with the words that give them."""
    with opened(target, reading=True) as memory:
        found = memory.entities(type_, as_of=moment("as-of", as_of), known_at=moment("known-at", known_at))
    if as_json:
        print_json(found)
        return
    for item in found:
        output.entity(item)


@click.command()
@common
def sessions(target: Target, as_json: bool) -> None:
    """All conversations with their summaries."""
    with opened(target, reading=True) as memory:
        found = memory.sessions()
    if as_json:
        print_json(found)
        return
    if not found:
        output.nothing("no conversations")
    for item in found:
        click.echo(
            f"{output.day(item.started)}  {plain(item.id)}  {some(item.turns, 'turn')}, {some(item.statements, 'statement')}"
        )
        if item.summary:
            click.echo(f"            {plain(item.summary)}")


@click.command()
@click.option("--budget", default=1500, show_default=True, type=click.IntRange(0), help="Tokens, four characters each.")
@click.option("--special", is_flag=True, help="Put health, belief and other special categories in too.")
@common
def start(target: Target, budget: int, special: bool, as_json: bool) -> None:
    """A block of text for the start of a prompt."""
    with opened(target, reading=True) as memory:
        found = memory.start(budget, special=special)
    print_json(found) if as_json else click.echo(found.text)


@click.command("on-turn")
@click.argument("text")
@click.option("--before", multiple=True, metavar="TEXT", help="A turn before this one; may be repeated, oldest first.")
@click.option("--session", metavar="ID", help="The conversation that goes on: what only it says is not repeated.")
@click.option("--budget", default=500, show_default=True, type=click.IntRange(0), help="Tokens, four characters each.")
@click.option("--special", is_flag=True, help="Let health, belief and other special categories through too.")
@common
def on_turn(
    target: Target, text: str, before: tuple[str, ...], session: str | None, budget: int, special: bool, as_json: bool
) -> None:
    """What the memory has to say at a turn, unasked, as a block for a prompt: for most turns nothing."""
    with opened(target, reading=True) as memory:
        found = memory.on_turn(text, before=before, session=session, special=special)
        block = memory.render(found, budget=budget).text
    if as_json:
        print_json(found)
        return
    if block:
        click.echo(block)
    for notice in found.notices:
        click.echo(f"graphmem: note: {notice}", err=True)
