"""Taking sessions in: at once by rules; recorded first and extracted then by what takes its time and may fail.

Invariant: no lock is held while such an extractor works, and nothing that was recorded depends on it: a session whose
extraction fails, or is stopped at any moment, stays in the queue.  Where asking again would fare no better, the rest is
recorded and not asked about.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from graphmem.errors import ExtractionFailed
from graphmem.ingest import Ingestion, Taken, report_of
from graphmem.model import Cost, IngestReport, Session, Waiting

Progress = Callable[[int, int], None]


def take_in(
    ingestion: Ingestion, sessions: Sequence[Session], *, at_once: bool, progress: Progress | None = None
) -> IngestReport:
    """Record and extract sessions, or extract what is recorded and waits; see `Memory.ingest` and `Memory.extract`.

    `at_once` is for an extractor that neither takes long nor fails: recording and extracting are one operation.
    """
    begun = time.perf_counter()
    intake = _Intake(ingestion)
    for number, session in enumerate(sessions):
        if at_once:
            # One operation each: others may read and write between two sessions.
            with ingestion.space.writing():
                intake.taken.append(ingestion.take(session))
        else:
            intake.take(session)
        if progress is not None:
            progress(number + 1, len(sessions))
    cost = None if at_once else intake.cost
    return report_of(intake.taken, seconds=time.perf_counter() - begun, cost=cost, waiting=intake.waiting)


class _Intake:
    """Sessions one after another, until the extractor says that it is of no use to go on."""

    def __init__(self, ingestion: Ingestion) -> None:
        self._ingestion = ingestion
        self._stopped: ExtractionFailed | None = None
        self.taken: list[Taken] = []
        self.waiting: list[Waiting] = []
        self.cost = Cost()

    def take(self, session: Session) -> None:
        """One session; a failure of the extractor leaves it in the queue."""
        space = self._ingestion.space
        with space.writing():
            job = self._ingestion.queue(session)
        if job is None:
            self.taken.append(Taken(False, 0))
            return
        failed = self._stopped
        if failed is None:
            try:
                found = self._ingestion.extractor.extract(job.session)
            except ExtractionFailed as error:
                failed = error
                self._stopped = error if error.stops else None
            else:
                self._add(found.cost)
                with space.writing():
                    self.taken.append(self._ingestion.take(session, extraction=found))
                return
        self.taken.append(Taken(job.recorded > 0, job.recorded, masked=job.masked))
        self.waiting.append(Waiting(session=session.id, reason=failed.reason, problem=str(failed)))

    def _add(self, cost: Cost | None) -> None:
        if cost is not None:
            self.cost = Cost(
                requests=self.cost.requests + cost.requests,
                input_tokens=self.cost.input_tokens + cost.input_tokens,
                output_tokens=self.cost.output_tokens + cost.output_tokens,
                seconds=round(self.cost.seconds + cost.seconds, 3),
            )
