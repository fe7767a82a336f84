"""What becomes of an event that was planned: it is off, moved to another day, or has taken place.

Invariant: the event is the speaker's own or simply "the" one, and it is told as a fact; "off the charts", "my sister's wedding"
and "if the trip is off" tell nothing of it.  Which plan is meant, and whether there is one, is for reconciliation to say: what
is made here is recorded only where exactly one plan fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from graphmem.extractors.base import TimeValue
from graphmem.extractors.claims import ended_words
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after
from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import Span, head
from graphmem.extractors.timex import resolve

_POSTS = frozenset({"of", "to", "in", "with", "at", "for", "from", "about", "on"})
_OFF = frozenset({"cancel", "scrap", "axe", "shelve"})
_MOVED = frozenset({"postpone", "reschedule", "defer"})
_TO_A_DAY = frozenset({"move", "push", "shift", "bring", "put", "switch", "change", "delay"})
_HOUR = re.compile(
    r"\d{1,2}(?:[:.]\d\d)?(?:am|pm)?|am|pm|a\.m\.?|p\.m\.?|noon|midnight|o['’]clock|half|quarter|past|to|until|till|at|from|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|eleven|twelve"
)
_WENT = re.compile(
    r"(?:really |very |quite |so |pretty |surprisingly |absolutely )?(?:well|badly|great|fine|ok|okay|smoothly|terribly|"
    r"horribly|brilliantly|better than|without a hitch)\b"
)
# What may follow "off" and "cancelled" without changing what was said.
_AFTERTHOUGHT = re.compile(
    r"(?:now|again|after all|altogether|sadly|unfortunately|though|then|too|completely|because|due to|owing to|since|as|today|"
    r"yesterday|this (?:morning|afternoon|evening|week)|last (?:night|week)|for good|at (?:the )?last minute|at short notice)\b"
)
_NOT_ON = re.compile(
    r"(?:is|'s|are|was) (?:not|n't|no longer) (?:happening|going ahead|taking place|on(?= (?:any ?more|after all)|$))|"
    r"(?:wo|will) (?:n't|not) (?:be )?(?:happen|happening|go ahead|going ahead|take place|taking place)|"
    r"(?:is|'s) no longer (?:happening|going ahead|taking place|on$)"
)
_GERMANE = re.compile(r"(?:has |have |'s )?(?:fell|fallen|falls) through")


def fates(clause: Clause) -> Iterator[Draft]:
    """The fate that a clause tells of a planned event; nothing is told by a question, a guess or a condition."""
    if clause.relative or clause.used_to or clause.mark in ("if", "unless", "whether", "when", "before", "until"):
        return
    found = _told_of(clause) or _done_to(clause)
    if found is not None:
        yield found
    yield from _got_in(clause)
    yield from _behind(clause)
    yield from _not_going(clause)


def _told_of(clause: Clause) -> Draft | None:
    """As in "the wedding is cancelled", "our trip to Rome is off", "the meeting got postponed to Friday"."""
    ws = clause.words
    subject = clause.subject
    if subject.kind not in ("possessed", "other") or subject.start < 0 or not _own(ws, subject.start):
        return None
    span = _thing(clause, subject.start, clause.group)
    if span is None or not _whole(ws[span[1] : clause.group]):
        return None
    verb_on = " ".join(w.low for w in ws[clause.group : clause.end] if not w.is_mark)
    if _NOT_ON.match(verb_on) or (not clause.negated and _GERMANE.match(verb_on)):
        return _fate(clause, span, "off")
    if clause.negated or clause.future or not _settled(clause):
        return None
    if clause.lemma == "be" and clause.rest and clause.rest[0].low == "off":
        return _fate(clause, span, "off") if _closed(clause, clause.verb + 2) else None
    return _by_participle(clause, span)


def _by_participle(clause: Clause, span: Span) -> Draft | None:
    ws = clause.words
    at = clause.verb
    if clause.lemma == "be" and clause.rest and clause.rest[0].tag in ("VBN", "VBD", "JJ"):
        at += 1
    elif not clause.passive:
        return None
    lemma = _base(ws[at])
    called_off = lemma == "call" and exact(clause, at + 1, "off")
    if lemma in _OFF or called_off:
        return _fate(clause, span, "off") if _closed(clause, at + 1 + called_off) else None
    return _fate(clause, span, "moved") if _moves(clause, lemma, at + 1) else None


def _done_to(clause: Clause) -> Draft | None:
    """As in "we called off the party", "I had to cancel the trip", "they moved the meeting to Friday"."""
    ws = clause.words
    told = clause.past or clause.perfect or (not clause.aux and (clause.tag in ("VBD", "VBN") or clause.lemma == "put"))
    they = clause.subject.kind == "pronoun" and clause.subject.text.lower() == "they"
    others = clause.subject.kind in ("named", "possessed", "other")  # who may have called off what is ours
    if not (clause.speaker or they or others) or clause.negated or clause.future or not told or clause.passive:
        return None
    at, lemma = clause.verb, _base(ws[clause.verb])
    if lemma == "have" and exact(clause, at + 1, "to") and at + 2 < clause.end:
        at, lemma = at + 2, ws[at + 2].lemma
    particle = at + 1 < clause.end and ws[at + 1].low in ("off", "back", "forward", "up")
    start = at + 1 + particle
    if start >= clause.end or not _own(ws, start) or (others and ws[start].low == "the"):
        return None
    span = _thing(clause, start, clause.end)
    if span is None:
        return None
    split = span[1] < clause.end and ws[span[1]].low == "off"
    if lemma in _OFF or (lemma == "call" and (split or (particle and ws[at + 1].low == "off"))):
        return _fate(clause, span, "off") if _closed(clause, span[1] + split) else None
    return _fate(clause, span, "moved") if _moves(clause, lemma, span[1], off=particle and ws[at + 1].low == "off") else None


def _got_in(clause: Clause) -> Iterator[Draft]:
    """As in "I got the job at Ericsson": the interview for it is behind one."""
    ws = clause.words
    got = ws[clause.verb].low == "got" and not clause.aux  # which the tagger may take for a present
    if not (got or clause.lemma in ("get", "land")) or clause.negated or clause.future or not clause.speaker:
        return
    told = got or clause.past or clause.perfect or (clause.tag in ("VBD", "VBN") and not clause.aux)
    span = object_after(clause, clause.verb + 1) if told and clause.rest and clause.rest[0].low == "the" else None
    if span is None or head(ws, *span).low not in words("position_nouns"):
        return
    where = span[1]
    if where < clause.end and not (
        ws[where].is_mark or ws[where].time or ws[where].low in ("at", "with", "and", "so", "after")
    ):
        return  # "got the job done"
    place = object_after(clause, where + 1) if where + 1 < clause.end and ws[where].low in ("at", "with") else None
    thing = f"interview at {clause.text(*place)}" if place else "interview"
    yield _draft(clause, (clause.verb, place[1] if place else span[1]), "over", thing)


def _behind(clause: Clause) -> Iterator[Draft]:
    """As in "the exam went well", "had the interview yesterday": the one appointment of that name is behind one."""
    ws = clause.words
    if clause.negated or clause.future or clause.passive or clause.used_to:
        return
    if clause.lemma == "go" and clause.past and clause.subject.kind in ("possessed", "other"):
        start, told = clause.subject.start, bool(_WENT.match(" ".join(w.low for w in clause.rest)))
        stop, span = clause.group, (clause.subject.start, clause.end)
    elif clause.lemma == "have" and clause.speaker and clause.past:
        start, told = clause.verb + 1, True
        stop, span = clause.end, (clause.verb, clause.end)
    else:
        return
    thing = _thing(clause, start, stop) if told and 0 <= start < len(ws) and _own(ws, start) else None
    if thing and head(ws, *thing).low in words("appointments"):
        yield _draft(clause, span, "held", clause.text(*thing))


def _not_going(clause: Clause) -> Iterator[Draft]:
    """As in "we're not going to Rome after all", "I'm no longer flying to Oslo"."""
    ws = clause.words
    travels = clause.lemma in ("go", "fly", "travel", "drive", "sail") and clause.tag == "VBG" and clause.speaker
    given_up = ended_words(clause) or any(exact(clause, w.i, "after", "all") for w in clause.rest)
    if not travels or clause.past or not given_up or not exact(clause, clause.verb + 1, "to"):
        return
    end = clause.verb + 2
    while end < clause.end and ws[end].text[:1].isupper() and not ws[end].time:
        end += 1
    if end > clause.verb + 2 and (clause.negated or clause.has("longer")):
        yield _draft(clause, (clause.start, clause.end), "off", f"trip to {clause.text(clause.verb + 2, end)}")


def _own(ws: list[Word], start: int) -> bool:
    """Whether a phrase begins with "the", "my" or "our": nobody else's."""
    return ws[start].low in ("the", "my", "our")


