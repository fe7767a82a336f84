"""Which names are one: the entities of a space grouped by what standing statements say of them.

Invariant: the groups are a function of the set of standing edges, in whatever order they came; taking an edge away gives the
groups that would be had it never been there.  No group holds two names that differ by a number or a "not", two types, or two
names that a standing statement tells apart.  Alone the owner is never grouped with anybody: a nickname names, and renames not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from graphmem.canonical import apart, bare_name, name_key, object_key, plain_key
from graphmem.model import Statement
from graphmem.records import EntityRecord, SameAsRecord

OWNER = "user"
ACCEPTED = ("stated", "confirmed")
# Relations whose statement is wrong about the name if it is wrong at all; the words of another one still name somebody.
_NAMING = frozenset({"name", "has_family", "married_to", "has_pet", "alias_of"})
_TOLD = frozenset({"name", "nickname", "alias"})
_JOINING = _TOLD | {"same"}

Form = str
Cell = tuple[Form, str]  # a name as it is compared, and the type of what bears it


def form_of(key: str) -> Form:
    """The name in an entity's or a subject's key: what is the owner's people's has the owner in front."""
    return key.removeprefix(OWNER + "/")


def stands(edge: SameAsRecord, statement: Statement | None) -> bool:
    """Whether the statement that an edge rests on still says so, in the owner's own or confirmed words."""
    if statement is None or statement.tier not in ACCEPTED or statement.status in ("retracted", "suggested", "expired"):
        return False
    if statement.status == "corrected" and statement.predicate in _NAMING:
        return False
    if statement.predicate == "alias_of" and edge.rule == "alias":
        return statement.status not in ("superseded", "past") and not statement.contradicts
    return True


class Edge(NamedTuple):
    """A standing edge between two cells."""

    source: Cell
    target: Cell
    rule: str
    confirmed: bool


class Names:
    """The names of a space as they stand for one pair of clocks.

    Args:
        entities: all entities that may bear one of the names.
        same_as: all edges.
        statements: the statements that edges rest on, and those that tell names apart, as they stand, by id.
    """

    def __init__(
        self, entities: Iterable[EntityRecord], same_as: Iterable[SameAsRecord], statements: Mapping[str, Statement]
    ) -> None:
        known = {entity.id: entity for entity in entities}
        self.standing = [
            edge
            for edge in same_as
            if edge.source in known and edge.target in known and stands(edge, statements.get(edge.statement))
        ]
        self.cells = _cells(known.values(), self.standing)
        self.edges = {
            Edge(self.cells[one.source], self.cells[one.target], one.rule, statements[one.statement].tier == "confirmed")
            for one in self.standing
        }
        denied = {
            frozenset((name_key(item.subject), name_key(item.object)))
            for item in statements.values()
            if item.predicate == "alias_of" and item.polarity == "negative" and denies(item)
        }
        self.groups = groups({cell for edge in self.edges for cell in (edge.source, edge.target)}, self.edges, denied)
        self._group = {cell: group for group in self.groups for cell in group}
        self._by_form: dict[Form, set[Cell]] = defaultdict(set)
        for cell in self.cells.values():
            self._by_form[cell[0]].add(cell)

    def form(self, entity: str) -> Form:
        """The form of an entity's name, by its id."""
        return self.cells[entity][0]

    def group(self, cell: Cell) -> frozenset[Cell]:
        """All cells that are one with a cell, itself among them."""
        return self._group.get(cell, frozenset({cell}))

    def merged(self, edge: SameAsRecord) -> bool:
        """Whether the two ends of an edge count as one."""
        return self.group(self.cells[edge.source]) == self.group(self.cells[edge.target])

    def forms(self, name: str) -> frozenset[Form]:
        """All forms under which what bears a name may be spoken of; accents may be left out where nothing has them so.

        So may a title be put in front where nothing has the name with it.
        """
        wanted, cells = self._called(name)
        if not cells and (bare := bare_name(name)) != name_key(name):
            others, cells = self._called(bare)
            wanted |= others if cells else set()
        return frozenset(wanted | {cell[0] for one in cells for cell in self.group(one)})

    def _called(self, name: str) -> tuple[set[Form], list[Cell]]:
        """A name in the forms in which it may be known, and the cells that have one of them."""
        wanted = {name_key(name), object_key(name)}
        wanted.add(name_key(name).replace("'s ", "/", 1))  # "Maria's sister", of a Maria who speaks here
        cells = [cell for form in wanted for cell in self._by_form.get(form, ())]
        if not cells:
            plain = plain_key(name)
            cells = [cell for form, found in self._by_form.items() if plain_key(form) == plain for cell in found]
        return wanted, cells

    def roles(self) -> frozenset[Form]:
        """The roles that somebody named has, which as words of their own may be about anybody."""
        return frozenset(edge.source[0] for edge in self.edges if edge.rule == "role")

    def owner_forms(self) -> frozenset[Form]:
        """The names that the owner goes by."""
        return frozenset(edge.source[0] for edge in self.edges if edge.target[0] == OWNER)


def denies(statement: Statement) -> bool:
    """Whether a statement that two names are not one stands."""
    return statement.tier in ACCEPTED and statement.status in ("current", "planned")


