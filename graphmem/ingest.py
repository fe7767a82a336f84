"""Taking a session in: extract, ground, admit, reconcile, embed, record.

Invariant: a session is one operation.  Whatever stops it, the ledger holds all of it or nothing, and doing it again has
the same result as doing it once.  Everything before the write is a decision; only `Space.write` has an effect.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.acquainted import Acquainted
from graphmem.admission import Admission, Admitted
from graphmem.checks import brief
from graphmem.closing import closing
from graphmem.echoes import with_echoes
from graphmem.embed import Embedder
from graphmem.embedding import vectors_of
from graphmem.errors import EmbedderFailed, InputError, StoreError
from graphmem.extractors.base import Claim, Extraction, Extractor, Refusal
from graphmem.forgotten import Forgotten, is_blank
from graphmem.graph.base import Node
from graphmem.judging import judge, stands
from graphmem.ledger import Draft
from graphmem.limits import LIMIT, SURPLUS_KEPT, Quota
from graphmem.marks import near
from graphmem.model import Cost, IngestReport, Masked, Rejection, Session, Waiting
from graphmem.queue import bare_turns, done_draft, queued_draft, waiting_turns
from graphmem.quoted import only_quoted, wordless
from graphmem.reconcile import Plan, reconcile
from graphmem.recorded import Names, actor_of, compared, without
from graphmem.records import ERASED, LinkRecord, SessionRecord, StatementRecord, TurnRecord, key
from graphmem.register_watch import Watch
from graphmem.roles import Principal
from graphmem.settings import check_learning, settings_of
from graphmem.sight import is_open
from graphmem.space import Space
from graphmem.summary import summarise
from graphmem.views import ENDING_RULES
from graphmem.withheld import Withheld

_TYPES = {
    "SUPERSEDES": "superseded",
    "CORRECTS": "corrected",
    "CONTRADICTS": "contradiction opened",
    "REFINES": "refined",
    "DERIVED_FROM": "derived",
}


class Taken(NamedTuple):
    """What one session did; `statement` is the first statement recorded, for the owner's own acts."""

    new_session: bool
    turns: int
    recorded: tuple[str, ...] = ()
    corroborated: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    touched: tuple[str, ...] = ()
    masked: tuple[Masked, ...] = ()


class Job(NamedTuple):
    """A session that is recorded and to be extracted: as it is recorded, cut down to the turns that wait and what they answer.

    `recorded` is how many turns were recorded just now, `masked` the secrets that were not, `forgotten` the passages.
    """

    session: Session
    recorded: int
    masked: tuple[Masked, ...]
    forgotten: tuple[Rejection, ...] = ()


