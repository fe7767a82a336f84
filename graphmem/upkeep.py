"""The acts that keep a memory sound: copies, proofs, the graph built anew, and moves to another embedder.

Invariant: none of them takes away a statement, or adds one but the summary of a theme; each hands over to the part that knows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem import checks
from graphmem.guards import gated, reads, writes
from graphmem.model import VerifyReport
from graphmem.questions import Questions
from graphmem.settings import check_learning

if TYPE_CHECKING:
    from graphmem.lifecycle.consolidate import ConsolidationReport
    from graphmem.sealing.providers import Provider

Progress = Callable[[int, int], None]


class Upkeep(Questions):
    """The part of a memory that looks after its store; see `graphmem.Memory`."""

    @gated
    def backup(self, path: str | Path, *, overwrite: bool = False, progress: Progress | None = None) -> Path:
        """Write the memory to one file from which `restore` puts it back; see `lifecycle.backup` for what it may raise."""
        from graphmem.lifecycle.backup import target_of

        checks.flags(overwrite=overwrite)
        checks.called("progress", progress)
        self._handed_out("backup", target_of(path, self._space.folder, overwrite=overwrite))
        return self._backup(path, overwrite=overwrite, progress=progress)

    @reads
    def _backup(self, path: str | Path, *, overwrite: bool, progress: Progress | None) -> Path:
        from graphmem.lifecycle.backup import backup

        return backup(self._space.folder, path, now=self._clock(), overwrite=overwrite, progress=progress)

    @reads
    def verify(self, *, anchor: str | None = None) -> VerifyReport:
        """Check every quote, the hash chain, and the graph against one built anew from the ledger.

        With an `anchor` that was kept elsewhere, also that the ledger still holds that entry: a lost end shows only so.

        Raises:
            InputError: the anchor is none.
            StoreLocked: something seemed wrong, and another process wrote for longer than `wait`, so that it is not known.
        """
        from graphmem.anchoring import anchored, moored
        from graphmem.tracing import verify

        mark = None if anchor is None else anchored(anchor)
        report = verify(self._space)
        return report if mark is None else moored(report, self._space.ledger, mark)

    @reads
    def anchor(self) -> str:
        """The ledger's end as one line to be kept elsewhere: number and hash of its last entry, for `verify(anchor=...)`."""
        from graphmem.anchoring import line

        return line(self._space.ledger.head())

    @writes
    def rebuild(self, *, engine: str | None = None) -> None:
        """Build the graph anew from the ledger, into a new generation; with `engine` it is kept by that engine from now on.

        A register of erasures that is gone or is not the one that the ledger knows of is made anew too, as far as the ledger
        can tell (`notices`); one that cannot be used is moved aside, to `FOLDER.erasures.broken`.
        """
        from graphmem.graph.engine import check_engine
        from graphmem.register_watch import remade

        if engine is not None:
            check_engine(engine)
        self._drop_index()
        self._space.rebuild(engine=engine)
        if (told := remade(self._space)) is not None:
            self._space.notices.append(told)

    @gated
    def reembed(self, *, embedder: str, progress: Progress | None = None) -> int:
        """Move the space to another embedder, or to a new state of its own; how many vectors it has now.

        Everything is embedded anew while others may read and write; then all vectors change at once.  Who reads meanwhile
        sees the old state or the new one.  Stopped at any moment, it is as if it had not begun, or done.

        Args:
            embedder: a name as in `open`.
            progress: called with (texts done, texts in all).

        Raises:
            InputError, MissingDependency, ModelError: there is no such embedder, or it fails; nothing has changed.
        """
        from graphmem.lifecycle.reembed import reembed

        checks.text("embedder", embedder, what="the name of an embedder")
        checks.called("progress", progress)
        count = reembed(self._space, embedder, seconds=self._embed_wait, progress=progress)
        self._drop_index()
        self._model = None
        return count

    @writes
    def consolidate(self, *, dry_run: bool = False, progress: Progress | None = None) -> ConsolidationReport:
        """Sum up by theme what belongs together across sessions, and join exact repeats; nothing is lost or overwritten.

        Each theme gets a summary: a statement of kind `episode` whose details have the type `theme`, derived from its
        sources and resting on their quotes, at the lowest tier among them.  A theme that has changed gets a new one, linked
        to the older.  A second run on the same state adds nothing.

        Args:
            dry_run: only plan and prove; nothing is written.
            progress: called with (steps done, steps in all).

        Raises:
            ConsolidationRefused: the comparison of what is held before and after found a loss; nothing was written.
            MemoryPaused: nothing is to be learnt, and a summary would be new; a dry run is not refused.
        """
        from graphmem.lifecycle.consolidate import consolidate

        checks.flags(dry_run=dry_run)
        checks.called("progress", progress)
        if not dry_run:
            check_learning(self._space.ledger)
        return consolidate(self._space, dry_run=dry_run, progress=progress)

    @writes
    def rotate(self, key: Provider | None = None, *, deep: bool = False) -> int:
        """Wrap the keys of a sealed space anew, under `key` or the one it has; how many were wrapped.

        With `deep` the space's own key is replaced as well, and every key under it wrapped again.  What is sealed stays as it
        is: whoever had the old keys and a copy of the ledger can go on reading that copy.

        Raises:
            InputError: the space is plain.
            KeyUnavailable: the new key cannot be used; the old one holds.
        """
        checks.flags(deep=deep)
        return self._space.seal.rotate(key, deep=deep)

    @gated
    def compact(self) -> None:
        """Fold the log of the graph into a new generation and remove all older files of it."""
        self.rebuild()
