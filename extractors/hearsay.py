"""Hearsay: what a clause makes of the one it governs, by who says, thinks or asks it.

Invariant: a word of somebody else's attributes the clause after it, an opinion of the speaker's own hedges it, and what the
speaker will not say is denied; a comma or a joining word ends what a clause governs.
"""

from __future__ import annotations

from graphmem.extractors.clauses import Clause
from graphmem.extractors.lexicon import words


def report(clause: Clause, following: Clause) -> str | None:
    """What a clause makes of the one it governs: an opinion hedges it, somebody else's word attributes it."""
    before = following.words[following.start - 1].low if following.start else ""
    comma = before == ","
    if following.words[following.start].low in ("and", "but", "so", "because") or before in ("and", "but", ";"):
        return None
    if clause.mark == "as" and comma and clause.lemma in words("reporting"):
        # "As you said, I ..."
        return "attributed"
    if comma:
        return None
    if clause.subject.text.lower() == "it" and (clause.lemma in ("look", "seem", "sound", "appear") or "could" in clause.aux):
        return "hedged"
    if clause.subject.kind == "implied" and "could" in clause.aux and clause.lemma == "be":
        return "hedged"
    if clause.subject.kind == "implied" and clause.lemma in ("guess", "reckon", "think", "figure", "bet") and not clause.past:
        return "hedged"
    if clause.subject.kind == "user" and clause.lemma in words("opinion_verbs"):
        # "I don't think I like it" says the contrary of what follows, and that only half.
        return "negated" if clause.negated else "hedged"
    if clause.lemma not in words("reporting") | {"know", "ask", "wonder", "pretend", "dream"}:
        return None
    if clause.subject.kind == "implied" and clause.tag in ("VB", "VBP"):
        # "note that I'm vegan" tells; "you said that I'm vegan" reports.
        return None
    if clause.speaker and clause.negated and clause.lemma in ("say", "call", "claim", "argue", "swear", "describe"):
        # "I wouldn't say I'm a cook"
        return "negated"
    told = clause.speaker and not clause.past and clause.lemma not in ("pretend", "wonder", "dream", "ask")
    return None if told else "attributed"


def reported_before(clause: Clause) -> bool:
    """As in "my horoscope claims I ...": a reporting verb that the tagger took for a noun stands right before the clause."""
    at = clause.subject.start if clause.subject.start > clause.start else clause.start
    if at < 2:
        return False
    ws = clause.words
    before = ws[at - 1]
    told = before.low.removesuffix("s") in words("reporting") and before.low.endswith("s")
    return told and before.tag in ("NNS", "VBZ") and ws[at - 2].tag in ("NN", "NNP")
