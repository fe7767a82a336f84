"""Subjects and verb groups: which words are the subject of which main verb, found at the surface and in the parse.

Invariant: a verb is the main verb of one subject at most; pronouns choose their verbs first, since taggers know them best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words

FIRST = frozenset({"i", "we"})
SECOND = frozenset({"you"})
THIRD = frozenset({"he", "she", "they", "it", "this", "that", "these", "those", "who", "which", "there"})
PRONOUNS = FIRST | SECOND | {"he", "she", "they", "it"}
BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'m", "'re", "'s", "m", "re", "ai"})
HAVE = frozenset({"have", "has", "had", "'ve", "having", "ve"})
GET = frozenset({"got", "get", "gets", "getting"})
DO = frozenset({"do", "does", "did"})
MODALS = frozenset(
    {"will", "'ll", "wo", "would", "'d", "can", "ca", "could", "may", "might", "must", "should", "shall", "ought"}
)
AUXILIARIES = BE | HAVE | GET | DO | MODALS
NEGATIONS = frozenset({"not", "n't", "never", "hardly", "barely", "neither", "nor"})
COORDINATORS = frozenset({"and", "but", "or", "yet", "plus", "&", "nor"})


@dataclass(slots=True)
class Subject:
    """The subject of a clause: its words, and whether it is the speaker, the speaker's something, or another."""

    kind: str  # user, possessed, named, pronoun, you, other, implied
    start: int = -1
    end: int = -1
    head: int = -1
    text: str = "user"
    companion: str | None = None


def joined(found: list[Word]) -> str:
    """The words as they were written, with a blank where one stood."""
    text = ""
    for n, word in enumerate(found):
        text += (" " if n and word.start > found[n - 1].end else "") + word.text
    return text


def heads(sentence: Sentence) -> Iterator[tuple[Subject | None, int]]:
    """Pairs of subject and main verb; None where the verb has no subject of its own."""
    seen: set[int] = set()
    ws = sentence.words
    # Pronouns first: "my wife and I got married" has one subject, and it is the speaker.
    for word in sorted(ws, key=lambda w: (w.low not in PRONOUNS, w.i)):
        subject = _subject_at(ws, word)
        if subject is None or _complement(ws, subject, seen):
            continue
        verb = _verb_after(ws, subject)
        if verb is not None and verb not in seen:
            seen.add(verb)
            yield subject, verb
    yield from _possessed_subjects(ws, seen)
    for word in ws:
        if word.i not in seen and _bare_head(ws, word, seen):
            verb = group_end(ws, word.i)
            if verb not in seen:
                seen.update((verb, word.i))
                yield None, verb


def _possessed_subjects(ws: list[Word], seen: set[int]) -> Iterator[tuple[Subject, int]]:
    """As in "my X at the Y is": subjects that the parser missed, told by "my" at a boundary and a finite verb."""
    for word in ws:
        if word.low not in ("my", "our") or (
            word.i and ws[word.i - 1].low not in (",", "and", "but", "so", "because", ":", "since", "that", "while")
        ):
            continue
        i = word.i + 1
        while (
            i < len(ws)
            and (ws[i].pos in ("NOUN", "PROPN", "ADJ", "NUM") or ws[i].tag in ("VBG", "HYPH"))
            and ws[i].low not in BE
        ):
            if _noun_like_verb(ws, i):
                break
            i += 1
        head = i - 1
        if i + 2 < len(ws) and ws[i].tag == "IN" and i > word.i + 1:
            i += 1
            while i < len(ws) and (ws[i].pos in ("NOUN", "PROPN", "ADJ", "DET", "NUM") or ws[i].tag == "PRP$"):
                i += 1
        if (
            head > word.i
            and i < len(ws)
            and (ws[i].tag in ("VBZ", "VBP", "VBD", "MD") or _noun_like_verb(ws, i))
            and i not in seen
        ):
            verb = group_end(ws, i)
            if verb not in seen:
                seen.add(verb)
                yield Subject("possessed", word.i, head + 1, head, joined(ws[word.i + 1 : head + 1])), verb


def _noun_like_verb(ws: list[Word], i: int) -> bool:
    """As in "my husband snores": a verb that the tagger takes for a plural noun."""
    return (
        ws[i - 1].low in words("kin") | words("roles")
        and ws[i].tag in ("NNS", "NNP", "NN")
        and ws[i].low.endswith("s")
        and (ws[i].low[:-1] in words("habit_verbs") or ws[i].low == "studies")
    )


COMPLEMENT_VERBS = words("complement_verbs")


