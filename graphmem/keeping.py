"""The acts by which a memory's owner says what is kept: settings, the pause, and what has outlived its term.

Invariant: what is set here is an entry of the ledger, so it holds after reopening and for every process; no setting takes
anything away by itself.
"""

from __future__ import annotations

from typing import Any

from graphmem.checks import brief, flags
from graphmem.errors import InputError
from graphmem.guards import reads, writes
from graphmem.retention import ExpiryReport
from graphmem.ruling import Ruling
from graphmem.settings import Settings, changed, settings_draft, settings_of


class Keeping(Ruling):
    """The part of a memory that says what is kept; see `graphmem.Memory`."""

    @reads
    def settings(self) -> Settings:
        """What holds for this space: terms of retention, how transcripts are kept, whether anything is learnt."""
        return settings_of(self._space.ledger)

    @writes
    def configure(self, *, preset: str | None = None, **changes: Any) -> Settings:
        """Set some of the settings anew, the others stay; nothing that is there goes by this alone (`expire`).

        Args:
            preset: terms to begin with: `short` and `long` keep episodes 180 days, what was inferred 30, what was stated 365,
                and words that nothing quotes 30 or 90; `none` switches every rule off.
            changes: settings by name (`graphmem.settings.Settings`); None switches a rule off.

        Raises:
            InputError: there is no such setting or preset, or it cannot have this value.
        """
        if "learning" in changes:
            raise InputError("learning is no setting to configure: use pause and resume")
        self._set(changed(settings_of(self._space.ledger), changes, preset))
        return settings_of(self._space.ledger)

    @writes
    def pause(self) -> None:
        """Learn nothing until `resume`: `ingest`, `extract`, `remember`, `propose`, `consolidate` raise MemoryPaused.

        Uses are not noted.  What is remembered is shown, put right, confirmed and forgotten as before; of the words of a
        correction only those are kept that put the statement right.
        """
        self._set(settings_of(self._space.ledger).model_copy(update={"learning": False}))

    @writes
    def resume(self) -> None:
        """Learn again, from here on; what was said during the pause is not caught up with."""
        self._set(settings_of(self._space.ledger).model_copy(update={"learning": True}))

    @writes
    def expire(self, *, dry_run: bool = False) -> ExpiryReport:
        """Erase what has outlived its term by the settings; with `dry_run` only tell what would go, by which rule, since when.

        It goes as in `forget`, from every file of the space.  What was confirmed stays, and so do the words that a remaining
        statement quotes; what is due and has to stay because of another statement is told as held.
        """
        from graphmem.lifecycle.expire import expire

        flags(dry_run=dry_run)
        report = expire(self._space, dry_run=dry_run)
        if not dry_run and report.receipt is not None:
            self._drop_index()
            self._answers.clear()  # they hold what was erased
        return report

    def _begin(self, transcripts: str) -> None:
        """Fix how the transcripts of a new space are kept; of one that is there it has to be so already."""
        space = self._space
        with space.writing():
            held = settings_of(space.ledger)
            if held.transcripts == transcripts:
                return
            if space.ledger.head()[0]:
                raise InputError(
                    f"the memory keeps its transcripts as {brief(held.transcripts)}: change that for new sessions with "
                    f"configure(transcripts={brief(transcripts)})"
                )
            self._set(changed(held, {"transcripts": transcripts}))

    def _set(self, settings: Settings) -> None:
        """Record the settings, unless they hold already."""
        space = self._space
        if settings == settings_of(space.ledger):
            return
        now = space.ledger.now()
        space.write(f"settings/{space.ledger.head()[0]}/{now.isoformat()}", [settings_draft(settings)], at=now)
