"""The memory held against the model: what is shown, and what must be so whatever happened.

Invariant: nothing here changes the memory; every difference is an assertion that names the statement.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, invariant
from machine_book import Book
from machine_claims import CAPS
from machine_model import RANK, Label, State, after, open_clashes, view

from graphmem import Memory
from graphmem.model import Statement
from graphmem.reconcile import reconsider

COUNTED: Counter[str] = Counter()


def is_summary(one: Statement) -> bool:
    return one.details.get("type") == "session"


class Compared(RuleBasedStateMachine):
    """A machine with a memory and the model's book of it; `ids` and `labels` say which statement is which."""

    book: Book
    memory: Memory
    now: datetime
    ids: dict[Label, str]
    labels: dict[str, Label]

    def _summary_name(self, one: Statement) -> tuple[str, int]:
        for session, turns in self.book.summaries:
            if one.evidence[0].session == session and one.recorded_at == self.book.summaries[session, turns].recorded_at:
                return session, turns
        raise AssertionError(f"a summary that nothing explains: {one}")

    def _named(self, found: list[Statement]) -> None:
        """Learn the ids of statements that are new."""
        at = {(e.session, e.turn, e.start): one for one in found if not is_summary(one) for e in one.evidence}
        for label in self.book.state.facts:
            if label not in self.ids:
                assert label in at, f"the statement of {label} is lost"
                self.ids[label] = at[label].id
                self.labels[at[label].id] = label

    def _compare(self, state: State, found: list[Statement], at: datetime, *, only_held: bool = False) -> None:
        wanted = {label: view(state, label, at) for label in state.facts}
        if only_held:
            wanted = {label: one for label, one in wanted.items() if one.holds}
        shown = {self.labels.get(one.id, one.id): one for one in found if not is_summary(one)}
        assert shown.keys() == wanted.keys()
        for label, one in shown.items():
            labels = self.labels
            seen = (
                one.status, one.tier, one.valid_from, one.valid_to,
                {(e.session, e.turn, e.start) for e in one.evidence},
                {labels[x] for x in one.supersedes}, {labels[x] for x in one.superseded_by},
                {labels[x] for x in one.corrects}, {labels[x] for x in one.contradicts},
            )  # fmt: skip
            assert seen == wanted[label][:-1], (state.facts[label], seen, wanted[label])

    @invariant()
    def the_memory_is_as_the_model(self):
        found = self.memory.statements()
        self._named(found)
        state = self.book.state
        self._compare(state, found, self.now)
        summaries = [one for one in found if is_summary(one)]
        spans = {
            self._summary_name(one): frozenset((e.session, e.turn, e.start, e.end) for e in one.evidence) for one in summaries
        }
        assert len(spans) == len(summaries)
        assert spans == {name: one.spans for name, one in self.book.summaries.items()}
        open_ = {frozenset((self.labels[one.a.id], self.labels[one.b.id])) for one in self.memory.contradictions()}
        assert open_ == open_clashes(state, self.now)
        COUNTED["contradictions open"] += len(open_)
        COUNTED["statements superseded"] += sum(one.status == "superseded" for one in found)
        self._has_its_quotes_and_tiers(found)
        self._has_one_value_at_a_time(found)
        self._is_settled_and_whole()

    def _has_its_quotes_and_tiers(self, found: list[Statement]) -> None:
        space = self.memory._space
        texts = {(turn.session, turn.id): turn.text for turn in space.graph.turns()}
        assert texts.keys() == self.book.turns.keys()
        for one in found:
            assert one.evidence
            caps = [CAPS[item.role] for item in one.evidence]
            assert one.tier == "confirmed" or RANK[one.tier] <= max(RANK[cap] for cap in caps)
            for item in one.evidence:
                assert texts[item.session, item.turn][item.start : item.end] == item.quote

    def _has_one_value_at_a_time(self, found: list[Statement]) -> None:
        """One current value of a one-valued relation, unless its values are in dispute."""
        groups: dict[tuple[Any, ...], list[Statement]] = {}
        for one in found:
            plain = (
                one.status == "current" and one.modality == "asserted" and one.polarity == "positive" and one.tier != "inferred"
            )
            fact = self.book.state.facts.get(self.labels.get(one.id))
            if plain and fact is not None and fact.predicate in ("lives_in", "has_job") and fact.temporal != "ended":
                groups.setdefault((fact.subject, fact.predicate, fact.context), []).append(one)
        for group in groups.values():
            facts = [self.book.state.facts[self.labels[one.id]] for one in group]
            if any(fact.cue == "addition" or " in " in fact.object for fact in facts):
                continue  # said to come on top, or a place within the other
            if len({(fact.session, fact.turn) for fact in facts}) < len(facts):
                continue  # a list in one sentence
            if any(fact.since and fact.since <= self.now < after(fact.since, fact.precision) for fact in facts):
                continue  # it may or may not have begun: placed at its latest start, shown from its earliest
            values = {fact.object for fact in facts}
            assert len(values) == 1 or all(one.contradicts for one in group)

    def _is_settled_and_whole(self) -> None:
        """Nothing is left to conclude, and no entry of the ledger is missing."""
        space = self.memory._space
        plan = reconsider(space.graph.nodes(), secret=space.ledger.secret, now=self.now)
        assert (plan.links, plan.retired) == ((), ())
        seqs = [entry.seq for entry in space.ledger.entries()]
        assert seqs == list(range(1, len(seqs) + 1))
        assert space.graph.applied_seq() == (seqs[-1] if seqs else 0)
