"""Noun phrases at the surface: where the object of a clause begins and ends, and the items of a list.

Invariant: a phrase never reaches into a time expression, a following verb, or past the given end, so the object of a claim
is always a run of words of one clause.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.extractors.english import Word
from graphmem.extractors.lexicon import words

Span = tuple[int, int]

_STOP = words("phrase_stops")
TIME_NOUNS = words("time_nouns")
_TIME_LEADS = frozenset({"last", "next", "this", "these", "every", "each", "any", "past", "all"})
_NOMINAL = ("NN", "NNS", "NNP", "NNPS", "CD", "JJ", "JJR", "JJS", "HYPH", "FW", "$", "AFX", "SYM", "ADD", "GW", "XX")
_LEADS = ("DT", "PRP$", "PDT", "CD")
_DEGREES = words("degrees")
_JOINS = frozenset({",", "and", "&", "+", "or", "/", "plus"})


def is_time(ws: list[Word], i: int) -> bool:
    """Whether a time expression, or an adverb that closes a phrase, stands here."""
    w = ws[i]
    if w.time or w.low in _STOP:
        return True
    if w.low in TIME_NOUNS and i + 1 < len(ws) and ws[i + 1].low == "ago":
        return True
    return (
        w.low in _TIME_LEADS
        and i + 1 < len(ws)
        and (ws[i + 1].low in TIME_NOUNS or ws[i + 1].low in ("other", "second", "more"))
    )


def uncased(ws: list[Word]) -> bool:
    """Whether somebody writes without any capitals, so that a name cannot be told by one."""
    return not any(c.isupper() for w in ws for c in w.text)


def has_name(ws: list[Word], start: int, end: int) -> bool:
    """Whether a run of words holds a proper name: by its capital, or where there are no capitals by the tagger's word."""
    if any(w.text[:1].isupper() and w.low not in ("i", "my") for w in ws[start:end]):
        return True
    return uncased(ws) and any(w.tag in ("NNP", "NNPS") and w.text[:1].isalpha() and not w.time for w in ws[start:end])


def phrase(ws: list[Word], i: int, end: int, *, posts: frozenset[str] = frozenset({"of"}), loose: bool = False) -> int:
    """The end of the noun phrase that begins at `i`, or `i` if there is none.

    `posts` are the prepositions whose phrase still belongs to it; `loose` takes one word of any class, for names that the
    tagger does not know.
    """
    j = i
    while (
        j < end
        and (ws[j].tag in _LEADS or ws[j].low in _DEGREES or ws[j].low in ("no", "some", "any", "more", "my", "our"))
        and not is_time(ws, j)
    ):
        j += 1
    core = j
    while j < end and not is_time(ws, j) and (_nominal(ws, j, end, core) or _heaped(ws, j, end, core)):
        j += 1
    if j == core:
        if not (
            loose
            and j < end
            and ws[j].text[:1].isalnum()
            and ws[j].tag not in ("IN", "TO", "CC", "PRP", "WRB", "WP", "RB", "MD")
        ):
            return j if j > i and ws[j - 1].tag in ("CD",) else i
        if is_time(ws, j):
            return i
        j += 1
    return _post(ws, j, end, posts)


def _heaped(ws: list[Word], j: int, end: int, core: int) -> bool:
    """As in "slow, rainy films": a comma between two adjectives of one noun."""
    if ws[j].low != "," or j == core or j + 2 >= end or ws[j - 1].tag != "JJ" or ws[j + 1].tag != "JJ":
        return False
    k = j + 1
    while k < end and (ws[k].tag in ("JJ", "NNP", "NN", "VBG") or (ws[k].low == "," and ws[k - 1].tag == "JJ")):
        k += 1
    before = [w.tag for w in ws[core:j]]
    return (
        all(tag in ("JJ", "RB", ",") for tag in before)
        and k - 1 < end
        and (ws[k - 1].tag == "NN" or (k < end and ws[k].tag in ("NNS", "NNPS")))
    )


