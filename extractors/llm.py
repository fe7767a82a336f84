"""The extractor that asks a language model, and believes none of it.

Invariant: a claim comes out only if its quote stands in a turn of role `user`, in the speaker's own words, and the gate that
judges every proposal lets it pass; its words are the turn's, never the model's.  What fails is counted with its reason.
Whoever answers stands behind a protocol of one method, so nothing here knows a provider.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from secrets import token_hex
from typing import NamedTuple, Protocol

from graphmem.extractors.alignment import align
from graphmem.extractors.base import Claim, Extraction, Refusal
from graphmem.extractors.gate import gate
from graphmem.extractors.llm_answer import Answer, Item, proposal, refused
from graphmem.extractors.llm_prompt import SIZE, VERSION, Passage, passages
from graphmem.extractors.proposals import Proposal
from graphmem.extractors.regions import regions
from graphmem.model import Cost, Session, Turn

PER_TURN, PER_SESSION = 10, 50  # claims that one turn and one session may make
ITEMS = 200  # items of one answer that are looked at

Check = Callable[[Answer], tuple[str, ...]]


class Reply(NamedTuple):
    """The answers to one question in order (a second one if it was asked for), and what they took."""

    answers: tuple[Answer, ...]
    cost: Cost


class Proposer(Protocol):
    """Whoever answers: a provider's model, a local one, or a script."""

    def ask(self, passage: Passage, check: Check) -> Reply:
        """The answer to a passage.  Where `check` names quotes that are not found, it may be asked for once more.

        Raises:
            ExtractionFailed: there is no usable answer.
        """


class LLMExtractor:
    """Claims from a language model, each held against the words it quotes.

    Args:
        proposer: whoever answers.
        model: name of the model; it is written into the evidence.
        size: characters of one question; a longer session is asked about in parts.
        fence: gives a word that nobody can guess, for the lines around the transcript.
        clock: gives seconds.
    """

    name = "llm"

    def __init__(
        self,
        proposer: Proposer,
        *,
        model: str,
        size: int = SIZE,
        fence: Callable[[], str] = lambda: f"data-{token_hex(8)}",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._proposer, self._size, self._fence, self._clock = proposer, size, fence, clock
        self.version = f"{VERSION}/{model}"

    def extract(self, session: Session) -> Extraction:
        """Ask about a session and hold every item against it.

        Raises:
            ExtractionFailed: the model could not be asked about all of the session; nothing of it is kept.
        """
        begun = self._clock()
        reading = _Reading(session)
        costs = []
        for passage in passages(session, size=self._size, fence=self._fence):
            reply = self._proposer.ask(passage, lambda answer, shown=passage: reading.missing(answer, shown))  # type: ignore[misc]
            costs.append(reply.cost)
            reading.take((item for answer in reply.answers for item in answer.items[:ITEMS]), passage)
        claims = reading.judge(rule=f"llm-{VERSION}")
        cost = Cost(
            requests=sum(cost.requests for cost in costs),
            input_tokens=sum(cost.input_tokens for cost in costs),
            output_tokens=sum(cost.output_tokens for cost in costs),
            seconds=round(self._clock() - begun, 3),
        )
        return Extraction(claims, tuple(reading.refusals), cost)


class _Reading:
    """What was answered about one session on its way to claims."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turns = {turn.id: turn for turn in session.turns}
        self._proposals: dict[Proposal, None] = {}
        self.refusals: list[Refusal] = []

    def missing(self, answer: Answer, passage: Passage) -> tuple[str, ...]:
        """The quotes of an answer that stand in no turn that was shown."""
        return tuple(
            item.quote
            for item in answer.items[:ITEMS]
            if item.turn not in passage.turns or align(item.quote, self._turns[item.turn].text) is None
        )

    def take(self, items: Iterable[Item], passage: Passage) -> None:
        """Find the quotes; an item that was given twice counts once."""
        for item in dict.fromkeys(items):
            made = self._found(item, passage)
            if isinstance(made, Refusal):
                self.refusals.append(made)
            else:
                self._proposals[made] = None

    def _found(self, item: Item, passage: Passage) -> Proposal | Refusal:
        turn = self._turns.get(item.turn)
        if turn is None:
            return refused(item, "turn_unknown")
        if turn.role != "user":
            return refused(item, "not_the_users_words")
        if turn.id not in passage.turns:
            return refused(item, "turn_not_shown")
        if not item.quote.strip():
            return refused(item, "quote_empty")
        place = align(item.quote, turn.text)
        if place is None:
            return refused(item, "quote_not_found")
        return proposal(item, turn, place)

    def judge(self, *, rule: str) -> tuple[Claim, ...]:
        """The claims that the gate and the limits leave, in the order of their quotes."""
        order = {turn.id: number for number, turn in enumerate(self._session.turns)}
        taken: list[Claim] = []
        by_turn: dict[str, int] = {}
        results = gate(self._session, list(self._proposals), rule=rule) if self._proposals else ()
        for result in sorted(results, key=lambda one: (order[one.turn], one.start)):
            if isinstance(result, Claim):
                result = self._limited(result, by_turn, len(taken))
            if isinstance(result, Claim):
                by_turn[result.turn] = by_turn.get(result.turn, 0) + 1
                taken.append(result)
            else:
                self.refusals.append(result)
        return tuple(taken)

    def _limited(self, claim: Claim, by_turn: dict[str, int], taken: int) -> Claim | Refusal:
        reason = None
        if not _own(self._turns[claim.turn], claim.start, claim.end):
            reason = "not_own_words"
        elif by_turn.get(claim.turn, 0) >= PER_TURN:
            reason = "limit_per_turn"
        elif taken >= PER_SESSION:
            reason = "limit_per_session"
        if reason is None:
            return claim
        return Refusal(turn=claim.turn, start=claim.start, end=claim.end, quote=claim.quote, reason=reason)


def _own(turn: Turn, start: int, end: int) -> bool:
    """Whether a stretch lies in one passage of the speaker's own words."""
    return any(low <= start and end <= high for low, high in regions(turn).own)
