"""Entities as they are shown: one name, the other names with the words that give them, and what is said of them.

Invariant: nothing is stored here; the same names and statements give the same entities.  What an entity is called follows
from how its names were given: the fuller name goes before the nickname, the right one before the wrong one, and a name
before "sister".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from graphmem.canonical import fold, name_key, words
from graphmem.identity import OWNER, Cell, Names
from graphmem.model import TIER_RANK, Alias, Entity, SameAs, Statement
from graphmem.records import EntityRecord, MentionRecord, SameAsRecord

AliasKind = Literal["role", "name", "nickname", "alias", "corrected"]
_KINDS: tuple[AliasKind, ...] = ("corrected", "nickname", "alias", "name", "role")


class Directory(NamedTuple):
    """The names of a space with what shows them.

    Attributes:
        names: which of them are one.
        entities: the entities by id.
        statements: the statements as they stand, by id.
        places: the places of the statements in the order of saying.
        written: the name of each cell as it is written.
    """

    names: Names
    entities: Mapping[str, EntityRecord]
    statements: Mapping[str, Statement]
    places: Mapping[str, int]
    written: Mapping[Cell, str]


def directory_of(entities: Iterable[EntityRecord], edges: Iterable[SameAsRecord], statements: Iterable[Statement]) -> Directory:
    """The names of these entities, as edges and the statements under them, in the order of saying, have it."""
    said = {statement.id: statement for statement in statements}
    known = {entity.id: entity for entity in entities}
    names = Names(known.values(), edges, said)
    written: dict[Cell, str] = {}
    for id_, entity in known.items():
        cell = names.cells[id_]
        written[cell] = min(written.get(cell, entity.name), entity.name, key=_plainness)
    return Directory(names, known, said, {id_: place for place, id_ in enumerate(said)}, written)


def _plainness(name: str) -> tuple[bool, bool, str]:
    """Claire goes before CLAIRE, and that before claire."""
    return name.islower(), name.isupper() and len(name) > 4, name


def entities_of(directory: Directory, mentions: Iterable[MentionRecord]) -> list[Entity]:
    """Every entity that a statement tells of, in the order in which they were told of first."""
    names = directory.names
    told: dict[str, int] = {}
    about: dict[frozenset[Cell], dict[str, None]] = defaultdict(dict)
    shown = {end for edge in names.standing for end in (edge.source, edge.target) if names.cells[edge.target][0] != OWNER}
    for mention in mentions:
        statement = directory.statements.get(mention.statement)
        if statement is None or mention.entity not in names.cells:
            continue
        if mention.kind != "SUBJECT" and statement.predicate == "name" and statement.subject == OWNER:
            continue  # the name is not somebody else
        said = directory.places[statement.id]
        told[mention.entity] = min(told.get(mention.entity, said), said)
        if statement.status not in ("retracted", "quarantined"):
            shown.add(mention.entity)
            if mention.kind == "SUBJECT":
                about[names.group(names.cells[mention.entity])][statement.id] = None
    for edge in names.standing:
        statement = directory.statements[edge.statement]
        for end in (edge.source, edge.target):
            said = directory.places[statement.id]
            told[end] = min(told.get(end, said), said)
    members: dict[frozenset[Cell], list[str]] = defaultdict(list)
    for id_ in shown:
        members[names.group(names.cells[id_])].append(id_)
    bodies = _bodies(directory)
    found = []
    for group, ids in members.items():
        first = min(ids, key=lambda id_: (told[id_], directory.entities[id_].key, id_))
        name, aliases = _named(directory, group, bodies.get(group, ()))
        type_ = min((type_ for _, type_ in group), key=lambda type_: (type_ == "thing", type_))
        statements = sorted(about.get(group, ()), key=lambda id_: (directory.statements[id_].asserted_at, id_))
        found.append((told[first], Entity(id=first, name=name, type=type_, aliases=aliases, statements=tuple(statements))))
    return [entity for _, entity in sorted(found, key=lambda pair: (pair[0], pair[1].name, pair[1].id))]


def names_of(directory: Directory) -> dict[frozenset[Cell], tuple[str, tuple[Alias, ...]]]:
    """What each entity with more names than one is called, and its other names."""
    bodies = _bodies(directory)
    return {group: _named(directory, group, edges) for group, edges in bodies.items()}


def same_as(directory: Directory, edges: Iterable[SameAsRecord]) -> tuple[SameAs, ...]:
    """Edges as they are shown, with whether they count."""
    names, found = directory.names, []
    standing = set(names.standing)
    for edge in edges:
        if edge.source not in names.cells or edge.target not in names.cells:
            continue
        source, target = names.cells[edge.source], names.cells[edge.target]
        own = target[0] == OWNER and edge in standing
        merged = own or (edge in standing and names.merged(edge))
        statement = directory.statements.get(edge.statement)
        found.append(
            SameAs(
                source=directory.written[source], target=directory.written[target], rule=edge.rule,
                tier=statement.tier if statement else edge.tier, statement=edge.statement, merged=merged,
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda item: (item.rule, item.source, item.target)))


def rephrased(directory: Directory, query: str, most: int) -> list[str]:
    """The question by the other names of whom it names, at most so many; none where nobody in it has another name."""
    plain, found = f" {' '.join(words(query))} ".replace("'s ", " "), dict[str, None]()
    joined = [group for group in directory.names.groups if len(group) > 1]
    meant = sorted((g for g in joined if any(f" {form} " in plain for form, _ in g)), key=min)
    bodies = _bodies(directory) if meant else {}
    for group in meant:
        forms = sorted((form for form, _ in group), key=len, reverse=True)
        choice = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in forms)
        asked = re.search(rf"(?<!\w)(?:(?:my|our)\s+)?(?:{choice})(?!\w)", query, re.IGNORECASE)
        if asked is None:
            continue
        name, _ = _named(directory, group, bodies.get(group, ()))
        others = sorted((directory.written[cell] for cell in group), key=lambda one: (one != name, len(one.split()), one))
        for other in others:
            if name_key(other) != name_key(asked.group()):
                found[query[: asked.start()] + other + query[asked.end() :]] = None
    return list(found)[:most]


def addressed(directory: Directory, query: str, name: str) -> str:
    """A question about what bears a name, with the name in it: "where does he live?" does not say who."""
    forms = directory.names.forms(name)
    plain = f" {' '.join(words(query))} "
    if any(f" {form} " in plain for form in forms):
        return query
    called = {form: found for group, (found, _) in names_of(directory).items() for form, _ in group}
    who = next((called[form] for form in sorted(forms) if form in called), name)
    for pattern, filled in ((_WHOSE, f"{who}'s"), (_WHO, who)):
        if pattern.search(query):
            return pattern.sub(filled.replace("\\", ""), query, count=1)
    return f"{query} {who}"


_WHO = re.compile(r"\b(?:he|she|they|him|her|them|it)\b", re.IGNORECASE)
_WHOSE = re.compile(r"\b(?:his|her|their|its)\b(?=\s+\w)", re.IGNORECASE)


def _bodies(directory: Directory) -> dict[frozenset[Cell], list[SameAsRecord]]:
    """The edges that count, by group; those that name the owner are the owner's."""
    names = directory.names
    found: dict[frozenset[Cell], list[SameAsRecord]] = defaultdict(list)
    for edge in names.standing:
        target = names.cells[edge.target]
        if target[0] == OWNER or names.merged(edge):
            found[names.group(target)].append(edge)
    return found


