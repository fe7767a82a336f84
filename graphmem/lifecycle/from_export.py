"""A memory made from an export: its records through the gate again, into a ledger of its own that says where they came from.

Invariant: quote or nothing.  Every quote must stand in its turn, under the role that the turn gives it, and at no higher a
tier than that role allows; a file in which one does not is refused whole, for it was not written by an export.

Whom to believe: a digest shows that a file is as somebody wrote it, and not who did.  So what was said is taken as the file
gives it, like any transcript, and what is made of it only where that is proved: from an audit export whose entries chain up to
the head that it names and hold every record in the file.  Such a file is worth what a backup is worth; with an `anchor` kept
elsewhere it is known to be the ledger's own.  Of any other export the words are read again (`borne`): a statement that they do
not say comes back as a suggestion, a confirmed one as what its quotes say, and the notices count both.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphmem.admission import CAPS, content_hash, lasting
from graphmem.chain import GENESIS, BadEntry, Draft, Row, Vector, entry_of, verify
from graphmem.embedding import texts_of, vectors_of
from graphmem.encoding import rows_of
from graphmem.errors import InputError
from graphmem.folding import delta_of
from graphmem.grounding import role_of
from graphmem.held import Held
from graphmem.ingest import link_draft
from graphmem.lifecycle.borne import lowered, unborne
from graphmem.lifecycle.carried import carried, left_behind
from graphmem.model import TIER_RANK, Frozen, Turn
from graphmem.records import ERASED, Delta, EvidenceRecord, StatementRecord, TurnRecord, summarises
from graphmem.sessions import normal
from graphmem.space import Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphmem.embed import Embedder

MOST_TURNS = 1 << 31
UNSET = (
    "settings were not in the export (pause, transcripts, terms of retention): set them anew, or restore from an audit export, "
    "whose ledger has them"
)
PROVED = (
    "sessions",
    "turns",
    "statements",
    "evidence",
    "links",
    "retirements",
    "confirmations",
    "entities",
    "mentions",
    "same_as",
)


class Checked(NamedTuple):
    """What of an export may be taken, whether its ledger proves it, and what is to be told of the rest.

    `also` are entries that come along with the records, `behind` what is to be told of those that do not.
    """

    delta: Delta
    proved: bool
    notices: tuple[str, ...]
    also: tuple[Draft, ...] = ()
    behind: tuple[str, ...] = ()


def check(held: Held, source: str, *, anchor: tuple[int, str] | None = None) -> Checked:
    """Find out what of an export may be taken.

    Raises:
        InputError: it was altered, breaks its own ledger's chain, is not the anchored one's, or has a quote of nobody's.
    """
    if held.digest != held.found:
        raise InputError(
            f"{source} was altered or cut short: its content is not that of its digest; take another copy, or import it as a "
            "stranger's with --foreign (foreign=True)"
        )
    gaps = _follow(held.ledger, held.head, source) if held.ledger else set()
    if gaps and not held.of_then:
        raise InputError(f"{source}: the payload of entry {min(gaps)} is missing and no erasure in the file names it")
    # Of what was erased after the time that the file shows, its ledger cannot tell: what the entries held may have been more.
    proved = bool(held.ledger) and not gaps
    if proved:
        _compare(held, source)
    if anchor is not None:
        _moor(held, anchor, source)
    _joined(held.delta, source)
    _gate(held.delta, source)
    if proved:
        also = tuple(carried(held.ledger, {session.id for session in held.delta.sessions}))
        return Checked(held.delta, proved, (), also, left_behind(held.ledger))
    return Checked(*_unproved(held, gaps))


def _unproved(held: Held, gaps: set[int]) -> tuple[Delta, bool, tuple[str, ...]]:
    """What is left where no ledger proves it: what was said, and of what was made of it what the words bear."""
    told = []
    if gaps:
        told.append(
            f"the ledger in the file proves nothing, for what {len(gaps)} of its entries held was erased after "
            f"{held.known_at}, of which it tells: export without known_at for one that does"
        )
    if held.delta.confirmations:
        number = len({item.statement for item in held.delta.confirmations})
        told.append(
            f"{number} confirmed statements are taken as what their quotes say: only an audit export carries the ledger that "
            "proves a confirmation"
        )
    lost = unborne(held.delta, user=held.user)
    if lost.evidence:
        told.append(
            f"{len(lost.statements)} statements came in as suggestions, for no words that they quote say them, and "
            f"{len(lost.evidence)} quotes support nothing: if they were made by other rules than these, restore from an audit "
            "export, which carries the ledger that proves them"
        )
    told.append(UNSET)
    return lowered(held.delta.model_copy(update={"confirmations": ()}), lost), False, tuple(told)


def _follow(rows: tuple[Row, ...], head: str, source: str) -> set[int]:
    """Follow the chain of an audit export; returns the entries without payload that no erasure in it names."""
    prev, erased, blank = GENESIS, set[int](), set[int]()
    for place, row in enumerate(rows, 1):
        if row.seq != place:
            raise InputError(f"{source}: entry {place} of its ledger is missing; take another copy of it")
        try:
            verify(row, prev)
            entry_of(row)
        except BadEntry as bad:
            raise InputError(f"{source}: {bad} of its ledger; take another copy of it") from bad
        if row.body is None:
            blank.add(row.seq)
        elif row.type == "erased":
            erased.update(json.loads(row.body).get("blanked", ()))
        prev = row.hash
    if prev != head:
        raise InputError(
            f"{source}: its ledger ends at {prev[:16]} and not at the head {head[:16]} that it names: it was cut short"
        )
    return blank - erased


def _moor(held: Held, anchor: tuple[int, str], source: str) -> None:
    seq, hash_ = anchor
    if not held.ledger:
        raise InputError(f"{source} does not carry its ledger, so it cannot be held against an anchor: export it as audit")
    if seq and (seq > len(held.ledger) or held.ledger[seq - 1].hash != hash_):
        raise InputError(f"{source} is not of the anchored ledger, or ends before entry {seq}: do not trust it")


def _compare(held: Held, source: str) -> None:
    """Every record of the file must stand in an entry of its ledger, and no end of what it holds may be left out.

    What the owner withdrew, or what took the place of another statement, would otherwise come back as current.
    """
    known: dict[str, set[str]] = {name: set() for name in PROVED}
    ended: set[str] = set()
    linked: dict[str, tuple[str, str]] = {}
    for row in held.ledger:
        delta = delta_of(entry_of(row), [])
        ended |= {item.statement for item in delta.retirements}
        linked |= {link.id: (link.source, link.target) for link in delta.links}
        for name in PROVED:
            known[name].update(item.model_dump_json() for item in getattr(delta, name))
    for name in PROVED:
        for item in getattr(held.delta, name):
            if item.model_dump_json() not in known[name]:
                raise InputError(f"{source}: {_named(item)} is not what its ledger holds; take another copy of it")

    held_now = {record.id for record in held.delta.statements}
    lost = (ended & held_now) - {item.statement for item in held.delta.retirements}
    there = {link.id for link in held.delta.links}
    lost |= {id_ for id_, ends in linked.items() if id_ not in there and set(ends) <= held_now}
    if lost:
        raise InputError(f"{source}: its ledger holds an end of {min(lost)} that the file leaves out; take another copy of it")


def _named(item: Frozen) -> str:
    names = [str(value) for name, value in item if name in ("id", "key", "statement", "source")]
    return f"{type(item).__name__} {names[0] if names else ''}".strip()


def _joined(delta: Delta, source: str) -> None:
    """No record comes twice, and none names another that is not in the file: such a memory could not be opened."""
    sessions = _once([item.id for item in delta.sessions], "session", source)
    _once([item.key for item in delta.turns], "turn", source)
    _once([f"{item.session} {item.position}" for item in delta.turns], "place of a turn", source)
    statements = _once([item.id for item in delta.statements], "statement", source)
    _once([item.id for item in delta.evidence], "evidence", source)
    links = _once([item.id for item in delta.links], "link", source)
    entities = _once([item.id for item in delta.entities], "entity", source)
    named = {
        "session": ({item.session for item in delta.turns}, sessions),
        "statement": (
            {end for link in delta.links for end in (link.source, link.target)}
            | {item.statement for item in delta.evidence}
            | {item.statement for item in delta.mentions}
            | {item.statement for item in delta.retirements}
            | {item.statement for item in delta.confirmations},
            statements,
        ),
        "link": ({item.link for item in delta.links_retired}, links),
        "entity": (
            {item.entity for item in delta.mentions} | {end for pair in delta.same_as for end in (pair.source, pair.target)},
            entities,
        ),
    }
    for what, (wanted, there) in named.items():
        if wanted - there:
            raise InputError(f"{source} names the {what} {min(wanted - there)!r} and does not hold it: nothing was taken")
    if any(not 0 <= turn.position < MOST_TURNS for turn in delta.turns):
        raise InputError(f"{source} has a turn in a place that no session has: nothing was taken")


def _once(ids: Sequence[str], what: str, source: str) -> set[str]:
    found = set(ids)
    if len(found) != len(ids):
        twice = min(id_ for id_, number in Counter(ids).items() if number > 1)
        raise InputError(f"{source} holds the {what} {twice!r} more than once: nothing was taken")
    return found


def _gate(delta: Delta, source: str) -> None:
    """Quote or nothing."""
    turns = {turn.key: turn for turn in delta.turns}
    for turn in delta.turns:
        if normal(turn.text) != turn.text:
            raise InputError(f"{source}: turn {turn.id!r} of session {turn.session!r} holds characters that no memory stores")
    best: dict[str, int] = {}
    for item in delta.evidence:
        why = _broken(item, turns.get(item.turn_key))
        if why is not None:
            raise InputError(f"{source}: evidence {item.id} of statement {item.statement} {why}: nothing was taken")
        best[item.statement] = max(best.get(item.statement, 0), TIER_RANK[item.tier])
    for record in delta.statements:
        if record.id not in best:
            raise InputError(f"{source}: statement {record.id} rests on no quote: nothing was taken")
        if record.tier == "confirmed":
            raise InputError(f"{source}: statement {record.id} says of itself that it is confirmed: nothing was taken")
        if _hash_of(record) != record.content_hash:
            raise InputError(f"{source}: statement {record.id} is not what its hash was taken of: nothing was taken")
    hashes = {record.id: record.content_hash for record in delta.statements}
    for confirmed in delta.confirmations:
        if hashes.get(confirmed.statement) != confirmed.content_hash:
            raise InputError(f"{source}: the confirmation of {confirmed.statement} is of another text: nothing was taken")


def _hash_of(record: StatementRecord) -> str:
    """The hash that belongs to what a statement says; of a summary, to its text."""
    if summarises(record.details) and record.predicate == record.details["type"]:
        return content_hash({"text": record.text})
    return lasting(record, record.valid_from, record.valid_to, record.valid_granularity).content_hash


def _broken(item: EvidenceRecord, turn: TurnRecord | None) -> str | None:
    if turn is None:
        return "quotes a turn that is not in the file"
    if not item.quote.strip() or turn.text[item.start : item.end] != item.quote or ERASED in item.quote:
        return "does not stand in its turn"
    said = Turn(id=turn.id, role=turn.role, text=turn.text, time=turn.time, spans=turn.spans)
    if item.role != role_of(said, item.start, item.end):
        return "has another role than its turn gives it"
    cap = CAPS.get(item.role)
    if cap is None or TIER_RANK[item.tier] > TIER_RANK[cap]:
        return f"has the tier {item.tier}, which words of the role {item.role} cannot have"
    return None


# ---------------------------------------------------------------------- into the ledger


class _Once:
    """An embedder that was asked for all texts at once."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self._rows = dict(zip(texts, rows_of(embedder, texts), strict=True))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text."""
        import numpy as np

        return np.stack([self._rows[text] for text in texts])


