"""Rules about doing: plans, habits in open words, events, and habits that have ended.

Invariant: an open relation is made only of listed verbs of doing with words of their own after them; what somebody thinks,
says or clicks right now makes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, exact, make, object_after, preposition, rule
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import TIME_NOUNS, Span, head, is_time

_NO_PLAN = frozenset({
    "know", "talk", "say", "ask", "see", "try", "be", "understand", "tell", "check", "make", "hear", "discuss", "mention", "think",
    "believe", "sleep", "bed", "look", "find", "use", "go", "do", "thank", "start", "keep", "stay", "share", "help", "need", "have", "get",
    "give", "let", "put", "show", "call", "miss", "love", "like", "feel", "continue", "apologise", "apologize", "cry", "die", "kill",
    "figure", "avoid", "support", "take", "send", "hang", "catch", "chat", "sound",
})  # fmt: skip


def verb_phrase(clause: Clause, i: int, *, stop_at: tuple[str, ...] = (",", ".", "!", "but", "so", "because", ";", ":")) -> Span | None:
    """From a verb to where its words end: before a time expression, a mark or a joining word."""
    ws = clause.words
    end = i + 1
    while end < clause.end and ws[end].low not in stop_at and not ws[end].foreign:
        if is_time(ws, end) and ws[end].low not in ("so", "then", "together", "alone", "there", "here", "again"):
            # "in August": the preposition goes with the time, not with the phrase.
            if ws[end - 1].low in ("in", "on", "at", "by", "before", "until", "since", "for", "from", "after", "during", "till", "this", "the") and end - 1 > i:
                end -= 1
            break
        if ws[end].low == "and" and end + 1 < clause.end and ws[end + 1].pos in ("PRON", "ADV") and ws[end + 1].low not in ("my", "her"):
            break
        end += 1
    while end > i + 1 and ws[end - 1].low in ("in", "on", "at", "by", "and", "the", "for", "to", "of", "from", "this", "since", "before", "over", "with", "or", "until", "not", "also", "a"):
        end -= 1
    return (i, end) if end > i else None


@rule(
    ("I'm planning to run a marathon in May", "wants: run a marathon"), ("we want to build a sauna", "wants: build a sauna"),
    ("I'm going to apply for citizenship next year", "wants: apply for citizenship"), ("We're moving to Malaga in September", "wants: moving to Malaga"),
    ("this year I'm aiming for a black belt in judo", "wants: a black belt in judo"),
    anyone=False,
)  # fmt: skip
def plan(clause: Clause) -> Iterator[Draft]:
    """Plans and wishes with a will: planning, wanting, going to, aiming for, moving soon."""
    ws = clause.words
    lemma = clause.lemma
    if clause.negated or clause.past or clause.passive or clause.used_to or clause.perfect and lemma not in ("decide",):
        return
    if clause.subject.kind == "implied" and clause.tag not in ("VBG", "VBD"):
        return
    span: Span | None = None
    to = clause.verb + 1 < clause.end and ws[clause.verb + 1].low == "to"
    if lemma in ("plan", "want", "intend", "aim", "hope") and to and clause.verb + 2 < clause.end and lemma != "hope":
        inner = ws[clause.verb + 2]
        if inner.lemma in _NO_PLAN or lemma == "want" and inner.tag != "VB":
            return
        span = verb_phrase(clause, clause.verb + 2)
    elif lemma in ("plan", "aim", "save", "train", "prepare") and lemma != "train" and (spot := preposition(clause, "on", "for")):
        if lemma in ("save", "prepare"):
            return
        span = object_after(clause, spot, posts=frozenset({"of", "in"}))
        if span and ws[span[0]].tag == "VBG":
            span = verb_phrase(clause, span[0])
        if span and head(ws, *span).low in words("anaphora"):
            return
    elif clause.future and any(a in ("'m", "am", "are", "'re") or a in ("going", "gonna") for a in clause.lows) and (clause.has("going") or clause.has("gonna")):
        if ws[clause.verb].lemma in _NO_PLAN and not any(w.time for w in clause.rest):
            return
        if clause.verb + 1 >= clause.end:
            return
        span = verb_phrase(clause, clause.verb)
    elif any(a in ("will", "'ll") for a in clause.aux) and any(w.time for w in clause.before) and ws[clause.verb].lemma not in _NO_PLAN:
        span = verb_phrase(clause, clause.verb)
    elif clause.progressive and clause.aux and lemma in ("meet", "present", "expect", "move", "start", "travel", "fly", "visit", "marry", "leave", "go", "get", "launch", "open", "run", "host", "relocate", "retire", "join", "emigrate") and any(w.time for w in clause.rest):
        if any(w.low in ("every", "daily", "each") for w in clause.rest):
            return
        span = verb_phrase(clause, clause.verb)
    if span and (span[1] - span[0] > 1 or lemma == "want"):
        if ws[span[0]].low in words("anaphora"):
            return
        yield make(clause, "wants", span, modality="intended", temporal="future", importance=0.6)


def _content(clause: Clause, verb: int) -> Span | None:
    """The words after the verb that say what is done; None if they only point ("it", "that")."""
    ws = clause.words
    i = verb + 1
    while i < clause.end and (ws[i].pos == "ADV" or ws[i].low in ("up", "out")) and not ws[i].time:
        i += 1
    span = verb_phrase(clause, verb)
    if span is None or span[1] <= verb + 1:
        return None
    first = ws[min(i, span[1] - 1)]
    if first.low in words("anaphora") and first.tag != "PRP$":
        return None
    return verb + 1, span[1]


def predicate_of(clause: Clause, span: Span) -> tuple[str, Span]:
    """Verb lemma, joined with a preposition that follows it: ("commute_by", the words after "by")."""
    ws = clause.words
    first = ws[span[0]]
    verb = ws[clause.verb].lemma
    if first.tag in ("IN", "RP", "TO") and span[1] > span[0] + 1 and first.low.isalpha():
        return f"{verb}_{first.low}", (span[0] + 1, span[1])
    return verb, span


@rule(
    ("I commute by ferry", "commute_by: ferry"), ("I play squash on Mondays", "play: squash"), ("I sing in a choir on Wednesdays", "sing_in: a choir"),
    ("I keep bees on the roof", "keep: bees on the roof"), ("my daughter Ida plays ice hockey", "play: ice hockey"),
    ("I grow chillies on the balcony", "grow: chillies on the balcony"), ("my husband snores", "habit: snores"), ("I coach her team", "coach: her team"),
    ("I paint watercolours when it's quiet", "paint: watercolours"), ("I start every day with coffee", "start_day_with: coffee"),
    fragments=False,
)  # fmt: skip
def habit(clause: Clause) -> Iterator[Draft]:
    """What somebody does as a rule: simple present of a verb of doing, with its object."""
    ws = clause.words
    verb = ws[clause.verb]
    if clause.negated or clause.past or clause.passive or clause.future or clause.used_to or clause.mark in ("before", "until", "when", "once") or clause.aux and clause.aux[0] not in ("do", "does"):
        return
    if ws[clause.verb - 1].low == "to":
        return
    if verb.tag not in ("VBP", "VBZ") and not (verb.tag in ("NN", "NNS", "NNP", "VB", "JJ") and clause.subject.kind in ("user", "possessed")):
        return
    if clause.lemma in ("start", "begin") and clause.has("day", "morning", "mornings") and (spot := preposition(clause, "with")):
        span = object_after(clause, spot)
        if span:
            yield make(clause, "start_day_with", span, timed=False, cue="change" if clause.has("now") else None)
        return
    if verb.lemma == "keep" and clause.rest[:1] and clause.rest[0].tag == "VBG":
        return
    if verb.lemma in ("go", "do") and clause.rest and _marked(clause) and not clause.rest[0].time:
        first = clause.rest[0]
        if verb.lemma == "go" and first.tag == "VBG" or verb.lemma == "do" and first.tag in ("NN", "NNP", "VBG") and first.low not in words("abstract"):
            yield make(clause, verb.lemma, (first.i, first.i + 1), confidence=0.7)
        return
    if verb.lemma == "take" and len(clause.rest) >= 2 and clause.rest[1].low in ("bus", "tram", "train", "metro", "ferry", "subway", "underground", "tube", "bike", "car"):
        span = _content(clause, clause.verb)
        if span and (_marked(clause) or clause.has("to")):
            yield make(clause, "take", span, confidence=0.7)
        return
    if verb.lemma not in words("habit_verbs") or verb.lemma in ("have", "do", "get", "go") or verb.lemma in _LIGHT and not _marked(clause):
        return
    if clause.subject.kind == "other" or verb.lemma in ("lead", "drive", "run", "box", "act", "lift", "stretch", "do", "have", "get", "go") and not _content(clause, clause.verb):
        return
    span = _content(clause, clause.verb)
    repeated = next((w for w in clause.rest if w.low == "every" or (w.time and w.low in ("daily", "weekly"))), None)
    if span is None and repeated and clause.rest[0].low in ("her", "him", "them") and verb.lemma in ("visit", "coach", "teach", "tutor"):
        # The person is not repeated, so the whole doing is kept in its words.
        end = max(w.i for w in clause.rest if w.time or w.i <= repeated.i + 1) + 1
        yield make(clause, "habit", (clause.verb, end))
        return
    if span is None:
        if verb.lemma in ("vape", "smoke", "snore", "homeschool", "meditate", "stutter", "stammer", "sleepwalk", "swim", "knit", "garden", "podcast", "blog", "busk", "crochet", "jog", "ski", "paint") and clause.end - clause.verb <= 4:
            yield make(clause, "habit", (clause.verb, clause.verb + 1))
        return
    predicate, span = predicate_of(clause, span)
    if any(w.low in TIME_NOUNS for w in ws[span[0] : span[1]]) and ws[span[0]].tag == "CD":
        return
    if predicate in ("run_on", "run_out", "act_up", "drive_me", "box_in", "host_for"):
        return
    yield make(clause, predicate, span, confidence=0.7, cue="change" if clause.has("now") else None)


_LIGHT = frozenset({"start", "eat", "wake", "work", "read", "watch", "drive", "visit", "take", "wear", "cook", "drink", "see"})


def _marked(clause: Clause) -> bool:
    """Signs of a habit: always, usually, every ..., on Mondays, everywhere, mostly, with a plain object or means."""
    marks = {"always", "usually", "often", "every", "everywhere", "mostly", "daily", "weekly", "twice", "mornings", "evenings", "regularly", "weekends", "still", "with", "after", "by"}
    return any(w.low in marks or (w.time and w.low.endswith("days")) for w in clause.words[clause.start : clause.end])


@rule(
    ("I've been learning Japanese for two years", "learn: Japanese"), ("I'm training for a triathlon", "train_for: a triathlon"), ("I'm going through a divorce", "go_through: a divorce"),
    ("I'm writing a thesis on moss", "write: a thesis on moss"),
    anyone=False,
)  # fmt: skip
def ongoing(clause: Clause) -> Iterator[Draft]:
    """What is under way: learning, training for, writing, restoring, going through."""
    ws = clause.words
    verb = ws[clause.verb]
    if verb.tag != "VBG" or clause.negated or clause.past or not clause.aux or not clause.speaker or clause.future:
        return
    if verb.lemma not in ("learn", "train", "study", "write", "restore", "renovate", "build", "raise", "recover", "go", "teach", "foster", "homeschool", "rehearse", "play", "collect", "rebuild", "volunteer", "prepare", "expect"):
        return
    span = _content(clause, clause.verb)
    if not span or ws[span[0]].low in ("this", "that", "the", "to") and verb.lemma in ("write", "build"):
        return
    if head(ws, *span).low in ("ton", "lot", "lots", "bit", "tons") or "lot" in {w.low for w in ws[span[0] : span[1]]}:
        return
    predicate, span = predicate_of(clause, span)
    if verb.lemma == "go" and predicate != "go_through" or verb.lemma in ("train", "recover", "prepare") and "_" not in predicate:
        return
    if verb.lemma == "learn" and predicate != "learn":
        return
    short = object_after(clause, span[0], posts=frozenset({"of", "on"})) if verb.lemma in ("learn", "teach") else None
    yield make(clause, predicate, short or span, confidence=0.7)


@rule(
    ("I quit smoking two years ago", "habit: smoking"), ("I used to smoke", "habit: smoke"), ("I used to be a smoker", "habit: smoker"),
    ("back when I still played handball", "habit: played handball"), ("we used to keep rabbits", "habit: keep rabbits"),
)  # fmt: skip
def ended_habit(clause: Clause) -> Iterator[Draft]:
    """Habits that have stopped: quit, gave up, used to."""
    ws = clause.words
    if clause.used_to:
        if clause.lemma == "be":
            span = object_after(clause, clause.verb + 1, loose=False)
            if span and ws[span[0]].low in ("a", "an") and ws[span[1] - 1].tag in ("NN", "NNP"):
                yield make(clause, "habit", (span[0] + 1, span[1]), temporal="ended")
            return
        if clause.lemma in ("live", "work", "have", "own", "use", "think", "love", "like", "hate", "know", "believe", "say", "call", "want", "drive", "study", "go", "do"):
            return
        span = verb_phrase(clause, clause.verb)
        if span and not any(w.low in ("it", "that", "this") for w in ws[span[0] : span[1]]):
            yield make(clause, "habit", span, temporal="ended")
        return
    if clause.negated and (clause.has("anymore", "longer") or any(exact(clause, w.i, "any", "more") for w in clause.rest)) and ws[clause.verb].lemma in words("habit_verbs") and clause.lemma not in ("eat", "drink", "work"):
        span = verb_phrase(clause, clause.verb)
        if span and not any(w.low in words("anaphora") for w in ws[span[0] : span[1]]):
            end = span[1] - (ws[span[1] - 1].low in ("anymore", "any", "more"))
            yield make(clause, "habit", (span[0], max(end, span[0] + 1)), temporal="ended", polarity="positive", cue="change")
        return
    if clause.lemma in ("quit", "stop") and not clause.future and not clause.negated and clause.rest[:1]:
        nxt = clause.rest[0]
        if (nxt.tag == "VBG" or nxt.low.endswith("ing")) and nxt.low != "using" and (clause.past or clause.perfect or clause.tag in ("VBD", "VBP", "VBN")) and clause.subject.kind != "you":
            span = verb_phrase(clause, nxt.i)
            if span and nxt.low in ("eating", "drinking") and span[1] == span[0] + 2 and ws[span[0] + 1].low in words("foods"):
                yield make(clause, "diet", (span[0] + 1, span[1]), temporal="ended", until=True, cue="change")
                return
            if span and not any(w.low in words("anaphora") for w in ws[span[0] : span[1]]):
                yield make(clause, "habit", span, temporal="ended", until=True, cue="change")
    elif clause.lemma == "give" and clause.past and not clause.negated and clause.rest[:1] and clause.rest[0].low == "up":
        span = verb_phrase(clause, clause.verb + 2) if clause.verb + 2 < clause.end else None
        if span and ws[span[0]].low not in words("anaphora") | {"on", "trying", "hope", "the", "and"}:
            yield make(clause, "diet" if ws[span[0]].low in words("foods") else "habit", span, temporal="ended", until=True, cue="change")
    elif clause.past and clause.has("still") and (clause.mark == "when" or clause.has("when")) and ws[clause.verb].lemma in words("habit_verbs"):
        span = verb_phrase(clause, clause.verb)
        if span:
            yield make(clause, "habit", span, temporal="ended")


_DEEDS = words("milestones")
_UNTIMED = words("milestones_untimed")
_DECISIONS = frozenset({"decide", "agree", "choose", "pick", "settle", "opt"})


@rule(
    ("we decided yesterday to drop Jenkins", "episode: to drop Jenkins"), ("I fell off a ladder in March", "episode: fell off a ladder"),
    ("they refused the loan", "episode: refused the loan"), ("I passed the exam", "episode: passed the exam"), ("We hired Olga on Monday", "episode: hired Olga"),
    ("Had the interview at Nokia this morning", "episode: the interview at Nokia"), ("just got back from two weeks in Peru", "episode: two weeks in Peru"),
    ("my manager approved my leave", "episode: approved my leave"), ("our offer on the house got accepted today", "episode: offer on the house got accepted"),
)  # fmt: skip
def event(clause: Clause) -> Iterator[Draft]:
    """Something that happened: a past deed with a time, or a milestone without one."""
    ws = clause.words
    lemma = clause.lemma
    if lemma == "be" and clause.past and clause.subject.start >= 0 and ws[clause.subject.head].low in ("fix", "solution", "workaround", "culprit", "cause", "trick"):
        if clause.rest[:1] and (clause.rest[0].low == "to" or clause.rest[0].tag in ("DT", "NN", "VBG")) and len(clause.rest) >= 2:
            yield make(clause, "episode", (clause.verb + 1, clause.end), kind="episode", subject="user", temporal="past", details={"type": "solution"})
        return
    happened = clause.past or clause.tag in ("VBD", "VBN") and not clause.aux or clause.passive and any(a in ("was", "were", "got") for a in clause.aux)
    if not happened or clause.negated or clause.used_to or clause.perfect or lemma in ("be", "use"):
        return
    subject = clause.subject
    if subject.kind in ("you", "relative", "named") or subject.kind == "other" and not _ours(clause):
        return
    timed = any(w.time for w in ws[clause.start : clause.end])
    if subject.kind == "pronoun" and not (subject.text.lower() == "they" and lemma in _DEEDS):
        return
    if lemma not in _UNTIMED | _DECISIONS and not (lemma == "let" and clause.has("go")) and not (lemma in ("get", "come", "return") and clause.has("back") and clause.has("from")) and not (timed and subject.kind in ("user", "implied")):
        return
    yield from _event(clause, lemma, timed)


def _ours(clause: Clause) -> bool:
    """ "the meeting" is nobody's; "our offer" (with words between "our" and its head) is ours."""
    s = clause.subject
    return s.start >= 0 and any(w.low in ("our", "my") for w in clause.words[clause.start : s.end])


