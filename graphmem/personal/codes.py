"""Codes in talk: digits that open a door, silence an alarm, unlock a phone or come by text message, in chat spelling.

Idea: a row of digits is looked at, not a phrase.  It is a code if a word for one stands right before it; if a word for one
stands near it and with it what it opens or by what it came; if what is opened and what is done stand near it; or if it is
said to be one behind it.  The words are data (`cues.toml`).

Invariant: years, times, amounts, counts and what is called another kind of code (of errors, places, goods, programs) are
none; each number looks at a bounded stretch around it, so the time grows with the length of the text only.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from graphmem.personal.found import Found

_TOKEN = re.compile(r"(?<!\w)[^\W\d_]+(?:[-:'’][^\W\d_]+)*\d?(?!\w)|[=№%€$£₽#]")
_BREAK = re.compile(r"[.!?…](?=\s|\Z)|\n|;\s")
_NUMBER = re.compile(r"(?<![\w.,:/+@#$€£-])\d+(?:[ -]\d+)*(?![\w@%€$£/]|[.,:]\d|-\w)")
_MIXED = re.compile(
    r"(?<![\w.,:/+@#$€£-])(?=[^\W_]{0,10}\d)(?=[^\W_]{0,10}[^\W\d_])[^\W_]{4,12}(?:-[^\W_]{2,8}){0,3}(?![\w@%/]|[.,:]\d)"
)
_ORDINAL = re.compile(
    r"\d+(?:st|nd|rd|th|am|pm|gb|mb|kb|tb|kg|km|cm|mm|ml|min|hrs?|px|kr|bit|kw|mah|mhz|ghz|s|h"
    r"|m|x|k|g|w|v|e|e?n|p|fps|:?an|:?na)\Z"
    r"|(?:iphone|ipad|ios|android|windows|win|office|ps|xbox|galaxy|wpa|sha|md|utf|python|java"
    r"|html|css|mp|ipv|usb|sn|vin|gpt)-?\d\w*\Z",
    re.I,
)
_SAID = frozenset(["is", "was", "as", "är", "on", "oli", "это", "som", "в"])
_ASKED = frozenset([
    "asked", "asks", "bad", "frågade", "pyysi", "kysyi", "pyysivät", "попросил", "попросила", "попросили", "просил",
    "спросил", "спросила", "спросили",
])  # fmt: skip
_BY = frozenset(["på", "by", "via", "in", "from", "med", "с", "в", "по"])
_MESSAGES = ("sms", "text", "смс", "tekst", "whatsapp", "mail", "mejl")
_JOINS = frozenset(["and", "och", "ja", "и", "has", "had"])
_FOR = frozenset(
    ["for", "of", "to", "on", "at", "från", "för", "till", "på", "hos", "av", "от", "для", "на", "к", "у", "в", "из"]
)
_SIDE = (
    r"(?:(?:on|at) the back|on the reverse|på baksidan|baksida|(?:kortin )?(?:takana|takapuolella|kääntöpuolella)"
    r"|на обороте|с обратной стороны|на задней стороне|сзади)"
)
_CARD = (
    r"(?:cards?|(?:tre|три|kolme|three|3) (?:siffror\w*|цифры|numeroa|digits)|kort\w*|visa\w*|mastercard\w*|карт\w*|cv[vcn]2?)"
)
_BACK = re.compile(
    rf"\b{_CARD}\b[^.\n\d]{{0,40}}{_SIDE}[^.\n\d]{{0,20}}(?P<behind>\d{{3}})(?![\w%]|[.,:/]\d)|back"
    rf" of (?:the|my) card[^.\n\d]{{0,20}}(?P<says>\d{{3,4}})(?![\w%]|[.,:/]\d)"
    rf"|(?<![\w.,:/-])(?P<first>\d{{3}})\s(?:is\s|står\s|on\s|lukee\s)?{_SIDE}",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"(?<![\w-])G-\d{6}(?![\w-])")
_TURNS = re.compile(
    r"(?:\b(?:left|right|clockwise|vänster|höger|vasen|vasem\w+|oikea\w*|влево|вправо|налево|направо)\b\W{0,3}(?:to"
    r" |till |до )?\d{1,2}\b[\s,;→>-]{0,4}(?:then |sen |sitten |потом )?){3,}",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_CODE_WORDS = ("code", "kod", "koodi", "код")
_COMBINED = ("combin", "kombin", "yhdistelm", "комбинац")
_BEFORE, _BEHIND = 70, 45  # so far a word is looked for on either side of a number
_ADJACENT = 3  # so many linking words may stand between a code's name and the code


class _Word(NamedTuple):
    start: int
    end: int
    word: str
    kinds: frozenset[str]


@cache
def _lists() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The kinds of each word, and of each beginning of words."""
    whole: dict[str, set[str]] = {}
    starts: dict[str, set[str]] = {}
    lists = tomllib.loads(files(__package__).joinpath("cues.toml").read_text(encoding="utf-8"))
    for kind, words in lists.items():
        for word in str(words).split():
            (starts if word.endswith("*") else whole).setdefault(word.rstrip("*"), set()).add(kind)
    return whole, starts


