"""Rules about what somebody does as a rule, is doing for a while, or has stopped doing, in open words.

Invariant: an open relation is made only of listed verbs of doing with words of their own after them; what somebody thinks,
says or clicks right now makes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition, rule
from graphmem.extractors.lexicon import at_screen, words
from graphmem.extractors.phrases import TIME_NOUNS, Span, head, phrase
from graphmem.extractors.plans import content_of


def predicate_of(clause: Clause, span: Span) -> tuple[str, Span]:
    """Verb lemma, joined with a preposition that follows it: ("commute_by", the words after "by")."""
    ws = clause.words
    first = ws[span[0]]
    verb = ws[clause.verb].lemma
    if first.tag in ("IN", "RP", "TO") and span[1] > span[0] + 1 and first.low.isalpha():
        return f"{verb}_{first.low}", (span[0] + 1, span[1])
    return verb, span


def _habitual(clause: Clause) -> bool:
    """Simple present, positive, not inside a when- or before-clause; the tagger may take the verb for a noun."""
    verb = clause.words[clause.verb]
    if clause.negated or clause.past or clause.passive or clause.future or clause.used_to or clause.subject.kind == "other":
        return False
    if clause.mark in ("before", "until", "when", "once") or (clause.aux and clause.aux[0] not in ("do", "does")):
        return False
    if clause.words[clause.verb - 1].low in ("to", "me", "us") or is_over(clause):
        return False
    mistagged = verb.tag in ("NN", "NNS", "NNP", "VB", "JJ") and clause.subject.kind in ("user", "possessed")
    return verb.tag in ("VBP", "VBZ") or mistagged


def is_over(clause: Clause) -> bool:
    """As in "no longer", "not ... any more"."""
    if exact_in(clause, "no", "longer"):
        return True
    over = clause.has("anymore") or exact_in(clause, "any", "more") or exact_in(clause, "any", "longer")
    return clause.negated and over


def exact_in(clause: Clause, *lows: str) -> bool:
    """Whether the words stand in this order anywhere in the clause."""
    return any(exact(clause, i, *lows) for i in range(clause.start, clause.end - len(lows) + 1))


@rule(("I begin each morning with porridge", "start_day_with: porridge"), fragments=False)
def day_opener(clause: Clause) -> Iterator[Draft]:
    """What the day or the morning is started with."""
    if clause.lemma not in ("start", "begin") or not clause.has("day", "morning", "mornings") or not _habitual(clause):
        return
    spot = preposition(clause, "with")
    span = object_after(clause, spot) if spot else None
    if span:
        yield make(clause, "start_day_with", span, timed=False, cue="change" if clause.has("now") else None)


@rule(
    ("I do yoga every morning", "do: yoga"),
    ("I take the ferry daily", "take: the ferry"),
    ("I go running every week", "go: running"),
    fragments=False,
)
def routine(clause: Clause) -> Iterator[Draft]:
    """Light verbs with the doing in their object: "do yoga", "go running", "take the tram"."""
    if not _habitual(clause) or not clause.rest or clause.rest[0].time:
        return
    first = clause.rest[0]
    if clause.lemma == "go" and first.tag == "VBG" and _marked(clause):
        yield make(clause, "go", (first.i, first.i + 1), confidence=0.7)
    elif (
        clause.lemma == "do"
        and first.tag in ("NN", "NNS", "NNP", "VBG")
        and first.low not in words("abstract")
        and _marked(clause)
    ):
        yield make(clause, "do", (first.i, first.i + 1), confidence=0.7)
    elif clause.lemma == "take" and len(clause.rest) > 1 and clause.rest[1].low in words("transport"):
        span = content_of(clause, clause.verb)
        if span and (_marked(clause) or clause.has("to")):
            yield make(clause, "take", span, confidence=0.7)


@rule(("gran is frail, we visit her every Tuesday", "habit: visit her every Tuesday"), fragments=False)
def repeated_visit(clause: Clause) -> Iterator[Draft]:
    """A repeated doing to "her" or "them": the person is not named again, so the doing is kept in its words."""
    if clause.lemma not in ("visit", "coach", "teach", "tutor") or not _habitual(clause) or content_of(clause, clause.verb):
        return
    repeated = next((w for w in clause.rest if w.low == "every" or (w.time and w.low in ("daily", "weekly"))), None)
    if repeated and clause.rest[0].low in ("her", "him", "them"):
        end = max(w.i for w in clause.rest if w.time or w.i <= repeated.i + 1) + 1
        yield make(clause, "habit", (clause.verb, end))


@rule(
    ("I commute by ferry", "commute_by: ferry"),
    ("we play padel on Fridays", "play: padel"),
    ("I sing in a quartet now", "sing_in: a quartet"),
    ("my daughter Ida plays ice hockey", "play: ice hockey"),
    ("I grow herbs in pots", "grow: herbs in pots"),
    ("my husband snores", "habit: snores"),
    ("I coach her team", "coach: her team"),
    ("I draw comics at night", "draw: comics at night"),
    fragments=False,
)
def habit(clause: Clause) -> Iterator[Draft]:
    """What somebody does as a rule: a verb of doing with its object."""
    ws = clause.words
    verb = ws[clause.verb]
    if not _habitual(clause) or verb.lemma not in words("habit_verbs") or verb.lemma in ("have", "do", "get", "go"):
        return
    if verb.lemma in _LIGHT and not _marked(clause):
        return
    if verb.lemma == "take" and len(clause.rest) > 1 and clause.rest[1].low in words("transport"):
        return
    if _at_screen(clause) or (clause.subject.kind == "named" and not _doer(clause)):
        return
    if verb.lemma in ("start", "begin") or (verb.lemma == "keep" and clause.rest[:1] and clause.rest[0].tag == "VBG"):
        return
    span = content_of(clause, clause.verb)
    if span is None:
        if verb.lemma in words("objectless_habits") and clause.end - clause.verb <= 4:
            yield make(clause, "habit", (clause.verb, clause.verb + 1))
        return
    if span[1] - span[0] == 1 and ws[span[0]].tag == "JJ":
        # "keep quiet", "play dumb": how, not what.
        return
    if (
        verb.lemma in ("take", "have", "drink")
        and ws[span[0]].low == "my"
        and ws[min(span[0] + 1, len(ws) - 1)].low in words("foods")
    ):
        # "I take my tea black" is a preference.
        return
    predicate, span = predicate_of(clause, span)
    counted_time = any(w.low in TIME_NOUNS for w in ws[span[0] : span[1]]) and (ws[span[0]].tag == "CD" or "_" in predicate)
    if not counted_time and predicate not in ("run_on", "run_out", "act_up", "box_in", "host_for"):
        yield make(clause, predicate, span, confidence=0.7, cue="change" if clause.has("now") else None)


def _at_screen(clause: Clause) -> bool:
    """As in "I run the script", "I draw a blank": the object is something at the screen or in the talk."""
    span = object_after(clause, clause.verb + 1, loose=False)
    return span is not None and at_screen(noun := head(clause.words, *span).low) and noun != "people"


_NARRATED = frozenset({"first", "then", "next", "here", "step", "suddenly", "when", "once", "if", "please", "again"})


@rule(
    ("I bind books", "bind: books"),
    ("I make cider in the autumn", "make: cider"),
    ("I roast my own coffee beans", "roast: my own coffee beans"),
    ("my aunt gilds frames", "gild: frames"),
    fragments=False,
)
def open_habit(clause: Clause) -> Iterator[Draft]:
    """Any verb of doing in the simple present with a bare object: who says "I bind books" tells what they do as a rule.

    A definite or single object needs a sign of repetition, since "I open the file" tells of one time.
    """
    ws = clause.words
    verb = ws[clause.verb]
    lemma = verb.lemma
    if (
        not _habitual(clause)
        or clause.mark in ("that", "as", "if", "so", "after")
        or clause.aux
        or lemma in words("screen_verbs")
    ):
        return
    made = lemma == "make"
    if lemma in words("habit_verbs") or (lemma in words("no_relation_verbs") and not made) or lemma in words("opinion_verbs"):
        return
    if any(w.low in _NARRATED for w in ws[clause.start : clause.end]) or not _doer(clause):
        return
    i = clause.verb + 1
    while i < clause.end and (ws[i].pos == "ADV" or ws[i].low in ("mostly", "mainly", "only")) and not ws[i].time:
        i += 1
    end = phrase(ws, i, clause.end)
    if end == i or not _bare_object(clause, i, end):
        return
    if _told_as_story(clause) or (made and not _makes_something(clause, i, end)):
        return
    span = content_of(clause, clause.verb)
    if span:
        yield make(clause, lemma, (i, max(end, span[1])), confidence=0.65, cue="change" if clause.has("now") else None)


def _doer(clause: Clause) -> bool:
    """The speaker or a person: products have habits too ("React uses hooks")."""
    subject = clause.subject
    if subject.kind == "named":
        return subject.head >= 0 and clause.words[subject.head].ent == "PERSON"
    return subject.kind in ("user", "possessed")


def _bare_object(clause: Clause, start: int, end: int) -> bool:
    """A plural or mass noun without an article, or one's own; with an article only if the doing is repeated."""
    ws = clause.words
    noun = head(ws, start, end)
    if (
        at_screen(noun.low)
        or noun.low in words("abstract") | words("anaphora")
        or noun.tag
        not in (
            "NN",
            "NNS",
            "NNP",
            "NNPS",
        )
    ):
        return False
    if any(w.text.isupper() and len(w.text) > 1 for w in ws[start:end]):
        return False
    own = exact(clause, start, "my", "own") or exact(clause, start, "our", "own")
    determined = ws[start].tag in ("DT", "PRP$", "CD", "PDT")
    return own or not determined or (_marked(clause) and ws[start].low not in ("this", "that", "no", "some", "any"))


