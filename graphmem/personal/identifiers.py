"""Identifiers: numbers and addresses by which a person is found; they are stored, marked, and shortened in prompts.

Invariant: where a kind of number has a checksum, only a number that passes it is one; a number without any (a phone
number without a country, a tax number of ten digits) also needs a word beside it that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.contacts import emails, phones
from graphmem.personal.found import Found
from graphmem.personal.national import national_ids

# Where an account's number may begin; how far it goes, its check tells.
_IBAN = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=iban)|(?<=IBAN))[A-Za-z]{2}\d{2}")
_IBAN_REST = re.compile(r"(?:[ \u00a0\u2009\u202f._/–-]?[A-Za-z0-9]){11,30}")
_GAPS = str.maketrans("", "", " \u00a0\u2009\u202f._/–-")
_ADDRESSES = (
    re.compile(
        r"(?<![\w.])\d{1,5}[A-Za-z]?,? (?:[A-Z][\w'’.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd"
        r"|Court|Ct|Square|Sq|Terrace|Crescent|Close|Row|Quay|Parkway|Highway|Hwy|Way|Place|Pl)\b\.?"
    ),
    re.compile(
        r"(?<!\w)[A-ZÅÄÖÕÜÆØ][\w’-]{1,30}(?:gatan|gata|gate|vägen|väg|gränd|torget|stigen|katu|tie"
        r"|kuja|polku|bulevardi|veien|vei"
        r"|vej|stra(?:ß|ss)e|weg|platz|allee|tänav|maantee|puiestee|straat|laan) \d{1,4} ?[a-zA-Z]?(?!\w)"
    ),
    re.compile(r"(?<!\w)(?:ул\.|улица|проспект|пр\.|переулок|пер\.) ?[А-ЯЁ][\w-]+(?: [А-ЯЁ][\w-]+)?,? (?:д\. ?|дом )?\d{1,4}"),
)


def identifiers(text: str) -> list[Found]:
    """The identifiers in a text, in order and apart; kinds are email, iban, national_id, phone, address."""
    every: list[Found] = []
    every += emails(text)
    if any(char.isdigit() for char in text):
        every += (*ibans(text), *national_ids(text), *phones(text))
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
        tail = said[said.rindex("@") :] if item.kind == "email" and "@" in said else said[-2:]
        text = f"{text[: item.start]}{said[:2] if item.kind != 'email' else said[:1]}…{tail}{text[item.end :]}"
    return text


def ibans(text: str) -> Iterator[Found]:
    """The numbers of bank accounts in a text that pass as a whole, however they are grouped."""
    past = 0
    for match in _IBAN.finditer(text):
        rest = _IBAN_REST.match(text, match.end()) if match.start() >= past else None
        if rest is None:
            continue
        # What follows the number may look like a part of it ("... 85 and"): the longest valid beginning counts.
        # The account's own check within it is left to its bank: what passes as a whole is an account's number.
        for end in range(rest.end(), match.end() + 10, -1):
            if (end == len(text) or not text[end].isalnum()) and _is_iban(text[match.start() : end].translate(_GAPS)):
                yield Found("iban", match.start(), end)
                past = end
                break


def _is_iban(number: str) -> bool:
    """Whether it is an account's number; the sum is cheap and is done first."""
    if not 15 <= len(number) <= 34 or not number.isascii():
        return False
    if int("".join(str(int(char, 36)) for char in number[4:] + number[:4])) % 97 != 1:
        return False
    from stdnum import iban

    return bool(iban.is_valid(number, check_country=False))
