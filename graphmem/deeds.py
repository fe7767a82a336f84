"""Deeds and their denials: which deed gives the lie to "I've never done X".

A deed is told as an episode, or by its count or its result ("5 puzzles solved", "a score of 80 % on puzzles").  Invariant: a
denial is met only by a deed that cannot have been done without doing what it denies (whoever has solved a puzzle has tried
one, not the other way round), of a thing that it names in full, and done before it was said.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache

from graphmem.canonical import object_key
from graphmem.records import StatementRecord, summarises

# Words of a deed that say nothing of what it was.
_ANY = frozenset(
    [
        *("any", "ever", "all", "never", "before", "such", "either", "other", "ve", "i", "i've", "we", "just", "already"),
        *("my", "our"),
    ]
)
# Words after which a denial says what the things are about.
LINKS = frozenset(
    ["of", "on", "in", "at", "to", "for", "with", "about", "by", "through", "via", "from", "related", "like", "during", "using"]
)
# Words of a task that say nothing of what is to be done.
LIGHT = frozenset(
    [
        *(
            "to",
            "it",
            "them",
            "be",
            "have",
            "get",
            "do",
            "need",
            "must",
            "should",
            "by",
            "on",
            "at",
            "for",
            "the",
            "of",
            "with",
        ),
        *("and", "1"),
    ]
)
# Forms that do not begin as their verb does.
_FORMS = {
    "took": "take", "taken": "take", "taking": "take", "wrote": "write", "written": "write", "went": "go", "gone": "go",
    "met": "meet", "made": "make", "built": "build", "bought": "buy", "sold": "sell", "taught": "teach", "won": "win",
    "did": "do", "done": "do", "ran": "run", "spoke": "speak", "spoken": "speak", "saw": "see", "seen": "see", "flew": "fly",
    "flown": "fly", "gave": "give", "given": "give", "joined": "join", "tried": "try", "drove": "drive", "driven": "drive",
    "sent": "send", "used": "use", "using": "use", "going": "go", "doing": "do", "left": "leave",
    "lost": "lose", "broke": "break", "broken": "break", "studied": "study",
}  # fmt: skip
# For the verb of a denial, the deeds that are cases of it: whoever did one of these did that.
_WORK = ("complete", "finish", "solve", "practise", "practice", "do")
_CASES = {
    "attempt": (*_WORK, "attempt", "try", "tackle"),
    "try": (*_WORK, "attempt", "try", "tackle"),
    "practise": (*_WORK, "practise"),
    "practice": (*_WORK, "practise"),
    "do": _WORK,
    "solve": ("solve", "complete", "finish"),
    "complete": ("complete", "finish", "solve"),
    "finish": ("complete", "finish", "solve"),
    "work": ("work", "collaborate", "cooperate"),
    "collaborate": ("work", "collaborate", "cooperate"),
    "visit": ("visit", "go", "travel", "fly"),
    "go": ("visit", "go", "travel", "fly"),
    "travel": ("visit", "go", "travel", "fly"),
    "submit": ("submit", "send"),
    "send": ("submit", "send"),
}
# A course is attended in many words.
_COURSES = ("course", "class", "workshop", "training", "webinar", "seminar", "lesson", "programme", "bootcamp", "masterclass")
_LEARN = ("attend", "take", "enrol", "enroll", "join", "complete", "finish", "sign", "do")
# Where an exercise has a result, it was done: what is counted or marked, and in how far that is a case of the verb.
_RESULTS = frozenset({"accuracy", "score", "scored", "averaged", "reached", "grade", "mark"})
_EXERCISED = frozenset({"attempt", "try", "practise", "practice", "do", "complete", "work"})


def undone(record: StatementRecord) -> bool:
    """Whether it says that something never happened."""
    return record.details.get("type") == "never"


def happened(record: StatementRecord) -> bool:
    """Whether it tells of a deed that may be the one that something else denies."""
    if record.modality != "asserted" or record.polarity != "positive" or undone(record):
        return False
    if record.kind == "episode":
        return not summarises(record.details)
    return "about" in record.details and _done_so_often(record)


def doing(record: StatementRecord) -> set[str]:
    """The beginnings of the words of a deed or of its denial, without those that any of them has."""
    spoken = record.object if undone(record) else record.text
    told = object_key(str(record.details.get("about", spoken)))
    return {stem(word) for word in told.split() if word not in LIGHT | _ANY | LINKS}


def parts(told: str) -> tuple[str, list[set[str]], set[str]]:
    """A denial taken apart: its verb, the stems of each of the things that were never done, and of what they are about."""
    verb, *rest = object_key(told).split() or [""]
    things: list[set[str]] = [set()]
    about: set[str] = set()
    inside = False
    for word in rest:
        if word == "or":
            things.append(set())
            inside = False
        elif word in LINKS:
            inside = True
        elif word not in LIGHT and word not in _ANY:
            (about if inside else things[-1]).add(stem(word))
    # With whom may be all that is said of a deed ("worked with Ann"): then that is the thing.
    return (verb, things, about) if any(things) else (verb, [about], set())


def cases(verb: str, thing: set[str]) -> frozenset[str]:
    """The stems of the verbs of which each is a case of a verb, where it is done to a thing."""
    named = next((names for name, names in _CASES.items() if stem(name) == stem(verb)), (verb,))
    if any(stem(name) in thing for name in _COURSES) and any(stem(name) == stem(verb) for name in _LEARN):
        named = _LEARN
    return frozenset(stem(name) for name in named)


def denied(left: StatementRecord, right: StatementRecord) -> bool:
    """Whether one says that the other, a deed of the time before it was said, never happened.

    What was done only after the denial is no contradiction.  One of the things that were never done has to be named in full,
    and what they are about in part.
    """
    denial, deed = (left, right) if undone(left) else (right, left)
    if undone(deed) or not happened(deed):
        return False
    before = deed.valid_from is not None and deed.valid_from < denial.asserted_at
    later = (deed.session_started, deed.asserted_at, deed.order) > (denial.session_started, denial.asserted_at, denial.order)
    if later and deed.session != denial.session and not before:
        return False
    verb, things, about = parts(denial.object)
    have = doing(deed)
    fits = any(thing and thing <= have and _is_case(verb, thing, deed, have) for thing in things)
    return fits and (not about or bool(about & have))


def _is_case(verb: str, thing: set[str], deed: StatementRecord, have: set[str]) -> bool:
    """Whether a deed that has to do with a thing is one of those that a verb stands for."""
    if "about" in deed.details and str(deed.details["head"]) in _RESULTS:
        return any(stem(name) == stem(verb) for name in _EXERCISED)
    return bool(cases(verb, thing) & have)


def _done_so_often(record: StatementRecord) -> bool:
    """Whether a figure is a tally of deeds, or the result of one."""
    return bool(record.details.get("grows")) or record.details.get("head") in _RESULTS


def instant(record: StatementRecord, name: str) -> datetime | None:
    """A time among the details of a statement, or None."""
    value = record.details.get(name)
    try:
        found = datetime.fromisoformat(str(value)) if value else None
    except ValueError:  # the details of a proposal are its own
        return None
    return found if found is not None and found.tzinfo is not None else None


@cache
def verb_of(word: str) -> str:
    """A word without the ending of a verb, whole otherwise: "serviced" and "service" are one, "card" and "cards of" are not."""
    word = _FORMS.get(word, word)
    for ending in ("ing", "ied", "ed", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdglmnprt" else word


@cache
def stem(word: str) -> str:
    """The beginning by which the forms of a word are one."""
    word = _FORMS.get(word, word)
    for ending in ("ing", "ed", "es", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            break
    return word[:5]
