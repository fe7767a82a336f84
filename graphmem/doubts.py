"""What only the owner can decide: suggestions, and statements that cannot both hold, put as questions.

Invariant: asking records nothing.  The id of a question is a keyed hash of what it shows, the statements by their content
hashes: another text, another partner or a decision that was taken back is another question, and each takes one answer.
What the speaker himself put as a mere possibility is no question: nobody claimed it.
"""

from __future__ import annotations

from graphmem.errors import InputError, QuestionAnswered, QuestionChanged, QuestionMismatch
from graphmem.graph.base import Node
from graphmem.ledger import Ledger
from graphmem.model import Contradiction, Evidence, Question, Statement
from graphmem.periods import date
from graphmem.reading import Reader, is_summary
from graphmem.records import key

ANSWERED = "question answered"  # the type of the ledger's entry, whose first subject is the question


def open_questions(reader: Reader, *, secret: str) -> list[Question]:
    """All questions that wait for an answer: contradictions first, each group in order of saying.

    Args:
        reader: what the memory holds.
        secret: the space's, which keys the ids.
    """
    clashes = [_of_contradiction(found, secret) for found in reader.contradictions("open")]
    guesses = [
        _of_suggestion(statement, reader.node(statement.id), secret)
        for statement in reader.statements(status="suggested")
        if statement.tier == "inferred" and statement.modality in ("asserted", "intended") and not is_summary(statement)
    ]
    return [*clashes, *guesses]


def asked(reader: Reader, ledger: Ledger, question: object, id_: str) -> Question:
    """The open question with this id, if it asks about the statement.

    Raises:
        QuestionAnswered, QuestionChanged, QuestionMismatch: it takes no answer, or not this one.
    """
    if not isinstance(question, str):
        raise InputError(f"question must be the id of a question, not {type(question).__name__}")
    if any(entry.type == ANSWERED for entry in ledger.about(question)):
        raise QuestionAnswered(f"question {question!r} was answered before: see `graphmem open-questions` for those that wait")
    found = next((one for one in open_questions(reader, secret=ledger.secret) if one.id == question), None)
    if found is None:
        raise QuestionChanged(
            f"question {question!r} is not open: what it asked about has changed since; see `graphmem open-questions` for "
            "those that wait"
        )
    if id_ not in {statement.id for statement in found.statements}:
        raise QuestionMismatch(f"question {question!r} does not ask about statement {id_}: answer with one of its statements")
    return found


def _of_contradiction(found: Contradiction, secret: str) -> Question:
    sides = (found.a, found.b)
    words = "; ".join(_said(side) for side in sides)
    words = words[:1].upper() + words[1:]
    return Question(
        id=key("q", secret, "contradicted", found.id, *_shown(sides)),
        kind="contradicted",
        text=f"{words}. Which holds: {found.a.text}, or {found.b.text}?",
        statements=sides,
        contradiction=found.id,
    )


def _of_suggestion(statement: Statement, node: Node, secret: str) -> Question:
    # A suggestion that was put right and holds again, because that was withdrawn, is a new question.
    words = _said(statement)
    before = sorted(link.id for link, gone in node.links if link.kind == "CORRECTS" and link.target == statement.id and gone)
    return Question(
        id=key("q", secret, "suggested", *_shown((statement,)), *before),
        kind="suggested",
        text=f"{words[:1].upper()}{words[1:]}. Is this right: {statement.text}?",
        statements=(statement,),
    )


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
