"""Contacts: mail addresses, also as people spell them to hide them from machines, and phone numbers in national form.

Invariant: a phone number without its country is one only if the numbering plan of some country knows it, and if a word
beside it or its own form (a mobile's prefix, a bracketed area code) says so; what is called an order, a version or a
reference is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found

_EMAIL = re.compile(
    r"(?<![\w.+-])(?<![\w.+-]['’])[\w.+-]{1,64}(?:['’][\w.+-]{1,64}){0,2}@(?:[\w-]{1,63}\.){1,8}([^\W\d_]{2,24})(?![\w-]|:[\w~/]|\.[a-z])"
)
_FILES = frozenset([
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "pdf", "css", "js", "json", "tsx", "jsx", "scss", "htm",
    "html", "lock", "tar", "gz", "zip", "whl", "tgz", "txt", "csv", "xml", "yml", "yaml",
])  # fmt: skip
_AT = r"(?:at|ät|snabel-?a|собака|собачка|miukumauku|miuku|kissanhäntä|at-merkki)"
_DOT = r"(?:dot|punkt|piste|точка|тчк)"
_OPEN, _CLOSE = r"\s?[\[({<]\s?", r"\s?[\])}>]\s?"
_LOCAL = rf"(?<![\w.+-])(?P<local>[\w.+-]{{1,64}}(?:\s{_DOT}\s[\w+-]{{1,30}}){{0,3}})"
_SPELLED_DOT = rf"(?:{_OPEN}(?:{_DOT}|\.){_CLOSE}|\s{_DOT}\s)"
# A bare "at" is a word of the language: the dot must be spelled too.  A bracketed one is not.
_SPELLED = (
    re.compile(
        rf"{_LOCAL}(?:{_OPEN}(?:{_AT}|a|@){_CLOSE}|\s(?!at\b){_AT}\s)(?P<host>[\w-]{{1,63}}(?:(?:{_SPELLED_DOT}"
        rf"|\.)[\w-]{{2,63}}){{1,4}})", re.I),
    re.compile(rf"{_LOCAL}\s{_AT}\s(?P<host>[\w-]{{1,63}}(?:{_SPELLED_DOT}[\w-]{{2,63}}){{1,4}})", re.I),
)  # fmt: skip
_SPELLED_SIGN = re.compile(rf"[\[({{<]\s?(?:{_AT}|a|@)\s?[\])}}>]|\s{_AT}\s", re.I)
_SPACED = re.compile(
    r"(?<![\w.+-])(?=[\d.+_-]{0,20}[^\W\d_])[\w.+-]{2,64}(?: ?@ | @)(?:[\w-]{1,63}\.){1,4}[^\W\d_]{2,10}(?![\w-])"
)
_MAIL = re.compile(r"mail|mejl|e-?post|sähköp|meili|почт|мыл[оа]|мейл|имейл|write to|пиши", re.I)
_TALK = frozenset([
    "the", "a", "an", "this", "that", "it", "me", "you", "us", "them", "him", "her", "be", "is", "was", "are", "i", "we",
    "look", "looking", "meet", "see", "det", "den", "se", "это", "эта",
])  # fmt: skip

_PHONE = re.compile(r"(?<![\w.,@/-])(?:\+|00|\(?\d)\d?[\d\u00a0 ()./-]{5,18}\d(?!\w|[.,]\d)")
_CALLED = re.compile(
    r"\b(?:call|phone|number|mobile|cell|tel|text|whatsapp|ring|reach|telefon|puhelin\w*|numero|тел\w*|номер)\b", re.I
)
# Words that are said of other things too: a number beside them must begin as phone numbers do.
_MAYBE_CALLED = re.compile(
    r"\b(?:numb\w*|phones?|calls?|called|calling|dial\w*|sms\w*|texts?|mob|mobil\w*|ring\w*|nummer|numret|nr|nå|telefon\w*|tfn"
    r"|soit\w+|puh\w*|numero\w*|kännyk\w+|tekst\w+|whatsap\w*|signal|fax|faksi|звон\w*|\w*звон\w+"
    r"|набер\w*|набра\w*|номер\w*|моб\w*"
    r"|сот\w{2,6}|тел\w*|вацап\w*|ватсап\w*|вотсап\w*|воцап\w*|вайбер\w*|телег\w*|трубк\w+|факс)\b",
    re.I,
)
# Who is called: with one of these beside it a national number of a landline is one, unless it is a date or hours.
_SERVICE = re.compile(
    r"(?<![^\W_])(?:dentist\w*|landlord|landlady|plumber|surgery|clinic|doctor|gp|vet|reception|helpline|hotline|office|school|nursery"
    r"|päivystys\w*|hammaslääk\w*|lääkäri\w*|terveyskesku\w*|isännöi\w*|huolto\w*|vuokranantaj\w*|neuvola\w*|ajanvaraus\w*|vaihde"
    r"|sairaala\w*|koulu\w*|päiväkoti\w*|yhteys\w*|virasto\w*|helsin\w+|espoo\w*|vantaa\w*|tampere\w*|turu\w+|turku\w*|oulu\w*|lahti\w*"
    r"|vårdcentral\w*|tandläk\w*|hyresvärd\w*|jouren|växeln?|kundtjänst|vaktmästar\w*|london|leeds|manchester|bristol|glasgow"
    r"|edinburgh|cardiff|hull|cambridge|oxford|birmingham|liverpool|sheffield|belfast)(?![^\W_])",
    re.I,
)
_LANDLINES = tuple(
    (region, re.compile(form))
    for region, form in (
        ("FI", r"0[1-9]\d?[ -]\d{3,5}(?:[ -]?\d{2,5}){0,2}"),
        ("GB", r"\(?0[12]\d{1,4}\)?[ -]\d{3,4}(?:[ -]?\d{3,4})?|0[12]\d{9}"),
    )
)
_WHEN = re.compile(
    r"\d{1,2}[ ./-]\d{1,2}[ ./-](?:19|20)?\d\d|[012]?\d[.:]?[0-5]\d ?- ?[012]?\d[.:]?[0-5]\d|(?:19|20)?\d\d[ ./-]\d\d[ ./-]\d\d"
)
_HOURS = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d ?[-–] ?(?:[01]\d|2[0-3])[0-5]\d")
# An amount beside a mobile, as in "0701740658 250 kr".
_MONEY = re.compile(r"\s?(?:kr|kronor|sek|eur|euroa?|€|£|:-|руб|р)(?!\w)", re.I)
_REGIONS = ("US", "GB", "SE", "FI", "EE", "RU", "DE")
_GAP = r"[ \u00a0./-]"
# Forms by which the number of one country is known without a word: (country, form, whether the script must be Cyrillic).
_FORMS = tuple(
    (region, re.compile(form))
    for region, form in (
        ("SE", rf"07[02369](?:{_GAP}{{0,2}}\d){{7}}"),
        ("SE", r"0[1-9]\d{0,2} ?[-/–] ?\d{2,3}(?: ?\d{2,3}){1,3}"),
        ("FI", rf"(?:04\d|050)(?:{_GAP}{{0,2}}\d){{6,8}}"),
        ("FI", r"0[1-9]\d?[ -]\d{3} ?\d{3,4}"),
        ("RU", rf"[78](?:{_GAP}|\(){{0,2}}9\d\d(?:{_GAP}|\)){{0,2}}\d{{3}}(?:{_GAP}?\d\d){{2}}"),
        ("RU", r"(?:8[ -]?)?\(\d{3,5}\) ?\d{1,3}[- ]?\d\d[- ]?\d\d"),
        ("RU", r"8[ -][348]\d{2}[ -]\d{3}[ -]\d\d[ -]\d\d"),
        ("GB", rf"07\d{{3}}(?:{_GAP}?\d){{6}}"),
        ("GB", r"\(?0(?:2\d|1\d{2,3})\)? \d{3,4} ?\d{3,4}"),
        ("GB", r"0[38]\d\d \d{3} \d{3,4}"),
        ("US", r"(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[.-]\d{4}"),
    )
)
_MOBILES = (_FORMS[0], _FORMS[2], _FORMS[7])
NOT_CALLED = re.compile(
    r"order|invoice|\bref\b|refer|version|isbn|booking|ticket|tracking|serial|model|part\b|item"
    r"|build|policy|case|barcode|account"
    r"|faktura|ärende|artik|\bocr\b|kolli|bokning|serie|kund|konto|giro|bg\b|pg\b|streckk|viite"
    r"|lasku|tilaus|seuranta|tuote|sarja|asiakas"
    r"|виит|заказ|заявк|артикул|трек|огрн|кпп|штрих|накладн|догов|сч[её]т|верси|парт|инвент|\bоф?т\b|\bvin\b|лицев",
    re.I,
)


def emails(text: str) -> Iterator[Found]:
    """The mail addresses in a text, plain and spelled."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            if match[1].casefold() not in _FILES:
                yield Found("email", *match.span())
        for match in _SPACED.finditer(text):
            if _MAIL.search(text, max(0, match.start() - 40), match.start()):
                yield Found("email", *match.span())
    for pattern in _SPELLED if _SPELLED_SIGN.search(text) else ():
        for match in pattern.finditer(text):
            first, host = re.split(r"\W", match["local"])[0].casefold(), re.split(r"[\W]", match["host"])[0].casefold()
            if first not in _TALK and host not in _TALK and not match["host"][-1].isdigit():
                yield Found("email", *match.span())