@cache
def _longest() -> int:
    return max(len(word) for word in _lists()[1])


def _kinds(word: str) -> frozenset[str]:
    """What a word may tell; that of its longest beginning that is known counts."""
    whole, starts = _lists()
    kinds = set(whole.get(word, ()))
    for size in range(min(len(word), _longest()), 2, -1):
        if word[:size] in starts:
            kinds |= starts[word[:size]]
            break
    if not kinds and "-" in word:  # "netflix-koodi"
        return _kinds(word.rsplit("-", 1)[1])
    return frozenset(kinds)


def is_other(word: str) -> bool:
    """Whether a word in lower case tells that a code beside it is one of goods, places, programs or the like."""
    return "other" in _kinds(word)


def codes(text: str) -> Iterator[Found]:
    """The codes in a text."""
    yield from _others(text)
    numbers = [*_NUMBER.finditer(text), *_MIXED.finditer(text)]
    if not numbers:
        return
    memory: dict[str, frozenset[str]] = {}
    words: list[_Word] = []
    for match in _TOKEN.finditer(text):
        word = match[0].lower()
        kinds = memory.get(word)
        if kinds is None:
            kinds = memory[word] = _kinds(word)
        words.append(_Word(*match.span(), word, kinds))
    if not any(word.kinds & {"code", "compound", "place", "lock", "secret"} for word in words):
        return
    starts = [word.start for word in words]
    breaks = [match.start() for match in _BREAK.finditer(text)]
    last: int | None = None
    for number in sorted(numbers, key=lambda match: match.start()):
        at = bisect_left(breaks, number.start())
        left = max(breaks[at - 1] + 1 if at else 0, number.start() - _BEFORE)
        right = min(breaks[at] if at < len(breaks) else len(text), number.end() + _BEHIND)
        place = bisect_left(starts, number.start())
        before = words[bisect_left(starts, left) : place]
        behind = words[bisect_left(starts, number.end()) : bisect_left(starts, right)]
        near = last is not None and last >= left
        if _is_code(number[0], text, number.start(), before=before, behind=behind, near=near):
            last = number.end()
            yield Found("code", *number.span())


