"""Rules about tastes: likes and dislikes, preferences and favourites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, make, object_after, preposition, rule, scope
from graphmem.extractors.idioms import CAUSED, FELT, is_thing, said
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items, phrase

_POSTS = frozenset({"of", "with", "from", "without"})
_COMES_TO = re.compile(r"\b(?P<setting>(?:when|if) it comes to [\w' -]+|as far as [\w' -]+? goes?)\s*(?:,|$)", re.IGNORECASE)
_ANY_DAY = re.compile(r"\b(?:for me|any ?day|any time|every time|hands down|in my book|if you ask me)\b", re.IGNORECASE)


def _liking(clause: Clause) -> tuple[str, int] | None:
    """The relation that the verb expresses, and where its object begins."""
    ws = clause.words
    lemma = clause.lemma
    low = ws[clause.verb].low
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


@rule(
    ("I love sailing, especially in May", "likes: sailing"),
    ("can't stand olives", "dislikes: olives"),
    ("I hate phone calls", "dislikes: phone calls"),
    ("my brother is into chess problems", "likes: chess problems"),
    ("I don't like being called dude", "dislikes: being called dude"),
    ("my colleague Ola loves techno", "likes: techno"),
    ("I like my coffee black", "likes: my coffee black"),
)
def taste(clause: Clause) -> Iterator[Draft]:
    """Liking and disliking a kind of thing; "I love it" about what is at hand is no taste."""
    if clause.future or not _holds(clause) or any(a in ("'d", "would") for a in clause.aux):
        return
    found = _liking(clause)
    if not found:
        return
    predicate, i = found
    ws = clause.words
    while i < clause.end and ws[i].pos == "ADV" and ws[i].low not in ("here", "there"):
        i += 1
    if i >= clause.end or (
        ws[i].low in words("anaphora") | {"how", "what", "to", "when", "your", "me", "that", "where"}
        and ws[i].low not in ("to", "anything")
    ):
        return
    if clause.subject.kind == "implied" and ws[i].low in ("the", "your", "how", "this", "that"):
        return
    if (
        (ws[i].low == "to" and i + 1 >= clause.end)
        or (ws[i].pos == "AUX" and ws[i].tag != "VBG")
        or (ws[i].low == "to" and ws[i + 1].is_mark)
    ):
        return
    if ws[i].low == "being" and predicate == "likes" and i + 1 < clause.end and ws[i + 1].tag in ("VBN", "VBD"):
        # "I love being ignored" is hardly ever meant.
        return
    if any(w.low == "than" for w in clause.rest) and clause.has("better", "more"):
        # "I like tea better than coffee" is a preference.
        return
    for span in _objects(clause, i):
        if ws[span[0]].low in ("your", "this", "these", "those", "that"):
            continue
        if ws[span[0]].low == "the" and head(ws, *span).tag != "NNP" and not any(w.low == "of" for w in ws[span[0] : span[1]]):
            continue
        if head(ws, *span).low in words("anaphora") and not span[1] - span[0] > 1:
            continue
        if clause.lemma == "do" and head(ws, *span).low in words("foods") | words("no_thing") | words("abstract"):
            # "I don't do dairy" is a diet.
            continue
        yield make(
            clause,
            predicate,
            span,
            kind="preference",
            polarity="positive",
            temporal="ended" if clause.used_to else "current",
            context=scope(clause, span[1]),
            cue="change" if clause.lemma == "go" else None,
            importance=0.5,
        )


def _holds(clause: Clause) -> bool:
    """A perfect tells a taste of now only with "always", "never" or "gone off"."""
    if not clause.perfect:
        return not (clause.past and not clause.used_to)
    return any(a in ("always", "never", "long") for a in clause.adverbs) or clause.lemma == "go"


@rule(
    ("Loud chewing drives me up the wall", "dislikes: Loud chewing"),
    ("horror films aren't my thing", "dislikes: horror films"),
    ("garlic makes me happy", "likes: garlic"),
    ("bitter chocolate is a no-go for me", "dislikes: bitter chocolate"),
    ("nothing beats a cold swim", "likes: a cold swim"),
    ("Whiteboards work best for me", "prefers: Whiteboards"),
    ("for long trips mountains beat beaches", "prefers: mountains"),
    anyone=False,
    fragments=False,
)
def feeling(clause: Clause) -> Iterator[Draft]:
    """What a thing does to the speaker: it makes one happy, gets on one's nerves, suits one best."""
    ws = clause.words
    if clause.subject.text.lower() in ("nothing", "nobody") and clause.lemma in ("beat", "top") and not clause.past:
        span = object_after(clause, clause.verb + 1, posts=_POSTS)
        if span and ws[span[0]].low not in words("anaphora") | {"the"}:
            yield make(clause, "likes", span, kind="preference", subject="user", polarity="positive", temporal="current")
        return
    if not is_thing(clause):
        return
    thing = bare(ws, (clause.subject.start, _whole(clause)))
    fields: dict[str, Any] = {"kind": "preference", "subject": "user", "polarity": "positive", "temporal": "current"}
    found = said(clause, CAUSED)
    if found:
        yield make(clause, found.predicate, thing, context=scope(clause, found.after), **fields)
    elif clause.lemma in ("beat", "trump") and not clause.negated and (setting := _setting(clause)) is not None:
        rival = object_after(clause, clause.verb + 1)
        if rival and ws[rival[0]].low not in words("anaphora"):
            details = {"over": clause.text(*rival)}
            yield make(clause, "prefers", thing, context=setting or None, details=details, **fields)


