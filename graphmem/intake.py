"""Taking sessions in: at once by rules; recorded first and extracted then by what takes its time and may fail.

Invariant: no lock is held while such an extractor works, and nothing that was recorded depends on it: a session whose
extraction fails, or is stopped at any moment, stays in the queue, and so does one whose embedding fails.  Where asking again
would fare no better, the rest is recorded and not asked about.  While one session is recorded, the next ones are already
being embedded, and read where rules read them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from graphmem.embedding import Ahead, embedding_ahead, texts_of
from graphmem.errors import EmbedderFailed, ExtractionFailed
from graphmem.ingest import Ingestion, Job, Taken, report_of
from graphmem.model import Cost, IngestReport, Session, Waiting
from graphmem.readahead import ReadAhead, reading_ahead
from graphmem.recorded import Names, turn_records
from graphmem.settings import check_learning, settings_of
from graphmem.space import Space
from graphmem.withheld import Withheld, withhold

Progress = Callable[[int, int], None]
_EMBEDDER = "embedder_failed"  # the reason code of sessions that wait because of it

# Sessions that are read and embedded before their turn: enough that a long one does not keep the short ones waiting.
AHEAD = 3


def take_in(
    ingestion: Ingestion, sessions: Sequence[Session], *, at_once: bool, progress: Progress | None = None
) -> IngestReport:
    """Record and extract sessions, or extract what is recorded and waits; see `Memory.ingest` and `Memory.extract`.

    `at_once` is for an extractor that neither takes long nor fails: recording and extracting are one operation.
    """
    begun = time.perf_counter()
    space = ingestion.space
    with space.reading():
        secret = space.ledger.secret
    with ExitStack() as threads:
        ahead = threads.enter_context(embedding_ahead(ingestion.embedder))
        extractor, reader = ingestion.extractor, None
        if at_once:
            extractor = reader = threads.enter_context(reading_ahead(extractor, ahead, user=space.user, secret=secret))
        ingestion = Ingestion(space, extractor=extractor, embedder=ahead, allow=ingestion.allow, who=ingestion.who)
        intake = _Intake(ingestion)
        for number, session in enumerate(_announced(sessions, space, ingestion.names, ahead, reader)):
            if at_once:
                # One operation each: others may read and write between two sessions.
                with space.writing():
                    intake.take(session)
            else:
                intake.take_later(session)
            if progress is not None:
                progress(number + 1, len(sessions))
    cost = None if at_once else intake.cost
    return report_of(intake.taken, seconds=time.perf_counter() - begun, cost=cost, waiting=intake.waiting)


def _announced(
    sessions: Sequence[Session], space: Space, names: Names, ahead: Ahead, reader: ReadAhead | None
) -> Iterator[Withheld]:
    """The sessions without their secrets, each when it is embedded and read and the next few have been announced.

    It is waited for here, where nobody waits for us: no lock is held.
    """
    with space.reading():
        sparing = settings_of(space.ledger).transcripts == "quotes"
    known: set[str] = set()
    waiting: deque[tuple[Withheld, list[str]]] = deque()
    for session in sessions:
        withheld = withhold(session)
        with space.reading():
            withheld = names.named(withheld)
            seen = space.ledger.knows_session(withheld.session.id)
        texts: list[str] = []
        # Of one of which only quotes are kept, what will be embedded is known when it was read.
        if not (sparing or seen or withheld.session.id in known):
            # Of one that is known most is embedded already; what is not is embedded when it is seen.
            known.add(withheld.session.id)
            turns = turn_records(withheld.session)
            texts = texts_of(turns, {turn.id for turn in turns})
            ahead.expect(texts)
            if reader is not None:
                reader.expect(withheld.session)
        waiting.append((withheld, texts))
        if len(waiting) > AHEAD:
            yield _ready(*waiting.popleft(), ahead, reader)
    while waiting:
        yield _ready(*waiting.popleft(), ahead, reader)


def _ready(session: Withheld, texts: Sequence[str], ahead: Ahead, reader: ReadAhead | None) -> Withheld:
    told = reader.wait(session.session) if reader is not None else []
    ahead.wait([*texts, *told])
    return session


class _Intake:
    """Sessions one after another, until the extractor says that it is of no use to go on."""

    def __init__(self, ingestion: Ingestion) -> None:
        self._ingestion = ingestion
        self._stopped: ExtractionFailed | None = None
        self.taken: list[Taken] = []
        self.waiting: list[Waiting] = []
        self.cost = Cost()

    def take(self, session: Withheld) -> None:
        """One session, recorded and extracted at once; where the embedder fails it is recorded and left in the queue."""
        try:
            self.taken.append(self._ingestion.take(session))
        except EmbedderFailed as error:
            # Nothing of it was recorded, for a session is one operation.
            self._kept(session, error)

    def take_later(self, session: Withheld) -> None:
        """One session, recorded and then extracted; a failure of extractor or embedder leaves it in the queue."""
        space = self._ingestion.space
        with space.reading():
            sparing = self._ingestion.sparing()
        if sparing:
            self._take_unrecorded(session)
            return
        with space.writing():
            try:
                job = self._ingestion.queue(session)
            except EmbedderFailed as error:
                self._kept(session, error)
                return
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
                    try:
                        taken = self._ingestion.take(session, extraction=found)
                        self.taken.append(taken._replace(rejected=(*job.forgotten, *taken.rejected)))
                    except EmbedderFailed as error:
                        self._left(job, _EMBEDDER, error)
                return
        self._left(job, failed.reason, failed)

    def _take_unrecorded(self, session: Withheld) -> None:
        """One session of which only the quotes are kept: where the extractor fails, nothing of it is recorded at all."""
        space, failed = self._ingestion.space, self._stopped
        with space.reading():
            check_learning(space.ledger)
            news = self._ingestion.news(session)
        if news and failed is None:
            try:
                found = self._ingestion.extractor.extract(session.session)
            except ExtractionFailed as error:
                failed = error
                self._stopped = error if error.stops else None
            else:
                self._add(found.cost)
                with space.writing():
                    self.taken.append(self._ingestion.take(session, extraction=found))
                return
        self.taken.append(Taken(False, 0))
        if news and failed is not None:
            problem = f"{failed}; nothing of it was recorded: ingest it again"
            self.waiting.append(Waiting(session=session.session.id, reason=failed.reason, problem=problem))

    def _kept(self, session: Withheld, error: EmbedderFailed) -> None:
        """Record a session without its vectors, which it gets when it is extracted; whole, or not at all."""
        if self._ingestion.sparing():
            raise error
        job = self._ingestion.queue(session, embedded=False)
        if job is None:
            self.taken.append(Taken(False, 0))
        else:
            self._left(job, _EMBEDDER, error)

    def _left(self, job: Job, reason: str, error: Exception) -> None:
        self.taken.append(Taken(job.recorded > 0, job.recorded, masked=job.masked, rejected=job.forgotten))
        self.waiting.append(Waiting(session=job.session.id, reason=reason, problem=str(error)))

    def _add(self, cost: Cost | None) -> None:
        if cost is not None:
            self.cost = Cost(
                requests=self.cost.requests + cost.requests,
                input_tokens=self.cost.input_tokens + cost.input_tokens,
                output_tokens=self.cost.output_tokens + cost.output_tokens,
                seconds=round(self.cost.seconds + cost.seconds, 3),
            )
