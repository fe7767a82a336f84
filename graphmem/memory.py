"""The memory of one user's one space: the one class that callers need.

Invariant: every public method is one act or one question of the contract; it parses what it is given, asks the part that
knows, and decides nothing itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphmem import checks
from graphmem.errors import GraphmemError, InputError, StoreError
from graphmem.guards import gated, reads_words, writes
from graphmem.head import LEDGER
from graphmem.keeping import Keeping
from graphmem.model import (
    Clock,
    Hit,
    IngestReport,
    Question,
    Recall,
    Session,
    Statement,
    Usage,
)
from graphmem.owner import check_owner, folder_name, home_of
from graphmem.questions import known_clock
from graphmem.reading import Reader, aware, known
from graphmem.receipts import ErasureReceipt
from graphmem.roles import principal
from graphmem.ruling import check_there, untold
from graphmem.settings import check_learning
from graphmem.space import Space
from graphmem.unlocking import Sealing
from graphmem.upkeep import Progress

if TYPE_CHECKING:
    from graphmem.extractors.base import Extractor
    from graphmem.ingest import Ingestion
    from graphmem.sealing.providers import Provider

Source = Session | Mapping[str, Any] | str | Path | Iterable[Any]


def _clock() -> datetime:
    return datetime.now(UTC)


class Memory(Keeping):
    """An open memory; get one with `Memory.open` and use it as a context manager.

    Example:
        >>> import tempfile
        >>> with Memory.open(tempfile.mkdtemp(), user="alice") as memory:
        ...     memory.statements()
        []
    """

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        user: str,
        space: str = "default",
        engine: str | None = None,
        embedder: str | None = None,
        wait: float = 5.0,
        accept_loss: bool = False,
        clock: Callable[[], datetime] = _clock,
        entropy: Callable[[int], bytes] = os.urandom,
        embed_wait: float = 60.0,
        role: str = "owner",
        purpose: str | None = None,
        actor: str | None = None,
        granted_from: str | None = None,
        key: Provider | None = None,
        keys: str | Path | None = None,
        allow_disk_workcopy: bool = False,
        transcripts: str | None = None,
    ) -> Self:
        """Open a user's space, creating it if there is none.

        Args:
            home: the folder of all spaces; default `$GRAPHMEM_HOME`, else the platform's user data folder.
            user: whose memory; any text, compared character by character.
            space: which of the user's memories: letters, digits, `-`, `_`, `.`.
            engine: `kuzu` or `ladybug`; None takes the one that the space's graph was made with, `kuzu` for a new one.
            embedder: `minilm`, `multilingual`, or `sentence-transformers:<model>`.  None takes the one that the space was made
                with or moved to (`reembed`), `minilm` for a new one; another one than that is refused.
            wait: seconds to wait for another process that is writing to the space.
            accept_loss: open a ledger that lost its last entries; they are gone.
            clock: gives the current time, aware.
            entropy: gives n random bytes.
            embed_wait: seconds to wait for the embedder, for its loading and for each 32 texts.  Where it takes longer or
                fails, a question is answered by words alone and says so, and a session is recorded and waits (`extract`).
            role: `owner`; or `agent`, `auditor`, `support`, who may do what `graphmem.roles` says, leave an entry in the ledger
                for each act, and begin no new memory.
            purpose: what for; other roles than the owner have to say.  With `case:...` an auditor reads the words too.
            actor: who, by whatever name; the role's if none is given.
            granted_from: the role's own space, where this is another one that its owner has granted (`grant`).
            key: makes a new space a sealed one, and opens it: `Passphrase`, `Keyring` or `Callback` of `graphmem.sealing`.
            keys: the folder of all keys, `keys` in `home` if none is named.
            allow_disk_workcopy: let the graph of a sealed space lie unsealed on a disk while it is open, where the system has
                no folder in memory.
            transcripts: of a new space: `whole`, or `quotes` to keep of each session only what statements quote (`configure`).

        Raises:
            AccessDenied: the role may not open it: there is none, or its owner has not allowed the purpose or granted it.
            UserError: the user or space cannot own a memory.
            StoreLocked: another process was making or changing it for longer than `wait`.
            LedgerDamaged: the ledger lost its end.  A ledger that is damaged otherwise opens for reading only (`notices`).
            StoreNewer: a newer release wrote it.
            KeyUnavailable, SealBroken: it is sealed, and the key does not open it, or its keys do not hold.
        """
        from graphmem.graph.engine import check_engine
        from graphmem.lifecycle.erase import resume
        from graphmem.register_watch import fault

        clock = known(clock)
        check_owner(user, space)
        who, folder = principal(role, actor, purpose, home=granted_from), home_of(home)
        check_there(folder, user, space, who)
        checks.flags(accept_loss=accept_loss, allow_disk_workcopy=allow_disk_workcopy)
        checks.called("entropy", entropy, needed=True)
        if engine is not None:
            check_engine(engine)
        for name, seconds in (("wait", wait), ("embed_wait", embed_wait)):
            checks.between(name, seconds, 0, float("inf"), what="a number of seconds")
        calibration = _check_embedder(embedder, folder / folder_name(user, space), embed_wait)
        try:
            opened = Space(
                folder,
                user=user,
                space=space,
                clock=clock,
                entropy=entropy,
                engine=engine,
                embedder=embedder,
                calibration=calibration,
                wait=wait,
                accept_loss=accept_loss,
                sealing=Sealing(key, None if keys is None else checks.path("keys", keys), allow_disk_workcopy),
            )
        except StoreError as error:
            raise untold(error, who) from None
        opened.resume = resume
        try:
            resume(opened)
            if who is None and not opened.ledger.damage and (unfit := fault(opened)) is not None:
                opened.notices.append(unfit.text)
            memory = cls(opened, clock=clock, entropy=entropy, embed_wait=embed_wait)
            if who is not None:
                memory._admit(who)
            elif transcripts is not None:
                memory._begin(transcripts)
        except BaseException:
            opened.close()
            raise
        return memory

    @classmethod
    def restore(
        cls, path: str | Path, *, home: str | Path | None = None, user: str | None = None, space: str | None = None,
        replace: bool = False, accept_loss: bool = False, engine: str | None = None, wait: float = 5.0,
        progress: Progress | None = None, format: str | None = None, foreign: bool = False, anchor: str | None = None,
        key: Provider | None = None, keys: str | Path | None = None, allow_disk_workcopy: bool = False,
        clock: Callable[[], datetime] = _clock, entropy: Callable[[int], bytes] = os.urandom,
    ) -> Self:  # fmt: skip
        """Put a backup in its place, checked to the last entry, or make a memory from an export, and open it.

        Arguments as in `lifecycle.restore`; an `anchor` is what `Memory.anchor` gave.
        """
        from graphmem.anchoring import anchored
        from graphmem.lifecycle.restore import restore
        from graphmem.register_watch import remade

        clock = known(clock)
        folder = home_of(home)
        checks.flags(replace=replace, accept_loss=accept_loss, foreign=foreign, allow_disk_workcopy=allow_disk_workcopy)
        checks.called("progress", progress)
        checks.called("entropy", entropy, needed=True)
        checks.between("wait", wait, 0, float("inf"), what="a number of seconds")
        how: dict[str, Any] = {"clock": clock, "entropy": entropy, "wait": wait, "engine": engine}
        done = restore(
            path, folder, user=user, space=space, replace=replace, accept_loss=accept_loss, progress=progress, format=format,
            foreign=foreign, anchor=None if anchor is None else anchored(anchor),
            sealing=Sealing(key, None if keys is None else checks.path("keys", keys), allow_disk_workcopy), **how,
        )  # fmt: skip
        how |= {"key": key, "keys": keys, "allow_disk_workcopy": allow_disk_workcopy}
        memory = cls.open(folder, user=done.user, space=done.space, embedder=done.embedder, **how)
        memory.sessions()  # the graph is built now, and not at the first question
        made = remade(memory._space, keep=True)
        memory._space.notices[:] = (*done.notices, *([made] if made else []))
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
        """What the store had to repair on its own since it was opened, in plain sentences; of erasures the owner is told."""
        from graphmem.lifecycle.erase import FINISHED

        return tuple(told for told in self._space.notices if self._gate is None or told != FINISHED)

    # ------------------------------------------------------------------ writing

    @gated
    def ingest(
        self,
        source: Source,
        *,
        format: str = "auto",
        extractor: str | Extractor = "rules",
        started: datetime | None = None,
        progress: Progress | None = None,
        allow: bool = False,
    ) -> IngestReport:
        """Take in one session, a file or folder of them, or an iterable of any of these; the same one twice adds nothing.

        Everything is read and checked before the first word is recorded; each session is then one operation.

        Args:
            source: a Session, a dict (interfaces: "Input"), a path, or an iterable of those.  A session or turn without an id
                gets one of this memory's own: see `sessions`.
            format: how to read files: `auto`, `json`, `jsonl`, `chat`, `chatgpt`, `claude`, `locomo`, `text`.
            extractor: `rules`; `llm:provider:name`, which sends the user's words to that language model; or an Extractor.
                All but `rules` may fail: then the session is recorded, and waits as the report says (see `extract`).
            started: aware time for formats that carry none.
            progress: called with (sessions done, sessions in all).
            allow: take in also what was forgotten before; otherwise it is refused (reason `erased`) and blanked.

        Raises:
            SessionError, UnknownFormat, NaiveTime, LimitExceeded: what is wrong, where, and what to do.
        """
        from graphmem.intake import take_in
        from graphmem.sessions.gathering import gather

        checks.flags(allow=allow)
        checks.called("progress", progress)
        sessions = list(gather(source, format=format, started=aware("started", started)))
        if not sessions:
            raise InputError("there is no session to ingest: give a session, a file or a list of them")
        with self._space.reading():
            check_learning(self._space.ledger)
            ingestion = self._ingestion(extractor, allow=allow)
            ingestion.ready()
        return take_in(ingestion, sessions, progress=progress, at_once=extractor == "rules")

    @gated
    def extract(self, *, extractor: str | Extractor = "rules", progress: Progress | None = None) -> IngestReport:
        """Extract the sessions that are recorded and wait for it, because a language model failed; as in `ingest`."""
        from graphmem.intake import take_in
        from graphmem.queue import waiting_sessions

        checks.called("progress", progress)
        with self._space.reading():
            check_learning(self._space.ledger)
            ingestion = self._ingestion(extractor, recorded=True)
            sessions = waiting_sessions(self._space.ledger, self._space.graph)
        return take_in(ingestion, sessions, progress=progress, at_once=extractor == "rules")

    @writes
    def note_use(self, answer: str | Recall, used: Iterable[str | Hit] | None = None, *, reply: str | None = None) -> Usage:
        """Note which of the memories in an answer were used: those gain weight in recall, the others lose a little.

        Either `used` names them, as statement ids or hits, or `reply` is what the agent then said, and those that it refers
        to are taken for used (`graphmem.recall.usage.refers`).  The use of an answer is noted once.

        Args:
            answer: what `recall` or `on_turn` gave, or its id if it was this memory, since it was opened, that gave it.
            used: what was used; an empty list for nothing.
            reply: what was said with the memories at hand.

        Raises:
            InputError: the answer is not known, or something used is not in it.
        """
        from graphmem.acts import note_use
        from graphmem.usage import check_answer

        found = self._answers.get(answer) if isinstance(answer, str) else check_answer(answer)
        if self._gate is not None:
            found = self._gate.noted(found)
        if found is None:
            raise InputError(
                f"answer {checks.brief(answer)} is not at hand: give the answer itself, as recall or on_turn gave it"
            )
        return note_use(self._space, found, used, reply)

    @reads_words
    def remember(self, text: str, *, kind: str | None = None, allow: bool = False) -> Statement:
        """Record a text as a statement that rests on itself as its quote.

        It is read as a turn is.  With a `kind`, or where no rule reads it, the whole text is one statement of that kind
        (`fact` if none is given).  What was forgotten before is refused (WasForgotten) unless `allow` says that it may be
        kept again.
        """
        from graphmem.acts import remember

        checks.flags(allow=allow)
        ingestion = self._ingestion("rules", allow=allow)
        made = remember(ingestion, text, kind)
        return self._reader().one(made)

    @reads_words
    def propose(self, claims: Iterable[Mapping[str, Any]], *, session: str, agent: str = "agent") -> IngestReport:
        """Take in what an agent claims about a recorded session, as far as the words that it quotes hold it.

        A claim has the fields of `extractors.proposals.Proposal` (`turn`, `quote`, `predicate`, `object` are required) and
        goes the way of the extractor's own: what is refused is reported with its reason.  `agent` names who proposed it.
        """
        from graphmem.proposing import propose

        return propose(self._ingestion("rules"), claims, session=session, agent=agent, seen=self._graph)

    @writes
    def confirm(self, id: str, *, content_hash: str | None = None, question: str | None = None) -> Statement:
        """Confirm exactly the text that was shown, by its `content_hash`; HashMismatch if it is another.

        With `question` (see `open_questions`) it is the answer to that question, which knows what was shown; of two
        statements that cannot both hold, the other one is withdrawn.  What was confirmed before is not confirmed a second
        time: nothing is added, and the statement is given as it is.
        """
        from graphmem.acts import confirm

        reader = self._reader()
        confirm(self._space, reader.node(id), content_hash, self._asked(reader, id, question))
        return self._reader().one(id)

    @reads_words
    def correct(self, id: str, text: str, *, question: str | None = None, allow: bool = False) -> Statement:
        """Put a statement right: the new one takes its place, the old one stays as never true; `allow` as in `remember`."""
        from graphmem.acts import correct

        checks.flags(allow=allow)
        ingestion = self._ingestion("rules", allow=allow)
        reader = self._reader()
        made = correct(ingestion, reader.node(id), reader.one(id), text, self._asked(reader, id, question))
        return self._reader().one(made)

    @writes
    def retract(self, id: str, *, reason: str, question: str | None = None) -> Statement:
        """Withdraw a statement; what it had ended or corrected holds again."""
        from graphmem.acts import retract

        reader = self._reader()
        retract(self._space, reader.node(id), reason, self._asked(reader, id, question))
        return self._reader().one(id)

    @writes
    def release(self, id: str, *, content_hash: str) -> Statement:
        """Let a claim out of quarantine, by the `content_hash` of the text that was shown: it is a suggestion from then on."""
        from graphmem.quarantine import release

        reader = self._reader()
        made = release(
            self._space, reader.node(id), status=reader.one(id).status, content_hash=content_hash, embedder=self._embedder()
        )
        return self._reader().one(made)

    @writes
    def forget(
        self,
        *,
        id: str | None = None,
        topic: str | None = None,
        entity: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        last: timedelta | None = None,
        all: bool = False,
        clock: Clock = "told",
        dry_run: bool = False,
    ) -> ErasureReceipt:
        """Erase statements with their words and all that was derived from them, from every file of the space.

        Exactly one of id, topic, entity, session, since/until, last, all says what.  `entity` is any name of a person, place
        or thing.  `since` <= time < `until`, or from `last` before now on, by the time of saying or (`clock="recorded"`) of
        recording.  A dry run plans and changes nothing.  The receipt says which files were searched for leftovers, what the
        same search had found before, what was taken along because it stood in the same sentence, and what may be about it
        too.  What was asked for is refused from then on (`allow` in `ingest` and `remember`).

        Raises:
            NothingKnown, StatementNotFound, SessionError: nothing is known by what was named.
        """
        from graphmem.forgetting import forget

        since, until = aware("since", since), aware("until", until)
        receipt = forget(
            self._space, reader=self._reader(), id_=id, topic=topic, entity=entity, session=session, since=since,
            until=until, last=last, everything=all, clock=known_clock(clock), dry_run=dry_run,
        )  # fmt: skip
        self._drop_index()
        self._answers.clear()  # they hold what was erased
        return receipt

    # ------------------------------------------------------------------ parts

    def _asked(self, reader: Reader, id: str, question: str | None) -> Question | None:
        from graphmem.doubts import asked

        return None if question is None else asked(reader, self._space.ledger, question, id)

    def _ingestion(self, extractor: str | Extractor, *, allow: bool = False, recorded: bool = False) -> Ingestion:
        """What takes sessions in; those that are `recorded` are nobody's guess, whoever has them read."""
        from graphmem.ingest import Ingestion

        chosen = _extractor(extractor) if isinstance(extractor, str) else extractor
        who = None if self._gate is None or recorded else self._gate.who
        return Ingestion(self._space, extractor=chosen, embedder=self._embedder(), allow=allow, who=who)


def _check_embedder(name: object, folder: Path, seconds: float) -> str:
    """The calibration of the embedder of a new ledger; of one that is there nothing is asked.

    Raises:
        InputError, ModelError: there is no such embedder, before a new ledger is tied to it.
    """
    from graphmem.embed import DEFAULT, embedder

    if name is not None and not isinstance(name, str):
        raise InputError(f"embedder must be a name, not {type(name).__name__}")
    if name is None or name == DEFAULT or (folder / LEDGER).exists():
        return ""
    from graphmem.calibration import calibrated
    from graphmem.encoding import Bounded

    model = embedder(name)
    return calibrated(Bounded(model, dimension=model.dimension, seconds=seconds)).dump()


def _extractor(name: str) -> Extractor:
    if name.startswith("llm:"):
        from graphmem.extractors.llm_connection import llm_extractor

        return llm_extractor(name.removeprefix("llm:"))
    if name != "rules":
        raise InputError(f"extractor {checks.brief(name)} is unknown: use rules or llm:provider:name")
    from graphmem.extractors.rules import RuleExtractor

    return RuleExtractor()


__all__ = ["GraphmemError", "Memory"]
