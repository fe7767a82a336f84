"""Rules about the languages somebody speaks.

Invariant: after "speak" and "fluent in" any name that stands by itself is a language; elsewhere only listed ones are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, make, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.wordings import after, wording


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
    if any(a in ("barely", "hardly", "scarcely") for a in clause.adverbs):
        # A little is neither speaking it nor not.
        return
    if "can" in clause.aux and clause.rest[:1] and clause.rest[0].low == "to":
        return
    named = bool(mother) or bool(be_in) or lemma == "speak"
    for w in clause.rest:
        if w.low in ("but", "because", "when", "than") or (w.low == "to" and not mother):
            return
        if w.low in ("with", "at", "about", "for", "on", "from", "when", "over", "like"):
            named = False
        if _is_language(ws, w, clause, named=named):
            yield make(
                clause,
                "speaks",
                (w.i, w.i + 1),
                subject="user" if mother else None,
                polarity="negative" if clause.negated else None,
                timed=False,
            )


def _is_language(ws: list[Word], w: Word, clause: Clause, *, named: bool) -> bool:
    """A listed language, or after "speak" and "fluent in" any name that stands by itself."""
    if w.i + 1 < clause.end and ws[w.i + 1].tag in ("NN", "NNS") and not ws[w.i + 1].time:
        return False
    if w.low in words("languages"):
        return w.text[:1].isupper() or clause.lemma == "speak"
    alone = w.i + 1 >= clause.end or not ws[w.i + 1].text[:1].isupper() or ws[w.i + 1].low in words("languages")
    plain = w.text.istitle() and w.text.isalpha() and w.low not in words("no_language")
    return named and plain and alone and not ws[w.i - 1].text[:1].isupper() | w.time and w.tag != "PRP"


_GREW_UP_SPEAKING = wording(
    r"(?:grew up|raised|brought up)(?: \w+)? (?:speaking|with|in|on)(?: both)?",
    r"(?:get|gets|getting) by in",
    r"hold (?:my|our) own in",
    r"(?:hold|have|follow|manage) a (?:\w+ )?conversation in",
    r"(?:bilingual|trilingual)(?: in)?",
    r"(?:dream|think|swear|pray|count) in",
)


@rule(
    ("I grew up speaking Welsh and English", "speaks: Welsh"),
    ("I get by in Greek", "speaks: Greek"),
    anyone=True,
)
def language_otherwise(clause: Clause) -> Iterator[Draft]:
    """As in "grew up speaking X", "get by in X", "dream in X": listed languages only."""
    spot = after(clause, _GREW_UP_SPEAKING)
    if spot is None or clause.future or clause.lemma in ("speak", "be", "know") or clause.subject.kind in ("you", "other"):
        return
    ws = clause.words
    for w in ws[spot : clause.end]:
        if w.low in words("languages") and w.text[:1].isupper():
            alone = w.i + 1 >= clause.end or ws[w.i + 1].tag not in ("NN", "NNS")
            if alone:
                yield make(clause, "speaks", (w.i, w.i + 1), temporal="current", timed=False)
        elif w.low not in ("and", ",", "both", "a", "bit", "of", "some", "or", "also"):
            return


@rule(
    ("my Portuguese is rusty", "speaks: Portuguese"),
    ("Swahili is my mother tongue", "speaks: Swahili"),
    fragments=False,
)
def language_as_subject(clause: Clause) -> Iterator[Draft]:
    """As in "my X is rusty", "X is my second language"."""
    subject = clause.subject
    if clause.lemma != "be" or clause.past or clause.negated or subject.head < 0 or subject.start < 0:
        return
    w = clause.words[subject.head]
    if w.low not in words("languages") or not w.text[:1].isupper():
        return
    mine = subject.kind == "possessed" and any(x.low in words("language_grades") for x in clause.rest[:4])
    tongue = clause.has("my", "our") and clause.has("tongue", "language")
    if mine or tongue:
        yield make(clause, "speaks", (w.i, w.i + 1), subject="user", timed=False)