def _is_code(said: str, text: str, start: int, *, before: list[_Word], behind: list[_Word], near: bool) -> bool:
    """Whether the words on both sides make a number or a mixed token a code."""
    digits = sum(char.isdigit() for char in said)
    mixed = not said.replace("-", "").replace(" ", "").isdigit()
    grouped, year = "-" in said, _YEAR.match(said) is not None
    if mixed and (_ORDINAL.match(said) or digits < 2 or len(said) < 4):
        return False
    if not mixed and not (4 <= digits <= 10 or (grouped and 3 <= digits <= 10)):
        return False
    at = next((i for i in range(len(before) - 1, -1, -1) if before[i].kinds & {"code", "compound"}), None)
    if _is_counted(text, start, before=before, behind=behind) or _is_other(before, behind, at=at):
        return False
    placed = any("place" in word.kinds for word in (*before, *behind[:4]))
    if at is not None:
        cue, between = before[at], before[at + 1 :]
        compound = "compound" in cue.kinds
        told = compound or placed
        if len(between) <= _ADJACENT and all("link" in word.kinds for word in between):
            # A code that is a year, or that has letters, needs more than the bare word in English, where programs are code.
            if mixed:
                return compound or (told and cue.word.startswith(_CODE_WORDS))
            if cue.word.startswith(_COMBINED) and " " in said and not told:  # of grams, of numbers
                return any("lock" in word.kinds for word in (*before, *behind))
            return told or not (year and cue.word == "code")
        if told and not year and (not mixed or len(between) <= 4) and len(between) <= 8:
            return not grouped or digits != 8  # a date
    if mixed:
        return False
    if text[start + len(said) : start + len(said) + 2].strip() in ("#", "*", "#,", "*,") and (placed or at is not None):
        return True  # the last key of a keypad
    return _beside(before, year=year) or _behind(
        before, behind, placed=placed, near=near, done=not year and digits <= 8 and not (grouped and digits == 8)
    )


def _is_counted(text: str, start: int, *, before: list[_Word], behind: list[_Word]) -> bool:
    """Whether something is counted, reckoned, numbered or dated by a number."""
    if text[max(0, start - 2) : start].strip()[-1:] in tuple("*+/<>%^&|"):  # a sum of a program
        return True
    if behind and "counted" in behind[0].kinds:
        return True
    typed = len(before) > 1 and before[-1].word == "in" and "act" in before[-2].kinds  # "punch in", "knappa in"
    return bool(before) and "counting" in before[-1].kinds and not before[-1].kinds & {"link", "code"} and not typed


def _is_other(before: list[_Word], behind: list[_Word], *, at: int | None) -> bool:
    """Whether the words beside it, or beside the word for a code, tell of another kind of code."""
    beside = before[-4:] if at is None else before[max(0, at - 2) :]
    return any("other" in word.kinds for word in (*beside, *behind[:1]))


def _behind(before: list[_Word], behind: list[_Word], *, placed: bool, near: bool, done: bool) -> bool:
    """Whether it is called a code behind it, follows one that it takes the place of, or something is opened with it."""
    for i, word in enumerate(behind[:8]):
        if "code" in word.kinds or "compound" in word.kinds:
            asked = done and any(word.word in _ASKED for word in behind[:i])
            return asked or (behind[0].word in _SAID and (placed or "compound" in word.kinds or i <= 3))
    if near and any("further" in word.kinds for word in before[-2:]):
        return True
    if done and len(behind) > 1 and behind[0].word in _BY and behind[1].word.startswith(_MESSAGES):
        return True
    clause = before[-4:]
    while any(word.word in _JOINS for word in clause):
        clause = clause[1:]
    acted = any("act" in word.kinds for word in (*clause, *behind[:2]))
    located = any("place" in word.kinds or "compound" in word.kinds for word in (*before[-8:], *behind[:3]))
    return acted and located and done


def _beside(before: list[_Word], *, year: bool) -> bool:
    """Whether a lock or the name of a password stands right before a number, or but for what it is for."""
    at = next((i for i in range(len(before) - 1, -1, -1) if before[i].kinds & {"lock", "secret"}), None)
    if at is None:
        return False
    between = before[at + 1 :]
    if all("link" in word.kinds for word in between):
        return len(between) <= _ADJACENT and not (year and not between)
    return "secret" in before[at].kinds and not year and len(between) <= 4 and between[0].word in _FOR


def _others(text: str) -> Iterator[Found]:
    """The three digits on the back of a card, and the turns of a lock with a dial."""
    for match in _BACK.finditer(text):
        yield Found("cvv", *match.span(match.lastgroup or "value"))
    for match in _LETTERED.finditer(text):
        yield Found("code", *match.span())
    for match in _TURNS.finditer(text):
        yield Found("code", *match.span())
