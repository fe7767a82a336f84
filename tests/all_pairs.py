"""The same decisions by comparing every statement with every other: slow, plain, and what the fast way is held against."""

from __future__ import annotations

from graphmem.canonical import names_same, object_key, refines
from graphmem.closing import closing, settles
from graphmem.duties import same_task
from graphmem.fates import RULES as FATES
from graphmem.fates import fate, meant
from graphmem.graph.base import Node
from graphmem.model import TIER_RANK
from graphmem.reconcile import DERIVED_KINDS, Outcome, Plan, _family, _in_the_place_of, _Known, _link
from graphmem.records import LinkRetired, key
from graphmem.rivals import rivals, said
from graphmem.timeline import Conclusion, _clash, _ends, change_at
from graphmem.validity import open_end, position, touching


def reconcile(claims, live, *, secret, now, corrects=None):
    """The plan for admitted claims."""
    known = {node.record.id: _Known(node) for node in live}
    new = []
    evidence = []
    links = []
    outcomes = []
    for number, claim in enumerate(claims):
        target = corrects if number == 0 else None
        twin = None if target else _twin(claim, known.values())
        if twin is not None:
            if claim.evidence.turn_key in twin.turns:
                outcomes.append(Outcome("repeated", twin.record.id, claim))
                continue
            moved = claim.evidence.model_copy(
                update={
                    "statement": twin.record.id,
                    "id": key("e", secret, twin.record.id, claim.evidence.turn_key, str(claim.evidence.start)),
                }
            )
            twin.turns.add(moved.turn_key)
            twin.tier = max(twin.tier, moved.tier, key=TIER_RANK.__getitem__)
            evidence.append(moved)
            outcomes.append(Outcome("corroborated", twin.record.id, claim))
            continue
        if claim.done and not _settles(closing(claim.record), known):
            outcomes.append(Outcome("nothing_to_close", "", claim))
            continue
        record = closing(claim.record) if claim.done else claim.record
        wrongs = _corrected_by(record, known.values(), target)
        if target is None:
            record = _in_the_place_of(record, [wrong.record for wrong in wrongs])
        item = _Known(Node(record, (claim.evidence,), (), None, ()))
        for wrong in wrongs:
            link = _link(
                Conclusion("CORRECTS", record.id, wrong.record.id, "owner" if target else "cue"),
                record, wrong, item, secret, now,
            )  # fmt: skip
            links.append(link)
            wrong.links.append(link)
            item.links.append(link)
        known[record.id] = item
        new.append(item)
        evidence.append(claim.evidence)
        outcomes.append(Outcome("recorded", record.id, claim))
    added, retired = settle(known, secret=secret, now=now, cause=[item.record for item in new])
    return Plan(tuple(item.record for item in new), tuple(evidence), (*links, *added), tuple(retired), tuple(outcomes))


def _settles(record, known):
    """Whether what is told only to settle something does so."""

    def closed(other):
        return closed_by(known[other.id], known.values(), record.asserted_at)

    return settles(record, [as_now(item) for item in known.values() if item.live], closed)


def withdraw(nodes, gone, *, secret, now, reason):
    """What follows when a statement is withdrawn: its links go, and what it had ended or corrected revives."""
    known = {node.record.id: _Known(node) for node in nodes}
    lost = known[gone]
    lost.retired = True
    retired = []
    for item in known.values():
        for link in [link for link in item.links if gone in (link.source, link.target)]:
            item.links.remove(link)
            if item is lost:
                retired.append(LinkRetired(link=link.id, at=now, reason=reason))
    added, more = settle(known, secret=secret, now=now, cause=[])
    return Plan((), (), tuple(added), (*retired, *more), ())


def uplift(nodes, confirmed, *, secret, now):
    """What follows when a statement is confirmed."""
    known = {node.record.id: _Known(node) for node in nodes}
    known[confirmed].tier = "confirmed"
    added, retired = settle(known, secret=secret, now=now, cause=[known[confirmed].record])
    return Plan((), (), tuple(added), tuple(retired), ())


