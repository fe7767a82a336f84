"""Words that undo what a sentence names: an event that is off, a telling that is taken back, a deed that came to nothing.

Invariant: these words only ever take something away.  A day named beside an event that is off is no day of anything to come,
and what goes on with "but" settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from graphmem.extractors.base import Claim, TimeValue
from graphmem.extractors.claims import clause_times
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft
from graphmem.extractors.lexicon import words
from graphmem.extractors.timex import resolve
from graphmem.model import iso

# An event is called off, put off or denied.
_OFF = re.compile(
    r"\b(?:cancel\w*|scrapped|axed|shelved|postpone[ds]?|reschedule[ds]?|deferred|put off|"
    r"call(?:s|ed|ing)? (?:[\w'’-]+ ){0,4}off|(?:is|was|are|were|['’]s|be|been) (?:all |now |completely )?off|"
    r"(?:has|have|had|was|were|been|got|get|being|is|are|['’]s|they|we|i|you) (?:been |just |now )?"
    r"(?:moved|shifted|pushed|delayed)|"
    r"never (?:happened|took place|materiali[sz]ed|came (?:about|off))|(?:fell|fallen|falls) through|"
    r"no longer|any ?more|any longer|"
    r"(?:wo|is|was|are|were|did|does|do|has|have)n['’]t (?:be )?(?:happen\w*|tak(?:e|ing) place|go(?:ing)? ahead)|"
    r"(?:not|never) (?:be |be going |going )?(?:to )?(?:happen\w*|tak(?:e|ing) place|go(?:ing)? ahead))\b",
    re.IGNORECASE,
)
# What goes on so takes back, doubts or limits what was told, or gives it to somebody else.
_BUT = re.compile(
    r"\b(?:but|though|although|however|except|until|unless|and then|said|says|told|claims?|reckons?|according to)\b",
    re.IGNORECASE,
)
_OF_IT = re.compile(
    r"\W*(?:(?:but|and|which|though|however|well|now|sadly|unfortunately|then|only|or rather)\W+){0,3}"
    r"(?:(?:it|that|this|they)\b|(?<=which )(?=was|is|got|has))[^.!?]*",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:false alarm|reinstated|uncancel\w*|restored|revived|back on|on again|on after all|going ahead after all|"
    r"(?:got|found|booked|have) (?:me |us )?(?:a new|another) (?:one|flight|date|slot)|rebook\w*|just kidding|not really)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:(?:did|could|was|were|would|has|have|had)(?:n['’]t| not)|no (?:answer|reply|response|luck|use)|nobody|no ?one|"
    r"voicemail|answering machine|in vain|to no avail|without success|failed|bounced|wrong (?:number|one)|"
    r"(?:was|were|is) (?:engaged|busy|closed|out|away|rejected|refused|declined))\b",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?:at|by|from|to|until|half|past|quarter|o['’]clock|noon|midnight|[ap]\.?m\.?|[\d:.]+(?:[ap]m)?|\s)+")
# The day that something is moved from, and words for when it was moved.
_LEFT = re.compile(r"from (.+?)(?= (?:to|until|till) |$)", re.IGNORECASE)
_LATELY = re.compile(r"\b(?:yesterday|last|ago|earlier)\b", re.IGNORECASE)
# Words before a time that say for when something is, not when it was done.
_FOR_WHEN = re.compile(r"(?:for|by|until|till|before|due|of)\s*$|^(?:for|by|until|till|before)\b", re.IGNORECASE)


def off(text: str) -> bool:
    """Whether a sentence tells of something planned that it is off, put off or not there."""
    return bool(_OFF.search(text))


def off_at_once(rest: str) -> bool:
    """Whether what follows says of the thing just named that it is off: ", but it got cancelled", "It's off"."""
    found = _OF_IT.match(rest)
    return found is not None and off(found[0])


def planned_and_off(claim: Claim, clause: Clause, text: str) -> bool:
    """Whether a claim plans an event that the very next words call off."""
    plan = (claim.kind == "open_item" and claim.details.get("verb") == "attend") or claim.modality == "intended"
    return plan and not claim.done and off_at_once(text[clause.words[clause.end - 1].end :])


def standing(
    told: Iterable[Draft], clause: Clause, times: Sequence[TimeValue], *, text: str, reference: datetime
) -> Iterator[Draft]:
    """Fates and deeds that the rest of the turn does not take back, with the days that are told of them."""
    for draft in told:
        if not _taken_back(clause, text):
            zone = draft.details.pop("zone", None)
            if zone is None:
                draft.details.update(_done_by(clause, times, text))
            else:
                draft.details.update(told_days(clause, zone, times, reference, fate=draft.details["fate"]))
            yield draft


def achieved(deed: Draft | None, clause: Clause, times: Sequence[TimeValue], *, text: str) -> Draft | None:
    """A deed with the time at which it was done; None if what follows says that it failed: nobody answered, it bounced."""
    if deed is None or _FAILED.search(text[clause.words[clause.end - 1].start :]):
        return None
    deed.details.update(_done_by(clause, times, text))
    return deed


def _taken_back(clause: Clause, text: str) -> bool:
    """Whether what follows in the sentence, or plainly later in the turn, takes the telling of a clause back."""
    end = clause.words[clause.end - 1].start
    rest = text[end : max(end, clause.sentence.start + len(clause.sentence.text))]
    return bool(_BUT.search(rest) or _BACK.search(text[end:]))


def told_days(
    clause: Clause, zone: tuple[int, int], times: Sequence[TimeValue], reference: datetime, *, fate: str
) -> dict[str, str]:
    """When the event of a clause is to be, and when that was decided, as far as the clause says so.

    Args:
        clause: what tells the fate of an event.
        zone: the words that name the event and all that belongs to them; a day among them is the day of the event.
        times: the times of the turn, read in the tense of their sentence.
        reference: when it was said.
        fate: what is told; what was `held` lies behind, and what is `moved` has another day besides.
    """
    ws = clause.words
    low = ws[min(zone[0], len(ws) - 1)].start
    high = ws[zone[1] - 1].end if zone[1] > zone[0] else low
    found: dict[str, str] = {}
    for value in clause_times(clause, times):
        if _HOUR.fullmatch(value.text) or value.modifier == "recurring":
            continue
        text, day = value.text, None
        left = _LEFT.match(text) if fate == "moved" else None
        if fate == "held":
            day = value
        elif left:
            day = _ahead(left[1], reference)
        elif low <= value.start_char < high:
            day = _ahead(text, reference) or value
        elif fate != "moved" and value.start is not None and value.start > reference:
            day = value
        if day is not None and day.start is not None and day.end is not None:
            found.setdefault("day_from", iso(day.start))
            found.setdefault("day_to", iso(day.end))
        elif day is None and value.end is not None and (fate != "moved" or _LATELY.search(text)):
            found.setdefault("settled_by", iso(value.end))
    return found


def _ahead(text: str, reference: datetime) -> TimeValue | None:
    """A time that lies ahead, although it may be told in the past: "the meeting on Friday was cancelled"."""
    return next(iter(resolve(f"It will be {text}", reference, lang="en")), None)


def day_of_deed(clause: Clause, time: TimeValue | None) -> TimeValue | None:
    """The time of a deed, but not that of "cancelled my meeting on 3 July": there the day stands beside the event."""
    if time is None or not off(clause.text(clause.start, clause.end)):
        return time
    before = [w for w in clause.words[clause.start : clause.end] if w.start < time.start_char and not w.is_mark]
    beside = bool(before) and before[-1].lemma in words("dated_things") | words("appointments")
    return None if beside else time


def _done_by(clause: Clause, times: Sequence[TimeValue], text: str) -> dict[str, str]:
    """The end of the time at which a deed was done, if the clause tells one."""
    for value in clause_times(clause, times):
        for_when = _FOR_WHEN.search(text[: value.start_char]) or _FOR_WHEN.search(value.text)
        if value.end is not None and not for_when and value.modifier != "recurring" and not _HOUR.fullmatch(value.text):
            return {"settled_by": iso(value.end)}
    return {}