def _cells(entities: Collection[EntityRecord], standing: Collection[SameAsRecord]) -> dict[str, Cell]:
    """The cell of each entity.

    An entity of unknown kind ("thing"), or that is a person only because something was said about it, is of the one kind
    that is known of its name; where several are, it stays by itself.
    """
    ends = {end for edge in standing for end in (edge.source, edge.target)}
    by_form: dict[Form, list[EntityRecord]] = defaultdict(list)
    for entity in entities:
        by_form[form_of(entity.key)].append(entity)
    found = {}
    for form, bearers in by_form.items():
        sure = {one.type for one in bearers if one.type != "thing" and (form == one.key or one.id in ends)}
        if not sure and any(one.type == "thing" and one.id in ends for one in bearers):
            sure = {"thing"}
        for one in bearers:
            weak = one.type == "thing" or (one.type == "person" and form != one.key and one.id not in ends)
            only = next(iter(sure)) if len(sure) == 1 else None
            found[one.id] = form, (only or one.type) if weak else one.type
    return found


class _Joined:
    """A union of cells; the representative is the least cell, whatever the order of joining."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._parent = {cell: cell for cell in cells}

    def find(self, cell: Cell) -> Cell:
        while self._parent[cell] != cell:
            cell = self._parent[cell]
        return cell

    def join(self, one: Cell, other: Cell) -> None:
        low, high = sorted((self.find(one), self.find(other)))
        self._parent[high] = low

    def groups(self) -> set[frozenset[Cell]]:
        found: dict[Cell, set[Cell]] = defaultdict(set)
        for cell in self._parent:
            found[self.find(cell)].add(cell)
        return {frozenset(group) for group in found.values()}


def groups(cells: Collection[Cell], edges: Collection[Edge], denied: Collection[frozenset[Form]]) -> set[frozenset[Cell]]:
    """The cells in groups of those that are one.

    A group with a conflict loses first the other names that were told, then all that the owner did not confirm, and is
    single names where that has a conflict too.
    """
    found = _joined(cells, edges)
    for kept in ([e for e in edges if e.confirmed or e.rule not in _TOLD], [e for e in edges if e.confirmed], []):
        if not any(_conflict(group, denied) for group in found):
            break
        part_of = {cell: part for part in _joined(cells, kept) for cell in part}
        found = {
            part
            for group in found
            for part in ({group & part_of[cell] for cell in group} if _conflict(group, denied) else {group})
        }
    return found


def _conflict(group: frozenset[Cell], denied: Collection[frozenset[Form]]) -> bool:
    forms = {form for form, _ in group}
    # A "thing" may be of any kind.
    if len({type_ for _, type_ in group} - {"thing"}) > 1 or any(len(pair) > 1 and pair <= forms for pair in denied):
        return True
    return any(apart(one, other) for one, other in combinations(sorted(forms), 2))


def _joined(cells: Collection[Cell], edges: Collection[Edge]) -> set[frozenset[Cell]]:
    """Names joined in steps; what a step joins depends on the result of the one before and not on the order within it."""
    work = _Joined(cells)
    edges = [edge for edge in edges if OWNER not in (edge.source[0], edge.target[0])]
    _join_roles(edges, work)
    # "sister Claire" stands between "sister" and "Claire".
    described = {edge.source for edge in edges if edge.rule == "kin"} | {edge.target for edge in edges if edge.rule == "role"}
    for edge in edges:
        if edge.rule in _JOINING or (edge.rule == "corrected" and edge.source in described and edge.target in described):
            work.join(edge.source, edge.target)
    bearers = _bearers("kin", edges, work)
    # A wrong name is the right one's, unless it is also the name of somebody else.
    right = [
        edge
        for edge in edges
        if edge.rule == "corrected" and edge.source not in described
        and bearers.get(work.find(edge.source), set()) <= bearers.get(work.find(edge.target), set())
    ]  # fmt: skip
    for edge in right:
        work.join(edge.source, edge.target)
    # A bare name is a relative's, and a bare relative has a name, where there is one only.
    for rule in ("kin", "role"):
        for end, others in _bearers(rule, edges, work).items():
            if len(others) == 1:
                work.join(end, next(iter(others)))
    return work.groups()


def _join_roles(edges: Iterable[Edge], work: _Joined) -> None:
    """Join a role with its other words, and the named relatives that differ in nothing else."""
    first: dict[tuple[str, ...], Cell] = {}
    roles = {edge.target: _role(edge.source) for edge in edges if edge.rule == "role"}
    for described, role in roles.items():
        for edge in edges:
            if edge.rule == "kin" and edge.source == described:
                work.join(described, first.setdefault((*role, *edge.target), described))
    for cell in {edge.source for edge in edges if edge.rule == "role"}:
        work.join(cell, first.setdefault(_role(cell), cell))


def _role(cell: Cell) -> tuple[str, str]:
    """Whose, and what: mum and mother are the same."""
    whose, _, role = cell[0].rpartition("/")
    return whose, _ROLE.get(role, role)


_ROLE = {
    "mom": "mother", "mum": "mother", "mommy": "mother", "mummy": "mother", "ma": "mother", "dad": "father", "daddy": "father",
    "papa": "father", "hubby": "husband", "wifey": "wife", "auntie": "aunt", "bf": "boyfriend", "gf": "girlfriend",
    "grandma": "grandmother", "granny": "grandmother", "gran": "grandmother", "nan": "grandmother", "nana": "grandmother",
    "grandpa": "grandfather", "grandad": "grandfather", "granddad": "grandfather",
}  # fmt: skip


def _bearers(rule: str, edges: Iterable[Edge], work: _Joined) -> dict[Cell, set[Cell]]:
    """By bare name ("kin") or bare role ("role") the described persons that may be meant."""
    found: dict[Cell, set[Cell]] = defaultdict(set)
    for edge in edges:
        if edge.rule == rule:
            middle, end = (edge.source, edge.target) if rule == "kin" else (edge.target, edge.source)
            found[work.find(end)].add(work.find(middle))
    return found
