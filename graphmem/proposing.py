"""An agent's own writing: structured claims about turns that are recorded already.

Invariant: an agent has no word of its own here.  It points at what somebody said; each claim goes through the gate, grounding
and admission like any other, and what its quote does not hold is refused with a reason.  What the owner withdrew or put
right is not brought back by quoting the same turn again, and nothing an agent does gives the tier `confirmed`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from graphmem.admission import Admission, Admitted
from graphmem.checks import brief
from graphmem.checks import text as a_text
from graphmem.embedding import vectors_of
from graphmem.errors import InputError, LimitExceeded
from graphmem.extractors.base import Claim, Refusal
from graphmem.extractors.gate import gate
from graphmem.extractors.proposals import Proposal
from graphmem.forgotten import ERASED_REASON
from graphmem.graph.base import Graph, Node
from graphmem.grounding import ground
from graphmem.ingest import Ingestion, plan_drafts, rejection_draft, report_of, taken_of
from graphmem.limits import within
from graphmem.model import IngestReport, Rejection, Session, Turn
from graphmem.personal.masks import masked
from graphmem.quoted import wordless
from graphmem.reconcile import reconcile
from graphmem.records import ERASED, StatementRecord, key, turn_key
from graphmem.register_watch import Watch
from graphmem.sessions import normal
from graphmem.settings import check_learning
from graphmem.space import Space
from graphmem.tombstones import Tombstones

LIMIT = 500  # claims of one call
CONFIDENCE, IMPORTANCE = 0.8, 0.5  # what an agent may claim at most
_AGENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_WORDS = ("quote", "subject", "predicate", "object", "context", "replaces", "time")


def propose(
    ingestion: Ingestion, claims: Iterable[Mapping[str, Any] | Proposal], *, session: str, agent: str, seen: Graph | None = None
) -> IngestReport:
    """Take in what an agent claims about a recorded session; all of it is one operation.

    Args:
        ingestion: of the space.
        claims: what is claimed.
        session: the id of the session.
        agent: who claims it, by name.
        seen: the graph as whoever claims may see it; a turn that is not in it cannot be quoted, whatever it says.

    Raises:
        InputError: a claim has not the form of one, or the session is not recorded here.
        LimitExceeded: more claims than one call may hold.
    """
    begun = time.perf_counter()
    if not isinstance(agent, str) or not _AGENT.fullmatch(agent):
        raise InputError(f"agent {brief(agent)} is not a name: use up to 64 letters, digits, '-', '_' and '.'")
    a_text("session", session, what="the id of a session")
    proposals = _read(claims)
    space, now = ingestion.space, ingestion.space.ledger.now()
    check_learning(space.ledger)
    recorded, places = _recorded(space.graph if seen is None else seen, session)
    name = f"agent/{agent}"
    # Where words were erased, nothing stands; a quote of it is none.
    proposals = [one.model_copy(update={"quote": ""}) if _is_erased(one) else one for one in proposals]
    results = gate(recorded, proposals, rule="proposed")
    rejected = [_rejection(one, recorded) for one in results if isinstance(one, Refusal)]
    admitted, refused = _admitted(space, recorded, places, [one for one in results if isinstance(one, Claim)], name, now)
    rejected += refused
    admitted, over = within(admitted, space.ledger, recorded)
    rejected += over
    plan = reconcile(admitted, ingestion.live(admitted), secret=space.ledger.secret, now=now)
    told = wordless(rejected) if ingestion.sparing() else rejected
    drafts = [rejection_draft(recorded, name, told)] if rejected else []
    drafts += plan_drafts(plan, actor=name, role="agent")
    if drafts:
        # What comes of it names the operation: the same claims, made again after a change, may come to something else.
        named = [subject for draft in drafts for subject in draft.subjects]
        said = [f"{item.turn}\x00{item.reason}\x00{item.quote}" for item in rejected]
        operation = key("d", space.ledger.secret, name, session, *named, *(item.id for item in plan.evidence), *said)
        vectors = vectors_of(ingestion.embedder, (), set(), plan.statements, drafts)
        space.write(f"propose/{session}/{operation}", drafts, vectors, at=now)
    return report_of([taken_of(plan, rejected, 0, new=False)], seconds=time.perf_counter() - begun)


def _read(claims: Iterable[Mapping[str, Any] | Proposal]) -> list[Proposal]:
    if isinstance(claims, str | bytes | Mapping) or not isinstance(claims, Iterable):
        raise InputError(f"claims must be a list of claims, not {type(claims).__name__}")
    found = []
    for number, item in enumerate(claims, 1):
        if number > LIMIT:
            raise LimitExceeded(f"one call takes up to {LIMIT} claims: make several calls")
        if not isinstance(item, Mapping | Proposal):
            raise InputError(
                f"claim {number} must be an object with turn, quote, predicate and object, not {type(item).__name__}"
            )
        try:
            proposal = Proposal.model_validate(item if isinstance(item, Proposal) else dict(item))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise InputError(f"claim {number}, field {where}: {first['msg']}") from None
        # An agent may have read the words as they were said; the turn holds them with their secrets masked.
        words = {name: masked(normal(value)) for name in _WORDS if (value := getattr(proposal, name)) is not None}
        limits = {
            "confidence": min(proposal.confidence, CONFIDENCE),
            "importance": min(proposal.importance, IMPORTANCE),
        }
        found.append(proposal.model_copy(update={**words, **limits}))
    return found


def _recorded(graph: Graph, session: str) -> tuple[Session, dict[str, int]]:
    """The session as it is recorded, erased words and all, and the place of each of its turns."""
    record = next((one for one in graph.sessions() if one.id == session), None)
    if record is None:
        raise InputError(
            f"session {brief(session)} is not recorded in this space: ingest it first, or see `sessions` for the ids"
        )
    stored = sorted((turn for turn in graph.turns() if turn.session == session), key=lambda turn: turn.position)
    turns = tuple(
        Turn(id=one.id, role=one.role, speaker=one.speaker, text=one.text, time=one.time, spans=one.spans) for one in stored
    )
    found = Session(
        id=record.id, started=record.started, ended=record.ended, topic=record.topic, channel=record.channel, turns=turns,
        offset_minutes=record.offset_minutes,
    )  # fmt: skip
    return found, {one.id: one.position for one in stored}


def _rejection(refusal: Refusal, session: Session) -> Rejection:
    """A refusal as it is kept: words that nobody said are not."""
    spoken = any(turn.id == refusal.turn and refusal.quote in turn.text for turn in session.turns)
    return Rejection(
        reason=refusal.reason, quote=refusal.quote if spoken else "", session=session.id,
        turn=refusal.turn if any(turn.id == refusal.turn for turn in session.turns) else "", rule="proposed",
    )  # fmt: skip


def _admitted(
    space: Space, session: Session, places: Mapping[str, int], claims: Sequence[Claim], extractor: str, now: datetime
) -> tuple[list[Admitted], list[Rejection]]:
    """The claims that may be kept, in the order in which they were said, and those that may not."""

    def admit(stored: Iterable[StatementRecord]) -> tuple[list[Admitted], list[Rejection]]:
        admission = Admission(session, user=space.user, secret=space.ledger.secret, extractor=extractor, now=now, stored=stored)
        taken: list[Admitted] = []
        refused: list[Rejection] = []
        for claim in claims:
            grounded = ground(claim, session)
            if not isinstance(grounded, Rejection):
                grounded = grounded._replace(position=places[claim.turn])
            result = grounded if isinstance(grounded, Rejection) else admission.admit(grounded)
            (refused if isinstance(result, Rejection) else taken).append(result)  # type: ignore[arg-type]
        return taken, refused

    graph = space.graph
    first, _ = admit(())
    # Statements that these turns have made already keep their ids; a second time or deadline gets one of its own.
    taken, refused = admit([node.record for node in graph.nodes([one.record.id for one in first])])
    keys = {turn_key(session.id, claim.turn) for claim in claims}
    made = {id_ for _, id_ in graph.evidence_of(keys)} | {one.record.id for one in taken}
    gone = [node for node in graph.nodes(sorted(made)) if _is_withdrawn(node)]
    kept = []
    tombstones = Watch(space).tombstones()
    for one in sorted(taken, key=lambda item: item.record.order):
        if tombstones is not None and _is_forgotten(tombstones, one):
            item = one.evidence
            refused.append(Rejection(reason=ERASED_REASON, quote="", session=session.id, turn=item.turn, rule="proposed"))
        elif any(_same(node.record, one.record) for node in gone):
            item = one.evidence
            refused.append(Rejection(reason="withdrawn", quote=item.quote, session=session.id, turn=item.turn, rule="proposed"))
        else:
            kept.append(one)
    return kept, refused


def _is_forgotten(tombstones: Tombstones, one: Admitted) -> bool:
    """Whether it says what was forgotten, or quotes words that were."""
    said = tombstones.statement(one.record.predicate, one.record.text)
    return bool(said) or bool(tombstones.passages(None, one.evidence.quote))


def _is_withdrawn(node: Node) -> bool:
    """Whether the owner took it back or put it right."""
    wrong = any(link.kind == "CORRECTS" and link.target == node.record.id and gone is None for link, gone in node.links)
    return node.retirement is not None or wrong


def _same(old: StatementRecord, new: StatementRecord) -> bool:
    return old.id == new.id or (
        (old.subject_key, old.predicate, old.object_key, old.polarity)
        == (new.subject_key, new.predicate, new.object_key, new.polarity)
    )


def _is_erased(proposal: Proposal) -> bool:
    """Whether it takes erased characters for words."""
    return any(ERASED in (getattr(proposal, name) or "") for name in _WORDS)
