"""Rules about tools: what is used, what was switched to, what is used no longer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import BEGUN, ENDED, Draft, bare, exact, make, object_after, preposition, rule, scope
from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.phrases import Span, head, items, phrase
from graphmem.extractors.scenes import is_person
from graphmem.extractors.wordings import after, wording


@rule(
    ("I use Vim btw, with tmux and kitty as terminal", "uses_tool: tmux"),
    ("we use Jira for planning", "uses_tool: Jira"),
    ("I mostly code in Go these days", "uses_tool: Go"),
    ("we run everything on Nomad", "uses_tool: Nomad"),
    ("our club keeps everything in Asana", "uses_tool: Asana"),
    ("Our stack is Rails + MySQL, deployed on Fly", "uses_tool: MySQL"),
    ("lately I'm on a ThinkPad", "uses_tool: a ThinkPad"),
    ("my editor is Helix", "uses_tool: Helix"),
)
def tool(clause: Clause) -> Iterator[Draft]:
    """Using, coding in, running on, tracking in; the stack and the editor."""
    ws = clause.words
    lemma = clause.lemma
    if (
        (clause.passive and lemma != "deploy")
        or clause.future
        or (lemma == "use" and clause.tag == "VB" and clause.subject.kind == "implied")
    ):
        return
    if not (clause.speaker or clause.subject.kind == "possessed"):
        return
    i = None
    if lemma == "use" and clause.tag != "VBN" and not (clause.used_to and clause.words[clause.verb].low == "used"):
        i = clause.verb + 1
    elif (
        lemma in ("code", "program", "write", "script", "develop")
        and (spot := preposition(clause, "in"))
        and (lemma != "write" or clause.has("code"))
    ) or (
        lemma in words("keeping_verbs")
        and (spot := preposition(clause, "on", "in", "with"))
        and (lemma == "deploy" or any(w.low in words("everything") for w in clause.rest[:2]))
    ):
        i = spot
    elif lemma == "be" and clause.subject.kind == "possessed" and ws[clause.subject.head].low in words("tool_nouns"):
        i = clause.verb + 1
    elif (
        lemma == "be"
        and clause.speaker
        and clause.rest[:1]
        and clause.rest[0].low == "on"
        and clause.rest[1:2]
        and _product(clause, clause.verb + 2)
    ):
        i = clause.verb + 2
    elif lemma == "learn" and (spot := preposition(clause, "on", "with")) and ws[spot].text[:1].isupper():
        i = spot
    if i is None or i >= clause.end:
        return
    found = list(items(ws, i, clause.end, loose=True))
    found += _paired(clause, found)
    extra = next(
        (w.i + 1 for w in clause.rest if w.low == "with" and w.i > 0 and ws[w.i - 1].low == "," and lemma == "use"), None
    )
    if extra:
        found += list(items(ws, extra, clause.end, loose=True))
    for start, end in found:
        if not tool_like(ws, (start, end)):
            continue
        yield make(
            clause,
            "uses_tool",
            (start, end),
            subject="user" if clause.subject.kind == "possessed" else None,
            context=scope(clause, end),
            types="thing",
            cue="change" if clause.has("now", "nowadays") or (clause.has("these") and clause.has("days")) else None,
        )
    yield from _second_tool(clause, found)


def _paired(clause: Clause, found: list[Span]) -> list[Span]:
    """As in "Obsidian for notes and Todoist for tasks": the second after the first one's purpose."""
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
    """As in "code in Zig nowadays, some Perl for logs"."""
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
    return any(
        any(c.isupper() for c in w.text[1:])
        or (w.text[:1].isupper() and any(c.isdigit() for x in text for c in x.text))
        or w.low in words("systems")
        for w in text
    ) and not any(w.time for w in text)


def _named(ws: list[Word], span: Span) -> bool:
    """A product by its name: a capital or a digit in it."""
    found = ws[span[0] : span[1]]
    return any(w.text[:1].isupper() or any(c.isdigit() or c.isupper() for c in w.text[1:]) for w in found) and not any(
        w.low in words("anaphora") for w in found
    )


_NO_TOOL = words("no_tool")


def tool_like(ws: list[Word], span: Span) -> bool:
    """A named product, or an unfamiliar lower-case name; common words ("a fork", "my hands") are no tools."""
    lows = [w.low for w in ws[span[0] : span[1]]]
    if any(low in words("anaphora") for low in lows) or ws[span[0]].tag == "PRP$" or lows[0] in ("the", "this", "that", "your"):
        return False
    if any(
        w.text[:1].isupper() or any(c.isdigit() for c in w.text) or any(c.isupper() for c in w.text[1:])
        for w in ws[span[0] : span[1]]
    ):
        return True
    return len(lows) == 1 and ws[span[0]].tag in ("NN", "NNP", "FW", "NNS", "VBP", "VB", "JJ") and lows[0] not in _NO_TOOL