def record(space: Space, held: Held, checked: Checked, source: str, *, embedder: Embedder) -> None:
    """Write what was checked into an empty space, as one operation."""
    delta, now = checked.delta, space.ledger.now()
    origin = {
        "file": source.replace("\\", "/").rsplit("/", 1)[-1],
        "profile": held.profile,
        "exported_at": held.exported_at,
        "digest": held.digest,
        "ledger_head": held.head,
        "proved": checked.proved,
        "left_behind": list(checked.behind),
        "counts": {"sessions": len(delta.sessions), "turns": len(delta.turns), "statements": len(delta.statements)},
    }
    drafts = [Draft("imported", (), origin, "restore", "system")]
    vectors: list[Vector] = []
    entries = list(_drafts(delta))
    texts = {text for _, part in entries if part is not None for text in texts_of(part.turns, {turn.id for turn in part.turns})}
    once = _Once(embedder, sorted(texts | {item.text for item in delta.statements}))
    for draft, part in entries:
        place = len(drafts)
        drafts.append(draft)
        if part is not None:
            made = vectors_of(once, part.turns, {turn.id for turn in part.turns}, part.statements, [draft])
            vectors += [vector._replace(entry=place) for vector in made]
    drafts += checked.also
    space.write(f"restore/{held.digest}", drafts, vectors, at=now)


