"""A graph as a table: what is said of each node, by property; for reading an export back.

Invariant: a property that must have one value has one, or the reading ends with the node and the property that has not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from graphmem.errors import InputError
from graphmem.rdf_terms import PREFIXES, term

if TYPE_CHECKING:
    from rdflib import Dataset

Said = dict[str, list[str]]


def plain(iri: str) -> str:
    """The id that the last step of an IRI stands for (see `rdf_terms.local`)."""
    name = iri.rsplit("/", 1)[-1]
    return unquote(name[2:]) if name.startswith("x-") else name


class Sheet:
    """What all graphs of a dataset say, as one; terms are texts, for IRIs and literals never mix in one property here."""

    def __init__(self, data: Dataset, source: str) -> None:
        self.source = source
        self.about: dict[str, Said] = {}
        self.kinds: dict[str, list[str]] = {}
        kind = term("rdf:type")
        for subject, predicate, value, _ in data.quads():
            node, name, said = str(subject), str(predicate), str(value)
            if name == kind:
                self.kinds.setdefault(said, []).append(node)
            self.about.setdefault(node, {}).setdefault(name, []).append(said)

    def of_class(self, *names: str) -> list[str]:
        """The nodes of these classes, in order."""
        return sorted({node for name in names for node in self.kinds.get(term(name), ())})

    def all(self, node: str, name: str) -> list[str]:
        """All values of a property."""
        return sorted(set(self.about.get(node, {}).get(term(name), ())))

    def get(self, node: str, name: str) -> str | None:
        """The one value of a property, or None."""
        found = self.all(node, name)
        if len(found) > 1:
            raise InputError(f"{self.source}: {node} has {len(found)} values of {name}, which has room for one: not an export")
        return found[0] if found else None

    def one(self, node: str, name: str) -> str:
        """The one value of a property that must be there."""
        found = self.get(node, name)
        if found is None:
            raise InputError(f"{self.source}: {node} lacks {name}: the file was cut short, or is not an export")
        return found

    def word(self, node: str, name: str, terms: dict[str, Any], default: str | None = None) -> str | None:
        """The word of the models that a term stands for."""
        found = self.get(node, name)
        if found is None:
            return default
        word = next((word for word, iri in terms.items() if iri == found), None)
        if word is None:
            raise InputError(f"{self.source}: {node} has the unknown value {found} of {name}: not an export of this release")
        return word

    def kind(self, node: str, classes: dict[str, Any]) -> str | None:
        """Which of several classes a node has."""
        own = self.all(node, "rdf:type")
        return next((word for word, iri in classes.items() if iri in own), None)


def local_of(iri: str, prefix: str = "gm") -> str | None:
    """The name behind a prefix, or None if it is another vocabulary's."""
    return iri.removeprefix(PREFIXES[prefix]) if iri.startswith(PREFIXES[prefix]) else None


def first(values: Iterable[str]) -> str | None:
    """The first of several, or None."""
    return next(iter(values), None)
