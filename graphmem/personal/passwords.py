"""Passwords that no single phrase announces: a made-up word somewhere behind a word for one, or beside "as".

Idea: people build passwords that no language has ("Xk7-quill"), and say much between the word and the value ("is still the
same as on the old laptop, ...").  So from each word for a password the clause is walked, and the first made-up word is it.

Invariant: a plain word is taken only where nothing else can stand; each walk is of a few words, so the time grows with the
length of the text only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import MASK, Found, is_blank
from graphmem.personal.logins import placed
from graphmem.personal.made import TRIM, is_made, words_of
from graphmem.personal.names import CHOICE, JUDGED, PASSWORD
from graphmem.personal.signs import PASSWORD_SIGNS
from graphmem.personal.values import is_code, value_at

_WALK = 8  # so many words behind the name its value is looked for
_BEFORE = 110  # so far before the name a value that it follows may begin
_ANY = r"(?:pass(?:et|wd|word)?|psw|пасс?(?:ворд)?)"
_NAME = re.compile(rf"(?<![^\W_])(?:{PASSWORD}|{_ANY})(?![^\W\d_])", re.IGNORECASE)
_STEP = re.compile(r"\S+")
_STOP = re.compile(
    r"(?:must|should|needs?|have|has|can(?:no)?t?|could|would|least|minimum|longer|characters?"
    r"|policy|rules?|manager|hash\w*|field|generator"
    r"|but|because|when|if|while|unless|than|and|or|måste|ska|skall|bör|minst|tecken|men|eftersom|när|om|och|eller"
    r"|pitää|täytyy|vähintään|merkkiä|mutta|koska|jos|kun|ja|tai|должен|должна|нужно|надо|минимум"
    r"|символ\w*|но|потому|если|когда|и|или)\Z",
    re.IGNORECASE,
)
_IS = re.compile(r"\s+(?:is|was|är|var|on|[=:])\s")
_PASSING = re.compile(r"(?<!\w)(?:i|we|you|they|to|will|can|must|please|just|did|do|not|n['’]t|he|she)\s+\Z", re.I)
_FURTHER = frozenset([
    "now", "new", "nu", "nya", "nyt", "uusi", "теперь", "новый", "стал", "before", "old", "to", "till", "->", "и", "och",
    "and", "ja", "был", "was", "oli", "var",
])  # fmt: skip
_THING = frozenset([
    "for", "of", "at", "in", "with", "by", "from", "via", "för", "på", "hos", "i", "av", "från", "med", "от", "для", "к",
    "у", "в", "из", "с", "со", "про", "about", "uses", "using", "like", "såsom", "kuten", "вроде",
])  # fmt: skip
_CHANGE = re.compile(
    r"(?:chang|set|reset|updat|switch|byt|ändra|vaih|muut|смен|помен|замен|измен|постав|стави)\w*", re.IGNORECASE
)
# What stands before the name: "VALUE as my", "use VALUE for the", and a plain word before "as" only.
_AS = re.compile(
    r"(?<!\S)(?P<value>\S{5,60}),?\s+(?:,\s*)?(?:[\w'’]+\s+){0,4}?(?:as|is|was|som|är|var|on|oli"
    r"|как|это|был)\s+(?:[\w'’-]+\s+){0,3}?\Z",
    re.I,
)
_USED = re.compile(
    r"(?<![^\W_])(?:use[sd]?|using|set|put|pick\w*|chose|använd\w*|valde|väl[jk]\w*|käyt\w+|laitoin"
    r"|поставил\w?|использу\w+|ввёл|ввел)\s+(?P<value>\S{5,60})\s+"
    r"(?:for|as|in|på|för|till|для|на|в)\s+(?:[\w'’-]+\s+){0,3}?\Z",
    re.IGNORECASE,
)
_ASKED_OF = re.compile(r"(?<![^\W_])(?:is|isn['’]t|was|är|onko|это)\s+(?P<value>\S{6,60})\s+(?:[\w'’-]+\s+){1,4}?\Z", re.I)
_ROLE = re.compile(
    r"(?<!\S)(?P<value>[^\W\d_][^\s,.;]{3,40})\s+(?:som|as|как|в качестве)\s+(?:(?:mitt|my|the|our|ett|a)\s+)?\Z", re.I
)
_FINNISH_ROLE = re.compile(r"(?<!\S)(?P<value>[^\W\d_][^\s,.;]{3,40})\s+\Z")
_AS_A = re.compile(r"\s(?:som|as|как|качестве)\s", re.I)
_OWN = re.compile(r"(?<!\w)(?:my|our|his|her|their|mitt|vårt|hans|hennes|minun|meidän|мой|наш)(?!\w)", re.I)
_ODD = re.compile(r"\d|[^\s\w,.;:!?()'’\"-]|_|[^\W\d_][A-ZÅÄÖА-Я]")  # some sign of a made-up word
_INTO = re.compile(r"sana(?:ksi|na|kseni|nani)\Z", re.I)
_CHOSEN = re.compile(  # "vaihdoin salasanaksi kuutamo"
    r"(?<!\w)(?:vaihdoin|laitoin|asetin|valitsin|pistin|otin|laita|pistä|aseta|vaihda|annoin|keksin)\s(?:\w+\s){0,3}\Z", re.I
)
_CHOSEN_WORD = re.compile(r"\s+(?P<value>[^\W\d_]{3,20}(?:-[^\W\d_]{2,20}){1,3}|[^\W\d_]{5,24})(?=\s*(?:[,.;!]|\Z|\n))")
_VERB = re.compile(r"(?:in|n|tu|ty|t)\Z", re.I)
# What stands behind it: a description and a colon, or nothing but the value.
_COLON = re.compile(r"(?:\s+[^\s:.?!]+){1,5}:\s+(?P<value>[^\W\d_]{4,30})(?=\s*(?:[,.;!]|\Z|\n))", re.I)
_DESCRIBED = re.compile(
    r"rule|tip|polic|require|strength|manag|reset|advice|help|krav|regler|tips|ohje|vinkki|vaatimu"
    r"|правил|требован|совет|how|hur|miten|как\b",
    re.I,
)
_NEXT = re.compile(r"\s+(?P<value>[^\W\d_]{4,24})(?=\s*(?:[,.;!]|\Z|\n|\s(?:om|jos|if)\s))", re.I)
_THEN = re.compile(
    r"[^\n.!?]{1,60}?(?<![^\W_])(?:new|old|nya|gamla|uusi|vanha|нов\w\w|стар\w\w|now|nu|nyt|теперь"
    r"|before)\s+(?:one\s+|ett?\s+)?"
    r"(?:it(?:['’]s| is| was)|is|was|är|var|on|oli|это|был)\s+(?=\S)",
    re.IGNORECASE,
)
_FORMS = (
    (
        re.compile(r"salasana\Z|tunnussana\Z|koodisana\Z|salis\Z", re.I),
        5,
        re.compile(
            r"(?:n[uy]t|t[uy]|aa|ää|ssa|ssä|lla|llä|lta|ltä|sta|stä|lle|een|ksi|n|k[oö]|i[aä]|us|ys|nen"
            r"|mä|va|vä|tä|ta|ii|uu|yy|ee)\Z",
            re.I,
        ),
    ),
    (
        re.compile(r"[^\W\d_]*l[öo]sen(?:ord(?:et)?)?\Z|kodord(?:et)?\Z", re.I),
        4,
        re.compile(r"(?:[aeknst]s|t|[ae]d|ar|er|te|de|igt|sk)\Z", re.I),
    ),
    (re.compile(r"(?:pw|pwd|passwd|psw)\Z", re.I), 5, re.compile(r"(?:ed|ing|able|s)\Z", re.I)),
)
_WORDS = re.compile(
    r"(?<![^\W_])(?:кодов\w{2,3} (?:фраз\w|слов\w)|секретн\w{2,3} (?:фраз\w|слов\w)|контрольн\w{2,3} (?:фраз\w|слов\w))"
    r"(?:\s+(?:в|от|для|на|к|у|из|по|моего|моей|мое|моё|это|такое|такая)\s+[\w-]+|\s+(?:это|такое"
    r"|такая|было|была|мое|моё))?\s*[:—–-]?\s+"
    r"(?P<value>[^\W\d_]{4,24}(?:\s[^\W\d_]{2,20}){0,6})(?=\s*(?:[,.;!]|\Z|\n))",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"(?<![^\W_])(?:(?:memorable|security|safe|code|secret)[ -]?word|(?:kod|säkerhets|kontroll)ord(?:et)?|(?:tunnus|koodi"
    r"|turva)sana(?:ni|nsa)?|(?:кодов|контрольн|секретн)\w{2,3} слов\w"
    r"|security answer|(?:security|secret) question[^.\n]{0,60}?answer|säkerhetsfråg\w*[^.\n]{0,60}?svaret"
    r"|turvakysymy\w*[^.\n]{0,60}?vastaus"
    r"|(?:answer|svar\w*|vastau\w+|ответ) (?:to |till |på |на )?[^.\n]{0,20}?(?:(?:security|secret)"
    r" question|säkerhetsfråg\w*|turvakysymy\w*|(?:контрольн|секретн)\w+ вопрос)"
    r"|контрольн\w+ вопрос\w*[^.\n]{0,60}?ответ|mother'?s maiden name|девичья фамилия)"
    r"(?:\s+[\w'’-]+){0,5}?\s*(?:\s(?:is|was|är|var|on|oli|это|был\w?)|[:=–—-])\s+(?=\S)"
    r"|(?:security|secret) question[^.\n]{0,60}?answer\s+(?=\S)|(?:säkerhetsfråg\w*|turvakysymy\w*"
    r"|вопрос\w*)[^.\n]{0,60}?(?:svar(?:et)?|vastaus|ответ)\s+(?=\S)",
    re.IGNORECASE,
)
_RUSSIAN_TALK = re.compile(
    r"(?:не|забыл\w*|потерял\w*|нуж\w+|спр\w+|спросил\w*|просят|просит|помню|помнит|назвал\w*|говор\w+"
    r"|сказал\w*|что|где|как|какое|какая|зачем"
    r"|смен\w+|помен\w+|узна\w+|было|была|есть|нет|неверн\w+|установ\w+|надо|можно|для|это|банк\w*)\Z",
    re.I,
)
_DETERMINED = frozenset([
    "not", "never", "inte", "aldrig", "ei", "älä", "не", "your", "din", "ditt", "sinun", "твой", "ваш", "same", "samma",
    "sama", "the", "a", "an", "en", "ett", "any", "some", "his", "her", "their", "of", "my", "our", "min", "mitt", "mina",
    "sin", "sitt", "sina", "hans", "hennes", "own", "pet",
])  # fmt: skip


def passwords(text: str, low: str) -> Iterator[Found]:
    """The passwords in a text; `low` is the text in lower case."""
    if not any(sign in low for sign in PASSWORD_SIGNS):
        return
    for name in _NAME.finditer(text):
        yield from _walked(text, name)
        yield from _ahead(text, name)
        yield from _behind(text, name)
    for match in _WORDS.finditer(text):
        if not any(_RUSSIAN_TALK.match(word) for word in match["value"].split()) and _is_plain_value(match["value"]):
            yield placed(match, "password")
    for match in _AGREED.finditer(text):
        place = value_at(text, match.end(), talk=True, phrase=True)
        if place is not None:
            yield Found("password", *place)


def _ahead(text: str, name: re.Match[str]) -> Iterator[Found]:
    """The value that the name follows."""
    start = max(0, name.start() - _BEFORE)
    for pattern in (_AS, _USED, _ASKED_OF) if _ODD.search(text, start, name.start()) else ():
        match = pattern.search(text, start, name.start())
        if match is not None and is_made(match["value"].strip(TRIM)):
            between = text[match.end("value") : name.start()]
            if not JUDGED.search(between) or _OWN.search(between):
                yield placed(match, "password")
    if text[name.end() : name.end() + 1] in ("", " ", ",", ".", ";", "!", "\n"):
        role = _ROLE.search(text, start, name.start()) if _AS_A.search(text, max(0, name.start() - 16), name.start()) else None
        if role is None and _INTO.search(name[0]):
            role = _FINNISH_ROLE.search(text, start, name.start())
            role = None if role is None or _VERB.search(role["value"]) or MASK in text[name.end() : name.end() + 40] else role
            following = _STEP.match(text, name.end() + 1)
            if following is not None and is_made(following[0].strip(TRIM)):
                role = None
        if role is not None and _is_plain_value(role["value"]) and not CHOICE.search(role["value"]):
            said = text[max(0, role.start() - 30) : role.start()].casefold().split()
            if not said or said[-1] not in _DETERMINED:
                yield placed(role, "password")


def _behind(text: str, name: re.Match[str]) -> Iterator[Found]:
    """A plain word behind the name, in a place where hardly anything but a value stands."""
    match = _COLON.match(text, name.end())
    if match is not None and not _DESCRIBED.search(match[0][: -len(match["value"])]) and _is_plain_value(match["value"]):
        yield placed(match, "password")
    match = _NEXT.match(text, name.end())
    if match is not None and _is_plain_value(match["value"]):
        said = match["value"]
        for named, least, form in _FORMS:
            if (
                named.match(name[0])
                and len(said) >= least
                and not form.search(said)
                and not {said.casefold()} & (words_of("bare") | words_of("brands"))
            ):
                yield placed(match, "password")
    if _INTO.search(name[0]) and _CHOSEN.search(text, max(0, name.start() - 40), name.start()):
        chosen = _CHOSEN_WORD.match(text, name.end())
        if (
            chosen is not None
            and _is_plain_value(chosen["value"])
            and ("-" in chosen["value"] or not _FORMS[0][2].search(chosen["value"]))
        ):
            yield placed(chosen, "password")
    then = _THEN.match(text, name.end())
    if then is not None:
        place = value_at(text, then.end(), talk=True, phrase=False)
        if place is not None:
            yield Found("password", *place)


def _is_plain_value(said: str) -> bool:
    return said.split()[0].casefold() not in words_of("talk") and not is_blank(said) and not is_code(said)


def _walked(text: str, name: re.Match[str]) -> Iterator[Found]:
    """The first made-up word of the clause behind a word for a password."""
    # A pass is also a mountain's, a ticket or a passport: the next word only, or the one after "is".
    limit = _WALK if not re.match(r"pass(?:et)?\Z", name[0], re.IGNORECASE) else 1 + bool(_IS.match(text, name.end()))
    if limit < _WALK and _PASSING.search(text, max(0, name.start() - 9), name.start()):
        return
    latin = not name[0].isascii() and re.match(r"(?:\w+-)?(?:парол|пас)", name[0], re.IGNORECASE) is not None
    # Most clauses have no word that could be one.
    if not latin and not _ODD.search(text, name.end(), name.end() + 160):
        return
    found = False
    place, before = name.end(), ""
    if text[place : place + 1] in ("(", "_", "-", "."):
        return
    finnish = name[0].casefold().startswith(("sala", "salis")) or "sana" in name[0].casefold()
    changed = _CHANGE.search(text, max(0, name.start() - 30), name.start()) is not None
    for count in range(limit):
        step = _STEP.search(text, place, min(len(text), place + 80))
        if step is None or "\n" in text[place : step.start()]:
            return
        said = step[0]
        value = said.strip(TRIM)
        if is_blank(said) and any(not char.isascii() for char in said):
            return
        changed = changed or _CHANGE.match(value) is not None
        thing = (before in _THING or (before == "on" and not finnish)) and not (
            changed and before in ("to", "till", "на", "from", "från", "с")
        )
        foreign = (
            latin
            and value.isascii()
            and value.replace("-", "").isalpha()
            and len(value) >= 4
            and words_of("brands").isdisjoint((value.casefold(), *value.casefold().split("-")))
        )
        if (is_made(value) or foreign) and not thing and (not found or before in _FURTHER):
            start = step.start() + said.index(value)
            yield Found("password", start, start + len(value))
            found = True
        if (
            (_STOP.match(value) and not found)
            or said[-1] in "!?;"
            or (said[-1] == "." and count)
            or said.startswith(("=", "{", "("))
        ):
            return
        place, before = step.end(), value.casefold()
