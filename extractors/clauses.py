"""Clauses: who does what in a sentence, cut along the line of the words and only hinted at by the parse tree.

Invariant: the clauses of a sentence do not overlap, each is a contiguous run of words, and each has one main verb.  Cutting
at the surface keeps one wrong attachment (common in chat) from mixing the words of two clauses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graphmem.extractors.english import Sentence, Word
from graphmem.extractors.lexicon import words
from graphmem.extractors.subjects import AUXILIARIES, BE, COORDINATORS, HAVE, NEGATIONS, Subject, group_end, heads

MARKS = words("marks")


@dataclass(slots=True)
class Clause:
    """A verb with its subject and the words around it; all positions are word indices of the sentence."""

    sentence: Sentence
    start: int
    end: int
    subject: Subject
    verb: int
    group: int  # first word of the verb group
    mark: str = ""
    relative: bool = False
    passive: bool = False
    used_to: bool = False
    future: bool = False
    aux: tuple[str, ...] = ()
    adverbs: tuple[str, ...] = ()
    negated: bool = False
    parent: int = -1  # the verb of the clause this one depends on
    inherited: bool = False
    spelled: str | None = field(default=None, repr=False)  # its words on one line, once asked for

    @property
    def words(self) -> list[Word]:
        """All words of the sentence."""
        return self.sentence.words

    @property
    def lemma(self) -> str:
        """The main verb's lemma; contracted forms of "be" and "have" are spelled out."""
        word = self.words[self.verb]
        if word.low in BE:
            return "be"
        if word.low in HAVE or (word.low == "got" and any(a in HAVE for a in self.aux)):
            return "have"
        return word.lemma

    @property
    def tag(self) -> str:
        """The part-of-speech tag of the main verb."""
        return self.words[self.verb].tag

    @property
    def rest(self) -> list[Word]:
        """The words after the main verb, to the end of the clause."""
        return self.words[self.verb + 1 : self.end]

    @property
    def before(self) -> list[Word]:
        """The words of the clause that stand before its subject or verb group."""
        stop = self.subject.start if self.subject.start >= 0 else self.group
        return self.words[self.start : max(self.start, stop)]

    @property
    def lows(self) -> list[str]:
        """Lower-case words of the clause."""
        return [w.low for w in self.words[self.start : self.end]]

    @property
    def past(self) -> bool:
        """Simple past, or past perfect."""
        if self.aux:
            return self.aux[0] in ("did", "was", "were", "had") and "have" not in self.aux
        return self.tag == "VBD" or self.words[self.verb].low in ("was", "were", "had")

    @property
    def perfect(self) -> bool:
        """Present perfect: "have lived", "have been living"."""
        return bool(self.aux) and self.aux[0] in ("have", "has", "'ve", "'s") and self.tag in ("VBN", "VBG", "VBD")

    @property
    def progressive(self) -> bool:
        """A form of "be" with an -ing verb."""
        return self.tag == "VBG" and (any(a in BE for a in self.aux) or not self.aux)

    @property
    def speaker(self) -> bool:
        """Whether the subject is the one who speaks."""
        return self.subject.kind in ("user", "implied")

    def has(self, *lows: str) -> bool:
        """Whether any of the words stands in the clause."""
        return any(w.low in lows for w in self.words[self.start : self.end])

    def text(self, start: int, end: int) -> str:
        """The characters of a run of words, as they stand in the sentence."""
        if end <= start:
            return ""
        offset = self.sentence.start
        return self.sentence.text[self.words[start].start - offset : self.words[end - 1].end - offset]


def clauses(sentence: Sentence) -> list[Clause]:
    """Cut a sentence into clauses, in order."""
    found = sorted(heads(sentence), key=lambda item: item[1])
    starts = [_begin(sentence, subject, verb, [v for _, v in found]) for subject, verb in found]
    result: list[Clause] = []
    for number, (subject, verb) in enumerate(found):
        start = starts[number]
        end = next((s for s in starts[number + 1 :] if s > verb), len(sentence.words))
        clause = _clause(sentence, subject, verb, start, end)
        result.append(clause)
    _inherit(result)
    return result


