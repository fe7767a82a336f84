"""Rules about family in other words: a relative named in passing, a place among siblings, a birth, a wedding in other words.

Invariant: only "my" or "our" makes somebody the speaker's relative; a name alone is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.clauses import Clause
from graphmem.extractors.drafts import ENDED, Draft, make, object_after, rule
from graphmem.extractors.families import PARTNER
from graphmem.extractors.lexicon import words
from graphmem.extractors.people import name_at
from graphmem.extractors.phrases import Span, head, items
from graphmem.extractors.wordings import after, line, stands, wording

_PERSON = {"types": "person", "importance": 0.7}


@rule(
    ("I'm visiting my sister Ines on Friday", "has_family: sister Ines"),
    ("I share custody of our boy Callum", "has_family: boy Callum"),
    ("we took my wife Tess to Riga", "married_to: Tess"),
)
def relative_in_passing(clause: Clause) -> Iterator[Draft]:
    """As in "with my sister Ines": a named relative anywhere after the verb."""
    ws = clause.words
    for w in clause.rest:
        if w.low not in ("my", "our"):
            continue
        j = w.i + 1
        while j < clause.end and ws[j].tag in ("JJ", "NN", "JJR", "JJS", "HYPH") and not ws[j].text[:1].isupper():
            j += 1
        if j == w.i + 1 or j >= clause.end or ws[j - 1].low not in words("kin"):
            continue
        named = name_at(ws, j, clause.end)
        if not named:
            continue
        if ws[j - 1].low in words("partners"):
            yield make(
                clause, "married_to", named, subject="user", temporal="current", polarity="positive", timed=False, **PARTNER
            )
        else:
            yield make(
                clause, "has_family", (w.i + 1, named[1]), subject="user", temporal="current", polarity="positive",
                timed=False, **_PERSON,
            )  # fmt: skip


@rule(
    ("our kids, Otto and Vera, are in daycare", "has_family: kids, Otto and Vera"),
    ("my daughter is called Runa", "has_family: Runa"),
    ("my son's name is Theo", "has_family: Theo"),
    ("my husband is called Marc", "married_to: Marc"),
    fragments=False,
)
def relative_named(clause: Clause) -> Iterator[Draft]:
    """As in "our kids, A and B, ...", "my daughter is called X", "my son's name is X", "my wife is X"."""
    subject = clause.subject
    if subject.kind != "possessed" or subject.start < 0 or clause.negated:
        return
    ws = clause.words
    parts = subject.text.lower().replace("’", "'").replace("'s", "").split()
    kin = next((low for low in reversed(parts) if low in words("kin")), None)
    if "half" in parts[:-1] and parts[0] in ("other", "better"):
        # "my other half Juno"
        named = name_at(ws, subject.start + 1 + parts.index("half") + 1, subject.end)
        if named:
            yield make(clause, "married_to", named, subject="user", temporal="current", timed=False, **_PERSON)
        return
    if kin is None or kin in ("family", "folks"):
        return
    fields = {"subject": "user", "temporal": "current", "timed": False, **_PERSON}
    relation = "married_to" if kin in words("partners") else "has_family"
    called = clause.lemma in ("call", "name") and clause.passive
    named_by_name = clause.lemma == "be" and parts[-1] == "name" and relation == "has_family"
    being = clause.lemma == "be" and parts[-1] in words("partners")
    if (called or named_by_name or being) and not clause.past:
        named = name_at(ws, clause.verb + 1, clause.end)
        if named and (not being or named[1] == clause.end or ws[named[1]].low in (",", ".", "and", "!")):
            yield make(clause, relation, named, **fields)
        return
    if relation == "has_family" and subject.end < clause.end and ws[subject.end].low == ",":
        last = subject.end
        k = subject.end + 1
        while k < clause.group and ws[k].text[:1].isupper():
            last = k + 1
            k += 1
            while k < clause.group and ws[k].low in ("and", ",", "&"):
                k += 1
        if last > subject.end:
            start = subject.start + (ws[subject.start].low in ("my", "our"))
            yield make(clause, "has_family", (start, last), **fields)


_AMONG = wording(
    r"(?:youngest|oldest|eldest|middle|second|third|fourth|last|one|baby) (?:child |kid )?of "
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)"
)
_ONLY = wording(r"(?:the |an )?only child", r"(?:an |a )?(?:orphan|twin|triplet)(?= (?:,|and|but|so)|$)")
_BORE = wording(r"(?:gave birth to|had|welcomed|adopted|raising|raise)")


@rule(
    ("I'm the youngest of five", "trait: the youngest of five"),
    ("I'm the only child", "trait: the only child"),
    ("we welcomed our second son in May", "has_family: second son"),
    ("I'm raising two boys", "has_family: two boys"),
    anyone=False,
)
def among_siblings(clause: Clause) -> Iterator[Draft]:
    """Being the youngest of five or an only child; having, raising children; one that is expected is not there yet."""
    ws = clause.words
    if not clause.speaker or clause.negated or clause.future:
        return
    found = (_AMONG.search(line(clause)) or _ONLY.search(line(clause))) if clause.lemma == "be" and not clause.past else None
    if found:
        start = clause.start + line(clause).count(" ", 0, found.start())
        end = start + found.group().strip().count(" ") + 1
        # What the speaker is among others names none of them.
        if start > clause.start and ws[start - 1].low in ("the", "an", "a"):
            start -= 1
        yield make(clause, "trait", (start, end), timed=False, importance=0.7)
        return
    spot = after(clause, _BORE)
    if spot is None or clause.lemma not in ("give", "have", "welcome", "adopt", "raise"):
        return
    for span in items(ws, spot, clause.end):
        noun = head(ws, *span)
        counted = ws[span[0]].tag in ("CD", "DT") or ws[span[0]].low in ("my", "our")
        if noun.low in words("children") and counted and ws[span[0]].low not in ("the", "some", "no") and not clause.used_to:
            if clause.lemma == "have" and (ws[span[0]].low in ("my", "our") or not clause.past):
                continue
            lead = ws[span[0]].low in ("my", "our")
            yield make(clause, "has_family", (span[0] + lead, span[1]), since=clause.past, temporal="current", **_PERSON)


_TIED = wording(
    r"married to",
    r"(?:happily|newly|long) married to",
    r"engaged to",
    r"(?:tied the knot|got hitched|eloped|shacked up) (?:with|to)",
    r"(?:dating|seeing) (?=a |an |somebody |someone )(?:a |an )?(?:\w+ )?(?:guy|man|woman|girl|bloke|lad|nurse|"
    r"colleague) (?:called|named)",
    r"my (?:other|better) half (?:is|'s)(?: called)?",
    r"(?:wife|husband|partner) of",
    r"together with",
    r"(?:dating|seeing) (?:somebody|someone) (?:called|named)",
    r"been with(?= \w+ (?:since|for))",
)
_UNTIED = wording(r"(?:split up|broke up|separated|got divorced|divorced|parted ways)(?: from| with)?")


@rule(
    ("I'm married to a Dane", "married_to: a Dane"),
    ("we tied the knot, I tied the knot with Sven", "married_to: Sven"),
    ("my better half is Noor", "married_to: Noor"),
)
def tied(clause: Clause) -> Iterator[Draft]:
    """Being with somebody in other words, also where only the kind of person is said."""
    ws = clause.words
    if clause.negated or clause.future or clause.used_to or clause.subject.kind in ("you", "other"):
        return
    spot = after(clause, _TIED)
    if spot is None:
        return
    named = name_at(ws, spot, clause.end)
    span: Span | None = named or (object_after(clause, spot, loose=False) if "married to" in line(clause) else None)
    if not span or head(ws, *span).low in words("anaphora") or ws[span[0]].tag == "PRP$" or ws[span[0]].low == "the":
        return
    if not named and not any(w.text[:1].isupper() for w in ws[span[0] : span[1]]) and head(ws, *span).low not in words("jobs"):
        return
    mine = clause.subject.kind == "possessed" and "half" in clause.subject.text.lower()
    yield make(clause, "married_to", span, subject="user" if mine else None, temporal="current", **PARTNER)


@rule(("Lars and I split up, I broke up with Lars", "married_to: Lars"), anyone=False)
def untied(clause: Clause) -> Iterator[Draft]:
    """As in "I broke up with X"."""
    if not clause.speaker or clause.negated or not clause.past or not stands(clause, _UNTIED):
        return
    named = name_at(clause.words, after(clause, _UNTIED) or clause.end, clause.end)
    if named:
        yield make(clause, "married_to", named, types="person", **ENDED)
