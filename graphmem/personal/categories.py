"""Special categories: what the law protects most (health, belief, sex life, politics, union, origin, genes, crime).

Invariant: a word of the list is a guess, and a text without one is not thereby clean; the guess only ever holds back.
What somebody works at or learns is not what somebody has: for such relations the words of health and crime do not count.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

# Of these relations the object is a calling or a place, not a state of the person.
_CALLINGS = frozenset({"has_job", "works_at", "works_on", "studies_at", "study", "skill", "uses_tool", "lives_in", "born_in"})
_OF_A_CALLING = frozenset({"sexuality", "politics", "union"})


@cache
def _words() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    """The words of all categories at once, and of each."""
    lists: dict[str, str] = tomllib.loads(files(__package__).joinpath("categories.toml").read_text(encoding="utf-8"))
    each = {name: f"(?<!\\w)(?:{words})(?!\\w)" for name, words in lists.items()}
    how = re.IGNORECASE | re.VERBOSE
    return re.compile("|".join(each.values()), how), {name: re.compile(words, how) for name, words in each.items()}


def special_category(text: str, predicate: str = "") -> str | None:
    """The special category that a text seems to tell of, or None.

    Args:
        text: a statement as it is shown.
        predicate: its relation.
    """
    every, each = _words()
    if every.search(text) is None:
        return None
    for name, pattern in each.items():
        if (predicate not in _CALLINGS or name in _OF_A_CALLING) and pattern.search(text):
            return name
    return None
