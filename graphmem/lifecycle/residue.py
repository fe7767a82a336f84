"""The search for leftovers: the bytes by which what is erased would be known, looked for in every file before and after.

Invariant: needles live in memory only.  A text is looked for in every form in which a file could hold it, also inside the
deflated payloads of the ledger; a vector as it is kept and as 32-bit numbers; a payload by its own bytes and its salt.  The
search is made before the erasure too: a needle that it does not find then proves nothing afterwards, and is counted as missed.
What a sealed space has made in memory is searched as well; a copy of its ledger is known by its store, which it names openly.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from graphmem import payloads
from graphmem.chain import canonical
from graphmem.graph.base import Node
from graphmem.head import LEDGER
from graphmem.lifecycle import ledger_file
from graphmem.lifecycle.closure import Cuts, blanked
from graphmem.lifecycle.scope import Scope
from graphmem.locking import turn_of
from graphmem.records import SessionRecord, TurnRecord
from graphmem.register import path_of
from graphmem.sealing.vault import MARK
from graphmem.space import Space
from graphmem.vectors import unpack

SHORTEST_TEXT = 6  # characters; a shorter one would be found by chance
SHORTEST_KEPT, KEPT = 8, 64  # bytes of a deflated payload, a salt or a vector that are looked for
FLOATS = 32  # bytes of a vector as 32-bit numbers
FEW = 8  # needles that are looked for one by one
INFLATED = 4 << 20  # characters of payloads that are searched at a time
PIECE = 1 << 18  # bytes of a file that are searched at a time
ANCHORED = 64  # bytes of a needle among which those are chosen by which it is looked for
SAMPLED = 1 << 20  # groups of four bytes of a file that are counted, to choose seldom ones
_FOUR, _BITS = 4, 20  # bytes that are looked up at once, and the size of the table


class Needle(NamedTuple):
    """One thing that is to be gone, in all forms; `kept` is its beginning as the ledger keeps it, empty for a text."""

    forms: frozenset[bytes]
    kept: bytes = b""


class Search(NamedTuple):
    """What a search found.

    Attributes:
        files: what was read, by name.
        inflated: how many payloads were looked into.
        found: the needles that were found, by number.
        hits: how often a form was found in a file or among the payloads.
        where: the files that hold something.
    """

    files: tuple[str, ...]
    inflated: int
    found: frozenset[int]
    hits: dict[int, int]
    where: tuple[str, ...]


def forms_of(text: str) -> frozenset[bytes]:
    """A text in the forms in which a file could hold it: UTF-8, UTF-16, escaped as in JSON, percent-encoded."""
    plain = text.encode("utf-8", "replace").decode()
    return frozenset(
        {
            plain.encode(),
            plain.encode("utf-16-le"),
            json.dumps(plain)[1:-1].encode(),
            json.dumps(plain, ensure_ascii=False)[1:-1].encode(),
            quote(plain, safe="").encode(),
            quote_plus(plain).encode(),
        }
    )


def needles_of(
    nodes: Iterable[Node], scope: Scope, turns: Mapping[str, TurnRecord], cuts: Cuts, sessions: Iterable[SessionRecord] = ()
) -> list[Needle]:
    """The erased texts, but those that what stays says too."""
    nodes = list(nodes)
    left = [blanked(turn.text, None if key in scope.turns else cuts.get(key, ())) for key, turn in turns.items()]
    left += [n.record.model_dump_json() for n in nodes if n.record.id not in scope.statements]
    left += [n.retirement.reason for n in nodes if n.record.id not in scope.statements and n.retirement is not None]
    left += [one.model_dump_json() for one in sessions]
    left += [f"{turn.id} {turn.session} {turn.speaker}" for turn in turns.values()]
    # Words that every payload has are no sign of anything.
    there = "\n".join((*left, payloads.dictionary(payloads.DEFLATED).decode("utf-8", "replace")))
    gone = [n for n in nodes if n.record.id in scope.statements]
    texts = {n.record.text for n in gone} | {e.quote for n in gone for e in n.evidence}
    texts |= {turns[key].text for key in scope.turns if key in turns}
    texts |= {turns[key].text[start:end] for key, start, end in scope.passages if key in turns}
    said = sorted(text.strip() for text in texts if len(text.strip()) >= SHORTEST_TEXT)
    return [Needle(forms_of(text)) for text in dict.fromkeys(said) if text not in there]


def kept_of(space: Space, sequence: Collection[int], owners: Collection[str], pairs: Collection[str] = ()) -> list[Needle]:
    """The bytes by which blanked payloads and dropped vectors would be known."""
    import numpy as np

    found = [Needle(frozenset({part[:KEPT]}), part[:KEPT]) for part in space.ledger.stored(sorted(sequence))]
    for part in space.ledger.stored((), sorted(owners), sorted(pairs)):
        floats = np.array(unpack(part), np.float32).tobytes()[:FLOATS]
        found.append(Needle(frozenset({part[:KEPT], floats}), part[:KEPT]))
    return list(dict.fromkeys(one for one in found if len(one.kept) >= SHORTEST_KEPT))


def marked(space: Space) -> str:
    """By what copies of a space's ledger are known, also when it has begun anew: its store if it is sealed, or its secret."""
    return space.ledger.secret if space.seal.vault is None else space.seal.vault.store


