"""One space on disk: its folder, its lock, its ledger and its graph.

Invariant: `<home>/<folder>/` holds exactly one user's one space, so no query can reach another user's data.  The ledger is
written first; a graph that is behind, missing or damaged is brought up from it.  Processes that write take turns and plan on
the ledger's last state; those that read follow it, each with a graph of its own, and see whole operations only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from graphmem.checks import brief
from graphmem.errors import InputError, LedgerDamaged, ReadOnlyStore, StoreError, StoreFull
from graphmem.failpoints import reach
from graphmem.files import check_room, clear, identity, largest, typed
from graphmem.folding import delta_of, merge
from graphmem.head import LEDGER, keep_head
from graphmem.ledger import Draft, Entry, Ledger, Vector
from graphmem.ledger_moving import EDITION, MOVED, kept_dimension
from graphmem.ledger_opening import Opening
from graphmem.locking import Door, Process, turn_of
from graphmem.owner import check_owner, folder_name
from graphmem.pool import GRAPHS, LEDGERS, give_back
from graphmem.records import Delta
from graphmem.unlocking import PLAIN, Seal, Sealing

if TYPE_CHECKING:
    from graphmem.graph.base import Graph

LOCK_SECONDS = 5.0
GRAPH = "graph"


class Space:
    """An open space; use as a context manager.

    Args:
        home: the folder that holds all spaces.
        user, space: whose memory, and which.
        clock: gives the current time, aware.
        entropy: gives n random bytes.
        engine: `kuzu`, or `ladybug` where that is installed; None takes the one the graph was made with, else `kuzu`.
        embedder: name of the embedder whose vectors the space holds; None for whichever it is, `minilm` for a new one.
        calibration: of that embedder, for a new space.
        wait: seconds to wait for another process that is writing.
        accept_loss: open a ledger that ends before the entry that was last in it; what is missing is lost.
        sealing: the key of a sealed space, and what belongs to it.
    """

    def __init__(
        self,
        home: Path,
        *,
        user: str,
        space: str,
        clock: Callable[[], datetime],
        entropy: Callable[[int], bytes],
        engine: str | None = None,
        embedder: str | None = None,
        calibration: str = "",
        wait: float = LOCK_SECONDS,
        accept_loss: bool = False,
        sealing: Sealing = PLAIN,
    ) -> None:
        self.user, self.space = check_owner(user, space)
        self.engine, self.wait = engine, wait
        self._wanted, self._calibration = embedder, calibration  # what a ledger has to fit, or is made with
        self._clock, self.entropy = clock, entropy
        # Absolute at once: a later change of the working directory must not split the store.
        self.folder = home.absolute() / folder_name(self.user, self.space)
        self.notices: list[str] = []
        self.seal = Seal(self.folder, self.user, sealing)
        self.turn = turn_of(self.folder)
        # Told of every delta that was applied, so that an index in memory need not be read anew.
        self.watcher: Callable[..., None] | None = None
        self.unlearn: Callable[[], None] | None = None  # told of each erasure: what is kept in memory may hold its words
        # Finishes an erasure that was stopped; it belongs to the layer above.
        self.resume: Callable[[Space], None] | None = None
        # Whether the ledger holds an erasure that was not carried out, and the entry up to which that was looked up.
        self._doubt, self._doubted, self._erased = False, -1, ("", 0)
        self._process = Process()
        self._closed, self._writes = False, 0
        self._graph: Graph | None = None
        self._ledger: Ledger | None = None
        self._place: tuple[int, int] | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be made ({error.strerror}): name another home") from error
        with typed(self.folder):
            for name in (LEDGER, GRAPH):
                if (self.folder / name).is_symlink():
                    raise StoreError(f"{self.folder / name} is a link: the parts of a store must lie in its own folder")
        self._door = Door(self.folder / "lock", f"the space {brief(space)} of {brief(user)}")
        with self.turn, typed(self.folder):
            self.turn.members.add(self)
            try:
                self._wake(accept_loss=accept_loss)
            except BaseException:
                self.seal.close()
                raise

    def __enter__(self) -> Space:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------ taking part

    @contextmanager
    def reading(self, *, alone: bool = False) -> Iterator[None]:
        """An act that only reads: no other thread acts meanwhile, and it sees the ledger as it stood when it began.

        With `alone` no other process writes meanwhile either.

        Raises:
            StoreLocked: another process kept erasing, or with `alone` writing, for longer than `wait` seconds.
            ReadOnlyStore: an erasure is to be finished, and nothing may be written here.
        """
        self._check_process()  # before the turn, which in a forked child a thread of the parent may have had for ever
        with self.turn, typed(self.folder), self._door.held(self.wait) if alone else nullcontext():
            self.follow()
            if not self._writes:
                # What was to be erased is shown to nobody, whoever began it.
                self._carry_out()
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """An act that may write: no other thread or process writes meanwhile, and the graph is at the ledger's end.

        Raises:
            StoreLocked: another process kept writing for longer than `wait` seconds.
            LedgerDamaged: the ledger is damaged and open for reading only.
            ReadOnlyStore: nothing may be written here.
        """
        self._check_process()
        with self.turn, typed(self.folder):
            self.check_writable()
            if not self._writes:
                self._check_place()  # before the lock, whose file would make the folder anew
                self._door.take(self.wait)
            self._writes += 1
            try:
                if self._writes == 1:
                    self.follow()
                    # With the door taken nobody else can be at it: whoever began it was stopped.
                    self._carry_out()
                yield
            finally:
                self._writes -= 1
                if not self._writes:
                    self._door.leave()

    def _carry_out(self) -> None:
        """Finish an erasure that was begun, here or in another process; what fails is tried again by the next act."""
        if (self.turn.owed or self._doubt) and self.resume is not None:
            self.resume(self)
            self._doubt = False

    def check_writable(self) -> None:
        """Refuse what would write where nothing may be written; see `writing`."""
        self._wake()
        if self.ledger.damage:
            raise LedgerDamaged(
                f"the ledger in {self.folder} is damaged ({self.ledger.damage}) and open for reading only: restore it "
                "from a backup"
            )
        if self.ledger.read_only:
            raise ReadOnlyStore(f"{self._unwritable()}: give the right to write to it and open the memory anew")

    def follow(self) -> None:
        """Take in what other processes have written since this one last looked."""
        self._wake()
        self._check_place()
        if self._place != identity(self.folder / LEDGER) or self.ledger.stale():
            # Everything was forgotten, or a backup was put in its place; or somebody else wrote what this one only reads.
            self.close_graph()
            self._close_ledger(seal=False)
            self._wake()
        head = self.ledger.head()[0]
        if head != self._doubted:
            self._doubt, self._doubted = self.ledger.owes(), head
        erased = self.ledger.secret, self.ledger.carried_out()
        if erased != self._erased and self.unlearn is not None:
            self.unlearn()
        self._erased = erased
        if self._graph is None:
            return
        GRAPHS.used(self)
        stood = self._graph.applied_seq()
        if head <= stood:
            return
        missing = list(self.ledger.history(stood))
        if any(entry.type in ("erased", MOVED) for entry, _ in missing):
            # What was erased, and vectors of another model, must leave this process's files too: they are made anew.
            for space in list(self.turn.members):
                space.close_graph()
            return
        deltas = [delta_of(entry, vectors) for entry, vectors in missing]
        self._guarded(lambda graph: graph.catch_up(deltas))
        if self._graph is not None and self.watcher is not None:
            self.watcher(merge(deltas), before=stood)

    def rest(self) -> None:
        """Close the files of the space in this process, whoever opened them; they are opened again at the next use."""
        with self.turn:
            for space in list(self.turn.members):
                space.close_graph()
                space._close_ledger()

    def doze(self) -> bool:
        """Close the graph if nothing is going on; it is opened again at the next use."""
        return self._if_idle(self.close_graph, give_back)

    def sleep(self) -> bool:
        """Close all files if nothing is going on; they are opened again at the next use."""
        return self._if_idle(self.close_graph, self._close_ledger, self.seal.rest)

    def _if_idle(self, *acts: Callable[[], None]) -> bool:
        if self._process.forked or not self.turn.idle():
            return False
        try:
            for act in acts:
                act()
        finally:
            self.turn.__exit__()
        return True

    def _check_process(self) -> None:
        self._process.check(f"the space {brief(self.space)} of {brief(self.user)}")

    def _wake(self, *, accept_loss: bool = False) -> None:
        self._check_process()
        if self._closed:
            raise StoreError("the memory is closed: open it again with Memory.open")
        LEDGERS.used(self)
        if self._ledger is None:
            self._check_place()
            self._ledger, self._wanted = self._open_ledger(accept_loss=accept_loss), None  # from now on the ledger says
            self._doubted = -1
            self.turn.ledgers += 1
            self._place = identity(self.folder / LEDGER)
            told = self._ledger.damage or (self._unwritable() if self._ledger.read_only else None)
            if told and told not in self.notices:
                self.notices.append(told)

    def _unwritable(self) -> str:
        return f"the folder {self.folder} or its ledger may not be written, so that the memory is open for reading only"

    def _check_place(self) -> None:
        """StoreError if the ledger that was opened is gone from its place: no empty one may be taken for it."""
        path = self.folder / LEDGER
        if self._place is None or path.exists():
            return
        if self.folder.is_dir():
            # Another process that forgets everything has the door, and puts a new ledger there.
            with self._door.held(self.wait):
                if path.exists():
                    return
        raise StoreError(
            f"the ledger {path} was removed or moved away while the memory was open: put it back, or open the memory anew"
        )

    # ------------------------------------------------------------------ ledger

    @property
    def ledger(self) -> Ledger:
        """The ledger, open."""
        self._wake()
        assert self._ledger is not None
        return self._ledger

    def _open_ledger(self, *, accept_loss: bool) -> Ledger:
        named = {"owner": (self.user, self.space), "embedder": self._wanted, "calibration": self._calibration}
        how = {"clock": self._clock, "entropy": self.entropy, "vault": self.seal.unlock(self._door, self.wait), **named}
        opening = Opening(self.folder, self.folder / GRAPH / "current", how, self._door, self.wait)
        return opening.open(mine=self.turn.ledgers > 0, accept_loss=accept_loss)

    def _close_ledger(self, *, seal: bool = True) -> None:
        """Close the ledger and note its end."""
        ledger, self._ledger = self._ledger, None
        if ledger is None:
            return
        self.turn.ledgers -= 1
        damaged = ledger.damage or ledger.read_only
        head = (0, "") if damaged else ledger.head()
        ledger.close()
        if damaged or not seal or self._place != identity(self.folder / LEDGER):
            return
        reach("close.before-seal")
        # With nobody else in it the log was folded into the file at closing, which is then known by its checksum.
        alone = not self._writes and not self.turn.ledgers and self._door.free()
        try:
            keep_head(self.folder, head, alone=alone)
        finally:
            if alone:
                self._door.leave()

    # ------------------------------------------------------------------ graph

    @property
    def works(self) -> Path:
        """Where what is made from the ledger lies: in the space's folder, or for a sealed space in memory."""
        return self.seal.place(self.notices)

    @property
    def graph(self) -> Graph:
        """The graph, brought up to the ledger's head when it is opened.

        Where the ledger is damaged or may not be written, or no file of a graph can be made, it is one in memory, filled from
        the ledger's good part: slower, and nothing on the disk is touched.
        """
        if self._graph is None:
            self._wake()
            dimension = self.dimension
            try:
                self._graph = self._open_graph(dimension)
            except InputError:
                # Another process has moved the space to another embedder meanwhile.
                if self.dimension == dimension:
                    raise
                self._graph = self._open_graph(self.dimension)
        return self._graph

    def _open_graph(self, dimension: int) -> Graph:
        from graphmem.graph.generations import open_graph
        from graphmem.graph.reference import filled

        if self.ledger.damage or self.ledger.read_only:
            return filled(self.history(), dimension=dimension)

        GRAPHS.used(self)
        try:
            graph = open_graph(
                self.works / GRAPH,
                engine=self.engine,
                dimension=dimension,
                history=self.history,
                head=lambda: self.ledger.head()[0],
                wait=self.wait,
                origin=self.origin,
                edition=self.ledger.meta(EDITION, ""),
                hash_at=lambda seq: self.ledger.hash_at(seq),
            )
        except StoreFull as error:
            self.notices.append(f"the graph is in memory only, because its files cannot be written: {error}")
            return filled(self.history(), dimension=dimension)
        self.notices += graph.notices if self.seal.vault is None else ()  # a sealed space's graph is made at each opening
        return graph

    @property
    def origin(self) -> str:
        """The mark of the graphs that are made from this ledger."""
        from graphmem.graph.place import origin_of

        return origin_of(self.ledger.secret, self.user, self.space)

    @property
    def embedder(self) -> str:
        """The name of the embedder whose vectors the space holds; of a damaged ledger that has lost it, the usual one."""
        return self.ledger.meta("embedder", "minilm")

    @property
    def dimension(self) -> int:
        """Length of the vectors that are kept, whatever the model gives now; known without loading the built-in model."""
        from graphmem.embed import DEFAULT, MINILM_DIMENSION, embedder

        if (kept := kept_dimension(self.ledger)) is not None:
            return kept
        return MINILM_DIMENSION if self.embedder == DEFAULT else embedder(self.embedder).dimension

    def history(self, after: int = 0) -> Iterable[Delta]:
        """The ledger folded into deltas, one for each entry above `after`; no extractor or embedder runs."""
        for entry, vectors in self.ledger.history(after):
            yield delta_of(entry, vectors)

    def write(self, operation: str, drafts: list[Draft], vectors: list[Vector] | None = None, *, at: datetime) -> list[Entry]:
        """Record an operation: acknowledged by the ledger, then taken in by the graph.

        If the graph fails after the ledger has acknowledged, it is closed and brought up again; nothing is lost.
        """
        with self.writing():
            # Under the lock the graph is at the ledger's head.
            _, stood = self.graph, self.ledger.head()[0]
            check_room(self.folder, largest=largest(self.folder, LEDGER, f"{LEDGER}-wal", f"{GRAPH}/*/*.wal"))
            reach("write.before-ledger")
            entries = self.ledger.append(operation, drafts, vectors or [], at=at)
            if not entries:
                return []
            kept: dict[int, list[tuple[str, str, str, str, bytes]]] = {}
            for vector in vectors or []:
                kept.setdefault(entries[vector.entry].seq, []).append(vector[:-1])
            delta = merge([delta_of(entry, kept.get(entry.seq, [])) for entry in entries])

            def change(graph: Graph) -> None:
                reach("write.before-graph")
                graph.apply(delta)
                reach("write.after-graph")

            self._guarded(change)
            if self._graph is not None:
                if self.watcher is not None:
                    self.watcher(delta, before=stood)
                self._fold_if_due()
            return entries

    def _guarded(self, change: Callable[[Graph], object]) -> None:
        """Change the graph; where it fails it is closed, and brought up from the ledger at its next use.

        The ledger has acknowledged by then, so that a failing graph is a notice and no error.
        """
        try:
            change(self.graph)
        except (StoreError, OSError) as error:
            self.notices.append(f"the graph failed while writing and is brought up again from the ledger: {error}")
            self.close_graph()

    def _fold_if_due(self, *, soon: bool = False) -> None:
        """Replace a graph whose log has grown too long, while it is in use or (`soon`) when there is time for it."""
        from graphmem.graph.generations import overgrown

        if overgrown(self.works / GRAPH, soon=soon):
            try:
                self.rebuild()
            except StoreError as error:
                self.notices.append(f"the log of the graph has grown and could not be folded: {error}")

    def rebuild(self, *, engine: str | None = None, purge: bool = False) -> None:
        """Throw the graph away and build it again from the ledger in a new generation; old files are removed.

        With `purge` also those that other processes still have open, so that erased content leaves the disk.
        """
        from graphmem.graph.generations import compact

        with self.writing():
            wanted = engine or self.engine
            for space in list(self.turn.members):
                space.close_graph()
            compact(
                self.works / GRAPH, engine=wanted, dimension=self.dimension, history=self.history, purge=purge, wait=self.wait,
                origin=self.origin, edition=self.ledger.meta(EDITION, ""),
            )  # fmt: skip
            self.engine = wanted

    def reset(self) -> None:
        """Remove every file of the space but its locks, and begin again with an empty ledger."""
        from graphmem.graph.place import door_path

        with self.writing(), Door(door_path(self.works / GRAPH), f"the graph in {self.folder}").held(self.wait):
            self.close_graph()
            self._close_ledger(seal=False)
            self._place = None
            self.seal.empty()
            # The ledger goes last: while it is there, it says that everything is to go.
            clear(self.folder, kept=("lock", door_path(self.folder / GRAPH).name), last="ledger")
            reach("reset.ledger-gone")
            self.seal.renew()
            self._wake()

    # ------------------------------------------------------------------ closing

    def close_graph(self) -> None:
        """Let go of the graph only."""
        if self._graph is not None:
            graph, self._graph = self._graph, None
            GRAPHS.released(self)
            graph.close()

    def close(self) -> None:
        """Let go of everything; safe to call twice.

        A log that has grown is folded into a new generation first, so that the next opening is quick.
        """
        if self._process.forked:
            # Files and locks are the parent's; closing them here would take them from it.
            self._closed = True
            return
        with self.turn:
            if self._closed:
                return
            # All that was acknowledged is on the disk: what fails from here on costs time at the next opening, no more.
            with suppress(StoreError, OSError):
                if self._graph is not None and self.seal.vault is None:  # a sealed space's graph is gone after this
                    self._fold_if_due(soon=True)
                    reach("close.folded")
            self._closed = True
            with suppress(StoreError, OSError):
                self.close_graph()
            with suppress(StoreError, OSError):
                self._close_ledger()
            self.seal.close()
            LEDGERS.released(self)
