"""The owner's own name in a question: "Where does Jonas live?" asks about the user where the user is Jonas.

Invariant: a name stands for the owner only if the owner's current `name` statement gives it, whole or as its first word,
and nobody else who is known here bears it; a longer name, or "my nephew Jonas", is somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from graphmem.canonical import TITLES
from graphmem.recall.answer import Moment
from graphmem.recall.corpus import Corpus

# Names that a question may begin with as plain words, and names of months.
_VERBS = frozenset({"art", "bill", "can", "chance", "drew", "grant", "mark", "pat", "rob", "sue", "will"})
_MONTHS = frozenset({"april", "august", "june", "may"})
_OTHERS = re.compile(r"\b(?:my|your|his|her|our|their|an?|the|another|which)\s+(?:[a-z]+\s+){1,3}$")
# What asks about the name itself keeps it.
_NAMING = re.compile(r"\b(?:named?|called|calls? (?:me|him|her|them)|i am|i'm)\s+$", re.IGNORECASE)
_OF_NAME = re.compile(
    r"\b(?:my|our|the user's|user's) (?:\w+ )?(?:nick|sur)?name\b|\bwho is\s+[\w-]+(?:\s+[\w-]+)?\s*\?*$", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def owner_meant(query: str, corpus: Corpus, moment: Moment) -> str:
    """The question with the owner's name put as "the user"."""
    if not corpus.owner_names or _OF_NAME.search(query):
        return query
    moment.load(record.id for record in corpus.owner_names)
    found = [view for record in corpus.owner_names if (view := moment.views.get(record.id)) is not None and view.object.strip()]
    told = [view.object for view in found]
    for name in sorted({form for view in found if view.status == "current" for form in _forms(view.object)}, key=len)[::-1]:
        if name in query and not _shared(name, corpus, told):
            query = _put(query, name)
    return query


def _forms(whole: str) -> tuple[str, ...]:
    first = whole.split()[0]
    if not first[:1].isupper():
        return ()
    plain = first.lower().rstrip(".")
    lone = len(plain) > 1 and plain not in TITLES | _MONTHS and first[-1:] != "."
    return (whole, first) if lone else (whole,) if whole != first else ()


def _shared(name: str, corpus: Corpus, own: Collection[str]) -> bool:
    """Whether somebody else has the name: an entity or a subject that is not the owner, or one of several speakers."""
    parts, mine = set(_WORD.findall(name.lower())), {form for whole in own for form in (whole, whole.split()[0])}
    if any(parts <= set(_WORD.findall(other.lower())) for other in corpus.names.values() if other not in mine):
        return True
    stems = set(corpus.words.stems(name))
    if any(subject and stems <= subject for subject in corpus.subjects):
        return True
    speakers = [other for other in corpus.speakers if parts <= set(_WORD.findall(other.lower()))]
    return bool(speakers) and len(corpus.speakers) > 1


def _put(query: str, name: str) -> str:
    def put(match: re.Match[str]) -> str:
        before = query[: match.start()]
        if _OTHERS.search(before) or _NAMING.search(before) or (not before.strip() and name.lower() in _VERBS):
            return match.group()
        last = before.split()[-1:]
        if last and last[0][:1].isupper() and len(before.split()) > 1 and before[-1:] == " " and last[0].isalpha():
            # "Nick Jonas" in the middle of a question; its first word has a capital anyway.
            return match.group()
        return "the user's" if match["of"] else "the user"

    longer = r"(?!\s+[A-Z]\w)(?!-\w)"
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?!\w)(?P<of>['’]s?(?!\w))?{longer}", put, query)
