"""Rules about what somebody has and uses: possessions, pets, vehicles, tools, and attributes of one's things."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import Draft, bare, exact, make, object_after, preposition, rule, scope
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import is_condition, words
from graphmem.extractors.phrases import Span, head, items, phrase

_POSTS = frozenset({"of", "near", "in", "by", "from"})


def kind_of(ws: list[Word], span: Span) -> str:
    """The relation that having this thing is: has_pet, has_vehicle, owns, or "" for what is no possession."""
    noun = head(ws, *span)
    lows = [w.low for w in ws[span[0] : span[1]]]
    low = noun.low
    if any(x in words("pets") for x in (low, *lows)) and not any(w in ("food", "house", "bed", "show", "shop", "person", "toy", "video", "videos", "joke") for w in lows):
        return "has_pet"
    if low in words("kin") or low in words("roles") or is_condition(low) or any(is_condition(x) for x in lows) or "allergy" in lows or "allergies" in lows:
        return ""
    if low in words("vehicles") or any(x in words("vehicles") for x in lows):
        return "has_vehicle"
    if low in words("abstract") or low in words("skills_extra") or low in words("studies") or noun.tag in ("PRP", "VBG", "RB") or low in words("anaphora"):
        return ""
    return "owns"


def _concrete(ws: list[Word], span: Span) -> bool:
    """Whether a phrase names things one can have: with an article or count, or a named product, and no "the X of a Y"."""
    first = ws[span[0]]
    if first.low in ("the", "this", "that", "these", "those", "enough", "too", "such", "so", "any", "every", "all", "another") or first.tag == "PRP$":
        return False
    if any(w.low == "of" for w in ws[span[0] : span[1]]) and first.low == "a":
        return False
    plural = head(ws, *span).tag in ("NNS", "NNP", "NNPS")
    return first.low in ("a", "an", "no", "some") or first.tag == "CD" or plural or any(w.text[1:2].isupper() for w in ws[span[0] : span[1]])


@rule(
    ("I have two cats and an old tortoise", "has_pet: two cats"), ("we adopted a beagle called Rex", "has_pet: a beagle called Rex"),
    ("I own a cottage near Turku and a sailing boat", "owns: a cottage near Turku"), ("I've got a Skoda", "has_vehicle: a Skoda"),
    ("I bought a used Fiat Panda", "has_vehicle: a used Fiat Panda"), ("my dad had a Saab", "has_vehicle: a Saab"),
    ("I have a Netflix subscription and a Spotify subscription", "owns: a Spotify subscription"), ("I collect old maps", "owns: old maps"),
)  # fmt: skip
def possession(clause: Clause) -> Iterator[Draft]:
    """Having, owning, getting, adopting, collecting, keeping."""
    ws = clause.words
    lemma = clause.lemma
    acquired = lemma in ("buy", "get", "adopt", "inherit", "acquire") and (clause.past or clause.perfect or clause.tag == "VBD" or lemma == "adopt" and clause.tag == "VBN")
    if not (acquired or lemma in ("have", "own", "collect", "keep", "possess")) or clause.passive or clause.progressive and lemma != "collect" or any(a in ("'d", "would", "could", "should", "can", "ca") for a in clause.aux):
        return
    if clause.subject.kind == "implied" and clause.tag == "VB":
        return
    for start, end in items(ws, clause.verb + 1, clause.end, posts=_POSTS):
        if end < clause.end and ws[end].tag in ("TO", "VB") or ws[start].low in ("it", "to"):
            return
        relation = kind_of(ws, (start, end))
        if not relation or lemma == "keep" and relation != "has_pet":
            continue
        if relation == "owns" and lemma == "have" and not _known_thing(ws, (start, end)):
            continue
        if relation == "owns" and not (_concrete(ws, (start, end)) or lemma in ("own", "collect")):
            continue
        if acquired and relation == "owns" and lemma != "inherit" and not (lemma == "buy" and head(ws, start, end).low in words("places_generic") | {"phone", "laptop", "computer", "camera", "guitar", "piano", "sofa", "tv", "console"}):
            continue
        if relation in ("has_pet", "has_vehicle") and ws[start].low in ("the", "it"):
            continue
        if lemma == "have" and _event_sense(ws, start, end, clause):
            continue
        span = (start + 1, end) if ws[start].low in ("no", "any") and end - start > 1 else (start, end)
        none = ws[start].low == "no" or clause.negated
        predicate = "keep" if lemma == "keep" and relation == "owns" else relation
        yield make(
            clause, predicate, span, polarity="negative" if none else "positive", types="thing",
            temporal="current" if acquired else None, since=acquired, importance=0.6 if relation != "owns" else 0.5,
            confidence=0.8,
        )  # fmt: skip


def _known_thing(ws: list[Word], span: Span) -> bool:
    """Whether "having" it is owning: a listed kind of thing, or a product by its name or model."""
    noun = head(ws, *span)
    lows = [w.low for w in ws[span[0] : span[1]]]
    product = any((w.text[1:2].isupper() or any(c.isdigit() for c in w.text)) and w.tag != "CD" or w.text[:1].isupper() and w.tag == "NNP" for w in ws[span[0] : span[1]])
    return noun.low in words("possessions") or noun.lemma in words("possessions") or lows[-1] in words("possessions") or product and noun.low not in words("abstract")


def _event_sense(ws: list[Word], start: int, end: int, clause: Clause) -> bool:
    """ "have a steak", "have half a banana": eating or an event, no possession."""
    noun = head(ws, start, end).low
    return noun in words("foods") or noun in ("banana", "steak", "pizza", "cake", "half", "sandwich", "bite") or clause.perfect and ws[clause.verb].low == "had"


@rule(
    ("I drive a 2012 Ford Focus", "has_vehicle: a 2012 Ford Focus"), ("my dad drove a Lada", "has_vehicle: a Lada"),
    ("we ride a tandem", "has_vehicle: a tandem"), ("I drive a motorbike too, a Honda CB500", "has_vehicle: a Honda CB500"),
)  # fmt: skip
def vehicle(clause: Clause) -> Iterator[Draft]:
    """Driving or riding one's own."""
    if clause.lemma not in ("drive", "ride") or clause.passive:
        return
    ws = clause.words
    found: list[Span] = []
    i = clause.verb + 1
    span = object_after(clause, i)
    if not span or ws[span[0]].low == "the" or head(ws, *span).low in words("anaphora"):
        return
    if head(ws, *span).low in words("vehicles") or any(w.low in words("vehicles") or w.text[1:2].isupper() or w.tag == "NNP" for w in ws[span[0] : span[1]]):
        found.append(span)
    k = span[1]
    while k < clause.end and ws[k].low in ("too", "also", ","):
        k += 1
    if found and k > span[1] and k < clause.end and ws[k].low in ("a", "an"):
        end = phrase(ws, k, clause.end)
        if end > k and any(w.text[:1].isupper() for w in ws[k:end]):
            found = [(k, end)]
    for item in found:
        yield make(clause, "has_vehicle", item, types="thing", importance=0.6)


