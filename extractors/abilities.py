"""Rules about what somebody speaks, can do and is: languages, skills, traits."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, rule
from graphmem.extractors.lexicon import at_screen, is_job, words
from graphmem.extractors.phrases import Span, head, items, phrase, uncased
from graphmem.extractors.wordings import after, line, wording


@rule(
    ("I'm rather good at carving", "skill: carving"),
    ("I'm a decent chess player", "skill: decent chess player"),
)
def ability(clause: Clause) -> Iterator[Draft]:
    """Being good or bad at something, being a player of it."""
    ws = clause.words
    if clause.lemma != "be" or not clause.rest or clause.past:
        return
    player = object_after(clause, clause.verb + 1)
    if player and ws[player[1] - 1].low == "player" and ws[player[0]].low in ("a", "an") and clause.speaker:
        yield make(clause, "skill", bare(ws, player), polarity="negative" if clause.negated else None)
        return
    for w, joint in zip(clause.rest[:4], clause.rest[1:5], strict=False):
        if w.low in words("ability_adjectives") and joint.low in ("at", "with", "in"):
            bad = w.low in ("terrible", "bad", "hopeless", "rubbish", "useless", "lousy")
            for span in items(ws, w.i + 2, clause.end, loose=True):
                if ws[span[0]].low in words("ability_adjectives") | words("tastes_positive") and span[0] > w.i + 2:
                    # "bad at maths and good with people": another ability begins.
                    return
                if ws[span[0]].low not in words("anaphora") and ws[span[0]].pos != "AUX":
                    yield make(clause, "skill", span, polarity="negative" if bad != clause.negated else "positive")
            return


@rule(("I can juggle", "skill: juggle"), ("I can drive a forklift", "skill: drive a forklift"), anyone=False)
def can_do(clause: Clause) -> Iterator[Draft]:
    """As in "I can weld", "I know how to solder": after "can" verbs of skill only, since "can" says many other things."""
    if clause.lemma == "know" and clause.speaker and not clause.negated and exact(clause, clause.verb + 1, "how", "to"):
        if clause.verb + 3 < clause.end:
            yield make(clause, "skill", (clause.verb + 3, clause.end))
        return
    if "can" not in clause.aux or clause.negated or clause.passive:
        return
    if clause.subject.kind != "user" or clause.lows[:1] == ["we"] or clause.mark in ("so", "that", "when", "where"):
        return
    if clause.aux[0] != "can" or clause.words[clause.subject.start].i > clause.verb:
        return
    starts = [clause.verb]
    ws = clause.words
    for w in clause.rest:
        # "and solve a cube": a second thing that one can do.
        if w.tag in ("VB", "VBP") and w.i > clause.verb + 1 and ws[w.i - 1].low in ("and", ",", "or"):
            starts.append(w.i)
    for start, stop in zip(starts, [*starts[1:], clause.end], strict=True):
        span = _skill(clause, start, stop)
        if span:
            yield make(clause, "skill", span)


def _skill(clause: Clause, verb: int, stop: int) -> Span | None:
    """A listed skill, or an unlisted doing with a plain object of its own ("shear a sheep", "read music")."""
    ws = clause.words
    lemma = ws[verb].lemma
    listed = lemma in words("skill_verbs") or (lemma == "touch" and verb + 1 < stop and ws[verb + 1].low == "type")
    i = verb + 1
    end = phrase(ws, i, stop) if i < stop else i
    pointing = end > i and (head(ws, i, end).low in words("anaphora") or ws[i].low in words("anaphora"))
    if lemma == "read" and end > i and head(ws, i, end).low in ("music", "braille", "hieroglyphs", "tarot", "maps"):
        return (verb, end)
    if lemma == "do" and end > i and head(ws, i, end).low in words("stunts"):
        return (verb, end)
    if listed:
        return (verb, end if end > i and not pointing else verb + 1)
    if pointing or end == i or lemma in words("no_relation_verbs") | words("screen_verbs"):
        return None
    if any(w.time for w in ws[verb:stop]) and not any(w.low in ("under", "in") for w in ws[end:stop]):
        return None
    noun = head(ws, i, end)
    plain = noun.tag in ("NNS", "NN") and ws[i].low not in ("the", "this", "that", "these", "your", "my", "our", "any", "more")
    return (verb, end) if plain and not at_screen(noun.low) and noun.low not in words("abstract") else None


_KNOW_HOW = wording(
    r"know (?:my|our) way (?:around|about|round)",
    r"(?:am|'m|is|'s|are) (?:pretty |quite |very |rather |fairly )?(?:handy|nifty|deft|whizz|wizard|dab hand|skilful|"
    r"skillful|proficient"
    r"|a dab hand|a whizz|a natural|a wizard) (?:with|at|in)",
    r"have a (?:knack|gift|talent|flair|good ear|good eye) for",
    r"(?:trained|certified|qualified|licensed|accredited) in",
    r"(?:taught|teaching) myself(?: how)?(?: to)?",
)
_NO_HOPE = wording(r"to save my life", r"for (?:the life of me|toffee|love nor money)", r"at all", r"to this day")
_INSIDE_OUT = wording(r"inside out", r"like the back of my hand", r"backwards", r"by heart")


@rule(
    ("I know my way around a lathe", "skill: a lathe"),
    ("I'm handy with a chisel", "skill: a chisel"),
    ("I know Photoshop inside out", "skill: Photoshop"),
    ("I'm a black belt in judo", "skill: black belt in judo"),
    anyone=False,
)
def know_how(clause: Clause) -> Iterator[Draft]:
    """Knowing one's way around something, being handy with it, knowing it inside out."""
    ws = clause.words
    if clause.future or not clause.speaker or clause.used_to:
        return
    spot = after(clause, _KNOW_HOW)
    inside = _INSIDE_OUT.search(line(clause)) if clause.lemma == "know" else None
    if inside:
        spot = clause.verb + 1
    if spot is not None:
        for span in items(ws, spot, clause.end, loose=True):
            if head(ws, *span).low not in words("anaphora") | words("mock_skills") and ws[span[0]].low not in (
                "this",
                "that",
                "the",
            ):
                yield make(clause, "skill", span, temporal="current", polarity="negative" if clause.negated else None)
    elif clause.lemma == "be" and not clause.negated and not clause.past:
        belt = object_after(clause, clause.verb + 1, posts=frozenset({"in", "of"}))
        mocked = belt and any(w.low in words("mock_skills") for w in ws[belt[0] : belt[1]])
        if (
            belt
            and not mocked
            and ws[belt[0]].low in ("a", "an")
            and head(ws, *belt).low in ("belt", "grandmaster", "master", "champion")
        ):
            yield make(clause, "skill", bare(ws, belt))