def reconsider(nodes, *, secret, now):
    """What follows now from the statements that are left, as a plan (after an erasure)."""
    known = {node.record.id: _Known(node) for node in nodes}
    added, retired = settle(known, secret=secret, now=now, cause=[])
    return Plan((), (), tuple(added), tuple(retired), ())


def settle(known, *, secret, now, cause):
    """The difference between the links that stand and those that follow from the live set."""
    wanted = of_all(known.values())
    standing = {}
    for item in known.values():
        for link in item.links:
            if link.kind in DERIVED_KINDS and link.source in known and link.target in known:
                standing[link.kind, link.source, link.target] = link
    added, kept = [], set()
    for conclusion in wanted:
        identity = conclusion.kind, conclusion.source, conclusion.target
        found = standing.get(identity)
        if found is not None and (found.at, found.rule) == (conclusion.at, conclusion.rule):
            kept.add(identity)
            continue
        source, target = known[conclusion.source], known[conclusion.target]
        added.append(_link(conclusion, source.record, target, source, secret, now))
    reason = cause[0].id if cause else "withdrawn"
    retired = [LinkRetired(link=link.id, at=now, reason=reason) for identity, link in standing.items() if identity not in kept]
    return added, retired


def as_now(item):
    """The record with the tier that the statement has now."""
    return item.record.model_copy(update={"tier": item.tier})


def of_all(items):
    """All conclusions about the live ones."""
    live = [item for item in items if item.live]
    return conclude([as_now(item) for item in live], {item.record.id: item.tier for item in live})


def closed_by(item, items, at, tier=None):
    """Whether it has ended by then, with a tier that it may not have yet."""
    live = [one for one in items if one.live]
    tiers = {
        one.record.id: max(one.tier, tier or one.tier, key=TIER_RANK.__getitem__) if one is item else one.tier for one in live
    }
    found = conclude([one.record.model_copy(update={"tier": tiers[one.record.id]}) for one in live], tiers)
    return any(c.kind == "SUPERSEDES" and c.target == item.record.id and c.at <= at for c in found)


def _twin(claim, known):
    """The live statement that says the same thing of a time that touches, with nothing else in between (T12)."""
    record = claim.record
    if record.kind == "open_item" and claim.done:
        return None
    items = list(known)
    for item in items:
        other = item.record
        same = (
            item.live
            and (other.subject_key, other.predicate, other.object_key) == (
                record.subject_key, record.predicate, record.object_key
            )
            and (other.polarity, other.context_key, other.modality, other.temporal) == (
                record.polarity, record.context_key, record.modality, record.temporal
            )
            and _family(other.kind) == _family(record.kind)
            and other.details.get("due") == record.details.get("due")
        )  # fmt: skip
        if same and claim.evidence.turn_key in item.turns:
            return item  # this very turn was counted before
        if not same or not touching((other.valid_from, other.valid_to), (record.valid_from, record.valid_to)):
            continue
        # What counts is the statement that this telling would make of it, and of two sessions of one moment neither is later.
        tier = max(item.tier, claim.evidence.tier, key=TIER_RANK.__getitem__)
        raised = other.model_copy(update={"tier": tier})
        low, high = sorted((position(other), position(record)))
        between = any(low < position(third.record) < high and third.live and rivals(as_now(third), raised) for third in items)
        earlier = (other.session_started, other.asserted_at) < (record.session_started, record.asserted_at)
        together = (other.session, other.asserted_at) == (record.session, record.asserted_at) and other.order < record.order
        ended = (earlier or together) and closed_by(item, items, position(record), tier)
        if not between and not ended:
            return item
    return None


def _corrected_by(record, known, target):
    """The statements that this one puts right."""
    items = [item for item in known if item.live]
    if target is not None:
        return [item for item in items if item.record.id == target]
    if record.cue != "correction" or record.tier == "inferred":
        return []
    earlier = [
        item
        for item in items
        if item.record.subject_key == record.subject_key
        and said(item.record) < said(record)
        and item.record.kind == record.kind
        and item.record.polarity == "positive"
    ]
    if record.replaces:
        wrong = object_key(record.replaces)
        named = [item for item in earlier if names_same(wrong, item.record.object_key)]
        same = [item for item in named if item.record.predicate == record.predicate]
        return same or named
    same_relation = [item for item in earlier if item.record.predicate == record.predicate]
    if record.polarity == "negative":
        return [item for item in same_relation if names_same(record.object_key, item.record.object_key)]
    excluded = [item for item in same_relation if rivals(as_now(item), record)]
    if excluded:
        return [item for item in excluded if _of_its_time(record, item, items)]
    # A many-valued relation: only what was just said can be meant.
    recent = [
        item
        for item in same_relation
        if item.record.object_key != record.object_key
        and (item.record.session == record.session or record.predicate == "name")
        and item.record.context_key == record.context_key
    ]
    return [max(recent, key=lambda item: said(item.record))] if recent else []


