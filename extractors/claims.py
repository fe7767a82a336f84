"""From a draft to a claim: subject, temporal status, time, quote and names are filled in.

Invariant: the quote is `turn.text[start:end]` of the clause the draft was read from, and the object's characters stand in it
or in the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from graphmem.extractors.base import USER, Claim, TimeValue
from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact
from graphmem.extractors.lexicon import words
from graphmem.model import Turn, iso
from graphmem.personal.found import Found
from graphmem.personal.identifiers import identifiers
from graphmem.records import Cue, Temporal

_STATE_KINDS = ("fact", "preference")
FIRST = datetime.min.replace(tzinfo=UTC)  # the calendar has no day before it


def build(
    turn: Turn,
    clause: Clause,
    draft: Draft,
    *,
    rule: str,
    subject: str,
    times: Sequence[TimeValue],
    hedged: bool = False,
    quote_from: int | None = None,
) -> Claim | None:
    """The claim of a draft, or None if its time forbids it (a future state is a plan, not a fact)."""
    temporal = _temporal(clause, draft)
    if temporal is None:
        return None
    polarity = draft.polarity or ("negative" if clause.negated and not ended_words(clause) else "positive")
    if polarity == "negative" and ended_words(clause):
        temporal, polarity = "ended", "positive"
    if (
        draft.predicate in ("likes", "dislikes")
        and draft.kind == "preference"
        and temporal == "current"
        and ended_words(clause)
    ):
        # "I don't like X any more": the liking ended.
        temporal = "ended"
        if clause.negated:
            draft.predicate = "likes" if draft.predicate == "dislikes" else "dislikes"
    here = clause_times(clause, times)
    if draft.kind == "open_item":
        # "at yesterday's meeting I promised X by Friday": the deadline counts, not when it was promised.
        here = sorted(here, key=lambda value: value.modifier not in ("until", "before"))
    time = time_of(draft, temporal, here) if draft.timed else None
    start, end = quote_bounds(clause, quote_from)
    if draft.span and draft.span[1] > clause.end:
        end = clause.words[draft.span[1] - 1].end
    cue = draft.cue or cue_of(clause)
    if temporal == "ended" and cue is None and not clause.used_to:
        cue = "change"
    details = dict(draft.details)
    if draft.kind == "open_item":
        details["due"] = due(here)
    if draft.predicate == "wants" and draft.span and clause.words[draft.span[0]].tag == "VB":
        details["verb"] = clause.words[draft.span[0]].lemma
    if draft.predicate == "attribute" and draft.span:
        whole = _identifier_at(turn.text, clause.words[draft.span[0]].start)
        if whole is not None and len(draft.object) < whole.end - whole.start:
            # Half an IBAN is none, and would be shown in full.
            draft.object = turn.text[whole.start : whole.end]
            start, end = min(start, whole.start), max(end, whole.end)
    return Claim(
        turn=turn.id,
        start=start,
        end=end,
        quote=turn.text[start:end],
        kind=draft.kind,
        subject=draft.subject or subject,
        predicate=draft.predicate,
        object=draft.object,
        polarity=polarity,
        modality=draft.modality,
        temporal=temporal,
        context=draft.context,
        hedged=hedged,
        cue=cue,
        replaces=draft.replaces or (None if draft.kind not in _STATE_KINDS else instead_of(clause)),
        time=time,
        confidence=draft.confidence,
        importance=draft.importance,
        mentions=mentions(clause, draft, subject),
        rule=rule,
        details=details,
        done=draft.done,
    )


def _identifier_at(text: str, place: int) -> Found | None:
    """The identifier that a character belongs to."""
    return next((found for found in identifiers(text) if found.start <= place < found.end), None)


def ended_words(clause: Clause) -> bool:
    """As in "any more" and "no longer"."""
    lows = clause.lows
    return (
        "anymore" in lows
        or ("longer" in lows and "no" in lows)
        or any(
            exact(clause, w.i, "any", "more") or exact(clause, w.i, "any", "longer")
            for w in clause.words[clause.start : clause.end]
        )
    )


def _temporal(clause: Clause, draft: Draft) -> Temporal | None:
    if (
        clause.future
        and draft.kind in _STATE_KINDS
        and draft.modality == "asserted"
        and draft.predicate not in ("allergic_to", "prefers")
    ):
        return None
    if draft.temporal:
        return draft.temporal
    if clause.used_to or (ended_words(clause) and (clause.negated or "no" in clause.lows)):
        return "ended"
    if clause.past or ((ws := clause.words)[clause.start].low == "having" and ws[clause.verb].tag in ("VBN", "VBD")):
        # "Having lived in Rome, I ..."
        return "past"
    return "current"


def cue_of(clause: Clause) -> Cue | None:
    """The words of change, correction or addition that come with a clause."""
    lows = clause.lows
    text = clause.sentence.text.lower()
    fillers = clause.sentence.fillers
    if "actually" in fillers or any(
        cue in text for cue in ("i meant", "no wait", "typo", "oops", "correction:", "i mistyped", "my mistake", "i misspoke")
    ):
        return "correction"
    if (
        "now" in lows
        or "nowadays" in lows
        or any(
            exact(clause, w.i, "these", "days") or exact(clause, w.i, "as", "of")
            for w in clause.words[clause.start : clause.end]
        )
    ):
        return "change"
    if ended_words(clause):
        return "change"
    if (
        "also" in lows
        or "also" in fillers
        or (clause.end and clause.lows[-1:] == ["too"])
        or any(w.low == "too" and (w.i + 1 >= clause.end or clause.words[w.i + 1].is_mark) for w in clause.rest)
    ):
        return "addition"
    return None


def instead_of(clause: Clause) -> str | None:
    """As in "instead of Emacs", ", not 1985": the words that this takes the place of."""
    ws = clause.words
    for i in range(clause.verb + 1, clause.end - 1):
        if exact(clause, i, "instead", "of") and i + 2 < clause.end:
            return clause.text(i + 2, _stop(clause, i + 2))
        if (
            ws[i].low == ","
            and ws[i + 1].low == "not"
            and i + 2 < clause.end
            and ws[i + 2].low not in ("only", "sure", "that", "really", "a", "because", "to")
        ):
            return clause.text(i + 2, _stop(clause, i + 2))
    return None


def _stop(clause: Clause, i: int) -> int:
    j = i
    while j < clause.end and clause.words[j].low not in (",", ".", "!", "but", "and", "because", "since", "now"):
        j += 1
    return max(j, i + 1)


def clause_times(clause: Clause, times: Sequence[TimeValue]) -> list[TimeValue]:
    """The time expressions inside the clause (their places are counted in the turn)."""
    ws = clause.words
    low, high = ws[clause.start].start, ws[clause.end - 1].end
    return [t for t in times if t.start_char < high and t.end_char > low]


def time_of(draft: Draft, temporal: Temporal, times: Sequence[TimeValue]) -> TimeValue | None:
    """When a draft holds or happened, out of the times of its clause."""
    if not times:
        return None
    bounded = [t for t in times if t.start or t.end]
    if draft.since:
        return _since(bounded)
    if draft.until or temporal == "ended":
        return _until(bounded)
    if draft.kind in ("episode", "open_item") or draft.modality == "intended":
        return bounded[0] if bounded else times[0]
    if temporal == "past":
        return bounded[0] if bounded else None
    # What holds now is bounded only by words that say so.
    for value in bounded:
        if value.text.lower().startswith("from ") and draft.predicate in ("owns", "has_vehicle", "has_pet"):
            # "a guitar from 1978" is as old as that, not had since then.
            continue
        if value.modifier in ("since", "until", "before", "after") or value.end is None or value.start is None:
            return value
    if draft.predicate == "born_on":
        return bounded[0] if bounded else None
    return next((t for t in times if t.modifier == "recurring"), None)


def _since(times: Sequence[TimeValue]) -> TimeValue | None:
    for value in times:
        if value.start is not None:
            return value.model_copy(update={"end": None, "modifier": "since"})
    return None


def _until(times: Sequence[TimeValue]) -> TimeValue | None:
    for value in times:
        end = value.end if value.modifier != "since" else value.start
        if end is not None:
            return value.model_copy(update={"start": None, "end": end, "modifier": "until"})
    return None


def due(times: Sequence[TimeValue]) -> str | None:
    """The start of the last day that the time expression covers, or the moment itself for hours."""
    for value in times:
        if value.modifier in ("since", "recurring"):
            continue
        if value.granularity in ("minute", "hour") and (moment := value.start or value.end):
            return iso(moment)
        if value.end and value.end - FIRST >= timedelta(days=1):
            return iso(value.end - timedelta(days=1))
        if value.start:
            return iso(value.start)
    return None


def quote_bounds(clause: Clause, quote_from: int | None = None) -> tuple[int, int]:
    """Characters of the clause in the turn, without the marks and joining words at its ends."""
    ws = clause.words
    first, last = clause.start if quote_from is None else quote_from, clause.end
    while last > first + 1 and (
        (ws[last - 1].is_mark and ws[last - 1].text not in (")", '"', "”")) or ws[last - 1].low in ("and", "but", "so", "or")
    ):
        last -= 1
    while first < last - 1 and (ws[first].is_mark or ws[first].low in ("and", "but", "so")):
        first += 1
    return ws[first].start, ws[last - 1].end


_TYPES = {"person": "person", "place": "place", "organisation": "organisation", "thing": "thing"}


def mentions(clause: Clause, draft: Draft, subject: str) -> tuple[tuple[str, str], ...]:
    """Named things in the claim: the object by its relation, a named subject as a person."""
    found: list[tuple[str, str]] = []
    if (
        draft.types in _TYPES
        and draft.object
        and (draft.types != "thing" or any(c.isupper() or c.isdigit() for c in draft.object))
    ):
        found.append((draft.object, draft.types))
    elif draft.span:
        for word in clause.words[draft.span[0] : draft.span[1]]:
            if word.tag in ("NNP", "NNPS") and word.ent in ("PERSON", "GPE", "LOC", "ORG", "FAC"):
                found.append(
                    (
                        word.text,
                        {"PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place"}.get(word.ent, "organisation"),
                    )
                )
    person = draft.subject or subject
    if person != USER and any(part[:1].isupper() or part.lower() in words("kin") for part in person.split()):
        found.append((person, "person"))
    return tuple(dict.fromkeys(found))
