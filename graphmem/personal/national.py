"""National identity numbers: those with a form of their own are told by it, the others also need their name beside them.

Invariant: a number that fails its checksum, or whose date is none, is never one; a row of digits without a mark of its
own counts only within some words of what it is called, or if chance hardly makes its check and its date both come out
right and nothing beside it calls it an order, an invoice or the like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from graphmem.personal.contacts import NOT_CALLED
from graphmem.personal.found import Found

_SNILS = re.compile(r"(?<![\d-])\d{3}-\d{3}-\d{3}[ -]\d{2}(?!\d)")
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_HETU = re.compile(r"(?<!\w)\d{6}[-+ABCDEFUVWXY]\d{3}[0-9A-Z](?!\w|\.[a-z])", re.I)
_SWEDISH = re.compile(r"(?<![\d-])(?:\d{2})?\d{6}[-+]\d{4}(?![\d-]|\.[a-z])")  # nor the name of a file
_BARE = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){8,11}(?!\d|[.,-]\d)")
_PERSON = r"personal (?:id|code|number|identity \w+)|\bid\b|id[- ]?(?:code|number)|henkil\w*|person(?:nummer|nr\b|beteckning)"
_NEAR = 90  # so far behind its name a row of digits is still called by it
_AFTER = 40  # and so far before it
_SWEDISH_TALK = re.compile(
    r"\b(?:jag|och|är|för|ska|inte|det|på|som|till|min|mitt|mina|har|kan|med|heter|född|hej|av|från|sonen|dottern|legg?|leg)\b",
    re.I,
)
_ESTONIA = re.compile(r"eston|eesti|tallin|tartu|\bestni|viro\w*|эстон|таллин|тарту|e-?resid", re.I)
_PENSION = re.compile(r"пенс\w*|\bпфр\b|\bсфр\b|соцстрах|страхов", re.I)
_CYRILLIC = re.compile(r"[а-яё]{2}", re.I)
# Where a patient's number is read; a number that is called or begins as none of theirs is no patient's.
_PATIENT = re.compile(r"\b(?:patients?|hospital|wrist ?band|out-?patients?|clinic|ward|a&e|gp surgery|referral)\b", re.I)
_IS_CALLED = re.compile(r"\b(?:call\w*|phone|tel|ring|number is|text|fax)\b", re.I)
_PHONE = re.compile(r"07[02369]|[78]9")


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
    yield from _bare(text)


def _bare(text: str) -> Iterator[Found]:
    """The rows of digits that are numbers of persons, by their name or by what chance hardly does."""
    named = [(name, lengths, valid) for name, lengths, valid in _named() if name.search(text)]
    known = _told(text)
    patients = _PATIENT.search(text) is not None
    for match in _BARE.finditer(text):
        number = re.sub(r"[ -]", "", match[0])
        by_name = [name for name, lengths, valid in named if len(number) in lengths and valid(number)]
        by_chance = any(len(number) == length and valid(number) for length, valid in known)
        if not by_name and not by_chance and not (patients and _is_patient(number)):
            continue
        before = text[max(0, match.start() - _NEAR) : match.start()]
        beside = before + "\n" + text[match.end() : match.end() + _AFTER]
        patient = "-" not in match[0] and _is_patient(number) and _PATIENT.search(beside) and not _IS_CALLED.search(before)
        if patient or any(name.search(beside) for name in by_name) or (by_chance and not NOT_CALLED.search(before[-25:])):
            yield Found("national_id", *match.span())


def _told(text: str) -> list[tuple[int, Callable[[str], object]]]:
    """The lengths and checks of those numbers that need no name in this talk."""
    from stdnum.ee import ik
    from stdnum.no import fodselsnummer
    from stdnum.ru import inn

    checks: list[tuple[int, Callable[[str], object]]] = [(11, fodselsnummer.is_valid), (12, _is_swedish)]
    if _SWEDISH_TALK.search(text):
        checks.append((10, lambda number: not _PHONE.match(number) and _is_swedish(number)))
    if _ESTONIA.search(text):
        checks.append((11, ik.is_valid))
    if _CYRILLIC.search(text):
        checks.append((12, inn.is_valid))
        if _PENSION.search(text):
            checks.append((11, lambda number: not _PHONE.match(number) and _is_snils(number)))
    return checks


def _named() -> tuple[tuple[re.Pattern[str], tuple[int, ...], Callable[[str], object]], ...]:
    """What a row of digits may be called, how long it is then, and the check it has to pass."""
    from stdnum.ca import sin
    from stdnum.ee import ik
    from stdnum.gb import nhs
    from stdnum.no import fodselsnummer
    from stdnum.ru import inn
    from stdnum.us import ssn

    return (
        (_NAMES["swedish"], (10, 12), _is_swedish),
        (_NAMES["norwegian"], (11,), fodselsnummer.is_valid),
        (_NAMES["estonian"], (11,), ik.is_valid),
        (_NAMES["inn"], (10, 12), inn.is_valid),
        (_NAMES["snils"], (11,), _is_snils),
        (_NAMES["nhs"], (10,), nhs.is_valid),
        (_NAMES["sin"], (9,), sin.is_valid),
        (_NAMES["ssn"], (9,), ssn.is_valid),
    )


_NAMES = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "swedish": rf"\b(?:{_PERSON}|samordnings\w*)",
        "norwegian": rf"\b(?:{_PERSON}|f[øö]dsels\w*)",
        "estonian": rf"\b(?:{_PERSON}|isikukood\w*|(?:личн|персональн)\w+ код)",
        "inn": r"\b(?:inn|инн|tax|налог\w*)\b",
        "snils": r"\b(?:snils|снилс|страхов\w+ (?:номер|свидетельств))",
        "nhs": r"\bnhs\b|\bnational health|\bhealth (?:service )?(?:no|number|id)\b",
        "sin": r"\bsin\b|\bsocial insurance|\bassurance sociale",
        "ssn": r"\bssn\b|\bsocial(?: security)?(?: n\w*)?\b",
    }.items()
}


def _is_snils(number: str) -> bool:
    """The insurance number of Russia: nine digits, weighted from nine down, and the remainder of the sum by 101."""
    digits = [int(char) for char in number if char.isdigit()]
    if len(digits) != 11:
        return False
    total = sum(weight * digit for weight, digit in zip(range(9, 0, -1), digits[:9], strict=True))
    return total % 101 % 100 == digits[9] * 10 + digits[10]


def _is_patient(number: str) -> bool:
    """The number of a patient in Britain, of those that are given out."""
    from stdnum.gb import nhs

    return len(number) == 10 and number[0] in "4679" and bool(nhs.is_valid(number))


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
