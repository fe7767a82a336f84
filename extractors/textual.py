"""Claims read from the form of a sentence, not from its clauses: standing rules, fragments, listed tasks.

Invariant: every claim is quoted from the turn by its own characters; what stands inside a quotation makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from graphmem.extractors import reminders, standing
from graphmem.extractors.answers import answers, is_offer
from graphmem.extractors.base import Claim, TimeValue
from graphmem.extractors.claims import due
from graphmem.extractors.english import Sentence
from graphmem.extractors.fragments import statements
from graphmem.extractors.lexicon import words
from graphmem.extractors.profiles import Fragment, profile
from graphmem.extractors.reports import report
from graphmem.extractors.timex import resolve
from graphmem.model import Turn

NAMING = ("name-by-calling", "name-by-being")


def standing_claim(turn: Turn, sentence: Sentence, following: Sentence | None) -> Claim | None:
    """The procedure that a sentence states."""
    rule = standing.standing(sentence, following)
    if rule is None:
        return None
    text = turn.text
    start, end = sentence.start + rule.start, sentence.start + rule.end
    first, last = start, end
    if rule.context:
        at = text.find(rule.context, sentence.start)
        first = min(start, at) if at >= 0 else start
        last = max(end, at + len(rule.context))
    return Claim(
        turn=turn.id, start=first, end=last, quote=text[first:last], kind="procedure", predicate="rule", object=text[start:end],
        context=rule.context, confidence=0.85, importance=0.8, rule=f"standing-{rule.name}"
    )  # fmt: skip


def fragments(
    sentence: Sentence,
    following: Sentence | None,
    *,
    asked: list[str],
    question: str | None,
    named: Claim | None,
    number: int = 0,
    denied: bool = False,
) -> Iterator[Fragment]:
    """Fragments of a sentence, which has this number in its turn; `denied`: the one before it said no.

    `named` is a claim of a name in it, after which a list about oneself may go on.
    """
    offered = question is not None and is_offer(question)
    # "Would you like a vegan recipe?" - "vegan, sure" takes the recipe and tells no diet.
    yield from (found for found in statements(sentence, following) if not (offered and found.rule == "diet-fragment"))
    if question:
        yield from answers(sentence, asked, question, number=number, denied=denied)
    if named is not None:
        stop = named.start + named.quote.find(named.object) + len(named.object)
        at = next((w.i for w in sentence.words if w.start >= stop), None)
        if at is None or sentence.words[at].low != ",":
            return
        if not any(w.low in ("i", "but", "we", "not", "and") for w in sentence.words[at : at + 3]):
            yield from profile(sentence.words, at + 1, len(sentence.words), named=True)


def fragment_claim(
    turn: Turn, sentence: Sentence, found: Fragment, *, times: Sequence[TimeValue], reference: datetime
) -> Claim:
    """The claim of a fragment; the sentence is its quote (with the next one where the value stands there)."""
    text = turn.text
    value = text[found.start : found.end]
    fields = dict(found.fields)
    scope = fields.pop("context_span", None)
    event = fields.pop("dated", False)
    dated = fields.pop("own_time", False) or found.predicate == "born_on"
    if scope:
        fields["context"] = text[scope[0] : scope[1]]
    near = [t for t in times if t.start or t.end]
    if event:
        after = [t for t in near if t.start_char >= found.end]
        near = after or near
    if dated:
        own = [v for v in resolve(_spelled_out(value), reference, lang="en") if v.start or v.end]
        near = [v.model_copy(update={"start_char": v.start_char + found.start}) for v in own] or near
    elif fields.get("temporal") == "ended":
        near = [v.model_copy(update={"start": None, "modifier": "until"}) for v in near if v.end]
    elif fields.get("temporal") != "past" and fields.get("modality") != "intended":
        near = [v for v in near if v.modifier in ("since", "until", "before") or v.end is None]
    quote = text[sentence.start : max(sentence.end, found.end)].rstrip()
    start = sentence.start + len(quote) - len(quote.lstrip())
    fields = {"kind": "fact", "confidence": 0.8, "time": near[0] if near else None, **fields}
    return Claim(
        turn=turn.id, start=start, end=sentence.start + len(quote), quote=quote.lstrip(), predicate=found.predicate,
        object=value, rule=found.rule, **fields
    )  # fmt: skip


def report_claim(turn: Turn, sentence: Sentence) -> Claim | None:
    """What a sentence reports of a named thing, with the whole sentence as its quote."""
    found = report(sentence)
    if found is None:
        return None
    text, base = turn.text, sentence.start
    subject, value = (text[base + start : base + end] for start, end in (found.subject, found.object))
    return Claim(
        turn=turn.id, start=base, end=sentence.end, quote=text[base : sentence.end], kind="fact", subject=subject,
        predicate="told", object=value, context=found.frame, confidence=0.8, importance=0.2, rule="report"
    )  # fmt: skip


def _spelled_out(value: str) -> str:
    """A birth date in words that can only be a date: a bare year needs "in", a month after it comes first."""
    year = re.search(r"\b(?:19|20)\d\d\b", value)
    if not year or re.search(r"\d{1,2}\D+\d{4}|\d[./-]\d", value):
        return value
    month = next((w for w in re.findall(r"[A-Za-z]+", value) if w.lower() in words("months")), "")
    return f"in {month} {year.group()}" if month else f"in {year.group()}"


def listed_tasks(turn: Turn, sentence: Sentence, times: Sequence[TimeValue]) -> Iterator[Claim]:
    """Open items of to-do lists and of requests to be reminded."""
    for start, end, verb in reminders.of_text(sentence):
        a, b = sentence.start + start, sentence.start + end
        here = [t for t in times if t.start_char < b and t.end_char > a]
        value = turn.text[a : min([b, *(t.start_char for t in here if t.start_char > a)])].rstrip(" ,.?!")
        details = {"due": due(here), "owner": "user", "verb": verb, "target": " ".join(value.split()[1:])}
        yield Claim(
            turn=turn.id, start=a, end=b, quote=turn.text[a:b], kind="open_item", predicate="to_do", object=value,
            time=here[0] if here else None, importance=0.6, rule="listed-task", details=details
        )  # fmt: skip