def _begin(sentence: Sentence, subject: Subject | None, verb: int, verbs: list[int]) -> int:
    """Where a clause starts: its subject or verb group, with the adverbial phrase and joining words before it."""
    ws = sentence.words
    first = subject.start if subject else verb
    if subject and subject.kind == "relative":
        return first
    if subject and subject.start > verb:
        first = verb
    while (
        subject is None
        and first > 0
        and (ws[first - 1].pos in ("ADV", "PART") or ws[first - 1].low in AUXILIARIES | NEGATIONS)
        and first - 1 not in verbs
    ):
        first -= 1
    j = first
    while j > 0:
        previous = ws[j - 1]
        if j - 1 in verbs or previous.low in COORDINATORS:
            break
        if (
            previous.low in MARKS
            and previous.tag in ("IN", "WRB", "WP", "CC")
            and previous.dep in ("mark", "advmod", "prep", "dobj", "attr", "cc")
        ):
            if previous.dep == "prep" and j != first:
                j -= 1
                continue
            if previous.dep in ("mark", "advmod", "dobj", "attr") or j == first:
                j -= 1
                break
        if previous.pos == "PUNCT" or previous.low in (",", ":", "(", "-"):
            if previous.low == "," and _lead_in(ws, j - 1, verbs):
                j = 0
            break
        j -= 1
    if j - 1 in verbs or (j > 0 and j < first and ws[j - 1].pos in ("VERB", "AUX")):
        return _after_complement(ws, j, first)
    return _lead(ws, j, first)


def _lead_in(ws: list[Word], comma: int, verbs: list[int]) -> bool:
    """As in "Last week, I ..." and "At work, we ...": an adverbial phrase that opens the sentence belongs to its clause."""
    if not 0 < comma <= 6 or any(v < comma for v in verbs) or any(w.low == "," for w in ws[:comma]):
        return False
    return ws[0].time or (
        ws[0].low in ("at", "in", "on", "for", "since", "after", "during", "with", "before", "until")
        and ws[0].tag in ("IN", "RB")
    )


def _lead(ws: list[Word], j: int, first: int) -> int:
    """Keep the words between a boundary and the subject only if they are a lead-in (adverb, mark, phrase)."""
    if j == first:
        return first
    if ws[j].low in MARKS or ws[j].pos in (
        "ADP",
        "ADV",
        "SCONJ",
        "INTJ",
        "ADJ",
        "DET",
        "CCONJ",
        "VERB",
        "PART",
        "NOUN",
        "PROPN",
        "NUM",
        "PRON",
        "AUX",
    ):
        return j
    return first


def _after_complement(ws: list[Word], j: int, first: int) -> int:
    """After an earlier verb with no boundary in between: only marks and adverbs right before the subject belong here."""
    k = first
    while k > j and (ws[k - 1].low in MARKS or ws[k - 1].pos in ("ADV", "SCONJ")):
        k -= 1
    return k


def _clause(sentence: Sentence, subject: Subject | None, verb: int, start: int, end: int) -> Clause:
    ws = sentence.words
    group = verb
    while (
        group > start
        and (
            ws[group - 1].low in AUXILIARIES | NEGATIONS or (ws[group - 1].pos in ("ADV", "PART") and ws[group - 1].low != "to")
        )
        and (subject is None or group - 1 >= subject.end or subject.start > verb)
    ):
        group -= 1
    between = ws[group:verb]
    aux = tuple(w.low for w in between if w.low in AUXILIARIES)
    if subject is not None and subject.kind == "you" and ws[verb].low in ("address", "call") and ws[verb + 1 : verb + 2]:
        # "You may call me X" gives leave and doubts nothing.
        aux = tuple(a for a in aux if a not in ("may", "might", "could", "can")) if ws[verb + 1].low == "me" else aux
    adverbs = [w.low for w in between if w.low not in AUXILIARIES]
    after = [w.low for w in ws[verb + 1 : min(end, verb + 3)]]
    negated = any(w.low in NEGATIONS for w in between) or _negated_after(ws, verb, end)
    passive = any(a in BE or a in ("got", "get") for a in aux) and ws[verb].tag == "VBN"
    head = ws[verb].head
    kids = {w.dep for w in ws if w.head == verb}
    passive = passive or "nsubjpass" in kids or "auxpass" in kids
    mark = next((w.low for w in ws[start:group] if w.low in MARKS and (w.dep in ("mark", "advmod") or w.i == start)), "")
    relative = (subject is not None and subject.kind == "relative") or (
        ws[verb].dep == "relcl" and (_relative(ws, start, verb) or _of_everything(ws, subject))
    )
    clause = Clause(
        sentence,
        start,
        end,
        subject or Subject("none"),
        verb,
        group,
        mark=mark,
        relative=relative,
        passive=passive,
        aux=aux,
        adverbs=tuple(adverbs),
        negated=negated,
        parent=head if head != verb else -1,
    )
    if ws[verb].low == "used" and after[:1] == ["to"] and verb + 2 < len(ws) and ws[verb + 2].tag.startswith("VB"):
        clause.used_to = True
        clause.verb = group_end(ws, verb + 2)
    elif ws[verb].low == "gonna" or (
        ws[verb].low == "going" and after[:1] == ["to"] and verb + 2 < len(ws) and ws[verb + 2].tag == "VB"
    ):
        clause.future = True
        clause.verb = verb + 2 if after[:1] == ["to"] else verb + 1
        if clause.verb >= len(ws):
            clause.verb = verb
    elif any(a in ("will", "'ll", "wo", "shall") for a in aux):
        clause.future = True
    return clause


