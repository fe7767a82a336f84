"""The report of an audit: one list of blocks, written as HTML or as Markdown.

Invariant: words from conversations are shown as text, whatever they hold: no markup, script or direction mark of theirs
acts on the page around them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from graphmem.access import Access
from graphmem.bundle import Bundle
from graphmem.context import visible
from graphmem.graph.base import Node
from graphmem.model import Evidence, Statement, VerifyReport, iso
from graphmem.reading import Reader
from graphmem.records import TurnRecord
from graphmem.tracing import named_by, relation_of, tier_steps

FORMATS = ("html", "markdown")
AROUND = 1  # turns shown before and after a quoted one
LONGEST = 400  # characters of a turn beside the quote
REASONS = {
    "inferred": "inferred, not provided",
    "derived": "made from other statements",
    "withdrawn": "withdrawn or corrected",
    "not_current": "does not hold now",
    "not_provided": "not said by user or assistant",
    "not_quoted": "not quoted from",
    "recorded_later": "recorded later",
}


class Violation(NamedTuple):
    """A node that has not its published shape."""

    shape: str
    node: str
    why: str


class Audit(NamedTuple):
    """What an audit found.

    Attributes:
        verify: quotes, chain, projection, and the anchor.
        shapes: what breaks the published shapes; None if they were not checked.
        checks: what the checks across nodes returned, as (check, terms).
        report: for a person.
        findings: the violations and what the checks returned in words, each statement by its id and text.
        anchor: the ledger's end, to be kept elsewhere.
    """

    verify: VerifyReport
    shapes: tuple[Violation, ...] | None
    checks: tuple[tuple[str, tuple[str, ...]], ...]
    report: str
    anchor: str
    findings: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not (self.verify.problems or self.shapes or self.checks)


class Block(NamedTuple):
    """A piece of the report: `h1` to `h3`, `p`, `li`, `quote` (before, marked, after) or `turn`."""

    kind: str
    parts: tuple[str, ...]


def write(audit: Audit, bundle: Bundle, reader: Reader, looks: Sequence[Access], *, format: str) -> str:
    """Write the report."""
    blocks = [*_head(audit, bundle), *_statements(bundle, reader), *_conflicts(bundle), *_gone(bundle, looks)]
    return _html(blocks, bundle) if format == "html" else _markdown(blocks)


def _head(audit: Audit, bundle: Bundle) -> Iterator[Block]:
    yield Block("h1", (f"Audit of the memory of {bundle.user}",))
    made = iso(bundle.exported_at or bundle.known_at)
    yield Block("p", (f"Space {bundle.space}, as of {iso(bundle.at)}, made {made}. Ledger's end: {audit.anchor}",))
    yield Block("h2", ("What was checked",))
    found = audit.verify
    yield Block("li", (f"Quotes: {found.quotes_checked} looked up in the ledger, {len(found.quotes_broken)} broken.",))
    yield Block("li", (f"Ledger: {found.ledger_entries} entries, {'whole' if found.ledger_ok else 'DAMAGED'}.",))
    yield Block("li", (f"Graph: {'equal to' if found.projection_equal else 'DIFFERS from'} one built anew.",))
    shapes = "not checked (extra shacl)" if audit.shapes is None else f"{len(audit.shapes)} violations"
    yield Block("li", (f"Published shapes: {shapes}.",))
    yield Block("li", (f"Checks across nodes: {len(audit.checks)} findings.",))
    for problem in found.problems:
        yield Block("li", (f"PROBLEM: {problem}",))
    for words in audit.findings:
        yield Block("li", (words.upper()[:1] + words[1:],))


def _statements(bundle: Bundle, reader: Reader) -> Iterator[Block]:
    nodes = {node.record.id: node for node in bundle.nodes}
    sessions: dict[str, list[TurnRecord]] = {}
    for turn in sorted(bundle.turns, key=lambda turn: (turn.session, turn.position)):
        sessions.setdefault(turn.session, []).append(turn)
    yield Block("h2", (f"Statements ({len(bundle.statements)})",))
    shown = {statement.id: statement for statement in bundle.statements}
    for statement in bundle.statements:
        others = [shown[id_] for id_ in named_by(statement) if id_ in shown]
        yield from _statement(statement, nodes[statement.id], sessions, others, reader.known_at)


def _statement(
    statement: Statement,
    node: Node,
    sessions: dict[str, list[TurnRecord]],
    others: Sequence[Statement],
    known_at: datetime,
) -> Iterator[Block]:
    yield Block("h3", (statement.text,))
    since = f" from {statement.valid_from.date()}" if statement.valid_from else ""
    until = f" until {statement.valid_to.date()}" if statement.valid_to else ""
    disputed = ", disputed" if statement.contradicts else ""
    yield Block("p", (f"{statement.id}: {statement.status}, {statement.tier}{disputed}{since}{until}.",))
    record = node.record
    said, kept = iso(record.asserted_at), iso(record.recorded_at)
    yield Block("li", (f"Said {said}, recorded {kept}, proposed by {record.extractor} (rule {record.rule}).",))
    for step in tier_steps(node, known_at):
        yield Block("li", (f"{step.tier.capitalize()} since {iso(step.at)}: {step.by}.",))
    if node.retirement is not None:
        yield Block("li", (f"Withdrawn {iso(node.retirement.at)} by {node.retirement.actor}: {node.retirement.reason}",))
    for other in others:
        yield Block("li", (f"{relation_of(statement, other.id)}: {other.text} ({other.id}, {other.status}).",))
    for item in statement.evidence:
        yield from _quote(item, sessions.get(item.session, []))


def _quote(item: Evidence, turns: list[TurnRecord]) -> Iterator[Block]:
    place = next((number for number, turn in enumerate(turns) if turn.id == item.turn), None)
    if place is None:
        return
    for number in range(max(0, place - AROUND), min(len(turns), place + AROUND + 1)):
        turn = turns[number]
        who = f"{turn.speaker or turn.role}, {iso(turn.time)}, session {turn.session}, turn {turn.id}"
        if number != place:
            yield Block("turn", (who, turn.text[:LONGEST]))
            continue
        text = turn.text
        yield Block("quote", (who, text[: item.start][-LONGEST:], text[item.start : item.end], text[item.end :][:LONGEST]))


def _conflicts(bundle: Bundle) -> Iterator[Block]:
    yield Block("h2", (f"Contradictions ({len(bundle.contradictions)})",))
    for pair in bundle.contradictions:
        yield Block("h3", (f"{pair.a.text} ≠ {pair.b.text}",))
        settled = f"resolved: {pair.resolution}" if pair.resolution else "open"
        yield Block("p", (f"{pair.id}, rule {pair.rule}, since {iso(pair.opened_at)}; {settled}.",))
        for side in (pair.a, pair.b):
            for item in side.evidence[:1]:
                yield Block("li", (f"{side.id} ({side.status}, {side.tier}), said {iso(item.said_at)}: “{item.quote}”",))


def _gone(bundle: Bundle, looks: Sequence[Access]) -> Iterator[Block]:
    yield Block("h2", (f"Erased ({len(bundle.erasures)})",))
    for gone in bundle.erasures:
        yield Block("li", (f"{iso(gone.at)}: statements {gone.statements}, whole turns {gone.turns} (entry {gone.seq}).",))
    yield Block("h2", ("Left out of this report",))
    if not bundle.left_out:
        yield Block("p", ("Nothing.",))
    for item in bundle.left_out:
        yield Block("li", (f"{item.number} of kind {item.what}: {REASONS[item.reason]}.",))
    yield Block("h2", (f"Who looked ({len(looks)})",))
    for look in looks:
        yield Block("li", (f"{iso(look.at)}: {look.actor} as {look.role}: {look.what}. For: {look.purpose}",))


_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "blockquote{margin:.3em 0 .3em 1em;padding-left:.8em;border-left:3px solid #999}"
    "blockquote.near{color:#666;border-color:#ddd}mark{background:#ffe9a8}small{color:#555}"
    "h3{margin-bottom:.2em}"
)


def _html(blocks: Sequence[Block], bundle: Bundle) -> str:
    # A whole block is isolated, so that a mark of direction in its words ends with it.
    def text(words: str) -> str:
        return f"<bdi>{html.escape(visible(words))}</bdi>"

    rows = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{html.escape(visible(bundle.user))}</title>",
    ]
    rows.append(f"<style>{_STYLE}</style></head><body>")
    listed = False
    for kind, parts in blocks:
        if (kind == "li") != listed:
            rows.append("<ul>" if kind == "li" else "</ul>")
            listed = kind == "li"
        if kind == "quote":
            who, before, marked, after = map(text, parts)
            rows.append(f"<blockquote><small>{who}</small><br>{before}<mark>{marked}</mark>{after}</blockquote>")
        elif kind == "turn":
            rows.append(f'<blockquote class="near"><small>{text(parts[0])}</small><br>{text(parts[1])}</blockquote>')
        else:
            rows.append(f"<{kind}>{text(parts[0])}</{kind}>")
    rows.append(("</ul>" if listed else "") + "</body></html>")
    return "\n".join(rows) + "\n"


def _markdown(blocks: Sequence[Block]) -> str:
    def text(words: str) -> str:
        return re.sub(r"([\\`*_{}\[\]#|!~])", r"\\\1", html.escape(visible(words), quote=False))

    rows: list[str] = []
    before = ""
    marks = {"h1": "# ", "h2": "## ", "h3": "### ", "p": "", "li": "- "}
    for kind, parts in blocks:
        if not (kind == before == "li"):
            rows.append("")
        before = kind
        if kind == "quote":
            who, left, marked, right = map(text, parts)
            rows.append(f"> {who}:\n> {left}**«{marked}»**{right}")
        elif kind == "turn":
            rows.append(f"> {text(parts[0])}:\n> {text(parts[1])}")
        else:
            rows.append(marks[kind] + text(parts[0]))
    return "\n".join(rows).lstrip("\n") + "\n"
