"""What only the owner can decide: suggestions, and statements that cannot both hold, put as questions.

Invariant: asking records nothing.  The id of a question is a keyed hash of what it shows, the statements by their content
hashes: another text, another partner or a decision that was taken back is another question, and each takes one answer.
An id has an end (the setting `questions`): what nobody decided by then is asked on under a new one.
What the speaker himself put as a mere possibility is no question: nobody claimed it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from graphmem.checks import brief
from graphmem.errors import InputError, QuestionAnswered, QuestionChanged, QuestionExpired, QuestionMismatch
from graphmem.graph.base import Node
from graphmem.ledger import Ledger
from graphmem.model import Contradiction, Evidence, Question, Statement
from graphmem.periods import date
from graphmem.permits import is_id
from graphmem.reading import Reader, is_summary
from graphmem.records import key
from graphmem.settings import settings_of

ANSWERED = "question answered"  # the type of the ledger's entry, whose first subject is the question
_TERMS = 1_000  # so many terms back an id is still known to be an old one


class _Matter(NamedTuple):
    """What there is to decide: the question without its id, what the id is made from, and since when it is open."""

    question: Question
    parts: tuple[str, ...]
    since: datetime


def open_questions(reader: Reader, *, secret: str, days: int | None) -> list[Question]:
    """All questions that wait for an answer: contradictions first, each group in order of saying.

    Args:
        reader: what the memory holds.
        secret: the space's, which keys the ids.
        days: how long an id is good at least; None for ever.
    """
    found = []
    for matter in _matters(reader):
        term = _term(matter, reader.at, days)
        end = None
        if days is not None and matter.since.year < 9000:
            # Whoever was asked on the last day of a term has all of the next one to answer.
            end = matter.since + (term + 2) * timedelta(days)
        found.append(matter.question.model_copy(update={"id": _id(matter, term, secret), "expires_at": end}))
    return found


def _matters(reader: Reader) -> list[_Matter]:
    clashes = [_of_contradiction(found) for found in reader.contradictions("open")]
    guesses = [
        _of_suggestion(statement, reader.node(statement.id))
        for statement in reader.statements(status="suggested")
        if statement.tier == "inferred" and statement.modality in ("asserted", "intended") and not is_summary(statement)
    ]
    return [*clashes, *guesses]


def _term(matter: _Matter, now: datetime, days: int | None) -> int:
    """In which of the terms that follow each other from the beginning the matter stands."""
    return 0 if days is None else max(0, (now - matter.since) // timedelta(days))


def _id(matter: _Matter, term: int, secret: str) -> str:
    return key("q", secret, *matter.parts, *([f"term {term}"] if term else []))


def asked(reader: Reader, ledger: Ledger, question: object, id_: str) -> Question:
    """The open question with this id, if it asks about the statement.

    Raises:
        QuestionAnswered, QuestionExpired, QuestionChanged, QuestionMismatch: it takes no answer, or not this one.
    """
    if not isinstance(question, str):
        raise InputError(f"question must be the id of a question, not {type(question).__name__}")
    if is_id(question) and any(entry.type == ANSWERED for entry in ledger.about(question)):
        raise QuestionAnswered(
            f"question {brief(question)} was answered before: see `graphmem open-questions` for those that wait"
        )
    found, days = None, settings_of(ledger).questions
    for matter in _matters(reader):
        last = _term(matter, reader.at, days)
        for term in range(last, max(-1, last - _TERMS), -1):
            if _id(matter, term, ledger.secret) != question:
                continue
            if term < last - 1:
                raise QuestionExpired(
                    f"question {brief(question)} was asked more than {days} days ago and takes no answer any more: see "
                    "`graphmem open-questions` for it as it stands now"
                )
            found = matter.question.model_copy(update={"id": question})
    if found is None:
        raise QuestionChanged(
            f"question {brief(question)} is not open: what it asked about has changed since; see `graphmem open-questions` for "
            "those that wait"
        )
    if id_ not in {statement.id for statement in found.statements}:
        raise QuestionMismatch(
            f"question {brief(question)} does not ask about statement {id_}: answer with one of its statements"
        )
    return found


def _of_contradiction(found: Contradiction) -> _Matter:
    sides = (found.a, found.b)
    words = "; ".join(_said(side) for side in sides)
    words = words[:1].upper() + words[1:]
    question = Question(
        id="",
        kind="contradicted",
        text=f"{words}. Which holds: {found.a.text}, or {found.b.text}?",
        statements=sides,
        contradiction=found.id,
    )
    return _Matter(question, ("contradicted", found.id, *_shown(sides)), found.opened_at)


def _of_suggestion(statement: Statement, node: Node) -> _Matter:
    # A suggestion that was put right and holds again, because that was withdrawn, is a new question.
    words = _said(statement)
    before = sorted(link.id for link, gone in node.links if link.kind == "CORRECTS" and link.target == statement.id and gone)
    question = Question(
        id="",
        kind="suggested",
        text=f"{words[:1].upper()}{words[1:]}. Is this right: {statement.text}?",
        statements=(statement,),
    )
    return _Matter(question, ("suggested", *_shown((statement,)), *before), statement.recorded_at)


def _shown(statements: tuple[Statement, ...]) -> list[str]:
    return [part for statement in statements for part in (statement.id, statement.content_hash)]


def _said(statement: Statement) -> str:
    if not statement.evidence:
        return f"it is kept that {statement.text}"
    item = statement.evidence[0]
    return f"on {date(item.said_at)} {_speaker(item)} said “{item.quote}”"


def _speaker(item: Evidence) -> str:
    if item.speaker:
        return item.speaker
    return {"user": "you", "assistant": "the assistant"}.get(item.role, f"a {item.role}")
