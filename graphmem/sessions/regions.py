"""Regions of a turn that are not its speaker's own words: pasted code, quoted mail, HTML, other people's talk.

Invariant: pure, one pass, linear in the length of the text; spans are sorted and do not overlap.  Where the shape leaves
a doubt the region counts as quoted, since a quoted region can at most make a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphmem.model import Span

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"[ \t]{0,8}>")
_HEADER = re.compile(r"\**(From|To|Cc|Bcc|Sent|Date|Subject|Reply-To)\**:\**[ \t]\s*\S", re.IGNORECASE)
_WROTE = re.compile(
    r"(?:(?:On|Am|Le|El|Il|Den)\s.{4,200}|[^\W\d_][\w .'-]{0,60}(?:<[^>]{1,100}>)?)"
    r"\s(?:wrote|writes|schrieb|skrev|a écrit|escribió|ha scritto)(?:\s.{0,60})?:\s*$"
)
_FORWARDED = re.compile(
    r"\s{0,3}(?:-{2,}\s*(?:Original|Forwarded)\s[Mm]essage\s*-{2,}|Begin forwarded message:|_{20,}\s*$)", re.IGNORECASE
)
_HTML = re.compile(
    r"[ \t]{0,3}<(!DOCTYPE|!--|/?(?:html|head|body|div|table|thead|tbody|tr|td|th|ul|ol|li|p|pre|script|style|section|article"
    r"|blockquote|form|iframe|h[1-6]|header|footer|main|nav|svg|xml|document|system|memory))\b",
    re.IGNORECASE,
)
_CLOSED_BY_TAG = frozenset(
    ("html", "head", "body", "div", "table", "pre", "script", "style", "blockquote", "section", "article", "form", "svg")
)
_ROLE_LINE = re.compile(
    r"[\s*_#\[(-]{0,6}(?:user|assistant|human|ai|bot|chatbot|system|tool|chatgpt|claude|gpt|customer|agent|interviewer"
    r"|interviewee)[\s*_\])]{0,4}:",
    re.IGNORECASE,
)
_NAME_LINE = re.compile(r"[ \t*_]{0,4}([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30}){0,2})[*_]{0,2}: ?\S")
_CLOCK_LINE = re.compile(r"\[?\d{1,4}[-./:]\d{1,2}[^\]\n]{0,24}[\])]?[ \t]-?[ \t]?[^\W\d_][^:\n]{0,40}: ?\S")


class Line(NamedTuple):
    """A line with its place; `text` is without the line end."""

    start: int
    end: int
    text: str


def quoted_spans(text: str) -> tuple[Span, ...]:
    """The quoted regions of a text, in order."""
    if not text:
        return ()
    lines = list(_lines(text))
    pieces: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    talk = _talk(lines)
    place = 0
    while place < len(lines):
        line = lines[place]
        last = _last_line(text, lines, place, unclosed)
        if last is None and place in talk:
            last = place
        if last is None:
            place += 1
            continue
        if pieces and pieces[-1][1] == line.start:
            pieces[-1] = (pieces[-1][0], lines[last].end)
        else:
            pieces.append((line.start, lines[last].end))
        place = last + 1
    return tuple(Span(start=start, end=end, role="quoted") for start, end in pieces)


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


def _lines(text: str) -> Iterator[Line]:
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw)
        yield Line(start, min(end + 1, len(text)), raw)
        start = end + 1


def _last_line(text: str, lines: Sequence[Line], place: int, unclosed: set[str]) -> int | None:
    """The last line of the region that begins on this line, or None if none begins here."""
    content = lines[place].text
    fence = _FENCE.match(content)
    if fence:
        return _fence_end(lines, place, fence.group(1))
    if _QUOTE.match(content):
        return place
    if _FORWARDED.match(content) or _WROTE.match(content[:400]) or _is_mail_head(lines, place):
        return len(lines) - 1
    tag = _HTML.match(content)
    if tag:
        return _html_end(text, lines, place, tag.group(1).lower(), unclosed)
    if _ROLE_LINE.match(content):
        return _paragraph_end(lines, place)
    return None


def _fence_end(lines: Sequence[Line], place: int, mark: str) -> int:
    for i in range(place + 1, len(lines)):
        closing = lines[i].text.strip()
        if closing.startswith(mark) and not closing.strip(mark[0]):
            return i
    return len(lines) - 1


def _is_mail_head(lines: Sequence[Line], place: int) -> bool:
    """Two header lines in a row, and something that only mail has ("From: Oslo / To: Bergen" is a journey)."""
    if not _HEADER.match(lines[place].text) or place + 1 >= len(lines):
        return False
    names = set()
    address = False
    for line in lines[place : place + 4]:
        match = _HEADER.match(line.text)
        if match is None:
            break
        names.add(match.group(1).lower())
        address = address or "@" in line.text
    return len(names) >= 2 and (address or bool({"subject", "sent"} & names))


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
    return _paragraph_end(lines, place)


def _paragraph_end(lines: Sequence[Line], place: int) -> int:
    last = place
    while last + 1 < len(lines) and lines[last + 1].text.strip():
        last += 1
    return last


def _talk(lines: Sequence[Line]) -> set[int]:
    """Lines of pasted talk: in one paragraph, a name that speaks again after another, or lines with clock times.

    "Name: Mira / City: Ghent" is a form that somebody filled in: no name comes twice, so it stays.
    """
    found: set[int] = set()
    block: list[int] = []
    for place in range(len(lines) + 1):
        if place < len(lines) and lines[place].text.strip():
            block.append(place)
            continue
        if len(block) >= 2:
            names = [match.group(1).lower() for i in block if (match := _NAME_LINE.match(lines[i].text))]
            clocks = sum(1 for i in block if _CLOCK_LINE.match(lines[i].text))
            if clocks >= 2 or (len(names) >= 3 and 1 < len(set(names)) < len(names)):
                found.update(block)
        block = []
    return found


PIECE = 20


def echoed_spans(text: str, sources: Sequence[str]) -> tuple[Span, ...]:
    """Regions of at least 40 characters that stand word for word in one of the sources.

    Every run of 40 characters holds one of the source's pieces of 20 that begin at a multiple of 20, so only those are
    looked up.
    """
    pieces: dict[str, tuple[int, int]] = {}
    for number, source in enumerate(sources):
        for at in range(0, len(source) - PIECE + 1, PIECE):
            pieces.setdefault(source[at : at + PIECE], (number, at))
    found: list[Span] = []
    place = done = 0
    while pieces and place + PIECE <= len(text):
        known = pieces.get(text[place : place + PIECE])
        if known is None:
            place += 1
            continue
        source, at = sources[known[0]], known[1]
        start, begin = place, at
        while start > done and begin > 0 and text[start - 1] == source[begin - 1]:
            start, begin = start - 1, begin - 1
        end, close = place + PIECE, at + PIECE
        while end < len(text) and close < len(source) and text[end] == source[close]:
            end, close = end + 1, close + 1
        if end - start >= 2 * PIECE:
            found.append(Span(start=start, end=end, role="quoted"))
            done = place = end
        else:
            place += 1
    return merged(found)
