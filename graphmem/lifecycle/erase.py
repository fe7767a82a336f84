"""Forgetting: statements, the words they rest on and everything derived from them, gone from every file of the space.

Invariant: an erasure is one ledger operation that says what went without saying what it was.  Tombstones of what went are
entered in the register before anything is blanked, so that it is refused from then on; what only stood in the same sentence
is taken along and has none of its own.  The graph is built anew in a new
generation and the old files are removed, because an engine keeps deleted bytes.  Whatever stops an erasure, it is carried
out to its end by the next act, with the same result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from graphmem.errors import ReadOnlyStore
from graphmem.failpoints import reach
from graphmem.graph.base import Node
from graphmem.handouts import handouts
from graphmem.ingest import plan_drafts
from graphmem.ledger import Draft
from graphmem.lifecycle.allusions import Place, found_in
from graphmem.lifecycle.blanking import plan
from graphmem.lifecycle.closure import Cuts, blanked, closure, is_summary
from graphmem.lifecycle.residue import Needle, Search, kept_of, marked, needles_of, search, standing
from graphmem.lifecycle.scope import SENTENCE, Scope, scope_of, waiting_too
from graphmem.marks import MARKS, remove
from graphmem.permits import limits
from graphmem.receipts import ErasurePlan, ErasureReceipt
from graphmem.reconcile import reconsider
from graphmem.records import TurnRecord, key
from graphmem.register import origin_of, register_of
from graphmem.register_watch import usable
from graphmem.settings import Settings, settings_draft, settings_of
from graphmem.space import Space
from graphmem.tombstones import Tombs, channel_key, entomb, topic_key, words_of

__all__ = ["NOT_COVERED", "Scope", "blanked", "closure", "erase", "erase_everything", "finish", "resume", "scope_of", "settle"]

NOT_COVERED = (
    "ids of users, sessions and turns as they were given, and speakers of turns that stay in part",
    "copies made by the file system, the disk or swap",
    "backups and exports made earlier",
    "what a language model or another program was shown",
    "the same said in other words: paraphrases are not known again",
    "texts of less than 6 characters, and words that other statements still say, are not searched for",
)

FINISHED = "an erasure that had been interrupted was carried out to its end"
SENTENCE_WORDS = 5  # of a sentence that is known again though no statement was made of it


class _Going(NamedTuple):
    """What goes, as it stood when the request was made."""

    nodes: list[Node]
    turns: Mapping[str, TurnRecord]
    scope: Scope
    cuts: Cuts

    @property
    def touched(self) -> list[TurnRecord]:
        return [self.turns[key_] for key_ in self.cuts if key_ in self.turns]

    @property
    def gone(self) -> list[Node]:
        return [node for node in self.nodes if node.record.id in self.scope.statements]

    @property
    def along(self) -> frozenset[str]:
        """The statements that nobody asked to forget, and whose words go with what was asked for."""
        if self.scope.asked is None:
            return frozenset()
        return frozenset(n.record.id for n in self.gone if not is_summary(n)) - self.scope.asked

    @property
    def followers(self) -> list[str]:
        """Turns whose vector with the turn before them holds something of what goes."""
        return sorted(turn.key for turn in self.turns.values() if turn.previous in self.cuts)


def erase(
    space: Space,
    scope: Scope,
    *,
    named: dict[str, Any],
    dry_run: bool = False,
    refused: bool = True,
    alluding: Collection[Place] = (),
    bearing: Mapping[str, Collection[str]] | None = None,
    restoring: bool = False,
) -> ErasureReceipt:
    """Erase a scope with its consequences and look for leftovers in every file of the space.

    Args:
        space: the open space; its graph is rebuilt.
        scope: from `scope_of`.
        named: what the request named, for the receipt (no text of the memory).
        dry_run: only count, and plan.
        refused: whether the same words are refused from then on; what merely expired may be said again.
        alluding: sentences that may be about it too, for the receipt; they stay.
        bearing: by statement, the entities besides what was asked for that it tells of, for the receipt.
        restoring: the register is put right when the restored memory is in its place, whatever is wrong with it now.

    Raises:
        StoreError: the register is not the one that the ledger knows of.
    """
    nodes = space.graph.nodes()
    turns = {turn.key: turn for turn in space.graph.turns()}
    scope, cuts = closure(scope, nodes)
    scope, cuts = closure(waiting_too(space, scope, nodes), nodes)
    going = _Going(nodes, turns, scope, cuts)
    now = space.ledger.now()
    nothing = not (scope.statements or going.touched or scope.topics)
    work = plan(space, nodes, scope, turns, cuts)
    counts = _counts(going) | work.counts
    beside = {
        "taken_along": tuple(sorted(going.along)),
        "may_be_about": found_in(alluding, nodes, turns, scope, cuts),
        "others": tuple(sorted({one for id_ in scope.statements for one in (bearing or {}).get(id_, ())})),
        "not_covered": NOT_COVERED + scope.notes,
    }
    if dry_run:
        named = {**named, "statements": sorted(scope.statements)}
        return _receipt(named, counts, now, plan=_planned(space, going), **beside)
    if nothing:
        return _receipt(named, counts, now)
    lost = not usable(space, any_=restoring)
    tombs = _tombs(space, going)
    if not refused:  # an older backup must not bring it back, a new telling may
        tombs = Tombs(places=tombs.places)
    needles = needles_of(nodes, scope, turns, cuts, space.graph.sessions())
    needles += kept_of(space, work.sequence, [*sorted(scope.statements), *sorted(cuts)], going.followers)
    mark = marked(space)
    control = search(space, needles, mark=mark)
    # Every session whose turns stand in the new entry, or `verify` would look for them in the blanked ones.
    sessions = {turn.session for turn in going.touched} | {turn["session"] for turn in work.keep.get("turns", ())}
    body = {
        "blanked": work.sequence, "counts": counts, "cut": sorted(cuts), "after": going.followers, "tombs": tombs.dump(),
        "along": sorted(going.along), **_register(space, lost=lost),
    }  # fmt: skip
    # What remains of the blanked entries stands in an entry of its own, so that a later erasure may blank that one and the
    # record of this one stays.
    drafts = [
        Draft("erased", tuple(sorted(scope.statements)), body),
        Draft("kept", tuple(sorted(sessions)), {"delta": work.keep}),
        *work.also,
    ]
    space.ledger.append(f"erase/{key('x', *sorted(scope.statements), *sorted(scope.turns), now.isoformat())}", drafts, at=now)
    reach("erase.noted")
    finish(space)
    return _searched(space, needles, control, _receipt(named, counts, now, **beside), mark=mark)


def erase_everything(space: Space, *, named: dict[str, Any]) -> ErasureReceipt:
    """Empty a space: nothing is left but that it was done, the tombstones of what was there, and what its owner has ruled."""
    nodes = space.graph.nodes()
    turns = {turn.key: turn for turn in space.graph.turns()}
    scope = scope_of(nodes, turns.values(), everything=True)
    going = _Going(nodes, turns, scope, {key_: [] for key_ in turns})
    counts = _counts(going)
    needles = needles_of(nodes, scope, turns, going.cuts)
    needles += kept_of(space, range(1, space.ledger.head()[0] + 1), [*scope.statements, *scope.turns])
    now = space.ledger.now()
    lost = not usable(space)
    tombs, mark = _tombs(space, going), marked(space)
    control = search(space, needles, mark=mark)
    # The intent is recorded first, so that an interrupted reset is finished at the next opening.
    space.turn.owed = True
    intent = {"blanked": [], "counts": counts, "all": True, "tombs": tombs.dump(), **_register(space, lost=lost)}
    space.ledger.append(f"erase-all/{now.isoformat()}", [Draft("erased", (), intent)], at=now)
    reach("erase.noted")
    finish(space)
    # Without marks, which stand in the register: that there is to be one, and of what, the new ledger knows all the same.
    entered = sorted(event.name for event in register_of(space).events if event.type != "allowed")
    body = {"blanked": [], "counts": counts, "tombs": {}, "entered": entered, **_register(space, lost=lost)}
    done = Draft("erased", (), body)
    for entry in space.write(f"erased-all/{now.isoformat()}", [done], at=now):
        space.ledger.mark_carried_out(entry.seq)
    space.turn.owed = False
    return _searched(space, needles, control, _receipt(named, counts, now), mark=mark)


def finish(space: Space) -> None:
    """Carry out what erased entries say and note that it was done; doing it again changes nothing more."""
    erasures = space.ledger.erasures()
    with space.writing():
        register_of(space).enter(erasures, origin=origin_of(space.ledger.secret))
        reach("erase.entered")
    if any((entry.body or {}).get("all") for entry in erasures):
        with space.writing():
            # A memory that was paused or kept quotes only is so still, and whom its owner let in for some purposes only.
            held = settings_of(space.ledger)
            ruled = [*([] if held == Settings() else [settings_draft(held)]), *limits(space.ledger)]
            space.reset()
            if ruled:
                space.write("ruled", ruled, at=space.ledger.now())
        return
    sequence: set[int] = set()
    owners: set[str] = set()
    pairs: set[str] = set()
    for entry in erasures:
        body = entry.body or {}
        sequence.update(body.get("blanked", ()))
        owners.update(entry.subjects, body.get("cut", ()))
        pairs.update(body.get("after", ()))
    with space.writing():
        space.close_graph()
        space.ledger.blank(sorted(sequence), sorted(owners), sorted(pairs))
        remove(space.works / MARKS)
        space.rebuild(purge=True)
        reach("erase.rebuilt")
        if erasures:
            space.ledger.mark_carried_out(erasures[-1].seq)
    reach("erase.done")


def resume(space: Space) -> None:
    """Finish an erasure that was recorded but not carried out: the process died, or the act was stopped, in between."""
    if space.ledger.damage or not (space.turn.owed or space.ledger.owes()):
        return
    if space.ledger.read_only:
        raise ReadOnlyStore(
            f"an erasure in {space.folder} was begun and not finished, and nothing may be written there: give the right to "
            "write to it and open the memory anew"
        )
    with space.writing():
        # Another process may have been carrying it out while we waited.
        pending = space.ledger.owes()
        if pending:
            space.notices.append(FINISHED)
            finish(space)
        if pending or space.turn.owed:
            settle(space)
        space.turn.owed = False


def settle(space: Space) -> None:
    """Conclude anew from the statements that are left after an erasure."""
    now = space.ledger.now()
    concluded = reconsider(space.graph.nodes(), secret=space.ledger.secret, now=now)
    if concluded.links or concluded.retired:
        space.write(f"settle/{space.ledger.head()[0]}", plan_drafts(concluded), at=now)


# ---------------------------------------------------------------------- parts


def _register(space: Space, *, lost: bool) -> dict[str, Any]:
    """By what the ledger knows the register in which an erasure is entered; whether an earlier one was gone then."""
    return {"check": register_of(space).check} | ({"lost": True} if lost else {})


def _counts(going: _Going) -> dict[str, int]:
    gone, scope = going.gone, going.scope
    return {
        "statements": len(scope.statements),
        "evidence": sum(len(node.evidence) for node in gone),
        "turns": len(scope.turns),
        "turns_in_part": len(going.touched) - len(scope.turns & going.turns.keys()),
        "episodes": sum(node.record.kind == "episode" and not is_summary(node) for node in gone),
        "summaries": sum(map(is_summary, gone)),
    }


def _tombs(space: Space, going: _Going) -> Tombs:
    """The tombstones of what was asked for; what stays says too has none, or it could not be said again."""
    scope, turns, along = going.scope, going.turns, going.along
    left = [n.record for n in going.nodes if n.record.id not in scope.statements]
    said = {(record.predicate, record.text) for record in left}
    rest = [blanked(t.text, None if k in scope.turns else going.cuts.get(k, ())) for k, t in turns.items()]
    there = "\n".join(rest)
    plain = [node for node in going.gone if not is_summary(node)]
    gone = [node for node in plain if node.record.id not in along]
    quotes = {item.quote for node in gone for item in node.evidence}
    quotes |= {turns[k].text[start:end] for k, start, end in scope.passages if k in turns}
    # A turn that goes whole is known by its sentences too: a part of it may have gone before.
    taken, asked = _spans(plain), _spans(gone)
    for turn in (turns[k] for k in scope.turns if k in turns):
        beside = taken.get(turn.key, set()) - asked.get(turn.key, set())
        for one in SENTENCE.finditer(turn.text):
            if len(words_of(one.group())) >= SENTENCE_WORDS and not any(s < one.end() and one.start() < e for s, e in beside):
                quotes.add(one.group())
    stay = {turn.session for turn in turns.values() if turn.key not in scope.turns} - scope.topics
    marker = register_of(space).marker(space.entropy)
    sessions = {one.id: one for one in space.graph.sessions()}
    places: dict[str, tuple[str, Any]] = {
        topic_key(one.id): (one.topic, None) for one in sessions.values() if one.topic and one.id not in stay
    }
    places |= {channel_key(one.id): (one.channel, None) for one in sessions.values() if one.channel and one.id not in stay}
    places |= {k: (turns[k].text, None if k in scope.turns else spans) for k, spans in going.cuts.items() if k in turns}
    for id_, own in _by_session(turns.values(), {turns[k].session for k in going.cuts if k in turns} | scope.topics).items():
        marks = marker.places(id_, sessions[id_].started, own)
        places |= {marks.turns[turn.id]: places[turn.key] for turn in own if turn.key in places and turn.id in marks.turns}
        if marks.session is not None and topic_key(id_) in places:
            places[marks.session] = places[topic_key(id_)]
        if marks.session is not None and channel_key(id_) in places:
            places[channel_key(marks.session)] = places[channel_key(id_)]
    return entomb(
        marker,
        statements={(n.record.predicate, n.record.text) for n in gone} - said,
        quotes=[text for text in quotes if text.strip() not in there],
        turns=places,
    )


def _by_session(turns: Iterable[TurnRecord], wanted: Collection[str]) -> dict[str, list[TurnRecord]]:
    """The turns of some sessions, in their places."""
    found: dict[str, list[TurnRecord]] = {}
    for turn in sorted(turns, key=lambda one: one.position):
        if turn.session in wanted:
            found.setdefault(turn.session, []).append(turn)
    return found


def _spans(nodes: Iterable[Node]) -> dict[str, set[tuple[int, int]]]:
    """Where the quotes of statements stand, by turn."""
    found: dict[str, set[tuple[int, int]]] = {}
    for item in (item for node in nodes for item in node.evidence):
        found.setdefault(item.turn_key, set()).add((item.start, item.end))
    return found


def _planned(space: Space, going: _Going) -> ErasurePlan:
    """What would go, by ids and places, and what an erasure does not reach."""
    scope, gone, along = going.scope, going.gone, going.along
    plain = [node for node in gone if not is_summary(node)]
    asked = [node.record for node in plain if node.record.id not in along]
    quotes = {(item.session, item.turn, item.start, item.end) for node in plain for item in node.evidence} | {
        (going.turns[k].session, going.turns[k].id, s, e) for k, s, e in scope.passages if k in going.turns
    }
    whole = [going.turns[k] for k in scope.turns if k in going.turns]
    owners = [*sorted(scope.statements), *sorted(going.cuts)]
    return ErasurePlan(
        statements=tuple(sorted(record.id for record in asked if record.kind != "episode")),
        episodes=tuple(sorted(record.id for record in asked if record.kind == "episode")),
        summaries=tuple(sorted(n.record.id for n in gone if is_summary(n))),
        quotes=tuple(sorted(quotes)),
        turns=tuple((t.session, t.id) for t in sorted(whole, key=lambda one: (one.session, one.position))),
        topics=tuple(sorted(scope.topics)),
        vectors=len(space.ledger.stored((), owners, going.followers)),
        handed_out=tuple(item._asdict() for item in handouts(space.ledger)),
    )  # fmt: skip


def _receipt(named: dict[str, Any], counts: dict[str, int], now: datetime, **more: Any) -> ErasureReceipt:
    more = {"not_covered": NOT_COVERED, **more}
    return ErasureReceipt(scope=named, counts=counts, scanned_files=(), residue_hits=0, at=now, **more)


def _searched(
    space: Space, needles: Collection[Needle], control: Search, receipt: ErasureReceipt, *, mark: str
) -> ErasureReceipt:
    """The receipt with what a search finds now, and whether the one before found what it was to find."""
    needles = list(needles)
    there = standing(space)
    after = search(space, needles, mark=mark)
    # What stays may begin with the same bytes as what went, or be the vector of the same words said elsewhere.
    counted = [number for number, needle in enumerate(needles) if not (needle.kept and needle.kept in there)]
    hits = sum(after.hits.get(number, 0) for number in counted)
    copies = sorted({f"{item.kind} of {item.at.date()}" for item in handouts(space.ledger)})
    open_ = receipt.not_covered + ((f"files on record that were handed out: {', '.join(copies)}",) if copies else ())
    return receipt.model_copy(
        update={
            "scanned_files": after.files,
            "residue_hits": hits,
            "residue_files": after.where if hits else (),
            "inflated": after.inflated,
            "control_hits": sum(number in control.found for number in counted),
            "control_missed": sum(number not in control.found for number in counted),
            "not_covered": open_,
        }
    )
