"""Themes: what belongs together across sessions, and the summary of each.

Themes are the communities of statements, of the entities and words that they share, and of the sessions that they were said in.
Invariant: what was said and what is only suggested are grouped apart, so that a summary has the tier of its sources, which is
never above what the role of their quotes allows: taint does not wash off.  Nothing of a special category, and nothing that
was ended, withdrawn or is disputed, is in a theme; it stays where it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from math import log
from typing import NamedTuple

from graphmem.admission import CAPS, content_hash
from graphmem.calibration import Calibration
from graphmem.communities import LEAST, Rows, groups, joined, near
from graphmem.derivation import derived_from, lent
from graphmem.graph.base import Node
from graphmem.model import TIER_RANK, Tier
from graphmem.personal.categories import special_category
from graphmem.personal.masks import masked
from graphmem.recall.words import Words
from graphmem.records import THEME, TURN_STRIDE, EvidenceRecord, LinkRecord, MentionRecord, StatementRecord, key, summarises
from graphmem.summary import WORDS

_VERSION = "consolidation/1"


class Source(NamedTuple):
    """A statement of a theme, with the tier that it lends and the quote that gives it."""

    record: StatementRecord
    tier: Tier
    evidence: EvidenceRecord


class Theme(NamedTuple):
    """Statements that belong together, in order of saying; all said, or all suggested."""

    sources: tuple[Source, ...]

    @property
    def ids(self) -> frozenset[str]:
        """The sources by id."""
        return frozenset(source.record.id for source in self.sources)

    @property
    def tier(self) -> Tier:
        """The lowest tier among the sources."""
        return min((source.tier for source in self.sources), key=TIER_RANK.__getitem__)


def sources_of(nodes: Iterable[Node]) -> list[Source]:
    """The statements that may be in a theme, in order of saying.

    It does not depend on the time of asking: what only ended by the calendar still happened.
    """
    found = []
    for node in nodes:
        record = node.record
        if record.sensitivity != "ordinary" or summarises(record.details) or node.retirement is not None or not node.evidence:
            continue
        live = [link for link, gone in node.links if gone is None]
        ended = any(link.kind in ("SUPERSEDES", "CORRECTS") and link.target == record.id for link in live)
        if ended or any(link.kind == "CONTRADICTS" for link in live) or special_category(record.text, record.predicate):
            continue
        best = max(node.evidence, key=lambda item: (TIER_RANK[item.tier], -item.said_at.timestamp(), item.id))
        cap = CAPS.get(best.role, "inferred")
        tier: Tier = min((best.tier, cap), key=TIER_RANK.__getitem__)
        if record.modality in ("possible", "hypothetical"):
            tier = "inferred"
        found.append(Source(record, tier, best))
    return found


def themes(
    sources: Sequence[Source],
    mentions: Iterable[MentionRecord],
    rows: Rows,
    *,
    words: Words,
    standing: Iterable[Collection[str]] = (),
    calibration: Calibration | None = None,
) -> list[Theme]:
    """The themes of these statements, the one told of first in front.

    Args:
        sources: as `sources_of` gives them.
        mentions: which statements mention which entities.
        rows: vectors of unit length by statement.
        words: what finds the stems of their words.
        standing: the sources of each theme that stands, by id.
        calibration: from their cosines to the built-in model's.
    """
    standing = [sorted(ids) for ids in standing]
    about: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for mention in mentions:
        about[mention.statement].add(("entity", mention.entity))
    for source in sources:
        about[source.record.id] |= {("word", stem) for stem in _stems(source.record, words)}
    found = []
    for suggested in (False, True):
        part = [source for source in sources if (source.tier == "inferred") == suggested]
        if len(part) >= LEAST:
            ids = [source.record.id for source in part]
            shared = [[("session", source.record.session), *sorted(about[source.record.id])] for source in part]
            graph = joined(shared, near(ids, rows, calibration or Calibration()))
            places = {source.record.id: place for place, source in enumerate(part)}
            kept = [[places[id_] for id_ in ids if id_ in places] for ids in standing]
            found += [Theme(tuple(part[place] for place in group)) for group in groups(graph, len(part), kept)]
    return sorted(found, key=lambda theme: (theme.sources[0].record.asserted_at, theme.sources[0].record.id))


# ---------------------------------------------------------------------- the summary of a theme


def _stems(record: StatementRecord, words: Words) -> dict[str, str]:
    """The stems that say what a statement is about, each with the word as it stands there.

    Whom it is about is no theme, nor is the wording of the relation.
    """
    subject = set(words.stems(record.subject))
    return {stem: word for word in words.content(record.object) for stem in words.stems(word) if stem not in subject}


def name_of(theme: Theme, frequency: Mapping[str, int], words: Words) -> list[str]:
    """The words that most of a theme's statements share and few others have, at most three; all were said."""
    shared: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for source in theme.sources:
        found = _stems(source.record, words)
        shared.update(found.keys())
        for stem, word in found.items():
            forms[stem][word] += 1
    every = sum(frequency.values())
    weighed = {stem: number * log(1 + every / frequency[stem]) for stem, number in shared.items() if number > 1}
    best = sorted(weighed, key=lambda stem: (-weighed[stem], stem))[:3]
    return [min(forms[stem], key=lambda word: (-forms[stem][word], word)) for stem in best]


