"""Markup that somebody pasted, wherever in a line it begins: tags, code, marks of attachments, quoted sentences.

Invariant: pure and linear; places are those of the turn's own text.
"""

from __future__ import annotations

import re
from collections import deque

_FENCE = re.compile(r"(`{3,}|~{3,}|\"\"\"|''')")
_CODE = re.compile(r"`[^`\n]{1,2000}`")
_TAG = re.compile(r"<([a-zA-Z][\w:-]{0,40})(?:\s[^<>\n]{0,400})?>|<!--")
# Tags that stand for a whole piece even if nothing closes them.
_BLOCK = frozenset([
    "html", "head", "body", "div", "table", "thead", "tbody", "tr", "td", "th", "ul", "ol", "li", "p", "pre", "script",
    "style", "section", "article", "blockquote", "form", "iframe", "h1", "h2", "h3", "h4", "h5", "h6", "header", "footer",
    "main", "nav", "svg", "xml", "document", "documents", "system", "memory", "br", "hr", "span", "user", "assistant",
    "human", "tool", "tool_result", "function_results", "context", "instructions", "transcript", "message", "email",
    "attachment", "file", "source",
])  # fmt: skip
_SPECIAL = re.compile(r"<\|[^|>\n]{1,40}\|>|\[/?(?:INST|SYS)\]|<</?SYS>>")
_ENTITY = re.compile(r"&(?:lt|gt|quot|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5});")
_BRACKET = re.compile(
    r"\[(quote|attachment|attached|file|document|code|transcript|email|mail)\b[^\]\n]{0,200}\]", re.IGNORECASE
)
_PIECE = (
    r"(?:document|attachment|attached|file|e-?mail|message|transcript|quote|article|dokument|bilaga|fil|liite|tiedosto"
    r"|документ|вложение|файл)"
)
_BEGIN = re.compile(
    rf"^[ \t]{{0,3}}(?:[-=#*_]{{3,}}[ \t]*(?:(?:begin|start)\b[^\n]{{0,80}}|{_PIECE}\b[^\n]{{0,80}}"
    r"|[\w .()-]{1,80}\.[a-z]{2,5})[ \t]*[-=#*_]{0,80}"
    r"|diff --git [^\n]{1,200}|@@ -\d[^\n]{0,80}|\\begin\{[^}\n]{1,40}\}[^\n]{0,80})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(r"</([a-zA-Z][\w:-]{0,40})[^<>\n]{0,40}>|(-->)")
_CLOSED = re.compile(r"\[/(quote|attachment|attached|file|document|code|transcript|email|mail)\]", re.IGNORECASE)
_END = re.compile(
    r"^[ \t]{0,3}(?:[-=#*_]{3,}[ \t]*(?:end\b[^\n]{0,80}|[-=#*_]*)[ \t]*[-=#*_]{0,80}|\\end\{[^}\n]{1,40}\})[ \t]*$",
    re.I | re.M,
)
_SAID = re.compile(r"“([^“”\n]{8,600})”|«([^«»\n]{8,600})»|„([^„“”\n]{8,600})[“”]|\"([^\"\n]{8,600})\"|”([^”\n]{8,600})”")
_SPEAKER = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|my|me|we|our|jag|mig|min|mitt|mina|vi|vår|minä|minun|minulla|olen|asun|meidän|я|мой|моя|моё|мои|меня|мне|мы|наш)\b"
)
WORDS = 4  # of a sentence between quotation marks that may be somebody's own word


def marked_up(text: str) -> list[tuple[int, int]]:
    """The pieces of a text inside of markup; they may overlap."""
    found: list[tuple[int, int]] = []
    if "```" in text or "~~~" in text or '"""' in text or "'''" in text:
        found += _fenced(text)
    if "`" in text:
        found += [match.span() for match in _CODE.finditer(text) if len(match[0].split()) >= WORDS]
    if "<" in text:
        found += _tagged(text)
    special = _SPECIAL.search(text)
    if special is not None:
        found.append((special.start(), len(text)))
    if "&" in text:
        found += _entities(text)
    if "[" in text:
        found += _bracketed(text)
    if "---" in text or "===" in text or "@@" in text or "\\begin" in text or "###" in text or "***" in text or "diff" in text:
        found += _documents(text)
    return found + _sentences(text)


def _fenced(text: str) -> list[tuple[int, int]]:
    found, place = [], 0
    while match := _FENCE.search(text, place):
        mark = match[1][:3]
        close = text.find(mark, match.end())
        end = len(text) if close < 0 else close + len(mark)
        # A pair of marks with nothing between is no fence, and neither is a line drawn with tildes.
        if text[match.end() : end].strip(mark[0] + " \n"):
            found.append((match.start(), end))
        place = max(end, match.end())
    return found


def _tagged(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    closed = _closings(text)
    place = 0
    while match := _TAG.search(text, place):
        name = (match[1] or "!--").lower()
        later = closed.get(name)
        while later and later[0] < match.end():
            later.popleft()
        place = match.end()
        if later:
            found.append((match.start(), text.find(">", later[0]) + 1))
            place = found[-1][1]
        elif name in _BLOCK or name == "!--":
            end = text.find("\n\n", match.end()) if name in _BLOCK else -1
            found.append((match.start(), len(text) if end < 0 else end))
            place = found[-1][1]
    return found


def _closings(text: str) -> dict[str, deque[int]]:
    """Where each tag is closed, by its name, in order."""
    found: dict[str, deque[int]] = {}
    for match in _CLOSING.finditer(text):
        found.setdefault("!--" if match[2] else match[1].lower(), deque()).append(match.start())
    return found


def _entities(text: str) -> list[tuple[int, int]]:
    """The lines in which markup stands in its escaped form."""
    found: list[tuple[int, int]] = []
    for match in _ENTITY.finditer(text):
        if not found or match.start() >= found[-1][1]:
            end = text.find("\n", match.end())
            found.append((text.rfind("\n", 0, match.start()) + 1, len(text) if end < 0 else end))
    return found


def _bracketed(text: str) -> list[tuple[int, int]]:
    """From a mark in brackets to the one that closes it, else to the end of the paragraph: what stands below is attached."""
    found: list[tuple[int, int]] = []
    closed: dict[str, deque[int]] = {}
    for match in _CLOSED.finditer(text):
        closed.setdefault(match[1].lower(), deque()).append(match.end())
    for match in _BRACKET.finditer(text):
        if found and match.start() < found[-1][1]:
            continue
        later = closed.get(match[1].lower())
        while later and later[0] < match.end():
            later.popleft()
        end = later[0] if later else text.find("\n\n", match.end())
        found.append((match.start(), len(text) if end < 0 else end))
    return found


def _documents(text: str) -> list[tuple[int, int]]:
    found, place = [], 0
    while match := _BEGIN.search(text, place):
        close = _END.search(text, match.end())
        end = close.end() if close is not None else len(text)
        found.append((match.start(), end))
        place = end
        if place >= len(text):
            break
    return found


def _sentences(text: str) -> list[tuple[int, int]]:
    """What somebody says in the first person between quotation marks."""
    if not any(mark in text for mark in '“”«„"'):
        return []
    found = []
    for match in _SAID.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        if len(inner.split()) >= WORDS and _SPEAKER.search(inner):
            found.append(match.span())
    return found
