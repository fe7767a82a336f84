"""Reading the next session in a thread of its own while the one before it is recorded.

Invariant: what a session makes depends on the session alone, so that it is the same whether it was read ahead or when it was
asked about; nothing is read ahead by an extractor that asks somebody else, nor a session so long that whoever stops the
program would wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from graphmem.admission import Admission, Admitted
from graphmem.embedding import Ahead
from graphmem.extractors.base import Extraction, Extractor
from graphmem.grounding import Grounded, ground
from graphmem.model import Session
from graphmem.summary import summarise

# A thread cannot be interrupted: a session of this many turns is read in less than a second or two.
LONGEST = 100


class ReadAhead:
    """An extractor that may be told of a session before it is asked about it.

    What the session's statements will say is announced to the embedder as soon as it is known.  Use `reading_ahead`, which
    ends the thread.
    """

    def __init__(self, extractor: Extractor, ahead: Ahead, thread: ThreadPoolExecutor, *, user: str, secret: str) -> None:
        self.name, self.version = extractor.name, extractor.version
        self._extractor, self._ahead, self._thread = extractor, ahead, thread
        self._user, self._secret = user, secret
        self._expected: dict[str, tuple[Session, Future[tuple[Extraction, list[str]]]]] = {}

    def expect(self, session: Session) -> None:
        """Begin with a session that will be asked about soon."""
        if len(session.turns) <= LONGEST:
            self._expected[session.id] = session, self._thread.submit(self._read, session)

    def wait(self, session: Session) -> list[str]:
        """Return when an expected session is read: the texts that were announced for it."""
        if session.id not in self._expected:
            return []
        done = self._expected[session.id][1]
        return [] if done.exception() is not None else done.result()[1]

    def extract(self, session: Session) -> Extraction:
        """What was read ahead, if it was of this very session; else it is read now.

        Raises:
            What the extractor raised.
        """
        expected = self._expected.pop(session.id, None)
        if expected is None or expected[0] != session:
            return self._extractor.extract(session)
        return expected[1].result()[0]

    def _read(self, session: Session) -> tuple[Extraction, list[str]]:
        found = self._extractor.extract(session)
        texts = statement_texts(session, found, user=self._user, secret=self._secret)
        self._ahead.expect(texts)
        return found, texts


@contextmanager
def reading_ahead(extractor: Extractor, ahead: Ahead, *, user: str, secret: str) -> Iterator[ReadAhead]:
    """An extractor with a thread; what is still waiting for it at the end is dropped."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphmem-reading")
    try:
        yield ReadAhead(extractor, ahead, thread, user=user, secret=secret)
    finally:
        thread.shutdown(wait=True, cancel_futures=True)


def statement_texts(session: Session, found: Extraction, *, user: str, secret: str) -> list[str]:
    """The texts of the statements that these claims would become, and of the summary, if none of them were known already.

    The space's secret keys the ids, by which a summary orders what was said in one breath.
    """
    admission = Admission(session, user=user, secret=secret, extractor="", now=session.started)
    grounded = (ground(claim, session) for claim in found.claims)
    results = (admission.admit(item) for item in grounded if isinstance(item, Grounded))
    admitted = [(item.record, item.evidence) for item in results if isinstance(item, Admitted) and not item.done]
    texts = [record.text for record, _ in admitted]
    summary = summarise(session, admitted, secret=secret, now=session.started, version="")
    if summary is not None:
        texts.append(summary[0].text)
    return list(dict.fromkeys(texts))
