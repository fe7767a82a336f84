"""Rules about what happened: milestones, decisions, dated deeds, and deeds that close a task.

Invariant: an episode needs a date or a listed milestone; a deed that is neither may only close an open item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.outcomes import BODIES, DECISIONS, OUTCOME, VERDICTS, sort_of
from graphmem.extractors.phrases import Span, head, is_time
from graphmem.extractors.plans import content_of, verb_phrase
from graphmem.extractors.tasks import to_be_seen

_DEEDS = words("milestones")


_UNTIMED = words("milestones_untimed")


PAST: dict[str, Any] = {"kind": "episode", "temporal": "past"}
# Deeds that are told without a subject and a date: "Passed!", "broke my wrist".
_TOLD_BARE = frozenset({"pass", "graduate", "hire", "break", "fall", "win", "lose"})
_PROBLEM_NOUNS = frozenset({"fix", "solution", "workaround", "culprit", "cause", "trick"})


def happened(clause: Clause) -> bool:
    """Whether the clause tells of something that took place: past, or a perfect of a milestone by the speaker."""
    if clause.negated or clause.used_to or clause.lemma in ("be", "use"):
        return False
    if clause.perfect:
        return clause.lemma in _UNTIMED | DECISIONS and clause.subject.kind == "user"
    bare_past = clause.tag in ("VBD", "VBN") and not clause.aux
    return clause.past or bare_past or (clause.passive and any(a in ("was", "were", "got") for a in clause.aux))


def _ours(clause: Clause) -> bool:
    """The speaker, "they" who do something to the speaker, or something of the speaker's ("our offer", not "the meeting")."""
    subject = clause.subject
    if subject.kind == "pronoun":
        return subject.text.lower() == "they" and clause.lemma in _DEEDS
    if subject.kind == "other":
        body = (
            subject.head >= 0
            and clause.words[subject.head].low in BODIES
            and clause.words[subject.start].low in ("the", "our", "my")
        )
        if body and clause.lemma in VERDICTS and _timed(clause):
            return True
        return subject.start >= 0 and any(w.low in ("our", "my") for w in clause.words[clause.start : subject.end])
    return subject.kind in ("user", "implied", "possessed")


def _timed(clause: Clause) -> bool:
    return any(w.time for w in clause.words[clause.start : clause.end])


def _dated_by_speaker(clause: Clause) -> bool:
    return _timed(clause) and clause.speaker


def _we(clause: Clause) -> str | None:
    """As in "they refused the loan": what unnamed others did to the speaker is the speaker's event."""
    return "user" if clause.subject.kind in ("pronoun", "other") else None


@rule(("the fix was to pin numpy below 2", "episode: to pin numpy below 2"), anyone=False, fragments=False)
def solution(clause: Clause) -> Iterator[Draft]:
    """What solved a problem, or caused it."""
    if clause.lemma != "be" or not clause.past or clause.subject.start < 0 or clause.negated:
        return
    if clause.words[clause.subject.head].low not in _PROBLEM_NOUNS or len(clause.rest) < 2:
        return
    if clause.rest[0].low == "to" or clause.rest[0].tag in ("DT", "NN", "VBG"):
        yield make(clause, "episode", (clause.verb + 1, clause.end), subject="user", details={"type": "solution"}, **PAST)


