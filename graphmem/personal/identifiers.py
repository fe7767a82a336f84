"""Identifiers: numbers and addresses by which a person is found; they are stored, marked, and shortened in prompts.

Invariant: where a kind of number has a checksum, only a number that passes it is one; a number without any (a phone
number without a country, a tax number of ten digits) also needs a word beside it that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found
from graphmem.personal.national import national_ids

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0\u202f-]?[A-Za-z0-9]{1,4}){3,9}(?![A-Za-z0-9])")
_PHONE = re.compile(r"(?<![\w.,@/-])(?:\+|00|\(?\d)\d?[\d ()./-]{5,18}\d(?!\w|[.,]\d)")
_CALLED = re.compile(
    r"\b(?:call|phone|number|mobile|cell|tel|text|whatsapp|ring|reach|telefon|puhelin\w*|numero|тел\w*|номер)\b", re.I
)
_REGIONS = ("US", "GB", "SE", "FI", "EE", "RU", "DE")
_ADDRESSES = (
    re.compile(
        r"(?<![\w.])\d{1,5}[A-Za-z]?,? (?:[A-Z][\w'’.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd"
        r"|Court|Ct|Square|Sq|Terrace|Crescent|Close|Row|Quay|Parkway|Highway|Hwy|Way|Place|Pl)\b\.?"
    ),
    re.compile(
        r"(?<!\w)[A-ZÅÄÖÕÜÆØ][\w’-]{1,30}(?:gatan|gata|gate|vägen|väg|gränd|torget|stigen|katu|tie|kuja|polku|bulevardi|veien|vei"
        r"|vej|stra(?:ß|ss)e|weg|platz|allee|tänav|maantee|puiestee|straat|laan) \d{1,4} ?[a-zA-Z]?(?!\w)"
    ),
    re.compile(r"(?<!\w)(?:ул\.|улица|проспект|пр\.|переулок|пер\.) ?[А-ЯЁ][\w-]+(?: [А-ЯЁ][\w-]+)?,? (?:д\. ?|дом )?\d{1,4}"),
)


def identifiers(text: str) -> list[Found]:
    """The identifiers in a text, in order and apart; kinds are email, iban, national_id, phone, address."""
    every: list[Found] = []
    if "@" in text:
        every += (Found("email", *match.span()) for match in _EMAIL.finditer(text))
    if any(char.isdigit() for char in text):
        every += (*ibans(text), *national_ids(text), *_phones(text))
        every += (Found("address", *match.span()) for pattern in _ADDRESSES for match in pattern.finditer(text))
    found: list[Found] = []
    for item in sorted(every, key=lambda item: item.start):  # a stable sort: of two in one place the surer kind is first
        if not found or item.start >= found[-1].end:
            found.append(item)
    return found


def shortened(text: str) -> str:
    """The text with all but the ends of each identifier left out, for prompts and messages."""
    for item in reversed(identifiers(text)):
        said = text[item.start : item.end]
        tail = said[said.rindex("@") :] if item.kind == "email" else said[-2:]
        text = f"{text[: item.start]}{said[:2] if item.kind != 'email' else said[:1]}…{tail}{text[item.end :]}"
    return text


def ibans(text: str) -> Iterator[Found]:
    """The numbers of bank accounts in a text that pass as a whole, however they are grouped."""
    for match in _IBAN.finditer(text):
        from stdnum import iban

        # What follows the number may look like a part of it ("... 85 and"): the longest valid beginning counts.
        # The account's own check within it is left to its bank: what passes as a whole is an account's number.
        said = match[0].replace("\u00a0", " ").replace("\u202f", " ")
        for end in range(len(said), 14, -1):
            if (end == len(said) or not said[end].isalnum()) and iban.is_valid(said[:end], check_country=False):
                yield Found("iban", match.start(), match.start() + end)
                break


def _phones(text: str) -> Iterator[Found]:
    for match in _PHONE.finditer(text):
        said = match[0]
        digits = sum(char.isdigit() for char in said)
        abroad = said.startswith(("+", "00"))
        if not 7 <= digits <= 15 or not (abroad or _CALLED.search(text[max(0, match.start() - 40) : match.start()])):
            continue
        import phonenumbers

        for region in (None,) if said.startswith("+") else _REGIONS:
            try:
                number = phonenumbers.parse(said, region)
            except phonenumbers.NumberParseException:
                continue
            if phonenumbers.is_valid_number(number):
                yield Found("phone", *match.span())
                break
