"""Open items: what the speaker asked to be reminded of, has to do, promised, or is waiting for.

Invariant: an open item is read from a sentence that says so (remind me, have to, haven't yet, by Friday); a question, a
condition or a deed that is done never makes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.deadlines import appointment, caused, coming_up, deadline, noted
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import head, is_time
from graphmem.extractors.plans import verb_phrase

_NO_TASK = words("no_task")


def of_clause(clause: Clause) -> Iterator[Draft]:
    """Open items that a single, plain clause of the speaker makes."""
    lemma = clause.lemma
    if clause.relative or (clause.passive and lemma not in ("suppose", "mean", "require", "oblige", "expect")):
        return
    if reminds(clause):
        if clause.subject.kind in ("implied", "you"):
            yield from _reminder(clause)
        return
    if not clause.speaker:
        yield from deadline(clause)
        return
    for function in (_no_longer, _obligation, _unforgotten, _not_yet, _promise, appointment, coming_up, _owing, _waiting):
        found = list(function(clause))
        yield from found
        if found:
            return
    yield from deadline(clause)


def _task(
    clause: Clause, verb: int, *, stop_at: tuple[str, ...] | None = None, confidence: float = 0.85, start: int | None = None
) -> Draft | None:
    ws = clause.words
    span = verb_phrase(clause, verb, stop_at=stop_at or (",", ".", "!", "but", "so", "because", ";", ":", "?"))
    if span is None:
        return None
    if span[1] < clause.end and _belongs(ws, span[1], clause.end):
        span = (span[0], span[1] + 1)
    target = clause.text(verb + 1, span[1]) if span[1] > verb + 1 else ""
    return make(
        clause,
        "to_do",
        (verb if start is None else start, span[1]),
        kind="open_item",
        confidence=confidence,
        importance=0.6,
        temporal="current",
        polarity="positive",
        details={"due": None, "owner": "user", "verb": ws[verb].lemma, "target": target},
    )


def _belongs(ws: list[Word], at: int, end: int) -> bool:
    """As in "get the boiler looked at": a particle that ends the clause belongs to what is to be done."""
    last = at + 1 >= end or ws[at + 1].is_mark
    return last and ws[at].tag in ("IN", "RP") and ws[at - 1].tag in ("VBN", "VBD", "VBG")


def to_be_seen(clause: Clause, verb: int) -> bool:
    """As in "see a dentist", "see the doctor about my knee": somebody whose business it is, not what comes to be seen."""
    ws = clause.words
    span = object_after(clause, verb + 1, loose=False) if ws[verb].lemma == "see" and verb + 1 < clause.end else None
    return span is not None and ws[span[0]].tag in ("DT", "PRP$") and is_job(head(ws, *span).low)


def _reminder(clause: Clause) -> Iterator[Draft]:
    ws = clause.words
    for i in range(clause.verb + 1, clause.end - 1):
        if ws[i].low == "to" and ws[i + 1].tag.startswith("VB"):
            draft = _task(clause, i + 1, confidence=0.95)
            if draft:
                yield draft
            return
        if ws[i].low in ("whether", "if", "that", "how") and i + 2 < clause.end:
            yield noted(clause, (i + 1, clause.end), "ask")
            return
        if ws[i].low in ("about", "of"):
            span = object_after(clause, i + 1, posts=frozenset({"of", "with", "for", "from"}))
            if span:
                yield make(
                    clause,
                    "to_do",
                    span,
                    kind="open_item",
                    confidence=0.95,
                    importance=0.6,
                    temporal="current",
                    polarity="positive",
                    details={"due": None, "owner": "user", "verb": "remember", "target": clause.text(*span)},
                )
            return


def _no_longer(clause: Clause) -> Iterator[Draft]:
    """As in "I no longer need to X", "I don't have to X anymore": it closes the task, if there is one."""
    over = exact(clause, clause.verb - 2, "no", "longer") or (clause.negated and clause.has("anymore", "longer"))
    if not over or clause.lemma not in ("need", "have") or not exact(clause, clause.verb + 1, "to"):
        return
    draft = _task(clause, clause.verb + 2, stop_at=(",", ".", "!", "but", "so", "because", ";", ":", "?", "anymore"))
    if draft:
        draft.done, draft.timed = True, False
        yield draft


def _obligation(clause: Clause) -> Iterator[Draft]:
    """As in "I need to", "I have to", "must", "gotta", "we should really"."""
    ws = clause.words
    lemma = clause.lemma
    verb = None
    if (
        lemma in ("need", "have")
        and exact(clause, clause.verb + 1, "to")
        and clause.verb + 2 < clause.end
        and not clause.past
        and not clause.negated
        and not clause.has("longer")
    ):
        if clause.aux and clause.aux[0] not in ("'ve", "have", "still", "will", "'ll"):
            return
        verb = clause.verb + 2
    elif (bound := _bound(clause)) is not None:
        verb = bound
    elif exact(clause, clause.verb - 2, "ought", "to") and not clause.negated and _definite(clause):
        verb = clause.verb
    elif "must" in clause.aux or any(a in ("should", "ought") for a in clause.aux):
        if clause.negated or (not clause.has("really") and "must" not in clause.aux and not _definite(clause)):
            return
        verb = clause.verb
    elif (
        ws[clause.verb].low in ("gotta", "got")
        and (clause.aux or clause.verb == clause.start or ws[clause.verb].end == ws[min(clause.verb + 1, len(ws) - 1)].start)
        and exact(clause, clause.verb + 1, "to")
    ):
        verb = clause.verb + 2
    if verb is not None and verb + 2 < clause.end and ws[verb].low == "remember" and ws[verb + 1].low == "to":
        verb += 2
    if verb is None or verb >= clause.end:
        return
    if (span := caused(clause, verb)) is not None:
        yield noted(clause, span, clause.words[verb].lemma, target=clause.text(verb + 1, span[1]))
        return
    timed = any(w.time for w in ws[verb:])
    if (not ws[verb].tag.startswith("VB") and ws[verb].tag not in ("NN", "NNP")) or (
        ws[verb].lemma in _NO_TASK
        and not timed
        and not to_be_seen(clause, verb)
        and not (
            ws[verb].lemma in ("get", "find", "take", "do", "tell", "ask", "finish", "learn")
            and verb + 1 < clause.end
            and ws[verb + 1].tag in ("DT", "PRP$", "NN", "NNS")
        )
    ):
        return
    draft = _task(clause, verb)
    if not draft or not draft.details["target"] or draft.details["target"].split()[0].lower() in words("anaphora"):
        return
    if clause.has("always", "usually", "often", "every", "never", "whenever"):
        return
    yield draft


def _bound(clause: Clause) -> int | None:
    """Where the task begins after "I'm supposed to", "I'm meant to", "I've yet to", "I keep forgetting to"."""
    ws = clause.words
    if clause.past or clause.negated:
        return None
    line = " ".join([clause.lemma, *(w.low for w in clause.rest[:5])])
    if clause.lemma in ("suppose", "mean", "require", "oblige") and clause.passive:
        line = "be supposed " + " ".join(w.low for w in clause.rest[:3])
    found = _BOUND.match(line)
    if not found:
        return None
    at = clause.verb + found.group().count(" ") - (clause.passive and line.startswith("be supposed"))
    return at if at < clause.end and ws[at].tag.startswith("VB") else None


_BOUND = re.compile(
    r"(?:be (?:supposed|meant|obliged|required|due|expected|under orders) to |have (?:yet|still) to |have got to |"
    r"keep forgetting to |(?:need|have|ought) (?:still|also|really|urgently|desperately) to |be (?:still |yet )to )"
)


def _definite(clause: Clause) -> bool:
    """As in "I should call the bank": a thing of one's own to do, not "I should eat more"."""
    if (
        clause.subject.kind != "user"
        or "have" in clause.aux
        or clause.passive
        or clause.lemma in ("be", "have", "know", "see", "need")
    ):
        return False
    if clause.has("probably", "maybe", "perhaps", "not", "n't", "you", "more", "less") or clause.sentence.mark == "?":
        return False
    first = clause.rest[0] if clause.rest else None
    timed = any(w.time for w in clause.rest)
    return first is not None and (
        first.tag in ("PRP$", "NNP") or first.low in ("the", "our", "my") or (timed and first.tag[:2] in ("NN", "DT"))
    )


