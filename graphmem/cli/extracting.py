"""Extracting what waits, and what that and `ingest` tell in the end.

Invariant: what is recorded and not extracted is told on standard error with what to do, and the exit code is not 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphmem.cli.options import opened, print_json
from graphmem.cli.output import some
from graphmem.errors import ExtractionFailed
from graphmem.model import IngestReport

if TYPE_CHECKING:
    from graphmem.extractors.base import Extractor


def pending(target: tuple[Path | None, str, str], by: str | Extractor, as_json: bool, *, wait: float) -> None:
    """Extract the sessions that are recorded and wait for it, because a language model failed."""
    with opened(target, wait=wait) as memory, counting() as progress:
        report = memory.extract(extractor=by, progress=progress)
    told(report, as_json)


@contextmanager
def counting(unit: str = "session") -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that counts sessions, or what else is named."""
    from tqdm import tqdm

    with tqdm(unit=unit, file=sys.stderr, disable=None, leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def told(report: IngestReport, as_json: bool) -> None:
    """Print a report.

    Raises:
        ExtractionFailed: sessions wait, in one line with the reason and what to do.
    """
    if as_json:
        print_json(report)
    else:
        click.echo(
            f"{some(report.sessions, 'session')}, {some(report.turns, 'turn')} in {report.seconds:.1f} s: "
            f"{some(len(report.recorded), 'statement')} "
            f"recorded, {len(report.corroborated)} corroborated, {len(report.superseded)} superseded, "
            f"{len(report.contradictions)} contradictions, {len(report.suggested)} suggestions, {len(report.rejected)} rejected"
        )
        if gone := sum(item.reason == "erased" for item in report.rejected):
            click.echo(
                f"{some(gone, 'passage')} not kept, because forgotten before: --allow-forgotten (or `remember` with it) keeps "
                "what is said again"
            )
        if report.masked:
            kinds = ", ".join(sorted({item.kind.replace("_", " ") for item in report.masked}))
            click.echo(f"{some(len(report.masked), 'secret')} masked and not stored ({kinds})")
        if report.cost is not None and report.cost.requests:
            cost = report.cost
            click.echo(
                f"asked in {some(cost.requests, 'request')} and {cost.seconds:.1f} s, "
                f"{cost.input_tokens:,} tokens in, {cost.output_tokens:,} out"
            )
            reasons: dict[str, int] = {}
            for item in report.rejected:
                reasons[item.reason] = reasons.get(item.reason, 0) + 1
            if reasons:
                counted = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
                click.echo("rejected: " + ", ".join(f"{number} {reason}" for reason, number in counted))
    if report.waiting:
        first = report.waiting[0]
        raise ExtractionFailed(
            first.reason,
            f"{some(len(report.waiting), 'session')} recorded, still to be extracted ({first.reason}): {first.problem}; "
            "then run `graphmem extract` with the same options",
        )
