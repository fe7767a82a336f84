"""Forgetting: statements, the words they rest on and everything derived from them, gone from every file of the space.

Invariant: an erasure is one ledger operation that says what went without saying what it was.  Erased characters in a turn
are replaced one for one, so the offsets of all other quotes stay right; whatever rests on an erased character goes too.
The graph is built anew in a new generation and the old files are removed, because an engine keeps deleted bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import InputError, SessionError
from graphmem.graph.base import Node
from graphmem.ingest import ERASED
from graphmem.ledger import Draft
from graphmem.model import ErasureReceipt
from graphmem.records import TurnRecord, key
from graphmem.space import Space

NOT_COVERED = (
    "copies made by the file system, the disk or swap",
    "backups and exports made earlier",
    "what a language model or another program was shown",
)
SHORTEST_NEEDLE = 4  # a shorter text would be found by chance


class Scope(NamedTuple):
    """What is to go: statements by id, and whole turns by key."""

    statements: frozenset[str]
    turns: frozenset[str]


def scope_of(
    nodes: Iterable[Node],
    turns: Iterable[TurnRecord],
    *,
    id_: str | None = None,
    topic: str | None = None,
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    clock: str = "told",
    everything: bool = False,
) -> Scope:
    """The statements and turns that a request names, before its consequences (`closure`)."""
    nodes, turns = list(nodes), list(turns)
    if everything:
        return Scope(frozenset(n.record.id for n in nodes), frozenset(t.key for t in turns))
    if id_ is not None:
        return Scope(frozenset({id_}), frozenset())
    if session is not None:
        if all(turn.session != session for turn in turns):
            raise SessionError(f"no session {session!r} in this space: see `graphmem sessions` for the ids")
        return Scope(frozenset(), frozenset(t.key for t in turns if t.session == session))
    if topic is not None:
        return _topic(nodes, turns, topic)
    inside = [t for t in turns if _within(t.time, since, until)]
    if clock == "recorded":
        keys = {e.turn_key for n in nodes for e in n.evidence if _within(e.recorded_at, since, until)}
        inside = [t for t in turns if t.key in keys]
    return Scope(frozenset(), frozenset(t.key for t in inside))


def _within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or at >= since) and (until is None or at < until)


def _topic(nodes: list[Node], turns: list[TurnRecord], topic: str) -> Scope:
    """Statements and turns with a word that begins like each word of the topic (stemmed by its first letters)."""
    from graphmem.canonical import singular, words

    wanted = [singular(word) for word in words(topic)]
    if not wanted:
        raise InputError("topic must hold at least one word")
    stems = [word[: max(4, len(word) - 2)] if len(word) > 5 else word for word in wanted]

    def about(text: str) -> bool:
        present = words(text)
        return all(any(word.startswith(stem) for word in present) for stem in stems)

    found = frozenset(n.record.id for n in nodes if about(n.record.text) or any(about(e.quote) for e in n.evidence))
    return Scope(found, frozenset(t.key for t in turns if about(t.text)))


def closure(scope: Scope, nodes: Iterable[Node]) -> tuple[Scope, dict[str, list[tuple[int, int]]]]:
    """The scope with all that follows from it, and the character ranges to erase by turn.

    A statement with other support keeps it; one that rests only on erased characters, or is derived from an erased
    statement, goes.
    """
    nodes = list(nodes)
    gone = set(scope.statements)
    cuts: dict[str, list[tuple[int, int]]] = {turn: [] for turn in scope.turns}
    while True:
        before = len(gone), sum(map(len, cuts.values()))
        for node in nodes:
            if node.record.id in gone and not _is_summary(node):
                for item in node.evidence:
                    span = item.start, item.end
                    if item.turn_key not in scope.turns and span not in cuts.setdefault(item.turn_key, []):
                        cuts[item.turn_key].append(span)
        for node in nodes:
            if node.record.id in gone:
                continue
            derived = any(
                link.kind == "DERIVED_FROM" and link.source == node.record.id and link.target in gone for link, _ in node.links
            )
            left = [e for e in node.evidence if not _cut(e.turn_key, e.start, e.end, scope, cuts)]
            if derived or not left or (_is_summary(node) and len(left) < len(node.evidence)):
                gone.add(node.record.id)
        if before == (len(gone), sum(map(len, cuts.values()))):
            return Scope(frozenset(gone), scope.turns), cuts


def _is_summary(node: Node) -> bool:
    return node.record.details.get("type") == "session"


def _cut(turn: str, start: int, end: int, scope: Scope, cuts: dict[str, list[tuple[int, int]]]) -> bool:
    return turn in scope.turns or any(low < end and start < high for low, high in cuts.get(turn, ()))


def blanked(text: str, spans: Iterable[tuple[int, int]] | None) -> str:
    """The text with these ranges (None: all of it) replaced one for one."""
    if spans is None:
        return ERASED * len(text)
    chars = list(text)
    for start, end in spans:
        chars[start:end] = ERASED * (end - start)
    return "".join(chars)


def erase(space: Space, scope: Scope, *, named: dict[str, Any], dry_run: bool = False) -> ErasureReceipt:
    """Erase a scope with its consequences and look for leftovers in every file of the space.

    Args:
        space: the open space; its graph is rebuilt.
        scope: from `scope_of`.
        named: what the request named, for the receipt (no text of the memory).
        dry_run: only count.
    """
    nodes = space.graph.nodes()
    turns = {turn.key: turn for turn in space.graph.turns()}
    scope, cuts = closure(scope, nodes)
    now = space.ledger.now()
    touched = [turns[key_] for key_ in cuts if key_ in turns]
    counts = {
        "statements": len(scope.statements),
        "evidence": sum(len(n.evidence) for n in nodes if n.record.id in scope.statements),
        "turns": len(scope.turns),
        "turns_in_part": len(touched) - len(scope.turns & turns.keys()),
    }
    if dry_run or not (scope.statements or touched):
        return ErasureReceipt(scope=named, counts=counts, scanned_files=(), residue_hits=0, not_covered=NOT_COVERED, at=now)
    needles = needles_of(nodes, scope, turns, cuts)
    sequence, body = _plan(space, nodes, scope, turns, cuts)
    subjects = (*sorted(scope.statements), *sorted({turn.session for turn in touched}))
    space.ledger.append(
        f"erase/{key('x', *sorted(scope.statements), *sorted(scope.turns), now.isoformat())}",
        [Draft("erased", subjects, {**body, "blanked": sequence, "counts": counts})],
        at=now,
    )
    finish(space)
    files, hits = scan(space.folder, needles)
    return ErasureReceipt(scope=named, counts=counts, scanned_files=files, residue_hits=hits, not_covered=NOT_COVERED, at=now)


def finish(space: Space) -> None:
    """Carry out what erased entries say; done again after a crash, it changes nothing more."""
    sequence: set[int] = set()
    owners: set[str] = set()
    for entry in space.ledger.erasures():
        if entry.body is not None:
            sequence.update(entry.body["blanked"])
            owners.update(entry.subjects)
            owners.update(turn["key"] for turn in entry.body.get("delta", {}).get("turns", ()))
    space.close_graph()
    space.ledger.blank(sorted(sequence), sorted(owners))
    space.rebuild()


def resume(space: Space) -> None:
    """Finish an erasure that was recorded but not carried out, because the process died in between."""
    if any(entry.body is not None and space.ledger.holds(entry.body["blanked"]) for entry in space.ledger.erasures()):
        space.notices.append("an erasure that had been interrupted was carried out to its end")
        finish(space)


def _plan(
    space: Space,
    nodes: list[Node],
    scope: Scope,
    turns: dict[str, TurnRecord],
    cuts: dict[str, list[tuple[int, int]]],
) -> tuple[list[int], dict[str, Any]]:
    """The entries to blank, and the records that take the place of what else they held."""
    gone_turns = {k: (None if k in scope.turns else spans) for k, spans in cuts.items()}
    sessions = {turns[k].session for k in gone_turns if k in turns}
    keep: dict[str, list[dict[str, Any]]] = {}
    sequence = []
    for entry in space.ledger.entries():
        if entry.body is None:
            continue
        delta = entry.body.get("delta", {})
        hit = False
        if entry.type == "claims rejected":
            hit = bool(sessions & set(entry.subjects))
        elif (
            any(t["key"] in gone_turns for t in delta.get("turns", ()))
            or scope.statements & set(entry.subjects)
            or any(
                e["turn_key"] in gone_turns and _cut(e["turn_key"], e["start"], e["end"], scope, cuts)
                for e in delta.get("evidence", ())
            )
        ):
            hit = True
        if hit:
            sequence.append(entry.seq)
            _remainder(delta, scope, gone_turns, cuts, keep)
    return sequence, {"delta": keep}


def _remainder(
    delta: dict[str, Any],
    scope: Scope,
    gone_turns: dict[str, list[tuple[int, int]] | None],
    cuts: dict[str, list[tuple[int, int]]],
    keep: dict[str, list[dict[str, Any]]],
) -> None:
    """What stays of a blanked entry."""
    for session in delta.get("sessions", ()):
        keep.setdefault("sessions", []).append(session)
    for turn in delta.get("turns", ()):
        if turn["key"] in gone_turns:
            turn = {**turn, "text": blanked(turn["text"], gone_turns[turn["key"]])}
        keep.setdefault("turns", []).append(turn)
    kept = set()
    for statement in delta.get("statements", ()):
        if statement["id"] not in scope.statements:
            kept.add(statement["id"])
            keep.setdefault("statements", []).append(statement)
    for item in delta.get("evidence", ()):
        if item["statement"] not in scope.statements and not _cut(item["turn_key"], item["start"], item["end"], scope, cuts):
            keep.setdefault("evidence", []).append(item)
    if kept:
        keep.setdefault("entities", []).extend(delta.get("entities", ()))
        keep.setdefault("mentions", []).extend(m for m in delta.get("mentions", ()) if m["statement"] in kept)
    for link in delta.get("links", ()):
        if not {link["source"], link["target"]} & scope.statements:
            keep.setdefault("links", []).append(link)
    for name in ("retirements", "confirmations"):
        for item in delta.get(name, ()):
            if item["statement"] not in scope.statements:
                keep.setdefault(name, []).append(item)


def needles_of(
    nodes: list[Node], scope: Scope, turns: dict[str, TurnRecord], cuts: dict[str, list[tuple[int, int]]]
) -> set[bytes]:
    """The erased texts in the forms in which a file could still hold them; kept in memory only."""
    left = " ".join(blanked(turn.text, None if key_ in scope.turns else cuts.get(key_, ())) for key_, turn in turns.items())
    left += " ".join(n.record.text for n in nodes if n.record.id not in scope.statements)
    texts = {n.record.text for n in nodes if n.record.id in scope.statements}
    texts |= {e.quote for n in nodes if n.record.id in scope.statements for e in n.evidence}
    texts |= {turns[k].text for k in scope.turns if k in turns}
    found = set()
    for text in texts:
        if len(text) >= SHORTEST_NEEDLE and text not in left:
            found |= {text.encode("utf-8", "replace"), text.encode("utf-16-le", "replace")}
            found.add(text.encode("ascii", "backslashreplace"))
    return found


def scan(folder: Path, needles: Collection[bytes]) -> tuple[tuple[str, ...], int]:
    """Search all files of a folder; returns the files by name and how many needles were still found."""
    files, hits = [], 0
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            files.append(str(path.relative_to(folder)))
            hits += sum(needle in data for needle in needles)
    return tuple(files), hits
