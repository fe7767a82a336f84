"""A memory in plain Python: what the rules of time, conflict, correction and erasure say about a small vocabulary.

Invariant: nothing here calls the package.  Every conclusion is drawn anew from all that was told, and every earlier state
is kept, so that a question about then is answered from then.  Values are equal when their words are; the one narrower
value and the counts are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

TICK = timedelta(microseconds=1)
FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)

ONE_VALUED = {"lives_in", "has_job"}
PERMANENT = {"allergic_to", "has_family"}
OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}
NARROWER = {"Alfama in Lisbon": "Lisbon"}
COUNTS = {
    "two children": (2, "children"), "three children": (3, "children"), "one brother": (1, "brother"),
    "two cats": (2, "cat"), "one cat": (1, "cat"), "one dog": (1, "dog"),
}  # fmt: skip
DEEDS = {"called Mia": "call Mia", "returned the drill": "return the drill", "booked the sweep": "book the sweep"}
NOT_IN_SUMMARIES = {"allergic_to", "name"}  # health and identifiers
RANK = {"inferred": 1, "stated": 2, "confirmed": 3}

Label = tuple[str, str, int]  # session, turn and place of the quote that a statement was first told with


class Said(NamedTuple):
    """A claim with its place: who said what, where, when, and of which time."""

    session: str
    started: datetime
    turn: str
    position: int
    at: datetime
    start: int
    end: int
    subject: str
    predicate: str
    object: str
    tier: str
    kind: str = "fact"
    polarity: str = "positive"
    modality: str = "asserted"
    temporal: str = "current"
    context: str | None = None
    cue: str | None = None
    replaces: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    precision: str | None = None
    due: str | None = None
    done: bool = False

    @property
    def label(self) -> Label:
        return self.session, self.turn, self.start

    @property
    def order(self) -> tuple[object, ...]:
        return self.started, self.at, self.position, self.start

    @property
    def over(self) -> bool:
        return self.temporal in ("past", "ended")


class Proof(NamedTuple):
    """A quote that a statement rests on."""

    session: str
    turn: str
    start: int
    end: int
    tier: str
    said_at: datetime
    recorded_at: datetime
    since: datetime | None = None
    until: datetime | None = None


class Summary(NamedTuple):
    """What a session is summed up from; it goes with any of them."""

    sources: frozenset[Label]
    spans: frozenset[tuple[str, str, int, int]]
    recorded_at: datetime


class View(NamedTuple):
    """A statement as it stands for one instant in the world."""

    status: str
    tier: str
    since: datetime | None
    until: datetime | None
    proofs: frozenset[tuple[str, str, int]]
    supersedes: frozenset[Label]
    superseded_by: frozenset[Label]
    corrects: frozenset[Label]
    contradicts: frozenset[Label]
    holds: bool


class Conclusions(NamedTuple):
    """What follows: (newer, older) to (when, whether it is an end), and pairs that clash."""

    ends: dict[tuple[Label, Label], tuple[datetime, bool]]
    clashes: frozenset[frozenset[Label]]


class State(NamedTuple):
    """All that is known at one moment."""

    facts: dict[Label, Said]
    proofs: dict[Label, tuple[Proof, ...]]
    retracted: frozenset[Label]
    confirmed: frozenset[Label]
    corrects: frozenset[tuple[Label, Label]]
    follows: Conclusions

    def live(self) -> list[Said]:
        wrong = {old for _, old in self.corrects}
        return sorted(
            (fact for label, fact in self.facts.items() if label not in self.retracted and label not in wrong),
            key=lambda fact: (fact.at, fact.position, fact.start),
        )

    def tier(self, label: Label) -> str:
        if label in self.confirmed:
            return "confirmed"
        return max((proof.tier for proof in self.proofs[label]), key=RANK.__getitem__, default=self.facts[label].tier)

    def tied(self) -> set[Label]:
        """Statements that something follows from or has happened to."""
        pairs = [*self.follows.ends, *self.follows.clashes, *self.corrects]
        return {label for pair in pairs for label in pair}

    def bounds(self) -> list[datetime]:
        """Moments at which something begins, ends or is said."""
        found = {when for when, _ in self.follows.ends.values()}
        for fact in self.facts.values():
            found |= {when for when in (fact.since, fact.until, fact.at) if when is not None}
        return sorted(found)


EMPTY = State({}, {}, frozenset(), frozenset(), frozenset(), Conclusions({}, frozenset()))

# ---------------------------------------------------------------------------------------------------------- time


def after(start: datetime, precision: str | None) -> datetime:
    """The end of the period that a bound of this precision may stand for (T5)."""
    if precision == "year":
        return start.replace(year=start.year + 1)
    if precision == "month":
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return start + (timedelta(days=1) if precision == "day" else TICK)


def place(fact: Said) -> datetime:
    """Latest possible start; without one, the session for the present tense and before everything for a past (T8)."""
    if fact.since is not None:
        return after(fact.since, fact.precision) - TICK
    return (fact.until or FIRST) if fact.over else fact.started


def vouched(fact: Said) -> tuple[datetime, datetime] | None:
    """The time for which its source stands in (T7); a session is one instant."""
    if fact.predicate in PERMANENT:
        return FIRST, LAST
    if fact.over:
        if fact.since is None:
            return None
        start = place(fact)
        span = start, fact.until if fact.until is not None else start + TICK
    else:
        now = fact.started + TICK
        span = place(fact), now if fact.until is None else min(now, fact.until)
    return span if span[0] < span[1] else None


def meet(left: Said, right: Said) -> bool:
    """Whether two stated intervals overlap or touch (T12)."""
    low = max(left.since or FIRST, right.since or FIRST)
    return low <= min(left.until or LAST, right.until or LAST)


# ------------------------------------------------------------------------------------------------------ conflict


def akin(left: str, right: str) -> bool:
    return left == right or NARROWER.get(left) == right or NARROWER.get(right) == left


def scopes_meet(left: Said, right: Said) -> bool:
    return left.context is None or right.context is None or left.context == right.context


def excluded(left: Said, right: Said, tier: Callable[[Label], str]) -> bool:
    """Whether the two cannot hold at one time (section g, R1, R3)."""
    if left.subject != right.subject or "inferred" in (tier(left.label), tier(right.label)):
        return False
    if "ended" in (left.temporal, right.temporal) or "episode" in (left.kind, right.kind):
        return False
    if left.kind == "open_item" or right.kind == "open_item":
        return left.kind == right.kind and left.object == right.object and left.due != right.due
    if left.modality != "asserted" or right.modality != "asserted":
        return False
    older, newer = sorted((left, right), key=lambda fact: fact.order)
    if left.predicate != right.predicate:
        opposed = OPPOSITES.get(left.predicate) == right.predicate and left.object == right.object
        return opposed and left.polarity == right.polarity == "positive" and left.context == right.context
    if left.polarity != right.polarity:
        return akin(left.object, right.object) and scopes_meet(left, right)
    if left.polarity == "negative":
        return False
    if newer.replaces is not None and akin(newer.replaces, older.object):
        return True
    if left.object == right.object:
        return False
    if left.object in COUNTS and right.object in COUNTS:
        return COUNTS[left.object][1] == COUNTS[right.object][1]
    if left.context != right.context:
        return False
    if left.predicate in ONE_VALUED:
        return one_value(older, newer)
    return left.predicate == "prefers" and left.context is not None and newer.cue == "change"


def one_value(older: Said, newer: Said) -> bool:
    if "addition" in (older.cue, newer.cue):
        return False
    listed = (older.session, older.turn) == (newer.session, newer.turn)
    return newer.cue is not None or not (listed or akin(older.object, newer.object))


def clash(earlier: Said, later: Said, tier: Callable[[Label], str]) -> bool:
    """Whether two that exclude each other, in their order on the line, contradict (T9) rather than follow."""
    older, newer = sorted((earlier, later), key=lambda fact: fact.order)
    told = newer.cue == "change" or newer.replaces is not None or newer.kind == "open_item"
    if told and place(older) <= place(newer):
        return False
    left, right = vouched(earlier), vouched(later)
    if left is not None and right is not None and max(left[0], right[0]) < min(left[1], right[1]):
        return True
    return RANK[tier(later.label)] < RANK[tier(earlier.label)]


def yields(earlier: Said, later: Said) -> bool:
    """Whether the later one starts within what the earlier one is only presumed to cover (T9)."""
    if earlier.over:
        return earlier.until is None and place(later) < earlier.at
    return earlier.until is None or (earlier.until > earlier.at and place(later) < earlier.until)


def conclude(facts: Iterable[Said], tier: Callable[[Label], str]) -> Conclusions:
    """All that follows from what is live, from nothing but it."""
    ends: dict[tuple[Label, Label], tuple[datetime, bool]] = {}
    clashes: set[frozenset[Label]] = set()
    line = sorted(facts, key=lambda fact: (place(fact), fact.order))
    for index, earlier in enumerate(line):
        followed = False
        for later in line[index + 1 :]:
            if not excluded(earlier, later, tier):
                continue
            if clash(earlier, later, tier):
                clashes.add(frozenset((earlier.label, later.label)))
            elif not followed:
                followed = True
                if yields(earlier, later):
                    ends[later.label, earlier.label] = takeover(earlier, later), False
    for ending in line:
        for older in line:
            if ending.order > older.order and ending.subject == older.subject and closes(ending, older, tier):
                at = ending.at if ending.done else (ending.until or ending.at)
                ends[ending.label, older.label] = at, True
    return Conclusions(ends, frozenset(clashes))


def takeover(earlier: Said, later: Said) -> datetime:
    """The start of the later one, but not before the earlier one was last vouched for in that period; else by then."""
    if later.since is None:
        return later.at
    return earlier.at if later.since < earlier.at < after(later.since, later.precision) else later.since


def closes(ending: Said, older: Said, tier: Callable[[Label], str]) -> bool:
    """Whether "no longer" or a deed is the end of an earlier statement (rules 3 and 7)."""
    if ending.done:
        return older.kind == "open_item" and tier(ending.label) != "inferred" and DEEDS.get(ending.object) == older.object
    if ending.temporal != "ended" or older.temporal != "current" or older.modality != "asserted":
        return False
    return (
        older.kind in ("fact", "preference")
        and "inferred" not in (tier(ending.label), tier(older.label))
        and older.polarity == ending.polarity
        and older.predicate == ending.predicate
        and akin(older.object, ending.object)
        and scopes_meet(older, ending)
        and (older.since or older.started) < after(ending.until or ending.at, ending.precision)
    )


# ------------------------------------------------------------------------------------------------------- reading


def view(state: State, label: Label, at: datetime) -> View:
    """A statement as it stood in a state, for an instant in the world."""
    fact, proofs, tier = state.facts[label], state.proofs[label], state.tier(label)
    ends = {pair: end for pair, end in state.follows.ends.items() if pair[1] == label}
    since = next((one for one in (fact.since, *(proof.since for proof in proofs)) if one is not None), None)
    until = next((one for one in (fact.until, *(proof.until for proof in proofs)) if one is not None), None)
    until = min([*([until] if until else []), *(when for when, _ in ends.values())], default=None)
    if since is not None and until is not None:
        until = max(since, until)
    wrong = frozenset(new for new, old in state.corrects if old == label)
    now_ended = [ending for when, ending in ends.values() if when <= at]
    timeless = fact.predicate in PERMANENT and fact.temporal == "current"
    if label in state.retracted:
        status = "retracted"
    elif wrong:
        status = "corrected"
    elif tier == "inferred":
        status = "suggested"
    elif now_ended:
        status = "past" if all(now_ended) else "superseded"
    elif fact.modality == "intended" or timeless or fact.kind == "open_item":
        status = "current"
    elif since is not None and since > at:
        status = "planned"
    elif (until is not None and until <= at) or fact.over:
        status = "past"
    else:
        status = "current"
    if status not in ("current", "superseded", "past"):
        holds = False
    elif timeless:
        holds = True
    elif until is not None and until <= at:
        holds = False
    elif since is not None:
        holds = since <= at
    else:
        holds = not fact.over and fact.at <= at
    return View(
        status, tier, since, until,
        frozenset((proof.session, proof.turn, proof.start) for proof in proofs),
        frozenset(old for new, old in state.follows.ends if new == label),
        frozenset(new for new, _ in ends),
        frozenset(old for new, old in state.corrects if new == label),
        frozenset(other for pair in state.follows.clashes if label in pair for other in pair if other != label),
        holds,
    )  # fmt: skip


def open_clashes(state: State, at: datetime) -> set[frozenset[Label]]:
    """Contradictions of which both sides stand (R7)."""
    return {
        pair for pair in state.follows.clashes if all(view(state, side, at).status in ("current", "planned") for side in pair)
    }
