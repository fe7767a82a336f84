"""One space on disk: its folder, its lock, its ledger and its graph.

Invariant: `<home>/<folder>/` holds exactly one user's one space, so no query can reach another user's data; the folder's
name is derived so that no user id can escape the home or collide with another.  The ledger is written first; a graph
that is behind, missing or damaged is brought up from it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from graphmem.errors import GraphDamaged, LedgerDamaged, QueryError, StoreError, StoreLocked, UserError
from graphmem.ledger import Draft, Entry, Ledger, Vector
from graphmem.records import Delta, key

if TYPE_CHECKING:
    from graphmem.graph.database import DatabaseGraph

SPACE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
LOCK_SECONDS = 5.0
HEAD = "head.json"  # sequence number and hash of the ledger's last entry, as of the last closing


def default_home() -> Path:
    """`$GRAPHMEM_HOME`, else the platform's folder for user data."""
    named = os.environ.get("GRAPHMEM_HOME")
    if named:
        return Path(named)
    from platformdirs import user_data_dir

    return Path(user_data_dir("graphmem", appauthor=False))


def check_owner(user: object, space: object) -> tuple[str, str]:
    """The user and space if they can own a memory; ids are compared character by character, never normalised."""
    if not isinstance(user, str) or not user.strip():
        raise UserError(f"user must be a non-empty text, not {user!r}: name one user")
    if user.strip() == "*":
        raise UserError("user '*' would mean everybody: name one user")
    if user != user.strip():
        raise UserError(f"user {user!r} begins or ends with a blank: use the exact id")
    if any(0xD800 <= ord(char) < 0xE000 or char == "\x00" for char in user) or len(user) > 1024:
        raise UserError("the user id holds a lone surrogate or NUL, or is longer than 1,024 characters: use another id")
    if not isinstance(space, str) or not SPACE_NAME.fullmatch(space) or set(space) <= {"."}:
        raise UserError(f"space {space!r} is not a name: use up to 128 letters, digits, '-', '_' and '.'")
    return user, space


def folder_name(user: str, space: str) -> str:
    """A folder name for any user id: a readable part and a digest, so that ids differing in anything differ here."""
    readable = re.sub(r"[^a-z0-9]+", "-", user.casefold()).strip("-")[:32] or "user"
    plain = re.sub(r"[^a-z0-9_-]+", "-", space.casefold()).strip("-")[:32] or "space"
    return f"{readable}.{plain}.{key('u', user, space)[2:18]}"


