"""Drawing with matplotlib: a chart of lanes, a neighbourhood; SVG, PNG or PDF by the name of the file.

Invariant: text from conversations is drawn as it is, never read as markup; no display, no network and no clock is used.
"""

from __future__ import annotations

import io
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

from graphmem.checks import brief
from graphmem.context import plain
from graphmem.errors import InputError, MissingDependency
from graphmem.pictures.lanes import Bar, Chart
from graphmem.pictures.surroundings import Neighbourhood

FORMATS = ("svg", "png", "pdf")
_LONG = 44  # characters of a text in the picture
_FILL = {
    "current": "#2f6db3", "planned": "#ffffff", "superseded": "#9fb4c9", "past": "#c9c9c9", "expired": "#c9c9c9",
    "corrected": "#f0e0e0",
}  # fmt: skip
_EDGE = {"planned": "#2f6db3", "corrected": "#a05050"}
_DISPUTED = "#c02020"
_TIES = {"supersedes": "#404040", "corrects": "#a05050", "contradicts": _DISPUTED}
_KINDS = {"statement": "#d8e6f5", "turn": "#f3efdc", "thing": "#e3f1de"}
_DAY = 24 * 3600.0


def format_of(path: Path) -> str:
    """The format that a file's name asks for.

    Raises:
        InputError: it is none of `FORMATS`.
    """
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(f"{brief(path.name)} does not say what kind of picture: end the name in .svg, .png or .pdf")
    return suffix


def draw_chart(chart: Chart, *, format: str) -> bytes:
    """The picture of a chart as the bytes of a file.

    Raises:
        MissingDependency: matplotlib is not installed.
    """
    height = sum(lane.rows for lane in chart.lanes)
    figure = _figure(11.0, 1.4 + 0.34 * max(height, 1))
    axes = figure.add_subplot()
    spots = {bar.id: bar for bar in chart.bars}
    for number, lane in enumerate(chart.lanes):
        if number % 2:
            axes.axhspan(lane.first - 0.5, lane.first + lane.rows - 0.5, color="#f4f6f8", zorder=0)
    for bar in chart.bars:
        _bar(axes, bar)
    for tie in chart.ties:
        old, new = spots[tie.target], spots[tie.source]
        at = new.start if tie.kind != "contradicts" else max(old.start, new.start)
        axes.annotate(
            "", xy=(at, old.row), xytext=(at, new.row + 0.001),
            arrowprops={
                "arrowstyle": "<->" if tie.kind == "contradicts" else "->", "color": _TIES[tie.kind], "lw": 1.1,
                "connectionstyle": "arc3,rad=0.3" if old.row == new.row else "arc3",
            }, zorder=4,
        )  # fmt: skip
    axes.axvline(chart.now, color="#808080", lw=0.8, ls=":", zorder=1)
    axes.set_ylim(max(height, 1) - 0.5, -0.5)
    span = max((chart.now - chart.begin).total_seconds() / _DAY, 1.0)
    axes.set_xlim(chart.begin - timedelta(days=0.03 * span), chart.now + timedelta(days=0.12 * span))
    axes.set_yticks([lane.first + (lane.rows - 1) / 2 for lane in chart.lanes])
    axes.set_yticklabels([_short(lane.title) for lane in chart.lanes], fontsize=8, parse_math=False)
    axes.tick_params(axis="x", labelsize=8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    rest = f"  ({chart.left_out} more lanes are not shown)" if chart.left_out else ""
    axes.set_title(_short(chart.title, 120) + rest, fontsize=10, loc="left", parse_math=False)
    axes.set_xlabel(
        "blue: holds · grey: over · outlined: planned · struck: corrected · red edge: contradicted · arrow: takes the place of",
        fontsize=7,
    )
    return _saved(figure, format)


def _bar(axes: Any, bar: Bar) -> None:
    struck = bar.status == "corrected"
    axes.barh(
        bar.row, bar.end - bar.start, left=bar.start, height=0.62, color=_FILL.get(bar.status, "#c9c9c9"),
        edgecolor=_DISPUTED if bar.disputed else _EDGE.get(bar.status, "#5a6b7b"), linewidth=1.6 if bar.disputed else 0.7,
        linestyle="--" if bar.status == "planned" else "-", hatch="////" if struck else None, zorder=2,
    )  # fmt: skip
    light = bar.status == "current"
    mark = ("… " if bar.open_start else "") + _short(bar.text) + (" …" if bar.open_end and not light else "")
    axes.text(
        bar.start, bar.row, " " + mark, va="center", ha="left", fontsize=7.5, color="#ffffff" if light else "#202020",
        zorder=3, clip_on=True, parse_math=False,
    )  # fmt: skip


def draw_neighbourhood(found: Neighbourhood, *, format: str) -> bytes:
    """The picture of what stands around a statement as the bytes of a file.

    Raises:
        MissingDependency: matplotlib is not installed.
    """
    figure = _figure(11.0, 8.0)
    axes = figure.add_subplot()
    axes.axis("off")
    for line in found.lines:
        (x0, y0), (x1, y1) = found.places[line.source], found.places[line.target]
        colour = _TIES.get(line.kind, "#909090")
        both = "<->" if line.kind == "contradicts" else "->"
        arrow = {"arrowstyle": both, "color": colour, "lw": 1.0, "shrinkA": 18, "shrinkB": 18}
        axes.annotate("", xy=(x1, y1), xytext=(x0, y0), arrowprops=arrow, zorder=1)
        axes.text((x0 + x1) / 2, (y0 + y1) / 2, line.kind, fontsize=6.5, color=colour, ha="center", zorder=2)
    for point in found.points:
        x, y = found.places[point.id]
        text = f"“{_short(point.text)}”" if point.kind == "turn" else _short(point.text)
        box = {
            "boxstyle": "round,pad=0.35", "fc": _KINDS[point.kind], "lw": 2.0 if point.id == found.centre else 0.7,
            "ec": "#2f6db3" if point.id == found.centre else "#8090a0",
        }  # fmt: skip
        note = f"\n({point.status})" if point.status else ""
        axes.text(x, y, text + note, fontsize=7.5, ha="center", va="center", bbox=box, zorder=3, parse_math=False)
    axes.margins(0.18)
    axes.scatter([x for x, _ in found.places.values()], [y for _, y in found.places.values()], s=0)
    if found.left_out:
        axes.set_title(f"{found.left_out} more nodes are not shown", fontsize=8, loc="left")
    return _saved(figure, format)


def _short(text: str, length: int = _LONG) -> str:
    """A text in one line, without control characters, cut where it is long."""
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependency("matplotlib", "pip install 'graphmem[pictures]'", "drawing a picture") from error
    return Figure(figsize=(width, min(height, 60.0)), layout="constrained")


def _saved(figure: Any, format: str) -> bytes:
    import matplotlib

    out = io.BytesIO()
    # Ids in an SVG come from a salt, and files carry a date, unless both are fixed.
    fixed = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[format]
    with matplotlib.rc_context({"svg.hashsalt": "graphmem", "svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a character without a glyph is drawn as a box
        figure.savefig(out, format=format, metadata=fixed, dpi=120)
    return out.getvalue()
