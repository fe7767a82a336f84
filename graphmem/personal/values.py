"""The value beside a word such as "password": which characters it is, and whether it is one at all.

Invariant: what is talk about a secret ("is too long", "reset", `os.environ[...]`) is no value; what may be one counts as
one, because a masked remark is a smaller harm than a stored secret.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from importlib.resources import files

from graphmem.personal.found import is_blank

PHRASE = 24  # words of the longest phrase that is taken for a secret (seed phrases have 12 or 24)

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb", "\u201e": "\u201c"}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_JOINED = re.compile(r";(?=\s*(?:[\w ]+=|\Z))")
_CODE = re.compile(
    r"""[\[(]*(?: [<{$%*#][^\s]*[>}*%)\]]?\Z | \$\w+ | [\w.]+\( | [\w.]+\[ | (?:os|process|self|config|settings|env|request)\.
    | [*•x.…_?-]+\Z | f?["']["'] )""",
    re.VERBOSE,
)
_LISTS = tomllib.loads(files(__package__).joinpath("values.toml").read_text(encoding="utf-8"))
_TALK, _CLAUSE, _ENDS = (frozenset(str(_LISTS[name]).split()) for name in ("talk", "clause", "ends"))
_LEARNT = re.compile(r"(?:ed|ing|able|ible|ful|less|ly)\Z")


def talk_words() -> frozenset[str]:
    """The words of talk about a secret, in lower case."""
    return _TALK


def is_strong(value: str) -> bool:
    """Whether it does not look like a word of a language."""
    letters = any(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    marks = sum(not char.isalnum() and char not in "'’-./,:()" for char in value)
    mixed = any(char.isupper() for char in value[1:]) and any(char.islower() for char in value)
    return len(value) >= 4 and (digits >= 4 or (letters and digits > 0) or (letters and marks > 0) or mixed)


def is_random(token: str) -> bool:
    """Whether a long token has the mixture and the entropy of a generated one."""
    if not (any(char.isdigit() for char in token) and any(char.isalpha() for char in token)):
        return False
    counts = Counter(token)
    entropy = -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())
    return entropy >= 2.8


def is_code(value: str) -> bool:
    """Whether a program names a value here, or a form leaves it out."""
    return _CODE.match(value) is not None


def value_at(text: str, start: int, *, talk: bool, phrase: bool) -> tuple[int, int] | None:
    """The value that begins at a place, or None if there is none.

    Args:
        text: the text.
        start: where the words before it end.
        talk: the words before it end in a verb, so that talk is as likely as a value; else they end in a colon or the like.
        phrase: several plain words may be one value.
    """
    while start < len(text) and text[start] in " \t":
        start += 1
    if start >= len(text) or text[start] == "\n":
        return None
    closing = _QUOTES.get(text[start])
    if closing is not None:
        end = text.find(closing, start + 1, start + 200)
        if end > start + 1:
            inner = text[start + 1 : end]
            return None if is_blank(inner) or is_code(inner) or inner.casefold() in _TALK else (start + 1, end)
    end = start
    while end < len(text) and not text[end].isspace():
        end += 1
    token = text[start:end]
    cut = _JOINED.search(token)
    token = (token[: cut.start()] if cut else token).rstrip(".,;:)]}\"'?”’")
    if not token or is_blank(token) or is_code(token):
        return None
    if is_strong(token):
        return start, start + len(token)
    if not _WORD.fullmatch(token.rstrip("!")) or len(token) < 3:
        return (start, start + len(token)) if not talk and len(token) >= 3 and not token.isnumeric() else None
    return _words(text, start, talk=talk, phrase=phrase)


def _words(text: str, start: int, *, talk: bool, phrase: bool) -> tuple[int, int] | None:
    """One plain word, or a phrase of several, up to the end of the clause."""
    words: list[re.Match[str]] = []
    place = start
    while len(words) <= PHRASE:
        match = _WORD.match(text, place)
        if match is None or (words and (match[0].casefold() in _ENDS or text[match.end() : match.end() + 1] in ("=", ":"))):
            break
        words.append(match)
        place = match.end()
        if place >= len(text) or text[place] not in " \t" or place + 1 >= len(text):
            break
        place += 1
    said = [match[0].casefold() for match in words]
    if not said or said[0] in _TALK or len(said) > PHRASE:
        return None
    if len(said) == 1:
        learnt = talk and words[0][0].islower() and _LEARNT.search(said[0]) is not None
        return None if learnt or (talk and len(said[0]) < 4) else (start, words[0].end())
    if not phrase or any(word in _CLAUSE or word in _TALK for word in said):
        return None
    return start, words[-1].end()