def _complement(ws: list[Word], subject: Subject, verbs: set[int]) -> bool:
    """Whether a noun right after such a verb is its object ("I like my reviews blunt"), not the subject of a new clause."""
    before = subject.start - 1
    if ws[subject.head].low in PRONOUNS or before not in verbs:
        return False
    return ws[before].lemma in COMPLEMENT_VERBS or ws[before].low in BE


def _subject_at(ws: list[Word], word: Word) -> Subject | None:
    low = word.low
    if (low in PRONOUNS and word.tag == "PRP" and word.dep not in ("dobj", "pobj", "dative")) or low == "i":
        return _pronoun(ws, word)
    if word.dep in ("nsubj", "nsubjpass") and low not in PRONOUNS:
        return _noun_subject(ws, word)
    if word.tag == "EX" and word.dep == "expl":
        return Subject("pronoun", word.i, word.i + 1, word.i, word.text)
    return None


def _pronoun(ws: list[Word], word: Word) -> Subject:
    low = word.low
    start = word.i
    if low in FIRST:
        companion = None
        # "my gf Tess and I": the noun phrase before "and I" shares the subject.
        if word.i >= 3 and ws[word.i - 1].low == "and" and ws[word.i - 2].pos in ("NOUN", "PROPN"):
            first = word.i - 2
            while (
                first > 0 and ws[first - 1].pos in ("NOUN", "PROPN", "ADJ", "DET", "PRON") and ws[first - 1].low not in PRONOUNS
            ):
                first -= 1
                if ws[first].low in ("my", "our"):
                    start = first
                    companion = joined(ws[first + 1 : word.i - 1])
                    break
        return Subject("user", start, word.i + 1, word.i, "user", companion)
    kind = "you" if low in SECOND else "pronoun"
    return Subject(kind, start, word.i + 1, word.i, word.text)


def _noun_subject(ws: list[Word], word: Word) -> Subject | None:
    if word.tag in ("WP", "WDT"):
        return Subject("relative", word.i, word.i + 1, word.i, word.text)
    start, end = noun_span(ws, word.i)
    lows = [w.low for w in ws[start:end]]
    if (lows and lows[0] == "me") or (start >= 2 and ws[start].low == "my" and ws[start - 2].low == "me"):
        return Subject("user", start, end, word.i, "user")
    if word.low in THIRD or word.tag in ("WP", "WDT", "DT", "EX"):
        return Subject("pronoun" if word.tag not in ("WP", "WDT") else "relative", start, end, word.i, word.text)
    if len(lows) == 1 and lows[0] in words("kin") and word.tag in ("NN", "NNP"):
        return Subject("possessed", start, end, word.i, word.text)
    if lows and lows[0] in ("my", "our"):
        text = joined(ws[start + 1 : end])
        return Subject("possessed", start, end, word.i, text)
    if len(lows) == 2 and lows[0] in words("kin") and all(w.text[:1].isupper() for w in ws[start:end]):
        # "Auntie Bea": the speaker's own, without "my".
        return Subject("possessed", start, end, word.i, joined(ws[start:end]))
    if word.tag == "NNP" and all(w.tag in ("NNP", "HYPH") or w.text.istitle() for w in ws[start:end]):
        return Subject("named", start, end, word.i, joined(ws[start:end]))
    return Subject("other", start, end, word.i, joined(ws[start:end]))


def noun_span(ws: list[Word], head: int) -> tuple[int, int]:
    """The noun phrase around its head: determiners and modifiers before it, names and "in law" after it."""
    start = head
    while start > 0:
        w = ws[start - 1]
        if (
            w.pos in ("DET", "ADJ", "NOUN", "PROPN", "NUM")
            or w.tag in ("PRP$", "POS", "HYPH", "VBN", "VBG")
            or (w.pos == "VERB" and w.dep in ("nmod", "amod", "compound"))
        ):
            if w.tag in ("VBN", "VBG") and w.dep not in ("amod", "compound"):
                break
            start -= 1
            if w.low in ("my", "our"):
                break
            continue
        break
    if ws[start].tag == "NNP" and start and ws[start - 1].text.istitle() and ws[start - 1].tag in ("RB", "UH", "FW", "NNS"):
        # "Dolly Parton": a first name that the tagger does not know.
        start -= 1
    end = head + 1
    if end + 1 < len(ws) and ws[end].low == "in" and ws[end + 1].low in ("law", "laws"):
        end += 2
    while end < len(ws) and ws[end].tag in ("NNP", "NNPS") and ws[end].text[:1].isupper() and ws[end].pos == "PROPN":
        end += 1
    return start, end


