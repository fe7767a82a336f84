"""Forgetting: statements, the words they rest on and everything derived from them, gone from every file of the space.

Invariant: an erasure is one ledger operation that says what went without saying what it was.  Erased characters in a turn
are replaced one for one, so the offsets of all other quotes stay right; whatever rests on an erased character goes too.
The graph is built anew in a new generation and the old files are removed, because an engine keeps deleted bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.errors import InputError, ReadOnlyStore, SessionError
from graphmem.failpoints import reach
from graphmem.graph.base import Node
from graphmem.ingest import plan_drafts
from graphmem.ledger import Draft
from graphmem.marks import MARKS, remove
from graphmem.model import ErasureReceipt, iso
from graphmem.reconcile import reconsider
from graphmem.records import ERASED, TurnRecord, key, summarises
from graphmem.space import Space
from graphmem.usage import USED, without

NOT_COVERED = (
    "ids of users, sessions and turns as they were given, and speakers of turns that stay in part",
    "copies made by the file system, the disk or swap",
    "backups and exports made earlier",
    "what a language model or another program was shown",
)
SHORTEST_NEEDLE = 4  # a shorter text would be found by chance
SHORTEST_RESIDUE, RESIDUE = 16, 64  # bytes of a deflated payload, a salt or a vector that are looked for


class Scope(NamedTuple):
    """What is to go: statements by id, whole turns by key, and passages of turns as (key, start, end)."""

    statements: frozenset[str]
    turns: frozenset[str]
    passages: frozenset[tuple[str, int, int]] = frozenset()


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


_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


def _topic(nodes: list[Node], turns: list[TurnRecord], topic: str) -> Scope:
    """Statements and sentences with a word that begins like each word of the topic (stemmed by its first letters)."""
    from graphmem.canonical import singular, words

    wanted = [singular(word) for word in words(topic)]
    if not wanted:
        raise InputError("topic must hold at least one word")
    stems = [word[: max(4, len(word) - 2)] if len(word) > 5 else word for word in wanted]

    def about(text: str) -> bool:
        present = words(text)
        return all(any(word.startswith(stem) for word in present) for stem in stems)

    found = frozenset(n.record.id for n in nodes if about(n.record.text) or any(about(e.quote) for e in n.evidence))
    passages = {
        (turn.key, sentence.start(), sentence.end())
        for turn in turns
        if about(turn.text)
        for sentence in _SENTENCE.finditer(turn.text)
        if about(sentence.group())
    }
    # The words of a topic may stand apart in a turn; then no sentence has them all and the whole turn is about it.
    reached = {key for key, _, _ in passages}
    whole = frozenset(turn.key for turn in turns if about(turn.text) and turn.key not in reached)
    return Scope(found, whole, frozenset(passages))


def closure(scope: Scope, nodes: Iterable[Node]) -> tuple[Scope, dict[str, list[tuple[int, int]]]]:
    """The scope with all that follows from it, and the character ranges to erase by turn.

    A statement with other support keeps it; one that rests only on erased characters, or is derived from an erased
    statement, goes.
    """
    nodes = list(nodes)
    gone = set(scope.statements)
    cuts: dict[str, list[tuple[int, int]]] = {turn: [] for turn in scope.turns}
    for turn, start, end in sorted(scope.passages):
        cuts.setdefault(turn, []).append((start, end))
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
            return Scope(frozenset(gone), scope.turns, scope.passages), cuts


def _is_summary(node: Node) -> bool:
    return summarises(node.record.details)


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
    if dry_run:
        named = {**named, "statements": sorted(scope.statements)}
    if dry_run or not (scope.statements or touched):
        return ErasureReceipt(scope=named, counts=counts, scanned_files=(), residue_hits=0, not_covered=NOT_COVERED, at=now)
    needles = needles_of(nodes, scope, turns, cuts)
    sequence, keep, usages = _plan(space, nodes, scope, turns, cuts)
    needles |= residue(space, sequence, [*sorted(scope.statements), *sorted(cuts)])
    followers = sorted(turn.key for turn in turns.values() if turn.previous in cuts)
    # Every session whose turns stand in the new entry, or `verify` would look for them in the blanked ones.
    sessions = tuple(sorted({turn.session for turn in touched} | {turn["session"] for turn in keep.get("turns", ())}))
    body = {"blanked": sequence, "counts": counts, "cut": sorted(cuts), "after": followers}
    # What remains of the blanked entries stands in an entry of its own, so that a later erasure may blank that one and the
    # record of this one stays.
    drafts = [Draft("erased", tuple(sorted(scope.statements)), body), Draft("kept", sessions, {"delta": keep}), *usages]
    space.ledger.append(f"erase/{key('x', *sorted(scope.statements), *sorted(scope.turns), now.isoformat())}", drafts, at=now)
    reach("erase.noted")
    finish(space)
    files, hits = scan(space, needles)
    return ErasureReceipt(scope=named, counts=counts, scanned_files=files, residue_hits=hits, not_covered=NOT_COVERED, at=now)


def finish(space: Space) -> None:
    """Carry out what erased entries say and note that it was done; doing it again changes nothing more."""
    erasures = space.ledger.erasures()
    if any((entry.body or {}).get("all") for entry in erasures):
        space.reset()
        return
    sequence: set[int] = set()
    owners: set[str] = set()
    pairs: set[str] = set()
    for entry in erasures:
        body = entry.body or {}
        sequence.update(body.get("blanked", ()))
        owners.update(entry.subjects, body.get("cut", ()))
        pairs.update(body.get("after", ()))
    with space.writing():
        space.close_graph()
        space.ledger.blank(sorted(sequence), sorted(owners), sorted(pairs))
        remove(space.folder / MARKS)
        space.rebuild(purge=True)
        reach("erase.rebuilt")
        if erasures:
            space.ledger.mark_carried_out(erasures[-1].seq)
    reach("erase.done")


def resume(space: Space) -> None:
    """Finish an erasure that was recorded but not carried out: the process died, or the act was stopped, in between."""
    if space.ledger.damage or not (space.turn.owed or space.ledger.owes()):
        return
    if space.ledger.read_only:
        raise ReadOnlyStore(
            f"an erasure in {space.folder} was begun and not finished, and nothing may be written there: give the right to "
            "write to it and open the memory anew"
        )
    with space.writing():
        # Another process may have been carrying it out while we waited.
        pending = space.ledger.owes()
        if pending:
            space.notices.append("an erasure that had been interrupted was carried out to its end")
            finish(space)
        if pending or space.turn.owed:
            settle(space)
        space.turn.owed = False


def settle(space: Space) -> None:
    """Conclude anew from the statements that are left after an erasure."""
    now = space.ledger.now()
    plan = reconsider(space.graph.nodes(), secret=space.ledger.secret, now=now)
    if plan.links or plan.retired:
        space.write(f"settle/{space.ledger.head()[0]}", plan_drafts(plan), at=now)


def _plan(
    space: Space,
    nodes: list[Node],
    scope: Scope,
    turns: dict[str, TurnRecord],
    cuts: dict[str, list[tuple[int, int]]],
) -> tuple[list[int], dict[str, list[dict[str, Any]]], list[Draft]]:
    """The entries to blank, the records that take the place of what else they held, and the same of notes of use."""
    gone_turns = {k: (None if k in scope.turns else spans) for k, spans in cuts.items()}
    sessions = {turns[k].session for k in gone_turns if k in turns}
    whole = {s for s in sessions if all(t.key in scope.turns for t in turns.values() if t.session == s)}
    later = _known_later(nodes, scope, cuts)
    keep: dict[str, list[dict[str, Any]]] = {}
    sequence, usages = [], []
    for entry in space.ledger.entries():
        if entry.body is None or entry.type == "erased":
            continue
        if entry.type == USED:
            gone = scope.statements | cuts.keys()
            if gone & set(entry.subjects):
                sequence.append(entry.seq)
                usages += [left] if (left := without(entry, gone)) else []
            continue
        delta = entry.body.get("delta", {})
        if entry.type == "claims rejected":
            hit = bool(sessions & set(entry.subjects))
        else:
            hit = _touches(delta, scope, gone_turns, cuts) or _learnt(delta, later) != delta
        if hit:
            sequence.append(entry.seq)
            _remainder(_learnt(delta, later), scope, gone_turns, cuts, keep, whole)
    return sequence, keep, usages


def _known_later(nodes: Iterable[Node], scope: Scope, cuts: dict[str, list[tuple[int, int]]]) -> dict[str, datetime]:
    """The statements whose first quotes go, by the time from which they are known by the quotes that are left."""
    later = {}
    for node in nodes:
        left = [e.recorded_at for e in node.evidence if not _cut(e.turn_key, e.start, e.end, scope, cuts)]
        if left and node.record.id not in scope.statements and min(left) > node.record.recorded_at:
            later[node.record.id] = min(left)
    return later


def _learnt(delta: dict[str, Any], later: dict[str, datetime]) -> dict[str, Any]:
    """The records of an entry as they would have been recorded without the quotes that go."""

    def moved(item: dict[str, Any], *statements: str) -> dict[str, Any]:
        known = max((later[id_] for id_ in statements if id_ in later), default=None)
        if known is None or datetime.fromisoformat(item["recorded_at"]) >= known:
            return item
        return {**item, "recorded_at": iso(known)}

    changed = dict(delta)
    if "statements" in delta:
        changed["statements"] = [moved(item, item["id"]) for item in delta["statements"]]
    if "links" in delta:
        changed["links"] = [moved(item, item["source"], item["target"]) for item in delta["links"]]
    return changed


def _touches(
    delta: dict[str, Any],
    scope: Scope,
    gone_turns: dict[str, list[tuple[int, int]] | None],
    cuts: dict[str, list[tuple[int, int]]],
) -> bool:
    """Whether any record of an entry is to go."""
    named = {item["id"] for item in delta.get("statements", ())}
    for name in ("evidence", "retirements", "confirmations", "mentions", "same_as"):
        named |= {item["statement"] for item in delta.get(name, ())}
    for link in delta.get("links", ()):
        named |= {link["source"], link["target"]}
    if named & scope.statements or any(turn["key"] in gone_turns for turn in delta.get("turns", ())):
        return True
    return any(_cut(e["turn_key"], e["start"], e["end"], scope, cuts) for e in delta.get("evidence", ()))


def _remainder(
    delta: dict[str, Any],
    scope: Scope,
    gone_turns: dict[str, list[tuple[int, int]] | None],
    cuts: dict[str, list[tuple[int, int]]],
    keep: dict[str, list[dict[str, Any]]],
    whole: set[str],
) -> None:
    """What stays of a blanked entry; of a session that goes whole, its topic, channel and speakers go too."""
    for session in delta.get("sessions", ()):
        if session["id"] in whole:
            session = {**session, "topic": None, "channel": None}
        keep.setdefault("sessions", []).append(session)
    for turn in delta.get("turns", ()):
        if turn["key"] in gone_turns:
            speaker = None if turn["session"] in whole else turn["speaker"]
            turn = {**turn, "text": blanked(turn["text"], gone_turns[turn["key"]]), "speaker": speaker}
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
        mentions = [m for m in delta.get("mentions", ()) if m["statement"] in kept]
        same_as = [pair for pair in delta.get("same_as", ()) if pair.get("statement") in kept]
        # An entry that was kept before holds several statements: the names that only one of them gives go with it.
        named = {m["entity"] for m in mentions} | {end for pair in same_as for end in (pair["source"], pair["target"])}
        keep.setdefault("entities", []).extend(item for item in delta.get("entities", ()) if item["id"] in named)
        keep.setdefault("mentions", []).extend(mentions)
        if same_as:
            keep.setdefault("same_as", []).extend(same_as)
    _kept_about(delta, scope, keep)


def _kept_about(delta: dict[str, Any], scope: Scope, keep: dict[str, list[dict[str, Any]]]) -> None:
    """Links, retirements and confirmations between statements that stay."""
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
    texts |= {turns[k].text[start:end] for k, start, end in scope.passages if k in turns}
    found = set()
    for text in texts:
        if len(text) >= SHORTEST_NEEDLE and text not in left:
            found |= {text.encode("utf-8", "replace"), text.encode("utf-16-le", "replace")}
            found.add(text.encode("ascii", "backslashreplace"))
    return found


def residue(space: Space, sequence: Collection[int], owners: Collection[str]) -> set[bytes]:
    """The bytes by which blanked payloads and dropped vectors would be known in the ledger's file."""
    kept = space.ledger.stored(sorted(sequence), sorted(owners))
    return {part[:RESIDUE] for part in kept if len(part) >= SHORTEST_RESIDUE}


def scan(space: Space, needles: Collection[bytes]) -> tuple[tuple[str, ...], int]:
    """Search all files of a space; returns the files by name and how many needles were still found."""
    # What stays may begin with the same bytes as what went, or be the vector of the same words said elsewhere.
    needles = set(needles).difference(space.ledger.beginnings(RESIDUE))
    # Reading an open file by other means would drop the locks on it.
    space.rest()
    files, hits = [], 0
    for path in sorted(space.folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            files.append(str(path.relative_to(space.folder)))
            hits += sum(needle in data for needle in needles)
    return tuple(files), hits
