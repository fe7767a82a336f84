"""Secrets that somebody states as such: "my password is ...", "the PIN is ...", "your code is ...", "token: ...".

Invariant: a value is found only beside a word that names a secret; the value's own look then decides (`values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.values import is_code, is_random, is_strong, value_at

_NAMES = (
    r"(?:pass[ -]?words?|passwds?|pwd|pass[ -]?phrase|pass[ -]?code|wi-?fi (?:key|code)|network key|wpa2? key|seed phrase"
    r"|recovery phrase|mnemonic(?: phrase)?|l[öo]senord(?:et)?|salasana(?:ni|mme|nsa)?|парол[ьяем]|parool|passwort|kennwort"
    r"|mot de passe|contrase[ñn]a|wachtwoord)"
)
_ABOUT = r"(?:\s+(?:for|of|to|on|at|in|till|för|från|от|для)(?:\s+[\w.@'’&-]+){1,6}?)?"
_CHANGED = r"(?:chang|set|re-?set|updat|switch|mad|mak|renew|byt|rotat)\w*"
_AFTER = r"(?=\s*(?:[.,;:!?)\"'\]]|\Z|\n|\s(?:for|of|to|on|and|but|now|at|in|please|too|again)\b))"
_OWN = r"(?:my|our|the|his|her|their|your|a|an|min|mitt)"

_PASSWORD_SIGNS = (
    "pass", "pwd", "pw:", "pw=", "wi-fi", "wifi", "key", "phrase", "mnemonic", "senord", "salasana", "парол", "parool",
    "kennwort",
    "mot de", "contrase", "wachtwoord",
)  # fmt: skip
_COLON = re.compile(rf"(?<![^\W_]){_NAMES}{_ABOUT}[\"'`\])]?\s*(?::=|=>|->|→|[:=])(?![=:/])\s*", re.IGNORECASE)
_IS = re.compile(
    rf"(?<![^\W_]){_NAMES}{_ABOUT}(?:\s+(?:is|was|are|will be|becomes?|should be|has been|är|var|это|ist|est|es)"
    r"(?:\s+(?:now|still|currently|just|again|simply|actually|nu))?\s*:?\s+|['’]s\s+|\s+[–—-]\s+"
    r"|[.,;:]?\s+it(?:['’]s|\s+is)\s+)",
    re.IGNORECASE,
)
_ON = re.compile(r"(?<!\w)(?:salasana(?:ni|mme|nsa)?|parool)\s+on\s+(?:nyt\s+)?", re.IGNORECASE)
_NEXT = re.compile(rf"(?<![^\W_])(?!passwords){_NAMES}\s+(?=\S)", re.IGNORECASE)
_TO = re.compile(
    rf"(?<!\w){_CHANGED}\b[^.?!\n]{{0,40}}?(?<!\w){_NAMES}(?P<between>[^.?!\n]{{0,60}}?)\s(?:to|till|from)\s+(?=\S)",
    re.IGNORECASE,
)
_CHANGED_TO = re.compile(
    rf"(?<![^\W_]){_NAMES}{_ABOUT}\s+(?:has been|have been|was|is|got|gets)\s+(?:now\s+)?{_CHANGED}\s+to\s+(?=\S)",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"(?<![^\W_]){_NAMES}\b[^\n]{{0,120}}?\b(?:new|old|other|current|second|previous|first) one\s+(?:is|was)\s+", re.IGNORECASE
)
_SHORT = re.compile(r"(?<!\w)(?:pw|pass)\s*[:=](?![=:/])\s*", re.IGNORECASE)
_FROM_TO = re.compile(r"\s+to\s+(?=\S)", re.IGNORECASE)
_SECOND = re.compile(
    rf"(?P<value>[\"'“‘][^\"'”’\n]{{3,80}}[\"'”’]|(?<!\S)\S{{3,80}})\s+(?:is|was|as|är)\s+(?:{_OWN}\s+)?(?:new\s+)?"
    rf"(?:[\w'’-]+\s+){{0,3}}?{_NAMES}{_AFTER}",
    re.IGNORECASE,
)
_PIN = re.compile(
    rf"(?<![\w-])(?:pin(?:[ -]?(?:codes?|number|koodi\w*|kod(?:en)?))?|пин(?:[ -]?код)?){_ABOUT}"
    r"(?:\s*[:=#–-]\s*|\s+(?:is|was|are|on|är|это)(?:\s+(?:now|still|nyt|nu))?\s+|\s+|['’]s\s+)[\"'“(]?"
    r"(?P<value>\d(?:[ -]?\d){3,7}|(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
    r"(?:[\s,-]+(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)){3,7})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_OTHER_PINS = re.compile(r"\b(?:push|safety|bowling|hair|gpio|rolling|lapel|cotter|drawing|tie|hat|map)[ -]\Z", re.IGNORECASE)
_CVV = re.compile(
    r"(?<!\w)(?:cvv2?|cvc2?|cvn|card verification (?:code|value|number)|security (?:code|number))\b"
    r"(?:\s+(?:code|number|on the back|of (?:the|my) card))*(?:\s*[:=-]\s*|\s+(?:is|was)\s+|\s+)[\"'(]?(?P<value>\d{3,4})\b",
    re.IGNORECASE,
)
_CODES = (
    r"(?:(?:one[ -]?time|verification|log[ -]?in|sign[ -]?in|auth(?:entication|ori[sz]ation)?|2fa|mfa|two[ -]factor"
    r"|sms|security|recovery|backup|reset|access|unlock|activation|door|gate|alarm|safe|garage|lock|lock ?box)"
    r" (?:pass ?)?codes?|otp(?: code)?|engångskod(?:en)?|kertakäyttökoodi|код подтверждения)"
)
_CODE = re.compile(
    rf"(?<!\w){_CODES}{_ABOUT}(?:\s*[:=]\s*|\s+(?:is|was|are|on|är)(?:\s+now)?\s*:?\s+|\s+)[\"'“(]?"
    r"(?P<value>\d(?:[ -]?\d){3,9}(?!\w)|(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*)(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_YOUR = re.compile(
    r"(?<!\w)(?:your\s+code\s*(?:is|was|:)\s*:?\s*[\"'“(]?(?P<value>\d(?:[ -]?\d){3,7})"
    r"|(?:my|the|this)\s+code\s*(?:is|was|:)\s*:?\s*[\"'“(]?(?P<longer>\d(?:[ -]?\d){5,7}))"
    r"(?!\w|\s(?:lines|words|characters)\b)",
    re.IGNORECASE,
)
_USE = re.compile(
    r"(?<!\w)(?:use|enter|type)\s+(?:the code\s+)?(?P<value>\d(?:[ -]?\d){3,7})\s+"
    r"(?:to (?:verify|confirm|log|sign|complete)|as your)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?<!\w)(?P<value>(?:[A-Z]-)?\d{{4,8}})\s+(?:is|was|as)\s+{_OWN}\s+(?:[\w'’-]+\s+){{0,4}}?(?:pin\b|{_CODES}|code\b)", re.I
)
_WORDS = (
    r"(?:(?:api|access|secret|client|auth(?:entication|orization)?|refresh|session|private|encryption|signing|webhook|license"
    r"|licence|aws|ssh|deploy|bot|bearer|personal access|csrf)[ _-]?(?:api[ _-]?)?(?:key|token|secret|cookie)(?:[ _-]id)?"
    r"|tokens?|secrets?|credentials?|jwt|apikey)"
)
_TOKEN = re.compile(
    rf"(?<![A-Za-z]){_WORDS}(?![A-Za-z])(?P<between>[^\n]{{0,32}}?)(?<![A-Za-z0-9_+/=.~-])(?P<value>[A-Za-z0-9_+/=.~-]{{16,}})",
    re.IGNORECASE,
)
_HASHES = re.compile(r"\b(?:commit|sha\d*|hash|checksum|digest|revision|id|of|count|limit)\b|://", re.IGNORECASE)
_VARIABLE = re.compile(
    rf"(?<![A-Za-z])(?:{_WORDS}|[A-Z][A-Z0-9_]*_(?:KEY|PASS|PW))[\"'`]?\s*(?::=|=|:)(?![=:/])\s*(?=\S)", re.IGNORECASE
)
_PAIR = re.compile(
    r"(?<!\w)(?:credentials?|creds|log[ -]?ins?)(?:\s+(?:is|are|were)|\s*:)\s+[^\s:/]{2,60}\s?[:/]\s?(?P<value>[^\s]{4,80})",
    re.I,
)
_ASKED = re.compile(
    rf"(?:\bwhat|\bwhich|\benter|\btype|\bgive|\btell|\bsend|\bneed|\bprovide|\bshare|\bconfirm|\bhave|\banna|\bvad|\bmikä)\b[^.!?\n]{{0,60}}"
    rf"\b(?P<name>{_NAMES}|pin(?: code)?|{_CODES}|code|cvv|cvc|api key|access token|token){_ABOUT}"
    r"(?:\s+(?:please|again|you got|you received|sent to you))?\s*[?:.!]?\s*\Z",
    re.IGNORECASE,
)
_REPLY = re.compile(r"\s*(?:it(?:['’]s| is| was)\s+|sure[,:]?\s+|ok(?:ay)?[,:]?\s+|yes[,:]?\s+)?", re.IGNORECASE)


def stated(text: str, low: str, before: str | None) -> Iterator[Found]:
    """The secrets that a text states; `low` is the text in lower case, `before` what was said just before it."""
    if any(sign in low for sign in _PASSWORD_SIGNS):
        yield from _passwords(text)
    if "pin" in low or "пин" in low:
        yield from _values("pin", _PIN, text)
    if "cv" in low or "card ver" in low or "security" in low:
        yield from _values("cvv", _CVV, text)
    if "code" in low or "otp" in low or "kod" in low or "koodi" in low or "код" in low or "pin" in low:
        for pattern in (_CODE, _YOUR, _BEFORE):
            yield from _values("code", pattern, text)
    if " to " in low or " as your" in low:
        yield from _values("code", _USE, text)
    if any(word in low for word in ("key", "token", "secret", "credential", "creds", "login", "log in", "jwt", "_pass", "_pw")):
        yield from _tokens(text)
    if before is not None:
        yield from _answer(text, before)


def _values(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Found]:
    for match in pattern.finditer(text):
        if kind == "pin" and _OTHER_PINS.search(text, max(0, match.start() - 12), match.start()):
            continue
        group = match.lastgroup or "value"
        if kind != "code" or sum(char.isdigit() for char in match[group]) >= 3:
            yield Found(kind, *match.span(group))


def _passwords(text: str) -> Iterator[Found]:
    for pattern, talk in ((_COLON, False), (_IS, True), (_ON, True), (_CHANGED_TO, True), (_ONE, True)):
        for match in pattern.finditer(text):
            place = value_at(text, match.end(), talk=talk, phrase=True)
            if place is not None:
                yield Found("password", *place)
    for match in (*_NEXT.finditer(text), *_SHORT.finditer(text)):
        place = value_at(text, match.end(), talk=True, phrase=False)
        quoted = text[match.end() : match.end() + 1] in tuple("\"'`“«")
        if place is not None and (quoted or is_strong(text[slice(*place)])):
            yield Found("password", *place)
    for match in _TO.finditer(text):
        place = value_at(text, match.end(), talk=True, phrase=False)
        if place is not None:
            yield Found("password", *place)
            onward = _FROM_TO.match(text, place[1])
            further = value_at(text, onward.end(), talk=True, phrase=False) if onward else None
            if further is not None:
                yield Found("password", *further)
    for match in _SECOND.finditer(text):
        start, end = match.span("value")
        place = value_at(text[:end], start, talk=True, phrase=False)
        if place is not None and place[1] >= end - 2:
            yield Found("password", *place)


def _tokens(text: str) -> Iterator[Found]:
    for match in _TOKEN.finditer(text):
        if is_random(match["value"]) and not _HASHES.search(match["between"]) and "://" not in match["value"]:
            yield Found("key", *match.span("value"))
    for match in _VARIABLE.finditer(text):
        place = value_at(text, match.end(), talk=False, phrase=False)
        if place is None:
            continue
        value = text[slice(*place)]
        if len(value) >= 6 and is_strong(value) and not value.isnumeric():
            yield Found("key", *place)
    for match in _PAIR.finditer(text):
        value = match["value"].rstrip(".,;")
        if is_strong(value) and not is_blank(value) and not is_code(value):
            start = match.start("value")
            yield Found("credentials", start, start + len(value))


def _answer(text: str, before: str) -> Iterator[Found]:
    """The value alone, in answer to a question for a secret."""
    if len(text) > 120 or _ASKED.search(before[-300:]) is None:
        return
    opening = _REPLY.match(text)
    start = opening.end() if opening else 0
    place = value_at(text, start, talk=True, phrase=False)
    if place is None:
        digits = re.compile(r"\d{3,8}(?!\w)").match(text, start)
        place = digits.span() if digits else None
    if place is not None and (is_strong(text[slice(*place)]) or not text[place[1] :].strip(" .!\n\"'”")):
        yield Found("password", *place)