THING: dict[str, Any] = {"types": "thing"}


def _done(clause: Clause) -> bool:
    return not clause.future and (clause.past or clause.perfect or clause.tag in ("VBD", "VBN"))


@rule(
    ("I switched from Evernote to Obsidian in May", "uses_tool: Obsidian"),
    ("we migrated from Oracle to Postgres", "uses_tool: Postgres"),
    ("I switched from coffee to tea", "diet: tea"),
)
def switch(clause: Clause) -> Iterator[Draft]:
    """Switching from one to another: the new one from then on, the old one until then."""
    ws = clause.words
    if clause.lemma not in ("switch", "migrate", "change", "move") or not _done(clause):
        return
    if not (clause.speaker or clause.subject.kind == "possessed") or not clause.rest:
        return
    if clause.rest[0].low not in ("from", "to", "back", "over", "everything", "our", "all"):
        return
    origin, target = preposition(clause, "from"), preposition(clause, "to")
    old = object_after(clause, origin) if origin else None
    new = object_after(clause, target) if target else None
    if new is None:
        return
    replaced = clause.text(*old) if old else None
    if is_person(clause):
        return  # from what to what a relative went is not the speaker's, and may be a firm
    who = "user" if clause.subject.kind == "possessed" else None
    if old and head(ws, *new).low in words("foods") and head(ws, *old).low in words("foods"):
        yield make(clause, "diet", new, replaces=replaced, subject=who, **BEGUN)
        return
    sure = (
        clause.lemma in ("switch", "migrate")
        or clause.has("notes", "tasks", "everything", "docs", "mail", "code", "repos")
        or (old is not None and tool_like(ws, old) and clause.lemma != "move")
    )
    # "moved from Oslo to Bergen" is a move of the speaker, wherever one of the two is known for a place.
    town = any(ws[span[0]].ent in ("GPE", "LOC") for span in (new, old) if span)
    if _named(ws, new) and sure and (clause.lemma == "switch" or not town):
        common = {"context": scope(clause, max(new[1], old[1] if old else 0)), "subject": who, **THING}
        yield make(clause, "uses_tool", new, replaces=replaced, **BEGUN, **common)
        if old and _named(ws, old):
            yield make(clause, "uses_tool", old, **ENDED, **common)


@rule(("I stopped using Notion in May", "uses_tool: Notion"), anyone=False)
def stop_using(clause: Clause) -> Iterator[Draft]:
    """As in "stopped using X"."""
    if clause.lemma in ("stop", "quit") and clause.rest and clause.rest[0].low == "using" and not clause.future:
        for span in items(clause.words, clause.verb + 2, clause.end, loose=True):
            yield make(clause, "uses_tool", span, **ENDED, **THING)


@rule(("I've gone back to Emacs", "uses_tool: Emacs"), anyone=False)
def go_back(clause: Clause) -> Iterator[Draft]:
    """As in "went back to X"."""
    if (
        clause.lemma != "go"
        or clause.future
        or not exact(clause, clause.verb + 1, "back", "to")
        or clause.verb + 3 >= clause.end
    ):
        return
    span = object_after(clause, clause.verb + 3)
    if span and _named(clause.words, span) and clause.words[span[0]].ent not in ("GPE", "LOC", "DATE"):
        yield make(clause, "uses_tool", span, **BEGUN, **THING)


@rule(
    ("we dropped Slack for Mattermost", "uses_tool: Mattermost"),
    ("Replaced my Nokia with a Fairphone", "uses_tool: a Fairphone"),
    anyone=False,
)
def swap(clause: Clause) -> Iterator[Draft]:
    """Dropping, replacing, swapping one product for another."""
    ws = clause.words
    if clause.lemma not in words("swap_verbs") or not _done(clause):
        return
    old = object_after(clause, clause.verb + 1)
    target = preposition(clause, "with" if clause.lemma == "replace" else "for")
    new = object_after(clause, target) if target else None
    towns = [span for span in (old, new) if span and ws[span[0]].ent in ("GPE", "LOC")]
    if old and new and _named(ws, bare(ws, old)) and _named(ws, new) and len(towns) < 2:
        old = bare(ws, old)
        yield make(clause, "uses_tool", new, replaces=clause.text(*old), **BEGUN, **THING)
        yield make(clause, "uses_tool", old, **ENDED, **THING)


