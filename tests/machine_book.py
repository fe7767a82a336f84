"""What the acts of an owner do to the memory of `machine_model`: telling, correcting, withdrawing, forgetting.

Invariant: every act leaves a new state and keeps the old ones, except for what is forgotten: that leaves all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from machine_model import (
    DEEDS,
    EMPTY,
    NARROWER,
    NOT_IN_SUMMARIES,
    Conclusions,
    Label,
    Proof,
    Said,
    State,
    Summary,
    akin,
    conclude,
    excluded,
    meet,
    place,
    view,
)

Turn = tuple[str, str]


class Book:
    """The model's memory.

    `turns` holds the time of each turn that was taken in, `recorded` when that was, `history` the states with the time from
    which each was known.
    """

    def __init__(self) -> None:
        self.history: list[tuple[datetime, State]] = []
        self.summaries: dict[tuple[str, int], Summary] = {}
        self.turns: dict[Turn, datetime] = {}
        self.recorded: dict[Turn, datetime] = {}
        self.erasures = 0
        self.withdrawn = 0

    @property
    def state(self) -> State:
        return self.history[-1][1] if self.history else EMPTY

    def known(self, at: datetime) -> State:
        """The state that was known at a moment."""
        return next((state for since, state in reversed(self.history) if since <= at), EMPTY)

    def _move(self, now: datetime, **changed: object) -> None:
        state = self.state._replace(**changed)
        self.history.append((now, state._replace(follows=conclude(state.live(), state.tier))))

    # ------------------------------------------------------------------------------------------------------ telling

    def take(
        self, claims: Iterable[Said], now: datetime, *, summary: tuple[str, int] | None = None, wrong: Label | None = None
    ) -> list[str]:
        """Take in the claims of one session; what became of each."""
        state, outcomes, sources = self.state, [], {}
        for number, said in enumerate(claims):
            proof = Proof(said.session, said.turn, said.start, said.end, said.tier, said.at, now, said.since, said.until)
            target = wrong if number == 0 else None
            twin = None if target else self._twin(state, said)
            if twin is not None and any((one.session, one.turn) == said.label[:2] for one in state.proofs[twin]):
                outcomes.append("repeated")
                continue
            label = twin or said.label
            if twin is None and said.done:
                tasks = [task for task in state.live() if task.kind == "open_item" and task.order < said.order]
                if all(DEEDS[said.object] != task.object or task.subject != said.subject for task in tasks):
                    outcomes.append("nothing to close")
                    continue
                said = said._replace(kind="episode", temporal="past")
            if twin is None:
                gone = {target} if target else self._put_right(state, said)
                if not target:
                    said = in_the_place_of([state.facts[old] for old in gone], said)
                state = state._replace(
                    facts={**state.facts, label: said}, corrects=state.corrects | {(label, old) for old in gone}
                )
            proofs = sorted((*state.proofs.get(label, ()), proof), key=lambda one: (one.recorded_at, one.said_at))
            state = state._replace(proofs={**state.proofs, label: tuple(proofs)})
            outcomes.append("corroborated" if twin else "recorded")
            sources[label, proof] = state.facts[label]
        self._move(now, facts=state.facts, proofs=state.proofs, corrects=state.corrects)
        # What is only guessed of the words of this session is not told of it, though others were surer of it.
        told = {pair: fact for pair, fact in sources.items() if summed_up(fact) and pair[1].tier != "inferred"}
        if summary is not None and told:
            spans = frozenset((proof.session, proof.turn, proof.start, proof.end) for _, proof in told)
            self.summaries[summary] = Summary(frozenset(label for label, _ in told), spans, now)
        return outcomes

    def _twin(self, state: State, new: Said) -> Label | None:
        """The live statement that says the same of a time that touches, with nothing in between (T12)."""
        if new.done:
            return None
        line, tier = state.live(), state.tier
        for old in line:
            if same(old, new) and meet(old, new):
                if any((proof.session, proof.turn) == (new.session, new.turn) for proof in state.proofs[old.label]):
                    return old.label
                low, high = sorted((place(old), place(new)))
                between = any(low < place(other) < high and excluded(other, old, tier) for other in line)
                ended = old.order < new.order and closed(state, old, place(new))
                if not between and not ended:
                    return old.label
        return None

    def _put_right(self, state: State, new: Said) -> set[Label]:
        """What a correction names, or else what it excludes, or else what was said last of the kind (T13)."""
        if new.cue != "correction" or new.tier == "inferred":
            return set()
        earlier = [
            fact
            for fact in state.live()
            if fact.subject == new.subject and fact.order < new.order and fact.kind == new.kind and fact.polarity == "positive"
        ]
        if new.replaces is not None:
            named = [fact for fact in earlier if akin(fact.object, new.replaces)]
            return {fact.label for fact in named if fact.predicate == new.predicate} or {fact.label for fact in named}
        earlier = [fact for fact in earlier if fact.predicate == new.predicate]
        if new.polarity == "negative":
            return {fact.label for fact in earlier if akin(fact.object, new.object)}
        against = [
            fact for fact in earlier if excluded(fact, new, lambda one: new.tier if one == new.label else state.tier(one))
        ]
        if against:
            return {fact.label for fact in against if of_its_time(state, fact, new)}
        recent = [
            fact
            for fact in earlier
            if fact.object != new.object
            and (fact.session == new.session or new.predicate == "name")
            and fact.context == new.context
        ]
        return {max(recent, key=lambda fact: fact.order).label} if recent else set()

    # --------------------------------------------------------------------------------------------------------- acts

    def confirm(self, label: Label, now: datetime) -> None:
        self._move(now, confirmed=self.state.confirmed | {label})

    def retract(self, label: Label, now: datetime) -> None:
        """Withdraw a statement; what it corrected holds again, and so does what it ended."""
        left = frozenset(pair for pair in self.state.corrects if label not in pair)
        self._move(now, retracted=self.state.retracted | {label}, corrects=left)

    def decide(self, label: Label, wrong: frozenset[Label], now: datetime) -> None:
        """Confirm a statement and withdraw what cannot hold beside it, in one step."""
        left = frozenset(pair for pair in self.state.corrects if not wrong & set(pair))
        state = self.state
        self._move(now, confirmed=state.confirmed | {label}, retracted=state.retracted | wrong, corrects=left)

    def correct(self, label: Label, text: str, now: datetime, session: str) -> Said:
        """Put a statement right; the new one holds for the time of the old one (T13)."""
        old, shown = self.state.facts[label], view(self.state, label, now)
        over = shown.status in ("superseded", "past") and old.temporal == "current"
        since = old.since or (old.at if over else None)
        until = shown.until if over else old.until
        if old.temporal == "ended" and (until is None or until > now):
            until = now
        if since is not None and until is not None and until <= since:
            since = None
        made = Said(
            session, now, "t1", 0, now, 0, len(text), old.subject, old.predicate, text, "stated", old.kind, old.polarity,
            old.modality, "past" if over else old.temporal, old.context, None, None, since, until, old.precision, old.due,
        )  # fmt: skip
        self.turns[session, "t1"] = self.recorded[session, "t1"] = now
        self.take([made], now, wrong=label)
        return made

    # --------------------------------------------------------------------------------------------------- forgetting

    def closure(self, labels: set[Label], turns: set[Turn]) -> tuple[set[Label], set[tuple[str, str, int, int]]]:
        """All statements that go with these, and the passages that are cut out of turns that stay."""
        gone, cut = set(labels), set[tuple[str, str, int, int]]()
        proofs = self.state.proofs
        while True:
            cut |= {proof[:4] for label in gone for proof in proofs[label] if proof[:2] not in turns}
            more = {
                label
                for label, own in proofs.items()
                if label not in gone and all(lost(proof[:4], turns, cut) for proof in own)
            }
            if not more:
                return gone, cut
            gone |= more

    def forget(
        self, labels: set[Label], turns: set[Turn], now: datetime, summaries: Collection[tuple[str, int]] = ()
    ) -> set[Label]:
        """Take statements and turns out of this and every earlier state; what went."""
        gone, cut = self.closure(labels, turns)
        kept = {
            name: one
            for name, one in self.summaries.items()
            if name not in summaries and not one.sources & gone and not any(lost(span, turns, cut) for span in one.spans)
        }
        self.erasures += bool(gone or cut or turns or len(kept) < len(self.summaries))
        self.summaries = kept
        self.history = [(since, without(state, gone, turns, cut)) for since, state in self.history]
        self._move(now)
        return gone

    def told_within(self, since: datetime, until: datetime) -> set[Turn]:
        return {turn for turn, at in self.turns.items() if since <= at < until}

    def recorded_within(self, since: datetime, until: datetime) -> tuple[set[Turn], set[tuple[str, int]]]:
        """The turns that were recorded then, whether they gave a statement or not, and the summaries that were made then."""
        turns = {turn for turn, at in self.recorded.items() if since <= at < until}
        return turns, {name for name, one in self.summaries.items() if since <= one.recorded_at < until}


def closed(state: State, fact: Said, at: datetime) -> bool:
    """Whether something has ended a statement by then, as things stand."""
    return any(old == fact.label and when <= at for (_, old), (when, _) in conclude(state.live(), state.tier).ends.items())


def of_its_time(state: State, fact: Said, new: Said) -> bool:
    """Whether a correction can mean a statement: of a plan a plan, of the past what is over, else what is not (T13)."""
    if new.temporal == "future":
        return fact.temporal == "future" or (fact.since is not None and fact.since > new.at)
    over = fact.over or (fact.until is not None and fact.until <= new.at) or closed(state, fact, new.at)
    return over == new.over


def in_the_place_of(wrong: list[Said], new: Said) -> Said:
    """A correction that names no time holds for that of what it corrects, if it is put in the same tense (T13)."""
    timed = [old for old in wrong if old.temporal == new.temporal and (old.since or old.until)]
    if not timed or new.since or new.until or new.polarity == "negative":
        return new
    old = max(timed, key=lambda fact: fact.order)
    return new._replace(since=old.since, until=old.until, precision=old.precision)


def same(old: Said, new: Said) -> bool:
    """Whether two claims say the same, their times aside; facts and preferences are one family."""

    def core(said: Said) -> tuple[object, ...]:
        family = "state" if said.kind in ("fact", "preference") else said.kind
        return (
            said.subject, said.predicate, said.object, said.polarity, said.context, said.modality, said.temporal, family,
            said.due,
        )  # fmt: skip

    return core(old) == core(new)


def summed_up(fact: Said) -> bool:
    return fact.predicate not in NOT_IN_SUMMARIES and fact.tier != "inferred"


def lost(span: tuple[str, str, int, int], turns: set[Turn], cut: set[tuple[str, str, int, int]]) -> bool:
    """Whether a quote stands in a turn that goes or overlaps a passage that is cut out."""
    session, turn, start, end = span
    return (session, turn) in turns or any(
        (session, turn) == other[:2] and start < other[3] and other[2] < end for other in cut
    )


def without(state: State, gone: set[Label], turns: set[Turn], cut: set[tuple[str, str, int, int]]) -> State:
    """A state as if what went had never been in it; nothing else is concluded anew."""
    proofs = {
        label: tuple(proof for proof in own if not lost(proof[:4], turns, cut))
        for label, own in state.proofs.items()
        if label not in gone
    }
    # Of a time of which no quote is left, nothing is known.
    gone = gone | {label for label in proofs if not proofs[label]}
    proofs = {label: own for label, own in proofs.items() if own}
    ends = {pair: end for pair, end in state.follows.ends.items() if not gone & set(pair)}
    return State(
        {label: fact for label, fact in state.facts.items() if label not in gone},
        proofs,
        state.retracted - gone,
        state.confirmed - gone,
        frozenset(pair for pair in state.corrects if not gone & set(pair)),
        Conclusions(ends, frozenset(pair for pair in state.follows.clashes if not gone & pair)),
    )


assert set(NARROWER.values()).isdisjoint(NARROWER)  # one level is all that `akin` sees