def _of_its_time(record, item, items):
    """A plan for a plan, what is over for a past, else what is not over."""
    other, at = item.record, record.asserted_at
    planned = other.temporal == "future" or (other.valid_from is not None and other.valid_from > at)
    ended = other.temporal in ("past", "ended") or (other.valid_to is not None and other.valid_to <= at)
    if record.temporal == "future":
        return planned
    ended = ended or closed_by(item, items, at)
    return ended if record.temporal in ("past", "ended") else not ended


def conclude(records, tiers):
    """All conclusions about a set of live statements, in a fixed order."""
    found = []
    by_subject = {}
    for record in records:
        by_subject.setdefault(record.subject_key, []).append(record)
    for group in by_subject.values():
        line = sorted(group, key=lambda record: (position(record), said(record)))
        found += _endings(line)
        found += _rivalry(line, tiers)
        found += _refinements(line)
    return sorted(found, key=lambda c: (c.kind, c.source, c.target, c.rule))


def _rivalry(line, tiers):
    found = []
    clashes = set()
    pairs = {}
    for place, left in enumerate(line):
        for right in line[place + 1 :]:
            rule = rivals(left, right)
            if rule is None:
                continue
            pairs[left.id, right.id] = rule
            overlap = _clash(left, right, tiers)
            if overlap is not None:
                clashes.add(frozenset((left.id, right.id)))
                source, target = sorted((left.id, right.id))
                found.append(Conclusion("CONTRADICTS", source, target, rule, overlap=overlap))
    for place, older in enumerate(line):
        for newer in line[place + 1 :]:
            rule = pairs.get((older.id, newer.id))
            if rule is None or frozenset((older.id, newer.id)) in clashes:
                continue
            end = older.valid_to
            if end is None and older.temporal in ("past", "ended"):
                end = older.asserted_at
            if end is None or (position(newer) < end and open_end(older)):
                at, granularity = change_at(older, newer)
                found.append(Conclusion("SUPERSEDES", newer.id, older.id, rule, at, granularity))
            break
    return found


def _endings(line):
    """Statements that something is over close the earlier ones that said it holds; deeds and fates close theirs."""
    found = []
    for ending in line:
        told = fate(ending)
        if ending.temporal != "ended" and ending.details.get("type") != "done" and told is None:
            continue
        for older in line:
            if older.id == ending.id or said(ending) <= said(older):
                continue
            if told is not None:
                if meant(ending, older):
                    found.append(Conclusion("SUPERSEDES", ending.id, older.id, FATES[told], ending.asserted_at, "day"))
            elif ending.details.get("type") == "done":
                if older.kind == "open_item" and same_task(ending, older):
                    found.append(Conclusion("SUPERSEDES", ending.id, older.id, "done", ending.asserted_at, "day"))
            elif _ends(ending, older):
                at = ending.valid_to or ending.asserted_at
                granularity = ending.valid_granularity or "not_after"
                found.append(Conclusion("SUPERSEDES", ending.id, older.id, "ended", at, granularity))
    return found


def _refinements(line):
    found = []
    for fine in line:
        if fine.polarity != "positive" or fine.temporal != "current" or fine.kind != "fact":
            continue
        for coarse in line:
            same = (
                coarse.predicate == fine.predicate
                and coarse.id != fine.id
                and coarse.polarity == "positive"
                and coarse.temporal == "current"
                and coarse.kind == "fact"
            )
            if same and refines(fine.object_key, coarse.object_key):
                found.append(Conclusion("REFINES", fine.id, coarse.id, "narrower"))
    return found