@rule(
    ("we decided last week to leave Bitbucket", "episode: to leave Bitbucket"),
    ("In May we chose plan D", "episode: plan D"),
    ("we agreed that releases need two approvals", "episode: releases need two approvals"),
)
def decision(clause: Clause) -> Iterator[Draft]:
    """Deciding, agreeing, choosing."""
    ws = clause.words
    if clause.lemma not in DECISIONS or not happened(clause) or not _ours(clause):
        return
    inner = next(
        (
            w
            for w in clause.rest
            if (w.low in ("to", "on", "that", "against", "not") and not _before_time(ws, w)) or w.tag == "VBG"
        ),
        None,
    )
    start = inner.i if inner else clause.verb + 1
    dated = any(w.time for w in ws[clause.verb + 1 : start])
    if clause.lemma in ("choose", "pick") and not (inner and dated):
        start = clause.verb + 1
    end = clause.end
    if all(w.time or w.low in ("on", "in", "at") for w in clause.rest) and end < len(ws) and ws[end].low == "that":
        # "we agreed that ...": what was agreed is the next clause.
        start, inner = end, ws[end]
        end = next((w.i for w in ws[end:] if w.low in (",", ";")), len(ws))
    while end > start and ws[end - 1].is_mark:
        end -= 1
    while end > start + 1 and (ws[end - 1].time or ws[end - 1].is_mark):
        end -= 1
    if start < len(ws) and (ws[start].tag == "RP" or ws[start].low in ("up", "off", "out", "at")):
        # "picked it up at school", "picked at": no choice.
        return
    if start >= end or (clause.lemma == "agree" and (inner is None or end - start < 3)):
        return
    if ws[start].low == "that" and start + 1 < end:
        start += 1
    if clause.lemma in ("choose", "pick") and end - start == 1 and not ws[start].text[:1].isupper():
        return
    if end - start >= (2 if clause.lemma == "decide" else 1) and ws[start].low not in words("anaphora"):
        yield make(clause, "episode", (start, end), subject=_we(clause), details={"type": "decision"}, importance=0.6, **PAST)


def _before_time(ws: list[Word], word: Word) -> bool:
    """As in "on Tuesday": the preposition of a date opens no content."""
    return word.time or (word.i + 1 < len(ws) and ws[word.i + 1].time)


@rule(("our bid for the van got rejected today", "episode: bid for the van got rejected"), fragments=False)
def done_to_ours(clause: Clause) -> Iterator[Draft]:
    """What was done to something of the speaker's: "my flight got cancelled"."""
    if not clause.passive or clause.subject.kind not in ("possessed", "other") or clause.subject.start < 0:
        return
    lasting = clause.lemma in _UNTIMED | DECISIONS or (clause.lemma in _DEEDS and _timed(clause))
    if not lasting or not happened(clause) or not _ours(clause) or _person(clause):
        return
    own = next((w.i for w in clause.words[clause.start : clause.verb] if w.low in ("my", "our")), clause.subject.start)
    span = (own + 1, clause.verb + 1)
    yield make(clause, "episode", span, subject="user", details={"type": "milestone"}, importance=0.6, **PAST)


@rule(("I got promoted in March", "episode: got promoted"), anyone=False)
def done_to_me(clause: Clause) -> Iterator[Draft]:
    """What was done to the speaker: "I got fired last week", "we were burgled in May"."""
    if not clause.passive or not clause.speaker or not happened(clause) or clause.lemma not in _DEEDS | {"rob", "burgle"}:
        return
    if (
        not (_timed(clause) or clause.has("just", "finally"))
        or not clause.aux
        or clause.aux[-1] not in ("got", "was", "were", "been")
    ):
        return
    if content_of(clause, clause.verb) is None:
        yield make(
            clause, "episode", (clause.verb - 1, clause.verb + 1), details={"type": sort_of(clause)}, importance=0.7, **PAST
        )


_BEFELL = re.compile(
    r"(?:fall|go|come|get) through|(?:go|break|burn|shut|come) down|(?:pack|blow|freeze|seize|dry) up|(?:give|conk|cut|"
    r"run) out|"
    r"(?:fall|come) apart|burst|flood|collapse|crash|explode|expire|fail|stall|derail"
)


