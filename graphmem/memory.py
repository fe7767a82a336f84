"""The memory of one user's one space: the one class that callers need.

Invariant: every public method is one act or one question of the contract; it parses what it is given, asks the part that
knows, and decides nothing itself.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from graphmem.errors import GraphmemError, InputError
from graphmem.head import LEDGER
from graphmem.model import (
    Change,
    Clock,
    Context,
    Contradiction,
    ErasureReceipt,
    IngestReport,
    Profile,
    Recall,
    Session,
    SessionInfo,
    Statement,
    Trace,
    VerifyReport,
)
from graphmem.owner import check_owner, folder_name, home_of
from graphmem.personal.masks import masked
from graphmem.reading import Reader, aware
from graphmem.space import Space

if TYPE_CHECKING:
    from graphmem.embed import Embedder
    from graphmem.extractors.base import Extractor
    from graphmem.ingest import Ingestion
    from graphmem.recall.searcher import Searcher

Source = Session | Mapping[str, Any] | str | Path | Iterable[Any]
Progress = Callable[[int, int], None]


P = ParamSpec("P")
R = TypeVar("R")


def _clock() -> datetime:
    return datetime.now(UTC)


def _reads(method: Callable[P, R]) -> Callable[P, R]:
    """An act that only reads: one thread at a time, and none after the memory was closed."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.reading():
            return method(*args, **kwargs)

    return guarded


def _writes(method: Callable[P, R]) -> Callable[P, R]:
    """An act that writes: one thread of one process at a time, on the state that the last one left."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.writing():
            return method(*args, **kwargs)

    return guarded


def _reads_words(method: Callable[P, R]) -> Callable[P, R]:
    """An act that writes what it reads from words: its models are loaded before others have to wait for it."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        memory: Any = args[0]
        with memory._space.reading():
            memory._ingestion("rules").ready()
        with memory._space.writing():
            return method(*args, **kwargs)

    return guarded


