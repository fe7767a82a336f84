"""Rules about the body: allergies, conditions, treatment, blood type, and what somebody can do and speak."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import is_condition, is_job, words
from graphmem.extractors.phrases import head, items, phrase


@rule(
    ("I'm allergic to nuts and latex", "allergic_to: latex"), ("my son Emil is allergic to eggs", "allergic_to: eggs"),
    ("I've got a penicillin allergy", "allergic_to: penicillin"), ("I'm not allergic to cats", "allergic_to: cats"),
    ("Latex makes my hands swell", "allergic_to: Latex"), ("definitely allergic to hazelnuts though", "allergic_to: hazelnuts"),
)  # fmt: skip
def allergy(clause: Clause) -> Iterator[Draft]:
    """ "allergic to X", "an X allergy", "X makes me swell", "X would kill me"."""
    ws = clause.words
    at = next((w.i for w in clause.rest[:6] if w.low == "allergic"), None)
    if at is not None and exact(clause, at + 1, "to") and clause.lemma == "be":
        for span in items(ws, at + 2, clause.end, loose=True):
            ended = clause.negated and clause.has("longer", "anymore")
            yield make(
                clause, "allergic_to", span, polarity="negative" if clause.negated and not ended else "positive", importance=0.9, temporal="ended" if ended or clause.used_to else None,
                types="thing",
            )  # fmt: skip
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
                    yield make(clause, "allergic_to", inner, polarity="negative" if none else "positive", importance=0.9, types="thing")
        return
    if clause.lemma == "react" and clause.speaker and not clause.past and (to := preposition(clause, "to")):
        for span in items(ws, to, clause.end, loose=True):
            if ws[span[0]].low not in words("anaphora"):
                yield make(clause, "allergic_to", span, importance=0.8, confidence=0.75, types="thing", polarity="negative" if clause.negated else "positive")
        return
    rest = " ".join(w.low for w in clause.rest)
    harms = (clause.lemma == "make" and re.search(r"^(me|my \w+) (swell|itch|sneeze|break out|sick|ill|wheeze|vomit)", rest)) or (
        clause.lemma == "kill" and re.match(r"me\b", rest) and any(a in ("will", "would", "could", "'ll") for a in clause.aux)
    ) or (clause.lemma == "give" and re.search(r"^me (hives|a rash|rashes)", rest))
    if harms and clause.subject.kind in ("other", "named") and clause.subject.start >= 0 and ws[clause.subject.head].low in words("allergens") | words("foods"):
        yield make(clause, "allergic_to", (clause.subject.start, clause.subject.end), subject="user", polarity="positive", temporal="current", importance=0.9, types="thing")


@rule(
    ("I have asthma and a bad knee", "health: asthma"), ("I have type 1 diabetes", "health: type 1 diabetes"), ("my mum has dementia", "health: dementia"),
    ("I am deaf in my left ear", "health: deaf in my left ear"), ("I'm colourblind", "health: colourblind"),
    ("I'm on sick leave because of burnout", "health: on sick leave because of burnout"),
)  # fmt: skip
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
            ill = ill or (any(low in words("body") for low in lows) and any(low in ("bad", "broken", "injured", "weak", "torn", "dodgy", "sore", "twisted", "sprained", "artificial") for low in lows))
            if ill and "allergy" not in joined:
                none = clause.negated or lows[0] == "no"
                yield make(clause, "health", (span[0] + (lows[0] in ("no", "any")), span[1]), polarity="negative" if none else "positive", importance=0.8)
        return
    if clause.lemma != "be":
        return
    standing = next((w for w in clause.rest[1:6] if w.low in ("leave", "sabbatical", "week", "diet", "shifts", "shift", "schedule", "contract", "list")), None)
    if clause.rest and clause.rest[0].low == "on" and standing and not clause.past and (clause.speaker or clause.subject.kind == "possessed"):
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
            if before in ("not", "n't", "to") and not clause.negated or following is not None and following.tag in ("NN", "NNS", "HYPH") and not following.time:
                return
            end = i + 1
            if following is not None and following.low == "in" and i + 2 < clause.end and ws[i + 2].low in ("my", "one", "both"):
                end = phrase(ws, i + 2, clause.end)
            yield make(clause, "health", (i, end), polarity="negative" if clause.negated else None, importance=0.8)
            return
        i += 1


@rule(
    ("I take metformin twice a day", "health: metformin"), ("I go to therapy every second Wednesday", "health: therapy"),
    ("since the accident I walk with a cane", "health: walk with a cane"),
)  # fmt: skip
def treatment(clause: Clause) -> Iterator[Draft]:
    """Medicines, therapy, aids."""
    ws = clause.words
    if clause.past and not clause.used_to or clause.future or clause.passive:
        return
    if clause.lemma == "take" and clause.speaker or clause.lemma == "be" and clause.rest[:1] and clause.rest[0].low == "on":
        span = object_after(clause, clause.verb + 1 + (clause.lemma == "be"))
        if not span:
            return
        lows = [w.low for w in ws[span[0] : span[1]]]
        drug = any(low in words("medicines") or re.search(r"(?:formin|statin|pril|sartan|zepam|oxetine|aline|azole|cillin|mycin|profen|prazole|olol|xaban|mab|idone|apine)$", low) for low in lows)
        if drug and not any(low in ("the", "your") for low in lows):
            yield make(clause, "health", span, importance=0.7, polarity="negative" if clause.negated else None)
    elif clause.lemma in ("go", "do", "attend") and clause.tag in ("VBP", "VBZ", "VBG"):
        for w in clause.rest[:3]:
            if w.low in words("treatments"):
                yield make(clause, "health", (w.i, w.i + 1), importance=0.7)
                return
    elif clause.lemma in ("walk", "use", "wear") and clause.tag in ("VBP", "VBZ"):
        at = next((w for w in clause.rest[:4] if w.low in words("aids")), None)
        if at:
            yield make(clause, "health", (clause.verb, at.i + 1), importance=0.7)


@rule(("my blood type is 0 negative", "blood_type: 0 negative"), ("I'm blood type AB", "blood_type: AB"), anyone=False)
def blood_type(clause: Clause) -> Iterator[Draft]:
    """A value that is a blood type: A, B, AB, 0 or O, with its sign."""
    text = clause.text(clause.start, clause.end)
    found = re.search(r"\bblood (?:type|group)\b(?: is|:|'s)?\s*(?P<value>(?:AB|A|B|O|0)(?:\s?(?:negative|positive|neg|pos|[+-]))?)(?![\w])", text, re.IGNORECASE)
    if found and clause.lemma == "be" and not clause.negated and (clause.speaker or clause.subject.kind == "possessed"):
        yield Draft("blood_type", found.group("value"), subject="user", importance=0.9, temporal="current", cue="correction" if clause.has("actually") else None)


@rule(
    ("I speak Polish at home, English at work", "speaks: English"), ("my mother tongue is Czech", "speaks: Czech"), ("I don't speak French", "speaks: French"),
    ("I also manage Slovak", "speaks: Slovak"),
)  # fmt: skip
def language(clause: Clause) -> Iterator[Draft]:
    """Languages by name; "fluent sarcasm" is none."""
    ws = clause.words
    lemma = clause.lemma
    mother = lemma == "be" and clause.subject.kind == "possessed" and re.search(r"(?:tongue|first language|native language|mother language)$", clause.subject.text, re.IGNORECASE)
    be_in = lemma == "be" and clause.rest[:1] and clause.rest[0].low in ("fluent", "bilingual", "native", "trilingual", "conversational")
    if not (lemma in ("speak", "manage", "know", "understand") or mother or be_in) or clause.future or clause.past and not clause.used_to:
        return
    if "can" in clause.aux and clause.rest[:1] and clause.rest[0].low == "to":
        return
    for w in clause.rest:
        if w.low in ("but", "because", "with", "when") or w.low == "to" and not mother:
            return
        if w.low in words("languages") and w.text[:1].isupper() | (lemma == "speak") and not (w.i + 1 < clause.end and ws[w.i + 1].tag in ("NN", "NNS") and not ws[w.i + 1].time):
            yield make(clause, "speaks", (w.i, w.i + 1), subject="user" if mother else None, polarity="negative" if clause.negated else None, timed=False)


@rule(
    ("I'm pretty good at carving and I can weld a bit", "skill: carving"), ("I can juggle", "skill: juggle"), ("I play the oboe in an orchestra", "skill: the oboe"),
    ("I hold a private pilot licence", "skill: a private pilot licence"), ("I never learned to drive", "skill: drive"), ("I have a degree in botany", "skill: a degree in botany"),
)  # fmt: skip
def skill(clause: Clause) -> Iterator[Draft]:
    """Being good at, being able to, playing an instrument, holding a licence or a degree."""
    ws = clause.words
    lemma = clause.lemma
    if lemma == "be" and clause.rest and not clause.past:
        for k, w in enumerate(clause.rest[:4]):
            if w.low in ("good", "great", "skilled", "decent", "experienced", "terrible", "bad", "hopeless") and k + 1 < len(clause.rest) and clause.rest[k + 1].low in ("at", "with", "in"):
                for span in items(ws, w.i + 2, clause.end, loose=True):
                    bad = w.low in ("terrible", "bad", "hopeless")
                    if ws[span[0]].low not in words("anaphora"):
                        yield make(clause, "skill", span, polarity="negative" if bad != clause.negated else "positive")
                return
    elif "can" in clause.aux and clause.subject.kind == "user" and clause.lows[:1] != ["we"] and not clause.negated and lemma in words("skill_verbs") and clause.mark not in ("so", "that", "when", "where"):
        span = object_after(clause, clause.verb + 1, loose=False)
        if span and ws[span[0]].low in words("anaphora") | {"a", "the"} and head(ws, *span).low not in words("instruments"):
            span = None
        yield make(clause, "skill", (clause.verb, span[1] if span else clause.verb + 1))
    elif lemma in ("play", "learn", "study", "practise", "practice") and not clause.passive:
        span = object_after(clause, clause.verb + 1)
        if span and lemma == "play" and any(w.low in words("instruments") for w in ws[span[0] : span[1]]) and not clause.future:
            for item in items(ws, clause.verb + 1, clause.end):
                if any(w.low in words("instruments") for w in ws[item[0] : item[1]]):
                    yield make(clause, "skill", item, polarity="negative" if clause.negated else None)
        elif lemma == "learn" and clause.negated and clause.rest[:1] and clause.rest[0].low == "to" and clause.verb + 2 < clause.end:
            end = clause.verb + 3
            obj = object_after(clause, end, loose=False) if end < clause.end else None
            yield make(clause, "skill", (clause.verb + 2, obj[1] if obj else end), polarity="negative", temporal="current", timed=False)
    elif lemma in ("hold", "have") and not clause.negated and not clause.future:
        for span in items(ws, clause.verb + 1, clause.end, posts=frozenset({"in"})):
            if head(ws, *span).low in words("skills_extra") and ws[span[0]].low not in ("no", "any", "to"):
                yield make(clause, "skill", span, temporal="current")


@rule(("I'm left-handed", "trait: left-handed"), ("I'm Finnish", "nationality: Finnish"), ("I'm more of a morning person", "trait: morning person"), anyone=False)
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
            span = object_after(clause, w.i + 2)
            if span:
                yield make(clause, "member_of", span)
            return
        if k == 0 and w.low in words("nationalities") and w.text[:1].isupper() and after in (".", ",", "and", "but", "!", "by", "so", "originally"):
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
    """ "As a nurse I ...": what the speaker is, said in passing."""
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
