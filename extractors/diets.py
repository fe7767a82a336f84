"""Rules about what somebody eats and drinks, and does not."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule, scope
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import head, items


@rule(
    ("I'm pescatarian on weekdays", "diet: pescatarian"),
    ("I don't eat pork", "diet: pork"),
    ("I never drink alcohol", "diet: alcohol"),
    ("I can't have lactose", "diet: lactose"),
    ("I'm lactose intolerant", "diet: lactose intolerant"),
    ("I keep kosher", "diet: kosher"),
    ("I only eat seafood", "diet: seafood"),
    ("my flatmate Uwe is vegan", "diet: vegan"),
)
def diet(clause: Clause) -> Iterator[Draft]:
    """A way of eating, or a food that is not taken (negative)."""
    ws = clause.words
    lemma = clause.lemma
    if (
        lemma in ("be", "become", "go", "turn")
        and clause.rest
        and not (clause.past and lemma == "be" and not clause.perfect and not clause.used_to and not clause.has("was"))
    ):
        yield from _way(clause)
    elif lemma in words("intake_verbs") and clause.negated and not clause.perfect and not clause.past:
        if lemma == "have" and not any(a in ("ca", "can", "cannot") for a in clause.aux):
            return
        for span in items(ws, clause.verb + 1, clause.end, loose=True):
            if ws[span[0]].low in words("anaphora") or (lemma == "touch" and head(ws, *span).low not in words("foods")):
                continue
            if lemma == "have" and head(ws, *span).low not in words("foods") | words("allergens"):
                continue
            span = (span[0] + 1, span[1]) if ws[span[0]].low == "any" and span[1] - span[0] > 1 else span
            ended = clause.has("anymore", "longer") or exact_more(clause)
            yield make(
                clause,
                "diet",
                bare(ws, span),
                polarity="positive" if ended else "negative",
                temporal="ended" if ended else None,
                context=scope(clause, span[1]),
                cue="change" if ended else None,
                importance=0.7,
            )
    elif lemma in ("eat", "drink") and clause.tag in ("VBP", "VBZ") and not clause.negated:
        eaten = object_after(clause, clause.verb + 1)
        if (
            eaten
            and head(ws, *eaten).low in words("foods") | words("diets")
            and (
                scope(clause, eaten[1])
                or clause.has("only", "mostly", "mainly", "strictly")
                or head(ws, *eaten).low in words("diets")
            )
        ):
            yield make(clause, "diet", eaten, polarity="positive", context=scope(clause, eaten[1]))
    elif lemma in ("keep", "follow", "observe", "be on", "do") and clause.rest and clause.tag != "VBG":
        for w in clause.rest[:4]:
            if (w.low in words("diets") and w.low not in words("diet_nouns")) or (
                w.low in words("diet_nouns") and clause.has("diet")
            ):
                yield make(clause, "diet", (w.i, w.i + 1), context=scope(clause, w.i + 1), importance=0.7)
                return


def _way(clause: Clause) -> Iterator[Draft]:
    ws = clause.words
    stop = min(clause.end, clause.verb + 7)
    for i in range(clause.verb + 1, stop):
        low = ws[i].low
        if low in (",", "but", "because") and i > clause.verb + 1:
            # A list of properties may go on: "29, vegan and single".
            if low != ",":
                return
            continue
        two = f"{low} {ws[i + 1].low}" if i + 1 < clause.end else ""
        span = (i, i + 2) if two in words("diets") else (i, i + 1) if low in words("diets") else None
        if span is None:
            continue
        following = ws[span[1]] if span[1] < clause.end else None
        if (
            following is not None
            and following.tag in ("NN", "NNS", "NNP", "JJ")
            and not following.time
            and following.low not in ("now", "too", "diet", "person", "girl", "guy")
        ):
            return
        if any(w.low in ("friend", "recipe", "restaurant", "dish") for w in clause.rest):
            return
        change = clause.lemma in ("go", "become", "turn")
        ended = clause.negated and (clause.has("longer", "anymore") or exact_more(clause))
        yield make(
            clause,
            "diet",
            span,
            polarity="positive" if ended or not clause.negated else "negative",
            context=scope(clause, span[1]),
            importance=0.8,
            temporal="ended" if ended or clause.used_to else "current" if change else None,
            since=change,
            cue="change" if change or ended else None,
        )
        return


def exact_more(clause: Clause) -> bool:
    """As in "any more", "no more"."""
    return any(
        exact(clause, w.i, "any", "more") or exact(clause, w.i, "no", "more") for w in clause.words[clause.start : clause.end]
    )