def _thing(clause: Clause, start: int, stop: int) -> Span | None:
    """The event's words without "the": one phrase, with what is said of it ("trip to Rome"), and nobody else's."""
    ws = clause.words
    span = object_after(clause, start, posts=_POSTS)
    if span is None:
        return None
    first, end = span[0] + 1, min(span[1], stop)
    while end > first and (ws[end - 1].is_mark or ws[end - 1].low in _POSTS | {"off"} or ws[end - 1].time):
        end -= 1
    here = ws[first:end]
    if not here or any(w.tag == "PRP$" or w.low in ("and", "or") or w.foreign for w in here):
        return None
    if any(w.tag == "POS" or w.low in ("'s", "’s") for w in here) and not _with_somebody(here):
        return None
    return first, end


def _with_somebody(here: list[Word]) -> bool:
    """As in "doctor's appointment": with whom it is, not whose."""
    return len(here) == 3 and is_job(here[0].low) and here[2].low in ("appointment", "appt", "check-up", "checkup")


def _whole(between: list[Word]) -> bool:
    """Whether only times stand between an event and what is told of it: "my flight back" is another flight."""
    return all(w.time or w.is_mark or w.low in _POSTS | {"this", "next", "also", "sadly"} for w in between)


def _zone(clause: Clause, span: Span, *, moved: bool) -> Span:
    """The words of an event with the day that stands beside it: "the meeting on Friday"; not the day it was moved to."""
    ws = clause.words
    end = span[1]
    beside = ("on", "in", "at") if moved else ("on", "in", "at", "from", "for", "of")
    away = ("for", "to", "until", "till", "from") if moved else ()
    while end < clause.end and end != clause.verb and (ws[end].low in beside or (ws[end].time and ws[end].low not in away)):
        end += 1
    return span[0], end


