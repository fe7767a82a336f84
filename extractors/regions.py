"""Own words: which parts of a turn are the speaker's, and which are quoted, pasted, code or to be worked on.

Invariant: every character of a turn is either in a region that is read, or in one refusal with its reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from graphmem.model import Turn

Interval = tuple[int, int]
MAX_LENGTH = 20_000


@dataclass(slots=True)
class Regions:
    """What to read of a turn, what inside it is quoted, and what was left out with its reason."""

    own: list[Interval] = field(default_factory=list)
    foreign: list[Interval] = field(default_factory=list)
    refused: list[tuple[int, int, str]] = field(default_factory=list)


_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*[>|].*(?:\n|\Z)", re.MULTILINE)
_MAIL = re.compile(
    r"^(?:[-=*_]{2,} ?(?:original|forwarded|begin|start of|weitergeleitete)\b.*|on .{4,80} wrote:|"
    r"from: .+\n(?:.*\n){0,3}(?:to|sent|date|subject): .+|begin forwarded message:?|(?:subject|re|betreff): [^\n]{1,120}\n|"
    r"dear (?:sir|madam|all|team|editor|hiring|mr|mrs|ms|dr|prof|[A-Z]\w+)\b[^\n]{0,60}[,:]\s*\n).*\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_CODE_LINE = re.compile(
    r"^\s*(?:#\s.*|//.*|/\*.*|(?:const|let|var|def|class|function|import|from \S+ import|assert|return|print\(|"
    r"public|private|static|select\b.*\bfrom|insert into|"
    r"update \w+ set|create table|delete from|git|sudo|npm|pip|docker|curl|#include|<\w+|\$ |>>> |SELECT|"
    r"INSERT)\b.*|\w+\s*=\s*[\w\"'{\[].*|[{}\[\]();]+\s*|\"?\w+\"?\s*:\s*\S+,?|.*[;{}]\s*)$"
)
_STRONG_CODE = re.compile(
    r"^\s*(?:const|let|var|def|class|assert|import|return|git|sudo|npm|pip|docker|curl|INSERT INTO|SELECT|UPDATE|"
    r"DELETE FROM|CREATE TABLE)\s+[\w\"'.*(-]+.*(?:[=;(){}]|==|--)|^\s*#include|=>|^\s*[\w.]+\s*=\s*(?:[\"'\[{]|"
    r"\d+\s*(?:#|;|$)|None\b|True\b|False\b|new\b)|\bprint\(|</\w+>|^\s*\{.*\}\s*$|"
    r"^git \w+ -"
)
_KEY_VALUE = re.compile(r"^\s*[\w-]+\s*[:=]\s*\S.*$")
_TRANSCRIPT = re.compile(r"^\s*(?P<name>[A-Z][\w .-]{0,24}|user|assistant|system|host|me):\s+\S", re.MULTILINE)
_WORK_ON = re.compile(
    r"\b(?:translate|proof-?read|rewrite|rephrase|reword|paraphrase|correct|fix|edit|shorten|polish|convert|"
    r"summari[sz]e|format|check|improve|review|expand|analy[sz]e|grade|rate|"
    r"spell-?check|simplify|transcribe|turn this|change this)\b[^.?!\n:\"“]{0,80}:\s*",
    re.IGNORECASE,
)
# "I have to correct something: ..." puts one's own words right; "correct this: ..." hands some over.
_OWN_WORK = re.compile(
    r"(?:\b(?:i|we)\b[^.?!\n:]{0,30}|\blet me (?:just |quickly )?)\b(?:correct|fix) "
    r"(?:(?:some|one|a few|two|a) things?|something|that|this|myself|what i (?:said|told you|wrote))\b[^.?!\n:]{0,40}:\s*$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:(?:form|sign|letter|mail|email|text|note|song|bio|article|ad|advert|poster|contract|clause|readme|page|"
    r"website|review|quote|label|caption|message|post|tweet|song|poem|"
    r"prompt|summary|profile|notice|card|banner|template|headline|story|book|screen|dialog|chat|log|output|line|"
    r"joke|saying|proverb|lyrics?)s?\s+"
    r"(?:says?|reads?|goes|said|states?|begins?|starts?|is|was|should read|(?:should )?read)(?: like this| as follows| with)?|"
    r"(?:he|she|they|someone|somebody|people|[A-Z]\w+|my \w+|the \w+) (?:\w+ )?(?:wrote|texted|said|says|asked|"
    r"asks|replied|answered|emailed|posted|sent (?:me |us )?(?:this|the following)|told me)(?: me| back| this|"
    r" that)?|"
    r"test data|example|for instance|e\.g\.?|i\.e\.?|something like|here'?s (?:the|a|my|what) [^.\n:]{0,60}|"
    r"sent this(?: [^.\n:]{0,60})?|following(?: [^.\n:]{0,40})?|first person)\s*:\s*",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"\"(?P<a>[^\"\n]{2,2000})\"|“(?P<b>[^”\n]{2,2000})”|«(?P<c>[^»\n]{2,2000})»|„(?P<d>[^“”\n]{2,2000})[“”]")
_SINGLE = re.compile(r"(?<![\w'])['‘](?P<a>[^'’\n]{12,400})['’](?![\w'])")
_NUMBERED_CHOICES = re.compile(r"\boptions?\b[^.?!\n]*\ba\)", re.IGNORECASE)


def regions(turn: Turn) -> Regions:
    """Split a turn into own words and the rest."""
    result = Regions()
    text = turn.text
    cut: list[tuple[int, int, str]] = [(s.start, s.end, "quoted") for s in turn.spans]
    if len(text) > MAX_LENGTH:
        cut.append((MAX_LENGTH, len(text), "too_long"))
        text = text[:MAX_LENGTH]
    cut += [(m.start(), m.end(), "code") for m in _FENCE.finditer(text)]
    cut += [(m.start(), m.end(), "quoted") for m in _QUOTED_LINE.finditer(text)]
    cut += [(m.start(), m.end(), "quoted") for m in _MAIL.finditer(text)]
    cut += _lines(text)
    cut += _colons(text, [s.start for s in turn.spans])
    found = _NUMBERED_CHOICES.search(text)
    if found:
        cut.append((found.end() - 2, len(text), "hypothetical"))
    _subtract(result, text, cut)
    for pattern in (_QUOTE, _SINGLE):
        for match in pattern.finditer(text):
            inner = next(g for g in match.groups() if g is not None)
            if len(inner.split()) >= 3 or re.search(r"\b(?:I|my|me)\b", inner):
                result.foreign.append((match.start(), match.end()))
    return result


def _lines(text: str) -> list[tuple[int, int, str]]:
    """Lines of code, of key-value data and of transcripts."""
    cut: list[tuple[int, int, str]] = []
    lines = [(m.start(), m.end(), m.group()) for m in re.finditer(r"[^\n]+", text)]
    many = len(lines) > 1
    pairs = [_KEY_VALUE.match(line) is not None and len(line.split()) <= 6 for _, _, line in lines]
    for number, (start, end, line) in enumerate(lines):
        near = (
            many and pairs[number] and ((number > 0 and pairs[number - 1]) or (number + 1 < len(lines) and pairs[number + 1]))
        )
        config = (
            many
            and _CODE_LINE.match(line)
            and (
                (number + 1 < len(lines) and "=" in lines[number + 1][2])
                or (number > 0 and line.lstrip().startswith(("}", "]")))
                or "=" in line
            )
        )
        if near or config or _STRONG_CODE.search(line):
            cut.append((start, end, "code"))
    speakers = list(_TRANSCRIPT.finditer(text))
    if (len(speakers) >= 2 and len({m.group("name") for m in speakers}) >= 2) or len(speakers) >= 3:
        cut.append((speakers[0].start(), len(text), "quoted"))
    return cut


def _colons(text: str, marked: list[int]) -> list[tuple[int, int, str]]:
    """What follows "translate this:", "the form says:", "she wrote:"; where the host marked it, its marks hold."""
    cut: list[tuple[int, int, str]] = []
    found = next(
        (one for one in _WORK_ON.finditer(text) if not _OWN_WORK.search(text, max(0, one.start() - 60), one.end())), None
    )
    if found:
        cut.append((found.end(), len(text), "quoted"))
    for match in _SAYS.finditer(text):
        if any(abs(start - match.end()) <= 2 for start in marked):
            continue
        stop = text.find("\n", match.end())
        cut.append((match.end(), len(text) if stop < 0 else stop, "quoted"))
    return cut


def _subtract(result: Regions, text: str, cut: list[tuple[int, int, str]]) -> None:
    at = 0
    for start, end, reason in sorted(cut):
        start, end = max(start, at), min(end, max(len(text), end))
        if end <= start:
            continue
        if text[at:start].strip():
            result.own.append((at, min(start, len(text))))
        result.refused.append((start, end, reason))
        at = end
    if text[at:].strip():
        result.own.append((at, len(text)))