@rule(("I can't swim", "skill: swim"), ("can't whistle to save my life", "skill: whistle"), anyone=False)
def cannot(clause: Clause) -> Iterator[Draft]:
    """What somebody cannot do: listed skills, without an object that points at something here and now."""
    if not clause.negated or clause.aux[:1] not in (("ca",), ("can",)) or not clause.speaker or clause.passive:
        return
    if clause.lemma not in words("skill_verbs") | {"read", "write"} or any(w.time for w in clause.rest):
        return
    ws = clause.words
    i = clause.verb + 1
    hopeless = _NO_HOPE.search(line(clause))
    end = phrase(ws, i, clause.end) if i < clause.end else i
    if (
        i < clause.end
        and end == i
        and not hopeless
        and ws[i].low not in (",", ".", "and", "or", "!", "but", "well", "properly")
    ):
        return
    if end > i and head(ws, i, end).low in words("made_up") | words("screen_nouns") | words("abstract"):
        return
    if end > i and (ws[i].tag in ("DT", "PRP$", "PRP") or ws[i].low in words("anaphora")) and not hopeless:
        return
    yield make(clause, "skill", (clause.verb, end), polarity="negative", temporal="current", timed=False)


@rule(("I play the oboe in an orchestra", "skill: the oboe"), ("my son plays the drums", "skill: the drums"))
def instrument(clause: Clause) -> Iterator[Draft]:
    """Playing an instrument."""
    if clause.lemma != "play" or clause.passive or clause.future:
        return
    for span in items(clause.words, clause.verb + 1, clause.end):
        if any(w.low in words("instruments") for w in clause.words[span[0] : span[1]]):
            yield make(clause, "skill", span, polarity="negative" if clause.negated else None)


@rule(("we never learned to swim", "skill: swim"))
def never_learned(clause: Clause) -> Iterator[Draft]:
    """What somebody never learned to do."""
    if (
        clause.lemma != "learn"
        or not clause.negated
        or clause.verb + 2 >= clause.end
        or not exact(clause, clause.verb + 1, "to")
    ):
        return
    end = clause.verb + 3
    span = object_after(clause, end, loose=False) if end < clause.end else None
    yield make(
        clause, "skill", (clause.verb + 2, span[1] if span else end), polarity="negative", temporal="current", timed=False
    )


