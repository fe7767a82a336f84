"""What a memory can be asked.

Invariant: every question is answered from one state of the graph and changes nothing; it parses what it is given, asks the
part that knows, and decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from graphmem import checks
from graphmem.canonical import words
from graphmem.disclosure import Disclosure
from graphmem.errors import InputError
from graphmem.guards import gated, reads
from graphmem.identity import OWNER
from graphmem.model import (
    Change,
    Clock,
    Context,
    Contradiction,
    Entity,
    Profile,
    Question,
    Recall,
    SessionInfo,
    Statement,
)
from graphmem.personal.masks import masked
from graphmem.reading import Reader, aware
from graphmem.settings import settings_of
from graphmem.space import Space
from graphmem.usage import Tally

if TYPE_CHECKING:
    from graphmem.encoding import Bounded
    from graphmem.entities import Directory
    from graphmem.recall.matrix import Kept
    from graphmem.recall.searcher import Searcher


ANSWERS = 256  # answers that are kept at hand, so that their use can be noted by their id
WIDE = 40  # hits that are looked at for a turn, before the filter


class Questions(Disclosure):
    """The part of a memory that answers; see `graphmem.Memory`."""

    def __init__(
        self, space: Space, *, clock: Callable[[], datetime], entropy: Callable[[int], bytes], embed_wait: float
    ) -> None:
        super().__init__(space, clock=clock, entropy=entropy)
        self._embed_wait = embed_wait
        self._searcher: Searcher | None = None
        # The words of names that are one of several, for a state of the graph, and once they were asked for all names.
        self._joined: tuple[int, set[str]] | None = None
        self._directory: Directory | None = None
        self._model: Bounded | None = None
        self._answers: dict[str, Recall] = {}
        self._tally = Tally()
        space.unlearn = self._answers.clear  # they hold what was erased

    @reads
    def statements(
        self,
        status: str | None = None,
        kind: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        subject: str | None = None,
    ) -> list[Statement]:
        """Statements in order of saying; None means every status.  With `as_of` and no status: those that held then.

        `subject` limits them to one person or thing, by any of its names ("user" for the owner).
        """
        return self._reader(as_of, known_at).statements(status, kind, subject)

    @reads
    def entities(
        self, type: str | None = None, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> list[Entity]:
        """Who and what the statements are about, each once under all its names, in order of telling.

        Names are one only where words say so; every alias brings them.  `type` is person, place, organisation, thing or date.
        """
        return self._reader(as_of, known_at).entities(type)

    @reads
    def recall(
        self,
        query: str,
        *,
        k: int = 8,
        min_score: float | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        kinds: Iterable[str] | None = None,
        special: bool = True,
        subject: str | None = None,
    ) -> Recall:
        """What the memory has on a question, best first; nothing if nothing passes the threshold.

        `min_score` in 0..1 replaces the calibrated threshold; `kinds` limits the kinds of statement; `special=False`
        leaves out what tells of health, belief and other special categories; `subject` limits the answer to what is about,
        or mentions, one person or thing, by any of its names.  Whom the query names is looked for by all names.  A secret in
        the query is masked.
        """
        from graphmem.context import ordinary
        from graphmem.entities import addressed
        from graphmem.recall.bridge import bridged, over, relation_meant
        from graphmem.recall.variants import merged, only

        checks.text("query", query)
        checks.whole("k", k, 1, 10_000)
        checks.flags(special=special)
        if min_score is not None:
            checks.between("min_score", min_score, 0, 1)
        as_of, known_at, now = aware("as_of", as_of), aware("known_at", known_at), self._clock()
        kinds = None if kinds is None else checks.texts("kinds", kinds, what="a list of kinds")
        reader = Reader(self._graph, now=now, as_of=as_of, known_at=known_at)
        limited = None if subject is None else reader.about(subject)
        room = k if special and limited is None else 10_000
        searcher, asked, usage = self._searching(), masked(query), self._usage(known_at)
        if subject is not None and OWNER not in reader.forms(subject):
            asked = addressed(reader.directory(), asked, subject)

        def search(text: str) -> Recall:
            return searcher.recall(
                text, k=room, min_score=min_score, kinds=kinds, asked=asked,
                at=as_of or known_at or now, known_at=known_at or now, now=now, usage=usage,
            )  # fmt: skip

        found = search(asked).model_copy(update={"query": masked(query)})
        for other in self._rephrased(searcher, reader, asked):
            found = merged(found, search(other), room)
        bridge = bridged(asked, reader.statements("current")) if relation_meant(asked) else None
        if bridge is not None:
            found = merged(found, over(search(bridge.query), bridge, searcher.corpus.words), room)
        if kinds is None and min_score is None:
            found = self._of_kind(found, asked, reader, searcher, room)
        if limited is not None:
            found = only(found, k if special else room, *limited)
        return self._named(found if special else ordinary(found, k))

    @reads
    def on_turn(
        self,
        text: str,
        *,
        before: Sequence[str] = (),
        session: str | None = None,
        shown: Collection[str] = (),
        k: int = 5,
        special: bool = False,
    ) -> Recall:
        """What the memory has to say at a turn of a conversation, unasked: for most turns nothing.

        The search is wide and cheap, the filter hard: statements that hold now and are all but certainly meant.  A turn that
        points to the past ("as I said", "last time") or turns to another topic lowers the bar, small talk raises it; see
        `graphmem.recall.occasion`.

        Args:
            text: what was just said.
            before: the turns before it in this conversation, by which a new topic is known.
            session: the id of this conversation, if it is being recorded: what only it says is not repeated.
            shown: ids of statements that are in the prompt already, as of `start`.
            k: the most hits.
            special: let health, belief and other special categories through too; without it they are held back and counted.
        """
        from graphmem.context import ordinary
        from graphmem.recall.occasion import lookups, occasion, passing
        from graphmem.recall.variants import merged

        checks.text("text", text)
        before = checks.texts("before", before, what="a list of texts: the turns before this one")
        if session is not None:
            checks.text("session", session, what="the id of a session, a text")
        shown = checks.texts("shown", shown, what="a list of ids of statements, such as the statements of a context")
        checks.whole("k", k, 1, 100)
        checks.flags(special=special)
        now, asked = self._clock(), masked(text)
        reader, searcher, usage = Reader(self._graph, now=now), self._searching(), self._usage(None)

        def search(part: str, like: str | None = None) -> Recall:
            return searcher.recall(part, k=WIDE, at=now, known_at=now, now=now, usage=usage, asked=like)

        words = searcher.corpus.words
        whole, *parts = lookups(asked, words)
        found = search(whole).model_copy(update={"query": asked})
        for other, like in (
            *((part, None) for part in parts),
            *((one, whole) for one in self._rephrased(searcher, reader, whole)),
        ):
            found = merged(found, search(other, like), WIDE)
        found = self._of_kind(found, asked, reader, searcher, WIDE)
        moment, there = occasion(asked, before, words), frozenset(shown)
        # What is held back is counted where it would have been shown.
        found = (
            found if special else ordinary(found, WIDE, among=passing(found, moment, k=k, session=session, shown=there).hits)
        )
        return self._named(passing(found, moment, k=k, session=session, shown=there))

    def _of_kind(self, found: Recall, query: str, reader: Reader, searcher: Searcher, k: int) -> Recall:
        """An answer led by what is to do, planned or changed, where the question asks for that by its kind."""
        from graphmem.listing import led_by, listed
        from graphmem.recall.kinds import asked_kind

        words = searcher.corpus.words
        asked = asked_kind(query, reader.at, words)
        return found if asked is None else led_by(found, listed(reader, asked, words), asked, k)

    def _searching(self) -> Searcher:
        from graphmem.calibration import loaded
        from graphmem.recall.matrix import kept_vectors
        from graphmem.recall.searcher import Searcher, Settings

        if self._searcher is None or self._searcher.graph is not self._graph:
            settings = Settings(calibration=loaded(self._space.ledger.meta("calibration", "")))
            self._searcher = Searcher(
                self._graph, self._embedder(), settings=settings,
                kept=lambda upto: self._kept(kept_vectors(self._space.ledger, upto)),
            )  # fmt: skip
            self._space.watcher = self._searcher.add if self._gate is None else self._gate.watching(self._searcher.add)
        return self._searcher

    def _kept(self, vectors: Iterator[Kept]) -> Iterator[Kept]:
        """The vectors that may be searched."""
        return vectors if self._gate is None else self._gate.vectors(vectors)

    def _named(self, found: Recall) -> Recall:
        """An answer under an id of its own, by which its use can be noted; the last ones are kept at hand for that."""
        found = found.model_copy(update={"id": f"r_{self._entropy(12).hex()}"})
        self._answers[found.id] = found
        while len(self._answers) > ANSWERS:
            self._answers.pop(next(iter(self._answers)))
        return found

    def _usage(self, known_at: datetime | None) -> Callable[[str], float]:
        """How likely each statement is of use, as far as that was known."""
        self._tally.follow(self._space.ledger)
        tally = self._tally
        return lambda name: tally.share(name, known_at)

    def _rephrased(self, searcher: Searcher, reader: Reader, query: str) -> list[str]:
        """The query by the other names of whom it names; the names are only read where a word of one is in it."""
        from graphmem.entities import rephrased
        from graphmem.recall.variants import MOST

        seq = self._graph.applied_seq()
        if self._joined is None or self._joined[0] != seq:
            ends = {end for edge in self._graph.same_as() for end in (edge.source, edge.target)}
            named = {word for end in ends for word in words(searcher.corpus.names.get(end, ""))}
            self._joined, self._directory = (seq, named), None
        if not self._joined[1] & {word.removesuffix("'s") for word in words(query)}:
            return []
        if reader.as_of is not None or reader.known_at != reader.at:
            return rephrased(reader.directory(), query, MOST)
        # For the present they are read once for a state of the graph.
        self._directory = self._directory or reader.directory()
        return rephrased(self._directory, query, MOST)

    @reads
    def changes(self, since: datetime | None = None, until: datetime | None = None, *, clock: Clock = "told") -> list[Change]:
        """What changed in [since, until), oldest first, by the time of saying or (`clock="recorded"`) of recording."""
        from graphmem.changes import changes

        return changes(
            self._reader(), erased=self._space.ledger.erasures(), since=aware("since", since), until=aware("until", until),
            clock=known_clock(clock),
        )  # fmt: skip

    @reads
    def contradictions(self, status: str | None = "open") -> list[Contradiction]:
        """Pairs that cannot both hold; `status` is `open`, `resolved` or None for both."""
        return self._reader().contradictions(status)

    @reads
    def open_questions(self) -> list[Question]:
        """What only the owner can decide: contradictions, then suggestions.

        Each is answered once, by `confirm`, `correct` or `retract` of one of its statements with `question=` its id; an
        answer to a question whose statements have changed is refused, and so is one after its `expires_at`.
        """
        from graphmem.doubts import open_questions

        ledger = self._space.ledger
        return open_questions(self._reader(), secret=ledger.secret, days=settings_of(ledger).questions)

    @reads
    def quarantine(self) -> list[Statement]:
        """Claims of others' words that are shaped like instructions or like other words; `details` has the reason's code.

        They are nowhere else to be had.  `release`, `confirm` or `forget` each by its id.
        """
        return self._reader().statements(status="quarantined")

    @reads
    def open_items(self) -> list[Statement]:
        """Tasks not done yet, the one due first in front."""
        return self._reader().open_items()

    @reads
    def profile(self, *, special: bool = False) -> Profile:
        """What currently holds about the user and about others, accepted tiers only.

        Special categories (health, belief ...) are held back and counted; `special=True` shows them.
        """
        checks.flags(special=special)
        return self._reader().profile(self._space.user, self._space.space, special=special)

    @reads
    def sessions(self) -> list[SessionInfo]:
        """All sessions in order, with their summaries."""
        return self._reader().sessions()

    @reads
    def start(self, budget: int = 1500, *, special: bool = False, tokens: Callable[[str], int] | None = None) -> Context:
        """A block for the start of a prompt within `budget` tokens: due, profile, last sessions.

        `tokens` counts the tokens of a text, as the model's tokenizer does; without it four characters are one.  Special
        categories are held back and counted; `special=True` shows them.  Identifiers are shortened.
        """
        from graphmem.context import counted, start

        counted(budget, tokens)
        checks.flags(special=special)
        reader = self._reader()
        return start(
            reader.profile(self._space.user, self._space.space, special=special),
            reader.sessions(),
            reader.open_items(),
            budget=budget,
            now=self._clock(),
            entropy=self._entropy,
            special=special,
            tokens=tokens,
        )

    @gated
    def render(self, found: Recall, *, budget: int = 1500, tokens: Callable[[str], int] | None = None) -> Context:
        """An answer as a block for a prompt.

        Each hit of `found` (from `recall` or `on_turn`) is one escaped line with tier, date and age, inside a fence that
        content cannot close; `budget` and `tokens` as in `start`.  The text is empty where there is nothing to say.
        """
        from graphmem.context import counted, render

        if not isinstance(found, Recall):
            raise InputError(f"found must be what recall or on_turn gave, not {type(found).__name__}")
        counted(budget, tokens)
        if self._gate is not None:
            found = self._gate.shown("render", found)
        return render(found, budget=budget, now=self._clock(), entropy=self._entropy, tokens=tokens)

    # ------------------------------------------------------------------ parts

    def _drop_index(self) -> None:
        self._searcher = self._space.watcher = self._joined = self._directory = None

    def _embedder(self) -> Bounded:
        """The space's embedder, waited for only so long, for vectors of the length that the space has."""
        from graphmem.embed import embedder
        from graphmem.encoding import Bounded

        name, dimension = self._space.embedder, self._space.dimension
        if self._model is None or (self._model.name, self._model.dimension) != (name, dimension):
            self._model = Bounded(embedder(name), dimension=dimension, seconds=self._embed_wait)
        return self._model


def known_clock(clock: str) -> Clock:
    """The clock of this name; InputError if there is none."""
    return checks.one_of("clock", clock, ("told", "recorded"))  # type: ignore[return-value]
