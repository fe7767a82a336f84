"""The words of an export: namespaces, IRIs, literals, and the terms that stand for the values of the models.

Invariant: every IRI about a user begins with that user's prefix, is plain ASCII and differs for different
ids; every literal has the one form that reading it back leaves unchanged.  Nothing here needs an RDF library.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from re import compile as pattern
from re import fullmatch
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from graphmem.bundle import DEFAULT_BASE
from graphmem.checks import brief
from graphmem.errors import InputError, UserError
from graphmem.ontology import Relation, relations
from graphmem.records import key

VOCABULARY = "https://w3id.org/graphmem/ns"
VERSION = f"{VOCABULARY}/0.1.0"
DEFAULT_SPACE = "default"
# The subject key of what is said about the memory's owner.
OWNER = "user"

PREFIXES = {
    "gm": f"{VOCABULARY}#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "prov": "http://www.w3.org/ns/prov#",
    "oa": "http://www.w3.org/ns/oa#",
    "schema": "https://schema.org/",
    "dcterms": "http://purl.org/dc/terms/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dpv": "https://w3id.org/dpv#",
    "gdpr": "https://w3id.org/dpv/legal/eu/gdpr#",
    "edtf": "http://id.loc.gov/datatypes/edtf/",
}
# The last step but one of every IRI of a user; with a prefix for each, TriG stays readable and fast to write.
PLACES = (
    "activity",
    "conclusion",
    "context",
    "entity",
    "entry",
    "evidence",
    "export",
    "g",
    "message",
    "omission",
    "predicate",
    "region",
    "selector",
    "session",
    "speaker",
    "statement",
)
GRAPHS = ("memory", "transcript", "log", "derived", "current")


class Iri(str):
    """An absolute IRI."""

    __slots__ = ()


class Value(NamedTuple):
    """A literal: its lexical form, and its datatype or None for plain text."""

    lexical: str
    datatype: Iri | None = None


class Quad(NamedTuple):
    """One statement of RDF; `graph` is None for the default graph."""

    graph: Iri | None
    subject: Iri
    predicate: Iri
    object: Iri | Value


@cache
def term(name: str) -> Iri:
    """Spell out a prefixed name such as `prov:Entity`."""
    prefix, _, local_name = name.partition(":")
    return Iri(PREFIXES[prefix] + local_name)


A = term("rdf:type")


# How each kind of link is told: its class, and the properties of its newer and its older end.  Of a contradiction both ends are
# `gm:between`; which one raised it is told besides (`gm:raisedBy`).
LINK_ENDS = {
    "SUPERSEDES": ("gm:Supersession", "gm:later", "gm:earlier"),
    "CORRECTS": ("gm:Correction", "gm:right", "gm:wrong"),
    "REFINES": ("gm:Refinement", "gm:fine", "gm:coarse"),
    "DERIVED_FROM": ("gm:Derivation", "gm:derived", "gm:basis"),
    "CONTRADICTS": ("gm:Contradiction", "gm:between", "gm:between"),
}


def text(value: str) -> Value:
    """Make plain text (a second form with the datatype `xsd:string` would be another term to some tools)."""
    return Value(value)


@lru_cache(maxsize=8192)
def instant(value: datetime) -> Value:
    """Make an instant in UTC, in the form that parsers leave as it is."""
    return Value(value.astimezone(UTC).isoformat(), term("xsd:dateTime"))


def decimal(value: float) -> Value:
    """Make a decimal of at most four places, always with a point: without one it would read as an integer."""
    digits = format(Decimal(str(value)).quantize(Decimal("0.0001")).normalize(), "f")
    return Value(digits if "." in digits else digits + ".0", term("xsd:decimal"))


def integer(value: int) -> Value:
    """Make a whole number."""
    return Value(str(value), term("xsd:integer"))


def position(value: int) -> Value:
    """Make a place in a text, counted in code points from 0."""
    return Value(str(value), term("xsd:nonNegativeInteger"))


TRUE = Value("true", term("xsd:boolean"))

KIND_CLASS = {
    "fact": term("gm:Fact"),
    "preference": term("gm:Preference"),
    "episode": term("gm:Episode"),
    "procedure": term("gm:Procedure"),
    "open_item": term("gm:OpenItem"),
}
TIERS = {name: term(f"gm:{name.capitalize()}") for name in ("inferred", "stated", "confirmed")}
EVIDENCE_KINDS = {
    "inferred": term("gm:Inference"),
    "stated": term("gm:ExplicitStatement"),
    "confirmed": term("gm:Confirmation"),
}
TIER_RANKS = {"gm:Inference": 1, "gm:ExplicitStatement": 2, "gm:Confirmation": 3}
STATUSES = {
    "current": term("gm:Current"),
    "planned": term("gm:Planned"),
    "superseded": term("gm:Historical"),
    "past": term("gm:Historical"),
    "corrected": term("gm:Retired"),
    "retracted": term("gm:Retired"),
    "expired": term("gm:Expired"),
    "suggested": term("gm:Suggested"),
    "quarantined": term("gm:Suggested"),
}
MODALITIES = {name: term(f"gm:{name.capitalize()}") for name in ("intended", "possible", "hypothetical")}
TENSES = {"past": term("gm:PastTense"), "ended": term("gm:EndedTense"), "future": term("gm:FutureTense")}
ROLES = {
    name: term(f"gm:{name.capitalize()}Role")
    for name in ("user", "assistant", "tool", "document", "system", "memory", "quoted")
}
ENTITY_CLASS = {
    "person": term("schema:Person"),
    "place": term("schema:Place"),
    "organisation": term("schema:Organization"),
    "organization": term("schema:Organization"),
}
PROFILES = {
    "access": term("gm:Access"),
    "portability": term("gm:Portability"),
    "audit": term("gm:Audit"),
    "current": term("gm:CurrentOnly"),
}
OMISSIONS = {
    "inferred": term("gm:LeftOutAsInferred"),
    "derived": term("gm:LeftOutAsDerived"),
    "withdrawn": term("gm:LeftOutAsWithdrawn"),
    "not_current": term("gm:LeftOutAsNotCurrent"),
    "not_provided": term("gm:LeftOutAsNotProvided"),
    "not_quoted": term("gm:LeftOutAsNotQuoted"),
    "recorded_later": term("gm:LeftOutAsRecordedLater"),
}
PRECISIONS = {
    "minute": term("gm:Minute"),
    "hour": term("gm:Hour"),
    "part_of_day": term("gm:PartOfDay"),
    "day": term("gm:Day"),
    "weekend": term("gm:Weekend"),
    "week": term("gm:Week"),
    "month": term("gm:Month"),
    "season": term("gm:Season"),
    "quarter": term("gm:Quarter"),
    "half": term("gm:HalfYear"),
    "year": term("gm:Year"),
    "decade": term("gm:Decade"),
    "century": term("gm:Century"),
    "exact": term("gm:Exact"),
    "by_then": term("gm:NotAfter"),
    "not_after": term("gm:NotAfter"),
}
NOT_AFTER = term("gm:NotAfter")
_SEASONS = {3: 21, 6: 22, 9: 23, 12: 24}
_QUARTERS = {1: 33, 4: 34, 7: 35, 10: 36}
_HALVES = {1: 40, 7: 41}


def precision(granularity: str | None) -> Iri:
    """Name a granularity; a word that the vocabulary does not have is not taken for exactness."""
    if granularity is None:
        return term("gm:Exact")
    return PRECISIONS.get(granularity.replace(" ", "_"), term("gm:Unspecified"))


def edtf(at: datetime, granularity: str | None, modifier: str | None) -> Value | None:
    """Write the start of a calendar unit in Extended Date/Time Format; None where that has no word for it."""
    at = at.astimezone(UTC)
    if (at.hour, at.minute, at.second, at.microsecond) != (0, 0, 0, 0):
        return None
    year = f"{at.year:04d}"
    first = at.day == 1
    words = {
        "day": f"{year}-{at.month:02d}-{at.day:02d}",
        "month": f"{year}-{at.month:02d}" if first else "",
        "season": f"{year}-{_SEASONS[at.month]}" if first and at.month in _SEASONS else "",
        "quarter": f"{year}-{_QUARTERS[at.month]}" if first and at.month in _QUARTERS else "",
        "half": f"{year}-{_HALVES[at.month]}" if first and at.month in _HALVES else "",
        "year": year if first and at.month == 1 else "",
        "decade": f"{year[:3]}X" if first and at.month == 1 and at.year % 10 == 0 else "",
        "century": f"{year[:2]}XX" if first and at.month == 1 and at.year % 100 == 0 else "",
    }
    word = words.get(granularity or "", "")
    if not word:
        return None
    return Value(word + ("~" if modifier == "approx" else ""), term("edtf:EDTF"))


_PLAIN = pattern(r"[A-Za-z][A-Za-z0-9_-]*")


def local(name: str) -> str:
    """Write an id as the last step of an IRI: it begins with a letter, and different ids stay different."""
    if _PLAIN.fullmatch(name) and not name.startswith("x-"):
        return name
    return "x-" + quote(name, safe="", errors="strict")


def camel(name: str) -> str:
    """Write a relation's name as RDF writes a property: `lives_in` becomes `livesIn`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