@rule(
    ("We sold the boat in 2021", "owns: boat"), ("my cat died in April", "has_pet: cat"), ("I cancelled my Netflix subscription", "owns: Netflix subscription"),
    ("we gave away the piano", "owns: piano"),
)  # fmt: skip
def loss(clause: Clause) -> Iterator[Draft]:
    """Selling, cancelling, giving away, dying: it is had no longer."""
    ws = clause.words
    lemma = clause.lemma
    if clause.future or clause.negated or not (clause.past or clause.perfect or clause.tag in ("VBD", "VBN")):
        return
    if lemma == "die" or (lemma == "pass" and exact(clause, clause.verb + 1, "away")):
        subject = clause.subject
        if subject.kind == "possessed" and ws[subject.head].low in words("pets"):
            start = subject.start + 1
            yield make(clause, "has_pet", (start, subject.end), subject="user", temporal="ended", until=True, cue="change", types="thing")
        return
    if not clause.speaker or lemma not in ("sell", "cancel", "give", "scrap", "donate", "rehome", "lose"):
        return
    spot = clause.verb + 1
    if lemma == "give":
        if not any(w.low in ("away", "up") for w in clause.rest[:5]):
            return
        spot += ws[spot].low in ("away", "up") if spot < clause.end else 0
    span = object_after(clause, spot)
    if not span or ws[span[0]].low not in ("my", "our", "the"):
        return
    relation = kind_of(ws, span)
    if relation and (lemma != "cancel" or head(ws, *span).low in ("subscription", "membership", "contract", "account", "plan", "netflix", "spotify")):
        yield make(clause, relation, bare(ws, span), temporal="ended", until=True, cue="change", types="thing")


@rule(
    ("my locker at the gym is number 12", "attribute: number 12"), ("my Monday seminar is in Room 7", "attribute: in Room 7"),
    ("our wifi password is kettle42", "attribute: kettle42"),
    anyone=False, fragments=False,
)  # fmt: skip
def attribute(clause: Clause) -> Iterator[Draft]:
    """ "my X at Y is Z": the value of something of one's own; what it belongs to is the context."""
    subject = clause.subject
    ws = clause.words
    if clause.lemma != "be" or clause.negated or clause.past or clause.aux or subject.kind not in ("possessed", "other") or subject.start < 0:
        return
    lead = _subject_phrase(clause)
    if not lead:
        return
    noun = ws[subject.head].low
    if noun in words("kin") | words("roles") | words("pets") | {"name", "birthday", "address", "favourite", "favorite", "rule", "stack", "blood", "type", "tongue", "goal", "plan", "problem", "point", "question", "life", "day", "deadline", "head", "hero"}:
        return
    i = clause.verb + 1
    if i < clause.end and ws[i].low in ("in", "on", "at"):
        i += 1
    span = object_after(clause, i)
    if not span:
        return
    digits = any(any(c.isdigit() for c in w.text) for w in ws[span[0] : span[1]])
    if not digits or any(w.time for w in ws[span[0] : span[1]]):
        return
    yield make(
        clause, "attribute", (clause.verb + 1, span[1]), subject="user", context=clause.text(*lead), types="thing", temporal="current",
        cue="change" if clause.has("now") else None,
    )  # fmt: skip