class Ingestion:
    """Takes sessions into one space.

    Args:
        space: the space.
        extractor: reads the sessions.
        embedder: embeds them.
        allow: take in also what was forgotten before, whose tombstones are lifted.
        who: gives them; None for the owner, who may know every turn that is recorded.
    """

    def __init__(
        self, space: Space, *, extractor: Extractor, embedder: Embedder, allow: bool = False, who: Principal | None = None
    ) -> None:
        self.space, self.extractor, self.embedder, self.allow, self.who = space, extractor, embedder, allow, who
        self.names = Names(space, who)
        self._acquainted = Acquainted(space)
        self._watch = Watch(space)

    def ready(self) -> None:
        """Load what reads and embeds words, so that nobody waits for that at the lock; it is loaded once a process.

        An embedder that fails fails again where it is needed, and there its session can be kept.
        """
        with suppress(EmbedderFailed):
            self.embedder.encode([])
        warm = getattr(self.extractor, "ready", None)
        if warm is not None:
            warm()

    def take(
        self,
        session: Session | Withheld,
        *,
        claims: Sequence[Claim] | None = None,
        corrects: str | None = None,
        extraction: Extraction | None = None,
        also: Sequence[Draft] = (),
    ) -> Taken:
        """Record a session and what follows from it; turns that were queued for extraction are among its new ones.

        Args:
            session: normalised and validated (`graphmem.sessions.parse`), or the same with its secrets withheld.
            claims: given claims instead of the extractor's (an act of the owner).
            corrects: id of the statement that the first claim puts right.
            extraction: what the extractor made of the session since it was queued.
            also: entries that belong to the same operation.

        Raises:
            SessionError: the id is taken by a session with other words.
            WasForgotten: an act of the owner says what was forgotten, and it is not allowed again.
        """
        self._check_embedder()
        space = self.space
        check_learning(space.ledger, righting=corrects is not None)
        # During a pause a correction keeps its own words, and none that stand beside them.
        sparing = self.sparing() or not settings_of(space.ledger).learning
        now = space.ledger.now()
        # Nothing below this line has ever seen a secret; only `masking` still knows them, to look through given claims.
        session, hidden, masking, *_ = self.names.named(session)
        held = compared(space, with_echoes(session, space), self.who, whole=self.allow)
        session, turns, stored, fresh, passed = held
        waiting = waiting_turns(space.ledger, session.id) - passed if stored else frozenset()
        if (not fresh and not waiting) or (fresh and extraction is not None and not sparing):
            # Nothing to do, or what was queued has been forgotten meanwhile.
            return Taken(False, 0)
        new_ids = {turn.id for turn in fresh} | waiting
        forgotten = self._forgotten(session, fresh)
        name = f"{self.extractor.name}/{self.extractor.version}"
        if claims is None:
            found = extraction or self.extractor.extract(held.heard)
            proposed: Sequence[Claim] = found.claims
        else:
            found, proposed = Extraction((), ()), claims
        wrong = [node.record for node in space.graph.nodes([corrects])] if corrects else []
        admission = Admission(
            session, user=space.user, secret=space.ledger.secret, extractor=name, now=now, corrected=next(iter(wrong), None)
        )
        standing = claims is not None or extraction is None
        proposed = [claim for claim in proposed if claim.turn in new_ids or not (standing or stands(claim, session))]
        judged = judge(proposed, session, admission, masking, Quota(space.ledger, session), standing=standing)
        sifted = forgotten.sift(judged)
        session, turns, fresh = forgotten.kept(session, turns, fresh, own=claims is not None)
        admitted = [item for item in sifted if not isinstance(item, Rejection)]
        rejected = [item for item in sifted if isinstance(item, Rejection)]
        if claims is not None and not admitted:
            raise InputError(f"these words cannot be kept as a statement ({rejected[0].reason}): say it in fewer words")
        live = self.live(admitted, wrong)
        unseen = frozenset(node.record.id for node in live if not is_open(node)) if self.who is not None else frozenset()
        plan = reconcile(admitted, live, secret=space.ledger.secret, now=now, corrects=corrects, unseen=unseen)
        if sparing:
            turns, fresh = only_quoted(turns, stored, plan.evidence)
        new = len(fresh) == len(turns)
        drafts = [session_draft(session, fresh, now, new=new, who=self.who)] if fresh else []
        if rejected:
            drafts.append(rejection_draft(session, name, wordless(rejected) if sparing else rejected))
        if found.cost is not None:
            if found.refusals:
                drafts.append(_refusal_draft(session, name, found))
            rejected += [_rejection(refusal, session, name) for refusal in found.refusals if not _hidden(refusal, session)]
        if waiting:
            drafts.append(done_draft(session.id, waiting, name))
        drafts += [*plan_drafts(plan), *also]
        records = list(plan.statements)
        summary = self._summary(session, plan, live, now)
        if summary is not None:
            records.append(summary[0])
            drafts.append(summary[1])
        bare = bare_turns(space.ledger, session.id) & waiting if waiting else frozenset()
        embedded = {turn.id for turn in fresh if not is_blank(turn.text)} | bare
        vectors = vectors_of(self.embedder, turns, embedded, records, drafts)
        stood = space.ledger.head()[0]
        drafts += forgotten.lifted(space, now)
        if not space.write(f"ingest/{session.id}/{self._digest(session, turns)}/{corrects or ''}", drafts, vectors, at=now):
            return Taken(False, 0)
        self._acquainted.wrote(drafts, before=stood)
        taken = _as_known(taken_of(plan, rejected, len(new_ids), new=new), unseen)
        return taken._replace(masked=tuple(item for item in hidden if item.turn is None or item.turn in new_ids))

    def _forgotten(self, session: Session, fresh: Sequence[TurnRecord]) -> Forgotten:
        """What of the session was forgotten before."""
        return Forgotten(self._watch.tombstones(), session, {turn.id for turn in fresh}, allow=self.allow)

    def queue(self, session: Session | Withheld, *, embedded: bool = True) -> Job | None:
        """Record a session whose extraction takes long or may fail, without extracting anything.

        Args:
            session: as in `take`.
            embedded: whether its turns get their vectors now; otherwise they get them when they are extracted.

        Returns:
            What there is to extract; None where nothing waits.
        """
        self._check_embedder()
        space = self.space
        check_learning(space.ledger)
        now = space.ledger.now()
        session, hidden, *_ = self.names.named(session)
        session, turns, _, fresh, passed = compared(space, with_echoes(session, space), self.who, whole=self.allow)
        forgotten = self._forgotten(session, fresh)
        session, turns, fresh = forgotten.kept(session, turns, fresh)
        if fresh:
            drafts = [
                session_draft(session, fresh, now, new=len(fresh) == len(turns), who=self.who),
                queued_draft(session, fresh, embedded=embedded),
                *forgotten.lifted(space, now),
            ]
            vectors = vectors_of(self.embedder, turns, {turn.id for turn in fresh}, [], drafts) if embedded else []
            space.write(f"queue/{session.id}/{self._digest(session, turns)}", drafts, vectors, at=now)
        waiting = waiting_turns(space.ledger, session.id) - passed
        if not waiting:
            return None
        session = without(session, passed)
        shown = [
            turn
            for turn, after in zip(session.turns, (*session.turns[1:], None), strict=True)
            if turn.id in waiting or (turn.role == "assistant" and after is not None and after.id in waiting)
        ]
        new = {turn.id for turn in fresh}
        masked = tuple(item for item in hidden if item.turn is None or item.turn in new)
        return Job(session.model_copy(update={"turns": tuple(shown)}), len(fresh), masked, forgotten.told())

    def _digest(self, session: Session, turns: Sequence[TurnRecord]) -> str:
        """What a session says, in short: the same words make the same operation, whose name outlasts them."""
        parts = (f"{t.id}\x00{t.role}\x00{t.speaker}\x00{t.time.isoformat()}\x00{t.text}" for t in turns)
        return key("d", self.space.ledger.secret, session.id, session.started.isoformat(), *parts)

    def sparing(self) -> bool:
        """Whether of new sessions only the quotes are kept."""
        return settings_of(self.space.ledger).transcripts == "quotes"

    def news(self, session: Withheld) -> bool:
        """Whether there is anything in a session that was not read yet."""
        held = compared(self.space, self.names.named(session).session, self.who, whole=self.allow)
        return bool(held.fresh or waiting_turns(self.space.ledger, held.session.id) - held.passed)

    def _check_embedder(self) -> None:
        """StoreError if the space was moved to another embedder since this began: its vectors must not be mixed."""
        if self.embedder.name != self.space.embedder or self.embedder.dimension != self.space.dimension:
            raise StoreError(
                f"the memory was moved to the embedder {brief(self.space.embedder)} meanwhile and nothing was recorded: repeat"
            )

    def live(self, admitted: Sequence[Admitted], corrected: Sequence[StatementRecord] = ()) -> list[Node]:
        """The statements that the plan has to see; what is corrected may be of another relation than what corrects it."""
        if not admitted:
            return []
        records = [closing(item.record) if item.done else item.record for item in admitted]
        return near(self.space, records, named=[record.id for record in corrected], nodes=self._acquainted.nodes)

    def _summary(
        self, session: Session, plan: Plan, live: Sequence[Node], now: datetime
    ) -> tuple[StatementRecord, Draft] | None:
        if session.channel in ("remember", "correct"):
            return None
        known = {node.record.id: node.record for node in live} | {record.id: record for record in plan.statements}
        sources = [
            (
                known[outcome.statement],
                outcome.claim.evidence.model_copy(update={"statement": outcome.statement}),
            )
            for outcome in plan.outcomes
            if outcome.what in ("recorded", "corroborated")
        ]
        made = summarise(session, sources, secret=self.space.ledger.secret, now=now, version=str(len(session.turns)))
        if made is None:
            return None
        record, evidence, links = made
        body = {
            "delta": {
                "statements": [_dump(record)],
                "evidence": [_dump(item) for item in evidence],
                "links": [_dump(link) for link in links],
            }
        }
        return record, Draft("statement recorded", (record.id, session.id), body, actor="summary", role="system")