def _whole(clause: Clause) -> int:
    """Where the subject ends with what hangs on it: "the smell of paint", "people in costumes"."""
    end = clause.subject.end
    return clause.group if end < clause.group and clause.words[end].tag == "IN" else end


def _setting(clause: Clause) -> str | None:
    """Where one thing beats another for the speaker; empty if everywhere, None if it is no matter of taste."""
    text = clause.sentence.text
    found = _COMES_TO.search(text)
    if found:
        return found.group("setting")
    own = scope(clause, clause.end)
    return own or ("" if _ANY_DAY.search(text) else None)


def _objects(clause: Clause, i: int) -> Iterator[Span]:
    """A list of phrases, or one whole verb phrase ("being called X", "to cook for friends", "my coffee black")."""
    ws = clause.words
    if ws[i].low == "to" or (
        ws[i].tag == "VBG" and not (i + 1 < clause.end and ws[i + 1].low in (",", "and", "or", "in", "on", "especially"))
    ):
        end = i + 1
        while end < clause.end and ws[end].low not in (",", ".", "!", "but", "so", "because") and not ws[end].time:
            end += 1
        yield i, end
        return
    if ws[i].low in ("anything", "everything"):
        end = i + 1
        if end + 1 < clause.end and ws[end].low in ("with", "from", "by", "about"):
            span = object_after(clause, end + 1)
            if span:
                yield (span if ws[end].low == "with" else (i, span[1]))
        return
    found = list(items(ws, i, clause.end, posts=_POSTS, loose=True))
    if len(found) == 1 and ws[i].low in ("my", "our"):
        end = found[0][1]
        if end < clause.end and ws[end].tag in ("JJ", "RB", "VBN", "NN", "VBP", "VB"):
            yield i, end + 1
            return
    if len(found) == 1 and found[0][1] < clause.end and ws[found[0][0]].tag == "VBG":
        yield found[0]
        return
    yield from found


@rule(("I find spreadsheets tedious", "dislikes: spreadsheets"), ("I find knitting relaxing", "likes: knitting"), anyone=False)
def finding(clause: Clause) -> Iterator[Draft]:
    """As in "I find X boring": a taste by its adjective."""
    if clause.lemma != "find" or clause.past or clause.negated or clause.future:
        return
    ws = clause.words
    for w in clause.rest[1:]:
        if w.low in words("unpleasant") or w.low in words("pleasant"):
            start = clause.verb + 1
            stop = w.i
            while stop > start and ws[stop - 1].pos == "ADV":
                stop -= 1
            if stop > start and ws[start].low not in words("anaphora") | {"the", "your"}:
                predicate = "dislikes" if w.low in words("unpleasant") else "likes"
                yield make(clause, predicate, (start, stop), kind="preference", polarity="positive", temporal="current")
            return


@rule(
    ("I prefer rye over wheat", "prefers: rye"),
    ("at sea I prefer boots", "prefers: boots"),
    ("I'd rather have plain tables", "prefers: plain tables"),
    ("for invoices I'd rather get a letter", "prefers: a letter"),
    ("for slides I want big letters", "prefers: big letters"),
    ("I'd sooner walk than drive", "prefers: walk"),
    ("I like rye better than wheat", "prefers: rye"),
    ("I tend to gravitate towards quiet cafés", "prefers: quiet cafés"),
)
def preference(clause: Clause) -> Iterator[Draft]:
    """Preferring; "I want X" counts where a setting is named before it ("for slides I want big letters")."""
    ws = clause.words
    lemma = clause.lemma
    rather = any(a in ("rather", "sooner") for a in clause.adverbs) and any(a in ("'d", "would") for a in clause.aux)
    idiom = said(clause, FELT)
    if lemma == "prefer" and not clause.past:
        i = clause.verb + 1
    elif idiom and idiom.predicate == "prefers" and clause.speaker and not clause.past:
        i = idiom.after
    elif _chosen(clause):
        i = clause.verb + 1 + (clause.rest[0].low in ("for", "with"))
    elif rather:
        i = clause.verb + 1 if lemma in words("rather_verbs") else clause.verb
    elif (
        lemma in ("want", "like", "need") and clause.before and clause.before[0].low == "for" and clause.subject.kind == "user"
    ):
        i = clause.verb + 1
    else:
        return
    if i < clause.end and ws[i].low == "if":
        return
    for start, end in _preferred(clause, i):
        if ws[start].low in words("anaphora"):
            continue
        while end > start + 1 and ws[end - 1].low in ("better", "more"):
            end -= 1
        rival = preposition(clause, "over", "to", "than", start=end) if end < clause.end else None
        other = object_after(clause, rival) if rival else None
        yield make(
            clause,
            "prefers",
            (start, end),
            kind="preference",
            polarity="negative" if clause.negated else "positive",
            temporal="ended" if clause.used_to else "current",
            context=scope(clause, end),
            replaces=None,
            details={"over": clause.text(*other)} if other else {},
            cue="change" if clause.has("now", "nowadays") else None,
        )
    yield from _second_setting(clause)


