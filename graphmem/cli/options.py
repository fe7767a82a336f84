"""Options that commands share, and the lazy table of commands.

Invariant: a command's module is imported only when that command is run or all of them are listed.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from graphmem.checks import brief
from graphmem.cli.passphrases import unsealed, unsealing
from graphmem.errors import InputError, NaiveTime, StatementNotFound

if TYPE_CHECKING:
    from graphmem.memory import Memory

Target = tuple[Path | None, str, str]  # home, user and space of the memory that a command is about
COMMANDS = {
    "ingest": "writing",
    "extract": "extraction",
    "remember": "writing",
    "propose": "writing",
    "note-use": "writing",
    "confirm": "writing",
    "correct": "writing",
    "retract": "writing",
    "release": "quarantine",
    "forget": "forgetting",
    "recall": "reading",
    "on-turn": "reading",
    "statements": "reading",
    "changes": "reading",
    "trace": "reading",
    "contradictions": "reading",
    "open-questions": "reading",
    "open-items": "reading",
    "quarantine": "quarantine",
    "profile": "reading",
    "entities": "reading",
    "sessions": "reading",
    "start": "reading",
    "timeline": "pictures",
    "graph": "pictures",
    "export": "care",
    "verify": "care",
    "audit": "auditing",
    "sparql": "auditing",
    "anchor": "auditing",
    "backup": "care",
    "restore": "care",
    "rebuild": "care",
    "consolidate": "care",
    "compact": "care",
    "reembed": "care",
    "rotate": "sealing",
    "copy-keys": "sealing",
    "destroy-key": "sealing",
    "doctor": "care",
    "request": "ruling",
    "requests": "ruling",
    "settle": "ruling",
    "grant": "ruling",
    "limit": "ruling",
    "settings": "keeping",
    "pause": "keeping",
    "resume": "keeping",
    "expire": "keeping",
    "demo": "demo",
}


class Commands(click.Group):
    """A group that loads a command's module on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"graphmem.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command


class Place(click.Path):
    """The path of a file or folder; an empty one is refused, for it would be the folder one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if value == "":
            self.fail("the path is empty: name a file or a folder", param, ctx)
        return super().convert(value, param, ctx)


PLACE = Place(path_type=Path)
in_home = click.option("--home", type=PLACE, help="Folder of all memories [default: $GRAPHMEM_HOME].")
as_of_option = click.option("--as-of", metavar="TIME", help="About this moment in the world.")
known_at_option = click.option("--known-at", metavar="TIME", help="By what the memory knew then.")
waiting = click.option(
    "--wait",
    type=click.FloatRange(0),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another process that writes.",
)


WHO = "graphmem.who"  # under this name a command's context keeps who runs it, as what and what for


def acting(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--role --purpose --actor --granted-from`: in which role the memory is opened; kept in the command's context."""

    @click.option("--role", envvar="GRAPHMEM_ROLE", default="owner", metavar="ROLE", help="owner, agent, auditor or support.")
    @click.option("--purpose", envvar="GRAPHMEM_PURPOSE", metavar="TEXT", help="What for; it is recorded.")
    @click.option("--actor", envvar="GRAPHMEM_ACTOR", metavar="NAME", help="Who, by name; it is recorded.")
    @click.option("--granted-from", envvar="GRAPHMEM_GRANTED_FROM", metavar="SPACE", help="The role's own space, by a grant.")
    @functools.wraps(function)
    def wrapper(*args: Any, role: str, purpose: str | None, actor: str | None, granted_from: str | None, **kwargs: Any) -> Any:
        who = {"role": role, "purpose": purpose, "actor": actor, "granted_from": granted_from}
        click.get_current_context().meta[WHO] = who
        return function(*args, **kwargs)

    return wrapper


def who_acts() -> dict[str, str | None]:
    """In which role the command at hand opens a memory: the arguments of `Memory.open`."""
    context = click.get_current_context(silent=True)
    found: dict[str, str | None] = {"role": "owner"} if context is None else context.meta.get(WHO, {"role": "owner"})
    return found