def _makes_something(clause: Clause, start: int, end: int) -> bool:
    """As in "make cider", "make my own soap": a thing, not "make sense", "make friends", "make sure"."""
    ws = clause.words
    noun = head(ws, start, end)
    return (
        noun.low not in words("made_up")
        and not any(w.tag in ("CD", "$") or any(c.isdigit() for c in w.text) for w in ws[start:end])
        and ws[start].tag != "DT"
        and not (end < clause.end and ws[end].tag == "VB")
    )


def _told_as_story(clause: Clause) -> bool:
    """As in "I open files and it crashes": what happens next is told right after it."""
    ws = clause.words
    k = clause.end
    if k < len(ws) and ws[k - 1].low == "and" and ws[k].low in ("it", "then", "nothing", "get", "the"):
        return True
    return k < len(ws) and ws[k].low == "and" and k + 1 < len(ws) and ws[k + 1].low in ("it", "then", "nothing", "get", "the")


_LIGHT = words("light_verbs")


def _marked(clause: Clause) -> bool:
    """Signs of a habit: always, usually, every ..., on Mondays, everywhere, mostly, with a plain object or means."""
    marks = words("habit_marks")
    return any(w.low in marks or (w.time and w.low.endswith("days")) for w in clause.words[clause.start : clause.end])


