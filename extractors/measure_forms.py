"""How figures and days of things are told: "X is now V", "a deadline of V for X", "I've completed V exercises so far".

What is measured is found by the words and tags around a value, since long requests are parsed badly.  Invariant: a form finds
the thing and the figure of one value and says how it is told; whether it is stated as the case is judged by `measures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphmem.canonical import singular
from graphmem.extractors.figures import Figure
from graphmem.extractors.lexicon import words
from graphmem.extractors.noun_phrases import LINKS, OWN, Thing, after, before, inside
from graphmem.extractors.subjects import BE, FIRST, HAVE, NEGATIONS
from graphmem.extractors.tagging import Word

DEFINITE = OWN | {"the"}
COUNTS = frozenset({"number", "amount", "count"})
_BEFORE_DAYS = frozenset({"on", "for", "at", "the", "to", "by", "now", "currently", "is", "'s"})
# What is regular in -ed is made up; these are not.
_PARTICIPLES = {
    "writing": "written", "completing": "completed", "solving": "solved", "submitting": "submitted", "practicing": "practiced",
    "practising": "practised", "securing": "secured", "cycling": "cycled", "saving": "saved", "raising": "raised",
    "selling": "sold", "closing": "closed", "merging": "merged", "migrating": "migrated", "translating": "translated",
    "reading": "read", "running": "run", "shipping": "shipped", "logging": "logged", "memorizing": "memorized",
    "memorising": "memorised", "annotating": "annotated", "transcribing": "transcribed",
}  # fmt: skip
_PRONOUNS = frozenset({"which", "it", "that"})


class Measure(NamedTuple):
    """A thing and its figure.

    Attributes:
        thing: what is measured.
        figure: its value.
        said: place of the first word that states it.
        changed: whether it is told as new.
        definite: whether it is presupposed, so that a request around it ("help me hit my 3 May deadline") leaves it standing.
        earlier: the value that is said to have been before.
        deed: what was done with it, where that is part of what is counted ("completed").
        finite: whether a verb of its own states it, so that only a condition or a guess around it matters.
        mine: whether it is the speaker's by what is said after it.
        grows: whether it is a tally, which never shrinks.
    """

    thing: Thing
    figure: Figure
    said: int
    changed: bool = False
    definite: bool = False
    earlier: Figure | None = None
    deed: str = ""
    finite: bool = False
    mine: bool = False
    grows: bool = False


def _told(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "X is now V", "X, which has reached V", "X went from U to V", "I've raised my X to V"."""
    i, earlier, to = figure.start - 1, None, False
    if former is not None and former.end == i and ws[i].low == "to" and former.start > 1 and ws[former.start - 1].low == "from":
        i, to = former.start - 2, True
        earlier = former if former.unit == figure.unit else None
    skipped = set()
    while i > 0 and (ws[i].low in words("measure_adverbs") or ws[i].tag == "RB") and ws[i].low not in NEGATIONS:
        skipped.add(ws[i].low)
        i -= 1
    to = to or "to" in skipped
    if to and (ws[i].tag.startswith("NN") or ws[i].low == "it"):
        return _moved(ws, i, figure, earlier)
    if i and "at" in skipped and (ws[i].low == "," or ws[i].tag.startswith("NN")):
        # "my savings, currently at V", "with my balance at V"
        thing = before(ws, i + (ws[i].low != ","))
        with_it = thing is not None and thing.own and thing.start > 0 and ws[thing.start - 1].low == "with"
        plain = thing is not None and (with_it or skipped & {"now", "currently"}) and _measured(thing, figure, said=skipped)
        return Measure(thing, figure, i + 1, changed="now" in skipped, definite=thing.own) if thing and plain else None
    verb = ws[i]
    is_be = verb.low in ("is", "are", "'s", "'re") and (not to or bool(skipped & {"up", "down"}))
    reached = verb.lemma in words("reached") and not to
    if not (is_be or ((reached or (to and verb.lemma in words("grown") | words("arranged"))) and _happened(ws, i))):
        return None
    first = i
    while first > 0 and (ws[first - 1].low in HAVE | BE | {"got"} or ws[first - 1].tag == "RB"):
        first -= 1
    if any(w.low in NEGATIONS for w in ws[first:i]):
        return None
    prior = ws[first - 1].low if first else ""
    relative, aimed = prior in ("which", "that") and first > 1, False
    if relative:
        thing = before(ws, first - (2 if ws[first - 2].low == "," else 1))
    elif prior == "it":
        thing = _antecedent(ws[: first - 1], figure)
    elif prior in FIRST:
        aimed = reached
        thing = after(ws, former.end) if aimed and former is not None and former.unit == figure.unit else None
        if thing is not None and singular(thing.head.low) not in words("measured"):
            thing = None
    else:
        thing = before(ws, first) or _of_deed(ws, first)
    mine = thing is not None and thing.end < first
    if thing is None or not (_measured(thing, figure, said=skipped) or (mine and not relative and not aimed)):
        return None
    changed = not is_be or bool(skipped & {"now", "up", "down"})
    known = relative or aimed or prior == "it"
    return Measure(thing, figure, first, changed=changed, definite=known, earlier=earlier, finite=True, mine=mine)