def _nominal(ws: list[Word], j: int, end: int, core: int) -> bool:
    w = ws[j]
    if j > core and w.low in ("nobody", "everybody", "everyone", "someone", "somebody", "no-one"):
        # "a piano nobody plays"
        return False
    if w.tag in _NOMINAL or (
        w.text in ("#", "'", "+", "&") and j > core and j + 1 < end and ws[j + 1].tag in _NOMINAL and w.text != "+"
    ):
        return True
    if w.tag == "POS":
        # "at King's": a name may end in it.
        return j > core and (j + 1 < end or ws[j - 1].text[:1].isupper())
    if w.tag in ("VBN", "VBG", "VBD") or (w.tag == "RB" and j + 1 < end and ws[j + 1].tag in ("JJ", "VBN")):
        return j + 1 < end and ws[j + 1].tag in ("NN", "NNS", "NNP", "HYPH", "JJ") and ws[j].low not in ("called", "named")
    return w.tag in ("VBP", "VB", "VBZ") and w.text[:1].isupper() and j > 0


def _post(ws: list[Word], j: int, end: int, posts: frozenset[str]) -> int:
    """Names and complements after the noun: "(T430)", "called Pixel", "of a goldfish", "near Porvoo"."""
    while j < end:
        if ws[j].text == "(":
            close = next((k for k in range(j, end) if ws[k].text == ")"), None)
            if close is None or close - j > 6 or not any(w.text[:1].isupper() or w.text[:1].isdigit() for w in ws[j:close]):
                return j
            j = close + 1
        elif ws[j].low in ("called", "named") and j + 1 < end:
            stop = j + 1
            while stop < end and (ws[stop].text[:1].isupper() or (stop == j + 1 and ws[stop].text[:1].isalnum())):
                stop += 1
            return stop
        elif ws[j].low in ("in-law", "in-laws"):
            j += 1
        elif ws[j].low in posts and j + 1 < end and not ws[j].time and not is_time(ws, j + 1):
            stop = phrase(ws, j + 1, end, posts=posts - {ws[j].low}, loose=ws[j].low != "of")
            if stop == j + 1:
                return j
            j = stop
        else:
            return j
    return j


def items(
    ws: list[Word], i: int, end: int, *, posts: frozenset[str] = frozenset({"of"}), loose: bool = False
) -> Iterator[Span]:
    """The phrases of a list: "two aunts and no uncles"; names after a counted noun belong to it."""
    take = loose
    led = ws[i - 1].low if i and ws[i - 1].low in ("to", "of", "for", "with", "by", "at", "in", "from") else ""
    while i < end:
        stop = phrase(ws, i, end, posts=posts, loose=take)
        if stop == i or ws[i].low == "not":
            return
        stop = _names(ws, i, stop, end)
        yield i, stop
        i = stop
        joined = False
        while i < end and ws[i].low in _JOINS:
            take = loose and ws[i].low != ","
            i += 1
            joined = True
        if not joined:
            return
        while i < end and ws[i].low in ("just", "also", "even", "then", "mostly", "sometimes"):
            i += 1
        if i < end and led and ws[i].low == led:
            # "to latex and to nickel"
            i += 1


def _names(ws: list[Word], start: int, stop: int, end: int) -> int:
    """As in "two goats, Fig and Plum": names that follow a plural or counted noun are the same thing."""
    if ws[stop - 1].tag != "NNS" and not any(w.tag == "CD" for w in ws[start:stop]):
        if (
            stop + 1 < end
            and ws[stop].text == ","
            and ws[stop + 1].tag == "NNP"
            and ws[stop - 1].tag == "NN"
            and (stop + 2 >= end or ws[stop + 2].text in (",", "."))
        ):
            return stop + 2
        return stop
    j = stop
    if j < end and ws[j].text in (",", ":"):
        k = j + 1
        last = stop
        while k < end and ws[k].tag in ("NNP", "NNPS") and ws[k].text[:1].isupper():
            last = k + 1
            k += 1
            if k + 1 < end and ws[k].low in ("and", ",", "&") and ws[k + 1].tag in ("NNP", "NNPS"):
                k += 1
        return last
    return stop


def head(ws: list[Word], start: int, end: int) -> Word:
    """The head noun of a phrase: the last noun before "of", "called", a preposition or a bracket."""
    last = ws[start]
    for w in ws[start:end]:
        if w.low in ("of", "called", "named", "(", "for", "near", "in", "from", "with", ",", ":", "at", "on", "to"):
            break
        last = w
    return last
