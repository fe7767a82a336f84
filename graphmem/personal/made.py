"""Made-up words: what people build for passwords, and no language, brand or program has.

Invariant: units, versions, file names, names of variables and known terms with digits in them are none.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from itertools import pairwise

from graphmem.personal.found import is_blank
from graphmem.personal.values import is_code

TRIM = "\"'`“”‘’«»„.,;:!?()[]{}<>"  # the marks around a word that are none of it
_UNIT = re.compile(
    r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|am|pm|[gmkt]b|kg|km|cm|mm|ml|min|hrs?|px|kr|bits?|kw|mah|[mg]hz"
    r"|ghz|s|h|m|x|k|g|w|v|e|p|fps|:?an|:?na"
    r"|-?(?:digit|char|bit|byte|year|day|hour|minute|step|factor|letter|word|way|a)\w*)\Z"
    r"|v?\d+(?:\.\d+)+\w*\Z|\d+-\w{0,3}\Z|(?:iphone|ipad|ios|android|windows|win|office|xbox|galaxy"
    r"|wpa|sha|python|java|html|gpt|version|ver"
    r"|step|section|chapter|page|table|figure|user|server|test|example|part|level|day|week|q|v|h)-?\d{1,4}\w?\Z"
    r"|\d+(?:eur|euro|usd|sek|nok|gbp|rub|руб|р|€|\$|kpl|st|шт)\w*\Z",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\.(?:py|js|ts|txt|md|pdf|docx?|xlsx?|html?|json|ya?ml|toml|ini|conf|cfg|env|sh|php|java|go"
    r"|rs|c|com|org|net|io|se|fi|ru|dev)\Z",
    re.I,
)
SNAKE = re.compile(
    r"_*[a-z]+\d?(?:[._]+[a-z]+)+\Z|[A-Z]+\d?(?:[._][A-Z]+)+\Z|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.[a-z]+_[a-z_]+\Z"
)
_MARK = re.compile(r"[^\W_][!#$%&+=^*~?_@|§][^\W_]")


@cache
def words_of(name: str) -> frozenset[str]:
    """One of the lists of words."""
    file = "cues.toml" if name == "known" else "values.toml"
    return frozenset(str(tomllib.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))[name]).split())


def is_made(word: str) -> bool:
    """Whether somebody made it up: letters with digits or marks in them, or a mixture of cases that no name has."""
    if word.isalpha() and (word.islower() or word[1:].islower()):
        return False
    low = word.casefold()
    if (
        not 5 <= len(word) <= 60
        or not words_of("known").isdisjoint((low, *low.split("-")))
        or is_blank(word)
        or is_code(word)
        or _UNIT.match(word)
        or SNAKE.match(word)
    ):
        return False
    if (
        "://" in word
        or "(" in word
        or "=" in word[:-1]
        or ("@" in word and "." in word)
        or word[0] in "/~\\$-#@"
        or _FILE.search(word)
    ):
        return False
    letters = sum(char.isalpha() for char in word)
    if not letters:
        return False
    if any(char.isdigit() for char in word) or _MARK.search(word):
        return True
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(word))
    return (
        len(word) >= 7
        and changes >= 3
        and any(not set(run) & set("aeiouy") for run in re.findall(r"[a-z]+", word))
        and word.isalpha()
    )
