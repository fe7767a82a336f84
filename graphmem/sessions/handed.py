"""Text that somebody hands over: below a line that says whose it is, or behind a request to work on it.

Invariant: pure and linear.  Only the shape is read, a heading or a request that names a text; "Can you check my flight?" hands
nothing over, and what somebody announces as their own ("My notes:") stays theirs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphmem.sessions.lines import Line, paragraph_end

LONGEST = 240  # characters of a line that are looked at
_TEXT = (
    r"(?:texts?|e-?mails?|mail|messages?|letters?|essays?|articles?|paragraphs?|passages?|sentences?|post|tweet|bio|poem|lyrics"
    r"|stor(?:y|ies)|speech|drafts?|cv|r[eé]sum[eé]|abstract|homework|transcript|translation|review|statement|application|blog"
    r"|script|chapter|comment|conversation|chat|excerpt|following|dialogue)"
)
_VERB = (
    r"texted|messaged|e-?mailed|wrote|replied|answered|posted|commented|tweeted|dm'?e?d|sent (?:me|us)|told (?:me|us)|said"
    r"|skrev|sms:ade|svarade|kirjoitti|vastasi|laittoi viestin|написал[аи]?|ответил[аи]?|schrieb|antwortete"
)
# One word, or several that begin as somebody's name or description does.
_PART = r"[^\W\d_][\w.'’-]{0,30} "
_WHO = (
    rf"(?:{_PART}|(?:(?-i:(?![a-zåäöа-яё]))|(?=(?:my|our|the|an?|his|her|their|min|mitt|мой|моя|meine?|mun)\b))"
    rf"{_PART}(?:{_PART}){{1,4}})"
)
# "My colleague texted me" and nothing behind it: the words are in the next line.
_TOLD = re.compile(
    rf"\s{{0,3}}(?!(?:I|we|you|jag|vi|minä|me|я|мы|ich|wir)\b){_WHO}(?<!\bI )(?:{_VERB})"
    r"(?: (?:me|us|back|this|that|here|today|yesterday|earlier|again|just now|mig|minulle|мне|mir)){0,3}\s?[:…–—-]?\s*$",
    re.IGNORECASE,
)
# "From the web page:", "Cover letter draft for Eva:", "Test data:".
_HEADING = re.compile(
    r"\s{0,3}[#*_]{0,3}(?:(?:copied|pasted?|copy|quoted?|taken|excerpt|snippet|text|here'?s (?:one|this)) )?from"
    r" (?:the|a|an|this|that|his|her|their|my [\w-]{1,20}'s|[A-Z]\w{1,20}\b)(?! (?:beginning|start|outset|past|top)\b)"
    r"[^.!?:\n]{0,60}:[*_]{0,3}\s*$"
    rf"|\s{{0,3}}[#*_]{{0,3}}(?!(?:my|our|about me)\b(?! [\w-]{{1,20}}['’]s\b))(?:[\w'’-]{{1,20}} ){{0,4}}"
    rf"(?:{_TEXT}|(?:test|sample|example|dummy|mock) (?:data|records?|rows?|input))(?: draft)?"
    r"(?: (?:for|from|by|of|to) [\w'’ -]{1,40})?:[*_]{0,3}\s*$",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"\s{0,3}(?:pasted?|copied|copy-?pasted?|forwarded|excerpt|snippet) from [^.!?\n]{1,60}?(?::|\])\s*\S", re.IGNORECASE
)
_ASKED = (
    r"(?:^|[.!?:]\s{1,3})[\s*_#>\"-]{0,4}(?:(?:hi|hey|hello|ok|please|kindly|now|then|and)[,!]? )?"
    r"(?:(?:can|could|would|will) (?:you|u)(?: please| kindly| help me)?|please|help me(?: to)?|i (?:want|need) you to"
    r"|(?:kan|skulle) du|voitko|voisitko|можешь|kannst du|bitte)?\s?"
)
# These are said of texts only.
_WHOLLY = (
    r"(?:translate|proof-?read|paraphrase|rephrase|reword|rewrite|summari[sz]e|transcribe|spell-?check"
    r"|översätt(?:a)?|korrekturläs(?:a)?|sammanfatta|käännä|kääntää|oikolue|tiivistä|переведи(?:те)?|перевести|перескажи(?:те)?"
    r"|übersetzen?|korrigiere?|tradui(?:s|sez|re)|traduce|traducir|tõlgi)"
)
_PARTLY = (
    r"(?:reply to|respond to|answer|continue|complete|finish|extend|check|correct|fix|edit|review|improve|shorten|polish|format"
    r"|grade|rate|analy[sz]e|critique|comment on|look (?:at|over)|go over|read|expand|simplify|score|mark)"
)
_UNTIL = r"[^.?!\n:\"“]{0,80}"
# The text follows a colon, in the same line or below.
_REQUEST = re.compile(
    rf"{_ASKED}(?:{_WHOLLY}\b{_UNTIL}|{_PARTLY}\b{_UNTIL}\b{_TEXT}\b{_UNTIL}):(?!//)[*_]{{0,3}}\s*", re.IGNORECASE
)
# It follows in the next line.
_REQUEST_LINE = re.compile(
    rf"{_ASKED}(?:{_WHOLLY}|{_PARTLY}\b(?! my {_TEXT}\b){_UNTIL}\b{_TEXT})\b{_UNTIL}[.?!]?\s*$", re.IGNORECASE
)
# It is somebody else's text, and what follows the request may be that.
_OTHERS = re.compile(
    rf"{_ASKED}(?:{_WHOLLY}|{_PARTLY})\b (?:[\w-]{{1,20}} ){{0,3}}(?:[\w-]{{1,20}}(?:['’]s|s['’])|his|her|their)"
    rf"(?: [\w-]{{1,20}}){{0,2}} {_TEXT}\b(?: for me| please)?[.?!]\s{{1,3}}",
    re.IGNORECASE,
)


def handed_over(lines: Sequence[Line], marked: Collection[int]) -> list[tuple[int, int, int]]:
    """Where a text is handed over: the line, the character in it, and the last line.

    What begins with one of the `marked` lines has bounds of its own, and is left to them.
    """
    found: list[tuple[int, int, int]] = []
    after = 0
    for place, line in enumerate(lines):
        text = line.text[:LONGEST]
        below = next((n for n in range(place + 1, min(place + 3, len(lines))) if lines[n].text.strip()), None)
        asked = _REQUEST.search(text) or _OTHERS.search(text)
        if asked and text[asked.end() :].strip():
            return [*found, (place, asked.end(), len(lines) - 1)]
        if below is None or below in marked or len(line.text) > LONGEST:
            continue
        if asked or _REQUEST_LINE.search(text):
            return [*found, (below, 0, len(lines) - 1)]
        if place < after:
            continue
        if _TOLD.match(text) or _HEADING.match(text):
            after = paragraph_end(lines, below) + 1
            found.append((below, 0, after - 1))
    return found


def pasted_line(text: str) -> bool:
    """Whether a line says of itself that it was pasted from somewhere."""
    return _PASTED.match(text[:LONGEST]) is not None