def report_of(
    taken: Sequence[Taken], *, seconds: float, cost: Cost | None = None, waiting: Sequence[Waiting] = ()
) -> IngestReport:
    """What several sessions did together."""

    def joined(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(item for one in taken for item in getattr(one, name)))

    return IngestReport(
        sessions=sum(one.turns > 0 for one in taken),
        turns=sum(one.turns for one in taken),
        recorded=joined("recorded"),
        corroborated=joined("corroborated"),
        superseded=joined("superseded"),
        contradictions=joined("contradictions"),
        suggested=joined("suggested"),
        rejected=tuple(item for one in taken for item in one.rejected),
        seconds=round(seconds, 3),
        masked=tuple(item for one in taken for item in one.masked),
        cost=cost,
        waiting=tuple(waiting),
    )


def _hidden(refusal: Refusal, session: Session) -> bool:
    """Whether a refused quote stood where words were forgotten: it is not shown again."""
    return any(turn.id == refusal.turn and ERASED in turn.text and refusal.quote not in turn.text for turn in session.turns)


def plan_drafts(plan: Plan, *, actor: str = "user", role: str = "owner") -> list[Draft]:
    """A plan as ledger entries, one for each thing that happened."""
    claims = {outcome.statement: outcome.claim for outcome in plan.outcomes if outcome.what == "recorded"}
    drafts = []
    for record in plan.statements:
        claim = claims[record.id]
        evidence = [_dump(item) for item in plan.evidence if item.statement == record.id]
        body = {
            "delta": {
                "statements": [_dump(record)],
                "evidence": evidence,
                "entities": [_dump(item) for item in claim.entities],
                "mentions": [_dump(item) for item in claim.mentions],
                **({"same_as": [_dump(item) for item in claim.same_as]} if claim.same_as else {}),
            }
        }
        drafts.append(Draft("statement recorded", (record.id, record.session), body, actor, role))
    new = {record.id for record in plan.statements}
    for item in plan.evidence:
        if item.statement not in new:
            body = {"delta": {"evidence": [_dump(item)]}}
            drafts.append(Draft("evidence added", (item.statement, item.session), body, actor, role))
    drafts += [link_draft(link) for link in plan.links]
    for gone in plan.retired:
        drafts.append(Draft("link retired", (gone.link,), {"delta": {"links_retired": [_dump(gone)]}}, actor, role))
    return drafts


