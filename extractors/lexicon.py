"""The English word lists as data: `lexicon.toml` read once, one frozen set per group.

Invariant: rules name groups, never single words that could stand in a list; adding vocabulary needs no code.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def _groups() -> dict[str, frozenset[str]]:
    raw = tomllib.loads(files(__package__ or __name__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    return {name: frozenset(entry.replace("_", " ") for entry in value.split()) for name, value in raw.items()}


def words(group: str) -> frozenset[str]:
    """The words of a group, in lower case; an entry of several words has blanks."""
    return _groups()[group]


@cache
def pattern(*groups: str) -> re.Pattern[str]:
    """A pattern that finds any entry of the groups as whole words, without regard to case."""
    entries = sorted({entry for group in groups for entry in words(group)}, key=len, reverse=True)
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, entries)) + r")(?![\w-])", re.IGNORECASE)


_JOB_ENDINGS = re.compile(
    r"(?:ologist|ographer|keeper|maker|smith|wright|trician|ician|istrator|worker|dresser|driver|teacher|manager|engineer|"
    r"designer|developer|officer|consultant|accountant|assistant|technician|inspector|instructor|surgeon|analyst|"
    r"librarian|therapist|eologist|eer|ologist|iatrist|monger|grapher|tender|butcher|mason|sweep|herd|clerk|jockey|foreman|hand|pilot|cook|guard|broker|banker|trainer|coach|"
    r"er|or|ist|ant|ian|man|woman|ess)$"
)


def is_job(noun: str) -> bool:
    """Whether a head noun names an occupation: listed, or formed like one and not listed as something else."""
    low = noun.lower()
    if low in words("jobs"):
        return True
    return len(low) > 4 and low not in words("not_jobs") and bool(_JOB_ENDINGS.search(low))


_CONDITION_ENDINGS = re.compile(
    r"(?:itis|osis|emia|aemia|algia|plegia|pathy|phobia|lepsy|syndrome|disorder|disease|deficiency)$"
)


def is_condition(noun: str) -> bool:
    """Whether a noun names an illness or a bodily condition."""
    low = noun.lower()
    return low in words("conditions") or bool(len(low) > 5 and _CONDITION_ENDINGS.search(low))


def at_screen(noun: str) -> bool:
    """Whether a noun, in singular or plural, names something at a screen or in the talk itself."""
    low = noun.lower()
    known = words("screen_nouns")
    return low in known or low.removesuffix("s") in known or low.removesuffix("es") in known