def _of_deed(ws: Sequence[Word], end: int) -> Thing | None:
    """As in "the number of letters I've sent": whose they are is said by the deed after them."""
    k = end - 1
    while k > 0 and end - k < 6 and (ws[k].tag in ("VBN", "VBD", "IN", "RP", "RB") or ws[k].low in HAVE):
        k -= 1
    counted = before(ws, k) if ws[k].low in FIRST and k < end - 1 else None
    return counted if counted is not None and any(w.low in COUNTS for w in counted.parts) else None


def _moved(ws: Sequence[Word], i: int, figure: Figure, earlier: Figure | None) -> Measure | None:
    """As in "I've extended my sessions to V", "we managed to bring it down to V": what is moved stands before "to"."""
    thing = _antecedent(ws[:i], figure) if ws[i].low == "it" else before(ws, i + 1)
    at = i - 1 if ws[i].low == "it" else thing.start - 1 if thing is not None else 0
    if thing is None or at < 1 or thing.parts[0].low not in DEFINITE or ws[at].lemma not in words("moved_by"):
        return None
    managed = at > 1 and ws[at].tag == "VB" and ws[at - 1].low == "to" and ws[at - 2].low == "managed"
    result = earlier is not None and ws[at].tag == "VBG" and ws[at - 1].low == ","
    if not (managed or result or _happened(ws, at)):
        return None
    return Measure(thing, figure, at - 2 * managed, changed=True, earlier=earlier, finite=True, definite=ws[i].low == "it")