def search(space: Space, needles: Sequence[Needle], *, mark: str) -> Search:
    """Look for needles in all files of a space and of what it may have left elsewhere, and inside its payloads.

    Args:
        space: the open space.
        needles: what is to be gone.
        mark: from `marked`, as it was before anything went.
    """
    forms = {form: set[int]() for needle in needles for form in needle.forms}
    for number, needle in enumerate(needles):
        for form in needle.forms:
            forms[form].add(number)
    wanted = _Wanted(forms)
    # Reading an open file by other means would drop the locks on it.
    space.rest()
    files, where, hits = [], [], dict[int, int]()

    def count(name: str, data: bytes) -> None:
        present = wanted.present(data)
        for form in present:
            for number in forms[form]:
                hits[number] = hits.get(number, 0) + 1
        where.extend([name] if present else [])

    for name, path in _files(space, mark):
        with suppress(FileNotFoundError):  # a folder that another process is done with
            data = path.read_bytes()
            files.append(name)
            count(name, data)
    inflated = 0
    for number, text in _payloads(space):
        inflated += number
        count(f"{LEDGER} (inflated)", text.encode("utf-8", "replace"))
    return Search(tuple(files), inflated, frozenset(hits), hits, tuple(dict.fromkeys(where)))


def standing(space: Space) -> frozenset[bytes]:
    """The beginnings of all that the ledger rightly holds."""
    return frozenset(space.ledger.beginnings(KEPT))


def _files(space: Space, mark: str) -> Iterator[tuple[str, Path]]:
    folder, works = space.folder, space.works
    for place in dict.fromkeys((folder, works)):
        for path in sorted(place.rglob("*")):
            if path.is_file():
                name = str(path.relative_to(place))
                yield name if place == folder else f"{name} (in memory)", path
    if path_of(folder).is_file():
        yield path_of(folder).name, path_of(folder)
    # A restore that was killed leaves a folder in the home, a look at a ledger one among the temporary files.
    left = [*folder.parent.glob(f".restore-*/*/*/{LEDGER}"), *Path(tempfile.gettempdir()).glob(f"graphmem-*/{LEDGER}")]
    for path in sorted(left):
        if folder not in path.parents and _is_copy(path, mark):
            yield str(path), path


def _is_copy(path: Path, mark: str) -> bool:
    """Whether a ledger is a copy of this one."""
    if turn_of(path.parent).ledgers:  # another memory that this process has open
        return False
    with suppress(sqlite3.Error, OSError), ledger_file.reading(path) as db:
        said = ledger_file.meta(db)
        return said.get(MARK, said.get("secret")) == mark
    return False


def _payloads(space: Space) -> Iterator[tuple[int, str]]:
    """The payloads of the ledger as they were before they were deflated, many at a time."""
    parts: list[str] = []
    size = 0
    for entry in space.ledger.entries():
        if entry.body is not None:
            parts.append(canonical(entry.body))
            size += len(parts[-1])
        if size > INFLATED:
            yield len(parts), "\n".join(parts)
            parts, size = [], 0
    yield len(parts), "\n".join(parts)


class _Wanted:
    """Many byte strings, looked for in a file by four bytes of each that the file seldom has."""

    def __init__(self, forms: Collection[bytes]) -> None:
        self._forms = sorted(forms)
        self._short = [form for form in self._forms if len(form) < _FOUR]

    def present(self, data: bytes) -> set[bytes]:
        """Those that are in it."""
        if len(self._forms) <= FEW:
            return {form for form in self._forms if form in data}
        import numpy as np

        anchors = self._anchors(data)
        table = np.zeros(1 << _BITS, bool)
        table[_slots(np.frombuffer(b"".join(anchors), "<u4"))] = True
        found = {form for form in self._short if form in data}
        for begin in range(0, len(data), PIECE):
            piece = data[begin : begin + PIECE + _FOUR - 1]
            if not piece.strip(b"\0"):  # much of a database's file is empty
                continue
            for first in range(min(_FOUR, len(piece) - _FOUR + 1)):
                fours = np.frombuffer(piece, "<u4", (len(piece) - first) // _FOUR, first)
                for place in (np.flatnonzero(table[_slots(fours)]) * _FOUR + first).tolist():
                    for form, offset in anchors.get(piece[place : place + _FOUR], ()):
                        at = begin + place - offset
                        if at >= 0 and data.startswith(form, at):
                            found.add(form)
        return found

    def _anchors(self, data: bytes) -> dict[bytes, list[tuple[bytes, int]]]:
        """Of each form four bytes, by which it is looked for, and where in it they stand."""
        import numpy as np

        sample = np.frombuffer(data, "<u4", len(data) // _FOUR)
        common = np.bincount(_slots(sample[:: len(sample) // SAMPLED + 1]), minlength=1 << _BITS)
        anchors: dict[bytes, list[tuple[bytes, int]]] = {}
        for form in self._forms:
            begun = form[:ANCHORED]
            if len(begun) >= _FOUR:
                fours = np.lib.stride_tricks.sliding_window_view(np.frombuffer(begun, np.uint8), _FOUR)
                offset = int(common[_slots(np.ascontiguousarray(fours).view("<u4")[:, 0])].argmin())
                anchors.setdefault(form[offset : offset + _FOUR], []).append((form, offset))
        return anchors


def _slots(fours: Any) -> Any:
    """Where four bytes, as a number, stand in a table (multiplicative hashing)."""
    import numpy as np

    return fours * np.uint32(2654435761) >> np.uint32(32 - _BITS)