class Memory:
    """An open memory; get one with `Memory.open` and use it as a context manager.

    Example:
        >>> import tempfile
        >>> with Memory.open(tempfile.mkdtemp(), user="alice") as memory:
        ...     memory.statements()
        []
    """

    def __init__(self, space: Space, *, clock: Callable[[], datetime], entropy: Callable[[int], bytes], embedder: str) -> None:
        self._space, self._clock, self._entropy = space, clock, entropy
        self._embedder_name = embedder
        self._searcher: Searcher | None = None

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        user: str,
        space: str = "default",
        engine: str | None = None,
        embedder: str = "minilm",
        wait: float = 5.0,
        accept_loss: bool = False,
        clock: Callable[[], datetime] = _clock,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> Self:
        """Open a user's space, creating it if there is none.

        Args:
            home: the folder of all spaces; default `$GRAPHMEM_HOME`, else the platform's user data folder.
            user: whose memory; any text, compared character by character.
            space: which of the user's memories: letters, digits, `-`, `_`, `.`.
            engine: `kuzu` or `ladybug`; None takes the one that the space's graph was made with, `kuzu` for a new one.
            embedder: `minilm`, or `sentence-transformers:<model>`.
            wait: seconds to wait for another process that is writing to the space.
            accept_loss: open a ledger that lost its last entries; they are gone.
            clock: gives the current time, aware.
            entropy: gives n random bytes.

        Raises:
            UserError: the user or space cannot own a memory.
            StoreLocked: another process was making or changing it for longer than `wait`.
            LedgerDamaged: the ledger lost its end.  A ledger that is damaged otherwise opens for reading only (`notices`).
            StoreNewer: a newer release wrote it.
        """
        from graphmem.lifecycle.erase import resume

        check_owner(user, space)
        folder = home_of(home)
        if isinstance(wait, bool) or not isinstance(wait, int | float) or wait != wait:
            raise InputError(f"wait={wait!r} must be a number of seconds")
        _check_embedder(embedder, folder / folder_name(user, space))
        opened = Space(
            folder,
            user=user,
            space=space,
            clock=clock,
            entropy=entropy,
            engine=engine,
            embedder=embedder,
            wait=wait,
            accept_loss=accept_loss,
        )
        try:
            resume(opened)
        except BaseException:
            opened.close()
            raise
        return cls(opened, clock=clock, entropy=entropy, embedder=embedder)

    @classmethod
    def restore(
        cls, path: str | Path, *, home: str | Path | None = None, user: str | None = None, space: str | None = None,
        replace: bool = False, accept_loss: bool = False, engine: str | None = None, wait: float = 5.0,
        progress: Progress | None = None, clock: Callable[[], datetime] = _clock,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> Self:  # fmt: skip
        """Put a backup in its place, checked to the last entry, and open the memory; arguments as in `lifecycle.restore`."""
        from graphmem.lifecycle.restore import restore

        folder = home_of(home)
        how: dict[str, Any] = {"clock": clock, "entropy": entropy, "wait": wait, "engine": engine}
        done = restore(path, folder, user=user, space=space, replace=replace, accept_loss=accept_loss, progress=progress, **how)
        memory = cls.open(folder, user=done.user, space=done.space, embedder=done.embedder, **how)
        memory.sessions()  # the graph is built now, and not at the first question
        memory._space.notices[:] = done.notices
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all files; safe to call twice."""
        self._space.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the store had to repair on its own since it was opened, in plain sentences."""
        return tuple(self._space.notices)

    # ------------------------------------------------------------------ writing

    def ingest(
        self,
        source: Source,
        *,
        format: str = "auto",
        extractor: str | Extractor = "rules",
        started: datetime | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Take in one session, a file or folder of them, or an iterable of any of these; the same one twice adds nothing.

        Everything is read and checked before the first word is recorded; each session is then one operation.

        Args:
            source: a Session, a dict (interfaces: "Input"), a path, or an iterable of those.
            format: how to read files: `auto`, `json`, `jsonl`, `chat`, `chatgpt`, `claude`, `locomo`, `text`.
            extractor: `rules`; `llm:provider:name`, which sends the user's words to that language model; or an Extractor.
                All but `rules` may fail: then the session is recorded, and waits as the report says (see `extract`).
            started: aware time for formats that carry none.
            progress: called with (sessions done, sessions in all).

        Raises:
            SessionError, UnknownFormat, NaiveTime, LimitExceeded: what is wrong, where, and what to do.
        """
        from graphmem.intake import take_in
        from graphmem.sessions.gathering import gather

        sessions = list(gather(source, format=format, started=aware("started", started)))
        if not sessions:
            raise InputError("there is no session to ingest: give a session, a file or a list of them")
        with self._space.reading():
            ingestion = self._ingestion(extractor)
            ingestion.ready()
        return take_in(ingestion, sessions, progress=progress, at_once=extractor == "rules")

    def extract(self, *, extractor: str | Extractor = "rules", progress: Progress | None = None) -> IngestReport:
        """Extract the sessions that are recorded and wait for it, because a language model failed; as in `ingest`."""
        from graphmem.intake import take_in
        from graphmem.queue import waiting_sessions

        with self._space.reading():
            ingestion, sessions = self._ingestion(extractor), waiting_sessions(self._space.ledger, self._space.graph)
        return take_in(ingestion, sessions, progress=progress, at_once=extractor == "rules")

    @_reads_words
    def remember(self, text: str, *, kind: str | None = None) -> Statement:
        """Record a text as a statement that rests on itself as its quote.

        It is read as a turn is.  With a `kind`, or where no rule reads it, the whole text is one statement of that kind
        (`fact` if none is given).
        """
        from graphmem.acts import remember

        ingestion = self._ingestion("rules")
        made = remember(ingestion, text, kind)
        return self._reader().one(made)

    @_reads_words
    def propose(self, claims: Iterable[Mapping[str, Any]], *, session: str, agent: str = "agent") -> IngestReport:
        """Take in what an agent claims about a recorded session, as far as the words that it quotes hold it.

        A claim has the fields of `extractors.proposals.Proposal` (`turn`, `quote`, `predicate`, `object` are required) and
        goes the way of the extractor's own: what is refused is reported with its reason.  `agent` names who proposed it.
        """
        from graphmem.proposing import propose

        return propose(self._ingestion("rules"), claims, session=session, agent=agent)

    @_writes
    def confirm(self, id: str, *, content_hash: str) -> Statement:
        """Confirm exactly the text that was shown, by its `content_hash`; HashMismatch if it is another."""
        from graphmem.acts import confirm

        confirm(self._space, self._reader().node(id), content_hash)
        return self._reader().one(id)

    @_reads_words
    def correct(self, id: str, text: str) -> Statement:
        """Put a statement right: the new one takes its place, the old one stays as never true."""
        from graphmem.acts import correct

        ingestion = self._ingestion("rules")
        reader = self._reader()
        made = correct(ingestion, reader.node(id), reader.one(id), text)
        return self._reader().one(made)

    @_writes
    def retract(self, id: str, *, reason: str) -> Statement:
        """Withdraw a statement; what it had ended or corrected holds again."""
        from graphmem.acts import retract

        retract(self._space, self._reader().node(id), reason)
        return self._reader().one(id)

    @_writes
    def forget(
        self,
        *,
        id: str | None = None,
        topic: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        all: bool = False,
        clock: Clock = "told",
        dry_run: bool = False,
    ) -> ErasureReceipt:
        """Erase statements with their words and all that was derived from them, from every file of the space.

        Exactly one of id, topic, session, since/until, all says what.  `since` <= time < `until`, by the time of saying
        or (`clock="recorded"`) of recording.  The receipt says which files were searched for leftovers.
        """
        from graphmem.forgetting import forget

        since, until = aware("since", since), aware("until", until)
        receipt = forget(
            self._space, reader=self._reader(), id_=id, topic=topic, session=session, since=since, until=until,
            everything=all, clock=_known_clock(clock), dry_run=dry_run,
        )  # fmt: skip
        self._drop_index()
        return receipt

    # ------------------------------------------------------------------ reading

    @_reads
    def statements(
        self,
        status: str | None = None,
        kind: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Statement]:
        """Statements in order of saying; None means every status.  With `as_of` and no status: those that held then."""
        return self._reader(as_of, known_at).statements(status, kind)

    @_reads
    def recall(
        self,
        query: str,
        *,
        k: int = 8,
        min_score: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        kinds: Iterable[str] | None = None,
        special: bool = True,
    ) -> Recall:
        """What the memory has on a question, best first; nothing if nothing passes the threshold.

        `min_score` in 0..1 replaces the calibrated threshold; `kinds` limits the kinds of statement; `special=False`
        leaves out what tells of health, belief and other special categories.  A secret in the query is masked.
        """
        from graphmem.context import ordinary
        from graphmem.recall.searcher import Searcher

        if not isinstance(query, str):
            raise InputError(f"query must be a text, not {type(query).__name__}")
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 10_000:
            raise InputError(f"k={k!r} must be a whole number from 1 to 10,000")
        if min_score is not None and not 0 <= min_score <= 1:
            raise InputError(f"min_score={min_score!r} must lie in 0..1")
        as_of, known_at, now = aware("as_of", as_of), aware("known_at", known_at), self._clock()
        if self._searcher is None or self._searcher.graph is not self._space.graph:
            self._searcher = Searcher(self._space.graph, self._embedder())
            self._space.watcher = self._searcher.add
        found = self._searcher.recall(
            masked(query), k=k if special else 10_000, min_score=min_score, kinds=None if kinds is None else tuple(kinds),
            at=as_of or known_at or now, known_at=known_at or now, now=now,
        )  # fmt: skip
        return found if special else ordinary(found, k)

    @_reads
    def changes(self, since: datetime | None = None, until: datetime | None = None, *, clock: Clock = "told") -> list[Change]:
        """What changed in [since, until), oldest first, by the time of saying or (`clock="recorded"`) of recording."""
        from graphmem.changes import changes

        return changes(
            self._reader(), erased=self._space.ledger.erasures(), since=aware("since", since), until=aware("until", until),
            clock=_known_clock(clock),
        )  # fmt: skip

    @_reads
    def trace(self, id: str) -> Trace:
        """The way back from a statement to the words it rests on, each quote looked up again in the ledger."""
        from graphmem.tracing import trace

        reader = self._reader()
        return trace(self._space, reader.node(id), reader.one(id))

    @_reads
    def contradictions(self, status: str | None = "open") -> list[Contradiction]:
        """Pairs that cannot both hold; `status` is `open`, `resolved` or None for both."""
        return self._reader().contradictions(status)

    @_reads
    def open_items(self) -> list[Statement]:
        """Tasks not done yet, the one due first in front."""
        return self._reader().open_items()

    @_reads
    def profile(self, *, special: bool = False) -> Profile:
        """What currently holds about the user and about others, accepted tiers only.

        Special categories (health, belief ...) are held back and counted; `special=True` shows them.
        """
        return self._reader().profile(self._space.user, self._space.space, special=special)

    @_reads
    def sessions(self) -> list[SessionInfo]:
        """All sessions in order, with their summaries."""
        return self._reader().sessions()

    @_reads
    def start(self, budget: int = 1500, *, special: bool = False) -> Context:
        """A block for the start of a prompt within `budget` tokens (four characters each): due, profile, last sessions.

        Special categories are held back and counted; `special=True` shows them.  Identifiers are shortened.
        """
        from graphmem.context import start

        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise InputError(f"budget={budget!r} must be a whole number of tokens")
        reader = self._reader()
        return start(
            reader.profile(self._space.user, self._space.space, special=special),
            reader.sessions(),
            reader.open_items(),
            budget=budget,
            now=self._clock(),
            entropy=self._entropy,
            special=special,
        )

    @_reads
    def export(self, path: str | Path, *, format: str = "trig", profile: str = "access") -> Path:
        """Write everything to a file: `trig`, `nquads`, `jsonld` or `json`; profile `access`, `portability` or `current`."""
        from graphmem.export import export

        return export(self._bundle(), path, format=format, profile=profile)

    @_reads
    def render(self, *, format: str = "trig", profile: str = "access") -> bytes:
        """What `export` would write, as bytes."""
        from graphmem.export import render

        return render(self._bundle(), format=format, profile=profile)

    @_reads
    def backup(self, path: str | Path, *, overwrite: bool = False, progress: Progress | None = None) -> Path:
        """Write the memory to one file from which `restore` puts it back; see `lifecycle.backup` for what it may raise."""
        from graphmem.lifecycle.backup import backup

        return backup(self._space.folder, path, now=self._clock(), overwrite=overwrite, progress=progress)

    @_reads
    def verify(self) -> VerifyReport:
        """Check every quote, the hash chain, and the graph against one built anew from the ledger."""
        from graphmem.tracing import verify

        return verify(self._space)

    @_writes
    def rebuild(self, *, engine: str | None = None) -> None:
        """Build the graph anew from the ledger, into a new generation; with `engine` it is kept by that engine from now on."""
        self._drop_index()
        self._space.rebuild(engine=engine)

    def compact(self) -> None:
        """Fold the log of the graph into a new generation and remove all older files of it."""
        self.rebuild()

    # ------------------------------------------------------------------ parts

    def _drop_index(self) -> None:
        self._searcher = self._space.watcher = None

    def _reader(self, as_of: datetime | None = None, known_at: datetime | None = None) -> Reader:
        return Reader(
            self._space.graph,
            now=self._clock(),
            as_of=aware("as_of", as_of),
            known_at=aware("known_at", known_at),
        )

    def _embedder(self) -> Embedder:
        from graphmem.embed import embedder

        return embedder(self._embedder_name)

    def _ingestion(self, extractor: str | Extractor) -> Ingestion:
        from graphmem.ingest import Ingestion

        chosen = _extractor(extractor) if isinstance(extractor, str) else extractor
        return Ingestion(self._space, extractor=chosen, embedder=self._embedder())

    def _bundle(self) -> Any:
        from graphmem.export import Bundle

        now, reader, graph = self._clock(), self._reader(), self._space.graph
        return Bundle(
            user=self._space.user,
            space=self._space.space,
            at=now,
            known_at=now,
            nodes=tuple(graph.nodes()),
            turns=tuple(graph.turns()),
            sessions=tuple(graph.sessions()),
            entities=tuple(graph.entities()),
            mentions=tuple(graph.mentions()),
            same_as=tuple(graph.same_as()),
            statements=tuple(reader.all()),
            contradictions=tuple(reader.contradictions(None)),
            ledger_head=self._space.ledger.head()[1],
        )


def _check_embedder(name: object, folder: Path) -> None:
    """InputError or ModelError before a new ledger is tied for good to an embedder that there is not."""
    from graphmem.embed import DEFAULT, embedder

    if not isinstance(name, str):
        raise InputError(f"embedder must be a name, not {type(name).__name__}")
    if name != DEFAULT and not (folder / LEDGER).exists():
        _ = embedder(name).dimension


def _known_clock(clock: str) -> Clock:
    if clock not in ("told", "recorded"):
        raise InputError(f"clock {clock!r} is unknown: use told or recorded")
    return clock  # type: ignore[return-value]


def _extractor(name: str) -> Extractor:
    if name.startswith("llm:"):
        from graphmem.extractors.llm_connection import llm_extractor

        return llm_extractor(name.removeprefix("llm:"))
    if name != "rules":
        raise InputError(f"extractor {name!r} is unknown: use rules or llm:provider:name")
    from graphmem.extractors.rules import RuleExtractor

    return RuleExtractor()


__all__ = ["GraphmemError", "Memory"]