def stem_frequency(sources: Iterable[Source], words: Words) -> Counter[str]:
    """In how many statements each stem occurs."""
    found: Counter[str] = Counter()
    for source in sources:
        found.update(_stems(source.record, words).keys())
    return found


def heading(name: Sequence[str], said: Iterable[datetime]) -> str:
    """What a theme is called and from when to when it was told of."""
    days = sorted(at.date().isoformat() for at in said)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return f"Theme {', '.join(name)} ({when}):" if name else f"Theme ({when}):"


def text_of(theme: Theme, name: Sequence[str]) -> str:
    """What a theme is about and what was said of it, the most important first, in at most `WORDS` words of statements."""
    text, left = heading(name, (source.record.asserted_at for source in theme.sources)), 0
    ranked = sorted(
        theme.sources, key=lambda one: (-one.record.importance, one.record.asserted_at, one.record.order, one.record.id)
    )
    for source in ranked:
        longer = f"{text} {source.record.text.rstrip('.')};"
        # Texts that are clean one by one must not read as a secret in a row: that would be masked, and the hash be wrong.
        if len(longer.split()) > WORDS or masked(longer) != longer:
            left += 1
        else:
            text = longer
    return f"{text} and {left} more." if left else f"{text.rstrip(';')}."


def summary_of(
    theme: Theme, name: Sequence[str], *, secret: str, now: datetime, taken: Collection[str]
) -> tuple[StatementRecord, list[EvidenceRecord], list[LinkRecord]]:
    """The summary of a theme, its quotes and its DERIVED_FROM links, one of each for each source.

    Args:
        theme: what belongs together.
        name: from `name_of`.
        secret: keys the ids.
        now: time of recording.
        taken: ids that are in use; a theme that comes again after another took its place is another statement.
    """
    text, tier = text_of(theme, name), theme.tier
    parts = (THEME, tier, text, *sorted(theme.ids))
    id_ = next(new for number in range(len(taken) + 1) if (new := key("s", secret, str(number), *parts)) not in taken)
    last = max(theme.sources, key=lambda one: (one.record.asserted_at, one.record.order, one.record.id)).record
    start = min(source.evidence.said_at for source in theme.sources)
    end = max(source.record.asserted_at for source in theme.sources)
    record = StatementRecord(
        id=id_,
        kind="episode",
        text=text,
        subject="user",
        predicate=THEME,
        object=text,
        temporal="past",
        valid_from=start,
        valid_to=end if end > start else None,
        valid_granularity="minute",
        asserted_at=last.asserted_at,
        recorded_at=now,
        session=last.session,
        session_started=last.session_started,
        # Behind the session's own summary, and in a fixed order among themes.
        order=last.order + TURN_STRIDE,
        subject_key="user",
        object_key=f"{THEME} {id_}",
        tier=tier,
        confidence=min(source.record.confidence for source in theme.sources),
        importance=0.3,
        sensitivity="ordinary",
        content_hash=content_hash({"text": text}),
        extractor=_VERSION,
        rule=THEME,
        details={"type": THEME, "topics": list(name), "sources": len(theme.sources)},
    )
    # A statement has the highest tier of its quotes; a derived one the lowest of its sources.
    evidence = lent((one.evidence for one in theme.sources), id_, secret=secret, tier=tier, recorded_at=now, extractor=_VERSION)
    links = derived_from(
        (source.record.id for source in theme.sources),
        id_,
        rule=THEME,
        tier=tier,
        secret=secret,
        now=now,
        said_at=last.asserted_at,
    )
    return record, evidence, links
