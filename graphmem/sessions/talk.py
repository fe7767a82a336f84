"""Talk that somebody pasted: lines under roles or names, chat logs with clock times, subtitles.

Invariant: pure and linear.  "Name: Mira / City: Ghent" is a form that somebody filled in, and "Gym 18:00 / Choir 19:00" a list:
neither has two who speak in turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.sessions.lines import Line, paragraph_end

_ROLES = (
    r"user|assistant|human|ai|bot|chatbot|system|tool|chatgpt|claude|gemini|copilot|gpt(?:-?\d\w*)?|customer|agent|interviewer"
    r"|interviewee|användare(?:n)?|assistent(?:en)?|kund(?:en)?|käyttäjä|avustaja|tekoäly|asiakas|järjestelmä"
    r"|пользователь|ассистент|помощник|система|клиент|бот|benutzer|nutzer|utilisateur|usuario|kasutaja"
)
# A role in front: "User: …", "**User:** …", "### User", "[USER]:", "- role: user".
_ROLE_LINE = re.compile(
    rf"[\s*_#\[(<-]{{0,6}}(?:{_ROLES})[\s*_\])]{{0,4}}(?:\s?:|\ssaid:|>\s)"
    rf"|\s{{0,3}}#{{1,6}}\s*[*_]{{0,2}}(?:{_ROLES})[*_]{{0,2}}\s*$"
    r"|\s*(?:you|chatgpt|claude|gemini|assistant) said:\s*$"
    rf"|[\s-]{{0,6}}[\"']?role[\"']?\s*[:=]\s*[\"']?(?:{_ROLES})\b",
    re.IGNORECASE,
)
# Only where two stand in a row: "User - hello / Assistant - hello".
_WEAK_ROLE = re.compile(rf"[\s*_]{{0,4}}(?:{_ROLES}|me|you|jag|minä|я)[\s*_]{{0,3}}(?:\s[-–—]\s|>|:\s?)\S", re.IGNORECASE)
_INSIDE = re.compile(r"(?:[:.!?;»”\"]|^)\s*\b(?:User|Human|Assistant|USER|ASSISTANT|SYSTEM|Käyttäjä|Användare|Пользователь):\s")
_RECORD = re.compile(rf"[\"']role[\"']\s*:\s*[\"'](?:{_ROLES})[\"']", re.IGNORECASE)
_NAME_LINE = re.compile(r"[ \t*_]{0,4}([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30}){0,2})[*_]{0,2}: ?\S")
_CLOCK_LINE = re.compile(r"\[?\d{1,4}[-./:]\d{1,2}[^\]\n]{0,24}[\])]?[ \t]-?[ \t]?[^\W\d_][^:\n]{0,40}: ?\S")
_NICK_LINE = re.compile(r"\s{0,3}(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s*)?<[@+%~&]?[\w.|-]{1,30}>\s\S")
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_CLOCK = rf"\[?{_TIME}\]?"
# A name and a clock time and nothing else: what somebody says stands on the line below.
_HEAD_LINE = re.compile(
    rf"\s{{0,3}}(?:{_CLOCK}\s+[^\W\d_][\w.' -]{{0,40}}|[^\W\d_][\w.' -]{{0,40}}?,?\s+(?:\d[\d./-]{{3,9}},?\s+)?{_CLOCK})\s*$"
)
# What a chat program writes over a message: "Eve (she/her) — Today at 10:32".
_DATED_HEAD = re.compile(
    rf"\s{{0,3}}[^\W\d_][\w.' -]{{0,40}}(?:\([^)\n]{{1,30}}\))?\s*[—–·•|,-]?\s*"
    rf"(?:(?:to|yester)day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d[\d./-]{{3,9}},?)(?: at)?\s+{_CLOCK}\s*$",
    re.IGNORECASE,
)
_STAMPED = re.compile(rf"\[{_TIME}\]\s[^\W\d_][\w.' -]{{0,30}}:\s")
_OWN = re.compile(r"\b(?:I|I['’]m|[Mm]y|[Jj]ag|[Mm]in|[Mm]inä|[Яя]|[Мм]ой|[Мм]оя)\b")
_CUE = re.compile(r"\s*(?:\d{1,2}:)?\d{1,2}:\d{2}[.,]\d{3}\s*-->|\s*WEBVTT\b")


def talk_lines(lines: Sequence[Line]) -> set[int]:
    """The numbers of the lines that are pasted talk."""
    found = _scripts(lines)
    found |= _cued(lines)
    found |= _headed(lines)
    begin: int | None = None
    for place in range(len(lines) + 1):
        if place < len(lines) and lines[place].text.strip():
            begin = place if begin is None else begin
            continue
        if begin is not None:
            found |= _paragraph(lines, begin, place)
            begin = None
    return found


def inline_talk(text: str) -> int | None:
    """Where a role begins to speak inside of a line, or None: "summarise this: User: I am …"."""
    match = _RECORD.search(text) or _INSIDE.search(text) or _STAMPED.search(text)
    return None if match is None else match.start()


def _scripts(lines: Sequence[Line]) -> set[int]:
    """From a role's line to the end of its paragraph; all that stands between two such lines of two roles."""
    found: set[int] = set()
    heads = [place for place, line in enumerate(lines) if _ROLE_LINE.match(line.text)]
    ends: list[int] = [0] * len(lines)
    for place in reversed(range(len(lines))):
        joined = place + 1 < len(lines) and lines[place + 1].text.strip()
        ends[place] = ends[place + 1] if joined else place
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        last = ends[head]
        # A role alone on its line speaks below it, even behind an empty line.
        if last == head and following is None and _is_bare(lines[head].text):
            later = next((n for n in range(head + 1, len(lines)) if lines[n].text.strip()), head)
            last = ends[later]
        found.update(range(head, following if following is not None else last + 1))
    return found


