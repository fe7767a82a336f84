"""Rules about tastes: likes and dislikes, preferences and favourites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule, scope
from graphmem.extractors.english import Word
from graphmem.extractors.idioms import CAUSED, FELT, is_thing, said
from graphmem.extractors.lexicon import words
from graphmem.extractors.likings import POSTS, chosen, holds, liking, objects, preferred, rival_setting, shown, whole
from graphmem.extractors.phrases import Span, head, phrase


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
    if clause.future or not holds(clause) or any(a in ("'d", "would") for a in clause.aux):
        return
    found = liking(clause)
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
    if ws[i].low == "to" and i + 1 < clause.end and _said_politely(clause, i + 1):
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
    for span in objects(clause, i):
        if _pointed_at(clause, span) or shown(clause, span):
            continue
        if _no_object(ws, span):
            continue
        span = _with_relative(ws, span)
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


def _said_politely(clause: Clause, verb: int) -> bool:
    """As in "I hate to say it", "I hate to be a pain but": an apology for what comes, no taste."""
    ws = clause.words
    if ws[verb].lemma in words("apologetic_verbs"):
        return True
    after = ws[clause.end].low if clause.end < len(ws) else ""
    ahead = {w.low for w in ws[verb : clause.end + 1]} | {after}
    return clause.lemma in ("hate", "dislike") and ws[verb].lemma == "be" and bool(ahead & {"but", "however", "can", "could"})


def _stage(ws: list[Word], span: Span) -> bool:
    """As in "I'm into my third year", "into the second week": a time that has come."""
    return ws[span[0]].low in ("my", "our", "the") and any(w.low in words("time_nouns") for w in ws[span[0] : span[1]])


def _no_object(ws: list[Word], span: Span) -> bool:
    """The next verb ("I love tea and have a cat") and a doing that is only pointed at ("I love to do that")."""
    first = ws[span[0]]
    if span[1] - span[0] == 1 and (first.pos == "AUX" or first.low in ("have", "to")):
        return True
    return first.low == "to" and all(w.low in words("anaphora") | {"to", "do", "be"} for w in ws[span[0] : span[1]])


def _with_relative(ws: list[Word], span: Span) -> Span:
    """As in "people who are late": not all people."""
    if span[1] + 1 >= len(ws) or not (
        ws[span[1]].low == "who" or (ws[span[1]].low in ("that", "which") and ws[span[1] + 1].tag in ("VBP", "VBZ"))
    ):
        return span
    stop = next((w.i for w in ws[span[1] :] if w.low in (",", ".", "!", "but", "so", "because")), len(ws))
    return span[0], stop


def _pointed_at(clause: Clause, span: Span) -> bool:
    """Whether the object is what is at hand ("this", "the tone") and no kind of thing."""
    ws = clause.words
    if clause.lemma == "be" and exact(clause, clause.verb + 1, "into") and _stage(ws, span):
        return True
    first, last = ws[span[0]], head(ws, *span)
    if first.low in ("your", "this", "these", "those", "that"):
        return True
    if first.low == "the" and last.tag != "NNP" and not any(w.low in ("of", "being") for w in ws[span[0] : span[1]]):
        return True
    return last.low in words("anaphora") and span[1] - span[0] == 1


@rule(("I hate when people chew loudly", "dislikes: people chew loudly"), anyone=False)
def when_it_is(clause: Clause) -> Iterator[Draft]:
    """As in "I love it when it rains", "I hate when people shout"."""
    ws = clause.words
    liked = clause.lemma in words("tastes_positive")
    if not (liked or clause.lemma in words("tastes_negative")) or clause.past or clause.future or clause.perfect:
        return
    rest = [w.low for w in clause.rest if w.pos != "ADV"]
    start = clause.end
    if rest not in ([], ["it"]) or start >= len(ws) or ws[start].low != "when" or any(a in ("'d", "would") for a in clause.aux):
        return
    stop = next((w.i for w in ws[start:] if w.low in (",", "but", "so", "because") or w.text in "!;"), len(ws))
    predicate = "likes" if liked != clause.negated else "dislikes"
    if predicate == "likes" and any(w.lemma in words("troubles") or w.low in words("troubles") for w in ws[start:stop]):
        # "I love it when the lift breaks down" is hardly ever meant.
        return
    if stop - start >= 3 and not any(w.low in ("you", "your", "i", "that", "this") for w in ws[start:stop]):
        yield make(clause, predicate, (start + 1, stop), kind="preference", polarity="positive", temporal="current")


@rule(("my preference is for night trains", "prefers: night trains"), anyone=False, fragments=False)
def stated_preference(clause: Clause) -> Iterator[Draft]:
    """As in "my preference is for X"."""
    ws = clause.words
    if clause.lemma != "be" or clause.negated or clause.past or clause.subject.kind != "possessed":
        return
    if ws[clause.subject.head].low not in ("preference", "preferences"):
        return
    start = clause.verb + 1 + (clause.rest[:1] != [] and clause.rest[0].low == "for")
    span = object_after(clause, start)
    if span and not shown(clause, span) and ws[span[0]].low not in words("anaphora"):
        yield make(
            clause, "prefers", span, kind="preference", subject="user", context=scope(clause, span[1]), temporal="current"
        )


@rule(
    ("Loud chewing drives me up the wall", "dislikes: Loud chewing"),
    ("horror films aren't my thing", "dislikes: horror films"),
    ("garlic makes me happy", "likes: garlic"),
    ("bitter chocolate is a no-go for me", "dislikes: bitter chocolate"),
    ("nothing beats a cold swim", "likes: a cold swim"),
    ("Whiteboards work best for me", "prefers: Whiteboards"),
    ("mountains beat beaches any day", "prefers: mountains"),
    anyone=False,
    fragments=False,
)
def feeling(clause: Clause) -> Iterator[Draft]:
    """What a thing does to the speaker: it makes one happy, gets on one's nerves, suits one best."""
    ws = clause.words
    if clause.subject.text.lower() in ("nothing", "nobody") and clause.lemma in ("beat", "top") and not clause.past:
        span = object_after(clause, clause.verb + 1, posts=POSTS)
        if span and ws[span[0]].low not in words("anaphora") | {"the"}:
            yield make(clause, "likes", span, kind="preference", subject="user", polarity="positive", temporal="current")
        return
    if not is_thing(clause):
        return
    thing = bare(ws, (clause.subject.start, whole(clause)))
    fields: dict[str, Any] = {"kind": "preference", "subject": "user", "polarity": "positive", "temporal": "current"}
    found = said(clause, CAUSED)
    if found:
        yield make(clause, found.predicate, thing, context=scope(clause, found.after), **fields)
    elif clause.lemma in ("beat", "trump") and not clause.negated and (setting := rival_setting(clause)) is not None:
        rival = object_after(clause, clause.verb + 1)
        if rival and ws[rival[0]].low not in words("anaphora"):
            details = {"over": clause.text(*rival)}
            yield make(clause, "prefers", thing, context=setting or None, details=details, **fields)


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
    elif chosen(clause):
        i = clause.verb + 1 + (clause.rest[0].low in ("for", "with"))
    elif rather:
        i = clause.verb + 1 if lemma in words("rather_verbs") else clause.verb
    elif (
        lemma in ("want", "like", "need") and clause.before and clause.before[0].low == "for" and clause.subject.kind == "user"
    ):
        i = clause.verb + 1
    else:
        return
    if i < clause.end and (ws[i].low == "if" or (rather and ws[i].lemma in words("drastic_verbs"))):
        # "I'd rather stick a fork in my eye than go": what is not wanted stands after "than", and nothing is preferred.
        return
    for start, end in preferred(clause, i):
        if start >= end:
            continue
        if (ws[start].low in words("anaphora") and (end - start == 1 or ws[start].low != "one")) or shown(clause, (start, end)):
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


_ASKING = frozenset({"how", "that", "what", "when", "where", "whether", "if", "why", "because"})


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
        about = {w.low for w in ws[at + 1 : clause.group]}
        if (
            about & {"this", "these", "that", "those", "your", "about"}
            or ws[min(clause.verb + 1, clause.end - 1)].low in _ASKING
        ):
            # "my favourite thing about this plan is how short it is": of what is at hand.
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
