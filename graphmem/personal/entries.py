"""Entries: how people tell what lets somebody in without calling it a password or a code right beside it.

Idea: a file is protected and opened with a word, a television asks for a code "and it is" one, a code "has been changed
to" one, one word is used for every login, an account "is" a made-up word among talk of passwords, a gate is a number.

Invariant: each is a form of its own with a made-up word or a number in its place, and nothing else of the clause; years,
round numbers, programs and places of airports are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.codes import is_other
from graphmem.personal.found import Found, is_blank
from graphmem.personal.logins import placed
from graphmem.personal.made import TRIM, is_made, words_of

_END = (
    r"(?=[\"')]?(?:\s*[.,;!?\n)#*]|\s*\Z|\s(?:and|but|if|och|men|ja|mutta|и|но)\s"
    r"|\s(?:now|today|yesterday|last|on|this|nu|igår|idag|nyt|btw|fyi|eilen|tänään|вчера|сегодня|теперь)(?!\w)))"
)
_TOKEN = r"(?P<value>(?=[^\W_]{0,9}\d)(?=[^\W_]{0,9}[A-ZА-ЯÅÄÖ])[A-ZА-ЯÅÄÖ\d]{4,10}(?:-[A-Z\d]{3,8}){0,2}(?![\w-]))"
_CODE = (
    r"(?<![\w-])(?:(?:[^\W\d_]{2,20}[ -]?)?(?:codes?|pin)|[^\W\d_]{0,20}kod(?:en)?|[^\W\d_]{0,20}koodi(?:a|n|lla)?|код\w{0,2})"
)
_ASKS = (
    r"(?:asks?|asking|wants?|needs?|requires?|requests?|frågar|vill ha|kräver|begär|kysyy|pyytää|vaatii|haluaa|просит"
    r"|спрашивает|требует|хочет)"
)
_ASKED = re.compile(
    rf"(?<!\w){_ASKS}\s(?:[\w'’-]+\s){{0,4}}?{_CODE}(?:\s[\w-]+){{0,3}}?\s?(?:,|\s(?:and|och|ja|и)|:|[–—-])?\s"
    r"(?:(?:it['’]s|it is|that['’]s|this is|den är|det är|se on|это|вот)(?:\s(?:now|nu|nyt|он|такой))?:?\s)"
    rf"(?:{_TOKEN}|(?P<digits>\d{{4,8}}))",
    re.I,
)
_CHANGED = re.compile(
    rf"{_CODE}\s(?:to|for|of|on|at|till|för|i|på|hos|от|на|для|к|в)\s(?:[\w'’-]+\s){{1,5}}?"
    r"(?:(?:has|have|was|were|is|got|had)\s(?:now\s)?(?:just\s)?(?:been\s)?(?:changed|switched|reset|updated|set)\sto"
    r"|(?:has been|is|was|got)\s(?:now\s)?changed,?\s(?:and\s)?(?:now\s)?(?:it['’]s|it is)(?:\snow)?"
    r"|(?:har\s(?:nu\s)?|är\s(?:nu\s)?|blev\s)?(?:ändrats|ändrades|ändrad|bytts|byttes|bytt|uppdaterats)\s(?:ut\s)?till"
    r"|(?:по|с|за)мен(?:яли|или|ён|ен)\sна|измен(?:или|ён|ен)\sна)\s"
    rf"(?:{_TOKEN}|(?P<digits>\d{{4,8}})){_END}",
    re.I,
)
# A word that protects a file: made up, or two plain ones with a hyphen behind a word that opens.
_PROTECTED = re.compile(
    r"(?<![^\W_])(?:(?:password|passwd|pw|pass)[ -]?(?:protected|locked)|lösenordsskydda\w*|salasanasuojat\w*"
    r"|suojattu\w* salasanalla|запарол\w+|(?:под|закрыт\w*|защищ\w+) парол\w+)(?![^\W_])",
    re.I,
)
_OPENED = re.compile(
    r"[^\n]{0,50}?(?:(?P<opens>(?:open|opens|unlock|unlocks|try)(?: it| them| that)?(?: with| using)?"
    r"|öppna\w*(?: den| det| dem)? med|lås upp(?: den| det)? med|avaa(?: se| ne)?|avautuu|avataan"
    r"|откр[оы]\w+(?: его| её)?(?: с| через)?|it['’]s|it is|den är|det är|se on|password(?: is)?"
    r"|lösenord(?:et)?(?: är)?|salasana(?: on)?|пароль|это)"
    r"|(?P<loose>use|using|with|med|använd|käytä|используй|\(|:))\s{0,2}(?P<value>[^\s,;()]{5,40})",
    re.I,
)
_HYPHENED = re.compile(r"[^\W\d_]{3,20}(?:-[^\W\d_]{3,20}){1,3}\Z")
_PROGRAM = re.compile(
    r"(?:win|rar|zip|7zip|word|excel|office|libre|open|reader|viewer|adobe|acrobat|notepad|preview|app|pro|copy|drag|read|right"
    r"|double|two|multi|non|semi|self|ask|chrome|firefox|edge|safari|ubuntu|android|debian|fedora|opera|outlook|premium|basic"
    r"|standard|plus|family|ultra|version|plan|season|series|level|netflix|galaxy|pixel|kobo|kindle|chatgpt|claude|gemini|llama|vitamin|4k|8k|1080|720)(?=-|\d|\w\d|[kp]|\Z)",
    re.I,
)
_STANDARD = re.compile(r"[A-Z]{2,6}-?\d{1,5}\Z")  # "IFRS16"
_LATIN_BEHIND = re.compile(r"[,:]?\s(?:это\s)?(?P<value>[a-zA-Z][a-zA-Z\d]{2,20}(?:-[a-zA-Z\d]{2,20}){1,3})(?![\w-])")
# One word for everything.
_EVERY = re.compile(
    r"(?<![^\W_])(?:re-?us(?:e|ed|es|ing)|us(?:e|ed|es|ing)|återanvänder|använder|kör|käytän|использую|юзаю)\s"
    r"(?:the\s|same\s|samma\s|samaa\s|один\s|везде\s){0,2}(?P<value>\S{5,40})\s(?:for|on|at|till|på|i|для|на|в|kaikissa|joka|kaikkiin)"
    r"(?:\s(?:the|my|our|mina|våra|muiden|omissa))?(?:\s(?:every|all|each|any|alla|varje|kaikissa|kaikkiin|joka|всех|каждого|каждом))?"
    r"\s(?:of\s)?(?:my\s|mina\s|the\s|моих\s)?(?:other\s|online\s|andra\s|muissa\s)?(?P<where>log-?ins?|accounts?|sites?|websites?"
    r"|inloggning\w*|konton?|sajter?|sidor|tunnuk\w+|tili\w*|kirjautumi\w+|palvelu\w*|sivu\w*|вход\w*|сайт\w*"
    r"|аккаунт\w*)(?![^\W_])",
    re.I,
)
_CODE_SIGN = re.compile(r"(?:code|kod|koodi|код|pin)[^\n]{0,120}?\d")  # what would be one has digits
_PROTECTED_SIGN = re.compile(r"protected|locked|skydda|suojat|парол")
_EVERY_SIGN = re.compile(
    r"login|log-in|account|site|inlogg|konto|sajt|sidor|tunnuk|tili|kirjautumi|palvelu|sivu|вход|сайт|аккаунт"
)
_WHOLE = re.compile(r"(?<!\w)(?:every|all|each|any|alla|varje|kaik|joka|всех|кажд|везде|same|samma|samaa|re-?us)", re.I)
_ACCOUNT = re.compile(
    r"(?<![^\W_])(?:netflix|spotify|hulu|disney(?:\+| plus)?|hbo|prime|youtube|gmail|hotmail|outlook|icloud|steam|facebook"
    r"|insta(?:gram)?"
    r"|twitter|reddit|linkedin|dropbox|paypal|amazon|ebay|viaplay|yle|areena|нетфликс|стим|инстаграм\w?|фейсбук|ютуб|почта)\s"
    r"(?:is|was|=|är|var|on|oli|это)\s(?P<value>\S{5,40})",
    re.I,
)
_TALK = re.compile(r"(?<![^\W_])(?:passwords?|pws?|lösen(?:ord\w*)?|salasana\w*|парол[а-я]{1,3})(?![^\W_])", re.I)
# A number for a gate, and what it is for; no amount and no year.
_GATE = re.compile(
    r"(?<![^\W_])(?:(?:our|my|their|his|her)\s(?:\w+\s)?(?:gate|garage|alarm)\sis|(?:vår|min)\s(?:grind|port)\sär"
    r"|(?:meidän|mun|minun)\s(?:portti|alaovi|hälytin)\son|(?:наш|наша|наши)\s(?:калитка|ворота|домофон)(?:\sэто)?"
    r")\s(?P<value>\d{4,6})" + _END,
    re.I,
)
_FOR_GATE = re.compile(
    r"(?<![^\W_])(?:(?:use|try)\s(?P<use>\d{4,6})\s(?:for|on|at)\s(?:the|my|our)\s(?:(?:front|back|side|main|bike)\s)?"
    r"(?:garage|gate|door|alarm|lock|padlock|safe|locker|keypad|shed|entrance)"
    r"|(?:ta|använd|slå|testa)\s(?P<ta>\d{4,6})\s(?:till|för|på|vid)\s(?:garaget|grinden|porten|dörren|larmet|låset|skåpet|förrådet)"
    r"|(?:käytä|kokeile|laita)\s(?P<fi>\d{4,6})\s(?:autotalliin|porttiin|portille|oveen|ovelle|hälyttimeen|lukkoon)"
    r"|(?:набери|введи|попробуй|жми)\s(?P<ru>\d{4,6})\s(?:на|для|в|от|у)\s(?:гараж\w*|калитк\w*|ворот\w*|двер\w*|домофон\w*|замк\w*))"
    + _END,
    re.I,
)
_FOUR = re.compile(r"(?<![\w.,-])\d{4,6}(?!\w)")
_WORD = re.compile(r"[^\W\d_]+")
_HOUR = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d\Z")
_COURSE = re.compile(r"[A-Z]{3,6}-?\d{2,4}\Z")  # "ENG204" is a course's or a flight's
_PLAIN_NUMBER = re.compile(r"(?:19|20)\d\d\Z|\d+00\Z")


def entries(text: str, low: str) -> Iterator[Found]:
    """The secrets of these forms in a text; `low` is the text in lower case."""
    if _CODE_SIGN.search(low):
        for pattern in (_ASKED, _CHANGED):
            for match in pattern.finditer(text):
                yield from _code(match)
    if _PROTECTED_SIGN.search(low):
        for match in _PROTECTED.finditer(text):
            yield from _protected(text, match.end())
    if _EVERY_SIGN.search(low):
        for match in _EVERY.finditer(text):
            if _WHOLE.search(text, max(0, match.start() - 12), match.end()) and _is_own(match["value"]):
                yield placed(match, "password")
    if _TALK.search(low):
        for match in _ACCOUNT.finditer(text):
            if _is_own(match["value"]) and _TALK.search(text, max(0, match.start() - 100), match.end() + 100):
                yield placed(match, "password")
    yield from _gates(text)


def _gates(text: str) -> Iterator[Found]:
    """The numbers of gates and of what they are for."""
    for pattern in (_GATE, _FOR_GATE) if _FOUR.search(text) else ():
        for match in pattern.finditer(text):
            said = match[match.lastgroup or "value"]
            hour = _HOUR.match(said) and "alarm" in match[0].casefold()
            if not hour and not _PLAIN_NUMBER.match(said):
                yield Found("code", *match.span(match.lastgroup or "value"))


def _code(match: re.Match[str]) -> Iterator[Found]:
    group = match.lastgroup or "value"
    said = match[group]
    letters = "".join(char for char in said if char.isalpha())
    if (letters and not (letters.isupper() and sum(char.isdigit() for char in said) >= 2 and not _COURSE.match(said))) or any(
        is_other(word) for word in _WORD.findall(match[0][: match.start(group) - match.start()].lower())
    ):
        return
    if not letters and _PLAIN_NUMBER.match(said):
        return
    yield Found("code", *match.span(group))


def _protected(text: str, place: int) -> Iterator[Found]:
    """What opens a protected file, behind what it is said of."""
    latin = _LATIN_BEHIND.match(text, place) if re.match(r"[а-яё]", text[place - 1], re.I) else None
    if latin is not None and _is_pair(latin["value"]):
        yield placed(latin, "password")
    match = _OPENED.match(text, place)
    if match is not None:
        value = match["value"].strip(TRIM)
        if _is_own(value) or (match["opens"] and _is_pair(value)):
            yield placed(match, "password")


def _is_own(said: str) -> bool:
    """Whether a word is made up with digits and is no product's or plan's name."""
    value = said.strip(TRIM)
    return is_made(value) and any(char.isdigit() for char in value) and not (_PROGRAM.match(value) or _STANDARD.match(value))


def _is_pair(value: str) -> bool:
    """Whether plain words with a hyphen between them are no program and no talk."""
    if not _HYPHENED.match(value) or is_blank(value) or not all(part[1:].islower() for part in value.split("-")):
        return False
    parts = value.casefold().split("-")
    known = words_of("talk") | words_of("function") | words_of("brands") | words_of("bare")
    named = all(part[0].isupper() for part in value.split("-"))  # "Bo-Erik"
    return not named and not any(part in known or _PROGRAM.fullmatch(part) for part in parts)