class Names:
    """The IRIs of one space of one user.

    The user id is kept letter by letter (percent-encoded, behind a `_`): folding case or accents would
    give one person the IRIs of another.
    """

    def __init__(self, user: str, space: str, base: str) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.netloc or not fullmatch(r"[!-~]+", base):
            raise InputError(f"the base IRI {brief(base)} is not an absolute http(s) IRI: give one such as {DEFAULT_BASE}")
        if any(letter in base for letter in '<>"{}|\\^`?#'):
            raise InputError(f"the base IRI {brief(base)} holds a character that an IRI prefix may not: leave it out")
        if not user:
            raise UserError("an export needs a user id, and this one is empty: name the user")
        try:
            folder = quote(user, safe="", errors="strict")
        except UnicodeEncodeError as error:
            raise UserError(f"the user id {brief(user)} holds half of a surrogate pair: use whole characters") from error
        self.base = base if base.endswith("/") else base + "/"
        self.people = f"{self.base}u/"
        self.person = Iri(f"{self.people}_{folder}")
        self.root = f"{self.person}/"
        if space != DEFAULT_SPACE:
            # Spaces are apart from each other even when two exports of one user are loaded into one store.
            self.root += f"s/_{quote(space, safe='')}/"

    def iri(self, place: str, name: str) -> Iri:
        """Name a thing of this user; `place` is one of `PLACES`."""
        return Iri(f"{self.root}{place}/{local(name)}")

    def graph(self, name: str) -> Iri:
        """Name one of this user's graphs."""
        return Iri(f"{self.root}g/{name}")

    def agent(self, name: str) -> Iri:
        """Name a program; programs belong to nobody."""
        return Iri(f"{self.base}agent/{local(name)}")

    def activity(self, letter: str, *parts: str) -> Iri:
        """Name a run or an act; the same parts give the same IRI."""
        return self.iri("activity", key(letter, *parts))

    def predicate(self, name: str) -> Iri:
        """Name a relation: its own term if it is in the table, else an IRI of this user."""
        return registered(name) if name in relations() else self.iri("predicate", name)

    def prefixes(self) -> dict[str, str]:
        """List the short names for the readable formats."""
        places = {place: f"{self.root}{place}/" for place in PLACES}
        return PREFIXES | {"u": self.people, "agent": f"{self.base}agent/"} | places


