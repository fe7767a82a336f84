"""What a memory can be asked.

Invariant: every question is answered from one state of the graph and changes nothing; it parses what it is given, asks the
part that knows, and decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.canonical import words
from graphmem.errors import InputError
from graphmem.guards import reads, writes
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
    Trace,
)
from graphmem.personal.masks import masked
from graphmem.reading import Reader, aware
from graphmem.space import Space
from graphmem.usage import Tally

if TYPE_CHECKING:
    from graphmem.auditing import Audit
    from graphmem.encoding import Bounded
    from graphmem.entities import Directory
    from graphmem.recall.searcher import Searcher


ANSWERS = 256  # answers that are kept at hand, so that their use can be noted by their id
WIDE = 40  # hits that are looked at for a turn, before the filter


class Questions:
    """The part of a memory that answers; see `graphmem.Memory`."""

    def __init__(
        self, space: Space, *, clock: Callable[[], datetime], entropy: Callable[[int], bytes], embed_wait: float
    ) -> None:
        self._space, self._clock, self._entropy = space, clock, entropy
        self._embed_wait = embed_wait
        self._searcher: Searcher | None = None
        # The words of names that are one of several, for a state of the graph, and once they were asked for all names.
        self._joined: tuple[int, set[str]] | None = None
        self._directory: Directory | None = None
        self._model: Bounded | None = None
        self._answers: dict[str, Recall] = {}
        self._tally = Tally()

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
        from graphmem.recall.variants import merged, only

        if not isinstance(query, str):
            raise InputError(f"query must be a text, not {type(query).__name__}")
        _check_limit(k, 10_000)
        if min_score is not None and not 0 <= min_score <= 1:
            raise InputError(f"min_score={min_score!r} must lie in 0..1")
        as_of, known_at, now = aware("as_of", as_of), aware("known_at", known_at), self._clock()
        kinds = None if kinds is None else tuple(kinds)
        reader = Reader(self._space.graph, now=now, as_of=as_of, known_at=known_at)
        limited = None if subject is None else reader.about(subject)
        room = k if special and limited is None else 10_000
        searcher, asked, usage = self._searching(), masked(query), self._usage(known_at)
        if subject is not None and OWNER not in reader.forms(subject):
            asked = addressed(reader.directory(), asked, subject)

        def search(text: str) -> Recall:
            return searcher.recall(
                text, k=room, min_score=min_score, kinds=kinds,
                at=as_of or known_at or now, known_at=known_at or now, now=now, usage=usage,
            )  # fmt: skip

        found = search(asked).model_copy(update={"query": masked(query)})
        for other in self._rephrased(searcher, reader, asked):
            found = merged(found, search(other), room)
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
            special: let health, belief and other special categories through too.
        """
        from graphmem.context import ordinary
        from graphmem.recall.occasion import lookups, occasion, passing
        from graphmem.recall.variants import merged

        if not isinstance(text, str):
            raise InputError(f"text must be a text, not {type(text).__name__}")
        if isinstance(before, str) or not all(isinstance(one, str) for one in before):
            raise InputError("before must be a list of texts: the turns before this one")
        _check_limit(k, 100)
        now, asked = self._clock(), masked(text)
        reader, searcher, usage = Reader(self._space.graph, now=now), self._searching(), self._usage(None)

        def search(part: str) -> Recall:
            return searcher.recall(part, k=WIDE, at=now, known_at=now, now=now, usage=usage)

        words = searcher.corpus.words
        whole, *parts = lookups(asked, words)
        found = search(whole).model_copy(update={"query": asked})
        for other in (*parts, *self._rephrased(searcher, reader, whole)):
            found = merged(found, search(other), WIDE)
        found = self._of_kind(found, asked, reader, searcher, WIDE)
        if not special:
            found = ordinary(found, WIDE)
        return self._named(passing(found, occasion(asked, before, words), k=k, session=session, shown=frozenset(shown)))

    def _of_kind(self, found: Recall, query: str, reader: Reader, searcher: Searcher, k: int) -> Recall:
        """An answer led by what is to do, planned or changed, where the question asks for that by its kind."""
        from graphmem.listing import led_by, listed
        from graphmem.recall.kinds import asked_kind

        words = searcher.corpus.words
        asked = asked_kind(query, reader.at, words)
        return found if asked is None else led_by(found, listed(reader, asked, words), asked, k)

    def _searching(self) -> Searcher:
        from graphmem.calibration import loaded
        from graphmem.recall.searcher import Searcher, Settings

        if self._searcher is None or self._searcher.graph is not self._space.graph:
            settings = Settings(calibration=loaded(self._space.ledger.meta("calibration", "")))
            self._searcher = Searcher(self._space.graph, self._embedder(), settings=settings)
            self._space.watcher = self._searcher.add
        return self._searcher

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

        seq = self._space.graph.applied_seq()
        if self._joined is None or self._joined[0] != seq:
            ends = {end for edge in self._space.graph.same_as() for end in (edge.source, edge.target)}
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

    def trace(self, id: str, *, purpose: str | None = None, actor: str = "owner", role: str = "owner") -> Trace:
        """The way back from a statement to the words it rests on, each quote looked up again in the ledger.

        With a `purpose` the look itself is recorded, with who looked (`actor`) and as what (`role`).
        """
        if purpose is not None:
            self.look("trace", purpose=purpose, actor=actor, role=role, subjects=(id,))
        return self._trace(id)

    @reads
    def _trace(self, id: str) -> Trace:
        from graphmem.tracing import trace

        reader = self._reader()
        return trace(self._space, reader, id)

    @writes
    def look(
        self,
        what: str,
        *,
        purpose: str,
        actor: str = "owner",
        role: str = "owner",
        subjects: Iterable[str] = (),
        detail: str = "",
    ) -> None:
        """Record in the ledger that somebody looks at the memory: what at, who, in which role, and what for."""
        from graphmem.access import log

        ids = tuple(subjects)
        if ids:
            self._reader().many(ids) or self._reader().one(ids[0])
        log(
            self._space, what, actor=actor, role=role, purpose=purpose, mark=self._entropy(8).hex(), subjects=ids, detail=detail
        )

    @reads
    def contradictions(self, status: str | None = "open") -> list[Contradiction]:
        """Pairs that cannot both hold; `status` is `open`, `resolved` or None for both."""
        return self._reader().contradictions(status)

    @reads
    def open_questions(self) -> list[Question]:
        """What only the owner can decide: contradictions, then suggestions.

        Each is answered once, by `confirm`, `correct` or `retract` of one of its statements with `question=` its id; an
        answer to a question whose statements have changed is refused.
        """
        from graphmem.doubts import open_questions

        return open_questions(self._reader(), secret=self._space.ledger.secret)

    @reads
    def open_items(self) -> list[Statement]:
        """Tasks not done yet, the one due first in front."""
        return self._reader().open_items()

    @reads
    def profile(self, *, special: bool = False) -> Profile:
        """What currently holds about the user and about others, accepted tiers only.

        Special categories (health, belief ...) are held back and counted; `special=True` shows them.
        """
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

    @reads
    def timeline(self, path: str | Path, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Path:
        """Draw the user's facts and preferences as bars in time, with what took whose place and what contradicts what.

        The name's end says the format: `.svg`, `.png` or `.pdf`.  Needs the extra `pictures`.
        """
        from graphmem.export import put
        from graphmem.pictures.drawing import draw_chart, format_of
        from graphmem.pictures.lanes import chart

        format = format_of(Path(path))
        now = aware("as_of", as_of) or aware("known_at", known_at) or self._clock()
        planned = chart(self._reader(as_of, known_at).all(), title=f"{self._space.user} ({self._space.space})", now=now)
        return put(path, lambda: draw_chart(planned, format=format))

    @reads
    def graph(self, id: str, path: str | Path, *, steps: int = 2) -> Path:
        """Draw what stands within `steps` of a statement: words, other statements, who and what it is about."""
        from graphmem.export import put
        from graphmem.pictures.drawing import draw_neighbourhood, format_of
        from graphmem.pictures.surroundings import neighbourhood

        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= 10:
            raise InputError(f"steps={steps!r} must be a whole number from 1 to 10")
        format, reader = format_of(Path(path)), self._reader()
        reader.one(id)
        near = neighbourhood(reader.all(), id, steps=steps)
        return put(path, lambda: draw_neighbourhood(near, format=format))

    def export(
        self,
        path: str | Path,
        *,
        format: str = "trig",
        profile: str = "access",
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        progress: Callable[[int, int], None] | None = None,
        purpose: str | None = None,
        actor: str = "owner",
        role: str = "owner",
    ) -> Path:
        """Write the memory to a file: `trig`, `nquads`, `jsonld` or `json`.

        `profile` is `access` (all that is held), `portability` (what the user provided), `audit` (all, and the ledger entry
        by entry) or `current`.  What is left out is listed with its reason.  With a `purpose` the export itself is recorded,
        with who made it (`actor`) and as what (`role`).
        """
        if purpose is not None:
            self.look("export", purpose=purpose, actor=actor, role=role, detail=f"{profile} as {format}")
        return self._export(path, format=format, profile=profile, as_of=as_of, known_at=known_at, progress=progress)

    @reads
    def _export(
        self,
        path: str | Path,
        *,
        format: str,
        profile: str,
        as_of: datetime | None,
        known_at: datetime | None,
        progress: Callable[[int, int], None] | None,
    ) -> Path:
        from graphmem.export import export

        bundle = self._bundle(aware("as_of", as_of), aware("known_at", known_at), ledger=profile == "audit")
        return export(bundle, path, format=format, profile=profile, progress=progress)

    def render(self, found: Recall, *, budget: int = 1500, tokens: Callable[[str], int] | None = None) -> Context:
        """An answer as a block for a prompt.

        Each hit of `found` (from `recall` or `on_turn`) is one escaped line with tier, date and age, inside a fence that
        content cannot close; `budget` and `tokens` as in `start`.  The text is empty where there is nothing to say.
        """
        from graphmem.context import counted, render

        if not isinstance(found, Recall):
            raise InputError(f"found must be what recall or on_turn gave, not {type(found).__name__}")
        counted(budget, tokens)
        return render(found, budget=budget, now=self._clock(), entropy=self._entropy, tokens=tokens)

    @reads
    def dump(
        self,
        *,
        format: str = "trig",
        profile: str = "access",
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> bytes:
        """What `export` would write, as bytes."""
        from graphmem.export import render

        bundle = self._bundle(aware("as_of", as_of), aware("known_at", known_at), ledger=profile == "audit")
        return render(bundle, format=format, profile=profile, progress=progress)

    @reads
    def sparql(
        self,
        query: str,
        *,
        bindings: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        engine: str = "auto",
    ) -> tuple[tuple[str, ...], tuple[tuple[str | None, ...], ...]]:
        """Ask an export in memory: the names of the columns, and the rows.

        `query` is SPARQL, or the name of a shipped one (`graphmem.rdf_queries.NAMES`); it may only read.  `bindings` gives
        variables their values: times, IRIs, texts.
        """
        from graphmem import rdf
        from graphmem.rdf_queries import NAMES, ask, check, shipped

        text = shipped(query) if query in NAMES else check(query)
        bundle = self._bundle(aware("as_of", as_of), aware("known_at", known_at))
        return ask(rdf.shown_quads(bundle), text, bindings=bindings, engine=engine)

    @reads
    def audit(self, *, anchor: str | None = None, format: str = "html", shapes: bool | None = None) -> Audit:
        """Check everything that can be checked, and write it up for a person: `html` or `markdown`.

        Args:
            anchor: a line that `anchor` gave, kept elsewhere.
            format: of the report.
            shapes: whether the published SHACL shapes are checked (extra `shacl`); None: where it is installed.
        """
        from graphmem.auditing import audit

        return audit(self._space, self._reader(), self._bundle(ledger=True), anchor=anchor, format=format, shapes=shapes)

    # ------------------------------------------------------------------ parts

    def _drop_index(self) -> None:
        self._searcher = self._space.watcher = self._joined = self._directory = None

    def _reader(self, as_of: datetime | None = None, known_at: datetime | None = None) -> Reader:
        return Reader(
            self._space.graph,
            now=self._clock(),
            as_of=aware("as_of", as_of),
            known_at=aware("known_at", known_at),
        )

    def _embedder(self) -> Bounded:
        """The space's embedder, waited for only so long, for vectors of the length that the space has."""
        from graphmem.embed import embedder
        from graphmem.encoding import Bounded

        name, dimension = self._space.embedder, self._space.dimension
        if self._model is None or (self._model.name, self._model.dimension) != (name, dimension):
            self._model = Bounded(embedder(name), dimension=dimension, seconds=self._embed_wait)
        return self._model

    def _bundle(self, as_of: datetime | None = None, known_at: datetime | None = None, *, ledger: bool = False) -> Any:
        from graphmem.bundle import Bundle, Erased

        now, graph, kept = self._clock(), self._space.graph, self._space.ledger
        reader = Reader(graph, now=now, as_of=as_of, known_at=known_at)
        erased = []
        for entry in kept.erasures():
            counts = (entry.body or {}).get("counts", {})
            erased.append(Erased(entry.seq, entry.at, int(counts.get("statements", 0)), int(counts.get("turns", 0))))
        return Bundle(
            user=self._space.user,
            space=self._space.space,
            at=reader.at,
            known_at=reader.known_at,
            nodes=tuple(reader.nodes()),
            turns=tuple(graph.turns()),
            sessions=tuple(graph.sessions()),
            entities=tuple(graph.entities()),
            mentions=tuple(graph.mentions()),
            same_as=tuple(graph.same_as()),
            statements=tuple(reader.all()),
            contradictions=tuple(reader.contradictions(None)),
            ledger_head=kept.head()[1],
            exported_at=now,
            erasures=tuple(erased),
            ledger=tuple(kept.rows()) if ledger else (),
        )


def _check_limit(k: object, most: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= most:
        raise InputError(f"k={k!r} must be a whole number from 1 to {most:,}")


def known_clock(clock: str) -> Clock:
    """The clock of this name; InputError if there is none."""
    if clock not in ("told", "recorded"):
        raise InputError(f"clock {clock!r} is unknown: use told or recorded")
    return clock  # type: ignore[return-value]