def _chosen(clause: Clause) -> bool:
    """As in "I like tea better than coffee", "I'll take rain over heat any day", "I pick trains over planes"."""
    if not clause.rest or clause.negated or clause.past or not clause.speaker or clause.rest[0].low in words("anaphora"):
        return False
    lows = [w.low for w in clause.rest]
    if clause.lemma in ("like", "love", "enjoy"):
        return "than" in lows and any(low in ("better", "more") for low in lows)
    if clause.lemma in ("take", "choose", "pick", "go", "opt", "have"):
        return "over" in lows[1:5] and (clause.lemma in ("choose", "pick") or bool(_ANY_DAY.search(clause.sentence.text)))
    return False


def _preferred(clause: Clause, i: int) -> Iterator[Span]:
    ws = clause.words
    if i >= clause.end:
        return
    if ws[i].low == "to" or (i == clause.verb) or ws[i].tag == "VBG":
        end = i + 1
        while end < clause.end and ws[end].low not in (",", ".", "than", "over", "but", "so", "because", "when"):
            end += 1
        yield (i + 1 if ws[i].low == "to" else i), end
        return
    end = phrase(ws, i, clause.end, loose=True, posts=frozenset({"of"}))
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


def _second_setting(clause: Clause) -> Iterator[Draft]:
    """As in "for slides I want big letters, for handouts small print": the verb is left out the second time."""
    if not (clause.before and clause.before[0].low == "for"):
        return
    ws = clause.words
    for i in range(clause.verb + 1, clause.end - 2):
        if ws[i].low == "," and ws[i + 1].low == "for":
            setting = i + 3  # one word of setting: longer ones cannot be told from the object
            end = phrase(ws, setting, clause.end, loose=True)
            if end > setting:
                yield make(
                    clause,
                    "prefers",
                    (setting, end),
                    kind="preference",
                    polarity="positive",
                    context=clause.text(i + 1, setting),
                )


@rule(
    ("my favourite band is Low", "favourite: Low"),
    ("favourite colour is teal", "favourite: teal"),
    ("our all-time favourite board game is Azul", "favourite: Azul"),
    ("my go-to spice is sumac", "favourite: sumac"),
    ("Pedri is my favourite footballer", "favourite: Pedri"),
)
def favourite(clause: Clause) -> Iterator[Draft]:
    """As in "my favourite X is Y": Y is the object, X the context."""
    if clause.lemma not in ("be", "remain") or clause.negated:
        return
    ws = clause.words
    lows = [w.low for w in ws[clause.start : clause.group]]
    marks = words("favourite_adjectives") | {"go-to"}
    if any(low in marks for low in lows):
        at = next(w.i for w in ws[clause.start : clause.group] if w.low in marks)
        before = ws[at - 1].low if at > clause.start else "my"
        if before not in ("my", "our", "time", "all-time", ",", "and", "current", "new", "absolute") and at != clause.start:
            return
        category = clause.text(at + 1, clause.group)
        if not category or category.lower() in ("thing", "part", "one", "things"):
            return
        end = clause.verb + 1
        hedge = False
        while end < clause.end and (
            ws[end].low not in (",", ".", "!", "but", "and", "because", "so", "though", "now", "these", "by")
            and not ws[end].time
        ):
            hedge = hedge or ws[end].low in ("probably", "maybe", "perhaps")
            end += 1
        if end > clause.verb + 1 and not hedge and ws[clause.verb + 1].low not in words("anaphora") | {"when"}:
            start = clause.verb + 1
            while start < end - 1 and ws[start].low in ("still", "definitely", "now", "actually", "always", "currently"):
                start += 1
            yield make(
                clause,
                "favourite",
                (start, end),
                kind="preference",
                subject="user",
                polarity="positive",
                context=category,
                temporal="past" if clause.past else "current",
                cue="change" if clause.has("now", "nowadays", "new") else None,
                importance=0.6,
            )
        return
    found = [w for w in clause.rest if w.low in marks and w.i > 0 and ws[w.i - 1].low in ("my", "time", "absolute")]
    if found and clause.subject.start >= 0 and clause.subject.kind in ("named", "other"):
        end = phrase(ws, found[0].i + 1, clause.end)
        span = bare(ws, (clause.subject.start, clause.subject.end))
        if end > found[0].i + 1:
            yield make(
                clause,
                "favourite",
                span,
                kind="preference",
                subject="user",
                polarity="positive",
                context=clause.text(found[0].i + 1, end),
            )