def phones(text: str) -> Iterator[Found]:
    """The phone numbers in a text."""
    for match in _PHONE.finditer(text):
        said = match[0]
        beside = _beside_amount(text, match)
        if beside is not None:
            yield Found("phone", *beside)
            continue
        digits = sum(char.isdigit() for char in said)
        if _HOURS.fullmatch(said) or not 7 <= digits <= 15 or (" - " in said and "." in said):
            continue
        regions = _regions(text, match)
        if regions and any(_valid(said, region) for region in regions):
            opened = said.startswith("(") and ")" not in said
            yield Found("phone", match.start() + opened, match.end())


def _beside_amount(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """The mobile in a row of digits that an amount of money stands before or behind."""
    said = match[0]
    spaces = [place for place, char in enumerate(said) if char == " "]
    parts = [(0, place) for place in spaces] if _MONEY.match(text, match.end()) else []
    parts += [
        (place + 1, len(said)) for place in spaces if said[place + 1 : place + 2] == "0" and said[0] != "0" and place <= 5
    ]
    for start, end in parts:
        part = said[start:end]
        if any(form.fullmatch(part) and _valid(part, region) for region, form in _MOBILES):
            return match.start() + start, match.start() + end
    return None


def _regions(text: str, match: re.Match[str]) -> tuple[str | None, ...]:
    """The countries whose numbering plan may tell whether it is a phone number."""
    said = match[0]
    if said.startswith("+"):
        return (None,)
    digits = sum(char.isdigit() for char in said)
    before = text[max(0, match.start() - 40) : match.start()]
    if said.lstrip("(").startswith("00") or _CALLED.search(before):
        return _REGIONS
    if NOT_CALLED.search(before[-22:]):
        return ()
    if (said[0] in "0(" or (said[0] in "89" and digits in (10, 11))) and (
        _MAYBE_CALLED.search(before) or _MAYBE_CALLED.search(text, match.end(), match.end() + 25)
    ):
        return _REGIONS
    if _SERVICE.search(before) and not _WHEN.fullmatch(said):
        called = tuple(region for region, form in _LANDLINES if form.fullmatch(said))
        if called:
            return called
    bare = said.lstrip("(") if ")" not in said else said
    return tuple(region for region, form in _FORMS if form.fullmatch(bare))


def _valid(said: str, region: str | None) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(said, region))
    except phonenumbers.NumberParseException:
        return False