@rule(
    ("I've been learning Japanese for two years", "learn: Japanese"),
    ("I'm training for a regatta", "train_for: a regatta"),
    ("we are going through a bankruptcy", "go_through: a bankruptcy"),
    ("I'm taking guitar lessons", "take: guitar lessons"),
    ("currently learning Danish", "learn: Danish"),
    ("I'm writing a thesis on moss", "write: a thesis on moss"),
    anyone=False,
)
def ongoing(clause: Clause) -> Iterator[Draft]:
    """What is under way: learning, training for, writing, restoring, going through."""
    ws = clause.words
    verb = ws[clause.verb]
    if verb.tag != "VBG" or clause.negated or clause.past or not clause.speaker or clause.future:
        return
    listed = clause.start > 0 and clause.words[clause.start - 1].low == "," and verb.lemma == "learn"
    if not clause.aux and not (clause.subject.kind == "implied" and (listed or clause.has("currently", "still", "now"))):
        return
    lessons = verb.lemma in ("take", "do") and any(w.low in words("studies") | {"lessons"} for w in clause.rest)
    if verb.lemma not in words("ongoing_verbs") and not lessons:
        return
    span = content_of(clause, clause.verb)
    if not span or (ws[span[0]].low in ("this", "that", "the", "to") and verb.lemma in ("write", "build")):
        return
    if head(ws, *span).low in ("ton", "lot", "lots", "bit", "tons") or "lot" in {w.low for w in ws[span[0] : span[1]]}:
        return
    predicate, span = predicate_of(clause, span)
    if (verb.lemma == "go" and predicate != "go_through") or (
        verb.lemma in ("train", "recover", "prepare") and "_" not in predicate
    ):
        return
    if verb.lemma == "learn" and predicate != "learn":
        return
    short = object_after(clause, span[0], posts=frozenset({"of", "on"})) if verb.lemma in ("learn", "teach") else None
    yield make(clause, predicate, short or span, confidence=0.7)
