"""The relation rules in the order they are tried, and which clauses a rule may read.

Invariant: closed relations come before open ones; once a clause has made a closed claim, rules for plain doings are not
asked about it, so one clause is not stored twice in two wordings.
"""

from __future__ import annotations

from functools import cache

from graphmem.extractors import (
    abilities,
    attributes,
    belongings,
    bodies,
    callings,
    careers,
    departures,
    diets,
    endings,
    events,
    families,
    habits,
    homes,
    jobs,
    kinships,
    languages,
    leisure,
    looks,
    passing,
    people,
    plans,
    residences,
    routines,
    studies,
    tastes,
    things,
    tools,
)
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import RULES, Rule
from graphmem.extractors.lexicon import words

THEMES = (
    people, families, kinships, homes, residences, jobs, careers, departures, callings, studies, things, attributes,
    belongings, tools, tastes, leisure, diets, bodies, languages, abilities, looks, passing, plans, habits,
    routines, endings, events,
)  # fmt: skip
OPEN = frozenset(theme.__name__ for theme in (plans, habits, routines, endings, events))
# Rules whose claim is about another matter than the clause's own ("my daughter Ida plays chess", "I'm 29 and rent a flat").
_PASSING = frozenset(
    {
        "relative-by-name",
        "partner-beside",
        "partner-by-name",
        "relative-in-passing",
        "relative-named",
        "wedding",
        "marital-status",
        "trait",
        "age",
        "pet-in-passing",
        "vehicle-in-passing",
        "kin-in-passing",
    }
)


@cache
def ordered() -> tuple[Rule, ...]:
    """All relation rules: closed relations by theme, then what is only a doing."""
    place = {theme.__name__: number for number, theme in enumerate(THEMES)}
    return tuple(sorted(RULES, key=lambda rule: place[rule.theme]))


def asked(rule: Rule, clause: Clause, *, closed: bool, ruled: bool) -> bool:
    """Whether a rule reads this clause; `ruled` means that a standing rule was found in its words."""
    if rule.theme in OPEN and (ruled or closed):
        return False
    if clause.subject.kind == "implied":
        return rule.fragments and _states(clause)
    return True


def closes(rule: Rule, clause: Clause) -> bool:
    """Whether a claim of this rule keeps the open rules away."""
    return (
        rule.theme not in OPEN
        and rule.name not in _PASSING
        and not (rule.name in ("tool", "tool-for") and clause.lemma == "learn")
    )


def _states(clause: Clause) -> bool:
    """A clause without a subject states something of the speaker: "moved to Faro", "love rain", not "write a poem"."""
    got = clause.words[clause.verb].low == "got"  # which the tagger may take for a present
    if clause.tag in ("VBD", "VBG", "VBN") or got or clause.aux or clause.used_to:
        return True
    if clause.lemma == "call" and clause.rest[:1] and clause.rest[0].low == "me":
        return True
    early = clause.verb <= clause.start + 2
    return clause.lemma in words("statement_verbs") and early and clause.tag in ("VB", "VBP", "VBZ", "NN")