def link_draft(link: LinkRecord) -> Draft:
    """The entry for a conclusion."""
    type_ = "ended" if link.rule in ENDING_RULES else _TYPES[link.kind]
    return Draft(type_, (link.source, link.target, link.id), {"delta": {"links": [_dump(link)]}}, "reconcile", "system")


def session_draft(
    session: Session, fresh: Sequence[TurnRecord], now: datetime, *, new: bool, who: Principal | None = None
) -> Draft:
    """The entry for a session with the turns that are new; it names who gave them, if that was not the owner."""
    delta: dict[str, Any] = {"turns": [_dump(turn) for turn in fresh]}
    if new:
        record = SessionRecord(
            id=session.id,
            started=session.started,
            ended=session.ended,
            topic=session.topic,
            channel=session.channel,
            recorded_at=now,
            offset_minutes=session.offset_minutes,
        )
        delta["sessions"] = [_dump(record)]
    return Draft("session recorded" if new else "session extended", (session.id,), {"delta": delta}, *actor_of(who))


def rejection_draft(session: Session, extractor: str, rejected: Sequence[Rejection]) -> Draft:
    """The entry for what was proposed and not taken."""
    counts: dict[str, int] = {}
    for item in rejected:
        counts[item.reason] = counts.get(item.reason, 0) + 1
    kept, surplus = [], 0
    for item in rejected:
        # What is over the limit is counted; its words would be the flood that the limit is there for.
        surplus += item.reason == LIMIT
        if item.reason != LIMIT or surplus <= SURPLUS_KEPT:
            kept.append(_dump(item))
    body = {"extractor": extractor, "counts": counts, "rejected": kept}
    return Draft("claims rejected", (session.id,), body, extractor, "system")


def _rejection(refusal: Refusal, session: Session, rule: str) -> Rejection:
    return Rejection(reason=refusal.reason, quote=refusal.quote, session=session.id, turn=refusal.turn, rule=rule)


def _refusal_draft(session: Session, extractor: str, found: Extraction) -> Draft:
    """What a model proposed in vain, by reason: its own words are not kept, for nobody said them."""
    counts: dict[str, int] = {}
    for refusal in found.refusals:
        counts[refusal.reason] = counts.get(refusal.reason, 0) + 1
    cost = found.cost.model_dump(mode="json") if found.cost else None
    body: dict[str, Any] = {"extractor": extractor, "counts": counts, "cost": cost, "rejected": []}
    return Draft("claims rejected", (session.id,), body, extractor, "system")


def taken_of(plan: Plan, rejected: Sequence[Rejection], turns: int, *, new: bool) -> Taken:
    """What a plan did, as it is reported."""
    recorded = [record for record in plan.statements]
    return Taken(
        new_session=new,
        turns=turns,
        recorded=tuple(record.id for record in recorded if record.tier != "inferred"),
        corroborated=tuple(o.statement for o in plan.outcomes if o.what == "corroborated"),
        superseded=tuple(dict.fromkeys(link.target for link in plan.links if link.kind in ("SUPERSEDES", "CORRECTS"))),
        contradictions=tuple(link.id for link in plan.links if link.kind == "CONTRADICTS"),
        suggested=tuple(record.id for record in recorded if record.tier == "inferred"),
        rejected=tuple(rejected),
        touched=tuple(dict.fromkeys(o.statement for o in plan.outcomes if o.statement)),
    )


def _as_known(taken: Taken, unseen: Collection[str]) -> Taken:
    """What was done, for somebody who does not know of some statements: what confirms one of those is new to them."""
    new = tuple(id_ for id_ in taken.corroborated if id_ in unseen)
    known = tuple(id_ for id_ in taken.corroborated if id_ not in unseen)
    return taken._replace(recorded=(*taken.recorded, *new), corroborated=known) if new else taken


def _dump(item: Any) -> dict[str, Any]:
    data: dict[str, Any] = item.model_dump(mode="json")
    return data
