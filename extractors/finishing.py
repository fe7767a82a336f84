"""A task that is done, told of the thing and not of the doer: "the hotel is booked", "I'm done with the dentist".

Invariant: the thing is the speaker's own or simply "the" one, and nothing is said of it that makes it a state of the world
("fully booked", "booked every weekend"); it settles an open item or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make, object_after
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span

_FINISHED = {"done": "do", "finished": "finish", "sorted": "sort", "complete": "complete", "completed": "complete"}
_PLAIN = frozenset({"is", "'s", "are", "was", "were", "has", "have", "been", "got", "'ve"})
_AFTER = frozenset({"now", "finally", "already", "too", "at", "off", "up", "in", "out", "to", "and", "but", "so"})
_STEADY = frozenset({"fully", "always", "often", "usually", "never", "every", "each", "partly", "half", "almost", "nearly"})
_NO_DOING = frozenset({"break", "lose", "call", "make", "use", "know", "need", "suppose", "locate", "delay"})


def finished_things(clause: Clause) -> Iterator[Draft]:
    """Deeds told of the thing that they were done to, in the shape of a task."""
    if clause.negated or clause.future or clause.used_to or clause.relative or clause.mark in ("if", "unless", "when", "until"):
        return
    if clause.speaker:
        yield from _done_with(clause)
        return
    ws, subject = clause.words, clause.subject
    if subject.kind not in ("possessed", "other") or subject.start < 0 or ws[subject.start].low not in ("the", "my", "our"):
        return
    at = _participle(clause)
    if at is None or any(w.low in _STEADY for w in ws[clause.group : clause.end]) or _somebody(clause):
        return
    verb = _FINISHED.get(ws[at].low, ws[at].lemma)
    after = at + 1
    if verb in _NO_DOING or not (after >= clause.end or ws[after].is_mark or ws[after].time or ws[after].low in _AFTER):
        return
    span = object_after(clause, subject.start, posts=frozenset({"of", "to", "for", "in", "with"}))
    if span is None or any(w.tag in ("POS", "PRP$") and w.i > span[0] for w in ws[span[0] : span[1]]):
        return
    particle = after < clause.end and ws[after].tag in ("RP", "IN") and after + 1 >= clause.end
    yield _deed(clause, (span[0] + 1, after + particle), verb, clause.text(span[0], min(span[1], clause.group)))


def _participle(clause: Clause) -> int | None:
    """Where the participle stands, of a passive or after "is": "has been renewed", "is done"."""
    if any(a not in _PLAIN for a in clause.aux):
        return None
    if clause.passive:
        return clause.verb
    follows = clause.rest[:1]
    if clause.lemma == "be" and follows and (follows[0].tag in ("VBN", "VBD") or follows[0].low in _FINISHED):
        return clause.verb + 1
    return None


def _somebody(clause: Clause) -> bool:
    head: Word = clause.words[clause.subject.head]
    return head.low in words("kin") | words("roles") or head.tag.startswith("NNP")


def _done_with(clause: Clause) -> Iterator[Draft]:
    """As in "I'm done with the dentist", "finished with the taxes"."""
    ws, at = clause.words, clause.verb
    present = clause.aux[:1] in (("am",), ("'m",), ("are",), ("'re",))
    if not (clause.passive and present) or ws[at].low not in ("done", "finished") or len(clause.rest) < 2:
        return
    span = object_after(clause, at + 2) if clause.rest[0].low == "with" else None
    if span and ws[span[0]].low in ("the", "my", "our") and not _people(ws, span):
        yield _deed(clause, (at, span[1]), "do", clause.text(*span))


def _people(ws: list[Word], span: Span) -> bool:
    return any(w.low in words("kin") for w in ws[span[0] : span[1]])


def _deed(clause: Clause, span: Span, verb: str, target: str) -> Draft:
    return make(
        clause, "to_do", span, kind="open_item", subject="user", done=True, temporal="past", timed=False, polarity="positive",
        details={"verb": verb, "owner": "user", "target": target},
    )  # fmt: skip
