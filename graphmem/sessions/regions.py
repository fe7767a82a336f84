"""Regions of a turn that are not its speaker's own words: pasted code, quoted mail, HTML, other people's talk.

Invariant: pure, one pass, linear in the length of the text; spans are sorted and do not overlap.  Where the shape leaves
a doubt the region counts as quoted, since a quoted region can at most make a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.lookalikes import visible
from graphmem.model import Span
from graphmem.sessions.handed import handed_over, pasted_line
from graphmem.sessions.lines import Line, lines_of, paragraph_end
from graphmem.sessions.mail import begins_mail
from graphmem.sessions.markup import marked_up
from graphmem.sessions.talk import inline_talk, talk_lines

_FENCE = re.compile(r" {0,12}(`{3,}|~{3,})")
_QUOTE = re.compile(r"[ \t]{0,8}[>»›❯|│┃▏]")
_HTML = re.compile(
    r"[ \t]{0,3}<(!DOCTYPE|!--|/?(?:html|head|body|div|table|thead|tbody|tr|td|th|ul|ol|li|p|pre|script|style|section|article"
    r"|blockquote|form|iframe|h[1-6]|header|footer|main|nav|svg|xml|document|system|memory))\b",
    re.IGNORECASE,
)
_CLOSED_BY_TAG = frozenset(
    ("html", "head", "body", "div", "table", "pre", "script", "style", "blockquote", "section", "article", "form", "svg")
)


def quoted_spans(text: str) -> tuple[Span, ...]:
    """The quoted regions of a text, in order."""
    if not text:
        return ()
    lines = lines_of(text)
    pieces = marked_up(text)
    unclosed: set[str] = set()
    talk = talk_lines(lines)
    marked = talk | {place for place, line in enumerate(lines) if _QUOTE.match(line.text) or _FENCE.match(line.text)}
    pieces += [(_at(text, lines[place], at), lines[last].end) for place, at, last in handed_over(lines, marked)]
    place, told = 0, -1
    while place < len(lines):
        line = lines[place]
        last = _last_line(text, lines, place, unclosed)
        if last is None and place in talk:
            last = place
        if last is not None:
            pieces.append((line.start, lines[last].end))
            place = last + 1
            continue
        at = inline_talk(line.text) if place > told else None
        if at is not None:
            told = paragraph_end(lines, place)
            pieces.append((_at(text, line, at), lines[told].end))
        place += 1
    return tuple(Span(start=start, end=end, role="quoted") for start, end in _joined(pieces))


def _at(text: str, line: Line, at: int) -> int:
    """The place in the text of a character of a line as it is seen; its beginning where something in it is not shown."""
    whole = len(line.text) == len(text[line.start : line.end].rstrip("\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
    return line.start + (at if whole else 0)


def _joined(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces in order, those that touch or overlap made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans in order, with those of one role that touch or overlap made one."""
    result: list[Span] = []
    open_at: dict[str, int] = {}
    for span in sorted(spans, key=lambda item: (item.start, item.end, item.role)):
        known = open_at.get(span.role)
        if known is not None and span.start <= result[known].end:
            if span.end > result[known].end:
                result[known] = result[known].model_copy(update={"end": span.end})
            continue
        open_at[span.role] = len(result)
        result.append(span)
    return tuple(result)


def _last_line(text: str, lines: Sequence[Line], place: int, unclosed: set[str]) -> int | None:
    """The last line of the region that begins on this line, or None if none begins here."""
    content = lines[place].text
    fence = _FENCE.match(content)
    if fence:
        return _fence_end(lines, place, fence.group(1))
    if _QUOTE.match(content):
        return place
    if pasted_line(content):
        return paragraph_end(lines, place)
    if begins_mail(lines, place):
        return len(lines) - 1
    tag = _HTML.match(content)
    if tag:
        return _html_end(text, lines, place, tag.group(1).lower(), unclosed)
    return None


def _fence_end(lines: Sequence[Line], place: int, mark: str) -> int:
    for i in range(place + 1, len(lines)):
        closing = lines[i].text.strip()
        if closing.startswith(mark) and not closing.strip(mark[0]):
            return i
    return len(lines) - 1


def _html_end(text: str, lines: Sequence[Line], place: int, tag: str, unclosed: set[str]) -> int:
    if tag in _CLOSED_BY_TAG and tag not in unclosed:
        closing = re.compile(f"</{tag}", re.IGNORECASE).search(text, lines[place].start)
        if closing:
            last = place
            while lines[last].end <= closing.start():
                last += 1
            return last
        # Not found from here is not found from further on either; so the search stays linear.
        unclosed.add(tag)
    return paragraph_end(lines, place)


PIECE = 20
_CHOICES = 4  # places in the sources that one piece is followed up from
_ALIKE = dict.fromkeys(map(ord, "‘’‚‛′`´"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_ALIKE |= dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_BLANKS = re.compile(r"\s+")


def as_pasted(text: str) -> str:
    """The form in which a paste is compared: a run of blanks is one space, marks are plain ones, nothing is invisible."""
    return _BLANKS.sub(" ", visible(text).translate(_ALIKE))


def echoed_spans(text: str, sources: Sequence[str]) -> tuple[Span, ...]:
    """Regions of at least 40 characters, as they are compared, that stand in one of the sources.

    Every run of 40 characters holds one of the source's pieces of 20 that begin at a multiple of 20, so only those are
    looked up.
    """
    if not sources:
        return ()
    found = _echoed(as_pasted(text), [as_pasted(source) for source in sources])
    if not found:
        return ()
    places = _places(text)
    return merged([Span(start=places[start], end=places[end - 1] + 1, role="quoted") for start, end in found])


def _places(text: str) -> list[int]:
    """Where each character of the compared form stands in the text."""
    places: list[int] = []
    blank = False
    for place, char in enumerate(text):
        if not visible(char) or (char.isspace() and blank):
            continue
        blank = char.isspace()
        places.append(place)
    return places


def _echoed(text: str, sources: Sequence[str]) -> list[tuple[int, int]]:
    pieces: dict[str, list[tuple[int, int]]] = {}
    for number, source in enumerate(sources):
        for at in range(0, len(source) - PIECE + 1, PIECE):
            known = pieces.setdefault(source[at : at + PIECE], [])
            if len(known) < _CHOICES:
                known.append((number, at))
    found: list[tuple[int, int]] = []
    place = done = 0
    while pieces and place + PIECE <= len(text):
        runs = [_run(text, place, sources[number], at, done) for number, at in pieces.get(text[place : place + PIECE], ())]
        start, end = max(runs, key=lambda run: run[1] - run[0], default=(place, place))
        if end - start >= 2 * PIECE:
            found.append((start, end))
            done = place = end
        else:
            place += 1
    return found


def _run(text: str, place: int, source: str, at: int, done: int) -> tuple[int, int]:
    """The stretch around a piece that is the same in both, from behind what is done."""
    start, begin = place, at
    while start > done and begin > 0 and text[start - 1] == source[begin - 1]:
        start, begin = start - 1, begin - 1
    end, close = place + PIECE, at + PIECE
    while end < len(text) and close < len(source) and text[end] == source[close]:
        end, close = end + 1, close + 1
    return start, end
