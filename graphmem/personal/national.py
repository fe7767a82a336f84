"""National identity numbers: those with a form of their own are told by it, the others also need their name beside them.

Invariant: a number that fails its checksum, or whose date is none, is never one; a row of digits without a mark of its
own counts only within a few words of what it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from graphmem.personal.found import Found

_SNILS = re.compile(r"(?<![\d-])\d{3}-\d{3}-\d{3}[ -]\d{2}(?!\d)")
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_HETU = re.compile(r"(?<!\w)\d{6}[-+ABCDEFUVWXY]\d{3}[0-9A-Z](?!\w|\.[a-z])", re.I)
_SWEDISH = re.compile(r"(?<![\d-])(?:\d{2})?\d{6}[-+]\d{4}(?![\d-]|\.[a-z])")  # nor the name of a file
_BARE = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){8,11}(?!\d|[.,-]\d)")
_PERSON = r"personal (?:id|code|number|identity \w+)|\bid\b|id[- ]?(?:code|number)|henkil\w*|person(?:nummer|nr\b|beteckning)"
_NEAR = 40  # so far from its name a row of digits is still called by it


def national_ids(text: str) -> Iterator[Found]:
    """The identity numbers in a text, in no order; a place may be given twice."""
    from stdnum.fi import hetu
    from stdnum.us import ssn

    shapes: tuple[tuple[re.Pattern[str], Callable[[str], object]], ...] = (
        (_SNILS, _is_snils),
        (_SSN, ssn.is_valid),
        (_HETU, hetu.is_valid),
        (_SWEDISH, _is_swedish),
    )
    for pattern, valid in shapes:
        for match in pattern.finditer(text):
            if valid(match[0]):
                yield Found("national_id", *match.span())
    for match in _BARE.finditer(text):
        beside = text[max(0, match.start() - _NEAR) : match.start()] + "\n" + text[match.end() : match.end() + _NEAR]
        number = re.sub(r"[ -]", "", match[0])
        if any(named.search(beside) and valid(number) for named, valid in _named()):
            yield Found("national_id", *match.span())


def _named() -> tuple[tuple[re.Pattern[str], Callable[[str], object]], ...]:
    """What a row of digits may be called, and the check it then has to pass."""
    from stdnum.ca import sin
    from stdnum.ee import ik
    from stdnum.gb import nhs
    from stdnum.no import fodselsnummer
    from stdnum.ru import inn

    return (
        (_NAMES["swedish"], _is_swedish),
        (_NAMES["norwegian"], fodselsnummer.is_valid),
        (_NAMES["estonian"], ik.is_valid),
        (_NAMES["inn"], inn.is_valid),
        (_NAMES["snils"], _is_snils),
        (_NAMES["nhs"], nhs.is_valid),
        (_NAMES["sin"], sin.is_valid),
    )


_NAMES = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "swedish": rf"\b(?:{_PERSON}|samordnings\w*)",
        "norwegian": rf"\b(?:{_PERSON}|f[øö]dsels\w*)",
        "estonian": rf"\b(?:{_PERSON}|isikukood\w*|(?:личн|персональн)\w+ код)",
        "inn": r"\b(?:inn|инн|tax|налог\w*)\b",
        "snils": r"\b(?:snils|снилс)",
        "nhs": r"\bnhs\b",
        "sin": r"\bsin\b|\bsocial insurance",
    }.items()
}


def _is_snils(number: str) -> bool:
    """The insurance number of Russia: nine digits, weighted from nine down, and the remainder of the sum by 101."""
    digits = [int(char) for char in number if char.isdigit()]
    if len(digits) != 11:
        return False
    total = sum(weight * digit for weight, digit in zip(range(9, 0, -1), digits[:9], strict=True))
    return total % 101 % 100 == digits[9] * 10 + digits[10]


def _is_swedish(number: str) -> bool:
    """The personal number of Sweden, or the one of those who stay for a while, whose day is raised by sixty."""
    from stdnum import luhn

    digits = re.sub(r"\D", "", number)
    if len(digits) not in (10, 12) or not luhn.is_valid(digits[-10:]):
        return False
    year, month, day = int(digits[-10:-8]), int(digits[-8:-6]), int(digits[-6:-4])
    centuries = (int(digits[:2]),) if len(digits) == 12 else (19, 20)
    if any(century not in (18, 19, 20) for century in centuries):
        return False
    try:
        return any(date(century * 100 + year, month, day - 60 if day > 60 else day) for century in centuries)
    except ValueError:
        return False
