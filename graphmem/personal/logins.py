"""Logins, keys of networks and applications, lists of words: secrets beside other words than one for a password.

Invariant: here only a made-up word is a value, or a form that chance and talk do not make (twelve words without a small one).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.made import TRIM, is_made, words_of
from graphmem.personal.signs import KEY_WORD_SIGNS, LOGIN_SIGNS, OPEN_SIGNS, SWAP_SIGNS
from graphmem.personal.values import is_code

_STEP = re.compile(r"\S+")
_WALK = 8  # so many words behind a login its password is looked for
_LOGIN = re.compile(
    r"(?<![^\W_])(?:log(?:ged|ging|s)?[ -]?(?:in|on)s?(?: with| as| using)?|sign(?:ed)?[ -]in with"
    r"|user(?:name)?|creds|credentials|logga(?:r|de|t)? in|inlogg\w*"
    r"|användar(?:e|namn)\w*|tunnu(?:s|ksella|kset|kseni)|kirjaudu\w*|käyttäjä\w*|логин\w*|учетк\w"
    r"|учётк\w|войти|заход\w+|вход\w*|s?ftp|vpn|rdp|imap|smtp|cpanel|wp-admin|nas|accounts?)(?![^\W\d_])",
    re.IGNORECASE,
)
_PAIR = re.compile(r"[\w.-]{2,30}[/:](?P<value>[^\s/:]{5,40})\Z")
_PAIRED = re.compile(
    r"(?<![^\W_])(?:user(?:name)?|login|tunnus|käyttäjä(?:tunnus)?|användar(?:e|namn)|логин|юзер)[ \t]+"
    r"(?!(?:ja|and|och|и|tai|or|eller|или)\s)\S{2,40},?[ \t]+(?:(?:and|ja|och|и)[ \t]+)?"
    r"(?:password|pass|pw|lösenord(?:et)?|lösen|salasana|salis|пароль)[ \t]+(?P<value>\S{4,40})",
    re.IGNORECASE,
)
_AND = frozenset(
    ["and", "och", "ja", "и", "plus", "+", "/", "|", "then", "sen", "sitten", "потом", "pass", "pw:", "pass:", ":"]
)
_OPENS = re.compile(
    r"(?<![^\W_])(?:(?:opens?|opened|unlocks?|unlocked|decrypts?|decrypted)\s+(?:with|using|by)"
    r"|(?:öppnas|öppnar|öppnade|låses upp|låser upp|låsa upp|dekrypteras|packas upp)\s+med"
    r"|(?:avautuu|aukeaa|aukee|avataan|aukesi|purkautuu)(?:\s+(?:sala)?sanalla)?"
    r"|(?:открывается|открывал\w+|распаковывается|расшифровывается|разблокируется)(?:\s+(?:через|с|по|на))?)"
    r"\s+(?P<value>[^\W_]\S{4,60})",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?<![^\W_])(?:(?P<api>(?:api|access|secret|license|licence|app)[ -]?(?:key|nyckeln?|avain"
    r"|ключ))|key|nyckeln?|avain(?:koodi)?|avaimeksi|ключ(?:ом)?|psk)(?:\s+(?:is|was|är|on|это"
    r"|такой))?\s*[:=]?\s+(?P<value>[^\W_]\S{7,62})",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"wi-?fi|wlan|network|router|modem|ssid|hotspot|nätet|nätverk|routern|verkko|verkon|reititin"
    r"|reititti|сет[ьи]|вай-?ф|роутер|модем",
    re.I,
)
_SWAP = re.compile(
    r"(?:changed|switched|bytte|ändrade|vaihdoin)\s+(?:it|den|det|sen)\s+(?:from|från)\s+\S{3,60}\s+(?:to"
    r"|till)\s+(?P<value>\S{8,60})",
    re.I,
)
_LEET = re.compile(r"[A-Za-z]{2}\d[A-Za-z]")
_LICENCE = re.compile(
    r"(?<![\w-])(?:(?:[A-Z0-9]{5}-){3,7}[A-Z0-9]{5}|(?:[A-Z0-9]{4}-){3,9}[A-Z0-9]{4}|(?:\d{6}-){3,8}\d{6})(?![\w-])"
)
_LICENSED = re.compile(
    r"key|cod|licen|recover|serial|activat|nyckel|kod|avain|koodi|ключ|код|лиценз|bitlocker|filevault|icloud", re.I
)
_WORDLIST = re.compile(
    r"(?:1[25]|18|2[14]|twelve|tolv|kaksitoista|двенадцать)\s+(?:[\w-]+\s+)?(?:words?|ord|sanaa"
    r"|слов)(?![^\W\d_])[^\n:]{0,30}[:\s]\s*(?P<cued>(?:[a-z]{3,8}[\s,]+){11,23}[a-z]{3,8})(?!\w)"
    r"|(?:\A|(?<=[\n:.!?\"'(])|(?<=[\n:.!?\"'(] ))(?P<alone>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?=\s*(?:[.\n\"')]|\Z))"
)
_GROUPS = re.compile(r"(?<!\w)[a-z]{4}(?:[ -][a-z]{4}){3}(?!\w)")
_APP = re.compile(
    r"app|sovellus|приложени|google|gmail|mail|mejl|icloud|apple|salasan|lösen|парол|nyckel|avain|ключ|yandex|яндекс", re.I
)


def logins(text: str, low: str) -> Iterator[Found]:
    """The secrets of these kinds in a text; `low` is the text in lower case."""
    if any(sign in low for sign in LOGIN_SIGNS):
        for match in _LOGIN.finditer(text):
            yield from _login(text, match.end())
        for match in _PAIRED.finditer(text):
            value = match["value"].strip(TRIM).casefold()
            if (
                len(value) >= 4
                and value not in words_of("talk") | words_of("bare")
                and not is_blank(value)
                and not is_code(value)
            ):
                yield placed(match, "credentials")
    if any(sign in low for sign in OPEN_SIGNS):
        for match in _OPENS.finditer(text):
            value = match["value"].strip(TRIM)
            if is_made(value) and len(value) >= 6:
                yield placed(match, "password")
    if any(sign in low for sign in KEY_WORD_SIGNS):
        yield from _keys(text)
    if any(sign in low for sign in SWAP_SIGNS):
        for match in _SWAP.finditer(text):
            if _LEET.search(match["value"]) and is_made(match["value"].strip(TRIM)):
                yield placed(match, "password")
    yield from _word_lists(text)


def placed(match: re.Match[str], kind: str) -> Found:
    """The value of a match without the marks around it."""
    said = match["value"]
    start = match.start("value") + len(said) - len(said.lstrip(TRIM))
    return Found(kind, start, max(start, match.start("value") + len(said.rstrip(TRIM))))


def _keys(text: str) -> Iterator[Found]:
    """The keys of networks and programs."""
    for match in _KEY.finditer(text):
        value = match["value"].strip(TRIM)
        network = match["api"] or _NETWORK.search(text, max(0, match.start() - 80), match.end() + 60)
        mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value) and any(c.isdigit() for c in value)
        if (network or mixed) and (is_made(value) or (network and value.isdigit())):
            yield placed(match, "key")
    for match in _LICENCE.finditer(text):
        if _LICENSED.search(text, max(0, match.start() - 50), match.start()):
            yield Found("key", *match.span())


def _login(text: str, place: int) -> Iterator[Found]:
    """The made-up word behind a name and "and" of a login."""
    before = ""
    for _ in range(_WALK):
        step = _STEP.search(text, place, min(len(text), place + 80))
        if step is None or "\n" in text[place : step.start()]:
            return
        said = step[0]
        value = said.strip(TRIM)
        pair = _PAIR.match(value)
        if pair is not None and is_made(pair["value"]):
            start = step.start() + said.index(value) + pair.start("value")
            yield Found("credentials", start, start + len(pair["value"]))
            return
        if before in _AND and is_made(value) and len(value) >= 6:
            start = step.start() + said.index(value)
            yield Found("credentials", start, start + len(value))
            return
        if said[-1] in "!?;" or (said[-1] == "." and len(said) > 1):
            return
        place, before = step.end(), said.casefold()


def _word_lists(text: str) -> Iterator[Found]:
    """The words from which a wallet is restored, and the groups of letters that stand for a password of an application."""
    for match in _WORDLIST.finditer(text):
        group = match.lastgroup or "cued"
        words = re.findall(r"[a-z]+", match[group])
        if (
            sum(word in words_of("function") for word in words) <= (2 if group == "cued" else 0)
            and len(set(words)) >= len(words) - 1
        ):
            yield Found("password", *match.span(group))
    for match in _GROUPS.finditer(text):
        words = re.findall(r"[a-z]+", match[0])
        odd = sum(not set(word) & set("aeiouyäöå") for word in words)
        near = _APP.search(text, max(0, match.start() - 60), match.start()) or _APP.search(text, match.end(), match.end() + 40)
        if not any(word in words_of("function") or word in words_of("talk") for word in words) and (odd >= 2 or (near and odd)):
            yield Found("password", *match.span())
