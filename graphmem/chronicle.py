"""Changes in sentences, by subject and month: what became of what, when, and in whose words.

Invariant: a sentence says no more than its records: the relation in the words of the relation table, the time as precisely
as it is known, and behind it the quote with the day on which it was said.  The lines come in the order of the changes.
Text from conversations is made plain, so that neither a terminal nor a prompt takes it for anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from graphmem.context import plain
from graphmem.model import Change, Clock, Evidence, Statement
from graphmem.ontology import Relation, relation, relations
from graphmem.periods import by, date, due_day, month, period, span, when

SHORT = 12  # characters of an id that are shown
_USER = "user"
# Relations whose statements have a wording of their own (`admission.render`).
_WORDED = frozenset({"attribute", "favourite", "told"})


def chronicle(changes: Iterable[Change], *, clock: Clock = "told") -> str:
    """All changes as text, grouped by whom they are about and by month; "" if there are none.

    Args:
        changes: from `Memory.changes`.
        clock: the one they were asked by; with `recorded` each line tells the day of recording too.
    """
    groups: dict[str, list[Change]] = {}
    for change in _condensed(list(changes)):
        groups.setdefault(_about(change), []).append(change)
    lines: list[str] = []
    for subject in sorted(groups, key=lambda name: (name != _USER, name == "", name)):
        lines.append({_USER: "User", "": "Forgotten"}.get(subject) or plain(subject))
        shown = ""
        for change in groups[subject]:
            if month(change.at) != shown:
                shown = month(change.at)
                lines.append(f"  {shown}")
            lines.append(f"    {change.at.day:>2}  {sentence(change, clock=clock)}{_name(change)}")
    return "\n".join(lines)


def sentence(change: Change, *, clock: Clock = "told") -> str:
    """One change as a sentence, with its cause in brackets.

    Example: `In May 2026 User moved from Berlin to Lisbon (said on 14 May 2026: “I moved to Lisbon this month”).`
    """
    words = _capital(plain(_words(change)))
    if change.type == "contradicted" and change.statement is not None:
        return f"{words}."  # it has the words of both sides already
    return f"{words}{_cause(change, clock)}."


def proof(item: Evidence, *, recorded: bool = False) -> str:
    """Who said it when, and in which words."""
    who = f" by {plain(item.speaker)}" if item.speaker else "" if item.role == "user" else f" by the {item.role}"
    more = f", recorded on {date(item.recorded_at)}" if recorded else ""
    return f"said{who} on {date(item.said_at)}{more}: “{plain(item.quote)}”"


def _condensed(changes: list[Change]) -> list[Change]:
    """Without the additions that another change of the same statement tells at the same time: it took a place, or closed."""
    told = {
        (change.statement.id, change.at)
        for change in changes
        if change.statement is not None and change.before is not None and change.type in ("superseded", "corrected", "ended")
    }
    return [c for c in changes if c.type != "added" or c.statement is None or (c.statement.id, c.at) not in told]


def _about(change: Change) -> str:
    statement = change.statement or change.before
    return statement.subject if statement is not None else ""


def _name(change: Change) -> str:
    """The beginning of the id by which the statement can be traced."""
    return f" [{change.statement.id[:SHORT]}]" if change.statement is not None else ""


def _cause(change: Change, clock: Clock) -> str:
    if isinstance(change.cause, Evidence):
        return f" ({proof(change.cause, recorded=clock == 'recorded')})"
    return f" (by {plain(change.cause)}, {date(change.at)})" if change.cause else ""


def _words(change: Change) -> str:
    now, before = change.statement, change.before
    if now is None:
        return "Statements were erased"
    if change.type == "superseded" and before is not None:
        return _superseded(now, before)
    if change.type == "ended":
        return _ended(now, before)
    if change.type == "corrected" and before is not None:
        return f"never true: {before.text}; right is: {now.text}"
    if change.type == "contradicted" and before is not None:
        sides = " and ".join(_side(side) for side in (before, now))
        return f"these cannot both hold: {sides}"
    if change.type == "added":
        return _added(now)
    return {"retracted": "withdrawn", "confirmed": "confirmed", "expired": "expired"}.get(change.type, change.type) + (
        f": {now.text}"
    )


def _side(statement: Statement) -> str:
    shown = f" ({proof(statement.evidence[0])})" if statement.evidence else ""
    return f"{statement.text}{shown}"


def _added(now: Statement) -> str:
    """A statement as it came in; what was said later about its end is told where that came in."""
    start, precision = now.valid_from, now.valid_granularity
    if now.kind == "open_item":
        due = now.details.get("due")
        return f"to do: {now.text}" + (f", due {date(due_day(due))}" if due else "")
    if now.kind == "procedure":
        return f"standing instruction: {now.text}"
    if now.kind == "episode":
        return f"it happened{f' {when(start, precision)}' if start else ''}: {now.text}"
    if relation(now.predicate).permanence == "permanent":
        return now.text  # its time is its value
    if now.modality == "intended":
        return f"{now.text}, planned for {period(start, precision)}" if start else now.text
    once = _once(now)
    if once:
        held = span(start, None if now.superseded_by else now.valid_to, precision)
        return f"{once} {held}".rstrip()
    if start is None:
        return now.text
    return f"{now.text}, {'from' if _ahead(start, now) else 'since'} {period(start, precision)}"


def _superseded(now: Statement, before: Statement) -> str:
    """What took the place of what; the time is that of the new value, or at the latest that of saying it."""
    if now.kind == "open_item" and before.kind == "open_item":
        dates = [date(due_day(one.details["due"])) if one.details.get("due") else "no date" for one in (before, now)]
        return f"the deadline of “{now.text}” was moved from {dates[0]} to {dates[1]}"
    start, row = now.valid_from, relation(now.predicate)
    alike = now.predicate == before.predicate and now.polarity == before.polarity == "positive" and not _formerly(now)
    if alike and row.became and not _ahead(start, now):
        told = row.became.replace("{before}", before.object).replace("{object}", now.object)
        return _deed(now, told, start, now)
    if alike and _plain_wording(now, row):
        holds = f"{_who(now)} {row.phrase.replace('{object}', now.object)}{_scope(now)}"
        return f"{_from_then(start, now)} {holds} instead of {before.object}"
    return f"{_from_then(start, now)}: {now.text}; before: {before.text}"


def _ended(now: Statement, before: Statement | None) -> str:
    """What is over: a task done, a state that somebody said had ended, or one whose stated time has passed."""
    if before is not None and before.id == now.id:
        return f"the stated time of this is over: {now.text}, {span(now.valid_from, now.valid_to, now.valid_granularity)}"
    if before is not None and now.details.get("type") == "called_off":
        return f"called off by {date(now.asserted_at)}: {before.text}"
    if before is not None and before.kind == "open_item":
        return f"done by {date(now.asserted_at)}: {before.text}"
    # An end of which nothing is known but that it had come is kept as that of the moment of saying.
    old, end = before or now, now.valid_to if now.valid_to != now.asserted_at else None
    row = relation(old.predicate)
    if row.over and old.polarity == "positive" and old.predicate == now.predicate and not _ahead(end, now):
        by_then = by(end, now.valid_granularity) if end is not None else f"by {date(now.asserted_at)}"
        return f"{by_then} {_who(old)} had {row.over.replace('{object}', old.object)}{_scope(old)}"
    if before is None:
        return f"{_from_then(end, now)}: {now.text}"
    if before.polarity == "positive" and _plain_wording(before, row):
        return (
            f"{_from_then(end, now)} {_who(before)} no longer {row.phrase.replace('{object}', before.object)}{_scope(before)}"
        )
    return f"{_from_then(end, now)} this no longer holds: {before.text}"


def _deed(about: Statement, deed: str, at: datetime | None, told: Statement) -> str:
    """A deed with its time; of a time that is only known to lie before it was told, it had been done by then."""
    if at is None:
        return f"by {date(told.asserted_at)} {_who(about)} had {deed}{_scope(about)}"
    return f"{when(at, told.valid_granularity)} {_who(about)} {deed}{_scope(about)}"


def _from_then(start: datetime | None, told: Statement) -> str:
    """From when on something holds, or by when at the latest it did."""
    if start is None:
        return f"as of {date(told.asserted_at)} at the latest"
    return f"{'from' if _ahead(start, told) else 'as of'} {period(start, told.valid_granularity)}"


def _ahead(start: datetime | None, told: Statement) -> bool:
    """Whether a time lay ahead when it was told."""
    return start is not None and start > told.asserted_at


def _once(statement: Statement) -> str:
    """A statement about the past in the past tense, "" if it is not about the past or has no such wording."""
    past = relation(statement.predicate).past
    if not past or not _formerly(statement) or statement.polarity != "positive":
        return ""
    return f"{_who(statement)} {past.replace('{object}', statement.object)}{_scope(statement)}"


def _plain_wording(statement: Statement, row: Relation) -> bool:
    return statement.predicate in relations() and statement.predicate not in _WORDED and "{object}" in row.phrase


def _who(statement: Statement) -> str:
    return "User" if statement.subject == _USER else statement.subject


def _scope(statement: Statement) -> str:
    return f" ({statement.context})" if statement.context else ""


def _formerly(statement: Statement) -> bool:
    """Whether it is told of the past (the wording is that of `admission.render`)."""
    return statement.text.startswith(f"{_who(statement)} formerly ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