@rule(
    ("the flat sale fell through on Tuesday", "episode: flat sale fell through"),
    ("our boiler packed up last night", "episode: boiler packed up"),
    anyone=False,
    fragments=False,
)
def befell(clause: Clause) -> Iterator[Draft]:
    """What befell something of the speaker's on a day: "the sale fell through on Tuesday", "our server went down"."""
    ws, subject = clause.words, clause.subject
    if subject.start < 0 or subject.kind not in ("possessed", "other") or clause.negated or not clause.past or clause.passive:
        return
    found = _BEFELL.match(" ".join([clause.lemma, *(w.low for w in clause.rest[:1])]))
    if not found or not _timed(clause) or _person(clause) or ws[subject.start].low not in ("the", "my", "our"):
        return
    last = clause.verb + 1 + found.group().count(" ")
    span = (subject.start + 1, last)
    yield make(clause, "episode", span, subject="user", details={"type": "event"}, importance=0.5, **PAST)


@rule(("my talk went really well on Tuesday", "episode: my talk went really well"), fragments=False, anyone=False)
def how_it_went(clause: Clause) -> Iterator[Draft]:
    """As in "my exam went badly yesterday"."""
    if clause.lemma != "go" or not clause.past or clause.negated or clause.subject.kind != "possessed" or not _timed(clause):
        return
    said = " ".join(w.low for w in clause.words[clause.verb : clause.end])
    found = OUTCOME.match(said)
    if found and clause.words[clause.subject.head].low in words("appointments") | {"talk", "speech", "pitch", "date", "visit"}:
        end = clause.verb + found.group().count(" ") + 1
        span = (clause.subject.start, min(end, clause.end))
        yield make(clause, "episode", span, subject="user", details={"type": "event"}, importance=0.6, **PAST)


@rule(("I got the job", "episode: got the job"), anyone=False)
def prize(clause: Clause) -> Iterator[Draft]:
    """Getting the job, the visa, the keys."""
    if clause.lemma != "get" or not happened(clause) or _timed(clause) or not clause.speaker or not clause.rest:
        return
    span = object_after(clause, clause.verb + 1) if clause.rest[0].low in ("the", "a", "my", "our") else None
    if span and head(clause.words, *span).low in words("prizes"):
        yield make(clause, "episode", (clause.verb, span[1]), details={"type": "milestone"}, importance=0.7, **PAST)


@rule(
    ("Had the interview at Nokia this morning", "episode: the interview at Nokia"),
    ("just got back from two weeks in Peru", "episode: two weeks in Peru"),
    ("Yesterday I went to a council meeting", "episode: council meeting"),
)
def outing(clause: Clause) -> Iterator[Draft]:
    """Light verbs with the event in their object: had an interview, went to a parade, got back from Peru."""
    ws = clause.words
    if clause.lemma == "see" and not clause.rest and clause.speaker and not clause.negated:
        # "saw Björk live in 2018": the parser makes a clause of what was seen.
        seen = _seen(clause)
        if seen:
            yield make(clause, "episode", (clause.verb, seen[1]), details={"type": "event"}, **PAST)
        return
    back = clause.lemma in ("get", "come", "return") and clause.has("back", "home") and clause.has("from")
    light = clause.lemma in words("event_light") or (clause.lemma == "return" and clause.has("from", "to", "home"))
    if not light or not happened(clause) or not _ours(clause) or not (back or _dated_by_speaker(clause)):
        return
    start = clause.verb + 1
    while start < clause.end and ws[start].low in ("back", "home", "from", "to", "a"):
        start += 1
    span = verb_phrase(clause, start) if start < clause.end and not is_time(ws, start) else None
    if span is None and back and (place := preposition(clause, "in")) and ws[place].text[:1].isupper():
        # "back from four weeks in Laos": the stay is measured, not dated.
        span = (start, place + 1)
    if not span or ws[span[0]].low in words("anaphora") - {"here", "there"}:
        return
    if span[1] - span[0] < 2 and ws[span[0]].tag not in ("NN", "NNP", "NNS"):
        return
    if clause.lemma not in ("go", "come", "meet") and ws[span[0]].low in ("to", "no", "some", "so", "such", "that"):
        return
    yield make(clause, "episode", span, details={"type": "event"}, **PAST)


