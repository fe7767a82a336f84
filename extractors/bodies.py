"""Rules about the body: allergies, conditions, treatment, blood type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import TIME_NOUNS, head, items, phrase


@rule(
    ("I'm allergic to nuts and latex", "allergic_to: latex"),
    ("my son Emil is allergic to eggs", "allergic_to: eggs"),
    ("I have a pollen allergy", "allergic_to: pollen"),
    ("I'm not allergic to cats", "allergic_to: cats"),
    ("Nickel makes my skin itch", "allergic_to: Nickel"),
)
def allergy(clause: Clause) -> Iterator[Draft]:
    """As in "allergic to X", "an X allergy", "X makes me swell", "X would kill me"."""
    ws = clause.words
    at = next((w.i for w in clause.rest[:6] if w.low in ("allergic", "intolerant")), None)
    if at is not None and exact(clause, at + 1, "to") and clause.lemma == "be":
        for span in items(ws, at + 2, clause.end, loose=True):
            if head(ws, *span).low in words("anaphora") | TIME_NOUNS | {"weekdays", "work", "people", "mondays"}:
                continue
            ended = clause.negated and clause.has("longer", "anymore")
            yield make(
                clause,
                "allergic_to",
                span,
                polarity="negative" if clause.negated and not ended else "positive",
                importance=0.9,
                temporal="ended" if ended or clause.used_to else None,
                types="thing",
            )
        return
    if clause.lemma == "have":
        for span in items(ws, clause.verb + 1, clause.end, posts=frozenset({"to", "of"})):
            noun = head(ws, *span)
            if noun.low in ("allergy", "allergies", "intolerance"):
                k = next(w.i for w in ws[span[0] : span[1]] if w.low == noun.low)
                to = next((w.i for w in ws[k : span[1]] if w.low == "to"), None)
                inner = (to + 1, span[1]) if to else bare(ws, (span[0] + (ws[span[0]].low == "no"), k))
                if inner[1] > inner[0]:
                    none = clause.negated or ws[span[0]].low == "no"
                    yield make(
                        clause, "allergic_to", inner, polarity="negative" if none else "positive", importance=0.9, types="thing"
                    )
        return
    if clause.lemma == "react" and clause.speaker and not clause.past and (to := preposition(clause, "to")):
        for span in items(ws, to, clause.end, loose=True):
            if ws[span[0]].low not in words("anaphora"):
                yield make(
                    clause,
                    "allergic_to",
                    span,
                    importance=0.8,
                    confidence=0.75,
                    types="thing",
                    polarity="negative" if clause.negated else "positive",
                )
        return
    rest = " ".join(w.low for w in clause.rest)
    harms = (
        (clause.lemma == "make" and re.search(r"^(me|my \w+) (swell|itch|sneeze|break out|sick|ill|wheeze|vomit)", rest))
        or (
            clause.lemma == "kill"
            and re.match(r"me\b", rest)
            and any(a in ("will", "would", "could", "'ll") for a in clause.aux)
        )
        or (clause.lemma == "give" and re.search(r"^me (hives|a rash|rashes)", rest))
    )
    if (
        harms
        and clause.subject.kind in ("other", "named")
        and clause.subject.start >= 0
        and ws[clause.subject.head].low in words("allergens") | words("foods")
    ):
        yield make(
            clause,
            "allergic_to",
            (clause.subject.start, clause.subject.end),
            subject="user",
            polarity="positive",
            temporal="current",
            importance=0.9,
            types="thing",
        )


@rule(
    ("I have epilepsy and a weak ankle", "health: epilepsy"),
    ("we both have high blood pressure", "health: high blood pressure"),
    ("my mum has dementia", "health: dementia"),
    ("I'm blind in one eye", "health: blind in one eye"),
    ("I'm colourblind", "health: colourblind"),
    ("she's been told, I'm on medical leave due to sciatica", "health: on medical leave due to sciatica"),
)
def condition(clause: Clause) -> Iterator[Draft]:
    """Having a condition, being deaf or diabetic, being on sick leave."""
    ws = clause.words
    if clause.lemma in ("have", "suffer", "get") and not clause.passive and not clause.future:
        start = clause.verb + 1 if clause.lemma != "suffer" else preposition(clause, "from")
        if start is None or clause.lemma == "get":
            return
        for span in items(ws, start, clause.end, posts=frozenset({"in"}), loose=True):
            lows = [w.low for w in ws[span[0] : span[1]]]
            joined = " ".join(lows)
            ill = any(is_condition(low) for low in lows) or any(c in joined for c in words("conditions") if " " in c)
            ill = ill or (any(low in words("body") for low in lows) and any(low in words("ailing") for low in lows))
            if ill and "allergy" not in joined:
                none = clause.negated or lows[0] == "no"
                yield make(
                    clause,
                    "health",
                    (span[0] + (lows[0] in ("no", "any")), span[1]),
                    polarity="negative" if none else "positive",
                    importance=0.8,
                )
        return
    if clause.lemma != "be":
        return
    standing = next((w for w in clause.rest[1:6] if w.low in words("standings")), None)
    if (
        clause.rest
        and clause.rest[0].low == "on"
        and standing
        and not clause.past
        and (clause.speaker or clause.subject.kind == "possessed")
    ):
        end = standing.i + 1
        sick = clause.has("sick", "medical")
        if sick and end + 1 < clause.end and ws[end].low in ("because", "due"):
            end = clause.end
        yield make(clause, "health" if sick else "on", (clause.verb + (1 if sick else 2), end), importance=0.6)
        return
    i = clause.verb + 1
    while i < clause.end and ws[i].low not in (",", ".") and i < clause.verb + 8:
        if is_condition(ws[i].low) and ws[i].low not in ("ms",):
            before = ws[i - 1].low
            following = ws[i + 1] if i + 1 < clause.end else None
            if (before in ("not", "n't", "to") and not clause.negated) or (
                following is not None and following.tag in ("NN", "NNS", "HYPH") and not following.time
            ):
                return
            end = i + 1
            if (
                following is not None
                and following.low == "in"
                and i + 2 < clause.end
                and ws[i + 2].low in ("my", "one", "both")
            ):
                end = phrase(ws, i + 2, clause.end)
            yield make(clause, "health", (i, end), polarity="negative" if clause.negated else None, importance=0.8)
            return
        i += 1


@rule(
    ("I take warfarin at lunch", "health: warfarin"),
    ("we go to counselling on Fridays", "health: counselling"),
    ("I was diagnosed with gout last year", "health: gout"),
    ("these days I walk with crutches", "health: walk with crutches"),
)
def treatment(clause: Clause) -> Iterator[Draft]:
    """Medicines, therapy, aids."""
    ws = clause.words
    if clause.lemma == "diagnose" and clause.passive and not clause.negated and (spot := preposition(clause, "with")):
        for span in items(ws, spot, clause.end):
            yield make(clause, "health", span, temporal="current", since=True, importance=0.8)
        return
    if clause.lemma == "prescribe" and clause.rest[:1] and clause.rest[0].low in ("me", "us") and not clause.negated:
        for span in items(ws, clause.verb + 2, clause.end, loose=True):
            yield make(clause, "health", span, subject="user", temporal="current", since=True, importance=0.7)
        return
    if (clause.past and not clause.used_to) or clause.future or clause.passive:
        return
    if (clause.lemma == "take" and clause.speaker) or (clause.lemma == "be" and clause.rest[:1] and clause.rest[0].low == "on"):
        medicine = object_after(clause, clause.verb + 1 + (clause.lemma == "be"))
        if not medicine:
            return
        lows = [w.low for w in ws[medicine[0] : medicine[1]]]
        drug = any(
            low in words("medicines")
            or re.search(
                r"(?:formin|statin|pril|sartan|zepam|oxetine|aline|azole|cillin|mycin|profen|prazole|olol|xaban|"
                r"mab|idone|apine)$",
                low,
            )
            for low in lows
        )
        if drug and not any(low in ("the", "your") for low in lows):
            yield make(clause, "health", medicine, importance=0.7, polarity="negative" if clause.negated else None)
    elif clause.lemma in ("go", "do", "attend") and clause.tag in ("VBP", "VBZ", "VBG"):
        for w in clause.rest[:3]:
            if w.low in words("treatments"):
                yield make(clause, "health", (w.i, w.i + 1), importance=0.7)
                return
    elif (
        clause.lemma in ("walk", "use", "wear")
        and clause.speaker | (clause.subject.kind == "possessed")
        and clause.tag in ("VBP", "VBZ")
    ):
        at = next((w for w in clause.rest[:4] if w.low in words("aids")), None)
        if at:
            yield make(clause, "health", (clause.verb, at.i + 1), importance=0.7)


@rule(("my blood group is B positive", "blood_type: B positive"), ("I'm blood type AB", "blood_type: AB"), anyone=False)
def blood_type(clause: Clause) -> Iterator[Draft]:
    """A value that is a blood type: A, B, AB, 0 or O, with its sign."""
    text = clause.text(clause.start, clause.end)
    found = re.search(
        r"\bblood (?:type|group)\b(?: is|:|'s)?\s*(?P<value>(?:AB|A|B|O|0)(?:\s?(?:negative|positive|neg|pos|[+-]))?)(?![\w])",
        text,
        re.IGNORECASE,
    )
    if found and clause.lemma == "be" and not clause.negated and (clause.speaker or clause.subject.kind == "possessed"):
        yield Draft(
            "blood_type",
            found.group("value"),
            subject="user",
            importance=0.9,
            temporal="current",
            cue="correction" if clause.has("actually") else None,
        )