def _verb_after(ws: list[Word], subject: Subject) -> int | None:
    """The main verb of the group that follows the subject, through adverbs, auxiliaries and an inserted relative clause."""
    i = subject.end
    limit = i + 5
    while i < len(ws) and i < limit:
        w = ws[i]
        if w.pos in ("VERB", "AUX") or w.low in BE or w.low in HAVE or w.low in MODALS:
            return group_end(ws, i)
        if (
            w.pos in ("ADV", "PART", "INTJ")
            or w.tag in ("RB", "DT", "RBR")
            or w.low in ("all", "both", "just", "still", "mostly")
        ):
            i += 1
            continue
        break
    head = ws[subject.head].head
    if head > subject.head and ws[head].pos in ("VERB", "AUX") and ws[subject.head].dep in ("nsubj", "nsubjpass"):
        return head
    if head < subject.head and ws[head].pos in ("VERB", "AUX") and ws[subject.head].dep in ("nsubj", "nsubjpass"):
        return head
    # "I crochet blankets": a pronoun followed by a word that only looks like a noun.
    if i < len(ws) and ws[subject.head].low in PRONOUNS and ws[i].tag in ("NN", "NNP", "NNS", "JJ") and i == subject.end:
        return i
    return None


def group_end(ws: list[Word], i: int) -> int:
    """Walk from the first verb-like word to the main verb of its group."""
    verb = i
    j = i
    while j < len(ws):
        w = ws[j]
        low = w.low
        if low in MODALS or low in DO or low in HAVE or low in BE or low in GET:
            verb = j
            nxt = _next_verb(ws, j)
            if nxt is None or not _continues(low, j, ws[nxt]):
                return verb
            verb = j = nxt
            if ws[j].low not in BE | HAVE | DO | GET:
                return verb
            continue
        return j if w.pos in ("VERB", "AUX") else verb
    return verb


def _next_verb(ws: list[Word], j: int) -> int | None:
    k = j + 1
    while k < len(ws) and k <= j + 5:
        w = ws[k]
        if w.pos in ("VERB", "AUX") or w.low in BE:
            return k
        if w.pos in ("ADV", "PART") or w.low in NEGATIONS or w.tag in ("RB", "RBR"):
            k += 1
            continue
        return None
    return None


def _continues(low: str, at: int, nxt: Word) -> bool:
    if low in MODALS or low in DO:
        return nxt.tag in ("VB", "VBP", "VBD", "VBN") or nxt.low in ("be", "have")
    if nxt.low in words("foods") or nxt.low in words("pets"):
        return False
    if low in GET:
        return nxt.i == at + 1 and nxt.tag in ("VBN", "VBD") and nxt.dep not in ("amod", "compound")
    if low in HAVE:
        return nxt.tag in ("VBN", "VBD") or nxt.low in ("been", "got")
    return (nxt.tag == "VBG" and nxt.dep not in ("amod", "compound", "attr")) or (
        nxt.tag in ("VBN", "VBD") and nxt.dep not in ("acomp", "attr", "amod") and nxt.low not in ADJECTIVAL
    )


ADJECTIVAL = words("adjectival_participles")


def _bare_head(ws: list[Word], word: Word, seen: set[int]) -> bool:
    """A finite verb without a subject: at the front ("Moved to Lisbon"), or joined on ("and work at Nokia")."""
    if (
        word.tag in ("NN", "NNP")
        and word.dep == "conj"
        and word.i
        and ws[word.i - 1].low in ("and", "but")
        and word.i + 1 < len(ws)
    ):
        # "I live in Bonn and work at Haribo": the tagger often takes the second verb for a noun.
        return (
            ws[word.head].tag in ("VBP", "VB")
            and word.head in seen
            and (ws[word.i + 1].tag in ("IN", "DT", "PRP$") or word.low in words("habit_verbs"))
        )
    if word.pos not in ("VERB", "AUX") or word.dep in ("aux", "auxpass", "amod", "compound"):
        return False
    if word.tag not in ("VBD", "VBP", "VBZ", "VB", "VBN", "VBG", "MD"):
        return False
    before = word.i - 1
    while before >= 0 and (ws[before].pos in ("ADV", "PART") or ws[before].low in AUXILIARIES or ws[before].tag == "RB"):
        if ws[before].low == "to":
            return False
        if before in seen:
            return False
        before -= 1
    if before < 0:
        return True
    low = ws[before].low
    if low in COORDINATORS or low in (",", ":", "("):
        if (
            word.tag in ("VBG", "VB")
            and before + 1 < word.i
            and any(ws[k].low in AUXILIARIES for k in range(before + 1, word.i))
        ):
            return True
        if word.tag in ("VBG", "VB"):
            return (
                low in (",", ":", "(")
                and word.dep in ("conj", "ROOT", "advcl", "parataxis", "ccomp", "dep", "acl")
                and word.tag == "VBG"
            )
        earlier = [ws[v] for v in seen if v < word.i]
        return not earlier or word.tag in ("VBD", "VBP", "VBZ", "VBN")
    return False