def _seen(clause: Clause) -> Span | None:
    """What was seen, up to its date, where the words after "saw" went to a clause of their own."""
    ws = clause.words
    stop = next((w.i for w in ws[clause.end :] if w.time or w.is_mark), len(ws))
    dated = stop < len(ws) and ws[stop].time
    while stop > clause.end and ws[stop - 1].low in ("in", "on", "at"):
        stop -= 1
    return (clause.end, stop) if dated and stop > clause.end and ws[clause.end].tag.startswith("NNP") else None


@rule(
    ("I tore a ligament in February", "episode: tore a ligament"),
    ("they refused the loan", "episode: refused the loan"),
    ("I passed the exam", "episode: passed the exam"),
    ("We hired Olga on Monday", "episode: hired Olga"),
    ("my manager approved my leave", "episode: approved my leave"),
)
def deed(clause: Clause) -> Iterator[Draft]:
    """A past deed with a date, or a milestone without one."""
    lemma = clause.lemma
    if lemma in words("event_light") or lemma in DECISIONS or not happened(clause) or not _ours(clause):
        return
    if clause.passive and clause.subject.kind in ("possessed", "other") and not _person(clause):
        return
    verdict = lemma in VERDICTS and _timed(clause) and clause.subject.kind == "other"
    if (lemma not in _UNTIMED and not _dated_by_speaker(clause) and not verdict) or lemma in words(
        "no_relation_verbs"
    ) - _DEEDS:
        return
    span, content = verb_phrase(clause, clause.verb), content_of(clause, clause.verb)
    if not span or not _says_what(clause, content):
        return
    if not _timed(clause) and content and any(w.low in words("no_milestone") for w in clause.words[content[0] : content[1]]):
        # "I broke the build", "we lost the connection": of the moment.
        return
    told = _timed(clause) or clause.has("finally", "just") or lemma in _TOLD_BARE
    if clause.subject.kind == "implied" and not told:
        return
    great = lemma in _DEEDS
    kind = sort_of(clause)
    weight = 0.7 if lemma in words("milestones_untimed") and great else 0.6 if great or kind != "event" else 0.4
    yield make(clause, "episode", span, subject=_we(clause), details={"type": kind}, importance=weight, **PAST)


def _says_what(clause: Clause, content: Span | None) -> bool:
    """Whether the words after the verb say what was done; "graduated in May" needs none."""
    if content is None:
        return clause.lemma in ("graduate", "retire", "resign") and _timed(clause)
    empty = words("anaphora") | {"what", "doing", "to", "a", "the", "some"}
    return not all(w.low in empty for w in clause.words[content[0] : content[1]])


def _person(clause: Clause) -> bool:
    ws = clause.words
    return clause.subject.head >= 0 and (
        ws[clause.subject.head].low in words("kin") | words("roles") or ws[clause.subject.head].tag == "NNP"
    )


def finished(clause: Clause) -> Draft | None:
    """A past deed of the speaker, in the shape of a task: it closes an open item that asks for it."""
    ws = clause.words
    if not clause.speaker or clause.negated or clause.used_to or clause.passive or clause.progressive:
        return None
    got = ws[clause.verb].low == "got" and not clause.aux  # which the tagger may take for a present
    if not (got or clause.past or clause.perfect or (clause.tag in ("VBD", "VBN") and not clause.aux)) or (
        not got and clause.lemma in words("no_deed") and not to_be_seen(clause, clause.verb)
    ):
        return None
    content = content_of(clause, clause.verb)
    if content is None or exact(clause, clause.verb + 1, "to"):
        return None
    span = (clause.verb, content[1])
    return make(
        clause,
        "to_do",
        span,
        kind="open_item",
        done=True,
        temporal="past",
        timed=False,
        details={"verb": "get" if got else ws[clause.verb].lemma, "owner": "user", "target": clause.text(*content)},
    )