def check_owner_acts(act: str) -> None:
    """AccessDenied unless the owner runs the command at hand; for what does without opening a memory.

    An act that is no public method of a memory is not in the table of roles, and so nobody else's.
    """
    from graphmem.roles import allowed, denied, principal

    who = who_acts()
    other = principal(who["role"], who.get("actor"), who.get("purpose") or "own use", home=who.get("granted_from"))
    if other is not None and not allowed(other.role, act):
        raise denied(other.role, act)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--user --space --home --json`, passed on as `target` and `as_json`; and who acts, see `acting`."""

    @acting
    @click.option("--user", required=True, metavar="ID", help="Whose memory.")
    @click.option("--space", default="default", show_default=True, metavar="NAME", help="Which of the user's memories.")
    @in_home
    @unsealing
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    @functools.wraps(function)
    def wrapper(*args: Any, user: str, space: str, home: Path | None, **kwargs: Any) -> Any:
        return function(*args, target=(home, user, space), **kwargs)

    return wrapper


@contextmanager
def opened(
    target: tuple[Path | None, str, str],
    *,
    accept_loss: bool = False,
    reading: bool = False,
    making: bool = False,
    wait: float = 5.0,
) -> Iterator[Memory]:
    """The memory of the command's user; what it repaired on its own is told on standard error.

    Only a command that is `making` one may begin a memory: a mistyped user must not.  One that is `reading` finds nothing
    where there is none, and says so; any other ends in an error.
    """
    from graphmem.memory import Memory
    from graphmem.owner import check_owner, folder_name, home_of

    home, user, space = target
    check_owner(user, space)
    place = home_of(home)
    who = who_acts()
    # To others than the owner it is not told whether there is one.
    missing = who["role"] == "owner" and not making and not (place / folder_name(user, space)).exists()
    told = f"there is no memory of {brief(user)} (space {brief(space)}) in {place.absolute()}"
    if missing and not reading:
        raise InputError(f"{told}: check --user, --space and --home; `graphmem ingest` or `remember` begins one")
    with ExitStack() as stack:
        if missing:
            click.echo(f"graphmem: note: {told}", err=True)
            home = Path(stack.enter_context(TemporaryDirectory(prefix="graphmem-")))
        how = {} if missing and reading else unsealed(home_of(home).absolute() / folder_name(user, space))
        memory = stack.enter_context(
            Memory.open(home, user=user, space=space, accept_loss=accept_loss, wait=wait, **_named(who), **how)
        )
        try:
            yield memory
        finally:
            for notice in memory.notices:
                click.echo(f"graphmem: note: {notice}", err=True)


def _named(who: dict[str, str | None]) -> dict[str, Any]:
    """The arguments that were given."""
    return {name: value for name, value in who.items() if value is not None}


def looking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Who acts, passed on as `who`: how an owner's look at the memory is recorded."""

    @functools.wraps(function)
    def wrapper(*args: Any, role: str, actor: str | None, purpose: str | None, **kwargs: Any) -> Any:
        who = {"actor": actor or role, "role": role, "purpose": purpose or "own use"}
        return function(*args, who=who, role=role, actor=actor, purpose=purpose, **kwargs)

    return wrapper


def look(memory: Memory, what: str, who: dict[str, str], *, subjects: tuple[str, ...] = (), detail: str = "") -> None:
    """Record that the owner looks; where nothing can be recorded, say so on standard error.

    Whoever else looks is recorded by the gate of the memory, or refused.
    """
    from graphmem.errors import LedgerDamaged, ReadOnlyStore

    if who["role"] != "owner":
        return
    try:
        memory.look(what, subjects=subjects, detail=detail, **who)
    except (ReadOnlyStore, LedgerDamaged):
        click.echo("graphmem: note: this look is not recorded, because nothing can be written to the memory", err=True)


def extracting(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--extractor` and what belongs to it, passed on as `by`: a name, or an extractor that asks a language model."""

    @click.option("--extractor", type=click.Choice(["rules", "llm"]), default="rules", show_default=True)
    @click.option("--model", metavar="NAME", help="For llm: provider:name, or a name with --base-url.")
    @click.option("--base-url", metavar="URL", help="For llm: an endpoint that speaks OpenAI's dialect.")
    @click.option("--answer", type=click.Choice(["tool", "native", "prompted"]), help="For llm: how it is asked to answer.")
    @click.option("--timeout", type=click.FloatRange(1, 3600), metavar="SECONDS", help="For llm: for one question.")
    @functools.wraps(function)
    def wrapper(*args: Any, extractor: str, **kwargs: Any) -> Any:
        own = {name: kwargs.pop(name) for name in ("model", "base_url", "answer", "timeout")}
        given = {name: value for name, value in own.items() if value is not None}
        if extractor == "rules":
            if given:
                raise InputError(f"--{next(iter(given)).replace('_', '-')} is for --extractor llm: name that too")
            return function(*args, by=extractor, **kwargs)
        from graphmem.extractors.llm_connection import llm_extractor

        return function(*args, by=llm_extractor(given.pop("model", None), **given), **kwargs)

    return wrapper


def resolve(memory: Memory, id_: str) -> str:
    """A statement's id from the id or an unambiguous beginning of it."""
    if len(id_) >= 26:
        return id_
    with memory._space.reading():
        # By ids alone, so that a role that may not list statements can name one too.
        every = [statement.id for statement in memory._reader().all()]
    found = [one for one in every if one.startswith(id_) or one[2:].startswith(id_)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise StatementNotFound(f"no statement {brief(id_)} in this space: see `graphmem statements` for the ids")
    raise InputError(f"{brief(id_)} is the beginning of {len(found)} ids: give more of it")


def resolve_question(memory: Memory, question: str | None) -> str | None:
    """A question's id from the id or an unambiguous beginning of it; what fits none is left for the memory to refuse."""
    if question is None or len(question) >= 26:
        return question
    found = [one.id for one in memory.open_questions() if one.id.startswith(question) or one.id[2:].startswith(question)]
    if len(found) > 1:
        raise InputError(f"{brief(question)} is the beginning of {len(found)} ids: give more of it")
    return found[0] if found else question


def moment(name: str, value: str | None) -> datetime | None:
    """A time from the command line; a bare date is its first moment in UTC."""
    if value is None:
        return None
    try:
        if len(value) == 10:
            return datetime.fromisoformat(value + "T00:00:00+00:00")
        parsed = datetime.fromisoformat(value)
    except ValueError as error:
        raise InputError(
            f"--{name} {brief(value)} is not a time: write it as 2026-05-14 or 2026-05-14T10:30:00+02:00"
        ) from error
    if parsed.tzinfo is None:
        raise NaiveTime(f"--{name} {brief(value)} has no offset from UTC: add one, such as +02:00")
    return parsed


def print_json(value: Any) -> None:
    """One JSON document: models as the contract names them, lists of models, or plain data."""

    def plain(item: Any) -> Any:
        if hasattr(item, "model_dump"):
            return item.model_dump(mode="json")
        if isinstance(item, list | tuple):
            return [plain(part) for part in item]
        return item

    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))
