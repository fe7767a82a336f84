"""Which statements can matter to each other, found by marks instead of by comparing every pair.

Invariant: whenever anything could be concluded about two statements of one subject (they exclude each other, one ends,
refines, corrects or repeats the other, or a deed closes a task or an event), `seeks` of either shares a mark with `posts`
of the other.  Marks may bring together too many, never too few: what holds of a pair is still asked of the pair itself.  They
depend on the record alone and not on its tier, so they can be stored with it.

Equal keys are found by the key.  Of two objects of which one names the other, the words of the shorter all stand in the
longer: the longer posts each of its words (`has`) and the shorter is found by its rarest-looking one, its anchor (`all`).
Plain statements do not look for each other by words, only for the few that deny, end or replace something.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from graphmem.canonical import coarser, counted, object_key, words
from graphmem.deeds import doing, happened, undone
from graphmem.duties import given, wanted
from graphmem.fates import event_of, fate, plan_of
from graphmem.ontology import relation, relations
from graphmem.records import StatementRecord
from graphmem.rivals import member


class Pairing:
    """Statements by the marks they post, in the order in which they were added."""

    def __init__(self, records: Iterable[StatementRecord] = ()) -> None:
        self._under: dict[str, list[str]] = {}
        self._place: dict[str, int] = {}
        for record in records:
            self.add(record)

    def add(self, record: StatementRecord) -> None:
        """Take in a record; one with an id that is there already is found by the marks of both."""
        self._place.setdefault(record.id, len(self._place))
        for mark in posts(record):
            self._under.setdefault(mark, []).append(record.id)

    def under(self, mark: str) -> list[str]:
        """The ids of the statements that post a mark."""
        return self._under.get(mark, [])

    def alike(self, record: StatementRecord) -> list[str]:
        """The ids of the statements with its relation and object, in the order in which they were added."""
        return self.under(f"{record.subject_key}\t{_same(record.predicate, record.object_key.split())}")

    def near(self, record: StatementRecord) -> list[str]:
        """The ids of all other statements that can matter to this one, in the order in which they were added."""
        found = {id_ for mark in seeks(record) for id_ in self._under.get(mark, ())}
        found.discard(record.id)
        return sorted(found, key=self._place.__getitem__)


def posts(record: StatementRecord) -> set[str]:
    """The marks under which a statement is found."""
    key = record.object_key.split()
    marks = [_same(record.predicate, key), *_shown("word", key), *_values(record)]
    if record.replaces:
        marks += _shown("replaced", object_key(record.replaces).split())
    if record.polarity == "positive":
        marks.append(_told(record))
    elif _contends(record):
        marks += _shown(f"not {record.predicate}", key)
    if record.kind == "open_item":
        marks += [_open(key), *(f"task\t{stem}" for stem in wanted(record))]
    if undone(record):
        marks.append("undone")
    elif happened(record):
        marks += [f"happened\t{stem}" for stem in doing(record)]
    marks += _events(record, planned="plan", told="fate")
    if _done(record):
        marks += [f"deed\t{stem}" for stem in given(record)]
    elif record.temporal == "ended":
        marks += _shown("ended", key)
        if _whole(record):
            marks.append(f"whole\t{record.predicate}")
    if _endable(record) and relation(record.predicate).cardinality == "one":
        marks.append(f"one\t{record.predicate}")
    if _refinable(record):
        marks += [f"within\t{record.predicate}\t{coarse}" for coarse in coarser(record.object_key)]
    return _of(record, marks)


def seeks(record: StatementRecord) -> set[str]:
    """The marks under which the statements are found that can matter to this one."""
    key = record.object_key.split()
    marks = [_same(record.predicate, key), *_values(record)]
    marks += [_same(other, key) for other in _opposites(record.predicate)]
    if record.replaces:
        marks += _named("word", object_key(record.replaces).split())
    if _contends(record):
        marks += _named("replaced", key)
        if record.polarity == "positive":
            marks += _named(f"not {record.predicate}", key)
    if record.polarity == "negative" or record.temporal == "ended":
        marks += _named("word", key)
    if record.cue == "correction":
        marks.append(_told(record))
    if record.kind == "open_item":
        marks += [_open(key), *(f"deed\t{stem}" for stem in wanted(record))]
    if undone(record):
        marks += [f"happened\t{stem}" for stem in doing(record)]
    elif happened(record):
        marks.append("undone")
    marks += _events(record, planned="fate", told="plan")
    if _done(record):
        marks += [f"task\t{stem}" for stem in given(record)]
    elif _whole(record):
        marks.append(f"one\t{record.predicate}")
    if _endable(record):
        marks += _named("ended", key)
        if relation(record.predicate).cardinality == "one":
            marks.append(f"whole\t{record.predicate}")
    if _refinable(record):
        marks.append(f"within\t{record.predicate}\t{' '.join(key)}")
        marks += [_same(record.predicate, coarse.split()) for coarse in coarser(record.object_key)]
    return _of(record, marks)


def _of(record: StatementRecord, marks: list[str]) -> set[str]:
    """Marks hold for one subject."""
    return {f"{record.subject_key}\t{mark}" for mark in marks}


def _contends(record: StatementRecord) -> bool:
    """Whether it takes part in rivalry other than that of tasks."""
    return record.kind in ("fact", "preference") and record.modality == "asserted" and record.temporal != "ended"


def _endable(record: StatementRecord) -> bool:
    return record.kind in ("fact", "preference") and record.modality == "asserted" and record.temporal == "current"


def _refinable(record: StatementRecord) -> bool:
    return record.kind == "fact" and record.polarity == "positive" and record.temporal == "current"


def _done(record: StatementRecord) -> bool:
    return record.details.get("type") == "done" and fate(record) is None


def _events(record: StatementRecord, *, planned: str, told: str) -> list[str]:
    """Marks of the events that a statement plans, and of the one of which it tells what became."""
    plan = plan_of(record)
    marks = [f"{planned}\t{head}" for head in sorted(plan.heads)] if plan is not None else []
    return marks + ([f"{told}\t{head}" for head in sorted(event_of(record).heads)] if fate(record) is not None else [])


def _whole(record: StatementRecord) -> bool:
    """Whether it ends whatever value its relation has ("I no longer have a job")."""
    one = record.temporal == "ended" and relation(record.predicate).cardinality == "one"
    return one and not words(record.object)


def _same(predicate: str, key: list[str]) -> str:
    return f"same\t{predicate}\t{' '.join(key)}"


def _open(key: list[str]) -> str:
    return f"open\t{' '.join(key)}"


def _told(record: StatementRecord) -> str:
    """Where a correction without a value that it excludes finds what was just said; of names, all that was ever said."""
    session = "" if record.predicate == "name" else record.session
    return f"told\t{session}\t{record.predicate}\t{record.context_key}"


def _values(record: StatementRecord) -> list[str]:
    """Marks that positive values of one relation share if one may exclude the other."""
    if not _contends(record) or record.polarity != "positive":
        return []
    row, name, context = relation(record.predicate), record.predicate, record.context_key
    if "about" in record.details:
        # Figures meet by what kind they are, since the thing may be named with fewer words the next time.
        return [f"measure\t{record.details['head']}\t{record.details['unit']}", f"value\t{name}\t{context}"]
    if row.value == "date":
        return [f"date\t{name}"]
    marks = []
    number = counted(record.object_key) if row.counted else None
    if number:
        marks.append(f"count\t{name}\t{number[1]}")
    for place, group in enumerate(row.exclusive):
        if member(record, group):
            marks.append(f"group\t{name}\t{place}\t{context}")
    if row.cardinality == "one" or name == "attribute" or (name == "prefers" and context):
        marks.append(f"value\t{name}\t{context}")
    return marks


def _anchor(key: list[str]) -> str:
    """The word that is likely to be the rarest: one that is not of letters only, else the longest."""
    return max([word for word in key if not word.isalpha()] or key, key=lambda word: (len(word), word))


def _shown(what: str, key: list[str]) -> list[str]:
    """The marks by which a key is found by keys that name it or that it names."""
    return [*(f"{what}\thas\t{word}" for word in key), f"{what}\tall\t{_anchor(key)}"] if key else []


def _named(what: str, key: list[str]) -> list[str]:
    """The marks of the keys that name this one (they have its anchor) or that it names (their anchor is in it)."""
    return [*(f"{what}\tall\t{word}" for word in key), f"{what}\thas\t{_anchor(key)}"] if key else []


@cache
def _opposites(predicate: str) -> frozenset[str]:
    """The relations that say the contrary of the same object, whichever row of the table names the other."""
    named = {row.name for row in relations().values() if row.opposite == predicate}
    return frozenset(named | {relation(predicate).opposite} - {""})