def _unforgotten(clause: Clause) -> Iterator[Draft]:
    """As in "mustn't forget the flowers", "don't forget to X" said to oneself, "remember to X"."""
    ws = clause.words
    own = (
        clause.subject.kind == "user"
        or any(a in ("must", "ca", "can", "should") for a in clause.aux)
        or clause.subject.kind == "implied"
    )
    if clause.past or clause.perfect or not own or clause.future:
        return
    if clause.subject.kind == "user" and "never" in clause.adverbs:
        # "I never forget a face"
        return
    forget = clause.lemma == "forget" and clause.negated
    if not forget and not (
        clause.lemma == "remember" and clause.rest[:1] and clause.rest[0].low == "to" and not clause.negated
    ):
        return
    at = clause.verb + 1
    if exact(clause, at, "to") and at + 1 < clause.end and ws[at + 1].tag.startswith("VB"):
        draft = _task(clause, at + 1)
        if draft and draft.details["target"] and (clause.subject.kind != "implied" or _one_of_own(clause, at + 1)):
            yield draft
        return
    start = at + (at < clause.end and ws[at].low == "about")
    span = object_after(clause, start, posts=frozenset({"of", "with", "for", "at"})) if start < clause.end else None
    if span and "do" not in clause.aux and ws[span[0]].low not in words("anaphora"):
        yield noted(clause, span, "remember")