def _named(directory: Directory, group: frozenset[Cell], edges: Iterable[SameAsRecord]) -> tuple[str, tuple[Alias, ...]]:
    names, edges = directory.names, list(edges)
    given: dict[Cell, dict[AliasKind, set[str]]] = defaultdict(lambda: defaultdict(set))
    first: dict[Cell, int] = {}
    described, lesser = set(), set()
    for edge in edges:
        source, target = names.cells[edge.source], names.cells[edge.target]
        statement = directory.statements[edge.statement]
        said = directory.places[statement.id]
        for cell in (source, target):
            first[cell] = min(first.get(cell, said), said)
        lesser.add(source)
        described |= {source} if edge.rule == "kin" else {target} if edge.rule == "role" else set()
        if edge.rule == "kin":
            given[target]["name"].add(edge.statement)
        else:
            given[source][_kind(edge, source, target)].add(edge.statement)
    # A name that was put right may have been put back: then the later telling of it stands.
    wrong = {
        cell
        for cell, kinds in given.items()
        if "corrected" in kinds
        and not any(_current(directory, ids) for kind, ids in kinds.items() if kind in ("name", "alias"))
    }
    owner = any(form == OWNER for form, _ in group)
    full = {cell for cell, kinds in given.items() if owner and "name" in kinds and _current(directory, kinds["name"])}
    best = full or (group if owner else (group - lesser) or (group - wrong - described) or group)
    name = min(best, key=lambda cell: (first.get(cell, len(directory.places)), cell))
    aliases = [
        _alias(directory, cell, kinds)
        for cell, kinds in given.items()
        if cell != name and cell not in described and (cell in group or owner)
    ]
    return directory.written[name], tuple(
        sorted(aliases, key=lambda alias: (alias.status, _KINDS.index(alias.kind), alias.name))
    )


def _kind(edge: SameAsRecord, source: Cell, target: Cell) -> AliasKind:
    if edge.rule == "same":
        return "role"
    if edge.rule == "alias":
        return "nickname" if source[1] == "person" else "alias"
    if edge.rule == "name" and target[0] != OWNER:
        return "alias"
    return edge.rule  # type: ignore[return-value]


def _current(directory: Directory, statements: Iterable[str]) -> bool:
    return any(directory.statements[id_].status in ("current", "planned") for id_ in statements)


def _alias(directory: Directory, cell: Cell, kinds: Mapping[AliasKind, set[str]]) -> Alias:
    kind = min(kinds, key=_KINDS.index)
    ids = sorted(kinds[kind], key=directory.places.__getitem__)
    statements = [directory.statements[id_] for id_ in ids]
    # "Her name is Claire" says who has the name, but the words "my sister" stand elsewhere.
    written = fold(directory.written[cell])
    statements = [one for one in statements if any(written in fold(item.quote) for item in one.evidence)] or statements
    # That something else has become of a relative does not take the relative's name away; of the owner's own names it does.
    over = kind == "corrected" or (statements[0].predicate == "name" and not _current(directory, ids))
    return Alias(
        name=directory.written[cell],
        kind=kind,
        status="superseded" if over else "current",
        tier=max((one.tier for one in statements), key=TIER_RANK.__getitem__),
        statements=tuple(one.id for one in statements),
        evidence=tuple(item for one in statements for item in one.evidence),
    )
