"""Which entries of the ledger an erasure blanks, and what of them is recorded anew because it stays.

Invariant: every entry that holds anything of what goes is blanked whole; what else it held comes back in one `kept` entry,
with its times as they were.  A name that a statement mentioned in a quote that goes, and has in no other words, goes with the
quote.  Notes of use and of looks lose the names of what went, the queue its erased turns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.access import ACCESSED, look_without
from graphmem.canonical import fold
from graphmem.chain import Entry
from graphmem.graph.base import Graph, Node
from graphmem.ledger import Draft
from graphmem.lifecycle.closure import Cuts, blanked, is_cut
from graphmem.lifecycle.scope import Scope
from graphmem.model import iso
from graphmem.queue import QUEUED, done_draft, waiting_turns
from graphmem.records import TurnRecord
from graphmem.space import Space
from graphmem.usage import USED, without

IN_PASSING = "MENTIONS"  # the kind of a mention that the statement's words make, and it itself does not
Kept = dict[str, list[dict[str, Any]]]


class Blanking(NamedTuple):
    """The entries to blank, the records that come back, and the entries that take the place of notes; counts for a receipt."""

    sequence: list[int]
    keep: Kept
    also: list[Draft]
    counts: dict[str, int]


def plan(space: Space, nodes: Collection[Node], scope: Scope, turns: Mapping[str, TurnRecord], cuts: Cuts) -> Blanking:
    """What an erasure does to the ledger; nothing is changed."""
    work = _Work(space, nodes, scope, turns, cuts)
    for entry in space.ledger.entries():
        if entry.body is not None and entry.type != "erased":
            work.take(entry)
    return Blanking(work.sequence, work.keep, [*work.also, *work.unqueued()], work.counts)


class _Work:
    def __init__(
        self, space: Space, nodes: Collection[Node], scope: Scope, turns: Mapping[str, TurnRecord], cuts: Cuts
    ) -> None:
        self._space, self._scope, self._turns, self._cuts = space, scope, turns, cuts
        self._gone_turns = {k: (None if k in scope.turns else spans) for k, spans in cuts.items()}
        self._sessions = {turns[k].session for k in self._gone_turns if k in turns} | scope.topics
        self._whole = {
            s for s in self._sessions if all(t.key in scope.turns for t in turns.values() if t.session == s)
        } | scope.topics
        self._later = _known_later(nodes, scope, cuts)
        self._loose = _loosened(space.graph, nodes, scope, cuts)
        self._orphans = self._orphaned()
        self._texts = {n.record.text for n in nodes if n.record.id in scope.statements}
        self._texts |= {e.quote for n in nodes if n.record.id in scope.statements for e in n.evidence}
        self._texts |= {turns[k].text[start:end] for k, start, end in scope.passages if k in turns}
        self.sequence: list[int] = []
        self.keep: Kept = {}
        self.also: list[Draft] = []
        self.counts = {"looks": 0, "uses": 0, "rejected": 0}

    def take(self, entry: Entry) -> None:
        """See what is to become of an entry."""
        body = entry.body or {}
        gone = self._scope.statements | self._cuts.keys()
        if entry.type == USED:
            if gone & set(entry.subjects):
                self._note(entry, "uses", without(entry, gone))
            return
        if entry.type == ACCESSED:
            told = f"{body.get('purpose', '')}\n{body.get('detail', '')}"
            if gone & set(entry.subjects) or any(text in told for text in self._texts):
                self._note(entry, "looks", look_without(entry, gone))
            return
        delta = body.get("delta", {})
        if entry.type == "claims rejected":
            hit = bool(self._sessions & set(entry.subjects))
            self.counts["rejected"] += len(body.get("rejected", ())) if hit else 0
        else:
            hit = self._touches(delta) or self._learnt(delta) != delta
        if hit:
            self.sequence.append(entry.seq)
            self._remainder(self._learnt(delta))

    def _note(self, entry: Entry, what: str, left: Draft | None) -> None:
        self.sequence.append(entry.seq)
        self.counts[what] += 1
        self.also += [left] if left is not None else []

    def unqueued(self) -> list[Draft]:
        """Turns that go whole need not wait for extraction any more."""
        ledger = self._space.ledger
        if not (ledger.has_type(QUEUED) and self._scope.turns):
            return []
        found = []
        for session in sorted({self._turns[key].session for key in self._scope.turns if key in self._turns}):
            own = {turn.id for turn in self._turns.values() if turn.session == session and turn.key in self._scope.turns}
            waiting = own & waiting_turns(ledger, session)
            found += [done_draft(session, waiting, "erased")] if waiting else []
        return found

    def _orphaned(self) -> set[str]:
        """The entities that nothing names any more once this has gone."""
        graph, gone = self._space.graph, self._scope.statements
        named, left = set[str](), set[str]()
        for mention in graph.mentions():
            loose = mention.kind == IN_PASSING and (mention.statement, mention.entity) in self._loose
            lost = loose or mention.statement in gone
            (named if lost else left).add(mention.entity)
        for edge in graph.same_as():
            (named if edge.statement in gone else left).update((edge.source, edge.target))
        return named - left

    def _learnt(self, delta: dict[str, Any]) -> dict[str, Any]:
        """The records of an entry as they would have been recorded without the quotes that go."""
        later = self._later

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

    def _touches(self, delta: dict[str, Any]) -> bool:
        """Whether any record of an entry is to go."""
        named = {item["id"] for item in delta.get("statements", ())}
        for name in ("evidence", "retirements", "confirmations", "mentions", "same_as"):
            named |= {item["statement"] for item in delta.get(name, ())}
        for link in delta.get("links", ()):
            named |= {link["source"], link["target"]}
        if named & self._scope.statements or any(turn["key"] in self._gone_turns for turn in delta.get("turns", ())):
            return True
        if any(item["id"] in self._orphans for item in delta.get("entities", ())):
            return True
        if any(item["id"] in self._scope.topics for item in delta.get("sessions", ())):
            return True
        if any(self._is_loose(item) for item in delta.get("mentions", ())):
            return True
        return any(self._is_cut(e) for e in delta.get("evidence", ()))

    def _is_loose(self, mention: dict[str, Any]) -> bool:
        return mention["kind"] == IN_PASSING and (mention["statement"], mention["entity"]) in self._loose

    def _is_cut(self, evidence: dict[str, Any]) -> bool:
        return is_cut(evidence["turn_key"], evidence["start"], evidence["end"], self._scope, self._cuts)

    def _remainder(self, delta: dict[str, Any]) -> None:
        """What stays of a blanked entry; of a session that goes whole, its topic and channel go too."""
        keep, gone = self.keep, self._scope.statements
        for session in delta.get("sessions", ()):
            if session["id"] in self._whole:
                session = {**session, "topic": None, "channel": None}
            keep.setdefault("sessions", []).append(session)
        for turn in delta.get("turns", ()):
            if turn["key"] in self._gone_turns:
                spans = self._gone_turns[turn["key"]]
                speaker = None if spans is None else turn["speaker"]
                turn = {**turn, "text": blanked(turn["text"], spans), "speaker": speaker}
            keep.setdefault("turns", []).append(turn)
        kept = set()
        for statement in delta.get("statements", ()):
            if statement["id"] not in gone:
                kept.add(statement["id"])
                keep.setdefault("statements", []).append(statement)
        for item in delta.get("evidence", ()):
            if item["statement"] not in gone and not self._is_cut(item):
                keep.setdefault("evidence", []).append(item)
        self._names(delta, kept)
        for link in delta.get("links", ()):
            if not {link["source"], link["target"]} & gone:
                keep.setdefault("links", []).append(link)
        for name in ("retirements", "confirmations"):
            for item in delta.get(name, ()):
                if item["statement"] not in gone:
                    keep.setdefault(name, []).append(item)

    def _names(self, delta: dict[str, Any], kept: set[str]) -> None:
        """The names that stay: those that statements which stay give; of an entry of names alone, those still told of."""
        keep = self.keep
        if not delta.get("statements"):
            named = {item["id"] for item in delta.get("entities", ())} - self._orphans
            kept = {m["statement"] for m in delta.get("mentions", ())} - self._scope.statements
        else:
            named = set()
        mentions = [m for m in delta.get("mentions", ()) if m["statement"] in kept and not self._is_loose(m)]
        same_as = [pair for pair in delta.get("same_as", ()) if pair.get("statement") in kept]
        # An entry that was kept before holds several statements: the names that only one of them gives go with it.
        named |= {m["entity"] for m in mentions} | {end for pair in same_as for end in (pair["source"], pair["target"])}
        for name, items in (
            ("entities", [item for item in delta.get("entities", ()) if item["id"] in named]),
            ("mentions", mentions),
            ("same_as", same_as),
        ):
            if items:
                keep.setdefault(name, []).extend(items)


def _known_later(nodes: Iterable[Node], scope: Scope, cuts: Cuts) -> dict[str, datetime]:
    """The statements whose first quotes go, by the time from which they are known by the quotes that are left."""
    later = {}
    for node in nodes:
        left = [e.recorded_at for e in node.evidence if not is_cut(e.turn_key, e.start, e.end, scope, cuts)]
        if left and node.record.id not in scope.statements and min(left) > node.record.recorded_at:
            later[node.record.id] = min(left)
    return later


def _loosened(graph: Graph, nodes: Iterable[Node], scope: Scope, cuts: Cuts) -> set[tuple[str, str]]:
    """The mentions, as (statement, entity), of statements that stay which only a quote that goes had made."""
    words = {}
    for node in nodes:
        left = [e.quote for e in node.evidence if not is_cut(e.turn_key, e.start, e.end, scope, cuts)]
        if len(left) < len(node.evidence) and node.record.id not in scope.statements:
            words[node.record.id] = fold("\n".join([node.record.text, *left]))
    if not words:
        return set()
    names = {entity.id: fold(entity.name) for entity in graph.entities()}
    passing = [one for one in graph.mentions() if one.kind == IN_PASSING and one.statement in words]
    return {(one.statement, one.entity) for one in passing if not _stands_in(words[one.statement], names.get(one.entity, ""))}


def _stands_in(text: str, name: str) -> bool:
    """Whether a name stands in a text as words of its own, both folded."""
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None