def _negated_after(ws: list[Word], verb: int, end: int) -> bool:
    """As in "not" right after "be" or "have" negates, but "not only" and "not just" do not."""
    for w in ws[verb + 1 : min(end, verb + 3)]:
        if w.low == "less" and w.i + 1 < end and ws[w.i + 1].low == "of":
            # "I'm less of a cat person than she is"
            return True
        if w.low in ("not", "n't", "never", "no longer", "hardly", "scarcely"):
            return not (w.i + 1 < len(ws) and ws[w.i + 1].low in ("only", "just", "until", "till"))
        if w.pos not in ("ADV", "PART"):
            return False
    return False


def _of_everything(ws: list[Word], subject: Subject | None) -> bool:
    """As in "everything I own fits in a van": what is said is about the things, not that one has them."""
    before = ws[subject.start - 1].low if subject is not None and subject.start > 0 else ""
    return before in ("everything", "all", "anything", "something", "nothing", "things", "thing", "stuff", "one")


def _relative(ws: list[Word], start: int, verb: int) -> bool:
    return any(w.tag in ("WDT", "WP") for w in ws[start:verb])


def _inherit(found: list[Clause]) -> None:
    """Give subjectless clauses the subject of the clause they are joined to, or the speaker at the front of a sentence."""
    for number, clause in enumerate(found):
        if clause.subject.kind != "none":
            continue
        earlier = [c for c in found[:number] if not c.relative and c.subject.kind != "none"]
        if not earlier:
            # A third person needs a subject: "tastes like soap" is not about the speaker.
            clause.subject = Subject("other" if clause.tag == "VBZ" and not clause.aux else "implied")
            continue
        giver = earlier[-1]
        clause.subject = Subject(giver.subject.kind, -1, -1, giver.subject.head, giver.subject.text, giver.subject.companion)
        clause.inherited = True
        if giver.mark in ("if", "unless", "whether"):
            clause.mark = giver.mark
        clause.used_to = clause.used_to or (giver.used_to and clause.tag == "VB")
        clause.relative = giver.relative
        # "I've never sung or danced": neither was done.
        joined = clause.start > 0 and clause.words[clause.start - 1].low in ("or", "nor")
        if joined and giver.negated and clause.tag in ("VBN", "VBD", "VB", "VBG") and not clause.aux:
            clause.negated = True


def is_aside(clause: Clause) -> bool:
    """Whether a relative clause tells of what was just named: ", which I hate", "Ida, who is four", "the flat where"."""
    ws, opener = clause.words, clause.words[clause.start]
    if clause.sentence.mark == "?" or clause.start == 0 or clause.start + 1 >= len(ws):
        return False
    comma = ws[clause.start - 1].low == ","
    at = clause.start - 1 - comma
    named = at >= 0 and (ws[at].tag[:2] == "NN" or ws[at].tag == "POS")
    if clause.subject.kind != "relative" and ws[clause.start + 1].low in AUXILIARIES | BE:
        # ", where should I look": asked, if without its mark.
        return False
    if opener.low == "which":
        follows = ws[clause.start + 1]
        return (comma or named) and (follows.pos in ("VERB", "AUX", "PRON", "ADV") or follows.tag == "PRP")
    return named and opener.low in ("who", "whom", "where") and opener.tag in ("WP", "WRB", "WDT")
