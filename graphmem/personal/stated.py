"""Secrets that somebody states as such: "my password is ...", "the PIN is ...", "your code is ...", "token: ...".

Invariant: a value is found only beside a word that names a secret; the value's own look then decides (`values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.names import (
    ABOUT,
    ASKING,
    CHANGED,
    CHOICE,
    CODES,
    CVV,
    CVV_PLACE,
    FINNISH,
    FINNISH_IS,
    IS,
    JUDGED,
    KEY,
    LOGIN,
    PASSWORD,
    PIN,
    SEED,
)
from graphmem.personal.values import is_code, is_random, is_strong, value_at

_AFTER = r"(?=\s*(?:[.,;:!?)\"'\]]|\Z|\n|\s(?:for|of|to|on|and|but|now|at|in|please|too|again)\b))"
_OWN = r"(?:my|our|the|his|her|their|your|a|an|min|mitt)"

_PASSWORD_SIGNS = (
    "pass", "pwd", "pw:", "pw=", "wi-fi", "wifi", "key", "phrase", "mnemonic", "senord", "lösen", "losen", "fras", "salasana",
    "lause", "парол", "пас", "pw", "psw", "memorable", "code word", "safeword", "safe word", "security", "kodord",
    "säkerhetsord", "kontrollord", "salis",
    "sana", "фраз", "слов", "parool", "kennwort", "mot de", "contrase", "wachtwoord",
)  # fmt: skip
_CVV_SIGNS = ("cv", "card ver", "security", "kod", "koodi", "код", "digits", "numbers", "siffror", "numeroa", "цифры")
_KEY_WORDS = (
    "key", "token", "secret", "credential", "creds", "login", "log in", "jwt", "_pass", "_pw", "@", "nyckel", "hemlighet",
    "inlogg", "avain", "avaime", "salaisuu", "tunnu", "kirjaut", "ключ", "токен", "секрет", "вход", "логин", "учетк", "учётк",
)  # fmt: skip
# The name of a password, and what may follow it up to the value.
_NAME = re.compile(rf"(?<![^\W_]){PASSWORD}(?![^\W\d_])", re.IGNORECASE)
_COLON = re.compile(rf"{ABOUT}[\"'`\])]?\s*(?::=|=>|->|→|[:=])(?![=:/])\s*", re.IGNORECASE)
_IS = re.compile(
    rf"{ABOUT}(?:\s+{IS}"
    r"(?:\s+(?:now|still|currently|just|again|simply|actually|nu|nyt|теперь))?\s*:?\s+|['’]s\s+|\s+[–—-]\s+"
    r"|[.,;:]?\s+it(?:['’]s|\s+is)\s+)",
    re.IGNORECASE,
)
_ON = re.compile(rf"(?<!\w){FINNISH}\s+{FINNISH_IS}\s+(?:nyt\s+)?", re.IGNORECASE)
_NEXT = re.compile(r"\s+(?=\S)")
_TO = re.compile(
    rf"(?<!\w){CHANGED}\b[^.?!\n]{{0,40}}?(?<!\w){PASSWORD}(?P<between>[^.?!\n]{{0,60}}?)\s(?:to|till|from)\s+(?=\S)",
    re.IGNORECASE,
)
_CHANGED_TO = re.compile(
    rf"{ABOUT}\s+(?:has been|have been|was|is|got|gets)\s+(?:now\s+)?{CHANGED}\s+to\s+(?=\S)",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b[^\n]{0,120}?\b(?:new|old|other|current|second|previous|first) one\s+(?:is|was)\s+",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?<!\w)(?:pw|pass)\s*[:=](?![=:/])\s*", re.IGNORECASE)
_FROM_TO = re.compile(r"\s+to\s+(?=\S)", re.IGNORECASE)
_SECOND = re.compile(
    rf"(?P<value>[\"'“‘][^\"'”’\n]{{3,80}}[\"'”’]|(?<!\S)\S{{3,80}})\s+(?:is|was|as|är)\s+(?:{_OWN}\s+)?(?:new\s+)?"
    rf"(?:[\w'’-]+\s+){{0,3}}?{PASSWORD}{_AFTER}",
    re.IGNORECASE,
)
_VERB = rf"(?:\s*[:=#–—-]\s*|\s+(?:{IS}|{FINNISH_IS})(?:\s+(?:now|still|nyt|nu))?\s*:?\s+|\s+|['’]s\s+)[\"'“«(]?"
_PIN = re.compile(
    rf"(?<![\w-]){PIN}(?![^\W\d_]){ABOUT}{_VERB}"
    r"(?P<value>\d(?:[ -]?\d){3,7}|(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
    r"(?:[\s,-]+(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)){3,7})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_OTHER_PINS = re.compile(r"\b(?:push|safety|bowling|hair|gpio|rolling|lapel|cotter|drawing|tie|hat|map)[ -]\Z", re.IGNORECASE)
_CVV = re.compile(rf"(?<!\w){CVV}(?![^\W\d_]){CVV_PLACE}{_VERB}(?P<value>\d{{3,4}})\b", re.IGNORECASE)
_CODE = re.compile(
    rf"(?<!\w){CODES}(?![^\W\d_]){ABOUT}{_VERB}"
    r"(?P<value>\d(?:[ -]?\d){3,9}(?!\w)|(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*)(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"\s*(?:,|\s(?:and|och|ja|и))\s+"
    r"(?P<value>(?=[A-Z0-9-]*\d)[A-Z0-9]{4,}(?:-[A-Z0-9]+)*|[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6})+)(?!\w)",
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
    rf"(?<!\w)(?P<value>(?:[A-Z]-)?\d{{4,8}})\s+(?:is|was|as)\s+{_OWN}\s+(?:[\w'’-]+\s+){{0,4}}?(?:pin\b|{CODES}|code\b)", re.I
)
_TOKEN = re.compile(
    rf"(?<![^\W\d_]){KEY}(?![A-Za-z])(?P<between>[^\n]{{0,32}}?)(?<![A-Za-z0-9_+/=.~-])(?P<value>[A-Za-z0-9_+/=.~-]{{16,}})",
    re.IGNORECASE,
)
_HASHES = re.compile(r"\b(?:commit|sha\d*|hash|checksum|digest|revision|id|of|count|limit)\b|://", re.IGNORECASE)
_VARIABLE = re.compile(
    rf"(?<![^\W\d_])(?:{KEY}|(?<!\w)[A-Z][A-Z0-9_]{{0,80}}_(?:KEY|PASS|PW))[\"'`]?\s*(?::=|=|:)(?![=:/])\s*(?=\S)",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(r"(?<![^\W_])(?:public|primary|foreign|sort|partition|cache|unique|candidate)[ _-]keys?\b", re.I)
_PAIR = re.compile(
    rf"(?<!\w)(?:{LOGIN}(?:\s+(?:{IS}|{FINNISH_IS})|\s*:)?\s+[^\s:/]{{2,60}}|(?<![:/])[\w.+-]{{1,64}}@[\w.-]{{1,80}}\.[^\W\d]{{2,20}})\s?[:/|]\s?(?P<value>\S{{4,80}})",
    re.IGNORECASE,
)
_SWAP = re.compile(
    rf"(?<!\w){CHANGED}(?!\w)[^\n]{{0,30}}?(?<!\S)(?P<old>\S{{4,80}})\s+(?:to|till|på|->|→|=>|на)\s+(?P<new>\S{{4,80}})",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?<![^\W_]){PASSWORD}(?![^\W\d_])", re.IGNORECASE)
# Russian says "the password of the router Xk7" without a verb: a word of the clause that is none of the language is it.
_VERBLESS = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]{2,12}-)?(?:парол(?:ь|я|ем)|(?:парольн|ключев|кодов)\w{2,3} (?:фраз\w|слов\w))(?![^\W\d_])",
    re.IGNORECASE,
)
_GENERATED = re.compile(r"[A-Za-z]\S*\d|\d\S*[A-Za-z]|[!#%&?+]\w")
_WORD_ON = re.compile(r"\s+([^\s.!?\n][^\s]*)")
_SEED = re.compile(
    rf"(?<![^\W_])(?i:{SEED})(?![^\W\d_])[^\n]{{0,40}}?(?<![^\W_])(?P<value>(?:[a-z]{{3,8}}\s+){{11,23}}[a-z]{{3,8}})(?!\w)"
)
_ASKED = re.compile(
    rf"\b{ASKING}\b[^.!?\n]{{0,60}}"
    rf"\b(?P<name>{PASSWORD}|{PIN}|{CODES}|code|kod(?:en)?|koodi[^\W\d_]*|код|{CVV}|api key|access token|token){ABOUT}"
    r"(?:\s+(?:please|again|you got|you received|sent to you))?\s*[?:.!]?\s*\Z",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\s*(?:(?:it(?:['’]s| is| was)|(?:den|det) är|se on|он[ао]?(?: такой| такая)?|это)\s+"
    r"|(?:sure|ok(?:ay)?|yes|ja|joo|да)[,:]?\s+)?",
    re.IGNORECASE,
)


def stated(text: str, low: str, before: str | None) -> Iterator[Found]:
    """The secrets that a text states; `low` is the text in lower case, `before` what was said just before it."""
    if any(sign in low for sign in _PASSWORD_SIGNS):
        yield from _passwords(text)
    if any(sign in low for sign in ("pin", "пин", "kod", "koodi", "код", "tunnusluku", "tunnuslu")):
        yield from _values("pin", _PIN, text)
    if any(sign in low for sign in _CVV_SIGNS):
        yield from _values("cvv", _CVV, text)
    if "code" in low or "otp" in low or "kod" in low or "koodi" in low or "код" in low or "pin" in low:
        for pattern in (_CODE, _YOUR, _BEFORE):
            yield from _values("code", pattern, text)
    if " to " in low or " as your" in low:
        yield from _values("code", _USE, text)
    if any(sign in low for sign in _KEY_WORDS):
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
            further = _FURTHER.match(text, match.end()) if kind == "code" else None
            while further is not None:
                yield Found(kind, *further.span("value"))
                further = _FURTHER.match(text, further.end())


def _passwords(text: str) -> Iterator[Found]:
    names = [*_NAME.finditer(text)]
    announced = [
        (match, talk)
        for pattern, talk in ((_COLON, False), (_IS, True), (_CHANGED_TO, True), (_ONE, True))
        for name in names
        if (match := pattern.match(text, name.end()))
    ]
    for match, talk in (*announced, *((match, True) for match in _ON.finditer(text))):
        place = value_at(text, match.end(), talk=talk, phrase=True)
        if place is not None:
            yield Found("password", *place)
    next_to = [match for name in names if name[0].casefold() != "passwords" and (match := _NEXT.match(text, name.end()))]
    for match in (*next_to, *_SHORT.finditer(text)):
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
    yield from _swapped(text)
    for match in _VERBLESS.finditer(text):
        yield from _verbless(text, match.end())
    for match in _SEED.finditer(text):
        yield Found("password", *match.span("value"))
    for match in _SECOND.finditer(text):
        start, end = match.span("value")
        place = value_at(text[:end], start, talk=True, phrase=False)
        if (
            place is not None
            and place[1] >= end - 2
            and not (
                JUDGED.search(text, end, match.end()) or (CHOICE.search(text[start:end]) and " as " in match[0].casefold())
            )
        ):
            yield Found("password", *place)


def _swapped(text: str) -> Iterator[Found]:
    """The old password and the new one, where both stand before the word."""
    for match in _SWAP.finditer(text):
        places = [value_at(text, match.start(group), talk=True, phrase=False) for group in ("old", "new")]
        told = [place for place in places if place is not None and is_strong(text[slice(*place)])]
        if len(told) == 2 and _NAMED.search(text, max(0, match.start() - 100), match.end() + 100):
            yield from (Found("password", *place) for place in told)


def _verbless(text: str, place: int) -> Iterator[Found]:
    """The first word of the clause that is no word of the language, or what stands in quotes."""
    for _ in range(5):
        word = _WORD_ON.match(text, place)
        if word is None:
            return
        value = value_at(text, word.start(1), talk=True, phrase=False)
        quoted = word[1][0] in "\"'«“„"
        if value is not None and (
            quoted
            or (is_strong(text[slice(*value)]) and not text[slice(*value)].isascii())
            or _GENERATED.search(text[slice(*value)])
        ):
            yield Found("password", *value)
            return
        if word[1][-1] in ",.;!?":
            return
        place = word.end()


def _tokens(text: str) -> Iterator[Found]:
    for match in _TOKEN.finditer(text):
        if is_random(match["value"]) and not _HASHES.search(match["between"]) and "://" not in match["value"]:
            yield Found("key", *match.span("value"))
    for match in _VARIABLE.finditer(text):
        place = value_at(text, match.end(), talk=False, phrase=False)
        if place is None:
            continue
        value = text[slice(*place)]
        told = _NO_SECRET.search(text, max(0, match.start() - 12), match.end()) is None
        if told and len(value) >= 6 and is_strong(value) and not value.isnumeric():
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