def registered(name: str) -> Iri:
    """Name a relation of the table."""
    return term(f"gm:{camel(name)}")


def registry_entry(predicate: Iri, row: Relation, graph: Iri) -> Iterator[Quad]:
    """Say what the relation table says of one predicate."""
    many = "gm:Multi" if row.cardinality == "many" else "gm:SingleAtATime"
    if row.cardinality == "one" and row.permanence == "permanent":
        many = "gm:SingleEver"
    yield Quad(graph, predicate, A, term("gm:Predicate"))
    yield Quad(graph, predicate, A, term("rdf:Property"))
    yield Quad(graph, predicate, term("rdfs:label"), text(row.name.replace("_", " ")))
    yield Quad(graph, predicate, term("gm:valueCardinality"), term(many))
    yield Quad(graph, predicate, term("gm:temporalKind"), term(f"gm:{row.permanence.capitalize()}"))
    if row.opposite:
        yield Quad(graph, predicate, term("gm:disjointPredicate"), registered(row.opposite))


def registry() -> Iterator[Quad]:
    """Say the whole relation table in RDF, with the ranks that order the kinds of evidence."""
    graph = Iri(VOCABULARY)
    for name, row in relations().items():
        yield from registry_entry(registered(name), row, graph)
    for kind, rank in TIER_RANKS.items():
        yield Quad(graph, term(kind), term("gm:tierRank"), integer(rank))
