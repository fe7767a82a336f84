"""What a memory hands out to look at: traces, pictures, exports, queries over them, audits.

Invariant: everything is made from one state of the graph, and nothing is handed out that was recorded after `known_at`; a look
that names its purpose is itself an entry of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem import checks
from graphmem.guards import gated, reads, writes
from graphmem.model import Trace
from graphmem.reading import Reader, aware
from graphmem.space import Space

if TYPE_CHECKING:
    from graphmem.auditing import Audit
    from graphmem.bundle import Bundle
    from graphmem.gate import Gate
    from graphmem.graph.base import Graph


class Disclosure:
    """The part of a memory that hands out; see `graphmem.Memory`."""

    def __init__(self, space: Space, *, clock: Callable[[], datetime], entropy: Callable[[int], bytes]) -> None:
        self._space, self._clock, self._entropy = space, clock, entropy
        self._gate: Gate | None = None  # None for the owner, to whom nothing is closed

    @gated
    def trace(self, id: str, *, purpose: str | None = None, actor: str = "owner", role: str = "owner") -> Trace:
        """The way back from a statement to the words it rests on, each quote looked up again in the ledger.

        With a `purpose` the look itself is recorded, with who looked (`actor`) and as what (`role`).
        """
        if purpose is not None and self._gate is None:
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

        ids = checks.texts("subjects", subjects, what="a list of ids of statements")
        if ids:
            self._reader().many(ids) or self._reader().one(ids[0])
        log(
            self._space, what, actor=actor, role=role, purpose=purpose, mark=self._entropy(8).hex(), subjects=ids, detail=detail
        )

    @reads
    def timeline(self, path: str | Path, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Path:
        """Draw the user's facts and preferences as bars in time, with what took whose place and what contradicts what.

        The name's end says the format: `.svg`, `.png` or `.pdf`.  Needs the extra `pictures`.
        """
        from graphmem.export import put
        from graphmem.pictures.drawing import draw_chart, format_of
        from graphmem.pictures.lanes import chart

        format = format_of(checks.path("path", path))
        now = aware("as_of", as_of) or aware("known_at", known_at) or self._clock()
        planned = chart(self._reader(as_of, known_at).all(), title=f"{self._space.user} ({self._space.space})", now=now)
        return put(path, lambda: draw_chart(planned, format=format))

    @reads
    def chain(self, id: str, path: str | Path) -> Path:
        """Draw the way from a statement back to its quotes, turns and sessions, and what it replaced or contradicts, as SVG."""
        from graphmem.export import put
        from graphmem.pictures.chain import chain, svg, svg_named
        from graphmem.tracing import trace

        svg_named(path)
        planned = chain(trace(self._space, self._reader(), id))
        return put(path, lambda: svg(planned))

    @reads
    def graph(self, id: str, path: str | Path, *, steps: int = 2) -> Path:
        """Draw what stands within `steps` of a statement: words, other statements, who and what it is about."""
        from graphmem.export import put
        from graphmem.pictures.drawing import draw_neighbourhood, format_of
        from graphmem.pictures.surroundings import neighbourhood

        checks.whole("steps", steps, 1, 10)
        format, reader = format_of(checks.path("path", path)), self._reader()
        reader.one(id)
        near = neighbourhood(reader.all(), id, steps=steps)
        return put(path, lambda: draw_neighbourhood(near, format=format))

    @gated
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
        from graphmem.bundle import PROFILES, one_of
        from graphmem.export import FORMATS, target_of

        one_of("format", format, FORMATS)
        one_of("profile", profile, PROFILES)
        checks.called("progress", progress)
        as_of, known_at, target = aware("as_of", as_of), aware("known_at", known_at), target_of(path)
        if purpose is not None:
            self.look("export", purpose=purpose, actor=actor, role=role, detail=f"{profile} as {format}")
        # On record before it is made, so that an erasure can name every copy that it does not reach.
        self._handed_out("export", target, profile=profile, format=format)
        return self._export(path, format=format, profile=profile, as_of=as_of, known_at=known_at, progress=progress)

    @reads
    def _handed_out(self, kind: str, path: Path, *, profile: str = "", format: str = "") -> None:
        from graphmem.handouts import note

        note(self._space, kind, path, profile=profile, format=format)

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

        checks.called("progress", progress)
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
        variables their values: times, IRIs, texts.  A shipped query needs all of its own (`graphmem.rdf_bindings.TAKES`), and
        takes ids and names for IRIs.
        """
        from graphmem import rdf
        from graphmem.rdf_bindings import terms
        from graphmem.rdf_queries import NAMES, ask, check, shipped

        checks.text("query", query, what="SPARQL, or the name of a shipped query")
        text = shipped(query) if query in NAMES else check(query)
        bundle = self._bundle(aware("as_of", as_of), aware("known_at", known_at))
        if query in NAMES:
            bindings = terms(query, bindings or {}, bundle)
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

        if shapes is not None:
            checks.flags(shapes=shapes)
        return audit(self._space, self._reader(), self._bundle(ledger=True), anchor=anchor, format=format, shapes=shapes)

    # ------------------------------------------------------------------ parts

    @property
    def _graph(self) -> Graph:
        """The space's graph, as far as it may be searched."""
        return self._space.graph if self._gate is None else self._gate.graph(self._space.graph)

    def _reader(self, as_of: datetime | None = None, known_at: datetime | None = None) -> Reader:
        return Reader(
            self._graph,
            now=self._clock(),
            as_of=aware("as_of", as_of),
            known_at=aware("known_at", known_at),
        )

    def _bundle(self, as_of: datetime | None = None, known_at: datetime | None = None, *, ledger: bool = False) -> Bundle:
        from graphmem.bundle import Erased
        from graphmem.export import gather

        now, graph, kept = self._clock(), self._graph, self._space.ledger
        erased = []
        for entry in kept.erasures():
            counts = (entry.body or {}).get("counts", {})
            erased.append(Erased(entry.seq, entry.at, int(counts.get("statements", 0)), int(counts.get("turns", 0))))
        made = gather(
            graph,
            Reader(graph, now=now, as_of=as_of, known_at=known_at),
            user=self._space.user,
            space=self._space.space,
            ledger_head=kept.head()[1],
            exported_at=now,
            erasures=tuple(erased),
            ledger=tuple(kept.rows()) if ledger else (),
        )
        return made if self._gate is None else self._gate.bundle(made)
