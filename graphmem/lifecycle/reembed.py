"""Moving a space to another embedder: every vector made anew, and all of them changed at once.

Invariant: vectors lie beside the ledger's chain and are its cache, so that changing them changes nothing that was recorded;
they change in one transaction with the entry that says so.  A graph says which edition of the vectors it was made from: one
of an older edition is never used again, whenever the work was stopped.  What has no vector (erased, or still waiting for
extraction) gets none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphmem.calibration import calibrated
from graphmem.embedding import texts_of, vectors_of
from graphmem.encoding import PART, Bounded
from graphmem.errors import InputError
from graphmem.folding import delta_of
from graphmem.ledger import Draft
from graphmem.ledger_moving import MOVED, move
from graphmem.records import StatementRecord, TurnRecord, is_theme
from graphmem.space import Space
from graphmem.vectors import pack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So few texts that came in meanwhile are embedded while others wait.
FEW = 4 * PART


class _Made:
    """An embedder that gives what was embedded before."""

    def __init__(self, model: Bounded) -> None:
        self._model, self.name, self.dimension = model, model.name, model.dimension
        self._rows: dict[str, NDArray[np.float32]] = {}

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The different texts among these that were not embedded yet."""
        return [text for text in dict.fromkeys(texts) if text not in self._rows]

    def make(self, texts: Sequence[str], progress: Callable[[int, int], None] | None) -> None:
        """Embed texts, part by part."""
        for start in range(0, len(texts), PART):
            part = texts[start : start + PART]
            self._rows |= dict(zip(part, self._model.encode(part), strict=True))
            if progress is not None:
                progress(min(start + PART, len(texts)), len(texts))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The rows of texts that were embedded."""
        import numpy as np

        return np.stack([self._rows[text] for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)


def reembed(space: Space, name: str, *, seconds: float, progress: Callable[[int, int], None] | None = None) -> int:
    """Embed everything with the embedder of this name and change the vectors; see `Memory.reembed`."""
    from graphmem.embed import embedder

    if not isinstance(name, str):
        raise InputError(f"embedder must be a name, not {type(name).__name__}")
    model = embedder(name)
    bounded = Bounded(model, dimension=model.dimension, seconds=seconds)
    line = calibrated(bounded)
    made = _Made(bounded)
    while True:
        with space.reading():
            space.check_writable()
            missing = made.missing(_texts(*_recorded(space)))
        if len(missing) <= FEW:
            break
        made.make(missing, progress)
    with space.writing():
        recorded = _recorded(space)
        made.make(made.missing(_texts(*recorded)), progress)
        vectors = _vectors(*recorded, made)
        count = sum(len(kept) for kept in space.ledger.vectors().values())
        now, before = space.ledger.now(), space.embedder
        body = {"from": before, "to": name, "dimension": bounded.dimension, "vectors": count, "calibration": line.dump()}
        move(
            space.ledger, f"reembed/{name}/{space.ledger.head()[0]}", Draft(MOVED, (), body), vectors,
            embedder=name, calibration=line.dump(), at=now,
        )  # fmt: skip
        space.rebuild()
        return sum(len(kept) for kept in space.ledger.vectors().values())


def _recorded(space: Space) -> tuple[list[list[TurnRecord]], list[StatementRecord]]:
    """The turns of each session in order, and the statements, as the ledger has them.

    The graph is not asked: where a ledger holds vectors of several lengths none can be made, and this is the way out.
    """
    turns: dict[str, TurnRecord] = {}
    statements: dict[str, StatementRecord] = {}
    for entry in space.ledger.entries():
        delta = delta_of(entry, [])
        for turn in delta.turns:
            turns.setdefault(turn.key, turn)
        for record in delta.statements:
            if not is_theme(record):
                statements.setdefault(record.id, record)
    sessions: dict[str, list[TurnRecord]] = {}
    for turn in sorted(turns.values(), key=lambda turn: (turn.session, turn.position)):
        sessions.setdefault(turn.session, []).append(turn)
    return list(sessions.values()), list(statements.values())


def _texts(sessions: Sequence[Sequence[TurnRecord]], statements: Sequence[StatementRecord]) -> list[str]:
    """All that is embedded."""
    texts = [text for turns in sessions for text in texts_of(turns, {turn.id for turn in turns})]
    return [*texts, *(record.text for record in statements)]


def _vectors(
    sessions: Sequence[Sequence[TurnRecord]], statements: Sequence[StatementRecord], made: _Made
) -> dict[tuple[str, str], bytes]:
    """The vectors by owner and kind."""
    found = {
        (vector.owner, vector.kind): vector.data
        for turns in sessions
        for vector in vectors_of(made, turns, {turn.id for turn in turns}, (), ())
    }
    rows = made.encode([record.text for record in statements])
    return found | {(record.id, "statement"): pack(row) for record, row in zip(statements, rows, strict=True)}