def _drafts(delta: Delta) -> Iterator[tuple[Draft, Delta | None]]:
    """The entries, each with the part that is embedded with it."""
    turns: dict[str, list[TurnRecord]] = {}
    for turn in delta.turns:
        turns.setdefault(turn.session, []).append(turn)
    for session in sorted(delta.sessions, key=lambda item: (item.recorded_at, item.started, item.id)):
        own = sorted(turns.get(session.id, ()), key=lambda turn: turn.position)
        body = {"sessions": [_dump(session)], "turns": [_dump(turn) for turn in own]}
        part = Delta.model_construct(seq=0, turns=tuple(own), statements=())
        yield _entry("session recorded", (session.id,), body), part
    proofs: dict[str, list[dict[str, object]]] = {}
    for item in delta.evidence:
        proofs.setdefault(item.statement, []).append(_dump(item))
    mentions: dict[str, list[dict[str, object]]] = {}
    for mention in delta.mentions:
        mentions.setdefault(mention.statement, []).append(_dump(mention))
    pairs: dict[str, list[dict[str, object]]] = {}
    for pair in delta.same_as:
        pairs.setdefault(pair.statement, []).append(_dump(pair))
    if delta.entities:
        yield _entry("entities recorded", (), {"entities": [_dump(item) for item in delta.entities]}), None
    for record in sorted(delta.statements, key=lambda item: (item.recorded_at, item.asserted_at, item.order, item.id)):
        body = {
            "statements": [_dump(record)],
            "evidence": proofs.get(record.id, []),
            "mentions": mentions.get(record.id, []),
            "same_as": pairs.get(record.id, []),
        }
        part = Delta.model_construct(seq=0, turns=(), statements=(record,))
        yield _entry("statement recorded", (record.id, record.session), body), part
    for link in sorted(delta.links, key=lambda item: (item.recorded_at, item.id)):
        yield link_draft(link)._replace(actor="restore"), None
    for gone in delta.links_retired:
        yield _entry("link retired", (gone.link,), {"links_retired": [_dump(gone)]}), None
    for retired in delta.retirements:
        yield _entry("retracted", (retired.statement,), {"retirements": [_dump(retired)]}), None
    for confirmed in delta.confirmations:
        yield _entry("confirmed", (confirmed.statement,), {"confirmations": [_dump(confirmed)]}), None


def _entry(type_: str, subjects: tuple[str, ...], delta: Mapping[str, object]) -> Draft:
    return Draft(type_, subjects, {"delta": {name: part for name, part in delta.items() if part}}, "restore", "system")


def _dump(item: Frozen) -> dict[str, object]:
    return item.model_dump(mode="json")