class Space:
    """An open space; use as a context manager.

    Args:
        home: the folder that holds all spaces.
        user, space: whose memory, and which.
        clock: gives the current time, aware.
        entropy: gives n random bytes.
        engine: `kuzu`, or `ladybug` where that is installed.
        embedder: name of the embedder whose vectors the space holds.
        wait: seconds to wait for another process to let go of the space.
        accept_loss: open a ledger that ends before the entry that was last in it; what is missing is lost.
    """

    def __init__(
        self,
        home: Path,
        *,
        user: str,
        space: str,
        clock: Callable[[], datetime],
        entropy: Callable[[int], bytes],
        engine: str = "kuzu",
        embedder: str = "minilm",
        wait: float = LOCK_SECONDS,
        accept_loss: bool = False,
    ) -> None:
        from filelock import FileLock, Timeout

        self.user, self.space = check_owner(user, space)
        self.engine, self.embedder = engine, embedder
        self._clock, self._entropy = clock, entropy
        # Absolute at once: a later change of the working directory must not split the store.
        self.folder = home.absolute() / folder_name(self.user, self.space)
        self.notices: list[str] = []
        self._closed = False
        # Told of every delta that was applied, so that an index in memory need not be read anew.
        self.watcher: Callable[..., None] | None = None
        self._graph: DatabaseGraph | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be made ({error.strerror}): name another home") from error
        for name in ("ledger.sqlite", "graph"):
            if (self.folder / name).is_symlink():
                raise StoreError(f"{self.folder / name} is a link: the parts of a store must lie in its own folder")
        self._lock = FileLock(self.folder / "lock", mode=0o600)
        try:
            self._lock.acquire(timeout=wait)
        except Timeout as error:
            raise StoreLocked(
                f"the space {space!r} of {user!r} is in use by another process (waited {wait:g} s): close it and repeat"
            ) from error
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be written ({error.strerror}): check its rights") from error
        try:
            self.ledger = self._open_ledger()
            if not accept_loss:
                self._check_head()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Space:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def graph(self) -> DatabaseGraph:
        """The graph, brought up to the ledger's head on first use."""
        if self._graph is None:
            from graphmem.graph.generations import open_graph

            self._graph = open_graph(
                self.folder / "graph",
                engine=self.engine,
                dimension=self.dimension,
                history=self.history,
                head=self.ledger.head()[0],
            )
            self.notices += self._graph.notices
        return self._graph

    @property
    def dimension(self) -> int:
        """Length of the vectors; known without loading the built-in model."""
        from graphmem.embed import DEFAULT, MINILM_DIMENSION, embedder

        return MINILM_DIMENSION if self.embedder == DEFAULT else embedder(self.embedder).dimension

    def history(self, after: int = 0) -> Iterable[Delta]:
        """The ledger folded into deltas, one for each entry above `after`; no extractor or embedder runs."""
        vectors = self.ledger.vectors(after)
        for entry in self.ledger.entries(after):
            yield delta_of(entry, vectors.get(entry.seq, []))

    def write(self, operation: str, drafts: list[Draft], vectors: list[Vector] | None = None, *, at: datetime) -> list[Entry]:
        """Record an operation: acknowledged by the ledger, then taken in by the graph.

        If the graph fails after the ledger has acknowledged, it is closed and brought up again; nothing is lost.
        """
        graph = self.graph
        entries = self.ledger.append(operation, drafts, vectors or [], at=at)
        if not entries:
            return []
        kept: dict[int, list[tuple[str, str, str, str, bytes]]] = {}
        for vector in vectors or []:
            kept.setdefault(entries[vector.entry].seq, []).append(vector[:-1])
        delta = merge([delta_of(entry, kept.get(entry.seq, [])) for entry in entries])
        stood = graph.applied_seq()
        try:
            graph.apply(delta)
            if self.watcher is not None:
                self.watcher(delta, before=stood)
        except (GraphDamaged, QueryError) as error:
            self.notices.append(f"the graph failed while writing and was brought up again from the ledger: {error}")
            self.close_graph()
            self.graph.applied_seq()
        return entries

    def rebuild(self) -> None:
        """Throw the graph away and build it again from the ledger in a new generation; old files are removed."""
        from graphmem.graph.generations import compact

        self.close_graph()
        compact(
            self.folder / "graph",
            engine=self.engine,
            dimension=self.dimension,
            history=self.history,
        )

    def reset(self) -> None:
        """Remove every file of the space but its lock, and begin again with an empty ledger."""
        import shutil

        self.close_graph()
        self.ledger.close()
        # The ledger goes last: while it is there, it says that everything is to go.
        for path in sorted(self.folder.iterdir(), key=lambda path: path.name.startswith("ledger")):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != "lock":
                path.unlink()
        self.ledger = self._open_ledger()

    def _check_head(self) -> None:
        """Refuse a ledger that lost its end: the chain alone cannot tell, the head kept beside it can."""
        kept = self.folder / HEAD
        if not kept.exists():
            return
        try:
            seq, hash_ = json.loads(kept.read_text("utf-8"))
        except (OSError, ValueError):
            return  # the head is a second opinion, not the truth
        if seq and self.ledger.hash_at(seq) != hash_:
            found = self.ledger.head()[0]
            self.ledger.close()
            raise LedgerDamaged(
                f"the ledger in {self.folder} ends at entry {found} or was rewritten, but entry {seq} was there when it was "
                "last closed: restore it from a backup, or accept the loss with `graphmem rebuild --accept-loss`"
            )

    def _keep_head(self) -> None:
        fresh = self.folder / (HEAD + ".new")
        fresh.write_text(json.dumps(self.ledger.head()), "utf-8")
        os.replace(fresh, self.folder / HEAD)

    def _open_ledger(self) -> Ledger:
        return Ledger(
            self.folder / "ledger.sqlite",
            clock=self._clock,
            entropy=self._entropy,
            owner=(self.user, self.space),
            embedder=self.embedder,
        )

    def close_graph(self) -> None:
        """Let go of the graph only."""
        if self._graph is not None:
            self._graph.close()
            self._graph = None

    def close(self) -> None:
        """Let go of everything; safe to call twice.

        A log that has grown is folded into a new generation first, so that the next opening is quick.
        """
        try:
            if self._graph is not None:
                from graphmem.graph.generations import FOLD_SOON

                grown = self._graph.log_size() > FOLD_SOON
                self.close_graph()
                if grown:
                    self.rebuild()
            if not self._closed:
                self._keep_head()
        finally:
            self._closed = True
            self.close_graph()
            self.ledger.close()
            self._lock.release()


def delta_of(entry: Entry, vectors: list[tuple[str, str, str, str, bytes]]) -> Delta:
    """What an entry means for the graph; an erased entry means nothing."""
    body: dict[str, Any] = dict((entry.body or {}).get("delta", {}))
    if vectors:
        from graphmem.vectors import unpack

        body["vectors"] = [
            {
                "id": id_,
                "owner": owner,
                "kind": kind,
                "model": model,
                "recorded_at": entry.at,
                "values": unpack(data),
            }
            for id_, owner, kind, model, data in vectors
        ]
    try:
        return Delta.model_validate({**body, "seq": entry.seq})
    except ValueError as error:
        raise LedgerDamaged(
            f"entry {entry.seq} of the ledger does not hold what it should: restore it from a backup"
        ) from error


def merge(deltas: list[Delta]) -> Delta:
    """Several deltas in order as one."""
    parts: dict[str, Any] = {}
    for name in Delta.model_fields:
        if name != "seq":
            parts[name] = tuple(item for delta in deltas for item in getattr(delta, name))
    return Delta.model_construct(seq=deltas[-1].seq, **parts)