@rule(
    ("I hold a forklift licence", "skill: a forklift licence"),
    ("I have a degree in botany", "skill: a degree in botany"),
    ("I got my pilot licence in 2015", "skill: pilot licence"),
)
def certificate(clause: Clause) -> Iterator[Draft]:
    """Holding or getting a licence, a degree, a belt."""
    ws = clause.words
    got = clause.lemma in ("get", "earn", "obtain") and clause.past
    if not (got or clause.lemma in ("hold", "have")) or clause.negated or clause.future:
        return
    for span in items(ws, clause.verb + 1, clause.end, posts=frozenset({"in", "of"})):
        if head(ws, *span).low in words("skills_extra") and ws[span[0]].low not in ("no", "any", "to"):
            yield make(clause, "skill", bare(ws, span) if got else span, temporal="current", since=got)


@rule(
    ("I'm left-handed", "trait: left-handed"),
    ("I'm Finnish", "nationality: Finnish"),
    ("I'm really a dog person", "trait: dog person"),
    anyone=False,
)
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
        written = w.text[:1].isupper() or uncased(ws)
        first = k == 0 or (k == 1 and clause.rest[0].low in ("a", "an"))
        if first and w.low in words("religions") and written and after in (".", ",", "and", "but", "!", "so"):
            yield make(clause, "religion", (w.i, w.i + 1), timed=False)
            return
        if k == 0 and w.low == "in" and after in ("a", "an", "the", "my", "our"):
            group = object_after(clause, w.i + 1)
            if group and head(ws, *group).low in words("circles") and not any(x.time for x in ws[group[0] : group[1]]):
                yield make(clause, "member_of", group)
            return
        if w.low in ("scared", "afraid", "terrified") and after == "of":
            yield from _afraid(clause, w.i + 2)
            return
        if w.low == "member" and after == "of":
            group = object_after(clause, w.i + 2)
            if group:
                yield make(clause, "member_of", group)
            return
        if (
            k == 0
            and w.low in words("nationalities")
            and written
            and after in (".", ",", "and", "but", "!", "by", "so", "originally")
        ):
            yield make(clause, "nationality", (w.i, w.i + 1), timed=False)
            return
        if w.low == "person" and k >= 2 and any(x.low in ("a", "an") for x in clause.rest[:k]):
            start = next(x.i for x in clause.rest[:k] if x.low in ("a", "an")) + 1
            if w.i - start >= 1 and ws[w.i - 1].tag in ("NN", "NNS", "NNP"):
                yield make(clause, "trait", (start, w.i + 1), kind="preference")
            return
        if w.low in (",", "but", "so"):
            return


def _afraid(clause: Clause, i: int) -> Iterator[Draft]:
    """What somebody is afraid of: things, or a doing by itself ("flying")."""
    ws = clause.words
    for span in items(ws, i, clause.end):
        if ws[span[0]].low not in words("anaphora") | {"the", "my", "getting", "losing"}:
            yield make(clause, "afraid_of", span)
    alone = i + 1 >= clause.end or ws[i + 1].low in (",", ".", "and", "but", "so", "!")
    if i < clause.end and ws[i].tag == "VBG" and alone:
        yield make(clause, "afraid_of", (i, i + 1))


def _as_a(clause: Clause) -> Iterator[Draft]:
    """As in "As a nurse I ...": what the speaker is, said in passing."""
    before = clause.before
    if clause.subject.kind != "user" or len(before) < 3 or before[0].low != "as" or before[1].low not in ("a", "an"):
        return
    span = (before[2].i, clause.subject.start - (before[-1].pos == "PUNCT"))
    noun = head(clause.words, *span)
    if noun.low in ("child", "kid", "teenager", "teen", "boy", "girl", "baby"):
        # "As a child I ...": when, not what.
        return
    if is_job(noun.low):
        yield make(clause, "has_job", span, timed=False, temporal="current", polarity="positive", importance=0.6)
    elif noun.low in words("diet_nouns"):
        yield make(clause, "diet", span, timed=False, temporal="current", polarity="positive", importance=0.7)
    elif noun.text[:1].isupper() or noun.low in words("kin"):
        yield make(clause, "trait", span, timed=False, temporal="current", polarity="positive")
