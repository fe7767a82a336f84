"""From a proposal that passed the gate to a claim: what its words say of time, change and deadlines is filled in.

Invariant: everything here is read from the turn; a tense or an intention only takes away from what was proposed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta, timezone
from typing import Any

from graphmem.extractors import outcomes
from graphmem.extractors.base import Claim, TimeValue
from graphmem.extractors.claims import clause_times, cue_of, due, ended_words, instead_of, time_of
from graphmem.extractors.clauses import Clause
from graphmem.extractors.denials import ends, over
from graphmem.extractors.drafts import Draft
from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import words
from graphmem.extractors.proposals import Proposal
from graphmem.extractors.timex import resolve
from graphmem.model import Modality, Turn
from graphmem.ontology import relation
from graphmem.records import Temporal

DOUBTED = 0.5  # confidence of what is only a suggestion, at most


def filled(
    proposal: Proposal,
    turn: Turn,
    *,
    offset_minutes: int,
    start: int,
    end: int,
    clauses: Sequence[Clause],
    sentences: Sequence[Sentence],
    hedged: bool,
    rule: str,
) -> Claim:
    """The claim of a proposal; `clauses` are those that hold its object, `sentences` those around them."""
    temporal, modality = _lowered(proposal, clauses)
    if not clauses and proposal.kind in ("fact", "preference") and any(over(sentence) for sentence in sentences):
        temporal = "ended"
    times = _times(proposal, turn, clauses, sentences, offset_minutes)
    begun = temporal == "current" and proposal.kind in ("fact", "preference") and any(c.past or c.perfect for c in clauses)
    draft = Draft(proposal.predicate, proposal.object, kind=proposal.kind, modality=modality, since=begun)
    if proposal.kind == "open_item":
        times = sorted(times, key=lambda value: value.modifier not in ("until", "before"))
    cue = next((found for found in map(cue_of, clauses) if found), None)
    if cue is None and (temporal == "ended" or proposal.replaces) and not any(c.used_to for c in clauses):
        cue = "change"
    replaces = proposal.replaces or next((found for found in map(instead_of, clauses) if found), None)
    return Claim(
        turn=turn.id,
        start=start,
        end=end,
        quote=proposal.quote,
        kind=proposal.kind,
        subject=proposal.subject,
        predicate=proposal.predicate,
        object=proposal.object,
        # "No longer" ends what was so; it does not say that the contrary has ended.
        polarity="positive" if temporal == "ended" else proposal.polarity,
        modality=modality,
        temporal=temporal,
        context=proposal.context,
        hedged=hedged,
        cue=cue,
        replaces=replaces if proposal.kind in ("fact", "preference") else None,
        time=time_of(draft, temporal, times),
        confidence=min(proposal.confidence, DOUBTED) if hedged else proposal.confidence,
        importance=proposal.importance,
        rule=rule,
        details=_details(proposal, clauses, sentences, times),
        done=proposal.done and proposal.kind == "open_item" and any(c.past or c.perfect for c in clauses),
    )


def _lowered(proposal: Proposal, clauses: Sequence[Clause]) -> tuple[Temporal, Modality]:
    """Tense and mood as the verbs have them, where they say less than was proposed."""
    temporal, modality = proposal.temporal, proposal.modality
    if modality in ("possible", "hypothetical") or proposal.kind not in ("fact", "preference", "episode"):
        return temporal, modality
    permanent = relation(proposal.predicate).permanence == "permanent"
    for clause in clauses:
        gone = clause.used_to or (ended_words(clause) and (clause.negated or "no" in clause.lows))
        if gone or (ends(clause) and proposal.kind != "episode"):
            temporal = "ended"
        elif clause.past and temporal == "current" and clause.lemma in words("lasting_verbs") and not permanent:
            temporal = "past"
        intends = clause.future or clause.lemma in words("intending_verbs")
        if intends and modality == "asserted" and proposal.kind != "episode" and proposal.predicate not in _TIMELESS:
            temporal, modality = "future", "intended"
    # What happened is over, also where it was put in the present ("got promoted").
    return ("past" if proposal.kind == "episode" and temporal == "current" else temporal), modality


_TIMELESS = frozenset({"allergic_to", "prefers", "likes", "dislikes", "has_family", "name"})


def _times(
    proposal: Proposal, turn: Turn, clauses: Sequence[Clause], sentences: Sequence[Sentence], offset_minutes: int
) -> list[TimeValue]:
    """The times of the clauses, or those of the words that were proposed; a time nobody can resolve stays as words."""
    reference = turn.time.astimezone(timezone(timedelta(minutes=offset_minutes)))
    found = []
    for sentence in sentences:
        base = sentence.start
        found += [
            value.model_copy(update={"start_char": value.start_char + base, "end_char": value.end_char + base})
            for value in resolve(sentence.text, reference)
        ]
    if proposal.time is None:
        return [value for clause in clauses for value in clause_times(clause, found)] if clauses else found
    at = turn.text.find(proposal.time)
    chosen = [value for value in found if at >= 0 and value.start_char < at + len(proposal.time) and at < value.end_char]
    chosen = chosen or resolve(proposal.time, reference)
    return chosen or [TimeValue(text=proposal.time, start=None, end=None, granularity=None)]


def _details(
    proposal: Proposal, clauses: Sequence[Clause], sentences: Sequence[Sentence], times: Sequence[TimeValue]
) -> dict[str, Any]:
    if proposal.kind == "open_item":
        spoken = re.findall(r"\w+", proposal.object.lower())
        verb = next((w.lemma for s in sentences for w in s.words if spoken and w.low == spoken[0]), spoken[0] if spoken else "")
        return {"due": due(times), "owner": "user", "verb": verb, "target": " ".join(proposal.object.split()[1:])}
    if proposal.kind == "episode":
        here = [word for clause in clauses for word in clause.words[clause.start : clause.end]]
        text = " ".join(sentence.text for sentence in sentences)
        kind = outcomes.sort_of(clauses[0]) if clauses else "event"
        return {"type": kind, "outcome": outcomes.outcome(text), "topics": [], "tone": outcomes.tone(here)}
    return {}