def _subject_phrase(clause: Clause) -> Span | None:
    """The words between "my" and the verb."""
    ws = clause.words
    start = next((w.i for w in ws[clause.start : clause.verb] if w.low in ("my", "our")), None)
    if start is None or clause.group <= start + 1:
        return None
    return start + 1, clause.group


_TOOLISH = frozenset({"team", "we"})


@rule(
    ("I use Vim btw, with tmux and kitty as terminal", "uses_tool: tmux"), ("we use Jira for planning", "uses_tool: Jira"),
    ("I mostly code in Go these days", "uses_tool: Go"), ("we run everything on Nomad", "uses_tool: Nomad"),
    ("our team tracks everything in Asana", "uses_tool: Asana"), ("Our stack is Rails + MySQL, deployed on Fly", "uses_tool: MySQL"),
    ("these days I'm on an iPhone", "uses_tool: an iPhone"), ("my editor is Helix", "uses_tool: Helix"),
)  # fmt: skip
def tool(clause: Clause) -> Iterator[Draft]:
    """Using, coding in, running on, tracking in; the stack and the editor."""
    ws = clause.words
    lemma = clause.lemma
    if clause.passive and lemma != "deploy" or clause.future or lemma == "use" and clause.tag == "VB" and clause.subject.kind == "implied":
        return
    if not (clause.speaker or clause.subject.kind == "possessed"):
        return
    i = None
    if lemma == "use" and not clause.used_to and clause.tag != "VBN":
        i = clause.verb + 1
    elif lemma in ("code", "program", "write", "script", "develop") and (spot := preposition(clause, "in")) and (lemma != "write" or clause.has("code")):
        i = spot
    elif lemma in ("run", "track", "plan", "document", "manage", "host", "deploy", "keep", "store", "do", "organise", "organize") and (
        spot := preposition(clause, "on", "in", "with")
    ) and (lemma == "deploy" or any(w.low in ("everything", "all", "things", "stuff", "work", "tasks", "notes") for w in clause.rest[:2])):
        i = spot
    elif lemma == "be" and clause.subject.kind == "possessed" and ws[clause.subject.head].low in ("stack", "editor", "ide", "terminal", "browser", "os", "setup", "distro", "shell", "database", "toolchain"):
        i = clause.verb + 1
    elif lemma == "be" and clause.speaker and clause.rest[:1] and clause.rest[0].low == "on" and clause.rest[1:2] and _product(clause, clause.verb + 2):
        i = clause.verb + 2
    elif lemma == "learn" and (spot := preposition(clause, "on", "with")) and ws[spot].text[:1].isupper():
        i = spot
    if i is None or i >= clause.end:
        return
    found = list(items(ws, i, clause.end, loose=True))
    found += _paired(clause, found)
    extra = next((w.i + 1 for w in clause.rest if w.low == "with" and w.i > 0 and ws[w.i - 1].low == "," and lemma == "use"), None)
    if extra:
        found += list(items(ws, extra, clause.end, loose=True))
    for start, end in found:
        if not tool_like(ws, (start, end)):
            continue
        yield make(
            clause, "uses_tool", (start, end), subject="user" if clause.subject.kind == "possessed" else None, context=scope(clause, end), types="thing",
            cue="change" if clause.has("now", "nowadays") or clause.has("these") and clause.has("days") else None,
        )  # fmt: skip
    yield from _second_tool(clause, found)


def _paired(clause: Clause, found: list[Span]) -> list[Span]:
    """ "Obsidian for notes and Todoist for tasks": the second after the first one's purpose."""
    if not found:
        return []
    ws = clause.words
    i = found[-1][1]
    if i + 3 < clause.end and ws[i].low in ("for", "at", "on"):
        stop = phrase(ws, i + 1, clause.end, loose=True)
        if stop + 1 < clause.end and ws[stop].low in ("and", ","):
            start = stop + 1 + (ws[stop + 1].low == "and")
            end = phrase(ws, start, clause.end, loose=True)
            if end > start and end < clause.end and ws[end].low == ws[i].low:
                return [(start, end), *_paired(clause, [(start, end)])]
    return []


