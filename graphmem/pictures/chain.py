"""The way from a statement back to its words as a picture: statement, quotes, turns, sessions, and what it stands against.

Invariant: the picture is plain SVG that loads and runs nothing, every word in it is escaped text without invisible
characters, and its bytes depend on the trace alone; no library draws it, so none is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from graphmem.checks import brief
from graphmem.checks import path as checked
from graphmem.context import visible
from graphmem.errors import InputError
from graphmem.model import Statement, Trace, TraceEvidence, iso
from graphmem.tracing import relation_of

WIDE, LINE, PAD, GAP = 250, 17, 10, 24  # pixels
STEP = WIDE + 90  # from column to column, with room for what an arrow says
LETTERS, MOST = 36, 5  # letters in a line, and lines of a text
_FILLS = {"statement": "#d8e6f5", "quote": "#ffe9a8", "turn": "#f3efdc", "session": "#e3f1de", "other": "#eeeeee"}
_RED, _INK = "#c02020", "#404040"


class Box(NamedTuple):
    """A thing of the chain: its column, its lines (the first names it), and where it stands."""

    id: str
    kind: str
    column: int
    lines: tuple[str, ...]
    top: int = 0

    @property
    def high(self) -> int:
        """Its height."""
        return 2 * PAD + LINE * len(self.lines)

    @property
    def middle(self) -> int:
        """The height at which arrows meet it."""
        return self.top + self.high // 2


class Tie(NamedTuple):
    """An arrow from one box to another, what it says, and whether the two cannot both hold."""

    source: str
    target: str
    words: str
    clash: bool = False


class Chain(NamedTuple):
    """What is drawn."""

    title: str
    boxes: tuple[Box, ...]
    ties: tuple[Tie, ...]


def chain(item: Trace) -> Chain:
    """Plan the picture of a trace: columns for what it stands against, the statement, its quotes, turns and sessions."""
    statement = item.statement
    boxes = {"s": _of_statement("s", "statement", 1, statement)}
    ties: list[Tie] = []
    for number, other in enumerate(item.related):
        said = relation_of(statement, other.id)
        boxes[f"o{number}"] = _of_statement(f"o{number}", "other", 0, other)
        ends = (f"o{number}", "s") if said.startswith("Replaced") else ("s", f"o{number}")
        ties.append(Tie(*ends, "takes the place of" if said.startswith("Replaced") else said.lower(), said == "Contradicts"))
    for number, found in enumerate(item.evidence):
        ties += _words(boxes, number, found)
    return Chain(f"{statement.id}: {statement.text}", _placed(tuple(boxes.values())), tuple(dict.fromkeys(ties)))


def _words(boxes: dict[str, Box], number: int, found: TraceEvidence) -> Iterator[Tie]:
    """The boxes of one quote, its turn and its session, and the arrows between them."""
    proof, turn = found.evidence, found.turn
    quote, told, session = f"q{number}", f"t {turn.session}/{turn.id}", f"c {turn.session}"
    place = f"characters {proof.start} to {proof.end}"
    mark = "found there" if found.verified else "NOT FOUND"
    boxes[quote] = Box(quote, "quote", 2, (f"{place}: {mark}", *_lines(f"“{proof.quote}”"), f"{proof.tier}, {proof.extractor}"))
    who = f"{turn.speaker or turn.role}, {iso(turn.time)}"
    boxes.setdefault(told, Box(told, "turn", 3, (*_lines(f"turn {turn.id}", 1), *_lines(who, 1), *_lines(turn.text))))
    boxes.setdefault(session, Box(session, "session", 4, (*_lines(f"session {turn.session}", 2),)))
    yield Tie("s", quote, "rests on")
    yield Tie(quote, told, "stands in")
    yield Tie(told, session, "part of")


def _of_statement(id_: str, kind: str, column: int, statement: Statement) -> Box:
    return Box(id_, kind, column, (statement.id, *_lines(statement.text), f"{statement.status}, {statement.tier}"))


def _lines(words: str, most: int = MOST) -> tuple[str, ...]:
    """Words in lines of a width, the last of which says if there were more."""
    lines = wrap(visible(words), LETTERS) or [""]
    return tuple(lines) if len(lines) <= most else (*lines[: most - 1], lines[most - 1][: LETTERS - 2] + " …")


def _placed(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """The boxes under each other in their columns, each column in the middle of the picture."""
    columns: dict[int, list[Box]] = {}
    for box in boxes:
        columns.setdefault(box.column, []).append(box)
    tall = {column: sum(box.high + GAP for box in found) - GAP for column, found in columns.items()}
    placed = []
    for column, found in columns.items():
        top = 2 * GAP + (max(tall.values()) - tall[column]) // 2
        for box in found:
            placed.append(box._replace(top=top))
            top += box.high + GAP
    return tuple(placed)


def svg_named(path: str | Path) -> None:
    """InputError unless a file's name says that it is an SVG."""
    place = checked("path", path)
    if place.suffix.lower() != ".svg":
        raise InputError(f"the picture of a trace is an SVG file, and {brief(place.name)} says another: end it in .svg")


def svg(chain: Chain) -> bytes:
    """The picture as an SVG file."""
    first = min(box.column for box in chain.boxes)
    left = {box.id: GAP + (box.column - first) * STEP for box in chain.boxes}
    boxes = {box.id: box for box in chain.boxes}
    wide = max(left.values()) + WIDE + GAP
    high = max(box.top + box.high for box in chain.boxes) + GAP
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{_text(chain.title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{_INK}"/></marker></defs>',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
    ]
    for tie in chain.ties:
        rows += _arrow(tie, boxes[tie.source], boxes[tie.target], left)
    for box in chain.boxes:
        rows += _box(box, left[box.id])
    return ("\n".join([*rows, "</svg>"]) + "\n").encode("utf-8")


def _arrow(tie: Tie, source: Box, target: Box, left: dict[str, int]) -> Iterator[str]:
    forward = left[source.id] < left[target.id]
    begin, end = (left[source.id] + WIDE, left[target.id]) if forward else (left[source.id], left[target.id] + WIDE)
    ink = _RED if tie.clash else _INK
    tip = "" if tie.clash else ' marker-end="url(#tip)"'
    yield f'<line x1="{begin}" y1="{source.middle}" x2="{end}" y2="{target.middle}" stroke="{ink}"{tip}/>'
    at = (source.middle + target.middle) // 2 - 6
    yield f'<text x="{(begin + end) // 2}" y="{at}" text-anchor="middle" font-size="10" fill="{ink}">{_text(tie.words)}</text>'


def _box(box: Box, left: int) -> Iterator[str]:
    size = f'x="{left}" y="{box.top}" width="{WIDE}" height="{box.high}"'
    yield f'<rect {size} rx="5" fill="{_FILLS[box.kind]}" stroke="{_INK}"/>'
    for number, line in enumerate(box.lines):
        weight = "" if number else ' font-weight="bold"'
        down = box.top + PAD + LINE * number + 12
        yield f'<text x="{left + PAD}" y="{down}"{weight}>{_text(line)}</text>'


def _text(words: str) -> str:
    return escape(visible(words), quote=True)
