"""Rules about the body: allergies, conditions, treatment, blood type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import ENDED, Draft, bare, exact, make, object_after, preposition, rule
from graphmem.extractors.idioms import HARMED, REACTED, is_thing, said
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import TIME_NOUNS, Span, head, is_time, items, phrase
from graphmem.model import Polarity
from graphmem.records import Temporal


@rule(
    ("I'm allergic to nuts and latex", "allergic_to: latex"),
    ("my son Emil is allergic to eggs", "allergic_to: eggs"),
    ("I have a pollen allergy", "allergic_to: pollen"),
    ("I'm not allergic to cats", "allergic_to: cats"),
    ("Nickel makes my skin itch", "allergic_to: Nickel"),
    ("I break out in hives from strawberries", "allergic_to: strawberries"),
    ("Hornet stings send me into anaphylaxis", "allergic_to: Hornet stings"),
    ("my stomach doesn't tolerate onions", "allergic_to: onions"),
)
def allergy(clause: Clause) -> Iterator[Draft]:
    """As in "allergic to X", "an X allergy", "X makes me swell", "X would kill me"."""
    at = next((w.i for w in clause.rest[:6] if w.low in ("allergic", "intolerant")), None)
    if at is not None and exact(clause, at + 1, "to") and clause.lemma == "be":
        yield from _allergic(clause, at + 2)
    elif clause.lemma == "have" and not clause.has("reaction", "sensitivity"):
        yield from _having(clause)
    elif clause.speaker and not clause.past:
        yield from _reacting(clause)
    elif clause.subject.kind == "possessed" and (spot := _refused(clause)):
        for span in items(clause.words, spot, clause.end, loose=True):
            if clause.words[span[0]].low not in words("anaphora") | {"the"}:
                yield make(clause, "allergic_to", span, importance=0.7, **_OWN_ALLERGY)
    elif (is_thing(clause) and _harms(clause)) or _made_ill(clause):
        span = bare(clause.words, (clause.subject.start, clause.subject.end))
        yield make(clause, "allergic_to", span, importance=0.9, **_OWN_ALLERGY)


_OWN_ALLERGY: dict[str, Any] = {"subject": "user", "polarity": "positive", "temporal": "current", "types": "thing"}


def _allergic(clause: Clause, start: int) -> Iterator[Draft]:
    ws = clause.words
    for span in items(ws, start, clause.end, loose=True):
        if head(ws, *span).low in words("anaphora") | TIME_NOUNS | words("no_allergen") | {"weekdays", "people"}:
            continue
        ended = clause.negated and clause.has("longer", "anymore")
        polarity: Polarity = "negative" if clause.negated and not ended else "positive"
        past: Temporal | None = "ended" if ended or clause.used_to else None
        yield make(clause, "allergic_to", span, polarity=polarity, importance=0.9, temporal=past, types="thing")


def _having(clause: Clause) -> Iterator[Draft]:
    """As in "a pollen allergy", "an allergy to pollen", "no allergies to nuts"."""
    ws = clause.words
    for span in items(ws, clause.verb + 1, clause.end, posts=frozenset({"to", "of"})):
        noun = head(ws, *span)
        if noun.low not in ("allergy", "allergies", "intolerance"):
            continue
        k = next(w.i for w in ws[span[0] : span[1]] if w.low == noun.low)
        to = next((w.i for w in ws[k : span[1]] if w.low == "to"), None)
        inner = (to + 1, span[1]) if to else bare(ws, (span[0] + (ws[span[0]].low == "no"), k))
        if inner[1] > inner[0]:
            polarity: Polarity = "negative" if clause.negated or ws[span[0]].low == "no" else "positive"
            yield make(clause, "allergic_to", inner, polarity=polarity, importance=0.9, types="thing")


def _reacting(clause: Clause) -> Iterator[Draft]:
    """As in "I react to X", "I break out in hives from X"."""
    ws = clause.words
    found = said(clause, REACTED)
    start = found.after if found else preposition(clause, "to") if clause.lemma == "react" else None
    if start is None or start >= clause.end or ws[start].low in ("i", "eating"):
        return
    polarity: Polarity = "negative" if clause.negated and not found else "positive"
    for span in items(ws, start, clause.end, loose=True):
        if ws[span[0]].low not in words("anaphora") | {"the"} and not is_time(ws, span[0]):
            yield make(clause, "allergic_to", span, importance=0.8, confidence=0.8, types="thing", polarity=polarity)


def _made_ill(clause: Clause) -> bool:
    """As in "X makes me swell", "X would kill me", of what one may be allergic to."""
    subject = clause.subject
    known = words("allergens") | words("foods")
    if subject.kind not in ("other", "named") or subject.start < 0 or clause.words[subject.head].low not in known:
        return False
    rest = " ".join(w.low for w in clause.rest)
    if clause.lemma == "make":
        return bool(re.search(r"^(me|my \w+) (swell|itch|sneeze|break out|sick|ill|wheeze|vomit)", rest))
    if clause.lemma == "kill":
        return bool(re.match(r"me\b", rest)) and any(a in ("will", "would", "could", "'ll") for a in clause.aux)
    return clause.lemma == "give" and bool(re.search(r"^me (hives|a rash|rashes)", rest))


def _harms(clause: Clause) -> bool:
    """As in "bee stings send me into anaphylaxis", "dairy doesn't agree with me"."""
    eaten = clause.words[clause.subject.head].low in words("foods") | words("allergens")
    if not eaten and any(low in words("jokes") for low in clause.sentence.fillers):
        return False
    disagrees = clause.negated and clause.lemma in ("agree", "sit") and clause.has("with") and clause.has("me", "my")
    return said(clause, HARMED) is not None or (eaten and disagrees)


def _refused(clause: Clause) -> int | None:
    """Where it begins what the body does not bear: "my stomach can't handle X"."""
    if (
        clause.words[clause.subject.head].low not in words("body") | {"body", "system", "immune", "tummy", "digestion"}
        or not clause.negated
    ):
        return None
    if clause.past or clause.lemma not in ("tolerate", "handle", "like", "digest", "process", "take", "cope", "agree", "deal"):
        return None
    return clause.verb + 1 + (clause.rest[:1] != [] and clause.rest[0].low == "with")


@rule(
    ("I have epilepsy and a weak ankle", "health: epilepsy"),
    ("we both have high blood pressure", "health: high blood pressure"),
    ("my mum has dementia", "health: dementia"),
    ("I'm blind in one eye", "health: blind in one eye"),
    ("I'm colourblind", "health: colourblind"),
    ("I suffer from cluster headaches", "health: cluster headaches"),
    ("living with lupus for nine years", "health: lupus"),
    ("I'm hard of hearing", "health: hard of hearing"),
    ("I get panic attacks", "health: panic attacks"),
    ("she's been told, I'm on medical leave due to sciatica", "health: on medical leave due to sciatica"),
)
def condition(clause: Clause) -> Iterator[Draft]:
    """Having a condition, being deaf or diabetic, being on sick leave."""
    ws = clause.words
    if clause.lemma in _BEARING and not clause.passive and not clause.future and not (clause.past and clause.lemma != "have"):
        start = _borne(clause)
        if start is None:
            return
        for span in items(ws, start, clause.end, posts=frozenset({"in"}), loose=True):
            lows = [w.low for w in ws[span[0] : span[1]]]
            joined = " ".join(lows)
            ill = any(is_condition(low) for low in lows) or any(c in joined for c in words("conditions") if " " in c)
            ill = ill or (any(low in words("body") for low in lows) and any(low in words("ailing") for low in lows))
            ill = ill or (
                clause.lemma == "suffer"
                and not clause.past
                and span[0] == start
                and not any(low in words("no_ailment") | words("anaphora") for low in lows)
            )
            if ill and "allergy" not in joined and not any(low in words("no_ailment") for low in lows):
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
        if standing.low == "diet" and any(w.low in words("diets") for w in clause.rest):
            return
        if sick and end + 1 < clause.end and ws[end].low in ("because", "due"):
            end = clause.end
        yield make(clause, "health" if sick else "on", (clause.verb + (1 if sick else 2), end), importance=0.6)
        return
    state = _state(clause)
    if state is not None:
        own = "user" if state[0] == clause.subject.start else None
        yield make(clause, "health", state, subject=own, polarity="negative" if clause.negated else None, importance=0.8)
        return
    i = clause.verb + 1
    while i < clause.end and ws[i].low not in (",", ".") and i < clause.verb + 8:
        if is_condition(ws[i].low) and ws[i].low not in ("ms",):
            before = ws[i - 1].low
            following = ws[i + 1] if i + 1 < clause.end else None
            if (
                (before in ("not", "n't", "to") and not clause.negated)
                or (
                    following is not None
                    and following.low == "with"
                    and ws[i].low == "pregnant"
                    and not clause.has("twins", "triplets", "number", "child", "baby", "boy", "girl")
                )
                or (following is not None and following.tag in ("NN", "NNS", "HYPH") and not following.time)
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


_BEARING = frozenset({"have", "suffer", "get", "live", "struggle", "battle", "cope", "recover", "deal", "fight"})
_STATES = re.compile(
    r"be (?:\w+ )?(?P<state>(?:\w+ (?:weeks|months) )pregnant|expecting(?: (?:a baby|twins|triplets|our "
    r"\w+(?: child| baby)?|my \w+(?: child| baby)?))?(?=$| in\b| ,)|"
    r"(?:hard of hearing|partially sighted|visually impaired|hearing impaired|colou?r blind)|in remission(?: from \w+)?|"
    r"(?:short|near|long|far)[- ]?sighted|in a wheelchair|on (?:dialysis|chemo|insulin|oxygen)|prone to [\w "
    r"-]+|legally blind|recovering from [\w -]+|"
    r"being treated for [\w -]+|(?:a )?(?:cancer|stroke|polio) survivor|wheelchair[- ](?:user|bound)|missing "
    r"(?:a|my|one) [\w ]+)"
)


def _borne(clause: Clause) -> int | None:
    """Where the condition begins: "I have X", "suffer from X", "living with X", "recovering from X"."""
    if clause.lemma == "have":
        return clause.verb + 1
    if clause.lemma == "get":
        # "I get migraines" tells a condition, "I get a fever today" does not.
        plural = clause.rest[:1] != [] and clause.tag in ("VBP", "VBZ", "VB") and any(w.tag == "NNS" for w in clause.rest[:2])
        return clause.verb + 1 if plural else None
    return preposition(clause, "from" if clause.lemma in ("suffer", "recover") else "with")


def _state(clause: Clause) -> Span | None:
    """States of the body in fixed words: "14 weeks pregnant", "hard of hearing"; a bad part: "my knees are shot"."""
    line = " ".join(["be", *(w.low for w in clause.rest)])
    found = _STATES.match(line)
    if found and not clause.past:
        first = clause.verb + line[: found.start("state")].count(" ")
        last = first + found.group("state").rstrip().count(" ") + 1
        while last > first + 1 and is_time(clause.words, last - 1):
            last -= 1
        return first, min(last, clause.end)
    ws = clause.words
    if clause.subject.kind == "possessed" and clause.speaker is False and ws[clause.subject.head].low in words("body"):
        at = next((w.i for w in clause.rest[:3] if w.low in words("ailing") | {"gone", "terrible", "rubbish", "poor"}), None)
        if at is not None and not clause.past and not clause.negated:
            return clause.subject.start, at + 1
    return None


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
    if not ((clause.past and not clause.used_to) or clause.future or clause.passive):
        yield from _under_way(clause)


def _under_way(clause: Clause) -> Iterator[Draft]:
    """What one takes, goes to or walks with, and what one has come off."""
    ws = clause.words
    off = clause.lemma in ("come", "go", "get", "be") and clause.rest[:1] and clause.rest[0].low == "off"
    if off or (clause.lemma == "stop" and clause.rest[:1] and clause.rest[0].low == "taking"):
        stopped = object_after(clause, clause.verb + 2)
        if stopped and any(is_drug(w.low) for w in ws[stopped[0] : stopped[1]]) and not clause.negated:
            yield make(clause, "health", bare(ws, stopped), importance=0.7, **ENDED)
        return
    if (clause.lemma == "take" and clause.speaker) or (clause.lemma == "be" and clause.rest[:1] and clause.rest[0].low == "on"):
        medicine = object_after(clause, clause.verb + 1 + (clause.lemma == "be"))
        if not medicine:
            return
        lows = [w.low for w in ws[medicine[0] : medicine[1]]]
        drug = any(is_drug(low) for low in lows) or _dosed(clause, medicine)
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


def is_drug(low: str) -> bool:
    """A medicine by its name or by the ending of its name."""
    return low in words("medicines") or bool(_DRUG_ENDINGS.search(low))


def _dosed(clause: Clause, span: Span) -> bool:
    """As in "I take X for my Y", "X 50 mg": said to be taken against something, or by weight."""
    after = " ".join(w.low for w in clause.words[span[1] : span[1] + 4])
    ill = re.match(r"for (?:them|it|my|the)\b", after) and clause.lemma == "take"
    return bool(re.search(r"\b\d+ ?(?:mg|mcg|ml|units)\b", " ".join(clause.lows)) or ill) and span[1] - span[0] <= 2


_DRUG_ENDINGS = re.compile(
    r"(?:formin|statin|pril|sartan|zepam|oxetine|aline|azole|cillin|mycin|profen|prazole|olol|xaban|mab|"
    r"idone|apine|triptan|oxine|"
    r"thyroxine|gliptin|tidine|dipine|lukast|pram|zolam|semide)$"
)


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
