"""Which deed is the doing of a task: "I've booked the hotel" of "book the hotel", "the return is submitted" of "submit it".

Invariant: a deed does a task only if it names what the task is about, does to it what was to be done (in the same word, in one
that means the same, or by finishing it), says nothing of it that the task does not say ("form 11", "to my colleague", "on TV"),
and was not done before the task was told.
"""

from __future__ import annotations

from functools import cache

from graphmem.canonical import object_key
from graphmem.deeds import LIGHT, LINKS, instant, verb_of
from graphmem.records import StatementRecord

# Verbs that mean the same deed, as far as a task is concerned.
_SAME = (
    ("send", "mail", "email", "post", "forward", "submit", "hand", "file", "deliver", "upload", "share"),
    ("buy", "get", "order", "purchase", "grab", "pick", "collect", "fetch", "bring"),
    ("book", "reserve", "arrange", "organise", "organize", "schedule"),
    ("call", "phone", "ring", "speak", "talk"),
    ("tell", "message", "text", "write", "email", "ask", "inform", "ping"),
    ("fix", "repair", "mend", "service"),
    ("return", "give", "bring", "take", "drop"),
    ("pay", "settle", "transfer", "repay"),
    ("write", "draft", "prepare"),
    ("clean", "tidy", "wash", "mop", "scrub"),
    ("see", "visit"),
)
# Whoever did one of these to a thing has done what was to be done with it.
_COMPLETE = ("do", "finish", "complete", "sort", "settle", "handle", "manage", "wrap", "deal", "clear", "tick")
_DELIVER = (*_COMPLETE, *_SAME[0], "publish", "pay", "write", "ship")
_ATTEND = (
    *_COMPLETE,
    *("go", "visit", "attend", "survive", "pass", "fail", "take", "sit", "ace", "nail", "enjoy", "have", "see", "meet", "give"),
    *("throw", "host", "hold", "run", "present", "play", "return", "come", "get", "hand"),
)
# Words of a deed that say only when and how it came to be done.
_PASSING = frozenset(
    [
        *("finally", "already", "just", "now", "today", "yesterday", "tonight", "this", "last", "morning", "afternoon"),
        *("evening", "night", "week", "also", "then", "too", "all", "earlier", "ago", "online", "successfully", "together"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "myself", "ourselves", "i", "i've"),
        *("ve", "we", "we've", "my", "our", "a", "an", "is", "are", "wa", "was", "were", "ha", "has", "been", "up", "off"),
        *("out", "over", "down"),
    ]
)
# Words after which more is said of a thing.
_ENDS = LINKS - {"related", "using", "like"} | {"by", "before", "and", "into", "onto"}
# To have something called off or put off does no task but that of doing so.
_UNDO = frozenset({"cancel", "postpone", "reschedule", "scrap", "delay", "move", "lose", "break", "miss", "skip", "forget"})


def wanted(task: StatementRecord) -> set[str]:
    """What a task is about: the beginnings of its content words, so that "book" and "booked" are one."""
    return {word[:5] for word in object_key(task.object).split() if word not in LIGHT and word != "want"}


def given(deed: StatementRecord) -> set[str]:
    """What a deed is about, in the same form."""
    return {word[:5] for word in object_key(f"{deed.details.get('verb', '')} {deed.object}").split()}


def same_task(deed: StatementRecord, task: StatementRecord) -> bool:
    """Whether a deed is the doing of a task: most of the task's content words stand in the deed, and the rest fits."""
    needed, have = wanted(task), given(deed)
    if not needed or len(needed & have) < max(1, round(0.6 * len(needed))):
        return False
    asked, did = str(task.details.get("verb") or ""), str(deed.details.get("verb") or "")
    if not asked or not did:
        return True
    spelled = asked[:5] in needed
    undone = did in _UNDO or (did == "call" and "off" in have)
    if undone and not (spelled and asked == did):
        return False
    things = needed - {asked[:5]} if spelled else needed
    if things and not things & have:
        return False
    if " and " in task.object and not things <= have:
        return False  # who has bought the milk has not bought the milk and the eggs
    said_so = any(word.startswith(did[:5]) for word in needed)  # "get the boiler serviced", "for Ann to approve it"
    fits = asked == did or said_so or did in _doing(asked, spelled=spelled)
    return fits and not _other_name(deed, task) and not _before(deed, task) and _of_one_thing(deed, task, spelled=spelled)


def _before(deed: StatementRecord, task: StatementRecord) -> bool:
    """Whether a deed is of the time before the task was told."""
    by = instant(deed, "settled_by") or deed.valid_to
    return by is not None and by <= task.asserted_at


def _of_one_thing(deed: StatementRecord, task: StatementRecord, *, spelled: bool) -> bool:
    """Whether the deed says nothing that the task does not, and names what the task's object is."""
    verbs = {verb_of(str(record.details.get("verb") or "")) for record in (deed, task)}
    had, asked = _said(_thing(deed)), _said(f"{_thing(task)} {task.object}")
    if not _owners(_thing(deed)) <= _owners(task.object):
        return False
    if not had - verbs - {"do"} <= asked | verbs:
        return False
    if task.details.get("verb") == "attend":
        return True  # "done with the dentist" is the end of the appointment
    others = task.details.get("verb") in ("wait", "ask")  # "for Ann to sign the form"
    named = [word for word in map(verb_of, _first_words(_thing(task), through_to=others)) if word not in verbs]
    return not named or named[-1] in had


def _thing(record: StatementRecord) -> str:
    """What something is done to, in the words in which it was told."""
    return str(record.details.get("target") or record.object)


def _owners(text: str) -> set[str]:
    """Words that give a thing to somebody else, which the keys of objects leave out."""
    return {"his", "her", "their", "your"} & set(text.casefold().split())


def _said(text: str) -> set[str]:
    """All that is said of a thing: its words, and where something starts apart from where it goes."""
    words = object_key(text).split()
    return {
        f"from {verb_of(word)}" if n and words[n - 1] == "from" else verb_of(word)
        for n, word in enumerate(words)
        if word not in LIGHT and word not in LINKS and word not in _PASSING
    }


def _first_words(text: str, *, through_to: bool) -> list[str]:
    """The words of a thing before any preposition: the last of them is what it is."""
    ends = _ENDS - {"to"} if through_to else _ENDS
    words = [word for word in object_key(text).split() if word not in _PASSING]
    end = next((n for n, word in enumerate(words) if n and word in ends), len(words))
    return [word for word in words[:end] if word not in LIGHT and word not in _ENDS]


@cache
def _doing(asked: str, *, spelled: bool) -> frozenset[str]:
    """The verbs by which a task may be done that has this verb."""
    if not spelled and asked == "attend":
        return frozenset(_ATTEND)
    if not spelled and asked in ("finish", "remember", "wait", "ask"):
        return frozenset((*_DELIVER, *(verb for verbs in _SAME for verb in verbs)))
    if asked in ("finish", "complete"):
        return frozenset(_DELIVER)
    alike = {verb for verbs in _SAME if asked in verbs for verb in verbs}
    return frozenset((*_COMPLETE, *alike, asked))


def _other_name(deed: StatementRecord, task: StatementRecord) -> bool:
    """Whether each of the two names something that the other does not: the slides for Petra are not those for Mikko."""
    left, right = _names(deed.object), _names(task.object)
    return bool(left - right) and bool(right - left)


def _names(text: str) -> set[str]:
    return {word.casefold()[:5] for word in text.split()[1:] if word[:1].isupper()}
