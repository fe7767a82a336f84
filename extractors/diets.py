"""Rules about what somebody eats and drinks, and does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule, scope
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items, phrase

_MEALS = frozenset({"breakfast", "lunch", "dinner", "dessert", "snacks"})
_ALL = frozenset({"everything", "anything", "all"})


@rule(
    ("I'm pescatarian on weekdays", "diet: pescatarian"),
    ("I don't eat pork", "diet: pork"),
    ("I never drink alcohol", "diet: alcohol"),
    ("I can't have lactose", "diet: lactose"),
    ("I keep kosher", "diet: kosher"),
    ("I only eat seafood", "diet: seafood"),
    ("my flatmate Uwe is vegan", "diet: vegan"),
    ("I steer clear of dairy", "diet: dairy"),
    ("I've cut out sugar", "diet: sugar"),
    ("I haven't touched alcohol since 2019", "diet: alcohol"),
    ("I eat everything except celery", "diet: celery"),
    ("doing keto since March", "diet: keto"),
)
def diet(clause: Clause) -> Iterator[Draft]:
    """A way of eating, or a food that is not taken (negative)."""
    lemma = clause.lemma
    if lemma == "be" and _shunned(clause) is not None:
        yield from _without(clause)
    elif (
        lemma in ("be", "become", "go", "turn")
        and clause.rest
        and not (clause.past and lemma == "be" and not clause.perfect and not clause.used_to and not clause.has("was"))
    ):
        yield from _way(clause)
    elif lemma in words("intake_verbs") and clause.negated and not clause.perfect and not clause.past:
        yield from _not_taken(clause)
    elif _shunned(clause) is not None:
        yield from _without(clause)
    elif lemma in ("eat", "drink") and clause.tag in ("VBP", "VBZ") and not clause.negated:
        yield from _eaten(clause)
    else:
        yield from _kept(clause)


def _not_taken(clause: Clause) -> Iterator[Draft]:
    """As in "I don't eat pork", "I can't have lactose"."""
    ws = clause.words
    lemma = clause.lemma
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


def _eaten(clause: Clause) -> Iterator[Draft]:
    """As in "I only eat seafood", "at weekends I eat pasta", "I eat everything except celery"."""
    ws = clause.words
    eaten = object_after(clause, clause.verb + 1)
    if (
        eaten
        and head(ws, *eaten).low in words("foods") | words("diets")
        and (head(ws, *eaten).low not in _MEALS or clause.has("only"))
        and (
            scope(clause, eaten[1])
            or any(w.time for w in ws[clause.start : clause.end])
            or clause.has("only", "still", "mostly", "mainly", "strictly")
            or head(ws, *eaten).low in words("diets")
        )
    ):
        yield make(clause, "diet", eaten, polarity="positive", context=scope(clause, eaten[1]) or _when(clause))
    elif (spared := _all_but(clause)) is not None:
        yield make(clause, "diet", spared, polarity="negative", importance=0.7)


def _kept(clause: Clause) -> Iterator[Draft]:
    """As in "I keep kosher", "doing keto", "we follow a vegan diet"."""
    if clause.lemma not in ("keep", "follow", "observe", "do", "try", "practise", "practice", "stick"):
        return
    told = clause.tag != "VBG" or clause.aux or clause.verb == clause.start
    if not clause.rest or clause.negated or clause.past or not told:
        return
    for w in clause.rest[:5]:
        two = f"{w.low} {clause.words[w.i + 1].low}" if w.i + 1 < clause.end else ""
        if two in words("diets"):
            yield make(clause, "diet", (w.i, w.i + 2), context=scope(clause, w.i + 2), importance=0.7)
            return
        if (w.low in words("diets") and w.low not in words("diet_nouns")) or (
            w.low in words("diet_nouns") and clause.has("diet")
        ):
            yield make(clause, "diet", (w.i, w.i + 1), context=scope(clause, w.i + 1), importance=0.7)
            return


_SHUN = re.compile(
    r"(?:(?:try|aim|need|have) (?:\w+ )?to (?:\w+ )?)?(?:steer (?:well )?clear of|stay (?:well )?(?:away "
    r"from|off|clear of)|keep (?:away from|off)|abstain from|refrain from|go without|"
    r"leave out|lay off|avoid|shun|skip|cut out|cut down on|cut back on|give up|swear off|kick|eliminate|"
    r"come off|go off|quit|drop|ditch|"
    r"be (?:completely |totally |currently |strictly |now )?off|be done with) (?=\w)"
)
_SHUN_DENIED = re.compile(r"(?:do|touch|go near|go for|eat|drink|have|consume|digest|tolerate|process|stomach|handle) (?=\w)")


def _shunned(clause: Clause) -> int | None:
    """Where the food begins that is left out: "steer clear of X", "I've cut out X", "I haven't touched X in years"."""
    line = " ".join([clause.lemma, *(w.low for w in clause.rest)])
    long = clause.perfect and clause.negated
    found = (_SHUN_DENIED if clause.negated else _SHUN).match(line)
    if not found or (clause.negated and not long and clause.lemma != "do") or (clause.past and not clause.used_to):
        return None
    if long and clause.lemma in ("have", "eat", "drink") and not clause.has("in", "since", "for"):
        return None
    at = clause.verb + found.group().count(" ")
    return at if at < clause.end else None


def _without(clause: Clause) -> Iterator[Draft]:
    """Foods that are left out; what was given up some time ago is not taken since then."""
    ws = clause.words
    begun = clause.perfect and not clause.negated
    for span in items(ws, _shunned(clause) or clause.verb + 1, clause.end, loose=True):
        if head(ws, *span).low not in words("foods") | words("allergens") or ws[span[0]].low in ("the", "this", "that", "your"):
            continue
        span = (span[0] + 1, span[1]) if ws[span[0]].low in ("any", "all") and span[1] - span[0] > 1 else span
        yield make(
            clause,
            "diet",
            bare(ws, span),
            polarity="negative",
            temporal="current",
            since=begun,
            cue="change" if begun else None,
            context=scope(clause, span[1]),
            importance=0.7,
        )


def _all_but(clause: Clause) -> Span | None:
    """As in "I eat everything except celery"."""
    ws = clause.words
    at = next((w.i for w in clause.rest if w.low in ("except", "but", "besides", "bar") and ws[w.i - 1].low in _ALL), None)
    if at is None or at + 1 >= clause.end:
        return None
    start = at + 1 + (ws[at + 1].low == "for")
    end = phrase(ws, start, clause.end, loose=True)
    return (start, end) if end > start else None


def _when(clause: Clause) -> str | None:
    """The time words that open or close a clause, as the setting of what is eaten then."""
    timed = [w.i for w in clause.words[clause.start : clause.end] if w.time]
    if not timed:
        return None
    first = timed[0] - (timed[0] > clause.start and clause.words[timed[0] - 1].low in ("at", "on", "in", "during"))
    return clause.text(first, timed[-1] + 1)


@rule(("I fast on Mondays", "diet: fast"), ("we do dry fasting", "diet: dry fasting"), fragments=False)
def fasting(clause: Clause) -> Iterator[Draft]:
    """Going without food on certain days or hours."""
    if clause.past or clause.future or clause.negated or clause.passive or clause.relative:
        return
    ws = clause.words
    if (
        ws[clause.verb].low in ("fast", "fasts")
        and clause.speaker
        and (not clause.rest or clause.rest[0].low in ("on", "during", "every", "for", "until"))
    ):
        yield make(clause, "diet", (clause.verb, clause.verb + 1), importance=0.6)
    elif clause.lemma in ("do", "practise", "practice", "try") and clause.has("fasting"):
        at = next(w.i for w in ws[clause.start : clause.end] if w.low == "fasting")
        yield make(clause, "diet", (max(clause.verb + 1, at - 1), at + 1), importance=0.6)


@rule(
    ("dairy is off the menu for me", "diet: dairy"),
    ("seafood is off-limits for us", "diet: seafood"),
    anyone=False,
    fragments=False,
)
def forbidden(clause: Clause) -> Iterator[Draft]:
    """A food that the speaker may not have: "off the menu", "a no-go for me"."""
    if clause.lemma != "be" or clause.past or clause.negated or clause.subject.start < 0:
        return
    ws = clause.words
    if ws[clause.subject.head].low not in words("foods"):
        return
    rest = " ".join(w.low for w in clause.rest)
    own = re.search(r"\b(?:for (?:me|us)|my)\b", rest)
    if (
        re.match(
            r"(?:strictly |completely |totally )?(?:off (?:the|my) (?:menu|table|list)|off-limits|off limits|forbidden|out)\b",
            rest,
        )
        and own
    ):
        span = bare(ws, (clause.subject.start, clause.subject.end))
        yield make(clause, "diet", span, subject="user", polarity="negative", temporal="current", importance=0.7)


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
            and following.low
            not in ("now", "too", "diet", "person", "girl", "guy", "household", "family", "home", "couple", "house")
        ):
            return
        if any(w.low in ("friend", "recipe", "restaurant", "dish") for w in clause.rest):
            return
        change = clause.lemma in ("go", "become", "turn")
        if change and clause.progressive and any(w.time for w in ws[clause.start : clause.end]):
            # "I'm going vegan in January" is a plan.
            return
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
