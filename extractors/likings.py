"""What a clause says of liking and preferring: the relation its verb expresses and the words that are its object.

Invariant: nothing here makes a claim; the rules of taste decide what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import exact, object_after, scope
from graphmem.extractors.idioms import FELT, said
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, items, phrase

POSTS = frozenset({"of", "with", "from", "without"})


_COMES_TO = re.compile(r"\b(?P<setting>(?:when|if) it comes to [\w' -]+|as far as [\w' -]+? goes?)\s*(?:,|$)", re.IGNORECASE)


_ANY_DAY = re.compile(r"\b(?:for me|any ?day|any time|every time|hands down|in my book|if you ask me)\b", re.IGNORECASE)


def liking(clause: Clause) -> tuple[str, int] | None:
    """The relation that the verb expresses, and where its object begins."""
    ws = clause.words
    lemma = clause.lemma
    low = ws[clause.verb].low
    if lemma in ("come", "grow", "learn", "start") and exact(clause, clause.verb + 1, "to") and clause.verb + 3 < clause.end:
        # "I've grown to love running"
        inner = ws[clause.verb + 2].lemma
        if inner in words("tastes_positive") | words("tastes_negative") and not clause.negated:
            return ("likes" if inner in words("tastes_positive") else "dislikes"), clause.verb + 3
    told = clause.perfect or (not (clause.past and not clause.used_to) and low not in ("loved", "enjoyed"))
    if lemma in words("tastes_positive") and told:
        return ("dislikes" if clause.negated else "likes"), clause.verb + 1
    if (lemma in words("tastes_negative") or low in ("hate", "hates")) and not clause.past:
        return ("likes" if clause.negated else "dislikes"), clause.verb + 1
    if (
        lemma in ("stand", "bear", "stomach", "handle", "abide")
        and clause.negated
        and any(a in ("ca", "can", "cannot") for a in clause.aux)
    ):
        return "dislikes", clause.verb + 1
    found = said(clause, FELT)
    return (found.predicate, found.after) if found and found.predicate in ("likes", "dislikes") else None


def holds(clause: Clause) -> bool:
    """A perfect tells a taste of now only with "always", "never" or "gone off"."""
    if not clause.perfect:
        return not (clause.past and not clause.used_to)
    return any(a in ("always", "never", "long") for a in clause.adverbs) or clause.lemma in (
        "go",
        "come",
        "grow",
        "learn",
        "fall",
    )


def shown(clause: Clause, span: Span) -> bool:
    """As in "the second version", "your last answer": what the assistant has just put forward, no lasting taste."""
    ws = clause.words
    if ws[span[0]].low not in ("the", "this", "that", "your", "these", "those"):
        return False
    return any(w.low in words("shown_things") for w in ws[span[0] : span[1]])


def whole(clause: Clause) -> int:
    """Where the subject ends with what hangs on it: "the smell of paint", "people in costumes"."""
    end = clause.subject.end
    return clause.group if end < clause.group and clause.words[end].tag == "IN" else end


def rival_setting(clause: Clause) -> str | None:
    """Where one thing beats another for the speaker; empty if everywhere, None if it is no matter of taste."""
    text = clause.sentence.text
    found = _COMES_TO.search(text)
    if found:
        return found.group("setting")
    own = scope(clause, clause.end)
    return own or ("" if _ANY_DAY.search(text) else None)


def objects(clause: Clause, i: int) -> Iterator[Span]:
    """A list of phrases, or one whole verb phrase ("being called X", "to cook for friends", "my coffee black")."""
    ws = clause.words
    if ws[i].low == "to" or (
        ws[i].tag == "VBG"
        and not (i + 1 < clause.end and ws[i + 1].low in (",", "and", "or", "on", "especially"))
        and not (i + 2 < clause.end and ws[i + 1].low == "in" and ws[i + 2].time)
    ):
        end = i + 1
        while end < clause.end and ws[end].low not in (",", ".", "!", "but", "so", "because") and not ws[end].time:
            end += 1
        while end > i + 1 and ws[end - 1].low in ("too", "also", "alot", "though", "lol", "as", "well", "and"):
            end -= 1
        if end > i + 1 or ws[i].low != "to":
            yield i, end
        return
    if ws[i].low == "the" and any(w.low == "being" for w in ws[i + 1 : i + 5]):
        # "hates the bins being left out"
        end = next((w.i for w in ws[i : clause.end] if w.low in (",", ".", "but", "so", "because")), clause.end)
        yield i, end
        return
    if ws[i].low in ("anything", "everything"):
        end = i + 1
        if end + 1 < clause.end and ws[end].low in ("with", "from", "by", "about"):
            span = object_after(clause, end + 1)
            if span:
                yield (span if ws[end].low == "with" else (i, span[1]))
        return
    found = [_whole_day(clause, span) for span in items(ws, i, clause.end, posts=POSTS, loose=True)]
    if len(found) == 1 and ws[i].low in ("my", "our"):
        end = found[0][1]
        if end < clause.end and ws[end].tag in ("JJ", "RB", "VBN", "NN", "VBP", "VB"):
            yield i, end + 1
            return
    if len(found) == 1 and found[0][1] < clause.end and ws[found[0][0]].tag == "VBG":
        yield found[0]
        return
    yield from found


def _whole_day(clause: Clause, span: Span) -> Span:
    """As in "summer evenings", "working on cars": what still belongs to the thing or the doing."""
    ws = clause.words
    if span[1] == span[0] + 1 < clause.end and ws[span[0]].tag == "VBG" and ws[span[0] - 1].low in (",", "and"):
        end = span[1]
        while end < clause.end and not ws[end].is_mark and not ws[end].time and ws[end].low not in ("and", "but", "so", "or"):
            end += 1
        if ws[span[1]].tag in ("IN", "DT", "PRP$", "NN", "NNS", "NNP", "TO", "JJ") and end - span[1] < 6:
            return span[0], end
    if span[1] < clause.end and ws[span[1]].tag in ("NN", "NNS") and ws[span[1]].low in words("time_nouns"):
        return span[0], span[1] + 1
    return span


def chosen(clause: Clause) -> bool:
    """As in "I like tea better than coffee", "I'll take rain over heat any day", "I pick trains over planes"."""
    if not clause.rest or clause.negated or clause.past or not clause.speaker or clause.rest[0].low in words("anaphora"):
        return False
    lows = [w.low for w in clause.rest]
    if clause.lemma in ("like", "love", "enjoy"):
        return "than" in lows and any(low in ("better", "more") for low in lows)
    if clause.lemma in ("take", "choose", "pick", "go", "opt", "have"):
        would = any(a in ("'d", "would") for a in clause.aux)
        sure = clause.lemma in ("choose", "pick") or would or bool(_ANY_DAY.search(clause.sentence.text))
        return "over" in lows[1:5] and sure
    return False


def preferred(clause: Clause, i: int) -> Iterator[Span]:
    """What is preferred, from a place on: a verb phrase, or the items of a list."""
    ws = clause.words
    if i >= clause.end:
        return
    if ws[i].low == "to" or (i == clause.verb) or ws[i].tag == "VBG":
        end = i + 1
        while end < clause.end and ws[end].low not in (",", ".", "than", "over", "but", "so", "because", "when"):
            end += 1
        yield (i + 1 if ws[i].low == "to" else i), end
        return
    end = phrase(ws, i, clause.end, loose=True, posts=frozenset({"of", "without"}))
    if end > i:
        if end < clause.end and ws[end].low == "for":
            pass
        yield i, end
        while end < clause.end and ws[end].low in ("and", "or"):
            start = end + 1
            end = phrase(ws, start, clause.end, loose=True)
            if end == start:
                return
            yield start, end