@rule(("we used to be all about Nokia", "uses_tool: Nokia"), anyone=False)
def once_used(clause: Clause) -> Iterator[Draft]:
    """As in "used to be on X", "all about X"."""
    if (
        clause.lemma != "be"
        or not clause.used_to
        or not re.search(r"\b(all about|on)\b", " ".join(w.low for w in clause.rest[:3]))
    ):
        return
    spot = preposition(clause, "about", "on")
    span = object_after(clause, spot) if spot else None
    if span and tool_like(clause.words, span):
        yield make(clause, "uses_tool", span, temporal="ended", **THING)


_KIT = wording(
    r"(?:everything|all of it|the whole thing) (?:is |'s )?(?:hosted|deployed|stored|tracked|kept|built|run|runs|"
    r"lives) (?:on|in|with)",
    r"(?:team|company|shop|club|office|stack|site|website|blog|server|household) (?:all )?(?:runs|run|lives|live) on",
    r"(?:rely|relies|relying) on",
    r"my (?:\w+ )?(?:weapon|tool|app|editor|browser|ide|language|distro|software|shell) of choice (?:is|'s)",
    r"it (?:is|'s) all(?: been)?(?: on| in)?",
)


@rule(
    ("I keep my notes in Obsidian and my budget in YNAB", "uses_tool: YNAB"),
    ("I edit in DaVinci Resolve", "uses_tool: DaVinci Resolve"),
    ("I write mostly Kotlin", "uses_tool: Kotlin"),
    ("our team runs on Jira", "uses_tool: Jira"),
)
def tool_for(clause: Clause) -> Iterator[Draft]:
    """What notes, budgets, edits are kept or made in; the language one writes; what a team runs on."""
    ws = clause.words
    if clause.future or clause.negated or clause.passive or clause.past or clause.subject.kind in ("you", "named"):
        return
    found: list[Span] = []
    first = object_after(clause, clause.verb + 1) if clause.lemma == "run" and clause.speaker else None
    if first and first[1] == first[0] + 1 and ws[first[0]].low in words("systems"):
        found = [first]
    elif clause.has("this", "from"):
        # "I'm typing this from a hostel in Bogota"
        pass
    elif clause.lemma in words("digital_verbs") and clause.speaker and clause.tag in ("VBP", "VBZ", "VBG", "NN"):
        found = list(_kept_in(clause))
    spot = after(clause, _KIT)
    if (
        clause.lemma == "be"
        and clause.subject.kind in ("possessed", "other")
        and clause.rest[:1]
        and clause.rest[0].low in ("in", "on")
    ):
        mine = any(w.low in ("my", "our") for w in ws[clause.start : clause.verb])
        if mine and ws[clause.subject.head].low in words("digital_things"):
            spot = clause.verb + 2 if clause.verb + 2 < clause.end else None
    if spot is not None and (
        clause.lemma != "be" or clause.subject.kind == "possessed" or clause.has("since", "now", "nowadays", "these")
    ):
        span = object_after(clause, spot)
        found = [span] if span and _named(ws, span) and not ws[span[0]].time and ws[span[0]].tag != "PRP$" else found
    if found and clause.lemma == "be":
        # "my notes are in Obsidian, tasks in Todoist"
        for w in ws[found[-1][1] : clause.end - 2]:
            if w.low in (",", "and") and ws[w.i + 1].low in words("digital_things") and ws[w.i + 2].low in ("in", "on"):
                more = object_after(clause, w.i + 3)
                found += [more] if more and _named(ws, more) else []
    for start, end in found:
        yield make(clause, "uses_tool", (start, end), subject="user", context=scope(clause, end), types="thing")


def _kept_in(clause: Clause) -> Iterator[Span]:
    """Products after "in", "with", "on" or "using"; a language of programs right after "write"."""
    ws = clause.words
    for w in clause.rest:
        if (
            w.low in words("code_languages")
            and w.text[:1].isupper()
            and clause.lemma in ("write", "code")
            and w.i > clause.verb
        ):
            yield w.i, w.i + 1
    things = {w.low for w in clause.rest} & (words("digital_things") | {"coding", "programming", "work", "gaming", "mixing"})
    plain = clause.rest[:1] and clause.rest[0].low in ("in", "with", "on")
    if clause.lemma in ("keep", "store", "do", "take", "file", "host", "manage", "log", "record", "write", "map") and not (
        things or (plain and clause.lemma in ("write", "record"))
    ):
        return
    for w in clause.rest[:-1]:
        if w.low not in ("in", "with", "on", "using") or w.time:
            continue
        span = object_after(clause, w.i + 1)
        if (
            not span
            or not ws[span[0]].text[:1].isupper()
            or not tool_like(ws, span)
            or any(x.time for x in ws[span[0] : span[1]])
        ):
            continue
        first = ws[span[0]]
        place = first.ent in ("GPE", "LOC", "FAC") and not things
        if first.low not in words("languages") and not place and first.low not in words("time_nouns"):
            yield span