def _second_tool(clause: Clause, found: list[Span]) -> Iterator[Draft]:
    """ "code in Rust these days, some Python for glue"."""
    if not found:
        return
    ws = clause.words
    for i in range(found[-1][1], clause.end - 1):
        if ws[i].low == "," and ws[i + 1].low in ("some", "sometimes", "also", "plus"):
            span = object_after(clause, i + 2)
            if span and tool_like(ws, span) and ws[span[0]].text[:1].isupper():
                yield make(clause, "uses_tool", span, context=scope(clause, span[1]), types="thing")


def _product(clause: Clause, i: int) -> bool:
    ws = clause.words
    span = object_after(clause, i)
    if not span or span[1] - span[0] > 4:
        return False
    text = [w for w in ws[span[0] : span[1]] if w.low not in ("a", "an", "the")]
    return any(w.text[1:2].isupper() or w.text[:1].isupper() and any(c.isdigit() for x in text for c in x.text) or w.low in ("android", "linux", "windows", "mac", "ubuntu", "fedora", "debian", "macos", "chrome", "firefox") for w in text) and not any(w.time for w in text)


_NO_TOOL = frozenset(
    "tools words people whiteboard headphones earplugs sunscreen glasses soap butter oil salt sugar honey milk flour water music humor humour cash paper pencil force energy caution".split()
)


def tool_like(ws: list[Word], span: Span) -> bool:
    """A named product, or an unfamiliar lower-case name; common words ("a fork", "my hands") are no tools."""
    lows = [w.low for w in ws[span[0] : span[1]]]
    if any(low in words("anaphora") for low in lows) or ws[span[0]].tag == "PRP$" or lows[0] in ("the", "this", "that", "your"):
        return False
    if any(w.text[:1].isupper() or any(c.isdigit() for c in w.text) or any(c.isupper() for c in w.text[1:]) for w in ws[span[0] : span[1]]):
        return True
    return len(lows) == 1 and ws[span[0]].tag in ("NN", "NNP", "FW", "NNS", "VBP", "VB", "JJ") and lows[0] not in _NO_TOOL


@rule(
    ("I switched from Evernote to Obsidian in May", "uses_tool: Obsidian"), ("we migrated from Oracle to Postgres", "uses_tool: Postgres"),
    ("I stopped using Slack last week", "uses_tool: Slack"), ("I used to be all about Android", "uses_tool: Android"),
)  # fmt: skip
def tool_change(clause: Clause) -> Iterator[Draft]:
    """Switching from one to another, and stopping to use."""
    ws = clause.words
    lemma = clause.lemma
    if not clause.speaker and clause.subject.kind != "possessed":
        return
    subject = "user" if clause.subject.kind == "possessed" else None
    if lemma in ("switch", "migrate", "change", "move") and not clause.future and (clause.past or clause.perfect or clause.tag in ("VBD", "VBN")):
        origin, target = preposition(clause, "from"), preposition(clause, "to")
        old = object_after(clause, origin) if origin else None
        new = object_after(clause, target) if target else None
        if new and tool_like(ws, new) and (lemma in ("switch", "migrate") or origin and old and tool_like(ws, old)) and ws[new[0]].ent not in ("GPE", "LOC"):
            common = {"context": scope(clause, max(new[1], old[1] if old else 0)), "types": "thing", "cue": "change", "subject": subject}
            yield make(clause, "uses_tool", new, temporal="current", since=True, replaces=clause.text(*old) if old else None, **common)
            if old and tool_like(ws, old):
                yield make(clause, "uses_tool", old, temporal="ended", until=True, **common)
    elif lemma in ("stop", "quit") and clause.rest and clause.rest[0].low == "using" and not clause.future:
        for span in items(ws, clause.verb + 2, clause.end, loose=True):
            yield make(clause, "uses_tool", span, temporal="ended", until=True, cue="change", types="thing")
    elif lemma in ("ditch", "drop", "abandon") and clause.past:
        span = object_after(clause, clause.verb + 1)
        target = preposition(clause, "for")
        new = object_after(clause, target) if target else None
        if span and tool_like(ws, span) and new and tool_like(ws, new) and ws[span[0]].text[:1].isupper():
            yield make(clause, "uses_tool", new, temporal="current", since=True, cue="change", replaces=clause.text(*span), types="thing")
            yield make(clause, "uses_tool", span, temporal="ended", until=True, cue="change", types="thing")
    elif lemma == "be" and clause.used_to and re.search(r"\b(all about|on)\b", " ".join(w.low for w in clause.rest[:3])):
        spot = preposition(clause, "about", "on")
        span = object_after(clause, spot) if spot else None
        if span and tool_like(ws, span):
            yield make(clause, "uses_tool", span, temporal="ended", types="thing")