def _event(clause: Clause, lemma: str, timed: bool) -> Iterator[Draft]:
    ws = clause.words
    kind = {"kind": "episode", "temporal": "past"}
    if lemma in _DECISIONS:
        inner = next((w for w in clause.rest if w.low in ("to", "on", "that") or w.tag == "VBG"), None)
        end = clause.end
        start = inner.i if inner else clause.verb + 1
        if clause.rest and (inner is None or not any(w.time for w in ws[clause.verb + 1 : start])) and lemma in ("choose", "pick"):
            start = clause.verb + 1
        if lemma == "agree" and inner is None:
            return
        while end > start and ws[end - 1].pos == "PUNCT":
            end -= 1
        if lemma == "decide" and end - start < 2 or end - start < 1 or ws[start].low in words("anaphora"):
            return
        if lemma == "agree" and len(clause.rest) < 3:
            return
        yield make(clause, "episode", (start, end), subject=_we(clause), details={"type": "decision"}, importance=0.6, **kind)
        return
    if clause.subject.kind in ("possessed", "other") and clause.passive and clause.subject.start >= 0 and not _person(clause):
        start = next((w.i for w in ws[clause.start : clause.verb] if w.low in ("my", "our")), clause.subject.start)
        yield make(clause, "episode", (start + 1, clause.verb + 1), subject="user", details={"type": "milestone"}, importance=0.6, **kind)
        return
    if lemma == "let" and clause.has("go"):
        yield make(clause, "episode", (clause.verb, next(w.i for w in clause.rest if w.low == "go") + 1), details={"type": "event"}, **kind)
        return
    if lemma == "get" and not timed and clause.rest[:1] and clause.rest[0].low in ("the", "a", "my", "our"):
        prize = object_after(clause, clause.verb + 1)
        if prize and head(ws, *prize).low in ("job", "offer", "promotion", "visa", "grant", "scholarship", "place", "loan", "mortgage", "keys", "permit", "licence", "license", "raise", "role"):
            yield make(clause, "episode", (clause.verb, prize[1]), details={"type": "milestone"}, importance=0.7, **kind)
        return
    if lemma in ("have", "get", "go", "do", "take", "make", "come", "see", "meet") or lemma == "return" and clause.has("from", "to", "home"):
        start = clause.verb + 1
        while start < clause.end and ws[start].low in ("back", "home", "from", "to", "a"):
            start += 1
        if lemma == "get" and not clause.has("back") and not timed:
            return
        span = verb_phrase(clause, start) if start < clause.end and not is_time(ws, start) else None
        if span is None and lemma in ("get", "come", "return") and (place := preposition(clause, "in")) and ws[place].text[:1].isupper():
            # "back from three weeks in Vietnam": the stay is measured, not dated.
            span = (start, place + 1)
        if not span or ws[span[0]].low in words("anaphora") - {"here", "there"} or span[1] - span[0] < 2 and ws[span[0]].tag not in ("NN", "NNP", "NNS"):
            return
        if lemma in ("have", "get", "do", "make", "take", "see") and ws[span[0]].low in ("to", "no", "some", "so", "such", "that"):
            return
        yield make(clause, "episode", span, details={"type": "event"}, **kind)
        return
    if lemma in words("no_relation_verbs") - _DEEDS:
        return
    if clause.verb + 1 >= clause.end and not timed:
        return
    span = verb_phrase(clause, clause.verb)
    content = _content(clause, clause.verb)
    if content is not None and all(w.low in words("anaphora") | {"what", "doing", "to", "a", "the", "some"} for w in ws[content[0] : content[1]]):
        return
    if not span or content is None and not (lemma in ("graduate", "retire", "resign") and timed):
        return
    if not timed and clause.subject.kind == "implied" and "finally" not in clause.adverbs and "just" not in clause.adverbs and lemma not in ("pass", "graduate", "hire", "decide", "break", "fall", "win", "lose"):
        return
    yield make(clause, "episode", span, subject=_we(clause), details={"type": "milestone" if lemma in _DEEDS else "event"}, importance=0.6 if lemma in _DEEDS else 0.4, **kind)