def _one_of_own(clause: Clause, verb: int) -> bool:
    """Said without a subject, "remember to X" may be meant for the assistant: a task has a date or a thing of one's own."""
    if clause.words[verb].lemma in words("for_assistant"):
        return False
    after = clause.words[verb + 1 : clause.end]
    return any(w.time for w in after) or any(w.tag in ("PRP$", "NNP") or w.low in ("the", "our", "my") for w in after[:3])


def _owing(clause: Clause) -> Iterator[Draft]:
    """As in "I owe Ana 200 zloty", "we owe the landlord a reply"."""
    if clause.lemma != "owe" or clause.past or clause.negated or clause.passive or len(clause.rest) < 2:
        return
    first = clause.rest[0]
    goods = {w.low for w in clause.rest} & {"apology", "explanation", "favour", "favor", "life", "everything", "you"}
    if first.low not in words("anaphora") | {"you"} and not goods:
        draft = _task(clause, clause.verb)
        if draft:
            yield draft


def reminds(clause: Clause) -> bool:
    """As in "remind me", "ping me", "poke me about X on Monday"."""
    low = clause.words[clause.verb].low
    if clause.lemma in ("remind", "nudge") or low == "ping":
        return True
    pokes = low in ("poke", "chase", "nag", "prod", "bug", "pester", "alert", "notify", "ask", "check", "text")
    with_me = bool(clause.rest) and (clause.rest[0].low in ("me", "us") or exact(clause, clause.verb + 1, "with", "me"))
    return pokes and with_me and any(w.time for w in clause.rest) and clause.subject.kind in ("implied", "you")


def _not_yet(clause: Clause) -> Iterator[Draft]:
    """As in "I haven't X yet", "I still haven't X"."""
    if not (clause.perfect and clause.negated and (clause.has("yet") or clause.has("still"))) or clause.lemma in words(
        "no_not_yet"
    ):
        return
    if clause.lemma == "do" and clause.rest[:1] and clause.rest[0].low not in ("my", "our", "the"):
        return
    draft = _task(clause, clause.verb)
    if draft and draft.details["target"]:
        yield draft


