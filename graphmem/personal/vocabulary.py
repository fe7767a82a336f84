"""Vocabulary: the words of the special categories, one file a language, as patterns that are found by a word's beginning.

Invariant: what a file says is all there is to a language: the lists, who is spoken of, and what makes it talk in general.

An entry is words with blanks between them. `*` stands for letters (at the beginning of an entry: two or more), `..` for up
to four words, `(a|b)` for either, `(...)*` for any
number of them, `?` for what may be missing, `<name>` for a list of the same file. Apostrophes are left out
and ё is written е, as they are in a text before it is read. Entries are parted by commas and lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "sv", "fi", "ru", "et")
_LIST = re.compile(r"<(\w+)>")
# A letter that may be missing among the first, which a text is looked up by.
_MISSING = re.compile(r"(\w{0,2})(\w)\?")
_LETTERS = re.compile(r"\w+")
# What an entry is made of, and the pattern of each part that is not itself.
_PART = re.compile(r"\.\.|\)\*|[ *]|\((?!\?)")
_PARTS = {")*": "){0,6}", "..": r"(?:[\s,/-]{1,2}\w+){0,4}?[\s,/-]{1,2}", " ": r"[\s,/-]{1,2}", "*": r"\w*", "(": "(?:"}
_PARTED = re.compile(r",(?![^{\n]*\})|\n")
_KEY = 3
# What follows many leads is compiled once for all of them when it is longer than this.
_LONG = 200
_PLAIN = re.compile(r"\w+(?: \w+)*")

# Category, grade and language of words; and the words with them, parted behind their lead.
_Kind = tuple[str, str, str]
_Written = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Person:
    """How a language speaks of somebody, and of things in general.

    Attributes:
        own: words for the speaker, the user and people near them.
        opening: how a sentence begins whose speaker is left out.
        frame: what stands right before a word that is the speaker's own.
        asking: how a sentence begins that asks after the world.
        before: what makes it talk in general when it stands before the word.
        after: what makes it talk in general when it stands behind it.
        others: whose state it is when it is neither the speaker's nor that of people near them: a client, a hero.
    """

    own: re.Pattern[str]
    opening: re.Pattern[str]
    frame: re.Pattern[str]
    asking: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    others: re.Pattern[str]


@dataclass(frozen=True)
class Entry:
    """Words of one category, grade and language.

    Attributes:
        category: the special category.
        grade: `sure` (counts always), `words` (unless it is talk in general) or `weak` (only where somebody is told of).
        language: the language's code.
        lead: what has to stand before the pattern, or nothing.
        pattern: the words as a pattern.
    """

    category: str
    grade: str
    language: str
    lead: str
    pattern: re.Pattern[str]

    def end(self, text: str, place: int) -> int | None:
        """Where the words end that begin at a place of a text, or None."""
        if self.lead and not text.startswith(self.lead, place):
            return None
        match = self.pattern.match(text, place + len(self.lead))
        return None if match is None else match.end()


def _key(entry: str) -> str:
    """The letters by which an entry is found: the first three, or a first word that is shorter."""
    letters = _LETTERS.match(entry)
    if letters is None or (len(letters[0]) < _KEY and entry[letters.end() : letters.end() + 1] not in ("", " ", ".")):
        raise ValueError(
            f"The entry {entry!r} does not begin with three letters or a whole word; write it out in the word list."
        )
    return letters[0][:_KEY]


def _parts(lists: str) -> list[str]:
    return [
        entry for entry in (one.strip() for one in re.split(r",(?![^{\n]*\})|\n", lists)) if entry and not entry.startswith("#")
    ]


def _written(entry: str) -> str:
    """An entry as a regular expression."""
    return _PART.sub(lambda part: _PARTS[part[0]], entry)


def _filled(entry: str, lists: dict[str, str]) -> str:
    """An entry with the lists that it names."""
    return _LIST.sub(lambda name: f"({'|'.join(_filled(one, lists) for one in _parts(lists[name[1]]))})", entry)


def _leads(entry: str) -> Iterator[tuple[str, str]]:
    """The entry, once for each of the words that it can begin with, parted behind them where they are plain words."""
    lead, missing = _lead(entry), _MISSING.match(entry)
    if missing is not None:
        yield from _leads(missing[1] + missing[2] + entry[missing.end() :])
        yield from _leads(missing[1] + entry[missing.end() :])
    elif lead is None:
        yield "", entry
    else:
        rest = entry[len(lead) + 2 :]
        choices = [*_split(lead), ""] if rest.startswith("?") else _split(lead)
        rest = rest.removeprefix("?")
        for one in choices:
            if len(rest) > _LONG and _PLAIN.fullmatch(one):
                yield one, rest
            else:
                yield from _leads(one + rest)


def _lead(entry: str) -> str | None:
    """What stands in the bracket that an entry begins with."""
    if not entry.startswith("("):
        return None
    depth = 0
    for place, char in enumerate(entry):
        depth += (char == "(") - (char == ")")
        if not depth:
            return entry[1:place]
    raise ValueError(f"The entry {entry!r} has a bracket that is not closed; close it in the word list.")


def _split(choices: str) -> Iterator[str]:
    """The choices of a bracket, without those of the brackets inside."""
    depth = start = 0
    for place, char in enumerate(choices):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            yield choices[start:place]
            start = place + 1
    yield choices[start:]


@cache
def _tables() -> tuple[
    dict[str, list[tuple[str, str, str, str, str]]], dict[tuple[str, str, str], list[str]], dict[str, Person]
]:
    """Entries by the letters they begin with, entries that are ends of words, and the people of each language."""
    keyed: dict[str, list[_Written]] = {}
    ends: dict[_Kind, list[str]] = {}
    people: dict[str, Person] = {}
    for language in LANGUAGES:
        data = tomllib.loads(files(__package__).joinpath(f"special_{language}.toml").read_text(encoding="utf-8"))
        lists, who = data.pop("lists", {}), data.pop("person")
        people[language] = _person(
            {name: [_written(_filled(one, lists)) for one in _parts(text)] for name, text in who.items()}
        )
        for category, grades in data.items():
            for grade, text in grades.items():
                kind = (category, grade, language)
                for entry in _parts(text):
                    for lead, one in _leads(_filled(entry, lists)):
                        if one.startswith("*"):
                            ends.setdefault(kind, []).append(_written(one[1:]))
                        else:
                            keyed.setdefault(_key(lead or one), []).append((*kind, lead, one))
    return keyed, ends, people


def _person(lists: dict[str, list[str]]) -> Person:
    def whole(name: str, around: str = r"(?<!\w)(?:{})(?!\w)") -> re.Pattern[str]:
        # Nothing is found by a list that a language does not have.
        return re.compile(around.format("|".join(lists.get(name, ())) or r"(?!)"))

    return Person(
        own=whole("own"),
        opening=whole("opening", r"\W*(?:{})(?!\w)"),
        frame=whole("frame", r"(?<!\w)(?:{})(?:\s\w+)?[\s-]\Z"),
        asking=whole("asking", r"\W*(?:{})(?!\w)"),
        before=whole("before"),
        after=whole("after"),
        others=whole("others"),
    )


@cache
def _compiled(entry: str) -> re.Pattern[str]:
    return re.compile(f"(?:{_written(entry)})(?!\\w)")


@cache
def entries(beginning: str) -> tuple[tuple[str, ...], tuple[Entry, ...], tuple[Entry, ...]]:
    """The entries for a word's first letters, compiled when a text first needs them: leads, those with one, and the others."""
    short: dict[_Kind, list[str]] = {}
    led = []
    for category, grade, language, lead, words in _tables()[0].get(beginning, ()):
        if lead:
            led.append(Entry(category, grade, language, lead, _compiled(words)))
        else:
            short.setdefault((category, grade, language), []).append(_written(words))
    plain = (Entry(*kind, "", re.compile(f"(?:{'|'.join(words)})(?!\\w)")) for kind, words in short.items())
    return tuple({entry.lead for entry in led}), tuple(led), tuple(plain)


@cache
def endings() -> tuple[re.Pattern[str], tuple[Entry, ...]]:
    """The ends of words that tell: all at once for a first look, and each kind."""
    kinds = _tables()[1]
    every = "|".join(one for words in kinds.values() for one in words)
    told = (Entry(*kind, "", re.compile(f"(?:{'|'.join(words)})(?!\\w)")) for kind, words in kinds.items())
    return re.compile(f"(?<=\\w\\w)(?:{every})(?!\\w)"), tuple(told)


def person(language: str) -> Person:
    """How a language speaks of people."""
    return _tables()[2][language]


def people() -> tuple[Person, ...]:
    """How each language speaks of people."""
    return tuple(_tables()[2].values())