def _is_bare(text: str) -> bool:
    return text.rstrip(" *_").endswith(":") or text.lstrip().startswith("#")


def _paragraph(lines: Sequence[Line], begin: int, end: int) -> set[int]:
    block = range(begin, end)
    names = [match[1].lower() for i in block if (match := _NAME_LINE.match(lines[i].text))]
    clocks = sum(1 for i in block if _CLOCK_LINE.match(lines[i].text))
    nicks = sum(1 for i in block if _NICK_LINE.match(lines[i].text))
    if clocks >= 2 or nicks >= 2 or (len(names) >= 3 and 1 < len(set(names)) < len(names)):
        return set(block)
    weak = [i for i in block if _WEAK_ROLE.match(lines[i].text)]
    if len(weak) >= 2 or (weak and any(_ROLE_LINE.match(lines[i].text) for i in block if i != weak[0])):
        return set(range(weak[0], end))
    return set()


def _headed(lines: Sequence[Line]) -> set[int]:
    """Messages under lines of a name and a clock time, from the first such line to the end of the last one's paragraph."""
    heads = [
        place
        for place, line in enumerate(lines[:-1])
        if _HEAD_LINE.match(line.text[:80])
        and lines[place + 1].text.strip()
        and not _HEAD_LINE.match(lines[place + 1].text[:80])
    ]
    if len(heads) >= 2:
        return set(range(heads[0], paragraph_end(lines, heads[-1]) + 1))
    found: set[int] = set()
    for place, line in enumerate(lines[:-1]):
        if not lines[place + 1].text.strip() or not _lone_head(lines, place, line.text[:100]):
            continue
        found.update(range(place, paragraph_end(lines, place) + 1))
    return found


def _lone_head(lines: Sequence[Line], place: int, text: str) -> bool:
    """Whether one line is the head of a message; a name and a time alone are one over words in the first person."""
    if _DATED_HEAD.match(text):
        return True
    begins = place == 0 or not lines[place - 1].text.strip()
    return bool(begins and _HEAD_LINE.match(text) and _OWN.match(lines[place + 1].text.lstrip(" \t")))


def _cued(lines: Sequence[Line]) -> set[int]:
    """Subtitles, from the first cue on."""
    first = next((place for place, line in enumerate(lines) if _CUE.match(line.text)), None)
    return set() if first is None else set(range(first, len(lines)))