def _promise(clause: Clause) -> Iterator[Draft]:
    """As in "I'll send X by Friday", "I promised Y an answer", "I committed to finishing X"."""
    ws = clause.words
    if any(a in ("will", "'ll") for a in clause.aux) and not clause.negated and clause.subject.kind == "user":
        timed = any(w.time for w in ws[clause.verb :])
        if timed and clause.lemma not in words("no_promise"):
            draft = _task(clause, clause.verb)
            if (
                draft
                and draft.details["target"]
                and draft.details["target"].split()[0].lower() not in words("anaphora") - {"you"}
            ):
                yield draft
    elif (
        (clause.lemma in ("promise", "commit") or (clause.lemma in ("tell", "assure") and _promised(clause)))
        and not clause.negated
        and not clause.progressive
    ):
        for w in clause.rest[:5]:
            if w.low == "to" and w.i + 1 < clause.end:
                draft = _task(clause, w.i + 1)
                if draft:
                    yield draft
                return
        if (verb := _promised(clause)) is not None:
            span = (verb, _task_end(clause, verb))
            yield noted(clause, span, clause.words[verb].lemma)
            return
        if clause.lemma == "promise" and clause.rest and clause.rest[0].tag in ("NNP", "PRP$", "NN"):
            draft = _task(clause, clause.verb)
            if draft:
                yield draft


def _promised(clause: Clause) -> int | None:
    """As in "I promised Tom I'd water his plants": the verb of what was promised, in the next clause."""
    ws = clause.words
    for w in ws[clause.verb + 1 : clause.verb + 7]:
        if (
            w.low in ("'d", "would", "'ll", "will")
            and ws[w.i - 1].low in ("i", "we")
            and w.i + 2 < len(ws)
            and ws[w.i + 1].tag == "VB"
        ):
            return w.i + 1
    return None


def _task_end(clause: Clause, verb: int) -> int:
    ws = clause.words
    end = next((w.i for w in ws[verb + 1 :] if w.time or w.is_mark or w.low in ("but", "so", "because")), len(ws))
    while end > verb + 1 and ws[end - 1].low in ("by", "on", "before", "in", "at", "until"):
        end -= 1
    return end


def _waiting(clause: Clause) -> Iterator[Draft]:
    """As in "still waiting for X to Y", "waiting on X"."""
    if clause.lemma != "wait" or clause.tag != "VBG" or clause.negated:
        return
    spot = preposition(clause, "for", "on", start=clause.verb + 1)
    ws = clause.words
    if exact(clause, clause.verb + 1, "to", "hear"):
        spot = clause.verb + 1
    if spot is None and clause.verb + 1 < len(ws) and ws[clause.verb + 1].low in ("for", "on"):
        spot = clause.verb + 2
    if spot is None or spot >= len(ws) or ws[spot].low in words("anaphora"):
        return
    if ws[spot].low == "to" and spot + 1 < len(ws):
        spot += 1
    end = spot
    while (
        end < len(ws)
        and ws[end].low not in (",", ".", "but", "so", "because", "and")
        and not (is_time(ws, end) and ws[end].low != "back")
    ):
        end += 1
    if end - spot >= 2 and not _of_the_moment(clause, spot, end):
        yield make(
            clause,
            "to_do",
            (spot, end),
            kind="open_item",
            importance=0.5,
            temporal="current",
            polarity="positive",
            details={"due": None, "owner": "other", "verb": "wait", "target": clause.text(spot, end)},
        )


def _of_the_moment(clause: Clause, start: int, end: int) -> bool:
    """As in "waiting for the bus", "for the kettle to boil": over in an hour and owed by nobody."""
    ws = clause.words
    here = ws[start:end]
    return here[0].low in ("the", "my", "a", "this") and any(w.low in words("momentary_things") for w in here[1:3])