def _we(clause: Clause) -> str | None:
    """ "they refused the loan": what unnamed others did to the speaker is the speaker's event."""
    return "user" if clause.subject.kind in ("pronoun", "other") else None


def _person(clause: Clause) -> bool:
    ws = clause.words
    return clause.subject.head >= 0 and (ws[clause.subject.head].low in words("kin") | words("roles") or ws[clause.subject.head].tag == "NNP")


def tone(found: list[Word]) -> str:
    """A crude tone of an event from word lists: positive, negative or neutral."""
    lows = {w.low for w in found} | {w.lemma for w in found}
    if lows & words("episode_outcome_bad"):
        return "negative"
    return "positive" if lows & words("episode_outcome_good") else "neutral"


def finished(clause: Clause) -> Draft | None:
    """A past deed of the speaker, in the shape of a task: it closes an open item that asks for it."""
    ws = clause.words
    if not clause.speaker or clause.negated or clause.used_to or clause.passive or clause.progressive:
        return None
    if not (clause.past or clause.perfect or (clause.tag in ("VBD", "VBN") and not clause.aux)) or clause.lemma in ("be", "have", "think", "say", "know", "want", "feel", "mean", "need", "get", "go", "use", "live", "work", "become", "raise", "grow", "start", "stop", "quit", "lose", "fail", "break", "meet", "leave", "decide", "realise", "realize", "see", "hear", "love", "like", "enjoy", "hope", "wonder", "notice", "study", "marry", "die", "fall", "joke", "laugh", "cry", "spend", "forget", "remember"):
        return None
    content = _content(clause, clause.verb)
    if content is None or exact(clause, clause.verb + 1, "to"):
        return None
    span = (clause.verb, content[1])
    return make(
        clause, "to_do", span, kind="open_item", done=True, temporal="past", timed=False,
        details={"verb": ws[clause.verb].lemma, "owner": "user", "target": clause.text(*content)},
    )  # fmt: skip