def _settled(clause: Clause) -> bool:
    """Whether it is told as a fact of now or of the past: no "would", "should", "may"."""
    return all(
        a in ("is", "'s", "are", "was", "were", "has", "have", "had", "been", "got", "getting", "'ve") for a in clause.aux
    )


def _closed(clause: Clause, at: int) -> bool:
    """Whether the clause ends here, or goes on with words that take nothing back."""
    ws = clause.words
    if at >= clause.end or ws[at].is_mark or ws[at].low in (",", "and", "but", "so") or ws[at].time:
        return True
    here = " ".join(w.low for w in ws[at : clause.end])
    return bool(_AFTERTHOUGHT.match(here)) or here.startswith(("by them", "by the ", "by us", "in the end", "on us"))


def _moves(clause: Clause, lemma: str, at: int, *, off: bool = False) -> bool:
    """Whether the verb moves an event to another time; of the plain ones only where that time is named."""
    ws = clause.words
    while at < clause.end and ws[at].low in ("back", "forward", "off", "out", "up"):
        off = off or ws[at].low == "off"
        at += 1
    timed = at + 1 < clause.end and ws[at].low in ("to", "until", "till", "for", "from") and any(w.time for w in ws[at:])
    if timed and _hours_only(ws[at : clause.end]):
        return False
    if lemma in _MOVED or (lemma == "put" and off):
        return timed or _closed(clause, at) or exact(clause, at, "until", "further", "notice")
    return lemma in _TO_A_DAY and timed and ws[at].low != "for"


def _hours_only(here: list[Word]) -> bool:
    """As in "to 5 pm": an hour, of a day that is not said here."""
    return all(_HOUR.fullmatch(w.low) for w in here if w.time)


def _base(word: Word) -> str:
    """The verb of a participle that may be tagged as an adjective."""
    low = word.low
    spelled = {"cancelled": "cancel", "canceled": "cancel", "postponed": "postpone", "rescheduled": "reschedule"}
    return spelled.get(low, word.lemma)


def _fate(clause: Clause, span: Span, fate: str) -> Draft:
    """The claim about an event: what is off is told in the words of the clause, what is moved is to be attended."""
    told = (clause.start, clause.end) if fate == "off" else span
    return _draft(clause, told, fate, clause.text(*span), thing_at=span)


def _draft(clause: Clause, span: Span, fate: str, thing: str, *, thing_at: Span | None = None) -> Draft:
    """A claim that settles a plan; what is moved stays to be attended, on its new day."""
    ws = clause.words
    moved = fate == "moved"
    while span[1] > span[0] + 1 and (ws[span[1] - 1].is_mark or ws[span[1] - 1].low in ("but", "and", "so", "or")):
        span = span[0], span[1] - 1
    zone = _zone(clause, thing_at, moved=moved) if thing_at else (clause.start, clause.start)
    details: dict[str, object] = {
        **{"due": None, "owner": "user", "verb": "attend" if moved else "", "target": thing, "fate": fate, "thing": thing},
        "zone": zone,
    }
    if thing_at and ws[thing_at[0] - 1].low in ("my", "our"):
        details["own"] = True
    if fate == "off":
        details["outcome"] = "cancelled"
    return make(
        clause, "to_do", span, kind="open_item", subject="user", done=True, timed=moved, polarity="positive", importance=0.6,
        temporal="current" if moved else "past", details=details,
    )  # fmt: skip


def ahead(sentence: Sentence, reference: datetime) -> list[TimeValue]:
    """The times of a move, read as lying ahead although it is told in the past: "we put it off until June"."""
    last = next((w for w in reversed(sentence.words) if w.time), None)
    if last is None:
        return []
    begun = last.start - sentence.start
    cut = max(sentence.text.rfind(f" {low} ", 0, begun) for low in ("to", "until", "till", "for"))
    text = "will be".rjust(max(cut, 0))[: max(cut, 0)] + sentence.text[max(cut, 0) :]
    return [
        value.model_copy(update={"start_char": value.start_char + sentence.start, "end_char": value.end_char + sentence.start})
        for value in resolve(text, reference, lang="en")
    ]