def _of_figure(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "a deadline of V for X", "our new quota of V"."""
    i = figure.start - 1
    thing = before(ws, i) if i > 1 and ws[i].low == "of" else None
    if thing is None or singular(thing.head.low) not in words("measured"):
        return None
    changed = any(w.low in words("renewed") for w in thing.parts)
    definite = thing.own or (changed and thing.parts[0].low == "the")
    held = thing.start > 0 and ws[thing.start - 1].low in HAVE | {"with", "got"}
    if not definite and not (held and thing.parts[0].low in ("a", "an")):
        return None
    end = figure.end + (figure.unit == "part" and figure.end < len(ws) and ws[figure.end].low in ("correct", "right"))
    return Measure(thing.joined(_for_what(ws, end, "for", "on", "to")), figure, thing.start, changed=changed, definite=definite)


def _before_noun(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "my 3 May deadline for X", "our new 900 € budget for X"."""
    noun = after(ws, figure.end, links=0)
    if noun is None or singular(noun.head.low) not in words("measured") | words("dated_things") or figure.unit in ("", "part"):
        return None
    start = figure.start - 1
    while start > 0 and ws[start].tag in ("JJ", "VBN"):
        start -= 1
    changed = any(w.low in words("renewed") for w in ws[start + 1 : figure.start])
    if start < 0:
        return None
    if ws[start].low in (DEFINITE if changed else OWN):
        thing = Thing((ws[start], *noun.parts), noun.head)
        return Measure(thing.joined(_for_what(ws, noun.end)), figure, start, changed=changed, definite=True)
    # "I have 85 % accuracy in X": whose it is stands before, what it is of after.
    verb = start - (ws[start].low in ("a", "an"))
    if ws[verb].low == "with" and former is not None and figure.unit == "%":
        tally = _tally(ws, former, None)
        if tally is None or tally.thing.end != verb or tally.deed == "had":
            return None
        return Measure(noun.joined(tally.thing), figure, tally.said, changed=tally.changed, finite=True, mine=True)
    after_it = _for_what(ws, noun.end)
    had = verb > 0 and ws[verb].low in ("have", "'ve", "got", "reached", "achieved", "maintained", "hit")
    if after_it is None or not had or figure.unit == "date" or ws[verb].tag == "VB":
        return None
    first = verb
    while first > 0 and (ws[first - 1].low in HAVE or ws[first - 1].tag == "RB"):
        first -= 1
    if not first or ws[first - 1].low not in FIRST:
        return None
    return Measure(noun.joined(after_it), figure, first - 1, finite=True)


def _tally(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "I've completed V exercises so far", "my library now has V sources", "I've spent V hours on X"."""
    i = figure.start - 1
    while i > 0 and ws[i].low in ("a", "total", "of", "about", "around", "roughly", "over", "exactly", "only", "just"):
        i -= 1
    first = i
    while first > 0 and (ws[first - 1].low in HAVE or ws[first - 1].tag == "RB"):
        first -= 1
    if i < 1 or not first:
        return None
    said, between = first - 1, {w.low for w in ws[first : i + 1]}
    if ws[i].tag == "VBG" and ws[i - 1].low == "after" and ws[i].lemma in words("tallied") and not figure.unit:
        counted = after(ws, figure.end, joining=LINKS - {"with"})
        told = counted is not None and counted.head.tag == "NNS" and not counted.own and _came_about(ws, i - 1)
        deed = _PARTICIPLES.get(ws[i].low, f"{ws[i].low.removesuffix('ing')}ed")
        return Measure(counted, figure, i, deed=deed, finite=True, grows=True) if counted is not None and told else None
    speaker, perfect = ws[said].low in FIRST, bool(between & {"have", "'ve"}) and ws[i].tag in ("VBN", "VBD")
    now = bool(between & {"now", "currently"}) or (said > 0 and ws[said - 1].low == "now")
    fact = said > 1 and (ws[said - 2].low, ws[said - 1].low) == ("fact", "that")
    if ws[i].lemma == "spend":
        on = figure.end + 1 if figure.end + 1 < len(ws) and (ws[figure.end].low == "on" or ws[figure.end].tag == "VBG") else 0
        thing = after(ws, on) if on and perfect and speaker and figure.unit in ("hour", "minute", "day", "week") else None
        return Measure(thing, figure, said, changed="now" in between, deed="spent", finite=True) if thing else None
    if figure.unit in ("€", "$", "£") and ws[i].low in ("allocated", "budgeted") and speaker:
        purpose = _for_what(ws, figure.end)
        return Measure(purpose, figure, said, deed=ws[i].low, finite=True) if purpose else None
    if figure.unit not in words("tally_units") | {"", "part"}:
        return None
    counted = after(ws, figure.end - (figure.unit in words("tally_units")), joining=LINKS - {"with"})
    if counted is None or counted.own or counted.head.tag not in ("NNS", "NNPS"):
        return None
    # Of a tally that grows, "already" and "recently" tell of a later count as "now" does.
    new = bool(between & {"already", "recently", "only"}) or fact
    later = bool(between & {"already", "recently", "now", "currently"})
    tallied = ws[i].lemma in words("tallied") and (perfect or (ws[i].tag == "VBD" and new))
    if speaker and (tallied or (ws[i].low in ("have", "'ve") and now)):
        return Measure(counted, figure, said, changed=later, deed=ws[i].low if tallied else "had", finite=True, grows=tallied)
    owner = before(ws, first) if ws[i].low in ("has", "contains", "includes", "have") and not speaker else None
    if owner is not None and owner.own:
        return Measure(counted.joined(owner), figure, owner.start, changed="now" in between, deed="had", finite=True)
    return None


def _scored(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "I'm averaging V on X", "I've scored V in X", "I'm now at V in X"."""
    i = figure.start - 1
    while i > 0 and (ws[i].low in ("about", "around", "roughly", "at", "a", "an") or ws[i].tag == "RB"):
        i -= 1
    first = i
    while first > 0 and (ws[first - 1].low in HAVE | BE or ws[first - 1].tag == "RB"):
        first -= 1
    deed = {"average": "averaged", "score": "scored", "be": "reached"}.get(ws[i].lemma if i >= 0 else "", "")
    if ws[i].low == "scoring" and i > 1 and ws[i - 1].low == "," and any(w.low in FIRST for w in ws[:i]):
        at = figure.end + (figure.end < len(ws) and ws[figure.end].low in ("correct", "right"))
        told = figure.unit in ("%", "part") and _came_about(ws, i) and at + 1 < len(ws) and ws[at].low in ("on", "in", "for")
        on = after(ws, at + 1) if told else None
        return Measure(on, figure, i, deed="scored", finite=True) if on is not None else None
    be = ws[i].low in ("am", "'m") and "at" in {w.low for w in ws[i + 1 : figure.start]} if i >= 0 else False
    if figure.unit not in ("%", "part") or not deed or (deed == "reached" and not be) or ws[i].tag == "VB" or not first:
        return None
    at = figure.end
    linked = ws[first - 1].low in FIRST and at + 1 < len(ws) and ws[at].low in ("on", "in", "for", "with")
    thing = after(ws, at + 1) if linked else None
    now = any(w.low == "now" for w in ws[first : figure.start])
    return Measure(thing, figure, first - 1, changed=now, deed=deed, finite=True) if thing else None


def _dated(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "I have a call with X on V", "my exam is scheduled for V"."""
    i = figure.start - 1
    while i > 0 and ws[i].low in _BEFORE_DAYS:
        i -= 1
    end = i + 1
    while end > 0 and (ws[end - 1].low in words("arranged") or ws[end - 1].low in BE | HAVE or ws[end - 1].tag == "RB"):
        end -= 1
    thing = before(ws, end) if figure.unit == "date" else None
    if thing is None or singular(thing.head.low) not in words("dated_things") or _listed(ws, figure.end):
        return None
    arranged = any(w.low in words("arranged") for w in ws[end : i + 1])
    changed = any(w.low in words("renewed") | {"now"} for w in (*thing.parts, *ws[end : figure.start]))
    first = thing.parts[0].low
    held = thing.start > 0 and ws[thing.start - 1].low in ("have", "'ve", "got", "booked", "scheduled")
    if not (thing.own or (first == "the" and arranged) or (first in ("a", "an") and held)):
        return None
    return Measure(thing, figure, thing.start, changed=changed, definite=thing.own and not arranged)


def _listed(ws: Sequence[Word], at: int) -> bool:
    """As in "10 May, 12 and 15": there are several, and none of them is the day."""
    while at < len(ws) and (ws[at].low in (",", "and", "or", "&")):
        at += 1
        if at < len(ws) and ws[at].tag == "CD" and (at + 1 == len(ws) or ws[at + 1].tag[:2] != "NN"):
            return True
    return False


def _placed(ws: Sequence[Word], figure: Figure, former: Figure | None) -> Measure | None:
    """As in "I'm now on page V of X", "I've got to level V in X"."""
    i = figure.start - 1
    if i < 3 or ws[i].low not in words("stations") or ws[i - 1].low not in ("on", "at", "to") or figure.unit:
        return None
    k = i - 2
    while k > 0 and (ws[k].tag == "RB" or ws[k].low in ("got", "made", "reached", "it", "up") or ws[k].low in HAVE | BE):
        k -= 1
    speaker = ws[k].low in FIRST and any(w.low in ("'m", "am", "'re", "are", "'ve", "have") for w in ws[k:i])
    at = figure.end
    within = after(ws, at + 1) if speaker and at + 1 < len(ws) and ws[at].low in ("of", "in") else None
    if within is None or any(w.low in NEGATIONS for w in ws[k:i]):
        return None
    return Measure(
        Thing((ws[i], ws[at], *within.parts), ws[i]),
        figure,
        k,
        changed="now" in {w.low for w in ws[k:i]},
        finite=True,
        mine=True,
    )


READINGS = (_told, _of_figure, _before_noun, _tally, _scored, _dated, _placed)


def _happened(ws: Sequence[Word], i: int) -> bool:
    """Whether the verb at a place tells what has come about: a past form with its subject or auxiliary before it."""
    k = i - 1
    while k > 0 and ws[k].tag == "RB" and ws[k].low not in NEGATIONS:
        k -= 1
    if k < 0 or ws[i].tag not in ("VBD", "VBN", "VBZ"):
        return False
    return (
        ws[i].tag != "VBN" or ws[k].tag[:2] == "NN" or ws[k].low in HAVE | (BE - {"be", "being"}) | {"got"} | FIRST | _PRONOUNS
    )


def _came_about(ws: Sequence[Word], i: int) -> bool:
    """Whether what stands before a place tells of the past, so that "after solving 8 puzzles" is past as well."""
    verb = next((k for k in range(i - 1, -1, -1) if ws[k].tag.startswith("VB") or ws[k].tag == "MD"), -1)
    if verb < 0 or not any(w.low in FIRST | OWN for w in ws[:i]):
        return False
    return ws[verb].tag == "VBD" or (ws[verb].tag == "VBN" and any(w.low in HAVE for w in ws[max(0, verb - 3) : verb]))


def _measured(thing: Thing, figure: Figure, *, said: set[str]) -> bool:
    """Whether this thing can have this figure: a listed noun, or one's own with a unit or told as of now."""
    noun = singular(thing.head.low)
    if figure.unit == "date":
        return noun in words("dated_things")
    if noun in words("measured"):
        return True
    return thing.own and noun not in words("no_attribute") and (bool(figure.unit) or bool(said & {"now", "to"}))


def _for_what(ws: Sequence[Word], at: int, *by: str) -> Thing | None:
    """As in "(,) for the first draft"."""
    at += at < len(ws) and ws[at].low == ","
    if (
        at + 2 >= len(ws)
        or ws[at].low not in (by or ("for", "on", "in", "to"))
        or ws[at + 1].time
        or ws[at + 1].low in ("a", "an")
    ):
        return None
    deed = (ws[at + 1].tag in ("VB", "VBG") and ws[at + 2].tag[:2] != "NN") or ws[at + 1].tag == "VB"
    if ws[at].low == "to" and not deed:
        return None
    found = after(ws, at + 1 + deed)
    return Thing((*ws[at : at + 1 + deed], *found.parts), found.head) if found is not None else None


def _antecedent(ws: Sequence[Word], figure: Figure) -> Thing | None:
    """What "it" stands for: the only definite thing before that can have such a figure."""
    group = words("dated_things") if figure.unit == "date" else words("measured")
    found = [thing for w in ws if singular(w.low) in group and (thing := inside(ws, w.i)) is not None]
    return found[0] if len(found) == 1 else None
