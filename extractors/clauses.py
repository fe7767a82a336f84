"""Clauses: who does what in a sentence, cut along the line of the words and only hinted at by the parse tree.

Invariant: the clauses of a sentence do not overlap, each is a contiguous run of words, and each has one main verb.  Cutting
at the surface keeps one wrong attachment (common in chat) from mixing the words of two clauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
MARKS = frozenset(
    {
        "if", "unless", "whether", "because", "since", "although", "though", "while", "when", "whenever", "until", "till", "before",
        "after", "as", "so", "cause", "cuz", "'cause", "provided", "that", "where", "why", "how", "what", "once", "except", "whereas",
    }
)  # fmt: skip
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
    notes: dict[str, bool] = field(default_factory=dict)

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
    found = sorted(_heads(sentence), key=lambda item: item[1])
    starts = [_begin(sentence, subject, verb, [v for _, v in found]) for subject, verb in found]
    result: list[Clause] = []
    for number, (subject, verb) in enumerate(found):
        start = starts[number]
        end = next((s for s in starts[number + 1 :] if s > verb), len(sentence.words))
        clause = _clause(sentence, subject, verb, start, end)
        result.append(clause)
    _inherit(result)
    return result


def _heads(sentence: Sentence) -> Iterator[tuple[Subject | None, int]]:
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
            verb = _group_end(ws, word.i)
            if verb not in seen:
                seen.update((verb, word.i))
                yield None, verb


def _possessed_subjects(ws: list[Word], seen: set[int]) -> Iterator[tuple[Subject, int]]:
    """ "my X at the Y is": subjects that the parser missed, told by "my" at a boundary and a finite verb after the phrase."""
    for word in ws:
        if word.low not in ("my", "our") or (word.i and ws[word.i - 1].low not in (",", "and", "but", "so", "because", ":", "since", "that", "while")):
            continue
        i = word.i + 1
        while i < len(ws) and (ws[i].pos in ("NOUN", "PROPN", "ADJ", "NUM") or ws[i].tag in ("VBG", "HYPH")) and not (ws[i].low in BE):
            if _noun_like_verb(ws, i):
                break
            i += 1
        head = i - 1
        if i + 2 < len(ws) and ws[i].tag == "IN" and i > word.i + 1:
            i += 1
            while i < len(ws) and (ws[i].pos in ("NOUN", "PROPN", "ADJ", "DET", "NUM") or ws[i].tag == "PRP$"):
                i += 1
        if head > word.i and i < len(ws) and (ws[i].tag in ("VBZ", "VBP", "VBD", "MD") or _noun_like_verb(ws, i)) and i not in seen:
            verb = _group_end(ws, i)
            if verb not in seen:
                seen.add(verb)
                yield Subject("possessed", word.i, head + 1, head, " ".join(w.text for w in ws[word.i + 1 : head + 1])), verb


def _noun_like_verb(ws: list[Word], i: int) -> bool:
    """ "my husband snores": a verb that the tagger takes for a plural noun."""
    return ws[i - 1].low in words("kin") and ws[i].tag in ("NNS", "NNP", "NN") and ws[i].low.endswith("s") and ws[i].low[:-1] in words("habit_verbs")


COMPLEMENT_VERBS = frozenset({"like", "find", "make", "prefer", "want", "keep", "have", "let", "get", "need", "be", "love", "hate"})


def _complement(ws: list[Word], subject: Subject, verbs: set[int]) -> bool:
    """Whether a noun right after such a verb is its object ("I like my reviews blunt"), not the subject of a new clause."""
    before = subject.start - 1
    if ws[subject.head].low in PRONOUNS or before not in verbs:
        return False
    return ws[before].lemma in COMPLEMENT_VERBS or ws[before].low in BE


def _subject_at(ws: list[Word], word: Word) -> Subject | None:
    low = word.low
    if low in PRONOUNS and word.tag == "PRP" and word.dep not in ("dobj", "pobj", "dative") or low == "i":
        return _pronoun(ws, word)
    if word.dep in ("nsubj", "nsubjpass") and low not in PRONOUNS:
        return _noun_subject(ws, word)
    return None


def _pronoun(ws: list[Word], word: Word) -> Subject:
    low = word.low
    start = word.i
    if low in FIRST:
        companion = None
        # "my gf Nadia and I": the noun phrase before "and I" shares the subject.
        if word.i >= 3 and ws[word.i - 1].low == "and" and ws[word.i - 2].pos in ("NOUN", "PROPN"):
            first = word.i - 2
            while first > 0 and ws[first - 1].pos in ("NOUN", "PROPN", "ADJ", "DET", "PRON") and ws[first - 1].low not in PRONOUNS:
                first -= 1
                if ws[first].low in ("my", "our"):
                    start = first
                    companion = " ".join(w.text for w in ws[first + 1 : word.i - 1])
                    break
        return Subject("user", start, word.i + 1, word.i, "user", companion)
    kind = "you" if low in SECOND else "pronoun"
    return Subject(kind, start, word.i + 1, word.i, word.text)


def _noun_subject(ws: list[Word], word: Word) -> Subject | None:
    if word.tag in ("WP", "WDT"):
        return Subject("relative", word.i, word.i + 1, word.i, word.text)
    start, end = noun_span(ws, word.i)
    lows = [w.low for w in ws[start:end]]
    if lows and lows[0] == "me" or (start >= 2 and ws[start].low == "my" and ws[start - 2].low == "me"):
        return Subject("user", start, end, word.i, "user")
    if word.low in THIRD or word.tag in ("WP", "WDT", "DT", "EX"):
        return Subject("pronoun" if word.tag not in ("WP", "WDT") else "relative", start, end, word.i, word.text)
    if len(lows) == 1 and lows[0] in words("kin") and word.tag in ("NN", "NNP"):
        return Subject("possessed", start, end, word.i, word.text)
    if lows and lows[0] in ("my", "our"):
        text = " ".join(w.text for w in ws[start + 1 : end])
        return Subject("possessed", start, end, word.i, text)
    if word.tag == "NNP" and all(w.tag in ("NNP", "HYPH") for w in ws[start:end]):
        return Subject("named", start, end, word.i, " ".join(w.text for w in ws[start:end]))
    return Subject("other", start, end, word.i, " ".join(w.text for w in ws[start:end]))


def noun_span(ws: list[Word], head: int) -> tuple[int, int]:
    """The noun phrase around its head: determiners and modifiers before it, names and "in law" after it."""
    start = head
    while start > 0:
        w = ws[start - 1]
        if w.pos in ("DET", "ADJ", "NOUN", "PROPN", "NUM") or w.tag in ("PRP$", "POS", "HYPH", "VBN", "VBG") or (
            w.pos == "VERB" and w.dep in ("nmod", "amod", "compound")
        ):
            if w.tag in ("VBN", "VBG") and w.dep not in ("amod", "compound"):
                break
            start -= 1
            if w.low in ("my", "our"):
                break
            continue
        break
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
            return _group_end(ws, i)
        if w.pos in ("ADV", "PART", "INTJ") or w.tag in ("RB", "DT", "RBR") or w.low in ("all", "both", "just", "still", "mostly"):
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


def _group_end(ws: list[Word], i: int) -> int:
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
    return nxt.tag == "VBG" and nxt.dep not in ("amod", "compound", "attr") or (
        nxt.tag in ("VBN", "VBD") and nxt.dep not in ("acomp", "attr", "amod") and nxt.low not in ADJECTIVAL
    )


ADJECTIVAL = frozenset({"married", "divorced", "retired", "based", "interested", "engaged", "separated", "widowed", "tired", "used",
                        "born", "allergic", "obsessed", "hooked", "supposed"})  # fmt: skip


def _bare_head(ws: list[Word], word: Word, seen: set[int]) -> bool:
    """A finite verb without a subject: at the front ("Moved to Lisbon"), or joined on ("and work at Nokia")."""
    if word.tag in ("NN", "NNP") and word.dep == "conj" and word.i and ws[word.i - 1].low == "and" and word.i + 1 < len(ws):
        # "I live in Turku and work at Nokia": the tagger often takes the second verb for a noun.
        return ws[word.head].tag in ("VBP", "VB") and word.head in seen and (
            ws[word.i + 1].tag in ("IN", "DT", "PRP$") or word.low in words("habit_verbs")
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
        if word.tag in ("VBG", "VB") and before + 1 < word.i and any(ws[k].low in AUXILIARIES for k in range(before + 1, word.i)):
            return True
        if word.tag in ("VBG", "VB"):
            return low in (",", ":", "(") and word.dep in ("conj", "ROOT", "advcl", "parataxis", "ccomp", "dep", "acl") and word.tag == "VBG"
        earlier = [ws[v] for v in seen if v < word.i]
        return not earlier or word.tag in ("VBD", "VBP", "VBZ", "VBN")
    return False


def _begin(sentence: Sentence, subject: Subject | None, verb: int, verbs: list[int]) -> int:
    """Where a clause starts: its subject or verb group, with the adverbial phrase and joining words before it."""
    ws = sentence.words
    first = subject.start if subject else verb
    if subject and subject.kind == "relative":
        return first
    if subject and subject.start > verb:
        first = verb
    while subject is None and first > 0 and (
        ws[first - 1].pos in ("ADV", "PART") or ws[first - 1].low in AUXILIARIES | NEGATIONS
    ) and first - 1 not in verbs:
        first -= 1
    j = first
    while j > 0:
        previous = ws[j - 1]
        if j - 1 in verbs or previous.low in COORDINATORS:
            break
        if previous.low in MARKS and previous.tag in ("IN", "WRB", "WP", "CC") and previous.dep in ("mark", "advmod", "prep", "dobj", "attr", "cc"):
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
    """ "Last week, I ..." and "At work, we ...": an adverbial phrase that opens the sentence belongs to its clause."""
    if not 0 < comma <= 6 or any(v < comma for v in verbs) or any(w.low == "," for w in ws[:comma]):
        return False
    return ws[0].time or ws[0].low in ("at", "in", "on", "for", "since", "after", "during", "with", "before", "until") and ws[0].tag in ("IN", "RB")


def _lead(ws: list[Word], j: int, first: int) -> int:
    """Keep the words between a boundary and the subject only if they are a lead-in (adverb, mark, phrase)."""
    if j == first:
        return first
    if ws[j].low in MARKS or ws[j].pos in ("ADP", "ADV", "SCONJ", "INTJ", "ADJ", "DET", "CCONJ", "VERB", "PART", "NOUN", "PROPN", "NUM", "PRON", "AUX"):
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
    while group > start and (
        ws[group - 1].low in AUXILIARIES | NEGATIONS or ws[group - 1].pos in ("ADV", "PART") and ws[group - 1].low != "to"
    ) and (subject is None or group - 1 >= subject.end or subject.start > verb):
        group -= 1
    between = ws[group:verb]
    aux = tuple(w.low for w in between if w.low in AUXILIARIES)
    adverbs = [w.low for w in between if w.low not in AUXILIARIES]
    after = [w.low for w in ws[verb + 1 : min(end, verb + 3)]]
    negated = any(w.low in NEGATIONS for w in between) or _negated_after(ws, verb, end)
    passive = any(a in BE or a in ("got", "get") for a in aux) and ws[verb].tag == "VBN"
    head = ws[verb].head
    kids = {w.dep for w in ws if w.head == verb}
    passive = passive or "nsubjpass" in kids or "auxpass" in kids
    mark = next((w.low for w in ws[start:group] if w.low in MARKS and (w.dep in ("mark", "advmod") or w.i == start)), "")
    relative = (subject is not None and subject.kind == "relative") or ws[verb].dep == "relcl" and _relative(ws, start, verb)
    clause = Clause(
        sentence, start, end, subject or Subject("none"), verb, group, mark=mark, relative=relative, passive=passive, aux=aux,
        adverbs=tuple(adverbs), negated=negated, parent=head if head != verb else -1,
    )  # fmt: skip
    if ws[verb].low == "used" and after[:1] == ["to"] and verb + 2 < len(ws) and ws[verb + 2].tag.startswith("VB"):
        clause.used_to = True
        clause.verb = _group_end(ws, verb + 2)
    elif ws[verb].low == "gonna" or (ws[verb].low == "going" and after[:1] == ["to"] and verb + 2 < len(ws) and ws[verb + 2].tag == "VB"):
        clause.future = True
        clause.verb = verb + 2 if after[:1] == ["to"] else verb + 1
        if clause.verb >= len(ws):
            clause.verb = verb
    elif any(a in ("will", "'ll", "wo", "shall") for a in aux):
        clause.future = True
    return clause


def _negated_after(ws: list[Word], verb: int, end: int) -> bool:
    """ "not" right after "be" or "have" negates, but "not only" and "not just" do not."""
    for w in ws[verb + 1 : min(end, verb + 3)]:
        if w.low in ("not", "n't", "never", "no longer"):
            return not (w.i + 1 < len(ws) and ws[w.i + 1].low in ("only", "just", "until", "till"))
        if w.pos not in ("ADV", "PART"):
            return False
    return False


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
