"""Answers: what somebody says, alone or with a few words, after being asked for a secret.

Invariant: only a short answer to a question that names a secret is looked at, and a word of talk ("the one for the router",
"no idea") is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.made import is_made
from graphmem.personal.names import CODES, CVV, PASSWORD, PIN
from graphmem.personal.values import talk_words

_LENGTH = 120  # a longer turn is more than an answer
_NAME = re.compile(
    rf"(?<![^\W_])(?:{PASSWORD}|{PIN}|{CODES}|{CVV}|codes?|kod(?:en|er|erna)?|[^\W\d_]{{0,20}}koodi[^\W\d_]{{0,6}}"
    rf"|код[а-яё]{{0,3}}"
    r"|(?:api|access|secret|network|product|license|wifi|wi-fi|security|recovery|encryption|bitlocker)[ -]?keys?"
    r"|(?:api )?tokens?|credentials?|combination|combo"
    r"|[^\W\d_]{0,20}nyckeln?|[^\W\d_]{0,20}avain|avaimesi|ключ\w{0,2}|токен\w{0,2}|otp|seed|passet"
    r"|комбинаци\w+|(?:mother'?s )?maiden name|(?:security|secret) question|säkerhetsfråg\w*"
    r"|turvakysymy\w*|контрольн\w+ вопрос\w*"
    r"|digits|numbers? on the|siffror\w{0,3}|numerot|цифр\w*)(?![^\W\d_])",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    r"polic|manager|rules?\b|strength|hint\b|mean\b|format|generator|reset|kind of|language|how"
    r" (?:long|many|often)|hur (?:lång|många|ofta)"
    r"|kuinka|montako|сколько|как часто|where (?:is|do|did)|var (?:är|har)|missä|где|why|varför"
    r"|miksi|почему|when|när|milloin|когда",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:what|which|enter|type|give|tell|send|need|provide|share|confirm|paste|read|anna|vad"
    r"|vilke[nt]|säg|skriv|ange|läs|skicka|mikä|mitä|kerro"
    r"|syötä|lähetä|kirjoita|как\w{0,3}|назови\w*|введи\w*|скажи\w*|пришли\w*|напиши\w*|продиктуй\w*|укажи\w*)\b",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"(?:connect|join|log ?in|get in|ansluta|koppla upp|logga in|yhdist|liity|kirjaud|подключ|войти|зайти)\w*", re.IGNORECASE
)
_LOGIN = re.compile(r"(?:\blog[ -]?ins?|inlogg\w*|tunnukset|логин\w*|username)\b[^.!?\n]{0,40}\?\s*\Z", re.IGNORECASE)
# "How do I get in?" is answered with what stands behind a word for a gate or a door.
_GET_IN = re.compile(
    r"(?:\bhow (?:do|can|will|does|should|did) (?:\w+ ){1,3}?(?:get|come|go) (?:in|inside)"
    r"(?=\s*\?|\s*\Z|\s+(?:tonight|today|tomorrow|later|there|when|if|at|from|after|on|please|then|now|your"
    r"|the (?:house|building|flat|garage|gate|door|office|yard|apartment|block))\b)"
    r"|\bhur (?:kommer|ska|tar|kan) (?:\w+ ){1,3}?in"
    r"(?=\s*\?|\s*\Z|\s+(?:ikväll|imorgon|sen|sedan|på|där|när|om|hos|till|nu)\b)"
    r"|\b(?:miten|kuinka) (?:\w+ ){1,3}?sis\w+|\bкак (?:\w+ ){0,3}?(?:войти|попасть|зайти|пройти)\b)[^.?!\n]{0,30}\?*\s*\Z",
    re.IGNORECASE,
)
_GATE = (
    r"(?:gate|door|garage|keypad|lobby|entrance|intercom|lock ?box|porten|grinden|dörren|portti|ovi|alaovi|rappu|калитка|дверь"
    r"|ворота|домофон|подъезд|замок)"
)
_ENTRY = re.compile(
    rf"(?<!\w){_GATE}(?:['’]s|\s(?:is|takes|wants|opens with|code is|är|tar|öppnas med|on"
    r"|aukeaa|avautuu|это|открывается))[:\s]{1,2}"
    r"(?P<value>(?=[A-ZА-Я\d]{0,7}\d\d)(?:[A-ZА-Я\d]{1,3}\d{2,6}[A-ZА-Я]{1,2}|\d{1,3}[A-ZА-Я]{1,2}\d{2,4}|[A-ZА-Я]\d{3,6}|\d{3,6}[A-ZА-Я]{1,2}|\d{4,8}))(?![\w%]|[.,:]\d|\s(?:mm|cm|m|kr|euro|рублей)\b)"
    r"|(?<!\w)(?:gate|keypad|grinden|portti|калитка|ворота|домофон):?\s(?P<bare>\d{2,3}[A-ZА-Я]{1,2}\d{2,4}|\d{3,6}[A-ZА-Я]{1,2}|[A-ZА-Я]\d{3,6})(?![\w%]|[.,:]\d)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.,:-])\d(?:[ -]?\d){2,11}(?![\w%€$£]|[.,:]\d)")
_STEP = re.compile(r"\S+")
_TRIM = "\"'`“”‘’«»„.,;:!?()[]{}"
_REPLY = re.compile(
    r"\s*(?:(?:it(?:['’]?s| is| was)|that(?:['’]?s| is)|the (?:password|code|pin|key) is|(?:den"
    r"|det) är|se on|on|он[ао]?(?: такой| такая)?|это|вот|try|testa|kokeile"
    r"|попробуй|sure|ok(?:ay)?|yes|yeah|ja|joo|да|ага|hmm+|ну|no|öh|tja|i think|think|tror|varmaan"
    r"|кажется|maybe|kanske|ehkä)[,:.]?\s+){0,3}",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\s*(?:i think|i guess|think|tror jag|tror|luulen|muistaakseni|kai|kaikki pienellä|вроде|кажется"
    r"|all lower\s?case|lowercase)?\s*[.!)]*\s*\Z",
    re.I,
)
_UNKNOWN = frozenset([
    "idk", "dunno", "sorry", "nope", "none", "later", "wait", "what", "unsure", "forgot", "forgotten", "cancel", "skip",
    "stop", "help", "thanks", "hello", "yes", "yeah", "okay", "sure", "maybe", "which", "vet", "inte", "glömt", "ingen",
    "aning", "minns", "senare", "vänta", "nej", "tack", "hej", "okej", "kanske", "varför", "vilken", "tiedä", "muista",
    "unohdin", "unohtunut", "ehkä", "myöhemmin", "odota", "kiitos", "moi", "joo", "selvä", "kumpi", "peruuta", "знаю",
    "забыл", "забыла", "помню", "позже", "подожди", "спасибо", "привет", "нету", "отмена", "какой", "зачем", "потом",
    "ладно", "хорошо",
])  # fmt: skip


def answer(text: str, before: str) -> Iterator[Found]:
    """The value in answer to a question for a secret."""
    asked = before[-300:]
    if len(text) <= _LENGTH and _GET_IN.search(asked):
        for match in _ENTRY.finditer(text):
            group = match.lastgroup or "value"
            if not re.fullmatch(r"(?:19|20)\d\d|\d+(?:mm|cm|m|kr|am|pm|th|st|nd|rd)", match[group], re.IGNORECASE):
                yield Found("code", *match.span(group))
    if len(text) > _LENGTH or not (_asks(asked) or _LOGIN.search(asked)):
        return
    for match in _DIGITS.finditer(text):
        if not re.match(
            r"\s*(?:characters|tecken|merkkiä|символ|digits|siffror|numeroa|цифр|times|gånger|kertaa|раз|min|h\b|days|dagar)",
            text[match.end() :],
        ):
            yield Found("password", *match.span())
    for count, step in enumerate(_STEP.finditer(text)):
        value = step[0].strip(_TRIM)
        if count < 10 and is_made(value):
            start = step.start() + step[0].index(value)
            yield Found("password", start, start + len(value))
    if _asks(asked):
        yield from _alone(text)


def _asks(asked: str) -> bool:
    """Whether the last thing that was said asks for a secret itself, and not for something about one."""
    last = re.split(r"(?<=[.!?])\s+", asked.strip())[-2:]
    for sentence in last:
        if _ASKS.search(sentence) and not _ABOUT_IT.search(sentence):
            if _NAME.search(sentence):
                return True
            if _NETWORK.search(sentence) and re.search(r"network|wi-?fi|nät|verk|сет|вай", sentence, re.I):
                return True
    return False


def _alone(text: str) -> Iterator[Found]:
    """A word or a few that are the whole answer."""
    opening = _REPLY.match(text)
    start = opening.end() if opening else 0
    ending = _ENDING.search(text, start)
    end = ending.start() if ending else len(text)
    said = text[start:end].strip()
    words = [word.strip(_TRIM).casefold() for word in said.split()]
    if not 1 <= len(words) <= 4 or text.rstrip().endswith("?") or is_blank(said):
        return
    if any(word in _UNKNOWN or word in talk_words() or len(word) < 2 for word in words) or len(said) < 4:
        return
    if any(char in said for char in "?,;") or re.search(r"\b(?:yyyy|xxx)", said):
        return
    place = text.index(said, start)
    if len(words) == 1 or all(word.isalpha() for word in words):
        yield Found("password", place, place + len(said.rstrip(_TRIM)))
