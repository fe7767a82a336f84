"""The command line: one command per method of `Memory`, with the method's name.

Invariant: standard output carries the answer (with `--json` exactly one JSON document), standard error everything else.
Exit codes: 0 done, 1 the answer is "no", 2 wrong use or bad input, 3 the store or a language model cannot be used.
Nothing is imported that the command at hand does not need.
"""

from __future__ import annotations

import sys

import click

from graphmem import __version__
from graphmem.checks import LONGEST, brief
from graphmem.cli.options import Commands
from graphmem.errors import GraphmemError
from graphmem.personal.masks import masked


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="graphmem")
def cli() -> None:
    """A memory for AI agents that can prove what it knows."""


def main() -> None:
    """Entry point: errors become one line and an exit code."""
    sys.exit(run(sys.argv[1:]))


def _short(error: click.ClickException, arguments: list[str]) -> click.ClickException:
    """An error of wrong use that quotes no argument at length, and no secret."""
    said = error.format_message()
    short = said
    for given in arguments:
        for part in (given, given.partition("=")[2]):
            if len(part) > LONGEST:
                for form in (repr(part)[1:-1], part):
                    short = short.replace(form, brief(part)[1:-1])
    short = masked(short)
    return error if short == said else click.UsageError(short, ctx=getattr(error, "ctx", None))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape, never a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=arguments, prog_name="graphmem", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except click.ClickException as error:
        _short(error, arguments).show()
        return error.exit_code
    except click.Abort:
        click.echo("graphmem: stopped; what was acknowledged is kept, run the command again to go on", err=True)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except GraphmemError as error:
        click.echo(f"graphmem: {error}", err=True)
        return error.exit_code
    except OSError as error:
        name = str(error.filename or "")
        where = f" ({name if len(name) <= LONGEST else brief(name, most=200)})" if name else ""
        click.echo(f"graphmem: {masked(str(error.strerror or error))}{where}", err=True)
        return 3
