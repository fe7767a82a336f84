"""Words as the rules see them, and what is put right in their tags before anything reads them.

Invariant: a tag is changed only where the words around it leave one reading ("I" takes no third person, so the word in -s
after its verb is a noun).
"""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.extractors.lexicon import words


@dataclass(slots=True)
class Word:
    """One token: as written (`text`, `low`), as analysed, and where it stands in the turn."""

    i: int
    text: str
    low: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int
    ent: str
    start: int
    end: int
    foreign: bool = False
    time: bool = False

    @property
    def is_mark(self) -> bool:
        """Whether the word is punctuation; the tagger takes odd product names for it, so the characters decide."""
        return not any(c.isalnum() for c in self.text)


_NO_NOUN_TAGS = frozenset({"RB", "RBR", "CC", "UH", "IN", "RP", "VB", "VBP", "FW", "WRB", "DT", "TO", "MD"})


_PASTS = dict(pair.split(":") for pair in words("pasts"))


def retag(found: list[Word]) -> None:
    """Put right what the tagger does to unfamiliar words: product names as adverbs, "team lead" as a verb."""
    shouting = sum(w.text.isupper() for w in found if len(w.text) > 1) * 2 > len(found)
    for word in found:
        inside = any(c.isupper() for c in word.text[1:]) and not word.text.isupper()
        capital = word.i > 0 and word.text[:1].isupper() and len(word.text) > 1 and not word.text.isupper()
        if not shouting and (capital or inside) and word.tag in _NO_NOUN_TAGS and word.text[:1].isalpha():
            word.tag, word.pos = "NNP", "PROPN"
        if word.i == 0 and word.low in _PASTS and word.tag in ("VB", "VBP", "VBN", "NN", "NNP", "JJ"):
            # "Lost our old cat in May": who tells without a subject tells what happened.
            word.tag, word.pos, word.lemma = "VBD", "VERB", _PASTS[word.low]
        if word.tag == "JJ" and word.low.endswith("ing") and word.i and found[word.i - 1].low == "been":
            word.tag, word.pos = "VBG", "VERB"
        if word.tag == "VBD" and word.low == word.lemma and word.low not in words("same_in_past"):
            # "I brew beer": the base form is no past tense.
            word.tag = "VBP"
        if word.tag == "VBD" and word.low == word.lemma and _bare_object(found, word.i + 1):
            # "I knit socks": past and present look alike; with a bare plural and no time it is what somebody does.
            word.tag = "VBP"
        if word.tag in ("NN", "JJ") and _verb_place(found, word.i):
            word.tag, word.pos, word.lemma = ("VBP" if found[word.i - 1].low != "to" else "VB"), "VERB", word.low
        if (
            word.i
            and word.i + 1 < len(found)
            and found[word.i - 1].low in words("she_words") | words("he_words") | words("roles")
        ):
            _of_relative(found, word)
        if word.tag in ("VBP", "VB") and word.i and found[word.i - 1].low in ("i", "we"):
            _object_of(found, word)
        if word.tag in ("JJ", "NN", "NNP") and word.i and found[word.i - 1].low in ("i", "we"):
            _verb_of(found, word.i)
        if word.low == "lead" and word.i and word.tag != "NN" and found[word.i - 1].low in words("lead_of"):
            word.tag, word.pos, word.dep = "NN", "NOUN", "attr"
            before = found[word.i - 1]
            before.dep, before.head, before.tag, before.pos = "compound", word.i, "NN", "NOUN"


def _bare_object(found: list[Word], i: int) -> bool:
    """Whether a bare plural follows, and nothing in the sentence says when."""
    if i >= len(found) or found[i].tag != "NNS":
        return False
    return not any(w.time or w.low in ("already", "just", "finally", "once", "ago", "then") for w in found)


def _verb_place(found: list[Word], i: int) -> bool:
    """After "I no longer" and "I used to" stands a verb, whatever it was taken for."""
    before = [w.low for w in found[max(0, i - 3) : i]]
    if before[-2:] == ["used", "to"] and len(before) == 3 and before[0] in ("i", "we", "who"):
        return True
    return before[-2:] == ["no", "longer"] and len(before) == 3 and before[0] in ("i", "we") and not found[i].low.endswith("ed")


def _of_relative(found: list[Word], verb: Word) -> None:
    """As in "my aunt gilds frames", "my brother tunes pianos": a verb in -s after "my" and a person, with its plural."""
    i = verb.i
    noun = found[i + 1]
    mine = any(w.low in ("my", "our") for w in found[max(0, i - 3) : i])
    if not mine or not verb.low.endswith("s") or verb.tag not in ("NNS", "VBZ") or verb.low in ("is", "has", "does", "'s"):
        return
    if verb.tag == "NNS" and noun.tag not in ("NNS", "DT", "PRP$"):
        return
    if verb.tag == "NNS":
        verb.tag, verb.pos, verb.dep, verb.lemma = "VBZ", "VERB", "ROOT", _base(verb.low)
        found[i - 1].dep, found[i - 1].head = "nsubj", i
    if noun.tag in ("VBZ", "NNS") and noun.low.endswith("s") and noun.low not in ("is", "has", "does", "'s"):
        noun.tag, noun.pos, noun.dep, noun.head = "NNS", "NOUN", "dobj", i


def _base(third: str) -> str:
    """The base form of a third person: "gilds" gild, "catches" catch, "studies" study."""
    if third.endswith("ies"):
        return third[:-3] + "y"
    return third[:-2] if third.endswith(("ches", "shes", "sses", "xes", "zzes")) else third[:-1]


def _object_of(found: list[Word], verb: Word) -> None:
    """As in "I tune pianos", "I judge dog shows": a plural right after the verb, read as another verb."""
    i = verb.i + 1
    if verb.lemma in words("opinion_verbs") | words("complement_verbs") | {"know", "mean", "say", "see", "hear"}:
        return
    if (
        i + 1 < len(found)
        and found[i].tag == "NN"
        and found[i + 1].tag == "VBZ"
        and found[i].low not in words("kin") | words("roles")
    ):
        i += 1
    if (
        i >= len(found)
        or found[i].tag != "VBZ"
        or not found[i].low.endswith("s")
        or found[i].low in ("is", "has", "does", "'s")
    ):
        return
    if i + 1 < len(found) and found[i + 1].tag not in ("IN", "CC", "RB", ",", "."):
        return
    noun = found[i]
    noun.tag, noun.pos, noun.dep, noun.head = "NNS", "NOUN", "dobj", verb.i
    if i > verb.i + 1:
        found[i - 1].dep, found[i - 1].head = "compound", i


def _verb_of(found: list[Word], i: int) -> None:
    """As in "I sculpt birds", read as noun and verb: "I" takes no third person, so the first is the verb."""
    if i + 1 >= len(found) or found[i + 1].tag != "VBZ" or not found[i + 1].low.endswith("s") or len(found[i + 1].low) < 4:
        return
    verb, thing, subject = found[i], found[i + 1], found[i - 1]
    verb.tag, verb.pos, verb.dep, verb.head, verb.lemma = "VBP", "VERB", thing.dep, thing.head, verb.low
    if thing.head == thing.i:
        verb.head = verb.i
    thing.tag, thing.pos, thing.dep, thing.head = "NNS", "NOUN", "dobj", verb.i
    subject.dep, subject.head = "nsubj", verb.i
    for word in found:
        if word.head == thing.i and word.i not in (thing.i, verb.i) and word.dep in ("nsubj", "aux", "advmod", "punct"):
            word.head = verb.i
