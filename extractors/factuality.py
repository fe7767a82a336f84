"""The factuality gate: which clauses are the speaker's own plain word about how things are.

Invariant: each reason for doubt (question, condition, wish, hedge, report, fiction, sarcasm) is found by its own function and
named; a clause is taken only if none applies.  Hedged clauses may still make suggestions, the others make nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.extractors.clauses import Clause, is_aside
from graphmem.extractors.disavowals import unsaid
from graphmem.extractors.english import Sentence
from graphmem.extractors.hearsay import report, reported_before
from graphmem.extractors.lexicon import pattern, words
from graphmem.extractors.subjects import AUXILIARIES, BE


@dataclass(slots=True)
class Verdict:
    """Why a clause is not taken (None: it is), and whether it may be kept as a suggestion."""

    reason: str | None = None

    @property
    def hedged(self) -> bool:
        """Doubted by the speaker: a suggestion at most."""
        return self.reason == "hedged"


_FICTION = re.compile(
    r"\b(?:my|the|our|main) (?:character|protagonist|narrator|hero|heroine|villain|player character|oc)\b|"
    r"\bin (?:my|this|the|our) (?:novel|story|book|screenplay|script|"
    r"play|fanfic|campaign|dream|dreams|game)\b|^chapter \w+\b|\brole[- ]?play|\bplaying (?:a|this) game\b|"
    r"\b(?:for|in) (?:the|my|our|this|an?) (?:\w+ )?(?:sketch|improv|skit|larp|cosplay|costume party|role "
    r"play|campaign|pantomime|panto|musical|"
    r"school play|fan ?fic|one-shot)\b|"
    r"\bfictional\b|\bcontinue (?:the|"
    r"this|my) story|\bmonologue\b|"
    r"\bfirst person\b|\bonce upon a time\b|\bshort story\b|\bin a parallel universe\b|\bact as\b|\b(?:write|draft|"
    r"compose|invent|make up) (?:me )?(?:a|an|some|the) "
    r"(?:\w+ ){0,3}(?:story|poem|song|scene|bio|dialogue|dialog|sketch|lyrics|opening|character|limerick|haiku)\b|"
    r"\bdungeon master\b|"
    r"\bmy (?:d&d|dnd|sims?|rpg) \w+",
    re.IGNORECASE | re.MULTILINE,
)
_SUPPOSE = re.compile(
    r"^\W*(?:so |ok |and |but |now |then )*(?:suppose|supposing|imagine|assume|assuming|pretend|let'?s (?:say|"
    r"pretend|assume|imagine)|lets say|"
    r"let us say|let \w+ be|what if|picture (?:me|this|us|yourself)|say (?:I|we|my|our|somebody|someone|there)\b|"
    r"hypothetically|in theory|"
    r"given that I were|for the sake of argument|as an example\b|by way of example\b)",
    re.IGNORECASE,
)
_ASKS_LATER = re.compile(
    r"(?:,|\b(?:so|and|but))\s+(?P<asks>(?:what|who|how|why|where|when|which|is|are|do|does|did|can|could|should|"
    r"would|will|any)\b.*)$",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"^\W*(?:provided|assuming|supposing|as long as|in case|given that|should (?:I|we|my|the|it)\b(?!.*\?))", re.IGNORECASE
)
_SUPPOSE_INSIDE = re.compile(
    r"\b(?:hypothetically|let'?s say|just pretend|and say (?:I|we|my)\b|in a world (?:where|in which)|"
    r"for the sake of argument)\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:I|we) (?:so |really |do |just )?wish\b|\bif only\b|\bwould be (?:so |really |very )?(?:nice|great|cool|"
    r"lovely|amazing|good|awesome|wonderful|fun)\b|"
    r"\b(?:i|we)(?:'d| would) (?:kill|die|give (?:anything|a lot|my)|dream)\b|\bdream(?:ing)? (?:of|about)\b|"
    r"\bin (?:my|an) ideal\b|\bin another life\b|"
    r"\bi(?:'d| would) (?:so |really )?(?:love|like) (?:to|a|an|it if)\b",
    re.IGNORECASE,
)
_SARCASM = re.compile(
    r"(?i:^\W*(?:(?:oh|ah|wow|yeah|yay),? )?(?:yeah,? right|oh joy|oh sure|oh yes,|oh great|oh good|oh wonderful|"
    r"oh lovely|oh fantastic|oh brilliant|oh perfect,?|oh marvellous|oh splendid|oh super|oh terrific|oh fabulous|"
    r"oh excellent|oh goody|"
    r"what a joy|oh of course|sure, because))|"
    r"(?i:^\W*(?:joy|sure|yes|great|wonderful|lovely|fantastic|brilliant|perfect|of course)\b[, ]+(?:another|"
    r"because|I just|I totally|I absolutely|I (?:have|'ve got|got) nothing|just what|exactly what|I get to))|"
    r"(?i:\byeah,? right\b|\bexactly what I (?:live|need|want|wish|dream)|\bjust what I (?:need|want)|"
    r"\bnothing better to do\b|\bmade of money\b|\bsuch a genius\b|"
    r"\bI'?m such an? (?:\w+ )?(?:genius|hero|star|pro|expert)\b|\bthanks for nothing\b|"
    r"\bhow (?:delightful|lovely|wonderful) (?:that|to)\b|"
    r"\bmy idea of fun\b|\bsaid no one\b|^\W*me, an? \w+|\bwhat a surprise,|^\W*(?:yeah|lol|sure|totally)\b.*\bnot[.!]*$|🙄)|"
    r"\b(?:just|totally) (?:LOVE|ADORE|ENJOY)\b|"
    r"(?i:^\W*(?:(?:but|well|because|and|so) )?(?:obviously|of course|clearly|naturally|evidently)\b,? (?:I|we) (?:\w+ )?"
    r"(?:love|adore|enjoy|like|live for|dream)\b)"
)
# What is only denied to be the reason: "it's not that I hate it".
_NOT_THAT = re.compile(r"\b(?:not|n't) (?:so much |really )?(?:that|because|as if|as though|like) (?=I\b|we\b)", re.IGNORECASE)
_EACH_TIME = re.compile(r"\b(?:every|each|any|the (?:first|last|next)) time (?=I\b|we\b)", re.IGNORECASE)
_HEDGE_SENTENCE = re.compile(
    r"\b(?:(?:I'?m |I am )?not (?:really |too |so |quite |entirely |100% |completely )?sure|could be wrong|"
    r"may be wrong|might be wrong|hard to (?:tell|say)|who knows|"
    r"no idea if|don'?t know if|don'?t quote me|haven'?t decided|not certain|undecided|can'?t decide|on paper|in theory|"
    r"it(?:'s| is) (?:quite |very |just |entirely |at least |certainly )?(?:possible|likely|unlikely|doubtful|conceivable)|"
    r"there(?:'s| is) (?:a|every|some|no) (?:\w+ )?chance|chances are|odds are)\b",
    re.IGNORECASE,
)
# Doubt that comes after what was said: "I'm Catholic, sort of", "it was in Leeds, I think".
_AFTERTHOUGHT = re.compile(
    r"(?:,\s*|\s)(?P<at>(?:(?<=, )(?:sort of|kind of|i (?:think|guess|suppose|reckon|believe)|maybe|perhaps|probably|"
    r"apparently|"
    r"allegedly|supposedly|presumably|or so (?:i|they|he|she|we)\b.*|if i (?:remember|recall)(?: \w+)?|ish|give or take)|"
    r"i (?:think|guess|suppose|reckon)|or something(?: like that)?|or so (?:i|they|he|she)\b[^,.!]*|"
    r"or whatever)(?:,? (?:anyway|at least))?)[.!…\s]*$",
    re.IGNORECASE,
)
_BACK_THEN = re.compile(r"\bback (?:in the day|then|when)\b|\bwhen (?:I|we) (?:was|were)\b", re.IGNORECASE)
_HEDGES = words("hedges")
_NOT_QUITE = frozenset({"almost", "nearly", "basically", "practically", "virtually"})
_ATTRIBUTED = re.compile(
    r"\baccording to\b|\brumou?r has it\b|\bword is\b|\b(?:has|have|had) me (?:listed|down|labell?ed|tagged)\b", re.IGNORECASE
)
_CONDITIONS = frozenset({"if", "unless", "whether", "provided", "supposing", "assuming"})
_OPINION = words("opinion_verbs")


def fiction_from(text: str) -> int | None:
    """Where invented text begins in a turn; all that follows is not about the speaker."""
    found = _FICTION.search(text)
    game = re.search(r"\b(?:in|on|at) (?:the )?", text, re.IGNORECASE) and pattern("games").search(text)
    starts = [m.start() for m in (found, game or None) if m]
    if not starts:
        return None
    at = min(starts)
    return max((m.end() for m in re.finditer(r"[.!?\n]\s+", text[:at])), default=0)


def is_sarcastic(sentence: Sentence) -> bool:
    """Cues that the words mean their contrary."""
    text = sentence.text
    if re.search(r"\b[A-Z]{3,}\b", text) and text.isupper():
        return False
    return bool(_SARCASM.search(text))


def doubts(sentence: Sentence) -> str | None:
    """Why a sentence without a clause ("Vegan, maybe?") is not plainly said; None if nothing speaks against it."""
    text, lows = sentence.text, {word.low for word in sentence.words}
    if sentence.mark == "?":
        return "question"
    if is_sarcastic(sentence):
        return "sarcasm"
    if _SUPPOSE.search(text) or _SUPPOSE_INSIDE.search(text):
        return "hypothetical"
    if _CONDITIONAL.search(text) or lows & _CONDITIONS:
        return "conditional"
    if _WISH.search(text):
        return "wish"
    if _ATTRIBUTED.search(text):
        return "attributed"
    return "hedged" if _HEDGE_SENTENCE.search(text) or lows & (_HEDGES | _NOT_QUITE) else None


def judge(found: list[Clause], sentence: Sentence) -> list[Verdict]:
    """One verdict for each clause of a sentence."""
    verdicts = [Verdict() for _ in found]
    text = sentence.text
    whole = None
    if _SUPPOSE.search(text) or _SUPPOSE_INSIDE.search(text):
        whole = "hypothetical"
    elif _CONDITIONAL.search(text) and not text.lower().startswith("should"):
        whole = "conditional"
    elif is_sarcastic(sentence):
        whole = "sarcasm"
    elif sentence.mark == "?" and not any(is_question(c) for c in found):
        asked = _ASKS_LATER.search(text)
        if asked is None:
            whole = "question"
        else:
            for clause, verdict in zip(found, verdicts, strict=True):
                if clause.words[clause.start].start >= sentence.start + asked.start("asks"):
                    verdict.reason = "question"
    for number, clause in enumerate(found):
        verdicts[number].reason = whole or verdicts[number].reason or _own_reason(clause)
    if whole:
        return verdicts
    _questions(found, sentence, verdicts)
    _unsaid(found, sentence, verdicts)
    _conditions(found, verdicts)
    _reports(found, verdicts)
    _sentence_hedges(found, sentence, verdicts)
    _wishes(found, sentence, verdicts)
    return verdicts


def _own_reason(clause: Clause) -> str | None:
    if clause.words[clause.verb].foreign:
        return "quoted"
    without = clause.lemma == "do" and clause.rest[:1] != [] and clause.rest[0].low == "without"
    if any(a in ("may", "might", "could") for a in clause.aux) and not without and not _named_so(clause):
        return "hedged"
    if any(a in ("would", "'d") for a in clause.aux) and _BACK_THEN.search(clause.sentence.text):
        # "back then we'd play squash" tells what used to be.
        return None
    if any(a in ("would", "'d", "should", "ought") for a in clause.aux) and not _polite(clause) and not _dated_wish(clause):
        return "hypothetical" if "should" not in clause.aux else "obligation"
    near = [w.low for w in clause.words[clause.start : min(clause.end, clause.verb + 3)]]
    if any(low in _NOT_QUITE for low in near):
        return "hypothetical"
    if clause.mark in ("when", "once", "until", "till", "before", "whenever") and not clause.past and not clause.perfect:
        return "conditional"
    if clause.mark in ("how", "what", "why", "where", "who", "which"):
        return "question"
    if any(low in _HEDGES for low in near):
        return "hedged"
    if clause.lemma in ("consider", "contemplate", "ponder") or (clause.lemma == "think" and clause.progressive):
        return "hedged"
    if clause.lemma in ("seem", "appear"):
        return "hedged"
    if clause.lemma == "let" and any(w.low == "say" for w in clause.rest[:2]):
        return "hypothetical"
    return None


def _named_so(clause: Clause) -> bool:
    """As in "you may call me Al": leave to use a name, no guess."""
    return (
        clause.lemma in ("call", "address")
        and clause.subject.kind == "you"
        and clause.rest[:1] != []
        and clause.rest[0].low == "me"
    )


def _polite(clause: Clause) -> bool:
    """As in "I'd rather", "I'd prefer": a preference that holds now."""
    if clause.lemma in ("take", "pick", "choose") and any(w.low == "over" for w in clause.rest) and clause.has("day", "time"):
        return True
    sooner = any(a in ("rather", "sooner") for a in clause.adverbs)
    return sooner or clause.lemma == "prefer" or (clause.rest[:1] != [] and clause.rest[0].low in ("rather", "sooner"))


def is_question(clause: Clause) -> bool:
    """An inverted or wh- clause that asks."""
    ws = clause.words
    subject = clause.subject
    opener = ws[clause.start]
    if clause.mark in ("when", "whenever", "because", "since", "so", "as", "while") and opener.low != "when":
        return False
    if subject.start > clause.start:
        before = ws[subject.start - 1]
        if (
            before.low in AUXILIARIES
            and before.tag[:2] in ("VB", "MD")
            and before.low not in ("been", "being", "have")
            and not (subject.start - 2 >= clause.start and ws[subject.start - 2].tag in ("NN", "NNS", "NNP", "PRP"))
        ):
            return clause.verb >= subject.start or clause.verb == subject.start - 1
    if subject.start > clause.verb >= 0 and ws[clause.verb].low in BE | AUXILIARIES and subject.kind not in ("pronoun",):
        return ws[clause.verb].i == clause.start or opener.tag in ("WRB", "WP", "WDT")
    if subject.start > clause.verb and subject.kind in ("user", "pronoun", "you"):
        return True
    return bool(
        opener.tag in ("WP", "WRB", "WDT")
        and opener.low in ("what", "who", "which", "how", "why", "where")
        and (clause.start == 0 or ws[clause.start - 1].low in ("so", "and", "but", ","))
    )


def _questions(found: list[Clause], sentence: Sentence, verdicts: list[Verdict]) -> None:
    for clause, verdict in zip(found, verdicts, strict=True):
        if verdict.reason in (None, "question") and is_aside(clause) and (is_question(clause) or verdict.reason):
            verdict.reason = "aside"
    first = next((n for n, c in enumerate(found) if is_question(c) and not is_aside(c)), None)
    if first is None:
        return
    for number in range(first, len(found)):
        verdicts[number].reason = "question"


def _unsaid(found: list[Clause], sentence: Sentence, verdicts: list[Verdict]) -> None:
    """What is put and not said: "it's not that I hate it", "every time I eat it", "living there must be dull"."""
    for put, reason in ((_NOT_THAT, "negated"), (_EACH_TIME, "conditional")):
        match = put.search(sentence.text)
        at = sentence.start + match.end() if match else None
        for clause, verdict in zip(found, verdicts, strict=True):
            if at is not None and clause.words[clause.start].start <= at < clause.words[clause.end - 1].end:
                verdict.reason = verdict.reason or reason
                break
    for part in unsaid(sentence):
        for number, clause in enumerate(found):
            if part.start <= clause.words[clause.verb].start - sentence.start < part.end:
                _mark(verdicts, number, part.reason)
    for clause, verdict in zip(found, verdicts, strict=True):
        if _talked_of(clause):
            verdict.reason = verdict.reason or "generic"


def _talked_of(clause: Clause) -> bool:
    """As in "working at a bank must be dull": the doing is what is talked of, and nobody is said to do it."""
    verb = clause.words[clause.verb]
    if verb.tag != "VBG" or clause.aux or clause.subject.kind != "implied" or verb.i > clause.start + 1:
        return False
    before = [w for w in clause.words[verb.i + 1 :] if w.i < _comma(clause, verb.i)]
    return verb.dep in ("csubj", "csubjpass") and any(w.tag in ("VBZ", "MD", "VBD") for w in before)


def _comma(clause: Clause, i: int) -> int:
    return next((w.i for w in clause.words[i:] if w.low in (",", ";")), len(clause.words))


def _conditions(found: list[Clause], verdicts: list[Verdict]) -> None:
    """An if-clause takes the clause it belongs to with it."""
    for number, clause in enumerate(found):
        opener = clause.words[clause.start].low
        if clause.mark not in _CONDITIONS and opener not in _CONDITIONS:
            continue
        _mark(verdicts, number, "conditional")
        others = []
        if clause.start <= 1 and number + 1 < len(found):
            others.append(number + 1)
        elif number > 0 and found[number - 1].words[found[number - 1].end - 1].low not in ("so", "and", "but"):
            others.append(number - 1)
        others += [n for n, c in enumerate(found) if c.verb == clause.parent]
        for other in others:
            _mark(verdicts, other, "conditional")


def _reports(found: list[Clause], verdicts: list[Verdict]) -> None:
    """What somebody else says or thinks, and what the speaker once said, is not what the speaker says now."""
    for number, clause in enumerate(found):
        if _ATTRIBUTED.search(clause.sentence.text) or reported_before(clause):
            _mark(verdicts, number, "attributed")
        if number + 1 == len(found):
            continue
        reason = report(clause, found[number + 1])
        if reason == "hedged":
            verdicts[number + 1].reason = verdicts[number + 1].reason or reason
        elif reason:
            _mark(verdicts, number + 1, reason)
            for later in range(number + 2, len(found)):
                if not found[later].inherited:
                    break
                _mark(verdicts, later, reason)


def _mark(verdicts: list[Verdict], number: int, reason: str) -> None:
    """Set a reason; a hedge gives way to a stronger one."""
    if verdicts[number].reason in (None, "hedged", "obligation"):
        verdicts[number].reason = reason


def _sentence_hedges(found: list[Clause], sentence: Sentence, verdicts: list[Verdict]) -> None:
    late = _AFTERTHOUGHT.search(sentence.text)
    if late and found:
        at = sentence.start + late.start("at")
        told = [n for n, c in enumerate(found) if c.words[c.start].start < at and c.lemma not in _OPINION]
        if told:
            verdicts[told[-1]].reason = verdicts[told[-1]].reason or "hedged"
    match = _HEDGE_SENTENCE.search(sentence.text)
    if not match:
        return
    at = sentence.start + match.start()
    after = [n for n, c in enumerate(found) if c.words[c.start].start >= at]
    before = [n for n, c in enumerate(found) if c.words[c.start].start < at and n not in after]
    for number in after + before[-1:]:
        verdicts[number].reason = verdicts[number].reason or "hedged"


def _wishes(found: list[Clause], sentence: Sentence, verdicts: list[Verdict]) -> None:
    match = _WISH.search(sentence.text)
    if not match:
        return
    end = sentence.start + match.end()
    for number, clause in enumerate(found):
        last = clause.words[clause.end - 1].end
        if _dated_wish(clause):
            continue
        if last >= sentence.start + match.start() and (
            number == 0 or clause.words[clause.start].start <= end or _glued(clause)
        ):
            _mark(verdicts, number, "wish")


def _dated_wish(clause: Clause) -> bool:
    """As in "I'd like to visit Japan next spring": with a date to come, it is a plan."""
    wished = (
        clause.lemma in ("like", "love") and clause.subject.kind == "user" and any(a in ("'d", "would") for a in clause.aux)
    )
    return wished and clause.rest[:1] != [] and clause.rest[0].low == "to" and any(w.time for w in clause.rest)


def _glued(clause: Clause) -> bool:
    """Whether the clause follows its neighbour without a comma or joining word."""
    before = clause.words[clause.start - 1].low if clause.start else ""
    return before not in (",", "and", "but", ":", "so") and clause.words[clause.start].low not in ("but", "so", "because")
