"""Rules about what somebody speaks, can do and is: languages, skills, traits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule
from graphmem.extractors.lexicon import is_job, words
from graphmem.extractors.phrases import head, items


@rule(
    ("I speak Danish with my mum, Greek at the shop", "speaks: Greek"),
    ("my mother tongue is Czech", "speaks: Czech"),
    ("I don't speak French", "speaks: French"),
    ("I also manage Slovak", "speaks: Slovak"),
)
def language(clause: Clause) -> Iterator[Draft]:
    """Languages by name; "fluent sarcasm" is none."""
    ws = clause.words
    lemma = clause.lemma
    mother = (
        lemma == "be"
        and clause.subject.kind == "possessed"
        and re.search(r"(?:tongue|first language|native language|mother language)$", clause.subject.text, re.IGNORECASE)
    )
    be_in = (
        lemma == "be"
        and clause.rest[:1]
        and clause.rest[0].low in ("fluent", "bilingual", "native", "trilingual", "conversational")
    )
    if (
        not (lemma in ("speak", "manage", "know", "understand") or mother or be_in)
        or clause.future
        or (clause.past and not clause.used_to)
    ):
        return
    if "can" in clause.aux and clause.rest[:1] and clause.rest[0].low == "to":
        return
    for w in clause.rest:
        if w.low in ("but", "because", "when") or (w.low == "to" and not mother):
            return
        if (
            w.low in words("languages")
            and w.text[:1].isupper() | (lemma == "speak")
            and not (w.i + 1 < clause.end and ws[w.i + 1].tag in ("NN", "NNS") and not ws[w.i + 1].time)
        ):
            yield make(
                clause,
                "speaks",
                (w.i, w.i + 1),
                subject="user" if mother else None,
                polarity="negative" if clause.negated else None,
                timed=False,
            )


@rule(
    ("I'm rather good at carving", "skill: carving"),
    ("I'm a decent chess player", "skill: decent chess player"),
)
def ability(clause: Clause) -> Iterator[Draft]:
    """Being good or bad at something, being a player of it."""
    ws = clause.words
    if clause.lemma != "be" or not clause.rest or clause.past:
        return
    player = object_after(clause, clause.verb + 1)
    if player and ws[player[1] - 1].low == "player" and ws[player[0]].low in ("a", "an") and clause.speaker:
        yield make(clause, "skill", bare(ws, player), polarity="negative" if clause.negated else None)
        return
    for w, after in zip(clause.rest[:4], clause.rest[1:5], strict=False):
        if w.low in words("ability_adjectives") and after.low in ("at", "with", "in"):
            bad = w.low in ("terrible", "bad", "hopeless", "rubbish", "useless", "lousy")
            for span in items(ws, w.i + 2, clause.end, loose=True):
                if ws[span[0]].low not in words("anaphora"):
                    yield make(clause, "skill", span, polarity="negative" if bad != clause.negated else "positive")
            return


@rule(("I can juggle", "skill: juggle"), ("I can drive a forklift", "skill: drive a forklift"), anyone=False)
def can_do(clause: Clause) -> Iterator[Draft]:
    """As in "I can weld", "I know how to solder": after "can" verbs of skill only, since "can" says many other things."""
    if clause.lemma == "know" and clause.speaker and not clause.negated and exact(clause, clause.verb + 1, "how", "to"):
        if clause.verb + 3 < clause.end:
            yield make(clause, "skill", (clause.verb + 3, clause.end))
        return
    if "can" not in clause.aux or clause.negated or clause.lemma not in words("skill_verbs"):
        return
    if clause.subject.kind != "user" or clause.lows[:1] == ["we"] or clause.mark in ("so", "that", "when", "where"):
        return
    span = object_after(clause, clause.verb + 1, loose=False)
    if span and head(clause.words, *span).low in words("anaphora"):
        span = None
    yield make(clause, "skill", (clause.verb, span[1] if span else clause.verb + 1))


@rule(("I play the oboe in an orchestra", "skill: the oboe"), ("my son plays the drums", "skill: the drums"))
def instrument(clause: Clause) -> Iterator[Draft]:
    """Playing an instrument."""
    if clause.lemma != "play" or clause.passive or clause.future:
        return
    for span in items(clause.words, clause.verb + 1, clause.end):
        if any(w.low in words("instruments") for w in clause.words[span[0] : span[1]]):
            yield make(clause, "skill", span, polarity="negative" if clause.negated else None)


@rule(("we never learned to swim", "skill: swim"))
def never_learned(clause: Clause) -> Iterator[Draft]:
    """What somebody never learned to do."""
    if (
        clause.lemma != "learn"
        or not clause.negated
        or clause.verb + 2 >= clause.end
        or not exact(clause, clause.verb + 1, "to")
    ):
        return
    end = clause.verb + 3
    span = object_after(clause, end, loose=False) if end < clause.end else None
    yield make(
        clause, "skill", (clause.verb + 2, span[1] if span else end), polarity="negative", temporal="current", timed=False
    )


@rule(
    ("I hold a forklift licence", "skill: a forklift licence"),
    ("I have a degree in botany", "skill: a degree in botany"),
    ("I got my pilot licence in 2015", "skill: pilot licence"),
)
def certificate(clause: Clause) -> Iterator[Draft]:
    """Holding or getting a licence, a degree, a belt."""
    ws = clause.words
    got = clause.lemma in ("get", "earn", "obtain") and clause.past
    if not (got or clause.lemma in ("hold", "have")) or clause.negated or clause.future:
        return
    for span in items(ws, clause.verb + 1, clause.end, posts=frozenset({"in", "of"})):
        if head(ws, *span).low in words("skills_extra") and ws[span[0]].low not in ("no", "any", "to"):
            yield make(clause, "skill", bare(ws, span) if got else span, temporal="current", since=got)


@rule(
    ("I'm left-handed", "trait: left-handed"),
    ("I'm Finnish", "nationality: Finnish"),
    ("I'm really a dog person", "trait: dog person"),
    anyone=False,
)
def trait(clause: Clause) -> Iterator[Draft]:
    """Handedness, nationality or religion, being a kind of person, "as a X I"."""
    ws = clause.words
    yield from _as_a(clause)
    if clause.lemma != "be" or clause.past or clause.negated or clause.subject.kind != "user":
        return
    for k, w in enumerate(clause.rest[:8]):
        after = ws[w.i + 1].low if w.i + 1 < clause.end else "."
        if w.low in ("left-handed", "right-handed", "ambidextrous", "lefthanded"):
            yield make(clause, "trait", (w.i, w.i + 1), timed=False)
            return
        if k == 0 and w.low in words("religions") and w.text[:1].isupper() and after in (".", ",", "and", "but", "!", "so"):
            yield make(clause, "religion", (w.i, w.i + 1), timed=False)
            return
        if w.low in ("scared", "afraid", "terrified") and after == "of":
            for span in items(ws, w.i + 2, clause.end):
                if ws[span[0]].low not in words("anaphora") | {"the", "my", "getting", "losing"}:
                    yield make(clause, "afraid_of", span)
            return
        if w.low == "member" and after == "of":
            group = object_after(clause, w.i + 2)
            if group:
                yield make(clause, "member_of", group)
            return
        if (
            k == 0
            and w.low in words("nationalities")
            and w.text[:1].isupper()
            and after in (".", ",", "and", "but", "!", "by", "so", "originally")
        ):
            yield make(clause, "nationality", (w.i, w.i + 1), timed=False)
            return
        if w.low == "person" and k >= 2 and any(x.low in ("a", "an") for x in clause.rest[:k]):
            start = next(x.i for x in clause.rest[:k] if x.low in ("a", "an")) + 1
            if w.i - start >= 1 and ws[w.i - 1].tag in ("NN", "NNS", "NNP"):
                yield make(clause, "trait", (start, w.i + 1), kind="preference")
            return
        if w.low in (",", "but", "so"):
            return


def _as_a(clause: Clause) -> Iterator[Draft]:
    """As in "As a nurse I ...": what the speaker is, said in passing."""
    before = clause.before
    if clause.subject.kind != "user" or len(before) < 3 or before[0].low != "as" or before[1].low not in ("a", "an"):
        return
    span = (before[2].i, clause.subject.start - (before[-1].pos == "PUNCT"))
    noun = head(clause.words, *span)
    if is_job(noun.low):
        yield make(clause, "has_job", span, timed=False, temporal="current", polarity="positive", importance=0.6)
    elif noun.low in words("diet_nouns"):
        yield make(clause, "diet", span, timed=False, temporal="current", polarity="positive", importance=0.7)
    elif noun.text[:1].isupper() or noun.low in words("kin"):
        yield make(clause, "trait", span, timed=False, temporal="current", polarity="positive")
